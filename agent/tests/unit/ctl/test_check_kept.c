/*
 * Consistency checks and the end of the agent: they go on at their place, with what they had found,
 * and what has ended stays told.
 */
#include <errno.h>
#include <string.h>

#include "ctl/check_record.h"
#include "ctl_world.h"
#include "drive/drive_layout.h"

#define HOUR (3600 * SIM_SECOND)
#define BLOCK 4096u
#define SIZE (UINT64_C(1) << 28)
#define LARGE (UINT64_C(1) << 30) /* a check of it takes several checkpoints */
#define LATE (SIZE / 2 + 2 * BLOCK) /* on a member */
#define CHECK_STARTED 66u
#define CHECK_RESUMED 60271u
#define CHECK_ABORTED 56u
#define CHECK_COMPLETED_FOUND 59u
#define CHECK_INCONSISTENT 63u

static struct check_record record, again;
static uint8_t bytes[CHECK_RECORD_MAX_BYTES];

static struct ctl_world *world_sized(enum raid_level level, uint32_t count, uint64_t drive_bytes)
{
    struct ctl_world *world = world_new_sized(7, 6, drive_bytes);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, count, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", HOUR));
    return world;
}

static struct ctl_world *world_of(enum raid_level level, uint32_t count)
{
    return world_sized(level, count, SIZE);
}

static enum reason_code act(struct ctl_world *world, enum task_action action)
{
    struct ctl_command command = {.op = CTL_OP_CONSISTENCY_CHECK};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, command.args.check.vd));
    command.args.check.action = action;
    return world_run(world, &command);
}

static struct check_view result(struct ctl_world *world)
{
    struct virtual_drive_view view;
    object_key_t key;

    assert_true(world_vd(world, "data", &view, key));
    return view.check;
}

static struct check_view check_end(struct ctl_world *world)
{
    for (uint32_t i = 0; i < 3600; i++) {
        struct check_view view = result(world);

        assert_true(view.any);
        if (view.ended_us != 0) {
            return view;
        }
        world_settle(world, SIM_SECOND);
    }
    fail_msg("the consistency check does not end");
    return result(world);
}

static struct operation_view check_operation(struct ctl_world *world)
{
    struct operation_view op;

    assert_true(world_operation(world, OPERATION_KIND_CONSISTENCY_CHECK, &op, NULL));
    return op;
}

/* Until it has done a part of its work. */
static uint64_t run_to(struct ctl_world *world, uint32_t percent)
{
    for (uint32_t i = 0; i < 1000000; i++) {
        struct operation_view op = check_operation(world);

        if (op.done_bytes >= op.total_bytes / 100 * percent) {
            assert_true(op.done_bytes < op.total_bytes);
            return op.done_bytes;
        }
        assert_true(sim_world_step(world->sim));
    }
    fail_msg("the consistency check does not get on");
    return 0;
}

static void flip(struct ctl_world *world, uint32_t slot, uint64_t at)
{
    uint8_t byte = 0;

    sim_drive_peek(world->slots[slot].drive, at, &byte, 1);
    byte ^= 1;
    sim_drive_poke(world->slots[slot].drive, at, &byte, 1);
}

/* One check, however often the agent has ended: every row once, what was found included. */
static void assert_one_check(struct ctl_world *world, struct check_view view)
{
    struct virtual_drive_view vd;
    object_key_t key;

    assert_true(world_vd(world, "data", &vd, key));
    assert_int_equal(view.state, OPERATION_STATE_COMPLETED);
    assert_true(view.compared_bytes >= vd.config->size_bytes);
    assert_true(view.compared_bytes < vd.config->size_bytes + (1 << 20));
    assert_int_equal(view.left_out_bytes, 0);
    assert_int_equal(view.inconsistent, 1);
    assert_int_equal(view.place_count, 1);
    assert_int_equal(view.places[0].lo, 2 * BLOCK);
    assert_int_equal(world_event_count(world, 0, CHECK_STARTED), 1);
    assert_int_equal(world_event_count(world, 0, CHECK_INCONSISTENT), 1);
    assert_int_equal(world_event_count(world, 0, CHECK_COMPLETED_FOUND), 1);
    assert_int_equal(world_event_count(world, 0, CHECK_ABORTED), 0);
}

static void test_goes_on_after_a_restart(void **state UNUSED)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    uint64_t done = 0;

    flip(world, 1, 2 * BLOCK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    for (uint32_t percent = 20; percent <= 60; percent += 20) {
        done = run_to(world, percent);
        world_restart(world);
        assert_true(result(world).inconsistent == 1);
        assert_true(check_operation(world).done_bytes >= done);
    }
    assert_one_check(world, check_end(world));
    assert_int_equal(world_event_count(world, 0, CHECK_RESUMED), 3);
    world_free(world);
}

