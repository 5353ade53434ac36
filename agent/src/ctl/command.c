/*
 * Commands: one at a time, in order of arrival. A command runs from the work loop, never from
 * inside ctl_execute(); it holds `change` until it ends.
 *
 *   waiting --change is free--> running --command_finish--> completed
 *
 * (1) Preconditions and documents are compared after a refresh, and a command completes after
 *     one, so that the caller sees the revisions of what it caused.
 */
#include "ctl/command.h"

#include <string.h>

#include "base/assert.h"
#include "ctl/command_init.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_doubt.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_stripe.h"

static const struct {
    const char *word;
    const char *said; /* as arrayctl(8) has it */
    void (*run)(struct ctl *ctl, struct ctl_command *command);
} ops[CTL_OP_MAX] = {
    [CTL_OP_VD_CREATE] = {"vd_create", "add vd", command_vd_create},
    [CTL_OP_VD_DELETE] = {"vd_delete", "delete", command_vd_delete},
    [CTL_OP_VD_SET] = {"vd_set", "set", command_vd_set},
    [CTL_OP_CONTROLLER_SET] = {"controller_set", "set", command_controller_set},
    [CTL_OP_SPARE_ADD] = {"spare_add", "add hotsparedrive", command_spare_add},
    [CTL_OP_SPARE_REMOVE] = {"spare_remove", "delete hotsparedrive", command_spare_remove},
    [CTL_OP_REBUILD] = {"rebuild", "rebuild", command_rebuild},
    [CTL_OP_COPYBACK] = {"copyback", "copyback", command_copyback},
    [CTL_OP_BGI] = {"bgi", "bgi", command_bgi},
    [CTL_OP_CONSISTENCY_CHECK] = {"consistency_check", "cc", command_consistency_check},
    [CTL_OP_PATROL_READ] = {"patrol_read", "patrolread", command_patrol_read},
    [CTL_OP_DRIVE_REPLACE] = {"drive_replace", "insert", command_drive_replace},
    [CTL_OP_DRIVE_OFFLINE] = {"drive_offline", "set offline", command_drive_offline},
    [CTL_OP_DRIVE_ONLINE] = {"drive_online", "set online", command_drive_online},
    [CTL_OP_DRIVE_MISSING] = {"drive_missing", "set missing", command_missing},
    [CTL_OP_DRIVE_JBOD] = {"drive_jbod", "set jbod", command_drive_jbod},
    [CTL_OP_DRIVE_GOOD] = {"drive_good", "set good", command_drive_good},
    [CTL_OP_DRIVE_LOCATE] = {"drive_locate", "locate", command_drive_locate},
    [CTL_OP_DRIVE_ERASE] = {"drive_erase", "erase", command_drive_erase},
    [CTL_OP_DRIVE_SPINDOWN] = {"drive_spindown", "spindown", command_drive_spin},
    [CTL_OP_DRIVE_SPINUP] = {"drive_spinup", "spinup", command_drive_spin},
    [CTL_OP_FAULT_INJECT] = {"fault_inject", "set fault", command_fault_inject},
    [CTL_OP_BATTERY_LEARN] = {"battery_learn", "start learn", command_battery_learn},
    [CTL_OP_BATTERY_SET] = {"battery_set", "set", command_battery_set},
    [CTL_OP_BATTERY_FAULT] = {"battery_fault", "set fault", command_battery_fault},
    [CTL_OP_COUNTERS_RESET] = {"counters_reset", "delete perf", command_counters_reset},
    [CTL_OP_CACHE_DISCARD] = {"cache_discard", "delete preservedcache", command_cache_discard},
    [CTL_OP_CACHE_FLUSH] = {"cache_flush", "flushcache", command_cache_flush},
    [CTL_OP_DOUBT_CLEAR] = {"doubt_clear", "delete doubt", command_doubt_clear},
    [CTL_OP_FOREIGN_IMPORT] = {"foreign_import", "import", command_foreign_import},
    [CTL_OP_FOREIGN_CLEAR] = {"foreign_clear", "delete", command_foreign_clear},
    [CTL_OP_UNDO_RESTORE] = {"undo_restore", "restore undo", command_undo_restore},
    [CTL_OP_STRIPE_CREATE] = {"stripe_create", "add stripe", command_stripe_create},
    [CTL_OP_STRIPE_DELETE] = {"stripe_delete", "delete stripe", command_stripe_delete},
    [CTL_OP_VD_MEASURE] = {"vd_measure", "start measure", command_vd_measure},
    [CTL_OP_VD_INIT] = {"vd_init", "start init", command_vd_init},
    [CTL_OP_VD_EXPAND] = {"vd_expand", "expand", command_vd_expand},
};

/* Done at once, and changes no objects but those that it names. */
static const bool is_narrow[CTL_OP_MAX] = {[CTL_OP_DRIVE_LOCATE] = true};

const char *ctl_op_word(enum ctl_op op)
{
    ASSERT((unsigned)op < CTL_OP_MAX);
    return ops[op].word;
}

const char *ctl_op_said(enum ctl_op op)
{
    ASSERT((unsigned)op < CTL_OP_MAX);
    return ops[op].said;
}

bool ctl_op_parse(const char *word, enum ctl_op *ret_op)
{
    for (unsigned i = 0; i < CTL_OP_MAX; i++) {
        if (strcmp(ops[i].word, word) == 0) {
            *ret_op = (enum ctl_op)i;
            return true;
        }
    }
    return false;
}

