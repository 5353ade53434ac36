/*
 * Documents of drive groups, virtual drives and operations.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/attrs.h"
#include "base/checked.h"
#include "ctl/command_init.h"
#include "ctl/ctl_doubt.h"
#include "ctl/ctl_stripe.h"
#include "ctl/vd_policies.h"

/* Drive groups */

static enum drive_state state_in_place(const struct ctl_group *cg, uint32_t member)
{
    switch (cg_config(cg)->members[member].state) {
    case MEMBER_ONLINE:
        return cg->members[member] != NULL && cg->members[member]->present ? DRIVE_STATE_ONLINE
                                                                           : DRIVE_STATE_MISSING;
    case MEMBER_REBUILD:
        return cg->members[member] != NULL && cg->members[member]->present ? DRIVE_STATE_REBUILD
                                                                           : DRIVE_STATE_MISSING;
    case MEMBER_FAILED:
        return DRIVE_STATE_FAILED;
    case MEMBER_MISSING:
        return DRIVE_STATE_MISSING;
    case MEMBER_OFFLINE:
        return DRIVE_STATE_OFFLINE;
    case MEMBER_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

/* Of a place whose drive is not to be had: missing, whatever became of it before. */
static enum drive_state place_state(const struct ctl_group *cg, uint32_t member)
{
    return cg->members[member] == NULL ? DRIVE_STATE_MISSING : state_in_place(cg, member);
}

static void group_members_view(const struct ctl_group *cg, struct drive_group_view *view)
{
    const struct group_config *config = cg_config(cg);

    view->member_count = config->member_count;
    for (uint32_t i = 0; i < config->member_count; i++) {
        struct member_view *member = &view->members[i];
        const struct ctl_drive *cd = cg->members[i];

        member->span = i / view->drives_per_span;
        member->row = i % view->drives_per_span;
        member->state = place_state(cg, i);
        member->serial = config->members[i].serial;
        member->last_copy = group_config_is_last_copy(config, i);
        if (cd != NULL && !cd->departed) {
            memcpy(member->drive, cd->object.key, sizeof(member->drive));
        }
    }
}

static void group_relations_view(const struct ctl_group *cg, struct drive_group_view *view)
{
    LIST_FOR_EACH (node, &cg->vds) {
        const struct ctl_vd *cv = list_entry(node, const struct ctl_vd, link);

        if (view->vd_count < GROUP_VDS_MAX) {
            memcpy(view->vds[view->vd_count++], cv->object.key, sizeof(view->vds[0]));
        }
    }
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (view->spare_count < COMMAND_SPARES_MAX && spare_serves(cd, cg)) {
            memcpy(view->spares[view->spare_count++], cd->object.key, sizeof(view->spares[0]));
        }
    }
}

/* For the member that is lost, or as if the first one were. */
static void group_choices_view(const struct ctl_group *cg, struct drive_group_view *view)
{
    uint32_t member = 0;

    if (!cg_is_redundant(cg)) {
        return;
    }
    for (uint32_t i = cg_config(cg)->member_count; i > 0; i--) {
        member = cg_member_is_vacant(cg, i - 1) ? i - 1 : member;
    }
    view->choice_count = spare_choices(cg, member, SPARE_CHOICES_MAX, view->choices);
}

static void group_digest(const struct drive_group_view *view, struct view_digest *digest)
{
    digest_text(digest, true, view->path);
    digest_number(digest, true, (uint64_t)view->state);
    digest_number(digest, true, view->size_bytes);
    digest_number(digest, true, view->free_bytes);
    for (uint32_t span = 0; span < view->span_count; span++) {
        digest_number(digest, true, (uint64_t)view->span_states[span]);
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        digest_text(digest, true, view->members[i].drive);
        digest_text(digest, true, view->members[i].serial);
        digest_number(digest, true, (uint64_t)view->members[i].state);
        digest_number(digest, true, view->members[i].last_copy);
    }
    for (uint32_t i = 0; i < view->vd_count; i++) {
        digest_text(digest, true, view->vds[i]);
    }
    for (uint32_t i = 0; i < view->spare_count; i++) {
        digest_text(digest, false, view->spares[i]);
    }
    for (uint32_t i = 0; i < view->choice_count; i++) {
        digest_text(digest, false, view->choices[i].drive);
        digest_number(digest, false, view->choices[i].chosen);
        digest_reason(digest, false, &view->choices[i].reason);
    }
    digest_number(digest, false, view->rebuild_waits);
    if (view->rebuild_waits) {
        digest_reason(digest, false, &view->rebuild_wait);
    }
    digest_blocked(digest, &view->blocked);
}

void view_group(const struct ctl_group *cg, struct drive_group_view *view,
                struct view_digest *digest)
{
    const struct group_config *config = cg_config(cg);
    const struct geometry *geometry = &config->vds[0].geometry;
    struct reason reason UNINITIALIZED;

