/*
 * Transfers of a stripe operation. A column's transfer counts as done when the drive has given
 * it back, or, after a timeout, at once: then the column is barred and its buffer swapped.
 */
#include "cache/sim_bug.h"
#include "vd/group_private.h"

uint64_t stripe_drive_offset(const struct stripe_op *op, uint32_t place)
{
    return row_drive_offset(op->vd, &op->map, place, op->lo);
}

static uint32_t bit_of(const struct stripe_column *column)
{
    return UINT32_C(1) << column->place;
}

/*
 * The late device may still write into the old buffer (5): a column to be recovered gets a spare
 * one. Mirrors recover nothing. When the spares are used up, more has been lost than any level
 * bears, and act_read() gives up: the buffer is not touched then.
 */
static void column_bar_read(struct stripe_op *op, struct stripe_column *column)
{
    uint8_t *late = column->buffer;

    if (op->spare_count == 0 || stripe_is_mirrored(op)) {
        return;
    }
    op->spare_count--;
    column->buffer = op->spares[op->spare_count];
    op->spares[op->spare_count] = late;
}

/* Reading back went into spares[0]: that is out of use, and the last one takes its place. */
static void column_bar_verify(struct stripe_op *op)
{
    uint8_t *late = op->spares[0];

    ASSERT(op->spare_count > 0);
    op->spare_count--;
    op->spares[0] = op->spares[op->spare_count];
    op->spares[op->spare_count] = late;
}

static void column_bar(struct stripe_op *op, struct stripe_column *column)
{
    column->late = true;
    op->late++;
    if (column == &op->twin) {
        return; /* the member itself is not late */
    }
    op->barred |= bit_of(column);
    if (op->state == STRIPE_READ) {
        column_bar_read(op, column);
    } else if (op->state == STRIPE_VERIFY) {
        column_bar_verify(op);
    }
}

/* What a direct read has got is not its content: zeros may have been written there meanwhile, by a
 * write that had to do without it (stripe_fine.c (1)). With the lock, nobody can. */
static bool direct_is_void(const struct stripe_op *op, const struct stripe_column *column)
{
    if (!op->direct || op->group->config.bad_count == 0) {
        return false;
    }
    return stripe_is_punctured(op) ||
           bad_blocks_meet(&op->group->config, stripe_member(op, column->place),
                           column->io.offset_bytes, column->io.length_bytes, LOST_KIND);
}

static void column_read_answered(struct stripe_op *op, struct stripe_column *column)
{
    if (SIM_BUG(READ_ERROR_IS_DATA) && column->status == IO_STATUS_MEDIA) {
        column->status = IO_STATUS_OK;
    }
    switch (column->status) {
    case IO_STATUS_OK:
        if (op->by_sector) {
            sectors_answered(op, column->place);
            stripe_read_note(op, column->place, &column->io);
        } else if (!direct_is_void(op, column)) { /* else it plans again, and asks for the lock */
            op->have |= bit_of(column);
            stripe_read_note(op, column->place, &column->io);
        }
        break;
    case IO_STATUS_MEDIA:
    case IO_STATUS_NO_SPACE:
    case IO_STATUS_READ_ONLY:
    case IO_STATUS_ERROR:
        op->failed |= bit_of(column);
        break;
    case IO_STATUS_TIMEOUT:
    case IO_STATUS_GONE:
        member_lose_by_transfer(op->group, stripe_member(op, column->place), &column->io,
                                column->status);
        break;
    case IO_STATUS_MAX:
        UNREACHABLE();
    }
}

/* The second write of a copyback's member. A drive that has become the member meanwhile has missed
 * a write of its own. */
static void twin_answered(struct stripe_op *op, struct stripe_column *column)
{
    struct group *group = op->group;
    struct drive *drive = column->io.drive;
    uint32_t member = group->twin_member;

    if (column->status == IO_STATUS_OK) {
        group->twin.written += group->twin.drive == drive ? 1u : 0u;
        group->members[member].written += group->members[member].drive == drive ? 1u : 0u;
    } else if (group->members[member].drive == drive) {
        member_lose_by_status(group, member, IO_OP_WRITE, column->status);
    } else if (!SIM_BUG(COPYBACK_MISSED)) {
        twin_drop_by_status(group, drive, column->status);
    }
}

