/*
 * A life behind the cache (cached_life.h).
 *
 * What is checked: every read, as it is answered; after each new start everything, against what
 * this end of the life may have cost; and at the end, with the cache drained and gone, what the
 * virtual drives alone hold.
 */
#include "cached_life.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "cache/intents.h"
#include "cache/sim_bug.h"
#include "model.h"
#include "sim_array.h"
#include "sim_log.h"
#include "vd/cached.h"

#define FLIGHTS 10u
#define VDS_MAX 2u
#define PATIENCE_US (600 * SIM_SECOND)

struct life;

struct flight {
    struct vd_request request;
    struct life *life;
    uint32_t vd;
    uint64_t block, count;
    uint32_t version;
    uint8_t *buffer;
    uint32_t *before;
    bool open;
};

struct life {
    struct life_result *result;
    struct sim_world *world;
    struct sim_array *array;
    struct rng rng;
    struct memory_port medium;
    uint8_t *medium_kept;
    bool on_log; /* the medium is ordinary memory, with a log */
    struct sim_log log_device;
    bool log_was_lost; /* in the run before this one */
    struct cache *cache;
    struct cache_mover *mover;
    struct intents *intents;
    struct intent_log *log; /* NULL: the medium is too small for one */
    struct vd_cached *cached[VDS_MAX];
    struct model *models[VDS_MAX];
    struct flight flights[FLIGHTS];
    uint32_t open;
    uint32_t closed;
    uint32_t journals;
    uint64_t range_end;      /* of the newest request */
    bool back_only;          /* write-back all the time */
    uint32_t *back[VDS_MAX]; /* then: the newest version of each block acknowledged so */
    bool torn;               /* rows without an intent may be, since a crash */
    bool dead;   /* answers do not count */
    bool away;   /* the drives are: errors are no failures */
};

static void fail(struct life *life, const char *format, ...) PRINTF_LIKE(2, 3);

static void fail(struct life *life, const char *format, ...)
{
    va_list arguments;

    if (life->result->failed) {
        return;
    }
    life->result->failed = true;
    va_start(arguments, format);
    (void)vsnprintf(life->result->why, sizeof(life->result->why), format, arguments);
    va_end(arguments);
}

static uint64_t below(struct life *life, uint64_t bound)
{
    return rng_below(&life->rng, bound);
}

static bool chance(struct life *life, uint32_t percent)
{
    return below(life, 100) < percent;
}

/* The medium */

/* The log's device has failed: what is acknowledged from now on is on the drives alone. */
static bool log_is_lost(const struct life *life)
{
    return life->on_log && life->cache != NULL && journal_is_lost(cache_journal(life->cache));
}

static bool medium_is_stable(const struct life *life)
{
    return (life->on_log && !log_is_lost(life)) || life->medium.kind == MEMORY_KIND_PERSISTENT;
}

static const struct memory_port_ops plain_ops = {.copy = NULL};
static const struct uuid owner = {{1}};

static void medium_make(struct life *life)
{
    static const uint32_t frames[] = {20, 200, 700, 1500};

    life->medium.ops = &plain_ops;
    life->on_log = chance(life, 33);
    life->medium.kind =
        life->on_log || chance(life, 50) ? MEMORY_KIND_SHARED : MEMORY_KIND_PERSISTENT;
    life->back_only = medium_is_stable(life) || chance(life, 50);
    life->medium.size_bytes = journal_size_bytes(frames[below(life, 4)]);
    if (life->on_log) {
        const struct sim_drive_options options = {.size_bytes = (260 + below(life, 900)) * 4096};

        sim_log_init(&life->log_device, sim_drive_create(life->world, &options));
        life->medium.size_bytes = journal_log_memory_bytes(options.size_bytes);
    }
    life->medium.base = aligned_alloc(4096, life->medium.size_bytes);
    life->medium_kept = malloc(life->medium.size_bytes);
    ASSERT(life->medium.base != NULL && life->medium_kept != NULL);
    memset(life->medium.base, 0, life->medium.size_bytes);
}

/* Opening and closing */

static void policy_set(struct life *life, uint32_t index)
{
    vd_cached_policy_set(life->cached[index], life->back_only || chance(life, 75)
                                                  ? WRITE_POLICY_WRITE_BACK
                                                  : WRITE_POLICY_WRITE_THROUGH);
}

