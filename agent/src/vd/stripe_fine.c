/*
 * What a stripe operation does when something is beyond redundancy: it goes on block by block, so
 * that only what is really lost fails; notes what is; and punctures what a write must do without.
 *
 * (1) A block is never read as data while it is noted as LOST, DOUBTFUL or PUNCTURED, unless a LOST
 *     one has been recovered from the rest of its row.
 * (2) A punctured block is noted durably before zeros are written in its place: a crash in between
 *     leaves an error, never zeros.
 * (3) A note ends when the whole block has been written and flushed: the record of that may be on
 *     some members while others forget, in a power cut, what they had in their caches. It is
 *     durable before the write is acknowledged.
 *     A write fails if there would be no room in the table to end the note.
 * (4) In a row that an unclean stop may have torn, and that no log has made agree since, nothing is
 *     recovered: what the parity gives may be neither old nor new. What a resynchronization cannot
 *     read there is noted, with the parity (stripe_sectors.c (7)).
 * (5) A punctured block counts as zeros for the rest of its row: a drive that is filled gets them,
 *     also where there is too little to recover it from. A doubtful one is what the rest of its row
 *     describes; where that is too little it is punctured, and the parity, which knows of no zeros,
 *     is lost.
 * (6) Replay ends no such note: what it writes again may be the zeros of a sector that was lost. A
 *     write that was acknowledged has ended its notes before.
 */
#include <errno.h>
#include <string.h>

#include "vd/group_private.h"

/* No row bears to be without more members. */
#define OPERATION_SPLITS_MAX 2u

static bool range_meets(const struct stripe_op *op, uint32_t place, uint32_t lo, uint32_t hi,
                        uint32_t kinds)
{
    return bad_blocks_meet(&op->group->config, stripe_member(op, place),
                           stripe_drive_offset(op, place) + (lo - op->lo), hi - lo, kinds);
}

uint32_t stripe_lost_mask(const struct stripe_op *op)
{
    uint32_t mask = 0;

    for (uint32_t place = 0; place < op->map.width && op->group->config.bad_count > 0; place++) {
        if (range_meets(op, place, op->lo, op->hi, BAD_KIND_BIT(BAD_BLOCK_KIND_LOST))) {
            mask |= UINT32_C(1) << place;
        }
    }
    return mask;
}

/* Does the request need the old content of a block that is gone for good? */
bool stripe_is_punctured(const struct stripe_op *op)
{
    uint32_t block_bytes = vd_config_of(op->vd)->geometry.block_bytes;

    if (op->group->config.bad_count == 0 || op->request == NULL || stripe_is_mirrored(op) ||
        op->want != PLAN_READ) { /* a write keeps its zeros, which the parity counts */
        return false;
    }
    for (uint32_t d = 0; d < op->map.data_count; d++) {
        uint32_t place = op->map.data_place[d];
        uint32_t lo = 0;
        uint32_t hi = 0;

        if ((op->touched & (UINT32_C(1) << place)) == 0) {
            continue;
        }
        stripe_request_range(op, d, &lo, &hi);
        ASSERT((lo | hi) % block_bytes == 0);
        if (lo < hi && range_meets(op, place, lo, hi, BAD_KINDS_GONE)) {
            return true;
        }
    }
    return false;
}

uint32_t stripe_data_mask(const struct stripe_op *op)
{
    uint32_t mask = 0;

    for (uint32_t d = 0; d < op->map.data_count; d++) {
        mask |= UINT32_C(1) << op->map.data_place[d];
    }
    return mask;
}

/* Notes end */

/* The kinds that end at a place with what has been written. New data of a member that is not there,
 * or whose drive has come since and has not got them, are described by the parity. */
static uint32_t kinds_ending(const struct stripe_op *op, uint32_t place, bool replaced)
{
    uint32_t bit = UINT32_C(1) << place;
    uint32_t kinds = BAD_KIND_BIT(BAD_BLOCK_KIND_UNREADABLE) | BAD_KIND_BIT(BAD_BLOCK_KIND_LOST);

    if (op->replay != NULL) { /* (6) */
        return BAD_KIND_BIT(BAD_BLOCK_KIND_UNREADABLE);
    }
    if ((op->written & stripe_live_mask(op) & bit) == 0) {
        return replaced && !stripe_is_mirrored(op) ? BAD_KINDS_ALL : 0;
    }
    return replaced || SIM_BUG(PUNCTURE_FORGOTTEN) ? BAD_KINDS_ALL : kinds;
}

