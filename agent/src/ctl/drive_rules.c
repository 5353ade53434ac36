/*
 * May it be done to this drive now? First the table of the life cycle (life_cycle.h), then what a
 * command needs besides the drive's state. The same answers serve the commands and the `blocked`
 * map of the drive's document.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/attrs.h"
#include "ctl/ctl_private.h"
#include "ctl/member_returned.h"
#include "ctl/place_drive.h"

bool refuse_drive(struct reason *ret_reason, enum reason_code code, const struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    reason_set(ret_reason, code, "drive", path, NULL);
    return false;
}

static bool refuse_state(struct reason *ret_reason, const struct ctl_drive *cd, enum ctl_op op)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state",
               drive_state_short(cd_state(cd)), "op", ctl_op_said(op), NULL);
    return false;
}

static bool refuse_not_ugood(struct reason *ret_reason, const struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    reason_set(ret_reason, REASON_DRIVE_NOT_UGOOD, "drive", path, "state",
               drive_state_short(cd_state(cd)), NULL);
    return false;
}

static bool refuse_last_copy(struct reason *ret_reason, const struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    group_path(cd->group, group, sizeof(group));
    reason_set(ret_reason, REASON_LAST_COPY, "drive", path, "group", group, NULL);
    return false;
}

static bool is_unusable(const struct ctl_drive *cd)
{
    return cd->has_unsuitable && cd->unsuitable.code != REASON_DRIVE_UNSUITABLE_SIGNATURE;
}

static bool is_too_small(const struct ctl_drive *cd)
{
    return cd->unsuitable.code == REASON_DRIVE_UNSUITABLE_SMALL ||
           cd->unsuitable.code == REASON_DRIVE_UNSUITABLE_EMPTY;
}

/* As a claim is refused (ctl_claim.c). */
static bool refuse_in_use(struct reason *ret_reason, const struct ctl_drive *cd,
                          const struct reason *cause)
{
    char path[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];
    size_t length = reason_text(cause, why, sizeof(why));

    drive_path(cd, path, sizeof(path));
    if (length > 0 && why[length - 1] == '.') {
        why[length - 1] = '\0'; /* it goes into another sentence */
    }
    reason_set(ret_reason, REASON_DRIVE_IN_USE, "drive", path, "why", why, NULL);
    return false;
}

static bool refuse_unusable(struct reason *ret_reason, const struct ctl_drive *cd)
{
    ASSERT(is_unusable(cd));
    if (cd->unsuitable.code == REASON_DRIVE_UNSUITABLE_SMALL) {
        reason_too_small(ret_reason, REASON_DRIVE_TOO_SMALL, cd, NULL, cd_room_bytes(cd),
                         UINT64_C(1) << 20);
        return false;
    }
    return refuse_in_use(ret_reason, cd, &cd->unsuitable);
}

/* Lost beyond redundancy: what it holds is still needed (vd/group.h (7)). */
static bool is_needed(const struct ctl_drive *cd)
{
    return cd->group->phase == CTL_GROUP_RUNNING &&
           group_member_is_unsaved(cd->group->group, cd->member);
}

