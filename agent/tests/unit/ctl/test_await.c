/*
 * What a start waits for: drives that the host has yet to look at, and drives that it is still
 * claiming (ctl_await.c).
 */
#include <errno.h>

#include "ctl_world.h"

#define MILLISECOND UINT64_C(1000)
#define MINUTE (60 * SIM_SECOND)

/* RAID 1 "one" on slots 0 and 1, "two" on 2 and 3; slots 4 and 5 are free. Stopped. */
static struct ctl_world *two_groups(uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 6);

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "one"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 2, 2, "two"), REASON_OK);
    assert_true(world_wait_consistent(world, "one", 60 * MINUTE));
    assert_true(world_wait_consistent(world, "two", 60 * MINUTE));
    world_write(world, "one", 0, 65536, 0x11);
    world_write(world, "two", 0, 65536, 0x22);
    world_stop(world);
    return world;
}

static enum virtual_drive_state state_of(struct ctl_world *world, const char *name)
{
    static struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, NULL));
    return view.state;
}

static void come(struct ctl_world *world, uint32_t slot)
{
    world->slots[slot].awaited = false;
    slot_arrive(world, slot);
}

/* The host has not looked at all of its drives: whoever is beyond doubt begins; nobody else. */
static void test_while_the_host_looks(void **state UNUSED)
{
    struct ctl_world *world = two_groups(1);
    int result = 0;

    world->slots[1].absent = true;
    assert_int_equal(world_begin_start(world, &result), 0);
    ctl_drives_looking(world->ctl, true);
    world_settle(world, 1900 * MILLISECOND);
    assert_int_equal(state_of(world, "two"), VIRTUAL_DRIVE_STATE_STARTING);
    world_settle(world, 200 * MILLISECOND);
    assert_int_equal(state_of(world, "two"), VIRTUAL_DRIVE_STATE_OPTIMAL);
    world_check(world, "two", 0, 65536, 0x22);
    assert_int_equal(state_of(world, "one"), VIRTUAL_DRIVE_STATE_STARTING);
    world_settle(world, 20 * SIM_SECOND);
    assert_int_equal(state_of(world, "one"), VIRTUAL_DRIVE_STATE_STARTING);
    assert_false(ctl_is_online(world->ctl));
    slot_arrive(world, 1);
    ctl_drives_looking(world->ctl, false);
    world_settle(world, SIM_SECOND);
    assert_true(ctl_is_online(world->ctl));
    assert_int_equal(state_of(world, "one"), VIRTUAL_DRIVE_STATE_OPTIMAL);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
    assert_int_equal(world_count(world, OBJECT_KIND_OPERATION), 0);
    world_stop(world);
    world_free(world);
}

/* A member that is being claimed is waited for as long as that takes, and costs no rebuild; given
 * up, its group begins without it. */
static void test_a_member_that_is_claimed(void **state UNUSED)
{
    for (uint32_t given_up = 0; given_up < 2; given_up++) {
        struct ctl_world *world = two_groups(2 + given_up);
        struct drive_view drive;
        int result = 0;

        world->slots[1].awaited = true;
        world->slots[1].probed = true;
        assert_int_equal(world_begin_start(world, &result), 0);
        world_settle(world, 25 * SIM_SECOND);
        assert_true(world_drive(world, 1, &drive));
        assert_false(drive.foreign);
        assert_int_equal(state_of(world, "one"), VIRTUAL_DRIVE_STATE_STARTING);
        assert_int_equal(state_of(world, "two"), VIRTUAL_DRIVE_STATE_OPTIMAL);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_STARTING);
        world->slots[1].offered = given_up != 0;
        world->slots[1].unsuitable = given_up != 0 ? REASON_DRIVE_UNSUITABLE_CLAIMED : REASON_OK;
        world->slots[1].claim_error = given_up != 0 ? -EBUSY : 0;
        come(world, 1);
        world_settle(world, SIM_SECOND);
        assert_true(ctl_is_online(world->ctl));
        assert_true(world_drive(world, 1, &drive));
        assert_false(drive.foreign);
        assert_int_equal(state_of(world, "one"), given_up != 0 ? VIRTUAL_DRIVE_STATE_DEGRADED
                                                               : VIRTUAL_DRIVE_STATE_OPTIMAL);
        assert_int_equal(world_count(world, OBJECT_KIND_OPERATION), 0);
        world_stop(world);
        world_free(world);
    }
}

/* A drive that no group lacks costs nobody more than a moment, and comes when it can. */
static void test_a_claimed_drive_that_nobody_needs(void **state UNUSED)
{
    struct ctl_world *world = two_groups(4);
    int result = 0;

    world->slots[4].awaited = true;
    assert_int_equal(world_begin_start(world, &result), 0);
    world_settle(world, 3 * SIM_SECOND);
    assert_true(ctl_is_online(world->ctl));
    assert_int_equal(state_of(world, "one"), VIRTUAL_DRIVE_STATE_OPTIMAL);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_STARTING);
    come(world, 4);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 4, 1, "three"), REASON_OK);
    world_stop(world);
    world_free(world);
}

