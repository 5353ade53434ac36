/* See compare.h. */
#include "raid/compare.h"

#include <string.h>

#include "raid/parity.h"

static uint32_t bit_of(int place)
{
    ASSERT(place >= 0 && place < (int)RAID_SPAN_MEMBERS_MAX);
    return UINT32_C(1) << place;
}

static uint32_t places_of(const struct row_map *map)
{
    return UINT32_MAX >> (RAID_SPAN_MEMBERS_MAX - map->width);
}

static uint32_t bit_count(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

bool compare_is_possible(const struct row_map *map, bool mirrored, uint32_t valid)
{
    ASSERT((valid & ~places_of(map)) == 0);
    return bit_count(valid) > (mirrored ? 1 : map->data_count);
}

static bool is_same(const struct comparison *comparison, uint32_t a, uint32_t b)
{
    return memcmp(comparison->columns[a], comparison->columns[b], comparison->bytes) == 0;
}

/* Mirrors */

/* The copies that are the same as that of a place. */
static uint32_t same_as(const struct comparison *comparison, uint32_t place)
{
    uint32_t same = 0;

    for (uint32_t left = comparison->valid; left != 0; left &= left - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(left);

        same |= is_same(comparison, place, other) ? bit_of((int)other) : 0;
    }
    return same;
}

static uint32_t copies_locate(const struct comparison *comparison, uint32_t *ret_source)
{
    for (uint32_t left = comparison->valid; left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);
        uint32_t same = same_as(comparison, place);

        if (2 * bit_count(same) > bit_count(comparison->valid)) {
            *ret_source = place;
            return comparison->valid & ~same;
        }
    }
    return 0;
}

/* Parity */

static bool is_zero(const uint8_t *bytes, size_t count)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

/* The difference between a parity column and what the data make of it; zeros if it is not valid. */
static void syndrome(const struct comparison *comparison, int place, uint8_t *computed)
{
    uint8_t *sources[2] = {computed, NULL};

    if ((comparison->valid & bit_of(place)) == 0) {
        memset(computed, 0, comparison->bytes);
        return;
    }
    sources[1] = comparison->columns[place];
    parity_xor(computed, sources, 2, comparison->bytes);
}

static bool parity_agrees(const struct comparison *comparison)
{
    const struct row_map *map = comparison->map;
    uint32_t parity = bit_of(map->p_place) | (map->q_place < 0 ? 0 : bit_of(map->q_place));
    uint32_t missing = places_of(map) & ~parity & ~comparison->valid;
    uint8_t *columns[RAID_SPAN_MEMBERS_MAX];

    if (missing != 0) { /* P is there then, or it could not be compared */
        parity_recover(comparison->columns, map->width, map->p_place, map->q_place, missing,
                       comparison->bytes);
    }
    memcpy(columns, comparison->columns, map->width * sizeof(columns[0]));
    columns[map->p_place] = comparison->scratch[0];
    if (map->q_place >= 0) {
        columns[map->q_place] = comparison->scratch[1];
    }
    parity_generate(columns, map->width, map->p_place, map->q_place, comparison->bytes);
    syndrome(comparison, map->p_place, comparison->scratch[0]);
    if (map->q_place >= 0) {
        syndrome(comparison, map->q_place, comparison->scratch[1]);
    }
    return is_zero(comparison->scratch[0], comparison->bytes) &&
           (map->q_place < 0 || is_zero(comparison->scratch[1], comparison->bytes));
}

/* What P lacks is what one column of data has too much. If that column is this one, Q lacks as much
 * times its coefficient. */
static bool explains(const struct comparison *comparison, uint32_t place)
{
    uint8_t *q = comparison->scratch[1];
    bool all = false;

    parity_update(NULL, q, place, comparison->scratch[0], comparison->bytes);
    all = is_zero(q, comparison->bytes);
    parity_update(NULL, q, place, comparison->scratch[0], comparison->bytes); /* as it was */
    return all;
}

static uint32_t parity_locate(const struct comparison *comparison)
{
    const struct row_map *map = comparison->map;

    if (map->q_place < 0 || comparison->valid != places_of(map)) {
        return 0;
    }
    if (is_zero(comparison->scratch[1], comparison->bytes)) {
        return bit_of(map->p_place);
    }
    if (is_zero(comparison->scratch[0], comparison->bytes)) {
        return bit_of(map->q_place);
    }
    for (uint32_t d = 0; d < map->data_count; d++) {
        if (explains(comparison, map->data_place[d])) {
            return bit_of(map->data_place[d]);
        }
    }
    return 0;
}

bool compare_agrees(const struct comparison *comparison)
{
    ASSERT(compare_is_possible(comparison->map, comparison->mirrored, comparison->valid));
    if (comparison->mirrored) {
        return same_as(comparison, (uint32_t)__builtin_ctz(comparison->valid)) == comparison->valid;
    }
    return parity_agrees(comparison);
}

uint32_t compare_locate(const struct comparison *comparison, uint32_t *ret_source)
{
    return comparison->mirrored ? copies_locate(comparison, ret_source) : parity_locate(comparison);
}
