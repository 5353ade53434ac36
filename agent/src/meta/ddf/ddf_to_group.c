/*
 * DDF back into a drive group. Policies and numbers come from our own bytes in the records if
 * they are there, else from DDF's fields.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/sha256.h"
#include "meta/config_check.h"
#include "meta/ddf/ddf_group_private.h"

struct uuid ddf_drive_uuid(const struct guid *guid)
{
    struct uuid uuid;
    struct sha256 sha;
    uint8_t sum[SHA256_BYTES];

    if (memcmp(guid->bytes, DDF_VENDOR, 8) == 0) {
        memcpy(uuid.bytes, guid->bytes + 8, sizeof(uuid.bytes));
        return uuid;
    }
    sha256_init(&sha);
    sha256_add(&sha, guid->bytes, sizeof(guid->bytes));
    sha256_end(&sha, sum);
    memcpy(uuid.bytes, sum, sizeof(uuid.bytes));
    return uuid;
}

/* mdadm forgets who it was that is missing: a name for nobody. */
static struct uuid nobody_uuid(const struct guid *vd, uint32_t index)
{
    struct guid guid = *vd;

    put_be32(guid.bytes, get_be32(guid.bytes) ^ (index + 1));
    return ddf_drive_uuid(&guid);
}

static void member_make(const struct guid *vd, uint32_t index, const struct ddf_place *place,
                        struct member_config *member)
{
    static const enum member_state states[DDF_PLACE_STATE_MAX] = {
        [DDF_PLACE_ONLINE] = MEMBER_ONLINE, [DDF_PLACE_REBUILD] = MEMBER_REBUILD,
        [DDF_PLACE_FAILED] = MEMBER_FAILED, [DDF_PLACE_OFFLINE] = MEMBER_OFFLINE,
        [DDF_PLACE_STALE] = MEMBER_FAILED,  [DDF_PLACE_MISSING] = MEMBER_MISSING,
    };

    member->drive = place->pd != NULL ? ddf_drive_uuid(&place->pd->guid) : nobody_uuid(vd, index);
    member->state = states[place->state];
    if (place->state == DDF_PLACE_STALE) {
        member->why = REASON_DRIVE_LOST_STALE;
    } else if (place->state == DDF_PLACE_MISSING) {
        member->why = REASON_DRIVE_LOST_ABSENT;
    }
    if (place->pd != NULL) {
        (void)snprintf(member->serial, sizeof(member->serial), "%s", place->pd->path);
    }
}

/* A name that other programs may have given, made one that is valid here. */
static void name_make(const struct ddf_vd *vd, char name[VD_NAME_MAX + 1])
{
    (void)snprintf(name, VD_NAME_MAX + 1, "%.15s", vd->name);
    for (size_t i = 0; name[i] != '\0'; i++) {
        char one[2] = {name[i], '\0'};

        name[i] = vd_name_is_valid(one) ? name[i] : '_';
    }
    if (name[0] == '\0') {
        (void)snprintf(name, VD_NAME_MAX + 1, "vd%u", vd->unit);
    }
}

static void policies_from_ddf(const struct ddf_record *record, struct vd_config *vd)
{
    uint64_t bits = record->cache_policy;

    if ((bits & 0x01u) != 0) {
        vd->write_policy = WRITE_POLICY_WRITE_BACK;
    }
    if ((bits & 0x04u) != 0) {
        vd->read_policy =
            (bits & 0x08u) != 0 ? READ_POLICY_ADAPTIVE_READ_AHEAD : READ_POLICY_READ_AHEAD;
    }
}

/* False: there are none of ours, or not sound ones. */
static bool extras_take(const struct ddf_record *record, struct vd_config *vd)
{
    const uint8_t *vendor = record->vendor;
    uint64_t size_sectors = get_be64(vendor + 16);
    uint32_t block_sectors = get_be16(vendor + 12);

    if (memcmp(vendor, DDF_VD_EXTRA_MAGIC, 4) != 0 || vendor[4] >= WRITE_POLICY_MAX ||
        vendor[5] >= READ_POLICY_MAX || vendor[6] >= IO_POLICY_MAX ||
        vendor[7] >= DRIVE_CACHE_POLICY_MAX || vendor[15] >= DEGRADED_POLICY_MAX ||
        get_be32(vendor + 8) > VD_TARGET_ID_MAX || (block_sectors != 1 && block_sectors != 8) ||
        size_sectors == 0 || size_sectors > geometry_size_bytes(&vd->geometry) / DDF_SECTOR_BYTES ||
        size_sectors % block_sectors != 0) {
        return false;
    }
    vd->write_policy = (enum write_policy)vendor[4];
    vd->read_policy = (enum read_policy)vendor[5];
    vd->io_policy = (enum io_policy)vendor[6];
    vd->drive_cache_policy = (enum drive_cache_policy)vendor[7];
    vd->degraded_policy = (enum degraded_policy)vendor[15]; /* records of old have zero */
    vd->target_id = get_be32(vendor + 8);
    vd->geometry.block_bytes = block_sectors * DDF_SECTOR_BYTES;
    vd->size_bytes = size_sectors * DDF_SECTOR_BYTES;
    vd->created_us = get_be64(vendor + 24);
    return true;
}

