/*
 * What reaches the drives for a request at each level, whole and degraded: commands counted, which
 * cannot lie about the algorithm.
 */
#include "aw_test.h"

#include <math.h>
#include <stdio.h>

#include "lab_world.h"

#define STRIP_BYTES 8192u
#define OPERATIONS_MIN 2000u

static void sum(const struct lab_outcome *outcome, struct lab_counts *ret_sum)
{
    *ret_sum = (struct lab_counts){0};
    for (uint32_t i = 0; i < outcome->drive_count; i++) {
        ret_sum->reads += outcome->drives[i].reads;
        ret_sum->writes += outcome->drives[i].writes;
        ret_sum->flushes += outcome->drives[i].flushes;
    }
}

struct count_case {
    const char *level;
    uint32_t drives;
    uint32_t strips; /* of data in a row */
    const char *failed;
    uint32_t block_bytes;
    uint32_t write_percent;
    double reads, writes; /* of each request, in the mean of a whole turn of the parity */
};

#define SMALL 4096u

/* Each turn of parity and copies is gone through whole, so the means are exact. With f of n members
 * of a span lost, f/n of the small reads meet a lost strip. */
static const struct count_case counts[] = {
    {"raid0", 8, 8, "", SMALL, 0, 1, 0},
    {"raid0", 8, 8, "", SMALL, 100, 0, 1},
    {"raid0", 8, 8, "", 8 * STRIP_BYTES, 100, 0, 8},

    {"raid1", 2, 1, "", SMALL, 0, 1, 0},
    {"raid1", 2, 1, "", SMALL, 100, 0, 2},
    {"raid1", 2, 1, "", STRIP_BYTES, 100, 0, 2},
    {"raid1", 2, 1, "1", SMALL, 0, 1, 0},
    {"raid1", 2, 1, "1", SMALL, 100, 0, 1},

    {"raid10", 8, 1, "", SMALL, 0, 1, 0},
    {"raid10", 8, 1, "", SMALL, 100, 0, 2},
    {"raid10", 8, 1, "", 4 * STRIP_BYTES, 100, 0, 8},
    {"raid10", 8, 1, "0", SMALL, 0, 1, 0},
    {"raid10", 8, 1, "0", SMALL, 100, 0, 2 - 1.0 / 4},

    /* An odd number of members: copies lie beside each other, and one pair wraps. */
    {"raid1e", 5, 1, "", SMALL, 0, 1, 0},
    {"raid1e", 5, 1, "", SMALL, 100, 0, 2},
    {"raid1e", 5, 1, "", STRIP_BYTES, 100, 0, 2},
    {"raid1e", 5, 1, "2", SMALL, 0, 1, 0},
    {"raid1e", 5, 1, "2", SMALL, 100, 0, 2 - 2.0 / 5},
    {"raid1e", 5, 1, "0, 2", SMALL, 0, 1, 0},
    {"raid1e", 5, 1, "0, 2", SMALL, 100, 0, 2 - 4.0 / 5},

    {"raid5", 8, 7, "", SMALL, 0, 1, 0},
    {"raid5", 8, 7, "", SMALL, 100, 2, 2},
    {"raid5", 8, 7, "", 1024, 100, 2, 2}, /* two sectors cost what a small block costs */
    {"raid5", 9, 8, "", 2 * STRIP_BYTES, 100, 3, 3},
    {"raid5", 8, 7, "", 7 * STRIP_BYTES, 100, 0, 8},
    {"raid5", 8, 7, "0", SMALL, 0, 7.0 / 8 + 7.0 / 8, 0}, /* a lost block: n-1 reads */
    /* Of 8 rows one has lost its parity: 0 + 1; in one of 8 writes the block itself is lost: the
     * other n-2 are read, the parity is written; the other six: 2 + 2. */
    {"raid5", 8, 7, "0", SMALL, 100, (0 + 6 + 6 * 2) / 8.0, (1 + 1 + 6 * 2) / 8.0},
    {"raid5", 8, 7, "0", 7 * STRIP_BYTES, 100, 0, 7},

    {"raid6", 8, 6, "", SMALL, 0, 1, 0},
    {"raid6", 8, 6, "", SMALL, 100, 3, 3},
    {"raid6", 8, 6, "", 1024, 100, 3, 3},
    {"raid6", 10, 8, "", 2 * STRIP_BYTES, 100, 4, 4},
    {"raid6", 8, 6, "", 6 * STRIP_BYTES, 100, 0, 8},
    {"raid6", 8, 6, "0", SMALL, 0, 7.0 / 8 + 6.0 / 8, 0}, /* a lost block: n-2 reads */
    /* P or Q lost, in one of 8 rows each: 2 + 2; the block: 5 + 2; else 3 + 3. */
    {"raid6", 8, 6, "0", SMALL, 100, (2 + 2 + 5 + 5 * 3) / 8.0, (2 + 2 + 2 + 5 * 3) / 8.0},
    {"raid6", 8, 6, "0, 4", SMALL, 0, 6.0 / 8 + 2 * 6.0 / 8, 0},
    {"raid6", 8, 6, "0, 1", SMALL, 0, 6.0 / 8 + 2 * 6.0 / 8, 0},
    /* Rows of 8, and of the 6 blocks of each: P and Q lost, 0 + 1; P or Q and one block, twice:
     * that block 5 + 1, the others 2 + 2; two blocks, five times: those 6 + 2, the others 3 + 3. */
    {"raid6", 8, 6, "0, 1", SMALL, 100, (0 + 2 * (5 + 5 * 2) + 5 * (2 * 6 + 4 * 3)) / 48.0,
     (6 + 2 * (1 + 5 * 2) + 5 * (2 * 2 + 4 * 3)) / 48.0},
    {"raid6", 8, 6, "0, 1", 6 * STRIP_BYTES, 100, 0, 6},

    /* Two spans: every second row lies in the other one. */
    {"raid50", 8, 3, "", SMALL, 0, 1, 0},
    {"raid50", 8, 3, "", SMALL, 100, 2, 2},
    {"raid50", 8, 3, "", 3 * STRIP_BYTES, 100, 0, 4},
    {"raid50", 8, 3, "0", SMALL, 0, (1 + 3.0 / 4 + 3.0 / 4) / 2, 0},
    {"raid50", 8, 3, "0, 7", SMALL, 0, 3.0 / 4 + 3.0 / 4, 0},

    {"raid60", 8, 2, "", SMALL, 0, 1, 0},
    {"raid60", 8, 2, "", SMALL, 100, 1, 3}, /* with four members the other strip tells both */
    {"raid60", 12, 4, "", SMALL, 100, 3, 3},
    {"raid60", 8, 2, "", 2 * STRIP_BYTES, 100, 0, 4},
    {"raid60", 12, 4, "", 4 * STRIP_BYTES, 100, 0, 6},
    {"raid60", 12, 4, "0", SMALL, 0, (1 + 5.0 / 6 + 4.0 / 6) / 2, 0},
    {"raid60", 12, 4, "0, 3", SMALL, 0, (1 + 4.0 / 6 + 2 * 4.0 / 6) / 2, 0},

    /* Where the rest of the row is less than what is replaced, parity comes from the rest. */
    {"raid5", 3, 2, "", SMALL, 100, 1, 2},
    {"raid5", 4, 3, "", SMALL, 100, 2, 2},
    {"raid5", 5, 4, "", 2 * STRIP_BYTES, 100, 2, 3},
    {"raid6", 4, 2, "", SMALL, 100, 1, 3},
    {"raid6", 6, 4, "", SMALL, 100, 3, 3},
};

