/*
 * Many lives by battery (battery_life.h), as arraysim has many of the engine alone:
 *
 *   battery_lives [--seed N] [--lives N] [--minutes M] [--points N] [--min-points N]
 *                 [--level L] [--bug NAME] [--json] [--trace]
 *   battery_lives --recorded
 *
 * The lives are new ones for every change (fresh_seed.h); the first seed is printed. Ends with 0 if
 * nothing was found wrong, 1 if something was, 2 if it was called wrongly.
 */
#include <stddef.h>

#include "arguments.h"
#include "battery_life.h"
#include "cache/sim_bug.h"
#include "ctl/sim_bug.h"
#include "ctl_world.h"

enum ctl_bug ctl_bug_active = CTL_BUG_NONE;
enum cache_bug cache_bug_active = CACHE_BUG_NONE;

#define REPEATED_EACH 100u /* so often a life is lived twice */

static const char usage_text[] =
    "usage: battery_lives [OPTION...]\n"
    "  --recorded      only the lives that have failed once, and nothing else\n"
    "  --seed N        first seed; default: a new one, printed\n"
    "  --lives N       lives; default 100 unless --minutes or --points is given (also: --runs)\n"
    "  --minutes M     as many lives as begin within M minutes\n"
    "  --points N      as many lives as it takes for N crash points\n"
    "  --min-points N  fewer crash points than that are a failure\n"
    "  --level L       RAID level (0, 1, 1E, 5, ...); default: by the seed\n"
    "  --bug NAME      plants a bug (ctl/sim_bug.h; --bug help lists them)\n"
    "  --json          the totals as one line of JSON besides\n"
    "  --trace         tells on stderr what happens\n"
    "  --help\n";

static const struct {
    const char *name;
    enum ctl_bug ctl;
    enum cache_bug cache;
} bugs[] = {
    {"STALE_TRUSTED", CTL_BUG_STALE_TRUSTED, CACHE_BUG_NONE},
    {"FLAP_TRUSTED", CTL_BUG_FLAP_TRUSTED, CACHE_BUG_NONE},
    {"RATE_KEPT", CTL_BUG_RATE_KEPT, CACHE_BUG_NONE},
    {"RUNTIME_KEPT", CTL_BUG_RUNTIME_KEPT, CACHE_BUG_NONE},
    {"THROUGH_LAZY", CTL_BUG_NONE, CACHE_BUG_THROUGH_LAZY},
};

/* In the order in which they are printed. */
static const struct {
    const char *name;
    size_t offset;
} counters[] = {
    {"requests", offsetof(struct battery_life_result, requests)},
    {"crash_points", offsetof(struct battery_life_result, crash_points)},
    {"deaths", offsetof(struct battery_life_result, deaths)},
    {"reads", offsetof(struct battery_life_result, reads)},
    {"writes", offsetof(struct battery_life_result, writes)},
    {"back", offsetof(struct battery_life_result, back)},
    {"flushes", offsetof(struct battery_life_result, flushes)},
    {"outages", offsetof(struct battery_life_result, outages)},
    {"lows", offsetof(struct battery_life_result, lows)},
    {"sudden", offsetof(struct battery_life_result, sudden)},
    {"kept", offsetof(struct battery_life_result, kept)},
    {"saved_bytes", offsetof(struct battery_life_result, saved_bytes)},
    {"falls", offsetof(struct battery_life_result, falls)},
    {"rises", offsetof(struct battery_life_result, rises)},
    {"stale", offsetof(struct battery_life_result, stale)},
    {"flaps", offsetof(struct battery_life_result, flaps)},
    {"lies", offsetof(struct battery_life_result, lies)},
    {"fades", offsetof(struct battery_life_result, fades)},
    {"learns", offsetof(struct battery_life_result, learns)},
    {"faults", offsetof(struct battery_life_result, faults)},
    {"slower", offsetof(struct battery_life_result, slower)},
    {"losses_noted", offsetof(struct battery_life_result, losses_noted)},
    {"degraded", offsetof(struct battery_life_result, degraded)},
    {"members_missing", offsetof(struct battery_life_result, members_missing)},
    {"torn_noted", offsetof(struct battery_life_result, torn_noted)},
    {"told_bad", offsetof(struct battery_life_result, told_bad)},
    {"limit_looks", offsetof(struct battery_life_result, limit_looks)},
};
#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

static const char *bug_at(uint32_t index)
{
    return bugs[index].name;
}

static void bug_plant(uint32_t index)
{
    ctl_bug_active = bugs[index].ctl;
    cache_bug_active = bugs[index].cache;
}

static const struct program program = {.name = "battery_lives",
                                       .usage = usage_text,
                                       .bug_count = sizeof(bugs) / sizeof(bugs[0]),
                                       .bug_name = bug_at,
                                       .bug_plant = bug_plant};

