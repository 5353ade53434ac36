/*
 * The start of the log: which super-block holds, and from its tail on record after record, until
 * a number or a checksum breaks.
 *
 * There was one write at a time, so nothing can be behind a record that was torn. What looks torn
 * and has a successor, or was durable when the super-block was written, has been damaged later:
 * damaged content of known blocks is put in place for the replay to find (journal.h), a damaged
 * header, behind which anything may have been, stops the start.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "cache/journal_log_private.h"
#include "cache/journal_private.h"
#include "cache/sim_bug.h"
#include "port/io_port.h"

/* No sound descriptor begins like that: whoever replays it finds it damaged. */
#define DAMAGED_WORD UINT64_MAX
#define WINDOW_BLOCKS 1024u
#define READ_BLOCKS (IO_LENGTH_MAX_BYTES / LOG_BLOCK_BYTES)

struct reader {
    struct journal_log *log;
    uint8_t *window;
    uint32_t first, count; /* blocks of the ring in the window */
    uint32_t ahead;        /* blocks to be read at a time: more while one follows the other */
    uint64_t number;       /* of the record looked for */
    uint64_t generation;   /* at least */
    uint32_t place;        /* block: where it should be, if it fitted there */
    bool super_damaged;    /* one of the two, perhaps the newer */
};

static int window_read(struct reader *reader, uint32_t place)
{
    struct journal_log *log = reader->log;
    bool goes_on = place > reader->first && place <= reader->first + reader->count;
    uint32_t count = 0;

    reader->ahead =
        goes_on ? min_u32(reader->ahead * 2, WINDOW_BLOCKS) : 2 * log->geometry.record_blocks_max;
    count = min_u32(reader->ahead, log->geometry.ring_blocks - place);
    reader->first = place;
    for (reader->count = 0; reader->count < count;) {
        uint32_t part = min_u32(READ_BLOCKS, count - reader->count);
        uint64_t block = (uint64_t)LOG_RING_FIRST + place + reader->count;
        int error = log->port->ops->read(log->port, block * LOG_BLOCK_BYTES,
                                         reader->window + (size_t)reader->count * LOG_BLOCK_BYTES,
                                         part * LOG_BLOCK_BYTES);

        if (error != 0) {
            reader->count = 0;
            return error;
        }
        reader->count += part;
    }
    return 0;
}

/* Up to `wanted` blocks from the place on, fewer at the end of the ring. */
static int window_get(struct reader *reader, uint32_t place, uint32_t wanted, const uint8_t **ret,
                      uint32_t *ret_available)
{
    struct journal_log *log = reader->log;
    uint32_t available = min_u32(wanted, log->geometry.ring_blocks - place);
    int error = 0;

    ASSERT(wanted <= WINDOW_BLOCKS && available > 0);
    if (place < reader->first || place + available > reader->first + reader->count) {
        error = window_read(reader, place);
        if (error != 0) {
            return error;
        }
    }
    *ret = reader->window + (size_t)(place - reader->first) * LOG_BLOCK_BYTES;
    *ret_available = available;
    return 0;
}

struct found_record {
    struct log_header header;
    const uint8_t *bytes; /* valid until the next look */
    uint32_t place;
    bool found;
};

static int look_at(struct reader *reader, uint32_t place, uint64_t number,
                   struct found_record *ret_found)
{
    struct journal_log *log = reader->log;
    uint32_t available = 0;
    int error =
        window_get(reader, place, log->geometry.record_blocks_max, &ret_found->bytes, &available);

    ret_found->place = place;
    ret_found->found =
        error == 0 &&
        log_header_read(ret_found->bytes, available, &log->geometry, &ret_found->header) &&
        uuid_equal(&ret_found->header.uuid, &log->super.uuid) &&
        (ret_found->header.number == number || CACHE_BUG(LOG_NUMBER_IGNORED)) &&
        ret_found->header.generation >= reader->generation &&
        ret_found->header.generation <= log->super.generation;
    return error;
}

/* The record of this number: where the one before it ended, or at the beginning of the ring. */
static int record_look(struct reader *reader, uint32_t place, uint64_t number,
                       struct found_record *ret_found)
{
    int error = 0;

    ret_found->found = false;
    if (place < reader->log->geometry.ring_blocks) {
        error = look_at(reader, place, number, ret_found);
    }
    if (error == 0 && !ret_found->found && place != 0) {
        error = look_at(reader, 0, number, ret_found);
    }
    return error;
}

/* It was torn, and the next generation wrote it again: at the beginning of the ring, if it was
 * longer then and did not fit where the torn one still is. */
static int record_look_again(struct reader *reader, struct found_record *found)
{
    struct found_record again;
    int error = 0;

    if (found->place == 0) {
        return 0;
    }
    error = look_at(reader, 0, found->header.number, &again);
    if (error == 0 && again.found && again.header.generation > found->header.generation) {
        *found = again;
        return 0;
    }
    return error != 0 ? error : look_at(reader, found->place, found->header.number, found);
}

