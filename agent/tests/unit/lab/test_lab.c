/*
 * The lab: that a prediction is the same every time, and that ceilings
 * hold.
 */
#include "aw_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab_profiles.h"
#include "lab/lab_survival.h"
#include "lab_world.h"

static char text[PROFILE_TEXT_BYTES];

#define SCENARIO(controller, array, load)                                                          \
    "{\"name\": \"x\", \"controller\": " controller ", \"drives\": {\"profile\":"                  \
    " \"intel-x25-e\", \"count\": 8}, \"array\": " array ", \"limits\": {\"operations\": 3000},"   \
    " \"workloads\": [" load "]}"
#define READS "{\"profile\": \"w13-streaming-read\"}"
#define WRITES "{\"profile\": \"w13-streaming-write\"}"

static double rate(const char *content)
{
    struct lab_answer answer = answer_of(content);

    return answer.outcome.bytes_per_s / 1e6;
}

static void expect_between(double value, double least, double most)
{
    if (value < least || value > most) {
        fail_msg("%g is not between %g and %g", value, least, most);
    }
}

static void ceilings_hold(void **state UNUSED)
{
    expect_between(rate(SCENARIO("{\"profile\": \"native\"}", "{\"level\": \"raid0\"}", READS)),
                   1725, 1765);
    expect_between(rate(SCENARIO("{\"profile\": \"native\", \"ceilings\": {\"bus_bytes_per_s\":"
                                 " 533000000}}",
                                 "{\"level\": \"raid0\"}", READS)),
                   520, 535);
    expect_between(rate(SCENARIO("{\"profile\": \"native\", \"ceilings\": {\"read_bytes_per_s\":"
                                 " 700000000}}",
                                 "{\"level\": \"raid0\"}", READS)),
                   680, 702);
    expect_between(rate(SCENARIO("{\"profile\": \"native\", \"ceilings\": {\"link_bytes_per_s\":"
                                 " 100000000}}",
                                 "{\"level\": \"raid0\"}", READS)),
                   780, 802);
    expect_between(rate(SCENARIO("{\"profile\": \"native\", \"expander_bytes_per_s\": 600000000}",
                                 "{\"level\": \"raid0\"}", READS)),
                   585, 602);
    expect_between(rate(SCENARIO("{\"profile\": \"native\", \"ceilings\": {\"xor_bytes_per_s\":"
                                 " 100000000}}",
                                 "{\"level\": \"raid5\"}", WRITES)),
                   95, 101);
    expect_between(rate(SCENARIO("{\"profile\": \"native\", \"ceilings\": {\"xor_bytes_per_s\":"
                                 " 100000000}}",
                                 "{\"level\": \"raid0\"}", WRITES)),
                   1500, 1900); /* nothing to compute */
}

/* The profile's, of one reader and of one writer: two at a time have twice. */
static double disks_rate(const char *ceilings, uint32_t depth)
{
    char content[1024];

    (void)snprintf(
        content, sizeof(content),
        "{\"name\": \"x\", \"controller\": {\"profile\": \"native\", \"ceilings\": {%s}},"
        " \"drives\": {\"profile\": \"fujitsu-mba3073rc\", \"count\": 16},"
        " \"array\": {\"level\": \"raid0\"}, \"limits\": {\"operations\": 4000},"
        " \"workloads\": [{\"profile\": \"w01-database\", \"write_percents\": [0],"
        " \"depths\": [%u]}]}",
        ceilings, depth);
    return answer_of(content).outcome.operations_per_s;
}

/* What is under way grows with the drives: 32 for each of them here, where 4 were let through. */
static void deep_queues_reach_every_drive(void **state UNUSED)
{
    double shallow = disks_rate("", 64);
    double deep = disks_rate("", 512);

    assert_true(deep >= 1.6 * shallow);
    /* A controller that gives a drive no more than four commands makes nothing of the rest. */
    assert_true(disks_rate("\"commands_per_drive\": 4", 512) <= 1.2 * shallow);
}

