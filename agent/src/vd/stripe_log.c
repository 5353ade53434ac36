/*
 * The stripe log: appending, retiring, releasing (stripe_log.h).
 *
 *   append -> waiting -> in the batch under way -> durable -> retired -> released, when a batch
 *   that says so is durable
 *
 * (1) One batch at a time; what comes meanwhile goes into the next one: group commit.
 * (2) A batch says in its head how far everything is released (tail). Only when such a batch is
 *     durable is the place of the released ones used again, and only then is_open() ends.
 * (3) There is always room for one more batch without intents, so that a full ring can say what
 *     it has released.
 * (4) A batch counts with as many copies as its span needs; if it has fewer, the group is offline
 *     by then. When a member is added, no batch counts any more that has too few for that
 *     (stripe_log_join.c).
 * (5) Every record that is saved after an incarnation has begun has a higher number than it. So one
 *     that begins without a look at what there is, because the record says that the log is not
 *     used, is newer than all there are.
 * (6) A batch that too many members refuse, who stay, has to be on the members before any other,
 *     or there would be a gap. Its intents are told at once that they are not kept. It is written
 *     again from time to time, with the same bytes, because some members may have it. When it is
 *     durable, a later batch calls it released. Until then nothing else is kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vd/stripe_log_private.h"

static struct stripe_log *log_of(const struct intent_log *base)
{
    return container_of((struct intent_log *)(uintptr_t)base, struct stripe_log, log);
}

static struct list *bucket_of(const struct stripe_log *log, const struct guid *vd, uint64_t row,
                              uint32_t slice)
{
    uint64_t hash = row * UINT64_C(0x9e3779b97f4a7c15) + slice + vd->bytes[0];

    STATIC_ASSERT(LOG_BUCKETS == 256, "the shift below");
    hash ^= hash >> 29;
    return (struct list *)(uintptr_t)&log
        ->buckets[(hash * UINT64_C(0x9e3779b97f4a7c15)) >> 56]; /* callers know whether to write */
}

static struct log_entry *entry_of(struct stripe_log *log, uint64_t ticket)
{
    ASSERT(ticket < LOG_ENTRIES_MAX);
    return &log->entries[ticket];
}

static struct log_batch *batch_at(struct stripe_log *log, uint32_t index)
{
    ASSERT(index < log->batch_count);
    return &log->batches[(log->first_batch + index) % LOG_BATCHES_MAX];
}

/* Room in the ring */

/* Where `bytes` fit, or UINT32_MAX. The ring is never filled to the last byte: head would meet
 * the oldest batch and look empty. */
static uint32_t ring_place(struct stripe_log *log, uint32_t bytes)
{
    uint32_t size = (uint32_t)STRIPE_LOG_BYTES;
    uint32_t oldest = log->batch_count > 0 ? batch_at(log, 0)->position : 0;

    if (log->batch_count == 0) {
        return log->head + bytes <= size ? log->head : 0;
    }
    if (log->head > oldest) {
        if (log->head + bytes <= size) {
            return log->head;
        }
        return bytes < oldest ? 0 : UINT32_MAX;
    }
    return log->head + bytes < oldest ? log->head : UINT32_MAX;
}

/* Nothing may be left between a batch and the end of the ring but less than a head. */
static bool ring_has_room(struct stripe_log *log, uint32_t bytes, bool last)
{
    return log->batch_count < LOG_BATCHES_MAX - (last ? 0u : 1u) &&
           ring_place(log, bytes + (last ? 0 : 2 * STRIPE_BATCH_ALIGN)) != UINT32_MAX;
}

static void batches_drop(struct stripe_log *log)
{
    ASSERT(log->tail_durable <= log->sequence); /* the newest one says so, and stays */
    while (batch_at(log, 0)->sequence < log->tail_durable) {
        log->first_batch = (log->first_batch + 1) % LOG_BATCHES_MAX;
        log->batch_count--;
    }
}

/* Entries of batches before the durable tail are free again (2). */
static void entries_drop(struct stripe_log *log)
{
    for (uint32_t i = 0; i < LOG_ENTRIES_MAX; i++) {
        struct log_entry *entry = &log->entries[i];

        if (entry->released && entry->batch < log->tail_durable) {
            list_remove(&entry->bucket_link);
            entry->released = false;
            entry->batch = 0;
            list_push_tail(&log->free_entries, &entry->bucket_link);
            log->free_count++;
        }
    }
}

static void tail_move(struct stripe_log *log)
{
    log->tail = log->sequence + 1;
    for (uint32_t i = 0; i < log->batch_count; i++) {
        if (batch_at(log, i)->open > 0) {
            log->tail = batch_at(log, i)->sequence;
            return;
        }
    }
}

