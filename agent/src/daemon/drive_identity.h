/*
 * Who a device is, from what it tells about itself: the identity the controller keeps.
 */
#ifndef ARRAYWRIGHT_DAEMON_DRIVE_IDENTITY_H
#define ARRAYWRIGHT_DAEMON_DRIVE_IDENTITY_H

#include "drive/drive.h"
#include "host/device.h"

/* Key by WWN, else model and serial, else the place it is attached to; stable over restarts.
 * A file or loop device gets a serial number made of its path. Place and did are left out. */
void drive_identity_from_info(const struct device_info *info, struct drive_identity *ret_identity);
/* An emulated drive is known by its model and serial. */
void drive_identity_emulated(const char *path, const char *model, const char *serial,
                             enum drive_media media, struct drive_identity *ret_identity);

#endif
