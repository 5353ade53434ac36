/*
 * Inside of the stripe log: stripe_log.c (appending and releasing), stripe_log_io.c (a batch to
 * its members), stripe_log_read.c (finding and reading batches at the start), stripe_log_join.c (a
 * rebuilt member).
 */
#ifndef ARRAYWRIGHT_VD_STRIPE_LOG_PRIVATE_H
#define ARRAYWRIGHT_VD_STRIPE_LOG_PRIVATE_H

#include "drive/drive_layout.h"
#include "meta/stripe_batch.h"
#include "vd/group_private.h"
#include "vd/stripe_log.h"

#define LOG_ENTRIES_MAX 512u
#define LOG_BATCHES_MAX 512u
#define LOG_BUCKETS 256u
#define LOG_BUFFER_BYTES STRIPE_BATCH_MAX_BYTES
STATIC_ASSERT(LOG_BUFFER_BYTES % IO_ALIGN_BYTES == 0, "as aligned_alloc() wants it");

/* An intent that is kept. */
struct log_entry {
    struct list bucket_link;     /* or in the free list */
    struct guid vd;
    uint64_t row;
    uint32_t slice;
    uint64_t batch;              /* its sequence; 0: not in one yet */
    uint64_t epoch;              /* 0: not retired */
    bool released;               /* retired and flushed */
};

/* A batch in the ring, oldest first. */
struct log_batch {
    uint64_t sequence;
    uint32_t position;
    uint32_t bytes;
    uint32_t open;               /* entries not released */
};

struct log_io {
    struct drive_io io;
    struct stripe_log *log;
    uint32_t member;
    uint32_t done_bytes;         /* of the batch */
    uint32_t joins;              /* > 0: it gets batches, though in state rebuild */
    bool flushing;
    bool busy;
    bool late;
    enum io_status status;
    enum io_status refusal; /* of its part of the batch, not judged yet; IO_STATUS_OK: none */
    uint8_t *kept;               /* of a late read: memory the device may still write to */
};

/* One found by the scan. */
struct log_found {
    uint64_t incarnation;
    uint64_t sequence;
    uint64_t tail;
    uint32_t member;
    uint32_t position;
    uint32_t bytes;
};

struct stripe_log {
    struct intent_log log;
    struct group *group;         /* NULL: freed, waits for late transfers */
    uint64_t incarnation;
    uint64_t sequence;           /* of the newest batch */
    uint32_t head;               /* where the next one goes */
    uint64_t tail;               /* everything before is released */
    uint64_t tail_durable;       /* what the newest batch on the members says */
    struct list waiting;         /* intent.link */
    struct list settling; /* intent_settle.link; until: a batch with a newer tail is durable */
    struct clock_timer timer; /* answers what cannot be answered from inside a call */
    bool abandoned; /* offline() */
    bool unflushed; /* refuse() */

    /* The batch under way. */
    bool running;
    struct stripe_batch batch;
    struct intent *intents[STRIPE_BATCH_INTENTS_MAX];
    uint32_t pending;
    uint32_t copies; /* members that have it, flushed */
    uint32_t span; /* where the last one went */
    uint32_t spans_left; /* that may be tried besides */
    uint32_t tried; /* places of that span */
    bool refused; /* some member has refused its part */
    bool stuck; /* too many have: the same batch is written again in a while */
    bool given_up; /* its intents have been told so */
    struct intent_clear *clearing;
    uint8_t *buffer;

    /* The ring. */
    struct log_batch batches[LOG_BATCHES_MAX];
    uint32_t first_batch;
    uint32_t batch_count;
    struct log_entry entries[LOG_ENTRIES_MAX];
    struct list free_entries;
    uint32_t free_count; /* of them */
    struct list buckets[LOG_BUCKETS];

    /* Reading. */
    struct intent_replay *replay;
    uint8_t *ring; /* a member's, while it is scanned */
    uint32_t read_member;
    uint32_t read_bytes;
    uint32_t fine_end; /* up to there by the block: something cannot be read */
    struct log_found *found;
    uint32_t found_count;
    uint32_t found_max;
    uint32_t next_found; /* replay: batch */
    uint32_t next_intent; /* and intent in it */
    struct stripe_batch reading;
    struct intent handed;
    bool inside;
    bool again;

    uint32_t late;
    struct log_io ios[]; /* by member */
};

/* stripe_log.c */
void log_batch_written(struct stripe_log *log);
/* Goes on at the end of the turn, outside of any call. */
void log_wake(struct stripe_log *log);

/* stripe_log_join.c */
MUST_CHECK int log_settle(struct intent_log *base, struct intent_settle *settle);
/* Somebody waits for a batch that calls everything up to this released. */
uint64_t log_settling(const struct stripe_log *log);
/* Does the next batch go to it besides? */
bool log_member_joins(const struct stripe_log *log, uint32_t member);
/* A batch is durable, or the group is offline. */
void log_settled_answer(struct stripe_log *log, int error);

/* stripe_log_io.c */
/* The encoded batch goes to enough members; log_batch_written() follows. */
void log_batch_write(struct stripe_log *log);
/* It has fewer copies than it needs, because members that stay have refused it. */
bool log_batch_is_short(const struct stripe_log *log);
void log_read_submit(struct log_io *io, uint32_t position, uint32_t bytes, uint8_t *buffer);

/* stripe_log_read.c */
void log_replay(struct intent_log *base, struct intent_replay *replay);
void log_replay_next(struct intent_log *base, struct intent_replay *replay);
void log_read_answered(struct log_io *io);

#endif
