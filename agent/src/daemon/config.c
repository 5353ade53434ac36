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
#include "daemon/config_private.h"

#define CONTROL_SOCKET "/run/arraywright/control.sock"
/* The link by which systemd enables the monitor, which asks on that socket. */
#define MONITOR_UNIT "/etc/systemd/system/multi-user.target.wants/arraywright-monitor.service"

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
    {"busy_poll_percent", CONFIG_U32, AT(config_nbd, busy_poll_percent), 0, 100, NULL, NULL, false},
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

static const struct config_key event_keys[] = {
    {"count", CONFIG_U32, AT(config_events, count_max), 100, 1000000, NULL, NULL, false},
    {"size", CONFIG_SIZE, AT(config_events, bytes_max), UINT64_C(1) << 20, UINT64_C(256) << 20,
     NULL, NULL, false},
    {"days", CONFIG_U32, AT(config_events, days_max), 1, 36500, NULL, NULL, false},
    END};

static const struct config_key monitor_keys[] = {
    {"unit", CONFIG_PATH, AT(config_monitor, unit), 2, PATH_MAX - 1, NULL, NULL, false},
    {"silence_s", CONFIG_U32, AT(config_monitor, silence_s), 1, 86400, NULL, NULL, false},
    END};

static const struct config_key scan_keys[] = {
    {"enabled", CONFIG_BOOL, AT(config_scan, enabled), 0, 0, NULL, NULL, false},
    {"loop_devices", CONFIG_BOOL, AT(config_scan, loop_devices), 0, 0, NULL, NULL, false},
    {"include", CONFIG_LIST, AT(config_scan, include), 0, 0, NULL, NULL, false},
    {"exclude", CONFIG_LIST, AT(config_scan, exclude), 0, 0, NULL, NULL, false},
    END};

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

static const struct config_key only_controller_keys[] = {
    {"model", CONFIG_TEXT, AT(config_controller, model), 1, 40, NULL, NULL, false}, END};

/* The keys of the only controller are those of the first in the list. */
#define ONLY(member) AT(daemon_config, controllers[0]) + AT(config_controller, member)

static const struct config_key root_keys[] = {
    {"state_dir", CONFIG_PATH, AT(daemon_config, state_dir), 2, PATH_MAX - 64, NULL, NULL, true},
    {"log_level", CONFIG_CUSTOM, AT(daemon_config, log_level), 0, 0, NULL, log_level_read, false},
    {"policy", CONFIG_CUSTOM, AT(daemon_config, policy), 0, 0, NULL, policy_read, false},
    {"claim_wait_s", CONFIG_U32, AT(daemon_config, claim_wait_s), 1, 600, NULL, NULL, false},
    {"control", CONFIG_GROUP, AT(daemon_config, control), 0, 0, control_keys, NULL, false},
    {"events", CONFIG_GROUP, AT(daemon_config, events), 0, 0, event_keys, NULL, false},
    {"monitor", CONFIG_GROUP, AT(daemon_config, monitor), 0, 0, monitor_keys, NULL, false},
    {"nbd", CONFIG_GROUP, AT(daemon_config, nbd), 0, 0, nbd_keys, NULL, false},
    {"ublk", CONFIG_GROUP, 0, 0, 0, ublk_keys, NULL, false},
    {"profile", CONFIG_CUSTOM, AT(daemon_config, controllers), 0, 0, NULL, config_profile_read,
     false},
    {"profiles_dir", CONFIG_PATH, AT(daemon_config, profiles_dir), 2, PATH_MAX - 128, NULL, NULL,
     false},
    {"battery", CONFIG_CUSTOM, ONLY(battery), 0, 0, NULL, config_battery_read, false},
    {"protect", CONFIG_GROUP, AT(daemon_config, protect), 0, 0, protect_keys, NULL, false},
    {"controller", CONFIG_GROUP, AT(daemon_config, controllers), 0, 0, only_controller_keys, NULL,
     false},
    {"scan", CONFIG_GROUP, AT(daemon_config, scan), 0, 0, scan_keys, NULL, false},
    {"cache", CONFIG_CUSTOM, ONLY(cache), 0, 0, NULL, config_cache_read, false},
    {"drive_limits", CONFIG_GROUP, AT(daemon_config, drive_limits), 0, 0, limit_keys, NULL, false},
    {"enclosures", CONFIG_CUSTOM, AT(daemon_config, controllers), 0, 0, NULL,
     config_enclosures_read, false},
    {"drives", CONFIG_CUSTOM, AT(daemon_config, controllers), 0, 0, NULL, config_drives_read,
     false},
    {"controllers", CONFIG_CUSTOM, 0, 0, 0, NULL, config_controllers_read, false},
    END};

static void controller_defaults_set(struct config_controller *controller)
{
    (void)snprintf(controller->profile, sizeof(controller->profile), "native");
    controller->battery.speed = 1;
    controller->battery.poll_s = 2;
    controller->battery.settle_s = 10;
    controller->battery.shutdown_s = 60;
    controller->battery.low_runtime_s = 120;
}

static void defaults_set(struct daemon_config *config)
{
    struct config_control *control = &config->control;

    config->log_level = LOG_LEVEL_INFO;
    (void)snprintf(config->policy, sizeof(config->policy), "standard");
    (void)snprintf(config->profiles_dir, sizeof(config->profiles_dir), "%s", PROFILES_DIR);
    (void)snprintf(control->socket, sizeof(control->socket), CONTROL_SOCKET);
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
    config->nbd.connection_max = 256;
    config->nbd.memory_bytes = UINT64_C(64) << 20;
    config->monitor.silence_s = 300;
    config->scan.enabled = true;
    config->claim_wait_s = 30;
    config->protect.oom_score_adj = -1000;
    config->controller_count = 1;
    for (uint32_t i = 0; i < CONFIG_CONTROLLERS_MAX; i++) {
        config->controllers[i].index = i;
        controller_defaults_set(&config->controllers[i]);
    }
}

/* The host's monitor asks the host's arrayd: nobody misses it at another one, of a demo or a test.
 */
static void monitor_unit_choose(struct daemon_config *config)
{
    if (config->monitor.unit[0] == '\0' && strcmp(config->control.socket, CONTROL_SOCKET) == 0) {
        (void)snprintf(config->monitor.unit, sizeof(config->monitor.unit), "%s", MONITOR_UNIT);
    }
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
           nbd_check(reader, &config->nbd) && config_drives_check(reader, config);
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
    monitor_unit_choose(config);
    *ret_config = config;
    return 0;
}
