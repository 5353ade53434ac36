/*
 * The keys of arrayd.conf, their defaults and what must hold between them: see config.h.
 */
#include "daemon/config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "drive/drive_layout.h"
#include "host/config_table.h"
#include "host/ups_client.h"

#define CACHE_SIZE_MIN_BYTES (UINT64_C(1) << 20)
#define CACHE_SIZE_MAX_BYTES (UINT64_C(1) << 40)
#define CACHE_SIZE_STEP_BYTES 4096u
#define EMULATED_SIZE_MAX_BYTES (UINT64_C(1) << 44)
#define AT(type, member) offsetof(struct type, member)
#define END {NULL, CONFIG_BOOL, 0, 0, 0, NULL, NULL, false}

static bool log_level_read(struct config_reader *reader, const config_setting_t *setting,
                           void *target)
{
    static const char *const words[] = {"error", "warning", "info", "debug"};
    const char *text = config_setting_get_string(setting);

    for (unsigned i = 0; text != NULL && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i]) == 0) {
            *(enum log_level *)target = (enum log_level)i;
            return true;
        }
    }
    return config_fail(reader, setting,
                       "log_level must be \"error\", \"warning\", \"info\" or \"debug\"");
}

static bool policy_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    const char *text = config_setting_get_string(setting);

    if (text == NULL || (strcmp(text, "standard") != 0 && strcmp(text, "strict") != 0 &&
                         strcmp(text, "lab") != 0)) {
        return config_fail(reader, setting, "policy must be \"standard\", \"strict\" or \"lab\"");
    }
    (void)snprintf(target, sizeof(((struct daemon_config *)NULL)->policy), "%s", text);
    return true;
}

static bool media_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    const char *text = config_setting_get_string(setting);

    if (text == NULL || !drive_media_parse(text, target)) {
        return config_fail(reader, setting, "media must be \"hdd\" or \"ssd\"");
    }
    return true;
}

static bool order_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    const char *text = config_setting_get_string(setting);

    if (text == NULL || (strcmp(text, "row_major") != 0 && strcmp(text, "column_major") != 0)) {
        return config_fail(reader, setting, "order must be \"row_major\" or \"column_major\"");
    }
    *(bool *)target = strcmp(text, "column_major") == 0;
    return true;
}

static const struct config_key tls_keys[] = {
    {"certificate", CONFIG_PATH, AT(config_nbd, tls_certificate), 2, PATH_MAX - 1, NULL, NULL,
     true},
    {"key", CONFIG_PATH, AT(config_nbd, tls_key), 2, PATH_MAX - 1, NULL, NULL, true},
    {"client_ca", CONFIG_PATH, AT(config_nbd, tls_client_ca), 2, PATH_MAX - 1, NULL, NULL, false},
    END};

static const struct config_key tcp_keys[] = {
    {"enabled", CONFIG_BOOL, AT(config_nbd, tcp_enabled), 0, 0, NULL, NULL, false},
    {"listen", CONFIG_TEXT, AT(config_nbd, tcp_listen), 1, 63, NULL, NULL, false},
    {"port", CONFIG_U32, AT(config_nbd, tcp_port), 1, 65535, NULL, NULL, false},
    {"allow_plain", CONFIG_BOOL, AT(config_nbd, tcp_allow_plain), 0, 0, NULL, NULL, false},
    {"tls", CONFIG_GROUP, 0, 0, 0, tls_keys, NULL, false},
    END};

static const struct config_key nbd_keys[] = {
    {"unix", CONFIG_PATH, AT(config_nbd, unix_path), 1, CONFIG_SOCKET_PATH_MAX, NULL, NULL, false},
    {"connections", CONFIG_U32, AT(config_nbd, connection_max), 1, 1000, NULL, NULL, false},
    {"memory", CONFIG_SIZE, AT(config_nbd, memory_bytes), UINT64_C(32) << 20, UINT64_C(16) << 30,
     NULL, NULL, false},
    {"tcp", CONFIG_GROUP, 0, 0, 0, tcp_keys, NULL, false},
    END};

static const struct config_key ublk_keys[] = {
    {"enabled", CONFIG_BOOL, AT(daemon_config, ublk_enabled), 0, 0, NULL, NULL, false}, END};

