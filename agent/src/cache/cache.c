/*
 * Life of the cache: what the journal has kept, virtual drives coming and going, facts.
 */
#include "cache/cache.h"

#include <errno.h>
#include <stdlib.h>

#include "cache/cache_private.h"

/* Virtual drives */

struct cache_vd *cache_vd_find(struct cache *cache, const struct guid *guid)
{
    LIST_FOR_EACH (node, &cache->vds) {
        struct cache_vd *vd = list_entry(node, struct cache_vd, link);

        if (guid_equal(&vd->guid, guid)) {
            return vd;
        }
    }
    return NULL;
}

struct cache_vd *cache_vd_next(struct cache *cache, const struct cache_vd *after)
{
    const struct list *node = after != NULL ? after->link.next : cache->vds.next;

    return node != &cache->vds ? container_of(node, struct cache_vd, link) : NULL;
}

static struct cache_vd *vd_make(struct cache *cache, const struct guid *guid)
{
    struct cache_vd *vd = NULL;

    vd = pool_take(&cache->vd_places);
    if (vd == NULL) {
        return NULL;
    }
    *vd = (struct cache_vd){.cache = cache, .guid = *guid, .pinned = true, .epoch = 1};
    /* What an earlier one of this name had may have been discarded a moment ago. */
    vd->ended = CACHE_BUG(DISCARD_UNSETTLED) ? 0 : journal_ticket(cache->journal);
    vd->row_next = UINT64_MAX;
    vd->left_until_us = UINT64_MAX;
    list_init(&vd->link);
    list_init(&vd->rows_by_age);
    list_init(&vd->rows_swept);
    vd->sweep_rows = CACHE_SWEEP_MAX;
    list_init(&vd->rows_full);
    list_init(&vd->frames_written);
    list_init(&vd->frames_flushing);
    list_push_tail(&cache->vds, &vd->link);
    return vd;
}

static void vd_forget(struct cache_vd *vd)
{
    ASSERT(vd->used == 0 && vd->dirty == 0 && vd->busy == 0);
    list_remove(&vd->link);
    pool_give(&vd->cache->vd_places, vd);
}

/* Calls each with every frame of the virtual drive that has a place. */
static void vd_visit(struct cache_vd *vd, void (*each)(struct cache_frame *frame))
{
    for (uint32_t i = 0; i < vd->cache->frame_count && vd->used > 0; i++) {
        struct cache_frame *frame = &vd->cache->frames[i];

        if (frame->vd == vd && frame->line != NULL) {
            each(frame);
        }
    }
}

static void visit_enrol(struct cache_frame *frame)
{
    ASSERT(frame->state == FRAME_DIRTY); /* all that a closed one keeps */
    row_dirty_add(frame->vd, frame->block, 0); /* as old as can be */
}

struct cache_vd *cache_vd_open(struct cache *cache, const struct guid *guid, uint32_t row_bytes)
{
    struct cache_vd *vd = cache_vd_find(cache, guid);

    ASSERT(row_bytes >= CACHE_BLOCK_BYTES && row_bytes % CACHE_BLOCK_BYTES == 0);
    if (vd == NULL) {
        vd = vd_make(cache, guid);
    }
    if (vd != NULL) {
        ASSERT(vd->row_blocks == 0 && vd->pinned);
        vd->row_blocks = row_bytes / CACHE_BLOCK_BYTES;
        vd->patience = 1;
        vd_visit(vd, visit_enrol);
    }
    return vd;
}

/* May be used again, and says nothing more at the next start. */
static void damaged_release(struct cache *cache, struct cache_frame *frame)
{
    ASSERT(frame->state == FRAME_DAMAGED && cache->damaged_count > 0);
    journal_release(cache->journal, frame_index(cache, frame));
    frame->vd = NULL;
    cache->damaged_count--;
    frame_to_free(cache, frame);
}

static void visit_close(struct cache_frame *frame)
{
    if (frame->state == FRAME_DIRTY) {
        row_dirty_remove(frame->vd, frame->block);
    } else {
        ASSERT(frame->state == FRAME_CLEAN); /* nothing is under way */
        frame_from_clean(frame);
        frame_unplace(frame);
        frame_to_free(frame->vd->cache, frame);
    }
}