static enum cache_found vd_open(struct life *life, uint32_t index)
{
    enum cache_found found = CACHE_FOUND_NOTHING;
    int error =
        vd_cached_open(life->mover, sim_array_vd(life->array, index), &life->cached[index], &found);

    ASSERT(error == 0);
    policy_set(life, index);
    return found;
}

/* Before the group starts: it may have intents to replay. */
static void cache_begin(struct life *life)
{
    const struct uuid fresh = {{2, (uint8_t)life->journals++}};
    const struct cache_mover_options options = {.transfers = 1 + (uint32_t)below(life, 12),
                                                .batches = 1 + (uint32_t)below(life, 5),
                                                .mark_idle_ms = 200,
                                                .retry_ms = 50};
    const struct cache_options cache_options = {.idle_flush_ms = chance(life, 50) ? 20 : 4000};
    struct clock_port *clock = sim_world_clock(life->world);
    struct journal *journal = NULL;
    int error = life->on_log ? journal_open_log(&life->log_device.port, &life->medium, clock,
                                                &owner, &fresh, &journal)
                             : journal_open(&life->medium, &owner, &fresh, &journal);

    ASSERT(error == 0);
    error = cache_create(journal, &cache_options, &life->cache);
    ASSERT(error == 0);
    error = cache_mover_create(life->cache, clock, &options, &life->mover);
    ASSERT(error == 0);
    error = intents_create(life->cache, clock, &life->intents);
    ASSERT(error == 0);
    life->log = NULL;
    error = intents_open(life->intents, &life->array->config->guid,
                         life->array->options.members_per_span, &life->log);
    ASSERT(error == 0 || error == -ENOSPC);
    life->array->options.intent_log = life->log;
}

static void cache_open(struct life *life, bool lost_is_fine)
{
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        enum cache_found found = vd_open(life, i);

        if (found == CACHE_FOUND_PINNED && life->log_was_lost) {
            if (vd_cached_discard(life->cached[i]) != 0) { /* the log was void, and came back */
                fail(life, "vd%u: nothing can be discarded", i);
            }
            vd_cache_lost_forget(sim_array_vd(life->array, i));
            policy_set(life, i);
        } else if ((found == CACHE_FOUND_LOST && !lost_is_fine) || found == CACHE_FOUND_PINNED) {
            fail(life, "vd%u: found %d in the cache", i, (int)found);
        }
    }
}

static void one_closed(void *context)
{
    struct life *life = context;

    life->closed++;
}

static bool all_closed(void *context)
{
    const struct life *life = context;

    return life->closed == life->array->options.vd_count;
}

static void cache_close(struct life *life)
{
    life->closed = 0;
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        vd_cached_close(life->cached[i], one_closed, life);
        life->cached[i] = NULL;
    }
    if (!sim_world_run_until(life->world, all_closed, life, PATIENCE_US)) {
        fail(life, "the cache does not close");
        return;
    }
}

static bool journal_rests(void *context)
{
    const struct life *life = context;

    return journal_is_quiet(cache_journal(life->cache));
}

/* After the group has stopped. */
static void cache_end(struct life *life)
{
    if (!sim_world_run_until(life->world, journal_rests, life, PATIENCE_US)) {
        fail(life, "the log is never quiet");
        return;
    }
    life->mover = cache_mover_free(life->mover);
    if (life->log != NULL) {
        intents_close(life->log);
    }
    life->intents = intents_free(life->intents);
    cache_check(life->cache);
    life->cache = cache_free(life->cache);
}

/* Requests */

static void flight_free(struct flight *flight)
{
    free(flight->buffer);
    free(flight->before);
    flight->buffer = NULL;
    flight->before = NULL;
    flight->open = false;
    flight->life->open--;
}

static void flight_landed(struct life *life, struct flight *flight)
{
    struct model *model = life->models[flight->vd];

    if (flight->request.op == VD_OP_READ) {
        const char *wrong = model_read_check(
            model, flight->block, flight->count, flight->before, flight->buffer + 1,
            vd_is_consistent(sim_array_vd(life->array, flight->vd)));

        if (wrong != NULL) {
            fail(life, "vd%u: read of %llu+%llu returned %s", flight->vd,
                 (unsigned long long)flight->block, (unsigned long long)flight->count, wrong);
        }
    } else if (flight->request.op == VD_OP_FLUSH) {
        model_flushed(model, flight->before);
    } else {
        bool back = life->back_only && flight->request.op == VD_OP_WRITE && !log_is_lost(life);

        /* On a persistent medium what is written back is on stable storage when it is answered. */
        model_write_acked(model, flight->block, flight->count, flight->version,
                          flight->request.fua || (back && medium_is_stable(life)));
        for (uint64_t i = flight->block; i < flight->block + flight->count && back; i++) {
            life->back[flight->vd][i] = max_u32(life->back[flight->vd][i], flight->version);
        }
    }
}

