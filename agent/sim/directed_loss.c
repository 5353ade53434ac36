/*
 * Short stories of a member lost and of one rebuilt, with a log of write intents, in which whole
 * rows are not (directed.h): the power goes while such a row is in the drives' caches. What the
 * records call lost is described by the others, so they must not be torn. And the log may still
 * hold what was written before the loss and after it, though all of it is on the drives.
 */
#include "directed.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "sim_array.h"
#include "sim_intent_log.h"

#define STRIP_BYTES 8192u
#define ROW_BYTES (2 * STRIP_BYTES)
#define SECTOR_BYTES 512u
#define ROWS 4u

struct tale {
    struct sim_world *world;
    struct sim_array *array;
    struct sim_intent_log *log;
    struct sim_intent_log *log_lost; /* NULL: it is the first one */
    struct rng rng;
    uint32_t lost; /* member */
    struct vd_request request;
    uint8_t bytes[ROW_BYTES];
};

/* With a log of its own, or else with the stripe log, in that mode. */
static void tale_begin_with(struct tale *tale, uint64_t seed, bool own_log,
                            enum stripe_log_mode mode)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP_BYTES,
                                        .block_bytes = SECTOR_BYTES,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP_BYTES,
                                        .spare_count = 1,
                                        .consistent = true,
                                        .stripe_log = mode};
    int error = 0;

    memset(tale, 0, sizeof(*tale));
    rng_seed(&tale->rng, seed);
    tale->world = sim_world_create(seed);
    tale->log = sim_intent_log_create(tale->world);
    options.intent_log = own_log ? &tale->log->log : NULL;
    tale->array = sim_array_create(tale->world, &options);
    /* The host's record is there long before the labels. */
    tale->array->sim_store->latency_max_us = 1;
    tale->lost = (uint32_t)rng_below(&tale->rng, 3);
    error = sim_array_start(tale->array);
    ASSERT(error == 0);
}

static void tale_begin(struct tale *tale, uint64_t seed)
{
    tale_begin_with(tale, seed, true, STRIPE_LOG_MODE_AUTO);
}

static void tale_end(struct tale *tale)
{
    (void)sim_array_stop(tale->array); /* degraded */
    sim_array_destroy(tale->array);
    sim_intent_log_destroy(tale->log);
    sim_intent_log_destroy(tale->log_lost);
    sim_world_destroy(tale->world);
}

/* The strips differ, or parity would be the same for every version. */
static void row_fill(struct tale *tale, uint8_t version)
{
    memset(tale->bytes, version, STRIP_BYTES);
    memset(tale->bytes + STRIP_BYTES, 4 * version, STRIP_BYTES);
}

static void row_write(struct tale *tale, uint8_t version, bool fua)
{
    enum vd_status status = VD_STATUS_OK;

    row_fill(tale, version);
    status = sim_array_io(tale->array, sim_array_vd(tale->array, 0), VD_OP_WRITE, fua, 0, ROW_BYTES,
                          tale->bytes);
    ASSERT(status == VD_STATUS_OK);
}

static void request_answered(struct vd_request *request, enum vd_status status)
{
    (void)request; /* the power goes before or after: it is no matter */
    (void)status;
}

/* A write in the air, and a moment of what follows it. */
static void write_begin(struct tale *tale, uint64_t offset_bytes, uint8_t version)
{
    uint64_t steps = rng_below(&tale->rng, 24);

    row_fill(tale, version);
    tale->request = (struct vd_request){.op = VD_OP_WRITE,
                                        .offset_bytes = offset_bytes,
                                        .length_bytes = ROW_BYTES,
                                        .buffer = tale->bytes,
                                        .complete = request_answered};
    vd_submit(sim_array_vd(tale->array, 0), &tale->request);
    while (steps > 0 && sim_world_step(tale->world)) {
        steps--;
    }
}

static bool sectors_are_whole(const uint8_t *bytes)
{
    for (uint32_t at = 0; at < ROW_BYTES; at += SECTOR_BYTES) {
        uint8_t scale = at < STRIP_BYTES ? 1 : 4;

        if ((bytes[at] != scale && bytes[at] != 2 * scale) ||
            memcmp(bytes + at, bytes + at + 1, SECTOR_BYTES - 1) != 0) {
            return false;
        }
    }
    return true;
}

/* Every sector of the first row is as it was or as it was being written. The loss of a member at
 * the same moment as the power is another story: then nothing is to be said. */
