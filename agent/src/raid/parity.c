/*
 * XOR with ISA-L, P+Q with the fastest kernel of parity_kernels.h.
 *
 * Everything but the plain XOR is one linear map: each target is a sum of coefficient *
 * source, done in a single pass. ISA-L's own pq_gen() numbers its sources without gaps, so DDF's Q,
 * whose exponent is the place with the P and Q places counting as zeros, would cost it two passes
 * over a zero buffer per row.
 *
 * The equations, with D_i the data on place i and g = 2:
 *   P = sum D_i                Q = sum g^i D_i
 * one lost x, from P:  D_x = P + sum D_i
 * one lost x, from Q:  D_x = g^-x (Q + sum g^i D_i)
 * two lost x, y:       D_x = (Q + g^y P + sum (g^i + g^y) D_i) / (g^x + g^y)
 *                      D_y = (Q + g^x P + sum (g^i + g^x) D_i) / (g^x + g^y)
 * where the sums run over the data places that are not lost.
 */
#include "raid/parity.h"

#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>
#include <stdbool.h>
#include <string.h>

#include "base/assert.h"
#include "raid/parity_kernels.h"

#define BUFFER_ALIGN_BYTES 64u
#define LENGTH_ALIGN_BYTES 512u
#define LENGTH_MAX_BYTES ((size_t)1 << 30) /* ISA-L takes an int */

static uint32_t place_bit(int place)
{
    ASSERT(place < (int)PARITY_WIDTH_MAX);
    return place < 0 ? 0 : UINT32_C(1) << place;
}

/* g^exponent */
static uint8_t generator_power(uint32_t exponent)
{
    uint32_t power = 1;

    ASSERT(exponent < PARITY_WIDTH_MAX);
    for (uint32_t i = 0; i < exponent; i++) {
        power <<= 1;
        if ((power & 0x100u) != 0) {
            power ^= 0x11Du;
        }
    }
    ASSERT(power != 0 && power < 256);
    return (uint8_t)power;
}

static void check_length(size_t bytes)
{
    ASSERT(bytes > 0 && bytes <= LENGTH_MAX_BYTES);
    ASSERT(bytes % LENGTH_ALIGN_BYTES == 0);
}

static void check_buffer(const uint8_t *buffer)
{
    ASSERT(buffer != NULL);
    ASSERT((uintptr_t)buffer % BUFFER_ALIGN_BYTES == 0);
}

static void map_add_source(struct parity_map *map, uint8_t *source, uint8_t first, uint8_t second)
{
    ASSERT(map->source_count < PARITY_WIDTH_MAX);
    check_buffer(source);
    map->sources[map->source_count] = source;
    map->coefficients[0][map->source_count] = first;
    map->coefficients[1][map->source_count] = second;
    map->source_count++;
}

static void map_add_target(struct parity_map *map, uint8_t *target)
{
    ASSERT(map->target_count < PARITY_TARGETS_MAX);
    check_buffer(target);
    map->targets[map->target_count] = target;
    map->target_count++;
}

static void map_run(const struct parity_map *map, size_t bytes)
{
    ASSERT(map->source_count > 0);
    ASSERT(map->target_count > 0);
    parity_kernel_for(map)->run(map, bytes);
}

void parity_xor(uint8_t *target, uint8_t *const *sources, uint32_t source_count, size_t bytes)
{
    void *vectors[PARITY_WIDTH_MAX + 1];
    int error = 0;

    ASSERT(source_count >= 1 && source_count <= PARITY_WIDTH_MAX);
    check_length(bytes);
    check_buffer(target);
    for (uint32_t i = 0; i < source_count; i++) {
        check_buffer(sources[i]);
        ASSERT(i == 0 || sources[i] != target);
        vectors[i] = sources[i];
    }
    if (source_count == 1) {
        if (target != sources[0]) {
            memcpy(target, sources[0], bytes);
        }
        return;
    }
    /* Reads every source at a position before it writes there, so sources[0] may be it. */
    vectors[source_count] = target;
    error = xor_gen((int)source_count + 1, (int)bytes, vectors);
    ASSERT(error == 0);
}

/* P alone: the XOR of all places but those in skip_mask, and of `extra` if not NULL. */
static void xor_places(uint8_t *target, uint8_t *const *columns, uint32_t width, uint32_t skip_mask,
                       uint8_t *extra, size_t bytes)
{
    uint8_t *sources[PARITY_WIDTH_MAX];
    uint32_t count = 0;

    ASSERT(width <= PARITY_WIDTH_MAX);
    for (uint32_t place = 0; place < width; place++) {
        if ((skip_mask >> place & 1u) == 0) {
            sources[count++] = columns[place];
        }
    }
    if (extra != NULL) {
        ASSERT(count < PARITY_WIDTH_MAX);
        sources[count++] = extra;
    }
    parity_xor(target, sources, count, bytes);
}

/* Q alone or, with p not NULL, both in one pass. */
static void generate_q(uint8_t *const *columns, uint32_t width, uint32_t parity_mask, uint8_t *p,
                       uint8_t *q, size_t bytes)
{
    struct parity_map map = {.is_pq = true};

    ASSERT(q != NULL);
    for (uint32_t place = 0; place < width; place++) {
        if ((parity_mask >> place & 1u) == 0) {
            map.exponents[map.source_count] = (uint8_t)place;
            map_add_source(&map, columns[place], generator_power(place), 1);
        }
    }
    map_add_target(&map, q);
    if (p != NULL) {
        map_add_target(&map, p);
    }
    map_run(&map, bytes);
}

