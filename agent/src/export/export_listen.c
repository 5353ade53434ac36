/*
 * Listening sockets: Unix with its file's rights and remains, TCP, and accepting.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert.h"
#include "export/export_private.h"

#define BACKLOG 128
#define ACCEPT_RETRY_US 100000u

static int explain(char *text, int error, const char *format, ...) PRINTF_LIKE(3, 4);
static int explain(char *text, int error, const char *format, ...)
{
    va_list arguments;

    ASSERT(error < 0);
    va_start(arguments, format);
    (void)vsnprintf(text, EXPORT_TEXT_BYTES, format, arguments); /* cut if longer */
    va_end(arguments);
    return error;
}

/* ---- accepting ---- */

static void set_tcp_options(int fd)
{
    const int on = 1;

    /* Neither is needed for right answers: a refusal only costs latency, or time until a
     * peer that vanished is noticed. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

/* One too many hears why, unless there are too many of those as well. */
static void client_take(struct listener *listener, int fd)
{
    struct export_server *server = listener->server;
    const char *refusal = NULL;

    ASSERT(server->refusal_count <= server->connection_count);
    if (server->connection_count - server->refusal_count >= server->options.connection_max) {
        export_refused_note(server);
        if (server->refusal_count >= EXPORT_REFUSALS_MAX) {
            close(fd);
            return;
        }
        refusal = "too many clients are connected; the limit is nbd.connections of arrayd.conf";
    }
    nbd_connection_start(server, fd, listener->tls, refusal);
}

/* Reports come on change only, so everything waiting is taken. */
static void accept_all(struct listener *listener)
{
    struct export_server *server = listener->server;

    for (;;) {
        int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED)) {
            continue;
        }
        if (fd < 0) {
            break;
        }
        if (listener->path[0] == '\0') {
            set_tcp_options(fd);
        }
        client_take(listener, fd);
    }
    /* Out of descriptors or memory: nobody will report the client that still waits. */
    if (errno != EAGAIN) {
        struct clock_port *clock = loop_clock(server->loop);
        clock_arm(clock, &listener->retry, clock_now_us(clock) + ACCEPT_RETRY_US);
    }
}

static void listener_ready(void *owner, uint32_t poll_events UNUSED)
{
    accept_all(owner);
}

static void retry_fire(struct clock_timer *timer)
{
    accept_all(timer->owner);
}

/* ---- listeners ---- */

static int listener_add(struct export_server *server, int fd, const char *path, char *text)
{
    struct listener *listener = &server->listeners[server->listener_count];
    int error;

    ASSERT(server->listener_count < EXPORT_LISTENER_MAX);
    *listener = (struct listener){.server = server, .fd = fd};
    listener->retry.fire = retry_fire;
    listener->retry.owner = listener;
    list_init(&listener->retry.port_link);
    listener->tls = path == NULL && server->tls != NULL;
    if (path != NULL) {
        struct stat status;
        (void)snprintf(listener->path, sizeof listener->path, "%s", path);
        if (stat(path, &status) != 0) {
            return explain(text, -errno, "%s: %s.", path, strerror(errno));
        }
        listener->path_device = status.st_dev;
        listener->path_inode = status.st_ino;
    }
    error = loop_poll_add(server->loop, fd, POLLIN, listener_ready, listener, &listener->poll);
    if (error != 0) {
        return explain(text, error, "No memory for another listener.");
    }
    server->listener_count++;
    return 0;
}

static void listener_close(struct listener *listener)
{
    struct stat status;

    clock_cancel(loop_clock(listener->server->loop), &listener->retry);
    listener->poll = loop_poll_remove(listener->poll);
    close(listener->fd);
    /* Only our own socket: someone may have put another in its place. */
    if (listener->path[0] != '\0' && lstat(listener->path, &status) == 0 &&
        status.st_dev == listener->path_device && status.st_ino == listener->path_inode) {
        (void)unlink(listener->path); /* a stale socket is replaced at the next start */
    }
}

void listeners_close(struct export_server *server)
{
    for (uint32_t i = 0; i < server->listener_count; i++) {
        listener_close(&server->listeners[i]);
    }
    server->listener_count = 0;
}

static bool room_for_listener(const struct export_server *server)
{
    return server->listener_count < EXPORT_LISTENER_MAX && !server->closing;
}

/* ---- Unix ---- */

/* Whether anybody answers there; a refusal is the mark of a stale socket. */
static bool socket_is_alive(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool alive;

    if (fd < 0) {
        return true;
    }
    alive = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ||
            errno != ECONNREFUSED;
    close(fd);
    return alive;
}

