/*
 * Patrol read: what it finds and mends, what it leaves out, its plan, and what it gives way to.
 */
#include <string.h>

#include "ctl_world.h"

#define HOUR (3600 * SIM_SECOND)
#define PATROL_STARTED 39u
#define PATROL_COMPLETED 35u
#define PATROL_PAUSED 36u
#define PATROL_RATE 37u
#define PATROL_RESUMED 38u
#define PATROL_STOPPED 60260u
#define PATROL_NO_DRIVES 229u
#define PATROL_UNCORRECTABLE 95u
#define PATROL_DRIVE_FAILED 60261u
#define PATROL_SCHEDULE 60262u
#define CORRECTED 93u

static void controller_take(void *context, const struct object_head *head, const void *view)
{
    if (head->kind == OBJECT_KIND_CONTROLLER) {
        *(struct controller_view *)context = *(const struct controller_view *)view;
    }
}

static struct controller_view controller(struct ctl_world *world)
{
    struct controller_view view = {0};
    const struct ctl_visitor visitor = {.object = controller_take, .context = &view};

    ctl_objects_since(world->ctl, 0, &visitor);
    return view;
}

static enum reason_code act(struct ctl_world *world, enum task_action action)
{
    return world_task(world, CTL_OP_PATROL_READ, "c0", action);
}

static struct ctl_command setting(uint32_t fields)
{
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};

    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = fields;
    return command;
}

static enum reason_code mode_set(struct ctl_world *world, enum patrol_mode mode)
{
    struct ctl_command command = setting(CONTROLLER_SET_PATROL_MODE);

    command.args.controller_set.patrol_mode = mode;
    return world_run(world, &command);
}

static struct operation_view patrol(struct ctl_world *world)
{
    struct operation_view op;

    assert_true(world_operation(world, OPERATION_KIND_PATROL_READ, &op, NULL));
    return op;
}

static struct operation_view patrol_end(struct ctl_world *world)
{
    for (uint32_t i = 0; i < 3600; i++) {
        struct operation_view op = patrol(world);

        if (op.ended_us != 0) {
            return op;
        }
        world_settle(world, SIM_SECOND);
    }
    fail_msg("the patrol read does not end");
    return patrol(world);
}

static void break_at(struct ctl_world *world, uint32_t slot, uint64_t offset)
{
    const struct sim_fault fault = {SIM_FAULT_READ, offset, 512};

    assert_true(sim_drive_fault_add(world->slots[slot].drive, &fault));
}

/* A mirror of hard disks, one of SSDs, a hot spare, and a drive of nobody. */
static struct ctl_world *mixed_world(uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 6);

    world->slots[2].media = world->slots[3].media = DRIVE_MEDIA_SSD;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 2, 2, "fast"), REASON_OK);
    /* Of the disks: it is told that it does not serve the SSDs. */
    assert_int_equal(world_spare(world, 4, NULL), REASON_SPARE_MADE_UNUSABLE);
    assert_non_null(strstr(world->text, "cannot serve drive group 1."));
    assert_true(world_wait_consistent(world, "data", HOUR));
    assert_true(world_wait_consistent(world, "fast", HOUR));
    world_settle(world, SIM_SECOND);
    return world;
}

