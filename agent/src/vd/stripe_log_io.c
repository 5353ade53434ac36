/*
 * Transfers of the stripe log. A batch goes to its members at the same time; each writes it in
 * pieces and then flushes. A member that fails is lost, and with it the need of its copy.
 */
#include <stdlib.h>

#include "vd/stripe_log_private.h"

static void io_answered(struct log_io *io);

static void io_complete(struct drive_io *drive_io, enum io_status status)
{
    struct log_io *io = drive_io->owner;

    ASSERT(io->busy);
    io->status = status;
    if (status == IO_STATUS_TIMEOUT) {
        io->late = true;
        io->log->late++;
        io->log->group->late_flushes++;
        io_answered(io);
    }
}

static void io_released(struct drive_io *drive_io)
{
    struct log_io *io = drive_io->owner;
    struct group *group = io->log->group;

    io->busy = false;
    if (!io->late) {
        io_answered(io);
        return;
    }
    io->late = false;
    free(io->kept);
    io->kept = NULL;
    ASSERT(io->log->late > 0 && group->late_flushes > 0);
    io->log->late--;
    group->late_flushes--;
    group_late_gone(group); /* which frees the log, if it was the last thing to wait for */
}

static void io_submit(struct log_io *io, enum io_op op, uint64_t offset_bytes,
                      uint32_t length_bytes, uint8_t *buffer)
{
    struct drive *drive = io->log->group->members[io->member].drive;

    ASSERT(!io->busy && drive != NULL);
    io->busy = true;
    io->io.op = op;
    io->io.class_ = IO_CLASS_FOREGROUND;
    io->io.offset_bytes = offset_bytes;
    io->io.length_bytes = length_bytes;
    io->io.buffer = buffer;
    io->io.complete = io_complete;
    io->io.released = io_released;
    io->io.owner = io;
    drive_submit(drive, &io->io);
}

static uint64_t ring_offset(const struct log_io *io, uint32_t position)
{
    uint64_t size_bytes = drive_size_bytes(io->log->group->members[io->member].drive);

    ASSERT(position < STRIPE_LOG_BYTES);
    return drive_layout_stripe_log_offset(size_bytes, io->log->group->config.compact) + position;
}

void log_read_submit(struct log_io *io, uint32_t position, uint32_t bytes, uint8_t *buffer)
{
    ASSERT(bytes <= IO_LENGTH_MAX_BYTES && position + bytes <= STRIPE_LOG_BYTES);
    io_submit(io, IO_OP_READ, ring_offset(io, position), bytes, buffer);
}

/* The next piece, or the flush, or nothing more. */
static bool batch_step(struct log_io *io)
{
    struct stripe_log *log = io->log;
    uint32_t left = log->batch.bytes - io->done_bytes;

    if (left > 0) {
        io_submit(io, IO_OP_WRITE, ring_offset(io, log->head + io->done_bytes),
                  min_u32(left, IO_LENGTH_MAX_BYTES), log->buffer + io->done_bytes);
        return true;
    }
    if (!io->flushing) {
        io->flushing = true;
        io_submit(io, IO_OP_FLUSH, 0, 0, NULL);
        return true;
    }
    return false;
}

static void batch_part_done(struct stripe_log *log);

static void batch_answered(struct log_io *io)
{
    struct stripe_log *log = io->log;
    struct group *group = log->group;

    if (io->status != IO_STATUS_OK) {
        if (IO_STATUS_IS_REFUSAL(io->status) && group->members[io->member].drive == io->io.drive) {
            io->refusal = io->status; /* judged when all have answered */
            log->refused = true;
        } else {
            member_lose_by_transfer(group, io->member, &io->io, io->status);
        }
        batch_part_done(log);
        return;
    }
    io->done_bytes += io->flushing ? 0 : io->io.length_bytes;
    if (!member_is_live(group, io->member)) {
        batch_part_done(log); /* lost by somebody else */
    } else if (!batch_step(io)) {
        log->copies += group->config.members[io->member].state == MEMBER_ONLINE ? 1 : 0;
        batch_part_done(log);
    }
}

static void io_answered(struct log_io *io)
{
    struct group *group = io->log->group;

    group_enter(group);
    if (io->log->running) {
        batch_answered(io);
    } else {
        log_read_answered(io);
    }
    group_leave(group);
}

/* As many as may still be lost in this span, and one more; where it depends on which ones, all. */
static uint32_t copies_wanted(const struct group *group, const struct geometry *geometry,
                              uint32_t span)
{
    uint32_t lost = 0;
    int left = 0;

    for (uint32_t place = 0; place < geometry->members_per_span; place++) {
        uint32_t member = span * geometry->members_per_span + place;

        lost |= group->config.members[member].state != MEMBER_ONLINE ? UINT32_C(1) << place : 0;
    }
    left = geometry_losses_left(geometry, lost);
    ASSERT(left >= 0); /* not offline */
    return raid_level_info(geometry->level)->adjacent_pairs ? geometry->members_per_span
                                                            : (uint32_t)left + 1;
}

static void batch_submit(struct log_io *io)
{
    io->done_bytes = 0;
    io->flushing = false;
    io->log->pending++;
    (void)batch_step(io); /* there is something to write */
}

