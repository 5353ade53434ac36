/*
 * The arguments of the queries about what is there, after protocol/commands.schema.json. Those of
 * the previews are the ones of a command: see command_args.h.
 *
 * (1) Types and bounds are checked, and a field that the agent does not know is refused.
 * (2) On refusal *ret_args is not to be used and *ret_reason names field and problem.
 */
#ifndef ARRAYWRIGHT_CONTROL_QUERY_ARGS_H
#define ARRAYWRIGHT_CONTROL_QUERY_ARGS_H

#include <jansson.h>

#include "base/attrs.h"
#include "ctl/command.h"

struct query_args {
    object_key_t controller;     /* foreign, undo */
    enum object_kind kind;       /* latency, bad_blocks: a drive or a virtual drive */
    object_key_t key;
    bool after;                  /* bad_blocks: only those behind after_lba */
    uint64_t after_lba;
};

enum query_kind { QUERY_FOREIGN, QUERY_UNDO, QUERY_LATENCY, QUERY_BAD_BLOCKS, QUERY_KIND_MAX };

/* False: it is none of these. `name` may be NULL. */
bool query_kind_parse(const char *name, enum query_kind *ret_kind);
MUST_CHECK bool query_args_parse(enum query_kind kind, const json_t *args,
                                 struct query_args *ret_args, struct reason *ret_reason);

#endif
