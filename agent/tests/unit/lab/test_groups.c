/*
 * Several arrays at the same time: each gets its own answer, what they share they take from each
 * other, alone they have it all, faults of drives do what they do to arrays that serve hosts, the
 * same seed gives the same bytes, and what cannot be is refused with a sentence.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "lab/lab_alone.h"
#include "lab_world.h"

#define ANSWERS_MAX 8u

static char text[PROFILE_TEXT_BYTES];

struct answers {
    uint32_t count;
    struct lab_group_answer of[ANSWERS_MAX];
    struct lab_group_answer alone[ANSWERS_MAX]; /* if the scenario asks for them */
    char *document;
};

static uint32_t told_done, told_count;

static void told(uint32_t done, uint32_t count)
{
    told_done = done;
    told_count = count;
}

static struct answers *answers_of(const char *content)
{
    struct answers *answers = calloc(1, sizeof(*answers));
    struct lab_scenario *scenario = NULL;
    json_t *doc = NULL;

    assert_non_null(answers);
    scenario_write(content);
    if (lab_scenario_read(scenario_path, PROFILES, &scenario, text) != 0) {
        fail_msg("%s", text);
    }
    answers->count = scenario->group_count;
    if (lab_groups_run(scenario->groups, scenario->group_count, answers->of, text) != 0) {
        fail_msg("%s", text);
    }
    if (scenario->alone) {
        assert_int_equal(lab_alone_run(scenario->groups, answers->of, scenario->group_count, 2,
                                       told, answers->alone),
                         0);
    }
    doc = lab_result_groups_doc(scenario, answers->of, scenario->alone ? answers->alone : NULL);
    answers->document = json_dumps(doc, JSON_REAL_PRECISION(15));
    assert_non_null(answers->document);
    json_decref(doc);
    scenario = lab_scenario_free(scenario);
    assert_null(scenario);
    return answers;
}

static void answers_free(struct answers *answers)
{
    free(answers->document);
    free(answers);
}

#define GROUPS_ON(controller, limits, groups)                                                      \
    "{\"name\": \"x\", \"controller\": " controller ", \"limits\": " limits                        \
    ", \"groups\": [" groups "]}"
#define NATIVE "{\"profile\": \"native\"}"
#define SHORT "{\"operations\": 2000, \"warmup_operations\": 200}"
#define DRIVES(model, count) "{\"profile\": \"" model "\", \"count\": " count "}"
#define SSDS(count) DRIVES("intel-x25-e", count)
#define RANDOM(writes, depth)                                                                      \
    "{\"name\": \"r\", \"pattern\": \"random\", \"mixes\": [[{\"bytes\": 4096, \"percent\": "      \
    "100}]],"                                                                                      \
    " \"write_percents\": [" writes "], \"depths\": [" depth "]}"
#define STREAM                                                                                     \
    "{\"name\": \"s\", \"pattern\": \"sequential\", \"mixes\": [[{\"bytes\": 65536,"               \
    " \"percent\": 100}]], \"depths\": [16]}"
#define GROUP(name, drives, array, load, more)                                                     \
    "{\"name\": \"" name "\", \"drives\": " drives ", \"array\": {" array                          \
    "}, \"workload\": " load more "}"
#define R0 "\"level\": \"raid0\""
#define R5 "\"level\": \"raid5\""
#define R10 "\"level\": \"raid10\""

static void each_array_has_its_own_answer(void **state UNUSED)
{
    struct answers *both =
        answers_of(GROUPS_ON(NATIVE, SHORT,
                             GROUP("disks", DRIVES("fujitsu-mba3073rc", "4"), R10, RANDOM("0", "4"),
                                   "") "," GROUP("flash", SSDS("8"), R5, RANDOM("100", "16"), "")));
    const struct lab_outcome *disks = &both->of[0].answer.outcome;
    const struct lab_outcome *flash = &both->of[1].answer.outcome;

    assert_int_equal(both->count, 2);
    assert_int_equal(disks->drive_count, 4);
    assert_int_equal(flash->drive_count, 8);
    assert_int_equal(disks->duration_us, flash->duration_us);
    assert_true(disks->reads > 0 && disks->writes == 0);
    assert_true(flash->writes == 2000 && flash->reads == 0);
    assert_true(flash->operations > 4 * disks->operations);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(disks->drives[i].writes, 0);
        assert_true(disks->drives[i].reads > 0);
    }
    assert_int_equal(both->of[0].state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    answers_free(both);
}

