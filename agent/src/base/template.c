/*
 * See template.h.
 */
#include "base/template.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

const char *size_text(uint64_t bytes, char out[SIZE_TEXT_BYTES])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t unit = 0;
    int digits = 0;

    /* As soon as three digits would round up to a thousand, the next unit says it. */
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1000.0;
        unit++;
    }
    if (unit > 0) {
        digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    }
    (void)snprintf(out, SIZE_TEXT_BYTES, "%.*f %s", digits, value, units[unit]);
    ASSERT(strlen(out) + 1 < SIZE_TEXT_BYTES);
    return out;
}

size_t text_cut(const char *text, size_t bytes)
{
    size_t length = strnlen(text, bytes + 1);

    if (length <= bytes) {
        return length;
    }
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xC0u) == 0x80u) {
        bytes--;
    }
    return bytes;
}

/* Appends at most what fits, always leaves room for the end mark. */
static size_t append(char *buffer, size_t capacity, size_t used, const char *text, size_t bytes)
{
    size_t room = capacity - 1 - used;
    size_t taken = bytes <= room ? bytes : text_cut(text, room);

    ASSERT(used < capacity);
    memcpy(buffer + used, text, taken);
    buffer[used + taken] = '\0';
    return used + taken;
}

static bool is_size(const char *name, size_t name_bytes, const char *value)
{
    static const char suffix[] = "bytes";
    size_t suffix_bytes = sizeof(suffix) - 1;

    return name_bytes >= suffix_bytes &&
           memcmp(name + name_bytes - suffix_bytes, suffix, suffix_bytes) == 0 &&
           (name_bytes == suffix_bytes || name[name_bytes - suffix_bytes - 1] == '_') &&
           value[0] != '\0' && value[strspn(value, "0123456789")] == '\0';
}

size_t template_fill(const char *text, template_value_fn value_of, const void *context,
                     char *buffer, size_t capacity)
{
    char size[SIZE_TEXT_BYTES];
    size_t used = 0;

    ASSERT(capacity > 0);
    buffer[0] = '\0';
    while (*text != '\0') {
        size_t plain = strcspn(text, "{");

        used = append(buffer, capacity, used, text, plain);
        text += plain;
        if (*text == '{') {
            const char *name = text + 1;
            size_t name_bytes = strcspn(name, "}");
            const char *value = value_of(context, name, name_bytes);

            ASSERT(name[name_bytes] == '}'); /* the sentences are our own */
            value = value != NULL ? value : "?";
            if (is_size(name, name_bytes, value)) {
                value = size_text(strtoull(value, NULL, 10), size);
            }
            used = append(buffer, capacity, used, value, strlen(value));
            text = name + name_bytes + 1;
        }
    }
    return used;
}
