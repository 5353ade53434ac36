/*
 * Sentences with parameters: "Drive {drive} has {size_bytes}." Reasons and events share them.
 */
#ifndef ARRAYWRIGHT_BASE_TEMPLATE_H
#define ARRAYWRIGHT_BASE_TEMPLATE_H

#include <stddef.h>
#include <stdint.h>

/* Of the largest size: "18.4 EB". */
#define SIZE_TEXT_BYTES 16u

/* A size for people, in decimal units with three digits: "2.01 GB". Returns out. */
const char *size_text(uint64_t bytes, char out[SIZE_TEXT_BYTES]);

/* How much of a text of UTF-8 can be taken, up to so many bytes, without cutting a character. */
size_t text_cut(const char *text, size_t bytes);

/* The value of the parameter with this name (not terminated), or NULL if there is none. */
typedef const char *(*template_value_fn)(const void *context, const char *name, size_t name_bytes);

/* Fills the parameters in; what does not fit is cut, between two characters. A parameter called
 * bytes or *_bytes, whose value is a plain number, is shown as a size. Returns the length. */
size_t template_fill(const char *text, template_value_fn value_of, const void *context,
                     char *buffer, size_t capacity);

#endif
