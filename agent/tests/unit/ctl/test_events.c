/*
 * Events that no other story of the controller comes by; event_proofs.py tells for each event of
 * the catalogue where it is provoked.
 */
#include <errno.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)

#define EVENT_BGI_FAILED 51
#define EVENT_REBUILD_FAILED_SOURCE 101
#define EVENT_REBUILD_FAILED_TARGET 102
#define EVENT_DEDICATED_MADE 132
#define EVENT_DEDICATED_REMOVED 133
#define EVENT_SPARE_FAILED 60012
#define EVENT_BGI_PAUSED 60024
#define EVENT_BGI_RESUMED 60025
#define EVENT_LOCATE 60028
#define EVENT_VD_SUSPECT 60090
#define EVENT_VD_DOUBTED 60091
#define EVENT_COUNTERS_RESET 60044
#define EVENT_CLAIM_DELAYED 60080
#define EVENT_RESYNC_FAILED 60022
#define EVENT_DRIVE_SLOW 60141
#define EVENT_DRIVE_SLOW_OVER 60142

/* Slow drives: background work takes minutes. */
static struct ctl_world *slow_world(uint64_t seed, uint32_t slots)
{
    struct ctl_world *world = world_new(seed, slots);

    for (uint32_t i = 0; i < slots; i++) {
        sim_drive_destroy(world->slots[i].drive);
        world->slots[i].options.latency_min_us = 50000;
        world->slots[i].options.latency_max_us = 60000;
        world->slots[i].options.size_bytes = 128 * MIB;
        world->slots[i].drive = sim_drive_create(world->sim, &world->slots[i].options);
    }
    world_start(world);
    return world;
}

static void spares_of_a_group_come_and_go(void **state UNUSED)
{
    struct ctl_world *world = world_new(1, 4);
    object_key_t group;
    struct drive_group_view view;

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_group(world, 0, &view, group));
    assert_int_equal(world_spare(world, 2, group), REASON_OK);
    assert_int_equal(world_event_count(world, 0, EVENT_DEDICATED_MADE), 1);
    assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 2), REASON_OK);
    assert_int_equal(world_event_count(world, 0, EVENT_DEDICATED_REMOVED), 1);
    world_free(world);
}

static void initialization_pauses_and_goes_on(void **state UNUSED)
{
    struct ctl_world *world = slow_world(2, 3);
    object_key_t vd;

    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_vd(world, "data", &(struct virtual_drive_view){0}, vd));
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_task(world, CTL_OP_BGI, vd, TASK_ACTION_PAUSE), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_event_count(world, 0, EVENT_BGI_PAUSED), 1);
    assert_int_equal(world_task(world, CTL_OP_BGI, vd, TASK_ACTION_RESUME), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_event_count(world, 0, EVENT_BGI_RESUMED), 1);
    world_free(world);
}

static void small_things_are_told(void **state UNUSED)
{
    struct ctl_world *world = world_new(3, 2);
    struct ctl_command locate = {.op = CTL_OP_DRIVE_LOCATE};
    struct ctl_command reset = {.op = CTL_OP_COUNTERS_RESET};

    world_start(world);
    strcpy(locate.args.drive_locate.drive, slot_key(world, 0));
    locate.args.drive_locate.on = true;
    assert_int_equal(world_run(world, &locate), REASON_OK);
    assert_int_equal(world_event_count(world, 0, EVENT_LOCATE), 1);
    strcpy(reset.args.counters_reset.key, slot_key(world, 1));
    reset.args.counters_reset.kind = OBJECT_KIND_DRIVE;
    assert_int_equal(world_run(world, &reset), REASON_OK);
    assert_int_equal(world_event_count(world, 0, EVENT_COUNTERS_RESET), 1);
    ctl_drive_claim_waited(world->ctl, &world->slots[0], 7);
    assert_int_equal(world_event_count(world, 0, EVENT_CLAIM_DELAYED), 1);
    world_free(world);
}

/* The spare goes while it is rebuilt; so does the drive it is rebuilt from. */
static void rebuilds_lose_their_target_and_their_source(void **state UNUSED)
{
    struct ctl_world *world = slow_world(4, 4);

    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    assert_int_equal(world_fault(world, 2, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    assert_int_equal(world_event_count(world, 0, EVENT_REBUILD_FAILED_TARGET), 1);
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    assert_int_equal(world_event_count(world, 0, EVENT_REBUILD_FAILED_SOURCE), 1);
    world_free(world);
}

static void an_initialization_loses_its_drives(void **state UNUSED)
{
    struct ctl_world *world = slow_world(5, 3);

    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    assert_int_equal(world_event_count(world, 0, EVENT_BGI_FAILED), 1);
    world_free(world);
}

static void a_spare_cannot_be_used(void **state UNUSED)
{
    struct ctl_world *world = world_new(6, 3);

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 2, FAULT_KIND_WRITE_ERROR), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 10 * SIM_SECOND); /* half of that it might have come back */
    assert_int_equal(world_event_count(world, 0, EVENT_SPARE_FAILED), 1);
    world_free(world);
}

