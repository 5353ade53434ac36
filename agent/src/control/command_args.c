/*
 * Command arguments, table driven: see command_args.h.
 */
#include "control/command_args.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bounds.h"
#include "control/command_specs.h"
#include "control/measurement_json.h"
#include "control/object_doc.h"

bool object_key_is_valid(const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || length > OBJECT_KEY_MAX) {
        return false;
    }
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") ==
           length;
}

/* Problems of which the bound is told as well. */
static const char TOO_LONG[] = "is too long";
static const char TOO_LARGE[] = "is too large";
static const char TOO_SMALL[] = "is too small";

/* NULL, or the problem. */
static const char *text_take(const json_t *value, char *out, size_t max)
{
    if (!json_is_string(value)) {
        return "must be a text";
    }
    if (strlen(json_string_value(value)) != json_string_length(value)) {
        return "must not hold a zero byte";
    }
    if (json_string_length(value) > max) {
        return TOO_LONG;
    }
    memcpy(out, json_string_value(value), json_string_length(value) + 1);
    return NULL;
}

static const char *key_take(const json_t *value, char *out)
{
    if (!json_is_string(value)) {
        return "must be the key of an object";
    }
    if (strlen(json_string_value(value)) != json_string_length(value) ||
        !object_key_is_valid(json_string_value(value))) {
        return "is not the key of an object";
    }
    memcpy(out, json_string_value(value), json_string_length(value) + 1);
    return NULL;
}

static const char *number_take(const json_t *value, uint64_t low, uint64_t limit,
                               uint64_t *ret_number)
{
    if (!json_is_integer(value)) {
        return "must be a whole number";
    }
    if (json_integer_value(value) < 0) {
        return "must not be negative";
    }
    if ((uint64_t)json_integer_value(value) > limit) {
        return TOO_LARGE;
    }
    if ((uint64_t)json_integer_value(value) < low) {
        return TOO_SMALL;
    }
    *ret_number = (uint64_t)json_integer_value(value);
    return NULL;
}

/* A list of keys or of texts; every entry occupies entry_bytes. */
static const char *list_take(const json_t *value, const struct arg_spec *spec, char *command)
{
    bool keys = spec->kind == ARG_KEYS;
    size_t max_count = keys ? (size_t)spec->limit : BOUND_VD_CREATE_SERIALS_MAX;
    size_t entry_bytes = keys ? sizeof(object_key_t) : (size_t)spec->limit + 1;
    const char *problem = NULL;
    size_t index;
    const json_t *entry;

    if (!json_is_array(value)) {
        return "must be a list";
    }
    if (json_array_size(value) > max_count) {
        return "has too many entries";
    }
    if (json_array_size(value) < spec->low) {
        return "has too few entries";
    }
    json_array_foreach(value, index, entry)
    {
        char *out = command + spec->offset + index * entry_bytes;

        problem = keys ? key_take(entry, out) : text_take(entry, out, (size_t)spec->limit);
        if (problem != NULL) {
            return problem;
        }
    }
    *(uint32_t *)(void *)(command + spec->count_offset) = (uint32_t)json_array_size(value);
    return NULL;
}

static const char *arg_take(const json_t *value, const struct arg_spec *spec, char *command)
{
    void *out = command + spec->offset;
    uint64_t number = 0;
    const char *problem = NULL;

    switch (spec->kind) {
    case ARG_KEY:
        return key_take(value, out);
    case ARG_KEYS:
    case ARG_TEXTS:
        return list_take(value, spec, command);
    case ARG_TEXT:
        return text_take(value, out, (size_t)spec->limit);
    case ARG_U32:
        problem = number_take(value, spec->low, spec->limit, &number);
        if (problem == NULL) {
            *(uint32_t *)out = (uint32_t)number;
        }
        return problem;
    case ARG_U64:
        problem = number_take(value, spec->low, spec->limit, &number);
        if (problem == NULL) {
            *(uint64_t *)out = number;
        }
        return problem;
    case ARG_BOOL:
        if (!json_is_boolean(value)) {
            return "must be true or false";
        }
        *(bool *)out = json_is_true(value);
        return NULL;
    case ARG_WORD:
        if (!json_is_string(value)) {
            return "must be a word";
        }
        return spec->parse_word(json_string_value(value), out)
                   ? NULL
                   : "is a word this agent does not know";
    case ARG_LOADS:
        return measurement_loads_take(value, out);
    }
    UNREACHABLE();
}

static const struct arg_spec *spec_find(const struct arg_spec *specs, const char *name)
{
    for (; specs->name != NULL; specs++) {
        if (strcmp(specs->name, name) == 0) {
            return specs;
        }
    }
    return NULL;
}

static bool refuse(struct reason *ret_reason, const char *field, const char *problem)
{
    reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", field, "problem", problem, NULL);
    return false;
}

