/*
 * A stripe over virtual drives, of one controller or of several: RAID 0 of their block devices,
 * itself a target that can be exported.
 *
 *   strip s of the stripe is strip s / n of member s mod n
 *
 * (1) Requests begin in the order in which they were submitted, each with all of its parts before
 *     the next: so what overlaps reaches every member in that order, and the members keep it.
 * (2) A read or a write is a part for each strip it touches; trims and zeroes are one part for
 *     each member, because what lies on one member is in one piece there.
 * (3) A flush is one for every member. It is submitted behind every write that was answered before
 *     it came, so it covers them.
 * (4) The stripe is as good as its members: the first failure of a part is that of the request.
 * (5) No allocation once it is made: parts come from a pool, and requests wait for them.
 * (6) Answers come from the loop, never from inside a submit.
 */
#ifndef ARRAYWRIGHT_VD_HOST_STRIPE_H
#define ARRAYWRIGHT_VD_HOST_STRIPE_H

#include "base/attrs.h"
#include "meta/config.h"
#include "port/clock_port.h"
#include "vd/vd_request.h"

struct host_stripe;

struct host_stripe_options {
    const char *name;            /* of the export */
    uint32_t strip_bytes;        /* a power of two */
    uint32_t member_count;
    struct vd_target *members[STRIPE_MEMBERS_MAX]; /* stay valid as long as the stripe */
    uint64_t member_bytes;       /* used of each: a multiple of strip_bytes */
    uint32_t parts;              /* at a time; 0: 1024 */
};

/* -EINVAL: the options contradict each other or the members; -ENOMEM. */
MUST_CHECK int host_stripe_create(const struct host_stripe_options *options,
                                  struct clock_port *clock, struct host_stripe **ret_stripe);
/* Nothing may be under way. Accepts NULL, returns NULL. */
struct host_stripe *host_stripe_free(struct host_stripe *stripe);

struct vd_target *host_stripe_target(struct host_stripe *stripe);
/* Every request has been answered. */
bool host_stripe_is_idle(const struct host_stripe *stripe);

/* What of the first end_bytes of a stripe lies on this member. */
uint64_t host_stripe_share(uint64_t end_bytes, uint32_t strip_bytes, uint32_t member_count,
                           uint32_t member);

#endif
