/*
 * Write intents in the cache's journal (intents.h): appending, releasing, the seam to the group.
 */
#include "cache/intents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/intents_private.h"

#define TICKET_SHIFT 40u

static struct list *bucket_of(struct intents *intents, const struct guid *vd, uint64_t row,
                              uint32_t slice)
{
    uint64_t hash = (row * 32 + slice) * UINT64_C(0x9e3779b97f4a7c15) ^ get_le64(vd->bytes + 16);

    hash ^= hash >> 32;
    return &intents->buckets[hash % BUCKETS];
}

/* Frames */

static uint32_t frames_needed(const struct intent *intent)
{
    return 1 + intent->part_count * (intent->hi - intent->lo) / CACHE_BLOCK_BYTES;
}

static struct cache_frame *frame_obtain(struct intents *intents, struct kept *kept)
{
    struct cache_frame *frame = frame_take(intents->cache);

    ASSERT(frame != NULL); /* (1) of intents.h */
    frame->state = FRAME_INTENT;
    frame->vd = NULL;
    list_push_tail(&kept->frames, &frame->link);
    intents->used++;
    return frame;
}

static void frame_publish(struct intents *intents, const struct kept *kept,
                          struct cache_frame *frame, uint64_t tag)
{
    struct frame_entry entry = {.type = JOURNAL_INTENT,
                                .vd = kept->share->group,
                                .block = kept->ticket,
                                .tag = tag,
                                .dirty = ALL_SECTORS};

    journal_publish(intents->cache->journal, frame_index(intents->cache, frame), &entry);
    frame->sequence = entry.sequence;
}

static void kept_forget(struct kept *kept)
{
    list_remove(&kept->link);
    list_remove(&kept->bucket_link);
    pool_give(&kept->share->intents->kept, kept);
}

void kept_release(struct kept *kept)
{
    struct intents *intents = kept->share->intents;
    struct list *node = NULL;

    while ((node = list_pop_head(&kept->frames)) != NULL) {
        struct cache_frame *frame = list_entry(node, struct cache_frame, link);

        journal_release(intents->cache->journal, frame_index(intents->cache, frame));
        frame_to_free(intents->cache, frame);
        ASSERT(intents->used > 0);
        intents->used--;
    }
    kept->epoch = journal_ticket(intents->cache->journal);
    if (journal_is_durable(intents->cache->journal, kept->epoch)) {
        kept_forget(kept);
    } else {
        list_remove(&kept->link);
        list_push_tail(&kept->share->leaving, &kept->link);
    }
}

struct kept *kept_make(struct share *share, const struct guid *vd, uint64_t row, uint32_t slice)
{
    struct kept *kept = pool_take(&share->intents->kept);

    ASSERT(kept != NULL); /* there are as many as frames for them */
    list_init(&kept->link);
    list_init(&kept->bucket_link);
    list_init(&kept->frames);
    kept->share = share;
    kept->vd = *vd;
    kept->row = row;
    kept->slice = slice;
    list_push_tail(bucket_of(share->intents, vd, row, slice), &kept->bucket_link);
    return kept;
}

/* Appending */

static void head_make(const struct intent *intent, uint8_t head[CACHE_BLOCK_BYTES])
{
    memset(head, 0, CACHE_BLOCK_BYTES);
    put_le32(head, HEAD_MAGIC);
    put_le32(head + 4, intent->part_count);
    memcpy(head + 8, intent->vd.bytes, sizeof(intent->vd.bytes));
    put_le64(head + 32, intent->generation);
    put_le64(head + 40, intent->row);
    put_le32(head + 48, intent->slice);
    put_le32(head + 52, intent->lo);
    put_le32(head + 56, intent->hi);
    put_le32(head + 60, frames_needed(intent) - 1);
    for (uint32_t i = 0; i < intent->part_count; i++) {
        put_le32(head + HEAD_PARTS + 8 * (size_t)i, intent->parts[i].places);
        put_le32(head + HEAD_PARTS + 8 * (size_t)i + 4, intent->parts[i].parity ? 1 : 0);
    }
}

