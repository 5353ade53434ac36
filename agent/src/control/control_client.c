/*
 * Transport of one control connection: see control_client.h.
 */
#include "control/control_client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "control/control_server.h"
#include "control/json_text.h"

#define OUTPUT_CHOKE_BYTES (256u * 1024u)
#define LINES_PER_TURN 16u

static void closer_run(struct loop_task *task)
{
    struct control_client *client = task->owner;

    client->handler->closed(client->handler->context, client);
    control_client_free(client);
}

void control_client_close_soon(struct control_client *client)
{
    if (!client->closing) {
        client->closing = true;
        loop_post(client->loop, &client->closer);
    }
}

static void output_flush(struct control_client *client)
{
    bool moved = false;

    while (client->output_sent < client->output_bytes && !client->closing) {
        ssize_t put = send(client->fd, client->output + client->output_sent,
                           client->output_bytes - client->output_sent, MSG_NOSIGNAL);

        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            break;
        }
        if (put < 0) {
            control_client_close_soon(client);
            return;
        }
        client->output_sent += (size_t)put;
        moved = true;
    }
    if (moved) {
        client->progress_us = clock_now_us(loop_clock(client->loop));
    }
    if (client->output_sent == client->output_bytes && client->output_bytes > 0) {
        client->output_sent = 0;
        client->output_bytes = 0;
        loop_unpost(&client->reader);
        loop_post(client->loop, &client->reader);
        client->handler->drained(client->handler->context, client);
    }
}

/* Room for `bytes` more, or false. */
static bool output_make_room(struct control_client *client, size_t bytes)
{
    size_t unsent = client->output_bytes - client->output_sent;

    if (unsent + bytes > CONTROL_OUTPUT_MAX_BYTES) {
        return false;
    }
    if (client->output_sent > 0) {
        memmove(client->output, client->output + client->output_sent, unsent);
        client->output_bytes = unsent;
        client->output_sent = 0;
    }
    if (unsent + bytes > client->output_capacity) {
        size_t capacity = unsent + bytes + 4096;
        char *output = realloc(client->output, capacity);

        if (output == NULL) {
            return false;
        }
        client->output = output;
        client->output_capacity = capacity;
    }
    return true;
}

void control_client_send(struct control_client *client, json_t *document)
{
    size_t bytes = 0;
    char *line = json_line(document, &bytes);

    json_decref(document);
    if (!client->closing && output_make_room(client, bytes + 1)) {
        if (client->output_bytes == client->output_sent) {
            client->progress_us = clock_now_us(loop_clock(client->loop));
        }
        memcpy(client->output + client->output_bytes, line, bytes);
        client->output[client->output_bytes + bytes] = '\n';
        client->output_bytes += bytes + 1;
        output_flush(client);
    } else {
        control_client_close_soon(client);
    }
    free(line);
}

bool control_client_has_output(const struct control_client *client)
{
    return client->output_bytes > client->output_sent;
}

/* Requests wait while the answers to earlier ones are not being read. */
static bool is_choked(const struct control_client *client)
{
    return client->output_bytes - client->output_sent > OUTPUT_CHOKE_BYTES;
}

/* Hands over whole lines and keeps the rest; false if more lines are left for later. */
static bool input_split(struct control_client *client)
{
    size_t at = 0;
    char *end = NULL;

    for (uint32_t i = 0; i < LINES_PER_TURN && !client->closing && !is_choked(client); i++) {
        char *start = client->input + at;

        end = memchr(start, '\n', client->input_bytes - at);
        if (end == NULL) {
            break;
        }
        *end = '\0';
        at = (size_t)(end - client->input) + 1;
        client->handler->line(client->handler->context, client, start, (size_t)(end - start));
    }
    client->input_bytes -= at;
    memmove(client->input, client->input + at, client->input_bytes);
    return end == NULL;
}

/* One read per turn, so that no client can keep the loop for itself. */
static void reader_run(struct loop_task *task)
{
    struct control_client *client = task->owner;
    bool whole = input_split(client);

    if (client->closing || is_choked(client)) {
        return;
    }
    if (!whole) {
        loop_post(client->loop, &client->reader);
        return;
    }
    if (client->input_bytes > CONTROL_REQUEST_MAX_BYTES) {
        control_client_close_soon(client);
        return;
    }
    ssize_t got = recv(client->fd, client->input + client->input_bytes,
                       CONTROL_REQUEST_MAX_BYTES + 1 - client->input_bytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return;
    }
    if (got == 0 || (got < 0 && errno != EINTR)) {
        control_client_close_soon(client);
        return;
    }
    client->input_bytes += got > 0 ? (size_t)got : 0;
    loop_post(client->loop, &client->reader);
}

static void reader_post(struct control_client *client)
{
    loop_unpost(&client->reader);
    loop_post(client->loop, &client->reader);
}

static void client_ready(void *owner, uint32_t poll_events)
{
    struct control_client *client = owner;

    if (client->closing) {
        return;
    }
    if ((poll_events & (POLLIN | POLLHUP | POLLERR)) != 0) {
        reader_post(client);
    }
    if ((poll_events & POLLOUT) != 0 && !client->closing) {
        output_flush(client);
    }
}

int control_client_open(struct loop *loop, int fd, const struct peer *peer,
                        const struct control_client_handler *handler,
                        struct control_client **ret_client)
{
    struct control_client *client = calloc(1, sizeof(*client));
    int error = -ENOMEM;

    if (client != NULL) {
        client->input = malloc(CONTROL_REQUEST_MAX_BYTES + 1);
    }
    if (client == NULL || client->input == NULL) {
        free(client);
        (void)close(fd);
        return -ENOMEM;
    }
    client->loop = loop;
    client->fd = fd;
    client->peer = *peer;
    client->handler = handler;
    client->progress_us = clock_now_us(loop_clock(loop));
    list_init(&client->link);
    loop_task_init(&client->closer, closer_run, client);
    loop_task_init(&client->reader, reader_run, client);
    error = loop_poll_add(loop, fd, POLLIN | POLLOUT, client_ready, client, &client->poll);
    if (error != 0) {
        control_client_free(client);
        return error;
    }
    *ret_client = client;
    return 0;
}

void control_client_free(struct control_client *client)
{
    ASSERT(!list_is_linked(&client->link));
    loop_unpost(&client->closer);
    loop_unpost(&client->reader);
    if (client->poll != NULL) {
        client->poll = loop_poll_remove(client->poll);
    }
    (void)close(client->fd); /* a socket: nothing to be told */
    free(client->input);
    free(client->output);
    free(client);
}
