/*
 * Reasons: filling them in and turning them into the English sentence of their template.
 */
#include "base/reason.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/template.h"

static void param_add(struct reason *reason, const char *name, const char *value)
{
    size_t bytes = text_cut(value, sizeof(reason->params[0].value) - 1);
    size_t name_bytes = strlen(name);

    ASSERT(reason->param_count < REASON_PARAMS_MAX);
    ASSERT(name_bytes < sizeof(reason->params[0].name));
    memcpy(reason->params[reason->param_count].name, name, name_bytes + 1);
    /* Cutting a too long value is intended; it is only shown to people. */
    memcpy(reason->params[reason->param_count].value, value, bytes);
    reason->params[reason->param_count].value[bytes] = '\0';
    reason->param_count++;
}

void reason_set_list(struct reason *reason, enum reason_code code, va_list list)
{
    const char *name = NULL;

    ASSERT((unsigned)code < REASON_MAX);
    reason->code = code;
    reason->param_count = 0; /* and what is behind stays as it is */
    while ((name = va_arg(list, const char *)) != NULL) {
        const char *value = va_arg(list, const char *);

        ASSERT(value != NULL);
        param_add(reason, name, value);
    }
}

void reason_set(struct reason *reason, enum reason_code code, ...)
{
    va_list list;

    va_start(list, code);
    reason_set_list(reason, code, list);
    va_end(list);
}

void reason_copy(struct reason *to, const struct reason *from)
{
    ASSERT(from->param_count <= REASON_PARAMS_MAX);
    memcpy(to, from, offsetof(struct reason, params) + from->param_count * sizeof(from->params[0]));
}

bool reason_equal(const struct reason *a, const struct reason *b)
{
    if (a->code != b->code || a->param_count != b->param_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->param_count; i++) {
        if (strcmp(a->params[i].name, b->params[i].name) != 0 ||
            strcmp(a->params[i].value, b->params[i].value) != 0) {
            return false;
        }
    }
    return true;
}

static const char *param_find(const void *context, const char *name, size_t name_bytes)
{
    const struct reason *reason = context;

    for (uint32_t i = 0; i < reason->param_count; i++) {
        const char *candidate = reason->params[i].name;

        if (strlen(candidate) == name_bytes && memcmp(candidate, name, name_bytes) == 0) {
            return reason->params[i].value;
        }
    }
    return NULL;
}

size_t reason_text(const struct reason *reason, char *buffer, size_t capacity)
{
    ASSERT(reason->param_count <= REASON_PARAMS_MAX);
    return template_fill(reason_code_text(reason->code), param_find, reason, buffer, capacity);
}

/* The errors of storage and of the files beside it. The core has no strerror(). */
static const struct {
    int error;
    const char *words;
} error_words[] = {
    {EIO, "input/output error"},
    {ENOSPC, "no space left"},
    {EROFS, "read-only"},
    {EACCES, "permission denied"},
    {EPERM, "not permitted"},
    {ENOENT, "not found"},
    {ENOMEM, "out of memory"},
    {EBUSY, "in use"},
    {ENODEV, "no such device"},
    {ENXIO, "no such device"},
    {ETIMEDOUT, "timed out"},
    {EINVAL, "invalid argument"},
    {EDQUOT, "quota used up"},
    {EFBIG, "file too large"},
    {ENOTSUP, "not supported"},
    {EEXIST, "it exists already"},
    {EMFILE, "too many open files"},
    {ENFILE, "too many open files"},
    {EISDIR, "it is a directory"},
    {ENOTDIR, "not a directory"},
};

void reason_error_text(int error, char buffer[REASON_ERROR_TEXT_BYTES])
{
    ASSERT(error < 0);
    for (size_t i = 0; i < sizeof(error_words) / sizeof(error_words[0]); i++) {
        if (error_words[i].error == -error) {
            (void)snprintf(buffer, REASON_ERROR_TEXT_BYTES, "%s, error %d", error_words[i].words,
                           -error);
            return;
        }
    }
    (void)snprintf(buffer, REASON_ERROR_TEXT_BYTES, "error %d", -error);
}
