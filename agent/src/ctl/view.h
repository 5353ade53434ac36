/*
 * Objects as the outside sees them: one struct per document of protocol/objects.schema.json,
 * ready to be printed. Built by ctl, valid during the visit only.
 */
#ifndef ARRAYWRIGHT_CTL_VIEW_H
#define ARRAYWRIGHT_CTL_VIEW_H

#include "base/reason.h"
#include "cache/cache_facts.h"
#include "ctl/command.h"
#include "ctl/finding.h"
#include "drive/drive.h"
#include "drive/drive_health.h"
#include "emulate/emulated_drive.h"
#include "meta/config.h"
#include "meta/controller_record.h"
#include "port/battery_reading.h"
#include "vd/group.h"

struct object_head {
    enum object_kind kind;
    object_key_t key;
    uint64_t rev;
    uint64_t config_rev;
};

/* From its items on, a view is not cleared before it is built. */
#define BLOCKED_MAX 32u
struct blocked {
    uint32_t count;
    struct {
        enum ctl_op op;
        const char *action; /* of an op with actions ("start"), else NULL; printed behind it */
        struct reason reason;
    } items[BLOCKED_MAX];
};

struct host_view {
    const char *hostname, *os, *kernel, *agent_version, *boot_id, *policy_preset;
    uint64_t started_us;
    const struct finding_list *findings; /* of the host */
};

struct level_rule_view {
    enum raid_level level;
    uint32_t drives_min, drives_max, drives_multiple, drives_per_span_default;
    const char *description;
};

#define CACHE_PRESERVED_MAX 64u

struct preserved_view {
    object_key_t vd;
    char name[VD_NAME_MAX + 1]; /* "" if it is not known */
    uint64_t bytes;
    struct reason reason;
};

struct cache_view {
    bool present;
    enum cache_medium medium;
    enum cache_state state;
    struct reason state_reason;      /* REASON_OK: none */
    bool stable;
    bool survives_power_loss;
    bool limited_by_ups;
    struct cache_facts facts;
    bool has_hit_percent;
    uint32_t hit_percent;
    uint64_t destage_bytes_per_s;    /* of the last minute or two */
    uint32_t preserved_count;
    struct preserved_view preserved[CACHE_PRESERVED_MAX];
};

struct vd_cache_view {
    bool present;
    uint64_t dirty_bytes;
    uint64_t idle_ms;                /* before it goes to the drives without need */
    bool pinned;
    bool has_hit_percent;
    uint32_t hit_percent;
    uint32_t streams;
    uint64_t window_bytes;
};

struct controller_view {
    uint32_t index;
    char path[16];
    struct uuid uuid;
    const char *model, *serial, *firmware_version, *profile;
    enum controller_status status;
    uint32_t rebuild_rate_percent, bgi_rate_percent;
    uint32_t glitch_seconds;
    enum coercion coercion;
    struct controller_patrol patrol; /* as it is set, and what has been */
    object_key_t patrol_operation;   /* "": none is under way */
    uint32_t patrol_drives_done, patrol_drives_total;
    uint64_t patrol_errors;
    bool auto_rebuild;
    bool emergency_spare, emergency_unconfigured, mixed_media, mixed_interfaces;
    bool copyback, predictive_copyback;
    bool has_battery;
    enum battery_state battery;
    enum no_battery_rule no_battery_rule;
    const struct controller_profile *capabilities;
    uint32_t level_count;
    struct level_rule_view levels[RAID_LEVEL_MAX];
    const char *nbd_tcp;             /* NULL if off */
    struct cache_view cache;
    const struct finding_list *findings; /* of all else */
    bool findings_whole;             /* false while it starts: there may be more */
    struct blocked blocked;
};

struct ctl_enclosure_config {
    uint32_t eid;
    char model[41];
    uint32_t slot_count;
    uint32_t rows;
    uint32_t columns;
    bool column_major;
    bool emulated;
    bool has_profile;                /* and hot_swap is known */
    bool hot_swap;
};

struct enclosure_view {
    object_key_t controller;
    char path[24];
    const struct ctl_enclosure_config *config;
};

struct drive_view {
    uint64_t patrol_done_us, patrol_read_bytes; /* wall; of this run of the agent */
    bool patrol_skips;
    struct reason patrol_skipped;
    object_key_t controller, enclosure; /* enclosure "" if none */
    char path[32];
    const struct drive_identity *identity;
    enum drive_state state;
    bool present, foreign, locating;
    bool spun_down;
    uint64_t locate_end_us;          /* wall; 0: no end */
    uint64_t size_bytes, usable_bytes, uncoerced_bytes;
    uint32_t block_bytes, physical_block_bytes;
    bool has_temperature;
    int temperature_c;
    const struct drive_health *health; /* NULL: nobody asks it */
    bool smart_failing;
    enum drive_write_cache write_cache;
    object_key_t group;              /* "" if none */
    uint32_t span, row;
    bool spare;
    enum spare_kind spare_kind;
    uint32_t spare_group_count;
    object_key_t spare_groups[COMMAND_SPARES_MAX];
    bool spare_affinity, spare_revertible;
    uint64_t media_errors, other_errors, predictive_failures;
    uint64_t timeouts, retries, slow_commands;
    uint64_t bad_blocks;             /* logical blocks, in its group's table */
    bool slow;
    bool has_unsuitable, has_state_reason;
    struct reason unsuitable, state_reason;
    const struct emulated_drive *emulated;
    struct blocked blocked;
};

