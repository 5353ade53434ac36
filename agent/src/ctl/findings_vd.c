/*
 * Findings about virtual drives, and what can be done about lost redundancy.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_stripe.h"
#include "ctl/ctl_superseded.h"
#include "ctl/ctl_unclaimed.h"
#include "ctl/finding_rows.h"
#include "ctl/member_returned.h"
#include "ctl/place_drive.h"
#include "meta/bad_blocks.h"
#include "meta/config_state.h"

static void number_text(char out[24], uint64_t value)
{
    (void)snprintf(out, 24, "%llu", (unsigned long long)value); /* fits */
}

/* Redundancy */

static bool member_is_in_sync(const struct ctl_group *cg, uint32_t member)
{
    return cg_config(cg)->members[member].state == MEMBER_ONLINE && cg->members[member] != NULL &&
           cg->members[member]->present && !cg_member_is_stale(cg, member);
}

/* The remedy names the drive, and the path that commands take. */
static void remedy_drive(struct finding *finding, enum reason_code code, const struct ctl_drive *cd)
{
    char name[NAME_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];

    drive_name(cd, name);
    drive_path(cd, path, sizeof(path));
    reason_set(&finding->remedy, code, "drive", name, "path", path, NULL);
}

/* A member that is being filled, or should be. False: it is not one. */
static bool remedy_of_rebuild(const struct ctl_group *cg, uint32_t member, struct finding *finding)
{
    const struct ctl_drive *cd = cg->members[member];
    const struct ctl_operation *op = operation_of_member(cg, member);

    if (cd == NULL || !cd->present || cg_config(cg)->members[member].state != MEMBER_REBUILD) {
        return false;
    }
    if (op != NULL) {
        remedy_drive(finding,
                     op->status.state == OPERATION_STATE_PAUSED ? REASON_REMEDY_REBUILD_PAUSED
                                                                : REASON_REMEDY_REBUILD_RUNNING,
                     cd);
    } else if (cg->rebuild_stopped[member]) {
        remedy_drive(finding, REASON_REMEDY_REBUILD_STOPPED, cd);
    } else if (!cg_rebuild_waits(cg, &finding->remedy)) {
        remedy_drive(finding, REASON_REMEDY_REBUILD_DUE, cd);
    }
    return true;
}

/* Somebody can take the place. */
static void remedy_of_spare(const struct ctl_group *cg, uint32_t member,
                            const struct ctl_drive *spare, struct finding *finding)
{
    const struct member_config *lost = &cg_config(cg)->members[member];
    char name[NAME_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];
    char seconds[24];

    drive_name(spare, name);
    if (!cg->ctl->record->auto_rebuild) {
        controller_path(cg->ctl, path, sizeof(path));
        reason_set(&finding->remedy, REASON_REMEDY_AUTO_REBUILD_OFF, "drive", name, "path", path,
                   NULL);
    } else if (lost->state == MEMBER_MISSING && lost->why == REASON_DRIVE_LOST_PULLED &&
               cg_glitch_left_us(cg, member) > 0) {
        /* Who reads it later is not told how much of that is left. */
        number_text(seconds, cg->ctl->record->glitch_seconds);
        reason_set(&finding->remedy, REASON_REMEDY_SPARE_WAITS, "drive", name, "seconds", seconds,
                   NULL);
    } else {
        remedy_drive(finding, REASON_REMEDY_REBUILD_DUE, spare);
    }
}

/* Of those that were meant to stand in, the first one that cannot. */
static void cause_of_no_spare(const struct ctl_group *cg, uint32_t member, struct finding *finding)
{
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd->spare && spare_is_assigned(cd, cg) &&
            spare_fault(cd, cg, member, &finding->cause)) {
            return;
        }
    }
}

/* It is here and cannot be claimed. */
static bool remedy_of_unclaimed(const struct ctl_group *cg, uint32_t member,
                                struct finding *finding)
{
    const struct ctl_drive *cd = member_unclaimed(cg, member);

    if (cd == NULL) {
        return false;
    }
    finding->cause = cd->unsuitable;
    reason_set(&finding->remedy, unclaimed_remedy(cd), NULL);
    return true;
}

