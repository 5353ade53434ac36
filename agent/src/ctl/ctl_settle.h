/*
 * What the label of a drive means (ctl_settle.c). Of the files of the controller only.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_SETTLE_H
#define ARRAYWRIGHT_CTL_CTL_SETTLE_H

#include "ctl/ctl_private.h"

void cd_settle(struct ctl_drive *cd);
/* Its label is read again, and it is settled by what that says. */
void cd_look_again(struct ctl_drive *cd);
/* The drive group is new here, while some of its drives may have been here for long: those without
 * a place are settled again. rebuilds: as if they had just come back. False: there are none. */
bool cg_settle_again(struct ctl_group *cg, bool rebuilds);

#endif
