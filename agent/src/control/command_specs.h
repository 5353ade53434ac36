/*
 * Which arguments each command takes, with their bounds: protocol/commands.schema.json as tables.
 * command_args.c reads by them.
 */
#ifndef ARRAYWRIGHT_CONTROL_COMMAND_SPECS_H
#define ARRAYWRIGHT_CONTROL_COMMAND_SPECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/command.h"

enum arg_kind {
    ARG_KEY,   /* object_key_t */
    ARG_KEYS,  /* low to limit entries of object_key_t[], their number at count_offset */
    ARG_TEXT,  /* char[limit + 1] */
    ARG_TEXTS, /* char[][limit + 1], their number at count_offset */
    ARG_U32,   /* uint32_t from low to limit */
    ARG_U64,   /* uint64_t from low to limit */
    ARG_BOOL,
    ARG_WORD,  /* an enumeration, through parse_word */
    ARG_LOADS  /* low to limit of a struct measurement_plan */
};

struct arg_spec {
    const char *name;
    enum arg_kind kind;
    bool required;
    size_t offset;
    uint64_t low;
    uint64_t limit;
    size_t count_offset;
    bool (*parse_word)(const char *word, void *ret_value);
    uint32_t field_bit; /* not 0: or-ed to the uint32_t at field_offset when present */
    size_t field_offset;
};

/* Of a command, up to one without a name. */
const struct arg_spec *command_specs(enum ctl_op op);

#endif
