/* Generated from agent/protocol by tools/generate_tables.py; do not edit. */

#include "base/words.h"

#include <stddef.h>
#include <string.h>

#include "base/assert.h"

static const char *const object_kind_words[OBJECT_KIND_MAX] = {
    "host",
    "controller",
    "enclosure",
    "drive",
    "drive_group",
    "virtual_drive",
    "battery",
    "operation",
};

const char *object_kind_word(enum object_kind value)
{
    ASSERT((unsigned)value < OBJECT_KIND_MAX);
    return object_kind_words[value];
}

bool object_kind_parse(const char *word, enum object_kind *ret_value)
{
    for (unsigned i = 0; i < OBJECT_KIND_MAX; i++) {
        if (strcmp(object_kind_words[i], word) == 0) {
            *ret_value = (enum object_kind)i;
            return true;
        }
    }
    return false;
}

static const char *const undo_kind_words[UNDO_KIND_MAX] = {
    "drive_group",
    "virtual_drive",
    "foreign_set",
    "damaged",
};

const char *undo_kind_word(enum undo_kind value)
{
    ASSERT((unsigned)value < UNDO_KIND_MAX);
    return undo_kind_words[value];
}

bool undo_kind_parse(const char *word, enum undo_kind *ret_value)
{
    for (unsigned i = 0; i < UNDO_KIND_MAX; i++) {
        if (strcmp(undo_kind_words[i], word) == 0) {
            *ret_value = (enum undo_kind)i;
            return true;
        }
    }
    return false;
}

static const char *const foreign_format_words[FOREIGN_FORMAT_MAX] = {
    "ddf",
    "md",
    "arraywright",
};

const char *foreign_format_word(enum foreign_format value)
{
    ASSERT((unsigned)value < FOREIGN_FORMAT_MAX);
    return foreign_format_words[value];
}

bool foreign_format_parse(const char *word, enum foreign_format *ret_value)
{
    for (unsigned i = 0; i < FOREIGN_FORMAT_MAX; i++) {
        if (strcmp(foreign_format_words[i], word) == 0) {
            *ret_value = (enum foreign_format)i;
            return true;
        }
    }
    return false;
}

static const char *const foreign_outcome_words[FOREIGN_OUTCOME_MAX] = {
    "optimal",
    "resync",
    "degraded",
    "refused",
};

const char *foreign_outcome_word(enum foreign_outcome value)
{
    ASSERT((unsigned)value < FOREIGN_OUTCOME_MAX);
    return foreign_outcome_words[value];
}

bool foreign_outcome_parse(const char *word, enum foreign_outcome *ret_value)
{
    for (unsigned i = 0; i < FOREIGN_OUTCOME_MAX; i++) {
        if (strcmp(foreign_outcome_words[i], word) == 0) {
            *ret_value = (enum foreign_outcome)i;
            return true;
        }
    }
    return false;
}

static const char *const foreign_drive_outcome_words[FOREIGN_DRIVE_OUTCOME_MAX] = {
    "member",
    "rebuild",
    "spare",
    "left",
    "missing",
};

const char *foreign_drive_outcome_word(enum foreign_drive_outcome value)
{
    ASSERT((unsigned)value < FOREIGN_DRIVE_OUTCOME_MAX);
    return foreign_drive_outcome_words[value];
}

bool foreign_drive_outcome_parse(const char *word, enum foreign_drive_outcome *ret_value)
{
    for (unsigned i = 0; i < FOREIGN_DRIVE_OUTCOME_MAX; i++) {
        if (strcmp(foreign_drive_outcome_words[i], word) == 0) {
            *ret_value = (enum foreign_drive_outcome)i;
            return true;
        }
    }
    return false;
}

static const char *const foreign_state_words[FOREIGN_STATE_MAX] = {
    "optimal",
    "degraded",
    "incomplete",
    "unsupported",
    "damaged",
};

const char *foreign_state_word(enum foreign_state value)
{
    ASSERT((unsigned)value < FOREIGN_STATE_MAX);
    return foreign_state_words[value];
}

bool foreign_state_parse(const char *word, enum foreign_state *ret_value)
{
    for (unsigned i = 0; i < FOREIGN_STATE_MAX; i++) {
        if (strcmp(foreign_state_words[i], word) == 0) {
            *ret_value = (enum foreign_state)i;
            return true;
        }
    }
    return false;
}

static const char *const foreign_member_state_words[FOREIGN_MEMBER_STATE_MAX] = {
    "online",
    "rebuild",
    "failed",
    "offline",
    "stale",
    "missing",
    "duplicate",
    "spare",
};

const char *foreign_member_state_word(enum foreign_member_state value)
{
    ASSERT((unsigned)value < FOREIGN_MEMBER_STATE_MAX);
    return foreign_member_state_words[value];
}

bool foreign_member_state_parse(const char *word, enum foreign_member_state *ret_value)
{
    for (unsigned i = 0; i < FOREIGN_MEMBER_STATE_MAX; i++) {
        if (strcmp(foreign_member_state_words[i], word) == 0) {
            *ret_value = (enum foreign_member_state)i;
            return true;
        }
    }
    return false;
}

static const char *const finding_severity_words[FINDING_SEVERITY_MAX] = {
    "info",
    "warning",
    "critical",
    "fatal",
};

const char *finding_severity_word(enum finding_severity value)
{
    ASSERT((unsigned)value < FINDING_SEVERITY_MAX);
    return finding_severity_words[value];
}

bool finding_severity_parse(const char *word, enum finding_severity *ret_value)
{
    for (unsigned i = 0; i < FINDING_SEVERITY_MAX; i++) {
        if (strcmp(finding_severity_words[i], word) == 0) {
            *ret_value = (enum finding_severity)i;
            return true;
        }
    }
    return false;
}

static const char *const controller_status_words[CONTROLLER_STATUS_MAX] = {
    "optimal",
    "needs_attention",
    "degraded",
    "failed",
    "starting",
};

const char *controller_status_word(enum controller_status value)
{
    ASSERT((unsigned)value < CONTROLLER_STATUS_MAX);
    return controller_status_words[value];
}

bool controller_status_parse(const char *word, enum controller_status *ret_value)
{
    for (unsigned i = 0; i < CONTROLLER_STATUS_MAX; i++) {
        if (strcmp(controller_status_words[i], word) == 0) {
            *ret_value = (enum controller_status)i;
            return true;
        }
    }
    return false;
}

static const char *const drive_state_words[DRIVE_STATE_MAX] = {
    "unconfigured_good",
    "unconfigured_bad",
    "hot_spare",
    "dedicated_hot_spare",
    "offline",
    "failed",
    "rebuild",
    "online",
    "copyback",
    "missing",
    "jbod",
    "starting",
};

static const char *const drive_state_shorts[DRIVE_STATE_MAX] = {
    "UGood",
    "UBad",
    "GHS",
    "DHS",
    "Offln",
    "Failed",
    "Rbld",
    "Onln",
    "Cpybck",
    "Missing",
    "JBOD",
    "Starting",
};

const char *drive_state_word(enum drive_state value)
{
    ASSERT((unsigned)value < DRIVE_STATE_MAX);
    return drive_state_words[value];
}

bool drive_state_parse(const char *word, enum drive_state *ret_value)
{
    for (unsigned i = 0; i < DRIVE_STATE_MAX; i++) {
        if (strcmp(drive_state_words[i], word) == 0) {
            *ret_value = (enum drive_state)i;
            return true;
        }
    }
    return false;
}

const char *drive_state_short(enum drive_state value)
{
    ASSERT((unsigned)value < DRIVE_STATE_MAX);
    return drive_state_shorts[value];
}

uint32_t drive_state_mfi(enum drive_state value)
{
    static const uint32_t numbers[DRIVE_STATE_MAX] = {0, 1, 2, 2, 16, 17, 20, 24, 32, 32, 64, 255};
    ASSERT((unsigned)value < DRIVE_STATE_MAX);
    return numbers[value];
}

static const char *const virtual_drive_state_words[VIRTUAL_DRIVE_STATE_MAX] = {
    "optimal",
    "partially_degraded",
    "degraded",
    "offline",
    "starting",
};

static const char *const virtual_drive_state_shorts[VIRTUAL_DRIVE_STATE_MAX] = {
    "Optl",
    "Pdgd",
    "Dgrd",
    "OfLn",
    "Starting",
};

const char *virtual_drive_state_word(enum virtual_drive_state value)
{
    ASSERT((unsigned)value < VIRTUAL_DRIVE_STATE_MAX);
    return virtual_drive_state_words[value];
}

bool virtual_drive_state_parse(const char *word, enum virtual_drive_state *ret_value)
{
    for (unsigned i = 0; i < VIRTUAL_DRIVE_STATE_MAX; i++) {
        if (strcmp(virtual_drive_state_words[i], word) == 0) {
            *ret_value = (enum virtual_drive_state)i;
            return true;
        }
    }
    return false;
}

const char *virtual_drive_state_short(enum virtual_drive_state value)
{
    ASSERT((unsigned)value < VIRTUAL_DRIVE_STATE_MAX);
    return virtual_drive_state_shorts[value];
}

uint32_t virtual_drive_state_mfi(enum virtual_drive_state value)
{
    static const uint32_t numbers[VIRTUAL_DRIVE_STATE_MAX] = {3, 1, 2, 0, 255};
    ASSERT((unsigned)value < VIRTUAL_DRIVE_STATE_MAX);
    return numbers[value];
}

static const char *const host_stripe_state_words[HOST_STRIPE_STATE_MAX] = {
    "optimal",
    "degraded",
    "offline",
    "incomplete",
    "starting",
};

const char *host_stripe_state_word(enum host_stripe_state value)
{
    ASSERT((unsigned)value < HOST_STRIPE_STATE_MAX);
    return host_stripe_state_words[value];
}

bool host_stripe_state_parse(const char *word, enum host_stripe_state *ret_value)
{
    for (unsigned i = 0; i < HOST_STRIPE_STATE_MAX; i++) {
        if (strcmp(host_stripe_state_words[i], word) == 0) {
            *ret_value = (enum host_stripe_state)i;
            return true;
        }
    }
    return false;
}

static const char *const drive_media_words[DRIVE_MEDIA_MAX] = {
    "hdd",
    "ssd",
};

const char *drive_media_word(enum drive_media value)
{
    ASSERT((unsigned)value < DRIVE_MEDIA_MAX);
    return drive_media_words[value];
}

bool drive_media_parse(const char *word, enum drive_media *ret_value)
{
    for (unsigned i = 0; i < DRIVE_MEDIA_MAX; i++) {
        if (strcmp(drive_media_words[i], word) == 0) {
            *ret_value = (enum drive_media)i;
            return true;
        }
    }
    return false;
}

static const char *const drive_interface_words[DRIVE_INTERFACE_MAX] = {
    "sata",
    "sas",
    "nvme",
    "virtio",
    "usb",
    "file",
    "loop",
    "other",
};

const char *drive_interface_word(enum drive_interface value)
{
    ASSERT((unsigned)value < DRIVE_INTERFACE_MAX);
    return drive_interface_words[value];
}

bool drive_interface_parse(const char *word, enum drive_interface *ret_value)
{
    for (unsigned i = 0; i < DRIVE_INTERFACE_MAX; i++) {
        if (strcmp(drive_interface_words[i], word) == 0) {
            *ret_value = (enum drive_interface)i;
            return true;
        }
    }
    return false;
}

static const char *const write_policy_words[WRITE_POLICY_MAX] = {
    "write_through",
    "write_back",
    "always_write_back",
};

const char *write_policy_word(enum write_policy value)
{
    ASSERT((unsigned)value < WRITE_POLICY_MAX);
    return write_policy_words[value];
}

bool write_policy_parse(const char *word, enum write_policy *ret_value)
{
    for (unsigned i = 0; i < WRITE_POLICY_MAX; i++) {
        if (strcmp(write_policy_words[i], word) == 0) {
            *ret_value = (enum write_policy)i;
            return true;
        }
    }
    return false;
}

static const char *const read_policy_words[READ_POLICY_MAX] = {
    "no_read_ahead",
    "read_ahead",
    "adaptive_read_ahead",
};

const char *read_policy_word(enum read_policy value)
{
    ASSERT((unsigned)value < READ_POLICY_MAX);
    return read_policy_words[value];
}

bool read_policy_parse(const char *word, enum read_policy *ret_value)
{
    for (unsigned i = 0; i < READ_POLICY_MAX; i++) {
        if (strcmp(read_policy_words[i], word) == 0) {
            *ret_value = (enum read_policy)i;
            return true;
        }
    }
    return false;
}

static const char *const io_policy_words[IO_POLICY_MAX] = {
    "direct",
    "cached",
};

const char *io_policy_word(enum io_policy value)
{
    ASSERT((unsigned)value < IO_POLICY_MAX);
    return io_policy_words[value];
}

bool io_policy_parse(const char *word, enum io_policy *ret_value)
{
    for (unsigned i = 0; i < IO_POLICY_MAX; i++) {
        if (strcmp(io_policy_words[i], word) == 0) {
            *ret_value = (enum io_policy)i;
            return true;
        }
    }
    return false;
}

static const char *const drive_cache_policy_words[DRIVE_CACHE_POLICY_MAX] = {
    "default",
    "on",
    "off",
};

