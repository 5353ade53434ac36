/*
 * What goes to the drives, and when: full rows first, then the oldest; rows that follow each
 * other on the drives one after the other. Virtual drives take turns.
 *
 * The oldest go in sweeps: a few hundred of them at a time, in the order in which they lie on the
 * drives. So the heads have short ways, and nobody is overtaken by more than those of his sweep.
 * A sweep that has begun is ended, whatever the pressure is then.
 *
 *   below 50 % of the dirty limit   rows that have been dirty for the idle time
 *   from 50 %                       any, full rows first
 *   from 75 %                       a virtual drive may not have more than its share
 *   from 90 %                       writers wait
 *
 * A row that somebody fills from its first block on is left alone until it is full or he pauses:
 * in parts it would cost each of them a command, and parity reads. Not if a drain or the end waits
 * for it, nor if writers may wait and nothing else is on its way; and there are few such rows.
 */
#include "cache/cache_private.h"

#define ROW_STREAK_MAX 16u
#define RATE_SPAN_US UINT64_C(1000000)
#define FILL_PAUSE_US UINT64_C(50000)
#define ROWS_LEFT_MAX 16u

static struct list *row_bucket(const struct cache_vd *vd, uint64_t number)
{
    uint64_t hash = number * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                    (uint64_t)(uintptr_t)vd * UINT64_C(0x9e3779b97f4a7c15);

    hash ^= hash >> 32;
    return &vd->cache->row_buckets[hash & vd->cache->row_bucket_mask];
}

static struct cache_row *row_find(const struct cache_vd *vd, uint64_t number)
{
    struct list *bucket = row_bucket(vd, number);

    LIST_FOR_EACH (node, bucket) {
        struct cache_row *row = list_entry(node, struct cache_row, link);

        if (row->number == number && row->vd == vd) {
            return row;
        }
    }
    return NULL;
}

static struct cache_row *row_make(struct cache_vd *vd, uint64_t number, uint64_t now_us)
{
    struct cache_row *row = pool_take(&vd->cache->rows);

    ASSERT(row != NULL); /* there are as many as frames */
    list_init(&row->link);
    list_init(&row->age_link);
    list_init(&row->full_link);
    row->vd = vd;
    row->number = number;
    row->dirty_blocks = 0;
    row->filled = 0;
    row->filling_us = 0;
    row->since_us = now_us;
    list_push_head(row_bucket(vd, number), &row->link);
    list_push_tail(&vd->rows_by_age, &row->age_link);
    return row;
}

void row_dirty_add(struct cache_vd *vd, uint64_t block, uint64_t now_us)
{
    uint64_t number = block / vd->row_blocks;
    struct cache_row *row = row_find(vd, number);

    if (row == NULL) {
        row = row_make(vd, number, now_us);
    }
    if (block % vd->row_blocks == row->filled) {
        row->filled++;
        row->filling_us = now_us;
    }
    row->dirty_blocks++;
    ASSERT(row->dirty_blocks <= vd->row_blocks);
    if (row->dirty_blocks == vd->row_blocks) {
        list_push_tail(&vd->rows_full, &row->full_link);
    }
}

void row_dirty_remove(struct cache_vd *vd, uint64_t block)
{
    struct cache_row *row = row_find(vd, block / vd->row_blocks);

    ASSERT(row != NULL && row->dirty_blocks > 0);
    list_remove(&row->full_link);
    row->filled = 0;
    row->dirty_blocks--;
    if (row->dirty_blocks == 0) {
        list_remove(&row->age_link);
        list_remove(&row->link);
        pool_give(&vd->cache->rows, row);
    }
}

void dirty_add(struct cache_frame *frame)
{
    frame->vd->dirty++;
    frame->vd->cache->dirty++;
    frame->vd->cache->pinned += frame->vd->pinned ? 1u : 0u;
}

