/*
 * Blocks: reading, writing, filling and dropping them.
 */
#include "cache/cache_private.h"

static uint8_t sectors_of(uint32_t lo, uint32_t hi)
{
    ASSERT(lo < hi && hi <= CACHE_BLOCK_BYTES);
    ASSERT(lo % CACHE_SECTOR_BYTES == 0 && hi % CACHE_SECTOR_BYTES == 0);
    return (uint8_t)((ALL_SECTORS << lo / CACHE_SECTOR_BYTES) &
                     (ALL_SECTORS >> (CACHE_BLOCK_SECTORS - hi / CACHE_SECTOR_BYTES)));
}

bool frame_is_sound(const struct cache_frame *frame)
{
    const struct cache *cache = frame->vd->cache;

    return journal_is_sound(cache->journal, frame_index(cache, frame), frame->sequence);
}

void frame_damage(struct cache_frame *frame)
{
    struct cache_vd *vd = frame->vd;

    ASSERT(frame->state == FRAME_DIRTY);
    row_dirty_remove(vd, frame->block);
    dirty_remove(frame);
    frame_unplace(frame);
    frame->state = FRAME_DAMAGED;
    vd->cache->damaged_count++;
    vd->damaged++;
    vd->spoiled++;
}

static void frame_drop_clean(struct cache_frame *frame)
{
    frame_from_clean(frame);
    frame_unplace(frame);
    frame_to_free(frame->vd->cache, frame);
}

/* One that others have changed is not there any more; the drives have what is clean. */
static bool is_given_up(struct cache_frame *frame)
{
    if ((frame->state != FRAME_DIRTY && frame->state != FRAME_CLEAN) || frame_is_sound(frame)) {
        return false;
    }
    if (frame->state == FRAME_DIRTY) {
        frame_damage(frame);
    } else {
        frame_drop_clean(frame);
    }
    return true;
}

uint32_t cache_vd_spoiled(const struct cache_vd *vd)
{
    return vd->spoiled;
}

void block_publish(struct cache_frame *frame)
{
    struct cache_vd *vd = frame->vd;
    struct frame_entry entry = {
        .type = JOURNAL_DATA, .vd = vd->guid, .block = frame->block, .dirty = frame->dirty};

    journal_publish(vd->cache->journal, frame_index(vd->cache, frame), &entry);
    frame->sequence = entry.sequence;
    frame->ticket = journal_ticket(vd->cache->journal);
}

/* The sectors of old that the writer does not bring. */
static void sectors_copy(struct journal *journal, uint32_t to, uint32_t from, uint8_t sectors)
{
    const uint8_t *bytes = journal_frame(journal, from);

    for (uint32_t sector = 0; sector < CACHE_BLOCK_SECTORS; sector++) {
        if ((sectors & (1u << sector)) != 0) {
            journal_fill(journal, to, sector * CACHE_SECTOR_BYTES,
                         bytes + sector * CACHE_SECTOR_BYTES, CACHE_SECTOR_BYTES);
        }
    }
}

/* The block is here and published: a new frame takes its place (cache.h (2), journal.h (4)). */
static bool write_over(struct cache_frame *old, uint8_t mask, uint32_t lo, const void *bytes,
                       uint32_t length, uint64_t now_us)
{
    struct cache_vd *vd = old->vd;
    struct cache *cache = vd->cache;
    struct cache_frame *frame = frame_take(cache);
    uint32_t index = 0;

    if (frame == NULL) {
        return false;
    }
    index = frame_index(cache, frame);
    if (mask != ALL_SECTORS && !frame_is_sound(old)) {
        vd->spoiled++; /* it is on its way to the drives; if it gets there, nothing is lost */
    } else if (!CACHE_BUG(PARTIAL_FORGOTTEN)) {
        sectors_copy(cache->journal, index, frame_index(cache, old), old->valid & (uint8_t)~mask);
        frame->valid = old->valid;
        frame->dirty = old->dirty;
    }
    journal_fill(cache->journal, index, lo, bytes, length);
    frame->valid |= mask;
    frame->dirty |= mask;
    frame->hot = true;
    frame_replace(frame, old);
    if (CACHE_BUG(FREE_OLD_FIRST)) {
        journal_release(cache->journal, frame_index(cache, old));
    }
    block_publish(frame);
    if (!CACHE_BUG(FREE_OLD_FIRST)) {
        journal_release(cache->journal, frame_index(cache, old));
    }
    frame->epoch = vd->epoch;
    if (old->state == FRAME_DIRTY) {
        frame->epoch = old->epoch; /* cache.h (3): it stands in for the old one, in its row too */
        frame->state = FRAME_DIRTY;
        frame_to_free(old->vd->cache, old);
    } else {
        frame->state = FRAME_DIRTY;
        dirty_add(frame);
        row_dirty_add(vd, frame->block, now_us);
    }
    return true;
}

/* The planted bug: the acknowledged frame is changed under the journal's nose. */
static void write_in_place(struct cache_frame *frame, uint8_t mask, uint32_t lo, const void *bytes,
                           uint32_t length)
{
    journal_fill(frame->vd->cache->journal, frame_index(frame->vd->cache, frame), lo, bytes,
                 length);
    frame->valid |= mask;
    frame->dirty |= mask;
    block_publish(frame);
}