static void content_publish(struct kept *kept, const struct intent *intent, uint8_t *head)
{
    struct intents *intents = kept->share->intents;
    uint32_t blocks = (intent->hi - intent->lo) / CACHE_BLOCK_BYTES;

    for (uint32_t i = 0; i < intent->part_count * blocks; i++) {
        struct cache_frame *frame = frame_obtain(intents, kept);
        const uint8_t *bytes =
            intent->parts[i / blocks].bytes + (size_t)(i % blocks) * CACHE_BLOCK_BYTES;

        journal_fill(intents->cache->journal, frame_index(intents->cache, frame), 0, bytes,
                     CACHE_BLOCK_BYTES);
        frame_publish(intents, kept, frame, i + 1);
        put_le32(head + HEAD_FRAMES + 4 * (size_t)i, frame_index(intents->cache, frame));
    }
}

static void intent_keep(struct share *share, struct intent *intent)
{
    struct intents *intents = share->intents;
    struct kept *kept = kept_make(share, &intent->vd, intent->row, intent->slice);
    uint8_t head[CACHE_BLOCK_BYTES];
    struct cache_frame *frame = frame_obtain(intents, kept);

    kept->ticket = ++intents->ticket;
    intent->ticket = kept->ticket;
    head_make(intent, head);
    content_publish(kept, intent, head);
    journal_fill(intents->cache->journal, frame_index(intents->cache, frame), 0, head,
                 CACHE_BLOCK_BYTES);
    frame_publish(intents, kept, frame, 0); /* the last one */
    list_push_tail(&share->open, &kept->link);
}

static bool there_is_room(const struct share *share, const struct intent *intent)
{
    const struct cache *cache = share->intents->cache;
    uint32_t needed = frames_needed(intent);

    return share->intents->used + needed <= share->intents->limit &&
           journal_room(cache->journal) >= needed && pool_free_count(&share->intents->kept) > 0 &&
           cache->free_count + cache->clean_new_count + cache->clean_hot_count >= needed;
}

/* Nobody has anything that will be released, and the journal's log is not tidying up: so much of
 * the medium is spoiled, or left by groups that are away or offline, that whoever has no room now
 * may never have any. */
static bool is_hopeless(const struct share *share)
{
    const struct intents *intents = share->intents;
    const struct journal *journal = intents->cache->journal;

    LIST_FOR_EACH (node, &intents->shares) {
        const struct share *other = list_entry(node, struct share, link);
        bool rests = list_is_empty(&other->open) && list_is_empty(&other->retired) &&
                     list_is_empty(&other->found);

        if (!rests && !other->offline) {
            return false;
        }
    }
    return journal_is_durable(journal, journal_ticket(journal)) && journal_is_at_rest(journal);
}

static bool anybody_waits(const struct intents *intents)
{
    LIST_FOR_EACH (node, &intents->shares) {
        if (!list_is_empty(&list_entry(node, struct share, link)->waiting)) {
            return true;
        }
    }
    return false;
}

void share_turn_soon(struct share *share)
{
    if (!share->timer.armed) {
        clock_arm(share->intents->clock, &share->timer, clock_now_us(share->intents->clock));
    }
}

void waiting_look(struct intents *intents)
{
    LIST_FOR_EACH (node, &intents->shares) {
        struct share *share = list_entry(node, struct share, link);

        if (!list_is_empty(&share->waiting)) {
            share_turn_soon(share);
        }
    }
}

/* And all who could make some are asked to. */
static void room_want(struct intents *intents)
{
    LIST_FOR_EACH (node, &intents->shares) {
        struct share *share = list_entry(node, struct share, link);

        if (!list_is_empty(&share->retired)) {
            share->log.wants_flush(&share->log);
        }
    }
}

/* True: it is durable already. */
static bool intent_commit(struct share *share, struct intent *intent)
{
    const struct journal *journal = share->intents->cache->journal;

    intent->private_[0] = journal_ticket(journal);
    if (journal_is_durable(journal, intent->private_[0])) {
        return true;
    }
    list_push_tail(&share->committing, &intent->link);
    return false;
}

