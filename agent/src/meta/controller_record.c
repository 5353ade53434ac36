/*
 * Encoding of the controller's record, version 3 (2 if it names no hot spares), little-endian:
 *
 *   0  magic "AWCTRL01"     8  version     12  bytes in all     16  CRC-32C, itself as zero
 *  20  group count         24  drive count 28  rebuild rate     32  BGI rate
 *  36  policies, one bit each     40  intent      44  glitch seconds + 1 (0: records of old)
 *  48  intent group     72  controller    88  epoch
 * 104  rev reserved       112  operations reserved             120  returns 4  124  erases 4
 * 128  patrol: mode 1, SSDs 1, drives 2, rate 4, delay 4, coercion + 1 (0: records of old) 1,
 *      hot spares 1 (version 3), zero 2, next 8, last 8, iterations 8
 * 168  (version 1, without patrol: 128) groups, 24 bytes each; then drives, 66 bytes each: intent
 * 1, JBOD 1, key 64; then returns, 488 bytes each: key 64, group 24, member 4, enclosure 4, slot 2,
 * affinity 1, zero 1, groups 4, 16 groups of 24; then erases, 96 bytes each: key 64, active 1, mode
 * 1, patterns 2, pass 4, seed 8, cursor 8, size 8; the counts of both are zero in records of old;
 * then hot spares, 184 bytes each: key 64, path 48, name 24, serial 40, dedicated 1, zero 7
 */
#include "meta/controller_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"

#define RECORD_VERSION 3u
#define VERSION_SPARELESS 2u
#define HEAD_BYTES 168u
#define PATROL_OFFSET 128u
#define COERCION_OFFSET (PATROL_OFFSET + 12u)
#define SPARES_OFFSET (COERCION_OFFSET + 1u)
#define PATROL_RATE_DEFAULT 30u
#define PATROL_DELAY_DEFAULT 168u
#define VERSION_PLAIN 1u
#define HEAD_PLAIN_BYTES 128u
#define CRC_OFFSET 16u
#define GROUP_BYTES 24u
#define DRIVE_BYTES 66u
#define RETURN_BYTES 488u
#define ERASE_BYTES 96u
#define SPARE_BYTES 184u
#define ERASE_PASSES_MAX 16u
#define KEY_BYTES 64u
/* Policies; a bit says what is not so by default, but for the oldest. */
#define POLICY_AUTO_REBUILD 1u
#define POLICY_EMERGENCY_SPARE 2u
#define POLICY_EMERGENCY_UNCONFIGURED 4u
#define POLICY_MIXED_MEDIA 8u
#define POLICY_UNMIXED_INTERFACES 16u
#define POLICY_NO_COPYBACK 32u
#define POLICY_PREDICTIVE_COPYBACK 64u
#define POLICIES 127u
#define REV_MAX (UINT64_C(1) << 53) /* JSON readers keep integers exact up to here */

static const uint8_t record_magic[8] = "AWCTRL01";

STATIC_ASSERT(HEAD_BYTES + CONTROLLER_GROUPS_MAX * GROUP_BYTES +
                      CONTROLLER_DRIVES_MAX * DRIVE_BYTES + CONTROLLER_RETURNS_MAX * RETURN_BYTES +
                      CONTROLLER_ERASES_MAX * ERASE_BYTES + CONTROLLER_SPARES_MAX * SPARE_BYTES <=
                  CONTROLLER_RECORD_MAX_BYTES,
              "the largest record fits");

static bool key_is_sound(const char *key)
{
    size_t length = strlen(key);

    return length > 0 && length <= KEY_BYTES &&
           strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") ==
               length;
}

static bool groups_are_sound(const struct controller_record *record)
{
    for (uint32_t i = 0; i < record->group_count; i++) {
        if (guid_is_zero(&record->groups[i])) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (guid_equal(&record->groups[i], &record->groups[j])) {
                return false;
            }
        }
    }
    return true;
}

