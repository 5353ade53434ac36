/*
 * Waiting with jitter: see backoff.h.
 */
#include "uplink/backoff.h"

#include "base/assert.h"

#define FAILURES_MAX 31u /* beyond, doubling has passed any cap */

static uint64_t jitter_us(uint64_t limit_ms, struct rng *rng)
{
    uint64_t half_us = limit_ms * 500;

    return half_us + rng_below(rng, half_us + 1);
}

uint64_t backoff_next_us(struct backoff *backoff, struct rng *rng)
{
    uint64_t limit_ms = (uint64_t)backoff->base_ms << backoff->failures;

    ASSERT(backoff->base_ms > 0);
    ASSERT(backoff->failures <= FAILURES_MAX);
    if (limit_ms > backoff->cap_ms) {
        limit_ms = backoff->cap_ms;
    }
    if (backoff->failures < FAILURES_MAX) {
        backoff->failures++;
    }
    return jitter_us(limit_ms, rng);
}

uint64_t backoff_long_us(const struct backoff *backoff, struct rng *rng)
{
    ASSERT(backoff->cap_ms > 0);
    return jitter_us(backoff->cap_ms, rng);
}

void backoff_reset(struct backoff *backoff)
{
    backoff->failures = 0;
}

uint64_t backoff_spread_us(uint64_t limit_us, struct rng *rng)
{
    return limit_us > 0 ? rng_below(rng, limit_us + 1) : 0;
}
