/*
 * Copyback: a drive is filled from a member that goes on working, and takes its place.
 */
#include <string.h>

#include "base/rng.h"
#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define CHUNK (64u * 1024u)

static struct ctl_world *world_with(uint64_t seed, uint32_t slots, enum raid_level level,
                                    uint32_t width)
{
    struct ctl_world *world = world_new(seed, slots);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, width, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    for (uint32_t i = 0; i < 16; i++) {
        world_write(world, "data", (uint64_t)i * 5 * CHUNK, CHUNK, (uint8_t)(i + 1));
    }
    return world;
}

static void content_check(struct ctl_world *world, uint32_t first)
{
    for (uint32_t i = first; i < 16; i++) {
        world_check(world, "data", (uint64_t)i * 5 * CHUNK, CHUNK, (uint8_t)(i + 1));
    }
}

static bool wait_drive(struct ctl_world *world, uint32_t slot, enum drive_state state,
                       uint64_t limit_us)
{
    uint64_t step_us = limit_us > SIM_SECOND ? SIM_SECOND / 50 : SIM_SECOND / 5000;

    for (uint64_t us = 0; us < limit_us; us += step_us) {
        if (world_drive_state(world, slot) == state) {
            return true;
        }
        world_settle(world, step_us);
    }
    return world_drive_state(world, slot) == state;
}

static enum reason_code copyback(struct ctl_world *world, uint32_t from, uint32_t to,
                                 enum task_action action)
{
    struct ctl_command command = {.op = CTL_OP_COPYBACK};

    strcpy(command.args.copyback.drive, slot_key(world, from));
    strcpy(command.args.copyback.target, slot_key(world, to));
    command.args.copyback.action = action;
    return world_run(world, &command);
}

/* The spare in slot `spare` stands in for the member in `lost`, whose slot gets a blank drive. */
static void stand_in_and_replace(struct ctl_world *world, uint32_t lost, uint32_t spare)
{
    assert_int_equal(world_fault(world, lost, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, spare), DRIVE_STATE_ONLINE);
    assert_int_equal(world_fault(world, lost, FAULT_KIND_REPLACE), REASON_OK);
}

static void test_to_the_replaced_slot(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};
    struct drive_view drive;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t width = levels[i] == RAID_LEVEL_1 ? 2 : 4;
        struct ctl_world *world = world_with(10 + i, width + 1, levels[i], width);
        uint32_t spare = width;

        assert_int_equal(world_spare(world, spare, NULL), REASON_OK);
        stand_in_and_replace(world, 1, spare);
        assert_true(wait_drive(world, 1, DRIVE_STATE_COPYBACK, SIM_SECOND));
        assert_int_equal(world_drive_state(world, spare), DRIVE_STATE_ONLINE); /* it is read */
        world_write(world, "data", 0, CHUNK, 0x77);
        world_write(world, "data", 4 * CHUNK, CHUNK, 0x78);
        assert_true(wait_drive(world, 1, DRIVE_STATE_ONLINE, 10 * MINUTE));
        assert_true(wait_drive(world, spare, DRIVE_STATE_HOT_SPARE, MINUTE));
        assert_int_equal(world_event_count(world, 0, 281), 1);
        assert_int_equal(world_event_count(world, 0, 278), 1);
        assert_int_equal(world_event_count(world, 0, 60163), 1);
        content_check(world, 1);
        world_restart(world);
        assert_true(world_drive(world, spare, &drive));
        assert_true(drive.spare);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
        /* What was copied is right by itself: the other copy may go. */
        assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
        content_check(world, 1);
        world_check(world, "data", 0, CHUNK, 0x77);
        world_check(world, "data", 4 * CHUNK, CHUNK, 0x78);
        world_free(world);
    }
}

