/* Consistency check: what is known of the last one of a virtual drive, or of that which runs. Part
 * of ctl_private.h. */
#ifndef ARRAYWRIGHT_CTL_CTL_CHECK_H
#define ARRAYWRIGHT_CTL_CTL_CHECK_H

#include "ctl/view.h"

struct ctl_group;

struct ctl_check {
    bool any;                      /* there has been one in this run of the agent */
    uint32_t told;                 /* places told of by an event */
    bool rebuilt;                  /* since; of places that were inconsistent */
    uint64_t kept_count;           /* places of checks before a rebuild: none finds them again */
    struct check_view view;
};

/* A member has been rebuilt: redundancy has been made of the places that a check found. */
void check_note_rebuilt(struct ctl_group *cg);
/* They are in the data, and no check finds them. */
uint64_t check_rebuilt_places(const struct ctl_check *check);

#endif
