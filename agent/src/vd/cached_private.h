/*
 * Inside of virtual drives behind the cache, shared by these files only.
 *
 *   cached.c        life, the mark, policies, answers
 *   cached_write.c  writes back and through, flushes, drains
 *   cached_read.c   reads, fills
 *   cached_ahead.c  streams of reads, read-ahead
 *   mover.c         batches and flushes of the drives
 */
#ifndef ARRAYWRIGHT_VD_CACHED_PRIVATE_H
#define ARRAYWRIGHT_VD_CACHED_PRIVATE_H

#include "cache/sim_bug.h"
#include "vd/cached.h"
#include "vd/group_private.h"

/* Buffers of reading ahead: for all virtual drives together an eighth of the cache, within these
 * bounds. */
#define AHEAD_BUFFERS_MIN 8u
#define AHEAD_BUFFERS_MAX 256u
#define AHEAD_BUFFER_BYTES (256u * 1024u)

/* A read of blocks that are not here, a write through or a flush on its way to the drives. */
struct cache_transfer {
    struct list link;          /* cached->reading, ->passing or ->flushing, or another's joined */
    struct list joined;        /* read-ahead: reads that wait for what it brings */
    struct vd_request request;
    struct vd_cached *cached;
    struct vd_request *parent; /* NULL: read-ahead */
    uint8_t *ahead;            /* read-ahead: its buffer */
    uint64_t begin, end;       /* blocks, rounded outwards */
    bool keep;                 /* read: fill the blocks in */
};

struct mover_batch {
    struct cache_batch batch;
    struct vd_request request;
    struct vd_cached *cached;
    struct cache_mover *mover;
    uint64_t cursor; /* bytes */
    bool open;
};

struct cache_mover {
    struct cache *cache;
    struct clock_port *clock;
    struct cache_mover_options options;
    struct pool places;            /* struct vd_cached */
    struct pool transfers;
    struct mover_batch *batches;
    uint32_t batches_open;
    struct list vds;
    struct list answers;           /* vd_request.vd_link */
    struct journal_listener journal_listener;
    struct clock_timer turn_timer; /* delivers answers, moves on */
    struct clock_timer due_timer;  /* for what becomes old */
    uint32_t depth;
    bool freed;                    /* something that others may wait for */
    uint8_t *ahead_memory;
    uint8_t *ahead_free[AHEAD_BUFFERS_MAX];
    uint32_t ahead_count;          /* how many are free */
    uint32_t ahead_total;
};

enum mark_state { MARK_NONE, MARK_SAVING, MARK_DURABLE };

/* Has the mark gone from the members because the journal is lost? */
enum void_state { VOID_NO, VOID_SAVING, VOID_DURABLE };

struct vd_cached {
    struct vd_target target;
    struct list link;              /* mover->vds */
    struct cache_mover *mover;
    struct vd *vd;
    struct cache_vd *blocks;       /* NULL: stale; everything passes the cache by */
    enum write_policy effective;
    bool kept_stable;              /* by a battery, whatever the medium is */
    bool stale;                    /* the journal has blocks of an earlier life of it */
    enum mark_state mark;
    struct save_waiter mark_waiter;
    enum void_state voided;
    struct save_waiter void_waiter;
    uint32_t damage_known;         /* what of cache_vd_spoiled() has been noted */
    uint64_t last_back_us;         /* the newest write back */
    struct list held;              /* writes that wait, in order of admission */
    struct list committing;        /* what waits for the journal's log, in order of tickets */
    struct list drain_wait;        /* flushes that wait for the next drain */
    struct list drain_now;         /* and those for the running one */
    struct list flush_ready;       /* flushes that only the drives keep waiting */
    bool drain_wanted;             /* a held write has something dirty in its range */
    uint32_t untold;               /* requests answered, which their owners do not know yet */
    struct list readers;           /* reads that wait for a transfer */
    struct list reading, passing, flushing;
    bool draining;
    bool unflushed;                /* writes through that no flush has covered */
    bool beside;                   /* what was sent past it before it opened may be under way */
    struct vd_request drive_flush;
    bool drive_flush_open;
    uint64_t retry_us;             /* pinned until then; 0: not pinned */
    bool closing;
    void (*close_done)(void *context);
    void *close_context;
    struct read_stream streams[READ_STREAMS];
    uint64_t stream_clock;
};

