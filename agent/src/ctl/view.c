/*
 * Documents of the host, the controller and its enclosures; digests, by which a refresh finds
 * out what has changed.
 */
#include "ctl/view.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/attrs.h"
#include "base/checked.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_private.h"

/* Digests: eight bytes at a time; only equality with the last one matters. */

static uint64_t digest_step(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ (digest >> 32);
}

void digest_number(struct view_digest *digest, bool config, uint64_t value)
{
    digest->document = digest_step(digest->document, value);
    if (config) {
        digest->config = digest_step(digest->config, value);
    }
}

void digest_text(struct view_digest *digest, bool config, const char *text)
{
    size_t left = strlen(text) + 1; /* with its end: two texts are not one */

    while (left > 0) {
        uint64_t word = 0;
        size_t bytes = left < sizeof(word) ? left : sizeof(word);

        memcpy(&word, text, bytes);
        digest_number(digest, config, word);
        text += bytes;
        left -= bytes;
    }
}

void digest_reason(struct view_digest *digest, bool config, const struct reason *reason)
{
    digest_number(digest, config, (uint64_t)reason->code);
    for (uint32_t i = 0; i < reason->param_count; i++) {
        digest_text(digest, config, reason->params[i].value);
    }
}

void digest_blocked(struct view_digest *digest, const struct blocked *blocked)
{
    for (uint32_t i = 0; i < blocked->count; i++) {
        digest_number(digest, false, (uint64_t)blocked->items[i].op);
        digest_text(digest, false,
                    blocked->items[i].action != NULL ? blocked->items[i].action : "");
        digest_reason(digest, false, &blocked->items[i].reason);
    }
}

void blocked_add(struct blocked *blocked, enum ctl_op op, const char *action,
                 const struct reason *reason)
{
    ASSERT(blocked->count < BLOCKED_MAX);
    blocked->items[blocked->count].op = op;
    blocked->items[blocked->count].action = action;
    reason_copy(&blocked->items[blocked->count].reason, reason);
    blocked->count++;
}

/* The code and the object are health; how it is put is not. */
static void digest_findings(struct view_digest *digest, const struct finding_list *list, bool host)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct finding *finding = &list->items[i];

        if ((finding_kind(finding->code)->object_kind == OBJECT_KIND_HOST) != host) {
            continue;
        }
        digest_number(digest, true, (uint64_t)finding->code);
        digest_text(digest, true, finding->key);
        digest_reason(digest, false, &finding->what);
        digest_reason(digest, false, &finding->cause);
        digest_reason(digest, false, &finding->effect);
        digest_reason(digest, false, &finding->remedy);
    }
}

/* Host and enclosures */

static void view_host(const struct ctl *ctl, struct host_view *view, struct view_digest *digest)
{
    view->hostname = ctl->options.hostname;
    view->os = ctl->options.os;
    view->kernel = ctl->options.kernel;
    view->agent_version = ctl->options.firmware_version;
    view->boot_id = ctl->options.boot_id;
    view->policy_preset = ctl->options.policy_preset;
    view->started_us = ctl->started_wall_us;
    view->findings = ctl->findings;
    digest_text(digest, true, view->hostname);
    digest_findings(digest, view->findings, true);
}

static void view_enclosure(const struct ctl_enclosure *enclosure, struct enclosure_view *view,
                           struct view_digest *digest)
{
    const struct ctl *ctl = enclosure->ctl;

    memcpy(view->controller, ctl->controller.key, sizeof(view->controller));
    (void)snprintf(view->path, sizeof(view->path), "/c%u/e%u", ctl->options.index,
                   enclosure->config->eid); /* always fits */
    view->config = enclosure->config;
    digest_text(digest, true, view->path);
}

/* The controller */

static const char *level_text(enum raid_level level)
{
    switch (level) {
    case RAID_LEVEL_0:
        return "All capacity, most speed; no drive may fail.";
    case RAID_LEVEL_1:
        return "Every drive holds a copy; all but one may fail. Four or more drives make RAID 10 "
               "unless one mirror is asked for.";
    case RAID_LEVEL_5:
        return "One drive's capacity goes to parity; any one drive may fail.";
    case RAID_LEVEL_6:
        return "Two drives' capacity goes to parity; any two drives may fail.";
    case RAID_LEVEL_10:
        return "Striped mirrors; one drive of each mirror may fail.";
    case RAID_LEVEL_50:
        return "Striped RAID 5 spans; one drive of each span may fail.";
    case RAID_LEVEL_60:
        return "Striped RAID 6 spans; two drives of each span may fail.";
    case RAID_LEVEL_1E:
        return "Two copies on neighboring drives, of any number of drives; any one drive may "
               "fail, "
               "and others that are no neighbors.";
    case RAID_LEVEL_MAX:
        break;
    }
    UNREACHABLE();
}

