/*
 * Drives with DDF metadata in memory (ddf_samples.h).
 */
#include "ddf_samples.h"

#include "base/assert.h"

void image_write(const struct ddf_config *config, struct ddf_image *image)
{
    const char *why = NULL;

    ddf_anchor_encode(config, image->anchor);
    if (ddf_copy_encode(config, DDF_COPY_PRIMARY, image->copies[0], &why) != 0 ||
        ddf_copy_encode(config, DDF_COPY_SECONDARY, image->copies[1], &why) != 0) {
        UNREACHABLE();
    }
}

void image_make(const struct ddf_group_source *source, uint32_t member, uint64_t sectors,
                struct ddf_image *image)
{
    struct ddf_config *config = NULL;

    if (ddf_from_group(source, member, sectors, &config) != 0) {
        UNREACHABLE();
    }
    image->sectors = sectors;
    image_write(config, image);
    (void)ddf_config_free(config); /* returns NULL always */
}

struct ddf_config *image_read(const struct ddf_image *image)
{
    struct ddf_config *copies[2] = {NULL, NULL};
    struct ddf_header anchor;
    const char *why = NULL;

    if (ddf_anchor_decode(image->anchor, image->sectors, &anchor, &why) != 0) {
        return NULL;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (ddf_copy_decode(&anchor, (enum ddf_copy)i, image->copies[i], DDF_COPY_BYTES, &copies[i],
                            &why) != 0) {
            ASSERT(why != NULL && copies[i] == NULL);
        }
    }
    if (copies[0] == NULL && copies[1] == NULL) {
        return NULL;
    }
    if (ddf_copy_choose(copies[0], copies[1]) == copies[0]) {
        (void)ddf_config_free(copies[1]); /* returns NULL always */
        return copies[0];
    }
    (void)ddf_config_free(copies[0]); /* returns NULL always */
    return copies[1];
}
