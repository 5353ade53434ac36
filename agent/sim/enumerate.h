/*
 * Exhaustive small scope: every workload of a few operations on tiny groups, every crash point of
 * it, every subset of the page writes that are not durable there (sampled beyond a bound). What
 * random lives meet with luck this meets for sure. Every level; RAID 50 and 60, of six and eight
 * drives, with workloads of one operation less.
 */
#ifndef ARRAYWRIGHT_SIM_ENUMERATE_H
#define ARRAYWRIGHT_SIM_ENUMERATE_H

#include "run.h"

struct enumerate_options {
    uint32_t operations; /* 1 to 3 in a workload */
    uint32_t pages;      /* all subsets of up to so many, 12 at most; beyond that samples */
    uint32_t samples;
    int level;           /* enum raid_level, or -1: all of the scope */
    uint64_t seed;       /* of the samples */
};

struct enumerate_result {
    bool failed;
    char why[512];
    uint64_t workloads;
    uint64_t boundaries;
    uint64_t subsets;    /* states looked at */
    uint64_t sampled;    /* boundaries with more pages than all subsets are taken of */
    uint64_t verified;   /* that had not been seen before: recovered and verified */
    uint64_t each_loss_points; /* that have healed to what had not been seen before, */
    uint64_t each_loss_sets;   /* verified without each tolerable set of drives: so many sets */
};

void enumerate(const struct enumerate_options *options, struct enumerate_result *ret_result);

#endif
