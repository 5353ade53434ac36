/*
 * What it costs to close the write hole, as JSON on standard output: with a journal in shared
 * memory, and with the stripe log on the members, which begins when one is missing.
 *
 *   closure_bench [--quick] PROFILES
 *
 * Random writes of 4 KiB, 32 at a time, to RAID 5 of 8+1 and RAID 6 of 8+2, written through. Each
 * is a read-modify-write whose new data and parity go into the journal before they go to the
 * drives. Rate: over drives of the profile intel-x25-e in PROFILES/drives in real time, with the
 * journal over without, in turns, the median; and without a journal, stripelog=auto over off, while
 * all members are there and while one is missing; the same for whole rows of a RAID 50 of 3 spans
 * of 4+1. CPU: on null drives, what the journal adds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_load.h"
#include "bench_print.h"
#include "daemon/profile_file.h"

#define KIB 1024u
#define MIB (1024u * KIB)
#define ROUNDS 5u
#define DRIVE_PROFILE "intel-x25-e"
#define INTENT_FRAMES 131072u /* 512 MiB, as MegaRAID SAS 9260-8i has */

static bool quick;
static struct bench_world world; /* too large for a stack */

static struct bench_setup setup_of(enum raid_level level, uint32_t members)
{
    return (struct bench_setup){
        .level = level,
        .span_count = 1,
        .members_per_span = members,
        .strip_bytes = 64 * KIB,
        .extent_bytes = (uint64_t)1024 * MIB,
        .rebuild_member = BENCH_NO_MEMBER,
    };
}

static void world_run(const struct bench_setup *setup, const struct bench_load *load,
                      struct bench_result *ret_result)
{
    bench_world_open(&world, setup);
    bench_load_run(&world, load, ret_result);
    bench_world_close(&world);
}

static void load_run(const struct bench_setup *setup, bool with_journal,
                     const struct bench_load *load, struct bench_result *ret_result)
{
    struct bench_setup with = *setup;

    with.intent_frames = with_journal ? INTENT_FRAMES : 0;
    world_run(&with, load, ret_result);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof values[0], compare_doubles);
    return values[count / 2];
}

static double rate(const struct bench_result *result)
{
    return (double)result->request_count / (double)result->wall_ns;
}

static const struct bench_load small_writes = {
    .op = VD_OP_WRITE, .block_bytes = 4 * KIB, .depth = 32, .random = true};
/* Whole rows of a span of 4+1. */
static const struct bench_load row_writes = {
    .op = VD_OP_WRITE, .block_bytes = 256 * KIB, .depth = 16, .random = true};

/* Of two worlds in turns. */
static void rate_print(const char *name, const struct bench_load *what,
                       const struct bench_setup *with, const struct bench_setup *without)
{
    struct bench_load load = *what;
    uint32_t rounds = quick ? 1 : ROUNDS;
    double ratios[ROUNDS];

    load.wall_us = quick ? 100000 : 2000000;
    for (uint32_t i = 0; i < rounds; i++) {
        struct bench_result base;
        struct bench_result other;

        world_run(without, &load, &base);
        world_run(with, &load, &other);
        ratios[i] = rate(&other) / rate(&base);
    }
    bench_print(name, median(ratios, rounds), "");
}

static void rate_of(const char *name, enum raid_level level, uint32_t members,
                    const struct emulated_timing *timing)
{
    struct bench_setup without = setup_of(level, members);
    struct bench_setup with = without;

    without.timing = with.timing = *timing;
    with.intent_frames = INTENT_FRAMES;
    without.stripe_log = with.stripe_log = STRIPE_LOG_MODE_OFF;
    rate_print(name, &small_writes, &with, &without);
}

static void stripe_log_rate_of(const char *name, enum raid_level level, uint32_t members,
                               const struct emulated_timing *timing, bool degraded)
{
    struct bench_setup without = setup_of(level, members);
    struct bench_setup with = without;

    without.timing = with.timing = *timing;
    without.degraded = with.degraded = degraded;
    without.stripe_log = STRIPE_LOG_MODE_OFF;
    with.stripe_log = STRIPE_LOG_MODE_AUTO;
    rate_print(name, &small_writes, &with, &without);
}

static void spans_rate_of(const char *name, const struct emulated_timing *timing)
{
    struct bench_setup without = setup_of(RAID_LEVEL_50, 5);
    struct bench_setup with = {0};

    without.span_count = 3;
    without.timing = *timing;
    without.degraded = true;
    with = without;
    without.stripe_log = STRIPE_LOG_MODE_OFF;
    with.stripe_log = STRIPE_LOG_MODE_AUTO;
    rate_print(name, &row_writes, &with, &without);
}

static void cpu_of(const char *name, enum raid_level level, uint32_t members)
{
    const struct bench_load load = {.op = VD_OP_WRITE,
                                    .block_bytes = 4 * KIB,
                                    .depth = 32,
                                    .random = true,
                                    .request_max = quick ? 3000 : 150000};
    const struct bench_setup setup = setup_of(level, members);
    uint32_t rounds = quick ? 1 : ROUNDS;
    double added[ROUNDS];

    for (uint32_t i = 0; i < rounds; i++) {
        struct bench_result without;
        struct bench_result with;

        load_run(&setup, false, &load, &without);
        load_run(&setup, true, &load, &with);
        added[i] = (double)with.cpu_ns / (double)with.request_count -
                   (double)without.cpu_ns / (double)without.request_count;
    }
    bench_print(name, median(added, rounds), "ns");
}

int main(int count, char **arguments)
{
    struct drive_profile profile;
    char text[PROFILE_TEXT_BYTES];

    quick = count == 3 && strcmp(arguments[1], "--quick") == 0;
    if (count != 2 && !quick) {
        (void)fputs("usage: closure_bench [--quick] PROFILES\n", stderr);
        return 2;
    }
    if (drive_profile_read(arguments[count - 1], DRIVE_PROFILE, &profile, text) != 0) {
        bench_fail("%s", text);
    }
    bench_print_begin();
    rate_of("closure_rate_raid5", RAID_LEVEL_5, 9, &profile.timing);
    rate_of("closure_rate_raid6", RAID_LEVEL_6, 10, &profile.timing);
    stripe_log_rate_of("closure_whole_raid5", RAID_LEVEL_5, 9, &profile.timing, false);
    stripe_log_rate_of("closure_whole_raid6", RAID_LEVEL_6, 10, &profile.timing, false);
    stripe_log_rate_of("closure_degraded_raid5", RAID_LEVEL_5, 9, &profile.timing, true);
    stripe_log_rate_of("closure_degraded_raid6", RAID_LEVEL_6, 10, &profile.timing, true);
    spans_rate_of("closure_degraded_rows_raid50", &profile.timing);
    cpu_of("closure_cpu_raid5", RAID_LEVEL_5, 9);
    cpu_of("closure_cpu_raid6", RAID_LEVEL_6, 10);
    bench_print_end();
    return 0;
}
