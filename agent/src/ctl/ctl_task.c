/*
 * Background work as operations: starts what is due, keeps the last ended ones as documents.
 *
 * A rebuild is due for every member in rebuild whose drive is there; a background
 * initialization or resync for every redundant virtual drive that is not known consistent;
 * unless a user stopped it. The erase of a drive and a patrol read have their operations here, but
 * no task: they belong to no group (ctl_erase.c, ctl_patrol.c).
 *
 * (1) At most one operation runs per member, and per virtual drive one that makes it consistent and
 *     one that checks it, of which the latter waits.
 * (2) An operation's task is freed only when it has ended and is quiet; its document stays.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

static bool state_is_ended(enum operation_state state)
{
    return state == OPERATION_STATE_COMPLETED || state == OPERATION_STATE_FAILED ||
           state == OPERATION_STATE_STOPPED;
}

void operation_percent_text(const struct task_status_view *status, char out[16])
{
    uint64_t percent =
        status->total_bytes == 0 ? 100 : status->done_bytes / (status->total_bytes / 100 + 1);

    (void)snprintf(out, 16, "%llu", (unsigned long long)percent); /* at most 100 */
}

/* A task knows its drive by its number alone, and of a virtual drive it knows none. */
void operation_reason(const struct ctl_operation *op, enum reason_code code,
                      struct reason *ret_reason)
{
    const struct ctl_drive *cd = drive_by_key(op->ctl, op->target_key);
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES] = "";

    if (op->cg != NULL) {
        group_path(op->cg, group, sizeof(group));
    }
    if (op->target_kind == OBJECT_KIND_DRIVE && cd != NULL) {
        drive_path(cd, path, sizeof(path));
        reason_set(ret_reason, code, "drive", path, "group", group, NULL);
    } else if (code == REASON_DRIVE_GONE) {
        reason_set(ret_reason,
                   op->target_kind == OBJECT_KIND_VIRTUAL_DRIVE ? REASON_TASK_GROUP_OFFLINE
                                                                : REASON_DRIVE_LOST_PULLED,
                   NULL);
    } else {
        reason_set(ret_reason, code, "group", group, NULL);
    }
}

static void failure_text(const struct ctl_operation *op, char *out, size_t capacity)
{
    struct reason reason;

    operation_reason(op, op->status.reason, &reason);
    (void)reason_text(&reason, out, capacity);
}

/* Events of a rebuild */

static void rebuild_begun(struct ctl_operation *op, const char *drive, const char *group)
{
    char percent[16];

    if (op->status.resumed_from_bytes > 0) {
        operation_percent_text(&op->status, percent);
        ctl_event(op->ctl, EVENT_REBUILD_RESUMED, op->target_key, "drive", drive, "percent",
                  percent, NULL);
        return;
    }
    ctl_event(op->ctl, op->by_user ? EVENT_REBUILD_STARTED_USER : EVENT_REBUILD_STARTED_AUTO,
              op->target_key, "drive", drive, "group", group, NULL);
}

static void rebuild_failed(struct ctl_operation *op, const char *drive)
{
    bool target = op->target_lost != REASON_OK || op->status.reason == REASON_DRIVE_GONE;
    char why[REASON_TEXT_MAX];

    failure_text(op, why, sizeof(why));
    ctl_event(op->ctl, target ? EVENT_REBUILD_FAILED_TARGET : EVENT_REBUILD_FAILED_SOURCE,
              op->target_key, "drive", drive, "why", why, NULL);
}

