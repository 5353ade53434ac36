#include "meta/record_frame.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"

#define MAGIC_BYTES 8u
#define CRC_OFFSET 16u

static uint32_t record_crc(const uint8_t *buffer, size_t bytes)
{
    static const uint8_t zeros[4] = {0};
    uint32_t crc = crc32c(0, buffer, CRC_OFFSET);

    ASSERT(bytes >= RECORD_FRAME_BYTES);
    crc = crc32c(crc, zeros, sizeof(zeros));
    return crc32c(crc, buffer + CRC_OFFSET + 4, bytes - CRC_OFFSET - 4);
}

void record_frame_write(const struct record_frame *frame, uint32_t count, uint8_t *buffer,
                        size_t bytes)
{
    ASSERT(count <= frame->count_max);
    ASSERT(bytes >= RECORD_FRAME_BYTES && bytes <= frame->bytes_max);
    memcpy(buffer, frame->magic, MAGIC_BYTES);
    put_le32(buffer + 8, frame->version);
    put_le32(buffer + 12, (uint32_t)bytes);
    put_le32(buffer + 20, count);
    put_le32(buffer + CRC_OFFSET, record_crc(buffer, bytes));
}

int record_frame_check(const struct record_frame *frame, const uint8_t *buffer, size_t bytes)
{
    uint32_t count = 0;

    if (bytes < RECORD_FRAME_BYTES || bytes > frame->bytes_max ||
        memcmp(buffer, frame->magic, MAGIC_BYTES) != 0 || get_le32(buffer + 12) != bytes ||
        get_le32(buffer + CRC_OFFSET) != record_crc(buffer, bytes)) {
        return -EBADMSG;
    }
    if (get_le32(buffer + 8) > frame->version) {
        return -EPROTONOSUPPORT;
    }
    count = record_frame_count(buffer);
    return count <= frame->count_max &&
                   (frame->entry_bytes == 0 ||
                    RECORD_FRAME_BYTES + (size_t)count * frame->entry_bytes == bytes)
               ? 0
               : -EBADMSG;
}

uint32_t record_frame_count(const uint8_t *buffer)
{
    return get_le32(buffer + 20);
}
