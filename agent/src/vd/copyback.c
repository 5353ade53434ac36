/*
 * Copyback: a drive, the twin, is made equal to the one in a member's place, to take the place.
 * The member stays what it is meanwhile, and is read; redundancy is never given up for it.
 *
 *   none --start, attach--> copying --drain, flush, exchange, saved--> none: the twin is the member
 *                              |                      |
 *                              \- stopped, one lost   \- not saved, or the new member lost: back
 *
 * (1) Below the cursor the twin holds what the member holds: every write to the member goes to
 *     both, under the same lock, and the copying of a slice takes that lock too. A virtual drive
 *     that is added, or comes back with all its data, below the cursor takes it back to where it
 *     begins.
 * (2) A twin that has missed a write is dropped, which is durable before the write is
 *     acknowledged: no start trusts it.
 * (3) The twin takes part in flush rounds; a published cursor vouches for flushed bytes only.
 * (4) After an unclean stop with writes on their way the two may differ anywhere: the copying
 *     begins anew. The dirty marks of the virtual drives say so, also of those without redundancy.
 * (5) The two change roles while no operation is under way, and none begins before that is durable:
 *     whichever record a start finds, its member has every write. If the new member is lost before,
 *     the former one is in its place again, and nothing is lost.
 * (6) The new member may have been one before: what its stripe log holds is void, and so are all
 *     intents of then, none of which is needed any more. Write intents get a new generation. The
 *     former member takes its copies of the stripe log along: before the exchange the others know
 *     that all of it is released, or a start would miss some.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vd/group_private.h"

struct exchange {
    struct group *group;
    struct flush_waiter flush;
    struct group_settle settle;
    struct notice notice;
    void (*done)(void *context, int error);
    void *context;
    bool draining;
};

uint32_t twin_place(const struct stripe_op *op)
{
    const struct group *group = op->group;

    if (group->twin.drive == NULL) {
        return TWIN_NOWHERE;
    }
    for (uint32_t place = 0; place < op->map.width; place++) {
        if (stripe_member(op, place) == group->twin_member) {
            return place;
        }
    }
    return TWIN_NOWHERE;
}

static void twin_forget(struct group *group)
{
    memset(&group->config.copyback, 0, sizeof(group->config.copyback));
    group->twin.drive = NULL;
    group->twin.rebuilt_bytes = 0;
    group->twin.checkpoint_bytes = 0;
}

void twin_drop(struct group *group, enum reason_code why)
{
    struct drive *drive = group->twin.drive;

    ASSERT(group->depth > 0);
    if (drive == NULL) {
        return;
    }
    twin_forget(group);
    group->loss_change = save_changed(group); /* (2) */
    if (group->observer.copyback_ended != NULL && !group->exchanged) {
        group->observer.copyback_ended(group->observer.context, group, drive, why);
    }
}

void twin_drop_by_status(struct group *group, const struct drive *drive, enum io_status status)
{
    if (group->twin.drive == drive) {
        twin_drop(group, status == IO_STATUS_TIMEOUT    ? REASON_DRIVE_LOST_TIMEOUT
                         : status == IO_STATUS_GONE     ? REASON_DRIVE_LOST_PULLED
                         : IO_STATUS_IS_REFUSAL(status) ? refusal_reason(status)
                                                        : REASON_DRIVE_LOST_WRITE_ERROR);
    }
}

void group_copyback_attach(struct group *group, struct drive *drive)
{
    ASSERT(!group->online && group->config.copyback.active && drive != NULL);
    group->twin.drive = drive;
    group->twin_member = group->config.copyback.member;
    group->twin_number++;
    group->twin.written = 1;
    group->twin.rebuilt_bytes = group->config.copyback.copied_bytes;
}

/* Before the regions are looked at. */
void twin_start(struct group *group)
{
    struct copyback_config *config = &group->config.copyback;
    bool unclean = false;

    if (!config->active || group_is_offline(group)) {
        group->twin.drive = NULL; /* offline, no record changes */
        return;
    }
    if (group->twin.drive == NULL || group->config.members[config->member].state != MEMBER_ONLINE) {
        twin_forget(group); /* saved by the start */
        return;
    }
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        unclean = unclean || group->config.vds[i].dirty || group->config.vds[i].resync;
    }
    if (unclean && !SIM_BUG(COPYBACK_UNCLEAN)) {
        config->copied_bytes = 0; /* (4) */
        group->twin.rebuilt_bytes = 0;
    }
}

void group_copyback_stop(struct group *group, enum reason_code why)
{
    group_enter(group);
    if (!group->exchanged && group->exchange == NULL) {
        twin_drop(group, why);
    }
    group_leave_later(group);
}

struct drive *group_copyback_drive(const struct group *group)
{
    return group->exchanged ? NULL : group->twin.drive;
}

uint64_t group_copyback_number(const struct group *group)
{
    return group_copyback_drive(group) != NULL ? group->twin_number : 0;
}

uint64_t group_copied_bytes(const struct group *group)
{
    return group->twin.rebuilt_bytes;
}

void group_copied_advance(struct group *group, uint64_t bytes)
{
    if (group->twin.drive != NULL && !group->exchanged) {
        ASSERT(bytes >= group->twin.rebuilt_bytes);
        group->twin.rebuilt_bytes = bytes;
    }
}

/* (1) Part of a change that the caller saves. */
void twin_step_back(struct group *group, uint64_t bytes)
{
    struct copyback_config *config = &group->config.copyback;

    if (SIM_BUG(COPYBACK_PASSED)) {
        return;
    }
    group->twin.rebuilt_bytes = min_u64(group->twin.rebuilt_bytes, bytes);
    group->twin.checkpoint_bytes = min_u64(group->twin.checkpoint_bytes, bytes);
    config->copied_bytes = min_u64(config->copied_bytes, bytes);
}

