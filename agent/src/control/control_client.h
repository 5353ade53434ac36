/*
 * One connection of the control socket: lines in, lines out, nothing about their meaning.
 */
#ifndef ARRAYWRIGHT_CONTROL_CONTROL_CLIENT_H
#define ARRAYWRIGHT_CONTROL_CONTROL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/list.h"
#include "control/peer.h"
#include "host/loop.h"

struct control_client;

struct control_client_handler {
    /* One line without its end; may not close the client itself, but ask for it. */
    void (*line)(void *context, struct control_client *client, const char *line, size_t bytes);
    /* The connection is over; the client is freed when this returns. */
    void (*closed)(void *context, struct control_client *client);
    /* All output has been handed to the kernel. */
    void (*drained)(void *context, struct control_client *client);
    void *context;
};

struct control_client {
    struct list link;            /* for the server */
    struct peer peer;
    bool backend;
    enum peer_role role;
    bool speaks_for_link;        /* has told that the link stands */
    bool follows_commands;       /* wants the outcome of every numbered command */
    bool follows_state;
    bool state_pending;
    uint64_t state_rev;          /* sent up to here */
    bool follows_events;
    uint64_t events_seq;         /* told up to here */
    uint32_t commands_running;
    uint64_t progress_us;        /* when output last moved */

    /* Private to the transport. */
    struct loop *loop;
    const struct control_client_handler *handler;
    struct loop_poll *poll;
    struct loop_task closer;
    struct loop_task reader;
    int fd;
    bool closing;
    char *input;
    size_t input_bytes;
    char *output;
    size_t output_bytes, output_sent, output_capacity;
};

/* Takes the descriptor over in any case. */
MUST_CHECK int control_client_open(struct loop *loop, int fd, const struct peer *peer,
                                   const struct control_client_handler *handler,
                                   struct control_client **ret_client);
/* Sends document and line end; takes the reference. Too much output closes the client. */
void control_client_send(struct control_client *client, json_t *document);
bool control_client_has_output(const struct control_client *client);
/* Closes from the next turn of the loop, through handler.closed. */
void control_client_close_soon(struct control_client *client);
/* Closes now, without handler.closed. */
void control_client_free(struct control_client *client);

#endif
