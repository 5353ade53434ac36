/*
 * Every cell of the table of the life cycle in a controller that runs: what is permitted ends in
 * the state that the table says, what is refused is refused with its code and changes nothing,
 * and the drive's document and arrayctl(8) say the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/life_cycle.h"
#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define SUBJECT 0u /* the slot of the drive that is looked at */
#define TWIN 1u    /* the other member of its mirror, or that of which it is a copy */
#define SOURCE 4u  /* the member of another mirror that works ... */
#define LOST 5u    /* ... and the one that does not */
#define FREE 6u
#define WHOLE 7u /* a member of a third mirror, which nothing happens to */
#define SLOTS 9u

static char before[16384];
static char after[16384];

/* Commands */

static enum reason_code copyback(struct ctl_world *world, uint32_t from, uint32_t to,
                                 enum task_action action)
{
    struct ctl_command command = {.op = CTL_OP_COPYBACK};

    strcpy(command.args.copyback.drive, slot_key(world, from));
    strcpy(command.args.copyback.target, slot_key(world, to));
    command.args.copyback.action = action;
    return world_run(world, &command);
}

static enum reason_code rebuild(struct ctl_world *world, enum task_action action)
{
    return world_task(world, CTL_OP_REBUILD, slot_key(world, SUBJECT), action);
}

static enum reason_code replace(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_REPLACE};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "other", &view, NULL));
    strcpy(command.args.drive_replace.group, view.group);
    strcpy(command.args.drive_replace.drive, slot_key(world, SUBJECT));
    command.args.drive_replace.row = 1;
    return world_run(world, &command);
}

static enum reason_code set_good(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_GOOD};

    strcpy(command.args.drive_good.drive, slot_key(world, SUBJECT));
    strcpy(command.confirm, world->slots[SUBJECT].serial);
    command.args.drive_good.force = true;
    return world_run(world, &command);
}

static enum reason_code locate(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_LOCATE};

    strcpy(command.args.drive_locate.drive, slot_key(world, SUBJECT));
    command.args.drive_locate.on = true;
    return world_run_narrow(world, &command);
}

static enum reason_code erase(struct ctl_world *world, enum task_action action)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_ERASE};

    strcpy(command.args.drive_erase.drive, slot_key(world, SUBJECT));
    strcpy(command.confirm, world->slots[SUBJECT].serial);
    command.args.drive_erase.action = action;
    command.args.drive_erase.mode = ERASE_MODE_THOROUGH;
    command.args.drive_erase.force = true;
    return world_run(world, &command);
}

static enum reason_code command_run(struct ctl_world *world, enum life_command command)
{
    switch (command) {
    case LIFE_CREATE:
        return world_create(world, RAID_LEVEL_0, SUBJECT, 1, "new");
    case LIFE_REPLACE:
        return replace(world);
    case LIFE_SPARE_ADD:
        return world_spare(world, SUBJECT, NULL);
    case LIFE_SPARE_REMOVE:
    case LIFE_SET_OFFLINE:
    case LIFE_SET_ONLINE:
    case LIFE_SET_MISSING:
    case LIFE_SET_JBOD:
    case LIFE_SPIN_DOWN:
    case LIFE_SPIN_UP:
        return world_drive_op(world, life_command_info(command)->op, SUBJECT);
    case LIFE_REBUILD_START:
    case LIFE_REBUILD_STOP:
    case LIFE_REBUILD_PAUSE:
    case LIFE_REBUILD_RESUME:
        return rebuild(world, (enum task_action)(command - LIFE_REBUILD_START));
    case LIFE_COPYBACK_START:
    case LIFE_COPYBACK_STOP:
    case LIFE_COPYBACK_PAUSE:
    case LIFE_COPYBACK_RESUME:
        return copyback(world, SUBJECT, FREE, (enum task_action)(command - LIFE_COPYBACK_START));
    case LIFE_COPYBACK_TARGET:
        return copyback(world, WHOLE, SUBJECT, TASK_ACTION_START);
    case LIFE_SET_GOOD:
        return set_good(world);
    case LIFE_LOCATE:
        return locate(world);
    case LIFE_ERASE_START:
        return erase(world, TASK_ACTION_START);
    case LIFE_ERASE_STOP:
        return erase(world, TASK_ACTION_STOP);
    case LIFE_COMMAND_MAX:
        break;
    }
    fail();
    return REASON_MAX;
}

/* States */

