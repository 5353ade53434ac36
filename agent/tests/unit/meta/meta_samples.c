/*
 * Random but valid configurations (meta_samples.h).
 */
#include "meta_samples.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"

static const enum reason_code whys[] = {REASON_OK,
                                        REASON_DRIVE_LOST_PULLED,
                                        REASON_DRIVE_LOST_WRITE_ERROR,
                                        REASON_DRIVE_LOST_STALE,
                                        REASON_DRIVE_LOST_USER,
                                        REASON_LABEL_FAILED};

static void sample_shape(struct rng *rng, struct geometry *geometry)
{
    const struct raid_level_info *info = NULL;

    *geometry = (struct geometry){.level = (enum raid_level)rng_below(rng, RAID_LEVEL_MAX)};
    info = raid_level_info(geometry->level);
    geometry->span_count =
        info->spans_min + (uint32_t)rng_below(rng, info->spans_max - info->spans_min + 1);
    geometry->members_per_span =
        info->span_members_min +
        (uint32_t)rng_below(rng, info->span_members_max - info->span_members_min + 1);
    while (geometry->span_count * geometry->members_per_span > GROUP_MEMBERS_MAX) {
        geometry->span_count = info->spans_min;
        geometry->members_per_span = info->span_members_min;
    }
    geometry->block_bytes = rng_below(rng, 2) == 0 ? 512 : 4096;
}

/* Most are in none. */
static void sample_stripe(struct rng *rng, struct vd_config *vd)
{
    struct vd_stripe *stripe = &vd->stripe;
    uint32_t strip_bytes = STRIPE_STRIP_MIN_BYTES << rng_below(rng, 8);

    if (vd->size_bytes < strip_bytes || rng_below(rng, 8) != 0) {
        return;
    }
    stripe->uuid = uuid_make(rng);
    (void)snprintf(stripe->name, sizeof(stripe->name), "wide-%u", (unsigned)rng_below(rng, 1000));
    stripe->count =
        STRIPE_MEMBERS_MIN + (uint32_t)rng_below(rng, STRIPE_MEMBERS_MAX - STRIPE_MEMBERS_MIN + 1);
    stripe->position = (uint32_t)rng_below(rng, stripe->count);
    stripe->strip_bytes = strip_bytes;
    stripe->member_bytes = (1 + rng_below(rng, vd->size_bytes / strip_bytes)) * strip_bytes;
}

static void sample_vd(struct rng *rng, const struct geometry *shape, uint32_t index,
                      uint64_t *start_bytes, struct vd_config *vd)
{
    rng_fill(rng, vd->guid.bytes, sizeof(vd->guid.bytes));
    vd->target_id = index * 10 + (uint32_t)rng_below(rng, 10);
    (void)snprintf(vd->name, sizeof(vd->name), "vd_%u-%u", index, (unsigned)rng_below(rng, 1000));
    vd->geometry = *shape;
    vd->geometry.strip_bytes = 8192u << rng_below(rng, 8);
    vd->geometry.extent_bytes = (1 + rng_below(rng, 1000)) * vd->geometry.strip_bytes;
    vd->extent_start_bytes = *start_bytes;
    *start_bytes += (vd->geometry.extent_bytes + VD_EXTENT_ALIGN_BYTES - 1) /
                        VD_EXTENT_ALIGN_BYTES * VD_EXTENT_ALIGN_BYTES +
                    rng_below(rng, 3) * VD_EXTENT_ALIGN_BYTES;
    vd->size_bytes = (1 + rng_below(rng, geometry_size_bytes(&vd->geometry) / 4096)) * 4096;
    vd->write_policy = (enum write_policy)rng_below(rng, WRITE_POLICY_MAX);
    vd->read_policy = (enum read_policy)rng_below(rng, READ_POLICY_MAX);
    vd->io_policy = (enum io_policy)rng_below(rng, IO_POLICY_MAX);
    vd->drive_cache_policy = (enum drive_cache_policy)rng_below(rng, DRIVE_CACHE_POLICY_MAX);
    vd->access = (enum access_policy)rng_below(rng, ACCESS_POLICY_MAX);
    vd->created_us = rng_u64(rng);
    vd->degraded_policy = (enum degraded_policy)(vd->created_us / 2 % DEGRADED_POLICY_MAX);
    vd->dirty = rng_below(rng, 2) == 0;
    vd->resync = rng_below(rng, 2) == 0;
    vd->resync_unlogged = vd->resync && vd->created_us % 2 == 0;
    vd->consistent_rows = rng_below(rng, geometry_row_count(&vd->geometry) + 1);
    sample_stripe(rng, vd);
}

void sample_group(struct rng *rng, struct group_config *ret_config)
{
    struct geometry shape;
    uint64_t start_bytes = rng_below(rng, 5) * VD_EXTENT_ALIGN_BYTES;

    *ret_config = (struct group_config){0};
    sample_shape(rng, &shape);
    rng_fill(rng, ret_config->guid.bytes, sizeof(ret_config->guid.bytes));
    ret_config->sequence = rng_below(rng, GROUP_SEQUENCE_READ_MAX);
    ret_config->index = (uint32_t)rng_below(rng, 240);
    ret_config->compact = ret_config->index % 3 == 0;
    ret_config->member_count = shape.span_count * shape.members_per_span;
    for (uint32_t i = 0; i < ret_config->member_count; i++) {
        struct member_config *member = &ret_config->members[i];

        member->drive = uuid_make(rng);
        memcpy(member->serial, "SERIAL-0123456789-abcdefghijklmnopqrstuv", rng_below(rng, 41));
        member->state = (enum member_state)rng_below(rng, MEMBER_STATE_MAX);
        member->why = whys[rng_below(rng, sizeof(whys) / sizeof(whys[0]))];
        member->rebuilt_bytes =
            member->state == MEMBER_REBUILD ? rng_below(rng, MEMBER_BYTES_MAX) : 0;
    }
    ret_config->vd_count = (uint32_t)rng_below(rng, GROUP_VDS_MAX + 1);
    for (uint32_t i = 0; i < ret_config->vd_count; i++) {
        sample_vd(rng, &shape, i, &start_bytes, &ret_config->vds[i]);
    }
}