struct member_view {
    uint32_t span, row;
    object_key_t drive;              /* "" if no drive is there */
    enum drive_state state;
    const char *serial;
    bool last_copy;                  /* its loss now would take data with it */
};

#define SPARE_CHOICES_MAX 32u
struct spare_choice_view {
    object_key_t drive;
    bool chosen;
    struct reason reason;
};

struct drive_group_view {
    object_key_t controller;
    uint32_t index;
    char path[24];
    const struct group_config *config;
    enum raid_level level;
    enum virtual_drive_state state;
    uint64_t size_bytes, free_bytes;
    uint32_t span_count, drives_per_span;
    enum virtual_drive_state span_states[RAID_SPANS_MAX];
    uint32_t member_count;
    struct member_view members[GROUP_MEMBERS_MAX];
    uint32_t vd_count;
    object_key_t vds[GROUP_VDS_MAX];
    uint32_t spare_count;
    object_key_t spares[COMMAND_SPARES_MAX];
    bool rebuild_waits;              /* to be tried again */
    struct reason rebuild_wait;
    uint32_t choice_count;
    struct blocked blocked;
    struct spare_choice_view choices[SPARE_CHOICES_MAX]; /* for a lost member, or the first one */
};

/* How a block device is reached. */
struct exports_view {
    char nbd_unix_uri[256], nbd_tcp_uri[256]; /* "" if not offered */
    char ublk_path[32];
    uint32_t connections;
};

/* Of a stripe, as a member tells it. */
struct stripe_view {
    const struct vd_stripe *config;  /* NULL: the virtual drive is in none */
    object_key_t key;
    enum host_stripe_state state;
    uint32_t found;                  /* members */
    uint64_t size_bytes;
    struct exports_view exports;
};

struct measurement_view {
    const struct measurement *run;   /* NULL: there was none */
    enum measurement_state state;
    uint64_t began_us, ended_us;     /* ended 0: it is running */
    struct reason reason;            /* REASON_OK: none */
};

#define CHECK_PLACES_MAX 16u

/* Places that earlier checks found, and that nobody has compared since. */
struct check_earlier {
    uint64_t unlisted;
    uint32_t count;
    struct vd_mismatch places[CHECK_PLACES_MAX];
};

uint64_t check_earlier_count(const struct check_earlier *earlier);

/* The last consistency check, or that which runs. */
struct check_view {
    bool any;                        /* there was one */
    bool correct;                    /* the data were to be taken as right */
    enum operation_state state;
    uint64_t began_us, ended_us;     /* ended 0: it is under way */
    uint64_t compared_bytes, left_out_bytes, unreadable_bytes;
    uint64_t corrected, inconsistent; /* places */
    uint32_t place_count;            /* the first ones */
    struct vd_mismatch places[CHECK_PLACES_MAX];
    struct check_earlier earlier;
};

struct virtual_drive_view {
    object_key_t controller, group;
    char path[24];
    const struct vd_config *config;
    enum virtual_drive_state state;
    bool consistent;
    uint32_t drive_failures_left;
    struct policies_view policies;
    const char *preset;              /* NULL: none has these policies */
    struct vd_cache_view cache;
    enum cache_flush_state cache_flush;
    struct reason guarantee;
    struct exports_view exports;
    uint64_t lost_blocks;
    uint64_t hedged_reads;
    struct measurement_view measurement;
    struct check_view check;
    struct stripe_view stripe;
    uint64_t size_max_bytes;         /* what it could be expanded to */
    uint64_t row_bytes;
    uint32_t operation_count;
    object_key_t operations[4];
    struct blocked blocked;
};

struct operation_view {
    object_key_t controller;
    enum operation_kind kind;
    enum operation_state state;
    enum object_kind target_kind;
    object_key_t target, group, source; /* source: "", or of a copyback */
    uint64_t done_bytes, total_bytes;
    double progress_percent;
    uint64_t speed_bytes_per_s;
    int64_t time_left_s;             /* -1: not known */
    uint64_t started_us, ended_us;   /* ended 0: running */
    bool has_reason;
    struct reason reason;
    struct blocked blocked;
};

struct battery_view {
    object_key_t controller;
    char path[16];
    enum battery_kind kind;
    const char *source;
    const struct battery_reading *reading;
    bool protects;
    uint32_t fault_count;
    enum battery_fault faults[BATTERY_FAULT_MAX];
    struct blocked blocked;
};

/* Why acknowledged writes of a virtual drive are lost (its cache_lost). */
void vd_lost_writes_reason(const struct vd_config *config, struct reason *ret_reason);

/* object_kind -> view type: host_view, controller_view, … as `const void *view`. */

#endif
