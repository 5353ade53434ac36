/*
 * A member that was taken out, and whose place a hot spare took: it is missed until something is
 * done about it, though another hot spare is left.
 */
#include <errno.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)

static void set_glitch_seconds(struct ctl_world *world, uint32_t seconds)
{
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};

    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_GLITCH_SECONDS;
    command.args.controller_set.glitch_seconds = seconds;
    assert_int_equal(world_run(world, &command), REASON_OK);
}

static bool is_missed(struct ctl_world *world)
{
    const struct finding *finding = world_finding(world, FINDING_DRIVE_REMOVED, NULL);

    if (finding == NULL) {
        return false;
    }
    assert_string_equal(finding->path, "/c0/e252/s0");
    assert_int_equal(finding->remedy.code, REASON_REMEDY_DRIVE_REMOVED);
    return true;
}

static struct ctl_world *world_of(void)
{
    struct ctl_world *world = world_new(5, 7);

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    assert_int_equal(world_spare(world, 5, NULL), REASON_OK);
    assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    return world;
}

static void taken_out(struct ctl_world *world)
{
    world->slots[0].absent = true;
    slot_depart(world, 0);
    world_settle(world, SIM_SECOND);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL)); /* the place is its own */
    world_settle(world, 10 * SIM_SECOND);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_null(world_finding(world, FINDING_SPARES_USED_UP, NULL));
    assert_true(is_missed(world));
}

/* The drive group does without it once the place is in sync, and not before. */
static void test_once_the_place_is_in_sync(void **state UNUSED)
{
    for (uint32_t listed = 0; listed < 2; listed++) {
        struct ctl_world *world = world_of();

        if (listed == 0) {
            world->slots[0].absent = true;
            slot_depart(world, 0);
        } else {
            assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
        }
        for (uint32_t i = 0; world_drive_state(world, 5) != DRIVE_STATE_REBUILD &&
                             world_drive_state(world, 6) != DRIVE_STATE_REBUILD;
             i++) {
            assert_true(i < 10000);
            world_settle(world, SIM_SECOND / 1000);
        }
        assert_false(is_missed(world));
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_true(is_missed(world));
        set_glitch_seconds(world, 300);
        for (uint32_t slot = 5; slot < 7; slot++) {
            if (world_drive_state(world, slot) == DRIVE_STATE_ONLINE) {
                assert_int_equal(world_fault(world, slot, FAULT_KIND_PULL), REASON_OK);
                assert_false(is_missed(world));
                assert_int_equal(world_fault(world, slot, FAULT_KIND_RETURN), REASON_OK);
            }
        }
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_true(is_missed(world));
        world_free(world);
    }
}

static enum reason_code do_without(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_MISSING};

    strcpy(command.args.drive.drive, slot_key(world, 0));
    return world_run(world, &command);
}

static void test_until_it_is_back(void **state UNUSED)
{
    struct ctl_world *world = world_of();

    taken_out(world);
    for (uint32_t i = 0; i < 2; i++) {
        world_restart(world);
        assert_true(is_missed(world));
    }
    world->slots[0].absent = false;
    slot_arrive(world, 0);
    world_settle(world, 10 * SIM_SECOND);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    world_restart(world);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    world_free(world);
}

static void test_until_a_user_does_without(void **state UNUSED)
{
    struct ctl_world *world = world_of();

    taken_out(world);
    assert_int_equal(do_without(world), REASON_OK);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    assert_int_equal(do_without(world), REASON_UNKNOWN_OBJECT);
    world_restart(world);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    world_free(world);
}

/* Answered when it is saved: what cannot be saved is refused, what is answered outlives a cut. */
static void test_doing_without_is_saved_first(void **state UNUSED)
{
    struct ctl_world *world = world_of();

    taken_out(world);
    world_settle(world, MINUTE);
    world->store->fail_with = -ENOSPC;
    assert_int_equal(do_without(world), REASON_STORE_FULL);
    assert_true(is_missed(world));
    world->store->fail_with = 0;
    assert_int_equal(do_without(world), REASON_OK);
    sim_world_power_off(world->sim, SIM_CUT_RATE);
    world_power_down(world);
    world_start(world);
    world_settle(world, MINUTE);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    world_free(world);
}

