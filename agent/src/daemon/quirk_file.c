/* See quirk_file.h. */
#include "daemon/quirk_file.h"

#include <string.h>

#include "base/words.h"
#include "control/object_doc.h"
#include "raid/geometry.h"

#define ANY_RANGE ((struct quirk_range){.least = 0, .most = UINT32_MAX})

static const char *const order_words[QUIRK_ORDER_MAX] = {
    [QUIRK_ORDER_ANY] = "any",
    [QUIRK_ORDER_RANDOM] = "random",
    [QUIRK_ORDER_SEQUENTIAL] = "sequential",
};

static const struct profile_field range_fields[] = {
    {"least", FIELD_U32, false, FIELD_OF(quirk_range, least), 0, UINT32_MAX, NULL},
    {"most", FIELD_U32, false, FIELD_OF(quirk_range, most), 0, UINT32_MAX, NULL},
    FIELDS_END};

#define RANGE_READER(member)                                                                       \
    static bool member##_read(struct profile_reader *reader, const json_t *value, void *target)    \
    {                                                                                              \
        struct controller_quirk *quirk = target;                                                   \
                                                                                                   \
        return profile_fields(reader, value, range_fields, &quirk->member) &&                      \
               (quirk->member.least <= quirk->member.most ||                                       \
                profile_fail(reader, "quirks: least is more than most in " #member));              \
    }

RANGE_READER(drives)
RANGE_READER(failed)
RANGE_READER(bytes)
RANGE_READER(requests)
RANGE_READER(write_percent)
RANGE_READER(random_percent)

static bool levels_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_quirk *quirk = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!json_is_array(value) || json_array_size(value) == 0) {
        return profile_fail(reader, "quirks: levels must be a list of levels");
    }
    json_array_foreach(value, index, entry)
    {
        const char *word = json_string_value(entry);
        enum raid_level level = RAID_LEVEL_MAX;

        if (word == NULL || !raid_level_word_parse(word, &level)) {
            return profile_fail(reader, "quirks: levels must be a list of levels");
        }
        quirk->levels |= UINT32_C(1) << level;
    }
    return true;
}

static bool operations_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_quirk *quirk = target;
    const char *word = json_string_value(value);

    quirk->reads = word != NULL && strcmp(word, "writes") != 0;
    quirk->writes = word != NULL && strcmp(word, "reads") != 0;
    return (word != NULL && (strcmp(word, "reads") == 0 || strcmp(word, "writes") == 0 ||
                             strcmp(word, "all") == 0)) ||
           profile_fail(reader, "quirks: operations must be \"reads\", \"writes\" or \"all\"");
}

static bool order_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_quirk *quirk = target;
    const char *word = json_string_value(value);

    for (unsigned i = 0; word != NULL && i < QUIRK_ORDER_MAX; i++) {
        if (strcmp(word, order_words[i]) == 0) {
            quirk->order = (enum quirk_order)i;
            return true;
        }
    }
    return profile_fail(reader, "quirks: order must be \"any\", \"random\" or \"sequential\"");
}

static bool text_read(struct profile_reader *reader, const json_t *value, void *target)
{
    (void)target; /* for people */
    return json_is_string(value) || profile_fail(reader, "quirks: text and source must be texts");
}

static const struct profile_field when_fields[] = {
    {"levels", FIELD_CUSTOM, false, 0, 0, 0, levels_read},
    {"drives", FIELD_CUSTOM, false, 0, 0, 0, drives_read},
    {"failed", FIELD_CUSTOM, false, 0, 0, 0, failed_read},
    {"reading_ahead", FIELD_BOOL, false, FIELD_OF(controller_quirk, reading_ahead), 0, 0, NULL},
    {"write_through", FIELD_BOOL, false, FIELD_OF(controller_quirk, write_through), 0, 0, NULL},
    {"recreated", FIELD_BOOL, false, FIELD_OF(controller_quirk, recreated), 0, 0, NULL},
    {"operations", FIELD_CUSTOM, true, 0, 0, 0, operations_read},
    {"order", FIELD_CUSTOM, false, 0, 0, 0, order_read},
    {"bytes", FIELD_CUSTOM, false, 0, 0, 0, bytes_read},
    {"requests", FIELD_CUSTOM, false, 0, 0, 0, requests_read},
    {"write_percent", FIELD_CUSTOM, false, 0, 0, 0, write_percent_read},
    {"random_percent", FIELD_CUSTOM, false, 0, 0, 0, random_percent_read},
    FIELDS_END};

static bool when_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return profile_fields(reader, value, when_fields, target);
}

static const struct profile_field effect_fields[] = {
    {"delay_us", FIELD_U32, false, FIELD_OF(controller_quirk, delay_us), 1, 1000000, NULL},
    {"bytes_per_s", FIELD_BYTES, false, FIELD_OF(controller_quirk, bytes_per_s), 1000000,
     UINT64_C(1) << 40, NULL},
    {"cache_percent", FIELD_U32, false, FIELD_OF(controller_quirk, cache_percent), 1, 100, NULL},
    FIELDS_END};

static bool effect_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return profile_fields(reader, value, effect_fields, target) &&
           (json_object_size(value) == 1 ||
            profile_fail(reader, "quirks: effect has one of its keys"));
}

static const struct profile_field quirk_fields[] = {
    {"name", FIELD_TEXT, true, FIELD_OF(controller_quirk, name), 1, PROFILE_NAME_CHARACTERS, NULL},
    {"text", FIELD_CUSTOM, true, 0, 0, 0, text_read},
    {"source", FIELD_CUSTOM, true, 0, 0, 0, text_read},
    {"when", FIELD_CUSTOM, true, 0, 0, 0, when_read},
    {"effect", FIELD_CUSTOM, true, 0, 0, 0, effect_read},
    FIELDS_END};

static bool quirk_read(struct profile_reader *reader, const json_t *value,
                       struct controller_quirk *quirks, uint32_t count)
{
    struct controller_quirk *quirk = &quirks[count];

    *quirk = (struct controller_quirk){
        .drives = ANY_RANGE,
        .failed = ANY_RANGE,
        .bytes = ANY_RANGE,
        .requests = ANY_RANGE,
        .write_percent = ANY_RANGE,
        .random_percent = ANY_RANGE,
        .cache_percent = 100,
    };
    if (!profile_fields(reader, value, quirk_fields, quirk)) {
        return false;
    }
    if (!profile_name_is_valid(quirk->name)) {
        return profile_fail(reader, "quirks: \"%s\" is not a name: a-z, 0-9 and -", quirk->name);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(quirks[i].name, quirk->name) == 0) {
            return profile_fail(reader, "quirks: there are two named %s", quirk->name);
        }
    }
    return true;
}

bool quirks_read(struct profile_reader *reader, const json_t *value,
                 struct controller_quirk *quirks, uint32_t *ret_count)
{
    size_t index = 0;
    const json_t *entry = NULL;

    if (!json_is_array(value) || json_array_size(value) > PROFILE_QUIRKS_MAX) {
        return profile_fail(reader, "quirks must be a list of at most %u", PROFILE_QUIRKS_MAX);
    }
    json_array_foreach(value, index, entry)
    {
        if (!quirk_read(reader, entry, quirks, (uint32_t)index)) {
            return false;
        }
    }
    *ret_count = (uint32_t)index;
    return true;
}
