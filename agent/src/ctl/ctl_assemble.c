/*
 * From labels and records to running groups: at the start, and when drives come late.
 *
 *   RESERVE   revisions for this run are set aside in the store
 *   LOOK      drives that were ours and are only offered are claimed, labels read; groups beyond
 *             doubt start already (ctl_await.c)
 *   CLEAN     labels of an unfinished creation or deletion are wiped, those of an unfinished
 *             import taken back; of one that has come to pass md's superblocks
 *   FORGET    … and the intent is taken off the record
 *   GROUPS    the winning records are chosen, drives settled, groups started
 *
 * (1) A group exists only if the controller's record lists it. Its winning record is the one
 *     with the highest sequence, from the store or any label.
 * (2) A group that lacks more members than it can bear is not started: nothing is written to
 *     it and nothing is marked lost. It waits; once bearable it still waits a little for the
 *     rest, so that an enclosure that comes up slowly costs no rebuild.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_settle.h"
#include "ctl/ctl_spare.h"
#include "ctl/ctl_superseded.h"
#include "ctl/ctl_undo.h"
#include "ctl/foreign_conflict.h"
#include "ctl/foreign_md.h"
#include "meta/md_super_io.h"

#define REVS_PER_RUN (UINT64_C(1) << 32)
#define OPERATIONS_PER_RUN UINT64_C(1000000)
/* How long the missing drives of an incomplete group are awaited after the last arrival. */
#define LATE_ASSEMBLY_US UINT64_C(10000000)

enum start_phase {
    START_RESERVE,
    START_RESERVING,
    START_LOOK,
    START_CLEAN,
    START_CLEANING,
    START_FORGET,
    START_FORGETTING,
    START_ASSEMBLE,
    START_GROUPS
};

struct ctl_start {
    enum start_phase phase;
    void (*done)(void *context, int error);
    void *context;
    struct store_request put;
    uint32_t wipes;
    bool put_running;
    bool list_changed; /* of the record's drives */
};

struct label_wipe {
    struct label_write write;
    struct metadata_edit edit;
    struct md_super_job super;
    struct ctl_drive *cd;
};

/* Groups */

struct ctl_group *ctl_group_new(struct ctl *ctl, struct group_config *config)
{
    struct ctl_group *cg = calloc(1, sizeof(*cg));
    char key[GUID_TEXT_BYTES];

    ASSERT(cg != NULL);
    cg->ctl = ctl;
    cg->phase = CTL_GROUP_WAITING;
    cg->config = config;
    host_foreign_note(ctl->host); /* a set may be this group's */
    list_init(&cg->vds);
    list_init(&cg->link);
    list_push_tail(&ctl->groups, &cg->link);
    guid_format(&config->guid, key);
    object_add(ctl, &cg->object, OBJECT_KIND_DRIVE_GROUP, key, cg);
    for (uint32_t i = 0; i < config->vd_count; i++) {
        (void)ctl_vd_add(cg, &config->vds[i]); /* it is on the group's list */
    }
    return cg;
}

static void group_vds_match(struct ctl_group *cg)
{
    LIST_FOR_EACH_SAFE (node, following, &cg->vds) {
        struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);
        bool found = false;

        for (uint32_t i = 0; i < cg->config->vd_count; i++) {
            found = found || guid_equal(&cg->config->vds[i].guid, &cv->guid);
        }
        if (!found) {
            ctl_vd_remove(cv);
        }
    }
    for (uint32_t i = 0; i < cg->config->vd_count; i++) {
        if (vd_by_guid(cg, &cg->config->vds[i].guid) == NULL) {
            (void)ctl_vd_add(cg, &cg->config->vds[i]); /* it is on the group's list */
        }
    }
}

/* A group goes with its last virtual drive, and shares none with another: else the record was never
 * written here. */
