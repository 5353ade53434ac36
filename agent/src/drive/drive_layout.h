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
 *   +1 MiB         region maps, 1 MiB for each of 16 virtual drives: two places for every page
 *   +17 MiB        stripe log, 15 MiB
 *
 * The rest is zero until used.
 */
#ifndef ARRAYWRIGHT_DRIVE_DRIVE_LAYOUT_H
#define ARRAYWRIGHT_DRIVE_DRIVE_LAYOUT_H

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
#define REGION_MAP_PAGE_BYTES 4096u
#define REGION_MAPS_OFFSET (UINT64_C(1) << 20)
#define REGION_MAP_BYTES (UINT64_C(2) * REGION_MAP_PAGES_MAX * REGION_MAP_PAGE_BYTES)
#define STRIPE_LOG_OFFSET (REGION_MAPS_OFFSET + REGION_MAP_SLOTS * REGION_MAP_BYTES)
#define STRIPE_LOG_BYTES (UINT64_C(15) << 20)

_Static_assert(STRIPE_LOG_OFFSET + STRIPE_LOG_BYTES == DRIVE_PRIVATE_BYTES,
               "the private area is laid out to its end");

/* 0 if the drive is too small to be used. */
static inline uint64_t drive_layout_usable_bytes(uint64_t size_bytes)
{
    if (size_bytes < DRIVE_SIZE_MIN_BYTES) {
        return 0;
    }
    return (size_bytes - DRIVE_RESERVED_BYTES) & ~((UINT64_C(1) << 20) - 1);
}

static inline uint64_t drive_layout_label_offset(uint64_t size_bytes, uint32_t slot)
{
    return drive_layout_usable_bytes(size_bytes) + (uint64_t)slot * LABEL_SLOT_BYTES;
}

/* place: 0 or 1. Pages of one place lie next to each other. */
static inline uint64_t drive_layout_region_page_offset(uint64_t size_bytes, uint32_t slot,
                                                       uint32_t place, uint32_t page)
{
    return drive_layout_usable_bytes(size_bytes) + REGION_MAPS_OFFSET + slot * REGION_MAP_BYTES +
           place * (REGION_MAP_BYTES / 2) + (uint64_t)page * REGION_MAP_PAGE_BYTES;
}

static inline uint64_t drive_layout_stripe_log_offset(uint64_t size_bytes)
{
    return drive_layout_usable_bytes(size_bytes) + STRIPE_LOG_OFFSET;
}

#endif
