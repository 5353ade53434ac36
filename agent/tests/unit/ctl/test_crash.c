/*
 * All or nothing: during each configuration change the power is cut at the n-th write, n = 1, 2
 * … until the change gets through; and, apart from that, the n-th write fails once and for
 * good. Afterwards the configuration is the old or the new one, never a third; a change that
 * was acknowledged is the new one.
 */
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define REPLACEMENT_WRITES 39u /* the rebuild goes on behind them */

enum change {
    CHANGE_CREATE,
    CHANGE_DELETE,
    CHANGE_SPARE_ADD,
    CHANGE_SPARE_REMOVE,
    CHANGE_CREATE_WITH_SPARE,
    CHANGE_ADD_TO_GROUP,
    CHANGE_DELETE_ONE,
    CHANGE_RENAME,
    CHANGE_EXPAND,
    CHANGE_MISSING_OFFLINE,
    CHANGE_MISSING_FAILED,
    CHANGE_MAX
};

static const char *const change_names[CHANGE_MAX] = {"create",
                                                     "delete",
                                                     "spare_add",
                                                     "spare_remove",
                                                     "create with spare",
                                                     "add to group",
                                                     "delete one of two",
                                                     "rename",
                                                     "expand",
                                                     "set missing of an offline member",
                                                     "set missing of a failed member"};

static char old_text[16384];
static char new_text[16384];
static char now_text[16384];

static void lost_member_make(struct ctl_world *world, bool failed)
{
    static uint8_t bytes[64 * 1024];

    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    if (!failed) {
        assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
        return;
    }
    world->slots[1].drive->flush_forgets = 1;
    memset(bytes, 0x33, sizeof(bytes));
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(bytes), bytes), VD_STATUS_OK);
    (void)world_io(world, "data", VD_OP_FLUSH, 0, 0, NULL);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_FAILED);
}

/* What the world looks like before the change. */
static void prepare(struct ctl_world *world, enum change change)
{
    struct ctl_command *command = NULL;
    struct drive_group_view group;

    world_start(world);
    if (change == CHANGE_DELETE || change == CHANGE_SPARE_ADD || change == CHANGE_SPARE_REMOVE) {
        assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
        assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    }
    if (change == CHANGE_SPARE_REMOVE) {
        assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    }
    if (change == CHANGE_ADD_TO_GROUP || change == CHANGE_DELETE_ONE || change == CHANGE_RENAME ||
        change == CHANGE_EXPAND) {
        command = world_create_command(world, RAID_LEVEL_1, 0, 2, "first");
        command->args.vd_create.size_bytes = 2 * MIB;
        assert_int_equal(world_run(world, command), REASON_OK);
        assert_true(world_wait_consistent(world, "first", 10 * MINUTE));
    }
    if (change == CHANGE_DELETE_ONE) {
        command = world_create_command(world, RAID_LEVEL_1, 0, 0, "second");
        assert_true(world_group(world, 0, &group, command->args.vd_create.drive_group));
        assert_int_equal(world_run(world, command), REASON_OK);
        assert_true(world_wait_consistent(world, "second", 10 * MINUTE));
    }
    if (change == CHANGE_MISSING_OFFLINE || change == CHANGE_MISSING_FAILED) {
        lost_member_make(world, change == CHANGE_MISSING_FAILED);
    }
    world_settle(world, 20 * SIM_SECOND);
}

static void change_make(struct ctl_world *world, enum change change, struct ctl_command *command)
{
    struct virtual_drive_view view;
    struct drive_group_view group;

    *command = (struct ctl_command){.op = CTL_OP_VD_CREATE};
    switch (change) {
    case CHANGE_CREATE:
    case CHANGE_CREATE_WITH_SPARE:
        *command = *world_create_command(world, RAID_LEVEL_5, 0, 3, "data");
        if (change == CHANGE_CREATE_WITH_SPARE) {
            command->args.vd_create.spare_count = 1;
            strcpy(command->args.vd_create.spares[0], slot_key(world, 3));
        }
        return;
    case CHANGE_DELETE:
    case CHANGE_DELETE_ONE:
        command->op = CTL_OP_VD_DELETE;
        strcpy(command->confirm, change == CHANGE_DELETE ? "data" : "second");
        assert_true(world_vd(world, command->confirm, &view, command->args.vd_delete.vd));
        return;
    case CHANGE_SPARE_ADD:
        command->op = CTL_OP_SPARE_ADD;
        strcpy(command->args.spare_add.drive, slot_key(world, 3));
        return;
    case CHANGE_SPARE_REMOVE:
        command->op = CTL_OP_SPARE_REMOVE;
        strcpy(command->args.drive.drive, slot_key(world, 3));
        return;
    case CHANGE_ADD_TO_GROUP:
        *command = *world_create_command(world, RAID_LEVEL_1, 0, 0, "second");
        assert_true(world_group(world, 0, &group, command->args.vd_create.drive_group));
        return;
    case CHANGE_RENAME:
        command->op = CTL_OP_VD_SET;
        assert_true(world_vd(world, "first", &view, command->args.vd_set.vd));
        command->args.vd_set.fields = VD_SET_NAME;
        strcpy(command->args.vd_set.name, "renamed");
        return;
    case CHANGE_EXPAND:
        command->op = CTL_OP_VD_EXPAND;
        assert_true(world_vd(world, "first", &view, command->args.vd_expand.vd));
        return;
    case CHANGE_MISSING_OFFLINE:
    case CHANGE_MISSING_FAILED:
        command->op = CTL_OP_DRIVE_MISSING;
        strcpy(command->args.drive.drive, slot_key(world, 1));
        return;
    case CHANGE_MAX:
        break;
    }
    fail();
}

