/*
 * Frames, and where a block is: hash by (virtual drive, line of 64 KiB) -> 16 frames.
 *
 * Eviction is 2Q without ghosts: a block read once waits in clean_new, one that is asked for
 * again moves to clean_hot; the new ones go first while they are more than a quarter.
 */
#include "cache/cache_private.h"

static struct list *line_bucket(const struct cache_vd *vd, uint64_t number)
{
    uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15) ^
                    (uint64_t)(uintptr_t)vd * UINT64_C(0xc2b2ae3d27d4eb4f);

    hash ^= hash >> 32;
    return &vd->cache->line_buckets[hash & vd->cache->line_bucket_mask];
}

void line_prefetch(const struct cache_vd *vd, uint64_t number)
{
    __builtin_prefetch(line_bucket(vd, number));
}

struct cache_line *line_find(const struct cache_vd *vd, uint64_t number)
{
    struct list *bucket = line_bucket(vd, number);

    LIST_FOR_EACH (node, bucket) {
        struct cache_line *line = list_entry(node, struct cache_line, link);

        if (line->number == number && line->vd == vd) {
            return line;
        }
    }
    return NULL;
}

struct cache_frame *block_find(const struct cache_vd *vd, uint64_t block)
{
    struct cache_line *line = line_find(vd, block / LINE_BLOCKS);
    uint32_t frame = line != NULL ? line->frames[block % LINE_BLOCKS] : JOURNAL_NO_FRAME;

    return frame != JOURNAL_NO_FRAME ? &vd->cache->frames[frame] : NULL;
}

static struct cache_line *line_make(struct cache_vd *vd, uint64_t number)
{
    struct cache_line *line = pool_take(&vd->cache->lines);

    ASSERT(line != NULL); /* there are as many as frames, and each holds one */
    list_init(&line->link);
    line->vd = vd;
    line->number = number;
    line->used = 0;
    for (uint32_t i = 0; i < LINE_BLOCKS; i++) {
        line->frames[i] = JOURNAL_NO_FRAME;
    }
    list_push_head(line_bucket(vd, number), &line->link);
    return line;
}

void frame_place(struct cache_frame *frame, struct cache_vd *vd, uint64_t block)
{
    struct cache_line *line = line_find(vd, block / LINE_BLOCKS);

    ASSERT(frame->line == NULL);
    if (line == NULL) {
        line = line_make(vd, block / LINE_BLOCKS);
    }
    ASSERT(line->frames[block % LINE_BLOCKS] == JOURNAL_NO_FRAME);
    line->frames[block % LINE_BLOCKS] = frame_index(vd->cache, frame);
    line->used++;
    vd->used++;
    frame->line = line;
    frame->vd = vd;
    frame->block = block;
}

void frame_replace(struct cache_frame *frame, struct cache_frame *old)
{
    struct cache_line *line = old->line;
    uint32_t slot = (uint32_t)(old->block % LINE_BLOCKS);

    ASSERT(frame->line == NULL && line != NULL);
    ASSERT(line->frames[slot] == frame_index(old->vd->cache, old));
    line->frames[slot] = frame_index(old->vd->cache, frame);
    frame->line = line;
    frame->vd = old->vd;
    frame->block = old->block;
    old->line = NULL;
}

void frame_unplace(struct cache_frame *frame)
{
    struct cache_line *line = frame->line;
    struct cache_vd *vd = frame->vd;

    ASSERT(line != NULL && line->used > 0 && vd->used > 0);
    ASSERT(line->frames[frame->block % LINE_BLOCKS] == frame_index(vd->cache, frame));
    line->frames[frame->block % LINE_BLOCKS] = JOURNAL_NO_FRAME;
    frame->line = NULL;
    vd->used--;
    line->used--;
    if (line->used == 0) {
        list_remove(&line->link);
        pool_give(&vd->cache->lines, line);
    }
}

void frame_to_free(struct cache *cache, struct cache_frame *frame)
{
    ASSERT(frame->line == NULL && !list_is_linked(&frame->link));
    frame->state = FRAME_FREE;
    frame->valid = frame->dirty = 0;
    frame->sequence = 0;
    frame->hot = false;
    if (journal_is_busy(cache->journal, frame_index(cache, frame))) {
        list_push_tail(&cache->frames_leaving, &frame->link);
        cache->leaving_count++;
        return;
    }
    list_push_head(&cache->frames_free, &frame->link); /* still warm */
    cache->free_count++;
}

void frames_leave(struct cache *cache)
{
    struct list *node = NULL;

    while ((node = list_first(&cache->frames_leaving)) != NULL) {
        struct cache_frame *frame = list_entry(node, struct cache_frame, link);

        if (journal_is_busy(cache->journal, frame_index(cache, frame))) {
            return; /* so are those behind it, or they wait for it */
        }
        list_remove(node);
        ASSERT(cache->leaving_count > 0);
        cache->leaving_count--;
        frame_to_free(cache, frame);
    }
}

void frame_to_clean(struct cache_frame *frame)
{
    struct cache *cache = frame->vd->cache;

    ASSERT(frame->line != NULL && !list_is_linked(&frame->link));
    frame->state = FRAME_CLEAN;
    frame->dirty = 0;
    list_push_tail(frame->hot ? &cache->clean_hot : &cache->clean_new, &frame->link);
    if (frame->hot) {
        cache->clean_hot_count++;
    } else {
        cache->clean_new_count++;
    }
}

void frame_from_clean(struct cache_frame *frame)
{
    struct cache *cache = frame->vd->cache;

    ASSERT(frame->state == FRAME_CLEAN);
    list_remove(&frame->link);
    if (frame->hot) {
        cache->clean_hot_count--;
    } else {
        cache->clean_new_count--;
    }
}

void frame_touch(struct cache_frame *frame)
{
    if (frame->state != FRAME_CLEAN) {
        frame->hot = true;
        return;
    }
    frame_from_clean(frame);
    frame->hot = true;
    frame_to_clean(frame);
}

static struct cache_frame *clean_victim(struct cache *cache)
{
    bool from_new =
        cache->clean_new_count > cache->clean_hot_count / 3 || list_is_empty(&cache->clean_hot);
    struct list *node = list_first(from_new ? &cache->clean_new : &cache->clean_hot);

    if (node == NULL) {
        node = list_first(&cache->clean_hot);
    }
    return node != NULL ? list_entry(node, struct cache_frame, link) : NULL;
}

struct cache_frame *frame_take(struct cache *cache)
{
    struct list *node = list_pop_head(&cache->frames_free);
    struct cache_frame *frame = NULL;

    if (node != NULL) {
        ASSERT(cache->free_count > 0);
        cache->free_count--;
        frame = list_entry(node, struct cache_frame, link);
    } else {
        frame = clean_victim(cache);
        if (frame == NULL) {
            return NULL;
        }
        frame_from_clean(frame);
        frame_unplace(frame);
    }
    frame->valid = frame->dirty = 0;
    frame->hot = false;
    return frame;
}
