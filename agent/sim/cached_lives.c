/*
 * Many lives behind the cache (cached_lives.h).
 */
#include "cached_lives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/assert.h"
#include "base/sim_bug.h"
#include "cache/sim_bug.h"
#include "cached_life.h"
#include "lives.h"
#include "raid/geometry.h"

#define REQUESTS 250u
#define REPEATED_EACH 100u /* so often a life is lived twice */

/* In the order in which they are printed. */
static const struct {
    const char *name;
    size_t offset;
} counters[] = {
    {"requests", offsetof(struct life_result, requests)},
    {"crash_points", offsetof(struct life_result, crash_points)},
    {"crashes", offsetof(struct life_result, crashes)},
    {"deaths", offsetof(struct life_result, deaths)},
    {"reads", offsetof(struct life_result, reads)},
    {"looks", offsetof(struct life_result, looks)},
    {"writes", offsetof(struct life_result, writes)},
    {"back", offsetof(struct life_result, back)},
    {"flushes", offsetof(struct life_result, flushes)},
    {"restarts", offsetof(struct life_result, restarts)},
    {"recoveries", offsetof(struct life_result, recoveries)},
    {"pinned", offsetof(struct life_result, pinned)},
    {"media_lost", offsetof(struct life_result, media_lost)},
    {"losses_noted", offsetof(struct life_result, losses_noted)},
    {"members_lost", offsetof(struct life_result, members_lost)},
    {"degraded_starts", offsetof(struct life_result, degraded_starts)},
    {"policy_changes", offsetof(struct life_result, policy_changes)},
    {"grown", offsetof(struct life_result, grown)},
    {"ends_refused", offsetof(struct life_result, ends_refused)},
    {"rebuild_ends", offsetof(struct life_result, rebuild_ends)},
    {"faults", offsetof(struct life_result, drives.faults)},
    {"replacements", offsetof(struct life_result, drives.replacements)},
    {"rebuilds", offsetof(struct life_result, drives.rebuilds)},
    {"copybacks", offsetof(struct life_result, drives.copybacks)},
    {"syncs", offsetof(struct life_result, drives.syncs)},
    {"loss_sets", offsetof(struct life_result, drives.loss_sets)},
};
#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

static uint64_t *counter(struct life_result *result, size_t index)
{
    return (uint64_t *)(void *)((char *)result + counters[index].offset);
}

static void totals_add(struct life_result *totals, struct life_result *result)
{
    for (size_t i = 0; i < COUNTERS; i++) {
        *counter(totals, i) += *counter(result, i);
    }
    for (uint32_t i = 0; i < SIM_CUT_MAX; i++) {
        totals->cuts[i] += result->cuts[i];
    }
    for (uint32_t i = 0; i < RUN_CLASS_MAX; i++) {
        totals->drives.firings[i] += result->drives.firings[i];
    }
}

/* Arguments */

/* Those that these lives meet soon; the rest is for the stories and for the tests of the cache. */
static const struct {
    const char *name;
    enum cache_bug bug;
} bugs[] = {
    {"FREE_UNFLUSHED", CACHE_BUG_FREE_UNFLUSHED},
    {"NO_MARK", CACHE_BUG_NO_MARK},
    {"FLUSH_SHORT", CACHE_BUG_FLUSH_SHORT},
    {"FLUSH_LATER", CACHE_BUG_FLUSH_LATER},
    {"PASS_UNDRAINED", CACHE_BUG_PASS_UNDRAINED},
    {"STALE_FILL", CACHE_BUG_STALE_FILL},
    {"PARTIAL_FORGOTTEN", CACHE_BUG_PARTIAL_FORGOTTEN},
    {"ROW_TWICE", CACHE_BUG_ROW_TWICE},
    {"DISCARD_ON_ERROR", CACHE_BUG_DISCARD_ON_ERROR},
    {"LOG_ACK_EARLY", CACHE_BUG_LOG_ACK_EARLY},
    {"LOG_NOT_VOID", CACHE_BUG_LOG_NOT_VOID},
    {"KEPT_PARTIAL", CACHE_BUG_KEPT_PARTIAL},
    {"KEPT_PAST_TARGET", CACHE_BUG_KEPT_PAST_TARGET},
    {"KEPT_PAST_TWIN", CACHE_BUG_KEPT_PAST_TWIN},
    {"PUBLISH_FIRST", CACHE_BUG_PUBLISH_FIRST},
    {"NO_PERSIST_DATA", CACHE_BUG_NO_PERSIST_DATA},
    {"NO_PERSIST_WORD", CACHE_BUG_NO_PERSIST_WORD},
    {"OVERWRITE_IN_PLACE", CACHE_BUG_OVERWRITE_IN_PLACE},
    {"FREE_OLD_FIRST", CACHE_BUG_FREE_OLD_FIRST},
};

#define CACHE_BUGS (sizeof(bugs) / sizeof(bugs[0]))

/* Behind them those of the rest of the engine. */
static const char *bug_at(uint32_t index)
{
    return index < CACHE_BUGS ? bugs[index].name : sim_bugs[index - CACHE_BUGS + 1].name;
}

static void bug_plant(uint32_t index)
{
    if (index < CACHE_BUGS) {
        cache_bug_active = bugs[index].bug;
    } else {
        sim_bug_active = (enum sim_bug)(index - CACHE_BUGS + 1);
    }
}

