/* Generated from agent/protocol by tools/generate_tables.py; do not edit. */

#ifndef ARRAYWRIGHT_BASE_WORDS_H
#define ARRAYWRIGHT_BASE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

enum object_kind {
    OBJECT_KIND_HOST,
    OBJECT_KIND_CONTROLLER,
    OBJECT_KIND_ENCLOSURE,
    OBJECT_KIND_DRIVE,
    OBJECT_KIND_DRIVE_GROUP,
    OBJECT_KIND_VIRTUAL_DRIVE,
    OBJECT_KIND_BATTERY,
    OBJECT_KIND_OPERATION,
    OBJECT_KIND_MAX
};

const char *object_kind_word(enum object_kind value);
bool object_kind_parse(const char *word, enum object_kind *ret_value);

enum undo_kind {
    UNDO_KIND_DRIVE_GROUP,
    UNDO_KIND_VIRTUAL_DRIVE,
    UNDO_KIND_FOREIGN_SET,
    UNDO_KIND_DAMAGED,
    UNDO_KIND_MAX
};

const char *undo_kind_word(enum undo_kind value);
bool undo_kind_parse(const char *word, enum undo_kind *ret_value);

enum foreign_format {
    FOREIGN_FORMAT_DDF,
    FOREIGN_FORMAT_MD,
    FOREIGN_FORMAT_ARRAYWRIGHT,
    FOREIGN_FORMAT_MAX
};

const char *foreign_format_word(enum foreign_format value);
bool foreign_format_parse(const char *word, enum foreign_format *ret_value);

enum foreign_outcome {
    FOREIGN_OUTCOME_OPTIMAL,
    FOREIGN_OUTCOME_RESYNC,
    FOREIGN_OUTCOME_DEGRADED,
    FOREIGN_OUTCOME_REFUSED,
    FOREIGN_OUTCOME_MAX
};

const char *foreign_outcome_word(enum foreign_outcome value);
bool foreign_outcome_parse(const char *word, enum foreign_outcome *ret_value);

enum foreign_drive_outcome {
    FOREIGN_DRIVE_OUTCOME_MEMBER,
    FOREIGN_DRIVE_OUTCOME_REBUILD,
    FOREIGN_DRIVE_OUTCOME_SPARE,
    FOREIGN_DRIVE_OUTCOME_LEFT,
    FOREIGN_DRIVE_OUTCOME_MISSING,
    FOREIGN_DRIVE_OUTCOME_MAX
};

const char *foreign_drive_outcome_word(enum foreign_drive_outcome value);
bool foreign_drive_outcome_parse(const char *word, enum foreign_drive_outcome *ret_value);

enum foreign_state {
    FOREIGN_STATE_OPTIMAL,
    FOREIGN_STATE_DEGRADED,
    FOREIGN_STATE_INCOMPLETE,
    FOREIGN_STATE_UNSUPPORTED,
    FOREIGN_STATE_DAMAGED,
    FOREIGN_STATE_MAX
};

const char *foreign_state_word(enum foreign_state value);
bool foreign_state_parse(const char *word, enum foreign_state *ret_value);

enum foreign_member_state {
    FOREIGN_MEMBER_STATE_ONLINE,
    FOREIGN_MEMBER_STATE_REBUILD,
    FOREIGN_MEMBER_STATE_FAILED,
    FOREIGN_MEMBER_STATE_OFFLINE,
    FOREIGN_MEMBER_STATE_STALE,
    FOREIGN_MEMBER_STATE_MISSING,
    FOREIGN_MEMBER_STATE_DUPLICATE,
    FOREIGN_MEMBER_STATE_SPARE,
    FOREIGN_MEMBER_STATE_MAX
};

const char *foreign_member_state_word(enum foreign_member_state value);
bool foreign_member_state_parse(const char *word, enum foreign_member_state *ret_value);

enum controller_status {
    CONTROLLER_STATUS_OPTIMAL,
    CONTROLLER_STATUS_NEEDS_ATTENTION,
    CONTROLLER_STATUS_DEGRADED,
    CONTROLLER_STATUS_FAILED,
    CONTROLLER_STATUS_STARTING,
    CONTROLLER_STATUS_MAX
};

const char *controller_status_word(enum controller_status value);
bool controller_status_parse(const char *word, enum controller_status *ret_value);

enum drive_state {
    DRIVE_STATE_UNCONFIGURED_GOOD,
    DRIVE_STATE_UNCONFIGURED_BAD,
    DRIVE_STATE_HOT_SPARE,
    DRIVE_STATE_DEDICATED_HOT_SPARE,
    DRIVE_STATE_OFFLINE,
    DRIVE_STATE_FAILED,
    DRIVE_STATE_REBUILD,
    DRIVE_STATE_ONLINE,
    DRIVE_STATE_COPYBACK,
    DRIVE_STATE_MISSING,
    DRIVE_STATE_JBOD,
    DRIVE_STATE_STARTING,
    DRIVE_STATE_MAX
};

