/*
 * What the journal's log looks like on its device (journal_log.h), little-endian.
 *
 *   block 0, 1   super-blocks A and B, written in turn: where the oldest record is that counts
 *   block 2 ...  a ring of records, one behind the other; one that does not fit before the end
 *                begins at the ring's first block
 *
 * A record is a header and the frames it publishes, in whole blocks of 4096 bytes:
 *
 *     0  magic 8          8  journal UUID 16   24  number 8      32  generation 8
 *    40  publications 4  44  releases 4        48  zeros        60  checksum of the header
 *    64  descriptors of 64 bytes (journal.h), their frame numbers 4 each, the numbers of the
 *        released frames 4 each; rounded up to 4096
 *        the content of each published frame, 4096 bytes
 *
 * The descriptors have the checksums of the content, so it does not matter in which order the
 * blocks of a record reach the device.
 */
#ifndef ARRAYWRIGHT_CACHE_LOG_FORMAT_H
#define ARRAYWRIGHT_CACHE_LOG_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"

#define LOG_BLOCK_BYTES 4096u
#define LOG_RING_FIRST 2u /* block */
#define LOG_RING_MIN 240u /* blocks */
#define LOG_VERSION 1u
#define LOG_DESCRIPTOR_BYTES 64u

struct log_geometry {
    uint32_t ring_blocks;
    uint32_t frame_count;       /* in memory: three eighths of the ring */
    uint32_t publish_max;       /* of a record */
    uint32_t release_max;
    uint32_t header_blocks_max;
    uint32_t record_blocks_max;
};

/* False: too small. */
MUST_CHECK bool log_geometry_make(uint64_t size_bytes, struct log_geometry *ret_geometry);

struct log_super {
    uint32_t version;
    struct uuid uuid, owner;
    uint64_t generation;     /* how often the journal has been opened */
    uint64_t turn;           /* how often a super-block has been written: the higher one holds */
    uint64_t size_bytes;
    uint64_t tail_number;    /* the oldest record that counts, or the next one to be written */
    uint32_t tail_block;     /* of the ring */
    uint64_t durable_number; /* records up to this one were durable when this was written */
};

/* False: this is none, or it is damaged. */
MUST_CHECK bool log_super_read(const uint8_t *block, struct log_super *ret_super);
/* Of both, one behind the other; which of them are good. False: neither. */
MUST_CHECK bool log_super_newest(const uint8_t *blocks, bool ret_good[2],
                                 struct log_super *ret_super);
void log_super_write(const struct log_super *super, uint8_t *block);

struct log_header {
    struct uuid uuid;
    uint64_t number;
    uint64_t generation;
    uint32_t publish_count, release_count;
};

uint32_t log_header_blocks(uint32_t publish_count, uint32_t release_count);
uint32_t log_record_blocks(const struct log_header *header);
/* The header's checksum is made last, when everything else is in place. */
void log_header_write(const struct log_header *header, uint8_t *record);
/* `available` blocks are there to be looked at. Says nothing about the content. */
MUST_CHECK bool log_header_read(const uint8_t *record, uint32_t available,
                                const struct log_geometry *geometry, struct log_header *ret_header);
/* Where things are in a record, in bytes. */
uint32_t log_descriptor_at(uint32_t index);
uint32_t log_frame_number_at(const struct log_header *header, uint32_t index);
uint32_t log_release_at(const struct log_header *header, uint32_t index);
uint32_t log_content_at(const struct log_header *header, uint32_t index);

#endif
