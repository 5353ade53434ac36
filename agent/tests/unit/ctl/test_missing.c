/*
 * Lost members that give up their places (set missing), and lights that go out by themselves.
 */
#include <string.h>

#include "ctl_world.h"
#include "drive/drive_layout.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_SET_MISSING 60220
#define EVENT_LOCATE_ENDED 60221

static uint8_t before[4 * MIB];
static uint8_t after[4 * MIB];

static struct ctl_world *world_with(uint64_t seed, enum raid_level level, uint32_t width)
{
    struct ctl_world *world = world_new(seed, width + 1);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, width, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 256 * 1024, 0x11);
    world_settle(world, MINUTE);
    return world;
}

static enum drive_state row_state(struct ctl_world *world, uint32_t row, bool *ret_occupied)
{
    struct drive_group_view group;

    assert_true(world_group(world, 0, &group, NULL));
    *ret_occupied = group.members[row].drive[0] != '\0';
    return group.members[row].state;
}

static void expect_row_missing(struct ctl_world *world, uint32_t row)
{
    bool occupied = true;

    assert_int_equal(row_state(world, row, &occupied), DRIVE_STATE_MISSING);
    assert_false(occupied);
}

static void flush_fail(struct ctl_world *world, uint32_t slot)
{
    uint8_t bytes[64 * 1024];

    memset(bytes, 0x11, sizeof(bytes));
    world->slots[slot].drive->flush_forgets = 1;
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(bytes), bytes), VD_STATUS_OK);
    (void)world_io(world, "data", VD_OP_FLUSH, 0, 0, NULL);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, slot), DRIVE_STATE_FAILED);
}

static enum reason_code insert(struct ctl_world *world, uint32_t slot, uint32_t row)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_REPLACE};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, NULL));
    strcpy(command.args.drive_replace.group, view.group);
    strcpy(command.args.drive_replace.drive, slot_key(world, slot));
    command.args.drive_replace.row = row;
    return world_run(world, &command);
}

/* Offline, missing, and in again: what the guides for replacing a drive do. */
static void test_offline_then_missing(void **state)
{
    struct ctl_world *world = world_with(1, RAID_LEVEL_5, 3);

    (void)state;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, 1), REASON_WRONG_STATE);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, 1), REASON_OK);
    assert_int_equal(world_event_count(world, 0, EVENT_SET_MISSING), 1);
    for (uint32_t life = 0; life < 3; life++) {
        world_settle(world, 2 * MINUTE); /* nobody puts it back by himself */
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
        expect_row_missing(world, 1);
        world_check(world, "data", 0, 256 * 1024, 0x11);
        world_restart(world);
    }
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, 1), REASON_WRONG_STATE);
    assert_int_equal(insert(world, 1, 1), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_free(world);
}

/* Nothing is written to a drive that failed, and it stays bad until somebody says otherwise. */
static void test_failed_is_bad(void **state)
{
    struct ctl_world *world = world_with(2, RAID_LEVEL_1, 2);

    (void)state;
    flush_fail(world, 0);
    sim_drive_peek(world->slots[0].drive, 0, before, sizeof(before));
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, 0), REASON_OK);
    for (uint32_t life = 0; life < 3; life++) {
        world_settle(world, 2 * MINUTE);
        assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_BAD);
        expect_row_missing(world, 0);
        world_restart(world);
    }
    sim_drive_peek(world->slots[0].drive, 0, after, sizeof(after));
    assert_memory_equal(before, after, sizeof(after));
    assert_int_equal(world_drive_op(world, CTL_OP_REBUILD, 0), REASON_NOTHING_TO_REBUILD);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, 0), REASON_OK);
    assert_int_equal(insert(world, 0, 0), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_check(world, "data", 64 * 1024, 192 * 1024, 0x11);
    world_free(world);
}

/* Where the drive group does not work, whatever is left of it is kept. */
static void test_last_copies_stay(void **state)
{
    struct ctl_world *world = world_with(3, RAID_LEVEL_1, 2);

    (void)state;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 0), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    sim_drive_peek(world->slots[0].drive, 0, before, sizeof(before));
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, 0), REASON_LAST_COPY);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, 0), REASON_LAST_COPY);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, 1), REASON_DRIVE_GONE);
    sim_drive_peek(world->slots[0].drive, 0, after, sizeof(after));
    assert_memory_equal(before, after, sizeof(after));
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_OFFLINE);
    world_free(world);
}

/* What could not be saved has not happened. */
static void test_not_saved(void **state)
{
    struct ctl_world *world = world_with(4, RAID_LEVEL_5, 3);

    (void)state;
    flush_fail(world, 2);
    world->store->fail_with = -ENOSPC;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, 2), REASON_STORE_FULL);
    world->store->fail_with = 0;
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_FAILED);
    assert_int_equal(world_event_count(world, 0, EVENT_SET_MISSING), 0);
    world_settle(world, MINUTE);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_FAILED);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 2), TASK_ACTION_START),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_free(world);
}

