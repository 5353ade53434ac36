/*
 * arraysim: the engine on emulated drives and a virtual clock.
 *
 *   arraysim crash [OPTION...]       simulated lives with crash points
 *   arraysim stripe [OPTION...]      the same of stripes over several groups (stripe_run.h)
 *   arraysim cached [OPTION...]      the same behind the write-back cache (cached_lives.h)
 *   arraysim enumerate [OPTION...]   all crash points of all small workloads
 *
 * Ends with 0 if nothing was found wrong, 1 if something was, 2 if it was called wrongly.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/assert.h"
#include "base/attrs.h"
#include "base/sim_bug.h"
#include "cached_lives.h"
#include "enumerate.h"
#include "lives.h"

static const char usage_text[] =
    "usage: arraysim crash [OPTION...]\n"
    "       arraysim stripe [OPTION...]\n"
    "  --seed N        first seed; default: a new one, printed\n"
    "  --lives N       lives; default 100 unless --minutes or --points is given (also: --runs)\n"
    "  --minutes M     as many lives as begin within M minutes\n"
    "  --points N      as many lives as it takes for N crash points\n"
    "  --min-points N  fewer crash points than that are a failure\n"
    "  --level L       RAID level (0, 1, 1E, 5, ...); default: by the seed\n"
    "  --bug NAME      plants a bug (base/sim_bug.h; --bug help lists them)\n"
    "  --shrink        a failing life is reduced to what it takes\n"
    "  --steps A,B-C   only these steps of each life\n"
    "  --off NAME,...  these classes of faults are off (--off help lists them)\n"
    "  --json          the totals as one line of JSON besides\n"
    "  --trace         tells on stderr what happens\n"
    "  --help\n"
    "usage: arraysim enumerate [OPTION...]\n"
    "  --operations N  workloads of up to N operations (1 to 3); default 2\n"
    "  --pages N       all subsets of up to N page writes (at most 12); default 12\n"
    "  --samples N     so many subsets where there are more; default 32\n"
    "  --level L, --bug NAME, --seed N\n" CACHED_LIVES_USAGE;

struct arguments {
    struct lives_arguments lives;
    bool stripe; /* lives of stripes over several groups */
    bool shrink;
    bool has_steps;
    uint32_t classes_off;
    uint8_t skipped[LIVES_STEPS_MAX];
};

static const char *bug_at(uint32_t index)
{
    return sim_bugs[index + 1].name;
}

static const char *bug_text(uint32_t index)
{
    static char text[200];

    (void)snprintf(text, sizeof(text), "%s  %s", sim_bugs[index + 1].promise,
                   sim_bugs[index + 1].text); /* may cut */
    return text;
}

static void bug_plant(uint32_t index)
{
    sim_bug_active = (enum sim_bug)(index + 1);
}

static const struct program program = {.name = "arraysim",
                                       .usage = usage_text,
                                       .bug_count = SIM_BUG_MAX - 1,
                                       .bug_name = bug_at,
                                       .bug_text = bug_text,
                                       .bug_plant = bug_plant};

static void class_off(struct arguments *arguments, const char *name)
{
    for (uint32_t i = 0; i < RUN_CLASS_MAX; i++) {
        if (strcmp(name, run_class_name((enum run_class)i)) == 0) {
            arguments->classes_off |= UINT32_C(1) << i;
            return;
        }
        if (strcmp(name, "help") == 0) {
            puts(run_class_name((enum run_class)i));
        }
    }
    if (strcmp(name, "help") == 0) {
        exit(0);
    }
    arguments_refuse(&program, "no such class of faults");
}

static void classes_parse(struct arguments *arguments, char *text)
{
    for (char *name = strtok(text, ","); name != NULL; name = strtok(NULL, ",")) {
        class_off(arguments, name);
    }
}

static void steps_parse(struct arguments *arguments, char *text)
{
    arguments->has_steps = true;
    memset(arguments->skipped, 1, sizeof(arguments->skipped));
    for (char *part = strtok(text, ","); part != NULL; part = strtok(NULL, ",")) {
        char *dash = strchr(part, '-');
        uint64_t last = 0;
        uint64_t first = 0;

        if (dash != NULL) {
            *dash = '\0';
        }
        first = argument_number(&program, part);
        last = dash != NULL ? argument_number(&program, dash + 1) : first;
        if (first > last || last >= LIVES_STEPS_MAX) {
            arguments_refuse(&program, "no such step");
        }
        memset(arguments->skipped + first, 0, last - first + 1);
    }
}

