/*
 * Writes, zeroings and flushes of a virtual drive behind the cache (cached.h).
 *
 *   HELD -> answered                  back: its blocks are in the journal
 *   HELD -> RUNNING -> answered       back, and the journal has a log: when they are in that
 *   HELD -> RUNNING -> answered       through, when nothing dirty is left in its range
 *   HELD -> RUNNING -> answered       flushes: drain_wait -> drain_now -> flush_ready
 *
 * (1) `held` is in order of admission. A write that overlaps an earlier one in it, or one on its
 *     way through, in blocks, waits: older dirty sectors of a block are never put over newer
 *     ones on the drives.
 * (2) What goes through waits as well for what is in the journal, but not for good yet: if the log
 *     fails, that goes to the drives again.
 * (3) One drain at a time: who comes while one runs waits for the next, because what it covers
 *     was settled when it began.
 */
#include <string.h>

#include "vd/cached_private.h"

/* Which way? */

static bool is_full_for_good(const struct vd_cached *cached)
{
    struct cache_facts facts;

    cache_facts(cached->mover->cache, &facts);
    return facts.dirty_bytes <= facts.pinned_bytes || facts.dirty_limit_bytes == 0;
}

/* One that has begun goes on as it began, if there is still something to be had: going through
 * after all does no harm, since that drains the part that is there. */
static bool goes_back(const struct vd_cached *cached, struct vd_request *request)
{
    bool wanted =
        cached->effective != WRITE_POLICY_WRITE_THROUGH || cached_state(request)->cursor > 0;

    if (request->op != VD_OP_WRITE || !wanted || cache_vd_is_pinned(cached->blocks) ||
        journal_is_lost(cache_journal(cached->mover->cache)) ||
        (request->fua && !cached_is_stable(cached))) {
        return false;
    }
    /* Waiting for room makes sense only if there is something that can be moved. */
    return cache_may_write(cached->blocks, 1) || !is_full_for_good(cached);
}

static bool overlaps(const struct vd_request *request, uint64_t begin, uint64_t end)
{
    return block_begin(request) < end && begin < block_end(request);
}

/* (1) */
static bool is_behind(const struct vd_cached *cached, const struct vd_request *request)
{
    LIST_FOR_EACH (node, &cached->passing) {
        const struct cache_transfer *transfer = list_entry(node, struct cache_transfer, link);

        if (overlaps(request, transfer->begin, transfer->end)) {
            return true;
        }
    }
    for (const struct list *held = cached->held.next;; held = held->next) {
        const struct vd_request *earlier = container_of(held, const struct vd_request, vd_link);

        ASSERT(held != &cached->held);
        if (earlier == request) {
            return false;
        }
        if (overlaps(request, block_begin(earlier), block_end(earlier))) {
            return true;
        }
    }
}

static void list_move_all(struct list *to, struct list *from)
{
    struct list *node = NULL;

    while ((node = list_pop_head(from)) != NULL) {
        list_push_tail(to, node);
    }
}

static void held_answer(struct vd_request *request, enum vd_status status)
{
    list_remove(&request->vd_link);
    cached_answer(request, status);
}

/* Back */

/* True: all of it is in frames, and published. */
static bool blocks_write(struct vd_cached *cached, struct vd_request *request)
{
    struct cached_state *state = cached_state(request);
    uint64_t now_us = clock_now_us(cached->mover->clock);

    while (state->cursor < request->length_bytes) {
        uint64_t at = request->offset_bytes + state->cursor;
        uint32_t lo = (uint32_t)(at % CACHE_BLOCK_BYTES);
        uint32_t part =
            (uint32_t)min_u64(CACHE_BLOCK_BYTES - lo, request->length_bytes - state->cursor);

        if (!cache_may_write(cached->blocks, 1) ||
            !cache_write(cached->blocks, at / CACHE_BLOCK_BYTES, lo, lo + part,
                         request->buffer + state->cursor, now_us)) {
            return false;
        }
        state->cursor += part;
    }
    cached->last_back_us = now_us;
    return true;
}

static void write_back(struct vd_cached *cached, struct vd_request *request)
{
    const struct journal *journal = cache_journal(cached->mover->cache);

    if (!cached_mark(cached)) {
        return;
    }
    cached_reads_spoil(cached, block_begin(request), block_end(request));
    if (!blocks_write(cached, request)) {
        return;
    }
    cached_state(request)->ticket = journal_ticket(journal);
    if (journal_is_durable(journal, cached_state(request)->ticket)) {
        held_answer(request, VD_STATUS_OK);
        return;
    }
    list_remove(&request->vd_link);
    cached_state(request)->phase = CACHED_RUNNING;
    list_push_tail(&cached->committing, &request->vd_link);
}

