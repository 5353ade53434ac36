/*
 * Who takes the place of a lost member: the drive that came back to it, a blank drive in its
 * slot, or a spare (spare_choice.c); in that order at an arrival, spares first at a loss because
 * nothing has arrived then.
 *
 * (1) One place is filled at a time, under `change`.
 * (2) A drive that could not take a place, or was lost while it was filled, is tried again later,
 *     if no other drive can take the place by then (ctl_attempt.c).
 *     What stood in its way and was not its own fault is forgotten when no place is vacant: nobody
 *     would notice that it has gone.
 * (3) Where a lost member was is in the group's record, so that a drive put there is taken also
 *     if the agent ended in between; a drive that a user has made good there is not.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_settle.h"
#include "ctl/ctl_spare.h"
#include "ctl/place_drive.h"

struct replacement {
    struct ctl *ctl;
    struct ctl_group *cg;
    struct ctl_drive *cd;
    struct ctl_drive *former;      /* had the place, and gets it back on failure */
    uint32_t member;
    bool in_place; /* it is the member that was lost, and stays that if this fails */
    bool was_spare;
    bool was_foreign;
    void (*done)(struct ctl *ctl, const struct reason *reason, void *context);
    void *context;
};

/* Putting a drive in a place */

void replace_unsaved_reason(const struct ctl_group *cg, int error, struct reason *ret_reason)
{
    char group[16];
    char text[REASON_ERROR_TEXT_BYTES];

    (void)snprintf(group, sizeof(group), "%u", cg_config(cg)->index);
    reason_error_text(error, text);
    reason_set(ret_reason, REASON_REPLACE_UNSAVED, "group", group, "error", text, NULL);
}

/* It stays what it is, and is tried again (2). */
static void place_not_taken(struct ctl_drive *cd, const struct ctl_group *cg,
                            const struct reason *why)
{
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];
    char text[REASON_TEXT_MAX];

    if (attempt_fail(cd->ctl, &cd->attempt, why)) {
        drive_path(cd, path, sizeof(path));
        group_path(cg, group, sizeof(group));
        (void)reason_text(why, text, sizeof(text));
        ctl_event(cd->ctl, EVENT_SPARE_FAILED, cd->identity.key, "drive", path, "group", group,
                  "why", text, NULL);
    }
}

static void replacement_reason(const struct replacement *replacement, int error,
                               struct reason *ret_reason)
{
    const struct ctl_drive *cd = replacement->cd;
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    if (!cd->present) {
        reason_set(ret_reason, REASON_DRIVE_GONE, "drive", path, NULL);
    } else if (replacement->cg->replacing_lost != REASON_OK) {
        reason_set(ret_reason, replacement->cg->replacing_lost, "drive", path, NULL);
    } else if (error == -ENOSPC) {
        reason_from_store(ret_reason, error);
    } else { /* the labels suffice, so it was for these */
        replace_unsaved_reason(replacement->cg, error, ret_reason);
    }
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
    struct reason reason = {.code = REASON_OK};

    replacement->cg->replacing = false;
    if (error != 0) {
        replacement_reason(replacement, error, &reason);
        if (!replacement->in_place) {
            cd_place_clear(cd);
        }
        cd->spare = replacement->was_spare;
        if (replacement->was_foreign) {
            cd_look_again(cd);
        }
        former_member_back(replacement);
        place_not_taken(cd, replacement->cg, &reason);
        cd->target_failed = replacement->in_place;
    } else {
        cd->spare_group_count = 0;
        replacement->cg->rebuild_stopped[replacement->member] = false;
    }
    cd->reinserted = false;
    cd_state_update(cd);
    replacement->done(ctl, &reason, replacement->context);
    free(replacement);
    ctl_kick(ctl);
}

void cd_place_lose(struct ctl_drive *former)
{
    cd_loss_note(former);
    former->retired_from = cg_config(former->group)->guid;
    former->retired_member = former->member;
    cd_place_clear(former);
    former->bad = true;
    cd_loss_tell(former);
    cd_state_update(former);
}

void ctl_member_replace(struct ctl_group *cg, uint32_t member, struct ctl_drive *cd, bool by_user,
                        void (*done)(struct ctl *ctl, const struct reason *reason, void *context),
                        void *context)
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
                                        .in_place = cd == former,
                                        .was_spare = cd->spare,
                                        .was_foreign = cd->foreign,
                                        .done = done,
                                        .context = context};
    if (former == NULL) {
        cg_away_note(cg, member);
    } else if (former != cd) {
        replacement->former = former;
        cd_place_lose(former);
    }
    if (uuid_is_zero(&cd->uuid)) {
        cd->uuid = uuid_make(&cg->ctl->rng);
    }
    cg->replacing = true;
    if (cd->group == NULL) {
        cd_place_set(cd, cg, member);
    }
    if (cd->foreign) {
        cd->foreign = false;
        cd_foreign_label_forget(cd);
    }
    cd->has_state_reason = false;
    cd->later = false;
    cd_health_reset(cd);
    cg->rebuild_by_user[member] = by_user;
    cg->replacing_lost = REASON_OK;
    cd->target_failed = false;
    group_member_replace(cg->group, member, cd->drive, &cd->uuid, replacement_done, replacement);
}

