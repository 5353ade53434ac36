/*
 * Drives that come, go, return, are swapped, copied or come from elsewhere.
 */
#include <string.h>

#include "base/rng.h"
#include "ctl_world.h"
#include "later_label.h"
#include "meta/group_store.h"

#define MINUTE (60 * SIM_SECOND)

static struct ctl_world *world_with(uint64_t seed, uint32_t slots, enum raid_level level,
                                    uint32_t width)
{
    struct ctl_world *world = world_new(seed, slots);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, width, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 256 * 1024, 0x11);
    return world;
}

static void test_any_order(void **state)
{
    struct ctl_world *world = world_with(1, 5, RAID_LEVEL_5, 4);
    struct virtual_drive_view view;
    struct slot first;

    (void)state;
    world_stop(world);
    /* The drives of slots 0 and 3 change places, slot 1's moves to the empty slot. */
    first = world->slots[0];
    world->slots[0] = world->slots[3];
    world->slots[3] = first;
    first = world->slots[4];
    world->slots[4] = world->slots[1];
    world->slots[1] = first;
    world_start(world);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    assert_true(view.consistent);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_free(world);
}

static void test_pull_and_return(void **state)
{
    struct ctl_world *world = world_with(2, 4, RAID_LEVEL_5, 4);
    struct drive_group_view group;
    uint32_t mark = world->log_count;

    (void)state;
    assert_int_equal(world_fault(world, 2, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_MISSING);
    assert_true(world_group(world, 0, &group, NULL));
    assert_int_equal(group.members[2].state, DRIVE_STATE_MISSING);
    assert_string_equal(group.members[2].serial, "S02");
    world_write(world, "data", 64 * 1024, 64 * 1024, 0x22);
    assert_int_equal(world_fault(world, 2, FAULT_KIND_RETURN), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_event_count(world, mark, 106), 1);
    assert_int_equal(world_event_count(world, mark, 91), 1);
    /* What it missed is there: another drive may go. */
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_check(world, "data", 64 * 1024, 64 * 1024, 0x22);
    world_check(world, "data", 0, 64 * 1024, 0x11);
    world_free(world);
}

static void test_return_without_auto(void **state)
{
    struct ctl_world *world = world_with(3, 4, RAID_LEVEL_1, 2);
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};
    struct drive_view drive;

    (void)state;
    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_AUTO_REBUILD;
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_BAD);
    assert_true(drive.has_state_reason);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_HOT_SPARE); /* not touched */
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_START),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_event_count(world, 0, 105), 1); /* by user */
    assert_int_equal(world_event_count(world, 0, 106), 0);
    world_restart(world); /* the property has stayed */
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_HOT_SPARE);
    world_free(world);
}

static void test_place_taken(void **state)
{
    struct ctl_world *world = world_with(4, 4, RAID_LEVEL_1, 2);
    struct ctl_command command = {.op = CTL_OP_DRIVE_GOOD};
    struct drive_view drive;

    (void)state;
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_BAD);
    assert_int_equal(drive.state_reason.code, REASON_LABEL_REPLACED);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_BAD);
    strcpy(command.args.drive_good.drive, slot_key(world, 1));
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_free(world);
}

static void test_replace(void **state)
{
    struct ctl_world *world = world_with(5, 3, RAID_LEVEL_5, 3);
    struct virtual_drive_view view;
    uint32_t mark = world->log_count;

    (void)state;
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_REPLACE), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_string_equal(world->slots[1].serial, "S01-1");
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
    assert_int_equal(world_event_count(world, mark, 106), 1);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    /* Replaced while online: that is a loss and a new drive in one. */
    mark = world->log_count;
    assert_int_equal(world_fault(world, 2, FAULT_KIND_REPLACE), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_event(world, mark, 251) < world_event(world, mark, 106));
    assert_true(world_vd(world, "data", &view, NULL));
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_free(world);
}

static void test_replace_by_command(void **state)
{
    struct ctl_world *world = world_with(6, 4, RAID_LEVEL_1, 2);
    struct ctl_command command = {.op = CTL_OP_DRIVE_REPLACE};
    struct virtual_drive_view view;

    (void)state;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 0), REASON_OK);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_OFFLINE);
    assert_true(world_vd(world, "data", &view, NULL));
    strcpy(command.args.drive_replace.group, view.group);
    strcpy(command.args.drive_replace.drive, slot_key(world, 2));
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_REBUILD);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_BAD);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_restart(world);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_ONLINE);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_BAD);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_free(world);
}