    memcpy(view->controller, cg->ctl->controller.key, sizeof(view->controller));
    view->index = config->index;
    group_path(cg, view->path, sizeof(view->path));
    view->config = config;
    view->level = geometry->level;
    view->state = cg_state(cg);
    view->span_count = geometry->span_count;
    view->drives_per_span = geometry->members_per_span;
    for (uint32_t span = 0; span < view->span_count; span++) {
        view->span_states[span] = cg_span_state(cg, span);
    }
    view->size_bytes = geometry_data_bytes(geometry, cg_member_usable_bytes(cg));
    view->free_bytes = geometry_data_bytes(geometry, group_space_free(cg));
    group_members_view(cg, view);
    group_relations_view(cg, view);
    group_choices_view(cg, view);
    view->rebuild_waits = cg_rebuild_waits(cg, &view->rebuild_wait);
    if (!rule_group_create(cg, &reason)) {
        blocked_add(&view->blocked, CTL_OP_VD_CREATE, NULL, &reason);
    }
    if (!rule_drive_replace(cg, &reason)) {
        blocked_add(&view->blocked, CTL_OP_DRIVE_REPLACE, NULL, &reason);
    }
    group_digest(view, digest);
}

/* Virtual drives */

static void vd_cache_view(const struct ctl_vd *cv, struct virtual_drive_view *view)
{
    struct vd_cache_view *cache = &view->cache;
    const struct read_stream *streams = NULL;

    if (cv->cached == NULL) {
        return;
    }
    streams = vd_cached_streams(cv->cached);
    cache->present = true;
    cache->dirty_bytes = vd_cached_dirty_bytes(cv->cached);
    cache->idle_ms = vd_cached_idle_ms(cv->cached);
    cache->pinned = vd_cached_is_pinned(cv->cached);
    cache->has_hit_percent = vd_cached_hit_percent(cv->cached, &cache->hit_percent);
    for (uint32_t i = 0; i < READ_STREAMS; i++) {
        if (streams[i].window_rows > 0) {
            cache->streams++;
            cache->window_bytes =
                max_u64(cache->window_bytes, (uint64_t)streams[i].window_rows *
                                                 geometry_row_bytes(&view->config->geometry));
        }
    }
}

static void vd_policies_view(const struct ctl_vd *cv, struct virtual_drive_view *view)
{
    struct policies_subject subject = {.ctl = cv->cg->ctl,
                                       .vd = view->config,
                                       .drives = cv->cg->members,
                                       .drive_count = cg_config(cv->cg)->member_count,
                                       .cg = cv->cg,
                                       .cv = cv,
                                       .asked = cv->policy_asked};

    policies_judge(&subject, &view->policies);
    view->preset = policies_preset(subject.ctl, view->config);
}

static void digest_policy(struct view_digest *digest, const struct policy_view *policy)
{
    digest_text(digest, true, policy->requested);
    digest_text(digest, true, policy->effective);
    digest_reason(digest, true, &policy->reason);
}

static void vd_guarantee_view(const struct ctl_vd *cv, struct virtual_drive_view *view)
{
    static const enum reason_code codes[VD_GUARANTEE_MAX] = {
        [VD_GUARANTEE_NO_REDUNDANCY] = REASON_GUARANTEE_NO_REDUNDANCY,
        [VD_GUARANTEE_MIRROR] = REASON_GUARANTEE_MIRROR,
        [VD_GUARANTEE_JOURNAL] = REASON_GUARANTEE_JOURNAL,
        [VD_GUARANTEE_JOURNAL_AGENT] = REASON_GUARANTEE_JOURNAL_AGENT,
        [VD_GUARANTEE_STRIPE_LOG] = REASON_GUARANTEE_STRIPE_LOG,
        [VD_GUARANTEE_STRIPE_LOG_AUTO] = REASON_GUARANTEE_STRIPE_LOG_AUTO,
        [VD_GUARANTEE_REGION_MAP] = REASON_GUARANTEE_REGION_MAP,
        [VD_GUARANTEE_WHOLE_RESYNC] = REASON_GUARANTEE_WRITE_THROUGH,
    };

    reason_set(&view->guarantee,
               cv->vd != NULL ? codes[vd_guarantee(cv->vd)]
               : geometry_span_tolerance(&view->config->geometry) > 0
                   ? REASON_GUARANTEE_WRITE_THROUGH
                   : REASON_GUARANTEE_NO_REDUNDANCY,
               NULL);
}

void digest_exports(struct view_digest *digest, const struct exports_view *view)
{
    digest_text(digest, false, view->nbd_unix_uri);
    digest_text(digest, false, view->ublk_path);
    digest_text(digest, false, view->nbd_tcp_uri);
    digest_number(digest, false, view->connections);
}

void view_exports(const struct ctl *ctl, const struct vd_target *target, const char *key,
                  struct exports_view *view)
{
    const struct ctl_options *options = &ctl->options;