const char *drive_state_word(enum drive_state value);
bool drive_state_parse(const char *word, enum drive_state *ret_value);
const char *drive_state_short(enum drive_state value); /* StorCLI's word */
uint32_t drive_state_mfi(enum drive_state value);      /* MegaRAID's number */

enum virtual_drive_state {
    VIRTUAL_DRIVE_STATE_OPTIMAL,
    VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED,
    VIRTUAL_DRIVE_STATE_DEGRADED,
    VIRTUAL_DRIVE_STATE_OFFLINE,
    VIRTUAL_DRIVE_STATE_STARTING,
    VIRTUAL_DRIVE_STATE_MAX
};

const char *virtual_drive_state_word(enum virtual_drive_state value);
bool virtual_drive_state_parse(const char *word, enum virtual_drive_state *ret_value);
const char *virtual_drive_state_short(enum virtual_drive_state value); /* StorCLI's word */
uint32_t virtual_drive_state_mfi(enum virtual_drive_state value);      /* MegaRAID's number */

enum host_stripe_state {
    HOST_STRIPE_STATE_OPTIMAL,
    HOST_STRIPE_STATE_DEGRADED,
    HOST_STRIPE_STATE_OFFLINE,
    HOST_STRIPE_STATE_INCOMPLETE,
    HOST_STRIPE_STATE_STARTING,
    HOST_STRIPE_STATE_MAX
};

const char *host_stripe_state_word(enum host_stripe_state value);
bool host_stripe_state_parse(const char *word, enum host_stripe_state *ret_value);

enum drive_media {
    DRIVE_MEDIA_HDD,
    DRIVE_MEDIA_SSD,
    DRIVE_MEDIA_MAX
};

const char *drive_media_word(enum drive_media value);
bool drive_media_parse(const char *word, enum drive_media *ret_value);

enum drive_interface {
    DRIVE_INTERFACE_SATA,
    DRIVE_INTERFACE_SAS,
    DRIVE_INTERFACE_NVME,
    DRIVE_INTERFACE_VIRTIO,
    DRIVE_INTERFACE_USB,
    DRIVE_INTERFACE_FILE,
    DRIVE_INTERFACE_LOOP,
    DRIVE_INTERFACE_OTHER,
    DRIVE_INTERFACE_MAX
};

const char *drive_interface_word(enum drive_interface value);
bool drive_interface_parse(const char *word, enum drive_interface *ret_value);

enum write_policy {
    WRITE_POLICY_WRITE_THROUGH,
    WRITE_POLICY_WRITE_BACK,
    WRITE_POLICY_ALWAYS_WRITE_BACK,
    WRITE_POLICY_MAX
};

const char *write_policy_word(enum write_policy value);
bool write_policy_parse(const char *word, enum write_policy *ret_value);

enum read_policy {
    READ_POLICY_NO_READ_AHEAD,
    READ_POLICY_READ_AHEAD,
    READ_POLICY_ADAPTIVE_READ_AHEAD,
    READ_POLICY_MAX
};

const char *read_policy_word(enum read_policy value);
bool read_policy_parse(const char *word, enum read_policy *ret_value);

enum io_policy {
    IO_POLICY_DIRECT,
    IO_POLICY_CACHED,
    IO_POLICY_MAX
};

const char *io_policy_word(enum io_policy value);
bool io_policy_parse(const char *word, enum io_policy *ret_value);

enum drive_cache_policy {
    DRIVE_CACHE_POLICY_DEFAULT,
    DRIVE_CACHE_POLICY_ON,
    DRIVE_CACHE_POLICY_OFF,
    DRIVE_CACHE_POLICY_MAX
};

const char *drive_cache_policy_word(enum drive_cache_policy value);
bool drive_cache_policy_parse(const char *word, enum drive_cache_policy *ret_value);

enum degraded_policy {
    DEGRADED_POLICY_KEEP,
    DEGRADED_POLICY_WRITE_THROUGH,
    DEGRADED_POLICY_MAX
};

const char *degraded_policy_word(enum degraded_policy value);
bool degraded_policy_parse(const char *word, enum degraded_policy *ret_value);

enum drive_write_cache {
    DRIVE_WRITE_CACHE_UNKNOWN,
    DRIVE_WRITE_CACHE_OFF,
    DRIVE_WRITE_CACHE_ON,
    DRIVE_WRITE_CACHE_MAX
};

const char *drive_write_cache_word(enum drive_write_cache value);
bool drive_write_cache_parse(const char *word, enum drive_write_cache *ret_value);

