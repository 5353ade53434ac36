/*
 * A log of write intents in memory (sim_intent_log.h).
 */
#include "sim_intent_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static struct sim_intent_log *log_of(struct intent_log *log)
{
    return container_of(log, struct sim_intent_log, log);
}

static struct sim_intent *find_oldest(struct sim_intent_log *log, uint64_t from, bool durable)
{
    struct sim_intent *oldest = NULL;

    for (uint32_t i = 0; i < log->capacity; i++) {
        struct sim_intent *entry = &log->intents[i];
        bool fits = durable ? entry->state >= SIM_INTENT_OPEN : entry->state == SIM_INTENT_RELEASED;

        if (fits && entry->number >= from && (oldest == NULL || entry->number < oldest->number)) {
            oldest = entry;
        }
    }
    return oldest;
}

static void entry_free(struct sim_intent *entry)
{
    free(entry->bytes);
    entry->bytes = NULL;
    entry->state = SIM_INTENT_FREE;
}

static struct sim_intent *entry_find_free(struct sim_intent_log *log)
{
    for (uint32_t i = 0; i < log->capacity; i++) {
        if (log->intents[i].state == SIM_INTENT_FREE) {
            return &log->intents[i];
        }
    }
    return NULL;
}

/* Releases are in the order of the log, so that no newer intent of a slice goes before an older. */
static struct sim_intent *entry_make_room(struct sim_intent_log *log)
{
    struct sim_intent *entry = entry_find_free(log);

    if (entry == NULL) {
        struct sim_intent *oldest = find_oldest(log, 0, true);

        if (oldest != NULL && oldest->state == SIM_INTENT_RELEASED) {
            entry_free(oldest);
            entry = oldest;
        }
    }
    return entry;
}

static void entry_fill(struct sim_intent *entry, const struct intent *intent)
{
    size_t length = intent->hi - intent->lo;

    entry->intent = *intent;
    entry->intent.origin = NULL;
    entry->bytes = malloc(length * intent->part_count + 1);
    ASSERT(entry->bytes != NULL);
    for (uint32_t i = 0; i < intent->part_count; i++) {
        memcpy(entry->bytes + i * length, intent->parts[i].bytes, length);
        entry->intent.parts[i].bytes = entry->bytes + i * length;
    }
}

static void waiting_answer_soon(struct sim_intent_log *log);

/* Who waits for room hears of it too: the group asks for nothing more once it knows. */
static void medium_gone(struct sim_intent_log *log)
{
    if (!list_is_empty(&log->waiting)) {
        log->answer_waiting_with = -EIO;
        waiting_answer_soon(log);
    }
}

static void entry_written(struct sim_event *event)
{
    struct sim_intent *entry = container_of(event, struct sim_intent, event);
    struct sim_intent_log *log = entry->log;
    struct intent *waiting = entry->waiting;
    bool kept = log->world->powered && !log->gone;

    ASSERT(entry->state == SIM_INTENT_WRITING);
    entry->waiting = NULL;
    entry->state = SIM_INTENT_OPEN;
    if (!kept) {
        entry_free(entry);
        medium_gone(log);
    }
    sim_world_boundary(log->world);
    waiting->durable(waiting, kept ? 0 : -EIO);
}

static int entry_take(struct sim_intent_log *log, struct sim_intent *entry, struct intent *intent)
{
    intent->ticket = ++log->next_number;
    entry->number = intent->ticket;
    entry->log = log;
    entry_fill(entry, intent);
    if (log->latency_us == 0) {
        entry->state = SIM_INTENT_OPEN;
        return 0;
    }
    entry->state = SIM_INTENT_WRITING;
    entry->waiting = intent;
    entry->event.fire = entry_written;
    sim_event_post(log->world, &entry->event, 1 + rng_below(&log->world->rng, log->latency_us));
    return -EINPROGRESS;
}

