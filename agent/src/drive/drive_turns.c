/* See drive_turns.h. */
#include "drive/drive_turns.h"

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_private.h"

/* Three or four times what the heads need from one stream to the next. */
#define TURN_US 25000u
#define WAIT_US 250000u
#define SHARED_US 300000u
/* By so much a turn is longer, if that is the end of a long read. */
#define REST_US 12500u
#define REST_BYTES (UINT64_C(1) << 20)
/* Less than the heads would need to another stream and back. */
#define IDLE_US 4000u
/* It may be away four times as long as the heads read what it asked for before, about. */
#define BURST_BYTES_PER_US 32u
/* What a stream may have with the drive while others wait: enough for it to read on without a
 * pause, and little enough for the turn to end soon after its time. */
#define INSIDE_BYTES (UINT64_C(256) << 10)
#define INSIDE_MIN 2u
/* Parity may lie between the data of a stream. */
#define GAP_BYTES (UINT64_C(512) << 10)
#define HITS 3u
/* Heads are on their way for longer than this at least once in a thousand reads. */
#define HEADS_US 2000u
#define LOOK_READS 256u
#define NOWHERE (UINT64_C(1) << 63)

/* Streams */

static bool is_stream(const struct drive_stream *stream)
{
    return stream->hits >= HITS;
}

static uint64_t end_of(const struct drive_turns *turns, const struct drive_stream *stream)
{
    return turns->ends[stream - turns->streams];
}

/* The one that goes on with a read there; NULL: none. */
static struct drive_stream *stream_find(struct drive_turns *turns, uint64_t offset_bytes)
{
    for (uint32_t i = 0; i < DRIVE_STREAMS; i++) {
        if (offset_bytes - turns->ends[i] <= GAP_BYTES) { /* an end above it is far away, too */
            return &turns->streams[i];
        }
    }
    return NULL;
}

static bool has_nothing(const struct drive_stream *stream)
{
    return stream->inside == 0 && list_is_empty(&stream->held);
}

/* A place for what may become one: the next in turn that has nothing to read and has not gone on
 * since it was passed over. NULL: there is none. */
static struct drive_stream *stream_begin(struct drive_turns *turns)
{
    for (uint32_t i = 0; i < 2 * DRIVE_STREAMS; i++) {
        struct drive_stream *stream = &turns->streams[turns->hand];

        turns->hand = (turns->hand + 1) % DRIVE_STREAMS;
        if (has_nothing(stream) && stream != turns->turn && !stream->went_on) {
            *stream = (struct drive_stream){.hits = 0};
            list_init(&stream->held);
            return stream;
        }
        stream->went_on = false;
    }
    return NULL;
}

/* Who reads little at a time does not have the heads wait for long. */
static uint64_t patience_us(const struct drive_stream *stream)
{
    return min_u64(IDLE_US, stream->burst_bytes / BURST_BYTES_PER_US);
}

/* The pieces of one long read come before any of them is answered: they make no stream. */
static void stream_go_on(struct drive_stream *stream, uint64_t now_us)
{
    stream->hits = min_u32(stream->hits + (stream->left_us != 0 ? 1 : 0), HITS);
    stream->went_on = true;
    if (has_nothing(stream)) {
        stream->comes_back = now_us - stream->left_us <= patience_us(stream);
        stream->burst_bytes = 0;
    }
}

/* A long read makes a stream with its first piece. */
static void stream_note_run(struct drive_stream *stream, const struct drive_io *io)
{
    if (io->run_bytes >= DRIVE_RUN_LONG_BYTES) {
        stream->hits = HITS;
        stream->run_end = io->offset_bytes + io->run_bytes;
    }
}

/* The stream that the read goes on with or may begin; NULL: none. */
static struct drive_stream *stream_note(struct drive_turns *turns, const struct drive_io *io,
                                        uint64_t now_us)
{
    struct drive_stream *stream = stream_find(turns, io->offset_bytes);

    if (stream != NULL) {
        stream_go_on(stream, now_us);
    } else {
        stream = stream_begin(turns);
    }
    if (stream != NULL) {
        turns->ends[stream - turns->streams] = io->offset_bytes + io->length_bytes;
        stream->burst_bytes += io->length_bytes;
        stream_note_run(stream, io);
    }
    return stream;
}

