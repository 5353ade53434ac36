/*
 * A drive group as the DDF metadata of one of its members.
 *
 * Our bytes in a record (V0, 32 bytes, big-endian): 0 magic "AWV1", 4 write policy, 5 read policy,
 * 6 I/O policy, 7 drive cache policy, 8 number of the virtual drive (4), 12 block in sectors (2),
 * 14 zero (2), 16 size in blocks (8), 24 time of creation in microseconds since 1970 (8).
 * In the controller data, behind what others read as an empty name: 1 magic "AWG1", 5 number of
 * the group (4), 9 its sequence (8), 17 the header's sequence number (4): whoever else writes
 * raises the one and leaves the other, which is how we notice.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "meta/config_state.h"
#include "meta/ddf/ddf_group_private.h"
#include "meta/ddf/ddf_layout.h"

static const char product[] = "Arraywright";

struct guid ddf_guid_of(const struct uuid *uuid)
{
    struct guid guid;

    memcpy(guid.bytes, DDF_VENDOR, 8);
    memcpy(guid.bytes + 8, uuid->bytes, 16);
    return guid;
}

/* Out of the UUID, so that a drive keeps its reference; the next free one if it is taken. */
static void references_make(const struct group_config *group, uint32_t *references)
{
    for (uint32_t i = 0; i < group->member_count; i++) {
        uint32_t reference = get_be32(group->members[i].drive.bytes);
        uint32_t j = 0;

        while (j < i || reference == 0 || reference == DDF_NO_REFERENCE) {
            if (reference == 0 || reference == DDF_NO_REFERENCE || references[j] == reference) {
                reference++;
                j = 0;
            } else {
                j++;
            }
        }
        references[i] = reference;
    }
}

static void pd_make(const struct ddf_group_source *source, uint32_t member, uint32_t reference,
                    struct ddf_pd *pd)
{
    /* As mdadm has them; 0000 is left out by everyone. */
    static const uint16_t states[MEMBER_STATE_MAX] = {
        [MEMBER_ONLINE] = DDF_PD_ONLINE,
        [MEMBER_REBUILD] = DDF_PD_ONLINE | DDF_PD_REBUILDING,
        [MEMBER_FAILED] = DDF_PD_ONLINE | DDF_PD_FAILED,
        [MEMBER_MISSING] = DDF_PD_FAILED | DDF_PD_MISSING,
        [MEMBER_OFFLINE] = 0,
    };
    const struct group_config *group = source->group;
    uint64_t usable_bytes = source->usable_bytes[member];

    for (uint32_t i = 0; i < group->vd_count && usable_bytes == 0; i++) {
        const struct vd_config *vd = &group->vds[i];

        usable_bytes = max_u64(usable_bytes, vd->extent_start_bytes + vd->geometry.extent_bytes);
    }
    pd->guid = ddf_guid_of(&group->members[member].drive);
    pd->reference = reference;
    pd->type = DDF_PD_FORCED_GUID | DDF_PD_ACTIVE;
    pd->state = states[group->members[member].state];
    pd->configured_sectors = usable_bytes / DDF_SECTOR_BYTES;
    memcpy(pd->path, group->members[member].serial,
           min_u64(strlen(group->members[member].serial), sizeof(pd->path) - 1));
}

static uint8_t vd_state(const struct group_config *group)
{
    switch (group_config_state(group)) {
    case VIRTUAL_DRIVE_STATE_OPTIMAL:
        return DDF_VD_OPTIMAL;
    case VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED:
        return DDF_VD_PARTIALLY_OPTIMAL;
    case VIRTUAL_DRIVE_STATE_DEGRADED:
        return DDF_VD_DEGRADED;
    case VIRTUAL_DRIVE_STATE_OFFLINE:
    case VIRTUAL_DRIVE_STATE_STARTING:
    case VIRTUAL_DRIVE_STATE_MAX:
        break;
    }
    return DDF_VD_FAILED;
}

static void vd_make(const struct group_config *group, const struct vd_config *config,
                    struct ddf_vd *vd)
{
    static const uint8_t access[ACCESS_POLICY_MAX] = {
        [ACCESS_POLICY_READ_ONLY] = DDF_VD_READ_ONLY, [ACCESS_POLICY_BLOCKED] = DDF_VD_BLOCKED};
    bool redundant = geometry_span_tolerance(&config->geometry) > 0;
    bool consistent = config->consistent_rows == geometry_row_count(&config->geometry);

    vd->guid = config->guid;
    vd->unit = (uint16_t)config->target_id;
    vd->state = vd_state(group);
    if (redundant && (config->dirty || config->resync)) {
        vd->state |= DDF_VD_INCONSISTENT;
    }
    vd->init = (uint8_t)(access[config->access] |
                         (consistent || !redundant ? DDF_VD_INIT_FULL : DDF_VD_INIT_NONE));
    memcpy(vd->name, config->name, strlen(config->name));
}

static uint64_t cache_policy(const struct vd_config *vd)
{
    uint64_t bits = vd->io_policy == IO_POLICY_CACHED ? 0x60u : 0u;

    if (vd->write_policy != WRITE_POLICY_WRITE_THROUGH) {
        bits |= 0x21u;
    }
    if (vd->write_policy == WRITE_POLICY_ALWAYS_WRITE_BACK) {
        bits |= 0x10u;
    }
    if (vd->read_policy != READ_POLICY_NO_READ_AHEAD) {
        bits |= 0x44u;
    }
    if (vd->read_policy == READ_POLICY_ADAPTIVE_READ_AHEAD) {
        bits |= 0x08u;
    }
    return bits;
}

