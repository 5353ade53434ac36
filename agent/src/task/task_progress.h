/* How far, how fast, how long: over a window of the last seconds. Pure. */
#ifndef ARRAYWRIGHT_TASK_TASK_PROGRESS_H
#define ARRAYWRIGHT_TASK_TASK_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_SAMPLES 11u /* one a second: a window of ten */

struct task_progress {
    struct {
        uint64_t now_us;
        uint64_t done_bytes;
    } samples[PROGRESS_SAMPLES];
    uint32_t count; /* samples taken, at most PROGRESS_SAMPLES are kept */
    uint64_t reported_us;
    uint32_t reported_percent;
};

/* Forgets the window: after a pause the old speed says nothing. */
void task_progress_reset(struct task_progress *progress, uint64_t now_us, uint64_t done_bytes);
void task_progress_note(struct task_progress *progress, uint64_t now_us, uint64_t done_bytes);
uint64_t task_progress_speed(const struct task_progress *progress);
/* Seconds, rounded up; -1 while the window is too short to tell. */
int64_t task_progress_time_left_s(const struct task_progress *progress, uint64_t done_bytes,
                                  uint64_t total_bytes);
/* True once per per cent or second, whichever comes first. */
bool task_progress_is_due(struct task_progress *progress, uint64_t now_us, uint64_t done_bytes,
                          uint64_t total_bytes);

#endif