static bool erases_are_sound(const struct controller_record *record)
{
    if (record->erase_count > CONTROLLER_ERASES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < record->erase_count; i++) {
        const struct controller_erase *entry = &record->erases[i];

        if (!key_is_sound(entry->key) || (unsigned)entry->mode >= ERASE_MODE_MAX ||
            entry->pass >= ERASE_PASSES_MAX || entry->cursor_bytes > entry->size_bytes) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(record->erases[j].key, entry->key) == 0) {
                return false;
            }
        }
    }
    return true;
}

static bool text_is_sound(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 127) {
            return false;
        }
    }
    return true;
}

static bool spares_are_sound(const struct controller_record *record)
{
    if (record->spare_count > CONTROLLER_SPARES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < record->spare_count; i++) {
        const struct controller_spare *entry = &record->spares[i];

        if (!key_is_sound(entry->key) || !text_is_sound(entry->path) ||
            !text_is_sound(entry->name) || !text_is_sound(entry->serial)) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(record->spares[j].key, entry->key) == 0) {
                return false;
            }
        }
    }
    return true;
}

static bool patrol_is_sound(const struct controller_patrol *patrol)
{
    return (unsigned)patrol->mode < PATROL_MODE_MAX && patrol->rate_percent <= 100 &&
           patrol->delay_hours <= CONTROLLER_PATROL_DELAY_MAX && patrol->drives_max > 0 &&
           patrol->drives_max <= CONTROLLER_PATROL_DRIVES_MAX && patrol->next_us <= REV_MAX &&
           patrol->last_us <= REV_MAX && patrol->iterations <= REV_MAX;
}

static bool record_is_sound(const struct controller_record *record)
{
    if (uuid_is_zero(&record->controller) || uuid_is_zero(&record->epoch) ||
        record->rev_reserved > REV_MAX || record->operation_reserved > REV_MAX ||
        record->rebuild_rate_percent > 100 || record->bgi_rate_percent > 100 ||
        record->glitch_seconds > CONTROLLER_GLITCH_MAX ||
        (unsigned)record->coercion >= COERCION_MAX || record->group_count > CONTROLLER_GROUPS_MAX ||
        record->drive_count > CONTROLLER_DRIVES_MAX ||
        (unsigned)record->intent >= CONTROLLER_INTENT_MAX) {
        return false;
    }
    if ((record->intent == CONTROLLER_INTENT_NONE) != guid_is_zero(&record->intent_group)) {
        return false;
    }
    for (uint32_t i = 0; i < record->drive_count; i++) {
        if (!key_is_sound(record->drives[i].key) ||
            (record->drives[i].intent && record->drives[i].jbod)) {
            return false;
        }
    }
    if (record->return_count > CONTROLLER_RETURNS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < record->return_count; i++) {
        if (!key_is_sound(record->returns[i].key) ||
            record->returns[i].group_count > CONTROLLER_RETURN_GROUPS_MAX) {
            return false;
        }
    }
    return groups_are_sound(record) && erases_are_sound(record) && spares_are_sound(record) &&
           patrol_is_sound(&record->patrol);
}

static uint32_t record_crc(const uint8_t *buffer, size_t bytes)
{
    static const uint8_t zeros[4] = {0};
    uint32_t crc = crc32c(0, buffer, CRC_OFFSET);

    ASSERT(bytes >= HEAD_PLAIN_BYTES);
    crc = crc32c(crc, zeros, sizeof(zeros));
    return crc32c(crc, buffer + CRC_OFFSET + 4, bytes - CRC_OFFSET - 4);
}

struct counts {
    uint32_t groups, drives, returns, erases, spares;
};

static struct counts counts_of(const struct controller_record *record)
{
    return (struct counts){record->group_count, record->drive_count, record->return_count,
                           record->erase_count, record->spare_count};
}

static size_t record_bytes(uint32_t head_bytes, const struct counts *counts)
{
    ASSERT(counts->groups <= CONTROLLER_GROUPS_MAX);
    ASSERT(counts->drives <= CONTROLLER_DRIVES_MAX);
    return head_bytes + (size_t)counts->groups * GROUP_BYTES +
           (size_t)counts->drives * DRIVE_BYTES + (size_t)counts->returns * RETURN_BYTES +
           (size_t)counts->erases * ERASE_BYTES + (size_t)counts->spares * SPARE_BYTES;
}

