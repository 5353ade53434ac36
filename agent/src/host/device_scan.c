/*
 * All whole block devices of the host that could serve as drives, each with the reason
 * if it cannot.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "host/device_private.h"

#define SCAN_MAX 4096u

/*
 * Not drives, or made of drives: RAM disks, stacked devices, optical and floppy drives, and
 * network block devices, behind which our own exports may be.
 */
bool device_name_is_candidate(const char *name, bool with_loop)
{
    static const char *const skipped[] = {"ram", "zram", "dm-",  "md",    "sr",
                                          "fd",  "nbd",  "drbd", "ublkb", "mtdblock"};

    ASSERT(name != NULL);
    if (strncmp(name, "loop", 4) == 0) {
        return with_loop;
    }
    /* eMMC boot and protected areas are parts of a device, not devices to use. */
    if (strncmp(name, "mmcblk", 6) == 0 &&
        (strstr(name, "boot") != NULL || strstr(name, "rpmb") != NULL)) {
        return false;
    }
    for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++) {
        if (strncmp(name, skipped[i], strlen(skipped[i])) == 0) {
            return false;
        }
    }
    return true;
}

/* Whole, not empty: a loop device without a file and a card reader without a card are. */
static bool entry_is_drive(const char *name, bool with_loop)
{
    char directory[PATH_MAX];
    char text[32];
    uint64_t sectors = 0;

    if (name[0] == '.' || !device_name_is_candidate(name, with_loop)) {
        return false;
    }
    (void)snprintf(directory, sizeof directory, "/sys/class/block/%s", name);
    if (sysfs_read(directory, "partition", text, sizeof text)) {
        return false;
    }
    return sysfs_read_u64(directory, "size", &sectors) && sectors > 0;
}

static void scan_one(const char *name, struct device_scan_entry *entry)
{
    const struct device_claim_options options = {.allow_ddf = true};
    char path[PATH_MAX];
    int error;

    (void)snprintf(path, sizeof path, "/dev/%s", name);
    /* sysfs writes '!' where the device name has a slash ("cciss!c0d0"). */
    for (char *mark = path; (mark = strchr(mark, '!')) != NULL;) {
        *mark = '/';
    }
    error = device_probe(path, &entry->info, &entry->unsuitable);
    if (error == 0) {
        device_judge(&entry->info, &options, &entry->unsuitable);
    } else {
        (void)snprintf(entry->info.path, sizeof entry->info.path, "%s", path);
    }
    (void)snprintf(entry->info.name, sizeof entry->info.name, "%.*s",
                   (int)sizeof entry->info.name - 1, name);
}

static int scan_append(struct device_scan *scan, const char *name)
{
    struct device_scan_entry *grown;

    if (scan->count >= SCAN_MAX) {
        return -E2BIG;
    }
    grown = reallocarray(scan->entries, scan->count + 1, sizeof *grown);
    if (grown == NULL) {
        return -ENOMEM;
    }
    scan->entries = grown;
    memset(&grown[scan->count], 0, sizeof *grown);
    scan_one(name, &grown[scan->count]);
    scan->count++;
    return 0;
}

static int compare_entries(const void *left, const void *right)
{
    const struct device_scan_entry *a = left;
    const struct device_scan_entry *b = right;

    return strverscmp(a->info.name, b->info.name);
}

int device_scan_run(bool with_loop, struct device_scan *ret_scan)
{
    struct device_scan scan = {0};
    struct dirent *entry;
    DIR *directory = opendir("/sys/class/block");
    int error = 0;

    if (directory == NULL) {
        return -errno;
    }
    while (error == 0 && (entry = readdir(directory)) != NULL) {
        if (entry_is_drive(entry->d_name, with_loop)) {
            error = scan_append(&scan, entry->d_name);
        }
    }
    closedir(directory);
    if (error != 0) {
        device_scan_free(&scan);
        return error;
    }
    if (scan.count > 1) {
        qsort(scan.entries, scan.count, sizeof *scan.entries, compare_entries);
    }
    *ret_scan = scan;
    return 0;
}

void device_scan_free(struct device_scan *scan)
{
    free(scan->entries);
    *scan = (struct device_scan){0};
}