static enum life_state life_of_member(const struct ctl_drive *cd)
{
    if (cg_member_is_stale(cd->group, cd->member)) {
        return LIFE_FAILED;
    }
    switch (cg_config(cd->group)->members[cd->member].state) {
    case MEMBER_ONLINE:
        return LIFE_ONLN;
    case MEMBER_REBUILD:
        return LIFE_RBLD;
    case MEMBER_FAILED:
        return is_needed(cd) ? LIFE_NEEDED : LIFE_FAILED;
    case MEMBER_OFFLINE:
        return is_needed(cd) ? LIFE_NEEDED : LIFE_OFFLN;
    case MEMBER_MISSING:
        return is_needed(cd) ? LIFE_NEEDED : LIFE_STALE;
    case MEMBER_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

bool cd_is_recorded(const struct ctl_drive *cd)
{
    return cd->group != NULL &&
           (!cd->group->replacing ||
            uuid_equal(&cg_config(cd->group)->members[cd->member].drive, &cd->uuid));
}

static enum life_state life_away(const struct ctl_drive *cd)
{
    if (cd->group != NULL) {
        return LIFE_MISSING;
    }
    return cd->bad                               ? LIFE_REMOVED
           : cd_erasure(cd) == CD_ERASURE_ACTIVE ? LIFE_ERASE_AWAY
                                                 : LIFE_MISSING;
}

enum life_state cd_life(const struct ctl_drive *cd)
{
    if (!cd->present) {
        return life_away(cd);
    }
    if (cd_is_recorded(cd)) {
        return life_of_member(cd);
    }
    if (cd->copyback_of != NULL) {
        return LIFE_CPYBCK;
    }
    if (cd->jbod) {
        return LIFE_JBOD;
    }
    if (cd_erasure(cd) != CD_ERASURE_NONE) {
        return cd_erasure(cd) == CD_ERASURE_ACTIVE ? LIFE_ERASING : LIFE_ERASED_PARTLY;
    }
    if (is_unusable(cd)) {
        return is_too_small(cd) ? LIFE_TOO_SMALL : LIFE_IN_USE;
    }
    if (cd->foreign) {
        return LIFE_FOREIGN;
    }
    if (cd->bad) {
        return LIFE_UBAD;
    }
    if (cd->spare) {
        return cd->spare_group_count == 0 ? LIFE_GHS : LIFE_DHS;
    }
    return LIFE_UGOOD;
}

/* One that is only offered, with a set of somebody else's on it, may be taken for anything by force
 * like every drive with data; but who makes it good wants that set off it. */
static enum life_state life_for(const struct ctl_drive *cd, enum life_command command)
{
    enum life_state life = cd_life(cd);

    return life == LIFE_UGOOD && command == LIFE_SET_GOOD && cd->found != NULL ? LIFE_FOREIGN
                                                                               : life;
}

/* By the state alone. */
static bool state_permits(const struct ctl_drive *cd, enum life_command command,
                          struct reason *ret_reason)
{
    enum reason_code refusal = life_cell(life_for(cd, command), command)->refusal;

    struct returned_place place;

    if (refusal == REASON_OK || (command == LIFE_SET_ONLINE && cd_is_overwritten_used(cd)) ||
        (command == LIFE_REPLACE && refusal == REASON_DRIVE_FOREIGN &&
         cd_is_returned(cd, &place)) ||
        (command == LIFE_SET_ONLINE && cd_is_needed_copy(cd, &place) &&
         !cd_copy_is_older(cd, &place))) {
        return true;
    }
    if (command == LIFE_SET_ONLINE && cd_is_needed_copy(cd, &place)) { /* one that is older */
        place_command(place.cg, place.member, cd, REASON_FOREIGN_COPY_OLDER, ret_reason);
        return false;
    }
    if (refusal == REASON_WRONG_STATE) {
        return refuse_state(ret_reason, cd, life_command_info(command)->op);
    }
    if (refusal == REASON_DRIVE_NOT_UGOOD) {
        return refuse_not_ugood(ret_reason, cd);
    }
    if (refusal == REASON_LAST_COPY) {
        return refuse_last_copy(ret_reason, cd);
    }
    if (refusal == REASON_DRIVE_TOO_SMALL || refusal == REASON_DRIVE_IN_USE) {
        return refuse_unusable(ret_reason, cd);
    }
    return refuse_drive(ret_reason, refusal, cd);
}

/* What commands need besides */

/* Its label has been read, and it is what that says. */
bool rule_drive_lasts(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (cd->path_lost != REASON_DRIVE_PATH_DELETED) {
        return true;
    }
    drive_path(cd, path, sizeof(path));
    reason_set(ret_reason, REASON_DRIVE_IN_USE, "drive", path, "why", "its file was deleted", NULL);
    return false;
}

static bool is_free(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (cd_state(cd) != DRIVE_STATE_UNCONFIGURED_GOOD) {
        return refuse_not_ugood(ret_reason, cd);
    }
    if (cd->drive != NULL && !cd->settled) {
        drive_path(cd, path, sizeof(path));
        reason_set(ret_reason, REASON_BUSY, "key", path, "operation", "reading its label", NULL);
        return false;
    }
    return rule_drive_lasts(cd, ret_reason);
}

static bool is_awake(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return !cd_is_spun_down(cd) || refuse_drive(ret_reason, REASON_DRIVE_SPUN_DOWN, cd);
}

static bool may_spin_down(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!is_awake(cd, ret_reason)) {
        return false;
    }
    if (cd->erase != NULL || (cd->drive != NULL && (!cd->settled || !drive_is_idle(cd->drive)))) {
        return refuse_state(ret_reason, cd, CTL_OP_DRIVE_SPINDOWN);
    }
    return true;
}

static bool may_spin_up(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return cd_is_spun_down(cd) || refuse_drive(ret_reason, REASON_DRIVE_SPUN_UP, cd);
}

static bool may_spare_add(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return is_free(cd, ret_reason) && rule_ports(cd->ctl, 1, ret_reason);
}

/* A member that lost its place may be rebuilt in it, and so may one whose rebuild was stopped. */
static bool may_rebuild_start(const struct ctl_drive *cd, struct reason *ret_reason)
{
    const struct ctl_group *cg = cd->group;

    if (!cg_is_redundant(cg)) {
        reason_set(ret_reason, REASON_NO_REDUNDANCY, "key", cg->object.key, NULL);
        return false;
    }
    if (!rule_group_running(cg, CTL_OP_REBUILD, ret_reason)) {
        return false;
    }
    return cg_config(cg)->members[cd->member].state != MEMBER_REBUILD ||
           rule_operation(operation_of_member(cg, cd->member), TASK_ACTION_START, "The rebuild",
                          ret_reason);
}

static bool may_rebuild(const struct ctl_drive *cd, enum task_action action,
                        struct reason *ret_reason)
{
    return rule_operation(operation_of_member(cd->group, cd->member), action, "The rebuild",
                          ret_reason);
}

static bool may_rebuild_stop(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return may_rebuild(cd, TASK_ACTION_STOP, ret_reason);
}

static bool may_rebuild_pause(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return may_rebuild(cd, TASK_ACTION_PAUSE, ret_reason);
}

static bool may_rebuild_resume(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return may_rebuild(cd, TASK_ACTION_RESUME, ret_reason);
}

/* The group whose copyback a drive is part of, as the one that is filled or the one it is filled
 * from; NULL: none. */
static const struct ctl_group *copyback_group(const struct ctl_drive *cd)
{
    if (cd->copyback_of != NULL) {
        return cd->copyback_of;
    }
    if (cd->group != NULL && cd->group->copyback != NULL &&
        cg_config(cd->group)->copyback.member == cd->member) {
        return cd->group;
    }
    return NULL;
}

static bool may_copyback_start(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (copyback_group(cd) != NULL) {
        reason_set(ret_reason, REASON_ALREADY_RUNNING, "operation", "The copyback", NULL);
        return false;
    }
    if (!rule_group_running(cd->group, CTL_OP_COPYBACK, ret_reason)) {
        return false;
    }
    if (cd->group->copyback != NULL) {
        group_path(cd->group, path, sizeof(path));
        reason_set(ret_reason, REASON_COPYBACK_ONE, "group", path, NULL);
        return false;
    }
    return true;
}

static bool may_copyback(const struct ctl_drive *cd, enum task_action action,
                         struct reason *ret_reason)
{
    const struct ctl_group *cg = copyback_group(cd);

