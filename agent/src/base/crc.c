/*
 * Checksums, computed by ISA-L. Its functions come in two conventions: crc32_iscsi()
 * leaves all inversions to the caller, crc32_gzip_refl() inverts at both ends.
 */
#include "base/crc.h"

#include <isa-l/crc.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

/* crc32_iscsi() takes an int; longer buffers go in steps of this many bytes. */
#define STEP_MAX_BYTES (UINT64_C(1) << 30)

uint32_t crc32c(uint32_t seed, const void *buffer, size_t bytes)
{
    const uint8_t *at = buffer;
    uint32_t crc = ~seed;

    ASSERT(buffer != NULL || bytes == 0);
    while (bytes > 0) {
        size_t step = (size_t)min_u64(bytes, STEP_MAX_BYTES);

        /* ISA-L only reads through the pointer although its type lacks the const. */
        crc = crc32_iscsi((unsigned char *)(uintptr_t)at, (int)step, crc);
        at += step;
        bytes -= step;
    }
    return ~crc;
}

/* Continues a DDF checksum whose register stands at `crc`. */
static uint32_t ddf_continue(uint32_t crc, const uint8_t *bytes, size_t count)
{
    ASSERT(bytes != NULL || count == 0);
    if (count == 0) {
        return crc;
    }
    return ~crc32_gzip_refl(~crc, bytes, count);
}

uint32_t crc32_ddf(const void *buffer, size_t bytes)
{
    return ddf_continue(0, buffer, bytes);
}

uint32_t crc32_ddf_section(const void *buffer, size_t bytes)
{
    static const uint8_t crc_place[4] = {0xFF, 0xFF, 0xFF, 0xFF};
    const uint8_t *at = buffer;
    uint32_t crc = 0;

    ASSERT(buffer != NULL);
    ASSERT(bytes >= 8);
    crc = ddf_continue(0, at, 4);
    crc = ddf_continue(crc, crc_place, sizeof(crc_place));
    return ddf_continue(crc, at + 8, bytes - 8);
}
