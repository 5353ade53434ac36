/*
 * A block of a row of which too much is lost to recover it as a whole is put together sector by
 * sector, a sector being a logical block of the virtual drive: what can be had of each member's is
 * read, what the others describe is recovered, and only the rest is lost.
 *
 *   act_read: one sector of all places after the other -> act_compute: sectors_compute()
 *
 * (1) Transfers to drives are of sectors only to read. What is written is whole blocks, which heal
 *     also where a drive's sectors are larger than the virtual drive's.
 * (2) A sector of which nothing is known becomes zeros where its block is written for another one's
 *     sake. It is noted durably before that: as PUNCTURED if the parity of the row counts it as
 *     zeros from now on, because the write replaces the same sector of another strip; else as LOST.
 * (3) A punctured sector counts as zeros where a drive is filled. The note stays.
 * (4) known[place] are the sectors in the place's buffer that are its content; fresh[place] those
 *     of them that the request has replaced.
 * (5) A drive whose physical blocks are larger than sectors loses one as a whole. It is read as a
 *     whole too, or each of its sectors would cost the drive another vain attempt.
 * (6) A doubtful sector that becomes zeros, because nothing is known of it, is punctured; the
 * parity of its row, which does not count it as zeros, is noted as LOST. Of a place of parity only
 * that note counts: doubt is noted by the range, whatever the member has there. (7) In a row that
 * an unclean stop may have torn, and that no log has made agree since, what a member that is there
 * could not read is not recovered: what the parity gives may be neither old nor new. A
 * synchronization forgets that parity, and notes both.
 */
#include <errno.h>
#include <string.h>

#include "raid/parity.h"
#include "vd/group_private.h"

static uint32_t sector_bytes(const struct stripe_op *op)
{
    return vd_config_of(op->vd)->geometry.block_bytes;
}

static uint32_t sector_count(const struct stripe_op *op)
{
    return IO_ALIGN_BYTES / sector_bytes(op);
}

static uint8_t all_sectors(const struct stripe_op *op)
{
    return (uint8_t)((1u << sector_count(op)) - 1);
}

static uint64_t sector_offset(const struct stripe_op *op, uint32_t place, uint32_t sector)
{
    return stripe_drive_offset(op, place) + (uint64_t)sector * sector_bytes(op);
}

static uint8_t noted_sectors(const struct stripe_op *op, uint32_t place, uint32_t kinds)
{
    uint8_t mask = 0;

    for (uint32_t s = 0; s < sector_count(op) && op->group->config.bad_count > 0; s++) {
        if (bad_blocks_meet(&op->group->config, stripe_member(op, place),
                            sector_offset(op, place, s), sector_bytes(op), kinds)) {
            mask |= (uint8_t)(1u << s);
        }
    }
    return mask;
}

/* Reading */

bool sectors_begin(struct stripe_op *op)
{
    uint32_t have = op->have & stripe_valid_mask(op);

    if (op->by_sector || op->direct || op->replay != NULL || op->hi - op->lo != IO_ALIGN_BYTES ||
        group_is_offline(op->group) || op->spare_count == 0 || SIM_BUG(SECTORS_GIVEN_UP)) {
        return false;
    }
    op->by_sector = true;
    op->sector = 0;
    memset(op->known, 0, sizeof(op->known));
    memset(op->fresh, 0, sizeof(op->fresh));
    for (; have != 0; have &= have - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(have);

        op->known[place] = all_sectors(op) & (uint8_t)~noted_sectors(op, place, LOST_KIND);
    }
    return true;
}

static uint8_t sectors_from(uint32_t first, uint32_t count)
{
    return (uint8_t)(((1u << count) - 1) << first);
}

/* How many sectors are to be read of the place, beginning with this one (5). */
static uint32_t sectors_wanted(const struct stripe_op *op, uint32_t place, uint32_t sector)
{
    const struct drive *drive = op->group->members[stripe_member(op, place)].drive;
    uint32_t count = min_u32(drive_loss_block_bytes(drive) / sector_bytes(op), sector_count(op));
    uint8_t lost = noted_sectors(op, place, LOST_KIND);

    return sector % count == 0 && (sectors_from(sector, count) & ~lost) != 0 ? count : 0;
}

