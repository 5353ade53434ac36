/*
 * Patrol read of a controller: each member of a drive group and each hot spare is read from its
 * beginning to its end (task/patrol.h), several at the same time, as one operation. What cannot be
 * read is mended from the rest of its row (vd/mend.c). By itself it begins so many hours after the
 * end of the last one; one that the end of the agent has cut short begins anew.
 *
 * (1) SSDs are left out unless the controller's settings include them; cd_patrol_reason() says so.
 * (2) A drive is read while its group runs and no other operation works on it; meanwhile it waits.
 * (3) Who takes a group's drives or virtual drives away stops their patrols first
 *     (ctl_patrols_of_group_stopped()); nothing is mended while the configuration changes.
 * (4) A drive that ceases to qualify, or fails, is left out of the rest of the patrol.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"

#define HOUR_US UINT64_C(3600000000)
#define PLAN_AGAIN_US UINT64_C(10000000)
#define QUIET_AGAIN_US UINT64_C(100000)

/* Which drives */

static bool in_use(const struct ctl_drive *cd)
{
    if (cd->drive == NULL || !cd->present || cd->departed || cd->gone_noted) {
        return false;
    }
    return cd->group != NULL ? cd->group->phase == CTL_GROUP_RUNNING &&
                                   cg_config(cd->group)->members[cd->member].state == MEMBER_ONLINE
                             : cd->spare && cd->copyback_of == NULL;
}

bool cd_patrol_reason(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!in_use(cd)) {
        reason_set(ret_reason, REASON_PATROL_SKIPS_UNUSED, NULL);
        return true;
    }
    if (cd->identity.media == DRIVE_MEDIA_SSD && !cd->ctl->record->patrol.ssds) {
        reason_set(ret_reason, REASON_PATROL_SKIPS_SSD, NULL);
        return true;
    }
    return false;
}

static uint32_t drives_qualifying(const struct ctl *ctl)
{
    uint32_t count = 0;
    struct reason reason;

    LIST_FOR_EACH (node, &ctl->drives) {
        count += cd_patrol_reason(list_entry(node, const struct ctl_drive, link), &reason) ? 0 : 1;
    }
    return count;
}

/* Nothing else works on the group (2). */
static bool group_is_at_rest(const struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->ctl->operations) {
        const struct ctl_operation *op = list_entry(node, const struct ctl_operation, link);

        if (!op->ended && op->cg == cg) {
            return false;
        }
    }
    return true;
}

/* Events */

static void event_percent(struct ctl *ctl, enum event_id id)
{
    const struct task_status_view *status = &ctl->patrol.op->status;
    char text[16];

    (void)snprintf(text, sizeof(text), "%llu",
                   (unsigned long long)(status->done_bytes / (status->total_bytes / 100 + 1)));
    ctl_event(ctl, id, controller_key(ctl), "percent", text, NULL);
}

static void event_started(struct ctl *ctl)
{
    char drives[16];

    (void)snprintf(drives, sizeof(drives), "%u", ctl->patrol.drives_total);
    ctl_event(ctl, EVENT_PATROL_STARTED, controller_key(ctl), "drives", drives, NULL);
}

static void event_completed(struct ctl *ctl)
{
    char drives[16];
    char errors[24];

    (void)snprintf(drives, sizeof(drives), "%u", ctl->patrol.drives_done);
    (void)snprintf(errors, sizeof(errors), "%llu", (unsigned long long)ctl->patrol.errors);
    ctl_event(ctl, EVENT_PATROL_COMPLETED, controller_key(ctl), "drives", drives, "errors", errors,
              NULL);
}

static void event_why(struct ctl *ctl, const struct ctl_drive *cd, enum reason_code why)
{
    struct reason reason;
    char text[REASON_TEXT_MAX];
    char path[PATH_TEXT_BYTES] = "?";

    if (cd != NULL) {
        drive_path(cd, path, sizeof(path));
    }
    reason_set(&reason, why, "drive", path, NULL);
    (void)reason_text(&reason, text, sizeof(text));
    if (cd != NULL) {
        ctl_event(ctl, EVENT_PATROL_DRIVE_FAILED, cd->identity.key, "drive", path, "why", text,
                  NULL);
    } else {
        ctl_event(ctl, EVENT_PATROL_STOPPED, controller_key(ctl), "why", text, NULL);
    }
}

