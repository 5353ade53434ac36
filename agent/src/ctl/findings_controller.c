/*
 * Findings about drive groups, the controller with its cache and battery, and the host.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_host.h"
#include "ctl/ctl_spare.h"
#include "ctl/ctl_superseded.h"
#include "ctl/ctl_unclaimed.h"
#include "ctl/finding_rows.h"
#include "ctl/member_returned.h"
#include "ctl/place_drive.h"

/* Drive groups */

/* The first lost member in whose bay a drive is that is not used. */
static void place_drives_tell(const struct ctl_group *cg, struct finding *finding)
{
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if ((cg->members[i] == NULL || cg->members[i]->departed) &&
            place_drive_tell(cg, i, finding)) {
            return;
        }
    }
}

/* A new drive would not help, and some of those that are away would not, either. */
static void places_offline_tell(const struct ctl_group *cg, bool needed, struct finding *finding)
{
    char path[PATH_TEXT_BYTES];

    if (!needed) {
        finding->effect.code = REASON_EFFECT_PLACE_EMPTY_OTHERS;
        finding->remedy.code = REASON_REMEDY_PLACE_EMPTY_OTHERS;
        return;
    }
    finding->effect.code = REASON_EFFECT_PLACE_EMPTY_OFFLINE;
    finding->remedy.code = REASON_REMEDY_VIRTUAL_DRIVE_OFFLINE;
    group_vds_path(cg, path, sizeof(path));
    place_unlabelled_tell(cg, path, finding);
}

static bool has_empty_places(const void *subject, struct finding *finding)
{
    const struct ctl_group *cg = subject;
    const struct ctl_drive *unclaimed = NULL; /* the last of them */
    uint32_t unclaimed_count = 0;
    struct name_list away = {.count = 0};
    bool needed = false;
    char group[16];

    if (cg_is_superseded(cg)) {
        return false; /* its drives went on without it: what is missing of it would not help */
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (cg->members[i] == NULL || cg->members[i]->departed) {
            char name[MEMBER_TEXT_BYTES];
            char entry[sizeof(name) + sizeof(cg_config(cg)->members[i].serial) + 16];

            if (member_name(cg, i, name)) {
                (void)snprintf(entry, sizeof(entry), "%s (serial %s)", name,
                               cg_config(cg)->members[i].serial);
            } else {
                (void)snprintf(entry, sizeof(entry), "%s", name);
            }
            name_list_add(&away, entry);
            needed = needed || !place_waits_for_group(cg, i);
            if (member_unclaimed(cg, i) != NULL) {
                unclaimed = member_unclaimed(cg, i);
                unclaimed_count++;
            }
        }
    }
    if (away.count == 0) {
        return false;
    }
    (void)snprintf(group, sizeof(group), "%u", cg_config(cg)->index);
    finding_tell(finding, "group", group, "drives", name_list_text(&away), NULL);
    if (cg_state(cg) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        places_offline_tell(cg, needed, finding);
    } else {
        place_drives_tell(cg, finding);
    }
    if (unclaimed != NULL) {
        finding->cause = unclaimed->unsuitable;
        if (unclaimed_count == away.count) { /* the others have to be put back */
            finding->remedy.code = unclaimed_remedy(unclaimed);
        }
    }
    return true;
}

/* The member that was a hot spare and is to be one again; NULL: there is none. */
static const struct ctl_drive *spare_in_use(const struct ctl_group *cg)
{
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        const struct ctl_drive *cd = cg->members[i];

        if (cd != NULL && return_is_known(cg->ctl, cd->identity.key)) {
            return cd;
        }
    }
    return NULL;
}

/* A copyback from it makes it a spare again. */
static void used_spare_remedy(const struct ctl_group *cg, const struct ctl_drive *used,
                              struct finding *finding)
{
    const struct controller_return *entry = return_find(cg->ctl->record, used->identity.key);
    const struct ctl_drive *target = return_target(cg, entry);
    const struct ctl_operation *op = operation_of_copyback(cg);
    enum reason_code code = REASON_REMEDY_SPARES_USED_UP_START;
    char name[NAME_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];
    char text[NAME_TEXT_BYTES];