void cache_vd_close(struct cache_vd *vd)
{
    ASSERT(vd->row_blocks > 0 && vd->busy == 0 && vd->written == 0 && !vd->flushing);
    cache_vd_pin(vd, true);
    cache_drain_cancel(vd);
    vd->hurry = false;
    vd_visit(vd, visit_close);
    ASSERT(list_is_empty(&vd->rows_by_age) && list_is_empty(&vd->rows_swept));
    vd->row_blocks = 0;
    if (vd->used == 0 && vd->damaged == 0) {
        vd_forget(vd);
    }
}

void cache_vd_pin(struct cache_vd *vd, bool pinned)
{
    ASSERT(pinned || vd->row_blocks > 0);
    if (vd->pinned == pinned) {
        return;
    }
    vd->pinned = pinned;
    if (pinned) {
        vd->cache->pinned += vd->dirty;
    } else {
        ASSERT(vd->cache->pinned >= vd->dirty);
        vd->cache->pinned -= vd->dirty;
    }
}

bool cache_vd_is_pinned(const struct cache_vd *vd)
{
    return vd->pinned;
}

static void visit_discard(struct cache_frame *frame)
{
    struct cache_vd *vd = frame->vd;

    if (frame->state == FRAME_CLEAN) {
        frame_from_clean(frame);
    } else if (frame->state == FRAME_DIRTY) {
        if (vd->row_blocks > 0) {
            row_dirty_remove(vd, frame->block);
        }
        frame_release(frame);
        dirty_remove(frame);
    } else {
        return;
    }
    frame_unplace(frame);
    frame_to_free(frame->vd->cache, frame);
}

void cache_vd_discard(struct cache_vd *vd)
{
    vd_visit(vd, visit_discard);
    if (vd->row_blocks > 0) {
        return;
    }
    for (uint32_t i = 0; i < vd->cache->frame_count && vd->damaged > 0; i++) {
        struct cache_frame *frame = &vd->cache->frames[i];

        if (frame->state == FRAME_DAMAGED && frame->vd == vd) {
            vd->damaged--;
            damaged_release(vd->cache, frame);
        }
    }
    vd_forget(vd); /* all of it was dirty, and nothing under way */
}

/* The note is in the journal before the first block goes: whatever a crash leaves of it, the loss
 * is known. */
bool cache_vd_discard_noted(struct cache_vd *vd)
{
    struct cache *cache = vd->cache;
    struct frame_entry note = {.type = JOURNAL_DISCARDED,
                               .vd = vd->guid,
                               .tag = cache_vd_dirty_bytes(vd),
                               .dirty = 1}; /* the content is of no account */
    struct cache_frame *frame = journal_room(cache->journal) > 0 ? frame_take(cache) : NULL;

    ASSERT(vd->row_blocks == 0 && vd->dirty > 0);
    if (frame == NULL) {
        return false;
    }
    frame->state = FRAME_DAMAGED;
    frame->vd = vd;
    journal_publish(cache->journal, frame_index(cache, frame), &note);
    cache->damaged_count++;
    vd->damaged++;
    vd->discarded_bytes += note.tag;
    vd_visit(vd, visit_discard);
    return true;
}

uint64_t cache_vd_discarded_bytes(const struct cache_vd *vd)
{
    return vd->discarded_bytes;
}

const struct guid *cache_vd_guid(const struct cache_vd *vd)
{
    return &vd->guid;
}

uint64_t cache_vd_dirty_bytes(const struct cache_vd *vd)
{
    return (uint64_t)vd->dirty * CACHE_BLOCK_BYTES;
}

bool cache_vd_has_settled(const struct cache_vd *vd)
{
    return journal_is_durable(vd->cache->journal, vd->ended);
}

uint64_t cache_vd_used_bytes(const struct cache_vd *vd)
{
    return (uint64_t)vd->used * CACHE_BLOCK_BYTES;
}

void cache_vd_reads(const struct cache_vd *vd, uint64_t *ret_hits, uint64_t *ret_misses)
{
    *ret_hits = vd->read_hits;
    *ret_misses = vd->read_misses;
}

