/*
 * Bitmaps; see bitmap.h for the invariant on unused bits.
 */
#include "base/bitmap.h"

#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"

#define WORD_BITS 64u

uint64_t bitmap_word_count(uint64_t bit_count)
{
    return div_ceil_u64(bit_count, WORD_BITS);
}

/* The bits [from, from + count) of one word; count is 1..64 and stays inside it. */
static uint64_t word_mask(uint64_t from, uint64_t count)
{
    ASSERT(count >= 1 && count <= WORD_BITS);
    ASSERT(from <= WORD_BITS - count);
    return (UINT64_MAX >> (WORD_BITS - count)) << from;
}

void bitmap_attach(struct bitmap *bitmap, uint64_t *words, uint64_t bit_count)
{
    uint64_t used = bit_count % WORD_BITS;

    ASSERT(bit_count > 0);
    ASSERT(words != NULL);
    if (used != 0) {
        ASSERT((words[bit_count / WORD_BITS] & ~word_mask(0, used)) == 0);
    }
    bitmap->words = words;
    bitmap->bit_count = bit_count;
}

int bitmap_init(struct bitmap *bitmap, uint64_t bit_count)
{
    uint64_t *words = NULL;

    ASSERT(bit_count > 0);
    words = calloc(bitmap_word_count(bit_count), sizeof(*words));
    if (words == NULL) {
        return -ENOMEM;
    }
    bitmap_attach(bitmap, words, bit_count);
    return 0;
}

void bitmap_done(struct bitmap *bitmap)
{
    free(bitmap->words);
    bitmap->words = NULL;
    bitmap->bit_count = 0;
}

bool bitmap_get(const struct bitmap *bitmap, uint64_t index)
{
    ASSERT(index < bitmap->bit_count);
    return (bitmap->words[index / WORD_BITS] >> (index % WORD_BITS) & 1u) != 0;
}

void bitmap_set(struct bitmap *bitmap, uint64_t index)
{
    ASSERT(index < bitmap->bit_count);
    bitmap->words[index / WORD_BITS] |= UINT64_C(1) << (index % WORD_BITS);
}

void bitmap_clear(struct bitmap *bitmap, uint64_t index)
{
    ASSERT(index < bitmap->bit_count);
    bitmap->words[index / WORD_BITS] &= ~(UINT64_C(1) << (index % WORD_BITS));
}

static void range_assign(struct bitmap *bitmap, uint64_t first, uint64_t count, bool value)
{
    ASSERT(first <= bitmap->bit_count);
    ASSERT(count <= bitmap->bit_count - first);

    while (count > 0) {
        uint64_t from = first % WORD_BITS;
        uint64_t step = min_u64(count, WORD_BITS - from);
        uint64_t mask = word_mask(from, step);

        if (value) {
            bitmap->words[first / WORD_BITS] |= mask;
        } else {
            bitmap->words[first / WORD_BITS] &= ~mask;
        }
        first += step;
        count -= step;
    }
}

void bitmap_set_range(struct bitmap *bitmap, uint64_t first, uint64_t count)
{
    range_assign(bitmap, first, count, true);
}

void bitmap_clear_range(struct bitmap *bitmap, uint64_t first, uint64_t count)
{
    range_assign(bitmap, first, count, false);
}

uint64_t bitmap_count_set(const struct bitmap *bitmap)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < bitmap_word_count(bitmap->bit_count); i++) {
        count += (uint64_t)__builtin_popcountll(bitmap->words[i]);
    }
    ASSERT(count <= bitmap->bit_count);
    return count;
}

/* Finds a set bit in the words XOR flip; flip is 0 or all ones. */
static uint64_t find_bit(const struct bitmap *bitmap, uint64_t from, uint64_t flip)
{
    uint64_t index = from;

    while (index < bitmap->bit_count) {
        uint64_t word = (bitmap->words[index / WORD_BITS] ^ flip) >> (index % WORD_BITS);

        if (word != 0) {
            index += (uint64_t)__builtin_ctzll(word);
            return index < bitmap->bit_count ? index : BITMAP_NONE;
        }
        index += WORD_BITS - index % WORD_BITS;
    }
    return BITMAP_NONE;
}

uint64_t bitmap_find_set(const struct bitmap *bitmap, uint64_t from)
{
    return find_bit(bitmap, from, 0);
}

uint64_t bitmap_find_clear(const struct bitmap *bitmap, uint64_t from)
{
    return find_bit(bitmap, from, UINT64_MAX);
}
