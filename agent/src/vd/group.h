/*
 * A drive group at work: its members, its virtual drives, the stripe operations that serve
 * them. One owner (loop) per group; no locks.
 *
 * (1) A member's loss is durable on the survivors before any request that was degraded by
 *     it is acknowledged; and before it is recorded they have flushed what their caches held:
 *     from then on they alone describe what the member had.
 * (2) A virtual drive's dirty mark is durable before its first write reaches a member; it is
 *     cleared after 5 s without writes, after a flush of all members.
 *     Its regions have marks of their own (region_map.h): after an unclean stop only those in
 *     doubt are resynchronized; the mark of the whole stands in for a map that cannot be read.
 * (3) Writes to one slice of one row run one at a time in the order of admission. A healthy
 *     read goes straight to its member; a read that needs reconstruction queues with the
 *     writes.
 * (4) A member in rebuild is read only below its cursor in memory, and written everywhere.
 * (5) A flush request covers the writes answered before it was submitted, and waits for no other:
 *     it flushes every member that took part in them; a failed flush fails the member (P7), never
 *     the promise.
 * (6) Admission waits when a pool is empty; it never fails and never allocates.
 * (7) A loss beyond tolerance takes the virtual drives offline and is not recorded: nothing is
 *     acknowledged after it, so the drive misses nothing, and a group made anew from the
 *     labels (with the drive back) serves its bytes again, after a resync.
 *
 * (8) With an intent log: what a torn write to a row would cost beyond its own blocks is in the
 *     log before a byte moves, and open intents are written again before the group serves.
 *
 * "done" callbacks come from the loop, never from inside the call that takes them. They and
 * request completions may call anything but group_free(), which only group_stop()'s done may.
 */
#ifndef ARRAYWRIGHT_VD_GROUP_H
#define ARRAYWRIGHT_VD_GROUP_H

#include "base/attrs.h"
#include "base/latency.h"
#include "drive/drive.h"
#include "meta/config.h"
#include "meta/group_store.h"
#include "port/clock_port.h"
#include "raid/intent_log.h"
#include "raid/mirror_policy.h"
#include "raid/plan.h"
#include "vd/vd_request.h"

struct group;
struct vd;

/* Called from the loop after the fact; must not call back into the group synchronously,
 * except getters. */
struct group_observer {
    void (*member_changed)(void *context, struct group *group, uint32_t member,
                           enum member_state old, enum reason_code why);
    void (*vd_state_changed)(void *context, struct vd *vd, enum virtual_drive_state old);
    void (*vd_changed)(void *context, struct vd *vd); /* anything else worth a new document */
    void (*media_error)(void *context, struct vd *vd, uint32_t member, uint64_t drive_offset_bytes,
                        bool corrected);
    /* A block has been noted as bad, or (bad false) the notes on blocks from there on are over
     * (meta/bad_blocks.h). */
    void (*bad_block)(void *context, struct vd *vd, uint32_t member, uint64_t offset_bytes,
                      enum bad_block_kind kind, bool bad);
    /* The copyback has ended without success, and drive is nobody's. */
    void (*copyback_ended)(void *context, struct group *group, struct drive *drive,
                           enum reason_code why);
    /* The drive that was filled is the member; `former` is nobody's (NULL: it was lost). */
    void (*copyback_done)(void *context, struct group *group, uint32_t member,
                          struct drive *former);
    void *context;
};

struct group_options {
    uint32_t drive_depth;           /* transfers that each member takes; default 64 */
    uint32_t stripe_ops;            /* pool per group, and so many plain reads; default 64 */
    uint32_t dirty_idle_ms;         /* default 5000 */
    uint32_t dirty_warm_ms;         /* a region's mark stays without writes; default 120,000 */
    uint64_t dirty_warm_bytes;      /* of a member, kept marked so; default 128 GiB */
    uint64_t region_bytes;          /* of a member's extent; default by its size */
    enum plan_partial partial_writes; /* default: with the fewest commands */
    enum mirror_policy mirror_policy; /* default: the engine's */
    struct intent_log *intent_log;  /* the group's share of a log; outlives it. NULL: none */
    struct journal *journal;        /* its stamp goes into the records; outlives it. NULL: none */
};

/* config is copied. drives: member_count entries, NULL where missing. The group is not
 * writing anything before group_start(). */
MUST_CHECK int group_create(const struct group_config *config, struct drive *const *drives,
                            const struct uuid *controller, struct group_store *store,
                            struct clock_port *clock, const struct group_options *options,
                            const struct group_observer *observer, struct group **ret_group);
