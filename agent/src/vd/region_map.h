/*
 * The region map of a virtual drive in memory: which parts of it may have been in the middle of
 * a write when the agent or the power went (engine.md 6.4, after md's llbitmap).
 *
 *   UNWRITTEN --write--> DIRTY <--write-- CLEAN       DIRTY --idle, flushed--> CLEAN
 *   DIRTY --unclean stop--> NEED_SYNC --> SYNCING --all rows done--> DIRTY
 *
 * (1) A write may go to the members only if its region is in doubt (DIRTY, NEED_SYNC, SYNCING)
 *     *on the members*, in a page flushed on all of them: region_map_may_write().
 * (2) A region becomes CLEAN only after a flush that began when no write to it was open and none
 *     has been since.
 * (3) Regions NEED_SYNC and SYNCING are not known consistent, the others are.
 *
 * Setting a mark costs a page and a flush on every member before the write may begin; clearing it
 * keeps nobody waiting. So a mark stays as long as its region is warm (warm_looks), as md keeps its
 * bits for some seconds; and the more often writes meet regions without one, the more neighbors
 * get theirs in the same page: a load that goes everywhere has set them all after about the square
 * root of their number. What all that can cost after an unclean stop is bounded by warm_max:
 * above it nothing is marked in advance, and marks go as soon as their regions rest; so too while
 * marks tell more than what to resynchronize (tight).
 *
 * Pure: no transfers, no time. region_store.c brings pages to the members and back.
 */
#ifndef ARRAYWRIGHT_VD_REGION_MAP_H
#define ARRAYWRIGHT_VD_REGION_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "meta/region_page.h"
#include "raid/geometry.h"

struct region {
    uint8_t state;        /* enum region_state */
    bool suspect : 1;
    bool durable : 1;     /* in doubt on the members (1) */
    bool touched : 1;     /* written since the last look */
    bool cleaning : 1;    /* waits for a flush (2) */
    bool rewritten : 1;   /* since it became suspect, all of it: suspect until it is clean */
    uint8_t rest_looks;   /* DIRTY, and so many looks ago last written */
    uint16_t writes;      /* open */
};

struct region_map_page {
    uint64_t sequence;    /* of the newest one written */
    bool changed;         /* differs from it */
    uint8_t forgetting;   /* enum region_forgetting */
};

/* A page in which regions are not suspect any more, because somebody says so. */
enum region_forgetting {
    REGION_FORGETTING_NO,
    REGION_FORGETTING_WANTED,
    REGION_FORGETTING_TAKEN /* on its way to the members */
};

struct region_map {
    uint64_t rows_per_region;
    uint64_t row_count;
    uint32_t count;
    uint32_t page_count;
    struct region *regions;
    struct region_map_page *pages;
    uint32_t changed_pages;
    uint32_t dirty;       /* regions DIRTY */
    uint32_t in_doubt;    /* regions NEED_SYNC or SYNCING */
    uint32_t suspects;
    uint32_t forgetting;  /* pages */
    uint32_t warm_looks;  /* without a write until a region is cleaned, at least 1 */
    uint32_t warm_max;    /* regions marked in advance or kept warm; above: one look */
    bool tight;           /* for now as if warm_max were 0 */
    uint32_t misses;      /* writes that had to set a mark; halved with each look */
    uint32_t syncing;     /* the one SYNCING, or REGION_NONE */
    uint64_t sync_row;    /* its next row */
    bool *due;            /* set with every change of a page; may be NULL */
};

#define REGION_NONE UINT32_MAX

/* Bytes of a member's extent in one region: 1 to 64 MiB, so that a drive of up to 256 GB fits one
 * page, and more only where a map would not fit its place of so many pages otherwise. */
uint64_t region_bytes_for(uint64_t extent_bytes, uint32_t pages_max);

/* region_bytes: of a member's extent. Every region CLEAN, every page changed. */
MUST_CHECK int region_map_init(struct region_map *map, const struct geometry *geometry,
                               uint64_t region_bytes);
void region_map_done(struct region_map *map);
/* Until then one look, and nothing in advance. */
void region_map_warm_set(struct region_map *map, uint32_t looks, uint32_t regions_max);
/* Nothing is known to be on the members; unwritten: nor has anything been written yet. */
void region_map_reset(struct region_map *map, bool unwritten);

/* Every page is to be written again. */
void region_map_change_all(struct region_map *map);
/* What the map of the same virtual drive says of it as it was before it grew; map is new. No write
 * is open. */
void region_map_take_over(struct region_map *map, const struct region_map *old);

static inline uint32_t region_of_row(const struct region_map *map, uint64_t row)
{
    return (uint32_t)(row / map->rows_per_region);
}

/* Writes, by region */
void region_map_write_begin(struct region_map *map, uint32_t index);
bool region_map_may_write(const struct region_map *map, uint32_t index);
void region_map_write_end(struct region_map *map, uint32_t index);
/* A write to it was given up half done: its rows are to be made consistent again. */
void region_map_doubt(struct region_map *map, uint32_t index);

/* A look: chooses what has rested long enough. True: flush, then clean. */
bool region_map_cleaning_begin(struct region_map *map);
void region_map_cleaning_end(struct region_map *map);
/* An orderly stop: everything has been flushed. */
void region_map_clean_all(struct region_map *map);

/* Consistency */
bool region_map_row_is_sound(const struct region_map *map, uint64_t row);
/* The next rows of a region in doubt; begins with it. False: there is none. */
bool region_map_sync_next(struct region_map *map, uint64_t rows_max, uint64_t *ret_row,
                          uint64_t *ret_row_count);
/* Those rows are consistent now. */
void region_map_sync_advance(struct region_map *map, uint64_t row, uint64_t row_count);
/* The next run of regions in doubt from a row on, as rows. False: there is none. */
bool region_map_doubt_next(const struct region_map *map, uint64_t from_row, uint64_t *ret_row,
                           uint64_t *ret_row_count);
/* Rows in regions in doubt that are still to be done. */
uint64_t region_map_rows_left(const struct region_map *map);

/* Pages */
/* The first changed page from `from` on; REGION_NONE if there is none. */
uint32_t region_map_changed_page(const struct region_map *map, uint32_t from);
/* Fills states, page, counts and the sequence; the page counts as unchanged from now on. */
void region_map_page_take(struct region_map *map, uint32_t page, struct region_page *ret_page);
/* What was taken is on the members, flushed. */
void region_map_page_durable(struct region_map *map, const struct region_page *page);
/* It is not, and nobody knows what is. */
void region_map_page_failed(struct region_map *map, const struct region_page *page);
/* A page read from a member. False: it is not of a map of this shape. */
MUST_CHECK bool region_map_page_load(struct region_map *map, const struct region_page *page);
/* All pages have been loaded after a stop. unclean: DIRTY regions are in doubt, else clean. */
void region_map_loaded(struct region_map *map, bool unclean);

/* Suspects: what they had at an unclean stop may be wrong (vd_note_suspects) */
/* Regions in doubt, or all of them, become suspect. */
void region_map_suspect(struct region_map *map, bool all);
/* All of it has been written anew: with its next cleaning it is suspect no more, as what has been
 * written is durable then. */
void region_map_rewritten(struct region_map *map, uint32_t index);
/* No region is suspect any more: somebody says so. */
void region_map_trust(struct region_map *map);
/* That is on the members. */
bool region_map_trust_is_durable(const struct region_map *map);
uint64_t region_map_suspect_rows(const struct region_map *map);

#endif
