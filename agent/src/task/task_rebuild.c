/*
 * Rebuild of one member: walks the extents of the group's virtual drives in the order of
 * their place on the member. The cursor is the group's (group_rebuilt_bytes): a byte offset on
 * the member's data area, so that virtual drives may come and go while it moves.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "base/sim_bug.h"
#include "task/task_private.h"

static uint64_t cursor_bytes(const struct task *task)
{
    return group_rebuilt_bytes(task->group, task->member);
}

static bool rebuild_target_is_there(const struct task *task)
{
    const struct member_config *member = &group_config(task->group)->members[task->member];

    return member->state == MEMBER_REBUILD &&
           (group_rebuild_number(task->group, task->member) == task->number ||
            SIM_BUG(REBUILD_GOES_ON));
}

static enum reason_code rebuild_obstacle(const struct task *task)
{
    const struct member_config *member = &group_config(task->group)->members[task->member];

    ASSERT(task->member < group_config(task->group)->member_count);
    if (member->state == MEMBER_REBUILD &&
        group_state(task->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        return REASON_WRONG_STATE;
    }
    return REASON_OK;
}

static void rebuild_next(const struct task *task, struct task_window *ret_window)
{
    task_window_at(task->group, cursor_bytes(task), ret_window);
}

static void rebuild_advance(struct task *task, const struct task_window *window)
{
    const struct vd_config *config = vd_config(window->vd);
    uint64_t end = window->row + window->row_count;

    group_rebuilt_advance(task->group, task->member, task_window_end(window, cursor_bytes(task)));
    /* What fills a member also makes the row consistent; is it in every row? */
    if (task->step_error == 0 &&
        geometry_row_width(&config->geometry) == geometry_member_count(&config->geometry) &&
        vd_consistent_rows(window->vd) >= window->row) {
        vd_consistent_advance(window->vd, end);
    }
}

static void rebuild_finish(struct task *task, void (*done)(void *context, int error))
{
    group_member_rebuilt(task->group, task->member, done, task);
}

static uint64_t rebuild_done_bytes(const struct task *task)
{
    return task_extents_done(task->group, cursor_bytes(task));
}

static uint64_t rebuild_total_bytes(const struct task *task)
{
    return task_extents_done(task->group, UINT64_MAX);
}

static const struct task_kind rebuild_kind = {
    .obstacle = rebuild_obstacle,
    .target_is_there = rebuild_target_is_there,
    .next = rebuild_next,
    .advance = rebuild_advance,
    .finish = rebuild_finish,
    .done_bytes = rebuild_done_bytes,
    .total_bytes = rebuild_total_bytes,
    .bears_lost_blocks = true,
};

int task_rebuild_create(struct group *group, uint32_t member, struct clock_port *clock,
                        uint32_t rate_percent, const struct task_observer *observer,
                        struct task **ret_task)
{
    const struct group_config *config = group_config(group);
    struct task *task;
    int error;

    ASSERT(member < config->member_count);
    ASSERT(config->members[member].state == MEMBER_REBUILD);
    error = task_create(&rebuild_kind, group, clock, rate_percent, observer, &task);
    if (error != 0) {
        return error;
    }
    task->operation = OPERATION_KIND_REBUILD;
    task->member = member;
    task->number = group_rebuild_number(group, member);
    task->resumed_from_bytes = rebuild_done_bytes(task);
    *ret_task = task;
    return 0;
}
