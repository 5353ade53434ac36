/*
 * Saved metadata: what was deleted comes back as it was while nobody has touched its drives, and is
 * refused, with the reason, as soon as somebody has; all or nothing under power cuts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/undo_view.h"
#include "ctl_world.h"
#include "drive/drive_layout.h"
#include "meta/controller_record.h"

#define MINUTE (60 * SIM_SECOND)
#define WEEK_US (UINT64_C(7) * 24 * 3600 * 1000000)
#define DATA (512u * 1024u)
#define ENTRIES_MAX 64u
#define EVENT_RESTORED 60200u
#define EVENT_DAMAGED 60230u

struct told {
    uint32_t count;
    uint64_t numbers[ENTRIES_MAX];
    enum undo_kind kind; /* of the newest */
    char name[24], who[65];
    uint64_t saved_us, until_us;
    enum reason_code refusals[ENTRIES_MAX];
    uint32_t drives, drives_refused; /* of the newest */
};

static void told_entry(void *context, const struct undo_view *view)
{
    struct told *told = context;

    assert_true(told->count < ENTRIES_MAX);
    told->numbers[told->count] = view->number;
    told->refusals[told->count] = view->refusal.code;
    if (told->count++ == 0) {
        told->kind = view->kind;
        told->saved_us = view->saved_us;
        told->until_us = view->until_us;
        (void)snprintf(told->name, sizeof(told->name), "%s", view->name);
        (void)snprintf(told->who, sizeof(told->who), "%s", view->who);
    }
}

static void told_drive(void *context, const struct undo_drive_view *view)
{
    struct told *told = context;

    if (told->count == 1) {
        told->drives++;
        told->drives_refused += view->refusal.code != REASON_OK ? 1u : 0u;
    }
}

static const struct told *look(struct ctl_world *world)
{
    static struct told told;
    const struct ctl_undo_visitor visitor = {told_entry, told_drive, &told};

    memset(&told, 0, sizeof(told));
    ctl_undo_visit(world->ctl, &visitor);
    return &told;
}

static enum reason_code restore(struct ctl_world *world, uint64_t number)
{
    struct ctl_command command = {.op = CTL_OP_UNDO_RESTORE};

    strcpy(command.args.undo_restore.controller, "c0");
    command.args.undo_restore.undo = number;
    return world_run(world, &command);
}

static enum reason_code restore_newest(struct ctl_world *world)
{
    return restore(world, look(world)->numbers[0]);
}

/* What counts for a user, without what a restoration may choose anew. */
static void describe(struct ctl_world *world, char out[16384])
{
    world_settle(world, 3 * MINUTE);
    world_describe(world, out, 16384);
}

static void all_offer(struct ctl_world *world)
{
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->slots[i].offered = true;
        world->slots[i].probed = true;
        world->slots[i].real = true;
    }
}

static struct ctl_world *world_with(uint64_t seed, enum raid_level level, uint32_t count,
                                    bool offered)
{
    struct ctl_world *world = world_new(seed, count + 1);

    if (offered) {
        all_offer(world);
    }
    world_start(world);
    assert_int_equal(world_create(world, level, 0, count, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, DATA, 0x5A);
    world_settle(world, 20 * SIM_SECOND);
    return world;
}

static void policy_set(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, command.args.vd_set.vd));
    command.args.vd_set.fields = VD_SET_READ_POLICY | VD_SET_ACCESS;
    command.args.vd_set.read_policy = READ_POLICY_ADAPTIVE_READ_AHEAD;
    command.args.vd_set.access = ACCESS_POLICY_READ_ONLY;
    assert_int_equal(world_run(world, &command), REASON_OK);
}

