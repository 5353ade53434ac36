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

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTES_IN_le(bits, value) (value)
#define BYTES_IN_be(bits, value) __builtin_bswap##bits(value)
#else
#define BYTES_IN_le(bits, value) __builtin_bswap##bits(value)
#define BYTES_IN_be(bits, value) (value)
#endif

/* Copied as a whole: put together byte by byte, they would be stored so, and a longer load right
 * after would have to wait for the stores. */
#define BYTES_ACCESS(bits, order)                                                                  \
    static inline void put_##order##bits(uint8_t *bytes, uint##bits##_t value)                     \
    {                                                                                              \
        uint##bits##_t ordered = BYTES_IN_##order(bits, value);                                    \
                                                                                                   \
        memcpy(bytes, &ordered, sizeof(ordered));                                                  \
    }                                                                                              \
                                                                                                   \
    static inline uint##bits##_t get_##order##bits(const uint8_t *bytes)                           \
    {                                                                                              \
        uint##bits##_t ordered = 0;                                                                \
                                                                                                   \
        memcpy(&ordered, bytes, sizeof(ordered));                                                  \
        return BYTES_IN_##order(bits, ordered);                                                    \
    }

BYTES_ACCESS(16, be)
BYTES_ACCESS(32, be)
BYTES_ACCESS(64, be)
BYTES_ACCESS(16, le)
BYTES_ACCESS(32, le)
BYTES_ACCESS(64, le)

#undef BYTES_ACCESS
#undef BYTES_IN_le
#undef BYTES_IN_be

#endif