void level_rule(enum raid_level level, struct level_rule_view *ret_rule)
{
    const struct raid_level_info *info = raid_level_info(level);
    uint32_t members_max = info->span_members_max * info->spans_max;

    *ret_rule = (struct level_rule_view){.level = level, .description = level_text(level)};
    ret_rule->drives_min = info->span_members_min * info->spans_min;
    ret_rule->drives_max = members_max < RAID_MEMBERS_MAX ? members_max : RAID_MEMBERS_MAX;
    ret_rule->drives_multiple = 1;
    if (info->striped_spans) {
        ret_rule->drives_per_span_default = info->span_members_min;
        ret_rule->drives_multiple = info->span_members_min;
    } else if (info->mirrored && !info->adjacent_pairs) {
        ret_rule->drives_multiple = 2;
    }
}

static bool controller_may_create(const struct ctl *ctl, struct reason *ret_reason)
{
    struct reason reason UNINITIALIZED;

    if (!rule_online(ctl, ret_reason)) {
        return false;
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (!cd->departed && rule_drive_for_use(cd, LIFE_CREATE, true, true, &reason)) {
            return true;
        }
    }
    LIST_FOR_EACH (node, &ctl->groups) {
        if (rule_group_create(list_entry(node, const struct ctl_group, link), &reason)) {
            return true;
        }
    }
    reason_set(ret_reason, REASON_NO_UNCONFIGURED_DRIVES, NULL);
    return false;
}

static void cache_digest(const struct cache_view *cache, struct view_digest *digest)
{
    digest_number(digest, true, cache->present);
    digest_number(digest, true, (uint64_t)cache->state);
    digest_number(digest, true, cache->stable);
    digest_number(digest, true, cache->survives_power_loss);
    digest_number(digest, false, cache->facts.used_bytes);
    digest_number(digest, false, cache->facts.dirty_bytes);
    digest_number(digest, false, cache->facts.dirty_limit_bytes);
    digest_number(digest, false, cache->facts.pinned_bytes);
    digest_number(digest, false, cache->hit_percent);
    digest_number(digest, false, cache->destage_bytes_per_s);
    for (uint32_t i = 0; i < cache->preserved_count; i++) {
        digest_text(digest, true, cache->preserved[i].vd);
        digest_number(digest, false, cache->preserved[i].bytes);
    }
}

static void patrol_view(const struct ctl *ctl, struct controller_view *view,
                        struct view_digest *digest)
{
    static const char *const actions[TASK_ACTION_MAX] = {"start", "stop", "pause", "resume"};
    const struct ctl_patrol *patrol = &ctl->patrol;
    struct reason reason UNINITIALIZED;

    view->patrol = ctl->record->patrol;
    if (patrol->op != NULL) {
        memcpy(view->patrol_operation, patrol->op->object.key, sizeof(view->patrol_operation));
    }
    view->patrol_drives_done = patrol->drives_done;
    view->patrol_drives_total = patrol->drives_total;
    view->patrol_errors = patrol->errors;
    for (uint32_t i = 0; i < TASK_ACTION_MAX; i++) {
        if (!rule_patrol(ctl, (enum task_action)i, &reason)) {
            blocked_add(&view->blocked, CTL_OP_PATROL_READ, actions[i], &reason);
        }
    }
    digest_number(digest, true, (uint64_t)view->patrol.mode);
    digest_number(digest, true, view->patrol.rate_percent);
    digest_number(digest, true, view->patrol.delay_hours);
    digest_number(digest, true, view->patrol.drives_max);
    digest_number(digest, true, view->patrol.ssds);
    digest_number(digest, false, view->patrol.next_us);
    digest_number(digest, false, view->patrol.last_us);
    digest_number(digest, false, view->patrol.iterations);
    digest_text(digest, false, view->patrol_operation);
    digest_number(digest, false, view->patrol_drives_done);
    digest_number(digest, false, view->patrol_drives_total);
    digest_number(digest, false, view->patrol_errors);
}

void view_controller(const struct ctl *ctl, struct controller_view *view,
                     struct view_digest *digest)
{
    const struct controller_profile *profile = &ctl->options.profile;
    struct reason reason UNINITIALIZED;

