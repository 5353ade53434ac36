/*
 * Measurements of virtual drives (task/measurement.h): whose, when they may be, and that nobody
 * else uses a virtual drive meanwhile.
 *
 *   vd_measure --> its export closes --> it runs --> ended, exported again
 *
 * (1) A virtual drive that is measured is not exported: clients find no such export. With clients
 *     connected, or as a block device of this host, it is not measured at all.
 * (2) What overwrites needs the virtual drive's name typed.
 * (3) Whoever takes the virtual drive away (ctl_vd_unexport) ends its measurement first.
 * (4) Each has exactly one event at its beginning and one at its end. Its figures stay with the
 *     virtual drive until the next one begins or the agent stops.
 */
#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_stripe.h"

/* Rules */

static void refuse_state(const struct ctl_vd *cv, const char *state, struct reason *ret_reason)
{
    reason_set(ret_reason, REASON_WRONG_STATE, "key", cv_config(cv)->name, "state", state, "op",
               ctl_op_said(CTL_OP_VD_MEASURE), NULL);
}

static bool rule_no_users(const struct ctl_vd *cv, struct reason *ret_reason)
{
    const struct ctl_observer *observer = &cv->cg->ctl->observer;
    const char *name = cv_config(cv)->name;
    char path[32] = "";

    if (!rule_unused(cv->cg->ctl, cv->object.key, name, REASON_MEASURE_IN_USE, ret_reason)) {
        return false;
    }
    if (observer->export_device != NULL) {
        observer->export_device(observer->context, cv->object.key, path, sizeof(path));
    }
    if (path[0] != '\0') { /* who has it open is not known here */
        reason_set(ret_reason, REASON_MEASURE_DEVICE, "name", name, "device", path, NULL);
        return false;
    }
    return true;
}

static bool rule_measure_start(const struct ctl_vd *cv, struct reason *ret_reason)
{
    if (cv->measure.active) {
        reason_set(ret_reason, REASON_ALREADY_RUNNING, "operation", "The measurement", NULL);
        return false;
    }
    if (!rule_stripe_free(cv, ret_reason) ||
        !rule_group_running(cv->cg, CTL_OP_VD_MEASURE, ret_reason)) {
        return false;
    }
    if (cv->removing || cv->vd == NULL) {
        return rule_vd_busy(cv, "its deletion", ret_reason);
    }
    if (vd_config(cv->vd)->access == ACCESS_POLICY_BLOCKED) {
        refuse_state(cv, access_policy_word(ACCESS_POLICY_BLOCKED), ret_reason);
        return false;
    }
    if (cv->cached != NULL && vd_cached_is_pinned(cv->cached)) {
        reason_set(ret_reason, REASON_MEASURE_PRESERVED, "name", cv_config(cv)->name, NULL);
        return false;
    }
    return rule_no_users(cv, ret_reason);
}

bool rule_measure(const struct ctl_vd *cv, enum task_action action, struct reason *ret_reason)
{
    if (!rule_online(cv->cg->ctl, ret_reason)) {
        return false;
    }
    if (action == TASK_ACTION_START) {
        return rule_measure_start(cv, ret_reason);
    }
    if (!cv->measure.active) {
        reason_set(ret_reason, REASON_NOT_RUNNING, "operation", "The measurement", NULL);
        return false;
    }
    return true;
}

/* Its life */

static void measure_changed(void *context)
{
    const struct ctl_vd *cv = context;

    ctl_kick(cv->cg->ctl);
}

static const char *measure_what(const struct ctl_measure *measure)
{
    return measurement_overwrites(measurement_plan(measure->run)) ? "its content is overwritten"
                                                                  : "it is only read";
}

static void measure_begin(struct ctl_vd *cv, struct measurement *run)
{
    struct ctl *ctl = cv->cg->ctl;
    char title[PATH_TEXT_BYTES];

    ASSERT(!cv->measure.active);
    measurement_free(cv->measure.run);
    cv->measure = (struct ctl_measure){
        .run = run, .active = true, .began_us = clock_wall_us(ctl->ports.clock)};
    vd_title(cv, title, sizeof(title));
    ctl_event(ctl, EVENT_MEASUREMENT_STARTED, cv->object.key, "virtual_drive", title, "what",
              measure_what(&cv->measure), NULL);
    if (cv->target != NULL && !cv->export_closing) {
        cv->export_closing = true;
        ctl->observer.export_close(ctl->observer.context, cv->target, cv->object.key);
    }
    ctl_kick(ctl);
}

static void measure_end(struct ctl_vd *cv)
{
    struct ctl_measure *measure = &cv->measure;
    struct ctl *ctl = cv->cg->ctl;
    enum measurement_state state = measurement_state(measure->run);
    char title[PATH_TEXT_BYTES];

    ASSERT(measure->active && state != MEASUREMENT_STATE_RUNNING);
    measure->active = false;
    measure->ended_us = clock_wall_us(ctl->ports.clock);
    if (state == MEASUREMENT_STATE_FAILED) {
        measure->why = REASON_MEASURE_FAILED;
    }
    vd_title(cv, title, sizeof(title));
    ctl_event(ctl, EVENT_MEASUREMENT_ENDED, cv->object.key, "virtual_drive", title, "state",
              measurement_state_word(state), NULL);
    ctl_kick(ctl);
}

