/*
 * Writes that drives refuse though they are well: without room below, or read-only. A last copy
 * stays and can be read; what the write has torn is never read as data of a drive that is away.
 *
 * Strips of 16 KiB. RAID 5 over four drives, row 0: P on member 3, data on members 0 to 2.
 */
#include "aw_test.h"

#include <string.h>

#include "sim_array.h"

#define STRIP (16u << 10)
#define EXTENT (1u << 20)

static struct sim_array *array_of(enum raid_level level, uint32_t spans, uint32_t width)
{
    const struct sim_array_options options = {.level = level,
                                              .span_count = spans,
                                              .members_per_span = width,
                                              .strip_bytes = STRIP,
                                              .block_bytes = 512,
                                              .vd_count = 1,
                                              .extent_bytes = EXTENT,
                                              .spare_count = 1,
                                              .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(41), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static struct sim_array *array_new(enum raid_level level, uint32_t width)
{
    return array_of(level, 1, width);
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

/* Data only: labels and maps have their room. */
static void refuse(struct sim_array *array, uint32_t member, enum io_status status)
{
    struct sim_drive *sim = sim_array_sim(array, member);

    sim->refusal = status;
    sim->refusal_offset_bytes = 0;
    sim->refusal_length_bytes = EXTENT;
}

static void refuse_all(struct sim_array *array, enum io_status status)
{
    for (uint32_t i = 0; i < array->member_count; i++) {
        refuse(array, i, status);
    }
}

static enum virtual_drive_state state_of(struct sim_array *array)
{
    return vd_state(sim_array_vd(array, 0));
}

static void cut(struct sim_array *array)
{
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
}

/* All at once: none is lost, everything can be read, and writes go on when there is room. */
static void test_all_at_once(void **state UNUSED)
{
    static const struct {
        enum raid_level level;
        uint32_t width;
    } shapes[] = {{RAID_LEVEL_0, 2},
                  {RAID_LEVEL_1, 2},
                  {RAID_LEVEL_5, 4},
                  {RAID_LEVEL_6, 5},
                  {RAID_LEVEL_1E, 3}};

    for (uint32_t i = 0; i < 5; i++) {
        struct sim_array *array = array_new(shapes[i].level, shapes[i].width);

        assert_int_equal(put(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
        refuse_all(array, IO_STATUS_NO_SPACE);
        assert_int_equal(put(array, 0, 2 * STRIP, 2), VD_STATUS_NO_SPACE);
        assert_int_equal(state_of(array), VIRTUAL_DRIVE_STATE_OPTIMAL);
        assert_int_equal(get(array, 0, 2 * STRIP, 1), VD_STATUS_OK); /* nobody has taken it */
        refuse_all(array, IO_STATUS_READ_ONLY);
        assert_int_equal(put(array, 512, 512, 2), VD_STATUS_IO);
        assert_int_equal(get(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
        refuse_all(array, IO_STATUS_OK);
        assert_int_equal(put(array, 0, 2 * STRIP, 3), VD_STATUS_OK);
        assert_int_equal(get(array, 0, 2 * STRIP, 3), VD_STATUS_OK);
        assert_int_equal(array->members_lost, 0);
        array_end(array);
    }
}

/* One among many misses writes, and is lost for that with the reason. */
static void test_one_among_many(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 4);

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    refuse(array, 0, IO_STATUS_NO_SPACE);
    assert_int_equal(put(array, 0, STRIP, 2), VD_STATUS_OK);
    assert_int_equal(state_of(array), VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_OFFLINE);
    assert_int_equal(group_config(array->group)->members[0].why, REASON_DRIVE_LOST_NO_SPACE);
    assert_int_equal(get(array, 0, STRIP, 2), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP, 2 * STRIP, 1), VD_STATUS_OK);
    array_end(array);
}

/* Degraded, and the parity of a write is refused: what the drive that is away had in these blocks
 * is an error until it is written, everywhere else it is right. */
static void test_torn_while_degraded(void **state UNUSED)
{
    static const uint32_t refusing[] = {0, 3}; /* the data of the write, its parity */

    for (uint32_t i = 0; i < 2; i++) {
        struct sim_array *array = array_new(RAID_LEVEL_5, 4);

        assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
        assert_int_equal(
            group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
        refuse(array, refusing[i], IO_STATUS_NO_SPACE);
        assert_int_equal(put(array, 4096, 4096, 2), VD_STATUS_NO_SPACE);
        assert_int_equal(state_of(array), VIRTUAL_DRIVE_STATE_DEGRADED);
        assert_int_equal(get(array, STRIP + 4096, 4096, 1), VD_STATUS_IO);
        assert_int_equal(get(array, STRIP, 4096, 1), VD_STATUS_OK);
        assert_int_equal(get(array, STRIP + 8192, 8192, 1), VD_STATUS_OK);
        assert_int_equal(get(array, 0, 4096, 1), VD_STATUS_OK);
        assert_int_equal(get(array, 2 * STRIP, STRIP, 1), VD_STATUS_OK);
        refuse(array, refusing[i], IO_STATUS_OK);
        assert_int_equal(put(array, 4096, 4096, 3), VD_STATUS_OK);
        assert_int_equal(get(array, STRIP + 4096, 4096, 1), VD_STATUS_IO);
        assert_int_equal(put(array, STRIP + 4096, 4096, 4), VD_STATUS_OK);
        assert_int_equal(get(array, STRIP + 4096, 4096, 4), VD_STATUS_OK);
        assert_int_equal(get(array, 4096, 4096, 3), VD_STATUS_OK);
        assert_int_equal(get(array, 2 * STRIP, STRIP, 1), VD_STATUS_OK);
        array_end(array);
    }
}

/* The sectors beside those of the write are what they were. */
static void test_torn_sectors(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 4);

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    refuse_all(array, IO_STATUS_NO_SPACE);
    /* The last sector of strip 0; then that and the first one of strip 1. */
    assert_int_equal(put(array, STRIP - 512, 512, 2), VD_STATUS_NO_SPACE);
    assert_int_equal(get(array, STRIP, STRIP - 512, 1), VD_STATUS_OK);
    assert_int_equal(get(array, 2 * STRIP - 512, 512, 1), VD_STATUS_IO);
    assert_int_equal(put(array, STRIP - 512, 1024, 2), VD_STATUS_NO_SPACE);
    assert_int_equal(get(array, STRIP, 512, 1), VD_STATUS_IO);
    assert_int_equal(get(array, STRIP + 512, STRIP - 1024, 1), VD_STATUS_OK);
    assert_int_equal(get(array, 2 * STRIP, STRIP, 1), VD_STATUS_OK);
    refuse_all(array, IO_STATUS_OK);
    assert_int_equal(put(array, STRIP, 512, 3), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP, 512, 3), VD_STATUS_OK);
    assert_int_equal(put(array, 2 * STRIP - 512, 512, 4), VD_STATUS_OK);
    assert_int_equal(get(array, 2 * STRIP - 512, 512, 4), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP + 512, STRIP - 1024, 1), VD_STATUS_OK);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 0);
    array_end(array);
}

/* Whatever becomes of the page of the region map that says so: the record says that rows are in
 * doubt when its mark has ended, and no more when they have been synchronized. */
static void test_doubt_is_recorded(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2);

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    refuse_all(array, IO_STATUS_NO_SPACE);
    assert_int_equal(put(array, 0, STRIP, 2), VD_STATUS_NO_SPACE);
    sim_world_advance(array->world, 10 * SIM_SECOND);
    assert_false(vd_config(sim_array_vd(array, 0))->dirty);
    assert_true(vd_config(sim_array_vd(array, 0))->resync);
    refuse_all(array, IO_STATUS_OK);
    cut(array);
    assert_false(vd_is_consistent(sim_array_vd(array, 0)));
    array_end(array);
}

/* Not even a mark can be saved: writes fail at once, reads go on, and it ends by itself. */
static void test_nothing_can_be_written(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 4);

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    sim_world_advance(array->world, 10 * SIM_SECOND); /* it is clean */
    for (uint32_t i = 0; i < 4; i++) {
        refuse(array, i, IO_STATUS_READ_ONLY);
        sim_array_sim(array, i)->refusal_length_bytes = UINT64_MAX;
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(put(array, 0, STRIP, 2), VD_STATUS_IO);
        assert_int_equal(get(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
        sim_world_advance(array->world, 3 * SIM_SECOND);
    }
    assert_int_equal(state_of(array), VIRTUAL_DRIVE_STATE_OPTIMAL);
    refuse_all(array, IO_STATUS_OK);
    sim_world_advance(array->world, 3 * SIM_SECOND);
    assert_int_equal(put(array, 0, STRIP, 3), VD_STATUS_OK);
    assert_int_equal(get(array, 0, STRIP, 3), VD_STATUS_OK);
    assert_int_equal(array->members_lost, 0);
    array_end(array);
}

/* A stop comes to an end, and the next start finds all that was acknowledged. */
static void test_stop_while_refused(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 4);

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        refuse(array, i, IO_STATUS_READ_ONLY);
        sim_array_sim(array, i)->refusal_length_bytes = UINT64_MAX;
    }
    (void)sim_array_stop(array);
    refuse_all(array, IO_STATUS_OK);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(get(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    array_end(array);
}

/* Flushes */

static void flushes_refuse(struct sim_array *array, enum io_status status)
{
    for (uint32_t i = 0; i < array->member_count; i++) {
        sim_array_sim(array, i)->flush_refusal = status;
    }
}

static enum vd_status flush(struct sim_array *array)
{
    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_FLUSH, false, 0, 0, NULL);
}

/* Flushes of all drives at once are refused: they fail, all stay and can be read, and what was
 * written before is durable with the first flush that succeeds. */
static void test_flushes_of_all(void **state UNUSED)
{
    static const struct {
        enum raid_level level;
        uint32_t spans, width;
    } shapes[] = {{RAID_LEVEL_0, 1, 2},  {RAID_LEVEL_1, 1, 2}, {RAID_LEVEL_1E, 1, 3},
                  {RAID_LEVEL_5, 1, 4},  {RAID_LEVEL_6, 1, 5}, {RAID_LEVEL_10, 2, 2},
                  {RAID_LEVEL_50, 2, 3}, {RAID_LEVEL_60, 2, 4}};

    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct sim_array *array = array_of(shapes[i].level, shapes[i].spans, shapes[i].width);

        assert_int_equal(put(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
        assert_int_equal(flush(array), VD_STATUS_OK);
        assert_int_equal(put(array, 0, 2 * STRIP, 2), VD_STATUS_OK);
        flushes_refuse(array, IO_STATUS_NO_SPACE);
        assert_int_equal(flush(array), VD_STATUS_NO_SPACE);
        assert_int_equal(state_of(array), VIRTUAL_DRIVE_STATE_OPTIMAL);
        flushes_refuse(array, IO_STATUS_READ_ONLY);
        assert_int_equal(flush(array), VD_STATUS_IO);
        assert_int_equal(get(array, 0, 2 * STRIP, 2), VD_STATUS_OK);
        sim_world_advance(array->world, 20 * SIM_SECOND);
        assert_int_equal(flush(array), VD_STATUS_IO);
        assert_int_equal(get(array, 0, 2 * STRIP, 2), VD_STATUS_OK);
        flushes_refuse(array, IO_STATUS_OK);
        sim_world_advance(array->world, 3 * SIM_SECOND);
        assert_int_equal(flush(array), VD_STATUS_OK);
        assert_int_equal(array->members_lost, 0);
        cut(array);
        assert_int_equal(get(array, 0, 2 * STRIP, 2), VD_STATUS_OK);
        assert_int_equal(put(array, 0, STRIP, 3), VD_STATUS_OK);
        array_end(array);
    }
}

/* A write that is to be durable is not acknowledged, whatever the drives have of it. */
static void test_fua_while_flushes_are_refused(void **state UNUSED)
{
    static uint8_t bytes[4096];
    struct sim_array *array = array_new(RAID_LEVEL_5, 4);

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    flushes_refuse(array, IO_STATUS_NO_SPACE);
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, true, 0, sizeof(bytes), bytes),
        VD_STATUS_NO_SPACE);
    assert_int_equal(state_of(array), VIRTUAL_DRIVE_STATE_OPTIMAL);
    flushes_refuse(array, IO_STATUS_OK);
    array_end(array);
}

