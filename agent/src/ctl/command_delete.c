/*
 * vd_delete: with unless_content its beginning and end are looked at first. The export closes, the
 * tasks end, a copy of the configuration is saved (ctl_undo.h), then
 *
 *   not the last one of its group: one saved edit of the group; of a group that waits for its
 *     drives, of the record in the store alone (2)
 *   the last one: the list of groups in the store without the group, and an intent (the commit)
 *     -> the group stops -> labels are wiped, a mark of the group stays -> the intent is taken back
 *
 * (1) Before the commit a failure opens the export again and nothing has changed; after it the
 *     group is gone, and what a crash leaves of its labels is wiped at the next start.
 *
 * (2) The sequence number stays: what drives say that come back with a newer record counts, and
 *     with it the virtual drive is there again. Nothing on them is ever read by an older record.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_journal.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_retry.h"
#include "ctl/ctl_settle.h"
#include "ctl/ctl_stripe.h"
#include "ctl/ctl_undo.h"
#include "ctl/vd_content.h"

struct delete_run {
    struct ctl *ctl;
    struct ctl_command *command;
    struct ctl_group *cg;
    struct ctl_vd *cv;
    struct vd *vd;                 /* while it is being removed */
    char title[PATH_TEXT_BYTES];
    object_key_t vd_key;
    char vd_name[VD_NAME_MAX + 1];
    struct guid guid;              /* of the group */
    struct guid vd_guid;
    bool last;
    bool saved;                    /* the copy is durable */
    struct undo_save save;
    bool draining;
    struct ctl_retry retry;
    struct vd_content content;
    struct label_write *writes;
    struct ctl_drive **wiped;
    uint32_t write_count;
    uint32_t pending;
    struct store_request put;      /* of the group's record: removed, or edited (2) */
    struct group_config *config;   /* (2) */
    uint8_t *record;               /* (2) */
};

static void delete_end(struct delete_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    free(run->config);
    free(run->record);
    free(run->writes);
    free(run->wiped);
    free(run);
    command_finish(ctl, &copy);
}

static void delete_ok(struct delete_run *run)
{
    struct reason reason;

    reason_set(&reason, REASON_OK, NULL);
    delete_end(run, &reason);
}

/* (1) */
static void delete_give_up(struct delete_run *run, const struct reason *reason)
{
    run->cg->quiescing = false;
    if (run->cv->vd != NULL) {
        ctl_vd_export(run->cv);
    }
    delete_end(run, reason);
}

static void delete_failed(struct delete_run *run, int error)
{
    struct reason reason;

    if (error == -EBUSY) {
        reason_set(&reason, REASON_BUSY, "key", run->title, "operation", "background work", NULL);
    } else {
        reason_from_store(&reason, error);
    }
    delete_give_up(run, &reason);
}

static void event_deleted(struct delete_run *run)
{
    ctl_cache_forget(run->ctl, &run->vd_guid);
    host_export_ended(run->ctl, run->vd_name);
    ctl_event(run->ctl, EVENT_VIRTUAL_DRIVE_DELETED, run->vd_key, "virtual_drive", run->title,
              NULL);
}

/* One of several */

static void delete_removed(void *context, int error)
{
    struct delete_run *run = context;

    run->cv->removing = error == 0;
    run->cv->vd = error == 0 ? NULL : run->vd;
    if (ctl_retry_begin(run->ctl, &run->retry, error)) {
        run->draining = true;
        return;
    }
    if (error != 0) {
        delete_failed(run, error);
        return;
    }
    run->cg->quiescing = false;
    ctl_vd_remove(run->cv);
    event_deleted(run);
    delete_ok(run);
}

/* One of several whose group waits (2) */