static void test_missing_at_start(void **state)
{
    struct ctl_world *world = world_with(7, 5, RAID_LEVEL_5, 4);
    struct virtual_drive_view view;
    uint32_t mark = 0;

    (void)state;
    world_stop(world);
    world->slots[3].absent = true;
    mark = world->log_count;
    world_start(world);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(world_event_count(world, mark, 257), 1);
    assert_int_equal(world_event_count(world, mark, 238), 1);
    assert_int_equal(world_event_count(world, mark, 251), 1);
    world_write(world, "data", 0, 64 * 1024, 0x77);
    /* Back while the controller runs: stale, so it is rebuilt in its place. */
    world->slots[3].absent = false;
    slot_arrive(world, 3);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_check(world, "data", 0, 64 * 1024, 0x77);
    /* Missing through one start, back at the next: still not believed, but rebuilt. */
    world_stop(world);
    world->slots[0].absent = true;
    world_start(world);
    world_write(world, "data", 0, 64 * 1024, 0x78);
    world_stop(world);
    world->slots[0].absent = false;
    mark = world->log_count;
    world_start(world);
    world_check(world, "data", 0, 64 * 1024, 0x78);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_event_count(world, mark, 106), 1);
    world_check(world, "data", 0, 64 * 1024, 0x78);
    world_free(world);
}

static void test_all_absent(void **state)
{
    struct ctl_world *world = world_with(8, 4, RAID_LEVEL_5, 4);
    struct virtual_drive_view view;
    struct ctl_command command = {.op = CTL_OP_VD_SET};

    (void)state;
    world_stop(world);
    for (uint32_t i = 0; i < 4; i++) {
        world->slots[i].absent = true;
    }
    world_start(world);
    assert_true(world_vd(world, "data", &view, command.args.vd_set.vd));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(world->exported_count, 0);
    command.args.vd_set.fields = VD_SET_NAME;
    strcpy(command.args.vd_set.name, "x");
    assert_int_equal(world_run(world, &command), REASON_GROUP_NOT_STARTED);
    /* They come one after the other; nothing needs a rebuild. */
    for (uint32_t i = 0; i < 4; i++) {
        world_settle(world, 2 * SIM_SECOND);
        world->slots[i].absent = false;
        slot_arrive(world, i);
    }
    world_settle(world, SIM_SECOND);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    assert_int_equal(world_event_count(world, 0, 106), 0);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    /* Three of four, and the fourth never comes: after a while without it. */
    world_stop(world);
    for (uint32_t i = 0; i < 4; i++) {
        world->slots[i].absent = true;
    }
    world_start(world);
    for (uint32_t i = 0; i < 3; i++) {
        world->slots[i].absent = false;
        slot_arrive(world, i);
    }
    world_settle(world, 5 * SIM_SECOND);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    world_settle(world, 10 * SIM_SECOND);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_DEGRADED);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_free(world);
}

static void test_offline_and_back(void **state)
{
    struct ctl_world *world = world_with(9, 4, RAID_LEVEL_5, 3);
    struct virtual_drive_view view;
    uint8_t buffer[4096];

    (void)state;
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    world_write(world, "data", 0, 64 * 1024, 0x66);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(world_io(world, "data", VD_OP_READ, 0, 4096, buffer), VD_STATUS_IO);
    /* The one lost first has missed writes: it does not help. */
    assert_int_equal(world_fault(world, 0, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    /* The one lost last has not: the bytes were kept. */
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_not_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    world_check(world, "data", 0, 64 * 1024, 0x66);
    world_check(world, "data", 64 * 1024, 64 * 1024, 0x11);
    world_free(world);
}

static void test_raid0_pull_and_return(void **state)
{
    struct ctl_world *world = world_new(10, 3);
    struct virtual_drive_view view;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 3, "data"), REASON_OK);
    world_write(world, "data", 0, 256 * 1024, 0x11);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_free(world);
}

/* Both members go and come back, in any order and at any pace: nothing was written meanwhile, so
 * nothing is lost. */
