/*
 * What a stripe operation does when something is beyond redundancy: it goes on block by block, so
 * that only what is really lost fails; notes what is; and punctures what a write must do without.
 *
 * (1) A block is never read as data while it is noted as LOST or PUNCTURED, unless a LOST one has
 *     been recovered from the rest of its row.
 * (2) A punctured block is noted durably before zeros are written in its place: a crash in between
 *     leaves an error, never zeros.
 * (3) A note ends when the whole block has been written and flushed: the record of that may be on
 *     some members while others forget, in a power cut, what they had in their caches. It is
 * durable before the write is acknowledged.
 * (4) A punctured block counts as zeros for the rest of its row: a drive that is filled gets them,
 *     also where there is too little to recover it from.
 */
#include <errno.h>
#include <string.h>

#include "vd/group_private.h"

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

/* Does the request need the old content of a punctured block? */
bool stripe_is_punctured(const struct stripe_op *op)
{
    if (op->group->config.bad_count == 0 || op->request == NULL || stripe_is_mirrored(op)) {
        return false;
    }
    for (uint32_t d = 0; d < op->map.data_count; d++) {
        uint32_t place = op->map.data_place[d];
        uint32_t lo = op->lo;
        uint32_t hi = op->hi;

        if (((op->touched & ~op->full) & (UINT32_C(1) << place)) == 0) {
            continue;
        }
        if (op->want == PLAN_READ) {
            stripe_request_range(op, d, &lo, &hi);
            lo = (uint32_t)align_down_u64(lo, IO_ALIGN_BYTES);
            hi = (uint32_t)align_up_u64(hi, IO_ALIGN_BYTES);
        }
        if (range_meets(op, place, lo, hi, BAD_KIND_BIT(BAD_BLOCK_KIND_PUNCTURED))) {
            return true;
        }
    }
    return false;
}

/* Puncturing */

uint32_t stripe_data_mask(const struct stripe_op *op)
{
    uint32_t mask = 0;

    for (uint32_t d = 0; d < op->map.data_count; d++) {
        mask |= UINT32_C(1) << op->map.data_place[d];
    }
    return mask;
}

/* Places whose old content nobody needs any more if this write is to get through: data that are
 * neither to be had nor replaced. 0: puncturing does not help. */
uint32_t stripe_puncture_wish(const struct stripe_op *op, uint32_t good)
{
    uint32_t gone = stripe_data_mask(op) & ~good & ~op->full;

    if (op->want != PLAN_WRITE || group_is_offline(op->group) || op->hi - op->lo > IO_ALIGN_BYTES ||
        raid_level_info(vd_config_of(op->vd)->geometry.level)->parity_count == 0 ||
        (gone & op->touched) != 0) {
        return 0;
    }
    return gone;
}

/* Places to be filled with zeros (4). */
uint32_t stripe_zeros_wish(const struct stripe_op *op)
{
    uint32_t targets = (op->fill & stripe_live_mask(op) & ~stripe_valid_mask(op)) |
                       (op->copy & stripe_valid_mask(op));
    uint32_t zeros = 0;

    if (op->want != PLAN_SYNC || op->hi - op->lo > IO_ALIGN_BYTES || SIM_BUG(PUNCTURE_UNFILLED)) {
        return 0;
    }
    for (; targets != 0; targets &= targets - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(targets);

        if (range_meets(op, place, op->lo, op->hi, BAD_KIND_BIT(BAD_BLOCK_KIND_PUNCTURED))) {
            zeros |= UINT32_C(1) << place;
        }
    }
    return zeros;
}

bool stripe_puncture_note(struct stripe_op *op)
{
    ASSERT(op->want == PLAN_WRITE && op->hi - op->lo == IO_ALIGN_BYTES);
    for (uint32_t left = op->punctured; left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);
        bool is_new = false;

        if (SIM_BUG(PUNCTURE_UNNOTED)) {
            continue;
        }
        if (!bad_add(op->vd, stripe_member(op, place), stripe_drive_offset(op, place),
                     BAD_BLOCK_KIND_PUNCTURED, &is_new)) {
            return false; /* without a note there would be zeros for data */
        }
        if (!SIM_BUG(PUNCTURE_NOT_DURABLE)) {
            op->settle_change = op->group->change; /* (2) */
        }
    }
    return true;
}

/* Notes end */

/* The kinds that end at a place with what has been written. New data of a member that is not there,
 * or whose drive has come since and has not got them, are described by the parity. */
