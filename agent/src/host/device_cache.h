/*
 * The volatile write cache of a block device: whether it is on, and switching it in the device
 * itself (design 2.2: drive cache on/off/default).
 *
 * Only where the kernel passes the wish on to the device: a SCSI disk's cache_type (MODE SELECT;
 * libata makes SET FEATURES of it) and a virtio disk's. queue/write_cache alone changes nothing
 * but what the kernel believes, so a device that has no more than that is left alone.
 *
 * May block; safe on any thread.
 */
#ifndef ARRAYWRIGHT_HOST_DEVICE_CACHE_H
#define ARRAYWRIGHT_HOST_DEVICE_CACHE_H

#include <stdbool.h>

#include "base/attrs.h"
#include "base/words.h"

/* directory: the device's in sysfs, /sys/block/NAME. */
void device_cache_probe(const char *directory, enum drive_write_cache *ret_state,
                        bool *ret_settable);
/*
 * 0: the device says that it is so now. -ENOTSUP: it cannot be switched; -EIO: it did not follow;
 * other negative errno: the wish could not be written. node: the device, /dev/NAME; what its
 * cache held before it was switched off is on the medium when this returns.
 */
MUST_CHECK int device_cache_set(const char *directory, const char *node, bool on);

#endif
