/*
 * Drives of the controller that it finds but cannot claim: read-only at the start, mounted, held.
 * They are told with the reason, are nobody's foreign configuration, and are taken back when the
 * cause is gone. And copies of its drives, which no command makes members by the way.
 */
#include <errno.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_DRIVE_ERROR 87

static const struct {
    int error;
    enum reason_code reason;
    enum reason_code told;
} causes[] = {
    {-EROFS, REASON_DRIVE_UNSUITABLE_READ_ONLY, REASON_DRIVE_UNSUITABLE_READ_ONLY},
    {-EBUSY, REASON_DRIVE_UNSUITABLE_MOUNTED, REASON_DRIVE_UNSUITABLE_MOUNTED},
    {-EBUSY, REASON_DRIVE_UNSUITABLE_HELD, REASON_DRIVE_UNSUITABLE_HELD},
    {-EBUSY, REASON_DRIVE_UNSUITABLE_CLAIMED, REASON_DRIVE_UNSUITABLE_CLAIMED},
    {-EIO, REASON_INVALID_ARGUMENT, REASON_DRIVE_UNSUITABLE_ERROR},
};
#define CAUSES (sizeof(causes) / sizeof(causes[0]))

/* "data" on slots 0 to 2, a hot spare in slot 3; all of them have to be claimed. */
static struct ctl_world *world_at(uint64_t seed, enum raid_level level, bool spare)
{
    struct ctl_world *world = world_new(seed, 4);

    for (uint32_t i = 0; i < 4; i++) {
        world->slots[i].real = true;
        world->slots[i].offered = true;
        world->slots[i].probed = true;
    }
    world_start(world);
    assert_int_equal(world_create(world, level, 0, 3, "data"), REASON_OK);
    (void)world_wait_consistent(world, "data", 10 * MINUTE); /* RAID 0 is not asked */
    world_write(world, "data", 0, 64 * 1024, 0x11);
    if (spare) {
        assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    }
    world_settle(world, MINUTE);
    world_stop(world);
    return world;
}

static struct ctl_world *world_of(uint64_t seed, bool spare)
{
    return world_at(seed, RAID_LEVEL_5, spare);
}

static void refuse(struct ctl_world *world, uint32_t slot, uint32_t cause)
{
    world->slots[slot].claim_error = causes[cause].error;
    world->slots[slot].claim_reason = (int)causes[cause].reason;
}

static struct finding_list findings;
static enum controller_status status;

static void picture_take(void *context UNUSED, const struct object_head *head, const void *view)
{
    if (head->kind == OBJECT_KIND_CONTROLLER) {
        const struct controller_view *controller = view;

        findings = *controller->findings;
        status = controller->status;
    }
}

static const struct finding *find(struct ctl_world *world, enum finding_code code, const char *key)
{
    struct ctl_visitor visitor = {.object = picture_take};

    ctl_objects_since(world->ctl, 0, &visitor);
    for (uint32_t i = 0; i < findings.count; i++) {
        if (findings.items[i].code == code &&
            (key == NULL || strcmp(findings.items[i].key, key) == 0)) {
            return &findings.items[i];
        }
    }
    return NULL;
}

/* The drive's own reason, in its finding, its document and an event; and no advice to import. */
static void expect_told(struct ctl_world *world, uint32_t slot, uint32_t cause)
{
    const struct finding *finding = find(world, FINDING_DRIVE_UNCLAIMED, slot_key(world, slot));
    struct drive_view drive;

    assert_non_null(finding);
    assert_int_equal(finding->cause.code, causes[cause].told);
    assert_int_not_equal(status, CONTROLLER_STATUS_OPTIMAL);
    assert_null(find(world, FINDING_FOREIGN_CONFIGURATION, NULL));
    assert_null(find(world, FINDING_DRIVE_FOREIGN, NULL));
    assert_true(world_drive(world, slot, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_BAD);
    assert_true(drive.has_state_reason);
    assert_int_equal(drive.state_reason.code, causes[cause].told);
    assert_int_not_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, slot), REASON_FOREIGN_CHANGED);
}

