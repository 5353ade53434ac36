/*
 * Whether two descriptions of a drive say the same to others, and what a newer one takes over
 * from the older. What tells only when and how often something was written does not count.
 */
#include <string.h>

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
