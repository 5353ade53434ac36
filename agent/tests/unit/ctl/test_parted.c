/*
 * Halves of a set that went on without each other, each with other drives in the places of those
 * that it lacked: a conflict, although no half speaks of the other. And histories that look like
 * that, and are none.
 */
#include <string.h>

#include "base/checked.h"
#include "base/crc.h"
#include "foreign_world.h"

#define MINUTE (60 * SIM_SECOND)
#define NOBODY UINT32_MAX

struct split {
    enum raid_level level;
    uint32_t count;           /* of members: slots from 0 */
    uint32_t halves[2][2];    /* the slots of each half */
    uint32_t half_count;
};

/* Behind the members come the new drives of the first half, then those of the second. */
static const struct split splits[] = {
    {RAID_LEVEL_1, 2, {{0, NOBODY}, {1, NOBODY}}, 1},
    {RAID_LEVEL_10, 4, {{0, 2}, {1, 3}}, 2},
    {RAID_LEVEL_6, 4, {{0, 1}, {2, 3}}, 2},
};
#define SPLITS (sizeof(splits) / sizeof(splits[0]))

static uint32_t new_slot(const struct split *split, uint32_t half, uint32_t index)
{
    return split->count + half * split->half_count + index;
}

static void all_absent(struct ctl_world *world, bool absent)
{
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->slots[i].absent = absent;
    }
}

static void half_put(struct ctl_world *world, const struct split *split, uint32_t half)
{
    for (uint32_t i = 0; i < split->half_count; i++) {
        world->slots[split->halves[half][i]].absent = false;
        world->slots[new_slot(split, half, i)].absent = false;
    }
}

static void store_put(struct ctl_world *world, const struct sim_store *store)
{
    sim_store_destroy(world->store);
    world->store = sim_store_fork(store, world->sim);
    world->log_count = 0;
}

/* Nobody knows the drives any more. */
static void state_lose(struct ctl_world *world)
{
    if (world->ctl != NULL) {
        world_stop(world);
    }
    sim_store_destroy(world->store);
    world->store = sim_store_create(world->sim);
    world->seed += 1000;
}

