/*
 * What an import would make of a foreign set (foreign_set.h (2)).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/foreign_conflict.h"
#include "ctl/foreign_set.h"
#include "ctl/member_returned.h"
#include "ctl/place_drive.h"
#include "drive/drive_layout.h"
#include "meta/seal.h"

void foreign_reason(enum foreign_state state, const char *why, struct reason *ret_reason)
{
    static const enum reason_code codes[FOREIGN_STATE_MAX] = {
        [FOREIGN_STATE_OPTIMAL] = REASON_OK,
        [FOREIGN_STATE_DEGRADED] = REASON_FOREIGN_DEGRADED,
        [FOREIGN_STATE_INCOMPLETE] = REASON_FOREIGN_INCOMPLETE,
        [FOREIGN_STATE_UNSUPPORTED] = REASON_FOREIGN_UNSUPPORTED,
        [FOREIGN_STATE_DAMAGED] = REASON_FOREIGN_DAMAGED,
    };
    enum reason_code code = codes[state];

    if (code == REASON_FOREIGN_UNSUPPORTED || code == REASON_FOREIGN_DAMAGED) {
        reason_set(ret_reason, code, "problem", why, NULL);
    } else {
        reason_set(ret_reason, code, NULL);
    }
}

static bool refuse(struct foreign_plan *plan, enum foreign_state state, const char *why)
{
    foreign_reason(state, why, &plan->refusal);
    return false;
}

static bool refuse_for_drive(struct foreign_plan *plan, enum reason_code code,
                             const struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    reason_set(&plan->refusal, code, "drive", path, NULL);
    return false;
}

static bool twins_are_absent(struct foreign_plan *plan, const struct foreign_set *set)
{
    for (uint32_t i = 0; i < set->drive_count; i++) {
        if (set->twins[i]) {
            return refuse_for_drive(plan, REASON_FOREIGN_DUPLICATE, set->drives[i]);
        }
    }
    return true;
}

/* From DDF */

static bool ddf_vds_examine(struct foreign_plan *plan, const struct foreign_set *set,
                            struct ddf_found *found)
{
    for (uint32_t i = set->ddf.newest->vd_count; i > 0; i--) { /* ends with the first */
        ddf_set_examine(&set->ddf, i - 1, found);
        if (found->state == DDF_FOUND_INCOMPLETE) {
            return refuse(plan, FOREIGN_STATE_INCOMPLETE, NULL);
        }
        if (found->state == DDF_FOUND_UNSUPPORTED) {
            return refuse(plan, FOREIGN_STATE_UNSUPPORTED, found->why);
        }
        if (found->state == DDF_FOUND_DAMAGED) {
            return refuse(plan, FOREIGN_STATE_DAMAGED, found->why);
        }
    }
    return true;
}

/* Neither DDF nor md has a word for the size of a block: the drives' largest. */
static void blocks_fit(struct foreign_plan *plan, struct ctl_drive *const *drives, uint32_t count)
{
    uint32_t block_bytes = 512;

    for (uint32_t i = 0; i < count; i++) {
        block_bytes = max_u32(block_bytes, drives[i]->block_bytes);
    }
    for (uint32_t i = 0; i < plan->config.vd_count; i++) {
        struct vd_config *vd = &plan->config.vds[i];

        vd->geometry.block_bytes = max_u32(vd->geometry.block_bytes, block_bytes);
        vd->size_bytes -= vd->size_bytes % vd->geometry.block_bytes;
    }
}

static uint64_t data_end(const struct foreign_plan *plan)
{
    uint64_t end_bytes = 0;

    for (uint32_t i = 0; i < plan->config.vd_count; i++) {
        const struct vd_config *vd = &plan->config.vds[i];

        end_bytes = max_u64(end_bytes, vd->extent_start_bytes + vd->geometry.extent_bytes);
    }
    return end_bytes;
}

/* Without a label: whose data leave less than a private area of the usual kind, as those of a
 * set that mdadm made without a size, gets a compact one. */
static void layout_choose(struct foreign_plan *plan)
{
    for (uint32_t i = 0; i < plan->config.member_count; i++) {
        const struct ctl_drive *cd = plan->members[i];

        if (cd != NULL && data_end(plan) > drive_layout_room_bytes(cd->size_bytes, false)) {
            plan->config.compact = true;
        }
    }
}

static bool ranges_meet(uint64_t first, uint64_t first_bytes, uint64_t second,
                        uint64_t second_bytes)
{
    return first < second + second_bytes && second < first + first_bytes;
}

/* The label and the seal lie where nothing of the set's own metadata is: that stays whole until
 * the import is committed (command_foreign.c (1)). */
