/*
 * See profile_file.h. Each key is in a table with its type and bounds; `notes` and `estimated`
 * are for people: what the figures come from, and which are guesses.
 */
#include "daemon/profile_file.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "control/object_doc.h"

#define NAME_MAX_CHARACTERS 32u
#define SECONDS_MAX (366u * 86400u)

enum field_kind {
    FIELD_TEXT,  /* char[max + 1] */
    FIELD_U32,   /* min … max */
    FIELD_BYTES, /* uint64_t */
    FIELD_BOOL,
    FIELD_CUSTOM, /* read() */
    FIELD_NOTES  /* for people */
};

struct profile_reader {
    char path[PATH_MAX];
    char *text;
};

struct field {
    const char *name;
    enum field_kind kind;
    bool required;
    size_t offset;
    uint64_t min, max;
    bool (*read)(struct profile_reader *reader, const json_t *value, void *target);
};

static bool fail(struct profile_reader *reader, const char *format, ...) PRINTF_LIKE(2, 3);

static bool fail(struct profile_reader *reader, const char *format, ...)
{
    int length = snprintf(reader->text, PROFILE_TEXT_BYTES, "%.300s: ", reader->path);
    va_list arguments;

    ASSERT(length > 0 && (size_t)length < PROFILE_TEXT_BYTES);
    va_start(arguments, format);
    (void)vsnprintf(reader->text + length, PROFILE_TEXT_BYTES - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* Values */

static bool text_take(struct profile_reader *reader, const json_t *value, const struct field *field,
                      char *out)
{
    const char *text = json_string_value(value);

    if (text == NULL || strlen(text) != json_string_length(value)) {
        return fail(reader, "%s must be a text", field->name);
    }
    if (strlen(text) < field->min || strlen(text) > field->max) {
        return fail(reader, "%s must have %llu to %llu characters", field->name,
                    (unsigned long long)field->min, (unsigned long long)field->max);
    }
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool number_take(struct profile_reader *reader, const json_t *value,
                        const struct field *field, uint64_t *ret_number)
{
    json_int_t number = json_integer_value(value);

    if (!json_is_integer(value)) {
        return fail(reader, "%s must be a whole number", field->name);
    }
    if (number < 0 || (uint64_t)number < field->min || (uint64_t)number > field->max) {
        return fail(reader, "%s must be between %llu and %llu, not %lld", field->name,
                    (unsigned long long)field->min, (unsigned long long)field->max,
                    (long long)number);
    }
    *ret_number = (uint64_t)number;
    return true;
}

static bool field_take(struct profile_reader *reader, const json_t *value,
                       const struct field *field, void *base)
{
    void *target = (char *)base + field->offset;
    uint64_t number = 0;

    switch (field->kind) {
    case FIELD_TEXT:
        return text_take(reader, value, field, target);
    case FIELD_U32:
        if (!number_take(reader, value, field, &number)) {
            return false;
        }
        *(uint32_t *)target = (uint32_t)number;
        return true;
    case FIELD_BYTES:
        return number_take(reader, value, field, target);
    case FIELD_BOOL:
        if (!json_is_boolean(value)) {
            return fail(reader, "%s must be true or false", field->name);
        }
        *(bool *)target = json_is_true(value);
        return true;
    case FIELD_CUSTOM:
        return field->read(reader, value, base);
    case FIELD_NOTES:
        return json_is_array(value) || fail(reader, "%s must be a list", field->name);
    }
    UNREACHABLE();
}

static const struct field *field_find(const struct field *fields, const char *name)
{
    for (; fields->name != NULL; fields++) {
        if (strcmp(fields->name, name) == 0) {
            return fields;
        }
    }
    return NULL;
}

static bool fields_take(struct profile_reader *reader, const json_t *object,
                        const struct field *fields, void *base)
{
    const char *name = NULL;
    json_t *value = NULL;

    if (!json_is_object(object)) {
        return fail(reader, "a profile is an object");
    }
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        const struct field *field = field_find(fields, name);

        if (field == NULL) {
            return fail(reader, "%.60s is not a key of a profile", name);
        }
        if (!field_take(reader, value, field, base)) {
            return false;
        }
    }
    for (; fields->name != NULL; fields++) {
        if (fields->required && json_object_get(object, fields->name) == NULL) {
            return fail(reader, "%s is missing", fields->name);
        }
    }
    return true;
}

/* Controllers */

#define OF(type, member) offsetof(struct type, member)
#define NOTES {"notes", FIELD_NOTES, false, 0, 0, 0, NULL}
#define ESTIMATED {"estimated", FIELD_NOTES, false, 0, 0, 0, NULL}
#define END {NULL, FIELD_BOOL, false, 0, 0, 0, NULL}

static bool rule_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_profile_file *file = target;
    const char *word = json_string_value(value);

    if (word == NULL || !no_battery_rule_parse(word, &file->profile.no_battery_rule)) {
        return fail(reader, "no_battery_rule must be \"refuse\", \"force\" or \"revert\"");
    }
    return true;
}

static bool levels_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const struct field minimum = {"levels", FIELD_U32, true, 0, 1, RAID_MEMBERS_MAX, NULL};
    struct controller_profile_file *file = target;
    const char *word = NULL;
    json_t *drives_min = NULL;

    if (!json_is_object(value) || json_object_size(value) == 0) {
        return fail(reader, "levels must name at least one level");
    }
    json_object_foreach((json_t *)(uintptr_t)value, word, drives_min)
    {
        enum raid_level level = RAID_LEVEL_MAX;
        uint64_t number = 0;

        if (!raid_level_word_parse(word, &level)) {
            return fail(reader, "levels: %.40s is not a level", word);
        }
        if (!number_take(reader, drives_min, &minimum, &number)) {
            return false;
        }
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

    if (!json_is_array(value) || json_array_size(value) > PROFILE_BATTERIES_MAX) {
        return fail(reader, "batteries must be a list of at most %u names", PROFILE_BATTERIES_MAX);
    }
    json_array_foreach(value, index, entry)
    {
        const char *name = json_string_value(entry);

        if (name == NULL || !profile_name_is_valid(name)) {
            return fail(reader, "batteries: entry %zu is not the name of a profile", index + 1);
        }
        (void)snprintf(file->batteries[file->battery_count++], sizeof(file->batteries[0]), "%s",
                       name);
    }
    return true;
}

static const struct field controller_fields[] = {
    {"name", FIELD_TEXT, true, OF(controller_profile_file, profile.name), 1, NAME_MAX_CHARACTERS,
     NULL},
    {"model", FIELD_TEXT, true, OF(controller_profile_file, profile.model), 1, 40, NULL},
    {"ports", FIELD_U32, true, OF(controller_profile_file, profile.ports), 1, 4096, NULL},
    {"cache_bytes", FIELD_BYTES, true, OF(controller_profile_file, profile.cache_bytes), 0,
     UINT64_C(1) << 40, NULL},
    {"no_battery_rule", FIELD_CUSTOM, true, 0, 0, 0, rule_read},
    {"levels", FIELD_CUSTOM, true, 0, 0, 0, levels_read},
    {"batteries", FIELD_CUSTOM, true, 0, 0, 0, batteries_read},
    NOTES,
    ESTIMATED,
    END};

/* Batteries */

static bool hot_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const struct field bounds = {"hot_c", FIELD_U32, true, 0, 30, 100, NULL};
    struct battery_profile *profile = target;
    uint64_t number = 0;

    if (!number_take(reader, value, &bounds, &number)) {
        return false;
    }
    profile->hot_c = (int32_t)number;
    return true;
}

