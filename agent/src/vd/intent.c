/*
 * Write intents of stripe operations (raid/intent_log.h).
 *
 *   MARK -> LOG: append -> durable -> WRITE -> ... -> the end: retire(epoch)
 *
 * The epoch of an intent is the number of the next flush round: one that has begun already may
 * have passed its writes.
 *
 * (1) Logged is every write that, torn, would cost what it does not replace: part of a row, and
 *     any row with a place that cannot be trusted, whose content the others describe; also one
 *     that is trusted now, but not yet by the records that a start would find. Not logged is a
 *     whole row whose own places can all be trusted, though another span has lost one: one batch
 *     is written at a time, and such rows would be a third as fast (closure_bench). If that span
 *     loses a member, or cannot read a sector, at the moment the power goes, what was being written
 *     is neither old nor new, as in a group that is whole.
 * (2) Logged is every write to a slice with an open intent, whatever it covers: or replay would
 *     put older content over it.
 * (3) A log that has gone, the stripe log too, stays away until the group starts again. Before the
 *     first write goes past it, a new generation is durable, so that nothing in it will ever be
 *     replayed.
 * (4) Not logged is what a cache keeps in the same medium (vd_request.kept) and writes again as a
 *     whole after a crash: mirrors, and rows all of whose data it has, also those of members that
 *     are missing. Part of a row with parity is logged: read-modify-write out of a torn row would
 *     leave its parity wrong.
 * (5) A virtual drive whose stripe log is automatic has it while a member of the group is not in
 *     sync, by the state or by the record. At a loss the log begins before the record of the loss
 *     is saved (flush.c (3)), and degraded writes wait for that; a member is in sync durably before
 *     the first write that is not logged. So the record tells whether the log knew everything:
 *     vd_log_record().
 * (6) The intent of a write that has failed, because drives refused it or its notes could not be
 *     saved, is kept as long as it alone says how to end the row: until all that is known of the
 *     row is durable. Then it is retired, or the log would have a place less for good.
 * (7) A log that takes the place of one that has gone does not know of the writes under way then.
 *     While a member is not in sync no record names it before they have ended, and are flushed, as
 *     at a loss (flush.c (3)).
 * (8) A journal may have been away while the stripe log was used; the record tells. Then the
 *     stripe log is replayed first, and the journal, which is void, is used from then on.
 */
#include <errno.h>

#include "cache/sim_bug.h"
#include "vd/group_private.h"

static bool stripe_log_is_wanted(const struct group *group);
static void log_wants_flush(struct intent_log *log);
static void log_flushed(struct flush_waiter *waiter, int error);

static void log_attach(struct group *group, struct intent_log *log)
{
    group->log = log;
    group->log_number++;
    group->stray_writes += group->logged_writes;
    group->logged_writes = 0;
    group->given_up_count = 0;
    if (log != NULL) {
        log->owner = group;
        log->wants_flush = log_wants_flush;
    }
}

void intent_init(struct group *group)
{
    group->log_flush.done = log_flushed;
    log_attach(group, group->options.intent_log);
}

bool group_log_is_own(const struct group *group)
{
    return group->stripe_log != NULL && group->log == stripe_log_seam(group->stripe_log);
}

/* Has it a use for the stripe log, now or while a member is not in sync? */
static bool vd_asks_for_log(const struct vd *vd)
{
    const struct vd_config *config = vd_config_of(vd);

    switch (config->stripe_log) {
    case STRIPE_LOG_MODE_AUTO:
        return raid_level_info(config->geometry.level)->parity_count > 0;
    case STRIPE_LOG_MODE_ON:
        return vd_needs_mark(vd);
    case STRIPE_LOG_MODE_OFF:
        return false;
    case STRIPE_LOG_MODE_MAX:
        break;
    }
    UNREACHABLE();
}

bool vd_has_log(const struct vd *vd)
{
    const struct group *group = vd->group;

    return group->log != NULL && vd_needs_mark(vd) &&
           (!group_log_is_own(group) || vd_asks_for_log(vd));
}

/* Every member is in sync, and a start would find that too. */
static bool group_is_whole(const struct group *group)
{
    return group->state == VIRTUAL_DRIVE_STATE_OPTIMAL &&
           save_is_durable(group, group->online_change);
}

/* Generations tell by their last two bits whose they are: 1 of the log that was given, 3 of the
 * stripe log, even of none; and by the upper half which one it is. What one log holds is void as
 * soon as another takes its place: the lower half never goes back. */