static const char *bug_planted(void)
{
    for (size_t i = 0; i < CACHE_BUGS; i++) {
        if (cache_bug_active == bugs[i].bug) {
            return bugs[i].name;
        }
    }
    return sim_bug_active != SIM_BUG_NONE ? sim_bugs[sim_bug_active].name : NULL;
}

static const struct program program = {.name = "arraysim",
                                       .usage = CACHED_LIVES_USAGE,
                                       .bug_count = CACHE_BUGS + SIM_BUG_MAX - 1,
                                       .bug_name = bug_at,
                                       .bug_plant = bug_plant};

/* Lives */

static struct life_options running_options;
static struct life_result running;

static void failure_report(void)
{
    printf("FAILED seed %llu hash %016llx (%s): %s\n", (unsigned long long)running_options.seed,
           (unsigned long long)running.hash, running.shape, running.why);
    printf("arraysim cached --lives 1 --seed %llu", (unsigned long long)running_options.seed);
    if (running_options.level >= 0) {
        printf(" --level %s", raid_level_info((enum raid_level)running_options.level)->name + 4);
    }
    if (bug_planted() != NULL) {
        printf(" --bug %s", bug_planted());
    }
    printf("\n");
    fflush(stdout);
}

/* A failed assertion of the engine cannot be survived. */
static void assertion_failed(const char *expression, const char *file, int line)
{
    (void)snprintf(running.why, sizeof(running.why), "assertion %s at %s:%d", expression, file,
                   line); /* may cut */
    failure_report();
    exit(1);
}

static bool life_repeats(void)
{
    struct life_result again;

    cached_life(&running_options, &again);
    return again.hash == running.hash;
}

static bool life_one(const struct lives_arguments *arguments, uint64_t seed,
                     struct life_result *totals, uint64_t *repeated)
{
    running_options = (struct life_options){.seed = seed,
                                            .requests = REQUESTS,
                                            .level = arguments->level,
                                            .points = true,
                                            .trace = arguments->trace};
    cached_life(&running_options, &running);
    totals_add(totals, &running);
    if (!running.failed && seed % REPEATED_EACH == 0) {
        (*repeated)++;
        if (!life_repeats()) {
            running.failed = true;
            (void)snprintf(running.why, sizeof(running.why),
                           "the same seed, another life"); /* fits */
        }
    }
    if (running.failed) {
        failure_report();
    }
    return !running.failed;
}

static const char *const cut_names[SIM_CUT_MAX] = {"keep-all",       "drop-all", "rate",
                                                   "rate-per-drive", "prefix",   "kind"};

static void totals_print(struct life_result *totals, uint64_t lives, uint64_t repeated,
                         double seconds)
{
    printf("# %llu lives (%llu repeated)", (unsigned long long)lives, (unsigned long long)repeated);
    for (size_t i = 0; i < COUNTERS; i++) {
        printf(", %s %llu", counters[i].name, (unsigned long long)*counter(totals, i));
    }
    printf("\n# power cuts:");
    for (uint32_t i = 0; i < SIM_CUT_MAX; i++) {
        printf(" %s %llu", cut_names[i], (unsigned long long)totals->cuts[i]);
    }
    printf("\n");
    lives_firings_print(totals->drives.firings);
    printf("# in %.1f s: %.0f lives/s, %.0f crash points/s\n", seconds,
           (double)lives / (seconds > 0 ? seconds : 1),
           (double)totals->crash_points / (seconds > 0 ? seconds : 1));
    fflush(stdout);
}

static void totals_print_json(struct life_result *totals, uint64_t lives, uint64_t repeated,
                              double seconds)
{
    printf("{\"lives\": %llu, \"repeated\": %llu", (unsigned long long)lives,
           (unsigned long long)repeated);
    for (size_t i = 0; i < COUNTERS; i++) {
        printf(", \"%s\": %llu", counters[i].name, (unsigned long long)*counter(totals, i));
    }
    printf(", \"seconds\": %.0f, ", seconds);
    lives_firings_print_json(totals->drives.firings);
    printf(", \"cuts\": {");
    for (uint32_t i = 0; i < SIM_CUT_MAX; i++) {
        printf("%s\"%s\": %llu", i > 0 ? ", " : "", cut_names[i],
               (unsigned long long)totals->cuts[i]);
    }
    printf("}}\n");
    fflush(stdout);
}

int cached_lives_command(int count, char **texts)
{
    struct lives_arguments arguments = lives_arguments_parse(&program, count, texts);
    struct life_result totals = {0};
    double began = lives_now();
    uint64_t lives = 0;
    uint64_t repeated = 0;
    bool good = true;

    (void)assert_set_handler(assertion_failed);
    printf("# first seed %llu\n", (unsigned long long)arguments.seed);
    fflush(stdout);
    while (good && !lives_suffice(&arguments, lives, totals.crash_points, lives_now() - began)) {
        good = life_one(&arguments, arguments.seed + lives++, &totals, &repeated);
    }
    totals_print(&totals, lives, repeated, lives_now() - began);
    if (arguments.json) {
        totals_print_json(&totals, lives, repeated, lives_now() - began);
    }
    good = good && lives_points_suffice(&arguments, totals.crash_points);
    return good ? 0 : 1;
}
