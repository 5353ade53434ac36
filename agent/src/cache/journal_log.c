/*
 * The running log: queue, records, tail (journal_log.h). How it starts is in journal_log_recover.c.
 */
#include "cache/journal_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "cache/journal_log_private.h"
#include "cache/journal_private.h"
#include "cache/sim_bug.h"

/* Of a stamp: a record every 10 microseconds for five years, and a million openings. */
#define NUMBER_BITS 44u
#define NUMBER_MASK ((UINT64_C(1) << NUMBER_BITS) - 1)

/* An operation in the queue: its kind, and the frame. 0: left out. */
#define OP_PUBLISH (UINT64_C(1) << 62)
#define OP_RELEASE (UINT64_C(2) << 62)
#define OP_KIND (UINT64_C(3) << 62)
#define QUEUE_PER_FRAME 4u
#define PUBLICATIONS_PER_FRAME 2u
/* Only the newest record can be taken for a torn one once it is damaged: not for longer than this.
 */
#define NOTE_AFTER_US (1 * UINT64_C(1000000))

/* Records and their frames */

struct log_record *journal_log_record_of(struct journal_log *log, uint64_t number)
{
    ASSERT(number >= log->tail_durable && number < log->next);
    return &log->records[number % log->record_capacity];
}

void journal_log_link(struct journal_log *log, uint32_t index, uint64_t number)
{
    struct log_record *record = journal_log_record_of(log, number);
    struct log_frame *frame = &log->frames[index];

    ASSERT(frame->record == LOG_NO_RECORD);
    frame->record = number;
    frame->previous = JOURNAL_NO_FRAME;
    frame->next = record->first;
    if (frame->next != JOURNAL_NO_FRAME) {
        log->frames[frame->next].previous = index;
    }
    record->first = index;
    record->counts++;
}

void journal_log_unlink(struct journal_log *log, uint32_t index)
{
    struct log_frame *frame = &log->frames[index];
    struct log_record *record = journal_log_record_of(log, frame->record);

    if (frame->previous != JOURNAL_NO_FRAME) {
        log->frames[frame->previous].next = frame->next;
    } else {
        ASSERT(record->first == index);
        record->first = frame->next;
    }
    if (frame->next != JOURNAL_NO_FRAME) {
        log->frames[frame->next].previous = frame->previous;
    }
    frame->record = LOG_NO_RECORD;
}

/* Room */

static uint32_t blocks_free(const struct journal_log *log)
{
    ASSERT(log->used <= log->geometry.ring_blocks);
    return log->geometry.ring_blocks - log->used;
}

/* What copying needs to begin with, and what the end of the ring may leave over. */
static uint32_t blocks_reserved(const struct journal_log *log)
{
    return 4 * log->geometry.record_blocks_max;
}

static bool is_short_of_room(const struct journal_log *log)
{
    return blocks_free(log) < 2 * blocks_reserved(log) + log->geometry.ring_blocks / 8;
}

uint32_t journal_log_room(const struct journal_log *log)
{
    uint64_t most = (uint64_t)log->geometry.frame_count * PUBLICATIONS_PER_FRAME;
    uint64_t spoken = blocks_reserved(log) + log->geometry.record_blocks_max +
                      (uint64_t)log->publications * 3 / 2;
    uint64_t free = blocks_free(log);

    if (log->state == LOG_LOST) {
        return UINT32_MAX; /* nothing goes there any more */
    }
    ASSERT(most > log->publications); /* no frame is in the queue twice */
    return free > spoken ? (uint32_t)min_u64((free - spoken) * 2 / 3, most - log->publications) : 0;
}

/* Blocks of records that do not count any more and whose super-block is not written yet. */
static uint32_t blocks_dead(struct journal_log *log)
{
    uint32_t blocks = 0;

    while (log->tail < log->next &&
           (journal_log_record_of(log, log->tail)->counts == 0 || CACHE_BUG(LOG_WRAP_EARLY))) {
        log->tail++;
    }
    if (log->tail == log->tail_durable) {
        return 0;
    }
    blocks = log->used;
    if (log->tail < log->next) {
        uint32_t from = journal_log_record_of(log, log->tail)->start;

        /* What is left over at the end of the ring goes with the record before it. */
        blocks -=
            log->head >= from ? log->head - from : log->geometry.ring_blocks - from + log->head;
    }
    return blocks;
}

