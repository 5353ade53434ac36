/*
 * Bits over caller-owned 64-bit words. Bit i is bit i % 64 of word i / 64. Bits beyond
 * bit_count in the last word are always 0, so that counting and comparing whole words
 * is right.
 */
#ifndef ARRAYWRIGHT_BASE_BITMAP_H
#define ARRAYWRIGHT_BASE_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define BITMAP_NONE UINT64_MAX

struct bitmap {
    uint64_t *words;
    uint64_t bit_count;
};

/* How many words a bitmap of bit_count bits needs. */
uint64_t bitmap_word_count(uint64_t bit_count);
/* Adopts the words as they are, after checking the unused bits of the last one. */
void bitmap_attach(struct bitmap *bitmap, uint64_t *words, uint64_t bit_count);
/* Allocates zeroed words. Returns 0 or -ENOMEM. */
MUST_CHECK int bitmap_init(struct bitmap *bitmap, uint64_t bit_count);
/* Frees what bitmap_init() allocated. Bears a zeroed or finished bitmap. */
void bitmap_done(struct bitmap *bitmap);

bool bitmap_get(const struct bitmap *bitmap, uint64_t index);
void bitmap_set(struct bitmap *bitmap, uint64_t index);
void bitmap_clear(struct bitmap *bitmap, uint64_t index);
void bitmap_set_range(struct bitmap *bitmap, uint64_t first, uint64_t count);
void bitmap_clear_range(struct bitmap *bitmap, uint64_t first, uint64_t count);

uint64_t bitmap_count_set(const struct bitmap *bitmap);
/* The first set or clear bit at or after `from`, or BITMAP_NONE. */
uint64_t bitmap_find_set(const struct bitmap *bitmap, uint64_t from);
uint64_t bitmap_find_clear(const struct bitmap *bitmap, uint64_t from);

#endif