/* True: some are on their way. */
static bool sector_submit(struct stripe_op *op, uint32_t sector)
{
    uint32_t left = stripe_valid_mask(op) & ~op->have;
    bool any = false;

    for (; left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);
        uint32_t count = sectors_wanted(op, place, sector);

        if (count > 0) {
            stripe_sector_submit(op, place, sector * sector_bytes(op),
                                 (sector + count) * sector_bytes(op));
            any = true;
        }
    }
    return any;
}

enum stripe_event sectors_read(struct stripe_op *op)
{
    ASSERT(op->pending == 0);
    while (op->sector < sector_count(op)) {
        if (sector_submit(op, op->sector++)) {
            return STRIPE_WAIT;
        }
    }
    return STRIPE_READ_OK;
}

void sectors_answered(struct stripe_op *op, uint32_t place)
{
    uint32_t count = op->columns[place].io.length_bytes / sector_bytes(op);
    uint8_t lost = noted_sectors(op, place, LOST_KIND);

    ASSERT(op->by_sector && op->sector > 0);
    op->known[place] |= sectors_from(op->sector - 1, count) & (uint8_t)~lost;
}

/* Recovering */

static uint32_t all_places(const struct stripe_op *op)
{
    return UINT32_MAX >> (RAID_SPAN_MEMBERS_MAX - op->map.width);
}

static uint32_t parity_mask(const struct stripe_op *op)
{
    return all_places(op) & ~stripe_data_mask(op);
}

/* Of what is not there nothing is known, whatever was read before it was lost. */
static void absent_forget(struct stripe_op *op)
{
    uint32_t valid = stripe_valid_mask(op);

    for (uint32_t place = 0; place < op->map.width; place++) {
        if ((valid & (UINT32_C(1) << place)) == 0) {
            op->known[place] = 0;
        }
    }
}

static void sector_pointers(const struct stripe_op *op, uint32_t sector, uint8_t **columns)
{
    for (uint32_t place = 0; place < op->map.width; place++) {
        columns[place] = op->columns[place].buffer + (size_t)sector * sector_bytes(op);
    }
}

static uint32_t places_without(const struct stripe_op *op, uint32_t sector)
{
    uint32_t mask = 0;

    for (uint32_t place = 0; place < op->map.width; place++) {
        mask |= (op->known[place] >> sector & 1) == 0 ? UINT32_C(1) << place : 0;
    }
    return mask;
}

static void parity_sectors_recover(struct stripe_op *op)
{
    uint32_t parity_count = (uint32_t)__builtin_popcount(parity_mask(op));
    uint32_t unread = stripe_row_is_unknown(op)
                          ? stripe_valid_mask(op) & stripe_data_mask(op) & ~op->full
                          : 0; /* (7) */
    uint8_t *columns[RAID_SPAN_MEMBERS_MAX];

    for (uint32_t s = 0; s < sector_count(op) && parity_count > 0; s++) {
        uint32_t lost = places_without(op, s);

        if (lost == 0 || (uint32_t)__builtin_popcount(lost) > parity_count ||
            (lost & unread) != 0) {
            continue;
        }
        sector_pointers(op, s, columns);
        parity_recover(columns, op->map.width, op->map.p_place, op->map.q_place, lost,
                       sector_bytes(op));
        for (; lost != 0; lost &= lost - 1) {
            op->known[__builtin_ctz(lost)] |= (uint8_t)(1u << s);
        }
    }
}

