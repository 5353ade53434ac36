/*
 * See ctl_doubt.h. The command ends when a start would find it so.
 */
#include "ctl/ctl_doubt.h"

#include <errno.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"

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
    cv->doubt.trusted_bytes = 0; /* what a stop has lost of it is in doubt again */
    cv->doubt.unsaved = false;
    if (!before->dirty && !before->resync) {
        cv->doubt.seen_suspect_bytes = vd_suspect_bytes(cv->vd);
    }
    cv_doubt_check(cv);
}

static uint64_t cv_suspect_bytes(const struct ctl_vd *cv)
{
    return cv->vd == NULL ? 0 : vd_suspect_bytes(cv->vd);
}

uint64_t cv_in_doubt_bytes(const struct ctl_vd *cv)
{
    return cv->vd == NULL ? 0 : max_u64(cv_suspect_bytes(cv), cv->doubt.trusted_bytes);
}

/* Drives that refuse it may take it later, when the command has ended. */
static void trust_check(struct ctl_vd *cv)
{
    if (cv->doubt.trusted_bytes > 0 && vd_trust_outcome(cv->vd) == 0) {
        bytes_event(cv, EVENT_VIRTUAL_DRIVE_TRUSTED, cv->doubt.trusted_bytes);
        cv->doubt.trusted_bytes = 0;
    }
}

/* One event for all blocks that cannot be read: there are too many for one each. */
void cv_doubt_check(struct ctl_vd *cv)
{
    uint64_t suspect = vd_suspect_bytes(cv->vd);
    uint64_t doubted = vd_doubted_bytes(cv->vd);
    char title[PATH_TEXT_BYTES];

    trust_check(cv);
    if (doubted > cv->doubt.seen_doubted_bytes) {
        bytes_event(cv, EVENT_VIRTUAL_DRIVE_DOUBTED, doubted);
    } else if (suspect > cv->doubt.seen_suspect_bytes && doubted == 0) {
        bytes_event(cv, EVENT_VIRTUAL_DRIVE_SUSPECT, suspect);
    } else if (suspect == 0 && cv->doubt.seen_suspect_bytes > 0) {
        vd_title(cv, title, sizeof(title));
        ctl_event(cv->cg->ctl, EVENT_VIRTUAL_DRIVE_REWRITTEN, cv->object.key, "virtual_drive",
                  title, NULL);
    }
    cv->doubt.seen_suspect_bytes = suspect;
    cv->doubt.seen_doubted_bytes = doubted;
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
    if (cv->doubt.unsaved && cv_suspect_bytes(cv) == 0) { /* it is repeated, as was advised */
        return true;
    }
    if (cv_suspect_bytes(cv) == 0) {
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
static bool doubt_end(struct ctl *ctl, struct ctl_command *command, struct ctl_vd *cv)
{
    int outcome = cv->vd != NULL ? vd_trust_outcome(cv->vd) : -EIO;
    struct reason reason;

    if (outcome == -EAGAIN) {
        return false;
    }
    cv->doubt.unsaved = outcome != 0;
    if (outcome == 0) {
        trust_check(cv);
        command_object_add(command, &cv->object);
        command_done(ctl);
    } else {
        reason_set(&reason, REASON_DOUBT_UNSAVED, "name", cv_config(cv)->name, NULL);
        command_finish(ctl, &reason);
    }
    return true;
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
    cv->doubt.trusted_bytes = cv_in_doubt_bytes(cv);
    cv->doubt.seen_suspect_bytes = 0; /* that was its end */
    vd_trust(cv->vd);
    if (!doubt_end(ctl, command, cv)) {
        command->ctl_private = cv;
    }
}