/* Nobody stands in: what is told by default, unless the drive itself is there. */
static void remedy_of_vacant(const struct ctl_group *cg, uint32_t member, struct finding *finding)
{
    const struct ctl_drive *own = cg->members[member];
    struct reason reason;
    const struct ctl_drive *spare = spare_choose(cg, member, &reason);

    if (cg_glitch_left_us(cg, member) > 0 &&
        (remedy_of_unclaimed(cg, member, finding) ||
         (member_returned(cg, member) != NULL && place_drive_tell(cg, member, finding)))) {
        return; /* the spare waits for that */
    }
    if (spare != NULL && (cg->ctl->record->auto_rebuild || member_returned(cg, member) == NULL)) {
        remedy_of_spare(cg, member, spare, finding);
        return;
    }
    if (cg_rebuild_waits(cg, &finding->remedy) || remedy_of_unclaimed(cg, member, finding) ||
        place_drive_tell(cg, member, finding)) {
        return;
    }
    cause_of_no_spare(cg, member, finding);
    if (own != NULL && own->present && !own->departed) {
        remedy_drive(finding,
                     cg_config(cg)->members[member].why == REASON_LABEL_LATER
                         ? REASON_REMEDY_DRIVE_LATER
                         : REASON_REMEDY_REBUILD_START,
                     own);
    } else {
        place_free_drive_tell(cg, member, finding);
    }
}

static void redundancy_repair(const struct ctl_group *cg, struct finding *finding)
{
    const struct group_config *config = cg_config(cg);

    for (uint32_t i = 0; i < config->member_count; i++) {
        if (remedy_of_rebuild(cg, i, finding)) {
            return;
        }
    }
    for (uint32_t i = 0; i < config->member_count; i++) {
        if (cg->phase == CTL_GROUP_RUNNING && cg_member_is_vacant(cg, i)) {
            remedy_of_vacant(cg, i, finding);
            return;
        }
    }
}

static void redundancy_tell(const struct ctl_vd *cv, struct finding *finding)
{
    const struct ctl_group *cg = cv->cg;
    const struct group_config *config = cg_config(cg);
    struct name_list away = {.count = 0};
    struct name_list last = {.count = 0};
    char first[MEMBER_TEXT_BYTES] = "the drive";
    char name[MEMBER_TEXT_BYTES];
    char count[24];
    bool first_has_bay = true;

    for (uint32_t i = 0; i < config->member_count; i++) {
        bool has_bay = member_name(cg, i, name);

        if (!member_is_in_sync(cg, i)) {
            first_has_bay = away.count == 0 ? has_bay : first_has_bay;
            memcpy(first, away.count == 0 ? name : first, sizeof(first));
            name_list_add(&away, name);
        } else if (group_config_is_last_copy(config, i)) {
            name_list_add(&last, name);
        }
    }
    number_text(count, cv->vd != NULL ? vd_drive_failures_left(cv->vd) : 0);
    finding_tell(finding, "name", cv_config(cv)->name, "places", name_list_text(&away), "drives",
                 name_list_text(&last), "drive", first, "count", count, NULL);
    if (finding->code == FINDING_VIRTUAL_DRIVE_DEGRADED && last.count == 1) {
        finding->effect.code = REASON_EFFECT_LAST_DRIVE;
    } else if (finding->code == FINDING_VIRTUAL_DRIVE_PARTIALLY_DEGRADED &&
               strcmp(count, "1") == 0) {
        finding->effect.code = REASON_EFFECT_SURVIVES_ONE;
    }
    if (!first_has_bay) {
        finding->remedy.code = REASON_REMEDY_MEMBER_GONE;
    }
    redundancy_repair(cg, finding);
}

static bool is_degraded(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;

    if (cv_state(cv) != VIRTUAL_DRIVE_STATE_DEGRADED) {
        return false;
    }
    redundancy_tell(cv, finding);
    return true;
}

static bool is_partially_degraded(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;

    if (cv_state(cv) != VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED) {
        return false;
    }
    redundancy_tell(cv, finding);
    return true;
}