/* A card that within a strip always reads what it replaces. */
static const struct count_case card_counts[] = {
    {"raid5", 3, 2, "", SMALL, 100, 2, 2},
    {"raid5", 3, 2, "", STRIP_BYTES, 100, 2, 2},
    {"raid5", 3, 2, "", 2 * STRIP_BYTES, 100, 0, 3},
    {"raid5", 5, 4, "", 2 * STRIP_BYTES, 100, 2, 3},
    {"raid6", 4, 2, "", SMALL, 100, 3, 3},
    {"raid6", 4, 2, "", 2 * STRIP_BYTES, 100, 0, 4},
    {"raid60", 8, 2, "", SMALL, 100, 3, 3},
    /* Of 3 rows one has lost its parity, 0 + 1; of two blocks one is lost, and its parity is
     * computed from the other, 1 + 1; the other: 2 + 2. */
    {"raid5", 3, 2, "0", SMALL, 100, (0 + 1 + 2) / 3.0, (1 + 1 + 2) / 3.0},
};

/* So many that the marks of regions do not count; the parity's last turn ends with the last. */
static uint32_t operations_of(const struct count_case *count)
{
    uint32_t turn_bytes = count->drives * count->strips * STRIP_BYTES;
    uint32_t of_turn = turn_bytes / count->block_bytes;

    assert_int_equal(turn_bytes % count->block_bytes, 0);
    return of_turn * ((OPERATIONS_MIN + of_turn - 1) / of_turn);
}

