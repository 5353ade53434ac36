/*
 * Who takes the place of a lost member: the drive that came back to it, a blank drive in its
 * slot, a dedicated hot spare, a global one; in that order at an arrival, spares first at a
 * loss because nothing has arrived then.
 *
 * (1) One place is filled at a time, under `change`.
 * (2) A drive that could not take a place is not tried again by itself.
 * (3) Where a lost member was is in the group's record, so that a drive put there is taken also
 *     if the agent ended in between; a drive that a user has made good there is not.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

struct replacement {
    struct ctl *ctl;
    struct ctl_group *cg;
    struct ctl_drive *cd;
    struct ctl_drive *former;      /* had the place, and gets it back on failure */
    uint32_t member;
    bool was_spare;
    void (*done)(struct ctl *ctl, int error, void *context);
    void *context;
};

bool drive_fits_group(const struct ctl_drive *cd, const struct ctl_group *cg,
                      struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];
    char size[24];
    char needed[24];
    enum drive_media media = DRIVE_MEDIA_HDD;

    drive_path(cd, path, sizeof(path));
    group_path(cg, group, sizeof(group));
    if (cd_usable_bytes(cd) < cg_member_needed_bytes(cg)) {
        (void)snprintf(size, sizeof(size), "%llu", (unsigned long long)cd_usable_bytes(cd));
        (void)snprintf(needed, sizeof(needed), "%llu",
                       (unsigned long long)cg_member_needed_bytes(cg));
        reason_set(ret_reason, REASON_DRIVE_TOO_SMALL_FOR_GROUP, "drive", path, "group", group,
                   "size_bytes", size, "needed_bytes", needed, NULL);
        return false;
    }
    if (cd->block_bytes > cg_block_bytes(cg)) {
        (void)snprintf(size, sizeof(size), "%u", cd->block_bytes);
        (void)snprintf(needed, sizeof(needed), "%u", cg_block_bytes(cg));
        reason_set(ret_reason, REASON_MIXED_SECTOR_SIZES, "first", needed, "second", size, NULL);
        return false;
    }
    if (cg_media(cg, &media) && media != cd->identity.media) {
        reason_set(ret_reason, REASON_MIXED_MEDIA, NULL);
        return false;
    }
    return true;
}

static bool spare_is_assigned(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    const struct guid *guid = &cg_config(cg)->guid;

    for (uint32_t i = 0; i < cd->spare_group_count; i++) {
        if (guid_equal(&cd->spare_groups[i], guid)) {
            return true;
        }
    }
    return cd->spare_group_count == 0;
}

bool spare_serves(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    struct reason reason;

    return cd->spare && cd->present && !cd->departed && spare_is_assigned(cd, cg) &&
           drive_fits_group(cd, cg, &reason);
}

/* Putting a drive in a place */

static void replacement_failed(struct replacement *replacement, int error)
{
    struct ctl_drive *cd = replacement->cd;
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];
    char why[32];

    drive_path(cd, path, sizeof(path));
    group_path(replacement->cg, group, sizeof(group));
    (void)snprintf(why, sizeof(why), "error %d", -error);
    cd->auto_failed = true;
    ctl_event(cd->ctl, EVENT_SPARE_FAILED, cd->identity.key, "drive", path, "group", group, "why",
              error == -ENOSPC ? "the state directory is full" : why, NULL);
}

static void former_member_back(struct replacement *replacement)
{
    struct ctl_drive *former = replacement->former;

    if (former != NULL && !former->departed && former->group == NULL) {
        former->bad = false;
        former->has_state_reason = false;
        cd_place_set(former, replacement->cg, replacement->member);
        cd_state_update(former);
    }
}

static void replacement_done(void *context, int error)
{
    struct replacement *replacement = context;
    struct ctl *ctl = replacement->ctl;
    struct ctl_drive *cd = replacement->cd;

    if (error != 0) {
        cd_place_clear(cd);
        cd->spare = replacement->was_spare;
        former_member_back(replacement);
        replacement_failed(replacement, error);
    } else {
        cd->spare_group_count = 0;
        replacement->cg->rebuild_stopped[replacement->member] = false;
    }
    cd->reinserted = false;
    cd_state_update(cd);
    replacement->done(ctl, error, replacement->context);
    free(replacement);
    ctl_kick(ctl);
}

/* The drive that had the place loses it for good. */
static void former_member_out(struct ctl_drive *former)
{
    struct reason reason;

    cd_place_clear(former);
    former->bad = true;
    former->has_state_reason = true;
    reason_set(&reason, REASON_LABEL_REPLACED, NULL);
    former->state_reason = reason;
    cd_state_update(former);
}

void ctl_member_replace(struct ctl_group *cg, uint32_t member, struct ctl_drive *cd, bool by_user,
                        void (*done)(struct ctl *ctl, int error, void *context), void *context)
{
    struct replacement *replacement = calloc(1, sizeof(*replacement));
    struct ctl_drive *former = cg->members[member];

    ASSERT(replacement != NULL);
    ASSERT(cg->phase == CTL_GROUP_RUNNING && cg->ctl->change != NULL);
    ASSERT(cd->drive != NULL && (cd->group == NULL || cd == former));
    *replacement = (struct replacement){.ctl = cg->ctl,
                                        .cg = cg,
                                        .cd = cd,
                                        .member = member,
                                        .was_spare = cd->spare,
                                        .done = done,
                                        .context = context};
    if (former != NULL && former != cd) {
        replacement->former = former;
        former_member_out(former);
    }
    if (uuid_is_zero(&cd->uuid)) {
        cd->uuid = uuid_make(&cg->ctl->rng);
    }
    if (cd->group == NULL) {
        cd_place_set(cd, cg, member);
    }
    cd->has_state_reason = false;
    drive_health_reset(cd->drive);
    cg->rebuild_by_user[member] = by_user;
    group_member_replace(cg->group, member, cd->drive, &cd->uuid, replacement_done, replacement);
}