static bool super_is_due(struct journal_log *log)
{
    uint32_t dead = blocks_dead(log);

    return log->super_wanted || log->unnoted >= LOG_UNNOTED_MAX ||
           (is_short_of_room(log) && dead >= log->geometry.ring_blocks / 32) ||
           (blocks_free(log) < 2 * blocks_reserved(log) && dead > 0) ||
           (log->begin == log->end && dead >= log->geometry.ring_blocks / 16);
}

static bool copying_is_due(const struct journal_log *log)
{
    /* Asked only while no super-block is due: so not all of a ring that full is dead. */
    return is_short_of_room(log) && ALWAYS(log->tail < log->next);
}

/* The queue */

static void go_soon(struct journal_log *log)
{
    if (log->state == LOG_IDLE && !log->timer.armed) {
        clock_arm(log->clock, &log->timer, clock_now_us(log->clock));
    }
}

static void queue_push(struct journal_log *log, uint64_t op)
{
    ASSERT(log->end - log->begin < log->queue_capacity);
    log->queue[log->end % log->queue_capacity] = op;
    log->end++;
    go_soon(log);
}

void journal_log_publish(struct journal_log *log, uint32_t index)
{
    struct log_frame *frame = &log->frames[index];

    if (log->state == LOG_LOST) {
        return;
    }
    ASSERT(frame->place == 0);
    frame->place = log->end + 1;
    frame->word = get_le64(log->memory->base + journal_descriptor_offset(index));
    frame->queued++;
    log->publications++;
    queue_push(log, OP_PUBLISH | index);
}

void journal_log_release(struct journal_log *log, uint32_t index)
{
    struct log_frame *frame = &log->frames[index];

    if (log->state == LOG_LOST) {
        return;
    }
    ASSERT(frame->place != 0 || frame->record != LOG_NO_RECORD);
    frame->queued++;
    queue_push(log, OP_RELEASE | index);
}

bool journal_log_is_busy(const struct journal_log *log, uint32_t frame)
{
    return log->state != LOG_LOST && log->frames[frame].place != 0;
}

uint64_t journal_log_ticket(const struct journal_log *log)
{
    return log->end;
}

bool journal_log_is_durable(const struct journal_log *log, uint64_t ticket)
{
    return log->durable >= ticket;
}

bool journal_log_is_lost(const struct journal_log *log)
{
    return log->state == LOG_LOST;
}

bool journal_log_is_quiet(const struct journal_log *log)
{
    return log->state == LOG_LOST ||
           (log->state == LOG_IDLE && log->begin == log->end && !log->super_wanted);
}

bool journal_log_is_at_rest(const struct journal_log *log)
{
    return log->state == LOG_LOST ||
           (log->state == LOG_IDLE && log->begin == log->end && !log->timer.armed);
}

void journal_log_listen(struct journal_log *log, struct journal_listener *listener)
{
    list_init(&listener->link);
    list_push_tail(&log->listeners, &listener->link);
}

static void listeners_tell(struct journal_log *log)
{
    LIST_FOR_EACH_SAFE (node, following, &log->listeners) {
        struct journal_listener *listener = list_entry(node, struct journal_listener, link);

        listener->heard(listener);
    }
}

/* A record: which operations, then what they are */

struct slice {
    struct log_header header;
    uint64_t end;
    uint32_t copied_count;
    uint32_t copied[128];
};

/* (5) */
static void slice_copy(struct journal_log *log, struct slice *slice)
{
    for (uint64_t number = log->tail; number < log->next; number++) {
        uint32_t index = journal_log_record_of(log, number)->first;

        for (; index != JOURNAL_NO_FRAME; index = log->frames[index].next) {
            if (slice->header.publish_count == log->geometry.publish_max) {
                return;
            }
            if (log->frames[index].queued == 0) { /* else it is about to end here anyway */
                slice->copied[slice->copied_count++] = index;
                slice->header.publish_count++;
            }
        }
    }
}

/* (3): both of them are in the slice. True: the operation is the release of what the slice itself
 * publishes. */