void dirty_remove(struct cache_frame *frame)
{
    struct cache_vd *vd = frame->vd;

    ASSERT(vd->dirty > 0 && vd->cache->dirty >= vd->dirty);
    if (vd->drain_left > 0 && frame->epoch <= vd->drain_epoch) {
        vd->drain_left--;
    }
    vd->dirty--;
    vd->cache->dirty--;
    if (vd->pinned) {
        ASSERT(vd->cache->pinned > 0);
        vd->cache->pinned--;
    }
}

/* Pressure */

static bool is_at_percent(const struct cache *cache, uint64_t percent)
{
    uint64_t movable = cache->dirty - cache->pinned;
    uint64_t limit = cache->dirty_limit - min_u32(cache->dirty_limit, cache->pinned);

    return movable > 0 && movable * 100 >= limit * percent;
}

enum cache_pressure cache_pressure(const struct cache *cache)
{
    if (is_at_percent(cache, 90)) {
        return CACHE_PRESSURE_FULL;
    }
    LIST_FOR_EACH (node, &cache->vds) {
        const struct cache_vd *vd = list_entry(node, struct cache_vd, link);

        if ((vd->hurry || vd->drain_left > 0) && !vd->pinned && vd->dirty > 0) {
            return CACHE_PRESSURE_URGENT;
        }
    }
    return is_at_percent(cache, 75)   ? CACHE_PRESSURE_URGENT
           : is_at_percent(cache, 50) ? CACHE_PRESSURE_START
                                      : CACHE_PRESSURE_NONE;
}

static uint32_t vds_with_dirty(const struct cache *cache)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, &cache->vds) {
        const struct cache_vd *vd = list_entry(node, struct cache_vd, link);

        count += vd->dirty > 0 && !vd->pinned ? 1u : 0u;
    }
    return count;
}

bool cache_may_write(const struct cache_vd *vd, uint32_t blocks)
{
    const struct cache *cache = vd->cache;
    uint64_t after = (uint64_t)cache->dirty + blocks;
    uint64_t limit = cache->dirty_limit;
    uint32_t sharers = 0;

    if (after * 100 <= limit * 75) {
        return true;
    }
    if (after * 100 > limit * 90 && cache->dirty > 0) {
        return false;
    }
    sharers = vds_with_dirty(cache);
    return limit > 0 && (sharers < 2 || (uint64_t)vd->dirty + blocks <= limit / sharers);
}

/* Choosing */

void cache_vd_patience_set(struct cache_vd *vd, uint32_t times)
{
    ASSERT(times > 0 && vd->row_blocks > 0);
    vd->patience = times;
}

uint64_t cache_vd_idle_ms(const struct cache_vd *vd)
{
    return (uint64_t)vd->cache->options.idle_flush_ms * vd->patience;
}

static bool row_is_old(const struct cache_row *row, uint64_t now_us)
{
    return now_us - min_u64(now_us, row->since_us) >= cache_vd_idle_ms(row->vd) * 1000;
}

static bool row_is_busy(const struct cache_row *row)
{
    LIST_FOR_EACH (node, &row->vd->cache->batches) {
        const struct cache_batch *batch = list_entry(node, struct cache_batch, link);

        if (batch->vd == row->vd && batch->row == row->number && !CACHE_BUG(ROW_TWICE)) {
            return true;
        }
    }
    return false;
}

static bool anything_is_moving(const struct cache *cache)
{
    LIST_FOR_EACH (node, &cache->vds) {
        const struct cache_vd *vd = list_entry(node, struct cache_vd, link);

        if (vd->busy > 0 || vd->written > 0) {
            return true;
        }
    }
    return false;
}

/* It is being filled: nobody gains if it goes to the drives now. */
static bool row_is_left(const struct cache_row *row, uint64_t now_us)
{
    const struct cache_vd *vd = row->vd;

    if (row->filled == 0 || row->filled != row->dirty_blocks ||
        row->dirty_blocks == vd->row_blocks || now_us >= row->filling_us + FILL_PAUSE_US ||
        row_is_old(row, now_us)) {
        return false;
    }
    return vd->drain_left == 0 && !vd->hurry &&
           (!is_at_percent(vd->cache, 75) || anything_is_moving(vd->cache));
}