static void column_write_answered(struct stripe_op *op, struct stripe_column *column)
{
    uint32_t member = stripe_member(op, column->place);

    if (column->status == IO_STATUS_OK ||
        (SIM_BUG(WRITE_ERROR_FORGOTTEN) && column->status != IO_STATUS_TIMEOUT)) {
        op->group->members[member].written++;
        op->written |= bit_of(column);
        return;
    }
    /* A repair that fails must not cost the last copy: the read has its answer already. */
    if (op->want == PLAN_READ && column->status != IO_STATUS_GONE &&
        column->status != IO_STATUS_TIMEOUT && member_is_last_copy(op->group, member)) {
        return;
    }
    if (IO_STATUS_IS_REFUSAL(
            column->status)) { /* what that costs is decided when all have answered */
        op->refused |= op->want == PLAN_READ ? 0 : bit_of(column);
        return;
    }
    member_lose_by_transfer(op->group, member, &column->io, column->status);
}

static void step_done(struct stripe_op *op)
{
    ASSERT(op->pending == 0);
    if (op->state == STRIPE_READ) {
        bool whole = !op->by_sector && (op->plan.reads & ~op->have) == 0;

        stripe_event(op, whole ? STRIPE_READ_OK : STRIPE_READ_BAD);
    } else if (op->state == STRIPE_WRITE) {
        stripe_event(op, op->refused == 0 ? STRIPE_WRITTEN : stripe_refusals_judge(op));
    } else {
        ASSERT(op->state == STRIPE_VERIFY);
        stripe_event(op, STRIPE_NEXT);
    }
}

static void column_answered(struct stripe_column *column)
{
    struct stripe_op *op = column->op;
    struct group *group = op->group;

    group_enter(group);
    ASSERT(op->pending > 0);
    if (op->state == STRIPE_READ) {
        column_read_answered(op, column);
    } else if (column == &op->twin) {
        twin_answered(op, column);
    } else if (op->state == STRIPE_WRITE) {
        column_write_answered(op, column);
    } else if (column->status == IO_STATUS_GONE || column->status == IO_STATUS_TIMEOUT) {
        member_lose_by_transfer(group, stripe_member(op, column->place), &column->io,
                                column->status);
    }
    op->pending--;
    if (op->pending == 0) {
        step_done(op);
    }
    group_leave(group);
}

static void column_complete(struct drive_io *io, enum io_status status)
{
    struct stripe_column *column = io->owner;

    column->status = status;
    if (column->late) {
        if (status == IO_STATUS_TIMEOUT) {
            hedge_timed_out(column->op, column);
        }
        return;
    }
    if (status == IO_STATUS_TIMEOUT) {
        column_bar(column->op, column);
        column_answered(column);
    }
}

static void column_released(struct drive_io *io)
{
    struct stripe_column *column = io->owner;
    struct stripe_op *op = column->op;

    if (!column->late) {
        column_answered(column);
        return;
    }
    column->late = false;
    ASSERT(op->late > 0);
    op->late--;
    if (column->hedged && op->state != STRIPE_LINGER) {
        hedge_returned(op, column);
        return;
    }
    column->hedged = false;
    if (op->late == 0 && op->state == STRIPE_LINGER) {
        struct group *group = op->group;

        stripe_event(op, STRIPE_RELEASED);
        group_late_gone(group);
    }
}

/* Has the drive failed to read some of it before? */
static bool is_noted(const struct stripe_op *op, uint32_t place, const struct drive_io *io)
{
    return op->group->config.bad_count > 0 &&
           bad_blocks_meet(&op->group->config, stripe_member(op, place), io->offset_bytes,
                           io->length_bytes, BAD_KINDS_ALL);
}

static void transfer_submit(struct stripe_op *op, struct stripe_column *column, uint32_t place,
                            struct drive *drive, enum io_op io_op)
{
    struct drive_io *io = &column->io;

    ASSERT(drive != NULL && !column->late);
    column->op = op;
    column->place = place;
    io->op = io_op;
    io->class_ = op->sync != NULL ? IO_CLASS_BACKGROUND : IO_CLASS_FOREGROUND;
    io->complete = column_complete;
    io->released = column_released;
    io->patience_us = io_op == IO_OP_READ ? hedge_patience_us(op, place) : 0;
    io->waiting = hedge_waiting;
    io->known_bad = op->by_sector || is_noted(op, place, io);
    io->run_bytes = io_op == IO_OP_READ ? op->run_bytes : 0;
    io->owner = column;
    drive_submit(drive, io);
}