static void return_encode(const struct controller_return *entry, uint8_t *out)
{
    memcpy(out, entry->key, strlen(entry->key));
    memcpy(out + 64, entry->group.bytes, 24);
    put_le32(out + 88, entry->member);
    put_le32(out + 92, entry->eid);
    put_le16(out + 96, entry->slot);
    out[98] = entry->affinity ? 1 : 0;
    out[99] = entry->declined ? 1 : 0;
    put_le32(out + 100, entry->group_count);
    for (uint32_t i = 0; i < entry->group_count; i++) {
        memcpy(out + 104 + (size_t)i * GROUP_BYTES, entry->groups[i].bytes, GROUP_BYTES);
    }
}

static int return_decode(const uint8_t *in, struct controller_return *entry)
{
    memcpy(entry->key, in, KEY_BYTES);
    entry->key[KEY_BYTES] = '\0';
    memcpy(entry->group.bytes, in + 64, 24);
    entry->member = get_le32(in + 88);
    entry->eid = get_le32(in + 92);
    entry->slot = get_le16(in + 96);
    entry->affinity = in[98] == 1;
    entry->declined = in[99] == 1;
    entry->group_count = get_le32(in + 100);
    if (in[98] > 1 || in[99] > 1 || entry->group_count > CONTROLLER_RETURN_GROUPS_MAX) {
        return -EBADMSG;
    }
    for (uint32_t i = 0; i < entry->group_count; i++) {
        memcpy(entry->groups[i].bytes, in + 104 + (size_t)i * GROUP_BYTES, GROUP_BYTES);
    }
    return 0;
}

static void erase_encode(const struct controller_erase *entry, uint8_t *out)
{
    memcpy(out, entry->key, strlen(entry->key));
    out[64] = entry->active ? 1 : 0;
    out[65] = (uint8_t)entry->mode;
    out[66] = entry->pattern_a;
    out[67] = entry->pattern_b;
    put_le32(out + 68, entry->pass);
    put_le64(out + 72, entry->seed);
    put_le64(out + 80, entry->cursor_bytes);
    put_le64(out + 88, entry->size_bytes);
}

static int erase_decode(const uint8_t *in, struct controller_erase *entry)
{
    memcpy(entry->key, in, KEY_BYTES);
    entry->key[KEY_BYTES] = '\0';
    if (in[64] > 1 || in[65] >= ERASE_MODE_MAX) {
        return -EBADMSG;
    }
    entry->active = in[64] == 1;
    entry->mode = (enum erase_mode)in[65];
    entry->pattern_a = in[66];
    entry->pattern_b = in[67];
    entry->pass = get_le32(in + 68);
    entry->seed = get_le64(in + 72);
    entry->cursor_bytes = get_le64(in + 80);
    entry->size_bytes = get_le64(in + 88);
    return 0;
}

void controller_patrol_default(struct controller_patrol *patrol)
{
    *patrol = (struct controller_patrol){.mode = PATROL_MODE_AUTO,
                                         .rate_percent = PATROL_RATE_DEFAULT,
                                         .delay_hours = PATROL_DELAY_DEFAULT,
                                         .drives_max = CONTROLLER_PATROL_DRIVES_MAX};
}

static void patrol_encode(const struct controller_patrol *patrol, uint8_t *out)
{
    out[0] = (uint8_t)patrol->mode;
    out[1] = patrol->ssds ? 1 : 0;
    put_le16(out + 2, (uint16_t)patrol->drives_max);
    put_le32(out + 4, patrol->rate_percent);
    put_le32(out + 8, patrol->delay_hours);
    put_le64(out + 16, patrol->next_us);
    put_le64(out + 24, patrol->last_us);
    put_le64(out + 32, patrol->iterations);
}

