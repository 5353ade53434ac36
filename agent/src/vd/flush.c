/*
 * Flush rounds. A round flushes every live member that has completed writes no flush has
 * covered yet; waiters that come while a round runs share the next one, because the running
 * one may have passed their writes.
 *
 * (1) A member's flush covers the writes that were completed when it was submitted.
 * (2) A failed flush loses the member, never the promise: the round is a success as long as the
 *     group is not offline, and it ends only when that loss is durable.
 *     A flush that last copies refuse, for want of room or because they are read-only, fails; they
 *     stay (group_members.c (3)). What it should have covered is covered by the next one that
 *     succeeds.
 * (3) When a member has been lost, nothing is saved before the survivors have flushed all that was
 *     written without an intent while it was there. In their caches a power cut could tear such
 *     rows; then they would describe the lost member's part wrongly. As long as no record says
 *     that it is lost, it is read itself after a power cut. And an automatic stripe log has begun
 *     (intent.c (5)): a record with the loss says that the log is used.
 */
#include <errno.h>

#include "vd/group_private.h"

static void round_begin(struct group *group);

/* The log, which wants room, may begin the next round at once, and so may a waiter's done. That
 * fills flush_current anew: whoever is told here must have been taken out of it before. */
static void round_delivered(struct notice *notice)
{
    struct group *group = container_of(notice, struct group, flush_save.notice);
    int error = group_is_offline(group) ? -EIO : notice->error;
    struct list done;
    struct list *node = NULL;

    ASSERT(group->flush_round && group->flush_pending == 0);
    group->flush_round = false;
    list_init(&done);
    while ((node = list_pop_head(&group->flush_current)) != NULL) {
        list_push_tail(&done, node);
    }
    if (error == 0 && group->log != NULL) {
        group->log->ops->flushed(group->log, group->flush_rounds);
    }
    while ((node = list_pop_head(&done)) != NULL) {
        struct flush_waiter *waiter = list_entry(node, struct flush_waiter, link);

        waiter->done(waiter, error);
    }
    if (!list_is_empty(&group->flush_next) && !group->flush_round) {
        round_begin(group);
    }
}

/* Every member has answered: wait for losses to be durable, then tell. */
static void round_answered(struct group *group)
{
    group->flush_save.notice.deliver = round_delivered;
    if (group->flush_refused) {
        group_notice_add(group, &group->flush_save.notice, -EROFS);
    } else if (save_is_durable(group, group->loss_change)) {
        group_notice_add(group, &group->flush_save.notice, 0);
    } else {
        save_wait(group, &group->flush_save);
    }
}

static void round_part_answered(struct group *group, bool refused)
{
    ASSERT(group->flush_pending > 0);
    group->flush_pending--;
    group->flush_refused = group->flush_refused || refused;
    if (group->flush_pending == 0) {
        group->flush_refused = group->flush_refused && member_refusals_judge(group);
        round_answered(group);
    }
}

/* Whose drive it was that has flushed; the two of a copyback may have changed their places. NULL:
 * nobody's any more. */
static struct member *flushed_member(const struct member_flush *flush)
{
    struct group *group = flush->member->group;
    struct member *at[] = {flush->member, &group->twin, &group->members[group->twin_member]};

    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        if (at[i]->drive == flush->io.drive) {
            return at[i];
        }
    }
    return NULL;
}

static void member_flush_answered(struct member_flush *flush, enum io_status status)
{
    struct group *group = flush->member->group;
    struct member *member = flushed_member(flush);
    bool refused = false;

    group_enter(group);
    if (member == NULL) {
        ASSERT(flush->io.drive != NULL); /* it was lost meanwhile */
    } else if (member == &group->twin && status != IO_STATUS_OK) {
        twin_drop(group, REASON_DRIVE_LOST_FLUSH);
    } else if (status == IO_STATUS_OK || SIM_BUG(FLUSH_FAILURE_IGNORED) ||
               (IO_STATUS_IS_REFUSAL(status) && SIM_BUG(REFUSED_FLUSH_BELIEVED))) {
        member->flushed =
            max_u64(member->flushed, SIM_BUG(FLUSH_TARGET_LATE) ? member->written : flush->target);
    } else if (flush_refusal_note(group, (uint32_t)(member - group->members), status)) {
        refused = true; /* judged when all have answered */
    } else {
        member_lose_by_status(group, (uint32_t)(member - group->members), IO_OP_FLUSH, status);
    }
    flush->answered(group, refused);
    group_leave(group);
}

/* After a timeout things go on without the member; otherwise they wait until the transfer may be
 * used again. */
static void member_flush_complete(struct drive_io *io, enum io_status status)
{
    struct member_flush *flush = io->owner;

    ASSERT(flush->busy);
    flush->status = status;
    if (status == IO_STATUS_TIMEOUT) {
        flush->late = true;
        flush->member->group->late_flushes++;
        member_flush_answered(flush, status);
    }
}

