/*
 * May it be done now? The same answers serve the `blocked` maps of the documents and the
 * commands themselves, so that what looks possible is.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

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

void reason_too_small(struct reason *ret_reason, enum reason_code code, const struct ctl_drive *cd,
                      const struct ctl_group *cg, uint64_t has_bytes, uint64_t needed_bytes)
{
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES] = "";
    char has[24];
    char needed[24];
    char missing[24];

    ASSERT(needed_bytes > 0);
    drive_path(cd, path, sizeof(path));
    (void)snprintf(has, sizeof(has), "%llu", (unsigned long long)has_bytes);
    (void)snprintf(needed, sizeof(needed), "%llu", (unsigned long long)needed_bytes);
    (void)snprintf(missing, sizeof(missing), "%llu",
                   (unsigned long long)(needed_bytes > has_bytes ? needed_bytes - has_bytes : 0));
    if (cg == NULL) {
        reason_set(ret_reason, code, "drive", path, "size_bytes", has, "needed_bytes", needed,
                   "missing_bytes", missing, NULL);
        return;
    }
    group_path(cg, group, sizeof(group));
    reason_set(ret_reason, code, "drive", path, "group", group, "size_bytes", has, "needed_bytes",
               needed, "missing_bytes", missing, NULL);
}

void size_difference(uint64_t bytes, char out[24])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    uint64_t unit_bytes = 1024;
    size_t unit = 0;

    while (unit + 1 < sizeof(units) / sizeof(units[0]) && bytes >= unit_bytes * 1024) {
        unit_bytes *= 1024;
        unit++;
    }
    if (bytes < 1024) {
        (void)snprintf(out, 24, "%llu bytes", (unsigned long long)bytes);
        return;
    }
    (void)snprintf(out, 24, "%llu %s", (unsigned long long)((bytes + unit_bytes - 1) / unit_bytes),
                   units[unit]);
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

/* A model of controller has so many ports: those of drives in use, and of `more`
 * new ones. A lost member's port is free once its drive has left. */
bool rule_ports(const struct ctl *ctl, uint32_t more, struct reason *ret_reason)
{
    const struct controller_profile *profile = &ctl->options.profile;
    uint32_t needed = more;
    char ports[16];
    char text[16];

    if (profile->ports == 0) {
        return true;
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd->present && (cd->group != NULL || cd->spare)) {
            needed++;
        }
    }
    if (needed <= profile->ports) {
        return true;
    }
    (void)snprintf(ports, sizeof(ports), "%u", profile->ports);
    (void)snprintf(text, sizeof(text), "%u", needed);
    reason_set(ret_reason, REASON_NO_PORT, "model", profile->model, "ports", ports, "needed", text,
               NULL);
    return false;
}

bool rule_operation(const struct ctl_operation *op, enum task_action action, const char *name,
                    struct reason *ret_reason)
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
    if (!rule_group_running(cv->cg, CTL_OP_BGI, ret_reason)) {
        return false;
    }
    if (cv->removing) {
        return rule_vd_busy(cv, "its deletion", ret_reason);
    }
    if (vd_is_consistent(cv->vd) && operation_of_vd(cv) == NULL) {
        reason_set(ret_reason, REASON_ALREADY_CONSISTENT, "name", config->name, NULL);
        return false;
    }
    return rule_operation(operation_of_vd(cv), action, "The background initialization", ret_reason);
}

bool rule_vd_busy(const struct ctl_vd *cv, const char *with, struct reason *ret_reason)
{
    char title[PATH_TEXT_BYTES];

    vd_title(cv, title, sizeof(title)); /* a bare name may read as a word */
    reason_set(ret_reason, REASON_BUSY, "key", title, "operation", with, NULL);
    return false;
}

bool rule_group_running(const struct ctl_group *cg, enum ctl_op op, struct reason *ret_reason)
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
                   virtual_drive_state_short(cg_state(cg)), "op", ctl_op_said(op), NULL);
        return false;
    }
    return true;
}

bool rule_drive_replace(const struct ctl_group *cg, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (!rule_online(cg->ctl, ret_reason) ||
        !rule_group_running(cg, CTL_OP_DRIVE_REPLACE, ret_reason)) {
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

    if (!rule_online(cg->ctl, ret_reason) ||
        !rule_group_running(cg, CTL_OP_VD_CREATE, ret_reason)) {
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
