/*
 * arraysim cached: many lives behind the cache (cached_life.h), as `arraysim crash` has many
 * without one.
 */
#ifndef ARRAYWRIGHT_SIM_CACHED_LIVES_H
#define ARRAYWRIGHT_SIM_CACHED_LIVES_H

extern const char cached_lives_usage[];

/* texts[0] is the command's name. 0: nothing was found wrong; 1: something was; 2: it was called
 * wrongly. */
int cached_lives_command(int count, char **texts);

#endif
