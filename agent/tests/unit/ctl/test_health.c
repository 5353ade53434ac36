/*
 * Drives that err: expected to fail, taken out of use when that loses nothing; what is told of bad
 * blocks.
 */
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define STRIP (64u * 1024u)

static struct ctl_world *world_with(uint64_t seed, uint32_t slots, enum raid_level level,
                                    uint32_t width)
{
    struct ctl_world *world = world_new(seed, slots);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, width, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 1024 * 1024, 0x11);
    return world;
}

/* So many bad sectors, each found by a read and repaired. */
static void errors_make(struct ctl_world *world, uint32_t slot, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint64_t at = 0; at < 1024 * 1024; at += STRIP) {
            struct sim_fault fault = {SIM_FAULT_READ, at, 512};

            assert_true(sim_drive_fault_add(world->slots[slot].drive, &fault));
        }
        world_check(world, "data", 0, 1024 * 1024, 0x11);
        sim_drive_faults_clear(world->slots[slot].drive);
        world_settle(world, SIM_SECOND);
    }
}

static void test_predicted_then_spent(void **state)
{
    struct ctl_world *world = world_with(1, 5, RAID_LEVEL_5, 4);
    struct drive_view drive;
    uint32_t mark = 0;

    (void)state;
    assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
    mark = world->log_count;
    while (world_event(world, mark, 96) == UINT32_MAX) {
        errors_make(world, 1, 1);
    }
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.predictive_failures, 1);
    assert_true(drive.media_errors >= 10);
    assert_int_equal(drive.state, DRIVE_STATE_ONLINE);
    while (world_event(world, mark, 60143) == UINT32_MAX) {
        errors_make(world, 1, 1);
    }
    world_settle(world, SIM_SECOND);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE); /* the spare */
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_BAD);
    assert_int_equal(world_event_count(world, mark, 96), 1);
    assert_int_equal(world_event_count(world, mark, 60143), 1);
    world_check(world, "data", 0, 1024 * 1024, 0x11);
    world_free(world);
}

/* A last copy stays, however bad it is; when the rebuild is done it may go. */
static void test_last_copy_stays(void **state)
{
    struct ctl_world *world = world_with(2, 3, RAID_LEVEL_1, 2);
    uint32_t mark = 0;
    uint64_t offset = 0;

    (void)state;
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    mark = world->log_count;
    while (world_event(world, mark, 60143) == UINT32_MAX) {
        struct sim_fault fault = {SIM_FAULT_READ, offset, 512};
        uint8_t bytes[4096];

        /* Each at another place: a block that is known to be bad does not count twice. */
        assert_true(offset < 1024 * 1024);
        assert_true(sim_drive_fault_add(world->slots[1].drive, &fault));
        assert_int_equal(world_io(world, "data", VD_OP_READ, offset, 4096, bytes), VD_STATUS_IO);
        sim_drive_faults_clear(world->slots[1].drive);
        offset += 4096;
    }
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 1024 * 1024, 0x11);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    world_settle(world, 10 * MINUTE);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_ONLINE);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
    world_check(world, "data", 0, 1024 * 1024, 0x11);
    world_free(world);
}

/* A spent drive that the user gives another chance starts anew. */
static void test_second_chance(void **state)
{
    struct ctl_world *world = world_with(3, 3, RAID_LEVEL_1, 2);
    struct drive_view drive;
    uint32_t mark = world->log_count;

    (void)state;
    while (world_event(world, mark, 60143) == UINT32_MAX) {
        errors_make(world, 1, 1);
    }
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
    world_restart(world);
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_FAILED);
    assert_int_equal(drive.state_reason.code, REASON_DRIVE_LOST_ERROR_LIMIT);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_START),
                     REASON_OK);
    world_settle(world, 10 * MINUTE);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
    world_free(world);
}