static double mixed_rate(const char *write_policy)
{
    char content[1024];

    (void)snprintf(content, sizeof(content),
                   "{\"name\": \"x\", \"controller\": {\"profile\": \"native\", \"cache_bytes\":"
                   " 134217728}, \"drives\": {\"profile\": \"fujitsu-mba3073rc\", \"count\": 4},"
                   " \"array\": {\"level\": \"raid0\", \"write_policy\": \"%s\"},"
                   " \"limits\": {\"operations\": 6000}, \"workloads\": [{\"profile\":"
                   " \"w01-database\", \"write_percents\": [10], \"depths\": [256]}]}",
                   write_policy);
    return answer_of(content).outcome.operations_per_s;
}

/* What passes the cache is no fewer at one time than without it. */
static void a_cache_lets_deep_queues_through(void **state UNUSED)
{
    assert_true(mixed_rate("write_back") >= 0.97 * mixed_rate("write_through"));
}

static void ceilings_of_streams_hold(void **state UNUSED)
{
#define STREAM(name, depth)                                                                        \
    SCENARIO("{\"profile\": \"lsi-megaraid-sas-9260-8i\", \"cache_bytes\": 0}",                    \
             "{\"level\": \"raid0\"}",                                                             \
             "{\"profile\": \"w13-streaming-" name "\", \"depths\": [" depth "]}")
    expect_between(rate(STREAM("read", "1")), 390, 401);
    expect_between(rate(STREAM("write", "1")), 390, 401);
    expect_between(rate(STREAM("write", "2")), 780, 801);
}

static struct lab_answer answer_through_host(uint32_t request_us, uint32_t depth)
{
    char content[1024];

    (void)snprintf(content, sizeof(content),
                   "{\"name\": \"x\", \"host\": {\"request_us\": %u}, \"drives\": {\"profile\":"
                   " \"intel-x25-e\", \"count\": 2}, \"array\": {\"level\": \"raid1\"},"
                   " \"limits\": {\"operations\": 3000}, \"workloads\": [{\"name\": \"w\","
                   " \"pattern\": \"random\", \"mixes\": [[{\"bytes\": 4096, \"percent\": 100}]],"
                   " \"depths\": [%u]}]}",
                   request_us, depth);
    return answer_of(content);
}

/* It counts where one waits for the other, and not where the drives have enough to do. */
static void a_way_through_the_host_is_added(void **state UNUSED)
{
    struct lab_answer none = answer_through_host(0, 1);
    struct lab_answer some = answer_through_host(20, 1);
    struct lab_answer busy = answer_through_host(0, 128);
    struct lab_answer busy_too = answer_through_host(20, 128);

    expect_between(some.outcome.read.mean_us - none.outcome.read.mean_us, 19.9, 20.1);
    expect_between(some.outcome.read.mean_us * some.outcome.operations_per_s, 0.999e6, 1.001e6);
    expect_between(busy_too.outcome.bytes_per_s / busy.outcome.bytes_per_s, 0.99, 1.001);
}

static void a_host_stripe_adds_up_controllers(void **state UNUSED)
{
    struct lab_answer answer = answer_of(SCENARIO(
        "{\"profile\": \"adaptec-raid-5805\", \"count\": 2, \"cache_bytes\": 0}",
        "{\"level\": \"raid0\"}", "{\"profile\": \"w13-streaming-read\", \"depths\": [16]}"));

    assert_int_equal(answer.outcome.drive_count, 16);
    expect_between(answer.outcome.bytes_per_s / 1e6, 2150, 2260); /* two engines of 1,125 */
    assert_true(answer.size_bytes > UINT64_C(1000000000000));
    for (uint32_t i = 0; i < 16; i++) {
        assert_true(answer.outcome.drives[i].reads > 0);
    }
}

static void write_back_answers_from_the_cache(void **state UNUSED)
{
    struct lab_answer answer = answer_of(
        SCENARIO("{\"profile\": \"native\", \"cache_bytes\": 67108864}",
                 "{\"level\": \"raid5\", \"write_policy\": \"write_back\"}",
                 "{\"profile\": \"w01-database\", \"write_percents\": [100], \"depths\": [1]}"));

    assert_true(answer.outcome.write.p50_us <= 1);
    assert_true(answer.dirty_bytes > 0);
}

