/*
 * The controller's cache: which blocks of which virtual drives are in the journal's frames, how
 * new they are, and what is to be written to the drives next. It does no I/O and knows no drive;
 * vd/cached.h moves the bytes.
 *
 * A frame:
 *
 *   FREE -fill-> CLEAN -write-> DIRTY -batch-> BUSY -written-> WRITTEN -flushed-> CLEAN
 *                  |              ^              |                |
 *               evicted           \---failed-----/------failed----/
 *
 * (1) DIRTY, BUSY and WRITTEN frames are published in the journal; they stay so until the drives
 *     have been flushed after the write. FREE and CLEAN ones are not.
 * (2) A published frame is not overwritten: the block gets another one. A BUSY or WRITTEN frame
 *     that has been replaced so is a ghost: nobody finds it, and it ends when its flush does.
 * (3) A drain that began covers what was published then: it ends when all of it is flushed. A
 *     frame that replaces a DIRTY one takes over its place in the drain.
 * (4) Nothing here allocates but cache_create(): who has blocks here can always be opened.
 */
#ifndef ARRAYWRIGHT_CACHE_CACHE_H
#define ARRAYWRIGHT_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "base/list.h"
#include "cache/cache_facts.h"
#include "cache/journal.h"

#define CACHE_VDS_MAX 256u
#define CACHE_BATCH_MAX 2048u
#define CACHE_SWEEP_MAX 512u
#define CACHE_DIRTY_LIMIT_PERCENT 80u
#define CACHE_IDLE_FLUSH_MS 4000u
/* Before flash so many times as long: what is written over meanwhile wears it less. */
#define CACHE_FLASH_PATIENCE 4u

struct cache;
struct cache_vd;

struct cache_options {
    uint32_t dirty_limit_percent; /* of all frames; 0: default */
    uint32_t idle_flush_ms;       /* 0: default */
};

/* Takes over what the journal has kept; it belongs to the cache from then on, and is closed by
 * cache_free(). -ENOMEM. */
MUST_CHECK int cache_create(struct journal *journal, const struct cache_options *options,
                            struct cache **ret_cache);
/* What is dirty stays in the journal. */
struct cache *cache_free(struct cache *cache);

struct journal *cache_journal(const struct cache *cache);
void cache_facts(const struct cache *cache, struct cache_facts *ret_facts);
/* How much may be dirty: from the battery's rules. 0: nothing new. */
void cache_dirty_limit_set(struct cache *cache, uint64_t bytes);

/* Virtual drives, by GUID: those with blocks in the journal are there from the start. */
struct cache_vd *cache_vd_find(struct cache *cache, const struct guid *guid);
/* Each in turn: NULL first; NULL after the last. */
struct cache_vd *cache_vd_next(struct cache *cache, const struct cache_vd *after);
/* The virtual drive is there: row_bytes is what a full row holds. NULL if the table is full. */
struct cache_vd *cache_vd_open(struct cache *cache, const struct guid *guid, uint32_t row_bytes);
/* How long its writes lie before they go without need: so many times idle_flush_ms. */
void cache_vd_patience_set(struct cache_vd *vd, uint32_t times);
uint64_t cache_vd_idle_ms(const struct cache_vd *vd);
/* It goes. Nothing may be BUSY. Its dirty blocks stay, pinned; without any it is forgotten. */
void cache_vd_close(struct cache_vd *vd);
/* Its dirty blocks must not be written to the drives (now). A new or closed one is pinned. */
void cache_vd_pin(struct cache_vd *vd, bool pinned);
bool cache_vd_is_pinned(const struct cache_vd *vd);
/* Drops everything of it that is not BUSY, dirty or not: the answer to an explicit command or
 * the end of the virtual drive. A closed one is gone afterwards, with its damage. */
void cache_vd_discard(struct cache_vd *vd);
/* The same for a closed one with dirty blocks that may come back: the journal keeps a note for it,
 * which counts as damage. False: there is no room for that at present, and nothing is dropped. */
