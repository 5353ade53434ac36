/*
 * What a device is: size, blocks, identity from sysfs and the udev database, and the
 * signature libblkid finds on it. Only reads.
 */
#include <blkid/blkid.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libudev.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "host/device_cache.h"
#include "host/device_private.h"

/* What a file stands for when it plays a drive: the emulation layer may say otherwise. */
#define FILE_LOGICAL_BLOCK_BYTES 512u
#define FILE_PHYSICAL_BLOCK_BYTES 4096u

int device_refuse(struct device_refusal *refusal, int error, const char *format, ...)
{
    va_list arguments;

    ASSERT(error < 0);
    refusal->error = error;
    va_start(arguments, format);
    (void)vsnprintf(refusal->text, sizeof refusal->text, format, arguments); /* cut if longer */
    va_end(arguments);
    reason_set(&refusal->reason, REASON_INVALID_ARGUMENT, "field", "device", "problem",
               refusal->text, NULL);
    return error;
}

int device_refuse_reason(struct device_refusal *refusal, int error)
{
    ASSERT(error < 0);
    ASSERT(refusal->reason.code != REASON_OK);
    refusal->error = error;
    (void)reason_text(&refusal->reason, refusal->text, sizeof refusal->text); /* cut if longer */
    return error;
}

void sysfs_block_path(dev_t number, char *path, size_t path_bytes)
{
    int length = snprintf(path, path_bytes, "/sys/dev/block/%u:%u", major(number), minor(number));

    ASSERT(length > 0);
    ASSERT((size_t)length < path_bytes);
}

/* Trims blanks at both ends and replaces what is not printable ASCII. */
void device_text_clean(char *text)
{
    size_t length = strlen(text);
    size_t start = 0;

    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        length--;
    }
    while (start < length && isspace((unsigned char)text[start])) {
        start++;
    }
    for (size_t i = start; i < length; i++) {
        if (text[i] < 0x20 || text[i] > 0x7e) {
            text[i] = '?';
        }
        text[i - start] = text[i];
    }
    text[length - start] = '\0';
}

bool sysfs_read(const char *directory, const char *attribute, char *text, size_t text_bytes)
{
    char path[PATH_MAX];
    ssize_t length;
    int fd;

    ASSERT(text_bytes > 1);
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, attribute) >= sizeof path) {
        return false;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    length = read(fd, text, text_bytes - 1);
    close(fd);
    if (length < 0) {
        return false;
    }
    text[length] = '\0';
    device_text_clean(text);
    return true;
}

bool sysfs_read_u64(const char *directory, const char *attribute, uint64_t *ret_value)
{
    char text[32];
    char *end = NULL;
    unsigned long long value;

    if (!sysfs_read(directory, attribute, text, sizeof text) || !isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0') {
        return false;
    }
    *ret_value = value;
    return true;
}

static bool read_flag(const char *directory, const char *attribute)
{
    uint64_t value = 0;

    return sysfs_read_u64(directory, attribute, &value) && value != 0;
}

static void take_property(struct udev_device *device, const char *key, char *text)
{
    const char *value = udev_device_get_property_value(device, key);

    if (value == NULL || text[0] != '\0') {
        return;
    }
    (void)snprintf(text, DEVICE_WORD_BYTES, "%s", value); /* a longer word is cut */
    device_text_clean(text);
}

static pthread_mutex_t udev_mutex = PTHREAD_MUTEX_INITIALIZER;

void device_udev_lock(void)
{
    int error = pthread_mutex_lock(&udev_mutex);

    ASSERT(error == 0);
}

void device_udev_unlock(void)
{
    int error = pthread_mutex_unlock(&udev_mutex);

    ASSERT(error == 0);
}

static void take_rotation(struct udev_device *device, struct device_info *info)
{
    const char *value = udev_device_get_property_value(device, "ID_ATA_ROTATION_RATE_RPM");
    unsigned long rpm = value != NULL ? strtoul(value, NULL, 10) : 0;

    if (info->rotation_rpm == 0 && rpm > 0 && rpm < UINT16_MAX) {
        info->rotation_rpm = (uint32_t)rpm;
    }
}

/* udev's database knows serial and WWN of buses whose sysfs does not tell them. */
static void read_udev(struct device_info *info)
{
    struct udev_device *device;
    struct udev *udev;

    device_udev_lock();
    udev = udev_new();
    if (udev == NULL) {
        device_udev_unlock();
        return;
    }
    device = udev_device_new_from_devnum(udev, 'b', info->number);
    if (device != NULL) {
        take_property(device, "ID_SERIAL_SHORT", info->serial);
        take_property(device, "ID_WWN_WITH_EXTENSION", info->wwn);
        take_property(device, "ID_WWN", info->wwn);
        take_property(device, "ID_MODEL", info->model);
        take_property(device, "ID_REVISION", info->firmware);
        take_rotation(device, info);
        (void)udev_device_unref(device);
    }
    (void)udev_unref(udev);
    device_udev_unlock();
}