/* The log is lost, but as long as the members name the journal it may come back, with something
 * older than what was to go there: who has seen that is told when it is on the drives for good. */
static bool lost_meets(const struct vd_cached *cached, const struct vd_request *read)
{
    LIST_FOR_EACH (node, &cached->held) {
        const struct vd_request *write = list_entry(node, struct vd_request, vd_link);

        if (overlaps(read, block_begin(write), block_end(write))) {
            return cached->voided != VOID_DURABLE;
        }
    }
    return false;
}

/* Only reads are left there once the log is lost. */
static void lost_reads_check(struct vd_cached *cached)
{
    LIST_FOR_EACH_SAFE (node, following, &cached->committing) {
        struct vd_request *read = list_entry(node, struct vd_request, vd_link);

        ASSERT(read->op == VD_OP_READ);
        if (!lost_meets(cached, read)) {
            list_remove(node);
            cached_answer(read, (enum vd_status)cached_state(read)->status);
        }
    }
}

static bool commit_meets(const struct vd_cached *cached, const struct vd_request *read)
{
    LIST_FOR_EACH (node, &cached->committing) {
        const struct vd_request *write = list_entry(node, struct vd_request, vd_link);

        if (write->op == VD_OP_WRITE && overlaps(read, block_begin(write), block_end(write))) {
            return true;
        }
    }
    LIST_FOR_EACH (node, &cached->held) { /* one that has begun, and waits for room */
        struct vd_request *write = list_entry(node, struct vd_request, vd_link);

        if (cached_state(write)->cursor > 0 &&
            overlaps(read, block_begin(write), block_end(write))) {
            return true;
        }
    }
    return false;
}

bool cached_commit(struct vd_cached *cached, struct vd_request *read)
{
    const struct journal *journal = cache_journal(cached->mover->cache);
    bool met = false;

    if (journal_is_durable(journal, journal_ticket(journal))) {
        return false;
    }
    met = journal_is_lost(journal) ? lost_meets(cached, read) : commit_meets(cached, read);
    if (met) {
        cached_state(read)->ticket = journal_ticket(journal);
        cached_state(read)->phase = CACHED_RUNNING;
        list_push_tail(&cached->committing, &read->vd_link);
    }
    return met;
}

/* Without the log they go through to the drives after all, before everybody who came later. */
static void commits_lost(struct vd_cached *cached)
{
    struct list reads;

    cache_vd_hurry(cached->blocks, true);
    list_init(&reads);
    while (!list_is_empty(&cached->committing)) {
        struct list *node = cached->committing.prev;
        struct vd_request *request = list_entry(node, struct vd_request, vd_link);
        struct cached_state *state = cached_state(request);

        list_remove(node);
        if (request->op == VD_OP_READ) {
            list_push_head(&reads, node);
            continue;
        }
        state->phase = CACHED_HELD;
        state->cursor = 0;
        state->ticket = 0;
        list_push_head(&cached->held, node);
    }
    list_move_all(&cached->committing, &reads);
    lost_reads_check(cached);
}

void cached_commits_check(struct vd_cached *cached)
{
    const struct journal *journal = cache_journal(cached->mover->cache);
    struct list *node = NULL;

    while ((node = list_first(&cached->committing)) != NULL) {
        struct vd_request *request = list_entry(node, struct vd_request, vd_link);

        if (!journal_is_durable(journal, cached_state(request)->ticket)) {
            break; /* those behind it wait for more */
        }
        list_remove(node);
        cached_answer(request, (enum vd_status)cached_state(request)->status);
    }
    if (journal_is_lost(journal)) {
        commits_lost(cached);
    }
}

/* Through */

static void through_done(struct vd_request *request, enum vd_status status)
{
    struct cache_transfer *transfer = request->owner;
    struct vd_cached *cached = transfer->cached;
    struct vd_request *parent = transfer->parent;

    mover_enter(cached->mover);
    cached->unflushed = cached->unflushed || !parent->fua;
    if (parent->op == VD_OP_WRITE) {
        parent->buffer = request->buffer; /* NULL: a drive that was late still has what was lent */
    }
    if (status == VD_STATUS_OK && parent->op == VD_OP_WRITE && transfer->keep &&
        parent->buffer != NULL) {
        cached_fill(cached, parent->offset_bytes, parent->length_bytes, parent->buffer);
    }
    cached_state(parent)->open--;
    transfer_give(transfer);
    cached_answer(parent, status);
    mover_leave(cached->mover); /* others may go on now */
}

