/*
 * Settings by table: see config_table.h.
 */
#include "host/config_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

/* The powers of 1024 are in order. */
static const struct {
    const char *unit;
    double bytes;
} units[] = {{"", 1},         {"B", 1},    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 0x1p30},
             {"TiB", 0x1p40}, {"kB", 1e3}, {"MB", 1e6},   {"GB", 1e9},      {"TB", 1e12}};
#define UNIT_BYTES 1u
#define UNIT_TIB 5u

bool config_size_parse(const char *text, uint64_t *ret_bytes)
{
    char *end = NULL;
    double number = strtod(text, &end);

    if (end == text || text[0] == '-' || !isfinite(number)) {
        return false;
    }
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) == 0 && number * units[i].bytes < 0x1p62) {
            *ret_bytes = (uint64_t)(number * units[i].bytes);
            return true;
        }
    }
    return false;
}

bool config_fail(struct config_reader *reader, const config_setting_t *setting, const char *format,
                 ...)
{
    const char *file = config_setting_source_file(setting);
    int length =
        snprintf(reader->error, reader->error_bytes, "%s:%u: ", file != NULL ? file : reader->path,
                 config_setting_source_line(setting));
    va_list arguments;

    if (length > 0 && (size_t)length < reader->error_bytes) {
        va_start(arguments, format);
        (void)vsnprintf(reader->error + length, reader->error_bytes - (size_t)length, format,
                        arguments);
        va_end(arguments);
    }
    return false;
}

static const char *name_of(const config_setting_t *setting)
{
    const char *name = config_setting_name(setting);

    return name != NULL ? name : "(entry)";
}

