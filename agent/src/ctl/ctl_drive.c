/*
 * Physical drives on the controller: arrival and departure, opening and closing, states.
 *
 *   offered ---claim---> claimed (has a struct drive) ---close---> offered
 *      \                    |
 *       \-- departs --------+--> departed: forgotten once nothing refers to it
 *
 * An emulated drive that was pulled stays on the list as missing, so that it can be returned.
 *
 * (1) cd_state_update() alone sets the state of a struct drive, from facts kept elsewhere: its
 *     presence, its place, its role.
 * (2) A departed drive is found by no key and no UUID.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/coercion.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_unclaimed.h"
#include "ctl/vd_policies.h"
#include "drive/drive_layout.h"

/* States */

enum drive_state cd_state(const struct ctl_drive *cd)
{
    return cd->drive != NULL ? drive_state(cd->drive) : life_drive_state(cd_life(cd));
}

/* Who has its place now may be known later than that it was taken. */
static void cd_taken_reason(const struct ctl_drive *cd, struct reason *ret_reason)
{
    const struct ctl_group *cg = group_by_guid(cd->ctl, &cd->retired_from);
    const struct ctl_drive *taker = cg != NULL && cd->retired_member < cg_config(cg)->member_count
                                        ? cg->members[cd->retired_member]
                                        : NULL;
    char path[PATH_TEXT_BYTES] = "another drive";

    if (taker != NULL) {
        drive_path(taker, path, sizeof(path));
    }
    reason_set(ret_reason, REASON_COPYBACK_SOURCE_DONE, "drive", path, NULL);
}

static bool cd_is_in_use(const struct ctl_drive *cd)
{
    return cd->group != NULL || cd->spare || cd->copyback_of != NULL;
}

bool cd_state_reason(const struct ctl_drive *cd, struct reason *ret_reason)
{
    if (cd_is_recorded(cd)) {
        const struct member_config *member = &cg_config(cd->group)->members[cd->member];
        char path[PATH_TEXT_BYTES];

        if (cd->later) {
            reason_set(ret_reason, cd->later_why, NULL);
            return true;
        }
        if (member->why == REASON_DRIVE_LOST_PULLED && cd->present) {
            reason_set(ret_reason, REASON_DRIVE_LOST_AWAY, NULL);
            return true;
        }
        if (member->why != REASON_OK) {
            drive_path(cd, path, sizeof(path));
            reason_set(ret_reason, member->why, "drive", path, NULL);
            return true;
        }
        if (cg_member_is_stale(cd->group, cd->member)) {
            reason_set(ret_reason, REASON_DRIVE_LOST_STALE, NULL);
            return true;
        }
    }
    if (cd_life(cd) == LIFE_ERASE_AWAY) {
        return cd_erasure_reason(cd, ret_reason);
    }
    if (!cd->present) {
        reason_set(ret_reason, REASON_DRIVE_LOST_PULLED, NULL);
        return true;
    }
    if (cd->spare && cd->attempt.failures > 0) { /* it would not serve, or not for certain */
        cd_attempt_reason(cd, ret_reason);
        return true;
    }
    if (cd_is_unclaimed(cd)) {
        *ret_reason = cd->unsuitable;
        return true;
    }
    if (cd_life(cd) == LIFE_TOO_SMALL && cd_shrunk_from(cd) != 0) {
        cd_shrunk_reason(cd, ret_reason);
        return true;
    }
    if (cd->has_state_reason) {
        *ret_reason = cd->state_reason;
        if (cd->state_reason.code == REASON_COPYBACK_SOURCE_DONE) {
            cd_taken_reason(cd, ret_reason);
        }
        return true;
    }
    if (cd->group == NULL && cd_erasure_reason(cd, ret_reason)) {
        return true;
    }
    if (!cd_is_in_use(cd)) {
        return false; /* what was refused to a free drive concerns nobody any more */
    }
    if (cd_refusal_reason(cd, ret_reason)) {
        return true;
    }
    if (cd->grown_bytes != 0 && (cd->group != NULL || cd->spare)) {
        cd_grown_reason(cd, ret_reason);
        return true;
    }
    return false;
}

