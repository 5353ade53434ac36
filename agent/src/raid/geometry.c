/*
 * The arithmetic behind geometry.h. Every function takes a geometry that has passed
 * geometry_check(); what that proved is asserted here only where it is cheap.
 *
 * (1) Every byte of the virtual drive lies on exactly one data strip of one row, and
 *     every strip of every member belongs to exactly one row.
 * (2) No product below can overflow: geometry_check() has proved that even the sum of
 *     all members' extents fits 64 bits.
 */
#include "raid/geometry.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/sim_bug.h"

/* RAID 1E keeps two copies. */
#define PAIR_PLACES 2u

static bool level_is_known(enum raid_level level)
{
    return (unsigned int)level < RAID_LEVEL_MAX;
}

/* NULL if the members and spans suit the level, else the complaint. */
static const char *members_complaint(const struct geometry *geometry)
{
    const struct raid_level_info *info = raid_level_info(geometry->level);

    if (geometry->span_count < info->spans_min) {
        return "The RAID level needs more spans.";
    }
    if (geometry->span_count > info->spans_max) {
        return "The RAID level does not take that many spans.";
    }
    if (geometry->members_per_span < info->span_members_min) {
        return "The RAID level needs more drives per span.";
    }
    if (geometry->members_per_span > info->span_members_max) {
        return "The RAID level does not take that many drives per span.";
    }
    if (geometry->span_count * geometry->members_per_span > RAID_MEMBERS_MAX) {
        return "A virtual drive cannot have more than 256 drives.";
    }
    return NULL;
}

/* NULL if strip, block and extent are good, else the complaint. */
static const char *sizes_complaint(const struct geometry *geometry)
{
    uint64_t members = geometry->span_count * geometry->members_per_span;
    uint64_t total_bytes = 0;

    if (geometry->strip_bytes < RAID_STRIP_MIN_BYTES) {
        return "The strip must be at least 8 KiB.";
    }
    if (geometry->strip_bytes > RAID_STRIP_MAX_BYTES) {
        return "The strip must be at most 1 MiB.";
    }
    if (!is_power_of_two(geometry->strip_bytes)) {
        return "The strip must be a power of two.";
    }
    if (geometry->block_bytes != 512 && geometry->block_bytes != 4096) {
        return "The logical block must be 512 or 4096 bytes.";
    }
    if (geometry->extent_bytes == 0) {
        return "The extent on the drives is empty.";
    }
    if (!is_aligned_u64(geometry->extent_bytes, geometry->strip_bytes)) {
        return "The extent on the drives must be a multiple of the strip.";
    }
    if (!checked_mul_u64(geometry->extent_bytes, members, &total_bytes)) {
        return "The extent on the drives is too large.";
    }
    return NULL;
}

int geometry_check(const struct geometry *geometry, const char **ret_why)
{
    const char *why = NULL;

    ASSERT(geometry != NULL);
    ASSERT(ret_why != NULL);
    if (!level_is_known(geometry->level)) {
        why = "The RAID level is unknown.";
    }
    if (why == NULL) {
        why = members_complaint(geometry);
    }
    if (why == NULL) {
        why = sizes_complaint(geometry);
    }
    if (why != NULL) {
        *ret_why = why;
        return -EINVAL;
    }
    return 0;
}

uint32_t geometry_member_count(const struct geometry *geometry)
{
    uint32_t count = geometry->span_count * geometry->members_per_span;

    ASSERT(count > 0);
    ASSERT(count <= RAID_MEMBERS_MAX);
    return count;
}

/* Strips on one member. */
static uint64_t strips_per_member(const struct geometry *geometry)
{
    ASSERT(geometry->strip_bytes >= RAID_STRIP_MIN_BYTES);
    ASSERT(is_aligned_u64(geometry->extent_bytes, geometry->strip_bytes));
    return geometry->extent_bytes / geometry->strip_bytes;
}

/* Rows per strip of every member, as a fraction: RAID 1E has half as many as members. */
static uint32_t rows_numerator(const struct geometry *geometry)
{
    return raid_level_info(geometry->level)->adjacent_pairs ? geometry->members_per_span
                                                            : geometry->span_count;
}

static uint32_t rows_denominator(const struct geometry *geometry)
{
    return raid_level_info(geometry->level)->adjacent_pairs ? PAIR_PLACES : 1;
}

uint64_t geometry_row_count(const struct geometry *geometry)
{
    return strips_per_member(geometry) * rows_numerator(geometry) / rows_denominator(geometry);
}

uint64_t geometry_rows_within(const struct geometry *geometry, uint64_t bytes)
{
    return bytes / geometry->strip_bytes * rows_numerator(geometry) / rows_denominator(geometry);
}

uint64_t geometry_bytes_before(const struct geometry *geometry, uint64_t rows)
{
    return rows * rows_denominator(geometry) / rows_numerator(geometry) * geometry->strip_bytes;
}

