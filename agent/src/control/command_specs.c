/*
 * The tables of arguments: see command_specs.h.
 */
#include "control/command_specs.h"

#include "base/assert.h"
#include "base/bounds.h"
#include "control/object_doc.h"

/* What there is room for, and what the engine takes, is what the protocol promises. */
#define FITS(member, bound)                                                                        \
    STATIC_ASSERT(sizeof(((struct ctl_command *)NULL)->member) == (bound) + 1, #member)
FITS(args.vd_create.name, BOUND_VD_CREATE_NAME_MAX);
FITS(args.vd_create.preset, BOUND_VD_CREATE_PRESET_MAX);
FITS(args.vd_create.serials[0], BOUND_VD_CREATE_SERIALS_TEXT_MAX);
FITS(args.vd_create.plan_digest, BOUND_VD_CREATE_PLAN_DIGEST_MAX);
FITS(args.vd_set.name, BOUND_VD_SET_NAME_MAX);
FITS(args.vd_set.preset, BOUND_VD_SET_PRESET_MAX);
FITS(args.stripe_create.name, BOUND_STRIPE_CREATE_NAME_MAX);
FITS(args.spare_add.serial, BOUND_SPARE_ADD_SERIAL_MAX);
FITS(args.drive_replace.serial, BOUND_DRIVE_REPLACE_SERIAL_MAX);
FITS(args.drive_good.serial, BOUND_DRIVE_GOOD_SERIAL_MAX);
FITS(args.foreign.digest, BOUND_FOREIGN_IMPORT_DIGEST_MAX);
FITS(args.foreign.digest, BOUND_FOREIGN_CLEAR_DIGEST_MAX);
FITS(confirm, BOUND_COMMAND_CONFIRM_MAX);

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
#define KEY(word, member, needed)                                                                  \
    {.name = (word), .kind = ARG_KEY, .required = (needed), .offset = AT(member)}
#define KEYS(word, member, count, bound, needed)                                                   \
    {.name = (word),                                                                               \
     .kind = ARG_KEYS,                                                                             \
     .required = (needed),                                                                         \
     .offset = AT(member),                                                                         \
     .low = bound##_MIN,                                                                           \
     .limit = bound##_MAX,                                                                         \
     .count_offset = AT(count)}
#define TEXT(word, member, bound, needed)                                                          \
    {.name = (word),                                                                               \
     .kind = ARG_TEXT,                                                                             \
     .required = (needed),                                                                         \
     .offset = AT(member),                                                                         \
     .limit = bound##_MAX}
#define BOOL(word, member, needed)                                                                 \
    {.name = (word), .kind = ARG_BOOL, .required = (needed), .offset = AT(member)}
#define NUMBER(word, type, member, bound, needed)                                                  \
    {.name = (word),                                                                               \
     .kind = (type),                                                                               \
     .required = (needed),                                                                         \
     .offset = AT(member),                                                                         \
     .low = bound##_MIN,                                                                           \
     .limit = bound##_MAX}
#define U32(word, member, bound, needed) NUMBER(word, ARG_U32, member, bound, needed)
#define U64(word, member, bound, needed) NUMBER(word, ARG_U64, member, bound, needed)
#define WORD(word, member, type, needed)                                                           \
    {.name = (word),                                                                               \
     .kind = ARG_WORD,                                                                             \
     .required = (needed),                                                                         \
     .offset = AT(member),                                                                         \
     .parse_word = read_##type}
#define END {.name = NULL}
/* One that may be left out, and whose presence is noted. */
#define NOTED(word, type, member, bit, fields_member, ...)                                         \
    {.name = (word),                                                                               \
     .kind = (type),                                                                               \
     .offset = AT(member),                                                                         \
     .field_bit = (bit),                                                                           \
     .field_offset = AT(fields_member),                                                            \
     __VA_ARGS__}
#define RANGE(bound) .low = bound##_MIN, .limit = bound##_MAX

#define VD_CREATE_WORD(member, bit)                                                                \
    NOTED(#member, ARG_WORD, vd_create.member, bit, vd_create.fields, .parse_word = read_##member)

static const struct arg_spec vd_create_args[] = {
    KEY("controller", vd_create.controller, true),
    WORD("level", vd_create.level, raid_level, true),
    KEYS("drives", vd_create.drives, vd_create.drive_count, BOUND_VD_CREATE_DRIVES, false),
    U32("drives_per_span", vd_create.drives_per_span, BOUND_VD_CREATE_DRIVES_PER_SPAN, false),
    KEY("drive_group", vd_create.drive_group, false),
    U64("size_bytes", vd_create.size_bytes, BOUND_VD_CREATE_SIZE_BYTES, false),
    U32("strip_bytes", vd_create.strip_bytes, BOUND_VD_CREATE_STRIP_BYTES, false),
    TEXT("name", vd_create.name, BOUND_VD_CREATE_NAME, false),
    VD_CREATE_WORD(write_policy, VD_SET_WRITE_POLICY),
    VD_CREATE_WORD(read_policy, VD_SET_READ_POLICY),
    VD_CREATE_WORD(io_policy, VD_SET_IO_POLICY),
    VD_CREATE_WORD(drive_cache_policy, VD_SET_DRIVE_CACHE),
    VD_CREATE_WORD(degraded_policy, VD_SET_DEGRADED),
    TEXT("preset", vd_create.preset, BOUND_VD_CREATE_PRESET, false),
    BOOL("accept_risk", vd_create.accept_risk, false),
    KEYS("spares", vd_create.spares, vd_create.spare_count, BOUND_VD_CREATE_SPARES, false),
    BOOL("force", vd_create.force, false),
    {.name = "serials",
     .kind = ARG_TEXTS,
     .offset = AT(vd_create.serials),
     .limit = BOUND_VD_CREATE_SERIALS_TEXT_MAX,
     .count_offset = AT(vd_create.serial_count)},
    TEXT("plan_digest", vd_create.plan_digest, BOUND_VD_CREATE_PLAN_DIGEST, false),
    END};

static const struct arg_spec cache_discard_args[] = {
    KEY("controller", cache_discard.controller, true), KEY("virtual_drive", cache_discard.vd, true),
    END};
static const struct arg_spec cache_flush_args[] = {
    WORD("kind", cache_flush.kind, object_kind, true), KEY("key", cache_flush.key, true), END};
static const struct arg_spec doubt_clear_args[] = {KEY("virtual_drive", doubt_clear.vd, true), END};
static const struct arg_spec stripe_create_args[] = {
    TEXT("name", stripe_create.name, BOUND_STRIPE_CREATE_NAME, true),
    KEYS("virtual_drives", stripe_create.vds, stripe_create.vd_count,
         BOUND_STRIPE_CREATE_VIRTUAL_DRIVES, true),
    U32("strip_bytes", stripe_create.strip_bytes, BOUND_STRIPE_CREATE_STRIP_BYTES, false),
    BOOL("force", stripe_create.force, false), END};
static const struct arg_spec stripe_delete_args[] = {
    KEY("stripe", stripe_delete.stripe, true), BOOL("force", stripe_delete.force, false), END};
static const struct arg_spec vd_init_args[] = {
    KEY("virtual_drive", vd_init.vd, true), BOOL("unless_content", vd_init.unless_content, false),
    END};
static const struct arg_spec vd_delete_args[] = {
    KEY("virtual_drive", vd_delete.vd, true), BOOL("force", vd_delete.force, false),
    BOOL("unless_content", vd_delete.unless_content, false), END};

#define VD_SET_WORD(name, member, bit)                                                             \
    NOTED(name, ARG_WORD, vd_set.member, bit, vd_set.fields, .parse_word = read_##member)

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
    NOTED("name", ARG_TEXT, vd_set.name, VD_SET_NAME, vd_set.fields,
          .limit = BOUND_VD_SET_NAME_MAX),
    VD_SET_WORD("write_policy", write_policy, VD_SET_WRITE_POLICY),
    VD_SET_WORD("read_policy", read_policy, VD_SET_READ_POLICY),
    VD_SET_WORD("io_policy", io_policy, VD_SET_IO_POLICY),
    NOTED("drive_cache_policy", ARG_WORD, vd_set.drive_cache_policy, VD_SET_DRIVE_CACHE,
          vd_set.fields, .parse_word = read_drive_cache),
    VD_SET_WORD("degraded_policy", degraded_policy, VD_SET_DEGRADED),
    NOTED("preset", ARG_TEXT, vd_set.preset, VD_SET_PRESET, vd_set.fields,
          .limit = BOUND_VD_SET_PRESET_MAX),
    BOOL("accept_risk", vd_set.accept_risk, false),
    NOTED("access", ARG_WORD, vd_set.access, VD_SET_ACCESS, vd_set.fields,
          .parse_word = read_access),
    NOTED("stripe_log", ARG_BOOL, vd_set.stripe_log, VD_SET_STRIPE_LOG, vd_set.fields, ),
    VD_SET_WORD("stripe_log_mode", stripe_log_mode, VD_SET_STRIPE_LOG_MODE),
    NOTED("hedged_reads", ARG_BOOL, vd_set.hedged_reads, VD_SET_HEDGED_READS, vd_set.fields, ),
    END};

#define CONTROLLER_SET_BOOL(name, member, bit)                                                     \
    NOTED(name, ARG_BOOL, controller_set.member, CONTROLLER_SET_##bit, controller_set.fields, )

#define CONTROLLER_SET_U32(name, bound, bit)                                                       \
    NOTED(#name, ARG_U32, controller_set.name, CONTROLLER_SET_##bit, controller_set.fields,        \
          RANGE(BOUND_CONTROLLER_SET_##bound))

static const struct arg_spec controller_set_args[] = {
    KEY("controller", controller_set.controller, true),
    CONTROLLER_SET_U32(rebuild_rate_percent, REBUILD_RATE_PERCENT, REBUILD_RATE),
    CONTROLLER_SET_U32(bgi_rate_percent, BGI_RATE_PERCENT, BGI_RATE),
    CONTROLLER_SET_U32(glitch_seconds, GLITCH_SECONDS, GLITCH_SECONDS),
    NOTED("coercion", ARG_WORD, controller_set.coercion, CONTROLLER_SET_COERCION,
          controller_set.fields, .parse_word = read_coercion),
    NOTED("patrol_mode", ARG_WORD, controller_set.patrol_mode, CONTROLLER_SET_PATROL_MODE,
          controller_set.fields, .parse_word = read_patrol_mode),
    CONTROLLER_SET_U32(patrol_rate_percent, PATROL_RATE_PERCENT, PATROL_RATE),
    CONTROLLER_SET_U32(patrol_delay_hours, PATROL_DELAY_HOURS, PATROL_DELAY),
    CONTROLLER_SET_U32(patrol_drives_max, PATROL_DRIVES_MAX, PATROL_DRIVES),
    NOTED("patrol_next_at_us", ARG_U64, controller_set.patrol_next_us, CONTROLLER_SET_PATROL_NEXT,
          controller_set.fields, RANGE(BOUND_CONTROLLER_SET_PATROL_NEXT_AT_US)),
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
    KEYS("drive_groups", spare_add.groups, spare_add.group_count, BOUND_SPARE_ADD_DRIVE_GROUPS,
         false),
    BOOL("enclosure_affinity", spare_add.affinity, false),
    BOOL("non_revertible", spare_add.committable, false),
    BOOL("force", spare_add.force, false),
    TEXT("serial", spare_add.serial, BOUND_SPARE_ADD_SERIAL, false),
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
    U32("seconds", vd_measure.plan.seconds, BOUND_VD_MEASURE_SECONDS, false),
    {.name = "loads",
     .kind = ARG_LOADS,
     .offset = AT(vd_measure.plan),
     RANGE(BOUND_VD_MEASURE_LOADS)},
    END};

static const struct arg_spec vd_expand_args[] = {KEY("virtual_drive", vd_expand.vd, true),
                                                 NOTED("size_bytes", ARG_U64, vd_expand.size_bytes,
                                                       VD_EXPAND_SIZE, vd_expand.fields,
                                                       RANGE(BOUND_VD_EXPAND_SIZE_BYTES)),
                                                 END};

static const struct arg_spec drive_replace_args[] = {
    KEY("drive_group", drive_replace.group, true),
    U32("span", drive_replace.span, BOUND_DRIVE_REPLACE_SPAN, true),
    U32("row", drive_replace.row, BOUND_DRIVE_REPLACE_ROW, true),
    KEY("drive", drive_replace.drive, true),
    BOOL("force", drive_replace.force, false),
    TEXT("serial", drive_replace.serial, BOUND_DRIVE_REPLACE_SERIAL, false),
    END};

static const struct arg_spec drive_good_args[] = {
    KEY("drive", drive_good.drive, true), BOOL("force", drive_good.force, false),
    TEXT("serial", drive_good.serial, BOUND_DRIVE_GOOD_SERIAL, false), END};

static const struct arg_spec drive_locate_args[] = {
    KEY("drive", drive_locate.drive, true), BOOL("on", drive_locate.on, true),
    U32("seconds", drive_locate.seconds, BOUND_DRIVE_LOCATE_SECONDS, false), END};

static const struct arg_spec drive_erase_args[] = {
    KEY("drive", drive_erase.drive, true),
    WORD("action", drive_erase.action, task_action, true),
    WORD("mode", drive_erase.mode, erase_mode, false),
    NOTED("pattern_a", ARG_U32, drive_erase.pattern_a, DRIVE_ERASE_PATTERN_A, drive_erase.fields,
          RANGE(BOUND_DRIVE_ERASE_PATTERN_A)),
    NOTED("pattern_b", ARG_U32, drive_erase.pattern_b, DRIVE_ERASE_PATTERN_B, drive_erase.fields,
          RANGE(BOUND_DRIVE_ERASE_PATTERN_B)),
    BOOL("force", drive_erase.force, false),
    END};

static const struct arg_spec fault_inject_args[] = {
    KEY("drive", fault_inject.drive, true),
    WORD("fault", fault_inject.fault, fault_kind, true),
    U64("lba", fault_inject.lba, BOUND_FAULT_INJECT_LBA, false),
    U64("count", fault_inject.count, BOUND_FAULT_INJECT_COUNT, false),
    U32("latency_ms", fault_inject.latency_ms, BOUND_FAULT_INJECT_LATENCY_MS, false),
    END};

static const struct arg_spec battery_learn_args[] = {KEY("battery", battery.battery, true), END};

static const struct arg_spec battery_set_args[] = {
    KEY("battery", battery_set.battery, true),
    NOTED("learn_mode", ARG_WORD, battery_set.learn_mode, BATTERY_SET_LEARN_MODE,
          battery_set.fields, .parse_word = read_learn_mode),
    NOTED("next_learn_at_us", ARG_U64, battery_set.next_learn_us, BATTERY_SET_NEXT_LEARN,
          battery_set.fields, RANGE(BOUND_BATTERY_SET_NEXT_LEARN_AT_US)),
    END};

static const struct arg_spec battery_fault_args[] = {
    KEY("battery", battery_fault.battery, true),
    WORD("fault", battery_fault.fault, battery_fault, true), END};

static const struct arg_spec counters_reset_args[] = {
    WORD("kind", counters_reset.kind, object_kind, true), KEY("key", counters_reset.key, true),
    END};

static const struct arg_spec foreign_args[] = {
    KEY("controller", foreign.controller, true), KEY("set", foreign.set, true),
    TEXT("digest", foreign.digest, BOUND_FOREIGN_IMPORT_DIGEST, false), END};

static const struct arg_spec undo_restore_args[] = {
    KEY("controller", undo_restore.controller, true),
    U64("undo", undo_restore.undo, BOUND_UNDO_RESTORE_UNDO, true), END};

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

const struct arg_spec *command_specs(enum ctl_op op)
{
    ASSERT(op < CTL_OP_MAX);
    ASSERT(op_args[op] != NULL);
    return op_args[op];
}
