/*
 * vd_expand: a virtual drive grows into the free space of its drive group directly behind it, on
 * the drives it has, with the level and the strip it has (vd/grow.c).
 *
 *   its background initialization stops -> one saved edit of the group -> it goes on, or begins
 *
 * (1) Sizes are those of creation (preview.c): whole rows, a given size is rounded down.
 * (2) Its users stay. They see the new size when they connect again; what they do meanwhile waits
 *     for the edit.
 * (3) Only an optimal one grows: every member takes the new record, and nothing is being filled
 *     whose cursor counts on the old extents.
 * (4) Nothing is written to the new space: it reads as what was there before, as with a creation.
 *     Where there is redundancy its rows are not known consistent until they are initialized.
 * (5) There is no way back: what a deleted virtual drive has left there cannot be restored any
 *     more, and a virtual drive is never made smaller.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_retry.h"
#include "ctl/ctl_stripe.h"

struct expand_run {
    struct ctl *ctl;
    struct ctl_command *command;
    struct ctl_vd *cv;
    uint64_t extent_bytes, size_bytes; /* to be */
    uint64_t old_bytes;
    bool draining;
    struct ctl_retry retry;
};

/* Rules */

static uint64_t expansion_rows(const struct ctl_vd *cv)
{
    const struct vd_config *config = cv_config(cv);

    return geometry_rows_within(&config->geometry, group_space_of(cv->cg, config));
}

/* At least what it has. */
static uint64_t expansion_maximum(const struct ctl_vd *cv)
{
    const struct vd_config *config = cv_config(cv);

    return max_u64(expansion_rows(cv) * geometry_row_bytes(&config->geometry), config->size_bytes);
}

static bool refuse_state(const struct ctl_vd *cv, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    vd_path(cv, path, sizeof(path));
    reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state",
               virtual_drive_state_short(cv_state(cv)), "op", ctl_op_said(CTL_OP_VD_EXPAND), NULL);
    return false;
}

static bool rule_at_rest(const struct ctl_vd *cv, struct reason *ret_reason)
{
    const struct ctl_operation *op = operation_of_vd(cv);

    if (cv->removing || cv->vd == NULL) {
        return rule_vd_busy(cv, "its deletion", ret_reason);
    }
    if (cv->measure.active) {
        return rule_vd_busy(cv, "its measurement", ret_reason);
    }
    if (cg_config(cv->cg)->copyback.active || cv->cg->copyback != NULL) {
        return rule_vd_busy(cv, "a copyback", ret_reason);
    }
    if (operation_of_check(cv) != NULL) {
        return rule_vd_busy(cv, "its consistency check", ret_reason);
    }
    if (op != NULL && op->status.state == OPERATION_STATE_PAUSED) {
        return rule_vd_busy(cv, "its paused initialization", ret_reason); /* it would go on */
    }
    if (cv->cached != NULL && vd_cached_is_pinned(cv->cached)) {
        reason_set(ret_reason, REASON_EXPAND_PRESERVED, "name", cv_config(cv)->name, NULL);
        return false;
    }
    return true;
}

bool rule_expand(const struct ctl_vd *cv, struct reason *ret_reason)
{
    const struct vd_config *config = cv_config(cv);
    char group[PATH_TEXT_BYTES];

    if (!rule_online(cv->cg->ctl, ret_reason) || !rule_stripe_free(cv, ret_reason) ||
        !rule_group_running(cv->cg, CTL_OP_VD_EXPAND, ret_reason)) {
        return false;
    }
    if (cg_state(cv->cg) != VIRTUAL_DRIVE_STATE_OPTIMAL) {
        return refuse_state(cv, ret_reason);
    }
    if (!rule_at_rest(cv, ret_reason)) {
        return false;
    }
    if (expansion_maximum(cv) == config->size_bytes) {
        group_path(cv->cg, group, sizeof(group));
        reason_set(ret_reason, REASON_EXPAND_NO_SPACE, "name", config->name, "group", group, NULL);
        return false;
    }
    return true;
}

static void refuse_size(const struct ctl_vd *cv, struct reason *ret_reason)
{
    const struct vd_config *config = cv_config(cv);
    char size[24];
    char row[24];
    char maximum[24];

    (void)snprintf(size, sizeof(size), "%llu", (unsigned long long)config->size_bytes);
    (void)snprintf(row, sizeof(row), "%u", geometry_row_bytes(&config->geometry));
    (void)snprintf(maximum, sizeof(maximum), "%llu", (unsigned long long)expansion_maximum(cv));
    reason_set(ret_reason, REASON_EXPAND_SIZE, "name", config->name, "size_bytes", size,
               "row_bytes", row, "maximum_bytes", maximum, NULL);
}

