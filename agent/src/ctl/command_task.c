/*
 * rebuild, bgi and drive_replace: background work asked for by a user.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_spare.h"
#include "ctl/member_returned.h"

static void refuse_unknown(struct ctl *ctl, const char *kind, const char *key)
{
    struct reason reason;

    reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", kind, "key", key, NULL);
    command_finish(ctl, &reason);
}

/* A stop is answered when it is one, so that a start behind it finds nothing running. */
struct stopping {
    object_key_t operation;
    struct ctl_group *cg;
    bool copyback;
    uint64_t until_us; /* it is not waited for longer: drives may take nothing for long */
};
#define STOPPING_MOST_US UINT64_C(10000000)

static bool is_stopping(const struct ctl *ctl, const struct stopping *stopping)
{
    const struct ctl_object *object = object_find(ctl, OBJECT_KIND_OPERATION, stopping->operation);

    if (clock_now_us(ctl->ports.clock) >= stopping->until_us) {
        return false;
    }
    return (object != NULL && !((const struct ctl_operation *)object->subject)->ended) ||
           (stopping->copyback &&
            (stopping->cg->copyback_over || cg_config(stopping->cg)->copyback.active));
}

void command_task_work(struct ctl *ctl)
{
    enum ctl_op op = ctl->command->op;
    struct stopping *stopping = ctl->command->ctl_private;

    if (stopping == NULL || (op != CTL_OP_REBUILD && op != CTL_OP_COPYBACK && op != CTL_OP_BGI)) {
        return;
    }
    if (is_stopping(ctl, stopping)) {
        ctl_kick_at(ctl, stopping->until_us);
        return;
    }
    free(stopping);
    ctl->command->ctl_private = NULL;
    command_done(ctl);
}

static void operation_stop(struct ctl *ctl, struct ctl_operation *op)
{
    struct stopping *stopping = calloc(1, sizeof(*stopping));

    if (stopping == NULL) { /* then it is not waited for */
        task_stop(op->task, REASON_STOPPED_BY_USER);
        command_done(ctl);
        return;
    }
    *stopping = (struct stopping){.cg = op->cg,
                                  .copyback = op->status.kind == OPERATION_KIND_COPYBACK,
                                  .until_us = clock_now_us(ctl->ports.clock) + STOPPING_MOST_US};
    memcpy(stopping->operation, op->object.key, sizeof(stopping->operation));
    ctl->command->ctl_private = stopping;
    task_stop(op->task, REASON_STOPPED_BY_USER);
    ctl_kick(ctl);
}

static void operation_act(struct ctl *ctl, struct ctl_operation *op, enum task_action action)
{
    ASSERT(op != NULL && op->task != NULL);
    command_object_add(ctl->command, &op->object);
    switch (action) {
    case TASK_ACTION_STOP:
        operation_stop(ctl, op);
        return;
    case TASK_ACTION_PAUSE:
        task_pause(op->task);
        break;
    case TASK_ACTION_RESUME:
        task_resume(op->task);
        break;
    case TASK_ACTION_START:
    case TASK_ACTION_MAX:
        UNREACHABLE();
    }
    command_done(ctl);
}

/* A member put in its place: the rebuild starts by itself in the work loop. */
static void member_replaced(struct ctl *ctl, const struct reason *why, void *context)
{
    const struct ctl_drive *cd = context;
    struct reason reason;
    char path[PATH_TEXT_BYTES];
    char text[REASON_TEXT_MAX];

    if (why->code == REASON_OK) {
        command_object_add(ctl->command, &cd->object);
        command_done(ctl);
        return;
    }
    drive_path(cd, path, sizeof(path));
    (void)reason_text(why, text, sizeof(text));
    reason_set(&reason, REASON_REPLACE_FAILED, "drive", path, "group", "its drive group", "why",
               text, NULL);
    command_finish(ctl, &reason);
}

static void rebuild_start(struct ctl *ctl, struct ctl_drive *cd)
{
    struct ctl_group *cg = cd->group;

    if (cg_config(cg)->members[cd->member].state == MEMBER_REBUILD) {
        cg->rebuild_stopped[cd->member] = false; /* the work loop starts it */
        attempt_clear(&cg->rebuild_attempts[cd->member]);
        cg->rebuild_by_user[cd->member] = true;
        command_object_add(ctl->command, &cd->object);
        command_done(ctl);
        return;
    }
    ctl_member_replace(cg, cd->member, cd, true, member_replaced, cd);
}

