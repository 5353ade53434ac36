/* See profile_reader.h. */
#include "daemon/profile_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

static void say(struct profile_reader *reader, const char *separator, const char *format,
                va_list arguments) PRINTF_LIKE(3, 0);

/* The file, the key and what separates the key from the rest. */
static void say(struct profile_reader *reader, const char *separator, const char *format,
                va_list arguments)
{
    int length = snprintf(reader->text, PROFILE_TEXT_BYTES, "%.200s: %s%s", reader->path,
                          reader->key, reader->key[0] != '\0' ? separator : "");

    ASSERT(length > 0 && (size_t)length < PROFILE_TEXT_BYTES);
    (void)vsnprintf(reader->text + length, PROFILE_TEXT_BYTES - (size_t)length, format, arguments);
}

bool profile_fail(struct profile_reader *reader, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(reader, ": ", format, arguments);
    va_end(arguments);
    return false;
}

bool profile_refuse(struct profile_reader *reader, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(reader, " ", format, arguments);
    va_end(arguments);
    return false;
}

/* The key being read */

size_t profile_enter(struct profile_reader *reader, const char *name)
{
    size_t length = strlen(reader->key);

    (void)snprintf(reader->key + length, sizeof(reader->key) - length, "%s%.60s",
                   length > 0 ? "." : "", name);
    return length;
}

size_t profile_enter_entry(struct profile_reader *reader, size_t index)
{
    size_t length = strlen(reader->key);

    (void)snprintf(reader->key + length, sizeof(reader->key) - length, "[%zu]", index);
    return length;
}

void profile_leave(struct profile_reader *reader, size_t length)
{
    ASSERT(length <= strlen(reader->key));
    reader->key[length] = '\0';
}

/* Values */

static bool text_take(struct profile_reader *reader, const json_t *value,
                      const struct profile_field *field, char *out)
{
    const char *text = json_string_value(value);

    if (text == NULL || strlen(text) != json_string_length(value)) {
        return profile_refuse(reader, "must be a text");
    }
    if (strlen(text) < field->min || strlen(text) > field->max) {
        return profile_refuse(reader, "must have %llu to %llu characters",
                              (unsigned long long)field->min, (unsigned long long)field->max);
    }
    memcpy(out, text, strlen(text) + 1);
    return true;
}

bool profile_number(struct profile_reader *reader, const json_t *value,
                    const struct profile_field *field, uint64_t *ret_number)
{
    json_int_t number = json_integer_value(value);

    if (!json_is_integer(value)) {
        return profile_refuse(reader, "must be a whole number");
    }
    if (number < 0 || (uint64_t)number < field->min || (uint64_t)number > field->max) {
        return profile_refuse(reader, "must be between %llu and %llu, not %lld",
                              (unsigned long long)field->min, (unsigned long long)field->max,
                              (long long)number);
    }
    *ret_number = (uint64_t)number;
    return true;
}

/* "a", "b" or "c": cut short with an ellipsis where there is no room. */
static void words_join(const char *const *words, unsigned count, char *text, size_t bytes)
{
    size_t length = 0;

    for (unsigned i = 0; i < count && length < bytes; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " or " : ", ";

        length += (size_t)snprintf(text + length, bytes - length, "%s\"%s\"", before, words[i]);
    }
    if (length >= bytes) {
        memcpy(text + bytes - 4, "...", 4);
    }
}

bool profile_word(struct profile_reader *reader, const json_t *value, const char *const *words,
                  unsigned count, unsigned *ret_index)
{
    const char *word = json_string_value(value);
    char list[256] = "";

    for (unsigned i = 0; word != NULL && i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            *ret_index = i;
            return true;
        }
    }
    words_join(words, count, list, sizeof(list));
    return word == NULL ? profile_refuse(reader, "must be %s", list)
                        : profile_refuse(reader, "must be %s, not \"%.32s\"", list, word);
}

bool profile_list(struct profile_reader *reader, const json_t *value, size_t min, size_t max,
                  const char *unit)
{
    size_t count = json_array_size(value);

    if (json_is_array(value) && count >= min && count <= max) {
        return true;
    }
    return min == 0 ? profile_refuse(reader, "must be a list of at most %zu %s", max, unit)
                    : profile_refuse(reader, "must be a list of %zu to %zu %s", min, max, unit);
}