void sample_label(struct rng *rng, struct drive_label *ret_label)
{
    *ret_label = (struct drive_label){.drive = uuid_make(rng),
                                      .controller = uuid_make(rng),
                                      .role = (enum label_role)rng_below(rng, LABEL_ROLE_MAX),
                                      .sequence = rng_below(rng, UINT64_C(1) << 61)};
    if (ret_label->role == LABEL_ROLE_MEMBER) {
        sample_group(rng, &ret_label->record);
        ret_label->has_record = true;
        ret_label->group = ret_label->record.guid;
        ret_label->member = (uint32_t)rng_below(rng, ret_label->record.member_count);
    } else if (ret_label->role == LABEL_ROLE_SPARE) {
        ret_label->spare_affinity = rng_below(rng, 2) == 0;
        ret_label->spare_committable = rng_below(rng, 2) == 0;
        ret_label->spare_group_count = (uint32_t)rng_below(rng, LABEL_SPARE_GROUPS_MAX + 1);
        for (uint32_t i = 0; i < ret_label->spare_group_count; i++) {
            rng_fill(rng, ret_label->spare_groups[i].bytes, 24);
        }
    }
}

void sample_controller(struct rng *rng, struct controller_record *ret_record)
{
    *ret_record = (struct controller_record){
        .controller = uuid_make(rng),
        .epoch = uuid_make(rng),
        .rev_reserved = rng_below(rng, UINT64_C(1) << 53),
        .operation_reserved = rng_below(rng, UINT64_C(1) << 53),
        .rebuild_rate_percent = (uint32_t)rng_below(rng, 101),
        .bgi_rate_percent = (uint32_t)rng_below(rng, 101),
        .auto_rebuild = rng_below(rng, 2) == 0,
        .coercion = (enum coercion)rng_below(rng, COERCION_MAX),
        .group_count = (uint32_t)rng_below(rng, CONTROLLER_GROUPS_MAX + 1),
        .intent = (enum controller_intent)rng_below(rng, CONTROLLER_INTENT_MAX),
        .drive_count = (uint32_t)rng_below(rng, 50),
        .erase_count = (uint32_t)rng_below(rng, 5),
        .patrol = {.mode = (enum patrol_mode)rng_below(rng, PATROL_MODE_MAX),
                   .rate_percent = (uint32_t)rng_below(rng, 101),
                   .delay_hours = (uint32_t)rng_below(rng, CONTROLLER_PATROL_DELAY_MAX + 1),
                   .drives_max = 1 + (uint32_t)rng_below(rng, CONTROLLER_PATROL_DRIVES_MAX),
                   .ssds = rng_below(rng, 2) == 0,
                   .next_us = rng_below(rng, CONTROLLER_PATROL_NEXT_MAX),
                   .last_us = rng_below(rng, CONTROLLER_PATROL_NEXT_MAX),
                   .iterations = rng_below(rng, 1000)},
    };
    for (uint32_t i = 0; i < ret_record->erase_count; i++) {
        struct controller_erase *entry = &ret_record->erases[i];

        *entry = (struct controller_erase){.active = rng_below(rng, 2) == 0,
                                           .mode = (enum erase_mode)rng_below(rng, ERASE_MODE_MAX),
                                           .pattern_a = (uint8_t)rng_below(rng, 256),
                                           .pattern_b = (uint8_t)rng_below(rng, 256),
                                           .pass = (uint32_t)rng_below(rng, 10),
                                           .seed = rng_u64(rng),
                                           .cursor_bytes = rng_below(rng, UINT64_C(1) << 40),
                                           .size_bytes = UINT64_C(1) << 40};
        (void)snprintf(entry->key, sizeof(entry->key), "sn-erased-%u", i);
    }
    ret_record->spare_count = (uint32_t)rng_below(rng, CONTROLLER_SPARES_MAX + 1);
    for (uint32_t i = 0; i < ret_record->spare_count; i++) {
        struct controller_spare *entry = &ret_record->spares[i];

        entry->dedicated = rng_below(rng, 2) == 0;
        (void)snprintf(entry->key, sizeof(entry->key), "sn-spare-%u", i);
        (void)snprintf(entry->path, sizeof(entry->path), "/c0/e252/s%u", i);
        (void)snprintf(entry->name, sizeof(entry->name), "252:%u", i);
        (void)snprintf(entry->serial, sizeof(entry->serial), "S%u", i);
    }
    for (uint32_t i = 0; i < ret_record->group_count; i++) {
        rng_fill(rng, ret_record->groups[i].bytes, 24);
    }
    if (ret_record->intent != CONTROLLER_INTENT_NONE) {
        rng_fill(rng, ret_record->intent_group.bytes, 24);
    }
    for (uint32_t i = 0; i < ret_record->drive_count; i++) {
        (void)snprintf(ret_record->drives[i].key, sizeof(ret_record->drives[i].key), "wwn-%016llx",
                       (unsigned long long)rng_u64(rng));
        ret_record->drives[i].intent = rng_below(rng, 2) == 0;
    }
}
