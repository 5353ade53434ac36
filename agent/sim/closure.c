/*
 * Stories about the write hole (closure.h).
 */
#include "closure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "model.h"
#include "sim_array.h"
#include "sim_intent_log.h"

#define FLIGHTS 6u
#define BLOCK_BYTES 512u
#define PIECE_BLOCKS 8u /* of which the engine tells that they are lost */

struct story;

struct shot {
    struct vd_request request;
    struct story *story;
    uint64_t block;
    uint64_t count;
    uint32_t version;
    uint8_t *buffer;
    uint32_t *acked; /* flushes */
    bool open;
};

struct story {
    enum closure_story kind;
    enum closure_log log_kind;
    struct rng rng;
    struct sim_world *world;
    struct sim_array *array;
    struct sim_intent_log *log;
    struct model *model;
    struct shot shots[FLIGHTS];
    uint32_t lost; /* CLOSURE_REJOIN: member */
    bool rebuild_open;
    bool rebuilt;
    bool dead;
    struct closure_result *result;
};

static void story_fail(struct story *story, const char *when, uint64_t block, const char *why)
{
    if (story->result->why[0] == '\0') {
        (void)snprintf(story->result->why, sizeof(story->result->why), "%s: block %llu: %s", when,
                       (unsigned long long)block, why); /* may cut */
    }
}

static uint64_t below(struct story *story, uint64_t bound)
{
    return rng_below(&story->rng, bound);
}

static struct vd *vd_of(struct story *story)
{
    return sim_array_vd(story->array, 0);
}

static void shot_done(struct vd_request *request, enum vd_status status)
{
    struct shot *shot = request->owner;
    struct story *story = shot->story;

    if (!story->dead && status != VD_STATUS_OK) {
        story_fail(story, "writing", shot->block, "a request failed");
    } else if (!story->dead && request->op == VD_OP_FLUSH) {
        model_flushed(story->model, shot->acked);
    } else if (!story->dead) {
        model_write_acked(story->model, shot->block, shot->count, shot->version, request->fua);
    }
    free(shot->buffer);
    free(shot->acked);
    shot->open = false;
}

static bool is_loss_later(const struct story *story)
{
    return story->kind == CLOSURE_LOSS_AFTER || story->kind == CLOSURE_LOSS_AT ||
           story->kind == CLOSURE_REJOIN;
}

/* A few blocks, often in the first rows; some of whole rows, unless losses come later. */
static void range_choose(struct story *story, struct shot *shot)
{
    const struct geometry *geometry = &vd_config(vd_of(story))->geometry;
    uint64_t strip = geometry->strip_bytes / BLOCK_BYTES;
    uint64_t row = geometry_row_bytes(geometry) / BLOCK_BYTES;
    uint64_t zone = below(story, 2) == 0 ? 3 * row : story->model->block_count;

    shot->block = below(story, zone);
    shot->count = 1 + below(story, strip / 2);
    if (!is_loss_later(story) && below(story, 3) == 0) {
        shot->block = shot->block / row * row;
        shot->count = row;
    }
    if (is_loss_later(story)) {
        shot->count =
            shot->count < strip - shot->block % strip ? shot->count : strip - shot->block % strip;
    }
    if (shot->count > story->model->block_count - shot->block) {
        shot->count = story->model->block_count - shot->block;
    }
}

static void shot_fire(struct story *story, struct shot *shot)
{
    struct vd_request *request = &shot->request;

    *shot = (struct shot){.story = story, .open = true};
    request->owner = shot;
    request->complete = shot_done;
    if (below(story, 12) == 0) {
        request->op = VD_OP_FLUSH;
        shot->acked = malloc(story->model->block_count * sizeof(uint32_t));
        ASSERT(shot->acked != NULL);
        memcpy(shot->acked, story->model->acked, story->model->block_count * sizeof(uint32_t));
        vd_submit(vd_of(story), request);
        return;
    }
    range_choose(story, shot);
    request->op = VD_OP_WRITE;
    request->fua = below(story, 5) == 0;
    request->offset_bytes = shot->block * BLOCK_BYTES;
    request->length_bytes = (uint32_t)(shot->count * BLOCK_BYTES);
    request->buffer = shot->buffer = malloc(request->length_bytes);
    ASSERT(shot->buffer != NULL);
    shot->version = model_write_begin(story->model, shot->block, shot->count, false);
    for (uint64_t i = 0; i < shot->count; i++) {
        model_fill(story->model, shot->block + i, shot->version, shot->buffer + i * BLOCK_BYTES);
    }
    vd_submit(vd_of(story), request);
}