/* One buffer holds the strip: each sector from the first copy that has it. */
static void mirror_sectors_gather(struct stripe_op *op)
{
    uint32_t valid = stripe_valid_mask(op);
    uint8_t gathered = 0;

    op->source = valid != 0 ? (uint32_t)__builtin_ctz(valid) : 0;
    for (uint32_t s = 0; s < sector_count(op); s++) {
        size_t at = (size_t)s * sector_bytes(op);
        uint32_t from = ~places_without(op, s) & valid;

        if (from != 0) {
            memmove(op->columns[op->source].buffer + at,
                    op->columns[__builtin_ctz(from)].buffer + at, sector_bytes(op));
            gathered |= (uint8_t)(1u << s);
        }
    }
    for (uint32_t place = 0; place < op->map.width; place++) {
        op->known[place] = gathered;
    }
}

/* What the request touches */

static uint8_t request_sectors(const struct stripe_op *op, uint32_t data_index)
{
    uint32_t lo = 0;
    uint32_t hi = 0;
    uint8_t mask = 0;

    stripe_request_range(op, data_index, &lo, &hi);
    for (uint32_t at = lo; at < hi; at += sector_bytes(op)) {
        mask |= (uint8_t)(1u << ((at - op->lo) / sector_bytes(op)));
    }
    return mask;
}

/* Of a mirror all copies are one. */
static uint32_t data_place(const struct stripe_op *op, uint32_t data_index)
{
    return stripe_is_mirrored(op) ? op->source : op->map.data_place[data_index];
}

static bool is_touched(const struct stripe_op *op, uint32_t data_index)
{
    return (op->touched & (UINT32_C(1) << op->map.data_place[data_index])) != 0;
}

/* Notes */

/* (6). False: no room to split a range. */
static bool parity_doubt_end(struct stripe_op *op, uint32_t place, uint32_t sector)
{
    struct group_config *config = &op->group->config;
    uint64_t offset = sector_offset(op, place, sector);

    if ((parity_mask(op) >> place & 1) == 0 || stripe_is_mirrored(op) ||
        !bad_blocks_meet(config, stripe_member(op, place), offset, sector_bytes(op),
                         BAD_KIND_BIT(BAD_BLOCK_KIND_DOUBTFUL))) {
        return true;
    }
    return bad_blocks_may_split(config, 1) &&
           bad_blocks_drop(config, stripe_member(op, place), offset, sector_bytes(op),
                           BAD_KIND_BIT(BAD_BLOCK_KIND_DOUBTFUL));
}

/* False: there was no room for all of them. */
static bool sectors_note(struct stripe_op *op, uint32_t place, uint8_t sectors,
                         enum bad_block_kind kind, bool *ret_any)
{
    bool room = true;

    for (uint32_t s = 0; s < sector_count(op); s++) {
        bool is_new = false;

        if ((sectors >> s & 1) == 0 ||
            (SIM_BUG(PUNCTURE_UNNOTED) && kind == BAD_BLOCK_KIND_PUNCTURED)) {
            continue;
        }
        room = parity_doubt_end(op, place, s) &&
               bad_add_range(op->vd, stripe_member(op, place), sector_offset(op, place, s),
                             sector_bytes(op), kind, &is_new) &&
               room;
        *ret_any = *ret_any || is_new;
    }
    if (*ret_any && !SIM_BUG(PUNCTURE_NOT_DURABLE) && kind != BAD_BLOCK_KIND_UNREADABLE) {
        op->settle_change = op->group->change; /* (2) */
    }
    return room;
}

static void sectors_zero(struct stripe_op *op, uint32_t place, uint8_t sectors)
{
    for (uint32_t s = 0; s < sector_count(op); s++) {
        if ((sectors >> s & 1) != 0) {
            memset(op->columns[place].buffer + (size_t)s * sector_bytes(op), 0, sector_bytes(op));
        }
    }
}

/* (6) */
static bool parity_lose(struct stripe_op *op, uint8_t sectors, bool *ret_any)
{
    bool room = true;

    for (uint32_t left = sectors != 0 ? parity_mask(op) : 0; left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);

        op->known[place] &= (uint8_t)~sectors;
        room = sectors_note(op, place, sectors, BAD_BLOCK_KIND_LOST, ret_any) && room;
    }
    return room;
}