static void test_finds_and_mends(void **state)
{
    struct ctl_world *world = mixed_world(1);
    struct drive_view drive;
    struct operation_view op;
    uint64_t ssd_reads = 0;

    (void)state;
    world_write(world, "data", 0, 1024 * 1024, 0x42);
    world_settle(world, 10 * SIM_SECOND);
    break_at(world, 0, 8192);          /* data */
    break_at(world, 1, MIB - 512);     /* the second copy, which nobody reads */
    break_at(world, 4, 3 * MIB);       /* a spare has nothing to correct it from */
    break_at(world, 2, 4096);          /* an SSD is left out */
    ssd_reads = world->slots[2].drive->counters.reads;
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_ALREADY_RUNNING);
    op = patrol_end(world);
    assert_int_equal(op.state, OPERATION_STATE_COMPLETED);
    assert_int_equal(op.target_kind, OBJECT_KIND_CONTROLLER);
    assert_int_equal(op.done_bytes, op.total_bytes);
    assert_int_equal(world_event_count(world, 0, PATROL_STARTED), 1);
    assert_int_equal(world_event_count(world, 0, PATROL_COMPLETED), 1);
    assert_int_equal(world_event_count(world, 0, CORRECTED), 2);
    assert_int_equal(world_event_count(world, 0, PATROL_UNCORRECTABLE), 1);
    for (uint32_t slot = 0; slot < 6; slot++) {
        bool read = slot == 0 || slot == 1 || slot == 4;

        assert_true(world_drive(world, slot, &drive));
        assert_int_equal(drive.patrol_read_bytes, read ? drive.size_bytes : 0);
        assert_int_equal(drive.patrol_done_us != 0, read);
        assert_int_equal(drive.patrol_skips, !read);
    }
    assert_true(world_drive(world, 3, &drive));
    assert_int_equal(drive.patrol_skipped.code, REASON_PATROL_SKIPS_SSD);
    assert_true(world_drive(world, 5, &drive));
    assert_int_equal(drive.patrol_skipped.code, REASON_PATROL_SKIPS_UNUSED);
    assert_int_equal(world->slots[2].drive->counters.reads, ssd_reads);
    assert_int_equal(controller(world).patrol.iterations, 1);
    assert_int_equal(controller(world).patrol_drives_done, 3);
    assert_int_equal(controller(world).patrol_errors, 3);
    /* Nothing is left to be found but on the spare, and the data are right without either copy. */
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    (void)patrol_end(world);
    assert_int_equal(world_event_count(world, 0, CORRECTED), 2);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_check(world, "data", 0, 1024 * 1024, 0x42);
    world_free(world);
}

static void test_ssds_by_setting(void **state)
{
    struct ctl_world *world = mixed_world(2);
    struct ctl_command command = setting(CONTROLLER_SET_PATROL_SSDS);
    struct drive_view drive;

    (void)state;
    break_at(world, 3, 4096);
    command.args.controller_set.patrol_ssds = true;
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_int_equal(world_event_count(world, 0, PATROL_SCHEDULE), 1);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    (void)patrol_end(world);
    assert_true(world_drive(world, 3, &drive));
    assert_int_equal(drive.patrol_read_bytes, drive.size_bytes);
    assert_int_equal(world_event_count(world, 0, CORRECTED), 1);
    world_free(world);
}

/* Parity is read too: nobody else would before it is needed. */
static void test_parity(void **state)
{
    struct ctl_world *world = world_new(3, 4);

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_6, 0, 4, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", HOUR));
    world_write(world, "data", 0, 4 * 1024 * 1024, 0x17);
    world_settle(world, 10 * SIM_SECOND);
    for (uint32_t slot = 0; slot < 4; slot++) {
        break_at(world, slot, slot * 128 * 1024 + 4096);
        break_at(world, slot, slot * 128 * 1024 + 512 * 1024);
    }
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(world_event_count(world, 0, CORRECTED), 8);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 3, FAULT_KIND_PULL), REASON_OK);
    world_check(world, "data", 0, 4 * 1024 * 1024, 0x17);
    world_free(world);
}

/* Without redundancy it can only tell. */
static void test_uncorrectable(void **state)
{
    struct ctl_world *world = world_new(4, 2);
    struct virtual_drive_view view;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 2, "data"), REASON_OK);
    world_settle(world, SIM_SECOND);
    break_at(world, 1, 64 * 1024);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(world_event_count(world, 0, PATROL_UNCORRECTABLE), 1);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.lost_blocks, 1);
    world_free(world);
}

static struct ctl_world *slow_world(uint64_t seed, uint32_t slots)
{
    struct ctl_world *world = world_new(seed, slots);

    for (uint32_t i = 0; i < slots; i++) {
        sim_drive_destroy(world->slots[i].drive);
        world->slots[i].options.latency_min_us = 50000;
        world->slots[i].options.latency_max_us = 60000;
        world->slots[i].drive = sim_drive_create(world->sim, &world->slots[i].options);
    }
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", HOUR));
    world_settle(world, SIM_SECOND);
    return world;
}

