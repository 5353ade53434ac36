/*
 * What the work loop does with drives: losses, returns, labels to be read and settled, drives
 * to be claimed or forgotten.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_settle.h"
#include "ctl/ctl_unclaimed.h"

/* Its port has gone: the group learns of it, and whatever its label said is open again. */
static void drive_lost(struct ctl_drive *cd)
{
    if (cd->group != NULL && cd->group->phase == CTL_GROUP_STARTING) {
        return; /* comes back here once the group can take it */
    }
    cd->gone_noted = false;
    if (cd->drive != NULL && drive_is_present(cd->drive)) {
        return; /* it has been returned meanwhile */
    }
    cd_note_absent(cd);
    if (cd->group != NULL && cd->group->phase == CTL_GROUP_RUNNING) {
        /* Not polite: it cannot be refused. */
        (void)group_member_lose(cd->group->group, cd->member, MEMBER_MISSING,
                                REASON_DRIVE_LOST_PULLED, false);
        cg_glitch_gone(cd->group, cd->member);
    }
    if (cd->copyback_of != NULL && cd->copyback_of->phase == CTL_GROUP_RUNNING) {
        group_copyback_stop(cd->copyback_of->group, REASON_DRIVE_LOST_PULLED);
    }
    if (cd->departed || (cd->group != NULL && cd->group->phase == CTL_GROUP_WAITING)) {
        cd_place_clear(cd);
    }
    cd->spare = false;
    cd->foreign = false;
    cd_foreign_label_forget(cd);
    cd->bad = false;
    cd->reinserted = false;
    cd->has_state_reason = false;
    cd->settled = false;
    cd->md_looked = false;
    if (cd->label_status != LABEL_STATUS_READING) {
        cd->label_status = LABEL_STATUS_UNREAD;
    }
    cd_state_update(cd);
}

static void drive_returned(struct ctl_drive *cd)
{
    if (!drive_is_idle(cd->drive) || cd->gone_noted || cd->label_status == LABEL_STATUS_READING) {
        return;
    }
    cd->return_noted = false;
    drive_port_attach(cd->drive, cd->port);
    cd->present = true;
    cd->label_status = LABEL_STATUS_UNREAD;
    cd->settled = false;
    cd->reinserted = true;
    attempt_clear(&cd->attempt);
    attempt_clear(&cd->erase_wait.attempt);
    group_store_forget(cd->ctl->group_store, cd->drive);
    event_presence(cd, EVENT_DRIVE_INSERTED);
}

static bool drive_is_free(const struct ctl_drive *cd)
{
    if (!cd->departed || cd->gone_noted || cd->group != NULL || cd->copyback_of != NULL ||
        cd->ctl->change != NULL || cd->label_status == LABEL_STATUS_READING || cd->cache_busy ||
        cd->ctl->start != NULL || cd->erase != NULL || cd->patrol.run != NULL || cd->spinning ||
        cd->claiming) {
        return false;
    }
    return cd->drive == NULL || drive_is_idle(cd->drive);
}

static void drive_forget(struct ctl_drive *cd)
{
    struct device_port *devices = cd->ctl->ports.devices;

    list_remove(&cd->link);
    object_remove(cd->ctl, &cd->object);
    cd_erase_op_end(cd, REASON_DRIVE_LOST_PULLED);
    if (cd->drive != NULL) {
        group_store_forget(cd->ctl->group_store, cd->drive);
        cd->drive = drive_free(cd->drive);
        if (devices != NULL) {
            devices->ops->release(devices, cd->device);
        }
    }
    free(cd->label);
    cd_foreign_label_forget(cd);
    (void)foreign_drive_free(cd->found); /* returns NULL always */
    free(cd);
}

/* What a failed command had claimed, as soon as nothing of it is on its way. */
static void drive_give_back(struct ctl_drive *cd)
{
    if (cd->group != NULL || cd->spare || !cd->claimed_here) {
        cd->give_back = false;
        return;
    }
    cd_close(cd);
    if (cd->drive != NULL) {
        ctl_kick_at(cd->ctl, clock_now_us(cd->ctl->ports.clock) + 10000); /* not idle yet */
    }
}

/* Its group, which waits for its drives, is being deleted: whoever comes now is not in the copy
 * that is kept of it, and must not lose its label. */