/* By itself */

static void auto_replaced(struct ctl *ctl, const struct reason *reason, void *context)
{
    (void)reason;  /* the event has told, and it is tried again */
    (void)context; /* nothing more to do */
    ctl_change_end(ctl);
}

/* It arrived before the agent ended, or while nobody looked: as good as arriving now. */
bool spare_is_due(const struct ctl_drive *cd)
{
    LIST_FOR_EACH (node, &cd->ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);

        for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
            if (cg->members[i] == NULL && drive_is_in_place(cg, i, cd)) {
                return cd->group == NULL && cd->label_status == LABEL_STATUS_NONE;
            }
        }
    }
    return false;
}

/* A blank drive in the slot of the one that is missing. */
static bool is_replacement(const struct ctl_group *cg, uint32_t member, const struct ctl_drive *cd)
{
    bool blank = cd->drive == NULL || (cd->settled && cd->label_status == LABEL_STATUS_NONE);
    struct reason reason;

    return cd->reinserted && blank && cd->present && !cd->departed && cd->group == NULL &&
           !cd->spare && cd_erasure(cd) == CD_ERASURE_NONE && !cd->foreign && cd->found == NULL &&
           !cd->bad && !cd->attempt.waits && !cd->has_unsuitable && cd->signature[0] == '\0' &&
           drive_is_in_place(cg, member, cd) && drive_fits_group(cd, cg, &reason);
}

static struct ctl_drive *replacement_find(const struct ctl_group *cg, uint32_t member)
{
    struct ctl_drive *own = cg->members[member];

    if (own != NULL && own->present && own->settled && own->reinserted && !own->attempt.waits &&
        cg_config(cg)->members[member].state != MEMBER_OFFLINE &&
        cg_config(cg)->members[member].why != REASON_DRIVE_LOST_FLAPPING) {
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

static void too_small_look(struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (!cg->spare_too_small_told && spare_is_too_small(cd, cg)) {
            spare_too_small_tell(cg, cd);
        }
    }
}

/* A drive that is only offered is claimed first; what is found on it then decides. */
struct filling {
    struct ctl_claims claims;
    struct ctl_group *cg;
    uint32_t member;
    struct ctl_drive *cd;
    struct reason why; /* REASON_OK: it is not a spare, it was put there */
};

static void filling_failed(struct filling *filling, const struct reason *why)
{
    struct ctl *ctl = filling->cd->ctl;

    place_not_taken(filling->cd, filling->cg, why);
    ctl_claims_undo(&filling->claims);
    free(filling);
    ctl_change_end(ctl);
    ctl_kick(ctl);
}

static void filling_remembered(struct ctl *ctl, int error, void *context)
{
    struct filling *filling = context;
    struct ctl_group *cg = filling->cg;
    struct ctl_drive *cd = filling->cd;
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];
    struct reason reason;

    /* What is only remembered for later (ctl_copyback.c (1)) is done without. */
    if ((error != 0 && filling->claims.taken[0]) || cd->drive == NULL || !cd->present ||
        cg->phase != CTL_GROUP_RUNNING || !cg_member_is_vacant(cg, filling->member)) {
        drive_path(cd, path, sizeof(path));
        reason_set(&reason, REASON_DRIVE_GONE, "drive", path, NULL);
        if (error != 0) {
            reason_from_store(&reason, error);
        }
        filling_failed(filling, &reason);
        return;
    }
    if (filling->why.code != REASON_OK && cd->attempt.failures == 0) {
        drive_path(cd, path, sizeof(path));
        group_path(cg, group, sizeof(group));
        (void)reason_text(&filling->why, why, sizeof(why));
        ctl_event(ctl, EVENT_SPARE_COMMISSIONED, cd->identity.key, "drive", path, "group", group,
                  "why", why, NULL);
    }
    ctl_member_replace(cg, filling->member, cd, false, auto_replaced, NULL);
    free(filling);
}