static void spare_encode(const struct controller_spare *entry, uint8_t *out)
{
    memcpy(out, entry->key, strlen(entry->key));
    memcpy(out + 64, entry->path, strlen(entry->path));
    memcpy(out + 112, entry->name, strlen(entry->name));
    memcpy(out + 136, entry->serial, strlen(entry->serial));
    out[176] = entry->dedicated ? 1 : 0;
}

static int spare_decode(const uint8_t *in, struct controller_spare *entry)
{
    struct controller_spare read = {.dedicated = in[176] == 1};

    memcpy(read.key, in, KEY_BYTES);
    memcpy(read.path, in + 64, 48);
    memcpy(read.name, in + 112, 24);
    memcpy(read.serial, in + 136, 40);
    *entry = (struct controller_spare){.dedicated = read.dedicated};
    memcpy(entry->key, read.key, strlen(read.key)); /* what is behind the texts stays zero */
    memcpy(entry->path, read.path, strlen(read.path));
    memcpy(entry->name, read.name, strlen(read.name));
    memcpy(entry->serial, read.serial, strlen(read.serial));
    return in[176] <= 1 ? 0 : -EBADMSG;
}

static int patrol_decode(const uint8_t *in, struct controller_patrol *patrol)
{
    if (in[0] >= PATROL_MODE_MAX || in[1] > 1) {
        return -EBADMSG;
    }
    *patrol = (struct controller_patrol){.mode = (enum patrol_mode)in[0],
                                         .ssds = in[1] == 1,
                                         .drives_max = get_le16(in + 2),
                                         .rate_percent = get_le32(in + 4),
                                         .delay_hours = get_le32(in + 8),
                                         .next_us = get_le64(in + 16),
                                         .last_us = get_le64(in + 24),
                                         .iterations = get_le64(in + 32)};
    return 0;
}

static uint32_t policies_of(const struct controller_record *record)
{
    return (record->auto_rebuild ? POLICY_AUTO_REBUILD : 0) |
           (record->emergency_spare ? POLICY_EMERGENCY_SPARE : 0) |
           (record->emergency_unconfigured ? POLICY_EMERGENCY_UNCONFIGURED : 0) |
           (record->mixed_media ? POLICY_MIXED_MEDIA : 0) |
           (record->mixed_interfaces ? 0 : POLICY_UNMIXED_INTERFACES) |
           (record->copyback ? 0 : POLICY_NO_COPYBACK) |
           (record->predictive_copyback ? POLICY_PREDICTIVE_COPYBACK : 0);
}

static void policies_take(struct controller_record *record, uint32_t policies)
{
    record->auto_rebuild = (policies & POLICY_AUTO_REBUILD) != 0;
    record->emergency_spare = (policies & POLICY_EMERGENCY_SPARE) != 0;
    record->emergency_unconfigured = (policies & POLICY_EMERGENCY_UNCONFIGURED) != 0;
    record->mixed_media = (policies & POLICY_MIXED_MEDIA) != 0;
    record->mixed_interfaces = (policies & POLICY_UNMIXED_INTERFACES) == 0;
    record->copyback = (policies & POLICY_NO_COPYBACK) == 0;
    record->predictive_copyback = (policies & POLICY_PREDICTIVE_COPYBACK) != 0;
}

