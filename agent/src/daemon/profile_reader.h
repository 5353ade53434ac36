/*
 * What the readers of profile files share: each key is in a table with its type and bounds;
 * `sources`, `notes` and `estimated` are for people: what the figures come from, and which are
 * guesses.
 */
#ifndef ARRAYWRIGHT_DAEMON_PROFILE_READER_H
#define ARRAYWRIGHT_DAEMON_PROFILE_READER_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "daemon/profile_file.h"

#define PROFILE_NAME_CHARACTERS 32u

enum profile_field_kind {
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

struct profile_field {
    const char *name;
    enum profile_field_kind kind;
    bool required;
    size_t offset;
    uint64_t min, max;
    bool (*read)(struct profile_reader *reader, const json_t *value, void *target);
};

#define FIELD_OF(type, member) offsetof(struct type, member)
#define FIELDS_FOR_PEOPLE                                                                          \
    {"sources", FIELD_NOTES, false, 0, 0, 0, NULL}, {"notes", FIELD_NOTES, false, 0, 0, 0, NULL},  \
    {                                                                                              \
        "estimated", FIELD_NOTES, false, 0, 0, 0, NULL                                             \
    }
#define FIELDS_END {NULL, FIELD_BOOL, false, 0, 0, 0, NULL}

/* Says what is wrong, after the file's name; false. */
bool profile_fail(struct profile_reader *reader, const char *format, ...) PRINTF_LIKE(2, 3);
MUST_CHECK bool profile_number(struct profile_reader *reader, const json_t *value,
                               const struct profile_field *field, uint64_t *ret_number);
MUST_CHECK bool profile_fields(struct profile_reader *reader, const json_t *object,
                               const struct profile_field *fields, void *base);
/* DIRECTORY/FOLDER/NAME.json, or NULL with the text set. */
json_t *profile_load(struct profile_reader *reader, const char *directory, const char *folder,
                     const char *name);
MUST_CHECK bool profile_is_named(struct profile_reader *reader, const char *inside,
                                 const char *name);

#endif
