/*
 * Saved metadata that cannot be read any more. Private to ctl.
 *
 * A copy of one virtual drive out of several may be restored while nobody has had its space since,
 * and that is told by the newer copies of the same group. One that is damaged may be such a newer
 * copy: nobody knows.
 *
 * (1) Every place that holds what cannot be read has a number of its own, higher than those of all
 *     copies that were there when it was noticed. What it held is older than that number.
 * (2) No copy of one of several is restored that is older than a place's number, nor one that is
 *     older than the barrier: the number of places that were damaged and have been used again
 * since. Copies that are made later are not concerned. (3) The bytes stay UNDO_KEPT_US from when it
 * was noticed, so that the record can be put back out of somebody's own copy of the state
 * directory; then the place is free.
 *
 * Record "undo-damage" of the store, version 1, little-endian:
 *
 *   0  magic "AWDAMG01"   8  CRC-32C, itself as zero   12  zero   16  barrier   24  zero to 32
 *  32  places, 16 bytes each: number 8 (0: sound), noticed at 8, µs
 */
#ifndef ARRAYWRIGHT_CTL_UNDO_DAMAGE_H
#define ARRAYWRIGHT_CTL_UNDO_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define UNDO_ENTRIES_MAX 64u
#define UNDO_DAMAGE_BYTES (32u + UNDO_ENTRIES_MAX * 16u)
#define UNDO_DAMAGE_NAME "undo-damage"

struct undo_damage {
    uint64_t barrier;
    struct {
        uint64_t number;     /* 0: nothing wrong with it */
        uint64_t noticed_us; /* wall */
    } places[UNDO_ENTRIES_MAX];
};

void undo_damage_encode(const struct undo_damage *damage, uint8_t out[UNDO_DAMAGE_BYTES]);
/* Any bytes; 0 or -EBADMSG. */
MUST_CHECK int undo_damage_decode(const uint8_t *bytes, size_t count,
                                  struct undo_damage *ret_damage);

/* Its place holds something else, or nothing, now; what it may have said counts on. */
void undo_damage_replace(struct undo_damage *damage, uint32_t place);
/* The highest number in it; 0: none. */
uint64_t undo_damage_last(const struct undo_damage *damage);

#endif
