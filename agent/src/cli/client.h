/*
 * arrayctl's side of the control socket: one question, one answer, in order. Blocking, with
 * a deadline for everything.
 */
#ifndef ARRAYWRIGHT_CLI_CLIENT_H
#define ARRAYWRIGHT_CLI_CLIENT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/attrs.h"

#define CLIENT_TEXT_BYTES 640u

struct client;

/* text says what is wrong and what to do next. */
MUST_CHECK bool client_open(const char *socket_path, struct client **ret_client,
                            char text[CLIENT_TEXT_BYTES]);
/* How long an answer may take, for all clients; without it a minute. */
void client_patience_set(int patience_ms);
void client_close(struct client *client);

struct client_answer {
    json_t *result;     /* owned by the caller; NULL if refused */
    json_t *reason;     /* {code, params, text}; NULL if answered */
};
/* Takes `params`. False: the connection failed, text says how. */
MUST_CHECK bool client_ask(struct client *client, const char *method, json_t *params,
                           struct client_answer *ret_answer, char text[CLIENT_TEXT_BYTES]);

/* Runs a command to its end: *ret_status is a command_status whose state is final. Without
 * preconditions: health may move at any time, and keys and typed names say what is meant.
 * `controller` is the key of the one that was named. */
MUST_CHECK bool client_command(struct client *client, const char *controller, const char *op,
                               json_t *args, const char *confirm, json_t **ret_status,
                               char text[CLIENT_TEXT_BYTES]);

#endif