static bool content_is_whole(const struct found_record *found)
{
    for (uint32_t i = 0; i < found->header.publish_count; i++) {
        const uint8_t *descriptor = found->bytes + log_descriptor_at(i);

        if (!descriptor_is_sound(descriptor) ||
            !descriptor_fits_content(descriptor,
                                     found->bytes + log_content_at(&found->header, i))) {
            return CACHE_BUG(LOG_CRC_IGNORED);
        }
    }
    return true;
}

static void frame_forget(struct journal_log *log, uint32_t index)
{
    uint64_t number = log->frames[index].record;

    if (number != LOG_NO_RECORD) {
        journal_log_unlink(log, index);
        journal_log_record_of(log, number)->counts--;
    }
}

static void record_install(struct journal_log *log, const struct found_record *found)
{
    const struct log_header *header = &found->header;
    struct memory_port *memory = log->memory;
    uint64_t frames = journal_frames_offset(log->geometry.frame_count);

    for (uint32_t i = 0; i < header->release_count; i++) {
        uint32_t index = get_le32(found->bytes + log_release_at(header, i));

        memory_publish(memory, journal_descriptor_offset(index), 0);
        frame_forget(log, index);
    }
    for (uint32_t i = 0; i < header->publish_count; i++) {
        uint32_t index = get_le32(found->bytes + log_frame_number_at(header, i));

        memory_copy(memory, journal_descriptor_offset(index), found->bytes + log_descriptor_at(i),
                    LOG_DESCRIPTOR_BYTES);
        memory_copy(memory, frames + (uint64_t)index * CACHE_BLOCK_BYTES,
                    found->bytes + log_content_at(header, i), CACHE_BLOCK_BYTES);
        frame_forget(log, index);
        log->frames[index].word = get_le64(found->bytes + log_descriptor_at(i));
        if (log->frames[index].word == 0) { /* of a damaged record: not a free frame, but lost */
            log->frames[index].word = DAMAGED_WORD;
            memory_publish(memory, journal_descriptor_offset(index), DAMAGED_WORD);
        }
        journal_log_link(log, index, log->next - 1);
    }
}

/* Into the ring of records, as when it was written. -EBADMSG: it overtakes the tail. */
static int record_take(struct reader *reader, const struct found_record *found)
{
    struct journal_log *log = reader->log;
    uint32_t blocks = log_record_blocks(&found->header);
    uint32_t left_over = found->place == log->head ? 0 : log->geometry.ring_blocks - log->head;

    if ((uint64_t)log->used + blocks + left_over > log->geometry.ring_blocks) {
        return -EBADMSG;
    }
    log->next++;
    *journal_log_record_of(log, log->next - 1) = (struct log_record){
        .start = found->place, .blocks = blocks + left_over, .first = JOURNAL_NO_FRAME};
    log->used += blocks + left_over;
    log->head = found->place + blocks;
    reader->number++;
    reader->generation = found->header.generation;
    reader->place = log->head;
    record_install(log, found);
    return 0;
}

/* Was it durable once, although not all of it is there? */
static int record_is_damaged(struct reader *reader, const struct found_record *found,
                             bool *ret_damaged)
{
    struct found_record following;
    uint32_t end = found->place + log_record_blocks(&found->header);
    int error = 0;

    *ret_damaged = true;
    if (found->header.number > reader->log->super.durable_number) {
        error = record_look(reader, end, found->header.number + 1, &following);
        *ret_damaged = following.found;
    }
    return error;
}

static int records_read(struct reader *reader)
{
    struct found_record found;
    int error = 0;

    while ((error = record_look(reader, reader->place, reader->number, &found)) == 0 &&
           found.found) {
        if (!content_is_whole(&found) && !CACHE_BUG(LOG_TORN_FIRST)) {
            error = record_look_again(reader, &found);
            if (error != 0) {
                return error;
            }
        }
        if (!content_is_whole(&found)) {
            bool damaged = false;

            error = record_is_damaged(reader, &found, &damaged);
            if (error != 0 || !damaged) {
                return error; /* torn: never acknowledged */
            }
            error = look_at(reader, found.place, reader->number, &found);
        }
        if (error == 0) {
            error = record_take(reader, &found);
        }
        if (error != 0) {
            return error;
        }
    }
    return error;
}

/* -EBADMSG: in [place, end) begins a record that must come later than the last one read. */
static int nothing_later(struct reader *reader, uint32_t place, uint32_t end)
{
    struct journal_log *log = reader->log;

    for (; place < end; place++) {
        struct log_header header;
        const uint8_t *bytes = NULL;
        uint32_t available = 0;
        int error = window_get(reader, place, log->geometry.record_blocks_max, &bytes, &available);

        if (error != 0) {
            return error;
        }
        if (log_header_read(bytes, available, &log->geometry, &header) &&
            uuid_equal(&header.uuid, &log->super.uuid) && header.number > reader->number) {
            return -EBADMSG;
        }
    }
    return 0;
}

