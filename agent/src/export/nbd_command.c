/*
 * A session's commands: their memory and their replies. See nbd_session.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "export/nbd_session_private.h"

static void buffer_forget(struct command *command)
{
    struct nbd_session *session = command->session;
    size_t rounded_bytes = nbd_buffer_round(command->buffer_bytes);

    ASSERT(command->buffer != NULL);
    ASSERT(session->buffer_bytes >= rounded_bytes);
    session->buffer_bytes -= rounded_bytes;
    command->buffer = NULL;
}

void nbd_command_exchange_buffer(struct command *command, uint8_t *other)
{
    ASSERT(!command->buffer_is_own);
    buffer_forget(command);
    command->buffer = other;
    command->buffer_is_own = other != NULL;
}

void nbd_command_free(struct command *command)
{
    struct nbd_session *session = command->session;

    ASSERT(command->state != COMMAND_FREE);
    ASSERT(command->state != COMMAND_SUBMITTED);
    if (command->buffer_is_own) {
        free(command->buffer);
        command->buffer = NULL;
        command->buffer_is_own = false;
    } else if (command->buffer != NULL) {
        nbd_buffer_give(session->options.buffers, command->buffer, command->buffer_bytes);
        buffer_forget(command);
    }
    command->state = COMMAND_FREE;
    list_push_head(&session->free_commands, &command->link);
}

bool nbd_command_has_room(struct nbd_session *session, uint32_t data_bytes)
{
    if (list_is_empty(&session->free_commands)) {
        return false;
    }
    if (data_bytes == 0) {
        nbd_buffer_give_up(session->options.buffers, &session->waiter);
        return true;
    }
    return session->buffer_bytes + nbd_buffer_round(data_bytes) <=
               session->options.buffer_max_bytes &&
           nbd_buffer_ask(session->options.buffers, data_bytes, &session->waiter);
}

struct command *nbd_command_take(struct nbd_session *session, const struct nbd_request *request)
{
    struct command *command =
        list_entry(list_pop_head(&session->free_commands), struct command, link);

    ASSERT(command->state == COMMAND_FREE);
    ASSERT(command->buffer == NULL);
    command->request = *request;
    command->received_bytes = 0;
    command->head_bytes = 0;
    command->body_bytes = 0;
    command->state = COMMAND_RECEIVING;
    return command;
}

void nbd_command_take_buffer(struct command *command, uint32_t data_bytes)
{
    struct nbd_session *session = command->session;

    command->buffer = nbd_buffer_take(session->options.buffers, data_bytes);
    command->buffer_bytes = data_bytes;
    session->buffer_bytes += nbd_buffer_round(data_bytes);
    ASSERT(session->buffer_bytes <= session->options.buffer_max_bytes);
}

/* ---- replies ---- */

static void reply_queue(struct command *command)
{
    struct nbd_session *session = command->session;

    ASSERT(command->state != COMMAND_FREE);
    ASSERT(command->head_bytes <= NBD_HEAD_MAX_BYTES);
    command->state = COMMAND_REPLYING;
    if (session->abandoned) {
        nbd_command_free(command);
    } else {
        list_push_tail(&session->replies, &command->link);
    }
    nbd_session_kick(session);
}

static void put_simple_head(struct command *command, enum nbd_error error)
{
    put_be32(command->head, NBD_SIMPLE_REPLY_MAGIC);
    put_be32(command->head + 4, (uint32_t)error);
    put_be64(command->head + 8, command->request.cookie);
    command->head_bytes = NBD_SIMPLE_REPLY_BYTES;
}

/* One chunk, which is always the last; length counts what follows the chunk's header. */
static void put_chunk_head(struct command *command, uint16_t type, uint32_t length_bytes)
{
    put_be32(command->head, NBD_STRUCTURED_REPLY_MAGIC);
    put_be16(command->head + 4, NBD_REPLY_FLAG_DONE);
    put_be16(command->head + 6, type);
    put_be64(command->head + 8, command->request.cookie);
    put_be32(command->head + 16, length_bytes);
    command->head_bytes = NBD_STRUCTURED_REPLY_BYTES;
}

void nbd_reply_error(struct command *command, enum nbd_error error, const char *text)
{
    size_t text_bytes = min_u64(strlen(text), NBD_HEAD_MAX_BYTES - NBD_STRUCTURED_REPLY_BYTES - 6);
    uint8_t *payload = command->head + NBD_STRUCTURED_REPLY_BYTES;

    ASSERT(error != NBD_OK);
    command->body_bytes = 0;
    if (!command->session->handshake.structured) {
        put_simple_head(command, error);
    } else {
        put_chunk_head(command, NBD_REPLY_TYPE_ERROR, (uint32_t)(6 + text_bytes));
        put_be32(payload, (uint32_t)error);
        put_be16(payload + 4, (uint16_t)text_bytes);
        memcpy(payload + 6, text, text_bytes);
        command->head_bytes += 6 + (uint32_t)text_bytes;
    }
    reply_queue(command);
}

void nbd_reply_success(struct command *command)
{
    bool is_read = command->request.type == NBD_CMD_READ;

    if (is_read && command->session->handshake.structured) {
        put_chunk_head(command, NBD_REPLY_TYPE_OFFSET_DATA, 8 + command->request.length_bytes);
        put_be64(command->head + NBD_STRUCTURED_REPLY_BYTES, command->request.offset_bytes);
        command->head_bytes += 8;
    } else {
        put_simple_head(command, NBD_OK);
    }
    command->body_bytes = is_read ? command->request.length_bytes : 0;
    reply_queue(command);
}

/* One extent over the whole range: allocated, not zero as far as we know. */
void nbd_reply_block_status(struct command *command)
{
    uint8_t *payload = command->head + NBD_STRUCTURED_REPLY_BYTES;

    put_chunk_head(command, NBD_REPLY_TYPE_BLOCK_STATUS, 12);
    put_be32(payload, NBD_CONTEXT_ID);
    put_be32(payload + 4, command->request.length_bytes);
    put_be32(payload + 8, 0);
    command->head_bytes += 12;
    reply_queue(command);
}