enum smart_state {
    SMART_STATE_UNREAD,
    SMART_STATE_UNSUPPORTED,
    SMART_STATE_ASLEEP,
    SMART_STATE_GOOD,
    SMART_STATE_FAILING,
    SMART_STATE_MAX
};

const char *smart_state_word(enum smart_state value);
bool smart_state_parse(const char *word, enum smart_state *ret_value);

enum smart_figure {
    SMART_FIGURE_TEMPERATURE_C,
    SMART_FIGURE_POWER_ON_HOURS,
    SMART_FIGURE_REALLOCATED_SECTORS,
    SMART_FIGURE_PENDING_SECTORS,
    SMART_FIGURE_MEDIA_ERRORS,
    SMART_FIGURE_WEAR_PERCENT,
    SMART_FIGURE_MAX
};

const char *smart_figure_word(enum smart_figure value);
bool smart_figure_parse(const char *word, enum smart_figure *ret_value);

enum drive_cache_effective {
    DRIVE_CACHE_EFFECTIVE_ON,
    DRIVE_CACHE_EFFECTIVE_OFF,
    DRIVE_CACHE_EFFECTIVE_MIXED,
    DRIVE_CACHE_EFFECTIVE_UNKNOWN,
    DRIVE_CACHE_EFFECTIVE_MAX
};

const char *drive_cache_effective_word(enum drive_cache_effective value);
bool drive_cache_effective_parse(const char *word, enum drive_cache_effective *ret_value);

enum switch_state {
    SWITCH_STATE_OFF,
    SWITCH_STATE_ON,
    SWITCH_STATE_MAX
};

const char *switch_state_word(enum switch_state value);
bool switch_state_parse(const char *word, enum switch_state *ret_value);

enum access_policy {
    ACCESS_POLICY_READ_WRITE,
    ACCESS_POLICY_READ_ONLY,
    ACCESS_POLICY_BLOCKED,
    ACCESS_POLICY_MAX
};

const char *access_policy_word(enum access_policy value);
bool access_policy_parse(const char *word, enum access_policy *ret_value);

enum operation_kind {
    OPERATION_KIND_REBUILD,
    OPERATION_KIND_COPYBACK,
    OPERATION_KIND_BACKGROUND_INIT,
    OPERATION_KIND_RESYNC,
    OPERATION_KIND_DRIVE_ERASE,
    OPERATION_KIND_PATROL_READ,
    OPERATION_KIND_CONSISTENCY_CHECK,
    OPERATION_KIND_MAX
};

const char *operation_kind_word(enum operation_kind value);
bool operation_kind_parse(const char *word, enum operation_kind *ret_value);

enum operation_state {
    OPERATION_STATE_RUNNING,
    OPERATION_STATE_PAUSED,
    OPERATION_STATE_WAITING,
    OPERATION_STATE_COMPLETED,
    OPERATION_STATE_FAILED,
    OPERATION_STATE_STOPPED,
    OPERATION_STATE_MAX
};

const char *operation_state_word(enum operation_state value);
bool operation_state_parse(const char *word, enum operation_state *ret_value);

enum erase_mode {
    ERASE_MODE_SIMPLE,
    ERASE_MODE_NORMAL,
    ERASE_MODE_THOROUGH,
    ERASE_MODE_THREEPASS,
    ERASE_MODE_MAX
};

const char *erase_mode_word(enum erase_mode value);
bool erase_mode_parse(const char *word, enum erase_mode *ret_value);

enum patrol_mode {
    PATROL_MODE_AUTO,
    PATROL_MODE_MANUAL,
    PATROL_MODE_DISABLED,
    PATROL_MODE_MAX
};

const char *patrol_mode_word(enum patrol_mode value);
bool patrol_mode_parse(const char *word, enum patrol_mode *ret_value);

enum coercion {
    COERCION_NONE,
    COERCION_MIB_128,
    COERCION_GIB_1,
    COERCION_MAX
};

const char *coercion_word(enum coercion value);
bool coercion_parse(const char *word, enum coercion *ret_value);

enum task_action {
    TASK_ACTION_START,
    TASK_ACTION_STOP,
    TASK_ACTION_PAUSE,
    TASK_ACTION_RESUME,
    TASK_ACTION_MAX
};

const char *task_action_word(enum task_action value);
bool task_action_parse(const char *word, enum task_action *ret_value);

enum load_pattern {
    LOAD_PATTERN_RANDOM,
    LOAD_PATTERN_SEQUENTIAL,
    LOAD_PATTERN_FILES_CREATE,
    LOAD_PATTERN_FILES_READ,
    LOAD_PATTERN_FILES_COPY,
    LOAD_PATTERN_FILES_COPY_FAR,
    LOAD_PATTERN_MAX
};

const char *load_pattern_word(enum load_pattern value);
bool load_pattern_parse(const char *word, enum load_pattern *ret_value);

