/*
 * Reasons: filling them in and turning them into the English sentence of their template.
 */
#include "base/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

static void param_add(struct reason *reason, const char *name, const char *value)
{
    ASSERT(reason->param_count < REASON_PARAMS_MAX);
    ASSERT(strlen(name) < sizeof(reason->params[0].name));
    /* Cutting a too long value is intended; it is only shown to people. */
    (void)snprintf(reason->params[reason->param_count].name, sizeof(reason->params[0].name), "%s",
                   name);
    (void)snprintf(reason->params[reason->param_count].value, sizeof(reason->params[0].value), "%s",
                   value);
    reason->param_count++;
}

void reason_set(struct reason *reason, enum reason_code code, ...)
{
    va_list list;
    const char *name = NULL;

    ASSERT((unsigned)code < REASON_MAX);
    *reason = (struct reason){.code = code};
    va_start(list, code);
    while ((name = va_arg(list, const char *)) != NULL) {
        const char *value = va_arg(list, const char *);

        ASSERT(value != NULL);
        param_add(reason, name, value);
    }
    va_end(list);
}

static const char *param_find(const struct reason *reason, const char *name, size_t name_bytes)
{
    for (uint32_t i = 0; i < reason->param_count; i++) {
        const char *candidate = reason->params[i].name;

        if (strlen(candidate) == name_bytes && memcmp(candidate, name, name_bytes) == 0) {
            return reason->params[i].value;
        }
    }
    return "?";
}

/* Appends at most what fits, always leaves room for the end mark. */
static size_t append(char *buffer, size_t capacity, size_t used, const char *text, size_t bytes)
{
    size_t room = capacity - 1 - used;
    size_t taken = bytes < room ? bytes : room;

    ASSERT(used < capacity);
    memcpy(buffer + used, text, taken);
    buffer[used + taken] = '\0';
    return used + taken;
}

size_t reason_text(const struct reason *reason, char *buffer, size_t capacity)
{
    const char *text = reason_code_text(reason->code);
    size_t used = 0;

    ASSERT(capacity > 0);
    ASSERT(reason->param_count <= REASON_PARAMS_MAX);
    buffer[0] = '\0';
    while (*text != '\0') {
        size_t plain = strcspn(text, "{");

        used = append(buffer, capacity, used, text, plain);
        text += plain;
        if (*text == '{') {
            size_t name_bytes = strcspn(text + 1, "}");
            const char *value = param_find(reason, text + 1, name_bytes);

            ASSERT(text[1 + name_bytes] == '}'); /* the sentences are our own */
            used = append(buffer, capacity, used, value, strlen(value));
            text += 1 + name_bytes + 1;
        }
    }
    return used;
}
