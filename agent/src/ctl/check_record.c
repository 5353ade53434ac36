/*
 * Encoding, version 1, little-endian:
 *
 *   0  magic "AWCHECK2"   8  version   12  bytes in all   16  CRC-32C, itself as zero
 *  20  count             24  entries
 *
 * An entry: virtual drive 24, flags 4, state 4, row 8, began 8, ended 8, bytes compared 8, left out
 * 8, unreadable 8, places corrected 8, inconsistent 8, places before a rebuild 8, places told 4,
 * count of places 4, earlier places that are not listed 8, that are listed 4, zero 4; then its
 * places and the earlier ones: row 8, from 4, to 4, member 4, pieces 4, offset on the member 8,
 * offset on the virtual drive 8, corrected 4, zero 4.
 */
#include "ctl/check_record.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "meta/config.h"
#include "port/store_port.h"

#define FLAG_GOES_ON 1u
#define FLAG_PAUSED 2u
#define FLAG_CORRECT 4u
#define FLAG_REBUILT 8u
#define FLAGS (FLAG_GOES_ON | FLAG_PAUSED | FLAG_CORRECT | FLAG_REBUILT)

static const struct record_frame frame = {.magic = "AWCHECK2",
                                          .version = 1,
                                          .bytes_max = CHECK_RECORD_MAX_BYTES,
                                          .count_max = CHECK_RECORD_ENTRIES_MAX,
                                          .entry_bytes = 0};

STATIC_ASSERT(CHECK_RECORD_MAX_BYTES <= STORE_VALUE_MAX_BYTES, "the largest record fits");
STATIC_ASSERT(OPERATION_STATE_RUNNING == 0 && OPERATION_STATE_PAUSED == 1 &&
                  OPERATION_STATE_WAITING == 2 && OPERATION_STATE_COMPLETED == 3 &&
                  OPERATION_STATE_FAILED == 4 && OPERATION_STATE_STOPPED == 5,
              "numbers on disk");

static uint32_t record_index(const struct check_record *record, const struct guid *vd)
{
    uint32_t index = 0;

    ASSERT(record->count <= CHECK_RECORD_ENTRIES_MAX);
    while (index < record->count && !guid_equal(&record->entries[index].vd, vd)) {
        index++;
    }
    return index;
}

struct check_entry *check_record_find(struct check_record *record, const struct guid *vd)
{
    uint32_t index = record_index(record, vd);

    return index < record->count ? &record->entries[index] : NULL;
}

static void record_remove(struct check_record *record, uint32_t index)
{
    ASSERT(index < record->count);
    record->count--;
    memmove(&record->entries[index], &record->entries[index + 1],
            (record->count - index) * sizeof(record->entries[0]));
}

void check_record_put(struct check_record *record, const struct check_entry *entry)
{
    uint32_t index = record_index(record, &entry->vd);

    if (index == record->count) {
        if (record->count == CHECK_RECORD_ENTRIES_MAX) {
            record_remove(record, 0);
        }
        index = record->count++;
    }
    record->entries[index] = *entry;
}

bool check_record_drop(struct check_record *record, const struct guid *vd)
{
    uint32_t index = record_index(record, vd);

    if (index == record->count) {
        return false;
    }
    record_remove(record, index);
    return true;
}

static void place_encode(const struct vd_mismatch *place, uint8_t *out)
{
    put_le64(out, place->row);
    put_le32(out + 8, place->lo);
    put_le32(out + 12, place->hi);
    put_le32(out + 16, place->member);
    put_le32(out + 20, place->piece_count);
    put_le64(out + 24, place->drive_offset_bytes);
    put_le64(out + 32, place->offset_bytes);
    put_le32(out + 40, place->corrected ? 1 : 0);
}

static void entry_encode(const struct check_entry *entry, uint8_t *out)
{
    const struct check_view *view = &entry->check.view;

    memcpy(out, entry->vd.bytes, 24);
    put_le32(out + 24, (entry->goes_on ? FLAG_GOES_ON : 0) | (entry->paused ? FLAG_PAUSED : 0) |
                           (view->correct ? FLAG_CORRECT : 0) |
                           (entry->check.rebuilt ? FLAG_REBUILT : 0));
    put_le32(out + 28, (uint32_t)view->state);
    put_le64(out + 32, entry->row);
    put_le64(out + 40, view->began_us);
    put_le64(out + 48, view->ended_us);
    put_le64(out + 56, view->compared_bytes);
    put_le64(out + 64, view->left_out_bytes);
    put_le64(out + 72, view->unreadable_bytes);
    put_le64(out + 80, view->corrected);
    put_le64(out + 88, view->inconsistent);
    put_le64(out + 96, entry->check.kept_count);
    put_le32(out + 104, entry->check.told);
    put_le32(out + 108, view->place_count);
    put_le64(out + 112, view->earlier.unlisted);
    put_le32(out + 120, view->earlier.count);
}

