/*
 * Listening, clients and notifications: see control_server.h.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert.h"
#include "control/control_private.h"
#include "control/json_text.h"

#define STALL_CHECK_US (5u * 1000u * 1000u)
/* Beyond this many clients only administrators and the uplink are let in. */
#define CLIENTS_COMMON_MAX 48u

static struct clock_port *server_clock(const struct control_server *server)
{
    return loop_clock(server->world.loop);
}

/* Notifications. */

static void client_state_send(struct control_server *server, struct control_client *client)
{
    uint64_t rev = 0;

    if (!client->follows_state || client->closing ||
        client->state_rev == ctl_host_rev(server->world.host)) {
        return;
    }
    if (control_client_has_output(client)) {
        client->state_pending = true;
        return;
    }
    client->state_pending = false;
    json_t *change = control_state(server, client->state_rev, &rev);
    client->state_rev = rev;
    control_notify(client, "state", change);
}

static void state_send_all(struct control_server *server)
{
    LIST_FOR_EACH (node, &server->clients) {
        client_state_send(server, list_entry(node, struct control_client, link));
    }
}

static void urgent_run(struct loop_task *task)
{
    state_send_all(task->owner);
}

static void state_timer_fired(struct clock_timer *timer)
{
    state_send_all(timer->owner);
}

void control_server_changed(struct control_server *server, bool urgent)
{
    if (urgent) {
        loop_unpost(&server->urgent_task);
        loop_post(server->world.loop, &server->urgent_task);
    } else if (!server->state_timer.armed) {
        clock_arm(server_clock(server), &server->state_timer,
                  clock_now_us(server_clock(server)) + CONTROL_STATE_INTERVAL_US);
    }
}

static void client_events_send(struct control_client *client, uint64_t last_seq)
{
    if (!client->follows_events || client->closing || client->events_seq >= last_seq) {
        return;
    }
    json_t *params = json_new_object();

    client->events_seq = last_seq;
    json_put_u64(params, "last_seq", last_seq);
    control_notify(client, "events", params);
}

void control_server_events(struct control_server *server, uint64_t last_seq)
{
    server->events_last_seq = last_seq;
    LIST_FOR_EACH (node, &server->clients) {
        client_events_send(list_entry(node, struct control_client, link), last_seq);
    }
}

/* Clients. */

static void client_line(void *context, struct control_client *client, const char *line,
                        size_t bytes)
{
    control_request(context, client, line, bytes);
}

static void client_leave(struct control_server *server, struct control_client *client)
{
    control_commands_orphan(server, client);
    control_link_leave(server, client);
    list_remove(&client->link);
    server->client_count--;
}

static void client_closed(void *context, struct control_client *client)
{
    client_leave(context, client);
}

static void client_drained(void *context, struct control_client *client)
{
    if (client->state_pending) {
        client_state_send(context, client);
    }
}

static void stall_timer_fired(struct clock_timer *timer)
{
    struct control_server *server = timer->owner;
    uint64_t now_us = clock_now_us(server_clock(server));

    LIST_FOR_EACH (node, &server->clients) {
        struct control_client *client = list_entry(node, struct control_client, link);

        if (control_client_has_output(client) && now_us - client->progress_us > CONTROL_STALL_US) {
            control_client_close_soon(client);
        }
    }
    clock_arm(server_clock(server), timer, now_us + STALL_CHECK_US);
}

static void client_accept(struct control_server *server, int fd)
{
    struct control_client *client = NULL;
    struct peer peer;
    bool known = false;

    if (peer_read(fd, &peer) != 0) {
        (void)close(fd);
        return;
    }
    known = peer_is_backend(&server->options.rules, &peer) ||
            peer_role(&server->options.rules, &peer) == PEER_ADMINISTRATOR;
    if (server->client_count >= (known ? CONTROL_CLIENTS_MAX : CLIENTS_COMMON_MAX)) {
        (void)close(fd);
        return;
    }
    if (control_client_open(server->world.loop, fd, &peer, &server->handler, &client) != 0) {
        return;
    }
    client->backend = peer_is_backend(&server->options.rules, &peer);
    client->role = peer_role(&server->options.rules, &peer);
    list_push_tail(&server->clients, &client->link);
    server->client_count++;
}

