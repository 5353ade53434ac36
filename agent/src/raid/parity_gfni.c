/*
 * See parity_gfni.h. Multiplication by a constant is linear over the bits of a byte, so it is an
 * 8 x 8 matrix of bits, and the instruction gf2p8affineqb applies one to 64 bytes at once. (Its
 * sister gf2p8mulb is of no use here: its polynomial is 0x11B, that of RAID 6 is 0x11D.)
 */
#include "raid/parity_gfni.h"

#include "base/assert.h"

static bool forbidden;

void parity_gfni_allow(bool allowed)
{
    forbidden = !allowed;
}

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_GFNI __attribute__((target("avx512f,avx512bw,gfni")))
/* One copy of the loops below for each kind of map, its constants folded. */
#define SPECIALISED WITH_GFNI __attribute__((flatten))
#define BLOCK_BYTES 256u /* four registers per target */
/* Else the sums would live in memory. */
#define UNROLLED _Pragma("GCC unroll 4")

bool parity_gfni_usable(void)
{
    bool has_avx512f = __builtin_cpu_supports("avx512f");
    bool has_avx512bw = __builtin_cpu_supports("avx512bw");
    bool has_gfni = __builtin_cpu_supports("gfni");

    return has_avx512f & has_avx512bw & has_gfni & !forbidden;
}

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

/* One target of one block: the sum so far, and what a source adds to it. */
struct block_sum {
    __m512i part[BLOCK_BYTES / 64];
};

WITH_GFNI static inline void add(struct block_sum *sum, const __m512i *data, __m512i matrix,
                                 bool plain)
{
    UNROLLED
    for (uint32_t i = 0; i < BLOCK_BYTES / 64; i++) {
        __m512i product = plain ? data[i] : _mm512_gf2p8affine_epi64_epi8(data[i], matrix, 0);

        sum->part[i] = _mm512_xor_si512(sum->part[i], product);
    }
}

/* The loops of all cases; the constants are folded where it is called. */
WITH_GFNI static inline void map_blocks(uint8_t *const *sources, uint32_t source_count,
                                        uint8_t *const *targets,
                                        const uint64_t matrices[][PARITY_WIDTH_MAX], size_t bytes,
                                        bool two, bool plain)
{
    for (size_t at = 0; at < bytes; at += BLOCK_BYTES) {
        struct block_sum first = {0};
        struct block_sum second = {0};

        for (uint32_t s = 0; s < source_count; s++) {
            __m512i data[BLOCK_BYTES / 64];

            UNROLLED
            for (uint32_t i = 0; i < BLOCK_BYTES / 64; i++) {
                data[i] = _mm512_load_si512(sources[s] + at + i * 64);
            }
            add(&first, data, _mm512_set1_epi64((long long)matrices[0][s]), false);
            if (two) {
                add(&second, data, _mm512_set1_epi64((long long)matrices[1][s]), plain);
            }
        }
        UNROLLED
        for (uint32_t i = 0; i < BLOCK_BYTES / 64; i++) {
            _mm512_store_si512(targets[0] + at + i * 64, first.part[i]);
            if (two) {
                _mm512_store_si512(targets[1] + at + i * 64, second.part[i]);
            }
        }
    }
}

SPECIALISED static void map_one(uint8_t *const *sources, uint32_t source_count,
                                uint8_t *const *targets,
                                const uint64_t matrices[][PARITY_WIDTH_MAX], size_t bytes)
{
    map_blocks(sources, source_count, targets, matrices, bytes, false, false);
}

SPECIALISED static void map_two(uint8_t *const *sources, uint32_t source_count,
                                uint8_t *const *targets,
                                const uint64_t matrices[][PARITY_WIDTH_MAX], size_t bytes)
{
    map_blocks(sources, source_count, targets, matrices, bytes, true, false);
}

/* The second target is the plain XOR: P beside Q. */
SPECIALISED static void map_two_plain(uint8_t *const *sources, uint32_t source_count,
                                      uint8_t *const *targets,
                                      const uint64_t matrices[][PARITY_WIDTH_MAX], size_t bytes)
{
    map_blocks(sources, source_count, targets, matrices, bytes, true, true);
}

void parity_gfni_map(uint8_t *const *sources, uint32_t source_count, uint8_t *const *targets,
                     uint32_t target_count,
                     const uint8_t coefficients[PARITY_GFNI_TARGETS_MAX][PARITY_WIDTH_MAX],
                     size_t bytes)
{
    uint64_t matrices[PARITY_GFNI_TARGETS_MAX][PARITY_WIDTH_MAX];
    bool plain = true;

    ASSERT(source_count >= 1 && source_count <= PARITY_WIDTH_MAX);
    ASSERT(target_count == 1 || target_count == 2);
    ASSERT(bytes > 0 && bytes % BLOCK_BYTES == 0);
    for (uint32_t s = 0; s < source_count; s++) {
        matrices[0][s] = matrix_of(coefficients[0][s]);
        plain = plain && coefficients[1][s] == 1;
    }
    for (uint32_t s = 0; s < source_count && target_count == 2 && !plain; s++) {
        matrices[1][s] = matrix_of(coefficients[1][s]);
    }
    if (target_count == 1) {
        map_one(sources, source_count, targets, matrices, bytes);
    } else if (plain) {
        map_two_plain(sources, source_count, targets, matrices, bytes);
    } else {
        map_two(sources, source_count, targets, matrices, bytes);
    }
}

#else

bool parity_gfni_usable(void)
{
    return false;
}

void parity_gfni_map(uint8_t *const *sources, uint32_t source_count, uint8_t *const *targets,
                     uint32_t target_count,
                     const uint8_t coefficients[PARITY_GFNI_TARGETS_MAX][PARITY_WIDTH_MAX],
                     size_t bytes)
{
    (void)sources, (void)source_count, (void)targets, (void)target_count;
    (void)coefficients, (void)bytes;
    UNREACHABLE();
}

#endif
