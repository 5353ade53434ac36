/*
 * The frame all background work runs in. One step after the other: look for an obstacle,
 * take the next rows, sync them, move the cursor, perhaps checkpoint, pause as the rate says.
 *
 *   waiting ─start/obstacle gone─► running ─► completed | failed
 *      ▲                            │  ▲
 *      └──────── obstacle ──────────┘  └─resume─ paused ◄─pause─ running, waiting
 *                                                  └─target gone─► failed
 *   any of these ─stop─► (drains, checkpoints) ─► stopped
 *
 * (1) At most one of these is under way: a step (syncs_open > 0), a save, a timer.
 * (2) The cursor moves only after every sync of the step has completed, and only if its target
 *     is still the one that was synced. It lives in the group, so nothing else can disagree.
 * (3) An ended task (completed, failed, stopped) never runs again.
 * (4) The status of an ended task is what it was at its end; the virtual drive it worked on
 *     may be gone by the time somebody asks.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "task/task_pace.h"
#include "task/task_private.h"

#define CHECKPOINT_INTERVAL_US UINT64_C(5000000)
#define CHECKPOINT_BYTES (UINT64_C(1) << 30)
#define OBSTACLE_INTERVAL_US UINT64_C(250000)
#define PAUSED_INTERVAL_US UINT64_C(1000000)

static void task_go_on(struct task *task);

static bool is_ended(enum operation_state state)
{
    return state == OPERATION_STATE_COMPLETED || state == OPERATION_STATE_FAILED ||
           state == OPERATION_STATE_STOPPED;
}

static void status_read(const struct task *task, struct task_status_view *ret_status)
{
    uint64_t done_bytes = task->kind->done_bytes(task);
    uint64_t total_bytes = task->kind->total_bytes(task);
    bool is_running = task->state == OPERATION_STATE_RUNNING;

    *ret_status = (struct task_status_view){
        .kind = task->operation,
        .state = task->state,
        .group = task->group,
        .member = task->member,
        .vd = task->vd,
        .done_bytes = min_u64(done_bytes, total_bytes),
        .total_bytes = total_bytes,
        .speed_bytes_per_s = is_running ? task_progress_speed(&task->progress) : 0,
        .time_left_s =
            is_running ? task_progress_time_left_s(&task->progress,
                                                   min_u64(done_bytes, total_bytes), total_bytes)
                       : -1,
        .started_us = task->started_us,
        .ended_us = task->ended_us,
        .reason = task->reason,
        .resumed_from_bytes = task->resumed_from_bytes,
        .compared_bytes = task->check.compared_bytes,
        .left_out_bytes = task->check.left_out_bytes,
        .unreadable_bytes = task->check.unreadable_bytes,
        .check_row = task->check_row,
    };
}

static void state_set(struct task *task, enum operation_state state, enum reason_code reason)
{
    enum operation_state old = task->state;

    ASSERT(!is_ended(old)); /* (3) */
    ASSERT(old != state || task->reason != reason);
    task->state = state;
    task->reason = reason;
    if (is_ended(state)) {
        ASSERT(task_is_quiet(task));
        task->ended_us = clock_wall_us(task->clock);
        status_read(task, &task->final); /* (4) */
    }
    if (state == OPERATION_STATE_RUNNING) {
        task_progress_reset(&task->progress, clock_now_us(task->clock),
                            task->kind->done_bytes(task));
    }
    if (task->observer.state_changed != NULL) {
        task->observer.state_changed(task->observer.context, task, old);
    }
}

static bool foreground_is_busy(const struct task *task)
{
    const struct group_config *config = group_config(task->group);

    for (uint32_t i = 0; i < config->member_count; i++) {
        const struct drive *drive = group_drive(task->group, i);

        if (drive != NULL && drive_is_foreground_busy(drive)) {
            return true;
        }
    }
    return false;
}

static void timer_arm(struct task *task, uint64_t delay_us)
{
    ASSERT(!task->timer.armed);
    clock_arm(task->clock, &task->timer, clock_now_us(task->clock) + delay_us);
}

static uint64_t background_service_us(const struct task *task, uint32_t member)
{
    const struct drive *drive = group_drive(task->group, member);

    return drive == NULL ? 0 : drive_counters(drive)->background_service_us;
}

