/* See lab_quirk.h. */
#include "lab/lab_quirk.h"

#include "base/assert.h"
#include "base/checked.h"

#define PPM 1000000u
/* How many requests weigh in the two means. */
#define LATELY 64u
#define LONGER 4096u

static bool within(const struct quirk_range *range, uint32_t value)
{
    return value >= range->least && value <= range->most;
}

bool lab_quirk_fits(const struct controller_quirk *quirk, const struct lab_quirk_place *place)
{
    return (quirk->levels == 0 || (quirk->levels >> place->level & 1) != 0) &&
           within(&quirk->drives, place->drive_count) &&
           within(&quirk->failed, place->failed_count) &&
           (!quirk->reading_ahead || place->reading_ahead) &&
           (!quirk->write_through || place->write_through) &&
           (!quirk->recreated || place->recreated);
}

void lab_quirks_init(struct lab_quirks *quirks, const struct controller_quirk *all, uint32_t count,
                     const struct lab_quirk_place *place)
{
    ASSERT(count <= PROFILE_QUIRKS_MAX);
    *quirks = (struct lab_quirks){.count = 0};
    for (uint32_t i = 0; i < count; i++) {
        if (lab_quirk_fits(&all[i], place)) {
            quirks->of[quirks->count].quirk = all[i];
            quirks->of[quirks->count].pipe.bytes_per_s = all[i].bytes_per_s;
            quirks->count++;
        }
    }
    for (uint32_t i = 0; i < LAB_STREAMS_MAX; i++) {
        quirks->stream_ends[i] = UINT64_MAX;
    }
}

/* Whether it goes on where a late one ended. */
static bool stream_follow(struct lab_quirks *quirks, uint64_t offset_bytes, uint64_t end_bytes)
{
    for (uint32_t i = 0; i < LAB_STREAMS_MAX; i++) {
        if (quirks->stream_ends[i] == offset_bytes) {
            quirks->stream_ends[i] = end_bytes;
            return true;
        }
    }
    quirks->stream_ends[quirks->stream_next] = end_bytes;
    quirks->stream_next = (quirks->stream_next + 1) % LAB_STREAMS_MAX;
    return false;
}

static void mean_follow(uint32_t *ppm, bool is, uint32_t weight)
{
    int64_t step = ((is ? (int64_t)PPM : 0) - (int64_t)*ppm) / (int64_t)weight;

    *ppm = (uint32_t)((int64_t)*ppm + step);
}

uint64_t lab_quirks_begin(struct lab_quirks *quirks, bool is_write, uint64_t offset_bytes,
                          uint32_t length_bytes, uint64_t now_ns)
{
    uint64_t begin_ns = now_ns;
    bool follows = false;

    if (quirks->count == 0) {
        return now_ns;
    }
    follows = stream_follow(quirks, offset_bytes, offset_bytes + length_bytes);
    mean_follow(&quirks->write_ppm, is_write, LATELY);
    mean_follow(&quirks->random_ppm, !follows, LONGER);
    quirks->requests++;
    for (uint32_t i = 0; i < quirks->count; i++) {
        const struct controller_quirk *quirk = &quirks->of[i].quirk;

        if (!(is_write ? quirk->writes : quirk->reads) ||
            (quirk->order != QUIRK_ORDER_ANY &&
             follows != (quirk->order == QUIRK_ORDER_SEQUENTIAL)) ||
            !within(&quirk->bytes, length_bytes) || !within(&quirk->requests, quirks->requests) ||
            !within(&quirk->write_percent, quirks->write_ppm / (PPM / 100)) ||
            !within(&quirk->random_percent, quirks->random_ppm / (PPM / 100))) {
            continue;
        }
        begin_ns = max_u64(begin_ns, now_ns + quirk->delay_us * UINT64_C(1000));
        begin_ns = max_u64(begin_ns, rate_pipe_pass(&quirks->of[i].pipe, now_ns, length_bytes));
    }
    return begin_ns;
}

void lab_quirks_end(struct lab_quirks *quirks)
{
    if (quirks->count > 0) {
        ASSERT(quirks->requests > 0);
        quirks->requests--;
    }
}
