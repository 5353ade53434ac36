/*
 * What the engine itself costs, as JSON on standard output; run.py compares and judges.
 *
 *   engine_bench null [--quick] [NAME]
 *       On null drives, CPU time of the thread, less what the loop, the load and a bare null drive
 *       cost for each request by themselves ("harness"). Beside it what the machine can do
 *       (calibrate.h).
 *   engine_bench share [--quick]
 *       On drives with emulated timing, wall time: what a rebuild at rate 30 leaves to a
 *       saturating load of random reads, and what the load leaves to the rebuild.
 *   engine_bench realtime [--quick] PROFILES
 *       RAID 0 over sixteen drives of the profile intel-x25-e in PROFILES/drives, in real time: how
 *       much of what they read together (ssd.read_bytes_per_s) the engine reads sequentially.
 *   engine_bench files LEVEL SPANS STRIP EXTENT LOAD SECONDS FILE...
 *       On files through io_uring, wall time. LOAD: read, write (sequential, 1 MiB), randread,
 *       randwrite (4 KiB) with :DEPTH, or rebuild of the last member. The files are overwritten.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "bench_load.h"
#include "bench_print.h"
#include "calibrate.h"
#include "daemon/profile_file.h"
#include "raid/parity_kernels.h"
#include "task/task.h"

#define KIB 1024u
#define MIB (1024u * KIB)
#define STRIP_BYTES (64u * KIB)
#define ROUNDS_MAX 9u
#define TURNS_MAX 200000u

static bool quick;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ---- loads on null drives ---- */

struct null_case {
    const char *name;
    enum raid_level level;
    uint32_t span_count;
    uint32_t members_per_span;
    struct bench_load load;
};

#define READ_4K                                                                                    \
    {.op = VD_OP_READ, .block_bytes = 4 * KIB, .depth = 32, .random = true, .request_max = 300000}
#define WRITE_4K                                                                                   \
    {.op = VD_OP_WRITE, .block_bytes = 4 * KIB, .depth = 32, .random = true, .request_max = 150000}
#define WRITE_ROW                                                                                  \
    {.op = VD_OP_WRITE, .block_bytes = 8 * STRIP_BYTES, .depth = 1, .request_max = 5000}

static const struct null_case null_cases[] = {
    {"read_4k_raid0", RAID_LEVEL_0, 1, 8, READ_4K},
    {"read_4k_raid1", RAID_LEVEL_1, 1, 2, READ_4K},
    {"read_4k_raid5", RAID_LEVEL_5, 1, 9, READ_4K},
    {"read_4k_raid6", RAID_LEVEL_6, 1, 10, READ_4K},
    {"read_4k_raid10", RAID_LEVEL_10, 4, 2, READ_4K},
    {"write_4k_raid0", RAID_LEVEL_0, 1, 8, WRITE_4K},
    {"write_4k_raid1", RAID_LEVEL_1, 1, 2, WRITE_4K},
    {"rmw_4k_raid5", RAID_LEVEL_5, 1, 9, WRITE_4K},
    {"rmw_4k_raid6", RAID_LEVEL_6, 1, 10, WRITE_4K},
    {"full_stripe_raid5", RAID_LEVEL_5, 1, 9, WRITE_ROW},
    {"full_stripe_raid6", RAID_LEVEL_6, 1, 10, WRITE_ROW},
};

static struct bench_world world; /* too large for a stack */

static struct bench_setup null_setup(enum raid_level level, uint32_t span_count,
                                     uint32_t members_per_span)
{
    return (struct bench_setup){
        .level = level,
        .span_count = span_count,
        .members_per_span = members_per_span,
        .strip_bytes = STRIP_BYTES,
        .extent_bytes = (uint64_t)1024 * MIB,
        .rebuild_member = BENCH_NO_MEMBER,
    };
}

/* ---- the harness ---- */

struct bare_slot {
    struct io_request request;
    struct bare_run *run;
    uint8_t pad[64]; /* as far apart as requests to a virtual drive */
};

struct bare_run {
    struct rng rng;
    uint64_t left;
    uint32_t open_count;
    struct bare_slot slots[32];
};