/* Of the batches up to that one. */
static bool any_retired(const struct stripe_log *log, uint64_t sequence)
{
    for (uint32_t i = 0; i < LOG_ENTRIES_MAX; i++) {
        const struct log_entry *entry = &log->entries[i];

        ASSERT(entry->epoch == 0 || !entry->released);
        if (entry->epoch != 0 && entry->batch <= sequence) {
            return true;
        }
    }
    return false;
}

/* Batches */

static void batch_start(struct stripe_log *log)
{
    log->running = true;
    log->given_up = false;
    log->spans_left = log->group->config.vds[0].geometry.span_count - 1;
    log->batch.group = log->group->config.guid;
    log->batch.incarnation = log->incarnation;
    log->batch.sequence = log->sequence + 1;
    log->batch.tail = min_u64(log->tail, log->batch.sequence);
    stripe_batch_encode(&log->batch, (const struct intent *const *)log->intents, log->buffer);
    log->head = ring_place(log, log->batch.bytes);
    ASSERT(log->head != UINT32_MAX);
    log_batch_write(log);
}

/* As many of those that wait as fit one batch and the ring, and find a place each. */
static void batch_gather(struct stripe_log *log)
{
    size_t entries = 0;
    size_t payload = 0;

    log->batch.intent_count = 0;
    while (!list_is_empty(&log->waiting) && log->batch.intent_count < STRIPE_BATCH_INTENTS_MAX &&
           log->batch.intent_count < log->free_count) {
        struct intent *intent = list_entry(list_first(&log->waiting), struct intent, link);
        size_t entries_then = entries + stripe_batch_entry_bytes(intent);
        size_t payload_then = payload + stripe_batch_payload_bytes(intent);

        if (payload_then > STRIPE_BATCH_PAYLOAD_MAX ||
            !ring_has_room(log, (uint32_t)stripe_batch_bytes(entries_then, payload_then), false)) {
            return;
        }
        entries = entries_then;
        payload = payload_then;
        list_remove(&intent->link);
        log->intents[log->batch.intent_count++] = intent;
    }
}

static void entry_make(struct stripe_log *log, struct intent *intent)
{
    struct list *node = list_pop_head(&log->free_entries);
    struct log_entry *entry = list_entry(node, struct log_entry, bucket_link);

    ASSERT(node != NULL && log->free_count > 0);
    log->free_count--;
    entry->vd = intent->vd;
    entry->row = intent->row;
    entry->slice = intent->slice;
    entry->batch = log->sequence + 1;
    entry->epoch = 0;
    list_push_tail(bucket_of(log, &intent->vd, intent->row, intent->slice), &entry->bucket_link);
    intent->ticket = (uint64_t)(entry - log->entries);
}

static void flush_want(struct stripe_log *log, uint64_t sequence)
{
    if (any_retired(log, sequence)) {
        log->log.wants_flush(&log->log); /* it is a group's: somebody has appended */
    }
}

/* Nobody waits until room is scarce. */
static bool settles_wait(struct stripe_log *log)
{
    if (list_is_empty(&log->settling)) {
        return false;
    }
    flush_want(log, log_settling(log));
    return log->tail > log_settling(log);
}

static void log_pump(struct stripe_log *log)
{
    bool tail_due = !log->abandoned && settles_wait(log);

    if (log->running || log->abandoned || log->stuck ||
        (list_is_empty(&log->waiting) && !tail_due)) {
        return;
    }
    batch_gather(log);
    if (log->batch.intent_count > 0) {
        for (uint32_t i = 0; i < log->batch.intent_count; i++) {
            entry_make(log, log->intents[i]);
        }
        batch_start(log);
    } else if (log->tail > log->tail_durable) {
        ASSERT(ring_has_room(log, STRIPE_BATCH_ALIGN, true)); /* (3) */
        batch_start(log);
    } else {
        flush_want(log, UINT64_MAX);
    }
}

static void waiting_answer(struct stripe_log *log, int error)
{
    struct list waiting;
    struct list *node = NULL;

    list_init(&waiting); /* whoever comes meanwhile is not meant */
    while ((node = list_pop_head(&log->waiting)) != NULL) {
        list_push_tail(&waiting, node);
    }
    while ((node = list_pop_head(&waiting)) != NULL) {
        struct intent *intent = list_entry(node, struct intent, link);

        intent->durable(intent, error);
    }
}

