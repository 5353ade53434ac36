/*
 * Virtual drives that are added to a group and removed from it: what does not have the group's
 * shape is refused, the first one of an empty group and one of a group that misses a member are
 * not, and one that goes leaves no notes behind. Drives that are taken: they are there, and where.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP (16u << 10)
#define EXTENT (1u << 20)

/* One that is there, and the configuration of one to be added. */
static struct sim_array *array_new(enum raid_level level, uint32_t spans, uint32_t width,
                                   uint32_t vd_count)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = spans,
                                        .members_per_span = width,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 2,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 2,
                                        .region_bytes = 4 * STRIP,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(31), &options);

    array->config->vd_count = vd_count;
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

struct answer {
    bool done;
    int error;
    struct vd *vd;
};

static void on_added(void *context, int error, struct vd *vd)
{
    struct answer *answer = context;

    *answer = (struct answer){.done = true, .error = error, .vd = vd};
}

static int add(struct sim_array *array, const struct vd_config *config)
{
    struct answer answer = {.done = false};

    group_vd_add(array->group, config, on_added, &answer);
    assert_true(sim_world_run_until_flag(array->world, &answer.done, 60 * SIM_SECOND));
    assert_int_equal(answer.vd != NULL, answer.error == 0);
    return answer.error;
}

static void remove_it(struct sim_array *array)
{
    group_vd_remove(array->group, sim_array_vd(array, 0), sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
}

static enum vd_status io(struct sim_array *array, uint32_t vd, enum vd_op op, int byte)
{
    static uint8_t bytes[STRIP];
    enum vd_status status = VD_STATUS_OK;

    memset(bytes, op == VD_OP_WRITE ? byte : 0xee, sizeof(bytes));
    status = sim_array_io(array, sim_array_vd(array, vd), op, false, 0, sizeof(bytes), bytes);
    for (uint32_t i = 0; i < sizeof(bytes) && status == VD_STATUS_OK; i++) {
        assert_int_equal(bytes[i], byte);
    }
    return status;
}

/* As many members as the group has, but others' rows. */
static void test_other_shapes(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_50, 2, 6, 1);
    struct vd_config config = array->config->vds[1];

    config.geometry.level = RAID_LEVEL_5;
    config.geometry.span_count = 1;
    config.geometry.members_per_span = 12;
    assert_int_equal(add(array, &config), -EINVAL);
    config = array->config->vds[1];
    config.geometry.level = RAID_LEVEL_60;
    assert_int_equal(add(array, &config), -EINVAL);
    config = array->config->vds[1];
    config.geometry.span_count = 4;
    config.geometry.members_per_span = 3;
    assert_int_equal(add(array, &config), -EINVAL);
    assert_int_equal(group_vd_count(array->group), 1);
    assert_int_equal(add(array, &array->config->vds[1]), 0);
    assert_int_equal(io(array, 1, VD_OP_WRITE, 3), VD_STATUS_OK);
    assert_int_equal(io(array, 0, VD_OP_READ, 0), VD_STATUS_OK);
    assert_int_equal(io(array, 1, VD_OP_READ, 3), VD_STATUS_OK);
    array_end(array);
}

static void test_the_first_one(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3, 1);

    assert_int_equal(io(array, 0, VD_OP_WRITE, 1), VD_STATUS_OK);
    remove_it(array);
    assert_int_equal(group_vd_count(array->group), 0);
    assert_int_equal(add(array, &array->config->vds[1]), 0);
    assert_int_equal(io(array, 0, VD_OP_WRITE, 2), VD_STATUS_OK);
    assert_int_equal(io(array, 0, VD_OP_READ, 2), VD_STATUS_OK);
    array_end(array);
}

/* The memory for rows is what it was when the group began, whatever it has now. */
static void test_longer_rows_than_there_is_memory_for(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_50, 4, 3, 1);
    struct vd_config config = array->config->vds[1];

    remove_it(array);
    config.geometry.span_count = 2;
    config.geometry.members_per_span = 6;
    assert_int_equal(add(array, &config), -EINVAL);
    assert_int_equal(add(array, &array->config->vds[1]), 0);
    array_end(array);
}

/* A member is missing: the others have room, and that is all there is to ask. */
static void test_without_a_member(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3, 1);
    struct vd_config config = array->config->vds[1];

    sim_drive_pull(sim_array_sim(array, 0), false);
    assert_int_equal(io(array, 0, VD_OP_WRITE, 1), VD_STATUS_OK);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    assert_null(group_drive(array->group, 0));
    config.geometry.extent_bytes = 64 * EXTENT; /* longer than the others */
    assert_int_equal(add(array, &config), -EINVAL);
    assert_int_equal(add(array, &array->config->vds[1]), 0);
    assert_int_equal(io(array, 1, VD_OP_WRITE, 2), VD_STATUS_OK);
    assert_int_equal(io(array, 1, VD_OP_READ, 2), VD_STATUS_OK);
    array_end(array);
}

