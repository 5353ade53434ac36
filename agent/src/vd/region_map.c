/*
 * States of regions (region_map.h). Every change of a state goes through state_set(), which
 * keeps the counts and notes the page as changed.
 */
#include "vd/region_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/sim_bug.h"
#include "drive/drive_layout.h"

#define REGION_MIN_BYTES (UINT64_C(1) << 20)
#define REGION_MAX_BYTES (UINT64_C(64) << 20)
/* More regions than this only where they would be larger than 64 MiB otherwise: each costs a write
 * and a flush of every member when it becomes warm, and a resync of 64 MiB takes a second. */
#define REGIONS_WANTED 1024u
#define REGIONS_MAX ((uint64_t)REGION_MAP_PAGES_MAX * REGION_PAGE_STATES)

uint64_t region_bytes_for(uint64_t extent_bytes, uint32_t pages_max)
{
    const uint64_t regions_max = (uint64_t)pages_max * REGION_PAGE_STATES;
    uint64_t bytes = REGION_MIN_BYTES;

    ASSERT(pages_max > 0 && pages_max <= REGION_MAP_PAGES_MAX);

    while (bytes < REGION_MAX_BYTES && extent_bytes / bytes > REGIONS_WANTED) {
        bytes *= 2;
    }
    while (extent_bytes / bytes >= regions_max) {
        bytes *= 2;
    }
    return bytes;
}

static bool state_is_in_doubt(uint8_t state)
{
    return state == REGION_NEED_SYNC || state == REGION_SYNCING;
}

static void page_change(struct region_map *map, uint32_t page)
{
    ASSERT(page < map->page_count);
    map->changed_pages += map->pages[page].changed ? 0u : 1u;
    map->pages[page].changed = true;
    if (map->due != NULL) {
        *map->due = true;
    }
}

static void state_set(struct region_map *map, uint32_t index, enum region_state state)
{
    struct region *region = &map->regions[index];

    ASSERT(index < map->count && region->state != state);
    map->dirty -= region->state == REGION_DIRTY ? 1u : 0u;
    map->in_doubt -= state_is_in_doubt(region->state) ? 1u : 0u;
    region->state = (uint8_t)state;
    map->dirty += state == REGION_DIRTY ? 1u : 0u;
    map->in_doubt += state_is_in_doubt(region->state) ? 1u : 0u;
    page_change(map, index / REGION_PAGE_STATES);
}

int region_map_init(struct region_map *map, const struct geometry *geometry, uint64_t region_bytes)
{
    uint64_t rows =
        max_u64(region_bytes / geometry->strip_bytes, 1) * geometry_rows_abreast(geometry);

    memset(map, 0, sizeof(*map));
    map->rows_per_region = rows;
    map->warm_looks = 1;
    map->row_count = geometry_row_count(geometry);
    ASSERT(div_ceil_u64(map->row_count, rows) <= REGIONS_MAX);
    map->count = (uint32_t)div_ceil_u64(map->row_count, rows);
    map->page_count = (uint32_t)div_ceil_u64(map->count, REGION_PAGE_STATES);
    map->regions = calloc(map->count, sizeof(*map->regions));
    map->pages = calloc(map->page_count, sizeof(*map->pages));
    if (map->regions == NULL || map->pages == NULL) {
        region_map_done(map);
        return -ENOMEM;
    }
    region_map_reset(map, false);
    return 0;
}

void region_map_warm_set(struct region_map *map, uint32_t looks, uint32_t regions_max)
{
    ASSERT(looks >= 1);
    map->warm_looks = min_u32(looks, UINT8_MAX);
    map->warm_max = regions_max;
}

void region_map_done(struct region_map *map)
{
    free(map->regions);
    free(map->pages);
    map->regions = NULL;
    map->pages = NULL;
}