static int share_append(struct intent_log *log, struct intent *intent)
{
    struct share *share = share_of(log);
    const struct journal *journal = share->intents->cache->journal;

    ASSERT(intent->lo < intent->hi && intent->hi - intent->lo <= SLICE_MAX_BYTES);
    ASSERT(is_aligned_u64(intent->hi - intent->lo, CACHE_BLOCK_BYTES));
    if (journal_is_lost(journal)) {
        return -EIO;
    }
    list_init(&intent->link);
    if (!anybody_waits(share->intents)) {
        if (there_is_room(share, intent)) {
            intent_keep(share, intent);
            return intent_commit(share, intent) ? 0 : -EINPROGRESS;
        }
        if (is_hopeless(share)) {
            return -EIO;
        }
    }
    list_push_tail(&share->waiting, &intent->link);
    room_want(share->intents);
    return -EINPROGRESS;
}

static void list_move_all(struct list *to, struct list *from)
{
    struct list *node = NULL;

    while ((node = list_pop_head(from)) != NULL) {
        list_push_tail(to, node);
    }
}

static void durable_tell(struct list *intents, int error)
{
    struct list *node = NULL;

    while ((node = list_pop_head(intents)) != NULL) {
        struct intent *intent = list_entry(node, struct intent, link);

        intent->durable(intent, error);
    }
}

static void waiting_answer(struct share *share)
{
    struct list ready;
    int error = share->waiting_error;

    list_init(&ready);
    list_remove(&share->link); /* next time the others are first */
    list_push_tail(&share->intents->shares, &share->link);
    while (!list_is_empty(&share->waiting)) {
        struct intent *intent = list_entry(list_first(&share->waiting), struct intent, link);

        if (error == 0 && !there_is_room(share, intent)) {
            if (!is_hopeless(share)) {
                break;
            }
            error = -EIO; /* nothing is ready: it would use some */
        }
        list_remove(&intent->link);
        if (error == 0) {
            intent_keep(share, intent);
        }
        if (error != 0 || intent_commit(share, intent)) {
            list_push_tail(&ready, &intent->link);
        }
    }
    share->waiting_error = 0;
    durable_tell(&ready, error);
}

/* The journal's log has gone on, or is lost: then nothing will ever be durable. */
static void committing_answer(struct share *share)
{
    const struct journal *journal = share->intents->cache->journal;
    bool lost = journal_is_lost(journal);
    struct list ready;

    list_init(&ready);
    while (!list_is_empty(&share->committing)) {
        struct intent *intent = list_entry(list_first(&share->committing), struct intent, link);

        if (!journal_is_durable(journal, intent->private_[0])) {
            break;
        }
        list_remove(&intent->link);
        list_push_tail(&ready, &intent->link);
    }
    durable_tell(&ready, 0);
    if (lost) {
        share->log.medium = INTENT_MEDIUM_NONE;
        list_move_all(&ready, &share->committing);
        list_move_all(&ready, &share->waiting);
        durable_tell(&ready, -EIO);
    }
}

/* What is released goes to the log at once, so this is a matter of its next writes. */
static int share_settle(struct intent_log *log, struct intent_settle *settle)
{
    struct share *share = share_of(log);
    const struct journal *journal = share->intents->cache->journal;

    settle->until = journal_ticket(journal);
    if (journal_is_durable(journal, settle->until) || CACHE_BUG(SETTLE_EARLY)) {
        return 0;
    }
    if (journal_is_lost(journal)) {
        return -EIO;
    }
    list_init(&settle->link);
    list_push_tail(&share->settling, &settle->link);
    return -EINPROGRESS;
}

static void settling_answer(struct share *share)
{
    const struct journal *journal = share->intents->cache->journal;
    bool lost = journal_is_lost(journal);

    LIST_FOR_EACH_SAFE (node, following, &share->settling) {
        struct intent_settle *settle = list_entry(node, struct intent_settle, link);

        if (lost || journal_is_durable(journal, settle->until)) {
            list_remove(node);
            settle->done(settle, lost ? -EIO : 0);
        }
    }
}

