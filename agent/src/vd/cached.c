/*
 * Life of a virtual drive behind the cache: opening, the mark, policies, answers, the end.
 *
 * The mark is the UUID of the journal in the configuration on every member:
 *
 *   none --first write back: save--> durable --10 s without, nothing dirty--> none
 *
 * A journal whose UUID the mark does not name has nothing newer than the drives.
 */
#include "vd/cached.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vd/cached_private.h"

#define DEFAULT_TRANSFERS 1024u
#define DEFAULT_BATCHES 32u
#define DEFAULT_MARK_IDLE_MS 10000u
#define DEFAULT_RETRY_MS 1000u
#define AHEAD_SHARE 8u
/* Of the oldest: so that the heads of many drives have ways as short as those of a few. */
#define SWEEP_ROWS_PER_MEMBER 64u

/* The turn: answers are collected and delivered from the loop */

static void answers_deliver(struct cache_mover *mover)
{
    struct list *node = NULL;

    while ((node = list_pop_head(&mover->answers)) != NULL) {
        struct vd_request *request = list_entry(node, struct vd_request, vd_link);
        struct cached_state *state = cached_state(request);

        ASSERT(state->phase == CACHED_ANSWERED && state->cached->untold > 0);
        state->cached->untold--;
        vd_request_ended(state->cached->vd, request, (enum vd_status)state->status);
        request->complete(request, (enum vd_status)state->status);
    }
}

void mover_enter(struct cache_mover *mover)
{
    ASSERT(mover->depth < 16);
    mover->depth++;
}

void mover_leave(struct cache_mover *mover)
{
    ASSERT(mover->depth > 0);
    if (mover->depth == 1) {
        mover_pump(mover);
        if (!list_is_empty(&mover->answers) && !mover->turn_timer.armed) {
            clock_arm(mover->clock, &mover->turn_timer, clock_now_us(mover->clock));
        }
    }
    mover->depth--;
}

static void turn_timer_fired(struct clock_timer *timer)
{
    struct cache_mover *mover = timer->owner;

    mover_enter(mover);
    answers_deliver(mover);
    mover_leave(mover);
}

static void due_timer_fired(struct clock_timer *timer)
{
    struct cache_mover *mover = timer->owner;

    mover_enter(mover);
    LIST_FOR_EACH (node, &mover->vds) {
        cached_idle(list_entry(node, struct vd_cached, link));
    }
    mover_leave(mover);
}

void cached_answer(struct vd_request *request, enum vd_status status)
{
    struct cached_state *state = cached_state(request);

    ASSERT(state->phase != CACHED_ANSWERED && state->open == 0);
    state->phase = CACHED_ANSWERED;
    state->status = (uint8_t)status;
    state->cached->untold++;
    list_push_tail(&state->cached->mover->answers, &request->vd_link);
}

static void journal_heard(struct journal_listener *listener)
{
    struct cache_mover *mover = listener->owner;

    mover_enter(mover);
    LIST_FOR_EACH (node, &mover->vds) {
        struct vd_cached *cached = list_entry(node, struct vd_cached, link);

        if (cached->blocks != NULL) {
            cached_commits_check(cached);
        }
    }
    mover->freed = true; /* who waits for room in the log, or for what it knows to be over */
    mover_leave(mover);
}

/* Transfers */

struct cache_transfer *transfer_take(struct vd_cached *cached, struct vd_request *parent)
{
    struct cache_transfer *transfer = pool_take(&cached->mover->transfers);

    if (transfer != NULL) {
        memset(transfer, 0, sizeof(*transfer));
        list_init(&transfer->link);
        list_init(&transfer->joined);
        transfer->cached = cached;
        transfer->parent = parent;
        transfer->request.owner = transfer;
    }
    return transfer;
}

void transfer_give(struct cache_transfer *transfer)
{
    struct cache_mover *mover = transfer->cached->mover;

    list_remove(&transfer->link);
    if (transfer->ahead != NULL) {
        mover->ahead_free[mover->ahead_count++] = transfer->ahead;
    }
    pool_give(&mover->transfers, transfer);
    mover->freed = true;
}