static bool record_is_possible(const struct ctl_group *cg, const struct group_config *record)
{
    for (uint32_t i = 0; i < record->vd_count; i++) {
        char key[GUID_TEXT_BYTES];
        const struct ctl_object *object = NULL;

        guid_format(&record->vds[i].guid, key);
        object = object_find(cg->ctl, OBJECT_KIND_VIRTUAL_DRIVE, key);
        if (object != NULL && ((const struct ctl_vd *)object->subject)->cg != cg) {
            return false;
        }
    }
    return record->vd_count > 0;
}

void ctl_group_take_record(struct ctl_group *cg, const struct group_config *record)
{
    bool apart = false;

    ASSERT(cg->phase == CTL_GROUP_WAITING && cg->group == NULL);
    ASSERT(guid_equal(&record->guid, &cg->config->guid));
    if (record->sequence <= cg->config->sequence || !record_is_possible(cg, record)) {
        return;
    }
    apart = record_went_apart(cg->config, record);
    *cg->config = *record;
    group_vds_match(cg);
    for (uint32_t i = 0; i < GROUP_MEMBERS_MAX; i++) {
        struct ctl_drive *cd = cg->members[i];

        if (cd != NULL &&
            (i >= record->member_count || !uuid_equal(&record->members[i].drive, &cd->uuid))) {
            cd_place_clear(cd);
            cd->bad = true;
            cd->retired_from = record->guid;
            cd->retired_member = i;
            cd_loss_tell(cd);
            if (apart) {
                reason_set(&cd->state_reason, REASON_LABEL_APART, NULL);
            }
        }
    }
}

static bool member_is_live(const struct group_config *config, uint32_t member)
{
    return config->members[member].state == MEMBER_ONLINE ||
           config->members[member].state == MEMBER_REBUILD;
}

bool group_can_start(const struct ctl_group *cg, const struct group_config *config, bool *ret_whole)
{
    const struct geometry *geometry = &config->vds[0].geometry;
    bool spared = cg_overwritten_are_spared(cg);
    bool whole = true;
    bool bearable = true;

    ASSERT(config->vd_count > 0);
    for (uint32_t span = 0; span < geometry->span_count; span++) {
        uint32_t lost = 0; /* places */

        for (uint32_t i = 0; i < geometry->members_per_span; i++) {
            uint32_t member = span * geometry->members_per_span + i;
            bool here = cg_member_is_here(cg, member) && !cg_member_is_stale(cg, member) &&
                        !(spared && cg_member_is_overwritten(cg, member));

            whole = whole && (here || !member_is_live(config, member));
            lost |= here && config->members[member].state == MEMBER_ONLINE ? 0u : UINT32_C(1) << i;
        }
        bearable = bearable && geometry_losses_left(geometry, lost) >= 0;
    }
    *ret_whole = whole;
    return bearable && (whole || cg->config == NULL || !cg_is_doubtful(cg));
}

/* One that came back while nobody looked, or its group waited for others, is rebuilt in its place
 * like one that comes back now; one that failed is not trusted by itself. */
static bool member_came_back(const struct ctl_drive *cd)
{
    return cd->group != NULL && !cd->later &&
           cg_config(cd->group)->members[cd->member].state == MEMBER_MISSING;
}

static void late_group_started(struct ctl_group *cg, int error, void *context)
{
    (void)context; /* the group knows its controller */
    (void)error; /* it stays as it is; its documents tell */
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        struct ctl_drive *cd = cg->members[i];

        if (cd != NULL && cd->present && cd->settled) {
            cd->reinserted = cd->reinserted || member_came_back(cd);
        }
    }
    ctl_change_end(cg->ctl);
}

