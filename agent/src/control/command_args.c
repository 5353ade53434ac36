/*
 * Command arguments, table driven: see command_args.h.
 */
#include "control/command_args.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bounds.h"
#include "control/measurement_json.h"
#include "control/object_doc.h"

#define SERIAL_MAX 40u
#define DIGEST_MAX 64u

enum arg_kind {
    ARG_KEY,   /* object_key_t */
    ARG_KEYS,  /* object_key_t[limit], their number at count_offset */
    ARG_TEXT,  /* char[limit + 1] */
    ARG_TEXTS, /* char[COMMAND_SERIALS_MAX][limit + 1], their number at count_offset */
    ARG_U32,   /* uint32_t <= limit */
    ARG_U64,   /* uint64_t <= limit */
    ARG_BOOL,
    ARG_WORD,  /* an enumeration, through parse_word */
    ARG_LOADS  /* of a struct measurement_plan */
};

struct arg_spec {
    const char *name;
    enum arg_kind kind;
    bool required;
    size_t offset;
    uint64_t limit;
    size_t count_offset;
    bool (*parse_word)(const char *word, void *ret_value);
    uint32_t field_bit; /* not 0: or-ed to the uint32_t at field_offset when present */
    size_t field_offset;
};

#define WORD_READER(type)                                                                          \
    static bool read_##type(const char *word, void *ret_value)                                     \
    {                                                                                              \
        enum type value;                                                                           \
                                                                                                   \
        if (!type##_parse(word, &value)) {                                                         \
            return false;                                                                          \
        }                                                                                          \
        *(enum type *)ret_value = value;                                                           \
        return true;                                                                               \
    }

WORD_READER(write_policy)
WORD_READER(read_policy)
WORD_READER(io_policy)
WORD_READER(drive_cache_policy)
WORD_READER(degraded_policy)
WORD_READER(stripe_log_mode)
WORD_READER(access_policy)
WORD_READER(task_action)
WORD_READER(coercion)
WORD_READER(patrol_mode)
WORD_READER(erase_mode)
WORD_READER(fault_kind)
WORD_READER(learn_mode)
WORD_READER(battery_fault)
WORD_READER(object_kind)

static bool read_raid_level(const char *word, void *ret_value)
{
    return raid_level_word_parse(word, ret_value);
}

#define AT(member) offsetof(struct ctl_command, args.member)
#define KEY(name, member, required) {name, ARG_KEY, required, AT(member), 0, 0, NULL, 0, 0}
#define KEYS(name, member, count, max)                                                             \
    {name, ARG_KEYS, false, AT(member), max, AT(count), NULL, 0, 0}
