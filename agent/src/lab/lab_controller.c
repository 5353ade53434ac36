/* See lab_controller.h. */
#include "lab/lab_controller.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/assert.h"
#include "cache/cache.h"
#include "cache/intents.h"
#include "cache/journal.h"
#include "vd/cached.h"

/* The content of blocks is not kept, as on the drives: only what says where they belong is. */
static void memory_store(struct memory_port *port, uint64_t offset_bytes, const void *bytes,
                         uint64_t length_bytes)
{
    const struct lab_controller *controller = container_of(port, struct lab_controller, memory);

    if (offset_bytes < controller->content_offset) {
        memcpy(port->base + offset_bytes, bytes, length_bytes);
    }
}

static const struct memory_port_ops memory_ops = {.copy = memory_store};

static int cache_make(struct lab_controller *controller, const struct lab_controller_setup *setup,
                      struct lab_clock *clock)
{
    static const struct uuid owner = {{1}};
    const struct cache_mover_options options = {.batches = setup->destage_rows};
    uint32_t frames = (uint32_t)(setup->cache_bytes / CACHE_BLOCK_BYTES);
    struct journal *journal = NULL;
    int error = 0;

    /* A battery keeps it: as good as persistent. */
    controller->content_offset = UINT64_MAX;
    controller->memory = (struct memory_port){.ops = &memory_ops,
                                              .size_bytes = journal_size_bytes(frames),
                                              .kind = MEMORY_KIND_PERSISTENT};
    /* Zeros that cost nothing until they are touched: most predictions use a part of it. */
    controller->memory.base = mmap(NULL, controller->memory.size_bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (controller->memory.base == MAP_FAILED) {
        controller->memory.base = NULL;
        return -ENOMEM;
    }
    error = journal_open(&controller->memory, &owner, &owner, &journal);
    if (error != 0) {
        return error;
    }
    controller->content_offset = (uint64_t)(journal_frame(journal, 0) - controller->memory.base);
    error = cache_create(journal, NULL, &controller->cache);
    if (error != 0) {
        (void)journal_close(journal);
        return error;
    }
    error = cache_mover_create(controller->cache, &clock->port, &options, &controller->mover);
    return error != 0 ? error
                      : intents_create(controller->cache, &clock->port, &controller->intents);
}

static bool any_ceiling(const struct controller_ceilings *ceilings)
{
    return ceilings->bus_bytes_per_s != 0 || ceilings->read_bytes_per_s != 0 ||
           ceilings->write_bytes_per_s != 0 || ceilings->xor_bytes_per_s != 0 ||
           ceilings->stream_bytes_per_s != 0 || ceilings->stream_write_bytes_per_s != 0;
}

int lab_controller_create(const struct lab_controller_setup *setup, struct lab_clock *clock,
                          struct lab_controller **ret_controller, char text[LAB_TEXT_BYTES])
{
    const struct controller_ceilings *ceilings = &setup->ceilings;
    struct lab_controller *controller = calloc(1, sizeof(*controller));
    int error = 0;

    if (controller == NULL) {
        (void)snprintf(text, LAB_TEXT_BYTES, "no memory");
        return -ENOMEM;
    }
    controller->ceilings = *ceilings;
    controller->has_ceilings = any_ceiling(ceilings);
    controller->bus_in.bytes_per_s = ceilings->bus_bytes_per_s;
    controller->bus_out.bytes_per_s = ceilings->bus_bytes_per_s;
    controller->engine_in.bytes_per_s = ceilings->write_bytes_per_s;
    controller->engine_out.bytes_per_s = ceilings->read_bytes_per_s;
    controller->parity.bytes_per_s = ceilings->xor_bytes_per_s;
    controller->expander.bytes_per_s = setup->expander_bytes_per_s;
    if (setup->cache_bytes > 0) {
        error = cache_make(controller, setup, clock);
    }
    if (error != 0) {
        (void)snprintf(text, LAB_TEXT_BYTES, "no cache of that size: %s", strerror(-error));
        controller = lab_controller_free(controller);
        return error;
    }
    *ret_controller = controller;
    return 0;
}

/* Bears one that was only half made. */
struct lab_controller *lab_controller_free(struct lab_controller *controller)
{
    if (controller == NULL) {
        return NULL;
    }
    if (controller->intents != NULL) {
        controller->intents = intents_free(controller->intents);
    }
    if (controller->mover != NULL) {
        controller->mover = cache_mover_free(controller->mover);
    }
    if (controller->cache != NULL) {
        controller->cache = cache_free(controller->cache);
    }
    if (controller->memory.base != NULL) {
        int error = munmap(controller->memory.base, controller->memory.size_bytes);

        ASSERT(error == 0);
    }
    free(controller);
    return NULL;
}
