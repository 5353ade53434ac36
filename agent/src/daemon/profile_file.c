/*
 * See profile_file.h.
 */
#include "daemon/profile_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "control/object_doc.h"
#include "daemon/profile_reader.h"
#include "daemon/quirk_file.h"

#define SECONDS_MAX (366u * 86400u)

const char *const mirror_policy_words[MIRROR_POLICY_MAX] = {
    [MIRROR_POLICY_BEST] = "best",           [MIRROR_POLICY_NONE] = "none",
    [MIRROR_POLICY_ALTERNATE] = "alternate", [MIRROR_POLICY_NEAREST] = "nearest",
    [MIRROR_POLICY_HISTORY] = "history",     [MIRROR_POLICY_SPLIT] = "split",
};
const char *const write_through_words[2] = {"drive_buffers", "past_buffers"};

/* Controllers */

PROFILE_WORD_READER(rule_read, enum no_battery_rule, NO_BATTERY_RULE_MAX, no_battery_rule_word,
                    controller_profile_file, profile.no_battery_rule)

static bool levels_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const struct profile_field minimum = {"levels", FIELD_U32,        true, 0,
                                                 1,        RAID_MEMBERS_MAX, NULL};
    struct controller_profile_file *file = target;
    const char *word = NULL;
    json_t *drives_min = NULL;

    if (!json_is_object(value) || json_object_size(value) == 0) {
        return profile_refuse(reader, "must name at least one level");
    }
    json_object_foreach((json_t *)(uintptr_t)value, word, drives_min)
    {
        enum raid_level level = RAID_LEVEL_MAX;
        uint64_t number = 0;
        size_t outer = 0;

        if (!raid_level_word_parse(word, &level)) {
            return profile_fail(reader, "%.40s is not a level", word);
        }
        outer = profile_enter(reader, word);
        if (!profile_number(reader, drives_min, &minimum, &number)) {
            return false;
        }
        profile_leave(reader, outer);
        file->profile.levels[level].offered = true;
        file->profile.levels[level].drives_min = (uint32_t)number;
    }
    return true;
}

static bool batteries_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_profile_file *file = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!profile_list(reader, value, 0, PROFILE_BATTERIES_MAX, "names")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        const char *name = json_string_value(entry);

        if (name == NULL || !profile_name_is_valid(name)) {
            return profile_fail(reader, "entry %zu is not the name of a profile", index + 1);
        }
        (void)snprintf(file->batteries[file->battery_count++], sizeof(file->batteries[0]), "%s",
                       name);
    }
    return true;
}

PROFILE_WORD_READER(preset_read_policy, enum read_policy, READ_POLICY_MAX, read_policy_word,
                    vd_preset, read_policy)
PROFILE_WORD_READER(preset_write_policy, enum write_policy, WRITE_POLICY_MAX, write_policy_word,
                    vd_preset, write_policy)
PROFILE_WORD_READER(preset_io_policy, enum io_policy, IO_POLICY_MAX, io_policy_word, vd_preset,
                    io_policy)
PROFILE_WORD_READER(preset_drive_cache, enum drive_cache_policy, DRIVE_CACHE_POLICY_MAX,
                    drive_cache_policy_word, vd_preset, drive_cache_policy)
PROFILE_WORD_READER(preset_degraded_policy, enum degraded_policy, DEGRADED_POLICY_MAX,
                    degraded_policy_word, vd_preset, degraded_policy)
PROFILE_WORD_READER(vocabulary_read, enum controller_vocabulary, CONTROLLER_VOCABULARY_MAX,
                    controller_vocabulary_word, controller_profile, vocabulary)

static const struct profile_field preset_fields[] = {
    {"name", FIELD_TEXT, true, FIELD_OF(vd_preset, name), 1, PROFILE_NAME_CHARACTERS, NULL},
    {"read_policy", FIELD_CUSTOM, true, 0, 0, 0, preset_read_policy},
    {"write_policy", FIELD_CUSTOM, true, 0, 0, 0, preset_write_policy},
    {"io_policy", FIELD_CUSTOM, true, 0, 0, 0, preset_io_policy},
    {"drive_cache_policy", FIELD_CUSTOM, true, 0, 0, 0, preset_drive_cache},
    {"degraded_policy", FIELD_CUSTOM, false, 0, 0, 0, preset_degraded_policy},
    FIELDS_END};

