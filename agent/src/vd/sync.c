/*
 * Syncs: a background task's request to make rows consistent and fill members in rebuild,
 * split into stripe operations of whole slices in background class.
 *
 * (1) A sync has at most STRIPE_SYNC_OPS operations, from a pool of its own.
 * (2) A slice beyond redundancy is counted and does not end the sync; the loss of every rebuild
 *     target does.
 * (3) A block is mended only where its row is known consistent: elsewhere what is recovered may be
 *     another version than what it had.
 * (4) A check (check.c) is a sync too, so that it has the lock of what it compares.
 */
#include <errno.h>
#include <string.h>

#include "vd/group_private.h"

static uint32_t rebuild_places(const struct group *group, const struct row_map *map)
{
    uint32_t mask = 0;

    for (uint32_t place = 0; place < map->width; place++) {
        if (group->config.members[row_map_member(map, place)].state == MEMBER_REBUILD) {
            mask |= UINT32_C(1) << place;
        }
    }
    return mask;
}

static uint32_t twin_mask(struct stripe_op *op)
{
    uint32_t place = twin_place(op);

    return place == TWIN_NOWHERE ? 0 : UINT32_C(1) << place;
}

/* All data are asked for: then nothing that must be recovered is left out. Without a request they
 * go nowhere. */
static uint32_t all_data(const struct stripe_op *op)
{
    return stripe_is_mirrored(op) ? 1u : stripe_data_mask(op);
}

static void mend_piece(struct vd_sync *sync, struct stripe_op *op)
{
    uint32_t place = 0;

    while (row_map_member(&op->map, place) != sync->mend_member) {
        place++;
        ASSERT(place < op->map.width);
    }
    op->vd = sync->vd;
    op->sync = sync;
    op->want = PLAN_READ;
    op->slice = sync->mend_lo / SLICE_MAX_BYTES;
    op->lo = sync->mend_lo;
    op->hi = sync->mend_lo + IO_ALIGN_BYTES;
    op->mend = UINT32_C(1) << place;
    op->touched = all_data(op);
}

/* The next slice with something to do for this sync, if any, into op. */
static bool sync_piece(struct vd_sync *sync, struct stripe_op *op)
{
    struct sync_state *state = sync_state(sync);
    const struct geometry *geometry = &vd_config_of(sync->vd)->geometry;
    uint64_t end = sync->row + sync->row_count;

    while (state->row < end) {
        geometry_row_map(geometry, state->row, &op->map);
        if (sync->mend) {
            mend_piece(sync, op);
            state->row++;
            return true;
        }
        op->fill = sync->fill ? rebuild_places(sync->vd->group, &op->map) : 0;
        op->copy = sync->copy ? twin_mask(op) : 0;
        if ((sync->fill && op->fill == 0) || (sync->copy && op->copy == 0)) {
            state->row++;
            state->slice = 0;
            continue;
        }
        op->vd = sync->vd;
        op->sync = sync;
        op->want = PLAN_SYNC;
        if (sync->check != NULL) {
            op->want = PLAN_READ;
            op->touched = all_data(op);
        }
        op->slice = state->slice;
        op->lo = state->slice * SLICE_MAX_BYTES;
        op->hi = min_u32(op->lo + SLICE_MAX_BYTES, geometry->strip_bytes);
        state->slice++;
        if (op->hi == geometry->strip_bytes) {
            state->slice = 0;
            state->row++;
        }
        return true;
    }
    return false;
}

static bool any_rebuild(const struct group *group)
{
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (group->config.members[i].state == MEMBER_REBUILD) {
            return true;
        }
    }
    return false;
}

static void sync_split(struct group *group, struct vd_sync *sync)
{
    struct sync_state *state = sync_state(sync);

    if (state->split == 0 && (group_is_offline(group) || (sync->fill && !any_rebuild(group)) ||
                              (sync->copy && group_copyback_drive(group) == NULL))) {
        state->error = sync->fill || sync->copy ? -ENODEV : -EIO;
        state->split = 1;
    }
    if (state->split == 0 && sync->mend && !row_is_consistent(sync->vd, sync->row) &&
        !SIM_BUG(MEND_IN_DOUBT)) {
        state->error = -EAGAIN; /* (3) */
        state->split = 1;
    }
    while (state->split == 0) {
        struct stripe_op *op = stripe_op_take(group, &group->sync_ops);

        if (op == NULL) {
            return;
        }
        if (!sync_piece(sync, op)) {
            stripe_op_give(op);
            state->split = 1;
            return;
        }
        state->open_ops++;
        stripe_start(op);
    }
}

void syncs_pump(struct group *group)
{
    LIST_FOR_EACH_SAFE (node, following, &group->syncs) {
        struct vd_sync *sync = list_entry(node, struct vd_sync, link);

        sync_split(group, sync);
        if (sync_state(sync)->split != 0 && sync_state(sync)->open_ops == 0) {
            list_remove(&sync->link);
            list_push_tail(&group->syncs_done, &sync->link);
        }
    }
}

/* Called at the end of a turn with one of syncs_done. */
void sync_deliver(struct vd_sync *sync)
{
    struct sync_state *state = sync_state(sync);
    struct vd *vd = sync->vd;

    ASSERT(state->open_ops == 0 && state->split != 0);
    ASSERT(vd->syncs_open > 0 && vd->group->syncs_open > 0);
    vd->syncs_open--;
    vd->group->syncs_open--;
    sync->complete(sync, state->error);
}

void sync_op_done(struct stripe_op *op)
{
    struct sync_state *state = sync_state(op->sync);

    ASSERT(state->open_ops > 0);
    state->open_ops--;
    if (stripe_is_check(op)) {
        check_op_done(op);
    }
    if (op->error != 0 && (state->error == 0 || op->error == -ENOSPC || op->error == -EROFS)) {
        state->error = op->error; /* what ends the work outweighs what it bears */
    }
}

void syncs_cancel(struct group *group)
{
    LIST_FOR_EACH (node, &group->syncs) {
        struct sync_state *state = sync_state(list_entry(node, struct vd_sync, link));

        state->split = 1;
        state->error = -ECANCELED;
    }
}

void syncs_cancel_beyond(struct vd *vd)
{
    uint64_t rows = geometry_row_count(&vd_config_of(vd)->geometry);

    LIST_FOR_EACH (node, &vd->group->syncs) {
        struct vd_sync *sync = list_entry(node, struct vd_sync, link);

        if (sync->vd == vd && sync->row + sync->row_count > rows) {
            ASSERT(sync_state(sync)->open_ops == 0);
            sync_state(sync)->split = 1;
            sync_state(sync)->error = -EAGAIN;
        }
    }
}

void vd_sync_submit(struct vd *vd, struct vd_sync *sync)
{
    struct group *group = vd->group;
    struct sync_state *state = sync_state(sync);

    ASSERT(sync->complete != NULL && sync->vd == vd);
    ASSERT(sync->row_count > 0 && sync->row_count <= SYNC_ROWS_MAX);
    ASSERT(sync->row + sync->row_count <= geometry_row_count(&vd_config_of(vd)->geometry));
    memset(sync->private_, 0, sizeof(sync->private_));
    state->row = sync->row + (SIM_BUG(SYNC_SKIPS_ROW) && sync->row_count > 1 ? 1 : 0);
    list_init(&sync->link);
    group_enter(group);
    vd->syncs_open++;
    group->syncs_open++;
    list_push_tail(&group->syncs, &sync->link);
    if (group->stop != STOP_NO || !vd->serving) {
        state->split = 1;
        state->error = -ECANCELED;
    }
    group_leave_later(group);
}
