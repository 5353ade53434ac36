/*
 * Lost members that are back without being taken for what they are: their labels or DDF metadata
 * are those of a drive group here, from before it was imported. They were away at that time.
 *
 * (1) Such a drive is foreign: what is on it was not written here. It is overwritten on request
 *     only, by the command that puts a drive in the place of a lost member. The findings of the
 *     drive group and of the drive and the list of foreign sets all name that command.
 * (2) The place is the one whose member the drive is, by its label or DDF entry, or else by its
 *     serial number. DDF of others does not always keep who is missing: any lost place will do
 * then. (3) It may have been in use without the drives that work now, and hold the newer data.
 * (4) The drive group may be that of another controller of the host: the drive is connected to the
 * wrong one. If that group is offline without it, nothing is written to the drive here. Nobody is
 * advised to write to it either if the group only lacks it.
 */
#include "ctl/member_returned.h"

#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_await.h"
#include "ctl/foreign_conflict.h"
#include "ctl/foreign_set.h"
#include "ctl/spare_choice.h"

static bool place_is_vacant(const struct ctl_group *cg, uint32_t member)
{
    return cg_member_is_vacant(cg, member) &&
           (cg->members[member] == NULL || cg->members[member]->departed);
}

/* Zero: its DDF metadata have no entry for it. */
static struct uuid uuid_by_ddf(const struct ddf_config *ddf)
{
    const struct ddf_pd *pd = ddf_pd_by_reference(ddf, ddf->own_reference);

    return pd != NULL ? ddf_drive_uuid(&pd->guid) : (struct uuid){0};
}

/* (2) */
static bool place_find(const struct ctl_group *cg, const struct ctl_drive *cd,
                       const struct uuid *uuid, bool any, uint32_t *ret_member)
{
    const struct group_config *config = cg_config(cg);
    uint32_t named = config->member_count;
    uint32_t found = config->member_count;

    for (uint32_t i = config->member_count; i > 0; i--) {
        const struct member_config *member = &config->members[i - 1];

        if (uuid_equal(&member->drive, uuid)) {
            *ret_member = i - 1;
            return place_is_vacant(cg, i - 1);
        }
        if (place_is_vacant(cg, i - 1) && cd_has_serial(cd, member->serial)) {
            named = i - 1;
        } else if (any && place_is_vacant(cg, i - 1)) {
            found = i - 1;
        }
    }
    found = named < config->member_count ? named : found;
    *ret_member = found;
    return found < config->member_count;
}

bool cd_is_returned(const struct ctl_drive *cd, struct returned_place *ret_place)
{
    enum foreign_format format = FOREIGN_FORMAT_DDF;
    struct guid guid;
    const struct drive_label *label = cd_foreign_label(cd);
    struct uuid uuid;

    if (cd->group != NULL || !foreign_drive_id(cd, &format, &guid)) {
        return false;
    }
    ret_place->cg = group_by_guid(cd->ctl, &guid);
    if (ret_place->cg == NULL || !cg_is_redundant(ret_place->cg)) {
        return false;
    }
    uuid = label != NULL ? label->drive : uuid_by_ddf(cd->found->ddf);
    return place_find(ret_place->cg, cd, &uuid, label == NULL, &ret_place->member);
}

static bool member_is_used(const struct ctl_group *cg, const struct uuid *uuid)
{
    const struct group_config *config = cg_config(cg);

    for (uint32_t i = 0; i < config->member_count; i++) {
        if (config->members[i].state == MEMBER_ONLINE &&
            uuid_equal(&config->members[i].drive, uuid)) {
            return true;
        }
    }
    return false;
}

/* Its label calls one lost that is in use now, or knows none of them (foreign_conflict.c (2)). */
bool record_lost_one(const struct ctl_group *cg, const struct group_config *record)
{
    if (record_went_apart(record, cg_config(cg))) {
        return true;
    }
    for (uint32_t i = 0; i < record->member_count; i++) {
        if (record->members[i].state != MEMBER_ONLINE &&
            record->members[i].state != MEMBER_REBUILD &&
            member_is_used(cg, &record->members[i].drive)) {
            return true;
        }
    }
    return false;
}

static bool ddf_lost_one(const struct ctl_group *cg, const struct ddf_config *ddf)
{
    bool knows = false;

    for (uint32_t i = 0; i < ddf->pd_count; i++) {
        struct uuid uuid = ddf_drive_uuid(&ddf->pds[i].guid);
        bool lost = (ddf->pds[i].state & (DDF_PD_FAILED | DDF_PD_MISSING)) != 0;

        if (lost && member_is_used(cg, &uuid)) {
            return true;
        }
        knows = knows || (!lost && member_is_used(cg, &uuid));
    }
    return !knows;
}

bool cd_returned_is_later(const struct ctl_drive *cd, const struct returned_place *place)
{
    const struct drive_label *label = cd_foreign_label(cd);

    return label != NULL ? record_lost_one(place->cg, &label->record)
                         : ddf_lost_one(place->cg, cd->found->ddf);
}

bool cd_may_return(const struct ctl_drive *cd, const struct returned_place *place)
{
    const struct ctl_group *cg = place->cg;
    struct reason reason;

    return cg->phase == CTL_GROUP_RUNNING && cg_state(cg) != VIRTUAL_DRIVE_STATE_OFFLINE &&
           drive_fits_group(cd, cg, &reason) &&
           (!cg->ctl->record->auto_rebuild || spare_choose(cg, place->member, &reason) == NULL ||
            cg_glitch_left_us(cg, place->member) > 0);
}

