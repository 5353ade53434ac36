/*
 * Which drive stands in for a lost member, and why not the others: one ranking for the work loop,
 * which acts on it, and for the documents, which explain it.
 *
 * (1) A drive that cannot hold the member's bytes is never chosen, whatever the policy is.
 * (2) Order: dedicated, global, a hot spare of another kind than the members, an unconfigured good
 *     drive; the last two only where the controller's policy permits them. Of equals the one in
 *     the member's enclosure, then the smallest, then the one that was here first.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

/* Places of drives that could do; what is not named cannot. The lowest goes first. */
enum spare_rank {
    SPARE_RANK_DEDICATED,
    SPARE_RANK_GLOBAL,
    SPARE_RANK_OTHER_KIND,
    SPARE_RANK_UNCONFIGURED,
    SPARE_RANK_NONE
};

/* Can it hold what a member holds? */
static bool drive_can_hold(const struct ctl_drive *cd, const struct ctl_group *cg,
                           struct reason *ret_reason)
{
    char size[24];
    char needed[24];

    if (cg_room_bytes(cg, cd) < cg_member_needed_bytes(cg)) {
        reason_too_small(ret_reason, REASON_DRIVE_TOO_SMALL_FOR_GROUP, cd, cg,
                         cg_room_bytes(cg, cd), cg_member_needed_bytes(cg));
        return false;
    }
    if (cd->block_bytes > cg_block_bytes(cg)) {
        (void)snprintf(size, sizeof(size), "%u", cd->block_bytes);
        (void)snprintf(needed, sizeof(needed), "%u", cg_block_bytes(cg));
        reason_set(ret_reason, REASON_MIXED_SECTOR_SIZES, "first", needed, "second", size, NULL);
        return false;
    }
    return true;
}

static bool interface_is_scsi(enum drive_interface interface)
{
    return interface == DRIVE_INTERFACE_SAS || interface == DRIVE_INTERFACE_SATA;
}

bool drives_may_mix(const struct ctl_drive *a, const struct ctl_drive *b, struct reason *ret_reason)
{
    const struct controller_record *policy = a->ctl->record;

    if (a->identity.media != b->identity.media && !policy->mixed_media) {
        reason_set(ret_reason, REASON_MIXED_MEDIA, NULL);
        return false;
    }
    if (a->identity.interface != b->identity.interface && !policy->mixed_interfaces &&
        interface_is_scsi(a->identity.interface) && interface_is_scsi(b->identity.interface)) {
        reason_set(ret_reason, REASON_MIXED_INTERFACES, NULL);
        return false;
    }
    return true;
}

/* Is it of the members' kind, as far as the policy minds? */
static bool drive_is_like(const struct ctl_drive *cd, const struct ctl_group *cg,
                          struct reason *ret_reason)
{
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (cg->members[i] != NULL && cg->members[i] != cd) {
            return drives_may_mix(cg->members[i], cd, ret_reason);
        }
    }
    return true;
}

bool drive_fits_group(const struct ctl_drive *cd, const struct ctl_group *cg,
                      struct reason *ret_reason)
{
    return drive_can_hold(cd, cg, ret_reason) && drive_is_like(cd, cg, ret_reason);
}

bool spare_is_assigned(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    const struct guid *guid = &cg_config(cg)->guid;

    for (uint32_t i = 0; i < cd->spare_group_count; i++) {
        if (guid_equal(&cd->spare_groups[i], guid)) {
            return true;
        }
    }
    return cd->spare_group_count == 0;
}

/* A member whose place nobody knows is as near as any. */
static bool is_near(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member)
{
    const struct member_config *config = &cg_config(cg)->members[member];

    return !config->place_known || config->eid == cd->identity.eid;
}

void cd_attempt_reason(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char why[REASON_TEXT_MAX];

    ASSERT(cd->attempt.waits || cd->attempt.failures > 0);
    if (attempt_is_forbidden(&cd->attempt)) {
        *ret_reason = cd->attempt.why;
        return;
    }
    (void)reason_text(&cd->attempt.why, why, sizeof(why));
    reason_set(ret_reason, REASON_SPARE_FAILED_BEFORE, "why", why, NULL);
}