static void filling_claimed(struct ctl_claims *claims, bool ok)
{
    struct filling *filling = claims->owner;
    struct ctl_drive *cd = filling->cd;
    const struct ctl_drive *former = NULL;
    bool changed = false;
    struct reason reason;

    reason = claims->reason;
    if (!ok || (!cd->spare && cd->group == NULL &&
                !rule_drive_for_use(cd, LIFE_REPLACE, false, false, &reason))) {
        filling_failed(filling, &reason);
        return;
    }
    former = filling->cg->members[filling->member];
    ctl_record_edit(claims->ctl);
    if (!record_has_drive(claims->ctl->record, cd->identity.key)) {
        record_drive_add(claims->ctl->record, cd->identity.key, false);
        changed = true;
    }
    if (former != NULL && former != cd && return_is_known(claims->ctl, former->identity.key)) {
        return_forget(claims->ctl->record, former->identity.key); /* ctl_copyback.c (3) */
        changed = true;
    }
    changed = return_note(cd, filling->cg, filling->member) || changed;
    if (!changed) {
        filling_remembered(claims->ctl, 0, filling);
        return;
    }
    ctl_record_save(claims->ctl, filling_remembered, filling);
}

/* It was lost because it refused writes, which may be over. */
static bool has_refused(const struct ctl_group *cg, uint32_t member)
{
    enum reason_code why = cg_config(cg)->members[member].why;

    return why == REASON_DRIVE_LOST_NO_SPACE || why == REASON_DRIVE_LOST_READ_ONLY;
}

/* (2) */
static struct ctl_drive *failed_target_find(const struct ctl_group *cg, uint32_t member)
{
    struct ctl_drive *own = cg->members[member];

    return own != NULL && (own->target_failed || has_refused(cg, member)) && own->present &&
                   own->settled && !own->attempt.waits && own->drive != NULL &&
                   drive_is_idle(own->drive)
               ? own
               : NULL;
}

void cd_target_lost_note(struct ctl_group *cg, uint32_t member, enum member_state old,
                         enum reason_code why)
{
    struct ctl_drive *cd = cg->members[member];
    enum member_state state = cg_config(cg)->members[member].state;
    struct reason reason;
    char path[PATH_TEXT_BYTES];

    if (cd == NULL || cd->drive == NULL) {
        return;
    }
    if (state == MEMBER_ONLINE) {
        attempt_clear(&cd->attempt);
        cd->target_failed = false;
    } else if (cg->replacing) {
        cg->replacing_lost = why; /* whoever is replacing tells */
    } else if ((state == MEMBER_FAILED && old == MEMBER_REBUILD && !drive_is_spent(cd->drive)) ||
               has_refused(cg, member)) {
        drive_path(cd, path, sizeof(path));
        reason_set(&reason, why, "drive", path, NULL);
        (void)attempt_fail(cg->ctl, &cd->attempt, &reason); /* its operation tells */
        cd->target_failed = true;
    }
}

static bool group_place_fill(struct ctl_group *cg, uint32_t member)
{
    struct reason why = {.code = REASON_OK};
    struct ctl_drive *cd = replacement_find(cg, member);
    struct filling *filling = NULL;

    if (cd == NULL && cg_glitch_waits(cg, member)) {
        return false;
    }
    if (cd == NULL) {
        cd = spare_choose(cg, member, &why);
    }
    if (cd == NULL) {
        why.code = REASON_OK;
        cd = failed_target_find(cg, member);
    }
    if (cd == NULL) {
        too_small_look(cg);
        return false;
    }
    if (!ctl_change_begin(cg->ctl, "rebuild")) {
        return false;
    }
    filling = calloc(1, sizeof(*filling));
    ASSERT(filling != NULL);
    *filling = (struct filling){.cg = cg, .member = member, .cd = cd, .why = why};
    filling->claims =
        (struct ctl_claims){.ctl = cg->ctl, .done = filling_claimed, .owner = filling};
    ctl_claims_add(&filling->claims, cd);
    ctl_claims_run(&filling->claims);
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

/* A transfer of its own has failed: that does not go away by itself. */
static bool is_own_fault(enum reason_code why)
{
    return why == REASON_DRIVE_LOST_WRITE_ERROR || why == REASON_DRIVE_LOST_READ_ERRORS ||
           why == REASON_DRIVE_LOST_TIMEOUT || why == REASON_DRIVE_LOST_FLUSH ||
           why == REASON_DRIVE_LOST_ERROR_LIMIT;
}

static bool is_wanted(const struct ctl_drive *cd)
{
    if (copyback_wants(cd)) {
        return true;
    }
    LIST_FOR_EACH (node, &cd->ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);

        if (cg_state(cg) != VIRTUAL_DRIVE_STATE_OPTIMAL &&
            (!cd->spare || spare_is_assigned(cd, cg))) {
            return true;
        }
    }
    return false;
}

/* (2) */
static void attempts_forget(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->group == NULL && cd->copyback_of == NULL && cd->attempt.failures > 0 &&
            !attempt_is_forbidden(&cd->attempt) && !is_own_fault(cd->attempt.why.code) &&
            !is_wanted(cd)) {
            attempt_clear(&cd->attempt);
            ctl_kick(ctl);
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
        attempts_forget(ctl);
    }
}
