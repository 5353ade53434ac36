/*
 * Short stories of a copyback (directed.h). Without redundancy nothing but the copy itself makes
 * the drive equal to the member whose place it takes, so what is read must not change by that.
 */
#include "directed.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "sim_array.h"

#define STRIP_BYTES 8192u
#define ROWS 4u
#define DATA_BYTES (2 * ROWS * STRIP_BYTES)

struct copy_tale {
    struct sim_world *world;
    struct sim_array *array;
    struct rng rng;
    struct vd_request request;
    uint8_t bytes[DATA_BYTES];
    uint8_t before[DATA_BYTES];
};

static void copied(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

/* What is left to be copied, and the cursor after it. */
static int copy_all(struct copy_tale *tale)
{
    struct group *group = tale->array->group;
    struct vd_sync sync = {.vd = sim_array_vd(tale->array, 0), .complete = copied};
    int error = 0;

    sync.row = group_copied_bytes(group) / STRIP_BYTES;
    sync.row_count = ROWS - (uint32_t)sync.row;
    sync.copy = true;
    sync.owner = tale->array;
    if (sync.row_count > 0) {
        vd_sync_submit(sync.vd, &sync);
        error = sim_array_wait(tale->array);
    }
    if (error == 0) {
        group_copied_advance(group, UINT64_C(1) * ROWS * STRIP_BYTES);
    }
    return error;
}

static void io(struct copy_tale *tale, enum vd_op op, uint8_t *bytes)
{
    struct vd *vd = sim_array_vd(tale->array, 0);
    uint32_t length = (uint32_t)min_u64(DATA_BYTES, vd_config(vd)->size_bytes);
    enum vd_status status = sim_array_io(tale->array, vd, op, op == VD_OP_WRITE, 0, length, bytes);

    ASSERT(status == VD_STATUS_OK);
}

/* Everything is written and copied, and the cursor is on record. */
static void tale_begin_on(struct copy_tale *tale, uint64_t seed, enum raid_level level)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = 2,
                                        .strip_bytes = STRIP_BYTES,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = UINT64_C(1) * ROWS * STRIP_BYTES,
                                        .spare_count = 1,
                                        .consistent = true};
    int error = 0;

    memset(tale, 0, sizeof(*tale));
    rng_seed(&tale->rng, seed);
    tale->world = sim_world_create(seed);
    tale->array = sim_array_create(tale->world, &options);
    error = sim_array_start(tale->array);
    ASSERT(error == 0);
    memset(tale->bytes, 1, DATA_BYTES);
    io(tale, VD_OP_WRITE, tale->bytes);
    error = sim_array_copyback(tale->array, (uint32_t)rng_below(&tale->rng, 2), 2);
    ASSERT(error == 0);
    error = copy_all(tale);
    ASSERT(error == 0);
    group_checkpoint(tale->array->group, sim_array_done, tale->array);
    error = sim_array_wait(tale->array);
    ASSERT(error == 0);
}

static void tale_begin(struct copy_tale *tale, uint64_t seed)
{
    tale_begin_on(tale, seed, RAID_LEVEL_0);
}

static void tale_end(struct copy_tale *tale)
{
    (void)sim_array_stop(tale->array); /* it has been checked */
    sim_array_destroy(tale->array);
    sim_world_destroy(tale->world);
}

/* The drive takes the place, if the copyback goes on at all. */
static bool same_after_exchange(struct copy_tale *tale)
{
    struct group *group = tale->array->group;
    int error = 0;

    if (group_copyback_drive(group) == NULL) {
        return true;
    }
    io(tale, VD_OP_READ, tale->before);
    error = copy_all(tale);
    ASSERT(error == 0);
    group_copyback_finish(group, sim_array_done, tale->array);
    error = sim_array_wait(tale->array);
    ASSERT(error == 0);
    io(tale, VD_OP_READ, tale->bytes);
    return memcmp(tale->bytes, tale->before, DATA_BYTES) == 0;
}

static void request_answered(struct vd_request *request, enum vd_status status)
{
    (void)request; /* the power goes before or after: it is no matter */
    (void)status;
}

bool directed_copyback_unclean(uint64_t seed)
{
    struct copy_tale *tale = malloc(sizeof(*tale));
    uint64_t steps = 0;
    bool same = false;
    int error = 0;

    ASSERT(tale != NULL);
    tale_begin(tale, seed);
    steps = rng_below(&tale->rng, 24);
    memset(tale->bytes, 2, DATA_BYTES);
    tale->request = (struct vd_request){.op = VD_OP_WRITE,
                                        .length_bytes = DATA_BYTES,
                                        .buffer = tale->bytes,
                                        .complete = request_answered};
    vd_submit(sim_array_vd(tale->array, 0), &tale->request);
    while (steps > 0 && sim_world_step(tale->world)) {
        steps--;
    }
    sim_array_power_cut(tale->array, SIM_CUT_DRIVE_RATE);
    error = sim_array_reload(tale->array);
    ASSERT(error == 0);
    same = same_after_exchange(tale);
    tale_end(tale);
    free(tale);
    return same;
}

