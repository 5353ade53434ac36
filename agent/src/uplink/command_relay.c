/*
 * Passing commands and outcomes on: see command_relay.h.
 */
#include "uplink/command_relay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "control/json_text.h"

#define LIST_WHOLE 256u /* arrayd lists no more outcomes than this at a time */

/* As text: the tree of it can be fifty times as large. */
struct waiting_command {
    struct list link;
    char command_id[UUID_TEXT_BYTES];
    char *params;
    size_t bytes;
};

struct outcome {
    struct list link;
    char command_id[UUID_TEXT_BYTES];
    json_t *status;
    uint64_t sent_us;            /* 0: not sent in this session */
    bool acked;                  /* by the backend: arrayd is to be told */
};

static void relay_check(const struct command_relay *relay)
{
    ASSERT(relay->waiting_count <= RELAY_WAITING_MAX);
    ASSERT(relay->outcome_count <= RELAY_OUTCOMES_MAX);
    ASSERT((relay->waiting_count == 0) == list_is_empty(&relay->waiting));
    ASSERT((relay->outcome_count == 0) == list_is_empty(&relay->outcomes));
}

void command_relay_start(struct command_relay *relay)
{
    *relay = (struct command_relay){.wants_list = true};
    list_init(&relay->waiting);
    list_init(&relay->outcomes);
    relay->replies = json_new_array();
    relay_check(relay);
}

static void waiting_free(struct command_relay *relay, struct waiting_command *command)
{
    list_remove(&command->link);
    relay->waiting_count--;
    relay->waiting_bytes -= command->bytes;
    free(command->params);
    free(command);
}

static void outcome_free(struct command_relay *relay, struct outcome *outcome)
{
    list_remove(&outcome->link);
    relay->outcome_count--;
    json_decref(outcome->status);
    free(outcome);
}

void command_relay_done(struct command_relay *relay)
{
    relay_check(relay);
    LIST_FOR_EACH_SAFE (node, following, &relay->waiting) {
        waiting_free(relay, list_entry(node, struct waiting_command, link));
    }
    LIST_FOR_EACH_SAFE (node, following, &relay->outcomes) {
        outcome_free(relay, list_entry(node, struct outcome, link));
    }
    json_decref(relay->replies);
    relay->replies = NULL;
    ASSERT(relay->waiting_count == 0 && relay->outcome_count == 0);
}

/* Replies. */

static void reply_cmd_ack(struct command_relay *relay, const char *command_id, const char *state,
                          json_t *reason)
{
    json_t *frame = frame_new("cmd_ack", 0);

    json_put_text(frame, "command_id", command_id);
    json_put_text(frame, "state", state);
    json_put(frame, "reason", reason);
    json_append(relay->replies, frame);
}

static void reply_refused(struct command_relay *relay, const char *command_id, const char *why)
{
    json_t *reason = json_new_object();
    json_t *params = json_new_object();
    char text[FRAME_WHY_BYTES + 16];

    (void)snprintf(text, sizeof(text), "command: %s.", why);
    json_put_text(params, "field", "command");
    json_put_text(params, "problem", why);
    json_put_text(reason, "code", "invalid_argument");
    json_put(reason, "params", params);
    json_put_text(reason, "text", text);
    reply_cmd_ack(relay, command_id, "refused", reason);
}

static void reply_progress(struct command_relay *relay, const char *command_id, uint64_t percent)
{
    json_t *frame = frame_new("progress", 0);

    json_put_text(frame, "command_id", command_id);
    json_put_u64(frame, "percent", percent);
    json_append(relay->replies, frame);
}

void command_relay_nack(struct command_relay *relay, const char *why)
{
    json_t *frame = NULL;

    relay_check(relay);
    if (json_array_size(relay->replies) >= RELAY_REPLIES_MAX / 2) {
        return;
    }
    frame = frame_new("nack", 0);
    json_put_text(frame, "reason", "bad");
    json_put_text(frame, "detail", why);
    json_append(relay->replies, frame);
}