static bool presets_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_profile_file *file = target;
    struct controller_profile *profile = &file->profile;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!profile_list(reader, value, 0, PROFILE_PRESETS_MAX, "presets")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        size_t outer = profile_enter_entry(reader, index);

        if (!profile_fields(reader, entry, preset_fields,
                            &profile->presets[profile->preset_count++])) {
            return false;
        }
        profile_leave(reader, outer);
    }
    return true;
}

/* Whoever knows no vendor's words still finds these two. */
static bool presets_are_complete(struct profile_reader *reader,
                                 const struct controller_profile *profile)
{
    static const char *const names[] = {"maximum-performance", "safest"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (controller_profile_preset(profile, names[i]) == NULL) {
            return profile_fail(reader, "presets: %s is missing", names[i]);
        }
    }
    return true;
}

static bool strips_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_profile_file *file = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!json_is_array(value) || json_array_size(value) == 0) {
        return profile_refuse(reader, "must be a list of sizes");
    }
    json_array_foreach(value, index, entry)
    {
        json_int_t size = json_integer_value(entry);

        if (!json_is_integer(entry) || size < RAID_STRIP_MIN_BYTES || size > RAID_STRIP_MAX_BYTES ||
            !is_power_of_two((uint64_t)size)) {
            return profile_fail(reader, "entry %zu is no size of a strip", index + 1);
        }
        file->profile.strip_sizes |= (uint32_t)size / RAID_STRIP_MIN_BYTES;
    }
    return true;
}

/* The sizes the memory can have; the profile keeps the largest. */
static bool upgrades_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const struct profile_field bounds = {"cache_upgrades_bytes", FIELD_BYTES, true, 0, 1,
                                                UINT64_C(1) << 40,      NULL};
    struct controller_profile_file *file = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!json_is_array(value)) {
        return profile_refuse(reader, "must be a list of sizes");
    }
    json_array_foreach(value, index, entry)
    {
        uint64_t size = 0;
        size_t outer = profile_enter_entry(reader, index);

        if (!profile_number(reader, entry, &bounds, &size)) {
            return false;
        }
        profile_leave(reader, outer);
        file->cache_upgraded_bytes = max_u64(file->cache_upgraded_bytes, size);
    }
    return true;
}

#define CEILING(name)                                                                              \
    {#name, FIELD_BYTES, true, FIELD_OF(controller_ceilings, name), 0, UINT64_C(1) << 40, NULL}

static const struct profile_field ceiling_fields[] = {
    CEILING(bus_bytes_per_s),
    CEILING(link_bytes_per_s),
    CEILING(read_bytes_per_s),
    CEILING(write_bytes_per_s),
    CEILING(xor_bytes_per_s),
    CEILING(stream_bytes_per_s),
    {"stream_write_bytes_per_s", FIELD_BYTES, false,
     FIELD_OF(controller_ceilings, stream_write_bytes_per_s), 0, UINT64_C(1) << 40, NULL},
    {"command_us", FIELD_U32, true, FIELD_OF(controller_ceilings, command_us), 0, 1000000, NULL},
    {"commands_per_drive", FIELD_U32, false, FIELD_OF(controller_ceilings, commands_per_drive), 0,
     COMMANDS_PER_DRIVE_MAX, NULL},
    FIELDS_END};

static bool ceilings_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_profile_file *file = target;

    return profile_fields(reader, value, ceiling_fields, &file->profile.ceilings);
}

static bool vocabulary_of_file(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_profile_file *file = target;

    return vocabulary_read(reader, value, &file->profile);
}

static bool partial_writes_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const char *const words[] = {"cheapest", "read_modify_write"};
    struct controller_profile_file *file = target;
    unsigned index = 0;

    if (!profile_word(reader, value, words, 2, &index)) {
        return false;
    }
    if (index == 1) {
        file->profile.partial_writes = PLAN_PARTIAL_UPDATE;
    }
    return true;
}

