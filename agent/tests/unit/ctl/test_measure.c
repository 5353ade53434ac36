/*
 * Measurements of virtual drives: nobody else uses one meanwhile, what overwrites is confirmed,
 * and whatever takes the virtual drive away ends its measurement.
 */
#include "ctl_world.h"

#include <string.h>

#define MINUTE (60 * SIM_SECOND)
#define STARTED 60190u
#define ENDED 60191u

static struct ctl_world *measurable(uint64_t seed, enum raid_level level, uint32_t count)
{
    struct ctl_world *world = world_new(seed, 4);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, count, "data"), REASON_OK);
    if (level != RAID_LEVEL_0) {
        assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    }
    world_write(world, "data", 0, 65536, 0x42);
    return world;
}

static struct ctl_command command_of(struct ctl_world *world, enum task_action action,
                                     uint32_t write_percent)
{
    struct ctl_command command = {.op = CTL_OP_VD_MEASURE};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, command.args.vd_measure.vd));
    command.args.vd_measure.action = action;
    command.args.vd_measure.plan =
        (struct measurement_plan){.seconds = 2,
                                  .load_count = 1,
                                  .loads = {{.pattern = LOAD_PATTERN_SEQUENTIAL,
                                             .write_percent = write_percent,
                                             .block_count = 1,
                                             .blocks = {{4096, 100}},
                                             .workers = 1,
                                             .depth = 1}}};
    return command;
}

static enum reason_code start(struct ctl_world *world, uint32_t write_percent)
{
    struct ctl_command command = command_of(world, TASK_ACTION_START, write_percent);

    strcpy(command.confirm, write_percent > 0 ? "data" : "");
    return world_run(world, &command);
}

static enum reason_code stop(struct ctl_world *world)
{
    struct ctl_command command = command_of(world, TASK_ACTION_STOP, 0);

    return world_run(world, &command);
}

/* Its figures are the virtual drive's as long as that is there. */
static struct measurement_view measured(struct ctl_world *world)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, NULL));
    assert_non_null(view.measurement.run);
    return view.measurement;
}

static void is(struct ctl_world *world, enum measurement_state state, enum reason_code why)
{
    struct measurement_view view = measured(world);

    assert_int_equal(view.state, state);
    assert_int_equal(view.reason.code, why);
    assert_int_equal(view.ended_us != 0, state != MEASUREMENT_STATE_RUNNING);
    assert_int_equal(world_event_count(world, 0, STARTED), 1);
    assert_int_equal(world_event_count(world, 0, ENDED), state != MEASUREMENT_STATE_RUNNING);
    assert_int_equal(world->exported_count, state != MEASUREMENT_STATE_RUNNING);
}

static void test_reads(void **state)
{
    struct ctl_world *world = measurable(1, RAID_LEVEL_5, 3);
    uint64_t config_rev = 0;
    struct virtual_drive_view view;
    object_key_t key;

    (void)state;
    assert_true(world_vd(world, "data", &view, key));
    assert_null(view.measurement.run);
    assert_int_equal(start(world, 0), REASON_OK);
    world_settle(world, SIM_SECOND / 10);
    is(world, MEASUREMENT_STATE_RUNNING, REASON_OK);
    config_rev = world_config_rev(world, OBJECT_KIND_VIRTUAL_DRIVE, key);
    world_settle(world, SIM_SECOND);
    assert_in_range(measurement_percent(measured(world).run), 40, 60);
    assert_true(world_config_rev(world, OBJECT_KIND_VIRTUAL_DRIVE, key) == config_rev);
    assert_int_equal(start(world, 0), REASON_ALREADY_RUNNING);
    world_settle(world, 4 * SIM_SECOND);
    is(world, MEASUREMENT_STATE_COMPLETED, REASON_OK);
    assert_true(measurement_result(measured(world).run, 0)->operations > 100);
    assert_int_equal(stop(world), REASON_NOT_RUNNING);
    world_check(world, "data", 0, 65536, 0x42);
    world_free(world);
}

static void test_writes(void **state)
{
    struct ctl_world *world = measurable(2, RAID_LEVEL_1, 2);
    struct ctl_command command = command_of(world, TASK_ACTION_START, 20);
    uint8_t *buffer = malloc(65536);
    bool same = true;

    (void)state;
    assert_int_equal(world_run(world, &command), REASON_CONFIRM_NEEDED);
    strcpy(command.confirm, "date");
    assert_int_equal(world_run(world, &command), REASON_CONFIRM_MISMATCH);
    world_check(world, "data", 0, 65536, 0x42);
    assert_int_equal(world_event_count(world, 0, STARTED), 0);
    assert_int_equal(start(world, 20), REASON_OK);
    world_settle(world, 3 * SIM_SECOND);
    is(world, MEASUREMENT_STATE_COMPLETED, REASON_OK);
    assert_int_equal(world_io(world, "data", VD_OP_READ, 0, 65536, buffer), VD_STATUS_OK);
    for (uint32_t i = 0; i < 65536; i++) {
        same = same && buffer[i] == 0x42;
    }
    assert_false(same);
    free(buffer);
    world_free(world);
}

static enum reason_code access_set(struct ctl_world *world, enum access_policy access)
{
    struct ctl_command command = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, command.args.vd_set.vd));
    command.args.vd_set.fields = VD_SET_ACCESS;
    command.args.vd_set.access = access;
    return world_run(world, &command);
}