/* May it be taken at all: there, ours to take, and not tried in vain before? */
static bool spare_is_ready(const struct ctl_drive *cd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (!cd->present || cd->departed || cd->group != NULL) {
        drive_path(cd, path, sizeof(path));
        reason_set(ret_reason, REASON_DRIVE_GONE, "drive", path, NULL);
        return false;
    }
    if (cd->attempt.waits) {
        cd_attempt_reason(cd, ret_reason);
        return false;
    }
    return rule_drive_lasts(cd, ret_reason);
}

static enum spare_rank rank_of_spare(const struct ctl_drive *cd, const struct ctl_group *cg,
                                     uint32_t member, struct reason *ret_reason)
{
    if (!spare_is_assigned(cd, cg)) {
        reason_set(ret_reason, REASON_SPARE_OTHER_GROUP, NULL);
        return SPARE_RANK_NONE;
    }
    if (cd->spare_affinity && !is_near(cd, cg, member)) {
        reason_set(ret_reason, REASON_SPARE_OTHER_ENCLOSURE, NULL);
        return SPARE_RANK_NONE;
    }
    if (!drive_can_hold(cd, cg, ret_reason)) {
        return SPARE_RANK_NONE;
    }
    if (!drive_is_like(cd, cg, ret_reason)) {
        return cg->ctl->record->emergency_spare ? SPARE_RANK_OTHER_KIND : SPARE_RANK_NONE;
    }
    return cd->spare_group_count > 0 ? SPARE_RANK_DEDICATED : SPARE_RANK_GLOBAL;
}

/* SPARE_RANK_NONE: it cannot stand in, and the reason says why. */
static enum spare_rank rank_of(const struct ctl_drive *cd, const struct ctl_group *cg,
                               uint32_t member, struct reason *ret_reason)
{
    if (!spare_is_ready(cd, ret_reason)) {
        return SPARE_RANK_NONE;
    }
    if (cd->spare) {
        return rank_of_spare(cd, cg, member, ret_reason);
    }
    if (!rule_drive_for_use(cd, LIFE_REPLACE, false, false, ret_reason) ||
        !rule_ports(cg->ctl, 1, ret_reason) || !drive_fits_group(cd, cg, ret_reason)) {
        return SPARE_RANK_NONE;
    }
    return SPARE_RANK_UNCONFIGURED;
}

/* Who is asked at all: hot spares, and in an emergency drives without a role. */
static bool is_candidate(const struct ctl_drive *cd)
{
    return !cd->departed && cd->group == NULL && cd->copyback_of == NULL &&
           (cd->spare || (cd->ctl->record->emergency_unconfigured && cd->present &&
                          cd_state(cd) == DRIVE_STATE_UNCONFIGURED_GOOD));
}

bool spare_is_dedicated_to(const struct ctl_drive *cd, const struct guid *group)
{
    for (uint32_t i = 0; cd->spare && cd->group == NULL && i < cd->spare_group_count; i++) {
        if (guid_equal(&cd->spare_groups[i], group)) {
            return true;
        }
    }
    return false;
}

bool spare_serves(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    struct reason reason;

    return cd->spare && cd->copyback_of == NULL && spare_is_ready(cd, &reason) &&
           spare_is_assigned(cd, cg) && drive_fits_group(cd, cg, &reason);
}

bool spare_is_meant_for(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    struct reason reason;

    return cd->spare && cd->copyback_of == NULL && spare_is_assigned(cd, cg) &&
           drive_fits_group(cd, cg, &reason);
}

bool spare_is_too_small(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    return cd->spare && cd->present && !cd->departed && spare_is_assigned(cd, cg) &&
           cg_room_bytes(cg, cd) < cg_member_needed_bytes(cg);
}

/* Faults, for people: who reads them has the group in mind, not the choice. */

static const struct ctl_drive *member_other_than(const struct ctl_group *cg,
                                                 const struct ctl_drive *cd)
{
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (cg->members[i] != NULL && cg->members[i] != cd) {
            return cg->members[i];
        }
    }
    return NULL;
}

static bool is_near_any(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member)
{
    for (uint32_t i = 0; member == MEMBER_ANY && i < cg_config(cg)->member_count; i++) {
        if (is_near(cd, cg, i)) {
            return true;
        }
    }
    return member != MEMBER_ANY && is_near(cd, cg, member);
}

struct fault {
    enum reason_code code;         /* REASON_OK: none */
    char own[24], needed[24], size[24];
};