static bool lock_memory_read(struct config_reader *reader, const config_setting_t *setting,
                             void *target)
{
    static const char *const words[MEMORY_LOCK_MAX] = {"auto", "yes", "no"};
    const char *text = config_setting_get_string(setting);

    for (unsigned i = 0; text != NULL && i < MEMORY_LOCK_MAX; i++) {
        if (strcmp(text, words[i]) == 0) {
            *(enum memory_lock *)target = (enum memory_lock)i;
            return true;
        }
    }
    return config_fail(reader, setting, "lock_memory must be \"auto\", \"yes\" or \"no\"");
}

static bool oom_score_read(struct config_reader *reader, const config_setting_t *setting,
                           void *target)
{
    int value = config_setting_get_int(setting);

    if (config_setting_type(setting) != CONFIG_TYPE_INT || value < -1000 || value > 1000) {
        return config_fail(reader, setting, "oom_score_adj must be a number from -1000 to 1000");
    }
    *(int *)target = value;
    return true;
}

static const struct config_key protect_keys[] = {
    {"lock_memory", CONFIG_CUSTOM, AT(config_protect, lock_memory), 0, 0, NULL, lock_memory_read,
     false},
    {"oom_score_adj", CONFIG_CUSTOM, AT(config_protect, oom_score_adj), 0, 0, NULL, oom_score_read,
     false},
    END};

static const struct config_key control_keys[] = {
    {"socket", CONFIG_PATH, AT(config_control, socket), 1, CONFIG_SOCKET_PATH_MAX, NULL, NULL,
     false},
    {"mode", CONFIG_MODE, AT(config_control, mode), 0, 0, NULL, NULL, false},
    {"group", CONFIG_TEXT, AT(config_control, group), 0, 32, NULL, NULL, false},
    {"administrator_groups", CONFIG_LIST, AT(config_control, administrator_groups), 0, 0, NULL,
     NULL, false},
    {"operator_groups", CONFIG_LIST, AT(config_control, operator_groups), 0, 0, NULL, NULL, false},
    {"uplink_users", CONFIG_LIST, AT(config_control, uplink_users), 0, 0, NULL, NULL, false},
    END};

static const struct config_key scan_keys[] = {
    {"enabled", CONFIG_BOOL, AT(config_scan, enabled), 0, 0, NULL, NULL, false},
    {"loop_devices", CONFIG_BOOL, AT(config_scan, loop_devices), 0, 0, NULL, NULL, false},
    {"include", CONFIG_LIST, AT(config_scan, include), 0, 0, NULL, NULL, false},
    {"exclude", CONFIG_LIST, AT(config_scan, exclude), 0, 0, NULL, NULL, false},
    END};

static bool medium_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    static const char *const words[] = {[CONFIG_MEDIUM_SHARED_MEMORY] = "shared-memory",
                                        [CONFIG_MEDIUM_PMEM] = "pmem",
                                        [CONFIG_MEDIUM_LOG] = "log"};
    const char *text = config_setting_get_string(setting);

    for (uint32_t i = 0; text != NULL && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i]) == 0) {
            *(enum config_medium *)target = (enum config_medium)i;
            return true;
        }
    }
    return config_fail(reader, setting, "medium must be \"shared-memory\", \"pmem\" or \"log\"");
}

static const struct config_key cache_keys[] = {
    {"medium", CONFIG_CUSTOM, AT(config_cache, medium), 0, 0, NULL, medium_read, true},
    {"path", CONFIG_PATH, AT(config_cache, path), 2, PATH_MAX - 1, NULL, NULL, true},
    {"size", CONFIG_SIZE, AT(config_cache, size_bytes), CACHE_SIZE_MIN_BYTES, CACHE_SIZE_MAX_BYTES,
     NULL, NULL, true},
    END};

static bool cache_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    struct config_cache *cache = target;

    if (!config_group_read(reader, setting, cache_keys, cache)) {
        return false;
    }
    if (cache->size_bytes % CACHE_SIZE_STEP_BYTES != 0) {
        return config_fail(reader, setting, "size must be a multiple of 4 KiB");
    }
    return true;
}

