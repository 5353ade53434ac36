/*
 * See process_guard.h.
 */
#include "host/process_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/assert.h"

#ifndef PR_SET_IO_FLUSHER /* Linux 5.6 */
#define PR_SET_IO_FLUSHER 57
#endif

#define CAPABILITY_IPC_LOCK 14u
#define OOM_SCORE_PATH "/proc/self/oom_score_adj"

/* The number behind a name in /proc/self/status. */
static bool status_read(const char *name, int base, uint64_t *ret_value)
{
    FILE *file = fopen("/proc/self/status", "re");
    size_t length = strlen(name);
    char line[256];
    bool found = false;

    if (file == NULL) {
        return false;
    }
    while (!found && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            *ret_value = strtoull(line + length + 1, NULL, base);
            found = true;
        }
    }
    (void)fclose(file); /* opened for reading: nothing can be lost */
    return found;
}

/*
 * With a finite limit, locking what comes later would make later allocations fail instead: a
 * drive group takes about 50 MiB, and nobody knows how many there will be.
 */
static bool may_lock_everything(void)
{
    struct rlimit limit;
    uint64_t capabilities = 0;

    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) {
        return true;
    }
    return status_read("CapEff", 16, &capabilities) &&
           (capabilities & (UINT64_C(1) << CAPABILITY_IPC_LOCK)) != 0;
}

static int memory_lock(enum memory_lock lock)
{
    if (lock == MEMORY_LOCK_NO) {
        return -ENOTSUP;
    }
    if (!may_lock_everything()) {
        return -EPERM;
    }
    /* Memory once had stays: given back to the kernel, it would have to be faulted in again. */
    (void)mallopt(M_TRIM_THRESHOLD, -1);
    (void)mallopt(M_ARENA_MAX, 2);
    return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : -errno;
}

static int oom_score_set(int wanted)
{
    char text[16];
    ssize_t length;
    int error = 0;
    int fd = open(OOM_SCORE_PATH, O_RDWR | O_CLOEXEC);

    if (fd < 0) {
        return -errno;
    }
    length = read(fd, text, sizeof text - 1);
    if (length <= 0) {
        error = -EIO;
    } else {
        text[length] = '\0';
        if (strtol(text, NULL, 10) > wanted) {
            int written = snprintf(text, sizeof text, "%d", wanted);
            error = pwrite(fd, text, (size_t)written, 0) == written ? 0 : -errno;
        }
    }
    close(fd);
    return error == -EACCES ? -EPERM : error;
}

void process_guard(enum memory_lock lock, int oom_score_adj, struct process_guard *ret_guard)
{
    ASSERT(lock < MEMORY_LOCK_MAX);
    ASSERT(oom_score_adj >= -1000 && oom_score_adj <= 1000);
    ret_guard->locked = memory_lock(lock);
    /* Memory is then given without waiting for dirty pages that only we can write out. */
    ret_guard->io_flusher = prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0) == 0 ? 0 : -errno;
    ret_guard->oom_score = oom_score_set(oom_score_adj);
}

uint64_t process_locked_bytes(void)
{
    uint64_t kib = 0;

    return status_read("VmLck", 10, &kib) ? kib * 1024 : 0;
}