static uint64_t generation_for(const struct vd *vd, uint64_t generation)
{
    const struct group *group = vd->group;
    uint32_t wanted = group_log_is_own(group) ? 3 : 1;
    uint32_t count = (uint32_t)generation;
    uint64_t identity = 0;

    if (!vd_has_log(vd)) {
        return generation + generation % 2;
    }
    identity = SIM_BUG(LOG_ANY_TRUSTED) ? generation >> 32 : group->log->identity;
    count += identity != generation >> 32 ? 4 : 0;
    return identity << 32 | (count + (wanted + 4 - count % 4) % 4);
}

bool vd_is_logged(const struct vd *vd)
{
    uint64_t generation = vd_config_of(vd)->intent_generation;

    return vd_has_log(vd) && generation_for(vd, generation) == generation;
}

bool vd_was_logged(const struct vd *vd)
{
    if (vd->was_logged) {
        return true;
    }
    return vd_is_logged(vd) && (!group_log_is_own(vd->group) || vd_config_of(vd)->stripe_log_used);
}

bool stripe_log_is_awaited(const struct vd *vd)
{
    return vd_config_of(vd)->stripe_log == STRIPE_LOG_MODE_AUTO && !vd->group->log_scarce &&
           stripe_log_is_wanted(vd->group) && vd_needs_mark(vd);
}

/* With the states that the record gives the members: is every write logged that could be torn? A
 * record that calls one out of sync is durable before the first write past it (group_members.c
 * (1)), and one that calls all of them in sync before the first that is not logged. */
void vd_log_record(const struct vd *vd, struct group_config *record)
{
    struct vd_config *config = &record->vds[vd->index];
    bool whole = true;

    for (uint32_t i = 0; i < record->member_count; i++) {
        whole = whole && record->members[i].state == MEMBER_ONLINE;
    }
    config->written_degraded = !whole && !stripe_log_is_awaited(vd);
    config->stripe_log_used = group_log_is_own(vd->group) && vd_is_logged(vd) &&
                              (config->stripe_log == STRIPE_LOG_MODE_ON || !whole);
}

bool generations_set(struct group *group)
{
    bool any = false;

    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        struct vd_config *config = &group->config.vds[i];

        uint64_t generation = generation_for(group->vds[i], config->intent_generation);

        any = any || generation != config->intent_generation;
        config->intent_generation = generation;
    }
    return any;
}

/* The stripe log */

static bool stripe_log_is_wanted(const struct group *group)
{
    bool whole = group->state == VIRTUAL_DRIVE_STATE_OPTIMAL;

    if (group->log != NULL || group->log_spoilt || group_is_offline(group)) {
        return false;
    }
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        if (vd_asks_for_log(group->vds[i]) &&
            (!whole || group->config.vds[i].stripe_log == STRIPE_LOG_MODE_ON)) {
            return true;
        }
    }
    return false;
}

/* By the record that was found: is there anything to be replayed? */
static bool stripe_log_was_used(const struct group *group)
{
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        if (group->config.vds[i].stripe_log_used && vd_asks_for_log(group->vds[i])) {
            return true;
        }
    }
    return false;
}

static bool stripe_log_make(struct group *group)
{
    group->log_scarce =
        group->stripe_log == NULL && stripe_log_create(group, &group->stripe_log) != 0;
    return !group->log_scarce;
}

enum group_log group_log(const struct group *group)
{
    static const enum group_log of_medium[INTENT_MEDIUM_MAX] = {
        [INTENT_MEDIUM_MEMORY] = GROUP_LOG_MEMORY,
        [INTENT_MEDIUM_STABLE] = GROUP_LOG_STABLE,
        [INTENT_MEDIUM_DRIVES] = GROUP_LOG_DRIVES,
    };

    if (group->log != NULL) {
        return of_medium[group->log->medium];
    }
    return group->log_clearing.owner != NULL ? GROUP_LOG_BEGINS
           : group->log_scarce               ? GROUP_LOG_NO_MEMORY
                                             : GROUP_LOG_NONE;
}

bool stripe_log_is_kept(const struct group *group)
{
    return group->stripe_log != NULL && group->config.vd_count > 0 &&
           (group->log == stripe_log_seam(group->stripe_log) || group->log_clearing.owner != NULL);
}

/* What the log held will never be known. */
static void log_contents_lose(struct group *group)
{
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        group->config.vds[i].stripe_log_used = false;
    }
}

void stripe_log_start(struct group *group)
{
    if (group_is_offline(group) || !stripe_log_was_used(group) || SIM_BUG(LOG_NOT_READ)) {
        return; /* or the log that is given (8) */
    }
    if (stripe_log_make(group)) {
        log_attach(group, stripe_log_seam(group->stripe_log));
    } else {
        log_contents_lose(group);
    }
}