    return cg != NULL
               ? rule_operation(operation_of_copyback(cg), action, "The copyback", ret_reason)
               : refuse_drive(ret_reason, REASON_COPYBACK_NONE, cd);
}

static bool may_copyback_stop(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return may_copyback(cd, TASK_ACTION_STOP, ret_reason);
}

static bool may_copyback_pause(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return may_copyback(cd, TASK_ACTION_PAUSE, ret_reason);
}

static bool may_copyback_resume(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return may_copyback(cd, TASK_ACTION_RESUME, ret_reason);
}

static bool may_be_filled(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return cd->spare || is_free(cd, ret_reason);
}

static bool may_set_offline(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (cd->group->phase != CTL_GROUP_RUNNING) {
        return refuse_state(ret_reason, cd, CTL_OP_DRIVE_OFFLINE);
    }
    return !group_config_is_last_copy(cg_config(cd->group), cd->member) ||
           refuse_last_copy(ret_reason, cd);
}

/* Of a group that does not work, whatever is left of a member may be wanted yet. */
static bool group_can_do_without(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return cg_state(cd->group) != VIRTUAL_DRIVE_STATE_OFFLINE || refuse_last_copy(ret_reason, cd);
}

static bool may_set_missing(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return cd->group == NULL || (group_can_do_without(cd, ret_reason) &&
                                 rule_group_running(cd->group, CTL_OP_DRIVE_MISSING, ret_reason));
}

static bool may_set_jbod(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!is_awake(cd, ret_reason)) {
        return false;
    }
    if (cd->drive != NULL && (!cd->settled || !drive_is_idle(cd->drive))) {
        return refuse_state(ret_reason, cd, CTL_OP_DRIVE_JBOD);
    }
    return cd->drive == NULL || cd->claimed_here ||
           refuse_drive(ret_reason, REASON_JBOD_CONFIGURED, cd);
}

