/*
 * Findings about drives: members, those without a role, and hot spares.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_unclaimed.h"
#include "ctl/finding_rows.h"
#include "ctl/foreign_set.h"
#include "ctl/member_returned.h"
#include "ctl/place_drive.h"
#include "ctl/vd_policies.h"
#include "drive/drive_life.h"

/* cg: of which it is, or was, a member. */
static void drive_tell_of(const struct ctl_drive *cd, const struct ctl_group *cg,
                          struct finding *finding, uint64_t count)
{
    char name[NAME_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];
    char group[16] = "";
    char number[24];

    drive_name(cd, name);
    drive_path(cd, path, sizeof(path));
    if (cg != NULL) {
        (void)snprintf(group, sizeof(group), "%u", cg_config(cg)->index);
    }
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)count);
    finding_tell(finding, "drive", name, "serial", cd->identity.serial, "path", path, "group",
                 group, "count", number, NULL);
}

static void drive_tell(const struct ctl_drive *cd, struct finding *finding, uint64_t count)
{
    drive_tell_of(cd, cd->group, finding, count);
}

static bool drive_holds(const struct ctl_drive *cd, enum life_state state, struct finding *finding)
{
    if (cd_life(cd) != state) {
        return false;
    }
    drive_tell(cd, finding, 0);
    (void)cd_state_reason(cd, &finding->cause); /* none is left as it is */
    if (finding->cause.code == REASON_LABEL_LATER) {
        finding->remedy.code = REASON_REMEDY_DRIVE_LATER;
    }
    return true;
}

/* Members */