/* The first of them that may go. Busy rows are no more than open batches, and few are left: that
 * bounds the search. */
static struct cache_row *row_first(struct cache_vd *vd, const struct list *rows, uint64_t now_us)
{
    uint32_t left = 0;

    LIST_FOR_EACH (node, rows) {
        struct cache_row *row = list_entry(node, struct cache_row, age_link);

        if (row_is_busy(row)) {
            continue;
        }
        if (left == ROWS_LEFT_MAX || !row_is_left(row, now_us)) {
            return row;
        }
        left++;
        vd->left_until_us = min_u64(vd->left_until_us, row->filling_us + FILL_PAUSE_US);
    }
    return NULL;
}

/* By number: Shell's way, with gaps that are good for a few thousand. */
static void rows_sort(struct cache_row **rows, uint32_t count)
{
    static const uint32_t gaps[] = {301, 132, 57, 23, 10, 4, 1};

    for (size_t g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++) {
        for (uint32_t i = gaps[g]; i < count; i++) {
            struct cache_row *row = rows[i];
            uint32_t at = i;

            for (; at >= gaps[g] && rows[at - gaps[g]]->number > row->number; at -= gaps[g]) {
                rows[at] = rows[at - gaps[g]];
            }
            rows[at] = row;
        }
    }
}

/* What the last one has left, and the oldest of the others. */
static void sweep_begin(struct cache_vd *vd)
{
    struct cache_row *rows[CACHE_SWEEP_MAX];
    struct list *node = NULL;
    uint32_t count = 0;

    while (count < vd->sweep_rows && ((node = list_pop_head(&vd->rows_swept)) != NULL ||
                                      (node = list_pop_head(&vd->rows_by_age)) != NULL)) {
        rows[count++] = list_entry(node, struct cache_row, age_link);
    }
    rows_sort(rows, count);
    for (uint32_t i = 0; i < count; i++) {
        list_push_tail(&vd->rows_swept, &rows[i]->age_link);
    }
}

static struct cache_row *row_of_sweep(struct cache_vd *vd, uint64_t now_us)
{
    struct cache_row *row = row_first(vd, &vd->rows_swept, now_us);

    if (row == NULL && !list_is_empty(&vd->rows_by_age)) {
        sweep_begin(vd);
        row = row_first(vd, &vd->rows_swept, now_us);
    }
    return row;
}

/* Nothing presses: what the last sweep has left, and what is old. */
static struct cache_row *row_at_leisure(struct cache_vd *vd, uint64_t now_us)
{
    struct cache_row *row = row_first(vd, &vd->rows_swept, now_us);
    uint64_t until_us = vd->left_until_us;

    if (row != NULL) {
        return row;
    }
    row = row_first(vd, &vd->rows_by_age, now_us);
    vd->left_until_us = until_us; /* what is old is looked for when it is */
    return row != NULL && row_is_old(row, now_us) ? row : NULL;
}

static struct cache_row *row_full(const struct cache_vd *vd)
{
    LIST_FOR_EACH (node, &vd->rows_full) {
        struct cache_row *row = list_entry(node, struct cache_row, full_link);

        if (!row_is_busy(row)) {
            return row;
        }
    }
    return NULL;
}

static struct cache_row *row_neighbor(struct cache_vd *vd, uint64_t now_us)
{
    struct cache_row *row = vd->row_streak < ROW_STREAK_MAX ? row_find(vd, vd->row_next) : NULL;

    return row != NULL && !row_is_busy(row) && !row_is_left(row, now_us) ? row : NULL;
}

static struct cache_row *row_choose(struct cache_vd *vd, uint64_t now_us)
{
    struct cache_row *row = NULL;

