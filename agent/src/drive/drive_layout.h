/*
 * What is where on a drive, from its first version on, so that no data ever move:
 *
 *   0 .................... usable      extents of virtual drives
 *   usable ............... +32 MiB     private area: label slots, later maps and logs
 *   size - 32 MiB ........ size        DDF workspace (reserved; DDF anchor in the last sector)
 *
 * usable = size - 64 MiB rounded down to 1 MiB. Private area: label slot A at +0, slot B at
 * +64 KiB; the rest is zero until used.
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

#endif