/* The log has ended here. Records behind damaged ones begin no further away than a super-block can
 * be behind them; if a super-block is damaged, the other one may be an old one, and any place will
 * do. */
static int end_is_an_end(struct reader *reader)
{
    uint32_t ring = reader->log->geometry.ring_blocks;
    uint32_t longest = reader->log->geometry.record_blocks_max;
    uint32_t far = LOG_UNNOTED_MAX + 2 * longest;
    int error = 0;

    if (reader->number <= reader->log->super.durable_number) {
        return -EBADMSG;
    }
    if (reader->super_damaged) {
        return nothing_later(reader, 0, ring);
    }
    error = nothing_later(reader, reader->place, min_u32(ring, reader->place + far));
    /* At the beginning of the ring, behind those that did, or did not, begin there too. */
    return error == 0 ? nothing_later(reader, 0, min_u32(ring, far)) : error;
}

/* Super-blocks */

static void format(struct journal_log *log, const struct uuid *owner, const struct uuid *fresh)
{
    log->super = (struct log_super){.version = LOG_VERSION,
                                    .uuid = *fresh,
                                    .owner = *owner,
                                    .size_bytes = log->port->size_bytes,
                                    .tail_number = 1};
}

static int super_judge(const struct journal_log *log, const struct log_super *super)
{
    if (super->version != LOG_VERSION) {
        return -EPROTONOSUPPORT;
    }
    if (super->size_bytes != log->port->size_bytes) {
        return -ERANGE;
    }
    return super->tail_block > log->geometry.ring_blocks || super->tail_number == 0 ||
                   super->tail_number > super->durable_number + 1 ||
                   super->durable_number > UINT64_MAX / 2
               ? -EBADMSG
               : 0;
}

static int super_find(struct reader *reader, const struct uuid *owner, const struct uuid *fresh)
{
    struct journal_log *log = reader->log;
    bool good[2];
    bool found = false;
    int error =
        log->port->ops->read(log->port, 0, reader->window, LOG_RING_FIRST * LOG_BLOCK_BYTES);

    if (error != 0) {
        return error;
    }
    found = log_super_newest(reader->window, good, &log->super);
    reader->super_damaged =
        (!good[0] && !bytes_are_all(reader->window, LOG_BLOCK_BYTES, 0)) ||
        (!good[1] && !bytes_are_all(reader->window + LOG_BLOCK_BYTES, LOG_BLOCK_BYTES, 0));
    log->found_damaged = reader->super_damaged;
    if (found && !reader->super_damaged && uuid_equal(&log->super.owner, owner)) {
        journal_notes_read(reader->window +
                               (log->super.turn % 2 * LOG_BLOCK_BYTES + JOURNAL_NOTES_OFFSET),
                           &log->notes);
    }
    if (found) {
        return super_judge(log, &log->super);
    }
    if (!reader->super_damaged) {
        format(log, owner, fresh);
        return 0;
    }
    return -EBADMSG;
}

static bool holds_nothing(const struct journal_log *log)
{
    for (uint32_t i = 0; i < log->geometry.frame_count; i++) {
        if (log->frames[i].record != LOG_NO_RECORD) {
            return false;
        }
    }
    return true;
}

static int log_read(struct reader *reader, const struct uuid *owner, const struct uuid *fresh)
{
    struct journal_log *log = reader->log;
    int error = super_find(reader, owner, fresh);

    if (error != 0) {
        return error;
    }
    log->tail_durable = log->tail = log->next = log->super.tail_number;
    log->head = log->super.tail_block;
    reader->number = log->next;
    reader->place = log->head;
    error = records_read(reader);
    if (error == 0) {
        error = end_is_an_end(reader);
    }
    if (error != 0) {
        return error;
    }
    if (!uuid_equal(&log->super.owner, owner)) {
        if (!holds_nothing(log)) {
            return -EEXIST;
        }
        log->super.owner = *owner; /* an empty one is as good as a new one */
        log->super.uuid = *fresh;
    }
    log->super.generation++;
    return 0;
}

int journal_log_recover(struct journal_log *log, const struct uuid *owner, const struct uuid *fresh)
{
    struct reader reader = {.log = log};
    int error = 0;

    STATIC_ASSERT(WINDOW_BLOCKS >= 2 * 160, "two whole records fit");
    reader.window =
        aligned_alloc(LOG_BLOCK_BYTES,
                      (size_t)min_u32(WINDOW_BLOCKS, log->geometry.ring_blocks) * LOG_BLOCK_BYTES);
    if (reader.window == NULL) {
        return -ENOMEM;
    }
    error = log_read(&reader, owner, fresh);
    free(reader.window);
    return error;
}
