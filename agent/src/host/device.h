/*
 * Storage devices of the host: what they are, whether they may be used, and the claim
 * that keeps everybody else away.
 *
 * Everything here may block (open, sysfs, blkid) and is safe on any thread; nothing here
 * writes to a device. The daemon calls it from the work pool.
 *
 * A claim is exclusive until its descriptor is closed: O_EXCL for a block device, flock on
 * the very description used for I/O for a file. A killed owner's claim ends only when its
 * last write in flight has ended, which is what fences the successor.
 */
#ifndef ARRAYWRIGHT_HOST_DEVICE_H
#define ARRAYWRIGHT_HOST_DEVICE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attrs.h"
#include "base/reason.h"
#include "drive/drive.h"
#include "meta/foreign.h"

#define DEVICE_TEXT_BYTES 400u
#define DEVICE_WORD_BYTES 64u

enum device_kind { DEVICE_KIND_BLOCK, DEVICE_KIND_FILE, DEVICE_KIND_MAX };

/* Why a device cannot be used: the reason, the errno behind it, and a full sentence. */
struct device_refusal {
    struct reason reason; /* code REASON_OK: nothing stands against it */
    int error;            /* negative errno, 0 with REASON_OK */
    char text[DEVICE_TEXT_BYTES];
};

/* Where in an enclosure a device is. */
struct device_bay {
    char enclosure_id[DEVICE_WORD_BYTES]; /* empty: in none that the kernel knows */
    char model[DEVICE_WORD_BYTES];        /* the enclosure's; empty: not told */
    uint32_t slot;
    uint32_t slot_count;
};

struct device_info {
    char path[PATH_MAX];
    char name[DEVICE_WORD_BYTES]; /* the kernel's, "sda"; a file's last path component */
    enum device_kind kind;
    dev_t number;        /* a block device's number, 0 for a file */
    dev_t file_device;   /* the file system of a file … */
    ino_t file_number;   /* … and its number there; 0 for a block device */
    uint64_t size_bytes;   /* whole logical blocks */
    uint32_t unused_bytes; /* at the end of a file: less than a block */
    uint32_t logical_block_bytes;
    uint32_t physical_block_bytes;
    bool rotational;
    uint32_t rotation_rpm; /* 0: not told */
    struct drive_link link;
    bool removable;
    bool read_only;
    enum drive_write_cache write_cache; /* the device's own */
    bool write_cache_settable;
    enum drive_interface interface;
    char vendor[DEVICE_WORD_BYTES];
    char model[DEVICE_WORD_BYTES];
    char serial[DEVICE_WORD_BYTES]; /* empty: the device tells none */
    char firmware[DEVICE_WORD_BYTES];
    char wwn[DEVICE_WORD_BYTES];           /* empty: the device tells none */
    char hardware_path[DEVICE_TEXT_BYTES]; /* its place in sysfs; empty for a file */
    struct device_bay bay;
    struct device_refusal in_use;          /* mounted, held, swap: no force lifts it */
    char signature[DEVICE_WORD_BYTES]; /* "ext4", "gpt", "ddf_raid_member"; empty: none known */
};

/*
 * What a probed device says that belongs to somebody else, if its signature is DDF's or md's;
 * else NULL. Only reads. The caller frees it.
 */
MUST_CHECK struct foreign_drive *device_foreign_read(const struct device_info *info);

/* Fills everything above for a block device or a regular file. Never writes. */
MUST_CHECK int device_probe(const char *path, struct device_info *info,
                            struct device_refusal *refusal);

/* Whether another process has a file claimed, as far as the kernel shows it: nothing is claimed for
 * the answer. */
bool device_is_claimed(const struct device_info *info);

struct device_claim_options {
    bool force; /* accept any signature */
    bool allow_ddf; /* accept a DDF signature: it may be ours */
    uint64_t size_min_bytes; /* refuse what is smaller */
};

struct claimed_device {
    int fd;
    bool buffered; /* the file system refused O_DIRECT: page cache between us and the file */
    struct device_info info;
};

/* Opens and claims. On failure nothing is left open and *refusal says why. */
MUST_CHECK int device_claim_open(const char *path, const struct device_claim_options *options,
                                 struct claimed_device *ret_claim, struct device_refusal *refusal);
/* Gives the claim up by closing the descriptor, unless it has been handed on (fd < 0). */
void device_claim_close(struct claimed_device *claim);

/*
 * Whole block devices that could be drives: no partitions, RAM disks, optical drives,
 * stacked devices or network block devices; loop devices only if asked for.
 */
struct device_scan_entry {
    struct device_info info;
    struct device_refusal unsuitable; /* REASON_OK: may be offered */
};

struct device_scan {
    struct device_scan_entry *entries;
    size_t count;
};

MUST_CHECK int device_scan_run(bool with_loop, struct device_scan *ret_scan);
void device_scan_free(struct device_scan *scan);
/* Whether a kernel name belongs to a device that device_scan_run() looks at. */
bool device_name_is_candidate(const char *name, bool with_loop);
/* What stands against taking a probed device unasked: use, read-only, size, signature. */
void device_judge(const struct device_info *info, const struct device_claim_options *options,
                  struct device_refusal *refusal);

#endif