static void service_note(struct task *task)
{
    uint32_t count = group_config(task->group)->member_count;

    for (uint32_t i = 0; i < count; i++) {
        task->step_service_us[i] = background_service_us(task, i);
    }
}

/* What the step has taken of the drive that it used most. */
static uint64_t step_service_us(const struct task *task)
{
    uint32_t count = group_config(task->group)->member_count;
    uint64_t most_us = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t service_us = background_service_us(task, i);

        /* Another drive may have come into the place. */
        most_us = max_u64(most_us, service_us - min_u64(service_us, task->step_service_us[i]));
    }
    return most_us;
}

static void drained(struct task *task);

static void checkpoint_done(void *context, int error)
{
    struct task *task = context;

    ASSERT(task->saving);
    task->saving = false;
    task->checkpoint_us = clock_now_us(task->clock);
    /* A checkpoint that failed costs repeated work after a crash, nothing else. */
    if (error == 0) {
        task->checkpoint_done_bytes = task->kind->done_bytes(task);
        if (task->observer.checkpointed != NULL) {
            task->observer.checkpointed(task->observer.context, task);
        }
    }
    drained(task);
}

static void checkpoint(struct task *task)
{
    ASSERT(!task->saving);
    ASSERT(task->syncs_open == 0);
    task->saving = true;
    group_checkpoint(task->group, checkpoint_done, task);
}

static void finish_done(void *context, int error)
{
    struct task *task = context;

    ASSERT(task->saving);
    task->saving = false;
    if (error == 0) {
        state_set(task, OPERATION_STATE_COMPLETED, REASON_OK);
    } else if (task->stopping || error == -EAGAIN) {
        drained(task); /* -EAGAIN: a virtual drive was added meanwhile */
    } else if (error == -ECANCELED) {
        state_set(task, OPERATION_STATE_STOPPED, REASON_SHUTTING_DOWN);
    } else {
        state_set(task, OPERATION_STATE_FAILED,
                  error == -ENODEV ? REASON_DRIVE_GONE : REASON_STORE_FAILED);
    }
}

/* What it was to work on may go meanwhile: then there is nothing to go on with. */
static void paused_look(struct task *task)
{
    ASSERT(task->state == OPERATION_STATE_PAUSED && task_is_quiet(task));
    if (task->kind->target_is_there(task)) {
        timer_arm(task, PAUSED_INTERVAL_US);
    } else {
        state_set(task, OPERATION_STATE_FAILED, REASON_DRIVE_GONE);
    }
}

/* Nothing is under way: what next? */
static void drained(struct task *task)
{
    ASSERT(task_is_quiet(task));
    if (task->stopping) {
        bool is_saved = task->checkpoint_done_bytes == task->kind->done_bytes(task);

        if (is_saved || task->stop_reason == REASON_DRIVE_GONE) {
            state_set(task, OPERATION_STATE_STOPPED, task->stop_reason);
        } else {
            task->checkpoint_done_bytes = task->kind->done_bytes(task);
            checkpoint(task);
        }
        return;
    }
    if (task->state == OPERATION_STATE_PAUSED) {
        paused_look(task);
    } else if (!is_ended(task->state)) {
        task_go_on(task);
    }
}

static void step_failed(struct task *task, int error)
{
    task->check = task->check_before; /* its rows are not done */
    if (error == -EAGAIN) { /* of rows that are not there: what there is is asked for anew */
        drained(task);
        return;
    }
    if (task->stopping || error == -ECANCELED) {
        task->stopping = true;
        if (task->stop_reason == REASON_OK) {
            task->stop_reason = REASON_SHUTTING_DOWN;
        }
        drained(task);
        return;
    }
    if (error == -EROFS) {
        state_set(task, OPERATION_STATE_FAILED, REASON_WRITES_REFUSED);
        return;
    }
    if (error == -EIO || error == -ENOSPC) {
        /* The source went beyond its redundancy: the virtual drive is offline now, or the
         * group lost what we read from. Wait until that is mended. */
        state_set(task, OPERATION_STATE_FAILED,
                  group_state(task->group) == VIRTUAL_DRIVE_STATE_OFFLINE
                      ? REASON_TASK_GROUP_OFFLINE
                      : REASON_DRIVE_LOST_READ_ERRORS);
        return;
    }
    state_set(task, OPERATION_STATE_FAILED, REASON_DRIVE_GONE);
}

