/*
 * A load: so many requests always on their way, each answer followed by the next request, as
 * IOMeter does it. Deterministic: the same load, seed and array give the same requests and times.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_LOAD_H
#define ARRAYWRIGHT_LAB_LAB_LOAD_H

#include "lab/lab_front.h"

#define LAB_BLOCKS_MAX 16u
#define LAB_REQUEST_MAX_BYTES (8u << 20)
#define LAB_FILE_CHUNK_BYTES 65536u /* files: of one request, whatever the blocks are */

enum lab_pattern {
    LAB_PATTERN_RANDOM,
    LAB_PATTERN_SEQUENTIAL,   /* each worker through its own zone */
    LAB_PATTERN_FILES_CREATE, /* files one after the other, and a note of each elsewhere */
    LAB_PATTERN_FILES_READ,
    LAB_PATTERN_FILES_COPY,   /* reads from one half, writes to the other */
    LAB_PATTERN_MAX
};

struct lab_block {
    uint32_t bytes;
    uint32_t percent;
};

struct lab_load {
    enum lab_pattern pattern;
    uint32_t write_percent;
    uint32_t block_count;
    struct lab_block blocks[LAB_BLOCKS_MAX]; /* their percents make 100 */
    uint32_t workers;
    uint32_t depth;              /* of each worker */
    uint64_t zone_bytes;         /* only the first so many bytes; 0: all */
    uint64_t start_bytes;        /* sequential: begins there */
    uint64_t file_bytes;         /* files */
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