/* Only after group_stop has completed; or if group_start_is_idle(): what its start has written it
 * writes again the next time, and its `done` is not called. */
struct group *group_free(struct group *group);

/* Marks lost members durably, notes unclean virtual drives (dirty -> resync), saves (which also
 * creates the record of a new group), goes online. A group that lacks too many members starts too,
 * offline: done gets 0, requests get EIO, no record changes what its members say (7). Otherwise
 * done gets the error of the save, and the group serves all the same. */
void group_start(struct group *group, void (*done)(void *context, int error), void *context);
/* Drives that it cannot do without refuse what its log has to write again. It tries for as long as
 * it takes. */
bool group_start_is_refused(const struct group *group);
bool group_start_is_idle(const struct group *group); /* and nothing is under way now */
/* Finishes requests, refuses new ones with SHUTDOWN, flushes, marks clean, saves. */
void group_stop(struct group *group, void (*done)(void *context, int error), void *context);

/* Saves the stamp of the journal, if something was written since the last one: to be called now and
 * then. */
void group_stamp(struct group *group);
/* Of the newest record that is durable. */
uint64_t group_saved_sequence(const struct group *group);

const struct group_config *group_config(const struct group *group);
/* The same as its records say it: members lost beyond tolerance (7) keep the state they had.
 * What a group made anew is to be created from. */
void group_durable_config(const struct group *group, struct group_config *ret_config);
struct drive *group_drive(const struct group *group, uint32_t member); /* NULL if none */
enum virtual_drive_state group_state(const struct group *group);
/* Lost beyond redundancy: the group is offline, the record goes on calling it a member (7). */
bool group_member_is_unsaved(const struct group *group, uint32_t member);
/* The record is the newest one that this group has sent to the label of the member, or that it
 * found there at its start. Whether it had become durable need not be known. */
bool group_record_is_own(const struct group *group, uint32_t member,
                         const struct group_config *record);

/* The member cannot be trusted any more. Idempotent. Refused (-EBUSY) with `polite` if it
 * holds a last copy; otherwise virtual drives go offline, EIO, bytes kept. */
int group_member_lose(struct group *group, uint32_t member, enum member_state state,
                      enum reason_code why, bool polite);
/* A drive has come whose record has this number, of a life without the members at work: their own
 * records get higher ones at once, or that drive would lead the next start, and what has been
 * acknowledged here would be lost. The group is not offline. */
void group_outrank(struct group *group, uint64_t sequence);
/* The lost member's drive is there, but is not to be filled unasked: FAILED for this reason.
 * False: the configuration is being edited, which might undo it; ask again later. */
MUST_CHECK bool group_member_distrust(struct group *group, uint32_t member, enum reason_code why);
/* Puts a drive in a lost member's place as MEMBER_REBUILD at 0; saves; done(0) when durable.
 * Writes reach it at once. -EBUSY: the member is not lost (or, group offline, is not to be
 * replaced), -ENOSPC: the drive is too small, -ENODEV: it has gone, -EEXIST: its UUID is that of
 * another member's drive, -ESHUTDOWN. */
void group_member_replace(struct group *group, uint32_t member, struct drive *drive,
                          const struct uuid *drive_uuid, void (*done)(void *context, int error),
                          void *context);
/* Copyback (vd/copyback.c). Begins to make drive equal to the one in an online member's place; the
 * member stays in use. Errors as above; -EBUSY: there is one already. */
void group_copyback_start(struct group *group, uint32_t member, struct drive *drive,
                          const struct uuid *drive_uuid, void (*done)(void *context, int error),
                          void *context);
/* Before group_start(): the drive that the configuration names is there. */
void group_copyback_attach(struct group *group, struct drive *drive);
/* Ends it; the observer is told. Too late when the end has begun. */
void group_copyback_stop(struct group *group, enum reason_code why);
struct drive *group_copyback_drive(const struct group *group); /* NULL: none is running */
/* Each has its own, also to the same drive; 0: none is running. */
uint64_t group_copyback_number(const struct group *group);
/* The cursor; a virtual drive that is added below it takes it back. */
uint64_t group_copied_bytes(const struct group *group);
void group_copied_advance(struct group *group, uint64_t bytes);
/* Everything is copied: the drive takes the member's place, durably. -EAGAIN: a virtual drive was
 * added, -ENODEV: one of the two was lost. */
void group_copyback_finish(struct group *group, void (*done)(void *context, int error),
                           void *context);
/* Applies an edit to the configuration and saves it; all or nothing: on error it is undone.
 * -EINVAL: the result is no sound configuration (meta/config_check.h). */