static bool refuse_value(struct reason *ret_reason, const struct arg_spec *spec,
                         const char *problem)
{
    char told[64];

    if (problem != TOO_LONG && problem != TOO_LARGE && problem != TOO_SMALL) {
        return refuse(ret_reason, spec->name, problem);
    }
    (void)snprintf(told, sizeof(told), "%s (at %s %llu%s)", problem,
                   problem == TOO_SMALL ? "least" : "most",
                   (unsigned long long)(problem == TOO_SMALL ? spec->low : spec->limit),
                   problem == TOO_LONG ? " bytes" : "");
    return refuse(ret_reason, spec->name, told);
}

static bool args_take(const json_t *args, const struct arg_spec *specs, struct ctl_command *command,
                      struct reason *ret_reason)
{
    const char *name;
    json_t *value;

    if (!json_is_object(args)) {
        return refuse(ret_reason, "args", "must be an object");
    }
    json_object_foreach((json_t *)(uintptr_t)args, name, value)
    {
        const struct arg_spec *spec = spec_find(specs, name);
        const char *problem = NULL;

        if (spec == NULL) {
            return refuse(ret_reason, name, "is not an argument this agent knows");
        }
        problem = arg_take(value, spec, (char *)command);
        if (problem != NULL) {
            return refuse_value(ret_reason, spec, problem);
        }
        if (spec->field_bit != 0) {
            *(uint32_t *)(void *)((char *)command + spec->field_offset) |= spec->field_bit;
        }
    }
    for (; specs->name != NULL; specs++) {
        if (specs->required && json_object_get(args, specs->name) == NULL) {
            return refuse(ret_reason, specs->name, "is missing");
        }
    }
    return true;
}

/* What only some faults need; their bounds are the controller's to know. */
static bool fault_has_its_numbers(const json_t *args, enum fault_kind fault,
                                  struct reason *ret_reason)
{
    if (fault == FAULT_KIND_MEDIA_ERROR && json_object_get(args, "count") == NULL) {
        return refuse(ret_reason, "count", "is missing");
    }
    if (fault == FAULT_KIND_SLOW && json_object_get(args, "latency_ms") == NULL) {
        return refuse(ret_reason, "latency_ms", "is missing");
    }
    return true;
}

/* What a single argument cannot tell. */
static bool args_agree(const json_t *args, const struct ctl_command *command,
                       struct reason *ret_reason)
{
    const struct command_vd_create *create = &command->args.vd_create;

    switch (command->op) {
    case CTL_OP_VD_CREATE:
        if ((create->drive_count == 0) == (create->drive_group[0] == '\0')) {
            return refuse(ret_reason, "drives",
                          "either drives or a drive group must be given, not both");
        }
        return true;
    case CTL_OP_VD_SET:
        return command->args.vd_set.fields != 0 ||
               refuse(ret_reason, "args", "nothing to set is given");
    case CTL_OP_CONTROLLER_SET:
        return command->args.controller_set.fields != 0 ||
               refuse(ret_reason, "args", "nothing to set is given");
    case CTL_OP_BATTERY_SET:
        return command->args.battery_set.fields != 0 ||
               refuse(ret_reason, "args", "nothing to set is given");
    case CTL_OP_VD_MEASURE:
        return command->args.vd_measure.action != TASK_ACTION_START ||
               (command->args.vd_measure.plan.load_count > 0 &&
                command->args.vd_measure.plan.seconds > 0) ||
               refuse(ret_reason, "args", "must have seconds and loads");
    case CTL_OP_DRIVE_ERASE:
        return command->args.drive_erase.action == TASK_ACTION_START ||
               command->args.drive_erase.action == TASK_ACTION_STOP ||
               refuse(ret_reason, "action", "must be start or stop");
    case CTL_OP_CONSISTENCY_CHECK:
        return !command->args.check.correct || command->args.check.action == TASK_ACTION_START ||
               refuse(ret_reason, "correct", "only a start can be told so");
    case CTL_OP_FAULT_INJECT:
        return fault_has_its_numbers(args, command->args.fault_inject.fault, ret_reason);
    case CTL_OP_VD_DELETE:
    case CTL_OP_SPARE_ADD:
    case CTL_OP_SPARE_REMOVE:
    case CTL_OP_REBUILD:
    case CTL_OP_COPYBACK:
    case CTL_OP_BGI:
    case CTL_OP_PATROL_READ:
    case CTL_OP_DRIVE_REPLACE:
    case CTL_OP_DRIVE_OFFLINE:
    case CTL_OP_DRIVE_ONLINE:
    case CTL_OP_DRIVE_MISSING:
    case CTL_OP_DRIVE_JBOD:
    case CTL_OP_DRIVE_GOOD:
    case CTL_OP_DRIVE_LOCATE:
    case CTL_OP_DRIVE_SPINDOWN:
    case CTL_OP_DRIVE_SPINUP:
    case CTL_OP_BATTERY_LEARN:
    case CTL_OP_BATTERY_FAULT:
    case CTL_OP_CACHE_DISCARD:
    case CTL_OP_DOUBT_CLEAR:
    case CTL_OP_VD_INIT:
    case CTL_OP_VD_EXPAND:
    case CTL_OP_FOREIGN_IMPORT:
    case CTL_OP_FOREIGN_CLEAR:
    case CTL_OP_UNDO_RESTORE:
    case CTL_OP_STRIPE_CREATE:
    case CTL_OP_STRIPE_DELETE:
        return true;
    case CTL_OP_CACHE_FLUSH:
        return command->args.cache_flush.kind == OBJECT_KIND_CONTROLLER ||
               command->args.cache_flush.kind == OBJECT_KIND_VIRTUAL_DRIVE ||
               refuse(ret_reason, "kind", "must be controller or virtual_drive");
    case CTL_OP_COUNTERS_RESET:
        return command->args.counters_reset.kind == OBJECT_KIND_CONTROLLER ||
               command->args.counters_reset.kind == OBJECT_KIND_DRIVE ||
               command->args.counters_reset.kind == OBJECT_KIND_VIRTUAL_DRIVE ||
               refuse(ret_reason, "kind", "must be controller, drive or virtual_drive");
    case CTL_OP_MAX:
        break;
    }
    UNREACHABLE();
}