/* A group alone is what the same scenario of one array is. */
static void a_group_alone_is_an_array(void **state UNUSED)
{
    struct answers *group =
        answers_of(GROUPS_ON(NATIVE, SHORT, GROUP("one", SSDS("8"), R5, RANDOM("30", "8"), "")));
    struct lab_answer array =
        answer_of("{\"name\": \"x\", \"controller\": " NATIVE ", \"limits\": " SHORT
                  ", \"drives\": " SSDS("8") ", \"array\": {" R5
                                             "}, \"workloads\": [" RANDOM("30", "8") "]}");

    assert_memory_equal(&group->of[0].answer.outcome, &array.outcome, sizeof(array.outcome));
    assert_int_equal(group->of[0].answer.size_bytes, array.size_bytes);
    answers_free(group);
}

static double rates(const char *content, double *ret_second)
{
    struct answers *answers = answers_of(content);
    double first = answers->of[0].answer.outcome.bytes_per_s / 1e6;

    *ret_second = answers->of[1].answer.outcome.bytes_per_s / 1e6;
    answers_free(answers);
    return first;
}

/* Bus, engine and expander carry what both want. */
static void arrays_share_their_controller(void **state UNUSED)
{
#define PAIR(controller)                                                                           \
    GROUPS_ON(controller, SHORT,                                                                   \
              GROUP("a", SSDS("4"), R0, STREAM, "") "," GROUP("b", SSDS("4"), R0, STREAM, ""))
    double other = 0;
    double one = rates(PAIR(NATIVE), &other);

    assert_true(one > 800 && other > 800);
    one = rates(PAIR("{\"profile\": \"native\", \"ceilings\": {\"bus_bytes_per_s\": 533000000}}"),
                &other);
    assert_true(one + other > 520 && one + other < 540);
    one = rates(PAIR("{\"profile\": \"native\", \"expander_bytes_per_s\": 600000000}"), &other);
    assert_true(one + other > 580 && one + other < 605);
}

/* One writes until the cache is full; then the other has to wait for room as well. */
static void arrays_share_their_cache(void **state UNUSED)
{
#define CACHED "{\"profile\": \"native\", \"cache_bytes\": 16777216}"
#define BACK ", \"write_policy\": \"write_back\""
#define QUIET GROUP("quiet", DRIVES("wd-wd740gd", "4"), R10 BACK, RANDOM("100", "1"), "")
    static const char limits[] =
        "{\"operations\": 20000, \"warmup_operations\": 0, \"seconds\": 5}";
    char alone[2048];
    char beside[2048];
    struct answers *one = NULL;
    struct answers *two = NULL;

    (void)snprintf(alone, sizeof(alone),
                   "{\"name\": \"x\", \"controller\": " CACHED
                   ", \"limits\": %s, \"groups\": [" QUIET "]}",
                   limits);
    (void)snprintf(
        beside, sizeof(beside),
        "{\"name\": \"x\", \"controller\": " CACHED ", \"limits\": %s, \"groups\": [" QUIET
        "," GROUP("loud", DRIVES("wd-wd740gd", "4"), R5 BACK, RANDOM("100", "64"), "") "]}",
        limits);
    one = answers_of(alone);
    two = answers_of(beside);
    assert_true(two->of[0].answer.outcome.operations_per_s <
                0.8 * one->of[0].answer.outcome.operations_per_s);
    assert_true(two->of[0].answer.dirty_bytes < one->of[0].answer.dirty_bytes);
    assert_true(two->of[0].answer.dirty_bytes + two->of[1].answer.dirty_bytes <= 16777216);
    assert_true(two->of[1].answer.dirty_bytes > 0);
    answers_free(one);
    answers_free(two);
}

#define ALONE_ON(controller, limits, groups)                                                       \
    "{\"name\": \"x\", \"alone\": true, \"controller\": " controller ", \"limits\": " limits       \
    ", \"groups\": [" groups "]}"

