/*
 * Drives that come back after their drive group has changed: however one comes and whatever has
 * become of its group, it is taken as what it is, or there is one piece of advice about it, whose
 * command is accepted and ends what is wrong. Nothing that counts is lost on the way.
 */
#include <string.h>

#include "foreign_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_MISMATCH 60010u
#define COMMANDS_MAX 8u
#define COMMAND_BYTES 96u

/* How a drive leaves and comes back. */
enum way {
    BY_FAULT,   /* an emulated drive is pulled and returned: it stays on the list */
    BY_ARRIVAL, /* it arrives as a new device */
    BY_RESTART, /* it is away at one start of the agent, and there at the next */
    BY_CLAIM,   /* it is there, but at first somebody else has it */
    WAYS
};

static void slot_leave(struct ctl_world *world, uint32_t slot, enum way way)
{
    if (way == BY_FAULT) {
        assert_int_equal(world_fault(world, slot, FAULT_KIND_PULL), REASON_OK);
    } else if (way == BY_RESTART) {
        world_stop(world);
        world->slots[slot].absent = true;
        world_start(world);
    } else {
        world->slots[slot].absent = true;
        slot_depart(world, slot);
    }
    world_settle(world, 20 * SIM_SECOND);
}

static void slot_come(struct ctl_world *world, uint32_t slot, enum way way)
{
    if (way == BY_FAULT) {
        assert_int_equal(world_fault(world, slot, FAULT_KIND_RETURN), REASON_OK);
    } else if (way == BY_RESTART) {
        world_stop(world);
        world->slots[slot].absent = false;
        world_start(world);
    } else {
        world->slots[slot].absent = false;
        world->slots[slot].claim_error = way == BY_CLAIM ? -16 : 0; /* EBUSY */
        slot_arrive(world, slot);
        world_settle(world, 20 * SIM_SECOND);
        world->slots[slot].claim_error = 0;
    }
    world_settle(world, 20 * SIM_SECOND);
}

/* Another drive with what the first one holds; it is not there. */
static void slot_copy(struct ctl_world *world, uint32_t from, uint32_t to)
{
    const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};

    world->retired[world->retired_count] = world->slots[to].drive;
    world->retired_emulated[world->retired_count++] = world->slots[to].emulated;
    world->slots[to].drive = sim_drive_fork(world->slots[from].drive, world->sim, &as_it_is);
    world->slots[to].emulated = NULL;
}

/* Advice: the commands that findings and foreign sets name, each once. */

struct advice {
    uint32_t count;
    char commands[COMMANDS_MAX][COMMAND_BYTES];
};

static void command_note(struct advice *advice, const char *begin, size_t length)
{
    char command[COMMAND_BYTES];

    assert_true(length < sizeof(command));
    memcpy(command, begin, length);
    command[length] = '\0';
    for (uint32_t i = 0; i < advice->count; i++) {
        if (strcmp(advice->commands[i], command) == 0) {
            return;
        }
    }
    assert_true(advice->count < COMMANDS_MAX);
    memcpy(advice->commands[advice->count++], command, sizeof(command));
}

static void reason_note(struct advice *advice, const struct reason *reason)
{
    char text[REASON_TEXT_MAX];
    const char *at = text;

    if (reason->code == REASON_OK) {
        return;
    }
    (void)reason_text(reason, text, sizeof(text));
    assert_null(strchr(text, '{'));
    while ((at = strstr(at, "\"/")) != NULL) {
        const char *end = strchr(at + 1, '"');

        assert_non_null(end);
        command_note(advice, at + 1, (size_t)(end - at - 1));
        at = end + 1;
    }
}

