/*
 * Claiming drives that were only offered so far, one after the other; each one's label is read
 * before the next is claimed, so that a drive which turns out to be somebody's is seen as such.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_claim.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_unclaimed.h"

static void claims_next(struct ctl_claims *claims);

static void claims_end(struct ctl_claims *claims, bool ok)
{
    ASSERT(claims->ctl->claims == claims);
    claims->ctl->claims = NULL;
    claims->running = false;
    claims->done(claims, ok);
}

void ctl_claims_add(struct ctl_claims *claims, struct ctl_drive *cd)
{
    ASSERT(!claims->running);
    ASSERT(claims->count < COMMAND_DRIVES_MAX + COMMAND_SPARES_MAX);
    claims->drives[claims->count++] = cd;
}

static void claims_fail(struct ctl_claims *claims, struct ctl_drive *cd, int error)
{
    const struct device_claim *claim = &claims->claim;
    char path[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];

    drive_path(cd, path, sizeof(path));
    if (claim->reason == REASON_DRIVE_UNSUITABLE_SIGNATURE) {
        reason_set(&claims->reason, REASON_DRIVE_HAS_DATA, "drive", path, "signature",
                   claim->detail, NULL);
    } else if (error == -ENODEV || error == -ENOENT || error == -ENXIO) {
        reason_set(&claims->reason, REASON_DRIVE_GONE, "drive", path, NULL);
    } else {
        struct reason reason;

        if (claim->reason > REASON_OK && claim->reason < REASON_MAX) {
            reason_set(&reason, (enum reason_code)claim->reason, "device", claim->device_name,
                       "where", claim->detail, "holder", claim->detail, "other", claim->detail,
                       NULL);
            (void)reason_text(&reason, why, sizeof(why));
        } else if (error == -EINVAL) {
            (void)snprintf(why, sizeof(why),
                           "it has blocks of %u bytes; they must be of 512 or 4096",
                           claims->odd_block_bytes);
        } else {
            reason_error_text(error, why);
        }
        if (why[0] != '\0' && why[strlen(why) - 1] == '.') {
            why[strlen(why) - 1] = '\0'; /* it goes into another sentence */
        }
        reason_set(&claims->reason, REASON_DRIVE_IN_USE, "drive", path, "why", why, NULL);
    }
    if (claims->lenient) {
        claims->next++;
        claims_next(claims);
        return;
    }
    claims_end(claims, false);
}

/* A geometry that no drive can have: given back at once, as there is nothing to be closed later. */
static int claim_open(struct ctl_claims *claims, struct ctl_drive *cd, struct io_port *port)
{
    struct device_port *devices = cd->ctl->ports.devices;
    int error = cd_open(cd, port);

    if (error != 0) {
        claims->odd_block_bytes = port->logical_block_bytes;
        devices->ops->release(devices, cd->device);
    }
    return error;
}

static void claim_answered(struct device_claim *claim, int error, struct io_port *port)
{
    struct ctl_claims *claims = claim->owner;
    struct ctl_drive *cd = claims->drives[claims->next];

    if (error != 0) {
        cd_claim_failed(cd, claim, error);
    } else {
        /* What has come onto it since the host looked counts as well. */
        (void)snprintf(cd->signature, sizeof(cd->signature), "%s", claim->signature);
        error = claim_open(claims, cd, port);
    }
    if (error != 0) {
        claims_fail(claims, cd, error);
        return;
    }
    claims->taken[claims->next] = true;
    cd->claimed_here = true;
    cd_claim_succeeded(cd);
    cd_read_label(cd);
    claims_next(claims);
}

static void claims_spun_up(struct ctl_drive *cd, int error, void *context)
{
    struct ctl_claims *claims = context;

    if (error != 0) {
        claims->claim.reason = REASON_OK;
        claims_fail(claims, cd, error);
        return;
    }
    claims_next(claims);
}

static void claims_next(struct ctl_claims *claims)
{
    struct ctl *ctl = claims->ctl;

    while (claims->next < claims->count) {
        struct ctl_drive *cd = claims->drives[claims->next];

        if (cd->drive == NULL) {
            break;
        }
        if (cd->label_status == LABEL_STATUS_READING) {
            return;
        }
        if (cd_is_spun_down(cd) && !claims->asleep) { /* nobody uses it as it is */
            cd_spin(cd, false, claims_spun_up, claims);
            return;
        }
        claims->next++;
    }
    if (claims->next == claims->count) {
        claims_end(claims, true);
        return;
    }
    claims->claim = (struct device_claim){
        .device = claims->drives[claims->next]->device,
        .force = claims->force,
        .complete = claim_answered,
        .owner = claims,
    };
    list_init(&claims->claim.port_link);
    if (ctl->ports.devices == NULL || !claims->drives[claims->next]->present) {
        claims_fail(claims, claims->drives[claims->next], -ENODEV);
        return;
    }
    if (claims->drives[claims->next]->claiming || claims->drives[claims->next]->awaited) {
        claims_fail(claims, claims->drives[claims->next], -EBUSY);
        return;
    }
    ctl->ports.devices->ops->claim(ctl->ports.devices, &claims->claim);
}

bool ctl_claims_overwrite(const struct ctl *ctl, const struct ctl_drive *cd)
{
    const struct ctl_claims *claims = ctl->claims;

    return claims != NULL && claims->overwrites && claims->next < claims->count &&
           claims->drives[claims->next] == cd && claims->taken[claims->next];
}

void ctl_claims_label_read(struct ctl_claims *claims, const struct ctl_drive *cd)
{
    ASSERT(claims->running);
    if (claims->next < claims->count && claims->drives[claims->next] == cd && cd->drive != NULL) {
        claims_next(claims);
    }
}

void ctl_claims_run(struct ctl_claims *claims)
{
    ASSERT(claims->ctl != NULL && claims->done != NULL);
    ASSERT(claims->ctl->claims == NULL);
    claims->ctl->claims = claims;
    claims->running = true;
    claims_next(claims);
}

void ctl_claims_undo(struct ctl_claims *claims)
{
    ASSERT(!claims->running);
    for (uint32_t i = 0; i < claims->count; i++) {
        if (claims->taken[i]) {
            claims->taken[i] = false;
            if (claims->drives[i]->group != NULL || claims->drives[i]->spare) {
                continue; /* its label says that it is in use here */
            }
            cd_close(claims->drives[i]);
        }
    }
}

void ctl_claims_return(struct ctl_claims *claims)
{
    ASSERT(!claims->running);
    for (uint32_t i = 0; i < claims->count; i++) {
        claims->drives[i]->give_back = claims->drives[i]->give_back || claims->taken[i];
        claims->taken[i] = false;
    }
    ctl_kick(claims->ctl);
}
