/*
 * Reads of a virtual drive behind the cache: what is there is copied at once, what read-ahead is
 * just bringing is waited for, what is missing otherwise is read from the drives straight into the
 * request's buffer, in runs. Then read-ahead (cached_ahead.c).
 *
 * A missing run is asked of the drives in the same moment in which it is found missing: blocks
 * leave the cache only when the drives have them, so the answer is never older than what the
 * reader could have seen. Nor is what has been asked for by read-ahead before, if nobody has
 * written it since: then it is not spoiled.
 */
#include <string.h>

#include "vd/cached_private.h"

/* Filling */

void cached_fill(struct vd_cached *cached, uint64_t offset_bytes, uint32_t length_bytes,
                 const uint8_t *bytes)
{
    while (length_bytes > 0) {
        uint32_t lo = (uint32_t)(offset_bytes % CACHE_BLOCK_BYTES);
        uint32_t part = min_u32(CACHE_BLOCK_BYTES - lo, length_bytes);

        cache_fill(cached->blocks, offset_bytes / CACHE_BLOCK_BYTES, lo, lo + part, bytes);
        offset_bytes += part;
        length_bytes -= part;
        bytes += part;
    }
}

void cached_reads_spoil(struct vd_cached *cached, uint64_t begin, uint64_t end)
{
    LIST_FOR_EACH (node, &cached->reading) {
        struct cache_transfer *transfer = list_entry(node, struct cache_transfer, link);

        if (transfer->begin < end && begin < transfer->end && !CACHE_BUG(STALE_FILL)) {
            transfer->keep = false;
        }
    }
}

static void read_end_check(struct vd_request *request)
{
    struct cached_state *state = cached_state(request);

    ASSERT(state->cursor == request->length_bytes);
    /* What it has seen of a write that the journal's log does not have yet might be gone after the
     * agent's death: then nobody may have seen it. */
    if (state->open == 0 && !cached_commit(state->cached, request)) {
        cached_answer(request, (enum vd_status)state->status);
    }
}

static void transfer_end(struct cache_transfer *transfer, enum vd_status status)
{
    struct vd_request *parent = transfer->parent;

    transfer_give(transfer);
    if (parent != NULL) {
        struct cached_state *state = cached_state(parent);

        ASSERT(state->open > 0);
        state->open--;
        if (status != VD_STATUS_OK) {
            state->status = (uint8_t)status;
        }
        if (state->phase == CACHED_RUNNING) {
            read_end_check(parent);
        }
    }
}

static void transfer_send(struct cache_transfer *transfer)
{
    list_push_tail(&transfer->cached->reading, &transfer->link);
    vd_submit(transfer->cached->vd, &transfer->request);
}

/* Those who have waited for it have it too; without it they ask for themselves, and what was
 * written meanwhile spoils theirs as well. */
static void joined_end(struct cache_transfer *ahead, enum vd_status status)
{
    struct list *node = NULL;

    while ((node = list_pop_head(&ahead->joined)) != NULL) {
        struct cache_transfer *transfer = list_entry(node, struct cache_transfer, link);
        const struct vd_request *request = &transfer->request;

        if (status == VD_STATUS_OK) {
            memcpy(request->buffer,
                   ahead->ahead + (request->offset_bytes - ahead->request.offset_bytes),
                   request->length_bytes);
            transfer_end(transfer, VD_STATUS_OK);
        } else {
            transfer->keep = transfer->keep && ahead->keep;
            transfer_send(transfer);
        }
    }
}

static void transfer_read_done(struct vd_request *request, enum vd_status status)
{
    struct cache_transfer *transfer = request->owner;
    struct vd_cached *cached = transfer->cached;
    const uint8_t *bytes = request->buffer;

    mover_enter(cached->mover);
    if (request->lends) {
        bytes = CACHE_BUG(FILL_LENT) ? transfer->parent->buffer : bytes;
        transfer->parent->buffer = request->buffer; /* a drive that is late may have kept it */
    }
    if (status == VD_STATUS_OK && transfer->keep) {
        cached_fill(cached, request->offset_bytes, request->length_bytes, bytes);
    }
    joined_end(transfer, status);
    transfer_end(transfer, status);
    cached_readers_pump(cached);
    mover_leave(cached->mover);
}

static void transfer_fill(struct cache_transfer *transfer, uint64_t offset_bytes,
                          uint32_t length_bytes, uint8_t *buffer, bool keep)
{
    transfer->begin = offset_bytes / CACHE_BLOCK_BYTES;
    transfer->end = div_ceil_u64(offset_bytes + length_bytes, CACHE_BLOCK_BYTES);
    transfer->keep = keep;
    transfer->request.op = VD_OP_READ;
    transfer->request.offset_bytes = offset_bytes;
    transfer->request.length_bytes = length_bytes;
    transfer->request.buffer = buffer;
    transfer->request.complete = transfer_read_done;
}

void transfer_read_ahead(struct cache_transfer *transfer, uint64_t offset_bytes,
                         uint32_t length_bytes)
{
    transfer_fill(transfer, offset_bytes, length_bytes, transfer->ahead, true);
    transfer_send(transfer);
}