static void drive_goes(struct ctl_world *world, uint32_t slot, bool departs)
{
    if (departs) {
        slot_depart(world, slot);
    } else {
        assert_int_equal(world_fault(world, slot, FAULT_KIND_PULL), REASON_OK);
    }
}

static void drive_comes(struct ctl_world *world, uint32_t slot, bool departs)
{
    if (departs) {
        slot_arrive(world, slot);
    } else {
        assert_int_equal(world_fault(world, slot, FAULT_KIND_RETURN), REASON_OK);
    }
}

static void raid0_two_pulls(uint64_t seed, bool first_first, uint64_t pause_us, bool departs)
{
    struct ctl_world *world = world_new(seed, 2);
    struct virtual_drive_view view;
    uint32_t one = first_first ? 0 : 1;

    world->slots[0].offered = departs;
    world->slots[1].offered = departs;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 2, "data"), REASON_OK);
    world_write(world, "data", 0, 256 * 1024, 0x11);
    drive_goes(world, 0, departs);
    world_settle(world, pause_us);
    drive_goes(world, 1, departs);
    world_settle(world, pause_us);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    drive_comes(world, one, departs);
    world_settle(world, pause_us);
    drive_comes(world, 1 - one, departs);
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_ONLINE);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_write(world, "data", 0, 256 * 1024, 0x22);
    world_restart(world);
    world_check(world, "data", 0, 256 * 1024, 0x22);
    world_free(world);
}

static void test_raid0_both_pulled_and_returned(void **state)
{
    static const uint64_t pauses_us[] = {1000, 10000, 200000, SIM_SECOND, MINUTE};

    (void)state;
    for (uint64_t i = 0; i < sizeof(pauses_us) / sizeof(pauses_us[0]); i++) {
        for (uint64_t variant = 0; variant < 4; variant++) {
            raid0_two_pulls(900 + 4 * i + variant, variant % 2 != 0, pauses_us[i],
                            variant / 2 != 0);
        }
    }
}

/* Pulls and returns at any moment, also while the group is being made anew. In the end all are
 * there, and so is all that was written. */
static void raid0_restless(uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 3);
    struct virtual_drive_view view;
    bool away[3] = {false};
    struct rng rng;

    rng_seed(&rng, seed);
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 2 + (uint32_t)(seed % 2), "data"),
                     REASON_OK);
    world_write(world, "data", 0, 256 * 1024, 0x11);
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t slot = (uint32_t)rng_below(&rng, 2 + seed % 2);

        away[slot] =
            world_fault(world, slot, away[slot] ? FAULT_KIND_RETURN : FAULT_KIND_PULL) == REASON_OK
                ? !away[slot]
                : away[slot];
        world_settle(world, rng_below(&rng, 4) * rng_below(&rng, 30000));
    }
    for (uint32_t slot = 0; slot < 2 + seed % 2; slot++) {
        if (away[slot]) {
            assert_int_equal(world_fault(world, slot, FAULT_KIND_RETURN), REASON_OK);
            world_settle(world, rng_below(&rng, 3) * rng_below(&rng, 30000));
        }
    }
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "data", &view, NULL));
    if (view.state != VIRTUAL_DRIVE_STATE_OPTIMAL) {
        fail_msg("seed %llu: the virtual drive is %s", (unsigned long long)seed,
                 virtual_drive_state_word(view.state));
    }
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_free(world);
}

static void test_raid0_restless_drives(void **state)
{
    uint64_t seed = aw_test_seed("restless", 5100);

    (void)state;
    for (uint64_t i = 0; i < 60; i++) {
        raid0_restless(seed + i);
    }
}

static enum reason_code drive_cache_set(struct ctl_world *world, const char *name,
                                        enum drive_cache_policy policy)
{
    struct ctl_command command = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, command.args.vd_set.vd));
    command.args.vd_set.fields = VD_SET_DRIVE_CACHE;
    command.args.vd_set.drive_cache_policy = policy;
    return world_run(world, &command);
}

static enum drive_write_cache drive_cache(struct ctl_world *world, uint32_t slot)
{
    struct drive_view drive;

    world_settle(world, SIM_SECOND);
    assert_true(world_drive(world, slot, &drive));
    return drive.write_cache;
}

