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
 */
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

static void rows_note(struct vd *vd, uint32_t member, uint64_t first, uint64_t end)
{
    const struct vd_config *config = vd_config_of(vd);
    uint64_t row = max_u64(first, rows_filled(vd, member));
    uint64_t from = geometry_bytes_before(&config->geometry, row);

    if (row < end) {
        bad_blocks_put(&vd->group->config, member, config->extent_start_bytes + from,
                       geometry_extent_for(&config->geometry, end) - from, BAD_BLOCK_KIND_DOUBTFUL);
        vd->doubted_bytes +=
            geometry_member_data_strips(&config->geometry, member, row, end - row) *
            config->geometry.strip_bytes;
    }
}

void doubt_note(struct vd *vd, uint32_t member, bool all)
{
    const struct region_map *map = region_store_map(vd->regions);
    uint64_t row = 0; /* of a run, and so many */
    uint64_t rows = 0;

    ASSERT(vd->group->config.members[member].state != MEMBER_ONLINE);
    ASSERT(raid_level_info(vd_config_of(vd)->geometry.level)->parity_count > 0);
    if (SIM_BUG(DOUBT_UNNOTED)) {
        return;
    }
    if (all) {
        rows_note(vd, member, 0, map->row_count);
        return;
    }
    while (region_map_doubt_next(map, row + rows, &row, &rows)) {
        rows_note(vd, member, row, row + rows);
    }
}

uint64_t vd_doubted_bytes(const struct vd *vd)
{
    return min_u64(vd->doubted_bytes, vd_config_of(vd)->size_bytes);
}
