/*
 * Changes of the configuration by the administrator: one at a time, saved alone, all or
 * nothing. An edit is applied in memory, saved, and answered; if the save fails it is undone.
 *
 *   queued -> (no save running, nothing unsaved) applied -> saved -> answered
 *                                                        \-> undone -> answered with error
 *
 * Losses, marks and cursors may change while an edit is being saved; undoing leaves them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "meta/config_check.h"
#include "vd/group_private.h"

enum edit_kind {
    EDIT_CHANGE,
    EDIT_VD_ADD,
    EDIT_VD_REMOVE,
    EDIT_REPLACE,
    EDIT_COPYBACK, /* begins */
    EDIT_EXCHANGE, /* ends well */
    EDIT_VD_GROW
};

struct group_edit {
    struct list link;
    struct notice notice;
    struct group *group;
    enum edit_kind kind;
    group_edit_fn change;          /* EDIT_CHANGE */
    void *change_context;
    struct vd_config *undo;        /* EDIT_CHANGE: GROUP_VDS_MAX of them, as before */
    struct member_config *undo_members; /* EDIT_CHANGE: GROUP_MEMBERS_MAX of them */
    uint32_t undo_index;
    struct vd_config vd_config;    /* EDIT_VD_ADD, EDIT_VD_REMOVE */
    struct vd *vd;
    uint32_t member;               /* EDIT_REPLACE */
    struct drive *drive;
    struct member_config member_config; /* new, and after applying the old one */
    struct copyback_config copyback; /* EDIT_COPYBACK: new; EDIT_EXCHANGE: as before */
    struct growth growth;          /* EDIT_VD_GROW */
    bool unlogs;                   /* EDIT_CHANGE: generations of intents have changed */
    bool added;                    /* done is the form with a virtual drive */
    union {
        void (*plain)(void *context, int error);
        void (*with_vd)(void *context, int error, struct vd *vd);
    } done;
    void *done_context;
};

static void edit_answer(struct notice *notice)
{
    struct group_edit *edit = container_of(notice, struct group_edit, notice);
    int error = notice->error;

    if (edit->kind == EDIT_VD_ADD) {
        edit->done.with_vd(edit->done_context, error, error == 0 ? edit->vd : NULL);
    } else if (edit->done.plain != NULL) {
        edit->done.plain(edit->done_context, error);
    }
    free(edit->undo);
    free(edit->undo_members);
    free(edit);
}

static void edit_finish(struct group_edit *edit, int error)
{
    if (edit->kind == EDIT_VD_GROW) {
        edit->group->growing = false;
    }
    edit->notice.deliver = edit_answer;
    group_notice_add(edit->group, &edit->notice, error);
}

static struct group_edit *edit_new(struct group *group, enum edit_kind kind)
{
    struct group_edit *edit = calloc(1, sizeof(*edit));

    ASSERT(edit != NULL); /* control path; the agent runs with its memory reserved */
    edit->group = group;
    edit->kind = kind;
    list_init(&edit->link);
    return edit;
}

static void edit_queue(struct group_edit *edit)
{
    struct group *group = edit->group;

    group_enter(group);
    if (group->stop != STOP_NO) {
        edit_finish(edit, -ESHUTDOWN);
    } else {
        list_push_tail(&group->edits, &edit->link);
    }
    group_leave_later(group);
}

/* Virtual drives enter and leave the arrays at the end and anywhere. */

static void vd_array_insert(struct group *group, struct vd *vd, const struct vd_config *config)
{
    uint32_t index = group->config.vd_count;

    ASSERT(index < GROUP_VDS_MAX);
    group->config.vds[index] = *config;
    group->vds[index] = vd;
    vd->index = index;
    group->config.vd_count++;
}

static void vd_array_remove(struct group *group, struct vd *vd)
{
    uint32_t last = group->config.vd_count - 1;

    ASSERT(group->config.vd_count > 0 && group->vds[vd->index] == vd);
    for (uint32_t i = vd->index; i < last; i++) {
        group->config.vds[i] = group->config.vds[i + 1];
        group->vds[i] = group->vds[i + 1];
        group->vds[i]->index = i;
    }
    memset(&group->config.vds[last], 0, sizeof(group->config.vds[last]));
    group->vds[last] = NULL;
    group->config.vd_count--;
}

