/*
 * How wide the groups of simulated lives are: enough members and spans that each level shows what
 * it is, and few enough that a life is short. Some lives are wider (run_shape.c).
 */
#ifndef ARRAYWRIGHT_SIM_SHAPES_H
#define ARRAYWRIGHT_SIM_SHAPES_H

#include "raid/geometry.h"

struct shape_range {
    uint32_t spans_min, spans_max, width_min, width_max;
};

extern const struct shape_range shape_ranges[RAID_LEVEL_MAX];

#endif