static bool slice_leave_out(struct journal_log *log, uint64_t at)
{
    uint64_t *op = &log->queue[at % log->queue_capacity];
    struct log_frame *frame = &log->frames[(uint32_t)*op];

    if (frame->place == 0 || frame->place - 1 > at) {
        return false; /* of what an earlier record has published */
    }
    log->queue[(frame->place - 1) % log->queue_capacity] = 0;
    *op = 0;
    frame->place = 0;
    ASSERT(frame->queued >= 2);
    frame->queued -= 2;
    return true;
}

static void slice_choose(struct journal_log *log, struct slice *slice)
{
    struct log_header *header = &slice->header;

    STATIC_ASSERT(sizeof(slice->copied) / sizeof(slice->copied[0]) >= 128, "PUBLISH_MAX fits");
    *header = (struct log_header){
        .uuid = log->super.uuid, .number = log->next, .generation = log->super.generation};
    slice->copied_count = 0;
    for (slice->end = log->begin; slice->end < log->end; slice->end++) {
        uint64_t kind = log->queue[slice->end % log->queue_capacity] & OP_KIND;

        if (kind == OP_RELEASE && slice_leave_out(log, slice->end)) {
            header->publish_count--;
            continue;
        }
        if ((kind == OP_PUBLISH && header->publish_count == log->geometry.publish_max) ||
            (kind == OP_RELEASE && header->release_count == log->geometry.release_max)) {
            break;
        }
        header->publish_count += kind == OP_PUBLISH ? 1u : 0u;
        header->release_count += kind == OP_RELEASE ? 1u : 0u;
        log->publications -= kind == OP_PUBLISH ? 1u : 0u;
    }
    log->covers = slice->end;
    if (copying_is_due(log)) {
        slice_copy(log, slice);
    }
}

/* The next record of the ring. */
static void record_place(struct journal_log *log, uint32_t blocks)
{
    bool fits = blocks <= log->geometry.ring_blocks - log->head;
    uint32_t left_over = fits ? 0 : log->geometry.ring_blocks - log->head;
    uint32_t start = fits ? log->head : 0;

    ASSERT(log->next - log->tail_durable < log->record_capacity);
    ASSERT(blocks + left_over <= blocks_free(log) || CACHE_BUG(LOG_WRAP_EARLY));
    log->next++;
    *journal_log_record_of(log, log->next - 1) = (struct log_record){
        .start = start, .blocks = blocks + left_over, .first = JOURNAL_NO_FRAME};
    log->used += blocks + left_over;
    log->unnoted += blocks + left_over;
    log->head = start + blocks;
}

static void put_frame(struct journal_log *log, const struct slice *slice, uint32_t index,
                      uint32_t place)
{
    const uint8_t *base = log->memory->base;
    uint64_t frames = journal_frames_offset(log->geometry.frame_count);

    memcpy(log->buffer + log_descriptor_at(place), base + journal_descriptor_offset(index),
           LOG_DESCRIPTOR_BYTES);
    put_le64(log->buffer + log_descriptor_at(place), log->frames[index].word);
    put_le32(log->buffer + log_frame_number_at(&slice->header, place), index);
    memcpy(log->buffer + log_content_at(&slice->header, place),
           base + frames + (uint64_t)index * CACHE_BLOCK_BYTES, CACHE_BLOCK_BYTES);
    journal_log_link(log, index, slice->header.number);
}

static void end_frame(struct journal_log *log, uint32_t index)
{
    log->ends[log->end_count++] = log->frames[index].record;
    journal_log_unlink(log, index);
}

static void slice_write(struct journal_log *log, const struct slice *slice)
{
    uint32_t publish = 0;
    uint32_t release = 0;

    log->end_count = 0;
    for (; log->begin < slice->end; log->begin++) {
        uint64_t op = log->queue[log->begin % log->queue_capacity];
        uint32_t index = (uint32_t)op;

        if (op == 0) {
            continue;
        }
        log->frames[index].queued--;
        if ((op & OP_KIND) == OP_PUBLISH) {
            log->frames[index].place = 0;
            put_frame(log, slice, index, publish++);
        } else {
            end_frame(log, index);
            put_le32(log->buffer + log_release_at(&slice->header, release++), index);
        }
    }
    for (uint32_t i = 0; i < slice->copied_count; i++) {
        end_frame(log, slice->copied[i]);
        put_frame(log, slice, slice->copied[i], publish++);
    }
    ASSERT(publish == slice->header.publish_count && release == slice->header.release_count);
}

static void record_done(struct log_write *write, int error);

