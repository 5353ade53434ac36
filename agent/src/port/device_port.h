/*
 * The seam to the host's devices beyond reading and writing: claiming one that was only
 * offered so far, giving it back, and acts on the slot of an emulated drive. All answers
 * come later, from the loop.
 */
#ifndef ARRAYWRIGHT_PORT_DEVICE_PORT_H
#define ARRAYWRIGHT_PORT_DEVICE_PORT_H

#include <stdbool.h>

#include "base/list.h"
#include "port/io_port.h"

struct device_claim {
    void *device;     /* the host's handle, as handed over when the drive arrived */
    bool force;       /* despite a signature; lifts no mount, holder or other claim */
    /* error 0: port is open, exclusively ours, until release, and the device is the one that
     * arrived. Otherwise a negative errno and a reason word out of protocol/words.json
     * (drive_unsuitable_…) with its details. */
    void (*complete)(struct device_claim *claim, int error, struct io_port *port);
    char signature[64]; /* what was on it when it became ours, set on success; "": nothing */
    int reason; /* enum reason_code, set on failure */
    char device_name[128]; /* parameters of the reason, set on failure */
    char detail[128]; /* where it is mounted, who holds it, which signature */
    void *owner;
    struct list port_link;
    void *port_private;
};

/* The write cache of a drive itself, not an emulated one's. */
struct device_cache_switch {
    void *device;
    bool on;
    /* 0: the device says that it is so now, and what it had cached before is on its medium.
     * -ENOTSUP: it cannot be switched. */
    void (*complete)(struct device_cache_switch *request, int error);
    void *owner;
};

/* Stops the motor of a drive, or starts it again, whatever the drive calls it. */
struct device_spin {
    void *device;
    bool down;
    /* 0: the device says that it has done so. -ENOTSUP: it has nothing to stop. */
    void (*complete)(struct device_spin *request, int error);
    void *owner;
};

struct device_port;

struct device_port_ops {
    void (*claim)(struct device_port *port, struct device_claim *claim);
    /* The drive is not used any more; the host closes it when nothing is in flight. */
    void (*release)(struct device_port *port, void *device);
    /* Emulated drives only: put a blank drive with a new serial number in the slot. The old
     * one departs, the new one arrives, both through the controller's ordinary entries. */
    int (*replace)(struct device_port *port, void *device);
    /* Of a claimed drive; one at a time. */
    void (*write_cache_set)(struct device_port *port, struct device_cache_switch *request);
    /* The same. */
    void (*spin)(struct device_port *port, struct device_spin *request);
};

struct device_port {
    const struct device_port_ops *ops;
};

#endif
