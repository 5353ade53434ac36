/*
 * See sha256_ni.h. The instructions want the eight words of the state as (a b e f) and (c d g h),
 * and do two rounds at once with each of these turned into the other.
 */
#include "base/sha256_ni.h"

#include "base/assert.h"

static bool forbidden;

void sha256_ni_allow(bool allowed)
{
    forbidden = !allowed;
}

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_SHA __attribute__((target("sha,sse4.1")))

bool sha256_ni_usable(void)
{
    bool has_sha = __builtin_cpu_supports("sha");
    bool has_sse4_1 = __builtin_cpu_supports("sse4.1");

    return has_sha & has_sse4_1 & !forbidden;
}

WITH_SHA static __m128i load(const void *words)
{
    return _mm_loadu_si128(words);
}

/* Four words of the schedule from the sixteen before them. */
WITH_SHA static __m128i schedule_next(const __m128i before[4])
{
    __m128i sum = _mm_sha256msg1_epu32(before[0], before[1]);

    sum = _mm_add_epi32(sum, _mm_alignr_epi8(before[3], before[2], 4));
    return _mm_sha256msg2_epu32(sum, before[3]);
}

WITH_SHA static void block_mix(__m128i *abef, __m128i *cdgh, const uint32_t constants[64],
                               const uint8_t *block)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i one = *abef;
    __m128i two = *cdgh;
    __m128i words[4];

    for (uint32_t i = 0; i < 4; i++) {
        words[i] = _mm_shuffle_epi8(load(block + 16 * i), swap);
    }
    for (uint32_t i = 0; i < 16; i++) {
        __m128i sum = _mm_add_epi32(words[0], load(constants + 4 * i));
        __m128i next = schedule_next(words);

        two = _mm_sha256rnds2_epu32(two, one, sum);
        one = _mm_sha256rnds2_epu32(one, two, _mm_shuffle_epi32(sum, 0x0e));
        words[0] = words[1];
        words[1] = words[2];
        words[2] = words[3];
        words[3] = next;
    }
    *abef = _mm_add_epi32(*abef, one);
    *cdgh = _mm_add_epi32(*cdgh, two);
}

WITH_SHA void sha256_ni_mix(uint32_t state[8], const uint32_t constants[64], const uint8_t *blocks,
                            size_t count)
{
    __m128i badc = _mm_shuffle_epi32(load(state), 0xb1);
    __m128i hgfe = _mm_shuffle_epi32(load(state + 4), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    __m128i feba;
    __m128i dchg;

    for (size_t i = 0; i < count; i++) {
        block_mix(&abef, &cdgh, constants, blocks + 64 * i);
    }
    feba = _mm_shuffle_epi32(abef, 0x1b);
    dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#else

bool sha256_ni_usable(void)
{
    return false;
}

void sha256_ni_mix(uint32_t state[8], const uint32_t constants[64], const uint8_t *blocks,
                   size_t count)
{
    (void)state;
    (void)constants;
    (void)blocks;
    (void)count;
    UNREACHABLE();
}

#endif
