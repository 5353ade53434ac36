/*
 * A fast, seedable generator (xoshiro256**, seeded through splitmix64). The same seed
 * gives the same sequence on every machine. Not for secrets.
 */
#ifndef ARRAYWRIGHT_BASE_RNG_H
#define ARRAYWRIGHT_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t state[4];
};

void rng_seed(struct rng *rng, uint64_t seed);
uint64_t rng_u64(struct rng *rng);
/* Uniform in [0, bound), without bias; bound > 0. */
uint64_t rng_below(struct rng *rng, uint64_t bound);
void rng_fill(struct rng *rng, void *buffer, size_t bytes);

#endif