static void advice_of(void *context, const struct object_head *head, const void *view)
{
    struct advice *advice = context;
    const struct drive_view *drive = view;

    if (head->kind == OBJECT_KIND_CONTROLLER) {
        const struct finding_list *list = ((const struct controller_view *)view)->findings;

        for (uint32_t i = 0; i < list->count; i++) {
            reason_note(advice, &list->items[i].cause);
            reason_note(advice, &list->items[i].remedy);
        }
    } else if (head->kind == OBJECT_KIND_DRIVE && drive->has_state_reason) {
        reason_note(advice, &drive->state_reason);
    }
}

static const struct advice *advice(struct ctl_world *world)
{
    static struct advice advice;
    struct ctl_visitor visitor = {.object = advice_of, .context = &advice};

    memset(&advice, 0, sizeof(advice));
    ctl_objects_since(world->ctl, 0, &visitor);
    if (look(world)->sets > 0) {
        reason_note(&advice, &look(world)->refusal);
    }
    return &advice;
}

static void expect_advice(struct ctl_world *world, const char *command)
{
    const struct advice *told = advice(world);

    for (uint32_t i = 0; i < told->count; i++) {
        if (command == NULL || strcmp(told->commands[i], command) != 0) {
            fail_msg("advice: %s; expected: %s", told->commands[i], command);
        }
    }
    assert_int_equal(told->count, command != NULL ? 1 : 0);
}

static void expect_whole(struct ctl_world *world, const char *name, uint8_t fill)
{
    if (!world_wait_state(world, name, VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE)) {
        expect_advice(world, NULL); /* says what is wrong */
        world_print_events(world, 0);
        fail_msg("it is not whole");
    }
    world_check(world, name, 0, DATA, fill);
    world_settle(world, MINUTE);
    expect_advice(world, NULL);
    world_restart(world);
    world_settle(world, MINUTE);
    if (!world_wait_state(world, name, VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE)) {
        world_print_events(world, 0);
        expect_advice(world, NULL);
    }
    world_check(world, name, 0, DATA, fill);
    expect_advice(world, NULL);
}

/* The group was deleted while drives were away, and is restored when they are back. */

static struct ctl_world *world_of(uint64_t seed, enum raid_level level, uint32_t count,
                                  enum way way)
{
    struct ctl_world *world = world_new(seed, count + 2);

    if (way == BY_CLAIM) {
        for (uint32_t i = 0; i < world->slot_count; i++) {
            world->slots[i].offered = true;
            world->slots[i].real = true;
        }
    }
    world_start(world);
    assert_int_equal(world_create(world, level, 0, count, "data"), REASON_OK);
    (void)world_wait_consistent(world, "data", 10 * MINUTE); /* RAID 0 is not asked */
    world_write(world, "data", 0, DATA, 0x5A);
    world_settle(world, 20 * SIM_SECOND);
    return world;
}

static void test_undone(void **state UNUSED)
{
    static const struct {
        enum raid_level level;
        uint32_t count, away;
    } sets[] = {{RAID_LEVEL_1, 2, 1},
                {RAID_LEVEL_5, 3, 1},
                {RAID_LEVEL_5, 3, 2},
                {RAID_LEVEL_0, 2, 1},
                {RAID_LEVEL_6, 4, 2}};

    for (uint32_t i = 0; i < sizeof(sets) / sizeof(sets[0]) * WAYS; i++) {
        uint32_t set = i / WAYS;
        enum way way = (enum way)(i % WAYS);
        struct ctl_world *world = world_of(10 + i, sets[set].level, sets[set].count, way);
        bool offline = sets[set].away > 1 + (sets[set].level == RAID_LEVEL_6) ||
                       sets[set].level == RAID_LEVEL_0;
        uint8_t fill = offline ? 0x5A : 0x77;

        for (uint32_t slot = 1; slot <= sets[set].away; slot++) {
            slot_leave(world, slot, way);
        }
        if (!offline) {
            world_write(world, "data", 0, DATA, fill);
        }
        assert_int_equal(world_delete(world, "data"), REASON_OK);
        for (uint32_t slot = 1; slot <= sets[set].away; slot++) {
            slot_come(world, slot, way);
        }
        assert_int_equal(world_undo(world), REASON_OK);
        assert_int_equal(world_event_count(world, 0, EVENT_MISMATCH), 0);
        expect_whole(world, "data", fill);
        world_free(world);
    }
}

