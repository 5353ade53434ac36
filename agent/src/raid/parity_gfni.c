/*
 * GFNI kernels. Multiplication by a constant is linear over the bits of a byte, so it is an
 * 8 x 8 matrix of bits, and the instruction gf2p8affineqb applies one to each byte of a register.
 * (Its sister gf2p8mulb is of no use here: its polynomial is 0x11B, that of RAID 6 is 0x11D.)
 */
#include "base/assert.h"
#include "raid/parity_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* One copy of the loops below for each kind of map, its constants folded. */
#define WIDE __attribute__((target("avx512f,avx512bw,gfni")))
#define NARROW __attribute__((target("avx2,gfni")))
#define PARTS 4u /* registers of a block */
/* Else the sums would live in memory. */
#define UNROLLED _Pragma("GCC unroll 4")

struct matrices {
    uint64_t of[PARITY_TARGETS_MAX][PARITY_WIDTH_MAX];
};

/* Hacker's Delight, 7-3: bit c of byte r goes to bit r of byte c. */
static uint64_t transpose(uint64_t x)
{
    uint64_t t = (x ^ (x >> 7)) & UINT64_C(0x00AA00AA00AA00AA);

    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & UINT64_C(0x0000CCCC0000CCCC);
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & UINT64_C(0x00000000F0F0F0F0);
    return x ^ t ^ (t << 28);
}

/* The instruction's matrix for multiplication by c: byte 7 - r says which bits of the source
 * make bit r of the product. */
static uint64_t matrix_of(uint8_t coefficient)
{
    uint32_t product = coefficient;
    uint64_t columns = 0;

    for (uint32_t bit = 0; bit < 8; bit++) {
        columns |= (uint64_t)product << (8 * bit); /* byte `bit`: c * 2^bit */
        product = product << 1 ^ ((product & 0x80u) != 0 ? 0x11Du : 0);
    }
    return __builtin_bswap64(transpose(columns));
}

static void make_matrices(const struct parity_map *map, struct matrices *ret_matrices)
{
    ASSERT(map->source_count >= 1 && map->source_count <= PARITY_WIDTH_MAX);
    ASSERT(map->target_count == 1 || map->target_count == 2);
    for (uint32_t t = 0; t < PARITY_TARGETS_MAX; t++) {
        for (uint32_t s = 0; s < map->source_count; s++) {
            ret_matrices->of[t][s] = matrix_of(map->coefficients[t][s]);
        }
    }
}

/* 64 bytes at once. Sources are taken in pairs: one instruction adds both products to a sum. */

#define WIDE_BYTES (PARTS * 64u)
#define XOR3 0x96 /* its truth table */

struct wide {
    __m512i part[PARTS];
};

WIDE static inline struct wide wide_load(const uint8_t *source)
{
    struct wide block;

    UNROLLED
    for (uint32_t i = 0; i < PARTS; i++) {
        block.part[i] = _mm512_load_si512(source + i * 64);
    }
    return block;
}

WIDE static inline void wide_store(uint8_t *target, const struct wide *block)
{
    UNROLLED
    for (uint32_t i = 0; i < PARTS; i++) {
        _mm512_store_si512(target + i * 64, block->part[i]);
    }
}

WIDE static inline __m512i wide_times(__m512i data, uint64_t matrix, bool plain)
{
    return plain ? data
                 : _mm512_gf2p8affine_epi64_epi8(data, _mm512_set1_epi64((long long)matrix), 0);
}

WIDE static inline void wide_add(struct wide *sum, const struct wide *a, uint64_t matrix_a,
                                 const struct wide *b, uint64_t matrix_b, bool plain)
{
    UNROLLED
    for (uint32_t i = 0; i < PARTS; i++) {
        sum->part[i] =
            _mm512_ternarylogic_epi64(sum->part[i], wide_times(a->part[i], matrix_a, plain),
                                      wide_times(b->part[i], matrix_b, plain), XOR3);
    }
}

/* The loops of all cases; the constants are folded where it is called. */
WIDE static inline void wide_blocks(const struct parity_map *map, const struct matrices *matrices,
                                    size_t bytes, bool two, bool plain)
{
    for (size_t at = 0; at < bytes; at += WIDE_BYTES) {
        struct wide first = {0};
        struct wide second = {0};
        uint32_t s = map->source_count % 2;

        if (s != 0) {
            struct wide a = wide_load(map->sources[0] + at);
            struct wide none = {0};

            wide_add(&first, &a, matrices->of[0][0], &none, 0, false);
            if (two) {
                wide_add(&second, &a, matrices->of[1][0], &none, 0, plain);
            }
        }
        for (; s < map->source_count; s += 2) {
            struct wide a = wide_load(map->sources[s] + at);
            struct wide b = wide_load(map->sources[s + 1] + at);

            wide_add(&first, &a, matrices->of[0][s], &b, matrices->of[0][s + 1], false);
            if (two) {
                wide_add(&second, &a, matrices->of[1][s], &b, matrices->of[1][s + 1], plain);
            }
        }
        wide_store(map->targets[0] + at, &first);
        if (two) {
            wide_store(map->targets[1] + at, &second);
        }
    }
}