static void journal_heard(struct journal_listener *listener)
{
    struct intents *intents = listener->owner;

    LIST_FOR_EACH_SAFE (node, following, &intents->shares) {
        struct share *share = list_entry(node, struct share, link);

        while (!list_is_empty(&share->leaving)) {
            struct kept *kept = list_entry(list_first(&share->leaving), struct kept, link);

            if (!journal_is_durable(intents->cache->journal, kept->epoch)) {
                break;
            }
            kept_forget(kept);
        }
        if (!list_is_empty(&share->waiting) || share->clear != NULL) {
            share_turn_soon(share);
        }
        committing_answer(share);
        settling_answer(share);
    }
}

static void share_retire(struct intent_log *log, uint64_t ticket, uint64_t epoch)
{
    struct share *share = share_of(log);

    LIST_FOR_EACH (node, &share->open) {
        struct kept *kept = list_entry(node, struct kept, link);

        if (kept->ticket == ticket) {
            kept->epoch = epoch;
            list_remove(node);
            list_push_tail(&share->retired, node);
            break;
        }
    }
    if (anybody_waits(share->intents)) {
        log->wants_flush(log);
    }
}

static void share_flushed(struct intent_log *log, uint64_t epoch)
{
    struct share *share = share_of(log);

    LIST_FOR_EACH_SAFE (node, following, &share->retired) {
        struct kept *kept = list_entry(node, struct kept, link);

        if (kept->epoch <= epoch) {
            kept_release(kept);
        }
    }
    if (anybody_waits(share->intents)) {
        waiting_look(share->intents);
        room_want(share->intents);
    }
}

static void share_offline(struct intent_log *log)
{
    struct share *share = share_of(log);

    share->offline = true;
    share->waiting_error = list_is_empty(&share->waiting) ? 0 : -ECANCELED;
    waiting_look(share->intents); /* others may have waited for what it will not release now */
}

static void share_refuse(struct intent_log *log)
{
    struct share *share = share_of(log);

    if (!list_is_empty(&share->waiting)) {
        share->waiting_error = -EAGAIN;
        share_turn_soon(share);
    }
}

static bool share_is_open(const struct intent_log *log, const struct guid *vd, uint64_t row,
                          uint32_t slice)
{
    const struct share *share = container_of(log, const struct share, log);
    struct list *bucket = bucket_of(share->intents, vd, row, slice);

    LIST_FOR_EACH (node, bucket) {
        const struct kept *kept = list_entry(node, struct kept, bucket_link);

        if (kept->row == row && kept->slice == slice && kept->share == share &&
            guid_equal(&kept->vd, vd)) {
            return true;
        }
    }
    return false;
}

static void timer_fired(struct clock_timer *timer)
{
    struct share *share = timer->owner;
    enum turn turn = share->turn;

    share->turn = TURN_NONE;
    switch (turn) {
    case TURN_NONE:
        waiting_answer(share);
        return;
    case TURN_REPLAY:
        share_replay_go(share);
        return;
    case TURN_CLEAR:
        share_clear_go(share);
        return;
    }
}

static const struct intent_log_ops share_ops = {
    .append = share_append,
    .retire = share_retire,
    .flushed = share_flushed,
    .settle = share_settle,
    .offline = share_offline,
    .refuse = share_refuse,
    .is_open = share_is_open,
    .replay = share_replay,
    .replay_next = share_replay_next,
    .clear = share_clear,
};

/* Life */

