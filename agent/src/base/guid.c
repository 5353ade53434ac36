/*
 * Text forms of UUIDs and GUIDs. Parsing accepts one spelling only, apart from the case.
 */
#include "base/guid.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"

/* Where the hyphens stand in the text form of a UUID. */
static bool uuid_is_hyphen_place(size_t index)
{
    return index == 8 || index == 13 || index == 18 || index == 23;
}

static char hex_digit(unsigned int value)
{
    ASSERT(value < 16);
    return "0123456789abcdef"[value];
}

/* The value of a hexadecimal digit, or -1. */
static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    if (digit >= 'a' && digit <= 'f') {
        return digit - 'a' + 10;
    }
    if (digit >= 'A' && digit <= 'F') {
        return digit - 'A' + 10;
    }
    return -1;
}

/* Two digits to one byte. Stops at the first bad one, so a short text is not overrun. */
static bool hex_byte(const char *text, uint8_t *ret_byte)
{
    int high = hex_value(text[0]);
    int low = high < 0 ? -1 : hex_value(text[1]);

    if (low < 0) {
        return false;
    }
    *ret_byte = (uint8_t)(high * 16 + low);
    return true;
}

void uuid_format(const struct uuid *uuid, char out[UUID_TEXT_BYTES])
{
    size_t at = 0;

    for (size_t i = 0; i < sizeof(uuid->bytes); i++) {
        if (uuid_is_hyphen_place(at)) {
            out[at++] = '-';
        }
        out[at++] = hex_digit(uuid->bytes[i] >> 4);
        out[at++] = hex_digit(uuid->bytes[i] & 15u);
    }
    ASSERT(at == UUID_TEXT_BYTES - 1);
    out[at] = '\0';
}

int uuid_parse(const char *text, struct uuid *ret_uuid)
{
    struct uuid uuid = {{0}};
    size_t at = 0;

    ASSERT(text != NULL);
    for (size_t i = 0; i < sizeof(uuid.bytes); i++) {
        if (uuid_is_hyphen_place(at) && text[at++] != '-') {
            return -EINVAL;
        }
        if (!hex_byte(text + at, &uuid.bytes[i])) {
            return -EINVAL;
        }
        at += 2;
    }
    if (text[at] != '\0') {
        return -EINVAL;
    }
    ASSERT(at == UUID_TEXT_BYTES - 1);
    *ret_uuid = uuid;
    return 0;
}

bool uuid_is_zero(const struct uuid *uuid)
{
    static const struct uuid zero = {{0}};

    return uuid_equal(uuid, &zero);
}

bool uuid_equal(const struct uuid *a, const struct uuid *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

struct uuid uuid_make(struct rng *rng)
{
    struct uuid uuid = {{0}};

    rng_fill(rng, uuid.bytes, sizeof(uuid.bytes));
    uuid.bytes[6] = (uint8_t)((uuid.bytes[6] & 0x0Fu) | 0x40u);
    uuid.bytes[8] = (uint8_t)((uuid.bytes[8] & 0x3Fu) | 0x80u);
    ASSERT(!uuid_is_zero(&uuid));
    return uuid;
}

void guid_format(const struct guid *guid, char out[GUID_TEXT_BYTES])
{
    for (size_t i = 0; i < sizeof(guid->bytes); i++) {
        out[2 * i] = hex_digit(guid->bytes[i] >> 4);
        out[2 * i + 1] = hex_digit(guid->bytes[i] & 15u);
    }
    out[GUID_TEXT_BYTES - 1] = '\0';
}

int guid_parse(const char *text, struct guid *ret_guid)
{
    struct guid guid = {{0}};

    ASSERT(text != NULL);
    for (size_t i = 0; i < sizeof(guid.bytes); i++) {
        if (!hex_byte(text + 2 * i, &guid.bytes[i])) {
            return -EINVAL;
        }
    }
    if (text[GUID_TEXT_BYTES - 1] != '\0') {
        return -EINVAL;
    }
    *ret_guid = guid;
    return 0;
}

bool guid_is_zero(const struct guid *guid)
{
    static const struct guid zero = {{0}};

    return guid_equal(guid, &zero);
}

bool guid_equal(const struct guid *a, const struct guid *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}
