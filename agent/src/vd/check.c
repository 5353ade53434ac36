/*
 * The consistency check: all members of a row are read and compared with each other. A difference
 * is silent damage, because a crash leaves none where rows are known consistent.
 *
 * (1) Under the lock of the slice, and of what is on the members: no write is half done, and what
 *     lies in the cache above has not begun.
 * (2) Only rows known consistent are compared: the others are for the initialization or
 *     resynchronization. Blocks with notes are not compared: one that is lost is written anew where
 *     the rest of its row describes it, as for a read, which never reads parity; what is gone stays
 *     for whoever writes it.
 * (3) A difference is never repaired by guess: only what one member alone explains (raid/compare.h)
 *     is made to agree, on that member, and read back. Everything else is told and stays, unless
 *     the caller says that the data are to be taken as right, and every member is there.
 * (4) A slice in which something is wrong, or cannot be read, is gone through block by block, so
 *     that what is told is exact. A block that cannot be read is mended as for a read.
 */
#include "raid/compare.h"
#include "raid/parity.h"

#include "vd/group_private.h"

static bool is_one_block(const struct stripe_op *op)
{
    return op->hi - op->lo == IO_ALIGN_BYTES;
}

static uint32_t places_of_parity(const struct stripe_op *op)
{
    uint32_t all = UINT32_MAX >> (RAID_SPAN_MEMBERS_MAX - op->map.width);

    return stripe_is_mirrored(op) ? 0 : all & ~stripe_data_mask(op);
}

/* Of the virtual drive. */
static uint64_t data_bytes(const struct stripe_op *op)
{
    return (uint64_t)(op->hi - op->lo) * op->map.data_count;
}

static bool place_is_noted(const struct stripe_op *op, uint32_t place, uint32_t lo, uint32_t hi,
                           uint32_t kinds)
{
    return bad_blocks_meet(&op->group->config, stripe_member(op, place),
                           stripe_drive_offset(op, place) + (lo - op->lo), hi - lo, kinds);
}

/* Of parity, a note of what is gone says nothing: doubt is noted by the range. */
static bool is_gone(const struct stripe_op *op)
{
    uint32_t parity = places_of_parity(op);

    for (uint32_t place = 0; place < op->map.width && op->group->config.bad_count > 0; place++) {
        if ((parity >> place & 1) == 0 &&
            place_is_noted(op, place, op->lo, op->hi, BAD_KINDS_GONE)) {
            return !SIM_BUG(CHECK_PAST_NOTES);
        }
    }
    return false;
}

static bool is_lost(const struct stripe_op *op)
{
    return stripe_lost_mask(op) != 0 && !SIM_BUG(CHECK_PAST_NOTES);
}

/* Nobody describes more than the row bears to be without. */
static bool lost_can_be_had(const struct stripe_op *op, uint32_t valid)
{
    uint32_t bears = stripe_is_mirrored(op) ? op->map.width - 1
                                            : (uint32_t)__builtin_popcount(places_of_parity(op));
    uint32_t bytes = vd_config_of(op->vd)->geometry.block_bytes;

    for (uint32_t lo = op->lo; lo < op->hi; lo += bytes) {
        uint32_t without = op->map.width - (uint32_t)__builtin_popcount(valid);

        for (uint32_t place = 0; place < op->map.width; place++) {
            without +=
                (valid >> place & 1) != 0 &&
                        place_is_noted(op, place, lo, lo + bytes, BAD_KIND_BIT(BAD_BLOCK_KIND_LOST))
                    ? 1
                    : 0;
        }
        if (without > bears) {
            return false;
        }
    }
    return true;
}

bool check_plan(struct stripe_op *op)
{
    uint32_t valid = stripe_valid_mask(op);

    op->plan = (struct plan){.kernel = PLAN_KERNEL_NONE};
    op->compares = op->by_block = false;
    if (op->barred != 0 || !compare_is_possible(&op->map, stripe_is_mirrored(op), valid) ||
        (!stripe_row_is_consistent(op) && !SIM_BUG(CHECK_IN_DOUBT))) {
        return true; /* (2) */
    }
    if (is_gone(op) || is_lost(op) || (op->failed & valid) != 0) {
        op->by_block = !is_one_block(op); /* (4) */
        return op->by_block || is_gone(op) || (is_lost(op) && !lost_can_be_had(op, valid));
    }
    op->compares = true;
    op->plan = plan_plain_read(valid);
    return true;
}

static struct comparison comparison_of(struct stripe_op *op, uint8_t **columns)
{
    for (uint32_t place = 0; place < op->map.width; place++) {
        columns[place] = op->columns[place].buffer;
    }
    ASSERT(op->spare_count == STRIPE_SPARES); /* none is late */
    return (struct comparison){.map = &op->map,
                               .mirrored = stripe_is_mirrored(op),
                               .valid = op->plan.reads,
                               .columns = columns,
                               .scratch = {op->spares[0], op->spares[1]},
                               .bytes = op->hi - op->lo};
}

