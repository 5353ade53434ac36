/*
 * undo_restore: what a deletion took away comes back out of the copy that was saved before it.
 *
 *   a foreign set: command_clear.c
 *   one of several: the copy is judged, then one saved edit of the group
 *   a drive group:  judge -> claim what is only offered -> read marks and prints of all drives
 *     -> intent in the store -> labels and DDF metadata on the members
 *     -> the list of groups in the store (the commit) -> run -> the copy goes
 *
 * (1) Every drive must still have the mark that the deletion left in place of its label, which
 *     nothing survives that makes use of the drive (meta/label_io.h (6)), and its print must be
 * what it was (meta/drive_print.h), which others spoil who write to it. A label of this very place
 * is as good: it is there if the drive was gone before the deletion, or a restoration, could take
 * it off. (2) Up to the commit a failure, or the next start after a crash, takes the labels off
 * again and leaves the marks: the copy can be restored as before.
 * (3) Hot spares that were dedicated to the group are hot spares of it again, once it is there. One
 *     that cannot be is named in the answer, and changes nothing else.
 * (4) Members that were away when the group was deleted may be back: they are settled as soon as
 *     the group is there, and it waits for those that it had not lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_settle.h"
#include "ctl/ctl_spare.h"
#include "ctl/ctl_undo.h"

/* The stop that followed the copy has written a few records; labels of members that were away are
 * older than any of them. */
#define SEQUENCES_PASSED 1000u

struct restore_run {
    struct ctl *ctl;
    struct ctl_command *command;
    const struct undo_record *record;
    struct ctl_claims claims;
    struct ctl_drive *members[GROUP_MEMBERS_MAX]; /* who gets a label; NULL: nobody */
    struct drive *drives[GROUP_MEMBERS_MAX];
    struct label_read reads[GROUP_MEMBERS_MAX];
    struct drive_print prints[GROUP_MEMBERS_MAX];
    struct label_write writes[GROUP_MEMBERS_MAX];
    bool differs[GROUP_MEMBERS_MAX];
    bool unreadable[GROUP_MEMBERS_MAX];
    bool labeled[GROUP_MEMBERS_MAX]; /* (1) */
    struct group_config *config;
    struct ctl_group *cg;
    struct ctl_vd *cv;
    struct group_save save;
    struct store_request remove;
    uint32_t pending;
    uint32_t spares_tried;
    bool spare_begins, spare_runs;
    struct reason spare_note; /* of the first one that stays away */
    struct reason failure;
};

static void restore_end(struct restore_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    free(run->config);
    free(run);
    command_finish(ctl, &copy);
}

static void restore_refuse(struct restore_run *run, const struct reason *reason)
{
    struct reason copy = *reason;

    ASSERT(reason->code != REASON_OK);
    ctl_claims_return(&run->claims);
    restore_end(run, &copy);
}

static void event_restored(struct restore_run *run, const struct ctl_vd *cv)
{
    char title[PATH_TEXT_BYTES];
    char undo[24];

    vd_title(cv, title, sizeof(title));
    (void)snprintf(undo, sizeof(undo), "%llu", (unsigned long long)run->record->number);
    ctl_event(run->ctl, EVENT_VIRTUAL_DRIVE_RESTORED, cv->object.key, "virtual_drive", title,
              "undo", undo, NULL);
}

static void restore_dropped(void *context)
{
    struct restore_run *run = context;
    struct reason reason = run->spare_note;

    run->command->noted = reason.code != REASON_OK;
    restore_end(run, &reason);
}

/* (3) */

static void restore_spare_done(void *owner, const struct reason *reason);

static void spare_stays_away(struct restore_run *run, const struct reason *cause)
{
    const struct undo_drive *spare = &run->record->spares[run->spares_tried - 1];
    const struct ctl_drive *cd = drive_by_key(run->ctl, spare->key);
    char name[NAME_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];

    if (run->spare_note.code != REASON_OK) {
        return;
    }
    (void)snprintf(name, sizeof(name), "%s", spare->serial);
    if (cd != NULL) {
        drive_name(cd, name);
    }
    group_path(run->cg, group, sizeof(group));
    (void)reason_text(cause, why, sizeof(why));
    reason_set(&run->spare_note, REASON_UNDO_SPARE_AWAY, "drive", name, "group", group, "why", why,
               NULL);
}