/* Requests */

/* Is there anything to be found in the cache, or to be kept in it? */
static bool cached_may_hit(const struct vd_cached *cached)
{
    const struct vd_config *config = vd_config(cached->vd);

    if (!list_is_empty(&cached->committing) || !list_is_empty(&cached->held)) {
        return true; /* nobody may see what has gone to the drives before the journal's log has it
                      */
    }
    if (journal_medium(cache_journal(cached->mover->cache)) == CACHE_MEDIUM_FILE_LOG) {
        return true; /* nor if that comes while he reads; the policy may change meanwhile, too */
    }
    return cache_vd_used_bytes(cached->blocks) > 0 || config->io_policy == IO_POLICY_CACHED ||
           config->read_policy != READ_POLICY_NO_READ_AHEAD;
}

static void target_submit(struct vd_target *target, struct vd_request *request)
{
    struct vd_cached *cached = container_of(target, struct vd_cached, target);
    struct cached_state *state = cached_state(request);
    enum vd_status status = VD_STATUS_OK;

    ASSERT(request->complete != NULL && !cached->closing);
    vd_request_begun(cached->vd, request);
    if (cached->blocks == NULL || (request->op == VD_OP_READ && !cached_may_hit(cached))) {
        vd_submit(cached->vd, request);
        return;
    }
    status = vd_request_check(cached->vd, request);
    memset(request->vd_private, 0, sizeof(request->vd_private));
    list_init(&request->vd_link);
    state->cached = cached;
    state->phase = CACHED_NEW;
    mover_enter(cached->mover);
    if (status != VD_STATUS_OK || (request->length_bytes == 0 && request->op != VD_OP_FLUSH)) {
        cached_answer(request, status);
    } else if (request->op == VD_OP_READ) {
        cached_read_submit(cached, request);
    } else {
        cached_write_submit(cached, request);
    }
    mover_leave(cached->mover);
}

static const struct vd_target_ops target_ops = {.submit = target_submit};

void vd_cached_update(struct vd_cached *cached)
{
    cached->target = *vd_target(cached->vd);
    cached->target.ops = &target_ops;
}

struct vd_target *vd_cached_target(struct vd_cached *cached)
{
    return &cached->target;
}

bool cached_is_stable(const struct vd_cached *cached)
{
    const struct journal *journal = cache_journal(cached->mover->cache);

    return !journal_is_lost(journal) && (cached->kept_stable || journal_is_stable(journal));
}

/* The mark */

static const struct uuid *journal_of(const struct vd_cached *cached)
{
    return journal_uuid(cache_journal(cached->mover->cache));
}

/* It could not be saved: tried again later. Until then nothing is cached. */
static void mark_retry(struct vd_cached *cached)
{
    cached->retry_us =
        clock_now_us(cached->mover->clock) + cached->mover->options.retry_ms * UINT64_C(1000);
    cache_vd_pin(cached->blocks, true);
}

static void mark_saved(struct notice *notice)
{
    struct save_waiter *waiter = container_of(notice, struct save_waiter, notice);
    struct vd_cached *cached = container_of(waiter, struct vd_cached, mark_waiter);

    ASSERT(cached->mark == MARK_SAVING);
    cached->mark = MARK_DURABLE;
    if (notice->error != 0) {
        cached->mark = MARK_NONE;
        mark_retry(cached); /* until then writes go through */
    }
    mover_enter(cached->mover);
    cached_writes_pump(cached);
    mover_leave(cached->mover);
}

