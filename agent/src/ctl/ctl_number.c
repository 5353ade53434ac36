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
#include "ctl/ctl_private.h"

#define SAVE_AGAIN_US UINT64_C(10000000)

int ctl_numbers_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    size_t bytes = 0;
    int error = 0;

    ctl->numbers = calloc(1, sizeof(*ctl->numbers));
    ctl->numbers_bytes = malloc(DRIVE_NUMBERS_MAX_BYTES);
    if (ctl->numbers == NULL || ctl->numbers_bytes == NULL) {
        return -ENOMEM;
    }
    error = store->ops->get(store, DRIVE_NUMBERS_NAME, ctl->numbers_bytes, DRIVE_NUMBERS_MAX_BYTES,
                            &bytes);
    if (error == 0) {
        error = drive_numbers_decode(ctl->numbers_bytes, bytes, ctl->numbers);
    }
    if (error == -ENOMEM) {
        return error;
    }
    ctl->numbers_lost = error != 0 && error != -ENOENT;
    return 0;
}

void ctl_numbers_free(struct ctl *ctl)
{
    ASSERT(!ctl->numbers_putting);
    free(ctl->numbers);
    free(ctl->numbers_bytes);
}

void ctl_numbers_started(struct ctl *ctl)
{
    if (ctl->numbers_lost) {
        ctl->numbers_lost = false;
        ctl_event(ctl, EVENT_DRIVE_NUMBERS_LOST, controller_key(ctl), NULL);
    }
}

/* Of a full list, the drive goes that was seen first and is not here now. */
static void room_make(struct ctl *ctl)
{
    uint32_t index = 0;

    if (ctl->numbers->count < DRIVE_NUMBERS_MAX) {
        return;
    }
    while (index < DRIVE_NUMBERS_MAX - 1 &&
           drive_by_key(ctl, ctl->numbers->entries[index].key) != NULL) {
        index++;
    }
    drive_numbers_remove(ctl->numbers, index);
}

uint32_t ctl_number(struct ctl *ctl, const char *key)
{
    uint32_t number = drive_numbers_find(ctl->numbers, key);

    if (number == UINT32_MAX) {
        room_make(ctl);
        number = drive_numbers_add(ctl->numbers, key);
        ctl->numbers_noted = true;
    }
    return number;
}

static void numbers_saved(struct store_request *put, int error)
{
    struct ctl *ctl = put->owner;

    ASSERT(ctl->numbers_putting);
    ctl->numbers_putting = false;
    if (error != 0) {
        ctl->numbers_noted = true;
        ctl->numbers_again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
    }
    ctl_kick(ctl);
}

void ctl_numbers_work(struct ctl *ctl)
{
    struct store_request *put = &ctl->numbers_put;
    size_t bytes = 0;
    int error = 0;

    if (!ctl->numbers_noted || ctl->numbers_putting || ctl->life != CTL_LIFE_ONLINE) {
        return;
    }
    if (clock_now_us(ctl->ports.clock) < ctl->numbers_again_us) {
        ctl_kick_at(ctl, ctl->numbers_again_us);
        return;
    }
    error = drive_numbers_encode(ctl->numbers, ctl->numbers_bytes, DRIVE_NUMBERS_MAX_BYTES, &bytes);
    ASSERT(error == 0); /* the largest record fits */
    ctl->numbers_noted = false;
    ctl->numbers_putting = true;
    (void)snprintf(put->name, sizeof(put->name), "%s", DRIVE_NUMBERS_NAME);
    put->value = ctl->numbers_bytes;
    put->value_bytes = bytes;
    put->complete = numbers_saved;
    put->owner = ctl;
    list_init(&put->port_link);
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

bool ctl_numbers_are_quiet(const struct ctl *ctl)
{
    return !ctl->numbers_putting;
}
