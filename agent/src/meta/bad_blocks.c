/*
 * See bad_blocks.h.
 */
#include "meta/bad_blocks.h"

#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define SPLITS_KEPT 32u /* (2) */
/* A range may be put into the middle of another one: the place of its tail, and its own. */
#define RANGE_PUT_SPLITS 2u
#define RANGE_PUT_BYTES (UINT64_C(1) << 40) /* a count of 512 bytes reaches to twice that */

static uint64_t range_end(const struct bad_blocks *range)
{
    return range->offset_bytes + (uint64_t)range->block_count * BAD_BLOCK_BYTES;
}

static uint64_t end_of(uint64_t offset_bytes, uint64_t length_bytes)
{
    return length_bytes > UINT64_MAX - offset_bytes ? UINT64_MAX : offset_bytes + length_bytes;
}

/* The first range that ends behind an offset of a member, or is of a later member. */
static uint32_t range_find(const struct group_config *config, uint32_t member,
                           uint64_t offset_bytes)
{
    uint32_t low = 0;
    uint32_t high = config->bad_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct bad_blocks *range = &config->bad[middle];

        if (range->member < member ||
            (range->member == member && range_end(range) <= offset_bytes)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool range_is_before(const struct group_config *config, uint32_t index, uint32_t member,
                            uint64_t end_bytes)
{
    return index < config->bad_count && config->bad[index].member == member &&
           config->bad[index].offset_bytes < end_bytes;
}

bool bad_blocks_meet(const struct group_config *config, uint32_t member, uint64_t offset_bytes,
                     uint64_t length_bytes, uint32_t kinds)
{
    uint64_t end_bytes = end_of(offset_bytes, length_bytes);

    for (uint32_t i = range_find(config, member, offset_bytes);
         range_is_before(config, i, member, end_bytes); i++) {
        if ((kinds & BAD_KIND_BIT(config->bad[i].kind)) != 0) {
            return true;
        }
    }
    return false;
}

static void range_insert(struct group_config *config, uint32_t index,
                         const struct bad_blocks *range)
{
    ASSERT(config->bad_count < BAD_BLOCKS_MAX && index <= config->bad_count);
    memmove(&config->bad[index + 1], &config->bad[index],
            (config->bad_count - index) * sizeof(*range));
    config->bad[index] = *range;
    config->bad_count++;
}

static void range_remove(struct group_config *config, uint32_t index)
{
    ASSERT(index < config->bad_count);
    config->bad_count--;
    memmove(&config->bad[index], &config->bad[index + 1],
            (config->bad_count - index) * sizeof(config->bad[0]));
}

/* Takes [from, end) out of a range that it overlaps. False: no room to split it. */
static bool range_cut(struct group_config *config, uint32_t index, uint64_t from, uint64_t end)
{
    struct bad_blocks *range = &config->bad[index];
    struct bad_blocks tail = *range;
    bool head_left = range->offset_bytes < from;
    bool tail_left = range_end(range) > end;

    if (head_left && tail_left && config->bad_count == BAD_BLOCKS_MAX) {
        return false;
    }
    if (!head_left && !tail_left) {
        range_remove(config, index);
        return true;
    }
    tail.offset_bytes = end;
    tail.block_count = tail_left ? (uint32_t)((range_end(range) - end) / BAD_BLOCK_BYTES) : 0;
    if (head_left) {
        range->block_count = (uint32_t)((from - range->offset_bytes) / BAD_BLOCK_BYTES);
        if (tail_left) {
            range_insert(config, index + 1, &tail);
        }
    } else {
        *range = tail;
    }
    return true;
}

bool bad_blocks_drop(struct group_config *config, uint32_t member, uint64_t offset_bytes,
                     uint64_t length_bytes, uint32_t kinds)
{
    uint64_t end_bytes = end_of(offset_bytes, length_bytes);
    uint32_t i = range_find(config, member, offset_bytes);
    bool any = false;

    ASSERT(is_aligned_u64(offset_bytes, BAD_BLOCK_BYTES));
    while (range_is_before(config, i, member, end_bytes)) {
        uint32_t count = config->bad_count;

        if ((kinds & BAD_KIND_BIT(config->bad[i].kind)) == 0 ||
            !range_cut(config, i, offset_bytes, end_bytes)) {
            i++;
            continue;
        }
        any = true;
        i += config->bad_count < count ? 0u : 1u;
    }
    return any;
}

/* Puts one block where no range is, growing a neighbor of its kind if there is one. */
static void block_insert(struct group_config *config, uint32_t member, uint64_t offset_bytes,
                         enum bad_block_kind kind)
{
    uint32_t index = range_find(config, member, offset_bytes);
    struct bad_blocks *before = index > 0 ? &config->bad[index - 1] : NULL;
    struct bad_blocks *after = index < config->bad_count ? &config->bad[index] : NULL;
    struct bad_blocks block = {
        .member = member, .kind = kind, .offset_bytes = offset_bytes, .block_count = 1};

    ASSERT(!range_is_before(config, index, member, offset_bytes + BAD_BLOCK_BYTES));
    if (before != NULL && before->member == member && before->kind == kind &&
        range_end(before) == offset_bytes && before->block_count < UINT32_MAX) {
        before->block_count++;
        return;
    }
    if (after != NULL && after->member == member && after->kind == kind &&
        after->offset_bytes == offset_bytes + BAD_BLOCK_BYTES && after->block_count < UINT32_MAX) {
        after->offset_bytes = offset_bytes;
        after->block_count++;
        return;
    }
    range_insert(config, index, &block);
}

bool bad_blocks_add(struct group_config *config, uint32_t member, uint64_t offset_bytes,
                    enum bad_block_kind kind, bool *ret_new)
{
    uint32_t index = range_find(config, member, offset_bytes);
    uint64_t end_bytes = offset_bytes + BAD_BLOCK_BYTES;

    ASSERT(member < config->member_count && kind < BAD_BLOCK_KIND_MAX);
    ASSERT(is_aligned_u64(offset_bytes, BAD_BLOCK_BYTES));
    *ret_new = false;
    if (range_is_before(config, index, member, end_bytes)) {
        bool cut = false;

        if (config->bad[index].kind >= kind) {
            return true;
        }
        if (config->bad_count + 2 > BAD_BLOCKS_MAX) {
            return false;
        }
        cut = range_cut(config, index, offset_bytes, end_bytes);
        ASSERT(cut);
    } else if (config->bad_count + SPLITS_KEPT > BAD_BLOCKS_MAX) {
        return false;
    }
    block_insert(config, member, offset_bytes, kind);
    *ret_new = true;
    return true;
}

static bool count_fits(uint64_t bytes)
{
    return bytes / BAD_BLOCK_BYTES <= UINT32_MAX;
}

/* The range and the next one touch, and are of one member and kind. */
static bool ranges_are_one(const struct group_config *config, uint32_t index)
{
    const struct bad_blocks *range = &config->bad[index];

    return range[1].member == range->member && range[1].kind == range->kind &&
           range[1].offset_bytes == range_end(range) &&
           count_fits(range_end(&range[1]) - range->offset_bytes);
}

/* What two ranges of a member and the blocks between them are together. A lost block's drive does
 * not hold its content, so it cannot be joined with one that is there for the rest of its row;
 * unless the member is not in sync (`absent`): nothing of what is on its drive counts. False: the
 * two cannot be joined. */
static bool kind_of_both(const struct bad_blocks *first, const struct bad_blocks *second,
                         bool absent, enum bad_block_kind *ret_kind)
{
    uint32_t kinds = BAD_KIND_BIT(first->kind) | BAD_KIND_BIT(second->kind);
    bool gone = (kinds & BAD_KINDS_GONE) != 0;

    *ret_kind = gone ? BAD_BLOCK_KIND_DOUBTFUL /* what is between counts as no zeros */
                     : (enum bad_block_kind)max_u32(first->kind, second->kind);
    return !gone || (kinds & BAD_KIND_BIT(BAD_BLOCK_KIND_LOST)) == 0 || absent;
}

/* No content of the member's drive counts. What a rebuild has filled of a drive does. */
static bool member_is_absent(const struct group_config *config, uint32_t member)
{
    enum member_state state = config->members[member].state;

    return state != MEMBER_ONLINE && state != MEMBER_REBUILD;
}

/* Makes one range of two neighbors of a member, those with the least between them. False: there
 * are none that can be one. */
static bool nearest_join(struct group_config *config)
{
    uint32_t nearest = UINT32_MAX;
    uint64_t least = UINT64_MAX;
    enum bad_block_kind kind = BAD_BLOCK_KIND_MAX;

    for (uint32_t i = 0; i + 1 < config->bad_count; i++) {
        const struct bad_blocks *range = &config->bad[i];
        uint64_t between = range[1].offset_bytes - range_end(range);
        enum bad_block_kind both = BAD_BLOCK_KIND_MAX;

        if (range[1].member == range->member && between < least &&
            count_fits(range_end(&range[1]) - range->offset_bytes) &&
            kind_of_both(range, &range[1], member_is_absent(config, range->member), &both)) {
            nearest = i;
            least = between;
            kind = both;
        }
    }
    if (nearest == UINT32_MAX) {
        return false;
    }
    config->bad[nearest].block_count =
        (uint32_t)((range_end(&config->bad[nearest + 1]) - config->bad[nearest].offset_bytes) /
                   BAD_BLOCK_BYTES);
    config->bad[nearest].kind = kind;
    range_remove(config, nearest + 1);
    return true;
}

/* Drops all notes that only serve people: a drive's answer for these blocks is right. */
static void unreadable_drop(struct group_config *config)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < config->bad_count; i++) {
        if (config->bad[i].kind != BAD_BLOCK_KIND_UNREADABLE) {
            config->bad[kept++] = config->bad[i];
        }
    }
    config->bad_count = kept;
}

