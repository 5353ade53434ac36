/*
 * Typed commands, one struct per op of protocol/commands.schema.json. Objects are named by
 * their protocol key.
 */
#ifndef ARRAYWRIGHT_CTL_COMMAND_H
#define ARRAYWRIGHT_CTL_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bounds.h"
#include "base/list.h"
#include "base/reason.h"
#include "ctl/profile.h"
#include "meta/config.h"
#include "task/measurement.h"

#define OBJECT_KEY_MAX 64u
#define COMMAND_DRIVES_MAX BOUND_VD_CREATE_DRIVES_MAX
#define COMMAND_SPARES_MAX BOUND_VD_CREATE_SPARES_MAX
#define COMMAND_SERIALS_MAX BOUND_VD_CREATE_SERIALS_MAX
#define COMMAND_PRECONDITIONS_MAX BOUND_COMMAND_PRECONDITIONS_MAX
#define COMMAND_OBJECTS_MAX 8u

typedef char object_key_t[OBJECT_KEY_MAX + 1];

enum ctl_op {
    CTL_OP_VD_CREATE,
    CTL_OP_VD_DELETE,
    CTL_OP_VD_SET,
    CTL_OP_CONTROLLER_SET,
    CTL_OP_SPARE_ADD,
    CTL_OP_SPARE_REMOVE,
    CTL_OP_REBUILD,
    CTL_OP_COPYBACK,
    CTL_OP_BGI,
    CTL_OP_DRIVE_REPLACE,
    CTL_OP_DRIVE_OFFLINE,
    CTL_OP_DRIVE_ONLINE,
    CTL_OP_DRIVE_MISSING,
    CTL_OP_DRIVE_JBOD,
    CTL_OP_DRIVE_GOOD,
    CTL_OP_DRIVE_LOCATE,
    CTL_OP_DRIVE_ERASE,
    CTL_OP_DRIVE_SPINDOWN,
    CTL_OP_DRIVE_SPINUP,
    CTL_OP_FAULT_INJECT,
    CTL_OP_BATTERY_LEARN,
    CTL_OP_BATTERY_SET,
    CTL_OP_BATTERY_FAULT,
    CTL_OP_COUNTERS_RESET,
    CTL_OP_CACHE_DISCARD,
    CTL_OP_CACHE_FLUSH,
    CTL_OP_DOUBT_CLEAR,
    CTL_OP_FOREIGN_IMPORT,
    CTL_OP_FOREIGN_CLEAR,
    CTL_OP_UNDO_RESTORE,
    CTL_OP_STRIPE_CREATE,
    CTL_OP_STRIPE_DELETE,
    CTL_OP_VD_MEASURE,
    CTL_OP_VD_EXPAND,
    CTL_OP_VD_INIT,
    CTL_OP_PATROL_READ,
    CTL_OP_CONSISTENCY_CHECK,
    CTL_OP_MAX
};

const char *ctl_op_word(enum ctl_op op);                 /* "vd_create" */
const char *ctl_op_said(enum ctl_op op);                 /* to people: "add vd" */
bool ctl_op_parse(const char *word, enum ctl_op *ret_op);

enum vd_set_field {
    VD_SET_NAME = 1,
    VD_SET_WRITE_POLICY = 2,
    VD_SET_READ_POLICY = 4,
    VD_SET_IO_POLICY = 8,
    VD_SET_DRIVE_CACHE = 16,
    VD_SET_ACCESS = 32,
    VD_SET_STRIPE_LOG = 64,
    VD_SET_HEDGED_READS = 128,
    VD_SET_PRESET = 256,
    VD_SET_DEGRADED = 512,
    VD_SET_STRIPE_LOG_MODE = 1024
};
#define VD_SET_POLICIES                                                                            \
    (VD_SET_WRITE_POLICY | VD_SET_READ_POLICY | VD_SET_IO_POLICY | VD_SET_DRIVE_CACHE |            \
     VD_SET_DEGRADED)

struct command_vd_create {
    object_key_t controller;
    enum raid_level level;
    uint32_t drive_count;
    object_key_t drives[COMMAND_DRIVES_MAX];
    uint32_t drives_per_span;        /* 0: the level's default */
    object_key_t drive_group;        /* "" or an existing group (then no drives) */
    uint64_t size_bytes;             /* 0: all */
    uint32_t strip_bytes;            /* 0: default */
    char name[VD_NAME_MAX + 1];      /* "": one is made (vd0, vd1, …) */
    uint32_t fields;                 /* enum vd_set_field: which of the policies are given */
    enum write_policy write_policy;
    enum read_policy read_policy;
    enum io_policy io_policy;
    enum drive_cache_policy drive_cache_policy;
    enum degraded_policy degraded_policy;
    char preset[PRESET_NAME_MAX + 1]; /* gives the policies that are not given; "": none */
    bool accept_risk;                /* of the preset */
    bool defaults;                   /* the controller chooses the policies that are not given */
    uint32_t spare_count;
    object_key_t spares[COMMAND_SPARES_MAX];
    bool force;
    uint32_t serial_count;           /* of drives that carry data and may be overwritten */
    char serials[COMMAND_SERIALS_MAX][41];
    char plan_digest[65];            /* "" or from the preview */
};