bool cached_mark(struct vd_cached *cached)
{
    struct group *group = cached->vd->group;

    if (CACHE_BUG(NO_MARK)) {
        return true;
    }
    if (cached->mark == MARK_NONE && !cache_vd_has_settled(cached->blocks)) {
        return false; /* what was dropped of an earlier life must not be found under the new mark */
    }
    if (cached->mark == MARK_NONE) {
        cached->mark = MARK_SAVING;
        cached->mark_waiter.notice.deliver = mark_saved;
        group_enter(group);
        vd_config_of(cached->vd)->cache_journal = *journal_of(cached);
        (void)save_changed(group); /* save_wait() waits for it */
        save_wait(group, &cached->mark_waiter);
        group_leave_later(group);
    }
    return cached->mark == MARK_DURABLE;
}

/* Nobody waits for the mark to go: while it stands there, nothing worse than a false alarm. */
static void mark_clear(struct vd_cached *cached)
{
    struct group *group = cached->vd->group;

    ASSERT(cache_vd_dirty_bytes(cached->blocks) == 0);
    if (cached->mark != MARK_DURABLE || group_is_offline(group)) {
        return;
    }
    cached->mark = MARK_NONE;
    group_enter(group);
    vd_config_of(cached->vd)->cache_journal = (struct uuid){{0}};
    (void)save_changed(group);
    group_leave_later(group);
}

static void void_saved(struct notice *notice)
{
    struct save_waiter *waiter = container_of(notice, struct save_waiter, notice);
    struct vd_cached *cached = container_of(waiter, struct vd_cached, void_waiter);

    ASSERT(cached->voided == VOID_SAVING);
    cached->voided = notice->error == 0 ? VOID_DURABLE : VOID_NO;
    if (notice->error != 0) {
        mark_retry(cached);
    }
    mover_enter(cached->mover);
    cached_writes_pump(cached);
    mover_leave(cached->mover);
}

/* Everything dirty is on the drives first: until then the journal has nothing older than they. */
bool cached_void(struct vd_cached *cached)
{
    struct group *group = cached->vd->group;

    if (cached->voided != VOID_NO || cached->mark == MARK_SAVING) {
        return cached->voided == VOID_DURABLE;
    }
    if (cache_vd_dirty_bytes(cached->blocks) > 0) {
        cached->drain_wanted = true;
        return false;
    }
    cached->voided = VOID_SAVING;
    cached->mark = MARK_NONE;
    cached->void_waiter.notice.deliver = void_saved;
    group_enter(group);
    vd_config_of(cached->vd)->cache_journal = (struct uuid){{0}};
    (void)save_changed(group); /* save_wait() waits for it */
    save_wait(group, &cached->void_waiter);
    group_leave_later(group);
    return false;
}

/* discarded_bytes: by command; 0: otherwise. As long as the members name the journal it may come
 * back, with blocks older than what is written now: who writes waits for it like for a lost member.
 */
static void lost_note(struct vd *vd, bool lost, uint64_t discarded_bytes)
{
    group_enter(vd->group);
    vd_config_of(vd)->cache_lost = lost;
    vd_config_of(vd)->cache_discarded_bytes = discarded_bytes;
    vd_config_of(vd)->cache_damaged = false;
    (void)save_changed(vd->group); /* found again at the next start otherwise */
    if (lost) {
        vd_config_of(vd)->cache_journal = (struct uuid){{0}};
        vd->group->loss_change = vd->group->change;
    }
    vd_changed_tell(vd);
    group_leave_later(vd->group);
}

bool vd_cache_is_missed(struct vd *vd)
{
    if (uuid_is_zero(&vd_config_of(vd)->cache_journal)) {
        return false;
    }
    lost_note(vd, true, 0);
    return true;
}

void vd_cache_lost_forget(struct vd *vd)
{
    if (vd_config_of(vd)->cache_lost) {
        lost_note(vd, false, 0);
    }
}

/* When cached_idle() has something to do, or UINT64_MAX. */
uint64_t cached_idle_us(const struct vd_cached *cached)
{
    uint64_t idle_us = cached->mover->options.mark_idle_ms * UINT64_C(1000);

    if (cached->blocks == NULL) {
        return UINT64_MAX;
    }
    if (cached->retry_us != 0) {
        return group_is_offline(cached->vd->group) ? UINT64_MAX : cached->retry_us;
    }
    return cached->mark == MARK_DURABLE && cache_vd_dirty_bytes(cached->blocks) == 0
               ? cached->last_back_us + idle_us
               : UINT64_MAX;
}