/* Starts with one half, which takes other drives in and is written to. */
static void half_go_on(struct ctl_world *world, const struct split *split, uint32_t half,
                       uint32_t rebuilt)
{
    all_absent(world, true);
    half_put(world, split, half);
    world_start(world);
    for (uint32_t i = 0; i < rebuilt; i++) {
        assert_int_equal(world_spare(world, new_slot(split, half, i), NULL), REASON_OK);
        world_settle(world, MINUTE);
    }
    if (rebuilt == split->half_count) {
        assert_true(world_wait_state(world, "theirs", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    }
    world_write(world, "theirs", 0, DATA, half == 0 ? 0xA1 : 0xB2);
    world_settle(world, MINUTE);
    world_stop(world);
}

/* Both have gone on; not started. Stores: of before, and of each half. */
static struct ctl_world *world_split(uint64_t seed, const struct split *split,
                                     const uint32_t rebuilt[2], struct sim_store *stores[3])
{
    struct ctl_world *world = world_new(seed, split->count + 2 * split->half_count);

    world_start(world);
    assert_int_equal(world_create(world, split->level, 0, split->count, "theirs"), REASON_OK);
    assert_true(world_wait_consistent(world, "theirs", 10 * MINUTE));
    world_write(world, "theirs", 0, DATA, 0x5A);
    world_settle(world, MINUTE);
    world_stop(world);
    stores[0] = sim_store_fork(world->store, world->sim);
    for (uint32_t half = 0; half < 2; half++) {
        store_put(world, stores[0]);
        half_go_on(world, split, half, rebuilt[half]);
        stores[1 + half] = sim_store_fork(world->store, world->sim);
    }
    all_absent(world, false);
    world->log_count = 0;
    return world;
}

static void split_free(struct ctl_world *world, struct sim_store *stores[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        sim_store_destroy(stores[i]);
    }
    world_free(world);
}

static void expect_half(struct ctl_world *world, uint8_t byte)
{
    world_check(world, "theirs", 0, DATA, byte);
}

/* Nobody knows them any more: nothing is imported, and each half is there. */
static void test_all_foreign(void **state)
{
    static const uint32_t both[2] = {2, 2};

    (void)state;
    for (uint32_t i = 0; i < 2 * SPLITS; i++) {
        const struct split *split = &splits[i / 2];
        const uint32_t rebuilt[2] = {min_u32(both[0], split->half_count),
                                     min_u32(both[1], split->half_count)};
        struct sim_store *stores[3];
        struct ctl_world *world = world_split(10 + i, split, rebuilt, stores);
        uint64_t sum = 0;

        print_message("# split %u, %s\n", i / 2, i % 2 == 0 ? "claimed" : "offered");
        state_lose(world);
        if (i % 2 == 1) {
            all_offer(world);
        }
        sum = drives_sum(world);
        world_start(world);
        assert_int_equal(look(world)->sets, 1);
        expect_told(world, "theirs refused foreign_conflict: ");
        assert_int_equal(import(world, ""), REASON_FOREIGN_CONFLICT);
        world_settle(world, 10 * MINUTE);
        assert_true(drives_sum(world) == sum);
        for (uint32_t half = 0; half < 2; half++) {
            state_lose(world);
            all_absent(world, true);
            half_put(world, split, half);
            world_start(world);
            assert_int_equal(import(world, ""), REASON_OK);
            expect_half(world, half == 0 ? 0xA1 : 0xB2);
        }
        split_free(world, stores);
    }
}

/* One half alone has taken other drives in. */
static void test_one_rebuilt(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * SPLITS; i++) {
        const struct split *split = &splits[i / 2];
        const uint32_t rebuilt[2] = {i % 2 == 0 ? split->half_count : 0,
                                     i % 2 == 1 ? split->half_count : 0};
        struct sim_store *stores[3];
        struct ctl_world *world = world_split(30 + i, split, rebuilt, stores);

        state_lose(world);
        world_start(world);
        expect_told(world, "theirs refused foreign_conflict: ");
        assert_int_equal(import(world, ""), REASON_FOREIGN_CONFLICT);
        split_free(world, stores);
    }
}

static uint64_t half_sum(struct ctl_world *world, const struct split *split, uint32_t half)
{
    uint8_t *buffer = malloc(MIB);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < 2 * split->half_count; i++) {
        uint32_t slot = i < split->half_count ? split->halves[half][i]
                                              : new_slot(split, half, i - split->half_count);

        for (uint64_t at = 0; at < SIZE; at += MIB) {
            sim_drive_peek_durable(world->slots[slot].drive, at, buffer, MIB);
            sum = sum * 31 + crc32c(0, buffer, MIB);
        }
    }
    free(buffer);
    return sum;
}

/* Of the other half: told, and not used. */
static void expect_apart(struct ctl_world *world, const struct split *split, uint32_t half)
{
    for (uint32_t i = 0; i < 2 * split->half_count; i++) {
        uint32_t slot = i < split->half_count ? split->halves[half][i]
                                              : new_slot(split, half, i - split->half_count);
        struct drive_view view;

        assert_true(world_drive(world, slot, &view));
        assert_int_equal(view.state, DRIVE_STATE_UNCONFIGURED_BAD);
        assert_int_equal(view.state_reason.code, REASON_LABEL_APART);
    }
}

/* The state directory of one half: it works, and the other half is in conflict with it. */
static void test_one_is_here(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * SPLITS; i++) {
        const struct split *split = &splits[i / 2];
        const uint32_t rebuilt[2] = {split->half_count, split->half_count};
        struct sim_store *stores[3];
        struct ctl_world *world = world_split(50 + i, split, rebuilt, stores);
        uint32_t here = i % 2;
        uint64_t sum = half_sum(world, split, 1 - here);

        print_message("# split %u, half %u\n", i / 2, here);
        store_put(world, stores[1 + here]);
        world_start(world);
        for (uint32_t life = 0; life < 2; life++) {
            world_settle(world, 10 * MINUTE);
            expect_half(world, here == 0 ? 0xA1 : 0xB2);
            expect_apart(world, split, 1 - here);
            world_restart(world);
        }
        assert_true(half_sum(world, split, 1 - here) == sum);
        split_free(world, stores);
    }
}

