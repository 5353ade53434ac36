/*
 * A print of what is on a drive: SHA-256 over places at which whoever takes a drive into use writes
 * (its first and its last MiB), and over samples of what lies between. Tells whether somebody has
 * written to a drive that was given back (ctl/command_undo.c); our own metadata are not in it.
 */
#ifndef ARRAYWRIGHT_META_DRIVE_PRINT_H
#define ARRAYWRIGHT_META_DRIVE_PRINT_H

#include "base/sha256.h"
#include "drive/drive.h"
#include "meta/undo_record.h"

struct drive_print {
    struct drive *drive;
    void (*complete)(struct drive_print *print, int error); /* once, later: 0 or -EIO */
    void *owner;
    /* The sectors that it names for its drive `index` count as zeros, which they are to become.
     * NULL: none. */
    const struct undo_record *cleared;
    uint32_t index;
    uint8_t sum[SHA256_BYTES];
    bool end_is_zero; /* the block of DDF's anchor, which is not in the sum */
};

void drive_print_take(struct drive_print *print);

#endif