static void member_flush_released(struct drive_io *io)
{
    struct member_flush *flush = io->owner;
    struct group *group = flush->member->group;

    ASSERT(flush->busy);
    flush->busy = false;
    if (!flush->late) {
        member_flush_answered(flush, flush->status);
        return;
    }
    flush->late = false;
    ASSERT(group->late_flushes > 0);
    group->late_flushes--;
    group_late_gone(group);
}

static void member_flush(struct member_flush *flush,
                         void (*answered)(struct group *group, bool refused))
{
    struct member *member = flush->member;

    ASSERT(!flush->busy);
    ASSERT(member->drive != NULL);
    flush->busy = true;
    flush->answered = answered;
    flush->target = member->written; /* (1) */
    flush->io.op = IO_OP_FLUSH;
    flush->io.class_ = IO_CLASS_FOREGROUND;
    flush->io.offset_bytes = 0;
    flush->io.length_bytes = 0;
    flush->io.buffer = NULL;
    flush->io.complete = member_flush_complete;
    flush->io.released = member_flush_released;
    flush->io.owner = flush;
    drive_submit(member->drive, &flush->io);
}

static bool member_wants_flush(const struct group *group, uint32_t index)
{
    const struct member *member = &group->members[index];

    return member_is_live(group, index) && member->written > member->flushed;
}

static void round_begin(struct group *group)
{
    struct list *node = NULL;

    ASSERT(!group->flush_round && group->flush_pending == 0);
    ASSERT(list_is_empty(&group->flush_current));
    group->flush_round = true;
    group->flush_refused = false;
    group->flush_rounds++;
    while ((node = list_pop_head(&group->flush_next)) != NULL) {
        list_push_tail(&group->flush_current, node);
    }
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (member_wants_flush(group, i) && !SIM_BUG(FLUSH_IGNORED) &&
            !(SIM_BUG(FLUSH_ONE_MEMBER) && group->flush_pending > 0)) {
            group->flush_pending++;
            member_flush(group->members[i].flush, round_part_answered);
        }
    }
    if (group->twin.drive != NULL && group->twin.written > group->twin.flushed) {
        group->flush_pending++;
        member_flush(group->twin.flush, round_part_answered);
    }
    if (group->flush_pending == 0) {
        round_answered(group);
    }
}

void member_flushes_init(struct group *group, struct member *member)
{
    member->group = group;
    member->flush = &member->flushes[0];
    member->loss_flush = &member->flushes[1];
    member->flush->member = member;
    member->loss_flush->member = member;
}

void flush_init(struct group *group)
{
    list_init(&group->flush_next);
    list_init(&group->flush_current);
}

void flush_wait(struct group *group, struct flush_waiter *waiter)
{
    ASSERT(waiter->done != NULL);
    ASSERT(group->depth > 0);
    list_init(&waiter->link);
    list_push_tail(&group->flush_next, &waiter->link);
    if (!group->flush_round) {
        round_begin(group);
    }
}

/* Losses (3) */

static bool members_are_described(const struct group *group)
{
    return group->config.vd_count > 0 &&
           raid_level_info(group->config.vds[0].geometry.level)->parity_count > 0;
}

void flush_note_loss(struct group *group)
{
    group->loss_newer = true;
    if (members_are_described(group) && !SIM_BUG(LOSS_UNFLUSHED)) {
        group->loss_unflushed = true;
    }
}

/* The end of the turn starts the save, or more flushes. */
static void losses_part_answered(struct group *group, bool refused)
{
    ASSERT(group->loss_flush_pending > 0);
    group->loss_flush_pending--;
    group->loss_flush_refused = group->loss_flush_refused || refused;
    if (group->loss_flush_pending > 0) {
        return;
    }
    if (group_is_offline(group)) {
        return; /* it is not recorded */
    }
    if (group->loss_flush_refused && member_refusals_judge(group)) {
        saves_refuse(group); /* whoever waits for the record of the loss */
    } else if (!group->loss_newer) {
        group->loss_unflushed = false;
    }
}

/* At the end of each turn. Rows being written without an intent are waited for: what would be torn
 * is still on its way to the survivors. No such write can begin, because each waits for the loss
 * to be durable. */
void flush_losses_pump(struct group *group)
{
    ASSERT(group->loss_unflushed);
    if (group_is_offline(group)) {
        members_keep_unsaved(group);
        group->loss_unflushed = false;
        return;
    }
    if (group->loss_flush_pending > 0 || group->bare_writes > 0 || group->stray_writes > 0 ||
        group->refusing || (group->log_clearing.owner != NULL && !SIM_BUG(LOG_ON_LATE))) {
        return;
    }
    group->loss_newer = false;
    group->loss_flush_refused = false;
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (member_wants_flush(group, i)) {
            group->loss_flush_pending++;
            member_flush(group->members[i].loss_flush, losses_part_answered);
        }
    }
    group->loss_unflushed = group->loss_flush_pending > 0;
}
