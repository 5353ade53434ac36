/*
 * Checksums of on-disk structures.
 */
#ifndef ARRAYWRIGHT_BASE_CRC_H
#define ARRAYWRIGHT_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/*
 * CRC-32C (Castagnoli) with the usual inversions: crc32c(0, "123456789", 9) = 0xE3069283.
 * Chainable: crc32c(crc32c(0, a), b) is the checksum of a followed by b.
 */
uint32_t crc32c(uint32_t seed, const void *buffer, size_t bytes);

/* DDF's CRC: reflected 0xEDB88320, starts at 0, no inversion; "123456789" = 0x2DFD2D88. */
uint32_t crc32_ddf(const void *buffer, size_t bytes);
/* The CRC of a DDF structure: the same, with its bytes 4..7 taken as FF. bytes >= 8. */
uint32_t crc32_ddf_section(const void *buffer, size_t bytes);

#endif