    if (options->nbd_unix_path[0] != '\0') {
        (void)snprintf(view->nbd_unix_uri, sizeof(view->nbd_unix_uri), "nbd+unix:///%s?socket=%s",
                       target->name, options->nbd_unix_path);
    }
    if (options->nbd_tcp[0] != '\0') {
        (void)snprintf(view->nbd_tcp_uri, sizeof(view->nbd_tcp_uri), "%s://%s/%s",
                       options->nbd_tls ? "nbds" : "nbd", options->nbd_tcp, target->name);
    }
    if (ctl->observer.export_device != NULL) {
        ctl->observer.export_device(ctl->observer.context, key, view->ublk_path,
                                    sizeof(view->ublk_path));
    }
    if (ctl->observer.export_connections != NULL) {
        view->connections = ctl->observer.export_connections(ctl->observer.context, key);
    }
}

static void vd_blocked(const struct ctl_vd *cv, struct blocked *blocked)
{
    static const char *const actions[TASK_ACTION_MAX] = {"start", "stop", "pause", "resume"};
    struct reason reason UNINITIALIZED;

    if (!rule_online(cv->cg->ctl, &reason)) {
        blocked_add(blocked, CTL_OP_VD_DELETE, NULL, &reason);
        blocked_add(blocked, CTL_OP_VD_SET, NULL, &reason);
        blocked_add(blocked, CTL_OP_STRIPE_CREATE, NULL, &reason);
    } else if (!rule_group_running(cv->cg, CTL_OP_VD_SET, &reason)) {
        blocked_add(blocked, CTL_OP_VD_SET, NULL, &reason);
    }
    if (rule_online(cv->cg->ctl, &reason) && !rule_stripe_delete_vd(cv, &reason)) {
        blocked_add(blocked, CTL_OP_VD_DELETE, NULL, &reason);
    }
    if (!rule_expand(cv, &reason)) {
        blocked_add(blocked, CTL_OP_VD_EXPAND, NULL, &reason);
    }
    if (!rule_init(cv, &reason)) {
        blocked_add(blocked, CTL_OP_VD_INIT, NULL, &reason);
    }
    if (!rule_cache_flush(cv, &reason)) {
        blocked_add(blocked, CTL_OP_CACHE_FLUSH, NULL, &reason);
    }
    if (!rule_doubt_clear(cv, &reason)) {
        blocked_add(blocked, CTL_OP_DOUBT_CLEAR, NULL, &reason);
    }
    if (rule_online(cv->cg->ctl, &reason) && !rule_stripe_create(cv, false, &reason)) {
        blocked_add(blocked, CTL_OP_STRIPE_CREATE, NULL, &reason);
    }
    for (uint32_t i = 0; i < TASK_ACTION_MAX; i++) {
        if (!rule_bgi(cv, (enum task_action)i, &reason)) {
            blocked_add(blocked, CTL_OP_BGI, actions[i], &reason);
        }
        if (!rule_check(cv, (enum task_action)i, &reason)) {
            blocked_add(blocked, CTL_OP_CONSISTENCY_CHECK, actions[i], &reason);
        }
        if (i <= TASK_ACTION_STOP && !rule_measure(cv, (enum task_action)i, &reason)) {
            blocked_add(blocked, CTL_OP_VD_MEASURE, actions[i], &reason);
        }
    }
}

void vd_lost_writes_reason(const struct vd_config *config, struct reason *ret_reason)
{
    char bytes[24];

    ASSERT(config->cache_lost);
    if (config->cache_discarded_bytes == 0) {
        reason_set(ret_reason,
                   config->cache_damaged ? REASON_CACHE_LOST_DAMAGED : REASON_CACHE_LOST_MEDIUM,
                   NULL);
        return;
    }
    (void)snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)config->cache_discarded_bytes);
    reason_set(ret_reason, REASON_CACHE_LOST_DISCARDED, "bytes", bytes, NULL);
}