static struct lab_counts counted(const char *profile, const struct count_case *count,
                                 const char *log, uint32_t operations)
{
    struct lab_counts total;
    struct lab_answer answer;
    char content[1024];

    (void)snprintf(content, sizeof(content),
                   "{\"name\": \"counts\", \"controller\": {\"profile\": \"%s\","
                   " \"cache_bytes\": 0},"
                   " \"drives\": {\"profile\": \"intel-x25-e\", \"count\": %u,"
                   " \"failed\": [%s]}, \"array\": {\"level\": \"%s\", \"strip_bytes\": %u,"
                   " \"stripe_log_mode\": \"%s\"},"
                   " \"limits\": {\"operations\": %u, \"warmup_operations\": 0},"
                   " \"workloads\": [{\"name\": \"w\", \"pattern\": \"sequential\", \"mixes\":"
                   " [[{\"bytes\": %u, \"percent\": 100}]], \"write_percents\": [%u],"
                   " \"depths\": [1]}]}",
                   profile, count->drives, count->failed, count->level, STRIP_BYTES, log,
                   operations, count->block_bytes, count->write_percent);
    answer = answer_of(content);
    assert_int_equal(answer.outcome.operations, operations);
    sum(&answer.outcome, &total);
    return total;
}

static void check_counts(const char *profile, const char *log, const struct count_case *cases,
                         size_t case_count)
{
    for (size_t i = 0; i < case_count; i++) {
        const struct count_case *count = &cases[i];
        uint32_t operations = operations_of(count);
        struct lab_counts total = counted(profile, count, log, operations);
        double reads = (double)total.reads / operations;
        double writes = (double)total.writes / operations;

        if (fabs(reads - count->reads) > 0.002 || fabs(writes - count->writes) > 0.02) {
            fail_msg("%s, %s x%u failed [%s] %u bytes %u %% writes: %g reads, %g writes each,"
                     " not %g and %g",
                     profile, count->level, count->drives, count->failed, count->block_bytes,
                     count->write_percent, reads, writes, count->reads, count->writes);
        }
    }
}

static void what_a_request_costs_at_each_level(void **state UNUSED)
{
    check_counts("native", "off", counts, sizeof(counts) / sizeof(counts[0]));
}

static void what_it_costs_behind_a_card(void **state UNUSED)
{
    check_counts("lsi-megaraid-sas-9260-8i", "auto", card_counts,
                 sizeof(card_counts) / sizeof(card_counts[0]));
}

/* One write more for what changes part of a row that has its parity. */
static void what_the_stripe_log_costs(void **state UNUSED)
{
    static const struct count_case cases[] = {
        {"raid5", 8, 7, "", SMALL, 100, 2, 2}, /* nothing is missing */
        {"raid5", 8, 7, "0", SMALL, 100, 2.25, 1.75 + 7.0 / 8},
    };

    check_counts("native", "auto", cases, sizeof(cases) / sizeof(cases[0]));
}