static bool row_holds_after_cut(struct tale *tale)
{
    enum vd_status status = VD_STATUS_OK;
    int error = 0;

    sim_array_power_cut(tale->array, SIM_CUT_DRIVE_RATE);
    error = sim_array_reload(tale->array);
    ASSERT(error == 0);
    if (tale->array->recorded_online[tale->lost]) {
        return true;
    }
    status = sim_array_io(tale->array, sim_array_vd(tale->array, 0), VD_OP_READ, false, 0,
                          ROW_BYTES, tale->bytes);
    return status == VD_STATUS_OK && sectors_are_whole(tale->bytes);
}

bool directed_loss_after_row(uint64_t seed)
{
    struct tale *tale = malloc(sizeof(*tale));
    bool holds = false;

    ASSERT(tale != NULL);
    tale_begin(tale, seed);
    row_write(tale, 1, true);
    row_write(tale, 2, false);
    sim_drive_pull(sim_array_sim(tale->array, tale->lost), true);
    write_begin(tale, ROW_BYTES, 3); /* a row of its own: it meets the loss */
    holds = row_holds_after_cut(tale);
    tale_end(tale);
    free(tale);
    return holds;
}

/* The loss is met by the very write of the row. */
bool directed_loss_in_row(uint64_t seed)
{
    struct tale *tale = malloc(sizeof(*tale));
    bool holds = false;

    ASSERT(tale != NULL);
    tale_begin(tale, seed);
    row_write(tale, 1, true);
    sim_array_sim(tale->array, (tale->lost + 1) % 3)->extra_latency_us = 400;
    sim_drive_pull(sim_array_sim(tale->array, tale->lost), true);
    write_begin(tale, 0, 2);
    holds = row_holds_after_cut(tale);
    tale_end(tale);
    free(tale);
    return holds;
}

/* Another log, which holds nothing, is there from the next start on. */
static void log_replace(struct tale *tale)
{
    struct sim_intent_log *anew = sim_intent_log_create(tale->world);

    anew->log.identity = tale->log->log.identity + 1;
    tale->array->options.intent_log = &anew->log;
    tale->log_lost = tale->log;
    tale->log = anew;
}