    if (cg->copyback != NULL && cg_config(cg)->copyback.member == used->member) {
        target = cg->copyback;
        code = op != NULL && op->status.state == OPERATION_STATE_PAUSED
                   ? REASON_REMEDY_SPARES_USED_UP_PAUSED
                   : REASON_REMEDY_SPARES_USED_UP_RUNNING;
    }
    drive_name(used, name);
    drive_path(used, path, sizeof(path));
    if (target != NULL) {
        drive_name(target, text);
        reason_set(&finding->remedy, code, "drive", name, "target", text, "path", path, NULL);
    } else if (entry->slot != RETURN_NO_SLOT) {
        (void)snprintf(text, sizeof(text), "%u:%u", entry->eid, entry->slot);
        reason_set(&finding->remedy, REASON_REMEDY_SPARES_USED_UP_BAY, "bay", text, NULL);
    }
}

static bool has_used_up_spares(const void *subject, struct finding *finding)
{
    const struct ctl_group *cg = subject;
    const struct ctl_drive *used = spare_in_use(cg);
    char name[NAME_TEXT_BYTES];
    char group[16];

    if (used == NULL || !cg_is_redundant(cg) || group_has_spare(cg)) {
        return false;
    }
    drive_name(used, name);
    (void)snprintf(group, sizeof(group), "%u", cg_config(cg)->index);
    finding_tell(finding, "group", group, "drive", name, NULL);
    used_spare_remedy(cg, used, finding);
    return true;
}

static bool has_superseded_places(const void *subject, struct finding *finding)
{
    const struct ctl_group *cg = subject;
    struct name_list drives = {.count = 0};
    char path[PATH_TEXT_BYTES];
    char group[16];

    if (!cg_is_superseded(cg)) {
        return false;
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        const struct ctl_drive *cd = cg_member_superseded(cg, i);
        char name[NAME_TEXT_BYTES];

        if (cd != NULL) {
            drive_name(cd, name);
            name_list_add(&drives, name);
        }
    }
    controller_path(cg->ctl, path, sizeof(path));
    (void)snprintf(group, sizeof(group), "%u", cg_config(cg)->index);
    finding_tell(finding, "group", group, "drives", name_list_text(&drives), "path", path, NULL);
    return true;
}

static const struct finding_row group_rows[] = {
    {FINDING_PLACE_EMPTY, has_empty_places},
    {FINDING_PLACE_SUPERSEDED, has_superseded_places},
    {FINDING_SPARES_USED_UP, has_used_up_spares},
};

void findings_of_groups(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);
        char path[PATH_TEXT_BYTES];

        if (cg_config(cg)->vd_count == 0) {
            continue; /* its last virtual drive is being deleted */
        }
        group_path(cg, path, sizeof(path));
        findings_add(ctl, group_rows, sizeof(group_rows) / sizeof(group_rows[0]), &cg->object, path,
                     cg);
    }
}

/* Controller */

static bool cache_has_failed(const void *subject, struct finding *finding)
{
    const struct ctl *ctl = subject;
    char path[PATH_TEXT_BYTES];

    if (ctl->cache == NULL || !ctl->cache_medium_is_gone) {
        return false;
    }
    controller_path(ctl, path, sizeof(path));
    finding_tell(finding, "controller", path, NULL);
    cache_gone_reason(ctl, &finding->cause);
    return true;
}

