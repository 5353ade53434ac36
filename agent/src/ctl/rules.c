/*
 * May it be done now? The same answers serve the `blocked` maps of the documents and the
 * commands themselves, so that what looks possible is.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

static bool refuse(struct reason *ret_reason, const struct reason *reason)
{
    *ret_reason = *reason;
    return false;
}

static bool refuse_drive(struct reason *ret_reason, enum reason_code code,
                         const struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    reason_set(ret_reason, code, "drive", path, NULL);
    return false;
}

static bool refuse_drive_state(struct reason *ret_reason, const struct ctl_drive *cd,
                               const char *op)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state",
               drive_state_short(cd_state(cd)), "op", op, NULL);
    return false;
}

bool rule_online(const struct ctl *ctl, struct reason *ret_reason)
{
    switch (ctl->life) {
    case CTL_LIFE_NEW:
    case CTL_LIFE_STARTING:
        reason_set(ret_reason, REASON_NOT_ONLINE, NULL);
        return false;
    case CTL_LIFE_STOPPING:
    case CTL_LIFE_STOPPED:
        reason_set(ret_reason, REASON_SHUTTING_DOWN, NULL);
        return false;
    case CTL_LIFE_ONLINE:
        return true;
    }
    UNREACHABLE();
}

bool rule_unused(const struct ctl *ctl, const char *key, const char *name, enum reason_code code,
                 struct reason *ret_reason)
{
    uint32_t connections = 0;
    char text[16];

    if (ctl->observer.export_connections != NULL) {
        connections = ctl->observer.export_connections(ctl->observer.context, key);
    }
    if (connections == 0) {
        return true;
    }
    (void)snprintf(text, sizeof(text), "%u", connections);
    reason_set(ret_reason, code, "name", name, "connections", text, NULL);
    return false;
}

bool rule_confirmed(const char *typed, const char *expected, struct reason *ret_reason)
{
    if (typed[0] != '\0' && strcmp(typed, expected) == 0) {
        return true;
    }
    reason_set(ret_reason, typed[0] == '\0' ? REASON_CONFIRM_NEEDED : REASON_CONFIRM_MISMATCH,
               "expected", expected, NULL);
    return false;
}

static bool rule_not_unsuitable(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];
    size_t length = 0;

    if (!cd->has_unsuitable || cd->unsuitable.code == REASON_DRIVE_UNSUITABLE_SIGNATURE) {
        return true;
    }
    drive_path(cd, path, sizeof(path));
    if (cd->unsuitable.code == REASON_DRIVE_UNSUITABLE_SMALL) {
        char size[24];
        char needed[24];

        (void)snprintf(size, sizeof(size), "%llu", (unsigned long long)cd_usable_bytes(cd));
        (void)snprintf(needed, sizeof(needed), "%llu", 1ull << 20);
        reason_set(ret_reason, REASON_DRIVE_TOO_SMALL, "drive", path, "size_bytes", size,
                   "needed_bytes", needed, NULL);
        return false;
    }
    length = reason_text(&cd->unsuitable, why, sizeof(why));
    if (length > 0 && why[length - 1] == '.') {
        why[length - 1] = '\0'; /* it goes into another sentence */
    }
    reason_set(ret_reason, REASON_DRIVE_IN_USE, "drive", path, "why", why, NULL);
    return false;
}

/* Unconfigured good, and nothing on it that was not allowed to be overwritten. */
bool rule_drive_for_use(const struct ctl_drive *cd, bool force, bool serial_given,
                        struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (!cd->present) {
        return refuse_drive(ret_reason, REASON_DRIVE_GONE, cd);
    }
    if (!rule_not_unsuitable(cd, ret_reason)) {
        return false;
    }
    if (cd->foreign) {
        return refuse_drive(ret_reason, REASON_DRIVE_FOREIGN, cd);
    }
    drive_path(cd, path, sizeof(path));
    if (cd->group != NULL || cd->spare || cd->jbod ||
        cd_state(cd) != DRIVE_STATE_UNCONFIGURED_GOOD) {
        reason_set(ret_reason, REASON_DRIVE_NOT_UGOOD, "drive", path, "state",
                   drive_state_short(cd_state(cd)), NULL);
        return false;
    }
    if (cd->drive != NULL && !cd->settled) {
        reason_set(ret_reason, REASON_BUSY, "key", path, "operation", "reading its label", NULL);
        return false;
    }
    if (cd->signature[0] != '\0' && !(force && serial_given)) {
        reason_set(ret_reason, REASON_DRIVE_HAS_DATA, "drive", path, "signature", cd->signature,
                   NULL);
        return false;
    }
    return true;
}