/* Lives */

static struct battery_life_options running_options;
static struct battery_life_result running;
static bool is_running;

static void failure_report(void)
{
    printf("FAILED seed %llu hash %016llx (%s): %s\n", (unsigned long long)running_options.seed,
           (unsigned long long)running.hash, running.shape, running.why);
    printf("battery_lives --lives 1 --seed %llu", (unsigned long long)running_options.seed);
    if (running_options.level >= 0) {
        printf(" --level %s", raid_level_info((enum raid_level)running_options.level)->name + 4);
    }
    printf("\n");
    fflush(stdout);
}

/* What the world of the controller asserts ends the program. */
static void ended(void)
{
    if (is_running) {
        (void)snprintf(running.why, sizeof(running.why), "ended in the middle"); /* fits */
        failure_report();
    }
}

static void assertion_failed(const char *expression, const char *file, int line)
{
    (void)snprintf(running.why, sizeof(running.why), "assertion %s at %s:%d", expression, file,
                   line); /* may cut */
    is_running = false;
    failure_report();
    exit(1);
}

static bool life_one(const struct lives_arguments *arguments, uint64_t seed)
{
    running_options = (struct battery_life_options){
        .seed = seed, .level = arguments->level, .trace = arguments->trace};
    is_running = true;
    battery_life(&running_options, &running);
    if (!running.failed && seed % REPEATED_EACH == 0) {
        struct battery_life_result again;

        battery_life(&running_options, &again);
        running.failed = again.hash != running.hash;
        if (running.failed) {
            (void)snprintf(running.why, sizeof(running.why),
                           "the same seed, another life"); /* fits */
        }
    }
    is_running = false;
    if (running.failed) {
        failure_report();
    }
    return !running.failed;
}

static uint64_t *counter(struct battery_life_result *result, size_t index)
{
    return (uint64_t *)(void *)((char *)result + counters[index].offset);
}

static void totals_print(struct battery_life_result *totals, uint64_t lives, double seconds,
                         bool json)
{
    printf("# %llu lives", (unsigned long long)lives);
    for (size_t i = 0; i < COUNTERS; i++) {
        printf(", %s %llu", counters[i].name, (unsigned long long)*counter(totals, i));
    }
    printf("\n# in %.1f s: %.0f lives/s\n", seconds, (double)lives / (seconds > 0 ? seconds : 1));
    if (json) {
        printf("{\"lives\": %llu", (unsigned long long)lives);
        for (size_t i = 0; i < COUNTERS; i++) {
            printf(", \"%s\": %llu", counters[i].name, (unsigned long long)*counter(totals, i));
        }
        printf(", \"seconds\": %.0f}\n", seconds);
    }
    fflush(stdout);
}

/* Lives that have failed once, and why, or by which planted bug. What is found is added here. */
static const uint64_t recorded[] = {
    5038, /* before there was a list: that it failed is all that is known */
    5010, /* judged too strictly: rows torn in a power failure that the virtual drive told of */
    10003845, /* the same, with nothing of it in the cache */
    10004541, /* too little time left, shown at once and acted on seconds later */
    1,    /* STALE_TRUSTED, FLAP_TRUSTED: a UPS that is silent, or has only just come back */
    45,   /* RUNTIME_KEPT: less time is left than was said before */
    70,   /* THROUGH_LAZY: what is dirty when write-back ends */
    216,  /* RATE_KEPT: drives that have become slower */
};

static bool recorded_live(void)
{
    const struct lives_arguments arguments = {.level = -1};
    bool good = true;

    for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
        good = life_one(&arguments, recorded[i]) && good;
    }
    printf("# %zu recorded lives\n", sizeof(recorded) / sizeof(recorded[0]));
    return good;
}

int main(int count, char **texts)
{
    struct lives_arguments arguments;
    struct battery_life_result totals = {0};
    double began = lives_now();
    uint64_t lives = 0;
    bool good = true;

    (void)assert_set_handler(assertion_failed);
    (void)atexit(ended);
    if (count == 2 && strcmp(texts[1], "--recorded") == 0) {
        return recorded_live() ? 0 : 1;
    }
    arguments = lives_arguments_parse(&program, count, texts);
    printf("# first seed %llu\n", (unsigned long long)arguments.seed);
    fflush(stdout);
    while (good && !lives_suffice(&arguments, lives, totals.crash_points, lives_now() - began)) {
        good = life_one(&arguments, arguments.seed + lives++);
        for (size_t i = 0; i < COUNTERS; i++) {
            *counter(&totals, i) += *counter(&running, i);
        }
    }
    totals_print(&totals, lives, lives_now() - began, arguments.json);
    good = good && lives_points_suffice(&arguments, totals.crash_points);
    return good ? 0 : 1;
}