static void vd_config_remove(struct group_config *config, const struct guid *guid)
{
    uint32_t at = 0;

    while (at < config->vd_count && !guid_equal(&config->vds[at].guid, guid)) {
        at++;
    }
    ASSERT(at < config->vd_count && config->vd_count > 1);
    config->vd_count--;
    memmove(&config->vds[at], &config->vds[at + 1],
            (config->vd_count - at) * sizeof(config->vds[0]));
    memset(&config->vds[config->vd_count], 0, sizeof(config->vds[0]));
}

static void delete_record_edited(struct store_request *request, int error)
{
    struct delete_run *run = request->owner;

    if (error == 0 && (run->cg->phase != CTL_GROUP_WAITING ||
                       run->cg->config->sequence != run->config->sequence)) {
        error = -EBUSY; /* a drive has come meanwhile, with a newer record */
    }
    if (error != 0) {
        delete_failed(run, error);
        return;
    }
    run->command->changed_something = true;
    *run->cg->config = *run->config;
    run->cg->quiescing = false;
    ctl_vd_remove(run->cv);
    event_deleted(run);
    delete_ok(run);
}

static void delete_from_record(struct delete_run *run)
{
    struct store_port *store = run->ctl->ports.store;
    size_t bytes = 0;
    int error = 0;

    ASSERT(run->cg->phase == CTL_GROUP_WAITING && run->cg->config != NULL);
    run->config = malloc(sizeof(*run->config));
    run->record = malloc(GROUP_RECORD_MAX_BYTES);
    if (run->config == NULL || run->record == NULL) {
        delete_failed(run, -ENOMEM);
        return;
    }
    *run->config = *run->cg->config;
    vd_config_remove(run->config, &run->vd_guid);
    error = group_record_encode(run->config, run->record, GROUP_RECORD_MAX_BYTES, &bytes);
    ASSERT(error == 0); /* it has less than before */
    run->put = (struct store_request){
        .value = run->record, .value_bytes = bytes, .complete = delete_record_edited, .owner = run};
    group_record_name(&run->guid, run->put.name);
    list_init(&run->put.port_link);
    store->ops->put(store, &run->put);
}

/* The last one */

static void delete_forgotten(struct ctl *ctl, int error, void *context)
{
    struct delete_run *run = context;

    (void)error; /* an intent left behind is carried out once more at the next start */
    for (uint32_t i = 0; i < run->write_count; i++) {
        struct ctl_drive *cd = run->wiped[i];

        if (cd != NULL && cd->label_status == LABEL_STATUS_NONE) {
            cd_close(cd);
        }
    }
    ASSERT(ctl == run->ctl);
    delete_ok(run);
}

static void delete_forget(struct delete_run *run)
{
    ctl_record_edit(run->ctl);
    record_intent_forget(run->ctl->record);
    ctl_record_save(run->ctl, delete_forgotten, run);
}

static void delete_part_done(struct delete_run *run)
{
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        delete_forget(run);
    }
}

static void delete_wiped(struct label_write *write, int error)
{
    struct delete_run *run = write->owner;
    struct ctl_drive *cd = run->wiped[write - run->writes];

    if (error == 0 && cd->present) {
        cd_make_blank(cd);
    } else if (cd->present) {
        cd_look_again(cd); /* it may have kept the label of a group that is no more */
    }
    delete_part_done(run);
}

static void delete_record_removed(struct store_request *request, int error)
{
    (void)error; /* a record that no list names is ignored */
    delete_part_done(request->owner);
}

static void delete_wipe(struct delete_run *run, struct ctl_drive *cd, const struct guid *leaves)
{
    uint32_t slot = run->write_count++;

    cd->spare = false;
    cd->bad = false;
    cd->has_state_reason = false;
    run->wiped[slot] = cd;
    run->writes[slot] = (struct label_write){
        .drive = cd->drive, .leaves = leaves, .complete = delete_wiped, .owner = run};
    run->pending++;
    group_store_label_write(run->ctl->group_store, &run->writes[slot]);
}

