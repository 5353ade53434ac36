/* What arraysim refuses, and in which words: the key by its path, and the words allowed there. */
#include "aw_test.h"

#include <string.h>

#include "lab_world.h"

#define READS "{\"profile\": \"w13-streaming-read\"}"

static char text[PROFILE_TEXT_BYTES];

#define WITH(controller, drives, array, load)                                                      \
    "{\"name\": \"x\", \"controller\": " controller ", \"drives\": " drives ", \"array\": " array  \
    ", \"workloads\": [" load "]}"
#define NATIVE "{\"profile\": \"native\"}"
#define SSDS(count) "{\"profile\": \"intel-x25-e\", \"count\": " count "}"

static void a_bad_scenario_is_refused_with_a_sentence(void **state UNUSED)
{
    static const struct {
        const char *content, *message;
    } cases[] = {
        {"{", ":1: "},
        {"{}", "name is missing"},
        {"{\"name\": \"x\", \"turbo\": 1}", "turbo is not a key"},
        {WITH("{\"profile\": \"nobody\"}", SSDS("4"), "{\"level\": \"raid5\"}", READS),
         "there is no such profile"},
        {WITH(NATIVE, "{\"profile\": \"nobody\", \"count\": 4}", "{\"level\": \"raid5\"}", READS),
         "there is no such profile"},
        {WITH(NATIVE, SSDS("0"), "{\"level\": \"raid5\"}", READS),
         "drives.count must be between 1 and 64, not 0"},
        {WITH(NATIVE, "{\"profile\": \"intel-x25-e\"}", "{\"level\": \"raid5\"}", READS),
         "drives.count is missing"},
        {WITH(NATIVE, SSDS("4"), "{\"levle\": \"raid5\"}", READS),
         "array.levle is not a key. Keys allowed there: level, spans, strip_bytes, "},
        {WITH(NATIVE, SSDS("2"), "{\"level\": \"raid5\"}", READS), "RAID5 of 2 drives"},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid7\"}", READS),
         "array.level must be \"raid0\", \"raid1\", \"raid5\", \"raid6\", \"raid10\", \"raid50\", "
         "\"raid60\" or \"raid1e\", not \"raid7\""},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid5\", \"read_policy\": 1}", READS),
         "array.read_policy must be \"no_read_ahead\", \"read_ahead\" or \"adaptive_read_ahead\""},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid5\"}",
              "{\"profile\": \"w01-database\", \"depths\": [1, 0]}"),
         "workloads[0].depths[1] must be between 1 and"},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid5\"}",
              "{\"profile\": \"w01-database\", \"pattern\": \"odd\"}"),
         "workloads[0].pattern must be \"random\", \"sequential\", "},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid0\"}",
              READS "], \"rebuild\": true, \"notes\": ["),
         "rebuild: RAID0 has nothing to rebuild a drive from"},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid5\", \"write_policy\": \"write_back\"}", READS),
         "without a cache there is no write-back"},
        {WITH("{\"profile\": \"3ware-9690sa-8i\"}", SSDS("4"), "{\"level\": \"raid6\"}", READS),
         "takes RAID6 of at least 5 drives"},
        {WITH("{\"profile\": \"3ware-9690sa-8i\"}", SSDS("8"), "{\"level\": \"raid60\"}", READS),
         "does not offer RAID60"},
        {WITH("{\"profile\": \"3ware-9690sa-8i\"}", SSDS("9"), "{\"level\": \"raid5\"}", READS),
         "has 8 ports"},
        {WITH("{\"profile\": \"3ware-9690sa-8i\"}", SSDS("8"),
              "{\"level\": \"raid5\", \"strip_bytes\": 8192}", READS),
         "has no strips of 8192 bytes"},
        {WITH("{\"profile\": \"lsi-megaraid-sas-9210-8i\", \"cache_bytes\": 1048576}", SSDS("4"),
              "{\"level\": \"raid0\"}", READS),
         "has no cache"},
        {WITH("{\"profile\": \"3ware-9500s-8\", \"cache_bytes\": 536870912}", SSDS("4"),
              "{\"level\": \"raid0\"}", READS),
         "takes a cache of at most 268435456 bytes"},
        {WITH(NATIVE, "{\"profile\": \"intel-x25-e\", \"count\": 4, \"failed\": [0, 1]}",
              "{\"level\": \"raid5\"}", READS),
         "RAID5 of 4 drives does not survive this"},
        {WITH(NATIVE, "{\"profile\": \"intel-x25-e\", \"count\": 4, \"failed\": [4]}",
              "{\"level\": \"raid5\"}", READS),
         "a member has failed that is not there"},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid5\"}", "{\"profile\": \"w99\"}"),
         "there is no such profile"},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid5\"}", "{\"name\": \"x\"}"),
         "mixes and depths must be given"},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid5\"}",
              "{\"profile\": \"w01-database\", \"mixes\": [[{\"bytes\": 512, \"percent\": 99}]]}"),
         "must make 100, not 99"},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid5\"}",
              "{\"profile\": \"w01-database\", \"depths\": [64], \"workers\": [64]}"),
         "more than 1024 requests"},
        {WITH(NATIVE, SSDS("4"), "{\"level\": \"raid5\"}",
              "{\"profile\": \"w01-database\", \"workers\": [2], \"zone_bytes\": 8388608}"),
         "workloads[0]: zone_bytes must be at least 16777216 for 2 workers, not 8388608"},
        {WITH("{\"profile\": \"3ware-9500s-8\", \"quirks\": [\"warp\"]}", SSDS("4"),
              "{\"level\": \"raid0\"}", READS),
         "has no quirk named \"warp\". It has: twinstor-idle, read-ahead-conflict"},
        {WITH("{\"profile\": \"native\", \"quirks\": [\"warp\"]}", SSDS("4"),
              "{\"level\": \"raid0\"}", READS),
         "has no quirk named \"warp\""},
        {WITH("{\"profile\": \"3ware-9500s-8\", \"quirks\": [\"twinstor-idle\", "
              "\"twinstor-idle\"]}",
              SSDS("4"), "{\"level\": \"raid0\"}", READS),
         "twinstor-idle is there twice"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lab_scenario *scenario = NULL;

        scenario_write(cases[i].content);
        assert_int_not_equal(lab_scenario_read(scenario_path, PROFILES, &scenario, text), 0);
        assert_null(scenario);
        if (strstr(text, cases[i].message) == NULL) {
            fail_msg("expected \"%s\" in \"%s\"", cases[i].message, text);
        }
    }
}

static void a_scenario_that_is_not_there_is_told(void **state UNUSED)
{
    struct lab_scenario *scenario = NULL;

    assert_int_not_equal(lab_scenario_read("nothere.json", PROFILES, &scenario, text), 0);
    assert_string_equal(text, "nothere.json: there is no such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_scenario_is_refused_with_a_sentence),
        cmocka_unit_test(a_scenario_that_is_not_there_is_told),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("lab-refusals", tests, scenario_file_make,
                                       scenario_file_remove);
}
