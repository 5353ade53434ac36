/*
 * The daemon's configuration file (libconfig syntax), read once at start.
 *
 * Every key is in a table with its type and bounds. An unknown key, a wrong type, a value
 * out of bounds or a contradiction is an error with file and line, and nothing is started.
 */
#ifndef ARRAYWRIGHT_DAEMON_CONFIG_H
#define ARRAYWRIGHT_DAEMON_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/words.h"
#include "drive/drive.h"
#include "emulate/drive_model.h"
#include "host/config_table.h"
#include "host/process_guard.h"

#define CONFIG_DRIVES_MAX 256u
#define CONFIG_ENCLOSURES_MAX 8u /* of a controller */
#define CONFIG_CONTROLLERS_MAX 8u
#define CONFIG_SOCKET_PATH_MAX 107u
#define CONFIG_ERROR_BYTES 512u
#define CONFIG_NO_PLACE UINT32_MAX

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

struct config_control {
    char socket[CONFIG_SOCKET_PATH_MAX + 1];
    uint32_t mode;               /* permission bits, given as "0660" */
    char group[33];              /* "" leaves the socket to the daemon's own group */
    struct config_list administrator_groups;
    struct config_list operator_groups;
    struct config_list uplink_users;
};

struct config_nbd {
    char unix_path[CONFIG_SOCKET_PATH_MAX + 1];
    uint32_t connection_max;
    uint64_t memory_bytes;       /* for the data of all clients' requests */
    uint32_t busy_poll_percent;  /* of a processor: loop_spin.h */
    bool tcp_enabled;
    char tcp_listen[64];
    uint32_t tcp_port;
    bool tcp_allow_plain;        /* beyond loopback without TLS */
    char tls_certificate[PATH_MAX]; /* "": no TLS */
    char tls_key[PATH_MAX];
    char tls_client_ca[PATH_MAX];   /* "": clients need no certificate */
};

/* How much is done so that the daemon outlives a host that is short of memory. */
struct config_protect {
    enum memory_lock lock_memory;
    int oom_score_adj;
};

/* Whose absence is told (control/monitor_watch.h). */
struct config_monitor {
    char unit[PATH_MAX];
    uint32_t silence_s;
};

struct config_scan {
    bool enabled;
    bool loop_devices;
    struct config_list include;  /* shell patterns of device paths; none: everything */
    struct config_list exclude;
};

/* medium = "shared-memory", "pmem", "log" */
enum config_medium { CONFIG_MEDIUM_SHARED_MEMORY, CONFIG_MEDIUM_PMEM, CONFIG_MEDIUM_LOG };

/* The write-back cache; none without a path. */
struct config_cache {
    enum config_medium medium;
    char path[PATH_MAX];
    uint64_t size_bytes;
    bool has_owner; /* the cache of this controller is opened, too */
    struct uuid owner;
};

struct config_enclosure {
    uint32_t controller;
    uint32_t eid;
    char model[41];
    uint32_t slots;
    uint32_t rows;               /* 0: one row */
    uint32_t columns;            /* 0: as many as the slots need */
    bool column_major;
    bool emulated;
    char profile[33];            /* "" none, or the enclosure's; see profiles_enclosures_read() */
    bool hot_swap;               /* the profile's */
    uint32_t line;
};

struct config_drive {
    uint32_t controller;
    char path[PATH_MAX];
    uint32_t eid;                /* CONFIG_NO_PLACE: in no enclosure */
    uint32_t slot;
    bool emulated;
    char profile[33]; /* emulated: "" none, or the drive's; see profiles_drives_read() */
    uint64_t size_bytes; /* emulated: of the file that is made; else 0 */
    struct emulated_timing timing;
    enum drive_media media;
    char model[41];
    uint32_t line;
};

struct config_battery {
    bool fitted;
    enum battery_kind kind;
    char profile[33]; /* emulated */
    uint32_t speed; /* emulated: seconds of its life per second */
    char ups[320]; /* NAME@HOST:PORT */
    uint32_t poll_s; /* UPS: between two questions */
    uint32_t settle_s; /* UPS: a better state must last so long */
    uint32_t shutdown_s; /* UPS: the host's time to stop */
    uint32_t low_runtime_s; /* UPS: if it does not say itself */
    bool absorbs_flush; /* UPS */
    uint32_t line;
};

/* One of `controllers`, or what is at the top of the file if there is but one. */
struct config_controller {
    uint32_t index; /* its place in the list: /c0, /c1, … */
    char model[41]; /* "": the profile's */
    char profile[33];
    uint32_t profile_line;
    struct config_battery battery;
    struct config_cache cache;
};

/* How much of the event log is kept; 0: the default of host/event_log.h. */
struct config_events {
    uint32_t count_max;
    uint64_t bytes_max;
    uint32_t days_max; /* 0: however old */
};

struct daemon_config {
    char state_dir[PATH_MAX];
    enum log_level log_level;
    char policy[17];
    uint32_t claim_wait_s; /* for drives whose claim a killed predecessor still holds */
    char profiles_dir[PATH_MAX];
    struct config_control control;
    struct config_events events;
    struct config_monitor monitor;
    struct config_nbd nbd;
    bool ublk_enabled;
    struct config_protect protect;
    struct config_scan scan; /* what it finds comes to the first controller */
    struct drive_options drive_limits; /* 0: the default of drive/drive.h */
    uint32_t controller_count;
    struct config_controller controllers[CONFIG_CONTROLLERS_MAX];
    /* Of all controllers. */
    uint32_t enclosure_count;
    struct config_enclosure enclosures[CONFIG_CONTROLLERS_MAX * CONFIG_ENCLOSURES_MAX];
    uint32_t drive_count;
    struct config_drive drives[CONFIG_DRIVES_MAX];
};

/* 0, or -errno with "FILE:LINE: what is wrong" in error. The result is free()d by the caller. */
MUST_CHECK int daemon_config_read(const char *path, struct daemon_config **ret_config,
                                  char error[CONFIG_ERROR_BYTES]);

#endif