/* One of them and a copy of it: the drive itself is the member, in whatever order they come. */
static void test_undone_with_copy(void **state UNUSED)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world =
            world_of(60 + i, i / 2 == 0 ? RAID_LEVEL_1 : RAID_LEVEL_0, 2, BY_ARRIVAL);
        uint8_t fill = i / 2 == 0 ? 0x77 : 0x5A;
        struct drive_view copy;

        slot_leave(world, 1, BY_ARRIVAL);
        slot_depart(world, 3);
        world_settle(world, SIM_SECOND);
        slot_copy(world, 1, 3);
        if (i / 2 == 0) {
            world_write(world, "data", 0, DATA, fill);
        }
        assert_int_equal(world_delete(world, "data"), REASON_OK);
        slot_come(world, i % 2 == 0 ? 1 : 3, BY_ARRIVAL);
        slot_come(world, i % 2 == 0 ? 3 : 1, BY_ARRIVAL);
        assert_int_equal(world_undo(world), REASON_OK);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
        world_check(world, "data", 0, DATA, fill);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
        assert_true(world_drive(world, 3, &copy));
        assert_true(copy.foreign);
        assert_int_equal(copy.state_reason.code, REASON_LABEL_DUPLICATE);
        assert_int_equal(world->slots[3].drive->counters.writes, 0);
        expect_advice(world, "/c0/fall delete");
        assert_int_equal(world_clear(world, look(world)->name), REASON_OK);
        expect_whole(world, "data", fill);
        world_free(world);
    }
}

/* A dedicated hot spare was away, too. */
static void test_undone_with_spare(void **state UNUSED)
{
    for (uint32_t way = 0; way < WAYS; way++) {
        struct ctl_world *world = world_of(70 + way, RAID_LEVEL_1, 2, (enum way)way);
        struct drive_group_view group;
        object_key_t key;

        assert_true(world_group(world, 0, &group, key));
        assert_int_equal(world_spare(world, 2, key), REASON_OK);
        slot_leave(world, 2, (enum way)way);
        assert_int_equal(world_delete(world, "data"), REASON_OK);
        slot_come(world, 2, (enum way)way);
        assert_int_equal(world_undo(world), REASON_OK);
        world_settle(world, SIM_SECOND);
        assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_DEDICATED_HOT_SPARE);
        expect_whole(world, "data", 0x5A);
        assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_DEDICATED_HOT_SPARE);
        world_free(world);
    }
}

/* A label that could not be taken off is still the member's. */
static void test_undone_with_label(void **state UNUSED)
{
    struct ctl_world *world = world_of(80, RAID_LEVEL_1, 2, BY_FAULT);

    assert_int_equal(world_fault(world, 1, FAULT_KIND_WRITE_ERROR), REASON_OK);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_CLEAR), REASON_OK);
    assert_int_equal(world_undo(world), REASON_OK);
    expect_whole(world, "data", 0x5A);
    world_free(world);
}

/* The power fails while it is deleted or restored: what the drives that were away hold of it is
 * needed the next time. */

struct undone_cut {
    enum ctl_op op;
    enum raid_level level;
};

