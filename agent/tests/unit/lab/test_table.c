/* The table for people: exactly what stands in it for a given document. */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "lab/lab_table.h"

#define READ                                                                                       \
    "{\"workload\": \"database\", \"mix\": [{\"bytes\": 8192, \"percent\": 100}],"                 \
    " \"write_percent\": 0, \"workers\": 1, \"depth\": 16, \"operations_per_s\": 1290.06,"         \
    " \"bytes_per_s\": 10568171.5, \"read_latency\": {\"count\": 9, \"mean_us\": 12385.2,"         \
    " \"p99_us\": 43855}, \"write_latency\": {\"count\": 0, \"mean_us\": 0, \"p99_us\": 0}}"
#define WRITE                                                                                      \
    "{\"workload\": \"files\", \"mix\": [{\"bytes\": 512, \"percent\": 50}, {\"bytes\": 4096,"     \
    " \"percent\": 50}], \"write_percent\": 100, \"workers\": 4, \"depth\": 1,"                    \
    " \"operations_per_s\": 90000, \"bytes_per_s\": 2e8, \"read_latency\": {\"count\": 0},"        \
    " \"write_latency\": {\"count\": 5, \"mean_us\": 11, \"p99_us\": 88}, \"warnings\": ["         \
    "{\"code\": \"cache_not_filled\", \"text\": \"The cache was not filled.\"}]}"

static const char document[] =
    "{\"name\": \"two\", \"controller\": \"native\", \"drive\": \"x15\", \"capacity_bytes\":"
    " 73500000000, \"cache_bytes\": 16777216, \"battery\": \"missing\", \"arrays\": ["
    "{\"level\": \"raid10\", \"drives\": 4, \"write_policy\": \"write_back\","
    " \"effective_write_policy\": \"write_through\", \"write_policy_reason\": \"No battery.\","
    " \"read_policy\": \"no_read_ahead\", \"failed\": [0, 2], \"refused\": null, \"size_bytes\":"
    " 147000000000, \"points\": [" READ ", " WRITE "], \"ratings\": [{\"workload\": \"files\","
    " \"value\": 3.25}], \"rebuild\": {\"seconds\": 656.2}, \"survival\": {\"singles\": 4,"
    " \"singles_survived\": 4, \"pairs\": 6, \"pairs_survived\": 4}},"
    "{\"level\": \"raid60\", \"drives\": 4, \"write_policy\": \"write_through\","
    " \"effective_write_policy\": \"write_through\", \"write_policy_reason\": null,"
    " \"read_policy\": \"read_ahead\", \"failed\": [], \"refused\": \"too few drives\","
    " \"size_bytes\": 0, \"points\": [], \"ratings\": [], \"rebuild\": null, \"survival\": null}]}";

static const char table[] =
    "two: controller native, drives x15 of 73.5 GB, cache of 16 MiB, battery missing\n"
    "\n"
    "RAID 10 of 4, missing member 0, 2, write-through instead of write-back, no-read-ahead,"
    " 147.0 GB\n"
    "  No battery.\n"
    "                                workers                                    read ms"
    "            write ms\n"
    "  load         block writes     x depth operations/s      MB/s      mean       p99"
    "      mean       p99\n"
    "  database     8 KiB     0%    1 x 16         1290.1      10.6    12.385    43.855"
    "         -         -\n"
    "  files        mixed   100%    4 x 1         90000.0     200.0         -         -"
    "     0.011     0.088 [1]\n"
    "  [1] The cache was not filled.\n"
    "  Rating of files: 3.2\n"
    "  Rebuild of a drive with nothing else to do: 656 s\n"
    "  Survives 4 of 4 failures of one drive, 4 of 6 of two\n"
    "\n"
    "RAID 60 of 4, write-through, read-ahead\n"
    "  Refused: too few drives\n";

static void a_prediction_is_a_table(void **state UNUSED)
{
    json_error_t error;
    json_t *doc = json_loads(document, 0, &error);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    assert_non_null(doc);
    assert_non_null(out);
    assert_true(lab_table_print(doc, out));
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, table);
    free(text);
    json_decref(doc);
}

static void what_cannot_be_written_is_told(void **state UNUSED)
{
    json_t *doc = json_object();
    FILE *out = fopen("/dev/full", "w");

    assert_non_null(out);
    assert_false(lab_table_print(doc, out));
    (void)fclose(out);
    json_decref(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prediction_is_a_table),
        cmocka_unit_test(what_cannot_be_written_is_told),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("lab-table", tests, NULL, NULL);
}
