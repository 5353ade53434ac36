/*
 * What keeps the process alive and moving when the host is short of memory: its pages are
 * locked, it is the last to be killed, and the kernel does not make it wait for its own I/O.
 *
 * Called once, at start, before other threads exist. Nothing here is needed for right answers:
 * what is not permitted is reported and the process goes on, unless it was demanded.
 */
#ifndef ARRAYWRIGHT_HOST_PROCESS_GUARD_H
#define ARRAYWRIGHT_HOST_PROCESS_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"

enum memory_lock {
    MEMORY_LOCK_AUTO, /* if the process may lock as much as it likes */
    MEMORY_LOCK_YES,
    MEMORY_LOCK_NO,
    MEMORY_LOCK_MAX
};

/* Each 0 or -errno; -EPERM: not permitted; -ENOTSUP: not asked for. */
struct process_guard {
    int locked;
    int io_flusher;
    int oom_score; /* 0 too if it was as low already */
};

void process_guard(enum memory_lock lock, int oom_score_adj, struct process_guard *ret_guard);
/* Bytes locked now; 0: none, or the kernel does not tell. */
uint64_t process_locked_bytes(void);

#endif
