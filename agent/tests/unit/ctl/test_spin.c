/*
 * Drives that are spun down: which may be, and that they turn again before anybody uses them.
 */
#include <errno.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_DOWN 60227
#define EVENT_UP 60228

static enum reason_code down(struct ctl_world *world, uint32_t slot)
{
    return world_drive_op(world, CTL_OP_DRIVE_SPINDOWN, slot);
}

static enum reason_code up(struct ctl_world *world, uint32_t slot)
{
    return world_drive_op(world, CTL_OP_DRIVE_SPINUP, slot);
}

static bool is_down(struct ctl_world *world, uint32_t slot)
{
    struct drive_view drive;

    assert_true(world_drive(world, slot, &drive));
    return drive.spun_down;
}

/* Slots 0 to 3 are emulated, 4 and 5 are the host's. */
static struct ctl_world *world_of(uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 6);

    for (uint32_t slot = 4; slot < 6; slot++) {
        world->slots[slot].real = true;
        world->slots[slot].offered = true;
    }
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 256 * 1024, 0x3c);
    return world;
}

static void test_members_turn(void **state)
{
    struct ctl_world *world = world_of(1);

    (void)state;
    assert_int_equal(down(world, 0), REASON_WRONG_STATE);
    assert_int_equal(up(world, 0), REASON_WRONG_STATE);
    assert_int_equal(up(world, 2), REASON_DRIVE_SPUN_UP);
    assert_false(is_down(world, 0));
    assert_int_equal(world_event_count(world, 0, EVENT_DOWN), 0);
    world_free(world);
}

/* A hot spare that rests takes a place all the same. */
static void test_spare_rests(void **state)
{
    (void)state;
    for (uint32_t slot = 2; slot < 5; slot += 2) {
        struct ctl_world *world = world_of(2 + slot);

        world->slots[slot].real = slot == 4;
        assert_int_equal(world_spare(world, slot, NULL), REASON_OK);
        assert_int_equal(down(world, slot), REASON_OK);
        assert_int_equal(down(world, slot), REASON_DRIVE_SPUN_DOWN);
        assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, slot), REASON_DRIVE_SPUN_DOWN);
        world_settle(world, 10 * MINUTE);
        assert_true(is_down(world, slot)); /* nobody wakes it */
        assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_int_equal(world_drive_state(world, slot), DRIVE_STATE_ONLINE);
        assert_false(is_down(world, slot));
        assert_int_equal(world_event_count(world, 0, EVENT_UP), 1);
        world_check(world, "data", 0, 256 * 1024, 0x3c);
        world_free(world);
    }
}

static void no_transfer_while_down(void *context, struct sim_drive *drive,
                                   const struct io_request *request)
{
    const struct slot *slot = context;

    (void)drive;
    (void)request;
    assert_false(slot->spun_down);
}

/* One of the host's is claimed meanwhile, turns before it is used, and is given back otherwise. */
static void test_free_drives(void **state)
{
    struct ctl_world *world = world_of(8);
    struct slot *slot = &world->slots[4];

    (void)state;
    slot->drive->on_submit = no_transfer_while_down;
    slot->drive->on_submit_context = slot;
    assert_int_equal(down(world, 4), REASON_OK);
    assert_true(slot->spun_down);
    assert_true(slot->claimed && !slot->released);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_JBOD, 4), REASON_DRIVE_SPUN_DOWN);
    assert_int_equal(up(world, 4), REASON_OK);
    assert_false(slot->spun_down);
    world_settle(world, SIM_SECOND);
    assert_true(slot->released);
    assert_int_equal(down(world, 4), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 4, 1, "new"), REASON_OK);
    assert_false(slot->spun_down);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);

    world->slots[5].spin_error = -ENOTSUP;
    assert_int_equal(down(world, 5), REASON_SPIN_UNSUPPORTED);
    world->slots[5].spin_error = -EIO;
    assert_int_equal(down(world, 5), REASON_SPIN_FAILED);
    world_settle(world, SIM_SECOND);
    assert_true(world->slots[5].released);
    assert_false(is_down(world, 5));
    assert_int_equal(world_create(world, RAID_LEVEL_0, 5, 1, "other"), REASON_OK);
    world_free(world);
}

/* A spare that does not turn again is not used; the next one is. */
static void test_stuck_spare(void **state)
{
    struct ctl_world *world = world_of(9);

    (void)state;
    assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
    assert_int_equal(down(world, 4), REASON_OK);
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    world->slots[4].spin_error = -EIO;
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 256 * 1024, 0x3c);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_turn),
        cmocka_unit_test(test_spare_rests),
        cmocka_unit_test(test_free_drives),
        cmocka_unit_test(test_stuck_spare),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