/* Nothing happens by itself: what a lost member is replaced by is a command's doing. */
static void auto_rebuild_off(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};

    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_AUTO_REBUILD;
    assert_int_equal(world_run(world, &command), REASON_OK);
}

static void mirror_make(struct ctl_world *world, uint32_t first, const char *name)
{
    assert_int_equal(world_create(world, RAID_LEVEL_1, first, 2, name), REASON_OK);
    assert_true(world_wait_consistent(world, name, 10 * MINUTE));
}

static void flush_fail(struct ctl_world *world, uint32_t slot)
{
    uint8_t bytes[4096];

    memset(bytes, 0x11, sizeof(bytes));
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(bytes), bytes), VD_STATUS_OK);
    world->slots[slot].drive->flush_forgets = 1;
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(bytes), bytes), VD_STATUS_OK);
    (void)world_io(world, "data", VD_OP_FLUSH, 0, 0, NULL);
    world_settle(world, SIM_SECOND);
}

/* A copy of a member that works. */
static void copy_come(struct ctl_world *world)
{
    static uint8_t bytes[MIB];

    mirror_make(world, TWIN, "data");
    slot_depart(world, SUBJECT);
    world_settle(world, SIM_SECOND);
    for (uint64_t at = 0; at < world->slots[TWIN].options.size_bytes; at += sizeof(bytes)) {
        sim_drive_peek(world->slots[TWIN].drive, at, bytes, sizeof(bytes));
        sim_drive_poke(world->slots[SUBJECT].drive, at, bytes, sizeof(bytes));
    }
    slot_arrive(world, SUBJECT);
    world_settle(world, SIM_SECOND);
}

static void rebuild_begin(struct ctl_world *world)
{
    mirror_make(world, SUBJECT, "data");
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, SUBJECT), REASON_OK);
    assert_int_equal(rebuild(world, TASK_ACTION_START), REASON_OK);
    assert_int_equal(rebuild(world, TASK_ACTION_PAUSE), REASON_OK);
}

static void member_come_back(struct ctl_world *world)
{
    mirror_make(world, SUBJECT, "data");
    assert_int_equal(world_fault(world, SUBJECT, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_fault(world, SUBJECT, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, SIM_SECOND);
}

/* Another drive has taken its place: by hand, then it comes back. */
static void member_be_replaced(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_REPLACE};
    struct virtual_drive_view view;

    mirror_make(world, SUBJECT, "data");
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, SUBJECT), REASON_OK);
    assert_true(world_vd(world, "data", &view, NULL));
    strcpy(command.args.drive_replace.group, view.group);
    strcpy(command.args.drive_replace.drive, slot_key(world, 2));
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
}

/* … and while it is away. */
static void member_be_taken_over(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_REPLACE};
    struct virtual_drive_view view;

    mirror_make(world, SUBJECT, "data");
    assert_int_equal(world_fault(world, SUBJECT, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_vd(world, "data", &view, NULL));
    strcpy(command.args.drive_replace.group, view.group);
    strcpy(command.args.drive_replace.drive, slot_key(world, 2));
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
}

static void spare_make(struct ctl_world *world, bool dedicated)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, "other", &view, NULL));
    assert_int_equal(world_spare(world, SUBJECT, dedicated ? view.group : NULL), REASON_OK);
}

