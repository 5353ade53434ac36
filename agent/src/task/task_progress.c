/* See task_progress.h. Samples lie in a ring; sample i is at i % PROGRESS_SAMPLES. */
#include "task/task_progress.h"

#include "base/assert.h"
#include "base/checked.h"

#define SAMPLE_INTERVAL_US UINT64_C(1000000)
#define SPEED_SPAN_MIN_US UINT64_C(500000)

void task_progress_reset(struct task_progress *progress, uint64_t now_us, uint64_t done_bytes)
{
    progress->count = 1;
    progress->samples[0].now_us = now_us;
    progress->samples[0].done_bytes = done_bytes;
}

void task_progress_note(struct task_progress *progress, uint64_t now_us, uint64_t done_bytes)
{
    uint32_t newest = (progress->count - 1) % PROGRESS_SAMPLES;
    uint32_t before;

    ASSERT(progress->count > 0);
    ASSERT(now_us >= progress->samples[newest].now_us);
    before = (newest + PROGRESS_SAMPLES - 1) % PROGRESS_SAMPLES;
    /* The newest sample moves along until it is a second away from the one before it. */
    if (progress->count == 1 ||
        progress->samples[newest].now_us - progress->samples[before].now_us >= SAMPLE_INTERVAL_US) {
        newest = progress->count % PROGRESS_SAMPLES;
        progress->count++;
        if (progress->count == 2 * PROGRESS_SAMPLES) {
            progress->count = PROGRESS_SAMPLES; /* same place in the ring, no overflow */
        }
    }
    progress->samples[newest].now_us = now_us;
    progress->samples[newest].done_bytes = done_bytes;
}

static bool window(const struct task_progress *progress, uint64_t *ret_us, uint64_t *ret_bytes)
{
    uint32_t newest = (progress->count - 1) % PROGRESS_SAMPLES;
    uint32_t oldest = progress->count > PROGRESS_SAMPLES ? progress->count % PROGRESS_SAMPLES : 0;

    ASSERT(progress->count > 0);
    if (progress->samples[newest].now_us < progress->samples[oldest].now_us ||
        progress->samples[newest].done_bytes < progress->samples[oldest].done_bytes) {
        return false;
    }
    *ret_us = progress->samples[newest].now_us - progress->samples[oldest].now_us;
    *ret_bytes = progress->samples[newest].done_bytes - progress->samples[oldest].done_bytes;
    return *ret_us >= SPEED_SPAN_MIN_US;
}

uint64_t task_progress_speed(const struct task_progress *progress)
{
    uint64_t span_us;
    uint64_t bytes;

    if (progress->count == 0 || !window(progress, &span_us, &bytes)) {
        return 0;
    }
    ASSERT(span_us > 0);
    return (uint64_t)((double)bytes * 1e6 / (double)span_us);
}

int64_t task_progress_time_left_s(const struct task_progress *progress, uint64_t done_bytes,
                                  uint64_t total_bytes)
{
    uint64_t speed = task_progress_speed(progress);

    ASSERT(done_bytes <= total_bytes);
    if (done_bytes == total_bytes) {
        return 0;
    }
    if (speed == 0) {
        return -1;
    }
    return (int64_t)div_ceil_u64(total_bytes - done_bytes, speed);
}

bool task_progress_is_due(struct task_progress *progress, uint64_t now_us, uint64_t done_bytes,
                          uint64_t total_bytes)
{
    uint32_t percent =
        total_bytes == 0 ? 100 : (uint32_t)((double)done_bytes * 100.0 / (double)total_bytes);

    ASSERT(done_bytes <= total_bytes);
    if (percent == progress->reported_percent &&
        now_us - progress->reported_us < SAMPLE_INTERVAL_US) {
        return false;
    }
    progress->reported_percent = percent;
    progress->reported_us = now_us;
    return true;
}