/* What a request behind the cache keeps in vd_request.vd_private while it is not passed on. */
enum cached_phase {
    CACHED_NEW,
    CACHED_HELD,    /* waits: for its turn, for frames, for a drain, for a transfer */
    CACHED_RUNNING, /* all of it is on its way */
    CACHED_ANSWERED
};

struct cached_state {
    struct vd_cached *cached;
    uint64_t cursor;     /* bytes done: read, or written back */
    uint64_t ticket;     /* of the journal: what it waits for. 0: nothing yet */
    uint32_t open;       /* transfers */
    uint8_t status;      /* enum vd_status */
    uint8_t phase;
};
STATIC_ASSERT(sizeof(struct cached_state) <= sizeof(((struct vd_request *)0)->vd_private),
              "the private part of a request is too small");

static inline struct cached_state *cached_state(struct vd_request *request)
{
    return (struct cached_state *)(void *)request->vd_private;
}

static inline uint64_t block_begin(const struct vd_request *request)
{
    return request->offset_bytes / CACHE_BLOCK_BYTES;
}

static inline uint64_t block_end(const struct vd_request *request)
{
    return div_ceil_u64(request->offset_bytes + request->length_bytes, CACHE_BLOCK_BYTES);
}

/* cached.c */
void mover_enter(struct cache_mover *mover);
void mover_leave(struct cache_mover *mover);
void cached_answer(struct vd_request *request, enum vd_status status);
bool cached_is_stable(const struct vd_cached *cached);
/* True if the mark is durable; else it is under way, or failed. */
bool cached_mark(struct vd_cached *cached);
/* The journal is lost. True: no member names it any more, what it has counts for nothing. */
bool cached_void(struct vd_cached *cached);
void cached_idle(struct vd_cached *cached);
uint64_t cached_idle_us(const struct vd_cached *cached);
void cached_fail(struct vd_cached *cached);
void cached_close_check(struct vd_cached *cached);
struct cache_transfer *transfer_take(struct vd_cached *cached, struct vd_request *parent);
void transfer_give(struct cache_transfer *transfer);

/* cached_write.c */
void cached_write_submit(struct vd_cached *cached, struct vd_request *request);
void cached_writes_pump(struct vd_cached *cached);
/* True: the read is answered later, when the writes back that it has met are durable. */
bool cached_commit(struct vd_cached *cached, struct vd_request *read);
/* The journal's log has gone on, or is lost. */
void cached_commits_check(struct vd_cached *cached);
void cached_drain_check(struct vd_cached *cached);
void cached_drain_fail(struct vd_cached *cached);

/* cached_read.c */
void cached_read_submit(struct vd_cached *cached, struct vd_request *request);
void cached_readers_pump(struct vd_cached *cached);
/* Somebody writes these blocks: what is being read of them is not to be kept. */
void cached_reads_spoil(struct vd_cached *cached, uint64_t begin, uint64_t end);
/* Bytes as they are on the drives. */
void cached_fill(struct vd_cached *cached, uint64_t offset_bytes, uint32_t length_bytes,
                 const uint8_t *bytes);
/* How far what is missing at this byte goes on. */
uint64_t cached_missing_end(const struct vd_cached *cached, uint64_t at, uint64_t limit);
/* transfer->ahead is its buffer. */
void transfer_read_ahead(struct cache_transfer *transfer, uint64_t offset_bytes,
                         uint32_t length_bytes);

/* cached_ahead.c */
/* The request has just been begun. */
void cached_ahead_note(struct vd_cached *cached, const struct vd_request *request);

/* mover.c */
void mover_pump(struct cache_mover *mover);

#endif