bool cache_vd_is_open(const struct cache_vd *vd)
{
    return vd->row_blocks > 0;
}

uint32_t cache_vd_damaged(const struct cache_vd *vd)
{
    return vd->damaged;
}

uint32_t cache_damaged_unknown(const struct cache *cache)
{
    return cache->damaged_unknown;
}

/* What the journal has kept */

struct replay {
    struct cache *cache;
    struct cache_vd *vd; /* of the newest block: the next one is often of the same */
    bool overflow; /* more virtual drives than the table holds */
};

static struct cache_vd *replay_vd(struct replay *replay, const struct guid *guid)
{
    if (replay->vd == NULL || !guid_equal(&replay->vd->guid, guid)) {
        replay->vd = cache_vd_find(replay->cache, guid);
    }
    if (replay->vd == NULL) {
        replay->vd = vd_make(replay->cache, guid);
    }
    return replay->vd;
}

static void replay_soon(void *context, const struct frame_entry *entry)
{
    const struct replay *replay = context;

    if (replay->vd != NULL && entry->type == JOURNAL_DATA &&
        guid_equal(&replay->vd->guid, &entry->vd)) {
        line_prefetch(replay->vd, entry->block / LINE_BLOCKS);
    }
}

static void replay_entry(void *context, uint32_t index, const struct frame_entry *entry)
{
    struct replay *replay = context;
    struct cache *cache = replay->cache;
    struct cache_frame *frame = &cache->frames[index];
    struct cache_vd *vd = NULL;
    struct cache_frame *other = NULL;

    list_remove(&frame->link);
    cache->free_count--;
    frame->state = FRAME_INTENT; /* whose it is shows when its group comes */
    if (entry->type == JOURNAL_INTENT) {
        return;
    }
    vd = replay_vd(replay, &entry->vd);
    if (vd == NULL) {
        replay->overflow = true;
        return; /* stays published */
    }
    frame->vd = vd;
    if (entry->type == JOURNAL_DISCARDED) {
        frame->state = FRAME_DAMAGED;
        cache->damaged_count++;
        vd->damaged++;
        vd->discarded_bytes += entry->tag;
        return;
    }
    other = block_find(vd, entry->block);
    if (other != NULL && entry->sequence < other->sequence) {
        journal_release(cache->journal, index);
        frame_to_free(frame->vd->cache, frame);
        return;
    }
    if (other != NULL) {
        frame_replace(frame, other);
        dirty_remove(other);
        journal_release(cache->journal, frame_index(cache, other));
        frame_to_free(other->vd->cache, other);
    } else {
        frame_place(frame, vd, entry->block);
    }
    frame->state = FRAME_DIRTY;
    frame->valid = frame->dirty = entry->dirty;
    frame->sequence = entry->sequence;
    frame->epoch = vd->epoch;
    dirty_add(frame);
}

/* The frame is kept out of use, so that what is there can still be looked at. */
static void replay_damaged(void *context, uint32_t index, const struct frame_entry *entry)
{
    struct replay *replay = context;
    struct cache *cache = replay->cache;
    struct cache_vd *vd = NULL;

    list_remove(&cache->frames[index].link);
    cache->free_count--;
    cache->frames[index].state = FRAME_DAMAGED;
    cache->damaged_count++;
    if (entry->type == JOURNAL_INTENT) {
        return; /* its row is resynchronized like without it */
    }
    if (entry->type != JOURNAL_FREE) {
        vd = replay_vd(replay, &entry->vd);
    }
    cache->frames[index].vd = vd;
    if (vd != NULL) {
        vd->damaged++;
    } else {
        cache->damaged_unknown++;
    }
}

/* Those that are not open have not been told: theirs, and what might be theirs, is kept. */
void cache_damaged_forget(struct cache *cache)
{
    bool away = false;

    LIST_FOR_EACH (node, &cache->vds) {
        struct cache_vd *vd = list_entry(node, struct cache_vd, link);

        if (vd->row_blocks > 0) {
            vd->damaged = 0;
            vd->discarded_bytes = 0;
        } else {
            away = true;
        }
    }
    cache->damaged_unknown = away ? cache->damaged_unknown : 0;
    for (uint32_t i = 0; i < cache->frame_count && cache->damaged_count > 0; i++) {
        struct cache_frame *frame = &cache->frames[i];

        if (frame->state == FRAME_DAMAGED &&
            (frame->vd != NULL ? frame->vd->row_blocks > 0 : !away)) {
            damaged_release(cache, frame);
        }
    }
}

