/*
 * What a start waits for (ctl_await.c). Of the files of the controller only.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_AWAIT_H
#define ARRAYWRIGHT_CTL_CTL_AWAIT_H

#include "ctl/ctl_private.h"

bool ctl_start_claims(struct ctl *ctl); /* true: of one that the record did not name */
/* Of a drive that was ours, despite what is on it; without a change of the controller. */
void cd_claim_start(struct ctl_drive *cd);
bool ctl_start_claims_are_quiet(const struct ctl *ctl);
/* It is not known yet what it holds. */
bool cd_is_pending(const struct ctl_drive *cd);
/* Nothing is pending that anything waits for; else the work loop comes back in time. */
bool ctl_all_is_known(struct ctl *ctl);
/* A drive that has just come is pending, and the command, which is next, has not waited long enough
 * for such drives; the work loop comes back in time. */
bool ctl_commands_wait(struct ctl *ctl, struct ctl_command *next);
/* It may start though other drives are pending; then its members have to be settled. */
bool ctl_group_is_early(const struct ctl_group *cg);
void ctl_group_members_settle(struct ctl_group *cg);
/* It is not known yet what will become of it: the controller starts; or, of a drive, the host is
 * still claiming it. */
bool ctl_is_starting(const struct ctl *ctl);
bool cg_is_starting(const struct ctl_group *cg);
bool cd_is_starting(const struct ctl_drive *cd);
/* Its drives refuse writes, and nobody knows for how long: nothing waits for its start. */
bool cg_start_is_refused(const struct ctl_group *cg);

#endif
