/*
 * The cache journal over durable memory: format, publication, replay (journal.h).
 */
#include "cache/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc.h"
#include "cache/journal_log.h"
#include "cache/journal_notes.h"
#include "cache/journal_private.h"
#include "cache/log_format.h"
#include "cache/sim_bug.h"

#define SUPER_BYTES 4096u
#define SUPER_USED_BYTES 96u
#define DESCRIPTORS_OFFSET (2 * (uint64_t)SUPER_BYTES)
#define VERSION 1u
#define PREFETCH_BYTES 1024u
#define PREFETCH_LINE_BYTES 64u

static const char magic[8] = {'A', 'W', 'C', 'A', 'C', 'H', 'E', '1'};

/* Super-block: where its fields are. */
enum {
    SUPER_MAGIC = 0,
    SUPER_VERSION = 8,
    SUPER_FRAMES = 12,
    SUPER_UUID = 16,
    SUPER_OWNER = 32,
    SUPER_GENERATION = 48,
    SUPER_SIZE = 56,
    SUPER_CRC = 92 /* of what is before it */
};

STATIC_ASSERT(SUPER_CRC + 4 == SUPER_USED_BYTES, "the checksum ends the super-block");

struct journal {
    struct memory_port *memory;
    struct journal_log *log; /* NULL: what is in memory is as durable as the memory is */
    struct uuid uuid;
    struct uuid owner;
    uint64_t generation;
    uint64_t found_stamp;
    uint64_t changes; /* publications and releases */
    uint64_t stamped; /* changes when the generation was last raised */
    uint32_t frame_count;
    uint64_t frames_offset;
    uint64_t sequence; /* the newest one given out */
    struct list listeners; /* without a log; with one, the log has them */
    bool lost_told;
    struct journal_notes found_notes;
    struct journal_notes notes; /* with a log: the log has them */
};

uint64_t journal_frames_offset(uint32_t frame_count)
{
    return align_up_u64(DESCRIPTORS_OFFSET + (uint64_t)frame_count * DESCRIPTOR_BYTES,
                        CACHE_BLOCK_BYTES);
}

uint64_t journal_size_bytes(uint32_t frame_count)
{
    return journal_frames_offset(frame_count) + (uint64_t)frame_count * CACHE_BLOCK_BYTES;
}

/* As many frames as fit. */
static uint32_t frames_that_fit(uint64_t size_bytes)
{
    uint64_t count = size_bytes > DESCRIPTORS_OFFSET ? (size_bytes - DESCRIPTORS_OFFSET) /
                                                           (CACHE_BLOCK_BYTES + DESCRIPTOR_BYTES)
                                                     : 0;

    count = min_u64(count, JOURNAL_FRAMES_MAX);
    while (count > 0 && journal_size_bytes((uint32_t)count) > size_bytes) {
        count--; /* once: for the rounding up of the descriptors */
    }
    return (uint32_t)count;
}

uint64_t journal_descriptor_offset(uint32_t frame)
{
    return DESCRIPTORS_OFFSET + (uint64_t)frame * DESCRIPTOR_BYTES;
}

static uint64_t frame_offset(const struct journal *journal, uint32_t frame)
{
    ASSERT(frame < journal->frame_count);
    return journal->frames_offset + (uint64_t)frame * CACHE_BLOCK_BYTES;
}

/* Super-blocks */

struct super {
    uint32_t version;
    uint32_t frame_count;
    struct uuid uuid, owner;
    uint64_t generation;
    uint64_t size_bytes;
    bool sure; /* the other one has not been a newer one */
    uint64_t offset;
};

