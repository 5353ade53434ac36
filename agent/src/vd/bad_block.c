/*
 * The bad blocks of a group at work: every change of the table is a change of the configuration.
 * What the kinds mean: meta/bad_blocks.h. What follows for a stripe operation: stripe_fine.c.
 */
#include "vd/group_private.h"

bool bad_add_range(struct vd *vd, uint32_t member, uint64_t offset_bytes, uint32_t length_bytes,
                   enum bad_block_kind kind, bool *ret_new)
{
    struct group *group = vd->group;
    bool room = true;

    ASSERT(length_bytes > 0 && length_bytes % BAD_BLOCK_BYTES == 0);
    *ret_new = false;

    if (SIM_BUG(LOST_FORGOTTEN) && kind == BAD_BLOCK_KIND_LOST) {
        *ret_new = true;
        return true;
    }
    for (uint32_t at = 0; at < length_bytes && room; at += BAD_BLOCK_BYTES) {
        bool is_new = false;

        room = bad_blocks_add(&group->config, member, offset_bytes + at, kind, &is_new);
        *ret_new = *ret_new || is_new;
    }
    if (!*ret_new) {
        return room;
    }
    (void)save_changed(group); /* who needs it durable waits for group->change */
    if (group->observer.bad_block != NULL) {
        group->observer.bad_block(group->observer.context, vd, member, offset_bytes, kind, true);
    }
    vd_changed_tell(vd);
    return room;
}

bool bad_drop(struct vd *vd, uint32_t member, uint64_t offset_bytes, uint64_t length_bytes,
              uint32_t kinds)
{
    struct group *group = vd->group;

    if (group->config.bad_count == 0 ||
        !bad_blocks_drop(&group->config, member, offset_bytes, length_bytes, kinds)) {
        return false;
    }
    (void)save_changed(group); /* as above */
    if (group->observer.bad_block != NULL) {
        group->observer.bad_block(group->observer.context, vd, member, offset_bytes,
                                  BAD_BLOCK_KIND_MAX, false);
    }
    vd_changed_tell(vd);
    return true;
}

uint64_t vd_bad_blocks(const struct vd *vd)
{
    const struct vd_config *own = vd_config_of(vd);

    return bad_blocks_count(&vd->group->config, own->extent_start_bytes, own->geometry.extent_bytes,
                            BAD_KINDS_ALL) /
           (own->geometry.block_bytes / BAD_BLOCK_BYTES);
}
