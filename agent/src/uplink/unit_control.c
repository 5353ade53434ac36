/*
 * One run of systemctl or journalctl at a time; see unit_control.h.
 */
#include "uplink/unit_control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"

#define OUTPUT_BYTES 4096u
#define ASK_MS 10000u
/* arrayd starts with the unit and may read many drives first. */
#define START_MS 120000u

extern char **environ;

static uint64_t now_ms(void)
{
    struct timespec now;
    int error = clock_gettime(CLOCK_MONOTONIC, &now);

    ASSERT(error == 0);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int spawn(char *const *arguments, int output_fd, pid_t *ret_child)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int fd = 1; error == 0 && fd <= 2; fd++) {
        error = posix_spawn_file_actions_adddup2(&actions, output_fd, fd);
    }
    if (error == 0) {
        error = posix_spawnp(ret_child, arguments[0], &actions, NULL, arguments, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The output up to its end; what does not fit is dropped. False: the time is up. */
static bool output_read(int fd, uint64_t deadline_ms, char output[OUTPUT_BYTES])
{
    char dropped[256];
    size_t bytes = 0;

    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        uint64_t now = now_ms();
        size_t room = OUTPUT_BYTES - 1 - bytes;

        if (now >= deadline_ms) {
            return false;
        }
        if (poll(&wait, 1, (int)(deadline_ms - now)) <= 0) {
            continue;
        }
        ssize_t got =
            room > 0 ? read(fd, output + bytes, room) : read(fd, dropped, sizeof(dropped));
        if (got <= 0) {
            return true;
        }
        bytes += room > 0 ? (size_t)got : 0;
        output[bytes] = '\0';
    }
}

/* 0 with the exit status, or -errno. */
static int run(char *const *arguments, uint32_t timeout_ms, int *ret_status,
               char output[OUTPUT_BYTES])
{
    int ends[2];
    pid_t child = 0;

    output[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -errno;
    }
    int error = -spawn(arguments, ends[1], &child);
    (void)close(ends[1]);
    if (error == 0) {
        bool ended = output_read(ends[0], now_ms() + timeout_ms, output);

        if (!ended) {
            (void)kill(child, SIGKILL);
            error = -ETIMEDOUT;
        }
        if (waitpid(child, ret_status, 0) != child) {
            error = -ECHILD;
        }
        *ret_status = WIFEXITED(*ret_status) ? WEXITSTATUS(*ret_status) : 128;
    }
    (void)close(ends[0]);
    return error;
}

/* The last line that is not empty, printable. */
static void last_line(char *output, char line[UNIT_TEXT_BYTES])
{
    size_t end = strlen(output);

    while (end > 0 && (output[end - 1] == '\n' || output[end - 1] == ' ')) {
        output[--end] = '\0';
    }
    const char *start = strrchr(output, '\n');
    (void)snprintf(line, UNIT_TEXT_BYTES, "%s", start != NULL ? start + 1 : output);
    for (char *at = line; *at != '\0'; at++) {
        *at = *at >= ' ' && *at < 0x7F ? *at : '?';
    }
}

bool unit_is_managed(void)
{
    char *arguments[] = {"systemctl", "is-system-running", NULL};
    char output[OUTPUT_BYTES];
    char line[UNIT_TEXT_BYTES];
    int status = 0;

    if (run(arguments, ASK_MS, &status, output) != 0) {
        return false;
    }
    last_line(output, line);
    static const char *const running[] = {"initializing", "starting",    "running",
                                          "degraded",     "maintenance", "stopping"};
    for (size_t i = 0; i < sizeof(running) / sizeof(running[0]); i++) {
        if (strcmp(line, running[i]) == 0) {
            return true;
        }
    }
    return false;
}

int unit_start(char text[UNIT_TEXT_BYTES])
{
    char *arguments[] = {"systemctl", "enable", "--now", UPLINK_UNIT, NULL};
    char output[OUTPUT_BYTES];
    int status = 0;
    int error = run(arguments, START_MS, &status, output);

    if (error != 0) {
        (void)snprintf(text, UNIT_TEXT_BYTES, "systemctl: %s", strerror(-error));
        return error;
    }
    last_line(output, text);
    return status == 0 ? 0 : -EIO;
}

enum unit_state unit_state_read(void)
{
    char *arguments[] = {"systemctl", "is-active", UPLINK_UNIT, NULL};
    static const struct {
        const char *word;
        enum unit_state state;
    } known[] = {{"active", UNIT_ACTIVE},     {"activating", UNIT_STARTING},
                 {"reloading", UNIT_ACTIVE},  {"failed", UNIT_FAILED},
                 {"inactive", UNIT_INACTIVE}, {"deactivating", UNIT_INACTIVE}};
    char output[OUTPUT_BYTES];
    char line[UNIT_TEXT_BYTES];
    int status = 0;

    if (run(arguments, ASK_MS, &status, output) != 0) {
        return UNIT_UNKNOWN;
    }
    last_line(output, line);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(line, known[i].word) == 0) {
            return known[i].state;
        }
    }
    return UNIT_UNKNOWN;
}

void unit_last_line(char line[UNIT_TEXT_BYTES])
{
    char *arguments[] = {
        "journalctl", "--unit=" UPLINK_UNIT, "--lines=1", "--output=cat", "--no-pager", "--quiet",
        NULL};
    char output[OUTPUT_BYTES];
    int status = 0;

    line[0] = '\0';
    if (run(arguments, ASK_MS, &status, output) == 0 && status == 0) {
        last_line(output, line);
    }
}
