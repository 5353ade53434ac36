/*
 * The size that a drive had, by the DDF metadata on it: a label lies in the same place for sizes
 * that differ by less than 1 MiB, but the anchor of DDF is in the last sector, and the copies are
 * counted from there. Only reads.
 *
 * (1) An anchor that says what we write on a drive that ends with it proves that size. The last one
 *     counts: the drive may have grown more than once.
 * (2) Without one a secondary copy of the group tells to a block where the drive ended.
 */
#ifndef ARRAYWRIGHT_META_SIZE_FIND_H
#define ARRAYWRIGHT_META_SIZE_FIND_H

#include "base/guid.h"
#include "drive/drive.h"

struct size_find {
    struct drive *drive;
    uint64_t usable_bytes;  /* where the label is */
    struct guid group;      /* of (2); zero: it is not looked for */
    void (*complete)(struct size_find *find); /* once, later */
    void *owner;
    uint64_t anchor_bytes;  /* found: (1); else 0 */
    uint64_t copies_bytes;  /* found: (2); else 0 */

    /* Private. */
    struct drive_io io;
    uint8_t *buffer;
    uint64_t at_bytes, to_bytes;
    bool copies;            /* … are looked for; before, anchors */
};

void size_find_run(struct size_find *find);

#endif
