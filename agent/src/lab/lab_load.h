/*
 * Loads on the virtual clock: so many requests always on their way, each answer followed by the
 * next request; after one that failed the host waits for a moment. Deterministic: the same loads,
 * seeds and arrays give the same requests and times.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_LOAD_H
#define ARRAYWRIGHT_LAB_LAB_LOAD_H

#include "lab/lab_front.h"
#include "task/load.h"

struct lab_load {
    struct load load;
    uint64_t warmup_operations;  /* not measured, at least */
    uint64_t operations;         /* measured, at most */
    uint64_t seconds;            /* of virtual time, each of the two, at most */
    uint64_t window_us;          /* measured, at most; 0: as seconds say */
    uint64_t seed;
};

struct lab_latency {
    uint64_t count;
    double mean_us;
    uint64_t p50_us, p90_us, p99_us, p999_us, max_us;
};

struct lab_counts {
    uint64_t reads, writes, flushes, read_bytes, written_bytes;
};

struct lab_outcome {
    uint64_t operations, reads, writes, bytes;
    uint64_t duration_us;
    double operations_per_s, bytes_per_s;
    double bytes_per_s_max;      /* of the best tenth of the time */
    struct lab_latency read, write;
    uint64_t failed;             /* requests besides that were not done */
    uint64_t warmed_operations;  /* before it was measured */
    struct lab_counts drives[LAB_CONTROLLERS_MAX * LAB_DRIVES_MAX];
    uint32_t drive_count;
};

/* A load and what it runs on: arrays behind a front. */
struct lab_loading {
    const struct lab_load *load;
    struct lab_front *front;
    struct lab_array *const *arrays;
    uint32_t array_count;
    uint32_t drives_each;
    struct lab_outcome *outcome;
};

/*
 * All of them at the same time: until each has had its warm-up, and then, measured, until the first
 * has had its operations, so that all are measured over the same time. `measuring`, which may be
 * NULL, is called between the two. 0 or -ENOMEM, -EINVAL: one does not fit its array; text says
 * why.
 */
MUST_CHECK int lab_loads_run(const struct lab_loading *loadings, uint32_t count,
                             struct lab_clock *clock, void (*measuring)(void *context),
                             void *context, char text[LAB_TEXT_BYTES]);

#endif