/* By itself */

static void auto_replaced(struct ctl *ctl, int error, void *context)
{
    (void)error;   /* the event has told */
    (void)context; /* nothing more to do */
    ctl_change_end(ctl);
}

static bool is_vacant_place_of(const struct ctl_group *cg, uint32_t member,
                               const struct ctl_drive *cd)
{
    const struct member_config *config = &cg_config(cg)->members[member];

    return config->place_known && config->eid == cd->identity.eid &&
           config->slot == cd->identity.slot;
}

/* It arrived before the agent ended, or while nobody looked: as good as arriving now. */
bool spare_is_due(const struct ctl_drive *cd)
{
    LIST_FOR_EACH (node, &cd->ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);

        for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
            if (cg->members[i] == NULL && is_vacant_place_of(cg, i, cd)) {
                return cd->group == NULL && cd->label_status == LABEL_STATUS_NONE;
            }
        }
    }
    return false;
}

/* A blank drive in the slot of the one that is missing. */
static bool is_replacement(const struct ctl_group *cg, uint32_t member, const struct ctl_drive *cd)
{
    struct reason reason;

    return cd->reinserted && cd->settled && cd->present && !cd->departed && cd->drive != NULL &&
           cd->group == NULL && !cd->spare && !cd->foreign && !cd->bad && !cd->auto_failed &&
           !cd->has_unsuitable && cd->label_status == LABEL_STATUS_NONE &&
           cd->signature[0] == '\0' && is_vacant_place_of(cg, member, cd) &&
           drive_fits_group(cd, cg, &reason);
}

static struct ctl_drive *replacement_find(const struct ctl_group *cg, uint32_t member)
{
    struct ctl_drive *own = cg->members[member];

    if (own != NULL && own->present && own->settled && own->reinserted && !own->auto_failed &&
        cg_config(cg)->members[member].state != MEMBER_OFFLINE) {
        return own;
    }
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (is_replacement(cg, member, cd)) {
            return cd;
        }
    }
    return NULL;
}

/* Dedicated before global, small before large. */
static bool spare_is_better(const struct ctl_drive *a, const struct ctl_drive *b)
{
    if (b == NULL) {
        return true;
    }
    if ((a->spare_group_count > 0) != (b->spare_group_count > 0)) {
        return a->spare_group_count > 0;
    }
    return cd_usable_bytes(a) < cd_usable_bytes(b);
}

static void spare_too_small_tell(struct ctl_group *cg, const struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    group_path(cg, group, sizeof(group));
    cg->spare_too_small_told = true;
    ctl_event(cg->ctl, EVENT_SPARE_TOO_SMALL, cd->identity.key, "drive", path, "group", group,
              NULL);
}

static struct ctl_drive *spare_find(struct ctl_group *cg)
{
    struct ctl_drive *best = NULL;
    const struct ctl_drive *small = NULL;

    LIST_FOR_EACH (node, &cg->ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->drive == NULL || cd->auto_failed || cd->group != NULL) {
            continue;
        }
        if (spare_serves(cd, cg)) {
            best = spare_is_better(cd, best) ? cd : best;
        } else if (cd->spare && cd->present && spare_is_assigned(cd, cg) &&
                   cd_usable_bytes(cd) < cg_member_needed_bytes(cg)) {
            small = cd;
        }
    }
    if (best == NULL && small != NULL && !cg->spare_too_small_told) {
        spare_too_small_tell(cg, small);
    }
    return best;
}

static bool group_place_fill(struct ctl_group *cg, uint32_t member)
{
    struct ctl_drive *cd = replacement_find(cg, member);

    if (cd == NULL) {
        cd = spare_find(cg);
    }
    if (cd == NULL || !ctl_change_begin(cg->ctl, "rebuild")) {
        return false;
    }
    ctl_member_replace(cg, member, cd, false, auto_replaced, NULL);
    return true;
}

static void group_spares_work(struct ctl_group *cg)
{
    bool vacant = false;

    if (cg->phase != CTL_GROUP_RUNNING || cg->quiescing || !cg_is_redundant(cg) ||
        cg_state(cg) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        return;
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (!cg_member_is_vacant(cg, i)) {
            continue;
        }
        vacant = true;
        if (cg->ctl->change == NULL && group_place_fill(cg, i)) {
            return;
        }
    }
    cg->spare_too_small_told = cg->spare_too_small_told && vacant;
}

/* Whoever came back and was not needed is what its label makes of it. */
static void arrivals_done(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);
        bool claimed_or_not = cd->drive == NULL || cd->settled;

        if (cd->reinserted && claimed_or_not && cd->present) {
            cd->reinserted = false;
            cd_state_update(cd);
        }
    }
}

void ctl_spares_work(struct ctl *ctl)
{
    if (ctl->change != NULL) {
        return;
    }
    if (ctl->record->auto_rebuild) {
        LIST_FOR_EACH (node, &ctl->groups) {
            group_spares_work(list_entry(node, struct ctl_group, link));
        }
    }
    if (ctl->change == NULL) {
        arrivals_done(ctl);
    }
}
