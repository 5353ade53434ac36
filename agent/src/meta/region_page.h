/*
 * The region map of a virtual drive on a member's private area: pages of 4 KiB, one byte of
 * state per region, each page in two places written alternately. Hostile bytes when read.
 *
 * Layout of a page, little-endian:
 *
 *   0  magic "AWREGION"      8  version     12  CRC-32C of the page, itself as zero
 *  16  virtual drive 24     40  epoch       48  sequence of the page
 *  56  page                 60  pages       64  regions in all  72  rows per region
 *  80  zero                 96  states, 4000 bytes; beyond the last region zero
 */
#ifndef ARRAYWRIGHT_META_REGION_PAGE_H
#define ARRAYWRIGHT_META_REGION_PAGE_H

#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"

#define REGION_PAGE_BYTES 4096u
#define REGION_PAGE_STATES 4000u

/* Numbers on disk. */
enum region_state {
    REGION_UNWRITTEN, /* never written by a request */
    REGION_CLEAN,     /* nothing is in doubt */
    REGION_DIRTY,     /* being written: in doubt after an unclean stop */
    REGION_NEED_SYNC, /* in doubt */
    REGION_SYNCING,   /* in doubt, being made consistent */
    REGION_STATE_MAX
};

/* A region whose content was written at an unclean stop with members missing and no intent: its
 * missing data may be wrong, and nothing can tell. Added to the state. */
#define REGION_SUSPECT 0x80u

struct region_page {
    struct guid vd;
    uint64_t epoch;      /* of the map: pages of another one are void */
    uint64_t sequence;
    uint32_t page;
    uint32_t page_count;
    uint32_t region_count;
    uint64_t rows_per_region;
    uint8_t states[REGION_PAGE_STATES]; /* enum region_state, REGION_SUSPECT */
};

void region_page_encode(const struct region_page *page, uint8_t out[REGION_PAGE_BYTES]);
/* Any bytes; 0 or -EBADMSG. */
MUST_CHECK int region_page_decode(const uint8_t in[REGION_PAGE_BYTES],
                                  struct region_page *ret_page);

#endif