/* Applying */

static int apply_change(struct group_edit *edit)
{
    struct group *group = edit->group;
    uint32_t vd_count = group->config.vd_count;
    uint32_t member_count = group->config.member_count;

    edit->undo = malloc(sizeof(group->config.vds));
    edit->undo_members = malloc(sizeof(group->config.members));
    ASSERT(edit->undo != NULL && edit->undo_members != NULL);
    memcpy(edit->undo, group->config.vds, sizeof(group->config.vds));
    memcpy(edit->undo_members, group->config.members, sizeof(group->config.members));
    edit->undo_index = group->config.index;
    edit->change(&group->config, edit->change_context);
    ASSERT(group->config.vd_count == vd_count); /* those have calls of their own */
    ASSERT(group->config.member_count == member_count);
    /* Writes may go past the log from now on: not before that is durable. */
    edit->unlogs = generations_set(group);
    return 0;
}

bool group_vd_fits(const struct group *group, const struct vd_config *vd)
{
    const struct vd_config *first = &group->config.vds[0];
    uint64_t end_bytes = vd->extent_start_bytes + vd->geometry.extent_bytes;

    if (geometry_member_count(&vd->geometry) != group->config.member_count ||
        geometry_row_width(&vd->geometry) > group->op_width ||
        (group->config.vd_count > 0 && (first->geometry.level != vd->geometry.level ||
                                        first->geometry.span_count != vd->geometry.span_count))) {
        return false;
    }
    for (uint32_t i = 0; i <= group->config.member_count; i++) {
        const struct drive *drive =
            i < group->config.member_count ? group->members[i].drive : group->twin.drive;

        if (drive != NULL && drive_room_bytes(drive, group->config.compact) < end_bytes) {
            return false;
        }
    }
    return true;
}

static int apply_vd_add(struct group_edit *edit)
{
    struct group *group = edit->group;
    int error = 0;

    if (group->config.vd_count == GROUP_VDS_MAX) {
        return -ENOSPC;
    }
    if (!group_vd_fits(group, &edit->vd_config)) {
        return -EINVAL;
    }
    edit->vd_config.intent_generation = 0;
    group->config.vds[group->config.vd_count] = edit->vd_config;
    error = vd_create(group, group->config.vd_count, &edit->vd);
    if (error == 0) {
        vd_array_insert(group, edit->vd, &edit->vd_config);
        region_store_renew(edit->vd, true);
        twin_step_back(group, edit->vd_config.extent_start_bytes);
        (void)generations_set(group); /* part of this edit */
    }
    return error;
}

static int apply_vd_remove(struct group_edit *edit)
{
    struct vd *vd = edit->vd;

    if (vd->requests_open > 0 || vd->syncs_open > 0 || vd->cleaning ||
        edit->group->checkpoint_running) {
        return -EBUSY;
    }
    clock_cancel(edit->group->clock, &vd->idle_timer);
    region_store_rest(vd->regions);
    vd->serving = false;
    edit->vd_config = *vd_config_of(vd);
    vd_array_remove(edit->group, vd);
    return 0;
}

