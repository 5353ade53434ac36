/*
 * vd_init (ctl/command_init.c): both ends of a virtual drive are zeros when it is answered, and
 * stay so; the middle stays as it was; and nobody uses it meanwhile.
 */
#include <string.h>

#include "ctl_world.h"

#define EVENT_STARTED 70
#define EVENT_COMPLETED 72
#define EVENT_FAILED 68
#define MINUTE (60 * SIM_SECOND)
#define FILL 0x5a
#define PIECE (64u * 1024)

static struct ctl_world *world_of(uint64_t seed, enum raid_level level, uint32_t drives)
{
    struct ctl_world *world = world_new_sized(seed, drives + 1, 160 * MIB);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, drives, "data"), REASON_OK);
    return world;
}

static uint64_t size_of(struct ctl_world *world)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, NULL));
    return view.config->size_bytes;
}

/* At the ends of what becomes zeros, and beside them. */
static void places_write(struct ctl_world *world)
{
    uint64_t size = size_of(world);
    const uint64_t places[] = {
        0, 8 * MIB - PIECE, 8 * MIB, size - 8 * MIB - PIECE, size - 8 * MIB, size - PIECE};

    assert_true(size > 17 * MIB);
    for (uint32_t i = 0; i < 6; i++) {
        world_write(world, "data", places[i], PIECE, FILL);
    }
}

static void places_check(struct ctl_world *world, uint8_t ends)
{
    uint64_t size = size_of(world);

    world_check(world, "data", 0, PIECE, ends);
    world_check(world, "data", 8 * MIB - PIECE, PIECE, ends);
    world_check(world, "data", 8 * MIB, PIECE, FILL);
    world_check(world, "data", size - 8 * MIB - PIECE, PIECE, FILL);
    world_check(world, "data", size - 8 * MIB, PIECE, ends);
    world_check(world, "data", size - PIECE, PIECE, ends);
}

static void command_make(struct ctl_world *world, struct ctl_command *command, const char *confirm)
{
    struct virtual_drive_view view;

    *command = (struct ctl_command){.op = CTL_OP_VD_INIT};
    assert_true(world_vd(world, "data", &view, command->args.vd_init.vd));
    strcpy(command->confirm, confirm);
}

static enum reason_code init(struct ctl_world *world)
{
    struct ctl_command command;

    command_make(world, &command, "data");
    return world_run(world, &command);
}

static enum reason_code init_unless(struct ctl_world *world)
{
    struct ctl_command command;

    command_make(world, &command, "data");
    command.args.vd_init.unless_content = true;
    return world_run(world, &command);
}

/* The answer is a promise: no cache is needed for it. */
static void test_ends_are_zeros(void **state)
{
    static const struct {
        enum raid_level level;
        uint32_t drives;
    } shapes[] = {{RAID_LEVEL_0, 2}, {RAID_LEVEL_1, 2}, {RAID_LEVEL_5, 3}, {RAID_LEVEL_6, 4}};

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = world_of(1 + i, shapes[i].level, shapes[i].drives);

        places_write(world);
        assert_int_equal(init(world), REASON_OK);
        assert_int_equal(world_event_count(world, 0, EVENT_STARTED), 1);
        assert_int_equal(world_event_count(world, 0, EVENT_COMPLETED), 1);
        places_check(world, 0); /* it is exported again */
        world_write(world, "data", 0, PIECE, FILL);
        world_settle(world, MINUTE);
        assert_int_equal(init(world), REASON_OK);
        sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
        world_power_cycle(world);
        places_check(world, 0);
        world_free(world);
    }
}

static void test_small(void **state)
{
    struct ctl_world *world = world_new(10, 2);
    struct ctl_command *command = NULL;
    uint64_t size = 0;

    (void)state;
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "data");
    command->args.vd_create.size_bytes = 4 * MIB;
    assert_int_equal(world_run(world, command), REASON_OK);
    size = size_of(world);
    assert_true(size < 8 * MIB);
    world_write(world, "data", size / 2 / PIECE * PIECE, PIECE, FILL);
    assert_int_equal(init(world), REASON_OK);
    world_check(world, "data", size / 2 / PIECE * PIECE, PIECE, 0);
    world_free(world);
}

/* Parity and copies agree: a lost member's part reads as zeros. */
static void test_degraded(void **state)
{
    struct ctl_world *world = world_of(20, RAID_LEVEL_5, 3);

    (void)state;
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    places_write(world);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(init(world), REASON_OK);
    places_check(world, 0);
    world_free(world);
}

static void test_content(void **state)
{
    struct ctl_world *world = world_of(30, RAID_LEVEL_1, 2);
    uint8_t block[4096] = {0};

    (void)state;
    memcpy(block, "XFSB", 4);
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(block), block), VD_STATUS_OK);
    assert_int_equal(init_unless(world), REASON_INIT_CONTENT);
    assert_non_null(strstr(world->text, "\"data\" carries an XFS file system"));
    assert_int_equal(world_event_count(world, 0, EVENT_STARTED), 0);
    assert_int_equal(init(world), REASON_OK);
    world_check(world, "data", 0, sizeof(block), 0);
    assert_int_equal(init_unless(world), REASON_OK);
    world_free(world);
}

