/*
 * Frames that carry many documents (state, event): each document is turned into its text
 * once, so that its size is known when a frame is filled.
 */
#ifndef ARRAYWRIGHT_UPLINK_PACKER_H
#define ARRAYWRIGHT_UPLINK_PACKER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

struct packed {
    uint64_t order;              /* revision or sequence number */
    bool tombstone;
    char *text;
    size_t bytes;
};

/* What waits to be framed, from `next` on; filled once, then only emptied. */
struct packed_list {
    struct packed *items;
    size_t count;
    size_t capacity;
    size_t next;
};

void packed_add(struct packed_list *list, const json_t *document, uint64_t order, bool tombstone);
void packed_sort(struct packed_list *list);
bool packed_is_empty(const struct packed_list *list);
void packed_clear(struct packed_list *list);

/* A text that grows. */
struct text_builder {
    char *text;
    size_t bytes;
    size_t capacity;
};

void text_add(struct text_builder *builder, const char *text, size_t bytes);
void text_addf(struct text_builder *builder, const char *format, ...) PRINTF_LIKE(2, 3);
/* The items [from, to) of the list that are, or are not, tombstones; separated by commas. */
void text_add_items(struct text_builder *builder, const struct packed_list *list, size_t from,
                    size_t to, bool tombstones);

#endif