static struct arguments arguments_parse(int count, char **texts)
{
    static const struct option options[] = {LIVES_OPTIONS,
                                            {"shrink", no_argument, NULL, 'k'},
                                            {"steps", required_argument, NULL, 't'},
                                            {"off", required_argument, NULL, 'o'},
                                            {NULL, 0, NULL, 0}};
    struct arguments arguments = {.lives = lives_arguments_new(),
                                  .stripe = strcmp(texts[0], "stripe") == 0};
    int option = 0;

    while ((option = getopt_long(count, texts, "", options, NULL)) != -1) {
        switch (option) {
        case 'k':
            arguments.shrink = true;
            break;
        case 't':
            steps_parse(&arguments, optarg);
            break;
        case 'o':
            classes_parse(&arguments, optarg);
            break;
        default:
            if (!lives_argument_take(&program, &arguments.lives, option, optarg)) {
                arguments_refuse(&program, "no such option");
            }
        }
    }
    lives_arguments_end(&program, &arguments.lives, optind == count);
    return arguments;
}

/* Failures */

static void command_print(const struct run_options *options, uint32_t steps)
{
    const char *comma = "";

    printf("arraysim %s --runs 1 --seed %llu", options->stripe ? "stripe" : "crash",
           (unsigned long long)options->seed);
    if (options->level >= 0) {
        printf(" --level %s", raid_level_info((enum raid_level)options->level)->name + 4);
    }
    if (sim_bug_active != SIM_BUG_NONE) {
        printf(" --bug %s", sim_bugs[sim_bug_active].name);
    }
    if (options->skipped != NULL && steps < options->requests) {
        printf(" --steps ");
        for (uint32_t i = 0; i < options->requests; i++) {
            if (options->skipped[i] == 0) {
                printf("%s%u", comma, i);
                comma = ",";
            }
        }
    }
    comma = " --off ";
    for (uint32_t i = 0; i < RUN_CLASS_MAX; i++) {
        if ((options->classes_off & (UINT32_C(1) << i)) != 0) {
            printf("%s%s", comma, run_class_name((enum run_class)i));
            comma = ",";
        }
    }
    printf("\n");
}

static void failure_report(const struct arguments *arguments, struct run_options options,
                           const struct run_result *result)
{
    static uint8_t skipped[LIVES_STEPS_MAX];
    uint32_t steps = options.requests;

    printf("FAILED seed %llu hash %016llx (%s%s): %s\n", (unsigned long long)options.seed,
           (unsigned long long)result->hash, result->shape,
           options.over_budget ? ", over budget" : "", result->why);
    fflush(stdout);
    if (arguments->shrink) {
        memcpy(skipped, arguments->skipped, sizeof(skipped));
        steps = lives_shrink(&options, result->why, skipped, 60);
        printf("shrunk to %u operations:\n", steps);
    }
    command_print(&options, steps);
    fflush(stdout);
}

/* A failed assertion of the engine cannot be survived: report, and shrink in other processes. */
static const struct arguments *running_arguments;
static struct run_options running_options;
static struct run_result running_result;

static void assertion_failed(const char *expression, const char *file, int line)
{
    struct run_result result = running_result;

    (void)snprintf(result.why, sizeof(result.why), "assertion %s at %s:%d", expression, file,
                   line); /* may cut */
    failure_report(running_arguments, running_options, &result);
    exit(1);
}

/* Every hundredth life is lived twice. */
static bool life_repeats(const struct run_options *options, const struct run_result *result)
{
    struct run_result again;

    if (options->seed % 100 != 0) {
        return true;
    }
    run(options, &again);
    return again.hash == result->hash;
}

static bool life_one(const struct arguments *arguments, uint64_t seed, struct lives_totals *totals)
{
    running_options = arguments->stripe ? lives_stripe_options(seed) : lives_options(seed);
    running_options.level = arguments->lives.level;
    running_options.classes_off = arguments->classes_off;
    running_options.skipped = arguments->has_steps ? arguments->skipped : NULL;
    running_options.trace = arguments->lives.trace;
    run(&running_options, &running_result);
    lives_add(totals, &running_options, &running_result);
    totals->repeated += seed % 100 == 0 ? 1u : 0u;
    if (!running_result.failed && !life_repeats(&running_options, &running_result)) {
        running_result.failed = true;
        (void)snprintf(running_result.why, sizeof(running_result.why),
                       "the same seed, another life"); /* fits */
    }
    if (running_result.failed) {
        failure_report(arguments, running_options, &running_result);
    }
    return !running_result.failed;
}