static void listen_ready(void *owner, uint32_t poll_events UNUSED)
{
    struct control_server *server = owner;

    for (;;) {
        int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd >= 0) {
            client_accept(server, fd);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

/* The socket. */

/* 0: nobody answers there and the path is free now. */
static int path_clear(const struct sockaddr_un *address, char text[256])
{
    struct stat status;

    if (lstat(address->sun_path, &status) != 0) {
        return 0;
    }
    if (!S_ISSOCK(status.st_mode)) {
        (void)snprintf(text, 256, "%.100s exists and is not a socket", address->sun_path);
        return -EEXIST;
    }
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) {
        return -errno;
    }
    int answer = connect(probe, (const struct sockaddr *)address, sizeof(*address));
    bool in_use = answer == 0 || errno == EAGAIN;
    (void)close(probe);
    if (in_use) {
        (void)snprintf(text, 256, "another arrayd answers on %.100s", address->sun_path);
        return -EADDRINUSE;
    }
    return unlink(address->sun_path) == 0 ? 0 : -errno; /* left by a daemon that was killed */
}

static int path_bind(int fd, const struct control_options *options,
                     const struct sockaddr_un *address)
{
    /* Nobody may slip in between bind and chmod. */
    mode_t mask = umask(0177);
    int bound = bind(fd, (const struct sockaddr *)address, sizeof(*address));
    int error = bound == 0 ? 0 : -errno;

    (void)umask(mask);
    if (error != 0) {
        return error;
    }
    if (options->has_group && chown(address->sun_path, (uid_t)-1, options->group) != 0) {
        return -errno;
    }
    if (chmod(address->sun_path, options->mode) != 0 || listen(fd, 64) != 0) {
        return -errno;
    }
    return 0;
}

static int socket_open(const struct control_options *options, int *ret_fd, char text[256])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int error = 0;

    text[0] = '\0';
    ASSERT(strlen(options->path) < sizeof(address.sun_path));
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", options->path);
    error = path_clear(&address, text);
    int fd = error == 0 ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (error == 0 && fd < 0) {
        error = -errno;
    }
    if (error == 0) {
        error = path_bind(fd, options, &address);
    }
    if (error != 0) {
        if (fd >= 0) {
            (void)close(fd);
        }
        if (text[0] == '\0') {
            (void)snprintf(text, 256, "the control socket %.100s cannot be opened: %s",
                           options->path, strerror(-error));
        }
        return error;
    }
    *ret_fd = fd;
    return 0;
}

static void drain_run(struct loop_task *task)
{
    struct control_server *server = task->owner;
    void (*drained)(void *context) = server->drained;

    server->drained = NULL;
    if (drained != NULL) {
        drained(server->drained_context);
    }
}

static void server_init(struct control_server *server, const struct control_options *options,
                        const struct control_world *world)
{
    server->options = *options;
    server->world = *world;
    server->handler = (struct control_client_handler){
        .line = client_line, .closed = client_closed, .drained = client_drained, .context = server};
    list_init(&server->clients);
    list_init(&server->commands);
    loop_task_init(&server->drain_task, drain_run, server);
    loop_task_init(&server->urgent_task, urgent_run, server);
    server->state_timer = (struct clock_timer){.fire = state_timer_fired, .owner = server};
    list_init(&server->state_timer.port_link);
    server->stall_timer = (struct clock_timer){.fire = stall_timer_fired, .owner = server};
    list_init(&server->stall_timer.port_link);
}

int control_server_open(const struct control_options *options, const struct control_world *world,
                        struct control_server **ret_server, char text[256])
{
    struct control_server *server = calloc(1, sizeof(*server));
    int error = 0;

    ASSERT(server != NULL);
    server_init(server, options, world);
    error = socket_open(options, &server->listen_fd, text);
    if (error != 0) {
        free(server);
        return error;
    }
    error = loop_poll_add(world->loop, server->listen_fd, POLLIN, listen_ready, server,
                          &server->listen_poll);
    if (error != 0) {
        (void)snprintf(text, 256, "the control socket cannot be watched: %s", strerror(-error));
        (void)unlink(options->path);
        (void)close(server->listen_fd);
        free(server);
        return error;
    }
    clock_arm(server_clock(server), &server->stall_timer,
              clock_now_us(server_clock(server)) + STALL_CHECK_US);
    monitor_watch_begin(&server->monitor, server_clock(server), world->host, options->monitor_unit,
                        options->monitor_silence_s);
    *ret_server = server;
    return 0;
}

void control_server_drain(struct control_server *server, void (*done)(void *context), void *context)
{
    ASSERT(!server->draining);
    server->draining = true;
    server->drained = done;
    server->drained_context = context;
    if (server->command_count == 0) {
        loop_post(server->world.loop, &server->drain_task);
    }
}

struct control_server *control_server_close(struct control_server *server)
{
    if (server == NULL) {
        return NULL;
    }
    ASSERT(server->command_count == 0);
    LIST_FOR_EACH_SAFE (node, following, &server->clients) {
        struct control_client *client = list_entry(node, struct control_client, link);

        client_leave(server, client);
        control_client_free(client);
    }
    loop_unpost(&server->drain_task);
    loop_unpost(&server->urgent_task);
    clock_cancel(server_clock(server), &server->state_timer);
    clock_cancel(server_clock(server), &server->stall_timer);
    monitor_watch_end(&server->monitor);
    server->listen_poll = loop_poll_remove(server->listen_poll);
    (void)unlink(server->options.path);
    (void)close(server->listen_fd);
    free(server);
    return NULL;
}
