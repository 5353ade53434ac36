/*
 * Drives that sit in the bays of lost members without being rebuilt onto.
 *
 * (1) Content that is not ours is never overwritten without an explicit request. Whoever has put
 *     such a drive in the bay of a lost member waits for a rebuild, so the findings of the drive
 *     group name the drive, what is on it and the command that overwrites it.
 * (2) What has a finding of its own (an unconfigured bad drive, a hot spare that cannot serve) is
 *     not told here again.
 * (3) The lost member itself comes first, wherever it is (member_returned.c). Of a member whose bay
 *     is not known, as after an import without it, any free drive will do: a new one is not taken
 *     automatically then. A user may have freed the lost member: it is named, and not asked for.
 *     One whose bay is known is to be replaced there; a free drive elsewhere is named beside that.
 * (4) A state directory from before a drive group was deleted brings back a group of which every
 * drive is here without a label. "Put the drives back" would be no help: they are there.
 */
#include "ctl/place_drive.h"

#include <stdio.h>

#include "base/assert.h"
#include "ctl/ctl_await.h"
#include "ctl/foreign_set.h"
#include "ctl/member_returned.h"

bool drive_is_in_place(const struct ctl_group *cg, uint32_t member, const struct ctl_drive *cd)
{
    const struct member_config *config = &cg_config(cg)->members[member];

    return config->place_known && config->eid == cd->identity.eid &&
           config->slot == cd->identity.slot;
}

static const struct ctl_drive *drive_in_place(const struct ctl_group *cg, uint32_t member)
{
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (drive_is_in_place(cg, member, cd) && cd->present && !cd->departed &&
            cd->group == NULL) {
            return cd;
        }
    }
    return NULL;
}

static bool was_member(const struct ctl_group *cg, uint32_t member, const struct ctl_drive *cd)
{
    return cd_has_serial(cd, cg_config(cg)->members[member].serial);
}

/* (3) */
static const struct ctl_drive *free_drive_find(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_drive *found = NULL;

    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        struct reason reason;

        if (cd->departed || cd_life(cd) != LIFE_UGOOD || cd->found != NULL ||
            cd->signature[0] != '\0' || (cd->drive != NULL && !cd->settled) ||
            !drive_fits_group(cd, cg, &reason)) {
            continue;
        }
        if (was_member(cg, member, cd)) {
            return cd;
        }
        if (found == NULL) {
            found = cd;
        }
    }
    return found;
}

static void cause_set(const struct ctl_drive *cd, enum reason_code code, const char *what,
                      struct reason *ret_cause)
{
    char name[NAME_TEXT_BYTES];

    drive_name(cd, name);
    reason_set(ret_cause, code, "drive", name, "signature", what, NULL);
}

void place_command(const struct ctl_group *cg, uint32_t member, const struct ctl_drive *cd,
                   enum reason_code code, struct reason *ret_reason)
{
    uint32_t per_span = cg_config(cg)->vds[0].geometry.members_per_span;
    char name[NAME_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];
    char lost[MEMBER_TEXT_BYTES];
    char group[16];
    char array[16];
    char row[16];

    ASSERT(cg_config(cg)->vd_count > 0 && per_span > 0);
    drive_name(cd, name);
    drive_path(cd, path, sizeof(path));
    (void)member_name(cg, member, lost); /* a bay or a serial number: both are names */
    (void)snprintf(group, sizeof(group), "%u", cg_config(cg)->index);
    (void)snprintf(array, sizeof(array), "%u", member / per_span);
    (void)snprintf(row, sizeof(row), "%u", member % per_span);
    reason_set(ret_reason, code, "drive", name, "path", path, "group", group, "array", array, "row",
               row, "member", lost, NULL);
}

/* The drive itself, of which an older state directory does not know, or a copy of it. */
bool rule_not_needed_here(const struct ctl_drive *cd, struct reason *ret_reason)
{
    struct returned_place place;

    if (!cd_is_needed_copy(cd, &place) || cd_copy_is_older(cd, &place)) {
        return true;
    }
    place_command(place.cg, place.member, cd,
                  was_member(place.cg, place.member, cd) ? REASON_FOREIGN_NEEDED
                                                         : REASON_FOREIGN_COPY_NEEDED,
                  ret_reason);
    return false;
}

