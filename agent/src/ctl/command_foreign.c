/*
 * foreign_import: a foreign set becomes a drive group, all of it or nothing.
 *
 *   plan -> claim what is only offered -> read the metadata again -> plan again
 *     -> intent in the store -> labels on the members; their DDF metadata stay as they are
 *     -> the list of groups in the store (the commit)
 *     -> labels once more, now with our DDF metadata behind them -> run
 *
 * (1) Up to the commit nothing that belongs to the set is written over: labels lie where none of
 *     its data are. A failure, or the next start after a crash, takes the labels back, and the
 *     set is as it was.
 * (2) After the commit the labels count. Where a crash leaves the former DDF metadata behind them,
 *     the start takes the group for one that was elsewhere and resynchronizes it
 *     (ctl_elsewhere.c).
 * (3) What was planned is what the drives say once nobody else can write to them.
 * (4) A set of md's own format has no DDF metadata that could stay, and must not be left without
 *     any: ours come with the first labels, before the commit, and go with them if it does not come
 *     to that. Its superblocks are taken off between the commit and the first write to its data;
 *     until that is done the intent says so, for the next start.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_settle.h"
#include "ctl/foreign_md.h"
#include "ctl/foreign_set.h"
#include "ctl/foreign_spare.h"
#include "meta/md_super_io.h"

struct import_run {
    struct ctl *ctl;
    struct ctl_command *command;
    struct foreign_set set;
    struct foreign_md md;      /* set.format MD: instead of the rest of it */
    struct foreign_plan plan;
    struct ctl_claims claims;
    struct md_super_job supers[GROUP_MEMBERS_MAX];
    struct ddf_reread rereads[GROUP_MEMBERS_MAX];
    struct label_write writes[GROUP_MEMBERS_MAX];
    struct drive *drives[GROUP_MEMBERS_MAX];
    struct group_config *config;
    struct ctl_group *cg;
    struct group_save save;
    struct store_request remove;
    struct foreign_spares spares;
    uint32_t pending;
    struct reason failure;
};

static bool is_md(const struct import_run *run)
{
    return run->set.format == FOREIGN_FORMAT_MD;
}

static void import_end(struct import_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    free(run->config);
    free(run);
    ctl->foreign_noted = true;
    command_finish(ctl, &copy);
}

static void import_refuse(struct import_run *run, const struct reason *reason)
{
    struct reason copy = *reason;

    ASSERT(reason->code != REASON_OK);
    ctl_claims_return(&run->claims);
    import_end(run, &copy);
}

/* Going back */

static void retreat_recorded(struct ctl *ctl, int error, void *context)
{
    struct import_run *run = context;

    (void)error; /* an intent left behind is carried out at the next start */
    ASSERT(ctl == run->ctl);
    for (uint32_t i = 0; i < GROUP_MEMBERS_MAX; i++) {
        if (run->plan.members[i] != NULL) {
            cd_look_again(run->plan.members[i]); /* it may be of another controller */
        }
    }
    import_refuse(run, &run->failure);
}

static void retreat_part_done(struct import_run *run)
{
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending > 0) {
        return;
    }
    ctl_record_edit(run->ctl);
    record_intent_forget(run->ctl->record);
    ctl_record_save(run->ctl, retreat_recorded, run);
}

static void retreat_written(struct label_write *write, int error)
{
    (void)error; /* a drive that is gone shows as foreign when it comes back */
    retreat_part_done(write->owner);
}

static void retreat_removed(struct store_request *request, int error)
{
    (void)error; /* a record that no list names is ignored */
    retreat_part_done(request->owner);
}

static void import_retreat(struct import_run *run)
{
    struct ctl *ctl = run->ctl;

    ASSERT(run->failure.code != REASON_OK);
    run->pending = 1;
    for (uint32_t i = 0; i < run->config->member_count; i++) {
        if (run->drives[i] == NULL) {
            continue;
        }
        run->pending++;
        foreign_label_forget(run->plan.members[i]->found);
        run->writes[i] = (struct label_write){
            .drive = run->drives[i], .ddf = is_md(run), .complete = retreat_written, .owner = run};
        group_store_label_retreat(ctl->group_store, &run->writes[i], &run->config->guid,
                                  &ctl->record->controller, run->config->compact);
    }
    run->remove = (struct store_request){.complete = retreat_removed, .owner = run};
    group_record_name(&run->config->guid, run->remove.name);
    list_init(&run->remove.port_link);
    ctl->ports.store->ops->put(ctl->ports.store, &run->remove);
}

