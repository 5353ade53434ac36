/*
 * Building what an NBD client says and taking apart what it hears, for the tests of the
 * handshake and the session.
 */
#ifndef ARRAYWRIGHT_TESTS_NBD_TALK_H
#define ARRAYWRIGHT_TESTS_NBD_TALK_H

#include "aw_test.h"

#include <string.h>

#include "base/bytes.h"
#include "export/nbd_handshake.h"
#include "export/nbd_wire.h"

struct talk {
    uint8_t *bytes;
    size_t capacity;
    size_t used;
};

UNUSED static uint8_t *talk_take(struct talk *talk, size_t count)
{
    uint8_t *place;

    if (talk->used + count > talk->capacity) {
        talk->capacity = (talk->used + count) * 2;
        talk->bytes = realloc(talk->bytes, talk->capacity);
        assert_non_null(talk->bytes);
    }
    place = talk->bytes + talk->used;
    talk->used += count;
    return place;
}

UNUSED static void talk_free(struct talk *talk)
{
    free(talk->bytes);
    *talk = (struct talk){0};
}

UNUSED static void talk_bytes(struct talk *talk, const void *bytes, size_t count)
{
    if (count > 0) {
        memcpy(talk_take(talk, count), bytes, count);
    }
}

UNUSED static void talk_flags(struct talk *talk, uint32_t flags)
{
    put_be32(talk_take(talk, 4), flags);
}

UNUSED static void talk_option(struct talk *talk, uint32_t option, const void *data,
                               uint32_t data_bytes)
{
    uint8_t *header = talk_take(talk, 16);

    put_be64(header, NBD_OPTION_MAGIC);
    put_be32(header + 8, option);
    put_be32(header + 12, data_bytes);
    talk_bytes(talk, data, data_bytes);
}

/* INFO or GO asking for name and description. */
UNUSED static void talk_go(struct talk *talk, uint32_t option, const char *name)
{
    uint8_t data[4 + NBD_STRING_MAX_BYTES + 6];
    uint32_t length = (uint32_t)strlen(name);

    put_be32(data, length);
    memcpy(data + 4, name, length);
    put_be16(data + 4 + length, 2);
    put_be16(data + 6 + length, NBD_INFO_NAME);
    put_be16(data + 8 + length, NBD_INFO_DESCRIPTION);
    talk_option(talk, option, data, 10 + length);
}

/* LIST or SET of metadata contexts with one query, or none if it is NULL. */
UNUSED static void talk_context(struct talk *talk, uint32_t option, const char *name,
                                const char *query)
{
    struct talk data = {0};

    put_be32(talk_take(&data, 4), (uint32_t)strlen(name));
    talk_bytes(&data, name, strlen(name));
    put_be32(talk_take(&data, 4), query == NULL ? 0 : 1);
    if (query != NULL) {
        put_be32(talk_take(&data, 4), (uint32_t)strlen(query));
        talk_bytes(&data, query, strlen(query));
    }
    talk_option(talk, option, data.bytes, (uint32_t)data.used);
    talk_free(&data);
}

UNUSED static void talk_request(struct talk *talk, uint16_t type, uint16_t flags, uint64_t cookie,
                                uint64_t offset_bytes, uint32_t length_bytes)
{
    uint8_t *request = talk_take(talk, NBD_REQUEST_BYTES);

    put_be32(request, NBD_REQUEST_MAGIC);
    put_be16(request + 4, flags);
    put_be16(request + 6, type);
    put_be64(request + 8, cookie);
    put_be64(request + 16, offset_bytes);
    put_be32(request + 24, length_bytes);
}

/* One reply to an option, at the front of what was heard. */
struct heard_option {
    uint32_t option;
    uint32_t type;
    const uint8_t *data;
    uint32_t data_bytes;
};

/* Takes one option reply off; fails the test if there is none or it is malformed. */
UNUSED static struct heard_option hear_option(const uint8_t **bytes, size_t *left)
{
    struct heard_option heard;

    assert_true(*left >= 20);
    assert_true(get_be64(*bytes) == NBD_OPTION_REPLY_MAGIC);
    heard.option = get_be32(*bytes + 8);
    heard.type = get_be32(*bytes + 12);
    heard.data_bytes = get_be32(*bytes + 16);
    heard.data = *bytes + 20;
    assert_true(heard.data_bytes <= *left - 20);
    *bytes += 20 + heard.data_bytes;
    *left -= 20 + heard.data_bytes;
    return heard;
}

#endif
