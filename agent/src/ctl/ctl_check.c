/*
 * Consistency checks of virtual drives: an operation (ctl_task.c) that compares redundancy with
 * data (task/task_check.c). What it finds is told by events, of the first places one by one, and
 * kept as the virtual drive's result (ctl_check_kept.c) until they have been compared again
 * (ctl_check_earlier.c).
 *
 * (1) Only what is known consistent, and there more than once, can be compared: while that is not
 *     all of the virtual drive, or its drive group is being rebuilt or copied, none begins; one
 *     under way waits.
 * (2) To take the data as right where no drive explains what is wrong needs the virtual drive's
 *     name typed: it makes silent damage look consistent.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "meta/config_state.h"

/* Places that have an event of their own. */
#define TOLD_MAX 20u

static bool rule_start(const struct ctl_vd *cv, struct reason *ret_reason)
{
    const struct group_config *config = cg_config(cv->cg);

    if (geometry_span_tolerance(&cv_config(cv)->geometry) == 0) {
        reason_set(ret_reason, REASON_NO_REDUNDANCY, "key", cv->object.key, NULL);
        return false;
    }
    if (!rule_group_running(cv->cg, CTL_OP_CONSISTENCY_CHECK, ret_reason)) {
        return false;
    }
    if (cv->removing || cv->vd == NULL) {
        return rule_vd_busy(cv, "its deletion", ret_reason);
    }
    if (config->copyback.active || cv->cg->copyback != NULL) {
        return rule_vd_busy(cv, "a copyback", ret_reason);
    }
    if (group_config_is_rebuilding(config)) {
        return rule_vd_busy(cv, "a rebuild", ret_reason);
    }
    if (!vd_is_consistent(cv->vd)) { /* (1) */
        reason_set(ret_reason, REASON_CHECK_NEEDS_CONSISTENCY, "name", cv_config(cv)->name, NULL);
        return false;
    }
    if (vd_drive_failures_left(cv->vd) == 0) { /* (1) */
        reason_set(ret_reason, REASON_CHECK_NEEDS_REDUNDANCY, "name", cv_config(cv)->name, NULL);
        return false;
    }
    return true;
}

bool rule_check(const struct ctl_vd *cv, enum task_action action, struct reason *ret_reason)
{
    const struct ctl_operation *op = operation_of_check(cv);

    if (!rule_online(cv->cg->ctl, ret_reason)) {
        return false;
    }
    if (action == TASK_ACTION_START && op == NULL && !rule_start(cv, ret_reason)) {
        return false;
    }
    return rule_operation(op, action, "The consistency check", ret_reason);
}

/* What it tells */

static void blocks_text(const struct vd_mismatch *mismatch, const struct geometry *geometry,
                        char out[120])
{
    uint64_t first = mismatch->offset_bytes / geometry->block_bytes;
    uint64_t count = (mismatch->hi - mismatch->lo) / geometry->block_bytes;
    uint64_t strip = geometry->strip_bytes / geometry->block_bytes;

    if (mismatch->piece_count == 0) {
        (void)snprintf(out, 120, "no data, only parity"); /* all of these fit */
    } else if (mismatch->piece_count == 1) {
        (void)snprintf(out, 120, "blocks %llu-%llu", (unsigned long long)first,
                       (unsigned long long)(first + count - 1));
    } else {
        (void)snprintf(out, 120,
                       "one or more of blocks %llu-%llu and the same of the next %u strips of %llu",
                       (unsigned long long)first, (unsigned long long)(first + count - 1),
                       mismatch->piece_count - 1, (unsigned long long)strip);
    }
}

static void place_event(struct ctl_vd *cv, const struct vd_mismatch *mismatch)
{
    const struct geometry *geometry = &cv_config(cv)->geometry;
    const struct ctl_drive *cd = NULL;
    char title[PATH_TEXT_BYTES];
    char path[PATH_TEXT_BYTES] = "?";
    char blocks[120];
    char strip[24];
    char what[160];

    vd_title(cv, title, sizeof(title));
    blocks_text(mismatch, geometry, blocks);
    (void)snprintf(strip, sizeof(strip), "%llu", (unsigned long long)mismatch->row);
    if (!mismatch->corrected) {
        ctl_event(cv->cg->ctl, EVENT_CHECK_INCONSISTENT, cv->object.key, "virtual_drive", title,
                  "strip", strip, "blocks", blocks, NULL);
        return;
    }
    if (mismatch->member == VD_MEMBER_UNKNOWN) {
        (void)snprintf(what, sizeof(what), "the data were taken as right, as asked for");
    } else {
        cd = cv->cg->members[mismatch->member];
        if (cd != NULL) {
            drive_path(cd, path, sizeof(path));
        }
        (void)snprintf(what, sizeof(what), "%s had other bytes at %llu than all the rest says",
                       path,
                       (unsigned long long)(mismatch->drive_offset_bytes / geometry->block_bytes));
    }
    ctl_event(cv->cg->ctl, EVENT_CHECK_CORRECTED, cv->object.key, "virtual_drive", title, "strip",
              strip, "blocks", blocks, "what", what, NULL);
}

