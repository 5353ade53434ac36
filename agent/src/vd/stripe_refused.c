/*
 * Writes that drives refuse because there is no room below them, or because they are read-only. A
 * drive that may be lost is, for it misses what the others take. Where the group would not go on
 * without those that refuse, they stay and the write fails (group_members.c (3)).
 *
 * (1) The row of such a write is torn: some members have the new bytes, others the old ones. Its
 *     region is in doubt until it has been synchronized. What a member that is not there has in
 *     the sectors that the write replaces in any strip cannot be told from the others any more: it
 *     is noted as doubtful, so that it is an error and never invented bytes.
 * (2) A repair that is refused costs nothing: the member holds no less than before. A
 *     synchronization that is refused ends, since it may not pass by what it has not written.
 */
#include <errno.h>

#include "vd/group_private.h"

/* The members that have refused, one after the other. */
static uint32_t refusing_members(const struct stripe_op *op, uint32_t *ret_members)
{
    uint32_t count = 0;

    for (uint32_t left = op->refused; left != 0; left &= left - 1) {
        ret_members[count++] = stripe_member(op, (uint32_t)__builtin_ctz(left));
    }
    ASSERT(count > 0);
    return count;
}

static void refusing_members_lose(struct stripe_op *op)
{
    for (uint32_t left = op->refused; left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);
        const struct stripe_column *column = &op->columns[place];

        member_lose_by_transfer(op->group, stripe_member(op, place), &column->io, column->status);
    }
    op->refused = 0;
}

enum stripe_event stripe_refusals_judge(struct stripe_op *op)
{
    uint32_t members[RAID_SPAN_MEMBERS_MAX];
    uint32_t count = refusing_members(op, members);

    ASSERT(op->state == STRIPE_WRITE && op->want != PLAN_READ);
    for (uint32_t i = 0; i < count; i++) {
        op->group->members[members[i]].refused_us = clock_now_us(op->group->clock);
    }
    if (members_bear_loss(op->group, members, count)) {
        refusing_members_lose(op);
        return STRIPE_WRITTEN;
    }
    return STRIPE_REFUSED;
}

/* Does the request replace the sector in any strip? What is written besides is what was there. */
static bool sector_is_replaced(const struct stripe_op *op, uint32_t at)
{
    for (uint32_t d = op->data_first; d < op->data_end; d++) {
        uint32_t lo = 0;
        uint32_t hi = 0;

        if ((op->touched & (UINT32_C(1) << op->map.data_place[d])) != 0) {
            stripe_request_range(op, d, &lo, &hi);
            if (at >= lo && at < hi) {
                return true;
            }
        }
    }
    return false;
}

/* (1) */
static bool absent_sectors_note(struct stripe_op *op)
{
    uint32_t absent = stripe_data_mask(op) & ~stripe_valid_mask(op);
    uint32_t sector_bytes = vd_config_of(op->vd)->geometry.block_bytes;

    for (; absent != 0; absent &= absent - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(absent);

        for (uint32_t at = op->lo; at < op->hi; at += sector_bytes) {
            bool is_new = false;

            if (sector_is_replaced(op, at) &&
                !bad_add_range(op->vd, stripe_member(op, place),
                               row_drive_offset(op->vd, &op->map, place, at), sector_bytes,
                               BAD_BLOCK_KIND_DOUBTFUL, &is_new)) {
                return false;
            }
        }
        op->settle_change = op->group->change;
    }
    return true;
}

/* The page that says so may be refused as well, or be lost with a drive's cache when the mark of
 * the virtual drive has ended: as long as this is set a start takes what is dirty for in doubt. */
static void doubt_record(struct vd *vd)
{
    struct vd_config *config = vd_config_of(vd);
    bool unlogged = raid_level_info(config->geometry.level)->parity_count > 0;

    if (vd->regions == NULL || (config->resync && config->resync_unlogged == unlogged)) {
        return;
    }
    config->resync = true;
    config->resync_unlogged = unlogged; /* no intent says any more how the row was to be */
    (void)save_changed(vd->group);      /* nobody waits: until then the mark stands */
}

bool stripe_refused_note(struct stripe_op *op)
{
    ASSERT(op->refused != 0);
    if (op->want != PLAN_WRITE || op->replay != NULL) {
        return true;
    }
    if (op->marked) {
        region_doubt(op->vd->regions, op->region);
        doubt_record(op->vd);
    }
    if (stripe_is_mirrored(op) || absent_sectors_note(op)) {
        return true;
    }
    refusing_members_lose(op); /* without a note there would be invented bytes */
    ASSERT(group_is_offline(op->group));
    return false;
}

int stripe_refused_error(const struct stripe_op *op)
{
    ASSERT(op->refused != 0);
    if (op->request == NULL) {
        return -EROFS; /* (2) */
    }
    for (uint32_t left = op->refused; left != 0; left &= left - 1) {
        if (op->columns[__builtin_ctz(left)].status == IO_STATUS_NO_SPACE) {
            return -ENOSPC;
        }
    }
    return -EIO;
}