static void waiting_answer(struct sim_event *event)
{
    struct sim_intent_log *log = container_of(event, struct sim_intent_log, answer);
    struct list ready;
    struct list *node = NULL;
    int error = log->answer_waiting_with;

    log->answer_posted = false;
    log->answer_waiting_with = 0;
    list_init(&ready);
    while (!list_is_empty(&log->waiting)) {
        struct intent *intent = list_entry(list_first(&log->waiting), struct intent, link);
        struct sim_intent *entry = error == 0 ? entry_make_room(log) : NULL;

        if (error == 0 && entry == NULL) {
            break;
        }
        list_remove(&intent->link);
        if (error != 0 || entry_take(log, entry, intent) == 0) {
            list_push_tail(&ready, &intent->link);
        }
    }
    while ((node = list_pop_head(&ready)) != NULL) {
        struct intent *intent = list_entry(node, struct intent, link);

        intent->durable(intent, error);
    }
}

static void waiting_answer_soon(struct sim_intent_log *log)
{
    if (!log->answer_posted && !list_is_empty(&log->waiting)) {
        log->answer_posted = true;
        log->answer.fire = waiting_answer;
        sim_event_post(log->world, &log->answer, 1);
    }
}

static bool any_retired(const struct sim_intent_log *log)
{
    for (uint32_t i = 0; i < log->capacity; i++) {
        if (log->intents[i].state == SIM_INTENT_RETIRED) {
            return true;
        }
    }
    return false;
}

static int log_append(struct intent_log *base, struct intent *intent)
{
    struct sim_intent_log *log = log_of(base);
    struct sim_intent *entry = NULL;

    ASSERT(intent->lo < intent->hi);
    log->appends++;
    if (log->gone) {
        medium_gone(log);
        return -EIO;
    }
    entry = list_is_empty(&log->waiting) ? entry_make_room(log) : NULL;
    if (entry != NULL) {
        return entry_take(log, entry, intent);
    }
    log->waits++;
    list_init(&intent->link);
    list_push_tail(&log->waiting, &intent->link);
    if (any_retired(log)) {
        base->wants_flush(base);
    }
    return -EINPROGRESS;
}

static void log_retire(struct intent_log *base, uint64_t ticket, uint64_t epoch)
{
    struct sim_intent_log *log = log_of(base);

    for (uint32_t i = 0; i < log->capacity; i++) {
        struct sim_intent *entry = &log->intents[i];

        if (entry->state != SIM_INTENT_FREE && entry->number == ticket) {
            ASSERT(entry->state == SIM_INTENT_OPEN);
            entry->state = SIM_INTENT_RETIRED;
            entry->epoch = epoch;
        }
    }
    if (!list_is_empty(&log->waiting)) {
        base->wants_flush(base);
    }
}

static void log_flushed(struct intent_log *base, uint64_t epoch)
{
    struct sim_intent_log *log = log_of(base);
    uint32_t released = 0;

    if (!log->world->powered) {
        medium_gone(log); /* or nobody might notice: no drive need be asked */
        return;
    }
    for (uint32_t i = 0; i < log->capacity; i++) {
        struct sim_intent *entry = &log->intents[i];

        if (entry->state == SIM_INTENT_RETIRED && entry->epoch <= epoch) {
            entry->state = SIM_INTENT_RELEASED;
        }
        released += entry->state == SIM_INTENT_RELEASED ? 1u : 0u;
    }
    for (;;) {
        struct sim_intent *oldest = find_oldest(log, 0, true);

        if (oldest == NULL || oldest->state != SIM_INTENT_RELEASED || released <= log->lazy) {
            break;
        }
        entry_free(oldest);
        released--;
    }
    waiting_answer_soon(log);
    if (!list_is_empty(&log->waiting) && any_retired(log)) {
        base->wants_flush(base);
    }
}