bool directed_log_anew(uint64_t seed)
{
    struct tale *tale = malloc(sizeof(*tale));
    bool holds = false;

    ASSERT(tale != NULL);
    tale_begin(tale, seed);
    row_write(tale, 1, true);
    sim_drive_pull(sim_array_sim(tale->array, tale->lost), true);
    row_write(tale, 1, true);
    write_begin(tale, 0, 2);
    log_replace(tale);
    holds = row_holds_after_cut(tale) || vd_suspect_bytes(sim_array_vd(tale->array, 0)) > 0;
    tale_end(tale);
    free(tale);
    return holds;
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static void member_rebuild(struct tale *tale, uint32_t rows)
{
    struct vd *vd = sim_array_vd(tale->array, 0);
    struct vd_sync sync = {
        .vd = vd, .row_count = rows, .fill = true, .complete = sync_done, .owner = tale->array};
    int error = sim_array_replace(tale->array, tale->lost, 3);

    ASSERT(error == 0);
    vd_sync_submit(vd, &sync);
    error = sim_array_wait(tale->array);
    ASSERT(error == 0);
    group_rebuilt_advance(tale->array->group, tale->lost, (uint64_t)rows * STRIP_BYTES);
}

bool directed_row_of_rebuilt(uint64_t seed)
{
    struct tale *tale = malloc(sizeof(*tale));
    bool holds = false;

    ASSERT(tale != NULL);
    tale_begin(tale, seed);
    row_write(tale, 1, true);
    sim_drive_pull(sim_array_sim(tale->array, tale->lost), true);
    row_write(tale, 1, true);
    member_rebuild(tale, ROWS);
    write_begin(tale, 0, 2);
    holds = row_holds_after_cut(tale);
    tale_end(tale);
    free(tale);
    return holds;
}

/* Every strip by itself: parts of rows are logged. */
static void strips_write(struct tale *tale, uint64_t offset_bytes, uint8_t version)
{
    for (uint32_t at = 0; at < ROW_BYTES; at += STRIP_BYTES) {
        enum vd_status status = VD_STATUS_OK;

        memset(tale->bytes, version, STRIP_BYTES);
        status = sim_array_io(tale->array, sim_array_vd(tale->array, 0), VD_OP_WRITE, true,
                              offset_bytes + at, STRIP_BYTES, tale->bytes);
        ASSERT(status == VD_STATUS_OK);
    }
}

/* The first row is written before a loss and after it, and nothing of that leaves the log. */
static void write_around_loss(struct tale *tale)
{
    tale->log->lazy = SIM_INTENTS_MAX;
    strips_write(tale, 0, 1);
    sim_drive_pull(sim_array_sim(tale->array, tale->lost), true);
    strips_write(tale, ROW_BYTES, 2); /* meets the loss */
    strips_write(tale, 0, 3);
}

/* As the next start finds it, without one more drive. */
static bool row_is_newest(struct tale *tale, uint32_t without)
{
    enum vd_status status = VD_STATUS_OK;
    int error = sim_array_reload(tale->array);

    ASSERT(error == 0);
    if (without != tale->lost) {
        sim_drive_pull(sim_array_sim(tale->array, without), true);
    }
    status = sim_array_io(tale->array, sim_array_vd(tale->array, 0), VD_OP_READ, false, 0,
                          ROW_BYTES, tale->bytes);
    return status == VD_STATUS_OK && tale->bytes[0] == 3 &&
           memcmp(tale->bytes, tale->bytes + 1, ROW_BYTES - 1) == 0;
}

bool directed_old_intents(uint64_t seed)
{
    struct tale *tale = malloc(sizeof(*tale));
    bool holds = false;
    int error = 0;

    ASSERT(tale != NULL);
    tale_begin_with(tale, seed, seed % 2 != 0, STRIPE_LOG_MODE_ON);
    write_around_loss(tale);
    member_rebuild(tale, ROWS);
    group_member_rebuilt(tale->array->group, tale->lost, sim_array_done, tale->array);
    error = sim_array_wait(tale->array);
    ASSERT(error == 0);
    sim_array_power_cut(tale->array, SIM_CUT_KEEP_ALL);
    holds = row_is_newest(tale, (tale->lost + 1 + (uint32_t)rng_below(&tale->rng, 2)) % 3);
    tale_end(tale);
    free(tale);
    return holds;
}

bool directed_old_intents_of_part(uint64_t seed)
{
    struct tale *tale = malloc(sizeof(*tale));
    bool holds = false;
    int error = 0;

    ASSERT(tale != NULL);
    tale_begin_with(tale, seed, seed % 2 != 0, STRIPE_LOG_MODE_ON);
    write_around_loss(tale);
    member_rebuild(tale, 1 + (uint32_t)rng_below(&tale->rng, ROWS - 1));
    if (rng_below(&tale->rng, 2) == 0) {
        error = sim_array_stop(tale->array); /* publishes the cursor too */
    } else {
        group_checkpoint(tale->array->group, sim_array_done, tale->array);
        error = sim_array_wait(tale->array);
        sim_array_power_cut(tale->array, SIM_CUT_KEEP_ALL);
    }
    ASSERT(error == 0);
    holds = row_is_newest(tale, tale->lost);
    tale_end(tale);
    free(tale);
    return holds;
}

/* The power goes in the middle of a write that the automatic log has. Then the group is whole, and
 * stops and starts. */
static bool doubt_is_taken_along(struct tale *tale)
{
    int error = 0;

    row_write(tale, 1, true);
    sim_drive_pull(sim_array_sim(tale->array, tale->lost), true);
    row_write(tale, 1, true);
    write_begin(tale, 0, 2);
    sim_array_power_cut(tale->array, SIM_CUT_KEEP_ALL);
    error = sim_array_reload(tale->array);
    ASSERT(error == 0);
    if (tale->array->recorded_online[tale->lost]) {
        return false;
    }
    member_rebuild(tale, ROWS);
    group_member_rebuilt(tale->array->group, tale->lost, sim_array_done, tale->array);
    error = sim_array_wait(tale->array);
    ASSERT(error == 0);
    error = sim_array_stop(tale->array);
    ASSERT(error == 0);
    error = sim_array_reload(tale->array);
    ASSERT(error == 0);
    return !vd_is_consistent(sim_array_vd(tale->array, 0));
}

bool directed_doubt_of_logged(uint64_t seed)
{
    static const struct sim_fault fault = {SIM_FAULT_READ, 0, SECTOR_BYTES};
    struct tale *tale = malloc(sizeof(*tale));
    bool holds = true;

    ASSERT(tale != NULL);
    tale_begin_with(tale, seed, false, STRIPE_LOG_MODE_AUTO);
    if (doubt_is_taken_along(tale)) {
        bool room = sim_drive_fault_add(sim_array_sim(tale->array, (tale->lost + 1) % 3), &fault);
        enum vd_status status = VD_STATUS_OK;

        ASSERT(room);
        status = sim_array_io(tale->array, sim_array_vd(tale->array, 0), VD_OP_READ, false, 0,
                              ROW_BYTES, tale->bytes);
        holds = status == VD_STATUS_OK && sectors_are_whole(tale->bytes);
    }
    tale_end(tale);
    free(tale);
    return holds;
}
