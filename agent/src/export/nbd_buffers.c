/*
 * A buddy allocator over one arena; see nbd_buffers.h for the invariants.
 *
 * A block of class c is 4 KiB << c long and lies at a multiple of its length; its buddy is the
 * block that makes the next larger one with it.
 */
#include "export/nbd_buffers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"

#define UNIT_BYTES 4096u
#define CLASS_MAX (NBD_BUFFER_CLASSES - 1u)

/* What a unit's tag says. Units inside a block say nothing. */
#define TAG_INSIDE 0u
#define TAG_READY 0x20u /* | class */
#define TAG_FREE 0x40u  /* | class */
#define TAG_TAKEN 0x80u /* | class */

STATIC_ASSERT(((uint64_t)UNIT_BYTES << CLASS_MAX) == NBD_BUFFER_MAX_BYTES,
              "the largest class holds the largest request");

static uint64_t class_bytes(uint32_t class_index)
{
    ASSERT(class_index < NBD_BUFFER_CLASSES);
    return (uint64_t)UNIT_BYTES << class_index;
}

static uint32_t class_of(size_t length_bytes)
{
    uint32_t class_index = 0;

    ASSERT(length_bytes > 0);
    while (class_bytes(class_index) < length_bytes) {
        class_index++;
    }
    return class_index;
}

static uint8_t *tag_of(const struct nbd_buffers *buffers, uint64_t offset_bytes)
{
    ASSERT(offset_bytes < buffers->arena_bytes);
    return &buffers->tags[offset_bytes / UNIT_BYTES];
}

static void block_free(struct nbd_buffers *buffers, uint64_t offset_bytes, uint32_t class_index)
{
    struct list *node = (struct list *)(void *)(buffers->arena + offset_bytes);

    *tag_of(buffers, offset_bytes) = (uint8_t)(TAG_FREE | class_index);
    list_init(node);
    list_push_head(&buffers->free_lists[class_index], node);
}

/* Merges the block with its buddy as long as that is free. */
static void block_merge(struct nbd_buffers *buffers, uint64_t offset, uint32_t class_index)
{
    while (class_index < CLASS_MAX) {
        uint64_t buddy = offset ^ class_bytes(class_index);

        if (*tag_of(buffers, buddy) != (TAG_FREE | class_index)) {
            break;
        }
        list_remove((struct list *)(void *)(buffers->arena + buddy));
        *tag_of(buffers, buddy) = TAG_INSIDE;
        *tag_of(buffers, offset) = TAG_INSIDE;
        offset = min_u64(offset, buddy);
        class_index++;
    }
    block_free(buffers, offset, class_index);
}

static bool ready_put(struct nbd_buffers *buffers, uint8_t *block, uint32_t class_index)
{
    if (class_index >= NBD_READY_CLASSES || buffers->ready_counts[class_index] == NBD_READY_MAX ||
        !list_is_empty(&buffers->waiters)) {
        return false;
    }
    *tag_of(buffers, (uint64_t)(block - buffers->arena)) = (uint8_t)(TAG_READY | class_index);
    buffers->ready[class_index][buffers->ready_counts[class_index]++] = block;
    return true;
}

/* The one that came back last, which is still in the processor's cache; NULL if there is none. */
static uint8_t *ready_take(struct nbd_buffers *buffers, uint32_t class_index)
{
    if (class_index >= NBD_READY_CLASSES || buffers->ready_counts[class_index] == 0) {
        return NULL;
    }
    return buffers->ready[class_index][--buffers->ready_counts[class_index]];
}

static void ready_merge(struct nbd_buffers *buffers)
{
    for (uint32_t i = 0; i < NBD_READY_CLASSES; i++) {
        uint8_t *block = NULL;

        while ((block = ready_take(buffers, i)) != NULL) {
            block_merge(buffers, (uint64_t)(block - buffers->arena), i);
        }
    }
}

static void lent_comes_back(struct vd_lender *lender, uint8_t *memory)
{
    struct nbd_buffers *buffers = container_of(lender, struct nbd_buffers, lender);
    uint8_t tag = *tag_of(buffers, (uint64_t)(memory - buffers->arena));

    ASSERT((tag & TAG_TAKEN) != 0);
    nbd_buffer_give(buffers, memory, (size_t)class_bytes(tag & ~TAG_TAKEN));
    if (buffers->retired) {
        (void)nbd_buffers_retire(buffers);
    }
}

int nbd_buffers_init(struct nbd_buffers *buffers, uint64_t arena_bytes)
{
    uint64_t bytes =
        align_down_u64(max_u64(arena_bytes, NBD_BUFFER_MAX_BYTES), NBD_BUFFER_MAX_BYTES);
    uint8_t *arena = aligned_alloc(UNIT_BYTES, bytes);
    uint8_t *tags = calloc(bytes / UNIT_BYTES, 1);

    if (arena == NULL || tags == NULL) {
        free(arena);
        free(tags);
        return -ENOMEM;
    }
    *buffers = (struct nbd_buffers){
        .arena = arena, .tags = tags, .arena_bytes = bytes, .lender.give_back = lent_comes_back};
    list_init(&buffers->waiters);
    for (uint32_t i = 0; i < NBD_BUFFER_CLASSES; i++) {
        list_init(&buffers->free_lists[i]);
    }
    for (uint64_t offset = 0; offset < bytes; offset += NBD_BUFFER_MAX_BYTES) {
        block_free(buffers, offset, CLASS_MAX);
    }
    return 0;
}

