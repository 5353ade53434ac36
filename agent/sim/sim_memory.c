/*
 * See sim_memory.h.
 */
#include "sim_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define PIECE_BYTES 4096u

static void store_tell(const struct sim_memory *memory)
{
    if (memory->on_store != NULL) {
        memory->on_store(memory->on_store_context);
    }
}

static void memory_was_copied(struct memory_port *port, uint64_t offset_bytes, const void *bytes,
                              uint64_t length_bytes)
{
    store_tell(container_of(port, struct sim_memory, port));
    ASSERT(offset_bytes + length_bytes <= port->size_bytes);
    memcpy(port->base + offset_bytes, bytes, length_bytes);
}

static void memory_was_published(struct memory_port *port, uint64_t offset_bytes, uint64_t value)
{
    store_tell(container_of(port, struct sim_memory, port));
    ASSERT(offset_bytes % sizeof(value) == 0 && offset_bytes < port->size_bytes);
    memcpy(port->base + offset_bytes, &value, sizeof(value));
}

static void memory_was_persisted(struct memory_port *port, uint64_t offset_bytes,
                                 uint64_t length_bytes)
{
    struct sim_memory *memory = container_of(port, struct sim_memory, port);

    store_tell(memory);
    ASSERT(offset_bytes + length_bytes <= port->size_bytes);
    if (memory->persisted != NULL) {
        memcpy(memory->persisted + offset_bytes, port->base + offset_bytes, length_bytes);
    }
}

static const struct memory_port_ops memory_ops = {
    .copy = memory_was_copied, .publish = memory_was_published, .persist = memory_was_persisted};

void sim_memory_init(struct sim_memory *memory, enum memory_kind kind, uint64_t size_bytes,
                     bool tears)
{
    ASSERT(size_bytes % PIECE_BYTES == 0);
    *memory =
        (struct sim_memory){.port = {.ops = &memory_ops, .size_bytes = size_bytes, .kind = kind}};
    memory->port.base = aligned_alloc(PIECE_BYTES, size_bytes);
    ASSERT(memory->port.base != NULL);
    if (tears) {
        memory->persisted = malloc(size_bytes);
        ASSERT(memory->persisted != NULL);
    }
    sim_memory_load(memory, NULL);
}

void sim_memory_done(struct sim_memory *memory)
{
    free(memory->port.base);
    free(memory->persisted);
    memory->port.base = NULL;
    memory->persisted = NULL;
}

void sim_memory_load(struct sim_memory *memory, const uint8_t *bytes)
{
    if (bytes != NULL) {
        memcpy(memory->port.base, bytes, memory->port.size_bytes);
    } else {
        memset(memory->port.base, 0, memory->port.size_bytes);
    }
    if (memory->persisted != NULL) {
        memcpy(memory->persisted, memory->port.base, memory->port.size_bytes);
    }
}

/* Words that differ: as they were, but for those that survive. */
static void piece_cut(const uint8_t *before, uint8_t *bytes, struct rng *rng,
                      uint64_t survive_of_16)
{
    for (uint32_t at = 0; at < PIECE_BYTES; at += 8) {
        if (memcmp(bytes + at, before + at, 8) != 0 && rng_below(rng, 16) >= survive_of_16) {
            memcpy(bytes + at, before + at, 8);
        }
    }
}

void sim_memory_cut(const struct sim_memory *memory, struct rng *rng, uint8_t *ret_bytes)
{
    static const uint64_t rates[] = {0, 1, 8, 15, 16};
    uint64_t survive_of_16 = 16;

    memcpy(ret_bytes, memory->port.base, memory->port.size_bytes);
    if (memory->persisted == NULL) {
        return;
    }
    survive_of_16 = rates[rng_below(rng, sizeof(rates) / sizeof(rates[0]))];
    for (uint64_t at = 0; at < memory->port.size_bytes; at += PIECE_BYTES) {
        if (memcmp(memory->persisted + at, ret_bytes + at, PIECE_BYTES) != 0) {
            piece_cut(memory->persisted + at, ret_bytes + at, rng, survive_of_16);
        }
    }
}