void region_map_reset(struct region_map *map, bool unwritten)
{
    for (uint32_t i = 0; i < map->count; i++) {
        uint16_t writes = map->regions[i].writes;

        map->regions[i] = (struct region){.state = (uint8_t)(writes > 0  ? REGION_DIRTY
                                                             : unwritten ? REGION_UNWRITTEN
                                                                         : REGION_CLEAN),
                                          .touched = writes > 0,
                                          .writes = writes};
    }
    map->dirty = 0;
    map->in_doubt = 0;
    map->suspects = 0;
    map->forgetting = 0;
    for (uint32_t i = 0; i < map->page_count; i++) {
        map->pages[i].forgetting = REGION_FORGETTING_NO; /* nothing of before is believed */
    }
    map->syncing = REGION_NONE;
    for (uint32_t i = 0; i < map->count; i++) {
        map->dirty += map->regions[i].state == REGION_DIRTY ? 1u : 0u;
    }
    region_map_change_all(map);
}

void region_map_change_all(struct region_map *map)
{
    for (uint32_t i = 0; i < map->page_count; i++) {
        page_change(map, i);
    }
}

static uint64_t region_end_row(const struct region_map *map, uint32_t index)
{
    return min_u64((index + UINT64_C(1)) * map->rows_per_region, map->row_count);
}

/* Of the two, the one that promises less. */
static uint8_t state_worse(uint8_t a, uint8_t b)
{
    uint8_t worse = (uint8_t)max_u32(a, b);

    STATIC_ASSERT(REGION_UNWRITTEN < REGION_CLEAN && REGION_CLEAN < REGION_DIRTY &&
                      REGION_DIRTY < REGION_NEED_SYNC && REGION_NEED_SYNC < REGION_SYNCING,
                  "the more, the worse");
    return worse == REGION_SYNCING ? (uint8_t)REGION_NEED_SYNC : worse;
}

/* The regions may have another size now: each gets the worst of those that it covers. */
void region_map_take_over(struct region_map *map, const struct region_map *old)
{
    ASSERT(map->row_count >= old->row_count);
    region_map_reset(map, true);
    for (uint32_t i = 0; i < map->count; i++) {
        uint64_t row = i * map->rows_per_region;
        uint64_t end = min_u64(region_end_row(map, i), old->row_count);
        uint8_t state = REGION_UNWRITTEN;

        for (; row < end; row = region_end_row(old, region_of_row(old, row))) {
            const struct region *from = &old->regions[region_of_row(old, row)];

            ASSERT(from->writes == 0);
            state = state_worse(state, from->state);
            if (from->suspect && !map->regions[i].suspect) {
                map->regions[i].suspect = true;
                map->suspects++;
            }
        }
        if (SIM_BUG(GROWN_FORGETS)) {
            continue;
        }
        if (state != REGION_UNWRITTEN) {
            state_set(map, i, (enum region_state)state);
        }
        map->regions[i].touched = state == REGION_DIRTY;
    }
}

/* Writes */

static uint32_t warm_max(const struct region_map *map)
{
    return map->tight ? 0 : map->warm_max;
}

/* A write has met a region without a mark: its neighbors, as many as such writes there have been
 * of late, get theirs in the same page. */
static void neighbors_mark(struct region_map *map, uint32_t index)
{
    uint32_t page_first = index - index % REGION_PAGE_STATES;
    uint32_t page_end = min_u32(page_first + REGION_PAGE_STATES, map->count);
    uint32_t width = 1;
    uint32_t first = 0;

    map->misses = min_u32(map->misses + 1, REGION_PAGE_STATES);
    while (width * 2 <= map->misses) {
        width *= 2;
    }
    first = index - (index - page_first) % width;
    for (uint32_t i = first; i < min_u32(first + width, page_end); i++) {
        struct region *region = &map->regions[i];

        if (map->dirty >= warm_max(map)) {
            return;
        }
        if (region->state == REGION_CLEAN || region->state == REGION_UNWRITTEN) {
            region->rest_looks = 0;
            state_set(map, i, REGION_DIRTY);
        }
    }
}

void region_map_write_begin(struct region_map *map, uint32_t index)
{
    struct region *region = &map->regions[index];

    ASSERT(index < map->count && region->writes < UINT16_MAX);
    region->writes++;
    region->touched = true;
    region->cleaning = SIM_BUG(REGION_CLEAN_OPEN) && region->cleaning;
    if (!state_is_in_doubt(region->state) && region->state != REGION_DIRTY) {
        state_set(map, index, REGION_DIRTY);
        neighbors_mark(map, index);
    }
}

