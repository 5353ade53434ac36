/*
 * Encoding, version 1, little-endian:
 *
 *   0  magic "AWDLOS01"   8  version   12  bytes in all   16  CRC-32C, itself as zero
 *  20  count             24  entries, 68 bytes each: reason 1 (group_record.c), zero 3, key 64
 */
#include "meta/drive_losses.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "meta/group_record.h"
#include "meta/record_frame.h"

#define KEY_BYTES 64u
#define ENTRY_BYTES (4u + KEY_BYTES)

static const struct record_frame frame = {.magic = "AWDLOS01",
                                          .version = 1,
                                          .bytes_max = DRIVE_LOSSES_MAX_BYTES,
                                          .count_max = DRIVE_LOSSES_MAX,
                                          .entry_bytes = ENTRY_BYTES};

STATIC_ASSERT(RECORD_FRAME_BYTES + DRIVE_LOSSES_MAX * ENTRY_BYTES <= DRIVE_LOSSES_MAX_BYTES,
              "the largest record fits");

static uint32_t losses_index(const struct drive_losses *losses, const char *key)
{
    uint32_t index = 0;

    ASSERT(losses->count <= DRIVE_LOSSES_MAX);
    while (index < losses->count && strcmp(losses->entries[index].key, key) != 0) {
        index++;
    }
    return index;
}

enum reason_code drive_losses_find(const struct drive_losses *losses, const char *key)
{
    uint32_t index = losses_index(losses, key);

    return index < losses->count ? losses->entries[index].why : REASON_OK;
}

void drive_losses_put(struct drive_losses *losses, const char *key, enum reason_code why)
{
    uint32_t index = losses_index(losses, key);

    ASSERT(strlen(key) > 0 && strlen(key) <= KEY_BYTES && why != REASON_OK);
    if (index < losses->count) {
        drive_losses_remove(losses, index);
    } else if (losses->count == DRIVE_LOSSES_MAX) {
        drive_losses_remove(losses, 0);
    }
    memset(&losses->entries[losses->count], 0, sizeof(losses->entries[0]));
    memcpy(losses->entries[losses->count].key, key, strlen(key));
    losses->entries[losses->count++].why = why;
}

void drive_losses_remove(struct drive_losses *losses, uint32_t index)
{
    ASSERT(index < losses->count && losses->count <= DRIVE_LOSSES_MAX);
    losses->count--;
    memmove(&losses->entries[index], &losses->entries[index + 1],
            (losses->count - index) * sizeof(losses->entries[0]));
}

size_t drive_losses_encode(const struct drive_losses *losses, uint8_t *buffer)
{
    size_t bytes = RECORD_FRAME_BYTES + (size_t)losses->count * ENTRY_BYTES;
    uint8_t *out = buffer + RECORD_FRAME_BYTES;

    ASSERT(losses->count <= DRIVE_LOSSES_MAX);
    memset(buffer, 0, bytes);
    for (uint32_t i = 0; i < losses->count; i++, out += ENTRY_BYTES) {
        out[0] = member_why_to_number(losses->entries[i].why);
        memcpy(out + 4, losses->entries[i].key, strlen(losses->entries[i].key));
    }
    record_frame_write(&frame, losses->count, buffer, bytes);
    return bytes;
}

int drive_losses_decode(const uint8_t *buffer, size_t bytes, struct drive_losses *ret_losses)
{
    struct drive_losses losses = {.count = 0};
    const uint8_t *in = buffer + RECORD_FRAME_BYTES;
    int error = record_frame_check(&frame, buffer, bytes);

    if (error != 0) {
        return error;
    }
    for (uint32_t i = 0; i < record_frame_count(buffer); i++, in += ENTRY_BYTES) {
        char key[KEY_BYTES + 1] = "";
        enum reason_code why = REASON_OK;

        memcpy(key, in + 4, KEY_BYTES);
        if (key[0] == '\0' || drive_losses_find(&losses, key) != REASON_OK ||
            !member_why_of_number(in[0], &why) || why == REASON_OK) {
            return -EBADMSG;
        }
        drive_losses_put(&losses, key, why);
    }
    *ret_losses = losses;
    return 0;
}
