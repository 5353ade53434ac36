/*
 * What a client sends, step by step: the handshake's options, requests, data of writes. See
 * nbd_session.h for the invariants.
 */
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "export/nbd_session_private.h"

STATIC_ASSERT(NBD_STREAM_BYTES >= 2u * NBD_HANDSHAKE_INPUT_BYTES, "a whole option fits the stream");

static size_t stream_count(const struct nbd_session *session)
{
    ASSERT(session->stream_start <= session->stream_end);
    return session->stream_end - session->stream_start;
}

/* All data of the write has arrived. The shutdown may have begun meanwhile. */
static void receiving_done(struct nbd_session *session)
{
    struct command *command = session->receiving;

    ASSERT(command->received_bytes == command->buffer_bytes);
    session->receiving = NULL;
    if (session->leaving) {
        nbd_command_drop(command);
        return;
    }
    if (session->shutting_down) {
        nbd_reply_error(command, NBD_ESHUTDOWN, "the export is being closed");
        return;
    }
    nbd_command_submit(command, VD_OP_WRITE, (command->request.flags & NBD_CMD_FLAG_FUA) != 0);
}

static bool parse_data(struct nbd_session *session)
{
    struct command *command = session->receiving;
    size_t wanted = command->buffer_bytes - command->received_bytes;
    size_t count = (size_t)min_u64(wanted, stream_count(session));

    memcpy(command->buffer + command->received_bytes, session->stream + session->stream_start,
           count);
    session->stream_start += count;
    command->received_bytes += (uint32_t)count;
    if (count < wanted) {
        return false;
    }
    receiving_done(session);
    return true;
}

static bool parse_skip(struct nbd_session *session)
{
    size_t count = (size_t)min_u64(session->skip_bytes, stream_count(session));

    session->stream_start += count;
    session->skip_bytes -= (uint32_t)count;
    return session->skip_bytes == 0;
}

void nbd_handshake_over(struct nbd_session *session)
{
    ASSERT(session->handshake.target != NULL);
    session->start_pending = false;
    session->state = SESSION_TRANSMISSION;
}

static bool parse_handshake(struct nbd_session *session)
{
    size_t used = 0;
    enum nbd_step step;

    /* The answers to one option go out before the next is looked at. */
    if (session->output.used > 0 || session->start_pending || session->tls_pending) {
        session->stalled = true;
        return false;
    }
    step = nbd_handshake_input(&session->handshake, session->stream + session->stream_start,
                               stream_count(session), &used, &session->output);
    ASSERT(used <= stream_count(session));
    session->stream_start += used;
    switch (step) {
    case NBD_STEP_MORE:
        return false;
    case NBD_STEP_WAIT:
        session->held = true;
        return false;
    case NBD_STEP_NEXT:
        return true;
    case NBD_STEP_TLS:
        session->tls_pending = true;
        if (stream_count(session) > 0) { /* sent in clear text, to be taken for protected */
            nbd_session_end(session);
        }
        return true;
    case NBD_STEP_START:
        /* From here on the target's removal must reach this session. */
        session->start_pending = true;
        session->options.started(session->options.owner, session->handshake.target);
        if (session->output.used == 0) {
            nbd_handshake_over(session);
        }
        return true;
    case NBD_STEP_CLOSE:
        nbd_session_end(session);
        return false;
    }
    UNREACHABLE();
}

/* How much memory the command will need before it can be answered. */
static uint32_t data_need(const struct nbd_request *request, const struct nbd_verdict *verdict)
{
    bool has_data = verdict->kind == NBD_VERDICT_SUBMIT &&
                    (verdict->op == VD_OP_READ || verdict->op == VD_OP_WRITE);

    return has_data ? request->length_bytes : 0;
}

static void execute(struct nbd_session *session, const struct nbd_request *request,
                    const struct nbd_verdict *verdict)
{
    struct command *command = nbd_command_take(session, request);
    uint32_t need_bytes = data_need(request, verdict);

    session->skip_bytes = verdict->payload_bytes;
    if (need_bytes > 0) {
        nbd_command_take_buffer(command, need_bytes);
    }
    switch (verdict->kind) {
    case NBD_VERDICT_SUBMIT:
        session->skip_bytes = 0;
        if (verdict->op == VD_OP_WRITE) {
            session->receiving = command;
        } else {
            nbd_command_submit(command, verdict->op, verdict->fua);
        }
        return;
    case NBD_VERDICT_SUCCEED:
        nbd_reply_success(command);
        return;
    case NBD_VERDICT_BLOCK_STATUS:
        nbd_reply_block_status(command);
        return;
    case NBD_VERDICT_REFUSE:
        nbd_reply_error(command, verdict->error, verdict->text);
        return;
    case NBD_VERDICT_DISCONNECT:
    case NBD_VERDICT_CLOSE:
        break;
    }
    UNREACHABLE();
}