uint64_t geometry_extent_for(const struct geometry *geometry, uint64_t rows)
{
    return div_ceil_u64(rows * rows_denominator(geometry), rows_numerator(geometry)) *
           geometry->strip_bytes;
}

uint64_t geometry_data_bytes(const struct geometry *geometry, uint64_t member_bytes)
{
    return member_bytes * geometry_data_strips(geometry) * rows_numerator(geometry) /
           rows_denominator(geometry);
}

uint32_t geometry_rows_abreast(const struct geometry *geometry)
{
    return (rows_numerator(geometry) + rows_denominator(geometry) - 1) / rows_denominator(geometry);
}

uint32_t geometry_row_width(const struct geometry *geometry)
{
    return raid_level_info(geometry->level)->adjacent_pairs ? PAIR_PLACES
                                                            : geometry->members_per_span;
}

uint64_t geometry_size_bytes(const struct geometry *geometry)
{
    return geometry_row_count(geometry) * geometry_row_bytes(geometry); /* (2) */
}

uint32_t geometry_span_tolerance(const struct geometry *geometry)
{
    const struct raid_level_info *info = raid_level_info(geometry->level);

    return info->mirrored ? geometry_row_width(geometry) - 1 : info->parity_count;
}

/* Neighbors that hold the two copies of some strip: all, or with an even number those that
 * begin at an even place. */
static bool pair_is_lost(uint32_t members, uint32_t lost)
{
    uint32_t pairs = lost & (lost >> 1);

    if (members % PAIR_PLACES == 0) {
        return (pairs & UINT32_C(0x55555555)) != 0;
    }
    return pairs != 0 || ((lost & 1) != 0 && (lost >> (members - 1)) != 0);
}

int geometry_losses_left(const struct geometry *geometry, uint32_t lost)
{
    int tolerance = (int)geometry_span_tolerance(geometry);

    ASSERT(geometry->members_per_span == RAID_SPAN_MEMBERS_MAX ||
           lost >> geometry->members_per_span == 0);
    if (raid_level_info(geometry->level)->adjacent_pairs && lost != 0) {
        return pair_is_lost(geometry->members_per_span, lost) ? -1 : 0;
    }
    return tolerance - __builtin_popcount(lost);
}

/* (place + step) mod width, for 0 <= place, step < width. */
static uint32_t place_after(uint32_t place, uint32_t step, uint32_t width)
{
    uint32_t sum = place + step;

    ASSERT(place < width);
    ASSERT(step <= width);
    return sum >= width ? sum - width : sum;
}

/* P walks down one place per row; Q stands just before it. */
static void map_parity(struct row_map *map, uint64_t span_row, uint32_t parity_count)
{
    uint32_t width = map->width;
    /* Dividing 32 bits is cheaper, and few members have more rows. */
    uint32_t turn =
        span_row <= UINT32_MAX ? (uint32_t)span_row % width : (uint32_t)(span_row % width);
    uint32_t p_place = width - 1 - turn;

    ASSERT(parity_count == 1 || parity_count == 2);
    ASSERT(map->data_count == width - parity_count);
    map->p_place = (int8_t)p_place;
    if (parity_count == 2) {
        map->q_place = (int8_t)place_after(p_place, width - 1, width);
    }
}

/* Data follow P cyclically; without parity data strip d is on place d. */
static uint32_t data_place_of(const struct row_map *map, uint32_t data_index)
{
    uint32_t place = (uint32_t)(map->p_place + 1) + data_index;

    if (SIM_BUG(LAYOUT_WRONG) && map->p_place >= 0 && map->q_place < 0) { /* left-asymmetric */
        return data_index < (uint32_t)map->p_place ? data_index : data_index + 1;
    }
    return place >= map->width ? place - map->width : place;
}

