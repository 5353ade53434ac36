/*
 * A message with a code: every refusal, explanation and result. Filled with
 * reason_set(&reason, REASON_TOO_FEW_DRIVES, "level", "RAID5", "minimum", "3", …, NULL).
 */
#ifndef ARRAYWRIGHT_BASE_REASON_H
#define ARRAYWRIGHT_BASE_REASON_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/words.h"

#define REASON_PARAMS_MAX 6u
#define REASON_TEXT_MAX 400u

struct reason {
    enum reason_code code;
    uint32_t param_count;
    struct {
        char name[24];
        char value[128];
    } params[REASON_PARAMS_MAX];
};

/* Name and value pairs, ended by NULL. Too long values are cut. */
void reason_set(struct reason *reason, enum reason_code code, ...) __attribute__((sentinel));
void reason_set_list(struct reason *reason, enum reason_code code, va_list list);
/* What is in use of it, a small part of the whole. */
void reason_copy(struct reason *to, const struct reason *from);
bool reason_equal(const struct reason *a, const struct reason *b);
/* The English sentence with its parameters filled in; returns its length. */
size_t reason_text(const struct reason *reason, char *buffer, size_t capacity);

#define REASON_ERROR_TEXT_BYTES 64u

/* "input/output error, error 5" of a negative errno. */
void reason_error_text(int error, char buffer[REASON_ERROR_TEXT_BYTES]);

#endif