/* A stop is one when it is answered: a start behind it begins anew, and can be stopped. */
static void test_stop_and_start(void **state)
{
    struct ctl_world *world = world_with(15, 5, RAID_LEVEL_5, 4);
    struct operation_view view;
    object_key_t key;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(copyback(world, 1, 4, TASK_ACTION_START), REASON_OK);
        assert_true(world_operation(world, OPERATION_KIND_COPYBACK, &view, key));
        assert_int_equal(view.ended_us, 0);
        assert_string_equal(view.source, slot_key(world, 1));
        assert_string_equal(view.target, slot_key(world, 4));
        assert_int_equal(copyback(world, i % 2 == 0 ? 1 : 4, 4, TASK_ACTION_STOP), REASON_OK);
    }
    content_check(world, 0);
    world_free(world);
}

/* Nothing goes back if it is not wanted: the policy, the spare's own manner, a dedicated spare. */
static void test_manners(void **state)
{
    struct ctl_world *world = world_with(20, 3, RAID_LEVEL_1, 2);
    struct ctl_command command = {.op = CTL_OP_SPARE_ADD};
    struct drive_view drive;
    struct drive_group_view group;

    (void)state;
    strcpy(command.args.spare_add.drive, slot_key(world, 2));
    command.args.spare_add.committable = true;
    assert_int_equal(world_run(world, &command), REASON_OK);
    stand_in_and_replace(world, 1, 2);
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_ONLINE);
    /* Now the other way round, dedicated, with the policy off at first. */
    command = (struct ctl_command){.op = CTL_OP_CONTROLLER_SET};
    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_COPYBACK;
    assert_int_equal(world_run(world, &command), REASON_OK);
    command = (struct ctl_command){.op = CTL_OP_SPARE_ADD};
    strcpy(command.args.spare_add.drive, slot_key(world, 1));
    assert_true(world_group(world, 0, &group, command.args.spare_add.groups[0]));
    command.args.spare_add.group_count = 1;
    command.args.spare_add.affinity = true;
    assert_int_equal(world_run(world, &command), REASON_OK);
    stand_in_and_replace(world, 2, 1);
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_UNCONFIGURED_GOOD);
    command = (struct ctl_command){.op = CTL_OP_CONTROLLER_SET};
    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_COPYBACK;
    command.args.controller_set.copyback = true;
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_true(wait_drive(world, 2, DRIVE_STATE_ONLINE, 10 * MINUTE));
    assert_true(wait_drive(world, 1, DRIVE_STATE_DEDICATED_HOT_SPARE, MINUTE));
    assert_true(world_drive(world, 1, &drive));
    assert_true(drive.spare_affinity);
    assert_int_equal(drive.spare_group_count, 1);
    content_check(world, 0);
    world_free(world);
}

/* By command, of a member without redundancy; pause, resume, stop; writes all the time. */
static void test_by_command(void **state)
{
    struct ctl_world *world = world_with(21, 4, RAID_LEVEL_0, 2);
    struct operation_view op;

    (void)state;
    assert_int_equal(copyback(world, 1, 0, TASK_ACTION_START), REASON_DRIVE_NOT_UGOOD);
    assert_int_equal(copyback(world, 2, 3, TASK_ACTION_START), REASON_WRONG_STATE);
    assert_int_equal(copyback(world, 1, 2, TASK_ACTION_STOP), REASON_COPYBACK_NONE);
    assert_int_equal(copyback(world, 1, 2, TASK_ACTION_START), REASON_OK);
    assert_true(wait_drive(world, 2, DRIVE_STATE_COPYBACK, SIM_SECOND));
    assert_int_equal(copyback(world, 0, 3, TASK_ACTION_START), REASON_COPYBACK_ONE);
    assert_int_equal(world_spare(world, 2, NULL), REASON_DRIVE_NOT_UGOOD);
    assert_int_equal(copyback(world, 2, 2, TASK_ACTION_PAUSE), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(world_operation(world, OPERATION_KIND_COPYBACK, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_PAUSED);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_COPYBACK);
    assert_int_equal(copyback(world, 1, 2, TASK_ACTION_RESUME), REASON_OK);
    assert_int_equal(copyback(world, 1, 2, TASK_ACTION_STOP), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
    content_check(world, 0);
    assert_int_equal(copyback(world, 1, 2, TASK_ACTION_START), REASON_OK);
    for (uint32_t i = 0; world_drive_state(world, 2) != DRIVE_STATE_ONLINE; i++) {
        assert_true(i < 100000);
        world_write(world, "data", (uint64_t)(i % 16) * 5 * CHUNK, CHUNK, (uint8_t)(i % 16 + 1));
        world_settle(world, SIM_SECOND / 500);
    }
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_BAD);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK); /* nobody needs it */
    content_check(world, 0);
    world_restart(world);
    content_check(world, 0);
    world_free(world);
}