bool rule_drive_import(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (!cd->present) {
        return refuse_drive(ret_reason, REASON_DRIVE_GONE, cd);
    }
    if (cd->group != NULL || cd->spare || cd->jbod) {
        drive_path(cd, path, sizeof(path));
        reason_set(ret_reason, REASON_DRIVE_NOT_UGOOD, "drive", path, "state",
                   drive_state_short(cd_state(cd)), NULL);
        return false;
    }
    return rule_not_unsuitable(cd, ret_reason);
}

/* A model of controller has so many ports: those of drives in use, and of `more`
 * new ones. A lost member's port is free once its drive has left. */
bool rule_ports(const struct ctl *ctl, uint32_t more, struct reason *ret_reason)
{
    const struct controller_profile *profile = &ctl->options.profile;
    uint32_t needed = more;
    char ports[16];
    char text[16];

    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd->present && (cd->group != NULL || cd->spare)) {
            needed++;
        }
    }
    if (profile->ports == 0 || needed <= profile->ports) {
        return true;
    }
    (void)snprintf(ports, sizeof(ports), "%u", profile->ports);
    (void)snprintf(text, sizeof(text), "%u", needed);
    reason_set(ret_reason, REASON_NO_PORT, "model", profile->model, "ports", ports, "needed", text,
               NULL);
    return false;
}

/* Signatures are not in the way here: that depends on the command's force and serial. */
bool rule_spare_add(const struct ctl_drive *cd, struct reason *ret_reason)
{
    struct reason reason;

    if (!rule_online(cd->ctl, &reason) || !rule_drive_for_use(cd, true, true, &reason) ||
        !rule_ports(cd->ctl, 1, &reason)) {
        return refuse(ret_reason, &reason);
    }
    return true;
}

bool rule_spare_remove(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    return cd->spare && cd->present ? true : refuse_drive(ret_reason, REASON_NOT_A_SPARE, cd);
}

static bool rule_operation(const struct ctl_operation *op, enum task_action action,
                           const char *name, struct reason *ret_reason)
{
    bool paused = op != NULL && op->status.state == OPERATION_STATE_PAUSED;

    switch (action) {
    case TASK_ACTION_START:
        if (op != NULL) {
            reason_set(ret_reason, REASON_ALREADY_RUNNING, "operation", name, NULL);
        }
        return op == NULL;
    case TASK_ACTION_STOP:
        if (op == NULL) {
            reason_set(ret_reason, REASON_NOT_RUNNING, "operation", name, NULL);
        }
        return op != NULL;
    case TASK_ACTION_PAUSE:
        if (op == NULL || paused) {
            reason_set(ret_reason, REASON_NOT_RUNNING, "operation", name, NULL);
        }
        return op != NULL && !paused;
    case TASK_ACTION_RESUME:
        if (!paused) {
            reason_set(ret_reason, op != NULL ? REASON_ALREADY_RUNNING : REASON_NOT_RUNNING,
                       "operation", name, NULL);
        }
        return paused;
    case TASK_ACTION_MAX:
        break;
    }
    UNREACHABLE();
}

/* A member that lost its place may be rebuilt in it; one in rebuild may be controlled. */
bool rule_rebuild(const struct ctl_drive *cd, enum task_action action, struct reason *ret_reason)
{
    const struct ctl_group *cg = cd->group;
    enum member_state state = MEMBER_STATE_MAX;

    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    if (cg != NULL) {
        state = cg_config(cg)->members[cd->member].state;
    }
    if (action != TASK_ACTION_START) {
        if (cg == NULL || state != MEMBER_REBUILD) {
            return refuse_drive(ret_reason, REASON_NOT_REBUILDING, cd);
        }
        return rule_operation(operation_of_member(cg, cd->member), action, "The rebuild",
                              ret_reason);
    }
    if (cg == NULL || state == MEMBER_ONLINE || !cd->present) {
        return refuse_drive(ret_reason, REASON_NOTHING_TO_REBUILD, cd);
    }
    if (!cg_is_redundant(cg)) {
        reason_set(ret_reason, REASON_NO_REDUNDANCY, "key", cg->object.key, NULL);
        return false;
    }
    if (!rule_group_running(cg, "rebuild", ret_reason)) {
        return false;
    }
    return state != MEMBER_REBUILD ||
           rule_operation(operation_of_member(cg, cd->member), action, "The rebuild", ret_reason);
}