/* Once in a while: try again what has failed, take the mark back. */
void cached_idle(struct vd_cached *cached)
{
    if (cached_idle_us(cached) > clock_now_us(cached->mover->clock) || cached->closing) {
        return;
    }
    if (cached->retry_us != 0) {
        cached->retry_us = 0;
        cache_vd_pin(cached->blocks, false);
        cached_writes_pump(cached);
    } else if (cache_vd_has_settled(cached->blocks)) {
        mark_clear(cached);
    }
}

/* The drives do not take it, or not now: everything stays where it is, and who waits is told. */
void cached_fail(struct vd_cached *cached)
{
    cached->retry_us =
        clock_now_us(cached->mover->clock) + cached->mover->options.retry_ms * UINT64_C(1000);
    cache_vd_pin(cached->blocks, true);
    cached->mover->freed = true; /* who waits for its frames waits in vain */
    cached_drain_fail(cached);
    vd_changed_tell(cached->vd);
}

/* Opening */

static enum cache_found found_judge(struct vd_cached *cached, struct cache_vd *found)
{
    struct vd_config *config = vd_config_of(cached->vd);
    struct cache *cache = cached->mover->cache;
    bool ours = uuid_equal(&config->cache_journal, journal_of(cached));
    bool dirty = found != NULL && cache_vd_dirty_bytes(found) > 0;
    uint64_t discarded_bytes = found != NULL ? cache_vd_discarded_bytes(found) : 0;
    bool damaged =
        (found != NULL && cache_vd_damaged(found) > 0) || cache_damaged_unknown(cache) > 0;

    cached->mark = ours ? MARK_DURABLE : MARK_NONE;
    cached->stale = dirty && !ours;
    /* That has been noted, and is known when the journal forgets it. */
    if (discarded_bytes > 0 && config->cache_lost &&
        config->cache_discarded_bytes == discarded_bytes) {
        damaged = false;
    }
    if (damaged && (ours || discarded_bytes > 0)) {
        group_enter(cached->vd->group);
        config->cache_discarded_bytes = discarded_bytes;
        config->cache_damaged = discarded_bytes == 0;
        config->cache_lost = true; /* the mark stays: the rest is still to be written */
        (void)save_changed(cached->vd->group);
        group_leave_later(cached->vd->group);
        return CACHE_FOUND_LOST;
    }
    if (!ours && !uuid_is_zero(&config->cache_journal)) {
        lost_note(cached->vd, true, 0);
        return CACHE_FOUND_LOST;
    }
    return cached->stale ? CACHE_FOUND_PINNED : dirty ? CACHE_FOUND_OURS : CACHE_FOUND_NOTHING;
}

static struct vd_cached *cached_make(struct cache_mover *mover, struct vd *vd)
{
    struct vd_cached *cached = pool_take(&mover->places);

    ASSERT(cached != NULL); /* each but this one has one of the cache's virtual drives */
    *cached = (struct vd_cached){
        .mover = mover,
        .vd = vd,
        .unflushed = true, /* what was written before, and beside the cache, is not known */
    };
    list_init(&cached->link);
    list_init(&cached->held);
    list_init(&cached->committing);
    list_init(&cached->drain_wait);
    list_init(&cached->drain_now);
    list_init(&cached->flush_ready);
    list_init(&cached->readers);
    list_init(&cached->reading);
    list_init(&cached->passing);
    list_init(&cached->flushing);
    vd_cached_update(cached);
    return cached;
}

/* All of the members that are there are. */
static bool is_of_flash(const struct vd *vd)
{
    const struct group *group = vd->group;

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        const struct drive *drive = group->members[i].drive;

        if (drive != NULL && drive_identity(drive)->media != DRIVE_MEDIA_SSD) {
            return false;
        }
    }
    return true;
}