/* Real drives: sent to members only, at once, at the start, and to whoever joins. */
static void test_drive_cache(void **state)
{
    struct ctl_world *world = world_new(77, 5);
    struct drive_view drive;

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        world->slots[i].real = true;
        world->slots[i].cache_on = i != 1;
    }
    world->slots[4].cache_fixed = true;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(drive_cache(world, 0), DRIVE_WRITE_CACHE_ON);
    assert_int_equal(drive_cache(world, 1), DRIVE_WRITE_CACHE_OFF);
    assert_int_equal(world->slots[0].cache_switches, 0);
    assert_int_equal(drive_cache_set(world, "data", DRIVE_CACHE_POLICY_OFF), REASON_OK);
    assert_int_equal(drive_cache(world, 0), DRIVE_WRITE_CACHE_OFF);
    assert_false(world->slots[0].cache_on);
    assert_int_equal(world->slots[0].cache_switches, 1);
    assert_int_equal(world->slots[1].cache_switches, 0); /* it is off already */
    assert_int_equal(drive_cache(world, 2), DRIVE_WRITE_CACHE_ON);
    assert_int_equal(world_event_count(world, 0, 60081), 1);
    /* The drives have forgotten it. */
    world_stop(world);
    world->slots[0].cache_on = true;
    world_start(world);
    assert_int_equal(drive_cache(world, 0), DRIVE_WRITE_CACHE_OFF);
    assert_false(world->slots[0].cache_on);
    /* A spare steps in. */
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    slot_depart(world, 1);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
    assert_int_equal(drive_cache(world, 2), DRIVE_WRITE_CACHE_OFF);
    assert_false(world->slots[2].cache_on);
    /* Back to what they came with. */
    assert_int_equal(drive_cache_set(world, "data", DRIVE_CACHE_POLICY_DEFAULT), REASON_OK);
    assert_int_equal(drive_cache(world, 2), DRIVE_WRITE_CACHE_ON);
    assert_true(world->slots[2].cache_on && world->slots[0].cache_on);
    /* One that does not follow: told once, not tried on and on. */
    world->slots[0].cache_error = -EIO;
    assert_int_equal(drive_cache_set(world, "data", DRIVE_CACHE_POLICY_OFF), REASON_OK);
    assert_int_equal(drive_cache(world, 0), DRIVE_WRITE_CACHE_ON);
    assert_int_equal(drive_cache(world, 2), DRIVE_WRITE_CACHE_OFF);
    world_settle(world, MINUTE);
    assert_int_equal(world_event_count(world, 0, 60082), 1);
    /* One that cannot: only what it has is taken. */
    assert_int_equal(drive_cache(world, 4), DRIVE_WRITE_CACHE_ON);
    assert_true(world_drive(world, 3, &drive));
    {
        struct ctl_command *command = world_create_command(world, RAID_LEVEL_1, 3, 2, "two");

        command->args.vd_create.drive_cache_policy = DRIVE_CACHE_POLICY_OFF;
        assert_int_equal(world_run(world, command), REASON_DRIVE_CACHE_FIXED);
        command->args.vd_create.drive_cache_policy = DRIVE_CACHE_POLICY_ON;
        assert_int_equal(world_run(world, command), REASON_OK);
    }
    assert_int_equal(drive_cache_set(world, "two", DRIVE_CACHE_POLICY_OFF),
                     REASON_DRIVE_CACHE_FIXED);
    assert_int_equal(drive_cache(world, 3), DRIVE_WRITE_CACHE_ON);
    world_free(world);
}

/* Of two virtual drives on the same drives, off decides. */
static void test_drive_cache_is_shared(void **state)
{
    struct ctl_world *world = world_new(78, 2);
    struct ctl_command *command = NULL;
    struct drive_group_view group;
    char key[OBJECT_KEY_MAX + 1];

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        world->slots[i].cache_on = true; /* emulated: the core switches them itself */
    }
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_0, 0, 2, "one");
    command->args.vd_create.size_bytes = 8 * MIB;
    assert_int_equal(world_run(world, command), REASON_OK);
    assert_true(world_group(world, 0, &group, key));
    command = world_create_command(world, RAID_LEVEL_0, 0, 0, "two");
    memcpy(command->args.vd_create.drive_group, key, sizeof(key));
    assert_int_equal(world_run(world, command), REASON_OK);
    assert_int_equal(drive_cache_set(world, "one", DRIVE_CACHE_POLICY_OFF), REASON_OK);
    assert_int_equal(drive_cache_set(world, "two", DRIVE_CACHE_POLICY_ON), REASON_OK);
    assert_int_equal(drive_cache(world, 0), DRIVE_WRITE_CACHE_OFF);
    assert_int_equal(drive_cache_set(world, "one", DRIVE_CACHE_POLICY_DEFAULT), REASON_OK);
    assert_int_equal(drive_cache(world, 1), DRIVE_WRITE_CACHE_ON);
    assert_int_equal(world->slots[0].cache_switches, 0);
    world_free(world);
}

