/*
 * What the session says to arrayd and hears from it: see uplink_session.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/reason.h"
#include "control/json_text.h"
#include "uplink/session_private.h"

/* Requests. */

static struct session_request *request_new(struct uplink_session *session, enum request_kind kind,
                                           const char *subject, struct uplink_now now)
{
    for (uint32_t i = 0; i < SESSION_REQUESTS_MAX; i++) {
        struct session_request *request = &session->requests[i];

        if (request->id == 0) {
            *request = (struct session_request){
                .id = session->next_request_id++, .kind = kind, .asked_us = now.us};
            (void)snprintf(request->subject, sizeof(request->subject), "%s",
                           subject != NULL ? subject : "");
            return request;
        }
    }
    UNREACHABLE(); /* requests_have_room() was asked before */
}

static bool requests_have_room(const struct uplink_session *session)
{
    for (uint32_t i = 0; i < SESSION_REQUESTS_MAX; i++) {
        if (session->requests[i].id == 0) {
            return true;
        }
    }
    return false;
}

static struct session_request *request_find(struct uplink_session *session, uint64_t id)
{
    for (uint32_t i = 0; i < SESSION_REQUESTS_MAX; i++) {
        if (session->requests[i].id == id) {
            return &session->requests[i];
        }
    }
    return NULL;
}

/* Takes the reference of params. */
static char *request_text(struct uplink_session *session, struct uplink_now now,
                          enum request_kind kind, const char *subject, json_t *params,
                          size_t *ret_bytes)
{
    static const char *const methods[] = {[REQUEST_HELLO] = "hello",
                                          [REQUEST_STATE] = "state.get",
                                          [REQUEST_EVENTS_SUBSCRIBE] = "events.subscribe",
                                          [REQUEST_EVENTS_READ] = "events.read",
                                          [REQUEST_COMMAND_LIST] = "command.list",
                                          [REQUEST_COMMAND] = "command",
                                          [REQUEST_ACKNOWLEDGE] = "command.acknowledge",
                                          [REQUEST_QUERY] = "query",
                                          [REQUEST_LINK_JOIN] = "link.join",
                                          [REQUEST_LINK_REPORT] = "link.report"};
    const struct session_request *request = request_new(session, kind, subject, now);
    const char *method = methods[kind];
    json_t *document = json_new_object();

    /* The first question about the state also asks to be told of every later change. */
    if (kind == REQUEST_STATE && !session->subscribed_state) {
        session->subscribed_state = true;
        method = "state.subscribe";
    }
    json_put_u64(document, "v", 1);
    json_put_u64(document, "id", request->id);
    json_put_text(document, "method", method);
    json_put(document, "params", params);
    char *line = json_line(document, ret_bytes);
    json_decref(document);
    return line;
}

static json_t *number_params(const char *name, uint64_t value)
{
    json_t *params = json_new_object();

    json_put_u64(params, name, value);
    return params;
}

/* The four streams' requests, those a user waits for first. */
static char *live_request(struct uplink_session *session, struct uplink_now now, size_t *ret_bytes)
{
    char subject[UUID_TEXT_BYTES];
    uint64_t number = 0;
    uint32_t limit = 0;
    json_t *params = NULL;

    if (command_relay_wants_list(&session->commands)) {
        params = json_new_object();
        json_put_bool(params, "unacknowledged", true);
        return request_text(session, now, REQUEST_COMMAND_LIST, NULL, params, ret_bytes);
    }
    params = query_relay_next_request(&session->queries, subject);
    if (params != NULL) {
        return request_text(session, now, REQUEST_QUERY, subject, params, ret_bytes);
    }
    params = command_relay_next_command(&session->commands, subject);
    if (params != NULL) {
        return request_text(session, now, REQUEST_COMMAND, subject, params, ret_bytes);
    }
    if (command_relay_next_acknowledge(&session->commands, subject)) {
        params = json_new_object();
        json_put_text(params, "command_id", subject);
        return request_text(session, now, REQUEST_ACKNOWLEDGE, subject, params, ret_bytes);
    }
    if (!session->subscribed_events) {
        session->subscribed_events = true;
        return request_text(session, now, REQUEST_EVENTS_SUBSCRIBE, NULL, json_new_object(),
                            ret_bytes);
    }
    if (event_stream_wants_read(&session->events, &number, &limit)) {
        params = number_params("after_seq", number);
        json_put_u64(params, "limit", limit);
        return request_text(session, now, REQUEST_EVENTS_READ, NULL, params, ret_bytes);
    }
    if (state_stream_wants_change(&session->state, &number)) {
        return request_text(session, now, REQUEST_STATE, NULL, number_params("since_rev", number),
                            ret_bytes);
    }
    return NULL;
}

static char *join_request(struct uplink_session *session, struct uplink_now now, size_t *ret_bytes)
{
    json_t *params = json_new_object();

    session->wants_join = false;
    json_put_text(params, "fence", session->fence);
    return request_text(session, now, REQUEST_LINK_JOIN, NULL, params, ret_bytes);
}