/* (6) */
static uint8_t doubtful_sectors(const struct stripe_op *op, uint32_t place)
{
    bool data = !stripe_is_mirrored(op) && (parity_mask(op) >> place & 1) == 0;

    return data ? noted_sectors(op, place, BAD_KIND_BIT(BAD_BLOCK_KIND_DOUBTFUL)) : 0;
}

/* What is written of these places without being known. */
static bool unknown_sectors_note(struct stripe_op *op, uint32_t places, bool *ret_any)
{
    bool room = true;

    for (; places != 0; places &= places - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(places);
        uint8_t unknown = all_sectors(op) & (uint8_t)~op->known[place];
        uint8_t zeros = noted_sectors(op, place, BAD_KIND_BIT(BAD_BLOCK_KIND_PUNCTURED));
        uint8_t doubtful = unknown & doubtful_sectors(op, place);

        sectors_zero(op, stripe_is_mirrored(op) ? op->source : place, unknown);
        room = sectors_note(op, place, doubtful, BAD_BLOCK_KIND_PUNCTURED, ret_any) && room;
        room = parity_lose(op, doubtful, ret_any) && room;
        op->known[place] |= unknown & zeros; /* (3) */
        room = sectors_note(op, place, unknown & (uint8_t)~zeros, BAD_BLOCK_KIND_LOST, ret_any) &&
               room;
    }
    return room;
}

void sectors_unreadable_note(struct stripe_op *op)
{
    uint32_t places = op->failed & stripe_valid_mask(op);
    bool any = false;

    for (; places != 0; places &= places - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(places);

        /* A full table only shows less. */
        (void)sectors_note(op, place, all_sectors(op) & (uint8_t)~op->known[place],
                           BAD_BLOCK_KIND_UNREADABLE, &any);
    }
}

uint32_t sector_kinds_ending(const struct stripe_op *op, uint32_t place, uint32_t sector,
                             bool written)
{
    const uint32_t plain =
        BAD_KIND_BIT(BAD_BLOCK_KIND_UNREADABLE) | BAD_KIND_BIT(BAD_BLOCK_KIND_LOST);

    if ((op->fresh[place] >> sector & 1) != 0) {
        return written || !stripe_is_mirrored(op) ? BAD_KINDS_ALL : 0;
    }
    if (!written || (op->known[place] >> sector & 1) == 0) {
        return 0;
    }
    return SIM_BUG(PUNCTURE_FORGOTTEN) ? BAD_KINDS_ALL : plain;
}

/* Reads and repairs */

static bool is_answerable(const struct stripe_op *op)
{
    if (op->request == NULL) { /* a place to be mended, or a check */
        uint32_t places = op->mend != 0 ? op->mend : stripe_valid_mask(op);

        for (; places != 0; places &= places - 1) {
            if (op->known[__builtin_ctz(places)] != all_sectors(op)) {
                return false;
            }
        }
        return true;
    }
    for (uint32_t d = op->data_first; d < op->data_end; d++) {
        if (is_touched(op, d) &&
            (request_sectors(op, d) & (uint8_t)~op->known[data_place(op, d)]) != 0) {
            return false;
        }
    }
    return true;
}

/* Members that could not be read, and of which all is known now. */
static uint32_t repairable(const struct stripe_op *op)
{
    uint32_t mask = 0;

    for (uint32_t left = op->failed & stripe_valid_mask(op); left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);

        mask |= op->known[place] == all_sectors(op) ? UINT32_C(1) << place : 0;
    }
    return mask;
}

static enum stripe_event read_compute(struct stripe_op *op)
{
    if (!is_answerable(op)) {
        return STRIPE_FAIL;
    }
    for (uint32_t d = op->data_first; d < op->data_end && op->request != NULL; d++) {
        if (is_touched(op, d)) {
            stripe_answer(op, d, op->columns[data_place(op, d)].buffer);
        }
    }
    op->plan.writes = repairable(op);
    return op->plan.writes == 0 ? STRIPE_NO_WRITES : STRIPE_WRITES;
}

/* Writes */

