/*
 * A load: which requests follow one another, as IOMeter makes them. Deterministic: the same load,
 * seed and size give the same requests, to a model on the virtual clock and to a virtual drive.
 */
#ifndef ARRAYWRIGHT_TASK_LOAD_H
#define ARRAYWRIGHT_TASK_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/rng.h"
#include "base/words.h"

#define LOAD_BLOCKS_MAX 16u
#define LOAD_WORKERS_MAX 64u
#define LOAD_DEPTH_MAX 1024u             /* requests at a time, of all workers */
#define LOAD_REQUEST_MAX_BYTES (8u << 20)
#define LOAD_FILE_CHUNK_BYTES 65536u     /* files: of one request, whatever the blocks are */

struct load_block {
    uint32_t bytes;
    uint32_t percent;
};

/* The patterns: random; sequential, each worker through its own zone; files one after the other
 * and a note of each elsewhere; the same read; copies of files from one half of a volume to the
 * other; copies from one volume to a second one behind it. The zone is the volume; of two, each has
 * half of all at most. */
struct load {
    enum load_pattern pattern;
    uint32_t write_percent;              /* files: their pattern says it */
    uint32_t block_count;
    struct load_block blocks[LOAD_BLOCKS_MAX]; /* their percents make 100 */
    uint32_t workers;
    uint32_t depth;                      /* of each worker */
    uint64_t zone_bytes;                 /* only the first so many bytes; 0: all */
    uint64_t start_bytes;                /* sequential: begins there */
    uint64_t file_bytes;                 /* files */
};

struct load_request {
    bool is_write;
    uint64_t offset_bytes;
    uint32_t length_bytes;
};

struct load_worker {
    uint64_t begin_bytes, end_bytes;     /* its zone */
    uint64_t next_bytes;
    uint64_t left_bytes;                 /* files: of the present one */
    uint64_t copied_bytes;               /* copies: what was read last */
    uint32_t copied_length;
    bool note_due;
    bool write_due;
};

struct load_source {
    const struct load *load;
    struct rng rng;
    uint64_t size_bytes;                 /* of its zone */
    uint64_t copy_note_bytes;            /* copies: from a file's note to that of its copy */
    uint64_t copy_bytes;                 /* from its bytes to those of its copy */
    struct load_worker workers[LOAD_WORKERS_MAX];
};

/* The load stays with the caller. False: it does not fit what has so many bytes. */
MUST_CHECK bool load_source_init(struct load_source *source, const struct load *load,
                                 uint64_t size_bytes, uint64_t seed);
void load_source_next(struct load_source *source, uint32_t worker,
                      struct load_request *ret_request);
/* Of its longest request. */
uint32_t load_longest_bytes(const struct load *load);
bool load_overwrites(const struct load *load);
/* What one of its requests writes on average, in hundredths of a byte. */
uint64_t load_written_hundredths(const struct load *load);

#endif