enum { VD_EXPAND_SIZE = 1 };

struct command_vd_set {
    object_key_t vd;
    uint32_t fields;                 /* enum vd_set_field */
    char name[VD_NAME_MAX + 1];
    enum write_policy write_policy;
    enum read_policy read_policy;
    enum io_policy io_policy;
    enum drive_cache_policy drive_cache_policy;
    enum degraded_policy degraded_policy;
    enum access_policy access;
    bool stripe_log; /* on or off, of before there was a mode */
    enum stripe_log_mode stripe_log_mode;
    bool hedged_reads;
    char preset[PRESET_NAME_MAX + 1];
    bool accept_risk;
};

enum controller_set_field {
    CONTROLLER_SET_REBUILD_RATE = 1,
    CONTROLLER_SET_BGI_RATE = 2,
    CONTROLLER_SET_AUTO_REBUILD = 4,
    CONTROLLER_SET_EMERGENCY_SPARE = 8,
    CONTROLLER_SET_EMERGENCY_UNCONFIGURED = 16,
    CONTROLLER_SET_MIXED_MEDIA = 32,
    CONTROLLER_SET_MIXED_INTERFACES = 64,
    CONTROLLER_SET_COPYBACK = 128,
    CONTROLLER_SET_PREDICTIVE_COPYBACK = 256,
    CONTROLLER_SET_GLITCH_SECONDS = 512,
    CONTROLLER_SET_PATROL_MODE = 1024,
    CONTROLLER_SET_PATROL_RATE = 2048,
    CONTROLLER_SET_PATROL_DELAY = 4096,
    CONTROLLER_SET_PATROL_SSDS = 8192,
    CONTROLLER_SET_PATROL_DRIVES = 16384,
    CONTROLLER_SET_PATROL_NEXT = 32768,
    CONTROLLER_SET_COERCION = 65536
};

enum battery_set_field { BATTERY_SET_LEARN_MODE = 1, BATTERY_SET_NEXT_LEARN = 2 };

/* Over whole virtual drives, in this order. */
struct command_stripe_create {
    char name[VD_NAME_MAX + 1];
    uint32_t vd_count;
    object_key_t vds[STRIPE_MEMBERS_MAX];
    uint32_t strip_bytes;            /* 0: default */
    bool force;                      /* also over data, and members of incomplete stripes */
};

enum drive_erase_field { DRIVE_ERASE_PATTERN_A = 1u, DRIVE_ERASE_PATTERN_B = 2u };

