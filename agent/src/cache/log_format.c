/*
 * See log_format.h.
 */
#include "cache/log_format.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc.h"
#include "cache/journal.h"
#include "port/io_port.h"

#define PUBLISH_MIN 4u
#define PUBLISH_MAX 128u
#define HEADER_FIXED_BYTES 64u
#define RING_BLOCKS_MAX (UINT64_C(1) << 29) /* 2 TiB */

static const char super_magic[8] = {'A', 'W', 'C', 'L', 'O', 'G', 'S', '1'};
static const char record_magic[8] = {'A', 'W', 'C', 'L', 'O', 'G', 'R', '1'};

/* Super-block: where its fields are. */
enum {
    SUPER_MAGIC = 0,
    SUPER_VERSION = 8,
    SUPER_TAIL_BLOCK = 12,
    SUPER_UUID = 16,
    SUPER_OWNER = 32,
    SUPER_GENERATION = 48,
    SUPER_TURN = 56,
    SUPER_SIZE = 64,
    SUPER_TAIL_NUMBER = 72,
    SUPER_DURABLE_NUMBER = 80,
    SUPER_CRC = 88 /* of what is before it: the super-block is one sector, and never torn */
};

/* Record header. */
enum {
    HEADER_MAGIC = 0,
    HEADER_UUID = 8,
    HEADER_NUMBER = 24,
    HEADER_GENERATION = 32,
    HEADER_PUBLISH_COUNT = 40,
    HEADER_RELEASE_COUNT = 44,
    HEADER_CRC = 60
};

STATIC_ASSERT(HEADER_CRC + 4 == HEADER_FIXED_BYTES, "the checksum ends the fixed part");
STATIC_ASSERT(SUPER_CRC + 4 <= CACHE_SECTOR_BYTES, "the super-block is one sector");

/* A frame in memory is three eighths of a frame in the ring, so that records with but one frame
 * that still counts can always be copied together (journal_log.h (5)). */
bool log_geometry_make(uint64_t size_bytes, struct log_geometry *ret_geometry)
{
    uint64_t blocks = min_u64(size_bytes / LOG_BLOCK_BYTES, RING_BLOCKS_MAX);
    struct log_geometry geometry;
    uint32_t header_bytes = 0;

    if (blocks < LOG_RING_FIRST + LOG_RING_MIN) {
        return false;
    }
    geometry.ring_blocks = (uint32_t)blocks - LOG_RING_FIRST;
    geometry.frame_count = (uint32_t)((uint64_t)geometry.ring_blocks * 3 / 8);
    geometry.publish_max = max_u32(PUBLISH_MIN, min_u32(PUBLISH_MAX, geometry.ring_blocks / 64));
    geometry.header_blocks_max = max_u32(2, geometry.publish_max / 4);
    header_bytes = geometry.header_blocks_max * LOG_BLOCK_BYTES;
    geometry.release_max =
        (header_bytes - HEADER_FIXED_BYTES - geometry.publish_max * (LOG_DESCRIPTOR_BYTES + 4)) / 4;
    geometry.record_blocks_max = geometry.header_blocks_max + geometry.publish_max;
    ASSERT(geometry.record_blocks_max * LOG_BLOCK_BYTES <= IO_LENGTH_MAX_BYTES);
    ASSERT(geometry.frame_count >= JOURNAL_FRAMES_MIN);
    ASSERT(geometry.frame_count <= JOURNAL_FRAMES_MAX);
    *ret_geometry = geometry;
    return true;
}

bool log_super_read(const uint8_t *block, struct log_super *ret_super)
{
    if (memcmp(block + SUPER_MAGIC, super_magic, sizeof(super_magic)) != 0 ||
        get_le32(block + SUPER_CRC) != crc32c(0, block, SUPER_CRC)) {
        return false;
    }
    ret_super->version = get_le32(block + SUPER_VERSION);
    ret_super->tail_block = get_le32(block + SUPER_TAIL_BLOCK);
    memcpy(&ret_super->uuid, block + SUPER_UUID, sizeof(ret_super->uuid));
    memcpy(&ret_super->owner, block + SUPER_OWNER, sizeof(ret_super->owner));
    ret_super->generation = get_le64(block + SUPER_GENERATION);
    ret_super->turn = get_le64(block + SUPER_TURN);
    ret_super->size_bytes = get_le64(block + SUPER_SIZE);
    ret_super->tail_number = get_le64(block + SUPER_TAIL_NUMBER);
    ret_super->durable_number = get_le64(block + SUPER_DURABLE_NUMBER);
    return true;
}

bool log_super_newest(const uint8_t *blocks, bool ret_good[2], struct log_super *ret_super)
{
    struct log_super supers[2];
    bool first = false;

    ret_good[0] = log_super_read(blocks, &supers[0]);
    ret_good[1] = log_super_read(blocks + LOG_BLOCK_BYTES, &supers[1]);
    if (!ret_good[0] && !ret_good[1]) {
        return false;
    }
    first = ret_good[0] && (!ret_good[1] || supers[0].turn > supers[1].turn);
    *ret_super = supers[first ? 0 : 1];
    return true;
}

