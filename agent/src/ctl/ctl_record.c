/*
 * The controller's own record: read once, written as a whole, one put at a time. An edit is
 * made in memory between ctl_record_edit() and ctl_record_save(); if the put fails, memory
 * goes back to what was stored.
 *
 * A put that failed may have been done all the same, and the next start would go by it: carry out a
 * deletion that was refused. So what is in memory is put once more, until that ends well. The same
 * finds out whether a store that has failed somebody else takes records again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_private.h"

#define PUT_AGAIN_US UINT64_C(10000000)
#define REBUILD_RATE_DEFAULT 30u
#define BGI_RATE_DEFAULT 30u

bool record_has_group(const struct controller_record *record, const struct guid *guid)
{
    for (uint32_t i = 0; i < record->group_count; i++) {
        if (guid_equal(&record->groups[i], guid)) {
            return true;
        }
    }
    return false;
}

void record_group_add(struct controller_record *record, const struct guid *guid)
{
    ASSERT(record->group_count < CONTROLLER_GROUPS_MAX);
    ASSERT(!record_has_group(record, guid));
    record->groups[record->group_count++] = *guid;
}

void record_group_remove(struct controller_record *record, const struct guid *guid)
{
    for (uint32_t i = 0; i < record->group_count; i++) {
        if (guid_equal(&record->groups[i], guid)) {
            record->groups[i] = record->groups[--record->group_count];
            return;
        }
    }
}

static uint32_t record_drive_find(const struct controller_record *record, const char *key)
{
    uint32_t i = 0;

    while (i < record->drive_count && strcmp(record->drives[i].key, key) != 0) {
        i++;
    }
    return i;
}

bool record_has_drive(const struct controller_record *record, const char *key)
{
    uint32_t i = record_drive_find(record, key);

    return i < record->drive_count && !record->drives[i].jbod;
}

bool record_drive_is_jbod(const struct controller_record *record, const char *key)
{
    uint32_t i = record_drive_find(record, key);

    return i < record->drive_count && record->drives[i].jbod;
}

bool record_drive_intent(const struct controller_record *record, const char *key)
{
    uint32_t i = record_drive_find(record, key);

    return i < record->drive_count && record->drives[i].intent;
}

/* The list helps to find our drives again among those merely offered; when it is full, the oldest
 * such entry goes. */
void record_drive_add(struct controller_record *record, const char *key, bool intent)
{
    uint32_t i = record_drive_find(record, key);

    if (i == CONTROLLER_DRIVES_MAX) {
        uint32_t oldest = 0;

        while (oldest < CONTROLLER_DRIVES_MAX - 1 && record->drives[oldest].jbod) {
            oldest++;
        }
        record_drive_remove(record, record->drives[oldest].key);
        i = record->drive_count;
    }
    if (i == record->drive_count) {
        record->drive_count++;
        (void)snprintf(record->drives[i].key, sizeof(record->drives[i].key), "%s", key);
    }
    record->drives[i].intent = intent;
    record->drives[i].jbod = false;
}

void record_drive_jbod(struct controller_record *record, const char *key)
{
    record_drive_add(record, key, false);
    record->drives[record_drive_find(record, key)].jbod = true;
}

void record_drive_remove(struct controller_record *record, const char *key)
{
    uint32_t i = record_drive_find(record, key);

    if (i < record->drive_count) {
        record->drive_count--;
        memmove(&record->drives[i], &record->drives[i + 1],
                (record->drive_count - i) * sizeof(record->drives[0]));
    }
}

void record_intent_clear(struct controller_record *record)
{
    record->intent = CONTROLLER_INTENT_NONE;
    record->intent_group = (struct guid){0};
    for (uint32_t i = 0; i < record->drive_count; i++) {
        record->drives[i].intent = false;
    }
}

void record_intent_forget(struct controller_record *record)
{
    for (uint32_t i = record->drive_count; i > 0; i--) {
        if (record->drives[i - 1].intent) {
            record_drive_remove(record, record->drives[i - 1].key);
        }
    }
    record_intent_clear(record);
}

