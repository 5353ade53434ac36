/*
 * Members whose drives sit here but belong to a newer configuration, as after a restore of the
 * state directory (ctl_superseded.c). Of the files of the controller only.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_SUPERSEDED_H
#define ARRAYWRIGHT_CTL_CTL_SUPERSEDED_H

#include "ctl/ctl_private.h"

/* The drive that was this member and is something else now; NULL: there is none. */
const struct ctl_drive *cg_member_superseded(const struct ctl_group *cg, uint32_t member);
/* It waits in vain: without those it cannot start, whoever else comes. */
bool cg_is_superseded(const struct ctl_group *cg);

#endif