void cd_state_update(struct ctl_drive *cd)
{
    enum drive_state wanted = life_drive_state(cd_life(cd));
    struct reason reason = {.code = REASON_OK};
    enum drive_state old = DRIVE_STATE_UNCONFIGURED_GOOD;

    if (cd->drive == NULL || cd->reinserted || wanted == drive_state(cd->drive)) {
        return;
    }
    (void)cd_state_reason(cd, &reason); /* REASON_OK if there is nothing to say */
    old = drive_state(cd->drive);
    if (!drive_state_may(old, wanted)) { /* it only passes through that one */
        drive_state_set(cd->drive, DRIVE_STATE_UNCONFIGURED_GOOD, REASON_OK);
    }
    drive_state_set(cd->drive, wanted, reason.code);
    /* During the start, what labels say is no news and has no events. A member of a group that
     * works already may be lost, though. */
    if (cd->ctl->life == CTL_LIFE_ONLINE ||
        (cd->ctl->life == CTL_LIFE_STARTING && old == DRIVE_STATE_ONLINE)) {
        event_drive_state(cd, old);
    }
}

uint64_t cd_room_bytes(const struct ctl_drive *cd)
{
    return cd->group != NULL ? cg_room_bytes(cd->group, cd)
                             : drive_layout_usable_bytes(cd->size_bytes);
}

uint64_t cd_usable_bytes(const struct ctl_drive *cd)
{
    uint64_t coerced_bytes = coercion_bytes(cd->ctl->record->coercion, cd_room_bytes(cd));

    return cd->group != NULL ? max_u64(coerced_bytes, cg_member_needed_bytes(cd->group))
                             : coerced_bytes;
}

bool cd_has_serial(const struct ctl_drive *cd, const char *serial)
{
    return serial[0] != '\0' && strcmp(cd->identity.serial, serial) == 0;
}

/* What the drive tells */

static void drive_state_changed(void *context, struct drive *drive, enum drive_state old,
                                enum reason_code why)
{
    struct ctl_drive *cd = context;

    ASSERT(cd->drive == drive);
    (void)old; /* cd_state_update() tells of it, */
    (void)why; /* and cd_state_reason() says this with its parameters */
    cd->ctl->foreign_noted = true; /* a set may be a lost member (member_returned.c) */
    ctl_kick(cd->ctl);
}

static const char *io_op_text(enum io_op op)
{
    return op == IO_OP_READ ? "read" : op == IO_OP_WRITE ? "write" : "flush";
}

static void drive_io_error(void *context, struct drive *drive, enum io_op op, uint64_t offset_bytes,
                           enum io_status status)
{
    struct ctl_drive *cd = context;
    char path[PATH_TEXT_BYTES];

    ASSERT(cd->drive == drive);
    (void)offset_bytes; /* the events of MegaRAID do not carry it */
    if (IO_STATUS_IS_REFUSAL(status)) {
        cd_refusal_note(cd, op, status);
        return;
    }
    drive_path(cd, path, sizeof(path));
    if (status == IO_STATUS_TIMEOUT) {
        ctl_event(cd->ctl, EVENT_DRIVE_TIMEOUT, cd->identity.key, "drive", path, "operation",
                  io_op_text(op), NULL);
    } else {
        ctl_event(cd->ctl, EVENT_DRIVE_ERROR, cd->identity.key, "drive", path, "operation",
                  io_op_text(op), "status",
                  status == IO_STATUS_MEDIA ? "medium error" : "device error", NULL);
    }
    cd_past_note(cd);
    ctl_kick(cd->ctl);
}

static void drive_gone(void *context, struct drive *drive)
{
    struct ctl_drive *cd = context;

    ASSERT(cd->drive == drive || cd->drive == NULL);
    cd->gone_noted = true;
    ctl_kick(cd->ctl);
}

/* Opening and closing */

int cd_open(struct ctl_drive *cd, struct io_port *port)
{
    const struct drive_observer observer = {
        .state_changed = drive_state_changed,
        .io_error = drive_io_error,
        .gone = drive_gone,
        .warned = cd_warned,
        .spent = cd_spent,
        .measured = cd_measured,
        .context = cd,
    };
    int error = 0;

    ASSERT(cd->drive == NULL && port != NULL);
    error = drive_create(&cd->identity, port, cd->ctl->ports.clock, &cd->ctl->options.drive_limits,
                         &observer, &cd->drive);
    if (error != 0) {
        return error;
    }
    cd_past_restore(cd);
    if (cd->smart_failing) {
        drive_predict(cd->drive);
    }
    cd->port = port;
    cd->size_bytes = port->size_bytes;
    cd->grown_bytes = 0;
    cd->shrunk_bytes = 0;
    cd->search.known_tried = false;
    cd->search.size_searched = false;
    cd->size_noted_bytes = 0;
    cd->block_bytes = port->logical_block_bytes;
    cd->physical_block_bytes = port->physical_block_bytes;
    cd->label_status = LABEL_STATUS_UNREAD;
    cd->settled = false;
    return 0;
}