static void event_uncorrectable(const struct ctl_drive *cd, const char *why)
{
    char path[PATH_TEXT_BYTES];
    char lba[24];

    drive_path(cd, path, sizeof(path));
    (void)snprintf(lba, sizeof(lba), "%llu",
                   (unsigned long long)(cd->patrol.found_bytes / cd->block_bytes));
    ctl_event(cd->ctl, EVENT_PATROL_UNCORRECTABLE, cd->identity.key, "drive", path, "lba", lba,
              "why", why, NULL);
}

/* What a drive's patrol reports */

static bool run_may_read(void *context)
{
    const struct ctl_drive *cd = context;
    struct reason reason;
    bool may = !cd_patrol_reason(cd, &reason) && cd->ctl->life == CTL_LIFE_ONLINE &&
               (cd->group == NULL || (!cd->group->quiescing && group_is_at_rest(cd->group)));

    if (patrol_is_held(cd->patrol.run) == may) {
        ctl_kick(cd->ctl); /* the operation's state may change */
    }
    return may;
}

static void run_found(void *context, uint64_t offset_bytes)
{
    struct ctl_drive *cd = context;

    cd->ctl->patrol.errors++;
    cd->patrol.found = true;
    cd->patrol.found_bytes = offset_bytes;
    ctl_kick(cd->ctl);
}

static void run_progress(void *context)
{
    struct ctl_drive *cd = context;
    struct ctl_patrol *patrol = &cd->ctl->patrol;
    struct task_status_view *status = &patrol->op->status;
    uint64_t now_us = clock_now_us(cd->ctl->ports.clock);
    uint64_t bytes = patrol_done_bytes(cd->patrol.run) - cd->patrol.counted_bytes;

    cd->patrol.read_bytes += bytes;
    cd->patrol.counted_bytes += bytes;
    status->done_bytes = min_u64(status->done_bytes + bytes, status->total_bytes);
    task_progress_note(&patrol->progress, now_us, status->done_bytes);
    if (task_progress_is_due(&patrol->progress, now_us, status->done_bytes, status->total_bytes)) {
        ctl_kick(cd->ctl);
    }
}

static void run_ended(void *context, enum reason_code why)
{
    struct ctl_drive *cd = context;

    cd->patrol.ended = true;
    cd->patrol.why = why;
    ctl_kick(cd->ctl);
}

/* Mending */

static void mend_done(struct vd_sync *sync, int error)
{
    struct ctl_drive *cd = sync->owner;

    ASSERT(cd->patrol.mending);
    cd->patrol.mending = false;
    if (error == -EIO) {
        event_uncorrectable(cd, "the rest of its row does not suffice");
    }
    patrol_go_on(cd->patrol.run); /* what was not tried is found again by the next patrol */
    ctl_kick(cd->ctl);
}

static void found_work(struct ctl_drive *cd)
{
    struct ctl_drive_patrol *patrol = &cd->patrol;

    if (cd->ctl->change != NULL) {
        return; /* its end kicks (3) */
    }
    patrol->found = false;
    if (cd->group == NULL ||
        !group_mend_at(cd->group->group, cd->member, patrol->found_bytes, &patrol->mend)) {
        event_uncorrectable(cd, cd->group == NULL ? "a hot spare has nothing to correct it from"
                                                  : "no virtual drive has data there");
        patrol_go_on(patrol->run);
        return;
    }
    patrol->mending = true;
    patrol->mend.complete = mend_done;
    patrol->mend.owner = cd;
    vd_sync_submit(patrol->mend.vd, &patrol->mend);
}

/* Beginning and end */

/* A block that waits for the end of a change must not keep that waiting. */
static void drive_stop(struct ctl_drive *cd)
{
    patrol_stop(cd->patrol.run, REASON_STOPPED_BY_USER);
    if (cd->patrol.found) {
        cd->patrol.found = false;
        patrol_go_on(cd->patrol.run);
    }
}