static void column_submit(struct stripe_op *op, uint32_t place, enum io_op io_op, uint32_t lo,
                          uint32_t hi, uint8_t *buffer)
{
    struct stripe_column *column = &op->columns[place];

    ASSERT(lo >= op->lo && hi <= op->hi && lo < hi);
    column->io.offset_bytes = stripe_drive_offset(op, place) + (lo - op->lo);
    column->io.length_bytes = hi - lo;
    column->io.buffer = buffer;
    transfer_submit(op, column, place, op->group->members[stripe_member(op, place)].drive, io_op);
}

/* What the member gets its twin gets too (copyback.c (1)). */
static void twin_submit(struct stripe_op *op, uint32_t place, uint8_t *buffer)
{
    op->pending++;
    op->twin.io.offset_bytes = stripe_drive_offset(op, place);
    op->twin.io.length_bytes = op->hi - op->lo;
    op->twin.io.buffer = buffer;
    transfer_submit(op, &op->twin, place, op->group->twin.drive, IO_OP_WRITE);
}

/* A direct read needs of each column only what was asked for. */
static void direct_range(const struct stripe_op *op, uint32_t place, uint32_t *ret_lo,
                         uint32_t *ret_hi)
{
    uint32_t d = op->data_first;
    uint32_t lo = 0;
    uint32_t hi = 0;

    if (op->data_end - op->data_first == 1) { /* as all of a mirror's */
        *ret_lo = op->lo; /* op's range is the one strip's */
        *ret_hi = op->hi;
        return;
    }
    while (op->map.data_place[d] != place) {
        d++;
        ASSERT(d < op->data_end);
    }
    stripe_request_range(op, d, &lo, &hi);
    *ret_lo = (uint32_t)align_down_u64(lo, IO_ALIGN_BYTES);
    *ret_hi = (uint32_t)align_up_u64(hi, IO_ALIGN_BYTES);
}

void stripe_read_submit(struct stripe_op *op, uint32_t places)
{
    ASSERT(op->state == STRIPE_READ && places != 0 && op->pending == 0);
    for (; places != 0; places &= places - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(places);
        uint32_t lo = op->lo;
        uint32_t hi = op->hi;

        op->pending++; /* answers never come from inside the submission */
        if (op->direct) {
            direct_range(op, place, &lo, &hi);
        }
        column_submit(op, place, IO_OP_READ, lo, hi, op->columns[place].buffer + (lo - op->lo));
    }
}

void stripe_sector_submit(struct stripe_op *op, uint32_t place, uint32_t lo, uint32_t hi)
{
    ASSERT(op->state == STRIPE_READ);
    op->pending++; /* as above */
    column_submit(op, place, IO_OP_READ, op->lo + lo, op->lo + hi, op->columns[place].buffer + lo);
}

bool stripe_write_submit(struct stripe_op *op, uint32_t places)
{
    bool mirrored = op->plan.kernel == PLAN_KERNEL_COPY;
    uint32_t twin = twin_place(op);
    uint32_t doubles = op->copy | (SIM_BUG(COPYBACK_ONE) ? 0 : places);
    bool doubled = twin != TWIN_NOWHERE && (doubles & (UINT32_C(1) << twin)) != 0;

    if (CACHE_BUG(KEPT_PAST_TWIN) && op->request != NULL && op->request->kept) {
        doubled = false;
    }
    ASSERT(op->state == STRIPE_WRITE);
    ASSERT(!op->direct && op->pending == 0);
    ASSERT(!op->bare);
    if (places == 0 && !doubled) {
        return false;
    }
    op->bare = !op->logged && op->replay == NULL && op->map.p_place >= 0;
    op->group->bare_writes += op->bare ? 1u : 0u;
    op->writes_logged = op->logged && op->map.p_place >= 0;
    if (op->writes_logged && op->log_number == op->group->log_number) {
        op->group->logged_writes++;
    } else if (op->writes_logged) {
        op->group->stray_writes++;
    }
    if (doubled) {
        twin_submit(op, twin, op->columns[stripe_is_mirrored(op) ? op->source : twin].buffer);
    }
    for (; places != 0; places &= places - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(places);

        op->pending++;
        column_submit(op, place, IO_OP_WRITE, op->lo, op->hi,
                      op->columns[mirrored ? op->source : place].buffer);
    }
    return op->pending > 0;
}

void stripe_verify_submit(struct stripe_op *op, uint32_t place)
{
    ASSERT(op->state == STRIPE_VERIFY && op->spare_count > 0);
    op->pending = 1;
    column_submit(op, place, IO_OP_READ, op->lo, op->hi, op->spares[0]);
}
