/*
 * The twin of parity.c, one byte at a time and with a multiplication of its own: slow,
 * obvious, sharing no code with it or with ISA-L. Used by tests only.
 */
#include <stdbool.h>

#include "base/assert.h"
#include "raid/parity.h"

/* Multiplies in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11D), bit by bit. */
static uint8_t scalar_multiply(uint8_t a, uint8_t b)
{
    uint32_t product = 0;
    uint32_t shifted = a;

    for (uint32_t bit = 0; bit < 8; bit++) {
        if (((uint32_t)b >> bit & 1u) != 0) {
            product ^= shifted;
        }
        shifted <<= 1;
        if ((shifted & 0x100u) != 0) {
            shifted ^= 0x11Du;
        }
    }
    ASSERT(product < 256);
    return (uint8_t)product;
}

/* powers[i] = g^i */
static void scalar_fill_powers(uint8_t powers[PARITY_WIDTH_MAX])
{
    powers[0] = 1;
    for (uint32_t i = 1; i < PARITY_WIDTH_MAX; i++) {
        powers[i] = scalar_multiply(powers[i - 1], 2);
        ASSERT(powers[i] != 0);
    }
}

/* By trial: the field is small and this is a reference. */
static uint8_t scalar_inverse(uint8_t value)
{
    uint8_t candidate = 1;

    ASSERT(value != 0);
    while (scalar_multiply(value, candidate) != 1) {
        ASSERT(candidate < 255);
        candidate++;
    }
    return candidate;
}

void parity_scalar_xor(uint8_t *target, uint8_t *const *sources, uint32_t source_count,
                       size_t bytes)
{
    ASSERT(source_count >= 1);
    for (size_t at = 0; at < bytes; at++) {
        uint8_t sum = 0;

        for (uint32_t i = 0; i < source_count; i++) {
            sum ^= sources[i][at];
        }
        target[at] = sum;
    }
}

/* P and Q of one byte position over the data places not in skip_mask. */
static void scalar_sums(uint8_t *const *columns, uint32_t width, const uint8_t *powers,
                        uint32_t skip_mask, size_t at, uint8_t sums[2])
{
    uint8_t p = 0;
    uint8_t q = 0;

    for (uint32_t place = 0; place < width; place++) {
        if ((skip_mask >> place & 1u) == 0) {
            p ^= columns[place][at];
            q ^= scalar_multiply(powers[place], columns[place][at]);
        }
    }
    sums[0] = p;
    sums[1] = q;
}

static uint32_t scalar_bit(int place)
{
    return place < 0 ? 0 : UINT32_C(1) << place;
}

void parity_scalar_generate(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                            size_t bytes)
{
    uint32_t parity_mask = scalar_bit(p_place) | scalar_bit(q_place);
    uint8_t powers[PARITY_WIDTH_MAX];

    ASSERT(width <= PARITY_WIDTH_MAX);
    ASSERT(parity_mask != 0);
    scalar_fill_powers(powers);
    for (size_t at = 0; at < bytes; at++) {
        uint8_t sums[2];

        scalar_sums(columns, width, powers, parity_mask, at, sums);
        if (p_place >= 0 && columns[p_place] != NULL) {
            columns[p_place][at] = sums[0];
        }
        if (q_place >= 0 && columns[q_place] != NULL) {
            columns[q_place][at] = sums[1];
        }
    }
}

/* One lost data place x: D_x = P + sum, or g^x D_x = Q + sum. */
static void scalar_recover_one(uint8_t *const *columns, uint32_t width, uint32_t parity_mask,
                               uint32_t x_place, int parity_place, bool is_p, size_t bytes)
{
    uint32_t skip_mask = parity_mask | UINT32_C(1) << x_place;
    uint8_t powers[PARITY_WIDTH_MAX];
    uint8_t inverse = 0;

    ASSERT(parity_place >= 0);
    scalar_fill_powers(powers);
    inverse = scalar_inverse(powers[x_place]);
    for (size_t at = 0; at < bytes; at++) {
        uint8_t parity = columns[parity_place][at];
        uint8_t sums[2];

        scalar_sums(columns, width, powers, skip_mask, at, sums);
        if (is_p) {
            columns[x_place][at] = parity ^ sums[0];
        } else {
            columns[x_place][at] = scalar_multiply(inverse, parity ^ sums[1]);
        }
    }
}

/* Two lost data places: x + y = p and g^x_place x + g^y_place y = q. */
static void scalar_recover_two(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                               uint32_t lost_data, size_t bytes)
{
    uint32_t skip_mask = scalar_bit(p_place) | scalar_bit(q_place) | lost_data;
    uint32_t x_place = (uint32_t)__builtin_ctz(lost_data);
    uint32_t y_place = (uint32_t)__builtin_ctz(lost_data & (lost_data - 1));
    uint8_t powers[PARITY_WIDTH_MAX];
    uint8_t inverse = 0;

    ASSERT(p_place >= 0 && q_place >= 0);
    scalar_fill_powers(powers);
    inverse = scalar_inverse(powers[x_place] ^ powers[y_place]);
    for (size_t at = 0; at < bytes; at++) {
        uint8_t sums[2];
        uint8_t p = columns[p_place][at];
        uint8_t q = columns[q_place][at];

        scalar_sums(columns, width, powers, skip_mask, at, sums);
        p ^= sums[0];
        q ^= sums[1];
        columns[x_place][at] = scalar_multiply(inverse, q ^ scalar_multiply(powers[y_place], p));
        columns[y_place][at] = p ^ columns[x_place][at];
    }
}

void parity_scalar_recover(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                           uint32_t lost_mask, size_t bytes)
{
    uint32_t parity_mask = scalar_bit(p_place) | scalar_bit(q_place);
    uint32_t lost_data = lost_mask & ~parity_mask;
    uint32_t lost_count = (uint32_t)__builtin_popcount(lost_data);
    bool have_p = p_place >= 0 && (lost_mask & scalar_bit(p_place)) == 0;
    uint8_t *wanted[PARITY_WIDTH_MAX] = {0};

    ASSERT(lost_count <= 2);
    if (lost_count == 2) {
        scalar_recover_two(columns, width, p_place, q_place, lost_data, bytes);
    } else if (lost_count == 1) {
        scalar_recover_one(columns, width, parity_mask, (uint32_t)__builtin_ctz(lost_data),
                           have_p ? p_place : q_place, have_p, bytes);
    }
    if ((lost_mask & parity_mask) == 0) {
        return;
    }
    for (uint32_t place = 0; place < width; place++) {
        bool kept = ((parity_mask & ~lost_mask) >> place & 1u) != 0;

        wanted[place] = kept ? NULL : columns[place];
    }
    parity_scalar_generate(wanted, width, p_place, q_place, bytes);
}

void parity_scalar_update(uint8_t *p, uint8_t *q, uint32_t place, const uint8_t *delta,
                          size_t bytes)
{
    uint8_t powers[PARITY_WIDTH_MAX];

    ASSERT(p != NULL || q != NULL);
    ASSERT(place < PARITY_WIDTH_MAX);
    scalar_fill_powers(powers);
    for (size_t at = 0; at < bytes; at++) {
        if (p != NULL) {
            p[at] ^= delta[at];
        }
        if (q != NULL) {
            q[at] ^= scalar_multiply(powers[place], delta[at]);
        }
    }
}
