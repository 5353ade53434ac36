/*
 * A group that nobody observes does what any other does: repairs, notes of bad blocks, losses,
 * rebuilds and copybacks do not need somebody to be told.
 *
 * RAID 5 over three drives, strips of 16 KiB. Row 0: P on member 2, data on members 0 and 1.
 */
#include "aw_test.h"

#include <string.h>

#include "sim_array.h"

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
                                        .spare_count = 2,
                                        .unobserved = true,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(5), &options);

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

static enum vd_status put(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    static uint8_t bytes[4 * STRIP];

    memset(bytes, byte, length);
    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, offset, length, bytes);
}

static enum vd_status get(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    static uint8_t bytes[4 * STRIP];
    enum vd_status status =
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, offset, length, bytes);

    for (uint32_t i = 0; i < length && status == VD_STATUS_OK; i++) {
        assert_int_equal(bytes[i], byte);
    }
    return status;
}

static void bad_sector(struct sim_array *array, uint32_t drive, uint64_t offset_bytes)
{
    const struct sim_fault fault = {SIM_FAULT_READ, offset_bytes, 512};

    assert_true(sim_drive_fault_add(array->sims[drive], &fault));
}

static enum member_state member_state(struct sim_array *array, uint32_t member)
{
    return group_config(array->group)->members[member].state;
}

static void test_media_errors(void **state UNUSED)
{
    struct sim_array *array = array_new();

    assert_int_equal(put(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
    bad_sector(array, 0, 0);
    assert_int_equal(get(array, 0, 4096, 1), VD_STATUS_OK);
    assert_int_equal(array->sims[0]->fault_count, 0); /* rewritten */
    bad_sector(array, 0, 0);
    bad_sector(array, 1, 0);
    assert_int_equal(get(array, 0, 4096, 1), VD_STATUS_IO);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 2);
    assert_int_equal(put(array, 0, 2 * STRIP, 2), VD_STATUS_OK);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 0);
    assert_int_equal(get(array, 0, 2 * STRIP, 2), VD_STATUS_OK);
    array_end(array);
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static int sync_all(struct sim_array *array, bool fill)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = EXTENT / STRIP,
                           .fill = fill,
                           .copy = !fill,
                           .complete = sync_done,
                           .owner = array};

    vd_sync_submit(sync.vd, &sync);
    return sim_array_wait(array);
}

static void test_a_member_is_lost_and_rebuilt(void **state UNUSED)
{
    struct sim_array *array = array_new();

    assert_int_equal(put(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
    sim_drive_pull(array->sims[1], false);
    assert_int_equal(put(array, 0, 2 * STRIP, 2), VD_STATUS_OK);
    assert_int_equal(member_state(array, 1), MEMBER_MISSING);
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    assert_int_equal(sync_all(array, true), 0);
    group_rebuilt_advance(array->group, 1, EXTENT);
    group_member_rebuilt(array->group, 1, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(member_state(array, 1), MEMBER_ONLINE);
    sim_drive_pull(array->sims[0], false);
    assert_int_equal(get(array, 0, 2 * STRIP, 2), VD_STATUS_OK);
    array_end(array);
}

static void copyback_begin(struct sim_array *array)
{
    assert_int_equal(sim_array_copyback(array, 0, 3), 0);
    assert_ptr_equal(group_copyback_drive(array->group), array->drives[3]);
}

static void test_copybacks(void **state UNUSED)
{
    struct sim_array *array = array_new();

    assert_int_equal(put(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
    copyback_begin(array);
    group_copyback_stop(array->group, REASON_OK);
    assert_null(group_copyback_drive(array->group));
    array->twin = SIM_NO_DRIVE; /* which the array has not been told */
    copyback_begin(array);
    assert_int_equal(sync_all(array, false), 0);
    group_copied_advance(array->group, EXTENT);
    group_copyback_finish(array->group, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_ptr_equal(group_drive(array->group, 0), array->drives[3]);
    array->twin = SIM_NO_DRIVE;
    array->place_of[0] = 3;
    assert_int_equal(get(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_media_errors),
        cmocka_unit_test(test_a_member_is_lost_and_rebuilt),
        cmocka_unit_test(test_copybacks),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/quiet", tests, NULL, NULL);
}
