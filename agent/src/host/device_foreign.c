/*
 * Reads what a probed device says that belongs to somebody else. The bytes are understood in
 * meta/; here they are only fetched. A read error is as good as damage: nothing is believed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "drive/drive_layout.h"
#include "host/device.h"

static const char cannot_read[] = "The metadata cannot be read.";

static bool read_at(int fd, uint64_t offset, void *buffer, size_t bytes)
{
    size_t done = 0;

    while (done < bytes) {
        ssize_t got = pread(fd, (uint8_t *)buffer + done, bytes - done, (off_t)(offset + done));

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/* NULL: this copy is not good. */
static struct ddf_config *copy_read(int fd, const struct ddf_header *anchor, enum ddf_copy which,
                                    const char **why)
{
    size_t bytes = (size_t)ddf_copy_sectors(anchor) * DDF_SECTOR_BYTES;
    uint64_t lba = which == DDF_COPY_PRIMARY ? anchor->primary_lba : anchor->secondary_lba;
    struct ddf_config *config = NULL;
    uint8_t *buffer = NULL;

    if (lba == DDF_NO_LBA) {
        return NULL;
    }
    buffer = malloc(bytes);
    ASSERT(buffer != NULL);
    if (!read_at(fd, lba * DDF_SECTOR_BYTES, buffer, bytes)) {
        *why = cannot_read;
    } else if (ddf_copy_decode(anchor, which, buffer, bytes, &config, why) != 0) {
        config = NULL;
    }
    free(buffer);
    return config;
}

/* What cannot be read is not there. */
static void label_read(int fd, struct foreign_drive *foreign)
{
    uint8_t *slots = calloc(FOREIGN_LABEL_PLACES, LABEL_SLOT_BYTES);
    uint64_t size_bytes = foreign->sectors * DDF_SECTOR_BYTES;
    bool ok = slots != NULL && drive_layout_usable_bytes(size_bytes) != 0;

    for (uint32_t i = 0; ok && i < FOREIGN_LABEL_PLACES; i++) {
        ok = read_at(fd, foreign_label_offset(size_bytes, i), slots + (size_t)i * LABEL_SLOT_BYTES,
                     LABEL_SLOT_BYTES);
    }
    if (ok) {
        foreign_label_take(foreign, slots);
    }
    free(slots);
}

static struct foreign_drive *ddf_read(int fd, uint64_t sectors)
{
    struct foreign_drive *foreign = foreign_drive_new(FOREIGN_DAMAGED, sectors);
    struct ddf_config *copies[2] = {NULL, NULL};
    struct ddf_header anchor;
    uint8_t sector[DDF_ANCHOR_BYTES];

    if (!read_at(fd, (sectors - 1) * DDF_SECTOR_BYTES, sector, sizeof(sector))) {
        foreign->why = cannot_read;
        return foreign;
    }
    if (ddf_anchor_decode(sector, sectors, &anchor, &foreign->why) != 0) {
        return foreign;
    }
    copies[0] = copy_read(fd, &anchor, DDF_COPY_PRIMARY, &foreign->why);
    copies[1] = copy_read(fd, &anchor, DDF_COPY_SECONDARY, &foreign->why);
    if (copies[0] != NULL || copies[1] != NULL) {
        bool first = ddf_copy_choose(copies[0], copies[1]) == copies[0];

        foreign->kind = FOREIGN_DDF;
        foreign->ddf = copies[first ? 0 : 1];
        (void)ddf_config_free(copies[first ? 1 : 0]); /* returns NULL always */
        label_read(fd, foreign);
    }
    return foreign;
}

static struct foreign_drive *md_read(int fd, uint64_t sectors)
{
    struct foreign_drive *foreign = foreign_drive_new(FOREIGN_DAMAGED, sectors);
    uint8_t *buffer = malloc(MD_SUPER_BYTES);

    ASSERT(buffer != NULL);
    if (!read_at(fd, MD_SUPER_OFFSET_BYTES, buffer, MD_SUPER_BYTES)) {
        foreign->why = cannot_read;
    } else if (md_super_decode(buffer, sectors, &foreign->md, &foreign->why) == 0) {
        foreign->kind = FOREIGN_MD;
    }
    free(buffer);
    return foreign;
}

struct foreign_drive *device_foreign_read(const struct device_info *info)
{
    bool ddf = strcmp(info->signature, "ddf_raid_member") == 0;
    struct foreign_drive *foreign = NULL;
    uint64_t sectors = info->size_bytes / DDF_SECTOR_BYTES;
    int fd = -1;

    if (!ddf && strcmp(info->signature, "linux_raid_member") != 0) {
        return NULL;
    }
    fd = open(info->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || info->size_bytes < MD_SUPER_OFFSET_BYTES + MD_SUPER_BYTES) {
        foreign = foreign_drive_new(FOREIGN_DAMAGED, sectors);
        foreign->why = cannot_read;
    } else {
        foreign = ddf ? ddf_read(fd, sectors) : md_read(fd, sectors);
    }
    if (fd >= 0) {
        (void)close(fd); /* only read from */
    }
    return foreign;
}
