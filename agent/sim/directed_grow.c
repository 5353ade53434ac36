/*
 * Short stories of a virtual drive that grows over old bytes, while the copies of what it has may
 * differ, or in vain (directed.h).
 */
#include "directed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "sim_array.h"
#include "task/task.h"

#define STRIP_BYTES 8192u
#define ROWS 4u /* and as many again */
#define SECTOR_BYTES 512u

struct growing {
    struct sim_world *world;
    struct sim_array *array;
    struct rng rng;
    struct vd_request request;
    struct task *task;
    uint8_t bytes[ROWS * STRIP_BYTES];
    uint8_t other[ROWS * STRIP_BYTES];
};

static struct growing *growing_begin(uint64_t seed, enum raid_level level, uint32_t width,
                                     bool consistent)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = STRIP_BYTES,
                                        .block_bytes = SECTOR_BYTES,
                                        .vd_count = 2,
                                        .extent_bytes = UINT64_C(1) * ROWS * STRIP_BYTES,
                                        .noise = !consistent,
                                        .consistent = consistent,
                                        .region_bytes = STRIP_BYTES};
    struct growing *growing = calloc(1, sizeof(*growing));
    int error = 0;

    ASSERT(growing != NULL);
    rng_seed(&growing->rng, seed);
    growing->world = sim_world_create(seed);
    growing->array = sim_array_create(growing->world, &options);
    growing->array->config->vd_count = 1;
    error = sim_array_start(growing->array);
    ASSERT(error == 0);
    sim_world_advance(growing->world, SIM_SECOND / 10);
    return growing;
}

static void growing_end(struct growing *growing)
{
    (void)sim_array_stop(growing->array); /* perhaps degraded */
    sim_array_destroy(growing->array);
    sim_world_destroy(growing->world);
    free(growing);
}

static struct vd *vd_of(const struct growing *growing)
{
    return sim_array_vd(growing->array, 0);
}

static void grow_begin(struct growing *growing)
{
    struct geometry geometry = vd_config(vd_of(growing))->geometry;

    geometry.extent_bytes = UINT64_C(2) * ROWS * STRIP_BYTES;
    group_vd_grow(growing->array->group, vd_of(growing), geometry.extent_bytes,
                  geometry_size_bytes(&geometry), sim_array_done, growing->array);
}

static void grow(struct growing *growing)
{
    int error = 0;

    grow_begin(growing);
    error = sim_array_wait(growing->array);
    ASSERT(error == 0);
}

static void io(struct growing *growing, enum vd_op op, uint64_t offset, uint32_t length,
               uint8_t *bytes)
{
    enum vd_status status =
        sim_array_io(growing->array, vd_of(growing), op, op == VD_OP_WRITE, offset, length, bytes);

    ASSERT(status == VD_STATUS_OK);
}

bool directed_grow_fresh(uint64_t seed)
{
    /* So many that a small write rather reads what it replaces, and the parity. */
    struct growing *growing = growing_begin(seed, RAID_LEVEL_5, 5, false);
    uint32_t row_bytes = geometry_row_bytes(&vd_config(vd_of(growing))->geometry);
    uint64_t offset = 0;
    int error = 0;
    bool same = false;

    grow(growing);
    offset = (ROWS + rng_below(&growing->rng, ROWS)) * row_bytes +
             rng_below(&growing->rng, row_bytes / SECTOR_BYTES) * SECTOR_BYTES;
    rng_fill(&growing->rng, growing->bytes, SECTOR_BYTES);
    io(growing, VD_OP_WRITE, offset, SECTOR_BYTES, growing->bytes);
    error = group_member_lose(growing->array->group, (uint32_t)rng_below(&growing->rng, 5),
                              MEMBER_FAILED, REASON_DRIVE_LOST_ABSENT, false);
    ASSERT(error == 0);
    io(growing, VD_OP_READ, offset, SECTOR_BYTES, growing->other);
    same = memcmp(growing->bytes, growing->other, SECTOR_BYTES) == 0;
    growing_end(growing);
    return same;
}

static void request_answered(struct vd_request *request, enum vd_status status)
{
    (void)request; /* the power goes before or after: it is no matter */
    (void)status;
}