/* (1) */
static bool expansion_plan(const struct ctl_vd *cv, uint64_t wanted_bytes,
                           uint64_t *ret_extent_bytes, uint64_t *ret_size_bytes,
                           struct reason *ret_reason)
{
    const struct vd_config *config = cv_config(cv);
    const struct geometry *geometry = &config->geometry;
    uint64_t row_bytes = geometry_row_bytes(geometry);
    uint64_t rows = wanted_bytes != 0 ? wanted_bytes / row_bytes : expansion_rows(cv);

    if (wanted_bytes > expansion_maximum(cv) || rows * row_bytes <= config->size_bytes) {
        refuse_size(cv, ret_reason);
        return false;
    }
    *ret_size_bytes = rows * row_bytes;
    *ret_extent_bytes = wanted_bytes != 0
                            ? max_u64(geometry_extent_for(geometry, rows), geometry->extent_bytes)
                            : align_down_u64(group_space_of(cv->cg, config), geometry->strip_bytes);
    return true;
}

void view_expansion(const struct ctl_vd *cv, struct virtual_drive_view *view,
                    struct view_digest *digest)
{
    view->size_max_bytes = expansion_maximum(cv);
    view->row_bytes = geometry_row_bytes(&cv_config(cv)->geometry);
    digest_number(digest, false, view->size_max_bytes);
}

/* The command */

static void event_expanded(const struct expand_run *run)
{
    char title[PATH_TEXT_BYTES];
    char old[24];
    char size[24];

    vd_title(run->cv, title, sizeof(title));
    (void)snprintf(old, sizeof(old), "%llu", (unsigned long long)run->old_bytes);
    (void)snprintf(size, sizeof(size), "%llu", (unsigned long long)run->size_bytes);
    ctl_event(run->ctl, EVENT_VIRTUAL_DRIVE_EXPANDED, run->cv->object.key, "virtual_drive", title,
              "old_bytes", old, "size_bytes", size, NULL);
}

static void expand_end(struct expand_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;

    run->cv->cg->quiescing = false;
    free(run);
    command_finish(ctl, reason);
}

static void expand_failed(struct expand_run *run, int error)
{
    struct reason reason;

    if (error == -EBUSY) {
        (void)rule_vd_busy(run->cv, "background work", &reason);
    } else if (error == -ENODEV) {
        (void)refuse_state(run->cv, &reason);
    } else {
        reason_from_store(&reason, error);
    }
    expand_end(run, &reason);
}

static void expand_grown(void *context, int error)
{
    struct expand_run *run = context;
    struct reason reason;

    if (ctl_retry_begin(run->ctl, &run->retry, error)) {
        run->draining = true;
        return;
    }
    if (error != 0) {
        expand_failed(run, error);
        return;
    }
    attempt_clear(&run->cv->bgi_attempt);
    run->cv->bgi_stopped = false; /* there is something new to be initialized */
    cv_cache_update(run->cv);     /* what users talk to is a copy */
    event_expanded(run);
    command_object_add(run->command, &run->cv->object);
    reason_set(&reason, REASON_OK, NULL);
    expand_end(run, &reason);
}

/* Until its task has ended; called from the work loop. */
void command_vd_expand_work(struct ctl *ctl)
{
    struct expand_run *run = NULL;

    if (ctl->command->op != CTL_OP_VD_EXPAND || ctl->command->ctl_private == NULL) {
        return;
    }
    run = ctl->command->ctl_private;
    if (!run->draining || ctl_retry_waits(ctl, &run->retry)) {
        return;
    }
    if (!operations_stopped(run->cv->cg, run->cv, REASON_SHUTTING_DOWN)) {
        return;
    }
    run->draining = false;
    group_vd_grow(run->cv->cg->group, run->cv->vd, run->extent_bytes, run->size_bytes, expand_grown,
                  run);
}

void command_vd_expand(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_vd *cv = vd_by_key(ctl, command->args.vd_expand.vd);
    struct expand_run *run = NULL;
    uint64_t extent_bytes = 0;
    uint64_t size_bytes = 0;
    struct reason reason;

    if (cv == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key",
                   command->args.vd_expand.vd, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!rule_expand(cv, &reason) || !expansion_plan(cv, command->args.vd_expand.size_bytes,
                                                     &extent_bytes, &size_bytes, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    *run = (struct expand_run){.ctl = ctl,
                               .command = command,
                               .cv = cv,
                               .extent_bytes = extent_bytes,
                               .size_bytes = size_bytes,
                               .old_bytes = cv_config(cv)->size_bytes,
                               .draining = true};
    cv->cg->quiescing = true;
    command->ctl_private = run;
    ctl_kick(ctl);
}