/* Going forward, last step first */

static void event_imported(const struct ctl_group *cg)
{
    char path[PATH_TEXT_BYTES];
    char names[REASON_TEXT_MAX / 2] = "";
    size_t used = 0;

    LIST_FOR_EACH (node, &cg->vds) {
        const struct ctl_vd *cv = list_entry(node, const struct ctl_vd, link);
        int length = snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "",
                              cv_config(cv)->name);

        used += (size_t)length;
        if (used >= sizeof(names)) {
            break; /* cut short */
        }
    }
    group_path(cg, path, sizeof(path));
    ctl_event(cg->ctl, EVENT_FOREIGN_IMPORTED, cg->object.key, "group", path, "virtual_drives",
              names, NULL);
}

static void import_done(struct foreign_spares *spares)
{
    struct import_run *run = spares->owner;
    struct reason reason;

    command_object_add(run->command, &run->cg->object);
    LIST_FOR_EACH (node, &run->cg->vds) {
        command_object_add(run->command, &list_entry(node, struct ctl_vd, link)->object);
    }
    run->command->changed_something = true;
    reason_set(&reason, REASON_OK, NULL);
    import_end(run, &reason);
}

/* Drives come with their hot spares. */
static void import_spares(struct import_run *run)
{
    run->spares.ctl = run->ctl;
    run->spares.group = run->set.guid;
    run->spares.group_now = cg_config(run->cg)->guid;
    run->spares.done = import_done;
    run->spares.owner = run;
    foreign_spares_take(&run->spares);
}

static void import_ran(struct ctl_group *cg, int error, void *context)
{
    (void)error; /* the group exists; its documents tell how it is */
    ASSERT(((struct import_run *)context)->cg == cg);
    import_spares(context);
}

static void import_run_group(struct import_run *run)
{
    bool whole = false;

    /* It waits if others have changed more than can be taken over, and says so. */
    if (!cg_elsewhere_take(run->cg) || !group_can_start(run->cg, run->cg->config, &whole) ||
        ctl_group_run(run->cg, import_ran, run) != 0) {
        import_spares(run);
    }
}

static void import_resaved(struct group_save *save, int error)
{
    (void)error; /* the labels of the commit hold */
    import_run_group(save->owner);
}

/* (4) */

static void adopt_recorded(struct ctl *ctl, int error, void *context)
{
    struct import_run *run = context;

    (void)error; /* an intent left behind is carried out at the next start: nothing is found then */
    ASSERT(ctl == run->ctl);
    import_run_group(run);
}

static void adopt_stripped(struct md_super_job *job, int error)
{
    struct import_run *run = job->owner;

    if (error != 0) {
        md_super_left_tell(run->ctl, run->plan.members[job - run->supers]->identity.key);
    }
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        ctl_record_edit(run->ctl);
        record_intent_clear(run->ctl->record);
        ctl_record_save(run->ctl, adopt_recorded, run);
    }
}

static void adopt_strip(struct import_run *run)
{
    const struct group_config *config = run->cg->config;

    run->pending = config->member_count; /* all of them are there */
    for (uint32_t i = 0; i < config->member_count; i++) {
        run->supers[i] = (struct md_super_job){.drive = run->drives[i],
                                               .strips = true,
                                               .set = foreign_md_uuid(&config->guid),
                                               .complete = adopt_stripped,
                                               .owner = run};
        md_super_job_run(&run->supers[i]);
    }
}

static void member_taken(struct import_run *run, uint32_t member)
{
    struct ctl_drive *cd = run->plan.members[member];
    bool labeled = run->set.format == FOREIGN_FORMAT_ARRAYWRIGHT;

    cd->was_elsewhere = labeled && cd->was_elsewhere;
    cd->was_overwritten = labeled && cd->was_overwritten;
    cd_member_take(cd, run->cg, member);
}