/* What is shared is missing together, and had alone; what nobody wants is had both times. */
static void each_is_run_alone_as_well(void **state UNUSED)
{
    static const char *const shared =
        ALONE_ON("{\"profile\": \"native\", \"expander_bytes_per_s\": 600000000}", SHORT,
                 GROUP("a", SSDS("4"), R0, STREAM, "") "," GROUP("b", SSDS("4"), R0, STREAM, ""));
    static const char *const plenty =
        ALONE_ON(NATIVE, SHORT,
                 GROUP("a", SSDS("4"), R0, STREAM, "") "," GROUP("b", SSDS("4"), R0, STREAM, ""));
    struct answers *answers = answers_of(shared);

    assert_int_equal(told_done, 3);
    assert_int_equal(told_count, 3);
    for (uint32_t i = 0; i < 2; i++) {
        const struct lab_outcome *together = &answers->of[i].answer.outcome;
        const struct lab_outcome *alone = &answers->alone[i].answer.outcome;

        assert_int_equal(answers->alone[i].answer.error, 0);
        assert_true(alone->bytes_per_s > 580e6 && alone->bytes_per_s < 605e6);
        assert_true(together->bytes_per_s < 0.6 * alone->bytes_per_s);
        assert_true(alone->duration_us <= together->duration_us);
    }
    answers_free(answers);
    answers = answers_of(plenty);
    for (uint32_t i = 0; i < 2; i++) {
        double kept = answers->of[i].answer.outcome.bytes_per_s /
                      answers->alone[i].answer.outcome.bytes_per_s;

        assert_true(kept > 0.97 && kept < 1.03);
    }
    answers_free(answers);
}

/* Alone, a group of slow drives could have all of its operations; it has the time of both. The
 * fault comes after that time, so it comes to neither. */
