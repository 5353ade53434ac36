/*
 * The keys of the configuration file: see uplink_config.h.
 */
#include "uplink/uplink_config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "host/config_table.h"

#define AT(member) offsetof(struct uplink_config, member)

static bool url_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    const char *text = config_setting_get_string(setting);
    struct uplink_url url;
    char why[160];

    if (text == NULL) {
        return config_fail(reader, setting, "url must be a text in quotes");
    }
    if (uplink_url_parse(text, &url, why) != 0) {
        return config_fail(reader, setting, "url: %s", why);
    }
    memcpy(target, text, strlen(text) + 1); /* uplink_url_parse has measured it */
    return true;
}

static bool log_level_read(struct config_reader *reader, const config_setting_t *setting,
                           void *target)
{
    static const char *const words[] = {"error", "warning", "info", "debug"};
    const char *text = config_setting_get_string(setting);

    for (unsigned i = 0; text != NULL && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i]) == 0) {
            *(enum uplink_log_level *)target = (enum uplink_log_level)i;
            return true;
        }
    }
    return config_fail(reader, setting,
                       "log_level must be \"error\", \"warning\", \"info\" or \"debug\"");
}

static const struct config_key keys[] = {
    {.name = "url", .kind = CONFIG_CUSTOM, .offset = AT(url), .read = url_read},
    {.name = "control_socket",
     .kind = CONFIG_PATH,
     .offset = AT(control_socket),
     .min = 2,
     .max = UPLINK_SOCKET_PATH_MAX},
    {.name = "state_dir",
     .kind = CONFIG_PATH,
     .offset = AT(state_dir),
     .min = 2,
     .max = PATH_MAX - 1},
    {.name = "hostname",
     .kind = CONFIG_TEXT,
     .offset = AT(hostname),
     .min = 1,
     .max = UPLINK_HOSTNAME_MAX},
    {.name = "ca_file", .kind = CONFIG_PATH, .offset = AT(ca_file), .min = 2, .max = PATH_MAX - 1},
    {.name = "reconnect_base_ms",
     .kind = CONFIG_U32,
     .offset = AT(reconnect_base_ms),
     .min = 10,
     .max = 60000},
    {.name = "reconnect_cap_ms",
     .kind = CONFIG_U32,
     .offset = AT(reconnect_cap_ms),
     .min = 100,
     .max = 3600000},
    {.name = "log_level", .kind = CONFIG_CUSTOM, .offset = AT(log_level), .read = log_level_read},
    {.name = NULL}};

static void defaults_set(struct uplink_config *config)
{
    *config = (struct uplink_config){
        .reconnect_base_ms = 2000, .reconnect_cap_ms = 600000, .log_level = UPLINK_INFO};
    (void)snprintf(config->control_socket, sizeof(config->control_socket),
                   "/run/arraywright/control.sock");
    (void)snprintf(config->state_dir, sizeof(config->state_dir), "/var/lib/arraywright-uplink");
}

/* What a single key cannot tell. */
static bool whole_check(struct config_reader *reader, const config_setting_t *root,
                        const struct uplink_config *config)
{
    if (config->reconnect_cap_ms < config->reconnect_base_ms) {
        return config_fail(reader, root,
                           "reconnect_cap_ms (%u) must not be below reconnect_base_ms (%u)",
                           config->reconnect_cap_ms, config->reconnect_base_ms);
    }
    for (const char *at = config->hostname; *at != '\0'; at++) {
        if ((unsigned char)*at <= ' ' || *at == 0x7F) {
            return config_fail(reader, config_setting_get_member(root, "hostname"),
                               "hostname must not have blanks or control characters");
        }
    }
    return true;
}

static bool file_read(struct config_reader *reader, config_t *file, struct uplink_config *config)
{
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
    return config_group_read(reader, config_root_setting(file), keys, config) &&
           whole_check(reader, config_root_setting(file), config);
}

int uplink_config_read(const char *path, struct uplink_config *ret_config,
                       char error[UPLINK_CONFIG_ERROR_BYTES])
{
    struct config_reader reader = {
        .path = path, .error = error, .error_bytes = UPLINK_CONFIG_ERROR_BYTES};
    struct uplink_config config;
    config_t file;

    error[0] = '\0';
    defaults_set(&config);
    config_init(&file);
    errno = 0;
    bool good = file_read(&reader, &file, &config);
    config_destroy(&file);
    if (!good) {
        ASSERT(error[0] != '\0');
        return -EINVAL;
    }
    *ret_config = config;
    return 0;
}