static bool cache_is_preserved(const void *subject, struct finding *finding)
{
    const struct ctl *ctl = subject;
    struct name_list names = {.count = 0};
    char path[PATH_TEXT_BYTES];

    if (!cache_preserved_names(ctl, &names, &finding->cause)) {
        return false;
    }
    controller_path(ctl, path, sizeof(path));
    finding_tell(finding, "names", name_list_text(&names), "path", path, NULL);
    if (finding->cause.code == REASON_CACHE_PRESERVED_UNKNOWN) {
        finding->remedy.code = REASON_REMEDY_CACHE_PRESERVED_UNKNOWN;
    } else if (finding->cause.code == REASON_CACHE_PRESERVED_CHANGED) {
        finding->remedy.code = REASON_REMEDY_CACHE_PRESERVED_CHANGED;
    } else if (finding->cause.code == REASON_CACHE_PRESERVED_REFUSED) {
        finding->remedy.code = REASON_REMEDY_CACHE_PRESERVED_REFUSED;
    }
    return true;
}

/* All of them are refused: what to do about the first one's reason. */
static enum reason_code foreign_remedy(enum reason_code refusal)
{
    switch ((int)refusal) { /* the others need somebody who looks at them */
    case REASON_FOREIGN_NEEDED_ELSEWHERE:
        return REASON_REMEDY_FOREIGN_NEEDED_ELSEWHERE;
    case REASON_FOREIGN_LACKED_ELSEWHERE:
        return REASON_REMEDY_FOREIGN_LACKED_ELSEWHERE;
    case REASON_FOREIGN_NEEDED:
        return REASON_REMEDY_FOREIGN_NEEDED;
    case REASON_FOREIGN_COPY_NEEDED:
        return REASON_REMEDY_FOREIGN_COPY_NEEDED;
    case REASON_FOREIGN_COPY_OLDER:
        return REASON_REMEDY_FOREIGN_COPY_OLDER;
    case REASON_FOREIGN_IS_HERE:
        return REASON_REMEDY_FOREIGN_IS_HERE;
    case REASON_FOREIGN_HERE_UNUSABLE:
        return REASON_REMEDY_FOREIGN_HERE_UNUSABLE;
    case REASON_FOREIGN_CONFLICT:
        return REASON_REMEDY_FOREIGN_CONFLICT;
    case REASON_FOREIGN_HERE_CONFLICT:
        return REASON_REMEDY_FOREIGN_HERE_CONFLICT;
    case REASON_FOREIGN_MEMBER_WAITS:
        return REASON_REMEDY_FOREIGN_MEMBER_WAITS;
    case REASON_FOREIGN_INCOMPLETE:
        return REASON_REMEDY_FOREIGN_INCOMPLETE;
    case REASON_FOREIGN_DUPLICATE:
        return REASON_REMEDY_FOREIGN_DUPLICATE;
    case REASON_DRIVE_IN_USE:
        return REASON_REMEDY_FOREIGN_UNUSABLE;
    default:
        return REASON_REMEDY_FOREIGN_REFUSED;
    }
}

/* An import would cost what something else keeps. */
static void foreign_care_tell(const struct ctl *ctl, const char *path, struct finding *finding)
{
    if (ctl->foreign.deleted.code != REASON_OK) {
        finding->cause = ctl->foreign.deleted;
        finding->remedy = finding->cause; /* it names the number */
        finding->remedy.code = REASON_REMEDY_FOREIGN_DELETED;
    } else if (ctl->foreign.away.code != REASON_OK) {
        finding->cause = ctl->foreign.away;
        reason_set(&finding->remedy, REASON_REMEDY_FOREIGN_CACHE_AWAY, "path", path, "owner",
                   ctl->foreign.away.params[1].value, NULL);
    }
}

