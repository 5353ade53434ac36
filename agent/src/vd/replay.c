/*
 * Replay: at the start of a group, before it serves, every open intent is written again to the
 * members that are there (raid/intent_log.h). It is the same row, so it works with the same
 * members missing; and since each intent holds all that its operation wrote, doing it twice
 * does no harm.
 *
 *   read -> intent: an operation writes it -> next ... -> flush -> clear the log -> done
 *
 * (1) One intent at a time, in the order of the log: of one slice the newest comes last.
 * (2) An intent that cannot be of this group as it is now is left out: of another virtual drive,
 *     of a generation that writes have gone past, or with numbers that make no sense.
 * (3) The log is cleared only when the members have flushed what it held.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vd/group_private.h"

struct replay {
    struct group *group;
    struct intent_replay reading;
    struct intent_clear clearing;
    struct flush_waiter flush;
    void (*done)(struct group *group, int error);
    int error;
};

static void replay_end(struct replay *replay, int error)
{
    struct group *group = replay->group;

    ASSERT(group->replay == replay);
    group->replay = NULL;
    replay->done(group, error);
    free(replay);
}

static void replay_cleared(struct intent_clear *clear, int error)
{
    struct replay *replay = container_of(clear, struct replay, clearing);
    struct group *group = replay->group;

    group_enter(group);
    replay_end(replay, error);
    group_leave(group);
}

static void replay_flushed(struct flush_waiter *waiter, int error)
{
    struct replay *replay = container_of(waiter, struct replay, flush);

    if (error != 0) {
        replay_end(replay, error);
        return;
    }
    replay->clearing.done = replay_cleared;
    replay->group->log->ops->clear(replay->group->log, &replay->clearing); /* (3) */
}

static void replay_read(struct intent_replay *reading, int error)
{
    struct replay *replay = container_of(reading, struct replay, reading);
    struct group *group = replay->group;

    group_enter(group);
    error = replay->error != 0 ? replay->error : error == -ENOENT ? 0 : error;
    if (error != 0) {
        replay_end(replay, error);
    } else if (SIM_BUG(REPLAY_UNFLUSHED)) {
        replay_flushed(&replay->flush, 0);
    } else {
        replay->flush.done = replay_flushed;
        flush_wait(group, &replay->flush);
    }
    group_leave(group);
}

static struct vd *vd_of(struct group *group, const struct intent *intent)
{
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        if (guid_equal(&group->config.vds[i].guid, &intent->vd) &&
            group->config.vds[i].intent_generation == intent->generation) {
            return group->vds[i];
        }
    }
    return NULL;
}

/* The bytes may have come from a medium that anybody could write to (2). */
static bool intent_is_sound(const struct vd *vd, const struct intent *intent)
{
    const struct geometry *geometry = &vd_config_of(vd)->geometry;
    uint32_t width = geometry_row_width(geometry);
    uint32_t all = UINT32_MAX >> (RAID_SPAN_MEMBERS_MAX - width);
    uint32_t seen = 0;
    uint64_t start = (uint64_t)intent->slice * SLICE_MAX_BYTES;

    if (intent->row >= geometry_row_count(geometry) || intent->lo >= intent->hi ||
        intent->lo < start || intent->hi > geometry->strip_bytes ||
        intent->hi - start > SLICE_MAX_BYTES || !is_aligned_u64(intent->lo, IO_ALIGN_BYTES) ||
        !is_aligned_u64(intent->hi, IO_ALIGN_BYTES) || intent->part_count > RAID_SPAN_MEMBERS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < intent->part_count; i++) {
        uint32_t places = intent->parts[i].places;

        if (places == 0 || (places & ~all) != 0 || (places & seen) != 0) {
            return false;
        }
        seen |= places;
    }
    /* Mirrors: one content for all copies; else one per place. */
    return raid_level_info(geometry->level)->mirrored
               ? intent->part_count == 1
               : intent->part_count == (uint32_t)__builtin_popcount(seen);
}

static void intent_copy(struct stripe_op *op, const struct intent *intent)
{
    for (uint32_t i = 0; i < intent->part_count; i++) {
        uint32_t place = (uint32_t)__builtin_ctz(intent->parts[i].places);

        memcpy(op->columns[place].buffer, intent->parts[i].bytes, intent->hi - intent->lo);
        op->plan.writes |= intent->parts[i].places;
        op->source = place; /* of mirrors */
    }
}

/* The planted bug's. */
static bool span_is_degraded(const struct group *group, const struct row_map *map)
{
    for (uint32_t place = 0; place < map->width; place++) {
        if (group->config.members[row_map_member(map, place)].state != MEMBER_ONLINE) {
            return true;
        }
    }
    return false;
}

static void replay_intent(struct intent_replay *reading, const struct intent *intent)
{
    struct replay *replay = container_of(reading, struct replay, reading);
    struct group *group = replay->group;
    struct vd *vd = vd_of(group, intent);
    struct stripe_op *op = NULL;

    if (vd == NULL || !intent_is_sound(vd, intent)) {
        group->log->ops->replay_next(group->log, reading);
        return;
    }
    group_enter(group);
    op = stripe_op_take(group, &group->sync_ops);
    ASSERT(op != NULL); /* one at a time, and nothing else runs yet */
    op->vd = vd;
    op->replay = replay;
    op->slice = intent->slice;
    op->lo = intent->lo;
    op->hi = intent->hi;
    geometry_row_map(&vd_config_of(vd)->geometry, intent->row, &op->map);
    if (raid_level_info(vd_config_of(vd)->geometry.level)->mirrored) {
        op->plan.kernel = PLAN_KERNEL_COPY;
    }
    intent_copy(op, intent);
    if (SIM_BUG(REPLAY_NOT_DEGRADED) && span_is_degraded(group, &op->map)) {
        op->plan.writes = 0;
    }
    stripe_start_replay(op);
    group_leave(group);
}

/* Called by the operation before it is given back, so that it may begin another. */
void replay_op_done(struct stripe_op *op)
{
    struct replay *replay = op->replay;
    struct group *group = op->group;

    if (op->error != 0 && replay->error == 0) {
        replay->error = op->error; /* offline: the log keeps everything for the next start */
    }
    group->log->ops->replay_next(group->log, &replay->reading);
}

void replay_begin(struct group *group, void (*done)(struct group *group, int error))
{
    struct replay *replay = calloc(1, sizeof(*replay));

    ASSERT(replay != NULL && done != NULL); /* control path */
    ASSERT(group->log != NULL && group->replay == NULL);
    ASSERT(group->depth > 0);
    replay->group = group;
    replay->done = done;
    replay->reading.intent = replay_intent;
    replay->reading.done = replay_read;
    group->replay = replay;
    group->log->ops->replay(group->log, &replay->reading);
}
