/*
 * The word of a table that is most like what was typed, for "did you mean".
 */
#ifndef ARRAYWRIGHT_CLI_SUGGEST_H
#define ARRAYWRIGHT_CLI_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SUGGESTION_BYTES 80u

struct suggestion {
    const char *typed;
    size_t typed_length; /* without "=value" */
    unsigned distance;   /* nothing as far away as this is suggested */
    const char *word;    /* NULL: none is like it */
    size_t length;
};

void suggestion_begin(struct suggestion *suggestion, const char *typed);
/* Words of a table: "a|b=" or "a b=". */
void suggestion_consider(struct suggestion *suggestion, const char *words);
/* " (did you mean \"show\"?)", or "". Returns out. */
const char *suggestion_text(const struct suggestion *suggestion, char out[SUGGESTION_BYTES]);

#endif
