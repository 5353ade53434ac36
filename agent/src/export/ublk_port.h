/*
 * The seam between a virtual drive's ublk device and the kernel's driver: control commands, and a
 * queue of tags. ublk_kernel.h is the real one, tests have a fake.
 *
 * (1) Answers come from the loop, never from inside the call that asked.
 * (2) A control command belongs to the port until done(); so does the memory it names.
 * (3) A tag belongs to the kernel from fetch() until fetched(), and the memory named with it.
 */
#ifndef ARRAYWRIGHT_EXPORT_UBLK_PORT_H
#define ARRAYWRIGHT_EXPORT_UBLK_PORT_H

#include "base/attrs.h"
#include "export/ublk_abi.h"

struct ublk_control {
    uint32_t op; /* UBLK_ADD_DEV, ... */
    struct ublk_control_command command;
    void (*done)(struct ublk_control *control, int result); /* 0 or a negative errno */
};

struct ublk_queue {
    void (*fetched)(struct ublk_queue *queue, uint16_t tag, int result);
    uint8_t *memory; /* of all tags, from aligned_alloc(); its place is the device's choice */
    const struct ublk_descriptor *descriptors; /* by tag; set by queue_open */
    void *port_private;
};

struct ublk_port;

struct ublk_port_ops {
    void (*control)(struct ublk_port *port, struct ublk_control *control);
    /* Takes hold of the one queue of a device. A negative errno if it is not to be had (yet). */
    int (*queue_open)(struct ublk_port *port, uint32_t device, uint16_t depth,
                      struct ublk_queue *queue);
    /* Nothing is told any more. The memory goes over to the port, which frees it as soon as the
     * kernel has no tag any more; the struct is the caller's again. */
    void (*queue_close)(struct ublk_port *port, struct ublk_queue *queue);
    /* UBLK_FETCH or UBLK_COMMIT_AND_FETCH of command->tag. */
    void (*fetch)(struct ublk_port *port, struct ublk_queue *queue, uint32_t op,
                  const struct ublk_io_command *command);
};

struct ublk_port {
    const struct ublk_port_ops *ops;
};

#endif
