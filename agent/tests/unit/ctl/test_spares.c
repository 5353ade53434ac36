/*
 * Hot spares: who stands in, why, and why not the others.
 */
#include <errno.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)

/* A RAID 1 on the slots 0 and 1; the rest is the test's. */
static struct ctl_world *world_mirror(uint64_t seed, uint32_t slots)
{
    struct ctl_world *world = world_new(seed, slots);

    for (uint32_t i = 0; i < slots; i++) {
        world->slots[i].media = DRIVE_MEDIA_HDD;
        world->slots[i].interface = DRIVE_INTERFACE_SAS;
    }
    return world;
}

static void world_go(struct ctl_world *world)
{
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 64 * 1024, 0x11);
}

static void slot_resize(struct ctl_world *world, uint32_t index, uint64_t bytes)
{
    struct slot *slot = &world->slots[index];

    sim_drive_destroy(slot->drive);
    slot->options.size_bytes = bytes;
    slot->drive = sim_drive_create(world->sim, &slot->options);
}

static void policy(struct ctl_world *world, uint32_t field, bool on)
{
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};

    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = field;
    command.args.controller_set.emergency_spare = on;
    command.args.controller_set.emergency_unconfigured = on;
    command.args.controller_set.mixed_media = on;
    command.args.controller_set.mixed_interfaces = on;
    assert_int_equal(world_run(world, &command), REASON_OK);
}

static enum reason_code spare_add(struct ctl_world *world, uint32_t slot, bool dedicated,
                                  bool affinity)
{
    struct ctl_command command = {.op = CTL_OP_SPARE_ADD};
    struct drive_group_view group;

    strcpy(command.args.spare_add.drive, slot_key(world, slot));
    if (dedicated) {
        assert_true(world_group(world, 0, &group, command.args.spare_add.groups[0]));
        command.args.spare_add.group_count = 1;
    }
    command.args.spare_add.affinity = affinity;
    return world_run(world, &command);
}

/* Why the drive of this slot is chosen or not, if it was asked at all. */
static enum reason_code choice_of(struct ctl_world *world, uint32_t slot, bool *ret_chosen)
{
    struct drive_group_view group;

    assert_true(world_group(world, 0, &group, NULL));
    *ret_chosen = false;
    for (uint32_t i = 0; i < group.choice_count; i++) {
        if (strcmp(group.choices[i].drive, slot_key(world, slot)) == 0) {
            *ret_chosen = group.choices[i].chosen;
            return group.choices[i].reason.code;
        }
    }
    return REASON_UNKNOWN_OBJECT;
}

static void expect_choice(struct ctl_world *world, uint32_t slot, enum reason_code code,
                          bool chosen)
{
    bool is_chosen = false;

    assert_int_equal(choice_of(world, slot, &is_chosen), code);
    assert_int_equal(is_chosen, chosen);
}

static void pull_and_wait(struct ctl_world *world, uint32_t pulled, uint32_t expected)
{
    uint32_t mark = world->log_count;

    assert_int_equal(world_fault(world, pulled, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, expected), DRIVE_STATE_ONLINE);
    assert_int_equal(world_event_count(world, mark, 60160), 1);
    world_check(world, "data", 0, 64 * 1024, 0x11);
}

static void test_order(void **state)
{
    struct ctl_world *world = world_mirror(1, 8);

    (void)state;
    slot_resize(world, 2, 80 * MIB);
    slot_resize(world, 5, 80 * MIB);
    world_go(world);
    assert_int_equal(spare_add(world, 2, false, false), REASON_OK);
    assert_int_equal(spare_add(world, 3, false, false), REASON_OK);
    assert_int_equal(spare_add(world, 4, false, false), REASON_OK);
    expect_choice(world, 2, REASON_SPARE_AFTER_SMALLER, false);
    expect_choice(world, 3, REASON_SPARE_CHOSEN_GLOBAL, true);
    expect_choice(world, 4, REASON_SPARE_AFTER_EQUAL, false);
    assert_int_equal(spare_add(world, 5, true, false), REASON_OK); /* large, but dedicated */
    expect_choice(world, 3, REASON_SPARE_AFTER_DEDICATED, false);
    expect_choice(world, 5, REASON_SPARE_CHOSEN_DEDICATED, true);
    expect_choice(world, 6, REASON_UNKNOWN_OBJECT, false); /* unconfigured: not asked */
    pull_and_wait(world, 1, 5);
    pull_and_wait(world, 5, 3);
    world_restart(world);
    pull_and_wait(world, 0, 4);
    world_free(world);
}

