/*
 * States of members, and of the virtual drives that follow from them.
 *
 *   ONLINE ----lose----> FAILED | MISSING | OFFLINE --replace--> REBUILD --rebuilt--> ONLINE
 *   REBUILD ---lose--/
 *
 * (1) A loss within tolerance is a change to be saved; whoever was degraded by it waits.
 * (2) A loss beyond tolerance takes the group offline: from then on nothing is acknowledged,
 *     so the member misses nothing. Such a loss is not recorded: when the drive is back after
 *     a restart, its bytes still count (and the dirty mark causes a resync). The same goes for
 *     losses before that were not durable yet: nothing was acknowledged after those either.
 * (3) A last copy whose drive refuses a write or a flush, because there is no room below or because
 *     it is read-only, keeps its place: what it holds is right, and only the write or the flush
 *     fails. Marks and records that it refuses are tried again after a while; what waits for them
 *     fails. Where a loss is borne, one that refuses is lost, because it misses what the others
 *     take. What a refused flush should have covered counts as unflushed until another succeeds.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/checked.h"
#include "meta/config_check.h"
#include "meta/config_state.h"
#include "vd/group_private.h"

#define REFUSAL_AGAIN_US UINT64_C(1000000)
/* Drives that refuse writes within so long have the same reason: a file system that is full. */
#define REFUSALS_TOGETHER_US UINT64_C(10000000)

void group_states_update(struct group *group)
{
    group->state = group_config_state(&group->config);
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        struct vd *vd = group->vds[i];
        enum virtual_drive_state old = vd->state;

        vd->state = group->state;
        if (vd->state != old && group->observer.vd_state_changed != NULL) {
            group->observer.vd_state_changed(group->observer.context, vd, old);
        }
    }
    if (group_is_offline(group)) {
        stripe_marks_check(group); /* nobody shall wait for what will not come */
        if (group->log != NULL) {
            group->log->ops->offline(group->log);
        }
    }
}

bool member_is_last_copy(const struct group *group, uint32_t member)
{
    return group_config_is_last_copy(&group->config, member);
}

static bool lose_is_beyond(const struct group *group)
{
    return group->config.vd_count > 0 &&
           group_config_state(&group->config) == VIRTUAL_DRIVE_STATE_OFFLINE;
}

bool member_set_aside(struct group *group, uint32_t member, enum member_state state,
                      enum reason_code why)
{
    struct member_config *config = &group->config.members[member];
    struct member *runtime = &group->members[member];
    enum member_state old = config->state;

    ASSERT(state == MEMBER_FAILED || state == MEMBER_MISSING || state == MEMBER_OFFLINE);
    ASSERT(group->depth > 0);
    if (!member_is_live(group, member) || twin_take_place_back(group, member, why)) {
        return false;
    }
    config->state = state;
    config->why = why;
    runtime->drive = NULL;
    runtime->checkpoint_bytes = 0;
    runtime->kept_state = old;
    if (lose_is_beyond(group) && !SIM_BUG(LOSS_BEYOND_RECORDED)) {
        runtime->loss_unsaved = true; /* (2) */
    } else {
        config->rebuilt_bytes = 0;
        group->loss_change =
            SIM_BUG(LOSS_NOT_SAVED) ? group->loss_change : save_changed(group); /* (1) */
        runtime->lost_change = group->loss_change;
        flush_note_loss(group);
    }
    if (group->observer.member_changed != NULL) {
        group->observer.member_changed(group->observer.context, group, member, old, why);
    }
    if (group->twin.drive != NULL && group->twin_member == member) {
        twin_drop(group, REASON_COPYBACK_SOURCE_LOST);
    }
    group_states_update(group);
    return true;
}

void member_lose(struct group *group, uint32_t member, enum member_state state,
                 enum reason_code why)
{
    if (!member_set_aside(group, member, state, why) || !group->regions_running) {
        return;
    }
    doubts_note(group, &member, 1);
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        if (vd_rows_are_unmapped(group->vds[i])) {
            vd_note_suspects(group->vds[i], true);
        } else if (!vd_regions_are_sound(group->vds[i])) {
            vd_note_suspects(group->vds[i], false);
        }
    }
    stripe_log_need(group); /* before the loss is saved (flush.c (3)) */
}

