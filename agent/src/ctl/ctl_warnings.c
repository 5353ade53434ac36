/*
 * A drive that has predicted its failure, or is spent, has not recovered because the agent was
 * started again, and its media errors have happened (meta/drive_warnings.h).
 *
 * (1) What is seen counts at once and is saved soon after, errors in a bunch.
 * (2) It ends with the drive's life (drive/drive_life.h). Of a drive that is not there it is kept.
 * (3) What the drive says of itself (ctl_smart.c) is asked anew.
 */
#include "ctl/ctl_warnings.h"

#include <errno.h>
#include <stdio.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

#define SAVE_AGAIN_US UINT64_C(10000000)

int ctl_warnings_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    struct ctl_warnings *warnings = &ctl->losses.warnings;
    size_t bytes = 0;
    int error = store->ops->get(store, DRIVE_WARNINGS_NAME, warnings->bytes,
                                sizeof(warnings->bytes), &bytes);

    if (error == 0) {
        error = drive_warnings_decode(warnings->bytes, bytes, &warnings->list);
    }
    return error == -ENOMEM ? error : 0; /* drive_warnings.h (1) */
}

void cd_past_restore(struct ctl_drive *cd)
{
    const struct drive_past *past =
        drive_warnings_find(&cd->ctl->losses.warnings.list, cd->identity.key);

    if (past != NULL) {
        drive_past_restore(cd->drive, past);
    }
}

void cd_past_note(struct ctl_drive *cd)
{
    struct ctl_warnings *warnings = &cd->ctl->losses.warnings;
    struct drive_past past = drive_past(cd->drive);

    past.predicted = past.predicted && !cd->smart_failing; /* (3) */
    if (drive_warnings_put(&warnings->list, cd->identity.key, &past)) {
        warnings->noted = true;
        ctl_kick(cd->ctl);
    }
}

void cd_health_reset(struct ctl_drive *cd)
{
    drive_health_reset(cd->drive);
    cd_past_note(cd);
}

static void warnings_saved(struct store_request *put, int error)
{
    struct ctl *ctl = put->owner;
    struct ctl_warnings *warnings = &ctl->losses.warnings;

    ASSERT(warnings->putting);
    warnings->putting = false;
    warnings->noted = warnings->noted || error != 0;
    warnings->again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
    ctl_kick(ctl);
}

void ctl_warnings_work(struct ctl *ctl)
{
    struct ctl_warnings *warnings = &ctl->losses.warnings;
    struct store_request *put = &warnings->put;

    if (!warnings->noted || warnings->putting ||
        (ctl->life != CTL_LIFE_ONLINE && ctl->life != CTL_LIFE_STOPPING)) {
        return;
    }
    if (clock_now_us(ctl->ports.clock) < warnings->again_us && ctl->life == CTL_LIFE_ONLINE) {
        ctl_kick_at(ctl, warnings->again_us);
        return;
    }
    warnings->noted = false;
    warnings->putting = true;
    (void)snprintf(put->name, sizeof(put->name), "%s", DRIVE_WARNINGS_NAME);
    put->value = warnings->bytes;
    put->value_bytes = drive_warnings_encode(&warnings->list, warnings->bytes);
    put->complete = warnings_saved;
    put->owner = ctl;
    list_init(&put->port_link);
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

bool ctl_warnings_are_quiet(const struct ctl *ctl)
{
    return !ctl->losses.warnings.putting;
}
