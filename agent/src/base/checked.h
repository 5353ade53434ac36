/*
 * Arithmetic that cannot overflow unseen, and the small integer helpers everyone needs.
 * The checked_ functions return false and leave *ret_result alone when the exact result
 * does not fit. The align_ functions assert: use them on values already bounded.
 */
#ifndef ARRAYWRIGHT_BASE_CHECKED_H
#define ARRAYWRIGHT_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/attrs.h"

#define container_of(ptr, type, member)                                                            \
    ((type *)(void *)((uint8_t *)(1 ? (ptr) : &((type *)NULL)->member) - offsetof(type, member)))

MUST_CHECK static inline bool checked_add_u64(uint64_t a, uint64_t b, uint64_t *ret_result)
{
    uint64_t result = 0;

    if (__builtin_add_overflow(a, b, &result)) {
        return false;
    }
    *ret_result = result;
    return true;
}

MUST_CHECK static inline bool checked_sub_u64(uint64_t a, uint64_t b, uint64_t *ret_result)
{
    if (b > a) {
        return false;
    }
    *ret_result = a - b;
    return true;
}

MUST_CHECK static inline bool checked_mul_u64(uint64_t a, uint64_t b, uint64_t *ret_result)
{
    uint64_t result = 0;

    if (__builtin_mul_overflow(a, b, &result)) {
        return false;
    }
    *ret_result = result;
    return true;
}

static inline bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* `alignment` is any positive number, not only a power of two. */
static inline bool is_aligned_u64(uint64_t value, uint64_t alignment)
{
    ASSERT(alignment != 0);
    return value % alignment == 0;
}

static inline uint64_t align_down_u64(uint64_t value, uint64_t alignment)
{
    ASSERT(alignment != 0);
    return value - value % alignment;
}

static inline uint64_t align_up_u64(uint64_t value, uint64_t alignment)
{
    uint64_t remainder = 0;

    ASSERT(alignment != 0);
    remainder = value % alignment;
    if (remainder == 0) {
        return value;
    }
    ASSERT(value <= UINT64_MAX - (alignment - remainder));
    return value + (alignment - remainder);
}

static inline uint64_t div_ceil_u64(uint64_t value, uint64_t divisor)
{
    ASSERT(divisor != 0);
    return value / divisor + (value % divisor != 0 ? 1u : 0u);
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

#endif