static const struct field learn_fields[] = {
    {"period_days", FIELD_U32, true, OF(battery_profile, learn_period_days), 1, 3650, NULL},
    {"discharge_s", FIELD_U32, true, OF(battery_profile, learn_discharge_s), 60, SECONDS_MAX, NULL},
    {"transparent", FIELD_BOOL, true, OF(battery_profile, learn_is_transparent), 0, 0, NULL},
    {"wear_ppm", FIELD_U32, true, OF(battery_profile, learn_wear_ppm), 0, 100000, NULL},
    END};

static bool learn_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct battery_profile *profile = target;

    profile->has_learn = !json_is_null(value);
    return !profile->has_learn || fields_take(reader, value, learn_fields, profile);
}

#define BATTERY_U32(name, min, max)                                                                \
    {#name, FIELD_U32, true, OF(battery_profile, name), min, max, NULL}
#define BATTERY_TEXT(name, min, max)                                                               \
    {#name, FIELD_TEXT, true, OF(battery_profile, name), min, max, NULL}

static const struct field battery_fields[] = {
    BATTERY_TEXT(name, 1, NAME_MAX_CHARACTERS),
    BATTERY_TEXT(model, 1, 40),
    BATTERY_TEXT(manufacturer, 0, 40),
    BATTERY_TEXT(chemistry, 0, 16),
    BATTERY_TEXT(mounting, 0, 64),
    {"smart", FIELD_BOOL, true, OF(battery_profile, smart), 0, 0, NULL},
    BATTERY_U32(design_capacity_mah, 1, 1000000),
    BATTERY_U32(design_voltage_mv, 1, 1000000),
    BATTERY_U32(retention_s, 60, SECONDS_MAX),
    BATTERY_U32(charge_s, 60, SECONDS_MAX),
    BATTERY_U32(ready_percent, 1, 100),
    BATTERY_U32(low_percent, 0, 99),
    BATTERY_U32(worn_percent, 0, 99),
    {"hot_c", FIELD_CUSTOM, true, 0, 0, 0, hot_read},
    {"learn", FIELD_CUSTOM, true, 0, 0, 0, learn_read},
    NOTES,
    ESTIMATED,
    END};

/* Files */

bool profile_name_is_valid(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && length <= NAME_MAX_CHARACTERS &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

/* The object, or NULL with the text set. */
static json_t *file_load(struct profile_reader *reader, const char *directory, const char *folder,
                         const char *name)
{
    json_error_t error;
    json_t *object = NULL;
    int length =
        snprintf(reader->path, sizeof(reader->path), "%s/%s/%.32s.json", directory, folder, name);

    if (!profile_name_is_valid(name) || length < 0 || (size_t)length >= sizeof(reader->path)) {
        (void)snprintf(reader->text, PROFILE_TEXT_BYTES,
                       "\"%.60s\" is not the name of a profile: a-z, 0-9 and -, at most %u", name,
                       NAME_MAX_CHARACTERS);
        return NULL;
    }
    object = json_load_file(reader->path, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL) {
        if (error.line > 0) {
            (void)snprintf(reader->text, PROFILE_TEXT_BYTES, "%.300s:%d: %.100s", reader->path,
                           error.line, error.text);
        } else {
            (void)fail(reader, "there is no such profile, or it cannot be read");
        }
    }
    return object;
}

static bool name_matches(struct profile_reader *reader, const char *inside, const char *name)
{
    return strcmp(inside, name) == 0 ||
           fail(reader, "name is \"%s\", not that of the file", inside);
}

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
    object = file_load(&reader, directory, "controllers", name);
    if (object == NULL) {
        return -ENOENT;
    }
    good = fields_take(&reader, object, controller_fields, &file) &&
           name_matches(&reader, file.profile.name, name);
    json_decref(object);
    if (!good) {
        return -EINVAL;
    }
    file.profile.has_cache = file.profile.cache_bytes > 0;
    *ret = file;
    return 0;
}

int battery_profile_read(const char *directory, const char *name, struct battery_profile *ret,
                         char text[PROFILE_TEXT_BYTES])
{
    struct profile_reader reader = {.text = text};
    struct battery_profile profile = {.smart = false};
    json_t *object = file_load(&reader, directory, "batteries", name);
    bool good = false;

    if (object == NULL) {
        return -ENOENT;
    }
    good = fields_take(&reader, object, battery_fields, &profile) &&
           name_matches(&reader, profile.name, name) &&
           (profile.low_percent < profile.ready_percent ||
            fail(&reader, "low_percent must be below ready_percent"));
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
