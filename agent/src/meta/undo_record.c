/*
 * See undo_record.h. Order of the reader: length, magic, CRC, counts against length, then meaning.
 */
#include "meta/undo_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc.h"

#define RECORD_VERSION 1u
#define RECORD_VERSION_SPARES 2u
#define HEAD_BYTES 256u
#define CRC_OFFSET 16u
#define DRIVE_BYTES 160u
#define SECTOR_BYTES (16u + UNDO_SECTOR_BYTES)
#define KEY_BYTES 64u
#define SERIAL_BYTES 40u
#define DRIVE_USED 1u
#define DRIVE_PRINTED 2u
#define DRIVE_AFFINITY 4u
#define DRIVE_COMMITTABLE 8u
#define DRIVE_FLAGS (DRIVE_USED | DRIVE_PRINTED)
#define SPARE_FLAGS (DRIVE_USED | DRIVE_AFFINITY | DRIVE_COMMITTABLE)
#define SECTORS_MAX (UNDO_DRIVES_MAX * UNDO_SECTORS_PER_DRIVE)

static const uint8_t record_magic[8] = "AWUNDO01";

STATIC_ASSERT(UNDO_KIND_DRIVE_GROUP == 0 && UNDO_KIND_VIRTUAL_DRIVE == 1 &&
                  UNDO_KIND_FOREIGN_SET == 2 && UNDO_KIND_DAMAGED == 3,
              "numbers in the store");
STATIC_ASSERT(UNDO_SPOILT_NOT == 0 && UNDO_SPOILT_CACHE == 1 && UNDO_SPOILT_DEGRADED == 2 &&
                  UNDO_SPOILT_BLOCKS == 3,
              "numbers in the store");
STATIC_ASSERT(HEAD_BYTES + UNDO_DRIVES_MAX * DRIVE_BYTES + SECTORS_MAX * SECTOR_BYTES <=
                  UNDO_RECORD_MAX_BYTES,
              "the largest foreign set fits");
STATIC_ASSERT(HEAD_BYTES + (UNDO_DRIVES_MAX + UNDO_SPARES_MAX) * DRIVE_BYTES +
                      GROUP_RECORD_MAX_BYTES <=
                  UNDO_RECORD_MAX_BYTES,
              "the largest group fits");

struct undo_record *undo_record_new(uint32_t drives, uint32_t sectors)
{
    struct undo_record *record = calloc(1, sizeof(*record));

    ASSERT(record != NULL && drives <= UNDO_DRIVES_MAX && sectors <= SECTORS_MAX);
    record->drives = calloc((size_t)drives + 1, sizeof(*record->drives));
    record->sectors = calloc((size_t)sectors + 1, sizeof(*record->sectors));
    ASSERT(record->drives != NULL && record->sectors != NULL);
    return record;
}

struct undo_record *undo_record_free(struct undo_record *record)
{
    if (record != NULL) {
        free(record->drives);
        free(record->sectors);
        free(record->config);
        free(record);
    }
    return NULL;
}

static uint32_t record_crc(const uint8_t *buffer, size_t bytes)
{
    static const uint8_t zeros[4] = {0};
    uint32_t crc = crc32c(0, buffer, CRC_OFFSET);

    ASSERT(bytes >= HEAD_BYTES);
    crc = crc32c(crc, zeros, sizeof(zeros));
    return crc32c(crc, buffer + CRC_OFFSET + 4, bytes - CRC_OFFSET - 4);
}