void command_rebuild(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_drive *cd = drive_by_key(ctl, command->args.task.target);
    enum task_action action = command->args.task.action;
    struct reason reason;

    if (cd == NULL) {
        refuse_unknown(ctl, "drive", command->args.task.target);
        return;
    }
    if ((unsigned)action >= TASK_ACTION_MAX) {
        command_refuse(ctl, REASON_UNKNOWN_COMMAND);
        return;
    }
    if (!rule_drive(cd, life_task_command(LIFE_REBUILD_START, action), &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (action == TASK_ACTION_START) {
        rebuild_start(ctl, cd);
    } else {
        operation_act(ctl, operation_of_member(cd->group, cd->member), action);
    }
}

/* copyback */

static void copyback_started(struct ctl *ctl, const struct reason *reason, void *context)
{
    const struct ctl_drive *cd = context;

    if (reason->code == REASON_OK) {
        command_object_add(ctl->command, &cd->object);
    }
    command_finish(ctl, reason);
}

static void copyback_start(struct ctl *ctl, const struct ctl_command *command, struct ctl_drive *cd)
{
    struct ctl_drive *target = drive_by_key(ctl, command->args.copyback.target);
    struct reason reason;

    if (target == NULL) {
        refuse_unknown(ctl, "drive", command->args.copyback.target);
        return;
    }
    if (!rule_copyback_target(target, cd->group, cd->member, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    attempt_clear(&target->attempt);
    ctl_copyback_begin(cd->group, cd->member, target, true, copyback_started, target);
}

void command_copyback(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_drive *cd = drive_by_key(ctl, command->args.copyback.drive);
    enum task_action action = command->args.copyback.action;
    struct reason reason;

    if (cd == NULL) {
        refuse_unknown(ctl, "drive", command->args.copyback.drive);
        return;
    }
    if ((unsigned)action >= TASK_ACTION_MAX) {
        command_refuse(ctl, REASON_UNKNOWN_COMMAND);
        return;
    }
    if (!rule_drive(cd, life_task_command(LIFE_COPYBACK_START, action), &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (action == TASK_ACTION_START) {
        copyback_start(ctl, command, cd);
    } else {
        operation_act(ctl,
                      operation_of_copyback(cd->copyback_of != NULL ? cd->copyback_of : cd->group),
                      action);
    }
}

void command_bgi(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_vd *cv = vd_by_key(ctl, command->args.task.target);
    enum task_action action = command->args.task.action;
    struct reason reason;

    if (cv == NULL) {
        refuse_unknown(ctl, "virtual_drive", command->args.task.target);
        return;
    }
    if ((unsigned)action >= TASK_ACTION_MAX) {
        command_refuse(ctl, REASON_UNKNOWN_COMMAND);
        return;
    }
    if (!rule_bgi(cv, action, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (action == TASK_ACTION_START) {
        cv->bgi_stopped = false; /* the work loop starts it */
        attempt_clear(&cv->bgi_attempt);
        command_object_add(command, &cv->object);
        command_done(ctl);
    } else {
        operation_act(ctl, operation_of_vd(cv), action);
    }
}

/* drive_replace */

struct replace_run {
    struct ctl *ctl;
    struct ctl_command *command;
    struct ctl_group *cg;
    struct ctl_drive *cd;
    uint32_t member;
    struct ctl_claims claims;
    struct ctl_former former;
};

static bool replace_is_allowed(const struct replace_run *run, struct reason *ret_reason)
{
    const struct ctl_command *command = run->command;
    struct returned_place place;
    char path[PATH_TEXT_BYTES];

    if (!rule_drive_replace(run->cg, ret_reason)) {
        return false;
    }
    group_path(run->cg, path, sizeof(path));
    if (!cg_member_is_vacant(run->cg, run->member)) {
        reason_set(ret_reason, REASON_NO_VACANT_PLACE, "group", path, NULL);
        return false;
    }
    if (run->cd->group == run->cg && run->cd->member == run->member) {
        return rule_drive(run->cd, LIFE_REBUILD_START, ret_reason);
    }
    if (!rule_drive_for_use(run->cd, LIFE_REPLACE, command->args.drive_replace.force,
                            cd_has_serial(run->cd, command->args.drive_replace.serial),
                            ret_reason)) {
        return false;
    }
    if (run->cd->foreign && cd_is_returned(run->cd, &place) &&
        (place.cg != run->cg || place.member != run->member)) {
        return refuse_drive(ret_reason, REASON_DRIVE_FOREIGN, run->cd);
    }
    return drive_fits_group(run->cd, run->cg, ret_reason);
}

static void replace_refuse(struct replace_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    ctl_claims_undo(&run->claims);
    free(run);
    command_finish(ctl, &copy);
}

static void replace_former_gone(struct ctl_former *former, const struct ctl_drive *failed)
{
    struct replace_run *run = former->owner;
    struct ctl *ctl = run->ctl;
    struct ctl_group *cg = run->cg;
    struct ctl_drive *cd = run->cd;
    uint32_t member = run->member;
    struct reason reason;

    if (failed == NULL && !replace_is_allowed(run, &reason)) {
        replace_refuse(run, &reason); /* the group has changed meanwhile */
        return;
    }
    if (failed != NULL) {
        cd_label_failed(failed, &reason);
        replace_refuse(run, &reason);
        return;
    }
    free(run);
    ASSERT(ctl->command != NULL);
    ctl_member_replace(cg, member, cd, true, member_replaced, cd);
}

static void replace_remembered(struct ctl *ctl, int error, void *context)
{
    struct replace_run *run = context;
    struct reason reason;

    ASSERT(ctl == run->ctl);
    if (error != 0) {
        reason_from_store(&reason, error);
        replace_refuse(run, &reason);
        return;
    }
    run->former.done = replace_former_gone;
    run->former.owner = run;
    ctl_former_add(&run->former, run->cd);
    ctl_former_run(&run->former);
}

static void replace_claimed(struct ctl_claims *claims, bool ok)
{
    struct replace_run *run = claims->owner;
    struct reason reason;

    if (!ok) {
        replace_refuse(run, &claims->reason);
        return;
    }
    if (!replace_is_allowed(run, &reason)) {
        replace_refuse(run, &reason);
        return;
    }
    ctl_record_edit(run->ctl);
    record_drive_add(run->ctl->record, run->cd->identity.key, false);
    ctl_record_save(run->ctl, replace_remembered, run);
}

static bool member_find(const struct ctl_command *command, const struct ctl_group *cg,
                        uint32_t *ret_member)
{
    const struct geometry *geometry = &cg_config(cg)->vds[0].geometry;

    if (command->args.drive_replace.span >= geometry->span_count ||
        command->args.drive_replace.row >= geometry->members_per_span) {
        return false;
    }
    *ret_member = command->args.drive_replace.span * geometry->members_per_span +
                  command->args.drive_replace.row;
    return true;
}

void command_drive_replace(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_group *cg = group_by_key(ctl, command->args.drive_replace.group);
    struct ctl_drive *cd = drive_by_key(ctl, command->args.drive_replace.drive);
    struct replace_run *run = NULL;
    struct reason reason;
    uint32_t member = 0;

    if (cg == NULL || cd == NULL) {
        refuse_unknown(ctl, cg == NULL ? "drive_group" : "drive",
                       cg == NULL ? command->args.drive_replace.group
                                  : command->args.drive_replace.drive);
        return;
    }
    if (!member_find(command, cg, &member)) {
        reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "row", "problem",
                   "the drive group has no such place", NULL);
        command_finish(ctl, &reason);
        return;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    *run =
        (struct replace_run){.ctl = ctl, .command = command, .cg = cg, .cd = cd, .member = member};
    run->claims = (struct ctl_claims){.ctl = ctl,
                                      .force = command->args.drive_replace.force,
                                      .done = replace_claimed,
                                      .owner = run};
    if (!replace_is_allowed(run, &reason)) {
        replace_refuse(run, &reason);
        return;
    }
    ctl_claims_add(&run->claims, cd);
    ctl_claims_run(&run->claims);
}
