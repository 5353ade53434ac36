/*
 * Replacements and background tasks of a simulated life: starts what is needed, and, if asked
 * to tease, pauses, resumes, stops and re-rates at random.
 */
#include <errno.h>

#include "run_private.h"

/* One that was refused is not begun again at the same moment, or no time would pass. */
#define REFUSED_US 20000u

static bool is_final(const struct task *task)
{
    struct task_status_view status;

    task_status_get(task, &status);
    return status.state == OPERATION_STATE_COMPLETED || status.state == OPERATION_STATE_FAILED ||
           status.state == OPERATION_STATE_STOPPED;
}

static void tasks_bury(struct run *run)
{
    for (uint32_t i = 0; i < RUN_TASKS; i++) {
        if (run->tasks[i] != NULL && is_final(run->tasks[i]) && task_is_quiet(run->tasks[i])) {
            struct task_status_view status;

            task_status_get(run->tasks[i], &status);
            run->refused_task_us = status.state == OPERATION_STATE_FAILED && refuse_is_on(run)
                                       ? run->world->now_us
                                       : run->refused_task_us;
            if (status.state == OPERATION_STATE_FAILED && !refuse_is_on(run) &&
                ++run->failed_tasks > 2000) {
                run_fail(run, "tasks fail again and again");
            }
            if (status.state == OPERATION_STATE_COMPLETED) {
                run->result->rebuilds += status.kind == OPERATION_KIND_REBUILD ? 1u : 0u;
                run->result->copybacks += status.kind == OPERATION_KIND_COPYBACK ? 1u : 0u;
                run->result->syncs += status.vd != NULL ? 1u : 0u;
            } else if (status.kind == OPERATION_KIND_COPYBACK &&
                       status.state == OPERATION_STATE_FAILED && run->array->group != NULL) {
                group_copyback_stop(run->array->group, status.reason); /* as the controller does */
            }
            run->tasks[i] = task_free(run->tasks[i]);
        }
    }
}

static struct task **slot_free(struct run *run)
{
    for (uint32_t i = 0; i < RUN_TASKS; i++) {
        if (run->tasks[i] == NULL) {
            return &run->tasks[i];
        }
    }
    return NULL;
}

/* The task of a virtual drive, or of a member: a rebuild or a copyback. */
static bool has_task(const struct run *run, enum operation_kind kind, uint32_t member,
                     const struct vd *vd)
{
    for (uint32_t i = 0; i < RUN_TASKS; i++) {
        struct task_status_view status;

        if (run->tasks[i] == NULL || is_final(run->tasks[i])) {
            continue;
        }
        task_status_get(run->tasks[i], &status);
        if (vd != NULL ? status.vd == vd : status.kind == kind && status.member == member) {
            return true;
        }
    }
    return false;
}

static void task_begin(struct run *run, enum operation_kind kind, uint32_t member, struct vd *vd)
{
    struct task **slot = slot_free(run);
    struct clock_port *clock = sim_world_clock(run->world);
    uint32_t rate = (uint32_t)run_below(run, 101);
    struct group *group = run->array->group;
    int error = 0;

    if (slot == NULL || has_task(run, kind, member, vd) ||
        (run->refused_task_us != 0 && run->world->now_us < run->refused_task_us + REFUSED_US)) {
        return;
    }
    if (vd != NULL) {
        error = task_sync_create(vd, clock, rate, NULL, slot);
    } else if (kind == OPERATION_KIND_COPYBACK) {
        error = task_copyback_create(group, clock, rate, NULL, slot);
    } else {
        error = task_rebuild_create(group, member, clock, rate, NULL, slot);
    }
    ASSERT(error == 0);
    task_start(*slot);
}

static void tasks_tease(struct run *run)
{
    struct task *task = run->tasks[run_below(run, RUN_TASKS)];

    if (task == NULL) {
        return;
    }
    crash_soon(run);
    switch (run_below(run, 4)) {
    case 0:
        task_pause(task);
        break;
    case 1:
        task_rate_set(task, (uint32_t)run_below(run, 101));
        break;
    case 2:
        task_stop(task, REASON_OK);
        break;
    default:
        task_resume(task);
        break;
    }
}

static void tasks_resume(struct run *run)
{
    for (uint32_t i = 0; i < RUN_TASKS; i++) {
        if (run->tasks[i] != NULL) {
            task_rate_set(run->tasks[i], 100);
            task_resume(run->tasks[i]);
        }
    }
}