static void vd_digest(const struct virtual_drive_view *view, struct view_digest *digest)
{
    const struct vd_config *config = view->config;

    digest_text(digest, true, config->name);
    digest_text(digest, true, view->path);
    digest_number(digest, true, (uint64_t)view->state);
    digest_number(digest, true, view->consistent);
    digest_number(digest, true, view->drive_failures_left);
    digest_number(digest, true, config->size_bytes);
    digest_policy(digest, &view->policies.write_policy);
    digest_policy(digest, &view->policies.read_policy);
    digest_policy(digest, &view->policies.io_policy);
    digest_policy(digest, &view->policies.drive_cache);
    digest_policy(digest, &view->policies.degraded);
    digest_policy(digest, &view->policies.access);
    digest_policy(digest, &view->policies.stripe_log);
    digest_policy(digest, &view->policies.hedged_reads);
    digest_number(digest, true, config->cache_lost);
    digest_number(digest, true, config->cache_discarded_bytes);
    digest_number(digest, true, config->cache_damaged);
    digest_number(digest, true, view->cache.pinned);
    digest_number(digest, false, view->cache.dirty_bytes);
    digest_number(digest, false, (uint64_t)view->cache_flush);
    digest_number(digest, false, view->cache.hit_percent);
    digest_number(digest, false, view->cache.window_bytes);
    digest_number(digest, false, view->hedged_reads);
    digest_exports(digest, &view->exports);
    digest_number(digest, true, view->lost_blocks);
    digest_number(digest, false, (uint64_t)view->guarantee.code);
    for (uint32_t i = 0; i < view->operation_count; i++) {
        digest_text(digest, false, view->operations[i]);
    }
    digest_blocked(digest, &view->blocked);
}

static void vd_operations_view(const struct ctl_vd *cv, struct virtual_drive_view *view)
{
    LIST_FOR_EACH (node, &cv->cg->ctl->operations) {
        const struct ctl_operation *op = list_entry(node, const struct ctl_operation, link);

        if (!op->ended && op->cg == cv->cg && (op->cv == NULL || op->cv == cv) &&
            view->operation_count < 4) {
            memcpy(view->operations[view->operation_count++], op->object.key,
                   sizeof(view->operations[0]));
        }
    }
}

void view_vd(const struct ctl_vd *cv, struct virtual_drive_view *view, struct view_digest *digest)
{
    const struct vd_config *config = cv_config(cv);
    uint64_t lost_parity = 0; /* is a finding */

    memcpy(view->controller, cv->cg->ctl->controller.key, sizeof(view->controller));
    memcpy(view->group, cv->cg->object.key, sizeof(view->group));
    vd_path(cv, view->path, sizeof(view->path));
    view->config = config;
    view->state = cv_state(cv);
    view->consistent = cv->vd != NULL
                           ? vd_is_consistent(cv->vd)
                           : config->consistent_rows == geometry_row_count(&config->geometry);
    view->drive_failures_left = cv->vd != NULL ? vd_drive_failures_left(cv->vd) : 0;
    cv_bad_blocks_count(cv, &view->lost_blocks, &lost_parity);
    view->hedged_reads = cv->vd != NULL ? vd_hedged_reads(cv->vd) : 0;
    vd_policies_view(cv, view);
    vd_guarantee_view(cv, view);
    if (cv->target != NULL && !cv->export_closing) {
        view_exports(cv->cg->ctl, cv->target, cv->object.key, &view->exports);
    }
    vd_operations_view(cv, view);
    vd_cache_view(cv, view);
    view->cache_flush = cv->flush.state;
    view_stripe(cv, &view->stripe, digest);
    view_measure(cv, &view->measurement, digest);
    view_check(cv, &view->check, digest);
    view_expansion(cv, view, digest);
    vd_blocked(cv, &view->blocked);
    vd_digest(view, digest);
}