static void spare_try(struct restore_run *run, const struct undo_drive *spare)
{
    struct spare_back back = {.cd = drive_by_key(run->ctl, spare->key),
                              .cg = run->cg,
                              .affinity = spare->affinity,
                              .committable = spare->committable,
                              .command = run->command,
                              .done = restore_spare_done,
                              .owner = run};
    struct reason reason;

    if (back.cd == NULL || !back.cd->present) {
        reason_set(&reason, REASON_UNDO_DRIVE_GONE, "serial", spare->serial, NULL);
        restore_spare_done(run, &reason);
    } else if (back.cd->size_bytes != spare->size_bytes ||
               strcmp(back.cd->identity.serial, spare->serial) != 0) {
        (void)refuse_drive(&reason, REASON_UNDO_DRIVE_DIFFERS, back.cd); /* false always */
        restore_spare_done(run, &reason);
    } else {
        spare_bring_back(&back);
    }
}

/* One after the other, also those that are answered at once. */
static void restore_spares(struct restore_run *run)
{
    uint64_t number = run->record->number;

    while (run->spares_tried < run->record->spare_count) {
        const struct undo_drive *spare = &run->record->spares[run->spares_tried++];

        run->spare_runs = true;
        run->spare_begins = true;
        spare_try(run, spare);
        run->spare_begins = false;
        if (run->spare_runs) {
            return;
        }
    }
    run->record = NULL;
    undo_drop(run->ctl, number, restore_dropped, run);
}

static void restore_spare_done(void *owner, const struct reason *reason)
{
    struct restore_run *run = owner;

    ASSERT(run->spare_runs);
    run->spare_runs = false;
    if (reason->code != REASON_OK) {
        spare_stays_away(run, reason);
    }
    if (!run->spare_begins) {
        restore_spares(run);
    }
}

static void restore_done(struct restore_run *run)
{
    run->command->changed_something = true;
    reason_set(&run->spare_note, REASON_OK, NULL);
    restore_spares(run);
}

/* One of several */

static void vd_came_back(void *context, int error, struct vd *vd)
{
    struct restore_run *run = context;
    struct reason reason;

    if (error != 0) {
        if (error == -EINVAL) {
            char path[PATH_TEXT_BYTES];

            group_path(run->cg, path, sizeof(path));
            reason_set(&reason, REASON_GROUP_FULL, "group", path, NULL);
        } else {
            reason_from_store(&reason, error);
        }
        restore_refuse(run, &reason);
        return;
    }
    run->cv = ctl_vd_add(run->cg, vd_config(vd));
    ctl_vd_online(run->cv, vd);
    command_object_add(run->command, &run->cv->object);
    event_restored(run, run->cv);
    restore_done(run);
}

/* The number it had, else the lowest that is free. */
static uint32_t target_choose(const struct ctl *ctl, uint32_t wanted)
{
    uint32_t target = 0;

    if (!ctl_target_is_taken(ctl, wanted)) {
        return wanted;
    }
    while (ctl_target_is_taken(ctl, target)) {
        target++;
        ASSERT(target <= VD_TARGET_ID_MAX); /* there are fewer virtual drives than numbers */
    }
    return target;
}

static void vd_restore(struct restore_run *run)
{
    struct group_config *config = run->record->config;
    struct vd_config vd = {.target_id = 0};

    run->cg = group_by_guid(run->ctl, &run->record->group);
    for (uint32_t i = 0; i < config->vd_count; i++) {
        if (guid_equal(&config->vds[i].guid, &run->record->vd)) {
            vd = config->vds[i];
        }
    }
    vd.target_id = target_choose(run->ctl, vd.target_id);
    if (vd.dirty) { /* its region map is not what it was */
        vd.consistent_rows = 0;
        vd.resync = true;
        vd.dirty = false;
    }
    vd.map_slot = 0;
    vd.map_ready = false;
    group_vd_add(run->cg->group, &vd, vd_came_back, run);
}

/* A drive group: going back */

static void retreat_recorded(struct ctl *ctl, int error, void *context)
{
    struct restore_run *run = context;

    (void)error; /* an intent left behind is carried out at the next start */
    ASSERT(ctl == run->ctl);
    for (uint32_t i = 0; i < run->config->member_count; i++) {
        if (run->members[i] != NULL) {
            cd_look_again(run->members[i]);
        }
    }
    restore_refuse(run, &run->failure);
}

static void retreat_part_done(struct restore_run *run)
{
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        ctl_record_edit(run->ctl);
        record_intent_forget(run->ctl->record);
        ctl_record_save(run->ctl, retreat_recorded, run);
    }
}

static void retreat_wiped(struct label_write *write, int error)
{
    (void)error; /* a drive that is gone shows as foreign when it comes back */
    retreat_part_done(write->owner);
}

