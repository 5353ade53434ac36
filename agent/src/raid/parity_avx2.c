/*
 * P+Q without GFNI. Q is a polynomial in g with the data as coefficients, so Horner's rule needs
 * one doubling of all bytes at once for each place, data or not, and no table.
 */
#include "base/assert.h"
#include "raid/parity_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))
#define PARTS 2u /* registers of a block: with more, doubling waits for registers */
#define BLOCK_BYTES (PARTS * 32u)
#define UNROLLED _Pragma("GCC unroll 2")

/* g * x: a bit that is shifted out comes back as 0x1D. */
WITH_AVX2 static inline __m256i doubled(__m256i x)
{
    __m256i lost = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x);

    return _mm256_xor_si256(_mm256_add_epi8(x, x), _mm256_and_si256(lost, _mm256_set1_epi8(0x1D)));
}

WITH_AVX2 static inline void horner(const struct parity_map *map, size_t bytes, bool two)
{
    uint32_t last = map->source_count - 1;

    for (size_t at = 0; at < bytes; at += BLOCK_BYTES) {
        __m256i q[PARTS];
        __m256i p[PARTS];
        uint32_t exponent = map->exponents[last];

        UNROLLED
        for (uint32_t i = 0; i < PARTS; i++) {
            q[i] = p[i] = _mm256_load_si256(
                (const __m256i *)(const void *)(map->sources[last] + at + i * 32));
        }
        for (uint32_t s = last; s-- > 0;) {
            const uint8_t *source = map->sources[s] + at;

            /* Exponents rise: one doubling is always due, more where a place is left out. */
            for (exponent--; exponent > map->exponents[s]; exponent--) {
                UNROLLED
                for (uint32_t i = 0; i < PARTS; i++) {
                    q[i] = doubled(q[i]);
                }
            }
            UNROLLED
            for (uint32_t i = 0; i < PARTS; i++) {
                __m256i data = _mm256_load_si256((const __m256i *)(const void *)(source + i * 32));

                q[i] = _mm256_xor_si256(doubled(q[i]), data);
                p[i] = _mm256_xor_si256(p[i], data);
            }
        }
        for (; exponent > 0; exponent--) {
            UNROLLED
            for (uint32_t i = 0; i < PARTS; i++) {
                q[i] = doubled(q[i]);
            }
        }
        UNROLLED
        for (uint32_t i = 0; i < PARTS; i++) {
            _mm256_store_si256((__m256i *)(void *)(map->targets[0] + at + i * 32), q[i]);
            if (two) {
                _mm256_store_si256((__m256i *)(void *)(map->targets[1] + at + i * 32), p[i]);
            }
        }
    }
}

WITH_AVX2 __attribute__((flatten)) static void horner_q(const struct parity_map *map, size_t bytes)
{
    horner(map, bytes, false);
}

WITH_AVX2 __attribute__((flatten)) static void horner_pq(const struct parity_map *map, size_t bytes)
{
    horner(map, bytes, true);
}

static void run(const struct parity_map *map, size_t bytes)
{
    ASSERT(map->is_pq);
    ASSERT(map->source_count >= 1 && map->source_count <= PARITY_WIDTH_MAX);
    ASSERT(bytes > 0 && bytes % BLOCK_BYTES == 0);
    if (map->target_count == 1) {
        horner_q(map, bytes);
    } else {
        horner_pq(map, bytes);
    }
}

static bool is_usable(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

#else

static void run(const struct parity_map *map, size_t bytes)
{
    (void)map, (void)bytes;
    UNREACHABLE();
}

static bool is_usable(void)
{
    return false;
}

#endif

const struct parity_kernel parity_avx2 = {
    .name = "avx2", .pq_only = true, .is_usable = is_usable, .run = run};
