/*
 * Shared pages (sim_pages.h).
 */
#include "sim_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

#define CAPACITY_MIN 64u
#define HASH_UNKNOWN 0u
#define HASH_OF_ZEROS 1u

void sim_pages_init(struct sim_pages *pages)
{
    pages->capacity = CAPACITY_MIN;
    pages->count = 0;
    pages->slots = calloc(pages->capacity, sizeof(*pages->slots));
    ASSERT(pages->slots != NULL);
}

void sim_page_release(struct sim_page *page)
{
    ASSERT(page->references > 0);
    page->references--;
    if (page->references == 0) {
        free(page);
    }
}

void sim_pages_done(struct sim_pages *pages)
{
    for (uint32_t i = 0; i < pages->capacity; i++) {
        if (pages->slots[i].page != NULL) {
            sim_page_release(pages->slots[i].page);
        }
    }
    free(pages->slots);
    *pages = (struct sim_pages){0};
}

void sim_pages_copy(struct sim_pages *to, const struct sim_pages *from)
{
    *to = *from;
    to->slots = malloc(to->capacity * sizeof(*to->slots));
    ASSERT(to->slots != NULL);
    memcpy(to->slots, from->slots, to->capacity * sizeof(*to->slots));
    for (uint32_t i = 0; i < to->capacity; i++) {
        if (to->slots[i].page != NULL) {
            to->slots[i].page->references++;
        }
    }
}

/* The slot of a page, or the free one where it would be. */
static struct sim_page_slot *slot_of(const struct sim_pages *pages, uint64_t number)
{
    uint32_t mask = pages->capacity - 1;
    uint32_t at = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;

    while (pages->slots[at].page != NULL && pages->slots[at].number != number) {
        at = (at + 1) & mask;
    }
    return &pages->slots[at];
}

static void pages_grow(struct sim_pages *pages)
{
    struct sim_pages old = *pages;

    pages->capacity = old.capacity * 2;
    pages->slots = calloc(pages->capacity, sizeof(*pages->slots));
    ASSERT(pages->slots != NULL);
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].page != NULL) {
            *slot_of(pages, old.slots[i].number) = old.slots[i];
        }
    }
    free(old.slots);
}

static void slot_fill(struct sim_pages *pages, uint64_t number, struct sim_page *page)
{
    if (2 * (pages->count + 1) > pages->capacity) {
        pages_grow(pages);
    }
    *slot_of(pages, number) = (struct sim_page_slot){.number = number, .page = page};
    pages->count++;
}

struct sim_page *sim_page_new(void)
{
    struct sim_page *page = malloc(sizeof(*page));

    ASSERT(page != NULL);
    page->references = 1;
    page->hash = HASH_UNKNOWN;
    return page;
}

const uint8_t *sim_pages_find(const struct sim_pages *pages, uint64_t number)
{
    const struct sim_page *page = slot_of(pages, number)->page;

    return page != NULL ? page->bytes : NULL;
}

uint8_t *sim_pages_take(struct sim_pages *pages, uint64_t number,
                        void (*fill)(void *context, uint64_t number, uint8_t *bytes), void *context)
{
    struct sim_page_slot *slot = slot_of(pages, number);
    struct sim_page *page = slot->page;

    if (page == NULL) {
        page = sim_page_new();
        if (fill != NULL) {
            fill(context, number, page->bytes);
        }
        slot_fill(pages, number, page);
    } else if (page->references > 1) {
        struct sim_page *own = sim_page_new();

        if (fill != NULL) {
            memcpy(own->bytes, page->bytes, SIM_PAGE_BYTES);
        }
        sim_page_release(page);
        slot->page = own;
        page = own;
    }
    ASSERT(page->references == 1);
    page->hash = HASH_UNKNOWN;
    return page->bytes;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value;
    hash *= UINT64_C(0x9fb21c651e98df25);
    return hash ^ (hash >> 32);
}

/* Kept with the page: most are in many maps and never change. */
static uint64_t page_hash(struct sim_page *page)
{
    static const uint8_t zeros[SIM_PAGE_BYTES];
    uint64_t hash = 0;

    if (page->hash != HASH_UNKNOWN) {
        return page->hash;
    }
    if (memcmp(page->bytes, zeros, SIM_PAGE_BYTES) == 0) {
        page->hash = HASH_OF_ZEROS;
        return page->hash;
    }
    for (uint32_t at = 0; at < SIM_PAGE_BYTES; at += 8) {
        uint64_t word = 0;

        memcpy(&word, page->bytes + at, 8);
        hash = mix(hash, word);
    }
    page->hash = hash | 2; /* neither of the others */
    return page->hash;
}

uint64_t sim_pages_hash(const struct sim_pages *pages)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < pages->capacity; i++) {
        const struct sim_page_slot *slot = &pages->slots[i];

        if (slot->page != NULL && page_hash(slot->page) != HASH_OF_ZEROS) {
            sum += mix(slot->number + 1, slot->page->hash); /* in any order */
        }
    }
    return sum;
}

void sim_pages_put(struct sim_pages *pages, uint64_t number, struct sim_page *page)
{
    struct sim_page_slot *slot = slot_of(pages, number);

    page->references++;
    if (slot->page != NULL) {
        sim_page_release(slot->page);
        slot->page = page;
    } else {
        slot_fill(pages, number, page);
    }
}
