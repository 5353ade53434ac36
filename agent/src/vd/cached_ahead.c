/*
 * Read-ahead of a virtual drive behind the cache: eight streams of reads.
 *
 * A read that goes on where a stream has ended is a hit and doubles its window, from one row to
 * eight, to 2 MiB of each drive while its heads have several streams to read; two misses in a row
 * give the oldest stream up. `read_ahead` begins with the first read, `adaptive_read_ahead` with
 * the second of a stream, and gives the window up while the reader waits for so much at a time
 * himself that all drives are busy with it: what they read besides would only come before what he
 * has asked for.
 */
#include "vd/cached_private.h"

#define WINDOW_ROWS 8u
/* Of drives whose heads have several streams to read, so much of each: less than half of the time
 * goes into their ways then. */
#define WINDOW_SHARED_BYTES (2u << 20)
#define WINDOW_ROWS_MAX 32u
#define QUEUE_BUSY 32u

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

/* A drive with a long queue is not to get work that nobody has asked for. A window's is its own,
 * and what is held is not in the queue. */
static bool drives_have_time(const struct vd_cached *cached, const struct read_stream *stream)
{
    const struct group *group = cached->vd->group;

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        const struct drive *drive = group->members[i].drive;

        if (drive != NULL && drive_queued(drive, IO_CLASS_FOREGROUND) - drive_held(drive) >
                                 QUEUE_BUSY + stream->window_rows) {
            return false;
        }
    }
    return true;
}

/* How many strips that follow each other are on as many drives. */
static uint32_t strips_abreast(const struct geometry *geometry)
{
    if (raid_level_info(geometry->level)->adjacent_pairs) {
        return geometry->members_per_span / 2;
    }
    return geometry_data_strips(geometry) * geometry->span_count;
}

static uint32_t window_rows_most(const struct vd_cached *cached)
{
    const struct group *group = cached->vd->group;
    uint32_t strip_bytes = vd_config_of(cached->vd)->geometry.strip_bytes;

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        const struct drive *drive = group->members[i].drive;

        if (drive != NULL && drive_is_shared(drive)) {
            return min_u32(WINDOW_ROWS_MAX,
                           max_u32(WINDOW_ROWS, WINDOW_SHARED_BYTES / strip_bytes));
        }
    }
    return WINDOW_ROWS;
}

/* What a reader waits for, and whether it is more than the newest request. */
struct asked {
    const struct vd_request *newest;
    uint64_t from_bytes, to_bytes; /* of the stream */
    uint64_t bytes;
    bool others;
};

static void asked_add(struct asked *asked, const struct cache_transfer *transfer)
{
    uint64_t begin = transfer->request.offset_bytes;

    if (begin < asked->to_bytes && begin + transfer->request.length_bytes > asked->from_bytes) {
        asked->bytes += transfer->request.length_bytes;
        asked->others = asked->others || transfer->parent != asked->newest;
    }
}

/* Not with one request at a time, however long: between two of them the drives would stand still.
 */
static bool reader_keeps_drives_busy(const struct vd_cached *cached,
                                     const struct read_stream *stream,
                                     const struct vd_request *newest)
{
    const struct geometry *geometry = &vd_config_of(cached->vd)->geometry;
    uint64_t enough = (uint64_t)strips_abreast(geometry) * geometry->strip_bytes;
    uint64_t reach = (uint64_t)WINDOW_ROWS * geometry_row_bytes(geometry);
    struct asked asked = {.newest = newest,
                          .from_bytes = stream->next_bytes - min_u64(stream->next_bytes, reach),
                          .to_bytes = stream->next_bytes};

    LIST_FOR_EACH (node, &cached->reading) {
        const struct cache_transfer *transfer = list_entry(node, struct cache_transfer, link);

        if (transfer->parent != NULL) {
            asked_add(&asked, transfer);
            continue;
        }
        LIST_FOR_EACH (joined, &transfer->joined) {
            asked_add(&asked, list_entry(joined, struct cache_transfer, link));
        }
    }
    return asked.others && asked.bytes >= enough;
}

/* Twice as much as is left to all at most: so of n streams each has its share, 2 / (2n + 1) of the
 * buffers, and the next one finds some. */
static uint64_t window_bytes(const struct vd_cached *cached, const struct read_stream *stream)
{
    uint64_t row_bytes = geometry_row_bytes(&vd_config_of(cached->vd)->geometry);
    uint64_t left_bytes = (uint64_t)cached->mover->ahead_count * AHEAD_BUFFER_BYTES;

    return min_u64(stream->window_rows * row_bytes, 2 * left_bytes);
}

static void ahead_submit(struct vd_cached *cached, struct read_stream *stream)
{
    struct cache_mover *mover = cached->mover;
    uint64_t size = vd_target(cached->vd)->size_bytes;
    uint64_t from = max_u64(stream->ahead_bytes, stream->next_bytes);
    uint64_t wanted = min_u64(size, stream->next_bytes + window_bytes(cached, stream));

    from = align_up_u64(from, CACHE_BLOCK_BYTES);
    if (wanted < from + vd_config_of(cached->vd)->geometry.strip_bytes && wanted < size) {
        return; /* in pieces as small as the reader's it would only cost the drives commands */
    }
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
        end = cached_missing_end(cached, from, end);
        transfer_read_ahead(transfer, from, (uint32_t)(end - from));
        from = end;
    }
    stream->ahead_bytes = max_u64(stream->ahead_bytes, min_u64(from, size));
}

void cached_ahead_note(struct vd_cached *cached, const struct vd_request *request)
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
        stream->window_rows = stream->window_rows == 0
                                  ? 1
                                  : min_u32(2 * stream->window_rows, window_rows_most(cached));
    } else {
        stream = stream_begin(cached);
        if (stream == NULL) {
            return;
        }
        stream->window_rows = policy == READ_POLICY_READ_AHEAD ? 1 : 0;
    }
    stream->used = ++cached->stream_clock;
    stream->next_bytes = request->offset_bytes + request->length_bytes;
    if (policy == READ_POLICY_ADAPTIVE_READ_AHEAD && stream->window_rows > 0 &&
        reader_keeps_drives_busy(cached, stream, request)) {
        stream->window_rows = 0;
    }
    if (stream->window_rows > 0 && drives_have_time(cached, stream)) {
        ahead_submit(cached, stream);
    }
}
