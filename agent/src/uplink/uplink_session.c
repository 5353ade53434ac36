/*
 * Rounds, waits and time: see uplink_session.h. What is said on the two connections is in
 * session_control.c and session_link.c.
 */
#include "uplink/uplink_session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "uplink/session_private.h"

#define AGENT_BASE_MS 200u
#define AGENT_CAP_MS 5000u

const char *uplink_phase_word(enum uplink_phase phase)
{
    static const char *const words[] = {
        [UPLINK_WAIT] = "waiting",         [UPLINK_CONTROL] = "connecting to arrayd",
        [UPLINK_GREET] = "asking arrayd",  [UPLINK_DIAL] = "connecting to the backend",
        [UPLINK_CHALLENGE] = "signing in", [UPLINK_WELCOME] = "signing in",
        [UPLINK_FENCE] = "signing in",     [UPLINK_LIVE] = "connected",
        [UPLINK_TELL] = "refused",         [UPLINK_STOPPED] = "stopped"};

    ASSERT(phase < UPLINK_PHASE_MAX);
    return words[phase];
}

void session_log(struct uplink_session *session, enum uplink_log_level level, const char *format,
                 ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments); /* a longer text is cut */
    va_end(arguments);
    session->options.port.log(session->options.port.context, level, text);
}

void session_set_phase(struct uplink_session *session, enum uplink_phase phase)
{
    static const bool next[UPLINK_PHASE_MAX][UPLINK_PHASE_MAX] = {
        [UPLINK_WAIT] = {[UPLINK_CONTROL] = true, [UPLINK_STOPPED] = true},
        [UPLINK_CONTROL] = {[UPLINK_GREET] = true, [UPLINK_WAIT] = true, [UPLINK_STOPPED] = true},
        [UPLINK_GREET] = {[UPLINK_DIAL] = true, [UPLINK_WAIT] = true, [UPLINK_STOPPED] = true},
        [UPLINK_DIAL] = {[UPLINK_CHALLENGE] = true, [UPLINK_WAIT] = true, [UPLINK_STOPPED] = true},
        [UPLINK_CHALLENGE] =
            {[UPLINK_WELCOME] = true, [UPLINK_WAIT] = true, [UPLINK_STOPPED] = true},
        [UPLINK_WELCOME] = {[UPLINK_FENCE] = true,
                            [UPLINK_LIVE] = true,
                            [UPLINK_TELL] = true,
                            [UPLINK_WAIT] = true,
                            [UPLINK_STOPPED] = true},
        [UPLINK_FENCE] = {[UPLINK_LIVE] = true, [UPLINK_WAIT] = true, [UPLINK_STOPPED] = true},
        [UPLINK_TELL] = {[UPLINK_WAIT] = true, [UPLINK_STOPPED] = true},
        [UPLINK_LIVE] = {[UPLINK_WAIT] = true, [UPLINK_STOPPED] = true}};

    ASSERT(phase < UPLINK_PHASE_MAX);
    ASSERT(next[session->phase][phase]);
    session->phase = phase;
}

static void streams_drop(struct uplink_session *session)
{
    if (session->streaming) {
        state_stream_done(&session->state);
        event_stream_done(&session->events);
        command_relay_done(&session->commands);
        query_relay_done(&session->queries);
        session->streaming = false;
    }
    free(session->hello);
    session->hello = NULL;
}

int uplink_session_new(const struct uplink_options *options, struct uplink_now now,
                       struct uplink_session **ret_session)
{
    struct uplink_session *session = calloc(1, sizeof(*session));

    ASSERT(options->port.sign != NULL && options->port.log != NULL);
    ASSERT(options->port.keep_fence != NULL);
    ASSERT(options->reconnect_base_ms > 0);
    ASSERT(options->reconnect_cap_ms >= options->reconnect_base_ms);
    if (session == NULL) {
        return -ENOMEM;
    }
    session->options = *options;
    session->link_backoff = (struct backoff){.base_ms = options->reconnect_base_ms,
                                             .cap_ms = options->reconnect_cap_ms};
    session->agent_backoff = (struct backoff){.base_ms = AGENT_BASE_MS, .cap_ms = AGENT_CAP_MS};
    session->wait_until_us = now.us;
    session->next_request_id = 1;
    rng_seed(&session->rng, options->seed);
    *ret_session = session;
    return 0;
}