static double destaged_per_s(uint32_t drives)
{
    char content[1024];

    (void)snprintf(content, sizeof(content),
                   "{\"name\": \"destage\", \"controller\": {\"profile\": \"native\","
                   " \"cache_bytes\": 16777216}, \"drives\": {\"profile\": \"fujitsu-mba3073rc\","
                   " \"count\": %u}, \"array\": {\"level\": \"raid5\", \"write_policy\":"
                   " \"write_back\"}, \"limits\": {\"operations\": 4000, \"warmup_operations\":"
                   " 4000}, \"workloads\": [{\"profile\": \"w01-database\", \"write_percents\":"
                   " [100], \"depths\": [4]}]}",
                   drives);
    return answer_of(content).outcome.operations_per_s;
}

static void more_drives_take_more_out_of_the_cache(void **state UNUSED)
{
    double four = destaged_per_s(4);
    double eight = destaged_per_s(8);

    assert_true(eight > 1.7 * four);
}

static double mixed_per_s(uint32_t fill_operations, uint32_t write_percent)
{
    char content[1024];

    (void)snprintf(content, sizeof(content),
                   "{\"name\": \"fill\", \"controller\": {\"profile\": \"native\","
                   " \"cache_bytes\": 16777216}, \"drives\": {\"profile\": \"fujitsu-mba3073rc\","
                   " \"count\": 4}, \"array\": {\"level\": \"raid10\", \"write_policy\":"
                   " \"write_back\"}, \"limits\": {\"operations\": 500, \"warmup_operations\":"
                   " 500, \"fill_operations\": %u}, \"workloads\": [{\"profile\":"
                   " \"w01-database\", \"write_percents\": [%u], \"depths\": [16]}]}",
                   fill_operations, write_percent);
    return answer_of(content).outcome.operations_per_s;
}

/* Few requests do not fill it: what is measured then is the memory, not the drives. */
static void a_cache_is_filled_before_writes_are_measured(void **state UNUSED)
{
    assert_true(mixed_per_s(6000, 90) < 0.5 * mixed_per_s(0, 90));
    assert_true(mixed_per_s(6000, 0) == mixed_per_s(0, 0)); /* reads fill nothing */
}

static void the_same_scenario_gives_the_same_answer(void **state UNUSED)
{
    static const char content[] =
        SCENARIO("{\"profile\": \"lsi-megaraid-sas-9260-8i\", \"cache_bytes\": 16777216}",
                 "{\"level\": \"raid6\", \"write_policy\": \"write_back\"}",
                 "{\"profile\": \"w06-file-server\", \"depths\": [16]}");
    struct lab_answer one = answer_of(content);
    struct lab_answer two = answer_of(content);

    assert_memory_equal(&one.outcome, &two.outcome, sizeof(one.outcome));
}

/* In other processes, several at a time: in order, and the same. */
static void points_run_side_by_side(void **state UNUSED)
{
    struct lab_scenario *scenario = NULL;
    struct lab_point *points = NULL;
    struct lab_place *places = NULL;
    struct lab_answer *answers = NULL;
    struct lab_answer alone;
    json_t *doc = NULL;

    scenario_write(SCENARIO("{\"profile\": \"native\"}", "{\"level\": \"raid10\"}",
                            "{\"profile\": \"w06-file-server\", \"depths\": [1, 4, 16, 64]}"));
    assert_int_equal(lab_scenario_read(scenario_path, PROFILES, &scenario, text), 0);
    assert_int_equal(scenario->point_count, 4);
    points = calloc(4, sizeof(*points));
    places = calloc(4, sizeof(*places));
    answers = calloc(4, sizeof(*answers));
    lab_scenario_points(scenario, points, places);
    assert_int_equal(lab_points_run(points, 4, 3, NULL, answers), 0);
    for (uint32_t i = 1; i < 4; i++) {
        assert_true(answers[i].outcome.operations_per_s > answers[i - 1].outcome.operations_per_s);
    }
    lab_point_run(&points[2], true, &alone);
    assert_memory_equal(&alone.outcome, &answers[2].outcome, sizeof(alone.outcome));
    doc = lab_result_doc(scenario, places, answers);
    assert_int_equal(json_array_size(json_object_get(
                         json_array_get(json_object_get(doc, "arrays"), 0), "points")),
                     4);
    json_decref(doc);
    free(points);
    free(places);
    free(answers);
    free(scenario);
}