void tasks_tend(struct run *run, bool tease)
{
    struct group *group = run->array->group;

    tasks_bury(run);
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        if (group_config(group)->members[i].state == MEMBER_REBUILD) {
            task_begin(run, OPERATION_KIND_REBUILD, i, NULL);
        }
    }
    if (group_copyback_drive(group) != NULL && group_config(group)->copyback.active) {
        task_begin(run, OPERATION_KIND_COPYBACK, group_config(group)->copyback.member, NULL);
    }
    for (uint32_t i = 0; i < group_vd_count(group); i++) {
        if (!vd_is_consistent(group_vd(group, i))) {
            task_begin(run, OPERATION_KIND_BACKGROUND_INIT, 0, group_vd(group, i));
        }
    }
    if (!tease) {
        tasks_resume(run);
    } else if (run_chance(run, 10) && run_fires(run, RUN_TEASE)) {
        tasks_tease(run);
    }
}

static bool tasks_are_final(void *context)
{
    const struct run *run = context;

    if (run->mending || run->checking) {
        return false;
    }
    for (uint32_t i = 0; i < RUN_TASKS; i++) {
        if (run->tasks[i] != NULL && (!is_final(run->tasks[i]) || !task_is_quiet(run->tasks[i]))) {
            return false;
        }
    }
    return true;
}

void tasks_end(struct run *run)
{
    for (uint32_t i = 0; i < RUN_TASKS; i++) {
        if (run->tasks[i] != NULL) {
            task_stop(run->tasks[i], REASON_OK);
        }
    }
    if (!sim_world_run_until(run->world, tasks_are_final, run, 600 * SIM_SECOND)) {
        run_fail(run, "a task does not end");
        return;
    }
    tasks_bury(run);
}

static bool drive_is_usable(struct run *run, uint32_t drive)
{
    struct sim_drive *sim = run->array->sims[drive];

    if (sim->gone || sim->hang || sim->write_fails || sim->flush_fails || sim->flush_fails_once ||
        sim->flush_fails_once || !drive_is_idle(run->array->drives[drive])) {
        return false;
    }
    if (!drive_is_present(run->array->drives[drive])) {
        drive_port_attach(run->array->drives[drive], sim_drive_port(sim));
    }
    return true;
}

/* A drive that once was a member and is none now. */
static uint32_t old_drive(struct run *run)
{
    for (uint32_t i = 0; i < run->array->drive_count; i++) {
        bool is_member = i == run->array->twin;

        for (uint32_t place = 0; place < run->array->member_count; place++) {
            is_member = is_member || run->array->place_of[place] == i ||
                        uuid_equal(&group_config(run->array->group)->members[place].drive,
                                   &run->array->uuids[i]);
        }
        if (!is_member && i != sim_array_small_spare(run->array) && drive_is_usable(run, i)) {
            return i;
        }
    }
    return SIM_NO_DRIVE;
}

/* A drive that has no room for all virtual drives is refused, whatever else is the matter. */
static void small_spare_offer(struct run *run, uint32_t member)
{
    uint32_t small = sim_array_small_spare(run->array);

    if (small != SIM_NO_DRIVE && run_chance(run, 25) && run_fires(run, RUN_SMALL_SPARE) &&
        sim_array_replace(run->array, member, small) != -ENOSPC) {
        run_fail(run, "a drive that is too small was not refused");
    }
}

uint32_t drive_free_find(struct run *run)
{
    uint32_t drive = sim_array_spare(run->array);

    return drive != SIM_NO_DRIVE ? drive : old_drive(run);
}

static void member_replace(struct run *run, uint32_t member)
{
    uint32_t drive = drive_free_find(run);
    uint32_t own = run->array->place_of[member];

    small_spare_offer(run, member);
    if (run->result->failed) {
        return;
    }

    /* Its own drive may be good again: then it is rebuilt like any other. */
    if (own != SIM_NO_DRIVE && drive_is_usable(run, own) &&
        (drive == SIM_NO_DRIVE || run_chance(run, 30))) {
        drive = own;
    }
    if (drive == SIM_NO_DRIVE) {
        return;
    }
    if (sim_array_replace(run->array, member, drive) == 0) {
        run->result->replacements++;
    }
}

void members_replace(struct run *run, bool all)
{
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        enum member_state state = group_config(run->array->group)->members[i].state;

        if (state != MEMBER_ONLINE && state != MEMBER_REBUILD && (all || run_chance(run, 5))) {
            member_replace(run, i);
        }
    }
}
