/*
 * What the content of a block device is, by the marks of file systems, partition tables, volume
 * managers and databases: enough to tell that somebody put something there, not to read it.
 */
#ifndef ARRAYWRIGHT_META_CONTENT_MARKS_H
#define ARRAYWRIGHT_META_CONTENT_MARKS_H

#include <stdint.h>

/* How much of the beginning and of the end is looked at. */
#define CONTENT_HEAD_BYTES (128u << 10)
#define CONTENT_TAIL_BYTES (128u << 10)

/* As the end of "it carries ..."; NULL: nothing is recognized. The tail ends where the device does;
 * on a small device the two are the same bytes. */
const char *content_mark(const uint8_t *head, uint32_t head_bytes, const uint8_t *tail,
                         uint32_t tail_bytes, uint64_t size_bytes);

#endif
