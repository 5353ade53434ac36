/*
 * What can be asked on the control socket, except commands: see control_server.h.
 */
#include <string.h>

#include "base/assert.h"
#include "control/command_args.h"
#include "control/control_private.h"
#include "control/foreign_doc.h"
#include "control/json_text.h"
#include "control/object_doc.h"
#include "control/undo_doc.h"

#define EVENTS_READ_MAX 256u

void control_answer(struct control_client *client, uint64_t id, json_t *result)
{
    json_t *answer = json_new_object();

    json_put_u64(answer, "id", id);
    json_put(answer, "result", result);
    control_client_send(client, answer);
}

void control_refuse(struct control_client *client, uint64_t id, const struct reason *reason)
{
    json_t *answer = json_new_object();

    json_put_u64(answer, "id", id);
    json_put(answer, "error", reason_doc(reason));
    control_client_send(client, answer);
}

void control_notify(struct control_client *client, const char *method, json_t *params)
{
    json_t *notification = json_new_object();

    json_put_text(notification, "method", method);
    json_put(notification, "params", params);
    control_client_send(client, notification);
}

static void refuse_argument(struct control_client *client, uint64_t id, const char *field,
                            const char *problem)
{
    struct reason reason;

    reason_set(&reason, REASON_INVALID_ARGUMENT, "field", field, "problem", problem, NULL);
    control_refuse(client, id, &reason);
}

/* State. */

struct state_collector {
    json_t *objects;
    json_t *tombstones;
};

static void collect_object(void *context, const struct object_head *head, const void *view)
{
    json_append(((struct state_collector *)context)->objects, object_doc(head, view));
}

static void collect_tombstone(void *context, const struct object_head *head)
{
    json_append(((struct state_collector *)context)->tombstones, tombstone_doc(head));
}

json_t *control_state(const struct control_server *server, uint64_t since_rev, uint64_t *ret_rev)
{
    const struct ctl_host *host = server->world.host;
    struct state_collector collector = {json_new_array(), json_new_array()};
    struct ctl_visitor visitor = {collect_object, collect_tombstone, &collector};
    uint64_t rev = ctl_host_rev(host);
    /* Who is ahead of us has seen another life of this host; who is too far behind has
     * missed deletions that nobody remembers. */
    bool full = since_rev == 0 || since_rev > rev || since_rev < ctl_host_tombstone_floor(host);
    struct uuid epoch = ctl_host_state_epoch(host);
    char epoch_text[UUID_TEXT_BYTES];
    json_t *result = json_new_object();

    ctl_host_objects_since(host, full ? 0 : since_rev, &visitor);
    if (full) {
        (void)json_array_clear(collector.tombstones); /* empties; cannot fail */
    }
    uuid_format(&epoch, epoch_text);
    json_put_text(result, "epoch", epoch_text);
    json_put_u64(result, "base_rev", full ? 0 : since_rev);
    json_put_u64(result, "to_rev", rev);
    json_put_bool(result, "full", full);
    json_put(result, "objects", collector.objects);
    json_put(result, "tombstones", collector.tombstones);
    *ret_rev = rev;
    return result;
}

static void method_state(struct control_server *server, struct control_client *client, uint64_t id,
                         const json_t *params, bool subscribe)
{
    uint64_t since_rev = 0;
    uint64_t rev = 0;

    if (!json_u64_at(params, "since_rev", &since_rev)) {
        refuse_argument(client, id, "since_rev", "must be a revision");
        return;
    }
    json_t *result = control_state(server, since_rev, &rev);
    if (subscribe) {
        client->follows_state = true;
        client->state_pending = false;
        client->state_rev = rev;
    }
    control_answer(client, id, result);
}

static void method_state_get(struct control_server *server, struct control_client *client,
                             uint64_t id, const json_t *params)
{
    method_state(server, client, id, params, false);
}

static void method_state_subscribe(struct control_server *server, struct control_client *client,
                                   uint64_t id, const json_t *params)
{
    method_state(server, client, id, params, true);
}

/* Events. What is not durable yet is not told: after a power cut its number would be given
 * to another event. */

static void events_epoch_put(const struct control_server *server, json_t *result, const char *name)
{
    char text[UUID_TEXT_BYTES];

    uuid_format(&server->options.event_epoch, text);
    json_put_text(result, name, text);
}

static json_t *events_read(const struct control_server *server, uint64_t after_seq, uint32_t limit)
{
    static struct event events[EVENTS_READ_MAX]; /* 450 KiB, used on the loop only */
    uint64_t durable_seq = event_log_durable_seq(server->world.event_log);
    json_t *list = json_new_array();

    ASSERT(limit <= EVENTS_READ_MAX);
    uint32_t count = event_log_read(server->world.event_log, after_seq, events, limit);
    for (uint32_t i = 0; i < count && events[i].seq <= durable_seq; i++) {
        json_append(list, event_doc(&events[i]));
    }
    return list;
}

