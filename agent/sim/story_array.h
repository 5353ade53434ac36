/*
 * What the short stories (directed.h) begin with: a small array on simulated drives, blocks of one
 * byte written to it and read from it.
 */
#ifndef ARRAYWRIGHT_SIM_STORY_ARRAY_H
#define ARRAYWRIGHT_SIM_STORY_ARRAY_H

#include "sim_array.h"

#define STORY_BLOCK 4096u
#define STORY_STRIP 8192u
#define STORY_ROWS 64u

/* One span, a virtual drive known consistent, a spare. */
struct sim_array_options story_options(enum raid_level level, uint32_t width);
struct sim_array *story_start(uint64_t seed, const struct sim_array_options *options);
/* With just those options. */
struct sim_array *story_start_level(uint64_t seed, enum raid_level level, uint32_t width);
/* It may be offline by then. */
void story_end(struct sim_array *array);
enum vd_status story_put(struct sim_array *array, uint64_t offset, uint8_t byte);
/* The byte that a block begins with, or -1 for an error. */
int story_get(struct sim_array *array, uint64_t offset);

#endif