const char *drive_cache_policy_word(enum drive_cache_policy value)
{
    ASSERT((unsigned)value < DRIVE_CACHE_POLICY_MAX);
    return drive_cache_policy_words[value];
}

bool drive_cache_policy_parse(const char *word, enum drive_cache_policy *ret_value)
{
    for (unsigned i = 0; i < DRIVE_CACHE_POLICY_MAX; i++) {
        if (strcmp(drive_cache_policy_words[i], word) == 0) {
            *ret_value = (enum drive_cache_policy)i;
            return true;
        }
    }
    return false;
}

static const char *const degraded_policy_words[DEGRADED_POLICY_MAX] = {
    "keep",
    "write_through",
};

const char *degraded_policy_word(enum degraded_policy value)
{
    ASSERT((unsigned)value < DEGRADED_POLICY_MAX);
    return degraded_policy_words[value];
}

bool degraded_policy_parse(const char *word, enum degraded_policy *ret_value)
{
    for (unsigned i = 0; i < DEGRADED_POLICY_MAX; i++) {
        if (strcmp(degraded_policy_words[i], word) == 0) {
            *ret_value = (enum degraded_policy)i;
            return true;
        }
    }
    return false;
}

static const char *const stripe_log_mode_words[STRIPE_LOG_MODE_MAX] = {
    "auto",
    "on",
    "off",
};

const char *stripe_log_mode_word(enum stripe_log_mode value)
{
    ASSERT((unsigned)value < STRIPE_LOG_MODE_MAX);
    return stripe_log_mode_words[value];
}

bool stripe_log_mode_parse(const char *word, enum stripe_log_mode *ret_value)
{
    for (unsigned i = 0; i < STRIPE_LOG_MODE_MAX; i++) {
        if (strcmp(stripe_log_mode_words[i], word) == 0) {
            *ret_value = (enum stripe_log_mode)i;
            return true;
        }
    }
    return false;
}

static const char *const drive_write_cache_words[DRIVE_WRITE_CACHE_MAX] = {
    "unknown",
    "off",
    "on",
};

const char *drive_write_cache_word(enum drive_write_cache value)
{
    ASSERT((unsigned)value < DRIVE_WRITE_CACHE_MAX);
    return drive_write_cache_words[value];
}

bool drive_write_cache_parse(const char *word, enum drive_write_cache *ret_value)
{
    for (unsigned i = 0; i < DRIVE_WRITE_CACHE_MAX; i++) {
        if (strcmp(drive_write_cache_words[i], word) == 0) {
            *ret_value = (enum drive_write_cache)i;
            return true;
        }
    }
    return false;
}

static const char *const smart_state_words[SMART_STATE_MAX] = {
    "unread",
    "unsupported",
    "asleep",
    "good",
    "failing",
};

const char *smart_state_word(enum smart_state value)
{
    ASSERT((unsigned)value < SMART_STATE_MAX);
    return smart_state_words[value];
}

bool smart_state_parse(const char *word, enum smart_state *ret_value)
{
    for (unsigned i = 0; i < SMART_STATE_MAX; i++) {
        if (strcmp(smart_state_words[i], word) == 0) {
            *ret_value = (enum smart_state)i;
            return true;
        }
    }
    return false;
}

static const char *const smart_figure_words[SMART_FIGURE_MAX] = {
    "temperature_c",
    "power_on_hours",
    "reallocated_sectors",
    "pending_sectors",
    "media_errors",
    "wear_percent",
};

const char *smart_figure_word(enum smart_figure value)
{
    ASSERT((unsigned)value < SMART_FIGURE_MAX);
    return smart_figure_words[value];
}

bool smart_figure_parse(const char *word, enum smart_figure *ret_value)
{
    for (unsigned i = 0; i < SMART_FIGURE_MAX; i++) {
        if (strcmp(smart_figure_words[i], word) == 0) {
            *ret_value = (enum smart_figure)i;
            return true;
        }
    }
    return false;
}

static const char *const drive_cache_effective_words[DRIVE_CACHE_EFFECTIVE_MAX] = {
    "on",
    "off",
    "mixed",
    "unknown",
};

const char *drive_cache_effective_word(enum drive_cache_effective value)
{
    ASSERT((unsigned)value < DRIVE_CACHE_EFFECTIVE_MAX);
    return drive_cache_effective_words[value];
}

bool drive_cache_effective_parse(const char *word, enum drive_cache_effective *ret_value)
{
    for (unsigned i = 0; i < DRIVE_CACHE_EFFECTIVE_MAX; i++) {
        if (strcmp(drive_cache_effective_words[i], word) == 0) {
            *ret_value = (enum drive_cache_effective)i;
            return true;
        }
    }
    return false;
}

static const char *const switch_state_words[SWITCH_STATE_MAX] = {
    "off",
    "on",
};

const char *switch_state_word(enum switch_state value)
{
    ASSERT((unsigned)value < SWITCH_STATE_MAX);
    return switch_state_words[value];
}

bool switch_state_parse(const char *word, enum switch_state *ret_value)
{
    for (unsigned i = 0; i < SWITCH_STATE_MAX; i++) {
        if (strcmp(switch_state_words[i], word) == 0) {
            *ret_value = (enum switch_state)i;
            return true;
        }
    }
    return false;
}

static const char *const access_policy_words[ACCESS_POLICY_MAX] = {
    "read_write",
    "read_only",
    "blocked",
};

const char *access_policy_word(enum access_policy value)
{
    ASSERT((unsigned)value < ACCESS_POLICY_MAX);
    return access_policy_words[value];
}

bool access_policy_parse(const char *word, enum access_policy *ret_value)
{
    for (unsigned i = 0; i < ACCESS_POLICY_MAX; i++) {
        if (strcmp(access_policy_words[i], word) == 0) {
            *ret_value = (enum access_policy)i;
            return true;
        }
    }
    return false;
}

static const char *const operation_kind_words[OPERATION_KIND_MAX] = {
    "rebuild",
    "copyback",
    "background_init",
    "resync",
    "drive_erase",
    "patrol_read",
    "consistency_check",
};

const char *operation_kind_word(enum operation_kind value)
{
    ASSERT((unsigned)value < OPERATION_KIND_MAX);
    return operation_kind_words[value];
}

bool operation_kind_parse(const char *word, enum operation_kind *ret_value)
{
    for (unsigned i = 0; i < OPERATION_KIND_MAX; i++) {
        if (strcmp(operation_kind_words[i], word) == 0) {
            *ret_value = (enum operation_kind)i;
            return true;
        }
    }
    return false;
}

static const char *const operation_state_words[OPERATION_STATE_MAX] = {
    "running",
    "paused",
    "waiting",
    "completed",
    "failed",
    "stopped",
};

const char *operation_state_word(enum operation_state value)
{
    ASSERT((unsigned)value < OPERATION_STATE_MAX);
    return operation_state_words[value];
}

bool operation_state_parse(const char *word, enum operation_state *ret_value)
{
    for (unsigned i = 0; i < OPERATION_STATE_MAX; i++) {
        if (strcmp(operation_state_words[i], word) == 0) {
            *ret_value = (enum operation_state)i;
            return true;
        }
    }
    return false;
}

static const char *const erase_mode_words[ERASE_MODE_MAX] = {
    "simple",
    "normal",
    "thorough",
    "threepass",
};

const char *erase_mode_word(enum erase_mode value)
{
    ASSERT((unsigned)value < ERASE_MODE_MAX);
    return erase_mode_words[value];
}

bool erase_mode_parse(const char *word, enum erase_mode *ret_value)
{
    for (unsigned i = 0; i < ERASE_MODE_MAX; i++) {
        if (strcmp(erase_mode_words[i], word) == 0) {
            *ret_value = (enum erase_mode)i;
            return true;
        }
    }
    return false;
}

static const char *const patrol_mode_words[PATROL_MODE_MAX] = {
    "auto",
    "manual",
    "disabled",
};

const char *patrol_mode_word(enum patrol_mode value)
{
    ASSERT((unsigned)value < PATROL_MODE_MAX);
    return patrol_mode_words[value];
}

bool patrol_mode_parse(const char *word, enum patrol_mode *ret_value)
{
    for (unsigned i = 0; i < PATROL_MODE_MAX; i++) {
        if (strcmp(patrol_mode_words[i], word) == 0) {
            *ret_value = (enum patrol_mode)i;
            return true;
        }
    }
    return false;
}

static const char *const coercion_words[COERCION_MAX] = {
    "none",
    "mib_128",
    "gib_1",
};

const char *coercion_word(enum coercion value)
{
    ASSERT((unsigned)value < COERCION_MAX);
    return coercion_words[value];
}

bool coercion_parse(const char *word, enum coercion *ret_value)
{
    for (unsigned i = 0; i < COERCION_MAX; i++) {
        if (strcmp(coercion_words[i], word) == 0) {
            *ret_value = (enum coercion)i;
            return true;
        }
    }
    return false;
}

static const char *const task_action_words[TASK_ACTION_MAX] = {
    "start",
    "stop",
    "pause",
    "resume",
};

const char *task_action_word(enum task_action value)
{
    ASSERT((unsigned)value < TASK_ACTION_MAX);
    return task_action_words[value];
}

bool task_action_parse(const char *word, enum task_action *ret_value)
{
    for (unsigned i = 0; i < TASK_ACTION_MAX; i++) {
        if (strcmp(task_action_words[i], word) == 0) {
            *ret_value = (enum task_action)i;
            return true;
        }
    }
    return false;
}

static const char *const load_pattern_words[LOAD_PATTERN_MAX] = {
    "random",
    "sequential",
    "files_create",
    "files_read",
    "files_copy",
    "files_copy_far",
};

const char *load_pattern_word(enum load_pattern value)
{
    ASSERT((unsigned)value < LOAD_PATTERN_MAX);
    return load_pattern_words[value];
}

bool load_pattern_parse(const char *word, enum load_pattern *ret_value)
{
    for (unsigned i = 0; i < LOAD_PATTERN_MAX; i++) {
        if (strcmp(load_pattern_words[i], word) == 0) {
            *ret_value = (enum load_pattern)i;
            return true;
        }
    }
    return false;
}

static const char *const measurement_state_words[MEASUREMENT_STATE_MAX] = {
    "running",
    "completed",
    "stopped",
    "failed",
};

const char *measurement_state_word(enum measurement_state value)
{
    ASSERT((unsigned)value < MEASUREMENT_STATE_MAX);
    return measurement_state_words[value];
}

bool measurement_state_parse(const char *word, enum measurement_state *ret_value)
{
    for (unsigned i = 0; i < MEASUREMENT_STATE_MAX; i++) {
        if (strcmp(measurement_state_words[i], word) == 0) {
            *ret_value = (enum measurement_state)i;
            return true;
        }
    }
    return false;
}

static const char *const fault_kind_words[FAULT_KIND_MAX] = {
    "pull",
    "return",
    "replace",
    "media_error",
    "slow",
    "write_error",
    "clear",
};

const char *fault_kind_word(enum fault_kind value)
{
    ASSERT((unsigned)value < FAULT_KIND_MAX);
    return fault_kind_words[value];
}

bool fault_kind_parse(const char *word, enum fault_kind *ret_value)
{
    for (unsigned i = 0; i < FAULT_KIND_MAX; i++) {
        if (strcmp(fault_kind_words[i], word) == 0) {
            *ret_value = (enum fault_kind)i;
            return true;
        }
    }
    return false;
}

static const char *const bad_block_kind_words[BAD_BLOCK_KIND_MAX] = {
    "unreadable",
    "lost",
    "doubtful",
    "punctured",
};

const char *bad_block_kind_word(enum bad_block_kind value)
{
    ASSERT((unsigned)value < BAD_BLOCK_KIND_MAX);
    return bad_block_kind_words[value];
}

bool bad_block_kind_parse(const char *word, enum bad_block_kind *ret_value)
{
    for (unsigned i = 0; i < BAD_BLOCK_KIND_MAX; i++) {
        if (strcmp(bad_block_kind_words[i], word) == 0) {
            *ret_value = (enum bad_block_kind)i;
            return true;
        }
    }
    return false;
}

static const char *const spare_kind_words[SPARE_KIND_MAX] = {
    "global",
    "dedicated",
};

const char *spare_kind_word(enum spare_kind value)
{
    ASSERT((unsigned)value < SPARE_KIND_MAX);
    return spare_kind_words[value];
}

bool spare_kind_parse(const char *word, enum spare_kind *ret_value)
{
    for (unsigned i = 0; i < SPARE_KIND_MAX; i++) {
        if (strcmp(spare_kind_words[i], word) == 0) {
            *ret_value = (enum spare_kind)i;
            return true;
        }
    }
    return false;
}

static const char *const battery_kind_words[BATTERY_KIND_MAX] = {
    "emulated",
    "ups",
    "cachevault",
};

const char *battery_kind_word(enum battery_kind value)
{
    ASSERT((unsigned)value < BATTERY_KIND_MAX);
    return battery_kind_words[value];
}

bool battery_kind_parse(const char *word, enum battery_kind *ret_value)
{
    for (unsigned i = 0; i < BATTERY_KIND_MAX; i++) {
        if (strcmp(battery_kind_words[i], word) == 0) {
            *ret_value = (enum battery_kind)i;
            return true;
        }
    }
    return false;
}

