/*
 * Rebuilds and background initializations as operations: control, rates, restarts, documents.
 */
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)

/* Slow drives, so that there is time to look: 4 MiB/s or so. */
static struct ctl_world *slow_world(uint64_t seed, uint32_t slots)
{
    struct ctl_world *world = world_new(seed, slots);

    for (uint32_t i = 0; i < slots; i++) {
        sim_drive_destroy(world->slots[i].drive);
        world->slots[i].options.latency_min_us = 50000;
        world->slots[i].options.latency_max_us = 60000;
        world->slots[i].options.size_bytes = 128 * MIB;
        world->slots[i].drive = sim_drive_create(world->sim, &world->slots[i].options);
    }
    world_start(world);
    return world;
}

static void test_rebuild_control(void **state)
{
    struct ctl_world *world = slow_world(1, 3);
    struct operation_view op;
    struct virtual_drive_view view;
    object_key_t key;
    object_key_t first_key;
    uint64_t done = 0;
    double percent = 0;

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 10 * SIM_SECOND); /* half of that it might have come back */
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, first_key));
    assert_int_equal(op.state, OPERATION_STATE_RUNNING);
    assert_string_equal(op.target, slot_key(world, 2));
    assert_true(op.done_bytes > 0 && op.done_bytes < op.total_bytes);
    assert_true(op.speed_bytes_per_s > 0);
    assert_true(op.time_left_s > 0);
    percent = op.progress_percent;
    world_settle(world, 2 * SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, key));
    assert_true(op.progress_percent > percent);
    assert_string_equal(key, first_key);

    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 2), TASK_ACTION_START),
                     REASON_ALREADY_RUNNING);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 2), TASK_ACTION_RESUME),
                     REASON_ALREADY_RUNNING);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 2), TASK_ACTION_PAUSE),
                     REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_PAUSED);
    done = op.done_bytes;
    world_settle(world, 10 * SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, NULL));
    assert_int_equal(op.done_bytes, done);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 2), TASK_ACTION_PAUSE),
                     REASON_NOT_RUNNING);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 2), TASK_ACTION_RESUME),
                     REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 2), TASK_ACTION_STOP),
                     REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_STOPPED);
    assert_int_equal(op.reason.code, REASON_STOPPED_BY_USER);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_REBUILD);
    assert_int_equal(world_event_count(world, 0, 98), 1);
    assert_int_equal(world_event_count(world, 0, 60023), 1);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 2), TASK_ACTION_START),
                     REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, key));
    assert_int_equal(op.state, OPERATION_STATE_RUNNING);
    assert_string_not_equal(key, first_key);
    assert_true(op.done_bytes >= done); /* not from the beginning */
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 20 * MINUTE));
    assert_true(world_vd(world, "data", &view, NULL));
    world_free(world);
}

static void test_rebuild_survives_restart(void **state)
{
    struct ctl_world *world = slow_world(2, 3);
    struct operation_view op;
    uint64_t done = 0;
    uint32_t mark = 0;

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    world_write(world, "data", 0, 1024 * 1024, 0x31);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 8 * SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, NULL));
    done = op.done_bytes;
    assert_true(done > 8 * MIB);
    mark = world->log_count;
    world_restart(world);
    world_settle(world, SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, NULL));
    assert_true(op.done_bytes >= done);
    assert_true(world_event(world, mark, 104) != UINT32_MAX); /* resumed */
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 20 * MINUTE));
    world_check(world, "data", 0, 1024 * 1024, 0x31);
    /* A power cut costs at most the work since the last checkpoint (30 s). */
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    world_free(world);
}

