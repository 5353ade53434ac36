/*
 * The kernel's ublk driver behind ublk_port.h. It has a ring of its own, because its commands need
 * entries of twice the size, watched by the loop.
 *
 * (1) All fetches come from the loop's thread, as the driver demands.
 * (2) Linux before 6.16 is refused. When a server is killed, its driver first looks for requests
 *     that are to be asked again, and then still hands it more. Those never end, nor does what
 *     waits for them (docs/limits.md has what was seen).
 * (3) What the kernel still has when the port is closed ends with the ring; devices then wait for
 *     a successor.
 */
#ifndef ARRAYWRIGHT_EXPORT_UBLK_KERNEL_H
#define ARRAYWRIGHT_EXPORT_UBLK_KERNEL_H

#include "base/attrs.h"
#include "export/ublk_port.h"
#include "host/loop.h"

#define UBLK_KERNEL_TEXT_BYTES 256u

struct ublk_kernel;

/* control_path: UBLK_CONTROL_PATH. -errno, and why this kernel cannot do it. */
MUST_CHECK int ublk_kernel_open(struct loop *loop, const char *control_path,
                                struct ublk_kernel **ret_kernel, char text[UBLK_KERNEL_TEXT_BYTES]);
struct ublk_port *ublk_kernel_port(struct ublk_kernel *kernel);
/* Every queue is closed. Accepts NULL, returns NULL. */
struct ublk_kernel *ublk_kernel_close(struct ublk_kernel *kernel);

#endif
