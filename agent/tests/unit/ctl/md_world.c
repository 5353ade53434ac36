/*
 * See md_world.h.
 */
#include "md_world.h"

#include <string.h>

#include "base/bytes.h"

static void block_seal(uint8_t block[MD_SUPER_BYTES])
{
    uint64_t sum = 0;
    uint32_t bytes = 256 + 2 * get_le32(block + 220);

    for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
        sum += get_le32(block + i);
    }
    put_le32(block + 216, (uint32_t)sum + (uint32_t)(sum >> 32));
}

void md_member_put(struct ctl_world *world, uint32_t slot, const struct md_set *set, uint32_t role,
                   uint64_t events)
{
    uint8_t block[MD_SUPER_BYTES] = {0};
    uint64_t all = world->slots[slot].options.size_bytes / 512 - set->offset;

    put_le32(block, 0xA92B4EFC);
    put_le32(block + 4, 1);
    put_le32(block + 8, set->features);
    memset(block + 16, 0xA5, 16);
    memcpy(block + 32, "host:data", 9);
    put_le32(block + 72, (uint32_t)set->level);
    put_le32(block + 76, set->layout);
    put_le64(block + 80, set->level == 0 ? 0 : set->sectors);
    put_le32(block + 88, set->chunk);
    put_le32(block + 92, set->count);
    put_le32(block + 96, (uint32_t)set->bitmap);
    put_le64(block + 128, set->offset);
    put_le64(block + 136, set->level == 0 ? set->sectors : all);
    put_le32(block + 160, role);
    memset(block + 168, 0xC0 + (int)role, 16);
    put_le64(block + 200, events);
    put_le64(block + 208, set->resyncing ? 0 : UINT64_MAX);
    put_le32(block + 220, 4);
    for (uint32_t i = 0; i < 4; i++) {
        put_le16(block + 256 + i * 2, (uint16_t)(i < set->count ? i : MD_ROLE_SPARE));
    }
    block_seal(block);
    sim_drive_poke(world->slots[slot].drive, MD_SUPER_OFFSET_BYTES, block, sizeof(block));
}

struct ctl_world *world_md(const struct md_set *set, uint64_t seed, uint64_t drive_bytes)
{
    struct ctl_world *world = world_new_sized(seed, MD_DRIVES, drive_bytes);

    for (uint32_t i = 0; i < MD_DRIVES; i++) {
        world->slots[i].offered = true;
        world->slots[i].probed = true;
        world->slots[i].real = true;
        if (i < set->count) {
            md_member_put(world, i, set, i, 77);
        }
    }
    return world;
}
