/*
 * Commands on the control socket. One command's life:
 *
 *   parsed → permitted → journalled (begin) → answered "accepted" → ctl_execute →
 *   outcome journalled (end) → notified
 *
 * A command that is refused before it runs changes nothing. A local refusal is only answered;
 * a numbered one is journalled with its outcome, so that the number is used up and the
 * backend gets the reason even if the connection ends now.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bounds.h"
#include "control/command_args.h"
#include "control/control_private.h"
#include "control/json_text.h"
#include "control/object_doc.h"

#define HOUR_US (3600ull * 1000 * 1000)
#define MINUTE_US (UINT64_C(60) * 1000000)

struct running_command {
    struct control_server *server;
    struct control_client *client; /* NULL once it has gone */
    struct list link;
    struct journal_write begin;
    struct journal_write end;
    uint64_t request_id;
    char command_id[UUID_TEXT_BYTES];
    uint64_t number;
    uint64_t not_after_us;
    bool from_backend;
    bool refused;                  /* journalled only for the record */
    struct reason refusal;
    struct ctl_command command;
};

static uint64_t wall_us(const struct control_server *server)
{
    return clock_wall_us(loop_clock(server->world.loop));
}

static json_t *objects_doc(const struct ctl_command *command)
{
    json_t *list = json_new_array();

    ASSERT(command->object_count <= COMMAND_OBJECTS_MAX);
    for (uint32_t i = 0; i < command->object_count; i++) {
        json_t *object = json_new_object();

        json_put_text(object, "kind", object_kind_word(command->objects[i].kind));
        json_put_text(object, "key", command->objects[i].key);
        json_append(list, object);
    }
    return list;
}

/* Takes the references. */
static json_t *status_doc(const char *command_id, uint64_t number, enum command_state state,
                          json_t *reason, json_t *objects)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "command_id", command_id);
    json_put_u64(doc, "number", number);
    json_put_text(doc, "state", command_state_word(state));
    json_put(doc, "reason", reason);
    json_put(doc, "objects", objects);
    return doc;
}

static json_t *plain_status(const char *command_id, uint64_t number, enum command_state state,
                            const struct reason *reason)
{
    return status_doc(command_id, number, state, reason_doc(reason), json_new_array());
}

static json_t *entry_status(const struct journal_entry *entry)
{
    struct reason ok;

    if (entry->state == COMMAND_STATE_RUNNING) {
        reason_set(&ok, REASON_OK, NULL);
        return plain_status(entry->command_id, entry->number, COMMAND_STATE_RUNNING, &ok);
    }
    return status_doc(entry->command_id, entry->number, entry->state, json_incref(entry->reason),
                      json_incref(entry->objects));
}

static void command_free(struct running_command *running)
{
    struct control_server *server = running->server;

    if (running->client != NULL) {
        running->client->commands_running--;
    }
    list_remove(&running->link);
    server->command_count--;
    free(running);
    if (server->draining && server->command_count == 0) {
        loop_unpost(&server->drain_task);
        loop_post(server->world.loop, &server->drain_task);
    }
}

/* Tells the outcome to who asked and to whoever follows the backend's commands. */
static void outcome_notify(struct running_command *running)
{
    const struct journal_entry *entry =
        command_journal_find(running->server->world.journal, running->command_id);

    ASSERT(entry != NULL);
    LIST_FOR_EACH (node, &running->server->clients) {
        struct control_client *client = list_entry(node, struct control_client, link);

        if (client == running->client || (running->number != 0 && client->follows_commands)) {
            control_notify(client, "command", entry_status(entry));
        }
    }
}

static void end_written(struct journal_write *write, int error UNUSED)
{
    struct running_command *running = write->owner;

    /* An outcome that could not be written is told all the same: it is true. After a crash
     * the journal will call it indeterminate. */
    outcome_notify(running);
    command_free(running);
}

static void command_finish(struct running_command *running, enum command_state state,
                           const struct reason *reason)
{
    struct command_journal *journal = running->server->world.journal;

    running->end = (struct journal_write){.done = end_written, .owner = running};
    list_init(&running->end.link);
    command_journal_end(journal, running->command_id, state, reason_doc(reason),
                        objects_doc(&running->command), wall_us(running->server), &running->end);
}

static void command_completed(struct ctl_command *command)
{
    struct running_command *running = command->owner;

    bool done = command->reason.code == REASON_OK || command->noted;

    command_finish(running, done ? COMMAND_STATE_SUCCEEDED : COMMAND_STATE_FAILED,
                   &command->reason);
}

