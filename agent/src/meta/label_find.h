/*
 * Looks for a label where it lies on a drive that had another size: at a multiple of 1 MiB. On one
 * that was smaller that is somewhere behind the data of its group, on one that was larger, but by
 * less than what is reserved, near its end. Only reads.
 *
 * A drive that answers slowly must not hold up a start: the places are bounded, and so may be the
 * time.
 */
#ifndef ARRAYWRIGHT_META_LABEL_FIND_H
#define ARRAYWRIGHT_META_LABEL_FIND_H

#include "base/attrs.h"
#include "drive/drive.h"
#include "port/clock_port.h"

#define LABEL_FIND_PLACES 512u

struct label_find {
    struct drive *drive;
    uint64_t from_bytes; /* the first place that is looked at, … */
    uint64_t step_bytes; /* … and how far from there the next one is, … */
    bool down;           /* … towards the beginning of the drive, not the end */
    uint64_t to_bytes;   /* the last one is before that, or not below it */
    struct clock_port *clock; /* until_us … */
    uint64_t until_us;        /* … is when it ends at the latest; 0: it takes its time */
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

/* False: there is nothing to be looked at, and complete() is not called. */
MUST_CHECK bool label_find_run(struct label_find *find);
/* Goes on behind what was found, which was none. */
MUST_CHECK bool label_find_again(struct label_find *find);

#endif
