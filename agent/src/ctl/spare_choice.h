/*
 * Which hot spare stands in, and why another cannot (spare_choice.c). Part of ctl_private.h, which
 * includes it.
 */
#ifndef ARRAYWRIGHT_CTL_SPARE_CHOICE_H
#define ARRAYWRIGHT_CTL_SPARE_CHOICE_H

#include "ctl/ctl_private.h"

/* A hot spare of this group by name, whatever it could do for it. */
bool spare_is_dedicated_to(const struct ctl_drive *cd, const struct guid *group);
bool spare_serves(const struct ctl_drive *cd, const struct ctl_group *cg);
/* It would, but for its size. */
bool spare_is_too_small(const struct ctl_drive *cd, const struct ctl_group *cg);
/* Why a hot spare could not take that place (MEMBER_ANY: none) of a group it is meant for, though
 * it is there. False: it could. */
#define MEMBER_ANY UINT32_MAX
bool spare_fault(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member,
                 struct reason *ret_reason);
/* If any member of the group failed, or at least one near it, this hot spare would stand in. */
bool spare_is_of_use(const struct ctl_drive *cd, const struct ctl_group *cg);
bool group_has_spare(const struct ctl_group *cg);
/* It serves none of the drive groups that it is meant for, or not one that no other hot spare
 * serves either: which, and why not the first of them. */
bool spare_is_idle(const struct ctl_drive *cd, struct name_list *ret_groups,
                   struct reason *ret_cause);
/* It is meant for this group: global, or dedicated to it. */
bool spare_is_assigned(const struct ctl_drive *cd, const struct ctl_group *cg);
/* May the two share a drive group? */
bool drives_may_mix(const struct ctl_drive *a, const struct ctl_drive *b,
                    struct reason *ret_reason);
/* Who stands in for the member, and why; NULL: nobody. */
struct ctl_drive *spare_choose(const struct ctl_group *cg, uint32_t member,
                               struct reason *ret_reason);
/* All who were asked, with what speaks for or against each. Returns how many. */
uint32_t spare_choices(const struct ctl_group *cg, uint32_t member, uint32_t capacity,
                       struct spare_choice_view *ret_choices);
/* Could cd take a place of cg? */
bool drive_fits_group(const struct ctl_drive *cd, const struct ctl_group *cg,
                      struct reason *ret_reason);

#endif