void members_keep_unsaved(struct group *group)
{
    ASSERT(group_is_offline(group));
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        struct member *member = &group->members[i];

        if (!member_is_live(group, i) && !save_is_durable(group, member->lost_change)) {
            member->loss_unsaved = true;
        }
    }
}

/* Refusals of writes and flushes (3) */

enum reason_code refusal_reason(enum io_status status)
{
    ASSERT(IO_STATUS_IS_REFUSAL(status));
    return status == IO_STATUS_NO_SPACE ? REASON_DRIVE_LOST_NO_SPACE : REASON_DRIVE_LOST_READ_ONLY;
}

static void refusal_over(struct clock_timer *timer)
{
    struct group *group = timer->owner;

    group_enter(group);
    group->refusing = false;
    group->regions_due = group->regions_running;
    start_go_on(group);
    stripe_log_go_on(group);
    group_leave(group); /* what could not be saved is tried again */
}

void refusals_init(struct group *group)
{
    group->refusal_timer.fire = refusal_over;
    group->refusal_timer.owner = group;
    list_init(&group->refusal_timer.port_link);
}

void refusals_again(struct group *group)
{
    if (!group->refusal_timer.armed) {
        clock_arm(group->clock, &group->refusal_timer,
                  clock_now_us(group->clock) + REFUSAL_AGAIN_US);
    }
}

void group_refuse(struct group *group)
{
    group->refusing = true;
    refusals_again(group);
    stripe_marks_check(group);
}

bool member_refusal_note(struct group *group, uint32_t member, enum io_status status)
{
    if (!IO_STATUS_IS_REFUSAL(status) || !member_is_live(group, member)) {
        return false;
    }
    group->members[member].refusal = status;
    group->members[member].refused_us = clock_now_us(group->clock);
    return true;
}

bool flush_refusal_note(struct group *group, uint32_t member, enum io_status status)
{
    bool noted = member_refusal_note(group, member, status);

    group->members[member].refused_flush = noted || group->members[member].refused_flush;
    return noted;
}

bool members_bear_loss(const struct group *group, const uint32_t *members, uint32_t count)
{
    struct group_config *config = malloc(sizeof(*config));
    uint64_t now_us = clock_now_us(group->clock);
    bool bears = false;

    ASSERT(config != NULL && count > 0);
    *config = group->config;
    for (uint32_t i = 0; i < config->member_count; i++) {
        uint64_t refused_us = group->members[i].refused_us;

        if (refused_us != 0 && now_us - refused_us < REFUSALS_TOGETHER_US &&
            config->members[i].state == MEMBER_ONLINE) {
            config->members[i].state = MEMBER_OFFLINE;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        config->members[members[i]].state = MEMBER_OFFLINE;
    }
    bears = group_config_state(config) != VIRTUAL_DRIVE_STATE_OFFLINE;
    free(config);
    return bears;
}

bool member_refusals_judge(struct group *group)
{
    uint32_t members[GROUP_MEMBERS_MAX];
    uint32_t count = 0;
    bool kept = false;

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (group->members[i].refusal != IO_STATUS_OK && member_is_live(group, i)) {
            members[count++] = i;
        }
    }
    if (count == 0) { /* nobody has, or those that have were judged for another record */
        return group->refusing;
    }
    kept = !members_bear_loss(group, members, count);
    if (kept) {
        group_refuse(group);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct member *member = &group->members[members[i]];
        enum io_op op = member->refused_flush ? IO_OP_FLUSH : IO_OP_WRITE;

        group->refusal = member->refusal;
        member->refusal = IO_STATUS_OK;
        member->refused_flush = false;
        if (!kept) {
            member_lose_by_status(group, members[i], op, group->refusal);
        }
    }
    return kept;
}

void member_lose_by_status(struct group *group, uint32_t member, enum io_op op,
                           enum io_status status)
{
    enum reason_code why = REASON_DRIVE_LOST_WRITE_ERROR;

