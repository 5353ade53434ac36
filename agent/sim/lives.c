/*
 * Many simulated lives (lives.h).
 */
#include "lives.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"

struct run_options lives_options(uint64_t seed)
{
    return (struct run_options){
        .seed = seed,
        .requests = 60,
        .over_budget = seed % 5 == 4,
        .crashes = seed % 5 != 4,
        .level = -1,
        .small = true,
        .crash_points = seed % 11 == 0 ? 15 : 60, /* with a stripe log (run_shape.c) each is dear */
        .swarm = true,
    };
}

struct run_options lives_stripe_options(uint64_t seed)
{
    struct run_options options = lives_options(seed);

    options.stripe = true;
    options.requests = 100;
    options.crash_points = 12; /* each is of several groups */
    return options;
}

void lives_add(struct lives_totals *totals, const struct run_options *options,
               const struct run_result *result)
{
    totals->lives++;
    totals->over_budget += options->over_budget ? 1u : 0u;
    totals->requests += result->requests;
    totals->faults += result->faults;
    totals->crashes += result->crashes;
    totals->restarts += result->restarts;
    totals->rebuilds += result->rebuilds;
    totals->replacements += result->replacements;
    totals->crash_points += result->crash_points;
    totals->loss_sets += result->loss_sets;
    totals->each_loss_points += result->each_loss_points;
    totals->each_loss_sets += result->each_loss_sets;
    totals->told_blocks += result->told_blocks;
    totals->boundaries += result->boundaries;
    for (uint32_t i = 0; i < RUN_CLASS_MAX; i++) {
        totals->firings[i] += result->firings[i];
    }
    for (uint32_t i = 0; i < SIM_CUT_MAX; i++) {
        totals->cuts[i] += result->cuts[i];
    }
}

static const char *const cut_names[SIM_CUT_MAX] = {"process-alone",  "drop-all", "rate",
                                                   "rate-per-drive", "prefix",   "kind"};

void lives_firings_print_json(const uint64_t *firings)
{
    printf("\"firings\": {");
    for (uint32_t i = 0; i < RUN_CLASS_MAX; i++) {
        printf("%s\"%s\": %llu", i > 0 ? ", " : "", run_class_name((enum run_class)i),
               (unsigned long long)firings[i]);
    }
    printf("}");
}

void lives_firings_print(const uint64_t *firings)
{
    printf("# firings:");
    for (uint32_t i = 0; i < RUN_CLASS_MAX; i++) {
        printf(" %s %llu", run_class_name((enum run_class)i), (unsigned long long)firings[i]);
    }
    printf("\n");
}

void lives_print_json(const struct lives_totals *totals, uint64_t seed, double seconds)
{
    printf("{\"first_seed\": %llu, \"lives\": %llu, \"over_budget\": %llu, \"repeated\": %llu, "
           "\"requests\": %llu, \"crash_points\": %llu, \"loss_sets\": %llu, "
           "\"each_loss_points\": %llu, \"each_loss_sets\": %llu, \"seconds\": %.0f, ",
           (unsigned long long)seed, (unsigned long long)totals->lives,
           (unsigned long long)totals->over_budget, (unsigned long long)totals->repeated,
           (unsigned long long)totals->requests, (unsigned long long)totals->crash_points,
           (unsigned long long)totals->loss_sets, (unsigned long long)totals->each_loss_points,
           (unsigned long long)totals->each_loss_sets, seconds);
    lives_firings_print_json(totals->firings);
    printf(", \"cuts\": {");
    for (uint32_t i = 0; i < SIM_CUT_MAX; i++) {
        printf("%s\"%s\": %llu", i > 0 ? ", " : "", cut_names[i],
               (unsigned long long)totals->cuts[i]);
    }
    printf("}}\n");
    fflush(stdout);
}

