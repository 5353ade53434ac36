/*
 * Takes the marks of a former owner off a drive that was given to us by force, so that neither
 * stock Linux nor our own scanner finds him again: partition tables (GPT's copy at the end too),
 * file systems, LVM, md superblocks of every version, DDF, LUKS, and what BIOS RAID leaves.
 *
 * (1) Only places where such marks lie are overwritten with zeros: the head of the drive and
 *     parts of its DDF workspace. Our own private area is left alone, but for a label that is not
 *     where the size of the drive has it: on a larger drive it would count again.
 * (2) complete(0) means that the zeros are durable: only then may the drive be labeled ours.
 */
#ifndef ARRAYWRIGHT_META_FORMER_OWNER_H
#define ARRAYWRIGHT_META_FORMER_OWNER_H

#include "drive/drive.h"

struct former_owner_wipe {
    struct drive *drive;
    void (*complete)(struct former_owner_wipe *wipe, int error); /* once, later: 0 or -EIO */
    void *owner;
    uint64_t
        label_bytes; /* where a label of ours lies that was written for another size; 0: none */
};

void former_owner_wipe(struct former_owner_wipe *wipe);

#endif
