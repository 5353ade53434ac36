/*
 * Copyback on the controller: a drive is filled from a member that goes on working, then takes its
 * place; and what becomes of the member.
 *
 *   a hot spare stands in for a lost member -> the lost drive is replaced in its slot -> the new
 *   drive is filled from the spare -> takes the place -> the spare is a spare again
 *
 * (1) What a spare was, and where the drive was that it stands in for, is in the controller's
 *     record before it takes the place. If that cannot be saved it stands in all the same.
 * (2) The drive to be filled has a label of its own before the group's configuration names it.
 * (3) A former member becomes a spare again only if its record says so, and that goes before
 *     another drive takes its place for any other reason.
 * (4) The label of any other former member gets the group as it is now. With a state directory from
 *     before the copyback, the drive would be taken for a member, with old data.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_spare.h"
#include "drive/drive_life.h"

struct copyback_run {
    struct ctl *ctl;
    struct ctl_group *cg;
    struct ctl_drive *cd;   /* to be filled */
    uint32_t member;
    bool listed; /* the next start looks for cd in any case */
    struct ctl_claims claims;
    struct drive_label label;
    struct label_write write;
    void (*done)(struct ctl *ctl, const struct reason *reason, void *context);
    void *context;
};

/* What a spare is to become again */

struct controller_return *return_find(struct controller_record *record, const char *key)
{
    for (uint32_t i = 0; i < record->return_count; i++) {
        if (strcmp(record->returns[i].key, key) == 0) {
            return &record->returns[i];
        }
    }
    return NULL;
}

static void return_drop(struct controller_record *record, const char *key)
{
    struct controller_return *entry = return_find(record, key);

    if (entry != NULL) {
        record->return_count--;
        *entry = record->returns[record->return_count];
    }
}

/* cd, a hot spare, is about to take the member's place. False: nothing is to be remembered. */
bool return_note(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member)
{
    struct controller_record *record = cg->ctl->record;
    const struct member_config *config = &cg_config(cg)->members[member];
    struct controller_return *entry = NULL;

    if (!cd->spare || cd->spare_committable) {
        return false;
    }
    return_drop(record, cd->identity.key);
    if (record->return_count == CONTROLLER_RETURNS_MAX) {
        return_drop(record, record->returns[0].key);
    }
    entry = &record->returns[record->return_count++];
    *entry = (struct controller_return){.group = cg_config(cg)->guid,
                                        .member = member,
                                        .eid = config->place_known ? config->eid : EID_NONE,
                                        .slot = config->place_known ? config->slot : RETURN_NO_SLOT,
                                        .affinity = cd->spare_affinity,
                                        .group_count = cd->spare_group_count};
    (void)snprintf(entry->key, sizeof(entry->key), "%s", cd->identity.key);
    memcpy(entry->groups, cd->spare_groups, cd->spare_group_count * sizeof(entry->groups[0]));
    return true;
}

/* It has lost its place other than by copyback: it is no spare any more. */
void return_forget(struct controller_record *record, const char *key)
{
    return_drop(record, key);
}

/* Whoever stands in for the drive of that slot stays, unless it is asked to go. */
bool return_place_forget(struct controller_record *record, uint32_t eid, uint32_t slot)
{
    bool any = false;

    for (uint32_t i = 0; i < record->return_count; i++) {
        if (record->returns[i].eid == eid && record->returns[i].slot == slot) {
            record->returns[i].declined = true;
            any = true;
        }
    }
    return any;
}

bool return_is_known(struct ctl *ctl, const char *key)
{
    return return_find(ctl->record, key) != NULL;
}

/* The drive in the slot of the one that the spare stands in for. */
struct ctl_drive *return_target(const struct ctl_group *cg, const struct controller_return *entry)
{
    struct reason reason;

