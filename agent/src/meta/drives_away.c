/*
 * Encoding, version 1, little-endian:
 *
 *   0  magic "AWDAWAY1"   8  version   12  bytes in all   16  CRC-32C, itself as zero
 *  20  count             24  entries, 216 bytes each: key 64, path 48, name 24, serial 40, group
 * 24, drive 16
 */
#include "meta/drives_away.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "meta/record_frame.h"

static const struct record_frame frame = {.magic = "AWDAWAY1",
                                          .version = 1,
                                          .bytes_max = DRIVES_AWAY_MAX_BYTES,
                                          .count_max = DRIVES_AWAY_MAX,
                                          .entry_bytes = DRIVES_AWAY_ENTRY_BYTES};

STATIC_ASSERT(RECORD_FRAME_BYTES + DRIVES_AWAY_MAX * DRIVES_AWAY_ENTRY_BYTES ==
                  DRIVES_AWAY_MAX_BYTES,
              "the largest record fits");

static uint32_t away_index(const struct drives_away *away, const char *key)
{
    uint32_t index = 0;

    ASSERT(away->count <= DRIVES_AWAY_MAX);
    while (index < away->count && strcmp(away->entries[index].key, key) != 0) {
        index++;
    }
    return index;
}

struct drive_away *drives_away_find(struct drives_away *away, const char *key)
{
    uint32_t index = away_index(away, key);

    return index < away->count ? &away->entries[index] : NULL;
}

void drives_away_remove(struct drives_away *away, uint32_t index)
{
    ASSERT(index < away->count);
    away->count--;
    memmove(&away->entries[index], &away->entries[index + 1],
            (away->count - index) * sizeof(away->entries[0]));
}

void drives_away_put(struct drives_away *away, const struct drive_away *entry)
{
    uint32_t index = away_index(away, entry->key);

    ASSERT(entry->key[0] != '\0');
    if (index == away->count) {
        if (away->count == DRIVES_AWAY_MAX) {
            drives_away_remove(away, 0);
        }
        index = away->count++;
    }
    away->entries[index] = *entry;
}

size_t drives_away_encode(const struct drives_away *away, uint8_t *buffer)
{
    size_t bytes = RECORD_FRAME_BYTES + (size_t)away->count * DRIVES_AWAY_ENTRY_BYTES;
    uint8_t *out = buffer + RECORD_FRAME_BYTES;

    ASSERT(away->count <= DRIVES_AWAY_MAX);
    memset(buffer, 0, bytes);
    for (uint32_t i = 0; i < away->count; i++, out += DRIVES_AWAY_ENTRY_BYTES) {
        const struct drive_away *entry = &away->entries[i];

        memcpy(out, entry->key, strlen(entry->key));
        memcpy(out + 64, entry->path, strlen(entry->path));
        memcpy(out + 112, entry->name, strlen(entry->name));
        memcpy(out + 136, entry->serial, strlen(entry->serial));
        memcpy(out + 176, entry->group.bytes, 24);
        memcpy(out + 200, entry->drive.bytes, 16);
    }
    record_frame_write(&frame, away->count, buffer, bytes);
    return bytes;
}

int drives_away_decode(const uint8_t *buffer, size_t bytes, struct drives_away *ret_away)
{
    int error = record_frame_check(&frame, buffer, bytes);
    uint32_t count = error == 0 ? record_frame_count(buffer) : 0;
    const uint8_t *in = buffer + RECORD_FRAME_BYTES;

    ret_away->count = 0;
    for (uint32_t i = 0; i < count; i++, in += DRIVES_AWAY_ENTRY_BYTES) {
        struct drive_away entry = {.key = ""};

        memcpy(entry.key, in, 64);
        memcpy(entry.path, in + 64, 48);
        memcpy(entry.name, in + 112, 24);
        memcpy(entry.serial, in + 136, 40);
        memcpy(entry.group.bytes, in + 176, 24);
        memcpy(entry.drive.bytes, in + 200, 16);
        if (entry.key[0] == '\0' || drives_away_find(ret_away, entry.key) != NULL) {
            ret_away->count = 0;
            return -EBADMSG;
        }
        drives_away_put(ret_away, &entry);
    }
    return error;
}
