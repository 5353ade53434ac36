/*
 * Error numbers: see error.h.
 */
#include "cli/error.h"

#include <stddef.h>
#include <string.h>

int cli_error_number(const char *reason_code)
{
    static const struct {
        const char *code;
        int number;
    } numbers[] = {
        {"invalid_argument", 3},         /* invalid parameter */
        {"strip_invalid", 3},
        {"name_invalid", 3},
        {"unknown_object", 12},          /* device not found */
        {"drive_gone", 12},
        {"drive_too_small", 13},         /* drive too small */
        {"drive_too_small_for_group", 13},
        {"spare_too_small", 13},
        {"no_vacant_place", 10},         /* row not empty */
        {"drive_in_use", 11},            /* resource conflict */
        {"foreign_is_here", 11},
        {"foreign_here_unusable", 11},
        {"foreign_here_conflict", 11},
        {"foreign_conflict", 11},
        {"foreign_copy_needed", 11},
        {"foreign_needed", 11},
        {"foreign_copy_older", 11},
        {"foreign_member", 11},
        {"foreign_member_later", 11},
        {"foreign_member_waits", 11},
        {"group_full", 11},
        {"name_taken", 11},
        {"too_many_virtual_drives", 26}, /* too many virtual drives */
        {"group_not_started", 27},       /* not optimal */
        {"no_redundancy", 30},           /* wrong RAID level */
        {"level_unsupported", 30},
        {"level_differs", 30},
        {"no_cache_memory", 32},         /* memory not available */
        {"not_emulated", 38},            /* drive type wrong */
        {"battery_not_emulated", 38},
        {"patrol_disabled", 39},         /* patrol read disabled */
        {"wrong_state", 50},             /* wrong state */
        {"drive_not_ugood", 50},
        {"not_rebuilding", 50},
        {"nothing_to_rebuild", 50},
        {"not_running", 50},
        {"not_a_spare", 50},
        {"not_erasing", 50},
        {"cache_preserved_blocks", 84},  /* pinned cache */
        {"already_running", 85},         /* already running */
        {"learn_running", 85},
        {"drive_erasing", 85},
        {"stale_precondition", 103},     /* configuration sequence mismatch */
        {"foreign_incomplete", 59},      /* incomplete foreign configuration */
        {"busy", 117},                   /* a background operation is running */
        {"size_invalid", 142},           /* below the minimum size */
        {"too_few_drives", 143},         /* wrong number of drives for the level */
        {"too_many_drives", 143},
        {"drive_count_multiple", 143},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(reason_code, numbers[i].code) == 0) {
            return numbers[i].number;
        }
    }
    return CLI_ERROR_GENERIC;
}
