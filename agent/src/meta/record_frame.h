/*
 * The head of a record that is kept in the host's store: magic, version, length, checksum and the
 * count of the entries behind it. Little-endian:
 *
 *   0  magic   8  version   12  bytes in all   16  CRC-32C, itself as zero   20  count
 */
#ifndef ARRAYWRIGHT_META_RECORD_FRAME_H
#define ARRAYWRIGHT_META_RECORD_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define RECORD_FRAME_BYTES 24u

struct record_frame {
    char magic[9];
    uint32_t version;
    size_t bytes_max;
    uint32_t count_max;
    size_t entry_bytes; /* 0: they differ */
};

/* Into the head of a record whose entries are written. */
void record_frame_write(const struct record_frame *frame, uint32_t count, uint8_t *buffer,
                        size_t bytes);
/* -EBADMSG: damaged, or of another kind; -EPROTONOSUPPORT: of a later version. */
MUST_CHECK int record_frame_check(const struct record_frame *frame, const uint8_t *buffer,
                                  size_t bytes);
uint32_t record_frame_count(const uint8_t *buffer);

#endif