/* Drops the group from a spare's list; true if it was the only one. */
static bool spare_serves_only(struct ctl_drive *cd, const struct guid *guid)
{
    if (!cd->spare || cd->spare_group_count == 0) {
        return false;
    }
    for (uint32_t i = 0; i < cd->spare_group_count; i++) {
        if (guid_equal(&cd->spare_groups[i], guid)) {
            cd->spare_groups[i] = cd->spare_groups[--cd->spare_group_count];
            /* Its label still names the group; an unknown one is ignored when it is read. */
            return cd->spare_group_count == 0;
        }
    }
    return false;
}

static void delete_group_stopped(struct ctl_group *cg, int error, void *context)
{
    struct delete_run *run = context;
    struct ctl *ctl = run->ctl;
    struct store_port *store = ctl->ports.store;
    struct ctl_drive *members[GROUP_MEMBERS_MAX];

    (void)error; /* nothing of it is wanted any more */
    memcpy(members, cg->members, sizeof(members));
    ctl_group_free(cg);
    ctl_intents_forget(ctl, &run->guid);
    ctl_journal_forget(ctl, &run->guid);
    run->cg = NULL;
    event_deleted(run);
    run->writes = calloc(CONTROLLER_DRIVES_MAX, sizeof(*run->writes));
    run->wiped = calloc(CONTROLLER_DRIVES_MAX, sizeof(struct ctl_drive *));
    ASSERT(run->writes != NULL && run->wiped != NULL);
    run->pending = 1;
    for (uint32_t i = 0; i < GROUP_MEMBERS_MAX; i++) {
        if (members[i] != NULL && members[i]->present && members[i]->drive != NULL) {
            delete_wipe(run, members[i], &run->guid);
        }
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (run->write_count < CONTROLLER_DRIVES_MAX && cd->present &&
            spare_serves_only(cd, &run->guid)) {
            delete_wipe(run, cd, NULL);
        }
    }
    run->put = (struct store_request){.complete = delete_record_removed, .owner = run};
    group_record_name(&run->guid, run->put.name);
    list_init(&run->put.port_link);
    store->ops->put(store, &run->put);
}

static void delete_committed(struct ctl *ctl, int error, void *context)
{
    struct delete_run *run = context;

    ASSERT(ctl == run->ctl);
    if (error != 0) {
        delete_failed(run, error);
        return;
    }
    run->command->changed_something = true;
    if (run->cg->phase == CTL_GROUP_RUNNING) {
        ctl_group_stop(run->cg, delete_group_stopped, run);
    } else {
        delete_group_stopped(run->cg, 0, run);
    }
}

static void delete_commit(struct delete_run *run)
{
    struct ctl *ctl = run->ctl;

    ctl_record_edit(ctl);
    record_group_remove(ctl->record, &run->guid);
    ctl->record->intent = CONTROLLER_INTENT_DELETE;
    ctl->record->intent_group = run->guid;
    for (uint32_t i = 0; i < GROUP_MEMBERS_MAX; i++) {
        if (run->cg->members[i] != NULL) {
            record_drive_add(ctl->record, run->cg->members[i]->identity.key, true);
        }
    }
    ctl_record_save(ctl, delete_committed, run);
}

static void delete_carry_out(struct delete_run *run)
{
    if (run->last) {
        delete_commit(run);
        return;
    }
    if (run->cg->phase != CTL_GROUP_RUNNING) {
        delete_from_record(run);
        return;
    }
    run->vd = run->cv->vd;
    run->cv->shadow = *cv_config(run->cv);
    run->cv->removing = true;
    run->cv->vd = NULL;
    group_vd_remove(run->cg->group, run->vd, delete_removed, run);
}

static void delete_saved(struct undo_save *save, const struct reason *reason)
{
    struct delete_run *run = save->owner;

    if (reason->code != REASON_OK) {
        delete_give_up(run, reason);
        return;
    }
    run->saved = true;
    delete_carry_out(run);
}