bool region_map_may_write(const struct region_map *map, uint32_t index)
{
    const struct region *region = &map->regions[index];

    ASSERT(region->writes > 0);
    return region->durable || SIM_BUG(REGION_AFTER_DATA);
}

void region_map_doubt(struct region_map *map, uint32_t index)
{
    ASSERT(index < map->count && map->regions[index].writes > 0);
    if (map->regions[index].state != REGION_NEED_SYNC) {
        state_set(map, index, REGION_NEED_SYNC);
        page_change(map, index / REGION_PAGE_STATES);
    }
}

void region_map_write_end(struct region_map *map, uint32_t index)
{
    struct region *region = &map->regions[index];

    ASSERT(region->writes > 0);
    region->writes--;
    region->touched = true;
}

/* Cleaning */

static bool region_rests(struct region *region, uint32_t looks)
{
    ASSERT(region->writes == 0 || region->touched || SIM_BUG(REGION_CLEAN_OPEN));
    if (region->state != REGION_DIRTY || region->touched) {
        region->rest_looks = 0;
        return false;
    }
    region->rest_looks = (uint8_t)min_u32(region->rest_looks + 1u, UINT8_MAX);
    return region->rest_looks >= looks;
}

bool region_map_cleaning_begin(struct region_map *map)
{
    uint32_t looks = map->dirty > warm_max(map) ? 1 : map->warm_looks;
    bool any = false;

    map->misses /= 2;
    for (uint32_t i = 0; i < map->count; i++) {
        struct region *region = &map->regions[i];

        region->cleaning = region_rests(region, region->rewritten ? 1 : looks);
        region->touched = region->writes > 0 && !SIM_BUG(REGION_CLEAN_OPEN);
        any = any || region->cleaning;
    }
    return any;
}

static void suspect_end(struct region_map *map, struct region *region)
{
    ASSERT(region->suspect && map->suspects > 0);
    region->suspect = false;
    region->rewritten = false;
    map->suspects--;
}

/* The page on the members may still say DIRTY, but the next one will not: from now on a write
 * has to wait for a newer page (1). */
static void region_clean(struct region_map *map, uint32_t index)
{
    struct region *region = &map->regions[index];

    region->cleaning = false;
    region->durable = false;
    if (region->rewritten) {
        suspect_end(map, region);
    }
    state_set(map, index, REGION_CLEAN);
}

void region_map_cleaning_end(struct region_map *map)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->regions[i].cleaning) {
            ASSERT(map->regions[i].state == REGION_DIRTY);
            region_clean(map, i);
        }
    }
}

void region_map_clean_all(struct region_map *map)
{
    for (uint32_t i = 0; i < map->count; i++) {
        ASSERT(map->regions[i].writes == 0);
        if (map->regions[i].state == REGION_DIRTY) {
            region_clean(map, i);
        }
    }
}

/* Consistency */

bool region_map_row_is_sound(const struct region_map *map, uint64_t row)
{
    return map->in_doubt == 0 || !state_is_in_doubt(map->regions[region_of_row(map, row)].state);
}

bool region_map_sync_next(struct region_map *map, uint64_t rows_max, uint64_t *ret_row,
                          uint64_t *ret_row_count)
{
    if (map->in_doubt == 0) {
        return false;
    }
    if (map->syncing == REGION_NONE) {
        uint32_t index = 0;

        while (!state_is_in_doubt(map->regions[index].state)) {
            index++;
            ASSERT(index < map->count);
        }
        state_set(map, index, REGION_SYNCING);
        map->syncing = index;
        map->sync_row = index * map->rows_per_region;
    }
    *ret_row = map->sync_row;
    *ret_row_count = (uint32_t)min_u64(rows_max, region_end_row(map, map->syncing) - map->sync_row);
    ASSERT(*ret_row_count > 0);
    return true;
}