/* In drives. */
static void a_level_keeps_what_it_says(void **state UNUSED)
{
    static const struct {
        const char *level;
        uint32_t drives;
        double capacity;
    } cases[] = {
        {"raid0", 8, 8}, {"raid1", 2, 1}, {"raid1", 4, 1},  {"raid10", 8, 4}, {"raid1e", 5, 2.5},
        {"raid5", 8, 7}, {"raid6", 8, 6}, {"raid50", 8, 6}, {"raid60", 8, 4}, {"raid60", 12, 8},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lab_answer answer;
        char content[1024];

        (void)snprintf(content, sizeof(content),
                       "{\"name\": \"size\", \"controller\": {\"profile\": \"native\"},"
                       " \"drives\": {\"profile\": \"intel-x25-e\", \"count\": %u},"
                       " \"array\": {\"level\": \"%s\", \"extent_bytes\": 1073741824},"
                       " \"limits\": {\"operations\": 10, \"warmup_operations\": 0},"
                       " \"workloads\": [{\"name\": \"w\", \"pattern\": \"random\", \"mixes\":"
                       " [[{\"bytes\": 4096, \"percent\": 100}]], \"depths\": [1]}]}",
                       cases[i].drives, cases[i].level);
        answer = answer_of(content);
        if (answer.size_bytes != (uint64_t)(cases[i].capacity * (1 << 30))) {
            fail_msg("%s x%u: %llu bytes", cases[i].level, cases[i].drives,
                     (unsigned long long)answer.size_bytes);
        }
    }
}

/* All over large drives, a region's mark must not be met by every write; nor must the log of
 * intents make the drives flush for each. */
static void small_writes_everywhere_cost_what_the_level_needs(void **state UNUSED)
{
    static const struct count_case cases[] = {
        {"raid10", 8, 1, "", SMALL, 100, 0, 2},  {"raid5", 8, 7, "", SMALL, 100, 2, 2},
        {"raid6", 8, 6, "", SMALL, 100, 3, 3},   {"raid1", 2, 1, "", SMALL, 100, 0, 2},
        {"raid1e", 5, 1, "", SMALL, 100, 0, 2},  {"raid50", 8, 3, "", SMALL, 100, 2, 2},
        {"raid60", 12, 4, "", SMALL, 100, 3, 3}, {"raid0", 8, 8, "", SMALL, 100, 0, 1},
    };

    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        const struct count_case *count = &cases[i / 2];
        struct lab_counts total;
        struct lab_answer answer;
        char content[1024];

        (void)snprintf(
            content, sizeof(content),
            "{\"name\": \"counts\", \"controller\": {\"profile\": \"native\","
            " \"cache_bytes\": %u}, \"drives\": {\"profile\": \"wd-wd740gd\","
            " \"count\": %u}, \"array\": {\"level\": \"%s\", \"write_policy\":"
            " \"write_through\"}, \"limits\": {\"operations\": 2000,"
            " \"warmup_operations\": 1000}, \"workloads\": [{\"name\": \"w\","
            " \"pattern\": \"random\", \"mixes\": [[{\"bytes\": 4096, \"percent\": 100}]],"
            " \"write_percents\": [100], \"depths\": [1]}]}",
            i % 2 == 0 ? 0 : 16u << 20, count->drives, count->level);
        answer = answer_of(content);
        sum(&answer.outcome, &total);
        if ((double)total.reads / 2000 > count->reads + 0.02 ||
            (double)total.writes / 2000 > count->writes + 0.02 ||
            (double)total.flushes / 2000 > 0.1) {
            fail_msg("%s: %g reads, %g writes, %g flushes each", count->level,
                     (double)total.reads / 2000, (double)total.writes / 2000,
                     (double)total.flushes / 2000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_request_costs_at_each_level),
        cmocka_unit_test(what_it_costs_behind_a_card),
        cmocka_unit_test(what_the_stripe_log_costs),
        cmocka_unit_test(a_level_keeps_what_it_says),
        cmocka_unit_test(small_writes_everywhere_cost_what_the_level_needs),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("counts", tests, scenario_file_make, scenario_file_remove);
}
