/*
 * The drives of one DDF group put together (ddf_group.h (1) to (3)).
 */
#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "meta/ddf/ddf_group.h"

/* An open copy counts one less: its change did not end. */
static uint32_t sequence_of(const struct ddf_config *config)
{
    uint32_t sequence = config->header.sequence;

    return config->header.open && sequence > 0 ? sequence - 1 : sequence;
}

int ddf_set_add(struct ddf_set *set, const struct ddf_config *config, uint64_t drive_sectors)
{
    uint32_t at = set->drive_count;

    ASSERT(config != NULL);
    if (at > 0 && !guid_equal(&set->drives[0].config->header.guid, &config->header.guid)) {
        return -EXDEV;
    }
    if (at == DDF_SET_DRIVES_MAX) {
        return -ENOSPC;
    }
    set->drives[at].config = config;
    set->drives[at].sectors = drive_sectors;
    set->drives[at].twin = false;
    for (uint32_t i = 0; i < at; i++) {
        if (guid_equal(&set->drives[i].config->own_guid, &config->own_guid) ||
            set->drives[i].config->own_reference == config->own_reference) {
            set->drives[i].twin = true;
            set->drives[at].twin = true;
        }
    }
    set->drive_count++;
    if (set->newest == NULL || sequence_of(config) > sequence_of(set->newest)) {
        set->newest = config;
    }
    return 0;
}

/* The record that counts for a span: the highest sequence of all drives. */
static const struct ddf_record *record_find(const struct ddf_set *set, const struct guid *vd,
                                            uint32_t span)
{
    const struct ddf_record *found = NULL;

    for (uint32_t i = 0; i < set->drive_count; i++) {
        const struct ddf_config *config = set->drives[i].config;

        for (uint32_t j = 0; j < config->record_count; j++) {
            const struct ddf_record *record = &config->records[j];

            if (record->span == span && guid_equal(&record->vd, vd) &&
                (found == NULL || record->sequence > found->sequence)) {
                found = record;
            }
        }
    }
    return found;
}

static const struct ddf_record *record_any(const struct ddf_set *set, const struct guid *vd)
{
    const struct ddf_record *found = NULL;

    for (uint32_t span = 0; span < 256 && found == NULL; span++) {
        found = record_find(set, vd, span);
    }
    return found;
}

static bool records_agree(const struct ddf_record *a, const struct ddf_record *b)
{
    return a->member_count == b->member_count && a->level == b->level &&
           a->qualifier == b->qualifier && a->span_count == b->span_count &&
           a->strip_shift == b->strip_shift && a->secondary_level == b->secondary_level &&
           a->member_sectors == b->member_sectors && a->vd_sectors == b->vd_sectors;
}

static uint32_t drive_of(const struct ddf_set *set, const struct ddf_pd *pd)
{
    for (uint32_t i = 0; i < set->drive_count; i++) {
        if (!set->drives[i].twin && guid_equal(&set->drives[i].config->own_guid, &pd->guid)) {
            return i;
        }
    }
    return DDF_NO_DRIVE;
}

static enum ddf_place_state place_state(const struct ddf_set *set, const struct ddf_place *place)
{
    uint16_t state = place->pd->state;

    if (place->drive == DDF_NO_DRIVE || (state & DDF_PD_MISSING) != 0) {
        return DDF_PLACE_MISSING;
    }
    if ((state & DDF_PD_FAILED) != 0) {
        return DDF_PLACE_FAILED;
    }
    if ((state & DDF_PD_ONLINE) == 0) {
        return DDF_PLACE_OFFLINE;
    }
    if ((state & DDF_PD_REBUILDING) != 0) {
        return DDF_PLACE_REBUILD;
    }
    if (sequence_of(set->drives[place->drive].config) < sequence_of(set->newest)) {
        return DDF_PLACE_STALE;
    }
    return DDF_PLACE_ONLINE;
}

static void place_fill(const struct ddf_set *set, const struct ddf_record *record, uint32_t index,
                       struct ddf_place *place)
{
    *place = (struct ddf_place){.state = DDF_PLACE_MISSING, .drive = DDF_NO_DRIVE};
    if (record == NULL) {
        return; /* no drive of this span is there */
    }
    place->start_lba = record->members[index].start_lba;
    place->pd = ddf_pd_by_reference(set->newest, record->members[index].reference);
    if (place->pd == NULL) {
        return;
    }
    place->drive = drive_of(set, place->pd);
    place->state = place_state(set, place);
}

/* Places of a span whose drives are not in sync. */
static uint32_t span_lost(const struct ddf_found *found, uint32_t span, bool stale_is_lost)
{
    uint32_t width = found->record->member_count;
    uint32_t lost = 0;

    for (uint32_t i = 0; i < width; i++) {
        enum ddf_place_state state = found->places[span * width + i].state;

        if (state != DDF_PLACE_ONLINE && (stale_is_lost || state != DDF_PLACE_STALE)) {
            lost |= UINT32_C(1) << i;
        }
    }
    return lost;
}

static bool is_bearable(const struct ddf_found *found, bool stale_is_lost, bool *ret_whole)
{
    bool bearable = true;
    bool whole = true;

    for (uint32_t span = 0; span < found->record->span_count; span++) {
        uint32_t lost = span_lost(found, span, stale_is_lost);

        bearable = bearable && geometry_losses_left(&found->geometry, lost) >= 0;
        whole = whole && lost == 0;
    }
    *ret_whole = whole;
    return bearable;
}

