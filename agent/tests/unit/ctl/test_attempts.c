/*
 * What the controller does by itself goes on when what stood in its way is gone: rebuilds and
 * copybacks that could not begin, or whose drive failed. Meanwhile the documents say what is
 * waited for, and a spare that did not serve does not count as protection.
 */
#include <errno.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_REBUILD_FAILED_TARGET 102
#define EVENT_SPARE_COMMISSIONED 60160
#define EVENT_SPARE_FAILED 60012

/* A virtual drive "data" on slots 0 to width - 1, a hot spare behind them. */
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

static const struct drive_group_view *group_of(struct ctl_world *world)
{
    static struct drive_group_view view;
    object_key_t key;

    memset(&view, 0, sizeof(view));
    assert_true(world_group(world, 0, &view, key));
    return &view;
}

/* The rebuild's record is on the members: a full state directory does not stop it. */
static void test_full_state_directory(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t width = i == 0 ? 2 : 4;
        struct ctl_world *world = world_with_spare(10 + i, levels[i], width);
        uint32_t mark = world->log_count;

        world->store->fail_with = -ENOSPC;
        assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_int_equal(world_drive_state(world, width), DRIVE_STATE_ONLINE);
        assert_int_equal(world_event_count(world, mark, EVENT_REBUILD_FAILED_TARGET), 0);
        world->store->fail_with = 0;
        world_restart(world);
        assert_int_equal(world_drive_state(world, width), DRIVE_STATE_ONLINE);
        assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
        world_check(world, "data", 0, 64 * 1024, 0x11);
        world_free(world);
    }
}

/* The replaced drive gets its place back although nothing can be saved but on drives. */
static void test_copyback_with_full_state_directory(void **state)
{
    struct ctl_world *world = world_with_spare(20, RAID_LEVEL_1, 2);

    (void)state;
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world->store->fail_with = -ENOSPC;
    assert_int_equal(world_fault(world, 0, FAULT_KIND_REPLACE), REASON_OK);
    world_settle(world, 10 * MINUTE);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_ONLINE);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_HOT_SPARE);
    world_check(world, "data", 0, 64 * 1024, 0x11);
    world_free(world);
}

/* The spare cannot be written: it is no protection, says so, and serves once it can be. */
static void test_spare_with_write_errors(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_with_spare(30 + i, RAID_LEVEL_5, 3);
        const struct vd_config *vd = &group_of(world)->config->vds[0];
        uint64_t half_bytes = vd->geometry.extent_bytes / 2;
        /* Nothing at all can be written, or only its data, all of them or their second half. */
        const struct sim_fault faults[] = {
            {SIM_FAULT_WRITE, 0, world->slots[3].options.size_bytes},
            {SIM_FAULT_WRITE, vd->extent_start_bytes, 2 * half_bytes},
            {SIM_FAULT_WRITE, vd->extent_start_bytes + half_bytes, half_bytes}};
        uint32_t mark = world->log_count;
        struct drive_view drive;

        assert_true(sim_drive_fault_add(world->slots[3].drive, &faults[i]));
        assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
        world_settle(world, MINUTE);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, SIM_SECOND));
        assert_true(group_of(world)->rebuild_waits);
        assert_int_equal(group_of(world)->rebuild_wait.code, REASON_REBUILD_TRIED_AGAIN);
        assert_int_equal(group_of(world)->spare_count, 0);
        assert_true(world_drive(world, 3, &drive));
        assert_true(drive.has_state_reason);
        assert_true(world_event_count(world, mark, EVENT_SPARE_COMMISSIONED) <= 1);
        assert_true(world_event_count(world, mark, EVENT_SPARE_FAILED) <= 1);
        sim_drive_faults_clear(world->slots[3].drive);
        world_settle(world, 3 * MINUTE);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
        assert_false(group_of(world)->rebuild_waits);
        assert_true(world_drive(world, 3, &drive));
        assert_false(drive.has_state_reason);
        world_check(world, "data", 0, 64 * 1024, 0x11);
        world_free(world);
    }
}

/* A drive that somebody else has open stands in when it is free again. */
static void test_claimed_by_another(void **state)
{
    struct ctl_world *world = world_new(40, 3);
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};

    (void)state;
    world->slots[2].real = true;
    world->slots[2].offered = true;
    world->slots[2].claim_error = -EBUSY;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_EMERGENCY_UNCONFIGURED;
    command.args.controller_set.emergency_unconfigured = true;
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 2 * MINUTE);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_event_count(world, 0, EVENT_SPARE_FAILED), 1);
    world->slots[2].claim_error = 0;
    world_settle(world, 2 * MINUTE);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_ONLINE);
    world_free(world);
}

static void state_expect(struct ctl_world *world, uint32_t slot, enum drive_state state,
                         enum reason_code why)
{
    struct drive_view drive;

    assert_true(world_drive(world, slot, &drive));
    assert_int_equal(drive.state, state);
    assert_int_equal(drive.has_state_reason ? drive.state_reason.code : REASON_OK, why);
}

/* A drive that a user set offline is not blamed for the spare that could not be written, nor the
 * spare for the user's command: neither in the documents nor in events, nor after a restart. */
static void test_blame_stays_with_the_drive(void **state)
{
    struct ctl_world *world = world_with_spare(50, RAID_LEVEL_5, 3);
    uint32_t mark = world->log_count;

    (void)state;
    assert_int_equal(world_fault(world, 3, FAULT_KIND_WRITE_ERROR), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
    world_settle(world, 3 * SIM_SECOND);
    state_expect(world, 1, DRIVE_STATE_OFFLINE, REASON_DRIVE_LOST_USER);
    assert_int_equal(group_of(world)->config->members[1].why, REASON_DRIVE_LOST_USER);
    for (uint32_t i = mark; i < world->log_count; i++) {
        const char *text = world->log[i].text;

        if (strstr(text, "State change on /c0/e252/s3") != NULL && strstr(text, "by a user")) {
            fail_msg("%s", text);
        }
        if (strstr(text, "State change on /c0/e252/s1") != NULL && strstr(text, "A write")) {
            fail_msg("%s", text);
        }
    }
    for (uint32_t life = 0; life < 2; life++) { /* the second time the spare is there and well */
        world_stop(world);
        world->slots[3].absent = life == 0;
        world_start(world);
        world_settle(world, SIM_SECOND);
        if (life == 0) {
            state_expect(world, 1, DRIVE_STATE_OFFLINE, REASON_DRIVE_LOST_USER);
        }
    }
    world_settle(world, 3 * MINUTE);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 64 * 1024, 0x11);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_state_directory),
        cmocka_unit_test(test_copyback_with_full_state_directory),
        cmocka_unit_test(test_spare_with_write_errors),
        cmocka_unit_test(test_claimed_by_another),
        cmocka_unit_test(test_blame_stays_with_the_drive),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
