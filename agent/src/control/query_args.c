/*
 * What may be asked about, and how far: see query_args.h.
 */
#include "control/query_args.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bounds.h"
#include "control/command_args.h"
#include "control/json_text.h"

#define ARGS_MAX 3u

static const struct {
    const char *name;
    const char *args[ARGS_MAX];
} queries[QUERY_KIND_MAX] = {
    [QUERY_FOREIGN] = {"foreign", {"controller"}},
    [QUERY_UNDO] = {"undo", {"controller"}},
    [QUERY_LATENCY] = {"latency", {"kind", "key"}},
    [QUERY_BAD_BLOCKS] = {"bad_blocks", {"kind", "key", "after_lba"}},
};

bool query_kind_parse(const char *name, enum query_kind *ret_kind)
{
    for (unsigned i = 0; name != NULL && i < QUERY_KIND_MAX; i++) {
        if (strcmp(queries[i].name, name) == 0) {
            *ret_kind = (enum query_kind)i;
            return true;
        }
    }
    return false;
}

static bool refuse(struct reason *ret_reason, const char *field, const char *problem)
{
    reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", field, "problem", problem, NULL);
    return false;
}

static bool takes(enum query_kind kind, const char *name)
{
    for (unsigned i = 0; i < ARGS_MAX && queries[kind].args[i] != NULL; i++) {
        if (strcmp(queries[kind].args[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool key_take(const json_t *args, const char *name, object_key_t out,
                     struct reason *ret_reason)
{
    const char *key = json_text_at(args, name);

    if (key == NULL || !object_key_is_valid(key)) {
        return refuse(ret_reason, name, "must be the key of an object");
    }
    (void)snprintf(out, sizeof(object_key_t), "%s", key);
    return true;
}

static bool kind_take(const json_t *args, enum object_kind *ret_kind, struct reason *ret_reason)
{
    const char *word = json_text_at(args, "kind");

    if (word == NULL || !object_kind_parse(word, ret_kind) ||
        (*ret_kind != OBJECT_KIND_DRIVE && *ret_kind != OBJECT_KIND_VIRTUAL_DRIVE)) {
        return refuse(ret_reason, "kind", "must be drive or virtual_drive");
    }
    return true;
}

static bool after_take(const json_t *args, struct query_args *ret_args, struct reason *ret_reason)
{
    ret_args->after = json_object_get(args, "after_lba") != NULL;
    if (ret_args->after && (!json_u64_at(args, "after_lba", &ret_args->after_lba) ||
                            ret_args->after_lba > BOUND_INTEGER_MAX)) {
        return refuse(ret_reason, "after_lba", "must be the number of a block");
    }
    return true;
}

bool query_args_parse(enum query_kind kind, const json_t *args, struct query_args *ret_args,
                      struct reason *ret_reason)
{
    const char *name = NULL;
    json_t *value = NULL;

    ASSERT(kind < QUERY_KIND_MAX);
    *ret_args = (struct query_args){.kind = OBJECT_KIND_MAX};
    if (!json_is_object(args)) {
        return refuse(ret_reason, "args", "must be an object");
    }
    json_object_foreach((json_t *)(uintptr_t)args, name, value)
    {
        if (!takes(kind, name)) {
            return refuse(ret_reason, name, "is not an argument this agent knows");
        }
    }
    if (takes(kind, "controller")) {
        return key_take(args, "controller", ret_args->controller, ret_reason);
    }
    return kind_take(args, &ret_args->kind, ret_reason) &&
           key_take(args, "key", ret_args->key, ret_reason) &&
           after_take(args, ret_args, ret_reason);
}
