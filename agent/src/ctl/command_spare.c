/*
 * spare_add and spare_remove. The drive's label is the one home of a hot spare's role, so each
 * of the two is a single label write: a crash leaves the old or the new role.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_spare.h"

struct spare_run {
    struct ctl *ctl;
    struct ctl_command *command;
    void (*done)(void *owner, const struct reason *reason); /* NULL: the command ends */
    void *owner;
    bool force, serial_given, affinity, committable;
    struct ctl_drive *cd;
    struct ctl_claims claims;
    struct ctl_former former;
    struct label_write write;
    struct drive_label label;
    struct reason reason;
    uint32_t group_count;
    struct ctl_group *groups[COMMAND_SPARES_MAX];
};

static void spare_end(struct spare_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;
    void (*done)(void *owner, const struct reason *reason) = run->done;
    void *owner = run->owner;

    free(run);
    if (done != NULL) {
        done(owner, &copy);
    } else {
        command_finish(ctl, &copy);
    }
}

static void spare_refuse(struct spare_run *run, const struct reason *reason)
{
    ctl_claims_undo(&run->claims);
    spare_end(run, reason);
}

/* spare_add */

static bool groups_find(struct spare_run *run, struct reason *ret_reason)
{
    struct ctl_command *command = run->command;

    for (uint32_t i = 0; i < command->args.spare_add.group_count && i < COMMAND_SPARES_MAX; i++) {
        struct ctl_group *cg = group_by_key(run->ctl, command->args.spare_add.groups[i]);

        if (cg == NULL) {
            reason_set(ret_reason, REASON_UNKNOWN_OBJECT, "kind", "drive_group", "key",
                       command->args.spare_add.groups[i], NULL);
            return false;
        }
        run->groups[run->group_count++] = cg;
    }
    return true;
}

static bool group_wants_spare(const struct ctl_drive *cd, const struct ctl_group *cg,
                              struct reason *ret_reason)
{
    if (!cg_is_redundant(cg)) {
        reason_set(ret_reason, REASON_SPARE_NOT_NEEDED, NULL);
        return false;
    }
    if (cg_room_bytes(cg, cd) < cg_member_needed_bytes(cg)) {
        reason_too_small(ret_reason, REASON_SPARE_TOO_SMALL, cd, cg, cg_room_bytes(cg, cd),
                         cg_member_needed_bytes(cg));
        return false;
    }
    return drive_fits_group(cd, cg, ret_reason);
}

static bool spare_is_allowed(struct spare_run *run, struct reason *ret_reason)
{
    struct ctl_drive *cd = run->cd;

    if (!rule_drive_for_use(cd, LIFE_SPARE_ADD, run->force, run->serial_given, ret_reason) ||
        !rule_ports(run->ctl, 1, ret_reason)) {
        return false;
    }
    for (uint32_t i = 0; i < run->group_count; i++) {
        if (!group_wants_spare(cd, run->groups[i], ret_reason)) {
            return false;
        }
    }
    return true;
}

static void event_spare_made(const struct spare_run *run)
{
    const struct ctl_drive *cd = run->cd;
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    if (run->group_count == 0) {
        ctl_event(run->ctl, EVENT_SPARE_GLOBAL_MADE, cd->identity.key, "drive", path, NULL);
    }
    for (uint32_t i = 0; i < run->group_count; i++) {
        group_path(run->groups[i], group, sizeof(group));
        ctl_event(run->ctl, EVENT_SPARE_DEDICATED_MADE, cd->identity.key, "drive", path, "group",
                  group, NULL);
    }
}

static void spare_label_failed(struct spare_run *run)
{
    cd_label_failed(run->cd, &run->reason);
}

static void spare_forgotten(struct ctl *ctl, int error, void *context)
{
    struct spare_run *run = context;

    (void)error; /* a key too many on the list does no harm */
    ASSERT(ctl == run->ctl);
    spare_refuse(run, &run->reason);
}

/* The label could not be written: the drive is not one of ours after all. */
static void spare_forget(struct spare_run *run)
{
    ctl_record_edit(run->ctl);
    record_drive_remove(run->ctl->record, run->cd->identity.key);
    ctl_record_save(run->ctl, spare_forgotten, run);
}

static void spare_unlabelled(struct label_write *write, int error)
{
    (void)error; /* if it cannot be wiped either, it says what it is when it is read again */
    spare_forget(write->owner);
}

/* It is a hot spare as was asked for; that it could not serve is said at once. */
static void spare_judge(struct spare_run *run, struct reason *reason)
{
    struct name_list groups = {.count = 0};
    struct reason cause;
    char name[NAME_TEXT_BYTES];
    char why[REASON_TEXT_MAX];

    if (!spare_is_idle(run->cd, &groups, &cause)) {
        return;
    }
    drive_name(run->cd, name);
    (void)reason_text(&cause, why, sizeof(why));
    reason_set(reason, REASON_SPARE_MADE_UNUSABLE, "drive", name, "groups", name_list_text(&groups),
               "why", why, NULL);
    run->command->noted = true;
}

