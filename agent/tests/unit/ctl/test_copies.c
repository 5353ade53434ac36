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
 * what slot 1 had without it (0x22). Then slot 1 is not there at the start: the group goes on with
 * what slot 0 knows (0x11). */
static struct ctl_world *world_of_two_lives(uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 3);

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
    return world;
}

static void expect_later(struct ctl_world *world, uint32_t slot)
{
    struct drive_view drive;

    assert_true(world_drive(world, slot, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_FAILED);
    assert_int_equal(drive.state_reason.code, REASON_LABEL_LATER);
}

/* Slot 1, back again, holds the newer data: nothing is rebuilt on it unasked, neither at once nor
 * at a later start; and it does not lead that, whatever its record's number is: what was written
 * meanwhile stays. */
static void test_a_later_life(void **state)
{
    struct ctl_world *world = world_of_two_lives(40);
    struct drive_view drive;
    uint64_t writes = 0;

    (void)state;
    writes = world->slots[1].drive->counters.writes;
    world->slots[1].absent = false;
    slot_arrive(world, 1);
    world_settle(world, 5 * MINUTE);
    assert_int_equal(world->slots[1].drive->counters.writes, writes);
    expect_later(world, 1);
    world_write(world, "data", 0, DATA, 0x33);
    world_restart(world);
    world_check(world, "data", 0, DATA, 0x33);
    world_settle(world, 5 * MINUTE);
    assert_int_equal(world->slots[1].drive->counters.writes, writes);
    expect_later(world, 1);
    slot_depart(world, 1);
    world_settle(world, MINUTE);
    world->slots[1].absent = false;
    slot_arrive(world, 1);
    world_settle(world, 5 * MINUTE);
    assert_int_equal(world->slots[1].drive->counters.writes, writes);
    expect_later(world, 1);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_START),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_true(world_drive(world, 1, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_ONLINE);
    assert_int_equal(drive.state_reason.code, REASON_OK);
    world_check(world, "data", 0, DATA, 0x33);
    world_free(world);
}

/* Both lives meet at a start. Whichever goes on, nothing is rebuilt on the other unasked; and it
 * may be rebuilt when somebody has decided. */
static void test_two_lives_at_a_start(void **state)
{
    (void)state;
    for (uint32_t longer = 0; longer < 2; longer++) {
        struct ctl_world *world = world_of_two_lives(45 + longer);
        uint8_t bytes[2] = {0x11, 0x22};
        uint64_t writes = 0;
        uint32_t other = 0;

        for (uint32_t i = 0; i < 40 * longer; i++) {
            world_write(world, "data", 0, DATA, 0x11);
            world_settle(world, MINUTE);
        }
        world_stop(world);
        world->slots[1].absent = false;
        world_start(world);
        world_settle(world, 5 * MINUTE);
        other = world_drive_state(world, 0) == DRIVE_STATE_ONLINE ? 1 : 0;
        assert_int_equal(other, longer);
        expect_later(world, other);
        writes = world->slots[other].drive->counters.writes;
        world_check(world, "data", 0, DATA, bytes[1 - other]);
        world_restart(world);
        world_settle(world, 5 * MINUTE);
        expect_later(world, other);
        assert_int_equal(world->slots[other].drive->counters.writes, writes);
        world_check(world, "data", 0, DATA, bytes[1 - other]);
        assert_int_equal(
            world_task(world, CTL_OP_REBUILD, slot_key(world, other), TASK_ACTION_START),
            REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        world_free(world);
    }
}

/* Slot 1 as it was with 0x11 is in use, and the drive itself comes with its later life: it is not
 * used, and does not take the place at the next start. */
static void test_a_later_life_of_a_copy(void **state)
{
    const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};
    struct ctl_world *world = world_new(50, 3);
    struct sim_drive *old[2];
    struct sim_store *old_store = NULL;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    world_write(world, "data", 0, DATA, 0x11);
    (void)world_wait_consistent(world, "data", MINUTE);
    world_stop(world);
    for (uint32_t i = 0; i < 2; i++) {
        old[i] = sim_drive_fork(world->slots[i].drive, world->sim, &as_it_is);
    }
    old_store = sim_store_fork(world->store, world->sim);
    world_start(world);
    slot_depart(world, 0);
    for (uint32_t i = 0; i < 8; i++) {
        world_write(world, "data", 0, DATA, 0x22);
        world_settle(world, MINUTE);
    }
    world_stop(world);
    sim_store_destroy(world->store);
    world->store = old_store;
    world->slots[0].drive = old[0];
    world->slots[0].absent = false;
    world->slots[1].absent = true;
    world->slots[2].drive = old[1];
    (void)snprintf(world->slots[2].serial, sizeof(world->slots[2].serial), "COPY");
    world_start(world);
    world_check(world, "data", 0, DATA, 0x11);
    world->slots[1].absent = false;
    slot_arrive(world, 1);
    world_settle(world, MINUTE);
    world_write(world, "data", 0, DATA, 0x33);
    world_restart(world);
    world_check(world, "data", 0, DATA, 0x33);
    world_free(world);
}

/* Of the hot spare there is a copy made when it had become a member (0x22); the rest is as it was
 * before (0x11), and waits. The copy has the newer record: its data are served. */
static void test_a_member_before_a_spare(void **state)
{
    const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};
    struct ctl_world *world = world_new(60, 4);
    struct sim_drive *old_spare = NULL;
    struct sim_store *old_store = NULL;
    struct drive_view drive;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    world_write(world, "data", 0, DATA, 0x11);
    (void)world_wait_consistent(world, "data", MINUTE);
    world_stop(world);
    old_spare = sim_drive_fork(world->slots[2].drive, world->sim, &as_it_is);
    old_store = sim_store_fork(world->store, world->sim);
    world_start(world);
    slot_depart(world, 1);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_write(world, "data", 0, DATA, 0x22);
    world_stop(world);
    sim_store_destroy(world->store);
    world->store = old_store;
    world->slots[0].absent = true;
    world->slots[1].absent = true;
    world->slots[3].drive = world->slots[2].drive;
    (void)snprintf(world->slots[3].serial, sizeof(world->slots[3].serial), "COPY");
    world->slots[3].absent = true;
    world->slots[2].drive = old_spare;
    world_start(world);
    assert_true(world_drive(world, 2, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_HOT_SPARE);
    world->slots[3].absent = false;
    slot_arrive(world, 3);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    world_check(world, "data", 0, DATA, 0x22);
    assert_true(world_drive(world, 2, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_GOOD); /* a copy */
    assert_int_equal(drive.state_reason.code, REASON_LABEL_DUPLICATE);
    assert_int_equal(old_spare->counters.writes, 0);
    world_free(world);
}

/* RAID 10: slot 0 goes, and slot 2, of the other mirror, in the middle of the record of that loss:
 * so many steps later, or when so many flushes have been sent to it. Slot 0 is in sync again before
 * slot 2 comes back, whose record calls slot 0 lost: it is the group's own record. */
enum meanwhile { NOTHING, A_RESTART, A_POWER_CUT };

static void pull_within_a_record(uint32_t steps, uint32_t flushes, enum meanwhile meanwhile)
{
    struct ctl_world *world = world_new(70, 4);
    uint64_t before = 0;

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_10, 0, 4, "data"), REASON_OK);
    world_write(world, "data", 0, DATA, 0x11);
    assert_true(world_wait_consistent(world, "data", MINUTE));
    before = world->slots[2].drive->counters.flushes;
    slot_depart(world, 0);
    for (uint32_t i = 0; i < steps; i++) {
        assert_true(sim_world_step(world->sim));
    }
    for (uint32_t i = 0; world->slots[2].drive->counters.flushes < before + flushes; i++) {
        assert_true(i < 10000 && sim_world_step(world->sim));
    }
    world->slots[2].absent = true;
    if (meanwhile == A_POWER_CUT) {
        world->slots[0].absent = true;
        sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
        world_power_down(world);
        world_start(world);
    } else {
        slot_depart(world, 2);
    }
    world_settle(world, MINUTE);
    world_write(world, "data", 0, DATA, 0x22);
    slot_arrive(world, 0);
    for (uint32_t i = 0; i < 60 && world_drive_state(world, 0) != DRIVE_STATE_ONLINE; i++) {
        world_settle(world, SIM_SECOND);
    }
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_ONLINE);
    if (meanwhile == A_RESTART) {
        world_restart(world);
    }
    world->slots[2].absent = false;
    slot_arrive(world, 2);
    if (!world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE)) {
        fail_msg("slot 2, pulled after %u steps or %u flushes, is not rebuilt", steps, flushes);
    }
    world_check(world, "data", 0, DATA, 0x22);
    world_free(world);
}

/* Between any two steps: whether or not the record had become durable. */
static void test_pulled_within_a_record(void **state)
{
    (void)state;
    for (uint32_t steps = 0; steps < 140; steps += steps < 12 ? 1 : 8) {
        pull_within_a_record(steps, 0, NOTHING);
    }
}

/* The third flush comes after that of the label: from then on the records of the others know of it
 * (group_save.c (4)), and so does the next start. Where the power goes instead, the record that
 * leads that start is the same as that of slot 2 (group_save.c (7)). */
static void test_pulled_behind_its_label(void **state)
{
    (void)state;
    for (uint32_t flushes = 3; flushes < 8; flushes++) {
        pull_within_a_record(0, flushes, A_RESTART);
        pull_within_a_record(0, flushes, A_POWER_CUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_no_redundancy),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_a_later_life),
        cmocka_unit_test(test_two_lives_at_a_start),
        cmocka_unit_test(test_a_later_life_of_a_copy),
        cmocka_unit_test(test_a_member_before_a_spare),
        cmocka_unit_test(test_pulled_within_a_record),
        cmocka_unit_test(test_pulled_behind_its_label),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