/* The journal could not take the command: nothing has happened. */
static void begin_failed(struct running_command *running, int error)
{
    struct reason reason;

    if (error == -ENOSPC || error == -EDQUOT) {
        reason_set(&reason, REASON_STORE_FULL, NULL);
    } else {
        reason_set(&reason, REASON_STORE_FAILED, "error", strerror(-error), NULL);
    }
    if (running->client != NULL) {
        control_answer(
            running->client, running->request_id,
            plain_status(running->command_id, running->number, COMMAND_STATE_REFUSED, &reason));
    }
    command_free(running);
}

static void begin_written(struct journal_write *write, int error)
{
    struct running_command *running = write->owner;
    bool expired = running->not_after_us != 0 && wall_us(running->server) > running->not_after_us;
    enum command_state state = COMMAND_STATE_ACCEPTED;

    if (error != 0) {
        begin_failed(running, error);
        return;
    }
    if (expired && !running->refused) {
        reason_set(&running->refusal, REASON_EXPIRED, NULL);
        running->refused = true;
    }
    if (running->refused) {
        state =
            running->refusal.code == REASON_EXPIRED ? COMMAND_STATE_EXPIRED : COMMAND_STATE_REFUSED;
    } else {
        reason_set(&running->refusal, REASON_OK, NULL);
    }
    if (running->client != NULL) {
        control_answer(
            running->client, running->request_id,
            plain_status(running->command_id, running->number, state, &running->refusal));
    }
    if (running->refused) {
        command_finish(running, state, &running->refusal);
        return;
    }
    ctl_execute(ctl_host_addressed(running->server->world.host, &running->command),
                &running->command);
}

static void actor_text(const json_t *actor, char text[160])
{
    const char *name = json_text_at(actor, "name");
    const char *role = json_text_at(actor, "role");
    const char *via = json_text_at(actor, "via");

    (void)snprintf(text, 160, "%.64s (%.32s) by %.32s", name != NULL ? name : "?",
                   role != NULL ? role : "?", via != NULL ? via : "?");
}

static void who_text(const json_t *actor, char text[64])
{
    const char *name = json_text_at(actor, "name");
    const char *via = json_text_at(actor, "via");

    (void)snprintf(text, 64, "%.40s by %.16s", name != NULL ? name : "?", via != NULL ? via : "?");
}

static void command_begin(struct running_command *running, const json_t *params, const char *op,
                          enum command_class class_)
{
    struct control_server *server = running->server;
    char actor[160];

    actor_text(json_object_get(params, "actor"), actor);
    struct journal_begin begin = {.command_id = running->command_id,
                                  .number = running->number,
                                  .op = op,
                                  .class_ = class_,
                                  .from_backend = running->from_backend,
                                  .actor = actor,
                                  .at_us = wall_us(server)};

    who_text(json_object_get(params, "actor"), running->command.who);
    running->begin = (struct journal_write){.done = begin_written, .owner = running};
    list_init(&running->begin.link);
    running->client->commands_running++;
    server->command_count++;
    list_push_tail(&server->commands, &running->link);
    command_journal_begin(server->world.journal, &begin, &running->begin);
}

/* Who asks, as the policy sees it: the backend speaks for an actor it names. */
static enum peer_role asking_role(const struct running_command *running, const json_t *params)
{
    const char *word = json_text_at(json_object_get(params, "actor"), "role");
    enum peer_role role = PEER_VIEWER;

    if (!running->from_backend) {
        return running->client->role;
    }
    return word != NULL && peer_role_parse(word, &role) ? role : PEER_VIEWER;
}

static bool command_permitted(const struct running_command *running, const json_t *params,
                              enum command_class class_, uint32_t effects,
                              struct reason *ret_reason)
{
    const struct control_server *server = running->server;
    uint64_t now_us = wall_us(server);
    uint64_t since_us = now_us > HOUR_US ? now_us - HOUR_US : 0;
    uint64_t oldest_us = now_us;
    uint32_t destroyed =
        command_journal_destroyed_since(server->world.journal, since_us, &oldest_us);
    struct policy_question question = {.op = ctl_op_said(running->command.op),
                                       .class_ = class_,
                                       .effects = effects,
                                       .from_backend = running->from_backend,
                                       .role = asking_role(running, params),
                                       .has_confirm = running->command.confirm[0] != '\0',
                                       .destroyed_last_hour = destroyed,
                                       .wait_minutes =
                                           (uint32_t)((oldest_us - since_us) / MINUTE_US) + 1};

