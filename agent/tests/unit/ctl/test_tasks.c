/*
 * Rebuilds and background initializations as operations: control, rates, restarts, documents, drive
 * groups that go offline meanwhile.
 */
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_STALE 60210u
#define DATA (8 * MIB)

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

/* A drive comes back and is rebuilt, and so many others go that its group is offline. When the last
 * of them is back the group works at once, and the rebuild goes on by itself. */

enum rebuild {
    REBUILD_RUNS,
    REBUILD_PAUSED,
    REBUILD_STOPPED,
    REBUILD_DONE, /* it is one of those that the group needs */
    REBUILDS
};

static const struct {
    enum raid_level level;
    uint32_t drives;
    uint32_t tolerance;
} arrays[] = {{RAID_LEVEL_1, 2, 1}, {RAID_LEVEL_5, 3, 1}, {RAID_LEVEL_6, 4, 2}};

static void leave(struct ctl_world *world, uint32_t slot, bool departs)
{
    if (departs) {
        slot_depart(world, slot);
    } else {
        assert_int_equal(world_fault(world, slot, FAULT_KIND_PULL), REASON_OK);
    }
    world_settle(world, 2 * SIM_SECOND);
}

static void come(struct ctl_world *world, uint32_t slot, bool departs)
{
    if (departs) {
        slot_arrive(world, slot);
    } else {
        assert_int_equal(world_fault(world, slot, FAULT_KIND_RETURN), REASON_OK);
    }
    world_settle(world, 5 * SIM_SECOND);
}

static struct ctl_world *rebuilding_world(uint32_t array, enum rebuild rebuild, bool departs)
{
    struct ctl_world *world = slow_world(100 + array * 10 + rebuild, arrays[array].drives + 1);
    struct operation_view op;

    assert_int_equal(world_create(world, arrays[array].level, 0, arrays[array].drives, "data"),
                     REASON_OK);
    assert_true(world_wait_consistent(world, "data", 20 * MINUTE));
    world_write(world, "data", 0, DATA, 0x11);
    world_settle(world, MINUTE);
    leave(world, 1, departs);
    world_write(world, "data", 0, DATA, 0x22);
    come(world, 1, departs);
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_RUNNING);
    assert_true(op.done_bytes > 0);
    world_write(world, "data", 0, MIB, 0x33);
    if (rebuild == REBUILD_PAUSED || rebuild == REBUILD_STOPPED) {
        assert_int_equal(
            world_task(world, CTL_OP_REBUILD, slot_key(world, 1),
                       rebuild == REBUILD_PAUSED ? TASK_ACTION_PAUSE : TASK_ACTION_STOP),
            REASON_OK);
        world_settle(world, SIM_SECOND);
    } else if (rebuild == REBUILD_DONE) {
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 20 * MINUTE));
        world_settle(world, 5 * SIM_SECOND);
    }
    return world;
}

/* The rebuilt drive is read as well: the others do not suffice. */
static void expect_content(struct ctl_world *world, uint32_t array, bool departs)
{
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 20 * MINUTE));
    world_settle(world, MINUTE);
    leave(world, 0, departs);
    if (arrays[array].tolerance > 1) {
        leave(world, 2, departs);
    }
    world_check(world, "data", 0, MIB, 0x33);
    world_check(world, "data", MIB, DATA - MIB, 0x22);
}

static void rebuild_goes_on(uint32_t array, enum rebuild rebuild, bool departs)
{
    struct ctl_world *world = rebuilding_world(array, rebuild, departs);
    uint32_t losses = arrays[array].tolerance + (rebuild == REBUILD_DONE ? 1 : 0);
    uint32_t away[3] = {0, 2, 3};
    uint32_t mark = 0;
    uint8_t buffer[4096] = {0};
    struct virtual_drive_view vd;
    struct operation_view op;

    if (losses >= arrays[array].drives) { /* a mirror has no third copy */
        away[1] = 1;
    }
    if (losses == 1) { /* nobody needs the spare */
        assert_int_equal(world_spare(world, arrays[array].drives, NULL), REASON_OK);
    }
    for (uint32_t i = 0; i < losses; i++) {
        leave(world, away[i], departs);
    }
    assert_true(world_vd(world, "data", &vd, NULL));
    assert_int_equal(vd.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_not_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(buffer), buffer),
                         VD_STATUS_OK);
    mark = world->log_count;
    come(world, away[losses - 1], departs);
    assert_true(world_vd(world, "data", &vd, NULL));
    assert_int_equal(vd.state, VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(world_event_count(world, mark, EVENT_STALE), 0);
    if (rebuild != REBUILD_DONE) {
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_REBUILD);
        assert_true(world_operation(world, OPERATION_KIND_REBUILD, &op, NULL));
        assert_int_equal(op.state, OPERATION_STATE_RUNNING);
        assert_string_equal(op.target, slot_key(world, 1));
    }
    assert_int_equal(world_drive_state(world, arrays[array].drives),
                     losses == 1 ? DRIVE_STATE_HOT_SPARE : DRIVE_STATE_UNCONFIGURED_GOOD);
    world_check(world, "data", 0, MIB, 0x33);
    world_check(world, "data", MIB, DATA - MIB, 0x22);
    for (uint32_t i = 0; i + 1 < losses; i++) {
        come(world, away[i], departs);
    }
    expect_content(world, array, departs);
    world_free(world);
}

static void test_rebuild_of_a_group_that_was_offline(void **state)
{
    (void)state;
    for (uint32_t array = 0; array < sizeof(arrays) / sizeof(arrays[0]); array++) {
        for (unsigned rebuild = 0; rebuild < REBUILDS; rebuild++) {
            rebuild_goes_on(array, (enum rebuild)rebuild, false);
            rebuild_goes_on(array, (enum rebuild)rebuild, true);
        }
    }
}

/* It goes away, too, and what comes in its place is a copy of it from before its rebuild: that one
 * is not used, neither while the rebuild runs nor when it has ended. */
static void old_copy_comes(bool done)
{
    const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};
    struct ctl_world *world = rebuilding_world(1, REBUILD_DONE, true);
    struct sim_drive *old = sim_drive_fork(world->slots[1].drive, world->sim, &as_it_is);
    struct virtual_drive_view vd;

    leave(world, 1, true);
    world_write(world, "data", 0, DATA, 0x44);
    come(world, 1, true);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_REBUILD);
    if (done) {
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 20 * MINUTE));
        leave(world, 0, true);
    }
    leave(world, 2, true);
    leave(world, 1, true);
    world->retired[world->retired_count] = world->slots[1].drive;
    world->retired_emulated[world->retired_count++] = world->slots[1].emulated;
    world->slots[1].drive = old;
    world->slots[1].emulated = NULL;
    come(world, 1, true);
    come(world, 2, true);
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "data", &vd, NULL));
    assert_int_equal(world_event_count(world, 0, EVENT_STALE), 1);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
    if (done) {
        assert_int_equal(vd.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    } else {
        assert_int_equal(vd.state, VIRTUAL_DRIVE_STATE_DEGRADED);
        world_check(world, "data", 0, DATA, 0x44);
    }
    world_free(world);
}

static void test_old_copy_of_a_rebuilt_drive(void **state)
{
    (void)state;
    old_copy_comes(false);
    old_copy_comes(true);
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
        cmocka_unit_test(test_rebuild_of_a_group_that_was_offline),
        cmocka_unit_test(test_old_copy_of_a_rebuilt_drive),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