/* From now on its blocks may be in the cache. */
static int blocks_open(struct vd_cached *cached)
{
    const struct vd_config *config = vd_config_of(cached->vd);

    cached->blocks =
        cache_vd_open(cached->mover->cache, &config->guid, geometry_row_bytes(&config->geometry));
    if (cached->blocks == NULL) {
        return -ENOSPC;
    }
    cache_vd_sweep_set(cached->blocks,
                       cached->vd->group->config.member_count * SWEEP_ROWS_PER_MEMBER);
    cache_vd_patience_set(cached->blocks, is_of_flash(cached->vd) ? CACHE_FLASH_PATIENCE : 1);
    cache_vd_pin(cached->blocks, false);
    cached->beside = true;
    cached->damage_known = cache_vd_spoiled(cached->blocks);
    /* What an earlier life has left goes to the drives at once, whatever the policy is. */
    cache_vd_hurry(cached->blocks, cached->effective == WRITE_POLICY_WRITE_THROUGH);
    return 0;
}

int vd_cached_open(struct cache_mover *mover, struct vd *vd, struct vd_cached **ret_cached,
                   enum cache_found *ret_found)
{
    struct vd_cached *cached = cached_make(mover, vd);
    int error = 0;

    cached->effective = WRITE_POLICY_WRITE_THROUGH;
    *ret_found = found_judge(cached, cache_vd_find(mover->cache, &vd_config_of(vd)->guid));
    if (!cached->stale) {
        error = blocks_open(cached);
    }
    if (error != 0) {
        pool_give(&mover->places, cached);
        return error;
    }
    list_push_tail(&mover->vds, &cached->link);
    *ret_cached = cached;
    mover_enter(mover);
    mover_leave(mover);
    return 0;
}

/* The end */

static bool is_at_rest(const struct vd_cached *cached)
{
    const struct journal *journal = cache_journal(cached->mover->cache);

    return cached->untold == 0 && list_is_empty(&cached->held) && list_is_empty(&cached->readers) &&
           list_is_empty(&cached->committing) &&
           (cache_vd_has_settled(cached->blocks) || journal_is_lost(journal)) &&
           list_is_empty(&cached->reading) && list_is_empty(&cached->passing) &&
           list_is_empty(&cached->flushing) && list_is_empty(&cached->drain_wait) &&
           list_is_empty(&cached->drain_now) && list_is_empty(&cached->flush_ready) &&
           !cached->drive_flush_open && cached->mark != MARK_SAVING &&
           cache_busy(cached->blocks) == 0;
}

static void blocks_close(struct vd_cached *cached)
{
    ASSERT(cache_written(cached->blocks) == 0); /* the mover would be flushing them */
    ASSERT(cached->voided != VOID_SAVING); /* whose write waits for that is held */
    if (cache_vd_dirty_bytes(cached->blocks) == 0) {
        mark_clear(cached);
    }
    cache_vd_close(cached->blocks);
}

void cached_close_check(struct vd_cached *cached)
{
    void (*close_done)(void *context) = cached->close_done;
    void *context = cached->close_context;

    if (!cached->closing || (cached->blocks != NULL && !is_at_rest(cached))) {
        return;
    }
    if (cached->blocks != NULL && cache_vd_dirty_bytes(cached->blocks) > 0 &&
        !cache_vd_is_pinned(cached->blocks) && !group_is_offline(cached->vd->group)) {
        return; /* in a hurry; a failure pins it */
    }
    if (cached->blocks != NULL) {
        blocks_close(cached);
    }
    list_remove(&cached->link);
    pool_give(&cached->mover->places, cached);
    close_done(context); /* may be the end of the mover */
}