static void elsewhere_tell(const struct ctl_drive *cd, const struct returned_place *place,
                           enum reason_code code, struct reason *ret_reason)
{
    char drive[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];
    char path[PATH_TEXT_BYTES];
    char other[PATH_TEXT_BYTES];
    char member[MEMBER_TEXT_BYTES];

    drive_path(cd, drive, sizeof(drive));
    group_path(place->cg, group, sizeof(group));
    controller_path(cd->ctl, path, sizeof(path));
    controller_path(place->cg->ctl, other, sizeof(other));
    (void)member_name(place->cg, place->member, member); /* as in place_command */
    reason_set(ret_reason, code, "drive", drive, "group", group, "member", member, "path", path,
               "other", other, NULL);
}

bool rule_not_needed_elsewhere(const struct ctl_drive *cd, struct reason *ret_reason)
{
    struct returned_place place;

    if (!cd_is_needed_elsewhere(cd, &place)) {
        return true;
    }
    elsewhere_tell(cd, &place, REASON_FOREIGN_NEEDED_ELSEWHERE, ret_reason);
    return false;
}

bool lacked_elsewhere_tell(const struct ctl_drive *cd, struct reason *ret_reason)
{
    struct returned_place place;

    if (!cd_is_lacked_elsewhere(cd, &place)) {
        return false;
    }
    elsewhere_tell(cd, &place, REASON_FOREIGN_LACKED_ELSEWHERE, ret_reason);
    return true;
}

bool cd_is_wanted(const struct ctl_drive *cd, struct reason *ret_reason)
{
    return !rule_not_needed_elsewhere(cd, ret_reason) || !rule_not_needed_here(cd, ret_reason) ||
           lacked_elsewhere_tell(cd, ret_reason);
}

/* The lost member itself. */
static void returned_tell(const struct ctl_drive *cd, const struct returned_place *place,
                          struct reason *ret_cause, struct reason *ret_remedy)
{
    bool later = cd_returned_is_later(cd, place);

    cause_set(cd, later ? REASON_PLACE_RETURNED_LATER : REASON_PLACE_RETURNED, "", ret_cause);
    place_command(place->cg, place->member, cd,
                  later ? REASON_REMEDY_PLACE_HAS_DATA : REASON_REMEDY_PLACE_RETURNED, ret_remedy);
}

/* One that is in the bay. */
static bool in_place_tell(const struct ctl_group *cg, uint32_t member, const struct ctl_drive *cd,
                          struct reason *ret_cause, struct reason *ret_remedy)
{
    enum life_state life = cd_life(cd);

    if (life != LIFE_UGOOD && life != LIFE_FOREIGN) {
        return false;
    }
    if (!drive_fits_group(cd, cg, ret_cause)) {
        return true;
    }
    if (cd_is_wanted(cd, ret_cause)) {
        place_command(cg, member, cd, REASON_REMEDY_PLACE_NEEDED, ret_remedy);
    } else if (life == LIFE_FOREIGN) {
        cause_set(cd, REASON_PLACE_FOREIGN, "", ret_cause);
        place_command(cg, member, cd, REASON_REMEDY_PLACE_FOREIGN, ret_remedy);
    } else if (cd->signature[0] != '\0') {
        cause_set(cd, REASON_PLACE_HAS_DATA, cd->signature, ret_cause);
        place_command(cg, member, cd, REASON_REMEDY_PLACE_HAS_DATA, ret_remedy);
    } else if (cd->reinserted || cd->attempt.waits) {
        return false; /* its turn comes */
    } else {
        place_command(cg, member, cd, REASON_REMEDY_PLACE_FREE, ret_remedy);
    }
    return true;
}

/* Why (REASON_OK: for nothing that could be changed), and what to do about it (REASON_OK: use
 * another drive). False: there is none, or it is about to be used. */
