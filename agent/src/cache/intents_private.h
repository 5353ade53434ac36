/*
 * Inside of the write intents in the cache's journal, shared by intents.c (the running log) and
 * intents_found.c (what the journal has kept of them).
 *
 * Head frame, little-endian:
 *   0  magic "AWIN"      4  parts          8  virtual drive 24   32  generation 8
 *  40  row 8            48  slice 4       52  lo 4               56  hi 4       60  content frames
 *  64  parts: places 4, parity 4          320  frame numbers of the content, part by part
 * Descriptors: vd = the group's GUID, block = ticket, tag = 0 for the head, else the number of the
 * content frame, from 1.
 */
#ifndef ARRAYWRIGHT_CACHE_INTENTS_PRIVATE_H
#define ARRAYWRIGHT_CACHE_INTENTS_PRIVATE_H

#include "base/bytes.h"
#include "cache/cache_private.h"
#include "cache/intents.h"
#include "raid/plan.h"

#define HEAD_MAGIC 0x4e495741u
#define PART_BLOCKS (SLICE_MAX_BYTES / CACHE_BLOCK_BYTES)
#define CONTENT_FRAMES_MAX (RAID_SPAN_MEMBERS_MAX * PART_BLOCKS)
#define HEAD_PARTS 64u
#define HEAD_FRAMES 320u
#define BUCKETS 1024u

STATIC_ASSERT(HEAD_PARTS + 8 * RAID_SPAN_MEMBERS_MAX == HEAD_FRAMES, "the parts fit");
STATIC_ASSERT(HEAD_FRAMES + 4 * CONTENT_FRAMES_MAX <= CACHE_BLOCK_BYTES, "the head fits");

struct intents {
    struct cache *cache;
    struct clock_port *clock;
    uint32_t limit;     /* frames */
    uint32_t used;
    uint64_t ticket;    /* the newest one given out */
    struct pool kept;
    struct list shares;
    struct journal_listener journal_listener;
    struct list buckets[BUCKETS]; /* kept.bucket_link */
};

/* An intent that is in the journal. */
struct kept {
    struct list link;        /* share->open, ->retired, ->found or ->leaving */
    struct list bucket_link;
    struct list frames;      /* cache_frame.link; the head first */
    struct share *share;
    uint64_t ticket;
    uint64_t epoch;          /* retired: what releases it; leaving: the journal's ticket */
    struct guid vd;
    uint64_t row;
    uint32_t slice;
};

enum turn { TURN_NONE, TURN_REPLAY, TURN_CLEAR };

/* A group's. */
struct share {
    struct intent_log log;
    struct list link;        /* intents->shares */
    struct intents *intents;
    struct guid group;
    struct list open, retired, found;
    struct list leaving;     /* released, but not yet in the journal's log */
    struct list waiting;     /* for room: intent.link */
    struct list committing; /* for the journal's log: intent.link, their tickets in private_[0] */
    struct list settling;   /* likewise: intent_settle.link, their tickets in until */
    bool offline; /* what is open stays until the next start */
    int waiting_error; /* what waits is answered with: -ECANCELED, -EAGAIN, or 0: nothing */
    struct clock_timer timer;
    enum turn turn;
    struct intent_replay *replay;
    struct list *replay_at; /* in found: handed out next */
    bool replay_inside, replay_again;
    struct intent_clear *clear;
    uint8_t *replay_bytes;
};

static inline struct share *share_of(struct intent_log *log)
{
    return container_of(log, struct share, log);
}

/* intents.c */
void share_turn_soon(struct share *share);
/* Room is everybody's: all who wait for it look again. */
void waiting_look(struct intents *intents);
struct kept *kept_make(struct share *share, const struct guid *vd, uint64_t row, uint32_t slice);
/* Head first: then it is no intent any more, whatever is left of it. Where that has to reach a log,
 * the slice counts as open until it has. */
void kept_release(struct kept *kept);

/* intents_found.c */
/* The intent as it was appended; its parts are in share->replay_bytes. */
void intent_read(struct share *share, const struct kept *kept, struct intent *ret_intent);
/* Fills share->found with what is whole; the rest is released. */
void found_collect(struct share *share);
/* Frames of the group that no kept intent has. */
void leftovers_free(struct intents *intents, const struct guid *group);

/* Of the seam, and their turns. */
void share_replay(struct intent_log *log, struct intent_replay *replay);
void share_replay_next(struct intent_log *log, struct intent_replay *replay);
void share_replay_go(struct share *share);
void share_clear(struct intent_log *log, struct intent_clear *clear);
void share_clear_go(struct share *share);

#endif
