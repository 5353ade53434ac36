/*
 * Many lives by battery (battery_life.h), as arraysim has many of the engine alone:
 *
 *   battery_lives [--seed N] [--lives N] [--minutes M] [--points N] [--bug NAME] [--json] [--trace]
 *
 * The lives are new ones for every change (fresh_seed.h); the first seed is printed. Ends with 0 if
 * nothing was found wrong, 1 if something was, 2 if it was called wrongly.
 */
#include <getopt.h>
#include <stddef.h>
#include <time.h>

#include "battery_life.h"
#include "cache/sim_bug.h"
#include "ctl/sim_bug.h"
#include "ctl_world.h"
#include "fresh_seed.h"

enum ctl_bug ctl_bug_active = CTL_BUG_NONE;
enum cache_bug cache_bug_active = CACHE_BUG_NONE;

#define REPEATED_EACH 100u /* so often a life is lived twice */

static const char usage_text[] =
    "usage: battery_lives [OPTION...]\n"
    "  --seed N        first seed; default: a new one, printed\n"
    "  --lives N       lives; default 100 unless --minutes or --points is given (also: --runs)\n"
    "  --minutes M     as many lives as begin within M minutes\n"
    "  --points N      as many lives as it takes for N crash points\n"
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
    {"limit_looks", offsetof(struct battery_life_result, limit_looks)},
};
#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

struct arguments {
    uint64_t seed, lives, points, minutes;
    bool json, trace;
};

__attribute__((noreturn)) static void usage(const char *why)
{
    fprintf(stderr, "battery_lives: %s\n%s", why, usage_text);
    exit(2);
}

static uint64_t number_parse(const char *text)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 0);

    if (text[0] == '\0' || text[0] == '-' || *end != '\0') {
        usage("a number is wanted");
    }
    return value;
}

static void bug_plant(const char *name)
{
    for (size_t i = 0; i < sizeof(bugs) / sizeof(bugs[0]); i++) {
        if (strcmp(name, "help") == 0) {
            puts(bugs[i].name);
        } else if (strcmp(name, bugs[i].name) == 0) {
            ctl_bug_active = bugs[i].ctl;
            cache_bug_active = bugs[i].cache;
            return;
        }
    }
    if (strcmp(name, "help") == 0) {
        exit(0);
    }
    usage("no such bug");
}

static void argument_take(struct arguments *arguments, int option)
{
    switch (option) {
    case 's':
        arguments->seed = number_parse(optarg);
        break;
    case 'n':
        arguments->lives = number_parse(optarg);
        break;
    case 'm':
        arguments->minutes = number_parse(optarg);
        break;
    case 'p':
        arguments->points = number_parse(optarg);
        break;
    case 'b':
        bug_plant(optarg);
        break;
    case 'j':
        arguments->json = true;
        break;
    case 'v':
        arguments->trace = true;
        break;
    case 'h':
        fputs(usage_text, stdout);
        exit(0);
    default:
        usage("no such option");
    }
}

static struct arguments arguments_parse(int count, char **texts)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'},   {"lives", required_argument, NULL, 'n'},
        {"runs", required_argument, NULL, 'n'},   {"minutes", required_argument, NULL, 'm'},
        {"points", required_argument, NULL, 'p'}, {"bug", required_argument, NULL, 'b'},
        {"json", no_argument, NULL, 'j'},         {"trace", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    struct arguments arguments = {.seed = fresh_seed()};
    int option = 0;

    while ((option = getopt_long(count, texts, "", options, NULL)) != -1) {
        argument_take(&arguments, option);
    }
    if (optind < count) {
        usage("no such argument");
    }
    if (arguments.lives == 0 && arguments.minutes == 0 && arguments.points == 0) {
        arguments.lives = 100;
    }
    return arguments;
}

/* Lives */

static struct battery_life_options running_options;
static struct battery_life_result running;
static bool is_running;

static void failure_report(void)
{
    printf("FAILED seed %llu hash %016llx (%s): %s\n", (unsigned long long)running_options.seed,
           (unsigned long long)running.hash, running.shape, running.why);
    printf("battery_lives --lives 1 --seed %llu\n", (unsigned long long)running_options.seed);
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

static bool life_one(const struct arguments *arguments, uint64_t seed)
{
    running_options = (struct battery_life_options){.seed = seed, .trace = arguments->trace};
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

static double now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
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

int main(int count, char **texts)
{
    struct arguments arguments = arguments_parse(count, texts);
    struct battery_life_result totals = {0};
    double began = now();
    uint64_t lives = 0;
    bool good = true;

    (void)assert_set_handler(assertion_failed);
    (void)atexit(ended);
    printf("# first seed %llu\n", (unsigned long long)arguments.seed);
    fflush(stdout);
    while (good && (arguments.lives == 0 || lives < arguments.lives) &&
           (arguments.points == 0 || totals.crash_points < arguments.points) &&
           (arguments.minutes == 0 || now() - began < (double)arguments.minutes * 60)) {
        good = life_one(&arguments, arguments.seed + lives++);
        for (size_t i = 0; i < COUNTERS; i++) {
            *counter(&totals, i) += *counter(&running, i);
        }
    }
    totals_print(&totals, lives, now() - began, arguments.json);
    return good ? 0 : 1;
}