static void test_affinity(void **state)
{
    struct ctl_world *world = world_mirror(2, 6);
    struct drive_view drive;

    (void)state;
    world->slots[2].eid = 253;
    world->slots[3].eid = 253;
    slot_resize(world, 4, 80 * MIB);
    world_go(world);
    assert_int_equal(spare_add(world, 2, false, true), REASON_SPARE_MADE_UNUSABLE);
    expect_choice(world, 2, REASON_SPARE_OTHER_ENCLOSURE, false);
    assert_int_equal(spare_add(world, 3, false, false), REASON_OK);
    expect_choice(world, 3, REASON_SPARE_CHOSEN_GLOBAL, true);
    assert_int_equal(spare_add(world, 4, false, true), REASON_OK); /* larger, but near */
    expect_choice(world, 3, REASON_SPARE_AFTER_NEAR, false);
    expect_choice(world, 4, REASON_SPARE_CHOSEN_GLOBAL, true);
    world_restart(world);
    assert_true(world_drive(world, 2, &drive));
    assert_true(drive.spare && drive.spare_affinity);
    assert_true(world_drive(world, 3, &drive));
    assert_true(drive.spare && !drive.spare_affinity);
    pull_and_wait(world, 0, 4);
    pull_and_wait(world, 1, 3);
    /* The one that is left is for its own enclosure; the member now lost was there. */
    pull_and_wait(world, 3, 2);
    world_free(world);
}

static void test_kinds(void **state)
{
    struct ctl_world *world = world_mirror(3, 6);

    (void)state;
    world->slots[2].media = DRIVE_MEDIA_SSD;
    world->slots[3].interface = DRIVE_INTERFACE_SATA;
    world_go(world);
    assert_int_equal(spare_add(world, 2, true, false), REASON_MIXED_MEDIA);
    assert_int_equal(spare_add(world, 2, false, false), REASON_SPARE_MADE_UNUSABLE);
    expect_choice(world, 2, REASON_MIXED_MEDIA, false);
    assert_int_equal(spare_add(world, 3, false, false), REASON_OK);
    expect_choice(world, 3, REASON_SPARE_CHOSEN_GLOBAL, true);
    policy(world, CONTROLLER_SET_MIXED_INTERFACES, false);
    expect_choice(world, 3, REASON_MIXED_INTERFACES, false);
    policy(world, CONTROLLER_SET_EMERGENCY_SPARE, true);
    expect_choice(world, 2, REASON_SPARE_CHOSEN_EMERGENCY_SPARE, true);
    expect_choice(world, 3, REASON_SPARE_AFTER_EQUAL, false);
    policy(world, CONTROLLER_SET_MIXED_INTERFACES, true);
    expect_choice(world, 3, REASON_SPARE_CHOSEN_GLOBAL, true);
    expect_choice(world, 2, REASON_SPARE_AFTER_REGULAR, false);
    policy(world, CONTROLLER_SET_MIXED_INTERFACES, false);
    world_restart(world); /* policies stay */
    expect_choice(world, 3, REASON_SPARE_AFTER_EQUAL, false);
    policy(world, CONTROLLER_SET_EMERGENCY_SPARE, false);
    policy(world, CONTROLLER_SET_MIXED_MEDIA, true);
    expect_choice(world, 2, REASON_SPARE_CHOSEN_GLOBAL, true);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 4, 1, "other"), REASON_OK);
    pull_and_wait(world, 1, 2);
    world_free(world);
}