/* The sectors that the request replaces in any strip. */
static uint8_t new_data_merge(struct stripe_op *op)
{
    uint8_t touched = 0;

    for (uint32_t d = op->data_first; d < op->data_end; d++) {
        uint8_t mask = is_touched(op, d) ? request_sectors(op, d) : 0;

        if (mask == 0) {
            continue;
        }
        stripe_overlay(op, d, op->columns[data_place(op, d)].buffer);
        touched |= mask;
        for (uint32_t place = 0; place < op->map.width; place++) {
            if (stripe_is_mirrored(op) || place == op->map.data_place[d]) {
                op->fresh[place] |= mask;
                op->known[place] |= mask;
            }
        }
    }
    return touched;
}

/* (2): the data that the parity is to count as zeros. False: no room for the notes. */
static bool data_puncture(struct stripe_op *op, uint8_t touched, uint32_t *ret_places)
{
    bool any = false;

    for (uint32_t left = stripe_data_mask(op); left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);
        uint8_t gone = touched & (uint8_t)~op->known[place];

        if (gone == 0) {
            continue;
        }
        sectors_zero(op, place, gone);
        op->known[place] |= gone;
        *ret_places |= UINT32_C(1) << place;
        if (!sectors_note(op, place, gone, BAD_BLOCK_KIND_PUNCTURED, &any)) {
            return false;
        }
    }
    return true;
}

/* Parity of the sectors of which all data are known; `all`: also where it is known already. */
static void parity_sectors_generate(struct stripe_op *op, bool all)
{
    uint32_t parity = parity_mask(op);
    uint8_t *columns[RAID_SPAN_MEMBERS_MAX];

    for (uint32_t s = 0; s < sector_count(op) && parity != 0; s++) {
        uint32_t without = places_without(op, s);

        if ((without & ~parity) != 0 || (!all && without == 0)) {
            continue;
        }
        sector_pointers(op, s, columns);
        parity_generate(columns, op->map.width, op->map.p_place, op->map.q_place, sector_bytes(op));
        for (uint32_t left = parity; left != 0; left &= left - 1) {
            op->known[__builtin_ctz(left)] |= (uint8_t)(1u << s);
        }
    }
}

/* What no member can hold of the data must be held by as many of the parity. */
static bool data_can_be_held(const struct stripe_op *op)
{
    uint32_t valid = stripe_valid_mask(op);
    uint32_t unstored = stripe_data_mask(op) & ~valid;

    return (op->touched & unstored) == 0 ||
           __builtin_popcount(unstored) <= __builtin_popcount(parity_mask(op) & valid);
}

static enum stripe_event parity_write_compute(struct stripe_op *op)
{
    uint32_t live = stripe_live_mask(op);
    uint32_t parity = parity_mask(op) & live;
    uint32_t punctured = 0;
    uint8_t touched = 0;
    bool any = false;

    if (!data_can_be_held(op)) {
        return STRIPE_FAIL;
    }
    touched = new_data_merge(op);
    if (parity != 0 && !data_puncture(op, touched, &punctured)) {
        return STRIPE_FAIL;
    }
    parity_sectors_generate(op, true);
    op->plan.writes = ((op->touched | punctured) & live) | parity | repairable(op);
    if (!unknown_sectors_note(op, op->plan.writes, &any)) {
        return STRIPE_FAIL; /* without a note there would be zeros for data */
    }
    return op->plan.writes == 0 ? STRIPE_FAIL : STRIPE_WRITES;
}

static enum stripe_event mirror_write_compute(struct stripe_op *op)
{
    bool any = false;

    if (stripe_valid_mask(op) == 0) {
        return STRIPE_FAIL; /* on nothing but a rebuild target it could not be read back */
    }
    (void)new_data_merge(op);
    op->plan.writes = stripe_live_mask(op);
    op->plan.kernel = PLAN_KERNEL_COPY;
    return unknown_sectors_note(op, op->plan.writes, &any) ? STRIPE_WRITES : STRIPE_FAIL;
}

/* Synchronizations */