static int apply_replace(struct group_edit *edit)
{
    struct group *group = edit->group;
    struct member *member = &group->members[edit->member];
    struct member_config old = group->config.members[edit->member];

    if (member_is_live(group, edit->member) || member_flush_is_busy(member) ||
        member->loss_unsaved) {
        return -EBUSY;
    }
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        if (region_store_uses(group->vds[i]->regions, edit->member)) {
            return -EBUSY;
        }
    }
    if (stripe_log_uses(group->stripe_log, edit->member)) {
        return -EBUSY;
    }
    if (!drive_is_present(edit->drive)) {
        return -ENODEV;
    }
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (i != edit->member &&
            uuid_equal(&group->config.members[i].drive, &edit->member_config.drive)) {
            return -EEXIST;
        }
    }
    group->config.members[edit->member] = edit->member_config;
    edit->member_config = old;
    /* Part of this edit. What is gone for good stays so, whatever is rebuilt there. */
    (void)bad_blocks_drop(&group->config, edit->member, 0, UINT64_MAX,
                          SIM_BUG(PUNCTURE_REPLACED) ? BAD_KINDS_ALL
                                                     : BAD_KINDS_ALL & ~BAD_KINDS_GONE);
    member->drive = edit->drive;
    group_store_ddf_forget(group->store, edit->drive);
    member->rebuild_number++;
    member->rebuilt_bytes = SIM_BUG(REPLACED_TRUSTED) ? UINT64_MAX / 2 : 0;
    member->checkpoint_bytes = 0;
    member->written = 1;
    member->flushed = 0;
    regions_republish(group); /* part of this edit too */
    group_states_update(group);
    return 0;
}

static int apply_copyback(struct group_edit *edit)
{
    struct group *group = edit->group;

    if (group->twin.drive != NULL || member_flush_is_busy(&group->twin) ||
        group->config.members[edit->member].state != MEMBER_ONLINE) {
        return -EBUSY;
    }
    if (!drive_is_present(edit->drive)) {
        return -ENODEV;
    }
    group->config.copyback = edit->copyback; /* a drive named twice: found by the check */
    group->twin.drive = edit->drive;
    group_store_ddf_forget(group->store, edit->drive);
    group->twin_member = edit->member;
    group->twin_number++;
    group->twin.rebuilt_bytes = 0;
    group->twin.checkpoint_bytes = 0;
    group->twin.written = 1;
    group->twin.flushed = 0;
    return 0;
}

static int apply_exchange(struct group_edit *edit)
{
    edit->copyback = edit->group->config.copyback;
    return twin_exchange(edit->group, &edit->member_config);
}

/* Nothing of either drive may be under way. Requests wait for this edit, so it waits for no drive
 * that may never answer: such a one is lost, and then there is nothing to exchange any more. */
static bool exchange_has_to_wait(const struct group_edit *edit)
{
    const struct group *group = edit->group;
    bool busy = member_flush_is_busy(&group->members[edit->member]) ||
                member_flush_is_busy(&group->twin) ||
                stripe_log_uses(group->stripe_log, edit->member);

    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        busy = busy || region_store_uses(group->vds[i]->regions, edit->member);
    }
    return busy && group->twin.drive != NULL;
}

/* Who is a member, and since when, is for the members to know: of several records the newest wins,
 * and every member that counts has it. So a rebuild or a copyback waits for no room in the state
 * directory. What a group consists of is recorded there as well: else one whose drives are away
 * would not be known. */
bool edit_labels_suffice(const struct group *group)
{
    ASSERT(group->edit != NULL);
    return group->edit->kind == EDIT_REPLACE || group->edit->kind == EDIT_COPYBACK ||
           group->edit->kind == EDIT_EXCHANGE;
}

/* A virtual drive goes only when nothing of it is under way any more. */
static bool edit_has_to_wait(const struct group_edit *edit)
{
    if (edit->kind == EDIT_EXCHANGE) {
        return exchange_has_to_wait(edit);
    }
    if (edit->kind == EDIT_VD_GROW) {
        return growth_has_to_wait(&edit->growth);
    }
    return edit->kind == EDIT_VD_REMOVE && region_store_is_busy(edit->vd->regions);
}

static int edit_apply(struct group_edit *edit)
{
    switch (edit->kind) {
    case EDIT_CHANGE:
        return apply_change(edit);
    case EDIT_VD_ADD:
        return apply_vd_add(edit);
    case EDIT_VD_REMOVE:
        return apply_vd_remove(edit);
    case EDIT_REPLACE:
        return apply_replace(edit);
    case EDIT_COPYBACK:
        return apply_copyback(edit);
    case EDIT_EXCHANGE:
        return apply_exchange(edit);
    case EDIT_VD_GROW:
        return growth_apply(&edit->growth);
    }
    UNREACHABLE();
}

/* Undoing */