/* A whole row that was being written when drives left may have anything in it: it is not logged,
 * because nothing in it was to be kept. */
static void flight_failed(struct life *life, const struct flight *flight, enum vd_status status)
{
    const struct geometry *geometry = &vd_config(sim_array_vd(life->array, flight->vd))->geometry;

    if (!life->away) {
        fail(life, "vd%u: operation %d on %llu+%llu failed with %d", flight->vd,
             (int)flight->request.op, (unsigned long long)flight->block,
             (unsigned long long)flight->count, (int)status);
    } else if (flight->request.op != VD_OP_READ && flight->request.op != VD_OP_FLUSH &&
               raid_level_info(geometry->level)->parity_count > 0) {
        model_unsure_rows(life->models[flight->vd], flight->block, flight->count,
                          geometry_row_bytes(geometry) / geometry->block_bytes);
    }
}

static void flight_done(struct vd_request *request, enum vd_status status)
{
    struct flight *flight = request->owner;
    struct life *life = flight->life;

    if (!flight->open) {
        fail(life, "a request was answered twice");
        return;
    }
    if (!life->dead && !life->result->failed) {
        if (status == VD_STATUS_OK) {
            flight_landed(life, flight);
        } else {
            flight_failed(life, flight, status);
        }
    }
    flight_free(flight);
}

static uint32_t *copy_of(const uint32_t *values, uint64_t count)
{
    uint32_t *copy = malloc(count * sizeof(*copy));

    ASSERT(copy != NULL);
    memcpy(copy, values, count * sizeof(*copy));
    return copy;
}

static enum vd_op op_choose(struct life *life)
{
    uint64_t dice = below(life, 100);

    return dice < 40   ? VD_OP_READ
           : dice < 90 ? VD_OP_WRITE
           : dice < 94 ? VD_OP_FLUSH
           : dice < 97 ? VD_OP_TRIM
                       : VD_OP_WRITE_ZEROES;
}

/* Half of them in the first blocks, so that they meet. Some go on where the last one ended. */
static void range_choose(struct life *life, struct flight *flight)
{
    uint64_t blocks = life->models[flight->vd]->block_count;
    uint64_t zone = chance(life, 60) ? min_u64(blocks, 64) : blocks;

    flight->block = chance(life, 15) ? life->range_end % blocks : below(life, zone);
    flight->count = 1 + below(life, chance(life, 80) ? 12 : 200);
    flight->count = min_u64(flight->count, blocks - flight->block);
    life->range_end = flight->block + flight->count;
}

static void flight_begin(struct life *life, struct flight *flight)
{
    struct model *model = life->models[flight->vd];
    struct vd_request *request = &flight->request;

    request->op = op_choose(life);
    request->complete = flight_done;
    request->owner = flight;
    if (request->op == VD_OP_FLUSH) {
        flight->before = copy_of(model->acked, model->block_count);
        return;
    }
    range_choose(life, flight);
    request->offset_bytes = flight->block * model->block_bytes;
    request->length_bytes = (uint32_t)(flight->count * model->block_bytes);
    request->fua = request->op != VD_OP_READ && chance(life, 10);
    flight->buffer = malloc(request->length_bytes + 1);
    ASSERT(flight->buffer != NULL);
    request->buffer = flight->buffer + 1; /* on purpose not aligned */
    if (request->op == VD_OP_READ) {
        flight->before = copy_of(model->floor + flight->block, flight->count);
        return;
    }
    flight->version =
        model_write_begin(model, flight->block, flight->count, request->op != VD_OP_WRITE);
    for (uint64_t i = 0; i < flight->count; i++) {
        model_fill(model, flight->block + i, flight->version,
                   request->buffer + i * model->block_bytes);
    }
}

static void submit(struct life *life)
{
    for (uint32_t i = 0; i < FLIGHTS; i++) {
        struct flight *flight = &life->flights[i];
        struct vd_target *target = NULL;

        if (flight->open) {
            continue;
        }
        *flight = (struct flight){.life = life, .open = true};
        flight->vd = (uint32_t)below(life, life->array->options.vd_count);
        life->open++;
        life->result->requests++;
        flight_begin(life, flight);
        target = vd_cached_target(life->cached[flight->vd]);
        target->ops->submit(target, &flight->request);
        return;
    }
}