static bool has_foreign_sets(const void *subject, struct finding *finding)
{
    const struct ctl *ctl = subject;
    char path[PATH_TEXT_BYTES];
    char count[16];

    if (ctl->foreign.count == 0) {
        return false;
    }
    controller_path(ctl, path, sizeof(path));
    (void)snprintf(count, sizeof(count), "%u", ctl->foreign.count);
    if (ctl->foreign.refused_count < ctl->foreign.count) {
        finding_tell(finding, "controller", path, "count", count, "path", path, NULL);
        foreign_care_tell(ctl, path, finding);
        return true;
    }
    finding_tell(finding, "controller", path, "names", ctl->foreign.refused, "path", path, NULL);
    finding->what.code = REASON_FINDING_FOREIGN_REFUSED;
    finding->cause = ctl->foreign.refusal;
    if (ctl->foreign.deleted.code != REASON_OK) {
        foreign_care_tell(ctl, path, finding);
    } else if (finding->cause.code == REASON_FOREIGN_NEEDED ||
               finding->cause.code == REASON_FOREIGN_NEEDED_ELSEWHERE ||
               finding->cause.code == REASON_FOREIGN_LACKED_ELSEWHERE ||
               finding->cause.code == REASON_FOREIGN_COPY_NEEDED ||
               finding->cause.code == REASON_FOREIGN_COPY_OLDER) {
        finding->remedy = finding->cause; /* it names the drives */
        finding->remedy.code = foreign_remedy(finding->cause.code);
    } else {
        finding->remedy.code = foreign_remedy(ctl->foreign.refusal.code);
    }
    return true;
}

static bool had_damaged_records(const void *subject, struct finding *finding)
{
    const struct ctl *ctl = subject;
    struct name_list files = ctl->damage->files;
    char path[PATH_TEXT_BYTES];

    if (files.count == 0) {
        return false;
    }
    controller_path(ctl, path, sizeof(path));
    finding_tell(finding, "controller", path, "files", name_list_text(&files), NULL);
    if (ctl->damage->absent_count == files.count) { /* as after the advice of a finding */
        finding->what.code = REASON_FINDING_STATE_RECORD_ABSENT;
        finding->effect.code = REASON_EFFECT_STATE_RECORD_ABSENT;
        finding->remedy.code = REASON_REMEDY_STATE_RECORD_ABSENT;
    }
    return true;
}

static bool lacks_configured_drives(const void *subject, struct finding *finding)
{
    const struct ctl *ctl = subject;

    if (ctl->absent_paths[0] == '\0') {
        return false;
    }
    finding_tell(finding, "names", ctl->absent_paths, NULL);
    return true;
}

static const struct finding_row controller_rows[] = {
    {FINDING_CACHE_FAILED, cache_has_failed},
    {FINDING_CACHE_PRESERVED, cache_is_preserved},
    {FINDING_FOREIGN_CONFIGURATION, has_foreign_sets},
    {FINDING_CONFIGURED_DRIVE_MISSING, lacks_configured_drives},
    {FINDING_STATE_RECORD_DAMAGED, had_damaged_records},
};

/* Battery */

static void battery_tell(const struct ctl *ctl, struct finding *finding, const char *stage)
{
    char path[PATH_TEXT_BYTES];

    battery_path(ctl, path, sizeof(path));
    finding_tell(finding, "battery", path, "source", battery_source(ctl), "path", path, "stage",
                 stage, NULL);
    finding->cause = ctl->battery.shown.state_reason;
}

static bool battery_holds(const struct ctl *ctl, enum battery_state state, struct finding *finding)
{
    if (ctl->battery.shown.state != state) {
        return false;
    }
    battery_tell(ctl, finding, "");
    return true;
}

static bool battery_is_missing(const void *subject, struct finding *finding)
{
    return battery_holds(subject, BATTERY_STATE_MISSING, finding);
}

static bool battery_has_failed(const void *subject, struct finding *finding)
{
    return battery_holds(subject, BATTERY_STATE_FAILED, finding);
}

static bool battery_needs_attention(const void *subject, struct finding *finding)
{
    return battery_holds(subject, BATTERY_STATE_LOW, finding) ||
           battery_holds(subject, BATTERY_STATE_DEGRADED, finding) ||
           battery_holds(subject, BATTERY_STATE_UNKNOWN, finding);
}

static bool battery_is_ups(const struct ctl *ctl)
{
    return ctl->options.battery.kind == BATTERY_KIND_UPS;
}