static bool older_is_open(const struct sim_intent_log *log, const struct sim_intent *entry)
{
    for (uint32_t i = 0; i < log->capacity; i++) {
        const struct sim_intent *other = &log->intents[i];

        if (other->state != SIM_INTENT_FREE && other->number < entry->number &&
            other->intent.slice == entry->intent.slice && other->intent.row == entry->intent.row &&
            guid_equal(&other->intent.vd, &entry->intent.vd)) {
            return true;
        }
    }
    return false;
}

/* In the order of the log, but nobody waits for what is open: of one slice none goes before an
 * older one. */
static void released_free(struct sim_intent_log *log, uint64_t until)
{
    struct sim_intent *entry = find_oldest(log, 0, false);

    while (entry != NULL && entry->number <= until) {
        uint64_t next = entry->number + 1;

        if (!older_is_open(log, entry)) {
            entry_free(entry);
        }
        entry = find_oldest(log, next, false);
    }
}

static void settled(struct sim_event *event)
{
    struct sim_intent_log *log = container_of(event, struct sim_intent_log, settled);
    bool kept = log->world->powered && !log->gone;
    struct list ready;
    struct list *node = NULL;

    log->settled_posted = false;
    list_init(&ready);
    while ((node = list_pop_head(&log->settling)) != NULL) {
        list_push_tail(&ready, node);
    }
    while ((node = list_pop_head(&ready)) != NULL) {
        struct intent_settle *settle = list_entry(node, struct intent_settle, link);

        if (kept) {
            released_free(log, settle->until);
        }
        settle->done(settle, kept ? 0 : -EIO);
    }
}

static int log_settle(struct intent_log *base, struct intent_settle *settle)
{
    struct sim_intent_log *log = log_of(base);

    if (log->gone) {
        return -EIO;
    }
    if (find_oldest(log, 0, false) == NULL && log->others_us == 0) {
        return 0;
    }
    settle->until = log->next_number;
    list_init(&settle->link);
    list_push_tail(&log->settling, &settle->link);
    if (!log->settled_posted) {
        log->settled_posted = true;
        log->settled.fire = settled;
        sim_event_post(log->world, &log->settled,
                       1 + rng_below(&log->world->rng, 300) + log->others_us);
    }
    return -EINPROGRESS;
}

static void log_offline(struct intent_log *base)
{
    struct sim_intent_log *log = log_of(base);

    if (!list_is_empty(&log->waiting)) {
        log->answer_waiting_with = -ECANCELED;
        waiting_answer_soon(log);
    }
}

static void log_refuse(struct intent_log *base)
{
    struct sim_intent_log *log = log_of(base);

    if (!list_is_empty(&log->waiting)) {
        log->answer_waiting_with = -EAGAIN;
        waiting_answer_soon(log);
    }
}

static bool log_is_open(const struct intent_log *base, const struct guid *vd, uint64_t row,
                        uint32_t slice)
{
    const struct sim_intent_log *log = container_of(base, struct sim_intent_log, log);

    for (uint32_t i = 0; i < log->capacity; i++) {
        const struct sim_intent *entry = &log->intents[i];

        if (entry->state != SIM_INTENT_FREE && guid_equal(&entry->intent.vd, vd) &&
            entry->intent.row == row && entry->intent.slice == slice) {
            return true;
        }
    }
    return false;
}

static void replay_go(struct sim_event *event)
{
    struct sim_intent_log *log = container_of(event, struct sim_intent_log, answer);
    struct intent_replay *replay = log->replay;

    log->answer_posted = false;
    if (log->gone) {
        log->replay = NULL;
        replay->done(replay, -EIO);
        return;
    }
    do {
        struct sim_intent *entry = find_oldest(log, log->replay_from, true);

        if (entry == NULL) {
            log->replay = NULL;
            replay->done(replay, 0);
            return;
        }
        log->replay_from = entry->number + 1;
        log->replayed++;
        log->replay_inside = true;
        log->replay_again = false;
        replay->intent(replay, &entry->intent);
        log->replay_inside = false;
    } while (log->replay_again);
}