static bool undone_cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    const struct undone_cut *one = what;
    struct ctl_world *world = world_of(90, one->level, 3, BY_ARRIVAL);
    struct ctl_command command = {.op = one->op};
    struct virtual_drive_view view;
    bool acknowledged = false;

    slot_leave(world, 1, BY_ARRIVAL);
    slot_leave(world, 2, BY_ARRIVAL);
    if (one->op == CTL_OP_UNDO_RESTORE) {
        assert_int_equal(world_delete(world, "data"), REASON_OK);
        slot_come(world, 1, BY_ARRIVAL);
        slot_come(world, 2, BY_ARRIVAL);
        strcpy(command.args.undo_restore.controller, "c0");
        command.args.undo_restore.undo = world_undo_newest(world);
    } else {
        strcpy(command.confirm, "data");
        assert_true(world_vd(world, "data", &view, command.args.vd_delete.vd));
    }
    acknowledged = world_run_cut(world, &command, at, cut);
    world->slots[1].absent = false;
    world->slots[2].absent = false;
    world_power_cycle(world);
    if (world_count(world, OBJECT_KIND_VIRTUAL_DRIVE) == 0) {
        assert_false(acknowledged && one->op == CTL_OP_UNDO_RESTORE);
        assert_int_equal(world_undo(world), REASON_OK);
    }
    if (!world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE)) {
        world_print_events(world, 0);
        fail_msg("op %d, cut %d at %llu: it is not whole", (int)one->op, (int)cut,
                 (unsigned long long)at);
    }
    world_check(world, "data", 0, DATA, 0x5A);
    world_free(world);
    return acknowledged;
}

static void test_undone_cut(void **state UNUSED)
{
    struct undone_cut runs[] = {{CTL_OP_UNDO_RESTORE, RAID_LEVEL_0},
                                {CTL_OP_UNDO_RESTORE, RAID_LEVEL_5},
                                {CTL_OP_VD_DELETE, RAID_LEVEL_0},
                                {CTL_OP_VD_DELETE, RAID_LEVEL_5}};

    for (uint32_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        uint32_t points = 0;

        for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
            points += world_cut_along(undone_cut_at, &runs[i], (enum sim_cut)cut, 5);
        }
        world_cuts_suffice(ctl_op_word(runs[i].op), points, 20);
    }
}

/* The set was imported without a drive, which is put back. */

static enum reason_code set_refusal(struct ctl_world *world)
{
    return look(world)->refusal.code;
}

static enum reason_code insert(struct ctl_world *world, uint32_t slot, uint32_t row, bool force)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_REPLACE};
    struct drive_group_view group;

    assert_true(world_group(world, 0, &group, command.args.drive_replace.group));
    strcpy(command.args.drive_replace.drive, slot_key(world, slot));
    command.args.drive_replace.row = row;
    command.args.drive_replace.force = force;
    if (force) { /* what arrayctl fills in */
        strcpy(command.args.drive_replace.serial, world->slots[slot].serial);
    }
    return world_run(world, &command);
}

/* What findings and the foreign set say works, and nothing happens before. */
static void insert_by_advice(struct ctl_world *world, uint32_t slot, uint32_t row)
{
    uint64_t writes = world->slots[slot].drive->counters.writes;
    char command[COMMAND_BYTES];

    (void)snprintf(command, sizeof(command), "/c0/e252/s%u insert dg=0 array=0 row=%u force", slot,
                   row);
    expect_advice(world, command);
    assert_int_equal(import(world, ""), set_refusal(world));
    assert_int_equal(insert(world, slot, row, false), REASON_DRIVE_HAS_DATA);
    world_settle(world, 5 * MINUTE);
    expect_advice(world, command);
    assert_true(world->slots[slot].drive->counters.writes == writes);
    assert_int_equal(insert(world, slot, row, true), REASON_OK);
}

static void test_imported(void **state UNUSED)
{
    for (uint32_t i = 0; i < 3 * WAYS; i++) {
        enum source source = (enum source)(i / WAYS); /* BY_LABELS, BY_DDF, BY_BOTH */
        enum way way = (enum way)(i % WAYS);
        struct ctl_world *world = NULL;

        if (source != BY_LABELS && way == BY_FAULT) {
            continue; /* not emulated */
        }
        world = world_foreign(100 + i, RAID_LEVEL_5, 3, source);
        world->slots[1].absent = true;
        world_start(world);
        assert_int_equal(import(world, ""), REASON_OK);
        world_write(world, "theirs", 0, DATA, 0x66);
        world_settle(world, 20 * SIM_SECOND);
        expect_advice(world, "/c0/e252/s3 insert dg=0 array=0 row=1");
        slot_depart(world, 3);
        world_settle(world, SIM_SECOND);
        expect_advice(world, NULL);
        slot_come(world, 1, way == BY_FAULT ? BY_ARRIVAL : way);
        insert_by_advice(world, 1, 1);
        expect_whole(world, "theirs", 0x66);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
        world_free(world);
    }
}