/* Nobody made them spares; one is only offered by the host, and is claimed then. */
static void test_emergency_unconfigured(void **state)
{
    struct ctl_world *world = world_mirror(4, 7);

    (void)state;
    slot_resize(world, 2, 68 * MIB);
    world->slots[3].real = true;
    world->slots[3].offered = true;
    strcpy(world->slots[3].signature, "ext4");
    world->slots[4].real = true;
    world->slots[4].offered = true;
    world->slots[5].media = DRIVE_MEDIA_SSD;
    world_go(world);
    assert_int_equal(spare_add(world, 6, false, false), REASON_OK);
    expect_choice(world, 4, REASON_UNKNOWN_OBJECT, false);
    policy(world, CONTROLLER_SET_EMERGENCY_UNCONFIGURED, true);
    expect_choice(world, 2, REASON_DRIVE_TOO_SMALL_FOR_GROUP, false);
    expect_choice(world, 3, REASON_DRIVE_HAS_DATA, false);
    expect_choice(world, 4, REASON_SPARE_AFTER_REGULAR, false);
    expect_choice(world, 5, REASON_MIXED_MEDIA, false);
    expect_choice(world, 6, REASON_SPARE_CHOSEN_GLOBAL, true);
    pull_and_wait(world, 0, 6);
    expect_choice(world, 4, REASON_SPARE_CHOSEN_EMERGENCY_UNCONFIGURED, true);
    pull_and_wait(world, 6, 4);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 64 * 1024, 0x11);
    /* None is left that may be taken: the group stays degraded, the bytes of the others too. */
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_drive_state(world, 5), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_check(world, "data", 0, 64 * 1024, 0x11);
    world_free(world);
}

/* An emergency drive that cannot be claimed is told once and not tried for ever. */
static void test_emergency_unclaimable(void **state)
{
    struct ctl_world *world = world_mirror(5, 3);

    (void)state;
    world->slots[2].real = true;
    world->slots[2].offered = true;
    world->slots[2].claim_error = -EBUSY;
    world_go(world);
    policy(world, CONTROLLER_SET_EMERGENCY_UNCONFIGURED, true);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    assert_int_equal(world_event_count(world, 0, 60012), 1);
    expect_choice(world, 2, REASON_SPARE_FAILED_BEFORE, false);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_check(world, "data", 0, 64 * 1024, 0x11);
    world_free(world);
}

/* The spare dies during its rebuild: the next one takes over. */
static void test_spare_dies(void **state)
{
    struct ctl_world *world = world_mirror(6, 5);

    (void)state;
    world_go(world);
    assert_int_equal(spare_add(world, 2, false, false), REASON_OK);
    assert_int_equal(spare_add(world, 3, false, false), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    for (uint32_t i = 0; world_drive_state(world, 2) != DRIVE_STATE_REBUILD; i++) {
        assert_true(i < 10000);
        world_settle(world, SIM_SECOND / 1000);
    }
    assert_int_equal(world_fault(world, 2, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 64 * 1024, 0x11);
    world_free(world);
}

static void test_too_small_says_figures(void **state)
{
    struct ctl_world *world = world_mirror(7, 3);

    (void)state;
    slot_resize(world, 2, 68 * MIB);
    world_go(world);
    assert_int_equal(spare_add(world, 2, true, false), REASON_SPARE_TOO_SMALL);
    assert_non_null(strstr(world->text, " MB too small to replace any member of /c0/d0: it has "));
    assert_non_null(strstr(world->text, " are needed"));
    world_free(world);
}

/* Cable glitches */

static enum reason_code glitch_seconds(struct ctl_world *world, uint32_t seconds)
{
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};

    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_GLITCH_SECONDS;
    command.args.controller_set.glitch_seconds = seconds;
    return world_run(world, &command);
}

static struct ctl_world *world_glitch(uint64_t seed)
{
    struct ctl_world *world = world_mirror(seed, 3);

    world_go(world);
    assert_int_equal(spare_add(world, 2, false, false), REASON_OK);
    return world;
}

/* Back in time: in its own place, with all that was written meanwhile. */
static void test_glitch(void **state)
{
    struct ctl_world *world = world_glitch(400);

    (void)state;
    assert_int_equal(glitch_seconds(world, 301), REASON_INVALID_ARGUMENT);
    assert_int_equal(glitch_seconds(world, 10), REASON_OK);
    world_restart(world);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    world_write(world, "data", 0, 64 * 1024, 0x22);
    world_settle(world, 9 * SIM_SECOND);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_HOT_SPARE);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_HOT_SPARE);
    /* It alone has what it had missed. */
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    world_check(world, "data", 0, 64 * 1024, 0x22);
    world_free(world);
}