/* All of it is text that can be shown, and ends within its field. */
static bool text_is_sound(const char *text, size_t max)
{
    size_t length = strnlen(text, max + 1);

    if (length > max) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if ((uint8_t)text[i] < 0x20 || (uint8_t)text[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool drive_is_sound(const struct undo_drive *drive)
{
    return drive->key[0] != '\0' && text_is_sound(drive->key, KEY_BYTES) &&
           text_is_sound(drive->serial, SERIAL_BYTES) &&
           is_aligned_u64(drive->size_bytes, UNDO_SECTOR_BYTES);
}

static bool sectors_are_sound(const struct undo_record *record)
{
    for (uint32_t i = 0; i < record->sector_count; i++) {
        const struct undo_sector *sector = &record->sectors[i];

        if (sector->drive >= record->drive_count ||
            !is_aligned_u64(sector->offset_bytes, UNDO_SECTOR_BYTES) ||
            sector->offset_bytes >= record->drives[sector->drive].size_bytes) {
            return false;
        }
    }
    return true;
}

static bool spares_are_sound(const struct undo_record *record)
{
    if (record->spare_count > (record->kind == UNDO_KIND_DRIVE_GROUP ? UNDO_SPARES_MAX : 0)) {
        return false;
    }
    for (uint32_t i = 0; i < record->spare_count; i++) {
        if (!drive_is_sound(&record->spares[i])) {
            return false;
        }
    }
    return true;
}

static bool kind_is_sound(const struct undo_record *record)
{
    const struct group_config *config = record->config;

    if (record->kind == UNDO_KIND_FOREIGN_SET) {
        return config == NULL && guid_is_zero(&record->vd) && record->sector_count > 0;
    }
    if (config == NULL || record->sector_count != 0 || !guid_equal(&config->guid, &record->group) ||
        config->member_count != record->drive_count) {
        return false;
    }
    for (uint32_t i = 0; i < config->vd_count; i++) {
        if (guid_equal(&config->vds[i].guid, &record->vd)) {
            return record->kind == UNDO_KIND_VIRTUAL_DRIVE || config->vd_count == 1;
        }
    }
    return false;
}

static bool record_is_sound(const struct undo_record *record)
{
    if ((unsigned)record->kind >= UNDO_KIND_DAMAGED ||
        (unsigned)record->spoilt >= UNDO_SPOILT_MAX || record->number == 0 ||
        guid_is_zero(&record->group) || record->drive_count == 0 ||
        !text_is_sound(record->name, UNDO_NAME_MAX) || !text_is_sound(record->who, UNDO_WHO_MAX)) {
        return false;
    }
    for (uint32_t i = 0; i < record->drive_count; i++) {
        if (record->drives[i].key[0] != '\0' && !drive_is_sound(&record->drives[i])) {
            return false;
        }
        if (record->drives[i].key[0] == '\0' && record->drives[i].used) {
            return false;
        }
    }
    return sectors_are_sound(record) && spares_are_sound(record) && kind_is_sound(record);
}

/* Encoding */

static void drive_encode(const struct undo_drive *drive, uint8_t *out)
{
    memcpy(out, drive->key, strlen(drive->key));
    memcpy(out + 64, drive->serial, strlen(drive->serial));
    put_le64(out + 104, drive->size_bytes);
    put_le32(out + 112, (drive->used ? DRIVE_USED : 0) | (drive->printed ? DRIVE_PRINTED : 0) |
                            (drive->affinity ? DRIVE_AFFINITY : 0) |
                            (drive->committable ? DRIVE_COMMITTABLE : 0));
    memcpy(out + 120, drive->print, SHA256_BYTES);
}

static void head_encode(const struct undo_record *record, size_t config_bytes, uint8_t *out)
{
    memcpy(out, record_magic, sizeof(record_magic));
    put_le32(out + 8, record->spare_count > 0 ? RECORD_VERSION_SPARES : RECORD_VERSION);
    put_le32(out + 20, (uint32_t)record->kind);
    put_le64(out + 24, record->number);
    put_le64(out + 32, record->saved_us);
    memcpy(out + 40, record->group.bytes, 24);
    memcpy(out + 64, record->vd.bytes, 24);
    memcpy(out + 88, record->name, strlen(record->name));
    memcpy(out + 112, record->who, strlen(record->who));
    put_le32(out + 176, record->drive_count);
    put_le32(out + 180, (uint32_t)config_bytes);
    put_le32(out + 184, record->sector_count);
    put_le32(out + 188, (uint32_t)record->spoilt);
    put_le32(out + 192, record->spare_count);
}

int undo_record_encode(const struct undo_record *record, uint8_t *buffer, size_t *ret_bytes)
{
    uint8_t *out = buffer + HEAD_BYTES;
    size_t config_bytes = 0;

    if (!record_is_sound(record)) {
        return -EINVAL;
    }
    memset(buffer, 0, UNDO_RECORD_MAX_BYTES);
    for (uint32_t i = 0; i < record->drive_count; i++, out += DRIVE_BYTES) {
        drive_encode(&record->drives[i], out);
    }
    if (record->config != NULL) {
        int error = group_record_encode(record->config, out, GROUP_RECORD_MAX_BYTES, &config_bytes);

        if (error != 0) {
            return error;
        }
        out += align_up_u64(config_bytes, 8);
    }
    for (uint32_t i = 0; i < record->sector_count; i++, out += SECTOR_BYTES) {
        put_le32(out, record->sectors[i].drive);
        put_le64(out + 8, record->sectors[i].offset_bytes);
        memcpy(out + 16, record->sectors[i].content, UNDO_SECTOR_BYTES);
    }
    for (uint32_t i = 0; i < record->spare_count; i++, out += DRIVE_BYTES) {
        drive_encode(&record->spares[i], out);
    }
    head_encode(record, config_bytes, buffer);
    *ret_bytes = (size_t)(out - buffer);
    ASSERT(*ret_bytes <= UNDO_RECORD_MAX_BYTES);
    put_le32(buffer + 12, (uint32_t)*ret_bytes);
    put_le32(buffer + CRC_OFFSET, record_crc(buffer, *ret_bytes));
    return 0;
}

/* Decoding */

/* Of the version that has any; the field is zero in the other one. */
static bool spare_count_is_sound(const uint8_t *buffer)
{
    uint32_t count = get_le32(buffer + 192);

    return get_le32(buffer + 8) == RECORD_VERSION_SPARES ? count > 0 && count <= UNDO_SPARES_MAX
                                                         : count == 0;
}

static int frame_check(const uint8_t *buffer, size_t bytes)
{
    uint64_t expected = HEAD_BYTES;

    if (bytes < HEAD_BYTES || bytes > UNDO_RECORD_MAX_BYTES ||
        memcmp(buffer, record_magic, sizeof(record_magic)) != 0 ||
        get_le32(buffer + 8) < RECORD_VERSION || get_le32(buffer + 8) > RECORD_VERSION_SPARES ||
        !spare_count_is_sound(buffer) || get_le32(buffer + 12) != bytes ||
        get_le32(buffer + CRC_OFFSET) != record_crc(buffer, bytes)) {
        return -EBADMSG;
    }
    if (get_le32(buffer + 20) >= UNDO_KIND_DAMAGED || get_le32(buffer + 176) > UNDO_DRIVES_MAX ||
        get_le32(buffer + 180) > GROUP_RECORD_MAX_BYTES || get_le32(buffer + 184) > SECTORS_MAX ||
        get_le32(buffer + 188) >= UNDO_SPOILT_MAX) {
        return -EBADMSG;
    }
    expected += (uint64_t)get_le32(buffer + 176) * DRIVE_BYTES;
    expected += align_up_u64(get_le32(buffer + 180), 8);
    expected += (uint64_t)get_le32(buffer + 184) * SECTOR_BYTES;
    expected += (uint64_t)get_le32(buffer + 192) * DRIVE_BYTES;
    return expected == bytes ? 0 : -EBADMSG;
}

static int drive_decode(const uint8_t *in, uint32_t known_flags, struct undo_drive *drive)
{
    uint32_t flags = get_le32(in + 112);

    memcpy(drive->key, in, KEY_BYTES);
    memcpy(drive->serial, in + 64, SERIAL_BYTES);
    drive->size_bytes = get_le64(in + 104);
    drive->used = (flags & DRIVE_USED) != 0;
    drive->printed = (flags & DRIVE_PRINTED) != 0;
    memcpy(drive->print, in + 120, SHA256_BYTES);
    drive->affinity = (flags & DRIVE_AFFINITY) != 0;
    drive->committable = (flags & DRIVE_COMMITTABLE) != 0;
    return (flags & ~known_flags) == 0 ? 0 : -EBADMSG;
}

static void head_decode(const uint8_t *in, struct undo_record *record)
{
    record->kind = (enum undo_kind)get_le32(in + 20);
    record->number = get_le64(in + 24);
    record->saved_us = get_le64(in + 32);
    memcpy(record->group.bytes, in + 40, 24);
    memcpy(record->vd.bytes, in + 64, 24);
    memcpy(record->name, in + 88, UNDO_NAME_MAX);
    memcpy(record->who, in + 112, UNDO_WHO_MAX);
    record->drive_count = get_le32(in + 176);
    record->sector_count = get_le32(in + 184);
    record->spoilt = (enum undo_spoilt)get_le32(in + 188);
    record->spare_count = get_le32(in + 192);
}

static int parts_decode(const uint8_t *buffer, struct undo_record *record)
{
    const uint8_t *in = buffer + HEAD_BYTES;
    uint32_t config_bytes = get_le32(buffer + 180);

    for (uint32_t i = 0; i < record->drive_count; i++, in += DRIVE_BYTES) {
        if (drive_decode(in, DRIVE_FLAGS, &record->drives[i]) != 0) {
            return -EBADMSG;
        }
    }
    if (config_bytes != 0) {
        record->config = calloc(1, sizeof(*record->config));
        if (record->config == NULL) {
            return -ENOMEM;
        }
        if (group_record_decode(in, config_bytes, record->config) != 0) {
            return -EBADMSG;
        }
        in += align_up_u64(config_bytes, 8);
    }
    for (uint32_t i = 0; i < record->sector_count; i++, in += SECTOR_BYTES) {
        record->sectors[i].drive = get_le32(in);
        record->sectors[i].offset_bytes = get_le64(in + 8);
        memcpy(record->sectors[i].content, in + 16, UNDO_SECTOR_BYTES);
    }
    for (uint32_t i = 0; i < record->spare_count; i++, in += DRIVE_BYTES) {
        if (drive_decode(in, SPARE_FLAGS, &record->spares[i]) != 0) {
            return -EBADMSG;
        }
    }
    return record_is_sound(record) ? 0 : -EBADMSG;
}

int undo_record_decode(const uint8_t *buffer, size_t bytes, struct undo_record **ret_record)
{
    struct undo_record *record = NULL;
    int error = frame_check(buffer, bytes);

    ASSERT(ret_record != NULL);
    if (error != 0) {
        return error;
    }
    record = undo_record_new(get_le32(buffer + 176), get_le32(buffer + 184));
    head_decode(buffer, record);
    error = parts_decode(buffer, record);
    if (error != 0) {
        (void)undo_record_free(record); /* returns NULL always */
        return error;
    }
    *ret_record = record;
    return 0;
}