static bool place_is_free(const struct stripe_log *log, uint32_t place)
{
    const struct geometry *geometry = &log->group->config.vds[0].geometry;
    const struct log_io *io = &log->ios[log->span * geometry->members_per_span + place];

    return log->group->config.members[io->member].state == MEMBER_ONLINE && !io->busy &&
           (log->tried & (UINT32_C(1) << place)) == 0;
}

/* Of those that are free the one with the least waiting before it: the writes of the rows keep some
 * members busier than others. Where all are alike, they take turns. UINT32_MAX: none is free. */
static uint32_t place_choose(const struct stripe_log *log)
{
    uint32_t width = log->group->config.vds[0].geometry.members_per_span;
    uint32_t best = UINT32_MAX;
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < width; i++) {
        uint32_t place = (uint32_t)((log->batch.sequence + i) % width);

        if (place_is_free(log, place)) {
            uint32_t waiting =
                drive_queued_all(log->group->members[log->span * width + place].drive);

            best = waiting < least ? place : best;
            least = min_u32(least, waiting);
        }
    }
    return best;
}

/* To so many more members of the span. True: there was one. */
static bool batch_submit_more(struct stripe_log *log, uint32_t wanted)
{
    uint32_t width = log->group->config.vds[0].geometry.members_per_span;
    bool any = false;

    for (; wanted > 0; wanted--) {
        uint32_t place = place_choose(log);

        if (place == UINT32_MAX) {
            break;
        }
        log->tried |= UINT32_C(1) << place;
        any = true;
        batch_submit(&log->ios[log->span * width + place]);
    }
    return any;
}

static void batch_joiners_submit(struct stripe_log *log)
{
    uint32_t width = log->group->config.vds[0].geometry.members_per_span;

    for (uint32_t member = log->span * width; member < (log->span + 1) * width; member++) {
        if (log_member_joins(log, member)) {
            batch_submit(&log->ios[member]);
        }
    }
}

bool log_batch_is_short(const struct stripe_log *log)
{
    const struct group *group = log->group;

    return log->refused && !group_is_offline(group) && group->config.vd_count > 0 &&
           log->copies < copies_wanted(group, &group->config.vds[0].geometry, log->span);
}

/* Those that have refused their part are lost if the group bears that. Others may yet take it, so
 * this has nothing to do with marks and records (member_refusals_judge()). */
static void batch_refusals_judge(struct stripe_log *log)
{
    struct group *group = log->group;
    uint32_t members[GROUP_MEMBERS_MAX];
    uint32_t count = 0;
    bool bears = false;

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (log->ios[i].refusal != IO_STATUS_OK && member_is_live(group, i)) {
            group->members[i].refused_us = clock_now_us(group->clock);
            members[count++] = i;
        }
    }
    bears = count > 0 && members_bear_loss(group, members, count);
    for (uint32_t i = 0; i < count && bears; i++) {
        struct log_io *io = &log->ios[members[i]];

        member_lose_by_transfer(group, members[i], &io->io, io->refusal);
    }
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        log->ios[i].refusal = IO_STATUS_OK;
    }
}

/* Where copies are missing that members have refused, others will do: first of this span. */
static void batch_part_done(struct stripe_log *log)
{
    struct group *group = log->group;

    ASSERT(log->pending > 0);
    log->pending--;
    if (log->pending > 0) {
        return;
    }
    if (log->refused) {
        batch_refusals_judge(log);
    }
    if (log_batch_is_short(log)) {
        const struct geometry *geometry = &group->config.vds[0].geometry;

        if (batch_submit_more(log, copies_wanted(group, geometry, log->span) - log->copies)) {
            return;
        }
        if (log->spans_left > 0) {
            log->spans_left--;
            log_batch_write(log);
            return;
        }
        group_refuse(group);
    }
    log_batch_written(log);
}

/* What settles the log goes to all members: it is rare, and whoever is left is to find it. */
static void batch_spread(struct stripe_log *log)
{
    struct group *group = log->group;
    uint32_t width = group->config.vds[0].geometry.members_per_span;

    for (uint32_t member = 0; member < group->config.member_count; member++) {
        struct log_io *io = &log->ios[member];

        if (member / width != log->span && group->config.members[member].state == MEMBER_ONLINE &&
            !io->busy) {
            batch_submit(io);
        }
    }
}

/* The spans take turns, and in a span its members. */
void log_batch_write(struct stripe_log *log)
{
    struct group *group = log->group;
    const struct geometry *geometry = &group->config.vds[0].geometry;
    bool settles = !list_is_empty(&log->settling) && !SIM_BUG(LOG_ONE_COPY);
    uint32_t wanted = 0;

    ASSERT(log->running && log->pending == 0 && group->config.vd_count > 0);
    log->span = (log->span + 1) % geometry->span_count;
    wanted = copies_wanted(group, geometry, log->span);
    wanted = SIM_BUG(LOG_ONE_COPY) ? min_u32(wanted, 1) : wanted;
    log->copies = 0;
    log->tried = 0;
    log->refused = false;
    log->pending = 1; /* of this call */
    (void)batch_submit_more(log, settles ? geometry->members_per_span : wanted);
    if (settles) {
        batch_spread(log);
    }
    batch_joiners_submit(log);
    batch_part_done(log);
}