/* Of our members. */
static bool others_have_written(const struct ctl_group *cg)
{
    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        const struct ctl_drive *cd = cg->members[i];

        if (cd != NULL && (cd->was_elsewhere || cd->was_overwritten)) {
            return true;
        }
    }
    return false;
}

static void import_committed(struct ctl *ctl, int error, void *context)
{
    struct import_run *run = context;

    if (error != 0) {
        reason_from_store(&run->failure, error);
        import_retreat(run);
        return;
    }
    run->cg = ctl_group_new(ctl, run->config);
    run->config = NULL;
    for (uint32_t i = 0; i < run->cg->config->member_count; i++) {
        if (run->plan.members[i] != NULL) {
            member_taken(run, i);
        }
    }
    (void)cg_settle_again(run->cg, false); /* those that the plan has left */
    event_imported(run->cg);
    if (is_md(run)) {
        adopt_strip(run);
        return;
    }
    run->save = (struct group_save){.config = run->cg->config,
                                    .drives = run->drives,
                                    .controller = &ctl->record->controller,
                                    .labels_suffice = true,
                                    .complete = import_resaved,
                                    .owner = run};
    if (others_have_written(run->cg)) {
        import_resaved(&run->save,
                       0); /* what others wrote is looked at before it is written over */
        return;
    }
    run->cg->config->sequence++;
    group_store_save(ctl->group_store, &run->save);
}

static void import_member_failed(struct group_save *save, uint32_t member, enum io_status status)
{
    struct import_run *run = save->owner;

    (void)status; /* the drive's own event tells */
    cd_label_failed(run->plan.members[member], &run->failure);
}

static void import_saved(struct group_save *save, int error)
{
    struct import_run *run = save->owner;
    struct controller_record *record = run->ctl->record;

    if (error != 0 && run->failure.code == REASON_OK) {
        reason_from_store(&run->failure, error);
    }
    if (run->failure.code != REASON_OK) {
        import_retreat(run);
        return;
    }
    ctl_record_edit(run->ctl);
    record_group_add(record, &run->config->guid);
    if (is_md(run)) {
        record->intent = CONTROLLER_INTENT_ADOPTED;
    } else {
        record_intent_clear(record);
    }
    ctl_record_save(run->ctl, import_committed, run);
}

static void import_intended(struct ctl *ctl, int error, void *context)
{
    struct import_run *run = context;

    if (error != 0) {
        reason_from_store(&run->failure, error);
        import_refuse(run, &run->failure);
        return;
    }
    run->save = (struct group_save){.config = run->config,
                                    .drives = run->drives,
                                    .controller = &ctl->record->controller,
                                    .keep_ddf = !is_md(run), /* (4) */
                                    .member_failed = import_member_failed,
                                    .complete = import_saved,
                                    .owner = run};
    group_store_save(ctl->group_store, &run->save);
}

static void import_begin(struct import_run *run)
{
    struct ctl *ctl = run->ctl;

    run->config = malloc(sizeof(*run->config));
    ASSERT(run->config != NULL);
    *run->config = run->plan.config;
    if (run->set.newest != NULL) { /* while the labels are there */
        run->spares.controller = run->set.newest->controller;
    }
    ctl_record_edit(ctl);
    ctl->record->intent = is_md(run) ? CONTROLLER_INTENT_ADOPT : CONTROLLER_INTENT_IMPORT;
    ctl->record->intent_group = run->config->guid;
    for (uint32_t i = 0; i < run->config->member_count; i++) {
        if (run->plan.members[i] != NULL) {
            run->drives[i] = run->plan.members[i]->drive;
            record_drive_add(ctl->record, run->plan.members[i]->identity.key, true);
        }
    }
    ctl_record_save(ctl, import_intended, run);
}

/* Planning */

