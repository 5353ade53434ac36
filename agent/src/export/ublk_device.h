/*
 * A virtual drive as a block device of the kernel's ublk driver, /dev/ublkbN, without the kernel:
 * that is behind ublk_port.h.
 *
 *   LOOK -> ADD -> PARAMS -> START -> LIVE -> STOP -> DELETE -> GONE      as made and removed
 *     \-> CHECK -> RECOVER -> RESUME -^   \-> GONE                        after, and at, a restart
 *   any but LIVE -> (DELETE ->) GONE, with a sentence                     what the kernel refuses
 *
 * (1) A device bears the identity of its virtual drive. One that a predecessor left behind is
 *     taken over: what that one had not answered is asked again, so that to those who use the
 *     device a restart is a pause.
 * (2) A request's memory belongs to its tag. A tag is fetched again only with the answer, so that
 *     the virtual drive never has more than `depth` requests.
 * (3) Descriptors lie in memory that others write: each field is read once, then judged.
 * (4) Leaving, what is in flight is answered and nothing else: the successor is asked again.
 */
#ifndef ARRAYWRIGHT_EXPORT_UBLK_DEVICE_H
#define ARRAYWRIGHT_EXPORT_UBLK_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "export/ublk_port.h"
#include "port/clock_port.h"
#include "vd/vd_request.h"

#define UBLK_DEPTH 64u
#define UBLK_REQUEST_MAX_BYTES (256u * 1024u)
#define UBLK_TEXT_BYTES 256u
/* Devices looked at for one that was left behind: as many as the driver allows by default. */
#define UBLK_DEVICES_LOOKED_AT 64u

struct ublk_device;

struct ublk_observer {
    /* The device is there. */
    void (*live)(void *owner, struct ublk_device *device, uint32_t number);
    /* It has ended, and may be freed; text says why if nobody asked for it, else "". */
    void (*gone)(void *owner, struct ublk_device *device, const char *text);
    void *owner;
};

/* identity: of the virtual drive, not zero. Begins at once. -ENOMEM. */
MUST_CHECK int ublk_device_create(struct ublk_port *port, struct clock_port *clock,
                                  struct vd_target *target, uint64_t identity,
                                  const struct ublk_observer *observer,
                                  struct ublk_device **ret_device);
/* The block device goes; then gone(). Once. */
void ublk_device_remove(struct ublk_device *device);
/* The block device stays for a successor. From here on removing it only ends its service. */
void ublk_device_leave(struct ublk_device *device);
/* Once it is gone. Accepts NULL, returns NULL. */
struct ublk_device *ublk_device_free(struct ublk_device *device);

/* UINT32_MAX: not live. */
uint32_t ublk_device_number(const struct ublk_device *device);
uint32_t ublk_device_inflight_count(const struct ublk_device *device);

#endif
