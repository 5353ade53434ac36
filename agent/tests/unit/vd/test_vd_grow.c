/*
 * A virtual drive grows: what it has stays, its new rows are not believed before they are made
 * consistent, marks and doubts hold on, requests wait and see the old size until the new one is
 * durable; and all of it or nothing.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "meta/config_check.h"
#include "scarce_memory.h"
#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP 16384u
#define ROWS 64u /* 1 MiB of each member, and as much again behind it */
#define ROW_BYTES (2u * STRIP)
#define EXTENT (ROWS * STRIP)
#define SIZE (UINT64_C(1) * ROWS * ROW_BYTES)

/* RAID 5 of three members full of old bytes; two more virtual drives would fit behind the first. */
static struct sim_array *array_start(uint64_t seed, bool consistent)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 3,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 1,
                                        .noise = !consistent,
                                        .consistent = consistent,
                                        .dirty_warm_ms = 60000,
                                        .dirty_warm_bytes = 8 * STRIP,
                                        .region_bytes = 4 * STRIP};
    struct sim_array *array = sim_array_create(sim_world_create(seed), &options);

    array->config->vd_count = 1;
    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static struct vd *vd_of(struct sim_array *array)
{
    return sim_array_vd(array, 0);
}

static int grow(struct sim_array *array, uint64_t rows)
{
    group_vd_grow(array->group, vd_of(array), rows * STRIP, rows * ROW_BYTES, sim_array_done,
                  array);
    return sim_array_wait(array);
}

static enum vd_status row_io(struct sim_array *array, enum vd_op op, uint64_t row, int byte)
{
    uint8_t bytes[4096];
    enum vd_status status = VD_STATUS_OK;

    memset(bytes, op == VD_OP_WRITE ? byte : 0xee, sizeof(bytes));
    status = sim_array_io(array, vd_of(array), op, false, row * ROW_BYTES, sizeof(bytes), bytes);
    for (uint32_t i = 0; i < sizeof(bytes) && status == VD_STATUS_OK; i++) {
        assert_int_equal(bytes[i], byte);
    }
    return status;
}

static void has(struct sim_array *array, uint64_t rows)
{
    const struct vd_config *config = vd_config(vd_of(array));

    assert_true(config->size_bytes == rows * ROW_BYTES);
    assert_true(config->geometry.extent_bytes == rows * STRIP);
    assert_true(vd_target(vd_of(array))->size_bytes == config->size_bytes);
}

static void cut(struct sim_array *array)
{
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
}

static void test_new_rows_are_there_and_in_doubt(void **state UNUSED)
{
    struct sim_array *array = array_start(1, true);

    assert_int_equal(row_io(array, VD_OP_WRITE, 5, 5), VD_STATUS_OK);
    assert_int_equal(row_io(array, VD_OP_WRITE, ROWS, 1), VD_STATUS_INVALID);
    assert_true(vd_is_consistent(vd_of(array)));
    assert_int_equal(grow(array, 2 * ROWS), 0);
    has(array, 2 * ROWS);
    assert_false(vd_is_consistent(vd_of(array)));
    assert_int_equal(vd_sync_rows_left(vd_of(array)), ROWS);
    assert_int_equal(row_io(array, VD_OP_READ, 5, 5), VD_STATUS_OK);
    assert_int_equal(row_io(array, VD_OP_WRITE, 2 * ROWS - 1, 7), VD_STATUS_OK);
    assert_int_equal(row_io(array, VD_OP_WRITE, 2 * ROWS, 1), VD_STATUS_INVALID);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    has(array, 2 * ROWS);
    assert_int_equal(vd_sync_rows_left(vd_of(array)), ROWS);
    assert_int_equal(row_io(array, VD_OP_READ, 5, 5), VD_STATUS_OK);
    assert_int_equal(row_io(array, VD_OP_READ, 2 * ROWS - 1, 7), VD_STATUS_OK);
    array_end(array);
}

/* What has been written beside the drives' old bytes outlives the loss of a member. */
static void test_new_rows_are_redundant_once_written(void **state UNUSED)
{
    for (uint32_t lost = 0; lost < 3; lost++) {
        struct sim_array *array = array_start(10 + lost, false);

        assert_int_equal(grow(array, 2 * ROWS), 0);
        for (uint64_t row = ROWS; row < ROWS + 6; row++) {
            assert_int_equal(row_io(array, VD_OP_WRITE, row, (int)row), VD_STATUS_OK);
        }
        assert_int_equal(
            group_member_lose(array->group, lost, MEMBER_FAILED, REASON_DRIVE_LOST_ABSENT, false),
            0);
        for (uint64_t row = ROWS; row < ROWS + 6; row++) {
            assert_int_equal(row_io(array, VD_OP_READ, row, (int)row), VD_STATUS_OK);
        }
        array_end(array);
    }
}