bool command_args_parse(const char *op, const json_t *args, struct ctl_command *ret_command,
                        struct reason *ret_reason)
{
    enum ctl_op parsed;

    if (!ctl_op_parse(op, &parsed)) {
        reason_set(ret_reason, REASON_UNKNOWN_COMMAND, "op", op, NULL);
        return false;
    }
    memset(&ret_command->args, 0, sizeof(ret_command->args));
    ret_command->op = parsed;
    if (parsed == CTL_OP_VD_CREATE) {
        ret_command->args.vd_create.defaults = true;
    }
    return args_take(args, command_specs(parsed), ret_command, ret_reason) &&
           args_agree(args, ret_command, ret_reason);
}

bool preview_args_parse(const json_t *args, struct command_vd_create *ret_args,
                        struct reason *ret_reason)
{
    struct ctl_command command = {.op = CTL_OP_VD_CREATE, .args.vd_create.defaults = true};

    if (json_object_get(args, "plan_digest") != NULL) {
        return refuse(ret_reason, "plan_digest", "is not an argument of a preview");
    }
    if (!args_take(args, command_specs(CTL_OP_VD_CREATE), &command, ret_reason) ||
        !args_agree(args, &command, ret_reason)) {
        return false;
    }
    *ret_args = command.args.vd_create;
    return true;
}

bool policy_args_parse(const json_t *args, struct command_vd_set *ret_args,
                       struct reason *ret_reason)
{
    const uint32_t asked = VD_SET_POLICIES | VD_SET_PRESET;
    struct ctl_command command = {.op = CTL_OP_VD_SET};

    if (!args_take(args, command_specs(CTL_OP_VD_SET), &command, ret_reason)) {
        return false;
    }
    if ((command.args.vd_set.fields & ~asked) != 0) {
        return refuse(ret_reason, "args", "only policies and a preset are asked about");
    }
    *ret_args = command.args.vd_set;
    return true;
}

static const char *precondition_take(const json_t *entry, struct ctl_command *command,
                                     uint32_t index)
{
    const char *kind = json_string_value(json_object_get(entry, "kind"));
    const char *problem = NULL;

    if (kind == NULL || !object_kind_parse(kind, &command->preconditions[index].kind)) {
        return "must name a kind of object";
    }
    problem = key_take(json_object_get(entry, "key"), command->preconditions[index].key);
    if (problem != NULL) {
        return problem;
    }
    return number_take(json_object_get(entry, "config_rev"), 0, BOUND_SEQUENCE_MAX,
                       &command->preconditions[index].config_rev);
}

bool command_guards_parse(const json_t *confirm, const json_t *preconditions,
                          struct ctl_command *command, struct reason *ret_reason)
{
    const char *problem = NULL;
    size_t index;
    const json_t *entry;

    command->confirm[0] = '\0';
    command->precondition_count = 0;
    if (confirm != NULL && !json_is_null(confirm)) {
        problem = text_take(confirm, command->confirm, sizeof(command->confirm) - 1);
    }
    if (problem != NULL) {
        return refuse(ret_reason, "confirm", problem);
    }
    if (preconditions == NULL) {
        return true;
    }
    if (!json_is_array(preconditions) ||
        json_array_size(preconditions) > BOUND_COMMAND_PRECONDITIONS_MAX) {
        return refuse(ret_reason, "preconditions", "must be a list of at most 16");
    }
    json_array_foreach(preconditions, index, entry)
    {
        problem = precondition_take(entry, command, (uint32_t)index);
        if (problem != NULL) {
            return refuse(ret_reason, "preconditions", problem);
        }
    }
    command->precondition_count = (uint32_t)json_array_size(preconditions);
    return true;
}
