/*
 * A fixed number of equal objects, allocated once. Taking one never allocates: an empty
 * pool answers NULL and the caller waits.
 *
 * (1) Objects are aligned to 64 bytes and zeroed by pool_init() only, not by pool_take().
 * (2) Every object is either free or taken; giving back a free or foreign one asserts.
 * (3) The object given back last is taken next, while its memory is still warm.
 */
#ifndef ARRAYWRIGHT_BASE_POOL_H
#define ARRAYWRIGHT_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/bitmap.h"

struct pool {
    uint8_t *allocated;     /* what memory is a part of */
    uint8_t *memory;        /* count * stride bytes */
    size_t stride;          /* object size rounded up to the alignment */
    uint32_t count;
    uint32_t free_count;
    uint32_t *free_indexes; /* a stack; the first free_count entries are in use */
    struct bitmap taken;
};

/* Returns 0 or -ENOMEM; the pool is untouched on failure. count and object_bytes > 0. */
MUST_CHECK int pool_init(struct pool *pool, uint32_t count, size_t object_bytes);
/* An object, or NULL if all are taken. */
void *pool_take(struct pool *pool);
void pool_give(struct pool *pool, void *object);
uint32_t pool_free_count(const struct pool *pool);
/* Frees the memory; every object must have been given back. Bears a zeroed pool. */
void pool_done(struct pool *pool);

#endif