/* Nobody writes any more: what is on the drives now is what will be found there. */
static void delete_save(struct delete_run *run)
{
    struct undo_save *save = &run->save;

    save->ctl = run->ctl;
    save->done = delete_saved;
    save->owner = run;
    save->record = undo_record_of_vd(run->cv, save->drives);
    undo_save_run(save);
}

/* Until the export is closed and the tasks have ended; called from the work loop. */
void command_vd_delete_work(struct ctl *ctl)
{
    struct delete_run *run = NULL;
    bool ready = false;

    if (ctl->command->op != CTL_OP_VD_DELETE || ctl->command->ctl_private == NULL) {
        return;
    }
    run = ctl->command->ctl_private;
    if (!run->draining || ctl_retry_waits(ctl, &run->retry)) {
        return;
    }
    ready = !ctl_vd_unexport(run->cv);
    ready = operations_stopped(run->cg, run->last ? NULL : run->cv, REASON_SHUTTING_DOWN) && ready;
    if (!ready) {
        return;
    }
    run->draining = false;
    if (run->saved) {
        delete_carry_out(run);
    } else {
        delete_save(run);
    }
}

static bool delete_is_allowed(const struct ctl *ctl, const struct ctl_command *command,
                              const struct ctl_vd *cv, struct reason *ret_reason)
{
    if (!rule_stripe_delete_vd(cv, ret_reason) ||
        !rule_confirmed(command->confirm, cv_config(cv)->name, ret_reason)) {
        return false;
    }
    if (cv->target != NULL && !command->args.vd_delete.force &&
        !rule_unused(ctl, cv->object.key, cv_config(cv)->name, REASON_VIRTUAL_DRIVE_IN_USE,
                     ret_reason)) {
        return false;
    }
    if (cv->cg->phase == CTL_GROUP_WAITING && cv->cg->elsewhere_problem == NULL) {
        return true; /* (2) */
    }
    if (cv->cg->phase != CTL_GROUP_RUNNING && cg_config(cv->cg)->vd_count > 1) {
        return rule_group_running(cv->cg, CTL_OP_VD_DELETE, ret_reason);
    }
    return true;
}

static void delete_begin(struct delete_run *run)
{
    run->draining = true;
    run->cg->quiescing = true;
    run->command->ctl_private = run;
    ctl_kick(run->ctl);
}

static void delete_looked(struct vd_content *content, bool readable, const char *name)
{
    struct delete_run *run = content->owner;
    struct reason reason;

    if (readable && name == NULL) {
        delete_begin(run);
        return;
    }
    reason_set(&reason,
               readable ? REASON_VIRTUAL_DRIVE_HAS_CONTENT : REASON_VIRTUAL_DRIVE_CONTENT_UNKNOWN,
               "name", run->vd_name, "content", readable ? name : "", NULL);
    delete_end(run, &reason);
}

void command_vd_delete(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_vd *cv = vd_by_key(ctl, command->args.vd_delete.vd);
    struct delete_run *run = NULL;
    struct reason reason;

    if (cv == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key",
                   command->args.vd_delete.vd, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!delete_is_allowed(ctl, command, cv, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    run->ctl = ctl;
    run->command = command;
    run->cg = cv->cg;
    run->cv = cv;
    run->guid = cg_config(cv->cg)->guid;
    run->vd_guid = cv->guid;
    run->last = cg_config(cv->cg)->vd_count == 1;
    vd_title(cv, run->title, sizeof(run->title));
    memcpy(run->vd_key, cv->object.key, sizeof(run->vd_key));
    memcpy(run->vd_name, cv_config(cv)->name, sizeof(run->vd_name));
    run->content = (struct vd_content){.done = delete_looked, .owner = run};
    if (!command->args.vd_delete.unless_content) {
        delete_begin(run);
    } else if (vd_content_can_be_read(cv)) {
        vd_content_look(&run->content, cv);
    } else {
        delete_looked(&run->content, false, NULL);
    }
}