static void method_events_read(struct control_server *server, struct control_client *client,
                               uint64_t id, const json_t *params)
{
    struct event_log_stats stats;
    uint64_t after_seq = 0;
    uint64_t limit = 0;

    if (!json_u64_at(params, "after_seq", &after_seq)) {
        refuse_argument(client, id, "after_seq", "must be the number of an event");
        return;
    }
    if (!json_u64_at(params, "limit", &limit) || limit < 1 || limit > EVENTS_READ_MAX) {
        refuse_argument(client, id, "limit", "must be 1 to 256");
        return;
    }
    event_log_stats(server->world.event_log, &stats);
    json_t *result = json_new_object();
    events_epoch_put(server, result, "epoch");
    json_put_u64(result, "first_kept_seq", stats.first_seq);
    json_put_u64(result, "last_seq", stats.durable_seq);
    json_put(result, "events", events_read(server, after_seq, (uint32_t)limit));
    control_answer(client, id, result);
}

static void method_events_subscribe(struct control_server *server, struct control_client *client,
                                    uint64_t id, const json_t *params UNUSED)
{
    client->follows_events = true;
    client->events_seq = event_log_durable_seq(server->world.event_log);
    control_answer(client, id, json_new_object());
}

/* The rest. */

static void method_hello(struct control_server *server, struct control_client *client, uint64_t id,
                         const json_t *params)
{
    const struct control_options *options = &server->options;
    const char *who = json_text_at(params, "client");
    struct uuid epoch = ctl_host_state_epoch(server->world.host);
    struct event_log_stats stats;
    char epoch_text[UUID_TEXT_BYTES];
    json_t *result = json_new_object();

    if (who != NULL && strcmp(who, "monitor") == 0) {
        monitor_watch_seen(&server->monitor);
    }
    uuid_format(&epoch, epoch_text);
    event_log_stats(server->world.event_log, &stats);
    json_put_text(result, "agent_version", options->agent_version);
    json_put_text(result, "role", peer_role_word(client->role));
    json_put_text(result, "state_epoch", epoch_text);
    json_put_u64(result, "state_rev", ctl_host_rev(server->world.host));
    events_epoch_put(server, result, "event_epoch");
    json_put_u64(result, "event_seq_first", stats.first_seq);
    json_put_u64(result, "event_seq_last", stats.durable_seq);
    json_put_u64(result, "command_number", command_journal_number(server->world.journal));
    json_put_text(result, "policy_preset", policy_preset_word(options->policy));
    json_put_text(result, "hostname", options->hostname);
    json_put_text(result, "boot_id", options->boot_id);
    json_put_bool(result, "online", ctl_host_is_online(server->world.host));
    json_put_text(result, "fence", link_state_fence(server->world.link));
    json_put(result, "link", link_state_doc(server->world.link));
    control_answer(client, id, result);
}

static void query_preview(struct control_server *server, struct control_client *client, uint64_t id,
                          const json_t *args)
{
    static struct ctl_preview preview;      /* large, used on the loop only */
    static struct command_vd_create create;
    struct reason reason;

    if (!preview_args_parse(args, &create, &reason)) {
        control_refuse(client, id, &reason);
        return;
    }
    memset(&preview, 0, sizeof(preview));
    ctl_preview(ctl_host_owner(server->world.host, OBJECT_KIND_CONTROLLER, create.controller),
                &create, &preview);
    control_answer(client, id, preview_doc(&preview));
}

static void query_policies(struct control_server *server, struct control_client *client,
                           uint64_t id, const json_t *args)
{
    struct ctl_policy_preview preview;
    struct command_vd_set set;
    struct reason reason;

    if (!policy_args_parse(args, &set, &reason)) {
        control_refuse(client, id, &reason);
        return;
    }
    if (!ctl_preview_set(ctl_host_owner(server->world.host, OBJECT_KIND_VIRTUAL_DRIVE, set.vd),
                         &set, &preview)) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key", set.vd, NULL);
        control_refuse(client, id, &reason);
        return;
    }
    control_answer(client, id, policy_preview_doc(&preview));
}

static void query_latency(struct control_server *server, struct control_client *client, uint64_t id,
                          const struct query_args *args)
{
    struct clock_port *clock = loop_clock(server->world.loop);
    const struct ctl *ctl = ctl_host_owner(server->world.host, args->kind, args->key);
    struct ctl_load load;
    struct reason reason;

    if (!(args->kind == OBJECT_KIND_DRIVE ? ctl_drive_load(ctl, args->key, &load)
                                          : ctl_vd_load(ctl, args->key, &load))) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", object_kind_word(args->kind), "key",
                   args->key, NULL);
        control_refuse(client, id, &reason);
        return;
    }
    /* Counted by the monotonic clock, told by the wall clock. */
    control_answer(
        client, id,
        load_doc(&load, clock_wall_us(clock) - (clock_now_us(clock) - load.latency->since_us)));
}

