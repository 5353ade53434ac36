/*
 * The cache's journal in shared memory, for the benchmarks.
 */
#ifndef ARRAYWRIGHT_BENCH_JOURNAL_H
#define ARRAYWRIGHT_BENCH_JOURNAL_H

#include "cache/cache.h"
#include "port/memory_port.h"

/* Each ends the process with a sentence if it fails. */
void bench_medium_open(struct memory_port *port, uint32_t frames);
void bench_medium_close(struct memory_port *port);
/* A cache over what the medium holds. */
struct cache *bench_cache_open(struct memory_port *port);

#endif