static void vendor_make(const struct vd_config *vd, uint8_t *vendor)
{
    memset(vendor, 0xFF, DDF_VENDOR_BYTES);
    memcpy(vendor, DDF_VD_EXTRA_MAGIC, 4);
    vendor[4] = (uint8_t)vd->write_policy;
    vendor[5] = (uint8_t)vd->read_policy;
    vendor[6] = (uint8_t)vd->io_policy;
    vendor[7] = (uint8_t)vd->drive_cache_policy;
    put_be32(vendor + 8, vd->target_id);
    put_be16(vendor + 12, (uint16_t)(vd->geometry.block_bytes / DDF_SECTOR_BYTES));
    vendor[14] = 0;
    vendor[15] = (uint8_t)vd->degraded_policy;
    put_be64(vendor + 16, vd->size_bytes / DDF_SECTOR_BYTES);
    put_be64(vendor + 24, vd->created_us);
}

static uint8_t shift_of(uint32_t strip_bytes)
{
    uint8_t shift = 0;

    ASSERT(is_power_of_two(strip_bytes) && strip_bytes >= DDF_SECTOR_BYTES);
    while (DDF_SECTOR_BYTES << shift != strip_bytes) {
        shift++;
    }
    return shift;
}

/* The record of the span that `member` is in. */
static int record_make(const struct ddf_group_source *source, const struct vd_config *vd,
                       uint32_t member, const uint32_t *references, struct ddf_record *record)
{
    uint32_t span = member / vd->geometry.members_per_span;
    struct ddf_level level;
    int error = ddf_level_of(&vd->geometry, &level);

    if (error != 0) {
        return error;
    }
    record->vd = vd->guid;
    record->time = ddf_time(source->wall_us);
    record->sequence = source->sequence;
    record->member_count = (uint16_t)vd->geometry.members_per_span;
    record->strip_shift = shift_of(vd->geometry.strip_bytes);
    record->level = level.level;
    record->qualifier = level.qualifier;
    record->span_count = (uint8_t)vd->geometry.span_count;
    record->span = (uint8_t)span;
    record->secondary_level = level.secondary;
    record->member_sectors = vd->geometry.extent_bytes / DDF_SECTOR_BYTES;
    /* Exactly what the members make, whatever of it is in use: md goes by the members. */
    record->vd_sectors = geometry_size_bytes(&vd->geometry) / DDF_SECTOR_BYTES;
    memset(record->spares, 0xFF, sizeof(record->spares));
    record->cache_policy = cache_policy(vd);
    record->rate = 0x80;
    vendor_make(vd, record->vendor);
    for (uint32_t i = 0; i < vd->geometry.members_per_span; i++) {
        record->members[i].reference = references[span * vd->geometry.members_per_span + i];
        record->members[i].start_lba = vd->extent_start_bytes / DDF_SECTOR_BYTES;
    }
    return 0;
}

static void controller_make(const struct ddf_group_source *source, struct ddf_config *config)
{
    uint8_t *vendor = config->controller_vendor;

    config->controller = ddf_guid_of(source->controller);
    memset(config->controller_type, 0, sizeof(config->controller_type));
    memcpy(config->product, product, sizeof(product));
    memset(vendor, 0xFF, sizeof(config->controller_vendor));
    vendor[0] = '\0';
    memcpy(vendor + 1, DDF_GROUP_EXTRA_MAGIC, 4);
    put_be32(vendor + 5, source->group->index);
    put_be64(vendor + DDF_GROUP_COUNTERS_OFFSET, source->group->sequence);
    put_be32(vendor + DDF_GROUP_SEQUENCE_OFFSET, source->sequence);
}

static int config_fill(const struct ddf_group_source *source, uint32_t member,
                       uint64_t drive_sectors, struct ddf_config *config)
{
    const struct group_config *group = source->group;
    uint32_t references[GROUP_MEMBERS_MAX] = {0};
    int error = 0;

    references_make(group, references);
    ddf_header_prepare(&config->header, drive_sectors);
    config->header.guid = group->guid;
    config->header.sequence = source->sequence;
    config->header.time = ddf_time(source->wall_us);
    controller_make(source, config);
    for (uint32_t i = 0; i < group->member_count; i++) {
        pd_make(source, i, references[i], &config->pds[i]);
    }
    for (uint32_t i = 0; i < group->vd_count && error == 0; i++) {
        vd_make(group, &group->vds[i], &config->vds[i]);
        error = record_make(source, &group->vds[i], member, references, &config->records[i]);
    }
    config->own_guid = config->pds[member].guid;
    config->own_reference = references[member];
    config->forced_reference = true;
    config->forced_guid = true;
    memset(config->drive_vendor, ' ', sizeof(config->drive_vendor));
    memcpy(config->drive_vendor, product, sizeof(product) - 1);
    return error;
}

int ddf_from_group(const struct ddf_group_source *source, uint32_t member, uint64_t drive_sectors,
                   struct ddf_config **ret_config)
{
    const struct group_config *group = source->group;
    struct ddf_config *config = NULL;
    int error = 0;

    ASSERT(member < group->member_count);
    ASSERT(source->sequence != 0 && source->sequence != DDF_NO_SEQUENCE);
    STATIC_ASSERT(GROUP_MEMBERS_MAX <= DDF_OUR_PDS && GROUP_VDS_MAX <= DDF_OUR_PARTITIONS,
                  "every group fits");
    config = ddf_config_new(group->member_count, group->vd_count, group->vd_count);
    error = config_fill(source, member, drive_sectors, config);
    if (error != 0) {
        (void)ddf_config_free(config); /* returns NULL always */
        return error;
    }
    *ret_config = config;
    return 0;
}
