/* Generated from agent/protocol by tools/generate_tables.py; do not edit. */

#ifndef ARRAYWRIGHT_TESTS_WORD_FAMILIES_H
#define ARRAYWRIGHT_TESTS_WORD_FAMILIES_H

#define WORD_FAMILIES(X) \
    X(object_kind, OBJECT_KIND_MAX) \
    X(undo_kind, UNDO_KIND_MAX) \
    X(foreign_format, FOREIGN_FORMAT_MAX) \
    X(foreign_outcome, FOREIGN_OUTCOME_MAX) \
    X(foreign_drive_outcome, FOREIGN_DRIVE_OUTCOME_MAX) \
    X(foreign_state, FOREIGN_STATE_MAX) \
    X(foreign_member_state, FOREIGN_MEMBER_STATE_MAX) \
    X(finding_severity, FINDING_SEVERITY_MAX) \
    X(controller_status, CONTROLLER_STATUS_MAX) \
    X(drive_state, DRIVE_STATE_MAX) \
    X(virtual_drive_state, VIRTUAL_DRIVE_STATE_MAX) \
    X(host_stripe_state, HOST_STRIPE_STATE_MAX) \
    X(drive_media, DRIVE_MEDIA_MAX) \
    X(drive_interface, DRIVE_INTERFACE_MAX) \
    X(write_policy, WRITE_POLICY_MAX) \
    X(read_policy, READ_POLICY_MAX) \
    X(io_policy, IO_POLICY_MAX) \
    X(drive_cache_policy, DRIVE_CACHE_POLICY_MAX) \
    X(degraded_policy, DEGRADED_POLICY_MAX) \
    X(stripe_log_mode, STRIPE_LOG_MODE_MAX) \
    X(drive_write_cache, DRIVE_WRITE_CACHE_MAX) \
    X(smart_state, SMART_STATE_MAX) \
    X(smart_figure, SMART_FIGURE_MAX) \
    X(drive_cache_effective, DRIVE_CACHE_EFFECTIVE_MAX) \
    X(switch_state, SWITCH_STATE_MAX) \
    X(access_policy, ACCESS_POLICY_MAX) \
    X(operation_kind, OPERATION_KIND_MAX) \
    X(operation_state, OPERATION_STATE_MAX) \
    X(erase_mode, ERASE_MODE_MAX) \
    X(patrol_mode, PATROL_MODE_MAX) \
    X(coercion, COERCION_MAX) \
    X(task_action, TASK_ACTION_MAX) \
    X(load_pattern, LOAD_PATTERN_MAX) \
    X(measurement_state, MEASUREMENT_STATE_MAX) \
    X(fault_kind, FAULT_KIND_MAX) \
    X(bad_block_kind, BAD_BLOCK_KIND_MAX) \
    X(spare_kind, SPARE_KIND_MAX) \
    X(battery_kind, BATTERY_KIND_MAX) \
    X(battery_state, BATTERY_STATE_MAX) \
    X(battery_fault, BATTERY_FAULT_MAX) \
    X(learn_mode, LEARN_MODE_MAX) \
    X(learn_state, LEARN_STATE_MAX) \
    X(learn_result, LEARN_RESULT_MAX) \
    X(cache_medium, CACHE_MEDIUM_MAX) \
    X(cache_state, CACHE_STATE_MAX) \
    X(read_ahead_state, READ_AHEAD_STATE_MAX) \
    X(cache_flush_state, CACHE_FLUSH_STATE_MAX) \
    X(no_battery_rule, NO_BATTERY_RULE_MAX) \
    X(controller_vocabulary, CONTROLLER_VOCABULARY_MAX) \
    X(command_class, COMMAND_CLASS_MAX) \
    X(command_state, COMMAND_STATE_MAX)

#endif