/* Commands from the backend. */

static bool is_under_way(const struct command_relay *relay, const char *command_id)
{
    for (uint32_t i = 0; i < RELAY_RUNNING_MAX; i++) {
        if (strcmp(relay->running[i].command_id, command_id) == 0) {
            return true;
        }
    }
    LIST_FOR_EACH (node, &relay->waiting) {
        if (strcmp(list_entry(node, struct waiting_command, link)->command_id, command_id) == 0) {
            return true;
        }
    }
    return false;
}

/* Exactly the fields of the protocol; nothing else of the frame reaches arrayd. free() it. */
static char *command_params(const json_t *document, size_t *ret_bytes)
{
    static const char *const fields[] = {"command_id", "number",        "op",    "args",
                                         "confirm",    "preconditions", "actor", "not_after_us"};
    json_t *params = json_new_object();

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        json_put(params, fields[i], json_incref(json_object_get(document, fields[i])));
    }
    char *line = json_line(params, ret_bytes);
    json_decref(params);
    return line;
}

int command_relay_take(struct command_relay *relay, const struct frame *frame)
{
    size_t bytes = 0;

    relay_check(relay);
    ASSERT(frame->kind == FRAME_COMMAND);
    if (json_array_size(relay->replies) >= RELAY_REPLIES_MAX ||
        relay->waiting_count >= RELAY_WAITING_MAX) {
        return -ENOSPC;
    }
    if (is_under_way(relay, frame->command.command_id)) {
        return 0;
    }
    if (!frame->command.valid) {
        reply_refused(relay, frame->command.command_id, frame->command.why);
        return 0;
    }
    /* Not as it came: arrayd hangs up on a longer request, and numbers may be written longer. */
    char *params = command_params(frame->document, &bytes);
    if (bytes > FRAME_REQUEST_MAX_BYTES) {
        reply_refused(relay, frame->command.command_id, "it is larger than 63 KiB");
        free(params);
        return 0;
    }
    if (bytes > RELAY_WAITING_BYTES - relay->waiting_bytes) {
        free(params);
        return -ENOSPC;
    }
    struct waiting_command *command = calloc(1, sizeof(*command));
    ASSERT(command != NULL);
    list_init(&command->link);
    memcpy(command->command_id, frame->command.command_id, UUID_TEXT_BYTES);
    command->params = params;
    command->bytes = bytes;
    list_push_tail(&relay->waiting, &command->link);
    relay->waiting_count++;
    relay->waiting_bytes += bytes;
    return 0;
}

json_t *command_relay_next_command(struct command_relay *relay, char ret_id[UUID_TEXT_BYTES])
{
    struct relay_running *place = NULL;

    relay_check(relay);
    /* Room is kept for the answers of all that run. */
    if (list_is_empty(&relay->waiting) ||
        json_array_size(relay->replies) + 2 * RELAY_RUNNING_MAX > RELAY_REPLIES_MAX) {
        return NULL;
    }
    for (uint32_t i = 0; i < RELAY_RUNNING_MAX && place == NULL; i++) {
        place = relay->running[i].command_id[0] == '\0' ? &relay->running[i] : NULL;
    }
    if (place == NULL) {
        return NULL;
    }
    struct waiting_command *command =
        list_entry(list_first(&relay->waiting), struct waiting_command, link);
    json_t *params = json_loadb(command->params, command->bytes, 0, NULL);
    ASSERT(params != NULL);
    memcpy(place->command_id, command->command_id, UUID_TEXT_BYTES);
    memcpy(ret_id, command->command_id, UUID_TEXT_BYTES);
    waiting_free(relay, command);
    return params;
}

static void running_end(struct command_relay *relay, const char *command_id)
{
    for (uint32_t i = 0; i < RELAY_RUNNING_MAX; i++) {
        if (strcmp(relay->running[i].command_id, command_id) == 0) {
            relay->running[i].command_id[0] = '\0';
        }
    }
}

/* Outcomes. */

