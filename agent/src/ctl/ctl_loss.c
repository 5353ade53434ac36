/*
 * What happened to a drive (meta/drive_losses.h) stays true when another drive has taken its place,
 * and so does what is to be done about it: a healthy drive without space is not to be replaced, and
 * that another program wrote to one is not to be forgotten.
 *
 * (1) A reason counts at once and is saved soon after, as numbers are (ctl_number.c).
 * (2) It ends when the drive is a member again or free. Of a drive that is not there it is kept.
 * (3) That a drive was away, or that a user took it out, is no reason of its own: its place was
 *     taken.
 */
#include "ctl/ctl_loss.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

#define SAVE_AGAIN_US UINT64_C(10000000)

int ctl_losses_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    struct ctl_losses *losses = &ctl->losses;
    size_t bytes = 0;
    int error =
        store->ops->get(store, DRIVE_LOSSES_NAME, losses->bytes, sizeof(losses->bytes), &bytes);

    if (error == 0) {
        error = drive_losses_decode(losses->bytes, bytes, &losses->list);
    }
    return error == -ENOMEM ? error : 0; /* drive_losses.h (1) */
}

static bool is_kept(enum reason_code why)
{
    switch ((int)why) {
    case REASON_OK:
    case REASON_DRIVE_LOST_PULLED:
    case REASON_DRIVE_LOST_ABSENT:
    case REASON_DRIVE_LOST_STALE:
    case REASON_DRIVE_LOST_USER:
    case REASON_DRIVE_OVERWRITTEN_USED:
    case REASON_LABEL_FAILED:
    case REASON_LABEL_LATER:
        return false; /* (3) */
    default:
        return true;
    }
}

void cd_loss_note(struct ctl_drive *cd)
{
    enum reason_code why = cg_config(cd->group)->members[cd->member].why;

    if (is_kept(why)) {
        cd_loss_put(cd, why);
    }
}

void cd_loss_put(struct ctl_drive *cd, enum reason_code why)
{
    drive_losses_put(&cd->ctl->losses.list, cd->identity.key, why);
    cd->ctl->losses.noted = true;
}

enum reason_code cd_loss(const struct ctl_drive *cd)
{
    return cd->bad && cd->group == NULL ? drive_losses_find(&cd->ctl->losses.list, cd->identity.key)
                                        : REASON_OK;
}

void cd_loss_tell(struct ctl_drive *cd)
{
    enum reason_code why = cd_loss(cd);
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    cd->has_state_reason = true;
    reason_set(&cd->state_reason, why != REASON_OK ? why : REASON_LABEL_REPLACED, "drive", path,
               NULL);
}

/* (2) */
static void losses_look(struct ctl *ctl)
{
    for (uint32_t i = ctl->losses.list.count; i-- > 0;) {
        const struct ctl_drive *cd = drive_by_key(ctl, ctl->losses.list.entries[i].key);

        if (cd != NULL && cd->present && !cd->departed && cd->settled && !cd->reinserted &&
            ctl->change == NULL && (cd->group != NULL || !cd->bad)) {
            drive_losses_remove(&ctl->losses.list, i);
            ctl->losses.noted = true;
        }
    }
}

static void losses_saved(struct store_request *put, int error)
{
    struct ctl *ctl = put->owner;

    ASSERT(ctl->losses.putting);
    ctl->losses.putting = false;
    if (error != 0) {
        ctl->losses.noted = true;
        ctl->losses.again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
    }
    ctl_kick(ctl);
}

void ctl_losses_work(struct ctl *ctl)
{
    struct store_request *put = &ctl->losses.put;

    if (ctl->life == CTL_LIFE_ONLINE) {
        losses_look(ctl);
    }
    if (!ctl->losses.noted || ctl->losses.putting ||
        (ctl->life != CTL_LIFE_ONLINE && ctl->life != CTL_LIFE_STOPPING)) {
        return;
    }
    if (clock_now_us(ctl->ports.clock) < ctl->losses.again_us) {
        ctl_kick_at(ctl, ctl->losses.again_us);
        return;
    }
    ctl->losses.noted = false;
    ctl->losses.putting = true;
    (void)snprintf(put->name, sizeof(put->name), "%s", DRIVE_LOSSES_NAME);
    put->value = ctl->losses.bytes;
    put->value_bytes = drive_losses_encode(&ctl->losses.list, ctl->losses.bytes);
    put->complete = losses_saved;
    put->owner = ctl;
    list_init(&put->port_link);
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

bool ctl_losses_are_quiet(const struct ctl *ctl)
{
    return !ctl->losses.putting;
}
