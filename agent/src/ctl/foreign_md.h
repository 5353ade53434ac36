/*
 * Sets in md's own format (meta/md_super.h): shown, and told what it would take to run them here
 * with their data where they are. They are not taken over.
 */
#ifndef ARRAYWRIGHT_CTL_FOREIGN_MD_H
#define ARRAYWRIGHT_CTL_FOREIGN_MD_H

#include "ctl/ctl_private.h"
#include "meta/md_super.h"

/* The first thing that stands in the way, and what to do about it. places: by role, NULL where
 * nobody is; twin: two say that they have one place. */
void foreign_md_refusal(const struct md_super *newest, const struct ctl_drive *const *places,
                        bool twin, struct reason *ret_reason);

#endif
