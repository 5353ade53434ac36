/*
 * Background initialization and resync of one virtual drive: makes row after row consistent.
 * Needs every member; while one is missing it waits, because the rebuild makes the rows
 * consistent on its own way.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "task/task_private.h"

static enum reason_code sync_obstacle(const struct task *task)
{
    return vd_state(task->vd) == VIRTUAL_DRIVE_STATE_OPTIMAL || vd_is_consistent(task->vd)
               ? REASON_OK
               : REASON_WRONG_STATE;
}

static bool sync_target_is_there(const struct task *task)
{
    (void)task; /* the virtual drive outlives the task */
    return true;
}

static void sync_next(const struct task *task, struct task_window *ret_window)
{
    *ret_window = (struct task_window){.vd = task->vd};
    if (!vd_sync_next(task->vd, task_rows_per_step(vd_config(task->vd)), &ret_window->row,
                      &ret_window->row_count)) {
        ret_window->row_count = 0;
    }
}

static void sync_advance(struct task *task, const struct task_window *window)
{
    (void)task;
    vd_sync_advance(window->vd, window->row, window->row_count);
}

static void sync_finish(struct task *task, void (*done)(void *context, int error))
{
    group_checkpoint(task->group, done, task);
}

uint64_t task_row_bytes(const struct task *task)
{
    const struct geometry *geometry = &vd_config(task->vd)->geometry;

    return (uint64_t)geometry->strip_bytes * geometry_row_width(geometry);
}

static uint64_t sync_done_bytes(const struct task *task)
{
    return (geometry_row_count(&vd_config(task->vd)->geometry) - vd_sync_rows_left(task->vd)) *
           task_row_bytes(task);
}

static uint64_t sync_total_bytes(const struct task *task)
{
    return geometry_row_count(&vd_config(task->vd)->geometry) * task_row_bytes(task);
}

static const struct task_kind sync_kind = {
    .obstacle = sync_obstacle,
    .target_is_there = sync_target_is_there,
    .next = sync_next,
    .advance = sync_advance,
    .finish = sync_finish,
    .done_bytes = sync_done_bytes,
    .total_bytes = sync_total_bytes,
    .bears_lost_blocks = true,
};

int task_sync_create(struct vd *vd, struct clock_port *clock, uint32_t rate_percent,
                     const struct task_observer *observer, struct task **ret_task)
{
    const struct vd_config *config = vd_config(vd);
    struct task *task;
    int error;

    ASSERT(config->consistent_rows <= geometry_row_count(&config->geometry));
    error = task_create(&sync_kind, vd_group(vd), clock, rate_percent, observer, &task);
    if (error != 0) {
        return error;
    }
    task->operation = config->resync ? OPERATION_KIND_RESYNC : OPERATION_KIND_BACKGROUND_INIT;
    task->vd = vd;
    task->resumed_from_bytes = sync_done_bytes(task);
    *ret_task = task;
    return 0;
}
