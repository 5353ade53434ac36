/*
 * See metrics_table.h. Units are seconds, bytes, degrees Celsius and ratios; counters end in
 * _total.
 */
#include "cli/metrics_table.h"

#define MICROSECONDS 1e6
#define PERCENT 100.0

static const char *controller_state(unsigned state)
{
    return controller_status_word((enum controller_status)state);
}

static const char *vd_state(unsigned state)
{
    return virtual_drive_state_word((enum virtual_drive_state)state);
}

static const char *drive_state_text(unsigned state)
{
    return drive_state_word((enum drive_state)state);
}

static const char *battery_state_text(unsigned state)
{
    return battery_state_word((enum battery_state)state);
}

#define GAUGE(name, help, kind, inner, field)                                                      \
    {name, help, OBJECT_KIND_##kind, inner, field, 0, false, 0, NULL}
#define SCALED(name, help, kind, inner, field, divisor)                                            \
    {name, help, OBJECT_KIND_##kind, inner, field, divisor, false, 0, NULL}
#define COUNTER(name, help, kind, inner, field)                                                    \
    {name, help, OBJECT_KIND_##kind, inner, field, 0, true, 0, NULL}
#define STATES(name, help, kind, field, count, word)                                               \
    {name, help, OBJECT_KIND_##kind, NULL, field, 0, false, count, word}

const struct metric metrics_table[] = {
    SCALED("agent_start_time_seconds", "When arrayd started.", HOST, NULL, "started_at_us",
           MICROSECONDS),
    STATES("controller_status", "Status of the controller: its worst finding.", CONTROLLER,
           "status", CONTROLLER_STATUS_MAX, controller_state),
    GAUGE("cache_size_bytes", "Room for data in the cache.", CONTROLLER, "cache", "size_bytes"),
    GAUGE("cache_used_bytes", "Clean and dirty data in the cache.", CONTROLLER, "cache",
          "used_bytes"),
    GAUGE("cache_dirty_bytes", "Acknowledged writes that are in the cache only.", CONTROLLER,
          "cache", "dirty_bytes"),
    GAUGE("cache_dirty_limit_bytes", "Writers are slowed before so much is dirty.", CONTROLLER,
          "cache", "dirty_limit_bytes"),
    GAUGE("cache_pinned_bytes", "Cached writes whose drives are missing.", CONTROLLER, "cache",
          "pinned_bytes"),
    COUNTER("patrol_iterations_total", "Complete patrol reads.", CONTROLLER, "patrol",
            "iterations"),
    GAUGE("patrol_media_errors",
          "Media errors found by the patrol read under way, or by the last one.", CONTROLLER,
          "patrol", "errors"),
    SCALED("patrol_last_completion_timestamp_seconds", "When a patrol read was last complete.",
           CONTROLLER, "patrol", "last_at_us", MICROSECONDS),
    GAUGE("virtual_drive_inconsistent_places",
          "Places that the last consistency check found and did not correct.", VIRTUAL_DRIVE,
          "consistency_check", "inconsistent_count"),
    GAUGE("virtual_drive_inconsistent_earlier_places",
          "Places that an earlier check found, not compared again since.", VIRTUAL_DRIVE,
          "consistency_check", "earlier_inconsistent_count"),
    GAUGE("virtual_drive_corrected_places", "Places that the last consistency check corrected.",
          VIRTUAL_DRIVE, "consistency_check", "corrected_count"),
    SCALED("virtual_drive_check_end_timestamp_seconds", "When a consistency check last ended.",
           VIRTUAL_DRIVE, "consistency_check", "ended_at_us", MICROSECONDS),
    STATES("virtual_drive_state", "State of a virtual drive.", VIRTUAL_DRIVE, "state",
           VIRTUAL_DRIVE_STATE_MAX, vd_state),
    GAUGE("virtual_drive_size_bytes", "Size of a virtual drive.", VIRTUAL_DRIVE, NULL,
          "size_bytes"),
    GAUGE("virtual_drive_consistent", "Whether its redundancy is known to be consistent.",
          VIRTUAL_DRIVE, NULL, "consistent"),
    GAUGE("virtual_drive_failures_left", "Drives that may still fail.", VIRTUAL_DRIVE, NULL,
          "drive_failures_left"),
    GAUGE("virtual_drive_bad_blocks", "Unreadable and lost blocks.", VIRTUAL_DRIVE, NULL,
          "bad_block_count"),
    COUNTER("virtual_drive_media_errors_total", "Blocks that could not be recovered.",
            VIRTUAL_DRIVE, NULL, "media_error_count"),
    COUNTER("virtual_drive_hedged_reads_total",
            "Reads that took too long and were answered from the redundancy.", VIRTUAL_DRIVE, NULL,
            "hedged_read_count"),
    GAUGE("virtual_drive_dirty_bytes", "Its acknowledged writes that are in the cache only.",
          VIRTUAL_DRIVE, "cache", "dirty_bytes"),
    STATES("drive_state", "State of a drive.", DRIVE, "state", DRIVE_STATE_MAX, drive_state_text),
    GAUGE("drive_size_bytes", "Usable size of a drive.", DRIVE, NULL, "usable_bytes"),
    GAUGE("drive_slow", "Whether it is much slower than the other drives of its group.", DRIVE,
          NULL, "slow"),
    GAUGE("drive_bad_blocks", "Unreadable and lost blocks.", DRIVE, NULL, "bad_block_count"),
    COUNTER("drive_media_errors_total", "Media errors of a drive.", DRIVE, NULL,
            "media_error_count"),
    COUNTER("drive_other_errors_total", "Other errors of a drive.", DRIVE, NULL,
            "other_error_count"),
    COUNTER("drive_predictive_failures_total", "Failures that a drive has predicted.", DRIVE, NULL,
            "predictive_failure_count"),
    COUNTER("drive_timeouts_total", "Commands that a drive did not answer in time.", DRIVE, NULL,
            "timeout_count"),
    COUNTER("drive_retries_total", "Commands that were tried again.", DRIVE, NULL, "retry_count"),
    COUNTER("drive_slow_commands_total", "Commands that took a drive very long.", DRIVE, NULL,
            "slow_command_count"),
    GAUGE("drive_temperature_celsius", "Temperature of a drive.", DRIVE, NULL, "temperature_c"),
    COUNTER("drive_patrol_read_bytes_total", "Read of a drive by patrol reads.", DRIVE, "patrol",
            "read_bytes"),
    SCALED("drive_patrol_completion_timestamp_seconds",
           "When a patrol read had last read all of a drive.", DRIVE, "patrol", "done_at_us",
           MICROSECONDS),
    STATES("battery_state", "State of the battery.", BATTERY, "state", BATTERY_STATE_MAX,
           battery_state_text),
    GAUGE("battery_protects", "Whether write-back is allowed because of it.", BATTERY, NULL,
          "protects"),
    SCALED("battery_charge_ratio", "Charge of the battery: 1 is full.", BATTERY, NULL,
           "charge_percent", PERCENT),
    GAUGE("battery_temperature_celsius", "Temperature of the battery.", BATTERY, NULL,
          "temperature_c"),
    SCALED("operation_progress_ratio", "Progress of background work that runs or waits.", OPERATION,
           NULL, "progress_percent", PERCENT),
    GAUGE("operation_speed_bytes_per_second", "Speed of background work.", OPERATION, NULL,
          "speed_bytes_per_s"),
};
const size_t metrics_table_count = sizeof(metrics_table) / sizeof(metrics_table[0]);

const struct metric_info metrics_info[] = {
    {"agent_info",
     "The agent and its host.",
     OBJECT_KIND_HOST,
     {{"hostname", "hostname"}, {"version", "agent_version"}, {"kernel", "kernel"}}},
    {"controller_info",
     "What a controller is called.",
     OBJECT_KIND_CONTROLLER,
     {{"path", "path"},
      {"uuid", "uuid"},
      {"model", "model"},
      {"serial", "serial"},
      {"firmware", "firmware_version"}}},
    {"virtual_drive_info",
     "What a virtual drive is called now.",
     OBJECT_KIND_VIRTUAL_DRIVE,
     {{"path", "path"}, {"name", "name"}, {"level", "level"}}},
    {"drive_info",
     "What a drive is, and where it is now.",
     OBJECT_KIND_DRIVE,
     {{"path", "path"},
      {"serial", "serial"},
      {"wwn", "wwn"},
      {"vendor", "vendor"},
      {"model", "model"},
      {"firmware", "firmware"},
      {"media", "media"},
      {"interface", "interface"},
      {"device", "device"},
      {"drive_group", "drive_group"}}},
    {"battery_info",
     "What a battery is called.",
     OBJECT_KIND_BATTERY,
     {{"path", "path"}, {"kind", "kind"}, {"model", "model"}, {"serial", "serial"}}},
};
const size_t metrics_info_count = sizeof(metrics_info) / sizeof(metrics_info[0]);