void command_object_add(struct ctl_command *command, const struct ctl_object *object)
{
    if (command->object_count < COMMAND_OBJECTS_MAX) {
        command->objects[command->object_count].kind = object->kind;
        memcpy(command->objects[command->object_count].key, object->key,
               sizeof(command->objects[0].key));
        command->object_count++;
    }
}

static bool preconditions_hold(const struct ctl *ctl, const struct ctl_command *command,
                               struct reason *ret_reason)
{
    for (uint32_t i = 0; i < command->precondition_count && i < COMMAND_PRECONDITIONS_MAX; i++) {
        enum object_kind kind = command->preconditions[i].kind;
        const char *key = command->preconditions[i].key;
        const struct ctl_object *object = NULL;

        if ((unsigned)kind >= OBJECT_KIND_MAX) {
            reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", "preconditions", "problem",
                       "unknown kind of object", NULL);
            return false;
        }
        object = object_find(ctl, kind, key);
        object = object != NULL ? object : host_object_find(ctl->host, kind, key);
        if (object == NULL) {
            reason_set(ret_reason, REASON_UNKNOWN_OBJECT, "kind", object_kind_word(kind), "key",
                       key, NULL);
            return false;
        }
        if (object->config_rev != command->preconditions[i].config_rev) {
            reason_set(ret_reason, REASON_STALE_PRECONDITION, "kind", object_kind_word(kind), "key",
                       key, NULL);
            return false;
        }
    }
    return true;
}

static void command_complete(struct ctl *ctl, struct ctl_command *command,
                             const struct reason *reason)
{
    if (is_narrow[command->op]) {
        ctl_refresh_named(ctl, command);
    } else {
        ctl_stale(ctl);
    }
    ctl_refresh(ctl);
    command->reason = *reason;
    command->ctl_private = NULL;
    command->complete(command);
}

void command_finish(struct ctl *ctl, const struct reason *reason)
{
    struct ctl_command *command = ctl->command;
    struct reason copy = *reason; /* it may live in what the end of the command frees */

    ASSERT(command != NULL);
    ctl->command = NULL;
    host_naming_end(ctl);
    ctl_change_release(ctl);
    command_complete(ctl, command, &copy);
}

void command_done(struct ctl *ctl)
{
    struct reason reason;

    reason_set(&reason, REASON_OK, NULL);
    command_finish(ctl, &reason);
}

void command_refuse(struct ctl *ctl, enum reason_code code)
{
    struct reason reason;

    ASSERT(code != REASON_OK);
    reason_set(&reason, code, NULL);
    command_finish(ctl, &reason);
}

static bool gives_name(const struct ctl_command *command)
{
    return command->op == CTL_OP_VD_CREATE || command->op == CTL_OP_VD_SET ||
           command->op == CTL_OP_FOREIGN_IMPORT || command->op == CTL_OP_UNDO_RESTORE ||
           command->op == CTL_OP_STRIPE_CREATE || command->op == CTL_OP_STRIPE_DELETE;
}

static void command_start(struct ctl *ctl, struct ctl_command *command)
{
    struct reason reason;

    ctl->command = command;
    command->object_count = 0;
    command->changed_something = false;
    command->ctl_private = NULL;
    ctl_refresh(ctl);
    if (!rule_online(ctl, &reason) || !preconditions_hold(ctl, command, &reason) ||
        !ctl_preset_fill(ctl, command, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (!is_narrow[command->op]) {
        ctl_stale(ctl);
    }
    ops[command->op].run(ctl, command);
}

void ctl_commands_work(struct ctl *ctl)
{
    if (ctl->command != NULL) {
        command_vd_delete_work(ctl);
    }
    if (ctl->command != NULL) {
        command_vd_expand_work(ctl);
    }
    if (ctl->command != NULL) {
        command_init_work(ctl);
    }
    if (ctl->command != NULL) {
        command_task_work(ctl);
    }
    if (ctl->command != NULL) {
        command_check_work(ctl);
    }
    if (ctl->command != NULL) {
        command_doubt_work(ctl);
    }
    if (ctl->command != NULL) {
        command_stripe_work(ctl);
    }
    if (ctl_is_starting(ctl)) {
        return;
    }
    while (!list_is_empty(&ctl->commands)) {
        struct ctl_command *next =
            list_entry(list_first(&ctl->commands), struct ctl_command, ctl_link);

        if (ctl->life == CTL_LIFE_ONLINE && ctl_commands_wait(ctl, next)) {
            return;
        }
        if (gives_name(next) && !host_naming_begin(ctl)) {
            return; /* kicked when the other has its name */
        }
        if (!ctl_change_begin(ctl, "a command")) {
            return;
        }
        list_remove(&next->ctl_link);
        command_start(ctl, next);
    }
}

void ctl_execute(struct ctl *ctl, struct ctl_command *command)
{
    ASSERT(command->complete != NULL);
    ASSERT((unsigned)command->op < CTL_OP_MAX);
    list_init(&command->ctl_link);
    command->ctl_until_us = 0;
    list_push_tail(&ctl->commands, &command->ctl_link);
    ctl_wake(ctl);
}

struct ctl_drive *command_drive_find(struct ctl *ctl, const char *key)
{
    struct ctl_drive *cd = drive_by_key(ctl, key);
    struct reason reason;

    if (cd == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "drive", "key", key, NULL);
        command_finish(ctl, &reason);
    }
    return cd;
}
