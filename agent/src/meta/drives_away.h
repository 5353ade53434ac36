/*
 * Former members that were taken out while another drive took their places. Plain data and its
 * encoding; kept in the host's store as DRIVES_AWAY_NAME.
 *
 * (1) A record that is lost or damaged costs these findings only. The agent starts without it.
 */
#ifndef ARRAYWRIGHT_META_DRIVES_AWAY_H
#define ARRAYWRIGHT_META_DRIVES_AWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"

#define DRIVES_AWAY_NAME "drives-away"
#define DRIVES_AWAY_MAX 64u
#define DRIVES_AWAY_ENTRY_BYTES 216u
#define DRIVES_AWAY_MAX_BYTES (24u + DRIVES_AWAY_MAX * DRIVES_AWAY_ENTRY_BYTES)

struct drive_away {
    char key[65];
    char path[49];       /* of its bay */
    char name[25];
    char serial[41];
    struct guid group;   /* zero: not known any more */
    struct uuid drive;   /* of its label */
};

struct drives_away {
    uint32_t count;
    struct drive_away entries[DRIVES_AWAY_MAX]; /* oldest first */
};

/* NULL: it is none of them. */
struct drive_away *drives_away_find(struct drives_away *away, const char *key);
/* In the place of what was known of it. Of a full list the oldest goes. */
void drives_away_put(struct drives_away *away, const struct drive_away *entry);
void drives_away_remove(struct drives_away *away, uint32_t index);

/* Returns how many bytes it is; the buffer has DRIVES_AWAY_MAX_BYTES. */
size_t drives_away_encode(const struct drives_away *away, uint8_t *buffer);
/* Any bytes; returns 0, -EBADMSG, or -EPROTONOSUPPORT: a later version wrote it. Then the list is
 * empty. */
MUST_CHECK int drives_away_decode(const uint8_t *buffer, size_t bytes,
                                  struct drives_away *ret_away);

#endif
