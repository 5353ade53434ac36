/*
 * What the session says to the backend and hears from it: see uplink_session.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "control/json_text.h"
#include "uplink/session_private.h"

#define HELLO_SALT "arraywright-hello-v1"

bool session_owes_ack(const struct uplink_session *session)
{
    return session->streaming &&
           (session->state.unacked_count > 0 || session->events.unacked_events > 0);
}

/* What the backend sends may come before the fence is stored. */
static bool is_welcome(const struct uplink_session *session)
{
    return session->phase == UPLINK_FENCE || session->phase == UPLINK_LIVE;
}

/* Signing in. */

static json_t *hello_document(const struct uplink_session *session, const char *signature,
                              uint64_t wall_us)
{
    const struct session_agent *agent = &session->agent;
    const char *hostname =
        session->options.hostname[0] != '\0' ? session->options.hostname : agent->hostname;
    json_t *hello = frame_new("hello", wall_us);
    json_t *capabilities = json_new_array();

    json_append_text(capabilities, "query");
    json_append_text(capabilities, "fence");
    json_put_text(hello, "agent_id", session->options.agent_id);
    json_put_text(hello, "signature", signature);
    json_put_text(hello, "agent_version", agent->version);
    json_put_text(hello, "hostname", hostname);
    json_put_text(hello, "boot_id", agent->boot_id);
    json_put_text(hello, "state_epoch", agent->state_epoch);
    json_put_u64(hello, "state_rev", agent->state_rev);
    json_put_text(hello, "event_epoch", agent->event_epoch);
    json_put_u64(hello, "event_seq_last", agent->event_seq_last);
    json_put_u64(hello, "event_seq_first", agent->event_seq_first);
    json_put_u64(hello, "command_number", agent->command_number);
    json_put(hello, "capabilities", capabilities);
    json_put_text(hello, "policy_preset", agent->policy_preset);
    json_put_text(hello, "link_fence", session->options.fence);
    json_put_text(hello, "state_fence", agent->fence);
    return hello;
}

static void challenge_take(struct uplink_session *session, struct uplink_now now,
                           const struct frame *frame)
{
    const struct uplink_port *port = &session->options.port;
    char signature[UPLINK_SIGNATURE_TEXT_BYTES];
    char message[512];
    size_t hello_bytes = 0;

    if (strcmp(frame->challenge.server_id, session->options.server_id) != 0) {
        session_end_round(session, now, ROUND_REFUSED, 0,
                          "this is not the backend the host enrolled with; check url, or enroll "
                          "again with --force");
        return;
    }
    int bytes =
        snprintf(message, sizeof(message), HELLO_SALT "\n%s\n%s\n%s", frame->challenge.nonce,
                 session->options.server_id, session->options.agent_id);
    ASSERT(bytes > 0 && (size_t)bytes < sizeof(message));
    if (port->sign(port->context, message, (size_t)bytes, signature) != 0) {
        session_end_round(session, now, ROUND_REFUSED, 0, "the host's key cannot sign");
        return;
    }
    session->hello = frame_text(hello_document(session, signature, now.wall_us), &hello_bytes);
    session_set_phase(session, UPLINK_WELCOME);
}

static void live_begin(struct uplink_session *session, struct uplink_now now)
{
    session->live_since_us = now.us;
    session->ack_at_us = now.us;
    /* The first one at once: it says that the fence is kept. */
    session->heartbeat_at_us = session->fence_kept ? now.us : now.us + session->heartbeat_us;
    session->wants_report = true;
    session_set_phase(session, UPLINK_LIVE);
}

void session_fence_joined(struct uplink_session *session, struct uplink_now now, bool joined)
{
    const struct uplink_port *port = &session->options.port;

    ASSERT(session->phase == UPLINK_FENCE);
    ASSERT(session->fence[0] != '\0');
    if (joined && port->keep_fence(port->context, session->fence) == 0) {
        memcpy(session->options.fence, session->fence, sizeof(session->options.fence));
        session->fence_kept = true;
    } else {
        /* What the host has to tell matters more than how it is recognized. */
        session_log(session, UPLINK_WARNING,
                    "the fence cannot be stored; a restored state directory may go unnoticed");
    }
    live_begin(session, now);
}

