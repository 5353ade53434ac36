/*
 * arraysim: predicts what an array would do, with the engine on emulated drives and a virtual
 * clock.
 *
 *   arraysim run [--jobs N] [--profiles DIRECTORY] SCENARIO      one array
 *   arraysim sweep [--jobs N] [--profiles DIRECTORY] SCENARIO    each of the arrays of its sweep
 *
 * Ends with 0, 1 if it could not be done, 2 if it was called wrongly.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "lab/lab_scenario.h"

static const char usage_text[] =
    "usage: arraysim run [OPTION...] SCENARIO\n"
    "       arraysim sweep [OPTION...] SCENARIO\n"
    "SCENARIO is a JSON file, - standard input; the result is JSON on standard output.\n"
    "  --jobs N               processes; default: one for each processor\n"
    "  --profiles DIRECTORY   default: " PROFILES_DIR "\n"
    "  --quiet                no progress on standard error\n"
    "  --version\n";

struct arguments {
    const char *path;
    const char *profiles;
    uint32_t jobs;
    bool quiet;
};

__attribute__((noreturn)) static void usage(const char *why)
{
    (void)fprintf(stderr, "arraysim: %s\n%s", why, usage_text);
    exit(2);
}

static struct arguments arguments_parse(int count, char **texts)
{
    static const struct option options[] = {{"jobs", required_argument, NULL, 'j'},
                                            {"profiles", required_argument, NULL, 'p'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {NULL, 0, NULL, 0}};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct arguments arguments = {.profiles = PROFILES_DIR,
                                  .jobs = processors > 0 ? (uint32_t)processors : 1};
    int option = 0;

    while ((option = getopt_long(count, texts, "", options, NULL)) != -1) {
        switch (option) {
        case 'j':
            arguments.jobs = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'p':
            arguments.profiles = optarg;
            break;
        case 'q':
            arguments.quiet = true;
            break;
        default:
            usage("no such option");
        }
    }
    if (arguments.jobs == 0 || arguments.jobs > 64) {
        usage("--jobs takes a number from 1 to 64");
    }
    if (optind != count - 1) {
        usage("exactly one scenario is wanted");
    }
    arguments.path = texts[optind];
    return arguments;
}

static void progress(uint32_t done, uint32_t count)
{
    (void)fprintf(stderr, "\rarraysim: %u of %u points%s", done, count, done == count ? "\n" : "");
}

static bool all_good(const struct lab_scenario *scenario, const struct lab_answer *answers)
{
    for (uint32_t i = 0; i < scenario->point_count; i++) {
        if (answers[i].error != 0) {
            (void)fprintf(stderr, "arraysim: %s\n", answers[i].text);
            return false;
        }
    }
    return true;
}

static int scenario_run(const struct lab_scenario *scenario, const struct arguments *arguments)
{
    size_t count = max_u32(1, scenario->point_count);
    struct lab_point *points = calloc(count, sizeof(*points));
    struct lab_place *places = calloc(count, sizeof(*places));
    struct lab_answer *answers = calloc(count, sizeof(*answers));
    bool good = false;

    ASSERT(points != NULL && places != NULL && answers != NULL);
    lab_scenario_points(scenario, points, places);
    if (lab_points_run(points, scenario->point_count, arguments->jobs,
                       arguments->quiet || isatty(STDERR_FILENO) == 0 ? NULL : progress,
                       answers) != 0) {
        (void)fprintf(stderr, "arraysim: a process could not be run to its end\n");
    } else if (all_good(scenario, answers)) {
        json_t *doc = lab_result_doc(scenario, places, answers);

        good = json_dumpf(doc, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0 &&
               putchar('\n') != EOF && fflush(stdout) == 0;
        json_decref(doc);
    }
    free(points);
    free(places);
    free(answers);
    return good ? 0 : 1;
}

static int command(bool sweep, int count, char **texts)
{
    struct arguments arguments = arguments_parse(count, texts);
    struct lab_scenario *scenario = NULL;
    char text[PROFILE_TEXT_BYTES] = "";
    int code = 1;

    if (lab_scenario_read(arguments.path, arguments.profiles, &scenario, text) != 0) {
        (void)fprintf(stderr, "arraysim: %s\n", text);
        return 1;
    }
    if (scenario->is_sweep != sweep) {
        (void)fprintf(stderr, "arraysim: %s: %s\n", arguments.path,
                      sweep ? "there is no sweep in it" : "there is a sweep in it: arraysim sweep");
    } else {
        code = scenario_run(scenario, &arguments);
    }
    free(scenario);
    return code;
}

int main(int count, char **texts)
{
    if (count >= 2 && strcmp(texts[1], "run") == 0) {
        return command(false, count - 1, texts + 1);
    }
    if (count >= 2 && strcmp(texts[1], "sweep") == 0) {
        return command(true, count - 1, texts + 1);
    }
    if (count == 2 && strcmp(texts[1], "--version") == 0) {
        (void)printf("arraysim %s\n", ARRAYWRIGHT_VERSION);
        return 0;
    }
    if (count == 2 && strcmp(texts[1], "--help") == 0) {
        (void)fputs(usage_text, stdout);
        return 0;
    }
    usage("run or sweep?");
}