    vd->left_until_us = UINT64_MAX;
    if (vd->pinned || (list_is_empty(&vd->rows_by_age) && list_is_empty(&vd->rows_swept))) {
        return NULL;
    }
    ASSERT(vd->row_blocks > 0);
    if (vd->drain_left == 0 && !vd->hurry && !is_at_percent(vd->cache, 50)) {
        return row_at_leisure(vd, now_us);
    }
    row = row_neighbor(vd, now_us);
    if (row == NULL && vd->drain_left == 0) {
        row = row_full(vd);
    }
    return row != NULL ? row : row_of_sweep(vd, now_us);
}

/* The dirty blocks of the row, up to what a batch holds, become BUSY. What others have changed is
 * not put over what the drives have: of such blocks alone, the batch stays empty. */
static void batch_fill(struct cache_vd *vd, struct cache_row *row, struct cache_batch *batch)
{
    uint64_t first = row->number * vd->row_blocks;
    uint32_t left = row->dirty_blocks; /* with the last one the row goes */

    for (uint64_t i = 0; left > 0 && batch->count < CACHE_BATCH_MAX; i++) {
        struct cache_frame *frame = block_find(vd, first + i);

        ASSERT(i < vd->row_blocks);
        if (frame == NULL || frame->state != FRAME_DIRTY) {
            continue;
        }
        left--;
        if (!frame_is_sound(frame)) {
            frame_damage(frame);
            continue;
        }
        frame->state = FRAME_BUSY;
        vd->busy++;
        row_dirty_remove(vd, frame->block);
        batch->frames[batch->count++] = frame_index(vd->cache, frame);
        batch->ticket = max_u64(batch->ticket, frame->ticket);
        batch->bytes += (uint64_t)__builtin_popcount(frame->dirty) * CACHE_SECTOR_BYTES;
    }
}

static bool batch_begin(struct cache_vd *vd, uint64_t now_us, struct cache_batch *ret_batch)
{
    do { /* each time some are dirty no more */
        struct cache_row *row = row_choose(vd, now_us);

        if (row == NULL) {
            return false;
        }
        vd->row_streak = row->number == vd->row_next ? vd->row_streak + 1 : 0;
        vd->row_next = row->number + 1;
        ret_batch->vd = vd;
        ret_batch->row = row->number;
        ret_batch->count = 0;
        ret_batch->bytes = 0;
        ret_batch->ticket = 0;
        ret_batch->began_us = now_us;
        batch_fill(vd, row, ret_batch);
    } while (ret_batch->count == 0);
    return true;
}

bool cache_batch_take(struct cache *cache, uint64_t now_us, struct cache_batch *ret_batch)
{
    LIST_FOR_EACH (node, &cache->vds) {
        struct cache_vd *vd = list_entry(node, struct cache_vd, link);

        if (!batch_begin(vd, now_us, ret_batch)) {
            continue;
        }
        if (list_is_empty(&cache->batches)) {
            cache->rate_since_us = now_us;
            cache->rate_bytes = 0;
        }
        list_init(&ret_batch->link);
        list_push_tail(&cache->batches, &ret_batch->link);
        list_remove(&vd->link); /* the others first next time */
        list_push_tail(&cache->vds, &vd->link);
        return true;
    }
    return false;
}

uint64_t cache_due_us(const struct cache *cache)
{
    uint64_t due_us = UINT64_MAX;

    LIST_FOR_EACH (node, &cache->vds) {
        const struct cache_vd *vd = list_entry(node, struct cache_vd, link);
        const struct list *oldest = list_first(&vd->rows_by_age);

        if (vd->pinned) {
            continue;
        }
        if (oldest != NULL) {
            const struct cache_row *row = container_of(oldest, struct cache_row, age_link);

            ASSERT(vd->row_blocks > 0);
            due_us = min_u64(due_us, row->since_us + cache_vd_idle_ms(vd) * 1000);
        }
        if (oldest != NULL || !list_is_empty(&vd->rows_swept)) {
            due_us = min_u64(due_us, vd->left_until_us);
        }
    }
    return due_us;
}