static enum reason_code drive_good_named(struct ctl_world *world, uint32_t slot, const char *serial)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_GOOD};

    (void)snprintf(command.args.drive_good.drive, sizeof(command.args.drive_good.drive), "%s",
                   slot_key(world, slot));
    (void)snprintf(command.confirm, sizeof(command.confirm), "%s", serial);
    return world_run(world, &command);
}

static enum reason_code drive_good(struct ctl_world *world, uint32_t slot)
{
    return drive_good_named(world, slot, "");
}

/* A label that cannot be read may be that of a member: it goes only if its drive is named. */
static void test_good_without_a_label(void **state)
{
    struct ctl_world *world = world_with(83, 3, RAID_LEVEL_0, 2);
    const uint64_t at = drive_layout_label_offset(world->slots[1].options.size_bytes, false, 0);
    const struct sim_fault fault = {SIM_FAULT_READ, at,
                                    (uint64_t)LABEL_SLOT_COUNT * LABEL_SLOT_BYTES};
    struct drive_view drive;

    (void)state;
    world_stop(world);
    assert_true(sim_drive_fault_add(world->slots[1].drive, &fault));
    world_start(world);
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_BAD);
    assert_int_equal(drive.state_reason.code, REASON_LABEL_UNREADABLE);
    assert_int_equal(drive_good(world, 1), REASON_CONFIRM_NEEDED);
    world_stop(world);
    sim_drive_faults_clear(world->slots[1].drive);
    world_start(world);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_stop(world);
    assert_true(sim_drive_fault_add(world->slots[1].drive, &fault));
    world_start(world);
    assert_int_equal(drive_good_named(world, 1, "S00"), REASON_CONFIRM_MISMATCH);
    assert_int_equal(drive_good_named(world, 1, "S01"), REASON_OK);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_free(world);
}

/* Labels of a member, made newer than they are: without virtual drives, or with one of `other`. */
static void labels_forge(struct ctl_world *world, uint32_t slot, const struct guid *other)
{
    struct drive_label *label = calloc(1, sizeof(*label));
    uint8_t *bytes = calloc(1, LABEL_SLOT_BYTES);
    size_t used = 0;

    assert_true(label != NULL && bytes != NULL);
    for (uint32_t i = 0; i < LABEL_SLOT_COUNT; i++) {
        uint64_t at = drive_layout_label_offset(world->slots[slot].options.size_bytes, false, i);

        sim_drive_peek(world->slots[slot].drive, at, bytes, LABEL_SLOT_BYTES);
        assert_int_equal(drive_label_decode(bytes, label), 0);
        label->record.sequence += 10;
        if (other != NULL) {
            label->record.vds[0].guid = *other;
        } else {
            label->record.vd_count = 0;
        }
        assert_int_equal(drive_label_encode(label, bytes, &used), 0);
        sim_drive_poke(world->slots[slot].drive, at, bytes, used);
    }
    free(bytes);
    free(label);
}

/* A newer record that was never written here is none. */
static void test_impossible_records(void **state)
{
    struct ctl_world *world = world_with(84, 4, RAID_LEVEL_1, 2);
    struct virtual_drive_view view;
    object_key_t key;
    struct guid other;

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_0, 2, 2, "other"), REASON_OK);
    assert_true(world_vd(world, "other", &view, key));
    assert_int_equal(guid_parse(key, &other), 0);
    for (uint32_t i = 0; i < 2; i++) {
        world_stop(world);
        labels_forge(world, 1, i == 0 ? NULL : &other);
        world_start(world);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
        world_check(world, "data", 0, 256 * 1024, 0x11);
    }
    world_free(world);
}