/* The map after a power cut says what the old one said, about writes before and after. */
static void test_marks_hold_on(void **state UNUSED)
{
    struct sim_array *array = array_start(2, true);

    assert_int_equal(row_io(array, VD_OP_WRITE, 5, 1), VD_STATUS_OK);
    assert_int_equal(row_io(array, VD_OP_WRITE, 60, 1), VD_STATUS_OK);
    assert_int_equal(grow(array, ROWS + 8), 0);
    sim_world_advance(array->world, SIM_SECOND / 4); /* the new map is on the members */
    assert_true(vd_config(vd_of(array))->map_ready);
    cut(array);
    has(array, ROWS + 8);
    assert_int_equal(vd_sync_rows_left(vd_of(array)), 8 + 8);
    /* In doubt, and grown again: still. */
    assert_int_equal(grow(array, ROWS + 16), 0);
    assert_int_equal(vd_sync_rows_left(vd_of(array)), 8 + 16);
    sim_world_advance(array->world, SIM_SECOND / 4);
    cut(array);
    assert_int_equal(vd_sync_rows_left(vd_of(array)), 8 + 16);
    array_end(array);
}

/* They go all the same when what they stand for has rested and is flushed. */
static void test_marks_go(void **state UNUSED)
{
    struct sim_array *array = array_start(3, true);

    assert_int_equal(row_io(array, VD_OP_WRITE, 5, 1), VD_STATUS_OK);
    assert_int_equal(grow(array, 2 * ROWS), 0);
    sim_world_advance(array->world, 120 * SIM_SECOND);
    assert_int_equal(region_store_map(vd_of(array)->regions)->dirty, 0);
    cut(array);
    assert_int_equal(vd_sync_rows_left(vd_of(array)), ROWS);
    array_end(array);
}

struct load {
    struct vd_request requests[32];
    uint8_t bytes[32][4096];
    uint32_t answered;
    enum vd_status statuses[32];
};

static void on_request(struct vd_request *request, enum vd_status status)
{
    struct load *load = request->owner;

    load->statuses[request - load->requests] = status;
    load->answered++;
}

static void load_submit(struct sim_array *array, struct load *load, uint32_t index, uint64_t row)
{
    memset(load->bytes[index], (int)index, sizeof(load->bytes[index]));
    load->requests[index] = (struct vd_request){.op = VD_OP_WRITE,
                                                .offset_bytes = row * ROW_BYTES,
                                                .length_bytes = sizeof(load->bytes[index]),
                                                .buffer = load->bytes[index],
                                                .complete = on_request,
                                                .owner = load};
    vd_submit(vd_of(array), &load->requests[index]);
}

/* Requests of before wait for nothing, those that come meanwhile wait; the new rows are not there
 * before they are durable. */
static void test_under_load(void **state UNUSED)
{
    static struct load load;
    struct sim_array *array = array_start(4, true);

    load = (struct load){.answered = 0};
    for (uint32_t i = 0; i < 16; i++) {
        load_submit(array, &load, i, i);
    }
    array->done = false;
    group_vd_grow(array->group, vd_of(array), 2 * EXTENT, 2 * SIZE, sim_array_done, array);
    for (uint32_t i = 16; i < 24; i++) {
        load_submit(array, &load, i, i);
    }
    while (!vd_of(array)->growing) {
        assert_true(sim_world_step(array->world));
    }
    assert_int_equal(array->group->ops_active, 0);
    assert_int_equal(load.answered, 24);
    load_submit(array, &load, 24, ROWS + 1);
    load_submit(array, &load, 25, 25);
    while (vd_of(array)->growing) {
        assert_int_equal(array->group->ops_active, 0);
        assert_true(sim_world_step(array->world));
    }
    assert_in_range(load.answered, 24, 25); /* who came meanwhile has waited */
    assert_int_equal(sim_array_wait(array), 0);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(load.answered, 26);
    for (uint32_t i = 0; i < 26; i++) {
        assert_int_equal(load.statuses[i], i == 24 ? VD_STATUS_INVALID : VD_STATUS_OK);
        if (i != 24) {
            assert_int_equal(row_io(array, VD_OP_READ, i, (int)i), VD_STATUS_OK);
        }
    }
    array_end(array);
}

