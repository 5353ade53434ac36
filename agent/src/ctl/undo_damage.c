/*
 * See undo_damage.h.
 */
#include "ctl/undo_damage.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc.h"

#define HEAD_BYTES 32u
#define PLACE_BYTES 16u

static const uint8_t record_magic[8] = "AWDAMG01";

static uint32_t record_crc(const uint8_t *bytes)
{
    static const uint8_t zeros[4] = {0};
    uint32_t crc = crc32c(0, bytes, 8);

    crc = crc32c(crc, zeros, sizeof(zeros));
    return crc32c(crc, bytes + 12, UNDO_DAMAGE_BYTES - 12);
}

void undo_damage_encode(const struct undo_damage *damage, uint8_t out[UNDO_DAMAGE_BYTES])
{
    memset(out, 0, UNDO_DAMAGE_BYTES);
    memcpy(out, record_magic, sizeof(record_magic));
    put_le64(out + 16, damage->barrier);
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        put_le64(out + HEAD_BYTES + i * PLACE_BYTES, damage->places[i].number);
        put_le64(out + HEAD_BYTES + i * PLACE_BYTES + 8, damage->places[i].noticed_us);
    }
    put_le32(out + 8, record_crc(out));
}

int undo_damage_decode(const uint8_t *bytes, size_t count, struct undo_damage *ret_damage)
{
    struct undo_damage damage = {.barrier = 0};

    if (count != UNDO_DAMAGE_BYTES || memcmp(bytes, record_magic, sizeof(record_magic)) != 0 ||
        get_le32(bytes + 8) != record_crc(bytes)) {
        return -EBADMSG;
    }
    damage.barrier = get_le64(bytes + 16);
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        damage.places[i].number = get_le64(bytes + HEAD_BYTES + i * PLACE_BYTES);
        damage.places[i].noticed_us = get_le64(bytes + HEAD_BYTES + i * PLACE_BYTES + 8);
    }
    if (undo_damage_last(&damage) > INT64_MAX) {
        return -EBADMSG;
    }
    *ret_damage = damage;
    return 0;
}

void undo_damage_replace(struct undo_damage *damage, uint32_t place)
{
    ASSERT(place < UNDO_ENTRIES_MAX);
    damage->barrier = max_u64(damage->barrier, damage->places[place].number);
    damage->places[place].number = 0;
    damage->places[place].noticed_us = 0;
}

uint64_t undo_damage_last(const struct undo_damage *damage)
{
    uint64_t last = damage->barrier;

    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        last = max_u64(last, damage->places[i].number);
    }
    return last;
}
