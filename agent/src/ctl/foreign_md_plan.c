/*
 * Which drives make a set in md's own format, and the drive group that an import makes of it
 * (foreign_md.h): one virtual drive whose extents are md's data areas.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/sha256.h"
#include "ctl/foreign_md.h"
#include "meta/config_check.h"

#define SECTOR_BYTES 512u
#define VENDOR "ARRAYWRT"
#define VENDOR_BYTES 8u
#define MIRROR_STRIP_BYTES (64u * 1024u)

/* Sets */

static bool says_md(const struct ctl_drive *cd)
{
    return cd->found != NULL && cd->present && !cd->departed && cd->found->kind == FOREIGN_MD;
}

static bool is_md(const struct ctl_drive *cd)
{
    return cd->drive == NULL && says_md(cd);
}

bool foreign_md_has(const struct foreign_md *set, const struct ctl_drive *cd)
{
    return is_md(cd) && uuid_equal(&cd->found->md.set, &set->newest->set);
}

static void drive_add(struct foreign_md *set, struct ctl_drive *cd)
{
    const struct md_super *md = &cd->found->md;

    set->drive_count++;
    if (set->newest == NULL || md->events > set->newest->events) {
        set->newest = md;
    }
    if (md->role < MD_ROLES_MAX) {
        set->twin = set->twin || set->places[md->role] != NULL;
        set->places[md->role] = cd;
    }
}

/* Of the drives that `counts`, those of this set. */
static void set_make(const struct ctl *ctl, const struct uuid *uuid,
                     bool (*counts)(const struct ctl_drive *cd), struct foreign_md *ret_set)
{
    struct foreign_md *set = ret_set;
    struct sha256 sha;

    *set = (struct foreign_md){.drive_count = 0};
    sha256_init(&sha);
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (!counts(cd) || !uuid_equal(&cd->found->md.set, uuid)) {
            continue;
        }
        if (set->drive_count == 0) {
            set->first = cd;
        }
        drive_add(set, cd);
        sha256_add(&sha, cd->identity.key, strlen(cd->identity.key) + 1);
        sha256_add(&sha, &cd->found->md.events, sizeof(cd->found->md.events));
    }
    sha256_hex(&sha, set->digest);
    uuid_format(uuid, set->id);
    (void)snprintf(set->name, sizeof(set->name), "%.16s",
                   set->newest != NULL && set->newest->name[0] != '\0' ? set->newest->name
                                                                       : set->id);
}

bool foreign_md_gather(const struct ctl *ctl, struct ctl_drive *first, struct foreign_md *ret_set)
{
    if (!is_md(first)) {
        return false;
    }
    set_make(ctl, &first->found->md.set, is_md, ret_set);
    ASSERT(ret_set->newest != NULL);
    return ret_set->first == first;
}

bool foreign_md_renew(const struct ctl *ctl, struct foreign_md *set)
{
    struct foreign_md *again = calloc(1, sizeof(*again));
    struct uuid uuid;
    bool same = false;

    ASSERT(again != NULL);
    if (uuid_parse(set->id, &uuid) == 0) {
        set_make(ctl, &uuid, says_md, again);
        same = again->drive_count == set->drive_count && strcmp(again->digest, set->digest) == 0;
    }
    if (same) {
        *set = *again;
    }
    free(again);
    return same;
}

bool foreign_md_find(const struct ctl *ctl, const char *id, struct foreign_md *ret_set)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);
        char text[UUID_TEXT_BYTES];

        if (is_md(cd)) {
            uuid_format(&cd->found->md.set, text);
            if (strcmp(text, id) == 0) {
                return foreign_md_gather(ctl, cd, ret_set);
            }
        }
    }
    return false;
}

