/*
 * Mending: which sync puts right what a member could not read at one place (vd/sync.c (3)). It
 * needs nobody who asks for the data, so it reaches parity and second copies too.
 */
#include "base/checked.h"
#include "vd/group_private.h"

bool group_mend_at(const struct group *group, uint32_t member, uint64_t offset_bytes,
                   struct vd_sync *ret_sync)
{
    ASSERT(member < group->config.member_count && offset_bytes % IO_ALIGN_BYTES == 0);
    for (uint32_t i = 0; i < group_vd_count(group); i++) {
        struct vd *vd = group_vd(group, i);
        const struct vd_config *config = vd_config(vd);
        uint32_t place = 0;

        *ret_sync = (struct vd_sync){.vd = vd, .row_count = 1, .mend = true, .mend_member = member};
        if (offset_bytes < config->extent_start_bytes ||
            offset_bytes - config->extent_start_bytes >= config->geometry.extent_bytes) {
            continue;
        }
        offset_bytes -= config->extent_start_bytes;
        ret_sync->mend_lo = (uint32_t)(offset_bytes % config->geometry.strip_bytes);
        return geometry_row_at(&config->geometry, member, offset_bytes, &ret_sync->row, &place);
    }
    return false;
}