#define TEXT(name, member, max) {name, ARG_TEXT, false, AT(member), max, 0, NULL, 0, 0}
#define BOOL(name, member, required) {name, ARG_BOOL, required, AT(member), 0, 0, NULL, 0, 0}
#define U32(name, member, max, required) {name, ARG_U32, required, AT(member), max, 0, NULL, 0, 0}
#define U64(name, member) {name, ARG_U64, false, AT(member), BOUND_INTEGER_MAX, 0, NULL, 0, 0}
#define WORD(name, member, type, required)                                                         \
    {name, ARG_WORD, required, AT(member), 0, 0, read_##type, 0, 0}
#define END {NULL, ARG_BOOL, false, 0, 0, 0, NULL, 0, 0}

#define VD_CREATE_WORD(member, bit)                                                                \
    {#member, ARG_WORD, false, AT(vd_create.member), 0, 0, read_##member, bit, AT(vd_create.fields)}

static const struct arg_spec vd_create_args[] = {
    KEY("controller", vd_create.controller, true),
    WORD("level", vd_create.level, raid_level, true),
    KEYS("drives", vd_create.drives, vd_create.drive_count, COMMAND_DRIVES_MAX),
    U32("drives_per_span", vd_create.drives_per_span, COMMAND_DRIVES_MAX, false),
    KEY("drive_group", vd_create.drive_group, false),
    U64("size_bytes", vd_create.size_bytes),
    U32("strip_bytes", vd_create.strip_bytes, UINT32_MAX, false),
    TEXT("name", vd_create.name, VD_NAME_MAX),
    VD_CREATE_WORD(write_policy, VD_SET_WRITE_POLICY),
    VD_CREATE_WORD(read_policy, VD_SET_READ_POLICY),
    VD_CREATE_WORD(io_policy, VD_SET_IO_POLICY),
    VD_CREATE_WORD(drive_cache_policy, VD_SET_DRIVE_CACHE),
    VD_CREATE_WORD(degraded_policy, VD_SET_DEGRADED),
    TEXT("preset", vd_create.preset, PRESET_NAME_MAX),
    BOOL("accept_risk", vd_create.accept_risk, false),
    KEYS("spares", vd_create.spares, vd_create.spare_count, COMMAND_SPARES_MAX),
    BOOL("force", vd_create.force, false),
    {"serials", ARG_TEXTS, false, AT(vd_create.serials), SERIAL_MAX, AT(vd_create.serial_count),
     NULL, 0, 0},
    TEXT("plan_digest", vd_create.plan_digest, DIGEST_MAX),
    END};

static const struct arg_spec cache_discard_args[] = {
    KEY("controller", cache_discard.controller, true), KEY("virtual_drive", cache_discard.vd, true),
    END};
static const struct arg_spec cache_flush_args[] = {
    WORD("kind", cache_flush.kind, object_kind, true), KEY("key", cache_flush.key, true), END};
static const struct arg_spec doubt_clear_args[] = {KEY("virtual_drive", doubt_clear.vd, true), END};
static const struct arg_spec stripe_create_args[] = {
    {"name", ARG_TEXT, true, AT(stripe_create.name), VD_NAME_MAX, 0, NULL, 0, 0},
    {"virtual_drives", ARG_KEYS, true, AT(stripe_create.vds), STRIPE_MEMBERS_MAX,
     AT(stripe_create.vd_count), NULL, 0, 0},
    U32("strip_bytes", stripe_create.strip_bytes, UINT32_MAX, false),
    BOOL("force", stripe_create.force, false),
    END};
static const struct arg_spec stripe_delete_args[] = {
    KEY("stripe", stripe_delete.stripe, true), BOOL("force", stripe_delete.force, false), END};
static const struct arg_spec vd_init_args[] = {
    KEY("virtual_drive", vd_init.vd, true), BOOL("unless_content", vd_init.unless_content, false),
    END};
static const struct arg_spec vd_delete_args[] = {
    KEY("virtual_drive", vd_delete.vd, true), BOOL("force", vd_delete.force, false),
    BOOL("unless_content", vd_delete.unless_content, false), END};

#define VD_SET_WORD(name, member, bit)                                                             \
    {name, ARG_WORD, false, AT(vd_set.member), 0, 0, read_##member, bit, AT(vd_set.fields)}

static bool read_access(const char *word, void *ret_value)
{
    return read_access_policy(word, ret_value);
}

static bool read_drive_cache(const char *word, void *ret_value)
{
    return read_drive_cache_policy(word, ret_value);
}

static const struct arg_spec vd_set_args[] = {
    KEY("virtual_drive", vd_set.vd, true),
    {"name", ARG_TEXT, false, AT(vd_set.name), VD_NAME_MAX, 0, NULL, VD_SET_NAME,
     AT(vd_set.fields)},
    VD_SET_WORD("write_policy", write_policy, VD_SET_WRITE_POLICY),
    VD_SET_WORD("read_policy", read_policy, VD_SET_READ_POLICY),
    VD_SET_WORD("io_policy", io_policy, VD_SET_IO_POLICY),
    {"drive_cache_policy", ARG_WORD, false, AT(vd_set.drive_cache_policy), 0, 0, read_drive_cache,
     VD_SET_DRIVE_CACHE, AT(vd_set.fields)},
    VD_SET_WORD("degraded_policy", degraded_policy, VD_SET_DEGRADED),
    {"preset", ARG_TEXT, false, AT(vd_set.preset), PRESET_NAME_MAX, 0, NULL, VD_SET_PRESET,
     AT(vd_set.fields)},
    BOOL("accept_risk", vd_set.accept_risk, false),
    {"access", ARG_WORD, false, AT(vd_set.access), 0, 0, read_access, VD_SET_ACCESS,
     AT(vd_set.fields)},
    {"stripe_log", ARG_BOOL, false, AT(vd_set.stripe_log), 0, 0, NULL, VD_SET_STRIPE_LOG,
     AT(vd_set.fields)},
    VD_SET_WORD("stripe_log_mode", stripe_log_mode, VD_SET_STRIPE_LOG_MODE),
    {"hedged_reads", ARG_BOOL, false, AT(vd_set.hedged_reads), 0, 0, NULL, VD_SET_HEDGED_READS,
     AT(vd_set.fields)},
    END};

#define CONTROLLER_SET_BOOL(name, member, bit)                                                     \
    {name,                                                                                         \
     ARG_BOOL,                                                                                     \
     false,                                                                                        \
     AT(controller_set.member),                                                                    \
     0,                                                                                            \
     0,                                                                                            \
     NULL,                                                                                         \
     CONTROLLER_SET_##bit,                                                                         \
     AT(controller_set.fields)}

#define CONTROLLER_SET_U32(name, limit, bit)                                                       \
    {#name,                                                                                        \
     ARG_U32,                                                                                      \
     false,                                                                                        \
     AT(controller_set.name),                                                                      \
     limit,                                                                                        \
     0,                                                                                            \
     NULL,                                                                                         \
     CONTROLLER_SET_##bit,                                                                         \
     AT(controller_set.fields)}

static const struct arg_spec controller_set_args[] = {
    KEY("controller", controller_set.controller, true),
    CONTROLLER_SET_U32(rebuild_rate_percent, 100, REBUILD_RATE),
    CONTROLLER_SET_U32(bgi_rate_percent, 100, BGI_RATE),
    CONTROLLER_SET_U32(glitch_seconds, CONTROLLER_GLITCH_MAX, GLITCH_SECONDS),
    {"coercion", ARG_WORD, false, AT(controller_set.coercion), 0, 0, read_coercion,
     CONTROLLER_SET_COERCION, AT(controller_set.fields)},
    {"patrol_mode", ARG_WORD, false, AT(controller_set.patrol_mode), 0, 0, read_patrol_mode,
     CONTROLLER_SET_PATROL_MODE, AT(controller_set.fields)},
    CONTROLLER_SET_U32(patrol_rate_percent, 100, PATROL_RATE),
    CONTROLLER_SET_U32(patrol_delay_hours, CONTROLLER_PATROL_DELAY_MAX, PATROL_DELAY),
    CONTROLLER_SET_U32(patrol_drives_max, CONTROLLER_PATROL_DRIVES_MAX, PATROL_DRIVES),
    {"patrol_next_at_us", ARG_U64, false, AT(controller_set.patrol_next_us),
     CONTROLLER_PATROL_NEXT_MAX, 0, NULL, CONTROLLER_SET_PATROL_NEXT, AT(controller_set.fields)},
    CONTROLLER_SET_BOOL("patrol_ssds", patrol_ssds, PATROL_SSDS),
    CONTROLLER_SET_BOOL("auto_rebuild", auto_rebuild, AUTO_REBUILD),
    CONTROLLER_SET_BOOL("emergency_spare", emergency_spare, EMERGENCY_SPARE),
    CONTROLLER_SET_BOOL("emergency_unconfigured", emergency_unconfigured, EMERGENCY_UNCONFIGURED),
    CONTROLLER_SET_BOOL("mixed_media", mixed_media, MIXED_MEDIA),
    CONTROLLER_SET_BOOL("mixed_interfaces", mixed_interfaces, MIXED_INTERFACES),
    CONTROLLER_SET_BOOL("copyback", copyback, COPYBACK),
    CONTROLLER_SET_BOOL("predictive_copyback", predictive_copyback, PREDICTIVE_COPYBACK),
    END};

static const struct arg_spec spare_add_args[] = {
    KEY("drive", spare_add.drive, true),
    KEYS("drive_groups", spare_add.groups, spare_add.group_count, COMMAND_SPARES_MAX),
    BOOL("enclosure_affinity", spare_add.affinity, false),
    BOOL("non_revertible", spare_add.committable, false),
    BOOL("force", spare_add.force, false),
    TEXT("serial", spare_add.serial, SERIAL_MAX),
    END};

static const struct arg_spec drive_args[] = {KEY("drive", drive.drive, true), END};

static const struct arg_spec rebuild_args[] = {KEY("drive", task.target, true),
                                               WORD("action", task.action, task_action, true), END};

static const struct arg_spec copyback_args[] = {
    KEY("drive", copyback.drive, true), KEY("target", copyback.target, false),
    WORD("action", copyback.action, task_action, true), END};

static const struct arg_spec patrol_read_args[] = {
    KEY("controller", task.target, true), WORD("action", task.action, task_action, true), END};
static const struct arg_spec bgi_args[] = {KEY("virtual_drive", task.target, true),
                                           WORD("action", task.action, task_action, true), END};

static const struct arg_spec consistency_check_args[] = {
    KEY("virtual_drive", check.vd, true), WORD("action", check.action, task_action, true),
    BOOL("correct", check.correct, false), END};

static const struct arg_spec vd_measure_args[] = {
    KEY("virtual_drive", vd_measure.vd, true),
    WORD("action", vd_measure.action, task_action, true),
    U32("seconds", vd_measure.plan.seconds, MEASUREMENT_SECONDS_MAX, false),
    {"loads", ARG_LOADS, false, AT(vd_measure.plan), 0, 0, NULL, 0, 0},
    END};

static const struct arg_spec vd_expand_args[] = {KEY("virtual_drive", vd_expand.vd, true),
                                                 {"size_bytes", ARG_U64, false,
                                                  AT(vd_expand.size_bytes), BOUND_INTEGER_MAX, 0,
                                                  NULL, VD_EXPAND_SIZE, AT(vd_expand.fields)},
                                                 END};

static const struct arg_spec drive_replace_args[] = {
    KEY("drive_group", drive_replace.group, true),
    U32("span", drive_replace.span, RAID_SPANS_MAX - 1, true),
    U32("row", drive_replace.row, GROUP_MEMBERS_MAX - 1, true),
    KEY("drive", drive_replace.drive, true),
    BOOL("force", drive_replace.force, false),
    TEXT("serial", drive_replace.serial, SERIAL_MAX),
    END};

static const struct arg_spec drive_good_args[] = {
    KEY("drive", drive_good.drive, true), BOOL("force", drive_good.force, false),
    TEXT("serial", drive_good.serial, SERIAL_MAX), END};

static const struct arg_spec drive_locate_args[] = {
    KEY("drive", drive_locate.drive, true), BOOL("on", drive_locate.on, true),
    U32("seconds", drive_locate.seconds, LOCATE_SECONDS_MAX, false), END};

static const struct arg_spec drive_erase_args[] = {
    KEY("drive", drive_erase.drive, true),
    WORD("action", drive_erase.action, task_action, true),
    WORD("mode", drive_erase.mode, erase_mode, false),
    {"pattern_a", ARG_U32, false, AT(drive_erase.pattern_a), UINT8_MAX, 0, NULL,
     DRIVE_ERASE_PATTERN_A, AT(drive_erase.fields)},
    {"pattern_b", ARG_U32, false, AT(drive_erase.pattern_b), UINT8_MAX, 0, NULL,
     DRIVE_ERASE_PATTERN_B, AT(drive_erase.fields)},
    BOOL("force", drive_erase.force, false),
    END};

static const struct arg_spec fault_inject_args[] = {
    KEY("drive", fault_inject.drive, true),
    WORD("fault", fault_inject.fault, fault_kind, true),
    U64("lba", fault_inject.lba),
    U64("count", fault_inject.count),
    U32("latency_ms", fault_inject.latency_ms, 3600u * 1000u, false),
    END};

static const struct arg_spec battery_learn_args[] = {KEY("battery", battery.battery, true), END};

static const struct arg_spec battery_set_args[] = {
    KEY("battery", battery_set.battery, true),
    {"learn_mode", ARG_WORD, false, AT(battery_set.learn_mode), 0, 0, read_learn_mode,
     BATTERY_SET_LEARN_MODE, AT(battery_set.fields)},
    {"next_learn_at_us", ARG_U64, false, AT(battery_set.next_learn_us), BOUND_TIME_US_MAX, 0, NULL,
     BATTERY_SET_NEXT_LEARN, AT(battery_set.fields)},
    END};

static const struct arg_spec battery_fault_args[] = {
    KEY("battery", battery_fault.battery, true),
    WORD("fault", battery_fault.fault, battery_fault, true), END};

static const struct arg_spec counters_reset_args[] = {
    WORD("kind", counters_reset.kind, object_kind, true), KEY("key", counters_reset.key, true),
    END};

static const struct arg_spec foreign_args[] = {KEY("controller", foreign.controller, true),
                                               KEY("set", foreign.set, true),
                                               TEXT("digest", foreign.digest, DIGEST_MAX), END};

static const struct arg_spec undo_restore_args[] = {
    KEY("controller", undo_restore.controller, true),
    {"undo", ARG_U64, true, AT(undo_restore.undo), BOUND_SEQUENCE_MAX, 0, NULL, 0, 0},
    END};

static const struct arg_spec *const op_args[CTL_OP_MAX] = {
    [CTL_OP_VD_CREATE] = vd_create_args,
    [CTL_OP_VD_DELETE] = vd_delete_args,
    [CTL_OP_VD_INIT] = vd_init_args,
    [CTL_OP_CACHE_DISCARD] = cache_discard_args,
    [CTL_OP_CACHE_FLUSH] = cache_flush_args,
    [CTL_OP_DOUBT_CLEAR] = doubt_clear_args,
    [CTL_OP_STRIPE_CREATE] = stripe_create_args,
    [CTL_OP_STRIPE_DELETE] = stripe_delete_args,
    [CTL_OP_VD_MEASURE] = vd_measure_args,
    [CTL_OP_VD_EXPAND] = vd_expand_args,
    [CTL_OP_VD_SET] = vd_set_args,
    [CTL_OP_CONTROLLER_SET] = controller_set_args,
    [CTL_OP_SPARE_ADD] = spare_add_args,
    [CTL_OP_SPARE_REMOVE] = drive_args,
    [CTL_OP_REBUILD] = rebuild_args,
    [CTL_OP_COPYBACK] = copyback_args,
    [CTL_OP_BGI] = bgi_args,
    [CTL_OP_PATROL_READ] = patrol_read_args,
    [CTL_OP_CONSISTENCY_CHECK] = consistency_check_args,
    [CTL_OP_DRIVE_REPLACE] = drive_replace_args,
    [CTL_OP_DRIVE_OFFLINE] = drive_args,
    [CTL_OP_DRIVE_ONLINE] = drive_args,
    [CTL_OP_DRIVE_MISSING] = drive_args,
    [CTL_OP_DRIVE_JBOD] = drive_args,
    [CTL_OP_DRIVE_GOOD] = drive_good_args,
    [CTL_OP_DRIVE_LOCATE] = drive_locate_args,
    [CTL_OP_DRIVE_ERASE] = drive_erase_args,
    [CTL_OP_DRIVE_SPINDOWN] = drive_args,
    [CTL_OP_DRIVE_SPINUP] = drive_args,
    [CTL_OP_FAULT_INJECT] = fault_inject_args,
    [CTL_OP_BATTERY_LEARN] = battery_learn_args,
    [CTL_OP_BATTERY_SET] = battery_set_args,
    [CTL_OP_BATTERY_FAULT] = battery_fault_args,
    [CTL_OP_COUNTERS_RESET] = counters_reset_args,
    [CTL_OP_FOREIGN_IMPORT] = foreign_args,
    [CTL_OP_FOREIGN_CLEAR] = foreign_args,
    [CTL_OP_UNDO_RESTORE] = undo_restore_args,
};

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

static const char *number_take(const json_t *value, uint64_t limit, uint64_t *ret_number)
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
    *ret_number = (uint64_t)json_integer_value(value);
    return NULL;
}

/* A list of keys or of texts; every entry occupies entry_bytes. */
static const char *list_take(const json_t *value, const struct arg_spec *spec, char *command)
{
    bool keys = spec->kind == ARG_KEYS;
    size_t max_count = keys ? (size_t)spec->limit : COMMAND_SERIALS_MAX;
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
        problem = number_take(value, spec->limit, &number);
        if (problem == NULL) {
            *(uint32_t *)out = (uint32_t)number;
        }
        return problem;
    case ARG_U64:
        problem = number_take(value, spec->limit, &number);
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

    if (problem != TOO_LONG && problem != TOO_LARGE) {
        return refuse(ret_reason, spec->name, problem);
    }
    (void)snprintf(told, sizeof(told), "%s (at most %llu%s)", problem,
                   (unsigned long long)spec->limit, problem == TOO_LONG ? " bytes" : "");
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

/* What a single argument cannot tell. */
static bool args_agree(const struct ctl_command *command, struct reason *ret_reason)
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
    case CTL_OP_VD_EXPAND:
        return (command->args.vd_expand.fields & VD_EXPAND_SIZE) == 0 ||
               command->args.vd_expand.size_bytes > 0 ||
               refuse(ret_reason, "size_bytes", "must be at least 1");
    case CTL_OP_CONSISTENCY_CHECK:
        return !command->args.check.correct || command->args.check.action == TASK_ACTION_START ||
               refuse(ret_reason, "correct", "only a start can be told so");
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
    case CTL_OP_FAULT_INJECT:
    case CTL_OP_BATTERY_LEARN:
    case CTL_OP_BATTERY_FAULT:
    case CTL_OP_CACHE_DISCARD:
    case CTL_OP_DOUBT_CLEAR:
    case CTL_OP_VD_INIT:
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
    ASSERT(op_args[parsed] != NULL);
    memset(&ret_command->args, 0, sizeof(ret_command->args));
    ret_command->op = parsed;
    if (parsed == CTL_OP_VD_CREATE) {
        ret_command->args.vd_create.defaults = true;
    }
    return args_take(args, op_args[parsed], ret_command, ret_reason) &&
           args_agree(ret_command, ret_reason);
}

bool preview_args_parse(const json_t *args, struct command_vd_create *ret_args,
                        struct reason *ret_reason)
{
    struct ctl_command command = {.op = CTL_OP_VD_CREATE, .args.vd_create.defaults = true};

    if (json_object_get(args, "plan_digest") != NULL) {
        return refuse(ret_reason, "plan_digest", "is not an argument of a preview");
    }
    if (!args_take(args, vd_create_args, &command, ret_reason) ||
        !args_agree(&command, ret_reason)) {
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

    if (!args_take(args, vd_set_args, &command, ret_reason)) {
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
    return number_take(json_object_get(entry, "config_rev"), BOUND_SEQUENCE_MAX,
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
        json_array_size(preconditions) > COMMAND_PRECONDITIONS_MAX) {
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