/* The end: nothing under way, everything flushed, then the edit. */

static void exchange_answer(struct notice *notice)
{
    struct exchange *exchange = container_of(notice, struct exchange, notice);

    exchange->done(exchange->context, notice->error);
    free(exchange);
}

void exchange_end(struct group *group, int error)
{
    struct exchange *exchange = group->exchange;

    ASSERT(exchange != NULL);
    group->exchange = NULL;
    exchange->notice.deliver = exchange_answer;
    group_notice_add(group, &exchange->notice, error);
}

static void exchange_settled(struct group_settle *settle, int error)
{
    struct group *group = settle->group;

    if (error != 0 || group->twin.drive == NULL) {
        exchange_end(group, error != 0 ? error : -ENODEV);
        return;
    }
    exchange_edit(group);
}

static void exchange_flushed(struct flush_waiter *waiter, int error)
{
    struct exchange *exchange = container_of(waiter, struct exchange, flush);
    struct group *group = exchange->group;

    if (error != 0) {
        exchange_end(group, error);
        return;
    }
    group_settle(group, &exchange->settle, exchange_settled); /* (6) */
}

/* At the end of each turn, while an exchange waits for the operations under way. */
void exchange_pump(struct group *group)
{
    struct exchange *exchange = group->exchange;

    if (!exchange->draining || group->ops_active > 0) {
        return;
    }
    exchange->draining = false;
    exchange->flush.done = exchange_flushed;
    if (SIM_BUG(COPYBACK_UNFLUSHED)) {
        exchange_flushed(&exchange->flush, 0);
    } else {
        flush_wait(group, &exchange->flush);
    }
}

void group_copyback_finish(struct group *group, void (*done)(void *context, int error),
                           void *context)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));

    ASSERT(exchange != NULL && done != NULL);
    ASSERT(group->exchange == NULL);
    *exchange =
        (struct exchange){.group = group, .done = done, .context = context, .draining = true};
    group_enter(group);
    group->exchange = exchange;
    group_leave_later(group);
}

/* Each drive keeps its own flushes: one that it has not let go of is nobody else's. */
static void flushes_exchange(struct member *a, struct member *b)
{
    struct member_flush *flush = a->flush;
    struct member_flush *loss_flush = a->loss_flush;

    if (SIM_BUG(COPYBACK_FLUSH_STAYS)) {
        return;
    }
    a->flush = b->flush;
    a->loss_flush = b->loss_flush;
    b->flush = flush;
    b->loss_flush = loss_flush;
    a->flush->member = a->loss_flush->member = a;
    b->flush->member = b->loss_flush->member = b;
}

/* ... and its own counts of what was written to it and flushed. */
static void roles_exchange(struct group *group)
{
    struct member *runtime = &group->members[group->twin_member];
    struct member twin = {
        .drive = group->twin.drive, .written = group->twin.written, .flushed = group->twin.flushed};

    group->twin.drive = runtime->drive;
    group->twin.written = runtime->written;
    group->twin.flushed = runtime->flushed;
    runtime->drive = twin.drive;
    runtime->written = twin.written;
    runtime->flushed = twin.flushed;
    flushes_exchange(runtime, &group->twin);
    runtime->percentile_us = 0;
    runtime->percentile_reads = 0;
}

/* Whose they are, their last bits, stays (intent.c). */
static void intents_void(struct group *group)
{
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        group->config.vds[i].intent_generation += 4;
    }
}

int twin_exchange(struct group *group, struct member_config *member)
{
    uint32_t index = group->twin_member;
    struct member_config old = group->config.members[index];

    if (group->twin.drive == NULL) {
        return -ENODEV;
    }
    ASSERT(!group->exchanged && group->config.copyback.active);
    ASSERT(old.state == MEMBER_ONLINE); /* or the twin would have gone with it */
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        const struct vd_config *vd = &group->config.vds[i];

        if (group->twin.rebuilt_bytes < vd->extent_start_bytes + vd->geometry.extent_bytes) {
            return -EAGAIN; /* a virtual drive was added meanwhile */
        }
    }
    roles_exchange(group);
    group->config.members[index] = *member;
    *member = old;
    group->config.copyback.active = false;
    group->exchanged = true;
    intents_void(group);      /* (6); part of the edit, as is the next */
    regions_republish(group);
    return 0;
}

/* The former member is in its place again. */
static void exchange_back(struct group *group, const struct member_config *member)
{
    ASSERT(group->exchanged && group->twin.drive != NULL);
    roles_exchange(group);
    group->exchanged = false;
    group->config.members[group->twin_member] = *member;
    regions_republish(group); /* saved with what comes next */
}

void twin_exchange_undo(struct group *group, const struct member_config *member,
                        const struct copyback_config *copyback)
{
    if (!group->exchanged) {
        return; /* the new member is lost already */
    }
    if (group->twin.drive == NULL) {
        twin_exchange_done(group); /* the former one was lost: there is no way back */
        return;
    }
    exchange_back(group, member);
    group->config.copyback = *copyback;
    group->loss_change = save_changed(group); /* the new generation, before any write */
}

bool twin_take_place_back(struct group *group, uint32_t member, enum reason_code why)
{
    if (!group->exchanged || group->twin_member != member || group->twin.drive == NULL) {
        return false;
    }
    exchange_back(group, edit_former_member(group));
    twin_drop(group, why);
    return true;
}

bool twin_exchange_done(struct group *group)
{
    struct drive *former = group->twin.drive;

    if (!group->exchanged) {
        return false;
    }
    group->exchanged = false;
    twin_forget(group);
    if (group->observer.copyback_done != NULL) {
        group->observer.copyback_done(group->observer.context, group, group->twin_member, former);
    }
    return true;
}
