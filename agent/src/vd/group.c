/*
 * The life of a drive group: create, start, stop, free; and the turn, in which everything
 * happens (group_private.h).
 *
 *   created --start--> saving --> online --stop--> drain -> flush -> save -> done --> freed
 *
 * (1) Nothing is written before group_start().
 * (2) At the end of a turn no answer and no notice is left, except inside vd_submit(), where a
 *     timer is armed for them.
 * (3) group_free() never waits: transfers that are late keep the memory until they return.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vd/group_private.h"

#define DEFAULT_DIRTY_IDLE_MS 5000u
#define DEFAULT_DIRTY_WARM_MS 120000u
/* A resync of so much takes about 20 minutes at 100 MB/s of each member. */
#define DEFAULT_DIRTY_WARM_BYTES (UINT64_C(128) << 30)

/* The turn */

void group_enter(struct group *group)
{
    ASSERT(group->depth < 16);
    group->depth++;
}

void group_notice_add(struct group *group, struct notice *notice, int error)
{
    ASSERT(notice->deliver != NULL);
    notice->error = error;
    list_init(&notice->link);
    list_push_tail(&group->notices, &notice->link);
}

static void answer_deliver(struct vd_request *request)
{
    struct request_state *state = request_state(request);

    ASSERT(state->phase == REQUEST_ANSWERED);
    if (SIM_BUG(ANSWERED_TWICE) && request->op == VD_OP_FLUSH) {
        request->complete(request, (enum vd_status)state->status);
    }
    vd_request_ended(state->vd, request, (enum vd_status)state->status);
    request->complete(request, (enum vd_status)state->status);
}

/* Starts what can be started. Most turns have nothing for most of the three. */
static void turn_pump(struct group *group)
{
    if (group->exchange != NULL) {
        exchange_pump(group);
    }
    if (!list_is_empty(&group->admission) && !group_is_held(group)) {
        requests_pump(group);
    }
    if (!list_is_empty(&group->syncs) && !group_is_held(group)) {
        syncs_pump(group);
    }
    if (group->regions_due) {
        regions_pump(group);
    }
    if (group->loss_unflushed) {
        flush_losses_pump(group);
    }
    if (group->saved < group->change || !list_is_empty(&group->edits)) {
        save_pump(group);
    }
}

/* Delivers what has come up, which may bring up more. Pools and queues bound each round; a
 * callback that submits forever is its own queue's bound. */
static void turn_deliver(struct group *group)
{
    struct list *node = NULL;

    for (;;) {
        turn_pump(group);
        node = list_pop_head(&group->notices);
        if (node != NULL) {
            struct notice *notice = list_entry(node, struct notice, link);

            notice->deliver(notice);
            continue;
        }
        node = list_pop_head(&group->syncs_done);
        if (node != NULL) {
            sync_deliver(list_entry(node, struct vd_sync, link));
            continue;
        }
        node = list_pop_head(&group->answers);
        if (node == NULL) {
            break;
        }
        answer_deliver(list_entry(node, struct vd_request, vd_link));
    }
}

static void turn_timer_fired(struct clock_timer *timer)
{
    struct group *group = timer->owner;

    group->split_bytes = 0; /* a new turn, even if time has not moved */
    group_enter(group);
    group_leave(group);
}

static void turn_later(struct group *group)
{
    bool due = !list_is_empty(&group->answers) || !list_is_empty(&group->notices) ||
               !list_is_empty(&group->syncs_done);

    if (due && !group->turn_timer.armed) {
        clock_arm(group->clock, &group->turn_timer, clock_now_us(group->clock));
    }
}

void group_leave(struct group *group)
{
    ASSERT(group->depth > 0);
    if (group->depth == 1) {
        turn_deliver(group);
        if (group->stop != STOP_NO) {
            group_stop_check(group);
            turn_later(group); /* it may have brought something up */
        }
    }
    group->depth--;
}

void group_leave_later(struct group *group)
{
    ASSERT(group->depth > 0);
    if (group->depth == 1) {
        turn_pump(group);
        turn_later(group);
    }
    group->depth--;
}

/* Create and free */

static bool transfers_are_late(const struct group *group)
{
    return group->late_ops > 0 || group->late_reads > 0 || group->late_flushes > 0;
}

static void group_dispose(struct group *group)
{
    ASSERT(!transfers_are_late(group));
    clock_cancel(group->clock, &group->turn_timer);
    clock_cancel(group->clock, &group->stop_timer);
    clock_cancel(group->clock, &group->refusal_timer);
    for (uint32_t i = 0; i < GROUP_VDS_MAX; i++) {
        group->vds[i] = vd_free(group->vds[i]);
    }
    group->stripe_log = stripe_log_free(group->stripe_log);
    stripe_pools_done(group);
    plain_reads_done(group);
    free(group->record);
    free(group->save_drives);
    free(group->members);
    free(group);
}

