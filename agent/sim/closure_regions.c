/*
 * Stories about region maps (closure.h): what a map says after a power cut is all that a resync
 * looks at.
 */
#include "closure.h"

#include <string.h>

#include "array_layout.h"
#include "sim_array.h"

#define BURST 3u
#define BURST_BYTES 4096u

static void burst_done(struct vd_request *request, enum vd_status status)
{
    (void)request; /* the drives tell what came of it */
    (void)status;
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static void rows_sync(struct sim_array *array)
{
    struct vd *vd = sim_array_vd(array, 0);
    uint64_t row = 0;
    uint64_t count = 0;

    while (vd_sync_next(vd, SYNC_ROWS_MAX, &row, &count)) {
        struct vd_sync sync = {.vd = vd, .row = row, .row_count = (uint32_t)count};

        sync.complete = sync_done;
        sync.owner = array;
        vd_sync_submit(vd, &sync);
        if (sim_array_wait(array) != 0) {
            return;
        }
        vd_sync_advance(vd, row, count);
    }
}

static void rows_write(struct sim_array *array, struct rng *rng)
{
    const struct geometry *geometry = &vd_config(sim_array_vd(array, 0))->geometry;
    uint64_t zone = geometry_row_count(geometry) / 4;
    uint8_t bytes[4096];

    for (uint32_t i = 0; i < 60; i++) {
        uint64_t row = rng_below(rng, zone);

        /* From time to time the load moves on, and what it leaves comes to rest. */
        zone = rng_below(rng, 8) == 0 ? 1 + rng_below(rng, geometry_row_count(geometry)) : zone;
        rng_fill(rng, bytes, sizeof(bytes));
        (void)sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false,
                           row * geometry_row_bytes(geometry), sizeof(bytes),
                           bytes); /* nothing fails here */
        sim_world_advance(array->world, rng_below(rng, SIM_SECOND / 8));
    }
}

/* A few writes in the air, and a moment of what follows them: marks, pages, flushes. */
static void rows_burst(struct sim_array *array, struct rng *rng, struct vd_request *requests,
                       uint8_t *bytes, uint64_t steps_max)
{
    const struct geometry *geometry = &vd_config(sim_array_vd(array, 0))->geometry;

    for (uint32_t i = 0; i < BURST; i++) {
        requests[i] = (struct vd_request){.op = VD_OP_WRITE, .length_bytes = 4096, .buffer = bytes};
        requests[i].offset_bytes =
            rng_below(rng, geometry_row_count(geometry)) * geometry_row_bytes(geometry);
        requests[i].complete = burst_done;
        vd_submit(sim_array_vd(array, 0), &requests[i]);
    }
    for (uint64_t steps = rng_below(rng, steps_max); steps > 0 && sim_world_step(array->world);
         steps--) {
    }
}

/* One row comes to rest while another is written without a pause, so that no flush but that of
 * the cleaning covers it; until a flush begins. */
static void rows_rest(struct sim_array *array)
{
    const struct geometry *geometry = &vd_config(sim_array_vd(array, 0))->geometry;
    uint32_t row_bytes = geometry_row_bytes(geometry);
    uint8_t bytes[4096];
    uint64_t flushes = 0;

    sim_world_advance(array->world, 2 * SIM_SECOND); /* what was before has come to rest */
    memset(bytes, 0x5a, sizeof(bytes));
    for (uint64_t i = 0; i < 2; i++) { /* the one that is to rest comes last, after its mark */
        (void)sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, (1 - i) * row_bytes,
                           sizeof(bytes), bytes); /* nothing fails here */
    }
    flushes = array->sims[0]->counters.flushes;
    for (uint32_t i = 0; i < 4000 && array->sims[0]->counters.flushes == flushes; i++) {
        (void)sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, row_bytes,
                           sizeof(bytes), bytes); /* nothing fails here */
    }
}

static bool rows_agree(struct sim_array *array)
{
    struct layout layout = array_layout(array, 0);
    uint64_t row = 0;

    return layout_check(&layout, &row) == NULL;
}