static char *report_request(struct uplink_session *session, struct uplink_now now,
                            size_t *ret_bytes)
{
    json_t *params = json_new_object();

    session->wants_report = false;
    if (session->phase == UPLINK_TELL) {
        struct reason reason;
        char text[256];

        reason_set(&reason, REASON_IDENTITY_IN_USE, NULL);
        (void)reason_text(&reason, text, sizeof(text));
        json_put(params, "reason", frame_reason(reason_code_word(reason.code), text));
    }
    return request_text(session, now, REQUEST_LINK_REPORT, NULL, params, ret_bytes);
}

char *uplink_session_pull_control(struct uplink_session *session, struct uplink_now now,
                                  size_t *ret_bytes)
{
    if (!requests_have_room(session)) {
        return NULL;
    }
    if (session->phase == UPLINK_GREET && session->wants_hello) {
        session->wants_hello = false;
        return request_text(session, now, REQUEST_HELLO, NULL, json_new_object(), ret_bytes);
    }
    if (session->phase == UPLINK_FENCE && session->wants_join) {
        return join_request(session, now, ret_bytes);
    }
    if ((session->phase == UPLINK_LIVE || session->phase == UPLINK_TELL) && session->wants_report) {
        return report_request(session, now, ret_bytes);
    }
    return session->phase == UPLINK_LIVE ? live_request(session, now, ret_bytes) : NULL;
}

/* Answers. */

static bool text_take(const json_t *document, const char *name, char *out, size_t capacity)
{
    const char *text = json_text_at(document, name);

    if (text == NULL) {
        return false;
    }
    (void)snprintf(out, capacity, "%s", text); /* a longer text is cut */
    return true;
}

static bool agent_read(const json_t *result, struct session_agent *agent)
{
    return text_take(result, "agent_version", agent->version, sizeof(agent->version)) &&
           text_take(result, "hostname", agent->hostname, sizeof(agent->hostname)) &&
           text_take(result, "boot_id", agent->boot_id, sizeof(agent->boot_id)) &&
           text_take(result, "policy_preset", agent->policy_preset, sizeof(agent->policy_preset)) &&
           text_take(result, "state_epoch", agent->state_epoch, sizeof(agent->state_epoch)) &&
           text_take(result, "event_epoch", agent->event_epoch, sizeof(agent->event_epoch)) &&
           frame_is_uuid(agent->state_epoch) && frame_is_uuid(agent->event_epoch) &&
           json_u64_at(result, "state_rev", &agent->state_rev) &&
           json_u64_at(result, "event_seq_first", &agent->event_seq_first) &&
           json_u64_at(result, "event_seq_last", &agent->event_seq_last) &&
           json_u64_at(result, "command_number", &agent->command_number);
}

static int hello_answered(struct uplink_session *session, struct uplink_now now,
                          const json_t *result)
{
    struct session_agent agent = {.state_rev = 0};

    if (session->phase != UPLINK_GREET || !agent_read(result, &agent)) {
        return -EBADMSG;
    }
    if (json_is_false(json_object_get(result, "online"))) {
        /* Its picture of the host is not whole yet; sent now, drives would seem gone. */
        if (!session->told_not_online) {
            session->told_not_online = true;
            session_log(session, UPLINK_INFO, "arrayd is still starting");
        }
        session->hello_after_us = now.us + UPLINK_ONLINE_POLL_US;
        return 0;
    }
    (void)text_take(result, "fence", agent.fence, sizeof(agent.fence)); /* older ones have none */
    session->agent = agent;
    session->step_until_us = now.us + UPLINK_STEP_LIMIT_US;
    session_set_phase(session, UPLINK_DIAL);
    return 0;
}

static void tell_end(struct uplink_session *session, struct uplink_now now)
{
    ASSERT(session->phase == UPLINK_TELL);
    session_end_round(
        session, now, ROUND_IN_USE, 0,
        "another machine uses this host's identity, or has until a short while ago; if this "
        "machine is a copy, enroll it anew with --force");
}

static void report_answered(struct uplink_session *session, struct uplink_now now)
{
    if (session->phase == UPLINK_TELL) {
        tell_end(session, now);
    }
}

/* A request that should never fail did: of importance only to people who look for a cause. */
static int refused(struct uplink_session *session, struct uplink_now now,
                   const struct session_request *request, const json_t *reason)
{
    const char *text = json_text_at(reason, "text");

    switch (request->kind) {
    case REQUEST_COMMAND:
        command_relay_failed(&session->commands, request->subject, reason);
        return 0;
    case REQUEST_QUERY:
        query_relay_answered(&session->queries, request->subject, NULL, reason);
        return 0;
    case REQUEST_ACKNOWLEDGE:
        return 0; /* refused before it was journalled: nothing to acknowledge */
    case REQUEST_LINK_JOIN:
        session_log(session, UPLINK_WARNING, "arrayd cannot keep the fence: %s",
                    text != NULL ? text : "(no reason)");
        session_fence_joined(session, now, false);
        return 0;
    case REQUEST_LINK_REPORT:
        report_answered(session, now);
        return 0; /* an older arrayd does not know it */
    case REQUEST_HELLO:
    case REQUEST_STATE:
    case REQUEST_EVENTS_SUBSCRIBE:
    case REQUEST_EVENTS_READ:
    case REQUEST_COMMAND_LIST:
        session_log(session, UPLINK_ERROR, "arrayd refuses a request: %s",
                    text != NULL ? text : "(no reason)");
        return -EPROTO;
    }
    UNREACHABLE();
}