static void alone_it_is_measured_for_no_longer(void **state UNUSED)
{
    struct answers *answers = answers_of(
        ALONE_ON(NATIVE, SHORT,
                 GROUP("disks", DRIVES("fujitsu-mba3073rc", "4"), R10, RANDOM("0", "4"),
                       ", \"faults\": [{\"kind\": \"fails\", \"member\": 0, \"after_ms\": "
                       "2000}]") "," GROUP("flash", SSDS("8"), R0, RANDOM("0", "16"), "")));
    const struct lab_group_answer *disks = &answers->alone[0];

    assert_true(answers->of[0].answer.outcome.duration_us < 1000000);
    assert_true(disks->answer.outcome.operations < 2000);
    assert_int_equal(disks->answer.outcome.duration_us, answers->of[0].answer.outcome.duration_us);
    assert_int_equal(disks->state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    answers_free(answers);
}

static void alone_it_has_the_same_faults(void **state UNUSED)
{
    struct answers *answers = answers_of(
        ALONE_ON(NATIVE, SHORT,
                 GROUP("hit", SSDS("4"), R5, RANDOM("50", "8"),
                       ", \"faults\": [{\"kind\": \"fails\", \"member\": 2, "
                       "\"after_ms\": 5}]") "," GROUP("rebuilt", SSDS("4"), R5, RANDOM("0", "8"),
                                                      ", \"rebuild\": {\"member\": 3, "
                                                      "\"rate_percent\": 40}")));

    assert_int_equal(answers->alone[0].state, VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(answers->alone[1].rebuild_state, OPERATION_STATE_RUNNING);
    assert_true(answers->alone[1].rebuilt_bytes > 0);
    assert_non_null(strstr(answers->document, "\"alone\": {\"state\": \"degraded\""));
    answers_free(answers);
}

static void a_drive_that_fails_degrades_its_array_only(void **state UNUSED)
{
    struct answers *answers = answers_of(GROUPS_ON(
        NATIVE, SHORT,
        GROUP("hit", SSDS("4"), R5, RANDOM("50", "8"),
              ", \"faults\": [{\"kind\": \"fails\", \"member\": 2, "
              "\"after_ms\": 5}]") "," GROUP("well", SSDS("4"), R5, RANDOM("50", "8"), "")));
    const struct lab_outcome *hit = &answers->of[0].answer.outcome;

    assert_int_equal(answers->of[0].state, VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(answers->of[1].state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    assert_int_equal(hit->failed, 0);
    assert_true(hit->drives[2].reads > 0); /* before */
    assert_true(hit->drives[2].reads < hit->drives[0].reads / 2);
    answers_free(answers);
}

static void an_array_that_does_not_survive_says_so(void **state UNUSED)
{
    struct answers *answers = answers_of(GROUPS_ON(
        NATIVE, "{\"operations\": 2000, \"warmup_operations\": 0, \"seconds\": 20}",
        GROUP("gone", SSDS("4"), R0, RANDOM("50", "8"),
              ", \"faults\": [{\"kind\": \"fails\", \"member\": 0, "
              "\"after_ms\": 1}]") "," GROUP("disks", DRIVES("fujitsu-mba3073rc", "2"),
                                             "\"level\": \"raid1\"", RANDOM("0", "1"), "")));

    assert_int_equal(answers->of[0].state, VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_true(answers->of[0].answer.outcome.failed > 0);
    assert_int_equal(answers->of[1].answer.outcome.failed, 0);
    assert_true(answers->of[1].answer.outcome.operations > 0);
    answers_free(answers);
}

static void a_slow_drive_slows_what_it_has(void **state UNUSED)
{
    struct answers *answers = answers_of(
        GROUPS_ON(NATIVE, SHORT,
                  GROUP("slow", SSDS("4"), R0, RANDOM("0", "4"),
                        ", \"faults\": [{\"kind\": \"slow\", \"member\": 1, \"latency_ms\": "
                        "40}]") "," GROUP("well", SSDS("4"), R0, RANDOM("0", "4"), "")));

    assert_true(answers->of[0].answer.outcome.read.p90_us >= 40000);
    assert_true(answers->of[0].answer.outcome.read.p50_us < 1000);
    assert_true(answers->of[1].answer.outcome.read.max_us < 5000);
    answers_free(answers);
}

/* Read over by a load, they are put right out of the rest; without a rest they are errors. */
static void latent_errors_are_repaired_where_there_is_redundancy(void **state UNUSED)
{
#define LATENT                                                                                     \
    ", \"faults\": [{\"kind\": \"latent_errors\", \"member\": 1, \"offset_bytes\": 2097152,"       \
    " \"length_bytes\": 131072}]"
    struct answers *answers = answers_of(GROUPS_ON(
        NATIVE, "{\"operations\": 20000, \"warmup_operations\": 0}",
        GROUP("r5", SSDS("4"), R5, STREAM, LATENT) "," GROUP("r0", SSDS("4"), R0, STREAM, LATENT)));

    assert_int_equal(answers->of[0].latent_bytes, 0);
    assert_int_equal(answers->of[0].answer.outcome.failed, 0);
    assert_true(answers->of[0].answer.outcome.drives[1].writes > 0);
    assert_int_equal(answers->of[1].latent_bytes, 131072);
    assert_true(answers->of[1].answer.outcome.failed > 0);
    answers_free(answers);
}

static double rebuilt_per_us(const struct lab_group_answer *answer)
{
    return (double)answer->rebuilt_bytes / (double)answer->answer.outcome.duration_us;
}

static void a_rebuild_runs_beside_the_load(void **state UNUSED)
{
#define REBUILT(rate)                                                                              \
    GROUPS_ON(NATIVE, "{\"operations\": 3000, \"warmup_operations\": 0}",                          \
              GROUP("r5", SSDS("4"), R5, RANDOM("0", "8"),                                         \
                    ", \"rebuild\": {\"member\": 3, \"rate_percent\": " rate "}"))
    struct answers *gentle = answers_of(REBUILT("5"));
    struct answers *hard = answers_of(REBUILT("90"));

    assert_int_equal(gentle->of[0].rebuild_state, OPERATION_STATE_RUNNING);
    assert_int_equal(gentle->of[0].state, VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_true(gentle->of[0].rebuilt_bytes > 0);
    assert_true(rebuilt_per_us(&hard->of[0]) > 2 * rebuilt_per_us(&gentle->of[0]));
    assert_true(hard->of[0].answer.outcome.operations_per_s <
                gentle->of[0].answer.outcome.operations_per_s);
    answers_free(gentle);
    answers_free(hard);
}

/* All faults at once, twice: the same document to the last byte; another seed, another one. */
static void the_same_seed_gives_the_same_bytes(void **state UNUSED)
{
#define EVERYTHING(seed)                                                                           \
    "{\"name\": \"x\", \"alone\": true, \"seed\": " seed ", \"controller\": {\"profile\":"         \
    " \"lsi-megaraid-sas-9260-8i\"}, \"limits\": " SHORT                                           \
    ", \"groups\": [" GROUP("a", DRIVES("fujitsu-mba3073rc", "4"), R10 BACK, RANDOM("60", "8"),    \
                            ", \"faults\": [{\"kind\": \"fails\", \"member\": 0, \"after_ms\": "   \
                            "100}]") "," GROUP("b", SSDS("4"), R5, RANDOM("30", "8"),              \
                                               ", \"rebuild\": {\"member\": 1}, \"faults\": "      \
                                               "[{\"kind\": \"slow\", \"member\": 2,"              \
                                               " \"latency_ms\": 3}, {\"kind\": "                  \
                                               "\"latent_errors\", \"member\": 0,"                 \
                                               " \"offset_bytes\": 1048576, \"length_bytes\": "    \
                                               "65536}]") "]}"
    struct answers *one = answers_of(EVERYTHING("7"));
    struct answers *two = answers_of(EVERYTHING("7"));
    struct answers *other = answers_of(EVERYTHING("8"));

    assert_string_equal(one->document, two->document);
    assert_memory_equal(one->of, two->of, sizeof(one->of));
    assert_memory_equal(one->alone, two->alone, sizeof(one->alone));
    assert_string_not_equal(one->document, other->document);
    answers_free(one);
    answers_free(two);
    answers_free(other);
}

static void what_cannot_be_is_refused_with_a_sentence(void **state UNUSED)
{
#define ONE(drives, array, load, more)                                                             \
    GROUPS_ON(NATIVE, SHORT, GROUP("g", drives, array, load, more))
#define FAULT(fault) ONE(SSDS("4"), R5, RANDOM("0", "1"), ", \"faults\": [" fault "]")
    static const struct {
        const char *content, *message;
    } cases[] = {
        {GROUPS_ON(NATIVE, SHORT, ""), "groups must be a list of 1 to 8"},
        {"{\"name\": \"x\", \"drives\": " SSDS("4") ", \"groups\": [" GROUP(
             "g", SSDS("4"), R5, RANDOM("0", "1"), "") "]}",
         "each of them has its drives"},
        {"{\"name\": \"x\", \"sweep\": {}, \"groups\": [" GROUP("g", SSDS("4"), R5,
                                                                RANDOM("0", "1"), "") "]}",
         "or sweep"},
        {"{\"name\": \"x\", \"alone\": true, \"drives\": " SSDS(
             "4") ", \"array\": {" R5 "}, \"workloads\": [" RANDOM("0", "1") "]}",
         "alone"},
        {"{\"name\": \"x\", \"alone\": 1, \"groups\": [" GROUP("g", SSDS("4"), R5, RANDOM("0", "1"),
                                                               "") "]}",
         "alone"},
        {ONE(SSDS("4"), R5, "{\"profile\": \"w01-database\", \"depths\": [4]}", ""),
         "group g: workload w01-database has 11 write_percents: name one of them"},
        {ONE(SSDS("2"), R5, RANDOM("0", "1"), ""), "RAID5"},
        {GROUPS_ON(NATIVE, SHORT,
                   GROUP("g", SSDS("4"), R5, RANDOM("0", "1"), "") "," GROUP("g", SSDS("4"), R5,
                                                                             RANDOM("0", "1"), "")),
         "two groups have the name g"},
        {GROUPS_ON("{\"profile\": \"lsi-megaraid-sas-9260-8i\"}", SHORT,
                   GROUP("g", SSDS("5"), R5, RANDOM("0", "1"), "") "," GROUP("h", SSDS("4"), R5,
                                                                             RANDOM("0", "1"), "")),
         "has 8 ports, the groups have 9 drives"},
        {GROUPS_ON(NATIVE, SHORT,
                   GROUP("g", SSDS("32"), R0, RANDOM("0", "1"),
                         "") "," GROUP("h", SSDS("32"), R0, RANDOM("0", "1"),
                                       "") "," GROUP("i", SSDS("1"), R0, RANDOM("0", "1"), "")),
         "65 drives are too many: at most 64"},
        {GROUPS_ON("{\"profile\": \"native\", \"count\": 2}", SHORT,
                   GROUP("g", SSDS("4"), R5, RANDOM("0", "1"), "")),
         "count must be 1"},
        {GROUPS_ON("{\"profile\": \"3ware-9500s-8\", \"quirks\": [\"write-through-mirror-reads\"]}",
                   SHORT, GROUP("g", SSDS("4"), R5, RANDOM("0", "1"), "")),
         "quirks are for a scenario of one array"},
        {ONE(SSDS("4"), R5 BACK, RANDOM("0", "1"), ""), "without a cache there is no write-back"},
        {FAULT("{\"kind\": \"melts\", \"member\": 0}"), "kind must be \"slow\""},
        {FAULT("{\"member\": 0}"), "groups[0].faults[0].kind is missing"},
        {FAULT("{\"kind\": \"slow\", \"member\": 0, \"after_ms\": 1}"), "after_ms"},
        {FAULT("{\"kind\": \"fails\", \"member\": 4, \"after_ms\": 1}"),
         "group g: no drive is there as member 4 (fault: fails)"},
        {FAULT("{\"kind\": \"latent_errors\", \"member\": 0, \"offset_bytes\": 1,"
               " \"length_bytes\": 512}"),
         "whole blocks of 512 bytes"},
        {FAULT("{\"kind\": \"latent_errors\", \"member\": 0, \"offset_bytes\": 64000000000,"
               " \"length_bytes\": 512}"),
         "lie behind its end"},
        {ONE("{\"profile\": \"intel-x25-e\", \"count\": 4, \"failed\": [1]}", R5, RANDOM("0", "1"),
             ", \"faults\": [{\"kind\": \"slow\", \"member\": 1, \"latency_ms\": 5}]"),
         "no drive is there as member 1"},
        {ONE("{\"profile\": \"intel-x25-e\", \"count\": 4, \"failed\": [1]}", R5, RANDOM("0", "1"),
             ", \"rebuild\": {\"member\": 0}"),
         "with member 0 lost nothing is left to rebuild it from"},
        {ONE(SSDS("4"), R0, RANDOM("0", "1"), ", \"rebuild\": {\"member\": 0}"),
         "nothing is left to rebuild it from"},
        {ONE(SSDS("4"), R5, RANDOM("0", "1"), ", \"rebuild\": {\"member\": 4}"),
         "no drive is there as member 4, to be rebuilt"},
        {ONE(SSDS("4"), R5, RANDOM("0", "1"), ", \"color\": 1"), "color"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lab_scenario *scenario = NULL;

        scenario_write(cases[i].content);
        text[0] = '\0';
        if (lab_scenario_read(scenario_path, PROFILES, &scenario, text) == 0) {
            fail_msg("case %zu was taken: %s", i, cases[i].message);
        }
        if (strstr(text, cases[i].message) == NULL) {
            fail_msg("expected \"%s\" in \"%s\"", cases[i].message, text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_array_has_its_own_answer),
        cmocka_unit_test(a_group_alone_is_an_array),
        cmocka_unit_test(arrays_share_their_controller),
        cmocka_unit_test(arrays_share_their_cache),
        cmocka_unit_test(each_is_run_alone_as_well),
        cmocka_unit_test(alone_it_is_measured_for_no_longer),
        cmocka_unit_test(alone_it_has_the_same_faults),
        cmocka_unit_test(a_drive_that_fails_degrades_its_array_only),
        cmocka_unit_test(an_array_that_does_not_survive_says_so),
        cmocka_unit_test(a_slow_drive_slows_what_it_has),
        cmocka_unit_test(latent_errors_are_repaired_where_there_is_redundancy),
        cmocka_unit_test(a_rebuild_runs_beside_the_load),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(what_cannot_be_is_refused_with_a_sentence),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("groups", tests, scenario_file_make, scenario_file_remove);
}