static void welcome_take(struct uplink_session *session, struct uplink_now now,
                         const struct frame *frame)
{
    const struct session_agent *agent = &session->agent;

    if (session->hello != NULL) {
        session_end_round(session, now, ROUND_FAILED, 0, "the backend welcomed us unasked");
        return;
    }
    if (frame->welcome.acked_event_seq > agent->event_seq_last) {
        session_log(session, UPLINK_WARNING,
                    "the backend has events up to %" PRIu64 ", this host only up to %" PRIu64
                    ": was its state restored from a copy?",
                    frame->welcome.acked_event_seq, agent->event_seq_last);
    }
    state_stream_start(&session->state, agent->state_epoch, frame->welcome.acked_rev);
    event_stream_start(&session->events, agent->event_epoch, frame->welcome.acked_event_seq,
                       agent->event_seq_last);
    command_relay_start(&session->commands);
    query_relay_start(&session->queries);
    session->streaming = true;
    session->window_s = frame->welcome.reconnect_window_s;
    session->heartbeat_us = frame->welcome.heartbeat_s * 1000000ull;
    memcpy(session->fence, frame->welcome.fence, sizeof(session->fence));
    if (session->fence[0] == '\0') {
        live_begin(session, now);
    } else {
        session->wants_join = true;
        session_set_phase(session, UPLINK_FENCE);
    }
    session_log(session, UPLINK_INFO,
                "connected to the backend; it has state %" PRIu64 " and events up to %" PRIu64,
                frame->welcome.acked_rev, frame->welcome.acked_event_seq);
}

/* The live session. */

static void ack_take(struct uplink_session *session, struct uplink_now now,
                     const struct frame *frame)
{
    session->ack_at_us = now.us;
    if (frame->ack.has_rev) {
        state_stream_acked(&session->state, frame->ack.rev);
    }
    if (frame->ack.has_event_seq) {
        event_stream_acked(&session->events, frame->ack.event_seq);
    }
    if (frame->ack.has_result) {
        command_relay_result_acked(&session->commands, frame->ack.result);
    }
}

static void resync_take(struct uplink_session *session, struct uplink_now now)
{
    if (++session->resyncs > SESSION_RESYNCS_MAX) {
        session_end_round(session, now, ROUND_FAILED, 0,
                          "the backend asks for the whole state over and over");
        return;
    }
    session_log(session, UPLINK_INFO, "the backend asks for the whole state");
    state_stream_resync(&session->state);
}

/* arrayd is told first: on a machine that was copied nobody may look at this log. */
static void in_use_take(struct uplink_session *session, struct uplink_now now,
                        const struct frame *frame)
{
    if (session->phase != UPLINK_WELCOME) {
        session_end_round(session, now, ROUND_IN_USE, 0, "another machine uses this identity");
        return;
    }
    session->retry_s = frame->nack.retry_s;
    session->wants_report = true;
    session_set_phase(session, UPLINK_TELL);
}

static void nack_take(struct uplink_session *session, struct uplink_now now,
                      const struct frame *frame)
{
    char why[256];

    (void)snprintf(why, sizeof(why), "the backend says %s: %s", frame->nack.reason,
                   frame->nack.detail);
    switch (frame->nack.kind) {
    case NACK_RESYNC:
        if (is_welcome(session)) {
            resync_take(session, now);
        }
        return;
    case NACK_FENCED:
    case NACK_UNAUTHORISED:
        /* Not ours to cure: the identity stays, only an administrator replaces it. */
        session_end_round(session, now, ROUND_REFUSED, 0, why);
        return;
    case NACK_IN_USE:
        in_use_take(session, now, frame);
        return;
    case NACK_UNSUPPORTED:
        if (!session->told_unknown) {
            session->told_unknown = true;
            session_log(session, UPLINK_WARNING, "%s", why);
        }
        return;
    case NACK_OTHER:
        if (!is_welcome(session)) {
            session_end_round(session, now, ROUND_FAILED, 0, why);
        } else {
            session_log(session, UPLINK_WARNING, "%s", why);
        }
        return;
    }
    UNREACHABLE();
}

static void command_take(struct uplink_session *session, struct uplink_now now,
                         const struct frame *frame)
{
    if (command_relay_take(&session->commands, frame) != 0) {
        session_end_round(session, now, ROUND_FAILED, 0,
                          "the backend sends more commands than this host can hold");
    }
}

/* A frame that does not belong to the present phase. */
static void out_of_turn(struct uplink_session *session, struct uplink_now now)
{
    session_end_round(session, now, ROUND_FAILED, 0, "the backend spoke out of turn");
}

static void live_take(struct uplink_session *session, struct uplink_now now,
                      const struct frame *frame)
{
    switch (frame->kind) {
    case FRAME_ACK:
        ack_take(session, now, frame);
        return;
    case FRAME_COMMAND:
        command_take(session, now, frame);
        return;
    case FRAME_QUERY:
        (void)query_relay_take(&session->queries, frame, now.us); /* its bound is documented */
        return;
    case FRAME_CHALLENGE:
    case FRAME_WELCOME:
        out_of_turn(session, now);
        return;
    case FRAME_NACK:
    case FRAME_GOAWAY:
    case FRAME_OTHER:
        break;
    }
    UNREACHABLE(); /* frame_take() has dealt with them */
}

static void goaway_take(struct uplink_session *session, struct uplink_now now,
                        const struct frame *frame)
{
    char why[160];

    (void)snprintf(why, sizeof(why), "the backend asks us to come back later (%s)",
                   frame->goaway.reason);
    session_end_round(session, now, ROUND_GOAWAY, frame->goaway.spread_s, why);
}