static bool may_set_good(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!cd->jbod && cd->drive == NULL && cd->found == NULL) {
        return refuse_state(ret_reason, cd, CTL_OP_DRIVE_GOOD);
    }
    if (cd->group != NULL && !group_can_do_without(cd, ret_reason)) {
        return false;
    }
    return is_awake(cd, ret_reason);
}

static bool may_erase(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (cd->drive != NULL && !cd->settled) {
        drive_path(cd, path, sizeof(path));
        reason_set(ret_reason, REASON_BUSY, "key", path, "operation", "reading its label", NULL);
        return false;
    }
    return cd->erase == NULL || refuse_drive(ret_reason, REASON_DRIVE_ERASING, cd);
}

/* What this kind of drive cannot do in any state. */
static bool kind_permits(const struct ctl_drive *cd, enum life_command command,
                         struct reason *ret_reason)
{
    if (command == LIFE_SET_JBOD && cd->identity.emulated) {
        return refuse_drive(ret_reason, REASON_JBOD_EMULATED, cd);
    }
    if (command == LIFE_LOCATE && cd->emulated == NULL) {
        return refuse_drive(ret_reason, REASON_NO_LOCATE_LED, cd);
    }
    return true;
}

/* What gives the drive to something else. */
static bool gives_away(enum life_command command)
{
    return command == LIFE_CREATE || command == LIFE_REPLACE || command == LIFE_SPARE_ADD ||
           command == LIFE_COPYBACK_TARGET || command == LIFE_SET_JBOD ||
           command == LIFE_SET_GOOD || command == LIFE_ERASE_START;
}

bool rule_drive(const struct ctl_drive *cd, enum life_command command, struct reason *ret_reason)
{
    static bool (*const needs[LIFE_COMMAND_MAX])(const struct ctl_drive *cd,
                                                 struct reason *ret_reason) = {
        [LIFE_CREATE] = is_free,
        [LIFE_REPLACE] = is_free,
        [LIFE_SPARE_ADD] = may_spare_add,
        [LIFE_SPARE_REMOVE] = is_awake,
        [LIFE_REBUILD_START] = may_rebuild_start,
        [LIFE_REBUILD_STOP] = may_rebuild_stop,
        [LIFE_REBUILD_PAUSE] = may_rebuild_pause,
        [LIFE_REBUILD_RESUME] = may_rebuild_resume,
        [LIFE_COPYBACK_START] = may_copyback_start,
        [LIFE_COPYBACK_STOP] = may_copyback_stop,
        [LIFE_COPYBACK_PAUSE] = may_copyback_pause,
        [LIFE_COPYBACK_RESUME] = may_copyback_resume,
        [LIFE_COPYBACK_TARGET] = may_be_filled,
        [LIFE_SET_OFFLINE] = may_set_offline,
        [LIFE_SET_MISSING] = may_set_missing,
        [LIFE_SET_JBOD] = may_set_jbod,
        [LIFE_SET_GOOD] = may_set_good,
        [LIFE_ERASE_START] = may_erase,
        [LIFE_SPIN_DOWN] = may_spin_down,
        [LIFE_SPIN_UP] = may_spin_up,
    };
    struct reason reason UNINITIALIZED; /* ret_reason stays as it is if nothing speaks against it */

    ASSERT((unsigned)command < LIFE_COMMAND_MAX);
    if (!rule_online(cd->ctl, &reason) || !kind_permits(cd, command, &reason) ||
        (gives_away(command) &&
         (!rule_not_needed_elsewhere(cd, &reason) || !rule_not_needed_here(cd, &reason))) ||
        !state_permits(cd, command, &reason) ||
        (needs[command] != NULL && !needs[command](cd, &reason))) {
        reason_copy(ret_reason, &reason);
        return false;
    }
    return true;
}

/* A group waits for a drive of this serial number, and this one has no label: it may have become
 * larger or smaller, and then the label is not looked for where it is. */