static void on_done(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

/* Settles everything, so that descriptions compare. */
static void describe_settled(struct ctl_world *world, char *out, size_t capacity)
{
    world_settle(world, 3 * MINUTE);
    world_describe(world, out, capacity);
}

static void describe_new(uint64_t seed, enum change change)
{
    struct ctl_world *world = world_new(seed, 5);
    struct ctl_command command;

    prepare(world, change);
    describe_settled(world, old_text, sizeof(old_text));
    change_make(world, change, &command);
    assert_int_equal(world_run(world, &command), REASON_OK);
    describe_settled(world, new_text, sizeof(new_text));
    assert_string_not_equal(old_text, new_text);
    world_free(world);
}

/* True when the change got through before the strike. */
static bool cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    enum change change = *(enum change *)what;
    struct ctl_world *world = world_new(1000 + at * 16 + (uint64_t)cut, 5);
    struct ctl_command command;
    bool acknowledged = false;

    prepare(world, change);
    change_make(world, change, &command);
    acknowledged = world_run_cut(world, &command, at, cut);
    if (acknowledged) {
        assert_int_equal(command.reason.code, REASON_OK);
    }
    world_power_cycle(world);
    describe_settled(world, now_text, sizeof(now_text));
    if (strcmp(now_text, new_text) != 0 && (acknowledged || strcmp(now_text, old_text) != 0)) {
        fail_msg("%s, cut %d at %llu, acknowledged %d:\n%s\nold:\n%s\nnew:\n%s",
                 change_names[change], (int)cut, (unsigned long long)at, acknowledged, now_text,
                 old_text, new_text);
    }
    world_free(world);
    return acknowledged;
}

static void cut_everywhere(enum change change)
{
    uint32_t points = 0;

    describe_new(1, change);
    for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
        /* Every point for two kinds of cut, every third for the others. */
        uint32_t step = cut == SIM_CUT_DROP_ALL || cut == SIM_CUT_RATE ? 1 : 3;

        points += world_cut_along(cut_at, &change, (enum sim_cut)cut, step);
    }
    world_cuts_suffice(change_names[change], points, 10);
}

static void test_cut_create(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_CREATE);
}

static void test_cut_create_with_spare(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_CREATE_WITH_SPARE);
}

static void test_cut_delete(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_DELETE);
}

static void test_cut_spare_add(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_SPARE_ADD);
}

static void test_cut_spare_remove(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_SPARE_REMOVE);
}

static void test_cut_add_to_group(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_ADD_TO_GROUP);
}

static void test_cut_delete_one(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_DELETE_ONE);
}

static void test_cut_rename(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_RENAME);
}

static void test_cut_expand(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_EXPAND);
}

static void test_cut_missing(void **state)
{
    (void)state;
    cut_everywhere(CHANGE_MISSING_OFFLINE);
    cut_everywhere(CHANGE_MISSING_FAILED);
}

struct first_cut {
    enum change change;
    uint64_t at;
};

/* The power is cut once in the middle of the change, and again at the n-th write of the start
 * that cleans up after it. */
static bool cut_twice_at(void *what, uint64_t at, enum sim_cut cut)
{
    const struct first_cut *first = what;
    struct ctl_world *world = world_new(9000 + first->at * 64 + at, 5);
    struct ctl_command command;
    int started = 1;
    uint64_t base = 0;
    bool through = false;

    prepare(world, first->change);
    change_make(world, first->change, &command);
    (void)world_run_cut(world, &command, first->at, cut);
    world_power_down(world);
    base = world_writes(world);
    assert_int_equal(world_begin_start(world, &started), 0);
    while (started == 1 && world_writes(world) < base + at) {
        assert_true(sim_world_step(world->sim));
    }
    sim_world_power_off(world->sim, cut);
    through = started == 0;
    world_power_cycle(world);
    describe_settled(world, now_text, sizeof(now_text));
    if (strcmp(now_text, new_text) != 0 && strcmp(now_text, old_text) != 0) {
        fail_msg("%s, cut at %llu and %llu:\n%s\nold:\n%s\nnew:\n%s", change_names[first->change],
                 (unsigned long long)first->at, (unsigned long long)at, now_text, old_text,
                 new_text);
    }
    world_free(world);
    return through;
}