static bool mirror_reads_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_profile_file *file = target;
    unsigned index = 0;

    if (!profile_word(reader, value, mirror_policy_words, MIRROR_POLICY_MAX, &index)) {
        return false;
    }
    file->profile.mirror_policy = (enum mirror_policy)index;
    return true;
}

static bool write_through_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_profile_file *file = target;
    unsigned index = 0;

    if (!profile_word(reader, value, write_through_words, 2, &index)) {
        return false;
    }
    file->profile.write_through_past_buffers = index == 1;
    return true;
}

static bool quirks_of_file(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_profile_file *file = target;

    return quirks_read(reader, value, file->quirks, &file->quirk_count);
}

static const struct profile_field controller_fields[] = {
    {"name", FIELD_TEXT, true, FIELD_OF(controller_profile_file, profile.name), 1,
     PROFILE_NAME_CHARACTERS, NULL},
    {"model", FIELD_TEXT, true, FIELD_OF(controller_profile_file, profile.model), 1, 40, NULL},
    {"ports", FIELD_U32, true, FIELD_OF(controller_profile_file, profile.ports), 1, 4096, NULL},
    {"cache_bytes", FIELD_BYTES, true, FIELD_OF(controller_profile_file, profile.cache_bytes), 0,
     UINT64_C(1) << 40, NULL},
    {"cache_upgrades_bytes", FIELD_CUSTOM, true, 0, 0, 0, upgrades_read},
    {"manufacturer", FIELD_TEXT, true, FIELD_OF(controller_profile_file, manufacturer), 1, 40,
     NULL},
    {"vocabulary", FIELD_CUSTOM, true, 0, 0, 0, vocabulary_of_file},
    {"spans_max", FIELD_U32, true, FIELD_OF(controller_profile_file, profile.spans_max), 1,
     RAID_SPANS_MAX, NULL},
    {"strip_sizes_bytes", FIELD_CUSTOM, true, 0, 0, 0, strips_read},
    {"ceilings", FIELD_CUSTOM, true, 0, 0, 0, ceilings_read},
    {"presets", FIELD_CUSTOM, true, 0, 0, 0, presets_read},
    {"no_battery_rule", FIELD_CUSTOM, true, 0, 0, 0, rule_read},
    {"levels", FIELD_CUSTOM, true, 0, 0, 0, levels_read},
    {"batteries", FIELD_CUSTOM, true, 0, 0, 0, batteries_read},
    {"partial_writes", FIELD_CUSTOM, false, 0, 0, 0, partial_writes_read},
    {"mirror_reads", FIELD_CUSTOM, false, 0, 0, 0, mirror_reads_read},
    {"destage_rows", FIELD_U32, false, FIELD_OF(controller_profile_file, profile.destage_rows), 1,
     256, NULL},
    {"write_through", FIELD_CUSTOM, false, 0, 0, 0, write_through_read},
    {"quirks", FIELD_CUSTOM, false, 0, 0, 0, quirks_of_file},
    FIELDS_FOR_PEOPLE,
    FIELDS_END};

/* Batteries */

static bool hot_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const struct profile_field bounds = {"hot_c", FIELD_U32, true, 0, 30, 100, NULL};
    struct battery_profile *profile = target;
    uint64_t number = 0;

    if (!profile_number(reader, value, &bounds, &number)) {
        return false;
    }
    profile->hot_c = (int32_t)number;
    return true;
}

static const struct profile_field learn_fields[] = {
    {"period_days", FIELD_U32, true, FIELD_OF(battery_profile, learn_period_days), 1, 3650, NULL},
    {"discharge_s", FIELD_U32, true, FIELD_OF(battery_profile, learn_discharge_s), 60, SECONDS_MAX,
     NULL},
    {"transparent", FIELD_BOOL, true, FIELD_OF(battery_profile, learn_is_transparent), 0, 0, NULL},
    {"wear_ppm", FIELD_U32, true, FIELD_OF(battery_profile, learn_wear_ppm), 0, 100000, NULL},
    FIELDS_END};

