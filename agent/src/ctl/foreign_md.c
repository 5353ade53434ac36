/*
 * What stands in the way of running a set in md's own format here, with its data where they are
 * (foreign_md.h). One thing at a time, in the order in which it would have to be put right; each
 * says what to do next. What it takes:
 *
 * (1) a whole set that md has finished with: nothing missing, all of one age, not in use, no
 * resync, rebuild, reshape or replacement under way; (2) nothing beside the data that md would need
 * to read them: PPL, journal, bad blocks, or what is not known here. What a bitmap says is void if
 * (1) holds; it must only lie before the data, where it is as it was should the import come to
 * nothing; (3) a layout of ours: RAID 0 over equal members, RAID 1, RAID 5 left symmetric, RAID 6
 * as DDF has it (N continue), RAID 10 with neighboring copies; strips of 8 KiB to 1 MiB; (4) data
 * that begin at the same multiple of 1 MiB on every member, as extents do; (5) room behind them for
 * the DDF workspace, in which a compact private area lies too (drive/drive_layout.h). md leaves
 * less than a strip there unless it was given a size.
 */
#include "ctl/foreign_md.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "raid/geometry.h"

#define SECTOR_BYTES 512u
#define ROOM_SECTORS (DRIVE_DDF_BYTES / SECTOR_BYTES)
#define EXTENT_SECTORS ((UINT64_C(1) << 20) / SECTOR_BYTES)
#define STRIP_MIN_SECTORS (RAID_STRIP_MIN_BYTES / SECTOR_BYTES)
#define STRIP_MAX_SECTORS (RAID_STRIP_MAX_BYTES / SECTOR_BYTES)
#define LAYOUT_LEFT_SYMMETRIC 2u
#define LAYOUT_N_CONTINUE 10u

static const struct md_super *super_at(const struct foreign_md *set, uint32_t place)
{
    return &set->places[place]->found->md;
}

/* (1) */
static bool is_finished(const struct foreign_md *set, struct reason *ret_reason)
{
    const char *what = NULL;

    for (uint32_t i = 0; i < set->newest->member_count; i++) {
        const struct md_super *md = super_at(set, i);

        if ((md->features & MD_FEATURE_RESHAPE) != 0) {
            what = "a reshape";
        } else if ((md->features & MD_FEATURE_RECOVERY) != 0) {
            what = "a rebuild";
        } else if ((md->features & MD_FEATURE_REPLACEMENT) != 0) {
            what = "the replacement of a drive";
        } else if (md->resyncing && md_tolerance(md) > 0) {
            what = "a resynchronization";
        }
    }
    if (what != NULL) {
        reason_set(ret_reason, REASON_FOREIGN_MD_BUSY, "what", what, NULL);
    }
    return what == NULL;
}

static bool bitmap_is_before(const struct md_super *md)
{
    uint64_t super = MD_SUPER_OFFSET_BYTES / SECTOR_BYTES;

    return md->bitmap_sectors > 0 && super + (uint64_t)md->bitmap_sectors < md->data_offset_sectors;
}

/* (2) */
static bool is_plain(const struct foreign_md *set, struct reason *ret_reason)
{
    const char *what = NULL;
    const char *remedy = NULL;

    for (uint32_t i = 0; i < set->newest->member_count; i++) {
        uint32_t features = super_at(set, i)->features;

        if ((features & MD_FEATURE_JOURNAL) != 0) {
            what = "a journal device";
            remedy = "copy its data to a new virtual drive";
        } else if ((features & MD_FEATURE_BAD_BLOCKS) != 0) {
            what = "notes of bad blocks";
            remedy = "replace the drive that has them (mdadm --examine-badblocks)";
        } else if ((features & MD_FEATURE_PPL) != 0) {
            what = "a partial parity log";
            remedy = "mdadm --grow --consistency-policy=resync";
        } else if ((features & MD_FEATURE_BITMAP) != 0 && !bitmap_is_before(super_at(set, i))) {
            what = "a write-intent bitmap that is not between superblock and data";
            remedy = "mdadm --grow --bitmap=none";
        } else if ((features & ~(MD_FEATURE_BITMAP | MD_FEATURE_RAID0_LAYOUT)) != 0) {
            what = "a feature of newer versions of md";
            remedy = "copy its data to a new virtual drive";
        }
    }
    if (what != NULL) {
        reason_set(ret_reason, REASON_FOREIGN_MD_EXTRA, "what", what, "remedy", remedy, NULL);
    }
    return what == NULL;
}

/* (3) */
static bool level_is_ours(const struct md_super *md)
{
    switch (md->level) {
    case 0:
    case 1:
        return true;
    case 5:
        return md->layout == LAYOUT_LEFT_SYMMETRIC;
    case 6:
        return md->layout == LAYOUT_N_CONTINUE;
    case 10: /* near copies only; of two over an odd number of drives: RAID 1E */
        return md->layout == 0x102 || (md->layout == 0x103 && md->member_count % 3 == 0);
    default:
        return false;
    }
}

static bool strips_are_ours(const struct md_super *md)
{
    return md->level == 1 ||
           (md->chunk_sectors >= STRIP_MIN_SECTORS && md->chunk_sectors <= STRIP_MAX_SECTORS &&
            (md->chunk_sectors & (md->chunk_sectors - 1)) == 0);
}

