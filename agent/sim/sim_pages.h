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
    uint32_t references; /* maps that have it; written to only while there is one */
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
/* to must be empty and is initialised. */
void sim_pages_copy(struct sim_pages *to, const struct sim_pages *from);

/* NULL if it was never written. */
const uint8_t *sim_pages_find(const struct sim_pages *pages, uint64_t number);
/*
 * The page for writing. fill makes the bytes of one that was never written; NULL: the caller
 * writes the whole page, what it held is not needed.
 */
uint8_t *sim_pages_take(struct sim_pages *pages, uint64_t number,
                        void (*fill)(void *context, uint64_t number, uint8_t *bytes),
                        void *context);
/* From now on to has the page that from has; from must have it. */
void sim_pages_share(struct sim_pages *to, const struct sim_pages *from, uint64_t number);

#endif
