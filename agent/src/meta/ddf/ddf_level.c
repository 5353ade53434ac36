/*
 * DDF's words for RAID levels. The layouts of RAID 5 and 6 run here are left-symmetric (N
 * continue); others are known by name only.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "meta/ddf/ddf_group.h"

#define LEVEL_MIRROR 0x01u
#define SECONDARY_NONE 0xFFu
#define SECONDARY_STRIPED 0u
#define SECONDARY_SPANNED 3u

/* 8 KiB and 1 MiB: RAID_STRIP_MIN_BYTES, RAID_STRIP_MAX_BYTES. */
#define STRIP_SHIFT_MIN 4u
#define STRIP_SHIFT_MAX 11u
STATIC_ASSERT(DDF_SECTOR_BYTES << STRIP_SHIFT_MIN == RAID_STRIP_MIN_BYTES &&
                  DDF_SECTOR_BYTES << STRIP_SHIFT_MAX == RAID_STRIP_MAX_BYTES,
              "the strips run here");

/* Spans are written as "spanned" (3), as mdadm and the usual cards do; striped (0) means the
 * same data row by row. */
static const struct {
    enum raid_level level;
    uint8_t primary;
    uint8_t qualifier;
    bool spans;
} levels[] = {
    {RAID_LEVEL_0, 0x00, 0, false}, {RAID_LEVEL_1, 0x01, 0, false},  {RAID_LEVEL_5, 0x05, 3, false},
    {RAID_LEVEL_6, 0x06, 3, false}, {RAID_LEVEL_10, 0x01, 0, true},  {RAID_LEVEL_50, 0x05, 3, true},
    {RAID_LEVEL_60, 0x06, 3, true}, {RAID_LEVEL_1E, 0x11, 0, false},
};
#define LEVEL_COUNT (sizeof(levels) / sizeof(levels[0]))

/* Of mirrors the qualifier tells pairs from more, of other levels the layout. */
static uint8_t qualifier_of(size_t index, uint32_t members)
{
    return levels[index].primary == LEVEL_MIRROR && members > 2 ? 1 : levels[index].qualifier;
}

int ddf_level_of(const struct geometry *geometry, struct ddf_level *ret_level)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (levels[i].level != geometry->level) {
            continue;
        }
        *ret_level = (struct ddf_level){
            .level = levels[i].primary,
            .qualifier = qualifier_of(i, geometry->members_per_span),
            .secondary = levels[i].spans ? SECONDARY_SPANNED : SECONDARY_NONE,
        };
        return 0;
    }
    return -EOPNOTSUPP;
}

static int level_find(const struct ddf_record *record, enum raid_level *ret_level)
{
    bool spans = record->span_count > 1;

    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (levels[i].primary == record->level && levels[i].spans == spans &&
            qualifier_of(i, record->member_count) == record->qualifier) {
            *ret_level = levels[i].level;
            return 0;
        }
    }
    return -EOPNOTSUPP;
}

/* A mirror of one span has no strips: its field may hold anything. Ours divides the extent, so
 * that no end of it is lost; if none does, the extent goes on to the end of the smallest one. */
static void mirror_extent_make(const struct ddf_record *record, struct geometry *geometry)
{
    uint64_t sectors = align_up_u64(record->member_sectors, UINT64_C(1) << STRIP_SHIFT_MIN);
    uint32_t shift = 7; /* 64 KiB */

    if (record->strip_shift >= STRIP_SHIFT_MIN && record->strip_shift <= STRIP_SHIFT_MAX &&
        is_aligned_u64(sectors, UINT64_C(1) << record->strip_shift)) {
        shift = record->strip_shift;
    }
    while (!is_aligned_u64(sectors, UINT64_C(1) << shift)) {
        shift--;
    }
    ASSERT(shift >= STRIP_SHIFT_MIN);
    geometry->strip_bytes = DDF_SECTOR_BYTES << shift;
    geometry->extent_bytes = sectors * DDF_SECTOR_BYTES;
}

int ddf_geometry_of(const struct ddf_record *record, struct geometry *ret_geometry,
                    const char **ret_why)
{
    struct geometry geometry = {.span_count = record->span_count,
                                .members_per_span = record->member_count,
                                .block_bytes = 512};

    if (level_find(record, &geometry.level) != 0) {
        *ret_why = "Its level or layout is not supported here.";
        return -EOPNOTSUPP;
    }
    if (record->span_count > 1 && record->secondary_level != SECONDARY_STRIPED &&
        record->secondary_level != SECONDARY_SPANNED) {
        *ret_why = "Its way of joining spans is not supported here.";
        return -EOPNOTSUPP;
    }
    if (geometry.level == RAID_LEVEL_1) {
        mirror_extent_make(record, &geometry);
    } else if (record->strip_shift >= STRIP_SHIFT_MIN && record->strip_shift <= STRIP_SHIFT_MAX) {
        geometry.strip_bytes = DDF_SECTOR_BYTES << record->strip_shift;
        geometry.extent_bytes =
            align_down_u64(record->member_sectors * DDF_SECTOR_BYTES, geometry.strip_bytes);
    } else {
        *ret_why = "Its strip size is not supported here.";
        return -EOPNOTSUPP;
    }
    if (geometry_check(&geometry, ret_why) != 0) {
        return -EOPNOTSUPP;
    }
    *ret_geometry = geometry;
    return 0;
}

void ddf_level_name(const struct ddf_record *record, char out[32])
{
    static const struct {
        uint8_t primary;
        uint8_t qualifier;
        const char *name;
    } names[] = {
        {0x00, 0, "RAID0"},
        {0x01, 0, "RAID1"},
        {0x01, 1, "RAID1"},
        {0x03, 0, "RAID3 (parity first)"},
        {0x03, 1, "RAID3 (parity last)"},
        {0x04, 0, "RAID4 (parity first)"},
        {0x04, 1, "RAID4"},
        {0x05, 0, "RAID5 (zero restart)"},
        {0x05, 2, "RAID5 (N restart)"},
        {0x05, 3, "RAID5"},
        {0x06, 1, "RAID6 (zero restart)"},
        {0x06, 2, "RAID6 (N restart)"},
        {0x06, 3, "RAID6"},
        {0x0F, 0, "JBOD"},
        {0x11, 0, "RAID1E"},
        {0x11, 1, "RAID1E (offset)"},
        {0x1F, 0, "concatenation"},
    };
    const char *name = NULL;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].primary == record->level && names[i].qualifier == record->qualifier) {
            name = names[i].name;
        }
    }
    if (name == NULL) {
        (void)snprintf(out, 32, "level %02X/%02X", record->level, record->qualifier);
    } else if (record->span_count > 1) { /* RAID10, RAID50, … */
        (void)snprintf(out, 32, "%.5s0%s", name, name + min_u64(strlen(name), 5));
    } else {
        (void)snprintf(out, 32, "%s", name);
    }
}