/* How far the drive of a place is behind. */
static uint32_t place_lag(const struct ddf_set *set, const struct ddf_place *place)
{
    return sequence_of(set->newest) - sequence_of(set->drives[place->drive].config);
}

/*
 * Stale drives without which there is nothing: all are one behind, so that a change of the
 * tables was cut short; or nothing can have been written without them, because the level bears
 * no loss.
 */
static bool stale_may_be_taken(const struct ddf_set *set, const struct ddf_found *found)
{
    for (uint32_t i = 0; i < found->place_count; i++) {
        const struct ddf_place *place = &found->places[i];

        if (place->state == DDF_PLACE_STALE && place_lag(set, place) > 1 &&
            geometry_span_tolerance(&found->geometry) > 0) {
            return false;
        }
    }
    return true;
}

static void state_settle(const struct ddf_set *set, struct ddf_found *found)
{
    bool whole = false;

    if (!is_bearable(found, true, &whole) && is_bearable(found, false, &whole) &&
        stale_may_be_taken(set, found)) {
        for (uint32_t i = 0; i < found->place_count; i++) {
            if (found->places[i].state == DDF_PLACE_STALE) {
                found->places[i].state = DDF_PLACE_ONLINE;
                found->inconsistent = geometry_span_tolerance(&found->geometry) > 0;
            }
        }
    }
    if (!is_bearable(found, true, &whole)) {
        found->state = DDF_FOUND_INCOMPLETE;
        found->why = "Too many of its drives are missing, failed or out of date.";
    } else if (!whole) {
        found->state = DDF_FOUND_DEGRADED;
        found->why = "Not all of its drives are there and in sync.";
    } else {
        found->state = DDF_FOUND_OPTIMAL;
    }
}

/* Every place of every span, in member order. */
static void places_fill(const struct ddf_set *set, struct ddf_found *found)
{
    const struct ddf_record *first = found->record;
    uint32_t width = first->member_count;

    found->place_count = width * first->span_count;
    for (uint32_t span = 0; span < first->span_count; span++) {
        const struct ddf_record *record = record_find(set, &found->vd->guid, span);

        if (record != NULL && !records_agree(first, record)) {
            found->state = DDF_FOUND_DAMAGED;
            found->why = "The records of its spans contradict each other.";
            record = NULL;
        }
        for (uint32_t i = 0; i < width; i++) {
            place_fill(set, record, i, &found->places[span * width + i]);
        }
    }
}

static bool drives_are_distinct(const struct ddf_found *found)
{
    for (uint32_t i = 0; i < found->place_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (found->places[i].drive != DDF_NO_DRIVE &&
                found->places[i].drive == found->places[j].drive) {
                return false;
            }
        }
    }
    return true;
}

static void found_damaged(struct ddf_found *found, const char *why)
{
    found->state = DDF_FOUND_DAMAGED;
    found->why = why;
}

/* No extent may reach beyond what its drive has set aside for data. */
static bool extents_fit(const struct ddf_found *found)
{
    for (uint32_t i = 0; i < found->place_count; i++) {
        const struct ddf_place *place = &found->places[i];

        if (place->pd != NULL &&
            place->start_lba + found->record->member_sectors > place->pd->configured_sectors) {
            return false;
        }
    }
    return true;
}

/* The extent of a mirror may end behind it (ddf_level.c). */
static uint64_t size_bytes_of(const struct ddf_found *found)
{
    uint64_t size_bytes = geometry_size_bytes(&found->geometry);

    return found->geometry.level == RAID_LEVEL_1
               ? min_u64(size_bytes, found->record->member_sectors * DDF_SECTOR_BYTES)
               : size_bytes;
}

void ddf_set_examine(const struct ddf_set *set, uint32_t vd, struct ddf_found *ret_found)
{
    struct ddf_found *found = ret_found;

    ASSERT(set->newest != NULL && vd < set->newest->vd_count);
    *found = (struct ddf_found){.vd = &set->newest->vds[vd], .state = DDF_FOUND_OPTIMAL};
    found->inconsistent = (found->vd->state & DDF_VD_INCONSISTENT) != 0 ||
                          (found->vd->init & DDF_VD_INIT_MASK) != DDF_VD_INIT_FULL;
    found->record = record_any(set, &found->vd->guid);
    if (found->record == NULL) {
        found->state = DDF_FOUND_INCOMPLETE;
        found->why = "None of its drives are there.";
        return;
    }
    if ((uint32_t)found->record->member_count * found->record->span_count > GROUP_MEMBERS_MAX) {
        found->state = DDF_FOUND_UNSUPPORTED;
        found->why = "It has more members than are supported here.";
        return;
    }
    places_fill(set, found);
    if (found->state == DDF_FOUND_DAMAGED) {
        return;
    }
    if (!drives_are_distinct(found)) {
        found_damaged(found, "A drive has two places in it.");
    } else if (!extents_fit(found)) {
        found_damaged(found, "It reaches beyond the data area of a drive.");
    } else if (ddf_geometry_of(found->record, &found->geometry, &found->why) != 0) {
        found->state = DDF_FOUND_UNSUPPORTED;
    } else {
        found->size_bytes = size_bytes_of(found);
        state_settle(set, found);
    }
}