/* A group that waits for its drives, after the start. */
static void group_wait_work(struct ctl_group *cg)
{
    struct ctl *ctl = cg->ctl;
    uint64_t now_us = clock_now_us(ctl->ports.clock);
    bool whole = false;

    cg_stale_tell(cg);
    if (!group_can_start(cg, cg->config, &whole)) {
        cg->assemble_at_us = 0;
        return;
    }
    if (!whole && cg->assemble_at_us == 0) {
        cg->assemble_at_us = now_us + LATE_ASSEMBLY_US;
    }
    if (!whole && now_us < cg->assemble_at_us) {
        ctl_kick_at(ctl, cg->assemble_at_us);
        return;
    }
    if (!cg_elsewhere_take(cg) || !group_can_start(cg, cg->config, &whole)) {
        return;
    }
    if (ctl_change_begin(ctl, "starting a drive group") &&
        ctl_group_run(cg, late_group_started, NULL) != 0) {
        cg->assemble_at_us = now_us + LATE_ASSEMBLY_US;
        ctl_change_end(ctl);
    }
}

/* A group that went offline can be made anew when the drives it lost last are back: it has
 * acknowledged nothing without them (vd/group.h (7)); or when a user says that they are good. */
static bool group_can_revive(const struct ctl_group *cg)
{
    struct group_config *config = malloc(sizeof(*config));
    bool back = cg->revive_asked;
    bool whole = false;

    ASSERT(config != NULL);
    group_durable_config(cg->group, config);
    for (uint32_t i = 0; i < config->member_count; i++) {
        const struct ctl_drive *cd = cg->members[i];

        back = back || (cd != NULL && cd->present && cd->settled && cd->reinserted &&
                        drive_is_idle(cd->drive));
    }
    back = back && group_can_start(cg, config, &whole);
    free(config);
    return back;
}

static void revive_stopped(struct ctl_group *cg, int error, void *context)
{
    (void)error; /* the record that counts is the durable one */
    (void)context; /* the group knows its controller */
    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        if (cg->members[i] != NULL) {
            cg->members[i]->reinserted = false;
        }
    }
    cg->revive_asked = false;
    cg->phase = CTL_GROUP_WAITING;
    cg->quiescing = false;
    ctl_change_end(cg->ctl);
}

static void group_revive_work(struct ctl_group *cg)
{
    bool ready = false;

    if (!cg->quiescing) {
        if (cg->ctl->change != NULL || cg_state(cg) != VIRTUAL_DRIVE_STATE_OFFLINE ||
            !group_can_revive(cg) || !ctl_change_begin(cg->ctl, "reassembly")) {
            return;
        }
        cg->quiescing = true;
        cg->reviving = true;
    }
    if (!cg->reviving) {
        return;
    }
    ready = operations_stopped(cg, NULL, REASON_GROUP_NOT_STARTED);
    LIST_FOR_EACH (node, &cg->vds) {
        ready = !ctl_vd_unexport(list_entry(node, struct ctl_vd, link)) && ready;
    }
    if (ready) {
        cg->reviving = false;
        ctl_group_stop(cg, revive_stopped, NULL);
    }
}

/* A blocked virtual drive is taken from its users; one that is not blocked any more is offered
 * again. A changed name shows at once, in the target itself. */
static void group_exports_work(struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->vds) {
        struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

        if (cv->export_stale && cv->vd != NULL && !cg->quiescing && !ctl_vd_unexport(cv)) {
            cv->export_stale = false;
            ctl_vd_export(cv);
        }
    }
}

void ctl_groups_work(struct ctl *ctl)
{
    if (ctl->life != CTL_LIFE_ONLINE && ctl->life != CTL_LIFE_STOPPING) {
        return;
    }
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        if (cg->phase == CTL_GROUP_WAITING && ctl->life == CTL_LIFE_ONLINE && ctl->change == NULL) {
            group_wait_work(cg);
        } else if (cg->phase == CTL_GROUP_RUNNING) {
            group_revive_work(cg);
            group_exports_work(cg);
        }
    }
}

/* The start */

static void start_reserved(struct ctl *ctl, int error, void *context)
{
    struct ctl_start *start = context;

    if (error != 0) {
        /* The revisions of this run are not set aside, so they must not be mistaken for
         * those of another: a name of their own. The arrays go online all the same. */
        ctl->epoch = uuid_make(&ctl->rng);
    }
    start->phase = START_LOOK;
}

