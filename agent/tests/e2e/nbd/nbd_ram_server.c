/*
 * Drives in memory behind the real export server and loop: the black box of the NBD tests
 * and of the CPU benchmark. Not installed.
 *
 *   nbd_ram_server [--unix PATH] [--tcp] [--busy-poll PERCENT] NAME:BYTES:BLOCK[:ro][:null] ...
 *
 * It prints "port N" for --tcp and "ready", then obeys lines on standard input, each
 * answered by one line:
 *   hold NAME | release NAME | fail NAME COUNT | remove NAME | queued NAME |
 *   connections NAME | quit
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "export/export_server.h"
#include "ram_target.h"

#define DRIVES_MAX 8u

struct drive {
    struct ram_target ram;
    struct loop_task run;
    struct server *server;
    bool held;
};

struct server {
    struct loop *loop;
    struct export_server *exports;
    struct loop_poll *input;
    struct drive drives[DRIVES_MAX];
    uint32_t drive_count;
    char line[256];
    size_t line_bytes;
};

static void say(const char *text)
{
    (void)printf("%s\n", text);
    (void)fflush(stdout);
}

static void drive_run(struct loop_task *task)
{
    struct drive *drive = task->owner;

    if (!drive->held) {
        (void)ram_target_run(&drive->ram);
    }
}

static void drive_submitted(struct ram_target *ram)
{
    struct drive *drive = ram->owner;

    loop_post(drive->server->loop, &drive->run);
}

static void removed(void *owner UNUSED, struct vd_target *target)
{
    (void)printf("removed %s\n", target->name);
    (void)fflush(stdout);
}

static void closed(void *owner)
{
    loop_stop(((struct server *)owner)->loop);
}

static struct drive *find_drive(struct server *server, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < server->drive_count; i++) {
        if (strcmp(server->drives[i].ram.target.name, name) == 0) {
            return &server->drives[i];
        }
    }
    return NULL;
}

static void quit(struct server *server)
{
    for (uint32_t i = 0; i < server->drive_count; i++) {
        server->drives[i].held = false;
        loop_post(server->loop, &server->drives[i].run);
    }
    server->input = loop_poll_remove(server->input);
    export_server_close(server->exports, closed, server);
}

static void obey_drive(struct server *server, const char *verb, struct drive *drive,
                       const char *argument)
{
    if (strcmp(verb, "hold") == 0) {
        drive->held = true;
        say("held");
    } else if (strcmp(verb, "release") == 0) {
        drive->held = false;
        loop_post(server->loop, &drive->run);
        say("released");
    } else if (strcmp(verb, "fail") == 0 && argument != NULL) {
        drive->ram.fail_status = VD_STATUS_IO;
        drive->ram.fail_count = (uint32_t)strtoul(argument, NULL, 10);
        say("failing");
    } else if (strcmp(verb, "remove") == 0) {
        export_server_remove_target(server->exports, &drive->ram.target, removed, server);
    } else if (strcmp(verb, "queued") == 0) {
        (void)printf("%" PRIu32 "\n", drive->ram.queued_count);
    } else if (strcmp(verb, "connections") == 0) {
        (void)printf("%" PRIu32 "\n",
                     export_server_connections(server->exports, &drive->ram.target));
    } else {
        say("what?");
    }
    (void)fflush(stdout);
}

static void obey(struct server *server, char *line)
{
    char *save = NULL;
    const char *verb = strtok_r(line, " ", &save);
    const char *name = strtok_r(NULL, " ", &save);
    const char *argument = strtok_r(NULL, " ", &save);
    struct drive *drive = find_drive(server, name);

    if (verb != NULL && strcmp(verb, "quit") == 0) {
        quit(server);
    } else if (verb == NULL || drive == NULL) {
        say("what?");
    } else {
        obey_drive(server, verb, drive, argument);
    }
}

/* Standard input closed means whoever started us has gone. */
static void input_ready(void *owner, uint32_t poll_events UNUSED)
{
    struct server *server = owner;

    while (server->input != NULL) {
        char byte;
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (got <= 0) {
            quit(server);
        } else if (byte == '\n') {
            server->line[server->line_bytes] = '\0';
            server->line_bytes = 0;
            obey(server, server->line);
        } else if (server->line_bytes < sizeof server->line - 1) {
            server->line[server->line_bytes++] = byte;
        }
    }
}

/* NAME:BYTES:BLOCK[:ro][:null] */
static int add_drive(struct server *server, const char *text)
{
    struct drive *drive = &server->drives[server->drive_count];
    char name[64];
    char rest[32] = "";
    uint64_t bytes;
    uint32_t block_bytes;

    if (server->drive_count == DRIVES_MAX ||
        sscanf(text, "%63[^:]:%" SCNu64 ":%" SCNu32 "%31s", name, &bytes, &block_bytes, rest) < 3) {
        return -EINVAL;
    }
    ram_target_init(&drive->ram, name, bytes, block_bytes, strstr(rest, ":null") == NULL);
    drive->ram.target.read_only = strstr(rest, ":ro") != NULL;
    drive->ram.submitted = drive_submitted;
    drive->ram.owner = drive;
    drive->server = server;
    loop_task_init(&drive->run, drive_run, drive);
    server->drive_count++;
    return export_server_add_target(server->exports, &drive->ram.target);
}

static int configure(struct server *server, int count, char **arguments)
{
    char text[EXPORT_TEXT_BYTES] = "";
    uint16_t port = 0;
    int error = 0;

    for (int i = 1; i < count && error == 0; i++) {
        (void)snprintf(text, sizeof text, "%.200s cannot be exported", arguments[i]);
        if (strcmp(arguments[i], "--unix") == 0 && i + 1 < count) {
            error =
                export_server_listen_unix(server->exports, arguments[++i], 0660, (gid_t)-1, text);
        } else if (strcmp(arguments[i], "--busy-poll") == 0 && i + 1 < count) {
            loop_busy_poll_set(server->loop, (uint32_t)strtoul(arguments[++i], NULL, 10));
        } else if (strcmp(arguments[i], "--tcp") == 0) {
            error = export_server_listen_tcp(server->exports, NULL, 0, &port, text);
            (void)printf("port %u\n", (unsigned int)port);
        } else {
            error = add_drive(server, arguments[i]);
        }
    }
    if (error != 0) {
        (void)fprintf(stderr, "nbd_ram_server: %s (%s)\n", text, strerror(-error));
    }
    return error;
}

int main(int count, char **arguments)
{
    static struct server server;
    int error = loop_open(&server.loop);

    if (error == 0) {
        error = export_server_create(server.loop, NULL, &server.exports);
    }
    if (error == 0) {
        error = configure(&server, count, arguments);
    }
    if (error == 0 && fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) != 0) {
        error = -errno;
    }
    if (error == 0) {
        error =
            loop_poll_add(server.loop, STDIN_FILENO, POLLIN, input_ready, &server, &server.input);
    }
    if (error != 0) {
        return 1;
    }
    say("ready");
    error = loop_run(server.loop);
    server.exports = export_server_free(server.exports);
    server.loop = loop_close(server.loop);
    for (uint32_t i = 0; i < server.drive_count; i++) {
        ram_target_done(&server.drives[i].ram);
    }
    return error == 0 ? 0 : 1;
}
