/*
 * The seam to durable memory: a mapped region that outlives the process, and perhaps the power.
 *
 * Reading goes through `base`. Every change goes through the functions below, so that a test
 * can record each store and replay any prefix of them.
 *
 * (1) Stores reach the region in program order as far as the death of the process is concerned.
 * (2) For a power loss nothing is promised before memory_persist() of its range has returned;
 *     until then each aligned 8 bytes may have their old or their new content.
 * (3) memory_publish() is one aligned 8-byte store, never seen half.
 */
#ifndef ARRAYWRIGHT_PORT_MEMORY_PORT_H
#define ARRAYWRIGHT_PORT_MEMORY_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum memory_kind {
    MEMORY_KIND_SHARED,     /* outlives the process, not the host: no stable storage */
    MEMORY_KIND_PERSISTENT, /* outlives power loss once persisted */
    MEMORY_KIND_MAX
};

struct memory_port;

/* A function that is NULL has the plain meaning: memcpy, a store, nothing to do. */
struct memory_port_ops {
    void (*copy)(struct memory_port *port, uint64_t offset_bytes, const void *bytes,
                 uint64_t length_bytes);
    void (*publish)(struct memory_port *port, uint64_t offset_bytes, uint64_t value);
    void (*persist)(struct memory_port *port, uint64_t offset_bytes, uint64_t length_bytes);
};

struct memory_port {
    const struct memory_port_ops *ops;
    uint8_t *base; /* aligned to 4096 */
    uint64_t size_bytes;
    enum memory_kind kind;
    volatile bool lost; /* part of what was behind it is gone, and is zeros now */
};

static inline void memory_copy(struct memory_port *port, uint64_t offset_bytes, const void *bytes,
                               uint64_t length_bytes)
{
    if (port->ops->copy != NULL) {
        port->ops->copy(port, offset_bytes, bytes, length_bytes);
    } else {
        memcpy(port->base + offset_bytes, bytes, length_bytes);
    }
}

static inline void memory_publish(struct memory_port *port, uint64_t offset_bytes, uint64_t value)
{
    if (port->ops->publish != NULL) {
        port->ops->publish(port, offset_bytes, value);
    } else {
        /* Release: whatever was stored before is there before this is. */
        __atomic_store_n((uint64_t *)(void *)(port->base + offset_bytes), value, __ATOMIC_RELEASE);
    }
}

static inline void memory_persist(struct memory_port *port, uint64_t offset_bytes,
                                  uint64_t length_bytes)
{
    if (port->ops->persist != NULL) {
        port->ops->persist(port, offset_bytes, length_bytes);
    }
}

#endif
