/*
 * The mover: takes batches of dirty blocks to the drives, flushes the drives behind them, and
 * lets everything else go on that this makes possible.
 *
 * A batch goes out run by run. Frames are let go only when a flush that began after their write
 * has ended well (cache/journal.h (3)); one flush covers all that was written before it.
 */
#include "vd/cached_private.h"

/* So many written frames are not left without a flush, whatever is still under way. */
#define FLUSH_SHARE 4u
/* Rows on the way to the drives: so many for each of them, so that more drives take more; and as
 * many as writes wait, up to what there is place for. */
#define BATCHES_PER_MEMBER 4u
#define BATCHES_LEAST 16u
/* What could not be done when it was due is not looked at again at once. */
#define DUE_PAUSE_US UINT64_C(100000)

static struct vd_cached *cached_of(struct cache_mover *mover, const struct cache_vd *blocks)
{
    struct list *node = mover->vds.next;

    while (list_entry(node, struct vd_cached, link)->blocks != blocks) {
        node = node->next;
        ASSERT(node != &mover->vds);
    }
    return list_entry(node, struct vd_cached, link);
}

/* Batches */

static void batch_go_on(struct mover_batch *batch);

static void batch_end(struct mover_batch *batch, bool written)
{
    struct cache_mover *mover = batch->mover;

    cache_batch_done(&batch->batch, written, clock_now_us(mover->clock));
    batch->open = false;
    mover->batches_open--;
    if (!written) {
        cached_fail(batch->cached);
    }
    cached_writes_pump(batch->cached);
}

static void batch_written(struct vd_request *request, enum vd_status status)
{
    struct mover_batch *batch = request->owner;

    mover_enter(batch->mover);
    batch->cursor = request->offset_bytes + request->length_bytes;
    if (status != VD_STATUS_OK) {
        batch_end(batch, false);
    } else {
        batch_go_on(batch);
    }
    mover_leave(batch->mover);
}

static void batch_gather(const struct vd_request *request, uint64_t offset_bytes, void *to,
                         uint32_t length_bytes)
{
    const struct mover_batch *batch = request->owner;

    cache_batch_gather(&batch->batch, offset_bytes, to, length_bytes);
}

/* Frames stay published until the drives are flushed, so an intent would only keep the same bytes
 * twice. What the journal's log does not have yet would not come again after a crash. A row that
 * does not fit a batch might come in other pieces, but has its intents all the same: it is at least
 * a strip longer than any batch, so no write has a block of its first strip and the same one of its
 * last, and part of a row is logged (intent.c (4)). */
static bool batch_is_kept(const struct mover_batch *batch)
{
    const struct journal *journal = cache_journal(batch->mover->cache);

    STATIC_ASSERT(CACHE_BATCH_MAX * CACHE_BLOCK_BYTES % RAID_STRIP_MAX_BYTES == 0,
                  "a batch is as long as so many strips, of any size");
    return journal_is_durable(journal, batch->batch.ticket) || CACHE_BUG(KEPT_EARLY);
}

static void batch_go_on(struct mover_batch *batch)
{
    struct vd_request *request = &batch->request;
    uint32_t length = 0;

    if (!cache_batch_run(&batch->batch, &batch->cursor, &length)) {
        batch_end(batch, true);
        return;
    }
    *request = (struct vd_request){.op = VD_OP_WRITE,
                                   .offset_bytes = batch->cursor,
                                   .length_bytes = length,
                                   .gather = batch_gather,
                                   .kept = batch_is_kept(batch),
                                   .acknowledged = true,
                                   .complete = batch_written,
                                   .owner = batch};
    vd_submit(batch->cached->vd, request);
}

static struct mover_batch *batch_free(struct cache_mover *mover)
{
    struct mover_batch *batch = mover->batches;

    ASSERT(mover->batches_open < mover->options.batches);
    while (batch->open) {
        batch++;
    }
    return batch;
}

static uint32_t batches_most(const struct cache_mover *mover)
{
    uint32_t members = 0;

    LIST_FOR_EACH (node, &mover->vds) {
        members += list_entry(node, struct vd_cached, link)->vd->group->config.member_count;
    }
    return min_u32(mover->options.batches, max_u32(BATCHES_LEAST, members * BATCHES_PER_MEMBER));
}

/* Writes that wait for something of the cache, up to so many. */
static uint32_t writers_waiting(const struct cache_mover *mover, uint32_t limit)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, &mover->vds) {
        const struct vd_cached *cached = list_entry(node, struct vd_cached, link);

        for (const struct list *held = cached->held.next; held != &cached->held;
             held = held->next) {
            if (count++ == limit) {
                return limit;
            }
        }
    }
    return count;
}

static uint32_t batches_wanted(const struct cache_mover *mover)
{
    uint32_t most = batches_most(mover);

    switch (cache_pressure(mover->cache)) {
    case CACHE_PRESSURE_NONE:
        return max_u32(1, most / 4);
    case CACHE_PRESSURE_START:
        return max_u32(1, most / 2);
    case CACHE_PRESSURE_URGENT:
    case CACHE_PRESSURE_FULL:
        return max_u32(most, writers_waiting(mover, mover->options.batches));
    }
    UNREACHABLE();
}