uint32_t bad_blocks_crowded_member(const struct group_config *config)
{
    uint32_t unlike[GROUP_MEMBERS_MAX] = {0};
    uint32_t most = UINT32_MAX;

    for (uint32_t i = 0; i + 1 < config->bad_count; i++) {
        const struct bad_blocks *range = &config->bad[i];
        enum bad_block_kind both = BAD_BLOCK_KIND_MAX;

        if (range[1].member == range->member && !kind_of_both(range, &range[1], false, &both)) {
            unlike[range->member]++;
        }
    }
    for (uint32_t i = 0; i < config->member_count; i++) {
        if (!member_is_absent(config, i) && (most == UINT32_MAX || unlike[i] > unlike[most])) {
            most = i;
        }
    }
    return most;
}

/* One range of what bad_blocks_put() notes. */
static bool range_put(struct group_config *config, const struct bad_blocks *range)
{
    uint64_t length_bytes = (uint64_t)range->block_count * BAD_BLOCK_BYTES;
    uint32_t index = 0;
    bool dropped = false;

    while (config->bad_count + SPLITS_KEPT > BAD_BLOCKS_MAX && nearest_join(config)) {
    }
    if (config->bad_count + RANGE_PUT_SPLITS > BAD_BLOCKS_MAX) {
        unreadable_drop(config);
    }
    /* With nothing to join, some of the places that are kept have to do. */
    if (config->bad_count + RANGE_PUT_SPLITS > BAD_BLOCKS_MAX) {
        return false;
    }
    dropped =
        bad_blocks_drop(config, range->member, range->offset_bytes, length_bytes, BAD_KINDS_ALL);
    (void)dropped; /* there may have been none */
    index = range_find(config, range->member, range->offset_bytes);
    range_insert(config, index, range);
    if (index + 1 < config->bad_count && ranges_are_one(config, index)) {
        config->bad[index].block_count += config->bad[index + 1].block_count;
        range_remove(config, index + 1);
    }
    if (index > 0 && ranges_are_one(config, index - 1)) {
        config->bad[index - 1].block_count += config->bad[index].block_count;
        range_remove(config, index);
    }
    return true;
}