/* The record cannot be saved: nothing has changed, and it goes another time. */
static void test_all_or_nothing(void **state UNUSED)
{
    struct sim_array *array = array_start(5, true);

    assert_int_equal(row_io(array, VD_OP_WRITE, 5, 1), VD_STATUS_OK);
    array->sim_store->fail_with = -ENOSPC;
    assert_int_equal(grow(array, 2 * ROWS), -ENOSPC);
    array->sim_store->fail_with = 0;
    has(array, ROWS);
    assert_false(array->group->growing);
    assert_true(vd_is_consistent(vd_of(array)));
    assert_int_equal(row_io(array, VD_OP_WRITE, 20, 2), VD_STATUS_OK);
    assert_int_equal(row_io(array, VD_OP_WRITE, ROWS, 2), VD_STATUS_INVALID);
    sim_world_advance(array->world, SIM_SECOND / 4);
    cut(array);
    has(array, ROWS);
    assert_in_range(vd_sync_rows_left(vd_of(array)), 8, 12); /* its marks are those of before */
    assert_int_equal(grow(array, 2 * ROWS), 0);
    has(array, 2 * ROWS);
    assert_int_equal(row_io(array, VD_OP_READ, 5, 1), VD_STATUS_OK);
    assert_int_equal(row_io(array, VD_OP_READ, 20, 2), VD_STATUS_OK);
    array_end(array);
}

static void on_grown(void *context, int error)
{
    *(int *)context = error;
}

/* The power goes before the record is anywhere: the old map is there, and believed. */
static void test_the_old_map_stays_until_then(void **state UNUSED)
{
    uint32_t old = 0;

    for (uint64_t seed = 40; seed < 60; seed++) {
        struct sim_array *array = array_start(seed, true);
        int error = 0;

        for (uint64_t row = 0; row < 4 * (1 + seed % 2); row += 4) { /* to either place */
            assert_int_equal(row_io(array, VD_OP_WRITE, row, 1), VD_STATUS_OK);
            sim_world_advance(array->world, SIM_SECOND / 4);
        }
        assert_true(vd_config(vd_of(array))->map_ready);
        array->sim_store->latency_max_us = 4 * SIM_SECOND;
        group_vd_grow(array->group, vd_of(array), 2 * EXTENT, 2 * SIZE, on_grown, &error);
        while (!vd_of(array)->growing) {
            assert_true(sim_world_step(array->world));
        }
        sim_world_advance(array->world, SIM_SECOND / 4);
        cut(array);
        if (vd_config(vd_of(array))->size_bytes == SIZE) {
            old++;
            assert_int_equal(vd_sync_rows_left(vd_of(array)), 4 * (1 + seed % 2));
        }
        array_end(array);
    }
    assert_true(old >= 4);
}

static void on_synced(struct vd_sync *sync, int error)
{
    *(int *)sync->owner = error;
}

struct second {
    bool done;
    int error;
};

static void on_added(void *context, int error, struct vd *vd UNUSED)
{
    struct second *second = context;

    *second = (struct second){.done = true, .error = error};
}

static void second_add(struct sim_array *array, uint64_t gap_bytes)
{
    struct vd_config config = array->config->vds[1];
    struct second second = {.done = false};

    config.extent_start_bytes += gap_bytes;
    group_vd_add(array->group, &config, on_added, &second);
    assert_true(sim_world_run_until_flag(array->world, &second.done, 60 * SIM_SECOND));
    assert_int_equal(second.error, 0);
}

/* Syncs that were asked for while the record was being saved, which failed: those of rows that are
 * not there after all have not begun and are given back, the others are done. */
