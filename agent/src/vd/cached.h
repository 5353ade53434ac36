/*
 * Virtual drives behind the cache: a target that takes requests and answers them from the
 * cache's frames, and the mover that brings dirty blocks to the drives.
 *
 *   export -> vd_cached (target) -> [cache] -> vd_submit() -> stripe operations
 *
 * A write goes one of two ways. Back: into frames that the journal keeps, answered at once.
 * Through: to the drives, behind the drain of what is dirty in its range.
 *
 * (1) No write is answered from the cache before the mark that names the journal is durable on
 *     the members: whoever finds the mark without that journal knows what is missing.
 * (2) A write through starts when its range has nothing dirty left and the drives have been
 *     flushed. Until it ends, writes that overlap it wait.
 * (3) A flush, or a write with fua, is answered when what it covers is on stable storage. Memory
 *     that does not outlive a power loss is none: then the drives are.
 * (4) Blocks read from the drives are kept only if nobody has written them meanwhile.
 * (5) Nothing dirty is dropped but by vd_cached_discard(). What cannot be written stays, pinned.
 *
 * Completions come from the loop, never from inside a submit. Nothing is allocated but by
 * cache_mover_create(): a virtual drive with dirty blocks must not be served without them because
 * memory is scarce.
 */
#ifndef ARRAYWRIGHT_VD_CACHED_H
#define ARRAYWRIGHT_VD_CACHED_H

#include "base/attrs.h"
#include "cache/cache.h"
#include "port/clock_port.h"
#include "vd/group.h"

struct cache_mover;
struct vd_cached;

struct cache_mover_options {
    uint32_t transfers;    /* reads and writes through at a time; 0: 1,024 */
    uint32_t batches;      /* rows on the way to the drives at a time, at most; 0: 32 */
    uint32_t mark_idle_ms; /* without cached writes before the mark is taken back; 0: 10000 */
    uint32_t retry_ms;     /* after a destage that failed; 0: 1000 */
};

MUST_CHECK int cache_mover_create(struct cache *cache, struct clock_port *clock,
                                  const struct cache_mover_options *options,
                                  struct cache_mover **ret_mover);
struct cache_mover *cache_mover_free(struct cache_mover *mover); /* every vd_cached is closed */

/* How much may be dirty from now on, and with it what waits for room or must go. */
void cache_mover_dirty_limit_set(struct cache_mover *mover, uint64_t bytes);

/* What the journal has of a virtual drive, and what that means, as found by vd_cached_open(). */
enum cache_found {
    CACHE_FOUND_NOTHING, /* clean */
    CACHE_FOUND_OURS,    /* dirty blocks: they go to the drives now */
    CACHE_FOUND_PINNED,  /* dirty blocks of an earlier life of it: kept until discarded */
    CACHE_FOUND_LOST     /* acknowledged writes are lost: noted in vd_config.cache_lost */
};

/* vd is serving. -ENOSPC: too many virtual drives; never one whose blocks the journal has. */
MUST_CHECK int vd_cached_open(struct cache_mover *mover, struct vd *vd,
                              struct vd_cached **ret_cached, enum cache_found *ret_found);
/* Of a virtual drive without a cache: true if its mark says that it had one with something in
 * it. Notes the loss. */
bool vd_cache_is_missed(struct vd *vd);
/* Ends what is under way, takes everything dirty to the drives if they are there, and frees it.
 * Nothing may be submitted any more. */
void vd_cached_close(struct vd_cached *cached, void (*done)(void *context), void *context);

struct vd_target *vd_cached_target(struct vd_cached *cached);
/* The name, size and access policy have changed. */
void vd_cached_update(struct vd_cached *cached);
/* What the rules make of the requested policy. Write-through brings everything to the drives. */
void vd_cached_policy_set(struct vd_cached *cached, enum write_policy effective);
/* Whether memory that does not outlive a power loss by itself counts as stable storage all the
 * same: because a charged battery keeps it, or an administrator says so. */
void vd_cached_stable_set(struct vd_cached *cached, bool stable);
enum write_policy vd_cached_policy(const struct vd_cached *cached);
uint64_t vd_cached_dirty_bytes(const struct vd_cached *cached);
/* Takes a flush by command: everything dirty goes to the drives though it is stable where it lies,
 * and they flush it. IO: they do not take it. The request has no access policy to mind. */
void vd_cached_drain(struct vd_cached *cached, struct vd_request *request);
/* How long a write lies there before it goes to the drives without need; 0: none does. */
uint64_t vd_cached_idle_ms(const struct vd_cached *cached);
uint64_t vd_cached_used_bytes(const struct vd_cached *cached);
/* Of its reads since it was opened. False: there were none. */
bool vd_cached_hit_percent(const struct vd_cached *cached, uint32_t *ret_percent);
void vd_cached_reads(const struct vd_cached *cached, uint64_t *ret_hit_bytes,
                     uint64_t *ret_miss_bytes);
/* Cannot go to the drives at present, or must not. */
bool vd_cached_is_pinned(const struct vd_cached *cached);
/* By explicit command: drops what is pinned, and notes the loss. -EBUSY: the drives are there, it
 * goes to them. */
MUST_CHECK int vd_cached_discard(struct vd_cached *cached);
/* By explicit command, or because all is well again: acknowledged writes were lost, and that is
 * known. */
void vd_cache_lost_forget(struct vd *vd);

/* Read-ahead: the streams seen, for those who want to look; and to forget them. */
struct read_stream {
    uint64_t next_bytes;   /* where it would go on */
    uint64_t ahead_bytes;  /* read ahead up to here */
    uint32_t window_rows;  /* 0: nothing is read ahead */
    uint32_t hits, misses;
    uint64_t used;         /* order of last use */
};
#define READ_STREAMS 8u
const struct read_stream *vd_cached_streams(const struct vd_cached *cached);
void vd_cached_streams_reset(struct vd_cached *cached);

#endif
