/*
 * Events: numbered without gaps, with the sentence filled in, handed to the event port.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/template.h"
#include "ctl/ctl_private.h"

/* Parameters may come in any order; each of the kind's must be there. */
static void params_fill(const struct event_kind *kind, struct event *event, va_list list)
{
    const char *name = NULL;
    uint32_t given = 0;

    event->param_count = kind->param_count;
    while ((name = va_arg(list, const char *)) != NULL) {
        const char *value = va_arg(list, const char *);
        uint32_t i = 0;

        while (i < kind->param_count && strcmp(kind->param_names[i], name) != 0) {
            i++;
        }
        ASSERT(i < kind->param_count);
        (void)snprintf(event->params[i].name, sizeof(event->params[i].name), "%s", name);
        /* A long value is cut; the object's key names it in full. */
        (void)snprintf(event->params[i].value, sizeof(event->params[i].value), "%s", value);
        given++;
    }
    ASSERT(given == kind->param_count);
}

static const char *param_value(const void *context, const char *name, size_t name_bytes)
{
    const struct event *event = context;

    for (uint32_t i = 0; i < event->param_count; i++) {
        if (strlen(event->params[i].name) == name_bytes &&
            memcmp(event->params[i].name, name, name_bytes) == 0) {
            return event->params[i].value;
        }
    }
    return NULL;
}

void ctl_event(struct ctl *ctl, enum event_id id, const char *object_key, ...)
{
    const struct event_kind *kind = event_kind(id);
    struct event event = {.code = kind->code, .class_ = kind->class_, .locale = kind->locale};
    va_list list;

    event.seq = ctl->host->event_seq++;
    event.wall_us = clock_wall_us(ctl->ports.clock);
    event.monotonic_us = clock_now_us(ctl->ports.clock);
    (void)snprintf(event.object_kind, sizeof(event.object_kind), "%s", kind->object_kind);
    (void)snprintf(event.object_key, sizeof(event.object_key), "%s", object_key);
    va_start(list, object_key);
    params_fill(kind, &event, list);
    va_end(list);
    (void)template_fill(kind->text, param_value, &event, event.text, sizeof(event.text));
    ctl->ports.events->ops->publish(ctl->ports.events, &event);
}

/* Why it has changed. That it refuses writes just now is no reason to be online. */
static bool change_reason(const struct ctl_drive *cd, struct reason *ret_reason)
{
    struct reason refusal;

    return cd_state_reason(cd, ret_reason) &&
           !(cd_state(cd) == DRIVE_STATE_ONLINE && cd_refusal_reason(cd, &refusal) &&
             refusal.code == ret_reason->code);
}

void event_drive_state(struct ctl_drive *cd, enum drive_state old)
{
    char path[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX] = "";
    struct reason reason;

    drive_path(cd, path, sizeof(path));
    if (change_reason(cd, &reason)) {
        (void)reason_text(&reason, why, sizeof(why));
    }
    ctl_event(cd->ctl, EVENT_DRIVE_STATE_CHANGED, cd->identity.key, "drive", path, "old",
              drive_state_short(old), "new", drive_state_short(cd_state(cd)), "why",
              why[0] != '\0' ? why : "as configured", NULL);
}

static enum event_id vd_state_event(enum virtual_drive_state state)
{
    switch (state) {
    case VIRTUAL_DRIVE_STATE_OPTIMAL:
        return EVENT_VIRTUAL_DRIVE_OPTIMAL;
    case VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED:
        return EVENT_VIRTUAL_DRIVE_PARTIALLY_DEGRADED;
    case VIRTUAL_DRIVE_STATE_DEGRADED:
        return EVENT_VIRTUAL_DRIVE_DEGRADED;
    case VIRTUAL_DRIVE_STATE_OFFLINE:
        return EVENT_VIRTUAL_DRIVE_OFFLINE;
    case VIRTUAL_DRIVE_STATE_STARTING: /* no news yet */
    case VIRTUAL_DRIVE_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

void event_vd_state(struct ctl_vd *cv, enum virtual_drive_state old)
{
    char title[PATH_TEXT_BYTES];

    ASSERT(cv->seen_state != old);
    vd_title(cv, title, sizeof(title));
    ctl_event(cv->cg->ctl, EVENT_VIRTUAL_DRIVE_STATE_CHANGED, cv->object.key, "virtual_drive",
              title, "old", virtual_drive_state_short(old), "new",
              virtual_drive_state_short(cv->seen_state), NULL);
    ctl_event(cv->cg->ctl, vd_state_event(cv->seen_state), cv->object.key, "virtual_drive", title,
              NULL);
}
