/*
 * One frame of the backend. What is read holds what its kind promises.
 */
#include <string.h>

#include "base/assert.h"
#include "uplink/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void frame_check(const struct frame *frame)
{
    switch (frame->kind) {
    case FRAME_CHALLENGE:
        ASSERT(strlen(frame->challenge.nonce) >= 32);
        ASSERT(strpbrk(frame->challenge.nonce, "\r\n ") == NULL);
        ASSERT(frame_is_uuid(frame->challenge.server_id));
        break;
    case FRAME_WELCOME:
        ASSERT(frame->welcome.heartbeat_s >= 1);
        ASSERT(frame->welcome.heartbeat_s <= BOUND_WELCOME_HEARTBEAT_S_MAX);
        ASSERT(frame->welcome.reconnect_window_s <= BOUND_WELCOME_RECONNECT_WINDOW_S_MAX);
        break;
    case FRAME_ACK:
        ASSERT(!frame->ack.has_result || frame_is_uuid(frame->ack.result));
        break;
    case FRAME_COMMAND:
        ASSERT(frame_is_uuid(frame->command.command_id));
        ASSERT(frame->command.valid == (frame->command.why[0] == '\0'));
        break;
    case FRAME_QUERY:
        ASSERT(frame_is_uuid(frame->query.id));
        ASSERT(frame->query.name != NULL && json_is_object(frame->query.args));
        break;
    case FRAME_NACK:
    case FRAME_GOAWAY:
    case FRAME_OTHER:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct frame frame;
    char why[FRAME_WHY_BYTES] = "";

    if (frame_parse((const char *)data, size, &frame, why) != 0) {
        ASSERT(why[0] != '\0');
        return 0;
    }
    frame_check(&frame);
    frame_done(&frame);
    return 0;
}