static void step_done(struct task *task)
{
    uint64_t now_us = clock_now_us(task->clock);
    uint64_t done_bytes;
    uint64_t total_bytes;

    if (task->step_error != 0 && !(task->step_error == -EIO && task->kind->bears_lost_blocks &&
                                   group_state(task->group) != VIRTUAL_DRIVE_STATE_OFFLINE)) {
        step_failed(task, task->step_error);
        return;
    }
    if (!task->kind->target_is_there(task)) {
        step_failed(task, -ENODEV);
        return;
    }
    task->kind->advance(task, &task->step); /* (2) */
    done_bytes = task->kind->done_bytes(task);
    total_bytes = task->kind->total_bytes(task);
    task_progress_note(&task->progress, now_us, done_bytes);
    if (task_progress_is_due(&task->progress, now_us, min_u64(done_bytes, total_bytes),
                             total_bytes) &&
        task->observer.progress != NULL) {
        task->observer.progress(task->observer.context, task);
    }
    task->pause_until_us = now_us + task_pause_us(task->rate_percent, step_service_us(task),
                                                  now_us - task->step_started_us, task->step_bytes);
    if (!task->stopping && done_bytes < total_bytes &&
        (now_us - task->checkpoint_us >= CHECKPOINT_INTERVAL_US ||
         done_bytes - min_u64(task->checkpoint_done_bytes, done_bytes) >= CHECKPOINT_BYTES)) {
        checkpoint(task);
        return;
    }
    drained(task);
}

static void sync_complete(struct vd_sync *sync, int error)
{
    struct task *task = sync->owner;

    ASSERT(task->syncs_open > 0);
    if (error != 0 && (task->step_error == 0 || error == -EAGAIN || error == -EROFS)) {
        task->step_error = error;
    }
    task->syncs_open--;
    if (task->syncs_open == 0) {
        step_done(task);
    }
}

static uint64_t rows_per_sync(const struct vd_config *config)
{
    uint64_t strips = max_u64(1, TASK_SYNC_BYTES / config->geometry.strip_bytes);
    /* Whole rounds over the spans, so that every member moves by the same number of strips. */
    uint32_t abreast = geometry_rows_abreast(&config->geometry);
    uint64_t rounds = max_u64(1, min_u64(strips, SYNC_ROWS_MAX / abreast));

    return rounds * abreast;
}

uint64_t task_rows_per_step(const struct vd_config *config)
{
    /* A round over very many spans takes a whole step. */
    if (config->geometry.span_count > SYNC_ROWS_MAX) {
        ASSERT(config->geometry.span_count <= SYNC_ROWS_MAX * TASK_STEP_SYNCS);
        return config->geometry.span_count;
    }
    return rows_per_sync(config) * TASK_STEP_SYNCS;
}

static void step_start(struct task *task)
{
    const struct vd_config *config = vd_config(task->step.vd);
    uint64_t per_sync = min_u64(rows_per_sync(config), SYNC_ROWS_MAX);
    uint64_t end = task->step.row + task->step.row_count;
    uint64_t row = task->step.row;
    uint32_t count = 0;

    ASSERT(task->syncs_open == 0);
    task->step_error = 0;
    task->check_before = task->check;
    task->step_started_us = clock_now_us(task->clock);
    service_note(task);
    task->step_bytes = task->step.row_count * config->geometry.strip_bytes /
                       geometry_rows_abreast(&config->geometry);
    while (row < end && count < TASK_STEP_SYNCS) {
        struct vd_sync *sync = &task->syncs[count];

        *sync = (struct vd_sync){
            .vd = task->step.vd,
            .row = row,
            .row_count = (uint32_t)min_u64(per_sync, end - row),
            .fill = task->operation == OPERATION_KIND_REBUILD,
            .copy = task->operation == OPERATION_KIND_COPYBACK,
            .check = task->operation == OPERATION_KIND_CONSISTENCY_CHECK ? &task->check : NULL,
            .complete = sync_complete,
            .owner = task,
        };
        list_init(&sync->link);
        row += sync->row_count;
        count++;
    }
    ASSERT(count > 0);
    ASSERT(row == end);
    task->syncs_open = count;
    for (uint32_t i = 0; i < count; i++) {
        vd_sync_submit(task->step.vd, &task->syncs[i]);
    }
}