static const char *const battery_state_words[BATTERY_STATE_MAX] = {
    "optimal",
    "charging",
    "discharging",
    "learning",
    "low",
    "degraded",
    "failed",
    "missing",
    "unknown",
};

static const char *const battery_state_shorts[BATTERY_STATE_MAX] = {
    "Optimal",
    "Degraded(Charging)",
    "Degraded(Discharging)",
    "Degraded(Learning)",
    "Degraded(Low)",
    "Degraded(Need Attention)",
    "Failed",
    "Missing",
    "Unknown",
};

const char *battery_state_word(enum battery_state value)
{
    ASSERT((unsigned)value < BATTERY_STATE_MAX);
    return battery_state_words[value];
}

bool battery_state_parse(const char *word, enum battery_state *ret_value)
{
    for (unsigned i = 0; i < BATTERY_STATE_MAX; i++) {
        if (strcmp(battery_state_words[i], word) == 0) {
            *ret_value = (enum battery_state)i;
            return true;
        }
    }
    return false;
}

const char *battery_state_short(enum battery_state value)
{
    ASSERT((unsigned)value < BATTERY_STATE_MAX);
    return battery_state_shorts[value];
}

uint32_t battery_state_mfi(enum battery_state value)
{
    static const uint32_t numbers[BATTERY_STATE_MAX] = {0, 8, 16, 64, 2048, 4, 1024, 1, 512};
    ASSERT((unsigned)value < BATTERY_STATE_MAX);
    return numbers[value];
}

static const char *const battery_fault_words[BATTERY_FAULT_MAX] = {
    "fail",
    "remove",
    "low_charge",
    "overheat",
    "wear_out",
    "power_off",
    "clear",
};

const char *battery_fault_word(enum battery_fault value)
{
    ASSERT((unsigned)value < BATTERY_FAULT_MAX);
    return battery_fault_words[value];
}

bool battery_fault_parse(const char *word, enum battery_fault *ret_value)
{
    for (unsigned i = 0; i < BATTERY_FAULT_MAX; i++) {
        if (strcmp(battery_fault_words[i], word) == 0) {
            *ret_value = (enum battery_fault)i;
            return true;
        }
    }
    return false;
}

static const char *const learn_mode_words[LEARN_MODE_MAX] = {
    "auto",
    "warn",
    "manual",
    "disabled",
};

const char *learn_mode_word(enum learn_mode value)
{
    ASSERT((unsigned)value < LEARN_MODE_MAX);
    return learn_mode_words[value];
}

bool learn_mode_parse(const char *word, enum learn_mode *ret_value)
{
    for (unsigned i = 0; i < LEARN_MODE_MAX; i++) {
        if (strcmp(learn_mode_words[i], word) == 0) {
            *ret_value = (enum learn_mode)i;
            return true;
        }
    }
    return false;
}

static const char *const learn_state_words[LEARN_STATE_MAX] = {
    "idle",
    "announced",
    "due",
    "pending",
    "charging",
    "discharging",
    "recharging",
};

const char *learn_state_word(enum learn_state value)
{
    ASSERT((unsigned)value < LEARN_STATE_MAX);
    return learn_state_words[value];
}

bool learn_state_parse(const char *word, enum learn_state *ret_value)
{
    for (unsigned i = 0; i < LEARN_STATE_MAX; i++) {
        if (strcmp(learn_state_words[i], word) == 0) {
            *ret_value = (enum learn_state)i;
            return true;
        }
    }
    return false;
}

static const char *const learn_result_words[LEARN_RESULT_MAX] = {
    "passed",
    "failed",
    "timed_out",
};

const char *learn_result_word(enum learn_result value)
{
    ASSERT((unsigned)value < LEARN_RESULT_MAX);
    return learn_result_words[value];
}

bool learn_result_parse(const char *word, enum learn_result *ret_value)
{
    for (unsigned i = 0; i < LEARN_RESULT_MAX; i++) {
        if (strcmp(learn_result_words[i], word) == 0) {
            *ret_value = (enum learn_result)i;
            return true;
        }
    }
    return false;
}

static const char *const cache_medium_words[CACHE_MEDIUM_MAX] = {
    "shared_memory",
    "persistent_memory",
    "file_log",
};

const char *cache_medium_word(enum cache_medium value)
{
    ASSERT((unsigned)value < CACHE_MEDIUM_MAX);
    return cache_medium_words[value];
}

bool cache_medium_parse(const char *word, enum cache_medium *ret_value)
{
    for (unsigned i = 0; i < CACHE_MEDIUM_MAX; i++) {
        if (strcmp(cache_medium_words[i], word) == 0) {
            *ret_value = (enum cache_medium)i;
            return true;
        }
    }
    return false;
}

static const char *const cache_state_words[CACHE_STATE_MAX] = {
    "ready",
    "recovering",
    "draining",
    "suspended",
    "failed",
    "missing",
};

const char *cache_state_word(enum cache_state value)
{
    ASSERT((unsigned)value < CACHE_STATE_MAX);
    return cache_state_words[value];
}

bool cache_state_parse(const char *word, enum cache_state *ret_value)
{
    for (unsigned i = 0; i < CACHE_STATE_MAX; i++) {
        if (strcmp(cache_state_words[i], word) == 0) {
            *ret_value = (enum cache_state)i;
            return true;
        }
    }
    return false;
}

static const char *const read_ahead_state_words[READ_AHEAD_STATE_MAX] = {
    "off",
    "watching",
    "reading",
};

const char *read_ahead_state_word(enum read_ahead_state value)
{
    ASSERT((unsigned)value < READ_AHEAD_STATE_MAX);
    return read_ahead_state_words[value];
}

bool read_ahead_state_parse(const char *word, enum read_ahead_state *ret_value)
{
    for (unsigned i = 0; i < READ_AHEAD_STATE_MAX; i++) {
        if (strcmp(read_ahead_state_words[i], word) == 0) {
            *ret_value = (enum read_ahead_state)i;
            return true;
        }
    }
    return false;
}

static const char *const cache_flush_state_words[CACHE_FLUSH_STATE_MAX] = {
    "none",
    "running",
    "done",
    "failed",
};

const char *cache_flush_state_word(enum cache_flush_state value)
{
    ASSERT((unsigned)value < CACHE_FLUSH_STATE_MAX);
    return cache_flush_state_words[value];
}

bool cache_flush_state_parse(const char *word, enum cache_flush_state *ret_value)
{
    for (unsigned i = 0; i < CACHE_FLUSH_STATE_MAX; i++) {
        if (strcmp(cache_flush_state_words[i], word) == 0) {
            *ret_value = (enum cache_flush_state)i;
            return true;
        }
    }
    return false;
}

static const char *const no_battery_rule_words[NO_BATTERY_RULE_MAX] = {
    "refuse",
    "force",
    "revert",
};

const char *no_battery_rule_word(enum no_battery_rule value)
{
    ASSERT((unsigned)value < NO_BATTERY_RULE_MAX);
    return no_battery_rule_words[value];
}

bool no_battery_rule_parse(const char *word, enum no_battery_rule *ret_value)
{
    for (unsigned i = 0; i < NO_BATTERY_RULE_MAX; i++) {
        if (strcmp(no_battery_rule_words[i], word) == 0) {
            *ret_value = (enum no_battery_rule)i;
            return true;
        }
    }
    return false;
}

static const char *const controller_vocabulary_words[CONTROLLER_VOCABULARY_MAX] = {
    "megaraid",
    "threeware",
};

const char *controller_vocabulary_word(enum controller_vocabulary value)
{
    ASSERT((unsigned)value < CONTROLLER_VOCABULARY_MAX);
    return controller_vocabulary_words[value];
}

bool controller_vocabulary_parse(const char *word, enum controller_vocabulary *ret_value)
{
    for (unsigned i = 0; i < CONTROLLER_VOCABULARY_MAX; i++) {
        if (strcmp(controller_vocabulary_words[i], word) == 0) {
            *ret_value = (enum controller_vocabulary)i;
            return true;
        }
    }
    return false;
}

static const char *const command_class_words[COMMAND_CLASS_MAX] = {
    "R",
    "O",
    "D",
    "X",
};

const char *command_class_word(enum command_class value)
{
    ASSERT((unsigned)value < COMMAND_CLASS_MAX);
    return command_class_words[value];
}

bool command_class_parse(const char *word, enum command_class *ret_value)
{
    for (unsigned i = 0; i < COMMAND_CLASS_MAX; i++) {
        if (strcmp(command_class_words[i], word) == 0) {
            *ret_value = (enum command_class)i;
            return true;
        }
    }
    return false;
}

static const char *const command_state_words[COMMAND_STATE_MAX] = {
    "accepted",
    "refused",
    "expired",
    "running",
    "succeeded",
    "failed",
    "indeterminate",
};

const char *command_state_word(enum command_state value)
{
    ASSERT((unsigned)value < COMMAND_STATE_MAX);
    return command_state_words[value];
}

bool command_state_parse(const char *word, enum command_state *ret_value)
{
    for (unsigned i = 0; i < COMMAND_STATE_MAX; i++) {
        if (strcmp(command_state_words[i], word) == 0) {
            *ret_value = (enum command_state)i;
            return true;
        }
    }
    return false;
}

