/*
 * What was seen of drives that warns of their failure: it is as true after a restart as before.
 * Plain data and its encoding; kept in the host's store as DRIVE_WARNINGS_NAME.
 *
 * (1) Losing the record loses the warnings and nothing else: it is never a reason not to start.
 */
#ifndef ARRAYWRIGHT_META_DRIVE_WARNINGS_H
#define ARRAYWRIGHT_META_DRIVE_WARNINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "drive/drive_life.h"

#define DRIVE_WARNINGS_NAME "drive-warnings"
#define DRIVE_WARNINGS_MAX 128u
#define DRIVE_WARNINGS_MAX_BYTES (11u * 1024u)

struct drive_warnings {
    uint32_t count;
    struct drive_warning_entry {
        char key[65];
        struct drive_past past;      /* something of it is set */
    } entries[DRIVE_WARNINGS_MAX];   /* oldest first */
};

/* NULL: of this one nothing is known. */
const struct drive_past *drive_warnings_find(const struct drive_warnings *warnings,
                                             const char *key);
/* Nothing set: it is forgotten. Of a full list the oldest goes. False: it was known already. */
bool drive_warnings_put(struct drive_warnings *warnings, const char *key,
                        const struct drive_past *past);

/* Returns how many bytes it is; the buffer has DRIVE_WARNINGS_MAX_BYTES. */
size_t drive_warnings_encode(const struct drive_warnings *warnings, uint8_t *buffer);
/* Any bytes; returns 0, -EBADMSG, or -EPROTONOSUPPORT: a later version wrote it. Leaves
 * *ret_warnings alone on failure. */
MUST_CHECK int drive_warnings_decode(const uint8_t *buffer, size_t bytes,
                                     struct drive_warnings *ret_warnings);

#endif
