/* See protect.h. */
#include "daemon/protect.h"

#include <string.h>
#include <sys/resource.h>

#include "daemon/log.h"
#include "host/process_guard.h"

#define FILES_WANTED 4096u

static void files_limit_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FILES_WANTED) {
        limit.rlim_cur = limit.rlim_max < FILES_WANTED ? limit.rlim_max : FILES_WANTED;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* best effort: fewer clients otherwise */
    }
}

bool process_protect(const struct config_protect *protect)
{
    struct process_guard guard;

    files_limit_raise();
    process_guard(protect->lock_memory, protect->oom_score_adj, &guard);
    if (guard.locked != 0 && protect->lock_memory == MEMORY_LOCK_YES) {
        log_error("protect.lock_memory is \"yes\", but memory cannot be locked: %s. It needs "
                  "CAP_IPC_LOCK or an unlimited RLIMIT_MEMLOCK",
                  strerror(-guard.locked));
        return false;
    }
    if (guard.locked == 0) {
        log_info("memory is locked: %llu MiB so far",
                 (unsigned long long)(process_locked_bytes() >> 20));
    } else if (protect->lock_memory == MEMORY_LOCK_AUTO) {
        log_warning("memory is not locked (%s): on a host short of memory, virtual drives used by "
                    "the same host may stall. It needs CAP_IPC_LOCK or an unlimited "
                    "RLIMIT_MEMLOCK",
                    strerror(-guard.locked));
    }
    if (guard.io_flusher != 0) {
        log_info("not flagged as an I/O flusher: %s", strerror(-guard.io_flusher));
    }
    if (guard.oom_score != 0) {
        log_info("the out-of-memory score stays as it is: %s", strerror(-guard.oom_score));
    }
    return true;
}