static void bare_submit(struct bare_slot *slot)
{
    uint64_t blocks = world.setup.extent_bytes / (4 * KIB);
    uint64_t at = rng_below(&slot->run->rng, blocks * world.member_count);

    slot->request.offset_bytes = at / world.member_count * 4 * KIB;
    slot->run->left--;
    io_port_submit(&world.nulls[at % world.member_count].io, &slot->request);
}

static void bare_complete(struct io_request *request, enum io_status status UNUSED)
{
    struct bare_slot *slot = request->owner;

    if (slot->run->left == 0) {
        slot->run->open_count--;
    } else {
        bare_submit(slot);
    }
}

/* ns of CPU per request of the loop, the load and the null drives, without any engine. */
static double run_harness(void)
{
    struct bench_setup setup = null_setup(RAID_LEVEL_0, 1, 8);
    struct bare_run run;
    double best = 0;

    bench_world_open(&world, &setup);
    for (uint32_t round = 0; round < (quick ? 1 : ROUNDS_MAX); round++) {
        uint64_t count = quick ? 6000 : 300000;
        uint64_t start_ns = 0;
        double took = 0;

        memset(&run, 0, sizeof run);
        rng_seed(&run.rng, 42);
        run.left = count;
        for (uint32_t i = 0; i < 32; i++) {
            run.slots[i].run = &run;
            run.slots[i].request.complete = bare_complete;
            run.slots[i].request.owner = &run.slots[i];
            run.open_count++;
            bare_submit(&run.slots[i]);
        }
        start_ns = bench_cpu_ns();
        while (run.open_count > 0) {
            bench_world_turn(&world);
        }
        took = (double)(bench_cpu_ns() - start_ns) / (double)count;
        best = round == 0 || took < best ? took : best;
    }
    bench_world_close(&world);
    return best;
}

/* The best of the rounds, as in the calibration, in ns of CPU per request. */
static void run_null_case(const struct null_case *one, double harness_ns)
{
    struct bench_setup setup = null_setup(one->level, one->span_count, one->members_per_span);
    struct bench_load load = one->load;
    double rounds[ROUNDS_MAX];
    uint32_t count = quick ? 1 : ROUNDS_MAX;

    load.request_max /= quick ? 50 : 1;
    bench_world_open(&world, &setup);
    for (uint32_t i = 0; i < count; i++) {
        struct bench_result result;

        bench_load_run(&world, &load, &result);
        rounds[i] = (double)result.cpu_ns / (double)result.request_count;
    }
    bench_world_close(&world);
    qsort(rounds, count, sizeof rounds[0], compare_doubles);
    bench_print(one->name, rounds[0] - harness_ns, "ns");
}

/* ---- the longest turn ---- */

static void run_turns(const char *name, const struct null_case *one)
{
    struct bench_setup setup = null_setup(one->level, one->span_count, one->members_per_span);
    uint32_t turn_max = quick ? 1000 : 20000;
    double *turns = calloc(turn_max, sizeof *turns);
    struct bench_run *run = malloc(sizeof *run);
    struct bench_load load = one->load;
    char text[64];

    if (turns == NULL || run == NULL) {
        bench_fail("no memory");
    }
    load.request_max = UINT64_MAX;
    bench_world_open(&world, &setup);
    bench_load_start(run, &world, &load);
    for (uint32_t i = 0; i < turn_max; i++) {
        uint64_t start_ns = bench_cpu_ns();

        bench_world_turn(&world);
        turns[i] = (double)(bench_cpu_ns() - start_ns) / 1000;
    }
    load.request_max = run->started;
    bench_load_finish(run);
    bench_world_close(&world);
    qsort(turns, turn_max, sizeof turns[0], compare_doubles);
    (void)snprintf(text, sizeof text, "%s_p999", name);
    bench_print(text, turns[turn_max - 1 - turn_max / 1000], "us");
    (void)snprintf(text, sizeof text, "%s_max", name);
    bench_print(text, turns[turn_max - 1], "us");
    free(turns);
    free(run);
}

/* ---- rebuild ---- */

static void task_changed(void *context, struct task *task, enum operation_state old UNUSED)
{
    struct task_status_view status;
    bool *ended = context;

    task_status_get(task, &status);
    if (status.state == OPERATION_STATE_FAILED || status.state == OPERATION_STATE_STOPPED) {
        bench_fail("the rebuild has failed");
    }
    *ended = status.state == OPERATION_STATE_COMPLETED;
}

