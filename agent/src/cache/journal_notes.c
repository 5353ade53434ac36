#include "cache/journal_notes.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"

/* A checksum over the rest, the count, the notes of 32 bytes each. */
enum { NOTES_CRC = 0, NOTES_COUNT = 4, NOTES_FIRST = 8, NOTE_BYTES = 32, NOTE_SEQUENCE = 24 };

STATIC_ASSERT(JOURNAL_NOTES_OFFSET + JOURNAL_NOTES_BYTES <= 4096, "they fit the super-block");
STATIC_ASSERT(sizeof(struct guid) == NOTE_SEQUENCE, "a DDF GUID");

static uint32_t notes_crc(const uint8_t *bytes, uint32_t count)
{
    return crc32c(0, bytes + NOTES_COUNT, NOTES_FIRST - NOTES_COUNT + (size_t)count * NOTE_BYTES);
}

void journal_notes_write(const struct journal_notes *notes, uint8_t *bytes)
{
    ASSERT(notes->count <= JOURNAL_NOTES_MAX);
    memset(bytes, 0, JOURNAL_NOTES_BYTES);
    put_le32(bytes + NOTES_COUNT, notes->count);
    for (uint32_t i = 0; i < notes->count; i++) {
        uint8_t *at = bytes + NOTES_FIRST + (size_t)i * NOTE_BYTES;

        memcpy(at, notes->notes[i].group.bytes, sizeof(struct guid));
        put_le64(at + NOTE_SEQUENCE, notes->notes[i].sequence);
    }
    put_le32(bytes + NOTES_CRC, notes_crc(bytes, notes->count));
}

void journal_notes_read(const uint8_t *bytes, struct journal_notes *ret_notes)
{
    uint32_t count = get_le32(bytes + NOTES_COUNT);

    memset(ret_notes, 0, sizeof(*ret_notes));
    if (count > JOURNAL_NOTES_MAX || get_le32(bytes + NOTES_CRC) != notes_crc(bytes, count)) {
        return;
    }
    ret_notes->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = bytes + NOTES_FIRST + (size_t)i * NOTE_BYTES;

        memcpy(ret_notes->notes[i].group.bytes, at, sizeof(struct guid));
        ret_notes->notes[i].sequence = get_le64(at + NOTE_SEQUENCE);
    }
}

static uint32_t note_index(const struct journal_notes *notes, const struct guid *group)
{
    uint32_t i = 0;

    while (i < notes->count && !guid_equal(&notes->notes[i].group, group)) {
        i++;
    }
    return i;
}

uint64_t journal_notes_find(const struct journal_notes *notes, const struct guid *group)
{
    uint32_t i = note_index(notes, group);

    return i < notes->count ? notes->notes[i].sequence : 0;
}

bool journal_notes_set(struct journal_notes *notes, const struct guid *group, uint64_t sequence)
{
    uint32_t i = note_index(notes, group);

    if (i == notes->count ? sequence == 0 || i == JOURNAL_NOTES_MAX
                          : notes->notes[i].sequence == sequence) {
        return false;
    }
    if (sequence == 0) {
        notes->notes[i] = notes->notes[--notes->count];
        return true;
    }
    notes->count += i == notes->count ? 1u : 0u;
    notes->notes[i] = (struct journal_note){.group = *group, .sequence = sequence};
    return true;
}
