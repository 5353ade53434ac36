/*
 * The free space of a drive group: the gaps between the extents of its virtual drives, on every
 * member alike.
 */
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "drive/drive_layout.h"

uint64_t cg_member_needed_bytes(const struct ctl_group *cg)
{
    const struct group_config *config = cg_config(cg);
    uint64_t end_bytes = 0;

    for (uint32_t i = 0; i < config->vd_count; i++) {
        end_bytes = max_u64(end_bytes, config->vds[i].extent_start_bytes +
                                           config->vds[i].geometry.extent_bytes);
    }
    return end_bytes;
}

uint64_t cg_room_bytes(const struct ctl_group *cg, const struct ctl_drive *cd)
{
    return drive_layout_room_bytes(cd->size_bytes, cg_config(cg)->compact);
}

uint64_t cg_member_usable_bytes(const struct ctl_group *cg)
{
    uint64_t usable_bytes = UINT64_MAX;

    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (cg->members[i] != NULL) {
            usable_bytes = min_u64(usable_bytes, cd_usable_bytes(cg->members[i]));
        }
    }
    return usable_bytes == UINT64_MAX ? cg_member_needed_bytes(cg) : usable_bytes;
}

/* The next virtual drive at or after start_bytes, or NULL. */
static const struct vd_config *vd_next(const struct group_config *config, uint64_t start_bytes)
{
    const struct vd_config *next = NULL;

    for (uint32_t i = 0; i < config->vd_count; i++) {
        const struct vd_config *vd = &config->vds[i];

        if (vd->extent_start_bytes >= start_bytes &&
            (next == NULL || vd->extent_start_bytes < next->extent_start_bytes)) {
            next = vd;
        }
    }
    return next;
}

/* Walks the gaps; the loop ends because start only grows. */
static bool gap_next(const struct ctl_group *cg, uint64_t *start_bytes, uint64_t *gap_bytes)
{
    const struct group_config *config = cg_config(cg);
    uint64_t usable_bytes = cg_member_usable_bytes(cg);

    while (*start_bytes < usable_bytes) {
        const struct vd_config *next = vd_next(config, *start_bytes);
        uint64_t end_bytes = next != NULL ? next->extent_start_bytes : usable_bytes;

        *gap_bytes = end_bytes - min_u64(*start_bytes, end_bytes);
        if (*gap_bytes > 0) {
            return true;
        }
        *start_bytes = align_up_u64(next->extent_start_bytes + next->geometry.extent_bytes,
                                    VD_EXTENT_ALIGN_BYTES);
    }
    return false;
}

bool group_space_find(const struct ctl_group *cg, uint64_t extent_bytes, uint64_t *ret_start,
                      uint64_t *ret_bytes)
{
    uint64_t start_bytes = 0;
    uint64_t gap_bytes = 0;
    bool found = false;

    while (gap_next(cg, &start_bytes, &gap_bytes)) {
        if (extent_bytes == 0 ? !found || gap_bytes > *ret_bytes
                              : !found && gap_bytes >= extent_bytes) {
            found = true;
            *ret_start = start_bytes;
            *ret_bytes = gap_bytes;
        }
        start_bytes += gap_bytes;
        start_bytes = align_up_u64(start_bytes, VD_EXTENT_ALIGN_BYTES);
    }
    return found;
}

uint64_t group_space_of(const struct ctl_group *cg, const struct vd_config *vd)
{
    uint64_t end_bytes = vd->extent_start_bytes + vd->geometry.extent_bytes;
    const struct vd_config *next = vd_next(cg_config(cg), end_bytes);
    uint64_t limit_bytes = next != NULL ? next->extent_start_bytes : cg_member_usable_bytes(cg);

    return max_u64(limit_bytes, end_bytes) - vd->extent_start_bytes;
}

uint64_t group_space_free(const struct ctl_group *cg)
{
    uint64_t start_bytes = 0;
    uint64_t gap_bytes = 0;
    uint64_t free_bytes = 0;

    while (gap_next(cg, &start_bytes, &gap_bytes)) {
        free_bytes += align_down_u64(gap_bytes, VD_EXTENT_ALIGN_BYTES);
        start_bytes = align_up_u64(start_bytes + gap_bytes, VD_EXTENT_ALIGN_BYTES);
    }
    return free_bytes;
}