/* Of a place without a drive nothing changes but by an edit. */
static void undo_places(struct group_edit *edit)
{
    struct group *group = edit->group;

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        enum member_state before = edit->undo_members[i].state;

        if (before != MEMBER_ONLINE && before != MEMBER_REBUILD) {
            ASSERT(!member_is_live(group, i));
            group->config.members[i] = edit->undo_members[i];
        }
    }
}

/* Everything an administrator can change, but not the marks and cursors of the engine. */
static void undo_change(struct group_edit *edit)
{
    struct group *group = edit->group;

    group->config.index = edit->undo_index;
    undo_places(edit);
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        struct vd_config now = group->config.vds[i];

        group->config.vds[i] = edit->undo[i];
        group->config.vds[i].dirty = now.dirty;
        group->config.vds[i].resync = now.resync;
        group->config.vds[i].resync_unlogged = now.resync_unlogged;
        group->config.vds[i].consistent_rows = now.consistent_rows;
        group->config.vds[i].intent_generation = now.intent_generation;
        group->config.vds[i].map_slot = now.map_slot;
        group->config.vds[i].map_epoch = now.map_epoch;
        group->config.vds[i].map_ready = now.map_ready;
        group->config.vds[i].cache_journal = now.cache_journal;
        group->config.vds[i].cache_lost = now.cache_lost;
        group->config.vds[i].cache_discarded_bytes = now.cache_discarded_bytes;
        group->config.vds[i].cache_damaged = now.cache_damaged;
    }
}

/* Of an edit that no save has begun to carry: no intent has been written since. */
static void undo_generations(struct group_edit *edit)
{
    struct group *group = edit->group;

    for (uint32_t i = 0; i < group->config.vd_count && edit->kind == EDIT_CHANGE; i++) {
        group->config.vds[i].intent_generation = edit->undo[i].intent_generation;
    }
}

static void undo_replace(struct group_edit *edit)
{
    struct group *group = edit->group;
    struct member *member = &group->members[edit->member];
    const struct member_config now = group->config.members[edit->member];

    member->drive = NULL;
    member->loss_unsaved = false;
    group->config.members[edit->member] = edit->member_config;
    if (uuid_equal(&now.drive, &edit->member_config.drive)) { /* its label may have been written */
        group->config.members[edit->member].known_sequence = now.known_sequence;
    }
    group_states_update(group);
}

static void edit_undo(struct group_edit *edit)
{
    switch (edit->kind) {
    case EDIT_CHANGE:
        undo_change(edit);
        break;
    case EDIT_VD_ADD:
        vd_array_remove(edit->group, edit->vd);
        edit->vd = vd_free(edit->vd);
        break;
    case EDIT_VD_REMOVE:
        vd_array_insert(edit->group, edit->vd, &edit->vd_config);
        edit->vd->serving = true;
        edit->group->regions_due = true;
        break;
    case EDIT_REPLACE:
        undo_replace(edit);
        break;
    case EDIT_COPYBACK:
        memset(&edit->group->config.copyback, 0, sizeof(edit->copyback));
        edit->group->twin.drive = NULL;
        break;
    case EDIT_EXCHANGE:
        twin_exchange_undo(edit->group, &edit->member_config, &edit->copyback);
        break;
    case EDIT_VD_GROW:
        growth_undo(&edit->growth);
        break;
    }
}

/* What is put there later has nothing to do with them. */
static void bad_drop_extent(struct group *group, const struct vd_config *config)
{
    bool any = false;

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        any = bad_blocks_drop(&group->config, i, config->extent_start_bytes,
                              config->geometry.extent_bytes, BAD_KINDS_ALL) ||
              any;
    }
    if (any) {
        (void)save_changed(group); /* nobody waits for that */
    }
}

/* The new drive may have failed meanwhile. Then the place is again that of the former one, with
 * what is recorded of that: what happened to the new drive is not its fault. */