void cd_close(struct ctl_drive *cd)
{
    struct device_port *devices = cd->ctl->ports.devices;

    ASSERT(cd->group == NULL && !cd->spare);
    if (!cd->claimed_here || cd->label_status == LABEL_STATUS_READING || cd->departed ||
        cd->patrol.run != NULL || !drive_is_idle(cd->drive)) {
        cd->give_back = cd->give_back || cd->patrol.run != NULL;
        return; /* it stays claimed; nobody minds but the next user of the device */
    }
    group_store_forget(cd->ctl->group_store, cd->drive);
    cd->drive = drive_free(cd->drive);
    cd->port = NULL;
    cd->claimed_here = false;
    cd->label_status = LABEL_STATUS_UNREAD;
    cd->settled = false;
    cd->gone_noted = false;
    cd->give_back = false;
    cd->spun_down = false;
    cd->spin_claimed = false;
    cd_foreign_label_forget(cd);
    devices->ops->release(devices, cd->device);
}

/* Places */

void cd_place_set(struct ctl_drive *cd, struct ctl_group *cg, uint32_t member)
{
    ASSERT(cd->group == NULL);
    ASSERT(cg->members[member] == NULL);
    cd->group = cg;
    cd->member = member;
    cd->record_sequence = UINT64_MAX; /* if it was not found on the drive: written in this run */
    cd->spare = false;
    cg->members[member] = cd;
}

void cd_place_clear(struct ctl_drive *cd)
{
    if (cd->group != NULL) {
        ASSERT(cd->group->members[cd->member] == cd);
        cd->group->members[cd->member] = NULL;
        cd->group = NULL;
        cd->member = 0;
        cd->target_failed = false;
    }
}

void cd_member_take(struct ctl_drive *cd, struct ctl_group *cg, uint32_t member)
{
    free(cd->label);
    cd->label = NULL;
    cd->label_status = LABEL_STATUS_VALID;
    cd->settled = true;
    cd->foreign = false;
    cd->bad = false;
    cd->has_state_reason = false;
    cd->reinserted = false;
    cd->uuid = cg_config(cg)->members[member].drive;
    cd_foreign_label_forget(cd);
    cd_former_forget(cd);
    cd_place_set(cd, cg, member);
    cd_state_update(cd);
}

void cd_make_blank(struct ctl_drive *cd)
{
    cd_place_clear(cd);
    spare_seen_forget(cd->ctl, cd->object.key);
    cd_size_forget(cd);
    cd_size_restore(cd);
    cd->shrunk_bytes = 0;
    free(cd->label);
    cd->label = NULL;
    cd_foreign_label_forget(cd);
    cd->label_status = LABEL_STATUS_NONE;
    cd->uuid = (struct uuid){0};
    cd->settled = true;
    cd->was_elsewhere = false;
    cd->was_overwritten = false;
    cd->foreign = false;
    cd->bad = false;
    cd->spare = false;
    cd->reinserted = false;
    attempt_clear(&cd->attempt);
    cd->has_state_reason = false;
    cd_state_update(cd);
    ctl_kick(cd->ctl);
}

/* Arrival and departure */

void event_presence(const struct ctl_drive *cd, enum event_id id)
{
    char path[PATH_TEXT_BYTES];

    if (cd->ctl->life == CTL_LIFE_ONLINE) {
        drive_path(cd, path, sizeof(path));
        ctl_event(cd->ctl, id, cd->identity.key, "drive", path, "serial", cd->identity.serial,
                  NULL);
    }
}

