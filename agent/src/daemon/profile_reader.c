/* See profile_reader.h. */
#include "daemon/profile_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

bool profile_fail(struct profile_reader *reader, const char *format, ...)
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

static bool text_take(struct profile_reader *reader, const json_t *value,
                      const struct profile_field *field, char *out)
{
    const char *text = json_string_value(value);

    if (text == NULL || strlen(text) != json_string_length(value)) {
        return profile_fail(reader, "%s must be a text", field->name);
    }
    if (strlen(text) < field->min || strlen(text) > field->max) {
        return profile_fail(reader, "%s must have %llu to %llu characters", field->name,
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
        return profile_fail(reader, "%s must be a whole number", field->name);
    }
    if (number < 0 || (uint64_t)number < field->min || (uint64_t)number > field->max) {
        return profile_fail(reader, "%s must be between %llu and %llu, not %lld", field->name,
                            (unsigned long long)field->min, (unsigned long long)field->max,
                            (long long)number);
    }
    *ret_number = (uint64_t)number;
    return true;
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
            return profile_fail(reader, "%s must be true or false", field->name);
        }
        *(bool *)target = json_is_true(value);
        return true;
    case FIELD_CUSTOM:
        return field->read(reader, value, base);
    case FIELD_NOTES:
        return json_is_array(value) || profile_fail(reader, "%s must be a list", field->name);
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

bool profile_fields(struct profile_reader *reader, const json_t *object,
                    const struct profile_field *fields, void *base)
{
    const char *name = NULL;
    json_t *value = NULL;

    if (!json_is_object(object)) {
        return profile_fail(reader, "a profile is an object");
    }
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        const struct profile_field *field = field_find(fields, name);

        if (field == NULL) {
            return profile_fail(reader, "%.60s is not a key of a profile", name);
        }
        if (!field_take(reader, value, field, base)) {
            return false;
        }
    }
    for (; fields->name != NULL; fields++) {
        if (fields->required && json_object_get(object, fields->name) == NULL) {
            return profile_fail(reader, "%s is missing", fields->name);
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
    object = json_load_file(reader->path, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL) {
        if (error.line > 0) {
            (void)snprintf(reader->text, PROFILE_TEXT_BYTES, "%.300s:%d: %.100s", reader->path,
                           error.line, error.text);
        } else {
            (void)profile_fail(reader, "there is no such profile, or it cannot be read");
        }
    }
    return object;
}

bool profile_is_named(struct profile_reader *reader, const char *inside, const char *name)
{
    return strcmp(inside, name) == 0 ||
           profile_fail(reader, "name is \"%s\", not that of the file", inside);
}
