/*
 * Text without secrets: see redact.h.
 */
#include "cli/redact.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HIDDEN "[removed]"
#define TOKEN_MIN 8u

static const char *const secret_words[] = {"password",
                                           "passwd",
                                           "passphrase",
                                           "secret",
                                           "token",
                                           "psk",
                                           "private_key",
                                           "api_key",
                                           "apikey",
                                           "bearer",
                                           "arraywright_session",
                                           "arraywright_csrf",
                                           "arraywright_device",
                                           "x-csrf-token"};
static const char *const secret_lines[] = {"authorization", "cookie"};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Of a PEM key, up to and with its last line. */
static size_t pem_length(const char *at)
{
    if (strncmp(at, "-----BEGIN ", 11) != 0) {
        return 0;
    }
    size_t line = strcspn(at, "\r\n");
    const char *title = strstr(at, "PRIVATE KEY-----");
    if (title == NULL || title > at + line) {
        return 0;
    }
    const char *end = strstr(at, "-----END ");
    return end != NULL ? (size_t)(end - at) + strcspn(end, "\r\n") : strlen(at);
}

/* awe_…, awt_…, aws_…: what the backend gives out. */
static size_t token_length(const char *at)
{
    size_t length = 4;

    if (at[0] != 'a' || at[1] != 'w' || !islower((unsigned char)at[2]) || at[3] != '_') {
        return 0;
    }
    while (is_word(at[length])) {
        length++;
    }
    return length >= 4 + TOKEN_MIN ? length : 0;
}

/* Between a word and its value: quotes that may be escaped, blanks, and one of "=:" or a blank. */
static size_t gap_length(const char *at, bool blank_is_enough)
{
    size_t length = strspn(at, "\\\"' \t");
    size_t separator = strspn(at + length, "=:");

    if (separator == 0 && (!blank_is_enough || length == 0)) {
        return 0;
    }
    length += separator;
    return length + strspn(at + length, "\\\"' \t");
}

/* How much before the secret behind a telling word stays; 0: no such word stands here. */
static size_t key_length(const char *at, bool *ret_line)
{
    for (size_t i = 0; i < sizeof(secret_lines) / sizeof(secret_lines[0]); i++) {
        size_t length = strlen(secret_lines[i]);

        if (strncasecmp(at, secret_lines[i], length) == 0 && gap_length(at + length, false) > 0) {
            *ret_line = true;
            return length + gap_length(at + length, false);
        }
    }
    for (size_t i = 0; i < sizeof(secret_words) / sizeof(secret_words[0]); i++) {
        size_t length = strlen(secret_words[i]);
        bool option = strcmp(secret_words[i], "bearer") == 0;

        if (strncasecmp(at, secret_words[i], length) == 0 && !is_word(at[length]) &&
            gap_length(at + length, option) > 0) {
            *ret_line = false;
            return length + gap_length(at + length, option);
        }
    }
    return 0;
}

/* "://user:password@": of what follows the second colon. */
static size_t url_password_length(const char *text, const char *at)
{
    const char *back = at;

    if (at == text || at[-1] != ':') {
        return 0;
    }
    for (back = at - 1; back > text && back[-1] != '/' && !isspace((unsigned char)back[-1]);) {
        back--;
    }
    if (back < text + 3 || strncmp(back - 3, "://", 3) != 0) {
        return 0;
    }
    size_t length = strcspn(at, "@/ \t\r\n\"'");
    return at[length] == '@' ? length : 0;
}

static size_t secret_length(const char *text, const char *at)
{
    size_t length = pem_length(at);

    if (length == 0 && (at == text || !is_word(at[-1]))) {
        length = token_length(at);
    }
    return length != 0 ? length : url_password_length(text, at);
}

char *redact(const char *text)
{
    char *out = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&out, &bytes);

    if (file == NULL) {
        return NULL;
    }
    for (const char *at = text; *at != '\0';) {
        bool whole_line = false;
        size_t length = secret_length(text, at);

        if (length > 0) {
            (void)fputs(HIDDEN, file);
            at += length;
            continue;
        }
        size_t kept = key_length(at, &whole_line);
        if (kept == 0) {
            (void)fputc(*at++, file);
            continue;
        }
        (void)fwrite(at, 1, kept, file);
        at += kept;
        length = strcspn(at, whole_line ? "\r\n" : " \t\r\n\"',;}\\");
        (void)fputs(length > 0 ? HIDDEN : "", file);
        at += length;
    }
    if (fclose(file) != 0) {
        free(out);
        return NULL;
    }
    return out;
}