static const struct config_key limit_keys[] = {
    {"timeout_ms", CONFIG_U32, AT(drive_options, timeout_ms), 100, 600000, NULL, NULL, false},
    {"flush_timeout_ms", CONFIG_U32, AT(drive_options, flush_timeout_ms), 100, 600000, NULL, NULL,
     false},
    {"slow_ms", CONFIG_U32, AT(drive_options, slow_ms), 10, 600000, NULL, NULL, false},
    {"attempts", CONFIG_U32, AT(drive_options, attempts), 1, 10, NULL, NULL, false},
    {"retry_delay_ms", CONFIG_U32, AT(drive_options, retry_delay_ms), 1, 10000, NULL, NULL, false},
    {"queue_depth", CONFIG_U32, AT(drive_options, queue_depth), 1, 256, NULL, NULL, false},
    {"error_window_s", CONFIG_U32, AT(drive_options, error_window_s), 1, 2592000, NULL, NULL,
     false},
    {"media_warn", CONFIG_U32, AT(drive_options, media_warn), 1, 1000000, NULL, NULL, false},
    {"media_fail", CONFIG_U32, AT(drive_options, media_fail), 1, 1000000, NULL, NULL, false},
    {"media_fail_total", CONFIG_U32, AT(drive_options, media_fail_total), 1, 1000000, NULL, NULL,
     false},
    {"error_warn", CONFIG_U32, AT(drive_options, error_warn), 1, 1000000, NULL, NULL, false},
    {"error_fail", CONFIG_U32, AT(drive_options, error_fail), 1, 1000000, NULL, NULL, false},
    {"slow_factor", CONFIG_U32, AT(drive_options, slow_factor), 2, 1000, NULL, NULL, false},
    {"slow_min_us", CONFIG_U32, AT(drive_options, slow_min_us), 1, 10000000, NULL, NULL, false},
    {"slow_interval_s", CONFIG_U32, AT(drive_options, slow_interval_s), 1, 3600, NULL, NULL, false},
    {"slow_intervals", CONFIG_U32, AT(drive_options, slow_intervals), 1, 1000, NULL, NULL, false},
    END};

static const struct config_key controller_keys[] = {
    {"model", CONFIG_TEXT, AT(daemon_config, controller_model), 1, 40, NULL, NULL, false}, END};

static const struct config_key enclosure_keys[] = {
    {"eid", CONFIG_U32, AT(config_enclosure, eid), 0, 65534, NULL, NULL, true},
    {"model", CONFIG_TEXT, AT(config_enclosure, model), 1, 40, NULL, NULL, false},
    {"slots", CONFIG_U32, AT(config_enclosure, slots), 1, 255, NULL, NULL, true},
    {"rows", CONFIG_U32, AT(config_enclosure, rows), 1, 64, NULL, NULL, false},
    {"columns", CONFIG_U32, AT(config_enclosure, columns), 1, 64, NULL, NULL, false},
    {"order", CONFIG_CUSTOM, AT(config_enclosure, column_major), 0, 0, NULL, order_read, false},
    {"emulated", CONFIG_BOOL, AT(config_enclosure, emulated), 0, 0, NULL, NULL, false},
    END};

static const struct config_key emulated_keys[] = {
    {"size", CONFIG_SIZE, AT(config_drive, size_bytes), DRIVE_SIZE_MIN_BYTES,
     EMULATED_SIZE_MAX_BYTES, NULL, NULL, false},
    {"profile", CONFIG_TEXT, AT(config_drive, profile), 1, 32, NULL, NULL, false},
    {"overhead_us", CONFIG_U32, AT(config_drive, timing.overhead_us), 0, 1000000, NULL, NULL,
     false},
    {"transfer_per_s", CONFIG_SIZE, AT(config_drive, timing.transfer_bytes_per_s), 0,
     UINT64_C(1) << 40, NULL, NULL, false},
    {"media", CONFIG_CUSTOM, AT(config_drive, media), 0, 0, NULL, media_read, false},
    {"model", CONFIG_TEXT, AT(config_drive, model), 1, 40, NULL, NULL, false},
    END};