static bool settling_has_to_wait(const struct ctl_drive *cd)
{
    const struct ctl_group *cg = NULL;

    if (cd->label == NULL || cd->label->role != LABEL_ROLE_MEMBER) {
        return false;
    }
    cg = group_by_guid(cd->ctl, &cd->label->group);
    return cg != NULL && cg->phase == CTL_GROUP_WAITING && cg->quiescing;
}

static void drive_work(struct ctl_drive *cd)
{
    struct ctl *ctl = cd->ctl;

    if (cd->gone_noted) {
        drive_lost(cd);
    }
    cd_health_work(cd);
    cd_locate_work(cd);
    if (cd->return_noted && cd->drive != NULL) {
        drive_returned(cd);
        if (cd->return_noted) {
            ctl_kick_at(ctl, clock_now_us(ctl->ports.clock) + 10000); /* not idle yet */
        }
    }
    if (drive_is_free(cd)) {
        drive_forget(cd);
        return;
    }
    if (cd->departed) {
        ctl_kick_at(ctl, clock_now_us(ctl->ports.clock) + 100000);
        return;
    }
    if (cd->give_back && cd->drive != NULL) {
        drive_give_back(cd);
    }
    if (ctl->life != CTL_LIFE_NEW && cd->drive != NULL && cd->present &&
        cd->label_status == LABEL_STATUS_UNREAD) {
        cd->read_began_us = clock_now_us(ctl->ports.clock);
        cd_read_label(cd);
    }
    if (ctl->life == CTL_LIFE_ONLINE && !cd->settled && cd->drive != NULL && cd->present &&
        cd->label_status != LABEL_STATUS_READING && cd->label_status != LABEL_STATUS_UNREAD &&
        !settling_has_to_wait(cd)) {
        cd_settle(cd);
    }
    cd_md_left_work(cd);
    if (cd->settled || !cd->present) {
        cd_state_update(cd);
    }
}

static void late_claims_done(struct ctl_claims *claims, bool ok)
{
    struct ctl *ctl = claims->ctl;

    (void)ok; /* lenient: those that could not be claimed stay offered */
    free(claims);
    ctl_change_end(ctl);
}

/* Drives that were ours and are only offered by the host: claims them, once per arrival. */
static void late_claims_start(struct ctl *ctl)
{
    struct ctl_claims *claims = NULL;

    if (ctl->life != CTL_LIFE_ONLINE || ctl->change != NULL) {
        return;
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->drive != NULL || !cd->present || cd->claim_tried || cd->awaited ||
            !record_has_drive(ctl->record, cd->identity.key)) {
            continue;
        }
        if (claims != NULL && claims->count == COMMAND_DRIVES_MAX) {
            break; /* the others next time */
        }
        cd->claim_tried = true;
        if (claims == NULL) {
            claims = calloc(1, sizeof(*claims));
            ASSERT(claims != NULL);
            *claims = (struct ctl_claims){
                .ctl = ctl, .force = true, .lenient = true, .done = late_claims_done};
        }
        ctl_claims_add(claims, cd);
    }
    if (claims != NULL && ctl_change_begin(ctl, "claiming drives")) {
        ctl_claims_run(claims);
    }
}

void ctl_drives_work(struct ctl *ctl)
{
    LIST_FOR_EACH_SAFE (node, following, &ctl->drives) {
        drive_work(list_entry(node, struct ctl_drive, link));
    }
    late_claims_start(ctl);
    ctl_unclaimed_work(ctl);
}

bool ctl_drives_are_idle(const struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->drive != NULL &&
            (!drive_is_idle(cd->drive) || cd->label_status == LABEL_STATUS_READING)) {
            return false;
        }
    }
    return true;
}

/* A drive whose transfers never came back keeps its memory: they may still be answered. */
void ctl_drives_free(struct ctl *ctl)
{
    LIST_FOR_EACH_SAFE (node, following, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        cd_place_clear(cd);
        list_remove(&cd->link);
        object_remove(ctl, &cd->object);
        (void)cd_erase_free(cd); /* its memory is kept too, if the drive's is */
        cd_patrol_free(cd);
        if (cd->drive != NULL && !drive_is_idle(cd->drive)) {
            continue;
        }
        if (cd->drive != NULL) {
            group_store_forget(ctl->group_store, cd->drive);
            cd->drive = drive_free(cd->drive);
        }
        free(cd->label);
        cd_foreign_label_forget(cd);
        (void)foreign_drive_free(cd->found); /* returns NULL always */
        free(cd);
    }
}