static bool nothing_open(void *context)
{
    const struct life *life = context;

    return life->open == 0;
}

static bool drain(struct life *life)
{
    if (!sim_world_run_until(life->world, nothing_open, life, PATIENCE_US)) {
        fail(life, "%u requests are never answered", life->open);
        return false;
    }
    return true;
}

/* Looking at everything */

struct look {
    struct vd_request request;
    bool done;
    enum vd_status status;
};

static void look_done(struct vd_request *request, enum vd_status status)
{
    struct look *look = container_of(request, struct look, request);

    look->done = true;
    look->status = status;
}

static void read_all(struct life *life, struct vd_target *target, const struct model *model,
                     uint8_t *bytes)
{
    struct look look = {
        .request = {.op = VD_OP_READ,
                    .length_bytes = (uint32_t)(model->block_count * model->block_bytes),
                    .buffer = bytes,
                    .complete = look_done}};

    target->ops->submit(target, &look.request);
    if (!sim_world_run_until_flag(life->world, &look.done, PATIENCE_US) ||
        look.status != VD_STATUS_OK) {
        fail(life, "everything cannot be read: %d", (int)look.status);
    }
}

/* acked: what was acknowledged before the end; where it is missing the loss must be noted. */
static void verify(struct life *life, uint32_t index, struct vd_target *target,
                   const uint32_t *acked, const char *when)
{
    struct model *model = life->models[index];
    uint8_t *bytes = malloc(model->block_count * model->block_bytes);
    const char *wrong = NULL;

    ASSERT(bytes != NULL);
    read_all(life, target, model, bytes);
    if (!life->result->failed && acked != NULL &&
        model_read_check(model, 0, model->block_count, acked, bytes, false) != NULL &&
        !vd_config(sim_array_vd(life->array, index))->cache_lost) {
        fail(life, "%s: vd%u: writes are lost and nobody says so", when, index);
    }
    wrong = life->result->failed
                ? NULL
                : model_read_check(model, 0, model->block_count, model->floor, bytes,
                                   vd_is_consistent(sim_array_vd(life->array, index)));
    if (wrong != NULL) {
        fail(life, "%s: vd%u: %s", when, index, wrong);
    }
    free(bytes);
}

/* Ends */

static void models_end(struct life *life, bool all_kept)
{
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        if (all_kept) {
            model_stopped(life->models[i]);
        }
        model_crashed(life->models[i], 1);
        model_risk_over(life->models[i]);
    }
}

static void verify_all(struct life *life, uint32_t **acked, const char *when)
{
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        if (!life->result->failed) {
            verify(life, i, vd_cached_target(life->cached[i]), acked[i], when);
        }
        free(acked[i]);
    }
}

static void group_again(struct life *life, bool lost_is_fine)
{
    if (life->on_log) { /* its memory is nobody's */
        life->log_was_lost = life->log_device.drive->write_fails;
        life->log_device.drive->write_fails = false;
        memset(life->medium.base, 0, life->medium.size_bytes);
    }
    cache_begin(life);
    if (sim_array_reload(life->array) != 0) {
        fail(life, "the group does not come back");
        return;
    }
    cache_open(life, lost_is_fine);
}

/* What was lost is no more expected. */
static void back_lower(struct life *life)
{
    for (uint32_t vd = 0; vd < life->array->options.vd_count; vd++) {
        for (uint64_t i = 0; i < life->models[vd]->block_count; i++) {
            life->back[vd][i] = min_u32(life->back[vd][i], life->models[vd]->floor[i]);
        }
    }
}

/* A degraded row that is cut short may have anything in it, unless its intent has been kept. */
static bool intents_outlive(const struct life *life, bool death)
{
    return life->log != NULL && !log_is_lost(life) && (death || medium_is_stable(life));
}

static bool hole_is_closed(const struct life *life, bool death)
{
    return raid_level_info(life->array->options.level)->parity_count == 0 ||
           intents_outlive(life, death);
}