bool foreign_md_common(const struct ctl *ctl, const struct foreign_md *set,
                       struct foreign_set *ret_set)
{
    *ret_set = (struct foreign_set){.format = FOREIGN_FORMAT_MD,
                                    .guid = foreign_md_guid(&set->newest->set)};
    memcpy(ret_set->id, set->id, sizeof(set->id));
    memcpy(ret_set->name, set->name, sizeof(set->name));
    memcpy(ret_set->digest, set->digest, sizeof(set->digest));
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (!foreign_md_has(set, cd)) {
            continue;
        }
        if (ret_set->drive_count == DDF_SET_DRIVES_MAX) {
            return false;
        }
        ret_set->drives[ret_set->drive_count++] = cd;
    }
    return true;
}

/* What becomes of one */

struct uuid foreign_md_uuid(const struct guid *group)
{
    struct uuid uuid;

    memcpy(uuid.bytes, group->bytes + VENDOR_BYTES, sizeof(uuid.bytes));
    return uuid;
}

void md_super_left_tell(struct ctl *ctl, const char *key)
{
    const struct ctl_drive *cd = drive_by_key(ctl, key);
    char path[PATH_TEXT_BYTES];

    if (cd != NULL) {
        drive_path(cd, path, sizeof(path));
    }
    ctl_event(ctl, EVENT_MD_SUPER_LEFT, key, "drive", cd != NULL ? path : key, NULL);
}

struct guid foreign_md_guid(const struct uuid *set)
{
    struct guid guid;

    memcpy(guid.bytes, VENDOR, VENDOR_BYTES);
    memcpy(guid.bytes + VENDOR_BYTES, set->bytes, sizeof(set->bytes));
    return guid;
}

/* Another one than the group's, and always the same. */
static struct guid vd_guid(const struct uuid *set)
{
    uint8_t sum[SHA256_BYTES];
    struct sha256 sha;
    struct guid guid;

    sha256_init(&sha);
    sha256_add(&sha, "virtual drive", sizeof("virtual drive"));
    sha256_add(&sha, set->bytes, sizeof(set->bytes));
    sha256_end(&sha, sum);
    memcpy(guid.bytes, VENDOR, VENDOR_BYTES);
    memcpy(guid.bytes + VENDOR_BYTES, sum, sizeof(guid.bytes) - VENDOR_BYTES);
    return guid;
}

bool foreign_md_is_of(const struct guid *group, const struct guid *vd)
{
    struct uuid set = foreign_md_uuid(group);
    struct guid guid = vd_guid(&set);

    return guid_equal(&guid, vd);
}

/* "host:data" is data. */
static void name_make(const struct md_super *md, char name[VD_NAME_MAX + 1])
{
    const char *colon = strchr(md->name, ':');

    (void)snprintf(name, VD_NAME_MAX + 1, "%.15s", colon != NULL ? colon + 1 : md->name);
    for (size_t i = 0; name[i] != '\0'; i++) {
        char one[2] = {name[i], '\0'};

        name[i] = vd_name_is_valid(one) ? name[i] : '_';
    }
    if (name[0] == '\0') {
        (void)snprintf(name, VD_NAME_MAX + 1, "md");
    }
}

/* Near copies only (foreign_md.c (3)): whole sets of neighbors are spans; a single one is a
 * mirror, and pairs that do not come out even make RAID 1E. */
static void mirrors_shape(const struct md_super *md, struct geometry *geometry)
{
    uint32_t copies = md->layout & 0xFFu;

    if (md->member_count == copies) {
        geometry->level = RAID_LEVEL_1;
    } else if (md->member_count % copies == 0) {
        geometry->level = RAID_LEVEL_10;
        geometry->span_count = md->member_count / copies;
        geometry->members_per_span = copies;
    } else {
        geometry->level = RAID_LEVEL_1E;
    }
}