static void drive_begin(struct ctl_drive *cd)
{
    const struct patrol_observer observer = {run_may_read, run_found, run_progress, run_ended, cd};
    struct ctl *ctl = cd->ctl;

    if (patrol_create(cd->drive, ctl->ports.clock, ctl->record->patrol.rate_percent, &observer,
                      &cd->patrol.run) != 0) {
        return; /* no memory now: the next turn tries again */
    }
    cd->patrol.due = false;
    cd->patrol.ended = cd->patrol.concluded = false;
    cd->patrol.counted_bytes = 0;
    if (ctl->patrol.op->status.state == OPERATION_STATE_PAUSED) {
        patrol_pause(cd->patrol.run);
    }
    patrol_start(cd->patrol.run);
}

/* It is not read to its end: what is left of it does not count. */
static void drive_leave_out(struct ctl_drive *cd)
{
    struct task_status_view *status = &cd->ctl->patrol.op->status;
    uint64_t left =
        cd->patrol.size_bytes - min_u64(cd->patrol.size_bytes, cd->patrol.counted_bytes);

    status->total_bytes -= min_u64(left, status->total_bytes - status->done_bytes);
}

static void drive_end(struct ctl_drive *cd)
{
    struct ctl *ctl = cd->ctl;

    if (cd->patrol.why == REASON_OK) {
        cd->patrol.done_wall_us = clock_wall_us(ctl->ports.clock);
        ctl->patrol.drives_done++;
    } else {
        if (cd->patrol.why != REASON_STOPPED_BY_USER) {
            event_why(ctl, cd, cd->patrol.why);
        }
        drive_leave_out(cd);
    }
    ASSERT(!cd->patrol.found);
    cd->patrol.concluded = true;
}

void cd_patrol_free(struct ctl_drive *cd)
{
    if (cd->patrol.run != NULL && cd->patrol.concluded && patrol_is_quiet(cd->patrol.run)) {
        cd->patrol.run = patrol_free(cd->patrol.run);
    }
}

bool ctl_patrol_begin(struct ctl *ctl, bool by_user)
{
    struct ctl_patrol *patrol = &ctl->patrol;
    uint64_t total_bytes = 0;
    struct reason reason;

    ASSERT(patrol->op == NULL);
    if (drives_qualifying(ctl) == 0) {
        return false;
    }
    patrol->drives_done = patrol->drives_total = 0;
    patrol->errors = 0;
    patrol->idle = false;
    patrol->stop_why = REASON_OK;
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        cd->patrol.due = !cd_patrol_reason(cd, &reason) && cd->patrol.run == NULL;
        if (cd->patrol.due) {
            cd->patrol.counted_bytes = 0;
            cd->patrol.size_bytes = drive_size_bytes(cd->drive);
            total_bytes += cd->patrol.size_bytes;
            patrol->drives_total++;
        }
    }
    patrol->op = operation_bare_begin(ctl, OPERATION_KIND_PATROL_READ, &ctl->controller, by_user);
    patrol->op->status.total_bytes = total_bytes;
    task_progress_reset(&patrol->progress, clock_now_us(ctl->ports.clock), 0);
    event_started(ctl);
    ctl_kick(ctl);
    return true;
}

void ctl_patrol_stop(struct ctl *ctl, enum reason_code why)
{
    if (ctl->patrol.op != NULL && ctl->patrol.stop_why == REASON_OK) {
        ctl->patrol.stop_why = why;
        ctl_kick(ctl);
    }
}

void ctl_patrol_pause(struct ctl *ctl)
{
    ASSERT(ctl->patrol.op != NULL);
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->patrol.run != NULL) {
            patrol_pause(cd->patrol.run);
        }
    }
    event_percent(ctl, EVENT_PATROL_PAUSED);
    ctl->patrol.op->status.state = OPERATION_STATE_PAUSED;
    ctl->patrol.op->status.reason = REASON_OK;
}

void ctl_patrol_resume(struct ctl *ctl)
{
    ASSERT(ctl->patrol.op != NULL);
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->patrol.run != NULL) {
            patrol_resume(cd->patrol.run);
        }
    }
    ctl->patrol.op->status.state = OPERATION_STATE_RUNNING;
    task_progress_reset(&ctl->patrol.progress, clock_now_us(ctl->ports.clock),
                        ctl->patrol.op->status.done_bytes);
    event_percent(ctl, EVENT_PATROL_RESUMED);
}

void ctl_patrol_rate_set(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->patrol.run != NULL) {
            patrol_rate_set(cd->patrol.run, ctl->record->patrol.rate_percent);
        }
    }
}