bool stripe_log_hand_over(struct group *group)
{
    if (!group_log_is_own(group) || group->options.intent_log == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        group->vds[i]->was_logged = vd_was_logged(group->vds[i]);
    }
    log_attach(group, group->options.intent_log);
    return true;
}

static void stripe_log_cleared(struct intent_clear *clear, int error)
{
    struct group *group = container_of(clear, struct group, log_clearing);

    group_enter(group);
    clear->owner = NULL;
    ASSERT(group->log == NULL);
    if (error == 0) {
        log_attach(group, stripe_log_seam(group->stripe_log));
        if (generations_set(group)) {
            (void)save_changed(group); /* until it is durable, intents of now count for nothing */
        }
        /* Degraded, the record is to say that the log is used: whoever writes waits for that. */
        group->loss_change = SIM_BUG(LOG_ON_LATE) ? group->loss_change : group->change;
        for (uint32_t i = 0; i < group->config.vd_count; i++) {
            vd_changed_tell(group->vds[i]);
        }
    } else if (!group_is_offline(group)) {
        /* Whoever waits for the log fails, and it is tried again. So does whoever waits for the
         * record of a loss, which comes after it. */
        group_refuse(group);
        if (group->loss_unflushed) {
            saves_refuse(group);
        }
    }
    stripe_marks_check(group);
    group_leave(group);
}

static void stripe_log_clear(struct group *group,
                             void (*done)(struct intent_clear *clear, int error))
{
    struct intent_log *seam = stripe_log_seam(group->stripe_log);

    ASSERT(group->log_clearing.owner == NULL);
    group->log_clearing.done = done;
    group->log_clearing.owner = group;
    seam->ops->clear(seam, &group->log_clearing);
}

void stripe_log_need(struct group *group)
{
    if (stripe_log_is_wanted(group) && group->log_clearing.owner == NULL &&
        stripe_log_make(group)) {
        stripe_log_clear(group, stripe_log_cleared);
    }
}

void stripe_log_review(struct group *group)
{
    bool any = generations_set(group);

    ASSERT(!any); /* the change that brings us here has done that, and so has what met with it */
    stripe_log_need(group);
}

void stripe_log_go_on(struct group *group)
{
    if (group->stripe_log == NULL || group_is_offline(group)) {
        return;
    }
    if (group->log == stripe_log_seam(group->stripe_log)) {
        stripe_log_retry(group->stripe_log);
    } else if (group->loss_unflushed) {
        refusals_again(group); /* the loss comes first: if the log alone is refused, it is saved */
    } else if (group->regions_running && group->stop == STOP_NO) {
        stripe_log_need(group); /* it could not begin */
    }
}

static void stripe_log_restarted(struct intent_clear *clear, int error)
{
    struct group *group = container_of(clear, struct group, log_clearing);

    group_enter(group);
    clear->owner = NULL;
    log_attach(group, error == 0 ? stripe_log_seam(group->stripe_log) : NULL);
    group->restarted(group);
    group_leave(group);
}

void stripe_log_restart(struct group *group, void (*done)(struct group *group))
{
    ASSERT(group->log == stripe_log_seam(group->stripe_log));
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        group->config.vds[i].intent_generation += group->config.vds[i].intent_generation % 2;
    }
    log_contents_lose(group);
    group->restarted = done;
    stripe_log_clear(group, stripe_log_restarted);
}

void stripe_log_begin(struct group *group, void (*done)(struct group *group))
{
    if (!stripe_log_is_wanted(group) || !stripe_log_make(group)) {
        done(group);
        return;
    }
    group->restarted = done;
    stripe_log_clear(group, stripe_log_restarted);
}

/* The cache that the write comes from writes these bytes again after a crash, out of the very
 * medium that an intent would go to. */
static bool op_is_kept(const struct stripe_op *op)
{
    ASSERT(op->request != NULL); /* nobody else's writes are logged */
    return op->request->kept && op->group->log->medium != INTENT_MEDIUM_DRIVES;
}

