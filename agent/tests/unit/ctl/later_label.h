/*
 * A drive that a later version of ours has labeled.
 */
#ifndef ARRAYWRIGHT_TESTS_LATER_LABEL_H
#define ARRAYWRIGHT_TESTS_LATER_LABEL_H

#include <stdlib.h>

#include "base/bytes.h"
#include "base/crc.h"
#include "ctl_world.h"
#include "drive/drive_layout.h"

/* Whatever labels are there become such ones. Not while the drive is used. */
static inline void slot_label_renew(struct ctl_world *world, uint32_t slot)
{
    struct sim_drive *drive = world->slots[slot].drive;
    uint64_t size_bytes = world->slots[slot].options.size_bytes;
    uint8_t *bytes = malloc(LABEL_SLOT_BYTES);

    assert_non_null(bytes);
    for (uint32_t i = 0; i < LABEL_SLOT_COUNT; i++) {
        uint64_t offset = drive_layout_label_offset(size_bytes, false, i);

        sim_drive_peek(drive, offset, bytes, LABEL_SLOT_BYTES);
        if (get_le32(bytes + 12) <= LABEL_SLOT_BYTES) {
            put_le32(bytes + 8, get_le32(bytes + 8) + 1);
            put_le32(bytes + 16, 0);
            put_le32(bytes + 16, crc32c(0, bytes, get_le32(bytes + 12)));
            sim_drive_poke(drive, offset, bytes, LABEL_SLOT_BYTES);
        }
    }
    free(bytes);
}

/* Of every durable byte. */
static inline uint32_t slot_sum(struct ctl_world *world, uint32_t slot)
{
    uint8_t *bytes = malloc(MIB);
    uint32_t sum = 0;

    assert_non_null(bytes);
    for (uint64_t at = 0; at < world->slots[slot].options.size_bytes; at += MIB) {
        sim_drive_peek_durable(world->slots[slot].drive, at, bytes, MIB);
        sum = crc32c(sum, bytes, MIB);
    }
    free(bytes);
    return sum;
}

#endif
