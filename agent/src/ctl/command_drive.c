/*
 * drive_offline, drive_online, drive_missing, drive_jbod, drive_good, drive_locate and
 * fault_inject.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_settle.h"

void command_drive_offline(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_drive *cd = command_drive_find(ctl, command->args.drive.drive);
    struct reason reason;
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    if (cd == NULL) {
        return;
    }
    if (!rule_drive(cd, LIFE_SET_OFFLINE, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (group_member_lose(cd->group->group, cd->member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER,
                          true) != 0) {
        drive_path(cd, path, sizeof(path));
        group_path(cd->group, group, sizeof(group));
        reason_set(&reason, REASON_LAST_COPY, "drive", path, "group", group, NULL);
        command_finish(ctl, &reason);
        return;
    }
    command_object_add(command, &cd->object);
    command_done(ctl);
}

/* A member that was overwritten and is used all the same: a user has seen that its data are right
 * (ctl_overwritten.c (2)). */
static void member_trust(struct group_config *config, void *context)
{
    const struct ctl_drive *cd = context;
    struct member_config *member = &config->members[cd->member];

    if (member->why == REASON_DRIVE_OVERWRITTEN_USED) {
        member->why = REASON_OK;
    }
}

static void member_trusted(void *context, int error)
{
    const struct ctl_drive *cd = context;
    struct reason reason = {.code = REASON_OK};

    if (error != 0) {
        reason_from_store(&reason, error);
    }
    command_finish(cd->ctl, &reason);
}

/* A copy of the drive without which its group is offline: claimed and remembered like a member. Its
 * label gives it the place, when it is read for the claim or else when it is looked at again. */
struct copy_run {
    struct ctl_command *command;
    struct ctl_drive *cd;
    struct ctl_claims claims;
};

static void copy_end(struct copy_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->cd->ctl;
    struct reason copy = *reason;

    if (copy.code != REASON_OK) {
        ctl_claims_undo(&run->claims);
    }
    free(run);
    command_finish(ctl, &copy);
}

static void copy_remembered(struct ctl *ctl, int error, void *context)
{
    struct copy_run *run = context;
    struct ctl_drive *cd = run->cd;
    struct reason reason = {.code = REASON_OK};
    char path[PATH_TEXT_BYTES];

    if (error != 0) {
        reason_from_store(&reason, error);
        copy_end(run, &reason);
        return;
    }
    drive_path(cd, path, sizeof(path));
    ctl_event(ctl, EVENT_DRIVE_SET_ONLINE, cd->identity.key, "drive", path, NULL);
    cd_health_reset(cd);
    if (cd->group == NULL) {
        cd->reinserted = true;
        cd_look_again(cd);
    }
    command_object_add(run->command, &cd->object);
    copy_end(run, &reason);
}

static void copy_claimed(struct ctl_claims *claims, bool ok)
{
    struct copy_run *run = claims->owner;
    struct reason reason = claims->reason;

    if (!ok || (run->cd->group == NULL && !rule_drive(run->cd, LIFE_SET_ONLINE, &reason))) {
        copy_end(run, &reason);
        return;
    }
    if (!claims->taken[0]) {
        copy_remembered(claims->ctl, 0, run);
        return;
    }
    ctl_record_edit(claims->ctl);
    record_drive_add(claims->ctl->record, run->cd->identity.key, false);
    ctl_record_save(claims->ctl, copy_remembered, run);
}

static void copy_use(struct ctl *ctl, struct ctl_command *command, struct ctl_drive *cd)
{
    struct copy_run *run = calloc(1, sizeof(*run));
    struct reason reason;

    if (run == NULL) {
        reason_from_store(&reason, -ENOMEM);
        command_finish(ctl, &reason);
        return;
    }
    *run = (struct copy_run){.command = command, .cd = cd};
    run->claims =
        (struct ctl_claims){.ctl = ctl, .force = true, .done = copy_claimed, .owner = run};
    ctl_claims_add(&run->claims, cd);
    ctl_claims_run(&run->claims);
}

/* The group went offline with it and has acknowledged nothing since: it is made anew from what its
 * drives hold, and what was being written is resynchronized. */
