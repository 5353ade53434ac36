/*
 * An io_port over a claimed block device or regular file, through the loop's io_uring.
 *
 * (1) At most FILE_PORT_DEPTH operations of a port are with the kernel; the rest wait in
 *     order.
 * (2) Short transfers are continued until the request is whole or an error is known.
 * (3) A device that has gone stays gone: every later request answers IO_STATUS_GONE, even
 *     if a device returns under the same name.
 */
#ifndef ARRAYWRIGHT_HOST_FILE_PORT_H
#define ARRAYWRIGHT_HOST_FILE_PORT_H

#include "base/attrs.h"
#include "host/device.h"
#include "host/loop.h"
#include "port/io_port.h"

#define FILE_PORT_DEPTH 128u

struct file_port;

/* Takes the claim's descriptor over (claim->fd becomes -1) on success. */
MUST_CHECK int file_port_open(struct loop *loop, struct claimed_device *claim,
                              struct file_port **ret_port);
/* Ends the claim. No request may be outstanding. Accepts NULL, returns NULL. */
struct file_port *file_port_close(struct file_port *port);

struct io_port *file_port_io(struct file_port *port);
const struct device_info *file_port_info(const struct file_port *port);
/* "/dev/sda" or "/srv/d0.img (buffered: the file system refuses direct I/O)" */
const char *file_port_description(const struct file_port *port);
/* Requests submitted and not yet completed. */
/* Its file has no name any more. */
bool file_port_is_unlinked(const struct file_port *port);
uint32_t file_port_outstanding(const struct file_port *port);

/*
 * Claim and open in one call, blocking: for start-up and tests. A running daemon claims in
 * the work pool and calls file_port_open() from done().
 */
MUST_CHECK int file_port_open_claim(struct loop *loop, const char *path,
                                    const struct device_claim_options *options,
                                    struct file_port **ret_port, struct device_refusal *refusal);

#endif
