/*
 * Encoding, version 1, little-endian:
 *
 *   0  magic "AWDWRN01"   8  version   12  bytes in all   16  CRC-32C, itself as zero
 *  20  count             24  entries, 80 bytes each: media errors 8, flags 4, zero 4, key 64
 */
#include "meta/drive_warnings.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "meta/record_frame.h"

#define KEY_BYTES 64u
#define ENTRY_BYTES (16u + KEY_BYTES)
#define FLAG_PREDICTED 1u
#define FLAG_SPENT 2u

static const struct record_frame frame = {.magic = "AWDWRN01",
                                          .version = 1,
                                          .bytes_max = DRIVE_WARNINGS_MAX_BYTES,
                                          .count_max = DRIVE_WARNINGS_MAX,
                                          .entry_bytes = ENTRY_BYTES};

STATIC_ASSERT(RECORD_FRAME_BYTES + DRIVE_WARNINGS_MAX * ENTRY_BYTES <= DRIVE_WARNINGS_MAX_BYTES,
              "the largest record fits");

static bool past_is_clean(const struct drive_past *past)
{
    return !past->predicted && !past->spent && past->media_errors == 0;
}

static uint32_t warnings_index(const struct drive_warnings *warnings, const char *key)
{
    uint32_t index = 0;

    ASSERT(warnings->count <= DRIVE_WARNINGS_MAX);
    while (index < warnings->count && strcmp(warnings->entries[index].key, key) != 0) {
        index++;
    }
    return index;
}

const struct drive_past *drive_warnings_find(const struct drive_warnings *warnings, const char *key)
{
    uint32_t index = warnings_index(warnings, key);

    return index < warnings->count ? &warnings->entries[index].past : NULL;
}

static void warnings_remove(struct drive_warnings *warnings, uint32_t index)
{
    ASSERT(index < warnings->count);
    warnings->count--;
    memmove(&warnings->entries[index], &warnings->entries[index + 1],
            (warnings->count - index) * sizeof(warnings->entries[0]));
}

bool drive_warnings_put(struct drive_warnings *warnings, const char *key,
                        const struct drive_past *past)
{
    uint32_t index = warnings_index(warnings, key);

    ASSERT(strlen(key) > 0 && strlen(key) <= KEY_BYTES);
    if (index < warnings->count) {
        const struct drive_past *known = &warnings->entries[index].past;

        if (known->predicted == past->predicted && known->spent == past->spent &&
            known->media_errors == past->media_errors) {
            return false;
        }
        warnings_remove(warnings, index);
    } else if (past_is_clean(past)) {
        return false;
    } else if (warnings->count == DRIVE_WARNINGS_MAX) {
        warnings_remove(warnings, 0);
    }
    if (!past_is_clean(past)) {
        struct drive_warning_entry *entry = &warnings->entries[warnings->count++];

        memset(entry, 0, sizeof(*entry));
        memcpy(entry->key, key, strlen(key));
        entry->past = *past;
    }
    return true;
}

size_t drive_warnings_encode(const struct drive_warnings *warnings, uint8_t *buffer)
{
    size_t bytes = RECORD_FRAME_BYTES + (size_t)warnings->count * ENTRY_BYTES;
    uint8_t *out = buffer + RECORD_FRAME_BYTES;

    ASSERT(warnings->count <= DRIVE_WARNINGS_MAX);
    memset(buffer, 0, bytes);
    for (uint32_t i = 0; i < warnings->count; i++, out += ENTRY_BYTES) {
        const struct drive_warning_entry *entry = &warnings->entries[i];

        put_le64(out, entry->past.media_errors);
        put_le32(out + 8, (entry->past.predicted ? FLAG_PREDICTED : 0) |
                              (entry->past.spent ? FLAG_SPENT : 0));
        memcpy(out + 16, entry->key, strlen(entry->key));
    }
    record_frame_write(&frame, warnings->count, buffer, bytes);
    return bytes;
}

int drive_warnings_decode(const uint8_t *buffer, size_t bytes, struct drive_warnings *ret_warnings)
{
    struct drive_warnings warnings = {.count = 0};
    const uint8_t *in = buffer + RECORD_FRAME_BYTES;
    int error = record_frame_check(&frame, buffer, bytes);

    if (error != 0) {
        return error;
    }
    for (uint32_t i = 0; i < record_frame_count(buffer); i++, in += ENTRY_BYTES) {
        char key[KEY_BYTES + 1] = "";
        uint32_t flags = get_le32(in + 8);
        struct drive_past past = {.predicted = (flags & FLAG_PREDICTED) != 0,
                                  .spent = (flags & FLAG_SPENT) != 0,
                                  .media_errors = get_le64(in)};

        memcpy(key, in + 16, KEY_BYTES);
        if (key[0] == '\0' || (flags & ~(FLAG_PREDICTED | FLAG_SPENT)) != 0 ||
            past.media_errors > INT64_MAX || drive_warnings_find(&warnings, key) != NULL ||
            !drive_warnings_put(&warnings, key, &past)) {
            return -EBADMSG;
        }
    }
    *ret_warnings = warnings;
    return 0;
}