/* Locate */

static enum reason_code locate(struct ctl_world *world, bool on, uint32_t seconds)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_LOCATE};

    strcpy(command.args.drive_locate.drive, slot_key(world, 0));
    command.args.drive_locate.on = on;
    command.args.drive_locate.seconds = seconds;
    return world_run_narrow(world, &command);
}

static bool is_lit(struct ctl_world *world, uint64_t *ret_end_us)
{
    struct drive_view drive;

    assert_true(world_drive(world, 0, &drive));
    *ret_end_us = drive.locate_end_us;
    return drive.locating;
}

static void test_locate_ends(void **state)
{
    struct ctl_world *world = world_new(5, 1);
    uint64_t end_us = 0;
    uint64_t wall_us = 0;

    (void)state;
    world_start(world);
    assert_int_equal(locate(world, true, 30), REASON_OK);
    wall_us = clock_wall_us(&world->sim->clock);
    assert_true(is_lit(world, &end_us));
    assert_in_range(end_us, wall_us + 29 * SIM_SECOND, wall_us + 30 * SIM_SECOND);
    world_settle(world, 29 * SIM_SECOND);
    assert_true(is_lit(world, &end_us));
    world_settle(world, 2 * SIM_SECOND);
    assert_false(is_lit(world, &end_us));
    assert_int_equal(end_us, 0);
    assert_int_equal(world_event_count(world, 0, EVENT_LOCATE_ENDED), 1);

    /* Asked again, the new time counts; stopped, there is none any more. */
    assert_int_equal(locate(world, true, 30), REASON_OK);
    world_settle(world, 20 * SIM_SECOND);
    assert_int_equal(locate(world, true, 30), REASON_OK);
    world_settle(world, 20 * SIM_SECOND);
    assert_true(is_lit(world, &end_us));
    assert_int_equal(locate(world, false, 0), REASON_OK);
    assert_false(is_lit(world, &end_us));
    assert_int_equal(locate(world, true, 0), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(is_lit(world, &end_us));
    assert_int_equal(end_us, 0);
    assert_int_equal(world_event_count(world, 0, EVENT_LOCATE_ENDED), 1);
    world_free(world);
}

#define EVENT_OVERWRITTEN 60212
#define EVENT_OVERWRITTEN_USED 60213
#define EVENT_CHANGED_ELSEWHERE 60061

/* As mkfs does, which knows of no RAID: the first MiB and the end of the drive. */
static void overwrite(struct ctl_world *world, uint32_t slot)
{
    const struct slot *place = &world->slots[slot];
    uint8_t *bytes = calloc(1, MIB);

    assert_non_null(bytes);
    sim_drive_poke(place->drive, 0, bytes, MIB);
    sim_drive_poke(place->drive, place->options.size_bytes - 64 * 1024, bytes, 64 * 1024);
    free(bytes);
}

/* Zeros from behind the label to the end of the drive, where the anchor and both copies of DDF are:
 * fewer traces of ours than overwrite() leaves. And, what was wrong, the second MiB. */
static void overwrite_the_end(struct ctl_world *world, uint32_t slot)
{
    const struct slot *place = &world->slots[slot];
    uint8_t *bytes = calloc(1, DRIVE_DDF_BYTES);

    assert_non_null(bytes);
    sim_drive_poke(place->drive, MIB, bytes, MIB);
    sim_drive_poke(place->drive, place->options.size_bytes - DRIVE_DDF_BYTES, bytes,
                   DRIVE_DDF_BYTES);
    free(bytes);
}

static void data_expect(struct ctl_world *world)
{
    memset(before, 0x11, 256 * 1024);
    assert_int_equal(world_io(world, "data", VD_OP_READ, 0, 256 * 1024, after), VD_STATUS_OK);
    assert_memory_equal(before, after, 256 * 1024);
}

/* Set aside while the group can do without it; its place is filled when a user says so. */
static void test_overwritten_is_set_aside(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};
    static const uint32_t widths[] = {2, 3, 4};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_with(110 + i, levels[i], widths[i]);
        uint64_t writes = 0;

        world_stop(world);
        overwrite(world, 1);
        writes = world->slots[1].drive->counters.writes;
        world_start(world);
        world_settle(world, MINUTE);
        data_expect(world);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
        assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 1);
        assert_int_equal(world->slots[1].drive->counters.writes, writes);
        world_stop(world);
        world_start(world);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
        assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 1);
        assert_int_equal(world->slots[1].drive->counters.writes, writes);
        world_free(world);
    }
}

/* All of our metadata at the end of the drive are gone: the witness beside the label tells. With
 * and without a clean stop before, on a drive that was a member from the beginning and on a rebuilt
 * one. */