static void batches_begin(struct cache_mover *mover)
{
    uint32_t wanted = batches_wanted(mover);

    while (mover->batches_open < wanted) {
        struct mover_batch *batch = batch_free(mover);

        if (!cache_batch_take(mover->cache, clock_now_us(mover->clock), &batch->batch)) {
            return;
        }
        batch->open = true;
        batch->mover = mover;
        batch->cached = cached_of(mover, batch->batch.vd);
        batch->cursor = 0;
        mover->batches_open++;
        batch_go_on(batch);
    }
}

/* Flushes of the drives behind batches */

static void drive_flush_done(struct vd_request *request, enum vd_status status)
{
    struct vd_cached *cached = request->owner;

    mover_enter(cached->mover);
    cached->drive_flush_open = false;
    cache_flush_end(cached->blocks, status == VD_STATUS_OK);
    cached->mover->freed = true;
    if (status != VD_STATUS_OK) {
        cached_fail(cached);
    }
    mover_leave(cached->mover);
}

static void drive_flush_check(struct vd_cached *cached)
{
    uint32_t written = cache_written(cached->blocks);
    uint32_t frames = journal_frame_count(cache_journal(cached->mover->cache));

    if (cached->drive_flush_open || written == 0 ||
        (cache_busy(cached->blocks) > 0 && written < frames / FLUSH_SHARE)) {
        return;
    }
    cached->drive_flush_open = true;
    cache_flush_begin(cached->blocks);
    cached->drive_flush = (struct vd_request){
        .op = VD_OP_FLUSH, .acknowledged = true, .complete = drive_flush_done, .owner = cached};
    vd_submit(cached->vd, &cached->drive_flush);
}

/* The turn */

static void due_arm(struct cache_mover *mover)
{
    uint64_t now_us = clock_now_us(mover->clock);
    uint64_t due_us = cache_due_us(mover->cache);

    LIST_FOR_EACH (node, &mover->vds) {
        due_us = min_u64(due_us, cached_idle_us(list_entry(node, struct vd_cached, link)));
    }
    if (due_us == UINT64_MAX ||
        (mover->due_timer.armed && mover->due_timer.deadline_us <= due_us)) {
        return;
    }
    if (due_us <= now_us) {
        due_us = now_us + DUE_PAUSE_US;
        if (mover->due_timer.armed && mover->due_timer.deadline_us <= due_us) {
            return;
        }
    }
    clock_cancel(mover->clock, &mover->due_timer);
    clock_arm(mover->clock, &mover->due_timer, due_us);
}

static void writers_pump(struct cache_mover *mover)
{
    LIST_FOR_EACH (node, &mover->vds) {
        struct vd_cached *cached = list_entry(node, struct vd_cached, link);

        if (cached->blocks != NULL) {
            cached_writes_pump(cached);
        }
    }
}

/* What others have done to the medium while it was in use: the same is told as of damage that is
 * found at the start. The mark stays: the rest is still to be written. */
static bool damage_note(struct vd_cached *cached)
{
    uint32_t spoiled = cache_vd_spoiled(cached->blocks);
    bool is_new = spoiled != cached->damage_known;

    cached->damage_known = spoiled;
    if (is_new) {
        struct group *group = cached->vd->group;

        group_enter(group);
        vd_config_of(cached->vd)->cache_lost = true;
        vd_config_of(cached->vd)->cache_discarded_bytes = 0;
        vd_config_of(cached->vd)->cache_damaged = true;
        (void)save_changed(group); /* the journal still has what is damaged */
        vd_changed_tell(cached->vd);
        group_leave_later(group);
    }
    return is_new;
}

/* Whoever waits for what is dirty no more hears of it from the loop. */
static void damage_check(struct cache_mover *mover)
{
    bool is_new = false;

    LIST_FOR_EACH (node, &mover->vds) {
        struct vd_cached *cached = list_entry(node, struct vd_cached, link);

        is_new = (cached->blocks != NULL && damage_note(cached)) || is_new;
    }
    mover->freed = mover->freed || is_new;
    if (is_new && !mover->turn_timer.armed) {
        clock_arm(mover->clock, &mover->turn_timer, clock_now_us(mover->clock));
    }
}

void mover_pump(struct cache_mover *mover)
{
    if (mover->freed) { /* frames or transfers: whoever waits for them, of any virtual drive */
        mover->freed = false;
        writers_pump(mover);
    }
    batches_begin(mover);
    damage_check(mover);
    LIST_FOR_EACH_SAFE (node, following, &mover->vds) {
        struct vd_cached *cached = list_entry(node, struct vd_cached, link);

        if (cached->blocks != NULL) {
            drive_flush_check(cached);
            cached_readers_pump(cached);
        }
        cached_close_check(cached); /* it may be gone now */
    }
    due_arm(mover);
}