static bool text_read(struct config_reader *reader, const config_setting_t *setting,
                      const struct config_key *key, char *out)
{
    const char *text = config_setting_get_string(setting);

    if (text == NULL) {
        return config_fail(reader, setting, "%s must be a text in quotes", key->name);
    }
    if (strlen(text) < key->min || strlen(text) > key->max) {
        return config_fail(reader, setting, "%s must have %llu to %llu characters", key->name,
                           (unsigned long long)key->min, (unsigned long long)key->max);
    }
    if (key->kind == CONFIG_PATH && text[0] != '/') {
        return config_fail(reader, setting, "%s must be an absolute path, not \"%s\"", key->name,
                           text);
    }
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool is_integer(const config_setting_t *setting)
{
    return config_setting_type(setting) == CONFIG_TYPE_INT ||
           config_setting_type(setting) == CONFIG_TYPE_INT64;
}

static bool u32_read(struct config_reader *reader, const config_setting_t *setting,
                     const struct config_key *key, uint32_t *out)
{
    long long value = is_integer(setting) ? config_setting_get_int64(setting) : -1;

    ASSERT(key->max <= UINT32_MAX);
    if (!is_integer(setting)) {
        return config_fail(reader, setting, "%s must be a whole number", key->name);
    }
    if (value < 0 || (uint64_t)value < key->min || (uint64_t)value > key->max) {
        return config_fail(reader, setting, "%s must be between %llu and %llu, not %lld", key->name,
                           (unsigned long long)key->min, (unsigned long long)key->max, value);
    }
    *out = (uint32_t)value;
    return true;
}

/* As the file would have it: in the largest unit in which it is whole. */
static const char *size_say(uint64_t bytes, char text[32])
{
    uint32_t unit = UNIT_BYTES;

    while (unit < UNIT_TIB && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    (void)snprintf(text, 32, "%llu %s", (unsigned long long)bytes, units[unit].unit);
    return text;
}

static bool size_read(struct config_reader *reader, const config_setting_t *setting,
                      const struct config_key *key, uint64_t *out)
{
    const char *text = config_setting_get_string(setting);
    uint64_t bytes = 0;

    if (is_integer(setting) && config_setting_get_int64(setting) >= 0) {
        bytes = (uint64_t)config_setting_get_int64(setting);
    } else if (text == NULL || !config_size_parse(text, &bytes)) {
        return config_fail(reader, setting, "%s must be a size such as \"64 MiB\"", key->name);
    }
    if (bytes < key->min || bytes > key->max) {
        char least[32];
        char most[32];
        char is[32];

        return config_fail(reader, setting, "%s must be between %s and %s, not %s", key->name,
                           size_say(key->min, least), size_say(key->max, most),
                           size_say(bytes, is));
    }
    *out = bytes;
    return true;
}

static bool mode_read(struct config_reader *reader, const config_setting_t *setting,
                      const struct config_key *key, uint32_t *out)
{
    const char *text = config_setting_get_string(setting);
    char *end = NULL;
    unsigned long mode = text != NULL ? strtoul(text, &end, 8) : 0;

    if (text == NULL || text[0] < '0' || text[0] > '7' || *end != '\0' || mode > 0777) {
        return config_fail(reader, setting, "%s must be permissions such as \"0660\"", key->name);
    }
    *out = (uint32_t)mode;
    return true;
}

static bool list_read(struct config_reader *reader, const config_setting_t *setting,
                      const struct config_key *key, struct config_list *out)
{
    int count = config_setting_length(setting);

    if (!config_setting_is_array(setting) && !config_setting_is_list(setting)) {
        return config_fail(reader, setting, "%s must be a list of texts: [ \"a\", \"b\" ]",
                           key->name);
    }
    if ((unsigned)count > CONFIG_LIST_MAX) {
        return config_fail(reader, setting, "%s may have at most %u entries", key->name,
                           CONFIG_LIST_MAX);
    }
    out->count = 0;
    for (int i = 0; i < count; i++) {
        const char *text = config_setting_get_string_elem(setting, i);

        if (text == NULL || strlen(text) >= sizeof(out->items[0])) {
            return config_fail(reader, setting, "entry %d of %s must be a text", i + 1, key->name);
        }
        (void)snprintf(out->items[out->count++], sizeof(out->items[0]), "%s", text);
    }
    return true;
}

static bool setting_read(struct config_reader *reader, const config_setting_t *setting,
                         const struct config_key *key, void *target)
{
    void *out = (char *)target + key->offset;

    switch (key->kind) {
    case CONFIG_TEXT:
    case CONFIG_PATH:
        return text_read(reader, setting, key, out);
    case CONFIG_U32:
        return u32_read(reader, setting, key, out);
    case CONFIG_BOOL:
        if (config_setting_type(setting) != CONFIG_TYPE_BOOL) {
            return config_fail(reader, setting, "%s must be true or false", key->name);
        }
        *(bool *)out = config_setting_get_bool(setting) == CONFIG_TRUE;
        return true;
    case CONFIG_SIZE:
        return size_read(reader, setting, key, out);
    case CONFIG_MODE:
        return mode_read(reader, setting, key, out);
    case CONFIG_LIST:
        return list_read(reader, setting, key, out);
    case CONFIG_GROUP:
        return config_group_read(reader, setting, key->keys, out);
    case CONFIG_CUSTOM:
        return key->read(reader, setting, out);
    }
    UNREACHABLE();
}

static const struct config_key *key_find(const struct config_key *keys, const char *name)
{
    for (; keys->name != NULL; keys++) {
        if (strcmp(keys->name, name) == 0) {
            return keys;
        }
    }
    return NULL;
}

/* Names the keys that exist: the quickest cure for a typo. */
static bool unknown_key(struct config_reader *reader, const config_setting_t *setting,
                        const config_setting_t *group, const struct config_key *keys)
{
    char known[300] = "";

    for (; keys->name != NULL; keys++) {
        size_t at = strlen(known);

        (void)snprintf(known + at, sizeof(known) - at, "%s%s", at > 0 ? ", " : "", keys->name);
    }
    if (config_setting_is_root(group)) {
        return config_fail(reader, setting, "unknown key %s (known: %s)", name_of(setting), known);
    }
    return config_fail(reader, setting, "unknown key %s in %s (known: %s)", name_of(setting),
                       name_of(group), known);
}

bool config_group_read(struct config_reader *reader, const config_setting_t *group,
                       const struct config_key *keys, void *target)
{
    if (!config_setting_is_group(group)) {
        return config_fail(reader, group, "%s must be a group: { … }", name_of(group));
    }
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const struct config_key *key = key_find(keys, name_of(setting));

        if (key == NULL) {
            return unknown_key(reader, setting, group, keys);
        }
        if (!setting_read(reader, setting, key, target)) {
            return false;
        }
    }
    for (; keys->name != NULL; keys++) {
        if (keys->required && config_setting_get_member(group, keys->name) == NULL) {
            return config_fail(reader, group, "%s is missing", keys->name);
        }
    }
    return true;
}
