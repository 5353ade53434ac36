/*
 * The whole story on every level: create, write, pull, spare, rebuild, restart, delete.
 */
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)

static void check_optimal(struct ctl_world *world, const char *name)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
}

static void story(enum raid_level level, uint32_t width, enum raid_level expected)
{
    struct ctl_world *world = world_new(100 + (uint64_t)level, width + 2);
    struct virtual_drive_view view;
    struct operation_view operation;
    uint32_t mark = 0;

    world_start(world);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_create(world, level, 0, width, "data"), REASON_OK);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    assert_int_equal(view.config->geometry.level, expected);
    assert_false(view.consistent);
    assert_true(world_operation(world, OPERATION_KIND_BACKGROUND_INIT, &operation, NULL));
    assert_string_equal(view.exports.nbd_unix_uri, "nbd+unix:///data?socket=/run/aw/nbd.sock");
    assert_int_equal(world_drive_state(world, width - 1), DRIVE_STATE_ONLINE);
    world_write(world, "data", 0, 300 * 1024, 0x5a);
    world_restart(world);
    world_check(world, "data", 0, 300 * 1024, 0x5a);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    assert_int_equal(world_spare(world, width, NULL), REASON_OK);
    assert_int_equal(world_drive_state(world, width), DRIVE_STATE_HOT_SPARE);

    mark = world->log_count;
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_not_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    world_check(world, "data", 0, 300 * 1024, 0x5a);
    world_write(world, "data", 128 * 1024, 64 * 1024, 0xa5);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
    assert_int_equal(world_drive_state(world, width), DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 128 * 1024, 0x5a);
    world_check(world, "data", 128 * 1024, 64 * 1024, 0xa5);
    /* pulled, removed, degraded, rebuild starts, completes, optimal: in this order */
    assert_true(world_event(world, mark, 60011) < world_event(world, mark, 112));
    assert_true(world_event(world, mark, 112) < world_event(world, mark, 106));
    assert_true(world_event(world, mark, 81) < world_event(world, mark, 106));
    assert_true(world_event(world, mark, 106) < world_event(world, mark, 100));
    assert_int_equal(world_event_count(world, mark, 106), 1);
    assert_int_equal(world_event_count(world, mark, 100), 1);
    assert_int_equal(world_event_count(world, mark, 249), 1);
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, &operation, NULL));
    assert_int_equal(operation.state, OPERATION_STATE_COMPLETED);
    world_restart(world);
    check_optimal(world, "data");
    world_check(world, "data", 128 * 1024, 64 * 1024, 0xa5);

    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_false(world_vd(world, "data", &view, NULL));
    assert_int_equal(world_count(world, OBJECT_KIND_DRIVE_GROUP), 0);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_restart(world);
    assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 0);
    for (uint32_t i = 0; i < width + 1; i++) {
        if (i != 1) { /* the pulled one has the label of a group that is no more */
            assert_int_equal(world_drive_state(world, i), DRIVE_STATE_UNCONFIGURED_GOOD);
        }
    }
    world_free(world);
}

static void test_raid1(void **state)
{
    (void)state;
    story(RAID_LEVEL_1, 2, RAID_LEVEL_1);
}

static void test_raid5(void **state)
{
    (void)state;
    story(RAID_LEVEL_5, 4, RAID_LEVEL_5);
}

static void test_raid6(void **state)
{
    (void)state;
    story(RAID_LEVEL_6, 5, RAID_LEVEL_6);
}

static void test_raid10(void **state)
{
    (void)state;
    story(RAID_LEVEL_10, 4, RAID_LEVEL_10);
}

static void test_raid1_of_four_is_raid10(void **state)
{
    (void)state;
    story(RAID_LEVEL_1, 4, RAID_LEVEL_10);
}

static void test_raid50(void **state)
{
    (void)state;
    story(RAID_LEVEL_50, 6, RAID_LEVEL_50);
}

static void test_raid60(void **state)
{
    (void)state;
    story(RAID_LEVEL_60, 8, RAID_LEVEL_60);
}

static void test_raid1e(void **state)
{
    (void)state;
    story(RAID_LEVEL_1E, 5, RAID_LEVEL_1E);
}

/* Two drives that are no neighbors may be away, and are rebuilt; two neighbors may not. */
static void test_raid1e_bears_what_is_apart(void **state)
{
    struct ctl_world *world = world_new(4711, 7);
    struct virtual_drive_view view;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1E, 0, 5, "data"), REASON_OK);
    world_write(world, "data", 0, 900 * 1024, 0x5a);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 2, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(view.drive_failures_left, 0);
    world_check(world, "data", 0, 900 * 1024, 0x5a);
    world_write(world, "data", 100 * 1024, 500 * 1024, 0xa5);
    assert_int_equal(world_spare(world, 5, NULL), REASON_OK);
    assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 60 * MINUTE));
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 3, FAULT_KIND_PULL), REASON_OK);
    world_check(world, "data", 0, 100 * 1024, 0x5a);
    world_check(world, "data", 100 * 1024, 500 * 1024, 0xa5);
    assert_int_equal(world_fault(world, 4, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    world_free(world);
}

/* As many drives as a virtual drive can have: two losses in every span, and the controller
 * started again with them. */
static void test_widest(void **state)
{
    struct ctl_world *world = world_new(8132, 257);
    struct ctl_command *command = NULL;
    struct virtual_drive_view view;
    struct ctl_preview preview;

    (void)state;
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_60, 0, 256, "data");
    command->args.vd_create.drives_per_span = 32;
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_true(preview.ok);
    assert_int_equal(preview.span_count, 8);
    assert_int_equal(preview.drive_failures_tolerated, 2);
    assert_int_equal(world_run(world, command), REASON_OK);
    world_write(world, "data", 0, 4 * MIB, 0x5a);
    world_settle(world, MINUTE);
    for (uint32_t span = 0; span < 8; span++) {
        assert_int_equal(world_fault(world, span * 32 + span, FAULT_KIND_PULL), REASON_OK);
        assert_int_equal(world_fault(world, span * 32 + 31, FAULT_KIND_PULL), REASON_OK);
    }
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_DEGRADED);
    world_check(world, "data", 0, 4 * MIB, 0x5a);
    world_write(world, "data", MIB, 2 * MIB, 0xa5);
    world_restart(world);
    world_check(world, "data", MIB, 2 * MIB, 0xa5);
    world_check(world, "data", 3 * MIB, MIB, 0x5a);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raid1),
        cmocka_unit_test(test_raid5),
        cmocka_unit_test(test_raid6),
        cmocka_unit_test(test_raid10),
        cmocka_unit_test(test_raid1_of_four_is_raid10),
        cmocka_unit_test(test_raid50),
        cmocka_unit_test(test_raid60),
        cmocka_unit_test(test_raid1e),
        cmocka_unit_test(test_widest),
        cmocka_unit_test(test_raid1e_bears_what_is_apart),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