#define SSDS(count) "{\"profile\": \"intel-x25-e\", \"count\": " count "}"

static double read_ms(const char *level, const char *quirks)
{
    char content[1024];
    struct lab_answer answer;

    (void)snprintf(content, sizeof(content),
                   "{\"name\": \"x\", \"controller\": {\"profile\": \"3ware-9500s-8\","
                   " \"quirks\": [%s]}, \"drives\": {\"profile\": \"intel-x25-e\", \"count\": 2},"
                   " \"array\": {\"level\": \"%s\"}, \"limits\": {\"operations\": 500},"
                   " \"workloads\": [{\"profile\": \"w01-database\", \"write_percents\": [0],"
                   " \"depths\": [1]}]}",
                   quirks, level);
    answer = answer_of(content);
    return answer.outcome.read.mean_us / 1000;
}

/* Off unless asked for, and only where it applies. */
static void a_quirk_is_had_by_name_only(void **state UNUSED)
{
    double usual = read_ms("raid1", "");

    expect_between(usual, 0.05, 0.5);
    expect_between(read_ms("raid1", "\"twinstor-idle\""), usual + 1.9, usual + 2.1);
    expect_between(read_ms("raid0", "\"twinstor-idle\""), 0.05, 0.5);
    expect_between(read_ms("raid1", "\"read-ahead-conflict\""), usual, usual);
}

static double after_ms(const char *before, const char *quirks)
{
    char content[1400];
    struct lab_answer answer;

    (void)snprintf(content, sizeof(content),
                   "{\"name\": \"x\", \"controller\": {\"profile\": \"lsi-megaraid-sas-9260-8i\","
                   " \"cache_bytes\": 16777216, \"quirks\": [%s]}, \"drives\": {\"profile\":"
                   " \"intel-x25-e\", \"count\": 4}, \"array\": {\"level\": \"raid5\","
                   " \"write_policy\": \"write_back\"}, \"limits\": {\"operations\": 500,"
                   " \"warmup_operations\": 100}%s, \"workloads\": [{\"profile\":"
                   " \"w02-sequential-write\", \"mixes\": [[{\"bytes\": 262144, \"percent\":"
                   " 100}]]}]}",
                   quirks, before);
    answer = answer_of(content);
    return answer.outcome.write.mean_us / 1000;
}

#define BEFORE(more)                                                                               \
    ", \"before\": {\"workload\": {\"profile\": \"w01-database\"}, \"operations\": 2000" more "}"

static void what_went_before_is_remembered(void **state UNUSED)
{
    double usual = after_ms("", "");

    expect_between(after_ms(BEFORE(", \"pause_s\": 60"), ""), usual * 0.95, usual * 1.05);
    expect_between(after_ms("", "\"adaptive-cache-lag\""), usual * 0.95, usual * 1.05);
    assert_true(after_ms(BEFORE(", \"pause_s\": 60"), "\"adaptive-cache-lag\"") > usual * 1.5);
    expect_between(after_ms(BEFORE(", \"pause_s\": 60, \"recreate\": true"), ""), usual * 0.95,
                   usual * 1.05);
    assert_true(after_ms(BEFORE(", \"recreate\": true"), "\"stale-after-delete\"") > usual * 1.5);
    expect_between(after_ms("", "\"stale-after-delete\""), usual * 0.95, usual * 1.05);
}

/* In a sweep such an array is part of the answer. */
static void a_sweep_tells_what_the_model_refuses(void **state UNUSED)
{
    struct lab_scenario *scenario = NULL;

    scenario_write("{\"name\": \"x\", \"controller\": {\"profile\": \"3ware-9690sa-8i\","
                   " \"cache_bytes\": 16777216}, \"drives\": {\"profile\": \"intel-x25-e\","
                   " \"count\": 4}, \"array\": {\"level\": \"raid5\"}, \"sweep\": {\"levels\":"
                   " [\"raid5\", \"raid6\", \"raid10\"], \"drive_counts\": [4, 8]},"
                   " \"workloads\": [" READS "]}");
    assert_int_equal(lab_scenario_read(scenario_path, PROFILES, &scenario, text), 0);
    assert_true(scenario->is_sweep);
    assert_int_equal(scenario->variant_count, 6);
    assert_int_equal(scenario->point_count, 5);
    assert_int_equal(scenario->variants[2].level, RAID_LEVEL_6);
    assert_int_equal(scenario->variants[2].drive_count, 4);
    assert_string_equal(scenario->variant_texts[2],
                        "3ware 9690SA-8I takes RAID6 of at least 5 drives");
    free(scenario);
}

