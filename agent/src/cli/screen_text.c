/*
 * Texts on a terminal: see screen_text.h. jansson takes valid UTF-8 only, so every text here is.
 */
#include "cli/screen_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

/* Bytes of the character that begins here, and what it is. */
static size_t character_read(const char *text, uint32_t *ret_code)
{
    const unsigned char *in = (const unsigned char *)text;
    size_t bytes = in[0] < 0x80 ? 1 : in[0] < 0xE0 ? 2 : in[0] < 0xF0 ? 3 : 4;
    uint32_t code = bytes == 1 ? in[0] : in[0] & (0xFFu >> (bytes + 1));

    ASSERT(in[0] != 0);
    for (size_t i = 1; i < bytes; i++) {
        if ((in[i] & 0xC0u) != 0x80u) {
            bytes = i; /* cut off inside: what is there counts as one */
            break;
        }
        code = code << 6 | (in[i] & 0x3Fu);
    }
    *ret_code = code;
    return bytes;
}

static size_t code_width(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } wide[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

    if (code >= 0x300 && code <= 0x36F) {
        return 0; /* an accent over the character before */
    }
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        if (code >= wide[i].first && code <= wide[i].last) {
            return 2;
        }
    }
    return 1;
}

/* What is shown for a control character; 0: it is none. */
static char control_shown(uint32_t code)
{
    bool space = code == '\t' || code == '\n' || code == '\r';

    return code < 0x20 || (code >= 0x7F && code < 0xA0) ? (space ? ' ' : '?') : 0;
}

size_t screen_text_width(const char *text)
{
    size_t width = 0;

    while (*text != '\0') {
        uint32_t code = 0;

        text += character_read(text, &code);
        width += code_width(code);
    }
    return width;
}

/* Returns how wide it is. */
static size_t text_cut(const char *text, size_t columns, char *out)
{
    size_t width = 0;
    size_t used = 0;

    while (*text != '\0') {
        uint32_t code = 0;
        size_t bytes = character_read(text, &code);

        /* What takes no column of its own must not go beyond the room either. */
        if (width + code_width(code) > columns || used + bytes > 4 * columns) {
            break;
        }
        if (control_shown(code) != 0) {
            out[used++] = control_shown(code);
        } else {
            memcpy(out + used, text, bytes);
            used += bytes;
        }
        width += code_width(code);
        text += bytes;
    }
    out[used] = '\0';
    return width;
}

const char *screen_text_cut(const char *text, size_t columns, char *out)
{
    (void)text_cut(text, columns, out); /* nothing behind it has to be in a column */
    return out;
}

const char *screen_text_fit(const char *text, size_t columns, char *out)
{
    size_t width = text_cut(text, columns, out);
    size_t used = strlen(out);

    for (; width < columns && used < 4 * columns; width++) {
        out[used++] = ' ';
    }
    out[used] = '\0';
    return out;
}

/* The question mark is for what has no place in this text; 0: it stays. */
static char stand_in(uint32_t code, bool ascii)
{
    return control_shown(code) != 0 ? control_shown(code) : ascii && code >= 0x80 ? '?' : 0;
}

static void string_clean(json_t *value, bool ascii)
{
    char *text = strdup(json_string_value(value));
    size_t used = 0;

    for (size_t i = 0; text != NULL && text[i] != '\0';) {
        uint32_t code = 0;
        size_t bytes = character_read(text + i, &code);
        if (stand_in(code, ascii) != 0) {
            text[used++] = stand_in(code, ascii);
        } else {
            memmove(text + used, text + i, bytes);
            used += bytes;
        }
        i += bytes;
    }
    if (text != NULL) {
        text[used] = '\0';
        (void)json_string_set(value, text);
    }
    free(text);
}

static void document_clean(json_t *value, bool ascii)
{
    const char *name;
    json_t *part;
    size_t index;

    if (json_is_string(value)) {
        string_clean(value, ascii);
    } else if (json_is_object(value)) {
        json_object_foreach(value, name, part)
        {
            document_clean(part, ascii);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, index, part)
        {
            document_clean(part, ascii);
        }
    }
}

void screen_text_clean(json_t *value)
{
    document_clean(value, false);
}

void screen_text_ascii(json_t *value)
{
    document_clean(value, true);
}

/* Bytes that a character beginning with this one has; 0: none begins with it. */
static size_t character_bytes(unsigned char first)
{
    return first < 0x80                    ? 1
           : first >= 0xC2 && first < 0xE0 ? 2
           : first >= 0xE0 && first < 0xF0 ? 3
           : first >= 0xF0 && first < 0xF5 ? 4
                                           : 0;
}

char *screen_text_whole(char *text)
{
    size_t used = 0;

    for (size_t i = 0; text[i] != '\0';) {
        size_t bytes = character_bytes((unsigned char)text[i]);
        size_t have = bytes > 0 ? 1 : 0;

        while (have > 0 && have < bytes && ((unsigned char)text[i + have] & 0xC0u) == 0x80u) {
            have++;
        }
        if (bytes > 0 && have == bytes) {
            memmove(text + used, text + i, bytes);
            used += bytes;
        }
        i += have > 0 ? have : 1;
    }
    text[used] = '\0';
    return text;
}