static bool emulated_read(struct config_reader *reader, const config_setting_t *setting,
                          void *target)
{
    struct config_drive *drive = target;

    static const char *const of_the_profile[] = {"overhead_us", "transfer_per_s", "media", "model"};

    drive->emulated = true;
    (void)snprintf(drive->model, sizeof(drive->model), "Emulated drive");
    if (!config_group_read(reader, setting, emulated_keys, drive)) {
        return false;
    }
    if (drive->profile[0] == '\0') {
        return drive->size_bytes != 0 ||
               config_fail(reader, setting, "size is missing: the drive has no profile");
    }
    for (size_t i = 0; i < sizeof(of_the_profile) / sizeof(of_the_profile[0]); i++) {
        const config_setting_t *other = config_setting_get_member(setting, of_the_profile[i]);

        if (other != NULL) {
            return config_fail(reader, other, "%s comes from the profile", of_the_profile[i]);
        }
    }
    return true;
}

static const struct config_key drive_keys[] = {
    {"path", CONFIG_PATH, AT(config_drive, path), 2, PATH_MAX - 1, NULL, NULL, true},
    {"enclosure", CONFIG_U32, AT(config_drive, eid), 0, 65534, NULL, NULL, false},
    {"slot", CONFIG_U32, AT(config_drive, slot), 0, 254, NULL, NULL, false},
    {"emulated", CONFIG_CUSTOM, 0, 0, 0, NULL, emulated_read, false},
    END};

static bool list_check(struct config_reader *reader, const config_setting_t *setting,
                       const char *what, uint32_t max)
{
    if (!config_setting_is_list(setting)) {
        return config_fail(reader, setting, "%s must be a list of groups: ( { … }, { … } )", what);
    }
    if ((unsigned)config_setting_length(setting) > max) {
        return config_fail(reader, setting, "at most %u %s are supported", max, what);
    }
    return true;
}

static bool enclosures_read(struct config_reader *reader, const config_setting_t *setting,
                            void *target)
{
    struct daemon_config *config = target;

    if (!list_check(reader, setting, "enclosures", CONFIG_ENCLOSURES_MAX)) {
        return false;
    }
    for (int i = 0; i < config_setting_length(setting); i++) {
        const config_setting_t *entry = config_setting_get_elem(setting, (unsigned)i);
        struct config_enclosure *enclosure = &config->enclosures[config->enclosure_count];

        (void)snprintf(enclosure->model, sizeof(enclosure->model), "Enclosure");
        enclosure->line = config_setting_source_line(entry);
        if (!config_group_read(reader, entry, enclosure_keys, enclosure)) {
            return false;
        }
        for (uint32_t other = 0; other < config->enclosure_count; other++) {
            if (config->enclosures[other].eid == enclosure->eid) {
                return config_fail(reader, entry, "enclosure %u is listed twice", enclosure->eid);
            }
        }
        enclosure->rows = enclosure->rows != 0 ? enclosure->rows : 1;
        if (enclosure->columns == 0) {
            enclosure->columns = (enclosure->slots + enclosure->rows - 1) / enclosure->rows;
        }
        if (enclosure->rows * enclosure->columns < enclosure->slots) {
            return config_fail(reader, entry, "%u slots do not fit into %u rows of %u",
                               enclosure->slots, enclosure->rows, enclosure->columns);
        }
        config->enclosure_count++;
    }
    return true;
}

static bool drives_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    struct daemon_config *config = target;

    if (!list_check(reader, setting, "drives", CONFIG_DRIVES_MAX)) {
        return false;
    }
    for (int i = 0; i < config_setting_length(setting); i++) {
        const config_setting_t *entry = config_setting_get_elem(setting, (unsigned)i);
        struct config_drive *drive = &config->drives[config->drive_count];

        drive->eid = CONFIG_NO_PLACE;
        drive->slot = CONFIG_NO_PLACE;
        drive->line = config_setting_source_line(entry);
        if (!config_group_read(reader, entry, drive_keys, drive)) {
            return false;
        }
        config->drive_count++;
    }
    return true;
}