static bool label_is_clear(const struct ctl_drive *cd, bool compact)
{
    const struct ddf_header *header = &cd_foreign_ddf(cd)->header;
    uint64_t label = drive_layout_label_offset(cd->size_bytes, compact, 0);
    uint64_t label_bytes = LABEL_SLOT_COUNT * LABEL_SLOT_BYTES + SEAL_BYTES;
    uint64_t copy_bytes = (uint64_t)ddf_copy_sectors(header) * DDF_SECTOR_BYTES;

    return !ranges_meet(label, label_bytes, header->primary_lba * DDF_SECTOR_BYTES, copy_bytes) &&
           (header->secondary_lba == DDF_NO_LBA ||
            !ranges_meet(label, label_bytes, header->secondary_lba * DDF_SECTOR_BYTES, copy_bytes));
}

static bool labels_are_clear(const struct foreign_plan *plan, bool compact)
{
    for (uint32_t i = 0; i < plan->config.member_count; i++) {
        if (plan->members[i] != NULL && !label_is_clear(plan->members[i], compact)) {
            return false;
        }
    }
    return true;
}

static bool plan_from_ddf(struct foreign_plan *plan, const struct foreign_set *set,
                          struct ddf_found *found)
{
    const char *why = NULL;

    if (set->ddf.newest->vd_count == 0) {
        return refuse(plan, FOREIGN_STATE_UNSUPPORTED, "It has no virtual drives.");
    }
    if (!ddf_vds_examine(plan, set, found)) {
        return false;
    }
    if (ddf_to_group(&set->ddf, 0, &plan->config, &why) != 0) {
        return refuse(plan, FOREIGN_STATE_UNSUPPORTED, why);
    }
    if (plan->config.vd_count != set->ddf.newest->vd_count) {
        return refuse(
            plan, FOREIGN_STATE_UNSUPPORTED,
            "Its virtual drives are on different drives, or on the same ones in different order.");
    }
    for (uint32_t i = 0; i < plan->config.member_count; i++) {
        enum member_state state = plan->config.members[i].state;

        if (state == MEMBER_ONLINE || state == MEMBER_REBUILD) {
            plan->members[i] = set->drives[found->places[i].drive];
        }
    }
    blocks_fit(plan, set->drives, set->drive_count);
    layout_choose(plan);
    plan->config.compact = plan->config.compact || !labels_are_clear(plan, false);
    if (!labels_are_clear(plan, plan->config.compact)) {
        return refuse(plan, FOREIGN_STATE_UNSUPPORTED,
                      "Its metadata lie where the label would have to be written.");
    }
    return true;
}

/* From labels */

bool label_is_stale(const struct drive_label *newest, const struct drive_label *label)
{
    return label->member < newest->record.member_count &&
           label->record.sequence < newest->record.members[label->member].known_sequence;
}

static void label_members_find(struct foreign_plan *plan, const struct foreign_set *set)
{
    for (uint32_t i = 0; i < set->drive_count; i++) {
        const struct drive_label *label = cd_foreign_label(set->drives[i]);
        const struct member_config *member = &plan->config.members[label->member];

        if (label->member < plan->config.member_count &&
            uuid_equal(&member->drive, &label->drive) && !label_is_stale(set->newest, label) &&
            (member->state == MEMBER_ONLINE || member->state == MEMBER_REBUILD)) {
            plan->members[label->member] = set->drives[i];
        }
    }
}

static bool losses_are_bearable(const struct foreign_plan *plan)
{
    bool without[GROUP_MEMBERS_MAX] = {false};

    for (uint32_t i = 0; i < plan->config.member_count; i++) {
        without[i] = plan->members[i] == NULL;
    }
    return group_config_bears(&plan->config, without);
}

/* The start of the group sets them aside if it can do without them (ctl_overwritten.c). */
static void overwritten_mark(struct foreign_plan *plan)
{
    bool without[GROUP_MEMBERS_MAX] = {false};
    bool aside[GROUP_MEMBERS_MAX] = {false};

    for (uint32_t i = 0; i < plan->config.member_count; i++) {
        const struct ctl_drive *cd = plan->members[i];

        aside[i] = cd != NULL && cd_is_overwritten(cd, &plan->config.guid, plan->members,
                                                   plan->config.member_count);
        without[i] = cd == NULL || aside[i];
    }
    if (group_config_bears(&plan->config, without)) {
        memcpy(plan->set_aside, aside, sizeof(plan->set_aside));
    }
}

