/*
 * One save at a time. Every change of the configuration gets a number; a save carries all
 * changes up to its start; who needs a change durable waits for its number.
 *
 * (1) saved <= saving <= change; saved only grows.
 * (2) A save during which a member's label failed is no success: the member has been lost
 *     by then, which is a new change, and the next save carries it. At most member_count saves
 *     can fail that way.
 * (3) Marks (losses, dirty and clean, cursors) are durable with the labels alone; a save that
 *     carries an edit of the administrator needs the store too and leaves the labels alone if
 *     that fails, so that the edit can be undone.
 * (4) A label that a save has flushed is known of its member from the next record on (group_store.h
 *     (3)), even if the save fails afterwards, as when the drive is pulled while its DDF metadata
 *     follow, or if its edit is undone because the last copies refuse it. Of a label whose flush
 *     was not acknowledged nothing is known: calling a record that is not there known would make
 *     the drive look like an old copy.
 * (5) No record calls a member lost before the survivors have flushed (flush.c (3)).
 * (6) A save that a last copy has refused (group_members.c (3)) is no success either. It is tried
 *     again when the group does not refuse any more; who waited for it gets an error.
 * (7) A label that was not acknowledged may be there all the same. The group remembers which record
 *     it was, so that the drive does not count as one that was in use elsewhere (ctl/ctl_later.c
 *     (1)). The number alone would not do: another life of the drive goes on from the same one.
 */
#include <errno.h>

#include "cache/journal.h"
#include "vd/group_private.h"

static void save_member_failed(struct group_save *save, uint32_t member, enum io_status status)
{
    struct group *group = save->owner;

    group_enter(group);
    if (group->members[member].drive == group->save_drives[member] &&
        member_refusal_note(group, member, status)) {
        group->save_member_refused = true; /* judged when all have answered */
        group_leave(group);
        return;
    }
    group->save_member_failed = true;
    /* The former member of a copyback may be in its place again: it has done nothing. */
    if (group->members[member].drive == group->save_drives[member]) {
        member_lose_by_status(group, member, IO_OP_WRITE, status);
    }
    group_leave(group);
}

static uint64_t stamp_now(struct group *group)
{
    return group->options.journal != NULL ? journal_stamp(group->options.journal) : 0;
}

/* The record as it is to be read after a restart. */
static void image_make(struct group *group)
{
    uint64_t stamp = stamp_now(group);

    group->config.sequence += SIM_BUG(SEQUENCE_NOT_BUMPED) ? 0 : 1;
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        group->config.vds[i].journal_stamp = stamp;
    }
    group_durable_config(group, &group->image);
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        group->save_drives[i] = group->members[i].drive;
    }
}

/* (6): those of changes after `first` up to `last`. */
static void save_waiters_refuse(struct group *group, uint64_t first, uint64_t last)
{
    LIST_FOR_EACH_SAFE (node, following, &group->save_waiters) {
        struct save_waiter *waiter = list_entry(node, struct save_waiter, notice.link);

        if (waiter->change > first && waiter->change <= last) {
            list_remove(node);
            group_notice_add(group, &waiter->notice, -EROFS);
        }
    }
}

static void save_is_refused(struct group *group)
{
    if (group->edit != NULL) {
        edit_saved(group, -EIO);
    }
    save_waiters_refuse(group, 0, group->saving);
    edits_refuse(group);
    stripe_marks_check(group);
}

void saves_refuse(struct group *group)
{
    ASSERT(group->loss_unflushed);
    group->save_refused = !group->save_running;
    save_waiters_refuse(group, group->save_running ? group->saving : 0, group->change);
    edits_refuse(group);
    stripe_marks_check(group);
}

static void save_waiters_deliver(struct group *group, int error)
{
    LIST_FOR_EACH_SAFE (node, following, &group->save_waiters) {
        struct save_waiter *waiter = list_entry(node, struct save_waiter, notice.link);

        if (waiter->change <= group->saved) {
            list_remove(node);
            group_notice_add(group, &waiter->notice, error);
        }
    }
}

/* (7): before any of it can be on a drive. */
static void image_note_tried(struct group *group)
{
    uint32_t sum = group_record_sum(&group->image, group->record);

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (group->save_drives[i] != NULL) {
            group->members[i].tried_sequence = group->image.sequence;
            group->members[i].tried_sum = sum;
        }
    }
}

/* (7): the record that the group was found with is on them, or was about to be. */
static void tried_init(struct group *group)
{
    uint32_t sum = group_record_sum(&group->config, group->record);

    for (uint32_t i = 0; i < group->config.member_count; i++) {
        enum member_state state = group->config.members[i].state;

        if (state == MEMBER_ONLINE || state == MEMBER_REBUILD) {
            group->members[i].tried_sequence = group->config.sequence;
            group->members[i].tried_sum = sum;
        }
    }
}