/* The member has what the rest says. */
static void right_explained(struct stripe_op *op, uint8_t **columns)
{
    if (stripe_is_mirrored(op)) {
        op->plan.kernel = PLAN_KERNEL_COPY;
    } else {
        op->plan.kernel = PLAN_KERNEL_RECOVER;
        parity_recover(columns, op->map.width, op->map.p_place, op->map.q_place, op->explains,
                       op->hi - op->lo);
    }
    op->plan.writes = op->righting = op->explains;
}

/* The first copy, or the data, are taken as right. */
static void right_by_order(struct stripe_op *op, uint8_t **columns)
{
    if (stripe_is_mirrored(op)) {
        op->source = 0;
        op->plan.kernel = PLAN_KERNEL_COPY;
        op->righting = op->plan.reads & ~1u;
    } else {
        op->plan.kernel = PLAN_KERNEL_GENERATE;
        parity_generate(columns, op->map.width, op->map.p_place, op->map.q_place, op->hi - op->lo);
        op->righting = op->plan.reads & ~stripe_data_mask(op);
    }
    op->plan.writes = op->righting;
}

static void difference_meet(struct stripe_op *op, struct comparison *comparison)
{
    bool whole = op->plan.reads == UINT32_MAX >> (RAID_SPAN_MEMBERS_MAX - op->map.width);

    op->differs = true;
    if (SIM_BUG(CHECK_NAMES_ANY) && !comparison->mirrored) {
        comparison->bytes = 512;
    }
    op->explains = compare_locate(comparison, &op->source);
    if (op->explains != 0) {
        right_explained(op, comparison->columns);
    } else if (whole && (op->sync->check->correct || SIM_BUG(CHECK_GUESSES))) {
        right_by_order(op, comparison->columns);
    }
}

bool check_compute(struct stripe_op *op)
{
    uint8_t *columns[RAID_SPAN_MEMBERS_MAX];
    struct comparison comparison;

    if (op->by_block) {
        op->failed = 0; /* found again, and told of then */
        return false;
    }
    if (!op->compares) {
        stripe_compute(op); /* of a block that is mended, or of nothing */
        return true;
    }
    comparison = comparison_of(op, columns);
    op->compared = compare_agrees(&comparison);
    if (!op->compared && is_one_block(op)) {
        op->compared = true;
        difference_meet(op, &comparison);
    }
    return op->compared;
}

/* Telling */

static void mismatch_tell(struct stripe_op *op)
{
    if (op->mismatch.hi != 0) {
        op->sync->check->found(op->sync->check->context, &op->mismatch);
        op->mismatch.hi = 0;
    }
}

/* What of the virtual drive it is. */
static void mismatch_place(struct stripe_op *op, struct vd_mismatch *mismatch)
{
    const struct geometry *geometry = &vd_config_of(op->vd)->geometry;
    uint32_t place = op->explains != 0 ? (uint32_t)__builtin_ctz(op->explains) : 0;
    bool one = op->explains != 0 && !stripe_is_mirrored(op);

    mismatch->offset_bytes = op->map.row * (uint64_t)op->vd->row_bytes + op->lo;
    mismatch->piece_count = op->map.data_count;
    if (op->explains != 0) {
        mismatch->member = stripe_member(op, place);
        mismatch->drive_offset_bytes = stripe_drive_offset(op, place);
    }
    for (uint32_t d = 0; one && d < op->map.data_count; d++) {
        if (op->map.data_place[d] == place) {
            mismatch->offset_bytes += (uint64_t)d * geometry->strip_bytes;
            mismatch->piece_count = 1;
            return;
        }
    }
    mismatch->piece_count = one ? 0 : mismatch->piece_count;
}

/* Blocks in a row are told of together. */
static void mismatch_note(struct stripe_op *op)
{
    struct vd_mismatch *last = &op->mismatch;
    struct vd_mismatch mismatch = {.vd = op->vd,
                                   .row = op->map.row,
                                   .lo = op->lo,
                                   .hi = op->hi,
                                   .member = VD_MEMBER_UNKNOWN,
                                   .corrected = op->plan.writes != 0 && op->righting == 0};

    mismatch_place(op, &mismatch);
    if (last->hi != 0 && last->hi == op->lo && last->member == mismatch.member &&
        last->corrected == mismatch.corrected) {
        last->hi = op->hi;
        return;
    }
    mismatch_tell(op);
    *last = mismatch;
}

/* It agrees: what parity has is its content. */
static void parity_notes_end(struct stripe_op *op)
{
    for (uint32_t left = places_of_parity(op); left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);

        (void)bad_drop(op->vd, stripe_member(op, place), stripe_drive_offset(op, place),
                       op->hi - op->lo, BAD_KINDS_GONE); /* nobody waits for that */
    }
}

void check_block_end(struct stripe_op *op, bool lost)
{
    struct vd_check *check = op->sync->check;

    if (lost) {
        check->unreadable_bytes += op->hi - op->lo;
    }
    if (op->compared) {
        check->compared_bytes += data_bytes(op);
    } else {
        check->left_out_bytes += data_bytes(op);
    }
    if (op->differs) {
        mismatch_note(op);
    } else if (op->compared) {
        parity_notes_end(op);
    }
}

void check_op_done(struct stripe_op *op)
{
    mismatch_tell(op);
}
