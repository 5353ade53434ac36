/*
 * The conversation; see nbd_session.h for the invariants.
 *
 * A command's way: FREE -> [RECEIVING its data] -> SUBMITTED at the target -> REPLYING ->
 * FREE; refusals and answers without the target go straight to REPLYING.
 */
#include "export/nbd_session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "export/nbd_session_private.h"

void nbd_session_kick(struct nbd_session *session)
{
    if (session->in_call) {
        session->kick_wanted = true;
    } else {
        session->options.kick(session->options.owner);
    }
}

void nbd_session_end(struct nbd_session *session)
{
    session->state = SESSION_ENDING;
    nbd_buffer_give_up(session->options.buffers, &session->waiter);
}

/* ---- the target ---- */

static void end_if_idle_in_shutdown(struct nbd_session *session)
{
    if (session->shutting_down && session->inflight_count == 0) {
        nbd_session_end(session);
    }
}

void nbd_command_drop(struct command *command)
{
    struct nbd_session *session = command->session;

    ASSERT(session->leaving);
    nbd_command_free(command);
    nbd_session_kick(session);
}

static void vd_complete(struct vd_request *vd, enum vd_status status)
{
    struct command *command = container_of(vd, struct command, vd);
    struct nbd_session *session = command->session;

    ASSERT(command->state == COMMAND_SUBMITTED);
    ASSERT(session->inflight_count > 0);
    session->inflight_count--;
    command->state = COMMAND_REPLYING;
    if (vd->buffer != command->buffer) {
        nbd_command_exchange_buffer(command, vd->buffer);
    }
    end_if_idle_in_shutdown(session);
    switch (status) {
    case VD_STATUS_OK:
        nbd_reply_success(command);
        return;
    case VD_STATUS_INVALID:
        nbd_reply_error(command, NBD_EINVAL, "the virtual drive does not accept this request");
        return;
    case VD_STATUS_IO:
        nbd_reply_error(command, NBD_EIO, "the virtual drive cannot read or keep this data");
        return;
    case VD_STATUS_NO_SPACE:
        nbd_reply_error(command, NBD_ENOSPC, "there is no space left below the drives");
        return;
    case VD_STATUS_READ_ONLY:
        nbd_reply_error(command, NBD_EPERM, "the virtual drive is read-only");
        return;
    case VD_STATUS_SHUTDOWN:
        if (session->leaving) {
            nbd_command_drop(command);
            return;
        }
        nbd_reply_error(command, NBD_ESHUTDOWN, "the virtual drive is going away");
        return;
    case VD_STATUS_MAX:
        break;
    }
    UNREACHABLE();
}

void nbd_command_submit(struct command *command, enum vd_op op, bool fua)
{
    struct nbd_session *session = command->session;
    struct vd_target *target = session->handshake.target;

    ASSERT(command->state == COMMAND_RECEIVING);
    ASSERT(op < VD_OP_MAX);
    command->vd = (struct vd_request){
        .op = op,
        .fua = fua,
        .offset_bytes = command->request.offset_bytes,
        .length_bytes = command->request.length_bytes,
        .buffer = command->buffer,
        .lends = op == VD_OP_READ || op == VD_OP_WRITE,
        .lender = &session->options.buffers->lender,
        .complete = vd_complete,
        .owner = command,
    };
    list_init(&command->vd.vd_link);
    command->state = COMMAND_SUBMITTED;
    session->inflight_count++;
    target->ops->submit(target, &command->vd);
}

/* ---- calls of the owner ---- */

void nbd_call_begin(struct nbd_session *session)
{
    ASSERT(!session->in_call);
    session->in_call = true;
    session->kick_wanted = false;
}

void nbd_call_end(struct nbd_session *session)
{
    ASSERT(session->in_call);
    session->in_call = false;
    if (session->kick_wanted) {
        session->options.kick(session->options.owner);
    }
}

