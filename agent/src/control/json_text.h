/*
 * Small additions to jansson for documents that leave the process.
 *
 * (1) No text makes a document invalid: bytes that are not UTF-8 become U+FFFD.
 * (2) Building never fails half-way: if memory runs out the process stops, so a document is
 *     whole or not there at all.
 */
#ifndef ARRAYWRIGHT_CONTROL_JSON_TEXT_H
#define ARRAYWRIGHT_CONTROL_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

json_t *json_new_object(void);
json_t *json_new_array(void);

/* Each takes a reference away from `value`. */
void json_put(json_t *object, const char *name, json_t *value);
void json_append(json_t *array, json_t *value);

void json_put_text(json_t *object, const char *name, const char *text);
void json_put_u64(json_t *object, const char *name, uint64_t value);
void json_put_bool(json_t *object, const char *name, bool value);
void json_put_null(json_t *object, const char *name);
/* null if `text` is empty, the text otherwise. */
void json_put_text_or_null(json_t *object, const char *name, const char *text);
void json_append_text(json_t *array, const char *text);

/* One line without a line end; free() it. *ret_bytes is its length. */
char *json_line(const json_t *value, size_t *ret_bytes);

/* Readers of documents from outside: NULL, or a fallback, unless the type is right. */
const char *json_text_at(const json_t *object, const char *name);
bool json_u64_at(const json_t *object, const char *name, uint64_t *ret_value);

#endif