static bool profile_read(struct config_reader *reader, const config_setting_t *setting,
                         void *target)
{
    struct daemon_config *config = target;
    const char *text = config_setting_get_string(setting);

    if (text == NULL || strlen(text) == 0 || strlen(text) >= sizeof(config->profile)) {
        return config_fail(reader, setting, "profile must be the name of a controller's profile");
    }
    memcpy(config->profile, text, strlen(text) + 1);
    config->profile_line = config_setting_source_line(setting);
    return true;
}

static bool source_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    struct config_battery *battery = target;
    const char *text = config_setting_get_string(setting);

    battery->fitted = true;
    if (text != NULL && strcmp(text, "none") == 0) {
        battery->fitted = false;
    } else if (text != NULL && strcmp(text, "medium") == 0) {
        battery->kind = BATTERY_KIND_CACHEVAULT;
    } else if (text == NULL || !battery_kind_parse(text, &battery->kind) ||
               battery->kind == BATTERY_KIND_CACHEVAULT) {
        return config_fail(reader, setting,
                           "source must be \"emulated\", \"ups\", \"medium\" or \"none\"");
    }
    return true;
}

static const struct config_key battery_keys[] = {
    {"source", CONFIG_CUSTOM, 0, 0, 0, NULL, source_read, true},
    {"profile", CONFIG_TEXT, AT(config_battery, profile), 1, 32, NULL, NULL, false},
    {"speed", CONFIG_U32, AT(config_battery, speed), 1, 100000, NULL, NULL, false},
    {"ups", CONFIG_TEXT, AT(config_battery, ups), 1, 319, NULL, NULL, false},
    {"poll_s", CONFIG_U32, AT(config_battery, poll_s), 1, 60, NULL, NULL, false},
    {"settle_s", CONFIG_U32, AT(config_battery, settle_s), 1, 3600, NULL, NULL, false},
    {"shutdown_s", CONFIG_U32, AT(config_battery, shutdown_s), 0, 86400, NULL, NULL, false},
    {"low_runtime_s", CONFIG_U32, AT(config_battery, low_runtime_s), 0, 86400, NULL, NULL, false},
    {"absorbs_flush", CONFIG_BOOL, AT(config_battery, absorbs_flush), 0, 0, NULL, NULL, false},
    END};

/* Which keys belong to which source; `source` belongs to all. */
static const struct {
    const char *key;
    enum battery_kind kind;
} battery_key_kinds[] = {
    {"profile", BATTERY_KIND_EMULATED},  {"speed", BATTERY_KIND_EMULATED},
    {"ups", BATTERY_KIND_UPS},           {"poll_s", BATTERY_KIND_UPS},
    {"settle_s", BATTERY_KIND_UPS},      {"shutdown_s", BATTERY_KIND_UPS},
    {"low_runtime_s", BATTERY_KIND_UPS}, {"absorbs_flush", BATTERY_KIND_UPS},
};

static bool battery_keys_fit(struct config_reader *reader, const config_setting_t *group,
                             const struct config_battery *battery)
{
    for (size_t i = 0; i < sizeof(battery_key_kinds) / sizeof(battery_key_kinds[0]); i++) {
        const config_setting_t *setting =
            config_setting_get_member(group, battery_key_kinds[i].key);

        if (setting != NULL && (!battery->fitted || battery->kind != battery_key_kinds[i].kind)) {
            return config_fail(reader, setting, "%s is for source = \"%s\" only",
                               battery_key_kinds[i].key,
                               battery_kind_word(battery_key_kinds[i].kind));
        }
    }
    return true;
}

static bool battery_read(struct config_reader *reader, const config_setting_t *setting,
                         void *target)
{
    struct config_battery *battery = &((struct daemon_config *)target)->battery;
    struct ups_address address;

    battery->line = config_setting_source_line(setting);
    if (!config_group_read(reader, setting, battery_keys, battery) ||
        !battery_keys_fit(reader, setting, battery)) {
        return false;
    }
    if (battery->fitted && battery->kind == BATTERY_KIND_EMULATED && battery->profile[0] == '\0') {
        return config_fail(reader, setting, "profile is missing: the name of a battery's profile");
    }
    if (battery->fitted && battery->kind == BATTERY_KIND_UPS &&
        !ups_address_parse(battery->ups, &address)) {
        return config_fail(reader, setting, "ups must be \"NAME@HOST:PORT\", not \"%.100s\"",
                           battery->ups);
    }
    return true;
}