    view->index = ctl->options.index;
    controller_path(ctl, view->path, sizeof(view->path));
    view->uuid = ctl->record->controller;
    view->model = ctl->options.model;
    view->serial = ctl->serial;
    view->firmware_version = ctl->options.firmware_version;
    view->profile = ctl->options.profile.name;
    view->findings = ctl->findings;
    view->findings_whole = !ctl_is_starting(ctl);
    view->status = findings_status(ctl->findings);
    if (view->status == CONTROLLER_STATUS_OPTIMAL && ctl_is_starting(ctl)) {
        view->status = CONTROLLER_STATUS_STARTING; /* the rest is not known yet */
    }
    view->rebuild_rate_percent = ctl->record->rebuild_rate_percent;
    view->bgi_rate_percent = ctl->record->bgi_rate_percent;
    view->glitch_seconds = ctl->record->glitch_seconds;
    view->coercion = ctl->record->coercion;
    view->auto_rebuild = ctl->record->auto_rebuild;
    patrol_view(ctl, view, digest);
    view->emergency_spare = ctl->record->emergency_spare;
    view->emergency_unconfigured = ctl->record->emergency_unconfigured;
    view->mixed_media = ctl->record->mixed_media;
    view->mixed_interfaces = ctl->record->mixed_interfaces;
    view->copyback = ctl->record->copyback;
    view->predictive_copyback = ctl->record->predictive_copyback;
    view->has_battery = battery_is_fitted(ctl);
    view->battery = ctl->battery.verdict.state;
    view->no_battery_rule = profile->no_battery_rule;
    view->capabilities = profile;
    for (uint32_t i = 0; i < RAID_LEVEL_MAX; i++) {
        struct level_rule_view *rule = &view->levels[view->level_count];

        if (profile->levels[i].offered) {
            level_rule((enum raid_level)i, rule);
            rule->drives_min = max_u32(rule->drives_min, profile->levels[i].drives_min);
            if (profile->ports != 0) {
                rule->drives_max = min_u32(rule->drives_max, profile->ports);
            }
            view->level_count++;
        }
    }
    view->nbd_tcp = ctl->options.nbd_tcp[0] != '\0' ? ctl->options.nbd_tcp : NULL;
    view_cache(ctl, &view->cache);
    if (!controller_may_create(ctl, &reason)) {
        blocked_add(&view->blocked, CTL_OP_VD_CREATE, NULL, &reason);
    }
    if (!rule_online(ctl, &reason)) {
        blocked_add(&view->blocked, CTL_OP_CONTROLLER_SET, NULL, &reason);
    }
    digest_number(digest, true, (uint64_t)view->status);
    digest_number(digest, true, view->rebuild_rate_percent);
    digest_number(digest, true, view->bgi_rate_percent);
    digest_number(digest, true, view->glitch_seconds);
    digest_number(digest, true, (uint64_t)view->coercion);
    digest_number(digest, true, view->auto_rebuild);
    digest_number(digest, true, view->emergency_spare);
    digest_number(digest, true, view->emergency_unconfigured);
    digest_number(digest, true, view->mixed_media);
    digest_number(digest, true, view->mixed_interfaces);
    digest_number(digest, true, view->copyback);
    digest_number(digest, true, view->predictive_copyback);
    digest_number(digest, true, (uint64_t)view->battery);
    cache_digest(&view->cache, digest);
    digest_findings(digest, view->findings, false);
    digest_number(digest, true, view->findings_whole);
    digest_blocked(digest, &view->blocked);
}

/* All kinds */

/* How much of the view is cleared, and what follows is counted: most of it is room for reasons. */
#define CLEARED(type) (offsetof(type, blocked) + offsetof(struct blocked, items))

static const size_t cleared_bytes[OBJECT_KIND_MAX] = {
    [OBJECT_KIND_HOST] = sizeof(struct host_view),
    [OBJECT_KIND_CONTROLLER] = CLEARED(struct controller_view),
    [OBJECT_KIND_ENCLOSURE] = sizeof(struct enclosure_view),
    [OBJECT_KIND_DRIVE] = CLEARED(struct drive_view),
    [OBJECT_KIND_DRIVE_GROUP] = CLEARED(struct drive_group_view),
    [OBJECT_KIND_VIRTUAL_DRIVE] = CLEARED(struct virtual_drive_view),
    [OBJECT_KIND_OPERATION] = CLEARED(struct operation_view),
    [OBJECT_KIND_BATTERY] = CLEARED(struct battery_view),
};

void view_build(const struct ctl *ctl, const struct ctl_object *object, union ctl_view *view,
                struct view_digest *ret_digest)
{
    ASSERT(object->kind < OBJECT_KIND_MAX);
    *ret_digest = (struct view_digest){UINT64_C(0xcbf29ce484222325), UINT64_C(0xcbf29ce484222325)};
    memset(view, 0, cleared_bytes[object->kind]);
    switch (object->kind) {
    case OBJECT_KIND_HOST:
        view_host(ctl, &view->host, ret_digest);
        return;
    case OBJECT_KIND_CONTROLLER:
        view_controller(ctl, &view->controller, ret_digest);
        return;
    case OBJECT_KIND_ENCLOSURE:
        view_enclosure(object->subject, &view->enclosure, ret_digest);
        return;
    case OBJECT_KIND_DRIVE:
        view_drive(object->subject, &view->drive, ret_digest);
        return;
    case OBJECT_KIND_DRIVE_GROUP:
        view_group(object->subject, &view->group, ret_digest);
        return;
    case OBJECT_KIND_VIRTUAL_DRIVE:
        view_vd(object->subject, &view->vd, ret_digest);
        return;
    case OBJECT_KIND_OPERATION:
        view_operation(object->subject, &view->operation, ret_digest);
        return;
    case OBJECT_KIND_BATTERY:
        view_battery(object->subject, &view->battery, ret_digest);
        return;
    case OBJECT_KIND_MAX:
        break;
    }
    UNREACHABLE();
}