void vd_cached_close(struct vd_cached *cached, void (*done)(void *context), void *context)
{
    struct cache_mover *mover = cached->mover;

    ASSERT(!cached->closing && done != NULL);
    cached->closing = true;
    cached->close_done = done;
    cached->close_context = context;
    if (cached->blocks != NULL) {
        cache_vd_hurry(cached->blocks, true);
    }
    /* From the loop: done is never called from here. */
    if (!mover->turn_timer.armed) {
        clock_arm(mover->clock, &mover->turn_timer, clock_now_us(mover->clock));
    }
}

/* Policies and facts */

void vd_cached_policy_set(struct vd_cached *cached, enum write_policy effective)
{
    cached->effective = effective;
    if (cached->blocks == NULL) {
        return;
    }
    cache_vd_hurry(cached->blocks,
                   (effective == WRITE_POLICY_WRITE_THROUGH && !CACHE_BUG(THROUGH_LAZY)) ||
                       cached->closing);
    mover_enter(cached->mover);
    cached_writes_pump(cached);
    mover_leave(cached->mover);
}

void vd_cached_stable_set(struct vd_cached *cached, bool stable)
{
    cached->kept_stable = stable;
}

enum write_policy vd_cached_policy(const struct vd_cached *cached)
{
    return cached->blocks != NULL ? cached->effective : WRITE_POLICY_WRITE_THROUGH;
}

static const struct cache_vd *blocks_of(const struct vd_cached *cached)
{
    return cached->blocks != NULL
               ? cached->blocks
               : cache_vd_find(cached->mover->cache, &vd_config_of(cached->vd)->guid);
}

uint64_t vd_cached_idle_ms(const struct vd_cached *cached)
{
    return vd_cached_policy(cached) != WRITE_POLICY_WRITE_THROUGH ? cache_vd_idle_ms(cached->blocks)
                                                                  : 0;
}

uint64_t vd_cached_dirty_bytes(const struct vd_cached *cached)
{
    const struct cache_vd *blocks = blocks_of(cached);

    return blocks != NULL ? cache_vd_dirty_bytes(blocks) : 0;
}

uint64_t vd_cached_used_bytes(const struct vd_cached *cached)
{
    const struct cache_vd *blocks = blocks_of(cached);

    return blocks != NULL ? cache_vd_used_bytes(blocks) : 0;
}

bool vd_cached_hit_percent(const struct vd_cached *cached, uint32_t *ret_percent)
{
    uint64_t hits = 0;
    uint64_t misses = 0;

    if (cached->blocks != NULL) {
        cache_vd_reads(cached->blocks, &hits, &misses);
    }
    *ret_percent = hits + misses > 0 ? (uint32_t)(hits * 100 / (hits + misses)) : 0;
    return hits + misses > 0;
}

void vd_cached_reads(const struct vd_cached *cached, uint64_t *ret_hit_bytes,
                     uint64_t *ret_miss_bytes)
{
    uint64_t hits = 0;
    uint64_t misses = 0;

    if (cached->blocks != NULL) {
        cache_vd_reads(cached->blocks, &hits, &misses);
    }
    *ret_hit_bytes = hits * CACHE_BLOCK_BYTES;
    *ret_miss_bytes = misses * CACHE_BLOCK_BYTES;
}

bool vd_cached_is_pinned(const struct vd_cached *cached)
{
    return vd_cached_dirty_bytes(cached) > 0 &&
           (cached->blocks == NULL || cache_vd_is_pinned(cached->blocks));
}

int vd_cached_discard(struct vd_cached *cached)
{
    struct cache_vd *blocks = cached->blocks;
    uint64_t bytes = vd_cached_dirty_bytes(cached);
    int error = 0;

    if (blocks != NULL && !group_is_offline(cached->vd->group)) {
        return bytes > 0 ? -EBUSY : 0;
    }
    if (bytes > 0) {
        cache_vd_discard(
            blocks != NULL ? blocks
                           : cache_vd_find(cached->mover->cache, &vd_config_of(cached->vd)->guid));
        cached->mark = MARK_NONE;
        lost_note(cached->vd, true, bytes);
    }
    if (blocks == NULL) {
        cached->stale = false;
        error = blocks_open(cached);
        ASSERT(error == 0); /* its place is free now */
    }
    return 0;
}