static bool field_take(struct profile_reader *reader, const json_t *value,
                       const struct profile_field *field, void *base)
{
    void *target = (char *)base + field->offset;
    uint64_t number = 0;

    switch (field->kind) {
    case FIELD_TEXT:
        return text_take(reader, value, field, target);
    case FIELD_U32:
        if (!profile_number(reader, value, field, &number)) {
            return false;
        }
        *(uint32_t *)target = (uint32_t)number;
        return true;
    case FIELD_BYTES:
        return profile_number(reader, value, field, target);
    case FIELD_BOOL:
        if (!json_is_boolean(value)) {
            return profile_refuse(reader, "must be true or false");
        }
        *(bool *)target = json_is_true(value);
        return true;
    case FIELD_CUSTOM:
    case FIELD_REFUSED:
        return field->read(reader, value, base);
    case FIELD_NOTES:
        return json_is_array(value) || profile_refuse(reader, "must be a list");
    }
    UNREACHABLE();
}

static const struct profile_field *field_find(const struct profile_field *fields, const char *name)
{
    for (; fields->name != NULL; fields++) {
        if (strcmp(fields->name, name) == 0) {
            return fields;
        }
    }
    return NULL;
}

static bool key_unknown(struct profile_reader *reader, const char *name,
                        const struct profile_field *fields)
{
    size_t outer = profile_enter(reader, name);
    char list[320] = "";
    size_t length = 0;

    for (; fields->name != NULL && length < sizeof(list); fields++) {
        if (fields->kind == FIELD_REFUSED) {
            continue;
        }
        length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s",
                                   length == 0 ? "" : ", ", fields->name);
    }
    (void)profile_refuse(reader, "is not a key. Keys allowed there: %s", list);
    profile_leave(reader, outer);
    return false;
}

static bool key_read(struct profile_reader *reader, const char *name, const json_t *value,
                     const struct profile_field *fields, void *base)
{
    const struct profile_field *field = field_find(fields, name);
    size_t outer = 0;
    bool good = false;

    if (field == NULL) {
        return key_unknown(reader, name, fields);
    }
    outer = profile_enter(reader, name);
    good = field_take(reader, value, field, base);
    profile_leave(reader, outer);
    return good;
}

bool profile_fields(struct profile_reader *reader, const json_t *object,
                    const struct profile_field *fields, void *base)
{
    const char *name = NULL;
    json_t *value = NULL;

    if (!json_is_object(object)) {
        return profile_refuse(reader, "must be an object");
    }
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        if (!key_read(reader, name, value, fields, base)) {
            return false;
        }
    }
    for (; fields->name != NULL; fields++) {
        if (fields->required && json_object_get(object, fields->name) == NULL) {
            size_t outer = profile_enter(reader, fields->name);

            (void)profile_refuse(reader, "is missing");
            profile_leave(reader, outer);
            return false;
        }
    }
    return true;
}

bool profile_name_is_valid(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && length <= PROFILE_NAME_CHARACTERS &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

void profile_load_failed(struct profile_reader *reader, const json_error_t *error,
                         const char *missing)
{
    if (error->line > 0) {
        (void)snprintf(reader->text, PROFILE_TEXT_BYTES, "%.300s:%d: %.150s", reader->path,
                       error->line, error->text);
    } else {
        (void)profile_fail(reader, "%s", errno == ENOENT ? missing : strerror(errno));
    }
}

json_t *profile_load(struct profile_reader *reader, const char *directory, const char *folder,
                     const char *name)
{
    json_error_t error;
    json_t *object = NULL;
    int length =
        snprintf(reader->path, sizeof(reader->path), "%s/%s/%.32s.json", directory, folder, name);

    if (!profile_name_is_valid(name) || length < 0 || (size_t)length >= sizeof(reader->path)) {
        (void)snprintf(reader->text, PROFILE_TEXT_BYTES,
                       "\"%.60s\" is not the name of a profile: a-z, 0-9 and -, at most %u", name,
                       PROFILE_NAME_CHARACTERS);
        return NULL;
    }
    errno = 0;
    object = json_load_file(reader->path, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL) {
        profile_load_failed(reader, &error, "there is no such profile");
    }
    return object;
}

bool profile_is_named(struct profile_reader *reader, const char *inside, const char *name)
{
    return strcmp(inside, name) == 0 ||
           profile_fail(reader, "name is \"%s\", not that of the file", inside);
}