/* Which drives may fail: counted by the rule of the engine, written down here by hand. */
static void survival_of_each_level(void **state UNUSED)
{
    static const struct {
        enum raid_level level;
        uint32_t spans, width, singles, pairs_survived, pairs;
    } cases[] = {
        {RAID_LEVEL_0, 1, 8, 0, 0, 28},         {RAID_LEVEL_1, 1, 2, 2, 0, 1},
        {RAID_LEVEL_1, 1, 3, 3, 3, 3},          {RAID_LEVEL_5, 1, 8, 8, 0, 28},
        {RAID_LEVEL_6, 1, 8, 8, 28, 28},        {RAID_LEVEL_10, 4, 2, 8, 24, 28},
        {RAID_LEVEL_50, 2, 4, 8, 16, 28},       {RAID_LEVEL_60, 2, 4, 8, 28, 28},
        {RAID_LEVEL_1E, 1, 5, 5, 5, 10}, /* neighbors, going round, share a strip */
        {RAID_LEVEL_60, 2, 32, 64, 2016, 2016},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct geometry geometry = {.level = cases[i].level,
                                          .span_count = cases[i].spans,
                                          .members_per_span = cases[i].width,
                                          .strip_bytes = 65536,
                                          .block_bytes = 512,
                                          .extent_bytes = 65536};
        struct lab_survival survival;

        lab_survival_count(&geometry, &survival);
        assert_int_equal(survival.singles, cases[i].spans * cases[i].width);
        assert_int_equal(survival.singles_survived, cases[i].singles);
        assert_int_equal(survival.pairs, cases[i].pairs);
        assert_int_equal(survival.pairs_survived, cases[i].pairs_survived);
    }
}

static json_t *document_of(const char *content)
{
    struct lab_scenario *scenario = NULL;
    struct lab_point *points = NULL;
    struct lab_place *places = NULL;
    struct lab_answer *answers = NULL;
    json_t *doc = NULL;

    scenario_write(content);
    if (lab_scenario_read(scenario_path, PROFILES, &scenario, text) != 0) {
        fail_msg("%s", text);
    }
    points = calloc(scenario->point_count, sizeof(*points));
    places = calloc(scenario->point_count, sizeof(*places));
    answers = calloc(scenario->point_count, sizeof(*answers));
    lab_scenario_points(scenario, points, places);
    for (uint32_t i = 0; i < scenario->point_count; i++) {
        lab_point_run(&points[i], true, &answers[i]);
        assert_int_equal(answers[i].error, 0);
    }
    doc = lab_result_doc(scenario, places, answers);
    free(points);
    free(places);
    free(answers);
    free(scenario);
    return doc;
}

static double rebuild_seconds(const json_t *doc, size_t array)
{
    return json_number_value(json_object_get(
        json_object_get(json_array_get(json_object_get(doc, "arrays"), array), "rebuild"),
        "seconds"));
}