void nbd_session_input_ended(struct nbd_session *session)
{
    nbd_session_end(session);
}

/* ---- output ---- */

static uint32_t output_vector(const struct nbd_session *session, struct iovec *vector)
{
    if (session->output.used == 0) {
        return 0;
    }
    ASSERT(session->output_sent < session->output.used);
    vector[0] = (struct iovec){
        .iov_base = session->output.bytes + session->output_sent,
        .iov_len = session->output.used - session->output_sent,
    };
    return 1;
}

/* Adds a part of a reply, less what of it is out already. */
static void add_part(struct iovec *vector, uint32_t *count, uint8_t *bytes, size_t length,
                     size_t *sent)
{
    size_t gone = (size_t)min_u64(*sent, length);

    *sent -= gone;
    if (gone < length) {
        vector[(*count)++] = (struct iovec){.iov_base = bytes + gone, .iov_len = length - gone};
    }
}

uint32_t nbd_session_send_vector(struct nbd_session *session,
                                 struct iovec vector[NBD_SESSION_SEND_VECTOR])
{
    uint32_t count = output_vector(session, vector);
    size_t sent = session->reply_sent;

    LIST_FOR_EACH (node, &session->replies) {
        struct command *command = list_entry(node, struct command, link);
        if (count + 2 > NBD_SESSION_SEND_VECTOR) {
            break;
        }
        add_part(vector, &count, command->head, command->head_bytes, &sent);
        add_part(vector, &count, command->buffer, command->body_bytes, &sent);
    }
    return count;
}

static size_t output_sent(struct nbd_session *session, size_t byte_count)
{
    size_t part = (size_t)min_u64(byte_count, session->output.used - session->output_sent);

    session->output_sent += part;
    if (session->output.used > 0 && session->output_sent == session->output.used) {
        session->output.used = 0;
        session->output_sent = 0;
        if (session->start_pending && session->state == SESSION_HANDSHAKE) {
            nbd_handshake_over(session);
        }
    }
    return byte_count - part;
}

static void replies_sent(struct nbd_session *session, size_t byte_count)
{
    session->reply_sent += byte_count;
    while (!list_is_empty(&session->replies)) {
        struct command *command = list_entry(list_first(&session->replies), struct command, link);
        size_t reply_bytes = (size_t)command->head_bytes + command->body_bytes;
        if (session->reply_sent < reply_bytes) {
            return;
        }
        session->reply_sent -= reply_bytes;
        list_remove(&command->link);
        nbd_command_free(command);
    }
    ASSERT(session->reply_sent == 0);
}

void nbd_session_sent(struct nbd_session *session, size_t byte_count)
{
    nbd_call_begin(session);
    byte_count = output_sent(session, byte_count);
    replies_sent(session, byte_count);
    if (session->stalled) {
        nbd_input_advance(session);
        session->kick_wanted = true;
    }
    nbd_call_end(session);
}

/* ---- life ---- */

static void memory_ready(struct nbd_buffer_waiter *waiter)
{
    nbd_session_kick(container_of(waiter, struct nbd_session, waiter));
}

int nbd_session_create(const struct nbd_session_options *options, struct nbd_session **ret_session)
{
    struct nbd_session *session = calloc(1, sizeof *session);

    ASSERT(options->buffer_max_bytes >= NBD_PAYLOAD_MAX_BYTES);
    if (session == NULL) {
        return -ENOMEM;
    }
    session->options = *options;
    session->stream = malloc(NBD_STREAM_BYTES);
    session->output.bytes = malloc(NBD_HANDSHAKE_OUTPUT_BYTES);
    session->output.capacity = NBD_HANDSHAKE_OUTPUT_BYTES;
    if (session->stream == NULL || session->output.bytes == NULL) {
        free(session->stream);
        free(session->output.bytes);
        free(session);
        return -ENOMEM;
    }
    list_init(&session->free_commands);
    list_init(&session->replies);
    for (uint32_t i = 0; i < NBD_SESSION_COMMANDS; i++) {
        session->commands[i].session = session;
        list_init(&session->commands[i].link);
        list_push_tail(&session->free_commands, &session->commands[i].link);
    }
    list_init(&session->waiter.link);
    session->waiter.ready = memory_ready;
    nbd_handshake_init(&session->handshake, options->catalog, &session->output);
    if (options->tls_required) {
        session->handshake.tls = NBD_TLS_REQUIRED;
    }
    session->handshake.refusal = options->refusal;
    *ret_session = session;
    return 0;
}