int nbd_buffers_create(uint64_t arena_bytes, struct nbd_buffers **ret_buffers)
{
    struct nbd_buffers *buffers = malloc(sizeof *buffers);
    int error = buffers == NULL ? -ENOMEM : nbd_buffers_init(buffers, arena_bytes);

    if (error != 0) {
        free(buffers);
        return error;
    }
    *ret_buffers = buffers;
    return 0;
}

struct nbd_buffers *nbd_buffers_retire(struct nbd_buffers *buffers)
{
    if (buffers == NULL) {
        return NULL;
    }
    ASSERT(list_is_empty(&buffers->waiters));
    buffers->retired = true;
    if (buffers->taken_bytes == 0) {
        nbd_buffers_done(buffers);
        free(buffers);
    }
    return NULL;
}

void nbd_buffers_done(struct nbd_buffers *buffers)
{
    ASSERT(buffers->taken_bytes == 0);
    ASSERT(list_is_empty(&buffers->waiters));
    free(buffers->arena);
    free(buffers->tags);
    *buffers = (struct nbd_buffers){.arena = NULL};
}

size_t nbd_buffer_round(size_t length_bytes)
{
    return (size_t)class_bytes(class_of(length_bytes));
}

/* The smallest class with a free block that is large enough; NBD_BUFFER_CLASSES: none. */
static uint32_t free_find(const struct nbd_buffers *buffers, uint32_t class_index)
{
    while (class_index < NBD_BUFFER_CLASSES && list_is_empty(&buffers->free_lists[class_index])) {
        class_index++;
    }
    return class_index;
}

/* The same, after the ready blocks are merged if there is none. */
static uint32_t class_find(struct nbd_buffers *buffers, uint32_t wanted)
{
    uint32_t class_index = free_find(buffers, wanted);

    if (class_index < NBD_BUFFER_CLASSES) {
        return class_index;
    }
    ready_merge(buffers);
    return free_find(buffers, wanted);
}

static bool is_room(struct nbd_buffers *buffers, uint32_t wanted)
{
    return (wanted < NBD_READY_CLASSES && buffers->ready_counts[wanted] > 0) ||
           class_find(buffers, wanted) < NBD_BUFFER_CLASSES;
}

bool nbd_buffer_ask(struct nbd_buffers *buffers, size_t length_bytes,
                    struct nbd_buffer_waiter *waiter)
{
    struct list *first = list_first(&buffers->waiters);

    ASSERT(waiter->ready != NULL);
    if ((first == NULL || first == &waiter->link) && is_room(buffers, class_of(length_bytes))) {
        nbd_buffer_give_up(buffers, waiter);
        return true;
    }
    if (!list_is_linked(&waiter->link)) {
        list_push_tail(&buffers->waiters, &waiter->link);
    }
    return false;
}

static void first_wake(struct nbd_buffers *buffers)
{
    struct list *first = list_first(&buffers->waiters);

    if (first != NULL) {
        struct nbd_buffer_waiter *waiter = list_entry(first, struct nbd_buffer_waiter, link);
        waiter->ready(waiter);
    }
}

void nbd_buffer_give_up(struct nbd_buffers *buffers, struct nbd_buffer_waiter *waiter)
{
    if (list_is_linked(&waiter->link)) {
        list_remove(&waiter->link);
        first_wake(buffers); /* its turn has come to the next */
    }
}

/* Cuts a block from the smallest free one that is large enough. The upper halves stay free. */
static uint8_t *block_split(struct nbd_buffers *buffers, uint32_t wanted)
{
    uint32_t class_index = class_find(buffers, wanted);
    uint8_t *block = NULL;
    uint64_t offset = 0;

    ASSERT(class_index < NBD_BUFFER_CLASSES);
    block = (uint8_t *)list_pop_head(&buffers->free_lists[class_index]);
    offset = (uint64_t)(block - buffers->arena);
    ASSERT(*tag_of(buffers, offset) == (TAG_FREE | class_index));
    while (class_index > wanted) {
        class_index--;
        block_free(buffers, offset + class_bytes(class_index), class_index);
    }
    return block;
}

uint8_t *nbd_buffer_take(struct nbd_buffers *buffers, size_t length_bytes)
{
    uint32_t wanted = class_of(length_bytes);
    uint8_t *block = ready_take(buffers, wanted);

    if (block == NULL) {
        block = block_split(buffers, wanted);
    }
    *tag_of(buffers, (uint64_t)(block - buffers->arena)) = (uint8_t)(TAG_TAKEN | wanted);
    buffers->taken_bytes += class_bytes(wanted);
    ASSERT(buffers->taken_bytes <= buffers->arena_bytes);
    return block;
}

void nbd_buffer_give(struct nbd_buffers *buffers, uint8_t *buffer, size_t length_bytes)
{
    uint32_t class_index = class_of(length_bytes);
    uint64_t offset = (uint64_t)(buffer - buffers->arena);

    ASSERT(buffer >= buffers->arena && offset < buffers->arena_bytes);
    ASSERT(*tag_of(buffers, offset) == (TAG_TAKEN | class_index));
    ASSERT(buffers->taken_bytes >= class_bytes(class_index));
    buffers->taken_bytes -= class_bytes(class_index);
    if (!ready_put(buffers, buffer, class_index)) {
        block_merge(buffers, offset, class_index);
        first_wake(buffers);
    }
}