/* It went on without those that were imported, and has the newer data. */
static void test_imported_is_later(void **state UNUSED)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct ctl_world *world = world_of(130 + i, RAID_LEVEL_1, 2, BY_ARRIVAL);
        struct drive_view view;

        slot_leave(world, 0, BY_ARRIVAL);
        world_write(world, "data", 0, DATA, 0x77);
        world_settle(world, 20 * SIM_SECOND);
        memory_lose(world);
        world->slots[0].absent = false;
        world->slots[1].absent = true;
        if (i == 1) {
            all_offer(world);
        }
        world_start(world);
        assert_int_equal(import(world, ""), REASON_OK);
        world_check(world, "data", 0, DATA, 0x5A);
        slot_depart(world, 2);
        slot_depart(world, 3);
        slot_come(world, 1, BY_ARRIVAL);
        assert_int_equal(set_refusal(world), REASON_FOREIGN_MEMBER_LATER);
        assert_true(world_drive(world, 1, &view));
        insert_by_advice(world, 1, 1);
        expect_whole(world, "data", 0x5A);
        world_free(world);
    }
}

/* A hot spare has its place by now. */
static void test_imported_and_spared(void **state UNUSED)
{
    for (int source = BY_LABELS; source <= BY_BOTH; source++) {
        struct ctl_world *world =
            world_foreign(140 + (uint64_t)source, RAID_LEVEL_5, 3, (enum source)source);

        world->slots[1].absent = true;
        world_start(world);
        assert_int_equal(import(world, ""), REASON_OK);
        world_write(world, "theirs", 0, DATA, 0x66);
        assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
        assert_true(world_wait_state(world, "theirs", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
        slot_come(world, 1, BY_ARRIVAL);
        expect_advice(world, "/c0/fall delete");
        assert_int_equal(world_clear(world, look(world)->name), REASON_OK);
        expect_whole(world, "theirs", 0x66);
        world_free(world);
    }
}

/* The group is offline by now: it needs its other drives, and nothing is to be overwritten. */
static void test_imported_and_offline(void **state UNUSED)
{
    struct ctl_world *world = world_foreign(150, RAID_LEVEL_5, 3, BY_LABELS);

    world->slots[1].absent = true;
    world_start(world);
    assert_int_equal(import(world, ""), REASON_OK);
    world_write(world, "theirs", 0, DATA, 0x66);
    world_settle(world, 20 * SIM_SECOND);
    slot_depart(world, 3);
    slot_leave(world, 2, BY_ARRIVAL);
    slot_come(world, 1, BY_ARRIVAL);
    assert_int_equal(set_refusal(world), REASON_FOREIGN_MEMBER_WAITS);
    expect_advice(world, NULL);
    assert_int_not_equal(insert(world, 1, 1, true), REASON_OK);
    world_restart(world);
    world_settle(world, MINUTE);
    assert_int_equal(set_refusal(world), REASON_FOREIGN_MEMBER_WAITS);
    expect_advice(world, NULL);
    slot_come(world, 2, BY_ARRIVAL);
    assert_true(world_wait_state(world, "theirs", VIRTUAL_DRIVE_STATE_DEGRADED, 10 * MINUTE));
    insert_by_advice(world, 1, 1);
    expect_whole(world, "theirs", 0x66);
    world_free(world);
}

/* It cannot go anywhere but into its own place without being freed first. */
static void test_imported_elsewhere(void **state UNUSED)
{
    struct ctl_world *world = world_foreign(160, RAID_LEVEL_6, 4, BY_LABELS);

    world->slots[1].absent = true;
    world->slots[2].absent = true;
    world_start(world);
    assert_int_equal(import(world, ""), REASON_OK);
    slot_depart(world, 4);
    slot_come(world, 1, BY_ARRIVAL);
    assert_int_equal(insert(world, 1, 2, true), REASON_DRIVE_FOREIGN);
    insert_by_advice(world, 1, 1);
    assert_true(world_wait_state(world, "theirs", VIRTUAL_DRIVE_STATE_DEGRADED, 10 * MINUTE));
    slot_come(world, 2, BY_ARRIVAL);
    insert_by_advice(world, 2, 2);
    expect_whole(world, "theirs", 0x5A);
    world_free(world);
}

/* A write that fails leaves it what it was. */
static void test_imported_fails(void **state UNUSED)
{
    struct ctl_world *world = world_foreign(170, RAID_LEVEL_5, 3, BY_LABELS);

    world->slots[1].absent = true;
    world_start(world);
    assert_int_equal(import(world, ""), REASON_OK);
    slot_depart(world, 3);
    slot_come(world, 1, BY_ARRIVAL);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_WRITE_ERROR), REASON_OK);
    assert_int_not_equal(insert(world, 1, 1, true), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_CLEAR), REASON_OK);
    world_settle(world, MINUTE);
    insert_by_advice(world, 1, 1);
    expect_whole(world, "theirs", 0x5A);
    world_free(world);
}