static bool super_read(const uint8_t *bytes, struct super *ret_super)
{
    if (memcmp(bytes + SUPER_MAGIC, magic, sizeof(magic)) != 0 ||
        get_le32(bytes + SUPER_CRC) != crc32c(0, bytes, SUPER_CRC)) {
        return false;
    }
    ret_super->version = get_le32(bytes + SUPER_VERSION);
    ret_super->frame_count = get_le32(bytes + SUPER_FRAMES);
    memcpy(&ret_super->uuid, bytes + SUPER_UUID, sizeof(ret_super->uuid));
    memcpy(&ret_super->owner, bytes + SUPER_OWNER, sizeof(ret_super->owner));
    ret_super->generation = get_le64(bytes + SUPER_GENERATION);
    ret_super->size_bytes = get_le64(bytes + SUPER_SIZE);
    return true;
}

/* The newest generation goes over the older slot. */
static void super_write(struct journal *journal)
{
    uint8_t bytes[SUPER_USED_BYTES] = {0};
    uint8_t notes[JOURNAL_NOTES_BYTES];
    uint64_t offset = journal->generation % 2 == 0 ? 0 : SUPER_BYTES;

    memcpy(bytes + SUPER_MAGIC, magic, sizeof(magic));
    put_le32(bytes + SUPER_VERSION, VERSION);
    put_le32(bytes + SUPER_FRAMES, journal->frame_count);
    memcpy(bytes + SUPER_UUID, &journal->uuid, sizeof(journal->uuid));
    memcpy(bytes + SUPER_OWNER, &journal->owner, sizeof(journal->owner));
    put_le64(bytes + SUPER_GENERATION, journal->generation);
    put_le64(bytes + SUPER_SIZE, journal->memory->size_bytes);
    put_le32(bytes + SUPER_CRC, crc32c(0, bytes, SUPER_CRC));
    if (journal->generation > 1) { /* the first one has none */
        journal_notes_write(&journal->notes, notes); /* cut short, nothing is known */
        memory_copy(journal->memory, offset + JOURNAL_NOTES_OFFSET, notes, sizeof(notes));
        memory_persist(journal->memory, offset + JOURNAL_NOTES_OFFSET, sizeof(notes));
    }
    /* The magic last: the very first super-block, cut short by a power loss, is none at all. */
    memory_copy(journal->memory, offset + 8, bytes + 8, sizeof(bytes) - 8);
    memory_persist(journal->memory, offset, sizeof(bytes));
    memory_publish(journal->memory, offset, get_le64(bytes));
    memory_persist(journal->memory, offset, 8);
}

/* Zeros, but for what an interrupted first super_write() may have left in slot B. */
static bool is_blank(const uint8_t *bytes)
{
    const uint64_t after = SUPER_BYTES + SUPER_USED_BYTES;

    return bytes_are_all(bytes, SUPER_BYTES + 8, 0) &&
           bytes_are_all(bytes + after, DESCRIPTORS_OFFSET - after, 0);
}

/* All descriptors free first, the super-block last: a crash in between leaves a blank medium. */
static void format(struct journal *journal, const struct uuid *fresh)
{
    static const uint8_t zeros[4096];
    struct memory_port *memory = journal->memory;

    journal->uuid = *fresh;
    journal->generation = 1;
    journal->frame_count = frames_that_fit(memory->size_bytes);
    journal->frames_offset = journal_frames_offset(journal->frame_count);
    for (uint64_t at = DESCRIPTORS_OFFSET; at < journal->frames_offset; at += sizeof(zeros)) {
        memory_copy(memory, at, zeros, sizeof(zeros));
    }
    memory_persist(memory, DESCRIPTORS_OFFSET, journal->frames_offset - DESCRIPTORS_OFFSET);
    super_write(journal);
}

static bool holds_nothing(const struct journal *journal, const struct super *super)
{
    const uint8_t *base = journal->memory->base;

    for (uint32_t frame = 0; frame < super->frame_count; frame++) {
        if (get_le64(base + journal_descriptor_offset(frame) + DESCRIPTOR_WORD) != 0) {
            return false;
        }
    }
    return true;
}

