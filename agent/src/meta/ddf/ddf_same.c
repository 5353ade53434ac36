/*
 * Whether two descriptions of a drive say the same to others, and what a newer one takes over
 * from the older. What tells only when and how often something was written does not count.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "meta/ddf/ddf_group_private.h"

static bool pd_is_same(const struct ddf_pd *a, const struct ddf_pd *b)
{
    return guid_equal(&a->guid, &b->guid) && a->reference == b->reference && a->type == b->type &&
           a->state == b->state && a->configured_sectors == b->configured_sectors &&
           strcmp(a->path, b->path) == 0;
}

static bool vd_is_same(const struct ddf_vd *a, const struct ddf_vd *b)
{
    return guid_equal(&a->guid, &b->guid) && a->unit == b->unit && a->type == b->type &&
           a->state == b->state && a->init == b->init && strcmp(a->name, b->name) == 0;
}

static bool members_are_same(const struct ddf_record *a, const struct ddf_record *b)
{
    for (uint32_t i = 0; i < a->member_count; i++) {
        if (a->members[i].reference != b->members[i].reference ||
            a->members[i].start_lba != b->members[i].start_lba) {
            return false;
        }
    }
    return true;
}

static bool record_is_same(const struct ddf_record *a, const struct ddf_record *b)
{
    return guid_equal(&a->vd, &b->vd) && a->member_count == b->member_count &&
           a->strip_shift == b->strip_shift && a->level == b->level &&
           a->qualifier == b->qualifier && a->span_count == b->span_count && a->span == b->span &&
           a->secondary_level == b->secondary_level && a->member_sectors == b->member_sectors &&
           a->vd_sectors == b->vd_sectors && a->cache_policy == b->cache_policy &&
           a->rate == b->rate && memcmp(a->spares, b->spares, sizeof(a->spares)) == 0 &&
           memcmp(a->vendor, b->vendor, sizeof(a->vendor)) == 0 && members_are_same(a, b);
}

void ddf_records_inherit(struct ddf_config *config, const struct ddf_config *older)
{
    for (uint32_t i = 0; i < config->record_count; i++) {
        struct ddf_record *record = &config->records[i];

        for (uint32_t j = 0; j < older->record_count; j++) {
            if (record_is_same(record, &older->records[j])) {
                record->sequence = older->records[j].sequence;
                record->time = older->records[j].time;
            }
        }
    }
}

/* More of them have been left behind than anybody still has. */
#define DRIVES_LEFT_MAX 64u

static bool pd_is_live(const struct ddf_pd *pd)
{
    return (pd->state & DDF_PD_ONLINE) != 0 && (pd->state & (DDF_PD_FAILED | DDF_PD_MISSING)) == 0;
}

/* Is the older entry that of this member? What a live one says of itself has been written anew, so
 * it may have been another system's GUID for the same drive. */
static bool pd_is_of(const struct ddf_pd *older, const struct ddf_pd *pd)
{
    struct uuid a = ddf_drive_uuid(&older->guid);
    struct uuid b = ddf_drive_uuid(&pd->guid);

    return guid_equal(&older->guid, &pd->guid) || (pd_is_live(pd) && uuid_equal(&a, &b));
}

static bool reference_is_taken(const struct ddf_config *config, const struct ddf_pd *pds,
                               uint32_t count, uint32_t reference)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pds[i].reference == reference) {
            return true;
        }
    }
    return ddf_pd_by_reference(config, reference) != NULL;
}

static uint32_t pd_find(const struct ddf_config *config, const bool *placed,
                        const struct ddf_pd *older)
{
    uint32_t i = 0;

    while (i < config->pd_count && (placed[i] || !pd_is_of(older, &config->pds[i]))) {
        i++;
    }
    return i;
}

void ddf_drives_inherit(struct ddf_config *config, const struct ddf_config *older)
{
    struct ddf_pd *pds = calloc((size_t)config->pd_count + DRIVES_LEFT_MAX, sizeof(*pds));
    bool placed[GROUP_MEMBERS_MAX] = {false};
    uint32_t count = 0;
    uint32_t left = 0;

    ASSERT(pds != NULL && config->pd_count <= GROUP_MEMBERS_MAX);
    for (uint32_t i = 0; i < older->pd_count; i++) {
        const struct ddf_pd *before = &older->pds[i];
        uint32_t member = pd_find(config, placed, before);

        if (member < config->pd_count) {
            placed[member] = true;
            pds[count++] = config->pds[member];
        } else if (left < DRIVES_LEFT_MAX &&
                   !reference_is_taken(config, pds, count, before->reference)) {
            left++;
            pds[count] = *before;
            pds[count].type &= (uint16_t)~DDF_PD_ACTIVE;
            pds[count].state &= (uint16_t)~DDF_PD_REBUILDING;
            pds[count++].state |= DDF_PD_FAILED;
        }
    }
    for (uint32_t i = 0; i < config->pd_count; i++) {
        if (!placed[i]) {
            pds[count++] = config->pds[i];
        }
    }
    free(config->pds);
    config->pds = pds;
    config->pd_count = count;
}

/* Our bytes there count writes. */
static bool controller_is_same(const struct ddf_config *a, const struct ddf_config *b)
{
    return guid_equal(&a->controller, &b->controller) &&
           memcmp(a->controller_type, b->controller_type, sizeof(a->controller_type)) == 0 &&
           strcmp(a->product, b->product) == 0 &&
           memcmp(a->controller_vendor, b->controller_vendor, DDF_GROUP_COUNTERS_OFFSET) == 0 &&
           memcmp(a->controller_vendor + DDF_GROUP_EXTRA_END,
                  b->controller_vendor + DDF_GROUP_EXTRA_END,
                  sizeof(a->controller_vendor) - DDF_GROUP_EXTRA_END) == 0;
}

static bool drive_is_same(const struct ddf_config *a, const struct ddf_config *b)
{
    return guid_equal(&a->own_guid, &b->own_guid) && a->own_reference == b->own_reference &&
           a->forced_reference == b->forced_reference && a->forced_guid == b->forced_guid &&
           a->has_spare == b->has_spare &&
           memcmp(a->drive_vendor, b->drive_vendor, sizeof(a->drive_vendor)) == 0;
}

bool ddf_config_is_same(const struct ddf_config *a, const struct ddf_config *b)
{
    bool same = guid_equal(&a->header.guid, &b->header.guid) && a->pd_count == b->pd_count &&
                a->vd_count == b->vd_count && a->record_count == b->record_count &&
                controller_is_same(a, b) && drive_is_same(a, b);

    for (uint32_t i = 0; same && i < a->pd_count; i++) {
        same = pd_is_same(&a->pds[i], &b->pds[i]);
    }
    for (uint32_t i = 0; same && i < a->vd_count; i++) {
        same = vd_is_same(&a->vds[i], &b->vds[i]);
    }
    for (uint32_t i = 0; same && i < a->record_count; i++) {
        same = record_is_same(&a->records[i], &b->records[i]);
    }
    return same;
}

/* A change of ours that was cut short leaves an open header with the old number and our bytes with
 * the new one: only a header that is ahead is somebody else's. */
bool ddf_is_written_by_others(const struct ddf_config *config)
{
    const uint8_t *vendor = config->controller_vendor;

    return vendor[0] != 0 || memcmp(vendor + 1, DDF_GROUP_EXTRA_MAGIC, 4) != 0 ||
           config->header.sequence > get_be32(vendor + DDF_GROUP_SEQUENCE_OFFSET);
}
