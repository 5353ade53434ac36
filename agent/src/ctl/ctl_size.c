/*
 * The sizes of drives (meta/drive_sizes.h).
 *
 * (1) Noted is what is used of a drive that has a place or is a hot spare: what its label was
 *     written for. It is kept until the drive is made blank by command.
 * (2) It is saved soon after; a save that failed is tried again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_private.h"
#include "drive/drive_layout.h"

#define SAVE_AGAIN_US UINT64_C(10000000)

int ctl_sizes_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    size_t bytes = 0;
    int error = 0;

    ctl->sizes.list = calloc(1, sizeof(*ctl->sizes.list));
    ctl->sizes.bytes = malloc(DRIVE_SIZES_MAX_BYTES);
    if (ctl->sizes.list == NULL || ctl->sizes.bytes == NULL) {
        return -ENOMEM;
    }
    error =
        store->ops->get(store, DRIVE_SIZES_NAME, ctl->sizes.bytes, DRIVE_SIZES_MAX_BYTES, &bytes);
    if (error == 0) {
        error = drive_sizes_decode(ctl->sizes.bytes, bytes, ctl->sizes.list);
    }
    return error == -ENOMEM ? error : ctl_damage_sizes(ctl, error); /* drive_sizes.h (1) */
}

void ctl_sizes_free(struct ctl *ctl)
{
    ASSERT(!ctl->sizes.putting);
    free(ctl->sizes.list);
    free(ctl->sizes.bytes);
}

uint64_t cd_size_known(const struct ctl_drive *cd)
{
    return drive_sizes_find(cd->ctl->sizes.list, cd->identity.key);
}

/* One that has become too small for a label has none that could tell. */
uint64_t cd_shrunk_from(const struct ctl_drive *cd)
{
    uint64_t known_bytes = 0;

    if (cd->label_status == LABEL_STATUS_SHRUNK) {
        return cd->shrunk_bytes;
    }
    if (cd_life(cd) != LIFE_TOO_SMALL) {
        return 0;
    }
    known_bytes = cd_size_known(cd);
    return known_bytes > cd->size_bytes ? known_bytes : 0;
}

void cd_shrunk_text(const struct ctl_drive *cd, struct shrunk_text *ret_text)
{
    uint64_t was_bytes = cd_shrunk_from(cd);

    ASSERT(was_bytes > cd->size_bytes);
    (void)snprintf(ret_text->now, sizeof(ret_text->now), "%llu",
                   (unsigned long long)cd->size_bytes);
    (void)snprintf(ret_text->before, sizeof(ret_text->before), "%llu",
                   (unsigned long long)was_bytes);
    size_difference(was_bytes - cd->size_bytes, ret_text->missing);
}

void cd_shrunk_reason(const struct ctl_drive *cd, struct reason *ret_reason)
{
    struct shrunk_text text;

    cd_shrunk_text(cd, &text);
    reason_set(ret_reason, REASON_DRIVE_SHRUNK, "missing", text.missing, "used", text.before,
               "size", text.now, NULL);
}

void cd_shrunk_tell(const struct ctl_drive *cd)
{
    struct shrunk_text text;
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    cd_shrunk_text(cd, &text);
    ctl_event(cd->ctl, EVENT_DRIVE_SHRUNK, cd->identity.key, "drive", path, "missing", text.missing,
              "used_bytes", text.before, "size_bytes", text.now, NULL);
}

struct grown_text {
    char now[24], used[24];
};

static void grown_text(const struct ctl_drive *cd, struct grown_text *ret_text)
{
    ASSERT(cd->grown_bytes > cd->size_bytes);
    (void)snprintf(ret_text->now, sizeof(ret_text->now), "%llu",
                   (unsigned long long)cd->grown_bytes);
    (void)snprintf(ret_text->used, sizeof(ret_text->used), "%llu",
                   (unsigned long long)cd->size_bytes);
}

void cd_grown_reason(const struct ctl_drive *cd, struct reason *ret_reason)
{
    struct grown_text text;

    grown_text(cd, &text);
    reason_set(ret_reason, REASON_DRIVE_GROWN, "size_bytes", text.now, "used_bytes", text.used,
               NULL);
}

void cd_grown_tell(const struct ctl_drive *cd)
{
    struct grown_text text;
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    grown_text(cd, &text);
    ctl_event(cd->ctl, EVENT_DRIVE_GROWN, cd->identity.key, "drive", path, "size_bytes", text.now,
              "used_bytes", text.used, NULL);
}

uint64_t cd_stale_label_bytes(const struct ctl_drive *cd)
{
    uint64_t offset_bytes = drive_layout_label_offset(cd->shrunk_bytes, false, 0);

    return cd->label_status == LABEL_STATUS_SHRUNK &&
                   offset_bytes + LABEL_SLOT_COUNT * LABEL_SLOT_BYTES <= cd->size_bytes
               ? offset_bytes
               : 0;
}

void cd_size_forget(struct ctl_drive *cd)
{
    cd->size_noted_bytes = 0;
    if (drive_sizes_forget(cd->ctl->sizes.list, cd->identity.key)) {
        cd->ctl->sizes.noted = true;
    }
}

/* A drive with a label is reported when its label is settled. */
static void shrunk_look(struct ctl_drive *cd)
{
    if (!cd->shrunk_told && cd->label_status != LABEL_STATUS_SHRUNK && cd_shrunk_from(cd) != 0) {
        cd->shrunk_told = true;
        cd_shrunk_tell(cd);
    }
}

/* (1) */
static void sizes_look(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        shrunk_look(cd);
        if (cd->drive == NULL || !cd->present || cd->departed || !cd->settled ||
            (cd->group == NULL && !cd->spare) || cd->size_noted_bytes == cd->size_bytes) {
            continue;
        }
        cd->size_noted_bytes = cd->size_bytes;
        if (cd_size_known(cd) != cd->size_bytes) {
            drive_sizes_set(ctl->sizes.list, cd->identity.key, cd->size_bytes);
            ctl->sizes.noted = true;
        }
    }
}

static void sizes_saved(struct store_request *put, int error)
{
    struct ctl *ctl = put->owner;

    ASSERT(ctl->sizes.putting);
    ctl->sizes.putting = false;
    if (error != 0) {
        ctl->sizes.noted = true;
        ctl->sizes.again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
    }
    ctl_kick(ctl);
}

void ctl_sizes_work(struct ctl *ctl)
{
    struct store_request *put = &ctl->sizes.put;
    size_t bytes = 0;
    int error = 0;

    if (ctl->life != CTL_LIFE_ONLINE && ctl->life != CTL_LIFE_STOPPING) {
        return;
    }
    sizes_look(ctl);
    if (!ctl->sizes.noted || ctl->sizes.putting) {
        return;
    }
    if (clock_now_us(ctl->ports.clock) < ctl->sizes.again_us) {
        ctl_kick_at(ctl, ctl->sizes.again_us);
        return;
    }
    error = drive_sizes_encode(ctl->sizes.list, ctl->sizes.bytes, DRIVE_SIZES_MAX_BYTES, &bytes);
    ASSERT(error == 0); /* the largest record fits */
    ctl->sizes.noted = false;
    ctl->sizes.putting = true;
    (void)snprintf(put->name, sizeof(put->name), "%s", DRIVE_SIZES_NAME);
    put->value = ctl->sizes.bytes;
    put->value_bytes = bytes;
    put->complete = sizes_saved;
    put->owner = ctl;
    list_init(&put->port_link);
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

bool ctl_sizes_are_quiet(const struct ctl *ctl)
{
    return !ctl->sizes.putting;
}