bool rule_copyback_target(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member,
                          struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (!rule_group_running(cg, "copyback", ret_reason)) {
        return false;
    }
    if (cg->copyback != NULL || cg_config(cg)->copyback.active) {
        group_path(cg, path, sizeof(path));
        reason_set(ret_reason, REASON_COPYBACK_ONE, "group", path, NULL);
        return false;
    }
    if (cg_config(cg)->members[member].state != MEMBER_ONLINE) {
        group_path(cg, path, sizeof(path));
        reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state", "not in sync", "op",
                   "copyback", NULL);
        return false;
    }
    if (!cd->spare && !rule_drive_for_use(cd, false, false, ret_reason)) {
        return false;
    }
    if (!cd->present) {
        return refuse_drive(ret_reason, REASON_DRIVE_GONE, cd);
    }
    if (cd->copyback_of != NULL) {
        return refuse_drive(ret_reason, REASON_COPYBACK_RUNNING, cd);
    }
    return drive_fits_group(cd, cg, ret_reason);
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

bool rule_copyback(const struct ctl_drive *cd, enum task_action action, struct reason *ret_reason)
{
    const struct ctl_group *cg = copyback_group(cd);
    char path[PATH_TEXT_BYTES];

    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    if (action != TASK_ACTION_START) {
        return cg != NULL
                   ? rule_operation(operation_of_copyback(cg), action, "The copyback", ret_reason)
                   : refuse_drive(ret_reason, REASON_COPYBACK_NONE, cd);
    }
    if (cg != NULL) {
        reason_set(ret_reason, REASON_ALREADY_RUNNING, "operation", "The copyback", NULL);
        return false;
    }
    if (cd->group == NULL || cg_config(cd->group)->members[cd->member].state != MEMBER_ONLINE) {
        return refuse_drive_state(ret_reason, cd, "copyback");
    }
    if (!rule_group_running(cd->group, "copyback", ret_reason)) {
        return false;
    }
    if (cd->group->copyback != NULL) {
        group_path(cd->group, path, sizeof(path));
        reason_set(ret_reason, REASON_COPYBACK_ONE, "group", path, NULL);
        return false;
    }
    return true;
}

bool rule_drive_offline(const struct ctl_drive *cd, struct reason *ret_reason)
{
    const struct ctl_group *cg = cd->group;
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    if (cg == NULL || cg->phase != CTL_GROUP_RUNNING || cg_member_is_vacant(cg, cd->member)) {
        return refuse_drive_state(ret_reason, cd, "drive_offline");
    }
    if (group_config_is_last_copy(cg_config(cg), cd->member)) {
        drive_path(cd, path, sizeof(path));
        group_path(cg, group, sizeof(group));
        reason_set(ret_reason, REASON_LAST_COPY, "drive", path, "group", group, NULL);
        return false;
    }
    return true;
}

/* Lost beyond redundancy: what it holds is still needed (vd/group.h (7)). */
static bool is_needed(const struct ctl_drive *cd)
{
    return cd->group != NULL && cd->group->phase == CTL_GROUP_RUNNING &&
           group_member_is_unsaved(cd->group->group, cd->member);
}

bool rule_drive_online(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    if (!cd->present) {
        return refuse_drive(ret_reason, REASON_DRIVE_GONE, cd);
    }
    return is_needed(cd) || refuse_drive_state(ret_reason, cd, "drive_online");
}

/* Whatever is on it and whoever uses it on the host: that is what the state is for. */
bool rule_drive_jbod(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    if (!cd->present) {
        return refuse_drive(ret_reason, REASON_DRIVE_GONE, cd);
    }
    if (cd->identity.emulated) {
        return refuse_drive(ret_reason, REASON_JBOD_EMULATED, cd);
    }
    if (cd->group != NULL || cd->spare || cd->foreign || cd->jbod ||
        (cd->drive != NULL && (!cd->settled || !drive_is_idle(cd->drive)))) {
        return refuse_drive_state(ret_reason, cd, "drive_jbod");
    }
    if (cd->drive != NULL && !cd->claimed_here) {
        return refuse_drive(ret_reason, REASON_JBOD_CONFIGURED, cd);
    }
    return true;
}

