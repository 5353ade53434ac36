/* Groups of one controller, each of them by itself on it: what the others take from it. */
#ifndef ARRAYWRIGHT_LAB_LAB_ALONE_H
#define ARRAYWRIGHT_LAB_LAB_ALONE_H

#include "lab/lab_groups.h"

/*
 * After all of them together: the same seeds and faults, measured for no longer, so that the same
 * faults come to pass. In so many processes; progress counts the common run as one. An answer may
 * hold an error of its own. 0, or a negative errno if a process could not be had or died.
 */
MUST_CHECK int lab_alone_run(const struct lab_group *groups,
                             const struct lab_group_answer *together, uint32_t count,
                             uint32_t processes, void (*progress)(uint32_t done, uint32_t count),
                             struct lab_group_answer *ret_answers);

#endif