static bool battery_charges(const void *subject, struct finding *finding)
{
    const struct ctl *ctl = subject;

    return battery_holds(ctl, BATTERY_STATE_CHARGING, finding) ||
           (!battery_is_ups(ctl) && battery_holds(ctl, BATTERY_STATE_DISCHARGING, finding));
}

static bool ups_is_in_use(const void *subject, struct finding *finding)
{
    return battery_is_ups(subject) && battery_holds(subject, BATTERY_STATE_DISCHARGING, finding);
}

/* Announced and under way: expected, so that nobody takes it for a failure. */
static bool battery_learns(const void *subject, struct finding *finding)
{
    static const char *const stages[LEARN_STATE_MAX] = {
        [LEARN_STATE_ANNOUNCED] = "announced",  [LEARN_STATE_PENDING] = "waiting for a full charge",
        [LEARN_STATE_CHARGING] = "under way",   [LEARN_STATE_DISCHARGING] = "under way",
        [LEARN_STATE_RECHARGING] = "under way",
    };
    const struct ctl *ctl = subject;
    const struct battery_reading *reading = &ctl->battery.shown;

    if (!reading->has_learn || stages[reading->learn.state] == NULL) {
        return false;
    }
    battery_tell(ctl, finding, stages[reading->learn.state]);
    return true;
}

static bool learn_is_due(const void *subject, struct finding *finding)
{
    const struct ctl *ctl = subject;
    const struct battery_reading *reading = &ctl->battery.shown;

    if (!reading->has_learn || reading->learn.state != LEARN_STATE_DUE) {
        return false;
    }
    battery_tell(ctl, finding, "due");
    finding->cause = (struct reason){.code = REASON_OK};
    return true;
}

static const struct finding_row battery_rows[] = {
    {FINDING_BATTERY_MISSING, battery_is_missing},
    {FINDING_BATTERY_FAILED, battery_has_failed},
    {FINDING_BATTERY_NOT_READY, battery_needs_attention},
    {FINDING_BATTERY_CHARGING, battery_charges},
    {FINDING_BATTERY_LEARN, battery_learns},
    {FINDING_BATTERY_LEARN_DUE, learn_is_due},
    {FINDING_UPS_ON_BATTERY, ups_is_in_use},
};

/* Host */

static bool state_is_unwritable(const void *subject, struct finding *finding)
{
    const struct ctl *ctl = subject;
    char error[REASON_ERROR_TEXT_BYTES];

    if (ctl->ports.store->last_error == 0) {
        return false;
    }
    finding_tell(finding, NULL);
    reason_error_text(ctl->ports.store->last_error, error);
    reason_set(&finding->cause,
               ctl->ports.store->last_error == -ENOSPC ? REASON_STATE_FULL : REASON_STATE_FAILED,
               "error", error, NULL);
    return true;
}

static bool monitor_is_silent(const void *subject, struct finding *finding)
{
    const struct ctl *ctl = subject;

    if (!ctl->host->monitor_silent) {
        return false;
    }
    finding_tell(finding, NULL);
    return true;
}

static const struct finding_row host_rows[] = {
    {FINDING_MONITOR_SILENT, monitor_is_silent},
    {FINDING_STATE_UNWRITABLE, state_is_unwritable},
};

void findings_of_controller(struct ctl *ctl)
{
    char path[PATH_TEXT_BYTES];

    controller_path(ctl, path, sizeof(path));
    findings_add(ctl, controller_rows, sizeof(controller_rows) / sizeof(controller_rows[0]),
                 &ctl->controller, path, ctl);
    if (battery_is_fitted(ctl) && ctl->battery.judged) {
        battery_path(ctl, path, sizeof(path));
        findings_add(ctl, battery_rows, sizeof(battery_rows) / sizeof(battery_rows[0]),
                     &ctl->battery.object, path, ctl);
    }
    if (ctl_shows_host(ctl)) {
        findings_add(ctl, host_rows, sizeof(host_rows) / sizeof(host_rows[0]), &ctl->host_object,
                     "host", ctl);
    }
}
