/*
 * The stripe operation: one slice of one row, from the wish to the end. The table says what
 * happens on which event in which state; each action answers with the next event, or with
 * STRIPE_WAIT when a transfer, a lock or a save will bring it.
 *
 *   FREE -> [LOCK] -> READ -> COMPUTE -> MARK -> LOG -> WRITE -> VERIFY -> SETTLE -> FREE | LINGER
 *             ^        | ^        \----------------------------------------/^
 *             \--------/ \ plan again (failed columns, lost members)
 *
 * (1) Until COMPUTE nothing has been written: any trouble is met by planning again.
 * (2) COMPUTE leaves the new content of every place in plan.writes in the columns' buffers. They
 *     agree with each other and with what is not written, so a member lost from then on is only
 *     left out: the others describe it. Writing the same columns twice does no harm.
 * (3) A direct read runs without the lock and only if nobody has or waits for it; anything but
 *     plain success sends it to LOCK to begin anew.
 * (4) A write of a request passes MARK: dirty mark and losses are durable before a byte moves;
 *     and SETTLE: losses during the write are durable before it is acknowledged, and so is the end
 *     of notes of bad blocks, which has to wait for a flush (stripe_fine.c).
 * (5) A write whose tearing would cost more than what it replaces passes LOG: its intent is
 *     durable before a byte moves, and is retired only when it would be acknowledged.
 * (7) A write that more drives refuse than may be lost, because there is no room below, fails; the
 *     drives stay. Its row is torn then: that is noted before the answer (stripe_refused.c).
 * (6) Columns of late transfers are barred for the rest of the operation; their buffers are not
 *     touched before the device has given them back.
 */
#include <errno.h>
#include <string.h>

#include "cache/sim_bug.h"
#include "vd/group_private.h"

#define NO_PLACE UINT32_MAX

/* What can be trusted and what can be written, now */

static uint32_t row_places(const struct row_map *map)
{
    return UINT32_MAX >> (RAID_SPAN_MEMBERS_MAX - map->width);
}

static uint32_t places_of(const struct stripe_op *op)
{
    return row_places(&op->map);
}