size_t check_record_encode(const struct check_record *record, uint8_t *buffer)
{
    size_t bytes = RECORD_FRAME_BYTES;

    ASSERT(record->count <= CHECK_RECORD_ENTRIES_MAX);
    memset(buffer, 0, RECORD_FRAME_BYTES);
    for (uint32_t i = 0; i < record->count; i++) {
        const struct check_view *view = &record->entries[i].check.view;
        const struct check_earlier *earlier = &view->earlier;
        uint32_t count = view->place_count + earlier->count;

        ASSERT(view->place_count <= CHECK_PLACES_MAX && earlier->count <= CHECK_PLACES_MAX);
        memset(buffer + bytes, 0, CHECK_RECORD_ENTRY_BYTES + count * CHECK_RECORD_PLACE_BYTES);
        entry_encode(&record->entries[i], buffer + bytes);
        bytes += CHECK_RECORD_ENTRY_BYTES;
        for (uint32_t p = 0; p < view->place_count; p++, bytes += CHECK_RECORD_PLACE_BYTES) {
            place_encode(&view->places[p], buffer + bytes);
        }
        for (uint32_t p = 0; p < earlier->count; p++, bytes += CHECK_RECORD_PLACE_BYTES) {
            place_encode(&earlier->places[p], buffer + bytes);
        }
    }
    ASSERT(bytes <= CHECK_RECORD_MAX_BYTES);
    record_frame_write(&frame, record->count, buffer, bytes);
    return bytes;
}

static int place_decode(const uint8_t *in, struct vd_mismatch *place)
{
    *place = (struct vd_mismatch){.row = get_le64(in),
                                  .lo = get_le32(in + 8),
                                  .hi = get_le32(in + 12),
                                  .member = get_le32(in + 16),
                                  .piece_count = get_le32(in + 20),
                                  .drive_offset_bytes = get_le64(in + 24),
                                  .offset_bytes = get_le64(in + 32),
                                  .corrected = get_le32(in + 40) == 1};
    return place->lo < place->hi && place->piece_count <= GROUP_MEMBERS_MAX &&
                   (place->member < GROUP_MEMBERS_MAX || place->member == VD_MEMBER_UNKNOWN) &&
                   get_le32(in + 40) <= 1
               ? 0
               : -EBADMSG;
}

static int entry_decode(const uint8_t *in, struct check_entry *entry)
{
    struct check_view *view = &entry->check.view;
    uint32_t flags = get_le32(in + 24);

    *entry = (struct check_entry){.goes_on = (flags & FLAG_GOES_ON) != 0,
                                  .paused = (flags & FLAG_PAUSED) != 0,
                                  .row = get_le64(in + 32),
                                  .check = {.any = true,
                                            .told = get_le32(in + 104),
                                            .rebuilt = (flags & FLAG_REBUILT) != 0,
                                            .kept_count = get_le64(in + 96)}};
    memcpy(entry->vd.bytes, in, 24);
    if ((flags & ~FLAGS) != 0 || get_le32(in + 28) >= OPERATION_STATE_MAX ||
        get_le32(in + 108) > CHECK_PLACES_MAX || get_le32(in + 120) > CHECK_PLACES_MAX) {
        return -EBADMSG;
    }
    *view = (struct check_view){
        .correct = (flags & FLAG_CORRECT) != 0,
        .state = (enum operation_state)get_le32(in + 28),
        .began_us = get_le64(in + 40),
        .ended_us = get_le64(in + 48),
        .compared_bytes = get_le64(in + 56),
        .left_out_bytes = get_le64(in + 64),
        .unreadable_bytes = get_le64(in + 72),
        .corrected = get_le64(in + 80),
        .inconsistent = get_le64(in + 88),
        .place_count = get_le32(in + 108),
        .earlier = {.unlisted = get_le64(in + 112), .count = get_le32(in + 120)}};
    return 0;
}

static bool places_read(const uint8_t **in, const uint8_t *end, struct vd_mismatch *places,
                        uint32_t count)
{
    if ((size_t)(end - *in) < count * CHECK_RECORD_PLACE_BYTES) {
        return false;
    }
    for (uint32_t p = 0; p < count; p++, *in += CHECK_RECORD_PLACE_BYTES) {
        if (place_decode(*in, &places[p]) != 0) {
            return false;
        }
    }
    return true;
}

/* How far it got, or NULL. */
static const uint8_t *entry_read(const uint8_t *in, const uint8_t *end, struct check_entry *entry)
{
    struct check_view *view = &entry->check.view;

    if ((size_t)(end - in) < CHECK_RECORD_ENTRY_BYTES || entry_decode(in, entry) != 0) {
        return NULL;
    }
    in += CHECK_RECORD_ENTRY_BYTES;
    return places_read(&in, end, view->places, view->place_count) &&
                   places_read(&in, end, view->earlier.places, view->earlier.count)
               ? in
               : NULL;
}

int check_record_decode(const uint8_t *buffer, size_t bytes, struct check_record *ret_record)
{
    int error = record_frame_check(&frame, buffer, bytes);
    const uint8_t *in = buffer + RECORD_FRAME_BYTES;
    uint32_t count = error == 0 ? record_frame_count(buffer) : 0;

    ret_record->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct check_entry entry;

        in = entry_read(in, buffer + bytes, &entry);
        if (in == NULL || check_record_find(ret_record, &entry.vd) != NULL) {
            ret_record->count = 0;
            return -EBADMSG;
        }
        check_record_put(ret_record, &entry);
    }
    if (error == 0 && in != buffer + bytes) {
        ret_record->count = 0;
        return -EBADMSG;
    }
    return error;
}