static void size_check(struct ctl_drive *cd)
{
    char size[24];
    char needed[24];

    if (cd->has_unsuitable) {
        return;
    }
    (void)snprintf(size, sizeof(size), "%llu", (unsigned long long)cd->size_bytes);
    if (cd_usable_bytes(cd) != 0) {
        return;
    }
    (void)snprintf(needed, sizeof(needed), "%llu", (unsigned long long)DRIVE_SIZE_MIN_BYTES);
    cd->has_unsuitable = true;
    reason_set(&cd->unsuitable, REASON_DRIVE_UNSUITABLE_SMALL, "device", cd->identity.device,
               "size_bytes", size, "needed_bytes", needed, NULL);
}

static void arrival_take(struct ctl_drive *cd, const struct ctl_drive_arrival *arrival)
{
    cd->identity = *arrival->identity;
    cd->identity.did = ctl_number(cd->ctl, cd->identity.key);
    ctl_bay_take(cd->ctl, &arrival->bay, &cd->identity);
    cd->device = arrival->device;
    cd->emulated = arrival->emulated;
    cd->write_cache = arrival->write_cache;
    cd->write_cache_found = arrival->write_cache;
    cd->write_cache_settable = arrival->write_cache_settable;
    cd->size_bytes = arrival->size_bytes;
    cd->block_bytes = arrival->block_bytes;
    cd->physical_block_bytes = arrival->physical_block_bytes;
    cd->has_unsuitable = arrival->has_reason;
    cd->unsuitable = arrival->reason;
    cd->claimed_elsewhere = arrival->claimed_elsewhere;
    cd->claim_tried = false;
    cd->claim_failed = false;
    cd->awaited = arrival->awaited;
    (void)snprintf(cd->signature, sizeof(cd->signature), "%s", arrival->signature);
}

void cd_foreign_label_forget(struct ctl_drive *cd)
{
    free(cd->foreign_label);
    free(cd->foreign_spare);
    cd->foreign_label = NULL;
    cd->foreign_spare = NULL;
    cd->ctl->foreign_noted = true;
}

void cd_former_forget(struct ctl_drive *cd)
{
    cd->found = foreign_drive_free(cd->found);
    cd->signature[0] = '\0';
    cd->has_unsuitable =
        cd->has_unsuitable && cd->unsuitable.code != REASON_DRIVE_UNSUITABLE_SIGNATURE;
}

/* What the host has read counts for a drive that is nobody's here. */
static void found_take(struct ctl_drive *cd, struct foreign_drive *found)
{
    cd->found = foreign_drive_free(cd->found);
    cd->ctl->foreign_noted = true;
    if (cd->group == NULL && !cd->spare) {
        cd->found = found;
    } else {
        (void)foreign_drive_free(found); /* returns NULL always */
    }
}

struct ctl_drive *drive_by_device(const struct ctl *ctl, const void *device)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->device == device && !cd->departed) {
            return cd;
        }
    }
    return NULL;
}

static void drive_depart(struct ctl_drive *cd)
{
    bool was_present = cd->present;

    ASSERT(!cd->departed);
    cd_away_note(cd);
    cd->present = false;
    cd->departed = true;
    object_remove(cd->ctl, &cd->object);
    if (cd->drive != NULL) {
        drive_port_gone(cd->drive);
        cd_state_update(cd);
    }
    cd->gone_noted = true;
    if (was_present) {
        event_presence(cd, EVENT_DRIVE_REMOVED);
    }
    ctl_kick(cd->ctl);
}

/* A drive that was awaited: the host has it now, or has given up. */
static void awaited_take(struct ctl_drive *cd, const struct ctl_drive_arrival *arrival)
{
    bool came = cd->awaited && arrival->port != NULL && cd->drive == NULL;

    cd->awaited = arrival->awaited;
    if (!came) {
        return;
    }
    arrival_take(cd, arrival);
    cd->jbod = false;
    if (cd_open(cd, arrival->port) != 0) {
        cd->bad = true; /* a geometry that no drive can have */
    }
    cd->reinserted = cd->ctl->life == CTL_LIFE_ONLINE;
}

