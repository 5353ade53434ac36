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
#define PROFILE_KEY_BYTES 128u

enum profile_field_kind {
    FIELD_TEXT,    /* char[max + 1] */
    FIELD_U32,     /* min … max */
    FIELD_BYTES,   /* uint64_t */
    FIELD_BOOL,
    FIELD_CUSTOM,  /* read() */
    FIELD_REFUSED, /* read() says why it may not be there */
    FIELD_NOTES    /* for people */
};

struct profile_reader {
    char path[PATH_MAX];
    char *text;
    /* Where the value being read is: array.level, sweep.levels[1]; "" for the file as a whole. */
    char key[PROFILE_KEY_BYTES];
};

struct profile_field {
    const char *name;
    enum profile_field_kind kind;
    bool required;
    size_t offset;
    uint64_t min, max;
    bool (*read)(struct profile_reader *reader, const json_t *value, void *target);
};

/* Reads one of an enumeration's words into member of what target points to, a struct target_type.
 */
#define PROFILE_WORD_READER(function, kind, kind_max, word_of, target_type, member)                \
    static bool function(struct profile_reader *reader, const json_t *value, void *target)         \
    {                                                                                              \
        struct target_type *into = target;                                                         \
        const char *words[kind_max];                                                               \
        unsigned index = 0;                                                                        \
                                                                                                   \
        for (unsigned i = 0; i < kind_max; i++) {                                                  \
            words[i] = word_of((kind)i);                                                           \
        }                                                                                          \
        if (!profile_word(reader, value, words, kind_max, &index)) {                               \
            return false;                                                                          \
        }                                                                                          \
        into->member = (kind)index;                                                                \
        return true;                                                                               \
    }

#define FIELD_OF(type, member) offsetof(struct type, member)
#define FIELDS_FOR_PEOPLE                                                                          \
    {"sources", FIELD_NOTES, false, 0, 0, 0, NULL}, {"notes", FIELD_NOTES, false, 0, 0, 0, NULL},  \
    {                                                                                              \
        "estimated", FIELD_NOTES, false, 0, 0, 0, NULL                                             \
    }
#define FIELDS_END {NULL, FIELD_BOOL, false, 0, 0, 0, NULL}

/* Says what is wrong, after the names of the file and of the key being read; false. */
bool profile_fail(struct profile_reader *reader, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same in a sentence that begins with the key: "must be ..."; false. */
bool profile_refuse(struct profile_reader *reader, const char *format, ...) PRINTF_LIKE(2, 3);
/* What is read from here on is the key of that name, or that entry of a list. Returns what
 * profile_leave() takes to go back. */
size_t profile_enter(struct profile_reader *reader, const char *name);
size_t profile_enter_entry(struct profile_reader *reader, size_t index);
void profile_leave(struct profile_reader *reader, size_t length);
/* value is one of the words; a refusal names them all. */
MUST_CHECK bool profile_word(struct profile_reader *reader, const json_t *value,
                             const char *const *words, unsigned count, unsigned *ret_index);
/* value is a list of so many entries; unit: what they are, in the plural. */
MUST_CHECK bool profile_list(struct profile_reader *reader, const json_t *value, size_t min,
                             size_t max, const char *unit);
MUST_CHECK bool profile_number(struct profile_reader *reader, const json_t *value,
                               const struct profile_field *field, uint64_t *ret_number);
MUST_CHECK bool profile_fields(struct profile_reader *reader, const json_t *object,
                               const struct profile_field *fields, void *base);
/* DIRECTORY/FOLDER/NAME.json, or NULL with the text set. */
json_t *profile_load(struct profile_reader *reader, const char *directory, const char *folder,
                     const char *name);
/* Why a file could not be read: the line of a mistake in it, missing if it is not there, or the
 * error of the system. */
void profile_load_failed(struct profile_reader *reader, const json_error_t *error,
                         const char *missing);
MUST_CHECK bool profile_is_named(struct profile_reader *reader, const char *inside,
                                 const char *name);

#endif