static bool import_plan(struct import_run *run)
{
    if (is_md(run)) {
        foreign_md_plan(run->ctl, &run->md, &run->plan);
    } else {
        foreign_plan_make(run->ctl, &run->set, &run->plan);
    }
    if (run->plan.refusal.code != REASON_OK) {
        struct reason reason = run->plan.refusal;

        import_refuse(run, &reason);
        return false;
    }
    return true;
}

static void import_refuse_changed(struct import_run *run)
{
    struct reason reason;

    reason_set(&reason, REASON_FOREIGN_CHANGED, NULL);
    import_refuse(run, &reason);
}

/* (3) */
static bool drive_says_the_same(const struct import_run *run, const struct ctl_drive *cd)
{
    const struct ddf_config *now = group_store_ddf(run->ctl->group_store, cd->drive);

    return now != NULL && cd->found != NULL && cd->found->kind == FOREIGN_DDF &&
           memcmp(now->header.bytes, cd->found->ddf->header.bytes, sizeof(now->header.bytes)) ==
               0 &&
           ddf_config_is_same(now, cd->found->ddf);
}

static void import_verify(struct import_run *run)
{
    bool same = true;

    for (uint32_t i = 0; i < run->plan.config.member_count; i++) {
        const struct ctl_drive *cd = run->plan.members[i];

        same = same && (cd == NULL || drive_says_the_same(run, cd));
    }
    if (!same || !foreign_set_renew(&run->set)) {
        import_refuse_changed(run);
    } else if (import_plan(run)) {
        import_begin(run);
    }
}

static void import_reread(struct ddf_reread *reread)
{
    struct import_run *run = reread->owner;

    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        import_verify(run);
    }
}

static void import_read_again(struct import_run *run)
{
    run->pending = 1;
    for (uint32_t i = 0; i < run->plan.config.member_count; i++) {
        if (run->plan.members[i] != NULL) {
            run->pending++;
            run->rereads[i] = (struct ddf_reread){.drive = run->plan.members[i]->drive,
                                                  .group = run->set.guid,
                                                  .complete = import_reread,
                                                  .owner = run};
            group_store_ddf_read(run->ctl->group_store, &run->rereads[i]);
        }
    }
    import_reread(&(struct ddf_reread){.owner = run});
}

/* (3), (4): a superblock that is the same, and nothing beside it that could be meant instead. */

static void adopt_verify(struct import_run *run)
{
    struct reason reason;

    for (uint32_t i = 0; i < run->plan.config.member_count; i++) {
        const struct ctl_drive *cd = run->plan.members[i];
        const struct md_super_job *job = &run->supers[i];

        if (cd->found == NULL || cd->found->kind != FOREIGN_MD || !job->found ||
            !md_super_is_same(&job->super, &cd->found->md)) {
            import_refuse_changed(run);
            return;
        }
        if (cd->label_status != LABEL_STATUS_NONE ||
            group_store_ddf(run->ctl->group_store, cd->drive) != NULL) {
            (void)refuse_drive(&reason, REASON_FOREIGN_MD_MARKED, cd); /* it does: the reason */
            import_refuse(run, &reason);
            return;
        }
    }
    if (!foreign_md_renew(run->ctl, &run->md)) {
        import_refuse_changed(run);
    } else if (import_plan(run)) {
        import_begin(run);
    }
}

static void adopt_part_done(struct import_run *run)
{
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        adopt_verify(run);
    }
}

static void adopt_read(struct md_super_job *job, int error)
{
    (void)error; /* nothing was found then */
    adopt_part_done(job->owner);
}

static void adopt_reread(struct ddf_reread *reread)
{
    adopt_part_done(reread->owner);
}

static void adopt_read_again(struct import_run *run)
{
    run->pending = 1;
    for (uint32_t i = 0; i < run->plan.config.member_count; i++) {
        struct drive *drive = run->plan.members[i]->drive;

        run->pending += 2;
        run->supers[i] =
            (struct md_super_job){.drive = drive, .complete = adopt_read, .owner = run};
        md_super_job_run(&run->supers[i]);
        run->rereads[i] = (struct ddf_reread){
            .drive = drive, .group = run->plan.config.guid, .complete = adopt_reread, .owner = run};
        group_store_ddf_read(run->ctl->group_store, &run->rereads[i]);
    }
    adopt_part_done(run);
}