/* All of a drive at the rate of its zones, or of a small one really: the same within a tenth. */
static void a_rebuild_takes_as_long_as_the_drive_is_large(void **state UNUSED)
{
    json_t *doc = document_of(
        "{\"name\": \"x\", \"rebuild\": true, \"drives\": {\"profile\": \"fujitsu-mba3073rc\","
        " \"count\": 4}, \"array\": {\"level\": \"raid5\"}, \"limits\": {\"operations\": 10},"
        " \"workloads\": [" READS "], \"sweep\": {\"levels\": [\"raid0\", \"raid5\", \"raid6\"],"
        " \"failures\": [[], [2]]}}");
    json_t *small = document_of(
        "{\"name\": \"x\", \"rebuild\": true, \"drives\": {\"profile\": \"intel-x25-e\","
        " \"capacity_bytes\": 134217728, \"count\": 4}, \"array\": {\"level\": \"raid5\"},"
        " \"limits\": {\"operations\": 10}, \"workloads\": [" READS "]}");
    const json_t *refused = json_array_get(json_object_get(doc, "arrays"), 1);

    assert_int_equal(json_array_size(json_object_get(doc, "arrays")), 6);
    assert_true(json_is_null(
        json_object_get(json_array_get(json_object_get(doc, "arrays"), 0), "rebuild")));
    assert_string_equal(json_string_value(json_object_get(refused, "refused")),
                        "RAID0 of 4 drives does not survive this");
    assert_true(json_is_null(json_object_get(refused, "survival")));
    /* 73.5 GB at 98 to 125 MB/s. */
    expect_between(rebuild_seconds(doc, 2), 590, 760);
    expect_between(rebuild_seconds(doc, 3), 590, 760);
    expect_between(rebuild_seconds(doc, 5), 590, 760);
    /* 64 MiB of 128 at 220 MB/s. */
    expect_between(rebuild_seconds(small, 0), 0.25, 0.45);
    json_decref(doc);
    json_decref(small);
}

/* Seconds for 64 GB of a drive that could do 220 MB/s. */
static double rebuild_under(const char *level, const char *ceilings)
{
    char content[640];
    double seconds = 0;
    json_t *doc = NULL;

    (void)snprintf(content, sizeof(content),
                   "{\"name\": \"x\", \"rebuild\": true, \"drives\": {\"profile\": "
                   "\"intel-x25-e\", \"count\": 4}, \"array\": {\"level\": \"%s\"},"
                   " \"controller\": {\"profile\": \"native\", \"ceilings\": {%s}},"
                   " \"limits\": {\"operations\": 10}, \"workloads\": [" READS "]}",
                   level, ceilings);
    doc = document_of(content);
    seconds = rebuild_seconds(doc, 0);
    json_decref(doc);
    return seconds;
}

/* Three members are read for each that is written; the host's bus has no part in it. Never faster
 * than that, and up to 6 % slower: reads and writes wait for each other. */
static void a_rebuild_passes_the_controllers_engines(void **state UNUSED)
{
    double free_s = rebuild_under("raid5", "");

    expect_between(free_s, 290, 340);
    assert_true(rebuild_under("raid5", "\"bus_bytes_per_s\": 10000000") == free_s);
    expect_between(rebuild_under("raid5", "\"read_bytes_per_s\": 300000000"), 638, 680);
    expect_between(rebuild_under("raid5", "\"xor_bytes_per_s\": 150000000"), 1276, 1360);
    /* P is enough: of RAID 6 two are read. */
    expect_between(rebuild_under("raid6", "\"xor_bytes_per_s\": 150000000"), 851, 905);
    expect_between(rebuild_under("raid10", "\"xor_bytes_per_s\": 150000000"), 290, 340);
    expect_between(rebuild_under("raid10", "\"write_bytes_per_s\": 50000000"), 1276, 1360);
}

/* It is asked for once: nobody writes while it runs. */
static void a_rebuild_is_the_same_with_either_write_policy(void **state UNUSED)
{
    static const char content[] =
        "{\"name\": \"x\", \"rebuild\": true, \"drives\": {\"profile\": \"fujitsu-mba3073rc\","
        " \"count\": 4}, \"controller\": {\"profile\": \"native\", \"cache_bytes\": 16777216},"
        " \"array\": {\"level\": \"raid5\"}, \"limits\": {\"operations\": 10},"
        " \"workloads\": [" READS "], \"sweep\": {\"levels\": [\"raid5\", \"raid10\"],"
        " \"write_policies\": [\"write_through\", \"write_back\"]}}";
    struct lab_scenario *scenario = NULL;
    json_t *doc = document_of(content);

    assert_int_equal(json_array_size(json_object_get(doc, "arrays")), 4);
    for (size_t array = 0; array < 4; array++) {
        expect_between(rebuild_seconds(doc, array), 590, 760);
    }
    assert_true(rebuild_seconds(doc, 0) == rebuild_seconds(doc, 1));
    assert_true(rebuild_seconds(doc, 2) == rebuild_seconds(doc, 3));
    json_decref(doc);
    scenario_write(content);
    assert_int_equal(lab_scenario_read(scenario_path, PROFILES, &scenario, text), 0);
    assert_int_equal(scenario->point_count, 4 + 2);
    free(scenario);
}