/* Up to this byte of its drive. */
static bool member_is_valid(const struct group *group, uint32_t member, uint64_t end_bytes)
{
    switch (group->config.members[member].state) {
    case MEMBER_ONLINE:
        return true;
    case MEMBER_REBUILD:
        return end_bytes <= group->members[member].rebuilt_bytes || SIM_BUG(CURSOR_AHEAD);
    case MEMBER_FAILED:
    case MEMBER_MISSING:
    case MEMBER_OFFLINE:
        return false;
    case MEMBER_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

uint32_t row_valid_mask(const struct vd *vd, const struct row_map *map, uint32_t hi)
{
    uint32_t mask = 0;

    if (vd->group->state == VIRTUAL_DRIVE_STATE_OPTIMAL) { /* every member is ONLINE */
        return row_places(map);
    }
    for (uint32_t place = 0; place < map->width; place++) {
        bool valid = member_is_valid(vd->group, row_map_member(map, place),
                                     row_drive_offset(vd, map, place, hi));

        mask |= valid ? UINT32_C(1) << place : 0;
    }
    return mask;
}

uint32_t stripe_valid_mask(const struct stripe_op *op)
{
    return row_valid_mask(op->vd, &op->map, op->hi) & ~op->barred;
}

/* Places that a start would trust too if the power went now. */
static uint32_t recorded_mask(const struct stripe_op *op)
{
    const struct group *group = op->group;
    uint32_t mask = 0;

    if (SIM_BUG(INTENT_TRUSTS_REBUILD)) {
        return stripe_valid_mask(op);
    }
    if (group->state == VIRTUAL_DRIVE_STATE_OPTIMAL &&
        save_is_durable(group, group->online_change)) {
        return places_of(op) & ~op->barred;
    }
    for (uint32_t place = 0; place < op->map.width; place++) {
        uint32_t member = stripe_member(op, place);
        bool online = group->config.members[member].state == MEMBER_ONLINE &&
                      save_is_durable(group, group->members[member].online_change);

        mask |= online ? UINT32_C(1) << place : 0;
    }
    return mask & ~op->barred;
}

uint32_t row_live_mask(const struct vd *vd, const struct row_map *map)
{
    uint32_t mask = 0;

    if (vd->group->state == VIRTUAL_DRIVE_STATE_OPTIMAL) {
        return row_places(map);
    }
    for (uint32_t place = 0; place < map->width; place++) {
        mask |= member_is_live(vd->group, row_map_member(map, place)) ? UINT32_C(1) << place : 0;
    }
    return mask;
}

uint32_t stripe_live_mask(const struct stripe_op *op)
{
    uint32_t mask = row_live_mask(op->vd, &op->map);

    if (SIM_BUG(SKIP_TARGET) ||
        (CACHE_BUG(KEPT_PAST_TARGET) && op->request != NULL && op->request->kept)) {
        mask &= stripe_valid_mask(op);
    }
    return mask & ~op->barred;
}

bool row_is_consistent(const struct vd *vd, uint64_t row)
{
    if (vd->regions == NULL || SIM_BUG(UPDATE_INCONSISTENT)) {
        return true;
    }
    return row < vd->consistent_rows && region_map_row_is_sound(region_store_map(vd->regions), row);
}

bool stripe_row_is_consistent(const struct stripe_op *op)
{
    return row_is_consistent(op->vd, op->map.row);
}

bool stripe_row_is_unknown(const struct stripe_op *op)
{
    return vd_config_of(op->vd)->resync_unlogged && op->map.p_place >= 0 &&
           !stripe_row_is_consistent(op);
}

static uint32_t op_mirror_choose(const struct stripe_op *op, uint32_t valid)
{
    const struct mirror_read read = {.vd = op->vd,
                                     .map = &op->map,
                                     .lo = op->lo,
                                     .hi = op->hi,
                                     .direct = op->direct,
                                     .run_bytes = op->run_bytes};

    return mirror_choose(&read, valid);
}

/* A place without a drive is in no plan. */
static void waiting_fill(const struct stripe_op *op, uint32_t waiting[RAID_SPAN_MEMBERS_MAX])
{
    for (uint32_t place = 0; place < op->map.width; place++) {
        const struct drive *drive = op->group->members[stripe_member(op, place)].drive;

        waiting[place] = drive != NULL ? drive_queued_all(drive) : 0;
    }
}

/* Could both ways to change the row cost the same, so that it matters what waits? While all places
 * can be read they do if as many data are kept as places are written: a read of each of the ones
 * against a read of each of the others. */
static bool ways_may_tie(const struct raid_level_info *level, const struct plan_input *input)
{
    uint32_t full = (uint32_t)__builtin_popcount(input->full);
    uint32_t touched = (uint32_t)__builtin_popcount(input->touched);

    return level->parity_count > 0 &&
           (input->valid != row_places(input->map) ||
            input->map->width - level->parity_count - full == touched + level->parity_count);
}

/* Data that could not be read and would have to be made up from a row that need not agree. */
static bool op_needs_unknown(const struct stripe_op *op, uint32_t valid)
{
    uint32_t failed = op->failed & valid & ~op->full & stripe_data_mask(op);

    failed &= op->want == PLAN_READ ? op->touched : UINT32_MAX;
    return failed != 0 && stripe_row_is_unknown(op);
}

int stripe_plan(struct stripe_op *op)
{
    const struct raid_level_info *level = raid_level_info(vd_config_of(op->vd)->geometry.level);
    uint32_t valid = stripe_valid_mask(op);
    uint32_t waiting[RAID_SPAN_MEMBERS_MAX];
    bool consistent = false;
    struct plan_input input;

    if (stripe_is_check(op) && check_plan(op)) {
        return 0;
    }
    op->failed |= stripe_lost_mask(op) & valid; /* as if they had just failed */
    if (op->failed != 0 && op_needs_unknown(op, valid)) {
        return -EIO;
    }
    if (plan_is_plain_read(level, op->want, op->touched, valid, op->failed & valid)) {
        op->plan = plan_plain_read(op->touched);
        return 0;
    }
    consistent = stripe_row_is_consistent(op) ||
                 (SIM_BUG(MIRROR_READS_ANY) && level->mirrored && op->want == PLAN_READ);
    if (plan_is_plain_copy(level, op->want, valid, op->failed & valid) && consistent) {
        op->plan = plan_plain_read(UINT32_C(1) << op_mirror_choose(op, valid));
        return 0;
    }
    input = (struct plan_input){
        .level = vd_config_of(op->vd)->geometry.level,
        .map = &op->map,
        .want = op->want,
        .touched = op->touched,
        .full = op->full,
        .valid = valid,
        .failed = op->failed & valid,
        .writable = stripe_live_mask(op) | valid,
        .consistent = consistent,
        .partial = op->group->options.partial_writes,
    };
    if (op->want == PLAN_SYNC) {
        input.fill = op->fill & input.writable & ~valid;
        input.copy = op->copy & input.writable;
    }
    if (op->want == PLAN_WRITE && consistent && ways_may_tie(level, &input)) {
        waiting_fill(op, waiting);
        input.waiting = waiting;
    }
    if (level->mirrored && input.consistent) {
        input.mirror_preference = op_mirror_choose(op, valid & ~op->failed);
    }
    return plan_make(&input, &op->plan);
}

/* Actions */

static enum stripe_event act_lock(struct stripe_op *op)
{
    op->direct = false;
    op->have = 0;
    op->failed = op->mend;
    return stripe_lock(op) ? STRIPE_GRANTED : STRIPE_WAIT;
}

/* What is not waited for may yet come. */
static enum stripe_event read_give_up(struct stripe_op *op)
{
    op->hedge_wait = hedge_is_out(op);
    return op->hedge_wait ? STRIPE_WAIT : STRIPE_FAIL;
}

/* Plans, or plans again, and reads what is still needed. */
static enum stripe_event act_read(struct stripe_op *op)
{
    uint32_t needed = 0;

    ASSERT(op->pending == 0);
    if (op->by_sector && op->spare_count > 0 && !stripe_is_punctured(op)) {
        return sectors_read(op);
    }
    if (op->by_sector || op->spare_count == 0 || stripe_is_punctured(op) || stripe_plan(op) != 0 ||
        (SIM_BUG(READ_GIVES_UP) && op->want == PLAN_READ && !op->direct && op->failed != 0)) {
        return op->direct         ? STRIPE_NEED_LOCK
               : hedge_is_out(op) ? read_give_up(op) /* there may yet be all of it */
               : !stripe_is_punctured(op) && !SIM_BUG(READ_GIVES_UP) && sectors_begin(op)
                   ? sectors_read(op)
                   : read_give_up(op);
    }
    if (op->direct && op->plan.kernel != PLAN_KERNEL_NONE) {
        return STRIPE_NEED_LOCK;
    }
    needed = op->plan.reads & ~op->have;
    if (needed == 0) {
        return STRIPE_READ_OK;
    }
    stripe_read_submit(op, needed);
    return STRIPE_WAIT;
}

static enum stripe_event act_compute(struct stripe_op *op)
{
    if (!stripe_notes_can_end(op)) {
        return STRIPE_FAIL;
    }
    if (op->by_sector) {
        enum stripe_event event = sectors_compute(op);

        op->verify = op->failed & op->plan.writes;
        return event;
    }
    ASSERT((op->plan.reads & ~op->have) == 0);
    if (!stripe_is_check(op)) {
        stripe_compute(op);
    } else if (!check_compute(op)) {
        return STRIPE_FAIL;
    }
    op->verify = (op->failed | op->righting) & op->plan.writes;
    return op->plan.writes == 0 && op->copy == 0 ? STRIPE_NO_WRITES : STRIPE_WRITES;
}

static bool op_losses_durable(const struct stripe_op *op)
{
    return (save_is_durable(op->group, op->group->loss_change) &&
            save_is_durable(op->group, op->settle_change)) ||
           SIM_BUG(ACK_BEFORE_LOSS);
}

/* Degraded, nothing is written while a log is about to begin (intent.c (5)). */
static bool op_log_begins(const struct stripe_op *op)
{
    return op->group->state != VIRTUAL_DRIVE_STATE_OPTIMAL &&
           (op->group->log_clearing.owner != NULL || stripe_log_is_awaited(op->vd)) &&
           !SIM_BUG(LOG_ON_LATE);
}

static enum stripe_event op_wait_marks(struct stripe_op *op)
{
    bool marked = !op->marked ||
                  (vd_mark_is_durable(op->vd) && region_may_write(op->vd->regions, op->region));

    if (group_is_offline(op->group)) {
        return op->want == PLAN_READ ? STRIPE_DURABLE : STRIPE_FAIL;
    }
    if (marked && op_losses_durable(op) && !op_log_begins(op)) {
        return STRIPE_DURABLE;
    }
    if (op->group->refusing && op->state != STRIPE_LOCK) { /* nobody knows for how long */
        op->given_up = op->want != PLAN_READ;
        return op->given_up ? STRIPE_FAIL : STRIPE_DURABLE;
    }
    if (!list_is_linked(&op->wait_link)) {
        list_push_tail(&op->group->mark_waiters, &op->wait_link);
    }
    return STRIPE_WAIT;
}

static enum stripe_event act_mark(struct stripe_op *op)
{
    if (op->request != NULL && op->want == PLAN_WRITE) {
        vd_mark_dirty(op->vd);
        if (!op->marked) {
            op->marked = true;
            op->region = region_write_begin(op->vd->regions, op->map.row);
        }
    }
    return op_wait_marks(op);
}

/* The intent goes before the data: a crash in between finds the rows as they were, one after it
 * finds what to write again. */
static enum stripe_event act_log(struct stripe_op *op)
{
    uint32_t writes = op->plan.writes & stripe_live_mask(op);

    if (op->group->log == NULL || op->want != PLAN_WRITE ||
        !intent_is_needed(op, recorded_mask(op), writes)) {
        return STRIPE_LOGGED;
    }
    return intent_append(op, writes);
}

/* Writes to the members that are still there (2). */
static enum stripe_event act_write(struct stripe_op *op)
{
    uint32_t places = op->plan.writes & stripe_live_mask(op);

    if (op->plan.kernel == PLAN_KERNEL_COPY &&
        (SIM_BUG(MIRROR_ONE_COPY) ||
         (SIM_BUG(DOUBT_ONE_COPY) && op->request != NULL && !stripe_row_is_consistent(op)))) {
        places &= -places;
    }
    if (SIM_BUG(TRIM_NO_PARITY) && op->request != NULL && op->request->op == VD_OP_TRIM) {
        places &= op->touched;
    }
    if (group_is_offline(op->group)) {
        return op->want == PLAN_READ ? STRIPE_WRITTEN : STRIPE_FAIL;
    }
    return stripe_write_submit(op, places) ? STRIPE_WAIT : STRIPE_WRITTEN;
}

void stripe_media_error_tell(struct stripe_op *op, uint32_t place, bool corrected)
{
    struct group *group = op->group;

    op->told |= UINT32_C(1) << place;
    if (group->observer.media_error != NULL) {
        group->observer.media_error(group->observer.context, op->vd, stripe_member(op, place),
                                    stripe_drive_offset(op, place), corrected);
    }
}

/* Is what was read back what was written? If not, the member cannot keep its bytes. */
static void verify_judge(struct stripe_op *op)
{
    uint32_t place = op->verifying;
    uint32_t bit = UINT32_C(1) << place;
    uint32_t member = stripe_member(op, place);
    bool mirrored = op->plan.kernel == PLAN_KERNEL_COPY;
    const uint8_t *wanted = op->columns[mirrored ? op->source : place].buffer;
    bool corrected = op->columns[place].status == IO_STATUS_OK &&
                     memcmp(wanted, op->spares[0], op->hi - op->lo) == 0;

    ASSERT((op->written & (op->failed | op->righting) & bit) != 0);
    if ((op->righting & bit) == 0) {
        stripe_media_error_tell(op, place, corrected);
    } else if (corrected) {
        op->righting &= ~bit;
    }
    /* Another drive may have the place by now. */
    if (!corrected && op->group->members[member].drive == op->columns[place].io.drive &&
        !member_is_last_copy(op->group, member)) {
        member_lose(op->group, member, MEMBER_FAILED, REASON_DRIVE_LOST_READ_ERRORS);
    }
}

/* One place after the other: one spare buffer is enough. */
static enum stripe_event act_verify(struct stripe_op *op)
{
    uint32_t left = op->verify & op->written & stripe_live_mask(op);

    if (op->verifying != NO_PLACE) {
        verify_judge(op);
        left = op->verify & op->written & stripe_live_mask(op);
        op->verifying = NO_PLACE;
    }
    if (left == 0 || op->spare_count == 0) {
        return STRIPE_VERIFIED;
    }
    op->verifying = (uint32_t)__builtin_ctz(left);
    op->verify &= ~(UINT32_C(1) << op->verifying);
    stripe_verify_submit(op, op->verifying);
    return STRIPE_WAIT;
}

static void bare_end(struct stripe_op *op)
{
    struct group *group = op->group;

    if (op->writes_logged) {
        uint32_t *count =
            op->log_number == group->log_number ? &group->logged_writes : &group->stray_writes;

        ASSERT(*count > 0);
        --*count;
        op->writes_logged = false;
    }
    if (op->bare) {
        ASSERT(op->group->bare_writes > 0);
        op->group->bare_writes--; /* who waits for that looks at the end of the turn */
        op->bare = false;
    }
}

/* (7) */
static enum stripe_event act_refused(struct stripe_op *op)
{
    bare_end(op);
    op->verify = 0;
    if (!stripe_refused_note(op)) {
        return STRIPE_FAIL;
    }
    return op_wait_marks(op);
}

static enum stripe_event act_verify_first(struct stripe_op *op)
{
    op->verifying = NO_PLACE;
    bare_end(op);
    if (SIM_BUG(INTENT_AFTER_DATA) && op->replay == NULL) {
        (void)act_log(op);
    }
    return act_verify(op);
}

static enum stripe_event act_settle(struct stripe_op *op)
{
    if (op->plan.writes == 0 && op->direct) {
        return STRIPE_DURABLE;
    }
    if (op->plan.writes != 0 && !group_is_offline(op->group) && stripe_notes_flush(op)) {
        return STRIPE_WAIT;
    }
    return op_wait_marks(op);
}

/* A member lost meanwhile is described by the others only when the record says that it is lost. */
static enum stripe_event act_notes(struct stripe_op *op)
{
    if (NEVER(group_is_offline(op->group))) { /* the round would have failed */
        return op_wait_marks(op);
    }
    if (!save_is_durable(op->group, op->group->loss_change)) {
        return act_settle(op);
    }
    stripe_notes_end(op);
    return op_wait_marks(op);
}

static void op_tell_owner(struct stripe_op *op)
{
    if (op->request != NULL) {
        request_op_done(op);
    } else if (op->sync != NULL) {
        sync_op_done(op);
    } else {
        replay_op_done(op);
    }
}

/* The failed places that this operation could not repair are counted all the same. */
void stripe_unrepaired_tell(struct stripe_op *op)
{
    uint32_t left = op->failed & ~op->told;

    for (; left != 0; left &= left - 1) {
        stripe_media_error_tell(op, (uint32_t)__builtin_ctz(left), false);
    }
}

enum stripe_event stripe_end(struct stripe_op *op, int error)
{
    ASSERT(!op->bare && op->pending == 0);
    op->error = error;
    list_remove(&op->wait_link);
    stripe_unrepaired_tell(op);
    ASSERT(!op->logged || error != 0); /* one that failed stays: replay makes its row agree again */
    if (op->marked) {
        region_write_end(op->vd->regions, op->region);
    }
    stripe_unlock(op);
    op_tell_owner(op);
    if (op->late > 0 && !SIM_BUG(LATE_OP_REUSED)) {
        stripe_op_hold(op);
    } else {
        stripe_op_give(op);
    }
    return STRIPE_WAIT;
}

static enum stripe_event act_finish(struct stripe_op *op)
{
    return stripe_fine_end(op, 0);
}

static enum stripe_event act_fail(struct stripe_op *op)
{
    return stripe_fine_end(op, -EIO);
}

static enum stripe_event act_free(struct stripe_op *op)
{
    if (op->lent != 0) {
        request_memory_let_go(op);
    }
    stripe_op_give(op);
    return STRIPE_WAIT;
}

/* The table */

struct stripe_cell {
    enum stripe_event (*action)(struct stripe_op *op);
    enum stripe_state next;
};

static const struct stripe_cell table[STRIPE_STATE_MAX][STRIPE_EVENT_MAX] = {
    [STRIPE_FREE] = {[STRIPE_START] = {act_lock, STRIPE_LOCK},
                     [STRIPE_START_DIRECT] = {act_read, STRIPE_READ},
                     [STRIPE_START_REPLAY] = {act_write, STRIPE_WRITE}},
    [STRIPE_LOCK] = {[STRIPE_GRANTED] = {act_read, STRIPE_READ}},
    [STRIPE_READ] = {[STRIPE_READ_OK] = {act_compute, STRIPE_COMPUTE},
                     [STRIPE_READ_BAD] = {act_read, STRIPE_READ},
                     [STRIPE_NEED_LOCK] = {act_lock, STRIPE_LOCK},
                     [STRIPE_FAIL] = {act_fail, STRIPE_SETTLE}},
    [STRIPE_COMPUTE] = {[STRIPE_WRITES] = {act_mark, STRIPE_MARK},
                        [STRIPE_NO_WRITES] = {act_settle, STRIPE_SETTLE},
                        [STRIPE_FAIL] = {act_fail, STRIPE_SETTLE}},
    [STRIPE_MARK] =
        {[STRIPE_DURABLE] = {act_log, STRIPE_LOG}, [STRIPE_FAIL] = {act_fail, STRIPE_SETTLE}},
    [STRIPE_LOG] = {[STRIPE_LOGGED] = {act_write, STRIPE_WRITE},
                    [STRIPE_LOG_GONE] = {act_mark, STRIPE_MARK},
                    [STRIPE_FAIL] = {act_fail, STRIPE_SETTLE}},
    [STRIPE_WRITE] = {[STRIPE_WRITTEN] = {act_verify_first, STRIPE_VERIFY},
                      [STRIPE_REFUSED] = {act_refused, STRIPE_SETTLE},
                      [STRIPE_FAIL] = {act_fail, STRIPE_SETTLE}},
    [STRIPE_VERIFY] = {[STRIPE_NEXT] = {act_verify, STRIPE_VERIFY},
                       [STRIPE_VERIFIED] = {act_settle, STRIPE_SETTLE}},
    [STRIPE_SETTLE] = {[STRIPE_FLUSHED] = {act_notes, STRIPE_SETTLE},
                       [STRIPE_DURABLE] = {act_finish, STRIPE_SETTLE},
                       [STRIPE_FAIL] = {act_fail, STRIPE_SETTLE}},
    [STRIPE_LINGER] = {[STRIPE_RELEASED] = {act_free, STRIPE_LINGER}},
};

void stripe_event(struct stripe_op *op, enum stripe_event event)
{
    while (event != STRIPE_WAIT) {
        const struct stripe_cell *cell = &table[op->state][event];

        ASSERT(event < STRIPE_EVENT_MAX);
        ASSERT(cell->action != NULL); /* an event that cannot happen in this state */
        op->state = cell->next;
        event = cell->action(op);
    }
}

/* Every place to be written has its new content in its buffer (mirrors: in that of `source`). */
void stripe_start_replay(struct stripe_op *op)
{
    bool granted = false;

    ASSERT(op->state == STRIPE_FREE && op->replay != NULL);
    op->want = PLAN_WRITE;
    op->verifying = NO_PLACE;
    granted = stripe_lock(op);
    ASSERT(granted); /* intents of one slice one after the other, and nothing else runs yet */
    stripe_event(op, STRIPE_START_REPLAY);
}

void stripe_start(struct stripe_op *op)
{
    ASSERT(op->state == STRIPE_FREE);
    ASSERT(op->lo < op->hi && op->hi - op->lo <= SLICE_MAX_BYTES);
    ASSERT((op->touched & ~places_of(op)) == 0);
    op->verifying = NO_PLACE;
    op->direct = op->want == PLAN_READ && op->request != NULL &&
                 !request_state(op->request)->locked && !stripe_is_locked(op);
    stripe_event(op, op->direct ? STRIPE_START_DIRECT : STRIPE_START);
}

/* A save has ended, or the group has gone offline: who waited may go on. */
void stripe_marks_check(struct group *group)
{
    struct list ready;

    list_init(&ready);
    LIST_FOR_EACH_SAFE (node, following, &group->mark_waiters) {
        struct stripe_op *op = list_entry(node, struct stripe_op, wait_link);

        if (op_wait_marks(op) != STRIPE_WAIT) {
            list_remove(node);
            list_push_tail(&ready, node);
        }
    }
    while (!list_is_empty(&ready)) {
        struct stripe_op *op = list_entry(list_pop_head(&ready), struct stripe_op, wait_link);
        enum stripe_event event = op_wait_marks(op); /* may have to wait for something newer */

        if (event != STRIPE_WAIT) {
            stripe_event(op, event);
        }
    }
}