static int take_over(struct journal *journal, const struct super *super, const struct uuid *fresh)
{
    if (super->version != VERSION) {
        return -EPROTONOSUPPORT;
    }
    if (super->frame_count < JOURNAL_FRAMES_MIN || super->frame_count > JOURNAL_FRAMES_MAX) {
        return -EBADMSG;
    }
    if (super->size_bytes != journal->memory->size_bytes ||
        journal_size_bytes(super->frame_count) > super->size_bytes) {
        return -ERANGE;
    }
    if (!uuid_equal(&super->owner, &journal->owner) && !holds_nothing(journal, super)) {
        return -EEXIST;
    }
    /* An empty one of another controller is as good as a new one. */
    journal->uuid = uuid_equal(&super->owner, &journal->owner) ? super->uuid : *fresh;
    journal->found_stamp = super->sure ? super->generation : UINT64_MAX;
    if (super->sure && uuid_equal(&super->owner, &journal->owner)) {
        journal_notes_read(journal->memory->base + super->offset + JOURNAL_NOTES_OFFSET,
                           &journal->found_notes);
        journal->notes = journal->found_notes;
    }
    journal->generation = super->generation + 1;
    journal->frame_count = super->frame_count;
    journal->frames_offset = journal_frames_offset(super->frame_count);
    super_write(journal);
    return 0;
}

static bool super_newest(const uint8_t *base, struct super *ret_super)
{
    struct super a = {0};
    struct super b = {0};
    bool good_a = super_read(base, &a);
    bool good_b = super_read(base + SUPER_BYTES, &b);

    b.offset = SUPER_BYTES;
    *ret_super = good_a && (!good_b || a.generation > b.generation) ? a : b;
    ret_super->sure = (good_a && good_b) || ret_super->generation == 1;
    return good_a || good_b;
}

bool journal_identify(const struct memory_port *memory, struct journal_identity *ret_identity)
{
    struct super super;

    if (frames_that_fit(memory->size_bytes) < JOURNAL_FRAMES_MIN ||
        !super_newest(memory->base, &super)) {
        return false;
    }
    *ret_identity = (struct journal_identity){.uuid = super.uuid, .owner = super.owner};
    return true;
}

static int open_found(struct journal *journal, const struct uuid *fresh)
{
    const uint8_t *base = journal->memory->base;
    struct super super;

    if (super_newest(base, &super)) {
        return take_over(journal, &super, fresh);
    }
    if (!is_blank(base)) {
        return -EBADMSG;
    }
    format(journal, fresh);
    return 0;
}

int journal_open(struct memory_port *memory, const struct uuid *owner, const struct uuid *fresh,
                 struct journal **ret_journal)
{
    struct journal *journal = NULL;
    int error = 0;

    ASSERT(memory != NULL && memory->base != NULL);
    ASSERT(is_aligned_u64((uint64_t)(uintptr_t)memory->base, CACHE_BLOCK_BYTES));
    if (frames_that_fit(memory->size_bytes) < JOURNAL_FRAMES_MIN) {
        return -ENOSPC;
    }
    journal = calloc(1, sizeof(*journal));
    if (journal == NULL) {
        return -ENOMEM;
    }
    journal->memory = memory;
    journal->owner = *owner;
    list_init(&journal->listeners);
    error = open_found(journal, fresh);
    if (error != 0) {
        free(journal);
        return error;
    }
    *ret_journal = journal;
    return 0;
}

uint64_t journal_log_memory_bytes(uint64_t log_bytes)
{
    struct log_geometry geometry;

    return log_geometry_make(log_bytes, &geometry) ? journal_size_bytes(geometry.frame_count) : 0;
}

int journal_open_log(struct log_port *port, struct memory_port *memory, struct clock_port *clock,
                     const struct uuid *owner, const struct uuid *fresh,
                     struct journal **ret_journal)
{
    struct journal *journal = calloc(1, sizeof(*journal));
    int error = 0;