/* Copies of a drive that a group needs */

static const struct {
    enum raid_level level;
    uint32_t count, away; /* the last one is copied */
} needing[] = {{RAID_LEVEL_0, 2, 1}, {RAID_LEVEL_1, 2, 2}, {RAID_LEVEL_5, 3, 2}};

/* The copy has what the drive held, and it was not here with it: it takes the place. The drive
 * itself, if it comes back, is not used beside it. */
static void test_copy_of_needed(void **state UNUSED)
{
    for (uint32_t i = 0; i < sizeof(needing) / sizeof(needing[0]) * 2; i++) {
        uint32_t set = i / 2, last = needing[set].count - 1, copy = needing[set].count + 1;
        enum way way = i % 2 == 0 ? BY_FAULT : BY_ARRIVAL;
        struct ctl_world *world = world_of(200 + i, needing[set].level, needing[set].count, way);
        struct virtual_drive_view view;

        slot_leave(world, copy, BY_ARRIVAL);
        for (uint32_t k = needing[set].away; k > 0; k--) {
            slot_leave(world, last + 1 - k, way);
        }
        assert_true(world_vd(world, "data", &view, NULL));
        assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
        slot_copy(world, last, copy);
        slot_come(world, copy, BY_ARRIVAL);
        world_settle(world, MINUTE);
        assert_true(world_vd(world, "data", &view, NULL));
        assert_int_not_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
        world_check(world, "data", 0, DATA, 0x5A);
        world_write(world, "data", 0, DATA, 0x77);
        slot_come(world, last, way);
        world_settle(world, MINUTE);
        world_check(world, "data", 0, DATA, 0x77);
        world_restart(world);
        world_settle(world, MINUTE);
        world_check(world, "data", 0, DATA, 0x77);
        world_free(world);
    }
}

static void expect_state(struct ctl_world *world, const char *name, enum virtual_drive_state state)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, NULL));
    assert_int_equal(view.state, state);
}

static enum reason_code set_online(struct ctl_world *world, uint32_t slot)
{
    return world_drive_op(world, CTL_OP_DRIVE_ONLINE, slot);
}

/* The copy was here while the drive was: how old it is only a user can tell. It is taken on
 * request, and only while it is needed. */