static void record_send(struct journal_log *log)
{
    struct slice slice;
    uint32_t blocks = 0;

    slice_choose(log, &slice);
    if (slice.header.publish_count + slice.header.release_count == 0) {
        log->begin = slice.end; /* all of it left out, and all before it is durable */
        log->durable = log->covers;
        listeners_tell(log);
        return;
    }
    blocks = log_record_blocks(&slice.header);
    record_place(log, blocks);
    slice_write(log, &slice);
    log_header_write(&slice.header, log->buffer);
    log->state = LOG_WRITES_RECORD;
    log->write.offset_bytes =
        (LOG_RING_FIRST + (uint64_t)journal_log_record_of(log, slice.header.number)->start) *
        LOG_BLOCK_BYTES;
    log->write.length_bytes = blocks * LOG_BLOCK_BYTES;
    log->write.bytes = log->buffer;
    log->write.complete = record_done;
    if (CACHE_BUG(LOG_ACK_EARLY)) {
        log->durable = log->covers;
        listeners_tell(log);
    }
    log->port->ops->write(log->port, &log->write);
}

/* The super-block */

static void super_done(struct log_write *write, int error);

static void super_send(struct journal_log *log)
{
    log->state = LOG_WRITES_SUPER;
    log->super_wanted = false;
    log->tail_on_its_way = log->tail;
    log->super.turn++;
    log->super.tail_number = log->tail;
    log->super.tail_block =
        log->tail < log->next ? journal_log_record_of(log, log->tail)->start : log->head;
    log->super.durable_number = log->next - 1;
    log->unnoted = 0;
    log_super_write(&log->super, log->super_buffer);
    journal_notes_write(&log->notes, log->super_buffer + JOURNAL_NOTES_OFFSET);
    log->write.offset_bytes = log->super.turn % 2 * LOG_BLOCK_BYTES;
    log->write.length_bytes = LOG_BLOCK_BYTES;
    log->write.bytes = log->super_buffer;
    log->write.complete = super_done;
    log->port->ops->write(log->port, &log->write);
}

/* Going on */

static void log_go(struct journal_log *log)
{
    ASSERT(log->state == LOG_IDLE); /* or the timer would not run */
    if (super_is_due(log)) {
        super_send(log);
    } else {
        ASSERT(log->begin < log->end || copying_is_due(log));
        record_send(log);
    }
}

static void timer_fired(struct clock_timer *timer)
{
    log_go(timer->owner);
}

static void note_timer_fired(struct clock_timer *timer)
{
    struct journal_log *log = timer->owner;

    if (log->unnoted > 0) {
        log->super_wanted = true;
        go_soon(log);
    }
}

/* Listeners may queue more: it goes out together at the end of the turn. They may ask as well
 * whether the log rests. */
static void write_ended(struct journal_log *log, int error)
{
    log->state = error == 0 ? LOG_IDLE : LOG_LOST; /* (6) */
    if (log->state == LOG_IDLE &&
        (log->begin < log->end || super_is_due(log) || copying_is_due(log))) {
        go_soon(log);
    } else if (log->state == LOG_IDLE && log->unnoted > 0) {
        clock_cancel(log->clock, &log->note_timer);
        clock_arm(log->clock, &log->note_timer, clock_now_us(log->clock) + NOTE_AFTER_US);
    }
    listeners_tell(log);
}

static void record_done(struct log_write *write, int error)
{
    struct journal_log *log = write->owner;

    ASSERT(log->state == LOG_WRITES_RECORD);
    if (error == 0) {
        log->durable = log->covers;
        log->durable_number = log->next - 1;
        for (uint32_t i = 0; i < log->end_count; i++) {
            struct log_record *record = journal_log_record_of(log, log->ends[i]);

            ASSERT(record->counts > 0);
            record->counts--;
        }
    }
    write_ended(log, error);
}

static void super_done(struct log_write *write, int error)
{
    struct journal_log *log = write->owner;

    ASSERT(log->state == LOG_WRITES_SUPER);
    for (; error == 0 && log->tail_durable < log->tail_on_its_way; log->tail_durable++) {
        uint32_t blocks = journal_log_record_of(log, log->tail_durable)->blocks;

        ASSERT(log->used >= blocks);
        log->used -= blocks;
    }
    log->durable_generation = error == 0 ? log->super.generation : log->durable_generation;
    write_ended(log, error);
}