static void geometry_make(const struct md_super *md, struct geometry *geometry)
{
    *geometry = (struct geometry){.span_count = 1,
                                  .members_per_span = md->member_count,
                                  .strip_bytes = md->chunk_sectors * SECTOR_BYTES,
                                  .block_bytes = 512,
                                  .extent_bytes = foreign_md_used_sectors(md) * SECTOR_BYTES};
    switch (md->level) {
    case 0:
        geometry->level = RAID_LEVEL_0;
        return;
    case 1:
        geometry->level = RAID_LEVEL_1;
        geometry->strip_bytes = MIRROR_STRIP_BYTES;
        while (!is_aligned_u64(geometry->extent_bytes, geometry->strip_bytes)) {
            geometry->strip_bytes /= 2; /* it is whole smallest strips */
        }
        return;
    case 5:
        geometry->level = RAID_LEVEL_5;
        return;
    case 6:
        geometry->level = RAID_LEVEL_6;
        return;
    default:
        ASSERT(md->level == 10);
        mirrors_shape(md, geometry);
        return;
    }
}

/* Its geometry has been found possible. */
static void vd_make(const struct md_super *md, struct vd_config *vd)
{
    vd->guid = vd_guid(&md->set);
    name_make(md, vd->name);
    vd->extent_start_bytes = md->data_offset_sectors * SECTOR_BYTES;
    vd->size_bytes = geometry_size_bytes(&vd->geometry);
    vd->consistent_rows = geometry_row_count(&vd->geometry);
    if (md->level == 1 && md->member_sectors * SECTOR_BYTES < vd->size_bytes) {
        vd->size_bytes = md->member_sectors * SECTOR_BYTES;
        vd->consistent_rows--; /* md has never made the end of its last strip equal */
    }
}

static void config_make(const struct foreign_md *set, struct foreign_plan *plan)
{
    const struct md_super *md = set->newest;
    struct group_config *config = &plan->config;

    config->guid = foreign_md_guid(&md->set);
    config->member_count = md->member_count;
    for (uint32_t i = 0; i < md->member_count; i++) {
        config->members[i].drive = set->places[i]->found->md.own;
        config->members[i].state = MEMBER_ONLINE;
        plan->members[i] = set->places[i];
    }
    vd_make(md, &config->vds[0]);
    config->vd_count = 1;
}

/* A superblock may say what no set can be. */
static bool geometry_is_possible(const struct foreign_md *set, struct foreign_plan *plan)
{
    struct geometry *geometry = &plan->config.vds[0].geometry;
    const char *why = NULL;

    geometry_make(set->newest, geometry);
    if (geometry_check(geometry, &why) != 0) {
        foreign_reason(FOREIGN_STATE_UNSUPPORTED, why, &plan->refusal);
        return false;
    }
    return true;
}

/* It was imported, and this has been left, or is a copy. */
static bool is_not_here(const struct ctl *ctl, const struct guid *guid, struct reason *ret_reason)
{
    LIST_FOR_EACH (node, &ctl->host->ctls) {
        const struct ctl_group *cg =
            group_by_guid(list_entry(node, const struct ctl, host_link), guid);
        char path[PATH_TEXT_BYTES];

        if (cg != NULL) {
            group_path(cg, path, sizeof(path));
            reason_set(ret_reason, REASON_FOREIGN_MD_LEFT, "group", path, NULL);
            return false;
        }
    }
    return true;
}

void foreign_md_plan(const struct ctl *ctl, const struct foreign_md *set,
                     struct foreign_plan *ret_plan)
{
    struct foreign_plan *plan = ret_plan;
    struct guid guid = foreign_md_guid(&set->newest->set);

    *plan = (struct foreign_plan){.refusal = {.code = REASON_OK}};
    if (!is_not_here(ctl, &guid, &plan->refusal)) {
        return;
    }
    foreign_md_refusal(set, &plan->refusal);
    if (plan->refusal.code == REASON_OK && set->newest->member_count > GROUP_MEMBERS_MAX) {
        foreign_reason(FOREIGN_STATE_UNSUPPORTED,
                       "It has more drives than a drive group can have here.", &plan->refusal);
    }
    if (plan->refusal.code == REASON_OK && geometry_is_possible(set, plan)) {
        config_make(set, plan);
        foreign_plan_finish(ctl, plan);
    }
}