/* Does the write leave something in the row that its parity would have to describe? */
static bool row_is_partial(const struct stripe_op *op, uint32_t valid)
{
    const struct geometry *geometry = &vd_config_of(op->vd)->geometry;
    uint32_t all = UINT32_MAX >> (RAID_SPAN_MEMBERS_MAX - op->map.width);
    uint32_t data = 0;

    if (raid_level_info(geometry->level)->mirrored) {
        /* Copies can differ only in what is being written; small writes are logged all the
         * same, so that a resync finds nothing to choose between. */
        return op->hi - op->lo < min_u32(SLICE_MAX_BYTES, geometry->strip_bytes) && !op_is_kept(op);
    }
    for (uint32_t d = 0; d < op->map.data_count; d++) {
        data |= UINT32_C(1) << op->map.data_place[d];
    }
    if ((op->full == data || CACHE_BUG(KEPT_PARTIAL)) && op_is_kept(op)) {
        return false; /* (4) */
    }
    return op->full != data || (valid != all && !SIM_BUG(INTENT_NOT_DEGRADED));
}

/* (5) */
static bool log_is_in_use(const struct stripe_op *op)
{
    return !group_log_is_own(op->group) || vd_config_of(op->vd)->stripe_log == STRIPE_LOG_MODE_ON ||
           !group_is_whole(op->group);
}

bool intent_is_needed(const struct stripe_op *op, uint32_t valid, uint32_t writes)
{
    const struct group *group = op->group;

    ASSERT(!op->logged);
    if (!vd_has_log(op->vd)) {
        return false;
    }
    if (__builtin_popcount(writes) > 1 && row_is_partial(op, valid) && log_is_in_use(op)) {
        return true;
    }
    return group->log->ops->is_open(group->log, &vd_config_of(op->vd)->guid, op->map.row,
                                    op->slice) &&
           !SIM_BUG(INTENT_IGNORES_OPEN); /* (2) */
}

static bool place_is_parity(const struct stripe_op *op, uint32_t place)
{
    return (int)place == op->map.p_place || (int)place == op->map.q_place;
}

static void intent_fill(struct stripe_op *op, uint32_t writes)
{
    const struct vd_config *config = vd_config_of(op->vd);
    struct intent *intent = &op->intent;

    intent->vd = config->guid;
    intent->generation = config->intent_generation;
    intent->row = op->map.row;
    intent->slice = op->slice;
    intent->lo = op->lo;
    intent->hi = op->hi;
    intent->origin = op->request;
    intent->owner = op;
    intent->part_count = 0;
    if (raid_level_info(config->geometry.level)->mirrored) {
        intent->parts[0] =
            (struct intent_part){.places = writes, .bytes = op->columns[op->source].buffer};
        intent->part_count = 1;
        return;
    }
    for (; writes != 0; writes &= writes - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(writes);
        bool parity = place_is_parity(op, place);

        if (parity && SIM_BUG(INTENT_NO_PARITY)) {
            continue;
        }
        intent->parts[intent->part_count++] = (struct intent_part){
            .places = UINT32_C(1) << place, .parity = parity, .bytes = op->columns[place].buffer};
    }
}

static void intent_durable(struct intent *intent, int error)
{
    struct stripe_op *op = intent->owner;
    struct group *group = op->group;

    ASSERT(op->state == STRIPE_LOG);
    group_enter(group);
    op->logged = error == 0;
    if (error == 0) {
        stripe_event(op, STRIPE_LOGGED);
    } else if (error == -ECANCELED) {
        ASSERT(group_is_offline(group));
        stripe_event(op, STRIPE_FAIL);
    } else if (error == -EAGAIN) {
        op->given_up = true;
        stripe_event(op, STRIPE_FAIL);
    } else {
        intent_log_lose(group);
        stripe_event(op, STRIPE_LOG_GONE);
    }
    group_leave(group);
}

enum stripe_event intent_append(struct stripe_op *op, uint32_t writes)
{
    struct group *group = op->group;
    int error = 0;

    ASSERT(group->log != NULL && !op->logged);
    op->log_number = group->log_number;
    if (SIM_BUG(INTENT_AFTER_DATA) && op->state == STRIPE_LOG) {
        return STRIPE_LOGGED; /* and again when the row has been written */
    }
    intent_fill(op, writes);
    op->intent.durable = intent_durable;
    error = group->log->ops->append(group->log, &op->intent);
    if (error == -EINPROGRESS) {
        return STRIPE_WAIT;
    }
    op->logged = error == 0;
    if (error != 0) {
        intent_log_lose(group);
        return STRIPE_LOG_GONE;
    }
    return STRIPE_LOGGED;
}

/* It is in a log that has gone, though there may be another. */
static bool intent_is_stray(const struct stripe_op *op)
{
    return op->log_number != op->group->log_number;
}