static void test_puncture_is_told(void **state)
{
    struct ctl_world *world = world_with(4, 3, RAID_LEVEL_5, 3);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
    static struct ctl_bad_blocks list;
    struct reason reason;
    object_key_t key;
    struct virtual_drive_view view;
    uint32_t mark = world->log_count;
    uint8_t bytes[4096];

    (void)state;
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(sim_drive_fault_add(world->slots[0].drive, &fault));
    world_write(world, "data", STRIP, 4096, 0x22); /* beside it, on the missing drive */
    assert_int_equal(world_event_count(world, mark, 97), 1);
    assert_int_equal(world_io(world, "data", VD_OP_READ, 0, 4096, bytes), VD_STATUS_IO);
    assert_true(world_vd(world, "data", &view, key));
    assert_int_equal(view.lost_blocks, 1);
    assert_true(ctl_bad_blocks(world->ctl, OBJECT_KIND_VIRTUAL_DRIVE, key, NULL, &list, &reason));
    assert_int_equal(list.total, 1);
    assert_int_equal(list.blocks[0].lba, 0);
    assert_int_equal(list.blocks[0].count, 1);
    assert_int_equal(list.blocks[0].kind, BAD_BLOCK_KIND_PUNCTURED);
    assert_true(
        ctl_bad_blocks(world->ctl, OBJECT_KIND_DRIVE, slot_key(world, 0), NULL, &list, &reason));
    assert_int_equal(list.total, 1);
    assert_true(
        ctl_bad_blocks(world->ctl, OBJECT_KIND_DRIVE, slot_key(world, 2), NULL, &list, &reason));
    assert_int_equal(list.total, 0);
    assert_false(ctl_bad_blocks(world->ctl, OBJECT_KIND_DRIVE, "sn-none", NULL, &list, &reason));
    assert_int_equal(reason.code, REASON_UNKNOWN_OBJECT);
    world_check(world, "data", STRIP, 4096, 0x22);
    world_write(world, "data", 0, 4096, 0x33);
    assert_int_equal(world_event_count(world, mark, 60144), 1);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.lost_blocks, 0);
    world_free(world);
}

/* More than fit on one page; the addresses are those at which reads fail. */
static void test_list_in_pages(void **state)
{
    static struct ctl_bad_blocks list;
    struct ctl_world *world = world_with(5, 3, RAID_LEVEL_0, 3);
    uint64_t after_lba = 0;
    uint64_t found = 0;
    struct reason reason;
    object_key_t key;
    struct virtual_drive_view view;
    uint8_t bytes[4096];

    (void)state;
    world_write(world, "data", 0, 8 * 1024 * 1024, 0x44);
    for (uint32_t i = 0; i < 300; i++) {
        struct sim_fault fault = {SIM_FAULT_READ, (uint64_t)i * 8192, 512};

        /* Of slot 1: of each row the second strip. */
        assert_true(sim_drive_fault_add(world->slots[1].drive, &fault));
        assert_int_equal(world_io(world, "data", VD_OP_READ,
                                  i * 8192 / STRIP * 3 * STRIP + STRIP + i * 8192 % STRIP, 4096,
                                  bytes),
                         VD_STATUS_IO);
        sim_drive_faults_clear(world->slots[1].drive);
    }
    assert_true(world_vd(world, "data", &view, key));
    assert_int_equal(view.lost_blocks, 300);
    assert_true(ctl_bad_blocks(world->ctl, OBJECT_KIND_VIRTUAL_DRIVE, key, NULL, &list, &reason));
    assert_int_equal(list.total, 300);
    assert_int_equal(list.count, CTL_BAD_BLOCKS_MAX);
    assert_true(list.more);
    for (uint32_t i = 0; i < list.count; i++) {
        assert_true(i == 0 || list.blocks[i].lba > list.blocks[i - 1].lba);
        assert_int_equal(list.blocks[i].kind, BAD_BLOCK_KIND_UNREADABLE);
    }
    found = list.count;
    after_lba = list.blocks[list.count - 1].lba;
    assert_true(
        ctl_bad_blocks(world->ctl, OBJECT_KIND_VIRTUAL_DRIVE, key, &after_lba, &list, &reason));
    assert_false(list.more);
    assert_int_equal(found + list.count, 300);
    assert_true(list.blocks[0].lba > after_lba);
    world_check(world, "data", list.blocks[0].lba * 512, 4096, 0x44); /* it is the right one */
    assert_true(ctl_bad_blocks(world->ctl, OBJECT_KIND_VIRTUAL_DRIVE, key, NULL, &list, &reason));
    assert_int_equal(list.total, 299);
    world_free(world);
}

static void flush_fail(struct ctl_world *world, uint32_t slot)
{
    uint8_t bytes[4096];

    memset(bytes, 0x11, sizeof(bytes)); /* the bytes that are there already */
    world_write(world, "data", 0, sizeof(bytes), 0x11);
    world->slots[slot].drive->flush_forgets = 1;
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(bytes), bytes), VD_STATUS_OK);
    assert_int_equal(world_io(world, "data", VD_OP_FLUSH, 0, 0, NULL),
                     slot == 0 ? VD_STATUS_OK : VD_STATUS_IO);
    world_settle(world, SIM_SECOND);
}

