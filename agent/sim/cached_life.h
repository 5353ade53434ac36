/*
 * One simulated life of virtual drives behind the cache: random requests, changes of policy, the
 * agent's death, power cuts, drives that go away and come back. The medium of the cache survives
 * as its kind says: shared memory the agent's death, a persistent medium everything.
 */
#ifndef ARRAYWRIGHT_SIM_CACHED_LIFE_H
#define ARRAYWRIGHT_SIM_CACHED_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct life_result {
    bool failed;
    char why[256];
    char shape[128];
    uint32_t crashes;
    uint64_t requests;
};

void cached_life(uint64_t seed, uint32_t requests, struct life_result *ret_result);
/* A story instead (cached_story.c): what a lost log still has of an earlier life is discarded,
 * something is written at once, and the power goes or the agent dies in that very moment. */
void cached_discard(uint64_t seed, struct life_result *ret_result);
/* Another: what is being read ahead is written meanwhile, and then read. */
void cached_join(uint64_t seed, struct life_result *ret_result);

#endif