MUST_CHECK bool cache_vd_discard_noted(struct cache_vd *vd);
/* By such notes, if its damage has not been forgotten since. */
uint64_t cache_vd_discarded_bytes(const struct cache_vd *vd);
const struct guid *cache_vd_guid(const struct cache_vd *vd);
uint64_t cache_vd_dirty_bytes(const struct cache_vd *vd);
uint64_t cache_vd_used_bytes(const struct cache_vd *vd);
/* Nothing that has gone to the drives, or was dropped, comes back with the journal. */
bool cache_vd_has_settled(const struct cache_vd *vd);
bool cache_vd_is_open(const struct cache_vd *vd);
/* Since it was opened or the counters were reset; blocks. */
void cache_vd_reads(const struct cache_vd *vd, uint64_t *ret_hits, uint64_t *ret_misses);
/* Blocks of it that the medium has spoiled, and those whose owner cannot be told. */
/* So many blocks were found changed by others while they were in use, of an open one. */
uint32_t cache_vd_spoiled(const struct cache_vd *vd);
uint32_t cache_vd_damaged(const struct cache_vd *vd);
uint32_t cache_damaged_unknown(const struct cache *cache);
/* The damage of those that are open has been told and noted. That of others waits for them. */
void cache_damaged_forget(struct cache *cache);

/* Writers: may this one have blocks more? */
bool cache_may_write(const struct cache_vd *vd, uint32_t blocks);
/* [lo, hi) of one block, multiples of 512. False: no frame is to be had, or the journal's log has
 * no room (journal_room()). What is written is durable with journal_ticket(). */
MUST_CHECK bool cache_write(struct cache_vd *vd, uint64_t block, uint32_t lo, uint32_t hi,
                            const void *bytes, uint64_t now_us);

/* Readers: which sectors of the block are here? */
uint8_t cache_valid(const struct cache_vd *vd, uint64_t block);
/* [lo, hi) must be here. */
void cache_read(struct cache_vd *vd, uint64_t block, uint32_t lo, uint32_t hi, void *bytes);
void cache_miss(struct cache_vd *vd, uint64_t blocks);
/* What has been read from the drives, where nothing newer is here. No frame: forgotten. */
void cache_fill(struct cache_vd *vd, uint64_t block, uint32_t lo, uint32_t hi, const void *bytes);

/* The range is about to be written behind the cache's back. */
uint64_t cache_range_dirty(const struct cache_vd *vd, uint64_t block, uint64_t count);
void cache_drop_clean(struct cache_vd *vd, uint64_t block, uint64_t count);

/* Destage. A batch is dirty blocks of one row, in order. One batch of a row at a time, so that an
 * older version of a block never comes after a newer one. */
struct cache_batch {
    struct list link;
    struct cache_vd *vd;
    uint64_t row;
    uint32_t count;
    uint64_t began_us;
    uint64_t bytes;
    uint64_t ticket; /* the journal's: all of it is durable with that */
    uint32_t frames[CACHE_BATCH_MAX];
};

enum cache_pressure {
    CACHE_PRESSURE_NONE,   /* only what is old */
    CACHE_PRESSURE_START,  /* 50 % of the limit */
    CACHE_PRESSURE_URGENT, /* 75 %, or somebody waits for a drain */
    CACHE_PRESSURE_FULL    /* 90 %: writers wait */
};
enum cache_pressure cache_pressure(const struct cache *cache);
/* The next batch, of any virtual drive in turn. False: nothing is due. */
bool cache_batch_take(struct cache *cache, uint64_t now_us, struct cache_batch *ret_batch);
/* The next run of dirty bytes of the batch at or after *offset_bytes (of the virtual drive). */
bool cache_batch_run(const struct cache_batch *batch, uint64_t *offset_bytes,
                     uint32_t *ret_length_bytes);
void cache_batch_gather(const struct cache_batch *batch, uint64_t offset_bytes, void *to,
                        uint32_t length_bytes);
void cache_batch_done(struct cache_batch *batch, bool written, uint64_t now_us);
/* When something will become old enough, or UINT64_MAX. */
uint64_t cache_due_us(const struct cache *cache);

/* Flush: what is WRITTEN when it begins is flushed when it ends. */
uint32_t cache_written(const struct cache_vd *vd);
uint32_t cache_busy(const struct cache_vd *vd);
void cache_flush_begin(struct cache_vd *vd);
void cache_flush_end(struct cache_vd *vd, bool flushed);

/* Drain: one at a time for a virtual drive. */
void cache_drain_begin(struct cache_vd *vd);
bool cache_drain_is_over(const struct cache_vd *vd);
/* It ends without having been reached. */
void cache_drain_cancel(struct cache_vd *vd);
/* How many of the oldest rows go to the drives in the order in which they lie there; at first, and
 * at most, CACHE_SWEEP_MAX. */
void cache_vd_sweep_set(struct cache_vd *vd, uint32_t rows);
/* From now on everything dirty is to go to the drives at once. */
void cache_vd_hurry(struct cache_vd *vd, bool hurry);

/* Asserts what must hold; for tests. */
void cache_check(const struct cache *cache);

#endif