static int remove_stale(const struct sockaddr_un *address, char *text)
{
    struct stat status;

    if (lstat(address->sun_path, &status) != 0) {
        return errno == ENOENT
                   ? 0
                   : explain(text, -errno, "%s: %s.", address->sun_path, strerror(errno));
    }
    if (!S_ISSOCK(status.st_mode)) {
        return explain(text, -EEXIST, "%s exists and is not a socket.", address->sun_path);
    }
    if (socket_is_alive(address)) {
        return explain(text, -EADDRINUSE, "Another program is listening on %s.", address->sun_path);
    }
    if (unlink(address->sun_path) != 0 && errno != ENOENT) {
        return explain(text, -errno, "The stale socket %s cannot be removed: %s.",
                       address->sun_path, strerror(errno));
    }
    return 0;
}

/* Rights are set on the socket before it has a name, so that there is no moment without. */
static int bind_unix(int fd, const struct sockaddr_un *address, mode_t mode, gid_t group)
{
    if (fchmod(fd, mode) != 0 || bind(fd, (const struct sockaddr *)address, sizeof *address) != 0) {
        return -errno;
    }
    if ((group != (gid_t)-1 && lchown(address->sun_path, (uid_t)-1, group) != 0) ||
        chmod(address->sun_path, mode) != 0 || listen(fd, BACKLOG) != 0) {
        int error = -errno;
        (void)unlink(address->sun_path); /* stale if it stays: replaced next time */
        return error;
    }
    return 0;
}

int export_server_listen_unix(struct export_server *server, const char *path, mode_t mode,
                              gid_t group, char text[EXPORT_TEXT_BYTES])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int error;
    int fd;

    if (!room_for_listener(server)) {
        return explain(text, -ENOSPC, "There are too many listeners.");
    }
    if (path[0] == '\0' || strlen(path) >= sizeof address.sun_path) {
        return explain(text, -ENAMETOOLONG, "A socket path has 1 to %zu characters.",
                       sizeof address.sun_path - 1);
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    error = remove_stale(&address, text);
    if (error != 0) {
        return error;
    }
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return explain(text, -errno, "No socket can be had: %s.", strerror(errno));
    }
    error = bind_unix(fd, &address, mode, group);
    if (error != 0) {
        (void)explain(text, error, "%s cannot be listened on: %s.", path, strerror(-error));
    } else {
        error = listener_add(server, fd, path, text);
    }
    if (error != 0) {
        close(fd);
    }
    return error;
}

/* ---- TCP ---- */

static int resolve(const char *address, uint16_t port, struct addrinfo **ret_info, char *text)
{
    const struct addrinfo hints = {
        .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
        .ai_socktype = SOCK_STREAM,
    };
    char service[8];
    int failed;

    (void)snprintf(service, sizeof service, "%u", (unsigned int)port);
    failed = getaddrinfo(address == NULL ? "127.0.0.1" : address, service, &hints, ret_info);
    if (failed != 0) {
        return explain(text, -EINVAL, "%.100s is not a numeric address: %s.", address,
                       gai_strerror(failed));
    }
    return 0;
}

static int bind_tcp(int fd, const struct addrinfo *info, uint16_t *ret_port)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } bound;
    socklen_t length = sizeof bound;
    const int on = 1;

    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        (info->ai_family == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0) ||
        bind(fd, info->ai_addr, info->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, &bound.any, &length) != 0) {
        return -errno;
    }
    *ret_port = ntohs(info->ai_family == AF_INET6 ? bound.v6.sin6_port : bound.v4.sin_port);
    return 0;
}

int export_server_listen_tcp(struct export_server *server, const char *address, uint16_t port,
                             uint16_t *ret_port, char text[EXPORT_TEXT_BYTES])
{
    struct addrinfo *info = NULL;
    uint16_t bound_port = 0;
    int error;
    int fd;

    if (!room_for_listener(server)) {
        return explain(text, -ENOSPC, "There are too many listeners.");
    }
    error = resolve(address, port, &info, text);
    if (error != 0) {
        return error;
    }
    fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = fd < 0 ? -errno : bind_tcp(fd, info, &bound_port);
    freeaddrinfo(info);
    if (error != 0) {
        (void)explain(text, error, "Port %u cannot be listened on: %s.", (unsigned int)port,
                      strerror(-error));
    } else {
        error = listener_add(server, fd, NULL, text);
    }
    if (error == 0) {
        *ret_port = bound_port;
    } else if (fd >= 0) {
        close(fd);
    }
    return error;
}
