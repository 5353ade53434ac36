/*
 * A cache medium as found: hostile bytes, once as they are and once with the super-block made
 * whole. What it takes over must be sound, and go through a life of the cache.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "cache/cache.h"

#define FRAMES 16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct memory_port_ops plain_ops = {.copy = NULL};
static const struct uuid owner = {{1}};

static void write_some(struct cache *cache, struct cache_vd *vd)
{
    static const uint8_t bytes[CACHE_BLOCK_BYTES];
    static struct cache_batch batch;

    for (uint64_t block = 0; block < 4; block++) {
        if (!cache_may_write(vd, 1) || !cache_write(vd, block, 0, sizeof(bytes), bytes, 0)) {
            break; /* it came full */
        }
    }
    cache_vd_hurry(vd, true);
    while (cache_batch_take(cache, UINT64_MAX / 2, &batch)) {
        cache_batch_done(&batch, true, UINT64_MAX / 2);
    }
    cache_flush_begin(vd);
    cache_flush_end(vd, true);
}

static void medium_try(struct memory_port *port)
{
    struct journal *journal = NULL;
    struct cache *cache = NULL;
    struct cache_vd *vd = NULL;
    struct guid guid;

    if (journal_open(port, &owner, &owner, &journal) != 0) {
        return;
    }
    if (cache_create(journal, NULL, &cache) != 0) {
        (void)journal_close(journal);
        return; /* more virtual drives than there may be: it keeps them all */
    }
    cache_check(cache);
    vd = cache_vd_next(cache, NULL);
    if (vd != NULL) {
        guid = *cache_vd_guid(vd);
        vd = cache_vd_open(cache, &guid, 4 * CACHE_BLOCK_BYTES);
        cache_vd_pin(vd, false);
        write_some(cache, vd);
        cache_check(cache);
        cache_vd_close(vd);
    }
    (void)cache_free(cache);
}

static void super_repair(uint8_t *bytes, uint64_t size_bytes)
{
    memcpy(bytes, "AWCACHE1", 8);
    put_le32(bytes + 8, 1);
    put_le32(bytes + 12, FRAMES);
    memcpy(bytes + 32, &owner, sizeof(owner));
    put_le64(bytes + 56, size_bytes);
    put_le32(bytes + 92, crc32c(0, bytes, 92));
}

/* The input is laid over the descriptors and the frames; beyond it everything is zeros. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_port port = {
        .ops = &plain_ops, .kind = MEMORY_KIND_SHARED, .size_bytes = journal_size_bytes(FRAMES)};

    if (size > port.size_bytes) {
        return 0;
    }
    port.base = aligned_alloc(4096, port.size_bytes);
    ASSERT(port.base != NULL);
    memset(port.base, 0, port.size_bytes);
    memcpy(port.base, data, size);
    medium_try(&port);
    memset(port.base, 0, port.size_bytes);
    if (size <= port.size_bytes - 8192) {
        memcpy(port.base + 8192, data, size);
    }
    super_repair(port.base, port.size_bytes);
    medium_try(&port);
    free(port.base);
    return 0;
}
