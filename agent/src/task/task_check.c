/*
 * Consistency check of one virtual drive: row after row is compared (vd/check.c). It waits while
 * anything is amiss that a rebuild, a copyback or an initialization is going to put right: those
 * come first, and what they have not done yet cannot be compared.
 *
 * (1) Whoever keeps the place keeps it when a checkpoint has been made: what was corrected behind
 *     it is durable then, and all that was found there has been told.
 * (2) Without one more drive than the data need there is nothing to compare. Rows that were left
 *     out because a drive went meanwhile are not done: the check waits, and takes them again.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "meta/config_state.h"
#include "task/task_private.h"

static enum reason_code check_obstacle(const struct task *task)
{
    const struct group *group = task->group;
    bool waits = group_state(group) == VIRTUAL_DRIVE_STATE_OFFLINE ||
                 group_config_is_rebuilding(group_config(group)) ||
                 group_copyback_drive(group) != NULL || !vd_is_consistent(task->vd) ||
                 vd_drive_failures_left(task->vd) == 0; /* (2) */

    return waits ? REASON_CHECK_WAITS : REASON_OK;
}

static bool check_target_is_there(const struct task *task)
{
    (void)task; /* the virtual drive outlives the task */
    return true;
}

static uint64_t rows_of(const struct task *task)
{
    return geometry_row_count(&vd_config(task->vd)->geometry);
}

static void check_next(const struct task *task, struct task_window *ret_window)
{
    uint64_t left = rows_of(task) - min_u64(task->check_row, rows_of(task));
    *ret_window =
        (struct task_window){.vd = task->vd,
                             .row = task->check_row,
                             .row_count = min_u64(left, task_rows_per_step(vd_config(task->vd)))};
}

static void check_advance(struct task *task, const struct task_window *window)
{
    bool left_out = task->check.left_out_bytes > task->check_before.left_out_bytes;

    if (left_out && check_obstacle(task) != REASON_OK) { /* (2) */
        task->check = task->check_before;
        return;
    }
    task->check_row = window->row + window->row_count;
    if (!left_out && task->observer.compared != NULL) {
        task->observer.compared(task->observer.context, window->row, window->row_count);
    }
}

/* What was corrected is to stay so. */
static void check_finish(struct task *task, void (*done)(void *context, int error))
{
    group_checkpoint(task->group, done, task);
}

static uint64_t check_done_bytes(const struct task *task)
{
    return task->check_row * task_row_bytes(task);
}

static uint64_t check_total_bytes(const struct task *task)
{
    return rows_of(task) * task_row_bytes(task);
}

static const struct task_kind check_kind = {
    .obstacle = check_obstacle,
    .target_is_there = check_target_is_there,
    .next = check_next,
    .advance = check_advance,
    .finish = check_finish,
    .done_bytes = check_done_bytes,
    .total_bytes = check_total_bytes,
    .bears_lost_blocks = true,
};

static void check_found(void *context, const struct vd_mismatch *mismatch)
{
    struct task *task = context;

    if (task->observer.found != NULL) {
        task->observer.found(task->observer.context, mismatch);
    }
}

int task_check_create(struct vd *vd, const struct task_check_start *start, struct clock_port *clock,
                      uint32_t rate_percent, const struct task_observer *observer,
                      struct task **ret_task)
{
    struct task *task;
    int error = task_create(&check_kind, vd_group(vd), clock, rate_percent, observer, &task);

    if (error != 0) {
        return error;
    }
    task->operation = OPERATION_KIND_CONSISTENCY_CHECK;
    task->vd = vd;
    task->check_row = min_u64(start->row, rows_of(task));
    task->check = (struct vd_check){.correct = start->correct,
                                    .found = check_found,
                                    .context = task,
                                    .compared_bytes = start->compared_bytes,
                                    .left_out_bytes = start->left_out_bytes,
                                    .unreadable_bytes = start->unreadable_bytes};
    task->resumed_from_bytes = check_done_bytes(task);
    *ret_task = task;
    return 0;
}