    if (journal == NULL) {
        return -ENOMEM;
    }
    error = journal_log_open(port, memory, clock, owner, fresh, &journal->log);
    if (error != 0) {
        free(journal);
        return error;
    }
    journal->memory = memory;
    journal->owner = *owner;
    journal->uuid = *journal_log_uuid(journal->log);
    journal->generation = journal_log_generation(journal->log);
    journal->found_stamp = journal_log_found_stamp(journal->log);
    journal->found_notes = *journal_log_notes(journal->log);
    journal->frame_count = journal_log_frame_count(journal->log);
    journal->frames_offset = journal_frames_offset(journal->frame_count);
    *ret_journal = journal;
    return 0;
}

struct journal *journal_close(struct journal *journal)
{
    if (journal != NULL) {
        journal->log = journal_log_close(journal->log);
        free(journal);
    }
    return NULL;
}

/* Replay */

static void replay_one(struct journal *journal, uint32_t frame,
                       const struct journal_visitor *visitor)
{
    const uint8_t *bytes = journal->memory->base + journal_descriptor_offset(frame);
    struct frame_entry entry = {.type = JOURNAL_FREE};

    if (get_le64(bytes + DESCRIPTOR_WORD) == 0) {
        return;
    }
    if (!descriptor_is_sound(bytes)) {
        visitor->damaged(visitor->context, frame, &entry);
        return;
    }
    descriptor_read(bytes, &entry);
    journal->sequence = max_u64(journal->sequence, entry.sequence);
    if (!descriptor_fits_content(bytes, journal_frame(journal, frame)) &&
        !CACHE_BUG(DATA_CRC_IGNORED)) {
        visitor->damaged(visitor->context, frame, &entry);
        return;
    }
    visitor->entry(visitor->context, frame, &entry);
}

/* The processor stops reading ahead at the end of each page: the checksum of the next frame would
 * wait for its first lines. */
static void replay_prefetch(const struct journal *journal, uint32_t frame,
                            const struct journal_visitor *visitor)
{
    const uint8_t *bytes = NULL;
    struct frame_entry entry;

    if (frame >= journal->frame_count ||
        get_le64(journal->memory->base + journal_descriptor_offset(frame)) == 0) {
        return;
    }
    bytes = journal_frame(journal, frame);
    for (uint32_t at = 0; at < PREFETCH_BYTES; at += PREFETCH_LINE_BYTES) {
        __builtin_prefetch(bytes + at);
    }
    if (visitor->soon != NULL) {
        descriptor_read(journal->memory->base + journal_descriptor_offset(frame), &entry);
        visitor->soon(visitor->context, &entry);
    }
}

void journal_replay(struct journal *journal, const struct journal_visitor *visitor)
{
    ASSERT(journal->sequence == 0);
    for (uint32_t frame = 0; frame < journal->frame_count; frame++) {
        replay_prefetch(journal, frame + 1, visitor);
        replay_one(journal, frame, visitor);
    }
}

/* Frames */

const struct uuid *journal_uuid(const struct journal *journal)
{
    return &journal->uuid;
}

uint64_t journal_generation(const struct journal *journal)
{
    return journal->generation;
}

uint64_t journal_stamp(struct journal *journal)
{
    if (journal->log != NULL) {
        return journal_log_stamp(journal->log);
    }
    if (journal->stamped != journal->changes) {
        journal->stamped = journal->changes;
        journal->generation++;
        super_write(journal);
    }
    return journal->generation;
}

uint64_t journal_found_stamp(const struct journal *journal)
{
    return journal->found_stamp;
}

void journal_note(struct journal *journal, const struct guid *group, uint64_t sequence)
{
    if (journal->log != NULL) {
        journal_log_note(journal->log, group, sequence);
    } else if (journal_notes_set(&journal->notes, group, sequence)) {
        journal->generation++;
        super_write(journal);
    }
}

uint64_t journal_found_note(const struct journal *journal, const struct guid *group)
{
    return journal_notes_find(&journal->found_notes, group);
}

