/*
 * Data in doubt since an unclean stop: told of by events, and ended by the command doubt_clear.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_DOUBT_H
#define ARRAYWRIGHT_CTL_CTL_DOUBT_H

#include "ctl/ctl_private.h"

/* It has come, with this record. */
void cv_doubt_begin(struct ctl_vd *cv, const struct vd_config *before);
/* Tells of what is different since. */
void cv_doubt_check(struct ctl_vd *cv);

bool rule_doubt_clear(const struct ctl_vd *cv, struct reason *ret_reason);
void command_doubt_clear(struct ctl *ctl, struct ctl_command *command);
/* Until the drives have it; called from the work loop. */
void command_doubt_work(struct ctl *ctl);

#endif
