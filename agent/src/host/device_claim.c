/*
 * The exclusive claim; see device.h. Order: find out what it is, refuse what must not be
 * touched, open exclusively, then look again through the claimed description, because
 * the path may name something else by now.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "host/device_private.h"
#include "port/io_port.h"

static bool signature_is_accepted(const struct device_info *info,
                                  const struct device_claim_options *options)
{
    if (info->signature[0] == '\0' || options->force) {
        return true;
    }
    return options->allow_ddf && strcmp(info->signature, "ddf_raid_member") == 0;
}

static void refuse_small(const struct device_info *info, uint64_t minimum_bytes,
                         struct device_refusal *refusal)
{
    char size_text[24];
    char minimum_text[24];

    (void)snprintf(size_text, sizeof size_text, "%" PRIu64, info->size_bytes);
    (void)snprintf(minimum_text, sizeof minimum_text, "%" PRIu64, minimum_bytes);
    reason_set(&refusal->reason, REASON_DRIVE_UNSUITABLE_SMALL, "device", info->name, "size_bytes",
               size_text, "needed_bytes", minimum_text, NULL);
    (void)device_refuse_reason(refusal, -ENOSPC);
}

void device_judge(const struct device_info *info, const struct device_claim_options *options,
                  struct device_refusal *refusal)
{
    uint64_t minimum_bytes = max_u64(options->size_min_bytes, IO_LENGTH_MAX_BYTES);

    *refusal = (struct device_refusal){.reason.code = REASON_OK};
    if (info->in_use.reason.code != REASON_OK) {
        *refusal = info->in_use;
    } else if (info->read_only) {
        reason_set(&refusal->reason, REASON_DRIVE_UNSUITABLE_READ_ONLY, "device", info->name, NULL);
        (void)device_refuse_reason(refusal, -EROFS);
    } else if (info->size_bytes == 0 && info->unused_bytes == 0) {
        reason_set(&refusal->reason, REASON_DRIVE_UNSUITABLE_EMPTY, "device", info->name, NULL);
        (void)device_refuse_reason(refusal, -ENOSPC);
    } else if (info->size_bytes < minimum_bytes) {
        refuse_small(info, minimum_bytes, refusal);
    } else if (!signature_is_accepted(info, options)) {
        reason_set(&refusal->reason, REASON_DRIVE_UNSUITABLE_SIGNATURE, "device", info->name,
                   "signature", info->signature, NULL);
        (void)device_refuse_reason(refusal, -EEXIST);
    }
}

static int refuse_open(const struct device_info *info, int error, struct device_refusal *refusal)
{
    ASSERT(error < 0);
    switch (-error) {
    case EBUSY:
    case EWOULDBLOCK:
        reason_set(&refusal->reason, REASON_DRIVE_UNSUITABLE_CLAIMED, "device", info->name, NULL);
        return device_refuse_reason(refusal, -EBUSY);
    case EROFS:
        reason_set(&refusal->reason, REASON_DRIVE_UNSUITABLE_READ_ONLY, "device", info->name, NULL);
        return device_refuse_reason(refusal, error);
    default:
        return device_refuse(refusal, error, "%s cannot be opened: %s", info->name,
                             strerror(-error));
    }
}

/* A file may end within a block, while the device under its file system has nothing smaller. */
static bool end_is_direct(int fd, const struct device_info *info)
{
    uint64_t offset_bytes = align_down_u64(info->size_bytes, IO_ALIGN_BYTES);
    size_t bytes = (size_t)(info->size_bytes - offset_bytes);
    void *buffer = NULL;
    bool refused = false;

    if (bytes == 0) {
        return true;
    }
    buffer = aligned_alloc(IO_ALIGN_BYTES, IO_ALIGN_BYTES);
    ASSERT(buffer != NULL);
    refused = pread(fd, buffer, bytes, (off_t)offset_bytes) < 0 && errno == EINVAL;
    free(buffer);
    return !refused;
}

/* Opens for direct I/O; a file system that refuses it gives a buffered description. */
static int open_exclusive(const struct device_info *info, bool *ret_buffered)
{
    bool is_block = info->kind == DEVICE_KIND_BLOCK;
    int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | (is_block ? O_EXCL : 0);
    int fd = open(info->path, flags | O_DIRECT);

    *ret_buffered = false;
    if (fd >= 0 && !is_block && !end_is_direct(fd, info)) {
        close(fd);
        fd = -1;
        errno = EINVAL;
    }
    if (fd < 0 && errno == EINVAL && !is_block) {
        fd = open(info->path, flags);
        *ret_buffered = true;
    }
    if (fd < 0) {
        return -errno;
    }
    if (!is_block && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

/* blkid reads at odd offsets: it gets a buffered description of the same inode. */
static int probe_claimed(const struct device_info *before, int claimed_fd, struct device_info *info,
                         struct device_refusal *refusal)
{
    char path[64];
    struct stat status;
    int error;
    int fd;

    if (fstat(claimed_fd, &status) != 0) {
        return device_refuse(refusal, -errno, "%s: %s", before->name, strerror(errno));
    }
    if (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode)) {
        return device_refuse(refusal, -ENOTBLK, "%s changed while it was opened", before->name);
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", claimed_fd);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return device_refuse(refusal, -errno, "%s cannot be read: %s", before->name,
                             strerror(errno));
    }
    error = device_probe_fd(fd, before->path, &status, info, refusal);
    close(fd);
    return error;
}

int device_claim_open(const char *path, const struct device_claim_options *options,
                      struct claimed_device *ret_claim, struct device_refusal *refusal)
{
    struct device_info before;
    struct claimed_device claim = {.fd = -1};
    int error = device_probe(path, &before, refusal);

    if (error != 0) {
        return error;
    }
    device_judge(&before, options, refusal);
    if (refusal->reason.code != REASON_OK) {
        return refusal->error;
    }
    ASSERT(before.in_use.reason.code == REASON_OK);
    claim.fd = open_exclusive(&before, &claim.buffered);
    if (claim.fd < 0) {
        return refuse_open(&before, claim.fd, refusal);
    }
    error = probe_claimed(&before, claim.fd, &claim.info, refusal);
    if (error == 0) {
        device_judge(&claim.info, options, refusal);
        error = refusal->reason.code == REASON_OK ? 0 : refusal->error;
    }
    if (error != 0) {
        device_claim_close(&claim);
        return error;
    }
    *ret_claim = claim;
    return 0;
}

void device_claim_close(struct claimed_device *claim)
{
    if (claim->fd < 0) {
        return;
    }
    close(claim->fd);
    claim->fd = -1;
}
