/*
 * Drives with DDF metadata in memory: the anchor and two copies, each where its header says.
 */
#ifndef ARRAYWRIGHT_TESTS_DDF_SAMPLES_H
#define ARRAYWRIGHT_TESTS_DDF_SAMPLES_H

#include "meta/ddf/ddf_group.h"

struct ddf_image {
    uint64_t sectors;
    uint8_t anchor[DDF_ANCHOR_BYTES];
    uint8_t copies[2][DDF_COPY_BYTES];
};

/* What the drive of `member` holds. */
void image_make(const struct ddf_group_source *source, uint32_t member, uint64_t sectors,
                struct ddf_image *image);
void image_write(const struct ddf_config *config, struct ddf_image *image);
/* As a reader does it: anchor, both copies, the better one. NULL: neither is good. */
struct ddf_config *image_read(const struct ddf_image *image);

#endif
