/*
 * How long a rebuild takes: the engine's own task, with nothing else to do, for a few megabytes at
 * several places of a member, because the inner zones of disks are slower. The rest is
 * extrapolated.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_REBUILD_H
#define ARRAYWRIGHT_LAB_LAB_REBUILD_H

#include "lab/lab_array.h"
#include "task/task.h"

struct lab_rebuild {
    uint64_t member_bytes;  /* to be rebuilt */
    uint64_t sampled_bytes; /* of them really simulated */
    double seconds;
};

/* Of the first failed member, or of member 0, at a controller with such ceilings (of which engines
 * and links count). 0 or a negative errno with a sentence. */
MUST_CHECK int lab_rebuild_run(const struct lab_array_setup *setup,
                               const struct controller_ceilings *ceilings,
                               struct lab_rebuild *ret_rebuild, char text[LAB_TEXT_BYTES]);
/* Stops it, waits for its end and frees it. */
void lab_task_end(struct task *task, struct lab_clock *clock);

#endif