void parity_generate(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                     size_t bytes)
{
    uint32_t parity_mask = place_bit(p_place) | place_bit(q_place);
    uint8_t *p = p_place < 0 ? NULL : columns[p_place];
    uint8_t *q = q_place < 0 ? NULL : columns[q_place];

    ASSERT(width >= 2 && width <= PARITY_WIDTH_MAX);
    ASSERT(p_place < (int)width && q_place < (int)width);
    ASSERT(p_place != q_place);
    check_length(bytes);
    if (q != NULL) {
        generate_q(columns, width, parity_mask, p, q, bytes);
    } else if (p != NULL) {
        xor_places(p, columns, width, parity_mask, NULL, bytes);
    }
}

/* The lost data place x from Q; P is neither read nor needed. */
static void recover_one_from_q(uint8_t *const *columns, uint32_t width, uint32_t parity_mask,
                               uint32_t x_place, uint8_t *q, size_t bytes)
{
    struct parity_map map = {0};
    uint8_t inverse = gf_inv(generator_power(x_place));

    for (uint32_t place = 0; place < width; place++) {
        if ((parity_mask >> place & 1u) == 0 && place != x_place) {
            map_add_source(&map, columns[place], gf_mul(inverse, generator_power(place)), 0);
        }
    }
    map_add_source(&map, q, inverse, 0);
    map_add_target(&map, columns[x_place]);
    map_run(&map, bytes);
}

/* The lost data places x and y from P and Q. */
static void recover_two(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                        uint32_t lost_data, size_t bytes)
{
    uint32_t skip_mask = place_bit(p_place) | place_bit(q_place) | lost_data;
    uint32_t x_place = (uint32_t)__builtin_ctz(lost_data);
    uint32_t y_place = (uint32_t)__builtin_ctz(lost_data & (lost_data - 1));
    uint8_t gx = generator_power(x_place);
    uint8_t gy = generator_power(y_place);
    uint8_t inverse = gf_inv(gx ^ gy);
    struct parity_map map = {0};

    ASSERT(p_place >= 0 && q_place >= 0);
    ASSERT(gx != gy);
    for (uint32_t place = 0; place < width; place++) {
        if ((skip_mask >> place & 1u) == 0) {
            uint8_t gi = generator_power(place);

            map_add_source(&map, columns[place], gf_mul(inverse, gi ^ gy),
                           gf_mul(inverse, gi ^ gx));
        }
    }
    map_add_source(&map, columns[p_place], gf_mul(inverse, gy), gf_mul(inverse, gx));
    map_add_source(&map, columns[q_place], inverse, inverse);
    map_add_target(&map, columns[x_place]);
    map_add_target(&map, columns[y_place]);
    map_run(&map, bytes);
}

static void recover_data(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                         uint32_t lost_mask, size_t bytes)
{
    uint32_t parity_mask = place_bit(p_place) | place_bit(q_place);
    uint32_t lost_data = lost_mask & ~parity_mask;
    uint32_t x_place = (uint32_t)__builtin_ctz(lost_data);

    ASSERT(lost_data != 0);
    if (lost_data != (UINT32_C(1) << x_place)) {
        ASSERT((lost_mask & parity_mask) == 0);
        recover_two(columns, width, p_place, q_place, lost_data, bytes);
    } else if (p_place >= 0 && (lost_mask & place_bit(p_place)) == 0) {
        xor_places(columns[x_place], columns, width, parity_mask | lost_data, columns[p_place],
                   bytes);
    } else {
        ASSERT(q_place >= 0 && (lost_mask & place_bit(q_place)) == 0);
        recover_one_from_q(columns, width, parity_mask, x_place, columns[q_place], bytes);
    }
}

void parity_recover(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                    uint32_t lost_mask, size_t bytes)
{
    uint32_t parity_mask = place_bit(p_place) | place_bit(q_place);
    uint32_t parity_count = (uint32_t)__builtin_popcount(parity_mask);

    ASSERT(width >= 2 && width <= PARITY_WIDTH_MAX);
    ASSERT(p_place < (int)width && q_place < (int)width);
    ASSERT(width == 32 || lost_mask >> width == 0);
    ASSERT((uint32_t)__builtin_popcount(lost_mask) <= parity_count);
    check_length(bytes);
    if ((lost_mask & ~parity_mask) != 0) {
        recover_data(columns, width, p_place, q_place, lost_mask, bytes);
    }
    if ((lost_mask & parity_mask) != 0) {
        uint8_t *p = (lost_mask & place_bit(p_place)) != 0 ? columns[p_place] : NULL;
        uint8_t *q = (lost_mask & place_bit(q_place)) != 0 ? columns[q_place] : NULL;

        if (q != NULL) {
            generate_q(columns, width, parity_mask, p, q, bytes);
        } else {
            xor_places(p, columns, width, parity_mask, NULL, bytes);
        }
    }
}

/* q += power * delta */
static void update_q(uint8_t *q, uint8_t power, uint8_t *delta, size_t bytes)
{
    struct parity_map map = {0};

    map_add_source(&map, q, 1, 0);
    map_add_source(&map, delta, power, 0);
    map_add_target(&map, q);
    map_run(&map, bytes);
}

void parity_update(uint8_t *p, uint8_t *q, uint32_t place, const uint8_t *delta, size_t bytes)
{
    /* ISA-L only reads through the pointer although its type lacks the const. */
    uint8_t *source = (uint8_t *)(uintptr_t)delta;

    ASSERT(p != NULL || q != NULL);
    ASSERT(p != q);
    check_length(bytes);
    check_buffer(delta);
    if (p != NULL) {
        uint8_t *sources[2] = {p, source};

        parity_xor(p, sources, 2, bytes);
    }
    if (q != NULL) {
        update_q(q, generator_power(place), source, bytes);
    }
}