static struct sim_array_options shape_of(enum raid_level level)
{
    return (struct sim_array_options){.level = level,
                                      .span_count = 1,
                                      .members_per_span = 4,
                                      .strip_bytes = 8192,
                                      .block_bytes = 512,
                                      .vd_count = 1,
                                      .extent_bytes = 8192 * 32,
                                      .spare_count = 1,
                                      .consistent = true,
                                      .dirty_idle_ms = 200,
                                      .region_bytes = 8192};
}

bool closure_regions(uint64_t seed)
{
    struct vd_request burst[BURST];
    uint8_t bytes[4096];
    static const enum raid_level levels[] = {RAID_LEVEL_5, RAID_LEVEL_6, RAID_LEVEL_1};
    struct sim_array_options options = shape_of(levels[seed % 3]);
    struct sim_world *world = sim_world_create(seed);
    struct sim_array *array = sim_array_create(world, &options);
    struct rng rng;
    bool sound = false;

    rng_seed(&rng, seed ^ 0x4e61);
    if (sim_array_start(array) == 0) {
        rows_write(array, &rng);
        rng_fill(&rng, bytes, sizeof(bytes));
        if (seed % 4 == 0) {
            rows_rest(array);
        } else {
            rows_burst(array, &rng, burst, bytes, 120);
        }
        sim_array_power_cut(array, (enum sim_cut)rng_below(&rng, SIM_CUT_MAX));
        if (sim_array_reload(array) == 0) {
            rows_sync(array);
            sound = rows_agree(array);
        }
    }
    (void)sim_array_stop(array); /* it has been checked */
    sim_array_destroy(array);
    sim_world_destroy(world);
    return sound;
}

static void replace_answered(void *context, int error)
{
    (void)context; /* the power goes before or after */
    (void)error;
}

/* By the record that was found the new drive is the member, or the old one still is, and lost. */
static bool member_rebuild(struct sim_array *array, uint32_t member)
{
    struct vd *vd = sim_array_vd(array, 0);
    const struct geometry *geometry = &vd_config(vd)->geometry;
    struct vd_sync sync = {.vd = vd,
                           .row_count = (uint32_t)geometry_row_count(geometry),
                           .fill = true,
                           .complete = sync_done,
                           .owner = array};

    if (group_config(array->group)->members[member].state != MEMBER_REBUILD &&
        sim_array_replace(array, member, sim_array_spare(array)) != 0) {
        return false;
    }
    vd_sync_submit(vd, &sync);
    if (sim_array_wait(array) != 0) {
        return false;
    }
    group_rebuilt_advance(array->group, member, geometry->extent_bytes);
    return true;
}

/* A member is lost, and everything comes to rest but one row, whose write has set the mark of the
 * label; then others begin as the member is replaced. */
static void replace_under_way(struct sim_array *array, struct rng *rng, uint32_t member,
                              struct vd_request *burst, uint8_t *bytes)
{
    uint32_t spare = sim_array_spare(array);

    sim_drive_pull(sim_array_sim(array, member), true);
    rows_write(array, rng);
    sim_world_advance(array->world, 4 * SIM_SECOND);
    (void)sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, 0, BURST_BYTES,
                       bytes); /* nothing fails here */
    group_member_replace(array->group, member, array->drives[spare], &array->uuids[spare],
                         replace_answered, NULL);
    rows_burst(array, rng, burst, bytes, 50);
}

bool closure_replaced(uint64_t seed)
{
    struct vd_request burst[BURST];
    uint8_t bytes[4096];
    struct sim_array_options options = shape_of(seed % 2 == 0 ? RAID_LEVEL_6 : RAID_LEVEL_1);
    struct sim_world *world = sim_world_create(seed);
    struct sim_array *array = sim_array_create(world, &options);
    struct rng rng;
    uint32_t member = (uint32_t)(seed / 2 % 4);
    bool sound = false;

    rng_seed(&rng, seed ^ 0x7e91);
    rng_fill(&rng, bytes, sizeof(bytes));
    if (sim_array_start(array) == 0) {
        replace_under_way(array, &rng, member, burst, bytes);
        sim_array_power_cut(array, (enum sim_cut)rng_below(&rng, SIM_CUT_MAX));
        if (sim_array_reload(array) == 0 && member_rebuild(array, member)) {
            rows_sync(array);
            sound = rows_agree(array);
        }
    }
    (void)sim_array_stop(array); /* it has been checked */
    sim_array_destroy(array);
    sim_world_destroy(world);
    return sound;
}