bool cv_measure_stop(struct ctl_vd *cv, enum reason_code why)
{
    if (!cv->measure.active) {
        return true;
    }
    if (cv->measure.why == REASON_OK &&
        measurement_state(cv->measure.run) == MEASUREMENT_STATE_RUNNING) {
        cv->measure.why = why;
    }
    measurement_stop(cv->measure.run);
    if (measurement_state(cv->measure.run) == MEASUREMENT_STATE_RUNNING) {
        return false; /* requests are under way */
    }
    measure_end(cv);
    return true;
}

void cv_measure_free(struct ctl_vd *cv)
{
    ASSERT(!cv->measure.active);
    cv->measure.run = measurement_free(cv->measure.run);
}

static void measure_work(struct ctl_vd *cv)
{
    struct ctl_measure *measure = &cv->measure;

    if (!measure->started && cv->target == NULL &&
        measurement_state(measure->run) == MEASUREMENT_STATE_RUNNING) {
        ASSERT(cv->vd != NULL); /* (3) */
        measure->started = true;
        measurement_start(measure->run, cv_target(cv));
    }
    if (cv->target == NULL && measurement_state(measure->run) != MEASUREMENT_STATE_RUNNING) {
        measure_end(cv);
        if (!cv->cg->quiescing && cv->cg->ctl->life == CTL_LIFE_ONLINE) {
            ctl_vd_export(cv);
        }
    }
}

void ctl_measures_work(struct ctl *ctl)
{
    LIST_FOR_EACH (group_node, &ctl->groups) {
        struct ctl_group *cg = list_entry(group_node, struct ctl_group, link);

        LIST_FOR_EACH (node, &cg->vds) {
            struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

            if (cv->measure.active) {
                measure_work(cv);
            }
        }
    }
}

/* The document */

void view_measure(const struct ctl_vd *cv, struct measurement_view *view,
                  struct view_digest *digest)
{
    const struct ctl_measure *measure = &cv->measure;

    view->run = measure->run;
    if (measure->run == NULL) {
        return;
    }
    view->state = measure->active ? MEASUREMENT_STATE_RUNNING : measurement_state(measure->run);
    view->began_us = measure->began_us;
    view->ended_us = measure->ended_us;
    reason_set(&view->reason, measure->why, NULL);
    digest_number(digest, false, (uint64_t)view->state);
    digest_number(digest, false, view->began_us);
    for (uint32_t i = 0; i < measurement_plan(measure->run)->load_count; i++) {
        digest_number(digest, false, measurement_result(measure->run, i)->duration_us);
    }
}

/* The command */

static bool measure_is_allowed(const struct ctl_command *command, const struct ctl_vd *cv,
                               struct reason *ret_reason)
{
    const struct measurement_plan *plan = &command->args.vd_measure.plan;
    const struct vd_config *config = cv_config(cv);
    const char *problem =
        measurement_problem(plan, config->size_bytes, config->geometry.block_bytes);

    if (problem != NULL) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", "loads", "problem", problem, NULL);
        return false;
    }
    if (plan->seconds == 0 || plan->seconds > MEASUREMENT_SECONDS_MAX) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", "seconds", "problem",
                   "must be 1 to 600", NULL);
        return false;
    }
    if (!measurement_overwrites(plan)) {
        return true;
    }
    if (config->access == ACCESS_POLICY_READ_ONLY) {
        refuse_state(cv, access_policy_word(config->access), ret_reason);
        return false;
    }
    return rule_confirmed(command->confirm, config->name, ret_reason);
}

static void command_start(struct ctl *ctl, struct ctl_command *command, struct ctl_vd *cv)
{
    struct measurement *run = NULL;
    struct reason reason;

    if (!measure_is_allowed(command, cv, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (measurement_create(&command->args.vd_measure.plan, ctl->ports.clock, rng_u64(&ctl->rng),
                           measure_changed, cv, &run) != 0) {
        reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "loads", "problem",
                   "there is no memory for them at present", NULL);
        command_finish(ctl, &reason);
        return;
    }
    measure_begin(cv, run);
    command_object_add(command, &cv->object);
    command_done(ctl);
}

void command_vd_measure(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_vd *cv = vd_by_key(ctl, command->args.vd_measure.vd);
    enum task_action action = command->args.vd_measure.action;
    struct reason reason;

    if (cv == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key",
                   command->args.vd_measure.vd, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (action != TASK_ACTION_START && action != TASK_ACTION_STOP) {
        reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "action", "problem",
                   "must be start or stop", NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!rule_measure(cv, action, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (action == TASK_ACTION_START) {
        command_start(ctl, command, cv);
        return;
    }
    if (measurement_state(cv->measure.run) == MEASUREMENT_STATE_RUNNING) {
        cv->measure.why = REASON_STOPPED_BY_USER;
        measurement_stop(cv->measure.run); /* the work loop ends it */
    }
    command_object_add(command, &cv->object);
    command_done(ctl);
}