static void start_reserve(struct ctl *ctl, struct ctl_start *start)
{
    if (ctl->damage->controller) { /* not before it is known whose drives these are */
        start->phase = START_LOOK;
        return;
    }
    ctl_record_edit(ctl);
    ctl->record->rev_reserved = ctl->host->rev + REVS_PER_RUN;
    ctl->record->operation_reserved = ctl->host->operation_next + OPERATIONS_PER_RUN;
    start->phase = START_RESERVING;
    ctl_record_save(ctl, start_reserved, start);
}

/* It can be restored once more. */
static bool leftover_is_marked(const struct ctl_drive *cd)
{
    enum controller_intent intent = cd->ctl->record->intent;

    return (intent == CONTROLLER_INTENT_DELETE || intent == CONTROLLER_INTENT_RESTORE) &&
           (cd->label == NULL || cd->label->role == LABEL_ROLE_MEMBER);
}

/* Is the label of this drive left over from what the intent names? A member that was away when its
 * group was deleted, or is restored, has one that was written before: it may be needed. */
static bool label_is_leftover(const struct ctl_drive *cd)
{
    const struct controller_record *record = cd->ctl->record;
    const struct drive_label *label = cd->label;

    if (cd->drive == NULL || !cd->present) {
        return false;
    }
    if (cd->label_status == LABEL_STATUS_DAMAGED) {
        return record_drive_intent(record, cd->identity.key);
    }
    if (cd->label_status != LABEL_STATUS_VALID ||
        !uuid_equal(&label->controller, &record->controller)) {
        return false;
    }
    if (label->role == LABEL_ROLE_MEMBER) {
        return guid_equal(&label->group, &record->intent_group) &&
               (!leftover_is_marked(cd) || record_drive_intent(record, cd->identity.key));
    }
    return label->role == LABEL_ROLE_SPARE && label->spare_group_count == 1 &&
           guid_equal(&label->spare_groups[0], &record->intent_group);
}

static bool intent_is_import(const struct ctl *ctl)
{
    return ctl->record->intent == CONTROLLER_INTENT_IMPORT ||
           ctl->record->intent == CONTROLLER_INTENT_ADOPT;
}

static void leftover_wiped(struct label_write *write, int error)
{
    struct label_wipe *wipe = write->owner;
    struct ctl *ctl = wipe->cd->ctl;

    if (intent_is_import(ctl)) {
        free(wipe->cd->label);
        wipe->cd->label = NULL;
        wipe->cd->label_status = LABEL_STATUS_UNREAD; /* to be read: another's may be under it */
    } else if (error == 0) {
        if (leftover_is_marked(wipe->cd)) {
            cd_former_forget(wipe->cd); /* what was found on it were its DDF metadata */
        }
        cd_make_blank(wipe->cd); /* else its group is unknown and it shows as foreign */
    }
    ASSERT(ctl->start->wipes > 0);
    ctl->start->wipes--;
    free(wipe);
    ctl_kick(ctl);
}

static void leftover_record_removed(struct store_request *request, int error)
{
    struct ctl *ctl = request->owner;

    (void)error; /* a record that no list names is ignored */
    ctl->start->put_running = false;
    ctl_kick(ctl);
}

static bool intent_is_clear(const struct ctl *ctl)
{
    return ctl->record->intent == CONTROLLER_INTENT_CLEAR ||
           ctl->record->intent == CONTROLLER_INTENT_CLEAR_UNDO;
}

static void sectors_written(struct metadata_edit *edit, int error)
{
    struct label_wipe *wipe = edit->owner;
    struct ctl *ctl = wipe->cd->ctl;

    (void)error; /* it shows as what it is; the copy can be restored as far as that goes */
    free(wipe->cd->label);
    wipe->cd->label = NULL;
    wipe->cd->label_status = LABEL_STATUS_UNREAD;
    cd_former_forget(wipe->cd);
    ASSERT(ctl->start->wipes > 0);
    ctl->start->wipes--;
    free(wipe);
    ctl_kick(ctl);
}

