/*
 * md's superblock on a drive that has been claimed: read again before a set is taken over, and
 * taken off once the set is ours (ctl/command_foreign.c (4)).
 *
 * (1) Taken off is only the first sector, by which md and others find it; the rest of its block is
 *     written as it was read.
 * (2) Only that of the set that is named: whatever else lies there is left.
 */
#ifndef ARRAYWRIGHT_META_MD_SUPER_IO_H
#define ARRAYWRIGHT_META_MD_SUPER_IO_H

#include "drive/drive.h"
#include "meta/md_super.h"

struct md_super_job {
    struct drive *drive;
    bool strips;             /* and takes it off, durably when it is complete */
    struct uuid set;         /* strips: (2) */
    void (*complete)(struct md_super_job *job, int error); /* once, later: 0 or -EIO */
    void *owner;
    bool found;              /* there is one, and it can be believed: */
    struct md_super super;
};

void md_super_job_run(struct md_super_job *job);

#endif