/* Turns */

static uint32_t waiting_streams(const struct drive_turns *turns)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < DRIVE_STREAMS; i++) {
        count += list_is_empty(&turns->streams[i].held) ? 0 : 1;
    }
    return count;
}

static uint64_t turn_end_us(const struct drive_turns *turns)
{
    return turns->began_us + min_u64(TURN_US, WAIT_US / max_u32(1, waiting_streams(turns)));
}

/* For what is left of a long read the heads would have to come back. */
static bool run_ends_soon(const struct drive_stream *stream)
{
    const struct list *first = stream->held.next;
    uint64_t offset_bytes = 0;

    if (first == &stream->held) {
        return false;
    }
    offset_bytes = list_entry(first, const struct drive_io, link)->offset_bytes;
    return offset_bytes < stream->run_end && stream->run_end - offset_bytes <= REST_BYTES;
}

static bool turn_has_time(const struct drive_turns *turns, uint64_t now_us)
{
    uint64_t end_us = turn_end_us(turns);

    return now_us < end_us || (now_us < end_us + REST_US && run_ends_soon(turns->turn));
}

static void inside_add(struct drive_stream *stream, const struct drive_io *io)
{
    stream->inside++;
    stream->inside_bytes += io->length_bytes;
}

static bool has_enough_inside(const struct drive_stream *stream)
{
    return stream->inside >= INSIDE_MIN && stream->inside_bytes >= INSIDE_BYTES;
}

/* The oldest that the stream has held comes to the queue. False: it has none. */
static bool held_move(struct drive *drive, struct drive_stream *stream)
{
    struct list *node = list_pop_head(&stream->held);

    if (node == NULL) {
        return false;
    }
    ASSERT(drive->turns.held_count > 0);
    drive->turns.held_count--;
    inside_add(stream, list_entry(node, struct drive_io, link));
    list_push_tail(&drive->queued[IO_CLASS_FOREGROUND], node);
    return true;
}

static void turn_feed(struct drive *drive)
{
    struct drive_stream *stream = drive->turns.turn;

    while (!has_enough_inside(stream) && held_move(drive, stream)) {
    }
}

/* The nearest above of the others that wait, else the lowest; NULL: none of them waits. */
static struct drive_stream *next_stream(struct drive_turns *turns)
{
    uint64_t head_bytes = turns->turn != NULL ? end_of(turns, turns->turn) : 0;
    struct drive_stream *next = NULL;
    uint64_t next_way = 0;

    for (uint32_t i = 0; i < DRIVE_STREAMS; i++) {
        struct drive_stream *stream = &turns->streams[i];
        uint64_t way = turns->ends[i] - head_bytes; /* what is below wraps: it is the farthest */

        if (!list_is_empty(&stream->held) && stream != turns->turn &&
            (next == NULL || way < next_way)) {
            next = stream;
            next_way = way;
        }
    }
    return next;
}

static void turn_begin(struct drive *drive, struct drive_stream *stream)
{
    struct drive_turns *turns = &drive->turns;

    clock_cancel(drive->clock, &turns->timer);
    turns->turn = stream;
    turns->began_us = clock_now_us(drive->clock);
    if (stream != NULL) {
        turn_feed(drive);
    }
}

/* To the next one; its own again, if no other waits. */
static void turn_pass(struct drive *drive)
{
    struct drive_turns *turns = &drive->turns;
    struct drive_stream *next = next_stream(turns);

    if (next == NULL && !list_is_empty(&turns->turn->held)) {
        next = turns->turn;
    }
    turn_begin(drive, next);
}

/* Of a turn whose stream has nothing with the drive. */
static bool turn_is_over(const struct drive_turns *turns, uint64_t now_us)
{
    const struct drive_stream *stream = turns->turn;
    uint64_t away_us = stream->comes_back ? patience_us(stream) : 0;

    ASSERT(stream->inside == 0);
    return !turn_has_time(turns, now_us) ||
           (list_is_empty(&stream->held) && now_us >= stream->left_us + away_us);
}