/* A mirror's new member has the old one's bytes: they were moved. */
static void rebuilt_check(const struct bench_setup *setup)
{
    const struct null_drive *target = &world.nulls[setup->rebuild_member];

    if (setup->moves_bytes &&
        target->bytes[target->byte_count / 2] != world.nulls[0].bytes[target->byte_count / 2]) {
        bench_fail("the rebuild has copied nothing");
    }
}

/* Bytes of the target per second: of CPU time, or of wall time. */
static double run_rebuild(const struct bench_setup *setup, bool by_cpu)
{
    bool ended = false;
    const struct task_observer observer = {.state_changed = task_changed, .context = &ended};
    struct task *task = NULL;
    uint64_t cpu_ns = 0;
    uint64_t wall_ns = 0;

    bench_world_open(&world, setup);
    if (task_rebuild_create(world.group, setup->rebuild_member, loop_clock(world.loop), 100,
                            &observer, &task) != 0) {
        bench_fail("no rebuild");
    }
    cpu_ns = bench_cpu_ns();
    wall_ns = bench_wall_ns();
    task_start(task);
    while (!ended || !task_is_quiet(task)) {
        bench_world_turn(&world);
    }
    cpu_ns = bench_cpu_ns() - cpu_ns;
    wall_ns = bench_wall_ns() - wall_ns;
    task = task_free(task);
    rebuilt_check(setup);
    bench_world_close(&world);
    return (double)setup->extent_bytes * 1e9 / (double)(by_cpu ? cpu_ns : wall_ns);
}

/* A mirror is rebuilt by moving bytes, parity by computing them. */
static void run_null_rebuild(const char *name, enum raid_level level, uint32_t members)
{
    struct bench_setup setup = null_setup(level, 1, members);

    setup.moves_bytes = level == RAID_LEVEL_1;
    setup.rebuild_member = members - 1;
    setup.extent_bytes = (uint64_t)(quick ? 64 : 4096) * MIB;
    bench_print(name, run_rebuild(&setup, true) / (1024.0 * MIB), "GiB/s");
}

static void run_calibration(void)
{
    struct calibration found;

    calibrate(&found);
    bench_print("memcpy_cached", found.memcpy_cached_gb_s, "GB/s");
    bench_print("memcpy_memory", found.memcpy_memory_gb_s, "GB/s");
    bench_print("memcpy_4k", found.memcpy_4k_ns, "ns");
    bench_print("nop_ring", found.nop_ring_ns, "ns");
    bench_print("clock", found.clock_ns, "ns");
    bench_print("isal_xor_8_1", found.xor_gb_s, "GB/s");
    bench_print("isal_pq_8_2", found.pq_gb_s, "GB/s");
    bench_print(parity_gfni_avx512.is_usable() ? "pq_over_isal_gfni" : "pq_over_isal",
                found.own_pq_gb_s / found.pq_gb_s, "");
}

/* For parts whose own program has none. */
static int run_calibrate(void)
{
    bench_print_begin();
    run_calibration();
    bench_print("harness", run_harness(), "ns");
    bench_print_end();
    return 0;
}

static int run_null(const char *only)
{
    static const struct null_case rows = {
        "",
        RAID_LEVEL_6,
        1,
        10,
        {.op = VD_OP_WRITE, .block_bytes = 8 * STRIP_BYTES, .depth = 8, .request_max = 1}};
    static const struct null_case small = {"", RAID_LEVEL_6, 1, 10, WRITE_4K};

    double harness_ns = 0;

    bench_print_begin();
    if (only == NULL) {
        run_calibration();
    }
    harness_ns = run_harness();
    bench_print("harness", harness_ns, "ns");
    for (size_t i = 0; i < sizeof null_cases / sizeof null_cases[0]; i++) {
        if (only == NULL || strcmp(only, null_cases[i].name) == 0) {
            run_null_case(&null_cases[i], harness_ns);
        }
    }
    if (only == NULL) {
        run_turns("turn_rmw_raid6", &small);
        run_turns("turn_full_stripe_raid6", &rows);
        run_null_rebuild("rebuild_raid1", RAID_LEVEL_1, 2);
        run_null_rebuild("rebuild_raid5", RAID_LEVEL_5, 9);
    }
    bench_print_end();
    return 0;
}

