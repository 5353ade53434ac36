/*
 * Patrol read of one drive by itself: how much of the drive's time it takes beside others, and what
 * it does when it may not read. What a controller makes of it: tests/unit/ctl/test_patrol.c.
 */
#include "aw_test.h"

#include <stdlib.h>

#include "sim_drive.h"
#include "sim_world.h"
#include "task/patrol.h"
#include "task/task_pace.h"

#define SIZE (UINT64_C(64) << 20)
#define MIB (1u << 20)

struct bench {
    struct sim_world *world;
    struct sim_drive *sim;
    struct drive *drive;
    struct patrol *patrol;
    bool may, ended;
    enum reason_code why;
    uint32_t found, progress;
    uint64_t found_bytes[8];
    /* Somebody who reads all the time. */
    struct drive_io io;
    bool loaded;
    uint32_t reads;
    uint8_t *buffer;
};

static bool may_read(void *context)
{
    return ((const struct bench *)context)->may;
}

static void found(void *context, uint64_t offset_bytes)
{
    struct bench *bench = context;

    bench->found_bytes[bench->found++] = offset_bytes;
    patrol_go_on(bench->patrol);
}

static void progress(void *context)
{
    ((struct bench *)context)->progress++;
}

static void ended(void *context, enum reason_code why)
{
    struct bench *bench = context;

    bench->ended = true;
    bench->why = why;
}

static struct bench *bench_new(uint32_t rate)
{
    const struct sim_drive_options options = {
        .size_bytes = SIZE, .latency_min_us = 1000, .latency_max_us = 1000};
    const struct drive_identity identity = {.key = "sn-one", .interface = DRIVE_INTERFACE_OTHER};
    struct bench *bench = calloc(1, sizeof(*bench));
    const struct patrol_observer observer = {may_read, found, progress, ended, bench};

    assert_non_null(bench);
    bench->may = true;
    bench->buffer = aligned_alloc(4096, 4096);
    bench->world = sim_world_create(3);
    bench->sim = sim_drive_create(bench->world, &options);
    assert_int_equal(drive_create(&identity, sim_drive_port(bench->sim),
                                  sim_world_clock(bench->world), NULL, NULL, &bench->drive),
                     0);
    assert_int_equal(
        patrol_create(bench->drive, sim_world_clock(bench->world), rate, &observer, &bench->patrol),
        0);
    return bench;
}

static void bench_free(struct bench *bench)
{
    bench->loaded = false;
    sim_world_advance(bench->world, SIM_SECOND);
    bench->patrol = patrol_free(bench->patrol);
    assert_null(drive_free(bench->drive));
    sim_drive_destroy(bench->sim);
    sim_world_destroy(bench->world);
    free(bench->buffer);
    free(bench);
}

static void load_again(struct drive_io *io)
{
    struct bench *bench = io->owner;

    if (bench->loaded) {
        bench->reads++;
        drive_submit(bench->drive, io);
    }
}

static void load_answered(struct drive_io *io UNUSED, enum io_status status)
{
    assert_int_equal(status, IO_STATUS_OK);
}

static void load_begin(struct bench *bench)
{
    bench->loaded = true;
    bench->io = (struct drive_io){.op = IO_OP_READ,
                                  .length_bytes = 4096,
                                  .buffer = bench->buffer,
                                  .complete = load_answered,
                                  .released = load_again,
                                  .owner = bench};
    drive_submit(bench->drive, &bench->io);
}

static void test_all_of_an_idle_drive(void **state UNUSED)
{
    struct bench *bench = bench_new(0);

    patrol_start(bench->patrol);
    sim_world_advance(bench->world, SIM_SECOND); /* a rate of 0 holds beside others only */
    assert_true(bench->ended);
    assert_int_equal(bench->why, REASON_OK);
    assert_int_equal(patrol_done_bytes(bench->patrol), SIZE);
    assert_int_equal(bench->progress, SIZE / (256 * 1024));
    assert_int_equal(drive_counters(bench->drive)->read_bytes, SIZE);
    bench_free(bench);
}