/* One among many is lost as after any flush that fails, and the others have it all. */
static void test_flush_of_one_among_many(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 4);

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    sim_array_sim(array, 1)->flush_refusal = IO_STATUS_NO_SPACE;
    assert_int_equal(flush(array), VD_STATUS_OK);
    assert_int_equal(state_of(array), VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(group_config(array->group)->members[1].state, MEMBER_FAILED);
    assert_int_equal(group_config(array->group)->members[1].why, REASON_DRIVE_LOST_FLUSH);
    cut(array);
    assert_int_equal(get(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    array_end(array);
}

/* A drive goes while the others refuse to be flushed: its loss cannot be recorded, so nothing is
 * acknowledged; reads go on, and all of it ends by itself. */
static void test_loss_while_flushes_are_refused(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 4);

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    flushes_refuse(array, IO_STATUS_READ_ONLY);
    sim_drive_pull(sim_array_sim(array, 1), false);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(put(array, 0, 3 * STRIP, 2), VD_STATUS_IO);
        assert_int_equal(get(array, 9 * STRIP, STRIP, 0), VD_STATUS_OK);
        sim_world_advance(array->world, 2 * SIM_SECOND + i * 300000);
    }
    assert_int_equal(state_of(array), VIRTUAL_DRIVE_STATE_DEGRADED);
    flushes_refuse(array, IO_STATUS_OK);
    sim_world_advance(array->world, 3 * SIM_SECOND);
    assert_int_equal(put(array, 0, 3 * STRIP, 3), VD_STATUS_OK);
    assert_int_equal(flush(array), VD_STATUS_OK);
    cut(array);
    assert_int_equal(get(array, 0, 3 * STRIP, 3), VD_STATUS_OK);
    array_end(array);
}