static int replace_done(struct group_edit *edit)
{
    struct group *group = edit->group;
    struct member_config *now = &group->config.members[edit->member];

    if (member_is_live(group, edit->member)) {
        if (group->observer.member_changed != NULL) {
            group->observer.member_changed(group->observer.context, group, edit->member,
                                           edit->member_config.state, REASON_OK);
        }
        return 0;
    }
    if (!uuid_equal(&now->drive, &edit->member_config.drive) &&
        !group->members[edit->member].loss_unsaved) {
        *now = edit->member_config;
        group_states_update(group);
        (void)save_changed(group); /* nobody waits */
    }
    return -EIO;
}

static int edit_done_well(struct group_edit *edit)
{
    struct group *group = edit->group;

    switch (edit->kind) {
    case EDIT_CHANGE:
        for (uint32_t i = 0; i < group->config.vd_count; i++) {
            vd_target_update(group->vds[i]);
            vd_changed_tell(group->vds[i]);
        }
        stripe_log_review(group);
        break;
    case EDIT_VD_ADD:
        edit->vd->serving = true;
        group->regions_due = true;
        stripe_log_review(group);
        break;
    case EDIT_VD_REMOVE:
        edit->vd = vd_free(edit->vd);
        bad_drop_extent(group, &edit->vd_config);
        break;
    case EDIT_REPLACE:
        return replace_done(edit);
    case EDIT_COPYBACK:
        /* So may one of the two. */
        return group->twin.drive == edit->drive ? 0 : -ENODEV;
    case EDIT_EXCHANGE:
        return twin_exchange_done(group) ? 0 : -ENODEV;
    case EDIT_VD_GROW:
        growth_done(&edit->growth);
        break;
    }
    return 0;
}

void edit_pump(struct group *group)
{
    struct list *node = NULL;

    ASSERT(group->edit == NULL && !group->save_running);
    while ((node = list_pop_head(&group->edits)) != NULL) {
        struct group_edit *edit = list_entry(node, struct group_edit, link);
        const char *why = NULL;
        int error = 0;

        group->growing = group->growing || edit->kind == EDIT_VD_GROW; /* no operation begins now */
        if (edit_has_to_wait(edit)) {
            list_push_head(&group->edits, node);
            return;
        }
        error = edit_apply(edit);
        if (error == 0 && group_config_check(&group->config, &why) != 0) {
            edit_undo(edit); /* a record that could not be read back is not written */
            undo_generations(edit);
            error = -EINVAL;
        }
        if (error == 0) {
            group->edit = edit;
            group->change++;
            group->loss_change = edit->unlogs ? group->change : group->loss_change;
            return;
        }
        edit_finish(edit, error);
    }
}

void edits_refuse(struct group *group)
{
    struct list *node = NULL;

    while ((node = list_pop_head(&group->edits)) != NULL) {
        edit_finish(list_entry(node, struct group_edit, link), -EIO);
    }
}

void edit_saved(struct group *group, int error)
{
    struct group_edit *edit = group->edit;

    ASSERT(edit != NULL);
    group->edit = NULL;
    if (error == 0) {
        error = edit_done_well(edit);
    } else {
        if (!SIM_BUG(EDIT_NOT_UNDONE) || edit->kind != EDIT_CHANGE) {
            edit_undo(edit);
        }
        (void)generations_set(group);
        /* The store may have taken what no label would. */
        (void)save_changed(group);
    }
    edit_finish(edit, error);
}

/* What others ask for */

void group_config_change(struct group *group, group_edit_fn change, void *context,
                         void (*done)(void *context, int error), void *done_context)
{
    struct group_edit *edit = edit_new(group, EDIT_CHANGE);

    ASSERT(change != NULL);
    edit->change = change;
    edit->change_context = context;
    edit->done.plain = done;
    edit->done_context = done_context;
    edit_queue(edit);
}

void group_vd_add(struct group *group, const struct vd_config *config,
                  void (*done)(void *context, int error, struct vd *vd), void *context)
{
    struct group_edit *edit = edit_new(group, EDIT_VD_ADD);

    ASSERT(done != NULL);
    edit->vd_config = *config;
    edit->done.with_vd = done;
    edit->done_context = context;
    edit_queue(edit);
}

