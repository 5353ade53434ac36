/*
 * DDF metadata as other writers make it: other section sizes and places than ours and mdadm's.
 */
#ifndef ARRAYWRIGHT_TESTS_DDF_SHAPE_H
#define ARRAYWRIGHT_TESTS_DDF_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim_drive.h"

struct ddf_shape {
    const char *revision;
    uint16_t max_pds, max_vds, max_partitions, max_members;
    uint32_t primary_from_end, secondary_from_end; /* in sectors; secondary 0: there is none */
};

/* The drive's metadata, which are ours so far, become those of the shape. */
void ddf_shape_apply(struct sim_drive *drive, uint64_t size_bytes, const struct ddf_shape *shape);

#endif
