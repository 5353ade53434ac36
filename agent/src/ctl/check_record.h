/*
 * What is kept of consistency checks, so that a restart of the agent ends none of them and forgets
 * no result. Plain data and its encoding; kept in the host's store as CHECK_RECORD_NAME.
 *
 * (1) An entry is of one moment: what was found and counted is of the rows below its place.
 * (2) A record that is lost or damaged costs places and results only. The agent starts without it.
 */
#ifndef ARRAYWRIGHT_CTL_CHECK_RECORD_H
#define ARRAYWRIGHT_CTL_CHECK_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "ctl/ctl_check.h"
#include "meta/record_frame.h"

#define CHECK_RECORD_NAME "checks"
#define CHECK_RECORD_ENTRIES_MAX 256u
#define CHECK_RECORD_ENTRY_BYTES 128u
#define CHECK_RECORD_PLACE_BYTES 48u
#define CHECK_RECORD_MAX_BYTES                                                                     \
    (RECORD_FRAME_BYTES +                                                                          \
     CHECK_RECORD_ENTRIES_MAX *                                                                    \
         (CHECK_RECORD_ENTRY_BYTES + 2 * CHECK_PLACES_MAX * CHECK_RECORD_PLACE_BYTES))

struct check_entry {
    struct guid vd;
    bool goes_on;                  /* it has not ended */
    bool paused;                   /* goes_on: it waits for its user */
    uint64_t row;                  /* rows below are done */
    struct ctl_check check;
};

struct check_record {
    uint32_t count;
    struct check_entry entries[CHECK_RECORD_ENTRIES_MAX]; /* oldest first */
};

/* NULL: of this virtual drive nothing is known. */
struct check_entry *check_record_find(struct check_record *record, const struct guid *vd);
/* In the place of what was known of it. Of a full list the oldest goes. */
void check_record_put(struct check_record *record, const struct check_entry *entry);
/* False: nothing was known. */
bool check_record_drop(struct check_record *record, const struct guid *vd);

/* Returns how many bytes it is; the buffer has CHECK_RECORD_MAX_BYTES. */
size_t check_record_encode(const struct check_record *record, uint8_t *buffer);
/* Any bytes; returns 0, -EBADMSG, or -EPROTONOSUPPORT: a later version wrote it. Then the record is
 * empty. */
MUST_CHECK int check_record_decode(const uint8_t *buffer, size_t bytes,
                                   struct check_record *ret_record);

#endif