    LIST_FOR_EACH (node, &cg->ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->present && !cd->departed && !cd->spare && entry->slot != RETURN_NO_SLOT &&
            cd->identity.eid == entry->eid && cd->identity.slot == entry->slot &&
            rule_drive_for_use(cd, LIFE_COPYBACK_TARGET, false, false, &reason) &&
            rule_copyback_target(cd, cg, entry->member, &reason)) {
            return cd;
        }
    }
    return NULL;
}

/* Beginning */

static void copyback_end(struct copyback_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    if (copy.code != REASON_OK) {
        ctl_claims_undo(&run->claims);
    }
    run->done(ctl, &copy, run->context);
    free(run);
    ctl_kick(ctl);
}

static void copyback_failed(struct copyback_run *run, int error)
{
    struct reason reason;
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];
    char text[REASON_TEXT_MAX];

    drive_path(run->cd, path, sizeof(path));
    group_path(run->cg, group, sizeof(group));
    replace_unsaved_reason(run->cg, error, &reason);
    (void)reason_text(&reason, text, sizeof(text));
    reason_set(&reason, REASON_REPLACE_FAILED, "drive", path, "group", group, "why", text, NULL);
    copyback_end(run, &reason);
}

static void copyback_begun(void *context, int error)
{
    struct copyback_run *run = context;
    struct ctl_drive *cd = run->cd;
    struct reason reason;

    if (error != 0) {
        cd->copyback_of = NULL;
        run->cg->copyback = NULL;
        cd_state_update(cd);
        copyback_failed(run, error);
        return;
    }
    cd_state_update(cd);
    reason_set(&reason, REASON_OK, NULL);
    copyback_end(run, &reason);
}

static void copyback_remembered(struct ctl *ctl, int error, void *context)
{
    struct copyback_run *run = context;
    struct ctl_drive *cd = run->cd;
    struct reason reason;

    /* Of a drive that the list had, what is only remembered for later is done without. The next
     * start would not look for one that it has not. */
    if ((error != 0 && !run->listed) || !cd->present || run->cg->phase != CTL_GROUP_RUNNING) {
        reason_from_store(&reason, error != 0 ? error : -ENODEV);
        copyback_end(run, &reason);
        return;
    }
    ASSERT(ctl->change != NULL);
    cd->copyback_of = run->cg;
    run->cg->copyback = cd;
    group_copyback_start(run->cg->group, run->member, cd->drive, &cd->uuid, copyback_begun, run);
}

static void copyback_remember(struct copyback_run *run)
{
    ctl_record_edit(run->ctl);
    run->listed =
        run->cd->identity.emulated || record_has_drive(run->ctl->record, run->cd->identity.key);
    record_drive_add(run->ctl->record, run->cd->identity.key, false);
    (void)return_note(run->cd, run->cg, run->member); /* what is no spare returns to nothing */
    ctl_record_save(run->ctl, copyback_remembered, run);
}

static void copyback_labelled(struct label_write *write, int error)
{
    struct copyback_run *run = write->owner;

    if (error != 0) {
        if (run->cd->label_status != LABEL_STATUS_VALID) {
            run->cd->uuid = (struct uuid){0};
        }
        copyback_failed(run, error);
        return;
    }
    run->cd->label_status = LABEL_STATUS_VALID;
    copyback_remember(run);
}

/* (2); and before the drive is filled where its label has been so far. */
static void copyback_label_make(struct copyback_run *run)
{
    struct ctl_drive *cd = run->cd;

    if (uuid_is_zero(&cd->uuid)) {
        cd->uuid = uuid_make(&run->ctl->rng);
    }
    run->label = (struct drive_label){.drive = cd->uuid,
                                      .controller = run->ctl->record->controller,
                                      .role = LABEL_ROLE_NONE,
                                      .compact = cg_config(run->cg)->compact};
    if (cd->spare) {
        run->label.role = LABEL_ROLE_SPARE;
        run->label.spare_affinity = cd->spare_affinity;
        run->label.spare_committable = cd->spare_committable;
        run->label.spare_group_count = cd->spare_group_count;
        memcpy(run->label.spare_groups, cd->spare_groups, sizeof(cd->spare_groups));
    }
}