/* Left to the host: not claimed, not used, not forgotten, until it is made good again. */
static void test_jbod(void **state)
{
    struct ctl_world *world = world_new(79, 4);
    struct drive_view drive;

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        world->slots[i].real = i != 3;
        world->slots[i].offered = i != 2; /* the configuration names the third */
    }
    strcpy(world->slots[1].signature, "ext4");
    world_start(world);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_JBOD, 3), REASON_JBOD_EMULATED);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_JBOD, 2), REASON_JBOD_CONFIGURED);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_JBOD, 0), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_JBOD, 1), REASON_OK); /* as it is */
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_JBOD, 0), REASON_WRONG_STATE);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_JBOD);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_JBOD);
    assert_int_equal(world_event_count(world, 0, 60083), 2);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 1, "data"), REASON_DRIVE_NOT_UGOOD);
    assert_int_equal(world_spare(world, 0, NULL), REASON_DRIVE_NOT_UGOOD);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_JBOD);
    assert_false(world->slots[0].claimed);
    slot_depart(world, 0);
    world_settle(world, SIM_SECOND);
    slot_arrive(world, 0);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_JBOD);
    assert_false(world->slots[0].claimed);
    assert_int_equal(drive_good(world, 0), REASON_OK);
    assert_int_equal(drive_good(world, 1), REASON_OK);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(world_create(world, RAID_LEVEL_0, 1, 1, "data"), REASON_DRIVE_HAS_DATA);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 1, "data"), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_JBOD, 0), REASON_WRONG_STATE);
    /* Given back by a virtual drive that is no more. */
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_JBOD, 0), REASON_OK);
    assert_false(world->slots[0].claimed);
    world_free(world);
}

/* All bytes of one simulated drive to another. */
static void drive_copy(struct ctl_world *world, uint32_t from, uint32_t to)
{
    uint8_t *buffer = malloc(MIB);

    for (uint64_t at = 0; at < 72 * MIB; at += MIB) {
        sim_drive_peek(world->slots[from].drive, at, buffer, MIB);
        sim_drive_poke(world->slots[to].drive, at, buffer, MIB);
    }
    free(buffer);
}

static void test_clone(void **state)
{
    struct ctl_world *world = world_with(11, 4, RAID_LEVEL_1, 2);
    struct drive_view drive;
    struct ctl_command command = {.op = CTL_OP_DRIVE_GOOD};
    struct slot swap;

    (void)state;
    world_stop(world);
    drive_copy(world, 1, 3);
    /* The copy comes first: the serial number in the record tells which one is meant. */
    swap = world->slots[0];
    world->slots[0] = world->slots[3];
    world->slots[3] = swap;
    world_start(world);
    assert_true(world_drive(world, 0, &drive));
    assert_true(drive.foreign);
    assert_int_equal(drive.state_reason.code, REASON_LABEL_DUPLICATE);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
    assert_int_equal(world_event_count(world, 0, 60010), 1);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    /* Foreign: only with force and the serial number. */
    strcpy(command.args.drive_good.drive, slot_key(world, 0));
    assert_int_equal(world_run(world, &command), REASON_DRIVE_FOREIGN);
    command.args.drive_good.force = true;
    assert_int_equal(world_run(world, &command), REASON_CONFIRM_NEEDED);
    strcpy(command.confirm, "S01");
    assert_int_equal(world_run(world, &command), REASON_CONFIRM_MISMATCH);
    strcpy(command.confirm, "S03");
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    /* A copy that arrives while its original works. */
    drive_copy(world, 1, 2);
    slot_depart(world, 2);
    world_settle(world, SIM_SECOND);
    slot_arrive(world, 2);
    world_settle(world, SIM_SECOND);
    assert_true(world_drive(world, 2, &drive));
    assert_true(drive.foreign);
    assert_int_equal(world_event_count(world, 0, 60010), 2);
    world_free(world);
}