static void patrol_end(struct ctl *ctl)
{
    struct ctl_patrol *patrol = &ctl->patrol;
    enum reason_code why = patrol->stop_why;
    struct ctl_operation *op = patrol->op;

    patrol->op = NULL;
    operation_bare_end(op, why == REASON_OK ? OPERATION_STATE_COMPLETED : OPERATION_STATE_STOPPED,
                       why);
    if (why == REASON_OK) {
        event_completed(ctl);
        patrol->completed++;
    } else if (why != REASON_SHUTTING_DOWN) {
        event_why(ctl, NULL, why);
    }
    patrol->plan_due = why != REASON_SHUTTING_DOWN;
    ctl_kick(ctl);
}

/* The plan */

static void plan_saved(struct ctl *ctl, int error, void *context)
{
    (void)context; /* there is one plan */
    ctl->patrol.planning = false;
    if (error != 0) {
        ctl->patrol.completed += ctl->patrol.planned;
        ctl->patrol.plan_due = true;
        ctl->patrol.plan_again_us = clock_now_us(ctl->ports.clock) + PLAN_AGAIN_US;
        ctl_kick_at(ctl, ctl->patrol.plan_again_us);
    }
    ctl->patrol.planned = 0;
    ctl_change_end(ctl);
}

/* What is due at once is not begun at once again when there was nothing to do. */
void ctl_patrol_plan(struct ctl *ctl, struct controller_patrol *plan)
{
    uint64_t delay_us = plan->delay_hours * HOUR_US;

    plan->next_us = clock_wall_us(ctl->ports.clock) +
                    (ctl->patrol.idle ? max_u64(delay_us, HOUR_US) : delay_us);
}

static void plan_work(struct ctl *ctl)
{
    if (clock_now_us(ctl->ports.clock) < ctl->patrol.plan_again_us ||
        !ctl_change_begin(ctl, "patrol read")) {
        return; /* whoever holds it kicks */
    }
    ctl_record_edit(ctl);
    if (ctl->patrol.completed > 0) {
        ctl->record->patrol.iterations += ctl->patrol.completed;
        ctl->record->patrol.last_us = clock_wall_us(ctl->ports.clock);
    }
    ctl_patrol_plan(ctl, &ctl->record->patrol);
    ctl->patrol.planned = ctl->patrol.completed;
    ctl->patrol.completed = 0;
    ctl->patrol.plan_due = false;
    ctl->patrol.planning = true;
    ctl_record_save(ctl, plan_saved, NULL);
}

/* Nothing is under way: is one due? */
static void idle_work(struct ctl *ctl)
{
    const struct controller_patrol *plan = &ctl->record->patrol;
    uint64_t wall_us = clock_wall_us(ctl->ports.clock);

    if (ctl->patrol.plan_due) {
        plan_work(ctl);
        return;
    }
    if (ctl->patrol.planning || plan->mode != PATROL_MODE_AUTO || ctl->change != NULL) {
        return;
    }
    if (plan->next_us == 0) {
        ctl->patrol.plan_due = true;
        plan_work(ctl);
    } else if (wall_us < plan->next_us) {
        /* The wall clock may be set: it is looked at again. */
        ctl_kick_at(ctl,
                    clock_now_us(ctl->ports.clock) + min_u64(plan->next_us - wall_us, HOUR_US));
    } else if (!ctl_patrol_begin(ctl, false)) {
        ctl_event(ctl, EVENT_PATROL_NO_DRIVES, controller_key(ctl), NULL);
        ctl->patrol.idle = true;
        ctl->patrol.plan_due = true;
        plan_work(ctl);
    }
}

/* Work */

static bool is_running(const struct ctl_drive *cd)
{
    return cd->patrol.run != NULL && !cd->patrol.concluded;
}

static void drive_work(struct ctl_drive *cd)
{
    struct ctl *ctl = cd->ctl;
    struct reason reason;
    bool over = ctl->patrol.stop_why != REASON_OK || cd_patrol_reason(cd, &reason); /* (4) */

    if (cd->patrol.due && over) {
        cd->patrol.due = false;
        drive_leave_out(cd);
    }
    if (!is_running(cd)) {
        return;
    }
    if (over) {
        drive_stop(cd);
    } else if (cd->patrol.found) {
        found_work(cd);
    }
    if (cd->patrol.ended) {
        drive_end(cd);
    }
}

