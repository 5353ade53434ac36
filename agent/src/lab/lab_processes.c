/* See lab_processes.h. Each child writes its answer into a pipe of its own. */
#include "lab/lab_processes.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"

#define PROCESSES_MAX 64u

struct child {
    pid_t pid; /* 0: none */
    int fd;
    uint8_t *answer;
    size_t got;
};

static bool whole_write(int fd, const void *bytes, size_t count)
{
    const uint8_t *from = bytes;

    while (count > 0) {
        ssize_t written = write(fd, from, count);

        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        from += written;
        count -= (size_t)written;
    }
    return true;
}

static int child_start(struct child *child, const struct lab_work *work, uint32_t index,
                       uint8_t *answers)
{
    int fds[2];

    if (pipe(fds) != 0) {
        return -errno;
    }
    *child = (struct child){.fd = fds[0], .answer = answers + index * work->answer_bytes};
    child->pid = fork();
    if (child->pid < 0) {
        int error = -errno;

        (void)close(fds[0]); /* nothing has been written */
        (void)close(fds[1]);
        child->pid = 0;
        return error;
    }
    if (child->pid == 0) {
        void *answer = calloc(1, work->answer_bytes);

        ASSERT(answer != NULL);
        work->run(work->context, index, answer);
        _exit(whole_write(fds[1], answer, work->answer_bytes) ? 0 : 1);
    }
    (void)close(fds[1]); /* the child's */
    return 0;
}

static void child_end(struct child *child)
{
    (void)close(child->fd); /* only read from */
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    child->pid = 0;
}

/* 1: its answer is whole, 0: more is to come, -errno. */
static int child_read(struct child *child, size_t answer_bytes)
{
    ssize_t got = read(child->fd, child->answer + child->got, answer_bytes - child->got);

    if (got < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    if (got == 0) {
        return -EPIPE; /* it died */
    }
    child->got += (size_t)got;
    return child->got == answer_bytes ? 1 : 0;
}

static uint32_t children_poll(const struct child *children, uint32_t processes, struct pollfd *fds)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < processes; i++) {
        fds[i] =
            (struct pollfd){.fd = children[i].pid != 0 ? children[i].fd : -1, .events = POLLIN};
        open += children[i].pid != 0 ? 1 : 0;
    }
    if (open > 0) {
        (void)poll(fds, processes, -1); /* an interruption is a turn without news */
    }
    return open;
}

int lab_processes_run(const struct lab_work *work, const uint32_t *indexes, uint32_t count,
                      uint32_t processes, void (*progress)(uint32_t done, uint32_t count),
                      void *ret_answers)
{
    struct child children[PROCESSES_MAX] = {{.pid = 0}};
    struct pollfd fds[PROCESSES_MAX];
    uint32_t next = 0;
    uint32_t done = work->done_before;
    int error = 0;

    processes = max_u32(1, min_u32(processes, PROCESSES_MAX));
    for (;;) {
        for (uint32_t i = 0; i < processes && error == 0 && next < count; i++) {
            if (children[i].pid == 0) {
                error = child_start(&children[i], work, indexes[next++], ret_answers);
            }
        }
        if (children_poll(children, processes, fds) == 0) {
            return error;
        }
        for (uint32_t i = 0; i < processes; i++) {
            int state = children[i].pid != 0 && fds[i].revents != 0
                            ? child_read(&children[i], work->answer_bytes)
                            : 0;

            if (state != 0) {
                child_end(&children[i]);
                error = state < 0 && error == 0 ? state : error;
                done++;
                if (progress != NULL) {
                    progress(done, work->done_before + count);
                }
            }
        }
    }
}
