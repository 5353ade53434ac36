/*
 * Where a virtual drive's bytes live on its members. Pure arithmetic.
 *
 * A virtual drive is cut into rows. A row holds one strip on every member of one
 * span; data row r lies on span r mod span_count, as row r / span_count of that span
 * (design: 50/60; RAID 10 is span_count mirrored pairs and follows the same rule). RAID 1E has
 * rows of two places: pairs of neighboring members, going round.
 * Members are numbered span by span: member = span * members_per_span + place.
 *
 * Layouts (DDF, so that stock Linux can assemble them):
 *   RAID 0        strips in member order
 *   RAID 1        every member of the span holds the same strip (n copies)
 *   RAID 1E       adjacent (PRL 11, RLQ 0; md's near-2): the copies of strip c are slots 2c and
 *                 2c+1, slot t is on member t mod n as strip t div n; with an odd n every second
 *                 round begins with a second copy, and its row spans two strips of the members
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
    RAID_LEVEL_1E,
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
    bool mirrored;               /* every place of a row holds the same strip */
    bool striped_spans;          /* the level is made of several spans */
    bool adjacent_pairs;         /* mirrored, but on two neighboring members only: RAID 1E */
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
/* Rows that lie wholly within the first `bytes` of every extent. */
uint64_t geometry_rows_within(const struct geometry *geometry, uint64_t bytes);
/* Whole strips of every extent that hold nothing of any row from `rows` on. */
uint64_t geometry_bytes_before(const struct geometry *geometry, uint64_t rows);
/* The extent that so many rows need. */
uint64_t geometry_extent_for(const struct geometry *geometry, uint64_t rows);
/* Bytes of data for so many bytes of every member, whatever the strip. */
uint64_t geometry_data_bytes(const struct geometry *geometry, uint64_t member_bytes);
/* Rows side by side: after so many, every member has moved on by a strip at least. */
uint32_t geometry_rows_abreast(const struct geometry *geometry);
/* Places of a row: the members of a span, or the two of a pair. */
uint32_t geometry_row_width(const struct geometry *geometry);
/* Data strips that a member holds in rows [row, row + rows) of a level with parity. */
uint64_t geometry_member_data_strips(const struct geometry *geometry, uint32_t member, uint64_t row,
                                     uint64_t rows);
/* How many members of one span may be lost, whichever they are: mirrors n-1, RAID 5 and 1E 1,
 * RAID 6 2, RAID 0 0. */
uint32_t geometry_span_tolerance(const struct geometry *geometry);
/* With the members of the mask (bits within the span) lost: how many more may be lost, whichever
 * they are; negative: data are missing. */
int geometry_losses_left(const struct geometry *geometry, uint32_t lost);

/* The members of one row by role. */
struct row_map {
    uint64_t row;                /* row of the virtual drive */
    uint32_t span;
    uint32_t span_base;          /* member of place 0 */
    uint32_t width;              /* places */
    uint32_t wrap;               /* RAID 1E: places from here on go on at member 0, */
    uint32_t wrap_bytes;         /* so much further; else as many as places, and 0 */
    uint64_t member_offset_bytes;/* of the strip within the extent of place 0's member */
    uint32_t data_count;
    uint8_t data_place[RAID_SPAN_MEMBERS_MAX]; /* data strip d -> place; mirrors: [0] = 0 */
    int8_t p_place;              /* -1 if none */
    int8_t q_place;              /* -1 if none */
};

void geometry_row_map(const struct geometry *geometry, uint64_t row, struct row_map *ret_map);
/* The same for who wants one data strip only: data_place is left as it was. Returns the place of
 * that strip; mirrors: 0. */
uint32_t geometry_strip_map(const struct geometry *geometry, uint64_t row, uint32_t data_index,
                            struct row_map *ret_map);

static inline uint32_t row_map_member(const struct row_map *map, uint32_t place)
{
    return place < map->wrap ? map->span_base + place : place - map->wrap;
}

/* Where the strip of a place begins within its member's extent. */
static inline uint64_t row_map_offset(const struct row_map *map, uint32_t place)
{
    return map->member_offset_bytes + (place < map->wrap ? 0 : map->wrap_bytes);
}

/* A byte of a member's extent -> its row and place. False: no row uses it. */
MUST_CHECK bool geometry_row_at(const struct geometry *geometry, uint32_t member,
                                uint64_t offset_bytes, uint64_t *ret_row, uint32_t *ret_place);

/* A byte of the virtual drive -> its row, data strip and offset in the strip. */
struct strip_position {
    uint64_t row;
    uint32_t data_index;
    uint32_t offset_bytes;
};

void geometry_locate(const struct geometry *geometry, uint64_t offset_bytes,
                     struct strip_position *ret_position);

#endif