/* One that is paused ends when either drive goes, and does not come back with it. */
static void test_losses_while_paused(void **state)
{
    (void)state;
    for (uint32_t lost = 1; lost <= 2; lost++) {
        struct ctl_world *world = world_with(60 + lost, 3, RAID_LEVEL_1, 2);
        struct operation_view op;

        assert_int_equal(copyback(world, 1, 2, TASK_ACTION_START), REASON_OK);
        assert_true(wait_drive(world, 2, DRIVE_STATE_COPYBACK, SIM_SECOND));
        assert_int_equal(copyback(world, 2, 2, TASK_ACTION_PAUSE), REASON_OK);
        assert_int_equal(world_fault(world, lost, FAULT_KIND_PULL), REASON_OK);
        world_settle(world, 5 * SIM_SECOND);
        assert_true(world_operation(world, OPERATION_KIND_COPYBACK, &op, NULL));
        assert_int_equal(op.state, OPERATION_STATE_FAILED);
        assert_int_equal(op.reason.code,
                         lost == 1 ? REASON_COPYBACK_SOURCE_LOST : REASON_DRIVE_LOST_PULLED);
        assert_int_equal(world_fault(world, lost, FAULT_KIND_RETURN), REASON_OK);
        assert_true(wait_drive(world, 1, DRIVE_STATE_ONLINE, MINUTE));
        assert_true(wait_drive(world, 2, DRIVE_STATE_UNCONFIGURED_GOOD, MINUTE));
        content_check(world, 0);
        world_free(world);
    }
}

/* Either drive may go at any time: the data stay, and the redundancy comes back. */
static void test_losses(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = world_with(30 + i, 5, RAID_LEVEL_5, 4);
        bool source = (i & 1) != 0;

        assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
        stand_in_and_replace(world, 1, 4);
        assert_true(wait_drive(world, 1, DRIVE_STATE_COPYBACK, SIM_SECOND));
        world_settle(world, i < 2 ? SIM_SECOND / 5000 : SIM_SECOND / 200);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_COPYBACK);
        assert_int_equal(world_fault(world, source ? 4 : 1, FAULT_KIND_PULL), REASON_OK);
        world_write(world, "data", 0, CHUNK, 0x55);
        world_settle(world, SIM_SECOND);
        content_check(world, 1);
        if (source) {
            /* The blank drive is in nobody's slot now, and no spare: it is used by hand. */
            assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
            assert_int_equal(world_event_count(world, 0, 282), 1);
        } else {
            assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);
            assert_int_equal(world_fault(world, 1, FAULT_KIND_REPLACE), REASON_OK);
        }
        world_restart(world);
        content_check(world, 1);
        if (!source) {
            assert_true(wait_drive(world, 1, DRIVE_STATE_ONLINE, 10 * MINUTE));
            assert_true(wait_drive(world, 4, DRIVE_STATE_HOT_SPARE, MINUTE));
        }
        world_check(world, "data", 0, CHUNK, 0x55);
        world_free(world);
    }
}

/* A spare that serves, is away for a while and is rebuilt in its place is still a spare that
 * serves: its return does not depend on when it was away. */
