/*
 * What is where on a drive, from its first version on, so that no data ever move:
 *
 *   0 .................... usable      extents of virtual drives
 *   usable ............... +32 MiB     private area: label slots, later maps and logs
 *   size - 32 MiB ........ size        DDF workspace (reserved; DDF anchor in the last sector)
 *
 * usable = size - 64 MiB rounded down to 1 MiB. Private area:
 *
 *   +0, +64 KiB    label slots A and B
 *   +128 KiB       seal of the beginning of the drive (meta/seal.h)
 *   +1 MiB         region maps, 1 MiB for each of 16 virtual drives: two places for every page
 *   +17 MiB        stripe log, 15 MiB
 *
 * The rest is zero until used.
 *
 * A drive with blocks of 512 bytes may end within a block of 4096. Everything of ours begins with a
 * whole block all the same: what is counted from the end is counted from the end of the last whole
 * block, but the copies of DDF from that of the block that is cut off, so that they never reach
 * down into the data of a set that goes to the last sector. The anchor alone is in the last sector.
 *
 * Sets made by mdadm without a size leave no such room: their data end where the DDF workspace
 * begins. A drive of such a group keeps its private area, then called compact, in what the two
 * copies of DDF leave of the workspace; nobody else writes there (ddf.md, 1):
 *
 *   size - 32 MiB            secondary copy of DDF, 309 KiB in mdadm's geometry and ours
 *     + 0.5 MiB              stripe log, 15 MiB
 *     + 15.5 MiB, + 64 KiB   label slots A and B, and then the seal
 *   size - 16 MiB            primary copy of DDF
 *     + 0.5 MiB              region maps, 0.5 MiB for each of 16 virtual drives
 *   size - 4 MiB             marks of others, the last sector DDF's anchor
 */
#ifndef ARRAYWRIGHT_DRIVE_DRIVE_LAYOUT_H
#define ARRAYWRIGHT_DRIVE_DRIVE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define DRIVE_DDF_BYTES (UINT64_C(32) << 20)
#define DRIVE_PRIVATE_BYTES (UINT64_C(32) << 20)
#define DRIVE_RESERVED_BYTES (DRIVE_DDF_BYTES + DRIVE_PRIVATE_BYTES)
#define DRIVE_USABLE_MIN_BYTES (UINT64_C(1) << 20)
#define DRIVE_SIZE_MIN_BYTES (DRIVE_RESERVED_BYTES + DRIVE_USABLE_MIN_BYTES)
#define LABEL_SLOT_BYTES (64u * 1024u)
#define LABEL_SLOT_COUNT 2u

#define REGION_MAP_SLOTS 16u
#define REGION_MAP_PAGES_MAX 128u
#define REGION_MAP_PAGES_COMPACT 64u
#define REGION_MAP_PAGE_BYTES 4096u
#define REGION_MAPS_OFFSET (UINT64_C(1) << 20)
#define REGION_MAP_BYTES(pages_max) (UINT64_C(2) * (pages_max) * REGION_MAP_PAGE_BYTES)
#define STRIPE_LOG_OFFSET                                                                          \
    (REGION_MAPS_OFFSET + REGION_MAP_SLOTS * REGION_MAP_BYTES(REGION_MAP_PAGES_MAX))
#define STRIPE_LOG_BYTES (UINT64_C(15) << 20)

_Static_assert(STRIPE_LOG_OFFSET + STRIPE_LOG_BYTES == DRIVE_PRIVATE_BYTES,
               "the private area is laid out to its end");

/* Counted from the end of the drive. */
#define DRIVE_DDF_COPY_BYTES (UINT64_C(512) << 10) /* what a copy is given */
#define DRIVE_DDF_PRIMARY_BYTES (UINT64_C(16) << 20)
#define DRIVE_MARKS_BYTES (UINT64_C(4) << 20) /* of others, at the very end */
#define COMPACT_STRIPE_LOG_BYTES (DRIVE_DDF_BYTES - DRIVE_DDF_COPY_BYTES)
#define COMPACT_LABELS_BYTES (COMPACT_STRIPE_LOG_BYTES - STRIPE_LOG_BYTES)
#define COMPACT_MAPS_BYTES (DRIVE_DDF_PRIMARY_BYTES - DRIVE_DDF_COPY_BYTES)