/* ---- foreground against rebuild ---- */

#define SHARE_RATE 30u

static struct bench_setup share_setup(void)
{
    struct bench_setup setup = null_setup(RAID_LEVEL_5, 1, 5);

    setup.rebuild_member = 4;
    setup.extent_bytes = (uint64_t)(quick ? 16 : 128) * MIB;
    setup.timing = (struct emulated_timing){.overhead_us = 400, .transfer_bytes_per_s = 160000000};
    return setup;
}

static void share_task_changed(void *context, struct task *task, enum operation_state old UNUSED)
{
    struct task_status_view status;
    bool *ended = context;

    task_status_get(task, &status);
    *ended = status.ended_us != 0;
}

/* Requests per second of the load, bytes per second of the rebuild (none at a rate of 0). */
static void share_run(bool with_rebuild, double *ret_requests, double *ret_rebuild)
{
    const struct bench_setup setup = share_setup();
    const struct bench_load load = {.op = VD_OP_READ,
                                    .block_bytes = 4 * KIB,
                                    .depth = 64,
                                    .random = true,
                                    .wall_us = quick ? 300000 : 3000000};
    bool ended = false;
    const struct task_observer observer = {.state_changed = share_task_changed, .context = &ended};
    struct bench_result result;
    struct task *task = NULL;

    bench_world_open(&world, &setup);
    if (task_rebuild_create(world.group, setup.rebuild_member, loop_clock(world.loop), SHARE_RATE,
                            &observer, &task) != 0) {
        bench_fail("no rebuild");
    }
    if (with_rebuild) {
        task_start(task);
    }
    bench_load_run(&world, &load, &result);
    *ret_requests = (double)result.request_count * 1e9 / (double)result.wall_ns;
    *ret_rebuild = (double)group_rebuilt_bytes(world.group, setup.rebuild_member) * 1e9 /
                   (double)result.wall_ns;
    if (with_rebuild) {
        task_stop(task, REASON_SHUTTING_DOWN);
        while (!ended || !task_is_quiet(task)) {
            bench_world_turn(&world);
        }
    }
    task = task_free(task);
    bench_world_close(&world);
}

static int run_share(void)
{
    const struct bench_setup setup = share_setup();
    double rebuild_alone = run_rebuild(&setup, false);
    double load_alone = 0;
    double load_kept = 0;
    double rebuild_kept = 0;
    double none = 0;

    share_run(false, &load_alone, &none);
    share_run(true, &load_kept, &rebuild_kept);
    bench_print_begin();
    bench_print("share_foreground", load_kept / load_alone, "");
    bench_print("share_rebuild", rebuild_kept / rebuild_alone, "");
    bench_print("share_rebuild_alone", rebuild_alone / 1e6, "MB/s");
    bench_print("share_foreground_alone", load_alone, "1/s");
    bench_print_end();
    return 0;
}

/* ---- fast drives in real time ---- */

#define REALTIME_DRIVES 16u
#define REALTIME_PROFILE "intel-x25-e"

/* Each drive always has sixteen strips to read. */
static int run_realtime(const char *profiles)
{
    struct bench_setup setup = null_setup(RAID_LEVEL_0, 1, REALTIME_DRIVES);
    const struct bench_load load = {.op = VD_OP_READ,
                                    .block_bytes = MIB,
                                    .depth = 16 * REALTIME_DRIVES * STRIP_BYTES / MIB,
                                    .wall_us = quick ? 300000 : 6000000};
    struct bench_result result;
    struct drive_profile profile;
    char text[PROFILE_TEXT_BYTES];
    double drives_bytes_per_s = 0;
    double bytes_per_s = 0;

    if (drive_profile_read(profiles, REALTIME_PROFILE, &profile, text) != 0) {
        bench_fail("%s", text);
    }
    setup.timing = profile.timing;
    drives_bytes_per_s = (double)profile.timing.ssd.read_bytes_per_s * REALTIME_DRIVES;
    bench_world_open(&world, &setup);
    bench_load_run(&world, &load, &result);
    bench_world_close(&world);
    bytes_per_s = (double)result.bytes * 1e9 / (double)result.wall_ns;
    bench_print_begin();
    bench_print("realtime_raid0", bytes_per_s / drives_bytes_per_s, "");
    bench_print("realtime_raid0_rate", bytes_per_s / 1e6, "MB/s");
    bench_print("realtime_cpu", 100 * (double)result.cpu_ns / (double)result.wall_ns, "% of a CPU");
    bench_print_end();
    return 0;
}