/* A late transfer came back. */
void group_late_gone(struct group *group)
{
    if (!group->orphaned) {
        group_enter(group);
        group_leave(group); /* somebody may have waited for the operation */
    } else if (!transfers_are_late(group)) {
        group_dispose(group);
    }
}

struct group *group_free(struct group *group)
{
    if (group == NULL) {
        return NULL;
    }
    ASSERT(group->stop == STOP_DONE || !group->online);
    ASSERT(group->requests_open == 0 && group->syncs_open == 0);
    ASSERT(!group->save_running && group->depth == 0 && group->replay == NULL);
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        clock_cancel(group->clock, &group->vds[i]->idle_timer);
    }
    group->orphaned = true;
    group_late_gone(group); /* now or later */
    return NULL;
}

static void members_init(struct group *group, struct drive *const *drives)
{
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        struct member *member = &group->members[i];
        struct member_config *config = &group->config.members[i];

        if (SIM_BUG(STALE_ACCEPTED) && drives[i] != NULL && config->state != MEMBER_REBUILD) {
            config->state = MEMBER_ONLINE;
        }
        member_flushes_init(group, member);
        member->drive = member_is_live(group, i) ? drives[i] : NULL;
        member->rebuilt_bytes = config->state == MEMBER_REBUILD ? config->rebuilt_bytes : 0;
        /* What was written before and not flushed is not known: flush once. */
        member->written = 1;
    }
    member_flushes_init(group, &group->twin);
}

static int group_init(struct group *group)
{
    int error = 0;

    list_init(&group->answers);
    list_init(&group->notices);
    list_init(&group->admission);
    list_init(&group->syncs);
    list_init(&group->syncs_done);
    list_init(&group->edits);
    refusals_init(group);
    group->turn_timer.fire = turn_timer_fired;
    group->turn_timer.owner = group;
    save_init(group);
    intent_init(group);
    flush_init(group);
    checkpoint_init(group);
    stripe_locks_init(group);
    error = stripe_pools_init(group);
    if (error == 0) {
        error = plain_reads_init(group);
    }
    for (uint32_t i = 0; i < group->config.vd_count && error == 0; i++) {
        error = vd_create(group, i, &group->vds[i]);
        if (error == 0) {
            group->vds[i]->serving = true;
        }
    }
    return error;
}

static bool config_is_usable(const struct group_config *config, struct drive *const *drives)
{
    uint64_t end_bytes = 0;

    if (config->member_count == 0 || config->member_count > GROUP_MEMBERS_MAX ||
        config->vd_count > GROUP_VDS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < config->vd_count; i++) {
        const struct vd_config *vd = &config->vds[i];
        const char *why = NULL;

        if (geometry_check(&vd->geometry, &why) != 0 ||
            geometry_member_count(&vd->geometry) != config->member_count) {
            return false;
        }
        end_bytes = max_u64(end_bytes, vd->extent_start_bytes + vd->geometry.extent_bytes);
    }
    for (uint32_t i = 0; i < config->member_count; i++) {
        if (drives[i] != NULL && drive_room_bytes(drives[i], config->compact) < end_bytes) {
            return false;
        }
    }
    return true;
}

int group_create(const struct group_config *config, struct drive *const *drives,
                 const struct uuid *controller, struct group_store *store, struct clock_port *clock,
                 const struct group_options *options, const struct group_observer *observer,
                 struct group **ret_group)
{
    struct group *group = NULL;
    int error = 0;

    ASSERT(config != NULL && drives != NULL && store != NULL && clock != NULL);
    if (!config_is_usable(config, drives)) {
        return -EINVAL;
    }
    group = calloc(1, sizeof(*group));
    if (group == NULL) {
        return -ENOMEM;
    }
    group->config = *config;
    group->controller = *controller;
    group->store = store;
    group->clock = clock;
    group->options = options != NULL ? *options : (struct group_options){0};
    group->options.dirty_idle_ms =
        group->options.dirty_idle_ms != 0 ? group->options.dirty_idle_ms : DEFAULT_DIRTY_IDLE_MS;
    group->options.dirty_warm_ms =
        group->options.dirty_warm_ms != 0 ? group->options.dirty_warm_ms : DEFAULT_DIRTY_WARM_MS;
    group->options.dirty_warm_bytes = group->options.dirty_warm_bytes != 0
                                          ? group->options.dirty_warm_bytes
                                          : DEFAULT_DIRTY_WARM_BYTES;
    group->observer = observer != NULL ? *observer : (struct group_observer){0};
    group->members = calloc(config->member_count, sizeof(*group->members));
    group->save_drives = calloc(config->member_count, sizeof(struct drive *));
    group->record = malloc(GROUP_RECORD_MAX_BYTES);
    error =
        group->members == NULL || group->save_drives == NULL || group->record == NULL ? -ENOMEM : 0;
    if (error == 0) {
        members_init(group, drives);
        error = group_init(group);
    }
    if (error != 0) {
        group_dispose(group);
        return error;
    }
    *ret_group = group;
    return 0;
}