/* Rows that were not done when a drive went are compared a second time. */
static bool is_known(const struct ctl_check *check, const struct vd_mismatch *mismatch)
{
    for (uint32_t i = 0; i < check->view.place_count; i++) {
        const struct vd_mismatch *place = &check->view.places[i];

        if (place->row == mismatch->row && place->lo == mismatch->lo && place->hi == mismatch->hi &&
            place->corrected == mismatch->corrected) {
            return true;
        }
    }
    return false;
}

void check_found(struct ctl_vd *cv, const struct vd_mismatch *mismatch)
{
    struct ctl_check *check = &cv->check;
    char title[PATH_TEXT_BYTES];

    check_earlier_found(&check->view.earlier, mismatch);
    if (is_known(check, mismatch)) {
        return;
    }
    if (mismatch->corrected) {
        check->view.corrected++;
    } else {
        check->view.inconsistent++;
    }
    if (check->view.place_count < CHECK_PLACES_MAX) {
        check->view.places[check->view.place_count++] = *mismatch;
    }
    check->told++;
    if (check->told <= TOLD_MAX) {
        place_event(cv, mismatch);
    } else if (check->told == TOLD_MAX + 1) {
        vd_title(cv, title, sizeof(title));
        ctl_event(cv->cg->ctl, EVENT_CHECK_LOGGING_SUPPRESSED, cv->object.key, "virtual_drive",
                  title, NULL);
    }
    ctl_kick(cv->cg->ctl);
}

void check_compared(struct ctl_vd *cv, uint64_t row, uint64_t row_count)
{
    check_earlier_compared(&cv->check.view.earlier, row, row_count);
}

static void completed_event(const struct ctl_operation *op, const char *title)
{
    const struct check_view *view = &op->cv->check.view;
    char corrected[24];
    char inconsistent[24];
    char bytes[24];

    (void)snprintf(corrected, sizeof(corrected), "%llu", (unsigned long long)view->corrected);
    (void)snprintf(inconsistent, sizeof(inconsistent), "%llu",
                   (unsigned long long)view->inconsistent);
    (void)snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)view->unreadable_bytes);
    if (view->unreadable_bytes > 0) {
        ctl_event(op->ctl, EVENT_CHECK_COMPLETED_UNCORRECTABLE, op->target_key, "virtual_drive",
                  title, "bytes", bytes, "corrected", corrected, "inconsistent", inconsistent,
                  NULL);
    } else if (view->left_out_bytes > 0) {
        (void)snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)view->left_out_bytes);
        ctl_event(op->ctl, EVENT_CHECK_COMPLETED_LEFT_OUT, op->target_key, "virtual_drive", title,
                  "bytes", bytes, "corrected", corrected, "inconsistent", inconsistent, NULL);
    } else if (view->corrected + view->inconsistent > 0) {
        ctl_event(op->ctl, EVENT_CHECK_COMPLETED_FOUND, op->target_key, "virtual_drive", title,
                  "corrected", corrected, "inconsistent", inconsistent, NULL);
    } else {
        ctl_event(op->ctl, EVENT_CHECK_COMPLETED, op->target_key, "virtual_drive", title, NULL);
    }
}

static void result_take(const struct ctl_operation *op)
{
    struct check_view *view = &op->cv->check.view;

    view->compared_bytes = op->status.compared_bytes;
    view->left_out_bytes = op->status.left_out_bytes;
    view->unreadable_bytes = op->status.unreadable_bytes;
    view->ended_us = op->status.ended_us;
    view->state = op->status.state;
}

static void failed_event(const struct ctl_operation *op, const char *title)
{
    struct reason reason;
    char why[REASON_TEXT_MAX];

    operation_reason(op, op->status.reason, &reason);
    (void)reason_text(&reason, why, sizeof(why)); /* it fits */
    ctl_event(op->ctl, EVENT_CHECK_FAILED, op->target_key, "virtual_drive", title, "why", why,
              NULL);
}

static bool is_being_deleted(const struct ctl_vd *cv)
{
    const struct ctl_command *command = cv->cg->ctl->command;

    return cv->removing || (command != NULL && command->op == CTL_OP_VD_DELETE &&
                            strcmp(command->args.vd_delete.vd, cv->object.key) == 0);
}

static void begun_event(const struct ctl_operation *op, const char *title, const char *percent)
{
    if (op->status.resumed_from_bytes > 0) {
        ctl_event(op->ctl, EVENT_CHECK_RESUMED, op->target_key, "virtual_drive", title, "percent",
                  percent, NULL);
    } else {
        ctl_event(op->ctl, EVENT_CHECK_STARTED, op->target_key, "virtual_drive", title, NULL);
    }
}