static void test_syncs_when_undone(void **state UNUSED)
{
    static const struct {
        uint32_t vd, row, row_count;
        int error;
    } cases[] = {{0, 0, 4, 0},          {0, ROWS - 4, 4, 0},       {0, ROWS - 4, 5, -EAGAIN},
                 {0, ROWS, 1, -EAGAIN}, {0, ROWS + 4, 4, -EAGAIN}, {1, ROWS - 1, 1, 0}};
    struct sim_array *array = array_start(23, false);
    struct vd_sync syncs[sizeof(cases) / sizeof(cases[0])];
    int synced[sizeof(cases) / sizeof(cases[0])];
    int grown = 1;

    second_add(array, EXTENT);
    array->sim_store->latency_max_us = SIM_SECOND;
    array->sim_store->fail_with = -ENOSPC;
    group_vd_grow(array->group, vd_of(array), 2 * EXTENT, 2 * SIZE, on_grown, &grown);
    while (!vd_of(array)->growing) {
        assert_true(sim_world_step(array->world));
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vd *vd = sim_array_vd(array, cases[i].vd);

        synced[i] = 1;
        syncs[i] = (struct vd_sync){.vd = vd,
                                    .row = cases[i].row,
                                    .row_count = cases[i].row_count,
                                    .complete = on_synced,
                                    .owner = &synced[i]};
        vd_sync_submit(vd, &syncs[i]);
    }
    while (grown == 1) {
        assert_int_equal(array->group->syncs_open, sizeof(cases) / sizeof(cases[0]));
        assert_true(sim_world_step(array->world));
    }
    array->sim_store->fail_with = 0;
    assert_int_equal(grown, -ENOSPC);
    has(array, ROWS);
    sim_world_advance(array->world, 10 * SIM_SECOND);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(synced[i], cases[i].error);
    }
    array_end(array);
}

static void test_refusals(void **state UNUSED)
{
    struct sim_array *array = array_start(6, false);
    int synced = 1;
    struct vd_sync sync = {
        .vd = vd_of(array), .row_count = ROWS, .complete = on_synced, .owner = &synced};
    uint64_t room = drive_room_bytes(array->drives[0], false) / STRIP;

    assert_int_equal(grow(array, ROWS), -EINVAL);
    assert_int_equal(grow(array, ROWS - 1), -EINVAL);
    assert_int_equal(grow(array, room + 1), -EINVAL);
    vd_sync_submit(vd_of(array), &sync);
    assert_int_equal(grow(array, 2 * ROWS), -EBUSY);
    sim_world_advance(array->world, 60 * SIM_SECOND);
    assert_int_equal(synced, 0);
    assert_int_equal(sim_array_copyback(array, 1, 3), 0);
    assert_int_equal(grow(array, 2 * ROWS), -EBUSY);
    group_copyback_stop(array->group, REASON_STOPPED_BY_USER);
    sim_world_advance(array->world, SIM_SECOND);
    has(array, ROWS);
    assert_int_equal(grow(array, room), 0);
    array_end(array);
    array = array_start(7, true);
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_FAILED, REASON_DRIVE_LOST_ABSENT, false), 0);
    assert_int_equal(grow(array, 2 * ROWS), -ENODEV);
    has(array, ROWS);
    array_end(array);
}

/* What does not fit together; what is too much for any drive. */
static void test_senseless_sizes_are_refused(void **state UNUSED)
{
    const struct {
        uint64_t extent_bytes, size_bytes;
    } cases[] = {
        {EXTENT - STRIP, 2 * SIZE},
        {MEMBER_BYTES_MAX + STRIP, 2 * SIZE},
        {2 * EXTENT, SIZE},
    };
    struct sim_array *array = array_start(9, true);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        group_vd_grow(array->group, vd_of(array), cases[i].extent_bytes, cases[i].size_bytes,
                      sim_array_done, array);
        assert_int_equal(sim_array_wait(array), -EINVAL);
        has(array, ROWS);
    }
    array_end(array);
}

/* Cursors are being saved, or a copyback is ending: what these have captured is of the old size. */
static void test_refused_amid_others(void **state UNUSED)
{
    for (uint32_t exchange = 0; exchange < 2; exchange++) {
        struct sim_array *array = array_start(20, true);
        int told = 1;

        assert_int_equal(row_io(array, VD_OP_WRITE, 5, 5), VD_STATUS_OK);
        if (exchange != 0) {
            assert_int_equal(sim_array_copyback(array, 1, 3), 0);
            group_copyback_finish(array->group, on_grown, &told);
        } else {
            group_checkpoint(array->group, on_grown, &told);
        }
        assert_int_equal(grow(array, 2 * ROWS), -EBUSY);
        has(array, ROWS);
        assert_int_equal(told, 1); /* still under way */
        while (told == 1) {
            assert_true(sim_world_step(array->world));
        }
        assert_int_equal(told, exchange != 0 ? -EAGAIN : 0); /* not all has been copied */
        group_copyback_stop(array->group, REASON_STOPPED_BY_USER);
        assert_int_equal(row_io(array, VD_OP_READ, 5, 5), VD_STATUS_OK);
        assert_int_equal(grow(array, 2 * ROWS), 0);
        has(array, 2 * ROWS);
        array_end(array);
    }
}

