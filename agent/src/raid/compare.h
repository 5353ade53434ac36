/*
 * Does the redundancy of a row agree with its data, and if not, which of its columns does not
 * agree with all the others? Pure; the counterpart of plan.h for the consistency check.
 *
 * (1) A column is named only if it alone explains everything that is wrong: with P and Q, or where
 *     more than half of the copies are the same. Nothing is ever named for one parity or for two
 *     copies.
 */
#ifndef ARRAYWRIGHT_RAID_COMPARE_H
#define ARRAYWRIGHT_RAID_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "raid/geometry.h"

struct comparison {
    const struct row_map *map;
    bool mirrored;
    uint32_t valid;          /* places whose columns hold what is on their members */
    uint8_t **columns; /* one per place; at most as many as can be recovered are not valid */
    uint8_t *scratch[2]; /* parity: as long as a column */
    size_t bytes; /* of each column, a multiple of 512 */
};

/* So many places of a row must be valid for a comparison to say anything: more than hold its
 * data. */
bool compare_is_possible(const struct row_map *map, bool mirrored, uint32_t valid);
/* Columns of data that are not valid are recovered in place. */
bool compare_agrees(const struct comparison *comparison);
/* What does not agree: the places that alone explain it (1); 0: not known. With mirrors
 * *ret_source is a place that has what they should have. Parity: right after compare_agrees() has
 * said no. */
uint32_t compare_locate(const struct comparison *comparison, uint32_t *ret_source);

#endif
