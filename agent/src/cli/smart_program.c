/*
 * One run of smartctl; see smart_program.h.
 *
 * (1) Every wait has an end: the run's deadline, and a grace after the kill.
 * (2) It is killed with everything it has started.
 */
#include "cli/smart_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "cli/cli_clock.h"

#define OUTPUT_MAX (512u * 1024u)
#define GRACE_MS 2000u

static int actions_make(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes,
                        int output_fd)
{
    sigset_t none;
    sigset_t all;
    int error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);

    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(actions, output_fd, 1);
    }
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0);
    }
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    if (error == 0) {
        error = posix_spawnattr_setsigmask(attributes, &none);
    }
    if (error == 0) {
        error = posix_spawnattr_setsigdefault(attributes, &all);
    }
    if (error == 0) {
        error = posix_spawnattr_setpgroup(attributes, 0); /* (2) */
    }
    if (error == 0) {
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    return error;
}

/* Its environment is ours to choose: its words must not depend on a language. */
static int start(const char *program, char *const *arguments, int output_fd, pid_t *ret_child)
{
    static char language[] = "LC_ALL=C";
    static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    char *environment[] = {language, path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = actions_make(&actions, &attributes, output_fd);
        if (error == 0) {
            error = posix_spawn(ret_child, program, &actions, &attributes, arguments, environment);
        }
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Takes what is there. False: that is all there will be. */
static bool output_take(int fd, struct smart_run *run)
{
    ssize_t got = 0;

    if (run->bytes == OUTPUT_MAX) {
        run->end = SMART_END_TOO_MUCH;
        return false;
    }
    got = read(fd, run->output + run->bytes, OUTPUT_MAX - run->bytes);
    if (got < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    run->bytes += (size_t)got;
    return got > 0;
}

/* Until the end of its output, its own end or the deadline (1). */
static void output_read(int output_fd, int child_fd, uint64_t deadline_ms, struct smart_run *run)
{
    for (;;) {
        struct pollfd waits[2] = {{.fd = output_fd, .events = POLLIN},
                                  {.fd = child_fd, .events = POLLIN}};
        uint64_t now = (uint64_t)cli_now_ms();

        if (now >= deadline_ms) {
            run->end = SMART_END_TIMEOUT;
            return;
        }
        if (poll(waits, 2, (int)min_u64(deadline_ms - now, 60000)) <= 0) {
            continue;
        }
        if (waits[0].revents != 0) {
            if (!output_take(output_fd, run)) {
                return;
            }
        } else if (waits[1].revents != 0) {
            return; /* it has left, and something it started keeps the pipe */
        }
    }
}

static bool child_ends(int child_fd, uint64_t deadline_ms)
{
    for (;;) {
        struct pollfd wait = {.fd = child_fd, .events = POLLIN};
        uint64_t now = (uint64_t)cli_now_ms();

        if (poll(&wait, 1, now < deadline_ms ? (int)min_u64(deadline_ms - now, 60000) : 0) == 1) {
            return true;
        }
        if (now >= deadline_ms) {
            return false;
        }
    }
}

static void finish(pid_t child, int child_fd, uint64_t deadline_ms, struct smart_run *run)
{
    int status = 0;

    if (run->end == SMART_END_EXITED && !child_ends(child_fd, deadline_ms)) {
        run->end = SMART_END_TIMEOUT;
    }
    (void)kill(-child, SIGKILL); /* (2); nobody is there if all went well */
    if (!child_ends(child_fd, (uint64_t)cli_now_ms() + GRACE_MS)) {
        run->lingering = child;
        return;
    }
    if (waitpid(child, &status, 0) != child) {
        run->end = SMART_END_SIGNALLED;
    } else if (run->end == SMART_END_EXITED) {
        run->end = WIFEXITED(status) ? SMART_END_EXITED : SMART_END_SIGNALLED;
        run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    }
}

static void fail(struct smart_run *run, int error)
{
    run->end = SMART_END_NOT_STARTED;
    run->error = error;
}

void smart_program_run(const char *program, char *const *arguments, uint32_t timeout_ms,
                       struct smart_run *ret_run)
{
    uint64_t deadline_ms = (uint64_t)cli_now_ms() + timeout_ms;
    int ends[2] = {-1, -1};
    int child_fd = -1;
    pid_t child = 0;
    int error = 0;

    *ret_run = (struct smart_run){.end = SMART_END_EXITED};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        fail(ret_run, errno);
        return;
    }
    error = start(program, arguments, ends[1], &child);
    (void)close(ends[1]);
    if (error != 0) {
        fail(ret_run, error);
        (void)close(ends[0]);
        return;
    }
    child_fd = pidfd_open(child, 0);
    ASSERT(child_fd >= 0); /* since Linux 5.3; it is ours and not waited for yet */
    ret_run->output = malloc(OUTPUT_MAX);
    ASSERT(ret_run->output != NULL);
    output_read(ends[0], child_fd, deadline_ms, ret_run);
    (void)close(ends[0]);
    finish(child, child_fd, deadline_ms, ret_run);
    (void)close(child_fd);
    if (ret_run->end != SMART_END_EXITED) {
        free(ret_run->output);
        ret_run->output = NULL;
        ret_run->bytes = 0;
    }
}