static const struct config_key root_keys[] = {
    {"state_dir", CONFIG_PATH, AT(daemon_config, state_dir), 2, PATH_MAX - 64, NULL, NULL, true},
    {"log_level", CONFIG_CUSTOM, AT(daemon_config, log_level), 0, 0, NULL, log_level_read, false},
    {"policy", CONFIG_CUSTOM, AT(daemon_config, policy), 0, 0, NULL, policy_read, false},
    {"claim_wait_s", CONFIG_U32, AT(daemon_config, claim_wait_s), 1, 600, NULL, NULL, false},
    {"control", CONFIG_GROUP, AT(daemon_config, control), 0, 0, control_keys, NULL, false},
    {"nbd", CONFIG_GROUP, AT(daemon_config, nbd), 0, 0, nbd_keys, NULL, false},
    {"ublk", CONFIG_GROUP, 0, 0, 0, ublk_keys, NULL, false},
    {"profile", CONFIG_CUSTOM, 0, 0, 0, NULL, profile_read, false},
    {"profiles_dir", CONFIG_PATH, AT(daemon_config, profiles_dir), 2, PATH_MAX - 128, NULL, NULL,
     false},
    {"battery", CONFIG_CUSTOM, 0, 0, 0, NULL, battery_read, false},
    {"protect", CONFIG_GROUP, AT(daemon_config, protect), 0, 0, protect_keys, NULL, false},
    {"controller", CONFIG_GROUP, 0, 0, 0, controller_keys, NULL, false},
    {"scan", CONFIG_GROUP, AT(daemon_config, scan), 0, 0, scan_keys, NULL, false},
    {"cache", CONFIG_CUSTOM, AT(daemon_config, cache), 0, 0, NULL, cache_read, false},
    {"drive_limits", CONFIG_GROUP, AT(daemon_config, drive_limits), 0, 0, limit_keys, NULL, false},
    {"enclosures", CONFIG_CUSTOM, 0, 0, 0, NULL, enclosures_read, false},
    {"drives", CONFIG_CUSTOM, 0, 0, 0, NULL, drives_read, false},
    END};

static void defaults_set(struct daemon_config *config)
{
    struct config_control *control = &config->control;

    config->log_level = LOG_LEVEL_INFO;
    (void)snprintf(config->policy, sizeof(config->policy), "standard");
    (void)snprintf(config->profile, sizeof(config->profile), "native");
    (void)snprintf(config->profiles_dir, sizeof(config->profiles_dir), "%s", PROFILES_DIR);
    config->battery.speed = 1;
    config->battery.poll_s = 2;
    config->battery.settle_s = 10;
    config->battery.shutdown_s = 60;
    config->battery.low_runtime_s = 120;
    (void)snprintf(control->socket, sizeof(control->socket), "/run/arraywright/control.sock");
    control->mode = 0660;
    control->administrator_groups.count = 1;
    (void)snprintf(control->administrator_groups.items[0], 128, "arraywright-admin");
    control->operator_groups.count = 1;
    (void)snprintf(control->operator_groups.items[0], 128, "arraywright");
    control->uplink_users.count = 1;
    (void)snprintf(control->uplink_users.items[0], 128, "arraywright-uplink");
    (void)snprintf(config->nbd.unix_path, sizeof(config->nbd.unix_path),
                   "/run/arraywright/nbd.sock");
    (void)snprintf(config->nbd.tcp_listen, sizeof(config->nbd.tcp_listen), "127.0.0.1");
    config->nbd.tcp_port = 10809;
    config->nbd.connection_max = 64;
    config->nbd.memory_bytes = UINT64_C(64) << 20;
    config->scan.enabled = true;
    config->claim_wait_s = 30;
    config->protect.oom_score_adj = -1000;
}

/* What a single key cannot tell. `line` is that of the drive. */