bool rule_drive_good(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    if (!cd->present) {
        return refuse_drive(ret_reason, REASON_DRIVE_GONE, cd);
    }
    if (cd->jbod) {
        return true; /* nothing is written: it is judged by what is on it again */
    }
    if (!rule_not_unsuitable(cd, ret_reason)) {
        return false;
    }
    if (is_needed(cd)) {
        drive_path(cd, path, sizeof(path));
        group_path(cd->group, group, sizeof(group));
        reason_set(ret_reason, REASON_LAST_COPY, "drive", path, "group", group, NULL);
        return false;
    }
    if (cd->group != NULL && cg_member_is_vacant(cd->group, cd->member)) {
        return true; /* a member that is no longer trusted gives up its place */
    }
    if (cd->group != NULL || cd->drive == NULL || (!cd->foreign && !cd->bad)) {
        return refuse_drive_state(ret_reason, cd, "drive_good");
    }
    return true;
}

bool rule_drive_locate(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    return cd->emulated != NULL ? true : refuse_drive(ret_reason, REASON_NO_LOCATE_LED, cd);
}

bool rule_fault_inject(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (!rule_online(cd->ctl, ret_reason)) {
        return false;
    }
    return cd->emulated != NULL ? true : refuse_drive(ret_reason, REASON_NOT_EMULATED, cd);
}

bool rule_bgi(const struct ctl_vd *cv, enum task_action action, struct reason *ret_reason)
{
    const struct vd_config *config = cv_config(cv);

    if (!rule_online(cv->cg->ctl, ret_reason)) {
        return false;
    }
    if (geometry_span_tolerance(&config->geometry) == 0) {
        reason_set(ret_reason, REASON_NO_REDUNDANCY, "key", cv->object.key, NULL);
        return false;
    }
    if (!rule_group_running(cv->cg, "bgi", ret_reason)) {
        return false;
    }
    if (cv->removing) {
        reason_set(ret_reason, REASON_BUSY, "key", config->name, "operation", "its deletion", NULL);
        return false;
    }
    if (vd_is_consistent(cv->vd) && operation_of_vd(cv) == NULL) {
        reason_set(ret_reason, REASON_ALREADY_CONSISTENT, "name", config->name, NULL);
        return false;
    }
    return rule_operation(operation_of_vd(cv), action, "The background initialization", ret_reason);
}

bool rule_group_running(const struct ctl_group *cg, const char *op, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    group_path(cg, path, sizeof(path));
    if (cg->phase != CTL_GROUP_RUNNING && cg->elsewhere_problem != NULL) {
        reason_set(ret_reason, REASON_GROUP_CHANGED_ELSEWHERE, "group", path, "why",
                   cg->elsewhere_problem, NULL);
        return false;
    }
    if (cg->phase != CTL_GROUP_RUNNING) {
        reason_set(ret_reason, REASON_GROUP_NOT_STARTED, "group", path, NULL);
        return false;
    }
    if (cg_state(cg) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state",
                   virtual_drive_state_short(cg_state(cg)), "op", op, NULL);
        return false;
    }
    return true;
}

bool rule_drive_replace(const struct ctl_group *cg, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (!rule_online(cg->ctl, ret_reason) || !rule_group_running(cg, "drive_replace", ret_reason)) {
        return false;
    }
    group_path(cg, path, sizeof(path));
    if (!cg_is_redundant(cg)) {
        reason_set(ret_reason, REASON_NO_REDUNDANCY, "key", path, NULL);
        return false;
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (cg_member_is_vacant(cg, i)) {
            return true;
        }
    }
    reason_set(ret_reason, REASON_NO_VACANT_PLACE, "group", path, NULL);
    return false;
}

bool rule_group_create(const struct ctl_group *cg, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (!rule_online(cg->ctl, ret_reason) || !rule_group_running(cg, "vd_create", ret_reason)) {
        return false;
    }
    group_path(cg, path, sizeof(path));
    if (cg_config(cg)->vd_count == GROUP_VDS_MAX) {
        char maximum[8];

        (void)snprintf(maximum, sizeof(maximum), "%u", GROUP_VDS_MAX);
        reason_set(ret_reason, REASON_TOO_MANY_VIRTUAL_DRIVES, "maximum", maximum, NULL);
        return false;
    }
    if (group_space_free(cg) == 0) {
        reason_set(ret_reason, REASON_GROUP_FULL, "group", path, NULL);
        return false;
    }
    return true;
}
