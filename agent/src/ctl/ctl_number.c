/*
 * The numbers of drives (meta/drive_numbers.h): given when a drive is first seen, kept for when it
 * is seen again.
 *
 * (1) A number counts at once and is saved soon after: an arrival never waits for the store. A save
 *     that failed is tried again, so a full state directory costs nothing but time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_private.h"

#define SAVE_AGAIN_US UINT64_C(10000000)

int ctl_numbers_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    size_t bytes = 0;
    int error = 0;

    ctl->numbers.list = calloc(1, sizeof(*ctl->numbers.list));
    ctl->numbers.bytes = malloc(DRIVE_NUMBERS_MAX_BYTES);
    if (ctl->numbers.list == NULL || ctl->numbers.bytes == NULL) {
        return -ENOMEM;
    }
    error = store->ops->get(store, DRIVE_NUMBERS_NAME, ctl->numbers.bytes, DRIVE_NUMBERS_MAX_BYTES,
                            &bytes);
    if (error == 0) {
        error = drive_numbers_decode(ctl->numbers.bytes, bytes, ctl->numbers.list);
    }
    if (error == -ENOMEM) {
        return error;
    }
    ctl->numbers.lost = error != 0 && error != -ENOENT;
    return 0;
}

void ctl_numbers_free(struct ctl *ctl)
{
    ASSERT(!ctl->numbers.putting);
    free(ctl->numbers.list);
    free(ctl->numbers.bytes);
}

void ctl_numbers_started(struct ctl *ctl)
{
    if (ctl->numbers.lost) {
        ctl->numbers.lost = false;
        ctl_event(ctl, EVENT_DRIVE_NUMBERS_LOST, controller_key(ctl), NULL);
        ctl_damage_told(ctl, "r-" DRIVE_NUMBERS_NAME,
                        "Drives outside enclosures may have other addresses than before");
    }
}

/* Of a full list, the drive goes that was seen first and is not here now. */
static void room_make(struct ctl *ctl)
{
    uint32_t index = 0;

    if (ctl->numbers.list->count < DRIVE_NUMBERS_MAX) {
        return;
    }
    while (index < DRIVE_NUMBERS_MAX - 1 &&
           drive_by_key(ctl, ctl->numbers.list->entries[index].key) != NULL) {
        index++;
    }
    drive_numbers_remove(ctl->numbers.list, index);
}

uint32_t ctl_number(struct ctl *ctl, const char *key)
{
    uint32_t number = drive_numbers_find(ctl->numbers.list, key);

    if (number == UINT32_MAX) {
        room_make(ctl);
        number = drive_numbers_add(ctl->numbers.list, key);
        ctl->numbers.noted = true;
    }
    return number;
}

bool ctl_drive_is_numbered(const struct ctl *ctl, const char *key)
{
    return drive_numbers_find(ctl->numbers.list, key) != UINT32_MAX;
}

uint32_t ctl_number_give(struct ctl *ctl, const char *key, uint32_t number)
{
    drive_numbers_forget(ctl->numbers.list, key);
    room_make(ctl);
    drive_numbers_put(ctl->numbers.list, key, number);
    ctl->numbers.noted = true;
    return number;
}

static void numbers_saved(struct store_request *put, int error)
{
    struct ctl *ctl = put->owner;

    ASSERT(ctl->numbers.putting);
    ctl->numbers.putting = false;
    if (error != 0) {
        ctl->numbers.noted = true;
        ctl->numbers.again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
    }
    ctl_kick(ctl);
}

void ctl_numbers_work(struct ctl *ctl)
{
    struct store_request *put = &ctl->numbers.put;
    size_t bytes = 0;
    int error = 0;

    if (!ctl->numbers.noted || ctl->numbers.putting ||
        (ctl->life != CTL_LIFE_ONLINE && ctl->life != CTL_LIFE_STOPPING)) {
        return;
    }
    if (clock_now_us(ctl->ports.clock) < ctl->numbers.again_us) {
        ctl_kick_at(ctl, ctl->numbers.again_us);
        return;
    }
    error = drive_numbers_encode(ctl->numbers.list, ctl->numbers.bytes, DRIVE_NUMBERS_MAX_BYTES,
                                 &bytes);
    ASSERT(error == 0); /* the largest record fits */
    ctl->numbers.noted = false;
    ctl->numbers.putting = true;
    (void)snprintf(put->name, sizeof(put->name), "%s", DRIVE_NUMBERS_NAME);
    put->value = ctl->numbers.bytes;
    put->value_bytes = bytes;
    put->complete = numbers_saved;
    put->owner = ctl;
    list_init(&put->port_link);
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

bool ctl_numbers_are_quiet(const struct ctl *ctl)
{
    return !ctl->numbers.putting;
}