void check_event(struct ctl_operation *op, enum operation_state old)
{
    char title[PATH_TEXT_BYTES];
    char percent[16];

    vd_title(op->cv, title, sizeof(title));
    operation_percent_text(&op->status, percent);
    result_take(op);
    switch (op->status.state) {
    case OPERATION_STATE_RUNNING:
        if (!op->was_started) {
            op->was_started = true;
            begun_event(op, title, percent);
        } else if (old == OPERATION_STATE_PAUSED) {
            ctl_event(op->ctl, EVENT_CHECK_RESUMED, op->target_key, "virtual_drive", title,
                      "percent", percent, NULL);
        }
        check_keep_paused(op->cv, false);
        return;
    case OPERATION_STATE_PAUSED:
        check_keep_paused(op->cv, true);
        ctl_event(op->ctl, EVENT_CHECK_PAUSED, op->target_key, "virtual_drive", title, "percent",
                  percent, NULL);
        return;
    case OPERATION_STATE_COMPLETED:
        if (op->cv->check.view.correct) { /* what is read was taken as right */
            op->cv->check.kept_count = 0;
        }
        check_earlier_end(&op->cv->check.view);
        check_keep_result(op->cv);
        completed_event(op, title);
        return;
    case OPERATION_STATE_FAILED:
        check_keep_result(op->cv);
        failed_event(op, title);
        return;
    case OPERATION_STATE_STOPPED:
        if (is_being_deleted(op->cv)) {
            check_forget(op->cv);
        } else if (op->status.reason == REASON_STOPPED_BY_USER) {
            check_keep_result(op->cv);
        } else {
            check_cut_short(op->cv);
            return;
        }
        ctl_event(op->ctl, EVENT_CHECK_ABORTED, op->target_key, "virtual_drive", title, "percent",
                  percent, NULL);
        return;
    case OPERATION_STATE_WAITING:
        return;
    case OPERATION_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

void view_check(const struct ctl_vd *cv, struct check_view *view, struct view_digest *digest)
{
    const struct ctl_operation *op = operation_of_check(cv);
    struct task_status_view status;

    *view = cv->check.view;
    view->any = cv->check.any;
    if (op != NULL) {
        task_status_get(op->task, &status);
        view->compared_bytes = status.compared_bytes;
        view->left_out_bytes = status.left_out_bytes;
        view->unreadable_bytes = status.unreadable_bytes;
        view->state = status.state;
    }
    digest_number(digest, true, view->inconsistent);
    digest_number(digest, true, view->corrected);
    digest_number(digest, true, check_earlier_count(&view->earlier));
    digest_number(digest, false, view->compared_bytes);
    digest_number(digest, false, view->left_out_bytes);
    digest_number(digest, false, view->unreadable_bytes);
    digest_number(digest, false, view->ended_us);
    digest_number(digest, false, (uint64_t)view->state);
}

/* Places before a rebuild */

void check_note_rebuilt(struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->vds) {
        struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

        cv->check.rebuilt = cv->check.rebuilt || cv->check.view.inconsistent > 0;
        cv->check.kept_count += check_earlier_count(&cv->check.view.earlier);
        cv->check.view.earlier = (struct check_earlier){0};
        check_keep_rebuilt(cv);
    }
}

uint64_t check_rebuilt_places(const struct ctl_check *check)
{
    return check->kept_count + (check->rebuilt ? check->view.inconsistent : 0);
}

/* The command */

static bool check_start(struct ctl *ctl, struct ctl_vd *cv, bool correct)
{
    struct ctl_check check = {
        .any = true, .view = {.correct = correct, .began_us = clock_wall_us(ctl->ports.clock)}};
    struct ctl_check before = cv->check;
    const struct task_check_start start = {.correct = correct};

    check.kept_count = check_rebuilt_places(&before);
    check_earlier_begin(&before, &check.view.earlier);
    cv->check = check;
    if (!operation_start_check(cv, &start)) {
        cv->check = before;
        return false;
    }
    check_keep_begun(cv);
    return true;
}

static bool act(struct ctl *ctl, const struct ctl_command *command, struct ctl_vd *cv,
                struct reason *ret_reason)
{
    bool correct = command->args.check.correct;

    if (correct && !rule_confirmed(command->confirm, cv_config(cv)->name, ret_reason)) {
        return false; /* (2) */
    }
    switch (command->args.check.action) {
    case TASK_ACTION_START:
        if (!check_start(ctl, cv, correct)) {
            reason_from_store(ret_reason, -ENOMEM);
            return false;
        }
        return true;
    case TASK_ACTION_STOP:
        task_stop(operation_of_check(cv)->task, REASON_STOPPED_BY_USER);
        return true;
    case TASK_ACTION_PAUSE:
        task_pause(operation_of_check(cv)->task);
        return true;
    case TASK_ACTION_RESUME:
        task_resume(operation_of_check(cv)->task);
        return true;
    case TASK_ACTION_MAX:
        break;
    }
    UNREACHABLE();
}

void command_consistency_check(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_vd *cv = vd_by_key(ctl, command->args.check.vd);
    struct reason reason;

    if (cv == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key",
                   command->args.check.vd, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if ((unsigned)command->args.check.action >= TASK_ACTION_MAX) {
        reason_set(&reason, REASON_UNKNOWN_COMMAND, "op", "consistency_check", NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!rule_check(cv, command->args.check.action, &reason) || !act(ctl, command, cv, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    command_object_add(command, &operation_of_check(cv)->object);
    check_answer_when_kept(ctl);
}