/* The agent dies, or the power goes. */
static void crash(struct life *life)
{
    bool optimal = group_state(life->array->group) == VIRTUAL_DRIVE_STATE_OPTIMAL;
    bool death = chance(life, 50);
    enum sim_cut cut = death ? SIM_CUT_KEEP_ALL : (enum sim_cut)below(life, SIM_CUT_MAX);
    bool kept = death || medium_is_stable(life);
    uint32_t *acked[VDS_MAX] = {NULL};

    if (!optimal && !hole_is_closed(life, death)) {
        return;
    }
    for (uint32_t i = 0; i < life->array->options.vd_count && life->back_only; i++) {
        acked[i] = copy_of(life->back[i], life->models[i]->block_count);
    }
    memcpy(life->medium_kept, life->medium.base, life->medium.size_bytes);
    life->torn = life->torn || !intents_outlive(life, death);
    life->dead = true;
    life->result->crashes++;
    sim_world_power_off(life->world, cut);
    if (!death) { /* a death makes nothing durable, and takes nothing away */
        models_end(life, false);
    }
    if (!drain(life)) {
        return;
    }
    cache_close(life);
    (void)sim_array_stop(life->array); /* nothing answers any more: the error is no news */
    cache_end(life);
    while (!list_is_empty(&life->world->events)) {
        (void)sim_world_step(life->world); /* there is something */
    }
    sim_world_power_on(life->world);
    if (kept && !life->on_log) {
        memcpy(life->medium.base, life->medium_kept, life->medium.size_bytes);
    } else {
        memset(life->medium.base, 0, life->medium.size_bytes);
    }
    life->dead = false;
    group_again(life, !kept);
    verify_all(life, acked, death ? "after the death" : "after the power cut");
    back_lower(life);
}

/* All drives leave for a while: what was acknowledged waits in the cache. */
static void drives_leave(struct life *life)
{
    uint32_t *acked[VDS_MAX] = {NULL};

    life->torn = life->torn || !intents_outlive(life, true);
    life->away = true;
    for (uint32_t i = 0; i < life->array->member_count; i++) {
        sim_drive_pull(sim_array_sim(life->array, i), false);
    }
    for (uint32_t i = 0; i < 30; i++) {
        submit(life);
        sim_world_advance(life->world, below(life, 5000));
    }
    if (!drain(life)) {
        return;
    }
    sim_world_advance(life->world, 300000);
    cache_close(life);
    (void)sim_array_stop(life->array); /* it is offline */
    cache_end(life);
    for (uint32_t i = 0; i < life->array->drive_count; i++) {
        sim_drive_return(life->array->sims[i]);
    }
    life->away = false;
    group_again(life, false);
    verify_all(life, acked, "after the drives came back");
}

/* One member leaves for good; the rest goes on without. Rows torn before are never resynchronised
 * here, and then it may be missed in them. */
static void member_leaves(struct life *life)
{
    uint32_t member = (uint32_t)below(life, life->array->member_count);

    if (!life->torn && group_state(life->array->group) == VIRTUAL_DRIVE_STATE_OPTIMAL &&
        vd_drive_failures_left(sim_array_vd(life->array, 0)) > 0) {
        (void)group_member_lose(life->array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER,
                                false); /* it is neither lost yet nor the last copy */
    }
}

static void restart(struct life *life)
{
    uint32_t *acked[VDS_MAX] = {NULL};

    if (!drain(life)) {
        return;
    }
    cache_close(life);
    for (uint32_t i = 0; i < life->array->options.vd_count && !life->result->failed; i++) {
        verify(life, i, vd_target(sim_array_vd(life->array, i)), NULL, "without the cache");
        if (!uuid_is_zero(&vd_config(sim_array_vd(life->array, i))->cache_journal)) {
            fail(life, "vd%u: the mark is still there", i);
        }
    }
    if (sim_array_stop(life->array) != 0) {
        fail(life, "the group does not stop");
        return;
    }
    if (life->log != NULL && !log_is_lost(life) && intents_open_count(life->log) != 0) {
        fail(life, "intents are left after an orderly stop");
    }
    cache_end(life);
    models_end(life, true);
    group_again(life, false);
    verify_all(life, acked, "after the restart");
}

/* Life */

