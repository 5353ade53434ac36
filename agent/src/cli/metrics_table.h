/*
 * The metrics that are fields of documents, and those that only name things (metrics.c).
 */
#ifndef ARRAYWRIGHT_CLI_METRICS_TABLE_H
#define ARRAYWRIGHT_CLI_METRICS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/words.h"

struct metric {
    const char *name; /* behind "arraywright_" */
    const char *help;
    enum object_kind kind;
    const char *inner; /* the field is in this object of the document; NULL: in itself */
    const char *field; /* a number or a truth; with a state_word a word */
    double divisor;    /* to get base units; 0: it has them */
    bool counter;      /* it only grows until arrayd starts again */
    unsigned state_count;
    const char *(*state_word)(unsigned state);
};

extern const struct metric metrics_table[];
extern const size_t metrics_table_count;

/* A series of the value 1 whose labels say what a person calls the thing, and may change. */
struct metric_info {
    const char *name;
    const char *help;
    enum object_kind kind;
    const char *labels[12][2]; /* the label and the field */
};

extern const struct metric_info metrics_info[];
extern const size_t metrics_info_count;

#endif
