/*
 * An edit of a group that finds a checkpoint or the idle clean under way (-EBUSY): both end soon,
 * so the command tries again from the work loop, for some seconds.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_RETRY_H
#define ARRAYWRIGHT_CTL_CTL_RETRY_H

#include <errno.h>

#include "ctl/ctl_private.h"

#define CTL_RETRY_TRIES_MAX 500u
#define CTL_RETRY_US UINT64_C(20000)

struct ctl_retry {
    uint32_t tries;
    uint64_t at_us; /* not before that */
};

/* Is it worth another try? The work loop is kicked then. */
static inline bool ctl_retry_begin(struct ctl *ctl, struct ctl_retry *retry, int error)
{
    if (error != -EBUSY || retry->tries == CTL_RETRY_TRIES_MAX) {
        return false;
    }
    retry->tries++;
    retry->at_us = clock_now_us(ctl->ports.clock) + CTL_RETRY_US;
    ctl_kick_at(ctl, retry->at_us);
    return true;
}

/* Asked by the work loop. */
static inline bool ctl_retry_waits(struct ctl *ctl, const struct ctl_retry *retry)
{
    if (clock_now_us(ctl->ports.clock) >= retry->at_us) {
        return false;
    }
    ctl_kick_at(ctl, retry->at_us);
    return true;
}

#endif
