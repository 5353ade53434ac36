/*
 * Byte buffers: integers in them, of any alignment, big- and little-endian. On-disk and wire
 * formats are read and written only through these; the caller has proved the length.
 */
#ifndef ARRAYWRIGHT_BASE_BYTES_H
#define ARRAYWRIGHT_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether all of them have that value; true of none. */
static inline bool bytes_are_all(const uint8_t *bytes, size_t count, uint8_t value)
{
    return count == 0 || (bytes[0] == value && memcmp(bytes, bytes + 1, count - 1) == 0);
}

static inline void put_be16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static inline void put_be32(uint8_t *bytes, uint32_t value)
{
    put_be16(bytes, (uint16_t)(value >> 16));
    put_be16(bytes + 2, (uint16_t)value);
}

static inline void put_be64(uint8_t *bytes, uint64_t value)
{
    put_be32(bytes, (uint32_t)(value >> 32));
    put_be32(bytes + 4, (uint32_t)value);
}

static inline uint16_t get_be16(const uint8_t *bytes)
{
    return (uint16_t)((uint32_t)bytes[0] << 8 | bytes[1]);
}

static inline uint32_t get_be32(const uint8_t *bytes)
{
    return (uint32_t)get_be16(bytes) << 16 | get_be16(bytes + 2);
}

static inline uint64_t get_be64(const uint8_t *bytes)
{
    return (uint64_t)get_be32(bytes) << 32 | get_be32(bytes + 4);
}

static inline void put_le16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void put_le32(uint8_t *bytes, uint32_t value)
{
    put_le16(bytes, (uint16_t)value);
    put_le16(bytes + 2, (uint16_t)(value >> 16));
}

static inline void put_le64(uint8_t *bytes, uint64_t value)
{
    put_le32(bytes, (uint32_t)value);
    put_le32(bytes + 4, (uint32_t)(value >> 32));
}

static inline uint16_t get_le16(const uint8_t *bytes)
{
    return (uint16_t)((uint32_t)bytes[1] << 8 | bytes[0]);
}

static inline uint32_t get_le32(const uint8_t *bytes)
{
    return (uint32_t)get_le16(bytes + 2) << 16 | get_le16(bytes);
}

static inline uint64_t get_le64(const uint8_t *bytes)
{
    return (uint64_t)get_le32(bytes + 4) << 32 | get_le32(bytes);
}

#endif