    if (server->draining) {
        reason_set(ret_reason, REASON_SHUTTING_DOWN, NULL);
        return false;
    }
    return host_policy_permits(server->options.policy, &question, ret_reason);
}

/* Everything about a command that can be judged without its arguments. */
static bool envelope_parse(struct running_command *running, const json_t *params,
                           struct reason *ret_reason)
{
    const char *command_id = json_text_at(params, "command_id");
    struct uuid uuid;
    const json_t *number = json_object_get(params, "number");
    const json_t *not_after = json_object_get(params, "not_after_us");
    const char *field = NULL;

    if (command_id == NULL || uuid_parse(command_id, &uuid) != 0) {
        field = "command_id";
    } else if (number != NULL && (!json_u64_at(params, "number", &running->number) ||
                                  running->number > BOUND_SEQUENCE_MAX)) {
        field = "number";
    } else if (not_after != NULL && (!json_u64_at(params, "not_after_us", &running->not_after_us) ||
                                     running->not_after_us > BOUND_TIME_US_MAX)) {
        field = "not_after_us";
    } else if (json_text_at(params, "op") == NULL) {
        field = "op";
    } else if (!json_is_object(json_object_get(params, "actor"))) {
        field = "actor";
    }
    if (field != NULL) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", field, "problem",
                   "is missing or malformed", NULL);
        return false;
    }
    uuid_format(&uuid, running->command_id);
    return true;
}

/* A number that was used, but a command nobody here knows: a replay after the journal was
 * lost. Running it could do twice what was done once. */
static bool number_is_new(const struct running_command *running, struct reason *ret_reason)
{
    char problem[96];
    uint64_t highest = command_journal_number(running->server->world.journal);

    if (running->client->backend && running->number == 0) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", "number", "problem",
                   "is missing in a command of the backend", NULL);
        return false;
    }
    if (running->number != 0 && !running->client->backend &&
        running->client->role != PEER_ADMINISTRATOR) {
        reason_set(ret_reason, REASON_NOT_PERMITTED, "op", "numbered commands", NULL);
        return false;
    }
    if (running->number == 0 ||
        (running->number > highest && running->number - highest <= BOUND_COMMAND_STEP_MAX)) {
        return true;
    }
    /* One far ahead would use up all that are between, and no command could follow. */
    (void)snprintf(problem, sizeof(problem), "%llu %s; the next is %llu",
                   (unsigned long long)running->number,
                   running->number > highest ? "is too far ahead" : "was used already",
                   (unsigned long long)highest + 1);
    reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", "number", "problem", problem, NULL);
    return false;
}

static struct running_command *running_new(struct control_server *server,
                                           struct control_client *client, uint64_t id)
{
    struct running_command *running = calloc(1, sizeof(*running));

    ASSERT(running != NULL);
    running->server = server;
    running->client = client;
    running->request_id = id;
    running->command.complete = command_completed;
    running->command.owner = running;
    list_init(&running->link);
    list_init(&running->command.ctl_link);
    return running;
}

/* Which controller is meant, if that is said: the keys of two can be the same. */
static bool controller_take(struct running_command *running, const json_t *params)
{
    const json_t *given = json_object_get(params, "controller");
    const char *key = json_string_value(given);

    if (given != NULL && (key == NULL || !object_key_is_valid(key))) {
        reason_set(&running->refusal, REASON_INVALID_ARGUMENT, "field", "controller", "problem",
                   "must be a key of 1 to 64 characters A-Z a-z 0-9 . _ : -", NULL);
        return false;
    }
    (void)snprintf(running->command.controller, sizeof(running->command.controller), "%s",
                   key != NULL ? key : "");
    return true;
}