/* Life */

static int log_allocate(struct journal_log *log)
{
    const struct log_geometry *geometry = &log->geometry;
    size_t ends = (size_t)geometry->release_max + geometry->publish_max;

    log->record_capacity = (uint64_t)geometry->ring_blocks + 1;
    log->queue_capacity = (uint64_t)geometry->frame_count * QUEUE_PER_FRAME;
    log->buffer =
        aligned_alloc(LOG_BLOCK_BYTES, (size_t)geometry->record_blocks_max * LOG_BLOCK_BYTES);
    log->super_buffer = aligned_alloc(LOG_BLOCK_BYTES, LOG_BLOCK_BYTES);
    log->records = calloc(log->record_capacity, sizeof(*log->records));
    log->frames = calloc(geometry->frame_count, sizeof(*log->frames));
    log->queue = calloc(log->queue_capacity, sizeof(*log->queue));
    log->ends = calloc(ends, sizeof(*log->ends));
    if (log->buffer == NULL || log->super_buffer == NULL || log->records == NULL ||
        log->frames == NULL || log->queue == NULL || log->ends == NULL) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < geometry->frame_count; i++) {
        log->frames[i].record = LOG_NO_RECORD;
    }
    return 0;
}

static struct journal_log *log_dispose(struct journal_log *log)
{
    free(log->buffer);
    free(log->super_buffer);
    free(log->records);
    free(log->frames);
    free(log->queue);
    free(log->ends);
    free(log);
    return NULL;
}

int journal_log_open(struct log_port *port, struct memory_port *memory, struct clock_port *clock,
                     const struct uuid *owner, const struct uuid *fresh,
                     struct journal_log **ret_log)
{
    struct log_geometry geometry;
    struct journal_log *log = NULL;
    int error = 0;

    if (!log_geometry_make(port->size_bytes, &geometry)) {
        return -ENOSPC;
    }
    ASSERT(memory->size_bytes == journal_size_bytes(geometry.frame_count));
    log = calloc(1, sizeof(*log));
    if (log == NULL) {
        return -ENOMEM;
    }
    log->port = port;
    log->memory = memory;
    log->clock = clock;
    log->geometry = geometry;
    log->write.owner = log;
    log->timer.fire = timer_fired;
    log->timer.owner = log;
    log->note_timer.fire = note_timer_fired;
    log->note_timer.owner = log;
    list_init(&log->listeners);
    error = log_allocate(log);
    if (error == 0) {
        error = journal_log_recover(log, owner, fresh);
    }
    if (error != 0) {
        (void)log_dispose(log);
        return error;
    }
    log->durable_number = log->next - 1;
    log->durable_generation = log->super.generation - 1; /* until the super-block says more */
    log->found_stamp = log->found_damaged ? UINT64_MAX : journal_log_stamp(log);
    log->super_wanted = true; /* the new generation, before the first record of it */
    go_soon(log);
    *ret_log = log;
    return 0;
}

struct journal_log *journal_log_close(struct journal_log *log)
{
    if (log == NULL) {
        return NULL;
    }
    ASSERT(log->state == LOG_IDLE || log->state == LOG_LOST);
    clock_cancel(log->clock, &log->timer);
    clock_cancel(log->clock, &log->note_timer);
    return log_dispose(log);
}

const struct uuid *journal_log_uuid(const struct journal_log *log)
{
    return &log->super.uuid;
}

uint64_t journal_log_generation(const struct journal_log *log)
{
    return log->super.generation;
}

uint64_t journal_log_stamp(const struct journal_log *log)
{
    return log->durable_generation << NUMBER_BITS | (log->durable_number & NUMBER_MASK);
}

void journal_log_note(struct journal_log *log, const struct guid *group, uint64_t sequence)
{
    if (log->state != LOG_LOST && journal_notes_set(&log->notes, group, sequence)) {
        log->super_wanted = true;
        go_soon(log);
    }
}

const struct journal_notes *journal_log_notes(const struct journal_log *log)
{
    return &log->notes;
}

uint64_t journal_log_found_stamp(const struct journal_log *log)
{
    return log->found_stamp;
}

uint32_t journal_log_frame_count(const struct journal_log *log)
{
    return log->geometry.frame_count;
}
