/*
 * What is told of a drive is true of that drive, and ends with its cause: a hot spare that could
 * not serve for a reason that was not its own, a prediction of a life before the last rebuild, and
 * what happened to a drive before another one took its place.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_REBUILD_ABORTED 98
#define EVENT_REBUILD_FAILED_TARGET 102
#define EVENT_COPYBACK_FAILED 282

/* "data" on slots 0 to width - 1, a hot spare behind them. */
static struct ctl_world *world_with_spare(uint64_t seed, enum raid_level level, uint32_t width)
{
    struct ctl_world *world = world_new(seed, width + 1);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, width, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 64 * 1024, 0x11);
    assert_int_equal(world_spare(world, width, NULL), REASON_OK);
    world_settle(world, MINUTE);
    return world;
}

static void room_set(struct ctl_world *world, uint32_t slot, bool room)
{
    struct sim_drive *drive = world->slots[slot].drive;

    drive->refusal = room ? IO_STATUS_OK : IO_STATUS_NO_SPACE;
    drive->refusal_offset_bytes = 0;
    drive->refusal_length_bytes = world->slots[slot].options.size_bytes;
}

static bool says(const struct reason *reason, const char *words)
{
    char text[REASON_TEXT_MAX];

    (void)reason_text(reason, text, sizeof(text));
    return strstr(text, words) != NULL;
}

static void test_spare_is_forgiven(void **state)
{
    struct ctl_world *world = world_with_spare(1, RAID_LEVEL_1, 2);
    struct drive_view drive;

    (void)state;
    room_set(world, 2, false);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    assert_non_null(world_finding(world, FINDING_SPARE_UNUSABLE, slot_key(world, 2)));
    assert_int_equal(world_fault(world, 0, FAULT_KIND_RETURN), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    room_set(world, 2, true);
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_HOT_SPARE);
    assert_null(world_finding(world, FINDING_SPARE_UNUSABLE, slot_key(world, 2)));
    assert_true(world_drive(world, 2, &drive));
    assert_false(drive.has_state_reason);
    world_free(world);
}

/* A transfer of its own failed: that it stays accused of, until it serves or is taken out. */
static void test_spare_with_a_fault(void **state)
{
    struct ctl_world *world = world_with_spare(2, RAID_LEVEL_1, 2);
    const struct sim_fault fault = {SIM_FAULT_WRITE, 0, world->slots[2].options.size_bytes};

    (void)state;
    assert_true(sim_drive_fault_add(world->slots[2].drive, &fault));
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_RETURN), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_settle(world, MINUTE);
    assert_non_null(world_finding(world, FINDING_SPARE_UNUSABLE, slot_key(world, 2)));
    world_free(world);
}

/* The survivor takes no writes: no fault of the spare, and none of the state directory. */
static void test_spare_is_not_to_blame(void **state)
{
    struct ctl_world *world = world_with_spare(3, RAID_LEVEL_1, 2);
    const struct finding *finding = NULL;

    (void)state;
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    room_set(world, 1, false);
    world_settle(world, 10 * SIM_SECOND);
    finding = world_finding(world, FINDING_SPARE_UNUSABLE, slot_key(world, 2));
    assert_non_null(finding);
    assert_false(says(&finding->cause, "could not save its configuration"));
    assert_false(says(&finding->remedy, "Replace it"));
    room_set(world, 1, true);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_settle(world, MINUTE);
    assert_null(world_finding(world, FINDING_SPARE_UNUSABLE, slot_key(world, 2)));
    world_free(world);
}

/* What an earlier life predicted, and its errors, end with the rebuild. */
static void test_prediction_ends(void **state)
{
    struct ctl_world *world = world_with_spare(4, RAID_LEVEL_5, 3);
    uint8_t *bytes = malloc(MIB);

    (void)state;
    assert_non_null(bytes);
    assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 3), REASON_OK);
    for (uint32_t i = 0; world_drive_state(world, 1) == DRIVE_STATE_ONLINE; i++) {
        assert_true(i < 1000);
        for (uint64_t at = 0; at < MIB; at += 64 * 1024) {
            struct sim_fault fault = {SIM_FAULT_READ, at, 512};

            assert_true(sim_drive_fault_add(world->slots[1].drive, &fault));
        }
        assert_int_equal(world_io(world, "data", VD_OP_READ, 0, MIB, bytes), VD_STATUS_OK);
        sim_drive_faults_clear(world->slots[1].drive);
        world_settle(world, SIM_SECOND);
    }
    free(bytes);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_START),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_settle(world, SIM_SECOND);
    assert_null(world_finding(world, FINDING_DRIVE_PREDICTIVE_FAILURE, slot_key(world, 1)));
    assert_null(world_finding(world, FINDING_DRIVE_MEDIA_ERRORS, slot_key(world, 1)));
    world_free(world);
}

static void expect_no_space(struct ctl_world *world, uint32_t slot)
{
    const struct finding *finding =
        world_finding(world, FINDING_DRIVE_UNCONFIGURED_BAD, slot_key(world, slot));

    assert_non_null(finding);
    assert_int_equal(finding->cause.code, REASON_DRIVE_LOST_NO_SPACE);
    assert_int_equal(finding->remedy.code, REASON_REMEDY_DRIVE_REPLACED);
    assert_true(says(&finding->remedy, "\"/c0/e252/s1 set good\""));
}