static void test_spare_away_for_a_while(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = world_with(70 + i, 5, RAID_LEVEL_5, 4);

        assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
        assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
        if (i == 0) { /* while it is filled */
            for (uint32_t j = 0; world_drive_state(world, 4) != DRIVE_STATE_REBUILD; j++) {
                assert_true(j < 10000);
                world_settle(world, SIM_SECOND / 1000);
            }
        } else {
            assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        }
        if (i == 1) { /* while it is read */
            assert_int_equal(world_fault(world, 1, FAULT_KIND_REPLACE), REASON_OK);
            assert_true(wait_drive(world, 1, DRIVE_STATE_COPYBACK, SIM_SECOND));
        }
        assert_int_equal(world_fault(world, 4, FAULT_KIND_PULL), REASON_OK);
        world_write(world, "data", 0, CHUNK, 0x55);
        if (i == 2) { /* long enough to be forgotten */
            world_settle(world, 10 * MINUTE);
        }
        assert_int_equal(world_fault(world, 4, FAULT_KIND_RETURN), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        if (i == 3) {
            world_restart(world);
        }
        if (i != 1) {
            assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);
            assert_int_equal(world_fault(world, 1, FAULT_KIND_REPLACE), REASON_OK);
        }
        assert_true(wait_drive(world, 1, DRIVE_STATE_ONLINE, 10 * MINUTE));
        assert_true(wait_drive(world, 4, DRIVE_STATE_HOT_SPARE, MINUTE));
        content_check(world, 1);
        world_check(world, "data", 0, CHUNK, 0x55);
        world_free(world);
    }
}

/* What is said of spares that are used up; NULL: nothing. */
static const char *used_up_remedy(struct ctl_world *world)
{
    static char said[REASON_TEXT_MAX];
    const struct finding *finding = world_finding(world, FINDING_SPARES_USED_UP, NULL);

    if (finding == NULL) {
        return NULL;
    }
    (void)reason_text(&finding->what, said, sizeof(said));
    assert_non_null(strstr(said, " was one and is a member now."));
    (void)reason_text(&finding->remedy, said, sizeof(said));
    return said;
}

/* There is no spare before the copyback has ended. */
static void test_no_spare_while_it_is_copied(void **state)
{
    struct ctl_world *world = world_with(80, 3, RAID_LEVEL_1, 2);

    (void)state;
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    stand_in_and_replace(world, 1, 2);
    assert_true(wait_drive(world, 1, DRIVE_STATE_COPYBACK, SIM_SECOND));
    assert_string_equal(used_up_remedy(world), "A copyback to 252:1 is running. When it is done, "
                                               "252:2 is a hot spare again.");
    assert_int_equal(copyback(world, 2, 1, TASK_ACTION_PAUSE), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_string_equal(used_up_remedy(world),
                        "The copyback to 252:1 is paused. Continue it with \"/c0/e252/s2 resume "
                        "copyback\".");
    assert_int_equal(copyback(world, 2, 1, TASK_ACTION_RESUME), REASON_OK);
    assert_true(wait_drive(world, 2, DRIVE_STATE_HOT_SPARE, 10 * MINUTE));
    assert_null(used_up_remedy(world));
    world_free(world);
}

/* The lost drive is back and good for anything: a command gives it its place back. Another drive
 * that is free is not meant. */
static void test_lost_drive_is_back(void **state)
{
    struct ctl_world *world = world_with(81, 4, RAID_LEVEL_1, 2);

    (void)state;
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_string_equal(used_up_remedy(world), "Put a new drive in bay 252:1, or add a hot spare.");
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    assert_true(wait_drive(world, 1, DRIVE_STATE_UNCONFIGURED_BAD, MINUTE));
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, 1), REASON_OK);
    for (uint32_t i = 0; i < 2; i++) {
        world_settle(world, MINUTE);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
        assert_string_equal(used_up_remedy(world),
                            "Copy 252:3 back to 252:1 with \"/c0/e252/s3 start copyback "
                            "target=252:1\", or add a hot spare.");
        world_restart(world);
    }
    assert_int_equal(copyback(world, 3, 1, TASK_ACTION_START), REASON_OK);
    assert_true(wait_drive(world, 3, DRIVE_STATE_HOT_SPARE, 10 * MINUTE));
    assert_null(used_up_remedy(world));
    content_check(world, 0);
    world_free(world);
}