typedef void (*group_edit_fn)(struct group_config *config, void *context);
void group_config_change(struct group *group, group_edit_fn edit, void *context,
                         void (*done)(void *context, int error), void *done_context);

/* Virtual drives. vd_add also brings it online; remove needs no open requests. What does not fit,
 * its members or the target of a copyback, is refused (-EINVAL). */
bool group_vd_fits(const struct group *group, const struct vd_config *vd);
void group_vd_add(struct group *group, const struct vd_config *config,
                  void (*done)(void *context, int error, struct vd *vd), void *context);
void group_vd_remove(struct group *group, struct vd *vd, void (*done)(void *context, int error),
                     void *context);
/* Gives it this extent of each member and this size, durably; requests wait meanwhile. Its new
 * rows are not known consistent. -EBUSY: syncs, a copyback or a checkpoint are under way; -ENODEV:
 * a member is missing; -EINVAL: it would not be larger, or something is in the way. All or
 * nothing. */
void group_vd_grow(struct group *group, struct vd *vd, uint64_t extent_bytes, uint64_t size_bytes,
                   void (*done)(void *context, int error), void *context);
uint32_t group_vd_count(const struct group *group);
struct vd *group_vd(const struct group *group, uint32_t index);

/* One virtual drive. */
const struct vd_config *vd_config(const struct vd *vd);
struct group *vd_group(const struct vd *vd);
enum virtual_drive_state vd_state(const struct vd *vd);
bool vd_is_consistent(const struct vd *vd);
uint32_t vd_drive_failures_left(const struct vd *vd);
/* Reads that took too long and were not waited for, since the group was made. */
uint64_t vd_hedged_reads(const struct vd *vd);
uint64_t vd_bad_blocks(const struct vd *vd); /* 4 KiB blocks noted as bad, of any kind */
/* How long requests of exports took, from submission to answer, if they succeeded. */
const struct latency *vd_latency(const struct vd *vd);
void vd_latency_reset(struct vd *vd);
/* A request comes through a target, and is about to be answered; those of other origin are not
 * counted. */
void vd_request_begun(struct vd *vd, struct vd_request *request);
void vd_request_ended(struct vd *vd, const struct vd_request *request, enum vd_status status);
/* Those that came through a target and are not answered yet. */
uint32_t vd_requests(const struct vd *vd);
/* Bytes of data of missing members that were noted as doubtful since the group was made, because
 * no log knew what was being written to their rows at an unclean stop (vd/doubt.c). */
uint64_t vd_doubted_bytes(const struct vd *vd);
/* Bytes of the virtual drive in regions that were being written at an unclean stop while members
 * were missing and no log held intents: what was missing there may be wrong. */
uint64_t vd_suspect_bytes(const struct vd *vd);
/* They count as right: somebody has looked at them. */
void vd_trust(struct vd *vd);
/* 0: a start will find it so; -EAGAIN: vd_changed() tells when; -EIO: the drives take nothing, and
 * may later. */
int vd_trust_outcome(const struct vd *vd);

/* What an unclean stop can cost beyond the blocks that were being written. */
enum vd_guarantee {
    VD_GUARANTEE_NO_REDUNDANCY, /* nothing can disagree */
    VD_GUARANTEE_MIRROR, /* copies may; each is right; dirty regions are made equal */
    VD_GUARANTEE_JOURNAL, /* nothing: intents are on a stable medium */
    VD_GUARANTEE_JOURNAL_AGENT, /* nothing if only the agent stopped; else as REGION_MAP */
    VD_GUARANTEE_STRIPE_LOG, /* nothing: intents are on the members */
    /* Nothing while a member is not in sync: they are on the members then. If one is lost at the
     * stop itself, or before the resync is over, rows that were being written. */
    VD_GUARANTEE_STRIPE_LOG_AUTO,
    /* The same; a stop while a member is missing costs its blocks of the regions being written:
     * they cannot be read. Short resync. */
    VD_GUARANTEE_REGION_MAP,
    VD_GUARANTEE_WHOLE_RESYNC, /* the same, and everything is resynchronized */
    VD_GUARANTEE_MAX
};
enum vd_guarantee vd_guarantee(const struct vd *vd);
/* What keeps write intents for the group's virtual drives. */
enum group_log {
    GROUP_LOG_NONE,
    GROUP_LOG_MEMORY, /* a log that was given, on a medium that ends with the power */
    GROUP_LOG_STABLE, /* ... on one that does not */
    GROUP_LOG_DRIVES, /* the stripe log, for those that ask for it */
    GROUP_LOG_BEGINS, /* soon the stripe log */
    GROUP_LOG_NO_MEMORY, /* none: a stripe log is asked for and could not be made */
    GROUP_LOG_MAX
};
enum group_log group_log(const struct group *group);
struct vd_target *vd_target(struct vd *vd); /* for exports; lives as long as the vd */
void vd_submit(struct vd *vd, struct vd_request *request);