/* command_clear.c (2) */
static void start_sectors(struct ctl *ctl, struct ctl_start *start)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);
        struct label_wipe *wipe = calloc(1, sizeof(*wipe));

        ASSERT(wipe != NULL);
        if (cd->drive == NULL || !cd->present ||
            !record_drive_intent(ctl->record, cd->identity.key) ||
            !undo_edit_make(ctl, &ctl->record->intent_group, cd->identity.key,
                            ctl->record->intent == CONTROLLER_INTENT_CLEAR_UNDO, &wipe->edit)) {
            free(wipe);
            continue;
        }
        wipe->cd = cd;
        wipe->edit.drive = cd->drive;
        wipe->edit.complete = sectors_written;
        wipe->edit.owner = wipe;
        start->wipes++;
        metadata_edit_run(&wipe->edit);
    }
}

static void super_stripped(struct md_super_job *job, int error)
{
    struct label_wipe *wipe = job->owner;
    struct ctl *ctl = wipe->cd->ctl;

    if (error != 0) {
        md_super_left_tell(ctl, wipe->cd->identity.key);
    }
    ASSERT(ctl->start->wipes > 0);
    ctl->start->wipes--;
    free(wipe);
    ctl_kick(ctl);
}

/* command_foreign.c (4) */
static void start_supers(struct ctl *ctl, struct ctl_start *start)
{
    const struct controller_record *record = ctl->record;

    for (uint32_t i = 0; i < record->drive_count; i++) {
        struct ctl_drive *cd = drive_by_key(ctl, record->drives[i].key);
        struct label_wipe *wipe = NULL;

        if (!record->drives[i].intent) {
            continue;
        }
        if (cd == NULL || cd->drive == NULL || !cd->present) {
            md_super_left_tell(ctl, record->drives[i].key);
            continue;
        }
        wipe = calloc(1, sizeof(*wipe));
        ASSERT(wipe != NULL);
        wipe->cd = cd;
        wipe->super = (struct md_super_job){.drive = cd->drive,
                                            .strips = true,
                                            .set = foreign_md_uuid(&record->intent_group),
                                            .complete = super_stripped,
                                            .owner = wipe};
        start->wipes++;
        md_super_job_run(&wipe->super);
    }
}

static void start_clean(struct ctl *ctl, struct ctl_start *start)
{
    start->phase = START_CLEANING;
    if (ctl->record->intent == CONTROLLER_INTENT_ADOPTED) {
        start_supers(ctl, start);
        return;
    }
    if (intent_is_clear(ctl)) {
        start_sectors(ctl, start);
        return;
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (label_is_leftover(cd)) {
            struct label_wipe *wipe = calloc(1, sizeof(*wipe));

            ASSERT(wipe != NULL);
            wipe->cd = cd;
            wipe->write =
                (struct label_write){.drive = cd->drive, .complete = leftover_wiped, .owner = wipe};
            if (leftover_is_marked(cd)) {
                wipe->write.leaves = &ctl->record->intent_group;
            }
            start->wipes++;
            if (intent_is_import(ctl)) {
                foreign_label_forget(cd->found);
                wipe->write.ddf = ctl->record->intent == CONTROLLER_INTENT_ADOPT;
                group_store_label_retreat(ctl->group_store, &wipe->write,
                                          &ctl->record->intent_group, &ctl->record->controller,
                                          cd->label != NULL && cd->label->compact);
            } else {
                group_store_label_write(ctl->group_store, &wipe->write);
            }
        }
    }
    start->put = (struct store_request){.complete = leftover_record_removed, .owner = ctl};
    group_record_name(&ctl->record->intent_group, start->put.name);
    list_init(&start->put.port_link);
    start->put_running = true;
    ctl->ports.store->ops->put(ctl->ports.store, &start->put);
}

