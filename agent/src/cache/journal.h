/*
 * The cache journal: frames of 4 KiB in memory and one descriptor for each, which says what the
 * frame holds. What is published here is found again after the agent's death and, on a persistent
 * medium, after power loss.
 *
 * The memory is durable itself, shared or persistent; or it is ordinary memory, and a log on a
 * device or in a file makes durable what happens in it (journal_log.h). Then what has been
 * published is durable only later, and who has to know asks for a ticket and waits for that.
 *
 * Format of durable memory, little-endian (static asserts in journal.c):
 *   0      super-block A, 4096 bytes: magic, version, frames, own UUID, controller, generation
 *   4096   super-block B
 *   8192   descriptors of 64 bytes, rounded up to 4096
 *   ...    frames of 4096 bytes
 * The first 8 bytes of a descriptor are its word: state (8 bits), low part of the sequence (40),
 * checksum of the rest (16). A word of zero is a free frame.
 *
 * (1) A published frame's dirty sectors are never overwritten in place. New content of a block
 *     goes to another frame, with a higher sequence; then the old one is freed.
 * (2) Order of a publication: content, persist; descriptor, persist; word, persist; only then
 *     is the write acknowledged. Order of a reuse: word zero, persist; then the content. So any
 *     prefix of the stores is a valid state.
 * (3) A frame is freed when its content is on the drives and they have been flushed, when a
 *     newer frame of its block is published, or by an explicit discard.
 * (4) The published dirty sectors of a block are a superset of those of the frame it replaces.
 */
#ifndef ARRAYWRIGHT_CACHE_JOURNAL_H
#define ARRAYWRIGHT_CACHE_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "base/list.h"
#include "base/reason.h"
#include "port/clock_port.h"
#include "port/log_port.h"
#include "port/memory_port.h"

#define CACHE_BLOCK_BYTES 4096u
#define CACHE_SECTOR_BYTES 512u
#define CACHE_BLOCK_SECTORS 8u
#define JOURNAL_FRAMES_MIN 16u
#define JOURNAL_FRAMES_MAX (1u << 28) /* 1 TiB */
#define JOURNAL_NO_FRAME UINT32_MAX

enum journal_type {
    JOURNAL_FREE,
    JOURNAL_DATA,   /* a block of a virtual drive */
    JOURNAL_INTENT, /* a parity block of a stripe intent */
    JOURNAL_DISCARDED, /* instead of blocks of a virtual drive that was away: it has lost them */
    JOURNAL_TYPE_MAX
};

struct frame_entry {
    enum journal_type type;
    struct guid vd;
    uint64_t block;    /* DATA: of 4096 bytes of the virtual drive; INTENT: the owner's */
    uint64_t tag;      /* INTENT: the owner's; DATA: 0; DISCARDED: so many bytes */
    uint64_t sequence; /* set by the journal */
    uint8_t dirty;     /* sectors that are newer than those on the drives, bit 0 the first */
};

struct journal;

/* How large a medium for this many frames must be. */
uint64_t journal_size_bytes(uint32_t frame_count);

/*
 * Takes the medium. One that is all zeros in its super-blocks is formatted, with the UUID
 * `fresh`, and so is one of another controller that holds nothing. Nothing is changed on an error:
 * -EEXIST: another controller's, with something in it, -EBADMSG: damaged,
 * -EPROTONOSUPPORT: of a version we do not know, -ERANGE: its size is not what it was, -ENOSPC:
 * too small, -ENOMEM.
 */
MUST_CHECK int journal_open(struct memory_port *memory, const struct uuid *owner,
                            const struct uuid *fresh, struct journal **ret_journal);
/*
 * The same with a log. memory: zeros, ordinary memory of journal_log_memory_bytes() (0: the log is
 * too small). Reads what has to be read, blocking. Or an error of the port.
 */
uint64_t journal_log_memory_bytes(uint64_t log_bytes);
MUST_CHECK int journal_open_log(struct log_port *port, struct memory_port *memory,
                                struct clock_port *clock, const struct uuid *owner,
                                const struct uuid *fresh, struct journal **ret_journal);
/* Which journal the medium holds, and of which controller. */
struct journal_identity {
    struct uuid uuid, owner;
};
/* False: none, or it cannot be told. Changes nothing. */
bool journal_identify(const struct memory_port *memory, struct journal_identity *ret_identity);
bool journal_log_identify(struct log_port *port, struct journal_identity *ret_identity);
/* Forgets the object; the medium keeps its content. With a log: once journal_is_quiet(). */
struct journal *journal_close(struct journal *journal);