static void test_control(void **state)
{
    struct ctl_world *world = slow_world(5, 3);
    uint64_t done = 0;

    (void)state;
    assert_int_equal(act(world, TASK_ACTION_STOP), REASON_NOT_RUNNING);
    assert_int_equal(act(world, TASK_ACTION_PAUSE), REASON_NOT_RUNNING);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_settle(world, 2 * SIM_SECOND);
    assert_int_equal(patrol(world).state, OPERATION_STATE_RUNNING);
    assert_true(patrol(world).speed_bytes_per_s > 0);
    assert_true(patrol(world).time_left_s > 0);
    assert_int_equal(strncmp(controller(world).patrol_operation, "op-", 3), 0);
    assert_int_equal(act(world, TASK_ACTION_PAUSE), REASON_OK);
    world_settle(world, SIM_SECOND);
    done = patrol(world).done_bytes;
    assert_true(done > 0);
    world_settle(world, 10 * SIM_SECOND);
    assert_int_equal(patrol(world).state, OPERATION_STATE_PAUSED);
    assert_int_equal(patrol(world).done_bytes, done);
    assert_int_equal(act(world, TASK_ACTION_PAUSE), REASON_NOT_RUNNING);
    assert_int_equal(act(world, TASK_ACTION_RESUME), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_RESUME), REASON_ALREADY_RUNNING);
    world_settle(world, 2 * SIM_SECOND);
    assert_true(patrol(world).done_bytes > done);
    assert_int_equal(act(world, TASK_ACTION_STOP), REASON_OK);
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_STOPPED);
    assert_int_equal(patrol_end(world).reason.code, REASON_STOPPED_BY_USER);
    assert_int_equal(world_event_count(world, 0, PATROL_PAUSED), 1);
    assert_int_equal(world_event_count(world, 0, PATROL_RESUMED), 1);
    assert_int_equal(world_event_count(world, 0, PATROL_STOPPED), 1);
    assert_int_equal(controller(world).patrol.iterations, 0);
    /* Switched off in the middle; then it cannot be started. */
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(mode_set(world, PATROL_MODE_DISABLED), REASON_OK);
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_STOPPED);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_PATROL_DISABLED);
    assert_int_equal(mode_set(world, PATROL_MODE_MANUAL), REASON_OK);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_PATROL_NO_DRIVES);
    world_free(world);
}

static void test_plan(void **state)
{
    struct ctl_world *world = world_new(6, 3);
    struct ctl_command command = setting(CONTROLLER_SET_PATROL_DELAY);
    uint64_t next = 0;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", HOUR));
    next = controller(world).patrol.next_us;
    assert_true(next != 0);
    world_settle(world, 160 * HOUR);
    assert_int_equal(world_event_count(world, 0, PATROL_STARTED), 0);
    world_restart(world); /* it is remembered */
    assert_int_equal(controller(world).patrol.next_us, next);
    world_settle(world, 9 * HOUR);
    assert_int_equal(world_event_count(world, 0, PATROL_STARTED), 1);
    assert_int_equal(controller(world).patrol.iterations, 1);
    assert_true(controller(world).patrol.next_us >= next + 168 * HOUR);
    command.args.controller_set.patrol_delay_hours = 2;
    assert_int_equal(world_run(world, &command), REASON_OK);
    world_settle(world, 7 * HOUR);
    assert_int_equal(controller(world).patrol.iterations, 4);
    assert_int_equal(mode_set(world, PATROL_MODE_MANUAL), REASON_OK);
    world_settle(world, 400 * HOUR);
    assert_int_equal(controller(world).patrol.iterations, 4);
    /* At a time, once. */
    assert_int_equal(mode_set(world, PATROL_MODE_AUTO), REASON_OK);
    command = setting(CONTROLLER_SET_PATROL_NEXT | CONTROLLER_SET_PATROL_RATE |
                      CONTROLLER_SET_PATROL_DRIVES);
    command.args.controller_set.patrol_next_us =
        clock_wall_us(sim_world_clock(world->sim)) + HOUR / 2;
    command.args.controller_set.patrol_rate_percent = 10;
    command.args.controller_set.patrol_drives_max = 1;
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_int_equal(world_event_count(world, 0, PATROL_RATE), 1);
    world_settle(world, HOUR);
    assert_int_equal(controller(world).patrol.iterations, 5);
    /* Nothing to do: it is tried again later, not at once. */
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    world_settle(world, 9 * HOUR);
    assert_in_range(world_event_count(world, 0, PATROL_NO_DRIVES), 3, 5);
    world_free(world);
}

