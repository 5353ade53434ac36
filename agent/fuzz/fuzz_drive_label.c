/*
 * A label slot as found on a drive: hostile bytes, once as they are and once with the magic
 * and the checksums repaired. What decodes must encode again.
 */
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "drive/drive_layout.h"
#include "meta/group_store.h"

#define LABEL_HEAD_BYTES 512u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void crc_repair(uint8_t *bytes, size_t size)
{
    put_le32(bytes + 12, (uint32_t)size);
    put_le32(bytes + 16, 0);
    put_le32(bytes + 16, crc32c(0, bytes, size));
}

static void label_try(const uint8_t *slot)
{
    static struct drive_label label;
    static uint8_t again[LABEL_SLOT_BYTES];
    size_t bytes = 0;

    if (drive_label_decode(slot, &label) == 0) {
        ASSERT(label.role < LABEL_ROLE_MAX);
        ASSERT(drive_label_encode(&label, again, &bytes) == 0);
        ASSERT(drive_label_decode(again, &label) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t slot[LABEL_SLOT_BYTES];

    if (size > LABEL_HEAD_BYTES + GROUP_RECORD_MAX_BYTES) {
        return 0;
    }
    memset(slot, 0, sizeof(slot));
    memcpy(slot, data, size);
    label_try(slot);
    if (size < LABEL_HEAD_BYTES) {
        return 0;
    }
    memcpy(slot, "AWLABEL1", 8);
    put_le32(slot + 96, (uint32_t)(size - LABEL_HEAD_BYTES));
    if (size >= LABEL_HEAD_BYTES + 64) {
        crc_repair(slot + LABEL_HEAD_BYTES, size - LABEL_HEAD_BYTES);
    }
    crc_repair(slot, size);
    label_try(slot);
    return 0;
}
