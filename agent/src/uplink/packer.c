/*
 * Texts of many documents: see packer.h.
 */
#include "uplink/packer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "control/json_text.h"

void packed_add(struct packed_list *list, const json_t *document, uint64_t order, bool tombstone)
{
    ASSERT(list->next == 0);
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? list->capacity * 2 : 64;
        list->items = realloc(list->items, list->capacity * sizeof(*list->items));
        ASSERT(list->items != NULL);
    }
    struct packed *item = &list->items[list->count++];
    *item = (struct packed){.order = order, .tombstone = tombstone};
    item->text = json_line(document, &item->bytes);
}

static int order_compare(const void *left, const void *right)
{
    const struct packed *a = left;
    const struct packed *b = right;

    return a->order < b->order ? -1 : a->order > b->order ? 1 : 0;
}

void packed_sort(struct packed_list *list)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof(*list->items), order_compare);
    }
}

bool packed_is_empty(const struct packed_list *list)
{
    ASSERT(list->next <= list->count);
    return list->next == list->count;
}

void packed_clear(struct packed_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].text);
    }
    free(list->items);
    *list = (struct packed_list){.items = NULL};
}

void text_add(struct text_builder *builder, const char *text, size_t bytes)
{
    if (builder->capacity - builder->bytes < bytes + 1) {
        builder->capacity = (builder->bytes + bytes + 1) * 2;
        builder->text = realloc(builder->text, builder->capacity);
        ASSERT(builder->text != NULL);
    }
    memcpy(builder->text + builder->bytes, text, bytes);
    builder->bytes += bytes;
    builder->text[builder->bytes] = '\0';
}

void text_addf(struct text_builder *builder, const char *format, ...)
{
    char piece[512];
    va_list arguments;

    va_start(arguments, format);
    int bytes = vsnprintf(piece, sizeof(piece), format, arguments);
    va_end(arguments);
    ASSERT(bytes >= 0 && (size_t)bytes < sizeof(piece));
    text_add(builder, piece, (size_t)bytes);
}

void text_add_items(struct text_builder *builder, const struct packed_list *list, size_t from,
                    size_t to, bool tombstones)
{
    bool first = true;

    ASSERT(to <= list->count);
    for (size_t i = from; i < to; i++) {
        if (list->items[i].tombstone != tombstones) {
            continue;
        }
        if (!first) {
            text_add(builder, ",", 1);
        }
        first = false;
        text_add(builder, list->items[i].text, list->items[i].bytes);
    }
}