static void test_comes_back(void **state)
{
    static const struct {
        enum raid_level level;
        uint32_t count;
    } sets[] = {{RAID_LEVEL_0, 2}, {RAID_LEVEL_1, 2}, {RAID_LEVEL_5, 3}, {RAID_LEVEL_10, 4}};
    static char before[16384], after[16384];

    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        struct ctl_world *world = world_with(10 + i, sets[i / 2].level, sets[i / 2].count, i % 2);
        uint32_t from = 0;

        policy_set(world);
        describe(world, before);
        assert_int_equal(look(world)->count, 0);
        assert_int_equal(world_delete(world, "data"), REASON_OK);
        assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 0);
        assert_int_equal(look(world)->count, 1);
        assert_int_equal(look(world)->kind, UNDO_KIND_DRIVE_GROUP);
        assert_string_equal(look(world)->name, "data");
        assert_int_equal(look(world)->refusals[0], REASON_OK);
        assert_int_equal(look(world)->drives, sets[i / 2].count);
        assert_int_equal(look(world)->drives_refused, 0);
        assert_true(look(world)->until_us >= look(world)->saved_us + WEEK_US);
        if (i >= 4) {
            world_restart(world); /* what is saved outlives the agent */
        }
        from = world->log_count;
        assert_int_equal(restore_newest(world), REASON_OK);
        assert_int_equal(world_event_count(world, from, EVENT_RESTORED), 1);
        assert_int_equal(look(world)->count, 0);
        describe(world, after);
        assert_string_equal(after, before);
        world_check(world, "data", 0, DATA, 0x5A);
        world_restart(world);
        describe(world, after);
        assert_string_equal(after, before);
        world_check(world, "data", 0, DATA, 0x5A);
        /* And once more. */
        assert_int_equal(world_delete(world, "data"), REASON_OK);
        assert_int_equal(restore_newest(world), REASON_OK);
        world_check(world, "data", 0, DATA, 0x5A);
        world_free(world);
    }
}

/* Degraded as it was; the member that was lost is not asked for. */
static void test_degraded(void **state)
{
    struct ctl_world *world = world_with(30, RAID_LEVEL_5, 3, false);
    struct virtual_drive_view view;

    (void)state;
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    world_write(world, "data", 0, DATA, 0x77);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(look(world)->drives, 2);
    assert_int_equal(restore_newest(world), REASON_OK);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_DEGRADED);
    world_check(world, "data", 0, DATA, 0x77);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
    world_check(world, "data", 0, DATA, 0x77);
    world_free(world);
}

static void expect_refused(struct ctl_world *world, enum reason_code code)
{
    static char before[16384], after[16384];
    uint64_t number = look(world)->numbers[look(world)->count - 1];

    describe(world, before);
    assert_int_equal(restore(world, number), code);
    describe(world, after);
    assert_string_equal(after, before);
}

/* What the list says of the oldest one. */
static enum reason_code oldest_told(struct ctl_world *world)
{
    const struct told *told = look(world);

    assert_true(told->count > 0);
    return told->refusals[told->count - 1];
}

/* Free again, and blank to look at: only the mark tells that somebody has used them. */
static void test_used_and_freed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = world_with(40 + i, RAID_LEVEL_1, 2, i % 2);

        assert_int_equal(world_delete(world, "data"), REASON_OK);
        if (i / 2 == 0) {
            struct ctl_command *command = world_create_command(world, RAID_LEVEL_0, 1, 1, "other");

            assert_int_equal(look(world)->refusals[0], REASON_OK);
            command->args.vd_create.force = true;
            command->args.vd_create.serial_count = 1;
            strcpy(command->args.vd_create.serials[0], world->slots[1].serial);
            assert_int_equal(world_run(world, command), REASON_OK);
            expect_refused(world, REASON_UNDO_DRIVE_USED);
            assert_int_equal(look(world)->drives_refused, 1);
            assert_int_equal(world_delete(world, "other"), REASON_OK);
        } else {
            assert_int_equal(world_spare(world, 1, NULL), REASON_OK);
            expect_refused(world, REASON_UNDO_DRIVE_USED);
            assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 1), REASON_OK);
        }
        if (i % 2 == 0 || i / 2 == 0) { /* the drive is still open, or a later copy has it */
            assert_int_equal(oldest_told(world), REASON_UNDO_DRIVE_WRITTEN);
        }
        expect_refused(world, REASON_UNDO_DRIVE_WRITTEN);
        assert_int_equal(oldest_told(world), REASON_UNDO_DRIVE_WRITTEN);
        world_restart(world);
        if (i % 2 == 0 || i / 2 == 0) {
            assert_int_equal(oldest_told(world), REASON_UNDO_DRIVE_WRITTEN);
        }
        expect_refused(world, REASON_UNDO_DRIVE_WRITTEN);
        assert_int_equal(oldest_told(world), REASON_UNDO_DRIVE_WRITTEN);
        world_free(world);
    }
}