static void test_refusals(void **state)
{
    struct ctl_world *world = measurable(3, RAID_LEVEL_0, 2);
    struct ctl_command command;

    (void)state;
    world->connections = 1;
    assert_int_equal(start(world, 0), REASON_MEASURE_IN_USE);
    assert_int_equal(start(world, 100), REASON_MEASURE_IN_USE);
    world->connections = 0;
    assert_int_equal(stop(world), REASON_NOT_RUNNING);
    command = command_of(world, TASK_ACTION_PAUSE, 0);
    assert_int_equal(world_run(world, &command), REASON_INVALID_ARGUMENT);
    command = command_of(world, TASK_ACTION_START, 0);
    command.args.vd_measure.plan.seconds = 601;
    assert_int_equal(world_run(world, &command), REASON_INVALID_ARGUMENT);
    command = command_of(world, TASK_ACTION_START, 0);
    command.args.vd_measure.plan.loads[0].depth = 1025;
    assert_int_equal(world_run(world, &command), REASON_INVALID_ARGUMENT);
    command = command_of(world, TASK_ACTION_START, 0);
    strcpy(command.args.vd_measure.vd, "nothing");
    assert_int_equal(world_run(world, &command), REASON_UNKNOWN_OBJECT);
    assert_int_equal(access_set(world, ACCESS_POLICY_READ_ONLY), REASON_OK);
    assert_int_equal(start(world, 1), REASON_WRONG_STATE);
    assert_int_equal(access_set(world, ACCESS_POLICY_BLOCKED), REASON_OK);
    assert_int_equal(start(world, 0), REASON_WRONG_STATE);
    assert_int_equal(access_set(world, ACCESS_POLICY_READ_WRITE), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(start(world, 0), REASON_WRONG_STATE); /* offline */
    assert_int_equal(world_event_count(world, 0, STARTED), 0);
    world_free(world);
}

static void test_stop(void **state)
{
    struct ctl_world *world = measurable(4, RAID_LEVEL_0, 2);

    (void)state;
    assert_int_equal(start(world, 20), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(stop(world), REASON_OK);
    world_settle(world, SIM_SECOND);
    is(world, MEASUREMENT_STATE_STOPPED, REASON_STOPPED_BY_USER);
    world_write(world, "data", 0, 65536, 0x24);
    world_free(world);
}

/* It does not begin before the export is closed; and can be stopped before. */
static void test_export_closes_first(void **state)
{
    struct ctl_world *world = measurable(5, RAID_LEVEL_0, 2);

    (void)state;
    world->hold_exports = true;
    assert_int_equal(start(world, 0), REASON_OK);
    world_settle(world, 2 * SIM_SECOND);
    is(world, MEASUREMENT_STATE_RUNNING, REASON_OK);
    assert_int_equal(measurement_result(measured(world).run, 0)->duration_us, 0);
    assert_int_equal(stop(world), REASON_OK);
    world_settle(world, SIM_SECOND);
    is(world, MEASUREMENT_STATE_RUNNING, REASON_STOPPED_BY_USER);
    ctl_export_closed(world->ctl, world->held);
    world->hold_exports = false;
    world_settle(world, SIM_SECOND);
    is(world, MEASUREMENT_STATE_STOPPED, REASON_STOPPED_BY_USER);
    world_free(world);
}

static void test_degraded(void **state)
{
    struct ctl_world *world = measurable(6, RAID_LEVEL_5, 3);

    (void)state;
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    assert_int_equal(start(world, 0), REASON_OK);
    world_settle(world, 6 * SIM_SECOND);
    is(world, MEASUREMENT_STATE_COMPLETED, REASON_OK);
    world_check(world, "data", 0, 65536, 0x42);
    world_free(world);
}

static void test_drive_lost(void **state)
{
    struct ctl_world *world = measurable(7, RAID_LEVEL_0, 2);

    (void)state;
    assert_int_equal(start(world, 0), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    is(world, MEASUREMENT_STATE_FAILED, REASON_MEASURE_FAILED);
    world_free(world);
}

static void test_taken_away(void **state)
{
    struct ctl_world *world = measurable(8, RAID_LEVEL_1, 2);

    (void)state;
    assert_int_equal(start(world, 20), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(access_set(world, ACCESS_POLICY_BLOCKED), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(measured(world).reason.code, REASON_MEASURE_FAILED); /* it answers no more */
    assert_int_equal(world_event_count(world, 0, ENDED), 1);
    assert_int_equal(world->exported_count, 0);
    assert_int_equal(access_set(world, ACCESS_POLICY_READ_WRITE), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world->exported_count, 1);
    assert_int_equal(start(world, 20), REASON_OK);
    world_settle(world, SIM_SECOND);
    world_stop(world);
    assert_int_equal(world_event_count(world, 0, ENDED), 2);
    world_start(world);
    assert_int_equal(start(world, 20), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(world_event_count(world, 0, STARTED), 3);
    assert_int_equal(world_event_count(world, 0, ENDED), 3);
    world_free(world);
}

/* The power goes while it writes: afterwards everything is as after any other writes. */
static void test_power_cut(void **state)
{
    struct ctl_world *world = measurable(9, RAID_LEVEL_5, 3);

    (void)state;
    assert_int_equal(start(world, 20), REASON_OK);
    world_settle(world, SIM_SECOND / 2);
    sim_world_power_off(world->sim, SIM_CUT_RATE);
    world_power_cycle(world);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    assert_int_equal(start(world, 20), REASON_OK);
    world_settle(world, 3 * SIM_SECOND);
    assert_int_equal(measured(world).state, MEASUREMENT_STATE_COMPLETED);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),      cmocka_unit_test(test_writes),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_stop),
        cmocka_unit_test(test_degraded),   cmocka_unit_test(test_export_closes_first),
        cmocka_unit_test(test_drive_lost), cmocka_unit_test(test_taken_away),
        cmocka_unit_test(test_power_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
