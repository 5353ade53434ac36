/*
 * The seam between the stripe machine and whatever keeps its write intents: the cache's journal
 * (shared memory, persistent memory, a log file) or the stripe log on the members themselves.
 *
 * An intent is what a stripe operation is about to write to one slice of one row: the new
 * content of every place. While it is kept, the writes can be done again after a crash, whatever
 * part of them had reached the drives; that closes the write hole (engine.md 6.2, 6.4), with
 * members missing too, as long as they are the same.
 *
 *   append -> (durable) -> the row is written -> retire(epoch) -> flushed(epoch) -> released
 *                                    \- a crash: replay, flush, clear
 *
 * (1) append() answers 0: durable already; -EINPROGRESS: durable() follows, exactly once, from
 *     the loop and never from inside the call; any other negative errno: the medium has gone.
 *     It waits while the log is full and never fails for want of room. When the medium has gone,
 *     the log answers all that wait with -EIO, unasked: the group calls it no more once it knows.
 * (2) What the parts point at stays as it is until durable() or an answer other than
 *     -EINPROGRESS. The log copies what it needs, or refers to cache frames it knows to hold the
 *     same bytes (origin).
 * (3) retire() says that the writes have completed; they may sit in volatile drive caches. The
 *     log keeps the intent until flushed() with the same epoch or a later one: the flush of
 *     all members that began after retire() has succeeded. An intent that is never retired stays.
 * (4) is_open() is true from append() until the release is *durable in the log*: a later write
 *     to such a slice is logged too, whatever it covers, or replay would put the older content
 *     over it. It asks for the slice, not for the bytes in it.
 * (5) Replay hands out the open intents in the order of append(), of one group; those of one
 *     slice must keep it. An intent whose bytes are torn was never durable: it ends the log there
 *     or is left out, and is no error. -EIO: the medium has gone or cannot be read, so nothing
 *     is known; -ENOENT: there is no log, an empty one.
 * (6) Intents carry the generation that they were appended with. Whenever writes may have gone
 *     past the log (it was switched off, or had gone), the group counts the generation up before,
 *     durably; replay hands out older ones too, and it is the group that leaves them out.
 * (7) The log never calls the group from inside one of these calls, except wants_flush().
 * (8) What flushed() has released may still be replayed, in order and to no effect, as long as the
 *     release is not durable: on the members that were there. One that a drive was rebuilt on since
 *     has no part in what was written without it, so an older intent would come back on it. Before
 *     such a member is trusted, by a record or in part by its cursor, settle() has to be done.
 */
#ifndef ARRAYWRIGHT_RAID_INTENT_LOG_H
#define ARRAYWRIGHT_RAID_INTENT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "base/list.h"
#include "raid/geometry.h"

/* What the log survives; decides what the virtual drive promises in words. */
enum intent_medium {
    INTENT_MEDIUM_NONE,
    INTENT_MEDIUM_MEMORY, /* the end of the agent, but no reset and no power cut */
    INTENT_MEDIUM_STABLE, /* power cuts too: persistent memory, a log file, protected memory */
    INTENT_MEDIUM_DRIVES, /* power cuts too: the members' own stripe log */
    INTENT_MEDIUM_MAX
};

/* The new bytes of [lo, hi) of every place in the mask: one place, or all copies of a mirror. */
struct intent_part {
    uint32_t places;
    bool parity;
    const uint8_t *bytes; /* hi - lo of them, aligned to 4096 */
};

struct intent {
    struct guid vd;
    uint64_t generation;
    uint64_t row;        /* of the virtual drive */
    uint32_t slice;      /* SLICE_MAX_BYTES of the strip; with vd and row the slice's name */
    uint32_t lo;         /* byte range within the strip, multiples of 4096, */
    uint32_t hi;         /* at most SLICE_MAX_BYTES (raid/plan.h) */
    uint32_t part_count;
    struct intent_part parts[RAID_SPAN_MEMBERS_MAX];
    /* The vd_request whose data these are, NULL in replay. A cache that submitted it knows which
     * of its frames hold the data parts. */
    const void *origin;

    /* append(): the owner's. error is 0, -EIO: the medium has gone, -ECANCELED: offline(),
     * or -EAGAIN: refuse(), or the medium itself refuses to be written for a while. */
    void (*durable)(struct intent *intent, int error);
    void *owner;

    /* The log's. `ticket` names the intent in retire(), when this structure is no more. */
    uint64_t ticket;
    struct list link;
    uint64_t private_[6];
};

/* A replay under way. The parts of an intent are the log's and valid until the next call. */
struct intent_replay {
    /* One open intent. The log waits for replay_next(); if that comes from inside, the log goes
     * on when this returns. */
    void (*intent)(struct intent_replay *replay, const struct intent *intent);
    /* All have been handed out (0, or -ENOENT: none), or -EIO; from the loop. */
    void (*done)(struct intent_replay *replay, int error);
    void *owner;

    uint64_t private_[8]; /* the log's */
};

struct intent_clear {
    void (*done)(struct intent_clear *clear, int error); /* from the loop */
    void *owner;

    uint64_t private_[4]; /* the log's */
};

struct intent_settle {
    struct list link; /* the log's */
    uint64_t until; /* the log's */
    void (*done)(struct intent_settle *settle, int error);
};

struct intent_log;

/* One log, or one share of a log, per drive group. */
struct intent_log_ops {
    MUST_CHECK int (*append)(struct intent_log *log, struct intent *intent);
    void (*retire)(struct intent_log *log, uint64_t ticket, uint64_t epoch);
    void (*flushed)(struct intent_log *log, uint64_t epoch);
    /* What has been released until now is durably so: 0; -EINPROGRESS: done() follows, from the
     * loop, with 0, or -EIO: the medium has gone, or the group is offline. (8) */
    MUST_CHECK int (*settle)(struct intent_log *log, struct intent_settle *settle);
    /* The group is offline: no flush will come. What waits for room is answered with -ECANCELED,
     * from the loop, and not kept; what is open stays, for the next start. */
    void (*offline)(struct intent_log *log);
    /* The members refuse to be flushed, so there will be no room for a while. Whoever waits for it,
     * or for settle(), is answered with -EAGAIN, from the loop, and not kept. */
    void (*refuse)(struct intent_log *log);
    bool (*is_open)(const struct intent_log *log, const struct guid *vd, uint64_t row,
                    uint32_t slice);
    /* Before the first append(). */
    void (*replay)(struct intent_log *log, struct intent_replay *replay);
    void (*replay_next)(struct intent_log *log, struct intent_replay *replay);
    /* Everything replayed is on the members and flushed: all of it is durably released. After
     * an error nothing may be appended. */
    void (*clear)(struct intent_log *log, struct intent_clear *clear);
};

struct intent_log {
    const struct intent_log_ops *ops;
    enum intent_medium medium;
    /* Which log this is. One that was made anew, after its medium had been lost, has another one:
     * of what was written with the one before, it knows nothing. */
    uint32_t identity;

    /* Set by the group before the first append(): the log is short of room, and a flush would
     * release something retired. May be called from inside append(), retire() and flushed(); the
     * group flushes later. */
    void (*wants_flush)(struct intent_log *log);
    void *owner;
};

#endif