static void other_drive_make(struct ctl_world *world, uint32_t index)
{
    struct slot *slot = &world->slots[index];

    emulated_drive_disconnect(slot->emulated);
    world->retired[world->retired_count] = slot->drive;
    world->retired_emulated[world->retired_count++] = slot->emulated;
    slot->emulated = NULL;
    slot->drive = sim_drive_create(world->sim, &slot->options);
    strcpy(slot->serial, "another");
}

static void test_until_its_bay_is_taken(void **state UNUSED)
{
    struct ctl_world *world = world_of();

    taken_out(world);
    other_drive_make(world, 0);
    world->slots[0].absent = false;
    slot_arrive(world, 0);
    world_settle(world, 10 * SIM_SECOND);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    world_free(world);
}

static void test_until_its_group_is_gone(void **state UNUSED)
{
    struct ctl_world *world = world_of();

    taken_out(world);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    world_free(world);
}

/* It stays on the list first, and vanishes from it when the host looks again. */
static void test_pulled_and_then_looked_for(void **state UNUSED)
{
    struct ctl_world *world = world_of();

    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 10 * SIM_SECOND);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_non_null(world_finding(world, FINDING_DRIVE_REMOVED, slot_key(world, 0)));
    world->slots[0].absent = true;
    slot_depart(world, 0);
    world_settle(world, SIM_SECOND);
    assert_true(is_missed(world));
    world_free(world);
}

/* Nobody saw it go: the agent did not run. */
static void test_taken_out_while_the_agent_is_off(void **state UNUSED)
{
    struct ctl_world *world = world_of();

    world_stop(world);
    world->slots[0].absent = true;
    world_start(world);
    world_settle(world, MINUTE);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_true(is_missed(world));
    world_restart(world);
    assert_true(is_missed(world));
    world->slots[0].absent = false;
    slot_arrive(world, 0);
    world_settle(world, 10 * SIM_SECOND);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    world_free(world);
}

/* What no group has lost is not missed. */
static void test_a_free_drive_may_go(void **state UNUSED)
{
    struct ctl_world *world = world_of();

    slot_depart(world, 3);
    world_settle(world, 10 * SIM_SECOND);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
    world_free(world);
}

/* An emulated drive stays on the list when it is pulled. */
static void test_one_that_stays_listed(void **state UNUSED)
{
    struct ctl_world *world = world_of();
    const struct finding *finding = NULL;

    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(do_without(world), REASON_DRIVE_GONE); /* the place is its own */
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    finding = world_finding(world, FINDING_DRIVE_REMOVED, slot_key(world, 0));
    assert_non_null(finding);
    assert_int_equal(finding->remedy.code, REASON_REMEDY_DRIVE_REMOVED);
    assert_int_equal(do_without(world), REASON_OK);
    assert_null(world_finding(world, FINDING_DRIVE_REMOVED, slot_key(world, 0)));
    assert_int_equal(do_without(world), REASON_DRIVE_GONE);
    world_free(world);
}

/* … is not listed any more after a restart without it. */
static void test_one_that_stayed_listed_until_a_restart(void **state UNUSED)
{
    struct ctl_world *world = world_of();

    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 10 * SIM_SECOND);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world->slots[0].absent = true;
    for (uint32_t i = 0; i < 2; i++) {
        world_restart(world);
        assert_true(is_missed(world));
    }
    assert_int_equal(do_without(world), REASON_OK);
    assert_false(is_missed(world));
    world_restart(world);
    assert_false(is_missed(world));
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once_the_place_is_in_sync),
        cmocka_unit_test(test_until_it_is_back),
        cmocka_unit_test(test_until_a_user_does_without),
        cmocka_unit_test(test_doing_without_is_saved_first),
        cmocka_unit_test(test_until_its_bay_is_taken),
        cmocka_unit_test(test_until_its_group_is_gone),
        cmocka_unit_test(test_pulled_and_then_looked_for),
        cmocka_unit_test(test_taken_out_while_the_agent_is_off),
        cmocka_unit_test(test_a_free_drive_may_go),
        cmocka_unit_test(test_one_that_stays_listed),
        cmocka_unit_test(test_one_that_stayed_listed_until_a_restart),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