/* The block is here and clean: nothing durable says anything of it yet. */
static void write_clean(struct cache_frame *frame, uint8_t mask, uint32_t lo, const void *bytes,
                        uint32_t length, uint64_t now_us)
{
    struct cache_vd *vd = frame->vd;

    journal_fill(vd->cache->journal, frame_index(vd->cache, frame), lo, bytes, length);
    frame->valid |= mask;
    frame->dirty = mask;
    block_publish(frame);
    frame->state = FRAME_DIRTY;
    frame->epoch = vd->epoch;
    dirty_add(frame);
    row_dirty_add(vd, frame->block, now_us);
}

bool cache_write(struct cache_vd *vd, uint64_t block, uint32_t lo, uint32_t hi, const void *bytes,
                 uint64_t now_us)
{
    uint8_t mask = sectors_of(lo, hi);
    struct cache_frame *frame = block_find(vd, block);

    ASSERT(vd->row_blocks > 0 && !vd->pinned);
    if (journal_room(vd->cache->journal) == 0) {
        return false;
    }
    if (frame != NULL && mask != ALL_SECTORS && is_given_up(frame)) {
        frame = NULL; /* what is not written now must not become sound by a new checksum */
    }
    if (frame != NULL && frame_is_published(frame)) {
        if (CACHE_BUG(OVERWRITE_IN_PLACE) && frame->state == FRAME_DIRTY) {
            write_in_place(frame, mask, lo, bytes, hi - lo);
        } else if (!write_over(frame, mask, lo, bytes, hi - lo, now_us)) {
            return false;
        }
    } else {
        if (frame == NULL) {
            frame = frame_take(vd->cache);
            if (frame == NULL) {
                return false;
            }
            frame_place(frame, vd, block);
        } else {
            frame_from_clean(frame);
            frame->hot = true;
        }
        write_clean(frame, mask, lo, bytes, hi - lo, now_us);
    }
    vd->cache->written_blocks++;
    return true;
}

uint8_t cache_valid(const struct cache_vd *vd, uint64_t block)
{
    struct cache_frame *frame = vd->used > 0 ? block_find(vd, block) : NULL;

    return frame != NULL && !is_given_up(frame) ? frame->valid : 0;
}

void cache_read(struct cache_vd *vd, uint64_t block, uint32_t lo, uint32_t hi, void *bytes)
{
    struct cache_frame *frame = block_find(vd, block);

    ASSERT(frame != NULL && (sectors_of(lo, hi) & ~frame->valid) == 0);
    memcpy(bytes, journal_frame(vd->cache->journal, frame_index(vd->cache, frame)) + lo, hi - lo);
    frame_touch(frame);
    vd->read_hits++;
    vd->cache->read_hits++;
}

void cache_miss(struct cache_vd *vd, uint64_t blocks)
{
    vd->read_misses += blocks;
    vd->cache->read_misses += blocks;
}

void cache_fill(struct cache_vd *vd, uint64_t block, uint32_t lo, uint32_t hi, const void *bytes)
{
    struct cache_frame *frame = block_find(vd, block);
    uint8_t wanted = sectors_of(lo, hi);
    const uint8_t *from = bytes;

    if (frame != NULL && frame->state == FRAME_CLEAN && frame->valid != ALL_SECTORS &&
        is_given_up(frame)) {
        frame = NULL;
    }
    if (frame == NULL) {
        frame = frame_take(vd->cache);
        if (frame == NULL) {
            return;
        }
        frame_place(frame, vd, block);
        frame_to_clean(frame);
    }
    wanted &= (uint8_t)~frame->valid;
    for (uint32_t sector = lo / CACHE_SECTOR_BYTES; sector < hi / CACHE_SECTOR_BYTES; sector++) {
        if ((wanted & (1u << sector)) != 0) {
            journal_fill(vd->cache->journal, frame_index(vd->cache, frame),
                         sector * CACHE_SECTOR_BYTES, from + sector * CACHE_SECTOR_BYTES - lo,
                         CACHE_SECTOR_BYTES);
        }
    }
    frame->valid |= wanted;
    if (frame->state == FRAME_CLEAN && wanted != 0) {
        frame->sequence =
            journal_seal(vd->cache->journal, frame_index(vd->cache, frame), frame->valid);
    }
}

/* Calls each with every frame of the range that is here, line by line. */
static uint64_t range_visit(const struct cache_vd *vd, uint64_t block, uint64_t count,
                            bool (*each)(struct cache_frame *frame))
{
    uint64_t end = block + count;
    uint64_t found = 0;

    while (block < end && vd->used > 0) {
        uint64_t next = min_u64(end, (block / LINE_BLOCKS + 1) * LINE_BLOCKS);
        struct cache_line *line = line_find(vd, block / LINE_BLOCKS);
        uint32_t left = line != NULL ? line->used : 0;

        for (; block < next && left > 0; block++) {
            uint32_t frame = line->frames[block % LINE_BLOCKS];

            if (frame != JOURNAL_NO_FRAME) {
                left--; /* with the last one the line may go */
                found += each(&vd->cache->frames[frame]) ? 1u : 0u;
            }
        }
        block = next;
    }
    return found;
}

static bool visit_dirty(struct cache_frame *frame)
{
    return frame_is_published(frame);
}

static bool visit_drop(struct cache_frame *frame)
{
    if (frame->state != FRAME_CLEAN) {
        return false;
    }
    frame_drop_clean(frame);
    return true;
}

uint64_t cache_range_dirty(const struct cache_vd *vd, uint64_t block, uint64_t count)
{
    return vd->dirty > 0 ? range_visit(vd, block, count, visit_dirty) : 0;
}

void cache_drop_clean(struct cache_vd *vd, uint64_t block, uint64_t count)
{
    (void)range_visit(vd, block, count, visit_drop); /* how many is of no interest */
}
