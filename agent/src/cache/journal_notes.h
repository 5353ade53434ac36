/*
 * What the medium of a journal knows of the records on the drives: for each group the sequence
 * number of the newest record that was durable. Drives with an older one have been restored from
 * images, and what the medium holds is of another time.
 */
#ifndef ARRAYWRIGHT_CACHE_JOURNAL_NOTES_H
#define ARRAYWRIGHT_CACHE_JOURNAL_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/guid.h"

#define JOURNAL_NOTES_MAX 110u
#define JOURNAL_NOTES_OFFSET 512u /* in a super-block's 4096 bytes */
#define JOURNAL_NOTES_BYTES (8u + JOURNAL_NOTES_MAX * 32u)

struct journal_note {
    struct guid group;
    uint64_t sequence;
};

struct journal_notes {
    uint32_t count;
    struct journal_note notes[JOURNAL_NOTES_MAX];
};

/* Into JOURNAL_NOTES_BYTES. */
void journal_notes_write(const struct journal_notes *notes, uint8_t *bytes);
/* None if there are none, or they are damaged. */
void journal_notes_read(const uint8_t *bytes, struct journal_notes *ret_notes);
/* 0: nothing is known of the group. */
uint64_t journal_notes_find(const struct journal_notes *notes, const struct guid *group);
/* False: it is so already, or there is no room. 0 forgets the group. */
bool journal_notes_set(struct journal_notes *notes, const struct guid *group, uint64_t sequence);

#endif
