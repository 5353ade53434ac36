/*
 * A drive whose file was deleted while in use: the finding names what can be done about it, by what
 * the drive is; and that works.
 */
#include <string.h>

#include "ctl/ctl_path.h"
#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)

/* A RAID 5 on slots 0 to 2. Where it is slow, a rebuild or copyback lasts. */
static struct ctl_world *world_of(bool slow)
{
    struct ctl_world *world = world_new(7, 5);

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 64 * 1024, 0x11);
    world_settle(world, MINUTE);
    for (uint32_t i = 0; i < 5 && slow; i++) {
        world->slots[i].drive->extra_latency_us = SIM_SECOND / 4;
    }
    return world;
}

/* "<remedy>", of the drive in the slot. */
static void expect(struct ctl_world *world, uint32_t slot, const char *remedy)
{
    const struct finding *finding = NULL;

    ctl_drive_path(world->ctl, &world->slots[slot], "/a/file", REASON_DRIVE_PATH_DELETED);
    world_settle(world, SIM_SECOND / 10);
    finding = world_finding(world, FINDING_DRIVE_PATH_LOST, NULL);
    assert_non_null(finding);
    assert_string_equal(reason_code_word(finding->remedy.code), remedy);
    ctl_drive_path(world->ctl, &world->slots[slot], "/a/file", REASON_OK);
}

static enum reason_code copyback(struct ctl_world *world, uint32_t from, enum task_action action)
{
    struct ctl_command command = {.op = CTL_OP_COPYBACK};

    strcpy(command.args.copyback.drive, slot_key(world, from));
    if (action == TASK_ACTION_START) {
        strcpy(command.args.copyback.target, slot_key(world, 4));
    }
    command.args.copyback.action = action;
    return world_run(world, &command);
}

static void test_member_and_copyback(void **state)
{
    struct ctl_world *world = world_of(true);

    (void)state;
    expect(world, 0, "remedy_drive_path_deleted");
    assert_int_equal(copyback(world, 0, TASK_ACTION_START), REASON_OK);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_COPYBACK);
    expect(world, 0, "remedy_drive_path_deleted_copied");
    expect(world, 4, "remedy_drive_path_deleted_filled");
    assert_int_equal(copyback(world, 4, TASK_ACTION_STOP), REASON_OK);
    world_free(world);
}

static void test_spare(void **state)
{
    struct ctl_world *world = world_of(false);

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
        expect(world, 3, "remedy_drive_path_deleted_spare");
        assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 3), REASON_OK);
    }
    ctl_drive_path(world->ctl, &world->slots[3], "/a/file", REASON_DRIVE_PATH_DELETED);
    assert_null(world_finding(world, FINDING_DRIVE_PATH_LOST, NULL)); /* nothing is on it */
    world_free(world);
}

static void test_rebuild_and_lost(void **state)
{
    struct ctl_world *world = world_of(true);

    (void)state;
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
    world_settle(world, 10 * SIM_SECOND);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_REBUILD);
    expect(world, 3, "remedy_drive_path_deleted_rebuild");
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 3), REASON_OK);
    expect(world, 3, "remedy_drive_path_deleted_lost");
    world_free(world);
}

static void test_last_copy(void **state)
{
    struct ctl_world *world = world_of(false);

    (void)state;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
    world->slots[0].drive->write_fails = true;
    (void)world_io(world, "data", VD_OP_WRITE, 0, 4096, (uint8_t[4096]){0});
    world_settle(world, SIM_SECOND);
    world->slots[0].drive->write_fails = false;
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OFFLINE, 10 * SIM_SECOND));
    expect(world, 0, "remedy_drive_path_deleted_needed");
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_ONLINE, 0), REASON_OK);
    expect(world, 0, "remedy_drive_path_deleted");
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_member_and_copyback),
        cmocka_unit_test(test_spare),
        cmocka_unit_test(test_rebuild_and_lost),
        cmocka_unit_test(test_last_copy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