struct ctl_command {
    enum ctl_op op;
    union {
        struct command_vd_create vd_create;
        struct {
            object_key_t vd;
            bool force;
            bool unless_content;     /* refuse if content is recognized on it */
        } vd_delete;
        struct command_vd_set vd_set;
        struct {
            object_key_t vd;
            uint64_t size_bytes;     /* to be; 0: as much as there is */
            uint32_t fields; /* VD_EXPAND_SIZE: given, though it be 0 */
        } vd_expand;
        struct {
            object_key_t vd;
            bool unless_content;     /* refuse if content is recognized on it */
        } vd_init;
        struct {
            object_key_t vd;
            enum task_action action; /* start or stop */
            struct measurement_plan plan; /* start */
        } vd_measure;
        struct {
            object_key_t controller;
            uint32_t fields;
            uint32_t rebuild_rate_percent;
            uint32_t bgi_rate_percent;
            uint32_t glitch_seconds;
            enum coercion coercion;
            enum patrol_mode patrol_mode;
            uint32_t patrol_rate_percent, patrol_delay_hours, patrol_drives_max;
            uint64_t patrol_next_us; /* wall */
            bool patrol_ssds;
            bool auto_rebuild;
            bool emergency_spare, emergency_unconfigured;
            bool mixed_media, mixed_interfaces;
            bool copyback, predictive_copyback;
        } controller_set;
        struct {
            object_key_t drive;
            uint32_t group_count; /* 0: global */
            object_key_t groups[COMMAND_SPARES_MAX];
            bool affinity;       /* serves only its own enclosure */
            bool committable;    /* not revertible */
            bool force;
            char serial[41];
        } spare_add;
        struct {
            object_key_t drive;
        } drive; /* spare_remove, drive_offline, drive_online, drive_missing, drive_jbod,
                    drive_spindown, drive_spinup */
        struct {
            object_key_t target; /* rebuild: drive; bgi: virtual drive; patrol_read: controller */
            enum task_action action;
        } task;
        struct {
            object_key_t vd;
            enum task_action action;
            bool correct;        /* start: the data are right, whatever does not agree */
        } check;
        struct {
            object_key_t drive;  /* start: the member; else it or the drive being filled */
            object_key_t target; /* start: the drive to be filled */
            enum task_action action;
        } copyback;
        struct {
            object_key_t group;
            uint32_t span, row;
            object_key_t drive;
            bool force;
            char serial[41];
        } drive_replace;
        struct {
            object_key_t drive;
            bool force;
            char serial[41];
        } drive_good;
        struct {
            object_key_t drive;
            bool on;
            uint32_t seconds; /* then it is turned off by itself; 0: by command only */
        } drive_locate;
        struct command_drive_erase {
            object_key_t drive;
            enum task_action action; /* start or stop */
            enum erase_mode mode;
            uint32_t fields;     /* enum drive_erase_field */
            uint32_t pattern_a, pattern_b;
            bool force;
        } drive_erase;
        struct {
            object_key_t drive;
            enum fault_kind fault;
            uint64_t lba, count;
            uint32_t latency_ms;
        } fault_inject;
        struct {
            object_key_t battery;
        } battery; /* battery_learn */
        struct {
            object_key_t battery;
            uint32_t fields; /* enum battery_set_field */
            enum learn_mode learn_mode;
            uint64_t next_learn_us;
        } battery_set;
        struct {
            object_key_t battery;
            enum battery_fault fault;
        } battery_fault;
        struct {
            enum object_kind kind; /* controller, drive or virtual drive */
            object_key_t key;
        } counters_reset;
        struct {
            object_key_t controller, vd;
        } cache_discard;
        struct {
            enum object_kind kind; /* controller or virtual drive */
            object_key_t key;
        } cache_flush;
        struct {
            object_key_t vd;
        } doubt_clear;
        struct {
            object_key_t controller, set;
            char digest[65];     /* "" or from the preview */
        } foreign;               /* foreign_import, foreign_clear */
        struct {
            object_key_t controller;
            uint64_t undo;
        } undo_restore;
        struct command_stripe_create stripe_create;
        struct {
            object_key_t stripe;
            bool force;
        } stripe_delete;
    } args;
    object_key_t controller;         /* that has the object the command is about; "": not said */
    char confirm[65];                /* the typed identity, or "" */
    char who[64];                    /* asks, for people; or "" */
    bool local;                      /* asked on the host itself by a local administrator */
    uint32_t precondition_count;
    struct {
        enum object_kind kind;
        object_key_t key;
        uint64_t config_rev;
    } preconditions[COMMAND_PRECONDITIONS_MAX];

    /* reason.code REASON_OK: done. Anything else: refused or failed, unless it is `noted`: done,
     * and the reason is what is to be known about it. */
    void (*complete)(struct ctl_command *command);
    void *owner;
    /* Set when complete is called. */
    struct reason reason;
    bool noted;
    bool changed_something; /* failed half-way: look at the present state */
    uint32_t object_count;
    struct {
        enum object_kind kind;
        object_key_t key;
    } objects[COMMAND_OBJECTS_MAX];

    struct list ctl_link; /* private to the controller while it runs */
    uint64_t ctl_until_us; /* it waits for drives that have just come; 0: not yet */
    void *ctl_private;
};

struct policy_view {
    const char *requested;
    const char *effective;
    struct reason reason;
};

/* What a virtual drive asks for, what it has, and why. */
struct policies_view {
    struct policy_view write_policy, read_policy, io_policy, drive_cache, degraded, access;
    struct policy_view stripe_log, hedged_reads; /* on or off */
};

#define POLICY_RISKS_MAX 2u
struct policy_risks {
    uint32_t count;
    struct reason items[POLICY_RISKS_MAX];
};

struct ctl_policy_preview {
    bool ok;
    struct reason refusal;
    struct policies_view policies;
    struct policy_risks risks;
    char cli[200];
};

struct ctl_preview {
    bool ok;
    uint32_t refusal_count;
    struct reason refusals[8];
    uint32_t warning_count;
    struct reason warnings[8];
    char plan_digest[65]; /* hex SHA-like digest over everything that matters */
    enum raid_level level;
    uint64_t size_bytes, raw_bytes, wasted_bytes;
    uint32_t wasted_count;
    struct {
        object_key_t drive;
        uint64_t bytes;
    } wasted[COMMAND_DRIVES_MAX];
    uint32_t drive_failures_tolerated;
    char tolerance[200]; /* "Any one drive may fail." */
    uint32_t span_count, drives_per_span, strip_bytes, block_bytes;
    uint64_t row_bytes;
    int64_t init_seconds; /* -1: not known */
    bool has_policies;
    struct policies_view policies; /* without what a creation says nothing of */
    struct policy_risks risks;
    char cli[4096]; /* the same as a CLI command; "": too long */
};

#endif