/* Life */

static struct list *buckets_make(uint32_t count)
{
    struct list *buckets = malloc(count * sizeof(*buckets));

    for (uint32_t i = 0; i < count && buckets != NULL; i++) {
        list_init(&buckets[i]);
    }
    return buckets;
}

static int cache_allocate(struct cache *cache)
{
    uint32_t lines = 64;
    uint32_t rows = 64;

    /* Scattered blocks have a line each: one step to a bucket keeps both the lookup and the replay
     * from waiting for memory. */
    while (lines < cache->frame_count) {
        lines *= 2;
    }
    while (rows < cache->frame_count / 4) {
        rows *= 2;
    }
    cache->line_bucket_mask = lines - 1;
    cache->row_bucket_mask = rows - 1;
    cache->frames = calloc(cache->frame_count, sizeof(*cache->frames));
    cache->line_buckets = buckets_make(lines);
    cache->row_buckets = buckets_make(rows);
    if (cache->frames == NULL || cache->line_buckets == NULL || cache->row_buckets == NULL ||
        pool_init(&cache->vd_places, CACHE_VDS_MAX, sizeof(struct cache_vd)) != 0 ||
        pool_init(&cache->lines, cache->frame_count, sizeof(struct cache_line)) != 0 ||
        pool_init(&cache->rows, cache->frame_count, sizeof(struct cache_row)) != 0) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < cache->frame_count; i++) {
        list_init(&cache->frames[i].link);
        list_push_tail(&cache->frames_free, &cache->frames[i].link);
    }
    cache->free_count = cache->frame_count;
    return 0;
}

static void cache_dispose(struct cache *cache)
{
    pool_done(&cache->vd_places);
    pool_done(&cache->lines);
    pool_done(&cache->rows);
    free(cache->line_buckets);
    free(cache->row_buckets);
    free(cache->frames);
    free(cache);
}

/* Frames that are spoiled are no room. */
static uint32_t dirty_limit_most(const struct cache *cache)
{
    uint64_t usable = cache->frame_count - cache->damaged_count;

    return (uint32_t)(usable * cache->options.dirty_limit_percent / 100);
}

static void journal_heard(struct journal_listener *listener)
{
    frames_leave(listener->owner);
}

int cache_create(struct journal *journal, const struct cache_options *options,
                 struct cache **ret_cache)
{
    struct cache *cache = calloc(1, sizeof(*cache));
    struct replay replay = {.cache = cache};
    const struct journal_visitor visitor = {
        .entry = replay_entry, .damaged = replay_damaged, .soon = replay_soon, .context = &replay};
    int error = 0;

    if (cache == NULL) {
        return -ENOMEM;
    }
    cache->journal = journal;
    cache->options = options != NULL ? *options : (struct cache_options){0};
    if (cache->options.dirty_limit_percent == 0) {
        cache->options.dirty_limit_percent = CACHE_DIRTY_LIMIT_PERCENT;
    }
    if (cache->options.idle_flush_ms == 0) {
        cache->options.idle_flush_ms = CACHE_IDLE_FLUSH_MS;
    }
    cache->frame_count = journal_frame_count(journal);
    list_init(&cache->vds);
    list_init(&cache->batches);
    list_init(&cache->frames_free);
    list_init(&cache->frames_leaving);
    list_init(&cache->clean_new);
    list_init(&cache->clean_hot);
    error = cache_allocate(cache);
    if (error != 0) {
        cache_dispose(cache);
        return error;
    }
    cache->journal_listener.heard = journal_heard;
    cache->journal_listener.owner = cache;
    journal_listen(journal, &cache->journal_listener);
    journal_replay(journal, &visitor);
    cache->dirty_limit = dirty_limit_most(cache);
    if (replay.overflow) {
        cache->journal = NULL;
        (void)cache_free(cache); /* everything stays published */
        return -E2BIG;
    }
    *ret_cache = cache;
    return 0;
}

