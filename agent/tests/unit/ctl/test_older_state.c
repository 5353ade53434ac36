/*
 * A state directory that is older than the drives. It knows some members of a newer set, whose
 * labels are read because the drives are claimed, while the others are only offered: one set all
 * the same, whichever comes first.
 */
#include <string.h>

#include "drive/drive_layout.h"
#include "foreign_world.h"

#define MINUTE (60 * SIM_SECOND)

struct story {
    enum raid_level level, new_level;
    uint32_t first, count;         /* of the old set */
    uint32_t new_first, new_count;
};

static const struct story stories[] = {
    {RAID_LEVEL_5, RAID_LEVEL_5, 0, 3, 1, 4}, /* the known ones come first, … */
    {RAID_LEVEL_5, RAID_LEVEL_5, 2, 3, 0, 4}, /* … or last */
    {RAID_LEVEL_5, RAID_LEVEL_6, 0, 4, 0, 5}, {RAID_LEVEL_1, RAID_LEVEL_10, 2, 2, 0, 4},
    {RAID_LEVEL_5, RAID_LEVEL_1, 0, 3, 2, 2}, {RAID_LEVEL_5, RAID_LEVEL_0, 0, 3, 2, 3},
};

static const struct story *const r5 = &stories[0];

/* Not started. */
static struct ctl_world *world_older(uint64_t seed, const struct story *story)
{
    struct ctl_world *world = world_new(seed, 6);
    struct sim_store *older = NULL;

    world_start(world);
    assert_int_equal(world_create(world, story->level, story->first, story->count, "old"),
                     REASON_OK);
    world_settle(world, MINUTE);
    world_stop(world);
    older = sim_store_fork(world->store, world->sim);
    world_start(world);
    assert_int_equal(world_delete(world, "old"), REASON_OK);
    assert_int_equal(
        world_create(world, story->new_level, story->new_first, story->new_count, "new"),
        REASON_OK);
    assert_true(world_wait_consistent(world, "new", 10 * MINUTE));
    world_write(world, "new", 0, DATA, 0x77);
    world_settle(world, MINUTE);
    world_stop(world);
    sim_store_destroy(world->store);
    world->store = older;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        bool known = i >= story->first && i < story->first + story->count;

        world->slots[i].offered = !known; /* the host claims those that the state names */
        world->slots[i].probed = !known;
        world->slots[i].real = true;
    }
    world->log_count = 0;
    return world;
}

static void expect_one(struct ctl_world *world, const char *begins)
{
    const struct told *told = look(world);

    if (told->sets != 1 || strncmp(told->text, begins, strlen(begins)) != 0) {
        fail_msg("told: %s\nexpected one set: %s", told->text, begins);
    }
}

static void expect_new(struct ctl_world *world, enum virtual_drive_state state)
{
    assert_true(world_wait_state(world, "new", state, 10 * MINUTE));
    world_check(world, "new", 0, DATA, 0x77);
    world_restart(world);
    assert_true(world_wait_state(world, "new", state, MINUTE));
    world_check(world, "new", 0, DATA, 0x77);
}

static void test_joined(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
        for (uint32_t deletes_first = 0; deletes_first < 2; deletes_first++) {
            struct ctl_world *world = world_older(10 + i, &stories[i]);

            print_message("# story %u\n", i);
            world_start(world);
            expect_one(world, "arraywright new optimal ok: ");
            if (deletes_first == 1) {
                assert_int_equal(world_delete(world, "old"), REASON_OK);
                world_settle(world, MINUTE);
                expect_one(world, "arraywright new optimal ok: ");
            }
            assert_int_equal(import(world, look(world)->digest), REASON_OK);
            expect_new(world, VIRTUAL_DRIVE_STATE_OPTIMAL);
            assert_int_equal(look(world)->sets, 0);
            if (deletes_first == 0) {
                assert_int_equal(world_delete(world, "old"), REASON_OK);
                expect_new(world, VIRTUAL_DRIVE_STATE_OPTIMAL);
            }
            world_free(world);
        }
    }
}

static void zero(struct ctl_world *world, uint32_t slot, uint64_t offset, uint32_t bytes)
{
    uint8_t *zeros = calloc(1, bytes);

    sim_drive_poke(world->slots[slot].drive, offset, zeros, bytes);
    free(zeros);
}