static bool place_is_idle(const struct ctl_group *cg, uint32_t member, struct reason *ret_cause,
                          struct reason *ret_remedy)
{
    const struct ctl_drive *cd = NULL;
    struct returned_place place;

    if (cg->phase != CTL_GROUP_RUNNING || !cg_member_is_vacant(cg, member) ||
        !cg_is_redundant(cg)) {
        return false;
    }
    ret_cause->code = REASON_OK;
    ret_remedy->code = REASON_OK;
    cd = member_returned(cg, member);
    if (cd != NULL && cd_is_returned(cd, &place) && cd_may_return(cd, &place)) {
        returned_tell(cd, &place, ret_cause, ret_remedy);
        return true;
    }
    cd = drive_in_place(cg, member);
    if (cd != NULL) {
        return in_place_tell(cg, member, cd, ret_cause, ret_remedy);
    }
    cd = cg_config(cg)->members[member].place_known ? NULL : free_drive_find(cg, member);
    if (cd == NULL) {
        return false;
    }
    place_command(cg, member, cd,
                  was_member(cg, member, cd) ? REASON_REMEDY_PLACE_FREE
                                             : REASON_REMEDY_PLACE_UNKNOWN,
                  ret_remedy);
    return true;
}

bool place_drive_tell(const struct ctl_group *cg, uint32_t member, struct finding *finding)
{
    struct reason cause;
    struct reason remedy;

    if (!place_is_idle(cg, member, &cause, &remedy)) {
        return false;
    }
    finding->cause = cause;
    if (remedy.code != REASON_OK) {
        finding->remedy = remedy;
    }
    return true;
}

void place_free_drive_tell(const struct ctl_group *cg, uint32_t member, struct finding *finding)
{
    const struct ctl_drive *cd =
        cg_config(cg)->members[member].place_known ? free_drive_find(cg, member) : NULL;

    ASSERT(cg_member_is_vacant(cg, member));
    if (cd != NULL) {
        place_command(cg, member, cd, REASON_REMEDY_PLACE_GONE, &finding->remedy);
    }
}

/* (4) */
static const struct ctl_drive *member_unlabelled(const struct ctl_group *cg, uint32_t member)
{
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        enum life_state life = cd_life(cd);

        if (cd->present && !cd->departed && cd->group == NULL && cd->found == NULL &&
            (life == LIFE_UGOOD || life == LIFE_JBOD) && (cd->drive == NULL || cd->settled) &&
            was_member(cg, member, cd)) {
            return cd;
        }
    }
    return NULL;
}

/* A drive that is no member here has a label of the group: it may be one under another path. */
static bool label_is_here(const struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        enum foreign_format format = FOREIGN_FORMAT_DDF;
        struct guid guid;

        if (cd->present && foreign_drive_id(cd, &format, &guid) &&
            guid_equal(&guid, &cg_config(cg)->guid)) {
            return true;
        }
    }
    return false;
}

void place_unlabelled_tell(const struct ctl_group *cg, const char *path, struct finding *finding)
{
    struct name_list names = {.count = 0};

    ASSERT(cg_state(cg) == VIRTUAL_DRIVE_STATE_OFFLINE);
    if (cg_is_starting(cg) || label_is_here(cg)) {
        return; /* their labels may not have been read, or are on other drives */
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        const struct ctl_drive *cd = NULL;

        if (cg->members[i] != NULL && !cg->members[i]->departed) {
            continue;
        }
        cd = cg_member_is_vacant(cg, i) ? NULL : member_unlabelled(cg, i);
        if (cd != NULL) {
            char name[NAME_TEXT_BYTES];

            drive_name(cd, name);
            name_list_add(&names, name);
        }
    }
    if (names.count > 0) {
        reason_set(&finding->cause, REASON_PLACE_UNLABELLED, "drives", name_list_text(&names),
                   NULL);
    }
    if (names.count == cg_config(cg)->member_count) {
        reason_set(&finding->remedy, REASON_REMEDY_PLACE_UNLABELLED, "path", path, NULL);
    }
}
