/*
 * drive_erase: claims the drive, writes into the controller's record that it is being erased, takes
 * a former owner's marks and our label off, and begins; it is answered when the first place of the
 * erase is kept (ctl_erase.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

#define PATTERN_A_DEFAULT 0x55u
#define PATTERN_B_DEFAULT 0xaau

struct erase_run {
    struct ctl *ctl;
    struct ctl_command *command;
    struct ctl_drive *cd;
    struct ctl_claims claims;
    struct ctl_former former;
    struct label_write write;
    struct reason reason;
    bool was_partial; /* erased in part before: it still is if this one cannot begin */
    struct controller_erase partial;
};

static void erase_refuse(struct erase_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    ctl_claims_return(&run->claims);
    free(run);
    command_finish(ctl, &copy);
}

/* Of a drive that is not here: the first to be forgotten when the list is full. */
static const struct controller_erase *entry_of_nobody(const struct ctl *ctl)
{
    for (uint32_t i = 0; i < ctl->record->erase_count; i++) {
        if (drive_by_key(ctl, ctl->record->erases[i].key) == NULL) {
            return &ctl->record->erases[i];
        }
    }
    return NULL;
}

static bool erase_is_allowed(const struct erase_run *run, struct reason *ret_reason)
{
    const struct command_drive_erase *args = &run->command->args.drive_erase;
    const struct ctl_drive *cd = run->cd;
    char path[PATH_TEXT_BYTES];

    if (!rule_drive(cd, LIFE_ERASE_START, ret_reason) ||
        !rule_confirmed(run->command->confirm, cd->identity.serial, ret_reason)) {
        return false;
    }
    drive_path(cd, path, sizeof(path));
    if ((cd->foreign || cd->found != NULL) && !args->force) {
        reason_set(ret_reason, REASON_ERASE_FOREIGN, "drive", path, NULL);
        return false;
    }
    if (cd->signature[0] != '\0' && !args->force) {
        reason_set(ret_reason, REASON_ERASE_HAS_DATA, "drive", path, "signature", cd->signature,
                   NULL);
        return false;
    }
    if (cd_erase_entry(cd) == NULL && run->ctl->record->erase_count == CONTROLLER_ERASES_MAX &&
        entry_of_nobody(run->ctl) == NULL) {
        reason_set(ret_reason, REASON_TOO_MANY_ERASES, NULL);
        return false;
    }
    return true;
}

static void erase_not_begun(struct ctl *ctl, int error, void *context)
{
    struct erase_run *run = context;

    (void)error; /* it is shown as erased in part then */
    ASSERT(ctl == run->ctl);
    erase_refuse(run, &run->reason);
}

static void erase_label_failed(struct erase_run *run)
{
    cd_label_failed(run->cd, &run->reason);
    ctl_record_edit(run->ctl);
    (void)record_erase_remove(run->ctl->record, run->cd->identity.key);
    if (run->was_partial) {
        run->ctl->record->erases[run->ctl->record->erase_count++] = run->partial;
    }
    ctl_record_save(run->ctl, erase_not_begun, run);
}

static void erase_wiped(struct label_write *write, int error)
{
    struct erase_run *run = write->owner;
    struct ctl_drive *cd = run->cd;

    if (error != 0 || !cd->present) {
        erase_label_failed(run);
        return;
    }
    cd_make_blank(cd);
    cd_former_forget(cd);
    if (!cd_erase_start(cd, false)) {
        erase_label_failed(run);
        return;
    }
    command_object_add(run->command, &cd->object);
    command_object_add(run->command, &cd->erase_op->object);
    cd->erase->awaited = true; /* it ends the command */
    free(run);
}

static void erase_former_gone(struct ctl_former *former, const struct ctl_drive *failed)
{
    struct erase_run *run = former->owner;

    if (failed != NULL) {
        erase_label_failed(run);
        return;
    }
    run->write =
        (struct label_write){.drive = run->cd->drive, .complete = erase_wiped, .owner = run};
    group_store_label_write(run->ctl->group_store, &run->write);
}

