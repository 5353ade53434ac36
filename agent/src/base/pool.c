/*
 * Fixed object pools; invariants in pool.h.
 */
#include "base/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define OBJECT_ALIGN_BYTES 64u

int pool_init(struct pool *pool, uint32_t count, size_t object_bytes)
{
    struct pool made = {0};
    uint64_t total_bytes = 0;

    ASSERT(count > 0);
    ASSERT(object_bytes > 0 && object_bytes <= SIZE_MAX / 2);
    made.stride = (size_t)align_up_u64(object_bytes, OBJECT_ALIGN_BYTES);
    made.count = count;
    made.free_count = count;
    if (!checked_mul_u64(made.stride, count, &total_bytes) || total_bytes > SIZE_MAX / 2) {
        return -ENOMEM;
    }
    /* Zeros as they come from the kernel: a large pool is not touched before it is used. */
    made.allocated = calloc(1, (size_t)total_bytes + OBJECT_ALIGN_BYTES - 1);
    made.free_indexes = calloc(count, sizeof(*made.free_indexes));
    if (made.allocated == NULL || made.free_indexes == NULL ||
        bitmap_init(&made.taken, count) < 0) {
        free(made.allocated);
        free(made.free_indexes);
        return -ENOMEM;
    }
    made.memory = made.allocated + (-(uintptr_t)made.allocated & (OBJECT_ALIGN_BYTES - 1));
    for (uint32_t i = 0; i < count; i++) {
        made.free_indexes[i] = count - 1 - i; /* so that the first taken is object 0 */
    }
    *pool = made;
    return 0;
}

void *pool_take(struct pool *pool)
{
    uint32_t index = 0;

    ASSERT(pool->memory != NULL);
    if (pool->free_count == 0) {
        return NULL;
    }
    index = pool->free_indexes[--pool->free_count];
    ASSERT(index < pool->count);
    ASSERT(!bitmap_get(&pool->taken, index)); /* (2) */
    bitmap_set(&pool->taken, index);
    return pool->memory + (size_t)index * pool->stride;
}

void pool_give(struct pool *pool, void *object)
{
    uintptr_t first = (uintptr_t)pool->memory;
    uintptr_t address = (uintptr_t)object;
    uint32_t index = 0;

    ASSERT(address >= first);
    ASSERT((address - first) % pool->stride == 0);
    ASSERT((address - first) / pool->stride < pool->count);
    index = (uint32_t)((address - first) / pool->stride);
    ASSERT(bitmap_get(&pool->taken, index)); /* (2) */
    ASSERT(pool->free_count < pool->count);
    bitmap_clear(&pool->taken, index);
    pool->free_indexes[pool->free_count++] = index;
}

uint32_t pool_free_count(const struct pool *pool)
{
    ASSERT(pool->free_count <= pool->count);
    return pool->free_count;
}

void pool_done(struct pool *pool)
{
    ASSERT(pool->free_count == pool->count);
    free(pool->allocated);
    free(pool->free_indexes);
    bitmap_done(&pool->taken);
    memset(pool, 0, sizeof(*pool));
}
