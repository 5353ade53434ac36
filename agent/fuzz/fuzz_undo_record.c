/*
 * Saved metadata as found in the state directory, once as they are and once with the checksum
 * repaired. What decodes must encode to as many bytes, and decode once more.
 */
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "meta/undo_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(const uint8_t *bytes, size_t size)
{
    static uint8_t again[UNDO_RECORD_MAX_BYTES];
    struct undo_record *record = NULL;
    struct undo_record *twin = NULL;
    size_t used = 0;

    if (undo_record_decode(bytes, size, &record) != 0) {
        return;
    }
    ASSERT(undo_record_encode(record, again, &used) == 0);
    ASSERT(used == size);
    ASSERT(undo_record_decode(again, used, &twin) == 0);
    (void)undo_record_free(record); /* returns NULL always */
    (void)undo_record_free(twin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[UNDO_RECORD_MAX_BYTES];

    take(data, size);
    if (size < 256 || size > sizeof(bytes)) {
        return 0;
    }
    memcpy(bytes, data, size);
    put_le32(bytes + 12, (uint32_t)size);
    put_le32(bytes + 16, 0);
    put_le32(bytes + 16, crc32c(0, bytes, size));
    take(bytes, size);
    return 0;
}
