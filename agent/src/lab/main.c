/*
 * arraysim: predicts what an array would do, with the engine on emulated drives and a virtual
 * clock.
 *
 *   arraysim run [--jobs N] [--profiles DIRECTORY] SCENARIO      one array
 *   arraysim sweep [--jobs N] [--profiles DIRECTORY] SCENARIO    each of the arrays of its sweep
 *   arraysim profiles [--profiles DIRECTORY]                     what scenarios can name
 *
 * Ends with 0, 1 if it could not be done, 2 if it was called wrongly.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "lab/lab_alone.h"
#include "lab/lab_profiles.h"
#include "lab/lab_scenario.h"
#include "lab/lab_table.h"

static const char usage_text[] =
    "usage: arraysim run [OPTION...] SCENARIO\n"
    "       arraysim sweep [OPTION...] SCENARIO\n"
    "       arraysim profiles [--profiles DIRECTORY]\n"
    "SCENARIO is a JSON file, - standard input; the result is JSON on standard output.\n"
    "  --table                the result as a table for people\n"
    "  --jobs N               processes; default: one for each processor\n"
    "  --profiles DIRECTORY   default: " PROFILES_DIR "\n"
    "  --quiet                no progress on standard error\n"
    "  --progress             progress there in lines, also if it is no terminal\n"
    "  --memory MIB           address space of each process, at most\n"
    "  --cpu-seconds N        processor time of each process, at most\n"
    "  --version\n";

struct arguments {
    const char *path;
    const char *profiles;
    uint32_t jobs;
    uint32_t memory_mib;  /* 0: no limit */
    uint32_t cpu_seconds; /* 0: no limit */
    bool quiet;
    bool lines;
    bool table;
};

__attribute__((noreturn)) static void usage(const char *why)
{
    (void)fprintf(stderr, "arraysim: %s\n%s", why, usage_text);
    exit(2);
}

static uint32_t number_parse(const char *text, uint32_t max, const char *why)
{
    char *end = NULL;
    unsigned long number = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || number == 0 || number > max) {
        usage(why);
    }
    return (uint32_t)number;
}

static struct arguments options_parse(int count, char **texts)
{
    static const struct option options[] = {{"jobs", required_argument, NULL, 'j'},
                                            {"profiles", required_argument, NULL, 'p'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"progress", no_argument, NULL, 'l'},
                                            {"table", no_argument, NULL, 't'},
                                            {"memory", required_argument, NULL, 'm'},
                                            {"cpu-seconds", required_argument, NULL, 'c'},
                                            {NULL, 0, NULL, 0}};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct arguments arguments = {.profiles = PROFILES_DIR,
                                  .jobs = processors > 0 ? (uint32_t)processors : 1};
    int option = 0;

    while ((option = getopt_long(count, texts, "", options, NULL)) != -1) {
        switch (option) {
        case 'j':
            arguments.jobs = number_parse(optarg, 64, "--jobs takes a number from 1 to 64");
            break;
        case 'p':
            arguments.profiles = optarg;
            break;
        case 'q':
            arguments.quiet = true;
            break;
        case 'l':
            arguments.lines = true;
            break;
        case 't':
            arguments.table = true;
            break;
        case 'm':
            arguments.memory_mib = number_parse(optarg, 1u << 24, "--memory takes a number of MiB");
            break;
        case 'c':
            arguments.cpu_seconds =
                number_parse(optarg, 1u << 24, "--cpu-seconds takes a number of seconds");
            break;
        default:
            usage("no such option");
        }
    }
    return arguments;
}

static struct arguments arguments_parse(int count, char **texts, bool has_scenario)
{
    struct arguments arguments = options_parse(count, texts);

    if (optind != count - (has_scenario ? 1 : 0)) {
        usage(has_scenario ? "exactly one scenario is wanted" : "there is one word too many");
    }
    arguments.path = has_scenario ? texts[optind] : NULL;
    return arguments;
}

/* Of this process and of those that run the points, each. */
static void limits_set(const struct arguments *arguments)
{
    const struct rlimit memory = {(rlim_t)arguments->memory_mib << 20,
                                  (rlim_t)arguments->memory_mib << 20};
    const struct rlimit seconds = {arguments->cpu_seconds, arguments->cpu_seconds};

    if ((arguments->memory_mib != 0 && setrlimit(RLIMIT_AS, &memory) != 0) ||
        (arguments->cpu_seconds != 0 && setrlimit(RLIMIT_CPU, &seconds) != 0)) {
        usage("such limits cannot be set here");
    }
}

static void progress_lines(uint32_t done, uint32_t count)
{
    (void)fprintf(stderr, "arraysim: %u of %u points\n", done, count);
}

static void progress(uint32_t done, uint32_t count)
{
    (void)fprintf(stderr, "\rarraysim: %u of %u points%s", done, count, done == count ? "\n" : "");
}

typedef void (*progress_fn)(uint32_t done, uint32_t count);

static progress_fn progress_of(const struct arguments *arguments)
{
    if (arguments->quiet) {
        return NULL;
    }
    if (arguments->lines) {
        return progress_lines;
    }
    return isatty(STDERR_FILENO) != 0 ? progress : NULL;
}

