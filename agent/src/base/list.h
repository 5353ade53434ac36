/*
 * Doubly linked circular lists, linked through a member of the listed objects.
 *
 * (1) A head or a node is initialized with list_init() before any other use.
 * (2) A node is in at most one list; one that is in none points at itself, so
 *     list_is_linked() is always answerable and removing twice does no harm.
 */
#ifndef ARRAYWRIGHT_BASE_LIST_H
#define ARRAYWRIGHT_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/assert.h"
#include "base/checked.h"

struct list {
    struct list *next;
    struct list *prev;
};

#define list_entry(ptr, type, member) container_of(ptr, type, member)

/* Both declare their cursors. Only the SAFE form bears removal of the current node. */
#define LIST_FOR_EACH(node, head)                                                                  \
    for (struct list *node = (head)->next; node != (head); node = node->next)

#define LIST_FOR_EACH_SAFE(node, following, head)                                                  \
    for (struct list *node = (head)->next, *following = node->next; node != (head);                \
         node = following, following = node->next)

static inline void list_init(struct list *node)
{
    node->next = node;
    node->prev = node;
}

static inline bool list_is_linked(const struct list *node)
{
    ASSERT(node->next != NULL);
    return node->next != node;
}

static inline bool list_is_empty(const struct list *head)
{
    return !list_is_linked(head);
}

static inline void list_insert_after(struct list *place, struct list *node)
{
    ASSERT(!list_is_linked(node));
    ASSERT(place->next->prev == place);
    node->next = place->next;
    node->prev = place;
    place->next->prev = node;
    place->next = node;
}

static inline void list_push_head(struct list *head, struct list *node)
{
    list_insert_after(head, node);
}

static inline void list_push_tail(struct list *head, struct list *node)
{
    list_insert_after(head->prev, node);
}

static inline void list_remove(struct list *node)
{
    ASSERT(node->next->prev == node);
    ASSERT(node->prev->next == node);
    node->next->prev = node->prev;
    node->prev->next = node->next;
    list_init(node);
}

static inline struct list *list_first(const struct list *head)
{
    return list_is_empty(head) ? NULL : head->next;
}

static inline struct list *list_pop_head(struct list *head)
{
    struct list *node = list_first(head);

    if (node != NULL) {
        list_remove(node);
    }
    return node;
}

#endif