/* Batches */

static struct cache_frame *batch_frame(const struct cache_batch *batch, uint32_t index)
{
    return &batch->vd->cache->frames[batch->frames[index]];
}

/* The first frame of the batch whose block is not below. */
static uint32_t batch_find(const struct cache_batch *batch, uint64_t block)
{
    uint32_t low = 0;
    uint32_t high = batch->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (batch_frame(batch, middle)->block < block) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool sector_is_dirty(const struct cache_batch *batch, uint32_t *index, uint64_t sector)
{
    uint64_t block = sector / CACHE_BLOCK_SECTORS;
    struct cache_frame *frame = NULL;

    while (*index < batch->count && batch_frame(batch, *index)->block < block) {
        (*index)++;
    }
    if (*index == batch->count) {
        return false;
    }
    frame = batch_frame(batch, *index);
    return frame->block == block && (frame->dirty & (1u << sector % CACHE_BLOCK_SECTORS)) != 0;
}

bool cache_batch_run(const struct cache_batch *batch, uint64_t *offset_bytes,
                     uint32_t *ret_length_bytes)
{
    uint64_t sector = div_ceil_u64(*offset_bytes, CACHE_SECTOR_BYTES);
    uint32_t index = batch_find(batch, sector / CACHE_BLOCK_SECTORS);
    uint64_t begin = 0;

    while (index < batch->count && !sector_is_dirty(batch, &index, sector)) {
        uint64_t block = sector / CACHE_BLOCK_SECTORS;

        sector++;
        if (index < batch->count && batch_frame(batch, index)->block > block) {
            sector = batch_frame(batch, index)->block * CACHE_BLOCK_SECTORS;
        }
    }
    if (index == batch->count) {
        return false;
    }
    begin = sector;
    while (sector_is_dirty(batch, &index, sector)) {
        sector++;
    }
    *offset_bytes = begin * CACHE_SECTOR_BYTES;
    *ret_length_bytes = (uint32_t)((sector - begin) * CACHE_SECTOR_BYTES);
    return true;
}

void cache_batch_gather(const struct cache_batch *batch, uint64_t offset_bytes, void *to,
                        uint32_t length_bytes)
{
    uint8_t *out = to;
    uint32_t index = batch_find(batch, offset_bytes / CACHE_BLOCK_BYTES);

    while (length_bytes > 0) {
        uint32_t at = (uint32_t)(offset_bytes % CACHE_BLOCK_BYTES);
        uint32_t part = min_u32(length_bytes, CACHE_BLOCK_BYTES - at);

        ASSERT(index < batch->count);
        ASSERT(batch_frame(batch, index)->block == offset_bytes / CACHE_BLOCK_BYTES);
        memcpy(out, journal_frame(batch->vd->cache->journal, batch->frames[index]) + at, part);
        out += part;
        offset_bytes += part;
        length_bytes -= part;
        index++;
    }
}

static void rate_note(struct cache *cache, uint64_t bytes, uint64_t now_us)
{
    uint64_t span_us = now_us - min_u64(now_us, cache->rate_since_us);

    cache->destaged_blocks += bytes / CACHE_BLOCK_BYTES;
    cache->rate_bytes += bytes;
    if (span_us < RATE_SPAN_US / 10) {
        return;
    }
    uint64_t rate = cache->rate_bytes * 1000000 / span_us;

    cache->destage_bytes_per_s =
        cache->destage_bytes_per_s == 0 ? rate : (cache->destage_bytes_per_s * 3 + rate) / 4;
    if (span_us >= RATE_SPAN_US) {
        cache->rate_since_us = now_us;
        cache->rate_bytes = 0;
    }
}

/* Not on the drives after all. A ghost's bytes are in the frame that replaced it, if that is
 * still dirty: then the drain waits for that one. */
static void frame_fail(struct cache_frame *frame, uint64_t now_us)
{
    struct cache_vd *vd = frame->vd;
    struct cache_frame *heir = NULL;

    if (frame->line != NULL) {
        frame->state = FRAME_DIRTY;
        row_dirty_add(vd, frame->block, now_us);
        return;
    }
    heir = block_find(vd, frame->block);
    if (heir != NULL && frame_is_published(heir) && vd->drain_left > 0 &&
        frame->epoch <= vd->drain_epoch && heir->epoch > vd->drain_epoch) {
        heir->epoch = frame->epoch;
        vd->drain_left++; /* dirty_remove() takes the ghost's share away */
    }
    dirty_remove(frame);
    frame_to_free(frame->vd->cache, frame);
}

void frame_release(struct cache_frame *frame)
{
    struct journal *journal = frame->vd->cache->journal;

    journal_release(journal, frame_index(frame->vd->cache, frame));
    frame->vd->ended = journal_ticket(journal);
}

static void frame_settle(struct cache_frame *frame)
{
    struct cache_vd *vd = frame->vd;

    dirty_remove(frame);
    if (frame->line == NULL) {
        frame_to_free(frame->vd->cache, frame);
        return;
    }
    frame_release(frame);
    if (journal_is_busy(vd->cache->journal, frame_index(vd->cache, frame))) {
        frame_unplace(frame); /* the drives were faster than the log, and its content must stay */
        frame_to_free(vd->cache, frame);
        return;
    }
    frame_to_clean(frame);
}

/* The planted bug: what could not be written is given up. */
static void frame_drop(struct cache_frame *frame)
{
    if (frame->line != NULL) {
        frame_unplace(frame);
        frame_release(frame);
    }
    dirty_remove(frame);
    frame_to_free(frame->vd->cache, frame);
}

void cache_batch_done(struct cache_batch *batch, bool written, uint64_t now_us)
{
    struct cache_vd *vd = batch->vd;
    struct cache *cache = vd->cache;

    ASSERT(list_is_linked(&batch->link) && vd->busy >= batch->count);
    if (written) {
        rate_note(cache, batch->bytes, now_us);
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        struct cache_frame *frame = batch_frame(batch, i);

        ASSERT(frame->state == FRAME_BUSY && frame->vd == vd);
        vd->busy--;
        if (!written && CACHE_BUG(DISCARD_ON_ERROR)) {
            frame_drop(frame);
        } else if (!written) {
            frame_fail(frame, now_us);
        } else if (CACHE_BUG(FREE_UNFLUSHED)) {
            frame_settle(frame);
        } else {
            frame->state = FRAME_WRITTEN;
            vd->written++;
            list_push_tail(&vd->frames_written, &frame->link);
        }
    }
    list_remove(&batch->link);
}

/* Flushes */

uint32_t cache_written(const struct cache_vd *vd)
{
    return vd->written;
}

uint32_t cache_busy(const struct cache_vd *vd)
{
    return vd->busy;
}

void cache_flush_begin(struct cache_vd *vd)
{
    struct list *node = NULL;

    ASSERT(!vd->flushing && list_is_empty(&vd->frames_flushing));
    vd->flushing = true;
    while ((node = list_pop_head(&vd->frames_written)) != NULL) {
        list_push_tail(&vd->frames_flushing, node);
    }
}

void cache_flush_end(struct cache_vd *vd, bool flushed)
{
    struct list *node = NULL;

    ASSERT(vd->flushing);
    vd->flushing = false;
    while (CACHE_BUG(FLUSH_LATER) && (node = list_pop_head(&vd->frames_written)) != NULL) {
        list_push_tail(&vd->frames_flushing, node);
    }
    while ((node = list_pop_head(&vd->frames_flushing)) != NULL) {
        struct cache_frame *frame = list_entry(node, struct cache_frame, link);

        ASSERT(frame->state == FRAME_WRITTEN && vd->written > 0);
        vd->written--;
        if (flushed) {
            frame_settle(frame);
        } else {
            frame_fail(frame, 0); /* old: again as soon as it can be */
        }
    }
}