static bool learn_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct battery_profile *profile = target;

    profile->has_learn = !json_is_null(value);
    return !profile->has_learn || profile_fields(reader, value, learn_fields, profile);
}

#define BATTERY_U32(name, min, max)                                                                \
    {#name, FIELD_U32, true, FIELD_OF(battery_profile, name), min, max, NULL}
#define BATTERY_TEXT(name, min, max)                                                               \
    {#name, FIELD_TEXT, true, FIELD_OF(battery_profile, name), min, max, NULL}

static const struct profile_field battery_fields[] = {
    BATTERY_TEXT(name, 1, PROFILE_NAME_CHARACTERS),
    BATTERY_TEXT(model, 1, 40),
    BATTERY_TEXT(manufacturer, 0, 40),
    BATTERY_TEXT(chemistry, 0, 16),
    BATTERY_TEXT(mounting, 0, 64),
    {"smart", FIELD_BOOL, true, FIELD_OF(battery_profile, smart), 0, 0, NULL},
    BATTERY_U32(design_capacity_mah, 1, 1000000),
    BATTERY_U32(design_voltage_mv, 1, 1000000),
    BATTERY_U32(retention_s, 60, SECONDS_MAX),
    BATTERY_U32(charge_s, 60, SECONDS_MAX),
    BATTERY_U32(ready_percent, 1, 100),
    BATTERY_U32(low_percent, 0, 99),
    BATTERY_U32(worn_percent, 0, 99),
    {"hot_c", FIELD_CUSTOM, true, 0, 0, 0, hot_read},
    {"learn", FIELD_CUSTOM, true, 0, 0, 0, learn_read},
    FIELDS_FOR_PEOPLE,
    FIELDS_END};

/* Files */

int controller_profile_read(const char *directory, const char *name,
                            struct controller_profile_file *ret, char text[PROFILE_TEXT_BYTES])
{
    struct profile_reader reader = {.text = text};
    struct controller_profile_file file = {.battery_count = 0};
    json_t *object = NULL;
    bool good = false;

    if (strcmp(name, "native") == 0) {
        *ret = (struct controller_profile_file){.takes_any_battery = true};
        controller_profile_native(&ret->profile);
        return 0;
    }
    object = profile_load(&reader, directory, "controllers", name);
    if (object == NULL) {
        return -ENOENT;
    }
    good = profile_fields(&reader, object, controller_fields, &file) &&
           profile_is_named(&reader, file.profile.name, name) &&
           presets_are_complete(&reader, &file.profile) &&
           (file.profile.cache_bytes > 0 ||
            (file.cache_upgraded_bytes == 0 && file.battery_count == 0) ||
            profile_fail(&reader, "without a cache there is nothing to upgrade or to keep"));
    json_decref(object);
    if (!good) {
        return -EINVAL;
    }
    file.profile.has_cache = file.profile.cache_bytes > 0;
    file.cache_fitted_bytes = file.profile.cache_bytes;
    file.profile.cache_bytes = max_u64(file.cache_fitted_bytes, file.cache_upgraded_bytes);
    *ret = file;
    return 0;
}

int battery_profile_read(const char *directory, const char *name, struct battery_profile *ret,
                         char text[PROFILE_TEXT_BYTES])
{
    struct profile_reader reader = {.text = text};
    struct battery_profile profile = {.smart = false};
    json_t *object = profile_load(&reader, directory, "batteries", name);
    bool good = false;

    if (object == NULL) {
        return -ENOENT;
    }
    good = profile_fields(&reader, object, battery_fields, &profile) &&
           profile_is_named(&reader, profile.name, name) &&
           (profile.low_percent < profile.ready_percent ||
            profile_fail(&reader, "low_percent must be below ready_percent"));
    json_decref(object);
    if (!good) {
        return -EINVAL;
    }
    *ret = profile;
    return 0;
}

bool controller_takes_battery(const struct controller_profile_file *file, const char *battery)
{
    for (uint32_t i = 0; i < file->battery_count; i++) {
        if (strcmp(file->batteries[i], battery) == 0) {
            return true;
        }
    }
    return file->takes_any_battery;
}
