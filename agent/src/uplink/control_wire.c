/*
 * The control socket in the loop: see run_private.h.
 *
 * Bounds: one line of arrayd's has at most LINE_MAX_BYTES; one read per turn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert.h"
#include "uplink/run_private.h"

#define LINE_MAX_BYTES (9u * 1024u * 1024u) /* arrayd sends at most 8 MiB */
#define READ_BYTES 65536u
#define KEEP_BYTES (1024u * 1024u)

static int socket_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0) {
        return -errno;
    }
    ASSERT(strlen(path) < sizeof(address.sun_path));
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        int error = -errno;

        (void)close(fd);
        return error;
    }
    return fd;
}

static void opening_failed(struct uplink_run *run, int error)
{
    char why[256];

    (void)snprintf(why, sizeof(why), "%s: %s", run->options->config->control_socket,
                   strerror(-error));
    uplink_session_control_closed(run->session, run_now(), why);
}

void control_wire_open(struct uplink_run *run)
{
    struct control_wire *wire = &run->control;
    lws_sock_file_fd_type descriptor;
    int fd = socket_connect(run->options->config->control_socket);

    ASSERT(wire->wsi == NULL);
    if (fd < 0) {
        opening_failed(run, fd);
        return;
    }
    descriptor.filefd = fd;
    struct lws *wsi = lws_adopt_descriptor_vhost(run->vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor,
                                                 PROTOCOL_CONTROL, NULL);
    if (wsi == NULL) {
        opening_failed(run, -ENOMEM); /* the descriptor has been closed */
        return;
    }
    wire->wsi = wsi;
    wire->fd = fd;
    wire->round = uplink_session_round(run->session);
    wire->input_bytes = 0;
    wire->input_scanned = 0;
    uplink_session_control_opened(run->session, run_now());
}

static void wire_forget(struct control_wire *wire)
{
    wire->wsi = NULL;
    wire->fd = -1;
    free(wire->output);
    wire->output = NULL;
    free(wire->input);
    wire->input = NULL;
    wire->input_capacity = 0;
    wire->input_bytes = 0;
    wire->input_scanned = 0;
}

void control_wire_drop(struct uplink_run *run)
{
    struct lws *wsi = run->control.wsi;

    if (wsi != NULL) {
        wire_forget(&run->control);
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    }
}

/* The next request into the output buffer; false if there is none. */
static bool output_fill(struct uplink_run *run)
{
    struct control_wire *wire = &run->control;
    size_t bytes = 0;
    char *line = uplink_session_pull_control(run->session, run_now(), &bytes);

    ASSERT(wire->output == NULL);
    if (line == NULL) {
        return false;
    }
    wire->output = realloc(line, bytes + 1);
    ASSERT(wire->output != NULL);
    wire->output[bytes] = '\n'; /* in the place of the end mark */
    wire->output_bytes = bytes + 1;
    wire->output_sent = 0;
    return true;
}

void control_wire_pump(struct uplink_run *run)
{
    struct control_wire *wire = &run->control;

    while (wire->wsi != NULL && (wire->output != NULL || output_fill(run))) {
        ssize_t put = send(wire->fd, wire->output + wire->output_sent,
                           wire->output_bytes - wire->output_sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            /* Full: go on when it is writable. Broken: the reader hears of the end. */
            (void)lws_callback_on_writable(wire->wsi);
            return;
        }
        wire->output_sent += (size_t)put;
        if (wire->output_sent == wire->output_bytes) {
            free(wire->output);
            wire->output = NULL;
        }
    }
}

static bool input_make_room(struct control_wire *wire)
{
    if (wire->input_capacity - wire->input_bytes >= READ_BYTES) {
        return true;
    }
    size_t capacity = wire->input_capacity * 2 + READ_BYTES;
    char *input = capacity <= LINE_MAX_BYTES * 2 ? realloc(wire->input, capacity) : NULL;
    if (input == NULL) {
        return false;
    }
    wire->input = input;
    wire->input_capacity = capacity;
    return true;
}

/* Hands whole lines to the session until it drops the connection. */
static void input_split(struct uplink_run *run, const struct lws *wsi)
{
    struct control_wire *wire = &run->control;
    size_t at = 0;

    while (wire->wsi == wsi) {
        char *start = wire->input + at;
        char *end = memchr(wire->input + wire->input_scanned, '\n',
                           wire->input_bytes - wire->input_scanned);

        if (end == NULL) {
            break;
        }
        uplink_session_control_line(run->session, run_now(), start, (size_t)(end - start));
        at = (size_t)(end - wire->input) + 1;
        wire->input_scanned = at;
    }
    wire->input_bytes -= at;
    memmove(wire->input, wire->input + at, wire->input_bytes);
    wire->input_scanned = wire->input_bytes;
    if (wire->input_bytes == 0 && wire->input_capacity > KEEP_BYTES) {
        free(wire->input);
        wire->input = NULL;
        wire->input_capacity = 0;
    }
}

/* -1: the connection is over. */
static int input_read(struct uplink_run *run, const struct lws *wsi, char why[128])
{
    struct control_wire *wire = &run->control;

    if (!input_make_room(wire) || wire->input_bytes > LINE_MAX_BYTES) {
        (void)snprintf(why, 128, "it sent a line without an end");
        return -1;
    }
    ssize_t got = recv(wire->fd, wire->input + wire->input_bytes, READ_BYTES, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return 0;
    }
    if (got <= 0) {
        (void)snprintf(why, 128, "%s", got == 0 ? "connection closed" : strerror(errno));
        return -1;
    }
    wire->input_bytes += (size_t)got;
    input_split(run, wsi);
    return 0;
}

static void wire_ended(struct uplink_run *run, const char *why)
{
    wire_forget(&run->control);
    uplink_session_control_closed(run->session, run_now(), why);
    run_settle(run);
}

int control_wire_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user UNUSED,
                          void *in UNUSED, size_t bytes UNUSED)
{
    struct uplink_run *run = lws_context_user(lws_get_context(wsi));
    char why[128] = "connection closed";

    if (run == NULL || run->control.wsi != wsi) {
        return reason == LWS_CALLBACK_RAW_RX_FILE || reason == LWS_CALLBACK_RAW_WRITEABLE_FILE ? -1
                                                                                               : 0;
    }
    if (reason == LWS_CALLBACK_RAW_RX_FILE) {
        if (input_read(run, wsi, why) != 0) {
            wire_ended(run, why);
            return -1;
        }
        run_settle(run);
    } else if (reason == LWS_CALLBACK_RAW_WRITEABLE_FILE) {
        run_settle(run);
    } else if (reason == LWS_CALLBACK_RAW_CLOSE_FILE) {
        wire_ended(run, why);
    }
    return 0;
}
