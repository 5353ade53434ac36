/*
 * A udev monitor on the loop; see device_monitor.h.
 */
#include "host/device_monitor.h"

#include <errno.h>
#include <libudev.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "host/device_private.h"

#define RECEIVE_BUFFER_BYTES (1024 * 1024)

struct device_monitor {
    struct loop *loop;
    struct udev *udev;
    struct udev_monitor *monitor;
    struct loop_poll *poll;
    struct loop_task closed;
    bool with_loop;
    device_monitor_fn changed;
    void *owner;
};

static bool parse_action(const char *action, enum device_change *ret_change)
{
    if (action == NULL) {
        return false;
    }
    if (strcmp(action, "add") == 0) {
        *ret_change = DEVICE_CHANGE_ADDED;
    } else if (strcmp(action, "remove") == 0) {
        *ret_change = DEVICE_CHANGE_REMOVED;
    } else if (strcmp(action, "change") == 0) {
        *ret_change = DEVICE_CHANGE_CHANGED;
    } else {
        return false;
    }
    return true;
}

static void report(const struct device_monitor *monitor, struct udev_device *device)
{
    const char *type = udev_device_get_devtype(device);
    const char *name = udev_device_get_sysname(device);
    const char *path = udev_device_get_devnode(device);
    enum device_change change;

    if (type == NULL || strcmp(type, "disk") != 0 || name == NULL || path == NULL) {
        return;
    }
    if (!device_name_is_candidate(name, monitor->with_loop)) {
        return;
    }
    if (parse_action(udev_device_get_action(device), &change)) {
        monitor->changed(monitor->owner, change, path, name);
    }
}

static void monitor_ready(void *owner, uint32_t poll_events UNUSED)
{
    struct device_monitor *monitor = owner;

    /* The callback may close the monitor: look before each further step. */
    while (monitor->poll != NULL) {
        struct udev_device *device;
        int error;

        device_udev_lock();
        errno = 0;
        device = udev_monitor_receive_device(monitor->monitor);
        error = errno;
        device_udev_unlock();
        if (device != NULL) {
            report(monitor, device);
            (void)udev_device_unref(device);
            continue;
        }
        if (error == ENOBUFS) {
            monitor->changed(monitor->owner, DEVICE_CHANGE_OVERRUN, NULL, NULL);
        } else if (error != EINTR) {
            return;
        }
    }
}

static void monitor_free(struct device_monitor *monitor)
{
    if (monitor->monitor != NULL) {
        (void)udev_monitor_unref(monitor->monitor);
    }
    if (monitor->udev != NULL) {
        (void)udev_unref(monitor->udev);
    }
    free(monitor);
}

static void monitor_closed(struct loop_task *task)
{
    monitor_free(task->owner);
}

/* Rules and names are udev's work where it runs; elsewhere the kernel's report must do. */
static const char *source_name(void)
{
    return access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel";
}

int device_monitor_open(struct loop *loop, bool with_loop, device_monitor_fn changed, void *owner,
                        struct device_monitor **ret_monitor)
{
    struct device_monitor *monitor = calloc(1, sizeof *monitor);
    int error = -ENOMEM;

    ASSERT(changed != NULL);
    if (monitor == NULL) {
        return -ENOMEM;
    }
    monitor->loop = loop;
    monitor->with_loop = with_loop;
    monitor->changed = changed;
    monitor->owner = owner;
    loop_task_init(&monitor->closed, monitor_closed, monitor);
    monitor->udev = udev_new();
    if (monitor->udev == NULL) {
        goto fail;
    }
    monitor->monitor = udev_monitor_new_from_netlink(monitor->udev, source_name());
    if (monitor->monitor == NULL) {
        goto fail;
    }
    error = udev_monitor_filter_add_match_subsystem_devtype(monitor->monitor, "block", "disk");
    if (error < 0) {
        goto fail;
    }
    /* Without the right to a larger buffer the default one works, and overruns are told. */
    (void)udev_monitor_set_receive_buffer_size(monitor->monitor, RECEIVE_BUFFER_BYTES);
    error = udev_monitor_enable_receiving(monitor->monitor);
    if (error < 0) {
        goto fail;
    }
    error = loop_poll_add(loop, udev_monitor_get_fd(monitor->monitor), POLLIN, monitor_ready,
                          monitor, &monitor->poll);
    if (error != 0) {
        goto fail;
    }
    *ret_monitor = monitor;
    return 0;

fail:
    monitor_free(monitor);
    return error < 0 ? error : -EIO;
}

/* May be called from the callback, which still reads the monitor: freed in the next turn. */
struct device_monitor *device_monitor_close(struct device_monitor *monitor)
{
    if (monitor == NULL) {
        return NULL;
    }
    monitor->poll = loop_poll_remove(monitor->poll);
    ASSERT(monitor->poll == NULL);
    loop_post(monitor->loop, &monitor->closed);
    return NULL;
}