enum measurement_state {
    MEASUREMENT_STATE_RUNNING,
    MEASUREMENT_STATE_COMPLETED,
    MEASUREMENT_STATE_STOPPED,
    MEASUREMENT_STATE_FAILED,
    MEASUREMENT_STATE_MAX
};

const char *measurement_state_word(enum measurement_state value);
bool measurement_state_parse(const char *word, enum measurement_state *ret_value);

enum fault_kind {
    FAULT_KIND_PULL,
    FAULT_KIND_RETURN,
    FAULT_KIND_REPLACE,
    FAULT_KIND_MEDIA_ERROR,
    FAULT_KIND_SLOW,
    FAULT_KIND_WRITE_ERROR,
    FAULT_KIND_CLEAR,
    FAULT_KIND_MAX
};

const char *fault_kind_word(enum fault_kind value);
bool fault_kind_parse(const char *word, enum fault_kind *ret_value);

enum bad_block_kind {
    BAD_BLOCK_KIND_UNREADABLE,
    BAD_BLOCK_KIND_LOST,
    BAD_BLOCK_KIND_PUNCTURED,
    BAD_BLOCK_KIND_MAX
};

const char *bad_block_kind_word(enum bad_block_kind value);
bool bad_block_kind_parse(const char *word, enum bad_block_kind *ret_value);

enum spare_kind {
    SPARE_KIND_GLOBAL,
    SPARE_KIND_DEDICATED,
    SPARE_KIND_MAX
};

const char *spare_kind_word(enum spare_kind value);
bool spare_kind_parse(const char *word, enum spare_kind *ret_value);

enum battery_kind {
    BATTERY_KIND_EMULATED,
    BATTERY_KIND_UPS,
    BATTERY_KIND_CACHEVAULT,
    BATTERY_KIND_MAX
};

const char *battery_kind_word(enum battery_kind value);
bool battery_kind_parse(const char *word, enum battery_kind *ret_value);

enum battery_state {
    BATTERY_STATE_OPTIMAL,
    BATTERY_STATE_CHARGING,
    BATTERY_STATE_DISCHARGING,
    BATTERY_STATE_LEARNING,
    BATTERY_STATE_LOW,
    BATTERY_STATE_DEGRADED,
    BATTERY_STATE_FAILED,
    BATTERY_STATE_MISSING,
    BATTERY_STATE_UNKNOWN,
    BATTERY_STATE_MAX
};

const char *battery_state_word(enum battery_state value);
bool battery_state_parse(const char *word, enum battery_state *ret_value);
const char *battery_state_short(enum battery_state value); /* StorCLI's word */
uint32_t battery_state_mfi(enum battery_state value);      /* MegaRAID's number */

enum battery_fault {
    BATTERY_FAULT_FAIL,
    BATTERY_FAULT_REMOVE,
    BATTERY_FAULT_LOW_CHARGE,
    BATTERY_FAULT_OVERHEAT,
    BATTERY_FAULT_WEAR_OUT,
    BATTERY_FAULT_POWER_OFF,
    BATTERY_FAULT_CLEAR,
    BATTERY_FAULT_MAX
};

const char *battery_fault_word(enum battery_fault value);
bool battery_fault_parse(const char *word, enum battery_fault *ret_value);

enum learn_mode {
    LEARN_MODE_AUTO,
    LEARN_MODE_WARN,
    LEARN_MODE_MANUAL,
    LEARN_MODE_DISABLED,
    LEARN_MODE_MAX
};

const char *learn_mode_word(enum learn_mode value);
bool learn_mode_parse(const char *word, enum learn_mode *ret_value);

enum learn_state {
    LEARN_STATE_IDLE,
    LEARN_STATE_ANNOUNCED,
    LEARN_STATE_DUE,
    LEARN_STATE_PENDING,
    LEARN_STATE_CHARGING,
    LEARN_STATE_DISCHARGING,
    LEARN_STATE_RECHARGING,
    LEARN_STATE_MAX
};

const char *learn_state_word(enum learn_state value);
bool learn_state_parse(const char *word, enum learn_state *ret_value);

enum learn_result {
    LEARN_RESULT_PASSED,
    LEARN_RESULT_FAILED,
    LEARN_RESULT_TIMED_OUT,
    LEARN_RESULT_MAX
};

const char *learn_result_word(enum learn_result value);
bool learn_result_parse(const char *word, enum learn_result *ret_value);

enum cache_medium {
    CACHE_MEDIUM_SHARED_MEMORY,
    CACHE_MEDIUM_PERSISTENT_MEMORY,
    CACHE_MEDIUM_FILE_LOG,
    CACHE_MEDIUM_MAX
};

const char *cache_medium_word(enum cache_medium value);
bool cache_medium_parse(const char *word, enum cache_medium *ret_value);