const struct read_stream *vd_cached_streams(const struct vd_cached *cached)
{
    return cached->streams;
}

void vd_cached_streams_reset(struct vd_cached *cached)
{
    memset(cached->streams, 0, sizeof(cached->streams));
}

/* The mover */

static uint32_t ahead_buffers(const struct cache *cache)
{
    uint64_t bytes = (uint64_t)journal_frame_count(cache_journal(cache)) * CACHE_BLOCK_BYTES;

    return (uint32_t)min_u64(AHEAD_BUFFERS_MAX,
                             max_u64(AHEAD_BUFFERS_MIN, bytes / AHEAD_SHARE / AHEAD_BUFFER_BYTES));
}

int cache_mover_create(struct cache *cache, struct clock_port *clock,
                       const struct cache_mover_options *options, struct cache_mover **ret_mover)
{
    struct cache_mover *mover = calloc(1, sizeof(*mover));
    struct cache_mover_options *set = NULL;

    if (mover == NULL) {
        return -ENOMEM;
    }
    mover->cache = cache;
    mover->clock = clock;
    mover->options = options != NULL ? *options : (struct cache_mover_options){0};
    set = &mover->options;
    set->transfers = set->transfers != 0 ? set->transfers : DEFAULT_TRANSFERS;
    set->batches = set->batches != 0 ? set->batches : DEFAULT_BATCHES;
    set->mark_idle_ms = set->mark_idle_ms != 0 ? set->mark_idle_ms : DEFAULT_MARK_IDLE_MS;
    set->retry_ms = set->retry_ms != 0 ? set->retry_ms : DEFAULT_RETRY_MS;
    list_init(&mover->vds);
    list_init(&mover->answers);
    mover->turn_timer.fire = turn_timer_fired;
    mover->turn_timer.owner = mover;
    mover->due_timer.fire = due_timer_fired;
    mover->due_timer.owner = mover;
    mover->journal_listener.heard = journal_heard;
    mover->journal_listener.owner = mover;
    journal_listen(cache_journal(cache), &mover->journal_listener);
    mover->batches = calloc(set->batches, sizeof(*mover->batches));
    mover->ahead_total = ahead_buffers(cache);
    mover->ahead_memory =
        aligned_alloc(IO_ALIGN_BYTES, (size_t)mover->ahead_total * AHEAD_BUFFER_BYTES);
    if (mover->batches == NULL || mover->ahead_memory == NULL ||
        pool_init(&mover->places, CACHE_VDS_MAX + 1, sizeof(struct vd_cached)) != 0 ||
        pool_init(&mover->transfers, set->transfers, sizeof(struct cache_transfer)) != 0) {
        (void)cache_mover_free(mover);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < mover->ahead_total; i++) {
        mover->ahead_free[i] = mover->ahead_memory + (size_t)i * AHEAD_BUFFER_BYTES;
    }
    mover->ahead_count = mover->ahead_total;
    *ret_mover = mover;
    return 0;
}

void cache_mover_dirty_limit_set(struct cache_mover *mover, uint64_t bytes)
{
    mover_enter(mover);
    cache_dirty_limit_set(mover->cache, bytes);
    mover->freed = true;
    mover_leave(mover);
}

struct cache_mover *cache_mover_free(struct cache_mover *mover)
{
    if (mover == NULL) {
        return NULL;
    }
    ASSERT(list_is_empty(&mover->vds) && mover->batches_open == 0);
    ASSERT(list_is_empty(&mover->answers) && mover->depth == 0);
    list_remove(&mover->journal_listener.link);
    clock_cancel(mover->clock, &mover->turn_timer);
    clock_cancel(mover->clock, &mover->due_timer);
    pool_done(&mover->places);
    pool_done(&mover->transfers);
    free(mover->ahead_memory);
    free(mover->batches);
    free(mover);
    return NULL;
}
