/*
 * The session's own data, shared by uplink_session.c, session_control.c and session_link.c.
 */
#ifndef ARRAYWRIGHT_UPLINK_SESSION_PRIVATE_H
#define ARRAYWRIGHT_UPLINK_SESSION_PRIVATE_H

#include <jansson.h>

#include "base/rng.h"
#include "uplink/backoff.h"
#include "uplink/command_relay.h"
#include "uplink/event_stream.h"
#include "uplink/query_relay.h"
#include "uplink/state_stream.h"
#include "uplink/uplink_session.h"

#define SESSION_REQUESTS_MAX 96u
#define SESSION_BAD_FRAMES_MAX 8u
#define SESSION_RESYNCS_MAX 10u

enum request_kind {
    REQUEST_HELLO,
    REQUEST_STATE,
    REQUEST_EVENTS_SUBSCRIBE,
    REQUEST_EVENTS_READ,
    REQUEST_COMMAND_LIST,
    REQUEST_COMMAND,
    REQUEST_ACKNOWLEDGE,
    REQUEST_QUERY,
    REQUEST_LINK_JOIN,
    REQUEST_LINK_REPORT
};

/* A request arrayd has not answered. */
struct session_request {
    uint64_t id;                 /* 0: free */
    enum request_kind kind;
    char subject[UUID_TEXT_BYTES]; /* of a command or a query */
    uint64_t asked_us;
};

/* What arrayd said of itself when the round began. */
struct session_agent {
    char version[65];
    char hostname[256];
    char boot_id[65];
    char policy_preset[33];
    char fence[UPLINK_FENCE_BYTES]; /* "": none, or a version that keeps none */
    char state_epoch[UUID_TEXT_BYTES];
    char event_epoch[UUID_TEXT_BYTES];
    uint64_t state_rev;
    uint64_t event_seq_first;
    uint64_t event_seq_last;
    uint64_t command_number;
};

enum round_end {
    ROUND_AGENT,                 /* arrayd is away or makes no sense */
    ROUND_FAILED,                /* the backend cannot be reached, or misbehaves */
    ROUND_REFUSED,               /* the backend does not want us */
    ROUND_IN_USE,                /* another machine uses this identity */
    ROUND_GOAWAY                 /* the backend says when to come back */
};

struct uplink_session {
    struct uplink_options options;
    enum uplink_phase phase;
    uint64_t round;
    struct rng rng;
    struct backoff link_backoff;
    struct backoff agent_backoff;
    uint64_t wait_until_us;      /* WAIT */
    uint64_t step_until_us;      /* DIAL … WELCOME */
    uint64_t live_since_us;
    uint32_t window_s;           /* from welcome */

    /* The control connection of this round. */
    struct session_request requests[SESSION_REQUESTS_MAX];
    uint64_t next_request_id;
    bool wants_hello;
    uint64_t hello_after_us;     /* arrayd was not online yet */
    bool told_not_online;
    bool subscribed_state;
    bool subscribed_events;
    bool wants_join;             /* FENCE: arrayd is to keep the fence */
    bool wants_report;           /* LIVE, TELL: arrayd is to know how the link stands */
    struct session_agent agent;

    /* The link of this round. */
    char *hello;                 /* to be sent */
    char fence[UPLINK_FENCE_BYTES]; /* of this session; "": none was given */
    bool fence_kept;             /* in both directories, and the backend does not know yet */
    uint32_t retry_s;            /* TELL: when the backend wants to see us again; 0: later */
    bool streaming;              /* the four below are in use */
    struct state_stream state;
    struct event_stream events;
    struct command_relay commands;
    struct query_relay queries;
    uint64_t heartbeat_us;
    uint64_t heartbeat_at_us;
    uint64_t ack_at_us;          /* when acknowledgements last moved, or were not owed */
    uint32_t bad_frames;
    uint32_t resyncs;
    bool told_unknown;
};

void session_log(struct uplink_session *session, enum uplink_log_level level, const char *format,
                 ...) PRINTF_LIKE(3, 4);
/* Back to WAIT; spread_s counts for ROUND_GOAWAY. */
void session_end_round(struct uplink_session *session, struct uplink_now now, enum round_end end,
                       uint32_t spread_s, const char *why);
/* The one place that changes the phase. */
void session_set_phase(struct uplink_session *session, enum uplink_phase phase);
/* arrayd has made the fence durable, or cannot. */
void session_fence_joined(struct uplink_session *session, struct uplink_now now, bool joined);
bool session_owes_ack(const struct uplink_session *session);

#endif
