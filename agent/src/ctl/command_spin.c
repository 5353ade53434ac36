/*
 * drive_spindown and drive_spinup: drives that nobody uses, and hot spares. One that is spun down
 * stays claimed, so that nothing of the host wakes it; whoever is about to use it claims it as any
 * other drive, and then it is spun up first (ctl_claim.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

/* An emulated one is woken by any transfer, as an ATA drive is. */
bool cd_is_spun_down(const struct ctl_drive *cd)
{
    if (cd->emulated != NULL && cd->identity.emulated) {
        return emulated_drive_is_spun_down(cd->emulated);
    }
    return cd->spun_down && cd->drive != NULL;
}

static void spin_told(struct ctl_drive *cd, bool down)
{
    char path[PATH_TEXT_BYTES];

    cd->spun_down = down;
    drive_path(cd, path, sizeof(path));
    ctl_event(cd->ctl, down ? EVENT_DRIVE_SPUN_DOWN : EVENT_DRIVE_SPUN_UP, cd->identity.key,
              "drive", path, NULL);
    ctl_kick(cd->ctl);
}

static void spin_answered(struct device_spin *request, int error)
{
    struct ctl_drive *cd = request->owner;

    ASSERT(cd->spinning);
    cd->spinning = false;
    if (error == 0) {
        spin_told(cd, request->down);
    }
    cd->spin_done(cd, error, cd->spin_context);
    ctl_kick(cd->ctl);
}

void cd_spin(struct ctl_drive *cd, bool down,
             void (*done)(struct ctl_drive *cd, int error, void *context), void *context)
{
    struct device_port *devices = cd->ctl->ports.devices;

    ASSERT(cd->drive != NULL && !cd->spinning);
    if (cd->emulated != NULL && cd->identity.emulated) {
        emulated_drive_spin(cd->emulated, down);
        spin_told(cd, down);
        done(cd, 0, context);
        return;
    }
    if (devices == NULL) {
        done(cd, -ENOTSUP, context);
        return;
    }
    cd->spinning = true;
    cd->spin_done = done;
    cd->spin_context = context;
    cd->spin = (struct device_spin){
        .device = cd->device, .down = down, .complete = spin_answered, .owner = cd};
    devices->ops->spin(devices, &cd->spin);
}

/* The commands */

struct spin_run {
    struct ctl *ctl;
    struct ctl_command *command;
    struct ctl_drive *cd;
    struct ctl_claims claims;
    bool down;
};

static void spin_end(struct spin_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    free(run);
    command_finish(ctl, &copy);
}

static void spin_done(struct ctl_drive *cd, int error, void *context)
{
    struct spin_run *run = context;
    struct reason reason;
    char path[PATH_TEXT_BYTES];
    char why[REASON_ERROR_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    if (error == 0) {
        reason_set(&reason, REASON_OK, NULL);
        command_object_add(run->command, &cd->object);
    } else if (error == -ENOTSUP) {
        reason_set(&reason, REASON_SPIN_UNSUPPORTED, "drive", path, NULL);
    } else {
        reason_error_text(error, why);
        reason_set(&reason, REASON_SPIN_FAILED, "drive", path, "error", why, NULL);
    }
    if (error == 0 && run->down) {
        cd->spin_claimed = run->claims.taken[0];
    } else if (run->down) {
        ctl_claims_return(&run->claims);
    } else if (error == 0) { /* the host had it before */
        cd->give_back = cd->spin_claimed && !cd->spare;
        cd->spin_claimed = false;
    }
    spin_end(run, &reason);
}

static void spin_claimed(struct ctl_claims *claims, bool ok)
{
    struct spin_run *run = claims->owner;
    struct reason reason = claims->reason;

    /* What its label says is known only now. */
    if (!ok || !rule_drive(run->cd, LIFE_SPIN_DOWN, &reason)) {
        ctl_claims_return(claims);
        spin_end(run, &reason);
        return;
    }
    cd_spin(run->cd, true, spin_done, run);
}

void command_drive_spin(struct ctl *ctl, struct ctl_command *command)
{
    const char *key = command->args.drive.drive;
    bool down = command->op == CTL_OP_DRIVE_SPINDOWN;
    struct ctl_drive *cd = command_drive_find(ctl, key);
    struct spin_run *run = NULL;
    struct reason reason;

    if (cd == NULL) {
        return;
    }
    if (!rule_drive(cd, down ? LIFE_SPIN_DOWN : LIFE_SPIN_UP, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    *run = (struct spin_run){.ctl = ctl, .command = command, .cd = cd, .down = down};
    if (!down) {
        cd_spin(cd, false, spin_done, run);
        return;
    }
    /* With whatever is on it: nothing is written. */
    run->claims = (struct ctl_claims){
        .ctl = ctl, .force = true, .asleep = true, .done = spin_claimed, .owner = run};
    ctl_claims_add(&run->claims, cd);
    ctl_claims_run(&run->claims);
}
