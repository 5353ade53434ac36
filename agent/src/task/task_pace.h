/* How long background work rests after a step. Pure. */
#ifndef ARRAYWRIGHT_TASK_TASK_PACE_H
#define ARRAYWRIGHT_TASK_TASK_PACE_H

#include <stdint.h>

/* How soon an idle foreground is noticed during a pause. */
#define TASK_PAUSE_SLICE_US UINT64_C(20000)

/* Rate r: r percent of the drives' service time while the foreground is busy. A step that took s
 * of it in a time of t is followed by a pause of s * 100 / r - t, if anything: what the foreground
 * took meanwhile counts. The floor of 1 MiB/s bounds the pause. */
uint64_t task_pause_us(uint32_t rate_percent, uint64_t service_us, uint64_t step_us,
                       uint64_t step_bytes);

#endif