static bool document_print(const json_t *doc)
{
    return json_dumpf(doc, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0 &&
           putchar('\n') != EOF && fflush(stdout) == 0;
}

static bool result_print(const json_t *doc, const struct arguments *arguments)
{
    return arguments->table ? lab_table_print(doc, stdout) : document_print(doc);
}

static bool is_good(const struct lab_answer *answer)
{
    if (answer->error != 0) {
        (void)fprintf(stderr, "arraysim: %s\n", answer->text);
    }
    return answer->error == 0;
}

static bool all_good(const struct lab_scenario *scenario, const struct lab_answer *answers)
{
    for (uint32_t i = 0; i < scenario->point_count; i++) {
        if (!is_good(&answers[i])) {
            return false;
        }
    }
    return true;
}

static void process_complain(void)
{
    (void)fprintf(stderr, "arraysim: a process could not be run to its end\n");
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
    if (lab_points_run(points, scenario->point_count, arguments->jobs, progress_of(arguments),
                       answers) != 0) {
        process_complain();
    } else if (all_good(scenario, answers)) {
        json_t *doc = lab_result_doc(scenario, places, answers);

        good = result_print(doc, arguments);
        json_decref(doc);
    }
    free(points);
    free(places);
    free(answers);
    return good ? 0 : 1;
}

/* Each of them by itself, after all of them. */
static bool alone_run(const struct lab_scenario *scenario, const struct arguments *arguments,
                      const struct lab_group_answer *together, struct lab_group_answer *alone)
{
    if (lab_alone_run(scenario->groups, together, scenario->group_count, arguments->jobs,
                      progress_of(arguments), alone) != 0) {
        process_complain();
        return false;
    }
    for (uint32_t i = 0; i < scenario->group_count; i++) {
        if (!is_good(&alone[i].answer)) {
            return false;
        }
    }
    return true;
}

/* All of them together are one point, run in this process. */
static bool together_run(const struct lab_scenario *scenario, const struct arguments *arguments,
                         struct lab_group_answer *answers)
{
    progress_fn tell = progress_of(arguments);
    char text[LAB_TEXT_BYTES] = "";

    if (lab_groups_run(scenario->groups, scenario->group_count, answers, text) != 0) {
        (void)fprintf(stderr, "arraysim: %s\n", text);
        return false;
    }
    if (tell != NULL) {
        tell(1, 1 + (scenario->alone ? scenario->group_count : 0));
    }
    return true;
}

static int groups_run(const struct lab_scenario *scenario, const struct arguments *arguments)
{
    struct lab_group_answer *answers = calloc(scenario->group_count, sizeof(*answers));
    struct lab_group_answer *alone = calloc(scenario->group_count, sizeof(*alone));
    bool good = false;

    ASSERT(answers != NULL && alone != NULL);
    if (together_run(scenario, arguments, answers) &&
        (!scenario->alone || alone_run(scenario, arguments, answers, alone))) {
        json_t *doc = lab_result_groups_doc(scenario, answers, scenario->alone ? alone : NULL);

        good = result_print(doc, arguments);
        json_decref(doc);
    }
    free(answers);
    free(alone);
    return good ? 0 : 1;
}

static int command(bool sweep, int count, char **texts)
{
    struct arguments arguments = arguments_parse(count, texts, true);
    struct lab_scenario *scenario = NULL;
    char text[PROFILE_TEXT_BYTES] = "";
    int code = 1;

    limits_set(&arguments);
    if (lab_scenario_read(arguments.path, arguments.profiles, &scenario, text) != 0) {
        (void)fprintf(stderr, "arraysim: %s\n", text);
        return 1;
    }
    if (scenario->group_count > 0) {
        code = groups_run(scenario, &arguments); /* either word will do: there is one way to */
    } else if (scenario->is_sweep != sweep) {
        (void)fprintf(stderr, "arraysim: %s: %s\n", arguments.path,
                      sweep ? "there is no sweep in it" : "there is a sweep in it: arraysim sweep");
    } else {
        code = scenario_run(scenario, &arguments);
    }
    scenario = lab_scenario_free(scenario);
    ASSERT(scenario == NULL);
    return code;
}

static int profiles_command(int count, char **texts)
{
    struct arguments arguments = arguments_parse(count, texts, false);
    char text[PROFILE_TEXT_BYTES] = "";
    json_t *doc = lab_profiles_doc(arguments.profiles, text);
    bool good = doc != NULL && document_print(doc);

    if (doc == NULL) {
        (void)fprintf(stderr, "arraysim: %s\n", text);
    }
    json_decref(doc);
    return good ? 0 : 1;
}

int main(int count, char **texts)
{
    if (count >= 2 && strcmp(texts[1], "run") == 0) {
        return command(false, count - 1, texts + 1);
    }
    if (count >= 2 && strcmp(texts[1], "sweep") == 0) {
        return command(true, count - 1, texts + 1);
    }
    if (count >= 2 && strcmp(texts[1], "profiles") == 0) {
        return profiles_command(count - 1, texts + 1);
    }
    if (count == 2 && strcmp(texts[1], "--version") == 0) {
        (void)printf("arraysim %s\n", ARRAYWRIGHT_VERSION);
        return 0;
    }
    if (count == 2 && strcmp(texts[1], "--help") == 0) {
        (void)fputs(usage_text, stdout);
        return 0;
    }
    usage("run, sweep or profiles?");
}