/* By command onto a spare: nothing was lost, and that is not said. */
static void test_onto_a_spare(void **state)
{
    struct ctl_world *world = world_with(82, 4, RAID_LEVEL_1, 2);

    (void)state;
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(copyback(world, 1, 3, TASK_ACTION_START), REASON_OK);
    assert_true(wait_drive(world, 3, DRIVE_STATE_ONLINE, 10 * MINUTE));
    assert_null(used_up_remedy(world));
    assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 2), REASON_OK);
    assert_string_equal(used_up_remedy(world), "Put a new drive in bay 252:1, or add a hot spare.");
    world_free(world);
}

/* Restarts in the middle go on where they were. */
static void test_restart(void **state)
{
    struct ctl_world *world = world_with(40, 5, RAID_LEVEL_5, 4);

    (void)state;
    assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
    stand_in_and_replace(world, 1, 4);
    assert_true(wait_drive(world, 1, DRIVE_STATE_COPYBACK, SIM_SECOND));
    world_settle(world, SIM_SECOND / 200);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_COPYBACK);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_COPYBACK);
    world_settle(world, SIM_SECOND / 1000);
    assert_int_equal(world_event_count(world, 0, 280), 1);
    assert_true(wait_drive(world, 1, DRIVE_STATE_ONLINE, 10 * MINUTE));
    assert_true(wait_drive(world, 4, DRIVE_STATE_HOT_SPARE, MINUTE));
    assert_int_equal(world_fault(world, 2, FAULT_KIND_PULL), REASON_OK);
    content_check(world, 0);
    world_free(world);
}

/* The power goes after every few steps, with writes on their way: never wrong data, and in the end
 * the drive is in its place and the spare a spare. */
static void test_power_cuts(void **state)
{
    (void)state;
    for (uint32_t cut = 0; cut < 24; cut++) {
        struct ctl_world *world = world_with(100 + cut, 3, RAID_LEVEL_1, 2);
        struct rng rng;

        rng_seed(&rng, cut);
        assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
        stand_in_and_replace(world, 1, 2);
        for (uint32_t i = 0; i < 3; i++) {
            world_settle(world, rng_below(&rng, SIM_SECOND));
            world_write(world, "data", (uint64_t)rng_below(&rng, 16) * 5 * CHUNK + 4 * CHUNK, CHUNK,
                        (uint8_t)i);
            if (rng_below(&rng, 2) == 0) {
                world_settle(world, rng_below(&rng, 8 * SIM_SECOND));
            }
            sim_world_power_off(world->sim, (enum sim_cut)rng_below(&rng, SIM_CUT_MAX));
            world_power_cycle(world);
            content_check(world, 0);
        }
        assert_true(wait_drive(world, 1, DRIVE_STATE_ONLINE, 10 * MINUTE));
        assert_true(wait_drive(world, 2, DRIVE_STATE_HOT_SPARE, 2 * MINUTE));
        assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
        assert_int_equal(world_fault(world, cut % 2, FAULT_KIND_PULL), REASON_OK);
        content_check(world, 0);
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_the_replaced_slot),
        cmocka_unit_test(test_stop_and_start),
        cmocka_unit_test(test_manners),
        cmocka_unit_test(test_by_command),
        cmocka_unit_test(test_losses_while_paused),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_spare_away_for_a_while),
        cmocka_unit_test(test_no_spare_while_it_is_copied),
        cmocka_unit_test(test_lost_drive_is_back),
        cmocka_unit_test(test_onto_a_spare),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_power_cuts),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
