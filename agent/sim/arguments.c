/*
 * See arguments.h.
 */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fresh_seed.h"
#include "raid/geometry.h"

#define LIVES_DEFAULT 100u

void arguments_refuse(const struct program *program, const char *why)
{
    fprintf(stderr, "%s: %s\n%s", program->name, why, program->usage);
    exit(2);
}

uint64_t argument_number(const struct program *program, const char *text)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 0);

    if (text[0] == '\0' || text[0] == '-' || *end != '\0') {
        arguments_refuse(program, "a number is wanted");
    }
    return value;
}

int argument_level(const struct program *program, const char *text)
{
    enum raid_level level = RAID_LEVEL_0;

    if (raid_level_parse(text, &level) != 0) {
        arguments_refuse(program, "no such RAID level");
    }
    return (int)level;
}

void argument_bug(const struct program *program, const char *name)
{
    bool help = strcmp(name, "help") == 0;

    for (uint32_t i = 0; i < program->bug_count; i++) {
        if (help && program->bug_text != NULL) {
            printf("%-22s %s\n", program->bug_name(i), program->bug_text(i));
        } else if (help) {
            puts(program->bug_name(i));
        } else if (strcmp(name, program->bug_name(i)) == 0) {
            program->bug_plant(i);
            return;
        }
    }
    if (help) {
        exit(0);
    }
    arguments_refuse(program, "no such bug");
}

struct lives_arguments lives_arguments_new(void)
{
    return (struct lives_arguments){.seed = fresh_seed(), .level = -1};
}

bool lives_argument_take(const struct program *program, struct lives_arguments *arguments,
                         int option, const char *text)
{
    switch (option) {
    case 's':
        arguments->seed = argument_number(program, text);
        return true;
    case 'n':
        arguments->lives = argument_number(program, text);
        return true;
    case 'm':
        arguments->minutes = argument_number(program, text);
        return true;
    case 'p':
        arguments->points = argument_number(program, text);
        return true;
    case 'q':
        arguments->min_points = argument_number(program, text);
        return true;
    case 'l':
        arguments->level = argument_level(program, text);
        return true;
    case 'b':
        argument_bug(program, text);
        return true;
    case 'j':
        arguments->json = true;
        return true;
    case 'v':
        arguments->trace = true;
        return true;
    case 'h':
        fputs(program->usage, stdout);
        exit(0);
    default:
        return false;
    }
}

void lives_arguments_end(const struct program *program, struct lives_arguments *arguments,
                         bool is_last)
{
    if (!is_last) {
        arguments_refuse(program, "no such argument");
    }
    if (arguments->lives == 0 && arguments->minutes == 0 && arguments->points == 0) {
        arguments->lives = LIVES_DEFAULT;
    }
}

struct lives_arguments lives_arguments_parse(const struct program *program, int count, char **texts)
{
    static const struct option options[] = {LIVES_OPTIONS, {NULL, 0, NULL, 0}};
    struct lives_arguments arguments = lives_arguments_new();
    int option = 0;

    while ((option = getopt_long(count, texts, "", options, NULL)) != -1) {
        if (!lives_argument_take(program, &arguments, option, optarg)) {
            arguments_refuse(program, "no such option");
        }
    }
    lives_arguments_end(program, &arguments, optind == count);
    return arguments;
}

bool lives_suffice(const struct lives_arguments *arguments, uint64_t lives, uint64_t points,
                   double seconds)
{
    return (arguments->lives > 0 && lives >= arguments->lives) ||
           (arguments->points > 0 && points >= arguments->points) ||
           (arguments->minutes > 0 && seconds >= (double)arguments->minutes * 60);
}

bool lives_points_suffice(const struct lives_arguments *arguments, uint64_t points)
{
    if (points < arguments->min_points) {
        printf("FAILED: only %llu crash points of at least %llu\n", (unsigned long long)points,
               (unsigned long long)arguments->min_points);
        return false;
    }
    return true;
}

double lives_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