/* What cannot be answered from inside a call is answered by the timer. */
static void timer_fired(struct clock_timer *timer)
{
    struct stripe_log *log = timer->owner;
    struct group *group = log->group;
    bool refused = log->unflushed || log->stuck;

    group_enter(group);
    log->unflushed = false;
    if (log->abandoned) {
        waiting_answer(log, -ECANCELED);
        log_settled_answer(log, -EIO);
    } else if (refused) {
        waiting_answer(log, -EAGAIN);
        log_settled_answer(log, -EAGAIN);
    }
    log_pump(log);
    group_leave(group);
}

void log_wake(struct stripe_log *log)
{
    if (!log->timer.armed) {
        clock_arm(log->group->clock, &log->timer, clock_now_us(log->group->clock));
    }
}

static void batch_enter(struct stripe_log *log)
{
    struct log_batch *batch = NULL;

    ASSERT(log->batch_count < LOG_BATCHES_MAX);
    log->sequence = log->batch.sequence;
    log->batch_count++;
    batch = batch_at(log, log->batch_count - 1);
    *batch = (struct log_batch){.sequence = log->batch.sequence,
                                .position = log->head,
                                .bytes = log->batch.bytes,
                                .open = log->given_up ? 0 : log->batch.intent_count};
    log->head += log->batch.bytes;
    log->tail_durable = max_u64(log->tail_durable, log->batch.tail);
    tail_move(log);
    batches_drop(log);
    entries_drop(log);
}

/* Nothing has been written for the intents of this batch, nor will be. */
static void entries_release(struct stripe_log *log)
{
    for (uint32_t i = 0; i < LOG_ENTRIES_MAX; i++) {
        struct log_entry *entry = &log->entries[i];

        entry->released = entry->released || entry->batch == log->batch.sequence;
    }
}

/* 0, -ECANCELED: the group is offline, or -EAGAIN: the members have refused it. */
static int batch_error(const struct stripe_log *log)
{
    if (log_batch_is_short(log)) {
        return -EAGAIN;
    }
    return log->copies > 0 && !group_is_offline(log->group) ? 0 : -ECANCELED; /* (4) */
}

/* Every member has answered. */
void log_batch_written(struct stripe_log *log)
{
    struct intent *intents[STRIPE_BATCH_INTENTS_MAX];
    struct intent_clear *clear = log->clearing;
    uint32_t count = log->given_up ? 0 : log->batch.intent_count;
    int error = batch_error(log);

    ASSERT(log->running);
    log->running = false;
    log->clearing = NULL;
    memcpy(intents, log->intents, count * sizeof(intents[0]));
    if (error == 0 && log->given_up) {
        entries_release(log);
    }
    if (error == 0) {
        batch_enter(log);
    }
    log->stuck = error == -EAGAIN && clear == NULL; /* (6) */
    log->given_up = log->stuck;
    log_settled_answer(log, error == -ECANCELED ? -EIO : error); /* before anybody begins another */
    for (uint32_t i = 0; i < count; i++) {
        intents[i]->durable(intents[i], error);
    }
    if (clear != NULL) {
        clear->done(clear, error == 0 ? 0 : -EIO);
    }
    if (log->stuck && !list_is_empty(&log->waiting)) {
        log_wake(log);
    }
    log_pump(log);
}

void stripe_log_retry(struct stripe_log *log)
{
    if (log->stuck && !log->running && !log->abandoned) {
        log->stuck = false;
        log->running = true;
        log->spans_left = log->group->config.vds[0].geometry.span_count - 1;
        log_batch_write(log);
    }
}

/* The seam */

static int log_append(struct intent_log *base, struct intent *intent)
{
    struct stripe_log *log = log_of(base);

    list_init(&intent->link);
    list_push_tail(&log->waiting, &intent->link);
    log_wake(log); /* what the turn brings besides goes into the same batch */
    return -EINPROGRESS;
}

static void log_retire(struct intent_log *base, uint64_t ticket, uint64_t epoch)
{
    struct stripe_log *log = log_of(base);
    struct log_entry *entry = entry_of(log, ticket);

    ASSERT(entry->batch != 0 && entry->epoch == 0 && epoch != 0);
    entry->epoch = epoch;
    log_pump(log);
}

static void log_flushed(struct intent_log *base, uint64_t epoch)
{
    struct stripe_log *log = log_of(base);

    for (uint32_t i = 0; i < LOG_ENTRIES_MAX; i++) {
        struct log_entry *entry = &log->entries[i];

        if (entry->epoch != 0 && entry->epoch <= epoch) {
            uint64_t index = entry->batch - batch_at(log, 0)->sequence;

            entry->released = true;
            entry->epoch = 0;
            ASSERT(batch_at(log, (uint32_t)index)->open > 0);
            batch_at(log, (uint32_t)index)->open--;
        }
    }
    tail_move(log);
    if (SIM_BUG(LOG_TAIL_EARLY)) {
        log->tail_durable = min_u64(log->tail, log->sequence);
        batches_drop(log);
        entries_drop(log);
    }
    log_pump(log);
}

