/*
 * Many simulated lives: what a seed means, totals, and a life in a process of its own, so that a
 * failed assertion or a sanitizer's report is a failure like any other.
 */
#ifndef ARRAYWRIGHT_SIM_LIVES_H
#define ARRAYWRIGHT_SIM_LIVES_H

#include "run.h"

#define LIVES_STEPS_MAX 1024u

struct lives_totals {
    uint64_t lives, over_budget, repeated;
    uint64_t requests, faults, crashes, restarts, rebuilds, replacements;
    uint64_t crash_points, loss_sets, each_loss_points, each_loss_sets, told_blocks, boundaries;
    uint64_t firings[RUN_CLASS_MAX];
    uint64_t cuts[SIM_CUT_MAX];
};

/* The life that a seed of `arraysim crash` stands for; one in five is over budget. */
struct run_options lives_options(uint64_t seed);
/* The same of `arraysim stripe`. */
struct run_options lives_stripe_options(uint64_t seed);
void lives_add(struct lives_totals *totals, const struct run_options *options,
               const struct run_result *result);
/* One for each of enum run_class: a line; and a member of an object. */
void lives_firings_print(const uint64_t *firings);
void lives_firings_print_json(const uint64_t *firings);
void lives_print(const struct lives_totals *totals, double seconds);
/* The same as one line of JSON, for the ledger of long runs. */
void lives_print_json(const struct lives_totals *totals, uint64_t seed, double seconds);

/* Runs the life in a child. failed and why tell of assertions and crashes too; the rest is as
 * the child left it, or zero if it ended otherwise. */
void lives_run_apart(const struct run_options *options, struct run_result *ret_result);

/* Two failures are the same if they differ in numbers only. */
bool lives_same_failure(const char *a, const char *b);

/* Leaves out of a failing life what it does not need: steps, then classes. skipped has one byte
 * per step, options->skipped points at it afterwards. Returns how many steps are left. */
uint32_t lives_shrink(struct run_options *options, const char *why, uint8_t *skipped,
                      double limit_seconds);

#endif
