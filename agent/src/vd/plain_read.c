/*
 * Plain reads: one transfer of whole blocks from one member into the memory that the request
 * lends, past admission, stripe operations and their plans.
 *
 *   vd_submit() --> with the drive --OK--> answered
 *                                 \--anything else--> admission, with the lock (vd_request.c)
 *
 * (1) A read is plain if it lies in one strip of one slice, whole blocks of it, may be read
 * straight into its memory, and a direct read (stripe_op.c (3)) of it would succeed with this
 * transfer alone: nobody has or waits for the slice's lock; the member that is asked can be
 * trusted and has no note of a bad block there; of a mirror the row is consistent, and the copy is
 * the one that mirror_choose() names. Of a virtual drive that hedges its reads none is plain.
 * (2) It takes its turn as every request does: none passes one that waits in admission and overlaps
 *     it, either of them writing, and none begins while the group is held.
 * (3) Like a direct read it takes no lock. A write that begins meanwhile is not kept waiting and
 *     overlaps it, so it may find the old bytes or the new ones. What waits for the group to have
 *     no operation under way (an exchange of members, growth, a stop) waits for plain reads as
 *     well: they count in ops_active.
 * (4) Whatever is not plain success begins anew as an operation that takes the lock: planning,
 *     recovery, repair and notes are that operation's, and so is a block noted as bad meanwhile,
 *     whose bytes may be zeros in place of lost ones. Only the loss of the member is told here.
 * (5) A drive that is late keeps the memory; the request goes on with other memory, and the
 * transfer lingers without it until the drive lets go. Without memory for that, the drive is waited
 * for.
 */
#include <errno.h>
#include <stdlib.h>

#include "vd/group_private.h"

struct plain_read {
    struct drive_io io;
    struct plain_read *next_free;
    struct group *group;
    struct vd_request *request; /* NULL: it is free, or late */
    uint32_t member;
    enum io_status status;
    bool late;                  /* io has timed out and is still with the device */
    uint8_t *taken;             /* the memory that it has then */
    struct vd_lender *lender;   /* whose that is; NULL: to be freed */
};

/* Where it goes. */
struct plain_way {
    struct row_map map;
    uint32_t place; /* mirrors: any of valid */
    uint32_t valid;
    uint32_t lo, hi; /* of the strip */
};

static void plain_complete(struct drive_io *io, enum io_status status);
static void plain_released(struct drive_io *io);

static void plain_give(struct plain_read *plain)
{
    struct group *group = plain->group;

    ASSERT(group->plain_busy > 0 && plain->request == NULL && !plain->late);
    group->plain_busy--;
    plain->next_free = group->plain_free;
    group->plain_free = plain;
}

int plain_reads_init(struct group *group)
{
    uint32_t count = group->plain_count;

    group->plain_reads = calloc(count, sizeof(struct plain_read));
    if (group->plain_reads == NULL) {
        return -ENOMEM;
    }
    group->plain_busy = count;
    for (uint32_t i = count; i > 0; i--) {
        struct plain_read *plain = &group->plain_reads[i - 1];

        plain->group = group;
        plain->io.op = IO_OP_READ;
        plain->io.class_ = IO_CLASS_FOREGROUND;
        plain->io.complete = plain_complete;
        plain->io.released = plain_released;
        plain->io.owner = plain;
        plain_give(plain);
    }
    return 0;
}

void plain_reads_done(struct group *group)
{
    ASSERT(group->plain_busy == 0);
    free(group->plain_reads);
}

/* Beginning */

static bool request_is_plain(const struct vd *vd, const struct vd_request *request)
{
    return request->op == VD_OP_READ && request_lends_blocks(vd, request) &&
           vd->group->plain_free != NULL;
}

/* False: it is not in one strip of one slice. */
static bool way_find(const struct vd *vd, const struct vd_request *request, struct plain_way *way)
{
    const struct geometry *geometry = &vd_config_of(vd)->geometry;
    uint32_t strip_bytes = geometry->strip_bytes;
    uint32_t piece_bytes = min_u32(strip_bytes, SLICE_MAX_BYTES); /* both are powers of two */
    uint64_t row = request->offset_bytes / vd->row_bytes;
    uint32_t in_row = (uint32_t)(request->offset_bytes - row * vd->row_bytes);

    way->lo = in_row & (strip_bytes - 1);
    if (request->length_bytes > piece_bytes - (way->lo & (piece_bytes - 1))) {
        return false;
    }
    way->hi = way->lo + request->length_bytes;
    way->place = geometry_strip_map(geometry, row, in_row >> __builtin_ctz(strip_bytes), &way->map);
    return true;
}