/* Nothing is done to the members of a group that is offline. Names the group. */
static void offline_remedy(const struct ctl_drive *cd, struct finding *finding)
{
    if (cd->group != NULL && cg_state(cd->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        finding->remedy.code = finding->remedy.code == REASON_REMEDY_DRIVE_LATER
                                   ? REASON_REMEDY_DRIVE_LATER_OFFLINE
                                   : REASON_REMEDY_DRIVE_GROUP_OFFLINE;
    }
}

/* A member that has lost its place: others bring the group back. */
static void lost_tell(const struct ctl_drive *cd, struct finding *finding)
{
    ASSERT(cd->group != NULL);
    if (cg_state(cd->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        finding->effect.code = REASON_EFFECT_DRIVE_GROUP_OFFLINE;
        offline_remedy(cd, finding);
    }
}

/* The drive is not defective. */
static void stale_tell(const struct ctl_drive *cd, struct finding *finding)
{
    char record[STORE_NAME_MAX + 3] = "r-"; /* as its file is called */

    if (cd->group == NULL || cg_state(cd->group) != VIRTUAL_DRIVE_STATE_OFFLINE) {
        finding->remedy.code = REASON_REMEDY_DRIVE_STALE;
        return;
    }
    finding->effect.code = REASON_EFFECT_DRIVE_STALE_OFFLINE;
    group_record_name(&cg_config(cd->group)->guid, record + 2);
    reason_set(&finding->remedy,
               cg_is_of_images(cd->group) ? REASON_REMEDY_DRIVE_STALE_OFFLINE
                                          : REASON_REMEDY_VIRTUAL_DRIVE_STALE,
               "record", record, NULL);
}

static bool has_failed(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    struct reason reason;

    if (cd_is_set_aside(cd)) {
        return false; /* told as overwritten */
    }
    if (drive_holds(cd, LIFE_FAILED, finding)) {
        if (finding->cause.code == REASON_DRIVE_LOST_NO_SPACE) {
            finding->remedy.code = REASON_REMEDY_DRIVE_NO_SPACE;
        } else if (finding->cause.code == REASON_DRIVE_LOST_READ_ONLY) {
            finding->remedy.code = REASON_REMEDY_DRIVE_READ_ONLY;
        } else if (finding->cause.code == REASON_DRIVE_LOST_STALE) {
            stale_tell(cd, finding);
        } else if (finding->remedy.code == REASON_REMEDY_DRIVE_FAILED &&
                   !rule_drive(cd, LIFE_LOCATE, &reason)) {
            finding->remedy.code = REASON_REMEDY_DRIVE_FAILED_DARK;
        }
        if (finding->cause.code != REASON_DRIVE_LOST_STALE) {
            lost_tell(cd, finding);
        }
        return true;
    }
    if (!drive_holds(cd, LIFE_NEEDED, finding)) {
        return false;
    }
    finding->effect.code = REASON_EFFECT_LAST_COPY;
    finding->remedy.code = REASON_REMEDY_SET_ONLINE;
    return true;
}

/* Set aside, or used because there is no better copy (ctl_overwritten.c). */
static bool is_overwritten(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;

    bool offline = cd->group != NULL && cg_state(cd->group) == VIRTUAL_DRIVE_STATE_OFFLINE;

    if (cd_is_set_aside(cd)) {
        drive_tell(cd, finding, 0);
        lost_tell(cd, finding);
        finding->effect.code =
            offline ? REASON_EFFECT_DRIVE_OVERWRITTEN_OFFLINE : REASON_EFFECT_DRIVE_OVERWRITTEN;
        return true;
    }
    if (!cd_is_overwritten_used(cd)) {
        return false;
    }
    drive_tell(cd, finding, 0);
    finding->effect.code = REASON_EFFECT_DRIVE_OVERWRITTEN_USED;
    finding->remedy.code =
        offline ? REASON_REMEDY_DRIVE_OVERWRITTEN_OFFLINE : REASON_REMEDY_DRIVE_OVERWRITTEN_USED;
    return true;
}

static bool is_missing(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;

    if (cd->group == NULL || !drive_holds(cd, LIFE_MISSING, finding)) {
        return false;
    }
    if (place_waits_for_group(cd->group, cd->member)) {
        lost_tell(cd, finding);
    } else if (cg_state(cd->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        finding->effect.code = REASON_EFFECT_DRIVE_MISSING_OFFLINE;
        finding->remedy.code = REASON_REMEDY_DRIVE_MISSING_OFFLINE;
    }
    return true;
}

static bool is_removed(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    const struct ctl_group *cg = group_by_guid(cd->ctl, &cd->retired_from);

    if (cd_life(cd) != LIFE_REMOVED ||
        (cg != NULL && cg_state(cg) != VIRTUAL_DRIVE_STATE_OPTIMAL)) { /* as ctl_away.c (1) */
        return false;
    }
    drive_tell(cd, finding, 0);
    return true;
}

static bool is_offline(const void *subject, struct finding *finding)
{
    if (!drive_holds(subject, LIFE_OFFLN, finding)) {
        return false;
    }
    lost_tell(subject, finding);
    return true;
}

/* A member that is not taken for one; told here if it can be. */
static bool is_returned(const struct ctl_drive *cd, struct finding *finding)
{
    struct returned_place place;
    bool later = false;

    if (!cd_is_returned(cd, &place) || !cd_may_return(cd, &place)) {
        return false;
    }
    later = cd_returned_is_later(cd, &place);
    drive_tell_of(cd, place.cg, finding, 0);
    reason_set(&finding->cause, later ? REASON_LABEL_LATER : REASON_OK, NULL);
    place_command(place.cg, place.member, cd,
                  later ? REASON_REMEDY_PLACE_HAS_DATA : REASON_REMEDY_PLACE_RETURNED,
                  &finding->remedy);
    return true;
}

/* One that has just come back is rebuilt by itself, and its state is not settled before. */
static bool is_out_of_date(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;

    if (cd->group == NULL) {
        return is_returned(cd, finding);
    }
    if (cd->reinserted || !drive_holds(cd, LIFE_STALE, finding)) {
        return false;
    }
    if (finding->cause.code == REASON_DRIVE_LOST_AWAY) {
        finding->cause.code = REASON_OK; /* the finding itself says so */
    }
    lost_tell(cd, finding);
    return true;
}

static bool rebuild_has_failed(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    const struct ctl_attempt *attempt = NULL;

    if (cd->group == NULL || cd_life(cd) != LIFE_RBLD ||
        operation_of_member(cd->group, cd->member) != NULL) {
        return false;
    }
    attempt = &cd->group->rebuild_attempts[cd->member];
    if (attempt->failures == 0) {
        return false;
    }
    drive_tell(cd, finding, 0);
    if (cg_state(cd->group) == VIRTUAL_DRIVE_STATE_OFFLINE) { /* its sources are away */
        finding->what.code = REASON_FINDING_REBUILD_WAITS;
        finding->effect.code = REASON_EFFECT_REBUILD_WAITS;
        finding->remedy.code = REASON_REMEDY_REBUILD_WAITS;
        return true;
    }
    finding->cause = attempt->why;
    return true;
}

/* Health */

/* What happened to it before another drive took its place, if that is no reason to replace it. */
static void remedy_of_loss(const struct ctl_drive *cd, struct finding *finding)
{
    enum reason_code why = cd_loss(cd);

    if (why == REASON_DRIVE_LOST_OVERWRITTEN) {
        finding->remedy.code = REASON_REMEDY_DRIVE_REPLACED_OVERWRITTEN;
    } else if (why == REASON_DRIVE_LOST_NO_SPACE || why == REASON_DRIVE_LOST_READ_ONLY ||
               why == REASON_DRIVE_LOST_FLAPPING) {
        finding->remedy.code = REASON_REMEDY_DRIVE_REPLACED;
    }
}

static bool is_bad(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;

    /* The configuration names it: a scan finds no empty device. */
    if (cd->has_unsuitable && cd->unsuitable.code == REASON_DRIVE_UNSUITABLE_EMPTY &&
        drive_holds(cd, LIFE_TOO_SMALL, finding)) {
        finding->cause = cd->unsuitable;
        finding->remedy.code = REASON_REMEDY_DRIVE_EMPTY;
        return true;
    }
    if (cd_life(cd) == LIFE_TOO_SMALL && cd_shrunk_from(cd) == 0 && cd_is_counted_on(cd) &&
        drive_holds(cd, LIFE_TOO_SMALL, finding)) {
        finding->cause = cd->unsuitable;
        finding->remedy.code = REASON_REMEDY_DRIVE_SHRUNK_TOO_SMALL;
        return true;
    }
    if (cd->label_status != LABEL_STATUS_SHRUNK && drive_holds(cd, LIFE_UBAD, finding)) {
        remedy_of_loss(cd, finding);
        if (cd->has_state_reason && cd->state_reason.code == REASON_LABEL_APART) {
            finding->remedy.code = REASON_REMEDY_DRIVE_APART;
        }
        return true;
    }
    return !cd_is_unclaimed(cd) && drive_holds(cd, LIFE_ERASED_PARTLY, finding);
}

static enum reason_code unclaimed_alone_effect(const struct ctl_drive *cd)
{
    if (cd_was_spare(cd)) {
        return REASON_EFFECT_DRIVE_UNCLAIMED_SPARE;
    }
    switch (cd_erasure(cd)) {
    case CD_ERASURE_ACTIVE:
        return REASON_EFFECT_DRIVE_UNCLAIMED_ERASING;
    case CD_ERASURE_PARTIAL:
        return REASON_EFFECT_DRIVE_UNCLAIMED_ERASED;
    case CD_ERASURE_NONE:
        break;
    }
    return REASON_EFFECT_DRIVE_UNCLAIMED;
}

static enum reason_code unclaimed_effect(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    if (cg == NULL) {
        return unclaimed_alone_effect(cd);
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (member_unclaimed(cg, i) == cd && place_waits_for_group(cg, i)) {
            return REASON_EFFECT_DRIVE_GROUP_OFFLINE;
        }
    }
    return cg_state(cg) == VIRTUAL_DRIVE_STATE_OFFLINE ? REASON_EFFECT_DRIVE_UNCLAIMED_GROUP_OFFLINE
                                                       : REASON_EFFECT_DRIVE_UNCLAIMED_GROUP;
}

static bool is_unclaimed(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    const struct ctl_group *cg = NULL;
    char name[NAME_TEXT_BYTES];
    char group[16] = "";

    if (!cd_is_unclaimed(cd)) {
        return false;
    }
    cg = group_that_lacks(cd);
    if (cg != NULL) {
        (void)snprintf(group, sizeof(group), "%u", cg_config(cg)->index);
    }
    drive_name(cd, name);
    finding_tell(finding, "drive", name, "serial", cd->identity.serial, "group", group, NULL);
    finding->cause = cd->unsuitable;
    finding->effect.code = unclaimed_effect(cd, cg);
    return true;
}

static bool is_named_twice(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    char name[NAME_TEXT_BYTES];

    if (!cd->present || !cd->has_unsuitable ||
        cd->unsuitable.code != REASON_DRIVE_UNSUITABLE_SAME) {
        return false;
    }
    drive_name(cd, name);
    finding_tell(finding, "drive", name, "device", cd->unsuitable.params[0].value, NULL);
    finding->cause = cd->unsuitable;
    return true;
}

static bool has_shrunk(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    struct shrunk_text text;
    char name[NAME_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];

    if (cd_shrunk_from(cd) == 0 || cd_state(cd) != DRIVE_STATE_UNCONFIGURED_BAD) {
        return false;
    }
    drive_name(cd, name);
    drive_path(cd, path, sizeof(path));
    cd_shrunk_text(cd, &text);
    finding_tell(finding, "drive", name, "serial", cd->identity.serial, "path", path, "missing",
                 text.missing, "used", text.before, "size", text.now, NULL);
    if (cd_life(cd) == LIFE_TOO_SMALL) { /* nothing can be written that would free it */
        finding->remedy.code = REASON_REMEDY_DRIVE_SHRUNK_TOO_SMALL;
    }
    return true;
}

static bool predicts_failure(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    uint64_t count = cd->drive != NULL ? drive_counters(cd->drive)->predictive_failures : 0;
    bool predicted = cd->drive != NULL && drive_is_predicted(cd->drive);

    if (!cd->present || cd_state(cd) == DRIVE_STATE_FAILED || (!predicted && !cd->smart_failing)) {
        return false; /* what has come true is no prediction, nor is what an earlier life left */
    }
    drive_tell(cd, finding, count);
    if (cd->smart_failing) {
        reason_set(&finding->cause, REASON_SMART_FAILING, NULL);
    }
    offline_remedy(cd, finding);
    return true;
}

static bool has_media_errors(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    uint64_t count = cd->drive != NULL ? drive_media_errors(cd->drive) : 0;

    if (!cd->present || count == 0) {
        return false;
    }
    drive_tell(cd, finding, count);
    return true;
}

/* The last copies keep their places (vd/group_members.c (3)); others are lost. */
static bool refuses_writes(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;

    if (!cd->refusal.active || !cd->present || cd_state(cd) != DRIVE_STATE_ONLINE) {
        return false;
    }
    drive_tell(cd, finding, 0);
    (void)cd_refusal_reason(cd, &finding->cause);
    return true;
}

static bool erase_waits(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    struct reason why;

    if (!cd_erase_waits(cd, &why)) {
        return false;
    }
    drive_tell(cd, finding, 0);
    finding->cause = why;
    if (!cd->present) {
        finding->effect.code = REASON_EFFECT_ERASE_WAITS_AWAY;
        finding->remedy.code = REASON_REMEDY_ERASE_WAITS_AWAY;
    }
    return true;
}

/* While the agent has the file open, what is on it can be saved: by what a drive in this state can
 * do. */
static enum reason_code deleted_remedy(const struct ctl_drive *cd)
{
    static const enum reason_code remedies[LIFE_STATE_MAX] = {
        [LIFE_GHS] = REASON_REMEDY_DRIVE_PATH_DELETED_SPARE,
        [LIFE_DHS] = REASON_REMEDY_DRIVE_PATH_DELETED_SPARE,
        [LIFE_CPYBCK] = REASON_REMEDY_DRIVE_PATH_DELETED_FILLED,
        [LIFE_RBLD] = REASON_REMEDY_DRIVE_PATH_DELETED_REBUILD,
        [LIFE_NEEDED] = REASON_REMEDY_DRIVE_PATH_DELETED_NEEDED,
        [LIFE_ONLN] = REASON_REMEDY_DRIVE_PATH_DELETED,
        /* What is missing in its group is rebuilt from the others. */
        [LIFE_OFFLN] = REASON_REMEDY_DRIVE_PATH_DELETED_LOST,
        [LIFE_FAILED] = REASON_REMEDY_DRIVE_PATH_DELETED_LOST,
        [LIFE_STALE] = REASON_REMEDY_DRIVE_PATH_DELETED_LOST,
    };
    enum life_state life = cd_life(cd);

    if (cd->group != NULL && life != LIFE_NEEDED &&
        cg_state(cd->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        return life == LIFE_ONLN ? REASON_REMEDY_DRIVE_PATH_DELETED_OFFLINE
                                 : REASON_REMEDY_DRIVE_GROUP_OFFLINE;
    }
    if (life == LIFE_ONLN && cg_config(cd->group)->copyback.active &&
        cg_config(cd->group)->copyback.member == cd->member) {
        return REASON_REMEDY_DRIVE_PATH_DELETED_COPIED;
    }
    return remedies[life] != REASON_OK ? remedies[life] : REASON_REMEDY_DRIVE_PATH_DELETED_LOST;
}

/* It works, and would not be found at the next start. */
static bool has_lost_path(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    char name[NAME_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];
    char group[16] = "";

    if (cd->path_lost == REASON_OK || !cd->present ||
        (cd->group == NULL && !cd->spare && cd->copyback_of == NULL)) {
        return false;
    }
    drive_name(cd, name);
    drive_path(cd, path, sizeof(path));
    if (cd->group != NULL) {
        (void)snprintf(group, sizeof(group), "%u", cg_config(cd->group)->index);
    }
    finding_tell(finding, "drive", name, "serial", cd->identity.serial, "path", path, "device",
                 cd->lost_path, "group", group, NULL);
    reason_set(&finding->cause, cd->path_lost, "device", cd->lost_path, NULL);
    if (cd->path_lost == REASON_DRIVE_PATH_DELETED) {
        finding->remedy.code = deleted_remedy(cd);
    }
    return true;
}

static bool is_slow(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;

    if (cd->group == NULL || !cd->present || cd->drive == NULL || !drive_is_slow(cd->drive)) {
        return false;
    }
    drive_tell(cd, finding, 0);
    offline_remedy(cd, finding);
    return true;
}

static bool cache_is_refused(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    const struct vd_config *who = NULL;
    const struct ctl_vd *cv = NULL;
    char name[NAME_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];

    if (!cd_cache_is_refused(cd, &who, &finding->cause)) {
        return false;
    }
    cv = vd_by_guid(cd->group, &who->guid);
    ASSERT(cv != NULL);
    drive_name(cd, name);
    vd_path(cv, path, sizeof(path));
    finding_tell(finding, "drive", name, "serial", cd->identity.serial, "wanted",
                 drive_write_cache_word(cd->cache_wish), "name", who->name, "path", path, NULL);
    if (cd->cache_wish == DRIVE_WRITE_CACHE_ON) {
        finding->effect.code = REASON_EFFECT_DRIVE_CACHE_NOT_ON;
    }
    return true;
}

/* What belongs to a set is told of with the set. */
static bool is_foreign_alone(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    enum foreign_format format = FOREIGN_FORMAT_DDF;
    struct guid guid;

    if (cd_life(cd) != LIFE_FOREIGN || foreign_drive_id(cd, &format, &guid)) {
        return false;
    }
    return drive_holds(cd, LIFE_FOREIGN, finding);
}

/* Hot spares */

static bool spare_is_unusable(const void *subject, struct finding *finding)
{
    const struct ctl_drive *cd = subject;
    struct name_list groups = {.count = 0};
    char name[NAME_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];

    if (!spare_is_idle(cd, &groups, &finding->cause)) {
        return false;
    }
    drive_name(cd, name);
    drive_path(cd, path, sizeof(path));
    finding_tell(finding, "drive", name, "serial", cd->identity.serial, "groups",
                 name_list_text(&groups), "path", path, NULL);
    if (cd->attempt.why.code == REASON_STORE_FULL || cd->attempt.why.code == REASON_STORE_FAILED) {
        finding->remedy.code = REASON_REMEDY_SPARE_STORE;
    } else if (cd->attempt.why.code == REASON_REPLACE_UNSAVED) {
        finding->remedy.code = REASON_REMEDY_SPARE_UNSAVED;
    } else if (cd->attempt.waits || cd->attempt.failures > 0) {
        finding->remedy.code = REASON_REMEDY_SPARE_AGAIN;
    }
    return true;
}

static const struct finding_row rows[] = {
    {FINDING_DRIVE_FAILED, has_failed},
    {FINDING_DRIVE_OVERWRITTEN, is_overwritten},
    {FINDING_DRIVE_MISSING, is_missing},
    {FINDING_DRIVE_REMOVED, is_removed},
    {FINDING_DRIVE_OFFLINE, is_offline},
    {FINDING_DRIVE_OUT_OF_DATE, is_out_of_date},
    {FINDING_REBUILD_FAILED, rebuild_has_failed},
    {FINDING_DRIVE_UNCONFIGURED_BAD, is_bad},
    {FINDING_DRIVE_SHRUNK, has_shrunk},
    {FINDING_DRIVE_UNCLAIMED, is_unclaimed},
    {FINDING_DRIVE_NAMED_TWICE, is_named_twice},
    {FINDING_DRIVE_PREDICTIVE_FAILURE, predicts_failure},
    {FINDING_DRIVE_MEDIA_ERRORS, has_media_errors},
    {FINDING_DRIVE_SLOW, is_slow},
    {FINDING_DRIVE_REFUSES_WRITES, refuses_writes},
    {FINDING_ERASE_WAITS, erase_waits},
    {FINDING_DRIVE_PATH_LOST, has_lost_path},
    {FINDING_DRIVE_CACHE_REFUSED, cache_is_refused},
    {FINDING_DRIVE_FOREIGN, is_foreign_alone},
    {FINDING_SPARE_UNUSABLE, spare_is_unusable},
};

/* Told while the controller starts: a drive group may wait for its drives to take writes. */
static const struct finding_row start_rows[] = {{FINDING_DRIVE_REFUSES_WRITES, refuses_writes}};

static bool spare_is_gone(const void *subject, struct finding *finding)
{
    const struct controller_spare *seen = subject;

    finding_tell(finding, "drive", seen->name, "serial", seen->serial, "path", seen->path, NULL);
    return true;
}

static const struct finding_row away_rows[] = {{FINDING_SPARE_MISSING, spare_is_gone}};
static const struct finding_row lost_rows[] = {{FINDING_SPARE_OVERWRITTEN, spare_is_gone}};

static void findings_of_spares_away(struct ctl *ctl)
{
    for (uint32_t i = 0; i < ctl->spares_seen_count; i++) {
        const struct controller_spare *seen = &ctl->spares_seen[i];
        struct ctl_object object = {.kind = OBJECT_KIND_DRIVE};

        memcpy(object.key, seen->key, sizeof(object.key));
        if (spare_seen_is_away(ctl, seen)) {
            findings_add(ctl, away_rows, 1, &object, seen->path, seen);
        } else if (spare_seen_is_lost(ctl, seen)) {
            findings_add(ctl, lost_rows, 1, &object, seen->path, seen);
        }
    }
}

void findings_of_drives(struct ctl *ctl)
{
    bool starting = ctl_is_starting(ctl); /* the others are still awaited */

    if (!starting) {
        findings_of_spares_away(ctl);
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        char path[PATH_TEXT_BYTES];

        if (cd->departed) {
            continue; /* its place is told of with its group */
        }
        drive_path(cd, path, sizeof(path));
        findings_add(ctl, starting ? start_rows : rows,
                     starting ? 1 : sizeof(rows) / sizeof(rows[0]), &cd->object, path, cd);
    }
}