static void test_member(void **state UNUSED)
{
    for (uint32_t i = 0; i < CAUSES; i++) {
        struct ctl_world *world = world_of(10 + i, false);
        const struct finding *finding = NULL;
        uint32_t mark = world->log_count;

        refuse(world, 1, i);
        world_start(world);
        world_settle(world, MINUTE);
        expect_told(world, 1, i);
        assert_int_equal(world_event_count(world, mark, EVENT_DRIVE_ERROR), 1);
        finding = find(world, FINDING_PLACE_EMPTY, NULL);
        assert_non_null(finding);
        assert_int_equal(finding->remedy.code, REASON_REMEDY_DRIVE_UNCLAIMED);
        finding = find(world, FINDING_VIRTUAL_DRIVE_DEGRADED, NULL);
        assert_non_null(finding);
        assert_int_equal(finding->remedy.code, REASON_REMEDY_DRIVE_UNCLAIMED);
        world_write(world, "data", 0, 64 * 1024, 0x22); /* it misses this */
        world->slots[1].claim_error = 0;
        world_settle(world, 10 * SIM_SECOND);
        assert_null(find(world, FINDING_DRIVE_UNCLAIMED, NULL));
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
        world_check(world, "data", 0, 64 * 1024, 0x22);
        world_free(world);
    }
}

/* Nothing is lost: the virtual drive is offline until one of them can be claimed. */
static void test_two_members(void **state UNUSED)
{
    struct ctl_world *world = world_of(20, false);
    const struct finding *finding = NULL;

    refuse(world, 0, 0);
    refuse(world, 1, 0);
    world_start(world);
    world_settle(world, MINUTE);
    expect_told(world, 0, 0);
    expect_told(world, 1, 0);
    finding = find(world, FINDING_VIRTUAL_DRIVE_OFFLINE, NULL);
    assert_non_null(finding);
    assert_int_equal(finding->cause.code, REASON_DRIVE_UNSUITABLE_READ_ONLY);
    assert_int_equal(finding->remedy.code, REASON_REMEDY_DRIVE_UNCLAIMED);
    world->slots[0].claim_error = 0;
    world->slots[1].claim_error = 0;
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_check(world, "data", 0, 64 * 1024, 0x11);
    world_free(world);
}

static void test_spare(void **state UNUSED)
{
    for (uint32_t i = 0; i < CAUSES; i++) {
        struct ctl_world *world = world_of(30 + i, true);
        uint32_t mark = world->log_count;

        refuse(world, 3, i);
        world_start(world);
        world_settle(world, MINUTE);
        expect_told(world, 3, i);
        assert_int_equal(find(world, FINDING_DRIVE_UNCLAIMED, NULL)->effect.code,
                         REASON_EFFECT_DRIVE_UNCLAIMED_SPARE);
        assert_int_equal(world_event_count(world, mark, EVENT_DRIVE_ERROR), 1);
        world_restart(world);
        expect_told(world, 3, i);
        assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
        world_settle(world, MINUTE);
        world->slots[3].claim_error = 0;
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
        assert_null(find(world, FINDING_DRIVE_UNCLAIMED, NULL));
        world_check(world, "data", 0, 64 * 1024, 0x11);
        world_free(world);
    }
}

/* No spare is spent for some minutes on a member that is there and only has to be let go. */
static void test_spare_waits(void **state UNUSED)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct ctl_world *world = world_of(36 + i, true);

        refuse(world, 1, 0);
        world_start(world);
        world_settle(world, 2 * MINUTE);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, SIM_SECOND));
        assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_HOT_SPARE);
        assert_int_equal(find(world, FINDING_VIRTUAL_DRIVE_DEGRADED, NULL)->remedy.code,
                         REASON_REMEDY_DRIVE_UNCLAIMED);
        if (i == 0) {
            world->slots[1].claim_error = 0;
        }
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_int_equal(world_drive_state(world, 3),
                         i == 0 ? DRIVE_STATE_HOT_SPARE : DRIVE_STATE_ONLINE);
        world_check(world, "data", 0, 64 * 1024, 0x11);
        world_free(world);
    }
}