/* Somebody else has written to one of them. */
static void test_written(void **state)
{
    static const uint64_t places[] = {4096, MIB / 2, 0, 1};
    uint8_t block[4096];
    uint8_t was[4096];

    (void)state;
    memset(block, 0xC3, sizeof(block));
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = world_with(50 + i, RAID_LEVEL_5, 3, true);
        uint64_t size = world->slots[2].options.size_bytes;
        uint64_t at = places[i] == 0   ? size - 4096        /* a GPT's copy, DDF's anchor */
                      : places[i] == 1 ? size - 128 * 1024  /* md 0.90 */
                                       : places[i];

        assert_int_equal(world_delete(world, "data"), REASON_OK);
        world_settle(world, MINUTE);
        sim_drive_peek(world->slots[2].drive, at, was, sizeof(was));
        sim_drive_poke(world->slots[2].drive, at, block, sizeof(block));
        expect_refused(world, REASON_UNDO_DRIVE_WRITTEN);
        assert_non_null(strstr(world->text, "/s2"));
        assert_int_equal(oldest_told(world), REASON_UNDO_DRIVE_WRITTEN);
        assert_int_equal(look(world)->drives_refused, 1);
        /* Every attempt reads the drives anew: now they are as they were. */
        sim_drive_poke(world->slots[2].drive, at, was, sizeof(was));
        assert_int_equal(restore_newest(world), REASON_OK);
        world_check(world, "data", 0, DATA, 0x5A);
        world_free(world);
    }
}

static void test_drives_and_names(void **state)
{
    struct ctl_world *world = world_with(60, RAID_LEVEL_1, 2, true);

    (void)state;
    assert_int_equal(restore(world, 77), REASON_UNKNOWN_OBJECT);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 2, 1, "data"), REASON_OK);
    expect_refused(world, REASON_NAME_TAKEN);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(look(world)->count, 2);
    slot_depart(world, 1);
    world_settle(world, SIM_SECOND);
    expect_refused(world, REASON_UNDO_DRIVE_GONE);
    slot_arrive(world, 1);
    world_settle(world, SIM_SECOND);
    world->slots[0].claim_error = -EBUSY;
    world->slots[0].claim_reason = REASON_DRIVE_UNSUITABLE_MOUNTED;
    expect_refused(world, REASON_DRIVE_IN_USE);
    world->slots[0].claim_error = 0;
    assert_int_equal(restore(world, look(world)->numbers[1]), REASON_OK);
    world_check(world, "data", 0, DATA, 0x5A);
    /* The other one has the same name now. */
    expect_refused(world, REASON_NAME_TAKEN);
    world_free(world);
}

/* What cannot be saved is not deleted. */
static void test_not_saved(void **state)
{
    static const int errors[] = {-EIO, -ENOSPC};
    static char before[16384], after[16384];

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct ctl_world *world = world_with(70, RAID_LEVEL_5, 3, false);

        describe(world, before);
        world->store->fail_with = errors[i];
        assert_int_equal(world_delete(world, "data"),
                         errors[i] == -EIO ? REASON_UNDO_NEEDED : REASON_STORE_FULL);
        world->store->fail_with = 0;
        assert_int_equal(look(world)->count, 0);
        describe(world, after);
        assert_string_equal(after, before);
        world_check(world, "data", 0, DATA, 0x5A);
        world_write(world, "data", 0, DATA, 0x11);
        assert_int_equal(world_delete(world, "data"), REASON_OK);
        world_free(world);
    }
}

/* One of several */