static void test_other_controller(void **state)
{
    struct ctl_world *world = world_with(12, 3, RAID_LEVEL_1, 2);
    struct drive_view drive;
    struct uuid epoch = ctl_state_epoch(world->ctl);
    struct uuid now;

    (void)state;
    world_stop(world);
    sim_store_destroy(world->store); /* the state directory is lost */
    world->store = sim_store_create(world->sim);
    world_start(world);
    now = ctl_state_epoch(world->ctl);
    assert_false(uuid_equal(&epoch, &now));
    assert_int_equal(world_count(world, OBJECT_KIND_DRIVE_GROUP), 0);
    assert_true(world_drive(world, 0, &drive));
    assert_true(drive.foreign);
    assert_int_equal(drive.state_reason.code, REASON_LABEL_OTHER_CONTROLLER);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "x"), REASON_DRIVE_FOREIGN);
    world_free(world);
}

static void test_departure(void **state)
{
    struct ctl_world *world = world_with(13, 4, RAID_LEVEL_1, 2);
    struct drive_view drive;
    struct drive_group_view group;
    uint64_t rev = 0;

    (void)state;
    rev = ctl_rev(world->ctl);
    slot_depart(world, 1);
    slot_depart(world, 3);
    world_settle(world, SIM_SECOND);
    assert_false(world_drive(world, 1, &drive));
    assert_false(world_drive(world, 3, &drive));
    assert_true(world->slots[1].released && world->slots[3].released);
    assert_true(ctl_rev(world->ctl) > rev);
    assert_true(world_group(world, 0, &group, NULL));
    assert_int_equal(group.state, VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(group.members[1].drive[0], 0);
    slot_arrive(world, 3); /* blank, but in another slot: left alone */
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_UNCONFIGURED_GOOD);
    slot_arrive(world, 1);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_free(world);
}

static void test_write_error(void **state)
{
    struct ctl_world *world = world_with(14, 4, RAID_LEVEL_1, 2);
    struct ctl_command command = {.op = CTL_OP_FAULT_INJECT};
    struct drive_view drive;

    (void)state;
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    strcpy(command.args.fault_inject.drive, slot_key(world, 0));
    command.args.fault_inject.fault = FAULT_KIND_WRITE_ERROR;
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_true(world_drive(world, 0, &drive));
    world_write(world, "data", 0, 64 * 1024, 0x99); /* degrades and succeeds */
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_BAD);
    world_check(world, "data", 0, 64 * 1024, 0x99);
    assert_true(world_event(world, 0, 87) != UINT32_MAX);
    world_free(world);
}

static void test_media_error(void **state)
{
    struct ctl_world *world = world_with(15, 3, RAID_LEVEL_5, 3);
    struct ctl_command command = {.op = CTL_OP_FAULT_INJECT};
    struct drive_view drive;
    uint32_t mark = world->log_count;

    (void)state;
    strcpy(command.args.fault_inject.drive, slot_key(world, 0));
    command.args.fault_inject.fault = FAULT_KIND_MEDIA_ERROR;
    command.args.fault_inject.count = 256;
    assert_int_equal(world_run(world, &command), REASON_OK);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    assert_true(world_drive(world, 0, &drive));
    assert_true(drive.media_errors > 0);
    assert_int_equal(drive.state, DRIVE_STATE_ONLINE);
    assert_true(world_event(world, mark, 93) != UINT32_MAX);
    world_free(world);
}

/* A drive that stops answering: lost by timeout, replaced by the spare; what it answers late
 * does no harm. */
static void test_hung(void **state)
{
    struct ctl_world *world = world_with(16, 4, RAID_LEVEL_1, 2);
    struct drive_view drive;

    (void)state;
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    world->slots[0].drive->hang = true;
    world_write(world, "data", 0, 64 * 1024, 0x55);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
    assert_true(world_event(world, 0, 267) != UINT32_MAX);
    assert_true(world_drive(world, 0, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_BAD);
    sim_drive_unhang(world->slots[0].drive);
    world_settle(world, SIM_SECOND);
    world_check(world, "data", 0, 64 * 1024, 0x55);
    world_restart(world);
    world_check(world, "data", 0, 64 * 1024, 0x55);
    world_free(world);
}

/* Faults in the middle of a configuration change: it fails or succeeds, and says so. */
static void test_pull_during_create(void **state)
{
    (void)state;
    for (uint32_t steps = 0; steps < 60; steps += 3) {
        struct ctl_world *world = world_new(200 + steps, 4);
        struct ctl_command *command = NULL;
        struct virtual_drive_view view;
        enum reason_code code = REASON_OK;

        world_start(world);
        command = world_create_command(world, RAID_LEVEL_5, 0, 3, "data");
        for (uint32_t i = 0; i < 3; i++) {
            world->slots[i].drive->extra_latency_us = i * 100;
        }
        world->pull_slot = 1;
        world->pull_after_steps = steps + 1;
        code = world_run(world, command);
        world->pull_after_steps = 0;
        world_settle(world, MINUTE);
        assert_int_equal(world_vd(world, "data", &view, NULL), code == REASON_OK);
        if (code == REASON_OK) {
            world_check(world, "data", 0, 4096, 0);
        } else {
            assert_int_equal(world_count(world, OBJECT_KIND_DRIVE_GROUP), 0);
            assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_GOOD);
        }
        world_restart(world);
        assert_int_equal(world_vd(world, "data", &view, NULL), code == REASON_OK);
        world_free(world);
    }
}

