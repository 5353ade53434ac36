/*
 * How long operations took, and how much they moved: a histogram of powers of two for reads, writes
 * and flushes.
 *
 * Bucket 0 counts what took less than 1 us, bucket b what took [2^(b-1), 2^b) us, the last one
 * everything longer as well. Fixed size, no allocation, a few instructions per operation.
 */
#ifndef ARRAYWRIGHT_BASE_LATENCY_H
#define ARRAYWRIGHT_BASE_LATENCY_H

#include <stdint.h>

#define LATENCY_BUCKETS 28u /* the last begins at 2^26 us, about 67 s */

enum latency_kind { LATENCY_READ, LATENCY_WRITE, LATENCY_FLUSH, LATENCY_KIND_MAX };

struct latency_histogram {
    uint64_t count; /* the sum of the buckets */
    uint64_t total_us;
    uint64_t total_bytes;
    uint64_t max_us;
    uint64_t buckets[LATENCY_BUCKETS];
};

struct latency {
    uint64_t since_us; /* of the clock that the owner uses: when counting began */
    struct latency_histogram kinds[LATENCY_KIND_MAX];
};

void latency_reset(struct latency *latency, uint64_t now_us);
/* bytes: of data read or written; 0 for all that moves none. */
void latency_note(struct latency *latency, enum latency_kind kind, uint64_t took_us,
                  uint64_t bytes);
/* What everything in the bucket took less than; of the last one it may be more. */
uint64_t latency_bucket_end_us(uint32_t bucket);
/*
 * The time that `permille` of 1000 operations did not exceed, interpolated inside its bucket
 * and never above the longest one seen; 0 if there were none.
 */
uint64_t latency_percentile_us(const struct latency_histogram *histogram, uint32_t permille);

#endif