/* The synced region counts as just written: the ordinary cleaning flushes it and ends it. */
void region_map_sync_advance(struct region_map *map, uint64_t row, uint64_t row_count)
{
    uint32_t index = map->syncing;

    if (index == REGION_NONE || row != map->sync_row) {
        return; /* the map was reset meanwhile */
    }
    map->sync_row += row_count;
    ASSERT(map->sync_row <= region_end_row(map, index));
    if (map->sync_row == region_end_row(map, index)) {
        map->syncing = REGION_NONE;
        map->regions[index].touched = true;
        state_set(map, index, REGION_DIRTY);
    }
}

bool region_map_doubt_next(const struct region_map *map, uint64_t from_row, uint64_t *ret_row,
                           uint64_t *ret_row_count)
{
    uint32_t first = (uint32_t)div_ceil_u64(from_row, map->rows_per_region);
    uint32_t end = 0;

    while (first < map->count && !state_is_in_doubt(map->regions[first].state)) {
        first++;
    }
    if (first == map->count) {
        return false;
    }
    for (end = first + 1; end < map->count && state_is_in_doubt(map->regions[end].state); end++) {
    }
    *ret_row = first * map->rows_per_region;
    *ret_row_count = region_end_row(map, end - 1) - *ret_row;
    return true;
}

uint64_t region_map_rows_left(const struct region_map *map)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < map->count && map->in_doubt > 0; i++) {
        if (state_is_in_doubt(map->regions[i].state)) {
            rows += region_end_row(map, i) - i * map->rows_per_region;
        }
    }
    if (map->syncing != REGION_NONE) {
        rows -= map->sync_row - map->syncing * map->rows_per_region;
    }
    return rows;
}

/* Pages */

uint32_t region_map_changed_page(const struct region_map *map, uint32_t from)
{
    for (uint32_t i = from; i < map->page_count && map->changed_pages > 0; i++) {
        if (map->pages[i].changed) {
            return i;
        }
    }
    return REGION_NONE;
}

static uint32_t page_regions(const struct region_map *map, uint32_t page)
{
    return min_u32(REGION_PAGE_STATES, map->count - page * REGION_PAGE_STATES);
}

void region_map_page_take(struct region_map *map, uint32_t page, struct region_page *ret_page)
{
    const struct region *regions = &map->regions[page * REGION_PAGE_STATES];

    ASSERT(map->pages[page].changed && map->changed_pages > 0);
    map->pages[page].changed = false;
    map->changed_pages--;
    map->pages[page].sequence++;
    if (map->pages[page].forgetting == REGION_FORGETTING_WANTED) {
        map->pages[page].forgetting = REGION_FORGETTING_TAKEN;
    }
    ret_page->sequence = map->pages[page].sequence;
    ret_page->page = page;
    ret_page->page_count = map->page_count;
    ret_page->region_count = map->count;
    ret_page->rows_per_region = map->rows_per_region;
    memset(ret_page->states, 0, sizeof(ret_page->states));
    for (uint32_t i = 0; i < page_regions(map, page); i++) {
        ret_page->states[i] =
            (uint8_t)(regions[i].state | (regions[i].suspect ? REGION_SUSPECT : 0u));
    }
}

static bool byte_is_in_doubt(uint8_t byte)
{
    uint8_t state = byte & (uint8_t)~REGION_SUSPECT;

    return state == REGION_DIRTY || state_is_in_doubt(state);
}

void region_map_page_durable(struct region_map *map, const struct region_page *page)
{
    struct region *regions = &map->regions[page->page * REGION_PAGE_STATES];

    if (map->pages[page->page].forgetting == REGION_FORGETTING_TAKEN) {
        ASSERT(map->forgetting > 0);
        map->pages[page->page].forgetting = REGION_FORGETTING_NO;
        map->forgetting--;
    }
    for (uint32_t i = 0; i < page_regions(map, page->page); i++) {
        /* What has become clean since is in doubt on the members until the next page, and may
         * not be by then (1). */
        regions[i].durable =
            byte_is_in_doubt(page->states[i]) && byte_is_in_doubt(regions[i].state);
    }
}

