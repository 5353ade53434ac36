/*
 * The seam between a drive and whatever stores its bytes.
 *
 * One io_port stands for one opened storage device: a block device, a file, an
 * emulated drive in front of either, or a simulated drive in a test.
 *
 * (1) A request belongs to the port from submit() until complete() is called.
 * (2) complete() is called exactly once and never from inside submit().
 * (3) Offset and length are multiples of 4096 and lie inside size_bytes; the
 *     buffer is aligned to 4096. A flush has length 0 and no buffer. A drive with blocks of
 *     512 bytes may end within 4096 bytes: a transfer that reaches its end ends there. Of such
 *     a drive single blocks within 4096 bytes may be read, to a buffer aligned to 512.
 * (4) A completed write may sit in the device's volatile cache until a flush
 *     that was submitted after its completion has itself completed.
 */
#ifndef ARRAYWRIGHT_PORT_IO_PORT_H
#define ARRAYWRIGHT_PORT_IO_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/checked.h"
#include "base/list.h"

/* Refusals of writes that are no fault of the medium and may end by themselves. */
#define IO_STATUS_IS_REFUSAL(status)                                                               \
    ((status) == IO_STATUS_NO_SPACE || (status) == IO_STATUS_READ_ONLY)

#define IO_ALIGN_BYTES 4096u
#define IO_SECTOR_BYTES 512u
/* The longest single transfer a port must accept. */
#define IO_LENGTH_MAX_BYTES (1024u * 1024u)

enum io_op { IO_OP_READ, IO_OP_WRITE, IO_OP_FLUSH, IO_OP_MAX };

enum io_status {
    IO_STATUS_OK,
    IO_STATUS_MEDIA,   /* the addressed blocks cannot be read or written */
    IO_STATUS_TIMEOUT, /* no answer in time; set by the drive layer only */
    IO_STATUS_GONE,    /* the device has left; nothing will succeed any more */
    IO_STATUS_NO_SPACE,  /* a write or flush: there is no room below; the device itself is well */
    IO_STATUS_READ_ONLY, /* a write or flush: the device takes none any more; reads go on */
    IO_STATUS_ERROR,   /* any other failure of the device or the path to it */
    IO_STATUS_MAX
};

struct io_request {
    enum io_op op;
    uint64_t offset_bytes;
    uint32_t length_bytes;
    void *buffer;
    bool is_background; /* of a task of the controller, not of its users: a hint */
    void (*complete)(struct io_request *request, enum io_status status);

    /* For the port and for the layer that owns the request, in that order. */
    struct list port_link;
    uint64_t port_private[4];
    struct list owner_link;
    void *owner;
};

struct io_port;

struct io_port_ops {
    void (*submit)(struct io_port *port, struct io_request *request);
};

struct io_port {
    const struct io_port_ops *ops;
    uint64_t size_bytes;
    uint32_t logical_block_bytes;  /* 512 or 4096 */
    uint32_t physical_block_bytes; /* 512 or 4096 */
    uint32_t loss_block_bytes; /* what cannot be read is lost in such units; 0: logical ones */
};

/* Whether a transfer lies on a drive of this size as (3) says. */
static inline bool io_range_is_sound(uint64_t size_bytes, uint64_t offset_bytes,
                                     uint32_t length_bytes)
{
    uint64_t in_block = offset_bytes % IO_ALIGN_BYTES;

    if (length_bytes > size_bytes || offset_bytes > size_bytes - length_bytes) {
        return false;
    }
    if (length_bytes < IO_ALIGN_BYTES &&
        is_aligned_u64(offset_bytes | length_bytes, IO_SECTOR_BYTES)) {
        return in_block + length_bytes <= IO_ALIGN_BYTES;
    }
    return in_block == 0 && (is_aligned_u64(length_bytes, IO_ALIGN_BYTES) ||
                             offset_bytes + length_bytes == size_bytes);
}

static inline void io_port_submit(struct io_port *port, struct io_request *request)
{
    port->ops->submit(port, request);
}

#endif
