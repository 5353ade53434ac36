/*
 * Copyback: fills the drive that is to take a member's place (vd/copyback.c). The cursor is the
 * group's (group_copied_bytes).
 */
#include "base/assert.h"
#include "task/task_private.h"

static bool copyback_target_is_there(const struct task *task)
{
    return group_copyback_number(task->group) == task->number;
}

static enum reason_code copyback_obstacle(const struct task *task)
{
    return group_state(task->group) == VIRTUAL_DRIVE_STATE_OFFLINE ? REASON_WRONG_STATE : REASON_OK;
}

static void copyback_next(const struct task *task, struct task_window *ret_window)
{
    task_window_at(task->group, group_copied_bytes(task->group), ret_window);
}

static void copyback_advance(struct task *task, const struct task_window *window)
{
    if (group_copied_bytes(task->group) == window->cursor_bytes) { /* not taken back meanwhile */
        group_copied_advance(task->group, task_window_end(window, window->cursor_bytes));
    }
}

static void copyback_finish(struct task *task, void (*done)(void *context, int error))
{
    group_copyback_finish(task->group, done, task);
}

static uint64_t copyback_done_bytes(const struct task *task)
{
    return task_extents_done(task->group, group_copied_bytes(task->group));
}

static uint64_t copyback_total_bytes(const struct task *task)
{
    return task_extents_done(task->group, UINT64_MAX);
}

static const struct task_kind copyback_kind = {
    .obstacle = copyback_obstacle,
    .target_is_there = copyback_target_is_there,
    .next = copyback_next,
    .advance = copyback_advance,
    .finish = copyback_finish,
    .done_bytes = copyback_done_bytes,
    .total_bytes = copyback_total_bytes,
    .bears_lost_blocks = true,
};

int task_copyback_create(struct group *group, struct clock_port *clock, uint32_t rate_percent,
                         const struct task_observer *observer, struct task **ret_task)
{
    const struct group_config *config = group_config(group);
    struct task *task;
    int error;

    ASSERT(config->copyback.active && group_copyback_number(group) != 0);
    error = task_create(&copyback_kind, group, clock, rate_percent, observer, &task);
    if (error != 0) {
        return error;
    }
    task->operation = OPERATION_KIND_COPYBACK;
    task->member = config->copyback.member;
    task->number = group_copyback_number(group);
    task->resumed_from_bytes = copyback_done_bytes(task);
    *ret_task = task;
    return 0;
}