static void synced(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

/* All that is not known consistent. */
static void resync(struct growing *growing)
{
    struct vd_sync sync = {.vd = vd_of(growing), .complete = synced, .owner = growing->array};
    uint64_t row_count = 0;

    while (vd_sync_next(sync.vd, ROWS, &sync.row, &row_count)) {
        int error = 0;

        sync.row_count = (uint32_t)row_count;
        vd_sync_submit(sync.vd, &sync);
        error = sim_array_wait(growing->array);
        ASSERT(error == 0);
        vd_sync_advance(sync.vd, sync.row, sync.row_count);
    }
}

bool directed_grow_doubt(uint64_t seed)
{
    struct growing *growing = growing_begin(seed, RAID_LEVEL_1, 2, true);
    uint64_t steps = rng_below(&growing->rng, 40);
    int error = 0;
    bool same = false;

    memset(growing->bytes, 2, sizeof(growing->bytes));
    growing->request = (struct vd_request){.op = VD_OP_WRITE,
                                           .length_bytes = sizeof(growing->bytes),
                                           .buffer = growing->bytes,
                                           .complete = request_answered};
    vd_submit(vd_of(growing), &growing->request);
    while (steps > 0 && sim_world_step(growing->world)) {
        steps--;
    }
    sim_array_power_cut(growing->array, SIM_CUT_DRIVE_RATE);
    error = sim_array_reload(growing->array);
    ASSERT(error == 0);
    grow(growing);
    resync(growing);
    io(growing, VD_OP_FLUSH, 0, 0, NULL);
    sim_drive_peek_durable(sim_array_sim(growing->array, 0), 0, growing->bytes,
                           sizeof(growing->bytes));
    sim_drive_peek_durable(sim_array_sim(growing->array, 1), 0, growing->other,
                           sizeof(growing->other));
    same = memcmp(growing->bytes, growing->other, sizeof(growing->bytes)) == 0;
    growing_end(growing);
    return same;
}

static void task_begin(struct growing *growing)
{
    int error = task_sync_create(vd_of(growing), sim_world_clock(growing->world), 100, NULL,
                                 &growing->task);

    ASSERT(error == 0);
    task_start(growing->task);
}

static bool task_has_ended(void *context)
{
    struct task_status_view status;

    task_status_get(context, &status);
    return status.state == OPERATION_STATE_COMPLETED || status.state == OPERATION_STATE_FAILED ||
           status.state == OPERATION_STATE_STOPPED;
}

/* True: it has made consistent all there is. */
static bool task_end(struct growing *growing)
{
    bool in_time =
        sim_world_run_until(growing->world, task_has_ended, growing->task, 600 * SIM_SECOND);
    struct task_status_view status;

    ASSERT(in_time);
    task_status_get(growing->task, &status);
    growing->task = task_free(growing->task);
    return status.state == OPERATION_STATE_COMPLETED && vd_is_consistent(vd_of(growing));
}

/* In vain: the record with the new size cannot be saved, which shows late enough for a task to have
 * asked for what there seems to be. */
static int grow_undone(struct growing *growing, uint64_t size_bytes)
{
    struct sim_store *store = growing->array->sim_store;
    int error = 0;

    store->latency_max_us = SIM_SECOND;
    store->fail_with = -ENOSPC;
    grow_begin(growing);
    while (vd_config(vd_of(growing))->size_bytes == size_bytes) {
        (void)sim_world_step(growing->world); /* there is always a timer */
    }
    task_begin(growing);
    error = sim_array_wait(growing->array);
    store->fail_with = 0;
    store->latency_max_us = 300;
    return error;
}

bool directed_grow_undone(uint64_t seed)
{
    bool mirrored = seed % 2 == 0;
    struct growing *growing =
        growing_begin(seed, mirrored ? RAID_LEVEL_1 : RAID_LEVEL_5, mirrored ? 2 : 3, seed % 4 < 2);
    uint64_t size_bytes = vd_config(vd_of(growing))->size_bytes;
    bool good = grow_undone(growing, size_bytes) == -ENOSPC;

    good = task_end(growing) && good && vd_config(vd_of(growing))->size_bytes == size_bytes &&
           vd_target(vd_of(growing))->size_bytes == size_bytes;
    if (good) { /* another time it goes, and they are asked for again */
        grow(growing);
        task_begin(growing);
        good = vd_sync_rows_left(vd_of(growing)) == ROWS && task_end(growing);
    }
    growing_end(growing);
    return good;
}