static void test_settings_refused(void **state)
{
    struct ctl_world *world = world_new(7, 2);
    struct ctl_command command = setting(CONTROLLER_SET_PATROL_MODE);

    (void)state;
    world_start(world);
    command.args.controller_set.patrol_mode = PATROL_MODE_MAX;
    assert_int_equal(world_run(world, &command), REASON_INVALID_ARGUMENT);
    command = setting(CONTROLLER_SET_PATROL_DELAY);
    command.args.controller_set.patrol_delay_hours = 8761;
    assert_int_equal(world_run(world, &command), REASON_INVALID_ARGUMENT);
    command = setting(CONTROLLER_SET_PATROL_DRIVES);
    assert_int_equal(world_run(world, &command), REASON_INVALID_ARGUMENT);
    command = setting(CONTROLLER_SET_PATROL_NEXT);
    command.args.controller_set.patrol_next_us = UINT64_MAX;
    assert_int_equal(world_run(world, &command), REASON_INVALID_ARGUMENT);
    command = setting(CONTROLLER_SET_PATROL_RATE);
    command.args.controller_set.patrol_rate_percent = 101;
    assert_int_equal(world_run(world, &command), REASON_INVALID_ARGUMENT);
    assert_int_equal(world_task(world, CTL_OP_PATROL_READ, "c7", TASK_ACTION_START),
                     REASON_UNKNOWN_OBJECT);
    assert_int_equal(act(world, TASK_ACTION_MAX), REASON_UNKNOWN_COMMAND);
    assert_int_equal(world_event_count(world, 0, PATROL_SCHEDULE), 0);
    world_free(world);
}

/* A rebuild comes first; the drive that is filled is not patrolled. */
static void test_waits_for_rebuild(void **state)
{
    struct ctl_world *world = slow_world(8, 4);
    uint64_t done = 0;

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_0, 2, 1, "other"), REASON_OK);
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 0), REASON_OK);
    world_settle(world, 2 * SIM_SECOND);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_REBUILD);
    done = patrol(world).done_bytes;
    world_settle(world, SIM_SECOND);
    assert_true(patrol(world).done_bytes > done); /* of the other one */
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_COMPLETED);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, HOUR));
    assert_int_equal(patrol(world).done_bytes, patrol(world).total_bytes);
    world_free(world);
}

/* Only those that wait are left: that is what it says. */
static void test_says_that_it_waits(void **state)
{
    struct ctl_world *world = slow_world(9, 3);

    (void)state;
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 0), REASON_OK);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    for (uint32_t i = 0; patrol(world).state != OPERATION_STATE_WAITING; i++) {
        assert_true(i < 500); /* the rebuild begins when its record has been saved */
        world_settle(world, SIM_SECOND / 100);
    }
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_REBUILD);
    assert_int_equal(patrol(world).reason.code, REASON_PATROL_WAITS);
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_COMPLETED);
    world_free(world);
}

static void test_drives_go(void **state)
{
    struct ctl_world *world = slow_world(10, 4);

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_0, 2, 1, "other"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 3, 1, "third"), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_delete(world, "other"), REASON_OK);
    world->slots[3].drive->errors_left = 20;
    world_settle(world, 5 * SIM_SECOND);
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(controller(world).patrol_drives_total, 4);
    assert_int_equal(controller(world).patrol_drives_done, 1);
    assert_int_equal(world_event_count(world, 0, PATROL_DRIVE_FAILED), 2);
    world_free(world);
}

