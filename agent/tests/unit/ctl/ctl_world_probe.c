/*
 * What the host of the test finds on a drive that it offers (ctl_world.h).
 */
#include "ctl_world.h"
#include "drive/drive_layout.h"

#include <errno.h>
#include <string.h>

static struct ddf_config *slot_copy_read(struct slot *slot, const struct ddf_header *anchor,
                                         enum ddf_copy which, const char **why)
{
    size_t bytes = (size_t)ddf_copy_sectors(anchor) * DDF_SECTOR_BYTES;
    uint64_t lba = which == DDF_COPY_PRIMARY ? anchor->primary_lba : anchor->secondary_lba;
    uint8_t *buffer = malloc(bytes);
    struct ddf_config *config = NULL;

    sim_drive_peek_durable(slot->drive, lba * DDF_SECTOR_BYTES, buffer, (uint32_t)bytes);
    if (ddf_copy_decode(anchor, which, buffer, bytes, &config, why) != 0) {
        config = NULL;
    }
    free(buffer);
    return config;
}

static struct foreign_drive *slot_probe_md(struct slot *slot, uint64_t sectors)
{
    uint8_t block[MD_SUPER_BYTES];
    struct foreign_drive *found = NULL;
    struct md_super md;
    const char *why = NULL;

    sim_drive_peek_durable(slot->drive, MD_SUPER_OFFSET_BYTES, block, sizeof(block));
    if (md_super_decode(block, sectors, &md, &why) != 0) {
        return NULL;
    }
    found = foreign_drive_new(FOREIGN_MD, sectors);
    found->md = md;
    return found;
}

static void slot_probe_label(struct slot *slot, struct foreign_drive *found)
{
    uint8_t *slots = calloc(FOREIGN_LABEL_PLACES, LABEL_SLOT_BYTES);

    for (uint32_t i = 0; i < FOREIGN_LABEL_PLACES; i++) {
        sim_drive_peek_durable(slot->drive, foreign_label_offset(slot->options.size_bytes, i),
                               slots + (size_t)i * LABEL_SLOT_BYTES, LABEL_SLOT_BYTES);
    }
    foreign_label_take(found, slots);
    free(slots);
}

/* As the host looks at a device that it offers. */
struct foreign_drive *slot_probe(struct slot *slot)
{
    uint64_t sectors = slot->options.size_bytes / DDF_SECTOR_BYTES;
    struct foreign_drive *found = NULL;
    struct ddf_config *copies[2];
    struct ddf_header anchor;
    uint8_t sector[DDF_SECTOR_BYTES];
    const char *why = NULL;
    int error = 0;

    sim_drive_peek_durable(slot->drive, (sectors - 1) * DDF_SECTOR_BYTES, sector, sizeof(sector));
    error = ddf_anchor_decode(sector, sectors, &anchor, &why);
    if (error == -ENOENT) {
        return slot_probe_md(slot, sectors);
    }
    found = foreign_drive_new(FOREIGN_DAMAGED, sectors);
    found->why = why;
    if (error != 0) {
        return found;
    }
    copies[0] = slot_copy_read(slot, &anchor, DDF_COPY_PRIMARY, &found->why);
    copies[1] = slot_copy_read(slot, &anchor, DDF_COPY_SECONDARY, &found->why);
    if (copies[0] != NULL || copies[1] != NULL) {
        bool first = ddf_copy_choose(copies[0], copies[1]) == copies[0];

        found->kind = FOREIGN_DDF;
        found->ddf = copies[first ? 0 : 1];
        (void)ddf_config_free(copies[first ? 1 : 0]); /* returns NULL always */
        slot_probe_label(slot, found);
    }
    return found;
}