static void shots_fire(struct story *story)
{
    for (uint32_t i = 0; i < FLIGHTS; i++) {
        if (!story->shots[i].open) {
            shot_fire(story, &story->shots[i]);
            return;
        }
    }
}

static void all_write(struct story *story)
{
    struct model *model = story->model;
    uint32_t version = model_write_begin(model, 0, model->block_count, false);
    uint32_t length = (uint32_t)(model->block_count * BLOCK_BYTES);
    uint8_t *bytes = malloc(length);
    enum vd_status status = VD_STATUS_OK;

    ASSERT(bytes != NULL);
    for (uint64_t i = 0; i < model->block_count; i++) {
        model_fill(model, i, version, bytes + i * BLOCK_BYTES);
    }
    status = sim_array_io(story->array, vd_of(story), VD_OP_WRITE, true, 0, length, bytes);
    ASSERT(status == VD_STATUS_OK);
    model_write_acked(model, 0, model->block_count, version, true);
    free(bytes);
}

static void blocks_check(struct story *story, const char *when, uint64_t block, uint64_t count,
                         const uint8_t *bytes)
{
    struct model *model = story->model;

    for (uint64_t i = block; i < block + count; i++) {
        const char *why = model_read_check(model, i, 1, model->floor + i,
                                           bytes + (i - block) * BLOCK_BYTES, true);

        if (why != NULL) {
            story_fail(story, when, i, why);
        }
    }
}

/* What is told to be lost can be written, and read from then on. */
static void piece_heal(struct story *story, const char *when, uint64_t block, uint8_t *bytes)
{
    struct model *model = story->model;
    uint32_t version = model_write_begin(model, block, PIECE_BLOCKS, false);

    if (story->log_kind != CLOSURE_LOG_OFF || vd_bad_blocks(vd_of(story)) == 0) {
        story_fail(story, when, block, "a read failed");
        return;
    }
    story->result->told++;
    for (uint64_t i = 0; i < PIECE_BLOCKS; i++) {
        model_fill(model, block + i, version, bytes + i * BLOCK_BYTES);
    }
    if (sim_array_io(story->array, vd_of(story), VD_OP_WRITE, true, block * BLOCK_BYTES,
                     PIECE_BLOCKS * BLOCK_BYTES, bytes) != VD_STATUS_OK) {
        story_fail(story, when, block, "a lost block cannot be written");
    }
    model_write_acked(model, block, PIECE_BLOCKS, version, true);
}

static void pieces_verify(struct story *story, const char *when)
{
    uint8_t bytes[PIECE_BLOCKS * BLOCK_BYTES];

    for (uint64_t block = 0; block < story->model->block_count; block += PIECE_BLOCKS) {
        if (sim_array_io(story->array, vd_of(story), VD_OP_READ, false, block * BLOCK_BYTES,
                         sizeof(bytes), bytes) == VD_STATUS_OK) {
            blocks_check(story, when, block, PIECE_BLOCKS, bytes);
        } else {
            piece_heal(story, when, block, bytes);
        }
    }
}

/* Twice: what was read once must be read again. */
static void all_verify(struct story *story, const char *when)
{
    struct model *model = story->model;
    uint32_t length = (uint32_t)(model->block_count * BLOCK_BYTES);
    uint8_t *bytes = malloc(length);

    ASSERT(bytes != NULL);
    if (story->log_kind == CLOSURE_LOG_OFF) {
        pieces_verify(story, when);
    }
    for (uint32_t round = 0; round < 2; round++) {
        enum vd_status status =
            sim_array_io(story->array, vd_of(story), VD_OP_READ, false, 0, length, bytes);

        if (status != VD_STATUS_OK) {
            story_fail(story, when, 0, "a read failed");
            break;
        }
        blocks_check(story, when, 0, model->block_count, bytes);
    }
    free(bytes);
}

/* As many of each span as it bears, or fewer. */
static void members_pull(struct story *story)
{
    const struct geometry *geometry = &story->array->config->vds[0].geometry;
    uint32_t width = geometry->members_per_span;
    uint32_t count = 1 + (uint32_t)below(story, geometry_span_tolerance(geometry));

    for (uint32_t span = 0; span < geometry->span_count; span++) {
        uint32_t first = (uint32_t)below(story, width);

        for (uint32_t i = 0; i < count; i++) {
            sim_drive_pull(sim_array_sim(story->array, span * width + (first + i) % width), true);
        }
    }
}

