/*
 * Background work of a drive group: rebuild of a member, background initialization,
 * resync and consistency check of a virtual drive. One frame: cursor, rate, pause and resume,
 * checkpoint published only after the target's flush (every 30 s or 1 GiB), progress, speed, time
 * left.
 *
 * Rate r: while the foreground is busy the task takes about r percent of the drives' service
 * time, when idle all of it; r = 0 is slow, not stopped (1 MiB/s at least).
 * kill -9 at any moment loses at most the work since the last checkpoint.
 */
#ifndef ARRAYWRIGHT_TASK_TASK_H
#define ARRAYWRIGHT_TASK_TASK_H

#include "base/attrs.h"
#include "base/words.h"
#include "vd/group.h"

struct task;

struct task_observer {
    /* started, resumed, paused, completed, failed, stopped: read it off the task */
    void (*state_changed)(void *context, struct task *task, enum operation_state old);
    void (*progress)(void *context, struct task *task); /* each 1 % or 1 s, not both */
    void (*found)(void *context, const struct vd_mismatch *mismatch); /* check; may be NULL */
    /* Check: nothing of these rows was left out; may be NULL. */
    void (*compared)(void *context, uint64_t row, uint64_t row_count);
    /* Everything behind the cursor is durable, and no step is under way; may be NULL. */
    void (*checkpointed)(void *context, struct task *task);
    void *context;
};

struct task_status_view {
    enum operation_kind kind;
    enum operation_state state;
    struct group *group;
    uint32_t member;              /* rebuild, copyback */
    struct vd *vd;                /* bgi, resync, consistency check */
    uint64_t done_bytes;          /* of member data area (rebuild) or of vd rows x members */
    uint64_t total_bytes;
    uint64_t speed_bytes_per_s;   /* over the last 10 s or so */
    int64_t time_left_s;          /* -1: not known yet */
    uint64_t started_us;          /* wall */
    uint64_t ended_us;            /* wall, 0 while it runs */
    enum reason_code reason;      /* why it failed, stopped or waits */
    uint64_t resumed_from_bytes;
    /* check: of the virtual drive, and of members */
    uint64_t compared_bytes, left_out_bytes, unreadable_bytes;
    uint64_t check_row;           /* rows below are done */
};

/* Where a check begins, and what it has counted on its way there. */
struct task_check_start {
    bool correct; /* what no member explains is made to agree with the data */
    uint64_t row;
    uint64_t compared_bytes, left_out_bytes, unreadable_bytes;
};

MUST_CHECK int task_rebuild_create(struct group *group, uint32_t member, struct clock_port *clock,
                                   uint32_t rate_percent, const struct task_observer *observer,
                                   struct task **ret_task);
/* Of the copyback that the group's configuration names; stopped or failed, it is for the caller to
 * end that too (group_copyback_stop). */
MUST_CHECK int task_copyback_create(struct group *group, struct clock_port *clock,
                                    uint32_t rate_percent, const struct task_observer *observer,
                                    struct task **ret_task);
/* bgi or resync, as the virtual drive's configuration says. */
MUST_CHECK int task_sync_create(struct vd *vd, struct clock_port *clock, uint32_t rate_percent,
                                const struct task_observer *observer, struct task **ret_task);
/* Consistency check. Its cursor is nobody's but the task's: who wants to keep it asks for it when a
 * checkpoint has been made. */
MUST_CHECK int task_check_create(struct vd *vd, const struct task_check_start *start,
                                 struct clock_port *clock, uint32_t rate_percent,
                                 const struct task_observer *observer, struct task **ret_task);
struct task *task_free(struct task *task); /* only in an ended state and when task_is_quiet */

void task_start(struct task *task);
void task_pause(struct task *task);
void task_resume(struct task *task);
/* Ends as stopped after a checkpoint; a rebuild leaves its member in rebuild. */
void task_stop(struct task *task, enum reason_code why);
void task_rate_set(struct task *task, uint32_t rate_percent);
bool task_is_quiet(const struct task *task);
void task_status_get(const struct task *task, struct task_status_view *ret_status);

#endif
