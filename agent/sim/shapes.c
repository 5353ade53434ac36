/*
 * See shapes.h.
 */
#include "shapes.h"

const struct shape_range shape_ranges[RAID_LEVEL_MAX] = {
    [RAID_LEVEL_0] = {1, 1, 2, 5},  [RAID_LEVEL_1] = {1, 1, 2, 3},  [RAID_LEVEL_5] = {1, 1, 3, 6},
    [RAID_LEVEL_6] = {1, 1, 4, 7},  [RAID_LEVEL_10] = {2, 3, 2, 2}, [RAID_LEVEL_50] = {2, 2, 3, 4},
    [RAID_LEVEL_60] = {2, 2, 4, 5}, [RAID_LEVEL_1E] = {1, 1, 3, 7},
};
