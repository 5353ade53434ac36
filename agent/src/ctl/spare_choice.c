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
    return true;
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