struct uplink_session *uplink_session_free(struct uplink_session *session)
{
    if (session != NULL) {
        streams_drop(session);
        free(session);
    }
    return NULL;
}

void uplink_session_stop(struct uplink_session *session)
{
    streams_drop(session);
    if (session->phase != UPLINK_STOPPED) {
        session_set_phase(session, UPLINK_STOPPED);
    }
}

enum uplink_phase uplink_session_phase(const struct uplink_session *session)
{
    return session->phase;
}

uint64_t uplink_session_round(const struct uplink_session *session)
{
    return session->round;
}

bool uplink_session_wants_control(const struct uplink_session *session)
{
    return session->phase != UPLINK_WAIT && session->phase != UPLINK_STOPPED;
}

bool uplink_session_wants_link(const struct uplink_session *session)
{
    return session->phase >= UPLINK_DIAL && session->phase <= UPLINK_LIVE;
}

/* How long to wait, by why the round has ended. */
static uint64_t retry_us(struct uplink_session *session)
{
    uint64_t limit_us = session->retry_s * 1000000ull;

    /* Not before it was asked for: the backend would refuse again. */
    return limit_us > 0 ? limit_us + backoff_spread_us(limit_us / 4, &session->rng)
                        : backoff_long_us(&session->link_backoff, &session->rng);
}

static uint64_t wait_us(struct uplink_session *session, struct uplink_now now, enum round_end end,
                        uint32_t spread_s)
{
    bool was_live = session->phase == UPLINK_LIVE;
    bool was_healthy = was_live && now.us - session->live_since_us >= UPLINK_HEALTHY_US;
    uint64_t spread_us = 0;

    if (was_healthy) {
        backoff_reset(&session->link_backoff);
        backoff_reset(&session->agent_backoff);
    }
    if (end == ROUND_AGENT) {
        return backoff_next_us(&session->agent_backoff, &session->rng);
    }
    if (end == ROUND_IN_USE) {
        return retry_us(session);
    }
    if (end == ROUND_REFUSED) {
        return backoff_long_us(&session->link_backoff, &session->rng);
    }
    if (end == ROUND_GOAWAY) {
        return backoff_spread_us(spread_s * 1000000ull, &session->rng);
    }
    if (!was_live) {
        return backoff_next_us(&session->link_backoff, &session->rng);
    }
    /* A live session was lost, maybe by thousands of hosts at once. One that keeps being lost
     * early backs off as well. */
    spread_us = backoff_spread_us(session->window_s * 1000000ull, &session->rng);
    if (was_healthy) {
        return spread_us;
    }
    bool again = session->link_backoff.failures > 0;
    uint64_t backoff_us = backoff_next_us(&session->link_backoff, &session->rng);
    return again && backoff_us > spread_us ? backoff_us : spread_us;
}

void session_end_round(struct uplink_session *session, struct uplink_now now, enum round_end end,
                       uint32_t spread_s, const char *why)
{
    if (!uplink_session_wants_control(session)) {
        return; /* between rounds nothing can end */
    }
    uint64_t delay_us = wait_us(session, now, end, spread_s);

    session->wait_until_us = now.us + delay_us;
    bool refused = end == ROUND_REFUSED || end == ROUND_IN_USE;
    session_log(session, refused ? UPLINK_ERROR : UPLINK_WARNING, "%s; next attempt in %llu.%llu s",
                why, (unsigned long long)delay_us / 1000000,
                (unsigned long long)delay_us / 100000 % 10);
    streams_drop(session);
    session_set_phase(session, UPLINK_WAIT);
}

static void round_begin(struct uplink_session *session)
{
    session->round++;
    memset(session->requests, 0, sizeof(session->requests));
    session->wants_hello = false;
    session->told_not_online = false;
    session->subscribed_state = false;
    session->subscribed_events = false;
    session->wants_join = false;
    session->wants_report = false;
    session->fence[0] = '\0';
    session->fence_kept = false;
    session->retry_s = 0;
    session->bad_frames = 0;
    session->resyncs = 0;
    session->told_unknown = false;
    session_set_phase(session, UPLINK_CONTROL);
}

