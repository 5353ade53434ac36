/*
 * Flush rounds. A round flushes every live member that has completed writes no flush has
 * covered yet; waiters that come while a round runs share the next one, because the running
 * one may have passed their writes.
 *
 * (1) A member's flush covers the writes that were completed when it was submitted.
 * (2) A failed flush loses the member, never the promise: the round is a success as long as the
 *     group is not offline, and it ends only when that loss is durable.
 */
#include <errno.h>

#include "vd/group_private.h"

static void round_begin(struct group *group);

/* A waiter's done may begin the next round at once (a flush held behind a write with FUA), which
 * fills flush_current anew: whoever is told here must have been taken out of it before. */
static void round_delivered(struct notice *notice)
{
    struct group *group = container_of(notice, struct group, flush_save.notice);
    int error = group_is_offline(group) ? -EIO : notice->error;
    struct list done;
    struct list *node = NULL;

    ASSERT(group->flush_round && group->flush_pending == 0);
    group->flush_round = false;
    if (error == 0 && group->log != NULL) {
        group->log->ops->flushed(group->log, group->flush_rounds);
    }
    list_init(&done);
    while ((node = list_pop_head(&group->flush_current)) != NULL) {
        list_push_tail(&done, node);
    }
    /* Whoever is told may begin the next round: those who wait for that are in flush_current
     * then, and must not be told with these. */
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
    if (save_is_durable(group, group->loss_change)) {
        group_notice_add(group, &group->flush_save.notice, 0);
    } else {
        save_wait(group, &group->flush_save);
    }
}

static void member_flush_answered(struct member *member, enum io_status status)
{
    struct group *group = member->group;
    uint32_t index = (uint32_t)(member - group->members);

    group_enter(group);
    ASSERT(group->flush_pending > 0);
    if (status == IO_STATUS_OK || SIM_BUG(FLUSH_FAILURE_IGNORED)) {
        member->flushed = max_u64(
            member->flushed, SIM_BUG(FLUSH_TARGET_LATE) ? member->written : member->flush_target);
    } else {
        member_lose_by_status(group, index, IO_OP_FLUSH, status);
    }
    group->flush_pending--;
    if (group->flush_pending == 0) {
        round_answered(group);
    }
    group_leave(group);
}

/* After a timeout the round goes on without the member; otherwise it waits until the transfer
 * may be used again. */
static void member_flush_complete(struct drive_io *io, enum io_status status)
{
    struct member *member = io->owner;

    ASSERT(member->flush_busy);
    member->flush_status = status;
    if (status == IO_STATUS_TIMEOUT) {
        member->flush_late = true;
        member->group->late_flushes++;
        member_flush_answered(member, status);
    }
}

static void member_flush_released(struct drive_io *io)
{
    struct member *member = io->owner;
    struct group *group = member->group;

    ASSERT(member->flush_busy);
    member->flush_busy = false;
    if (!member->flush_late) {
        member_flush_answered(member, member->flush_status);
        return;
    }
    member->flush_late = false;
    ASSERT(group->late_flushes > 0);
    group->late_flushes--;
    group_late_gone(group);
}

static void member_flush(struct group *group, uint32_t index)
{
    struct member *member = &group->members[index];

    ASSERT(!member->flush_busy);
    ASSERT(member->drive != NULL);
    member->flush_busy = true;
    member->flush_target = member->written; /* (1) */
    member->flush_io.op = IO_OP_FLUSH;
    member->flush_io.class_ = IO_CLASS_FOREGROUND;
    member->flush_io.offset_bytes = 0;
    member->flush_io.length_bytes = 0;
    member->flush_io.buffer = NULL;
    member->flush_io.complete = member_flush_complete;
    member->flush_io.released = member_flush_released;
    member->flush_io.owner = member;
    group->flush_pending++;
    drive_submit(member->drive, &member->flush_io);
}

static void round_begin(struct group *group)
{
    struct list *node = NULL;

    ASSERT(!group->flush_round && group->flush_pending == 0);
    ASSERT(list_is_empty(&group->flush_current));
    group->flush_round = true;
    group->flush_rounds++;
    while ((node = list_pop_head(&group->flush_next)) != NULL) {
        list_push_tail(&group->flush_current, node);
    }
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        struct member *member = &group->members[i];

        if (member_is_live(group, i) && member->written > member->flushed &&
            !SIM_BUG(FLUSH_IGNORED) && !(SIM_BUG(FLUSH_ONE_MEMBER) && group->flush_pending > 0)) {
            member_flush(group, i);
        }
    }
    if (group->flush_pending == 0) {
        round_answered(group);
    }
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
