/*
 * The end of a copyback, between the moment at which the drives have changed their places and the
 * one at which that is saved: cursors that still move, drives that go. And what a group knows of
 * the records on its members, whatever becomes of their save.
 */
#include "aw_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "meta/region_page.h"
#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP (16u << 10)
#define EXTENT (1u << 20)

static struct sim_array *array_new(void)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 1,
                                        .timeout_ms = 400,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(47), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    array->sim_store->fail_with = 0;
    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void io(struct sim_array *array, enum vd_op op, int byte)
{
    static uint8_t bytes[2 * STRIP];

    memset(bytes, op == VD_OP_WRITE ? byte : 0xee, sizeof(bytes));
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), op, false, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
    for (uint32_t i = 0; i < sizeof(bytes); i++) {
        assert_int_equal(bytes[i], byte);
    }
}

static void copied(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

/* Drive 3 has all that member 0 has, and takes its place; that is not saved yet. */
static void exchange(struct sim_array *array, int store_error)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = EXTENT / STRIP,
                           .copy = true,
                           .complete = copied,
                           .owner = array};

    io(array, VD_OP_WRITE, 3);
    assert_int_equal(sim_array_copyback(array, 0, 3), 0);
    vd_sync_submit(sync.vd, &sync);
    assert_int_equal(sim_array_wait(array), 0);
    group_copied_advance(array->group, EXTENT);
    array->sim_store->fail_with = store_error;
    group_copyback_finish(array->group, sim_array_done, array);
    while (!array->group->exchanged) {
        assert_true(sim_world_step(array->world));
    }
    assert_ptr_equal(group_drive(array->group, 0), array->drives[3]);
}

/* Whoever copied does not know yet that it is over. */
static void test_a_cursor_that_comes_late(void **state UNUSED)
{
    struct sim_array *array = array_new();

    exchange(array, 0);
    group_copied_advance(array->group, EXTENT / 2); /* would be a step back */
    assert_int_equal(group_copied_bytes(array->group), EXTENT);
    assert_int_equal(sim_array_wait(array), 0);
    io(array, VD_OP_READ, 3);
    array_end(array);
}

/* The former member's drive is lost, as by a flush that fails: it is nobody's, and no end of a
 * copyback is told. */
static void former_lost(struct sim_array *array)
{
    struct group *group = array->group;
    uint64_t told = array->copybacks;

    sim_drive_pull(array->sims[0], false);
    group_enter(group);
    twin_drop(group, REASON_DRIVE_LOST_FLUSH);
    group_leave(group);
    assert_true(group->exchanged);
    assert_int_equal(array->copybacks, told);
}

/* There is no way back then: saved or not, the new drive has the place. */
static void test_the_former_one_goes(void **state UNUSED)
{
    for (int what = 0; what < 2; what++) {
        struct sim_array *array = array_new();

        exchange(array, what == 0 ? 0 : -ENOSPC);
        former_lost(array);
        (void)sim_array_wait(array);
        array->sim_store->fail_with = 0;
        sim_world_advance(array->world, SIM_SECOND);
        assert_ptr_equal(group_drive(array->group, 0), array->drives[3]);
        assert_null(group_copyback_drive(array->group));
        assert_int_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
        io(array, VD_OP_READ, 3);
        array_end(array);
    }
}

/* The new one is lost while the record that names it is being saved: the former one has the place,
 * and that record is not counted as one that it has. */
