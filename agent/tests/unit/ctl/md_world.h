/*
 * Drives with a set in md's own format, its superblocks made field by field as the kernel has them.
 */
#ifndef ARRAYWRIGHT_TESTS_MD_WORLD_H
#define ARRAYWRIGHT_TESTS_MD_WORLD_H

#include "ctl_world.h"
#include "meta/md_super.h"

#define MD_DRIVES 4u

struct md_set {
    int32_t level;
    uint32_t layout, chunk, count;
    uint64_t offset, sectors;
    uint32_t features;
    int32_t bitmap;
    bool resyncing;
};

/* The superblock of this place. */
void md_member_put(struct ctl_world *world, uint32_t slot, const struct md_set *set, uint32_t role,
                   uint64_t events);
/* MD_DRIVES that have been offered, the first of which are the set's; not yet started. */
struct ctl_world *world_md(const struct md_set *set, uint64_t seed, uint64_t drive_bytes);

#endif
