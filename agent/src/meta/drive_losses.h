/*
 * Why drives lost their places in drive groups to others: what happened to a drive is not known by
 * its label, which it may have been unable to take. Plain data and its encoding; kept in the host's
 * store as DRIVE_LOSSES_NAME.
 *
 * (1) Losing the record loses the reasons and nothing else: it is never a reason not to start.
 */
#ifndef ARRAYWRIGHT_META_DRIVE_LOSSES_H
#define ARRAYWRIGHT_META_DRIVE_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/words.h"

#define DRIVE_LOSSES_NAME "drive-losses"
#define DRIVE_LOSSES_MAX 64u
#define DRIVE_LOSSES_MAX_BYTES (5u * 1024u)

struct drive_losses {
    uint32_t count;
    struct {
        char key[65];
        enum reason_code why; /* one that a member's record can carry */
    } entries[DRIVE_LOSSES_MAX]; /* oldest first */
};

/* REASON_OK: of this one nothing is known. */
enum reason_code drive_losses_find(const struct drive_losses *losses, const char *key);
/* Of a full list the oldest goes. */
void drive_losses_put(struct drive_losses *losses, const char *key, enum reason_code why);
void drive_losses_remove(struct drive_losses *losses, uint32_t index);

/* Returns how many bytes it is; the buffer has DRIVE_LOSSES_MAX_BYTES. */
size_t drive_losses_encode(const struct drive_losses *losses, uint8_t *buffer);
/* Any bytes; returns 0, -EBADMSG, or -EPROTONOSUPPORT: a later version wrote it. Leaves
 * *ret_losses alone on failure. */
MUST_CHECK int drive_losses_decode(const uint8_t *buffer, size_t bytes,
                                   struct drive_losses *ret_losses);

#endif