static bool drive_place_check(const struct daemon_config *config, const struct config_drive *drive,
                              char *why, size_t why_bytes)
{
    const struct config_enclosure *enclosure = NULL;

    if (drive->eid == CONFIG_NO_PLACE) {
        return true;
    }
    for (uint32_t i = 0; i < config->enclosure_count; i++) {
        if (config->enclosures[i].eid == drive->eid) {
            enclosure = &config->enclosures[i];
        }
    }
    if (enclosure == NULL) {
        (void)snprintf(why, why_bytes, "enclosure %u is not in the list of enclosures", drive->eid);
        return false;
    }
    if (drive->slot == CONFIG_NO_PLACE) {
        (void)snprintf(why, why_bytes, "slot is missing: enclosure %u is given", drive->eid);
        return false;
    }
    if (drive->slot >= enclosure->slots) {
        (void)snprintf(why, why_bytes, "slot %u is beyond the %u slots of enclosure %u",
                       drive->slot, enclosure->slots, drive->eid);
        return false;
    }
    return true;
}

static bool drives_check(const struct config_reader *reader, const struct daemon_config *config)
{
    char why[256] = "";

    for (uint32_t i = 0; i < config->drive_count; i++) {
        const struct config_drive *drive = &config->drives[i];
        bool good = drive_place_check(config, drive, why, sizeof(why));

        for (uint32_t j = 0; good && j < i; j++) {
            const struct config_drive *other = &config->drives[j];

            if (strcmp(other->path, drive->path) == 0) {
                (void)snprintf(why, sizeof(why), "path is that of the drive in line %u too",
                               other->line);
                good = false;
            } else if (drive->slot != CONFIG_NO_PLACE && other->eid == drive->eid &&
                       other->slot == drive->slot) {
                (void)snprintf(why, sizeof(why), "slot %u is taken by the drive in line %u",
                               drive->slot, other->line);
                good = false;
            }
        }
        if (!good) {
            (void)snprintf(reader->error, reader->error_bytes, "%s:%u: %s", reader->path,
                           drive->line, why);
            return false;
        }
    }
    return true;
}

static bool address_is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* Whoever reaches a port without TLS reaches the data. */
static bool nbd_check(const struct config_reader *reader, const struct config_nbd *nbd)
{
    if (!nbd->tcp_enabled || nbd->tls_certificate[0] != '\0' || nbd->tcp_allow_plain ||
        address_is_loopback(nbd->tcp_listen)) {
        return true;
    }
    (void)snprintf(reader->error, reader->error_bytes,
                   "%s: nbd.tcp would offer the data on %s without encryption and to everybody: "
                   "give it tls, or allow_plain = true if that is meant",
                   reader->path, nbd->tcp_listen);
    return false;
}

static bool file_read(struct config_reader *reader, config_t *file, struct daemon_config *config)
{
    defaults_set(config);
    if (config_read_file(file, reader->path) != CONFIG_TRUE) {
        if (config_error_type(file) == CONFIG_ERR_FILE_IO) {
            (void)snprintf(reader->error, reader->error_bytes, "%s: cannot be read: %s",
                           reader->path, strerror(errno));
        } else {
            const char *name = config_error_file(file);

            (void)snprintf(reader->error, reader->error_bytes, "%s:%d: %s",
                           name != NULL ? name : reader->path, config_error_line(file),
                           config_error_text(file));
        }
        return false;
    }
    return config_group_read(reader, config_root_setting(file), root_keys, config) &&
           nbd_check(reader, &config->nbd) && drives_check(reader, config);
}

int daemon_config_read(const char *path, struct daemon_config **ret_config,
                       char error[CONFIG_ERROR_BYTES])
{
    struct config_reader reader = {.path = path, .error = error, .error_bytes = CONFIG_ERROR_BYTES};
    struct daemon_config *config = calloc(1, sizeof(*config));
    config_t file;

    error[0] = '\0';
    if (config == NULL) {
        (void)snprintf(error, CONFIG_ERROR_BYTES, "%s: no memory", path);
        return -ENOMEM;
    }
    config_init(&file);
    errno = 0;
    bool good = file_read(&reader, &file, config);
    config_destroy(&file);
    if (!good) {
        ASSERT(error[0] != '\0');
        free(config);
        return -EINVAL;
    }
    *ret_config = config;
    return 0;
}
