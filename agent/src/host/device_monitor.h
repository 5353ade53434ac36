/*
 * Hot-plug: tells of whole block devices that appear, change or leave. It listens to udev,
 * or to the kernel itself where no udev runs.
 */
#ifndef ARRAYWRIGHT_HOST_DEVICE_MONITOR_H
#define ARRAYWRIGHT_HOST_DEVICE_MONITOR_H

#include <stdbool.h>

#include "base/attrs.h"
#include "host/loop.h"

enum device_change {
    DEVICE_CHANGE_ADDED,
    DEVICE_CHANGE_CHANGED, /* size, read-only flag or medium may differ now */
    DEVICE_CHANGE_REMOVED,
    DEVICE_CHANGE_OVERRUN, /* reports were lost: scan again; path and name are NULL */
    DEVICE_CHANGE_MAX
};

/* path is the device node ("/dev/sda"), name the kernel's ("sda"). Called on the loop. */
typedef void (*device_monitor_fn)(void *owner, enum device_change change, const char *path,
                                  const char *name);

struct device_monitor;

MUST_CHECK int device_monitor_open(struct loop *loop, bool with_loop, device_monitor_fn changed,
                                   void *owner, struct device_monitor **ret_monitor);
struct device_monitor *device_monitor_close(struct device_monitor *monitor);

#endif