uint32_t journal_frame_count(const struct journal *journal)
{
    return journal->frame_count;
}

enum cache_medium journal_medium(const struct journal *journal)
{
    if (journal->log != NULL) {
        return CACHE_MEDIUM_FILE_LOG;
    }
    return journal->memory->kind == MEMORY_KIND_PERSISTENT ? CACHE_MEDIUM_PERSISTENT_MEMORY
                                                           : CACHE_MEDIUM_SHARED_MEMORY;
}

bool journal_is_stable(const struct journal *journal)
{
    return !journal_is_lost(journal) &&
           (journal->log != NULL || journal->memory->kind == MEMORY_KIND_PERSISTENT);
}

/* Durability */

uint64_t journal_ticket(const struct journal *journal)
{
    return journal->log != NULL ? journal_log_ticket(journal->log) : 0;
}

bool journal_is_durable(const struct journal *journal, uint64_t ticket)
{
    return journal->log == NULL || journal_log_is_durable(journal->log, ticket);
}

bool journal_is_lost(const struct journal *journal)
{
    return journal->log != NULL ? journal_log_is_lost(journal->log) : journal->memory->lost;
}

bool journal_is_quiet(const struct journal *journal)
{
    return journal->log == NULL || journal_log_is_quiet(journal->log);
}

bool journal_is_at_rest(const struct journal *journal)
{
    return journal->log == NULL || journal_log_is_at_rest(journal->log);
}

bool journal_is_busy(const struct journal *journal, uint32_t frame)
{
    return journal->log != NULL && journal_log_is_busy(journal->log, frame);
}

uint32_t journal_room(const struct journal *journal)
{
    return journal->log != NULL ? journal_log_room(journal->log) : UINT32_MAX;
}

void journal_listen(struct journal *journal, struct journal_listener *listener)
{
    list_init(&listener->link);
    if (journal->log != NULL) {
        journal_log_listen(journal->log, listener);
    } else {
        list_push_tail(&journal->listeners, &listener->link);
    }
}

void journal_look_lost(struct journal *journal)
{
    if (journal->log != NULL || !journal->memory->lost || journal->lost_told) {
        return;
    }
    journal->lost_told = true;
    LIST_FOR_EACH_SAFE (node, following, &journal->listeners) {
        struct journal_listener *listener = list_entry(node, struct journal_listener, link);

        listener->heard(listener);
    }
}

const uint8_t *journal_frame(const struct journal *journal, uint32_t frame)
{
    return journal->memory->base + frame_offset(journal, frame);
}

void journal_look(const struct journal *journal, uint32_t frame, struct frame_entry *ret_entry)
{
    ASSERT(journal_is_published(journal, frame));
    descriptor_read(journal->memory->base + journal_descriptor_offset(frame), ret_entry);
}

bool journal_is_published(const struct journal *journal, uint32_t frame)
{
    ASSERT(frame < journal->frame_count);
    return get_le64(journal->memory->base + journal_descriptor_offset(frame)) != 0;
}

bool journal_is_sound(const struct journal *journal, uint32_t frame, uint64_t sequence)
{
    const uint8_t *bytes = journal->memory->base + journal_descriptor_offset(frame);

    if (journal->log != NULL || sequence == 0) {
        return true; /* memory of this process; nothing is known */
    }
    return get_le64(bytes + DESCRIPTOR_SEQUENCE) == sequence &&
           (descriptor_fits_content(bytes, journal_frame(journal, frame)) ||
            CACHE_BUG(DATA_CRC_IGNORED));
}