/* It can be written to now. It may be a copy, so that nobody takes it unasked; the spare waits. */
static void take_moved(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_REPLACE};
    struct drive_group_view group;

    world->slots[1].unsuitable = REASON_OK;
    world->slots[1].claim_error = 0;
    slot_arrive(world, 1);
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_HOT_SPARE);
    assert_int_equal(find(world, FINDING_VIRTUAL_DRIVE_DEGRADED, NULL)->remedy.code,
                     REASON_REMEDY_PLACE_RETURNED);
    assert_true(world_group(world, 0, &group, command.args.drive_replace.group));
    strcpy(command.args.drive_replace.drive, slot_key(world, 1));
    command.args.drive_replace.row = 1;
    command.args.drive_replace.force = true;
    strcpy(command.args.drive_replace.serial, world->slots[1].serial);
    assert_int_equal(world_run(world, &command), REASON_OK);
}

/* The same of a member that another path gives another serial number: what is on it says what it
 * is, and nobody has to claim it to read that. */
static void test_spare_waits_under_another_path(void **state UNUSED)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct ctl_world *world = world_of(44 + i, true);
        const struct finding *finding = NULL;

        (void)snprintf(world->slots[1].serial, sizeof(world->slots[1].serial), "MOVED");
        world->slots[1].unsuitable = REASON_DRIVE_UNSUITABLE_READ_ONLY;
        refuse(world, 1, 0);
        world_start(world);
        world_settle(world, 2 * MINUTE);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, SIM_SECOND));
        assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_HOT_SPARE);
        finding = find(world, FINDING_VIRTUAL_DRIVE_DEGRADED, NULL);
        assert_int_equal(finding->remedy.code, REASON_REMEDY_FOREIGN_HERE_UNUSABLE);
        assert_int_equal(finding->cause.code, REASON_DRIVE_UNSUITABLE_READ_ONLY);
        if (i == 0) {
            take_moved(world);
        }
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_int_equal(world_drive_state(world, 3),
                         i == 0 ? DRIVE_STATE_HOT_SPARE : DRIVE_STATE_ONLINE);
        world_check(world, "data", 0, 64 * 1024, 0x11);
        world_free(world);
    }
}

/* The host looks at the drive again, and it is as it was: the finding stays. */
static void test_probed_again(void **state UNUSED)
{
    struct ctl_world *world = world_of(40, true);

    refuse(world, 3, 0);
    world_start(world);
    world_settle(world, SIM_SECOND);
    for (uint32_t i = 0; i < 3; i++) {
        slot_arrive(world, 3);
        expect_told(world, 3, 0);
        world_settle(world, SIM_SECOND);
        expect_told(world, 3, 0);
    }
    world->slots[3].claim_error = 0;
    world_settle(world, 10 * SIM_SECOND);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_HOT_SPARE);
    assert_int_equal(status, CONTROLLER_STATUS_NEEDS_ATTENTION);
    assert_null(find(world, FINDING_DRIVE_UNCLAIMED, NULL));
    assert_int_equal(status, CONTROLLER_STATUS_OPTIMAL);
    world_free(world);
}

/* Slot 1 is not there any more. Slot 3 has a copy of it, which the controller does not know. */
static struct ctl_world *world_with_copy(uint64_t seed, enum raid_level level)
{
    const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};
    struct ctl_world *world = world_at(seed, level, false);

    world->retired[world->retired_count++] = world->slots[3].drive;
    world->slots[3].drive = sim_drive_fork(world->slots[1].drive, world->sim, &as_it_is);
    (void)snprintf(world->slots[3].serial, sizeof(world->slots[3].serial), "COPY");
    world->slots[1].absent = true;
    world_start(world);
    world_settle(world, MINUTE);
    return world;
}

static enum reason_code copy_good(struct ctl_world *world, bool force)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_GOOD};

    (void)snprintf(command.args.drive_good.drive, 65, "%s", slot_key(world, 3));
    command.args.drive_good.force = force;
    strcpy(command.confirm, "COPY");
    return world_run(world, &command);
}

static enum reason_code copy_clear(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_FOREIGN_CLEAR};
    struct drive_group_view group;

    assert_true(world_group(world, 0, &group, command.args.foreign.set));
    strcpy(command.args.foreign.controller, "c0");
    strcpy(command.confirm, "data");
    return world_run(world, &command);
}