    switch (status) {
    case IO_STATUS_GONE:
        member_lose(group, member, MEMBER_MISSING, REASON_DRIVE_LOST_PULLED);
        return;
    case IO_STATUS_TIMEOUT:
        why = REASON_DRIVE_LOST_TIMEOUT;
        break;
    case IO_STATUS_NO_SPACE:
    case IO_STATUS_READ_ONLY:
        if (op == IO_OP_WRITE) { /* a flush that fails may have lost what was written before */
            member_lose(group, member, MEMBER_OFFLINE, refusal_reason(status));
            return;
        }
        why = REASON_DRIVE_LOST_FLUSH;
        break;
    case IO_STATUS_MEDIA:
    case IO_STATUS_ERROR:
        ASSERT(op != IO_OP_READ); /* bytes that cannot be read do not cost a member */
        why = op == IO_OP_FLUSH ? REASON_DRIVE_LOST_FLUSH : REASON_DRIVE_LOST_WRITE_ERROR;
        break;
    case IO_STATUS_OK:
    case IO_STATUS_MAX:
        UNREACHABLE();
    }
    member_lose(group, member, MEMBER_FAILED, why);
}

void member_lose_by_transfer(struct group *group, uint32_t member, const struct drive_io *io,
                             enum io_status status)
{
    if (group->members[member].drive == io->drive) {
        member_lose_by_status(group, member, io->op, status);
    }
}

int group_member_lose(struct group *group, uint32_t member, enum member_state state,
                      enum reason_code why, bool polite)
{
    ASSERT(member < group->config.member_count);
    if (polite && member_is_last_copy(group, member)) {
        return -EBUSY;
    }
    group_enter(group);
    member_lose(group, member, state, why);
    group_leave_later(group);
    return 0;
}

void group_outrank(struct group *group, uint64_t sequence)
{
    ASSERT(!group_is_offline(group));
    ASSERT(sequence <= GROUP_SEQUENCE_OUTRANK_MAX);
    group_enter(group);
    group->config.sequence = max_u64(group->config.sequence, sequence);
    (void)save_changed(group); /* nobody waits */
    group_leave_later(group);
}

bool group_member_distrust(struct group *group, uint32_t member, enum reason_code why)
{
    struct member_config *config = &group->config.members[member];

    ASSERT(member < group->config.member_count && !member_is_live(group, member));
    ASSERT(!group_is_offline(group));
    if (group->edit != NULL) {
        return false;
    }
    group_enter(group);
    config->state = MEMBER_FAILED;
    config->why = why;
    (void)save_changed(group); /* nobody waits */
    group_leave_later(group);
    return true;
}

bool group_member_is_unsaved(const struct group *group, uint32_t member)
{
    ASSERT(member < group->config.member_count);
    return group->members[member].loss_unsaved;
}

void member_place_set(struct member_config *member, const struct drive *drive)
{
    const struct drive_identity *identity = drive_identity(drive);

    member->place_known = identity->eid != UINT32_MAX && identity->slot < UINT16_MAX;
    member->eid = member->place_known ? identity->eid : 0;
    member->slot = member->place_known ? (uint16_t)identity->slot : 0;
}

/* Cursors of rebuilds */

void group_rebuilt_advance(struct group *group, uint32_t member, uint64_t bytes)
{
    ASSERT(member < group->config.member_count);
    if (group->config.members[member].state == MEMBER_REBUILD) {
        ASSERT(bytes >= group->members[member].rebuilt_bytes);
        group->members[member].rebuilt_bytes = bytes;
    }
}

uint64_t group_rebuilt_bytes(const struct group *group, uint32_t member)
{
    ASSERT(member < group->config.member_count);
    return group->members[member].rebuilt_bytes;
}

uint64_t group_rebuild_number(const struct group *group, uint32_t member)
{
    ASSERT(member < group->config.member_count);
    return group->members[member].rebuild_number;
}

/* The end of a rebuild: flush, part of the stripe log or settled with another, then ONLINE, then
 * durable. */

struct rebuilt {
    struct flush_waiter flush;
    struct intent_settle join;
    struct group_settle settle;
    struct save_waiter save;
    struct group *group;
    uint32_t member;
    uint64_t number; /* which rebuild it was */
    void (*done)(void *context, int error);
    void *context;
};