static int probe_block(int fd, struct device_info *info, struct device_refusal *refusal)
{
    char directory[PATH_MAX];
    int logical_bytes = 0;
    unsigned int physical_bytes = 0;
    int read_only = 0;

    if (ioctl(fd, BLKGETSIZE64, &info->size_bytes) != 0 || ioctl(fd, BLKROGET, &read_only) != 0 ||
        ioctl(fd, BLKSSZGET, &logical_bytes) != 0 || ioctl(fd, BLKPBSZGET, &physical_bytes) != 0) {
        return device_refuse(refusal, -errno, "%s does not tell its size: %s", info->path,
                             strerror(errno));
    }
    if (logical_bytes != 512 && logical_bytes != 4096) {
        return device_refuse(refusal, -ENOTSUP,
                             "%s has blocks of %d bytes; only 512 and 4096 can be used", info->path,
                             logical_bytes);
    }
    info->logical_block_bytes = (uint32_t)logical_bytes;
    /* Larger physical blocks (16 KiB flash pages) are still written in units of 4096. */
    info->physical_block_bytes = physical_bytes >= 4096 ? 4096 : info->logical_block_bytes;
    sysfs_block_path(info->number, directory, sizeof directory);
    info->read_only = read_only != 0 || read_flag(directory, "ro");
    device_cache_probe(directory, &info->write_cache, &info->write_cache_settable);
    device_facts_read(directory, info);
    read_udev(info);
    return 0;
}

static void probe_file(const struct stat *status, struct device_info *info)
{
    const char *name = strrchr(info->path, '/');

    name = name == NULL ? info->path : name + 1;
    (void)snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, name);
    ASSERT(status->st_size >= 0);
    info->logical_block_bytes = FILE_LOGICAL_BLOCK_BYTES;
    info->size_bytes = align_down_u64((uint64_t)status->st_size, FILE_LOGICAL_BLOCK_BYTES);
    info->unused_bytes = (uint32_t)((uint64_t)status->st_size - info->size_bytes);
    info->physical_block_bytes = FILE_PHYSICAL_BLOCK_BYTES;
    info->interface = DRIVE_INTERFACE_FILE;
    info->read_only = (status->st_mode & 0222) == 0;
    info->file_device = status->st_dev;
    info->file_number = status->st_ino;
}

static void take_signature(blkid_probe probe, struct device_info *info)
{
    const char *value = NULL;

    if (blkid_probe_lookup_value(probe, "TYPE", &value, NULL) != 0 &&
        blkid_probe_lookup_value(probe, "PTTYPE", &value, NULL) != 0) {
        return;
    }
    (void)snprintf(info->signature, sizeof info->signature, "%s", value);
}

static int probe_signature(int fd, struct device_info *info, struct device_refusal *refusal)
{
    blkid_probe probe = blkid_new_probe();
    int found;
    int error = 0;

    if (probe == NULL) {
        return device_refuse(refusal, -ENOMEM, "%s: no memory to look for signatures", info->path);
    }
    errno = 0;
    found = blkid_probe_set_device(probe, fd, 0, 0);
    if (found == 0) {
        blkid_probe_enable_superblocks(probe, 1);
        blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE);
        blkid_probe_enable_partitions(probe, 1);
        found = blkid_do_safeprobe(probe);
    }
    if (found == 0) {
        take_signature(probe, info);
    } else if (found == -2) {
        (void)snprintf(info->signature, sizeof info->signature, "several signatures");
    } else if (found < 0) {
        error = device_refuse(refusal, errno != 0 ? -errno : -EIO, "%s cannot be read: %s",
                              info->path, strerror(errno != 0 ? errno : EIO));
    }
    blkid_free_probe(probe);
    return error;
}

int device_probe_fd(int fd, const char *path, const struct stat *status, struct device_info *info,
                    struct device_refusal *refusal)
{
    int error = 0;

    ASSERT(fd >= 0);
    ASSERT(S_ISBLK(status->st_mode) || S_ISREG(status->st_mode));
    memset(info, 0, sizeof *info);
    if (strlen(path) >= sizeof info->path) {
        return device_refuse(refusal, -ENAMETOOLONG, "the path is longer than %zu characters",
                             sizeof info->path - 1);
    }
    (void)snprintf(info->path, sizeof info->path, "%s", path);
    info->kind = S_ISBLK(status->st_mode) ? DEVICE_KIND_BLOCK : DEVICE_KIND_FILE;
    if (info->kind == DEVICE_KIND_BLOCK) {
        info->number = status->st_rdev;
        error = probe_block(fd, info, refusal);
    } else {
        probe_file(status, info);
    }
    if (error == 0) {
        device_find_use(status, info);
    }
    if (error == 0 && info->size_bytes > 0) {
        error = probe_signature(fd, info, refusal);
    }
    return error;
}

int device_probe(const char *path, struct device_info *info, struct device_refusal *refusal)
{
    struct stat status;
    int error;
    int fd;

    *refusal = (struct device_refusal){.reason.code = REASON_OK};
    if (stat(path, &status) != 0) {
        return device_refuse(refusal, -errno, "%.200s: %s", path, strerror(errno));
    }
    if (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode)) {
        return device_refuse(refusal, -ENOTBLK,
                             "%.150s is neither a block device nor a regular file", path);
    }
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return device_refuse(refusal, -errno, "%.200s cannot be opened: %s", path, strerror(errno));
    }
    error = fstat(fd, &status) != 0 ? -errno : 0;
    if (error != 0 || (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode))) {
        error = device_refuse(refusal, error != 0 ? error : -ENOTBLK,
                              "%.200s changed while it was opened", path);
    } else {
        error = device_probe_fd(fd, path, &status, info, refusal);
    }
    close(fd);
    return error;
}