static struct ctl_world *world_of_two(uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 4);
    struct ctl_command *command = NULL;
    struct drive_group_view group;

    world_start(world);
    command = world_create_command(world, RAID_LEVEL_5, 0, 3, "first");
    command->args.vd_create.size_bytes = 4 * MIB;
    assert_int_equal(world_run(world, command), REASON_OK);
    command = world_create_command(world, RAID_LEVEL_5, 0, 0, "second");
    command->args.vd_create.size_bytes = 4 * MIB;
    assert_true(world_group(world, 0, &group, command->args.vd_create.drive_group));
    assert_int_equal(world_run(world, command), REASON_OK);
    assert_true(world_wait_consistent(world, "first", 10 * MINUTE));
    assert_true(world_wait_consistent(world, "second", 10 * MINUTE));
    world_write(world, "first", 0, DATA, 0x11);
    world_write(world, "second", 0, DATA, 0x22);
    return world;
}

static enum reason_code add_to_group(struct ctl_world *world, const char *name)
{
    struct ctl_command *command = world_create_command(world, RAID_LEVEL_5, 0, 0, name);
    struct drive_group_view group;

    command->args.vd_create.size_bytes = 4 * MIB;
    assert_true(world_group(world, 0, &group, command->args.vd_create.drive_group));
    return world_run(world, command);
}

/* The commit is there, but its put has failed: a deletion that was refused must not be carried out
 * by the next start, whether power fails or the controller stops. */
static void test_refused_but_stored(void **state)
{
    (void)state;
    for (uint32_t stops = 0; stops < 2; stops++) {
        struct ctl_world *world = world_with(31 + stops, RAID_LEVEL_1, 2, false);
        struct virtual_drive_view view;

        world->store->fail_with = -EIO;
        world->store->fail_name = CONTROLLER_RECORD_NAME;
        world->store->fails_done = true;
        assert_int_equal(world_delete(world, "data"), REASON_STORE_FAILED);
        world_write(world, "data", 0, DATA, 0x77);
        world->store->fail_with = 0;
        if (stops != 0) {
            world_restart(world);
        } else {
            world_settle(world, 11 * SIM_SECOND);
            sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
            world_power_cycle(world);
        }
        assert_true(world_vd(world, "data", &view, NULL));
        world_check(world, "data", 0, DATA, 0x77);
        world_free(world);
    }
}