int controller_record_encode(const struct controller_record *record, uint8_t *buffer,
                             size_t capacity, size_t *ret_bytes)
{
    uint8_t *out = buffer + HEAD_BYTES;
    struct counts counts = counts_of(record);
    size_t bytes = 0;

    if (!record_is_sound(record)) {
        return -EINVAL;
    }
    bytes = record_bytes(HEAD_BYTES, &counts);
    if (bytes > capacity) {
        return -EMSGSIZE;
    }
    memset(buffer, 0, bytes);
    memcpy(buffer, record_magic, sizeof(record_magic));
    put_le32(buffer + 8, record->spare_count > 0 ? RECORD_VERSION : VERSION_SPARELESS);
    put_le32(buffer + 12, (uint32_t)bytes);
    put_le32(buffer + 20, record->group_count);
    put_le32(buffer + 24, record->drive_count);
    put_le32(buffer + 28, record->rebuild_rate_percent);
    put_le32(buffer + 32, record->bgi_rate_percent);
    put_le32(buffer + 36, policies_of(record));
    put_le32(buffer + 40, (uint32_t)record->intent);
    put_le32(buffer + 44, record->glitch_seconds + 1);
    memcpy(buffer + 48, record->intent_group.bytes, 24);
    memcpy(buffer + 72, record->controller.bytes, 16);
    memcpy(buffer + 88, record->epoch.bytes, 16);
    put_le64(buffer + 104, record->rev_reserved);
    put_le64(buffer + 112, record->operation_reserved);
    patrol_encode(&record->patrol, buffer + PATROL_OFFSET);
    buffer[COERCION_OFFSET] = (uint8_t)(record->coercion + 1);
    for (uint32_t i = 0; i < record->group_count; i++, out += GROUP_BYTES) {
        memcpy(out, record->groups[i].bytes, GROUP_BYTES);
    }
    for (uint32_t i = 0; i < record->drive_count; i++, out += DRIVE_BYTES) {
        out[0] = record->drives[i].intent ? 1 : 0;
        out[1] = record->drives[i].jbod ? 1 : 0;
        memcpy(out + 2, record->drives[i].key, strlen(record->drives[i].key));
    }
    put_le32(buffer + 120, record->return_count);
    for (uint32_t i = 0; i < record->return_count; i++, out += RETURN_BYTES) {
        return_encode(&record->returns[i], out);
    }
    put_le32(buffer + 124, record->erase_count);
    for (uint32_t i = 0; i < record->erase_count; i++, out += ERASE_BYTES) {
        erase_encode(&record->erases[i], out);
    }
    buffer[SPARES_OFFSET] = (uint8_t)record->spare_count;
    for (uint32_t i = 0; i < record->spare_count; i++, out += SPARE_BYTES) {
        spare_encode(&record->spares[i], out);
    }
    ASSERT(out == buffer + bytes);
    put_le32(buffer + CRC_OFFSET, record_crc(buffer, bytes));
    *ret_bytes = bytes;
    return 0;
}

static uint32_t head_bytes_of(const uint8_t *buffer)
{
    return get_le32(buffer + 8) == VERSION_PLAIN ? HEAD_PLAIN_BYTES : HEAD_BYTES;
}

/* There is room for the head. */
static struct counts counts_decode(const uint8_t *buffer)
{
    return (struct counts){
        .groups = get_le32(buffer + 20),
        .drives = get_le32(buffer + 24),
        .returns = get_le32(buffer + 120),
        .erases = get_le32(buffer + 124),
        .spares = get_le32(buffer + 8) > VERSION_SPARELESS ? buffer[SPARES_OFFSET] : 0};
}

static bool counts_fit(const uint8_t *buffer, size_t bytes)
{
    struct counts counts;

    if (bytes < head_bytes_of(buffer)) {
        return false;
    }
    counts = counts_decode(buffer);
    return counts.groups <= CONTROLLER_GROUPS_MAX && counts.drives <= CONTROLLER_DRIVES_MAX &&
           counts.returns <= CONTROLLER_RETURNS_MAX && counts.erases <= CONTROLLER_ERASES_MAX &&
           counts.spares <= CONTROLLER_SPARES_MAX &&
           record_bytes(head_bytes_of(buffer), &counts) == bytes;
}

/* Length, magic, CRC, version and counts: after this the fields may be read. */
static int record_frame_check(const uint8_t *buffer, size_t bytes)
{
    if (bytes < HEAD_PLAIN_BYTES || bytes > CONTROLLER_RECORD_MAX_BYTES ||
        memcmp(buffer, record_magic, sizeof(record_magic)) != 0 ||
        get_le32(buffer + 8) < VERSION_PLAIN || get_le32(buffer + 12) != bytes ||
        get_le32(buffer + CRC_OFFSET) != record_crc(buffer, bytes)) {
        return -EBADMSG;
    }
    if (get_le32(buffer + 8) > RECORD_VERSION) {
        return -EPROTONOSUPPORT;
    }
    if (!counts_fit(buffer, bytes)) {
        return -EBADMSG;
    }
    return get_le32(buffer + 36) <= POLICIES && get_le32(buffer + 40) < CONTROLLER_INTENT_MAX
               ? 0
               : -EBADMSG;
}

