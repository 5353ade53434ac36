/*
 * A session's own data; shared by nbd_session.c (its life, the target, what goes out), nbd_input.c
 * (what comes in) and nbd_command.c (commands' memory and replies) only.
 */
#ifndef ARRAYWRIGHT_EXPORT_NBD_SESSION_PRIVATE_H
#define ARRAYWRIGHT_EXPORT_NBD_SESSION_PRIVATE_H

#include "base/list.h"
#include "export/nbd_parse.h"
#include "export/nbd_session.h"

#define NBD_HEAD_MAX_BYTES 160u
#define NBD_STREAM_BYTES (256u * 1024u)

enum command_state { COMMAND_FREE, COMMAND_RECEIVING, COMMAND_SUBMITTED, COMMAND_REPLYING };

struct command {
    struct list link; /* session->free_commands or session->replies */
    struct nbd_session *session;
    enum command_state state;
    struct nbd_request request;
    struct vd_request vd;
    uint8_t *buffer;       /* NULL: the command has no data */
    bool buffer_is_own;    /* of aligned_alloc(), not out of the session's */
    uint32_t buffer_bytes; /* as asked for, not as rounded */
    uint32_t received_bytes;
    uint32_t head_bytes; /* of the reply */
    uint32_t body_bytes; /* of the reply, out of buffer */
    uint8_t head[NBD_HEAD_MAX_BYTES];
};

enum session_state { SESSION_HANDSHAKE, SESSION_TRANSMISSION, SESSION_ENDING };

struct nbd_session {
    struct nbd_session_options options;
    enum session_state state;
    bool abandoned;
    bool shutting_down;
    bool leaving; /* and nothing more is answered that has not been submitted */
    bool held;    /* an option waits for the catalogue (nbd_handshake.h (3)) */
    bool stalled; /* input waits for a command or memory to become free */
    bool kick_wanted;
    bool in_call;       /* inside a call of the owner: kicks wait for its end */
    bool tls_pending;   /* STARTTLS was agreed on; nothing is read before TLS is in between */
    bool start_pending; /* transmission begins when the handshake's output is sent */
    struct nbd_handshake handshake;
    struct nbd_output output; /* of the handshake; bytes NULL once it is over */
    size_t output_sent;

    uint8_t *stream;
    size_t stream_start; /* unparsed bytes are stream[start..end) */
    size_t stream_end;
    struct command *receiving; /* its data comes next in the stream */
    struct command *direct;    /* whose buffer the places handed out last begin with, or NULL */
    uint32_t skip_bytes;       /* data of a refused write, to be thrown away */

    struct list free_commands;
    struct list replies; /* in the order in which they go out */
    size_t reply_sent;   /* bytes of the first reply already out */
    uint32_t inflight_count;
    uint64_t request_count; /* ever */
    uint64_t buffer_bytes; /* rounded, of all commands */
    struct nbd_buffer_waiter waiter;
    struct command commands[NBD_SESSION_COMMANDS];
};

/* Tells the owner, at the end of the owner's call if it is inside one. */
void nbd_session_kick(struct nbd_session *session);

/* No more input; who waits for memory leaves the line. */
void nbd_session_end(struct nbd_session *session);
/* Calls of the owner are bracketed, so that nbd_session_kick() never comes back inside one. */
void nbd_call_begin(struct nbd_session *session);
void nbd_call_end(struct nbd_session *session);
/* Hands a command to the target, which completes it later. */
void nbd_command_submit(struct command *command, enum vd_op op, bool fua);
/* Without an answer: the client will ask again elsewhere. */
void nbd_command_drop(struct command *command);
/* Its last answer is out: transmission. */
void nbd_handshake_over(struct nbd_session *session);
/* Goes on with what has been received, as far as possible. */
void nbd_input_advance(struct nbd_session *session);

/* Whether a command with this much data keeps to all bounds now. If it is the memory of all
 * connections that is missing, the session is in line for it afterwards. */
bool nbd_command_has_room(struct nbd_session *session, uint32_t data_bytes);
struct command *nbd_command_take(struct nbd_session *session, const struct nbd_request *request);
/* After nbd_command_has_room() has said yes. */
void nbd_command_take_buffer(struct command *command, uint32_t data_bytes);
/* The virtual drive has kept it; a read has its answer in another one, of its own. */
void nbd_command_exchange_buffer(struct command *command, uint8_t *other);
void nbd_command_free(struct command *command);

/* Each queues the command's one reply; with an abandoned session it frees the command. */
void nbd_reply_error(struct command *command, enum nbd_error error, const char *text);
void nbd_reply_success(struct command *command);
void nbd_reply_block_status(struct command *command);

#endif