static struct outcome *outcome_find(const struct command_relay *relay, const char *command_id)
{
    LIST_FOR_EACH (node, &relay->outcomes) {
        struct outcome *outcome = list_entry(node, struct outcome, link);

        if (strcmp(outcome->command_id, command_id) == 0) {
            return outcome;
        }
    }
    return NULL;
}

static void outcome_add(struct command_relay *relay, const char *command_id, const json_t *status)
{
    if (outcome_find(relay, command_id) != NULL) {
        return;
    }
    if (relay->outcome_count >= RELAY_OUTCOMES_MAX) {
        relay->wants_list = true; /* once there is room */
        return;
    }
    struct outcome *outcome = calloc(1, sizeof(*outcome));
    ASSERT(outcome != NULL);
    list_init(&outcome->link);
    memcpy(outcome->command_id, command_id, UUID_TEXT_BYTES);
    outcome->status = json_incref((json_t *)status);
    list_push_tail(&relay->outcomes, &outcome->link);
    relay->outcome_count++;
}

static bool objects_are_fine(const json_t *objects)
{
    size_t i = 0;
    json_t *object = NULL;

    json_array_foreach((json_t *)objects, i, object)
    {
        if (json_text_at(object, "kind") == NULL || json_text_at(object, "key") == NULL) {
            return false;
        }
    }
    return json_is_array(objects) && json_array_size(objects) <= 1024;
}

static bool status_is_fine(const json_t *status)
{
    return frame_is_uuid(json_text_at(status, "command_id")) &&
           json_text_at(status, "state") != NULL &&
           frame_is_reason(json_object_get(status, "reason")) &&
           objects_are_fine(json_object_get(status, "objects"));
}

static bool state_is_final(const char *state)
{
    return strcmp(state, "accepted") != 0 && strcmp(state, "running") != 0;
}

static uint64_t status_number(const json_t *status)
{
    uint64_t number = 0;

    return json_u64_at(status, "number", &number) ? number : 0;
}

bool command_relay_answered(struct command_relay *relay, const char *command_id,
                            const json_t *status)
{
    const char *state = json_text_at(status, "state");

    relay_check(relay);
    if (!status_is_fine(status) || strcmp(json_text_at(status, "command_id"), command_id) != 0) {
        running_end(relay, command_id);
        return false;
    }
    reply_cmd_ack(relay, command_id, state, json_incref(json_object_get(status, "reason")));
    /* "running": the journal knew it; an earlier connection has started it. */
    if (strcmp(state, "accepted") != 0) {
        running_end(relay, command_id);
    }
    if (state_is_final(state)) {
        outcome_add(relay, command_id, status);
    }
    return true;
}

/* arrayd could not even take it as a command. */
void command_relay_failed(struct command_relay *relay, const char *command_id, const json_t *reason)
{
    running_end(relay, command_id);
    reply_cmd_ack(relay, command_id, "refused",
                  frame_is_reason(reason)
                      ? json_incref((json_t *)reason)
                      : frame_reason("invalid_argument", "The agent refused the request."));
}

bool command_relay_notified(struct command_relay *relay, const json_t *status)
{
    const char *state = json_text_at(status, "state");
    uint64_t percent = 0;

    relay_check(relay);
    if (!status_is_fine(status)) {
        return false;
    }
    if (status_number(status) == 0) {
        return true; /* a local command is none of the backend's business */
    }
    if (state_is_final(state)) {
        running_end(relay, json_text_at(status, "command_id"));
        outcome_add(relay, json_text_at(status, "command_id"), status);
    } else if (json_u64_at(status, "percent", &percent) && percent <= 100 &&
               json_array_size(relay->replies) < RELAY_REPLIES_MAX / 2) {
        reply_progress(relay, json_text_at(status, "command_id"), percent);
    }
    return true;
}

bool command_relay_wants_list(struct command_relay *relay)
{
    if (!relay->wants_list || relay->listing || relay->outcome_count > 0) {
        return false;
    }
    relay->wants_list = false;
    relay->listing = true;
    return true;
}