bool bad_blocks_put(struct group_config *config, uint32_t member, uint64_t offset_bytes,
                    uint64_t length_bytes, enum bad_block_kind kind)
{
    STATIC_ASSERT(SPLITS_KEPT >= RANGE_PUT_SPLITS, "range_put()");
    ASSERT(member < config->member_count && kind < BAD_BLOCK_KIND_MAX && length_bytes > 0);
    ASSERT(is_aligned_u64(offset_bytes | length_bytes, BAD_BLOCK_BYTES));
    while (length_bytes > 0) {
        uint64_t bytes = min_u64(length_bytes, RANGE_PUT_BYTES);
        const struct bad_blocks range = {.member = member,
                                         .kind = kind,
                                         .offset_bytes = offset_bytes,
                                         .block_count = (uint32_t)(bytes / BAD_BLOCK_BYTES)};

        if (!range_put(config, &range)) {
            return false;
        }
        offset_bytes += bytes;
        length_bytes -= bytes;
    }
    return true;
}

bool bad_blocks_may_split(const struct group_config *config, uint32_t splits)
{
    return config->bad_count + splits <= BAD_BLOCKS_MAX;
}

uint64_t bad_blocks_count(const struct group_config *config, uint64_t offset_bytes,
                          uint64_t length_bytes, uint32_t kinds)
{
    uint64_t count = 0;
    uint64_t end_bytes = end_of(offset_bytes, length_bytes);

    for (uint32_t i = 0; i < config->bad_count; i++) {
        const struct bad_blocks *range = &config->bad[i];
        uint64_t from = max_u64(range->offset_bytes, offset_bytes);
        uint64_t end = min_u64(range_end(range), end_bytes);

        if ((kinds & BAD_KIND_BIT(range->kind)) != 0 && from < end) {
            count += (end - from) / BAD_BLOCK_BYTES;
        }
    }
    return count;
}
