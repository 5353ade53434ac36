/*
 * Layouts and redundancy, a second time (layout.h).
 */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static void pair_slot_find(const struct layout *layout, uint64_t slot, uint32_t *ret_member,
                           uint64_t *ret_offset_bytes)
{
    *ret_member = (uint32_t)(slot % layout->members_per_span);
    *ret_offset_bytes =
        layout->extent_start_bytes + slot / layout->members_per_span * layout->strip_bytes;
}

void layout_find(const struct layout *layout, uint64_t offset_bytes, uint32_t *ret_member,
                 uint64_t *ret_offset_bytes)
{
    uint32_t n = layout->members_per_span;
    uint32_t k = layout->mirrored ? 1 : n - layout->parity_count;
    uint64_t strip = offset_bytes / layout->strip_bytes;
    uint64_t row = strip / k;
    uint32_t d = (uint32_t)(strip % k);
    uint32_t span = (uint32_t)(row % layout->span_count);
    uint64_t s = row / layout->span_count;
    uint32_t place = d;

    if (layout->pairs) {
        pair_slot_find(layout, strip * 2, ret_member, ret_offset_bytes);
        *ret_offset_bytes += offset_bytes % layout->strip_bytes;
        return;
    }
    if (layout->parity_count > 0) {
        uint32_t p = n - 1 - (uint32_t)(s % n);

        place = (p + 1 + d) % n;
    }
    *ret_member = span * n + place;
    *ret_offset_bytes =
        layout->extent_start_bytes + s * layout->strip_bytes + offset_bytes % layout->strip_bytes;
}

bool layout_depends(const struct layout *layout, uint64_t offset_bytes, uint32_t member)
{
    uint32_t first = 0;
    uint32_t second = 0;
    uint64_t ignored = 0;

    ASSERT(layout->mirrored || layout->pairs || layout->parity_count > 0);
    layout_find(layout, offset_bytes, &first, &ignored);
    if (layout->pairs) {
        pair_slot_find(layout, offset_bytes / layout->strip_bytes * 2 + 1, &second, &ignored);
        return member == first || member == second;
    }
    return member / layout->members_per_span == first / layout->members_per_span;
}

bool layout_bears(const struct layout *layout, uint32_t lost)
{
    uint32_t count = 0;
    bool both_copies = false;
    uint32_t n = layout->members_per_span;

    for (uint32_t i = 0; i < n; i++) {
        count += lost >> i & 1;
        both_copies = both_copies || (lost >> 2 * i % n & lost >> (2 * i + 1) % n & 1) != 0;
    }
    if (layout->pairs) {
        return !both_copies;
    }
    return layout->mirrored ? count < n : count <= layout->parity_count;
}

static bool ranges_meet(uint64_t a, uint32_t a_length, uint64_t b, uint32_t b_length)
{
    return a < b + b_length && b < a + a_length;
}