static void task_go_on(struct task *task)
{
    uint64_t now_us = clock_now_us(task->clock);
    enum reason_code obstacle = task->kind->obstacle(task);

    ASSERT(task_is_quiet(task));
    if (!task->kind->target_is_there(task)) {
        state_set(task, OPERATION_STATE_FAILED, REASON_DRIVE_GONE);
        return;
    }
    if (obstacle != REASON_OK) {
        if (task->state != OPERATION_STATE_WAITING || task->reason != obstacle) {
            state_set(task, OPERATION_STATE_WAITING, obstacle);
        }
        timer_arm(task, OBSTACLE_INTERVAL_US);
        return;
    }
    if (task->state == OPERATION_STATE_WAITING) {
        state_set(task, OPERATION_STATE_RUNNING, REASON_OK);
    }
    if (now_us < task->pause_until_us && foreground_is_busy(task)) {
        timer_arm(task, min_u64(TASK_PAUSE_SLICE_US, task->pause_until_us - now_us));
        return;
    }
    task->kind->next(task, &task->step);
    if (task->step.vd == NULL || task->step.row_count == 0) {
        task->saving = true;
        task->kind->finish(task, finish_done);
        return;
    }
    step_start(task);
}

static void timer_fire(struct clock_timer *timer)
{
    struct task *task = timer->owner;

    drained(task);
}

int task_create(const struct task_kind *kind, struct group *group, struct clock_port *clock,
                uint32_t rate_percent, const struct task_observer *observer, struct task **ret_task)
{
    struct task *task = calloc(1, sizeof(*task));

    ASSERT(rate_percent <= 100);
    if (task == NULL) {
        return -ENOMEM;
    }
    task->kind = kind;
    task->group = group;
    task->clock = clock;
    task->rate_percent = rate_percent;
    if (observer != NULL) {
        task->observer = *observer;
    }
    task->state = OPERATION_STATE_WAITING;
    task->timer.fire = timer_fire;
    task->timer.owner = task;
    list_init(&task->timer.port_link);
    *ret_task = task;
    return 0;
}

struct task *task_free(struct task *task)
{
    if (task == NULL) {
        return NULL;
    }
    ASSERT(task->started_us == 0 || is_ended(task->state));
    ASSERT(task_is_quiet(task));
    free(task);
    return NULL;
}

void task_start(struct task *task)
{
    ASSERT(task->started_us == 0);
    task->started_us = clock_wall_us(task->clock);
    task->checkpoint_us = clock_now_us(task->clock);
    task->checkpoint_done_bytes = task->kind->done_bytes(task);
    task_progress_reset(&task->progress, task->checkpoint_us, task->checkpoint_done_bytes);
    timer_arm(task, 0);
}

void task_pause(struct task *task)
{
    if (is_ended(task->state) || task->stopping || task->started_us == 0 ||
        task->state == OPERATION_STATE_PAUSED) {
        return;
    }
    clock_cancel(task->clock, &task->timer);
    state_set(task, OPERATION_STATE_PAUSED, REASON_OK);
    if (task_is_quiet(task)) {
        timer_arm(task, PAUSED_INTERVAL_US);
    }
}

void task_resume(struct task *task)
{
    if (task->state != OPERATION_STATE_PAUSED || task->stopping) {
        return;
    }
    clock_cancel(task->clock, &task->timer);
    state_set(task, OPERATION_STATE_RUNNING, REASON_OK);
    if (task_is_quiet(task)) {
        timer_arm(task, 0);
    }
}

void task_stop(struct task *task, enum reason_code why)
{
    if (is_ended(task->state) || task->stopping) {
        return;
    }
    task->stopping = true;
    task->stop_reason = why;
    clock_cancel(task->clock, &task->timer);
    if (task_is_quiet(task)) {
        timer_arm(task, 0); /* ends from the loop, not from inside this call */
    }
}

void task_rate_set(struct task *task, uint32_t rate_percent)
{
    ASSERT(rate_percent <= 100);
    task->rate_percent = rate_percent;
}

bool task_is_quiet(const struct task *task)
{
    return task->syncs_open == 0 && !task->saving && !task->timer.armed;
}

void task_status_get(const struct task *task, struct task_status_view *ret_status)
{
    if (is_ended(task->state)) {
        *ret_status = task->final;
    } else {
        status_read(task, ret_status);
    }
}
