/*
 * Reads of a virtual drive behind the cache: what is there is copied at once, what is missing is
 * read from the drives straight into the request's buffer, in runs. Then read-ahead.
 *
 * A missing run is asked of the drives in the same moment in which it is found missing: blocks
 * leave the cache only when the drives have them, so the answer is never older than what the
 * reader could have seen.
 *
 * Read-ahead: eight streams per virtual drive. A read that goes on where one has ended is a hit
 * and doubles its window, from one row to eight; two misses in a row give the oldest stream up.
 * `read_ahead` begins with the first read, `adaptive_read_ahead` with the second of a stream.
 */
#include "vd/cached_private.h"

#define WINDOW_ROWS_MAX 8u

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

static void transfer_read_done(struct vd_request *request, enum vd_status status)
{
    struct cache_transfer *transfer = request->owner;
    struct vd_cached *cached = transfer->cached;
    struct vd_request *parent = transfer->parent;

    mover_enter(cached->mover);
    if (status == VD_STATUS_OK && transfer->keep) {
        cached_fill(cached, request->offset_bytes, request->length_bytes, request->buffer);
    }
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
    cached_readers_pump(cached);
    mover_leave(cached->mover);
}

static void transfer_read(struct cache_transfer *transfer, uint64_t offset_bytes,
                          uint32_t length_bytes, uint8_t *buffer, bool keep)
{
    struct vd_cached *cached = transfer->cached;

    transfer->begin = offset_bytes / CACHE_BLOCK_BYTES;
    transfer->end = div_ceil_u64(offset_bytes + length_bytes, CACHE_BLOCK_BYTES);
    transfer->keep = keep;
    transfer->request.op = VD_OP_READ;
    transfer->request.offset_bytes = offset_bytes;
    transfer->request.length_bytes = length_bytes;
    transfer->request.buffer = buffer;
    transfer->request.complete = transfer_read_done;
    list_push_tail(&cached->reading, &transfer->link);
    vd_submit(cached->vd, &transfer->request);
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

/* How far what is missing at this byte goes on. */
static uint64_t missing_end(const struct vd_cached *cached, uint64_t at, uint64_t limit)
{
    uint64_t end = at;

    while (at < limit && !run_in_block(cached, at, limit, &end)) {
        at = end;
    }
    return at;
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

            if (transfer == NULL) {
                return false;
            }
            end = missing_end(cached, at, limit);
            cache_miss(cached->blocks, div_ceil_u64(end - at, CACHE_BLOCK_BYTES));
            state->open++;
            transfer_read(transfer, at, (uint32_t)(end - at), request->buffer + state->cursor,
                          keep);
            state->cursor += end - at;
        }
    }
    return true;
}

/* Read-ahead */

static struct read_stream *stream_find(struct vd_cached *cached, uint64_t offset_bytes)
{
    for (uint32_t i = 0; i < READ_STREAMS; i++) {
        struct read_stream *stream = &cached->streams[i];

        if (stream->used != 0 && stream->next_bytes == offset_bytes) {
            return stream;
        }
    }
    return NULL;
}

static struct read_stream *stream_begin(struct vd_cached *cached)
{
    struct read_stream *oldest = &cached->streams[0];

    for (uint32_t i = 0; i < READ_STREAMS; i++) {
        struct read_stream *stream = &cached->streams[i];

        if (stream->used < oldest->used) {
            oldest = stream;
        }
    }
    if (oldest->used != 0 && oldest->misses == 0) {
        oldest->misses++; /* one more chance: the next newcomer takes it */
        return NULL;
    }
    *oldest = (struct read_stream){.next_bytes = 0};
    return oldest;
}

/* A drive with a long queue is not to get work that nobody has asked for. */
static bool drives_have_time(const struct vd_cached *cached)
{
    const struct group *group = cached->vd->group;

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        const struct drive *drive = group->members[i].drive;

        if (drive != NULL && drive_queued(drive, IO_CLASS_FOREGROUND) > 32) {
            return false;
        }
    }
    return true;
}

static void ahead_submit(struct vd_cached *cached, struct read_stream *stream)
{
    struct cache_mover *mover = cached->mover;
    uint64_t row = geometry_row_bytes(&vd_config_of(cached->vd)->geometry);
    uint64_t size = vd_target(cached->vd)->size_bytes;
    uint64_t from = max_u64(stream->ahead_bytes, stream->next_bytes);
    uint64_t wanted = min_u64(size, stream->next_bytes + stream->window_rows * row);

    from = align_up_u64(from, CACHE_BLOCK_BYTES);
    while (from < wanted && mover->ahead_count > 0) {
        uint64_t end = min_u64(wanted, from + AHEAD_BUFFER_BYTES);
        struct cache_transfer *transfer = NULL;

        if (cache_valid(cached->blocks, from / CACHE_BLOCK_BYTES) != 0) {
            from += CACHE_BLOCK_BYTES;
            continue;
        }
        transfer = transfer_take(cached, NULL);
        if (transfer == NULL) {
            break;
        }
        transfer->ahead = mover->ahead_free[--mover->ahead_count];
        end = missing_end(cached, from, end);
        transfer_read(transfer, from, (uint32_t)(end - from), transfer->ahead, true);
        from = end;
    }
    stream->ahead_bytes = max_u64(stream->ahead_bytes, min_u64(from, size));
}

static void ahead_note(struct vd_cached *cached, const struct vd_request *request)
{
    enum read_policy policy = vd_config_of(cached->vd)->read_policy;
    struct read_stream *stream = NULL;

    if (policy == READ_POLICY_NO_READ_AHEAD) {
        return;
    }
    stream = stream_find(cached, request->offset_bytes);
    if (stream != NULL) {
        stream->hits++;
        stream->misses = 0;
        stream->window_rows =
            stream->window_rows == 0 ? 1 : min_u32(2 * stream->window_rows, WINDOW_ROWS_MAX);
    } else {
        stream = stream_begin(cached);
        if (stream == NULL) {
            return;
        }
        stream->window_rows = policy == READ_POLICY_READ_AHEAD ? 1 : 0;
    }
    stream->used = ++cached->stream_clock;
    stream->next_bytes = request->offset_bytes + request->length_bytes;
    if (stream->window_rows > 0 && drives_have_time(cached)) {
        ahead_submit(cached, stream);
    }
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
    ahead_note(cached, request);
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