static void clear_check(void *context)
{
    struct story *story = context;

    for (uint32_t i = 0; i < story->array->member_count; i++) {
        const struct sim_drive *sim = sim_array_sim(story->array, i);

        if (sim != NULL && !sim->gone && !list_is_empty(&sim->unflushed)) {
            story_fail(story, "replay", 0, "the log is cleared before the members are flushed");
        }
    }
}

static void log_choose(struct story *story, struct sim_array_options *options)
{
    story->log = sim_intent_log_create(story->world);
    story->log->latency_us = below(story, 2) == 0 ? 0 : 300;
    story->log->capacity = below(story, 3) == 0 ? 4 : SIM_INTENTS_MAX;
    story->log->lazy = (uint32_t)below(story, 3);
    story->log->on_clear = clear_check;
    story->log->on_clear_context = story;
    options->intent_log = &story->log->log;
}

static void story_begin(struct story *story, int level, uint64_t seed)
{
    static const enum stripe_log_mode modes[] = {
        [CLOSURE_LOG_MEMORY] = STRIPE_LOG_MODE_OFF,
        [CLOSURE_LOG_DRIVES] = STRIPE_LOG_MODE_ON,
        [CLOSURE_LOG_AUTO] = STRIPE_LOG_MODE_AUTO,
        [CLOSURE_LOG_OFF] = STRIPE_LOG_MODE_OFF,
    };
    static const struct {
        uint32_t spans, width_min, width_max;
    } ranges[RAID_LEVEL_MAX] = {
        [RAID_LEVEL_1] = {1, 2, 3},  [RAID_LEVEL_5] = {1, 3, 6},  [RAID_LEVEL_6] = {1, 4, 7},
        [RAID_LEVEL_10] = {2, 2, 2}, [RAID_LEVEL_50] = {2, 3, 4}, [RAID_LEVEL_60] = {2, 4, 5},
        [RAID_LEVEL_1E] = {1, 3, 6},
    };
    struct sim_array_options options = {.level = (enum raid_level)level,
                                        .block_bytes = BLOCK_BYTES,
                                        .vd_count = 1,
                                        .consistent = true};
    uint32_t width = ranges[level].width_max - ranges[level].width_min + 1;
    int error = 0;

    rng_seed(&story->rng, seed);
    story->world = sim_world_create(seed ^ 0xc105e);
    options.stripe_log = modes[story->log_kind];
    if (story->log_kind == CLOSURE_LOG_MEMORY) {
        log_choose(story, &options);
    }
    options.span_count = ranges[level].spans;
    options.members_per_span = ranges[level].width_min + (uint32_t)below(story, width);
    options.strip_bytes = 8192u << below(story, 3);
    options.extent_bytes = options.strip_bytes * 6u;
    options.stripe_ops = below(story, 2) == 0 ? 3 : 64;
    story->array = sim_array_create(story->world, &options);
    error = sim_array_start(story->array);
    ASSERT(error == 0);
    story->model =
        model_create(seed, 0, BLOCK_BYTES, vd_config(vd_of(story))->size_bytes / BLOCK_BYTES);
}

static void story_end(struct story *story)
{
    if (story->log != NULL) {
        story->result->appends = story->log->appends;
        story->result->replayed = story->log->replayed;
        story->result->waits = story->log->waits;
    }
    (void)sim_array_stop(story->array); /* degraded perhaps */
    while (!list_is_empty(&story->world->events)) {
        (void)sim_world_step(story->world); /* there is something */
    }
    sim_array_destroy(story->array);
    sim_intent_log_destroy(story->log);
    model_destroy(story->model);
    sim_world_destroy(story->world);
}

static void some_write(struct story *story, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        shots_fire(story);
        for (uint64_t steps = below(story, 30); steps > 0; steps--) {
            if (!sim_world_step(story->world)) {
                break;
            }
        }
    }
}

static void story_write(struct story *story)
{
    some_write(story, 8 + below(story, 40));
}

/* The ring is slow, everything else is not. */
static void ring_is_slow(void *context, struct sim_drive *sim, const struct io_request *request)
{
    uint64_t ring = drive_layout_stripe_log_offset(sim->port.size_bytes, false);
    bool inside = request->offset_bytes >= ring && request->offset_bytes < ring + STRIPE_LOG_BYTES;

    (void)context;
    sim->extra_latency_us = inside ? 3000 : 0;
}

/* Members go in the middle of the writes; in half of the stories the cut follows soon, while the
 * log begins. */
