/*
 * arraysim cached: many lives behind the cache (cached_life.h), as `arraysim crash` has many
 * without one.
 */
#ifndef ARRAYWRIGHT_SIM_CACHED_LIVES_H
#define ARRAYWRIGHT_SIM_CACHED_LIVES_H

#define CACHED_LIVES_USAGE                                                                         \
    "usage: arraysim cached [OPTION...]\n"                                                         \
    "  --seed N        first seed; default: a new one, printed\n"                                  \
    "  --lives N       lives; default 100 unless --minutes or --points is given (also: --runs)\n"  \
    "  --minutes M     as many lives as begin within M minutes\n"                                  \
    "  --points N      as many lives as it takes for N crash points\n"                             \
    "  --min-points N  fewer crash points than that are a failure\n"                               \
    "  --level L       RAID level (0, 1, 1E, 5, ...); default: by the seed\n"                      \
    "  --bug NAME      plants a bug (cache/sim_bug.h; --bug help lists them)\n"                    \
    "  --json          the totals as one line of JSON besides\n"                                   \
    "  --trace         tells on stderr what happens\n"                                             \
    "  --help\n"

/* texts[0] is the command's name. 0: nothing was found wrong; 1: something was; 2: it was called
 * wrongly. */
int cached_lives_command(int count, char **texts);

#endif
