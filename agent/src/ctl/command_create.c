/*
 * vd_create, all or nothing.
 *
 *   plan -> claim what is only offered -> plan again -> in a new group:
 *     intent in the store -> former owners' marks off used drives -> labels of spares
 *     -> labels and record of the group
 *     -> the list of groups in the store (the commit) -> run
 *   in an existing group: one saved edit of that group.
 *
 * (1) The commit is one store put. Before it, a crash leaves an intent by which the next start
 *     wipes every label written; after it, the group exists.
 * (2) Any failure before the commit wipes the labels again, takes back the intent and gives
 *     back the drives that were claimed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "ctl/vd_policies.h"

struct create_run {
    struct ctl *ctl;
    struct ctl_command *command;
    const struct command_vd_create *args;
    struct creation creation;
    struct ctl_preview preview;
    char digest[65];
    struct ctl_claims claims;
    struct ctl_former former;
    struct group_config *config;
    struct group_save save;
    struct drive *drives[GROUP_MEMBERS_MAX];
    struct drive_label spare_label;
    struct label_write writes[GROUP_MEMBERS_MAX + COMMAND_SPARES_MAX];
    uint32_t pending;
    struct store_request remove;
    struct reason failure;
    struct vd_config vd;
};

static void create_end(struct create_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    free(run->config);
    free(run);
    command_finish(ctl, &copy);
}

static void create_refuse(struct create_run *run, const struct reason *reason)
{
    ASSERT(reason->code != REASON_OK);
    ctl_claims_undo(&run->claims);
    create_end(run, reason);
}

static void event_created(const struct create_run *run, struct ctl_vd *cv)
{
    const struct vd_config *config = cv_config(cv);
    char title[PATH_TEXT_BYTES];
    char size[24];

    vd_title(cv, title, sizeof(title));
    (void)snprintf(size, sizeof(size), "%llu", (unsigned long long)config->size_bytes);
    ctl_event(cv->cg->ctl, EVENT_VIRTUAL_DRIVE_CREATED, cv->object.key, "virtual_drive", title,
              "level", raid_level_info(config->geometry.level)->name, "size_bytes", size, NULL);
    if (run->args->preset[0] != '\0') {
        event_preset(cv, NULL, run->args->preset);
    }
}

static struct guid guid_make(struct ctl *ctl)
{
    struct guid guid;

    rng_fill(&ctl->rng, guid.bytes, sizeof(guid.bytes));
    /* DDF: the vendor, a type of controller, the time, a random number. */
    memcpy(guid.bytes, "ARRAYWRT", 8);
    put_be32(guid.bytes + 16, ddf_time(clock_wall_us(ctl->ports.clock)));
    return guid;
}

static void vd_config_make(struct create_run *run)
{
    run->vd = run->creation.vd;
    run->vd.guid = guid_make(run->ctl);
    run->vd.created_us = clock_wall_us(run->ctl->ports.clock);
}

/* In an existing group */

static void added_to_group(void *context, int error, struct vd *vd)
{
    struct create_run *run = context;
    struct ctl_group *cg = run->creation.group;
    struct reason reason;

    if (error == 0) {
        struct ctl_vd *cv = ctl_vd_add(cg, vd_config(vd));

        ctl_vd_online(cv, vd);
        command_object_add(run->command, &cv->object);
        cv->policy_asked = true;
        event_created(run, cv);
        reason_set(&reason, REASON_OK, NULL);
    } else {
        reason_from_store(&reason, error);
    }
    create_end(run, &reason);
}

static void create_in_group(struct create_run *run)
{
    vd_config_make(run);
    group_vd_add(run->creation.group->group, &run->vd, added_to_group, run);
}

/* A new group: rolling back */

static void rollback_done(struct ctl *ctl, int error, void *context)
{
    struct create_run *run = context;

    (void)error; /* an intent left behind is carried out at the next start */
    ASSERT(ctl == run->ctl);
    create_refuse(run, &run->failure);
}

static void rollback_record(struct create_run *run)
{
    ctl_record_edit(run->ctl);
    record_intent_forget(run->ctl->record);
    ctl_record_save(run->ctl, rollback_done, run);
}

static void rollback_part_done(struct create_run *run)
{
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        rollback_record(run);
    }
}

static void rollback_wiped(struct label_write *write, int error)
{
    (void)error; /* the intent stays in the store if the drive is gone; then it is foreign */
    rollback_part_done(write->owner);
}

static void rollback_removed(struct store_request *request, int error)
{
    (void)error; /* a record that no list names is ignored */
    rollback_part_done(request->owner);
}

static void rollback_wipe(struct create_run *run, uint32_t slot, struct ctl_drive *cd)
{
    cd->uuid = (struct uuid){0};
    run->writes[slot] =
        (struct label_write){.drive = cd->drive, .complete = rollback_wiped, .owner = run};
    run->pending++;
    group_store_label_write(run->ctl->group_store, &run->writes[slot]);
}

