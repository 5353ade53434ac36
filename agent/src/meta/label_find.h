/*
 * Looks for a label where it lies on a drive that had another size: at a multiple of 1 MiB. On one
 * that was smaller that is somewhere behind the data of its group, on one that was larger, but by
 * less than what is reserved, near its end. Only reads.
 */
#ifndef ARRAYWRIGHT_META_LABEL_FIND_H
#define ARRAYWRIGHT_META_LABEL_FIND_H

#include "drive/drive.h"

#define LABEL_FIND_PLACES 512u /* a drive that answers slowly must not hold up a start */

struct label_find {
    struct drive *drive;
    uint64_t from_bytes; /* the first place that is looked at */
    uint64_t to_bytes;   /* the last one ends there at the latest */
    void (*complete)(struct label_find *find, bool found); /* once, later */
    void *owner;
    uint64_t usable_bytes; /* found: what was usable of the drive */

    /* Private. */
    struct drive_io io;
    uint8_t *block;
    uint32_t tries;
    bool second; /* slot */
    bool answered;
};

void label_find_run(struct label_find *find);

#endif