static void copyback_claimed(struct ctl_claims *claims, bool ok)
{
    struct copyback_run *run = claims->owner;
    struct ctl_drive *cd = run->cd;
    struct reason reason;

    if (!ok || !rule_copyback_target(cd, run->cg, run->member, &reason)) {
        copyback_end(run, ok ? &reason : &claims->reason);
        return;
    }
    if (!uuid_is_zero(&cd->uuid) && !cg_config(run->cg)->compact) {
        copyback_remember(run);
        return;
    }
    copyback_label_make(run);
    run->write = (struct label_write){
        .drive = cd->drive, .label = &run->label, .complete = copyback_labelled, .owner = run};
    group_store_label_write(run->ctl->group_store, &run->write);
}

void ctl_copyback_begin(struct ctl_group *cg, uint32_t member, struct ctl_drive *cd, bool by_user,
                        void (*done)(struct ctl *ctl, const struct reason *reason, void *context),
                        void *context)
{
    struct copyback_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL && cg->ctl->change != NULL);
    *run = (struct copyback_run){
        .ctl = cg->ctl, .cg = cg, .cd = cd, .member = member, .done = done, .context = context};
    run->claims = (struct ctl_claims){.ctl = cg->ctl, .done = copyback_claimed, .owner = run};
    cg->copyback_by_user = by_user;
    cg->copyback_stopped = false;
    ctl_claims_add(&run->claims, cd);
    ctl_claims_run(&run->claims);
}

/* Its end, told by the group */

/* What was no fault of the target is the copyback's to wait for. */
static void target_failed(struct ctl_drive *cd, enum reason_code why)
{
    struct reason reason;
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    if (drive_is_spent(cd->drive)) {
        attempt_forbid(&cd->attempt, REASON_DRIVE_LOST_ERROR_LIMIT);
    } else if (why != REASON_OK && why != REASON_STOPPED_BY_USER &&
               why != REASON_COPYBACK_SOURCE_LOST) {
        reason_set(&reason, why, "drive", path, NULL);
        (void)attempt_fail(cd->ctl, &cd->attempt, &reason); /* its operation has told */
    }
}

void cg_copyback_ended(void *context, struct group *group, struct drive *drive,
                       enum reason_code why)
{
    struct ctl_group *cg = context;
    struct ctl_drive *cd = cg->copyback;
    struct ctl_operation *op = operation_of_copyback(cg);

    (void)group; /* the only one that cg has */
    if (op != NULL) {
        op->target_lost = why;
    }
    if (cd != NULL && cd->drive == drive) {
        cd->copyback_of = NULL;
        cg->copyback = NULL;
        target_failed(cd, why);
        cd_state_update(cd);
    }
    ctl_kick(cg->ctl);
}

void cg_copyback_done(void *context, struct group *group, uint32_t member, struct drive *former)
{
    struct ctl_group *cg = context;
    struct ctl_drive *cd = cg->copyback;
    struct ctl_drive *old = cg->members[member];
    char path[PATH_TEXT_BYTES];

    (void)group; /* the only one that cg has */
    (void)former; /* the one in cg's books */
    ASSERT(cd != NULL && cd->copyback_of == cg);
    cd->copyback_of = NULL;
    cg->copyback = NULL;
    attempt_clear(&cd->attempt);
    drive_path(cd, path, sizeof(path));
    if (old != NULL) {
        cd_place_clear(old);
        old->bad = true; /* until it is a spare again, or made good */
        old->has_state_reason = true;
        reason_set(&old->state_reason, REASON_COPYBACK_SOURCE_DONE, "drive", path, NULL);
        cd_loss_put(old, REASON_COPYBACK_SOURCE_DONE);
        old->return_due = return_find(cg->ctl->record, old->identity.key) != NULL;
        old->retire_due = !old->return_due;
        old->retired_from = cg_config(cg)->guid;
        old->retired_member = member;
    }
    cd_place_set(cd, cg, member);
    cd->spare_group_count = 0;
    cd->has_state_reason = false;
    cd->reinserted = false;
    cd_state_update(cd);
    if (old != NULL) {
        cd_state_update(old);
    }
    ctl_kick(cg->ctl);
}

