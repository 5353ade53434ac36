/*
 * Encoding, version 1, little-endian:
 *
 *   0  magic "AWDNUM01"   8  version   12  bytes in all   16  CRC-32C, itself as zero
 *  20  count             24  entries, 68 bytes each: number 4, key 64
 */
#include "meta/drive_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "meta/record_frame.h"

#define KEY_BYTES 64u
#define ENTRY_BYTES (4u + KEY_BYTES)
/* The command line takes numbers up to here. */
#define NUMBER_MAX 65535u

static const struct record_frame frame = {.magic = "AWDNUM01",
                                          .version = 1,
                                          .bytes_max = DRIVE_NUMBERS_MAX_BYTES,
                                          .count_max = DRIVE_NUMBERS_MAX,
                                          .entry_bytes = ENTRY_BYTES};

STATIC_ASSERT(RECORD_FRAME_BYTES + DRIVE_NUMBERS_MAX * ENTRY_BYTES <= DRIVE_NUMBERS_MAX_BYTES,
              "the largest record fits");
STATIC_ASSERT(DRIVE_NUMBERS_MAX < NUMBER_MAX, "there is always a free number");

uint32_t drive_numbers_find(const struct drive_numbers *numbers, const char *key)
{
    ASSERT(numbers->count <= DRIVE_NUMBERS_MAX);
    for (uint32_t i = 0; i < numbers->count; i++) {
        if (strcmp(numbers->entries[i].key, key) == 0) {
            return numbers->entries[i].number;
        }
    }
    return UINT32_MAX;
}

bool drive_numbers_has(const struct drive_numbers *numbers, uint32_t number)
{
    for (uint32_t i = 0; i < numbers->count; i++) {
        if (numbers->entries[i].number == number) {
            return true;
        }
    }
    return false;
}

uint32_t drive_numbers_add(struct drive_numbers *numbers, const char *key)
{
    uint32_t number = 0;

    while (drive_numbers_has(numbers, number)) {
        number++;
    }
    drive_numbers_put(numbers, key, number);
    return number;
}

void drive_numbers_put(struct drive_numbers *numbers, const char *key, uint32_t number)
{
    size_t length = strlen(key);

    ASSERT(numbers->count < DRIVE_NUMBERS_MAX);
    ASSERT(length > 0 && length <= KEY_BYTES);
    ASSERT(drive_numbers_find(numbers, key) == UINT32_MAX);
    ASSERT(!drive_numbers_has(numbers, number));
    memcpy(numbers->entries[numbers->count].key, key, length + 1);
    numbers->entries[numbers->count++].number = number;
}

void drive_numbers_forget(struct drive_numbers *numbers, const char *key)
{
    for (uint32_t i = 0; i < numbers->count; i++) {
        if (strcmp(numbers->entries[i].key, key) == 0) {
            drive_numbers_remove(numbers, i);
            return;
        }
    }
}

void drive_numbers_remove(struct drive_numbers *numbers, uint32_t index)
{
    ASSERT(numbers->count <= DRIVE_NUMBERS_MAX);
    ASSERT(index < numbers->count);
    numbers->count--;
    memmove(&numbers->entries[index], &numbers->entries[index + 1],
            (numbers->count - index) * sizeof(numbers->entries[0]));
}

int drive_numbers_encode(const struct drive_numbers *numbers, uint8_t *buffer, size_t capacity,
                         size_t *ret_bytes)
{
    size_t bytes = RECORD_FRAME_BYTES + (size_t)numbers->count * ENTRY_BYTES;
    uint8_t *out = buffer + RECORD_FRAME_BYTES;

    ASSERT(numbers->count <= DRIVE_NUMBERS_MAX);
    if (bytes > capacity) {
        return -EMSGSIZE;
    }
    memset(buffer, 0, bytes);
    for (uint32_t i = 0; i < numbers->count; i++, out += ENTRY_BYTES) {
        put_le32(out, numbers->entries[i].number);
        memcpy(out + 4, numbers->entries[i].key, strlen(numbers->entries[i].key));
    }
    record_frame_write(&frame, numbers->count, buffer, bytes);
    *ret_bytes = bytes;
    return 0;
}

int drive_numbers_decode(const uint8_t *buffer, size_t bytes, struct drive_numbers *ret_numbers)
{
    struct drive_numbers *numbers = NULL;
    const uint8_t *in = buffer + RECORD_FRAME_BYTES;
    int error = record_frame_check(&frame, buffer, bytes);

    if (error != 0) {
        return error;
    }
    numbers = calloc(1, sizeof(*numbers));
    if (numbers == NULL) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < record_frame_count(buffer) && error == 0; i++, in += ENTRY_BYTES) {
        char key[KEY_BYTES + 1] = "";
        uint32_t number = get_le32(in);

        memcpy(key, in + 4, KEY_BYTES);
        if (key[0] == '\0' || number > NUMBER_MAX || drive_numbers_has(numbers, number) ||
            drive_numbers_find(numbers, key) != UINT32_MAX) {
            error = -EBADMSG; /* (1) */
            break;
        }
        memcpy(numbers->entries[i].key, key, sizeof(key));
        numbers->entries[i].number = number;
        numbers->count++;
    }
    if (error == 0) {
        *ret_numbers = *numbers;
    }
    free(numbers);
    return error;
}