/* Its range is its own from now on: it is in `passing` until it ends. */
static void through_submit(struct vd_cached *cached, struct cache_transfer *transfer,
                           struct vd_request *request)
{
    uint64_t begin = block_begin(request);
    uint64_t end = block_end(request);

    cached_reads_spoil(cached, begin, end);
    cache_drop_clean(cached->blocks, begin, end - begin);
    list_remove(&request->vd_link);
    cached_state(request)->phase = CACHED_RUNNING;
    cached_state(request)->open++;
    transfer->begin = begin;
    transfer->end = end;
    transfer->keep = vd_config_of(cached->vd)->io_policy == IO_POLICY_CACHED;
    transfer->request.op = request->op;
    transfer->request.fua = request->fua;
    transfer->request.offset_bytes = request->offset_bytes;
    transfer->request.length_bytes = request->length_bytes;
    transfer->request.buffer = request->buffer;
    transfer->request.lends = request->lends;
    transfer->request.lender = request->lender;
    transfer->request.complete = through_done;
    list_push_tail(&cached->passing, &transfer->link);
    vd_submit(cached->vd, &transfer->request);
}

/* May it go past the journal, now that its range has nothing dirty? Only if older blocks of it
 * cannot come back with the log. Nothing new is cached there while it waits in `held`. */
static bool may_pass(struct vd_cached *cached, struct vd_request *request)
{
    const struct journal *journal = cache_journal(cached->mover->cache);
    struct cached_state *state = cached_state(request);

    if (journal_is_lost(journal)) {
        if (cache_vd_is_pinned(cached->blocks)) {
            held_answer(request, VD_STATUS_IO);
            return false;
        }
        return CACHE_BUG(LOG_NOT_VOID) || cached_void(cached);
    }
    if (state->ticket == 0 && cache_vd_has_settled(cached->blocks)) {
        return true;
    }
    if (state->ticket == 0) {
        state->ticket = journal_ticket(journal);
    }
    return journal_is_durable(journal, state->ticket) || CACHE_BUG(LOG_RELEASE_LATE);
}

/* (2) */
static bool is_behind_commit(const struct vd_cached *cached, const struct vd_request *request)
{
    LIST_FOR_EACH (node, &cached->committing) {
        const struct vd_request *earlier = list_entry(node, const struct vd_request, vd_link);

        if (earlier->op == VD_OP_WRITE &&
            overlaps(request, block_begin(earlier), block_end(earlier))) {
            return !CACHE_BUG(PASS_COMMIT);
        }
    }
    return false;
}

static void write_through(struct vd_cached *cached, struct vd_request *request)
{
    uint64_t begin = block_begin(request);
    struct cache_transfer *transfer = NULL;

    if (is_behind_commit(cached, request)) {
        return; /* the journal tells when that is over */
    }
    if (cache_range_dirty(cached->blocks, begin, block_end(request) - begin) > 0 &&
        !CACHE_BUG(PASS_UNDRAINED)) {
        if (cache_vd_is_pinned(cached->blocks)) {
            held_answer(request, VD_STATUS_IO); /* what is pinned would come back over it */
        } else {
            cached->drain_wanted = true; /* and it keeps its place in `held` */
        }
        return;
    }
    if (!may_pass(cached, request)) {
        return;
    }
    transfer = transfer_take(cached, request);
    if (transfer != NULL) {
        through_submit(cached, transfer, request);
    }
}

/* Flushes */

static void flush_done(struct vd_request *request, enum vd_status status)
{
    struct cache_transfer *transfer = request->owner;
    struct vd_cached *cached = transfer->cached;
    struct vd_request *parent = transfer->parent;

    mover_enter(cached->mover);
    cached_state(parent)->open--;
    cached->unflushed = cached->unflushed || (status != VD_STATUS_OK && transfer->keep);
    transfer_give(transfer);
    cached_answer(parent, status);
    mover_leave(cached->mover); /* others may go on now */
}

