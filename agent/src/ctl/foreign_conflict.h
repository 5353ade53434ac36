/*
 * Members of a foreign set whose histories parted: each was in use without the other. Private to
 * ctl.
 */
#ifndef ARRAYWRIGHT_CTL_FOREIGN_CONFLICT_H
#define ARRAYWRIGHT_CTL_FOREIGN_CONFLICT_H

#include "ctl/foreign_set.h"

/* Both call a drive in sync that has the same place in both. */
bool records_share_drive(const struct group_config *a, const struct group_config *b);
/* Neither went on from the other, for none would have worked without all drives of both. */
bool record_went_apart(const struct group_config *record, const struct group_config *now);
/* Two drives of the set are such members; the refusal names the first pair. An import would have to
 * choose one history, and the next rebuild would destroy the other. */
bool foreign_set_conflicts(const struct foreign_set *set, struct reason *ret_refusal);
/* One of its drives was in use without drives that this group uses now; the refusal says so. */
bool foreign_set_conflicts_here(const struct foreign_set *set, struct ctl_group *cg,
                                struct reason *ret_refusal);

#endif
