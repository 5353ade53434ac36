/*
 * How large each drive of ours was when it was last used, kept so that one whose device has become
 * larger or smaller is recognized: a label lies as far from the end as the size had it. Plain data
 * and its encoding; kept in the host's store as DRIVE_SIZES_NAME.
 *
 * (1) Losing the record is never a reason not to start: labels are then looked for.
 */
#ifndef ARRAYWRIGHT_META_DRIVE_SIZES_H
#define ARRAYWRIGHT_META_DRIVE_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define DRIVE_SIZES_NAME "drive-sizes"
#define DRIVE_SIZES_MAX 1024u
#define DRIVE_SIZES_MAX_BYTES (74u * 1024u)

struct drive_sizes {
    uint32_t count;
    struct {
        char key[65];
        uint64_t size_bytes;
    } entries[DRIVE_SIZES_MAX];   /* the one that was set first comes first */
};

/* 0: it is not known. */
uint64_t drive_sizes_find(const struct drive_sizes *sizes, const char *key);
/* Of a full list, the first one goes. */
void drive_sizes_set(struct drive_sizes *sizes, const char *key, uint64_t size_bytes);
/* False: it is not known. */
bool drive_sizes_forget(struct drive_sizes *sizes, const char *key);

MUST_CHECK int drive_sizes_encode(const struct drive_sizes *sizes, uint8_t *buffer, size_t capacity,
                                  size_t *ret_bytes);
/* Any bytes; returns 0, -EBADMSG, or -EPROTONOSUPPORT: a later version wrote it. Leaves *ret_sizes
 * alone on failure. */
MUST_CHECK int drive_sizes_decode(const uint8_t *buffer, size_t bytes,
                                  struct drive_sizes *ret_sizes);

#endif
