/* The frame of a task and the table by which kinds of work differ. Private to task/. */
#ifndef ARRAYWRIGHT_TASK_TASK_PRIVATE_H
#define ARRAYWRIGHT_TASK_TASK_PRIVATE_H

#include "task/task.h"
#include "task/task_progress.h"

/* Syncs of one step, issued together; the next step begins when all have completed. */
#define TASK_STEP_SYNCS 4u
/* Bytes of one member that one sync covers, unless a single strip is longer. */
#define TASK_SYNC_BYTES (256u * 1024u)

/* What to sync next: rows of one virtual drive. */
struct task_window {
    struct vd *vd;
    uint64_t row;
    uint64_t row_count; /* 0: nothing is left */
    uint64_t cursor_bytes; /* task_window_at(): they are behind it */
};

struct task_kind {
    /* REASON_OK, or why the work cannot go on now but may later. */
    enum reason_code (*obstacle)(const struct task *task);
    /* The next rows, at most `rows_max`. */
    void (*next)(const struct task *task, struct task_window *ret_window);
    /* False: what the work is for is gone for good. */
    bool (*target_is_there)(const struct task *task);
    /* Rows of a window are done: move the cursor. */
    void (*advance)(struct task *task, const struct task_window *window);
    /* Everything is done: make that durable, then call finished(task, error). */
    void (*finish)(struct task *task, void (*done)(void *context, int error));
    uint64_t (*done_bytes)(const struct task *task);
    uint64_t (*total_bytes)(const struct task *task);
    /* Goes on after blocks beyond recovery: the group has recorded them as lost. */
    bool bears_lost_blocks;
};

struct task {
    const struct task_kind *kind;
    enum operation_kind operation;
    enum operation_state state;
    enum reason_code reason;
    struct group *group;
    uint32_t member;
    uint64_t number; /* of the rebuild or copyback: the next one may be of the same drive */
    struct vd *vd;
    uint64_t check_row; /* check: rows below are done */
    struct vd_check check;
    struct vd_check check_before; /* as it was when the step began */

    struct clock_port *clock;
    struct task_observer observer;
    struct clock_timer timer; /* the pause between two steps, or the next look at an obstacle */
    uint32_t rate_percent;

    struct vd_sync syncs[TASK_STEP_SYNCS];
    uint32_t syncs_open;
    int step_error;
    struct task_window step;
    uint64_t step_started_us;
    uint64_t step_service_us[GROUP_MEMBERS_MAX]; /* of each drive, when the step began */
    uint64_t step_bytes; /* of one member */
    uint64_t pause_until_us;

    uint64_t checkpoint_us;
    uint64_t checkpoint_done_bytes;
    bool saving; /* a checkpoint or the finish is on its way */
    bool stopping;
    enum reason_code stop_reason;

    struct task_progress progress;
    uint64_t started_us;
    uint64_t ended_us;
    uint64_t resumed_from_bytes;
    struct task_status_view final; /* valid once ended */
};

MUST_CHECK int task_create(const struct task_kind *kind, struct group *group,
                           struct clock_port *clock, uint32_t rate_percent,
                           const struct task_observer *observer, struct task **ret_task);
/* task_extents.c: the rows behind a cursor on a member's data area, where the cursor is after them,
 * and how much of all virtual drives is behind it. */
void task_window_at(const struct group *group, uint64_t cursor_bytes,
                    struct task_window *ret_window);
uint64_t task_window_end(const struct task_window *window, uint64_t cursor_bytes);
uint64_t task_extents_done(const struct group *group, uint64_t cursor_bytes);
uint64_t task_rows_per_step(const struct vd_config *config);
/* Of a virtual drive: what a row has of all its members. */
uint64_t task_row_bytes(const struct task *task);

#endif