struct nbd_session *nbd_session_free(struct nbd_session *session)
{
    struct list *node;

    if (session == NULL) {
        return NULL;
    }
    ASSERT(session->inflight_count == 0);
    nbd_buffer_give_up(session->options.buffers, &session->waiter);
    if (session->receiving != NULL) {
        nbd_command_free(session->receiving);
    }
    while ((node = list_pop_head(&session->replies)) != NULL) {
        nbd_command_free(list_entry(node, struct command, link));
    }
    ASSERT(session->buffer_bytes == 0);
    free(session->stream);
    free(session->output.bytes);
    free(session);
    return NULL;
}

void nbd_session_abandon(struct nbd_session *session)
{
    struct list *node;

    session->abandoned = true;
    nbd_session_end(session);
    session->output.used = 0;
    session->output_sent = 0;
    session->reply_sent = 0;
    while ((node = list_pop_head(&session->replies)) != NULL) {
        nbd_command_free(list_entry(node, struct command, link));
    }
}

void nbd_session_leave(struct nbd_session *session)
{
    session->leaving = true;
    nbd_buffer_give_up(session->options.buffers, &session->waiter);
    nbd_session_shut_down(session);
}

void nbd_session_shut_down(struct nbd_session *session)
{
    session->shutting_down = true;
    end_if_idle_in_shutdown(session);
}

bool nbd_session_is_held(const struct nbd_session *session)
{
    return session->held && session->state == SESSION_HANDSHAKE;
}

void nbd_session_catalog_changed(struct nbd_session *session)
{
    ASSERT(nbd_session_is_held(session));
    nbd_call_begin(session);
    nbd_input_advance(session);
    session->kick_wanted = true;
    nbd_call_end(session);
}

void nbd_session_wait_over(struct nbd_session *session)
{
    session->handshake.impatient = true;
    nbd_session_catalog_changed(session);
}

bool nbd_session_wants_tls(const struct nbd_session *session)
{
    return session->tls_pending && session->output.used == 0 && session->state == SESSION_HANDSHAKE;
}

void nbd_session_tls_begun(struct nbd_session *session)
{
    ASSERT(nbd_session_wants_tls(session));
    session->tls_pending = false;
    nbd_handshake_tls_begun(&session->handshake);
}

bool nbd_session_is_ending(const struct nbd_session *session)
{
    return session->state == SESSION_ENDING;
}

bool nbd_session_is_finished(const struct nbd_session *session)
{
    return session->state == SESSION_ENDING && session->inflight_count == 0 &&
           list_is_empty(&session->replies) && session->output.used == 0;
}

bool nbd_session_waits_for_memory(const struct nbd_session *session)
{
    return list_is_linked(&session->waiter.link);
}

bool nbd_session_keeps_memory(const struct nbd_session *session)
{
    return session->buffer_bytes > 0 &&
           (session->receiving != NULL || !list_is_empty(&session->replies));
}

uint32_t nbd_session_inflight_count(const struct nbd_session *session)
{
    return session->inflight_count;
}

uint64_t nbd_session_request_count(const struct nbd_session *session)
{
    return session->request_count;
}

struct vd_target *nbd_session_target(const struct nbd_session *session)
{
    return session->state == SESSION_HANDSHAKE ? NULL : session->handshake.target;
}