static void frame_take(struct uplink_session *session, struct uplink_now now,
                       const struct frame *frame)
{
    if (frame->kind == FRAME_OTHER) {
        return;
    }
    if (frame->kind == FRAME_NACK) {
        nack_take(session, now, frame);
    } else if (frame->kind == FRAME_GOAWAY) {
        goaway_take(session, now, frame);
    } else if (is_welcome(session)) {
        live_take(session, now, frame);
    } else if (session->phase == UPLINK_CHALLENGE && frame->kind == FRAME_CHALLENGE) {
        challenge_take(session, now, frame);
    } else if (session->phase == UPLINK_WELCOME && frame->kind == FRAME_WELCOME) {
        welcome_take(session, now, frame);
    } else {
        out_of_turn(session, now);
    }
}

static void bad_frame(struct uplink_session *session, struct uplink_now now, const char *why)
{
    session_log(session, UPLINK_WARNING, "the backend sent a malformed frame: %s", why);
    if (++session->bad_frames >= SESSION_BAD_FRAMES_MAX || !is_welcome(session)) {
        session_end_round(session, now, ROUND_FAILED, 0, "the backend does not make sense");
        return;
    }
    command_relay_nack(&session->commands, why);
}

void uplink_session_link_opened(struct uplink_session *session, struct uplink_now now UNUSED)
{
    ASSERT(session->phase == UPLINK_DIAL);
    session_set_phase(session, UPLINK_CHALLENGE);
}

void uplink_session_link_frame(struct uplink_session *session, struct uplink_now now,
                               const char *text, size_t bytes)
{
    struct frame frame;
    char why[FRAME_WHY_BYTES];

    if (session->phase < UPLINK_CHALLENGE || session->phase > UPLINK_LIVE) {
        return;
    }
    if (frame_parse(text, bytes, &frame, why) != 0) {
        bad_frame(session, now, why);
        return;
    }
    frame_take(session, now, &frame);
    frame_done(&frame);
}

void uplink_session_link_closed(struct uplink_session *session, struct uplink_now now,
                                const char *why)
{
    char text[256];

    if (!uplink_session_wants_link(session)) {
        return;
    }
    (void)snprintf(text, sizeof(text), "the backend %s: %s",
                   session->phase == UPLINK_DIAL ? "cannot be reached" : "has gone",
                   why != NULL && why[0] != '\0' ? why : "connection closed");
    session_end_round(session, now, ROUND_FAILED, 0, text);
}

/* Sending. */

static char *heartbeat_text(struct uplink_session *session, struct uplink_now now,
                            size_t *ret_bytes)
{
    json_t *frame = frame_new("heartbeat", now.wall_us);

    json_put_u64(frame, "state_rev", session->state.sent_rev);
    json_put_u64(frame, "event_seq", session->events.sent_seq);
    if (session->fence_kept) {
        session->fence_kept = false;
        json_put_text(frame, "fence", session->fence);
    }
    session->heartbeat_at_us = now.us + session->heartbeat_us;
    return frame_text(frame, ret_bytes);
}

static char *live_pull(struct uplink_session *session, struct uplink_now now, size_t *ret_bytes)
{
    bool owed = session_owes_ack(session);
    char *text = NULL;

    if (now.us >= session->heartbeat_at_us) {
        return heartbeat_text(session, now, ret_bytes);
    }
    text = query_relay_pull(&session->queries, now.wall_us, ret_bytes);
    if (text == NULL) {
        text = command_relay_pull(&session->commands, now.us, now.wall_us, ret_bytes);
    }
    if (text == NULL) {
        text = event_stream_pull(&session->events, now.wall_us, ret_bytes);
    }
    if (text == NULL) {
        text = state_stream_pull(&session->state, now.wall_us, ret_bytes);
    }
    if (!owed) {
        session->ack_at_us = now.us; /* the time for the first acknowledgement begins */
    }
    return text;
}

char *uplink_session_pull_link(struct uplink_session *session, struct uplink_now now,
                               size_t *ret_bytes)
{
    if (session->phase == UPLINK_WELCOME && session->hello != NULL) {
        char *hello = session->hello;

        session->hello = NULL;
        *ret_bytes = strlen(hello);
        return hello;
    }
    return session->phase == UPLINK_LIVE ? live_pull(session, now, ret_bytes) : NULL;
}

bool uplink_session_has_link_output(const struct uplink_session *session, struct uplink_now now)
{
    if (session->phase == UPLINK_WELCOME) {
        return session->hello != NULL;
    }
    return session->phase == UPLINK_LIVE &&
           (now.us >= session->heartbeat_at_us || query_relay_has_frame(&session->queries) ||
            command_relay_has_frame(&session->commands, now.us) ||
            event_stream_has_frame(&session->events) || state_stream_has_frame(&session->state));
}
