/*
 * Encoding, version 1, little-endian:
 *
 *   0  magic "AWDSIZ01"   8  version   12  bytes in all   16  CRC-32C, itself as zero
 *  20  count             24  entries, 72 bytes each: size 8, key 64
 */
#include "meta/drive_sizes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "meta/record_frame.h"

#define KEY_BYTES 64u
#define ENTRY_BYTES (8u + KEY_BYTES)
#define SIZE_MAX_BYTES (UINT64_C(1) << 62)

static const struct record_frame frame = {.magic = "AWDSIZ01",
                                          .version = 1,
                                          .bytes_max = DRIVE_SIZES_MAX_BYTES,
                                          .count_max = DRIVE_SIZES_MAX,
                                          .entry_bytes = ENTRY_BYTES};

STATIC_ASSERT(RECORD_FRAME_BYTES + DRIVE_SIZES_MAX * ENTRY_BYTES <= DRIVE_SIZES_MAX_BYTES,
              "the largest record fits");

static uint32_t index_of(const struct drive_sizes *sizes, const char *key)
{
    uint32_t i = 0;

    ASSERT(sizes->count <= DRIVE_SIZES_MAX);
    while (i < sizes->count && strcmp(sizes->entries[i].key, key) != 0) {
        i++;
    }
    return i;
}

uint64_t drive_sizes_find(const struct drive_sizes *sizes, const char *key)
{
    uint32_t i = index_of(sizes, key);

    return i < sizes->count ? sizes->entries[i].size_bytes : 0;
}

static void entry_remove(struct drive_sizes *sizes, uint32_t index)
{
    ASSERT(index < sizes->count);
    sizes->count--;
    memmove(&sizes->entries[index], &sizes->entries[index + 1],
            (sizes->count - index) * sizeof(sizes->entries[0]));
}

void drive_sizes_set(struct drive_sizes *sizes, const char *key, uint64_t size_bytes)
{
    size_t length = strlen(key);
    uint32_t i = index_of(sizes, key);

    ASSERT(length > 0 && length <= KEY_BYTES);
    ASSERT(size_bytes > 0 && size_bytes <= SIZE_MAX_BYTES);
    if (i == DRIVE_SIZES_MAX) {
        entry_remove(sizes, 0);
        i = sizes->count;
    }
    if (i == sizes->count) {
        sizes->count++;
        memcpy(sizes->entries[i].key, key, length + 1);
    }
    sizes->entries[i].size_bytes = size_bytes;
}

bool drive_sizes_forget(struct drive_sizes *sizes, const char *key)
{
    uint32_t i = index_of(sizes, key);

    if (i == sizes->count) {
        return false;
    }
    entry_remove(sizes, i);
    return true;
}

int drive_sizes_encode(const struct drive_sizes *sizes, uint8_t *buffer, size_t capacity,
                       size_t *ret_bytes)
{
    size_t bytes = RECORD_FRAME_BYTES + (size_t)sizes->count * ENTRY_BYTES;
    uint8_t *out = buffer + RECORD_FRAME_BYTES;

    ASSERT(sizes->count <= DRIVE_SIZES_MAX);
    if (bytes > capacity) {
        return -EMSGSIZE;
    }
    memset(buffer, 0, bytes);
    for (uint32_t i = 0; i < sizes->count; i++, out += ENTRY_BYTES) {
        put_le64(out, sizes->entries[i].size_bytes);
        memcpy(out + 8, sizes->entries[i].key, strlen(sizes->entries[i].key));
    }
    record_frame_write(&frame, sizes->count, buffer, bytes);
    *ret_bytes = bytes;
    return 0;
}

int drive_sizes_decode(const uint8_t *buffer, size_t bytes, struct drive_sizes *ret_sizes)
{
    struct drive_sizes *sizes = NULL;
    const uint8_t *in = buffer + RECORD_FRAME_BYTES;
    int error = record_frame_check(&frame, buffer, bytes);

    if (error != 0) {
        return error;
    }
    sizes = calloc(1, sizeof(*sizes));
    if (sizes == NULL) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < record_frame_count(buffer) && error == 0; i++, in += ENTRY_BYTES) {
        char key[KEY_BYTES + 1] = "";
        uint64_t size_bytes = get_le64(in);

        memcpy(key, in + 8, KEY_BYTES);
        if (key[0] == '\0' || size_bytes == 0 || size_bytes > SIZE_MAX_BYTES ||
            drive_sizes_find(sizes, key) != 0) {
            error = -EBADMSG;
        } else {
            drive_sizes_set(sizes, key, size_bytes);
        }
    }
    if (error == 0) {
        *ret_sizes = *sizes;
    }
    free(sizes);
    return error;
}
