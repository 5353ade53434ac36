/*
 * What findings advise about the bays of lost members. Drives that sit in one and are not rebuilt
 * onto (ctl/place_drive.c): why, and the command that rebuilds onto them. A drive that has failed:
 * how to find it.
 */
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)

static struct finding_list findings;

static void picture_take(void *context UNUSED, const struct object_head *head, const void *view)
{
    if (head->kind == OBJECT_KIND_CONTROLLER) {
        findings = *((const struct controller_view *)view)->findings;
    }
}

static void expect(struct ctl_world *world, enum finding_code code, enum reason_code cause,
                   enum reason_code remedy, const char *command)
{
    const struct finding *found = NULL;
    struct ctl_visitor visitor = {.object = picture_take};
    char text[REASON_TEXT_MAX];

    ctl_objects_since(world->ctl, 0, &visitor);
    for (uint32_t i = 0; i < findings.count; i++) {
        found = findings.items[i].code == code ? &findings.items[i] : found;
    }
    assert_non_null(found);
    assert_int_equal(found->cause.code, cause);
    assert_int_equal(found->remedy.code, remedy);
    (void)reason_text(&found->remedy, text, sizeof(text));
    assert_non_null(strstr(text, command));
    assert_null(strstr(text, "{"));
}

/* Both findings of the drive group give the same advice. */
static void expect_told(struct ctl_world *world, enum reason_code cause, enum reason_code remedy,
                        const char *command)
{
    expect(world, FINDING_VIRTUAL_DRIVE_DEGRADED, cause, remedy, command);
    expect(world, FINDING_PLACE_EMPTY, cause, remedy, command);
}

/* RAID 10 "data" on slots 0 to 3, stopped. Another drive is in slot 3 then, the second one of the
 * second mirror. */
static struct ctl_world *world_of(uint64_t seed, uint64_t bytes)
{
    struct ctl_world *world = world_new(seed, 5);
    struct slot *slot = &world->slots[3];

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_10, 0, 4, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_stop(world);
    world->retired[world->retired_count++] = slot->drive;
    slot->options.size_bytes = bytes != 0 ? bytes : slot->options.size_bytes;
    slot->drive = sim_drive_create(world->sim, &slot->options);
    (void)snprintf(slot->serial, sizeof(slot->serial), "ANOTHER");
    return world;
}

static void go(struct ctl_world *world)
{
    world_start(world);
    world_settle(world, MINUTE);
}

static enum reason_code insert(struct ctl_world *world, bool force)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_REPLACE};
    struct drive_group_view group;
    object_key_t key;

    assert_true(world_group(world, 0, &group, key));
    (void)snprintf(command.args.drive_replace.drive, 65, "%s", slot_key(world, 3));
    (void)snprintf(command.args.drive_replace.group, 65, "%s", key);
    command.args.drive_replace.span = 1;
    command.args.drive_replace.row = 1;
    command.args.drive_replace.force = force;
    (void)snprintf(command.args.drive_replace.serial, sizeof(command.args.drive_replace.serial),
                   "%s", world->slots[3].serial);
    return world_run(world, &command);
}

static void expect_rebuilt(struct ctl_world *world)
{
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
    world_free(world);
}

static void test_content(void **state UNUSED)
{
    struct ctl_world *world = world_of(1, 0);

    world->slots[3].real = true;
    world->slots[3].offered = true;
    strcpy(world->slots[3].signature, "ext4");
    go(world);
    expect_told(world, REASON_PLACE_HAS_DATA, REASON_REMEDY_PLACE_HAS_DATA,
                "\"/c0/e252/s3 insert dg=0 array=1 row=1 force\"");
    assert_int_equal(world->slots[3].drive->counters.writes, 0);
    assert_int_equal(insert(world, false), REASON_DRIVE_HAS_DATA);
    assert_int_equal(insert(world, true), REASON_OK);
    expect_rebuilt(world);
}

/* Freed by a user, it is not taken automatically. */
static void test_foreign(void **state UNUSED)
{
    const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};
    struct ctl_world *world = world_of(2, 0);
    struct ctl_world *other = world_new(3, 2);
    struct ctl_command good = {.op = CTL_OP_DRIVE_GOOD};

    world_start(other);
    assert_int_equal(world_create(other, RAID_LEVEL_1, 0, 2, "other"), REASON_OK);
    world_stop(other);
    sim_drive_destroy(world->slots[3].drive);
    world->slots[3].drive = sim_drive_fork(other->slots[0].drive, world->sim, &as_it_is);
    go(world);
    expect_told(world, REASON_PLACE_FOREIGN, REASON_REMEDY_PLACE_FOREIGN,
                "\"/c0/e252/s3 set good force\", then rebuild onto it with "
                "\"/c0/e252/s3 insert dg=0 array=1 row=1\"");
    assert_int_equal(insert(world, true), REASON_DRIVE_FOREIGN);
    assert_non_null(strstr(world->text, "\"/c0/e252/s3 set good force\""));
    (void)snprintf(good.args.drive_good.drive, 65, "%s", slot_key(world, 3));
    (void)snprintf(good.args.drive_good.serial, sizeof(good.args.drive_good.serial), "ANOTHER");
    good.args.drive_good.force = true;
    assert_int_equal(world_run(world, &good), REASON_OK);
    world_settle(world, MINUTE);
    expect_told(world, REASON_OK, REASON_REMEDY_PLACE_FREE,
                "\"/c0/e252/s3 insert dg=0 array=1 row=1\"");
    assert_int_equal(insert(world, false), REASON_OK);
    expect_rebuilt(world);
    world_free(other);
}

static void test_too_small(void **state UNUSED)
{
    struct ctl_world *world = world_of(4, 66 * MIB);

    go(world);
    expect(world, FINDING_PLACE_EMPTY, REASON_DRIVE_TOO_SMALL_FOR_GROUP, REASON_REMEDY_PLACE_EMPTY,
           "insert new ones");
    world_free(world);
}

static void test_blank(void **state UNUSED)
{
    struct ctl_world *world = world_of(5, 0);

    go(world);
    expect_rebuilt(world);
}

/* A bay is said to blink only where it has an LED to switch. The command is accepted there. */
static void test_failed(void **state UNUSED)
{
    for (int dark = 0; dark <= 1; dark++) {
        struct ctl_world *world = world_new(89, 3);

        world->slots[1].dark = dark != 0;
        world_start(world);
        assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
        world->slots[1].drive->write_fails = true;
        world_settle(world, MINUTE);
        expect(world, FINDING_DRIVE_FAILED, REASON_DRIVE_LOST_WRITE_ERROR,
               dark ? REASON_REMEDY_DRIVE_FAILED_DARK : REASON_REMEDY_DRIVE_FAILED,
               dark ? "serial number" : "\"/c0/e252/s1 start locate\"");
        assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_LOCATE, 1),
                         dark ? REASON_NO_LOCATE_LED : REASON_OK);
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content),   cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_too_small), cmocka_unit_test(test_blank),
        cmocka_unit_test(test_failed),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
