/*
 * Profiles of enclosures: DIRECTORY/enclosures/NAME.json. See profile_file.h.
 */
#include <errno.h>
#include <string.h>

#include "daemon/profile_reader.h"

static bool order_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const char *const words[] = {"row_major", "column_major"};
    struct enclosure_profile *profile = target;
    unsigned index = 0;

    if (!profile_word(reader, value, words, 2, &index)) {
        return false;
    }
    profile->column_major = index == 1;
    return true;
}

static const struct profile_field enclosure_fields[] = {
    {"name", FIELD_TEXT, true, FIELD_OF(enclosure_profile, name), 1, PROFILE_NAME_CHARACTERS, NULL},
    {"model", FIELD_TEXT, true, FIELD_OF(enclosure_profile, model), 1, 40, NULL},
    {"slots", FIELD_U32, true, FIELD_OF(enclosure_profile, slots), 1, 255, NULL},
    {"rows", FIELD_U32, true, FIELD_OF(enclosure_profile, rows), 1, 64, NULL},
    {"columns", FIELD_U32, true, FIELD_OF(enclosure_profile, columns), 1, 64, NULL},
    {"order", FIELD_CUSTOM, true, 0, 0, 0, order_read},
    {"hot_swap", FIELD_BOOL, true, FIELD_OF(enclosure_profile, hot_swap), 0, 0, NULL},
    FIELDS_FOR_PEOPLE,
    FIELDS_END};

int enclosure_profile_read(const char *directory, const char *name, struct enclosure_profile *ret,
                           char text[PROFILE_TEXT_BYTES])
{
    struct profile_reader reader = {.text = text};
    struct enclosure_profile profile = {.slots = 0};
    json_t *object = profile_load(&reader, directory, "enclosures", name);
    bool good = false;

    if (object == NULL) {
        return -ENOENT;
    }
    good = profile_fields(&reader, object, enclosure_fields, &profile) &&
           profile_is_named(&reader, profile.name, name) &&
           (profile.rows * profile.columns >= profile.slots ||
            profile_fail(&reader, "%u slots do not fit into %u rows of %u", profile.slots,
                         profile.rows, profile.columns));
    json_decref(object);
    if (!good) {
        return -EINVAL;
    }
    *ret = profile;
    return 0;
}
