/*
 * The bad blocks of a drive or a virtual drive as a list, in order of their addresses, so many at
 * a time. Of a virtual drive only blocks that hold data have an address; those of parity show on
 * their drives.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "meta/bad_blocks.h"

/* Keeps the lowest of those behind `after`, in order. */
static void entry_add(struct ctl_bad_blocks *list, const struct ctl_bad_block *entry,
                      const uint64_t *after_lba)
{
    uint32_t at = list->count;

    list->total++;
    if (after_lba != NULL && entry->lba <= *after_lba) {
        return;
    }
    while (at > 0 && list->blocks[at - 1].lba > entry->lba) {
        at--;
    }
    if (at > 0 && list->blocks[at - 1].lba == entry->lba) { /* the same of another copy */
        list->blocks[at - 1].count = max_u64(list->blocks[at - 1].count, entry->count);
        list->total--;
        return;
    }
    if (at == CTL_BAD_BLOCKS_MAX) {
        list->more = true;
        return;
    }
    if (list->count == CTL_BAD_BLOCKS_MAX) {
        list->more = true;
        list->count--;
    }
    memmove(&list->blocks[at + 1], &list->blocks[at], (list->count - at) * sizeof(*entry));
    list->blocks[at] = *entry;
    list->count++;
}

static void drive_list(const struct ctl_drive *cd, const uint64_t *after_lba,
                       struct ctl_bad_blocks *list)
{
    const struct group_config *config = cd->group != NULL ? cg_config(cd->group) : NULL;

    list->block_bytes = cd->block_bytes;
    for (uint32_t i = 0; config != NULL && i < config->bad_count; i++) {
        const struct bad_blocks *range = &config->bad[i];
        struct ctl_bad_block entry = {.lba = range->offset_bytes / cd->block_bytes,
                                      .count = (uint64_t)range->block_count * BAD_BLOCK_BYTES /
                                               cd->block_bytes,
                                      .kind = range->kind};

        if (range->member == cd->member) {
            entry_add(list, &entry, after_lba);
        }
    }
}

/* Where in the virtual drive a member's byte of its extent is; false: it holds parity or nothing.
 */
static bool vd_offset_of(const struct geometry *geometry, uint32_t member, uint64_t extent_offset,
                         uint64_t *ret_offset)
{
    bool mirrored = raid_level_info(geometry->level)->mirrored;
    struct row_map map;
    uint64_t row = 0;
    uint32_t place = 0;

    if (!geometry_row_at(geometry, member, extent_offset, &row, &place)) {
        return false;
    }
    geometry_row_map(geometry, row, &map);
    ASSERT(row_map_member(&map, place) == member);
    ASSERT(row_map_offset(&map, place) ==
           extent_offset / geometry->strip_bytes * geometry->strip_bytes);
    for (uint32_t d = 0; d < map.data_count; d++) {
        if (mirrored || map.data_place[d] == place) {
            *ret_offset = row * geometry_row_bytes(geometry) + (uint64_t)d * geometry->strip_bytes +
                          extent_offset % geometry->strip_bytes;
            return true;
        }
    }
    return false;
}

/* A part of a range within one strip; vd_offset NULL: it holds parity. False: enough. */
typedef bool piece_fn(void *context, const uint64_t *vd_offset, uint64_t bytes);

static bool range_visit(const struct vd_config *vd, const struct bad_blocks *range, piece_fn *visit,
                        void *context)
{
    const struct geometry *geometry = &vd->geometry;
    uint64_t end = range->offset_bytes + (uint64_t)range->block_count * BAD_BLOCK_BYTES;
    uint64_t from = max_u64(range->offset_bytes, vd->extent_start_bytes);
    uint64_t length = 0;

    end = min_u64(end, vd->extent_start_bytes + geometry->extent_bytes);
    for (; from < end; from += length) {
        uint64_t offset = from - vd->extent_start_bytes;
        uint64_t vd_offset = 0;
        bool is_data = vd_offset_of(geometry, range->member, offset, &vd_offset);

        length = min_u64(end - from, geometry->strip_bytes - offset % geometry->strip_bytes);
        if (!visit(context, is_data ? &vd_offset : NULL, length)) {
            return false;
        }
    }
    return true;
}

struct vd_listing {
    struct ctl_bad_blocks *list;
    const uint64_t *after_lba;
    enum bad_block_kind kind;
};

static bool piece_list(void *context, const uint64_t *vd_offset, uint64_t bytes)
{
    const struct vd_listing *listing = context;
    struct ctl_bad_block entry = {.count = bytes / listing->list->block_bytes,
                                  .kind = listing->kind};

    if (vd_offset != NULL) {
        entry.lba = *vd_offset / listing->list->block_bytes;
        entry_add(listing->list, &entry, listing->after_lba);
    }
    return true;
}

/* What a copy that is not in use could not give says nothing of the virtual drive: a block that no
 * copy in use can give is noted for each of those. */
