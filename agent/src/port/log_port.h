/*
 * The seam to a log on a non-volatile device or in a file.
 *
 * (1) Offset and length are multiples of 4096 and lie inside size_bytes, bytes are aligned to
 *     4096, a transfer is at most IO_LENGTH_MAX_BYTES.
 * (2) read() may block and is called only before the first write(). What it gives survives a
 *     power loss, also what an earlier owner's write had left on its way.
 * (3) A write belongs to the port until complete(), which is called exactly once, from the loop.
 *     With error 0 its bytes survive a power loss. Until then, each 512 bytes of it may be old or
 *     new, in any order.
 */
#ifndef ARRAYWRIGHT_PORT_LOG_PORT_H
#define ARRAYWRIGHT_PORT_LOG_PORT_H

#include <stdint.h>

#include "base/list.h"

struct log_write {
    uint64_t offset_bytes;
    uint32_t length_bytes;
    const void *bytes;
    void (*complete)(struct log_write *write, int error); /* 0 or a negative errno */
    void *owner;
    struct list port_link;
    uint64_t port_private[4];
};

struct log_port;

struct log_port_ops {
    int (*read)(struct log_port *port, uint64_t offset_bytes, void *bytes, uint32_t length_bytes);
    void (*write)(struct log_port *port, struct log_write *write);
};

struct log_port {
    const struct log_port_ops *ops;
    uint64_t size_bytes;
};

#endif