/* An offered member has no label any more, which would have known more than its DDF metadata. */
static void test_without_a_label(void **state)
{
    for (uint32_t slot = 3; slot < 5; slot++) {
        struct ctl_world *world = world_older(30 + slot, r5);

        (void)state;
        zero(world, slot, drive_layout_label_offset(SIZE, false, 0), 2 * LABEL_SLOT_BYTES);
        world_start(world);
        expect_one(world, "arraywright new degraded ok: S01=online/member S02=online/member");
        assert_int_equal(import(world, look(world)->digest), REASON_OK);
        expect_new(world, VIRTUAL_DRIVE_STATE_DEGRADED);
        world_free(world);
    }
}

/* A claimed member has no DDF metadata any more: it is known by its label. */
static void test_without_ddf(void **state)
{
    struct ctl_world *world = world_older(40, r5);

    (void)state;
    zero(world, 1, SIZE - DRIVE_DDF_BYTES, (uint32_t)DRIVE_DDF_BYTES);
    world_start(world);
    expect_one(world, "arraywright new degraded ok: S01=online/left");
    assert_int_equal(import(world, look(world)->digest), REASON_OK);
    expect_new(world, VIRTUAL_DRIVE_STATE_DEGRADED); /* whoever took it off may have written more */
    world_free(world);
}

/* A member is missing, then too many: what there is, is one set still. */
static void test_incomplete(void **state)
{
    struct ctl_world *world = world_older(50, r5);
    uint64_t sum = 0;

    (void)state;
    world->slots[1].absent = true;
    world->slots[3].absent = true;
    world_start(world);
    expect_one(world, "arraywright new refused foreign_incomplete: ");
    sum = drives_sum(world);
    assert_int_equal(import(world, look(world)->digest), REASON_FOREIGN_INCOMPLETE);
    assert_true(drives_sum(world) == sum);
    world->slots[1].absent = false;
    slot_arrive(world, 1);
    world_settle(world, MINUTE);
    expect_one(world, "arraywright new degraded ok: ");
    assert_int_equal(import(world, look(world)->digest), REASON_OK);
    expect_new(world, VIRTUAL_DRIVE_STATE_DEGRADED);
    world_free(world);
}

static void test_cleared_and_back(void **state)
{
    struct ctl_world *world = world_older(60, r5);

    (void)state;
    world_start(world);
    assert_int_equal(world_delete(world, "old"), REASON_OK);
    assert_int_equal(world_clear(world, "new"), REASON_OK);
    all_look(world);
    assert_int_equal(look(world)->sets, 0);
    assert_int_equal(world_undo(world), REASON_OK);
    all_look(world);
    expect_one(world, "arraywright new optimal ok: ");
    assert_int_equal(import(world, look(world)->digest), REASON_OK);
    expect_new(world, VIRTUAL_DRIVE_STATE_OPTIMAL);
    world_free(world);
}

static void image_swap(struct ctl_world *world, uint32_t slot, uint8_t *image, bool restore)
{
    uint32_t bytes = (uint32_t)world->slots[slot].options.size_bytes;

    if (restore) {
        sim_drive_poke(world->slots[slot].drive, 0, image, bytes);
    } else {
        sim_drive_peek(world->slots[slot].drive, 0, image, bytes);
    }
}

/* Only the hot spare that took a place has the newest data: the state directory and both members
 * are from before. The host takes a second to look at it. */
static void test_the_newest_is_looked_at_last(void **state)
{
    struct ctl_world *world = world_new(77, 4);
    struct sim_store *older = NULL;
    uint8_t *images[2];
    int result = 0;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, DATA, 0x11);
    world_stop(world);
    older = sim_store_fork(world->store, world->sim);
    for (uint32_t i = 0; i < 2; i++) {
        images[i] = malloc(world->slots[i].options.size_bytes);
        assert_non_null(images[i]);
        image_swap(world, i, images[i], false);
    }
    world_start(world);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_write(world, "data", 0, DATA, 0x22);
    world_stop(world);
    sim_store_destroy(world->store);
    world->store = older;
    for (uint32_t i = 0; i < 2; i++) {
        image_swap(world, i, images[i], true);
        free(images[i]);
    }
    world->slots[2].offered = world->slots[2].probed = world->slots[2].real = true;
    world->slots[2].absent = true;
    assert_int_equal(world_begin_start(world, &result), 0);
    ctl_drives_looking(world->ctl, true);
    world_settle(world, SIM_SECOND);
    world->slots[2].absent = false;
    slot_arrive(world, 2);
    ctl_drives_looking(world->ctl, false);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    world_check(world, "data", 0, DATA, 0x22);
    world_restart(world);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    world_check(world, "data", 0, DATA, 0x22);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_newest_is_looked_at_last),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_without_a_label),
        cmocka_unit_test(test_without_ddf),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_cleared_and_back),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