const struct ctl_group *group_that_waits(const struct ctl_drive *cd)
{
    LIST_FOR_EACH (node, &cd->ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);

        for (uint32_t i = 0; cg->phase == CTL_GROUP_WAITING && i < cg_config(cg)->member_count;
             i++) {
            if (cg->members[i] == NULL && !cg_member_is_vacant(cg, i) &&
                cd_has_serial(cd, cg_config(cg)->members[i].serial)) {
                return cg;
            }
        }
    }
    return NULL;
}

/* The place of a drive of this serial number is empty. */
const struct ctl_group *group_that_lacks(const struct ctl_drive *cd)
{
    LIST_FOR_EACH (node, &cd->ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);

        for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
            if (cg->members[i] == NULL && cd_has_serial(cd, cg_config(cg)->members[i].serial)) {
                return cg;
            }
        }
    }
    return NULL;
}

static bool refuse_data(struct reason *ret_reason, const struct ctl_drive *cd, const char *what)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    reason_set(ret_reason, REASON_DRIVE_HAS_DATA, "drive", path, "signature", what, NULL);
    return false;
}

/* Also asked before the controller is online, when members are put back in their places. */
bool rule_drive_for_use(const struct ctl_drive *cd, enum life_command command, bool force,
                        bool serial_given, struct reason *ret_reason)
{
    const struct ctl_group *cg = NULL;
    struct returned_place place;
    char group[PATH_TEXT_BYTES];
    char what[PATH_TEXT_BYTES + 48];

    ASSERT(command <= LIFE_SPARE_ADD || command == LIFE_COPYBACK_TARGET);
    if (!rule_not_needed_elsewhere(cd, ret_reason) || !rule_not_needed_here(cd, ret_reason) ||
        !state_permits(cd, command, ret_reason) || !is_free(cd, ret_reason)) {
        return false;
    }
    if (force && serial_given) {
        return true;
    }
    if (cd->signature[0] != '\0') {
        return refuse_data(ret_reason, cd, cd->signature);
    }
    cg = group_that_waits(cd);
    if (cg == NULL && !cd_is_returned(cd, &place)) {
        return true;
    }
    group_path(cg != NULL ? cg : place.cg, group, sizeof(group));
    (void)snprintf(what, sizeof(what),
                   cg != NULL ? "what drive group %s waits for" : "former data of drive group %s",
                   group);
    return refuse_data(ret_reason, cd, what);
}

/* As a member of a foreign set that becomes ours. */
bool rule_drive_import(const struct ctl_drive *cd, struct reason *ret_reason)
{
    struct reason cause;
    const char *name = NULL;

    if (!cd->present) {
        return refuse_drive(ret_reason, REASON_DRIVE_GONE, cd);
    }
    if (cd->group != NULL || cd->spare || cd->jbod || cd->erase != NULL) {
        return refuse_not_ugood(ret_reason, cd);
    }
    if (cd->claimed_elsewhere && cd->drive == NULL) {
        name = strrchr(cd->identity.device, '/'); /* files and devices go by that */
        reason_set(&cause, REASON_DRIVE_UNSUITABLE_CLAIMED, "device",
                   name != NULL ? name + 1 : cd->identity.device, NULL);
        return refuse_in_use(ret_reason, cd, &cause);
    }
    return !is_unusable(cd) || refuse_unusable(ret_reason, cd);
}

bool rule_copyback_target(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member,
                          struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (!rule_group_running(cg, CTL_OP_COPYBACK, ret_reason)) {
        return false;
    }
    group_path(cg, path, sizeof(path));
    if (cg->copyback != NULL || cg_config(cg)->copyback.active) {
        reason_set(ret_reason, REASON_COPYBACK_ONE, "group", path, NULL);
        return false;
    }
    if (cg_config(cg)->members[member].state != MEMBER_ONLINE) {
        reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state", "not in sync", "op",
                   ctl_op_said(CTL_OP_COPYBACK), NULL);
        return false;
    }
    if (!rule_drive(cd, LIFE_COPYBACK_TARGET, ret_reason) ||
        (!cd->spare && !rule_drive_for_use(cd, LIFE_COPYBACK_TARGET, false, false, ret_reason))) {
        return false;
    }
    return drive_fits_group(cd, cg, ret_reason);
}

bool rule_fault_inject(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    return cd->emulated != NULL ? true : refuse_drive(ret_reason, REASON_NOT_EMULATED, cd);
}
