/*
 * Event encoding; the layout is in event_record.h.
 */
#include "host/event_record.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"

#define FIXED_BYTES 32u
#define STRING_LENGTH_BYTES 2u

/* Everything at its longest: the fixed part, three strings, six pairs of strings. */
STATIC_ASSERT(EVENT_RECORD_HEADER_BYTES + FIXED_BYTES + 3u * STRING_LENGTH_BYTES + 24u +
                      EVENT_KEY_MAX + 1u + EVENT_TEXT_MAX +
                      EVENT_PARAM_MAX * (2u * STRING_LENGTH_BYTES + 24u + EVENT_VALUE_MAX) <=
                  EVENT_RECORD_MAX_BYTES,
              "the longest event fits");

struct reader {
    const uint8_t *bytes;
    size_t left;
};

static size_t put_string(uint8_t *bytes, const char *text, size_t text_bytes)
{
    size_t length = strnlen(text, text_bytes);

    put_le16(bytes, (uint16_t)length);
    memcpy(bytes + STRING_LENGTH_BYTES, text, length);
    return STRING_LENGTH_BYTES + length;
}

size_t event_record_encode(const struct event *event, uint8_t bytes[EVENT_RECORD_MAX_BYTES])
{
    uint8_t *payload = bytes + EVENT_RECORD_HEADER_BYTES;
    size_t length = FIXED_BYTES;

    ASSERT(event->param_count <= EVENT_PARAM_MAX);
    put_le64(payload, event->seq);
    put_le64(payload + 8, event->wall_us);
    put_le64(payload + 16, event->monotonic_us);
    put_le32(payload + 24, event->code);
    put_le16(payload + 28, event->locale);
    payload[30] = (uint8_t)event->class_;
    payload[31] = (uint8_t)event->param_count;
    length += put_string(payload + length, event->object_kind, sizeof event->object_kind);
    length += put_string(payload + length, event->object_key, sizeof event->object_key);
    length += put_string(payload + length, event->text, sizeof event->text);
    for (uint32_t i = 0; i < event->param_count; i++) {
        const struct event_param *param = &event->params[i];
        length += put_string(payload + length, param->name, sizeof param->name);
        length += put_string(payload + length, param->value, sizeof param->value);
    }
    ASSERT(length <= EVENT_RECORD_MAX_BYTES - EVENT_RECORD_HEADER_BYTES);
    put_le32(bytes, (uint32_t)length);
    put_le32(bytes + 4, crc32c(0, payload, length));
    return EVENT_RECORD_HEADER_BYTES + length;
}

static bool take_string(struct reader *reader, char *text, size_t text_bytes)
{
    size_t length;

    if (reader->left < STRING_LENGTH_BYTES) {
        return false;
    }
    length = get_le16(reader->bytes);
    if (length >= text_bytes || length > reader->left - STRING_LENGTH_BYTES) {
        return false;
    }
    memcpy(text, reader->bytes + STRING_LENGTH_BYTES, length);
    memset(text + length, 0, text_bytes - length);
    reader->bytes += STRING_LENGTH_BYTES + length;
    reader->left -= STRING_LENGTH_BYTES + length;
    return true;
}

static bool take_strings(struct reader *reader, struct event *event)
{
    if (!take_string(reader, event->object_kind, sizeof event->object_kind) ||
        !take_string(reader, event->object_key, sizeof event->object_key) ||
        !take_string(reader, event->text, sizeof event->text)) {
        return false;
    }
    for (uint32_t i = 0; i < event->param_count; i++) {
        struct event_param *param = &event->params[i];
        if (!take_string(reader, param->name, sizeof param->name) ||
            !take_string(reader, param->value, sizeof param->value)) {
            return false;
        }
    }
    return reader->left == 0;
}

static int decode_payload(const uint8_t *payload, size_t length, struct event *event)
{
    struct reader reader = {.bytes = payload + FIXED_BYTES, .left = length - FIXED_BYTES};
    int class_ = (int8_t)payload[30];
    struct event decoded = {
        .seq = get_le64(payload),
        .wall_us = get_le64(payload + 8),
        .monotonic_us = get_le64(payload + 16),
        .code = get_le32(payload + 24),
        .locale = get_le16(payload + 28),
        .param_count = payload[31],
    };

    ASSERT(length >= FIXED_BYTES);
    if (class_ < (int)EVENT_CLASS_DEBUG || class_ > (int)EVENT_CLASS_FATAL) {
        return -EBADMSG;
    }
    decoded.class_ = (enum event_class)class_;
    if (decoded.param_count > EVENT_PARAM_MAX || decoded.seq == 0) {
        return -EBADMSG;
    }
    if (!take_strings(&reader, &decoded)) {
        return -EBADMSG;
    }
    *event = decoded;
    return 0;
}

int event_record_decode(const uint8_t *bytes, size_t byte_count, struct event *event,
                        size_t *ret_bytes)
{
    size_t length;
    int error;

    if (byte_count < EVENT_RECORD_HEADER_BYTES) {
        return -ENODATA;
    }
    length = get_le32(bytes);
    if (length < FIXED_BYTES || length > EVENT_RECORD_MAX_BYTES - EVENT_RECORD_HEADER_BYTES) {
        return -EBADMSG;
    }
    if (length > byte_count - EVENT_RECORD_HEADER_BYTES) {
        return -ENODATA;
    }
    if (crc32c(0, bytes + EVENT_RECORD_HEADER_BYTES, length) != get_le32(bytes + 4)) {
        return -EBADMSG;
    }
    error = decode_payload(bytes + EVENT_RECORD_HEADER_BYTES, length, event);
    if (error != 0) {
        return error;
    }
    *ret_bytes = EVENT_RECORD_HEADER_BYTES + length;
    return 0;
}
