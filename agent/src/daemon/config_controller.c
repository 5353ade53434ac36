/*
 * The keys of arrayd.conf that belong to a controller: at the top of the file for the only one, or
 * in the groups of `controllers`. See config.h.
 */
#include "daemon/config_private.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "host/ups_client.h"

#define CACHE_SIZE_MIN_BYTES (UINT64_C(1) << 20)
#define CACHE_SIZE_MAX_BYTES (UINT64_C(1) << 40)
#define CACHE_SIZE_STEP_BYTES 4096u
#define EMULATED_SIZE_MAX_BYTES (UINT64_C(1) << 44)

static struct daemon_config *config_of(struct config_controller *controller)
{
    ASSERT(controller->index < CONFIG_CONTROLLERS_MAX);
    return container_of(controller - controller->index, struct daemon_config, controllers[0]);
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

static bool owner_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    const char *text = config_setting_get_string(setting);
    struct config_cache *cache = container_of(target, struct config_cache, owner);

    if (text == NULL || uuid_parse(text, &cache->owner) != 0) {
        return config_fail(reader, setting, "owner must be the UUID of a controller");
    }
    cache->has_owner = true;
    return true;
}

static const struct config_key cache_keys[] = {
    {"medium", CONFIG_CUSTOM, AT(config_cache, medium), 0, 0, NULL, medium_read, true},
    {"path", CONFIG_PATH, AT(config_cache, path), 2, PATH_MAX - 1, NULL, NULL, true},
    {"size", CONFIG_SIZE, AT(config_cache, size_bytes), CACHE_SIZE_MIN_BYTES, CACHE_SIZE_MAX_BYTES,
     NULL, NULL, true},
    {"owner", CONFIG_CUSTOM, AT(config_cache, owner), 0, 0, NULL, owner_read, false},
    END};

bool config_cache_read(struct config_reader *reader, const config_setting_t *setting, void *target)
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

