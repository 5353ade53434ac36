/*
 * Consistency checks: what they find, what they tell, what they give way to and what they refuse.
 */
#include <string.h>

#include "base/checked.h"
#include "ctl_world.h"

#define HOUR (3600 * SIM_SECOND)
#define BLOCK 4096u
#define CHECK_STARTED 66u
#define CHECK_PAUSED 60270u
#define CHECK_RESUMED 60271u
#define CHECK_ABORTED 56u
#define CHECK_CORRECTED 57u
#define CHECK_COMPLETED 58u
#define CHECK_COMPLETED_FOUND 59u
#define CHECK_COMPLETED_LEFT_OUT 60272u
#define CHECK_FAILED 61u
#define CHECK_UNCORRECTABLE 62u
#define CHECK_INCONSISTENT 63u
#define CHECK_SUPPRESSED 64u
#define CORRECTED 93u

static struct ctl_world *world_of(enum raid_level level, uint32_t count)
{
    struct ctl_world *world = world_new(7, 6);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, count, "data"), REASON_OK);
    if (level != RAID_LEVEL_0) {
        assert_true(world_wait_consistent(world, "data", HOUR));
    }
    world_write(world, "data", 0, 1 << 20, 0x42);
    world_settle(world, 10 * SIM_SECOND);
    return world;
}

static enum reason_code act_so(struct ctl_world *world, enum task_action action, bool correct,
                               const char *confirm)
{
    struct ctl_command command = {.op = CTL_OP_CONSISTENCY_CHECK};
    struct virtual_drive_view view;
    object_key_t key;

    assert_true(world_vd(world, "data", &view, key));
    strcpy(command.args.check.vd, key);
    command.args.check.action = action;
    command.args.check.correct = correct;
    strcpy(command.confirm, confirm);
    return world_run(world, &command);
}

static enum reason_code act(struct ctl_world *world, enum task_action action)
{
    return act_so(world, action, false, "");
}

static struct check_view result(struct ctl_world *world)
{
    struct virtual_drive_view view;
    object_key_t key;

    assert_true(world_vd(world, "data", &view, key));
    return view.check;
}

static struct check_view check_end(struct ctl_world *world)
{
    for (uint32_t i = 0; i < 3600; i++) {
        struct check_view view = result(world);

        assert_true(view.any);
        if (view.ended_us != 0) {
            return view;
        }
        world_settle(world, SIM_SECOND);
    }
    fail_msg("the consistency check does not end");
    return result(world);
}

static void flip(struct ctl_world *world, uint32_t slot, uint64_t at)
{
    uint8_t byte = 0;

    sim_drive_peek(world->slots[slot].drive, at, &byte, 1);
    byte ^= 1;
    sim_drive_poke(world->slots[slot].drive, at, &byte, 1);
}

static void break_at(struct ctl_world *world, uint32_t slot, uint64_t offset)
{
    const struct sim_fault fault = {SIM_FAULT_READ, offset, 512};

    assert_true(sim_drive_fault_add(world->slots[slot].drive, &fault));
}

static void test_clean(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct virtual_drive_view vd;
    struct check_view view;
    object_key_t key;

    (void)state;
    assert_false(result(world).any);
    assert_int_equal(act(world, TASK_ACTION_STOP), REASON_NOT_RUNNING);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_ALREADY_RUNNING);
    view = check_end(world);
    assert_int_equal(view.state, OPERATION_STATE_COMPLETED);
    assert_true(world_vd(world, "data", &vd, key));
    assert_true(view.compared_bytes >= vd.config->size_bytes);
    assert_int_equal(view.left_out_bytes + view.corrected + view.inconsistent, 0);
    assert_int_equal(world_event_count(world, 0, CHECK_STARTED), 1);
    assert_int_equal(world_event_count(world, 0, CHECK_COMPLETED), 1);
    assert_int_equal(world_event_count(world, 0, CHECK_INCONSISTENT), 0);
    world_free(world);
}

