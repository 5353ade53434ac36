/*
 * Lost members that are back without being taken for what they are: see member_returned.c. Of the
 * files of the controller only.
 */
#ifndef ARRAYWRIGHT_CTL_MEMBER_RETURNED_H
#define ARRAYWRIGHT_CTL_MEMBER_RETURNED_H

#include "ctl/ctl_private.h"

struct returned_place {
    struct ctl_group *cg;
    uint32_t member;
};

/* The drive is a lost member of a drive group here. */
bool cd_is_returned(const struct ctl_drive *cd, struct returned_place *ret_place);
/* The record of another drive calls one lost that is in use here, or knows none of those. */
bool record_lost_one(const struct ctl_group *cg, const struct group_config *record);
/* It may hold newer data than the drive group. */
bool cd_returned_is_later(const struct ctl_drive *cd, const struct returned_place *place);
/* Its place can be given back to it now: by a command, and nobody else is about to take it. */
bool cd_may_return(const struct ctl_drive *cd, const struct returned_place *place);
/* The lost member; of several drives that say so, the one that the group names. NULL: it is not
 * here. */
const struct ctl_drive *member_returned(const struct ctl_group *cg, uint32_t member);
/* The drive of that place is not here. The group is offline, and that drive does not bring it
 * back. */
bool place_waits_for_group(const struct ctl_group *cg, uint32_t member);
/* (4): a copy of a drive that is not here, without which its drive group is offline. */
bool cd_is_needed_copy(const struct ctl_drive *cd, struct returned_place *ret_place);
/* The drive is a member of a drive group of another controller of this host, which is offline
 * without it. */
bool cd_is_needed_elsewhere(const struct ctl_drive *cd, struct returned_place *ret_place);
/* The same, and that drive group works without it. */
bool cd_is_lacked_elsewhere(const struct ctl_drive *cd, struct returned_place *ret_place);
/* False with a reason: the drive is needed, as a copy that is not older, or by the other one. */
MUST_CHECK bool rule_not_needed_here(const struct ctl_drive *cd, struct reason *ret_reason);
MUST_CHECK bool rule_not_needed_elsewhere(const struct ctl_drive *cd, struct reason *ret_reason);
/* What the drive is to somebody else, which a text about overwriting it must not pass over: any of
 * the three. False: nothing. */
bool cd_is_wanted(const struct ctl_drive *cd, struct reason *ret_reason);
bool lacked_elsewhere_tell(const struct ctl_drive *cd, struct reason *ret_reason);
/* Such a copy has missed writes by its own label: it cannot be used. */
bool cd_copy_is_older(const struct ctl_drive *cd, const struct returned_place *place);

#endif
