/*
 * Drives that a command was given by force carry the marks of a former owner; those go before a
 * label of ours is written (meta/former_owner.h). All at once, one answer.
 */
#include "base/assert.h"
#include "ctl/ctl_private.h"

static void former_part_done(struct ctl_former *former)
{
    ASSERT(former->pending > 0);
    former->pending--;
    if (former->pending == 0) {
        former->done(former, former->failed);
    }
}

static void former_wiped(struct former_owner_wipe *wipe, int error)
{
    struct ctl_former *former = wipe->owner;
    struct ctl_drive *cd = former->drives[wipe - former->wipes];

    group_store_ddf_forget(cd->ctl->group_store, cd->drive); /* as far as the wipe has come */
    if (error != 0) {
        former->failed = cd;
    } else {
        cd_former_forget(cd);
    }
    former_part_done(former);
}

void ctl_former_add(struct ctl_former *former, struct ctl_drive *cd)
{
    ASSERT(former->count < COMMAND_DRIVES_MAX + COMMAND_SPARES_MAX);
    ASSERT(cd->drive != NULL && former->pending == 0);
    if (cd->signature[0] != '\0' || cd_stale_label_bytes(cd) != 0) {
        former->drives[former->count++] = cd;
    }
}

void ctl_former_run(struct ctl_former *former)
{
    ASSERT(former->done != NULL && former->pending == 0);
    former->pending = 1;
    for (uint32_t i = 0; i < former->count; i++) {
        former->wipes[i] =
            (struct former_owner_wipe){.drive = former->drives[i]->drive,
                                       .complete = former_wiped,
                                       .owner = former,
                                       .label_bytes = cd_stale_label_bytes(former->drives[i])};
        former->pending++;
        former_owner_wipe(&former->wipes[i]);
    }
    former_part_done(former);
}