/* The time is over, or there is none: as ever. Whoever failed is not waited for. */
static void test_glitch_over(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_glitch(410 + i);

        assert_int_equal(glitch_seconds(world, i == 1 ? 0 : 10), REASON_OK);
        assert_int_equal(i == 2 ? world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1)
                                : world_fault(world, 1, FAULT_KIND_PULL),
                         REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
        world_settle(world, SIM_SECOND);
        assert_true((world_drive_state(world, 2) == DRIVE_STATE_HOT_SPARE) == (i == 0));
        world_settle(world, 10 * SIM_SECOND);
        assert_int_not_equal(world_drive_state(world, 2), DRIVE_STATE_HOT_SPARE);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        world_free(world);
    }
}

/* Its transfers fail, and then it goes: at once, or when a spare has its place already. */
static void test_fails_and_goes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_glitch(450 + i);
        bool early = i != 1;
        struct drive_view drive;

        assert_int_equal(glitch_seconds(world, i == 2 ? 0 : 30), REASON_OK);
        world->slots[1].drive->write_fails = true;
        world_write(world, "data", 0, 64 * 1024, 0x22);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
        world_settle(world, early ? SIM_SECOND : 6 * SIM_SECOND);
        assert_true((world_drive_state(world, 2) == DRIVE_STATE_HOT_SPARE) == (early && i != 2));
        assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
        world->slots[1].drive->write_fails = false;
        world_settle(world, 20 * SIM_SECOND);
        if (early && i != 2) {
            assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_HOT_SPARE);
            assert_true(world_drive(world, 1, &drive));
            assert_int_equal(drive.state_reason.code, REASON_DRIVE_LOST_PULLED);
            assert_int_equal(world_event_count(world, 0, 60243), 1);
        }
        assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_true((world_drive_state(world, 1) == DRIVE_STATE_ONLINE) == (early && i != 2));
        world_check(world, "data", 0, 64 * 1024, 0x22);
        world_free(world);
    }
}

/* Six times within an hour, or within more than that; once more it is the user who decides. */
static void test_flapping(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct ctl_world *world = world_glitch(420 + i);

        for (uint32_t k = 0; k < 5; k++) {
            assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
            assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
            assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
            assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
            world_settle(world, i * 16 * MINUTE);
        }
        assert_int_equal(world_event_count(world, 0, 60231), 0);
        assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_HOT_SPARE);
        assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
        world_settle(world, SIM_SECOND);
        assert_int_equal(world_event_count(world, 0, 60231), i == 0 ? 1 : 0);
        assert_true((world_drive_state(world, 2) == DRIVE_STATE_HOT_SPARE) == (i == 1));
        assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
        world_settle(world, MINUTE);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_int_equal(world_drive_state(world, 1),
                         i == 0 ? DRIVE_STATE_UNCONFIGURED_BAD : DRIVE_STATE_ONLINE);
        world_check(world, "data", 0, 64 * 1024, 0x11);
        world_free(world);
    }
}

/* Without a spare it stays failed, over a restart too, until it is rebuilt on purpose. */
static void test_flapping_alone(void **state)
{
    struct ctl_world *world = world_mirror(430, 2);
    struct drive_view drive;

    (void)state;
    world_go(world);
    for (uint32_t k = 0; k < 6; k++) {
        assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
        world_settle(world, SIM_SECOND);
        assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
        if (k < 5) {
            assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        world_settle(world, MINUTE);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
        assert_true(world_drive(world, 1, &drive));
        assert_int_equal(drive.state_reason.code, REASON_DRIVE_LOST_FLAPPING);
        world_restart(world);
    }
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_START),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_free(world);
}

/* Without a time to wait it is the drive that decides, as often as it likes. */
static void test_flapping_off(void **state)
{
    struct ctl_world *world = world_mirror(440, 2);

    (void)state;
    world_go(world);
    assert_int_equal(glitch_seconds(world, 0), REASON_OK);
    for (uint32_t k = 0; k < 7; k++) {
        assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
        world_settle(world, SIM_SECOND);
        assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    }
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glitch),
        cmocka_unit_test(test_glitch_over),
        cmocka_unit_test(test_fails_and_goes),
        cmocka_unit_test(test_flapping),
        cmocka_unit_test(test_flapping_alone),
        cmocka_unit_test(test_flapping_off),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_affinity),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_emergency_unconfigured),
        cmocka_unit_test(test_emergency_unclaimable),
        cmocka_unit_test(test_spare_dies),
        cmocka_unit_test(test_too_small_says_figures),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