static void kind_fault(const struct ctl_drive *cd, const struct ctl_group *cg, struct fault *fault)
{
    const struct ctl_drive *member = member_other_than(cg, cd);
    struct reason reason;

    if (member == NULL || cg->ctl->record->emergency_spare || drives_may_mix(member, cd, &reason)) {
        return;
    }
    if (reason.code == REASON_MIXED_MEDIA) {
        fault->code = REASON_SPARE_FAULT_MEDIA;
        (void)snprintf(fault->own, sizeof(fault->own), "%s", drive_media_word(cd->identity.media));
        (void)snprintf(fault->needed, sizeof(fault->needed), "%s",
                       drive_media_word(member->identity.media));
        return;
    }
    fault->code = REASON_SPARE_FAULT_INTERFACE;
    (void)snprintf(fault->own, sizeof(fault->own), "%s",
                   drive_interface_word(cd->identity.interface));
    (void)snprintf(fault->needed, sizeof(fault->needed), "%s",
                   drive_interface_word(member->identity.interface));
}

static void fault_find(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member,
                       struct fault *fault)
{
    uint64_t room_bytes = cg_room_bytes(cg, cd);
    uint64_t needed_bytes = cg_member_needed_bytes(cg);

    if (cd->attempt.waits || cd->attempt.failures > 0) {
        fault->code = REASON_SPARE_FAILED_BEFORE;
    } else if (room_bytes < needed_bytes) {
        fault->code = REASON_SPARE_FAULT_SIZE;
        size_difference(needed_bytes - room_bytes, fault->size);
    } else if (cd->block_bytes > cg_block_bytes(cg)) {
        fault->code = REASON_SPARE_FAULT_BLOCKS;
        (void)snprintf(fault->own, sizeof(fault->own), "%u", cd->block_bytes);
        (void)snprintf(fault->needed, sizeof(fault->needed), "%u", cg_block_bytes(cg));
    } else if (cd->spare_affinity && !is_near_any(cd, cg, member)) {
        fault->code = REASON_SPARE_FAULT_ENCLOSURE;
    } else {
        kind_fault(cd, cg, fault);
    }
}

bool spare_fault(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member,
                 struct reason *ret_reason)
{
    struct fault fault = {.code = REASON_OK};
    char name[NAME_TEXT_BYTES];
    char group[16];

    ASSERT(cd->spare && spare_is_assigned(cd, cg));
    fault_find(cd, cg, member, &fault);
    if (fault.code == REASON_OK) {
        return false;
    }
    if (fault.code == REASON_SPARE_FAILED_BEFORE) {
        cd_attempt_reason(cd, ret_reason);
        return true;
    }
    drive_name(cd, name);
    (void)snprintf(group, sizeof(group), "%u", cg_config(cg)->index);
    reason_set(ret_reason, fault.code, "drive", name, "group", group, "own", fault.own, "needed",
               fault.needed, "size", fault.size, NULL);
    return true;
}

bool spare_is_of_use(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    struct reason reason;

    return cd->spare && cd->present && !cd->departed && cd->group == NULL &&
           cd->copyback_of == NULL && spare_is_assigned(cd, cg) &&
           !spare_fault(cd, cg, MEMBER_ANY, &reason);
}

bool group_has_spare(const struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        if (spare_is_of_use(list_entry(node, const struct ctl_drive, link), cg)) {
            return true;
        }
    }
    return false;
}

/* The groups it was meant for and cannot serve: all of them, or (bare) those that nobody serves.
 * Returns how many it does serve. */
static uint32_t groups_unserved(const struct ctl_drive *cd, bool bare, struct name_list *groups,
                                struct reason *ret_cause)
{
    uint32_t served = 0;

    LIST_FOR_EACH (node, &cd->ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);
        struct reason cause;
        char name[16];

        if (cg_config(cg)->vd_count == 0 || !cg_is_redundant(cg) || !spare_is_assigned(cd, cg)) {
            continue;
        }
        if (!spare_fault(cd, cg, MEMBER_ANY, &cause)) {
            served++;
        } else if (!bare || !group_has_spare(cg)) {
            *ret_cause = groups->count == 0 ? cause : *ret_cause;
            (void)snprintf(name, sizeof(name), "%u", cg_config(cg)->index);
            name_list_add(groups, name);
        }
    }
    return served;
}