/* A write whose note cannot end would be acknowledged and not be readable. Every operation under
 * way may have to split a range of each member that its row is without. */
bool stripe_notes_can_end(const struct stripe_op *op)
{
    const struct group *group = op->group;
    uint32_t splits = group->ops_active * OPERATION_SPLITS_MAX;

    if (group->config.bad_count == 0 || op->request == NULL || op->want != PLAN_WRITE ||
        bad_blocks_may_split(&group->config, splits)) {
        return true;
    }
    for (uint32_t place = 0; place < op->map.width; place++) {
        if ((op->touched & (UINT32_C(1) << place)) != 0 &&
            range_meets(op, place, op->lo, op->hi, BAD_KINDS_GONE)) {
            return false;
        }
    }
    return true;
}

/* What the request has replaced of a place, within the operation's range. */
static void replaced_range(const struct stripe_op *op, uint32_t place, uint32_t *ret_lo,
                           uint32_t *ret_hi)
{
    *ret_lo = *ret_hi = op->lo;
    if (op->want != PLAN_WRITE || op->request == NULL) {
        return;
    }
    for (uint32_t d = op->data_first; d < op->data_end; d++) {
        if (stripe_is_mirrored(op) || op->map.data_place[d] == place) {
            stripe_request_range(op, d, ret_lo, ret_hi);
            return;
        }
    }
}

/* A part of a place's range, and the kinds that end there. True: go on. */
typedef bool (*ending_fn)(struct stripe_op *op, uint32_t place, uint32_t lo, uint32_t hi,
                          uint32_t kinds);

static bool endings_of_sectors(struct stripe_op *op, uint32_t place, ending_fn each)
{
    uint32_t bytes = vd_config_of(op->vd)->geometry.block_bytes;
    bool written = (op->written & stripe_live_mask(op) & (UINT32_C(1) << place)) != 0;

    for (uint32_t s = 0; s < IO_ALIGN_BYTES / bytes; s++) {
        uint32_t kinds = sector_kinds_ending(op, place, s, written);

        if (kinds != 0 && !each(op, place, op->lo + s * bytes, op->lo + (s + 1) * bytes, kinds)) {
            return false;
        }
    }
    return true;
}

static bool endings_visit(struct stripe_op *op, ending_fn each)
{
    for (uint32_t place = 0; place < op->map.width && op->group->config.bad_count > 0; place++) {
        uint32_t kinds = kinds_ending(op, place, false);
        uint32_t lo = 0;
        uint32_t hi = 0;

        if (op->by_sector) {
            if (!endings_of_sectors(op, place, each)) {
                return false;
            }
            continue;
        }
        if (kinds != 0 && !each(op, place, op->lo, op->hi, kinds)) {
            return false;
        }
        replaced_range(op, place, &lo, &hi);
        kinds = kinds_ending(op, place, true);
        if (lo < hi && kinds != 0 && !each(op, place, lo, hi, kinds)) {
            return false;
        }
    }
    return true;
}

static bool note_is_absent(struct stripe_op *op, uint32_t place, uint32_t lo, uint32_t hi,
                           uint32_t kinds)
{
    return !range_meets(op, place, lo, hi, kinds);
}

static bool any_notes_ending(struct stripe_op *op)
{
    return !endings_visit(op, note_is_absent);
}

static bool note_end(struct stripe_op *op, uint32_t place, uint32_t lo, uint32_t hi, uint32_t kinds)
{
    if (bad_drop(op->vd, stripe_member(op, place), stripe_drive_offset(op, place) + (lo - op->lo),
                 hi - lo, kinds)) {
        op->settle_change = op->group->change; /* (3) */
    }
    return true;
}