static void retreat_removed(struct store_request *request, int error)
{
    (void)error; /* a record that no list names is ignored */
    retreat_part_done(request->owner);
}

/* (2) */
static void restore_retreat(struct restore_run *run)
{
    struct ctl *ctl = run->ctl;

    ASSERT(run->failure.code != REASON_OK);
    run->pending = 1;
    for (uint32_t i = 0; i < run->config->member_count; i++) {
        if (run->drives[i] != NULL) {
            run->pending++;
            run->writes[i] = (struct label_write){.drive = run->drives[i],
                                                  .leaves = &run->config->guid,
                                                  .complete = retreat_wiped,
                                                  .owner = run};
            group_store_label_write(ctl->group_store, &run->writes[i]);
        }
    }
    run->remove = (struct store_request){.complete = retreat_removed, .owner = run};
    group_record_name(&run->config->guid, run->remove.name);
    list_init(&run->remove.port_link);
    ctl->ports.store->ops->put(ctl->ports.store, &run->remove);
}

/* A drive group: going forward, last step first */

static void restore_ran(struct ctl_group *cg, int error, void *context)
{
    struct restore_run *run = context;

    (void)error; /* the group exists; its documents tell */
    ASSERT(run->cg == cg);
    restore_done(run);
}

static void restore_committed(struct ctl *ctl, int error, void *context)
{
    struct restore_run *run = context;
    bool returned = false; /* (4) */
    bool whole = false;

    if (error != 0) {
        reason_from_store(&run->failure, error);
        restore_retreat(run);
        return;
    }
    run->cg = ctl_group_new(ctl, run->config);
    run->config = NULL;
    for (uint32_t i = 0; i < run->cg->config->member_count; i++) {
        if (run->members[i] != NULL) {
            cd_member_take(run->members[i], run->cg, i);
        }
    }
    returned = cg_settle_again(run->cg, true);
    command_object_add(run->command, &run->cg->object);
    LIST_FOR_EACH (node, &run->cg->vds) {
        struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

        command_object_add(run->command, &cv->object);
        event_restored(run, cv);
    }
    if (!group_can_start(run->cg, run->cg->config, &whole) || (!whole && returned) ||
        ctl_group_run(run->cg, restore_ran, run) != 0) {
        restore_done(run); /* it waits for its drives */
    }
}

static void restore_member_failed(struct group_save *save, uint32_t member, enum io_status status)
{
    struct restore_run *run = save->owner;

    (void)status; /* the drive's own event tells */
    cd_label_failed(run->members[member], &run->failure);
}

static void restore_saved(struct group_save *save, int error)
{
    struct restore_run *run = save->owner;

    if (error != 0 && run->failure.code == REASON_OK) {
        reason_from_store(&run->failure, error);
    }
    if (run->failure.code != REASON_OK) {
        restore_retreat(run);
        return;
    }
    ctl_record_edit(run->ctl);
    record_group_add(run->ctl->record, &run->config->guid);
    record_intent_clear(run->ctl->record);
    ctl_record_save(run->ctl, restore_committed, run);
}

static void restore_intended(struct ctl *ctl, int error, void *context)
{
    struct restore_run *run = context;

    if (error != 0) {
        reason_from_store(&run->failure, error);
        restore_refuse(run, &run->failure);
        return;
    }
    run->save = (struct group_save){.config = run->config,
                                    .drives = run->drives,
                                    .controller = &ctl->record->controller,
                                    .member_failed = restore_member_failed,
                                    .complete = restore_saved,
                                    .owner = run};
    group_store_save(ctl->group_store, &run->save);
}

static void config_make(struct restore_run *run)
{
    struct group_config *config = malloc(sizeof(*config));

    ASSERT(config != NULL);
    *config = *run->record->config;
    config->sequence += SEQUENCES_PASSED;
    config->index = ctl_group_index_free(run->ctl);
    ASSERT(config->vd_count == 1); /* the last one */
    config->vds[0].target_id = target_choose(run->ctl, config->vds[0].target_id);
    run->config = config;
}

static void restore_begin(struct restore_run *run)
{
    struct ctl *ctl = run->ctl;

    config_make(run);
    ctl_record_edit(ctl);
    ctl->record->intent = CONTROLLER_INTENT_RESTORE;
    ctl->record->intent_group = run->config->guid;
    for (uint32_t i = 0; i < run->config->member_count; i++) {
        if (run->members[i] != NULL) {
            run->drives[i] = run->members[i]->drive;
            record_drive_add(ctl->record, run->members[i]->identity.key, true);
        }
    }
    ctl_record_save(ctl, restore_intended, run);
}