static bool is_signing_in(const struct uplink_session *session)
{
    return session->phase >= UPLINK_DIAL && session->phase <= UPLINK_FENCE;
}

/* The request of arrayd's that has waited longest, or UINT64_MAX. */
static uint64_t oldest_request_us(const struct uplink_session *session)
{
    uint64_t oldest_us = UINT64_MAX;

    for (uint32_t i = 0; i < SESSION_REQUESTS_MAX; i++) {
        const struct session_request *request = &session->requests[i];

        if (request->id != 0 && request->asked_us < oldest_us) {
            oldest_us = request->asked_us;
        }
    }
    return oldest_us;
}

static uint64_t later_us(uint64_t base_us, uint64_t add_us)
{
    return base_us > UINT64_MAX - add_us ? UINT64_MAX : base_us + add_us;
}

static uint64_t earlier_of(uint64_t left_us, uint64_t right_us)
{
    return left_us < right_us ? left_us : right_us;
}

uint64_t uplink_session_deadline_us(const struct uplink_session *session)
{
    uint64_t deadline_us = UINT64_MAX;

    if (session->phase == UPLINK_STOPPED) {
        return UINT64_MAX;
    }
    if (session->phase == UPLINK_WAIT) {
        return session->wait_until_us;
    }
    deadline_us = later_us(oldest_request_us(session), UPLINK_ANSWER_LIMIT_US);
    if (session->phase == UPLINK_GREET && !session->wants_hello && session->hello_after_us != 0) {
        deadline_us = earlier_of(deadline_us, session->hello_after_us);
    }
    if (is_signing_in(session)) {
        deadline_us = earlier_of(deadline_us, session->step_until_us);
    }
    if (session->phase == UPLINK_LIVE) {
        deadline_us = earlier_of(deadline_us, session->heartbeat_at_us);
        deadline_us = earlier_of(deadline_us, query_relay_deadline_us(&session->queries));
        deadline_us = earlier_of(deadline_us, command_relay_deadline_us(&session->commands));
        if (session_owes_ack(session)) {
            deadline_us = earlier_of(deadline_us, session->ack_at_us + UPLINK_ACK_LIMIT_US);
        }
    }
    return deadline_us;
}

static void live_tick(struct uplink_session *session, struct uplink_now now)
{
    query_relay_tick(&session->queries, now.us);
    if (!session_owes_ack(session)) {
        session->ack_at_us = now.us;
    } else if (now.us - session->ack_at_us >= UPLINK_ACK_LIMIT_US) {
        session_end_round(session, now, ROUND_FAILED, 0,
                          "the backend has acknowledged nothing for a minute");
    }
}

static void step_expired(struct uplink_session *session, struct uplink_now now)
{
    if (session->phase == UPLINK_FENCE) {
        session_end_round(session, now, ROUND_AGENT, 0, "arrayd does not store the fence");
        return;
    }
    session_end_round(session, now, ROUND_FAILED, 0,
                      session->phase == UPLINK_DIAL ? "the backend does not answer"
                                                    : "the backend does not say welcome");
}

void uplink_session_tick(struct uplink_session *session, struct uplink_now now)
{
    uint64_t oldest_us = 0;

    if (session->phase == UPLINK_STOPPED) {
        return;
    }
    if (session->phase == UPLINK_WAIT) {
        if (now.us >= session->wait_until_us) {
            round_begin(session);
        }
        return;
    }
    oldest_us = oldest_request_us(session);
    if (oldest_us != UINT64_MAX && now.us >= oldest_us + UPLINK_ANSWER_LIMIT_US) {
        session_end_round(session, now, ROUND_AGENT, 0, "arrayd does not answer");
        return;
    }
    if (session->phase == UPLINK_GREET && session->hello_after_us != 0 &&
        now.us >= session->hello_after_us) {
        session->hello_after_us = 0;
        session->wants_hello = true;
    }
    if (is_signing_in(session) && now.us >= session->step_until_us) {
        step_expired(session, now);
        return;
    }
    if (session->phase == UPLINK_LIVE) {
        live_tick(session, now);
    }
}