static void start_forgotten(struct ctl *ctl, int error, void *context)
{
    struct ctl_start *start = context;

    (void)error; /* then the intent is found, and done, once more at the next start */
    (void)ctl;
    start->phase = START_ASSEMBLE;
}

static void start_forget(struct ctl *ctl, struct ctl_start *start)
{
    struct controller_record *record = ctl->record;

    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        /* Somebody else's again, and shown as such. */
        cd->give_back = (intent_is_import(ctl) || intent_is_clear(ctl)) &&
                        record_drive_intent(record, cd->identity.key);
    }
    ctl_record_edit(ctl);
    if (record->intent == CONTROLLER_INTENT_ADOPTED) {
        record_intent_clear(record);
    } else {
        record_intent_forget(record);
    }
    start->phase = START_FORGETTING;
    ctl_record_save(ctl, start_forgotten, start);
}

static void winners_choose(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);
        struct ctl_group *cg = NULL;

        if (cd->label_status != LABEL_STATUS_VALID || cd->label == NULL ||
            cd->label->role != LABEL_ROLE_MEMBER ||
            !uuid_equal(&cd->label->controller, &ctl->record->controller)) {
            continue;
        }
        cg = ctl_damage_group_of(ctl, cd->label);
        if (cg != NULL && cg->phase == CTL_GROUP_WAITING) {
            ctl_group_take_record(cg, &cd->label->record);
        }
    }
}

static void missing_tell(struct ctl *ctl)
{
    uint32_t count = 0;
    char text[16];

    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);
        const struct group_config *config = cg_config(cg);
        bool superseded = cg_is_superseded(cg); /* then they are here */
        char path[PATH_TEXT_BYTES];

        group_path(cg, path, sizeof(path));
        for (uint32_t i = 0; i < config->member_count; i++) {
            char key[UUID_TEXT_BYTES];

            if ((cg->members[i] != NULL && cg->members[i]->present) ||
                (superseded && cg_member_superseded(cg, i) != NULL)) {
                continue;
            }
            count++;
            uuid_format(&config->members[i].drive, key);
            ctl_event(ctl, EVENT_DRIVE_MISSING_AT_START, key, "drive",
                      config->members[i].serial[0] != '\0' ? config->members[i].serial : key,
                      "group", path, NULL);
        }
    }
    if (count > 0) {
        (void)snprintf(text, sizeof(text), "%u", count);
        ctl_event(ctl, EVENT_DRIVES_MISSING, controller_key(ctl), "count", text, NULL);
    }
}

static void start_group_started(struct ctl_group *cg, int error, void *context)
{
    (void)context; /* the group knows its controller */
    (void)error; /* it stays as it is; its documents tell */
    ctl_kick(cg->ctl);
}

static void start_group(struct ctl_group *cg, bool whole_only)
{
    bool whole = false;

    if (cg->phase == CTL_GROUP_WAITING && group_can_start(cg, cg->config, &whole) &&
        cg_elsewhere_take(cg) && group_can_start(cg, cg->config, &whole) &&
        (whole || !whole_only) && ctl_group_run(cg, start_group_started, NULL) != 0) {
        ASSERT(cg->phase == CTL_GROUP_WAITING); /* and is tried again later */
    }
}

/* Some drive keeps the controller waiting: what does not need it begins. */
static void start_early(struct ctl *ctl)
{
    winners_choose(ctl);
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        if (ctl_group_is_early(cg)) {
            ctl_group_members_settle(cg);
            start_group(cg, true);
        }
    }
}

static void start_look(struct ctl *ctl, struct ctl_start *start)
{
    if (ctl->life == CTL_LIFE_STOPPING) {
        start->phase = START_GROUPS; /* none that has not begun */
        return;
    }
    start->list_changed = ctl_start_claims(ctl) || start->list_changed;
    if (!ctl_all_is_known(ctl)) {
        start_early(ctl);
        return;
    }
    if (start->list_changed) { /* once more, so that it is saved */
        start->list_changed = false;
        start->phase = START_RESERVE;
        ctl_kick(ctl);
        return;
    }
    if (ctl->damage->controller) {
        ctl_damage_adopt(ctl);
        start->phase = START_RESERVE;
        ctl_kick(ctl);
        return;
    }
    start->phase = ctl->record->intent == CONTROLLER_INTENT_NONE ? START_ASSEMBLE : START_CLEAN;
}