static void state_make(struct ctl_world *world, enum life_state state)
{
    switch (state) {
    case LIFE_FOREIGN:
        copy_come(world);
        break;
    case LIFE_UBAD:
        member_be_replaced(world);
        break;
    case LIFE_GHS:
    case LIFE_DHS:
        spare_make(world, state == LIFE_DHS);
        break;
    case LIFE_ONLN:
        mirror_make(world, SUBJECT, "data");
        break;
    case LIFE_OFFLN:
        mirror_make(world, SUBJECT, "data");
        assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, SUBJECT), REASON_OK);
        break;
    case LIFE_FAILED:
        mirror_make(world, SUBJECT, "data");
        flush_fail(world, SUBJECT);
        break;
    case LIFE_NEEDED:
        assert_int_equal(world_create(world, RAID_LEVEL_0, SUBJECT, 1, "data"), REASON_OK);
        flush_fail(world, SUBJECT);
        break;
    case LIFE_STALE:
        member_come_back(world);
        break;
    case LIFE_RBLD:
        rebuild_begin(world);
        break;
    case LIFE_CPYBCK:
        assert_int_equal(copyback(world, SOURCE, SUBJECT, TASK_ACTION_START), REASON_OK);
        assert_int_equal(copyback(world, SUBJECT, FREE, TASK_ACTION_PAUSE), REASON_OK);
        break;
    case LIFE_MISSING:
        mirror_make(world, SUBJECT, "data");
        assert_int_equal(world_fault(world, SUBJECT, FAULT_KIND_PULL), REASON_OK);
        world_settle(world, SIM_SECOND);
        break;
    case LIFE_REMOVED:
        member_be_taken_over(world);
        break;
    case LIFE_JBOD:
        assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_JBOD, SUBJECT), REASON_OK);
        break;
    case LIFE_ERASING:
    case LIFE_ERASED_PARTLY:
    case LIFE_ERASE_AWAY:
        assert_int_equal(erase(world, TASK_ACTION_START), REASON_OK);
        world->slots[SUBJECT].drive->extra_latency_us = 500 * 1000;
        if (state == LIFE_ERASE_AWAY) {
            assert_int_equal(world_fault(world, SUBJECT, FAULT_KIND_PULL), REASON_OK);
            world_settle(world, 5 * SIM_SECOND);
        } else if (state == LIFE_ERASED_PARTLY) {
            assert_int_equal(erase(world, TASK_ACTION_STOP), REASON_OK);
            world_settle(world, 5 * SIM_SECOND);
        }
        break;
    case LIFE_UGOOD:
    case LIFE_TOO_SMALL:
    case LIFE_IN_USE:
    case LIFE_STATE_MAX:
        break; /* by the drive itself */
    }
}

static struct ctl_world *world_in(enum life_state state)
{
    struct ctl_world *world = world_new(500 + (uint64_t)state, SLOTS);
    struct slot *slot = &world->slots[SUBJECT];
    struct drive_view drive;

    slot->real = true;
    slot->offered = state != LIFE_FOREIGN;
    slot->unsuitable = state == LIFE_IN_USE      ? REASON_DRIVE_UNSUITABLE_MOUNTED
                       : state == LIFE_TOO_SMALL ? REASON_DRIVE_UNSUITABLE_SMALL
                                                 : REASON_OK;
    world_start(world);
    auto_rebuild_off(world);
    mirror_make(world, SOURCE, "other");
    mirror_make(world, WHOLE, "third");
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, LOST), REASON_OK);
    state_make(world, state);
    assert_true(world_drive(world, SUBJECT, &drive));
    if (drive.state != life_drive_state(state) || drive.foreign != (state == LIFE_FOREIGN)) {
        fail_msg("%s: the drive is %s", life_state_name(state), drive_state_short(drive.state));
    }
    return world;
}

/* What has to run, or not to run, for the command to be possible. */
static void prepare(struct ctl_world *world, enum life_state state, enum life_command command)
{
    if (command == LIFE_SPIN_UP) {
        assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_SPINDOWN, SUBJECT), REASON_OK);
    } else if (state == LIFE_RBLD && command == LIFE_REBUILD_START) {
        assert_int_equal(rebuild(world, TASK_ACTION_STOP), REASON_OK);
        world_settle(world, SIM_SECOND);
    } else if (state == LIFE_RBLD && command == LIFE_REBUILD_PAUSE) {
        assert_int_equal(rebuild(world, TASK_ACTION_RESUME), REASON_OK);
    } else if (state == LIFE_CPYBCK && command == LIFE_COPYBACK_PAUSE) {
        assert_int_equal(copyback(world, SUBJECT, FREE, TASK_ACTION_RESUME), REASON_OK);
    } else if (state == LIFE_ONLN && command > LIFE_COPYBACK_START &&
               command <= LIFE_COPYBACK_RESUME) {
        assert_int_equal(copyback(world, SUBJECT, FREE, TASK_ACTION_START), REASON_OK);
        if (command == LIFE_COPYBACK_RESUME) {
            assert_int_equal(copyback(world, SUBJECT, FREE, TASK_ACTION_PAUSE), REASON_OK);
        }
    }
}

static bool becomes(struct ctl_world *world, enum life_state state)
{
    struct drive_view drive;

    for (uint32_t i = 0; i < 2000; i++) {
        assert_true(world_drive(world, SUBJECT, &drive));
        if (drive.state == life_drive_state(state) && drive.foreign == (state == LIFE_FOREIGN)) {
            return true;
        }
        world_settle(world, 1000);
    }
    return false;
}

static void cell_name(char *out, size_t capacity, enum life_state state, enum life_command command)
{
    (void)snprintf(out, capacity, "%s, %s", life_state_name(state),
                   life_command_info(command)->words);
}