static enum reason_code copy_spare(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_SPARE_ADD};

    (void)snprintf(command.args.spare_add.drive, 65, "%s", slot_key(world, 3));
    command.args.spare_add.force = true;
    strcpy(command.args.spare_add.serial, "COPY");
    return world_run(world, &command);
}

static enum reason_code copy_create(struct ctl_world *world)
{
    struct ctl_command *command = world_create_command(world, RAID_LEVEL_0, 3, 1, "other");

    command->args.vd_create.force = true;
    command->args.vd_create.serial_count = 1;
    strcpy(command->args.vd_create.serials[0], "COPY");
    return world_run(world, command);
}

/* It has not become a member by the way, and nothing was written to it. */
static void expect_untouched(struct ctl_world *world)
{
    struct drive_view drive;

    world_settle(world, MINUTE);
    assert_true(world_drive(world, 3, &drive));
    assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_true(drive.foreign);
    assert_int_equal(world->slots[3].drive->counters.writes, 0);
}

/* The drive group works without it: it may be freed, and nothing else may overwrite it. */
static void test_copy_of_a_lost_member(void **state UNUSED)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct ctl_world *world = world_with_copy(50 + i, RAID_LEVEL_5);

        assert_int_equal(copy_good(world, false), REASON_DRIVE_FOREIGN);
        assert_int_equal(copy_spare(world), REASON_DRIVE_FOREIGN);
        assert_int_equal(copy_create(world), REASON_DRIVE_FOREIGN);
        expect_untouched(world);
        assert_int_equal(i == 0 ? copy_good(world, true) : copy_clear(world), REASON_OK);
        world_settle(world, MINUTE);
        slot_arrive(world, 3); /* the host looks at it again */
        world_settle(world, SIM_SECOND);
        assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_UNCONFIGURED_GOOD);
        assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        world_check(world, "data", 0, 64 * 1024, 0x11);
        world_free(world);
    }
}

/* The drive group waits for it: nobody clears it, and it does not come to the group by the way. */
static void test_copy_of_a_needed_member(void **state UNUSED)
{
    struct ctl_world *world = world_with_copy(60, RAID_LEVEL_0);

    assert_int_equal(copy_good(world, false), REASON_FOREIGN_COPY_NEEDED);
    assert_int_equal(copy_good(world, true), REASON_FOREIGN_COPY_NEEDED);
    assert_non_null(strstr(world->text, "set online"));
    assert_int_equal(copy_clear(world), REASON_FOREIGN_COPY_NEEDED);
    assert_int_equal(copy_spare(world), REASON_FOREIGN_COPY_NEEDED);
    assert_int_equal(copy_create(world), REASON_FOREIGN_COPY_NEEDED);
    expect_untouched(world);
    world->slots[1].absent = false;
    slot_arrive(world, 1);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_check(world, "data", 0, 64 * 1024, 0x11);
    world_free(world);
}

/* Its drive group was at work after the copy was made: the refusal says so. */
static void test_an_older_copy(void **state UNUSED)
{
    const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};
    struct ctl_world *world = world_at(70, RAID_LEVEL_0, false);
    struct sim_drive *copy = sim_drive_fork(world->slots[1].drive, world->sim, &as_it_is);

    world_start(world);
    world_write(world, "data", 0, 64 * 1024, 0x22);
    world_stop(world);
    world->retired[world->retired_count++] = world->slots[3].drive;
    world->slots[3].drive = copy;
    (void)snprintf(world->slots[3].serial, sizeof(world->slots[3].serial), "COPY");
    world->slots[1].absent = true;
    world_start(world);
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_ONLINE, 3), REASON_FOREIGN_COPY_OLDER);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_member),
        cmocka_unit_test(test_two_members),
        cmocka_unit_test(test_spare),
        cmocka_unit_test(test_spare_waits),
        cmocka_unit_test(test_spare_waits_under_another_path),
        cmocka_unit_test(test_probed_again),
        cmocka_unit_test(test_copy_of_a_lost_member),
        cmocka_unit_test(test_copy_of_a_needed_member),
        cmocka_unit_test(test_an_older_copy),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