static void spare_labelled(struct label_write *write, int error)
{
    struct spare_run *run = write->owner;
    struct ctl_drive *cd = run->cd;
    struct reason reason;

    if (error != 0 || !cd->present) {
        spare_label_failed(run);
        cd->uuid = (struct uuid){0};
        run->write =
            (struct label_write){.drive = cd->drive, .complete = spare_unlabelled, .owner = run};
        group_store_label_write(run->ctl->group_store, &run->write);
        return;
    }
    cd->spare = true;
    cd->label_status = LABEL_STATUS_VALID;
    attempt_clear(&cd->attempt);
    cd->spare_affinity = run->label.spare_affinity;
    cd->spare_committable = run->label.spare_committable;
    cd->spare_group_count = run->group_count;
    for (uint32_t i = 0; i < run->group_count; i++) {
        cd->spare_groups[i] = cg_config(run->groups[i])->guid;
    }
    cd_state_update(cd);
    event_spare_made(run);
    command_object_add(run->command, &cd->object);
    reason_set(&reason, REASON_OK, NULL);
    if (run->done == NULL) {
        spare_judge(run, &reason);
    }
    spare_end(run, &reason);
}

static void spare_former_gone(struct ctl_former *former, const struct ctl_drive *failed)
{
    struct spare_run *run = former->owner;
    struct ctl *ctl = run->ctl;

    if (failed != NULL) {
        spare_label_failed(run);
        spare_forget(run);
        return;
    }
    run->cd->uuid = uuid_make(&ctl->rng);
    run->label = (struct drive_label){.drive = run->cd->uuid,
                                      .controller = ctl->record->controller,
                                      .role = LABEL_ROLE_SPARE,
                                      .spare_affinity = run->affinity,
                                      .spare_committable = run->committable,
                                      .spare_group_count = run->group_count};
    for (uint32_t i = 0; i < run->group_count; i++) {
        run->label.spare_groups[i] = cg_config(run->groups[i])->guid;
    }
    run->write = (struct label_write){
        .drive = run->cd->drive, .label = &run->label, .complete = spare_labelled, .owner = run};
    group_store_label_write(ctl->group_store, &run->write);
}

static void spare_remembered(struct ctl *ctl, int error, void *context)
{
    struct spare_run *run = context;
    struct reason reason;

    ASSERT(ctl == run->ctl);
    if (error != 0) {
        reason_from_store(&reason, error);
        spare_refuse(run, &reason);
        return;
    }
    run->former.done = spare_former_gone;
    run->former.owner = run;
    ctl_former_add(&run->former, run->cd);
    ctl_former_run(&run->former);
}

static void spare_claimed(struct ctl_claims *claims, bool ok)
{
    struct spare_run *run = claims->owner;
    struct reason reason;

    if (!ok) {
        spare_refuse(run, &claims->reason);
        return;
    }
    if (!spare_is_allowed(run, &reason)) {
        spare_refuse(run, &reason);
        return;
    }
    ctl_record_edit(run->ctl);
    record_drive_add(run->ctl->record, run->cd->identity.key, false);
    ctl_record_save(run->ctl, spare_remembered, run);
}

