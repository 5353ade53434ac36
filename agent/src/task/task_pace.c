/* See task_pace.h. */
#include "task/task_pace.h"

#include "base/assert.h"
#include "base/checked.h"

#define SPEED_FLOOR_BYTES_PER_S (UINT64_C(1) << 20)

uint64_t task_pause_us(uint32_t rate_percent, uint64_t service_us, uint64_t step_us,
                       uint64_t step_bytes)
{
    uint64_t floor_us = step_bytes * 1000000u / SPEED_FLOOR_BYTES_PER_S;
    uint64_t wanted_us = 0;

    ASSERT(rate_percent <= 100);
    if (rate_percent == 0) {
        return floor_us;
    }
    wanted_us = service_us * 100 / rate_percent;
    return min_u64(wanted_us - min_u64(wanted_us, step_us), floor_us);
}
