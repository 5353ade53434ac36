/*
 * See ctl_doubt.h. The command ends when a start would find it so.
 */
#include "ctl/ctl_doubt.h"

#include <errno.h>
#include <stdio.h>

#include "base/assert.h"

static void bytes_event(const struct ctl_vd *cv, enum event_id event, uint64_t bytes)
{
    char title[PATH_TEXT_BYTES];
    char text[24];

    vd_title(cv, title, sizeof(title));
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes); /* fits */
    ctl_event(cv->cg->ctl, event, cv->object.key, "virtual_drive", title, "bytes", text, NULL);
}

/* Of doubts that are older than the last stop an earlier start has told. */
void cv_doubt_begin(struct ctl_vd *cv, const struct vd_config *before)
{
    if (!before->dirty && !before->resync) {
        cv->seen_suspect_bytes = vd_suspect_bytes(cv->vd);
    }
    cv_doubt_check(cv);
}

/* One event for all blocks that cannot be read: there are too many for one each. */
void cv_doubt_check(struct ctl_vd *cv)
{
    uint64_t suspect = vd_suspect_bytes(cv->vd);
    uint64_t doubted = vd_doubted_bytes(cv->vd);
    char title[PATH_TEXT_BYTES];

    if (doubted > cv->seen_doubted_bytes) {
        bytes_event(cv, EVENT_VIRTUAL_DRIVE_DOUBTED, doubted);
    } else if (suspect > cv->seen_suspect_bytes && doubted == 0) {
        bytes_event(cv, EVENT_VIRTUAL_DRIVE_SUSPECT, suspect);
    } else if (suspect == 0 && cv->seen_suspect_bytes > 0) {
        vd_title(cv, title, sizeof(title));
        ctl_event(cv->cg->ctl, EVENT_VIRTUAL_DRIVE_REWRITTEN, cv->object.key, "virtual_drive",
                  title, NULL);
    }
    cv->seen_suspect_bytes = suspect;
    cv->seen_doubted_bytes = doubted;
}

/* doubt_clear */

bool rule_doubt_clear(const struct ctl_vd *cv, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (cv->removing) {
        return rule_vd_busy(cv, "its deletion", ret_reason);
    }
    if (!rule_online(cv->cg->ctl, ret_reason) ||
        !rule_group_running(cv->cg, CTL_OP_DOUBT_CLEAR, ret_reason)) {
        return false;
    }
    if (cv->vd == NULL || vd_suspect_bytes(cv->vd) == 0) {
        reason_set(ret_reason, REASON_DOUBT_NONE, "name", cv_config(cv)->name, NULL);
        return false;
    }
    if (cv_state(cv) != VIRTUAL_DRIVE_STATE_OPTIMAL) { /* what is missing is still in doubt */
        vd_path(cv, path, sizeof(path));
        reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state",
                   virtual_drive_state_short(cv_state(cv)), "op", ctl_op_said(CTL_OP_DOUBT_CLEAR),
                   NULL);
        return false;
    }
    return true;
}

/* False: not yet. */
static bool doubt_end(struct ctl *ctl, struct ctl_command *command, const struct ctl_vd *cv)
{
    struct reason reason;

    switch (vd_trust_outcome(cv->vd)) {
    case -EAGAIN:
        return false;
    case 0:
        command_object_add(command, &cv->object);
        command_done(ctl);
        return true;
    default:
        reason_set(&reason, REASON_DOUBT_UNSAVED, "name", cv_config(cv)->name, NULL);
        command_finish(ctl, &reason);
        return true;
    }
}

void command_doubt_work(struct ctl *ctl)
{
    if (ctl->command->op == CTL_OP_DOUBT_CLEAR && ctl->command->ctl_private != NULL) {
        (void)doubt_end(ctl, ctl->command, ctl->command->ctl_private); /* it is asked again */
    }
}

void command_doubt_clear(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_vd *cv = vd_by_key(ctl, command->args.doubt_clear.vd);
    struct reason reason;

    if (cv == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key",
                   command->args.doubt_clear.vd, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!rule_doubt_clear(cv, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    bytes_event(cv, EVENT_VIRTUAL_DRIVE_TRUSTED, vd_suspect_bytes(cv->vd));
    cv->seen_suspect_bytes = 0; /* that was its end */
    vd_trust(cv->vd);
    if (!doubt_end(ctl, command, cv)) {
        command->ctl_private = cv;
    }
}