static void record_make(struct ctl *ctl)
{
    *ctl->record = (struct controller_record){
        .controller = uuid_make(&ctl->rng),
        .epoch = uuid_make(&ctl->rng),
        .rebuild_rate_percent = REBUILD_RATE_DEFAULT,
        .bgi_rate_percent = BGI_RATE_DEFAULT,
        .glitch_seconds = CONTROLLER_GLITCH_DEFAULT,
        .coercion = CONTROLLER_COERCION_DEFAULT,
        .auto_rebuild = true,
        .mixed_interfaces = true,
        .copyback = true,
    };
    controller_patrol_default(&ctl->record->patrol);
    ctl->record_is_new = true;
}

int ctl_record_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    size_t bytes = 0;
    int error = store->ops->get(store, CONTROLLER_RECORD_NAME, ctl->record_bytes,
                                CONTROLLER_RECORD_MAX_BYTES, &bytes);

    if (error == -ENOENT) {
        record_make(ctl);
        return 0;
    }
    if (error == 0) {
        error = controller_record_decode(ctl->record_bytes, bytes, ctl->record);
    }
    if (error != 0 && ctl_damage_is_borne(error)) {
        record_make(ctl);
        ctl_damage_controller(ctl);
        error = 0;
    } else if (error != 0) {
        ctl_damage_refuse(ctl, CONTROLLER_RECORD_NAME, error);
    }
    return error;
}

void ctl_record_edit(struct ctl *ctl)
{
    ASSERT(!ctl->record_putting);
    *ctl->record_old = *ctl->record;
}

static void record_put_done(struct store_request *request, int error)
{
    struct ctl *ctl = request->owner;

    ASSERT(ctl->record_putting);
    ctl->record_putting = false;
    ctl->record_doubtful = error != 0;
    if (error != 0) {
        *ctl->record = *ctl->record_old;
    } else {
        ctl->record_is_new = false;
    }
    ctl->record_done(ctl, error, ctl->record_context);
    ctl_kick(ctl);
}

void ctl_record_save(struct ctl *ctl, void (*done)(struct ctl *ctl, int error, void *context),
                     void *context)
{
    struct store_request *put = &ctl->record_put;
    size_t bytes = 0;
    int error = controller_record_encode(ctl->record, ctl->record_bytes,
                                         CONTROLLER_RECORD_MAX_BYTES, &bytes);

    ASSERT(error == 0); /* every edit keeps to the limits of the record */
    ASSERT(!ctl->record_putting);
    ctl->record_putting = true;
    ctl->record_done = done;
    ctl->record_context = context;
    (void)snprintf(put->name, sizeof(put->name), "%s", CONTROLLER_RECORD_NAME);
    put->value = ctl->record_bytes;
    put->value_bytes = bytes;
    put->complete = record_put_done;
    put->owner = ctl;
    list_init(&put->port_link);
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

static void doubt_over(struct ctl *ctl, int error, void *context)
{
    (void)error;   /* it is still doubtful then */
    (void)context; /* nothing more to do */
    ctl->record_again_us = clock_now_us(ctl->ports.clock) + PUT_AGAIN_US;
    ctl_change_end(ctl);
}

void ctl_record_work(struct ctl *ctl)
{
    bool stops = ctl->life == CTL_LIFE_STOPPING;

    if ((!ctl->record_doubtful && ctl->ports.store->last_error == 0) || ctl->start != NULL ||
        ctl->change != NULL || (stops && ctl->record_tried_last)) {
        return;
    }
    if (!stops && clock_now_us(ctl->ports.clock) < ctl->record_again_us) {
        ctl_kick_at(ctl, ctl->record_again_us);
        return;
    }
    if (!ctl_change_begin(ctl, "saving the controller's record")) {
        UNREACHABLE(); /* it was free */
    }
    ctl->record_tried_last = stops;
    ctl_record_edit(ctl);
    ctl_record_save(ctl, doubt_over, NULL);
}

void reason_from_store(struct reason *reason, int error)
{
    char text[REASON_ERROR_TEXT_BYTES];

    ASSERT(error != 0);
    if (error == -ENOSPC) {
        reason_set(reason, REASON_STORE_FULL, NULL);
        return;
    }
    reason_error_text(error, text);
    reason_set(reason, REASON_STORE_FAILED, "error", text, NULL);
}