/* (1) */
static void restore_judge(struct restore_run *run)
{
    struct reason reason;

    for (uint32_t i = 0; i < run->record->drive_count; i++) {
        if (run->differs[i] || run->unreadable[i]) {
            undo_found_note(run->ctl, run->record->number, i,
                            run->unreadable[i] ? REASON_LABEL_UNREADABLE
                                               : REASON_UNDO_DRIVE_WRITTEN);
        }
    }
    if (!undo_is_possible(run->ctl, run->record, &reason)) {
        restore_refuse(run, &reason);
        return;
    }
    restore_begin(run);
}

static void restore_part_done(struct restore_run *run)
{
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        restore_judge(run);
    }
}

static void restore_printed(struct drive_print *print, int error)
{
    struct restore_run *run = print->owner;
    uint32_t member = (uint32_t)(print - run->prints);
    const struct undo_drive *drive = &run->record->drives[member];

    run->unreadable[member] = error != 0;
    if (error == 0 && ((!print->end_is_zero && !run->labeled[member]) ||
                       memcmp(print->sum, drive->print, sizeof(drive->print)) != 0)) {
        run->differs[member] = true;
    }
    restore_part_done(run);
}

static bool label_is_there(const struct restore_run *run, uint32_t member)
{
    const struct drive_label *label = run->reads[member].label;

    return label != NULL && label->role == LABEL_ROLE_MEMBER && label->member == member &&
           guid_equal(&label->group, &run->record->group) &&
           uuid_equal(&label->controller, &run->ctl->record->controller) &&
           uuid_equal(&label->drive, &run->record->config->members[member].drive);
}

static void restore_marks_read(struct label_read *read, int error)
{
    struct restore_run *run = read->owner;
    uint32_t member = (uint32_t)(read - run->reads);

    run->unreadable[member] = error == -EIO;
    run->labeled[member] = error == 0 && label_is_there(run, member);
    run->differs[member] =
        !run->labeled[member] && (error != -ENOENT || !undo_mark_is_there(run->record, read->left));
    free(read->label);
    read->label = NULL;
    if (run->differs[member]) {
        restore_part_done(run);
        return;
    }
    run->prints[member] = (struct drive_print){
        .drive = run->members[member]->drive, .complete = restore_printed, .owner = run};
    drive_print_take(&run->prints[member]);
}

static void restore_claimed(struct ctl_claims *claims, bool ok)
{
    struct restore_run *run = claims->owner;

    if (!ok) {
        restore_refuse(run, &claims->reason);
        return;
    }
    run->pending = 1;
    for (uint32_t i = 0; i < run->record->drive_count; i++) {
        if (run->members[i] != NULL) {
            run->pending++;
            run->reads[i] = (struct label_read){
                .drive = run->members[i]->drive, .complete = restore_marks_read, .owner = run};
            group_store_label_read(run->ctl->group_store, &run->reads[i]);
        }
    }
    restore_part_done(run);
}

static void group_restore(struct restore_run *run)
{
    for (uint32_t i = 0; i < run->record->drive_count; i++) {
        if (run->record->drives[i].used) {
            run->members[i] = drive_by_key(run->ctl, run->record->drives[i].key);
            ctl_claims_add(&run->claims, run->members[i]);
        }
    }
    ctl_claims_run(&run->claims);
}

void command_undo_restore(struct ctl *ctl, struct ctl_command *command)
{
    const struct undo_record *record = undo_find(ctl, command->args.undo_restore.undo);
    struct restore_run *run = NULL;
    struct reason reason;
    char number[24];

    if (record == NULL && undo_damage_find(ctl, command->args.undo_restore.undo, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (record == NULL) {
        (void)snprintf(number, sizeof(number), "%llu",
                       (unsigned long long)command->args.undo_restore.undo);
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "saved configuration", "key", number,
                   NULL);
        command_finish(ctl, &reason);
        return;
    }
    undo_found_clear(ctl, record->number); /* the drives are read once more */
    if (!undo_is_possible(ctl, record, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (record->kind == UNDO_KIND_FOREIGN_SET) {
        command_clear_undo(ctl, command, record);
        return;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    run->ctl = ctl;
    run->command = command;
    run->record = record;
    run->claims =
        (struct ctl_claims){.ctl = ctl, .force = true, .done = restore_claimed, .owner = run};
    if (record->kind == UNDO_KIND_VIRTUAL_DRIVE) {
        vd_restore(run);
    } else {
        group_restore(run);
    }
}