static const struct {
    const char *word;
    const char *text;
} reasons[REASON_MAX] = {
    {"ok",
     "Done."},
    {"invalid_argument",
     "{field}: {problem}."},
    {"unknown_command",
     "This agent does not know the command {op}."},
    {"unknown_object",
     "There is no {kind} {key} on this host."},
    {"ambiguous_object",
     "This key is that of {first} and of {other}, so it does not say which is meant. Nothing was changed. Use arrayctl on the host, which names the one or the other, and delete the one that is out of use there."},
    {"not_permitted",
     "Your role on this host does not permit {op}."},
    {"policy_denied",
     "The host's policy \"{policy}\" refuses {op} from the backend: it {effect}. An administrator can run it on the host."},
    {"policy_confirm_needed",
     "The host's policy \"{policy}\" requires the typed name or serial number of the object for {op}."},
    {"policy_hour_used",
     "The host's policy \"{policy}\" permits {limit} destroying commands an hour from the backend, and they are used up. Repeat {op} in {minutes} min, or run it on the host."},
    {"stale_precondition",
     "It has changed since you looked at it. Look again and repeat the command."},
    {"plan_changed",
     "The drives or settings have changed since this plan was made. Nothing was changed. Preview again, or repeat the command."},
    {"expired",
     "The command expired before it could run."},
    {"interrupted",
     "The agent stopped while this command ran. Look at the present state before you repeat it."},
    {"host_restored",
     "The state of the host went back after this command was sent; whether it ran is not known. Look at the object before you repeat it."},
    {"identity_in_use",
     "Another machine uses this host's identity, or has until a short while ago. If this machine is a copy, give it an identity of its own: arraywright-uplink enrol --force."},
    {"busy",
     "{key} is busy with {operation}. Wait for it or stop it first."},
    {"shutting_down",
     "The agent is shutting down."},
    {"not_online",
     "The controller is not online yet."},
    {"store_full",
     "The agent's state directory is full; nothing was changed."},
    {"store_failed",
     "The agent could not save its configuration ({error}); nothing was changed."},
    {"label_failed",
     "The label of drive {drive} could not be written; nothing was changed."},
    {"label_refused",
     "The label of drive {drive} could not be written; nothing was changed. {why}"},
    {"too_few_drives",
     "{level} needs at least {minimum} drives; {given} were given."},
    {"too_many_drives",
     "{level} takes at most {maximum} drives; {given} were given."},
    {"drive_count_multiple",
     "{level} needs a multiple of {multiple} drives; {given} were given."},
    {"drive_repeated",
     "Drive {drive} was named twice."},
    {"drive_too_small",
     "Drive {drive} is {missing_bytes} too small: it has {size_bytes} usable, and {needed_bytes} are needed."},
    {"drive_not_ugood",
     "Drive {drive} is {state}; only unconfigured good drives can be used."},
    {"drive_gone",
     "Drive {drive} is no longer there."},
    {"drive_in_use",
     "Drive {drive} cannot be used: {why}."},
    {"drive_has_data",
     "Drive {drive} carries {signature}, which this would destroy. If nobody needs it, repeat with force (and, over the API, with the drive's serial number)."},
    {"drive_needed",
     "Drive {drive} belongs to drive group {group}, which cannot work without it. Nothing was changed. To give up the drive group, delete its virtual drives first."},
    {"drive_changed",
     "What is on drive {drive} has changed since the host last looked at it. Nothing was changed. Look at it with \"{drive} show all\", then repeat the command."},
    {"drive_foreign",
     "Drive {drive} carries a foreign label. If nobody needs its data, free it with \"{drive} set good force\"."},
    {"mixed_sector_sizes",
     "Drives with {first} and {second} byte blocks cannot share a drive group."},
    {"mixed_media",
     "SSDs and hard disks cannot share a drive group."},
    {"mixed_interfaces",
     "SAS and SATA drives cannot share a drive group; the controller's policy does not permit it."},
    {"strip_invalid",
     "The strip size must be a power of two from 8 KiB to 1 MiB."},
    {"size_invalid",
     "The size must be at least one row ({row_bytes}) and at most {maximum_bytes}. It is rounded down to whole rows."},
    {"name_invalid",
     "A name has 1 to 15 characters out of A-Z a-z 0-9 _ and -."},
    {"name_taken",
     "The name \"{name}\" is already used by {key}."},
    {"strip_unsupported",
     "{model} has no strips of {given} bytes. It has: {sizes}."},
    {"too_many_spans",
     "{model} takes at most {maximum} spans; {given} would be made."},
    {"no_port",
     "{model} has {ports} ports; {needed} would be needed."},
    {"level_unsupported",
     "The level {level} is not supported by this controller."},
    {"level_differs",
     "Drive group {group} is {level}; its virtual drives must be too."},
    {"group_full",
     "Drive group {group} has no room for another virtual drive of that size."},
    {"too_many_virtual_drives",
     "The limit of {maximum} virtual drives is reached."},
    {"confirm_mismatch",
     "The typed name does not match {expected}; nothing was changed."},
    {"confirm_needed",
     "Type {expected} to confirm."},
    {"virtual_drive_has_content",
     "Virtual drive \"{name}\" carries {content}. To delete it all the same, repeat with force, or with confirm={name}."},
    {"virtual_drive_content_unknown",
     "What virtual drive \"{name}\" carries cannot be read. To delete it all the same, repeat with force, or with confirm={name}."},
    {"init_content",
     "Virtual drive \"{name}\" carries {content}. To initialize it all the same, repeat with force, or with confirm={name}."},
    {"init_content_unknown",
     "What virtual drive \"{name}\" carries cannot be read. To initialize it all the same, repeat with force, or with confirm={name}."},
    {"init_device",
     "Virtual drive \"{name}\" is {device} on this host. Set accesspolicy=blocked first, so that nobody uses it."},
    {"init_preserved",
     "Cached writes of virtual drive \"{name}\" wait for their drives. It can be initialized when they are written or discarded."},
    {"init_failed",
     "The drives of virtual drive \"{name}\" did not take all zeros. What it carried may be destroyed in part."},
    {"virtual_drive_in_use",
     "Virtual drive \"{name}\" has {connections} open connections. Disconnect its users first."},
    {"measure_in_use",
     "Virtual drive \"{name}\" has {connections} open connections. Only one that nobody uses can be measured."},
    {"measure_device",
     "Virtual drive \"{name}\" is {device} on this host. Only one that nobody uses can be measured."},
    {"measure_preserved",
     "Cached writes of virtual drive \"{name}\" wait for their drives; nothing is measured over them."},
    {"measure_failed",
     "The virtual drive answered a request with an error."},
    {"measure_interrupted",
     "The virtual drive was taken away: it is being stopped, changed or deleted."},
    {"expand_no_space",
     "Virtual drive \"{name}\" cannot grow: there is no free space of a row or more directly behind it in {group}."},
    {"expand_size",
     "Virtual drive \"{name}\" has {size_bytes}. It can grow in steps of {row_bytes} up to {maximum_bytes}; it never becomes smaller."},
    {"expand_preserved",
     "Cached writes of virtual drive \"{name}\" wait for their drives. It can grow when they are written or discarded."},
    {"stripe_member",
     "Virtual drive \"{name}\" is part of the stripe \"{stripe}\". Delete the stripe first."},
    {"stripe_member_incomplete",
     "Virtual drive \"{name}\" is part of the stripe \"{stripe}\", which is incomplete. Delete that one first, or use force to give it up."},
    {"stripe_has_data",
     "Virtual drive \"{name}\" carries data, which a stripe overwrites. Use force to give it up."},
    {"spare_too_small",
     "Drive {drive} is {missing_bytes} too small to replace any member of {group}: it has {size_bytes} usable, and {needed_bytes} are needed."},
    {"spare_not_needed",
     "No drive group here has redundancy that a spare could restore."},
    {"spare_none",
     "No suitable hot spare is available."},
    {"copyback_source_lost",
     "The member that was being copied was lost."},
    {"copyback_source_done",
     "Its place was taken by {drive}, which was filled from it."},
    {"copyback_running",
     "Drive {drive} is being filled by a copyback."},
    {"copyback_none",
     "There is no copyback of drive {drive}."},
    {"copyback_one",
     "Drive group {group} has one copyback already; the next can begin when it has ended."},
    {"spare_other_group",
     "It is dedicated to other drive groups."},
    {"spare_other_enclosure",
     "It serves only its own enclosure; the member is in another one."},
    {"spare_failed_before",
     "The last attempt to use it failed: {why} It is tried again automatically."},
    {"spare_set_missing",
     "A user took it out of its place, so it does not stand in automatically."},
    {"rebuild_tried_again",
     "The rebuild of drive {drive} failed and is tried again automatically. {why}"},
    {"spare_chosen_dedicated",
     "It is the best suited hot spare of those dedicated to this drive group."},
    {"spare_chosen_global",
     "It is the best suited global hot spare."},
    {"spare_chosen_emergency_spare",
     "It is the only hot spare left; in an emergency the controller's policy permits one of another kind than the members."},
    {"spare_chosen_emergency_unconfigured",
     "No hot spare is suitable; in an emergency the controller's policy permits an unconfigured good drive."},
    {"spare_after_dedicated",
     "{drive} is dedicated to this drive group and goes first."},
    {"spare_after_regular",
     "{drive} is a suitable hot spare; this one is only for an emergency."},
    {"spare_after_near",
     "{drive} is in the enclosure of the member and goes first."},
    {"spare_after_smaller",
     "{drive} is smaller and large enough."},
    {"spare_after_equal",
     "{drive} is as good and comes first."},
    {"not_a_spare",
     "Drive {drive} is not a hot spare."},
    {"not_rebuilding",
     "Drive {drive} is not being rebuilt."},
    {"nothing_to_rebuild",
     "Drive {drive} is not a member that needs a rebuild."},
    {"already_running",
     "{operation} is already running."},
    {"not_running",
     "{operation} is not running."},
    {"not_emulated",
     "Drive {drive} is a real drive; faults can be tried only on emulated drives."},
    {"last_copy",
     "Drive {drive} holds the last copy of data of {group}; it cannot be taken away."},
    {"wrong_state",
     "{key} is {state}; that does not permit {op}."},
    {"undo_needed",
     "The configuration could not be saved for undo; nothing was changed."},
    {"undo_full",
     "{count} saved configurations are kept already, as many as there is room for; the oldest goes in {days} days. Nothing was changed."},
    {"undo_cache",
     "Acknowledged writes that were only in the cache were given up with it."},
    {"undo_degraded",
     "Not all members of its drive group were in sync when it was deleted."},
    {"undo_bad_blocks",
     "It had blocks that were known to be bad; which ones is not known any more."},
    {"undo_present",
     "Virtual drive \"{name}\" exists."},
    {"undo_group_gone",
     "The drive group it was in is not here."},
    {"undo_space_used",
     "Its place in {group} has been used since."},
    {"undo_damaged",
     "What was saved as {place} cannot be read. With {place} put back out of a copy of the agent's state directory, and the agent started again, it can be restored; without, its room is used again in time."},
    {"undo_uncertain",
     "The newer saved configuration {undo} ({place}) cannot be read: nobody can tell whether the space of this one has been used since. Put {place} back out of a copy of the agent's state directory and start the agent again."},
    {"undo_uncertain_gone",
     "A newer saved configuration could not be read and is gone: nobody can tell whether the space of this one has been used since."},
    {"undo_member_replaced",
     "Another drive has taken a place in {group} since."},
    {"undo_spare_away",
     "Restored, but drive {drive} is not a hot spare of drive group {group} again. {why}"},
    {"undo_drive_gone",
     "Drive {serial} is not there."},
    {"undo_drive_differs",
     "Drive {drive} has another serial number or size than the one that was there."},
    {"undo_drive_used",
     "Drive {drive} is in use again."},
    {"undo_drive_written",
     "Drive {drive} has been written to since."},
    {"undo_drive_unreadable",
     "Drive {drive} could not be read when the configuration was saved: nobody can tell whether it has been written to since."},
    {"host_offline",
     "The host is offline since {since}. Its last known state is shown."},
    {"role_needed",
     "This needs the role {role}."},
    {"no_cache_memory",
     "No cache memory is fitted, so writes go through to the drives."},
    {"as_requested",
     "As requested."},
    {"guarantee_write_through",
     "After an unclean stop the whole virtual drive is resynchronized. If a drive was missing before, none of its blocks can be read until they are written again, data at rest included. If a drive is lost at the stop or before the resynchronization ends, rows being written then may be wrong where it is needed, data at rest included; an event names the amount."},
    {"guarantee_no_redundancy",
     "Acknowledged writes are on the drives after a flush. There is no redundancy: the loss of one drive loses the virtual drive."},
    {"write_policy_no_battery",
     "There is no battery, so writes go through to the drives."},
    {"write_policy_battery_missing",
     "The battery is missing, so writes go through to the drives."},
    {"write_policy_battery_failed",
     "The battery has failed, so writes go through to the drives."},
    {"write_policy_battery_degraded",
     "The battery needs attention, so writes go through to the drives."},
    {"write_policy_battery_low",
     "The battery's charge is too low to keep the cache, so writes go through to the drives."},
    {"write_policy_battery_charging",
     "The battery is being charged; write-back returns when it is full enough."},
    {"write_policy_battery_learning",
     "A learn cycle empties the battery; write-back returns when it is over."},
    {"write_policy_battery_unknown",
     "The battery's state is not known, so writes go through to the drives."},
    {"write_policy_battery_emulated",
     "The emulated battery protects emulated drives only; {drive} is real, so writes go through to the drives."},
    {"write_policy_on_battery",
     "The host runs on its battery, so writes go through to the drives and the cache is emptied."},
    {"write_policy_ups_silent",
     "The UPS {source} does not answer or its figures are stale, so writes go through to the drives."},
    {"write_policy_ups_runtime_unknown",
     "The UPS {source} does not say how long its battery lasts, so writes go through to the drives."},
    {"write_policy_ups_runtime",
     "The UPS leaves no time to empty the cache before the host must stop, so writes go through to the drives."},
    {"write_policy_refused",
     "This controller does not offer write-back without a working battery."},
    {"write_policy_reverted",
     "This controller permits write-back without a battery until it starts again; it has started again."},
    {"write_policy_forced",
     "Write-back is forced without a working battery: a power failure loses what is in the cache."},
    {"write_policy_until_restart",
     "Write-back without a working battery lasts until the controller starts again: a power failure loses what is in the cache."},
    {"cache_no_place",
     "The cache has no place for another virtual drive: writes of this one go through to the drives and nothing is read ahead."},
    {"write_policy_degraded",
     "It has lost redundancy and is to write through meanwhile; write-back returns when it is rebuilt."},
    {"write_policy_shutting_down",
     "The agent is shutting down, so writes go through to the drives."},
    {"write_policy_cache_state",
     "The cache is {state}, so writes go through to the drives."},
    {"write_policy_cache_pinned",
     "Earlier cached writes of the virtual drive are preserved and not on its drives, so nothing new is cached."},
    {"read_policy_cache_state",
     "The cache is {state}, so nothing is read ahead."},
    {"battery_ok",
     "The battery is charged and in good health."},
    {"battery_present",
     "The battery is present; this model tells nothing more."},
    {"battery_persistent",
     "The cache medium keeps its content without power; no battery is needed."},
    {"battery_charging",
     "The battery is being charged."},
    {"battery_discharging",
     "The host runs on the battery."},
    {"battery_learning",
     "A learn cycle measures the battery's capacity."},
    {"battery_charge_low",
     "The battery's charge is too low to keep the cache for the time it is made for."},
    {"battery_hot",
     "The battery is too warm: {temperature_c} degrees Celsius."},
    {"battery_worn",
     "The battery holds {health_percent} % of its design capacity; replace it."},
    {"battery_learn_failed",
     "The last learn cycle failed; replace the battery."},
    {"battery_replace",
     "The UPS asks for a new battery."},
    {"battery_failed",
     "The battery has failed; replace it."},
    {"battery_missing",
     "No battery pack is connected."},
    {"battery_silent",
     "{source} does not answer."},
    {"battery_stale",
     "The figures of {source} are stale."},
    {"battery_driver_gone",
     "The driver of {source} is not connected."},
    {"battery_contradicts",
     "What {source} says contradicts itself (status {status})."},
    {"battery_not_in_line",
     "The UPS does not protect the host now: its status is {status}."},
    {"battery_forced_shutdown",
     "The UPS has announced that it will switch off."},
    {"cache_recovering",
     "The cache's content is being recovered after an unclean stop."},
    {"cache_draining",
     "The cache is being emptied."},
    {"cache_suspended",
     "The cache is not used now: {why}."},
    {"cache_medium_gone",
     "The cache medium {medium} is gone ({error})."},
    {"cache_medium_foreign",
     "The cache medium {medium} belongs to another controller ({controller}); it is left untouched."},
    {"cache_medium_damaged",
     "The cache medium {medium} is damaged ({error}); it is left untouched."},
    {"cache_medium_held",
     "The cache medium {medium} is in use by another process."},
    {"cache_medium_small",
     "The cache medium {medium} has {size_bytes}; at least {needed_bytes} are needed."},
    {"cache_preserved_members",
     "Drives of the virtual drive are missing; its cached writes wait for them."},
    {"cache_preserved_refused",
     "The drives of the virtual drive do not take its cached writes now."},
    {"cache_preserved_changed",
     "The drive group went on without this cache: another system changed it, or the cache is an older copy. Its writes are not put over what is on the drives."},
    {"cache_preserved_unknown",
     "The virtual drive is not known here. Its cached writes reach its drives when it is imported from a foreign configuration."},
    {"finding_virtual_drive_offline",
     "Virtual drive \"{name}\" is offline: too few of its drives are in sync."},
    {"effect_virtual_drive_offline",
     "It cannot be read or written. What is on its drives was not changed."},
    {"finding_virtual_drive_refused",
     "Virtual drive \"{name}\" is offline: drives that it cannot do without refuse writes, and its start has to write."},
    {"remedy_virtual_drive_refused",
     "Remove the cause that the findings of its drives name. It then starts automatically. Do not delete or initialize anything."},
    {"remedy_virtual_drive_offline",
     "Put the missing drives back. Do not delete or initialize anything."},
    {"finding_virtual_drive_degraded",
     "Virtual drive \"{name}\" is degraded. Not in sync: {places}."},
    {"effect_virtual_drive_degraded",
     "It survives no further failure: losing one of {drives} loses its data."},
    {"remedy_virtual_drive_degraded",
     "Nothing is being rebuilt. Replace {drive}, or add a hot spare."},
    {"finding_virtual_drive_partially_degraded",
     "Virtual drive \"{name}\" is partially degraded. Not in sync: {places}."},
    {"effect_virtual_drive_partially_degraded",
     "It survives the failure of {count} more drives."},
    {"remedy_virtual_drive_partially_degraded",
     "Nothing is being rebuilt. Replace {drive}, or add a hot spare."},
    {"remedy_virtual_drive_stale",
     "Put the drives with the newest data back. Do not delete or initialize anything."},
    {"remedy_member_gone",
     "Nothing is being rebuilt. Put the drive with {drive} back, insert a new one in an empty bay, or add a hot spare."},
    {"finding_virtual_drive_lost_blocks",
     "Virtual drive \"{name}\" has unreadable or lost blocks: {count}."},
    {"effect_virtual_drive_lost_blocks",
     "Reading them fails until they are written again. All other data are intact."},
    {"remedy_virtual_drive_lost_blocks",
     "List them with \"{path} show badblocks\", and restore the files concerned from a backup."},
    {"finding_virtual_drive_lost_parity",
     "Virtual drive \"{name}\" has unreadable blocks of parity: {count}."},
    {"effect_virtual_drive_lost_parity",
     "All data can be read. Where the parity is lost, the failure of a drive loses data."},
    {"remedy_virtual_drive_lost_parity",
     "Write the parity again with a consistency check: \"{path} start cc\"."},
    {"remedy_virtual_drive_lost_parity_later",
     "Bring back full redundancy first: no check writes parity while a drive is missing. Then write the parity again with a consistency check: \"{path} start cc\"."},
    {"finding_writes_lost",
     "Virtual drive \"{name}\" has lost acknowledged writes."},
    {"effect_writes_lost",
     "Its data may be older than the programs that use it believe."},
    {"remedy_writes_lost_damaged",
     "Find out what writes to the cache medium besides arrayd, or replace the medium. Check the file systems and applications on the virtual drive, and restore what is damaged from a backup. Then clear the mark with \"{path} delete preservedcache\"."},
    {"remedy_writes_lost",
     "Check the file systems and applications on it, and restore what is damaged from a backup. Then clear the mark with \"{path} delete preservedcache\"."},
    {"finding_data_suspect",
     "The agent stopped uncleanly, and virtual drive \"{name}\" lacked full redundancy then or at the next start. In doubt: up to {bytes}."},
    {"effect_data_suspect",
     "Data that were being written at the stop may be wrong."},
    {"remedy_data_suspect",
     "Bring back full redundancy, then check the file systems and applications on it, and restore what is damaged from a backup. This finding ends with \"{path} delete doubt\" then, or when all data in doubt have been written anew."},
    {"remedy_data_suspect_whole",
     "Full redundancy is back, but it cannot tell which data are right. Check the file systems and applications on it, and restore what is damaged from a backup. This finding ends when all data in doubt have been written anew, or with \"{path} delete doubt\"."},
    {"finding_redundancy_inconsistent",
     "A consistency check of virtual drive \"{name}\" found places where redundancy and data disagree: {count}."},
    {"effect_redundancy_inconsistent",
     "It is not known which of the two is right: what is read there, or rebuilt after a drive failure, may be wrong."},
    {"remedy_redundancy_inconsistent",
     "List the places with \"{path} show cc\", and compare the data there with a backup. A check that corrects makes them agree again, and takes what is read now as right."},
    {"remedy_redundancy_inconsistent_degraded",
     "List the places with \"{path} show cc\", and compare the data there with a backup: they may be wrong. A rebuild takes them as they are, and no check finds them after that."},
    {"effect_redundancy_inconsistent_rebuilt",
     "A drive has been rebuilt since from what is there: the data of these places may be wrong, and a check does not find them any more."},
    {"remedy_redundancy_inconsistent_rebuilt",
     "Compare the data of these places with a backup, and restore what is wrong. The events of that check name them. This ends with a check that corrects, which takes what is read as right."},
    {"finding_write_policy_lowered",
     "Virtual drive \"{name}\" uses {effective} instead of {requested}."},
    {"effect_write_policy_lowered",
     "Writes are slower. No data are at risk."},
    {"remedy_write_policy_lowered",
     "Remove the cause. The requested policy then returns automatically."},
    {"finding_write_policy_waits",
     "Virtual drive \"{name}\" uses {effective} instead of {requested} for now."},
    {"effect_write_policy_waits",
     "Writes are slower. No data are at risk."},
    {"remedy_write_policy_waits",
     "Nothing. The requested policy returns automatically."},
    {"finding_write_back_unprotected",
     "Virtual drive \"{name}\" uses write-back without protection."},
    {"effect_write_back_unprotected",
     "A power failure loses acknowledged writes."},
    {"remedy_write_back_unprotected",
     "Fit a working battery, or choose a policy that does not force write-back."},
    {"finding_stripe_incomplete",
     "Stripe \"{name}\" is incomplete: {found} of its {count} virtual drives are here."},
    {"effect_stripe_incomplete",
     "It is not exported."},
    {"remedy_stripe_incomplete",
     "Bring back the drives of its missing virtual drives."},
    {"finding_drive_failed",
     "Drive {drive} (serial {serial}) failed."},
    {"effect_drive_failed",
     "It is no longer used."},
    {"remedy_drive_failed",
     "Replace it. \"{path} start locate\" makes its bay blink."},
    {"remedy_drive_no_space",
     "Make room for it. Its rebuild is then tried again automatically."},
    {"remedy_drive_read_only",
     "Make it writable. Its rebuild is then tried again automatically."},
    {"remedy_drive_replaced",
     "Another drive has taken its place. Remove the cause, then free it with \"{path} set good\"."},
    {"remedy_drive_replaced_overwritten",
     "Another drive has taken its place. Look at what is on it before you free it with \"{path} set good\"."},
    {"remedy_drive_stale",
     "Rebuild it with \"{path} start rebuild\", or insert another drive."},
    {"effect_drive_stale_offline",
     "It is not used: what it holds is older than what drive group {group} held last. The drive group is offline without it."},
    {"remedy_drive_stale_offline",
     "Put the drive with the newest data back. If all drives of the drive group were restored from images of one moment, and their data are to be used, stop arrayd, move {record} out of the state directory, and start arrayd. What was written after the images is then given up."},
    {"effect_drive_group_offline",
     "Drive group {group} is offline, and this drive does not bring it back."},
    {"remedy_drive_group_offline",
     "Bring drive group {group} back first. This drive can be rebuilt or replaced then."},
    {"remedy_drive_later_offline",
     "Bring drive group {group} back first. Keep this drive until you have compared the data."},
    {"remedy_drive_failed_dark",
     "Replace it. Find it by its serial number, because its bay has no locate LED that this host can switch."},
    {"finding_drive_missing",
     "Drive {drive} (serial {serial}) is missing from drive group {group}."},
    {"effect_drive_missing",
     "The drive group does without it until it is back or replaced."},
    {"effect_drive_missing_offline",
     "The drive group is offline without it."},
    {"remedy_drive_missing_offline",
     "Put it back. A new drive does not bring the data back."},
    {"remedy_drive_missing",
     "Put it back, or insert a new drive in its bay."},
    {"finding_drive_removed",
     "Drive {drive} (serial {serial}) was removed, and another drive has taken its place."},
    {"effect_drive_removed",
     "The drive group does not need it any more. Its bay is empty."},
    {"remedy_drive_removed",
     "Put it back, insert a new drive in its bay, or do without it: \"{path} set missing\"."},
    {"finding_drive_offline",
     "Drive {drive} (serial {serial}) of drive group {group} is offline."},
    {"effect_drive_offline",
     "The drive group does without it."},
    {"remedy_drive_offline",
     "Rebuild it with \"{path} start rebuild\", or replace it."},
    {"finding_drive_out_of_date",
     "Drive {drive} (serial {serial}) was away and may have missed writes of drive group {group}."},
    {"effect_drive_out_of_date",
     "The drive group does without it."},
    {"remedy_drive_out_of_date",
     "Rebuild it with \"{path} start rebuild\", or replace it."},
    {"finding_drive_unconfigured_bad",
     "Drive {drive} (serial {serial}) is unconfigured bad."},
    {"effect_drive_unconfigured_bad",
     "It is not used."},
    {"remedy_drive_apart",
     "Keep it until you have compared the data. If nobody needs what only it holds, free it with \"{path} set good\"."},
    {"remedy_drive_unconfigured_bad",
     "Replace it. If you trust it, free it with \"{path} set good\"."},
    {"finding_drive_shrunk",
     "Drive {drive} (serial {serial}) is {missing} smaller than when it was taken into use: {size} instead of {used} bytes."},
    {"effect_drive_shrunk",
     "What it held at its end is out of reach. The drive is not used, and nothing on it is changed."},
    {"remedy_drive_shrunk",
     "Give the device its former size back. If its content is not needed, free it with \"{path} set good force\"."},
    {"remedy_drive_empty",
     "Attach its file or medium, or take it out of the configuration. The agent looks again every few seconds."},
    {"remedy_drive_shrunk_too_small",
     "Give the device its former size back, or replace the drive."},
    {"finding_drive_unclaimed",
     "Drive {drive} (serial {serial}) belongs to this controller, but the agent cannot claim it."},
    {"effect_drive_unclaimed",
     "Nothing on it is read or written."},
    {"effect_drive_unclaimed_erasing",
     "Its erase is not finished. It goes on as soon as the agent has the drive."},
    {"effect_drive_unclaimed_erased",
     "It is erased in part, and nothing on it is read or written."},
    {"effect_drive_unclaimed_group",
     "Drive group {group} does without it."},
    {"effect_drive_unclaimed_group_offline",
     "Drive group {group} is offline without it."},
    {"effect_drive_unclaimed_spare",
     "This hot spare cannot replace a failed drive."},
    {"finding_drive_named_twice",
     "Drive {drive} is configured twice."},
    {"effect_drive_named_twice",
     "It is used under the other name only."},
    {"remedy_drive_named_twice",
     "Remove {device} from the drives in arrayd.conf, then restart arrayd."},
    {"remedy_drive_unclaimed",
     "Remove the cause. The agent tries again every few seconds and then takes the drive back automatically."},
    {"finding_drive_predictive_failure",
     "Drive {drive} (serial {serial}) predicts that it will fail."},
    {"effect_drive_predictive_failure",
     "It still works, but may fail at any time."},
    {"remedy_drive_predictive_failure",
     "Replace it soon, and keep a hot spare ready."},
    {"finding_drive_media_errors",
     "Drive {drive} (serial {serial}) has had media errors: {count}."},
    {"effect_drive_media_errors",
     "They were corrected wherever redundancy allowed it."},
    {"remedy_drive_media_errors",
     "Watch the drive. Replace it if the number grows."},
    {"finding_drive_slow",
     "Drive {drive} (serial {serial}) is much slower than the other drives of its group."},
    {"effect_drive_slow",
     "It slows down the whole drive group."},
    {"remedy_drive_slow",
     "Check its cable and bay. Replace it if it stays slow."},
    {"finding_drive_refuses_writes",
     "Drive {drive} (serial {serial}) refuses writes."},
    {"effect_drive_refuses_writes",
     "Writes that need it fail. It keeps its place, because the drive group cannot do without it."},
    {"remedy_drive_refuses_writes",
     "Remove the cause. Writes are taken again within seconds of that, and this ends half a minute after the last one that was refused."},
    {"finding_drive_cache_refused",
     "The write cache of drive {drive} (serial {serial}) is not {wanted}, as virtual drive \"{name}\" requests."},
    {"effect_drive_cache_refused",
     "A power failure loses what the drive's cache holds and no flush has covered."},
    {"effect_drive_cache_not_on",
     "Writes to the drive are slower."},
    {"remedy_drive_cache_refused",
     "Replace the drive with one that can be switched, or leave each drive as it came with \"{path} set pdcache=default\"."},
    {"finding_drive_foreign",
     "Drive {drive} (serial {serial}) carries a foreign label that belongs to no set which can be imported."},
    {"effect_drive_foreign",
     "It is not used."},
    {"remedy_drive_foreign",
     "If its content is not needed, free it with \"{path} set good force\"."},
    {"finding_drive_overwritten",
     "Another program wrote to drive {drive} (serial {serial}) of drive group {group}."},
    {"effect_drive_overwritten",
     "The drive is set aside. The drive group does without it, and nothing on it is read or changed."},
    {"effect_drive_overwritten_offline",
     "The drive is set aside, and nothing on it is read or changed. Drive group {group} is offline, and this drive does not bring it back."},
    {"remedy_drive_overwritten",
     "Look at what is on the drive. Then rebuild it with \"{path} start rebuild\", which overwrites that, or replace it."},
    {"effect_drive_overwritten_used",
     "The drive group would be offline without it, so the drive is used, and its data may be wrong."},
    {"remedy_drive_overwritten_used",
     "Compare the data of the drive group with a backup. Once they are right, end this with \"{path} set online\"."},
    {"remedy_drive_overwritten_offline",
     "Bring drive group {group} back first. Then compare its data with a backup."},
    {"finding_drive_path_lost",
     "{device} no longer names what drive {drive} (serial {serial}) uses."},
    {"effect_drive_path_lost",
     "The drive works until the agent stops. The next start does not find it under that name."},
    {"remedy_drive_path_lost",
     "Give it back the name {device} while the agent runs."},
    {"remedy_drive_path_deleted",
     "What is on it is lost when the agent stops. Before that, fill another drive from it with \"{path} start copyback target=DRIVE\"."},
    {"remedy_drive_path_deleted_offline",
     "What is on it is lost when the agent stops. Leave arrayd running, and bring drive group {group} back first: then another drive can be filled from this one."},
    {"remedy_drive_path_deleted_copied",
     "What is on it is lost when the agent stops. Let the copyback from it end first: the other drive takes its place."},
    {"remedy_drive_path_deleted_needed",
     "What is on it is lost when the agent stops. Before that, use it again with \"{path} set online\", then fill another drive from it with \"{path} start copyback target=DRIVE\"."},
    {"remedy_drive_path_deleted_filled",
     "What is copied onto it is lost when the agent stops. Stop that with \"{path} stop copyback\", and begin a copyback onto another drive."},
    {"remedy_drive_path_deleted_rebuild",
     "What is rebuilt onto it is lost when the agent stops. Take it out with \"{path} set offline\", so that a hot spare or another drive takes its place."},
    {"remedy_drive_path_deleted_lost",
     "No data on it are in use. Add a hot spare, or rebuild onto another drive."},
    {"remedy_drive_path_deleted_spare",
     "The hot spare is lost when the agent stops. Take it out with \"{path} delete hotsparedrive\", and make another drive a hot spare."},
    {"finding_configured_drive_missing",
     "Drives that arrayd.conf names do not exist: {names}."},
    {"effect_configured_drive_missing",
     "They are not used."},
    {"remedy_configured_drive_missing",
     "Create or attach them. The agent looks again every few seconds. If they are not wanted any more, remove them from arrayd.conf, then restart arrayd."},
    {"finding_rebuild_failed",
     "The rebuild of drive {drive} (serial {serial}) failed."},
    {"effect_rebuild_failed",
     "Drive group {group} stays degraded."},
    {"remedy_rebuild_failed",
     "Start it again with \"{path} start rebuild\", or replace the drive."},
    {"finding_rebuild_waits",
     "The rebuild of drive {drive} (serial {serial}) waits, because drive group {group} is offline."},
    {"effect_rebuild_waits",
     "The drive is not at fault. Its rebuild goes on automatically when the drive group works again."},
    {"remedy_rebuild_waits",
     "Bring drive group {group} back."},
    {"finding_erase_waits",
     "The erase of drive {drive} (serial {serial}) waits."},
    {"effect_erase_waits",
     "It is erased in part, and cannot be used."},
    {"remedy_erase_waits",
     "Remove the cause. The erase goes on automatically from where it stopped. To end it: \"{path} stop erase\"."},
    {"effect_erase_waits_away",
     "Part of what was on it has not been overwritten and can still be read."},
    {"remedy_erase_waits_away",
     "Put it back. The erase goes on automatically from where it stopped. To end it: \"{path} stop erase\"."},
    {"finding_spare_missing",
     "Hot spare {drive} (serial {serial}) is missing."},
    {"effect_spare_missing",
     "It cannot replace a failed drive."},
    {"remedy_spare_missing",
     "Put it back, add another hot spare, or do without it until it is back: \"{path} delete hotsparedrive\"."},
    {"finding_spare_overwritten",
     "Hot spare {drive} (serial {serial}) has lost its label: another program wrote to the drive."},
    {"effect_spare_overwritten",
     "It is no longer a hot spare and cannot replace a failed drive."},
    {"remedy_spare_overwritten",
     "Look at what is on the drive. Then make it a hot spare again with \"{path} add hotsparedrive\", or do without it: \"{path} delete hotsparedrive\"."},
    {"finding_spare_unusable",
     "Hot spare {drive} (serial {serial}) cannot serve drive group {groups}."},
    {"effect_spare_unusable",
     "If a drive fails there, this hot spare is not used."},
    {"remedy_spare_unusable",
     "Use another drive as hot spare."},
    {"finding_place_empty",
     "Drive group {group} has lost drives: {drives}."},
    {"effect_place_empty",
     "The drive group does without them until they are back or replaced."},
    {"effect_place_empty_offline",
     "The drive group cannot do without them: it works again when enough of them are back."},
    {"effect_place_empty_others",
     "The drive group is offline, and these drives do not bring it back."},
    {"remedy_place_empty_others",
     "Bring the drive group back first. Then put the drives back, or insert new ones in their bays."},
    {"remedy_place_empty",
     "Put the drives back, or insert new ones in their bays."},
    {"place_has_data",
     "The drive in {drive} carries {signature}, so it is not used for the rebuild."},
    {"place_foreign",
     "The drive in {drive} carries a foreign label, so it is not used for the rebuild."},
    {"place_returned",
     "The drive in {drive} is the lost member. It was away and may have missed writes."},
    {"place_returned_later",
     "The drive in {drive} is the lost member. It was in use without the drives that work now and may hold newer data, so it is not used for the rebuild."},
    {"place_unlabelled",
     "Its drives that are here without a label: {drives}. The drive group was deleted on them, or another program wrote to them."},
    {"remedy_place_unlabelled",
     "If the drive group was deleted after the state directory was saved, delete what is left of it with \"{path} delete force\". Otherwise write nothing to these drives: their data may still be there."},
    {"remedy_place_has_data",
     "If nobody needs that content, overwrite it with \"{path} insert dg={group} array={array} row={row} force\". Or insert another drive, or add a hot spare."},
    {"remedy_place_foreign",
     "If nobody needs that content, free the drive with \"{path} set good force\", then rebuild onto it with \"{path} insert dg={group} array={array} row={row}\". Or insert another drive, or add a hot spare."},
    {"remedy_place_needed",
     "Do not overwrite that drive. Put the drive with {member} back, insert another drive, or add a hot spare."},
    {"remedy_place_free",
     "Nothing is being rebuilt. Rebuild onto the drive in {drive} with \"{path} insert dg={group} array={array} row={row}\", or add a hot spare."},
    {"remedy_place_returned",
     "Nothing is being rebuilt. Rebuild onto {drive} with \"{path} insert dg={group} array={array} row={row} force\", insert another drive, or add a hot spare."},
    {"remedy_place_unknown",
     "Nothing is being rebuilt. Put the drive with {member} back, rebuild onto the free drive {drive} with \"{path} insert dg={group} array={array} row={row}\", or add a hot spare."},
    {"remedy_place_gone",
     "Nothing is being rebuilt. Replace {member}, or rebuild onto the free drive {drive} with \"{path} insert dg={group} array={array} row={row}\"."},
    {"finding_place_superseded",
     "Drives of drive group {group} are here but belong to a newer configuration: {drives}."},
    {"effect_place_superseded",
     "Drive group {group} cannot start. The state directory is older than its drives, as after a restore from a backup."},
    {"remedy_place_superseded",
     "Restore the newer state directory while arrayd is stopped. Or delete the virtual drives of drive group {group}, then import what its drives hold with \"{path}/fall import\"."},
    {"finding_spares_used_up",
     "Drive group {group} has no hot spare left: {drive} was one and is a member now."},
    {"effect_spares_used_up",
     "The next drive that fails is not rebuilt automatically."},
    {"remedy_spares_used_up",
     "Add a hot spare."},
    {"remedy_spares_used_up_bay",
     "Put a new drive in bay {bay}, or add a hot spare."},
    {"remedy_spares_used_up_start",
     "Copy {drive} back to {target} with \"{path} start copyback target={target}\", or add a hot spare."},
    {"remedy_spares_used_up_running",
     "A copyback to {target} is running. When it is done, {drive} is a hot spare again."},
    {"remedy_spares_used_up_paused",
     "The copyback to {target} is paused. Continue it with \"{path} resume copyback\"."},
    {"finding_cache_failed",
     "The cache of controller {controller} failed."},
    {"effect_cache_failed",
     "Writes go through to the drives and are slower."},
    {"remedy_cache_failed",
     "Bring its medium back, then restart the agent."},
    {"finding_cache_preserved",
     "Acknowledged writes of {names} are in the cache and wait for their drives."},
    {"effect_cache_preserved",
     "The writes are kept, but they are not on the drives yet."},
    {"remedy_cache_preserved",
     "Put the missing drives back. Discard the writes only if the drives are lost for good: see \"{path} show preservedcache\"."},
    {"remedy_cache_preserved_refused",
     "Remove the cause: no drive is lost, so do not discard the writes. They reach the drives automatically when these take writes again."},
    {"remedy_cache_preserved_unknown",
     "Connect the drives of the virtual drive. When it shows in \"{path}/fall show\", import it: the writes reach its drives then. Discard them only if it is lost for good: see \"{path} show preservedcache\"."},
    {"remedy_cache_preserved_changed",
     "Check the data of the virtual drive. If they are right, discard the writes: see \"{path} show preservedcache\"."},
    {"finding_foreign_configuration",
     "Controller {controller} has found foreign configurations: {count}."},
    {"effect_foreign_configuration",
     "Their drives are not used until you decide."},
    {"finding_foreign_refused",
     "Controller {controller} has found foreign configurations that cannot be imported: {names}."},
    {"remedy_foreign_cache_away",
     "If the cache still exists, stop arrayd, name it in the cache section of arrayd.conf together with the line owner = \"{owner}\";, and start arrayd. Then import with \"{path}/fall import\". Import without it only if these writes are not needed."},
    {"remedy_foreign_deleted",
     "Restore it as it was with \"{path} restore undo={undo}\". An import would take only what these drives hold."},
    {"remedy_foreign_is_here",
     "Take the drives out, or free them with \"{path}/fall delete\". The drive group is not touched."},
    {"remedy_foreign_here_unusable",
     "Remove the cause. The agent looks again every few seconds."},
    {"remedy_foreign_conflict",
     "Take one of the two drives out, with those that were in use together with it, and keep them. Then import the others with \"{path}/fall import\" and compare the data with a backup. Do not clear any of them before that."},
    {"remedy_foreign_here_conflict",
     "Take the drives out and keep them until you have compared the data. Clearing them with \"{path}/fall delete\" gives up what only they hold. The drive group is not touched."},
    {"remedy_foreign_needed",
     "Use the drive with \"{path} set online\"."},
    {"remedy_foreign_copy_needed",
     "Put the drive with {member} back. If it is lost and the copy has all that it held, use the copy with \"{path} set online\"."},
    {"remedy_foreign_needed_elsewhere",
     "Connect the drives to their own controller again, {drive} as {member}. To use them here instead, delete the virtual drives of drive group {group}, then use \"{path}/fall import\"."},
    {"remedy_foreign_lacked_elsewhere",
     "Connect the drives to their own controller again, {drive} as {member}. Free them with \"{path}/fall delete\" only if they are to be used for something else."},
    {"remedy_foreign_copy_older",
     "Put the drive with {member} back, or a newer copy of it. Keep this copy until then."},
    {"remedy_foreign_member_waits",
     "Put the other missing drives of the drive group back first."},
    {"remedy_foreign_incomplete",
     "Connect the missing drives, then use \"{path}/fall import\". If nobody needs the data, clear them with \"{path}/fall delete\"."},
    {"remedy_foreign_duplicate",
     "Take one of the two drives out, then use \"{path}/fall import\"."},
    {"remedy_foreign_unusable",
     "Remove the cause. The agent notices within a minute; then import them with \"{path}/fall import\". If nobody needs the data, clear them with \"{path}/fall delete\"."},
    {"remedy_foreign_refused",
     "See \"{path}/fall show all\". If nobody needs the data, clear them with \"{path}/fall delete\"."},
    {"remedy_foreign_configuration",
     "See \"{path}/fall import preview\". Import them with \"{path}/fall import\". If nobody needs the data, clear them with \"{path}/fall delete\"."},
    {"finding_state_record_damaged",
     "Records in the state directory of controller {controller} were damaged when arrayd started: {files}."},
    {"effect_state_record_damaged",
     "What they held was taken from the drives or begun anew. The event log says what each of them costs."},
    {"remedy_state_record_damaged",
     "Check the settings, or restore the files from a backup while arrayd is stopped. This stays until the next start of arrayd."},
    {"finding_state_record_absent",
     "Records were missing from the state directory of controller {controller} when arrayd started: {files}."},
    {"effect_state_record_absent",
     "Their drive groups are as their drives describe them. If the drives were older copies, what was written after these is lost."},
    {"remedy_state_record_absent",
     "Check the data and the settings. This stays until the next start of arrayd."},
    {"finding_battery_missing",
     "Battery {battery} is missing."},
    {"effect_battery_missing",
     "It does not protect the cache: writes go through to the drives and are slower."},
    {"remedy_battery_missing",
     "Connect the battery, or fit a new one."},
    {"finding_battery_failed",
     "Battery {battery} failed."},
    {"effect_battery_failed",
     "It does not protect the cache: writes go through to the drives and are slower."},
    {"remedy_battery_failed",
     "Replace the battery. Write-back returns when the new one is charged."},
    {"finding_battery_not_ready",
     "Battery {battery} needs attention."},
    {"effect_battery_not_ready",
     "It may not protect the cache until the cause is gone."},
    {"remedy_battery_not_ready",
     "Remove the cause. Write-back then returns automatically."},
    {"finding_battery_charging",
     "Battery {battery} is not fully charged."},
    {"effect_battery_charging",
     "Write-back may wait until it is."},
    {"remedy_battery_charging",
     "Nothing. Charging ends this."},
    {"finding_battery_learn",
     "A learn cycle of battery {battery} is {stage}."},
    {"effect_battery_learn",
     "Write-back is suspended meanwhile, unless the cycle is transparent."},
    {"remedy_battery_learn",
     "Nothing. If the hour does not suit you, choose another."},
    {"finding_battery_learn_due",
     "A learn cycle of battery {battery} is due."},
    {"effect_battery_learn_due",
     "The capacity of the battery is not known exactly any more."},
    {"remedy_battery_learn_due",
     "Start it with \"{path} start learn\" when slower writes do not matter."},
    {"finding_ups_on_battery",
     "The host runs on its UPS ({source})."},
    {"effect_ups_on_battery",
     "Writes go through to the drives, and the cache is emptied while the UPS lasts."},
    {"remedy_ups_on_battery",
     "Restore the mains power. The host shuts down when the UPS is nearly empty."},
    {"finding_state_unwritable",
     "The agent cannot save its state."},
    {"effect_state_unwritable",
     "Configuration changes are refused, and what has happened may be forgotten at the next start."},
    {"remedy_state_unwritable",
     "Free space in the state directory, or make it writable."},
    {"finding_monitor_silent",
     "arraywright-monitor is enabled on this host, but it does not run."},
    {"effect_monitor_silent",
     "The host sends no mail and no metrics."},
    {"remedy_monitor_silent",
     "Look at \"systemctl status arraywright-monitor\" and start it; disable it if it is not wanted."},
    {"finding_findings_omitted",
     "There are more findings than can be listed. Not listed: {count}."},
    {"effect_findings_omitted",
     "What is not listed raises no alert."},
    {"remedy_findings_omitted",
     "Deal with the findings that are listed."},
    {"effect_last_drive",
     "It survives no further failure: losing {drives} loses its data."},
    {"effect_survives_one",
     "It survives one more drive failure."},
    {"effect_last_copy",
     "It holds the last copy of data of drive group {group}."},
    {"remedy_set_online",
     "{drive} holds the last copy of its data. Check its cable and bay, then bring it back with \"{path} set online\"."},
    {"remedy_rebuild_running",
     "{drive} is being rebuilt. Wait until that is done."},
    {"remedy_rebuild_paused",
     "The rebuild of {drive} is paused. Continue it with \"{path} resume rebuild\"."},
    {"remedy_rebuild_stopped",
     "The rebuild of {drive} was stopped. Start it with \"{path} start rebuild\"."},
    {"remedy_spare_waits",
     "A rebuild onto {drive} begins unless the missing drive is back within {seconds} s of its loss."},
    {"remedy_drive_later",
     "Decide which data are right. If nobody needs those on {drive}, rebuild it with \"{path} start rebuild\", which overwrites them."},
    {"remedy_rebuild_start",
     "Rebuild {drive} with \"{path} start rebuild\", replace it, or add a hot spare."},
    {"remedy_rebuild_due",
     "A rebuild onto {drive} is about to begin."},
    {"remedy_auto_rebuild_off",
     "Automatic rebuild is off, so hot spare {drive} is not used. Turn it on with \"{path} set autorebuild=on\"."},
    {"remedy_spare_store",
     "Make room in the agent's state directory, or make it writable. The hot spare is then used automatically."},
    {"remedy_spare_unsaved",
     "Let the drives of the drive group take writes again. The hot spare is then tried again automatically."},
    {"remedy_spare_again",
     "Replace it. If you trust it, take it out with \"{path} delete hotsparedrive\" and add it again."},
    {"state_full",
     "The state directory is full."},
    {"state_failed",
     "Writing to the state directory failed ({error})."},
    {"spare_fault_size",
     "{drive} is {size} too small for drive group {group}."},
    {"spare_fault_blocks",
     "{drive} has blocks of {own} bytes, and drive group {group} has blocks of {needed} bytes."},
    {"spare_fault_media",
     "{drive} is of the kind {own}, and the members of drive group {group} are of the kind {needed}."},
    {"spare_fault_interface",
     "{drive} has a {own} interface, and the members of drive group {group} have {needed}."},
    {"spare_fault_enclosure",
     "{drive} serves only its own enclosure, and drive group {group} has members in another one."},
    {"spare_made_unusable",
     "Drive {drive} is a hot spare now, but it cannot serve drive group {groups}. {why}"},
    {"cache_lost_damaged",
     "Acknowledged writes in the cache medium were damaged: they do not agree with their checksums, and are lost. How many they were is not known."},
    {"cache_lost_medium",
     "The cache medium that held acknowledged writes is gone, and they with it; how many they were is not known."},
    {"cache_lost_power",
     "The power failed without a working battery while acknowledged writes were in the cache; they are lost."},
    {"cache_lost_retention",
     "The power was away longer than the battery could keep the cache; acknowledged writes are lost."},
    {"cache_lost_discarded",
     "The preserved cache was discarded by a user: {bytes} of acknowledged writes are lost."},
    {"doubt_none",
     "No data of virtual drive \"{name}\" are in doubt."},
    {"doubt_unsaved",
     "The drives of virtual drive \"{name}\" cannot be written now. Repeat the command when they can."},
    {"cache_flush_refused",
     "The drives of virtual drive \"{name}\" do not take its cached writes now. See what is preserved with show preservedcache."},
    {"cache_flush_partly",
     "Not flushed, because their drives do not take cached writes now: {names}."},
    {"cache_no_preserved",
     "There is no preserved cache of \"{virtual_drive}\"."},
    {"cache_preserved_blocks",
     "Preserved cache of {virtual_drive} must be written or discarded first."},
    {"dirty_limit_cache",
     "As much as the cache holds."},
    {"dirty_limit_ups",
     "Half of what the drives can take in before the UPS makes the host stop."},
    {"dirty_limit_no_write_back",
     "Nothing is written back now."},
    {"battery_not_emulated",
     "Battery {battery} is real; faults can be tried only on emulated batteries."},
    {"battery_is_persistent",
     "{battery} is the cache medium itself; it has no learn cycle."},
    {"learn_unsupported",
     "{battery} cannot run a learn cycle."},
    {"learn_running",
     "A learn cycle is running on {battery}."},
    {"learn_disabled",
     "Learn cycles are disabled on {battery}."},
    {"learn_date_past",
     "The date of the next learn cycle must lie in the future."},
    {"learn_date_mode",
     "A date needs the learn mode auto or warn."},
    {"stripe_log_not_needed",
     "Virtual drive \"{virtual_drive}\" has no parity, so it needs no stripe log."},
    {"stripe_log_journal",
     "The journal of the cache logs what is being written instead of it, and keeps that without power too."},
    {"stripe_log_journal_memory",
     "The journal of the cache logs what is being written instead of it, in memory that a power failure clears."},
    {"stripe_log_begins",
     "It is being begun on the drives."},
    {"stripe_log_no_memory",
     "There was no memory for it; it is tried again when a setting of its drive group changes, or when the group starts again."},
    {"stripe_log_rests",
     "All drives are in sync. It begins when one is lost, before the next write is acknowledged."},
    {"stripe_log_waits",
     "It has not been begun on the drives: that is done when a setting of its drive group changes, or when the group starts again."},
    {"no_counters",
     "{key} has no counters."},
    {"guarantee_journal",
     "The write hole is closed: parts of rows that were being written at an unclean stop or a power failure are completed from the journal, also with drives missing; whole rows are resynchronized, and a drive lost before that ends may cost what was being written there."},
    {"guarantee_journal_agent",
     "The journal closes the write hole if the agent alone stops; a power failure clears it. If a drive was missing then, its blocks in the regions written last cannot be read until they are written again, data at rest included. If a drive is lost at the stop or before the resynchronization ends, rows being written then may be wrong where it is needed, data at rest included; an event names the amount."},
    {"guarantee_stripe_log",
     "The write hole is closed by the stripe log on the drives: parts of rows that were being written at an unclean stop or a power failure are completed from it, also with drives missing; whole rows are resynchronized, and a drive lost before that ends may cost what was being written there."},
    {"guarantee_stripe_log_auto",
     "While a drive is missing or being rebuilt, the stripe log on the drives closes the write hole. While all are in sync nothing is logged, and an unclean stop costs a short resynchronization. If a drive is lost at the stop or before the resynchronization ends, rows being written then may be wrong where it is needed, data at rest included; an event names the amount."},
    {"guarantee_region_map",
     "An unclean stop resynchronizes the regions written last. If a drive was missing before, its blocks there (1 MiB or more each) cannot be read until written again, data at rest included; stripelog=auto avoids this. If a drive is lost at the stop or before the resynchronization ends, rows being written then may be wrong where it is needed, data at rest included; an event names the amount."},
    {"guarantee_mirror",
     "There is no write hole to close: after an unclean stop the copies of the regions written last are made equal."},
    {"drive_unsuitable_mounted",
     "{device} is mounted on {where}."},
    {"drive_unsuitable_held",
     "{device} is held by {holder}."},
    {"drive_unsuitable_claimed",
     "{device} is claimed by another process."},
    {"drive_unsuitable_same",
     "{device} is the same device or file as {other}."},
    {"drive_unsuitable_signature",
     "{device} carries {signature}."},
    {"drive_unsuitable_read_only",
     "{device} is read-only."},
    {"drive_unsuitable_error",
     "{device} cannot be opened ({error})."},
    {"drive_unsuitable_empty",
     "{device} is empty. If it is a loop device, no file is attached to it."},
    {"drive_unsuitable_small",
     "{device} has {size_bytes}; at least {needed_bytes} are needed."},
    {"jbod_emulated",
     "Drive {drive} is emulated: the host has no device that it could use as it is."},
    {"jbod_configured",
     "Drive {drive} is named in the configuration of the agent, which holds it for itself; only drives found by scanning can be left to the host."},
    {"drive_cache_fixed",
     "The write cache of drive {drive} cannot be switched; only the setting default suits it."},
    {"drive_cache_own",
     "Each drive keeps the setting it came with."},
    {"drive_cache_of_group",
     "Virtual drive \"{virtual_drive}\" of the same drive group asks for {state}, and a drive has one cache for all."},
    {"drive_cache_given_up",
     "Drive {drive} did not follow when its write cache was to be switched."},
    {"drive_cache_waits",
     "Drive {drive} has not been switched yet."},
    {"drive_cache_silent",
     "Drive {drive} does not say how its write cache is set."},
    {"drive_cache_no_drives",
     "None of its drives is here to be asked."},
    {"io_policy_no_cache",
     "There is no cache to keep what is read, so reads go to the drives."},
    {"hedged_reads_no_redundancy",
     "It has no redundancy, so there is no other way to what a slow drive has."},
    {"hedged_reads_degraded",
     "So many drives are missing that there is no second way to any of its data."},
    {"degraded_policy_no_redundancy",
     "It has no redundancy, so it is never degraded: it works, or it is offline."},
    {"access_offline",
     "It is offline: too few of its drives are here to read or write anything."},
    {"access_not_started",
     "Its drive group is not running."},
    {"access_measured",
     "It is being measured, and nobody else may use it meanwhile."},
    {"preset_unknown",
     "{model} has no preset {preset}. It has: {presets}."},
    {"preset_gives_up",
     "The preset {preset} gives up protection: {what}. Repeat with the risk accepted (acceptrisk)."},
    {"risk_write_back_now",
     "Write-back would run without a working battery: a power failure loses writes that were acknowledged."},
    {"risk_write_back_later",
     "Write-back would go on while the battery is not ready: a power failure then loses writes that were acknowledged."},
    {"risk_drive_cache",
     "The drives' own caches would hold what is written until it is flushed: a power failure loses what no flush has covered."},
    {"drive_path_deleted",
     "The file of the drive was deleted."},
    {"drive_path_other",
     "{device} is another file or device now."},
    {"drive_path_gone",
     "{device} does not exist any more."},
    {"drive_lost_pulled",
     "The drive was removed."},
    {"drive_lost_away",
     "The drive was away and may have missed writes."},
    {"drive_lost_write_error",
     "A write to the drive failed."},
    {"drive_lost_read_errors",
     "The drive could not repair its read errors."},
    {"task_group_offline",
     "The drive group went offline."},
    {"drive_lost_timeout",
     "The drive did not answer in time."},
    {"drive_lost_no_space",
     "There is no space left below the drive, so it missed writes. Make room."},
    {"drive_lost_read_only",
     "The drive became read-only, so it missed writes. Make it writable."},
    {"writes_refused",
     "The drives refuse writes: there is no space left below them, or they became read-only."},
    {"drive_no_space",
     "There is no space left below the drive: writes to it fail. Its data stay readable. Make room."},
    {"drive_read_only",
     "The drive became read-only: writes to it fail. Its data stay readable."},
    {"drive_lost_blocks_full",
     "The drive has so many lost blocks that no more can be noted for its drive group, so it is no longer used. Replace it."},
    {"drive_lost_flush",
     "The drive failed to flush its cache."},
    {"drive_predicted_errors",
     "{errors} errors within the error window."},
    {"smart_failing",
     "The drive says itself that it will fail."},
    {"smart_missing",
     "smartctl cannot be started: {detail}."},
    {"smart_unreadable",
     "Its health could not be read: {detail}."},
    {"smart_output",
     "What smartctl said of it cannot be believed: {detail}."},
    {"smart_disabled",
     "Its self-monitoring is switched off."},
    {"smart_unsupported",
     "It tells nothing of its health: {detail}."},
    {"drive_lost_error_limit",
     "The drive had more errors than are borne."},
    {"drive_lost_flapping",
     "The drive vanished and came back too often: look at its cable and its slot before you rebuild it."},
    {"drive_lost_absent",
     "The drive was absent when the controller started."},
    {"drive_lost_stale",
     "The drive missed writes while it was away."},
    {"drive_grown",
     "The device has {size_bytes} now. It was recognized by its label where the old size had it, and {used_bytes} of it are used as before."},
    {"drive_shrunk",
     "The device is {missing} smaller than when it was taken into use: {size} instead of {used} bytes. Nothing on it is changed. Give it its former size back."},
    {"drive_lost_overwritten",
     "Another program wrote to the drive, so its data are not trusted. Look at what is on it."},
    {"drive_overwritten_used",
     "Another program wrote to the drive. Without it the drive group would be offline, so it is used all the same. Its data may be wrong: compare them with a backup."},
    {"drive_lost_user",
     "The drive was taken offline by a user."},
    {"label_unreadable",
     "The label of drive {drive} could not be read."},
    {"label_damaged",
     "The drive carries a damaged label."},
    {"label_newer",
     "The label of drive {drive} was written by a later version of Arraywright: update this agent. Nothing is changed on it."},
    {"label_other_controller",
     "The drive belongs to another controller ({controller})."},
    {"label_unknown_group",
     "The drive was a member of a drive group that is not known here."},
    {"foreign_cache_away",
     "Acknowledged writes of \"{name}\" may be in a cache of controller {owner} that is not here. An import without that cache loses them."},
    {"foreign_deleted",
     "\"{name}\" was deleted here, and can be restored as it was with \"{path} restore undo={undo}\"."},
    {"foreign_degraded",
     "Not all of its drives are there and in sync."},
    {"foreign_incomplete",
     "Too many of its drives are missing, failed or out of date."},
    {"foreign_unsupported",
     "It cannot be run here: {problem}"},
    {"foreign_damaged",
     "Its metadata cannot be believed: {problem}"},
    {"foreign_duplicate",
     "Drive {drive} says that it is a drive which another one is as well; one of the two is a copy. Take one of them out."},
    {"foreign_is_here",
     "These are old or copied members of drive group {group}, which is in use here. Take them out, or clear them."},
    {"foreign_conflict",
     "Drives {drive} and {other} are in conflict: each was in use without the other. Each may hold data that the other does not have."},
    {"foreign_here_conflict",
     "Drive {drive} is in conflict with drive group {group}, which is in use here: it was in use without the drives that work now, and may hold data that the group does not have."},
    {"foreign_needed",
     "Drive {drive} is the drive with {member} that drive group {group} needs, but the agent's records do not name it. Use it with \"{path} set online\"."},
    {"foreign_copy_needed",
     "Drive {drive} is a copy of the drive with {member}, without which drive group {group} is offline. It may be older. Use it with \"{path} set online\", if the drive itself is lost."},
    {"foreign_needed_elsewhere",
     "Drive {drive} belongs to drive group {group} of another controller of this host, which is offline without it. It is neither imported nor cleared here. Connect it to {other} again, or delete the virtual drives there and then import it here."},
    {"foreign_lacked_elsewhere",
     "Drive {drive} belongs to drive group {group} of another controller of this host, which does without it. Connect it to {other} again."},
    {"foreign_copy_older",
     "Drive {drive} is a copy of the drive with {member}, without which drive group {group} is offline. The drive group was at work after the copy was made, so the copy may have missed writes. It is not used."},
    {"foreign_member",
     "Drive {drive} is a lost member of drive group {group}. It was away and may have missed writes. Rebuild onto it with \"{path} insert dg={group} array={array} row={row} force\"."},
    {"foreign_member_later",
     "Drive {drive} is a lost member of drive group {group}. It was in use without the drives that work now and may hold newer data. If nobody needs those, overwrite them with \"{path} insert dg={group} array={array} row={row} force\"."},
    {"foreign_member_waits",
     "Drive {drive} is a lost member of drive group {group}. It was away and may have missed writes. The drive group is offline without its other drives."},
    {"foreign_here_unusable",
     "Drive {drive} is a member of drive group {group}, or a copy of one. It cannot be used: {why}"},
    {"foreign_no_room",
     "Its virtual drives reach so far on drive {drive} that there is no room for what is kept behind them."},
    {"foreign_changed",
     "What is on the drives has changed since they were last looked at. Nothing was changed. Look at them again, then repeat the command."},
    {"foreign_md_left",
     "The set is drive group {group} here since it was imported; this superblock was left when that drive was away, or is a copy, and Linux would still find the old set by it. Clear it: the group, and what is on the drive otherwise, are not touched."},
    {"foreign_md_becomes",
     "Its data stay where they are. The md superblocks are taken off and DDF metadata are written behind the data: Linux assembles it by those from then on, not as an md array of version 1.2 any more, and undo does not bring that back."},
    {"foreign_md_marked",
     "Drive {drive} has metadata of Arraywright or DDF beside md's: which of them count is not for us to say. Take off the one that does not (wipefs lists both)."},
    {"foreign_md_not_whole",
     "Not all of its drives are there and in sync: let Linux complete it first, or, if nobody needs it any more, clear it."},
    {"foreign_md_busy",
     "Linux has not finished {what} of it: let it run there until /proc/mdstat shows nothing more."},
    {"foreign_md_extra",
     "It has {what}, which is not understood here: {remedy}."},
    {"foreign_md_layout",
     "{level} cannot be run here with its data where they are: copy them to a new virtual drive."},
    {"foreign_md_offset",
     "Its data begin at sector {sector} of drive {drive}; here they begin at the same multiple of 1 MiB on all drives: copy them to a new virtual drive."},
    {"foreign_md_no_room",
     "Drive {drive} has {free_kib} KiB free behind its data, and {needed_kib} KiB are needed there: shrink what is on the set so that it fits, then mdadm --grow --size={size_kib}."},
    {"foreign_md_no_room_ever",
     "Drive {drive} has {free_kib} KiB free behind its data, {needed_kib} KiB are needed there, and the set cannot be made smaller: copy its data to a new virtual drive."},
    {"label_duplicate",
     "Drive {drive} carries the same label; one of the two is a copy."},
    {"label_later",
     "The drive was in use without the drives that work now, and may hold newer data. It is rebuilt on request only, which overwrites what it holds."},
    {"label_apart",
     "The drive was in use without the drives that work now, and may hold data that its drive group does not have."},
    {"label_replaced",
     "The drive's place in its drive group was taken by another drive."},
    {"drive_too_small_for_group",
     "Drive {drive} is {missing_bytes} too small for the place in {group}: it has {size_bytes} usable, and {needed_bytes} are needed."},
    {"no_vacant_place",
     "Drive group {group} has no missing or failed member to replace."},
    {"no_unconfigured_drives",
     "There is no unconfigured good drive."},
    {"no_redundancy",
     "{key} has no redundancy; this does not apply to it."},
    {"already_consistent",
     "Virtual drive \"{name}\" is already consistent."},
    {"waits_for_rebuild",
     "It continues when the missing members are rebuilt."},
    {"no_locate_led",
     "Drive {drive} has no locate LED that this host can switch."},
    {"nothing_to_change",
     "The command names nothing to change."},
    {"group_not_started",
     "Drive group {group} is not complete; its drives are awaited."},
    {"group_changed_elsewhere",
     "Drive group {group} is not started, because another system has written to its drives: {why}."},
    {"stopped_by_user",
     "It was stopped by a user."},
    {"drive_being_erased",
     "It is being erased."},
    {"drive_partly_erased",
     "It is erased in part, {percent} %: erase it again, or make it good."},
    {"drive_erasing",
     "Drive {drive} is being erased."},
    {"not_erasing",
     "Drive {drive} is not being erased."},
    {"erase_foreign",
     "Drive {drive} carries a configuration of somebody else. Erasing destroys it; repeat with force."},
    {"erase_has_data",
     "Drive {drive} carries {signature}. Erasing destroys it; repeat with force."},
    {"erase_write_failed",
     "The drive could not be written everywhere."},
    {"erase_read_failed",
     "The drive could not be read back everywhere."},
    {"erase_verify_failed",
     "What was read back is not what was written."},
    {"erase_overwritten",
     "The drive holds other data than the erase has written; it is left as it is."},
    {"erase_interrupted",
     "It had just begun, and it is not known how far it got; it has to be started again."},
    {"no_space_below",
     "There is no space left below the drive. Make room."},
    {"now_read_only",
     "The drive became read-only."},
    {"erase_tried_again",
     "Its erase waits and goes on automatically. {why}"},
    {"patrol_disabled",
     "Patrol read is disabled on this controller. Set its mode to manual or auto first."},
    {"patrol_no_drives",
     "There is nothing to patrol: no hard disk is a member of a drive group or a hot spare."},
    {"patrol_skips_ssd",
     "It is an SSD, and SSDs are not patrolled by default: their own controllers look after their flash. Patrol of SSDs can be switched on."},
    {"patrol_skips_unused",
     "Only members of drive groups and hot spares are patrolled."},
    {"patrol_waits",
     "Waits until the drive groups of what is left are optimal and nothing else works on them."},
    {"patrol_read_failed",
     "The drive did not answer a read."},
    {"check_waits",
     "Waits until the drive group is there again, with redundancy to compare, and no rebuild, copyback or initialization is left to do in it."},
    {"check_needs_redundancy",
     "Virtual drive \"{name}\" is missing a drive. The other drives hold its data only once, so there is nothing to compare. Check it after the rebuild."},
    {"check_needs_consistency",
     "Virtual drive \"{name}\" is not fully initialized or resynchronized. Only consistent data can be checked."},
    {"too_many_erases",
     "As many drives are being erased, or erased in part, as can be remembered."},
    {"drive_spun_down",
     "Drive {drive} is spun down; spin it up first."},
    {"drive_spun_up",
     "Drive {drive} is not spun down."},
    {"spin_unsupported",
     "Drive {drive} has no motor that this host can stop."},
    {"spin_failed",
     "Drive {drive} did not spin down or up ({error})."},
    {"replace_unsaved",
     "The drives of drive group {group} did not take the change ({error})."},
    {"replace_failed",
     "Drive {drive} could not take the place in {group}. {why}"},
    {"report_unreadable",
     "What the host reported cannot be understood."},
    {"command_unanswered",
     "The host has not said what became of the command; it is not sent again."},
    {"warning_no_redundancy",
     "There is no redundancy: the loss of one drive loses the virtual drive."},
    {"warning_no_spare",
     "No hot spare would serve this drive group."},
    {"warning_sizes_differ",
     "The drives differ in size; {wasted_bytes} stay unused."},
    {"warning_models_differ",
     "The drives are of different models; the slowest sets the pace."},
    {"warning_drive_errors",
     "Drive {drive} has reported {count} errors."},
    {"warning_data_destroyed",
     "What drive {drive} carries ({signature}) will be destroyed."},
};

const char *reason_code_word(enum reason_code code)
{
    ASSERT((unsigned)code < REASON_MAX);
    return reasons[code].word;
}

const char *reason_code_text(enum reason_code code)
{
    ASSERT((unsigned)code < REASON_MAX);
    return reasons[code].text;
}