static void test_told_and_left(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct check_view view;
    uint8_t before, after;

    (void)state;
    flip(world, 1, 2 * BLOCK);
    sim_drive_peek(world->slots[1].drive, 2 * BLOCK, &before, 1);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    view = check_end(world);
    sim_drive_peek(world->slots[1].drive, 2 * BLOCK, &after, 1);
    assert_int_equal(before, after);
    assert_int_equal(view.inconsistent, 1);
    assert_int_equal(view.corrected, 0);
    assert_int_equal(view.place_count, 1);
    assert_int_equal(view.places[0].lo, 2 * BLOCK);
    assert_int_equal(world_event_count(world, 0, CHECK_INCONSISTENT), 1);
    assert_int_equal(world_event_count(world, 0, CHECK_COMPLETED_FOUND), 1);
    /* To take the data as right needs the name. */
    assert_int_equal(act_so(world, TASK_ACTION_START, true, ""), REASON_CONFIRM_NEEDED);
    assert_int_equal(act_so(world, TASK_ACTION_START, true, "date"), REASON_CONFIRM_MISMATCH);
    assert_int_equal(act_so(world, TASK_ACTION_START, true, "data"), REASON_OK);
    view = check_end(world);
    assert_int_equal(view.corrected, 1);
    assert_int_equal(world_event_count(world, 0, CHECK_CORRECTED), 1);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    view = check_end(world);
    assert_int_equal(view.corrected + view.inconsistent, 0);
    world_free(world);
}

static void test_located(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_6, 4);
    struct check_view view;

    (void)state;
    flip(world, 2, 5 * BLOCK);
    break_at(world, 1, 7 * BLOCK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    view = check_end(world);
    assert_int_equal(view.corrected, 1);
    assert_int_equal(view.inconsistent, 0);
    assert_int_equal(view.unreadable_bytes, 0);
    assert_true(view.left_out_bytes > 0);
    assert_int_equal(world_event_count(world, 0, CHECK_CORRECTED), 1);
    assert_int_equal(world_event_count(world, 0, CORRECTED), 1);
    assert_int_equal(world_event_count(world, 0, CHECK_COMPLETED_LEFT_OUT), 1);
    world_check(world, "data", 0, 1 << 20, 0x42);
    world_free(world);
}

static void test_uncorrectable(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct check_view view;

    (void)state;
    break_at(world, 0, 0);
    break_at(world, 1, 0);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    view = check_end(world);
    assert_int_equal(view.state, OPERATION_STATE_COMPLETED);
    assert_int_equal(view.unreadable_bytes, BLOCK);
    assert_int_equal(world_event_count(world, 0, CHECK_UNCORRECTABLE), 1);
    world_free(world);
}

static void test_suppressed(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_1, 2);
    struct check_view view;

    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        flip(world, 0, i * 2 * BLOCK);
    }
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    view = check_end(world);
    assert_int_equal(view.inconsistent, 30);
    assert_int_equal(view.place_count, CHECK_PLACES_MAX);
    assert_int_equal(world_event_count(world, 0, CHECK_INCONSISTENT), 20);
    assert_int_equal(world_event_count(world, 0, CHECK_SUPPRESSED), 1);
    world_free(world);
}

static void test_steered(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct ctl_command expand = {.op = CTL_OP_VD_EXPAND};
    struct virtual_drive_view view;
    struct operation_view op;

    (void)state;
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_PAUSE), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_CONSISTENCY_CHECK, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_PAUSED);
    assert_int_equal(act(world, TASK_ACTION_PAUSE), REASON_NOT_RUNNING);
    assert_true(world_vd(world, "data", &view, expand.args.vd_expand.vd));
    assert_int_equal(world_run(world, &expand), REASON_BUSY);
    assert_int_equal(act(world, TASK_ACTION_RESUME), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_RESUME), REASON_ALREADY_RUNNING);
    assert_int_equal(act(world, TASK_ACTION_STOP), REASON_OK);
    assert_int_equal(check_end(world).state, OPERATION_STATE_STOPPED);
    assert_int_equal(world_event_count(world, 0, CHECK_PAUSED), 1);
    assert_int_equal(world_event_count(world, 0, CHECK_ABORTED), 1);
    world_free(world);
}

/* Until it has begun: then it is resumed with an event. */
static void test_resumed(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);

    (void)state;
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    while (world_event(world, 0, CHECK_STARTED) == UINT32_MAX) {
        assert_true(sim_world_step(world->sim));
    }
    assert_int_equal(act(world, TASK_ACTION_PAUSE), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_RESUME), REASON_OK);
    assert_int_equal(check_end(world).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(world_event_count(world, 0, CHECK_RESUMED), 1);
    world_free(world);
}