static void loss_in_tell(struct story *story)
{
    bool soon = below(story, 2) == 0;

    for (uint32_t i = 0; i < story->array->drive_count && soon; i++) {
        story->array->sims[i]->on_submit = ring_is_slow;
    }
    members_pull(story);
    some_write(story, soon ? 3 + below(story, 12) : 8 + below(story, 40));
    for (uint32_t i = 0; i < story->array->drive_count; i++) {
        story->array->sims[i]->on_submit = NULL;
        story->array->sims[i]->extra_latency_us = 0;
    }
}

/* A loss that no record may tell of yet, and that no log knows the rows of, is undone with the cut:
 * what the power has taken away, it may bring back. */
static void losses_undo(struct story *story)
{
    bool unlogged = story->log_kind == CLOSURE_LOG_AUTO || story->log_kind == CLOSURE_LOG_OFF;

    if (!unlogged || sim_array_recorded_degraded(story->array)) {
        return;
    }
    for (uint32_t i = 0; i < story->array->drive_count; i++) {
        sim_drive_return(story->array->sims[i]);
    }
}

static void story_cut(struct story *story, bool lose)
{
    const struct geometry *geometry = &vd_config(vd_of(story))->geometry;
    uint64_t row_blocks = geometry_row_bytes(geometry) / BLOCK_BYTES;
    int error = 0;

    story->dead = true;
    losses_undo(story);
    sim_array_power_cut(story->array, (enum sim_cut)below(story, SIM_CUT_MAX));
    if (lose) {
        members_pull(story);
    }
    model_crashed(story->model, row_blocks);
    error = sim_array_reload(story->array);
    ASSERT(error == 0);
    story->dead = false;
}