/* A later version knows more of the drive than what we can read. */
static bool labels_are_readable(struct foreign_plan *plan, const struct foreign_set *set)
{
    for (uint32_t i = 0; i < set->drive_count + set->bare_count; i++) {
        const struct ctl_drive *cd =
            i < set->drive_count ? set->drives[i] : set->bare[i - set->drive_count];

        if (cd_label_is_newer(cd)) {
            return refuse_for_drive(plan, REASON_LABEL_NEWER, cd);
        }
    }
    return true;
}

static bool plan_from_labels(struct foreign_plan *plan, const struct foreign_set *set)
{
    plan->config = set->newest->record;
    if (plan->config.vd_count == 0) {
        return refuse(plan, FOREIGN_STATE_UNSUPPORTED, "It has no virtual drives.");
    }
    label_members_find(plan, set);
    if (!losses_are_bearable(plan)) {
        return refuse(plan, FOREIGN_STATE_INCOMPLETE, NULL);
    }
    for (uint32_t i = 0; i < plan->config.member_count; i++) {
        struct member_config *member = &plan->config.members[i];

        member->place_known = false; /* of another enclosure */
        if (plan->members[i] == NULL &&
            (member->state == MEMBER_ONLINE || member->state == MEMBER_REBUILD)) {
            member->state = MEMBER_MISSING;
            member->why = REASON_DRIVE_LOST_ABSENT;
            member->rebuilt_bytes = 0;
        }
    }
    overwritten_mark(plan);
    return true;
}

/* Both */

static bool refuse_here(struct foreign_plan *plan, const struct ctl_group *cg)
{
    char path[PATH_TEXT_BYTES];

    group_path(cg, path, sizeof(path));
    reason_set(&plan->refusal, REASON_FOREIGN_IS_HERE, "group", path, NULL);
    return false;
}

/* A lost member of it that has come back is not merely old (member_returned.c). */
static bool refuse_member(struct foreign_plan *plan, const struct foreign_set *set)
{
    for (uint32_t i = 0; i < set->drive_count; i++) {
        const struct ctl_drive *cd = set->drives[i];
        struct returned_place place;

        if (!rule_not_needed_elsewhere(cd, &plan->refusal) ||
            !rule_not_needed_here(cd, &plan->refusal)) {
            return true;
        }
        if (cd_is_needed_copy(cd, &place)) {
            place_command(place.cg, place.member, cd, REASON_FOREIGN_COPY_OLDER, &plan->refusal);
            return true;
        }
        if (!cd_is_returned(cd, &place) || member_returned(place.cg, place.member) != cd) {
            continue;
        }
        if (cd_may_return(cd, &place)) {
            place_command(place.cg, place.member, cd,
                          cd_returned_is_later(cd, &place) ? REASON_FOREIGN_MEMBER_LATER
                                                           : REASON_FOREIGN_MEMBER,
                          &plan->refusal);
            return true;
        }
        if (cg_state(place.cg) == VIRTUAL_DRIVE_STATE_OFFLINE) {
            place_command(place.cg, place.member, cd, REASON_FOREIGN_MEMBER_WAITS, &plan->refusal);
            return true;
        }
    }
    return false;
}

/* A member under another path is known by what it says, which only the host has read so far: it may
 * be what the drive group lacks, and is not to be cleared because it cannot be claimed now. */
static bool refuse_unusable_here(struct foreign_plan *plan, const struct foreign_set *set,
                                 const struct ctl_group *cg)
{
    char drive[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];
    bool lacks = false;

    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        lacks = lacks || cg->members[i] == NULL;
    }
    for (uint32_t i = 0; i < set->drive_count && lacks; i++) {
        const struct ctl_drive *cd = set->drives[i];
        struct reason reason;

        if (cd->has_unsuitable && !rule_drive_import(cd, &reason)) {
            drive_path(cd, drive, sizeof(drive));
            group_path(cg, group, sizeof(group));
            (void)reason_text(&cd->unsuitable, why, sizeof(why));
            reason_set(&plan->refusal, REASON_FOREIGN_HERE_UNUSABLE, "drive", drive, "group", group,
                       "why", why, NULL);
            return true;
        }
    }
    return false;
}

static bool refuse_lacked(struct foreign_plan *plan, const struct foreign_set *set)
{
    for (uint32_t i = 0; i < set->drive_count; i++) {
        if (lacked_elsewhere_tell(set->drives[i], &plan->refusal)) {
            return true;
        }
    }
    return false;
}