/* A spare again */

struct return_run {
    struct ctl_drive *cd;
    struct drive_label label;
    struct label_write write;
};

static void return_saved(struct ctl *ctl, int error, void *context)
{
    (void)error; /* an entry too many does no harm: the drive is no member */
    (void)context; /* nothing more to do */
    ctl_change_end(ctl);
}

static void return_labelled(struct label_write *write, int error)
{
    struct return_run *run = write->owner;
    struct ctl_drive *cd = run->cd;
    struct ctl *ctl = cd->ctl;
    char path[PATH_TEXT_BYTES];

    if (error == 0 && cd->present) {
        cd->uuid = run->label.drive;
        cd->bad = false;
        cd->has_state_reason = false;
        cd->spare = true;
        attempt_clear(&cd->attempt);
        cd->spare_affinity = run->label.spare_affinity;
        cd->spare_committable = false;
        cd->spare_group_count = run->label.spare_group_count;
        memcpy(cd->spare_groups, run->label.spare_groups, sizeof(cd->spare_groups));
        drive_path(cd, path, sizeof(path));
        ctl_event(ctl, EVENT_SPARE_RETURNED, cd->identity.key, "drive", path, NULL);
    }
    cd_state_update(cd);
    free(run);
    ctl_record_edit(ctl);
    return_drop(ctl->record, cd->identity.key);
    ctl_record_save(ctl, return_saved, NULL);
}