#define BOTH_POLICIES(quirks)                                                                      \
    "{\"name\": \"x\", \"rebuild\": true, \"drives\": {\"profile\": \"wd-wd740gd\","               \
    " \"count\": 4}, \"controller\": {\"profile\": \"3ware-9500s-8\", \"cache_bytes\": "           \
    "16777216" quirks                                                                              \
    "}, \"array\": {\"level\": \"raid5\", \"read_policy\": \"adaptive_read_ahead\"},"              \
    " \"limits\": {\"operations\": 500, \"warmup_operations\": 500}, \"workloads\": ["             \
    "{\"profile\": \"w01-database\", \"write_percents\": [0, 10], \"depths\": [4]}, " READS        \
    "], \"sweep\": {\"levels\": [\"raid5\", \"raid10\"], \"write_policies\":"                      \
    " [\"write_through\", \"always_write_back\"]}}"

/* What only reads is asked for once, and would have been the same. */
static void reads_are_the_same_with_either_write_policy(void **state UNUSED)
{
    /* Each level: a read, a mixture, a stream, a rebuild; again without the rebuild. */
    static const uint32_t same_as[] = {0, 1, 2, 3, 0, 5, 2, 7, 8, 9, 10, 7, 12, 9};
    struct lab_scenario *scenario = NULL;
    struct lab_point points[14];
    struct lab_place places[14];
    struct lab_answer *answers = calloc(14, sizeof(*answers));
    struct lab_answer alone;

    assert_non_null(answers);
    scenario_write(BOTH_POLICIES(""));
    assert_int_equal(lab_scenario_read(scenario_path, PROFILES, &scenario, text), 0);
    assert_int_equal(scenario->point_count, 14);
    lab_scenario_points(scenario, points, places);
    assert_int_equal(lab_points_run(points, 14, 2, NULL, answers), 0);
    for (uint32_t i = 0; i < 14; i++) {
        assert_int_equal(points[i].same_as, same_as[i]);
        lab_point_run(&points[i], true, &alone);
        assert_memory_equal(&alone.outcome, &answers[i].outcome, sizeof(alone.outcome));
        assert_true(alone.rebuild.seconds == answers[i].rebuild.seconds);
        assert_true(alone.size_bytes == answers[i].size_bytes);
    }
    assert_true(answers[1].outcome.duration_us != answers[5].outcome.duration_us);
    free(scenario);
    scenario_write(BOTH_POLICIES(", \"quirks\": [\"twinstor-idle\"]"));
    assert_int_equal(lab_scenario_read(scenario_path, PROFILES, &scenario, text), 0);
    lab_scenario_points(scenario, points, places);
    for (uint32_t i = 0; i < 14; i++) {
        assert_int_equal(points[i].same_as, i);
    }
    free(scenario);
    free(answers);
}

/* A load may have counts of its own, 0 to warm up among them. */
static void a_load_has_its_own_limits(void **state UNUSED)
{
    static const char content[] = "{\"name\": \"x\", \"drives\": " SSDS(
        "4") ", \"array\": {\"level\": \"raid5\"},"
             " \"limits\": {\"operations\": 300, \"warmup_operations\": 200}, \"workloads\":"
             " [" READS ", {\"profile\": \"w13-streaming-read\", \"operations\": 40,"
             " \"warmup_operations\": 0}, {\"profile\": \"w13-streaming-read\","
             " \"warmup_operations\": 50}]}";
    static const uint64_t limits[][2] = {{300, 200}, {40, 0}, {300, 50}};
    struct lab_scenario *scenario = NULL;
    struct lab_point points[3];
    struct lab_place places[3];
    struct lab_answer answer;

    scenario_write(content);
    assert_int_equal(lab_scenario_read(scenario_path, PROFILES, &scenario, text), 0);
    assert_int_equal(scenario->point_count, 3);
    lab_scenario_points(scenario, points, places);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(points[i].load.operations, limits[i][0]);
        assert_int_equal(points[i].load.warmup_operations, limits[i][1]);
        lab_point_run(&points[i], true, &answer);
        assert_int_equal(answer.outcome.operations, limits[i][0]);
    }
    free(scenario);
}