enum cache_state {
    CACHE_STATE_READY,
    CACHE_STATE_RECOVERING,
    CACHE_STATE_DRAINING,
    CACHE_STATE_SUSPENDED,
    CACHE_STATE_FAILED,
    CACHE_STATE_MISSING,
    CACHE_STATE_MAX
};

const char *cache_state_word(enum cache_state value);
bool cache_state_parse(const char *word, enum cache_state *ret_value);

enum read_ahead_state {
    READ_AHEAD_STATE_OFF,
    READ_AHEAD_STATE_WATCHING,
    READ_AHEAD_STATE_READING,
    READ_AHEAD_STATE_MAX
};

const char *read_ahead_state_word(enum read_ahead_state value);
bool read_ahead_state_parse(const char *word, enum read_ahead_state *ret_value);

enum no_battery_rule {
    NO_BATTERY_RULE_REFUSE,
    NO_BATTERY_RULE_FORCE,
    NO_BATTERY_RULE_REVERT,
    NO_BATTERY_RULE_MAX
};

const char *no_battery_rule_word(enum no_battery_rule value);
bool no_battery_rule_parse(const char *word, enum no_battery_rule *ret_value);

enum controller_vocabulary {
    CONTROLLER_VOCABULARY_MEGARAID,
    CONTROLLER_VOCABULARY_THREEWARE,
    CONTROLLER_VOCABULARY_MAX
};

const char *controller_vocabulary_word(enum controller_vocabulary value);
bool controller_vocabulary_parse(const char *word, enum controller_vocabulary *ret_value);

enum command_class {
    COMMAND_CLASS_R,
    COMMAND_CLASS_O,
    COMMAND_CLASS_D,
    COMMAND_CLASS_X,
    COMMAND_CLASS_MAX
};

const char *command_class_word(enum command_class value);
bool command_class_parse(const char *word, enum command_class *ret_value);

enum command_state {
    COMMAND_STATE_ACCEPTED,
    COMMAND_STATE_REFUSED,
    COMMAND_STATE_EXPIRED,
    COMMAND_STATE_RUNNING,
    COMMAND_STATE_SUCCEEDED,
    COMMAND_STATE_FAILED,
    COMMAND_STATE_INDETERMINATE,
    COMMAND_STATE_MAX
};

const char *command_state_word(enum command_state value);
bool command_state_parse(const char *word, enum command_state *ret_value);