/* ---- files ---- */

static uint64_t number_of(const char *text)
{
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 10);

    if (end == text || *end != '\0') {
        bench_fail("%s is not a number", text);
    }
    return value;
}

static bool load_parse(const char *text, struct bench_load *load)
{
    char name[32];
    unsigned int depth = 0;

    if (sscanf(text, "%31[a-z]:%u", name, &depth) != 2 || depth == 0 || depth > BENCH_DEPTH_MAX) {
        return false;
    }
    load->depth = depth;
    load->random = strncmp(name, "rand", 4) == 0;
    load->op = strstr(name, "write") != NULL ? VD_OP_WRITE : VD_OP_READ;
    load->block_bytes = load->random ? 4 * KIB : MIB;
    return true;
}

static void print_files(const char *name, double bytes_per_s, const struct bench_result *result)
{
    (void)printf("{\"name\": \"%s\", \"bytes_per_s\": %.0f", name, bytes_per_s);
    if (result != NULL) {
        (void)printf(", \"requests_per_s\": %.1f, \"cpu_us_per_request\": %.3f",
                     (double)result->request_count * 1e9 / (double)result->wall_ns,
                     (double)result->cpu_ns / 1000 / (double)result->request_count);
    }
    (void)printf("}\n");
}

static int run_files(int count, char **arguments)
{
    struct bench_setup setup = {.rebuild_member = BENCH_NO_MEMBER};
    struct bench_load load = {0};
    struct bench_result result;
    uint32_t files = (uint32_t)count - 6;

    if (raid_level_parse(arguments[0], &setup.level) != 0) {
        bench_fail("%s is no level", arguments[0]);
    }
    setup.span_count = (uint32_t)number_of(arguments[1]);
    setup.strip_bytes = (uint32_t)number_of(arguments[2]);
    setup.extent_bytes = number_of(arguments[3]);
    setup.paths = arguments + 6;
    if (setup.span_count == 0 || files % setup.span_count != 0 || files > BENCH_DRIVES_MAX) {
        bench_fail("%u files do not make %u spans", files, setup.span_count);
    }
    setup.members_per_span = files / setup.span_count;
    if (strcmp(arguments[4], "rebuild") == 0) {
        setup.rebuild_member = files - 1;
        print_files("rebuild", run_rebuild(&setup, false), NULL);
        return 0;
    }
    if (!load_parse(arguments[4], &load)) {
        bench_fail("%s is no load", arguments[4]);
    }
    load.wall_us = number_of(arguments[5]) * 1000000;
    bench_world_open(&world, &setup);
    bench_load_run(&world, &load, &result);
    bench_world_close(&world);
    print_files(arguments[4], (double)result.bytes * 1e9 / (double)result.wall_ns, &result);
    return 0;
}

int main(int count, char **arguments)
{
    if (count >= 3 && strcmp(arguments[2], "--quick") == 0) {
        quick = true;
        arguments[2] = arguments[1];
        arguments++;
        count--;
    }
    if ((count == 2 || count == 3) && strcmp(arguments[1], "null") == 0) {
        return run_null(count == 3 ? arguments[2] : NULL);
    }
    if (count == 2 && strcmp(arguments[1], "calibrate") == 0) {
        return run_calibrate();
    }
    if (count == 2 && strcmp(arguments[1], "share") == 0) {
        return run_share();
    }
    if (count == 3 && strcmp(arguments[1], "realtime") == 0) {
        return run_realtime(arguments[2]);
    }
    if (count >= 9 && strcmp(arguments[1], "files") == 0) {
        return run_files(count - 2, arguments + 2);
    }
    (void)fputs("usage: engine_bench null [--quick] [NAME]\n"
                "       engine_bench calibrate [--quick]\n"
                "       engine_bench share [--quick]\n"
                "       engine_bench realtime [--quick] PROFILES\n"
                "       engine_bench files LEVEL SPANS STRIP EXTENT LOAD SECONDS FILE...\n",
                stderr);
    return 2;
}