/* For background tasks: make rows [first, first+count) of a vd consistent and fill members
 * in rebuild; runs as ordinary stripe operations of background class. count is bounded by
 * SYNC_ROWS_MAX. */
#define SYNC_ROWS_MAX 64u

/* A consistency check of rows (vd/check.c). */
#define VD_MEMBER_UNKNOWN UINT32_MAX
/* Blocks of one row whose redundancy does not agree with its data: the same ones of each strip. */
struct vd_mismatch {
    struct vd *vd;
    uint64_t row;
    uint32_t lo, hi; /* of each strip */
    uint32_t member; /* the one that alone explains it, or VD_MEMBER_UNKNOWN */
    uint64_t drive_offset_bytes; /* there, if it is known */
    bool corrected;
    /* What of the virtual drive is made of them, or may be: pieces of hi - lo bytes, each a strip
     * after the one before. 0: the redundancy alone was wrong. */
    uint64_t offset_bytes;
    uint32_t piece_count;
};
struct vd_check {
    bool correct; /* what no member explains: the data are taken as right */
    /* Called from the loop; must not call back into the group, except getters. */
    void (*found)(void *context, const struct vd_mismatch *mismatch);
    void *context;
    /* So many bytes of the virtual drive have been compared, and so many have not: no redundancy is
     * left, they are not known consistent, or not readable. Counted on. */
    uint64_t compared_bytes, left_out_bytes;
    uint64_t unreadable_bytes; /* of members: could not be recovered */
};

struct vd_sync {
    struct vd *vd;
    uint64_t row;
    uint32_t row_count;
    bool fill; /* write members in rebuild */
    bool copy; /* write the drive of a copyback */
    bool mend; /* group_mend_at() */
    uint32_t mend_member;
    uint32_t mend_lo; /* of the block within the strip */
    struct vd_check *check; /* NULL: it is none. Rows are read and compared, and nothing else */
    /* 0; -EIO: offline, or blocks beyond recovery: with fill they are recorded as lost (meta/
     * config.h) and the rest of the rows is done, as with check; -ENOSPC: too many of them to
     * record; -ENODEV: the target is lost; -EAGAIN: rows that are not there after all, or (mend)
     * not known consistent; -ECANCELED. */
    void (*complete)(struct vd_sync *sync, int error);
    void *owner;
    struct list link;
    uint64_t private_[8];
};
void vd_sync_submit(struct vd *vd, struct vd_sync *sync);
/* A sync of one block of 4096 bytes that the member's drive could not read: it is recovered from
 * the rest of its row, written there and read back, and nothing else is written. What cannot be
 * recovered is noted as unreadable (-EIO). False: no row has anything there. */
MUST_CHECK bool group_mend_at(const struct group *group, uint32_t member, uint64_t offset_bytes,
                              struct vd_sync *ret_sync);
/* The next rows that are not known consistent, at most rows_max: regions in doubt first, then
 * those above the cursor. False: there are none. */
bool vd_sync_next(struct vd *vd, uint64_t rows_max, uint64_t *ret_row, uint64_t *ret_row_count);
/* The rows that vd_sync_next() named have been synced. */
void vd_sync_advance(struct vd *vd, uint64_t row, uint64_t row_count);
uint64_t vd_sync_rows_left(const struct vd *vd);
/* In-memory cursors, moved by tasks after a completed sync. */
void vd_consistent_advance(struct vd *vd, uint64_t rows);
void group_rebuilt_advance(struct group *group, uint32_t member, uint64_t bytes);
uint64_t vd_consistent_rows(const struct vd *vd);
uint64_t group_rebuilt_bytes(const struct group *group, uint32_t member);
/* Each rebuild of a member has its own, also the next one of the same drive. */
uint64_t group_rebuild_number(const struct group *group, uint32_t member);
/* Flush the member, then publish cursors (rebuilt_bytes, consistent_rows) durably. */
void group_checkpoint(struct group *group, void (*done)(void *context, int error), void *context);
/* The rebuild of a member is complete: flush, mark MEMBER_ONLINE durably. done gets -ENODEV
 * if the member was lost meanwhile, -EAGAIN if the cursor does not reach the end of the last
 * virtual drive (one was added). */
void group_member_rebuilt(struct group *group, uint32_t member,
                          void (*done)(void *context, int error), void *context);

#endif