/* No memory for the larger region map: nothing has changed, and it goes another time. */
static void test_no_memory_for_the_map(void **state UNUSED)
{
    struct sim_array *array = array_start(21, true);
    struct growth growth = {.vd = vd_of(array), .extent_bytes = 2 * EXTENT, .size_bytes = 2 * SIZE};
    uint32_t failures = 0;

    assert_int_equal(row_io(array, VD_OP_WRITE, 5, 5), VD_STATUS_OK);
    sim_world_advance(array->world, SIM_SECOND / 4);
    for (bool failed = true; failed; failures += failed ? 1u : 0u) {
        const struct region_map *map = region_store_map(vd_of(array)->regions);

        scarce_memory_fail(failures + 1);
        if (growth_apply(&growth) != -ENOMEM) {
            failed = false;
            assert_false(scarce_memory_end());
            assert_true(vd_of(array)->growing);
            array->group->growing = true;
            growth_undo(&growth);
            array->group->growing = false;
        } else {
            assert_true(scarce_memory_end());
        }
        assert_ptr_equal(map, region_store_map(vd_of(array)->regions));
        has(array, ROWS);
        assert_int_equal(map->count, ROWS / 4);
        assert_false(vd_of(array)->growing);
    }
    assert_in_range(failures, 4, 64);
    assert_int_equal(grow(array, 2 * ROWS), 0);
    has(array, 2 * ROWS);
    assert_int_equal(row_io(array, VD_OP_READ, 5, 5), VD_STATUS_OK);
    array_end(array);
}

/* Without redundancy there is no region map. */
static void test_without_redundancy(void **state UNUSED)
{
    struct sim_array_options options = {.level = RAID_LEVEL_0,
                                        .span_count = 1,
                                        .members_per_span = 2,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 2,
                                        .extent_bytes = EXTENT};
    struct sim_array *array = sim_array_create(sim_world_create(22), &options);

    array->config->vd_count = 1;
    assert_int_equal(sim_array_start(array), 0);
    assert_null(vd_of(array)->regions);
    assert_int_equal(row_io(array, VD_OP_WRITE, 5, 5), VD_STATUS_OK);
    array->sim_store->fail_with = -ENOSPC;
    assert_int_equal(grow(array, 2 * ROWS), -ENOSPC);
    array->sim_store->fail_with = 0;
    has(array, ROWS);
    assert_int_equal(row_io(array, VD_OP_WRITE, ROWS, 6), VD_STATUS_INVALID);
    assert_int_equal(grow(array, 2 * ROWS), 0);
    has(array, 2 * ROWS);
    assert_int_equal(row_io(array, VD_OP_WRITE, 2 * ROWS - 1, 6), VD_STATUS_OK);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    has(array, 2 * ROWS);
    assert_int_equal(row_io(array, VD_OP_READ, 5, 5), VD_STATUS_OK);
    assert_int_equal(row_io(array, VD_OP_READ, 2 * ROWS - 1, 6), VD_STATUS_OK);
    array_end(array);
}

/* Somebody is behind it. */
static void test_not_into_another(void **state UNUSED)
{
    struct sim_array *array = array_start(8, true);

    second_add(array, 0);
    assert_int_equal(grow(array, ROWS + 1), -EINVAL);
    has(array, ROWS);
    assert_int_equal(row_io(array, VD_OP_WRITE, 5, 5), VD_STATUS_OK);
    assert_int_equal(row_io(array, VD_OP_READ, 5, 5), VD_STATUS_OK);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_rows_are_there_and_in_doubt),
        cmocka_unit_test(test_new_rows_are_redundant_once_written),
        cmocka_unit_test(test_marks_hold_on),
        cmocka_unit_test(test_marks_go),
        cmocka_unit_test(test_under_load),
        cmocka_unit_test(test_all_or_nothing),
        cmocka_unit_test(test_the_old_map_stays_until_then),
        cmocka_unit_test(test_syncs_when_undone),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_senseless_sizes_are_refused),
        cmocka_unit_test(test_refused_amid_others),
        cmocka_unit_test(test_no_memory_for_the_map),
        cmocka_unit_test(test_without_redundancy),
        cmocka_unit_test(test_not_into_another),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/grow", tests, NULL, NULL);
}
