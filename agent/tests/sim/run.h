/*
 * One simulated life of a drive group, out of one seed: shape, load, faults, replacements,
 * tasks, restarts and power cuts; checked by the model all the way.
 *
 * Within budget (the default): at any time the drives in trouble are no more than the level
 * bears, and then no request may fail. Over budget: anything may break; a request may fail, but
 * must not lie, and what was acknowledged is there again when the drives are.
 */
#ifndef ARRAYWRIGHT_TESTS_RUN_H
#define ARRAYWRIGHT_TESTS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "raid/geometry.h"

struct run_options {
    uint64_t seed;
    uint32_t requests;    /* how many to do */
    bool over_budget;
    bool crashes;         /* power cuts now and then */
    bool verbose;
    int level;            /* enum raid_level, or -1: by the seed */
    bool calm;            /* no drive faults, only what the other options ask for */
};

struct run_result {
    bool failed;
    char why[256];
    uint64_t requests;
    uint64_t faults;
    uint64_t crashes;
    uint64_t restarts;
    uint64_t rebuilds;
    uint64_t syncs;
    uint64_t replacements;
    uint64_t hash;        /* of everything that happened: two runs of a seed agree */
    char shape[96];
};

void run(const struct run_options *options, struct run_result *ret_result);

#endif