/* The policy is no content: what is blocked is looked at all the same. */
static void test_blocked(void **state)
{
    struct ctl_world *world = world_of(35, RAID_LEVEL_1, 2);
    uint8_t block[4096] = {0};

    (void)state;
    world_access(world, "data", ACCESS_POLICY_BLOCKED);
    assert_int_equal(init_unless(world), REASON_OK);
    world_access(world, "data", ACCESS_POLICY_READ_WRITE);
    memcpy(block, "XFSB", 4);
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(block), block), VD_STATUS_OK);
    world_access(world, "data", ACCESS_POLICY_BLOCKED);
    assert_int_equal(init_unless(world), REASON_INIT_CONTENT);
    assert_non_null(strstr(world->text, "\"data\" carries an XFS file system"));
    world_access(world, "data", ACCESS_POLICY_READ_WRITE);
    world_check(world, "data", 4096, sizeof(block), 0);
    world_free(world);
}

static void test_refused(void **state)
{
    struct ctl_world *world = world_of(40, RAID_LEVEL_1, 2);
    struct ctl_command command;

    (void)state;
    places_write(world);
    command_make(world, &command, "");
    assert_int_equal(world_run(world, &command), REASON_CONFIRM_NEEDED);
    command_make(world, &command, "date");
    assert_int_equal(world_run(world, &command), REASON_CONFIRM_MISMATCH);
    world->connections = 1;
    assert_int_equal(init(world), REASON_VIRTUAL_DRIVE_IN_USE);
    world->connections = 0;
    world_access(world, "data", ACCESS_POLICY_READ_ONLY);
    assert_int_equal(init(world), REASON_WRONG_STATE);
    places_check(world, FILL);
    world_access(world, "data", ACCESS_POLICY_BLOCKED); /* nobody uses it */
    assert_int_equal(init(world), REASON_OK);
    world_access(world, "data", ACCESS_POLICY_READ_WRITE);
    places_check(world, 0);
    slot_depart(world, 0);
    slot_depart(world, 1);
    world_settle(world, SIM_SECOND);
    assert_int_equal(init(world), REASON_WRONG_STATE);
    world_free(world);
}

/* The drives go after so many steps: it fails, or had ended. */
static void test_drives_go(void **state)
{
    uint32_t failed = 0;

    (void)state;
    for (uint32_t steps = 1; steps <= 40; steps += 3) {
        struct ctl_world *world = world_of(100 + steps, RAID_LEVEL_0, 2);
        enum reason_code code = REASON_OK;

        places_write(world);
        world->pull_slot = 1;
        world->pull_after_steps = steps;
        code = init(world);
        world->pull_after_steps = 0;
        failed += code == REASON_INIT_FAILED ? 1 : 0;
        assert_int_equal(world_event_count(world, 0, EVENT_FAILED),
                         code == REASON_INIT_FAILED ? 1 : 0);
        world_restart(world);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
        world_check(world, "data", 8 * MIB, PIECE, FILL);
        assert_int_equal(init(world), REASON_OK);
        places_check(world, 0);
        world_free(world);
    }
    assert_true(failed > 0);
}

/* Other commands wait for it: drives that are too slow are not waited for. */
static void test_slow_drive(void **state)
{
    struct ctl_world *world = world_of(90, RAID_LEVEL_5, 3);
    struct ctl_command slow = {.op = CTL_OP_FAULT_INJECT};
    uint64_t began_us = 0;

    (void)state;
    strcpy(slow.args.fault_inject.drive, slot_key(world, 1));
    slow.args.fault_inject.fault = FAULT_KIND_SLOW;
    slow.args.fault_inject.latency_ms = 3000;
    assert_int_equal(world_run(world, &slow), REASON_OK);
    began_us = world->sim->now_us;
    assert_int_equal(init(world), REASON_INIT_FAILED);
    assert_true(world->sim->now_us - began_us < MINUTE);
    assert_int_equal(world_event_count(world, 0, EVENT_FAILED), 1);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_CLEAR), REASON_OK);
    assert_int_equal(init(world), REASON_OK);
    world_free(world);
}

static void on_done(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

/* The agent is stopped, or dies, after so many steps: what was not to be touched is as it was, and
 * the command can be repeated. */
static void test_ends_in_the_middle(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 24; i++) {
        struct ctl_world *world = world_of(200 + i, RAID_LEVEL_5, 3);
        struct ctl_command command;
        bool done = false;

        places_write(world);
        world_settle(world, MINUTE); /* what is written is flushed, and marked clean */
        command_make(world, &command, "data");
        command.complete = on_done;
        command.owner = &done;
        ctl_execute(world->ctl, &command);
        for (uint32_t step = 0; step < i * 4 && sim_world_step(world->sim); step++) {
        }
        if (i % 2 == 0) {
            world_stop(world);
            assert_true(done);
            world_start(world);
        } else {
            sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
            world_power_cycle(world);
        }
        world_settle(world, SIM_SECOND);
        world_check(world, "data", 8 * MIB, PIECE, FILL);
        world_check(world, "data", size_of(world) - 8 * MIB - PIECE, PIECE, FILL);
        assert_int_equal(init(world), REASON_OK);
        places_check(world, 0);
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_are_zeros),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_degraded),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_drives_go),
        cmocka_unit_test(test_slow_drive),
        cmocka_unit_test(test_ends_in_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
