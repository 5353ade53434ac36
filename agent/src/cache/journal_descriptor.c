/*
 * Descriptors of the journal's frames (journal.h).
 */
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "cache/journal_private.h"
#include "cache/sim_bug.h"

#define BLOCKS_MAX (UINT64_C(1) << 50) /* so that no byte offset can overflow */
#define SEQUENCE_BITS 40u
#define SEQUENCE_MASK ((UINT64_C(1) << SEQUENCE_BITS) - 1)

STATIC_ASSERT(DESCRIPTOR_TAG + 8 == DESCRIPTOR_BYTES, "one cache line");
STATIC_ASSERT(sizeof(struct guid) == DESCRIPTOR_DATA_CRC - DESCRIPTOR_VD, "a DDF GUID");
STATIC_ASSERT(CACHE_BLOCK_SECTORS *CACHE_SECTOR_BYTES == CACHE_BLOCK_BYTES, "8 sectors");

/* Of the dirty sectors alone: the others may be filled in while the frame is published. */
uint32_t descriptor_content_crc(const uint8_t *frame, uint8_t dirty)
{
    uint32_t crc = 0;

    if (dirty == 0xff) {
        return crc32c(0, frame, CACHE_BLOCK_BYTES);
    }
    for (uint32_t sector = 0; sector < CACHE_BLOCK_SECTORS; sector++) {
        if ((dirty & (1u << sector)) != 0) {
            crc = crc32c(crc, frame + sector * CACHE_SECTOR_BYTES, CACHE_SECTOR_BYTES);
        }
    }
    return crc;
}

/* The word says what the other 56 bytes must be. */
uint64_t descriptor_word(const uint8_t *bytes, enum journal_type type)
{
    uint64_t sequence = get_le64(bytes + DESCRIPTOR_SEQUENCE) & SEQUENCE_MASK;
    uint32_t crc = crc32c((uint32_t)type, bytes + 8, DESCRIPTOR_BYTES - 8);
    uint16_t short_crc = (uint16_t)(crc ^ crc >> 16);

    return (uint64_t)type | sequence << 8 | (uint64_t)short_crc << 48;
}

void descriptor_read(const uint8_t *bytes, struct frame_entry *ret_entry)
{
    ret_entry->type = (enum journal_type)bytes[DESCRIPTOR_WORD];
    ret_entry->sequence = get_le64(bytes + DESCRIPTOR_SEQUENCE);
    ret_entry->block = get_le64(bytes + DESCRIPTOR_BLOCK);
    memcpy(&ret_entry->vd, bytes + DESCRIPTOR_VD, sizeof(ret_entry->vd));
    ret_entry->dirty = bytes[DESCRIPTOR_DIRTY];
    ret_entry->tag = get_le64(bytes + DESCRIPTOR_TAG);
}

bool descriptor_is_sound(const uint8_t *bytes)
{
    uint8_t type = bytes[DESCRIPTOR_WORD];

    if (type == JOURNAL_FREE || type >= JOURNAL_TYPE_MAX || bytes[DESCRIPTOR_DIRTY] == 0 ||
        get_le64(bytes + DESCRIPTOR_SEQUENCE) == 0 ||
        (type == JOURNAL_DATA && get_le64(bytes + DESCRIPTOR_BLOCK) >= BLOCKS_MAX)) {
        return false;
    }
    return get_le64(bytes + DESCRIPTOR_WORD) == descriptor_word(bytes, (enum journal_type)type) ||
           CACHE_BUG(SHORT_CRC_IGNORED);
}

bool descriptor_fits_content(const uint8_t *bytes, const uint8_t *content)
{
    return get_le32(bytes + DESCRIPTOR_DATA_CRC) ==
           descriptor_content_crc(content, bytes[DESCRIPTOR_DIRTY]);
}
