/*
 * Deleting unless content is recognized: what is on a virtual drive is looked at through the cache,
 * and what cannot be looked at stays.
 */
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)

static struct ctl_world *world_with(uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 2);

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 2, "data"), REASON_OK);
    world_write(world, "data", 4 * MIB, 64 * 1024, 0x5a);
    return world;
}

static void command_make(struct ctl_world *world, struct ctl_command *command)
{
    struct virtual_drive_view view;

    *command = (struct ctl_command){.op = CTL_OP_VD_DELETE};
    assert_true(world_vd(world, "data", &view, command->args.vd_delete.vd));
    command->args.vd_delete.unless_content = true;
    strcpy(command->confirm, "data");
}

static enum reason_code delete_unless(struct ctl_world *world)
{
    struct ctl_command command;

    command_make(world, &command);
    return world_run(world, &command);
}

static void test_recognized(void **state)
{
    struct ctl_world *world = world_with(1);
    uint8_t block[4096] = {0};

    (void)state;
    memcpy(block, "XFSB", 4);
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(block), block), VD_STATUS_OK);
    assert_int_equal(delete_unless(world), REASON_VIRTUAL_DRIVE_HAS_CONTENT);
    assert_non_null(strstr(world->text, "\"data\" carries an XFS file system"));
    world_check(world, "data", 4 * MIB, 64 * 1024, 0x5a); /* it is exported still */
    memset(block, 0, sizeof(block));
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(block), block), VD_STATUS_OK);
    assert_int_equal(delete_unless(world), REASON_OK);
    assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 0);
    world_free(world);
}

/* Whoever deletes blocks the access first. */
static void test_blocked(void **state)
{
    struct ctl_world *world = world_with(2);
    uint8_t block[4096] = {0};

    (void)state;
    memcpy(block, "XFSB", 4);
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(block), block), VD_STATUS_OK);
    world_access(world, "data", ACCESS_POLICY_BLOCKED);
    assert_int_equal(delete_unless(world), REASON_VIRTUAL_DRIVE_HAS_CONTENT);
    world_access(world, "data", ACCESS_POLICY_READ_WRITE);
    memset(block, 0, sizeof(block));
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(block), block), VD_STATUS_OK);
    world_access(world, "data", ACCESS_POLICY_BLOCKED);
    assert_int_equal(delete_unless(world), REASON_OK);
    assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 0);
    world_free(world);
}

/* A drive goes after so many steps. */
static void test_unreadable(void **state)
{
    uint32_t unknown = 0;

    (void)state;
    for (uint32_t steps = 1; steps <= 24; steps++) {
        struct ctl_world *world = world_with(100 + steps);
        enum reason_code code = REASON_OK;

        world->pull_slot = 1;
        world->pull_after_steps = steps;
        code = delete_unless(world);
        world->pull_after_steps = 0;
        unknown += code == REASON_VIRTUAL_DRIVE_CONTENT_UNKNOWN ? 1 : 0;
        assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), code == REASON_OK ? 0 : 1);
        if (code == REASON_VIRTUAL_DRIVE_CONTENT_UNKNOWN) {
            world_restart(world);
            assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
            world_check(world, "data", 4 * MIB, 64 * 1024, 0x5a);
        }
        world_free(world);
    }
    assert_true(unknown > 0);
}

static void on_done(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

/* The agent is stopped after so many steps: all of it is there afterwards, or nothing. */
static void test_stopped(void **state)
{
    (void)state;
    for (uint32_t run = 0; run < 50; run++) {
        uint32_t steps = run / 2;
        struct ctl_world *world = world_with(200 + steps);
        struct ctl_command command;
        bool done = false;

        if (run % 2 > 0) {
            world_access(world, "data", ACCESS_POLICY_BLOCKED);
        }
        command_make(world, &command);
        command.complete = on_done;
        command.owner = &done;
        ctl_execute(world->ctl, &command);
        for (uint32_t i = 0; i < steps && sim_world_step(world->sim); i++) {
        }
        world_stop(world);
        assert_true(done);
        world_start(world);
        if (world_count(world, OBJECT_KIND_VIRTUAL_DRIVE) > 0) {
            assert_int_not_equal(command.reason.code, REASON_OK);
            world_access(world, "data", ACCESS_POLICY_READ_WRITE);
            world_check(world, "data", 4 * MIB, 64 * 1024, 0x5a);
        }
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recognized),
        cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_stopped),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