/* Slow, not stopped, while somebody else reads; then all of the drive is its own. */
static void test_gives_way(void **state UNUSED)
{
    struct bench *bench = bench_new(0);

    load_begin(bench);
    patrol_start(bench->patrol);
    sim_world_advance(bench->world, 2 * SIM_SECOND);
    assert_in_range(patrol_done_bytes(bench->patrol), MIB, 4 * MIB);
    assert_true(bench->reads > 1900);
    patrol_rate_set(bench->patrol, 100);
    sim_world_advance(bench->world, SIM_SECOND / 10);
    assert_true(patrol_done_bytes(bench->patrol) > 4 * MIB);
    patrol_rate_set(bench->patrol, 0);
    bench->loaded = false;
    sim_world_advance(bench->world, SIM_SECOND);
    assert_true(bench->ended);
    bench_free(bench);
}

static void test_pace(void **state UNUSED)
{
    assert_int_equal(task_pause_us(0, 7, 9, MIB), SIM_SECOND);
    assert_int_equal(task_pause_us(100, 1000, 1000, MIB), 0);
    assert_int_equal(task_pause_us(50, 1000, 1000, MIB), 1000);
    assert_int_equal(task_pause_us(50, 1000, 5000, MIB), 0); /* others have had theirs */
    assert_int_equal(task_pause_us(1, 1000000, 0, MIB), SIM_SECOND);
}

static void test_block_by_block(void **state UNUSED)
{
    const struct sim_fault faults[] = {{SIM_FAULT_READ, 5 * 4096 + 512, 512},
                                       {SIM_FAULT_READ, 9 * 4096, 8192},
                                       {SIM_FAULT_READ, SIZE - 512, 512}};
    struct bench *bench = bench_new(30);

    for (uint32_t i = 0; i < 3; i++) {
        assert_true(sim_drive_fault_add(bench->sim, &faults[i]));
    }
    patrol_start(bench->patrol);
    sim_world_advance(bench->world, 5 * SIM_SECOND);
    assert_int_equal(bench->why, REASON_OK);
    assert_int_equal(bench->found, 4);
    assert_int_equal(bench->found_bytes[0], 5 * 4096);
    assert_int_equal(bench->found_bytes[1], 9 * 4096);
    assert_int_equal(bench->found_bytes[2], 10 * 4096);
    assert_int_equal(bench->found_bytes[3], SIZE - 4096);
    bench_free(bench);
}

static void test_held_and_stopped(void **state UNUSED)
{
    struct bench *bench = bench_new(30);

    bench->may = false;
    patrol_start(bench->patrol);
    sim_world_advance(bench->world, 2 * SIM_SECOND);
    assert_true(patrol_is_held(bench->patrol));
    assert_int_equal(patrol_done_bytes(bench->patrol), 0);
    patrol_pause(bench->patrol);
    bench->may = true;
    sim_world_advance(bench->world, 2 * SIM_SECOND);
    assert_int_equal(patrol_done_bytes(bench->patrol), 0);
    patrol_resume(bench->patrol);
    patrol_resume(bench->patrol); /* it is not paused any more */
    sim_world_advance(bench->world, 20000);
    assert_true(patrol_done_bytes(bench->patrol) > 0);
    patrol_stop(bench->patrol, REASON_STOPPED_BY_USER);
    patrol_stop(bench->patrol, REASON_SHUTTING_DOWN); /* the first one counts */
    sim_world_advance(bench->world, SIM_SECOND);
    assert_int_equal(bench->why, REASON_STOPPED_BY_USER);
    assert_true(patrol_done_bytes(bench->patrol) < SIZE);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_of_an_idle_drive),
        cmocka_unit_test(test_gives_way),
        cmocka_unit_test(test_pace),
        cmocka_unit_test(test_block_by_block),
        cmocka_unit_test(test_held_and_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