/* Start */

/* Of one without redundancy no mark precedes the first write. */
static bool any_vd_unmarked(const struct group *group)
{
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        if (!vd_needs_mark(group->vds[i])) {
            return true;
        }
    }
    return false;
}

static void start_saved(struct notice *notice)
{
    struct group *group = container_of(notice, struct group, start_waiter.notice);

    if (!group->start_known && notice->error == 0 && !group_is_offline(group) &&
        any_vd_unmarked(group)) {
        group->start_known = true;
        (void)save_changed(group); /* that all members have this run's record (group_store.h (3)) */
        save_wait(group, &group->start_waiter);
        return;
    }
    group->online = true;
    /* Offline, nothing had to be saved: that no record could be written is no news then. */
    group->start_done(group->start_context, group_is_offline(group) ? 0 : notice->error);
}

/* A group that goes offline over it (doubt.c (3)) keeps the mark: there is doubt at its next start
 * as well. */
static void start_note_doubts(struct group *group)
{
    uint32_t members[GROUP_MEMBERS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (group->config.members[i].state != MEMBER_ONLINE) {
            members[count++] = i;
        }
    }
    doubts_note(group, members, count);
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        group->config.vds[i].dirty = group->vds[i]->doubted && group_is_offline(group);
    }
}

/*
 * A virtual drive that was being written when the power went: its regions are in doubt, or, if
 * its map is not known, all of it. DIRTY regions of a map count as in doubt as long as `resync`
 * is set too: then the pages that say NEED_SYNC may not be on the members yet.
 */
static void vd_note_unclean(struct group *group, uint32_t index)
{
    struct vd_config *config = &group->config.vds[index];
    struct vd *vd = group->vds[index];
    bool unclean = (config->dirty || config->resync) && !SIM_BUG(UNCLEAN_FORGOTTEN);

    if (vd->regions == NULL) {
        config->dirty = false;
        return;
    }
    /* A clean stop tears nothing: what was in doubt before it stays as it was recorded then. */
    config->resync_unlogged = (config->resync && config->resync_unlogged) ||
                              (unclean && config->dirty && !vd_was_logged(vd));
    vd->doubted = unclean && config->dirty && !vd_was_logged(vd) && config->written_degraded &&
                  vd_is_misdescribed(vd);
    if (region_store_start(vd, unclean)) {
        config->resync =
            !vd_regions_are_sound(vd) ||
            (config->resync && config->consistent_rows < geometry_row_count(&config->geometry));
        vd_note_suspects(vd, false);
    } else {
        bool doubt = unclean && (config->dirty || config->map_epoch != 0);

        region_store_renew(vd, false);
        if (doubt) {
            config->consistent_rows = 0;
            config->resync = true;
            vd->consistent_rows = 0;
            vd_note_suspects(vd, true);
            vd->unmapped_rows = geometry_row_count(&config->geometry);
        }
    }
    config->resync_unlogged = config->resync_unlogged && config->resync;
}

/* An offline group changes nothing: its drives may come back, with all that is known of them. */
static void start_finish(struct group *group)
{
    group->begun = true;
    for (uint32_t i = 0; i < group->config.vd_count && !group_is_offline(group); i++) {
        vd_note_unclean(group, i);
    }
    if (!group_is_offline(group)) {
        start_note_doubts(group);
        group->regions_running = true;
        group->regions_due = true;
    }
    if (!group_is_offline(group)) {
        (void)generations_set(group); /* saved below, whatever comes */
        stripe_log_need(group); /* if it could not begin */
    }
    /* Always saved: it creates the record of a new group, and brings up to date the labels of
     * members that missed the last save. */
    (void)save_changed(group);
    group->start_waiter.notice.deliver = start_saved;
    save_wait(group, &group->start_waiter);
}