static void test_gives_way(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct operation_view op;

    (void)state;
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_PAUSE), REASON_OK);
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
    while (!world_operation(world, OPERATION_KIND_REBUILD, &op, NULL)) {
        world_settle(world, SIM_SECOND / 100);
    }
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 3), TASK_ACTION_PAUSE),
                     REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_RESUME), REASON_OK);
    world_settle(world, 10000);
    assert_true(world_operation(world, OPERATION_KIND_CONSISTENCY_CHECK, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_WAITING);
    assert_int_equal(op.reason.code, REASON_CHECK_WAITS);
    assert_int_equal(act(world, TASK_ACTION_STOP), REASON_OK);
    world_settle(world, 10000);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_BUSY); /* a rebuild */
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 3), TASK_ACTION_RESUME),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, HOUR));
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(check_end(world).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(check_end(world).left_out_bytes, 0);
    world_free(world);
}

/* One parity, and a drive is missing: there is nothing to compare. With two there is. */
static void test_degraded(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);

    (void)state;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_CHECK_NEEDS_REDUNDANCY);
    world_free(world);
    world = world_of(RAID_LEVEL_6, 4);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(check_end(world).left_out_bytes, 0);
    world_free(world);
}

/* A drive goes meanwhile: the check waits for the rebuild, and leaves nothing out. */
static void test_drive_goes(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct virtual_drive_view vd;
    struct operation_view op;
    object_key_t key;

    (void)state;
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    do {
        assert_true(sim_world_step(world->sim));
        assert_true(world_operation(world, OPERATION_KIND_CONSISTENCY_CHECK, &op, NULL));
    } while (op.done_bytes < op.total_bytes / 3);
    slot_depart(world, 1);
    world_settle(world, 60 * SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_CONSISTENCY_CHECK, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_WAITING);
    assert_int_equal(op.reason.code, REASON_CHECK_WAITS);
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(check_end(world).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(check_end(world).left_out_bytes, 0);
    assert_true(world_vd(world, "data", &vd, key));
    assert_true(check_end(world).compared_bytes >= vd.config->size_bytes);
    assert_int_equal(world_event_count(world, 0, CHECK_COMPLETED), 1);
    world_free(world);
}

static void test_refused(void **state)
{
    struct ctl_world *world = world_new(7, 6);
    struct ctl_command command = {.op = CTL_OP_CONSISTENCY_CHECK};

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 2, "data"), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_NO_REDUNDANCY);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 2, 3, "data"), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_CHECK_NEEDS_CONSISTENCY);
    strcpy(command.args.check.vd, "nobody");
    assert_int_equal(world_run(world, &command), REASON_UNKNOWN_OBJECT);
    assert_true(world_wait_consistent(world, "data", HOUR));
    assert_int_equal(act(world, TASK_ACTION_MAX), REASON_UNKNOWN_COMMAND);
    world_free(world);
}

/* All that it could read is gone. */
static void test_fails(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct check_view view;

    (void)state;
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    while (world_event(world, 0, CHECK_STARTED) == UINT32_MAX) {
        assert_true(sim_world_step(world->sim));
    }
    sim_drive_pull(world->slots[0].drive, false);
    sim_drive_pull(world->slots[1].drive, false);
    view = check_end(world);
    assert_int_equal(view.state, OPERATION_STATE_FAILED);
    assert_int_equal(world_event_count(world, 0, CHECK_FAILED), 1);
    world_free(world);
}

/* A deletion ends it. */
static void test_deleted(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);

    (void)state;
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(world_event_count(world, 0, CHECK_ABORTED), 1);
    world_free(world);
}

static bool parity_is_lost(struct ctl_world *world)
{
    return world_finding(world, FINDING_VIRTUAL_DRIVE_LOST_PARITY, NULL) != NULL;
}

/* What the finding advises ends it: the first drive holds parity of the rows in which the second
 * one could not be read when the hot spare was filled. */