static void create_rollback(struct create_run *run)
{
    struct store_port *store = run->ctl->ports.store;
    uint32_t slot = 0;

    run->pending = 1;
    for (uint32_t i = 0; i < run->creation.drive_count; i++) {
        rollback_wipe(run, slot++, run->creation.drives[i]);
    }
    for (uint32_t i = 0; i < run->creation.spare_count; i++) {
        rollback_wipe(run, slot++, run->creation.spares[i]);
    }
    run->remove = (struct store_request){.complete = rollback_removed, .owner = run};
    group_record_name(&run->config->guid, run->remove.name);
    list_init(&run->remove.port_link);
    store->ops->put(store, &run->remove);
}

static void create_fail_label(struct create_run *run, const struct ctl_drive *cd)
{
    if (run->failure.code == REASON_OK) {
        cd_label_failed(cd, &run->failure);
    }
}

/* A new group: going forward, last step first */

static void create_ran(struct ctl_group *cg, int error, void *context)
{
    struct create_run *run = context;
    struct reason reason;

    (void)error; /* the virtual drive exists; its state tells how it is */
    LIST_FOR_EACH (node, &cg->vds) {
        struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

        cv->policy_asked = true;
        event_created(run, cv);
        command_object_add(run->command, &cv->object);
    }
    command_object_add(run->command, &cg->object);
    reason_set(&reason, REASON_OK, NULL);
    create_end(run, &reason);
}

static void create_spares_note(struct create_run *run, const struct ctl_group *cg)
{
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    group_path(cg, group, sizeof(group));
    for (uint32_t i = 0; i < run->creation.spare_count; i++) {
        struct ctl_drive *cd = run->creation.spares[i];

        cd->spare = true;
        cd->spare_affinity = false;
        cd->spare_committable = false;
        cd->spare_group_count = 1;
        cd->spare_groups[0] = cg_config(cg)->guid;
        cd->label_status = LABEL_STATUS_VALID;
        cd_state_update(cd);
        drive_path(cd, path, sizeof(path));
        ctl_event(run->ctl, EVENT_SPARE_DEDICATED_MADE, cd->identity.key, "drive", path, "group",
                  group, NULL);
    }
}

static void create_committed(struct ctl *ctl, int error, void *context)
{
    struct create_run *run = context;
    struct ctl_group *cg = NULL;
    struct reason reason;

    if (error != 0) {
        reason_from_store(&run->failure, error);
        create_rollback(run);
        return;
    }
    cg = ctl_group_new(ctl, run->config);
    run->config = NULL;
    for (uint32_t i = 0; i < run->creation.drive_count; i++) {
        struct ctl_drive *cd = run->creation.drives[i];

        cd->label_status = LABEL_STATUS_VALID;
        cd_place_set(cd, cg, i);
        cd_state_update(cd);
    }
    create_spares_note(run, cg);
    if (ctl_group_run(cg, create_ran, run) != 0) {
        /* No memory for it now: it exists, waits, and is tried again by the work loop. */
        run->command->changed_something = true;
        reason_set(&reason, REASON_OK, NULL);
        create_end(run, &reason);
    }
}

static void create_commit(struct create_run *run)
{
    struct ctl *ctl = run->ctl;

    ctl_record_edit(ctl);
    record_group_add(ctl->record, &run->config->guid);
    record_intent_clear(ctl->record);
    ctl_record_save(ctl, create_committed, run);
}

static void create_member_failed(struct group_save *save, uint32_t member, enum io_status status)
{
    struct create_run *run = save->owner;

    (void)status; /* the drive's own event tells */
    create_fail_label(run, run->creation.drives[member]);
}

static void create_saved(struct group_save *save, int error)
{
    struct create_run *run = save->owner;

    if (error != 0 && run->failure.code == REASON_OK) {
        reason_from_store(&run->failure, error);
    }
    if (run->failure.code != REASON_OK) {
        create_rollback(run);
        return;
    }
    create_commit(run);
}

static void create_save(struct create_run *run)
{
    if (run->failure.code != REASON_OK) {
        create_rollback(run);
        return;
    }
    run->save = (struct group_save){
        .config = run->config,
        .drives = run->drives,
        .controller = &run->ctl->record->controller,
        .member_failed = create_member_failed,
        .complete = create_saved,
        .owner = run,
    };
    group_store_save(run->ctl->group_store, &run->save);
}

static void create_spare_labelled(struct label_write *write, int error)
{
    struct create_run *run = write->owner;

    if (error != 0) {
        create_fail_label(run, run->creation.spares[write - run->writes]);
    }
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        create_save(run);
    }
}

static void create_spares_label(struct create_run *run)
{
    run->pending = 1;
    for (uint32_t i = 0; i < run->creation.spare_count; i++) {
        struct ctl_drive *cd = run->creation.spares[i];

        cd->uuid = uuid_make(&run->ctl->rng);
        run->spare_label = (struct drive_label){.drive = cd->uuid,
                                                .controller = run->ctl->record->controller,
                                                .role = LABEL_ROLE_SPARE,
                                                .spare_group_count = 1};
        run->spare_label.spare_groups[0] = run->config->guid;
        run->writes[i] = (struct label_write){.drive = cd->drive,
                                              .label = &run->spare_label,
                                              .complete = create_spare_labelled,
                                              .owner = run};
        run->pending++;
        group_store_label_write(run->ctl->group_store, &run->writes[i]);
    }
    run->pending--;
    if (run->pending == 0) {
        create_save(run);
    }
}