static void start_assemble(struct ctl *ctl, struct ctl_start *start)
{
    start->phase = START_GROUPS;
    winners_choose(ctl);
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (!cd->settled && cd->present && cd->drive != NULL && !cd_is_pending(cd)) {
            cd_settle(cd);
        }
        cd->reinserted = member_came_back(cd);
    }
    LIST_FOR_EACH (node, &ctl->drives) { /* now that it is known who has a place */
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        cd->reinserted = cd->reinserted || spare_is_due(cd);
    }
    missing_tell(ctl);
    LIST_FOR_EACH (node, &ctl->groups) {
        start_group(list_entry(node, struct ctl_group, link), false);
    }
}

static bool groups_are_started(const struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);

        if (cg->phase == CTL_GROUP_STARTING && !cg_start_is_refused(cg)) {
            return false;
        }
    }
    return true;
}

static void start_finish(struct ctl *ctl, struct ctl_start *start)
{
    char drives[16];
    char vds[16];
    uint32_t count = 0;

    LIST_FOR_EACH (node, &ctl->drives) {
        count += list_entry(node, const struct ctl_drive, link)->present ? 1u : 0u;
    }
    (void)snprintf(drives, sizeof(drives), "%u", count);
    (void)snprintf(vds, sizeof(vds), "%u", ctl_vd_count(ctl));
    ctl->start = NULL;
    if (ctl->life == CTL_LIFE_STARTING) {
        LIST_FOR_EACH (node, &ctl->drives) {
            cd_state_update(list_entry(node, struct ctl_drive, link));
        }
        ctl->life = CTL_LIFE_ONLINE;
        host_foreign_note(ctl->host); /* what lacks drives is known now */
        ctl_event(ctl, EVENT_CONTROLLER_ONLINE, controller_key(ctl), "version",
                  ctl->options.firmware_version, "drives", drives, "virtual_drives", vds, NULL);
        ctl_cache_started(ctl);
        ctl_undo_started(ctl);
        ctl_numbers_started(ctl);
        ctl_damage_tell(ctl);
    }
    ctl_refresh(ctl);
    start->done(start->context, 0);
    free(start);
    ctl_kick(ctl);
}

void ctl_start_work(struct ctl *ctl)
{
    struct ctl_start *start = ctl->start;

    if (start->phase == START_RESERVE) {
        start_reserve(ctl, start);
    }
    if (start->phase == START_LOOK) {
        start_look(ctl, start);
    }
    if (start->phase == START_CLEAN) {
        start_clean(ctl, start);
    }
    if (start->phase == START_CLEANING && start->wipes == 0 && !start->put_running) {
        start->phase = START_FORGET;
    }
    if (start->phase == START_FORGET) {
        start_forget(ctl, start);
    }
    if (start->phase == START_ASSEMBLE) {
        start_assemble(ctl, start);
    }
    if (start->phase == START_GROUPS && groups_are_started(ctl)) {
        start_finish(ctl, start);
    }
}

void ctl_start(struct ctl *ctl, void (*done)(void *context, int error), void *context)
{
    struct ctl_start *start = calloc(1, sizeof(*start));

    ASSERT(start != NULL && done != NULL);
    ASSERT(ctl->life == CTL_LIFE_NEW);
    start->done = done;
    start->context = context;
    ctl->start = start;
    ctl->start_began_us = clock_now_us(ctl->ports.clock);
    ctl->life = CTL_LIFE_STARTING;
    battery_begin(ctl);
    ctl_kick(ctl);
}
