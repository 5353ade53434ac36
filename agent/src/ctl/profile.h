/*
 * What a model of controller can do and permits: plain data, read from a file below the line.
 */
#ifndef ARRAYWRIGHT_CTL_PROFILE_H
#define ARRAYWRIGHT_CTL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "raid/geometry.h"

struct controller_profile {
    char name[33];
    char model[41];
    uint32_t ports;              /* drives it takes; 0: as many as there are */
    bool has_cache;
    uint64_t cache_bytes;        /* at most; 0: as much as is fitted */
    enum no_battery_rule no_battery_rule;
    struct {
        bool offered;
        uint32_t drives_min;     /* 0: as few as the level takes */
    } levels[RAID_LEVEL_MAX];
};

/* The controller this program is, without artificial limits. */
void controller_profile_native(struct controller_profile *ret_profile);

#endif
