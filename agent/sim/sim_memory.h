/*
 * Durable memory (port/memory_port.h) as a power cut finds it: of what has been stored since it was
 * last persisted each 8 bytes have their old or their new content.
 */
#ifndef ARRAYWRIGHT_SIM_MEMORY_H
#define ARRAYWRIGHT_SIM_MEMORY_H

#include "base/rng.h"
#include "port/memory_port.h"

struct sim_memory {
    struct memory_port port;
    uint8_t *persisted; /* as of then; NULL: everything counts as persisted at once */
    /* Called before each change, and before each persist; may be NULL. */
    void (*on_store)(void *context);
    void *on_store_context;
};

/* Of zeros. tears: a power cut may find stores that have not been persisted. */
void sim_memory_init(struct sim_memory *memory, enum memory_kind kind, uint64_t size_bytes,
                     bool tears);
void sim_memory_done(struct sim_memory *memory);
/* This is in it, persisted; NULL: zeros. */
void sim_memory_load(struct sim_memory *memory, const uint8_t *bytes);
/* What a power cut now leaves of it, which is as large as it. */
void sim_memory_cut(const struct sim_memory *memory, struct rng *rng, uint8_t *ret_bytes);

#endif