/* The last copy fails a flush: offline, until a user trusts the drive again. */
static void test_set_online(void **state)
{
    struct ctl_world *world = world_with(9, 2, RAID_LEVEL_1, 2);
    uint32_t mark = world->log_count;

    (void)state;
    assert_int_equal(world_io(world, "data", VD_OP_FLUSH, 0, 0, NULL), VD_STATUS_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_ONLINE, 1), REASON_WRONG_STATE);
    flush_fail(world, 0);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_FAILED);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_ONLINE, 0), REASON_WRONG_STATE);
    flush_fail(world, 1);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OFFLINE, MINUTE));
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, 1), REASON_LAST_COPY);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_ONLINE, 0), REASON_WRONG_STATE);
    world_settle(world, MINUTE);
    assert_int_equal(world_event_count(world, mark, 60145), 0);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_ONLINE, 1), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    assert_int_equal(world_event_count(world, mark, 60145), 1);
    world_check(world, "data", 0, 1024 * 1024, 0x11);
    /* The first one is written anew from what is there. */
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 0), TASK_ACTION_START),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_check(world, "data", 0, 1024 * 1024, 0x11);
    world_free(world);
}

static struct drive_health health_of(enum smart_state state, enum reason_code why)
{
    struct drive_health health = {.state = state, .checked_us = 1};

    reason_set(&health.reason, why, "detail", "as played", NULL);
    health.told[SMART_FIGURE_TEMPERATURE_C] = state == SMART_STATE_GOOD;
    health.figures[SMART_FIGURE_TEMPERATURE_C] = 41;
    return health;
}

static void health_tell(struct ctl_world *world, uint32_t slot, enum smart_state state,
                        enum reason_code why)
{
    struct drive_health health = health_of(state, why);

    assert_true(ctl_drive_health(world->ctl, slot_key(world, slot), &health));
    world_settle(world, SIM_SECOND);
}

/* One event per change of the verdict; a drive that sleeps or cannot be read changes nothing. */
static void test_verdict_is_told_once(void **state)
{
    struct ctl_world *world = world_with(11, 3, RAID_LEVEL_1, 2);
    struct drive_health nobody = health_of(SMART_STATE_GOOD, REASON_OK);
    struct drive_view drive;
    uint32_t mark = world->log_count;

    (void)state;
    assert_false(ctl_drive_health(world->ctl, "sn-nobody", &nobody));
    health_tell(world, 0, SMART_STATE_UNREAD, REASON_SMART_MISSING);
    assert_true(world_drive(world, 0, &drive));
    assert_non_null(drive.health);
    assert_int_equal(drive.health->reason.code, REASON_SMART_MISSING);
    assert_false(drive.smart_failing || drive.has_temperature);
    health_tell(world, 0, SMART_STATE_GOOD, REASON_OK);
    assert_int_equal(world->log_count, mark); /* no news */
    assert_true(world_drive(world, 0, &drive));
    assert_int_equal(drive.temperature_c, 41);
    for (uint32_t round = 0; round < 3; round++) {
        health_tell(world, 0, SMART_STATE_FAILING, REASON_SMART_FAILING);
        health_tell(world, 0, SMART_STATE_ASLEEP, REASON_OK);
        health_tell(world, 0, SMART_STATE_UNREAD, REASON_SMART_UNREADABLE);
    }
    assert_int_equal(world_event_count(world, mark, 96), 1);
    assert_true(world_drive(world, 0, &drive));
    assert_true(drive.smart_failing);
    assert_int_equal(drive.predictive_failures, 1);
    health_tell(world, 0, SMART_STATE_GOOD, REASON_OK);
    health_tell(world, 0, SMART_STATE_GOOD, REASON_OK);
    assert_int_equal(world_event_count(world, mark, 60240), 1);
    assert_true(world_drive(world, 0, &drive));
    assert_false(drive.smart_failing);
    world_free(world);
}

/* A member that says it will fail is copied to a spare, if the policy says so. */
static void test_verdict_sets_a_copyback_off(void **state)
{
    struct ctl_world *world = world_with(12, 5, RAID_LEVEL_5, 4);
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};

    (void)state;
    assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
    health_tell(world, 2, SMART_STATE_FAILING, REASON_SMART_FAILING);
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_HOT_SPARE);
    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_PREDICTIVE_COPYBACK;
    command.args.controller_set.predictive_copyback = true;
    assert_int_equal(world_run(world, &command), REASON_OK);
    for (uint32_t i = 0; i < 600 && world_drive_state(world, 4) != DRIVE_STATE_ONLINE; i++) {
        assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_ONLINE); /* until it is done */
        world_settle(world, SIM_SECOND);
    }
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);
    assert_true(world_drive_state(world, 2) != DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 1024 * 1024, 0x11);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicted_then_spent),
        cmocka_unit_test(test_last_copy_stays),
        cmocka_unit_test(test_second_chance),
        cmocka_unit_test(test_puncture_is_told),
        cmocka_unit_test(test_list_in_pages),
        cmocka_unit_test(test_set_online),
        cmocka_unit_test(test_verdict_is_told_once),
        cmocka_unit_test(test_verdict_sets_a_copyback_off),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
