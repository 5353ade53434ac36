/*
 * Layouts and redundancy, a second time (layout.h).
 */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static uint32_t parity_count(enum raid_level level)
{
    return level == RAID_LEVEL_5 || level == RAID_LEVEL_50   ? 1
           : level == RAID_LEVEL_6 || level == RAID_LEVEL_60 ? 2
                                                             : 0;
}

static bool is_mirror(enum raid_level level)
{
    return level == RAID_LEVEL_1 || level == RAID_LEVEL_10;
}

void layout_find(const struct vd_config *vd, uint64_t offset_bytes, uint32_t *ret_member,
                 uint64_t *ret_offset_bytes)
{
    const struct geometry *g = &vd->geometry;
    uint32_t n = g->members_per_span;
    uint32_t k = is_mirror(g->level) ? 1 : n - parity_count(g->level);
    uint64_t strip = offset_bytes / g->strip_bytes;
    uint64_t row = strip / k;
    uint32_t d = (uint32_t)(strip % k);
    uint32_t span = (uint32_t)(row % g->span_count);
    uint64_t s = row / g->span_count;
    uint32_t place = d;

    if (parity_count(g->level) > 0) {
        uint32_t p = n - 1 - (uint32_t)(s % n);

        place = (p + 1 + d) % n;
    }
    *ret_member = span * n + place;
    *ret_offset_bytes = vd->extent_start_bytes + s * g->strip_bytes + offset_bytes % g->strip_bytes;
}

static uint8_t times_two(uint8_t value)
{
    return (uint8_t)((value << 1) ^ ((value & 0x80) != 0 ? 0x1d : 0));
}

static const char *mirror_check(uint8_t *const *strips, uint32_t n, uint32_t bytes)
{
    for (uint32_t i = 1; i < n; i++) {
        if (memcmp(strips[0], strips[i], bytes) != 0) {
            return "mirrors differ";
        }
    }
    return NULL;
}

static const char *parity_check(uint8_t *const *strips, uint32_t n, uint32_t p, int q,
                                uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at++) {
        uint8_t xor_sum = 0;
        uint8_t q_sum = 0;

        for (uint32_t i = n; i > 0; i--) {
            uint8_t data = i - 1 == p || (int)(i - 1) == q ? 0 : strips[i - 1][at];

            xor_sum ^= data;
            q_sum = (uint8_t)(times_two(q_sum) ^ data); /* Horner: place i weighs 2^i */
        }
        if (xor_sum != strips[p][at]) {
            return "P is wrong";
        }
        if (q >= 0 && q_sum != strips[q][at]) {
            return "Q is wrong";
        }
    }
    return NULL;
}

static const char *row_check(const struct sim_array *array, const struct vd_config *vd,
                             uint32_t span, uint64_t s)
{
    const struct geometry *g = &vd->geometry;
    uint32_t n = g->members_per_span;
    uint8_t *memory = malloc((size_t)n * g->strip_bytes);
    uint8_t *strips[RAID_SPAN_MEMBERS_MAX];
    uint32_t p = n - 1 - (uint32_t)(s % n);
    const char *wrong = NULL;

    ASSERT(memory != NULL && n <= RAID_SPAN_MEMBERS_MAX);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t drive = array->place_of[span * n + i];

        strips[i] = memory + (size_t)i * g->strip_bytes;
        sim_drive_peek(array->sims[drive], vd->extent_start_bytes + s * g->strip_bytes, strips[i],
                       g->strip_bytes);
    }
    if (is_mirror(g->level)) {
        wrong = mirror_check(strips, n, g->strip_bytes);
    } else if (parity_count(g->level) == 1) {
        wrong = parity_check(strips, n, p, -1, g->strip_bytes);
    } else if (parity_count(g->level) == 2) {
        wrong = parity_check(strips, n, p, (int)((p + n - 1) % n), g->strip_bytes);
    }
    free(memory);
    return wrong;
}

const char *layout_check(const struct sim_array *array, const struct vd_config *vd,
                         uint64_t *ret_row)
{
    uint64_t span_rows = vd->geometry.extent_bytes / vd->geometry.strip_bytes;

    for (uint32_t span = 0; span < vd->geometry.span_count; span++) {
        for (uint64_t s = 0; s < span_rows; s++) {
            const char *wrong = row_check(array, vd, span, s);

            if (wrong != NULL) {
                *ret_row = s * vd->geometry.span_count + span;
                return wrong;
            }
        }
    }
    return NULL;
}
