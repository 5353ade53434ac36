/*
 * Hedged reads, an option of the virtual drive: a read that takes much longer than its drive's
 * usually do is not waited for any longer. Another copy is read, or the strip is recovered from
 * the rest of its row, and what comes first is the answer (engine.md 6.2).
 *
 * (1) The drive loses nothing by it: it stays a member, and as long as it has the column's buffer
 *     nobody else uses that or reads the place.
 * (2) Only rows known consistent are read in another way: elsewhere it might be another version.
 * (3) No error comes of it: if the other way fails too, the first answer is waited for.
 * (4) One read in HEDGE_SHARE at most is hedged: where everything is slow, asking twice makes it
 *     worse.
 */
#include "vd/group_private.h"

#define HEDGE_SHARE 20u
#define HEDGE_CREDIT_MAX (16u * HEDGE_SHARE)
/* Longer than 999 of 1000 reads take, and than so many times what one usually takes; the larger
 * one as long as not enough reads have been seen. */
#define HEDGE_TIMES 4u
#define HEDGE_TIMES_UNKNOWN 8u
#define HEDGE_MIN_US 500u
/* The percentile of a drive is looked up again after so many reads. */
#define HEDGE_PERCENTILE_READS 64u

static uint64_t percentile_of(struct member *member)
{
    if (member->percentile_reads == 0) {
        member->percentile_reads = HEDGE_PERCENTILE_READS;
        member->percentile_us = drive_read_p999_us(member->drive);
    }
    member->percentile_reads--;
    return member->percentile_us;
}

uint64_t hedge_patience_us(const struct stripe_op *op, uint32_t place)
{
    struct group *group = op->group;
    struct member *member = &group->members[stripe_member(op, place)];
    uint64_t percentile_us = 0;
    uint64_t usual_us = 0;

    if (!vd_config_of(op->vd)->hedged_reads || !op->direct) {
        return 0;
    }
    ASSERT(op->want == PLAN_READ && op->request != NULL);
    group->hedge_credit = min_u32(group->hedge_credit + 1, HEDGE_CREDIT_MAX);
    percentile_us = percentile_of(member);
    usual_us = drive_pace(member->drive, op->hi - op->lo).idle_us *
               (percentile_us != 0 ? HEDGE_TIMES : HEDGE_TIMES_UNKNOWN);
    usual_us = max_u64(usual_us, percentile_us);
    return usual_us == 0 ? 0 : max_u64(usual_us, HEDGE_MIN_US);
}

/* Is there another way to this strip? */
static bool can_do_without(struct stripe_op *op, uint32_t bit)
{
    struct plan plan = op->plan;
    uint32_t failed = op->failed;
    bool can = false;

    if ((!stripe_row_is_consistent(op) && !SIM_BUG(HEDGE_UNSOUND)) ||
        op->spare_count < STRIPE_SPARES) {
        return false;
    }
    op->barred |= bit;
    can = stripe_plan(op) == 0;
    op->barred &= ~bit;
    op->failed = failed;
    op->plan = plan;
    return can;
}

static void let_go(struct stripe_op *op, struct stripe_column *column)
{
    ASSERT(!column->late && !column->hedged);
    column->late = true;
    column->hedged = true;
    column->kept = column->buffer;
    op->late++;
    op->barred |= UINT32_C(1) << column->place;
}

void hedge_waiting(struct drive_io *io)
{
    struct stripe_column *column = io->owner;
    struct stripe_op *op = column->op;
    struct group *group = op->group;

    if (column->late) {
        return; /* nobody waits for it any more */
    }
    ASSERT(op->state == STRIPE_READ && op->direct);
    group_enter(group);
    if (group->hedge_credit >= HEDGE_SHARE && can_do_without(op, UINT32_C(1) << column->place)) {
        group->hedge_credit -= HEDGE_SHARE;
        op->vd->hedged_reads++;
        let_go(op, column);
        if (!stripe_is_mirrored(op)) { /* to be recovered into memory not the drive's (1) */
            op->spare_count--;
            column->buffer = op->spares[op->spare_count];
            op->spares[op->spare_count] = column->kept;
        }
        ASSERT(op->pending > 0);
        op->pending--;
        if (op->pending == 0) {
            stripe_event(op, STRIPE_READ_BAD);
        }
    }
    group_leave(group);
}

bool hedge_is_out(const struct stripe_op *op)
{
    for (uint32_t place = 0; place < op->map.width && op->late > 0; place++) {
        if (op->columns[place].hedged) {
            return true;
        }
    }
    return false;
}

bool hedge_is_all_late(const struct stripe_op *op)
{
    for (uint32_t place = 0; place < op->map.width; place++) {
        const struct stripe_column *column = &op->columns[place];

        if (column->late && !column->hedged) {
            return false;
        }
    }
    return true;
}

/* The first answer has come before the second: that one is not waited for. */
static void adopt(struct stripe_op *op, struct stripe_column *column)
{
    uint32_t bit = UINT32_C(1) << column->place;
    struct stripe_column *second = &op->columns[__builtin_ctz(op->plan.reads)];

    ASSERT(op->direct && op->pending == 1 && op->plan.reads != bit);
    ASSERT(op->plan.writes == 0 && (op->plan.reads & (op->plan.reads - 1)) == 0);
    let_go(op, second);
    op->pending = 0;
    op->have |= bit;
    op->plan.reads = bit;
    stripe_event(op, STRIPE_READ_OK);
}

/* The buffer that the drive had is free again. It is among those in use, perhaps behind others that
 * other late drives have; a mirror's is not: none has been taken for it. */
static void buffer_take_back(struct stripe_op *op, const struct stripe_column *column)
{
    for (uint32_t i = op->spare_count; i < STRIPE_SPARES; i++) {
        if (op->spares[i] == column->kept) {
            op->spares[i] = op->spares[op->spare_count];
            op->spares[op->spare_count] = column->kept;
            op->spare_count++;
            return;
        }
    }
}

static void go_on(struct stripe_op *op)
{
    if (op->hedge_wait) {
        op->hedge_wait = false;
        stripe_event(op, STRIPE_READ_BAD); /* (3) */
    }
}

/* The drive has not answered in time, whoever waits for it: the buffer remains with it. */
void hedge_timed_out(struct stripe_op *op, struct stripe_column *column)
{
    struct group *group = op->group;

    ASSERT(column->late && column->hedged);
    if (op->state == STRIPE_LINGER) {
        stripe_op_substitute(group);
        return; /* who uses the drive next is told */
    }
    group_enter(group);
    column->hedged = false;
    member_lose_by_transfer(group, stripe_member(op, column->place), &column->io, column->status);
    go_on(op);
    group_leave(group);
}

void hedge_returned(struct stripe_op *op, struct stripe_column *column)
{
    struct group *group = op->group;
    bool direct = op->state == STRIPE_READ && op->direct;

    ASSERT(op->state != STRIPE_LINGER && column->hedged);
    group_enter(group);
    column->hedged = false;
    op->barred &= ~(UINT32_C(1) << column->place);
    buffer_take_back(op, column);
    if (column->status == IO_STATUS_GONE) {
        member_lose_by_transfer(group, stripe_member(op, column->place), &column->io,
                                column->status);
    }
    if (direct && stripe_is_mirrored(op) && column->status == IO_STATUS_OK) {
        adopt(op, column);
    } else {
        go_on(op);
    }
    group_leave(group);
}

uint64_t vd_hedged_reads(const struct vd *vd)
{
    return vd->hedged_reads;
}
