/*
 * The load of drives and virtual drives, and counters_reset, which makes read-ahead forget the
 * streams it has seen too.
 */
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

bool ctl_drive_load(const struct ctl *ctl, const char *key, struct ctl_load *ret_load)
{
    const struct ctl_drive *cd = drive_by_key(ctl, key);

    if (cd == NULL || cd->drive == NULL) {
        return false;
    }
    *ret_load = (struct ctl_load){.latency = drive_latency(cd->drive),
                                  .queued = drive_queued_all(cd->drive)};
    return true;
}

bool ctl_vd_load(const struct ctl *ctl, const char *key, struct ctl_load *ret_load)
{
    const struct ctl_vd *cv = vd_by_key(ctl, key);

    if (cv == NULL || cv->vd == NULL) {
        return false;
    }
    *ret_load = (struct ctl_load){
        .latency = vd_latency(cv->vd), .queued = vd_requests(cv->vd), .cached = cv->cached != NULL};
    if (cv->cached != NULL) {
        vd_cached_reads(cv->cached, &ret_load->hit_bytes, &ret_load->miss_bytes);
    }
    return true;
}

static void drive_reset(struct ctl_drive *cd)
{
    if (cd->drive != NULL) { /* otherwise nothing has been counted */
        drive_latency_reset(cd->drive);
    }
}

static void vd_reset(struct ctl_vd *cv)
{
    if (cv->vd != NULL) {
        vd_latency_reset(cv->vd);
    }
    if (cv->cached != NULL) {
        vd_cached_streams_reset(cv->cached);
    }
}

static void all_reset(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        drive_reset(list_entry(node, struct ctl_drive, link));
    }
    LIST_FOR_EACH (node, &ctl->groups) {
        LIST_FOR_EACH (vd_node, &list_entry(node, struct ctl_group, link)->vds) {
            vd_reset(list_entry(vd_node, struct ctl_vd, link));
        }
    }
}

/* The object whose counters have been reset; NULL: there is none of that name. */
static struct ctl_object *counters_reset(struct ctl *ctl, enum object_kind kind, const char *key)
{
    struct ctl_drive *cd = NULL;
    struct ctl_vd *cv = NULL;

    if (kind == OBJECT_KIND_CONTROLLER) {
        if (strcmp(key, controller_key(ctl)) != 0) {
            return NULL;
        }
        all_reset(ctl);
        return &ctl->controller;
    }
    if (kind == OBJECT_KIND_DRIVE) {
        cd = drive_by_key(ctl, key);
        if (cd == NULL) {
            return NULL;
        }
        drive_reset(cd);
        return &cd->object;
    }
    ASSERT(kind == OBJECT_KIND_VIRTUAL_DRIVE);
    cv = vd_by_key(ctl, key);
    if (cv == NULL) {
        return NULL;
    }
    vd_reset(cv);
    return &cv->object;
}

void command_counters_reset(struct ctl *ctl, struct ctl_command *command)
{
    enum object_kind kind = command->args.counters_reset.kind;
    const char *key = command->args.counters_reset.key;
    struct ctl_object *object = counters_reset(ctl, kind, key);
    struct reason reason;

    if (object == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", object_kind_word(kind), "key", key,
                   NULL);
        command_finish(ctl, &reason);
        return;
    }
    ctl_event(ctl, EVENT_COUNTERS_RESET, controller_key(ctl), "object", key, NULL);
    command_object_add(command, object);
    command_done(ctl);
}
