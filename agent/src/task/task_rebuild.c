/*
 * Rebuild of one member: walks the extents of the group's virtual drives in the order of
 * their place on the member. The cursor is the group's (group_rebuilt_bytes): a byte offset on
 * the member's data area, so that virtual drives may come and go while it moves.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "task/task_private.h"

/* The first virtual drive that reaches beyond the cursor, or NULL. */
static struct vd *vd_beyond(const struct group *group, uint64_t cursor_bytes)
{
    struct vd *found = NULL;

    for (uint32_t i = 0; i < group_vd_count(group); i++) {
        struct vd *vd = group_vd(group, i);
        const struct vd_config *config = vd_config(vd);

        if (config->extent_start_bytes + config->geometry.extent_bytes <= cursor_bytes) {
            continue;
        }
        if (found == NULL || config->extent_start_bytes < vd_config(found)->extent_start_bytes) {
            found = vd;
        }
    }
    return found;
}

static uint64_t extent_done(const struct vd_config *config, uint64_t cursor_bytes)
{
    if (cursor_bytes <= config->extent_start_bytes) {
        return 0;
    }
    return min_u64(cursor_bytes - config->extent_start_bytes, config->geometry.extent_bytes);
}

static uint64_t cursor_bytes(const struct task *task)
{
    return group_rebuilt_bytes(task->group, task->member);
}

static bool rebuild_target_is_there(const struct task *task)
{
    const struct member_config *member = &group_config(task->group)->members[task->member];

    return member->state == MEMBER_REBUILD && uuid_equal(&member->drive, &task->drive);
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
    struct vd *vd = vd_beyond(task->group, cursor_bytes(task));
    const struct vd_config *config;
    uint64_t rows;

    *ret_window = (struct task_window){.vd = vd};
    if (vd == NULL) {
        return;
    }
    config = vd_config(vd);
    ret_window->row =
        geometry_rows_within(&config->geometry, extent_done(config, cursor_bytes(task)));
    rows = geometry_row_count(&config->geometry);
    ASSERT(ret_window->row < rows);
    ret_window->row_count = min_u64(rows - ret_window->row, task_rows_per_step(config));
}

static void rebuild_advance(struct task *task, const struct task_window *window)
{
    const struct vd_config *config = vd_config(window->vd);
    uint64_t end = window->row + window->row_count;
    uint64_t done_bytes = end == geometry_row_count(&config->geometry)
                              ? config->geometry.extent_bytes
                              : geometry_bytes_before(&config->geometry, end);

    /* Every step is long enough to move every member on (geometry_rows_abreast). */
    ASSERT(done_bytes > extent_done(config, cursor_bytes(task)));
    group_rebuilt_advance(task->group, task->member, config->extent_start_bytes + done_bytes);
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
    uint64_t done = 0;

    for (uint32_t i = 0; i < group_vd_count(task->group); i++) {
        done += extent_done(vd_config(group_vd(task->group, i)), cursor_bytes(task));
    }
    return done;
}

static uint64_t rebuild_total_bytes(const struct task *task)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < group_vd_count(task->group); i++) {
        total += vd_config(group_vd(task->group, i))->geometry.extent_bytes;
    }
    return total;
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
    task->drive = config->members[member].drive;
    task->resumed_from_bytes = rebuild_done_bytes(task);
    *ret_task = task;
    return 0;
}
