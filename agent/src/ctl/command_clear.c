/*
 * foreign_clear: the metadata by which a foreign set is found are taken off its drives; and back,
 * undo_restore of that.
 *
 *   clear    claim what is only offered -> read labels and the sectors -> the copy is saved
 *              -> intent in the store (the commit) -> the sectors become zeros
 *              -> the intent is taken back
 *   restore  claim -> all sectors are zeros still, and the prints are the same
 *              -> intent (the commit) -> the sectors become what they were -> the intent is taken
 * back
 *
 * Of a set of md's own format these are the first sectors of the superblocks, and the bitmaps stay.
 * A single drive that is made good by force goes the same way, whatever its label says.
 *
 * (1) No data are written over: only the sectors of meta/metadata_sectors.h.
 * (2) After the commit a crash, or a drive that fails, is made up for at the next start by writing
 *     the sectors of all drives once more (ctl_assemble.c), out of the copy.
 * (3) What is cleared is what was shown, once nobody else can write to the drives.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "ctl/ctl_undo.h"
#include "ctl/foreign_md.h"
#include "ctl/foreign_set.h"
#include "ctl/member_returned.h"
#include "meta/md_super_io.h"
#include "meta/metadata_sectors.h"

struct clear_run {
    struct ctl *ctl;
    struct ctl_command *command;
    bool restores;
    bool makes_good;               /* one drive, not a set, … */
    bool unread;                   /* … whose label nobody has read yet */
    struct foreign_set set;        /* clear, but for makes_good */
    struct foreign_md md;          /* set.format MD */
    struct md_super_job supers[UNDO_DRIVES_MAX];
    uint64_t number;               /* restore: of the copy */
    char name[UNDO_NAME_MAX + 1];
    struct guid guid;
    uint32_t drive_count;
    struct ctl_drive *drives[UNDO_DRIVES_MAX];
    struct ctl_claims claims;
    struct label_read reads[UNDO_DRIVES_MAX];
    bool outdated[UNDO_DRIVES_MAX]; /* an old or copied member of the group, which runs here */
    struct metadata_scan scans[UNDO_DRIVES_MAX];
    struct metadata_edit edits[UNDO_DRIVES_MAX];
    struct drive_print prints[UNDO_DRIVES_MAX];
    struct undo_save save;
    uint32_t pending;
    struct reason failure;
};

static bool is_md(const struct clear_run *run)
{
    return !run->restores && run->set.format == FOREIGN_FORMAT_MD;
}

static void clear_end(struct clear_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    free(run);
    ctl->foreign_noted = true;
    command_finish(ctl, &copy);
}

static void clear_refuse(struct clear_run *run, const struct reason *reason)
{
    struct reason copy = *reason;

    ASSERT(reason->code != REASON_OK);
    ctl_claims_return(&run->claims);
    clear_end(run, &copy);
}

static void fail_drive(struct clear_run *run, enum reason_code code, const struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];

    if (run->failure.code == REASON_OK) {
        drive_path(cd, path, sizeof(path));
        reason_set(&run->failure, code, "drive", path, NULL);
    }
}

static void fail_label(struct clear_run *run, const struct ctl_drive *cd)
{
    if (run->failure.code == REASON_OK) {
        cd_label_failed(cd, &run->failure);
    }
}

/* Forward, last step first */

/* Its host looks at it again; one that stays with us is read again. */
static void drive_let_go(struct clear_run *run, uint32_t index)
{
    struct ctl_drive *cd = run->drives[index];

    cd_former_forget(cd);
    if (!run->restores) {
        cd_make_blank(cd);
    }
    if (cd->drive != NULL && cd->label_status != LABEL_STATUS_READING) {
        cd->label_status = LABEL_STATUS_UNREAD;
        cd->settled = false;
    }
    cd->give_back = cd->claimed_here;
}

static void clear_finished(void *context)
{
    struct clear_run *run = context;
    struct reason reason;

    reason_set(&reason, REASON_OK, NULL);
    clear_end(run, &reason);
}