void group_vd_remove(struct group *group, struct vd *vd, void (*done)(void *context, int error),
                     void *context)
{
    struct group_edit *edit = edit_new(group, EDIT_VD_REMOVE);

    ASSERT(vd->group == group);
    edit->vd = vd;
    edit->done.plain = done;
    edit->done_context = context;
    edit_queue(edit);
}

void group_vd_grow(struct group *group, struct vd *vd, uint64_t extent_bytes, uint64_t size_bytes,
                   void (*done)(void *context, int error), void *context)
{
    struct group_edit *edit = edit_new(group, EDIT_VD_GROW);

    ASSERT(vd->group == group && done != NULL);
    edit->growth =
        (struct growth){.vd = vd, .extent_bytes = extent_bytes, .size_bytes = size_bytes};
    edit->done.plain = done;
    edit->done_context = context;
    edit_queue(edit);
}

static uint64_t data_end_bytes(const struct group *group)
{
    uint64_t end_bytes = 0;

    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        const struct vd_config *vd = &group->config.vds[i];

        end_bytes = max_u64(end_bytes, vd->extent_start_bytes + vd->geometry.extent_bytes);
    }
    return end_bytes;
}

void group_member_replace(struct group *group, uint32_t member, struct drive *drive,
                          const struct uuid *drive_uuid, void (*done)(void *context, int error),
                          void *context)
{
    struct group_edit *edit = edit_new(group, EDIT_REPLACE);

    ASSERT(member < group->config.member_count && drive != NULL);
    edit->member = member;
    edit->drive = drive;
    edit->member_config.drive = *drive_uuid;
    edit->member_config.state = MEMBER_REBUILD;
    edit->member_config.why = REASON_OK;
    memcpy(edit->member_config.serial, drive_identity(drive)->serial,
           sizeof(edit->member_config.serial));
    member_place_set(&edit->member_config, drive);
    edit->done.plain = done;
    edit->done_context = context;
    if (drive_room_bytes(drive, group->config.compact) < data_end_bytes(group) &&
        !SIM_BUG(SPARE_TOO_SMALL)) {
        group_enter(group);
        edit_finish(edit, -ENOSPC);
        group_leave_later(group);
        return;
    }
    edit_queue(edit);
}

void group_copyback_start(struct group *group, uint32_t member, struct drive *drive,
                          const struct uuid *drive_uuid, void (*done)(void *context, int error),
                          void *context)
{
    struct group_edit *edit = edit_new(group, EDIT_COPYBACK);

    ASSERT(member < group->config.member_count && drive != NULL);
    edit->member = member;
    edit->drive = drive;
    edit->copyback =
        (struct copyback_config){.active = true, .member = member, .drive = *drive_uuid};
    edit->done.plain = done;
    edit->done_context = context;
    if (drive_room_bytes(drive, group->config.compact) < data_end_bytes(group)) {
        group_enter(group);
        edit_finish(edit, -ENOSPC);
        group_leave_later(group);
        return;
    }
    edit_queue(edit);
}

const struct member_config *edit_former_member(const struct group *group)
{
    ASSERT(group->edit != NULL && group->edit->kind == EDIT_EXCHANGE);
    return &group->edit->member_config;
}

static void exchange_edited(void *context, int error)
{
    struct group *group = context;

    group_enter(group);
    exchange_end(group, error);
    group_leave_later(group);
}

/* The twin takes the member's place. */
void exchange_edit(struct group *group)
{
    struct group_edit *edit = edit_new(group, EDIT_EXCHANGE);
    const struct drive *drive = group->twin.drive;

    ASSERT(drive != NULL);
    edit->member = group->twin_member;
    edit->member_config.drive = group->config.copyback.drive;
    edit->member_config.state = MEMBER_ONLINE;
    edit->member_config.why = REASON_OK;
    memcpy(edit->member_config.serial, drive_identity(drive)->serial,
           sizeof(edit->member_config.serial));
    member_place_set(&edit->member_config, drive);
    edit->done.plain = exchange_edited;
    edit->done_context = group;
    edit_queue(edit);
}