struct journal_visitor {
    void (*entry)(void *context, uint32_t frame, const struct frame_entry *entry);
    /* Was published and cannot be trusted any more. entry->type is JOURNAL_FREE if not even the
     * descriptor can: then everybody may have lost something. */
    void (*damaged)(void *context, uint32_t frame, const struct frame_entry *entry);
    /* This one comes soon: what will be looked up may be fetched. May be NULL. */
    void (*soon)(void *context, const struct frame_entry *entry);
    void *context;
};
/* Every published frame, of one block perhaps several: the highest sequence holds. Once, before
 * anything is published. The visitor may free any frame. */
void journal_replay(struct journal *journal, const struct journal_visitor *visitor);

const struct uuid *journal_uuid(const struct journal *journal);
/* Grows with each opening, and with each stamp that is new. */
uint64_t journal_generation(const struct journal *journal);
/*
 * Stamps tell an older copy of the medium, put in its place, from the medium itself. A stamp is
 * durable in the medium when it is given out; it is the same again if nothing has been published or
 * released since. Who keeps one elsewhere finds it above journal_found_stamp() only where what was
 * opened is older than that. Where it cannot be told what was newest, nothing is above it.
 */
uint64_t journal_stamp(struct journal *journal);
uint64_t journal_found_stamp(const struct journal *journal);
/* The other way round (journal_notes.h): the newest record of the group that is durable on its
 * drives; 0: the group is gone. And what was known of it when the medium was opened; 0: nothing. */
void journal_note(struct journal *journal, const struct guid *group, uint64_t sequence);
uint64_t journal_found_note(const struct journal *journal, const struct guid *group);
uint32_t journal_frame_count(const struct journal *journal);
/* Whether what is published, and durable, survives power loss. */
bool journal_is_stable(const struct journal *journal);
enum cache_medium journal_medium(const struct journal *journal);

/* Stands for everything published and released until now. */
uint64_t journal_ticket(const struct journal *journal);
bool journal_is_durable(const struct journal *journal, uint64_t ticket);
/* The log cannot be written any more, or durable memory has gone: nothing becomes durable from now
 * on. */
bool journal_is_lost(const struct journal *journal);
/* Nothing is on its way to the log. */
bool journal_is_quiet(const struct journal *journal);
/* Nor does the log make room: there will be no more of it before somebody releases something. */
bool journal_is_at_rest(const struct journal *journal);
/* How many frames may be published now. */
uint32_t journal_room(const struct journal *journal);

/* Durable memory tells nobody when it goes: asked now and then, from the loop. */
void journal_look_lost(struct journal *journal);

/* Hears, from the loop, that more has become durable, that there is room again, or that the log is
 * lost. Stays on the list as long as the journal lives, or until it is taken off it. */
struct journal_listener {
    void (*heard)(struct journal_listener *listener);
    void *owner;
    struct list link;
};
void journal_listen(struct journal *journal, struct journal_listener *listener);

/* For reading; 4096 bytes. */
const uint8_t *journal_frame(const struct journal *journal, uint32_t frame);
/* Bytes into a frame: one that is free, or sectors of a published one that are not dirty. */
void journal_fill(struct journal *journal, uint32_t frame, uint32_t offset_bytes, const void *bytes,
                  uint32_t length_bytes);
/* The frame, free until now, holds what the entry says. On return it is as durable as the medium
 * is, or on its way to a log; entry->sequence has been set. */
void journal_publish(struct journal *journal, uint32_t frame, struct frame_entry *entry);
void journal_release(struct journal *journal, uint32_t frame);
/* Of a frame just released: its content is still to go to the log, so it must stay. */
bool journal_is_busy(const struct journal *journal, uint32_t frame);
/* What a published frame's descriptor says. */
void journal_look(const struct journal *journal, uint32_t frame, struct frame_entry *ret_entry);
bool journal_is_published(const struct journal *journal, uint32_t frame);
/* Of durable memory alone, which others can write to: is what was published or sealed still the
 * same? sequence: of the entry, or of the seal; 0: neither. Also of a frame that has been released.
 */
bool journal_is_sound(const struct journal *journal, uint32_t frame, uint64_t sequence);
/* A checksum for sectors of a frame that is not published. Returns the sequence. */
uint64_t journal_seal(struct journal *journal, uint32_t frame, uint8_t sectors);

#endif