/* Put in the slot while the agent was not running: taken at the start, like one that arrives. */
static void test_replaced_while_down(void **state)
{
    struct ctl_world *world = world_with(31, 5, RAID_LEVEL_5, 4);

    (void)state;
    world_stop(world);
    {
        struct slot spare = world->slots[4];

        world->slots[4] = world->slots[2]; /* its drive is on a shelf */
        world->slots[4].absent = true;
        world->slots[2] = spare;
    }
    world_start(world);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_free(world);
}

/* A member that a user has made good again is a drive like any other, in its old slot too. */
/* A member whose label a later version has written: it is left alone, and said why. */
static void test_later_version(void **state UNUSED)
{
    struct ctl_world *world = world_with(31, 3, RAID_LEVEL_1, 2);
    struct virtual_drive_view view;
    struct drive_view drive;
    uint32_t sum = 0;

    world_stop(world);
    slot_label_renew(world, 1);
    sum = slot_sum(world, 1);
    world_start(world);
    world_settle(world, MINUTE);
    assert_true(world_drive(world, 1, &drive));
    assert_true(drive.foreign);
    assert_int_equal(drive.state_reason.code, REASON_LABEL_NEWER);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_DEGRADED);
    world_write(world, "data", 0, 64 * 1024, 0x22);
    assert_int_not_equal(world_spare(world, 1, NULL), REASON_OK);
    world_restart(world);
    world_settle(world, MINUTE);
    world_check(world, "data", 0, 64 * 1024, 0x22);
    assert_int_equal(slot_sum(world, 1), sum);
    world_free(world);
}

static void test_made_good_is_left_alone(void **state)
{
    struct ctl_world *world = world_with(32, 4, RAID_LEVEL_5, 4);

    (void)state;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 2), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, 2), REASON_OK);
    for (uint32_t life = 0; life < 3; life++) {
        world_settle(world, MINUTE);
        assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_UNCONFIGURED_GOOD);
        world_restart(world);
    }
    world_check(world, "data", 0, 256 * 1024, 0x11);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_pull_and_return),
        cmocka_unit_test(test_return_without_auto),
        cmocka_unit_test(test_place_taken),
        cmocka_unit_test(test_replace),
        cmocka_unit_test(test_replace_by_command),
        cmocka_unit_test(test_missing_at_start),
        cmocka_unit_test(test_all_absent),
        cmocka_unit_test(test_offline_and_back),
        cmocka_unit_test(test_raid0_pull_and_return),
        cmocka_unit_test(test_raid0_both_pulled_and_returned),
        cmocka_unit_test(test_raid0_restless_drives),
        cmocka_unit_test(test_drive_cache),
        cmocka_unit_test(test_good_without_a_label),
        cmocka_unit_test(test_impossible_records),
        cmocka_unit_test(test_jbod),
        cmocka_unit_test(test_drive_cache_is_shared),
        cmocka_unit_test(test_clone),
        cmocka_unit_test(test_other_controller),
        cmocka_unit_test(test_departure),
        cmocka_unit_test(test_write_error),
        cmocka_unit_test(test_media_error),
        cmocka_unit_test(test_hung),
        cmocka_unit_test(test_pull_during_create),
        cmocka_unit_test(test_replaced_while_down),
        cmocka_unit_test(test_later_version),
        cmocka_unit_test(test_made_good_is_left_alone),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
