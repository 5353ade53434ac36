/*
 * What a drive says of its own health, as smartctl reads it (S.M.A.R.T.).
 */
#ifndef ARRAYWRIGHT_DRIVE_DRIVE_HEALTH_H
#define ARRAYWRIGHT_DRIVE_DRIVE_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/reason.h"
#include "base/words.h"

struct drive_health {
    enum smart_state state;
    struct reason reason; /* why it is so; REASON_OK: the state says it all */
    uint64_t checked_us;  /* wall: when it last answered; 0: never */
    bool told[SMART_FIGURE_MAX];
    uint64_t figures[SMART_FIGURE_MAX];
};

/* More than that no drive can mean. */
static inline uint64_t smart_figure_max(enum smart_figure figure)
{
    switch (figure) {
    case SMART_FIGURE_TEMPERATURE_C:
    case SMART_FIGURE_WEAR_PERCENT: /* 255: 254 % and more (NVMe 5.16.1.3) */
        return 255;
    case SMART_FIGURE_POWER_ON_HOURS:
    case SMART_FIGURE_REALLOCATED_SECTORS:
    case SMART_FIGURE_PENDING_SECTORS:
    case SMART_FIGURE_MEDIA_ERRORS:
        return UINT64_C(1) << 48;
    case SMART_FIGURE_MAX:
        break;
    }
    UNREACHABLE();
}

#endif
