/*
 * Inside of the cache, shared by the files of this folder only.
 *
 *   journal.c    what is durable, and its format; its descriptors: journal_descriptor.c
 *   cache.c      life, virtual drives, replay, facts
 *   frames.c     frames and their states, lines (where a block is), eviction
 *   blocks.c     reading, writing, filling, dropping blocks
 *   destage.c    rows, batches, flushes
 *   drain.c      drains
 *   intents.c    write intents, in frames of the same journal; intents_found.c those kept
 */
#ifndef ARRAYWRIGHT_CACHE_CACHE_PRIVATE_H
#define ARRAYWRIGHT_CACHE_CACHE_PRIVATE_H

#include "base/assert.h"
#include "base/checked.h"
#include "base/list.h"
#include "base/pool.h"
#include "cache/cache.h"
#include "cache/sim_bug.h"

#define LINE_BLOCKS 16u /* a line is 64 KiB of a virtual drive */
#define ALL_SECTORS 0xffu

enum frame_state {
    FRAME_FREE,
    FRAME_CLEAN,
    FRAME_DIRTY,
    FRAME_BUSY,    /* being written to the drives */
    FRAME_WRITTEN, /* written, not flushed */
    FRAME_INTENT,  /* a write intent's (intents.h) */
    FRAME_DAMAGED, /* found so; kept out of use until that is known and ended by command */
    FRAME_STATE_MAX
};

struct cache_line;

struct cache_frame {
    /* free, leaving, clean_new, clean_hot, vd->written, vd->flushing, kept->frames */
    struct list link;
    struct cache_line *line; /* NULL: nobody finds it: free or a ghost */
    struct cache_vd *vd;
    uint64_t block;
    uint64_t epoch; /* published: the drain that covers it is this or a later one */
    uint64_t sequence; /* the journal's, of its publication or seal; 0: none */
    uint64_t ticket; /* published: the journal's, when it became so */
    enum frame_state state;
    uint8_t valid; /* sectors that hold what the virtual drive does */
    uint8_t dirty; /* of them, newer than on the drives */
    bool hot; /* on clean_hot: has been asked for again */
};

/* 16 neighboring blocks of a virtual drive, at least one of them here. */
struct cache_line {
    struct list link; /* of its bucket */
    struct cache_vd *vd;
    uint64_t number;
    uint32_t used;
    uint32_t frames[LINE_BLOCKS]; /* JOURNAL_NO_FRAME: not here */
};

/* A row with at least one DIRTY block. */
struct cache_row {
    struct list link; /* of its bucket */
    struct list age_link; /* vd->rows_by_age or ->rows_swept */
    struct list full_link; /* vd->rows_full; else in no list */
    struct cache_vd *vd;
    uint64_t number;
    uint32_t dirty_blocks;
    uint32_t filled;     /* blocks written from its first one on, in order; 0: not so */
    uint64_t since_us;   /* when it became dirty */
    uint64_t filling_us; /* when the newest of `filled` came */
};

struct cache_vd {
    struct list link; /* cache->vds */
    struct cache *cache;
    struct guid guid;
    uint32_t row_blocks; /* 0: closed */
    uint32_t patience; /* in idle_flush_ms */
    bool pinned;
    bool hurry;
    uint32_t used; /* frames with a line */
    uint32_t dirty; /* DIRTY, BUSY and WRITTEN, ghosts included */
    uint32_t busy;
    uint32_t written;
    uint32_t damaged; /* frames, and notes of what was discarded */
    uint64_t discarded_bytes; /* by these notes */
    uint32_t spoiled; /* of the damaged ones: while in use. Never less again. */
    uint64_t read_hits, read_misses; /* blocks */
    struct list rows_by_age;
    uint32_t sweep_rows; /* of a sweep, at most */
    struct list rows_swept; /* the oldest, taken out of those, by number */
    struct list rows_full;
    struct list frames_written;
    struct list frames_flushing;
    bool flushing;
    uint64_t row_next; /* elevator: goes on here if that row is dirty */
    uint32_t row_streak;
    uint64_t epoch; /* of what is published now */
    uint64_t ended; /* the journal's ticket of the last frame released, or of its making */
    uint64_t drain_epoch; /* the running drain covers up to this */
    uint32_t drain_left; /* frames it still waits for */
    uint64_t left_until_us; /* a row that is being filled is left alone until then; or UINT64_MAX */
};

struct cache {
    struct journal *journal;
    struct cache_options options;
    uint32_t frame_count;
    struct cache_frame *frames;
    struct pool vd_places, lines, rows;
    struct list *line_buckets, *row_buckets;
    uint32_t line_bucket_mask, row_bucket_mask;
    struct list vds;
    struct list frames_free;
    struct list frames_leaving; /* FREE, but the journal's log still needs their content */
    struct journal_listener journal_listener;
    struct list clean_new, clean_hot; /* 2Q: seen once, seen again; head: next to go */
    uint32_t free_count, leaving_count, clean_new_count, clean_hot_count, damaged_count;
    uint32_t damaged_unknown;
    uint32_t dirty; /* of all virtual drives */
    uint32_t pinned; /* of them */
    uint32_t dirty_limit; /* frames */
    uint64_t read_hits, read_misses, written_blocks, destaged_blocks;
    uint64_t destage_bytes_per_s;
    /* The running measurement of the rate. */
    uint64_t rate_since_us, rate_bytes;
    struct list batches; /* open ones */
};

/* frames.c */
static inline uint32_t frame_index(const struct cache *cache, const struct cache_frame *frame)
{
    return (uint32_t)(frame - cache->frames);
}
static inline bool frame_is_published(const struct cache_frame *frame)
{
    return frame->state == FRAME_DIRTY || frame->state == FRAME_BUSY ||
           frame->state == FRAME_WRITTEN;
}
/* It will be looked for soon. */
void line_prefetch(const struct cache_vd *vd, uint64_t number);
struct cache_line *line_find(const struct cache_vd *vd, uint64_t number);
struct cache_frame *block_find(const struct cache_vd *vd, uint64_t block);
/* A frame in no list and no state yet, or NULL; may evict a clean one. */
struct cache_frame *frame_take(struct cache *cache);
/* Makes the frame the one of its block; there is none. */
void frame_place(struct cache_frame *frame, struct cache_vd *vd, uint64_t block);
/* Puts frame where old was; nobody finds old any more. */
void frame_replace(struct cache_frame *frame, struct cache_frame *old);
void frame_unplace(struct cache_frame *frame);
/* Of a frame in no list. */
void frame_to_free(struct cache *cache, struct cache_frame *frame);
/* Those that the journal's log does not need any more. */
void frames_leave(struct cache *cache);
void frame_to_clean(struct cache_frame *frame);
/* Out of the clean lists. */
void frame_from_clean(struct cache_frame *frame);
void frame_touch(struct cache_frame *frame);

/* destage.c */
void row_dirty_add(struct cache_vd *vd, uint64_t block, uint64_t now_us);
void row_dirty_remove(struct cache_vd *vd, uint64_t block);
/* The counts of dirty frames; every change of them goes through these two. */
void dirty_add(struct cache_frame *frame);
void dirty_remove(struct cache_frame *frame);

/* A published frame's, whose content is on the drives or is not wanted any more. */
void frame_release(struct cache_frame *frame);

/* blocks.c */
/* Is its content what was put there? */
bool frame_is_sound(const struct cache_frame *frame);
/* A DIRTY one that is not: nobody finds it any more, and the virtual drive is damaged. */
void frame_damage(struct cache_frame *frame);
void block_publish(struct cache_frame *frame);

#endif