static void log_offline(struct intent_log *base)
{
    struct stripe_log *log = log_of(base);

    log->abandoned = true;
    if (!list_is_empty(&log->waiting) || !list_is_empty(&log->settling)) {
        log_wake(log);
    }
}

static void log_refuse(struct intent_log *base)
{
    struct stripe_log *log = log_of(base);

    if (!list_is_empty(&log->waiting) || !list_is_empty(&log->settling)) {
        log->unflushed = true;
        log_wake(log);
    }
}

static bool log_is_open(const struct intent_log *base, const struct guid *vd, uint64_t row,
                        uint32_t slice)
{
    const struct stripe_log *log = log_of(base);
    const struct list *bucket = bucket_of(log, vd, row, slice);

    for (const struct list *node = bucket->next; node != bucket; node = node->next) {
        const struct log_entry *entry =
            container_of((struct list *)(uintptr_t)node, struct log_entry, bucket_link);

        if (entry->row == row && entry->slice == slice && guid_equal(&entry->vd, vd)) {
            return true;
        }
    }
    return false;
}

/* A new incarnation begins behind what there is, with a batch that says so: from then on what
 * there is is void. */
static void log_clear(struct intent_log *base, struct intent_clear *clear)
{
    struct stripe_log *log = log_of(base);

    ASSERT(!log->running && log->batch_count == 0 && list_is_empty(&log->waiting));
    log->incarnation = max_u64(log->incarnation, log->group->config.sequence) + 1;
    log->group->config.sequence = log->incarnation; /* (5) */
    log->sequence = 0;
    log->tail = log->tail_durable = 1;
    log->clearing = clear;
    log->batch.intent_count = 0;
    batch_start(log);
}

static const struct intent_log_ops log_ops = {
    .append = log_append,
    .retire = log_retire,
    .flushed = log_flushed,
    .settle = log_settle,
    .offline = log_offline,
    .refuse = log_refuse,
    .is_open = log_is_open,
    .replay = log_replay,
    .replay_next = log_replay_next,
    .clear = log_clear,
};

/* Life */

int stripe_log_create(struct group *group, struct stripe_log **ret_log)
{
    uint32_t count = group->config.member_count;
    struct stripe_log *log = calloc(1, sizeof(*log) + count * sizeof(log->ios[0]));

    if (log == NULL) {
        return -ENOMEM;
    }
    log->buffer = aligned_alloc(IO_ALIGN_BYTES, LOG_BUFFER_BYTES);
    if (log->buffer == NULL) {
        free(log);
        return -ENOMEM;
    }
    log->log.ops = &log_ops;
    log->log.medium = INTENT_MEDIUM_DRIVES;
    log->group = group;
    log->timer.fire = timer_fired;
    log->timer.owner = log;
    list_init(&log->waiting);
    list_init(&log->settling);
    list_init(&log->free_entries);
    for (uint32_t i = 0; i < LOG_BUCKETS; i++) {
        list_init(&log->buckets[i]);
    }
    for (uint32_t i = 0; i < LOG_ENTRIES_MAX; i++) {
        list_init(&log->entries[i].bucket_link);
        list_push_tail(&log->free_entries, &log->entries[i].bucket_link);
    }
    log->free_count = LOG_ENTRIES_MAX;
    for (uint32_t i = 0; i < count; i++) {
        log->ios[i].log = log;
        log->ios[i].member = i;
    }
    *ret_log = log;
    return 0;
}

/* With the group, which waits for late transfers. */
struct stripe_log *stripe_log_free(struct stripe_log *log)
{
    if (log == NULL) {
        return NULL;
    }
    ASSERT(!log->running && list_is_empty(&log->waiting) && list_is_empty(&log->settling));
    ASSERT(log->late == 0);
    clock_cancel(log->group->clock, &log->timer);
    free(log->found);
    free(log->ring);
    free(log->buffer);
    free(log);
    return NULL;
}

struct intent_log *stripe_log_seam(struct stripe_log *log)
{
    return &log->log;
}

bool stripe_log_uses(const struct stripe_log *log, uint32_t member)
{
    return log != NULL && log->ios[member].busy;
}

bool stripe_log_is_busy(const struct stripe_log *log)
{
    ASSERT(log == NULL || list_is_empty(&log->waiting)); /* no operation is under way */
    return log != NULL && (log->running || !list_is_empty(&log->settling));
}
