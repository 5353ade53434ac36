/*
 * Buffers in classes; see nbd_buffers.h.
 */
#include "export/nbd_buffers.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

#define ALIGN_BYTES 4096u

STATIC_ASSERT(((size_t)ALIGN_BYTES << (NBD_BUFFER_CLASSES - 1u)) == 32u * 1024u * 1024u,
              "the largest class holds the largest request");

static uint32_t class_of(size_t length_bytes)
{
    uint32_t class_index = 0;

    ASSERT(length_bytes > 0);
    while (((size_t)ALIGN_BYTES << class_index) < length_bytes) {
        class_index++;
    }
    ASSERT(class_index < NBD_BUFFER_CLASSES);
    return class_index;
}

void nbd_buffers_init(struct nbd_buffers *buffers, uint64_t kept_max_bytes)
{
    *buffers = (struct nbd_buffers){.kept_max_bytes = kept_max_bytes};
}

void nbd_buffers_done(struct nbd_buffers *buffers)
{
    ASSERT(buffers->taken_bytes == 0);
    for (uint32_t i = 0; i < NBD_BUFFER_CLASSES; i++) {
        while (buffers->free_lists[i] != NULL) {
            void *buffer = buffers->free_lists[i];
            memcpy(&buffers->free_lists[i], buffer, sizeof buffers->free_lists[i]);
            free(buffer);
        }
    }
}

size_t nbd_buffer_round(size_t length_bytes)
{
    return (size_t)ALIGN_BYTES << class_of(length_bytes);
}

uint8_t *nbd_buffer_take(struct nbd_buffers *buffers, size_t length_bytes)
{
    uint32_t class_index = class_of(length_bytes);
    size_t rounded_bytes = (size_t)ALIGN_BYTES << class_index;
    uint8_t *buffer = buffers->free_lists[class_index];

    if (buffer != NULL) {
        memcpy(&buffers->free_lists[class_index], buffer, sizeof(void *));
        ASSERT(buffers->kept_bytes >= rounded_bytes);
        buffers->kept_bytes -= rounded_bytes;
    } else {
        buffer = aligned_alloc(ALIGN_BYTES, rounded_bytes);
    }
    if (buffer != NULL) {
        buffers->taken_bytes += rounded_bytes;
    }
    return buffer;
}

void nbd_buffer_give(struct nbd_buffers *buffers, uint8_t *buffer, size_t length_bytes)
{
    uint32_t class_index = class_of(length_bytes);
    size_t rounded_bytes = (size_t)ALIGN_BYTES << class_index;

    ASSERT(buffer != NULL);
    ASSERT(buffers->taken_bytes >= rounded_bytes);
    buffers->taken_bytes -= rounded_bytes;
    if (buffers->kept_bytes + rounded_bytes > buffers->kept_max_bytes) {
        free(buffer);
        return;
    }
    memcpy(buffer, &buffers->free_lists[class_index], sizeof(void *));
    buffers->free_lists[class_index] = buffer;
    buffers->kept_bytes += rounded_bytes;
}