static void create_former_gone(struct ctl_former *former, const struct ctl_drive *failed)
{
    struct create_run *run = former->owner;

    if (failed != NULL) {
        create_fail_label(run, failed);
        create_rollback(run);
        return;
    }
    create_spares_label(run);
}

static void create_former_wipe(struct create_run *run)
{
    run->former.done = create_former_gone;
    run->former.owner = run;
    for (uint32_t i = 0; i < run->creation.drive_count; i++) {
        ctl_former_add(&run->former, run->creation.drives[i]);
    }
    for (uint32_t i = 0; i < run->creation.spare_count; i++) {
        ctl_former_add(&run->former, run->creation.spares[i]);
    }
    ctl_former_run(&run->former);
}

static void create_intent_saved(struct ctl *ctl, int error, void *context)
{
    struct create_run *run = context;
    struct reason reason;

    ASSERT(ctl == run->ctl);
    if (error != 0) {
        reason_from_store(&reason, error);
        create_refuse(run, &reason);
        return;
    }
    create_former_wipe(run);
}

static void create_config(struct create_run *run)
{
    struct group_config *config = calloc(1, sizeof(*config));
    const struct creation *creation = &run->creation;

    ASSERT(config != NULL);
    vd_config_make(run);
    config->guid = guid_make(run->ctl);
    config->sequence = 1;
    config->index = ctl_group_index_free(run->ctl);
    config->member_count = creation->drive_count;
    config->vd_count = 1;
    config->vds[0] = run->vd;
    for (uint32_t i = 0; i < creation->drive_count; i++) {
        struct ctl_drive *cd = creation->drives[i];

        cd->uuid = uuid_make(&run->ctl->rng);
        config->members[i].drive = cd->uuid;
        config->members[i].state = MEMBER_ONLINE;
        (void)snprintf(config->members[i].serial, sizeof(config->members[i].serial), "%s",
                       cd->identity.serial); /* the same length */
        run->drives[i] = cd->drive;
    }
    run->config = config;
}

static void create_new_group(struct create_run *run)
{
    struct ctl *ctl = run->ctl;

    create_config(run);
    ctl_record_edit(ctl);
    ctl->record->intent = CONTROLLER_INTENT_CREATE;
    ctl->record->intent_group = run->config->guid;
    for (uint32_t i = 0; i < run->creation.drive_count; i++) {
        record_drive_add(ctl->record, run->creation.drives[i]->identity.key, true);
    }
    for (uint32_t i = 0; i < run->creation.spare_count; i++) {
        record_drive_add(ctl->record, run->creation.spares[i]->identity.key, true);
    }
    ctl_record_save(ctl, create_intent_saved, run);
}

/* Planning */

static bool create_plan(struct create_run *run, const char *digest)
{
    struct reason reason;

    creation_plan(run->ctl, run->args, &run->creation, &run->preview);
    if (!run->preview.ok) {
        ASSERT(run->preview.refusal_count > 0);
        create_refuse(run, &run->preview.refusals[0]);
        return false;
    }
    if (digest[0] != '\0' && strcmp(digest, run->preview.plan_digest) != 0) {
        reason_set(&reason, REASON_PLAN_CHANGED, NULL);
        create_refuse(run, &reason);
        return false;
    }
    if (!rule_preset_risk(run->args->preset, run->args->accept_risk, &run->preview.risks,
                          &reason)) {
        create_refuse(run, &reason);
        return false;
    }
    return true;
}

static void create_claimed(struct ctl_claims *claims, bool ok)
{
    struct create_run *run = claims->owner;

    if (!ok) {
        create_refuse(run, &claims->reason);
        return;
    }
    /* What the labels of the claimed drives said may have changed everything. */
    if (create_plan(run, run->digest)) {
        create_new_group(run);
    }
}

void command_vd_create(struct ctl *ctl, struct ctl_command *command)
{
    struct create_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL);
    run->ctl = ctl;
    run->command = command;
    run->args = &command->args.vd_create;
    run->claims = (struct ctl_claims){.ctl = ctl,
                                      .force = run->args->force,
                                      .overwrites = true,
                                      .done = create_claimed,
                                      .owner = run};
    if (!create_plan(run, run->args->plan_digest)) {
        return;
    }
    if (run->creation.group != NULL) {
        create_in_group(run);
        return;
    }
    memcpy(run->digest, run->preview.plan_digest, sizeof(run->digest));
    for (uint32_t i = 0; i < run->creation.drive_count; i++) {
        ctl_claims_add(&run->claims, run->creation.drives[i]);
    }
    for (uint32_t i = 0; i < run->creation.spare_count; i++) {
        ctl_claims_add(&run->claims, run->creation.spares[i]);
    }
    ctl_claims_run(&run->claims);
}