/* One that holds the last copy and is there brings it back. */
static bool is_offline(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;
    const struct ctl_group *cg = cv->cg;
    char path[PATH_TEXT_BYTES];

    if (cv_state(cv) != VIRTUAL_DRIVE_STATE_OFFLINE) {
        return false;
    }
    finding_tell(finding, "name", cv_config(cv)->name, NULL);
    if (cg_start_is_refused(cg)) {
        finding->what.code = REASON_FINDING_VIRTUAL_DRIVE_REFUSED;
        finding->remedy.code = REASON_REMEDY_VIRTUAL_DRIVE_REFUSED;
        return true;
    }
    if (cg->elsewhere_problem != NULL) {
        group_path(cg, path, sizeof(path));
        reason_set(&finding->cause, REASON_GROUP_CHANGED_ELSEWHERE, "group", path, "why",
                   cg->elsewhere_problem, NULL);
    }
    if (cg_is_superseded(cg)) {
        char group[16];

        controller_path(cg->ctl, path, sizeof(path));
        (void)snprintf(group, sizeof(group), "%u", cg_config(cg)->index);
        reason_set(&finding->remedy, REASON_REMEDY_PLACE_SUPERSEDED, "group", group, "path", path,
                   NULL);
        return true;
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (cg->members[i] != NULL && cd_life(cg->members[i]) == LIFE_NEEDED) {
            remedy_drive(finding, REASON_REMEDY_SET_ONLINE, cg->members[i]);
            return true;
        }
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (remedy_of_unclaimed(cg, i, finding)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        const struct ctl_drive *cd = cg->members[i];
        struct reason reason = {.code = REASON_OK};

        if (cd != NULL && cd_life(cd) == LIFE_FAILED && cd_state_reason(cd, &reason) &&
            reason.code == REASON_DRIVE_LOST_STALE) {
            finding->remedy.code = REASON_REMEDY_VIRTUAL_DRIVE_STALE; /* its finding says how */
            return true;
        }
    }
    vd_path(cv, path, sizeof(path));
    place_unlabelled_tell(cg, path, finding);
    return true;
}

/* Data */

/* False: there are none. */
static bool blocks_tell(const struct ctl_vd *cv, uint64_t blocks, struct finding *finding)
{
    char path[PATH_TEXT_BYTES];
    char count[24];

    if (blocks == 0) {
        return false;
    }
    vd_path(cv, path, sizeof(path));
    number_text(count, blocks);
    finding_tell(finding, "name", cv_config(cv)->name, "count", count, "path", path, NULL);
    return true;
}

static bool has_lost_blocks(const void *subject, struct finding *finding)
{
    uint64_t blocks = 0;
    uint64_t parity_blocks = 0;

    cv_bad_blocks_count(subject, &blocks, &parity_blocks);
    return blocks_tell(subject, blocks, finding);
}

/* All data can be read. */
static bool has_lost_parity(const void *subject, struct finding *finding)
{
    uint64_t blocks = 0;
    uint64_t parity_blocks = 0;

    cv_bad_blocks_count(subject, &blocks, &parity_blocks);
    if (blocks != 0 || !blocks_tell(subject, parity_blocks, finding)) {
        return false;
    }
    if (cv_state(subject) != VIRTUAL_DRIVE_STATE_OPTIMAL) {
        finding->remedy.code = REASON_REMEDY_VIRTUAL_DRIVE_LOST_PARITY_LATER;
    }
    return true;
}

static bool has_lost_writes(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;
    const struct vd_config *config = cv_config(cv);
    char path[PATH_TEXT_BYTES];

    if (!config->cache_lost) {
        return false;
    }
    vd_path(cv, path, sizeof(path));
    finding_tell(finding, "name", config->name, "path", path, NULL);
    vd_lost_writes_reason(config, &finding->cause);
    if (finding->cause.code == REASON_CACHE_LOST_DAMAGED) {
        finding->remedy.code = REASON_REMEDY_WRITES_LOST_DAMAGED;
    }
    return true;
}

static bool is_in_doubt(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;
    uint64_t suspect = cv_in_doubt_bytes(cv);
    char path[PATH_TEXT_BYTES];
    char bytes[24];

    if (suspect == 0) {
        return false;
    }
    number_text(bytes, suspect);
    vd_path(cv, path, sizeof(path));
    finding_tell(finding, "name", cv_config(cv)->name, "bytes", bytes, "path", path, NULL);
    if (cv_state(cv) == VIRTUAL_DRIVE_STATE_OPTIMAL) {
        finding->remedy.code = REASON_REMEDY_DATA_SUSPECT_WHOLE;
    }
    return true;
}

/* What has silently changed is nobody's fault yet, and stays until somebody has looked at it. */
static bool is_inconsistent(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;
    char path[PATH_TEXT_BYTES];
    char count[24];

    uint64_t rebuilt = check_rebuilt_places(&cv->check);
    uint64_t places = cv->check.kept_count + cv->check.view.inconsistent +
                      check_earlier_count(&cv->check.view.earlier);

    if (!cv->check.any || places == 0) {
        return false;
    }
    vd_path(cv, path, sizeof(path));
    number_text(count, places);
    finding_tell(finding, "name", cv_config(cv)->name, "count", count, "path", path, NULL);
    if (rebuilt > 0) {
        finding->effect.code = REASON_EFFECT_REDUNDANCY_INCONSISTENT_REBUILT;
        finding->remedy.code = REASON_REMEDY_REDUNDANCY_INCONSISTENT_REBUILT;
    } else if (cv_state(cv) != VIRTUAL_DRIVE_STATE_OPTIMAL) {
        finding->remedy.code = REASON_REMEDY_REDUNDANCY_INCONSISTENT_DEGRADED;
    }
    return true;
}

/* Policies */

static bool policy_is_transient(enum reason_code code)
{
    return code == REASON_WRITE_POLICY_BATTERY_CHARGING ||
           code == REASON_WRITE_POLICY_BATTERY_LEARNING || code == REASON_WRITE_POLICY_DEGRADED ||
           code == REASON_WRITE_POLICY_SHUTTING_DOWN;
}

/* "write-back" */
static const char *policy_name(enum write_policy policy)
{
    static const char *const names[WRITE_POLICY_MAX] = {
        [WRITE_POLICY_WRITE_THROUGH] = "write-through",
        [WRITE_POLICY_WRITE_BACK] = "write-back",
        [WRITE_POLICY_ALWAYS_WRITE_BACK] = "always write-back"};

    ASSERT((unsigned)policy < WRITE_POLICY_MAX);
    return names[policy];
}

static void policy_tell(const struct ctl_vd *cv, struct finding *finding)
{
    const char *requested = policy_name(cv_config(cv)->write_policy);
    const char *effective = policy_name(cv->policy.effective);

    finding_tell(finding, "name", cv_config(cv)->name, "requested", requested, "effective",
                 effective, NULL);
    finding->cause = cv->policy.reason;
}

static bool is_lowered(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;

    if (cv->vd == NULL || !cv->policy_known || !cv->policy_lowered ||
        policy_is_transient(cv->policy.reason.code)) {
        return false;
    }
    policy_tell(cv, finding);
    return true;
}

static bool is_lowered_for_now(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;

    if (cv->vd == NULL || !cv->policy_known || !cv->policy_lowered ||
        !policy_is_transient(cv->policy.reason.code)) {
        return false;
    }
    policy_tell(cv, finding);
    return true;
}

static bool is_unprotected(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;

    if (cv->vd == NULL || !cv->policy_known || !cv->policy.at_risk) {
        return false;
    }
    policy_tell(cv, finding);
    return true;
}

/* Stripes: told of the member that is the first of those that are here. */

static bool stripe_is_incomplete(const void *subject, struct finding *finding)
{
    const struct ctl_vd *cv = subject;
    const struct vd_stripe *config = &cv_config(cv)->stripe;
    struct stripe_found found;
    char here[24];
    char count[24];
    uint32_t first = 0;

    if (!cv_is_striped(cv)) {
        return false;
    }
    stripe_find(cv->cg->ctl->host, &config->uuid, &found);
    while (first < STRIPE_MEMBERS_MAX - 1 && found.members[first] == NULL) {
        first++;
    }
    if (found.whole || found.members[first] != cv) {
        return false;
    }
    number_text(here, found.found);
    number_text(count, config->count);
    finding_tell(finding, "name", config->name, "found", here, "count", count, NULL);
    return true;
}

static const struct finding_row rows[] = {
    {FINDING_VIRTUAL_DRIVE_OFFLINE, is_offline},
    {FINDING_VIRTUAL_DRIVE_DEGRADED, is_degraded},
    {FINDING_VIRTUAL_DRIVE_PARTIALLY_DEGRADED, is_partially_degraded},
    {FINDING_VIRTUAL_DRIVE_LOST_BLOCKS, has_lost_blocks},
    {FINDING_VIRTUAL_DRIVE_LOST_PARITY, has_lost_parity},
    {FINDING_WRITES_LOST, has_lost_writes},
    {FINDING_DATA_SUSPECT, is_in_doubt},
    {FINDING_REDUNDANCY_INCONSISTENT, is_inconsistent},
    {FINDING_WRITE_POLICY_LOWERED, is_lowered},
    {FINDING_WRITE_POLICY_WAITS, is_lowered_for_now},
    {FINDING_WRITE_BACK_UNPROTECTED, is_unprotected},
    {FINDING_STRIPE_INCOMPLETE, stripe_is_incomplete},
};

void findings_of_vds(struct ctl *ctl)
{
    CTL_FOR_EACH_VD (cv, ctl) {
        char path[PATH_TEXT_BYTES];

        if (cv->removing) {
            continue;
        }
        vd_path(cv, path, sizeof(path));
        findings_add(ctl, rows, sizeof(rows) / sizeof(rows[0]), &cv->object, path, cv);
    }
}