static bool set_is_not_here(const struct ctl *ctl, struct foreign_plan *plan,
                            const struct foreign_set *set)
{
    LIST_FOR_EACH (node, &ctl->host->ctls) {
        const struct ctl *other = list_entry(node, const struct ctl, host_link);
        struct ctl_group *cg = group_by_guid(other, &set->guid);

        if (cg != NULL) {
            return !refuse_member(plan, set) && !refuse_unusable_here(plan, set, cg) &&
                   !foreign_set_conflicts_here(set, cg, &plan->refusal) &&
                   !refuse_lacked(plan, set) && refuse_here(plan, cg);
        }
    }
    return true;
}

/* A set that runs here must never be overwritten by what an old drive of it says. */
static bool is_not_here(const struct ctl *ctl, struct foreign_plan *plan)
{
    LIST_FOR_EACH (node, &ctl->host->ctls) {
        const struct ctl *other = list_entry(node, const struct ctl, host_link);
        const struct ctl_group *cg = group_by_guid(other, &plan->config.guid);

        for (uint32_t i = 0; i < plan->config.vd_count && cg == NULL; i++) {
            char key[GUID_TEXT_BYTES];
            const struct ctl_object *object = NULL;

            guid_format(&plan->config.vds[i].guid, key);
            object = object_find(other, OBJECT_KIND_VIRTUAL_DRIVE, key);
            cg = object != NULL ? ((const struct ctl_vd *)object->subject)->cg : NULL;
        }
        if (cg != NULL) {
            return refuse_here(plan, cg);
        }
    }
    return true;
}

static bool drives_suit(const struct ctl *ctl, struct foreign_plan *plan)
{
    uint64_t end_bytes = data_end(plan);
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->config.member_count; i++) {
        const struct ctl_drive *cd = plan->members[i];

        if (cd == NULL) {
            continue;
        }
        count++;
        if (!rule_drive_import(cd, &plan->refusal)) {
            return false;
        }
        if (end_bytes > drive_layout_room_bytes(cd->size_bytes, plan->config.compact)) {
            return refuse_for_drive(plan, REASON_FOREIGN_NO_ROOM, cd);
        }
    }
    return rule_ports(ctl, count, &plan->refusal);
}

static bool name_is_free(const struct ctl *ctl, const struct foreign_plan *plan, uint32_t vd)
{
    for (uint32_t i = 0; i < vd; i++) {
        if (strcmp(plan->config.vds[i].name, plan->config.vds[vd].name) == 0) {
            return false;
        }
    }
    for (uint32_t i = 0; i < plan->config.vd_count; i++) {
        if (strcmp(plan->config.vds[i].stripe.name, plan->config.vds[vd].name) == 0) {
            return false;
        }
    }
    return vd_by_name(ctl, plan->config.vds[vd].name) == NULL;
}

/* Somebody else has its name, or one of its places: with two in one place it would never be put
 * together again. */
static bool stripe_is_taken(const struct vd_config *other, const struct vd_stripe *stripe)
{
    if (strcmp(other->name, stripe->name) == 0) {
        return true;
    }
    return uuid_equal(&other->stripe.uuid, &stripe->uuid)
               ? other->stripe.position == stripe->position
               : strcmp(other->stripe.name, stripe->name) == 0;
}

/* A stripe that comes with its members keeps its name, which other members of it may know. */
static bool stripe_names_are_free(const struct ctl *ctl, struct foreign_plan *plan)
{
    for (uint32_t i = 0; i < plan->config.vd_count; i++) {
        const struct vd_stripe *stripe = &plan->config.vds[i].stripe;

        if (uuid_is_zero(&stripe->uuid)) {
            continue;
        }
        HOST_FOR_EACH_VD (cv, ctl->host) {
            const struct vd_config *other = cv_config(cv);

            if (stripe_is_taken(other, stripe)) {
                char path[PATH_TEXT_BYTES];

                vd_path(cv, path, sizeof(path));
                reason_set(&plan->refusal, REASON_NAME_TAKEN, "name", stripe->name, "key", path,
                           NULL);
                return false;
            }
        }
    }
    return true;
}

/* A name that is taken gets a number behind it. */
static void name_find(const struct ctl *ctl, struct foreign_plan *plan, uint32_t vd)
{
    char *name = plan->config.vds[vd].name;
    char wanted[VD_NAME_MAX + 1];

    memcpy(wanted, name, sizeof(wanted));
    for (uint32_t i = 1; !name_is_free(ctl, plan, vd); i++) {
        char number[12];
        int length = snprintf(number, sizeof(number), "_%u", i);

        (void)snprintf(name, VD_NAME_MAX + 1, "%.*s%s", (int)VD_NAME_MAX - length, wanted, number);
    }
}

