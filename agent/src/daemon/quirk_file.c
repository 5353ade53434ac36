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
                profile_fail(reader, "least is more than most"));                                  \
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

    if (!profile_list(reader, value, 1, RAID_LEVEL_MAX, "levels")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        const char *word = json_string_value(entry);
        enum raid_level level = RAID_LEVEL_MAX;

        if (word == NULL || !raid_level_word_parse(word, &level)) {
            return profile_fail(reader, "entry %zu is not a level", index + 1);
        }
        quirk->levels |= UINT32_C(1) << level;
    }
    return true;
}

static bool operations_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const char *const words[] = {"reads", "writes", "all"};
    struct controller_quirk *quirk = target;
    unsigned index = 0;

    if (!profile_word(reader, value, words, 3, &index)) {
        return false;
    }
    quirk->reads = index != 1;
    quirk->writes = index != 0;
    return true;
}

static bool order_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_quirk *quirk = target;
    unsigned index = 0;

    if (!profile_word(reader, value, order_words, QUIRK_ORDER_MAX, &index)) {
        return false;
    }
    quirk->order = (enum quirk_order)index;
    return true;
}

static bool text_read(struct profile_reader *reader, const json_t *value, void *target)
{
    (void)target; /* for people */
    return json_is_string(value) || profile_refuse(reader, "must be a text");
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

static bool mirror_reads_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct controller_quirk *quirk = target;
    unsigned index = 0;

    if (!profile_word(reader, value, mirror_policy_words, MIRROR_POLICY_MAX, &index)) {
        return false;
    }
    quirk->has_mirror_policy = true;
    quirk->mirror_policy = (enum mirror_policy)index;
    return true;
}

static const struct profile_field effect_fields[] = {
    {"delay_us", FIELD_U32, false, FIELD_OF(controller_quirk, delay_us), 1, 1000000, NULL},
    {"bytes_per_s", FIELD_BYTES, false, FIELD_OF(controller_quirk, bytes_per_s), 1000000,
     UINT64_C(1) << 40, NULL},
    {"mirror_reads", FIELD_CUSTOM, false, 0, 0, 0, mirror_reads_read},
    {"cache_percent", FIELD_U32, false, FIELD_OF(controller_quirk, cache_percent), 1, 100, NULL},
    FIELDS_END};

static bool effect_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return profile_fields(reader, value, effect_fields, target) &&
           (json_object_size(value) == 1 ||
            profile_fail(reader, "an effect has exactly one of its keys"));
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
        return profile_fail(reader, "\"%s\" is not a name: a-z, 0-9 and -", quirk->name);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(quirks[i].name, quirk->name) == 0) {
            return profile_fail(reader, "there are two named %s", quirk->name);
        }
    }
    return true;
}

bool quirks_read(struct profile_reader *reader, const json_t *value,
                 struct controller_quirk *quirks, uint32_t *ret_count)
{
    size_t index = 0;
    const json_t *entry = NULL;

    if (!profile_list(reader, value, 0, PROFILE_QUIRKS_MAX, "quirks")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        size_t outer = profile_enter_entry(reader, index);

        if (!quirk_read(reader, entry, quirks, (uint32_t)index)) {
            return false;
        }
        profile_leave(reader, outer);
    }
    *ret_count = (uint32_t)index;
    return true;
}