static int answered(struct uplink_session *session, struct uplink_now now,
                    const struct session_request *request, const json_t *result)
{
    switch (request->kind) {
    case REQUEST_HELLO:
        return hello_answered(session, now, result);
    case REQUEST_STATE:
        return state_stream_change(&session->state, result);
    case REQUEST_EVENTS_SUBSCRIBE:
    case REQUEST_ACKNOWLEDGE:
        return 0;
    case REQUEST_EVENTS_READ:
        return event_stream_read(&session->events, result);
    case REQUEST_COMMAND_LIST:
        return command_relay_listed(&session->commands, result) ? 0 : -EBADMSG;
    case REQUEST_COMMAND:
        return command_relay_answered(&session->commands, request->subject, result) ? 0 : -EBADMSG;
    case REQUEST_QUERY:
        query_relay_answered(&session->queries, request->subject, result, NULL);
        return 0;
    case REQUEST_LINK_JOIN:
        session_fence_joined(session, now, true);
        return 0;
    case REQUEST_LINK_REPORT:
        report_answered(session, now);
        return 0;
    }
    UNREACHABLE();
}

static int notified(struct uplink_session *session, const char *method, const json_t *params)
{
    uint64_t last_seq = 0;

    if (session->phase != UPLINK_LIVE) {
        return 0;
    }
    if (strcmp(method, "state") == 0) {
        return state_stream_notified(&session->state, params);
    }
    if (strcmp(method, "events") == 0) {
        if (!json_u64_at(params, "last_seq", &last_seq)) {
            return -EBADMSG;
        }
        event_stream_notified(&session->events, last_seq);
        return 0;
    }
    if (strcmp(method, "command") == 0) {
        return command_relay_notified(&session->commands, params) ? 0 : -EBADMSG;
    }
    return 0; /* from a later version */
}

static int document_take(struct uplink_session *session, struct uplink_now now,
                         const json_t *document)
{
    const char *method = json_text_at(document, "method");
    const json_t *result = json_object_get(document, "result");
    const json_t *reason = json_object_get(document, "error");
    uint64_t id = 0;

    if (method != NULL) {
        return notified(session, method, json_object_get(document, "params"));
    }
    if (!json_u64_at(document, "id", &id) || id == 0) {
        return -EBADMSG;
    }
    struct session_request *found = request_find(session, id);
    if (found == NULL || (result == NULL) == (reason == NULL)) {
        return -EBADMSG;
    }
    struct session_request request = *found;
    found->id = 0;
    /* Requests of the streams are made in a live session only, and end with it. */
    ASSERT(request.kind == REQUEST_HELLO || request.kind == REQUEST_LINK_REPORT ||
           session->streaming);
    return result != NULL ? answered(session, now, &request, result)
                          : refused(session, now, &request, reason);
}

void uplink_session_control_opened(struct uplink_session *session, struct uplink_now now UNUSED)
{
    ASSERT(session->phase == UPLINK_CONTROL);
    session->hello_after_us = 0;
    session->wants_hello = true;
    session_set_phase(session, UPLINK_GREET);
}

void uplink_session_control_line(struct uplink_session *session, struct uplink_now now,
                                 const char *line, size_t bytes)
{
    json_t *document = NULL;
    int error = 0;

    if (session->phase < UPLINK_GREET || session->phase > UPLINK_TELL) {
        return;
    }
    document = json_loadb(line, bytes, 0, NULL);
    error = json_is_object(document) ? document_take(session, now, document) : -EBADMSG;
    json_decref(document);
    if (error == -ESTALE) {
        session_end_round(session, now, ROUND_AGENT, 0, "arrayd has started a new history");
    } else if (error != 0) {
        session_end_round(session, now, ROUND_AGENT, 0,
                          "arrayd said something that makes no sense");
    }
}

void uplink_session_control_closed(struct uplink_session *session, struct uplink_now now,
                                   const char *why)
{
    char text[256];

    if (session->phase == UPLINK_TELL) {
        tell_end(session, now);
        return;
    }
    (void)snprintf(text, sizeof(text), "arrayd %s: %s",
                   session->phase == UPLINK_CONTROL ? "cannot be reached" : "has gone",
                   why != NULL ? why : "connection closed");
    session_end_round(session, now, ROUND_AGENT, 0, text);
}