int intents_create(struct cache *cache, struct clock_port *clock, struct intents **ret_intents)
{
    struct intents *intents = calloc(1, sizeof(*intents));

    if (intents == NULL) {
        return -ENOMEM;
    }
    intents->cache = cache;
    intents->clock = clock;
    intents->limit = (uint32_t)((uint64_t)cache->frame_count * INTENT_SHARE_PERCENT / 100);
    intents->ticket = journal_generation(cache->journal) << TICKET_SHIFT;
    list_init(&intents->shares);
    intents->journal_listener.heard = journal_heard;
    intents->journal_listener.owner = intents;
    journal_listen(cache->journal, &intents->journal_listener);
    for (uint32_t i = 0; i < BUCKETS; i++) {
        list_init(&intents->buckets[i]);
    }
    for (uint32_t i = 0; i < cache->frame_count; i++) {
        intents->used += cache->frames[i].state == FRAME_INTENT ? 1u : 0u;
    }
    if (pool_init(&intents->kept, max_u32(1, max_u32(intents->limit, intents->used)),
                  sizeof(struct kept)) != 0) {
        list_remove(&intents->journal_listener.link);
        free(intents);
        return -ENOMEM;
    }
    *ret_intents = intents;
    return 0;
}

struct intents *intents_free(struct intents *intents)
{
    if (intents != NULL) {
        ASSERT(list_is_empty(&intents->shares));
        list_remove(&intents->journal_listener.link);
        pool_done(&intents->kept);
        free(intents);
    }
    return NULL;
}

int intents_open(struct intents *intents, const struct guid *group, uint32_t span_members,
                 struct intent_log **ret_log)
{
    struct share *share = NULL;

    if (1 + span_members * PART_BLOCKS > intents->limit) {
        return -ENOSPC;
    }
    share = calloc(1, sizeof(*share));
    if (share == NULL) {
        return -ENOMEM;
    }
    share->replay_bytes =
        aligned_alloc(CACHE_BLOCK_BYTES, (size_t)RAID_SPAN_MEMBERS_MAX * SLICE_MAX_BYTES);
    if (share->replay_bytes == NULL) {
        free(share);
        return -ENOMEM;
    }
    share->log.ops = &share_ops;
    share->log.medium =
        journal_is_stable(intents->cache->journal) ? INTENT_MEDIUM_STABLE : INTENT_MEDIUM_MEMORY;
    share->log.identity = get_le32(journal_uuid(intents->cache->journal)->bytes);
    share->intents = intents;
    share->group = *group;
    share->timer.fire = timer_fired;
    share->timer.owner = share;
    list_init(&share->open);
    list_init(&share->retired);
    list_init(&share->found);
    list_init(&share->leaving);
    list_init(&share->waiting);
    list_init(&share->committing);
    list_init(&share->settling);
    list_init(&share->link);
    list_push_tail(&intents->shares, &share->link);
    found_collect(share);
    *ret_log = &share->log;
    return 0;
}

/* The frames stay published: a later share finds them again. */
static void kept_leave(struct list *list)
{
    struct list *node = NULL;

    while ((node = list_pop_head(list)) != NULL) {
        struct kept *kept = list_entry(node, struct kept, link);
        struct list *frame = NULL;

        while ((frame = list_pop_head(&kept->frames)) != NULL) {
        }
        list_remove(&kept->bucket_link);
        pool_give(&kept->share->intents->kept, kept);
    }
}

void intents_close(struct intent_log *log)
{
    struct share *share = share_of(log);

    ASSERT(list_is_empty(&share->waiting) && list_is_empty(&share->committing));
    ASSERT(list_is_empty(&share->settling));
    ASSERT(share->replay == NULL && share->clear == NULL);
    list_remove(&share->link);
    waiting_look(share->intents); /* as with one that is offline */
    clock_cancel(share->intents->clock, &share->timer);
    kept_leave(&share->open);
    kept_leave(&share->retired);
    kept_leave(&share->found);
    kept_leave(&share->leaving);
    free(share->replay_bytes);
    free(share);
}

void intents_forget(struct intents *intents, const struct guid *group)
{
    leftovers_free(intents, group);
    waiting_look(intents);
}

static uint32_t length_of(const struct list *list)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, list) {
        count++;
    }
    return count;
}

uint32_t intents_open_count(const struct intent_log *log)
{
    const struct share *share = container_of(log, const struct share, log);

    return length_of(&share->open) + length_of(&share->retired) + length_of(&share->found);
}
