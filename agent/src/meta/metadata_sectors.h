/*
 * The sectors by which configuration metadata on a drive are found: DDF's anchor and the headers of
 * its copies, and the beginnings of label slots; or that of md's superblock. Without them nobody
 * sees the rest, so they are all that is taken off a drive when a foreign set is cleared, and all
 * that is put back.
 *
 * (1) Only these sectors change: the others of their blocks are written as they were read.
 * (2) In the order of the scan whoever reads finds less with every step, and in the reverse order
 *     nothing before the anchor, which comes last.
 */
#ifndef ARRAYWRIGHT_META_METADATA_SECTORS_H
#define ARRAYWRIGHT_META_METADATA_SECTORS_H

#include "drive/drive.h"
#include "meta/undo_record.h"

struct metadata_scan {
    struct drive *drive;
    bool md;                 /* only the one by which md's superblock is found */
    bool labeled;           /* there is a label, … */
    bool compact;            /* … in the compact place: what the other holds are data */
    void (*complete)(struct metadata_scan *scan, int error); /* once, later: 0 or -EIO */
    void *owner;
    uint32_t count;
    struct undo_sector found[UNDO_SECTORS_PER_DRIVE]; /* without `drive` */
};
void metadata_scan_run(struct metadata_scan *scan);

/* Durable when it is complete. -ESTALE: it ended at a sector that is neither as it was saved nor
 * zeros: somebody else has written there, and it is left. */
struct metadata_edit {
    struct drive *drive;
    uint32_t count;
    struct undo_sector sectors[UNDO_SECTORS_PER_DRIVE]; /* as they were saved */
    bool clears; /* they become zeros; else what they were */
    bool check;  /* nothing is written; each must be zeros, else -ESTALE */
    void (*complete)(struct metadata_edit *edit, int error); /* once, later: 0, -EIO, -ESTALE */
    void *owner;
};
void metadata_edit_run(struct metadata_edit *edit);

#endif