static void rebuilt_answer(struct notice *notice)
{
    struct rebuilt *rebuilt = container_of(notice, struct rebuilt, save.notice);

    rebuilt->done(rebuilt->context, notice->error);
    free(rebuilt);
}

static bool member_is_whole(const struct group *group, uint32_t member)
{
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        const struct vd_config *vd = &group->config.vds[i];

        if (group->members[member].rebuilt_bytes <
            vd->extent_start_bytes + vd->geometry.extent_bytes) {
            return false;
        }
    }
    return true;
}

static void rebuilt_end(struct rebuilt *rebuilt, int error)
{
    struct group *group = rebuilt->group;
    struct member_config *config = &group->config.members[rebuilt->member];

    if (error == 0 && (config->state != MEMBER_REBUILD ||
                       group_rebuild_number(group, rebuilt->member) != rebuilt->number)) {
        error = -ENODEV;
    }
    if (error == 0 && !member_is_whole(group, rebuilt->member)) {
        error = -EAGAIN; /* a virtual drive was added meanwhile */
    }
    if (error != 0) {
        group_notice_add(group, &rebuilt->save.notice, error);
        return;
    }
    config->state = MEMBER_ONLINE;
    config->why = REASON_OK;
    config->rebuilt_bytes = 0;
    group->online_change = save_changed(group); /* save_wait() waits for it */
    group->members[rebuilt->member].online_change = group->online_change;
    if (group->observer.member_changed != NULL) {
        group->observer.member_changed(group->observer.context, group, rebuilt->member,
                                       MEMBER_REBUILD, REASON_OK);
    }
    group_states_update(group);
    save_wait(group, &rebuilt->save);
}

static void rebuilt_joined(struct intent_settle *join, int error)
{
    struct rebuilt *rebuilt = container_of(join, struct rebuilt, join);
    struct group *group = rebuilt->group;
    uint32_t member = rebuilt->member;

    rebuilt_end(rebuilt, error == -EAGAIN ? -EROFS : error);
    stripe_log_leave(group->stripe_log, member);
}

static void rebuilt_settled(struct group_settle *settle, int error)
{
    rebuilt_end(container_of(settle, struct rebuilt, settle), error);
}

static void rebuilt_flushed(struct flush_waiter *waiter, int error)
{
    struct rebuilt *rebuilt = container_of(waiter, struct rebuilt, flush);
    struct group *group = rebuilt->group;

    if (error != 0 || SIM_BUG(REBUILT_UNSETTLED) ||
        (stripe_log_is_kept(group) && SIM_BUG(LOG_NOT_JOINED))) {
        rebuilt_end(rebuilt, error);
    } else if (stripe_log_is_kept(group)) {
        rebuilt->join.done = rebuilt_joined;
        stripe_log_join(group->stripe_log, rebuilt->member, &rebuilt->join);
    } else {
        group_settle(group, &rebuilt->settle, rebuilt_settled);
    }
}

void group_member_rebuilt(struct group *group, uint32_t member,
                          void (*done)(void *context, int error), void *context)
{
    struct rebuilt *rebuilt = calloc(1, sizeof(*rebuilt));

    ASSERT(rebuilt != NULL && done != NULL);
    ASSERT(member < group->config.member_count);
    rebuilt->group = group;
    rebuilt->member = member;
    rebuilt->number = group_rebuild_number(group, member);
    rebuilt->done = done;
    rebuilt->context = context;
    rebuilt->flush.done = rebuilt_flushed;
    rebuilt->save.notice.deliver = rebuilt_answer;
    group_enter(group);
    if (SIM_BUG(REBUILT_UNFLUSHED)) {
        rebuilt_flushed(&rebuilt->flush, 0);
    } else {
        flush_wait(group, &rebuilt->flush);
    }
    group_leave_later(group);
}

void group_durable_config(const struct group *group, struct group_config *ret_config)
{
    *ret_config = group->config;
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (group->members[i].loss_unsaved) {
            ASSERT(group->members[i].drive == NULL);
            ret_config->members[i].state = group->members[i].kept_state;
            ret_config->members[i].why = REASON_OK;
        }
    }
    for (uint32_t i = 0; i < group->config.vd_count && group->begun; i++) {
        vd_log_record(group->vds[i], ret_config);
    }
}