/* A stop ends, degraded too, and loses nothing that was durable. */
static void test_stop_while_flushes_are_refused(void **state UNUSED)
{
    for (uint32_t pulled = 0; pulled < 2; pulled++) {
        struct sim_array *array = array_new(RAID_LEVEL_5, 4);

        assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
        assert_int_equal(flush(array), VD_STATUS_OK);
        flushes_refuse(array, IO_STATUS_NO_SPACE);
        if (pulled != 0) {
            sim_drive_pull(sim_array_sim(array, 1), false);
            assert_int_not_equal(put(array, STRIP, STRIP, 1), VD_STATUS_OK);
        }
        (void)sim_array_stop(array);
        flushes_refuse(array, IO_STATUS_OK);
        assert_int_equal(sim_array_reload(array), 0);
        assert_int_equal(get(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
        array_end(array);
    }
}

/* A start while all drives refuse: what is there can be read, and it goes on by itself. */
static void test_start_while_refused(void **state UNUSED)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct sim_array *array = array_new(RAID_LEVEL_5, 4);

        assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
        assert_int_equal(flush(array), VD_STATUS_OK);
        sim_array_power_cut(array, SIM_CUT_DROP_ALL);
        array->members_lost = 0;
        flushes_refuse(array, i != 1 ? IO_STATUS_READ_ONLY : IO_STATUS_OK);
        for (uint32_t member = 0; member < 4 && i > 0; member++) {
            sim_array_sim(array, member)->refusal = IO_STATUS_READ_ONLY;
            sim_array_sim(array, member)->refusal_length_bytes = UINT64_MAX;
        }
        (void)sim_array_reload(array);
        assert_int_equal(get(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
        assert_int_not_equal(put(array, 0, STRIP, 2), VD_STATUS_OK);
        assert_int_equal(get(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
        sim_world_advance(array->world, 5 * SIM_SECOND);
        flushes_refuse(array, IO_STATUS_OK);
        refuse_all(array, IO_STATUS_OK);
        sim_world_advance(array->world, 5 * SIM_SECOND);
        assert_int_equal(put(array, 0, STRIP, 3), VD_STATUS_OK);
        assert_int_equal(flush(array), VD_STATUS_OK);
        assert_int_equal(array->members_lost, 0);
        cut(array);
        assert_int_equal(get(array, 0, STRIP, 3), VD_STATUS_OK);
        array_end(array);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_one_among_many),
        cmocka_unit_test(test_torn_while_degraded),
        cmocka_unit_test(test_nothing_can_be_written),
        cmocka_unit_test(test_stop_while_refused),
        cmocka_unit_test(test_torn_sectors),
        cmocka_unit_test(test_doubt_is_recorded),
        cmocka_unit_test(test_flushes_of_all),
        cmocka_unit_test(test_fua_while_flushes_are_refused),
        cmocka_unit_test(test_flush_of_one_among_many),
        cmocka_unit_test(test_loss_while_flushes_are_refused),
        cmocka_unit_test(test_stop_while_flushes_are_refused),
        cmocka_unit_test(test_start_while_refused),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
