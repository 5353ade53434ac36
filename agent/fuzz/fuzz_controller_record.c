/*
 * The controller's record as found in the state directory, once as it is and once with its
 * checksum repaired. What decodes must encode to as many bytes, and those of a version before to
 * what decodes again.
 */
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "meta/controller_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct controller_record record;
    static uint8_t bytes[CONTROLLER_RECORD_MAX_BYTES];
    size_t again = 0;

    if (controller_record_decode(data, size, &record) == 0) {
        ASSERT(record.group_count <= CONTROLLER_GROUPS_MAX);
    }
    if (size < 128 || size > sizeof(bytes)) {
        return 0;
    }
    memcpy(bytes, data, size);
    put_le32(bytes + 12, (uint32_t)size);
    put_le32(bytes + 16, 0);
    put_le32(bytes + 16, crc32c(0, bytes, size));
    if (controller_record_decode(bytes, size, &record) == 0) {
        ASSERT(controller_record_encode(&record, bytes, sizeof(bytes), &again) == 0);
        ASSERT(again == size || (get_le32(data + 8) == 1 && again > size));
        ASSERT(controller_record_decode(bytes, again, &record) == 0);
    }
    return 0;
}