/* A later version knows more of the drive than its DDF says. */
static bool import_refuse_newer(struct import_run *run, struct ctl_drive *const *drives,
                                uint32_t count)
{
    struct reason reason;

    for (uint32_t i = 0; i < count; i++) {
        if (cd_label_is_newer(drives[i])) {
            (void)refuse_drive(&reason, REASON_LABEL_NEWER, drives[i]);
            import_refuse(run, &reason);
            return true;
        }
    }
    return false;
}

/* (3); foreign_set.h (4) */
static bool labels_take(struct import_run *run, struct ctl_drive *const *drives, uint32_t count)
{
    struct foreign_set *labeled = malloc(sizeof(*labeled));
    bool found = false;

    ASSERT(labeled != NULL);
    found = foreign_set_of_labels(&run->set.guid, drives, count, labeled) &&
            (run->set.format == FOREIGN_FORMAT_ARRAYWRIGHT || foreign_labels_suffice(labeled));
    if (found) {
        run->set = *labeled;
    }
    free(labeled);
    return found;
}

/* A set that was read by its labels when some drives were only offered. */
static void import_labelled(struct import_run *run)
{
    struct ctl_drive *drives[DDF_SET_DRIVES_MAX];
    char digest[sizeof(run->set.digest)];

    memcpy(drives, run->set.drives, sizeof(drives));
    memcpy(digest, run->set.digest, sizeof(digest));
    if (!labels_take(run, drives, run->set.drive_count) || strcmp(digest, run->set.digest) != 0) {
        import_refuse_changed(run);
    } else if (import_plan(run)) {
        import_begin(run);
    }
}

static void import_claimed(struct ctl_claims *claims, bool ok)
{
    struct import_run *run = claims->owner;
    struct ctl_drive *members[GROUP_MEMBERS_MAX];
    uint32_t count = 0;

    if (!ok) {
        import_refuse(run, &claims->reason);
        return;
    }
    if (is_md(run)) {
        adopt_read_again(run);
        return;
    }
    for (uint32_t i = 0; i < run->plan.config.member_count; i++) {
        if (run->plan.members[i] != NULL) {
            members[count++] = run->plan.members[i];
        }
    }
    if (import_refuse_newer(run, members, count)) {
        return;
    }
    if (run->set.format == FOREIGN_FORMAT_ARRAYWRIGHT) {
        import_labelled(run);
    } else if (!labels_take(run, members, count)) {
        import_read_again(run);
    } else if (import_plan(run)) {
        import_begin(run);
    }
}

static bool set_find(struct import_run *run, const char *id)
{
    if (foreign_set_find(run->ctl, id, &run->set)) {
        return true;
    }
    if (!foreign_md_find(run->ctl, id, &run->md)) {
        return false;
    }
    run->set.format = FOREIGN_FORMAT_MD;
    memcpy(run->set.digest, run->md.digest, sizeof(run->set.digest));
    return true;
}

void command_foreign_import(struct ctl *ctl, struct ctl_command *command)
{
    const char *id = command->args.foreign.set;
    const char *digest = command->args.foreign.digest;
    struct import_run *run = calloc(1, sizeof(*run));
    struct reason reason;

    ASSERT(run != NULL);
    run->ctl = ctl;
    run->command = command;
    run->claims =
        (struct ctl_claims){.ctl = ctl, .force = true, .done = import_claimed, .owner = run};
    if (!set_find(run, id)) {
        foreign_refuse_unknown(id, &reason);
        import_end(run, &reason);
        return;
    }
    if (digest[0] != '\0' && strcmp(digest, run->set.digest) != 0) {
        import_refuse_changed(run);
        return;
    }
    if (!import_plan(run)) {
        return;
    }
    for (uint32_t i = 0; i < run->plan.config.member_count; i++) {
        if (run->plan.members[i] != NULL) {
            ctl_claims_add(&run->claims, run->plan.members[i]);
        }
    }
    ctl_claims_run(&run->claims);
}