static void test_bgi(void **state)
{
    struct ctl_world *world = slow_world(3, 4);
    struct operation_view op;
    struct virtual_drive_view view;
    object_key_t vd;

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 4, "data"), REASON_OK);
    assert_true(world_vd(world, "data", &view, vd));
    world_settle(world, 5 * SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_BACKGROUND_INIT, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_RUNNING);
    assert_string_equal(op.target, vd);
    assert_true(world_vd(world, "data", &view, vd));
    assert_int_equal(view.operation_count, 1);
    assert_int_equal(world_task(world, CTL_OP_BGI, vd, TASK_ACTION_STOP), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_BACKGROUND_INIT, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_STOPPED);
    assert_int_equal(world_event_count(world, 0, 60026), 1);
    assert_int_equal(world_task(world, CTL_OP_BGI, vd, TASK_ACTION_START), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    /* Degraded: it waits for the rebuild, then goes on. */
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_BACKGROUND_INIT, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_WAITING);
    assert_int_equal(op.reason.code, REASON_WAITS_FOR_REBUILD);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_RETURN), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 30 * MINUTE));
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
    world_settle(world, 5 * SIM_SECOND);
    assert_int_equal(world_task(world, CTL_OP_BGI, vd, TASK_ACTION_START),
                     REASON_ALREADY_CONSISTENT);
    world_free(world);
}

static void test_dirty_restart(void **state)
{
    struct ctl_world *world = slow_world(4, 3);
    struct operation_view op;
    struct virtual_drive_view view;

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 30 * MINUTE));
    world_write(world, "data", 0, 128 * 1024, 0x42);
    sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
    world_power_cycle(world);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_false(view.consistent);
    world_settle(world, SIM_SECOND);
    assert_true(world_operation(world, OPERATION_KIND_RESYNC, &op, NULL));
    assert_int_equal(world_event_count(world, 0, 140), 1);
    assert_int_equal(world_event_count(world, 0, 60020), 1);
    assert_true(world_wait_consistent(world, "data", 30 * MINUTE));
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_event_count(world, 0, 60021), 1);
    world_check(world, "data", 0, 128 * 1024, 0x42);
    world_free(world);
}

static void test_rates(void **state)
{
    struct ctl_world *world = slow_world(5, 3);
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};
    uint64_t rev = 0;

    (void)state;
    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_REBUILD_RATE | CONTROLLER_SET_BGI_RATE;
    command.args.controller_set.rebuild_rate_percent = 80;
    command.args.controller_set.bgi_rate_percent = 5;
    rev = world_config_rev(world, OBJECT_KIND_CONTROLLER, "c0");
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_true(world_config_rev(world, OBJECT_KIND_CONTROLLER, "c0") > rev);
    assert_int_equal(world_event_count(world, 0, 40), 1);
    assert_int_equal(world_event_count(world, 0, 9), 1);
    world_free(world);
}

/* Progress moves rev, never the config_rev of the drive, the group or the virtual drive. */
static void test_revisions(void **state)
{
    struct ctl_world *world = slow_world(6, 3);
    object_key_t vd;
    object_key_t group;
    object_key_t op_key;
    struct virtual_drive_view view;
    struct drive_group_view group_view;
    struct operation_view op;
    uint64_t vd_rev = 0;
    uint64_t group_rev = 0;
    uint64_t rev = 0;

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    world_settle(world, 2 * SIM_SECOND);
    assert_true(world_vd(world, "data", &view, vd));
    assert_true(world_group(world, 0, &group_view, group));
    assert_true(world_operation(world, OPERATION_KIND_BACKGROUND_INIT, &op, op_key));
    vd_rev = world_config_rev(world, OBJECT_KIND_VIRTUAL_DRIVE, vd);
    group_rev = world_config_rev(world, OBJECT_KIND_DRIVE_GROUP, group);
    rev = ctl_rev(world->ctl);
    world_settle(world, 4 * SIM_SECOND);
    assert_true(ctl_rev(world->ctl) > rev);
    assert_true(ctl_rev(world->ctl) < rev + 200); /* not for every step */
    assert_int_equal(world_config_rev(world, OBJECT_KIND_VIRTUAL_DRIVE, vd), vd_rev);
    assert_int_equal(world_config_rev(world, OBJECT_KIND_DRIVE_GROUP, group), group_rev);
    rev = ctl_rev(world->ctl);
    world_restart(world);
    assert_true(ctl_rev(world->ctl) > rev);
    assert_true(world_config_rev(world, OBJECT_KIND_VIRTUAL_DRIVE, vd) > rev);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rebuild_control),
        cmocka_unit_test(test_rebuild_survives_restart),
        cmocka_unit_test(test_bgi),
        cmocka_unit_test(test_dirty_restart),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_revisions),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