static bool range_counts(const struct group_config *config, const struct vd_config *vd,
                         const struct bad_blocks *range)
{
    enum member_state state = config->members[range->member].state;

    return state == MEMBER_ONLINE || state == MEMBER_REBUILD ||
           (BAD_KIND_BIT(range->kind) & BAD_KINDS_GONE) != 0 ||
           !raid_level_info(vd->geometry.level)->mirrored;
}

static void vd_list(const struct ctl_vd *cv, const uint64_t *after_lba, struct ctl_bad_blocks *list)
{
    const struct group_config *config = cg_config(cv->cg);
    const struct vd_config *vd = cv_config(cv);

    list->block_bytes = vd->geometry.block_bytes;
    for (uint32_t i = 0; i < config->bad_count; i++) {
        struct vd_listing listing = {list, after_lba, config->bad[i].kind};

        if (range_counts(config, vd, &config->bad[i])) {
            (void)range_visit(vd, &config->bad[i], piece_list, &listing);
        }
    }
}

/* Pieces of the virtual drive, in its blocks; beyond so many they are no longer counted exactly. */
#define PIECES_MAX 4096u

struct piece {
    uint64_t from, to;
};

struct pieces {
    uint32_t count;
    uint32_t block_bytes;
    bool gone; /* of the range that is visited: the data are */
    uint64_t parity_blocks;
    struct piece of[PIECES_MAX];
};

static bool piece_count(void *context, const uint64_t *vd_offset, uint64_t bytes)
{
    struct pieces *pieces = context;
    uint32_t block_bytes = pieces->block_bytes;

    if (vd_offset == NULL) { /* of parity there is no doubt: that is noted by the range */
        pieces->parity_blocks += pieces->gone ? 0 : bytes / block_bytes;
    } else if (pieces->count == PIECES_MAX) {
        return false;
    } else {
        pieces->of[pieces->count++] =
            (struct piece){*vd_offset / block_bytes, (*vd_offset + bytes) / block_bytes};
    }
    return true;
}

static int piece_compare(const void *a, const void *b)
{
    const struct piece *left = a;
    const struct piece *right = b;

    return (left->from > right->from) - (left->from < right->from);
}

/* Each block once, whatever the number of its copies. */
static uint64_t pieces_blocks(struct pieces *pieces)
{
    uint64_t blocks = 0;
    uint64_t counted_to = 0;

    qsort(pieces->of, pieces->count, sizeof(pieces->of[0]), piece_compare);
    for (uint32_t i = 0; i < pieces->count; i++) {
        uint64_t from = max_u64(pieces->of[i].from, counted_to);

        blocks += pieces->of[i].to > from ? pieces->of[i].to - from : 0;
        counted_to = max_u64(counted_to, pieces->of[i].to);
    }
    return blocks;
}

void cv_bad_blocks_count(const struct ctl_vd *cv, uint64_t *ret_data, uint64_t *ret_parity)
{
    const struct group_config *config = cg_config(cv->cg);
    const struct vd_config *vd = cv_config(cv);
    struct pieces *pieces = NULL;
    bool all = true; /* there was room for all */

    *ret_data =
        bad_blocks_count(config, vd->extent_start_bytes, vd->geometry.extent_bytes, BAD_KINDS_ALL) /
        (vd->geometry.block_bytes / BAD_BLOCK_BYTES);
    *ret_parity = 0;
    if (*ret_data == 0) {
        return;
    }
    pieces = malloc(sizeof(*pieces));
    if (pieces == NULL) {
        return; /* all of them count as data */
    }
    pieces->count = 0;
    pieces->parity_blocks = 0;
    pieces->block_bytes = vd->geometry.block_bytes;
    for (uint32_t i = 0; i < config->bad_count && all; i++) {
        pieces->gone = (BAD_KIND_BIT(config->bad[i].kind) & BAD_KINDS_GONE) != 0;
        all = !range_counts(config, vd, &config->bad[i]) ||
              range_visit(vd, &config->bad[i], piece_count, pieces);
    }
    if (all) {
        *ret_data = pieces_blocks(pieces);
        *ret_parity = pieces->parity_blocks;
    }
    free(pieces);
}

bool ctl_bad_blocks(const struct ctl *ctl, enum object_kind kind, const char *key,
                    const uint64_t *after_lba, struct ctl_bad_blocks *ret_list,
                    struct reason *ret_reason)
{
    const struct ctl_drive *cd = kind == OBJECT_KIND_DRIVE ? drive_by_key(ctl, key) : NULL;
    const struct ctl_vd *cv = kind == OBJECT_KIND_VIRTUAL_DRIVE ? vd_by_key(ctl, key) : NULL;

    memset(ret_list, 0, sizeof(*ret_list));
    if (cd != NULL) {
        drive_list(cd, after_lba, ret_list);
    } else if (cv != NULL) {
        vd_list(cv, after_lba, ret_list);
    } else {
        reason_set(ret_reason, REASON_UNKNOWN_OBJECT, "kind", object_kind_word(kind), "key", key,
                   NULL);
        return false;
    }
    ASSERT(ret_list->count <= CTL_BAD_BLOCKS_MAX);
    return true;
}