static uint32_t sync_writes(const struct stripe_op *op)
{
    uint32_t live = stripe_live_mask(op);
    uint32_t fill = SIM_BUG(PUNCTURE_UNFILLED) ? 0 : op->fill & live & ~stripe_valid_mask(op);

    if (stripe_row_is_consistent(op)) {
        return fill | repairable(op);
    }
    return fill | repairable(op) |
           ((stripe_is_mirrored(op) ? all_places(op) : parity_mask(op)) & live);
}

/* Members that are read but not written: as long as they are noted, nobody takes what the others
 * describe for their content. */
static bool unread_note(struct stripe_op *op, bool *ret_any)
{
    uint32_t left = op->failed & stripe_valid_mask(op) & ~op->plan.writes;
    bool room = true;

    for (; left != 0 && op->fill == 0 && op->copy == 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);

        room = sectors_note(op, place, all_sectors(op) & (uint8_t)~op->known[place],
                            BAD_BLOCK_KIND_LOST, ret_any) &&
               room;
    }
    return room;
}

/* A row in doubt does not agree as long as something of it is neither known nor noted. */
static bool doubt_is_left(const struct stripe_op *op)
{
    uint32_t left = stripe_valid_mask(op);

    for (; left != 0 && !stripe_row_is_consistent(op); left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);

        if ((all_sectors(op) &
             (uint8_t)~(op->known[place] | noted_sectors(op, place, LOST_KIND | BAD_KINDS_GONE))) !=
            0) {
            return true;
        }
    }
    return false;
}

/* Targets that are without something are told of, each time. */
static void fill_left_tell(struct stripe_op *op)
{
    for (uint32_t left = op->fill & op->plan.writes; left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);

        if (op->known[place] != all_sectors(op)) {
            op->fine_error = op->fine_error == 0 ? -EIO : op->fine_error;
            stripe_media_error_tell(op, place, false);
        }
    }
}

/* (7) */
static void parity_forget(struct stripe_op *op)
{
    for (uint32_t left = parity_mask(op); left != 0; left &= left - 1) {
        op->known[__builtin_ctz(left)] = 0;
    }
}

static enum stripe_event sync_compute(struct stripe_op *op)
{
    bool any = false;
    bool room = false;

    if (stripe_row_is_unknown(op)) {
        parity_forget(op);
    }
    if (!stripe_is_mirrored(op)) {
        parity_sectors_generate(op, !stripe_row_is_consistent(op));
    } else {
        op->plan.kernel = PLAN_KERNEL_COPY;
    }
    op->plan.writes = sync_writes(op);
    room = unknown_sectors_note(op, op->plan.writes | op->copy, &any);
    room = unread_note(op, &any) && room;
    if (!room) {
        op->fine_error = -ENOSPC; /* what is not noted must not be passed by */
        op->plan.writes = 0;
        return STRIPE_NO_WRITES;
    }
    if (any || doubt_is_left(op)) {
        op->fine_error = op->fine_error == 0 ? -EIO : op->fine_error;
    }
    fill_left_tell(op);
    return op->plan.writes == 0 && op->copy == 0 ? STRIPE_NO_WRITES : STRIPE_WRITES;
}

enum stripe_event sectors_compute(struct stripe_op *op)
{
    ASSERT(op->by_sector && op->sector == sector_count(op));
    ASSERT(op->state == STRIPE_COMPUTE && op->pending == 0);
    absent_forget(op);
    op->plan = (struct plan){.kernel = PLAN_KERNEL_NONE};
    if (stripe_is_mirrored(op)) {
        mirror_sectors_gather(op);
    } else {
        parity_sectors_recover(op);
    }
    switch (op->want) {
    case PLAN_READ:
        op->plan.kernel = stripe_is_mirrored(op) ? PLAN_KERNEL_COPY : PLAN_KERNEL_NONE;
        return read_compute(op);
    case PLAN_WRITE:
        return stripe_is_mirrored(op) ? mirror_write_compute(op) : parity_write_compute(op);
    case PLAN_SYNC:
        return sync_compute(op);
    }
    UNREACHABLE();
}