static void start_flushed(struct flush_waiter *waiter, int error)
{
    struct group *group = container_of(waiter, struct group, start_flush);

    group->start_unflushed = error != 0 && !group_is_offline(group);
    /* A member may have been lost in this flush: then the stripe log begins now. */
    stripe_log_begin(group, start_finish);
}

static void start_flushed_late(struct flush_waiter *waiter, int error)
{
    struct group *group = container_of(waiter, struct group, start_flush);

    group->start_flushing = false;
    group->start_unflushed = error != 0 && !group_is_offline(group);
    group->regions_due = group->regions_running;
    stripe_marks_check(group);
}

static void start_replayed(struct group *group, int error);

/* The members do not refuse any more, perhaps. */
void start_go_on(struct group *group)
{
    if (group->replay_again) {
        group->replay_again = false;
        replay_begin(group, start_replayed);
    } else if (group->start_unflushed && !group->start_flushing) {
        group->start_flushing = true;
        group->start_flush.done = start_flushed_late;
        flush_wait(group, &group->start_flush);
    }
}

/* Pages of a map are written to the place beside what has been read here. If only a drive's cache
 * has that, the power could take both, and uncover what was there before (region_store.c (2)). If
 * this flush is refused, no page is written until a later one has succeeded. */
static void start_settle(struct group *group)
{
    if (group_is_offline(group)) {
        start_finish(group);
        return;
    }
    group->start_flush.done = start_flushed;
    flush_wait(group, &group->start_flush);
}

/* What has been refused is tried again for as long as it takes: rows that the log was to write
 * again may be torn, and without it would be read as if they were not. */
static bool replay_is_refused(struct group *group, int error)
{
    if (error != -EROFS && !group->refusing) {
        return false;
    }
    group->replay_again = true;
    group->start_refused = true;
    group_refuse(group);
    return true;
}

bool group_start_is_refused(const struct group *group)
{
    return group->start_refused && !group->online;
}

bool group_start_is_idle(const struct group *group)
{
    return group_start_is_refused(group) && group->replay_again && group->depth == 0 &&
           !group->save_running && !group->flush_round;
}

/* The stripe log is replayed, or begun anew; or there is another. */
static void start_log_ended(struct group *group)
{
    if (!group_is_offline(group) && stripe_log_hand_over(group)) {
        replay_begin(group, start_replayed);
    } else {
        start_settle(group);
    }
}

static void start_replayed(struct group *group, int error)
{
    if (error != 0 && !group_is_offline(group)) {
        if (replay_is_refused(group, error)) {
            return;
        }
        if (group_log_is_own(group)) {
            stripe_log_restart(group, start_log_ended);
            return;
        }
        intent_log_lose(group);
    }
    start_log_ended(group);
}

static void start_loaded(struct group *group)
{
    stripe_log_start(group);
    if (group->log != NULL && !group_is_offline(group)) {
        replay_begin(group, start_replayed);
    } else {
        start_settle(group);
    }
}

void group_start(struct group *group, void (*done)(void *context, int error), void *context)
{
    ASSERT(!group->online && group->start_done == NULL);
    ASSERT(done != NULL);
    group_enter(group);
    group->start_done = done;
    group->start_context = context;
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (member_is_live(group, i) && group->members[i].drive == NULL) {
            member_lose(group, i, MEMBER_MISSING, REASON_DRIVE_LOST_ABSENT);
        } else if (group->members[i].drive != NULL) {
            member_place_set(&group->config.members[i], group->members[i].drive);
        }
    }
    group_states_update(group);
    twin_start(group);
    regions_load(group, start_loaded);
    group_leave_later(group);
}

/* Stop */

static void stop_timer_fired(struct clock_timer *timer)
{
    struct group *group = timer->owner;

    ASSERT(group->stop == STOP_DONE);
    group->stop_done(group->stop_context, group->stop_error);
    /* The group may be gone now. */
}

static void stop_finish(struct group *group)
{
    ASSERT(group->stop == STOP_END);
    ASSERT(!group->save_running && !group->checkpoint_running);
    ASSERT(!group->flush_round);
    ASSERT(group->saved == group->change || group->save_refused);
    group->stop = STOP_DONE;
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        clock_cancel(group->clock, &group->vds[i]->idle_timer);
    }
    clock_arm(group->clock, &group->stop_timer, clock_now_us(group->clock));
}

static void stop_saved(struct notice *notice)
{
    struct group *group = container_of(notice, struct group, stop_waiter.notice);

    group->stop = STOP_END;
    if (group->stop_error == 0) {
        group->stop_error = notice->error;
    }
}

