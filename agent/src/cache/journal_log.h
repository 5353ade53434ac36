/*
 * The journal's log: what makes its frames durable when they live in ordinary memory (medium M3,
 * engine.md 6.4). The frames and descriptors are those of journal.h, in memory; every publication
 * and release of one is an operation that goes to the log in this order, many to a record, a
 * record to a write. The log played back gives the memory as it was after one of the records.
 *
 *   publish, release -> queue -> record on its way -> durable -> tail passes it -> its blocks free
 *
 * (1) One write at a time. What comes meanwhile goes out together in the next one; the first after
 *     a pause waits for the end of the loop's turn.
 * (2) Operations become durable in the order of the queue. A ticket is a place in it.
 * (3) The content of a frame is taken when its publication is put into a record; until then the
 *     frame keeps it, even if it has been released meanwhile (journal_log_is_busy()). A publication
 * whose release comes into the same record is left out with it. (4) A record counts as long as a
 * frame is what it says, and until the release of the last such frame is durable. Its blocks are
 * written again only after a super-block that does not begin with it is durable. (5) When the ring
 * runs full, the frames of the oldest records that still count are copied to the newest one. Frames
 * are so few that this always makes room; it needs nothing from the drives. (6) A write that fails
 * ends the log: nothing becomes durable any more.
 */
#ifndef ARRAYWRIGHT_CACHE_JOURNAL_LOG_H
#define ARRAYWRIGHT_CACHE_JOURNAL_LOG_H

#include "base/attrs.h"
#include "cache/journal.h"
#include "port/clock_port.h"
#include "port/log_port.h"

struct journal_log;
struct journal_notes;

/* Plays the log back into the memory, which is all zeros and has the size of that many frames.
 * Errors as journal_open(), or of the port: then nothing has been written. */
MUST_CHECK int journal_log_open(struct log_port *port, struct memory_port *memory,
                                struct clock_port *clock, const struct uuid *owner,
                                const struct uuid *fresh, struct journal_log **ret_log);
/* Nothing is on its way (journal_log_is_quiet()). */
struct journal_log *journal_log_close(struct journal_log *log);

const struct uuid *journal_log_uuid(const struct journal_log *log);
uint64_t journal_log_generation(const struct journal_log *log);
/* journal_stamp(): which opening, and the newest record, as far as they are durable. */
uint64_t journal_log_stamp(const struct journal_log *log);
uint64_t journal_log_found_stamp(const struct journal_log *log);
/* Durable with the next super-block, which is written for it. */
void journal_log_note(struct journal_log *log, const struct guid *group, uint64_t sequence);
const struct journal_notes *journal_log_notes(const struct journal_log *log);
uint32_t journal_log_frame_count(const struct journal_log *log);

/* The descriptor in memory says it already, or does so no more. */
void journal_log_publish(struct journal_log *log, uint32_t frame);
void journal_log_release(struct journal_log *log, uint32_t frame);

bool journal_log_is_busy(const struct journal_log *log, uint32_t frame);

uint64_t journal_log_ticket(const struct journal_log *log);
bool journal_log_is_durable(const struct journal_log *log, uint64_t ticket);
bool journal_log_is_lost(const struct journal_log *log);
bool journal_log_is_quiet(const struct journal_log *log);
bool journal_log_is_at_rest(const struct journal_log *log);
uint32_t journal_log_room(const struct journal_log *log);
void journal_log_listen(struct journal_log *log, struct journal_listener *listener);

#endif