static bool parse_request(struct nbd_session *session)
{
    const struct nbd_terms terms = {
        .target = session->handshake.target,
        .structured = session->handshake.structured,
        .allocation_context = session->handshake.allocation_context,
        .shutting_down = session->shutting_down,
    };
    struct nbd_request request;
    struct nbd_verdict verdict;

    if (session->leaving || stream_count(session) < NBD_REQUEST_BYTES) {
        return false;
    }
    if (!nbd_request_decode(session->stream + session->stream_start, &request)) {
        nbd_session_end(session);
        return false;
    }
    verdict = nbd_request_judge(&request, &terms);
    if (verdict.kind == NBD_VERDICT_DISCONNECT || verdict.kind == NBD_VERDICT_CLOSE) {
        nbd_session_end(session);
        return false;
    }
    if (!nbd_command_has_room(session, data_need(&request, &verdict))) {
        session->stalled = true;
        return false;
    }
    session->stream_start += NBD_REQUEST_BYTES;
    session->request_count++;
    execute(session, &request, &verdict);
    return true;
}

/* One step of whatever comes next in the stream; false: no further step is possible now. */
static bool parse_step(struct nbd_session *session)
{
    if (session->receiving != NULL) {
        return parse_data(session);
    }
    if (session->skip_bytes > 0) {
        return parse_skip(session);
    }
    switch (session->state) {
    case SESSION_HANDSHAKE:
        return parse_handshake(session);
    case SESSION_TRANSMISSION:
        return parse_request(session);
    case SESSION_ENDING:
        return false;
    }
    UNREACHABLE();
}

void nbd_input_advance(struct nbd_session *session)
{
    session->stalled = false;
    session->held = false;
    while (session->state != SESSION_ENDING && parse_step(session)) {
    }
}

/* Unparsed bytes move to the front, so that the free room is in one piece. */
static void stream_compact(struct nbd_session *session)
{
    size_t count = stream_count(session);

    if (session->stream_start == 0) {
        return;
    }
    memmove(session->stream, session->stream + session->stream_start, count);
    session->stream_start = 0;
    session->stream_end = count;
}

uint32_t nbd_session_receive_vector(struct nbd_session *session,
                                    struct iovec vector[NBD_SESSION_RECEIVE_VECTOR])
{
    uint32_t count = 0;

    session->direct = NULL;
    if (session->stalled && !session->abandoned) { /* what was missing may be there now */
        nbd_call_begin(session);
        nbd_input_advance(session);
        nbd_call_end(session);
    }
    if (session->state == SESSION_ENDING || session->abandoned || session->stalled ||
        session->leaving) { /* leaving: nobody would take it out of the stream */
        return 0;
    }
    stream_compact(session);
    if (session->stream_end == NBD_STREAM_BYTES) {
        ASSERT(session->held); /* everything else takes what has come out of the stream */
        return 0;
    }
    /* A write's data goes straight to its place; what follows it to the stream. */
    if (session->receiving != NULL) {
        struct command *command = session->receiving;
        session->direct = command;
        ASSERT(stream_count(session) == 0);
        ASSERT(command->received_bytes < command->buffer_bytes);
        vector[count++] = (struct iovec){
            .iov_base = command->buffer + command->received_bytes,
            .iov_len = command->buffer_bytes - command->received_bytes,
        };
    }
    ASSERT(session->stream_end < NBD_STREAM_BYTES);
    vector[count++] = (struct iovec){
        .iov_base = session->stream + session->stream_end,
        .iov_len = NBD_STREAM_BYTES - session->stream_end,
    };
    return count;
}

void nbd_session_received(struct nbd_session *session, size_t byte_count)
{
    /* Not what is being received now: a session that was held may have gone on meanwhile. */
    struct command *command = session->direct;

    session->direct = NULL;
    nbd_call_begin(session);
    if (command != NULL) {
        ASSERT(command == session->receiving);
        uint32_t wanted = command->buffer_bytes - command->received_bytes;
        uint32_t direct = (uint32_t)min_u64(wanted, byte_count);
        command->received_bytes += direct;
        byte_count -= direct;
        if (direct == wanted) {
            receiving_done(session);
        }
    }
    ASSERT(byte_count <= NBD_STREAM_BYTES - session->stream_end);
    session->stream_end += byte_count;
    nbd_input_advance(session);
    session->kick_wanted = true;
    nbd_call_end(session);
}