void intent_retire(struct stripe_op *op)
{
    struct group *group = op->group;

    ASSERT(op->logged);
    op->logged = false;
    if (group->log == NULL || intent_is_stray(op)) {
        return;
    }
    group->log->ops->retire(group->log, op->intent.ticket, group->flush_rounds + 1);
    if (SIM_BUG(INTENT_RELEASED_EARLY)) {
        group->log->ops->flushed(group->log, group->flush_rounds + 1);
    }
}

/* (6) */
void intents_given_up_end(struct group *group)
{
    if (group->given_up_count == 0 || group->log == NULL || group_is_offline(group) ||
        !save_is_durable(group, group->given_up_change)) {
        return;
    }
    while (group->given_up_count > 0) {
        group->given_up_count--;
        group->log->ops->retire(group->log, group->given_up[group->given_up_count],
                                group->flush_rounds + 1);
    }
}

void intent_give_up(struct stripe_op *op)
{
    struct group *group = op->group;

    ASSERT(op->logged && (op->refused != 0 || op->given_up));
    op->logged = false;
    if (group->log == NULL || intent_is_stray(op) || group->given_up_count == GIVEN_UP_MAX) {
        return; /* gone meanwhile; or it stays until the next start */
    }
    group->given_up[group->given_up_count++] = op->intent.ticket;
    group->given_up_change = group->change;
    intents_given_up_end(group);
}

void intent_log_lose(struct group *group)
{
    ASSERT(group->depth > 0);
    if (group->log == NULL) {
        return;
    }
    group->log_spoilt = group->log_spoilt || group_log_is_own(group); /* (3) */
    log_attach(group, NULL);
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        group->config.vds[i].intent_generation += group->config.vds[i].intent_generation % 2;
        vd_changed_tell(group->vds[i]);
    }
    if (group->regions_running && group->state != VIRTUAL_DRIVE_STATE_OPTIMAL) {
        flush_note_loss(group); /* (7) */
    }
    group->loss_change = save_changed(group); /* (3): whoever writes waits for it like for a loss */
    if (group->regions_running) {
        stripe_log_need(group); /* (5) */
    }
}

/* Before a member is trusted further than by now (raid/intent_log.h (8)) */

static void settle_tell(struct group_settle *settle, int error)
{
    struct group *group = settle->group;

    if (group_is_offline(group)) {
        error = -EIO;
    } else if (error == -EAGAIN) {
        error = -EROFS;
    } else if (error != 0) {
        intent_log_lose(group); /* part of what the caller saves: then nothing is replayed */
        error = 0;
    }
    settle->done(settle, error);
}

static void log_settled(struct intent_settle *base, int error)
{
    struct group_settle *settle = container_of(base, struct group_settle, settle);
    struct group *group = settle->group;

    group_enter(group);
    ASSERT(group->settles > 0);
    group->settles--;
    settle_tell(settle, error);
    group_leave(group);
}

static bool any_is_rebuilt(const struct group *group)
{
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (group->config.members[i].state == MEMBER_REBUILD) {
            return true;
        }
    }
    return false;
}

void group_settle(struct group *group, struct group_settle *settle,
                  void (*done)(struct group_settle *settle, int error))
{
    int error = 0;

    ASSERT(group->depth > 0);
    settle->group = group;
    settle->done = done;
    settle->settle.done = log_settled;
    if (group->log != NULL && group->config.vd_count > 0 &&
        (any_is_rebuilt(group) || group->exchange != NULL)) {
        group->settles++;
        error = group->log->ops->settle(group->log, &settle->settle);
        if (error == -EINPROGRESS) {
            return;
        }
        group->settles--;
    }
    settle_tell(settle, error);
}

/* Room for the log */

static void log_flushed(struct flush_waiter *waiter, int error)
{
    struct group *group = container_of(waiter, struct group, log_flush);
    bool again = group->log_flush_again && error == 0; /* else nobody waits for room any more */

    ASSERT(group->log_flush_wanted);
    group->log_flush_again = false;
    group->log_flush_wanted = again;
    if (again) {
        flush_wait(group, &group->log_flush);
    } else if (error != 0 && group->log != NULL && !group_is_offline(group)) {
        group->log->ops->refuse(group->log);
    }
}

static void log_wants_flush(struct intent_log *log)
{
    struct group *group = log->owner;

    if (group->log != log || group_is_offline(group)) {
        return;
    }
    if (group->log_flush_wanted) {
        group->log_flush_again = true; /* the round under way may have passed what is meant */
        return;
    }
    group_enter(group);
    group->log_flush_wanted = true;
    flush_wait(group, &group->log_flush);
    group_leave_later(group);
}
