/*
 * Hot spares that were seen. The role of a hot spare is on the drive alone, and a drive that is
 * taken out is soon forgotten, so those that were there are kept in the controller's record: what
 * is away is missed until it is back, is something else, is removed as a hot spare, or another
 * drive has been made a hot spare instead. One whose label another program has overwritten is told
 * as well, until a user decides what it is. A restart in between changes nothing.
 *
 * (1) `spares_seen` is the truth, and the record follows it. A put that failed is tried again.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_private.h"

#define SAVE_AGAIN_US UINT64_C(10000000)

bool spare_seen_is_away(const struct ctl *ctl, const struct controller_spare *seen)
{
    const struct ctl_drive *cd = drive_by_key(ctl, seen->key);

    return cd == NULL || !cd->present;
}

bool spare_seen_is_lost(const struct ctl *ctl, const struct controller_spare *seen)
{
    const struct ctl_drive *cd = drive_by_key(ctl, seen->key);

    return cd != NULL && cd->present && cd->drive != NULL && cd->settled && !cd->spare &&
           cd->group == NULL && cd->copyback_of == NULL && !cd->jbod &&
           cd_life(cd) != LIFE_TOO_SMALL &&
           (cd->label_status == LABEL_STATUS_NONE || cd->label_status == LABEL_STATUS_DAMAGED);
}

static void spare_seen_drop(struct ctl *ctl, uint32_t index)
{
    ASSERT(index < ctl->spares_seen_count);
    ctl->spares_seen_count--;
    memmove(&ctl->spares_seen[index], &ctl->spares_seen[index + 1],
            (ctl->spares_seen_count - index) * sizeof(ctl->spares_seen[0]));
}

static struct controller_spare *spare_seen_find(struct ctl *ctl, const char *key)
{
    for (uint32_t i = 0; i < ctl->spares_seen_count; i++) {
        if (strcmp(ctl->spares_seen[i].key, key) == 0) {
            return &ctl->spares_seen[i];
        }
    }
    return NULL;
}

static bool spare_seen_is_gone(const struct ctl *ctl, const struct controller_spare *seen)
{
    return spare_seen_is_away(ctl, seen) || spare_seen_is_lost(ctl, seen);
}

/* A new one is there instead of the first that is gone. */
static struct controller_spare *spare_seen_add(struct ctl *ctl)
{
    for (uint32_t i = 0; i < ctl->spares_seen_count; i++) {
        if (spare_seen_is_gone(ctl, &ctl->spares_seen[i])) {
            return &ctl->spares_seen[i];
        }
    }
    if (ctl->spares_seen_count == CONTROLLER_SPARES_MAX) {
        spare_seen_drop(ctl, 0);
    }
    return &ctl->spares_seen[ctl->spares_seen_count++];
}

/* A device may say anything; the record holds text. */
static void text_make_sound(char *text)
{
    for (; *text != '\0'; text++) {
        *text = (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text;
    }
}

static void spare_note(struct ctl *ctl, const struct ctl_drive *cd)
{
    struct controller_spare *seen = spare_seen_find(ctl, cd->object.key);

    seen = seen != NULL ? seen : spare_seen_add(ctl);
    *seen = (struct controller_spare){.dedicated = cd->spare_group_count > 0};
    (void)snprintf(seen->key, sizeof(seen->key), "%s", cd->object.key);
    drive_path(cd, seen->path, sizeof(seen->path));
    drive_name(cd, seen->name);
    (void)snprintf(seen->serial, sizeof(seen->serial), "%s", cd->identity.serial);
    text_make_sound(seen->serial);
}

static bool record_has_them(const struct ctl *ctl)
{
    return ctl->record->spare_count == ctl->spares_seen_count &&
           memcmp(ctl->record->spares, ctl->spares_seen,
                  ctl->spares_seen_count * sizeof(ctl->spares_seen[0])) == 0;
}

void ctl_spares_look(struct ctl *ctl)
{
    ASSERT(!ctl_is_starting(ctl)); /* a drive that is still awaited is not away */
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (!cd->departed && cd->present && cd->spare && cd->group == NULL) {
            spare_note(ctl, cd);
        }
    }
    for (uint32_t i = ctl->spares_seen_count; i > 0; i--) {
        const struct ctl_drive *cd = drive_by_key(ctl, ctl->spares_seen[i - 1].key);

        if (cd != NULL && cd->present && cd->settled && (!cd->spare || cd->group != NULL) &&
            cd->label_status != LABEL_STATUS_SHRUNK && cd_life(cd) != LIFE_TOO_SMALL &&
            !spare_seen_is_lost(ctl, &ctl->spares_seen[i - 1])) {
            spare_seen_drop(ctl, i - 1);
        }
    }
    if (ctl->life == CTL_LIFE_ONLINE && ctl->change == NULL && !record_has_them(ctl) &&
        clock_now_us(ctl->ports.clock) >= ctl->spares_again_us) {
        ctl_kick(ctl); /* a change that ends kicks as well */
    }
}

/* (1) */

static void spares_saved(struct ctl *ctl, int error, void *context)
{
    (void)context; /* nothing more to do */
    if (error != 0) {
        ctl->spares_again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
        ctl_kick_at(ctl, ctl->spares_again_us);
    }
    ctl_change_end(ctl);
}

void ctl_spares_seen_load(struct ctl *ctl)
{
    ctl->spares_seen_count = ctl->record->spare_count;
    memcpy(ctl->spares_seen, ctl->record->spares, sizeof(ctl->spares_seen));
}

void ctl_spares_seen_work(struct ctl *ctl)
{
    if ((ctl->life != CTL_LIFE_ONLINE && ctl->life != CTL_LIFE_STOPPING) || ctl->start != NULL ||
        record_has_them(ctl) || clock_now_us(ctl->ports.clock) < ctl->spares_again_us ||
        !ctl_change_begin(ctl, "remembering the hot spares")) {
        return;
    }
    ctl_record_edit(ctl);
    ctl->record->spare_count = ctl->spares_seen_count;
    memcpy(ctl->record->spares, ctl->spares_seen, sizeof(ctl->spares_seen));
    ctl_record_save(ctl, spares_saved, NULL);
}

bool spare_seen_remove(struct ctl *ctl, const char *key, struct controller_spare *ret_seen)
{
    struct controller_spare *seen = spare_seen_find(ctl, key);

    if (seen == NULL || !spare_seen_is_gone(ctl, seen)) {
        return false;
    }
    *ret_seen = *seen;
    spare_seen_drop(ctl, (uint32_t)(seen - ctl->spares_seen));
    return true;
}

void spare_seen_forget(struct ctl *ctl, const char *key)
{
    struct controller_spare *seen = spare_seen_find(ctl, key);

    if (seen != NULL) {
        spare_seen_drop(ctl, (uint32_t)(seen - ctl->spares_seen));
    }
}

bool ctl_misses_spare(struct ctl *ctl, const char *key)
{
    const struct controller_spare *seen = spare_seen_find(ctl, key);

    return seen != NULL && spare_seen_is_away(ctl, seen);
}