static void setup(struct life *life, uint64_t seed)
{
    static const enum raid_level levels[] = {RAID_LEVEL_0, RAID_LEVEL_1, RAID_LEVEL_5,
                                             RAID_LEVEL_6};
    static const uint32_t widths[] = {3, 2, 4, 5};
    static const uint32_t strips[] = {8u << 10, 16u << 10, 64u << 10};
    uint32_t pick = (uint32_t)below(life, 4);
    struct sim_array_options options = {.level = levels[pick],
                                        .span_count = 1,
                                        .members_per_span = widths[pick],
                                        .strip_bytes = strips[below(life, 3)],
                                        .block_bytes = chance(life, 60) ? 512 : 4096,
                                        .vd_count = 1 + (uint32_t)below(life, VDS_MAX),
                                        .noise = true,
                                        .consistent = true};

    options.extent_bytes = options.strip_bytes * (2 + below(life, 6));
    options.consistent = options.level == RAID_LEVEL_0;
    life->world = sim_world_create(seed ^ UINT64_C(0xcafe));
    life->array = sim_array_create(life->world, &options);
    medium_make(life);
    for (uint32_t i = 0; i < options.vd_count; i++) {
        struct vd_config *config = &life->array->config->vds[i];

        config->io_policy = chance(life, 50) ? IO_POLICY_CACHED : IO_POLICY_DIRECT;
        config->read_policy = (enum read_policy)below(life, READ_POLICY_MAX);
        life->models[i] =
            model_create(seed, i, options.block_bytes, config->size_bytes / options.block_bytes);
        life->back[i] = calloc(life->models[i]->block_count, sizeof(uint32_t));
        ASSERT(life->back[i] != NULL);
    }
    (void)snprintf(life->result->shape, sizeof(life->result->shape),
                   "%s x%u strip %u block %u vds %u %s medium %llu KiB",
                   raid_level_info(options.level)->name, options.members_per_span,
                   options.strip_bytes, options.block_bytes, options.vd_count,
                   life->on_log                              ? "log"
                   : life->medium.kind == MEMORY_KIND_SHARED ? "shared"
                                                             : "persistent",
                   (unsigned long long)life->medium.size_bytes / 1024);
    cache_begin(life);
    if (sim_array_start(life->array) != 0) {
        fail(life, "the group does not start");
        return;
    }
    cache_open(life, false);
}

static void live_one(struct life *life)
{
    uint64_t dice = below(life, 1000);
    uint32_t vd = (uint32_t)below(life, life->array->options.vd_count);

    submit(life);
    for (uint64_t steps = below(life, 30); steps > 0; steps--) {
        (void)sim_world_step(life->world);
    }
    if (dice < 12 || (dice >= 100 && dice < 150 && log_is_lost(life))) {
        crash(life);
    } else if (dice < 15) {
        restart(life);
    } else if (dice < 18 && hole_is_closed(life, true)) {
        drives_leave(life);
    } else if (dice < 30) {
        policy_set(life, vd);
    } else if (dice < 40) {
        sim_world_advance(life->world, below(life, SIM_SECOND / 2));
    } else if (dice < 45 && !life->back_only) {
        cache_mover_dirty_limit_set(life->mover, chance(life, 30) ? 0 : UINT64_MAX);
    } else if (dice < 55 && dice >= 45 && life->on_log) {
        life->log_device.drive->write_fails = true;
    } else if (dice < 70 && dice >= 55) {
        member_leaves(life);
    }
    if (!life->result->failed && cache_bug_active == CACHE_BUG_NONE) {
        cache_check(life->cache);
    }
}

static void teardown(struct life *life)
{
    for (uint32_t i = 0; i < VDS_MAX; i++) {
        if (life->models[i] != NULL) {
            model_destroy(life->models[i]);
            free(life->back[i]);
        }
    }
    free(life->medium.base);
    free(life->medium_kept);
    sim_array_destroy(life->array);
    sim_world_destroy(life->world);
}

void cached_life(uint64_t seed, uint32_t requests, struct life_result *ret_result)
{
    struct life *life = calloc(1, sizeof(*life));

    ASSERT(life != NULL);
    memset(ret_result, 0, sizeof(*ret_result));
    life->result = ret_result;
    rng_seed(&life->rng, seed);
    setup(life, seed);
    for (uint32_t i = 0; i < requests && !ret_result->failed; i++) {
        live_one(life);
    }
    if (!ret_result->failed) {
        cache_mover_dirty_limit_set(life->mover, UINT64_MAX);
        restart(life);
    }
    if (ret_result->failed) {
        return; /* things may be in the air: what it holds ends with the process */
    }
    if (drain(life)) {
        cache_close(life);
        (void)sim_array_stop(life->array); /* has been proved above */
        cache_end(life);
        teardown(life);
        free(life);
    }
}