/* At most what a rebuild would lose: the work since the last checkpoint. */
static void test_goes_on_after_a_power_cut(void **state UNUSED)
{
    struct ctl_world *world = world_sized(RAID_LEVEL_5, 3, LARGE);
    uint64_t done = 0;

    flip(world, 1, 2 * BLOCK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    done = run_to(world, 75);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_cycle(world);
    assert_true(result(world).inconsistent == 1);
    assert_true(check_operation(world).done_bytes > done / 4);
    assert_one_check(world, check_end(world));
    assert_int_equal(world_event_count(world, 0, CHECK_RESUMED), 1);
    world_free(world);
}

/* Nothing is done yet, but it has been asked for. */
static void test_just_begun(void **state UNUSED)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);

    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_settle(world, SIM_SECOND / 10);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_cycle(world);
    assert_int_equal(check_end(world).state, OPERATION_STATE_COMPLETED);
    world_free(world);
}

static void test_paused(void **state UNUSED)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    uint64_t done = 0;

    flip(world, 1, 2 * BLOCK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    (void)run_to(world, 50);
    assert_int_equal(act(world, TASK_ACTION_PAUSE), REASON_OK);
    world_settle(world, SIM_SECOND);
    done = check_operation(world).done_bytes;
    for (uint32_t i = 0; i < 2; i++) {
        world_restart(world);
        world_settle(world, 60 * SIM_SECOND);
        assert_int_equal(check_operation(world).state, OPERATION_STATE_PAUSED);
        assert_int_equal(check_operation(world).done_bytes, done);
        assert_int_equal(result(world).state, OPERATION_STATE_PAUSED);
    }
    assert_int_equal(act(world, TASK_ACTION_RESUME), REASON_OK);
    assert_one_check(world, check_end(world));
    world_free(world);
}

/* The maps are gone, so that everything is resynchronized: what was compared is not there any more.
 */
static void test_begins_anew(void **state UNUSED)
{
    static const uint8_t nothing[MIB];
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);

    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    (void)run_to(world, 75);
    world_write(world, "data", 0, 1 << 20, 0x42);
    sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
    for (uint32_t slot = 0; slot < 3; slot++) {
        for (uint64_t at = MIB; at < 17 * MIB; at += MIB) {
            sim_drive_poke(world->slots[slot].drive, drive_layout_usable_bytes(SIZE) + at, nothing,
                           MIB);
        }
    }
    world_power_cycle(world);
    assert_int_equal(check_operation(world).state, OPERATION_STATE_WAITING);
    assert_int_equal(check_operation(world).done_bytes, 0);
    assert_int_equal(check_end(world).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(world_event_count(world, 0, CHECK_STARTED), 2);
    assert_int_equal(world_event_count(world, 0, CHECK_RESUMED), 0);
    world_free(world);
}

/* Its user has ended it: it is over, and so it stays. */
static void test_stopped(void **state UNUSED)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct operation_view op;

    flip(world, 1, 2 * BLOCK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    (void)run_to(world, 50);
    assert_int_equal(act(world, TASK_ACTION_STOP), REASON_OK);
    assert_int_equal(check_end(world).state, OPERATION_STATE_STOPPED);
    world_restart(world);
    world_settle(world, 60 * SIM_SECOND);
    assert_false(world_operation(world, OPERATION_KIND_CONSISTENCY_CHECK, &op, NULL));
    assert_int_equal(result(world).state, OPERATION_STATE_STOPPED);
    assert_int_equal(result(world).inconsistent, 1);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_true(check_operation(world).done_bytes == 0);
    world_free(world);
}

static void assert_known(struct ctl_world *world, uint64_t inconsistent, uint64_t earlier)
{
    struct check_view view = result(world);
    const struct finding *finding = world_finding(world, FINDING_REDUNDANCY_INCONSISTENT, NULL);

    assert_int_equal(view.inconsistent, inconsistent);
    assert_int_equal(view.earlier.count, earlier);
    assert_int_equal(view.earlier.unlisted, 0);
    assert_true((finding != NULL) == (inconsistent + earlier > 0));
    if (earlier > 0) {
        assert_int_equal(view.earlier.places[0].lo, 2 * BLOCK);
    }
}

/* What a check found is known until a later one has compared it again. */
static void test_found_earlier(void **state UNUSED)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);

    flip(world, 1, LATE);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    (void)check_end(world);
    assert_known(world, 1, 0);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_known(world, 0, 1);
    assert_int_equal(act(world, TASK_ACTION_STOP), REASON_OK);
    assert_known(world, 0, 1);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_cycle(world);
    assert_known(world, 0, 1);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_restart(world);
    assert_non_null(world_finding(world, FINDING_REDUNDANCY_INCONSISTENT, NULL));
    (void)check_end(world);
    assert_known(world, 1, 0);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    flip(world, 1, LATE); /* it agrees again */
    (void)run_to(world, 75);
    assert_known(world, 0, 0);
    (void)check_end(world);
    assert_known(world, 0, 0);
    world_free(world);
}