void command_drive_online(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_drive *cd = command_drive_find(ctl, command->args.drive.drive);
    struct reason reason;
    char path[PATH_TEXT_BYTES];

    if (cd == NULL) {
        return;
    }
    if (!rule_drive(cd, LIFE_SET_ONLINE, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (cd_is_overwritten_used(cd)) {
        command_object_add(command, &cd->object);
        group_config_change(cd->group->group, member_trust, cd, member_trusted, cd);
        return;
    }
    if (cd->group == NULL) {
        copy_use(ctl, command, cd);
        return;
    }
    drive_path(cd, path, sizeof(path));
    ctl_event(ctl, EVENT_DRIVE_SET_ONLINE, cd->identity.key, "drive", path, NULL);
    cd_health_reset(cd);
    cd->group->revive_asked = true;
    command_object_add(command, &cd->object);
    command_done(ctl);
}

/* drive_jbod, and back */

struct jbod_run {
    struct ctl_command *command;
    struct ctl_drive *cd;
    bool jbod;
};

static void jbod_remembered(struct ctl *ctl, int error, void *context)
{
    struct jbod_run *run = context;
    struct ctl_drive *cd = run->cd;
    struct reason reason;
    char path[PATH_TEXT_BYTES];

    if (error != 0) {
        reason_from_store(&reason, error);
    } else {
        cd->jbod = run->jbod;
        if (cd->drive != NULL) {
            cd_close(cd);
        }
        cd_state_update(cd);
        drive_path(cd, path, sizeof(path));
        ctl_event(ctl, run->jbod ? EVENT_DRIVE_MADE_JBOD : EVENT_DRIVE_MADE_GOOD, cd->identity.key,
                  "drive", path, NULL);
        command_object_add(run->command, &cd->object);
        reason_set(&reason, REASON_OK, NULL);
    }
    free(run);
    command_finish(ctl, &reason);
}

static void jbod_set(struct ctl *ctl, struct ctl_command *command, struct ctl_drive *cd, bool jbod)
{
    struct jbod_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL);
    *run = (struct jbod_run){.command = command, .cd = cd, .jbod = jbod};
    ctl_record_edit(ctl);
    if (jbod) {
        record_drive_jbod(ctl->record, cd->identity.key);
    } else {
        record_drive_remove(ctl->record, cd->identity.key);
    }
    ctl_record_save(ctl, jbod_remembered, run);
}

void command_drive_jbod(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_drive *cd = command_drive_find(ctl, command->args.drive.drive);
    struct reason reason;

    if (cd == NULL) {
        return;
    }
    if (!rule_drive(cd, LIFE_SET_JBOD, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    jbod_set(ctl, command, cd, true);
}

/* drive_good and drive_missing */

struct good_run {
    struct ctl *ctl;
    struct ctl_command *command;
    struct ctl_drive *cd;
    uint32_t member;
    char group[PATH_TEXT_BYTES]; /* drive_missing */
    struct uuid nobody; /* drive_missing: whom its place is given to */
    struct ctl_former former;
    struct label_write write;
};

static struct good_run *good_run_new(struct ctl *ctl, struct ctl_command *command,
                                     struct ctl_drive *cd)
{
    struct good_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL);
    *run = (struct good_run){.ctl = ctl, .command = command, .cd = cd, .member = cd->member};
    return run;
}

static void event_set_missing(const struct good_run *run)
{
    char path[PATH_TEXT_BYTES];

    drive_path(run->cd, path, sizeof(path));
    ctl_event(run->ctl, EVENT_DRIVE_SET_MISSING, run->cd->identity.key, "drive", path, "group",
              run->group, NULL);
}

static void good_finish(struct good_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;

    free(run);
    command_finish(ctl, reason);
}

static void good_made(struct good_run *run)
{
    struct ctl *ctl = run->ctl;
    struct ctl_drive *cd = run->cd;
    const struct reason ok = {.code = REASON_OK};
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    cd_make_blank(cd);
    if (run->command->op == CTL_OP_DRIVE_MISSING) {
        event_set_missing(run);
        attempt_forbid(&cd->attempt, REASON_SPARE_SET_MISSING);
    } else {
        ctl_event(ctl, EVENT_DRIVE_MADE_GOOD, cd->identity.key, "drive", path, NULL);
        cd_health_reset(cd);
    }
    cd_close(cd);
    command_object_add(run->command, &cd->object);
    good_finish(run, &ok);
}

static void good_erase_forgotten(struct ctl *ctl, int error, void *context)
{
    struct good_run *run = context;
    struct reason reason;

    ASSERT(ctl == run->ctl);
    if (error == 0) {
        good_made(run);
        return;
    }
    reason_from_store(&reason, error);
    good_finish(run, &reason);
}

/* Only now is one that was erased in part no longer so. */
static void good_wiped(struct label_write *write, int error)
{
    struct good_run *run = write->owner;
    struct reason reason;

    if (error != 0) {
        cd_label_failed(run->cd, &reason);
        good_finish(run, &reason);
    } else if (cd_erase_entry(run->cd) != NULL) {
        ctl_record_edit(run->ctl);
        (void)record_erase_remove(run->ctl->record, run->cd->identity.key);
        ctl_record_save(run->ctl, good_erase_forgotten, run);
    } else {
        good_made(run);
    }
}

/* Nobody knows whose it is, or its group would have it back if only it were as large as it was. */
static bool label_may_be_wanted(const struct ctl_drive *cd)
{
    return cd->group == NULL && cd->bad &&
           (cd->label_status == LABEL_STATUS_UNREADABLE ||
            cd->label_status == LABEL_STATUS_SHRUNK ||
            cd->state_reason.code == REASON_DRIVE_TOO_SMALL_FOR_GROUP);
}

/* Data of somebody else are wiped only with force and the serial number typed. */
static bool good_is_confirmed(const struct ctl_command *command, const struct ctl_drive *cd,
                              struct reason *ret_reason)
{
    const char *typed =
        command->confirm[0] != '\0' ? command->confirm : command->args.drive_good.serial;
    char path[PATH_TEXT_BYTES];

    if (!cd->foreign && cd->found == NULL) {
        return !label_may_be_wanted(cd) || rule_confirmed(typed, cd->identity.serial, ret_reason);
    }
    drive_path(cd, path, sizeof(path));
    if (!command->args.drive_good.force) {
        reason_set(ret_reason, REASON_DRIVE_FOREIGN, "drive", path, NULL);
        return false;
    }
    return rule_confirmed(typed, cd->identity.serial, ret_reason);
}

static void good_former_gone(struct ctl_former *former, const struct ctl_drive *failed)
{
    struct good_run *run = former->owner;

    run->write =
        (struct label_write){.drive = run->cd->drive, .complete = good_wiped, .owner = run};
    if (failed != NULL) {
        good_wiped(&run->write, -EIO);
        return;
    }
    group_store_label_write(run->ctl->group_store, &run->write);
}

static void good_label_wipe(struct good_run *run)
{
    if (run->cd->foreign || run->cd->found != NULL) { /* somebody may want it back */
        struct good_run taken = *run;

        free(run);
        command_clear_drive(taken.ctl, taken.command, taken.cd);
        return;
    }
    run->former.done = good_former_gone;
    run->former.owner = run;
    ctl_former_add(&run->former, run->cd);
    ctl_former_run(&run->former);
}

static void good_place_saved(struct ctl *ctl, int error, void *context)
{
    struct good_run *run = context;
    struct reason reason;

    if (error == 0) {
        good_label_wipe(run);
        return;
    }
    reason_from_store(&reason, error);
    free(run);
    command_finish(ctl, &reason);
}

/* Good for anything, but not meant for its slot: no spare goes back by itself because of it. */
static void good_wipe(struct good_run *run)
{
    ctl_record_edit(run->ctl);
    if (return_place_forget(run->ctl->record, run->cd->identity.eid, run->cd->identity.slot)) {
        ctl_record_save(run->ctl, good_place_saved, run);
    } else {
        good_label_wipe(run);
    }
}

static void place_forget(struct group_config *config, void *context)
{
    const struct good_run *run = context;

    config->members[run->member].place_known = false;
}

static void place_forgotten(void *context, int error)
{
    struct good_run *run = context;
    struct ctl *ctl = run->ctl;
    struct reason reason;

    if (error == 0) {
        good_wipe(run);
        return;
    }
    reason_from_store(&reason, error);
    free(run);
    command_finish(ctl, &reason);
}

void command_drive_good(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_drive *cd = command_drive_find(ctl, command->args.drive_good.drive);
    struct good_run *run = NULL;
    struct reason reason;

    if (cd == NULL) {
        return;
    }
    if (!rule_drive(cd, LIFE_SET_GOOD, &reason) || !good_is_confirmed(command, cd, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (cd->jbod) {
        jbod_set(ctl, command, cd, false);
        return;
    }
    run = good_run_new(ctl, command, cd);
    if (cd->group != NULL && cd->group->phase == CTL_GROUP_RUNNING) {
        /* First, or a crash in between would find a blank drive that seems to be meant for its
         * old place. */
        group_config_change(cd->group->group, place_forget, run, place_forgotten, run);
        return;
    }
    good_wipe(run);
}

/* drive_missing. One that was taken offline though it worked is free afterwards: the same as
 * making it good, where the write of its label decides. One that failed is bad, and nothing is
 * written to it: there the configuration decides, which names nobody in its place any more. */

static void place_give_up(struct group_config *config, void *context)
{
    const struct good_run *run = context;
    struct member_config *member = &config->members[run->member];

    member->state = MEMBER_MISSING;
    member->drive = run->nobody;
    member->place_known = false;
}

static void place_given_up(void *context, int error)
{
    struct good_run *run = context;
    struct ctl *ctl = run->ctl;
    struct reason reason;

    if (error == 0) {
        event_set_missing(run);
        cd_place_lose(run->cd);
        command_object_add(run->command, &run->cd->object);
        reason_set(&reason, REASON_OK, NULL);
    } else {
        reason_from_store(&reason, error);
    }
    free(run);
    command_finish(ctl, &reason);
}

void command_drive_missing(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_drive *cd = command_drive_find(ctl, command->args.drive.drive);
    struct good_run *run = NULL;
    struct reason reason;

    if (cd == NULL) {
        return;
    }
    if (!rule_drive(cd, LIFE_SET_MISSING, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (cd_life(cd) == LIFE_REMOVED) { /* until its label says again what it was */
        cd->bad = false;
        command_object_add(command, &cd->object);
        command_done(ctl);
        return;
    }
    run = good_run_new(ctl, command, cd);
    group_path(cd->group, run->group, sizeof(run->group));
    if (cd_life(cd) == LIFE_OFFLN) {
        group_config_change(cd->group->group, place_forget, run, place_forgotten, run);
        return;
    }
    run->nobody = uuid_make(&ctl->rng);
    group_config_change(cd->group->group, place_give_up, run, place_given_up, run);
}

void command_drive_locate(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_drive *cd = command_drive_find(ctl, command->args.drive_locate.drive);
    struct reason reason;
    char path[PATH_TEXT_BYTES];

    if (cd == NULL) {
        return;
    }
    if (!rule_drive(cd, LIFE_LOCATE, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (cd->locating != command->args.drive_locate.on) {
        cd->locating = command->args.drive_locate.on;
        drive_path(cd, path, sizeof(path));
        ctl_event(ctl, EVENT_LOCATE_CHANGED, cd->identity.key, "drive", path, "state",
                  cd->locating ? "on" : "off", NULL);
    }
    cd->locate_end_us = 0;
    if (cd->locating && command->args.drive_locate.seconds != 0) {
        cd->locate_seconds = command->args.drive_locate.seconds;
        cd->locate_end_us = clock_now_us(ctl->ports.clock) + cd->locate_seconds * UINT64_C(1000000);
        cd->locate_end_wall_us =
            clock_wall_us(ctl->ports.clock) + cd->locate_seconds * UINT64_C(1000000);
    }
    command_object_add(command, &cd->object);
    command_done(ctl);
}

/* Its time is over: turned off, or looked at again then. */
void cd_locate_work(struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];
    char seconds[16];

    if (cd->locate_end_us == 0) {
        return;
    }
    ASSERT(cd->locating);
    if (clock_now_us(cd->ctl->ports.clock) < cd->locate_end_us) {
        ctl_kick_at(cd->ctl, cd->locate_end_us);
        return;
    }
    cd->locating = false;
    cd->locate_end_us = 0;
    drive_path(cd, path, sizeof(path));
    (void)snprintf(seconds, sizeof(seconds), "%u", cd->locate_seconds);
    ctl_event(cd->ctl, EVENT_LOCATE_ENDED, cd->identity.key, "drive", path, "seconds", seconds,
              NULL);
}

/* fault_inject */

static void event_fault(struct ctl_drive *cd, enum fault_kind fault)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    ctl_event(cd->ctl, EVENT_FAULT_INJECTED, cd->identity.key, "drive", path, "fault",
              fault_kind_word(fault), NULL);
}

static bool fault_arguments_ok(const struct ctl_command *command, const struct ctl_drive *cd,
                               struct reason *ret_reason)
{
    enum fault_kind fault = command->args.fault_inject.fault;
    uint64_t blocks = cd->size_bytes / 512;
    const char *field = NULL;
    const char *problem = NULL;

    if (fault == FAULT_KIND_MEDIA_ERROR || fault == FAULT_KIND_WRITE_ERROR) {
        if (command->args.fault_inject.lba >= blocks) {
            field = "lba";
            problem = "it lies beyond the end of the drive";
        } else if (command->args.fault_inject.count > blocks - command->args.fault_inject.lba) {
            field = "count";
            problem = "it reaches beyond the end of the drive";
        }
    }
    if (fault == FAULT_KIND_MEDIA_ERROR && command->args.fault_inject.count == 0) {
        field = "count";
        problem = "it must be at least 1";
    }
    if (fault == FAULT_KIND_SLOW && (command->args.fault_inject.latency_ms == 0 ||
                                     command->args.fault_inject.latency_ms > 60000)) {
        field = "latency_ms";
        problem = "must be from 1 to 60000";
    }
    if (field != NULL) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", field, "problem", problem, NULL);
        return false;
    }
    return true;
}

static bool fault_presence_ok(const struct ctl_command *command, const struct ctl_drive *cd,
                              struct reason *ret_reason)
{
    enum fault_kind fault = command->args.fault_inject.fault;
    bool wants_present = fault != FAULT_KIND_RETURN;
    char path[PATH_TEXT_BYTES];

    if (fault == FAULT_KIND_REPLACE || fault == FAULT_KIND_CLEAR || cd->present == wants_present) {
        return true;
    }
    drive_path(cd, path, sizeof(path));
    reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state",
               cd->present ? "present" : "pulled", "op", fault_kind_word(fault), NULL);
    return false;
}

static void fault_add(struct ctl *ctl, struct ctl_command *command, struct ctl_drive *cd)
{
    const struct emulated_fault fault = {
        .kind = command->args.fault_inject.fault,
        .lba = command->args.fault_inject.lba,
        .count = command->args.fault_inject.count,
        .latency_ms = command->args.fault_inject.latency_ms,
    };
    struct reason reason;

    if (emulated_drive_fault_add(cd->emulated, &fault) != 0) {
        reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "fault", "problem",
                   "the drive has as many faults as it can hold", NULL);
        command_finish(ctl, &reason);
        return;
    }
    event_fault(cd, fault.kind);
    command_object_add(command, &cd->object);
    command_done(ctl);
}

static void fault_pull(struct ctl_drive *cd)
{
    emulated_drive_disconnect(cd->emulated);
    if (cd->drive != NULL) {
        drive_port_gone(cd->drive);
    }
    cd->gone_noted = true;
    cd->return_noted = false;
}

static void fault_return(struct ctl_drive *cd)
{
    emulated_drive_connect(cd->emulated);
    if (cd->drive != NULL) {
        cd->return_noted = true;
    } else {
        cd->present = true;
    }
}

static void fault_replace(struct ctl *ctl, struct ctl_command *command, struct ctl_drive *cd)
{
    struct device_port *devices = ctl->ports.devices;
    struct reason reason;
    char path[PATH_TEXT_BYTES];
    char key[EVENT_KEY_MAX + 1];
    int error = devices != NULL ? 0 : -ENODEV;

    /* The old drive may be gone when replace() returns: what is said of it comes first. */
    drive_path(cd, path, sizeof(path));
    (void)snprintf(key, sizeof(key), "%s", cd->identity.key);
    if (error == 0) {
        error = devices->ops->replace(devices, cd->device);
    }
    if (error != 0) {
        char text[REASON_ERROR_TEXT_BYTES];

        reason_error_text(error, text);
        reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "fault", "problem", text, NULL);
        command_finish(ctl, &reason);
        return;
    }
    ctl_event(ctl, EVENT_FAULT_INJECTED, key, "drive", path, "fault",
              fault_kind_word(FAULT_KIND_REPLACE), NULL);
    ASSERT(ctl->command == command);
    command_done(ctl);
}

void command_fault_inject(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_drive *cd = command_drive_find(ctl, command->args.fault_inject.drive);
    enum fault_kind fault = command->args.fault_inject.fault;
    struct reason reason;

    if (cd == NULL) {
        return;
    }
    if ((unsigned)fault >= FAULT_KIND_MAX) {
        command_refuse(ctl, REASON_UNKNOWN_COMMAND);
        return;
    }
    if (!rule_fault_inject(cd, &reason) || !fault_presence_ok(command, cd, &reason) ||
        !fault_arguments_ok(command, cd, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    switch (fault) {
    case FAULT_KIND_PULL:
        event_fault(cd, fault);
        fault_pull(cd);
        break;
    case FAULT_KIND_RETURN:
        event_fault(cd, fault);
        fault_return(cd);
        break;
    case FAULT_KIND_REPLACE:
        fault_replace(ctl, command, cd);
        return;
    case FAULT_KIND_CLEAR:
        event_fault(cd, fault);
        emulated_drive_faults_clear(cd->emulated);
        break;
    case FAULT_KIND_MEDIA_ERROR:
    case FAULT_KIND_SLOW:
    case FAULT_KIND_WRITE_ERROR:
        fault_add(ctl, command, cd);
        return;
    case FAULT_KIND_MAX:
        UNREACHABLE();
    }
    command_object_add(command, &cd->object);
    ctl_drives_work(ctl);
    command_done(ctl);
}
