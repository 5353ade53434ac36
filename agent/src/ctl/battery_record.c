/*
 * Encoding, version 1, little-endian:
 *
 *   0  magic "AWBATT01"   8  CRC-32C, itself as zero   12  learn mode
 *  16  charge, ppm       20  full capacity, ppm        24  cycles
 *  28  last result + 1, 0: none                        32  next learn    40  last learn
 *  48  profile name, zero-padded                       81  zero to 88
 *  88  learn as planned before it was postponed, 0: not known
 */
#include "ctl/battery_record.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"

#define NAME_OFFSET 48u
#define NAME_BYTES 33u
#define PPM 1000000u

static const uint8_t record_magic[8] = "AWBATT01";

#define PLANNED_OFFSET 88u

STATIC_ASSERT(NAME_OFFSET + NAME_BYTES <= PLANNED_OFFSET, "the name fits");
STATIC_ASSERT(PLANNED_OFFSET + 8 <= BATTERY_RECORD_BYTES, "the date fits");

static uint32_t record_crc(const uint8_t *bytes)
{
    static const uint8_t zeros[4] = {0};
    uint32_t crc = crc32c(0, bytes, 8);

    crc = crc32c(crc, zeros, sizeof(zeros));
    return crc32c(crc, bytes + 12, BATTERY_RECORD_BYTES - 12);
}

void battery_record_encode(const char *profile, const struct emulated_battery_memory *memory,
                           uint8_t out[BATTERY_RECORD_BYTES])
{
    ASSERT(strlen(profile) < NAME_BYTES);
    ASSERT((unsigned)memory->mode < LEARN_MODE_MAX);
    memset(out, 0, BATTERY_RECORD_BYTES);
    memcpy(out, record_magic, sizeof(record_magic));
    put_le32(out + 12, (uint32_t)memory->mode);
    put_le32(out + 16, memory->charge_ppm);
    put_le32(out + 20, memory->full_ppm);
    put_le32(out + 24, memory->cycle_count);
    put_le32(out + 28, memory->has_result ? (uint32_t)memory->last_result + 1 : 0);
    put_le64(out + 32, memory->next_learn_us);
    put_le64(out + 40, memory->last_learn_us);
    memcpy(out + NAME_OFFSET, profile, strlen(profile));
    put_le64(out + PLANNED_OFFSET, memory->planned_learn_us);
    put_le32(out + 8, record_crc(out));
}

int battery_record_decode(const uint8_t *bytes, size_t count, const char *profile,
                          struct emulated_battery_memory *ret_memory)
{
    uint32_t result = 0;

    if (count != BATTERY_RECORD_BYTES || memcmp(bytes, record_magic, sizeof(record_magic)) != 0 ||
        get_le32(bytes + 8) != record_crc(bytes)) {
        return -EBADMSG;
    }
    result = get_le32(bytes + 28);
    if (get_le32(bytes + 12) >= LEARN_MODE_MAX || get_le32(bytes + 16) > PPM ||
        get_le32(bytes + 20) > PPM || result > LEARN_RESULT_MAX ||
        bytes[NAME_OFFSET + NAME_BYTES - 1] != 0 ||
        get_le64(bytes + PLANNED_OFFSET) > get_le64(bytes + 32)) {
        return -EBADMSG;
    }
    if (strcmp((const char *)bytes + NAME_OFFSET, profile) != 0) {
        return -ESTALE;
    }
    *ret_memory = (struct emulated_battery_memory){
        .mode = (enum learn_mode)get_le32(bytes + 12),
        .charge_ppm = get_le32(bytes + 16),
        .full_ppm = get_le32(bytes + 20),
        .cycle_count = get_le32(bytes + 24),
        .has_result = result != 0,
        .last_result = result != 0 ? (enum learn_result)(result - 1) : LEARN_RESULT_PASSED,
        .next_learn_us = get_le64(bytes + 32),
        .last_learn_us = get_le64(bytes + 40),
        .planned_learn_us = get_le64(bytes + PLANNED_OFFSET),
    };
    return 0;
}
