/* Consistency check: what is known of the last one of a virtual drive, or of that which runs. Part
 * of ctl_private.h. */
#ifndef ARRAYWRIGHT_CTL_CTL_CHECK_H
#define ARRAYWRIGHT_CTL_CTL_CHECK_H

#include "ctl/view.h"

struct ctl_check {
    bool any;                      /* there has been one in this run of the agent */
    uint32_t told;                 /* places told of by an event */
    struct check_view view;
};

#endif