static void so_many_requests_fill_a_cache(void **state UNUSED)
{
    static const char content[] =
        "{\"name\": \"fill\", \"controller\": {\"profile\": \"native\", \"cache_bytes\": 8192000,"
        " \"count\": 2}, \"drives\": " SSDS(
            "4") ", \"array\": {\"level\": \"raid10\"},"
                 " \"sweep\": {\"write_policies\": [\"write_back\", \"write_through\"]},"
                 " \"limits\": {\"operations\": 100, \"warmup_operations\": 6000,"
                 " \"fill_operations\": 9000}, \"workloads\": [{\"profile\": \"w01-database\","
                 " \"write_percents\": [0, 10, 50, 100], \"depths\": [1]}]}";
    /* 16,384,000 bytes in blocks of 8 KiB: 2,000 writes. */
    static const uint64_t fills[] = {0, 20000, 4000, 2000, 0, 0, 0, 0};
    static const uint64_t limits[][2] = {{6000, 100}, {9000, 9000}, {8000, 4000}, {6000, 2000},
                                         {6000, 100}, {6000, 100},  {6000, 100},  {6000, 100}};
    struct lab_scenario *scenario = NULL;
    struct lab_point points[8];
    struct lab_place places[8];

    scenario_write(content);
    assert_int_equal(lab_scenario_read(scenario_path, PROFILES, &scenario, text), 0);
    assert_int_equal(scenario->point_count, 8);
    lab_scenario_points(scenario, points, places);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(lab_point_fill_operations(scenario, &places[i]), fills[i]);
        assert_int_equal(points[i].load.warmup_operations, limits[i][0]);
        assert_int_equal(points[i].load.operations, limits[i][1]);
    }
    free(scenario);
}

static void the_catalogue_has_every_profile(void **state UNUSED)
{
    json_t *doc = lab_profiles_doc(PROFILES, text);
    const json_t *native = NULL;

    assert_non_null(doc);
    native = json_array_get(json_object_get(doc, "controllers"), 0);
    assert_string_equal(json_string_value(json_object_get(native, "name")), "native");
    assert_int_equal(json_array_size(json_object_get(native, "levels")), RAID_LEVEL_MAX);
    assert_true(json_array_size(json_object_get(doc, "controllers")) > 20);
    assert_true(json_array_size(json_object_get(doc, "drives")) >= 7);
    assert_true(json_array_size(json_object_get(doc, "workloads")) >= 20);
    json_decref(doc);
    assert_null(lab_profiles_doc("/nowhere", text));
    assert_non_null(strstr(text, "/nowhere/controllers: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceilings_hold),
        cmocka_unit_test(deep_queues_reach_every_drive),
        cmocka_unit_test(a_cache_lets_deep_queues_through),
        cmocka_unit_test(ceilings_of_streams_hold),
        cmocka_unit_test(a_way_through_the_host_is_added),
        cmocka_unit_test(a_host_stripe_adds_up_controllers),
        cmocka_unit_test(write_back_answers_from_the_cache),
        cmocka_unit_test(more_drives_take_more_out_of_the_cache),
        cmocka_unit_test(a_cache_is_filled_before_writes_are_measured),
        cmocka_unit_test(so_many_requests_fill_a_cache),
        cmocka_unit_test(the_same_scenario_gives_the_same_answer),
        cmocka_unit_test(points_run_side_by_side),
        cmocka_unit_test(a_quirk_is_had_by_name_only),
        cmocka_unit_test(what_went_before_is_remembered),
        cmocka_unit_test(a_sweep_tells_what_the_model_refuses),
        cmocka_unit_test(survival_of_each_level),
        cmocka_unit_test(a_rebuild_takes_as_long_as_the_drive_is_large),
        cmocka_unit_test(a_rebuild_passes_the_controllers_engines),
        cmocka_unit_test(a_rebuild_is_the_same_with_either_write_policy),
        cmocka_unit_test(reads_are_the_same_with_either_write_policy),
        cmocka_unit_test(a_load_has_its_own_limits),
        cmocka_unit_test(the_catalogue_has_every_profile),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("lab", tests, scenario_file_make, scenario_file_remove);
}