void log_super_write(const struct log_super *super, uint8_t *block)
{
    memset(block, 0, LOG_BLOCK_BYTES);
    memcpy(block + SUPER_MAGIC, super_magic, sizeof(super_magic));
    put_le32(block + SUPER_VERSION, super->version);
    put_le32(block + SUPER_TAIL_BLOCK, super->tail_block);
    memcpy(block + SUPER_UUID, &super->uuid, sizeof(super->uuid));
    memcpy(block + SUPER_OWNER, &super->owner, sizeof(super->owner));
    put_le64(block + SUPER_GENERATION, super->generation);
    put_le64(block + SUPER_TURN, super->turn);
    put_le64(block + SUPER_SIZE, super->size_bytes);
    put_le64(block + SUPER_TAIL_NUMBER, super->tail_number);
    put_le64(block + SUPER_DURABLE_NUMBER, super->durable_number);
    put_le32(block + SUPER_CRC, crc32c(0, block, SUPER_CRC));
}

static uint32_t header_bytes_used(uint32_t publish_count, uint32_t release_count)
{
    return HEADER_FIXED_BYTES + publish_count * (LOG_DESCRIPTOR_BYTES + 4) + release_count * 4;
}

uint32_t log_header_blocks(uint32_t publish_count, uint32_t release_count)
{
    return (header_bytes_used(publish_count, release_count) + LOG_BLOCK_BYTES - 1) /
           LOG_BLOCK_BYTES;
}

uint32_t log_record_blocks(const struct log_header *header)
{
    return log_header_blocks(header->publish_count, header->release_count) + header->publish_count;
}

/* Of the whole header but its own four bytes. */
static uint32_t header_crc(const uint8_t *record, const struct log_header *header)
{
    uint32_t end =
        log_header_blocks(header->publish_count, header->release_count) * LOG_BLOCK_BYTES;
    uint32_t crc = crc32c(0, record, HEADER_CRC);

    return crc32c(crc, record + HEADER_FIXED_BYTES, end - HEADER_FIXED_BYTES);
}

void log_header_write(const struct log_header *header, uint8_t *record)
{
    uint32_t used = header_bytes_used(header->publish_count, header->release_count);
    uint32_t end =
        log_header_blocks(header->publish_count, header->release_count) * LOG_BLOCK_BYTES;

    memset(record, 0, HEADER_FIXED_BYTES);
    memset(record + used, 0, end - used);
    memcpy(record + HEADER_MAGIC, record_magic, sizeof(record_magic));
    memcpy(record + HEADER_UUID, &header->uuid, sizeof(header->uuid));
    put_le64(record + HEADER_NUMBER, header->number);
    put_le64(record + HEADER_GENERATION, header->generation);
    put_le32(record + HEADER_PUBLISH_COUNT, header->publish_count);
    put_le32(record + HEADER_RELEASE_COUNT, header->release_count);
    put_le32(record + HEADER_CRC, header_crc(record, header));
}

static bool frame_numbers_are_sound(const uint8_t *record, const struct log_header *header,
                                    uint32_t frame_count)
{
    for (uint32_t i = 0; i < header->publish_count; i++) {
        if (get_le32(record + log_frame_number_at(header, i)) >= frame_count) {
            return false;
        }
    }
    for (uint32_t i = 0; i < header->release_count; i++) {
        if (get_le32(record + log_release_at(header, i)) >= frame_count) {
            return false;
        }
    }
    return true;
}

bool log_header_read(const uint8_t *record, uint32_t available, const struct log_geometry *geometry,
                     struct log_header *ret_header)
{
    struct log_header header;

    if (available == 0 || memcmp(record + HEADER_MAGIC, record_magic, sizeof(record_magic)) != 0) {
        return false;
    }
    memcpy(&header.uuid, record + HEADER_UUID, sizeof(header.uuid));
    header.number = get_le64(record + HEADER_NUMBER);
    header.generation = get_le64(record + HEADER_GENERATION);
    header.publish_count = get_le32(record + HEADER_PUBLISH_COUNT);
    header.release_count = get_le32(record + HEADER_RELEASE_COUNT);
    if (header.publish_count > geometry->publish_max ||
        header.release_count > geometry->release_max || log_record_blocks(&header) > available ||
        get_le32(record + HEADER_CRC) != header_crc(record, &header) ||
        !frame_numbers_are_sound(record, &header, geometry->frame_count)) {
        return false;
    }
    *ret_header = header;
    return true;
}

uint32_t log_descriptor_at(uint32_t index)
{
    return HEADER_FIXED_BYTES + index * LOG_DESCRIPTOR_BYTES;
}

uint32_t log_frame_number_at(const struct log_header *header, uint32_t index)
{
    ASSERT(index < header->publish_count);
    return log_descriptor_at(header->publish_count) + index * 4;
}

uint32_t log_release_at(const struct log_header *header, uint32_t index)
{
    ASSERT(index < header->release_count);
    return log_descriptor_at(header->publish_count) + (header->publish_count + index) * 4;
}

uint32_t log_content_at(const struct log_header *header, uint32_t index)
{
    ASSERT(index < header->publish_count);
    return (log_header_blocks(header->publish_count, header->release_count) + index) *
           LOG_BLOCK_BYTES;
}