/* The first place whose drive has a name. */
static uint32_t place_known(const struct ddf_found *found)
{
    for (uint32_t i = 0; i < found->place_count; i++) {
        if (found->places[i].pd != NULL) {
            return i;
        }
    }
    return DDF_NO_DRIVE;
}

static void vd_make(const struct ddf_found *found, struct vd_config *vd)
{
    uint8_t access = found->vd->init & DDF_VD_ACCESS_MASK;

    vd->guid = found->vd->guid;
    vd->geometry = found->geometry;
    vd->extent_start_bytes = found->places[place_known(found)].start_lba * DDF_SECTOR_BYTES;
    vd->size_bytes = found->size_bytes;
    vd->target_id = min_u32(found->vd->unit, VD_TARGET_ID_MAX);
    name_make(found->vd, vd->name);
    if (!extras_take(found->record, vd)) {
        policies_from_ddf(found->record, vd);
    }
    if (access == DDF_VD_READ_ONLY) {
        vd->access = ACCESS_POLICY_READ_ONLY;
    } else if (access == DDF_VD_BLOCKED) {
        vd->access = ACCESS_POLICY_BLOCKED;
    }
    if (found->inconsistent && geometry_span_tolerance(&vd->geometry) > 0) {
        vd->dirty = true;
        vd->resync = true;
        vd->resync_unlogged = true;
    } else {
        /* What follows a mirror that ends within a strip was never written as one. */
        vd->consistent_rows = found->size_bytes / geometry_row_bytes(&vd->geometry);
    }
}

static const char *places_problem(const struct ddf_found *found)
{
    uint32_t first = 0;

    if (found->state == DDF_FOUND_UNSUPPORTED || found->state == DDF_FOUND_DAMAGED) {
        return found->why;
    }
    first = place_known(found);
    if (first == DDF_NO_DRIVE) {
        return "None of its drives is known.";
    }
    for (uint32_t i = 0; i < found->place_count; i++) {
        const struct ddf_place *place = &found->places[i];

        if (place->pd != NULL && place->start_lba != found->places[first].start_lba) {
            return "Its extents start at different places of the drives.";
        }
    }
    return NULL;
}

static bool members_are_same(const struct ddf_found *a, const struct ddf_found *b)
{
    if (a->place_count != b->place_count || a->record->span_count != b->record->span_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->place_count; i++) {
        if (a->places[i].pd != b->places[i].pd) {
            return false;
        }
    }
    return true;
}

static void group_extras_take(const struct ddf_set *set, struct group_config *group)
{
    const uint8_t *vendor = set->newest->controller_vendor;

    if (vendor[0] == 0 && memcmp(vendor + 1, DDF_GROUP_EXTRA_MAGIC, 4) == 0) {
        group->index = get_be32(vendor + 5);
        group->sequence = min_u64(get_be64(vendor + 9), GROUP_SEQUENCE_READ_MAX);
    }
}

/* The other virtual drives of the same members. A group of all of them keeps the set's GUID. */
static const char *others_add(const struct ddf_set *set, uint32_t vd, const struct ddf_found *first,
                              struct group_config *group)
{
    struct ddf_found *other = malloc(sizeof(*other));
    const char *why = NULL;

    ASSERT(other != NULL);
    for (uint32_t i = 0; i < set->newest->vd_count && why == NULL; i++) {
        if (i == vd) {
            continue;
        }
        ddf_set_examine(set, i, other);
        if (other->record == NULL || !members_are_same(first, other)) {
            group->guid = first->vd->guid;
            continue;
        }
        why = places_problem(other);
        if (why == NULL && group->vd_count == GROUP_VDS_MAX) {
            why = "There are more virtual drives than a drive group can have here.";
        }
        if (why == NULL) {
            vd_make(other, &group->vds[group->vd_count++]);
        }
    }
    free(other);
    return why;
}

static const char *group_make(const struct ddf_set *set, uint32_t vd, struct ddf_found *found,
                              struct group_config *group)
{
    const char *why = NULL;

    ddf_set_examine(set, vd, found);
    why = places_problem(found);
    if (why != NULL) {
        return why;
    }
    group->guid = set->newest->header.guid;
    group_extras_take(set, group);
    group->member_count = found->place_count;
    for (uint32_t i = 0; i < found->place_count; i++) {
        member_make(&found->vd->guid, i, &found->places[i], &group->members[i]);
    }
    vd_make(found, &group->vds[0]);
    group->vd_count = 1;
    why = others_add(set, vd, found, group);
    if (why == NULL && group_config_check(group, &why) == 0) {
        why = NULL;
    }
    return why;
}

int ddf_to_group(const struct ddf_set *set, uint32_t vd, struct group_config *ret_group,
                 const char **ret_why)
{
    struct group_config *group = calloc(1, sizeof(*group));
    struct ddf_found *found = malloc(sizeof(*found));
    const char *why = NULL;

    ASSERT(group != NULL && found != NULL);
    why = group_make(set, vd, found, group);
    if (why == NULL) {
        *ret_group = *group;
    }
    free(group);
    free(found);
    *ret_why = why;
    return why == NULL ? 0 : -EOPNOTSUPP;
}