bool directed_copyback_missed(uint64_t seed)
{
    struct copy_tale *tale = malloc(sizeof(*tale));
    bool same = false;

    ASSERT(tale != NULL);
    tale_begin(tale, seed);
    tale->array->sims[2]->write_fails = true;
    memset(tale->bytes, 2, DATA_BYTES);
    io(tale, VD_OP_WRITE, tale->bytes);
    tale->array->sims[2]->write_fails = false;
    same = same_after_exchange(tale);
    tale_end(tale);
    free(tale);
    return same;
}

static bool is_member(const struct sim_array *array, uint32_t drive)
{
    return group_drive(array->group, 0) == array->drives[drive] ||
           group_drive(array->group, 1) == array->drives[drive];
}

static void flush_hangs(void *context, struct sim_drive *sim, const struct io_request *request)
{
    sim->hang = sim->hang || (request->op == IO_OP_FLUSH && is_member(context, 2));
}

bool directed_copyback_hangs(uint64_t seed)
{
    struct copy_tale *tale = malloc(sizeof(*tale));
    struct sim_array *array = NULL;
    bool again = false;

    ASSERT(tale != NULL);
    tale_begin_on(tale, seed, RAID_LEVEL_1);
    array = tale->array;
    sim_world_advance(tale->world, SIM_SECOND); /* everybody has the region map */
    array->sims[2]->on_submit = flush_hangs;
    array->sims[2]->on_submit_context = array;
    array->sim_store->latency_max_us = 10 * SIM_SECOND; /* it is saved late enough, or not */
    group_copyback_finish(array->group, sim_array_done, array);
    while (!is_member(array, 2)) {
        (void)sim_world_step(tale->world); /* there is always a timer */
    }
    group_copyback_stop(array->group, REASON_OK); /* too late; but it gets its pages now */
    (void)sim_array_wait(array);                  /* whatever comes of it */
    array->sim_store->latency_max_us = 300;
    io(tale, VD_OP_WRITE, tale->bytes);
    io(tale, VD_OP_WRITE, tale->bytes);
    again = !is_member(array, 2) && group_state(array->group) == VIRTUAL_DRIVE_STATE_OPTIMAL;
    again = again || group_state(array->group) == VIRTUAL_DRIVE_STATE_DEGRADED; /* saved before */
    array->sims[2]->on_submit = NULL;
    sim_drive_unhang(array->sims[2]);
    sim_world_advance(tale->world, SIM_SECOND);
    tale_end(tale);
    free(tale);
    return again;
}

static void added(void *context, int error, struct vd *vd)
{
    (void)vd; /* it is found by its place */
    sim_array_done(context, error);
}

static void done_well(struct copy_tale *tale)
{
    int error = sim_array_wait(tale->array);

    ASSERT(error == 0);
}

/* All that is behind the cursor. */
static void copy_on(struct copy_tale *tale)
{
    struct group *group = tale->array->group;
    uint64_t end = group_copied_bytes(group);

    for (uint32_t i = 0; i < group_vd_count(group); i++) {
        const struct vd_config *config = vd_config(sim_array_vd(tale->array, i));
        uint64_t end_of_this = config->extent_start_bytes + config->geometry.extent_bytes;
        struct vd_sync sync = {.vd = sim_array_vd(tale->array, i),
                               .row_count = ROWS,
                               .copy = true,
                               .complete = copied,
                               .owner = tale->array};

        if (end_of_this > group_copied_bytes(group)) {
            vd_sync_submit(sync.vd, &sync);
            done_well(tale);
            end = max_u64(end, end_of_this);
        }
    }
    group_copied_advance(group, end);
}

bool directed_copyback_restored(uint64_t seed)
{
    struct sim_array_options options = {.level = RAID_LEVEL_0,
                                        .span_count = 1,
                                        .members_per_span = 2,
                                        .strip_bytes = STRIP_BYTES,
                                        .block_bytes = 512,
                                        .vd_count = 2,
                                        .extent_bytes = UINT64_C(1) * ROWS * STRIP_BYTES,
                                        .spare_count = 1};
    struct copy_tale *tale = calloc(1, sizeof(*tale));
    struct vd_config config;
    bool same = false;
    int error = 0;

    ASSERT(tale != NULL);
    rng_seed(&tale->rng, seed);
    tale->world = sim_world_create(seed);
    tale->array = sim_array_create(tale->world, &options);
    error = sim_array_start(tale->array);
    ASSERT(error == 0);
    rng_fill(&tale->rng, tale->before, DATA_BYTES);
    io(tale, VD_OP_WRITE, tale->before);
    config = *vd_config(sim_array_vd(tale->array, 0));
    group_vd_remove(tale->array->group, sim_array_vd(tale->array, 0), sim_array_done, tale->array);
    done_well(tale);
    error = sim_array_copyback(tale->array, (uint32_t)rng_below(&tale->rng, 2), 2);
    ASSERT(error == 0);
    copy_on(tale);
    group_vd_add(tale->array->group, &config, added, tale->array);
    done_well(tale);
    copy_on(tale);
    group_copyback_finish(tale->array->group, sim_array_done, tale->array);
    done_well(tale);
    error = (int)sim_array_io(tale->array, sim_array_vd(tale->array, 1), VD_OP_READ, false, 0,
                              DATA_BYTES, tale->bytes);
    same = error == VD_STATUS_OK && memcmp(tale->bytes, tale->before, DATA_BYTES) == 0;
    tale_end(tale);
    free(tale);
    return same;
}