static void slot_hang(struct ctl_world *world, uint32_t slot, bool hang)
{
    struct sim_drive *sim = world->slots[slot].drive;

    sim->hang = hang;
    if (!hang) {
        sim_drive_unhang(sim);
    }
}

static void ended(struct ctl_command *command)
{
    *(int *)command->owner = 1;
}

/* A command that comes while a drive's label is being read is about that drive, most likely: it
 * waits. One that hangs costs it some seconds, and is refused. */
static void test_a_command_about_a_drive_that_has_just_come(void **state UNUSED)
{
    for (uint32_t hangs = 0; hangs < 2; hangs++) {
        struct ctl_world *world = two_groups(6 + hangs);
        uint64_t began_us = 0;
        int result = 0;

        slot_hang(world, 4, true);
        assert_int_equal(world_begin_start(world, &result), 0);
        world_settle(world, 3 * SIM_SECOND);
        assert_true(ctl_is_online(world->ctl));
        began_us = world->sim->now_us;
        if (hangs != 0) {
            assert_int_equal(world_create(world, RAID_LEVEL_0, 5, 1, "three"), REASON_OK);
            assert_in_range(world->sim->now_us - began_us, SIM_SECOND, 8 * SIM_SECOND);
            assert_int_equal(world_create(world, RAID_LEVEL_0, 4, 1, "four"), REASON_BUSY);
            slot_hang(world, 4, false);
        } else {
            struct ctl_command *command = world_create_command(world, RAID_LEVEL_0, 4, 1, "three");

            command->complete = ended;
            command->owner = &result;
            ctl_execute(world->ctl, command);
            world_settle(world, SIM_SECOND);
            assert_int_equal(result, 0);
            slot_hang(world, 4, false);
            world_settle(world, SIM_SECOND);
            assert_int_equal(result, 1);
            assert_int_equal(state_of(world, "three"), VIRTUAL_DRIVE_STATE_OPTIMAL);
        }
        world_stop(world);
        world_free(world);
    }
}

/* Two drives come and go by turns, so that at any time one has just come. */
static void test_a_command_while_drives_come_and_go(void **state UNUSED)
{
    struct ctl_world *world = two_groups(9);
    struct ctl_command *command = NULL;
    uint64_t began_us = 0;
    int result = 0;

    slot_hang(world, 4, true);
    slot_hang(world, 5, true);
    assert_int_equal(world_begin_start(world, &result), 0);
    world_settle(world, 3 * SIM_SECOND);
    assert_true(ctl_is_online(world->ctl));
    began_us = world->sim->now_us;
    command = world_create_command(world, RAID_LEVEL_0, 4, 1, "three");
    command->complete = ended;
    command->owner = &result;
    result = 0;
    ctl_execute(world->ctl, command);
    for (uint32_t i = 0; i < 40 && result == 0; i++) {
        uint32_t slot = 4 + i % 2;

        ctl_drive_departed(world->ctl, &world->slots[slot]);
        slot_hang(world, slot, false);
        world_settle(world, SIM_SECOND / 2);
        slot_hang(world, slot, true);
        slot_arrive(world, slot);
        world_settle(world, SIM_SECOND / 2);
    }
    assert_int_equal(result, 1);
    assert_in_range(world->sim->now_us - began_us, SIM_SECOND, 12 * SIM_SECOND);
    slot_hang(world, 4, false);
    slot_hang(world, 5, false);
    world_stop(world);
    world_free(world);
}

/* The group that still waits is left as it is. */
static void test_a_stop_amid_the_wait(void **state UNUSED)
{
    struct ctl_world *world = two_groups(5);
    int result = 0;

    world->slots[1].awaited = true;
    assert_int_equal(world_begin_start(world, &result), 0);
    world_settle(world, SIM_SECOND);
    world_stop(world);
    world->slots[1].awaited = false;
    world_start(world);
    assert_int_equal(state_of(world, "one"), VIRTUAL_DRIVE_STATE_OPTIMAL);
    world_check(world, "one", 0, 65536, 0x11);
    world_stop(world);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_while_the_host_looks),
        cmocka_unit_test(test_a_member_that_is_claimed),
        cmocka_unit_test(test_a_claimed_drive_that_nobody_needs),
        cmocka_unit_test(test_a_command_about_a_drive_that_has_just_come),
        cmocka_unit_test(test_a_command_while_drives_come_and_go),
        cmocka_unit_test(test_a_stop_amid_the_wait),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
