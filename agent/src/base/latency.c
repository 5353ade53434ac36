/*
 * See latency.h.
 */
#include "base/latency.h"

#include "base/assert.h"
#include "base/checked.h"

STATIC_ASSERT(LATENCY_BUCKETS < 64u, "the bounds of all buckets are numbers");

static uint32_t bucket_of(uint64_t took_us)
{
    uint32_t bits = took_us == 0 ? 0 : 64u - (uint32_t)__builtin_clzll(took_us);

    return bits < LATENCY_BUCKETS ? bits : LATENCY_BUCKETS - 1u;
}

static uint64_t bucket_begin_us(uint32_t bucket)
{
    ASSERT(bucket < LATENCY_BUCKETS);
    return bucket == 0 ? 0 : UINT64_C(1) << (bucket - 1u);
}

uint64_t latency_bucket_end_us(uint32_t bucket)
{
    ASSERT(bucket < LATENCY_BUCKETS);
    return UINT64_C(1) << bucket;
}

void latency_reset(struct latency *latency, uint64_t now_us)
{
    *latency = (struct latency){.since_us = now_us};
}

void latency_note(struct latency *latency, enum latency_kind kind, uint64_t took_us, uint64_t bytes)
{
    struct latency_histogram *histogram = &latency->kinds[kind];

    ASSERT(kind < LATENCY_KIND_MAX);
    histogram->count++;
    histogram->total_us += took_us;
    histogram->total_bytes += bytes;
    histogram->max_us = max_u64(histogram->max_us, took_us);
    histogram->buckets[bucket_of(took_us)]++;
}

uint64_t latency_percentile_us(const struct latency_histogram *histogram, uint32_t permille)
{
    uint64_t rank = 0;
    uint64_t before = 0;

    ASSERT(permille > 0 && permille <= 1000);
    if (histogram->count == 0) {
        return 0;
    }
    /* The rank of the operation that answers, from 1: ceil(count * permille / 1000). */
    rank = div_ceil_u64(histogram->count * permille, 1000);
    for (uint32_t i = 0; ALWAYS(i < LATENCY_BUCKETS); i++) { /* they add up to the count */
        uint64_t here = histogram->buckets[i];

        if (before + here >= rank) {
            uint64_t begin_us = bucket_begin_us(i);
            uint64_t width_us = i == 0 ? 1 : begin_us;
            uint64_t us = begin_us + width_us * (rank - before) / here;

            return min_u64(us, histogram->max_us);
        }
        before += here;
    }
    UNREACHABLE();
}
