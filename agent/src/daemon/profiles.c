#include "daemon/profiles.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cache/journal.h"
#include "daemon/profile_file.h"

static int controller_fill(const struct daemon_config *config,
                           const struct config_controller *controller,
                           struct controller_profile_file *ret_file, char *text, size_t text_bytes)
{
    char why[PROFILE_TEXT_BYTES] = "";
    int error = controller_profile_read(config->profiles_dir, controller->profile, ret_file, why);

    if (error != 0) {
        (void)snprintf(text, text_bytes, "%u: profile \"%s\": %s", controller->profile_line,
                       controller->profile, why);
    }
    return error;
}

static int emulated_fill(const char *profiles_dir, const struct config_battery *from,
                         const struct controller_profile_file *controller,
                         struct ctl_battery_options *battery, char *text, size_t text_bytes)
{
    char why[PROFILE_TEXT_BYTES] = "";
    int error = battery_profile_read(profiles_dir, from->profile, &battery->profile, why);

    if (error != 0) {
        (void)snprintf(text, text_bytes, "%u: battery profile \"%s\": %s", from->line,
                       from->profile, why);
        return error;
    }
    if (!controller_takes_battery(controller, from->profile)) {
        (void)snprintf(text, text_bytes, "%u: controller %s does not take the battery \"%s\"",
                       from->line, controller->profile.model, from->profile);
        return -EINVAL;
    }
    (void)snprintf(battery->source, sizeof(battery->source), "%s", from->profile);
    return 0;
}

static int battery_fill(const char *profiles_dir, const struct config_battery *from,
                        const struct controller_profile_file *controller,
                        struct ctl_battery_options *battery, char *text, size_t text_bytes)
{
    *battery = (struct ctl_battery_options){.fitted = from->fitted, .kind = from->kind};
    if (!from->fitted) {
        return 0;
    }
    if (!controller->profile.has_cache) {
        (void)snprintf(text, text_bytes, "%u: controller %s has no cache for a battery to keep",
                       from->line, controller->profile.model);
        return -EINVAL;
    }
    switch (from->kind) {
    case BATTERY_KIND_EMULATED:
        battery->speed = from->speed;
        return emulated_fill(profiles_dir, from, controller, battery, text, text_bytes);
    case BATTERY_KIND_UPS:
        battery->settle_us = from->settle_s * UINT64_C(1000000);
        battery->shutdown_s = from->shutdown_s;
        battery->absorbs_flush = from->absorbs_flush;
        (void)snprintf(battery->source, sizeof(battery->source), "%.127s", from->ups);
        return 0;
    case BATTERY_KIND_CACHEVAULT:
        (void)snprintf(battery->source, sizeof(battery->source), "the cache medium");
        return 0;
    case BATTERY_KIND_MAX:
        break;
    }
    UNREACHABLE();
}

/* A model's memory has its size. */
static int cache_check(const struct config_controller *config,
                       const struct controller_profile *controller, char *text, size_t text_bytes)
{
    uint64_t size_bytes = 0;

    if (config->cache.path[0] == '\0') {
        return 0;
    }
    if (!controller->has_cache) {
        (void)snprintf(text, text_bytes, "%u: controller %s has no cache", config->profile_line,
                       controller->model);
        return -EINVAL;
    }
    /* Of a log, only what is in memory counts. */
    size_bytes = config->cache.medium == CONFIG_MEDIUM_LOG
                     ? journal_log_memory_bytes(config->cache.size_bytes)
                     : config->cache.size_bytes;
    if (controller->cache_bytes != 0 && size_bytes > controller->cache_bytes) {
        (void)snprintf(text, text_bytes, "%u: controller %s takes a cache of at most %llu bytes",
                       config->profile_line, controller->model,
                       (unsigned long long)controller->cache_bytes);
        return -EINVAL;
    }
    return 0;
}

int profiles_read(const struct daemon_config *config, const struct config_controller *controller,
                  struct ctl_options *options, char *text, size_t text_bytes)
{
    struct controller_profile_file file;
    int error = controller_fill(config, controller, &file, text, text_bytes);

    if (error == 0) {
        error = cache_check(controller, &file.profile, text, text_bytes);
    }
    if (error == 0) {
        error = battery_fill(config->profiles_dir, &controller->battery, &file, &options->battery,
                             text, text_bytes);
    }
    if (error == 0) {
        options->profile = file.profile;
        (void)snprintf(options->model, sizeof(options->model), "%s",
                       controller->model[0] != '\0' ? controller->model : file.profile.model);
    }
    return error;
}

int profiles_drives_read(struct daemon_config *config, char *text, size_t text_bytes)
{
    for (uint32_t i = 0; i < config->drive_count; i++) {
        struct config_drive *drive = &config->drives[i];
        struct drive_profile profile;
        char why[PROFILE_TEXT_BYTES] = "";
        int error = 0;

        if (drive->profile[0] == '\0') {
            continue;
        }
        error = drive_profile_read(config->profiles_dir, drive->profile, &profile, why);
        if (error != 0) {
            (void)snprintf(text, text_bytes, "%u: drive profile \"%s\": %s", drive->line,
                           drive->profile, why);
            return error;
        }
        drive->timing = profile.timing;
        drive->media = profile.media;
        memcpy(drive->model, profile.model, sizeof(drive->model));
        if (drive->size_bytes == 0) {
            drive->size_bytes = profile.capacity_bytes;
        }
    }
    return 0;
}

static int places_check(const struct daemon_config *config,
                        const struct config_enclosure *enclosure, char *text, size_t text_bytes)
{
    for (uint32_t i = 0; i < config->drive_count; i++) {
        const struct config_drive *drive = &config->drives[i];

        if (drive->controller == enclosure->controller && drive->eid == enclosure->eid &&
            drive->slot >= enclosure->slots) {
            (void)snprintf(text, text_bytes, "%u: slot %u is beyond the %u slots of enclosure %u",
                           drive->line, drive->slot, enclosure->slots, enclosure->eid);
            return -EINVAL;
        }
    }
    return 0;
}

int profiles_enclosures_read(struct daemon_config *config, char *text, size_t text_bytes)
{
    for (uint32_t i = 0; i < config->enclosure_count; i++) {
        struct config_enclosure *enclosure = &config->enclosures[i];
        struct enclosure_profile profile;
        char why[PROFILE_TEXT_BYTES] = "";
        int error = 0;

        if (enclosure->profile[0] == '\0') {
            continue;
        }
        error = enclosure_profile_read(config->profiles_dir, enclosure->profile, &profile, why);
        if (error != 0) {
            (void)snprintf(text, text_bytes, "%u: enclosure profile \"%s\": %s", enclosure->line,
                           enclosure->profile, why);
            return error;
        }
        memcpy(enclosure->model, profile.model, sizeof(enclosure->model));
        enclosure->slots = profile.slots;
        enclosure->rows = profile.rows;
        enclosure->columns = profile.columns;
        enclosure->column_major = profile.column_major;
        enclosure->hot_swap = profile.hot_swap;
        error = places_check(config, enclosure, text, text_bytes);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}