static void on_deleted(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

/* The drive that a group has waited for comes while the group is deleted, and is not in the copy:
 * it keeps its label, by which it is back in its place once the group is. */
static void test_comes_while_deleted(void **state)
{
    struct ctl_world *world = world_with(35, RAID_LEVEL_0, 3, false);
    struct ctl_command command = {.op = CTL_OP_VD_DELETE, .complete = on_deleted};
    struct virtual_drive_view view;
    bool done = false;

    (void)state;
    world_stop(world);
    world->slots[2].absent = true;
    world_start(world);
    assert_true(world_vd(world, "data", &view, command.args.vd_delete.vd));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    strcpy(command.confirm, "data");
    command.owner = &done;
    ctl_execute(world->ctl, &command);
    assert_true(sim_world_step(world->sim)); /* it has begun */
    world->slots[2].absent = false;
    slot_arrive(world, 2);
    assert_true(sim_world_run_until_flag(world->sim, &done, MINUTE));
    assert_int_equal(command.reason.code, REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(restore_newest(world), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
    world_check(world, "data", 0, DATA, 0x5A);
    world_free(world);
}

static void test_one_of_two(void **state)
{
    static char before[16384], after[16384];

    (void)state;
    for (uint32_t i = 0; i < 4; i++) { /* dirty, or settled; the first or the second */
        struct ctl_world *world = world_of_two(80 + i);
        const char *name = i % 2 == 0 ? "first" : "second";

        if (i >= 2) {
            world_settle(world, MINUTE);
        }
        describe(world, before);
        assert_int_equal(world_delete(world, name), REASON_OK);
        assert_int_equal(look(world)->kind, UNDO_KIND_VIRTUAL_DRIVE);
        assert_int_equal(look(world)->refusals[0], REASON_OK);
        world_restart(world);
        assert_int_equal(restore_newest(world), REASON_OK);
        assert_int_equal(look(world)->count, 0);
        assert_true(world_wait_consistent(world, name, 10 * MINUTE));
        world_check(world, "first", 0, DATA, 0x11);
        world_check(world, "second", 0, DATA, 0x22);
        world_restart(world);
        world_check(world, "first", 0, DATA, 0x11);
        world_check(world, "second", 0, DATA, 0x22);
        describe(world, after);
        assert_int_equal(strlen(after), strlen(before)); /* in another order, perhaps */
        world_free(world);
    }
}

static void test_space_used(void **state)
{
    struct ctl_world *world = world_of_two(90);

    (void)state;
    assert_int_equal(world_delete(world, "second"), REASON_OK);
    assert_int_equal(add_to_group(world, "third"), REASON_OK);
    expect_refused(world, REASON_UNDO_SPACE_USED);
    assert_int_equal(world_delete(world, "third"), REASON_OK);
    assert_int_equal(look(world)->count, 2);
    expect_refused(world, REASON_UNDO_SPACE_USED); /* of the third there is a newer copy */
    assert_int_equal(restore_newest(world), REASON_OK);
    expect_refused(world, REASON_UNDO_SPACE_USED);
    assert_int_equal(world_delete(world, "third"), REASON_OK);
    assert_int_equal(world_delete(world, "first"), REASON_OK);
    expect_refused(world, REASON_UNDO_GROUP_GONE);
    assert_int_equal(restore_newest(world), REASON_OK);
    world_check(world, "first", 0, DATA, 0x11);
    expect_refused(world, REASON_UNDO_SPACE_USED);
    world_free(world);
}

/* Nobody has filled a new member with what was deleted. */
static void test_member_replaced(void **state)
{
    struct ctl_world *world = world_of_two(95);

    (void)state;
    assert_int_equal(world_delete(world, "second"), REASON_OK);
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "first", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    assert_true(world_wait_state(world, "first", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
    expect_refused(world, REASON_UNDO_MEMBER_REPLACED);
    /* Nor does one that was away when it was deleted say what it held. */
    assert_int_equal(add_to_group(world, "third"), REASON_OK);
    assert_int_equal(world_fault(world, 2, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "first", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    assert_int_equal(world_delete(world, "third"), REASON_OK);
    assert_int_equal(restore_newest(world), REASON_UNDO_DEGRADED);
    world_free(world);
}

/* As many as there is room for: who is void goes first, nobody who counts before a week is over. */
static void drive_wait(struct ctl_world *world, uint32_t slot, enum drive_state state)
{
    for (uint32_t i = 0; i < 600 && world_drive_state(world, slot) != state; i++) {
        world_settle(world, SIM_SECOND);
    }
    assert_int_equal(world_drive_state(world, slot), state);
}

/* A spare that is a member again may have served others in between. */
static void test_member_was_away(void **state)
{
    struct ctl_world *world = world_of_two(96);

    (void)state;
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "first", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    assert_true(world_wait_state(world, "first", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
    drive_wait(world, 3, DRIVE_STATE_ONLINE);
    assert_int_equal(world_delete(world, "second"), REASON_OK);
    assert_int_equal(look(world)->refusals[0], REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_REPLACE), REASON_OK);
    drive_wait(world, 3, DRIVE_STATE_HOT_SPARE);
    expect_refused(world, REASON_UNDO_MEMBER_REPLACED);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "first", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    assert_true(world_wait_state(world, "first", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
    drive_wait(world, 3, DRIVE_STATE_ONLINE);
    expect_refused(world, REASON_UNDO_MEMBER_REPLACED);
    world_free(world);
}

static void test_room(void **state)
{
    struct ctl_world *world = world_of_two(100);
    uint64_t first = 0;

    (void)state;
    for (uint32_t i = 0; i < ENTRIES_MAX; i++) {
        assert_int_equal(world_delete(world, "second"), REASON_OK);
        assert_int_equal(look(world)->count, i + 1);
        assert_int_equal(add_to_group(world, "second"), REASON_OK);
    }
    first = look(world)->numbers[ENTRIES_MAX - 1];
    assert_int_equal(world_delete(world, "second"), REASON_UNDO_FULL);
    assert_non_null(strstr(world->text, "7 days"));
    world_check(world, "first", 0, DATA, 0x11);
    world_settle(world, WEEK_US);
    assert_int_equal(world_delete(world, "second"), REASON_OK);
    assert_int_equal(look(world)->count, ENTRIES_MAX);
    assert_true(look(world)->numbers[ENTRIES_MAX - 1] > first);
    assert_int_equal(restore_newest(world), REASON_OK);
    world_free(world);
}

static void put_done(struct store_request *request, int error)
{
    (void)request;
    assert_int_equal(error, 0);
}

/* A record of the store, while the agent does not run. */
static uint8_t *record_take(struct ctl_world *world, const char *name, size_t *ret_used)
{
    uint8_t *bytes = malloc(1 << 20);
    struct store_port *store = &world->store->port;

    assert_non_null(bytes);
    assert_int_equal(store->ops->get(store, name, bytes, 1 << 20, ret_used), 0);
    return bytes;
}

static void record_put(struct ctl_world *world, const char *name, const uint8_t *bytes, size_t used)
{
    struct store_request put = {.value = bytes, .value_bytes = used, .complete = put_done};

    (void)snprintf(put.name, sizeof(put.name), "%s", name);
    world->store->port.ops->put(&world->store->port, &put);
    world_settle(world, SIM_SECOND);
}

/* The agent stops, one byte changes, the agent starts. */
static void record_damage(struct ctl_world *world, const char *name, size_t at)
{
    size_t used = 0;
    uint8_t *bytes = NULL;

    world_stop(world);
    bytes = record_take(world, name, &used);
    assert_true(at < used);
    bytes[at] ^= 1;
    record_put(world, name, bytes, used);
    free(bytes);
    world_start(world);
}

static bool is_listed(struct ctl_world *world, uint64_t number, enum reason_code refusal)
{
    const struct told *told = look(world);

    for (uint32_t i = 0; i < told->count; i++) {
        if (told->numbers[i] == number) {
            return told->refusals[i] == refusal;
        }
    }
    return false;
}

/* What stands there is not what was saved: it is listed, and comes back if somebody puts it back.
 */
static void test_damaged(void **state)
{
    static const size_t places[] = {30, 300, 256};
    struct ctl_world *world = world_with(110, RAID_LEVEL_1, 2, false);
    uint8_t *bytes = NULL;
    size_t used = 0;

    (void)state;
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    world_stop(world);
    bytes = record_take(world, "undo-00", &used);
    world_start(world);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t from = world->log_count;
        uint64_t number = 0;

        record_damage(world, "undo-00", places[i]);
        number = look(world)->numbers[0];
        assert_int_equal(look(world)->count, 1);
        assert_int_equal(look(world)->kind, UNDO_KIND_DAMAGED);
        assert_string_equal(look(world)->name, "undo-00");
        assert_int_equal(look(world)->refusals[0], REASON_UNDO_DAMAGED);
        assert_int_equal(look(world)->until_us, look(world)->saved_us + WEEK_US);
        assert_int_equal(world_event_count(world, from, EVENT_DAMAGED), 1);
        expect_refused(world, REASON_UNDO_DAMAGED);
        world_restart(world);
        assert_int_equal(look(world)->numbers[0], number);
        assert_int_equal(world_event_count(world, from, EVENT_DAMAGED), 1);
        world_stop(world);
        record_put(world, "undo-00", bytes, used);
        world_start(world);
        assert_int_equal(look(world)->count, 1);
        assert_int_equal(look(world)->kind, UNDO_KIND_DRIVE_GROUP);
    }
    free(bytes);
    assert_int_equal(restore_newest(world), REASON_OK);
    world_check(world, "data", 0, DATA, 0x5A);
    world_free(world);
}

/* The copy of who had the space since cannot be read: only that one could tell. */
static void test_damaged_newer(void **state)
{
    struct ctl_world *world = world_of_two(120);
    uint8_t *bytes = NULL;
    size_t used = 0;
    uint64_t second = 0, damaged = 0;

    (void)state;
    assert_int_equal(world_delete(world, "second"), REASON_OK);
    second = look(world)->numbers[0];
    assert_int_equal(add_to_group(world, "third"), REASON_OK);
    world_write(world, "third", 0, DATA, 0x33);
    assert_int_equal(world_delete(world, "third"), REASON_OK);
    assert_true(is_listed(world, second, REASON_UNDO_SPACE_USED));
    world_stop(world);
    bytes = record_take(world, "undo-01", &used);
    world_start(world);
    record_damage(world, "undo-01", 300);
    assert_int_equal(look(world)->count, 2);
    damaged = look(world)->numbers[0];
    assert_true(is_listed(world, damaged, REASON_UNDO_DAMAGED));
    assert_true(is_listed(world, second, REASON_UNDO_UNCERTAIN));
    assert_int_equal(restore(world, second), REASON_UNDO_UNCERTAIN);
    assert_non_null(strstr(world->text, "undo-01"));
    assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 1);
    /* What is deleted later does not depend on it. */
    assert_int_equal(add_to_group(world, "fourth"), REASON_OK);
    world_write(world, "fourth", 0, DATA, 0x44);
    assert_int_equal(world_delete(world, "fourth"), REASON_OK);
    world_restart(world);
    assert_int_equal(look(world)->count, 3);
    assert_true(is_listed(world, damaged, REASON_UNDO_DAMAGED));
    assert_int_equal(restore_newest(world), REASON_OK);
    world_check(world, "fourth", 0, DATA, 0x44);
    assert_int_equal(world_delete(world, "fourth"), REASON_OK);
    /* Put back, it tells what it knows. */
    world_stop(world);
    record_put(world, "undo-01", bytes, used);
    world_start(world);
    assert_int_equal(look(world)->count, 3);
    assert_true(is_listed(world, second, REASON_UNDO_SPACE_USED));
    free(bytes);
    world_free(world);
}

/* Its room is used again in time; what depends on it never comes back. */
static void test_damaged_goes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_of_two(130);
        uint64_t second = 0, damaged = 0;

        assert_int_equal(world_delete(world, "second"), REASON_OK);
        second = look(world)->numbers[0];
        assert_int_equal(add_to_group(world, "third"), REASON_OK);
        assert_int_equal(world_delete(world, "third"), REASON_OK);
        record_damage(world, "undo-01", 300);
        damaged = look(world)->numbers[0];
        assert_true(is_listed(world, damaged, REASON_UNDO_DAMAGED));
        if (i == 0) { /* the agent that stops and starts does not begin to count anew */
            for (uint32_t day = 0; day < 8; day++) {
                world_settle(world, WEEK_US / 7);
                world_restart(world);
            }
            assert_int_equal(look(world)->count, 1);
            assert_true(is_listed(world, second, REASON_UNDO_UNCERTAIN));
            assert_int_equal(restore(world, damaged), REASON_UNKNOWN_OBJECT);
            assert_int_equal(world_create(world, RAID_LEVEL_0, 3, 1, "other"), REASON_OK);
            assert_int_equal(world_delete(world, "other"), REASON_OK);
        } else if (i == 1) { /* somebody takes it away */
            world_stop(world);
            record_put(world, "undo-01", NULL, 0);
            world_start(world);
        } else { /* what was known of the damage is damaged itself */
            world_stop(world);
            record_put(world, "undo-01", NULL, 0);
            record_put(world, "undo-damage", (const uint8_t *)"AWDAMG01", 8);
            world_start(world);
        }
        assert_true(is_listed(world, second, REASON_UNDO_UNCERTAIN_GONE));
        world_restart(world);
        assert_true(is_listed(world, second, REASON_UNDO_UNCERTAIN_GONE));
        assert_int_equal(restore(world, second), REASON_UNDO_UNCERTAIN_GONE);
        if (i == 0) {
            assert_int_equal(restore_newest(world), REASON_OK);
        }
        world_free(world);
    }
}

/* All or nothing */

static char old_text[16384], new_text[16384], now_text[16384];

/* Offered to its clients as it was saved, or not. */
static bool cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    enum ctl_op op = *(enum ctl_op *)what;
    bool offered = cut == SIM_CUT_RATE;
    struct ctl_world *world = world_with(200, RAID_LEVEL_5, 3, offered);
    struct ctl_command command = {.op = op};
    struct virtual_drive_view view;
    bool acknowledged = false;

    if (op == CTL_OP_UNDO_RESTORE) {
        describe(world, new_text);
        assert_int_equal(world_delete(world, "data"), REASON_OK);
        describe(world, old_text);
        command.args.undo_restore.undo = look(world)->numbers[0];
    } else {
        describe(world, old_text);
        strcpy(command.confirm, "data");
        assert_true(world_vd(world, "data", &view, command.args.vd_delete.vd));
    }
    acknowledged = world_run_cut(world, &command, at, cut);
    world_power_cycle(world);
    assert_int_equal(world_event_count(world, 0, EVENT_DAMAGED), 0); /* the old one, or the new */
    describe(world, now_text);
    if (world_count(world, OBJECT_KIND_VIRTUAL_DRIVE) == 0) { /* and it can be had again */
        if (op == CTL_OP_UNDO_RESTORE && strcmp(now_text, old_text) != 0) {
            fail_msg("cut %d at %llu:\n%s\nold:\n%s", (int)cut, (unsigned long long)at, now_text,
                     old_text);
        }
        assert_false(acknowledged && op == CTL_OP_UNDO_RESTORE);
        if (restore_newest(world) != REASON_OK) {
            fail_msg("op %d, offered %d, cut %d at %llu: %s", (int)op, offered, (int)cut,
                     (unsigned long long)at, world->text);
        }
    } else {
        assert_false(acknowledged && op == CTL_OP_VD_DELETE);
        assert_string_equal(now_text, op == CTL_OP_UNDO_RESTORE ? new_text : old_text);
    }
    world_check(world, "data", 0, DATA, 0x5A);
    world_free(world);
    return acknowledged;
}

static void cut_everywhere(enum ctl_op op)
{
    uint32_t points = 0;

    for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
        uint32_t step = cut == SIM_CUT_RATE || cut == SIM_CUT_DROP_ALL ? 1 : 5;

        points += world_cut_along(cut_at, &op, (enum sim_cut)cut, step);
    }
    world_cuts_suffice(ctl_op_word(op), points, 30);
}

static void test_cut_delete(void **state)
{
    (void)state;
    cut_everywhere(CTL_OP_VD_DELETE);
}

static void test_cut_restore(void **state)
{
    (void)state;
    cut_everywhere(CTL_OP_UNDO_RESTORE);
}

/* A drive goes in the middle: refused and as before, or restored. */
static void test_pulled(void **state)
{
    uint32_t again = 0;

    (void)state;
    for (uint32_t steps = 1; steps < 500; steps += 31) {
        struct drive_view drive;
        struct ctl_world *world = world_with(210, RAID_LEVEL_5, 3, false);
        enum reason_code code = REASON_OK;

        assert_int_equal(world_delete(world, "data"), REASON_OK);
        world->pull_slot = 1;
        world->pull_after_steps = steps;
        code = restore_newest(world);
        world->pull_after_steps = 0;
        world_settle(world, MINUTE);
        if (code != REASON_OK) {
            assert_int_not_equal(code, REASON_UNDO_DRIVE_WRITTEN);
            assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 0);
            assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
            world_settle(world, MINUTE);
            assert_true(world_drive(world, 1, &drive));
            if (drive.present) {
                assert_int_equal(restore_newest(world), REASON_OK);
                again++;
            }
        }
        if (world_count(world, OBJECT_KIND_VIRTUAL_DRIVE) == 1) {
            world_check(world, "data", 0, DATA, 0x5A);
        }
        world_free(world);
    }
    assert_true(again > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_back),
        cmocka_unit_test(test_degraded),
        cmocka_unit_test(test_used_and_freed),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_drives_and_names),
        cmocka_unit_test(test_not_saved),
        cmocka_unit_test(test_refused_but_stored),
        cmocka_unit_test(test_comes_while_deleted),
        cmocka_unit_test(test_one_of_two),
        cmocka_unit_test(test_space_used),
        cmocka_unit_test(test_member_replaced),
        cmocka_unit_test(test_member_was_away),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_damaged_newer),
        cmocka_unit_test(test_damaged_goes),
        cmocka_unit_test(test_cut_delete),
        cmocka_unit_test(test_cut_restore),
        cmocka_unit_test(test_pulled),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