/* md uses whole strips; of a mirror every sector, of which our smallest strips are made. */
uint64_t foreign_md_used_sectors(const struct md_super *md)
{
    uint64_t sectors = md->level == 0 ? md->data_sectors : md->member_sectors;

    if (md->level == 1) {
        return sectors + (STRIP_MIN_SECTORS - sectors % STRIP_MIN_SECTORS) % STRIP_MIN_SECTORS;
    }
    return md->chunk_sectors != 0 ? sectors - sectors % md->chunk_sectors : sectors;
}

static bool layout_is_ours(const struct foreign_md *set, struct reason *ret_reason)
{
    const struct md_super *md = set->newest;
    char level[64];
    char name[32];

    md_level_name(md, name);
    (void)snprintf(level, sizeof(level), "%s", name);
    if (level_is_ours(md)) {
        bool equal = true;

        for (uint32_t i = 0; i < md->member_count; i++) {
            equal =
                equal && foreign_md_used_sectors(super_at(set, i)) == foreign_md_used_sectors(md);
        }
        if (!strips_are_ours(md)) {
            (void)snprintf(level, sizeof(level), "%s with strips of %u sectors", name,
                           md->chunk_sectors);
        } else if (!equal) {
            (void)snprintf(level, sizeof(level), "%s over members of different size", name);
        } else {
            return true;
        }
    }
    reason_set(ret_reason, REASON_FOREIGN_MD_LAYOUT, "level", level, NULL);
    return false;
}

/* (4) */
static bool offsets_are_ours(const struct foreign_md *set, struct reason *ret_reason)
{
    for (uint32_t i = 0; i < set->newest->member_count; i++) {
        uint64_t offset = super_at(set, i)->data_offset_sectors;
        char path[PATH_TEXT_BYTES];
        char sector[24];

        if (offset % EXTENT_SECTORS != 0 || offset != set->newest->data_offset_sectors) {
            drive_path(set->places[i], path, sizeof(path));
            (void)snprintf(sector, sizeof(sector), "%llu", (unsigned long long)offset);
            reason_set(ret_reason, REASON_FOREIGN_MD_OFFSET, "drive", path, "sector", sector, NULL);
            return false;
        }
    }
    return true;
}

/* (5) */
static uint64_t sectors_behind(const struct ctl_drive *cd)
{
    const struct md_super *md = &cd->found->md;
    uint64_t end = md->data_offset_sectors + foreign_md_used_sectors(md);

    return cd->found->sectors > end ? cd->found->sectors - end : 0;
}

/* What a member may hold at most, with that room behind it; whole strips. */
static uint64_t member_sectors_max(const struct foreign_md *set)
{
    uint64_t most = UINT64_MAX;

    for (uint32_t i = 0; i < set->newest->member_count; i++) {
        uint64_t used = set->newest->data_offset_sectors + ROOM_SECTORS;
        uint64_t sectors = set->places[i]->found->sectors;

        most = min_u64(most, sectors > used ? sectors - used : 0);
    }
    return most - most % max_u64(set->newest->chunk_sectors, EXTENT_SECTORS);
}

static bool room_is_there(const struct foreign_md *set, struct reason *ret_reason)
{
    const struct ctl_drive *worst = set->places[0];
    char path[PATH_TEXT_BYTES];
    char free_kib[24];
    char needed_kib[24];
    char size_kib[24];

    for (uint32_t i = 1; i < set->newest->member_count; i++) {
        if (sectors_behind(set->places[i]) < sectors_behind(worst)) {
            worst = set->places[i];
        }
    }
    if (sectors_behind(worst) >= ROOM_SECTORS) {
        return true;
    }
    drive_path(worst, path, sizeof(path));
    (void)snprintf(free_kib, sizeof(free_kib), "%llu",
                   (unsigned long long)(sectors_behind(worst) / 2));
    (void)snprintf(needed_kib, sizeof(needed_kib), "%llu", (unsigned long long)(ROOM_SECTORS / 2));
    (void)snprintf(size_kib, sizeof(size_kib), "%llu",
                   (unsigned long long)(member_sectors_max(set) / 2));
    if (set->newest->level == 0 || member_sectors_max(set) == 0) {
        reason_set(ret_reason, REASON_FOREIGN_MD_NO_ROOM_EVER, "drive", path, "free_kib", free_kib,
                   "needed_kib", needed_kib, NULL);
    } else {
        reason_set(ret_reason, REASON_FOREIGN_MD_NO_ROOM, "drive", path, "free_kib", free_kib,
                   "needed_kib", needed_kib, "size_kib", size_kib, NULL);
    }
    return false;
}

void foreign_md_refusal(const struct foreign_md *set, struct reason *ret_reason)
{
    const struct md_super *newest = set->newest;
    bool whole = newest->member_count > 0;

    if (set->twin) {
        reason_set(ret_reason, REASON_FOREIGN_DAMAGED, "problem",
                   "Two drives say that they have the same place.", NULL);
        return;
    }
    for (uint32_t i = 0; i < newest->member_count; i++) {
        whole = whole && set->places[i] != NULL && super_at(set, i)->events == newest->events;
    }
    if (!whole) {
        reason_set(ret_reason, REASON_FOREIGN_MD_NOT_WHOLE, NULL);
        return;
    }
    if (is_finished(set, ret_reason) && layout_is_ours(set, ret_reason) &&
        is_plain(set, ret_reason) && offsets_are_ours(set, ret_reason) &&
        room_is_there(set, ret_reason)) {
        reason_set(ret_reason, REASON_OK, NULL);
    }
}