/* All of a request: the drives may have its memory, if it lends that. */
static void transfer_lend(struct cache_transfer *transfer)
{
    const struct vd_request *parent = transfer->parent;

    if (transfer->request.length_bytes == parent->length_bytes) {
        transfer->request.lends = parent->lends;
        transfer->request.lender = parent->lender;
    }
}

/* Runs */

/* Is the sector at this byte here? *ret_end: how far that holds, within the block and limit. */
static bool run_in_block(const struct vd_cached *cached, uint64_t at, uint64_t limit,
                         uint64_t *ret_end)
{
    uint64_t block = at / CACHE_BLOCK_BYTES;
    uint8_t valid = cache_valid(cached->blocks, block);
    uint32_t sector = (uint32_t)(at % CACHE_BLOCK_BYTES) / CACHE_SECTOR_BYTES;
    bool here = (valid & (1u << sector)) != 0;

    while (sector < CACHE_BLOCK_SECTORS && ((valid & (1u << sector)) != 0) == here) {
        sector++;
    }
    *ret_end = min_u64(limit, block * CACHE_BLOCK_BYTES + (uint64_t)sector * CACHE_SECTOR_BYTES);
    return here;
}

uint64_t cached_missing_end(const struct vd_cached *cached, uint64_t at, uint64_t limit)
{
    uint64_t end = at;

    while (at < limit && !run_in_block(cached, at, limit, &end)) {
        at = end;
    }
    return at;
}

/* What read-ahead is bringing of the range that begins here, if it has the first byte of it; how
 * far that, or else what it does not bring, goes on. */
static struct cache_transfer *ahead_under_way(const struct vd_cached *cached, uint64_t at,
                                              uint64_t *end)
{
    struct cache_transfer *found = NULL;

    if (cached->mover->ahead_count == cached->mover->ahead_total) {
        return NULL;
    }
    LIST_FOR_EACH (node, &cached->reading) {
        struct cache_transfer *transfer = list_entry(node, struct cache_transfer, link);
        uint64_t begin = transfer->request.offset_bytes;
        uint64_t until = begin + transfer->request.length_bytes;

        if (transfer->ahead == NULL || (!transfer->keep && !CACHE_BUG(JOIN_SPOILED)) ||
            until <= at || begin >= *end) {
            continue;
        }
        if (begin <= at) {
            found = transfer;
            *end = min_u64(*end, until);
        } else {
            *end = begin;
        }
    }
    return found;
}

/* True: all of it is copied or asked for. False: no transfer is free. */
static bool read_go_on(struct vd_cached *cached, struct vd_request *request)
{
    struct cached_state *state = cached_state(request);
    uint64_t limit = request->offset_bytes + request->length_bytes;
    bool keep = vd_config_of(cached->vd)->io_policy == IO_POLICY_CACHED;

    while (state->cursor < request->length_bytes) {
        uint64_t at = request->offset_bytes + state->cursor;
        uint64_t end = 0;

        if (run_in_block(cached, at, limit, &end)) {
            uint32_t lo = (uint32_t)(at % CACHE_BLOCK_BYTES);

            cache_read(cached->blocks, at / CACHE_BLOCK_BYTES, lo, lo + (uint32_t)(end - at),
                       request->buffer + state->cursor);
            state->cursor += end - at;
        } else {
            struct cache_transfer *transfer = transfer_take(cached, request);
            struct cache_transfer *ahead = NULL;

            if (transfer == NULL) {
                return false;
            }
            end = cached_missing_end(cached, at, limit);
            ahead = ahead_under_way(cached, at, &end);
            cache_miss(cached->blocks, div_ceil_u64(end - at, CACHE_BLOCK_BYTES));
            state->open++;
            transfer_fill(transfer, at, (uint32_t)(end - at), request->buffer + state->cursor,
                          keep);
            transfer_lend(transfer);
            if (ahead != NULL) {
                list_push_tail(&ahead->joined, &transfer->link);
            } else {
                transfer_send(transfer);
            }
            state->cursor += end - at;
        }
    }
    return true;
}

/* Reads */

static void read_begin(struct vd_cached *cached, struct vd_request *request)
{
    if (!read_go_on(cached, request)) {
        list_push_tail(&cached->readers, &request->vd_link);
        return;
    }
    cached_state(request)->phase = CACHED_RUNNING;
    read_end_check(request);
}

void cached_read_submit(struct vd_cached *cached, struct vd_request *request)
{
    cached_state(request)->phase = CACHED_HELD;
    read_begin(cached, request);
    cached_ahead_note(cached, request);
}

void cached_readers_pump(struct vd_cached *cached)
{
    struct list *node = NULL;

    while ((node = list_first(&cached->readers)) != NULL &&
           pool_free_count(&cached->mover->transfers) > 0) {
        struct vd_request *request = list_entry(node, struct vd_request, vd_link);

        list_remove(node);
        read_begin(cached, request);
    }
}