/* Its document says so beforehand. */
static bool is_blocked(struct ctl_world *world, enum life_command command, enum reason_code code)
{
    const struct life_command_info *info = life_command_info(command);
    struct drive_view drive;

    assert_true(world_drive(world, SUBJECT, &drive));
    for (uint32_t i = 0; i < drive.blocked.count; i++) {
        if (drive.blocked.items[i].op == info->op &&
            (info->action == NULL || strcmp(drive.blocked.items[i].action, info->action) == 0)) {
            return drive.blocked.items[i].reason.code == code;
        }
    }
    return code == REASON_OK;
}

static void refused_check(struct ctl_world *world, enum life_state state, enum life_command command,
                          enum reason_code refusal)
{
    char name[64];
    enum reason_code code = REASON_OK;

    cell_name(name, sizeof(name), state, command);
    if (life_command_info(command)->is_shown && !is_blocked(world, command, refusal)) {
        fail_msg("%s: the document does not say %s", name, reason_code_word(refusal));
    }
    world_describe(world, before, sizeof(before));
    code = command_run(world, command);
    world_describe(world, after, sizeof(after));
    if (code != refusal) {
        fail_msg("%s: %s, expected %s", name, reason_code_word(code), reason_code_word(refusal));
    }
    assert_string_equal(before, after);
}

static void permitted_check(enum life_state state, enum life_command command, enum life_state next)
{
    struct ctl_world *world = world_in(state);
    char name[64];

    cell_name(name, sizeof(name), state, command);
    prepare(world, state, command);
    if (life_command_info(command)->is_shown && !is_blocked(world, command, REASON_OK)) {
        fail_msg("%s: the document blocks it", name);
    }
    if (command_run(world, command) != REASON_OK) {
        fail_msg("%s: %s", name, world->text);
    }
    if (!becomes(world, next)) {
        fail_msg("%s: it becomes %s, expected %s", name,
                 drive_state_short(world_drive_state(world, SUBJECT)), life_state_name(next));
    }
    world_free(world);
}

static void test_every_cell(void **test)
{
    (void)test;
    for (uint32_t i = 0; i < LIFE_STATE_MAX; i++) {
        enum life_state state = (enum life_state)i;
        struct ctl_world *world = world_in(state);

        for (uint32_t j = 0; j < LIFE_COMMAND_MAX; j++) {
            const struct life_cell *cell = life_cell(state, (enum life_command)j);

            if (cell->refusal != REASON_OK) {
                refused_check(world, state, (enum life_command)j, cell->refusal);
            }
        }
        world_free(world);
        for (uint32_t j = 0; j < LIFE_COMMAND_MAX; j++) {
            const struct life_cell *cell = life_cell(state, (enum life_command)j);

            if (cell->refusal == REASON_OK) {
                permitted_check(state, (enum life_command)j, cell->next);
            }
        }
    }
}

/* The manual has what the table says, between two marks. */
static void test_manual(void **test)
{
    static char manual[65536];
    static char expected[16384];
    FILE *in = fopen(MANUAL, "r");
    size_t used = 0;

    (void)test;
    assert_non_null(in);
    manual[fread(manual, 1, sizeof(manual) - 1, in)] = '\0';
    (void)fclose(in);
    for (uint32_t i = 0; i < LIFE_STATE_MAX; i++) {
        const char *separator = "";

        used += (size_t)snprintf(expected + used, sizeof(expected) - used, ".TP\n.B \"%s\"\n",
                                 life_state_name((enum life_state)i));
        for (uint32_t j = 0; j < LIFE_COMMAND_MAX; j++) {
            const struct life_cell *cell = life_cell((enum life_state)i, (enum life_command)j);

            if (cell->refusal == REASON_OK) {
                used += (size_t)snprintf(expected + used, sizeof(expected) - used, "%s%s%s%s",
                                         separator, life_command_info((enum life_command)j)->words,
                                         cell->next == i ? "" : ": ",
                                         cell->next == i ? "" : life_state_name(cell->next));
                separator = ";\n";
            }
        }
        used += (size_t)snprintf(expected + used, sizeof(expected) - used, ".\n");
        assert_true(used < sizeof(expected));
    }
    if (strstr(manual, expected) == NULL) {
        (void)fprintf(stderr, "%s", expected);
        fail_msg("%s does not say what is printed above", MANUAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cell),
        cmocka_unit_test(test_manual),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