/* The maps say clean, or cannot any more: now the labels. */
static void stop_save(struct group *group)
{
    ASSERT(group->stop == STOP_REGIONS);
    group->regions_running = false; /* what a loss changes from now on is found at the start */
    if (group->stop_error == 0 && !group_is_offline(group)) {
        for (uint32_t i = 0; i < group->config.vd_count; i++) {
            group->config.vds[i].dirty = false;
            group->vds[i]->checkpoint_sound = vd_regions_are_sound(group->vds[i]);
            checkpoint_publish_rows(group->vds[i], group->vds[i]->consistent_rows);
        }
        for (uint32_t i = 0; i < group->config.member_count; i++) {
            if (group->config.members[i].state == MEMBER_REBUILD) {
                group->config.members[i].rebuilt_bytes = group->members[i].rebuilt_bytes;
            }
        }
        if (group->config.copyback.active) {
            group->config.copyback.copied_bytes = group->twin.rebuilt_bytes;
        }
        (void)save_changed(group); /* save_wait() below waits for it */
    }
    group->stop = STOP_SAVE;
    group->save_refused = false; /* once more */
    group->stop_waiter.notice.deliver = stop_saved;
    save_wait(group, &group->stop_waiter);
    save_pump(group); /* the turn is at its end */
}

static void stop_settled(struct group_settle *settle, int error)
{
    struct group *group = container_of(settle, struct group, stop_settle);

    ASSERT(group->stop == STOP_FLUSH);
    group->stop = STOP_REGIONS;
    group->stop_error = error;
    for (uint32_t i = 0; i < group->config.vd_count && error == 0; i++) {
        if (group->vds[i]->regions != NULL) {
            region_map_clean_all(region_store_map(group->vds[i]->regions));
        }
    }
}

static void stop_flushed(struct flush_waiter *waiter, int error)
{
    struct group *group = container_of(waiter, struct group, stop_flush);

    if (error != 0 || SIM_BUG(CURSOR_UNSETTLED)) {
        stop_settled(&group->stop_settle, error);
    } else {
        group_settle(group, &group->stop_settle, stop_settled);
    }
}

/* What is not saved is being saved, or waits for the survivors' flush after a loss (save_pump,
 * flush_losses_pump): the turn has just begun it. */
void group_stop_check(struct group *group)
{
    if (group->stop == STOP_END && !group->save_running && group->loss_flush_pending == 0 &&
        !group->flush_round && !group->checkpoint_running &&
        !stripe_log_is_busy(group->stripe_log) && group->settles == 0) {
        stop_finish(group);
    }
    if (group->stop == STOP_REGIONS && regions_are_settled(group)) {
        stop_save(group);
    }
    if (group->stop != STOP_DRAIN || group->requests_open > 0 || group->syncs_open > 0 ||
        group->edit != NULL || !list_is_empty(&group->edits) || group->checkpoint_running ||
        group->exchange != NULL || stripe_log_is_busy(group->stripe_log) || group->settles > 0) {
        return;
    }
    ASSERT(group->ops_active == 0); /* they are of requests and syncs */
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        if (group->vds[i]->cleaning || region_store_is_busy(group->vds[i]->regions)) {
            return;
        }
    }
    group->stop = STOP_FLUSH;
    group->stop_flush.done = stop_flushed;
    if (SIM_BUG(STOP_UNFLUSHED)) {
        stop_flushed(&group->stop_flush, 0);
        return;
    }
    flush_wait(group, &group->stop_flush);
}

void group_stop(struct group *group, void (*done)(void *context, int error), void *context)
{
    ASSERT(group->online && group->stop == STOP_NO);
    ASSERT(done != NULL);
    group_enter(group);
    group->stop = STOP_DRAIN;
    group->stop_done = done;
    group->stop_context = context;
    group->stop_timer.fire = stop_timer_fired;
    group->stop_timer.owner = group;
    syncs_cancel(group);
    if (!group->turn_timer.armed) {
        clock_arm(group->clock, &group->turn_timer, clock_now_us(group->clock));
    }
    group_leave_later(group);
}

/* Getters */

const struct group_config *group_config(const struct group *group)
{
    return &group->config;
}

struct drive *group_drive(const struct group *group, uint32_t member)
{
    ASSERT(member < group->config.member_count);
    return group->members[member].drive;
}

enum virtual_drive_state group_state(const struct group *group)
{
    return group->state;
}

uint32_t group_vd_count(const struct group *group)
{
    return group->config.vd_count;
}

struct vd *group_vd(const struct group *group, uint32_t index)
{
    ASSERT(index < group->config.vd_count);
    return group->vds[index];
}