static void test_overwritten_to_the_end(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = world_with(230 + i, RAID_LEVEL_5, 3);
        uint64_t writes = 0;
        bool cut = i % 2 != 0;

        if (i >= 2) {
            assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
            assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, 1), REASON_OK);
            assert_int_equal(insert(world, 1, 1), REASON_OK);
            assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        }
        if (cut) {
            sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
            world_power_down(world);
        } else {
            world_stop(world);
        }
        overwrite_the_end(world, 1);
        writes = world->slots[1].drive->counters.writes;
        world_start(world);
        world_settle(world, MINUTE);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
        assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 1);
        assert_int_equal(world->slots[1].drive->counters.writes, writes);
        data_expect(world);
        world_free(world);
    }
}

static void test_overwritten_is_used(void **state)
{
    struct ctl_world *world = world_with(114, RAID_LEVEL_0, 2);
    struct virtual_drive_view view;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) { /* the second time it has its anchor again */
        world_stop(world);
        if (i == 0) {
            overwrite(world, 1);
        }
        world_start(world);
        assert_true(world_vd(world, "data", &view, NULL));
        assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
        assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN_USED), 1);
    }
    world_free(world);
}

/* The only copy that is here was overwritten: the group waits for the other one. */
static void test_overwritten_waits(void **state)
{
    struct ctl_world *world = world_with(115, RAID_LEVEL_1, 2);
    struct virtual_drive_view view;

    (void)state;
    world_stop(world);
    overwrite(world, 1);
    world->slots[0].absent = true;
    world_start(world);
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(world_event_count(world, 0, EVENT_CHANGED_ELSEWHERE), 1);
    world_stop(world);
    world->slots[0].absent = false;
    world_start(world);
    world_settle(world, MINUTE);
    data_expect(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
    world_free(world);
}

/* A program that writes a boot sector leaves the end of the drive alone: the seal of the last clean
 * stop shows it. */
static void test_boot_sector(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};
    static const uint32_t widths[] = {2, 3, 4};
    uint8_t sector[512];

    (void)state;
    memset(sector, 0xAA, sizeof(sector));
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_with(104 + i, levels[i], widths[i]);

        for (uint32_t start = 0; start < 2; start++) { /* what nobody has touched is left alone */
            world_restart(world);
            assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
            data_expect(world);
        }
        world_stop(world);
        sim_drive_poke(world->slots[1].drive, i == 2 ? 127 * 1024 : 0, sector, sizeof(sector));
        world_start(world);
        world_settle(world, MINUTE);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
        assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 1);
        data_expect(world);
        world_free(world);
    }
}

/* The seal is void once the group has begun: whatever was written, and however it ended. */
static void test_seal_is_void(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_0, RAID_LEVEL_1, RAID_LEVEL_5};
    static const uint32_t widths[] = {2, 2, 3};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        for (unsigned cut = 0; cut < SIM_CUT_MAX; cut++) {
            struct ctl_world *world = world_with(120 + i * 10 + cut, levels[i], widths[i]);
            struct virtual_drive_view view;

            world_restart(world); /* sealed */
            world_write(world, "data", 0, 128 * 1024, 0x44);
            sim_world_power_off(world->sim, (enum sim_cut)cut);
            world_power_down(world);
            world_start(world);
            assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 0);
            assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN_USED), 0);
            assert_true(world_vd(world, "data", &view, NULL));
            assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
            world_free(world);
        }
    }
}

/* More drives than are claimed in one go: a group whose drives are in the first lot and in the next
 * is no worse for it. */
static void test_many_are_claimed(void **state)
{
    struct ctl_world *world = world_new(85, 257);
    struct virtual_drive_view view;
    uint32_t mark = 0;

    (void)state;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->slots[i].offered = true;
    }
    world_start(world);
    for (uint32_t i = 0; i < 7; i++) {
        char name[VD_NAME_MAX + 1];

        (void)snprintf(name, sizeof(name), "d%u", i);
        assert_int_equal(world_create(world, RAID_LEVEL_0, i * 32, 32, name), REASON_OK);
    }
    assert_int_equal(world_create(world, RAID_LEVEL_0, 224, 31, "d7"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 255, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    mark = world->log_count;
    world_restart(world);
    assert_true(world->slots[256].claimed);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    assert_int_equal(world_event(world, mark, 251), UINT32_MAX); /* degraded */
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overwritten_is_set_aside),
        cmocka_unit_test(test_overwritten_to_the_end),
        cmocka_unit_test(test_overwritten_is_used),
        cmocka_unit_test(test_overwritten_waits),
        cmocka_unit_test(test_boot_sector),
        cmocka_unit_test(test_seal_is_void),
        cmocka_unit_test(test_many_are_claimed),
        cmocka_unit_test(test_offline_then_missing),
        cmocka_unit_test(test_failed_is_bad),
        cmocka_unit_test(test_last_copies_stay),
        cmocka_unit_test(test_not_saved),
        cmocka_unit_test(test_locate_ends),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