static void query_bad_blocks(struct control_server *server, struct control_client *client,
                             uint64_t id, const struct query_args *args)
{
    struct reason reason;
    json_t *answer = control_bad_blocks(server, args, &reason);

    if (answer == NULL) {
        control_refuse(client, id, &reason);
    } else {
        control_answer(client, id, answer);
    }
}

/* About what is there, not about what would be. */
static void query_run(struct control_server *server, struct control_client *client, uint64_t id,
                      enum query_kind kind, const json_t *params)
{
    const struct ctl_host *host = server->world.host;
    struct query_args args;
    struct reason reason;

    if (!query_args_parse(kind, params, &args, &reason)) {
        control_refuse(client, id, &reason);
        return;
    }
    switch (kind) {
    case QUERY_FOREIGN:
        control_answer(client, id, foreign_doc(host, args.controller));
        return;
    case QUERY_UNDO:
        control_answer(client, id, undo_doc(host, args.controller));
        return;
    case QUERY_LATENCY:
        query_latency(server, client, id, &args);
        return;
    case QUERY_BAD_BLOCKS:
        query_bad_blocks(server, client, id, &args);
        return;
    case QUERY_KIND_MAX:
        break;
    }
    UNREACHABLE();
}

static void method_query(struct control_server *server, struct control_client *client, uint64_t id,
                         const json_t *params)
{
    const char *name = json_text_at(params, "name");
    const json_t *args = json_object_get(params, "args");
    enum query_kind kind = QUERY_KIND_MAX;
    struct reason reason;

    if (name != NULL && strcmp(name, "preview_vd_create") == 0) {
        query_preview(server, client, id, args);
    } else if (name != NULL && strcmp(name, "preview_vd_set") == 0) {
        query_policies(server, client, id, args);
    } else if (query_kind_parse(name, &kind)) {
        query_run(server, client, id, kind, args);
    } else {
        reason_set(&reason, REASON_UNKNOWN_COMMAND, "op", name != NULL ? name : "(none)", NULL);
        control_refuse(client, id, &reason);
    }
}

static void method_command_list(struct control_server *server, struct control_client *client,
                                uint64_t id, const json_t *params)
{
    if (!json_is_boolean(json_object_get(params, "unacknowledged"))) {
        refuse_argument(client, id, "unacknowledged", "must be true or false");
        return;
    }
    control_command_list(server, client, id);
}

static const struct {
    const char *name;
    void (*run)(struct control_server *server, struct control_client *client, uint64_t id,
                const json_t *params);
} methods[] = {
    {"hello", method_hello},
    {"state.get", method_state_get},
    {"state.subscribe", method_state_subscribe},
    {"events.read", method_events_read},
    {"events.subscribe", method_events_subscribe},
    {"query", method_query},
    {"drive.health", control_drive_health},
    {"command", control_command},
    {"command.get", control_command_get},
    {"command.list", method_command_list},
    {"command.acknowledge", control_command_acknowledge},
    {"link.join", control_link_join},
    {"link.report", control_link_report},
};

static void request_run(struct control_server *server, struct control_client *client,
                        const json_t *request)
{
    const char *method = json_text_at(request, "method");
    const json_t *params = json_object_get(request, "params");
    struct reason reason;
    uint64_t version = 0;
    uint64_t id = 0;

    if (!json_u64_at(request, "id", &id)) {
        refuse_argument(client, 0, "id", "must be a whole number");
        return;
    }
    if (!json_u64_at(request, "v", &version) || version != 1) {
        refuse_argument(client, id, "v", "must be 1");
        return;
    }
    if (method == NULL || !json_is_object(params)) {
        refuse_argument(client, id, method == NULL ? "method" : "params", "is missing");
        return;
    }
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (strcmp(methods[i].name, method) == 0) {
            methods[i].run(server, client, id, params);
            return;
        }
    }
    reason_set(&reason, REASON_UNKNOWN_COMMAND, "op", method, NULL);
    control_refuse(client, id, &reason);
}

void control_request(struct control_server *server, struct control_client *client, const char *line,
                     size_t bytes)
{
    json_t *request = json_loadb(line, bytes, JSON_REJECT_DUPLICATES, NULL);

    if (!json_is_object(request)) {
        refuse_argument(client, 0, "request", "is not a JSON object on one line");
    } else {
        request_run(server, client, request);
    }
    json_decref(request);
}
