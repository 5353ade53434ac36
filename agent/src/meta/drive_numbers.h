/*
 * Which number each drive, and each enclosure that was found, goes by, kept so that an address that
 * was written down stays true. A drive outside all enclosures is /cX/sN by its number; a drive in
 * an enclosure shows it as its device id. Plain data and its encoding; kept in the host's store as
 * DRIVE_NUMBERS_NAME.
 *
 * (1) No two drives have the same number, and a number is not given to another drive as long as
 *     the drive that had it is remembered.
 * (2) Losing the record loses the numbers and nothing else: it is never a reason not to start.
 */
#ifndef ARRAYWRIGHT_META_DRIVE_NUMBERS_H
#define ARRAYWRIGHT_META_DRIVE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define DRIVE_NUMBERS_NAME "drive-numbers"
#define DRIVE_NUMBERS_MAX 1024u
#define DRIVE_NUMBERS_MAX_BYTES (72u * 1024u)

struct drive_numbers {
    uint32_t count;
    struct {
        char key[65];
        uint32_t number;
    } entries[DRIVE_NUMBERS_MAX]; /* in the order in which the drives were first seen */
};

/* The number of a drive; UINT32_MAX: it is not known. */
uint32_t drive_numbers_find(const struct drive_numbers *numbers, const char *key);
/* Gives a drive that is not known the lowest free number. The list must not be full. */
uint32_t drive_numbers_add(struct drive_numbers *numbers, const char *key);
/* Gives one that is not known this number, which nobody has. */
void drive_numbers_put(struct drive_numbers *numbers, const char *key, uint32_t number);
bool drive_numbers_has(const struct drive_numbers *numbers, uint32_t number);
void drive_numbers_forget(struct drive_numbers *numbers, const char *key);
void drive_numbers_remove(struct drive_numbers *numbers, uint32_t index);

MUST_CHECK int drive_numbers_encode(const struct drive_numbers *numbers, uint8_t *buffer,
                                    size_t capacity, size_t *ret_bytes);
/* Any bytes; returns 0, -EBADMSG, or -EPROTONOSUPPORT: a later version wrote it. Leaves
 * *ret_numbers alone on failure. */
MUST_CHECK int drive_numbers_decode(const uint8_t *buffer, size_t bytes,
                                    struct drive_numbers *ret_numbers);

#endif
