/*
 * What has been written since, of a virtual drive whose data are in doubt: runs of bytes. Writes
 * from end to end leave one run, in whatever order they are answered; of a load that goes
 * everywhere only the longest runs are known.
 *
 * Pure: vd.c (vd_note_rewritten) says what it is for.
 */
#ifndef ARRAYWRIGHT_VD_REWRITTEN_H
#define ARRAYWRIGHT_VD_REWRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#define REWRITTEN_RUNS 32u

struct rewritten_run {
    uint64_t from;
    uint64_t end; /* one past the last */
};

struct rewritten {
    uint32_t count;
    struct rewritten_run runs[REWRITTEN_RUNS]; /* in no order; no two touch each other */
};

/* Adds a run. Returns the one that it is part of now. */
struct rewritten_run rewritten_add(struct rewritten *rewritten, uint64_t from, uint64_t end);
void rewritten_forget(struct rewritten *rewritten);

#endif