static void test_lost_parity(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct virtual_drive_view view;
    object_key_t key;

    (void)state;
    assert_true(world_vd(world, "data", &view, key));
    for (uint64_t row = 0; row < 3; row++) { /* the parity is on each of them once */
        break_at(world, 1, row * view.config->geometry.strip_bytes + BLOCK);
    }
    assert_int_equal(world_spare(world, 5, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, HOUR);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, HOUR));
    assert_non_null(world_finding(world, FINDING_VIRTUAL_DRIVE_LOST_BLOCKS, NULL));
    sim_drive_faults_clear(world->slots[1].drive);
    world_check(world, "data", 0, 4 * view.config->geometry.strip_bytes, 0x42); /* two rows */
    assert_null(world_finding(world, FINDING_VIRTUAL_DRIVE_LOST_BLOCKS, NULL));
    assert_true(parity_is_lost(world));
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    (void)check_end(world);
    assert_false(parity_is_lost(world));
    assert_int_equal(world_fault(world, 2, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 10 * SIM_SECOND);
    world_check(world, "data", 0, 1 << 20, 0x42);
    world_free(world);
}

/* Doubt is noted by the range. Of the parity in it nobody has any: when the data have been written
 * nothing is left to be said. */
static void test_parity_is_not_in_doubt(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct ctl_command set = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    (void)state;
    assert_true(world_vd(world, "data", &view, set.args.vd_set.vd));
    set.args.vd_set.fields = VD_SET_STRIPE_LOG_MODE;
    set.args.vd_set.stripe_log_mode = STRIPE_LOG_MODE_OFF;
    assert_int_equal(world_run(world, &set), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 10 * SIM_SECOND);
    world_write(world, "data", 0, 1 << 20, 0x43);
    sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
    world_power_cycle(world);
    world_settle(world, 10 * SIM_SECOND);
    assert_non_null(world_finding(world, FINDING_VIRTUAL_DRIVE_LOST_BLOCKS, NULL));
    assert_true(world_vd(world, "data", &view, set.args.vd_set.vd));
    for (uint64_t at = 0; at < view.config->size_bytes; at += 1 << 20) {
        world_write(world, "data", at, (uint32_t)min_u64(1 << 20, view.config->size_bytes - at),
                    0x44);
    }
    assert_null(world_finding(world, FINDING_VIRTUAL_DRIVE_LOST_BLOCKS, NULL));
    assert_false(parity_is_lost(world));
    world_free(world);
}

/* A member is away, and a byte of another is wrong: the rebuild makes redundancy of it. Later
 * checks find nothing, and what they do not find stays told until somebody takes the data as right.
 */
static void test_rebuilt_from_what_is_wrong(void **state)
{
    struct ctl_world *world = world_of(RAID_LEVEL_6, 4);
    const struct finding *finding = NULL;

    (void)state;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 3), REASON_OK);
    flip(world, 0, 2 * BLOCK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(check_end(world).inconsistent, 1);
    finding = world_finding(world, FINDING_REDUNDANCY_INCONSISTENT, NULL);
    assert_non_null(finding);
    assert_int_equal(finding->remedy.code, REASON_REMEDY_REDUNDANCY_INCONSISTENT_DEGRADED);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 3), TASK_ACTION_START),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, HOUR));
    for (uint32_t i = 0; i < 3; i++) {
        finding = world_finding(world, FINDING_REDUNDANCY_INCONSISTENT, NULL);
        assert_non_null(finding);
        assert_int_equal(finding->effect.code, REASON_EFFECT_REDUNDANCY_INCONSISTENT_REBUILT);
        assert_int_equal(finding->remedy.code, REASON_REMEDY_REDUNDANCY_INCONSISTENT_REBUILT);
        assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
        assert_int_equal(check_end(world).inconsistent, 0);
    }
    assert_int_equal(act_so(world, TASK_ACTION_START, true, "data"), REASON_OK);
    (void)check_end(world);
    assert_null(world_finding(world, FINDING_REDUNDANCY_INCONSISTENT, NULL));
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_told_and_left),
        cmocka_unit_test(test_located),
        cmocka_unit_test(test_uncorrectable),
        cmocka_unit_test(test_suppressed),
        cmocka_unit_test(test_steered),
        cmocka_unit_test(test_resumed),
        cmocka_unit_test(test_gives_way),
        cmocka_unit_test(test_degraded),
        cmocka_unit_test(test_drive_goes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_fails),
        cmocka_unit_test(test_deleted),
        cmocka_unit_test(test_lost_parity),
        cmocka_unit_test(test_parity_is_not_in_doubt),
        cmocka_unit_test(test_rebuilt_from_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