/* A virtual drive that grows, or goes while others are left on its drives, ends no patrol. */
static void test_goes_on_beside_changes(void **state)
{
    struct ctl_world *world = slow_world(13, 4);
    struct ctl_command command = {.op = CTL_OP_VD_EXPAND};
    struct ctl_command *create = world_create_command(world, RAID_LEVEL_1, 2, 2, "small");
    struct virtual_drive_view view;

    (void)state;
    create->args.vd_create.size_bytes = MIB;
    assert_int_equal(world_run(world, create), REASON_OK);
    assert_true(world_wait_consistent(world, "small", HOUR));
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_vd(world, "small", &view, command.args.vd_expand.vd));
    command.args.vd_expand.size_bytes = 2 * MIB;
    command.args.vd_expand.fields = VD_EXPAND_SIZE;
    assert_int_equal(world_run(world, &command), REASON_OK);
    world_settle(world, SIM_SECOND);
    create = world_create_command(world, RAID_LEVEL_1, 2, 0, "added");
    assert_true(world_vd(world, "small", &view, NULL));
    memcpy(create->args.vd_create.drive_group, view.group, sizeof(view.group));
    create->args.vd_create.size_bytes = MIB;
    assert_int_equal(world_run(world, create), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_delete(world, "added"), REASON_OK);
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(controller(world).patrol_drives_done, 4);
    assert_int_equal(patrol(world).done_bytes, patrol(world).total_bytes);
    world_free(world);
}

static void answered(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

/* A block waits to be mended until the configuration does not change any more; meanwhile its group
 * is to be made anew. Neither waits for the other. */
static void test_found_while_the_group_is_revived(void **state)
{
    struct ctl_world *world = world_new(14, 2);
    struct ctl_command command = setting(CONTROLLER_SET_REBUILD_RATE);
    bool done = false;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 2, "data"), REASON_OK);
    world_settle(world, SIM_SECOND);
    break_at(world, 0, 64 * 1024);
    slot_depart(world, 1);
    world_settle(world, 20 * SIM_SECOND);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OFFLINE, SIM_SECOND));
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world->store->latency_max_us = 5 * SIM_SECOND;
    command.complete = answered;
    command.owner = &done;
    command.args.controller_set.rebuild_rate_percent = 40;
    ctl_execute(world->ctl, &command);
    while (controller(world).patrol_errors == 0) {
        assert_true(sim_world_step(world->sim));
    }
    assert_false(done);
    slot_arrive(world, 1);
    world_settle(world, 60 * SIM_SECOND);
    assert_true(done);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, SIM_SECOND));
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_COMPLETED);
    world_free(world);
}

/* A late answer keeps its memory, not the patrol. */
static void test_drive_hangs(void **state)
{
    struct ctl_world *world = slow_world(11, 2);

    (void)state;
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_settle(world, SIM_SECOND);
    world->slots[0].drive->hang = true;
    world_settle(world, 5 * SIM_SECOND);
    assert_int_equal(act(world, TASK_ACTION_STOP), REASON_OK);
    (void)patrol_end(world);
    sim_drive_unhang(world->slots[0].drive);
    world->slots[0].drive->hang = false;
    world_settle(world, 5 * SIM_SECOND);
    world_free(world);
}

/* The agent ends and comes back in the middle: it begins anew, if it had begun by itself. */
static void test_restart(void **state)
{
    struct ctl_world *world = slow_world(12, 2);
    uint32_t mark = 0;

    (void)state;
    world_settle(world, 168 * HOUR);
    assert_int_equal(world_event_count(world, 0, PATROL_STARTED), 1);
    if (patrol(world).ended_us == 0) {
        mark = world->log_count;
        world_restart(world);
        world_settle(world, SIM_SECOND);
        assert_int_equal(world_event_count(world, mark, PATROL_STARTED), 1);
    }
    assert_int_equal(patrol_end(world).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(controller(world).patrol.iterations, 1);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_and_mends),
        cmocka_unit_test(test_ssds_by_setting),
        cmocka_unit_test(test_parity),
        cmocka_unit_test(test_uncorrectable),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_settings_refused),
        cmocka_unit_test(test_waits_for_rebuild),
        cmocka_unit_test(test_says_that_it_waits),
        cmocka_unit_test(test_drives_go),
        cmocka_unit_test(test_goes_on_beside_changes),
        cmocka_unit_test(test_found_while_the_group_is_revived),
        cmocka_unit_test(test_drive_hangs),
        cmocka_unit_test(test_restart),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
