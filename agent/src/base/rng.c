/*
 * The generator behind rng.h.
 *
 * (1) The state is never all zero once seeded: splitmix64 is a bijection of distinct
 *     counters, so at most one of the four words can be zero.
 */
#include "base/rng.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"

static uint64_t rotate_left(uint64_t value, unsigned int count)
{
    ASSERT(count > 0 && count < 64);
    return value << count | value >> (64 - count);
}

static uint64_t splitmix_next(uint64_t *counter)
{
    uint64_t z = 0;

    *counter += UINT64_C(0x9E3779B97F4A7C15);
    z = *counter;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

void rng_seed(struct rng *rng, uint64_t seed)
{
    uint64_t counter = seed;

    for (size_t i = 0; i < 4; i++) {
        rng->state[i] = splitmix_next(&counter);
    }
    ASSERT((rng->state[0] | rng->state[1]) != 0); /* (1) */
}

uint64_t rng_u64(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    ASSERT((s[0] | s[1] | s[2] | s[3]) != 0);
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    uint64_t threshold = 0;
    uint64_t value = 0;

    ASSERT(bound > 0);
    /* 2^64 mod bound: values below it would make small results more likely. */
    threshold = (0 - bound) % bound;
    do {
        value = rng_u64(rng);
    } while (value < threshold);
    return value % bound;
}

void rng_fill(struct rng *rng, void *buffer, size_t bytes)
{
    uint8_t *out = buffer;
    uint8_t word[8];

    ASSERT(buffer != NULL || bytes == 0);
    while (bytes >= sizeof(word)) {
        put_le64(out, rng_u64(rng));
        out += sizeof(word);
        bytes -= sizeof(word);
    }
    if (bytes > 0) {
        put_le64(word, rng_u64(rng));
        memcpy(out, word, bytes);
    }
}