static void clear_recorded(struct ctl *ctl, int error, void *context)
{
    struct clear_run *run = context;
    char undo[24];

    (void)error; /* an intent left behind is carried out once more at the next start */
    for (uint32_t i = 0; i < run->drive_count; i++) {
        drive_let_go(run, i);
    }
    (void)snprintf(undo, sizeof(undo), "%llu", (unsigned long long)run->number);
    if (run->makes_good) {
        char path[PATH_TEXT_BYTES];

        drive_path(run->drives[0], path, sizeof(path));
        ctl_event(ctl, EVENT_DRIVE_MADE_GOOD, run->drives[0]->identity.key, "drive", path, NULL);
        command_object_add(run->command, &run->drives[0]->object);
    }
    ctl_event(ctl, run->restores ? EVENT_FOREIGN_RESTORED : EVENT_FOREIGN_CLEARED,
              controller_key(ctl), "set", run->name, "undo", undo, NULL);
    run->command->changed_something = true;
    if (run->failure.code != REASON_OK) {
        clear_end(run, &run->failure);
    } else if (run->restores) {
        undo_drop(ctl, run->number, clear_finished, run);
    } else {
        clear_finished(run);
    }
}

static void clear_forget(struct clear_run *run)
{
    ctl_record_edit(run->ctl);
    record_intent_forget(run->ctl->record);
    ctl_record_save(run->ctl, clear_recorded, run);
}

static void clear_part_done(struct clear_run *run, void (*next)(struct clear_run *run))
{
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        next(run);
    }
}

static void clear_edited(struct metadata_edit *edit, int error)
{
    struct clear_run *run = edit->owner;

    if (error != 0) {
        fail_label(run, run->drives[edit - run->edits]);
    }
    clear_part_done(run, clear_forget);
}

static void clear_committed(struct ctl *ctl, int error, void *context)
{
    struct clear_run *run = context;

    ASSERT(ctl == run->ctl);
    if (error != 0) {
        reason_from_store(&run->failure, error);
        clear_refuse(run, &run->failure);
        return;
    }
    run->pending = 1;
    for (uint32_t i = 0; i < run->drive_count; i++) {
        if (undo_record_edit(undo_find(run->ctl, run->number), run->drives[i]->identity.key,
                             run->restores, &run->edits[i])) {
            run->edits[i].drive = run->drives[i]->drive;
            run->edits[i].complete = clear_edited;
            run->edits[i].owner = run;
            run->pending++;
            metadata_edit_run(&run->edits[i]);
        }
    }
    clear_part_done(run, clear_forget);
}

static void clear_commit(struct clear_run *run)
{
    struct ctl *ctl = run->ctl;

    ctl_record_edit(ctl);
    ctl->record->intent = run->restores ? CONTROLLER_INTENT_CLEAR_UNDO : CONTROLLER_INTENT_CLEAR;
    ctl->record->intent_group = run->guid;
    for (uint32_t i = 0; i < run->drive_count; i++) {
        record_drive_add(ctl->record, run->drives[i]->identity.key, true);
    }
    ctl_record_save(ctl, clear_committed, run);
}

/* Clear: what is there */

static void clear_saved(struct undo_save *save, const struct reason *reason)
{
    struct clear_run *run = save->owner;

    if (reason->code != REASON_OK) {
        clear_refuse(run, reason);
        return;
    }
    run->number = run->ctl->undo->last;
    clear_commit(run);
}

static void clear_save(struct clear_run *run)
{
    struct undo_record *record =
        undo_record_new(run->drive_count, run->drive_count * UNDO_SECTORS_PER_DRIVE);

    record->kind = UNDO_KIND_FOREIGN_SET;
    record->group = run->guid;
    record->drive_count = run->drive_count;
    memcpy(record->name, run->name, sizeof(record->name));
    for (uint32_t i = 0; i < run->drive_count; i++) {
        undo_drive_fill(&record->drives[i], run->drives[i]);
        run->save.drives[i] = run->drives[i];
        for (uint32_t k = 0; k < run->scans[i].count; k++) {
            struct undo_sector *sector = &record->sectors[record->sector_count++];

            *sector = run->scans[i].found[k];
            sector->drive = i;
        }
    }
    run->save.ctl = run->ctl;
    run->save.record = record;
    run->save.done = clear_saved;
    run->save.owner = run;
    undo_save_run(&run->save);
}

