/*
 * Drives that refuse writes though they are well: there is no space left below their files, or they
 * became read-only. Told once, shown as long as it goes on, and not counted as a drive's failure.
 */
#include "base/assert.h"
#include "ctl/ctl_private.h"

/* Without another one for so long it is over, or nobody writes. */
#define REFUSAL_SHOWN_US UINT64_C(30000000)

void cd_refusal_note(struct ctl_drive *cd, enum io_op op, enum io_status status)
{
    struct ctl_refusal *refusal = &cd->refusal;
    bool is_news = !refusal->active || refusal->status != status;
    char path[PATH_TEXT_BYTES];

    ASSERT(IO_STATUS_IS_REFUSAL(status));
    *refusal = (struct ctl_refusal){
        .active = true, .status = status, .last_us = clock_now_us(cd->ctl->ports.clock)};
    if (is_news) {
        drive_path(cd, path, sizeof(path));
        ctl_event(cd->ctl, EVENT_DRIVE_ERROR, cd->identity.key, "drive", path, "operation",
                  op == IO_OP_WRITE ? "write" : "flush", "status",
                  status == IO_STATUS_NO_SPACE ? "no space left below the drive"
                                               : "the drive is read-only",
                  NULL);
    }
    ctl_kick(cd->ctl);
}

bool cd_refusal_reason(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!cd->refusal.active) {
        return false;
    }
    reason_set(ret_reason,
               cd->refusal.status == IO_STATUS_NO_SPACE ? REASON_DRIVE_NO_SPACE
                                                        : REASON_DRIVE_READ_ONLY,
               NULL);
    return true;
}

void cd_refusal_look(struct ctl_drive *cd, uint64_t now_us)
{
    struct ctl_refusal *refusal = &cd->refusal;

    if (!refusal->active) {
        return;
    }
    if (now_us >= refusal->last_us + REFUSAL_SHOWN_US) {
        refusal->active = false;
    } else {
        ctl_kick_at(cd->ctl, refusal->last_us + REFUSAL_SHOWN_US);
    }
}

void cd_label_failed(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];
    char text[REASON_TEXT_MAX];
    struct reason why;

    drive_path(cd, path, sizeof(path));
    if (!cd->refusal.active) {
        reason_set(ret_reason, REASON_LABEL_FAILED, "drive", path, NULL);
        return;
    }
    reason_set(&why,
               cd->refusal.status == IO_STATUS_NO_SPACE ? REASON_NO_SPACE_BELOW
                                                        : REASON_NOW_READ_ONLY,
               NULL);
    (void)reason_text(&why, text, sizeof(text));
    reason_set(ret_reason, REASON_LABEL_REFUSED, "drive", path, "why", text, NULL);
}