static void notes_flushed(struct flush_waiter *waiter, int error)
{
    struct stripe_op *op = container_of(waiter, struct stripe_op, notes_flush);
    enum stripe_event failed = op->want == PLAN_READ ? STRIPE_DURABLE : STRIPE_FAIL;

    op->given_up = op->given_up || (error != 0 && failed == STRIPE_FAIL);
    stripe_event(op, error == 0 ? STRIPE_FLUSHED : failed);
}

bool stripe_notes_flush(struct stripe_op *op)
{
    if (!any_notes_ending(op)) {
        return false;
    }
    if (SIM_BUG(NOTE_ENDS_UNFLUSHED)) {
        stripe_notes_end(op);
        return false;
    }
    op->notes_flush.done = notes_flushed;
    flush_wait(op->group, &op->notes_flush);
    return true;
}

void stripe_notes_end(struct stripe_op *op)
{
    (void)endings_visit(op, note_end); /* all of them */
}

void stripe_read_note(struct stripe_op *op, uint32_t place, const struct drive_io *io)
{
    if (op->group->config.bad_count > 0) {
        (void)bad_drop(op->vd, stripe_member(op, place), io->offset_bytes, io->length_bytes,
                       BAD_KIND_BIT(BAD_BLOCK_KIND_UNREADABLE)); /* good news can wait */
    }
}

/* Block by block */

/* What could not be recovered of the block. */
static void block_is_beyond(struct stripe_op *op)
{
    op->fine_error = op->fine_error == 0 ? -EIO : op->fine_error;
    if (op->by_sector) {
        sectors_unreadable_note(op);
    }
}

static bool block_take(struct stripe_op *op, uint32_t lo)
{
    op->lo = lo;
    op->hi = lo + IO_ALIGN_BYTES;
    if (op->sync != NULL) {
        return true;
    }
    op->touched = op->full = 0;
    return stripe_take_range(op);
}

/* Goes on with the next block of the same slice that has something to do: the last one has, or the
 * slice would end before. Keeps the lock. */
static enum stripe_event fine_next(struct stripe_op *op, uint32_t lo)
{
    ASSERT(!op->direct && op->pending == 0);
    ASSERT(op->lent == 0); /* nothing fails behind act_compute() but with the group */
    stripe_unrepaired_tell(op);
    list_remove(&op->wait_link);
    while (!block_take(op, lo)) {
        lo += IO_ALIGN_BYTES;
        ASSERT(lo < op->fine_end);
    }
    op->refused = 0;
    op->failed = op->have = op->written = op->told = op->verify = 0;
    op->by_sector = false;
    op->compared = op->differs = false;
    op->explains = op->righting = 0;
    op->state = STRIPE_LOCK;
    return STRIPE_GRANTED;
}

/* The group is gone; so are the blocks that were still to come. */
static int offline_error(const struct stripe_op *op, int error)
{
    if (error != 0 || op->fine_error != 0) {
        return error != 0 ? error : op->fine_error;
    }
    return op->hi < op->fine_end && !SIM_BUG(READ_CUT_SHORT) ? -EIO : 0;
}

enum stripe_event stripe_fine_end(struct stripe_op *op, int error)
{
    if (group_is_offline(op->group)) {
        return stripe_end(op, offline_error(op, error));
    }
    if (op->replay != NULL) {
        return stripe_end(op, op->refused != 0 ? stripe_refused_error(op) : error);
    }
    if (op->logged && error == 0) {
        intent_retire(op); /* of this block; the next one has its own */
    } else if (op->logged) { /* its notes are not durable: the intent says how to end it */
        intent_give_up(op);
        return stripe_end(op, op->refused != 0 ? stripe_refused_error(op) : error);
    }
    if (op->refused != 0) {
        return stripe_end(op, stripe_refused_error(op));
    }
    if (op->given_up) {
        return stripe_end(op, op->request != NULL ? -EIO : -EROFS);
    }
    if (error != 0 && op->fine_end == 0 && op->hi - op->lo > IO_ALIGN_BYTES) {
        op->fine_end = op->hi;
        return fine_next(op, op->lo);
    }
    if (stripe_is_check(op)) {
        check_block_end(op, error != 0);
    }
    if (error != 0) {
        block_is_beyond(op);
    }
    if (op->hi < op->fine_end) {
        return fine_next(op, op->hi);
    }
    return stripe_end(op, op->fine_error);
}
