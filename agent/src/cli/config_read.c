/*
 * Reads a saved configuration. The file is somebody's: everything in it is checked before anything
 * is planned, and what is not known is refused, not passed over.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/config.h"

#define FILE_BYTES_MAX (4 << 20)
#define GROUPS_MAX 64u
#define ITEMS_MAX 256u
#define SIZE_MAX_BYTES (INT64_C(1) << 62)

struct reader {
    char *text;        /* what is wrong, REQUEST_TEXT_BYTES */
    const char *where; /* in the document */
};

static bool wrong(const struct reader *reader, const char *what)
{
    (void)snprintf(reader->text, REQUEST_TEXT_BYTES, "%s: %.200s", reader->where, what);
    return false;
}

static bool list_is_bounded(const struct reader *reader, const json_t *list, size_t most)
{
    if (!json_is_array(list) || json_array_size(list) > most) {
        return wrong(reader, "not a list, or too long");
    }
    return true;
}

static bool text_fits(const char *text, size_t least, size_t most)
{
    return strlen(text) >= least && strlen(text) <= most;
}

static bool settings_check(const struct reader *reader, json_t *settings)
{
    json_error_t error;
    int rebuild = 0;
    int bgi = 0;
    int glitch = 0;
    int patrol_rate = 0;
    int patrol_delay = 0;
    int patrol_drives = 1;
    const char *patrol_word = "auto";
    const char *coercion_typed = "none";
    enum patrol_mode patrol_mode;
    enum coercion coercion;
    int flag[8];

    /* Documents from before there was copyback, or patrol read, say nothing of it. */
    if (json_unpack_ex(settings, &error, JSON_STRICT,
                       "{s:i, s:i, s:b, s:b, s:b, s:b, s:b, s?b, s?b, s?i, s?s, s?i, s?i, s?b, "
                       "s?i, s?s}",
                       "rebuild_rate_percent", &rebuild, "bgi_rate_percent", &bgi, "auto_rebuild",
                       &flag[0], "emergency_spare", &flag[1], "emergency_unconfigured", &flag[2],
                       "mixed_media", &flag[3], "mixed_interfaces", &flag[4], "copyback", &flag[5],
                       "predictive_copyback", &flag[6], "glitch_seconds", &glitch, "patrol_mode",
                       &patrol_word, "patrol_rate_percent", &patrol_rate, "patrol_delay_hours",
                       &patrol_delay, "patrol_ssds", &flag[7], "patrol_drives_max", &patrol_drives,
                       "coercion", &coercion_typed) != 0) {
        return wrong(reader, error.text);
    }
    if (rebuild < 0 || rebuild > 100 || bgi < 0 || bgi > 100 || patrol_rate < 0 ||
        patrol_rate > 100) {
        return wrong(reader, "a rate is not 0 to 100");
    }
    if (!patrol_mode_parse(patrol_word, &patrol_mode)) {
        return wrong(reader, "patrol_mode is not auto, manual or disabled");
    }
    if (!coercion_parse(coercion_typed, &coercion)) {
        return wrong(reader, "coercion is not none, mib_128 or gib_1");
    }
    /* Sizes in documents from before there was coercion are not coerced. */
    (void)json_object_set_new(settings, "coercion", json_string(coercion_word(coercion)));
    if (patrol_delay < 0 || patrol_delay > 8760 || patrol_drives < 1 || patrol_drives > 255) {
        return wrong(reader, "patrol_delay_hours or patrol_drives_max is out of range");
    }
    if (glitch < 0 || glitch > 300) {
        return wrong(reader, "glitch_seconds is not 0 to 300");
    }
    return true;
}

static bool vd_check(const struct reader *reader, json_t *vd)
{
    json_error_t error;
    json_int_t size = 0;
    json_int_t strip = 0;
    const char *name = NULL;
    const char *word[7];
    int flag[2];

    if (json_unpack_ex(vd, &error, JSON_STRICT,
                       "{s:s, s:I, s:I, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s?:s, s?:s}", "name",
                       &name, "size_bytes", &size, "strip_bytes", &strip, "write_policy", &word[0],
                       "read_policy", &word[1], "io_policy", &word[2], "drive_cache_policy",
                       &word[3], "access", &word[4], "stripe_log", &flag[0], "hedged_reads",
                       &flag[1], "degraded_policy", &word[5], "stripe_log_mode", &word[6]) != 0) {
        return wrong(reader, error.text);
    }
    if (!text_fits(name, 1, 15)) {
        return wrong(reader, "a name has 1 to 15 characters");
    }
    if (size <= 0 || size > SIZE_MAX_BYTES || strip <= 0 || strip > INT32_MAX) {
        return wrong(reader, "size_bytes or strip_bytes is out of range");
    }
    return true;
}