/* The command is new: judge it, then journal and run it, or refuse it. */
static void command_take(struct running_command *running, const json_t *params)
{
    const char *op = json_text_at(params, "op");
    const struct ctl_host *host = running->server->world.host;
    enum command_class class_ = COMMAND_CLASS_X;
    uint32_t effects = 0;
    bool parsed = false;

    running->from_backend = running->client->backend || running->number != 0;
    running->command.local = !running->from_backend && running->client->role == PEER_ADMINISTRATOR;
    parsed = command_args_parse(op, json_object_get(params, "args"), &running->command,
                                &running->refusal) &&
             command_guards_parse(json_object_get(params, "confirm"),
                                  json_object_get(params, "preconditions"), &running->command,
                                  &running->refusal) &&
             controller_take(running, params) &&
             ctl_host_address(host, &running->command, &running->refusal) &&
             /* Before it is judged: what a preset sets decides the class. */
             ctl_preset_fill(ctl_host_addressed(host, &running->command), &running->command,
                             &running->refusal);
    if (parsed) {
        class_ = ctl_command_class(host, &running->command, &effects);
    }
    running->refused =
        !parsed || !command_permitted(running, params, class_, effects, &running->refusal);
    if (running->refused && running->number == 0) {
        control_answer(
            running->client, running->request_id,
            plain_status(running->command_id, 0, COMMAND_STATE_REFUSED, &running->refusal));
        free(running);
        return;
    }
    /* A refusal destroys nothing and must not use up the hourly allowance. */
    command_begin(running, params, op, running->refused ? COMMAND_CLASS_R : class_);
}

void control_command(struct control_server *server, struct control_client *client, uint64_t id,
                     const json_t *params)
{
    struct running_command *running = running_new(server, client, id);
    const struct journal_entry *known = NULL;
    struct reason reason;

    if (!envelope_parse(running, params, &reason)) {
        control_refuse(client, id, &reason);
        free(running);
        return;
    }
    known = command_journal_find(server->world.journal, running->command_id);
    if (known != NULL) {
        control_answer(client, id, entry_status(known));
        free(running);
        return;
    }
    if (client->commands_running >= CONTROL_COMMANDS_PER_CLIENT) {
        reason_set(&reason, REASON_BUSY, "key", "the connection", "operation", "its commands",
                   NULL);
        control_refuse(client, id, &reason);
        free(running);
        return;
    }
    if (!number_is_new(running, &reason)) {
        control_answer(
            client, id,
            plain_status(running->command_id, running->number, COMMAND_STATE_REFUSED, &reason));
        free(running);
        return;
    }
    command_take(running, params);
}

static const struct journal_entry *entry_asked(struct control_server *server,
                                               struct control_client *client, uint64_t id,
                                               const json_t *params)
{
    const char *command_id = json_text_at(params, "command_id");
    const struct journal_entry *entry =
        command_id != NULL ? command_journal_find(server->world.journal, command_id) : NULL;
    struct reason reason;

    if (entry == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "command", "key",
                   command_id != NULL ? command_id : "(none)", NULL);
        control_refuse(client, id, &reason);
    }
    return entry;
}

void control_command_get(struct control_server *server, struct control_client *client, uint64_t id,
                         const json_t *params)
{
    const struct journal_entry *entry = entry_asked(server, client, id, params);

    if (entry != NULL) {
        control_answer(client, id, entry_status(entry));
    }
}

static void list_visit(void *context, const struct journal_entry *entry)
{
    json_t *list = context;

    if (json_array_size(list) < CONTROL_COMMANDS_PER_CLIENT * 16) {
        json_append(list, entry_status(entry));
    }
}

void control_command_list(struct control_server *server, struct control_client *client, uint64_t id)
{
    json_t *result = json_new_object();
    json_t *list = json_new_array();

    command_journal_unacknowledged(server->world.journal, list_visit, list);
    json_put(result, "commands", list);
    /* Who asks for what is undelivered delivers: it is told of every further outcome. */
    client->follows_commands = client->backend || client->role == PEER_ADMINISTRATOR;
    control_answer(client, id, result);
}

void control_command_acknowledge(struct control_server *server, struct control_client *client,
                                 uint64_t id, const json_t *params)
{
    const struct journal_entry *entry = NULL;
    struct reason reason;

    if (!client->backend && client->role != PEER_ADMINISTRATOR) {
        reason_set(&reason, REASON_NOT_PERMITTED, "op", "command.acknowledge", NULL);
        control_refuse(client, id, &reason);
        return;
    }
    entry = entry_asked(server, client, id, params);
    if (entry != NULL) {
        command_journal_acknowledge(server->world.journal, entry->command_id);
        control_answer(client, id, json_new_object());
    }
}

void control_commands_orphan(struct control_server *server, const struct control_client *client)
{
    LIST_FOR_EACH (node, &server->commands) {
        struct running_command *running = list_entry(node, struct running_command, link);

        if (running->client == client) {
            running->client = NULL;
        }
    }
}