const struct ctl_drive *member_returned(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_drive *first = NULL;

    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        struct returned_place place;

        if (!cd_is_returned(cd, &place) || place.cg != cg || place.member != member) {
            continue;
        }
        if (cd_has_serial(cd, cg_config(cg)->members[member].serial)) {
            return cd;
        }
        first = first != NULL ? first : cd;
    }
    return first;
}

/* The drive that had this place when the group went offline, or was in sync when the group stopped,
 * is not here. */
static bool place_needs_drive(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_drive *holder = cg->members[member];

    if (cg_state(cg) != VIRTUAL_DRIVE_STATE_OFFLINE || (holder != NULL && holder->present)) {
        return false;
    }
    return cg->phase == CTL_GROUP_RUNNING
               ? group_member_is_unsaved(cg->group, member)
               : cg->phase == CTL_GROUP_WAITING && !cg_member_is_vacant(cg, member);
}

bool place_waits_for_group(const struct ctl_group *cg, uint32_t member)
{
    return cg_state(cg) == VIRTUAL_DRIVE_STATE_OFFLINE &&
           (cg->phase == CTL_GROUP_RUNNING || cg->phase == CTL_GROUP_WAITING) &&
           !place_needs_drive(cg, member);
}

bool cd_is_needed_copy(const struct ctl_drive *cd, struct returned_place *ret_place)
{
    const struct drive_label *label = cd_foreign_label(cd);
    const struct member_config *member = NULL;

    if (cd->group != NULL || label == NULL || !cd->present || cd->departed ||
        label->role != LABEL_ROLE_MEMBER ||
        !uuid_equal(&label->controller, &cd->ctl->record->controller)) {
        return false;
    }
    ret_place->cg = group_by_guid(cd->ctl, &label->group);
    ret_place->member = label->member;
    if (ret_place->cg == NULL || label->member >= cg_config(ret_place->cg)->member_count) {
        return false;
    }
    member = &cg_config(ret_place->cg)->members[label->member];
    return uuid_equal(&member->drive, &label->drive) &&
           place_needs_drive(ret_place->cg, label->member);
}

/* (4) */
static bool member_is_needed(struct ctl_group *cg, const struct uuid *uuid,
                             struct returned_place *ret_place)
{
    const struct group_config *config = cg_config(cg);

    for (uint32_t i = 0; i < config->member_count; i++) {
        if (uuid_equal(&config->members[i].drive, uuid)) {
            *ret_place = (struct returned_place){.cg = cg, .member = i};
            return place_needs_drive(cg, i) ||
                   (cg_is_starting(cg) && !cg_member_is_vacant(cg, i) &&
                    (cg->members[i] == NULL || !cg->members[i]->present)); /* it may be */
        }
    }
    return false;
}

/* By the drive's label, or its DDF entry. */
static bool member_uuid(const struct ctl_drive *cd, struct guid *ret_group, struct uuid *ret_uuid)
{
    enum foreign_format format = FOREIGN_FORMAT_DDF;
    const struct drive_label *label = cd_foreign_label(cd);

    if (cd->group != NULL || !foreign_drive_id(cd, &format, ret_group) ||
        (label != NULL && label->role != LABEL_ROLE_MEMBER)) {
        return false;
    }
    *ret_uuid = label != NULL ? label->drive : uuid_by_ddf(cd->found->ddf);
    return true;
}

/* Among records of one drive group, one that works counts, and the others are old. */
bool cd_is_needed_elsewhere(const struct ctl_drive *cd, struct returned_place *ret_place)
{
    struct uuid uuid;
    struct guid guid;
    bool needed = false;

    if (!member_uuid(cd, &guid, &uuid)) {
        return false;
    }
    LIST_FOR_EACH (node, &cd->ctl->host->ctls) {
        const struct ctl *other = list_entry(node, const struct ctl, host_link);
        struct ctl_group *cg = group_by_guid(other, &guid);

        if (cg != NULL && cg_state(cg) != VIRTUAL_DRIVE_STATE_OFFLINE && !cg_is_starting(cg)) {
            return false;
        }
        needed =
            needed || (cg != NULL && other != cd->ctl && member_is_needed(cg, &uuid, ret_place));
    }
    return needed;
}

static bool member_is_lacked(struct ctl_group *cg, const struct uuid *uuid,
                             struct returned_place *ret_place)
{
    const struct group_config *config = cg_config(cg);

    for (uint32_t i = 0; i < config->member_count; i++) {
        if (uuid_equal(&config->members[i].drive, uuid) &&
            (cg->members[i] == NULL || !cg->members[i]->present)) {
            *ret_place = (struct returned_place){.cg = cg, .member = i};
            return true;
        }
    }
    return false;
}

bool cd_is_lacked_elsewhere(const struct ctl_drive *cd, struct returned_place *ret_place)
{
    struct uuid uuid;
    struct guid guid;

    if (!member_uuid(cd, &guid, &uuid)) {
        return false;
    }
    LIST_FOR_EACH (node, &cd->ctl->host->ctls) {
        const struct ctl *other = list_entry(node, const struct ctl, host_link);
        struct ctl_group *cg = other != cd->ctl ? group_by_guid(other, &guid) : NULL;

        if (cg != NULL && cg_state(cg) != VIRTUAL_DRIVE_STATE_OFFLINE && !cg_is_starting(cg) &&
            member_is_lacked(cg, &uuid, ret_place)) {
            return true;
        }
    }
    return false;
}

bool cd_copy_is_older(const struct ctl_drive *cd, const struct returned_place *place)
{
    return cd_foreign_label(cd)->record.sequence <
           cg_config(place->cg)->members[place->member].known_sequence;
}
