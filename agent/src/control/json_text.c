/*
 * Building and reading JSON without half-made documents: see json_text.h.
 */
#include "control/json_text.h"

#include <string.h>

#include "base/assert.h"

json_t *json_new_object(void)
{
    json_t *object = json_object();

    ASSERT(object != NULL);
    return object;
}

json_t *json_new_array(void)
{
    json_t *array = json_array();

    ASSERT(array != NULL);
    return array;
}

void json_put(json_t *object, const char *name, json_t *value)
{
    ASSERT(value != NULL);
    ASSERT(json_object_set_new(object, name, value) == 0);
}

void json_append(json_t *array, json_t *value)
{
    ASSERT(value != NULL);
    ASSERT(json_array_append_new(array, value) == 0);
}

/* Length of the UTF-8 sequence at `text`, 0 if there is none that is valid. */
static size_t utf8_length(const unsigned char *text, size_t left)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t minimum;
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};

    for (size_t length = 1; length <= 4; length++) {
        if ((text[0] & forms[length - 1].mask) != forms[length - 1].lead) {
            continue;
        }
        uint32_t point = text[0] & (unsigned char)~forms[length - 1].mask;
        if (left < length) {
            return 0;
        }
        for (size_t i = 1; i < length; i++) {
            if ((text[i] & 0xC0u) != 0x80u) {
                return 0;
            }
            point = point << 6 | (text[i] & 0x3Fu);
        }
        bool surrogate = point >= 0xD800 && point <= 0xDFFF;
        return point >= forms[length - 1].minimum && point <= 0x10FFFF && !surrogate ? length : 0;
    }
    return 0;
}

static json_t *text_repaired(const char *text, size_t bytes)
{
    char *repaired = malloc(bytes * 3 + 1);
    size_t out = 0;

    ASSERT(repaired != NULL);
    for (size_t at = 0; at < bytes;) {
        size_t length = utf8_length((const unsigned char *)text + at, bytes - at);

        if (length == 0) {
            memcpy(repaired + out, "\xEF\xBF\xBD", 3);
            out += 3;
            at++;
            continue;
        }
        memcpy(repaired + out, text + at, length);
        out += length;
        at += length;
    }
    json_t *value = json_stringn(repaired, out);
    free(repaired);
    return value;
}

static json_t *text_value(const char *text)
{
    ASSERT(text != NULL);
    size_t bytes = strlen(text);
    json_t *value = json_stringn(text, bytes);

    if (value == NULL) {
        value = text_repaired(text, bytes);
    }
    ASSERT(value != NULL);
    return value;
}

void json_put_text(json_t *object, const char *name, const char *text)
{
    json_put(object, name, text_value(text));
}

void json_put_u64(json_t *object, const char *name, uint64_t value)
{
    /* JSON integers of jansson are signed; no size or time of ours reaches 2^63. */
    json_put(object, name, json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value));
}

void json_put_bool(json_t *object, const char *name, bool value)
{
    json_put(object, name, json_boolean(value));
}

void json_put_null(json_t *object, const char *name)
{
    json_put(object, name, json_null());
}

void json_put_text_or_null(json_t *object, const char *name, const char *text)
{
    if (text[0] == '\0') {
        json_put_null(object, name);
    } else {
        json_put_text(object, name, text);
    }
}

void json_append_text(json_t *array, const char *text)
{
    json_append(array, text_value(text));
}

char *json_line(const json_t *value, size_t *ret_bytes)
{
    char *line = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(6));

    ASSERT(line != NULL);
    *ret_bytes = strlen(line);
    return line;
}

const char *json_text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

bool json_u64_at(const json_t *object, const char *name, uint64_t *ret_value)
{
    const json_t *value = json_object_get(object, name);

    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        return false;
    }
    *ret_value = (uint64_t)json_integer_value(value);
    return true;
}
