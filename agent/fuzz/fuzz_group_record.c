/*
 * A group record as found on a drive or in the store. The checksum is repaired first, so that
 * the fields are reached. What decodes must encode, and decode to the same again.
 */
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "meta/group_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void crc_repair(uint8_t *record, size_t size)
{
    put_le32(record + 12, (uint32_t)size);
    put_le32(record + 16, 0);
    put_le32(record + 16, crc32c(0, record, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct group_config config;
    static struct group_config second;
    static uint8_t record[GROUP_RECORD_MAX_BYTES];
    static uint8_t again[GROUP_RECORD_MAX_BYTES];
    size_t bytes = 0;

    if (group_record_decode(data, size, &config) == 0) {
        ASSERT(config.member_count > 0 && config.member_count <= GROUP_MEMBERS_MAX);
    }
    if (size < 64 || size > sizeof(record)) {
        return 0;
    }
    memcpy(record, data, size);
    crc_repair(record, size);
    if (group_record_decode(record, size, &config) != 0) {
        return 0;
    }
    ASSERT(group_record_encode(&config, again, sizeof(again), &bytes) == 0);
    ASSERT(bytes == size);
    ASSERT(group_record_decode(again, bytes, &second) == 0);
    ASSERT(second.sequence == config.sequence);
    return 0;
}