/* One half was imported by somebody else, and the other half comes. */
static void test_one_is_imported(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * SPLITS; i++) {
        const struct split *split = &splits[i / 2];
        const uint32_t rebuilt[2] = {split->half_count, split->half_count};
        struct sim_store *stores[3];
        struct ctl_world *world = world_split(110 + i, split, rebuilt, stores);
        uint32_t here = i % 2;
        uint64_t sum = half_sum(world, split, 1 - here);

        state_lose(world);
        all_absent(world, true);
        half_put(world, split, here);
        world_start(world);
        assert_int_equal(import(world, ""), REASON_OK);
        world_settle(world, MINUTE);
        world_stop(world);
        all_absent(world, false);
        world_start(world);
        world_settle(world, 10 * MINUTE);
        expect_told(world, "theirs refused foreign_here_conflict: ");
        assert_int_equal(import(world, ""), REASON_FOREIGN_HERE_CONFLICT);
        expect_half(world, here == 0 ? 0xA1 : 0xB2);
        assert_true(half_sum(world, split, 1 - here) == sum);
        split_free(world, stores);
    }
}

/* The state directory of before: whichever half it takes, the other one stays as it is. */
static void test_older_state(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SPLITS; i++) {
        const struct split *split = &splits[i];
        const uint32_t rebuilt[2] = {split->half_count, split->half_count};
        struct sim_store *stores[3];
        struct ctl_world *world = world_split(70 + i, split, rebuilt, stores);
        uint64_t sums[2] = {half_sum(world, split, 0), half_sum(world, split, 1)};
        uint32_t kept = 0;

        store_put(world, stores[0]);
        world_start(world);
        world_settle(world, 10 * MINUTE);
        kept = half_sum(world, split, 0) == sums[0] ? 0 : 1;
        assert_true(half_sum(world, split, kept) == sums[kept]);
        expect_apart(world, split, kept);
        expect_half(world, kept == 1 ? 0xA1 : 0xB2);
        split_free(world, stores);
    }
}

/* Members were replaced one after the other; all that were replaced are here again. */
static void test_one_history(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SPLITS; i++) {
        const struct split *split = &splits[i];
        uint32_t slots = split->count + 2 * split->half_count;
        struct ctl_world *world = world_new(90 + i, slots);
        uint32_t spare = split->count;

        for (uint32_t k = split->count; k < slots; k++) {
            world->slots[k].absent = true;
        }
        world_start(world);
        assert_int_equal(world_create(world, split->level, 0, split->count, "theirs"), REASON_OK);
        assert_true(world_wait_consistent(world, "theirs", 10 * MINUTE));
        for (uint32_t k = 0; k < split->count; k++, spare++) {
            slot_depart(world, k);
            world_settle(world, SIM_SECOND);
            world_write(world, "theirs", 0, DATA, (uint8_t)(0x10 + k));
            world->slots[spare].absent = false;
            slot_arrive(world, spare);
            world_settle(world, SIM_SECOND);
            assert_int_equal(world_spare(world, spare, NULL), REASON_OK);
            assert_true(
                world_wait_state(world, "theirs", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
            world_settle(world, MINUTE);
        }
        state_lose(world);
        world_start(world);
        expect_told(world, "theirs optimal ok: ");
        assert_int_equal(import(world, ""), REASON_OK);
        expect_half(world, (uint8_t)(0x10 + split->count - 1));
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_foreign), cmocka_unit_test(test_one_rebuilt),
        cmocka_unit_test(test_one_is_here), cmocka_unit_test(test_one_is_imported),
        cmocka_unit_test(test_older_state), cmocka_unit_test(test_one_history),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
