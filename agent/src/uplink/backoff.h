/*
 * How long to wait before the next attempt: uniform(0.5, 1) × min(cap, base × 2^failures), so
 * that many hosts that lost the same backend do not come back together, not even at the cap.
 */
#ifndef ARRAYWRIGHT_UPLINK_BACKOFF_H
#define ARRAYWRIGHT_UPLINK_BACKOFF_H

#include <stdint.h>

#include "base/rng.h"

struct backoff {
    uint32_t base_ms;
    uint32_t cap_ms;
    uint32_t failures;           /* since the last healthy time */
};

/* The wait after one more failure. */
uint64_t backoff_next_us(struct backoff *backoff, struct rng *rng);
/* The longest wait, with jitter: for refusals that will not cure themselves. */
uint64_t backoff_long_us(const struct backoff *backoff, struct rng *rng);
void backoff_reset(struct backoff *backoff);
/* uniform(0, limit). */
uint64_t backoff_spread_us(uint64_t limit_us, struct rng *rng);

#endif
