/*
 * md's superblock as found on a drive: hostile bytes, once as they are and once with the checksum
 * repaired.
 */
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "meta/md_super.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void super_try(const uint8_t *bytes)
{
    struct md_super super;
    const char *why = NULL;
    char level[32];

    if (md_super_decode(bytes, UINT64_C(131072), &super, &why) != 0) {
        ASSERT(why != NULL);
        return;
    }
    ASSERT(super.member_count <= MD_ROLES_MAX);
    ASSERT(super.role >= MD_ROLE_JOURNAL || super.role < super.member_count);
    md_level_name(&super, level);
    ASSERT(strlen(level) > 0 && strlen(level) < sizeof(level));
    (void)md_size_sectors(&super); /* must not overflow */
    ASSERT(md_tolerance(&super) <= MD_ROLES_MAX * UINT32_C(64));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t block[MD_SUPER_BYTES];
    uint64_t sum = 0;
    uint32_t length = 0;

    if (size > sizeof(block)) {
        return 0;
    }
    memset(block, 0, sizeof(block));
    memcpy(block, data, size);
    super_try(block);
    put_le32(block, 0xA92B4EFC);
    put_le32(block + 4, 1);
    put_le32(block + 220, get_le32(block + 220) % (MD_ROLES_MAX + 1));
    put_le32(block + 216, 0);
    length = 256 + 2 * get_le32(block + 220);
    for (uint32_t at = 0; at + 4 <= length; at += 4) {
        sum += get_le32(block + at);
    }
    sum += length % 4 != 0 ? get_le16(block + length - 2) : 0;
    put_le32(block + 216, (uint32_t)sum + (uint32_t)(sum >> 32));
    super_try(block);
    return 0;
}
