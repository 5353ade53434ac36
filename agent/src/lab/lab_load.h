/*
 * A load on the virtual clock: so many requests always on their way, each answer followed by the
 * next request. Deterministic: the same load, seed and array give the same requests and times.
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
    struct lab_counts drives[LAB_CONTROLLERS_MAX * LAB_DRIVES_MAX];
    uint32_t drive_count;
};

/* 0 or -ENOMEM, -EINVAL: it does not fit the array; text says why. */
MUST_CHECK int lab_load_run(const struct lab_load *load, struct lab_clock *clock,
                            struct lab_front *front, struct lab_array *const *arrays,
                            uint32_t array_count, uint32_t drives_each,
                            struct lab_outcome *ret_outcome, char text[LAB_TEXT_BYTES]);

#endif
