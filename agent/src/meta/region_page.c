/*
 * Encoding of a page of a region map (region_page.h).
 */
#include "meta/region_page.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"

#define PAGE_VERSION 1u
#define CRC_OFFSET 12u
#define STATES_OFFSET 96u

static const uint8_t page_magic[8] = "AWREGION";

STATIC_ASSERT(STATES_OFFSET + REGION_PAGE_STATES == REGION_PAGE_BYTES, "layout of a page");
STATIC_ASSERT(REGION_UNWRITTEN == 0 && REGION_CLEAN == 1 && REGION_DIRTY == 2 &&
                  REGION_NEED_SYNC == 3 && REGION_SYNCING == 4,
              "numbers on disk");

/* The CRC is taken with its own four bytes as zeros. */
static uint32_t page_crc(const uint8_t *bytes)
{
    static const uint8_t zeros[4] = {0};
    uint32_t crc = crc32c(0, bytes, CRC_OFFSET);

    crc = crc32c(crc, zeros, sizeof(zeros));
    return crc32c(crc, bytes + CRC_OFFSET + 4, REGION_PAGE_BYTES - CRC_OFFSET - 4);
}

void region_page_encode(const struct region_page *page, uint8_t out[REGION_PAGE_BYTES])
{
    ASSERT(page->page < page->page_count && page->rows_per_region > 0);
    memset(out, 0, STATES_OFFSET);
    memcpy(out, page_magic, sizeof(page_magic));
    put_le32(out + 8, PAGE_VERSION);
    memcpy(out + 16, page->vd.bytes, 24);
    put_le64(out + 40, page->epoch);
    put_le64(out + 48, page->sequence);
    put_le32(out + 56, page->page);
    put_le32(out + 60, page->page_count);
    put_le32(out + 64, page->region_count);
    put_le64(out + 72, page->rows_per_region);
    memcpy(out + STATES_OFFSET, page->states, REGION_PAGE_STATES);
    put_le32(out + CRC_OFFSET, page_crc(out));
}

int region_page_decode(const uint8_t in[REGION_PAGE_BYTES], struct region_page *ret_page)
{
    if (memcmp(in, page_magic, sizeof(page_magic)) != 0 || get_le32(in + 8) != PAGE_VERSION ||
        get_le32(in + CRC_OFFSET) != page_crc(in)) {
        return -EBADMSG;
    }
    for (uint32_t i = 0; i < REGION_PAGE_STATES; i++) {
        if ((in[STATES_OFFSET + i] & ~REGION_SUSPECT) >= REGION_STATE_MAX) {
            return -EBADMSG;
        }
    }
    memcpy(ret_page->vd.bytes, in + 16, 24);
    ret_page->epoch = get_le64(in + 40);
    ret_page->sequence = get_le64(in + 48);
    ret_page->page = get_le32(in + 56);
    ret_page->page_count = get_le32(in + 60);
    ret_page->region_count = get_le32(in + 64);
    ret_page->rows_per_region = get_le64(in + 72);
    memcpy(ret_page->states, in + STATES_OFFSET, REGION_PAGE_STATES);
    if (ret_page->page >= ret_page->page_count || ret_page->rows_per_region == 0) {
        return -EBADMSG;
    }
    return 0;
}