static void return_start(struct ctl_drive *cd)
{
    struct ctl *ctl = cd->ctl;
    const struct controller_return *entry = return_find(ctl->record, cd->identity.key);
    struct return_run *run = NULL;

    cd->return_due = false;
    if (entry == NULL || cd->drive == NULL || !ctl_change_begin(ctl, "returning a spare")) {
        return;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    run->cd = cd;
    /* Somebody else by name: whatever it may serve until then, what was deleted while it was a
     * member is not taken to be on it still (undo_judge.c). */
    run->label = (struct drive_label){.drive = uuid_make(&ctl->rng),
                                      .controller = ctl->record->controller,
                                      .role = LABEL_ROLE_SPARE,
                                      .spare_affinity = entry->affinity};
    for (uint32_t i = 0; i < entry->group_count; i++) {
        if (group_by_guid(ctl, &entry->groups[i]) != NULL) {
            run->label.spare_groups[run->label.spare_group_count++] = entry->groups[i];
        }
    }
    run->write = (struct label_write){
        .drive = cd->drive, .label = &run->label, .complete = return_labelled, .owner = run};
    group_store_label_write(ctl->group_store, &run->write);
}

/* (4) */

static void retired(struct label_write *write, int error)
{
    struct return_run *run = write->owner;
    struct ctl *ctl = run->cd->ctl;

    (void)error; /* it cannot be written, so that it may be out of order */
    free(run);
    ctl_change_end(ctl);
}

static void retire_start(struct ctl_drive *cd)
{
    struct ctl *ctl = cd->ctl;
    struct ctl_group *cg = group_by_guid(ctl, &cd->retired_from);
    struct return_run *run = NULL;

    cd->retire_due = false;
    if (!cd->bad || cg == NULL || cd->drive == NULL || /* it was made good meanwhile, or the like */
        !ctl_change_begin(ctl, "retiring a member")) {
        return;
    }
    run = calloc(1, sizeof(*run));
    if (run == NULL) {
        ctl_change_end(ctl);
        return;
    }
    run->cd = cd;
    run->label = (struct drive_label){.drive = cd->uuid,
                                      .controller = ctl->record->controller,
                                      .role = LABEL_ROLE_MEMBER,
                                      .group = cg_config(cg)->guid,
                                      .member = cd->retired_member,
                                      .compact = cg_config(cg)->compact,
                                      .has_record = true,
                                      .record = *cg_config(cg)};
    run->write = (struct label_write){
        .drive = cd->drive, .label = &run->label, .complete = retired, .owner = run};
    group_store_label_write(ctl->group_store, &run->write);
}

/* By itself */

static void auto_begun(struct ctl *ctl, const struct reason *reason, void *context)
{
    struct ctl_drive *cd = context;

    if (reason->code != REASON_OK) {
        (void)attempt_fail(ctl, &cd->attempt, reason); /* nobody is told of any of them */
    }
    ctl_change_end(ctl);
}

static struct ctl_drive *replaced_find(const struct ctl_group *cg,
                                       const struct controller_return *entry)
{
    struct ctl_drive *cd = entry->declined ? NULL : return_target(cg, entry);

    return cd != NULL && !cd->attempt.waits ? cd : NULL;
}

static bool begin_by_itself(struct ctl_group *cg, uint32_t member, struct ctl_drive *cd)
{
    if (cd == NULL || !ctl_change_begin(cg->ctl, "copyback")) {
        return false;
    }
    ctl_copyback_begin(cg, member, cd, false, auto_begun, cd);
    return true;
}

static bool group_copyback_look(struct ctl_group *cg)
{
    const struct controller_record *record = cg->ctl->record;
    struct reason reason;

    for (uint32_t i = 0; i < record->return_count && record->copyback; i++) {
        const struct controller_return *entry = &record->returns[i];
        const struct ctl_drive *spare = NULL;

        if (!guid_equal(&entry->group, &cg_config(cg)->guid) ||
            entry->member >= cg_config(cg)->member_count) {
            continue;
        }
        spare = cg->members[entry->member];
        if (spare != NULL && strcmp(spare->identity.key, entry->key) == 0 &&
            begin_by_itself(cg, entry->member, replaced_find(cg, entry))) {
            return true;
        }
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count && record->predictive_copyback; i++) {
        const struct ctl_drive *cd = cg->members[i];

        if (cd != NULL && cd->drive != NULL && cg_config(cg)->members[i].state == MEMBER_ONLINE &&
            (drive_is_predicted(cd->drive) || cd->smart_failing) &&
            begin_by_itself(cg, i, spare_choose(cg, i, &reason))) {
            return true;
        }
    }
    return false;
}

static bool group_copies_soon(const struct ctl_group *cg)
{
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        const struct ctl_drive *cd = cg->members[i];

        if (cd != NULL && cd->drive != NULL &&
            (drive_is_predicted(cd->drive) || cd->smart_failing)) {
            return true;
        }
    }
    return false;
}

bool copyback_wants(const struct ctl_drive *cd)
{
    const struct controller_record *record = cd->ctl->record;

    for (uint32_t i = 0; i < record->return_count && record->copyback; i++) {
        if (record->returns[i].slot != RETURN_NO_SLOT && !record->returns[i].declined &&
            record->returns[i].eid == cd->identity.eid &&
            record->returns[i].slot == cd->identity.slot) {
            return true;
        }
    }
    if (!cd->spare || !record->predictive_copyback) {
        return false;
    }
    LIST_FOR_EACH (node, &cd->ctl->groups) {
        if (group_copies_soon(list_entry(node, const struct ctl_group, link))) {
            return true;
        }
    }
    return false;
}

void ctl_copybacks_work(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->return_due && ctl->change == NULL && cd->present && cd->settled &&
            cd->group == NULL) {
            return_start(cd);
        } else if (cd->retire_due && ctl->change == NULL && cd->present && cd->group == NULL) {
            retire_start(cd);
        }
    }
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        if (cg->phase == CTL_GROUP_RUNNING && !cg->quiescing && ctl->change == NULL &&
            cg->copyback == NULL && !cg->copyback_stopped && !cg->copyback_attempt.waits &&
            cg_state(cg) == VIRTUAL_DRIVE_STATE_OPTIMAL && group_copyback_look(cg)) {
            return;
        }
    }
}
