/*
 * What is printed: the JSON envelope byte for byte, tables, sizes and times.
 */
#include "aw_test.h"

#include <string.h>
#include <sys/utsname.h>

#include "cli/report.h"

static char printed[8192];

static void print(struct report *report, bool json)
{
    FILE *out = fmemopen(printed, sizeof(printed), "w");

    assert_non_null(out);
    if (json) {
        report_print_json(report, out);
    } else {
        report_print_text(report, out);
    }
    assert_int_equal(fclose(out), 0);
}

static void test_json_envelope(void **state UNUSED)
{
    struct report report;
    struct utsname system;
    char expected[2048];

    assert_int_equal(uname(&system), 0);
    report_init(&report);
    report_add(&report, 0, 0, "None", NULL,
               json_pack("{s:i, s:[{s:s}]}", "Count", 1, "VD LIST", "Name", "a\"b"));
    print(&report, true);
    (void)snprintf(expected, sizeof(expected),
                   "{\n\"Controllers\":[\n{\n\t\"Command Status\" : {\n\t\t\"CLI Version\" : "
                   "\"" CLI_VERSION_TEXT "\",\n\t\t\"Operating system\" : \"%s %s\",\n"
                   "\t\t\"Controller\" : 0,\n\t\t\"Status\" : \"Success\",\n"
                   "\t\t\"Description\" : \"None\"\n\t},\n\t\"Response Data\" : {\n"
                   "\t\t\"Count\" : 1,\n\t\t\"VD LIST\" : [\n\t\t\t{\n\t\t\t\t\"Name\" : "
                   "\"a\\\"b\"\n\t\t\t}\n\t\t]\n\t}\n}\n]\n}\n",
                   system.sysname, system.release);
    assert_string_equal(printed, expected);
    assert_int_equal(report.exit_code, 0);
    report_done(&report);
}

static void test_failure(void **state UNUSED)
{
    struct report report;

    report_init(&report);
    report_add(&report, 0, 85, "None", json_pack("[{s:i}]", "ErrCd", 85), NULL);
    report_add(&report, -1, 255, "gone", NULL, NULL);
    print(&report, true);
    assert_non_null(strstr(printed, "\"Status\" : \"Failure\""));
    assert_non_null(strstr(printed, "\"Detailed Status\" : [\n"));
    assert_non_null(strstr(printed, "\"Status Code\" : 255"));
    assert_int_equal(report.exit_code, 85);
    report_done(&report);
}

static void test_text_table(void **state UNUSED)
{
    struct report report;

    report_init(&report);
    report_add(&report, 0, 0, "None", NULL,
               json_pack("{s:s, s:[{s:i, s:s, s:s}, {s:i, s:s, s:s}]}", "Name", "x", "T", "DG", 0,
                         "State", "Optl", "Size", "1.000 GB", "DG", 12, "State", "Dgrd", "Size",
                         "64.000 MB"));
    print(&report, false);
    assert_non_null(strstr(printed, "Status = Success\nDescription = None\n\nName = x\n\nT :\n=\n"
                                    "\n------------------\nDG State      Size \n"
                                    "------------------\n 0 Optl   1.000 GB \n"
                                    "12 Dgrd  64.000 MB \n------------------\n"));
    report_done(&report);
}

static void test_sizes_and_times(void **state UNUSED)
{
    char out[FORMAT_BYTES];

    assert_string_equal(format_size(512, out), "512 B");
    assert_string_equal(format_size(1024, out), "1.000 KB");
    assert_string_equal(format_size(959656755200ull, out), "893.750 GB");
    assert_string_equal(format_size(1918959681536ull, out), "1.745 TB");
    assert_string_equal(format_time_left(-1, out), "-");
    assert_string_equal(format_time_left(5, out), "5 Seconds");
    assert_string_equal(format_time_left(150, out), "2 Minutes");
    assert_string_equal(format_time_left(3660, out), "1 Hours 1 Minutes");
    assert_string_equal(format_time_left(90000, out), "1 Days 1 Hours 0 Minutes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_envelope),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_text_table),
        cmocka_unit_test(test_sizes_and_times),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
