/*
 * Drives that sit in the bays of lost members: see place_drive.c.
 */
#ifndef ARRAYWRIGHT_CTL_PLACE_DRIVE_H
#define ARRAYWRIGHT_CTL_PLACE_DRIVE_H

#include "ctl/ctl_private.h"
#include "ctl/finding.h"

/* The member is or was last in the bay of this drive. */
bool drive_is_in_place(const struct ctl_group *cg, uint32_t member, const struct ctl_drive *cd);
/* If a drive is in the bay of a lost member and is not rebuilt onto: fills in the cause, and the
 * remedy if it can be used. False: there is none, or it is about to be used. */
bool place_drive_tell(const struct ctl_group *cg, uint32_t member, struct finding *finding);
/* Of a vacant place whose bay is known and empty: the remedy names a free drive, if there is one.
 */
void place_free_drive_tell(const struct ctl_group *cg, uint32_t member, struct finding *finding);
/* Of an offline group: fills in the cause if lost members are here, but without a label of ours
 * (4), and the remedy if that is true of every member. `path` names virtual drives of the
 * group. */
void place_unlabelled_tell(const struct ctl_group *cg, const char *path, struct finding *finding);
/* With the parameters of the command that puts the drive in the place of the member. */
void place_command(const struct ctl_group *cg, uint32_t member, const struct ctl_drive *cd,
                   enum reason_code code, struct reason *ret_reason);

#endif