void region_map_page_failed(struct region_map *map, const struct region_page *page)
{
    if (map->pages[page->page].forgetting == REGION_FORGETTING_TAKEN) {
        map->pages[page->page].forgetting = REGION_FORGETTING_WANTED;
    }
    page_change(map, page->page);
}

bool region_map_page_load(struct region_map *map, const struct region_page *page)
{
    struct region *regions = NULL;

    if (page->page_count != map->page_count || page->region_count != map->count ||
        page->rows_per_region != map->rows_per_region || page->page >= map->page_count) {
        return false;
    }
    regions = &map->regions[page->page * REGION_PAGE_STATES];
    for (uint32_t i = 0; i < page_regions(map, page->page); i++) {
        regions[i].state = page->states[i] & (uint8_t)~REGION_SUSPECT;
        regions[i].suspect = (page->states[i] & REGION_SUSPECT) != 0;
        regions[i].rewritten = false;
        regions[i].durable = false; /* one member has it; perhaps no other (1) */
    }
    map->pages[page->page].sequence = page->sequence;
    map->changed_pages -= map->pages[page->page].changed ? 1u : 0u;
    map->pages[page->page].changed = false;
    return true;
}

void region_map_loaded(struct region_map *map, bool unclean)
{
    map->dirty = 0;
    map->in_doubt = 0;
    map->suspects = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        map->dirty += map->regions[i].state == REGION_DIRTY ? 1u : 0u;
        map->in_doubt += state_is_in_doubt(map->regions[i].state) ? 1u : 0u;
        map->suspects += map->regions[i].suspect ? 1u : 0u;
    }
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->regions[i].state == REGION_SYNCING) {
            state_set(map, i, REGION_NEED_SYNC);
        } else if (map->regions[i].state == REGION_DIRTY && !SIM_BUG(REGION_FORGOTTEN) && unclean) {
            state_set(map, i, REGION_NEED_SYNC);
        } else if (map->regions[i].state == REGION_DIRTY) {
            region_clean(map, i);
        } else if (map->regions[i].state == REGION_NEED_SYNC) {
            page_change(map, i / REGION_PAGE_STATES); /* all members are to have it */
        }
    }
}

/* Suspects */

void region_map_suspect(struct region_map *map, bool all)
{
    for (uint32_t i = 0; i < map->count; i++) {
        struct region *region = &map->regions[i];

        if (!all && !state_is_in_doubt(region->state)) {
            continue;
        }
        region->rewritten = false;
        if (!region->suspect) {
            region->suspect = true;
            map->suspects++;
            page_change(map, i / REGION_PAGE_STATES);
        }
    }
}

void region_map_rewritten(struct region_map *map, uint32_t index)
{
    struct region *region = &map->regions[index];

    ASSERT(index < map->count);
    region->rewritten = region->suspect;
    if (region->rewritten && region->state == REGION_CLEAN) {
        region->touched = true; /* cleaned meanwhile: its writes are flushed with the next look */
        state_set(map, index, REGION_DIRTY);
    }
}

void region_map_trust(struct region_map *map)
{
    for (uint32_t i = 0; i < map->count && map->suspects > 0; i++) {
        struct region_map_page *page = &map->pages[i / REGION_PAGE_STATES];

        if (map->regions[i].suspect) {
            suspect_end(map, &map->regions[i]);
            map->forgetting += page->forgetting == REGION_FORGETTING_NO ? 1u : 0u;
            page->forgetting = REGION_FORGETTING_WANTED;
            page_change(map, i / REGION_PAGE_STATES);
        }
    }
    ASSERT(map->suspects == 0);
}

bool region_map_trust_is_durable(const struct region_map *map)
{
    return map->forgetting == 0;
}

uint64_t region_map_suspect_rows(const struct region_map *map)
{
    uint64_t rows = map->suspects * map->rows_per_region;

    return map->suspects > 0 && map->regions[map->count - 1].suspect
               ? rows - (map->count * map->rows_per_region - map->row_count)
               : rows;
}