/* The same without parity, for a whole row. */
static const uint8_t in_order[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                   16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
STATIC_ASSERT(sizeof(in_order) == sizeof(((struct row_map *)0)->data_place), "all places");

/* Slots 2 * row and the one after it. */
static void map_pair(const struct geometry *geometry, uint64_t row, struct row_map *ret_map)
{
    uint32_t members = geometry->members_per_span;
    uint64_t slot = row * PAIR_PLACES;
    uint32_t first = (uint32_t)(slot % members);

    *ret_map = (struct row_map){.row = row,
                                .span_base = first,
                                .width = PAIR_PLACES,
                                .wrap = min_u32(members - first, PAIR_PLACES),
                                .wrap_bytes = geometry->strip_bytes,
                                .member_offset_bytes = slot / members * geometry->strip_bytes,
                                .data_count = 1,
                                .p_place = -1,
                                .q_place = -1};
    if (SIM_BUG(PAIR_NOT_WRAPPED)) {
        ret_map->wrap_bytes = 0;
    }
    ASSERT(row < geometry_row_count(geometry));
    ASSERT(row_map_offset(ret_map, PAIR_PLACES - 1) <=
           geometry->extent_bytes - geometry->strip_bytes);
}

/* All but the data places. */
static void map_row(const struct geometry *geometry, uint64_t row, struct row_map *ret_map)
{
    const struct raid_level_info *info = raid_level_info(geometry->level);
    /* Most virtual drives have one span; a division is one of the dear things here. */
    uint64_t span_row = geometry->span_count == 1 ? row : row / geometry->span_count;

    if (info->adjacent_pairs) {
        map_pair(geometry, row, ret_map);
        return;
    }
    ret_map->row = row;
    ret_map->span = (uint32_t)(row - span_row * geometry->span_count);
    ret_map->span_base = ret_map->span * geometry->members_per_span;
    ret_map->width = geometry->members_per_span;
    ret_map->wrap = geometry->members_per_span;
    ret_map->wrap_bytes = 0;
    ret_map->member_offset_bytes = span_row * geometry->strip_bytes;
    ret_map->data_count = geometry_data_strips(geometry);
    ret_map->p_place = -1;
    ret_map->q_place = -1;
    if (info->parity_count > 0) {
        map_parity(ret_map, span_row, info->parity_count);
    }
    /* With it the row exists: the strip lies inside the extent. */
    ASSERT(ret_map->member_offset_bytes <= geometry->extent_bytes - geometry->strip_bytes);
}

void geometry_row_map(const struct geometry *geometry, uint64_t row, struct row_map *ret_map)
{
    map_row(geometry, row, ret_map);
    if (ret_map->p_place < 0) {
        memcpy(ret_map->data_place, in_order, sizeof(in_order));
        return;
    }
    for (uint32_t i = 0; i < ret_map->data_count; i++) {
        ret_map->data_place[i] = (uint8_t)data_place_of(ret_map, i);
    }
}

static bool row_map_has_data(const struct row_map *map, uint32_t member)
{
    for (uint32_t d = 0; d < map->data_count; d++) {
        if (row_map_member(map, map->data_place[d]) == member) {
            return true;
        }
    }
    return false;
}

uint64_t geometry_member_data_strips(const struct geometry *geometry, uint32_t member, uint64_t row,
                                     uint64_t rows)
{
    uint64_t period = (uint64_t)geometry->members_per_span * geometry->span_count;
    uint64_t strips = rows / period * geometry_data_strips(geometry);

    ASSERT(raid_level_info(geometry->level)->parity_count > 0);
    ASSERT(rows <= geometry_row_count(geometry) && row <= geometry_row_count(geometry) - rows);
    for (uint64_t i = row; i < row + rows % period; i++) { /* parity comes round with the period */
        struct row_map map;

        geometry_row_map(geometry, i, &map);
        strips += row_map_has_data(&map, member) ? 1 : 0;
    }
    return strips;
}

uint32_t geometry_strip_map(const struct geometry *geometry, uint64_t row, uint32_t data_index,
                            struct row_map *ret_map)
{
    map_row(geometry, row, ret_map);
    ASSERT(data_index < ret_map->data_count);
    return data_place_of(ret_map, data_index);
}

bool geometry_row_at(const struct geometry *geometry, uint32_t member, uint64_t offset_bytes,
                     uint64_t *ret_row, uint32_t *ret_place)
{
    uint64_t strip = offset_bytes / geometry->strip_bytes;

    ASSERT(member < geometry_member_count(geometry) && offset_bytes < geometry->extent_bytes);
    if (raid_level_info(geometry->level)->adjacent_pairs) {
        uint64_t slot = strip * geometry->members_per_span + member;

        *ret_row = slot / PAIR_PLACES;
        *ret_place = (uint32_t)(slot % PAIR_PLACES);
    } else {
        *ret_row = strip * geometry->span_count + member / geometry->members_per_span;
        *ret_place = member % geometry->members_per_span;
    }
    return *ret_row < geometry_row_count(geometry);
}

void geometry_locate(const struct geometry *geometry, uint64_t offset_bytes,
                     struct strip_position *ret_position)
{
    uint32_t row_bytes = geometry_row_bytes(geometry);
    uint32_t in_row_bytes = (uint32_t)(offset_bytes % row_bytes);

    ASSERT(offset_bytes < geometry_size_bytes(geometry));
    ret_position->row = offset_bytes / row_bytes;
    ret_position->data_index = in_row_bytes / geometry->strip_bytes;
    ret_position->offset_bytes = in_row_bytes % geometry->strip_bytes;
    ASSERT(ret_position->row < geometry_row_count(geometry));
    ASSERT(ret_position->data_index < geometry_data_strips(geometry));
}
