/*
 * Where a virtual drive's bytes live on its members. Pure arithmetic.
 *
 * A virtual drive is cut into rows. A row holds one strip on every member of one
 * span; data row r lies on span r mod span_count, as row r / span_count of that span
 * (design: 50/60; RAID 10 is span_count mirrored pairs and follows the same rule).
 * Members are numbered span by span: member = span * members_per_span + place.
 *
 * Layouts (DDF, so that stock Linux can assemble them):
 *   RAID 0        strips in member order
 *   RAID 1        every member of the span holds the same strip (n copies)
 *   RAID 5        left-symmetric: P on place n-1-(s mod n), data from P+1 on, cyclic
 *   RAID 6        N-continue: P on place n-1-(s mod n), Q on P-1 (mod n), data from
 *                 P+1 on, cyclic; Q's exponent of a member is its place, the P and Q
 *                 places counting as zeros
 * where n = members_per_span and s = the row within the span.
 */
#ifndef ARRAYWRIGHT_RAID_GEOMETRY_H
#define ARRAYWRIGHT_RAID_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/attrs.h"

#define RAID_MEMBERS_MAX 256u
#define RAID_SPAN_MEMBERS_MAX 32u
#define RAID_SPANS_MAX 128u
#define RAID_STRIP_MIN_BYTES (8u * 1024u)
#define RAID_STRIP_MAX_BYTES (1024u * 1024u)

enum raid_level {
    RAID_LEVEL_0,
    RAID_LEVEL_1,
    RAID_LEVEL_5,
    RAID_LEVEL_6,
    RAID_LEVEL_10,
    RAID_LEVEL_50,
    RAID_LEVEL_60,
    RAID_LEVEL_MAX
};

/* One line per level: what it needs and what it bears. */
struct raid_level_info {
    const char *name;            /* "RAID5", as in StorCLI's TYPE column */
    uint32_t span_members_min;
    uint32_t span_members_max;
    uint32_t spans_min;
    uint32_t spans_max;
    uint32_t parity_count;       /* strips of a row that hold parity */
    bool mirrored;               /* every member of a span holds the same strip */
    bool striped_spans;          /* the level is made of several spans */
};

extern const struct raid_level_info raid_level_infos[RAID_LEVEL_MAX];

static inline const struct raid_level_info *raid_level_info(enum raid_level level)
{
    ASSERT((unsigned int)level < RAID_LEVEL_MAX);
    return &raid_level_infos[level];
}

/* "raid5", "r5", "RAID5", "5" -> RAID_LEVEL_5. Returns 0 or -EINVAL. */
MUST_CHECK int raid_level_parse(const char *text, enum raid_level *ret_level);

struct geometry {
    enum raid_level level;
    uint32_t span_count;
    uint32_t members_per_span;
    uint32_t strip_bytes;
    uint32_t block_bytes;        /* logical block of the virtual drive: 512 or 4096 */
    uint64_t extent_bytes;       /* per member, a multiple of strip_bytes */
};

/* Checks every field. Returns 0 or -EINVAL; *ret_why is then a sentence. */
MUST_CHECK int geometry_check(const struct geometry *geometry, const char **ret_why);

uint32_t geometry_member_count(const struct geometry *geometry);
/* Data strips of a row. */
static inline uint32_t geometry_data_strips(const struct geometry *geometry)
{
    const struct raid_level_info *info = raid_level_info(geometry->level);

    if (info->mirrored) {
        return 1;
    }
    ASSERT(geometry->members_per_span > info->parity_count);
    return geometry->members_per_span - info->parity_count;
}

/* Bytes of data in a row. */
static inline uint32_t geometry_row_bytes(const struct geometry *geometry)
{
    ASSERT(geometry->strip_bytes <= RAID_STRIP_MAX_BYTES);
    return geometry_data_strips(geometry) * geometry->strip_bytes;
}

uint64_t geometry_row_count(const struct geometry *geometry);
uint64_t geometry_size_bytes(const struct geometry *geometry);
/* How many members of one span may be lost: mirrors n-1, RAID 5 1, RAID 6 2, RAID 0 0. */
uint32_t geometry_span_tolerance(const struct geometry *geometry);

/* The members of one row by role. Places are within the span; member = span_base + place. */
struct row_map {
    uint64_t row;                /* row of the virtual drive */
    uint32_t span;
    uint32_t span_base;          /* first member of the span */
    uint32_t width;              /* members_per_span */
    uint64_t member_offset_bytes;/* of the strip within each member's extent */
    uint32_t data_count;
    uint8_t data_place[RAID_SPAN_MEMBERS_MAX]; /* data strip d -> place; mirrors: [0] = 0 */
    int8_t p_place;              /* -1 if none */
    int8_t q_place;              /* -1 if none */
};

void geometry_row_map(const struct geometry *geometry, uint64_t row, struct row_map *ret_map);

/* A byte of the virtual drive -> its row, data strip and offset in the strip. */
struct strip_position {
    uint64_t row;
    uint32_t data_index;
    uint32_t offset_bytes;
};

void geometry_locate(const struct geometry *geometry, uint64_t offset_bytes,
                     struct strip_position *ret_position);

#endif