static bool target_is_free(const struct ctl *ctl, const struct foreign_plan *plan, uint32_t vd,
                           uint32_t target_id)
{
    for (uint32_t i = 0; i < vd; i++) {
        if (plan->config.vds[i].target_id == target_id) {
            return false;
        }
    }
    return !ctl_target_is_taken(ctl, target_id);
}

static bool numbers_find(const struct ctl *ctl, struct foreign_plan *plan)
{
    for (uint32_t i = 0; i < plan->config.vd_count; i++) {
        uint32_t target_id = 0;

        while (target_id <= VD_TARGET_ID_MAX && !target_is_free(ctl, plan, i, target_id)) {
            target_id++;
        }
        if (target_id > VD_TARGET_ID_MAX || ctl->record->group_count == CONTROLLER_GROUPS_MAX) {
            char maximum[16];

            (void)snprintf(maximum, sizeof(maximum), "%u", VD_TARGET_ID_MAX + 1);
            reason_set(&plan->refusal, REASON_TOO_MANY_VIRTUAL_DRIVES, "maximum", maximum, NULL);
            return false;
        }
        plan->config.vds[i].target_id = target_id;
        name_find(ctl, plan, i);
    }
    plan->config.index = ctl_group_index_free(ctl);
    plan->config.sequence++;
    for (uint32_t i = 0; i < plan->config.member_count; i++) {
        struct member_config *member = &plan->config.members[i];

        if (plan->members[i] != NULL) {
            (void)snprintf(member->serial, sizeof(member->serial), "%s",
                           plan->members[i]->identity.serial); /* the same length */
        }
    }
    return true;
}

static bool plan_complete(const struct ctl *ctl, struct foreign_plan *plan)
{
    const char *why = NULL;

    if (!is_not_here(ctl, plan) || !drives_suit(ctl, plan) || !stripe_names_are_free(ctl, plan) ||
        !numbers_find(ctl, plan)) {
        return false;
    }
    if (group_config_check(&plan->config, &why) != 0) {
        return refuse(plan, FOREIGN_STATE_UNSUPPORTED, why);
    }
    return true;
}

static bool plan_fill(const struct ctl *ctl, const struct foreign_set *set,
                      struct foreign_plan *plan, struct ddf_found *found)
{
    if (!set_is_not_here(ctl, plan, set) || !twins_are_absent(plan, set) ||
        foreign_set_conflicts(set, &plan->refusal) || !labels_are_readable(plan, set)) {
        return false;
    }
    if (set->format == FOREIGN_FORMAT_DDF ? !plan_from_ddf(plan, set, found)
                                          : !plan_from_labels(plan, set)) {
        return false;
    }
    return plan_complete(ctl, plan);
}

void foreign_plan_make(const struct ctl *ctl, const struct foreign_set *set,
                       struct foreign_plan *ret_plan)
{
    struct ddf_found *found = malloc(sizeof(*found));
    bool ok = false;

    ASSERT(found != NULL && set->drive_count > 0);
    *ret_plan = (struct foreign_plan){.refusal = {.code = REASON_OK}};
    ok = plan_fill(ctl, set, ret_plan, found);
    ASSERT(ok == (ret_plan->refusal.code == REASON_OK));
    free(found);
}

void foreign_plan_finish(const struct ctl *ctl, struct foreign_plan *plan)
{
    bool ok = false;

    ASSERT(plan->refusal.code == REASON_OK);
    blocks_fit(plan, plan->members, plan->config.member_count);
    layout_choose(plan);
    ok = plan_complete(ctl, plan);
    ASSERT(ok == (plan->refusal.code == REASON_OK));
}

enum foreign_outcome foreign_plan_outcome(const struct foreign_plan *plan, uint32_t vd)
{
    const struct vd_config *config = &plan->config.vds[vd];

    ASSERT(plan->refusal.code == REASON_OK && vd < plan->config.vd_count);
    for (uint32_t i = 0; i < plan->config.member_count; i++) {
        if (plan->config.members[i].state != MEMBER_ONLINE || plan->set_aside[i]) {
            return FOREIGN_OUTCOME_DEGRADED;
        }
    }
    if (geometry_span_tolerance(&config->geometry) == 0) {
        return FOREIGN_OUTCOME_OPTIMAL; /* nothing to be consistent with */
    }
    /* Whole rows: what follows the end of the virtual drive in its last one is nobody's. */
    return config->dirty || config->consistent_rows <
                                config->size_bytes / geometry_row_bytes(&config->geometry)
               ? FOREIGN_OUTCOME_RESYNC
               : FOREIGN_OUTCOME_OPTIMAL;
}
