/*
 * The end of a copyback, between the moment at which the drives have changed their places and the
 * one at which that is saved: cursors that still move, drives that go.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

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
        cmocka_unit_test(test_both_go),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/exchange", tests, NULL, NULL);
}