static uint32_t kinds_ending(const struct stripe_op *op, uint32_t place)
{
    uint32_t bit = UINT32_C(1) << place;
    uint32_t kinds = BAD_KIND_BIT(BAD_BLOCK_KIND_UNREADABLE) | BAD_KIND_BIT(BAD_BLOCK_KIND_LOST);
    bool replaced = op->want == PLAN_WRITE && (op->full & bit) != 0;

    ASSERT((op->full & op->punctured) == 0);
    if ((op->written & stripe_live_mask(op) & bit) == 0) {
        return replaced && !stripe_is_mirrored(op) ? BAD_KINDS_ALL : 0;
    }
    return replaced || SIM_BUG(PUNCTURE_FORGOTTEN) ? BAD_KINDS_ALL : kinds;
}

static bool any_notes_ending(const struct stripe_op *op)
{
    for (uint32_t place = 0; place < op->map.width && op->group->config.bad_count > 0; place++) {
        uint32_t kinds = kinds_ending(op, place);

        if (kinds != 0 && range_meets(op, place, op->lo, op->hi, kinds)) {
            return true;
        }
    }
    return false;
}

static void notes_flushed(struct flush_waiter *waiter, int error)
{
    struct stripe_op *op = container_of(waiter, struct stripe_op, notes_flush);
    enum stripe_event failed = op->want == PLAN_READ ? STRIPE_DURABLE : STRIPE_FAIL;

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
    for (uint32_t place = 0; place < op->map.width; place++) {
        uint32_t kinds = kinds_ending(op, place);

        if (kinds != 0 && bad_drop(op->vd, stripe_member(op, place), stripe_drive_offset(op, place),
                                   op->hi - op->lo, kinds)) {
            op->settle_change = op->group->change; /* (3) */
        }
    }
}

void stripe_read_note(struct stripe_op *op, uint32_t place, const struct drive_io *io)
{
    if (op->group->config.bad_count > 0) {
        (void)bad_drop(op->vd, stripe_member(op, place), io->offset_bytes, io->length_bytes,
                       BAD_KIND_BIT(BAD_BLOCK_KIND_UNREADABLE)); /* good news can wait */
    }
}

/* Block by block */

/* Notes the block for all of `places`. False: there was no room for all of them. *ret_any: there
 * was something new. */
static bool block_note(struct stripe_op *op, uint32_t places, enum bad_block_kind kind,
                       bool *ret_any)
{
    bool room = true;

    ASSERT(op->hi - op->lo == IO_ALIGN_BYTES);
    for (; places != 0; places &= places - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(places);
        bool is_new = false;

        room = bad_add(op->vd, stripe_member(op, place), stripe_drive_offset(op, place), kind,
                       &is_new) &&
               room;
        *ret_any = *ret_any || is_new;
    }
    return room;
}

/* Targets of a rebuild that are without the block. */
static uint32_t fill_left(const struct stripe_op *op)
{
    return op->fill & stripe_live_mask(op) & ~stripe_valid_mask(op) & ~op->zeros;
}

/*
 * A rebuild leaves its target without the block, a resynchronisation the members that could not be
 * read: as long as they are noted, nobody recovers anything from this block of the row, and the
 * next write to it makes it consistent (stripe_puncture_wish()).
 */
static void sync_is_beyond(struct stripe_op *op)
{
    uint32_t valid = stripe_valid_mask(op);
    uint32_t places = op->fill != 0 ? fill_left(op) : op->failed & valid;
    bool any = false;
    bool room = true;

    if (op->zeros != 0 && places == 0) { /* but whether the row agrees is not known */
        op->fine_error = op->fine_error == 0 ? -EIO : op->fine_error;
        return;
    }
    room = block_note(op, places, BAD_BLOCK_KIND_LOST, &any);
    if (!room || places == 0) {
        op->fine_error = -ENOSPC; /* what is not noted must not be passed by */
        return;
    }
    if (any || op->fill != 0) {
        op->fine_error = op->fine_error == 0 ? -EIO : op->fine_error;
    }
    for (places = op->fill != 0 ? places : 0; places != 0; places &= places - 1) {
        stripe_media_error_tell(op, (uint32_t)__builtin_ctz(places), false);
    }
}

static void block_is_beyond(struct stripe_op *op)
{
    bool any = false;

    if (op->want == PLAN_SYNC) {
        sync_is_beyond(op);
        return;
    }
    op->fine_error = -EIO;
    /* A full table only shows less. */
    (void)block_note(op, op->failed & stripe_valid_mask(op), BAD_BLOCK_KIND_UNREADABLE, &any);
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
    op->punctured = op->zeros = 0;
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
        ASSERT(op->refused != 0 || op->given_up);
        return stripe_end(op, error);
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
    if (error != 0 || (op->zeros != 0 && (fill_left(op) != 0 || !stripe_row_is_consistent(op)))) {
        block_is_beyond(op);
    }
    if (op->hi < op->fine_end) {
        return fine_next(op, op->hi);
    }
    return stripe_end(op, op->fine_error);
}
