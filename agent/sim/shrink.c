/*
 * The shrinker (lives.h): a failing life without the steps and the classes of faults that the
 * same failure does not need. Chunks of steps first, halving, as in delta debugging.
 */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/assert.h"
#include "lives.h"

struct shrink {
    struct run_options *options;
    const char *why;
    uint8_t *skipped;
    double end;
};

static bool fails_the_same(const struct shrink *shrink)
{
    struct run_result result;

    lives_run_apart(shrink->options, &result);
    return result.failed && lives_same_failure(result.why, shrink->why);
}

static uint32_t steps_left(const struct shrink *shrink)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < shrink->options->requests; i++) {
        left += shrink->skipped[i] == 0 ? 1u : 0u;
    }
    return left;
}

/* Tries to leave out `count` of the remaining steps, beginning with the `first`th of them. */
static bool chunk_drop(struct shrink *shrink, uint32_t first, uint32_t count)
{
    uint8_t before[LIVES_STEPS_MAX];
    uint32_t seen = 0;

    memcpy(before, shrink->skipped, sizeof(before));
    for (uint32_t i = 0; i < shrink->options->requests; i++) {
        if (before[i] == 0 && seen++ >= first && seen <= first + count) {
            shrink->skipped[i] = 1;
        }
    }
    /* One step stays in any case: a command without any could not be told from one of all. */
    if (steps_left(shrink) > 0 && fails_the_same(shrink)) {
        return true;
    }
    memcpy(shrink->skipped, before, sizeof(before));
    return false;
}

static void steps_shrink(struct shrink *shrink)
{
    uint32_t chunk = steps_left(shrink) / 2;

    while (chunk > 0 && lives_now() < shrink->end) {
        bool any = false;
        uint32_t at = 0;

        while (at < steps_left(shrink) && lives_now() < shrink->end) {
            if (chunk_drop(shrink, at, chunk)) {
                any = true;
            } else {
                at += chunk;
            }
        }
        chunk = any && chunk == 1 ? 1 : chunk / 2;
    }
}

static void classes_shrink(struct shrink *shrink)
{
    for (uint32_t i = 0; i < RUN_CLASS_MAX && lives_now() < shrink->end; i++) {
        uint32_t before = shrink->options->classes_off;

        shrink->options->classes_off |= UINT32_C(1) << i;
        if (!fails_the_same(shrink)) {
            shrink->options->classes_off = before;
        }
    }
}

uint32_t lives_shrink(struct run_options *options, const char *why, uint8_t *skipped,
                      double limit_seconds)
{
    struct shrink shrink = {options, why, skipped, lives_now() + limit_seconds};

    ASSERT(options->requests <= LIVES_STEPS_MAX);
    if (options->skipped == NULL) {
        memset(skipped, 0, LIVES_STEPS_MAX);
    }
    options->skipped = skipped;
    if (!fails_the_same(&shrink)) {
        return steps_left(&shrink); /* it is not the life alone that decides: say all */
    }
    steps_shrink(&shrink);
    classes_shrink(&shrink);
    return steps_left(&shrink);
}