static bool group_check(const struct reader *reader, json_t *group)
{
    json_error_t error;
    json_int_t index = 0;
    json_int_t drives_per_span = 0;
    const char *level = NULL;
    json_t *drives = NULL;
    json_t *vds = NULL;
    json_t *item;
    size_t i;

    if (json_unpack_ex(group, &error, JSON_STRICT, "{s:I, s:s, s:I, s:o, s:o}", "index", &index,
                       "level", &level, "drives_per_span", &drives_per_span, "drives", &drives,
                       "virtual_drives", &vds) != 0) {
        return wrong(reader, error.text);
    }
    if (drives_per_span < 1 || drives_per_span > (json_int_t)ITEMS_MAX || index < 0) {
        return wrong(reader, "index or drives_per_span is out of range");
    }
    if (!list_is_bounded(reader, drives, ITEMS_MAX) || !list_is_bounded(reader, vds, ITEMS_MAX)) {
        return false;
    }
    if (json_array_size(drives) == 0 || json_array_size(vds) == 0) {
        return wrong(reader, "a group has drives and virtual drives");
    }
    json_array_foreach(drives, i, item)
    {
        const char *serial = NULL;
        json_t *key = NULL;

        if (json_unpack_ex(item, &error, JSON_STRICT, "{s:o, s:s}", "drive", &key, "serial",
                           &serial) != 0) {
            return wrong(reader, error.text);
        }
        if (!json_is_null(key) && !(json_is_string(key) && json_string_length(key) > 0)) {
            return wrong(reader, "drive is neither a key nor null");
        }
    }
    json_array_foreach(vds, i, item)
    {
        if (!vd_check(reader, item)) {
            return false;
        }
    }
    return true;
}

static bool spare_check(const struct reader *reader, json_t *spare)
{
    json_error_t error;
    const char *key = NULL;
    const char *serial = NULL;
    json_t *groups = NULL;
    json_t *number;
    size_t i;
    int affinity = 0;
    int revertible = 0;

    if (json_unpack_ex(spare, &error, JSON_STRICT, "{s:s, s:s, s:o, s:b, s?b}", "drive", &key,
                       "serial", &serial, "drive_groups", &groups, "enclosure_affinity", &affinity,
                       "revertible", &revertible) != 0) {
        return wrong(reader, error.text);
    }
    if (!list_is_bounded(reader, groups, GROUPS_MAX)) {
        return false;
    }
    json_array_foreach(groups, i, number)
    {
        if (!json_is_integer(number)) {
            return wrong(reader, "drive_groups are numbers");
        }
    }
    return true;
}

static bool lists_check(struct reader *reader, json_t *groups, json_t *spares)
{
    json_t *item;
    size_t i;

    reader->where = "drive_groups";
    if (!list_is_bounded(reader, groups, GROUPS_MAX)) {
        return false;
    }
    json_array_foreach(groups, i, item)
    {
        if (!group_check(reader, item)) {
            return false;
        }
        for (size_t before = 0; before < i; before++) {
            if (json_equal(json_object_get(item, "index"),
                           json_object_get(json_array_get(groups, before), "index"))) {
                return wrong(reader, "two groups have the same index");
            }
        }
    }
    reader->where = "hot_spares";
    if (!list_is_bounded(reader, spares, ITEMS_MAX)) {
        return false;
    }
    json_array_foreach(spares, i, item)
    {
        if (!spare_check(reader, item)) {
            return false;
        }
    }
    return true;
}

static bool config_check(json_t *config, char text[REQUEST_TEXT_BYTES])
{
    struct reader reader = {.text = text, .where = "the document"};
    json_error_t error;
    const char *format = "";
    const char *controller = NULL;
    int version = 0;
    json_t *settings = NULL;
    json_t *groups = NULL;
    json_t *spares = NULL;

    if (json_unpack_ex(config, &error, 0, "{s:s, s:i}", "format", &format, "version", &version) !=
            0 ||
        strcmp(format, CONFIG_FORMAT) != 0) {
        return wrong(&reader, "this is no saved configuration");
    }
    if (version != CONFIG_VERSION) {
        return wrong(&reader, "it was saved by another version");
    }
    if (json_unpack_ex(config, &error, JSON_STRICT, "{s:s, s:i, s:s, s:o, s:o, s:o}", "format",
                       &format, "version", &version, "controller", &controller, "settings",
                       &settings, "drive_groups", &groups, "hot_spares", &spares) != 0) {
        return wrong(&reader, error.text);
    }
    reader.where = "settings";
    return settings_check(&reader, settings) && lists_check(&reader, groups, spares);
}

json_t *config_read(const char *path, char text[REQUEST_TEXT_BYTES])
{
    struct stat found;
    json_error_t error;

    if (stat(path, &found) != 0) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "%.200s: %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(found.st_mode) || found.st_size > FILE_BYTES_MAX) { /* a pipe would hold us up */
        (void)snprintf(text, REQUEST_TEXT_BYTES, "%.200s: not a file, or too long", path);
        return NULL;
    }
    json_t *config = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (config == NULL) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "line %d: %.200s", error.line, error.text);
        return NULL;
    }
    if (!config_check(config, text)) {
        json_decref(config);
        return NULL;
    }
    return config;
}
