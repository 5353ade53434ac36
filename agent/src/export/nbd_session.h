/*
 * One NBD connection's conversation, without its socket: the owner asks where received
 * bytes go and what to send, and tells what happened. Deterministic, so tests and fuzzers
 * drive it directly.
 *
 *   HANDSHAKE --GO--> TRANSMISSION --DISC, end of input, bad bytes--> ENDING
 *
 * (1) A command's memory and buffer live until the target has completed it and its reply
 *     has been sent or the session abandoned: a dead client's writes finish in order.
 * (2) Bounded: NBD_SESSION_COMMANDS commands, buffer_max_bytes of data, one stream buffer,
 *     and the memory of all connections together. At a bound nothing more is read from the
 *     client until something is freed.
 * (3) Places handed out by nbd_session_receive_vector() stay valid and untouched until
 *     nbd_session_received() or nbd_session_free().
 * (4) Bytes that make no sense end this session only.
 */
#ifndef ARRAYWRIGHT_EXPORT_NBD_SESSION_H
#define ARRAYWRIGHT_EXPORT_NBD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/attrs.h"
#include "export/nbd_buffers.h"
#include "export/nbd_handshake.h"

#define NBD_SESSION_COMMANDS 128u
#define NBD_SESSION_SEND_VECTOR 128u
#define NBD_SESSION_RECEIVE_VECTOR 2u

struct nbd_session;

struct nbd_session_options {
    struct nbd_catalog *catalog;
    struct nbd_buffers *buffers;
    bool tls_required;
    const char *refusal; /* the client is not let in, and hears this; NULL: it is */
    uint64_t buffer_max_bytes; /* at least NBD_PAYLOAD_MAX_BYTES */
    /* There is something new to send, to receive into, or the session has finished. Never
     * called from inside a call of the owner. */
    void (*kick)(void *owner);
    /* The session belongs to this target from now on; may be called inside a call. */
    void (*started)(void *owner, struct vd_target *target);
    void *owner;
};

MUST_CHECK int nbd_session_create(const struct nbd_session_options *options,
                                  struct nbd_session **ret_session);
/* Nothing may be in flight at the target. Accepts NULL, returns NULL. */
struct nbd_session *nbd_session_free(struct nbd_session *session);

/* Where the next bytes go; 0: do not read now. */
uint32_t nbd_session_receive_vector(struct nbd_session *session,
                                    struct iovec vector[NBD_SESSION_RECEIVE_VECTOR]);
void nbd_session_received(struct nbd_session *session, size_t byte_count);
/* The client will send no more. What it sent completely is still executed and answered. */
void nbd_session_input_ended(struct nbd_session *session);

/* What to send next; 0: nothing. */
uint32_t nbd_session_send_vector(struct nbd_session *session,
                                 struct iovec vector[NBD_SESSION_SEND_VECTOR]);
void nbd_session_sent(struct nbd_session *session, size_t byte_count);

/* An option waits until the catalogue has more. Meanwhile the session goes on receiving, so that
 * the end of a client that does not wait is seen. */
bool nbd_session_is_held(const struct nbd_session *session);
/* The catalogue has changed: the option is looked at again. */
void nbd_session_catalog_changed(struct nbd_session *session);
/* It has waited long enough: whatever would wait is refused from now on. */
void nbd_session_wait_over(struct nbd_session *session);

/* What comes next, in both directions, is TLS: the owner puts it in between, then says so. */
bool nbd_session_wants_tls(const struct nbd_session *session);
void nbd_session_tls_begun(struct nbd_session *session);

/* The client is gone: nothing will be received or sent any more. Places handed out for
 * sending must not be in use. */
void nbd_session_abandon(struct nbd_session *session);
/* The export goes away: new requests are refused, what is in flight finishes, then the
 * session ends. */
void nbd_session_shut_down(struct nbd_session *session);

/* The server goes away and will be back: what is in flight is answered, everything else is left
 * without an answer, as if it had not arrived. A client that reconnects sends it again. */
void nbd_session_leave(struct nbd_session *session);

/* No more input wanted, nothing in flight, nothing to send. */
bool nbd_session_is_finished(const struct nbd_session *session);
/* No more input is wanted. */
bool nbd_session_is_ending(const struct nbd_session *session);
/* In line for memory that other connections hold. */
bool nbd_session_waits_for_memory(const struct nbd_session *session);
/* Holds memory until its client sends the rest of a write, or takes its replies. */
bool nbd_session_keeps_memory(const struct nbd_session *session);
/* Requests that the target owns. */
uint32_t nbd_session_inflight_count(const struct nbd_session *session);
/* That have ever come in, refused ones included. */
uint64_t nbd_session_request_count(const struct nbd_session *session);
/* NULL until transmission has started. */
struct vd_target *nbd_session_target(const struct nbd_session *session);

#endif
