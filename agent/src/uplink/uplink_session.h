/*
 * The link's brain, without sockets and clocks: events go in, wishes and texts come out.
 *
 *            +------------------------- the wait is over -------------------------+
 *            v                                                                    |
 *   WAIT --> CONTROL --open--> GREET --hello--> DIAL --open--> CHALLENGE --> WELCOME --> FENCE
 *              |                 | ^ not online:  |               |             | |          |
 *              |                 +-+ asked again  |               |  in use: TELL |        LIVE
 *              +-----------------+----------------+-- any failure +-------------+----------+
 *                                                                                    --> WAIT
 *
 * (1) One round is one walk from CONTROL to WAIT: it begins with a fresh control connection and
 *     ends with both connections closed, so nothing of an old round is ever mistaken for
 *     something of the present one.
 * (2) The backend is dialled only while arrayd answers and is online: a host whose agent is
 *     down is offline for the backend too.
 * (3) Nothing is queued for a connection that does not take it: texts are made when they are
 *     pulled, results first, then events, then state.
 * (4) The backend's fence is durable in arrayd's state directory and in ours before anything but
 *     that is told: what a restored or copied directory shows is not what the backend expects.
 * (5) Where another machine uses this identity, arrayd is told before the round ends (TELL).
 * (6) No answer of either side, however wrong, ends anything but the round.
 */
#ifndef ARRAYWRIGHT_UPLINK_UPLINK_SESSION_H
#define ARRAYWRIGHT_UPLINK_UPLINK_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "uplink/uplink_identity.h"
#include "uplink/uplink_key.h"
#include "uplink/uplink_log.h"

#define UPLINK_HEALTHY_US (120ull * 1000 * 1000)
#define UPLINK_STEP_LIMIT_US (20ull * 1000 * 1000)    /* from dialling to welcome */
#define UPLINK_ANSWER_LIMIT_US (30ull * 1000 * 1000)  /* of arrayd */
#define UPLINK_ACK_LIMIT_US (60ull * 1000 * 1000)     /* of the backend */
#define UPLINK_ONLINE_POLL_US (500ull * 1000)

enum uplink_phase {
    UPLINK_WAIT,
    UPLINK_CONTROL,
    UPLINK_GREET,
    UPLINK_DIAL,
    UPLINK_CHALLENGE,
    UPLINK_WELCOME,
    UPLINK_FENCE,
    UPLINK_LIVE,
    UPLINK_TELL,
    UPLINK_STOPPED,
    UPLINK_PHASE_MAX
};

struct uplink_now {
    uint64_t us;                 /* monotonic */
    uint64_t wall_us;
};

struct uplink_port {
    int (*sign)(void *context, const char *text, size_t bytes,
                char ret_signature[UPLINK_SIGNATURE_TEXT_BYTES]);
    /* Durable when it returns 0. */
    int (*keep_fence)(void *context, const char *fence);
    void (*log)(void *context, enum uplink_log_level level, const char *text);
    void *context;
};

struct uplink_options {
    char agent_id[UUID_TEXT_BYTES];
    char server_id[UUID_TEXT_BYTES];
    char fence[UPLINK_FENCE_BYTES]; /* what keep_fence has kept last; "": nothing */
    const char *hostname;        /* "": as arrayd calls the host; outlives the session */
    uint32_t reconnect_base_ms;
    uint32_t reconnect_cap_ms;
    uint64_t seed;
    struct uplink_port port;
};

struct uplink_session;

MUST_CHECK int uplink_session_new(const struct uplink_options *options, struct uplink_now now,
                                  struct uplink_session **ret_session);
/* Accepts NULL, returns NULL. */
struct uplink_session *uplink_session_free(struct uplink_session *session);
/* No connection is wanted any more. */
void uplink_session_stop(struct uplink_session *session);

/* What should be the case now; the caller opens and closes connections accordingly. A
 * connection of an earlier round is to be closed even if one is wanted. */
enum uplink_phase uplink_session_phase(const struct uplink_session *session);
const char *uplink_phase_word(enum uplink_phase phase);
uint64_t uplink_session_round(const struct uplink_session *session);
bool uplink_session_wants_control(const struct uplink_session *session);
bool uplink_session_wants_link(const struct uplink_session *session);
/* When to call tick at the latest, in monotonic microseconds. */
uint64_t uplink_session_deadline_us(const struct uplink_session *session);
void uplink_session_tick(struct uplink_session *session, struct uplink_now now);

/* arrayd's control socket. `why` may be NULL. */
void uplink_session_control_opened(struct uplink_session *session, struct uplink_now now);
void uplink_session_control_line(struct uplink_session *session, struct uplink_now now,
                                 const char *line, size_t bytes);
void uplink_session_control_closed(struct uplink_session *session, struct uplink_now now,
                                   const char *why);
/* The next request without its line end, free() it; NULL: none. */
char *uplink_session_pull_control(struct uplink_session *session, struct uplink_now now,
                                  size_t *ret_bytes);

/* The backend. */
void uplink_session_link_opened(struct uplink_session *session, struct uplink_now now);
void uplink_session_link_frame(struct uplink_session *session, struct uplink_now now,
                               const char *text, size_t bytes);
void uplink_session_link_closed(struct uplink_session *session, struct uplink_now now,
                                const char *why);
/* The next frame, at most FRAME_OUT_MAX_BYTES, free() it; NULL: none. */
char *uplink_session_pull_link(struct uplink_session *session, struct uplink_now now,
                               size_t *ret_bytes);
bool uplink_session_has_link_output(const struct uplink_session *session, struct uplink_now now);

#endif