static void rebuild_event(struct ctl_operation *op, enum operation_state old)
{
    const struct ctl_drive *cd = drive_by_key(op->ctl, op->target_key); /* or a spare again */
    char drive[PATH_TEXT_BYTES] = "?";
    char group[PATH_TEXT_BYTES];
    char percent[16];

    if (cd != NULL) {
        drive_path(cd, drive, sizeof(drive));
    }
    group_path(op->cg, group, sizeof(group));
    operation_percent_text(&op->status, percent);
    switch (op->status.state) {
    case OPERATION_STATE_RUNNING:
        if (!op->was_started) {
            op->was_started = true;
            rebuild_begun(op, drive, group);
        } else if (old == OPERATION_STATE_PAUSED) {
            ctl_event(op->ctl, EVENT_REBUILD_RESUMED, op->target_key, "drive", drive, "percent",
                      percent, NULL);
        }
        return;
    case OPERATION_STATE_PAUSED:
        ctl_event(op->ctl, EVENT_REBUILD_PAUSED, op->target_key, "drive", drive, "percent", percent,
                  NULL);
        return;
    case OPERATION_STATE_COMPLETED:
        check_note_rebuilt(op->cg);
        ctl_event(op->ctl, EVENT_REBUILD_COMPLETED, op->target_key, "drive", drive, "group", group,
                  NULL);
        return;
    case OPERATION_STATE_FAILED:
        rebuild_failed(op, drive);
        return;
    case OPERATION_STATE_STOPPED:
        if (op->status.reason != REASON_SHUTTING_DOWN) {
            ctl_event(op->ctl, EVENT_REBUILD_ABORTED, op->target_key, "drive", drive, NULL);
        }
        return;
    case OPERATION_STATE_WAITING:
        return;
    case OPERATION_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

/* Events of a copyback */

static void copyback_begun(struct ctl_operation *op, const char *drive, const char *group)
{
    char percent[16];

    if (op->status.resumed_from_bytes > 0) {
        operation_percent_text(&op->status, percent);
        ctl_event(op->ctl, EVENT_COPYBACK_RESUMED, op->target_key, "drive", drive, "percent",
                  percent, NULL);
        return;
    }
    ctl_event(op->ctl, op->by_user ? EVENT_COPYBACK_STARTED_USER : EVENT_COPYBACK_STARTED_AUTO,
              op->target_key, "drive", drive, "group", group, NULL);
}

static void copyback_event(struct ctl_operation *op, enum operation_state old)
{
    const struct ctl_drive *cd = drive_by_key(op->ctl, op->target_key);
    char drive[PATH_TEXT_BYTES] = "?";
    char group[PATH_TEXT_BYTES];
    char percent[16];
    char why[REASON_TEXT_MAX];

    if (cd != NULL) {
        drive_path(cd, drive, sizeof(drive));
    }
    group_path(op->cg, group, sizeof(group));
    operation_percent_text(&op->status, percent);
    switch (op->status.state) {
    case OPERATION_STATE_RUNNING:
        if (!op->was_started) {
            op->was_started = true;
            copyback_begun(op, drive, group);
        } else if (old == OPERATION_STATE_PAUSED) {
            ctl_event(op->ctl, EVENT_COPYBACK_RESUMED, op->target_key, "drive", drive, "percent",
                      percent, NULL);
        }
        return;
    case OPERATION_STATE_PAUSED:
        ctl_event(op->ctl, EVENT_COPYBACK_PAUSED, op->target_key, "drive", drive, "percent",
                  percent, NULL);
        return;
    case OPERATION_STATE_COMPLETED:
        ctl_event(op->ctl, EVENT_COPYBACK_COMPLETED, op->target_key, "drive", drive, "group", group,
                  NULL);
        return;
    case OPERATION_STATE_FAILED:
        failure_text(op, why, sizeof(why));
        ctl_event(op->ctl, EVENT_COPYBACK_FAILED, op->target_key, "drive", drive, "why", why, NULL);
        return;
    case OPERATION_STATE_STOPPED:
        if (op->status.reason == REASON_STOPPED_BY_USER) {
            ctl_event(op->ctl, EVENT_COPYBACK_ABORTED, op->target_key, "drive", drive, NULL);
        }
        return;
    case OPERATION_STATE_WAITING:
        return;
    case OPERATION_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

/* Events of a background initialization or resync */

static void sync_plain_event(struct ctl_operation *op, enum event_id bgi, enum event_id resync,
                             const char *title)
{
    ctl_event(op->ctl, op->status.kind == OPERATION_KIND_RESYNC ? resync : bgi, op->target_key,
              "virtual_drive", title, NULL);
}

static void sync_failed(struct ctl_operation *op, const char *title)
{
    char why[REASON_TEXT_MAX];

    failure_text(op, why, sizeof(why));
    ctl_event(op->ctl,
              op->status.kind == OPERATION_KIND_RESYNC ? EVENT_RESYNC_FAILED : EVENT_BGI_FAILED,
              op->target_key, "virtual_drive", title, "why", why, NULL);
}

static void sync_event(struct ctl_operation *op, enum operation_state old)
{
    char title[PATH_TEXT_BYTES];
    char percent[16];

    vd_title(op->cv, title, sizeof(title));
    operation_percent_text(&op->status, percent);
    switch (op->status.state) {
    case OPERATION_STATE_RUNNING:
        if (!op->was_started) {
            op->was_started = true;
            sync_plain_event(op, EVENT_BGI_STARTED, EVENT_RESYNC_STARTED, title);
        } else if (old == OPERATION_STATE_PAUSED) {
            ctl_event(op->ctl, EVENT_BGI_RESUMED, op->target_key, "virtual_drive", title, "percent",
                      percent, NULL);
        }
        return;
    case OPERATION_STATE_PAUSED:
        ctl_event(op->ctl, EVENT_BGI_PAUSED, op->target_key, "virtual_drive", title, "percent",
                  percent, NULL);
        return;
    case OPERATION_STATE_COMPLETED:
        sync_plain_event(op, EVENT_BGI_COMPLETED, EVENT_RESYNC_COMPLETED, title);
        return;
    case OPERATION_STATE_FAILED:
        sync_failed(op, title);
        return;
    case OPERATION_STATE_STOPPED:
        if (op->status.reason != REASON_SHUTTING_DOWN) {
            ctl_event(op->ctl, EVENT_BGI_STOPPED, op->target_key, "virtual_drive", title, NULL);
        }
        return;
    case OPERATION_STATE_WAITING:
        return;
    case OPERATION_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

/* Reports of a task */

/* One that a user has stopped is not begun again unasked; one that failed is, after a while. If the
 * target of a rebuild was lost, the next one in that place begins at once: a paused task ends later
 * than that. */
static void end_note(struct ctl_operation *op, bool *stopped, struct ctl_attempt *attempt)
{
    struct reason reason;

    *stopped = *stopped || op->status.reason == REASON_STOPPED_BY_USER;
    if (op->status.state == OPERATION_STATE_COMPLETED) {
        attempt_clear(attempt);
    } else if (op->status.state == OPERATION_STATE_FAILED &&
               (op->target_lost == REASON_OK || op->status.kind != OPERATION_KIND_REBUILD)) {
        operation_reason(op, op->status.reason, &reason);
        (void)attempt_fail(op->ctl, attempt, &reason); /* its own event has told */
    }
}

static void operation_ended(struct ctl_operation *op)
{
    struct ctl_group *cg = op->cg;

    op->ended = true;
    if (op->status.kind == OPERATION_KIND_REBUILD) {
        end_note(op, &cg->rebuild_stopped[op->member], &cg->rebuild_attempts[op->member]);
    } else if (op->status.kind == OPERATION_KIND_COPYBACK) {
        end_note(op, &cg->copyback_stopped, &cg->copyback_attempt);
        cg->copyback_over = op->status.state == OPERATION_STATE_FAILED ||
                            op->status.reason == REASON_STOPPED_BY_USER; /* not from inside it */
    } else if (op->cv != NULL && op->status.kind != OPERATION_KIND_CONSISTENCY_CHECK) {
        end_note(op, &op->cv->bgi_stopped, &op->cv->bgi_attempt);
    }
}

/* The task only notices that its target is gone; the group has told why. */
static void target_loss_apply(struct ctl_operation *op)
{
    if (op->status.state != OPERATION_STATE_FAILED || op->target_lost == REASON_OK) {
        return;
    }
    op->status.reason = op->target_lost;
    if (op->target_lost == REASON_DRIVE_LOST_USER) {
        op->status.state = OPERATION_STATE_STOPPED;
    }
}

static void task_state_changed(void *context, struct task *task, enum operation_state old)
{
    struct ctl_operation *op = context;

    ASSERT(!op->ended);
    task_status_get(task, &op->status);
    target_loss_apply(op);
    if (op->status.kind == OPERATION_KIND_REBUILD) {
        rebuild_event(op, old);
    } else if (op->status.kind == OPERATION_KIND_COPYBACK) {
        copyback_event(op, old);
    } else if (op->status.kind == OPERATION_KIND_CONSISTENCY_CHECK) {
        check_event(op, old);
    } else {
        sync_event(op, old);
    }
    if (state_is_ended(op->status.state)) {
        operation_ended(op);
    }
    ctl_kick(op->ctl);
}

static void task_progress(void *context, struct task *task)
{
    struct ctl_operation *op = context;

    ASSERT(op->task == task);
    ctl_kick(op->ctl);
}

static void task_found(void *context, const struct vd_mismatch *mismatch)
{
    const struct ctl_operation *op = context;

    check_found(op->cv, mismatch);
}

static void task_compared(void *context, uint64_t row, uint64_t row_count)
{
    const struct ctl_operation *op = context;

    check_compared(op->cv, row, row_count);
}

static void task_checkpointed(void *context, struct task *task)
{
    const struct ctl_operation *op = context;

    ASSERT(op->task == task);
    if (op->status.kind == OPERATION_KIND_CONSISTENCY_CHECK) {
        check_keep_place(op);
    }
}

static const struct task_observer *operation_observer(struct ctl_operation *op,
                                                      struct task_observer *observer)
{
    *observer = (struct task_observer){.state_changed = task_state_changed,
                                       .progress = task_progress,
                                       .found = task_found,
                                       .compared = task_compared,
                                       .checkpointed = task_checkpointed,
                                       .context = op};
    return observer;
}

/* Operations */

struct ctl_operation *operation_of_member(const struct ctl_group *cg, uint32_t member)
{
    LIST_FOR_EACH (node, &cg->ctl->operations) {
        struct ctl_operation *op = list_entry(node, struct ctl_operation, link);

        if (!op->ended && op->cg == cg && op->cv == NULL && op->member == member &&
            op->status.kind != OPERATION_KIND_COPYBACK) {
            return op;
        }
    }
    return NULL;
}

struct ctl_operation *operation_of_copyback(const struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->ctl->operations) {
        struct ctl_operation *op = list_entry(node, struct ctl_operation, link);

        if (!op->ended && op->cg == cg && op->status.kind == OPERATION_KIND_COPYBACK) {
            return op;
        }
    }
    return NULL;
}

static struct ctl_operation *operation_on_vd(const struct ctl_vd *cv, bool is_check)
{
    LIST_FOR_EACH (node, &cv->cg->ctl->operations) {
        struct ctl_operation *op = list_entry(node, struct ctl_operation, link);

        if (!op->ended && op->cv == cv &&
            (op->status.kind == OPERATION_KIND_CONSISTENCY_CHECK) == is_check) {
            return op;
        }
    }
    return NULL;
}

struct ctl_operation *operation_of_vd(const struct ctl_vd *cv)
{
    return operation_on_vd(cv, false);
}

struct ctl_operation *operation_of_check(const struct ctl_vd *cv)
{
    return operation_on_vd(cv, true);
}

static struct ctl_operation *operation_new(struct ctl_group *cg)
{
    struct ctl_operation *op = calloc(1, sizeof(*op));

    ASSERT(op != NULL);
    op->ctl = cg->ctl;
    op->cg = cg;
    memcpy(op->group_key, cg->object.key, sizeof(op->group_key));
    return op;
}

static void operation_key(const struct ctl *ctl, char *out, size_t capacity)
{
    (void)snprintf(out, capacity, "op-%llu", (unsigned long long)ctl->host->operation_next++);
}

static void operation_list(struct ctl_operation *op)
{
    struct ctl *ctl = op->ctl;
    char key[32];

    operation_key(ctl, key, sizeof(key));
    object_add(ctl, &op->object, OBJECT_KIND_OPERATION, key, op);
    list_init(&op->link);
    list_push_tail(&ctl->operations, &op->link);
    task_status_get(op->task, &op->status);
    task_start(op->task);
    task_status_get(op->task, &op->status);
}

static void operation_start_rebuild(struct ctl_group *cg, uint32_t member, bool by_user)
{
    struct ctl_operation *op = operation_new(cg);
    struct task_observer observer;
    const struct ctl_drive *cd = cg->members[member];

    ASSERT(cd != NULL && operation_of_member(cg, member) == NULL);
    op->member = member;
    op->by_user = by_user;
    op->target_kind = OBJECT_KIND_DRIVE;
    memcpy(op->target_key, cd->object.key, sizeof(op->target_key));
    if (task_rebuild_create(cg->group, member, cg->ctl->ports.clock,
                            cg->ctl->record->rebuild_rate_percent,
                            operation_observer(op, &observer), &op->task) != 0) {
        free(op); /* no memory now: the next turn tries again */
        return;
    }
    operation_list(op);
}

static void operation_start_sync(struct ctl_vd *cv)
{
    struct ctl_operation *op = operation_new(cv->cg);
    struct task_observer observer;

    ASSERT(cv->vd != NULL && operation_of_vd(cv) == NULL);
    op->cv = cv;
    op->target_kind = OBJECT_KIND_VIRTUAL_DRIVE;
    memcpy(op->target_key, cv->object.key, sizeof(op->target_key));
    if (task_sync_create(cv->vd, cv->cg->ctl->ports.clock, cv->cg->ctl->record->bgi_rate_percent,
                         operation_observer(op, &observer), &op->task) != 0) {
        free(op); /* no memory now: the next turn tries again */
        return;
    }
    operation_list(op);
}

bool operation_start_check(struct ctl_vd *cv, const struct task_check_start *start)
{
    struct ctl_operation *op = operation_new(cv->cg);
    struct task_observer observer;

    ASSERT(cv->vd != NULL && operation_of_check(cv) == NULL);
    op->cv = cv;
    op->by_user = true;
    op->target_kind = OBJECT_KIND_VIRTUAL_DRIVE;
    memcpy(op->target_key, cv->object.key, sizeof(op->target_key));
    if (task_check_create(cv->vd, start, cv->cg->ctl->ports.clock,
                          cv->cg->ctl->record->bgi_rate_percent, operation_observer(op, &observer),
                          &op->task) != 0) {
        free(op);
        return false;
    }
    operation_list(op);
    return true;
}

bool operations_stopped(struct ctl_group *cg, struct ctl_vd *cv, enum reason_code why)
{
    bool all = true;

    LIST_FOR_EACH (node, &cg->ctl->operations) {
        struct ctl_operation *op = list_entry(node, struct ctl_operation, link);

        if (op->task == NULL || op->cg != cg || (cv != NULL && op->cv != cv)) {
            continue;
        }
        if (!op->ended) {
            task_stop(op->task, why);
        }
        all = all && op->ended && task_is_quiet(op->task);
    }
    return ctl_patrols_of_group_stopped(cg, cv == NULL) && all;
}

void operations_rate_set(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->operations) {
        struct ctl_operation *op = list_entry(node, struct ctl_operation, link);

        if (op->task != NULL && !op->ended) {
            task_rate_set(op->task, op->cv == NULL ? ctl->record->rebuild_rate_percent
                                                   : ctl->record->bgi_rate_percent);
        }
    }
}

struct ctl_operation *operation_bare_begin(struct ctl *ctl, enum operation_kind kind,
                                           const struct ctl_object *target, bool by_user)
{
    struct ctl_operation *op = calloc(1, sizeof(*op));
    char key[32];

    ASSERT(op != NULL);
    op->ctl = ctl;
    op->by_user = by_user;
    op->target_kind = target->kind;
    memcpy(op->target_key, target->key, sizeof(op->target_key));
    op->status = (struct task_status_view){.kind = kind,
                                           .state = OPERATION_STATE_RUNNING,
                                           .time_left_s = -1,
                                           .started_us = clock_wall_us(ctl->ports.clock)};
    operation_key(ctl, key, sizeof(key));
    object_add(ctl, &op->object, OBJECT_KIND_OPERATION, key, op);
    list_init(&op->link);
    list_push_tail(&ctl->operations, &op->link);
    return op;
}

void operation_bare_end(struct ctl_operation *op, enum operation_state state, enum reason_code why)
{
    ASSERT(op->cg == NULL && op->task == NULL && !op->ended);
    op->status.state = state;
    op->status.reason = why;
    op->status.speed_bytes_per_s = 0;
    op->status.time_left_s = -1;
    op->status.ended_us = clock_wall_us(op->ctl->ports.clock);
    op->ended = true;
}

/* Work */

static void rebuilds_start(struct ctl_group *cg)
{
    const struct group_config *config = group_config(cg->group);

    for (uint32_t i = 0; i < config->member_count; i++) {
        if (config->members[i].state == MEMBER_REBUILD && group_drive(cg->group, i) != NULL &&
            cg->members[i] != NULL && !cg->rebuild_stopped[i] && !cg->replacing &&
            !cg->rebuild_attempts[i].waits && operation_of_member(cg, i) == NULL) {
            operation_start_rebuild(cg, i, cg->rebuild_by_user[i]);
        }
    }
}

static void operation_start_copyback(struct ctl_group *cg)
{
    struct ctl_operation *op = operation_new(cg);
    struct task_observer observer;

    op->member = cg_config(cg)->copyback.member;
    op->by_user = cg->copyback_by_user;
    op->target_kind = OBJECT_KIND_DRIVE;
    memcpy(op->target_key, cg->copyback->object.key, sizeof(op->target_key));
    if (cg->members[op->member] != NULL) {
        memcpy(op->source_key, cg->members[op->member]->object.key, sizeof(op->source_key));
    }
    op->status.kind = OPERATION_KIND_COPYBACK;
    if (task_copyback_create(cg->group, cg->ctl->ports.clock, cg->ctl->record->rebuild_rate_percent,
                             operation_observer(op, &observer), &op->task) != 0) {
        free(op); /* no memory now: the next turn tries again */
        return;
    }
    operation_list(op);
}

/* What was stopped or has failed is over; what was begun, or was under way at the last stop, goes
 * on. One that failed is begun anew after a while (ctl_copyback.c). */
static void copyback_work(struct ctl_group *cg)
{
    if (cg->copyback_over) {
        cg->copyback_over = false;
        group_copyback_stop(cg->group, REASON_STOPPED_BY_USER);
    } else if (cg->copyback != NULL && group_copyback_drive(cg->group) != NULL &&
               operation_of_copyback(cg) == NULL && cg_config(cg)->copyback.active &&
               !cg->copyback_stopped) {
        operation_start_copyback(cg);
    }
}

static void syncs_start(struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->vds) {
        struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

        if (cv->vd != NULL && !vd_is_consistent(cv->vd) && !cv->bgi_stopped &&
            !cv->bgi_attempt.waits && vd_state(cv->vd) == VIRTUAL_DRIVE_STATE_OPTIMAL &&
            operation_of_vd(cv) == NULL) {
            operation_start_sync(cv);
        }
    }
}

static void operation_close(struct ctl_operation *op)
{
    ASSERT(op->ended);
    if (op->task != NULL && task_is_quiet(op->task)) {
        op->task = task_free(op->task);
        op->cg = NULL;
        op->cv = NULL;
    }
}

static void operation_forget(struct ctl_operation *op)
{
    ASSERT(op->ended && op->task == NULL);
    object_remove(op->ctl, &op->object);
    list_remove(&op->link);
    free(op);
}

static void ended_operations_trim(struct ctl *ctl)
{
    uint32_t ended = 0;

    LIST_FOR_EACH (node, &ctl->operations) {
        struct ctl_operation *op = list_entry(node, struct ctl_operation, link);

        if (op->ended) {
            operation_close(op);
            ended += op->task == NULL ? 1u : 0u;
        }
    }
    LIST_FOR_EACH_SAFE (node, following, &ctl->operations) {
        struct ctl_operation *op = list_entry(node, struct ctl_operation, link);

        if (ended > OPERATIONS_ENDED_MAX && op->ended && op->task == NULL) {
            operation_forget(op);
            ended--;
        }
    }
}

void ctl_tasks_work(struct ctl *ctl)
{
    ended_operations_trim(ctl);
    if (ctl->life != CTL_LIFE_ONLINE) {
        return;
    }
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        if (cg->phase == CTL_GROUP_RUNNING && !cg->quiescing) {
            rebuilds_start(cg);
            copyback_work(cg);
            syncs_start(cg);
            checks_continue(cg);
        }
    }
}

void ctl_operations_free(struct ctl *ctl)
{
    LIST_FOR_EACH_SAFE (node, following, &ctl->operations) {
        struct ctl_operation *op = list_entry(node, struct ctl_operation, link);

        ASSERT(op->ended);
        operation_close(op);
        operation_forget(op);
    }
}