static void test_copy_beside_needed(void **state UNUSED)
{
    for (uint32_t i = 0; i < sizeof(needing) / sizeof(needing[0]) * 2; i++) {
        uint32_t set = i / 2, last = needing[set].count - 1, copy = needing[set].count + 1;
        enum way way = i % 2 == 0 ? BY_FAULT : BY_ARRIVAL;
        struct ctl_world *world = world_of(220 + i, needing[set].level, needing[set].count, way);
        char command[COMMAND_BYTES];
        static uint8_t zeros[DATA];

        slot_leave(world, copy, BY_ARRIVAL);
        for (uint32_t k = needing[set].away; k > 1; k--) {
            slot_leave(world, last + 1 - k, way);
        }
        world_settle(world, MINUTE);
        assert_int_equal(world_fault(world, last, FAULT_KIND_WRITE_ERROR), REASON_OK);
        (void)world_io(world, "data", VD_OP_WRITE, 2 * MIB, DATA, zeros); /* it fails */
        world_settle(world, MINUTE);
        expect_state(world, "data", VIRTUAL_DRIVE_STATE_OFFLINE);
        slot_copy(world, last, copy);
        slot_come(world, copy, BY_ARRIVAL);
        assert_int_not_equal(set_online(world, copy), REASON_OK);
        slot_leave(world, last, way);
        world_settle(world, MINUTE);
        expect_state(world, "data", VIRTUAL_DRIVE_STATE_OFFLINE);
        (void)snprintf(command, sizeof(command), "/c0/e252/s%u set online", copy);
        expect_advice(world, command);
        assert_int_equal(world->slots[copy].drive->counters.writes, 0);
        assert_int_equal(set_online(world, copy), REASON_OK);
        world_settle(world, MINUTE);
        world_check(world, "data", 0, DATA, 0x5A);
        world_write(world, "data", 0, DATA, 0x77);
        slot_come(world, last, way);
        world_settle(world, MINUTE);
        world_check(world, "data", 0, DATA, 0x77);
        world_restart(world);
        world_settle(world, MINUTE);
        world_check(world, "data", 0, DATA, 0x77);
        world_free(world);
    }
}

/* It has missed what its own label does not know of. */
static void test_copy_is_older(void **state UNUSED)
{
    struct ctl_world *world = world_of(240, RAID_LEVEL_5, 3, BY_ARRIVAL);
    struct virtual_drive_view view;

    slot_leave(world, 4, BY_ARRIVAL);
    slot_copy(world, 2, 4);
    slot_leave(world, 1, BY_ARRIVAL);
    world_write(world, "data", 0, DATA, 0x77);
    world_settle(world, MINUTE);
    slot_come(world, 4, BY_ARRIVAL);
    slot_leave(world, 2, BY_ARRIVAL);
    world_settle(world, MINUTE);
    assert_int_equal(set_refusal(world), REASON_FOREIGN_COPY_OLDER);
    expect_advice(world, NULL);
    assert_int_not_equal(set_online(world, 4), REASON_OK);
    slot_leave(world, 4, BY_ARRIVAL);
    slot_come(world, 4, BY_ARRIVAL);
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(world->slots[4].drive->counters.writes, 0);
    slot_come(world, 2, BY_ARRIVAL);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, 10 * MINUTE));
    world_check(world, "data", 0, DATA, 0x77);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undone),
        cmocka_unit_test(test_undone_with_copy),
        cmocka_unit_test(test_undone_with_spare),
        cmocka_unit_test(test_undone_with_label),
        cmocka_unit_test(test_undone_cut),
        cmocka_unit_test(test_imported),
        cmocka_unit_test(test_imported_is_later),
        cmocka_unit_test(test_imported_and_spared),
        cmocka_unit_test(test_imported_and_offline),
        cmocka_unit_test(test_imported_elsewhere),
        cmocka_unit_test(test_imported_fails),
        cmocka_unit_test(test_copy_of_needed),
        cmocka_unit_test(test_copy_beside_needed),
        cmocka_unit_test(test_copy_is_older),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