static struct spare_run *spare_run_new(struct ctl *ctl, struct ctl_command *command,
                                       const char *key)
{
    struct ctl_drive *cd = command_drive_find(ctl, key);
    struct spare_run *run = NULL;

    if (cd == NULL) {
        return NULL;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    run->ctl = ctl;
    run->command = command;
    run->cd = cd;
    run->claims = (struct ctl_claims){.ctl = ctl, .done = spare_claimed, .owner = run};
    return run;
}

static void spare_claim(struct spare_run *run)
{
    run->claims.force = run->force;
    run->claims.overwrites = true;
    ctl_claims_add(&run->claims, run->cd);
    ctl_claims_run(&run->claims);
}

void command_spare_add(struct ctl *ctl, struct ctl_command *command)
{
    struct spare_run *run = spare_run_new(ctl, command, command->args.spare_add.drive);
    struct reason reason;

    if (run == NULL) {
        return;
    }
    run->force = command->args.spare_add.force;
    run->serial_given = cd_has_serial(run->cd, command->args.spare_add.serial);
    run->affinity = command->args.spare_add.affinity;
    run->committable = command->args.spare_add.committable;
    if (!groups_find(run, &reason) || !spare_is_allowed(run, &reason)) {
        spare_refuse(run, &reason);
        return;
    }
    spare_claim(run);
}

/* Back, after a deletion */

/* It serves other groups still: one more. */
static void spare_extended(struct label_write *write, int error)
{
    struct spare_run *run = write->owner;
    struct ctl_drive *cd = run->cd;
    struct reason reason;

    if (error != 0 || !cd->present) {
        spare_label_failed(run);
        spare_end(run, &run->reason);
        return;
    }
    if (cd->spare && cd->spare_group_count < COMMAND_SPARES_MAX) {
        cd->spare_groups[cd->spare_group_count++] = cg_config(run->groups[0])->guid;
    }
    event_spare_made(run);
    command_object_add(run->command, &cd->object);
    reason_set(&reason, REASON_OK, NULL);
    spare_end(run, &reason);
}

static bool spare_is_extensible(const struct ctl_drive *cd)
{
    return cd->spare && cd->group == NULL && cd->copyback_of == NULL && cd->present &&
           cd->drive != NULL && cd->spare_group_count < COMMAND_SPARES_MAX;
}

static void spare_extend(struct spare_run *run)
{
    const struct ctl_drive *cd = run->cd;

    run->label = (struct drive_label){.drive = cd->uuid,
                                      .controller = run->ctl->record->controller,
                                      .role = LABEL_ROLE_SPARE,
                                      .spare_affinity = cd->spare_affinity,
                                      .spare_committable = cd->spare_committable,
                                      .spare_group_count = cd->spare_group_count + 1};
    memcpy(run->label.spare_groups, cd->spare_groups,
           cd->spare_group_count * sizeof(cd->spare_groups[0]));
    run->label.spare_groups[cd->spare_group_count] = cg_config(run->groups[0])->guid;
    run->write = (struct label_write){
        .drive = cd->drive, .label = &run->label, .complete = spare_extended, .owner = run};
    group_store_label_write(run->ctl->group_store, &run->write);
}

void spare_bring_back(const struct spare_back *back)
{
    struct ctl_drive *cd = back->cd;
    struct spare_run *run = calloc(1, sizeof(*run));
    struct reason reason;

    ASSERT(run != NULL && back->done != NULL);
    *run = (struct spare_run){.ctl = cd->ctl,
                              .command = back->command,
                              .done = back->done,
                              .owner = back->owner,
                              .affinity = back->affinity,
                              .committable = back->committable,
                              .cd = cd,
                              .group_count = 1,
                              .groups = {back->cg}};
    run->claims = (struct ctl_claims){.ctl = cd->ctl, .done = spare_claimed, .owner = run};
    reason_set(&reason, REASON_OK, NULL);
    if (cd->spare &&
        (cd->spare_group_count == 0 || spare_is_dedicated_to(cd, &cg_config(back->cg)->guid))) {
        spare_end(run, &reason);
    } else if (spare_is_extensible(cd) && group_wants_spare(cd, back->cg, &reason)) {
        spare_extend(run);
    } else if (reason.code != REASON_OK || !spare_is_allowed(run, &reason)) {
        spare_end(run, &reason);
    } else {
        spare_claim(run);
    }
}

/* spare_remove */

static void spare_wiped(struct label_write *write, int error)
{
    struct spare_run *run = write->owner;
    struct ctl_drive *cd = run->cd;
    bool global = cd->spare_group_count == 0;
    char path[PATH_TEXT_BYTES];
    struct reason reason;

    if (error != 0) {
        spare_label_failed(run);
        spare_end(run, &run->reason);
        return;
    }
    cd_make_blank(cd);
    drive_path(cd, path, sizeof(path));
    ctl_event(run->ctl, global ? EVENT_SPARE_GLOBAL_REMOVED : EVENT_SPARE_DEDICATED_REMOVED,
              cd->identity.key, "drive", path, NULL);
    cd_close(cd);
    command_object_add(run->command, &cd->object);
    reason_set(&reason, REASON_OK, NULL);
    spare_end(run, &reason);
}

/* It is away: there is no label to wipe, it is only missed no longer. */
static bool spare_away_remove(struct ctl *ctl, struct ctl_command *command)
{
    const char *key = command->args.drive.drive;
    struct controller_spare seen;
    struct reason reason;

    if (!spare_seen_remove(ctl, key, &seen)) {
        return false;
    }
    ctl_event(ctl, seen.dedicated ? EVENT_SPARE_DEDICATED_REMOVED : EVENT_SPARE_GLOBAL_REMOVED,
              seen.key, "drive", seen.path, NULL);
    reason_set(&reason, REASON_OK, NULL);
    command_finish(ctl, &reason);
    return true;
}

void command_spare_remove(struct ctl *ctl, struct ctl_command *command)
{
    struct spare_run *run = NULL;
    struct reason reason;

    if (spare_away_remove(ctl, command)) {
        return;
    }
    run = spare_run_new(ctl, command, command->args.drive.drive);

    if (run == NULL) {
        return;
    }
    if (!rule_drive(run->cd, LIFE_SPARE_REMOVE, &reason)) {
        spare_end(run, &reason);
        return;
    }
    run->write =
        (struct label_write){.drive = run->cd->drive, .complete = spare_wiped, .owner = run};
    group_store_label_write(ctl->group_store, &run->write);
}