bool command_relay_listed(struct command_relay *relay, const json_t *result)
{
    const json_t *list = json_object_get(result, "commands");
    bool good = json_is_array(list);
    size_t i = 0;
    json_t *status = NULL;

    relay->listing = false;
    json_array_foreach((json_t *)list, i, status)
    {
        if (!status_is_fine(status)) {
            good = false;
        } else if (state_is_final(json_text_at(status, "state"))) {
            outcome_add(relay, json_text_at(status, "command_id"), status);
        }
    }
    relay->wants_list = relay->wants_list || json_array_size(list) >= LIST_WHOLE;
    return good;
}

void command_relay_result_acked(struct command_relay *relay, const char *command_id)
{
    struct outcome *outcome = outcome_find(relay, command_id);

    if (outcome != NULL && outcome->sent_us != 0) {
        outcome->acked = true;
    }
}

bool command_relay_next_acknowledge(struct command_relay *relay, char ret_id[UUID_TEXT_BYTES])
{
    LIST_FOR_EACH_SAFE (node, following, &relay->outcomes) {
        struct outcome *outcome = list_entry(node, struct outcome, link);

        if (outcome->acked) {
            memcpy(ret_id, outcome->command_id, UUID_TEXT_BYTES);
            outcome_free(relay, outcome);
            return true;
        }
    }
    return false;
}

/* The next outcome to be sent: not yet, or long ago. Only so many may be unanswered. */
static struct outcome *outcome_due(const struct command_relay *relay, uint64_t now_us)
{
    uint32_t unanswered = 0;

    LIST_FOR_EACH (node, &relay->outcomes) {
        struct outcome *outcome = list_entry(node, struct outcome, link);

        if (outcome->acked) {
            continue;
        }
        if (outcome->sent_us == 0 || now_us - outcome->sent_us >= RELAY_RESEND_US) {
            return outcome;
        }
        if (++unanswered >= RELAY_RESULTS_MAX) {
            return NULL;
        }
    }
    return NULL;
}

static char *result_text(const struct outcome *outcome, uint64_t wall_us, size_t *ret_bytes)
{
    static const char *const fields[] = {"command_id", "state", "reason", "objects"};
    json_t *frame = frame_new("result", wall_us);

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        json_put(frame, fields[i], json_incref(json_object_get(outcome->status, fields[i])));
    }
    return frame_text(frame, ret_bytes);
}

bool command_relay_has_frame(const struct command_relay *relay, uint64_t now_us)
{
    return json_array_size(relay->replies) > 0 || outcome_due(relay, now_us) != NULL;
}

/* A cmd_ack before the result of the same command. */
char *command_relay_pull(struct command_relay *relay, uint64_t now_us, uint64_t wall_us,
                         size_t *ret_bytes)
{
    struct outcome *outcome = NULL;

    relay_check(relay);
    if (json_array_size(relay->replies) > 0) {
        json_t *frame = json_incref(json_array_get(relay->replies, 0));

        (void)json_array_remove(relay->replies, 0); /* it is there */
        json_put_u64(frame, "ts", wall_us);
        return frame_text(frame, ret_bytes);
    }
    outcome = outcome_due(relay, now_us);
    if (outcome == NULL) {
        return NULL;
    }
    outcome->sent_us = now_us > 0 ? now_us : 1;
    return result_text(outcome, wall_us, ret_bytes);
}

uint64_t command_relay_deadline_us(const struct command_relay *relay)
{
    uint64_t deadline_us = UINT64_MAX;

    LIST_FOR_EACH (node, &relay->outcomes) {
        const struct outcome *outcome = list_entry(node, struct outcome, link);

        if (!outcome->acked && outcome->sent_us != 0 &&
            outcome->sent_us + RELAY_RESEND_US < deadline_us) {
            deadline_us = outcome->sent_us + RELAY_RESEND_US;
        }
    }
    return deadline_us;
}