static void rows_filled(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static void rebuild_ended(void *context, int error)
{
    struct story *story = context;

    story->rebuild_open = false;
    story->rebuilt = error == 0;
}

/* The drive that was lost takes its own place again; writes go on. */
static void rejoin_begin(struct story *story)
{
    struct sim_array *array = story->array;
    struct sim_drive *sim = sim_array_sim(array, story->lost);
    uint32_t drive = array->place_of[story->lost];
    int error = -EBUSY;

    (void)group_member_lose(array->group, story->lost, MEMBER_MISSING, REASON_DRIVE_LOST_PULLED,
                            false); /* if no write has met it */
    while (!drive_is_idle(array->drives[drive])) {
        (void)sim_world_step(story->world); /* it answers */
    }
    sim_drive_return(sim);
    if (!drive_is_present(array->drives[drive])) {
        drive_port_attach(array->drives[drive], sim_drive_port(sim));
    }
    while (error == -EBUSY) {
        error = sim_array_replace(array, story->lost, drive);
    }
    ASSERT(error == 0);
}

static void rejoin_fill(struct story *story)
{
    const struct geometry *geometry = &story->array->config->vds[0].geometry;
    struct vd_sync sync = {.vd = vd_of(story),
                           .row_count = (uint32_t)geometry_row_count(geometry),
                           .fill = true,
                           .complete = rows_filled,
                           .owner = story->array};
    int error = 0;

    shots_fire(story);
    vd_sync_submit(sync.vd, &sync);
    error = sim_array_wait(story->array);
    ASSERT(error == 0);
    group_rebuilt_advance(story->array->group, story->lost, geometry->extent_bytes);
}

/* Until somewhere in the middle of the rebuild's end, or beyond that. */
static void rejoin_end(struct story *story)
{
    shots_fire(story);
    shots_fire(story);
    story->rebuild_open = true;
    group_member_rebuilt(story->array->group, story->lost, rebuild_ended, story);
    for (uint64_t steps = below(story, 300); steps > 0 && story->rebuild_open; steps--) {
        if (below(story, 8) == 0) {
            shots_fire(story);
        }
        (void)sim_world_step(story->world); /* there is something until it has ended */
    }
    if (story->rebuilt && below(story, 3) == 0) {
        all_write(story); /* whole rows: no intents */
    }
    if (story->rebuilt && below(story, 3) == 0) {
        story_write(story);
    }
}

/* As many as the records bear are missing then, but not the one that came back. */
static void rejoin_cut(struct story *story)
{
    const struct geometry *geometry = &story->array->config->vds[0].geometry;
    uint32_t width = geometry->members_per_span;
    uint32_t tolerance = geometry_span_tolerance(geometry);
    bool rebuilt = story->rebuilt;
    bool whole = story->log_kind == CLOSURE_LOG_AUTO && !sim_array_recorded_degraded(story->array);
    int error = 0;

    story->dead = true;
    sim_array_power_cut(story->array, (enum sim_cut)below(story, SIM_CUT_MAX));
    for (uint32_t span = 0; span < geometry->span_count && !whole; span++) {
        bool own = story->lost / width == span;
        uint32_t first = own ? story->lost % width + 1 : (uint32_t)below(story, width);

        for (uint32_t i = 0; i < tolerance - (own && !rebuilt ? 1 : 0); i++) {
            struct sim_drive *sim = sim_array_sim(story->array, span * width + (first + i) % width);

            if (!sim->gone) {
                sim_drive_pull(sim, true);
            }
        }
    }
    model_crashed(story->model, geometry_row_bytes(geometry) / BLOCK_BYTES);
    error = sim_array_reload(story->array);
    ASSERT(error == 0);
    story->dead = false;
}

/* One comes back; another one of its span may be missing all the time. */
static void rejoin_tell(struct story *story)
{
    const struct geometry *geometry = &story->array->config->vds[0].geometry;
    uint32_t width = geometry->members_per_span;

    story->lost = (uint32_t)below(story, story->array->member_count);
    story_write(story);
    sim_drive_pull(sim_array_sim(story->array, story->lost), false);
    if (geometry_span_tolerance(geometry) > 1 && below(story, 2) == 0) {
        uint32_t place = story->lost % width;

        sim_drive_pull(sim_array_sim(story->array, story->lost - place + (place + 1) % width),
                       true);
    }
    story_write(story);
    rejoin_begin(story);
    rejoin_fill(story);
    rejoin_end(story);
    rejoin_cut(story);
    all_verify(story, "after the cut");
}

void closure_tell(enum closure_story kind, int level, enum closure_log log, uint64_t seed,
                  struct closure_result *ret_result)
{
    struct story *story = calloc(1, sizeof(*story));

    ASSERT(story != NULL);
    memset(ret_result, 0, sizeof(*ret_result));
    story->kind = kind;
    story->log_kind = log;
    story->result = ret_result;
    story_begin(story, level, seed);
    all_write(story);
    if (kind == CLOSURE_DEGRADED) {
        members_pull(story);
    }
    if (kind == CLOSURE_REJOIN) {
        rejoin_tell(story);
    }
    for (uint32_t round = 0; round < 2 && kind != CLOSURE_REJOIN && ret_result->why[0] == '\0';
         round++) {
        story_write(story);
        if (kind == CLOSURE_LOSS_IN && round == 0) {
            loss_in_tell(story);
        }
        story_cut(story, round == 1 && kind == CLOSURE_LOSS_AT);
        if (round == 1 && kind == CLOSURE_LOSS_AFTER) {
            members_pull(story);
        }
        all_verify(story, "after the cut");
    }
    story_end(story);
    free(story);
}

static bool closure_holds(enum closure_story kind, enum closure_log log, uint64_t seed)
{
    static const int levels[] = {RAID_LEVEL_5, RAID_LEVEL_6, RAID_LEVEL_50};
    struct closure_result result;

    closure_tell(kind, levels[seed % 3], log, seed, &result);
    return result.why[0] == '\0';
}

bool closure_degraded(uint64_t seed)
{
    return closure_holds(CLOSURE_DEGRADED, CLOSURE_LOG_MEMORY, seed);
}

bool closure_whole(uint64_t seed)
{
    return closure_holds(CLOSURE_WHOLE, CLOSURE_LOG_MEMORY, seed);
}

bool closure_drives_loss(uint64_t seed)
{
    return closure_holds(CLOSURE_LOSS_AT, CLOSURE_LOG_DRIVES, seed);
}

bool closure_drives_whole(uint64_t seed)
{
    return closure_holds(CLOSURE_WHOLE, CLOSURE_LOG_DRIVES, seed);
}

bool closure_drives_rejoin(uint64_t seed)
{
    return closure_holds(CLOSURE_REJOIN, CLOSURE_LOG_DRIVES, seed);
}

bool closure_auto_degraded(uint64_t seed)
{
    return closure_holds(CLOSURE_DEGRADED, CLOSURE_LOG_AUTO, seed);
}

bool closure_auto_loss(uint64_t seed)
{
    return closure_holds(CLOSURE_LOSS_IN, CLOSURE_LOG_AUTO, seed);
}

bool closure_off_degraded(uint64_t seed)
{
    return closure_holds(CLOSURE_DEGRADED, CLOSURE_LOG_OFF, seed);
}
