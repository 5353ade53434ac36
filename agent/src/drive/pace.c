/*
 * See pace.h.
 */
#include "drive/pace.h"

#include "base/assert.h"
#include "base/checked.h"

#define MEAN_SAMPLES 32u
#define HISTOGRAM_FULL 16384u
#define HISTOGRAM_ENOUGH 1000u
#define FADE_US 1000000u
#define FADE_MAX 16u

static uint32_t size_class(uint32_t length_bytes)
{
    uint32_t class_ = 0;

    for (uint32_t limit = 4096; class_ < PACE_SIZES - 1 && length_bytes > limit; limit *= 4) {
        class_++;
    }
    return class_;
}

/* What is older than a few seconds hardly counts against a new sample. */
static void mean_add(struct pace_mean *mean, uint64_t sample_us, uint64_t now_us)
{
    uint64_t sample_x16 = sample_us * 16;
    uint64_t age = min_u64((now_us - mean->sampled_us) / FADE_US, FADE_MAX);
    uint64_t way = sample_x16 >= mean->x16 ? sample_x16 - mean->x16 : mean->x16 - sample_x16;

    mean->samples >>= age;
    mean->samples = min_u32(mean->samples + 1, MEAN_SAMPLES);
    /* Nearly always by a constant, which is no division. */
    way = mean->samples == MEAN_SAMPLES ? way / MEAN_SAMPLES : way / mean->samples;
    mean->x16 = sample_x16 >= mean->x16 ? mean->x16 + way : mean->x16 - way;
    mean->sampled_us = now_us;
}

void pace_init(struct pace_track *track, uint32_t interval_s)
{
    ASSERT(interval_s > 0);
    *track = (struct pace_track){.interval_us = (uint64_t)interval_s * 1000000};
}

static void interval_roll(struct pace_track *track, uint64_t now_us)
{
    for (uint32_t kind = 0; kind < PACE_KIND_MAX; kind++) {
        for (uint32_t i = 0; i < PACE_SIZES; i++) {
            struct pace_class *class_ = &track->classes[kind][i];

            class_->last_count = class_->count;
            class_->last_mean_us = class_->count != 0 ? class_->sum_us / class_->count : 0;
            class_->sum_us = class_->count = 0;
        }
    }
    track->last_end_us = now_us;
    track->interval_end_us = now_us + track->interval_us;
}

bool pace_add(struct pace_track *track, const struct pace_sample *sample, uint64_t now_us)
{
    struct pace_class *class_ = &track->classes[sample->kind][size_class(sample->length_bytes)];

    ASSERT(sample->service_us <= sample->took_us);
    if (sample->busy) {
        mean_add(&class_->busy, sample->service_us, now_us);
    } else {
        mean_add(&class_->idle, sample->took_us, now_us);
    }
    class_->sum_us += sample->took_us;
    class_->count++;
    if (track->interval_end_us == 0) {
        track->interval_end_us = now_us + track->interval_us;
    }
    if (now_us < track->interval_end_us) {
        return false;
    }
    interval_roll(track, now_us);
    return true;
}

/* Four buckets per power of two: 0…3 us have their own. */
static uint32_t bucket_of(uint64_t us)
{
    uint32_t power = 0;

    if (us < 4) {
        return (uint32_t)us;
    }
    power = 63 - (uint32_t)__builtin_clzll(us);
    return min_u32(PACE_BUCKETS - 1, (power - 1) * 4 + (uint32_t)((us >> (power - 2)) & 3));
}

/* One past the largest value of a bucket. */
static uint64_t bucket_end_us(uint32_t bucket)
{
    uint32_t power = bucket / 4 + 1;

    if (bucket < 4) {
        return bucket + 1;
    }
    return (UINT64_C(4) + bucket % 4 + 1) << (power - 2);
}

void pace_read_note(struct pace_track *track, uint64_t took_us)
{
    track->reads[bucket_of(took_us)]++;
    track->read_count++;
    if (track->read_count < HISTOGRAM_FULL) {
        return;
    }
    track->read_count = 0;
    for (uint32_t i = 0; i < PACE_BUCKETS; i++) {
        track->reads[i] /= 2;
        track->read_count += track->reads[i];
    }
}

static uint64_t mean_us(const struct pace_mean *mean, uint64_t now_us)
{
    uint64_t age = 0;

    if (mean->samples == 0) {
        return 0;
    }
    ASSERT(now_us >= mean->sampled_us);
    age = (now_us - mean->sampled_us) / FADE_US;
    return age < FADE_MAX ? max_u64(1, (mean->x16 >> age) / 16) : 0;
}

struct pace pace_get(const struct pace_track *track, enum pace_kind kind, uint32_t length_bytes,
                     uint64_t now_us)
{
    const struct pace_class *class_ = &track->classes[kind][size_class(length_bytes)];

    return (struct pace){.idle_us = mean_us(&class_->idle, now_us),
                         .busy_us = mean_us(&class_->busy, now_us)};
}

uint64_t pace_read_p999_us(const struct pace_track *track)
{
    uint32_t above = track->read_count / 1000;
    uint32_t seen = 0;

    if (track->read_count < HISTOGRAM_ENOUGH) {
        return 0;
    }
    for (uint32_t i = PACE_BUCKETS; i > 0; i--) {
        seen += track->reads[i - 1];
        if (seen > above) {
            return bucket_end_us(i - 1);
        }
    }
    UNREACHABLE();
}
