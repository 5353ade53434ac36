/*
 * The bytes of a simulated drive: a map from page numbers to pages of 4 KiB that are shared until
 * written, so that a copy of a whole drive costs a table and no bytes. A page that was never
 * written is not in the map.
 */
#ifndef ARRAYWRIGHT_SIM_PAGES_H
#define ARRAYWRIGHT_SIM_PAGES_H

#include <stdint.h>

#define SIM_PAGE_BYTES 4096u

struct sim_page {
    uint32_t references; /* who has it; written to only while there is one */
    uint64_t hash;       /* of its bytes; 0: not known */
    uint8_t bytes[SIM_PAGE_BYTES];
};

struct sim_page_slot {
    uint64_t number;
    struct sim_page *page; /* NULL: the slot is free */
};

struct sim_pages {
    struct sim_page_slot *slots; /* open addressing, a power of two of them, at most half full */
    uint32_t capacity;
    uint32_t count;
};

void sim_pages_init(struct sim_pages *pages);
void sim_pages_done(struct sim_pages *pages);
/* to must be empty and is initialized. */
void sim_pages_copy(struct sim_pages *to, const struct sim_pages *from);

/* NULL if it was never written. */
const uint8_t *sim_pages_find(const struct sim_pages *pages, uint64_t number);
/*
 * The page for writing, before anything else is done with the map. fill makes the bytes of one that
 * was never written; NULL: the caller writes the whole page, what it held is not needed.
 */
uint8_t *sim_pages_take(struct sim_pages *pages, uint64_t number,
                        void (*fill)(void *context, uint64_t number, uint8_t *bytes),
                        void *context);
/* The same for maps of the same bytes; a page of zeros is as good as none. */
uint64_t sim_pages_hash(const struct sim_pages *pages);
/* From now on pages have that page under this number, together with those that have it already. */
void sim_pages_put(struct sim_pages *pages, uint64_t number, struct sim_page *page);

/* A page in no map, for its one owner to write to; released, it lives on in the maps that have it.
 */
struct sim_page *sim_page_new(void);
void sim_page_release(struct sim_page *page);

#endif
