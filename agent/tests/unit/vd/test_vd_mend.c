/*
 * Blocks that a member could not read and nobody has asked for, on every level and at every place
 * of a row; and where mending is refused or cannot help.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "sim_array.h"

#define STRIP (16u << 10)
#define EXTENT (256u << 10)
#define BLOCK 4096u
#define BYTES_MAX (2u << 20)

struct shape {
    enum raid_level level;
    uint32_t spans, width;
};

static const struct shape redundant[] = {
    {RAID_LEVEL_1, 1, 2}, {RAID_LEVEL_1, 1, 3},  {RAID_LEVEL_1E, 1, 5}, {RAID_LEVEL_5, 1, 3},
    {RAID_LEVEL_6, 1, 5}, {RAID_LEVEL_10, 2, 2}, {RAID_LEVEL_50, 2, 3}, {RAID_LEVEL_60, 2, 4},
};

static struct sim_array *array_make(const struct shape *shape, bool consistent)
{
    struct sim_array_options options = {.level = shape->level,
                                        .span_count = shape->spans,
                                        .members_per_span = shape->width,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 512,
                                        .vd_count = 2,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 1,
                                        .noise = !consistent,
                                        .consistent = consistent};
    struct sim_array *array = sim_array_create(sim_world_create(5), &options);

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

static void fill(struct sim_array *array)
{
    static uint8_t bytes[BYTES_MAX];
    struct rng rng;

    rng_seed(&rng, 1);
    rng_fill(&rng, bytes, sizeof(bytes));
    for (uint32_t i = 0; i < 2; i++) {
        struct vd *vd = sim_array_vd(array, i);

        assert_int_equal(sim_array_io(array, vd, VD_OP_WRITE, false, 0,
                                      (uint32_t)vd_config(vd)->size_bytes, bytes),
                         VD_STATUS_OK);
    }
}

static void done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static int mend(struct sim_array *array, uint32_t member, uint64_t offset)
{
    struct vd_sync sync;

    assert_true(group_mend_at(array->group, member, offset, &sync));
    sync.complete = done;
    sync.owner = array;
    vd_sync_submit(sync.vd, &sync);
    return sim_array_wait(array);
}

static void break_block(struct sim_array *array, uint32_t member, uint64_t offset)
{
    const struct sim_fault fault = {SIM_FAULT_READ, offset, 512};

    assert_true(sim_drive_fault_add(sim_array_sim(array, member), &fault));
}

static uint64_t start_of(struct sim_array *array, uint32_t vd)
{
    return vd_config(sim_array_vd(array, vd))->extent_start_bytes;
}

/* Blocks here and there of every member, of both virtual drives: data, parity and copies. */
static void every_place(const struct shape *shape)
{
    struct sim_array *array = array_make(shape, true);
    uint8_t before[BLOCK], after[BLOCK];
    uint64_t corrected = 0;

    fill(array);
    for (uint32_t member = 0; member < array->member_count; member++) {
        for (uint64_t at = 0; at < EXTENT; at += 3 * BLOCK) {
            uint64_t offset = start_of(array, at / BLOCK % 2 == 0 ? 0 : 1) + at;
            struct sim_drive *sim = sim_array_sim(array, member);
            uint64_t writes = 0;
            struct vd_sync sync;

            if (!group_mend_at(array->group, member, offset, &sync)) {
                continue; /* the odd strip of RAID 1E */
            }
            for (uint32_t i = 0; i < array->member_count; i++) {
                writes += sim_array_sim(array, i)->counters.writes;
            }
            sim_drive_peek(sim, offset, before, BLOCK);
            break_block(array, member, offset + 512);
            assert_int_equal(mend(array, member, offset), 0);
            sim_drive_peek(sim, offset, after, BLOCK);
            assert_memory_equal(before, after, BLOCK);
            assert_int_equal(array->media_corrected, ++corrected);
            for (uint32_t i = 0; i < array->member_count; i++) {
                writes -= sim_array_sim(array, i)->counters.writes;
            }
            assert_int_equal(-(int64_t)writes, 1); /* and nothing else was written */
        }
    }
    assert_int_equal(array->media_uncorrected, 0);
    array_end(array);
}

static void test_every_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(redundant) / sizeof(redundant[0]); i++) {
        every_place(&redundant[i]);
    }
}

static void test_beyond_redundancy(void **state)
{
    static const struct shape shapes[] = {{RAID_LEVEL_0, 1, 2}, {RAID_LEVEL_5, 1, 3}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sim_array *array = array_make(&shapes[i], true);

        fill(array);
        if (shapes[i].level == RAID_LEVEL_5) {
            assert_int_equal(
                group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
                0);
        }
        break_block(array, 0, start_of(array, 0));
        assert_int_equal(mend(array, 0, start_of(array, 0)), -EIO);
        assert_int_equal(array->media_uncorrected, 1);
        assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 1);
        array_end(array);
    }
}

static void test_refused_in_doubt(void **state)
{
    const struct shape shape = {RAID_LEVEL_5, 1, 3};
    struct sim_array *array = array_make(&shape, false);

    (void)state;
    assert_int_equal(mend(array, 0, start_of(array, 0)), -EAGAIN);
    array_end(array);
}

static void test_offline(void **state)
{
    const struct shape shape = {RAID_LEVEL_5, 1, 3};
    struct sim_array *array = array_make(&shape, true);

    (void)state;
    for (uint32_t member = 1; member < 3; member++) {
        assert_int_equal(
            group_member_lose(array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
            0);
    }
    assert_int_equal(mend(array, 0, start_of(array, 0)), -EIO);
    array_end(array);
}

/* Metadata, and what no virtual drive has. */
static void test_nobodys(void **state)
{
    const struct shape shape = {RAID_LEVEL_5, 1, 3};
    struct sim_array *array = array_make(&shape, true);
    struct vd_sync sync;

    (void)state;
    assert_int_equal(start_of(array, 0), 0);
    assert_false(group_mend_at(array->group, 0, start_of(array, 1) + EXTENT, &sync));
    assert_true(group_mend_at(array->group, 2, start_of(array, 1) + EXTENT - BLOCK, &sync));
    assert_ptr_equal(sync.vd, sim_array_vd(array, 1));
    array_end(array);
}

/* The member is lost on the way: what it had is not its own any more. */
static void test_member_goes(void **state)
{
    const struct shape shape = {RAID_LEVEL_1, 1, 2};
    struct sim_array *array = array_make(&shape, true);
    struct vd_sync sync;

    (void)state;
    fill(array);
    assert_true(group_mend_at(array->group, 1, start_of(array, 0), &sync));
    sync.complete = done;
    sync.owner = array;
    sim_drive_pull(sim_array_sim(array, 1), false);
    vd_sync_submit(sync.vd, &sync);
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_place),      cmocka_unit_test(test_beyond_redundancy),
        cmocka_unit_test(test_refused_in_doubt), cmocka_unit_test(test_offline),
        cmocka_unit_test(test_nobodys),          cmocka_unit_test(test_member_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