/* (3) */
static bool says_the_same(const struct clear_run *run, uint32_t index)
{
    const struct metadata_scan *scan = &run->scans[index];
    const struct ctl_drive *cd = run->drives[index];

    if (run->makes_good || run->outdated[index]) { /* the latter says the same by its label */
        return scan->count > 0;
    }
    if (is_md(run)) {
        const struct md_super_job *job = &run->supers[index];

        return scan->count > 0 && job->found && cd->found != NULL &&
               cd->found->kind == FOREIGN_MD && md_super_is_same(&job->super, &cd->found->md);
    }
    if (run->set.format == FOREIGN_FORMAT_ARRAYWRIGHT || cd->found == NULL) {
        return scan->labeled && cd->foreign_label != NULL &&
               guid_equal(&cd->foreign_label->group, &run->guid);
    }
    for (uint32_t i = 1; i < scan->count; i++) {
        if (cd->found != NULL && cd->found->kind == FOREIGN_DDF &&
            memcmp(scan->found[i].content, cd->found->ddf->header.bytes, UNDO_SECTOR_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

static void clear_judge(struct clear_run *run)
{
    for (uint32_t i = 0; i < run->drive_count && run->failure.code == REASON_OK; i++) {
        if (!says_the_same(run, i)) { /* of a single drive nobody has seen a preview */
            fail_drive(run, run->makes_good ? REASON_DRIVE_CHANGED : REASON_FOREIGN_CHANGED,
                       run->drives[i]);
        }
    }
    if (run->failure.code != REASON_OK) {
        clear_refuse(run, &run->failure);
        return;
    }
    clear_save(run);
}

static void clear_scanned(struct metadata_scan *scan, int error)
{
    struct clear_run *run = scan->owner;

    if (error != 0) {
        fail_drive(run, REASON_LABEL_UNREADABLE, run->drives[scan - run->scans]);
    }
    clear_part_done(run, clear_judge);
}

/* One of ours must never be taken off with a foreign set's, … */
static bool label_is_foreign(const struct clear_run *run, const struct drive_label *label)
{
    return !uuid_equal(&label->controller, &run->ctl->record->controller) ||
           label->role != LABEL_ROLE_MEMBER || group_by_guid(run->ctl, &label->group) == NULL;
}

/* … unless another drive has the place of which it speaks, or the group works without it. */
static bool label_is_outdated(const struct clear_run *run, const struct ctl_drive *cd,
                              const struct drive_label *label)
{
    const struct ctl_group *cg = group_by_guid(run->ctl, &label->group);
    bool works =
        cg != NULL && cg->phase == CTL_GROUP_RUNNING && cg_state(cg) != VIRTUAL_DRIVE_STATE_OFFLINE;
    const struct ctl_drive *member = NULL;

    if (cg == NULL || cd->group != NULL ||
        !(run->makes_good || guid_equal(&label->group, &run->guid))) {
        return false;
    }
    if (label->member < cg_config(cg)->member_count) {
        member = cg->members[label->member];
    }
    return works || (member != NULL && member != cd);
}

static void fail_needed(struct clear_run *run, const struct ctl_drive *cd,
                        const struct drive_label *label)
{
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    group_path(group_by_guid(run->ctl, &label->group), group, sizeof(group));
    reason_set(&run->failure, REASON_DRIVE_NEEDED, "drive", path, "group", group, NULL);
}

static void clear_super_read(struct md_super_job *job, int error)
{
    struct clear_run *run = job->owner;

    (void)error; /* nothing was found then */
    metadata_scan_run(&run->scans[job - run->supers]);
}

static void clear_label_read(struct label_read *read, int error)
{
    struct clear_run *run = read->owner;
    uint32_t index = (uint32_t)(read - run->reads);
    struct metadata_scan *scan = &run->scans[index];

    *scan = (struct metadata_scan){.drive = run->drives[index]->drive,
                                   .md = is_md(run),
                                   .labeled = read->label != NULL || run->makes_good,
                                   .compact = read->label != NULL && read->label->compact,
                                   .complete = clear_scanned,
                                   .owner = run};
    if (error != 0 && error != -ENOENT && !(run->makes_good && error == -EBADMSG)) {
        fail_drive(run, REASON_LABEL_UNREADABLE, run->drives[index]);
    } else if ((!run->makes_good || run->unread) && read->label != NULL &&
               !label_is_foreign(run, read->label)) {
        run->outdated[index] = label_is_outdated(run, run->drives[index], read->label);
        if (!run->outdated[index]) {
            fail_needed(run, run->drives[index], read->label);
        }
    }
    free(read->label);
    read->label = NULL;
    if (is_md(run)) {
        run->supers[index] =
            (struct md_super_job){.drive = scan->drive, .complete = clear_super_read, .owner = run};
        md_super_job_run(&run->supers[index]);
        return;
    }
    metadata_scan_run(scan);
}

/* Restore: is it as it was left? */

static void restore_judge(struct clear_run *run)
{
    struct reason reason;

    if (run->failure.code != REASON_OK) {
        clear_refuse(run, &run->failure);
    } else if (!undo_is_possible(run->ctl, undo_find(run->ctl, run->number), &reason)) {
        clear_refuse(run, &reason);
    } else {
        clear_commit(run);
    }
}

/* It is listed with that from now on. */
static void restore_found(struct clear_run *run, uint32_t index, enum reason_code found)
{
    undo_found_note(run->ctl, run->number, index, found);
    fail_drive(run, found, run->drives[index]);
}

static void restore_printed(struct drive_print *print, int error)
{
    struct clear_run *run = print->owner;
    uint32_t index = (uint32_t)(print - run->prints);
    const struct undo_record *record = undo_find(run->ctl, run->number);

    if (error != 0) {
        restore_found(run, index, REASON_LABEL_UNREADABLE);
    } else if (memcmp(print->sum, record->drives[index].print, sizeof(print->sum)) != 0) {
        restore_found(run, index, REASON_UNDO_DRIVE_WRITTEN);
    }
    clear_part_done(run, restore_judge);
}

static void restore_checked(struct metadata_edit *edit, int error)
{
    struct clear_run *run = edit->owner;
    uint32_t index = (uint32_t)(edit - run->edits);

    if (error != 0) {
        restore_found(run, index,
                      error == -ESTALE ? REASON_UNDO_DRIVE_WRITTEN : REASON_LABEL_UNREADABLE);
        clear_part_done(run, restore_judge);
        return;
    }
    run->prints[index] = (struct drive_print){
        .drive = run->drives[index]->drive, .complete = restore_printed, .owner = run};
    drive_print_take(&run->prints[index]);
}

static void restore_check(struct clear_run *run, uint32_t index)
{
    struct metadata_edit *edit = &run->edits[index];

    if (!undo_record_edit(undo_find(run->ctl, run->number), run->drives[index]->identity.key, false,
                          edit)) {
        return;
    }
    edit->check = true;
    edit->drive = run->drives[index]->drive;
    edit->complete = restore_checked;
    edit->owner = run;
    run->pending++;
    metadata_edit_run(edit);
}

/* Both */

static void clear_claimed(struct ctl_claims *claims, bool ok)
{
    struct clear_run *run = claims->owner;

    if (!ok) {
        clear_refuse(run, &claims->reason);
        return;
    }
    run->pending = 1;
    for (uint32_t i = 0; i < run->drive_count; i++) {
        if (run->restores) {
            restore_check(run, i);
            continue;
        }
        run->pending++;
        run->reads[i] = (struct label_read){
            .drive = run->drives[i]->drive, .complete = clear_label_read, .owner = run};
        group_store_label_read(run->ctl->group_store, &run->reads[i]);
    }
    clear_part_done(run, run->restores ? restore_judge : clear_judge);
}

static struct clear_run *clear_new(struct ctl *ctl, struct ctl_command *command)
{
    struct clear_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL);
    run->ctl = ctl;
    run->command = command;
    run->claims = (struct ctl_claims){
        .ctl = ctl, .force = true, .overwrites = true, .done = clear_claimed, .owner = run};
    return run;
}

static void drive_take(struct clear_run *run, struct ctl_drive *cd)
{
    run->drives[run->drive_count++] = cd;
    ctl_claims_add(&run->claims, cd);
}

void command_clear_undo(struct ctl *ctl, struct ctl_command *command,
                        const struct undo_record *record)
{
    struct clear_run *run = clear_new(ctl, command);

    ASSERT(record->kind == UNDO_KIND_FOREIGN_SET);
    run->restores = true;
    run->number = record->number;
    run->guid = record->group;
    memcpy(run->name, record->name, sizeof(run->name));
    for (uint32_t i = 0; i < record->drive_count; i++) {
        drive_take(run, drive_by_key(ctl, record->drives[i].key)); /* all are there */
    }
    ctl_claims_run(&run->claims);
}

void command_clear_drive(struct ctl *ctl, struct ctl_command *command, struct ctl_drive *cd)
{
    struct clear_run *run = clear_new(ctl, command);

    ASSERT((cd->foreign && cd->drive != NULL) || cd->found != NULL);
    run->makes_good = true;
    run->unread = !cd->foreign;
    run->set.format =
        run->unread && cd->found->kind == FOREIGN_MD ? FOREIGN_FORMAT_MD : FOREIGN_FORMAT_DDF;
    for (size_t i = 0; i < sizeof(run->guid.bytes); i += sizeof(uint64_t)) {
        put_le64(run->guid.bytes + i, rng_u64(&ctl->rng)); /* of this clearing alone */
    }
    (void)snprintf(run->name, sizeof(run->name), "%.*s", (int)UNDO_NAME_MAX, cd->identity.serial);
    drive_take(run, cd);
    ctl_claims_run(&run->claims);
}

static bool clear_is_allowed(const struct clear_run *run, struct reason *ret_reason)
{
    const struct ctl_command *command = run->command;
    const char *digest = command->args.foreign.digest;

    if (digest[0] != '\0' && strcmp(digest, run->set.digest) != 0) {
        reason_set(ret_reason, REASON_FOREIGN_CHANGED, NULL);
        return false;
    }
    if (!rule_confirmed(command->confirm, run->set.name, ret_reason)) {
        return false;
    }
    for (uint32_t i = 0; i < run->set.drive_count; i++) {
        if (!rule_drive_import(run->set.drives[i], ret_reason) ||
            !rule_not_needed_elsewhere(run->set.drives[i], ret_reason) ||
            !rule_not_needed_here(run->set.drives[i], ret_reason)) {
            return false;
        }
    }
    return true;
}

static bool set_find(struct clear_run *run, const char *id, struct reason *ret_reason)
{
    if (foreign_set_find(run->ctl, id, &run->set)) {
        return true;
    }
    if (!foreign_md_find(run->ctl, id, &run->md)) {
        foreign_refuse_unknown(id, ret_reason);
        return false;
    }
    if (!foreign_md_common(run->ctl, &run->md, &run->set)) {
        foreign_reason(FOREIGN_STATE_UNSUPPORTED, "It has more drives than one copy can hold.",
                       ret_reason);
        return false;
    }
    return true;
}

void command_foreign_clear(struct ctl *ctl, struct ctl_command *command)
{
    struct clear_run *run = clear_new(ctl, command);
    struct reason reason;

    if (!set_find(run, command->args.foreign.set, &reason)) {
        clear_end(run, &reason);
        return;
    }
    if (!clear_is_allowed(run, &reason)) {
        clear_end(run, &reason);
        return;
    }
    run->guid = run->set.guid;
    (void)snprintf(run->name, sizeof(run->name), "%s", run->set.name); /* fits */
    for (uint32_t i = 0; i < run->set.drive_count && i < UNDO_DRIVES_MAX; i++) {
        drive_take(run, run->set.drives[i]);
    }
    ctl_claims_run(&run->claims);
}