bool layout_touches(const struct layout *layout, uint64_t offset_bytes, uint32_t length_bytes,
                    uint32_t member, uint64_t at_bytes, uint32_t at_length_bytes)
{
    uint32_t width = layout->members_per_span;
    uint32_t first = 0;
    uint32_t second = 0;
    uint64_t here = 0;
    uint64_t there = 0;

    layout_find(layout, offset_bytes, &first, &here);
    if (layout->pairs) {
        pair_slot_find(layout, offset_bytes / layout->strip_bytes * 2 + 1, &second, &there);
        there += offset_bytes % layout->strip_bytes;
        return (member == first && ranges_meet(here, length_bytes, at_bytes, at_length_bytes)) ||
               (member == second && ranges_meet(there, length_bytes, at_bytes, at_length_bytes));
    }
    if (!layout->mirrored && layout->parity_count == 0 && member != first) {
        return false;
    }
    /* The others of a row have the same place on their drives. */
    return member / width == first / width &&
           ranges_meet(here, length_bytes, at_bytes, at_length_bytes);
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

/* Eight bytes at a time, each on its own. */
static uint64_t times_two_8(uint64_t value)
{
    uint64_t high = (value >> 7) & UINT64_C(0x0101010101010101);

    return ((value << 1) & UINT64_C(0xfefefefefefefefe)) ^ (high * 0x1d);
}

static uint64_t word_at(const uint8_t *strip, uint32_t at)
{
    uint64_t word = 0;

    memcpy(&word, strip + at, sizeof(word));
    return word;
}

static const char *parity_check(uint8_t *const *strips, uint32_t n, uint32_t p, int q,
                                uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += 8) {
        uint64_t xor_sum = 0;
        uint64_t q_sum = 0;

        for (uint32_t i = n; i > 0; i--) {
            uint64_t data = i - 1 == p || (int)(i - 1) == q ? 0 : word_at(strips[i - 1], at);

            xor_sum ^= data;
            q_sum = times_two_8(q_sum) ^ data; /* Horner: place i weighs 2^i */
        }
        if (xor_sum != word_at(strips[p], at)) {
            return "P is wrong";
        }
        if (q >= 0 && q_sum != word_at(strips[q], at)) {
            return "Q is wrong";
        }
    }
    return NULL;
}

static const char *row_check(const struct layout *layout, uint32_t span, uint64_t s)
{
    uint32_t n = layout->members_per_span;
    uint8_t *memory = malloc((size_t)n * layout->strip_bytes);
    uint8_t *strips[LAYOUT_WIDTH_MAX];
    uint32_t p = n - 1 - (uint32_t)(s % n);
    const char *wrong = NULL;

    ASSERT(memory != NULL && n <= LAYOUT_WIDTH_MAX);
    for (uint32_t i = 0; i < n; i++) {
        strips[i] = memory + (size_t)i * layout->strip_bytes;
        layout->read(layout->context, span * n + i,
                     layout->extent_start_bytes + s * layout->strip_bytes, strips[i],
                     layout->strip_bytes);
    }
    if (layout->mirrored) {
        wrong = mirror_check(strips, n, layout->strip_bytes);
    } else if (layout->parity_count == 1) {
        wrong = parity_check(strips, n, p, -1, layout->strip_bytes);
    } else if (layout->parity_count == 2) {
        wrong = parity_check(strips, n, p, (int)((p + n - 1) % n), layout->strip_bytes);
    }
    free(memory);
    return wrong;
}

static const char *pairs_check(const struct layout *layout, uint64_t *ret_row)
{
    uint64_t pairs = layout->extent_bytes / layout->strip_bytes * layout->members_per_span / 2;
    uint8_t *memory = malloc(2 * (size_t)layout->strip_bytes);
    uint8_t *copies[2] = {memory, memory + layout->strip_bytes};
    const char *wrong = NULL;

    ASSERT(memory != NULL);
    for (uint64_t pair = 0; pair < pairs && wrong == NULL; pair++) {
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t member = 0;
            uint64_t offset = 0;

            pair_slot_find(layout, pair * 2 + i, &member, &offset);
            layout->read(layout->context, member, offset, copies[i], layout->strip_bytes);
        }
        wrong = mirror_check(copies, 2, layout->strip_bytes);
        *ret_row = pair;
    }
    free(memory);
    return wrong;
}

const char *layout_check(const struct layout *layout, uint64_t *ret_row)
{
    uint64_t span_rows = layout->extent_bytes / layout->strip_bytes;

    if (layout->pairs) {
        return pairs_check(layout, ret_row);
    }
    for (uint32_t span = 0; span < layout->span_count; span++) {
        for (uint64_t s = 0; s < span_rows; s++) {
            const char *wrong = row_check(layout, span, s);

            if (wrong != NULL) {
                *ret_row = s * layout->span_count + span;
                return wrong;
            }
        }
    }
    return NULL;
}