bool group_record_is_own(const struct group *group, uint32_t member,
                         const struct group_config *record)
{
    ASSERT(member < group->config.member_count);
    return group->members[member].tried_sum != 0 &&
           group->members[member].tried_sequence == record->sequence &&
           group->members[member].tried_sum == group_record_sum(record, group->record);
}

/* (4) */
static void save_member_labeled(struct group_save *save, uint32_t member)
{
    struct group *group = save->owner;
    struct member_config *config = &group->config.members[member];
    const struct member_config *saved = &group->image.members[member];

    ASSERT(group->save_running && group->save_drives[member] != NULL);
    ASSERT(saved->state == MEMBER_ONLINE || saved->state == MEMBER_REBUILD);
    if (uuid_equal(&config->drive, &saved->drive)) {
        config->known_sequence = group->image.sequence;
    }
}

static void save_complete(struct group_save *save, int error)
{
    struct group *group = save->owner;
    bool again = false;

    group_enter(group);
    ASSERT(group->save_running);
    if (group->save_member_refused) {
        /* Judged with somebody else's long ago, nobody has been lost for it. */
        group->save_refused = member_refusals_judge(group) || group->saving == group->change;
        group->save_member_failed = true; /* or lost by now */
    }
    again = group->save_member_failed && !group_is_offline(group);
    ASSERT(!again || group->save_refused || group->saving < group->change); /* (2) */
    group->save_running = false;
    if (group->save_refused && !group_is_offline(group)) {
        save_is_refused(group);
        group_leave(group);
        return;
    }
    if (!again || error != 0) {
        if (group->edit == NULL || error == 0) { /* else (3): the next one carries what is undone */
            group->saved = max_u64(group->saved, group->saving);
        }
        group->saved_sequence = error == 0 ? group->image.sequence : group->saved_sequence;
        if (group->edit != NULL) {
            edit_saved(group, error);
            error = 0; /* it was saved alone: whoever else waits does so for nothing but its end */
        }
        save_waiters_deliver(group, error);
        intents_given_up_end(group);
        stripe_marks_check(group);
    }
    ASSERT(group->saved <= group->change);
    group_leave(group);
}

static void save_start(struct group *group, bool ordinary)
{
    ASSERT(!group->save_running);
    ASSERT(group->depth > 0);
    image_make(group);
    image_note_tried(group);
    group->save_running = true;
    group->save_member_failed = false;
    group->save_refused = false;
    group->save_member_refused = false;
    group->saving = group->change;
    group->save.config = &group->image;
    group->save.drives = group->save_drives;
    group->save.controller = &group->controller;
    group->save.member_failed = save_member_failed;
    group->save.member_labeled = save_member_labeled;
    group->save.complete = save_complete;
    group->save.labels_suffice = !ordinary || edit_labels_suffice(group);
    group->save.closing = group->stop >= STOP_SAVE;
    group->save.owner = group;
    group_store_save(group->store, &group->save);
}

/* At the end of each turn: unsaved changes first, then the next edit, alone. */
void save_pump(struct group *group)
{
    if (group->save_running || group->loss_unflushed || /* (5) */
        (group->refusing && (group->stop < STOP_SAVE || group->save_refused))) { /* (6) */
        return;
    }
    if (group->saved < group->change) {
        save_start(group, false);
        return;
    }
    edit_pump(group);
    if (group->saved < group->change) {
        ASSERT(group->edit != NULL);
        save_start(group, true);
    }
}

void save_init(struct group *group)
{
    list_init(&group->save_waiters);
    list_init(&group->mark_waiters);
    tried_init(group);
}

uint64_t save_changed(struct group *group)
{
    ASSERT(group->depth > 0); /* the end of the turn starts the save */
    group->change++;
    return group->change;
}

uint64_t group_saved_sequence(const struct group *group)
{
    return group->saved_sequence;
}

void group_stamp(struct group *group)
{
    uint64_t stamp = 0;
    bool written = false;

    if (group_is_offline(group) || !group->online) {
        return;
    }
    stamp = stamp_now(group);
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        const struct vd_config *config = &group->config.vds[i];

        written = written || ((config->dirty || !uuid_is_zero(&config->cache_journal)) &&
                              config->journal_stamp != stamp);
    }
    if (!written) {
        return;
    }
    group_enter(group);
    (void)save_changed(group);
    group_leave(group);
}

void save_wait(struct group *group, struct save_waiter *waiter)
{
    ASSERT(waiter->notice.deliver != NULL);
    waiter->change = group->change;
    list_init(&waiter->notice.link);
    if (save_is_durable(group, waiter->change)) {
        group_notice_add(group, &waiter->notice, 0);
    } else {
        list_push_tail(&group->save_waiters, &waiter->notice.link);
    }
}