/* Puts back what pool_done() wants back. The journal is not touched. */
static void visit_let_go(struct cache_frame *frame)
{
    frame_unplace(frame);
}

struct cache *cache_free(struct cache *cache)
{
    if (cache == NULL) {
        return NULL;
    }
    ASSERT(list_is_empty(&cache->batches));
    LIST_FOR_EACH_SAFE (node, following, &cache->vds) {
        struct cache_vd *vd = list_entry(node, struct cache_vd, link);

        ASSERT(vd->row_blocks == 0);
        vd_visit(vd, visit_let_go);
        vd->dirty = 0;
        vd_forget(vd);
    }
    list_remove(&cache->journal_listener.link);
    cache->journal = journal_close(cache->journal);
    cache_dispose(cache);
    return NULL;
}

struct journal *cache_journal(const struct cache *cache)
{
    return cache->journal;
}

void cache_dirty_limit_set(struct cache *cache, uint64_t bytes)
{
    cache->dirty_limit = (uint32_t)min_u64(bytes / CACHE_BLOCK_BYTES, dirty_limit_most(cache));
}

void cache_facts(const struct cache *cache, struct cache_facts *ret_facts)
{
    uint64_t unused = cache->free_count;

    *ret_facts = (struct cache_facts){
        .size_bytes = (uint64_t)cache->frame_count * CACHE_BLOCK_BYTES,
        .used_bytes = (cache->frame_count - unused) * CACHE_BLOCK_BYTES,
        .dirty_bytes = (uint64_t)cache->dirty * CACHE_BLOCK_BYTES,
        .pinned_bytes = (uint64_t)cache->pinned * CACHE_BLOCK_BYTES,
        .dirty_limit_bytes = (uint64_t)cache->dirty_limit * CACHE_BLOCK_BYTES,
        .read_hits = cache->read_hits,
        .read_misses = cache->read_misses,
        .written_bytes = cache->written_blocks * CACHE_BLOCK_BYTES,
        .destaged_bytes = cache->destaged_blocks * CACHE_BLOCK_BYTES,
        .destage_bytes_per_s = cache->destage_bytes_per_s,
        .damaged_frames = cache->damaged_count,
    };
}

/* Invariants */

static void frame_check(const struct cache *cache, uint32_t index)
{
    const struct cache_frame *frame = &cache->frames[index];
    bool published = journal_is_published(cache->journal, index);

    switch (frame->state) {
    case FRAME_FREE:
        ASSERT(!published && frame->line == NULL);
        break;
    case FRAME_CLEAN:
        ASSERT(!published && frame->line != NULL && frame->dirty == 0);
        break;
    case FRAME_DIRTY:
        ASSERT(published && frame->line != NULL && frame->dirty != 0);
        break;
    case FRAME_BUSY:
    case FRAME_WRITTEN:
        ASSERT(published == (frame->line != NULL) && frame->dirty != 0);
        break;
    case FRAME_INTENT:
        ASSERT(published && frame->line == NULL);
        break;
    case FRAME_DAMAGED: /* not even its descriptor may be left */
        ASSERT(frame->line == NULL);
        break;
    case FRAME_STATE_MAX:
        UNREACHABLE();
    }
    ASSERT((frame->dirty & ~frame->valid) == 0);
}

void cache_check(const struct cache *cache)
{
    uint32_t dirty = 0;
    uint32_t count[FRAME_STATE_MAX] = {0};

    for (uint32_t i = 0; i < cache->frame_count; i++) {
        frame_check(cache, i);
        count[cache->frames[i].state]++;
    }
    dirty = count[FRAME_DIRTY] + count[FRAME_BUSY] + count[FRAME_WRITTEN];
    ASSERT(dirty == cache->dirty && cache->pinned <= cache->dirty);
    ASSERT(count[FRAME_FREE] == cache->free_count + cache->leaving_count);
    ASSERT(count[FRAME_CLEAN] == cache->clean_new_count + cache->clean_hot_count);
    ASSERT(count[FRAME_DAMAGED] == cache->damaged_count);
}