/* (1): is what is there the answer? Leaves the choice between copies open. */
static bool way_is_good(const struct vd *vd, struct plain_way *way)
{
    const struct raid_level_info *level = raid_level_info(vd_config_of(vd)->geometry.level);

    if (slice_is_locked(vd, way->map.row, way->lo / SLICE_MAX_BYTES) && !SIM_BUG(PLAIN_UNLOCKED)) {
        return false;
    }
    way->valid = row_valid_mask(vd, &way->map, way->hi);
    if (SIM_BUG(PLAIN_UNTRUSTED)) {
        way->valid = row_live_mask(vd, &way->map);
    }
    if (level->mirrored) {
        return plan_is_plain_copy(level, PLAN_READ, way->valid, 0) &&
               (row_is_consistent(vd, way->map.row) || SIM_BUG(MIRROR_READS_ANY));
    }
    return plan_is_plain_read(level, PLAN_READ, UINT32_C(1) << way->place, way->valid, 0);
}

static uint32_t way_choose(struct vd *vd, const struct plain_way *way)
{
    const struct mirror_read read = {
        .vd = vd, .map = &way->map, .lo = way->lo, .hi = way->hi, .direct = true};

    if (!raid_level_info(vd_config_of(vd)->geometry.level)->mirrored) {
        return way->place;
    }
    return mirror_choose(&read, way->valid);
}

static bool is_noted(const struct group *group, uint32_t member, uint64_t offset_bytes,
                     uint32_t length_bytes)
{
    return group->config.bad_count > 0 && !SIM_BUG(PLAIN_NOTED) &&
           bad_blocks_meet(&group->config, member, offset_bytes, length_bytes, BAD_KINDS_ALL);
}

static bool plain_submit(struct vd *vd, struct vd_request *request, const struct plain_way *way)
{
    struct group *group = vd->group;
    struct plain_read *plain = group->plain_free;
    uint32_t place = way_choose(vd, way);
    uint32_t member = row_map_member(&way->map, place);
    uint64_t offset_bytes = row_drive_offset(vd, &way->map, place, way->lo);

    if (is_noted(group, member, offset_bytes, way->hi - way->lo)) {
        return false;
    }
    ASSERT(plain->request == NULL);
    group->plain_free = plain->next_free;
    group->plain_busy++;
    group->ops_active++;
    plain->request = request;
    plain->member = member;
    plain->lender = request->lender;
    plain->io.offset_bytes = offset_bytes;
    plain->io.length_bytes = way->hi - way->lo;
    plain->io.buffer = request->buffer;
    drive_submit(group->members[plain->member].drive, &plain->io);
    return true;
}

bool plain_read_begin(struct vd *vd, struct vd_request *request)
{
    struct plain_way way;

    return request_is_plain(vd, request) && way_find(vd, request, &way) && way_is_good(vd, &way) &&
           plain_submit(vd, request, &way);
}

/* Ending */

static void plain_leave(struct plain_read *plain)
{
    ASSERT(plain->group->ops_active > 0);
    plain->group->ops_active--;
    plain->request = NULL;
}

/* (4): the drive has answered, or is not waited for any longer. */
static void plain_trouble(struct plain_read *plain)
{
    if (plain->status == IO_STATUS_GONE || plain->status == IO_STATUS_TIMEOUT) {
        member_lose_by_transfer(plain->group, plain->member, &plain->io, plain->status);
    }
    request_plain_again(plain->request);
    plain_leave(plain);
}

static bool plain_is_good(const struct plain_read *plain)
{
    return plain->status == IO_STATUS_OK &&
           !is_noted(plain->group, plain->member, plain->io.offset_bytes, plain->io.length_bytes);
}

static void plain_answered(struct plain_read *plain)
{
    struct group *group = plain->group;

    group_enter(group);
    if (plain_is_good(plain)) {
        request_plain_done(plain->request);
        plain_leave(plain);
    } else {
        plain_trouble(plain);
    }
    plain_give(plain);
    group_leave(group);
}

static void plain_complete(struct drive_io *io, enum io_status status)
{
    struct plain_read *plain = io->owner;
    struct group *group = plain->group;

    plain->status = status;
    if (status != IO_STATUS_TIMEOUT) {
        return;
    }
    if (!SIM_BUG(LENT_READ_KEPT)) {
        plain->taken = request_memory_exchange(plain->request);
        if (plain->taken == NULL) {
            return; /* (5) */
        }
    }
    plain->late = true;
    group->late_reads++;
    group_enter(group);
    plain_trouble(plain);
    group_leave(group);
}

static void plain_released(struct drive_io *io)
{
    struct plain_read *plain = io->owner;
    struct group *group = plain->group;

    if (!plain->late) {
        plain_answered(plain);
        return;
    }
    if (!SIM_BUG(LENT_READ_KEPT)) {
        request_memory_return(plain->lender, plain->taken);
    }
    plain->late = false;
    plain_give(plain);
    ASSERT(group->late_reads > 0);
    group->late_reads--;
    group_late_gone(group);
}
