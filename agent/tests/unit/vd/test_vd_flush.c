/*
 * Failed flushes (P7): the drive has dropped what it took since its last good one, and the next
 * flush would not say so. Whoever failed is not trusted; what had been flushed before is there.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "sim_array.h"

static struct sim_array *array_new(enum raid_level level, uint32_t width)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = 16u << 10,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20,
                                        .spare_count = 1,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(21), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    (void)sim_array_stop(array); /* the group may be offline */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static enum vd_status put(struct sim_array *array, int byte, bool fua)
{
    static uint8_t bytes[32u << 10];

    memset(bytes, byte, sizeof(bytes));
    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, fua, 0, sizeof(bytes), bytes);
}

static enum vd_status get(struct sim_array *array, uint8_t *ret_byte)
{
    static uint8_t bytes[32u << 10];
    enum vd_status status =
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(bytes), bytes);

    for (uint32_t i = 1; i < sizeof(bytes) && status == VD_STATUS_OK; i++) {
        assert_int_equal(bytes[i], bytes[0]);
    }
    *ret_byte = bytes[0];
    return status;
}

static enum vd_status flush(struct sim_array *array)
{
    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_FLUSH, false, 0, 0, NULL);
}

static enum member_state member_state(struct sim_array *array, uint32_t member)
{
    return group_config(array->group)->members[member].state;
}

static void test_one_member(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};
    uint8_t byte = 0;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct sim_array *array = array_new(levels[i], levels[i] == RAID_LEVEL_1 ? 2 : 4);

        assert_int_equal(put(array, 1, false), VD_STATUS_OK);
        assert_int_equal(flush(array), VD_STATUS_OK);
        assert_int_equal(put(array, 2, false), VD_STATUS_OK);
        sim_array_sim(array, 0)->flush_forgets = 1;
        assert_int_equal(flush(array), VD_STATUS_OK); /* the others have it */
        assert_int_equal(member_state(array, 0), MEMBER_FAILED);
        assert_int_equal(group_config(array->group)->members[0].why, REASON_DRIVE_LOST_FLUSH);
        assert_int_equal(get(array, &byte), VD_STATUS_OK);
        assert_int_equal(byte, 2);
        sim_array_power_cut(array, SIM_CUT_DROP_ALL);
        assert_int_equal(sim_array_reload(array), 0);
        assert_int_equal(member_state(array, 0), MEMBER_FAILED);
        assert_int_equal(get(array, &byte), VD_STATUS_OK);
        assert_int_equal(byte, 2);
        array_end(array);
    }
}

/* A write that must be durable is as good as a flush. */
static void test_fua(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2);
    uint8_t byte = 0;

    (void)state;
    assert_int_equal(put(array, 1, true), VD_STATUS_OK);
    sim_array_sim(array, 1)->flush_forgets = 1;
    assert_int_equal(put(array, 2, true), VD_STATUS_OK);
    assert_int_equal(member_state(array, 1), MEMBER_FAILED);
    sim_array_sim(array, 0)->flush_forgets = 1;
    assert_int_equal(put(array, 3, true), VD_STATUS_IO);
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(get(array, &byte), VD_STATUS_IO);
    array_end(array);
}

/* Both drop what they had, and the next flush of either would succeed: no flush is reported that
 * did not happen, and nothing older than the last good flush is ever seen. */
static void test_both_members(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2);
    uint8_t byte = 0;

    (void)state;
    assert_int_equal(put(array, 1, false), VD_STATUS_OK);
    assert_int_equal(flush(array), VD_STATUS_OK);
    assert_int_equal(put(array, 2, false), VD_STATUS_OK);
    sim_array_sim(array, 0)->flush_forgets = 1;
    sim_array_sim(array, 1)->flush_forgets = 1;
    assert_int_equal(flush(array), VD_STATUS_IO);
    assert_int_equal(flush(array), VD_STATUS_IO); /* nor is it believed later */
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    (void)sim_array_stop(array);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(get(array, &byte), VD_STATUS_OK);
    assert_in_range(byte, 1, 2);
    assert_int_equal(put(array, 4, true), VD_STATUS_OK);
    assert_int_equal(get(array, &byte), VD_STATUS_OK);
    assert_int_equal(byte, 4);
    array_end(array);
}

/* The target of a rebuild that fails to flush is not rebuilt. */
static void test_rebuild_target(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2);

    (void)state;
    assert_int_equal(put(array, 1, true), VD_STATUS_OK);
    sim_drive_pull(sim_array_sim(array, 1), false);
    assert_int_equal(put(array, 2, true), VD_STATUS_OK);
    assert_int_equal(sim_array_replace(array, 1, 2), 0);
    sim_array_sim(array, 1)->flush_forgets = 1;
    assert_int_equal(put(array, 3, true), VD_STATUS_OK);
    assert_int_equal(member_state(array, 1), MEMBER_FAILED);
    group_member_rebuilt(array->group, 1, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), -ENODEV);
    array_end(array);
}

/* Cursors vouch for what has been flushed: what cannot be is not vouched for. */
static void test_cursors_that_cannot_be_vouched_for(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2);
    uint8_t byte = 0;

    assert_int_equal(put(array, 1, true), VD_STATUS_OK);
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_int_equal(sim_array_replace(array, 1, 2), 0);
    assert_int_equal(put(array, 2, false), VD_STATUS_OK);
    group_rebuilt_advance(array->group, 1, 64u << 10);
    sim_array_sim(array, 0)->flush_fails = true;
    sim_array_sim(array, 1)->flush_fails = true;
    group_checkpoint(array->group, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), -EIO);
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    (void)sim_array_stop(array);
    sim_array_sim(array, 0)->flush_fails = false;
    array->sims[2]->flush_fails = false;
    assert_int_equal(sim_array_reload(array), 0);
    if (member_state(array, 1) == MEMBER_REBUILD) {
        assert_int_equal(group_rebuilt_bytes(array->group, 1), 0);
    }
    assert_int_equal(get(array, &byte), VD_STATUS_OK);
    assert_in_range(byte, 1, 2);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_member),
        cmocka_unit_test(test_fua),
        cmocka_unit_test(test_both_members),
        cmocka_unit_test(test_rebuild_target),
        cmocka_unit_test(test_cursors_that_cannot_be_vouched_for),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
