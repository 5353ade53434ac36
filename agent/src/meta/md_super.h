/*
 * The superblock of Linux' md, metadata 1.2: 4096 bytes into each member, little-endian.
 * Recognized and described, never written; taken off by md_super_io.h. Hostile bytes.
 *
 *   0 magic A92B4EFC    4 major 1          8 features    16 set UUID 16     32 name 32
 * ("host:name") 72 level (signed)   76 layout          80 member sectors  88 chunk sectors  92
 * members 96 bitmap, in sectors from here (signed) 128 data offset     136 data sectors   160 own
 * number     168 own UUID 16 200 events          208 resync offset  216 checksum       220 numbers
 * 256 roles, 2 each
 */
#ifndef ARRAYWRIGHT_META_MD_SUPER_H
#define ARRAYWRIGHT_META_MD_SUPER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"

#define MD_MAGIC UINT32_C(0xA92B4EFC)
#define MD_SUPER_OFFSET_BYTES 4096u
#define MD_SUPER_BYTES 4096u
#define MD_ROLES_MAX 1920u
#define MD_ROLE_SPARE 0xFFFFu
#define MD_ROLE_FAULTY 0xFFFEu
#define MD_ROLE_JOURNAL 0xFFFDu

#define MD_FEATURE_BITMAP 1u
#define MD_FEATURE_RECOVERY 2u    /* this drive is being rebuilt */
#define MD_FEATURE_RESHAPE 4u
#define MD_FEATURE_BAD_BLOCKS 8u  /* some are noted */
#define MD_FEATURE_REPLACEMENT 16u
#define MD_FEATURE_JOURNAL 512u
#define MD_FEATURE_PPL (1024u | 2048u)
#define MD_FEATURE_RAID0_LAYOUT 4096u /* the layout of its zones is said */

struct md_super {
    struct uuid set;
    struct uuid own;
    char name[33];
    int32_t level;
    uint32_t layout;
    uint64_t member_sectors;
    uint32_t chunk_sectors;
    uint32_t member_count;
    uint64_t data_offset_sectors;
    uint64_t data_sectors;
    uint64_t events;
    uint32_t features;      /* MD_FEATURE_… and others */
    int32_t bitmap_sectors; /* where it begins, from here */
    bool resyncing;         /* not known consistent to the end, or in use and written to */
    uint16_t role;          /* place of this drive, or MD_ROLE_… */
};

/* 0; -ENOENT: no md superblock; -EBADMSG: damaged, or not possible. ret_why: a sentence. */
MUST_CHECK int md_super_decode(const uint8_t bytes[MD_SUPER_BYTES], uint64_t drive_sectors,
                               struct md_super *ret_super, const char **ret_why);
/* They say the same. */
bool md_super_is_same(const struct md_super *a, const struct md_super *b);
/* "RAID5", "RAID5 (right asymmetric)", "RAID10 (near 2)", "linear". */
void md_level_name(const struct md_super *super, char out[32]);
/* Members that may be lost, whichever they are. */
uint32_t md_tolerance(const struct md_super *super);
/* What the set holds, in sectors; 0 if that is not told by these fields. */
uint64_t md_size_sectors(const struct md_super *super);

#endif