bool spare_is_idle(const struct ctl_drive *cd, struct name_list *ret_groups,
                   struct reason *ret_cause)
{
    if (!cd->spare || !cd->present || cd->departed || cd->group != NULL ||
        cd->copyback_of != NULL) {
        return false;
    }
    *ret_groups = (struct name_list){.count = 0};
    if (groups_unserved(cd, false, ret_groups, ret_cause) > 0 && ret_groups->count > 0) {
        *ret_groups = (struct name_list){.count = 0};
        (void)groups_unserved(cd, true, ret_groups, ret_cause);
    }
    return ret_groups->count > 0;
}

/* Why b stays behind a, if both could do; REASON_OK: it does not. */
static enum reason_code behind(const struct ctl_group *cg, uint32_t member,
                               const struct ctl_drive *a, enum spare_rank rank_a,
                               const struct ctl_drive *b, enum spare_rank rank_b)
{
    bool near_a = is_near(a, cg, member);
    bool near_b = is_near(b, cg, member);

    if (rank_a != rank_b) {
        return rank_a > rank_b                  ? REASON_OK
               : rank_b < SPARE_RANK_OTHER_KIND ? REASON_SPARE_AFTER_DEDICATED
                                                : REASON_SPARE_AFTER_REGULAR;
    }
    if (near_a != near_b) {
        return near_a ? REASON_SPARE_AFTER_NEAR : REASON_OK;
    }
    if (cd_room_bytes(a) != cd_room_bytes(b)) {
        return cd_room_bytes(a) < cd_room_bytes(b) ? REASON_SPARE_AFTER_SMALLER : REASON_OK;
    }
    return REASON_SPARE_AFTER_EQUAL; /* a was here first */
}

static void chosen_reason(enum spare_rank rank, struct reason *ret_reason)
{
    static const enum reason_code codes[SPARE_RANK_NONE] = {
        [SPARE_RANK_DEDICATED] = REASON_SPARE_CHOSEN_DEDICATED,
        [SPARE_RANK_GLOBAL] = REASON_SPARE_CHOSEN_GLOBAL,
        [SPARE_RANK_OTHER_KIND] = REASON_SPARE_CHOSEN_EMERGENCY_SPARE,
        [SPARE_RANK_UNCONFIGURED] = REASON_SPARE_CHOSEN_EMERGENCY_UNCONFIGURED,
    };

    ASSERT(rank < SPARE_RANK_NONE);
    reason_set(ret_reason, codes[rank], NULL);
}

struct ctl_drive *spare_choose(const struct ctl_group *cg, uint32_t member,
                               struct reason *ret_reason)
{
    struct ctl_drive *best = NULL;
    enum spare_rank best_rank = SPARE_RANK_NONE;
    struct reason reason;

    ASSERT(member < cg_config(cg)->member_count);
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);
        enum spare_rank rank = SPARE_RANK_NONE;

        if (!is_candidate(cd)) {
            continue;
        }
        rank = rank_of(cd, cg, member, &reason);
        if (rank != SPARE_RANK_NONE &&
            (best == NULL || behind(cg, member, best, best_rank, cd, rank) == REASON_OK)) {
            best = cd;
            best_rank = rank;
        }
    }
    if (best != NULL) {
        chosen_reason(best_rank, ret_reason);
    } else {
        reason_set(ret_reason, REASON_SPARE_NONE, NULL);
    }
    return best;
}

uint32_t spare_choices(const struct ctl_group *cg, uint32_t member, uint32_t capacity,
                       struct spare_choice_view *ret_choices)
{
    struct reason reason;
    const struct ctl_drive *best = spare_choose(cg, member, &reason);
    enum spare_rank best_rank = best != NULL ? rank_of(best, cg, member, &reason) : SPARE_RANK_NONE;
    uint32_t count = 0;
    char path[PATH_TEXT_BYTES];

    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        struct spare_choice_view *choice = &ret_choices[count];
        enum spare_rank rank = SPARE_RANK_NONE;

        if (count == capacity || !is_candidate(cd)) {
            continue;
        }
        memcpy(choice->drive, cd->object.key, sizeof(choice->drive));
        choice->chosen = cd == best;
        rank = rank_of(cd, cg, member, &choice->reason);
        if (choice->chosen) {
            chosen_reason(rank, &choice->reason);
        } else if (rank != SPARE_RANK_NONE) {
            enum reason_code code = behind(cg, member, best, best_rank, cd, rank);

            ASSERT(code != REASON_OK); /* best is */
            drive_path(best, path, sizeof(path));
            reason_set(&choice->reason, code, "drive", path, NULL);
        }
        count++;
    }
    return count;
}