/* The pools of an engine are big and short-lived here: their memory is kept. */
static void memory_keep(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 28); /* if it cannot be had it is only slower */
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30); /* as above */
}

static int crash_command(int count, char **texts)
{
    struct arguments arguments = arguments_parse(count, texts);
    const struct lives_arguments *wanted = &arguments.lives;
    struct lives_totals totals = {0};
    double began = lives_now();
    bool good = true;

    running_arguments = &arguments;
    (void)assert_set_handler(assertion_failed);
    memory_keep();
    printf("# first seed %llu\n", (unsigned long long)wanted->seed);
    fflush(stdout);
    while (good && !lives_suffice(wanted, totals.lives, totals.crash_points, lives_now() - began)) {
        good = life_one(&arguments, wanted->seed + totals.lives, &totals);
    }
    lives_print(&totals, lives_now() - began);
    if (wanted->json) {
        lives_print_json(&totals, wanted->seed, lives_now() - began);
    }
    good = good && lives_points_suffice(wanted, totals.crash_points);
    return good ? 0 : 1;
}

static uint32_t small_number_parse(const char *text, uint32_t least, uint32_t most)
{
    uint64_t value = argument_number(&program, text);

    if (value < least || value > most) {
        arguments_refuse(&program, "a number is out of range");
    }
    return (uint32_t)value;
}

static struct enumerate_options enumerate_parse(int count, char **texts)
{
    static const struct option options[] = {{"operations", required_argument, NULL, 'o'},
                                            {"pages", required_argument, NULL, 'p'},
                                            {"samples", required_argument, NULL, 'n'},
                                            {"level", required_argument, NULL, 'l'},
                                            {"bug", required_argument, NULL, 'b'},
                                            {"seed", required_argument, NULL, 's'},
                                            {NULL, 0, NULL, 0}};
    struct enumerate_options parsed = {.operations = 2, .pages = 12, .samples = 32, .level = -1};
    int option = 0;

    while ((option = getopt_long(count, texts, "", options, NULL)) != -1) {
        switch (option) {
        case 'o':
            parsed.operations = small_number_parse(optarg, 1, 3);
            break;
        case 'p':
            parsed.pages = small_number_parse(optarg, 0, 12);
            break;
        case 'n':
            parsed.samples = small_number_parse(optarg, 2, 1000000);
            break;
        case 'l':
            parsed.level = argument_level(&program, optarg);
            break;
        case 'b':
            argument_bug(&program, optarg);
            break;
        case 's':
            parsed.seed = argument_number(&program, optarg);
            break;
        default:
            arguments_refuse(&program, "no such option");
        }
    }
    return parsed;
}

static void enumerate_assertion_failed(const char *expression, const char *file, int line)
{
    printf("FAILED: assertion %s at %s:%d\n", expression, file, line);
    fflush(stdout);
    exit(1);
}

static int enumerate_command(int count, char **texts)
{
    struct enumerate_options options = enumerate_parse(count, texts);
    struct enumerate_result result;
    double began = lives_now();
    double seconds = 0;

    (void)assert_set_handler(enumerate_assertion_failed);
    memory_keep();
    enumerate(&options, &result);
    seconds = lives_now() - began;
    if (result.failed) {
        printf("FAILED: %s\n", result.why);
    }
    printf("# %llu workloads of up to %u operations, %llu boundaries (%llu sampled), %llu crash "
           "states, %llu of them distinct and verified, %llu of them without each tolerable set of "
           "drives (%llu), in "
           "%.1f s: %.0f/s\n",
           (unsigned long long)result.workloads, options.operations,
           (unsigned long long)result.boundaries, (unsigned long long)result.sampled,
           (unsigned long long)result.subsets, (unsigned long long)result.verified,
           (unsigned long long)result.each_loss_points, (unsigned long long)result.each_loss_sets,
           seconds, (double)result.verified / (seconds > 0 ? seconds : 1));
    return result.failed ? 1 : 0;
}

int main(int count, char **texts)
{
    if (count >= 2 && (strcmp(texts[1], "crash") == 0 || strcmp(texts[1], "stripe") == 0)) {
        return crash_command(count - 1, texts + 1);
    }
    if (count >= 2 && strcmp(texts[1], "cached") == 0) {
        memory_keep();
        return cached_lives_command(count - 1, texts + 1);
    }
    if (count >= 2 && strcmp(texts[1], "enumerate") == 0) {
        return enumerate_command(count - 1, texts + 1);
    }
    arguments_refuse(&program, "what is to be done?");
}