static void erase_remembered(struct ctl *ctl, int error, void *context)
{
    struct erase_run *run = context;
    struct reason reason;

    ASSERT(ctl == run->ctl);
    if (error != 0) {
        reason_from_store(&reason, error);
        erase_refuse(run, &reason);
        return;
    }
    run->former.done = erase_former_gone;
    run->former.owner = run;
    ctl_former_add(&run->former, run->cd);
    ctl_former_run(&run->former);
}

static void erase_claimed(struct ctl_claims *claims, bool ok)
{
    struct erase_run *run = claims->owner;
    const struct command_drive_erase *args = &run->command->args.drive_erase;
    struct controller_record *record = run->ctl->record;
    struct ctl_drive *cd = run->cd;
    struct controller_erase *entry = NULL;
    struct reason reason = claims->reason;

    /* What its label says is known only now. */
    if (!ok || !erase_is_allowed(run, &reason)) {
        erase_refuse(run, &reason);
        return;
    }
    entry = cd_erase_entry(cd);
    run->was_partial = entry != NULL;
    run->partial = entry != NULL ? *entry : run->partial;
    ctl_record_edit(run->ctl);
    record_drive_add(record, cd->identity.key, false);
    if (!record_erase_remove(record, cd->identity.key) &&
        record->erase_count == CONTROLLER_ERASES_MAX) {
        (void)record_erase_remove(record, entry_of_nobody(run->ctl)->key);
    }
    entry = &record->erases[record->erase_count++];
    *entry = (struct controller_erase){
        .active = true,
        .mode = args->mode,
        .pattern_a = (args->fields & DRIVE_ERASE_PATTERN_A) != 0 ? (uint8_t)args->pattern_a
                                                                 : PATTERN_A_DEFAULT,
        .pattern_b = (args->fields & DRIVE_ERASE_PATTERN_B) != 0 ? (uint8_t)args->pattern_b
                                                                 : PATTERN_B_DEFAULT,
        .seed = rng_u64(&run->ctl->rng),
        .size_bytes = drive_size_bytes(cd->drive)};
    (void)snprintf(entry->key, sizeof(entry->key), "%s", cd->identity.key);
    ctl_record_save(run->ctl, erase_remembered, run);
}

static void erase_begin(struct ctl *ctl, struct ctl_command *command, struct ctl_drive *cd)
{
    struct erase_run *run = calloc(1, sizeof(*run));
    struct reason reason;

    ASSERT(run != NULL);
    *run = (struct erase_run){.ctl = ctl, .command = command, .cd = cd};
    run->claims = (struct ctl_claims){
        .ctl = ctl, .force = command->args.drive_erase.force, .done = erase_claimed, .owner = run};
    if (!erase_is_allowed(run, &reason)) {
        erase_refuse(run, &reason);
        return;
    }
    ctl_claims_add(&run->claims, cd);
    ctl_claims_run(&run->claims);
}

static void erase_left(struct ctl *ctl, int error, void *context)
{
    struct ctl_drive *cd = context;
    struct reason reason;

    if (error != 0) {
        reason_from_store(&reason, error);
    } else {
        reason_set(&reason, REASON_OK, NULL);
        attempt_clear(&cd->erase_wait.attempt);
        cd_erase_op_end(cd, REASON_STOPPED_BY_USER);
        event_erase_stopped(cd);
        cd_state_update(cd);
        command_object_add(ctl->command, &cd->object);
    }
    command_finish(ctl, &reason);
}

void command_drive_erase(struct ctl *ctl, struct ctl_command *command)
{
    const char *key = command->args.drive_erase.drive;
    struct ctl_drive *cd = command_drive_find(ctl, key);
    struct reason reason;

    if (cd == NULL) {
        return;
    }
    if (command->args.drive_erase.action == TASK_ACTION_START) {
        erase_begin(ctl, command, cd);
        return;
    }
    if (!rule_drive(cd, LIFE_ERASE_STOP, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (cd->erase != NULL && !cd->erase->concluded) {
        erase_stop(cd->erase->run, REASON_STOPPED_BY_USER);
        command_object_add(command, &cd->object);
        command_done(ctl);
        return;
    }
    /* It waits for something: then nothing is under way. */
    ctl_record_edit(ctl);
    cd_erase_entry(cd)->active = false;
    ctl_record_save(ctl, erase_left, cd);
}