void drive_turns_go_on(struct drive *drive)
{
    struct drive_turns *turns = &drive->turns;
    struct drive_stream *stream = turns->turn;
    uint64_t now_us = clock_now_us(drive->clock);

    if (turns->held_count == 0) {
        clock_cancel(drive->clock, &turns->timer);
        return;
    }
    ASSERT(stream != NULL);
    if (now_us >= turn_end_us(turns) && next_stream(turns) == NULL) {
        turns->began_us = now_us; /* nobody else wants it */
    }
    if (turn_has_time(turns, now_us)) {
        turn_feed(drive);
    }
    if (stream->inside > 0) {
        return; /* it ends not before that */
    }
    if (turn_is_over(turns, now_us)) {
        turn_pass(drive);
    } else if (!turns->timer.armed) {
        clock_arm(drive->clock, &turns->timer,
                  min_u64(stream->left_us + patience_us(stream), turn_end_us(turns)));
    }
}

/* Need others not wait for it? One read now and then does not keep the heads, unless it is the
 * first piece of a long one; and what the drive has in its buffer for another costs them nothing.
 */
static bool turn_is_loose(const struct drive_turns *turns, uint64_t now_us)
{
    const struct drive_stream *stream = turns->turn;

    if (stream == NULL) {
        return true;
    }
    return stream->inside == 0 ? turn_is_over(turns, now_us)
                               : stream->inside == 1 && !stream->comes_back &&
                                     end_of(turns, stream) >= stream->run_end;
}

/* May a read of the stream come to the queue now? It may take the turn for that. */
static bool turn_admits(struct drive *drive, struct drive_stream *stream, uint64_t now_us)
{
    struct drive_turns *turns = &drive->turns;

    if (turns->held_count > 0) {
        return turns->turn == stream && list_is_empty(&stream->held) &&
               turn_has_time(turns, now_us) && !has_enough_inside(stream);
    }
    if (turns->turn == stream && now_us >= turn_end_us(turns)) {
        turns->began_us = now_us; /* nobody else wants it */
    } else if (turns->turn != stream && turn_is_loose(turns, now_us)) {
        turn_begin(drive, stream);
    }
    return turns->turn == stream;
}

/* What is said to rotate may be memory behind a controller, or another host's array. */
void drive_turns_look(struct drive *drive)
{
    uint64_t seen_us = drive_read_p999_us(drive);

    drive->turns.no_heads = seen_us != 0 && seen_us < HEADS_US;
    drive->turns.reads_to_look = LOOK_READS;
}

/* Reads on their way to the queue, and out of it */

bool drive_turns_hold(struct drive *drive, struct drive_io *io)
{
    struct drive_turns *turns = &drive->turns;
    uint64_t now_us = clock_now_us(drive->clock);

    ASSERT(io->stream == NULL && io->op == IO_OP_READ && io->class_ == IO_CLASS_FOREGROUND);
    io->stream = stream_note(turns, io, now_us);
    if (io->stream == NULL) {
        return false;
    }
    if (is_stream(io->stream) && !turn_admits(drive, io->stream, now_us)) {
        list_push_tail(&io->stream->held, &io->link);
        turns->held_count++;
        turns->shared_us = now_us;
        drive_turns_go_on(drive);
        return true;
    }
    inside_add(io->stream, io);
    return false;
}

void drive_turns_leave(struct drive *drive, struct drive_io *io)
{
    struct drive_stream *stream = io->stream;

    ASSERT(stream != NULL);
    ASSERT(stream->inside > 0 && stream->inside_bytes >= io->length_bytes);
    stream->inside--;
    stream->inside_bytes -= io->length_bytes;
    stream->left_us = clock_now_us(drive->clock);
    io->stream = NULL;
    drive_turns_go_on(drive);
}

bool drive_is_shared(const struct drive *drive)
{
    return drive->turns.shared_us != 0 &&
           clock_now_us(drive->clock) - drive->turns.shared_us < SHARED_US;
}

/* Life */

void drive_turns_release(struct drive *drive)
{
    for (uint32_t i = 0; i < DRIVE_STREAMS; i++) {
        while (held_move(drive, &drive->turns.streams[i])) {
        }
    }
    ASSERT(drive->turns.held_count == 0);
    turn_begin(drive, NULL);
}

void drive_turns_init(struct drive *drive)
{
    for (uint32_t i = 0; i < DRIVE_STREAMS; i++) {
        list_init(&drive->turns.streams[i].held);
        drive->turns.ends[i] = NOWHERE;
    }
}