void lives_print(const struct lives_totals *totals, double seconds)
{
    printf("# %llu lives (%llu over budget, %llu repeated), %llu requests, %llu faults, "
           "%llu power cuts, %llu restarts, %llu rebuilds, %llu replacements\n",
           (unsigned long long)totals->lives, (unsigned long long)totals->over_budget,
           (unsigned long long)totals->repeated, (unsigned long long)totals->requests,
           (unsigned long long)totals->faults, (unsigned long long)totals->crashes,
           (unsigned long long)totals->restarts, (unsigned long long)totals->rebuilds,
           (unsigned long long)totals->replacements);
    lives_firings_print(totals->firings);
    printf("# cuts:");
    for (uint32_t i = 0; i < SIM_CUT_MAX; i++) {
        printf(" %s %llu", cut_names[i], (unsigned long long)totals->cuts[i]);
    }
    printf(
        "\n# %llu crash points of %llu boundaries, %llu sets of drives removed, at %llu of them "
        "each tolerable set: %llu; %llu blocks told to be lost; in %.1f s: %.0f crash points/s\n",
        (unsigned long long)totals->crash_points, (unsigned long long)totals->boundaries,
        (unsigned long long)totals->loss_sets, (unsigned long long)totals->each_loss_points,
        (unsigned long long)totals->each_loss_sets, (unsigned long long)totals->told_blocks,
        seconds, (double)totals->crash_points / (seconds > 0 ? seconds : 1));
    fflush(stdout);
}

/* A life apart */

static int result_pipe = -1;
static struct run_result *apart;

static void tell_parent(void)
{
    ssize_t written = write(result_pipe, apart, sizeof(*apart));

    _exit(written == (ssize_t)sizeof(*apart) ? 0 : 1);
}

static void assertion_failed(const char *expression, const char *file, int line)
{
    apart->failed = true;
    (void)snprintf(apart->why, sizeof(apart->why), "assertion %s at %s:%d", expression, file,
                   line); /* may cut */
    tell_parent();
}

static void live_apart(const struct run_options *options, struct run_result *result, int pipe_end)
{
    result_pipe = pipe_end;
    apart = result;
    (void)assert_set_handler(assertion_failed);
    run(options, result);
    tell_parent();
}

void lives_run_apart(const struct run_options *options, struct run_result *ret_result)
{
    int ends[2];
    int status = 0;
    pid_t child = 0;
    ssize_t got = 0;

    memset(ret_result, 0, sizeof(*ret_result));
    fflush(stdout);
    if (pipe(ends) != 0 || (child = fork()) < 0) {
        perror("arraysim");
        exit(2);
    }
    if (child == 0) {
        (void)close(ends[0]); /* nothing was written to it */
        live_apart(options, ret_result, ends[1]);
    }
    (void)close(ends[1]); /* as above */
    got = read(ends[0], ret_result, sizeof(*ret_result));
    (void)close(ends[0]); /* as above */
    if (waitpid(child, &status, 0) != child || got != (ssize_t)sizeof(*ret_result)) {
        memset(ret_result, 0, sizeof(*ret_result));
        ret_result->failed = true;
        (void)snprintf(ret_result->why, sizeof(ret_result->why), "the process ended with status %x",
                       (unsigned int)status); /* fits */
    }
}

/* The prefix that says at which crash point it was does not count. */
static const char *bare(const char *why)
{
    const char *colon = strncmp(why, "crash point ", 12) == 0 ? strchr(why, ':') : NULL;

    return colon != NULL ? colon + 2 : why;
}

bool lives_same_failure(const char *a, const char *b)
{
    a = bare(a);
    b = bare(b);
    while (*a != '\0' && *b != '\0') {
        while (isdigit((unsigned char)*a)) {
            a++;
        }
        while (isdigit((unsigned char)*b)) {
            b++;
        }
        if (*a != *b) {
            return false;
        }
        a += *a != '\0' ? 1 : 0;
        b += *b != '\0' ? 1 : 0;
    }
    return *a == *b;
}
