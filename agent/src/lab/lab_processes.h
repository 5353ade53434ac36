/* Independent pieces of work, so many at a time, each in a process of its own. */
#ifndef ARRAYWRIGHT_LAB_LAB_PROCESSES_H
#define ARRAYWRIGHT_LAB_LAB_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

struct lab_work {
    /* Fills the answer, plain bytes. What it takes is left to the end of its process. */
    void (*run)(const void *context, uint32_t index, void *answer);
    const void *context;
    size_t answer_bytes;
    uint32_t done_before; /* pieces that progress counts as well */
};

/*
 * Runs each of the indexes; its answer comes to that place of ret_answers. progress may be NULL; it
 * gets how many are done of how many there are. 0, or a negative errno if a process could not be
 * had or died.
 */
MUST_CHECK int lab_processes_run(const struct lab_work *work, const uint32_t *indexes,
                                 uint32_t count, uint32_t processes,
                                 void (*progress)(uint32_t done, uint32_t count),
                                 void *ret_answers);

#endif