_Static_assert(COMPACT_LABELS_BYTES >=
                   DRIVE_DDF_PRIMARY_BYTES + LABEL_SLOT_COUNT * LABEL_SLOT_BYTES,
               "the labels end before the primary copy");
_Static_assert(COMPACT_MAPS_BYTES >=
                   DRIVE_MARKS_BYTES +
                       REGION_MAP_SLOTS * REGION_MAP_BYTES(REGION_MAP_PAGES_COMPACT),
               "the maps end before the marks of others");

#define DRIVE_BLOCK_BYTES UINT64_C(4096)

/* The end of the last whole block. */
static inline uint64_t drive_layout_blocks_end(uint64_t size_bytes)
{
    return size_bytes & ~(DRIVE_BLOCK_BYTES - 1);
}

/* From where the copies of DDF are counted back. */
static inline uint64_t drive_layout_ddf_end(uint64_t size_bytes)
{
    return drive_layout_blocks_end(size_bytes + DRIVE_BLOCK_BYTES - 1);
}

/* The block that ends with the anchor of DDF; it may be a short one. */
static inline uint64_t drive_layout_anchor_block(uint64_t size_bytes)
{
    return drive_layout_ddf_end(size_bytes) - DRIVE_BLOCK_BYTES;
}

/* 0 if the drive is too small to be used. */
static inline uint64_t drive_layout_usable_bytes(uint64_t size_bytes)
{
    if (size_bytes < DRIVE_SIZE_MIN_BYTES) {
        return 0;
    }
    return (size_bytes - DRIVE_RESERVED_BYTES) & ~((UINT64_C(1) << 20) - 1);
}

/* Where data must end, by the layout of the group. */
static inline uint64_t drive_layout_room_bytes(uint64_t size_bytes, bool compact)
{
    uint64_t usable_bytes = drive_layout_usable_bytes(size_bytes);

    return compact && usable_bytes != 0 ? drive_layout_ddf_end(size_bytes) - DRIVE_DDF_BYTES
                                        : usable_bytes;
}

static inline uint64_t drive_layout_label_offset(uint64_t size_bytes, bool compact, uint32_t slot)
{
    uint64_t offset_bytes = compact ? drive_layout_blocks_end(size_bytes) - COMPACT_LABELS_BYTES
                                    : drive_layout_usable_bytes(size_bytes);

    return offset_bytes + (uint64_t)slot * LABEL_SLOT_BYTES;
}

static inline uint32_t drive_layout_region_pages_max(bool compact)
{
    return compact ? REGION_MAP_PAGES_COMPACT : REGION_MAP_PAGES_MAX;
}

/* place: 0 or 1. Pages of one place lie next to each other. */
static inline uint64_t drive_layout_region_page_offset(uint64_t size_bytes, bool compact,
                                                       uint32_t slot, uint32_t place, uint32_t page)
{
    uint64_t offset_bytes = compact ? drive_layout_blocks_end(size_bytes) - COMPACT_MAPS_BYTES
                                    : drive_layout_usable_bytes(size_bytes) + REGION_MAPS_OFFSET;
    uint64_t map_bytes = REGION_MAP_BYTES(drive_layout_region_pages_max(compact));

    return offset_bytes + slot * map_bytes + place * (map_bytes / 2) +
           (uint64_t)page * REGION_MAP_PAGE_BYTES;
}

static inline uint64_t drive_layout_stripe_log_offset(uint64_t size_bytes, bool compact)
{
    return compact ? drive_layout_blocks_end(size_bytes) - COMPACT_STRIPE_LOG_BYTES
                   : drive_layout_usable_bytes(size_bytes) + STRIPE_LOG_OFFSET;
}

#endif