/* Whatever is acknowledged is kept. */
static void test_acknowledged(void **state UNUSED)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);
    struct operation_view op;

    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    (void)run_to(world, 50);
    assert_int_equal(act(world, TASK_ACTION_PAUSE), REASON_OK);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_cycle(world);
    world_settle(world, SIM_SECOND);
    assert_int_equal(check_operation(world).state, OPERATION_STATE_PAUSED);
    assert_int_equal(act(world, TASK_ACTION_RESUME), REASON_OK);
    assert_int_equal(act(world, TASK_ACTION_STOP), REASON_OK);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_cycle(world);
    world_settle(world, SIM_SECOND);
    assert_false(world_operation(world, OPERATION_KIND_CONSISTENCY_CHECK, &op, NULL));
    assert_int_equal(result(world).state, OPERATION_STATE_STOPPED);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    world_free(world);
}

static void test_result_stays(void **state UNUSED)
{
    struct ctl_world *world = world_of(RAID_LEVEL_5, 3);

    flip(world, 1, 2 * BLOCK);
    assert_int_equal(act(world, TASK_ACTION_START), REASON_OK);
    assert_one_check(world, check_end(world));
    world_restart(world);
    assert_one_check(world, check_end(world));
    assert_non_null(world_finding(world, FINDING_REDUNDANCY_INCONSISTENT, NULL));
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    world_restart(world);
    assert_false(result(world).any);
    world_free(world);
}

/* The record */

static void fill(uint32_t count)
{
    memset(&record, 0, sizeof(record));
    for (uint32_t i = 0; i < count; i++) {
        struct check_entry entry = {.goes_on = i % 2 == 0,
                                    .paused = i % 4 == 0,
                                    .row = i * UINT64_C(7),
                                    .check = {.any = true,
                                              .told = i,
                                              .rebuilt = i % 3 == 0,
                                              .kept_count = i,
                                              .view = {.correct = i % 5 == 0,
                                                       .state = OPERATION_STATE_STOPPED,
                                                       .began_us = 1 + i,
                                                       .compared_bytes = i * UINT64_C(4096),
                                                       .inconsistent = 3,
                                                       .place_count = i % (CHECK_PLACES_MAX + 1)}}};

        memcpy(entry.vd.bytes, &i, sizeof(i));
        entry.vd.bytes[23] = 1;
        for (uint32_t p = 0; p < entry.check.view.place_count; p++) {
            entry.check.view.places[p] =
                (struct vd_mismatch){.row = p,
                                     .lo = 512 * p,
                                     .hi = 512 * p + 512,
                                     .member = p % 2 == 0 ? VD_MEMBER_UNKNOWN : p,
                                     .corrected = p % 2 != 0,
                                     .piece_count = p};
        }
        entry.check.view.earlier.unlisted = i;
        entry.check.view.earlier.count = i % 3;
        for (uint32_t p = 0; p < entry.check.view.earlier.count; p++) {
            entry.check.view.earlier.places[p] = (struct vd_mismatch){
                .row = 3 * p, .lo = 4096 * p, .hi = 4096 * p + 512, .member = VD_MEMBER_UNKNOWN};
        }
        check_record_put(&record, &entry);
    }
}

static void test_record(void **state UNUSED)
{
    for (uint32_t count = 0; count <= CHECK_RECORD_ENTRIES_MAX;
         count += CHECK_RECORD_ENTRIES_MAX / 2) {
        size_t size = 0;

        fill(count);
        size = check_record_encode(&record, bytes);
        memset(&again, 0, sizeof(again));
        assert_int_equal(check_record_decode(bytes, size, &again), 0);
        assert_int_equal(again.count, count);
        for (uint32_t i = 0; i < count; i++) {
            assert_memory_equal(&again.entries[i], &record.entries[i], sizeof(record.entries[i]));
        }
    }
    fill(CHECK_RECORD_ENTRIES_MAX + 1); /* the oldest has gone */
    assert_int_equal(record.count, CHECK_RECORD_ENTRIES_MAX);
    assert_int_equal(record.entries[0].row, 7);
}

/* Every bit counts, and every length but the right one is refused. */
static void test_damage(void **state UNUSED)
{
    size_t size = 0;

    fill(3);
    size = check_record_encode(&record, bytes);
    for (size_t i = 0; i < size * 8; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_equal(check_record_decode(bytes, size, &again), -EBADMSG);
        assert_int_equal(again.count, 0);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(check_record_decode(bytes, i, &again), -EBADMSG);
    }
    assert_int_equal(check_record_decode(bytes, size, &again), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on_after_a_restart),
        cmocka_unit_test(test_goes_on_after_a_power_cut),
        cmocka_unit_test(test_just_begun),
        cmocka_unit_test(test_paused),
        cmocka_unit_test(test_begins_anew),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_found_earlier),
        cmocka_unit_test(test_acknowledged),
        cmocka_unit_test(test_result_stays),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
