/*
 * The stripe log at the start: the ring of every member in sync is read once to find the batches,
 * then those of the newest incarnation are read again in order and handed out.
 *
 * (1) Batches count from the newest one's tail on, without a gap: one that is missing would leave
 *     an older intent of a slice to be replayed over what a newer one has done. With a gap
 *     nothing is replayed.
 * (2) Memory that a late read may still fill is never used again (memory_leave()).
 * (3) Of each batch there are copies on several members. One that cannot be read any more, because
 *     its member has been lost meanwhile, is had from another.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vd/stripe_log_private.h"

static void replay_go(struct stripe_log *log);

static struct stripe_log *log_of(struct intent_log *base)
{
    return container_of(base, struct stripe_log, log);
}

static void replay_end(struct stripe_log *log, int error)
{
    struct intent_replay *replay = log->replay;

    free(log->ring);
    log->ring = NULL;
    free(log->found);
    log->found = NULL;
    log->replay = NULL;
    replay->done(replay, error);
}

/* Scanning */

static void found_add(struct stripe_log *log, const struct stripe_batch *batch, uint32_t position)
{
    ASSERT(log->found_count < log->found_max);
    log->found[log->found_count++] = (struct log_found){.incarnation = batch->incarnation,
                                                        .sequence = batch->sequence,
                                                        .tail = batch->tail,
                                                        .member = log->read_member,
                                                        .position = position,
                                                        .bytes = batch->bytes};
}

static void ring_scan(struct stripe_log *log)
{
    struct stripe_batch batch;

    uint32_t at = 0;

    while (at < STRIPE_LOG_BYTES) {
        bool found = stripe_batch_peek(log->ring + at, &batch) == 0 &&
                     guid_equal(&batch.group, &log->group->config.guid) &&
                     batch.bytes <= STRIPE_LOG_BYTES - at &&
                     stripe_batch_check(log->ring + at, &batch) == 0;

        if (found) {
            found_add(log, &batch, at);
        }
        at += found ? batch.bytes : STRIPE_BATCH_ALIGN;
    }
}

static int found_compare(const void *left, const void *right)
{
    const struct log_found *a = left;
    const struct log_found *b = right;

    if (a->incarnation != b->incarnation) {
        return a->incarnation > b->incarnation ? -1 : 1; /* newest first */
    }
    if (a->sequence != b->sequence) {
        return a->sequence < b->sequence ? -1 : 1;
    }
    return (a->member > b->member) - (a->member < b->member);
}

/* Leaves in `found` the copies of each batch that counts, in order. False: there is a gap. */
static bool found_choose(struct stripe_log *log)
{
    uint32_t kept = 0;
    uint32_t end = 0;
    uint64_t tail = 0;
    uint64_t expected = 0;

    if (log->found_count == 0) {
        return true;
    }
    qsort(log->found, log->found_count, sizeof(log->found[0]), found_compare);
    while (end < log->found_count && log->found[end].incarnation == log->found[0].incarnation) {
        end++;
    }
    log->incarnation = log->found[0].incarnation;
    log->head = log->found[end - 1].position + log->found[end - 1].bytes;
    tail = log->found[end - 1].tail;
    expected = tail;
    for (uint32_t i = 0; i < end; i++) {
        if (log->found[i].sequence < tail) {
            continue; /* released */
        }
        if (log->found[i].sequence > expected) {
            return false;
        }
        expected = log->found[i].sequence + 1;
        log->found[kept++] = log->found[i];
    }
    log->found_count = kept;
    return true;
}

static void scan_next_member(struct stripe_log *log)
{
    log->read_bytes = 0;
    log->fine_end = 0;
    log->read_member++;
}

/* The next piece of the next member; false: all have been read. */
static bool scan_read(struct stripe_log *log)
{
    struct group *group = log->group;

    if (log->read_bytes == STRIPE_LOG_BYTES) {
        ring_scan(log);
        scan_next_member(log);
    }
    while (log->read_member < group->config.member_count) {
        struct log_io *io = &log->ios[log->read_member];

        if (group->config.members[log->read_member].state == MEMBER_ONLINE) {
            bool fine = log->read_bytes < log->fine_end;

            log_read_submit(io, log->read_bytes, fine ? STRIPE_BATCH_ALIGN : IO_LENGTH_MAX_BYTES,
                            log->ring + log->read_bytes);
            return true;
        }
        scan_next_member(log);
    }
    return false;
}

static void scan_go(struct stripe_log *log)
{
    if (scan_read(log)) {
        return;
    }
    if (!found_choose(log)) {
        replay_end(log, -EIO);
        return;
    }
    free(log->ring);
    log->ring = NULL;
    log->next_found = 0;
    log->next_intent = 0;
    log->reading.bytes = 0;
    replay_go(log);
}

/* Handing out */

static bool batch_is_read(const struct stripe_log *log)
{
    return log->reading.bytes != 0 && log->read_bytes == log->reading.bytes;
}

/* False: the member that has this copy has been lost since it was found. */
static bool batch_read(struct stripe_log *log)
{
    const struct log_found *found = &log->found[log->next_found];
    struct log_io *io = &log->ios[found->member];

    if (log->group->config.members[found->member].state != MEMBER_ONLINE) {
        return false; /* as is every one whose transfer has timed out */
    }
    if (log->reading.bytes == 0) {
        log->reading.bytes = found->bytes;
        log->read_bytes = 0;
    }
    log_read_submit(io, found->position + log->read_bytes,
                    min_u32(found->bytes - log->read_bytes, IO_LENGTH_MAX_BYTES),
                    log->buffer + log->read_bytes);
    return true;
}