static void test_the_new_one_goes(void **state UNUSED)
{
    struct sim_array *array = array_new();
    struct group *group = array->group;
    uint64_t sequence = 0;

    exchange(array, 0);
    while (!group->save_running) {
        assert_true(sim_world_step(array->world));
    }
    sequence = group->image.sequence;
    assert_true(uuid_equal(&group->image.members[0].drive, &array->uuids[3]));
    assert_int_equal(group_member_lose(group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_ptr_equal(group_drive(group, 0), array->drives[0]);
    while (group->save_running && group->image.sequence == sequence) {
        assert_true(sim_world_step(array->world));
    }
    assert_true(group_config(group)->members[0].known_sequence < sequence);
    assert_true(group_config(group)->members[1].known_sequence >= sequence);
    assert_int_equal(sim_array_wait(array), -ENODEV);
    assert_int_equal(group_config(group)->members[0].state, MEMBER_ONLINE);
    assert_true(uuid_equal(&group_config(group)->members[0].drive, &array->uuids[0]));
    io(array, VD_OP_READ, 3);
    array_end(array);
}

/* A member is lost while the record is on its way to its label: it may be there. Another record
 * with the same number is none of the group's own. */
static void test_a_record_that_may_be_there(void **state UNUSED)
{
    struct sim_array *array = array_new();
    struct group *group = array->group;
    struct group_config *record = malloc(sizeof(*record));
    uint64_t known = 0;

    assert_non_null(record);
    io(array, VD_OP_WRITE, 3);
    known = group_config(group)->members[1].known_sequence;
    assert_int_equal(group_member_lose(group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    while (!group->save_running) {
        assert_true(sim_world_step(array->world));
    }
    *record = group->image;
    sim_drive_pull(array->sims[1], false);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(group_state(group), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(group_config(group)->members[1].known_sequence, known);
    assert_true(group_record_is_own(group, 1, record));
    assert_false(group_record_is_own(group, 0, record)); /* it was lost by then */
    record->members[2].state = MEMBER_MISSING;
    assert_false(group_record_is_own(group, 1, record));
    record->members[2].state = MEMBER_ONLINE;
    record->sequence++;
    assert_false(group_record_is_own(group, 1, record));
    free(record);
    sim_drive_return(array->sims[1]);
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
    array_end(array);
}

/* A member's own drive gets its label when it comes back, and the last copies refuse the record: it
 * is lost again, but its label is known. */
static void test_a_label_of_a_refused_record(void **state UNUSED)
{
    struct sim_array *array = array_new();
    struct group *group = array->group;
    uint64_t sequence = 0;

    io(array, VD_OP_WRITE, 3);
    assert_int_equal(group_member_lose(group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    io(array, VD_OP_WRITE, 4);
    sim_world_advance(array->world, SIM_SECOND);
    for (uint32_t i = 1; i < 3; i++) {
        array->sims[i]->refusal = IO_STATUS_NO_SPACE;
        array->sims[i]->refusal_length_bytes = array->sims[i]->port.size_bytes;
    }
    sequence = group_config(group)->sequence;
    group_member_replace(group, 0, array->drives[0], &array->uuids[0], sim_array_done, array);
    assert_int_not_equal(sim_array_wait(array), 0);
    array->sims[1]->refusal = array->sims[2]->refusal = IO_STATUS_OK;
    assert_int_equal(group_config(group)->members[0].state, MEMBER_OFFLINE);
    assert_true(group_config(group)->members[0].known_sequence > sequence);
    sim_world_advance(array->world, 5 * SIM_SECOND);
    io(array, VD_OP_READ, 4);
    array_end(array);
}

static uint64_t map_of(const struct sim_drive *sim, uint32_t place)
{
    return drive_layout_region_page_offset(sim->port.size_bytes, false, 0, place, 0);
}

static void map_hangs(void *context UNUSED, struct sim_drive *sim, const struct io_request *request)
{
    sim->hang =
        sim->hang || (request->op == IO_OP_WRITE && request->offset_bytes >= map_of(sim, 0) &&
                      request->offset_bytes < map_of(sim, 0) + (1u << 20));
}

static uint64_t newest_page(const struct sim_drive *sim)
{
    uint64_t newest = 0;

    for (uint32_t place = 0; place < 2; place++) {
        uint8_t bytes[REGION_PAGE_BYTES];
        struct region_page page;

        sim_drive_peek_durable(sim, map_of(sim, place), bytes, sizeof(bytes));
        if (region_page_decode(bytes, &page) == 0) {
            newest = max_u64(newest, page.sequence);
        }
    }
    return newest;
}

/* The new one hangs with a page of the region map, and the former one is in its place again: it
 * gets all pages from then on like everybody else, though the drive has not let go of that one. */
static void test_the_new_one_hangs_with_a_page(void **state UNUSED)
{
    struct sim_array *array = array_new();
    struct group *group = array->group;
    const struct region_map *map = region_store_map(sim_array_vd(array, 0)->regions);

    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(vd_config(sim_array_vd(array, 0))->map_slot, 1);
    array->sims[3]->on_submit = map_hangs;
    array->sim_store->latency_max_us = 5 * SIM_SECOND; /* it is saved late enough */
    exchange(array, 0);
    array->sim_store->latency_max_us = 300;
    group_copyback_stop(group, REASON_OK); /* too late; but the new one gets its pages now */
    while (group->exchanged) {
        assert_true(sim_world_step(array->world));
    }
    assert_false(array->done);
    (void)sim_array_wait(array);
    sim_world_advance(array->world, SIM_SECOND);
    assert_ptr_equal(group_drive(group, 0), array->drives[0]);
    assert_int_equal(group_config(group)->members[0].state, MEMBER_ONLINE);
    assert_true(array->sims[3]->in_flight_count > 0);
    io(array, VD_OP_WRITE, 5);
    assert_true(vd_config(sim_array_vd(array, 0))->map_ready);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(newest_page(array->sims[i]), map->pages[0].sequence);
    }
    array->sims[3]->on_submit = NULL;
    sim_drive_unhang(array->sims[3]);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(group->late_flushes, 0);
    io(array, VD_OP_READ, 5);
    array_end(array);
}

static void flush_hangs(void *context, struct sim_drive *sim, const struct io_request *request)
{
    const struct sim_array *array = context;

    sim->hang = sim->hang || (request->op == IO_OP_FLUSH && array->group->exchanged);
}

static void flushed(void *context, int error)
{
    int *answer = context;

    *answer = error;
}

/* The new one hangs with a flush, and the former one is in its place again: it is flushed like
 * everybody else, though the drive has not let go of that one. */
static void test_the_new_one_hangs_with_a_flush(void **state UNUSED)
{
    struct sim_array *array = array_new();
    struct group *group = array->group;
    int answer = 1;

    sim_world_advance(array->world, SIM_SECOND);
    array->sims[3]->on_submit = flush_hangs;
    array->sims[3]->on_submit_context = array;
    array->sim_store->latency_max_us = 5 * SIM_SECOND; /* it is saved late enough */
    exchange(array, 0);
    array->sim_store->latency_max_us = 300;
    group_copyback_stop(group, REASON_OK); /* too late; but the new one gets its pages now */
    while (group->exchanged) {
        assert_true(sim_world_step(array->world));
    }
    assert_ptr_equal(group_drive(group, 0), array->drives[0]);
    assert_true(array->sims[3]->in_flight_count > 0);
    (void)sim_array_wait(array);
    for (int i = 0; i < 2; i++) {
        io(array, VD_OP_WRITE, 5 + i);
        answer = 1;
        group_checkpoint(group, flushed, &answer);
        sim_world_advance(array->world, SIM_SECOND);
        assert_int_equal(answer, 0);
        assert_int_equal(group->members[0].flushed, group->members[0].written);
    }
    assert_int_equal(group_config(group)->members[0].state, MEMBER_ONLINE);
    assert_true(array->sims[3]->in_flight_count > 0);
    group_copyback_start(group, 0, array->drives[3], &array->uuids[3], sim_array_done, array);
    assert_int_equal(sim_array_wait(array), -EBUSY); /* not before it has let go */
    array->sims[3]->on_submit = NULL;
    sim_drive_unhang(array->sims[3]);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(group->late_flushes, 0);
    io(array, VD_OP_READ, 6);
    array_end(array);
}

/* First the former one, then the new one: the member is lost, the others have its data. */
static void test_both_go(void **state UNUSED)
{
    struct sim_array *array = array_new();

    exchange(array, 0);
    former_lost(array);
    (void)group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false);
    (void)sim_array_wait(array);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_OFFLINE);
    io(array, VD_OP_READ, 3);
    io(array, VD_OP_WRITE, 4);
    io(array, VD_OP_READ, 4);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cursor_that_comes_late),
        cmocka_unit_test(test_the_former_one_goes),
        cmocka_unit_test(test_the_new_one_goes),
        cmocka_unit_test(test_a_record_that_may_be_there),
        cmocka_unit_test(test_a_label_of_a_refused_record),
        cmocka_unit_test(test_the_new_one_hangs_with_a_page),
        cmocka_unit_test(test_the_new_one_hangs_with_a_flush),
        cmocka_unit_test(test_both_go),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/exchange", tests, NULL, NULL);
}
