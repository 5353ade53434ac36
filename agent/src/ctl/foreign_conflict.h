/*
 * Members of a foreign set whose histories parted: each was in use without the other. Private to
 * ctl.
 */
#ifndef ARRAYWRIGHT_CTL_FOREIGN_CONFLICT_H
#define ARRAYWRIGHT_CTL_FOREIGN_CONFLICT_H

#include "ctl/foreign_set.h"

/* Two drives of the set, the first such pair; false: there are none. */
bool foreign_set_conflicts(const struct foreign_set *set, const struct ctl_drive **ret_drive,
                           const struct ctl_drive **ret_other);

#endif
