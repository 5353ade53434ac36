/*
 * The cache in figures, for those who only show them.
 */
#ifndef ARRAYWRIGHT_CACHE_CACHE_FACTS_H
#define ARRAYWRIGHT_CACHE_CACHE_FACTS_H

#include <stdint.h>

struct cache_facts {
    uint64_t size_bytes;
    uint64_t used_bytes;       /* frames that hold something */
    uint64_t dirty_bytes;      /* not yet on the drives and flushed */
    uint64_t pinned_bytes;     /* of them: cannot be written at present */
    uint64_t dirty_limit_bytes;
    uint64_t read_hits, read_misses; /* blocks */
    uint64_t written_bytes;    /* taken from writers */
    uint64_t destaged_bytes;   /* written to the drives */
    uint64_t destage_bytes_per_s; /* measured; 0: not yet */
    uint32_t damaged_frames;
};

#endif
