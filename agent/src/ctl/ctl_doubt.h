/*
 * Data in doubt since an unclean stop: told of by events, and ended by the command doubt_clear.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_DOUBT_H
#define ARRAYWRIGHT_CTL_CTL_DOUBT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reason.h"

struct ctl;
struct ctl_command;
struct ctl_vd;
struct vd_config;

struct ctl_doubt {
    uint64_t seen_suspect_bytes, seen_doubted_bytes; /* told last */
    uint64_t trusted_bytes; /* they count as right, and the drives do not have that yet */
    bool unsaved;           /* the command could not wait for them: it is to be repeated */
};

/* It has come, with this record. */
void cv_doubt_begin(struct ctl_vd *cv, const struct vd_config *before);
/* Tells of what is different since. */
void cv_doubt_check(struct ctl_vd *cv);

/* That a start would find now. */
uint64_t cv_in_doubt_bytes(const struct ctl_vd *cv);

bool rule_doubt_clear(const struct ctl_vd *cv, struct reason *ret_reason);
void command_doubt_clear(struct ctl *ctl, struct ctl_command *command);
/* Until the drives have it; called from the work loop. */
void command_doubt_work(struct ctl *ctl);

#endif