/* Notes of blocks that cannot be read go with what they are of; those of others stay. */
static void test_notes_go_with_it(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_0, 1, 2, 2);
    struct sim_fault fault = {SIM_FAULT_READ, 4096, 4096};

    assert_true(sim_drive_fault_add(sim_array_sim(array, 0), &fault));
    fault.offset_bytes += array->config->vds[1].extent_start_bytes;
    assert_true(sim_drive_fault_add(sim_array_sim(array, 0), &fault));
    assert_int_equal(io(array, 0, VD_OP_READ, 0), VD_STATUS_IO);
    assert_int_equal(io(array, 1, VD_OP_READ, 0), VD_STATUS_IO);
    assert_int_equal(group_config(array->group)->bad_count, 2);
    remove_it(array);
    assert_int_equal(group_vd_count(array->group), 1);
    assert_int_equal(group_config(array->group)->bad_count, 1);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 1);
    sim_world_advance(array->world, SIM_SECOND);
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(group_config(array->group)->bad_count, 1);
    array_end(array);
}

/* A page of its map is on its way to the members: it goes when that has come back. */
static void test_removal_amid_a_page(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3, 2);
    struct vd *vd = sim_array_vd(array, 0);

    assert_int_equal(io(array, 0, VD_OP_WRITE, 1), VD_STATUS_OK);
    assert_int_equal(io(array, 1, VD_OP_WRITE, 2), VD_STATUS_OK);
    sim_world_advance(array->world, 10 * SIM_SECOND);
    group_enter(array->group);
    region_map_change_all(region_store_map(vd->regions));
    group_leave(array->group);
    assert_true(region_store_is_busy(vd->regions));
    group_vd_remove(array->group, vd, sim_array_done, array);
    assert_int_equal(group_vd_count(array->group), 2); /* not yet */
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(group_vd_count(array->group), 1);
    assert_int_equal(io(array, 0, VD_OP_READ, 2), VD_STATUS_OK);
    array_end(array);
}

static void on_synced(struct vd_sync *sync, int error)
{
    *(struct answer *)sync->owner = (struct answer){.done = true, .error = error};
}

/* On its way out it takes no work any more. */
static void test_a_sync_of_one_that_goes(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3, 2);
    struct answer answer = {.done = false};
    struct vd_sync sync = {
        .vd = sim_array_vd(array, 0), .row_count = 8, .complete = on_synced, .owner = &answer};

    sim_world_advance(array->world, SIM_SECOND);
    group_vd_remove(array->group, sync.vd, sim_array_done, array);
    assert_false(sync.vd->serving); /* the removal is being saved */
    vd_sync_submit(sync.vd, &sync);
    assert_int_equal(sim_array_wait(array), 0);
    assert_true(answer.done);
    assert_int_equal(answer.error, -ECANCELED);
    assert_int_equal(group_vd_count(array->group), 1);
    array_end(array);
}

/* Where a drive is, is recorded with the member it becomes: where that is known. */
static void test_places(void **state UNUSED)
{
    static const struct {
        uint32_t eid, slot;
        bool known;
    } places[] = {{252, 7, true}, {252, UINT16_MAX, false}, {UINT32_MAX, 7, false}};

    for (uint32_t i = 0; i < 3; i++) {
        struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3, 1);
        const struct member_config *member = &group_config(array->group)->members[1];

        drive_identity_set_place(array->drives[3], places[i].eid, places[i].slot, 12);
        assert_int_equal(
            group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
        assert_int_equal(io(array, 0, VD_OP_WRITE, 1), VD_STATUS_OK);
        assert_int_equal(sim_array_replace(array, 1, 3), 0);
        assert_int_equal(member->place_known, places[i].known);
        assert_int_equal(member->eid, places[i].known ? 252 : 0);
        assert_int_equal(member->slot, places[i].known ? 7 : 0);
        array_end(array);
    }
}

/* The drive has gone by the time the copyback is to begin. */
static void test_a_copyback_to_a_drive_that_has_gone(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3, 1);

    drive_port_gone(array->drives[3]);
    group_copyback_start(array->group, 0, array->drives[3], &array->uuids[3], sim_array_done,
                         array);
    assert_int_equal(sim_array_wait(array), -ENODEV);
    assert_null(group_copyback_drive(array->group));
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_shapes),
        cmocka_unit_test(test_the_first_one),
        cmocka_unit_test(test_longer_rows_than_there_is_memory_for),
        cmocka_unit_test(test_without_a_member),
        cmocka_unit_test(test_notes_go_with_it),
        cmocka_unit_test(test_removal_amid_a_page),
        cmocka_unit_test(test_a_sync_of_one_that_goes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_a_copyback_to_a_drive_that_has_gone),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/add", tests, NULL, NULL);
}
