/*
 * Older states of a member: a drive that was copied and the copy put in its place, or restored from
 * an image. It has missed writes although nobody has noted its loss (meta/group_store.h (3)).
 * Mixtures of all kinds are in tests/prop/test_prop_generations.c.
 */
#include "ctl_world.h"

#include <errno.h>
#include <string.h>

#define DATA (512u * 1024u)
#define MINUTE (60 * SIM_SECOND)
#define EVENT_STALE 60210u
#define EVENT_MISMATCH 60010u

/* With data 0x11 in its generation before, 0x22 now; stopped. *ret_old: slot 1 as it was. */
static struct ctl_world *world_two(uint64_t seed, enum raid_level level, uint32_t count, bool cut,
                                   struct sim_drive **ret_old)
{
    const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};
    struct ctl_world *world = world_new(seed, count + 1);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, count, "data"), REASON_OK);
    world_write(world, "data", 0, DATA, 0x11);
    (void)world_wait_consistent(world, "data", MINUTE); /* RAID 0 is not asked */
    world_stop(world);
    *ret_old = sim_drive_fork(world->slots[1].drive, world->sim, &as_it_is);
    world_start(world);
    world_write(world, "data", 0, DATA, 0x22);
    if (cut) {
        sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
        world_power_down(world);
    } else {
        world_stop(world);
    }
    return world;
}

static void test_redundant(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct sim_drive *old = NULL;
        struct ctl_world *world = world_two(10 + i, i / 2 == 0 ? RAID_LEVEL_1 : RAID_LEVEL_5,
                                            i / 2 == 0 ? 2 : 3, i % 2 == 0, &old);
        struct drive_view drive;

        world->slots[1].drive = old;
        world_start(world);
        assert_int_equal(world_event_count(world, 0, EVENT_STALE), 1);
        assert_true(world_drive(world, 1, &drive));
        assert_int_equal(drive.state, DRIVE_STATE_FAILED);
        assert_int_equal(drive.state_reason.code, REASON_DRIVE_LOST_STALE);
        world_check(world, "data", 0, DATA, 0x22);
        world_settle(world, 5 * MINUTE);
        assert_int_equal(old->counters.writes, 0); /* nothing is rebuilt on it unasked */
        /* It is known from now on. */
        world_restart(world);
        assert_int_equal(world_event_count(world, 0, EVENT_STALE), 1);
        world_check(world, "data", 0, DATA, 0x22);
        /* It may be used again. */
        assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_START),
                         REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        world_check(world, "data", 0, DATA, 0x22);
        world_free(world);
    }
}

/* Nothing can be served until the drive itself is back; it takes the copy's place. */
static void test_no_redundancy(void **state)
{
    (void)state;
    for (uint32_t cut = 0; cut < 2; cut++) {
        struct sim_drive *old = NULL;
        struct ctl_world *world = world_two(20 + cut, RAID_LEVEL_0, 2, cut != 0, &old);
        struct virtual_drive_view vd;
        struct drive_view drive;

        world->slots[2].drive = old;
        (void)snprintf(world->slots[2].serial, sizeof(world->slots[2].serial), "COPY");
        world->slots[1].absent = true;
        world_start(world);
        assert_int_equal(world_event_count(world, 0, EVENT_STALE), 1);
        assert_true(world_vd(world, "data", &vd, NULL));
        assert_int_equal(vd.state, VIRTUAL_DRIVE_STATE_OFFLINE);
        assert_true(world_drive(world, 2, &drive));
        assert_int_equal(drive.state, DRIVE_STATE_FAILED);
        assert_int_equal(drive.state_reason.code, REASON_DRIVE_LOST_STALE);
        world->slots[1].absent = false;
        slot_arrive(world, 1);
        world_settle(world, MINUTE);
        assert_int_equal(world_event_count(world, 0, EVENT_MISMATCH), 1);
        world_check(world, "data", 0, DATA, 0x22);
        assert_int_equal(old->counters.writes, 0);
        world_free(world);
    }
}

/* To another controller: the newest of the drives tells what the others must have. */
static char set_id[65];

static void told_set(void *context, const struct foreign_set_view *set)
{
    enum reason_code *refusal = context;

    *refusal = set->refusal.code;
    (void)snprintf(set_id, sizeof(set_id), "%s", set->id);
}

static void told_drive(void *context, const struct foreign_drive_view *drive)
{
    (void)context;
    assert_int_equal(drive->state, strstr(drive->key, "S01") != NULL ? FOREIGN_MEMBER_STATE_STALE
                                                                     : FOREIGN_MEMBER_STATE_ONLINE);
}

static void told_vd(void *context, const struct foreign_vd_view *vd)
{
    (void)context;
    (void)vd;
}

static void told_member(void *context, const struct foreign_member_view *member)
{
    (void)context;
    (void)member;
}

static void told_damaged(void *context, const char *key, const struct reason *reason)
{
    (void)context;
    fail_msg("%s is damaged: %s", key, reason_code_word(reason->code));
}

static void test_foreign(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        enum reason_code refusal = REASON_OK;
        const struct ctl_foreign_visitor visitor = {told_set,    told_drive,   told_vd,
                                                    told_member, told_damaged, &refusal};
        struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};
        struct sim_drive *old = NULL;
        struct ctl_world *world =
            world_two(30 + i, i == 0 ? RAID_LEVEL_0 : RAID_LEVEL_1, 2, true, &old);

        sim_store_destroy(world->store);
        world->store = sim_store_create(world->sim);
        world->seed += 1000;
        world->slots[1].drive = old;
        world_start(world);
        ctl_foreign(world->ctl, &visitor);
        assert_int_equal(refusal, i == 0 ? REASON_FOREIGN_INCOMPLETE : REASON_OK);
        strcpy(command.args.foreign.controller, "c0");
        strcpy(command.args.foreign.set, set_id);
        assert_int_equal(world_run(world, &command), refusal);
        if (i == 1) {
            world_check(world, "data", 0, DATA, 0x22);
        }
        assert_int_equal(old->counters.writes, 0);
        world_free(world);
    }
}

/* The directory of the controller is full, so that only the labels know that slot 0 was lost and
 * what slot 1 had without it. Then slot 1 is not there at the start: the group goes on with what
 * slot 0 knows. Slot 1, back again, holds the newer data: nothing is rebuilt on it unasked. */
static void test_a_later_life(void **state)
{
    struct ctl_world *world = world_new(40, 2);
    struct drive_view drive;
    uint64_t writes = 0;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    world_write(world, "data", 0, DATA, 0x11);
    (void)world_wait_consistent(world, "data", MINUTE);
    world_restart(world);
    world->store->fail_with = -ENOSPC;
    slot_depart(world, 0);
    for (uint32_t i = 0; i < 8; i++) {
        world_write(world, "data", 0, DATA, 0x22);
        world_settle(world, MINUTE);
    }
    world_stop(world);
    world->store->fail_with = 0;
    world->slots[0].absent = false;
    world->slots[1].absent = true;
    world_start(world);
    world_settle(world, MINUTE);
    world_check(world, "data", 0, DATA, 0x11);
    writes = world->slots[1].drive->counters.writes;
    world->slots[1].absent = false;
    slot_arrive(world, 1);
    world_settle(world, 5 * MINUTE);
    assert_int_equal(world->slots[1].drive->counters.writes, writes);
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.state_reason.code, REASON_LABEL_LATER);
    assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_BAD);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_START),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_ONLINE);
    assert_int_equal(drive.state_reason.code, REASON_OK);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_no_redundancy),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_a_later_life),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
