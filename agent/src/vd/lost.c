/*
 * Lost blocks: 4 KiB of a rebuilt member that could not be recovered, because what was needed
 * for it could not be read. The member is in sync everywhere else. A lost block is treated like
 * one that has just failed to read: recovered and rewritten if that has become possible, EIO if
 * not; a write that covers it ends it. They are part of the group's record.
 */
#include "vd/group_private.h"

static bool block_is_in(const struct lost_block *lost, uint32_t member, uint64_t offset_bytes,
                        uint64_t length_bytes)
{
    return lost->member == member && lost->offset_bytes >= offset_bytes &&
           lost->offset_bytes - offset_bytes < length_bytes;
}

bool lost_meets(const struct group *group, uint32_t member, uint64_t offset_bytes,
                uint64_t length_bytes)
{
    ASSERT(is_aligned_u64(offset_bytes, IO_ALIGN_BYTES));
    for (uint32_t i = 0; i < group->config.lost_count; i++) {
        if (block_is_in(&group->config.lost[i], member, offset_bytes, length_bytes)) {
            return true;
        }
    }
    return false;
}

bool lost_add(struct group *group, uint32_t member, uint64_t offset_bytes)
{
    struct group_config *config = &group->config;

    ASSERT(member < config->member_count);
    if (lost_meets(group, member, offset_bytes, IO_ALIGN_BYTES) || SIM_BUG(LOST_FORGOTTEN)) {
        return true;
    }
    if (config->lost_count == GROUP_LOST_MAX) {
        return false;
    }
    config->lost[config->lost_count++] =
        (struct lost_block){.member = member, .offset_bytes = offset_bytes};
    (void)save_changed(group); /* the checkpoint that passes the block comes later, with it */
    return true;
}

bool lost_drop(struct group *group, uint32_t member, uint64_t offset_bytes, uint64_t length_bytes)
{
    struct group_config *config = &group->config;
    bool any = false;

    for (uint32_t i = config->lost_count; i > 0; i--) {
        if (block_is_in(&config->lost[i - 1], member, offset_bytes, length_bytes)) {
            config->lost[i - 1] = config->lost[--config->lost_count];
            any = true;
        }
    }
    return any;
}

uint64_t vd_lost_blocks(const struct vd *vd)
{
    const struct group_config *config = &vd->group->config;
    const struct vd_config *own = vd_config_of(vd);
    uint64_t count = 0;

    for (uint32_t i = 0; i < config->lost_count; i++) {
        count += block_is_in(&config->lost[i], config->lost[i].member, own->extent_start_bytes,
                             own->geometry.extent_bytes)
                     ? 1u
                     : 0u;
    }
    return count;
}