/* The same device probed again: only what may change without a new arrival. */
static void drive_reprobed(struct ctl_drive *cd, const struct ctl_drive_arrival *arrival)
{
    awaited_take(cd, arrival);
    cd->identity.eid = arrival->identity->eid;
    cd->identity.slot = arrival->identity->slot;
    ctl_bay_take(cd->ctl, &arrival->bay, &cd->identity);
    cd->identity.link = arrival->identity->link;
    if (cd->claimed_elsewhere != arrival->claimed_elsewhere) {
        cd->claimed_elsewhere = arrival->claimed_elsewhere;
        cd->ctl->foreign_noted = true;
    }
    if (cd_is_unclaimed(cd)) {
        cd->claim_again_us = 0; /* the next claim tells whether the cause is gone */
    } else if (cd->group == NULL && !cd->spare) { /* a member's content is nobody else's */
        if (cd->drive == NULL && cd->has_unsuitable && !arrival->has_reason) {
            cd->claim_tried = false; /* whoever used it has gone: as good as a new arrival */
            cd->reinserted = cd->ctl->life == CTL_LIFE_ONLINE;
        }
        cd->has_unsuitable = arrival->has_reason;
        cd->unsuitable = arrival->reason;
        (void)snprintf(cd->signature, sizeof(cd->signature), "%s", arrival->signature);
    }
    cd_cache_reprobed(cd, arrival->write_cache, arrival->write_cache_settable);
    if (cd->drive != NULL) {
        drive_identity_set_place(cd->drive, cd->identity.eid, cd->identity.slot, cd->identity.did);
        cd_state_update(cd);
    } else {
        cd->size_bytes = arrival->size_bytes;
    }
    found_take(cd, arrival->foreign);
    size_check(cd);
    ctl_kick(cd->ctl);
}

void ctl_drive_arrived(struct ctl *ctl, const struct ctl_drive_arrival *arrival)
{
    struct ctl_drive *cd = drive_by_key(ctl, arrival->identity->key);

    if (ctl->life == CTL_LIFE_STOPPED) {
        (void)foreign_drive_free(arrival->foreign); /* too late to matter */
        return;
    }
    if (cd != NULL && cd->device == arrival->device) {
        drive_reprobed(cd, arrival);
        return;
    }
    if ((cd != NULL && cd->present) || host_drive_is_elsewhere(ctl, arrival->identity->key)) {
        (void)foreign_drive_free(arrival->foreign);
        return; /* a second path to a drive that is here: one is enough */
    }
    if (cd != NULL) {
        drive_depart(cd); /* it went without a word and is back as another device */
    }
    cd = calloc(1, sizeof(*cd));
    ASSERT(cd != NULL);
    cd->ctl = ctl;
    cd->present = true;
    arrival_take(cd, arrival);
    /* One that the host has claimed for us is ours, whatever it was before. */
    cd->jbod = arrival->port == NULL && record_drive_is_jbod(ctl->record, cd->identity.key);
    list_init(&cd->link);
    list_push_tail(&ctl->drives, &cd->link);
    object_add(ctl, &cd->object, OBJECT_KIND_DRIVE, cd->identity.key, cd);
    if (arrival->port != NULL && cd_open(cd, arrival->port) != 0) {
        cd->bad = true; /* a geometry that no drive can have */
    }
    found_take(cd, arrival->foreign);
    size_check(cd);
    cd->reinserted = ctl->life == CTL_LIFE_ONLINE;
    event_presence(cd, EVENT_DRIVE_INSERTED);
    ctl_kick(ctl);
}

void ctl_drive_departed(struct ctl *ctl, void *device)
{
    struct ctl_drive *cd = drive_by_device(ctl, device);

    if (cd != NULL) {
        drive_depart(cd);
    }
}

void ctl_drive_claim_waited(struct ctl *ctl, void *device, uint32_t seconds)
{
    const struct ctl_drive *cd = drive_by_device(ctl, device);
    char path[PATH_TEXT_BYTES];
    char text[16];

    if (cd != NULL) {
        drive_path(cd, path, sizeof(path));
        (void)snprintf(text, sizeof(text), "%u", seconds); /* always fits */
        ctl_event(ctl, EVENT_DRIVE_CLAIM_DELAYED, cd->identity.key, "drive", path, "seconds", text,
                  NULL);
    }
}

void ctl_drive_temperature(struct ctl *ctl, void *device, int celsius)
{
    struct ctl_drive *cd = drive_by_device(ctl, device);

    if (cd != NULL && (!cd->has_temperature || cd->temperature_c != celsius)) {
        cd->has_temperature = true;
        cd->temperature_c = celsius;
        ctl_kick(ctl);
    }
}

void cd_note_absent(struct ctl_drive *cd)
{
    if (cd->present) {
        cd->present = false;
        event_presence(cd, EVENT_DRIVE_REMOVED);
        cd_state_update(cd);
    }
}
