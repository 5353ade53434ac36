/*
 * Blocks that cannot be vouched for. A stop in the middle of writes that no log knew of may leave
 * rows whose parity does not agree with their data. While such a row is in doubt, a member that is
 * missing from it cannot be recovered: whatever the parity gives may be neither what was there nor
 * what was being written, and nothing would show it. So its blocks there are noted as doubtful:
 * EIO until they are written (meta/bad_blocks.h).
 *
 * That is so where a member was out of sync before the stop: an array that is written to without a
 * log then. Of one that was whole, and has lost a member at the very stop or before its rows agree
 * again, most of what is in doubt is right, and few rows were being written: it is served, and told
 * (vd_suspect_bytes()).
 *
 * What was being written is known by the region (region_map.h), so good blocks are among those that
 * are given up: all that the member has in a region in doubt. Where that is too much, a log is the
 * answer (intent.c).
 *
 * (1) The notes are durable with the record that says the member is missing and the rows in doubt,
 *     before anything is read or written past it: of the start, or of the loss.
 * (2) A block that has been written since is described again. It is noted anew only after another
 *     such stop, or when its member is lost while its row is in doubt.
 * (3) The table may be full of blocks that cannot be joined, because a drive's content counts next
 *     to blocks that are lost on it. The member with most of them is then set aside: nothing on its
 *     drive counts, so its blocks make room. Where redundancy does not bear that, the group goes
 *     offline as with any such loss: nothing is read, and nothing is recorded.
 */
#include <string.h>

#include "vd/group_private.h"

/* Rows for which a drive that is being filled is there already. */
static uint64_t rows_filled(const struct vd *vd, uint32_t member)
{
    const struct vd_config *config = vd_config_of(vd);
    uint64_t bytes = vd->group->members[member].rebuilt_bytes;

    if (vd->group->config.members[member].state != MEMBER_REBUILD ||
        bytes <= config->extent_start_bytes) {
        return 0;
    }
    return geometry_rows_within(&config->geometry, bytes - config->extent_start_bytes);
}

/* False: there is no room in the table. */
static bool rows_note(struct vd *vd, uint32_t member, uint64_t first, uint64_t end,
                      uint64_t *doubted_bytes)
{
    const struct vd_config *config = vd_config_of(vd);
    uint64_t row = max_u64(first, rows_filled(vd, member));
    uint64_t from = geometry_bytes_before(&config->geometry, row);

    if (row >= end) {
        return true;
    }
    *doubted_bytes += geometry_member_data_strips(&config->geometry, member, row, end - row) *
                      config->geometry.strip_bytes;
    return bad_blocks_put(&vd->group->config, member, config->extent_start_bytes + from,
                          geometry_extent_for(&config->geometry, end) - from,
                          BAD_BLOCK_KIND_DOUBTFUL);
}

/* All that is in doubt of a member. False: there is no room in the table. */
static bool member_note(struct vd *vd, uint32_t member)
{
    const struct region_map *map = region_store_map(vd->regions);
    uint64_t bytes = 0;
    uint64_t row = 0; /* of a run, and so many */
    uint64_t rows = 0;
    bool room = true;

    ASSERT(vd->group->config.members[member].state != MEMBER_ONLINE);
    ASSERT(raid_level_info(vd_config_of(vd)->geometry.level)->parity_count > 0);
    if (SIM_BUG(DOUBT_UNNOTED)) {
        return true;
    }
    if (vd_rows_are_unmapped(vd)) {
        room = rows_note(vd, member, vd->consistent_rows, vd->unmapped_rows, &bytes);
    }
    while (room && region_map_doubt_next(map, row + rows, &row, &rows)) {
        room = rows_note(vd, member, row, row + rows, &bytes);
    }
    vd->doubted_bytes += room ? bytes : 0;
    return room;
}

/* Not sound and misdescribed: a loss costs what is in doubt. */
static bool vd_is_in_doubt(const struct vd *vd)
{
    return vd->doubted && (!vd_regions_are_sound(vd) || vd_rows_are_unmapped(vd)) &&
           vd_is_misdescribed(vd);
}

void doubts_note(struct group *group, const uint32_t *members, uint32_t count)
{
    uint32_t noting[2u * GROUP_MEMBERS_MAX]; /* one that is being filled may come again */

    ASSERT(count <= group->config.member_count);
    memcpy(noting, members, count * sizeof(noting[0]));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t v = 0; v < group->config.vd_count && !group_is_offline(group);) {
            uint32_t crowded = 0;

            if (!vd_is_in_doubt(group->vds[v]) || member_note(group->vds[v], noting[i])) {
                v++;
                continue;
            }
            crowded = bad_blocks_crowded_member(&group->config); /* (3) */
            ASSERT(crowded < group->config.member_count);        /* the group is not offline */
            if (member_set_aside(group, crowded, MEMBER_FAILED, REASON_DRIVE_LOST_BLOCKS_FULL)) {
                ASSERT(count < 2u * GROUP_MEMBERS_MAX);
                noting[count++] = crowded;
            }
        }
    }
}

uint64_t vd_doubted_bytes(const struct vd *vd)
{
    return min_u64(vd->doubted_bytes, vd_config_of(vd)->size_bytes);
}