/* Why it lost its place stays true when a spare has that, over restarts, until it is freed. */
static void test_loss_stays(void **state)
{
    struct ctl_world *world = world_with_spare(5, RAID_LEVEL_5, 3);
    struct ctl_command command = {.op = CTL_OP_DRIVE_GOOD};

    (void)state;
    room_set(world, 1, false);
    world_write(world, "data", 0, 256 * 1024, 0x22);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
    expect_no_space(world, 1);
    world_restart(world);
    world_settle(world, SIM_SECOND);
    expect_no_space(world, 1);
    world_restart(world);
    world_settle(world, SIM_SECOND);
    expect_no_space(world, 1);
    room_set(world, 1, true);
    strcpy(command.args.drive_good.drive, slot_key(world, 1));
    assert_int_equal(world_run(world, &command), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_null(world_finding(world, FINDING_DRIVE_UNCONFIGURED_BAD, NULL));
    world_restart(world);
    assert_null(world_finding(world, FINDING_DRIVE_UNCONFIGURED_BAD, NULL));
    world_free(world);
}

static bool event_says(const struct ctl_world *world, uint32_t code, const char *words)
{
    uint32_t at = world_event(world, 0, code);

    return at != UINT32_MAX && strstr(world->log[at].text, words) != NULL;
}

/* A rebuild whose drive the user takes offline was ended by the user, paused or not. It is no
 * failure of the hot spare that is filled next in that place. */
static void test_rebuild_is_ended_by_the_user(void **state)
{
    (void)state;
    for (uint32_t paused = 0; paused < 2; paused++) {
        struct ctl_world *world = world_with_spare(6 + paused, RAID_LEVEL_5, 3);
        struct operation_view op;

        assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
        world_write(world, "data", 0, MIB, 0x22);
        assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
        for (uint32_t i = 0; world_drive_state(world, 1) != DRIVE_STATE_REBUILD; i++) {
            assert_true(i < 10000);
            world_settle(world, SIM_SECOND / 10000);
        }
        if (paused != 0) {
            assert_int_equal(
                world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_PAUSE),
                REASON_OK);
        }
        assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
        world_settle(world, SIM_SECOND / 2);
        for (uint32_t i = 0; world_drive_state(world, 3) != DRIVE_STATE_ONLINE; i++) {
            assert_true(i < 10000);
            assert_null(world_finding(world, FINDING_REBUILD_FAILED, NULL));
            assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, NULL));
            world_settle(world, SIM_SECOND / 100);
        }
        assert_int_equal(world_event_count(world, 0, EVENT_REBUILD_FAILED_TARGET), 0);
        assert_int_equal(world_event_count(world, 0, EVENT_REBUILD_ABORTED), 1);
        assert_true(event_says(world, EVENT_REBUILD_ABORTED, "stopped by user"));
        world_free(world);
    }
}

/* The target took a write no longer: none of the two drives was lost, and it had no place of a
 * lost member to take. */
static void test_copyback_target_fails(void **state)
{
    struct ctl_world *world = world_with_spare(8, RAID_LEVEL_1, 2);
    struct ctl_command command = {.op = CTL_OP_COPYBACK};
    struct sim_fault fault = {SIM_FAULT_WRITE, 4 * MIB, MIB};
    const struct finding *finding = NULL;
    struct operation_view op;

    (void)state;
    assert_true(sim_drive_fault_add(world->slots[2].drive, &fault));
    strcpy(command.args.copyback.drive, slot_key(world, 1));
    strcpy(command.args.copyback.target, slot_key(world, 2));
    command.args.copyback.action = TASK_ACTION_START;
    assert_int_equal(world_run(world, &command), REASON_OK);
    world_settle(world, 10 * SIM_SECOND);
    assert_true(event_says(world, EVENT_COPYBACK_FAILED, "A write to the drive failed."));
    assert_true(world_operation(world, OPERATION_KIND_COPYBACK, &op, NULL));
    assert_int_equal(op.reason.code, REASON_DRIVE_LOST_WRITE_ERROR);
    finding = world_finding(world, FINDING_SPARE_UNUSABLE, slot_key(world, 2));
    assert_non_null(finding);
    assert_true(says(&finding->cause, "A write to the drive failed."));
    assert_false(says(&finding->cause, "lost member"));
    world_free(world);
}

/* Nothing was written while it was away, which nobody knows: it may have missed writes. */
static void test_member_was_away(void **state)
{
    struct ctl_world *world = world_with_spare(9, RAID_LEVEL_5, 3);
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};
    const struct finding *finding = NULL;
    struct drive_view drive;

    (void)state;
    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_AUTO_REBUILD;
    command.args.controller_set.auto_rebuild = false;
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.state_reason.code, REASON_DRIVE_LOST_PULLED);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.state_reason.code, REASON_DRIVE_LOST_AWAY);
    finding = world_finding(world, FINDING_DRIVE_OUT_OF_DATE, slot_key(world, 1));
    assert_non_null(finding);
    assert_true(says(&finding->what, "was away and may have missed writes"));
    assert_int_equal(finding->cause.code, REASON_OK);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spare_is_forgiven),
        cmocka_unit_test(test_spare_with_a_fault),
        cmocka_unit_test(test_spare_is_not_to_blame),
        cmocka_unit_test(test_prediction_ends),
        cmocka_unit_test(test_loss_stays),
        cmocka_unit_test(test_rebuild_is_ended_by_the_user),
        cmocka_unit_test(test_copyback_target_fails),
        cmocka_unit_test(test_member_was_away),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