/* After an unclean stop the drives go while they are made equal again. */
static void a_resync_loses_its_drives(void **state UNUSED)
{
    struct ctl_world *world = slow_world(7, 3);

    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    world_write(world, "data", 0, 64 * MIB, 0x55);
    sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
    world_power_cycle(world);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    assert_int_equal(world_event_count(world, 0, EVENT_RESYNC_FAILED), 1);
    world_free(world);
}

/* A RAID 5 that was written to, as the power found it, on without its first drive. */
static struct ctl_world *cut_short(enum stripe_log_mode mode, bool missing_before)
{
    struct ctl_world *world = slow_world(7, 3);
    struct ctl_command set = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    assert_true(world_vd(world, "data", &view, set.args.vd_set.vd));
    set.args.vd_set.fields = VD_SET_STRIPE_LOG_MODE;
    set.args.vd_set.stripe_log_mode = mode;
    assert_int_equal(world_run(world, &set), REASON_OK);
    if (missing_before) {
        assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
        world_settle(world, 10 * SIM_SECOND);
    }
    world_write(world, "data", 0, MIB, 0x55);
    sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
    sim_drive_pull(world->slots[0].drive, false);
    world_power_cycle(world);
    world_settle(world, 10 * SIM_SECOND);
    return world;
}

/* Whoever has switched the log off is told what it costs; writing heals it. */
static void writes_without_a_log_are_cut_short(void **state UNUSED)
{
    static uint8_t buffer[65536];
    struct ctl_world *world = cut_short(STRIPE_LOG_MODE_OFF, true);

    assert_int_equal(world_event_count(world, 0, EVENT_VD_DOUBTED), 1);
    assert_int_equal(world_event_count(world, 0, EVENT_VD_SUSPECT), 0);
    assert_int_equal(world_io(world, "data", VD_OP_READ, 0, sizeof(buffer), buffer), VD_STATUS_IO);
    world_write(world, "data", 0, sizeof(buffer), 0x66);
    world_check(world, "data", 0, sizeof(buffer), 0x66);
    world_free(world);
}

static void a_drive_is_lost_with_the_power(void **state UNUSED)
{
    struct ctl_world *world = cut_short(STRIPE_LOG_MODE_AUTO, false);

    assert_int_equal(world_event_count(world, 0, EVENT_VD_SUSPECT), 1);
    assert_int_equal(world_event_count(world, 0, EVENT_VD_DOUBTED), 0);
    world_check(world, "data", 0, MIB, 0x55);
    world_free(world);
}

/* With the log nothing is in doubt. */
static void writes_with_the_log_are_cut_short(void **state UNUSED)
{
    struct ctl_world *world = cut_short(STRIPE_LOG_MODE_AUTO, true);

    assert_int_equal(world_event_count(world, 0, EVENT_VD_SUSPECT), 0);
    assert_int_equal(world_event_count(world, 0, EVENT_VD_DOUBTED), 0);
    world_check(world, "data", 0, MIB, 0x55);
    world_free(world);
}

/* Reads of both drives, so that they can be compared, for half a minute and more. */
static void drives_read(struct ctl_world *world)
{
    static uint8_t buffer[4096];

    for (uint32_t interval = 0; interval < 6; interval++) {
        for (uint32_t i = 0; i < 200; i++) {
            assert_int_equal(world_io(world, "data", VD_OP_READ, i * 65536u, 4096, buffer),
                             VD_STATUS_OK);
        }
        world_settle(world, 10 * SIM_SECOND);
    }
}

static void a_drive_is_slow_for_a_while(void **state UNUSED)
{
    struct ctl_world *world = world_new(8, 2);
    struct ctl_command slow = {.op = CTL_OP_FAULT_INJECT};

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 2, "data"), REASON_OK);
    strcpy(slow.args.fault_inject.drive, slot_key(world, 1));
    slow.args.fault_inject.fault = FAULT_KIND_SLOW;
    slow.args.fault_inject.latency_ms = 30;
    assert_int_equal(world_run(world, &slow), REASON_OK);
    drives_read(world);
    assert_int_equal(world_event_count(world, 0, EVENT_DRIVE_SLOW), 1);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_CLEAR), REASON_OK);
    drives_read(world);
    assert_int_equal(world_event_count(world, 0, EVENT_DRIVE_SLOW_OVER), 1);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spares_of_a_group_come_and_go),
        cmocka_unit_test(initialization_pauses_and_goes_on),
        cmocka_unit_test(small_things_are_told),
        cmocka_unit_test(rebuilds_lose_their_target_and_their_source),
        cmocka_unit_test(an_initialization_loses_its_drives),
        cmocka_unit_test(a_spare_cannot_be_used),
        cmocka_unit_test(a_resync_loses_its_drives),
        cmocka_unit_test(writes_without_a_log_are_cut_short),
        cmocka_unit_test(a_drive_is_lost_with_the_power),
        cmocka_unit_test(writes_with_the_log_are_cut_short),
        cmocka_unit_test(a_drive_is_slow_for_a_while),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
