/*
 * The arguments of programs that live many lives: what they have in common, and how their values
 * are read. Called wrongly, the program ends with 2.
 */
#ifndef ARRAYWRIGHT_SIM_ARGUMENTS_H
#define ARRAYWRIGHT_SIM_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

struct program {
    const char *name;
    const char *usage;
    /* Bugs that can be planted. */
    uint32_t bug_count;
    const char *(*bug_name)(uint32_t index);
    const char *(*bug_text)(uint32_t index); /* what --bug help says besides; NULL: nothing */
    void (*bug_plant)(uint32_t index);
};

struct lives_arguments {
    uint64_t seed;
    uint64_t lives, minutes, points; /* what has come first is enough; 0: it never is */
    uint64_t min_points;
    int level; /* enum raid_level, or -1: by the seed */
    bool json, trace;
};

/* For getopt_long(), before what is a program's own. */
#define LIVES_OPTIONS                                                                              \
    {"seed", required_argument, NULL, 's'}, {"lives", required_argument, NULL, 'n'},               \
        {"runs", required_argument, NULL, 'n'}, {"minutes", required_argument, NULL, 'm'},         \
        {"points", required_argument, NULL, 'p'}, {"min-points", required_argument, NULL, 'q'},    \
        {"level", required_argument, NULL, 'l'}, {"bug", required_argument, NULL, 'b'},            \
        {"json", no_argument, NULL, 'j'}, {"trace", no_argument, NULL, 'v'},                       \
        {"help", no_argument, NULL, 'h'}

__attribute__((noreturn)) void arguments_refuse(const struct program *program, const char *why);
uint64_t argument_number(const struct program *program, const char *text);
int argument_level(const struct program *program, const char *text);
/* "help" lists them, and is the end. */
void argument_bug(const struct program *program, const char *name);

/* A new seed, and nothing else. */
struct lives_arguments lives_arguments_new(void);
/* False: this option is not one of those. */
bool lives_argument_take(const struct program *program, struct lives_arguments *arguments,
                         int option, const char *text);
/* The whole command line of a program that has only those. */
struct lives_arguments lives_arguments_parse(const struct program *program, int count,
                                             char **texts);
/* Behind the options: nothing more is to come, and something is to be done. */
void lives_arguments_end(const struct program *program, struct lives_arguments *arguments,
                         bool is_last);
bool lives_suffice(const struct lives_arguments *arguments, uint64_t lives, uint64_t points,
                   double seconds);
/* False, and said: there were fewer crash points than asked for. */
bool lives_points_suffice(const struct lives_arguments *arguments, uint64_t points);
double lives_now(void);

#endif