static void test_cut_twice(void **state)
{
    static const enum change changes[] = {CHANGE_CREATE_WITH_SPARE, CHANGE_DELETE};
    uint32_t points = 0;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        describe_new(3, changes[i]);
        for (uint64_t at = 2; at < 22; at += 4) {
            struct first_cut first = {.change = changes[i], .at = at};

            points += world_cut_along(cut_twice_at, &first, SIM_CUT_RATE, 1);
        }
    }
    world_cuts_suffice("second", points, 30);
}

/* The store fails from its n-th put on, or just that one. */
static void store_failure(struct ctl_world *world, enum change change, uint64_t at, bool once,
                          bool *ret_through)
{
    struct ctl_command command;
    bool done = false;
    bool failing = false;
    uint64_t base = 0;

    change_make(world, change, &command);
    command.complete = on_done;
    command.owner = &done;
    base = world->store->put_count;
    ctl_execute(world->ctl, &command);
    while (!done) {
        if (world->store->put_count >= base + at && !failing) {
            failing = true;
            world->store->fail_with = -ENOSPC;
        } else if (once && failing && world->store->put_count > base + at) {
            world->store->fail_with = 0;
        }
        assert_true(sim_world_step(world->sim));
    }
    world->store->fail_with = 0;
    *ret_through = !failing;
    describe_settled(world, now_text, sizeof(now_text));
    if (command.reason.code == REASON_OK) {
        assert_string_equal(now_text, new_text);
    } else {
        assert_int_equal(command.reason.code, REASON_STORE_FULL);
        assert_string_equal(now_text, old_text);
    }
}

static void store_fails_everywhere(enum change change)
{
    describe_new(2, change);
    for (uint32_t once = 0; once < 2; once++) {
        bool through = false;

        for (uint64_t at = 1; !through; at++) {
            struct ctl_world *world = world_new(5000 + at, 5);
            bool acknowledged = false;

            assert_true(at < 50);
            prepare(world, change);
            store_failure(world, change, at, once == 1, &through);
            acknowledged = strcmp(now_text, new_text) == 0;
            /* And what the controller says is what a restart finds. */
            world_restart(world);
            describe_settled(world, now_text, sizeof(now_text));
            assert_string_equal(now_text, acknowledged ? new_text : old_text);
            world_free(world);
        }
    }
}

static void test_store_failures(void **state)
{
    (void)state;
    store_fails_everywhere(CHANGE_CREATE);
    store_fails_everywhere(CHANGE_CREATE_WITH_SPARE);
    store_fails_everywhere(CHANGE_DELETE);
    store_fails_everywhere(CHANGE_SPARE_ADD);
    store_fails_everywhere(CHANGE_ADD_TO_GROUP);
    store_fails_everywhere(CHANGE_DELETE_ONE);
    store_fails_everywhere(CHANGE_RENAME);
    store_fails_everywhere(CHANGE_EXPAND);
    store_fails_everywhere(CHANGE_MISSING_OFFLINE);
    store_fails_everywhere(CHANGE_MISSING_FAILED);
}

/* A blank drive is put in a member's slot, and the power goes at the n-th write after that: the
 * place is filled and rebuilt by itself all the same. True when that was done before the cut. */
static bool replacement_cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    struct ctl_world *world = world_new(3000 + at * 16 + (uint64_t)cut, 5);
    struct virtual_drive_view view;
    uint64_t base = 0;
    bool whole = false;

    (void)what;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 64 * 1024, 0x5a);
    world_settle(world, 20 * SIM_SECOND);
    base = world_writes(world);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_REPLACE), REASON_OK);
    while (!whole && world_writes(world) < base + at) {
        assert_true(sim_world_step(world->sim));
        assert_true(world_vd(world, "data", &view, NULL));
        whole = view.state == VIRTUAL_DRIVE_STATE_OPTIMAL && world_writes(world) > base + 8;
    }
    sim_world_power_off(world->sim, cut);
    world_power_cycle(world);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
    world_check(world, "data", 0, 64 * 1024, 0x5a);
    world_free(world);
    return whole || at >= REPLACEMENT_WRITES;
}

static void test_cut_replacement(void **state)
{
    uint32_t points = 0;

    (void)state;
    for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
        points += world_cut_along(replacement_cut_at, NULL, (enum sim_cut)cut, 1);
    }
    world_cuts_suffice("replacement", points, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_create),       cmocka_unit_test(test_cut_create_with_spare),
        cmocka_unit_test(test_cut_delete),       cmocka_unit_test(test_cut_spare_add),
        cmocka_unit_test(test_cut_spare_remove), cmocka_unit_test(test_cut_add_to_group),
        cmocka_unit_test(test_cut_delete_one),   cmocka_unit_test(test_cut_rename),
        cmocka_unit_test(test_cut_expand),       cmocka_unit_test(test_cut_missing),
        cmocka_unit_test(test_cut_replacement),  cmocka_unit_test(test_cut_twice),
        cmocka_unit_test(test_store_failures),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
