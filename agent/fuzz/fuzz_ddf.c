/*
 * A drive with DDF metadata: hostile bytes. The input is the anchor, then the primary copy, as
 * long as the anchor says; the secondary is the same with the last bytes of the input laid over
 * it. Once as it is, once with CRCs repaired section by section, so that the meaning is reached.
 * What decodes must be a description that can be examined, and if it fits be written again and
 * read back the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#include "meta/ddf/ddf_group.h"
#include "meta/ddf/ddf_private.h"

#define DRIVE_SECTORS UINT64_C(131072)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t copy[DDF_COPY_SECTORS_MAX * DDF_SECTOR_BYTES];
static uint8_t written[DDF_COPY_BYTES];

static void written_again(const struct ddf_config *config)
{
    struct ddf_config *again = NULL;
    struct ddf_header anchor;
    uint8_t sector[DDF_SECTOR_BYTES];
    const char *why = NULL;
    struct ddf_config out = *config;

    ddf_header_prepare(&out.header, DRIVE_SECTORS);
    out.header.foreign = false;
    if (ddf_copy_encode(&out, DDF_COPY_PRIMARY, written, &why) != 0) {
        ASSERT(why != NULL);
        return;
    }
    ddf_anchor_encode(&out, sector);
    ASSERT(ddf_anchor_decode(sector, DRIVE_SECTORS, &anchor, &why) == 0);
    ASSERT(ddf_copy_decode(&anchor, DDF_COPY_PRIMARY, written, DDF_COPY_BYTES, &again, &why) == 0);
    ASSERT(again->pd_count == config->pd_count && again->vd_count == config->vd_count);
    ASSERT(again->record_count == config->record_count);
    ASSERT(memcmp(again->records, config->records,
                  config->record_count * sizeof(config->records[0])) == 0);
    ASSERT(memcmp(again->vds, config->vds, config->vd_count * sizeof(config->vds[0])) == 0);
    ASSERT(again->has_spare == config->has_spare);
    (void)ddf_config_free(again); /* returns NULL always */
}

static void set_use(const struct ddf_config *a, const struct ddf_config *b)
{
    static struct ddf_set set;
    static struct ddf_found found;
    static struct group_config group;
    const char *why = NULL;

    memset(&set, 0, sizeof(set));
    ASSERT(ddf_set_add(&set, a, DRIVE_SECTORS) == 0);
    if (b != NULL && ddf_set_add(&set, b, DRIVE_SECTORS) == 0) {
        ASSERT(set.drive_count == 2);
    }
    for (uint32_t i = 0; i < set.newest->vd_count && i < 64; i++) {
        ddf_set_examine(&set, i, &found);
        ASSERT(found.place_count <= GROUP_MEMBERS_MAX);
        ASSERT((found.state == DDF_FOUND_OPTIMAL) || found.why != NULL);
        if (ddf_to_group(&set, i, &group, &why) == 0) {
            ASSERT(group.vd_count > 0 && group.member_count == found.place_count);
        } else {
            ASSERT(why != NULL);
        }
    }
}

static void repair(const struct ddf_header *header, const uint8_t *anchor, uint8_t type)
{
    static const uint32_t magics[] = {
        [DDF_SECTION_CONTROLLER] = DDF_MAGIC_CONTROLLER,
        [DDF_SECTION_PDS] = DDF_MAGIC_PDS,
        [DDF_SECTION_VDS] = DDF_MAGIC_VDS,
        [DDF_SECTION_RECORDS] = 0,
        [DDF_SECTION_DRIVE] = DDF_MAGIC_DRIVE,
    };
    struct ddf_header_bytes *out = (void *)copy;
    struct ddf_header_bytes kept = *out;
    size_t slot_bytes = (size_t)header->record_sectors * DDF_SECTOR_BYTES;
    uint8_t *records = copy + (size_t)header->sections[DDF_SECTION_RECORDS].offset * 512;

    memcpy(copy, anchor, DDF_SECTOR_BYTES);
    memcpy(out->sequence, kept.sequence, 4);
    out->open = kept.open;
    out->type = type;
    ddf_seal(copy, DDF_SECTOR_BYTES, DDF_MAGIC_HEADER);
    for (uint32_t i = 0; i <= DDF_SECTION_DRIVE; i++) {
        if (i != DDF_SECTION_RECORDS) {
            ddf_seal(copy + (size_t)header->sections[i].offset * 512,
                     (size_t)header->sections[i].sectors * 512, magics[i]);
        }
    }
    for (size_t at = 0;
         at + slot_bytes <= (size_t)header->sections[DDF_SECTION_RECORDS].sectors * 512;
         at += slot_bytes) {
        ddf_seal(records + at, slot_bytes, get_be32(records + at));
    }
}

static void drive_try(const uint8_t *data, size_t size, bool repaired)
{
    struct ddf_config *configs[2] = {NULL, NULL};
    struct ddf_header header;
    uint8_t anchor[DDF_SECTOR_BYTES];
    const char *why = NULL;
    size_t bytes = 0;

    memcpy(anchor, data, DDF_SECTOR_BYTES);
    if (repaired) {
        ddf_seal(anchor, DDF_SECTOR_BYTES, DDF_MAGIC_HEADER);
    }
    if (ddf_anchor_decode(anchor, DRIVE_SECTORS, &header, &why) != 0) {
        ASSERT(why != NULL);
        return;
    }
    bytes = (size_t)ddf_copy_sectors(&header) * DDF_SECTOR_BYTES;
    for (unsigned i = 0; i < 2; i++) {
        size_t have = size - DDF_SECTOR_BYTES;
        size_t tail = have > bytes ? have - bytes : 0;

        memset(copy, 0xFF, bytes);
        memcpy(copy, data + DDF_SECTOR_BYTES, have < bytes ? have : bytes);
        if (i == 1 && tail > 0) {
            memcpy(copy, data + DDF_SECTOR_BYTES + bytes, tail < bytes ? tail : bytes);
        }
        if (repaired) {
            repair(&header, anchor, (uint8_t)(i + 1));
        }
        if (ddf_copy_decode(&header, (enum ddf_copy)i, copy, bytes, &configs[i], &why) != 0) {
            ASSERT(why != NULL && configs[i] == NULL);
        } else if (data[size - 1] % 16 == 0) { /* hundreds of KiB: now and then */
            written_again(configs[i]);
        }
    }
    if (configs[0] != NULL || configs[1] != NULL) {
        const struct ddf_config *chosen = ddf_copy_choose(configs[0], configs[1]);

        set_use(chosen, chosen == configs[0] ? configs[1] : configs[0]);
    }
    (void)ddf_config_free(configs[0]); /* returns NULL always */
    (void)ddf_config_free(configs[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < DDF_SECTOR_BYTES || size > sizeof(copy)) {
        return 0;
    }
    drive_try(data, size, false);
    drive_try(data, size, true);
    return 0;
}