/* What follows the drives. */
static int lists_decode(const uint8_t *buffer, const uint8_t *in, struct controller_record *record)
{
    struct counts counts = counts_decode(buffer);

    record->return_count = counts.returns;
    for (uint32_t i = 0; i < record->return_count; i++, in += RETURN_BYTES) {
        if (return_decode(in, &record->returns[i]) != 0) {
            return -EBADMSG;
        }
    }
    record->erase_count = counts.erases;
    for (uint32_t i = 0; i < record->erase_count; i++, in += ERASE_BYTES) {
        if (erase_decode(in, &record->erases[i]) != 0) {
            return -EBADMSG;
        }
    }
    record->spare_count = counts.spares;
    for (uint32_t i = 0; i < record->spare_count; i++, in += SPARE_BYTES) {
        if (spare_decode(in, &record->spares[i]) != 0) {
            return -EBADMSG;
        }
    }
    return 0;
}

static int record_fields_decode(const uint8_t *buffer, struct controller_record *record)
{
    const uint8_t *in = buffer + head_bytes_of(buffer);

    controller_patrol_default(&record->patrol);
    if (head_bytes_of(buffer) == HEAD_BYTES &&
        patrol_decode(buffer + PATROL_OFFSET, &record->patrol) != 0) {
        return -EBADMSG;
    }
    record->coercion = CONTROLLER_COERCION_DEFAULT;
    if (head_bytes_of(buffer) == HEAD_BYTES && buffer[COERCION_OFFSET] != 0) {
        record->coercion = (enum coercion)(buffer[COERCION_OFFSET] - 1);
    }
    record->group_count = get_le32(buffer + 20);
    record->drive_count = get_le32(buffer + 24);
    record->rebuild_rate_percent = get_le32(buffer + 28);
    record->bgi_rate_percent = get_le32(buffer + 32);
    policies_take(record, get_le32(buffer + 36));
    record->intent = (enum controller_intent)get_le32(buffer + 40);
    record->glitch_seconds =
        get_le32(buffer + 44) == 0 ? CONTROLLER_GLITCH_DEFAULT : get_le32(buffer + 44) - 1;
    memcpy(record->intent_group.bytes, buffer + 48, 24);
    memcpy(record->controller.bytes, buffer + 72, 16);
    memcpy(record->epoch.bytes, buffer + 88, 16);
    record->rev_reserved = get_le64(buffer + 104);
    record->operation_reserved = get_le64(buffer + 112);
    for (uint32_t i = 0; i < record->group_count; i++, in += GROUP_BYTES) {
        memcpy(record->groups[i].bytes, in, GROUP_BYTES);
    }
    for (uint32_t i = 0; i < record->drive_count; i++, in += DRIVE_BYTES) {
        if (in[0] > 1 || in[1] > 1 || in[0] + in[1] > 1) {
            return -EBADMSG;
        }
        record->drives[i].intent = in[0] == 1;
        record->drives[i].jbod = in[1] == 1;
        memcpy(record->drives[i].key, in + 2, KEY_BYTES);
        record->drives[i].key[KEY_BYTES] = '\0';
    }
    if (lists_decode(buffer, in, record) != 0) {
        return -EBADMSG;
    }
    return record_is_sound(record) ? 0 : -EBADMSG;
}

int controller_record_decode(const uint8_t *buffer, size_t bytes,
                             struct controller_record *ret_record)
{
    struct controller_record *record = NULL;
    int error = record_frame_check(buffer, bytes);

    ASSERT(ret_record != NULL);
    if (error != 0) {
        return error;
    }
    record = calloc(1, sizeof(*record));
    if (record == NULL) {
        return -ENOMEM;
    }
    error = record_fields_decode(buffer, record);
    if (error == 0) {
        *ret_record = *record;
    }
    free(record);
    return error;
}