/* Operations */

static void operation_blocked(const struct ctl_operation *op, struct blocked *blocked)
{
    enum ctl_op code = op->status.kind == OPERATION_KIND_REBUILD       ? CTL_OP_REBUILD
                       : op->status.kind == OPERATION_KIND_COPYBACK    ? CTL_OP_COPYBACK
                       : op->status.kind == OPERATION_KIND_DRIVE_ERASE ? CTL_OP_DRIVE_ERASE
                       : op->status.kind == OPERATION_KIND_PATROL_READ ? CTL_OP_PATROL_READ
                       : op->status.kind == OPERATION_KIND_CONSISTENCY_CHECK
                           ? CTL_OP_CONSISTENCY_CHECK
                           : CTL_OP_BGI;
    bool paused = op->status.state == OPERATION_STATE_PAUSED;
    struct reason reason UNINITIALIZED;

    if (code == CTL_OP_DRIVE_ERASE) { /* it can only be stopped */
        if (op->ended) {
            reason_set(&reason, REASON_NOT_RUNNING, "operation", "The operation", NULL);
            blocked_add(blocked, code, "stop", &reason);
        }
        return;
    }
    if (op->ended || paused) {
        reason_set(&reason, REASON_NOT_RUNNING, "operation", "The operation", NULL);
        blocked_add(blocked, code, "pause", &reason);
    }
    if (op->ended) {
        blocked_add(blocked, code, "stop", &reason);
        blocked_add(blocked, code, "resume", &reason);
    } else if (!paused) {
        reason_set(&reason, REASON_ALREADY_RUNNING, "operation", "The operation", NULL);
        blocked_add(blocked, code, "resume", &reason);
    }
}

static void operation_digest(const struct operation_view *view, struct view_digest *digest)
{
    digest_number(digest, true, (uint64_t)view->state);
    digest_number(digest, false, view->done_bytes);
    digest_number(digest, false, view->total_bytes);
    digest_number(digest, false, view->speed_bytes_per_s);
    digest_number(digest, false, (uint64_t)view->time_left_s);
    digest_number(digest, true, view->ended_us);
    if (view->has_reason) {
        digest_reason(digest, true, &view->reason);
    }
    digest_blocked(digest, &view->blocked);
}

void view_operation(const struct ctl_operation *op, struct operation_view *view,
                    struct view_digest *digest)
{
    struct task_status_view status = op->status;

    if (op->task != NULL && !op->ended) {
        task_status_get(op->task, &status);
    }
    memcpy(view->controller, op->ctl->controller.key, sizeof(view->controller));
    view->kind = status.kind;
    view->state = status.state;
    view->target_kind = op->target_kind;
    memcpy(view->target, op->target_key, sizeof(view->target));
    memcpy(view->group, op->group_key, sizeof(view->group));
    memcpy(view->source, op->source_key, sizeof(view->source));
    view->done_bytes = min_u64(status.done_bytes, status.total_bytes);
    view->total_bytes = status.total_bytes;
    view->progress_percent = status.total_bytes == 0
                                 ? 100.0
                                 : (double)view->done_bytes * 100.0 / (double)status.total_bytes;
    view->speed_bytes_per_s = status.speed_bytes_per_s;
    view->time_left_s = status.time_left_s;
    view->started_us = status.started_us;
    view->ended_us = status.ended_us;
    view->has_reason = status.reason != REASON_OK;
    if (status.state == OPERATION_STATE_WAITING && status.reason == REASON_WRONG_STATE) {
        reason_set(&view->reason, REASON_WAITS_FOR_REBUILD, NULL);
    } else {
        operation_reason(op, status.reason, &view->reason);
    }
    operation_blocked(op, &view->blocked);
    operation_digest(view, digest);
}
