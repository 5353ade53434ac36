/*
 * See bench_journal.h.
 */
#include "bench_journal.h"

#include <sys/mman.h>

#include "bench_world.h"

static const struct memory_port_ops plain_ops = {.copy = NULL};
static const struct uuid owner = {{1}};

void bench_medium_open(struct memory_port *port, uint32_t frames)
{
    void *base = NULL;

    port->ops = &plain_ops;
    port->kind = MEMORY_KIND_SHARED;
    port->size_bytes = journal_size_bytes(frames);
    base = mmap(NULL, port->size_bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (base == MAP_FAILED) {
        bench_fail("no memory for a cache of %u frames", frames);
    }
    port->base = base;
}

void bench_medium_close(struct memory_port *port)
{
    (void)munmap(port->base, port->size_bytes); /* it is ours */
    port->base = NULL;
}

struct cache *bench_cache_open(struct memory_port *port)
{
    struct journal *journal = NULL;
    struct cache *cache = NULL;

    if (journal_open(port, &owner, &owner, &journal) != 0 ||
        cache_create(journal, NULL, &cache) != 0) {
        bench_fail("no cache");
    }
    return cache;
}