static const struct config_key enclosure_keys[] = {
    {"eid", CONFIG_U32, AT(config_enclosure, eid), 0, 65534, NULL, NULL, true},
    {"model", CONFIG_TEXT, AT(config_enclosure, model), 1, 40, NULL, NULL, false},
    {"profile", CONFIG_TEXT, AT(config_enclosure, profile), 1, 32, NULL, NULL, false},
    {"slots", CONFIG_U32, AT(config_enclosure, slots), 1, 255, NULL, NULL, false},
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

/* Its shape, or a profile that has it. */
static bool enclosure_shape(struct config_reader *reader, const config_setting_t *entry,
                            struct config_enclosure *enclosure)
{
    static const char *const of_the_profile[] = {"model",   "slots", "rows",
                                                 "columns", "order", "emulated"};

    for (size_t i = 0;
         enclosure->profile[0] != '\0' && i < sizeof(of_the_profile) / sizeof(of_the_profile[0]);
         i++) {
        const config_setting_t *other = config_setting_get_member(entry, of_the_profile[i]);

        if (other != NULL) {
            return config_fail(reader, other, "%s comes from the profile", of_the_profile[i]);
        }
    }
    if (enclosure->profile[0] != '\0') {
        enclosure->emulated = true;
        return true;
    }
    if (enclosure->slots == 0) {
        return config_fail(reader, entry, "slots is missing");
    }
    enclosure->rows = enclosure->rows != 0 ? enclosure->rows : 1;
    if (enclosure->columns == 0) {
        enclosure->columns = (enclosure->slots + enclosure->rows - 1) / enclosure->rows;
    }
    return enclosure->rows * enclosure->columns >= enclosure->slots ||
           config_fail(reader, entry, "%u slots do not fit into %u rows of %u", enclosure->slots,
                       enclosure->rows, enclosure->columns);
}

bool config_enclosures_read(struct config_reader *reader, const config_setting_t *setting,
                            void *target)
{
    const struct config_controller *controller = target;
    struct daemon_config *config = config_of(target);

    if (!list_check(reader, setting, "enclosures", CONFIG_ENCLOSURES_MAX)) {
        return false;
    }
    for (int i = 0; i < config_setting_length(setting); i++) {
        const config_setting_t *entry = config_setting_get_elem(setting, (unsigned)i);
        struct config_enclosure *enclosure = &config->enclosures[config->enclosure_count];

        enclosure->controller = controller->index;
        (void)snprintf(enclosure->model, sizeof(enclosure->model), "Enclosure");
        enclosure->line = config_setting_source_line(entry);
        if (!config_group_read(reader, entry, enclosure_keys, enclosure)) {
            return false;
        }
        for (uint32_t other = 0; other < config->enclosure_count; other++) {
            if (config->enclosures[other].controller == enclosure->controller &&
                config->enclosures[other].eid == enclosure->eid) {
                return config_fail(reader, entry, "enclosure %u is listed twice", enclosure->eid);
            }
        }
        if (!enclosure_shape(reader, entry, enclosure)) {
            return false;
        }
        config->enclosure_count++;
    }
    return true;
}

bool config_drives_read(struct config_reader *reader, const config_setting_t *setting, void *target)
{
    const struct config_controller *controller = target;
    struct daemon_config *config = config_of(target);

    if (!list_check(reader, setting, "drives", CONFIG_DRIVES_MAX)) {
        return false;
    }
    if (config->drive_count + (unsigned)config_setting_length(setting) > CONFIG_DRIVES_MAX) {
        return config_fail(reader, setting, "at most %u drives are supported in all",
                           CONFIG_DRIVES_MAX);
    }
    for (int i = 0; i < config_setting_length(setting); i++) {
        const config_setting_t *entry = config_setting_get_elem(setting, (unsigned)i);
        struct config_drive *drive = &config->drives[config->drive_count];

        drive->controller = controller->index;
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

bool config_profile_read(struct config_reader *reader, const config_setting_t *setting,
                         void *target)
{
    struct config_controller *controller = target;
    const char *text = config_setting_get_string(setting);

    if (text == NULL || strlen(text) == 0 || strlen(text) >= sizeof(controller->profile)) {
        return config_fail(reader, setting, "profile must be the name of a controller's profile");
    }
    memcpy(controller->profile, text, strlen(text) + 1);
    controller->profile_line = config_setting_source_line(setting);
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

bool config_battery_read(struct config_reader *reader, const config_setting_t *setting,
                         void *target)
{
    struct config_battery *battery = target;
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

static const struct config_key controller_keys[] = {
    {"model", CONFIG_TEXT, AT(config_controller, model), 1, 40, NULL, NULL, false},
    {"profile", CONFIG_CUSTOM, 0, 0, 0, NULL, config_profile_read, false},
    {"battery", CONFIG_CUSTOM, AT(config_controller, battery), 0, 0, NULL, config_battery_read,
     false},
    {"cache", CONFIG_CUSTOM, AT(config_controller, cache), 0, 0, NULL, config_cache_read, false},
    {"enclosures", CONFIG_CUSTOM, 0, 0, 0, NULL, config_enclosures_read, false},
    {"drives", CONFIG_CUSTOM, 0, 0, 0, NULL, config_drives_read, false},
    END};

/* Two controllers cannot have one cache. */
static bool cache_is_its_own(struct config_reader *reader, const config_setting_t *entry,
                             const struct daemon_config *config,
                             const struct config_controller *controller)
{
    const config_setting_t *cache = config_setting_get_member(entry, "cache");

    for (uint32_t i = 0; cache != NULL && i < controller->index; i++) {
        if (strcmp(config->controllers[i].cache.path, controller->cache.path) == 0) {
            return config_fail(reader, cache, "path is that of the cache of controller %u too", i);
        }
    }
    return true;
}

bool config_controllers_read(struct config_reader *reader, const config_setting_t *setting,
                             void *target)
{
    static const char *const of_the_only_one[] = {"controller", "profile",    "battery",
                                                  "cache",      "enclosures", "drives"};
    const config_setting_t *root = config_setting_parent(setting);
    struct daemon_config *config = target;

    if (!list_check(reader, setting, "controllers", CONFIG_CONTROLLERS_MAX)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(of_the_only_one) / sizeof(of_the_only_one[0]); i++) {
        const config_setting_t *other = config_setting_get_member(root, of_the_only_one[i]);

        if (other != NULL) {
            return config_fail(reader, other,
                               "there are controllers: %s belongs into the group of one of them",
                               of_the_only_one[i]);
        }
    }
    config->controller_count = (uint32_t)config_setting_length(setting);
    for (uint32_t i = 0; i < config->controller_count; i++) {
        const config_setting_t *entry = config_setting_get_elem(setting, i);

        if (!config_group_read(reader, entry, controller_keys, &config->controllers[i]) ||
            !cache_is_its_own(reader, entry, config, &config->controllers[i])) {
            return false;
        }
    }
    return config->controller_count > 0 ||
           config_fail(reader, setting, "controllers must have at least one group");
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
        if (config->enclosures[i].controller == drive->controller &&
            config->enclosures[i].eid == drive->eid) {
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
    /* That of a profile is not known yet: profiles_enclosures_read() looks. */
    if (enclosure->profile[0] == '\0' && drive->slot >= enclosure->slots) {
        (void)snprintf(why, why_bytes, "slot %u is beyond the %u slots of enclosure %u",
                       drive->slot, enclosure->slots, drive->eid);
        return false;
    }
    return true;
}

bool config_drives_check(const struct config_reader *reader, const struct daemon_config *config)
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
            } else if (drive->slot != CONFIG_NO_PLACE && other->controller == drive->controller &&
                       other->eid == drive->eid && other->slot == drive->slot) {
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
