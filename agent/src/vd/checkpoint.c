/*
 * Checkpoints: the cursors of rebuilds and of consistent rows as they are now become durable,
 * after everything they vouch for has been flushed.
 *
 * (1) What is published was captured before the flush began. The surprising order: capture,
 *     flush, settle, publish; publishing the cursor of *now* would vouch for unflushed writes.
 * (2) One checkpoint at a time; requests that come meanwhile share the next one.
 */
#include <errno.h>
#include <stdlib.h>

#include "vd/group_private.h"

struct checkpoint {
    struct list link;
    void (*done)(void *context, int error);
    void *context;
};

static void checkpoint_begin(struct group *group);

static void checkpoint_saved(struct notice *notice)
{
    struct group *group = container_of(notice, struct group, checkpoint_save.notice);
    struct list *node = NULL;

    ASSERT(group->checkpoint_running);
    while ((node = list_pop_head(&group->checkpoints_running)) != NULL) {
        struct checkpoint *checkpoint = list_entry(node, struct checkpoint, link);

        checkpoint->done(checkpoint->context, notice->error);
        free(checkpoint);
    }
    group->checkpoint_running = false;
    if (!list_is_empty(&group->checkpoints)) {
        checkpoint_begin(group);
    }
}

void checkpoint_publish_rows(struct vd *vd, uint64_t rows)
{
    struct vd_config *config = vd_config_of(vd);

    bool was_whole = config->consistent_rows == geometry_row_count(&config->geometry);

    config->consistent_rows = max_u64(config->consistent_rows, rows);
    if (config->consistent_rows == geometry_row_count(&config->geometry) &&
        (config->resync || !was_whole) && vd->checkpoint_sound) {
        config->resync = false;
        config->resync_unlogged = false;
        vd_changed_tell(vd);
    }
}

static void checkpoint_publish(struct group_settle *settle, int error)
{
    struct group *group = container_of(settle, struct group, checkpoint_settle);

    if (error != 0) {
        group_notice_add(group, &group->checkpoint_save.notice, error);
        return;
    }
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        struct member_config *member = &group->config.members[i];

        if (member->state == MEMBER_REBUILD) {
            member->rebuilt_bytes =
                max_u64(member->rebuilt_bytes, group->members[i].checkpoint_bytes);
        }
    }
    if (group->config.copyback.active) {
        group->config.copyback.copied_bytes =
            max_u64(group->config.copyback.copied_bytes, group->twin.checkpoint_bytes);
    }
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        checkpoint_publish_rows(group->vds[i], group->vds[i]->checkpoint_rows);
    }
    (void)save_changed(group); /* save_wait() waits for it */
    save_wait(group, &group->checkpoint_save);
}

static void checkpoint_flushed(struct flush_waiter *waiter, int error)
{
    struct group *group = container_of(waiter, struct group, checkpoint_flush);

    if (error != 0 || SIM_BUG(CURSOR_UNSETTLED)) {
        checkpoint_publish(&group->checkpoint_settle, error);
    } else {
        group_settle(group, &group->checkpoint_settle, checkpoint_publish);
    }
}

static void checkpoint_begin(struct group *group)
{
    struct list *node = NULL;

    ASSERT(!group->checkpoint_running);
    group->checkpoint_running = true;
    while ((node = list_pop_head(&group->checkpoints)) != NULL) {
        list_push_tail(&group->checkpoints_running, node);
    }
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        group->members[i].checkpoint_bytes = group->members[i].rebuilt_bytes;
    }
    group->twin.checkpoint_bytes = group->twin.rebuilt_bytes;
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        group->vds[i]->checkpoint_rows = group->vds[i]->consistent_rows;
        group->vds[i]->checkpoint_sound = vd_regions_are_sound(group->vds[i]);
    }
    group->checkpoint_flush.done = checkpoint_flushed;
    group->checkpoint_save.notice.deliver = checkpoint_saved;
    if (SIM_BUG(CHECKPOINT_UNFLUSHED)) {
        checkpoint_flushed(&group->checkpoint_flush, 0);
        return;
    }
    flush_wait(group, &group->checkpoint_flush);
}

void checkpoint_init(struct group *group)
{
    list_init(&group->checkpoints);
    list_init(&group->checkpoints_running);
}

void group_checkpoint(struct group *group, void (*done)(void *context, int error), void *context)
{
    struct checkpoint *checkpoint = calloc(1, sizeof(*checkpoint));

    ASSERT(checkpoint != NULL && done != NULL);
    checkpoint->done = done;
    checkpoint->context = context;
    list_init(&checkpoint->link);
    group_enter(group);
    list_push_tail(&group->checkpoints, &checkpoint->link);
    if (!group->checkpoint_running) {
        checkpoint_begin(group);
    }
    group_leave_later(group);
}