static void flushes_submit(struct vd_cached *cached)
{
    LIST_FOR_EACH_SAFE (node, following, &cached->flush_ready) {
        struct vd_request *request = list_entry(node, struct vd_request, vd_link);
        struct cache_transfer *transfer = transfer_take(cached, request);

        if (transfer == NULL) {
            return;
        }
        list_remove(node);
        transfer->keep = cached->unflushed; /* is so again if it fails */
        cached->beside = cached->beside && cached->vd->requests_open > 0;
        cached->unflushed = cached->beside; /* what is answered later needs another one */
        cached_state(request)->phase = CACHED_RUNNING;
        cached_state(request)->open++;
        transfer->request.op = VD_OP_FLUSH;
        transfer->request.complete = flush_done;
        list_push_tail(&cached->flushing, &transfer->link);
        vd_submit(cached->vd, &transfer->request);
    }
}

/* What is on its way through has not been answered: a flush need not cover it. */
static void flush_submit(struct vd_cached *cached, struct vd_request *request)
{
    bool stable = cached_is_stable(cached);
    bool dirty = cache_vd_dirty_bytes(cached->blocks) > 0 && !stable && !CACHE_BUG(FLUSH_SHORT);

    if (stable && !cached->unflushed && list_is_empty(&cached->flushing)) {
        cached_answer(request, VD_STATUS_OK);
    } else if (!dirty) {
        list_push_tail(&cached->flush_ready, &request->vd_link);
    } else if (cache_vd_is_pinned(cached->blocks)) {
        cached_answer(request, VD_STATUS_IO);
    } else {
        list_push_tail(&cached->drain_wait, &request->vd_link);
    }
}

/* Drains */

static void flushes_fail(struct list *flushes)
{
    struct list *node = NULL;

    while ((node = list_pop_head(flushes)) != NULL) {
        cached_answer(list_entry(node, struct vd_request, vd_link), VD_STATUS_IO);
    }
}

void cached_drain_fail(struct vd_cached *cached)
{
    cache_drain_cancel(cached->blocks);
    cached->draining = false;
    cached->drain_wanted = false;
    flushes_fail(&cached->drain_now);
    flushes_fail(&cached->drain_wait);
}

static void drains_check(struct vd_cached *cached)
{
    if (cached->draining && cache_drain_is_over(cached->blocks)) {
        cached->draining = false;
        list_move_all(&cached->flush_ready, &cached->drain_now);
    }
    if (!cached->draining && (cached->drain_wanted || !list_is_empty(&cached->drain_wait))) {
        cached->drain_wanted = false;
        cached->draining = true;
        list_move_all(&cached->drain_now, &cached->drain_wait);
        cache_drain_begin(cached->blocks);
    }
}

void vd_cached_drain(struct vd_cached *cached, struct vd_request *request)
{
    struct cached_state *state = cached_state(request);

    ASSERT(request->op == VD_OP_FLUSH && request->submitted_us == 0 && !cached->closing);
    if (cached->blocks == NULL) {
        vd_submit(cached->vd, request);
        return;
    }
    memset(request->vd_private, 0, sizeof(request->vd_private));
    list_init(&request->vd_link);
    state->cached = cached;
    state->phase = CACHED_HELD;
    mover_enter(cached->mover);
    if (cache_vd_dirty_bytes(cached->blocks) == 0) {
        list_push_tail(&cached->flush_ready, &request->vd_link);
    } else if (cache_vd_is_pinned(cached->blocks)) {
        cached_answer(request, VD_STATUS_IO);
    } else {
        list_push_tail(&cached->drain_wait, &request->vd_link);
    }
    drains_check(cached);
    flushes_submit(cached);
    mover_leave(cached->mover);
}

/* Everything that may have become possible */

void cached_writes_pump(struct vd_cached *cached)
{
    drains_check(cached);
    LIST_FOR_EACH_SAFE (node, following, &cached->held) {
        struct vd_request *request = list_entry(node, struct vd_request, vd_link);

        if (is_behind(cached, request)) {
            continue;
        }
        if (goes_back(cached, request)) {
            write_back(cached, request);
        } else {
            write_through(cached, request);
        }
    }
    if (journal_is_lost(cache_journal(cached->mover->cache))) {
        lost_reads_check(cached);
    }
    drains_check(cached);
    flushes_submit(cached);
}

void cached_write_submit(struct vd_cached *cached, struct vd_request *request)
{
    cached_state(request)->phase = CACHED_HELD;
    if (request->op == VD_OP_FLUSH) {
        flush_submit(cached, request);
        drains_check(cached);
        flushes_submit(cached);
        return;
    }
    list_push_tail(&cached->held, &request->vd_link);
    if (is_behind(cached, request)) {
        return;
    }
    if (goes_back(cached, request)) {
        write_back(cached, request);
    } else {
        write_through(cached, request);
        drains_check(cached);
    }
}
