/*
 * Shared by the device_*.c files only.
 */
#ifndef ARRAYWRIGHT_HOST_DEVICE_PRIVATE_H
#define ARRAYWRIGHT_HOST_DEVICE_PRIVATE_H

#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "host/device.h"

/* Refuses with a sentence (reason invalid_argument); returns error, which is negative. */
int device_refuse(struct device_refusal *refusal, int error, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Refuses for the reason already set in *refusal; its own sentence becomes the text. */
int device_refuse_reason(struct device_refusal *refusal, int error);

/* Reads a one-line sysfs attribute without its newline; false if absent or unreadable. */
bool sysfs_read(const char *directory, const char *attribute, char *text, size_t text_bytes);
bool sysfs_read_u64(const char *directory, const char *attribute, uint64_t *ret_value);
/* "/sys/dev/block/8:0" */
void sysfs_block_path(dev_t number, char *path, size_t path_bytes);

/* Trims blanks at both ends and replaces what is not printable ASCII. */
void device_text_clean(char *text);

/* Fills what sysfs tells in the directory of a block device, wherever the tree begins: name,
 * place, identity, rotation, interface and link. */
void device_facts_read(const char *directory, struct device_info *info);
/* The same for the bay alone (device_bay.c). */
void device_bay_read(const char *directory, struct device_bay *ret_bay);

/* Fills info->in_use: mounts, swaps, holders, partitions, loop devices over a file. */
void device_find_use(const struct stat *status, struct device_info *info);

/* Fills info from an open descriptor; used before and after the claim. */
MUST_CHECK int device_probe_fd(int fd, const char *path, const struct stat *status,
                               struct device_info *info, struct device_refusal *refusal);

/* libudev sets up what its objects share at first use, unguarded: whoever makes one from a device
 * holds this meanwhile. Never for longer than udev's database takes to read. */
void device_udev_lock(void);
void device_udev_unlock(void);

#endif