/* Another copy of the same batch, from its beginning. False: there is none. */
static bool copy_next(struct stripe_log *log)
{
    uint64_t sequence = log->found[log->next_found].sequence;

    ASSERT(log->next_intent == 0); /* nothing of this one has been handed out */
    log->reading.bytes = 0;
    log->next_found++;
    return log->next_found < log->found_count && log->found[log->next_found].sequence == sequence;
}

/* Was it readable a moment ago, and is it not now? Then nothing is known any more. */
static bool batch_is_sound(struct stripe_log *log)
{
    const struct log_found *found = &log->found[log->next_found];

    return stripe_batch_peek(log->buffer, &log->reading) == 0 &&
           log->reading.bytes == found->bytes && log->reading.sequence == found->sequence &&
           stripe_batch_check(log->buffer, &log->reading) == 0;
}

static void batch_end(struct stripe_log *log)
{
    uint64_t sequence = log->found[log->next_found].sequence;

    while (log->next_found < log->found_count && log->found[log->next_found].sequence == sequence) {
        log->next_found++; /* all its copies */
    }
    log->next_intent = 0;
    log->reading.bytes = 0;
}

/* Goes on until a transfer or the owner has to be waited for. */
static void replay_go(struct stripe_log *log)
{
    for (;;) {
        if (log->next_found == log->found_count) {
            replay_end(log, log->found_count == 0 ? -ENOENT : 0);
            return;
        }
        if (!batch_is_read(log)) {
            if (batch_read(log)) {
                return;
            }
            if (!copy_next(log)) {
                replay_end(log, -EIO);
                return;
            }
            continue;
        }
        if (log->next_intent == log->reading.intent_count) {
            batch_end(log);
            continue;
        }
        stripe_batch_intent(log->buffer, &log->reading, log->next_intent++, &log->handed);
        log->inside = true;
        log->again = false;
        log->replay->intent(log->replay, &log->handed);
        log->inside = false;
        if (!log->again) {
            return;
        }
    }
}

/* The seam */

void log_replay(struct intent_log *base, struct intent_replay *replay)
{
    struct stripe_log *log = log_of(base);

    ASSERT(log->replay == NULL && !log->running && log->batch_count == 0);
    log->replay = replay;
    log->found_count = 0;
    log->read_member = 0;
    log->read_bytes = 0;
    log->fine_end = 0;
    log->ring = aligned_alloc(IO_ALIGN_BYTES, STRIPE_LOG_BYTES);
    log->found_max =
        (uint32_t)(STRIPE_LOG_BYTES / STRIPE_BATCH_ALIGN) * log->group->config.member_count;
    log->found = calloc(log->found_max, sizeof(log->found[0]));
    ASSERT(log->ring != NULL && log->found != NULL); /* control path */
    scan_go(log);
}

void log_replay_next(struct intent_log *base, struct intent_replay *replay)
{
    struct stripe_log *log = log_of(base);

    ASSERT(log->replay == replay);
    if (log->inside) {
        log->again = true;
    } else {
        replay_go(log);
    }
}

static void scan_answered(struct stripe_log *log, struct log_io *io)
{
    if (io->status != IO_STATUS_OK && io->io.length_bytes > STRIPE_BATCH_ALIGN) {
        log->fine_end = log->read_bytes + io->io.length_bytes; /* what of it can be read? */
        scan_go(log);
        return;
    }
    if (io->status != IO_STATUS_OK) {
        memset(log->ring + log->read_bytes, 0, io->io.length_bytes); /* other copies may do */
    }
    log->read_bytes += io->io.length_bytes;
    scan_go(log);
}

static void batch_answered(struct stripe_log *log, struct log_io *io)
{
    bool sound = io->status == IO_STATUS_OK;

    if (sound) {
        log->read_bytes += io->io.length_bytes;
        sound = !batch_is_read(log) || batch_is_sound(log);
    }
    if (!sound && !copy_next(log)) {
        replay_end(log, -EIO);
        return;
    }
    replay_go(log);
}

/* The device may write to the memory of a read that it has not answered in time until it gives it
 * back: it stays with that read, and the log goes on with another. */
static void memory_leave(struct stripe_log *log, struct log_io *io)
{
    uint8_t **memory = log->ring != NULL ? &log->ring : &log->buffer;
    size_t bytes = log->ring != NULL ? STRIPE_LOG_BYTES : LOG_BUFFER_BYTES;

    ASSERT(io->kept == NULL);
    io->kept = *memory;
    *memory = aligned_alloc(IO_ALIGN_BYTES, bytes);
    ASSERT(*memory != NULL); /* control path */
}

/* Within a turn. */
void log_read_answered(struct log_io *io)
{
    struct stripe_log *log = io->log;

    ASSERT(log->replay != NULL);
    if (io->late) {
        memory_leave(log, io);
    }
    if (io->status == IO_STATUS_TIMEOUT || io->status == IO_STATUS_GONE) {
        member_lose_by_status(log->group, io->member, IO_OP_READ, io->status);
    }
    if (log->ring != NULL) {
        scan_answered(log, io);
    } else {
        batch_answered(log, io);
    }
}