static void replay_post(struct sim_intent_log *log)
{
    ASSERT(!log->answer_posted);
    log->answer_posted = true;
    log->answer.fire = replay_go;
    sim_event_post(log->world, &log->answer, 1);
}

static void log_replay(struct intent_log *base, struct intent_replay *replay)
{
    struct sim_intent_log *log = log_of(base);

    ASSERT(log->replay == NULL && list_is_empty(&log->waiting));
    log->replay = replay;
    log->replay_from = 0;
    replay_post(log);
}

static void log_replay_next(struct intent_log *base, struct intent_replay *replay)
{
    struct sim_intent_log *log = log_of(base);

    ASSERT(log->replay == replay);
    if (log->replay_inside) {
        log->replay_again = true;
    } else {
        replay_post(log);
    }
}

static void clear_go(struct sim_event *event)
{
    struct sim_intent_log *log = container_of(event, struct sim_intent_log, answer);
    struct intent_clear *clear = log->clear;
    int error = log->world->powered && !log->gone ? 0 : -EIO;

    log->answer_posted = false;
    log->clear = NULL;
    for (uint32_t i = 0; i < log->capacity && error == 0; i++) {
        if (log->intents[i].state != SIM_INTENT_FREE) {
            entry_free(&log->intents[i]);
        }
    }
    clear->done(clear, error);
}

static void log_clear(struct intent_log *base, struct intent_clear *clear)
{
    struct sim_intent_log *log = log_of(base);

    ASSERT(log->clear == NULL && !log->answer_posted);
    log->clears++;
    if (log->on_clear != NULL) {
        log->on_clear(log->on_clear_context);
    }
    log->clear = clear;
    log->answer_posted = true;
    log->answer.fire = clear_go;
    sim_event_post(log->world, &log->answer, 1 + rng_below(&log->world->rng, 300));
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

struct sim_intent_log *sim_intent_log_create(struct sim_world *world)
{
    struct sim_intent_log *log = calloc(1, sizeof(*log));

    ASSERT(log != NULL);
    log->log.ops = &log_ops;
    log->log.medium = INTENT_MEDIUM_STABLE;
    log->world = world;
    log->capacity = SIM_INTENTS_MAX;
    list_init(&log->waiting);
    list_init(&log->settling);
    return log;
}

struct sim_intent_log *sim_intent_log_fork(const struct sim_intent_log *log,
                                           struct sim_world *world)
{
    struct sim_intent_log *fork = sim_intent_log_create(world);

    fork->capacity = log->capacity;
    fork->latency_us = log->latency_us;
    fork->lazy = log->lazy;
    fork->log.identity = log->log.identity;
    fork->next_number = log->next_number;
    for (uint32_t i = 0; i < log->capacity; i++) {
        const struct sim_intent *entry = &log->intents[i];
        struct sim_intent *copy = &fork->intents[i];

        if (entry->state == SIM_INTENT_FREE ||
            (entry->state == SIM_INTENT_WRITING && rng_below(&world->rng, 2) == 0)) {
            continue;
        }
        entry_fill(copy, &entry->intent);
        copy->state = entry->state == SIM_INTENT_RELEASED ? SIM_INTENT_RELEASED : SIM_INTENT_OPEN;
        copy->number = entry->number;
        copy->log = fork;
    }
    return fork;
}

void sim_intent_log_destroy(struct sim_intent_log *log)
{
    if (log == NULL) {
        return;
    }
    ASSERT(list_is_empty(&log->waiting) && !log->answer_posted);
    ASSERT(list_is_empty(&log->settling) && !log->settled_posted);
    for (uint32_t i = 0; i < SIM_INTENTS_MAX; i++) {
        free(log->intents[i].bytes);
    }
    free(log);
}

uint32_t sim_intent_log_open_count(const struct sim_intent_log *log)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < log->capacity; i++) {
        count += log->intents[i].state != SIM_INTENT_FREE ? 1u : 0u;
    }
    return count;
}