static void status_update(struct ctl *ctl, uint32_t running, uint32_t held)
{
    struct task_status_view *status = &ctl->patrol.op->status;
    bool waits = running > 0 && running == held;

    if (status->state != OPERATION_STATE_PAUSED) {
        status->state = waits ? OPERATION_STATE_WAITING : OPERATION_STATE_RUNNING;
        status->reason = waits ? REASON_PATROL_WAITS : REASON_OK;
    }
    status->speed_bytes_per_s =
        status->state == OPERATION_STATE_RUNNING ? task_progress_speed(&ctl->patrol.progress) : 0;
    status->time_left_s = status->state == OPERATION_STATE_RUNNING
                              ? task_progress_time_left_s(&ctl->patrol.progress, status->done_bytes,
                                                          status->total_bytes)
                              : -1;
}

static void active_work(struct ctl *ctl)
{
    uint32_t running = 0;
    uint32_t held = 0;

    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        running += is_running(cd) ? 1u : 0u;
        held += is_running(cd) && patrol_is_held(cd->patrol.run) ? 1u : 0u;
    }
    /* Those that wait keep nobody else waiting. */
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->patrol.due && cd->patrol.run == NULL &&
            running - held < ctl->record->patrol.drives_max) {
            drive_begin(cd);
            running++;
        }
    }
    if (running == 0) {
        patrol_end(ctl);
    } else {
        status_update(ctl, running, held);
    }
}

void ctl_patrol_work(struct ctl *ctl)
{
    if (ctl->patrol.op != NULL) {
        LIST_FOR_EACH (node, &ctl->drives) {
            drive_work(list_entry(node, struct ctl_drive, link));
        }
        active_work(ctl);
    } else if (ctl->life == CTL_LIFE_ONLINE) {
        idle_work(ctl);
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        cd_patrol_free(cd);
        if (cd->patrol.run != NULL && cd->patrol.concluded) {
            ctl_kick_at(ctl, clock_now_us(ctl->ports.clock) + QUIET_AGAIN_US);
        }
    }
}

bool ctl_patrol_stopped(struct ctl *ctl)
{
    ctl_patrol_stop(ctl, REASON_SHUTTING_DOWN);
    return ctl->patrol.op == NULL;
}

bool ctl_patrols_of_group_stopped(struct ctl_group *cg, bool all)
{
    bool stopped = true;

    LIST_FOR_EACH (node, &cg->ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->group != cg || !is_running(cd)) {
            continue;
        }
        if (all) {
            drive_stop(cd);
            stopped = stopped && cd->patrol.ended;
        }
        stopped = stopped && !cd->patrol.mending;
    }
    return stopped;
}

bool rule_patrol(const struct ctl *ctl, enum task_action action, struct reason *ret_reason)
{
    if (!rule_online(ctl, ret_reason)) {
        return false;
    }
    if (action == TASK_ACTION_START && ctl->patrol.op == NULL) {
        if (ctl->record->patrol.mode == PATROL_MODE_DISABLED) {
            reason_set(ret_reason, REASON_PATROL_DISABLED, NULL);
            return false;
        }
        if (drives_qualifying(ctl) == 0) {
            reason_set(ret_reason, REASON_PATROL_NO_DRIVES, NULL);
            return false;
        }
    }
    return rule_operation(ctl->patrol.op, action, "The patrol read", ret_reason);
}

void command_patrol_read(struct ctl *ctl, struct ctl_command *command)
{
    enum task_action action = command->args.task.action;
    struct reason reason;

    if (strcmp(command->args.task.target, controller_key(ctl)) != 0) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "controller", "key",
                   command->args.task.target, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if ((unsigned)action >= TASK_ACTION_MAX) {
        reason_set(&reason, REASON_UNKNOWN_COMMAND, "op", "patrol_read", NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!rule_patrol(ctl, action, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (action == TASK_ACTION_START) {
        bool begun = ctl_patrol_begin(ctl, true);

        ASSERT(begun);
    } else if (action == TASK_ACTION_STOP) {
        ctl_patrol_stop(ctl, REASON_STOPPED_BY_USER);
    } else if (action == TASK_ACTION_PAUSE) {
        ctl_patrol_pause(ctl);
    } else {
        ctl_patrol_resume(ctl);
    }
    command_object_add(command, &ctl->patrol.op->object);
    command_done(ctl);
}