uint64_t journal_seal(struct journal *journal, uint32_t frame, uint8_t sectors)
{
    uint8_t bytes[DESCRIPTOR_BYTES] = {0};

    if (journal->log != NULL) {
        return 0;
    }
    put_le64(bytes + DESCRIPTOR_SEQUENCE, ++journal->sequence);
    put_le32(bytes + DESCRIPTOR_DATA_CRC,
             descriptor_content_crc(journal_frame(journal, frame), sectors));
    bytes[DESCRIPTOR_DIRTY] = sectors;
    /* The word stays zero: nothing of this counts after the end of this process. */
    memory_copy(journal->memory, journal_descriptor_offset(frame) + 8, bytes + 8,
                DESCRIPTOR_BYTES - 8);
    return journal->sequence;
}

/* Durable memory is within the reach of others: a word that is not as it was left is their doing.
 */
static bool is_left(const struct journal *journal, uint32_t frame, bool published)
{
    return journal->log == NULL || journal_is_published(journal, frame) == published;
}

void journal_fill(struct journal *journal, uint32_t frame, uint32_t offset_bytes, const void *bytes,
                  uint32_t length_bytes)
{
    ASSERT(offset_bytes <= CACHE_BLOCK_BYTES && length_bytes <= CACHE_BLOCK_BYTES - offset_bytes);
    /* A publication follows as a rule: its descriptor comes while the content is copied. */
    __builtin_prefetch(journal->memory->base + journal_descriptor_offset(frame), 1);
    memory_copy(journal->memory, frame_offset(journal, frame) + offset_bytes, bytes, length_bytes);
}

void journal_publish(struct journal *journal, uint32_t frame, struct frame_entry *entry)
{
    uint8_t bytes[DESCRIPTOR_BYTES] = {0};
    uint64_t at = journal_descriptor_offset(frame);
    const uint8_t *content = journal_frame(journal, frame);
    uint64_t word = 0;

    ASSERT(entry->type > JOURNAL_FREE && entry->type < JOURNAL_TYPE_MAX && entry->dirty != 0);
    ASSERT(is_left(journal, frame, false) || CACHE_BUG(OVERWRITE_IN_PLACE)); /* (1) */
    journal->changes++;
    entry->sequence = ++journal->sequence;
    put_le64(bytes + DESCRIPTOR_SEQUENCE, entry->sequence);
    put_le64(bytes + DESCRIPTOR_BLOCK, entry->block);
    memcpy(bytes + DESCRIPTOR_VD, &entry->vd, sizeof(entry->vd));
    put_le32(bytes + DESCRIPTOR_DATA_CRC, descriptor_content_crc(content, entry->dirty));
    bytes[DESCRIPTOR_DIRTY] = entry->dirty;
    put_le64(bytes + DESCRIPTOR_TAG, entry->tag);
    word = descriptor_word(bytes, entry->type);
    if (CACHE_BUG(PUBLISH_FIRST)) {
        memory_publish(journal->memory, at, word);
        memory_persist(journal->memory, at, DESCRIPTOR_BYTES);
    }
    /* (2): content, then descriptor, then word. A power loss before the last persist leaves the
     * word zero: the frame is free, and nobody was told that it is not. */
    if (!CACHE_BUG(NO_PERSIST_DATA)) {
        memory_persist(journal->memory, frame_offset(journal, frame), CACHE_BLOCK_BYTES);
    }
    memory_copy(journal->memory, at + 8, bytes + 8, DESCRIPTOR_BYTES - 8);
    memory_persist(journal->memory, at, DESCRIPTOR_BYTES);
    memory_publish(journal->memory, at, word);
    if (!CACHE_BUG(NO_PERSIST_WORD)) {
        memory_persist(journal->memory, at, 8);
    }
    if (journal->log != NULL) {
        journal_log_publish(journal->log, frame);
    }
}

void journal_release(struct journal *journal, uint32_t frame)
{
    uint64_t at = journal_descriptor_offset(frame);

    ASSERT(is_left(journal, frame, true));
    journal->changes++;
    memory_publish(journal->memory, at, 0);
    memory_persist(journal->memory, at, 8); /* before its content may change: (2) */
    if (journal->log != NULL) {
        journal_log_release(journal->log, frame);
    }
}