enum reason_code {
    REASON_OK,
    REASON_INVALID_ARGUMENT,
    REASON_UNKNOWN_COMMAND,
    REASON_UNKNOWN_OBJECT,
    REASON_NOT_PERMITTED,
    REASON_POLICY_DENIED,
    REASON_POLICY_CONFIRM_NEEDED,
    REASON_POLICY_HOUR_USED,
    REASON_STALE_PRECONDITION,
    REASON_PLAN_CHANGED,
    REASON_EXPIRED,
    REASON_INTERRUPTED,
    REASON_HOST_RESTORED,
    REASON_IDENTITY_IN_USE,
    REASON_BUSY,
    REASON_SHUTTING_DOWN,
    REASON_NOT_ONLINE,
    REASON_STORE_FULL,
    REASON_STORE_FAILED,
    REASON_LABEL_FAILED,
    REASON_TOO_FEW_DRIVES,
    REASON_TOO_MANY_DRIVES,
    REASON_DRIVE_COUNT_MULTIPLE,
    REASON_DRIVE_REPEATED,
    REASON_DRIVE_TOO_SMALL,
    REASON_DRIVE_NOT_UGOOD,
    REASON_DRIVE_GONE,
    REASON_DRIVE_IN_USE,
    REASON_DRIVE_HAS_DATA,
    REASON_DRIVE_FOREIGN,
    REASON_MIXED_SECTOR_SIZES,
    REASON_MIXED_MEDIA,
    REASON_MIXED_INTERFACES,
    REASON_STRIP_INVALID,
    REASON_SIZE_INVALID,
    REASON_NAME_INVALID,
    REASON_NAME_TAKEN,
    REASON_STRIP_UNSUPPORTED,
    REASON_TOO_MANY_SPANS,
    REASON_NO_PORT,
    REASON_LEVEL_UNSUPPORTED,
    REASON_LEVEL_DIFFERS,
    REASON_GROUP_FULL,
    REASON_TOO_MANY_VIRTUAL_DRIVES,
    REASON_CONFIRM_MISMATCH,
    REASON_CONFIRM_NEEDED,
    REASON_VIRTUAL_DRIVE_IN_USE,
    REASON_MEASURE_IN_USE,
    REASON_MEASURE_DEVICE,
    REASON_MEASURE_PRESERVED,
    REASON_MEASURE_FAILED,
    REASON_MEASURE_INTERRUPTED,
    REASON_EXPAND_NO_SPACE,
    REASON_EXPAND_SIZE,
    REASON_EXPAND_PRESERVED,
    REASON_STRIPE_MEMBER,
    REASON_STRIPE_MEMBER_INCOMPLETE,
    REASON_STRIPE_HAS_DATA,
    REASON_SPARE_TOO_SMALL,
    REASON_SPARE_NOT_NEEDED,
    REASON_SPARE_NONE,
    REASON_COPYBACK_SOURCE_LOST,
    REASON_COPYBACK_SOURCE_DONE,
    REASON_COPYBACK_RUNNING,
    REASON_COPYBACK_NONE,
    REASON_COPYBACK_ONE,
    REASON_SPARE_OTHER_GROUP,
    REASON_SPARE_OTHER_ENCLOSURE,
    REASON_SPARE_FAILED_BEFORE,
    REASON_SPARE_SET_MISSING,
    REASON_REBUILD_TRIED_AGAIN,
    REASON_SPARE_CHOSEN_DEDICATED,
    REASON_SPARE_CHOSEN_GLOBAL,
    REASON_SPARE_CHOSEN_EMERGENCY_SPARE,
    REASON_SPARE_CHOSEN_EMERGENCY_UNCONFIGURED,
    REASON_SPARE_AFTER_DEDICATED,
    REASON_SPARE_AFTER_REGULAR,
    REASON_SPARE_AFTER_NEAR,
    REASON_SPARE_AFTER_SMALLER,
    REASON_SPARE_AFTER_EQUAL,
    REASON_NOT_A_SPARE,
    REASON_NOT_REBUILDING,
    REASON_NOTHING_TO_REBUILD,
    REASON_ALREADY_RUNNING,
    REASON_NOT_RUNNING,
    REASON_NOT_EMULATED,
    REASON_LAST_COPY,
    REASON_WRONG_STATE,
    REASON_UNDO_NEEDED,
    REASON_UNDO_FULL,
    REASON_UNDO_CACHE,
    REASON_UNDO_DEGRADED,
    REASON_UNDO_BAD_BLOCKS,
    REASON_UNDO_PRESENT,
    REASON_UNDO_GROUP_GONE,
    REASON_UNDO_SPACE_USED,
    REASON_UNDO_DAMAGED,
    REASON_UNDO_UNCERTAIN,
    REASON_UNDO_UNCERTAIN_GONE,
    REASON_UNDO_MEMBER_REPLACED,
    REASON_UNDO_DRIVE_GONE,
    REASON_UNDO_DRIVE_DIFFERS,
    REASON_UNDO_DRIVE_USED,
    REASON_UNDO_DRIVE_WRITTEN,
    REASON_UNDO_DRIVE_UNREADABLE,
    REASON_HOST_OFFLINE,
    REASON_ROLE_NEEDED,
    REASON_NO_CACHE_MEMORY,
    REASON_AS_REQUESTED,
    REASON_GUARANTEE_WRITE_THROUGH,
    REASON_GUARANTEE_NO_REDUNDANCY,
    REASON_WRITE_POLICY_NO_BATTERY,
    REASON_WRITE_POLICY_BATTERY_MISSING,
    REASON_WRITE_POLICY_BATTERY_FAILED,
    REASON_WRITE_POLICY_BATTERY_DEGRADED,
    REASON_WRITE_POLICY_BATTERY_LOW,
    REASON_WRITE_POLICY_BATTERY_CHARGING,
    REASON_WRITE_POLICY_BATTERY_LEARNING,
    REASON_WRITE_POLICY_BATTERY_UNKNOWN,
    REASON_WRITE_POLICY_BATTERY_EMULATED,
    REASON_WRITE_POLICY_ON_BATTERY,
    REASON_WRITE_POLICY_UPS_SILENT,
    REASON_WRITE_POLICY_UPS_RUNTIME_UNKNOWN,
    REASON_WRITE_POLICY_UPS_RUNTIME,
    REASON_WRITE_POLICY_REFUSED,
    REASON_WRITE_POLICY_REVERTED,
    REASON_WRITE_POLICY_FORCED,
    REASON_WRITE_POLICY_UNTIL_RESTART,
    REASON_CACHE_NO_PLACE,
    REASON_WRITE_POLICY_DEGRADED,
    REASON_WRITE_POLICY_SHUTTING_DOWN,
    REASON_WRITE_POLICY_CACHE_STATE,
    REASON_WRITE_POLICY_CACHE_PINNED,
    REASON_READ_POLICY_CACHE_STATE,
    REASON_BATTERY_OK,
    REASON_BATTERY_PRESENT,
    REASON_BATTERY_PERSISTENT,
    REASON_BATTERY_CHARGING,
    REASON_BATTERY_DISCHARGING,
    REASON_BATTERY_LEARNING,
    REASON_BATTERY_CHARGE_LOW,
    REASON_BATTERY_HOT,
    REASON_BATTERY_WORN,
    REASON_BATTERY_LEARN_FAILED,
    REASON_BATTERY_REPLACE,
    REASON_BATTERY_FAILED,
    REASON_BATTERY_MISSING,
    REASON_BATTERY_SILENT,
    REASON_BATTERY_STALE,
    REASON_BATTERY_DRIVER_GONE,
    REASON_BATTERY_CONTRADICTS,
    REASON_BATTERY_NOT_IN_LINE,
    REASON_BATTERY_FORCED_SHUTDOWN,
    REASON_CACHE_RECOVERING,
    REASON_CACHE_DRAINING,
    REASON_CACHE_SUSPENDED,
    REASON_CACHE_MEDIUM_GONE,
    REASON_CACHE_MEDIUM_FOREIGN,
    REASON_CACHE_MEDIUM_DAMAGED,
    REASON_CACHE_MEDIUM_HELD,
    REASON_CACHE_MEDIUM_SMALL,
    REASON_CACHE_PRESERVED_MEMBERS,
    REASON_CACHE_PRESERVED_CHANGED,
    REASON_CACHE_PRESERVED_UNKNOWN,
    REASON_CACHE_LOST_MEDIUM,
    REASON_CACHE_LOST_POWER,
    REASON_CACHE_LOST_RETENTION,
    REASON_CACHE_LOST_DISCARDED,
    REASON_CACHE_NO_PRESERVED,
    REASON_CACHE_PRESERVED_BLOCKS,
    REASON_DIRTY_LIMIT_CACHE,
    REASON_DIRTY_LIMIT_UPS,
    REASON_DIRTY_LIMIT_NO_WRITE_BACK,
    REASON_BATTERY_NOT_EMULATED,
    REASON_BATTERY_IS_PERSISTENT,
    REASON_LEARN_UNSUPPORTED,
    REASON_LEARN_RUNNING,
    REASON_LEARN_DISABLED,
    REASON_LEARN_DATE_PAST,
    REASON_LEARN_DATE_MODE,
    REASON_STRIPE_LOG_NOT_NEEDED,
    REASON_STRIPE_LOG_JOURNAL,
    REASON_STRIPE_LOG_JOURNAL_MEMORY,
    REASON_STRIPE_LOG_BEGINS,
    REASON_STRIPE_LOG_NO_MEMORY,
    REASON_STRIPE_LOG_WAITS,
    REASON_NO_COUNTERS,
    REASON_GUARANTEE_JOURNAL,
    REASON_GUARANTEE_JOURNAL_AGENT,
    REASON_GUARANTEE_STRIPE_LOG,
    REASON_GUARANTEE_REGION_MAP,
    REASON_GUARANTEE_MIRROR,
    REASON_DRIVE_UNSUITABLE_MOUNTED,
    REASON_DRIVE_UNSUITABLE_HELD,
    REASON_DRIVE_UNSUITABLE_CLAIMED,
    REASON_DRIVE_UNSUITABLE_SIGNATURE,
    REASON_DRIVE_UNSUITABLE_READ_ONLY,
    REASON_DRIVE_UNSUITABLE_SMALL,
    REASON_JBOD_EMULATED,
    REASON_JBOD_CONFIGURED,
    REASON_DRIVE_CACHE_FIXED,
    REASON_DRIVE_CACHE_OWN,
    REASON_DRIVE_CACHE_OF_GROUP,
    REASON_DRIVE_CACHE_GIVEN_UP,
    REASON_DRIVE_CACHE_WAITS,
    REASON_DRIVE_CACHE_SILENT,
    REASON_DRIVE_CACHE_NO_DRIVES,
    REASON_IO_POLICY_NO_CACHE,
    REASON_HEDGED_READS_NO_REDUNDANCY,
    REASON_HEDGED_READS_DEGRADED,
    REASON_DEGRADED_POLICY_NO_REDUNDANCY,
    REASON_ACCESS_OFFLINE,
    REASON_ACCESS_NOT_STARTED,
    REASON_ACCESS_MEASURED,
    REASON_PRESET_UNKNOWN,
    REASON_PRESET_GIVES_UP,
    REASON_RISK_WRITE_BACK_NOW,
    REASON_RISK_WRITE_BACK_LATER,
    REASON_RISK_DRIVE_CACHE,
    REASON_DRIVE_LOST_PULLED,
    REASON_DRIVE_LOST_WRITE_ERROR,
    REASON_DRIVE_LOST_READ_ERRORS,
    REASON_DRIVE_LOST_TIMEOUT,
    REASON_DRIVE_LOST_NO_SPACE,
    REASON_DRIVE_LOST_READ_ONLY,
    REASON_WRITES_REFUSED,
    REASON_DRIVE_NO_SPACE,
    REASON_DRIVE_READ_ONLY,
    REASON_DRIVE_LOST_FLUSH,
    REASON_DRIVE_PREDICTED_ERRORS,
    REASON_SMART_FAILING,
    REASON_SMART_MISSING,
    REASON_SMART_UNREADABLE,
    REASON_SMART_OUTPUT,
    REASON_SMART_DISABLED,
    REASON_SMART_UNSUPPORTED,
    REASON_DRIVE_LOST_ERROR_LIMIT,
    REASON_DRIVE_LOST_FLAPPING,
    REASON_DRIVE_LOST_ABSENT,
    REASON_DRIVE_LOST_STALE,
    REASON_DRIVE_LOST_OVERWRITTEN,
    REASON_DRIVE_OVERWRITTEN_USED,
    REASON_DRIVE_LOST_USER,
    REASON_LABEL_UNREADABLE,
    REASON_LABEL_DAMAGED,
    REASON_LABEL_NEWER,
    REASON_LABEL_OTHER_CONTROLLER,
    REASON_LABEL_UNKNOWN_GROUP,
    REASON_FOREIGN_DEGRADED,
    REASON_FOREIGN_INCOMPLETE,
    REASON_FOREIGN_UNSUPPORTED,
    REASON_FOREIGN_DAMAGED,
    REASON_FOREIGN_DUPLICATE,
    REASON_FOREIGN_IS_HERE,
    REASON_FOREIGN_NO_ROOM,
    REASON_FOREIGN_CHANGED,
    REASON_FOREIGN_MD_LEFT,
    REASON_FOREIGN_MD_BECOMES,
    REASON_FOREIGN_MD_MARKED,
    REASON_FOREIGN_MD_NOT_WHOLE,
    REASON_FOREIGN_MD_BUSY,
    REASON_FOREIGN_MD_EXTRA,
    REASON_FOREIGN_MD_LAYOUT,
    REASON_FOREIGN_MD_OFFSET,
    REASON_FOREIGN_MD_NO_ROOM,
    REASON_FOREIGN_MD_NO_ROOM_EVER,
    REASON_LABEL_DUPLICATE,
    REASON_LABEL_LATER,
    REASON_LABEL_REPLACED,
    REASON_DRIVE_TOO_SMALL_FOR_GROUP,
    REASON_NO_VACANT_PLACE,
    REASON_NO_UNCONFIGURED_DRIVES,
    REASON_NO_REDUNDANCY,
    REASON_ALREADY_CONSISTENT,
    REASON_WAITS_FOR_REBUILD,
    REASON_NO_LOCATE_LED,
    REASON_NOTHING_TO_CHANGE,
    REASON_GROUP_NOT_STARTED,
    REASON_GROUP_CHANGED_ELSEWHERE,
    REASON_STOPPED_BY_USER,
    REASON_DRIVE_BEING_ERASED,
    REASON_DRIVE_PARTLY_ERASED,
    REASON_DRIVE_ERASING,
    REASON_NOT_ERASING,
    REASON_ERASE_FOREIGN,
    REASON_ERASE_HAS_DATA,
    REASON_ERASE_WRITE_FAILED,
    REASON_ERASE_READ_FAILED,
    REASON_ERASE_VERIFY_FAILED,
    REASON_ERASE_OVERWRITTEN,
    REASON_ERASE_INTERRUPTED,
    REASON_PATROL_DISABLED,
    REASON_PATROL_NO_DRIVES,
    REASON_PATROL_SKIPS_SSD,
    REASON_PATROL_SKIPS_UNUSED,
    REASON_PATROL_WAITS,
    REASON_PATROL_READ_FAILED,
    REASON_CHECK_WAITS,
    REASON_CHECK_NEEDS_CONSISTENCY,
    REASON_TOO_MANY_ERASES,
    REASON_DRIVE_SPUN_DOWN,
    REASON_DRIVE_SPUN_UP,
    REASON_SPIN_UNSUPPORTED,
    REASON_SPIN_FAILED,
    REASON_REPLACE_FAILED,
    REASON_REPORT_UNREADABLE,
    REASON_COMMAND_UNANSWERED,
    REASON_WARNING_NO_REDUNDANCY,
    REASON_WARNING_NO_SPARE,
    REASON_WARNING_SIZES_DIFFER,
    REASON_WARNING_MODELS_DIFFER,
    REASON_WARNING_DRIVE_ERRORS,
    REASON_WARNING_DATA_DESTROYED,
    REASON_MAX
};

const char *reason_code_word(enum reason_code code);
/* The sentence, with its parameters as {name}. */
const char *reason_code_text(enum reason_code code);

#endif