WIDE __attribute__((flatten)) static void wide_one(const struct parity_map *map,
                                                   const struct matrices *matrices, size_t bytes)
{
    wide_blocks(map, matrices, bytes, false, false);
}

WIDE __attribute__((flatten)) static void wide_two(const struct parity_map *map,
                                                   const struct matrices *matrices, size_t bytes)
{
    wide_blocks(map, matrices, bytes, true, false);
}

/* The second target is the plain XOR: P beside Q. */
WIDE __attribute__((flatten)) static void wide_pq(const struct parity_map *map,
                                                  const struct matrices *matrices, size_t bytes)
{
    wide_blocks(map, matrices, bytes, true, true);
}

static void run_wide(const struct parity_map *map, size_t bytes)
{
    struct matrices matrices;

    ASSERT(bytes > 0 && bytes % WIDE_BYTES == 0);
    make_matrices(map, &matrices);
    if (map->target_count == 1) {
        wide_one(map, &matrices, bytes);
    } else if (map->is_pq) {
        wide_pq(map, &matrices, bytes);
    } else {
        wide_two(map, &matrices, bytes);
    }
}

/* 32 bytes at once: 16 registers, so one source after the other. */

#define NARROW_BYTES (PARTS * 32u)

struct narrow {
    __m256i part[PARTS];
};

NARROW static inline void narrow_add(struct narrow *sum, const uint8_t *source, uint64_t matrix)
{
    UNROLLED
    for (uint32_t i = 0; i < PARTS; i++) {
        __m256i data = _mm256_load_si256((const __m256i *)(const void *)(source + i * 32));

        data = _mm256_gf2p8affine_epi64_epi8(data, _mm256_set1_epi64x((long long)matrix), 0);
        sum->part[i] = _mm256_xor_si256(sum->part[i], data);
    }
}

NARROW static inline void narrow_store(uint8_t *target, const struct narrow *block)
{
    UNROLLED
    for (uint32_t i = 0; i < PARTS; i++) {
        _mm256_store_si256((__m256i *)(void *)(target + i * 32), block->part[i]);
    }
}

NARROW static inline void narrow_blocks(const struct parity_map *map,
                                        const struct matrices *matrices, size_t bytes, bool two)
{
    for (size_t at = 0; at < bytes; at += NARROW_BYTES) {
        struct narrow first = {0};
        struct narrow second = {0};

        for (uint32_t s = 0; s < map->source_count; s++) {
            narrow_add(&first, map->sources[s] + at, matrices->of[0][s]);
            if (two) {
                narrow_add(&second, map->sources[s] + at, matrices->of[1][s]);
            }
        }
        narrow_store(map->targets[0] + at, &first);
        if (two) {
            narrow_store(map->targets[1] + at, &second);
        }
    }
}

NARROW __attribute__((flatten)) static void narrow_one(const struct parity_map *map,
                                                       const struct matrices *matrices,
                                                       size_t bytes)
{
    narrow_blocks(map, matrices, bytes, false);
}

NARROW __attribute__((flatten)) static void narrow_two(const struct parity_map *map,
                                                       const struct matrices *matrices,
                                                       size_t bytes)
{
    narrow_blocks(map, matrices, bytes, true);
}

static void run_narrow(const struct parity_map *map, size_t bytes)
{
    struct matrices matrices;

    ASSERT(bytes > 0 && bytes % NARROW_BYTES == 0);
    make_matrices(map, &matrices);
    if (map->target_count == 1) {
        narrow_one(map, &matrices, bytes);
    } else {
        narrow_two(map, &matrices, bytes);
    }
}

static bool wide_is_usable(void)
{
    bool has_avx512f = __builtin_cpu_supports("avx512f");
    bool has_avx512bw = __builtin_cpu_supports("avx512bw");
    bool has_gfni = __builtin_cpu_supports("gfni");

    return has_avx512f & has_avx512bw & has_gfni;
}

static bool narrow_is_usable(void)
{
    bool has_avx2 = __builtin_cpu_supports("avx2");
    bool has_gfni = __builtin_cpu_supports("gfni");

    return has_avx2 & has_gfni;
}

#else

static bool wide_is_usable(void)
{
    return false;
}

static bool narrow_is_usable(void)
{
    return false;
}

static void run_wide(const struct parity_map *map, size_t bytes)
{
    (void)map, (void)bytes;
    UNREACHABLE();
}

static void run_narrow(const struct parity_map *map, size_t bytes)
{
    run_wide(map, bytes);
}

#endif

const struct parity_kernel parity_gfni_avx512 = {
    .name = "gfni-avx512", .is_usable = wide_is_usable, .run = run_wide};
const struct parity_kernel parity_gfni_avx2 = {
    .name = "gfni-avx2", .is_usable = narrow_is_usable, .run = run_narrow};
