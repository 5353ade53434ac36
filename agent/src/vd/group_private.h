/*
 * Inside of a drive group, shared by the files of this folder only.
 *
 *   group.c          life of a group: create, start, stop, free; the turn
 *   group_save.c     one save at a time, coalesced; who waits for what to be durable
 *   group_edit.c     changes of the configuration, one at a time, all or nothing
 *   group_members.c  states of members and virtual drives
 *   checkpoint.c     cursors: in memory at once, published only after a flush
 *   copyback.c       a drive made equal to a member, to take its place
 *   grow.c           a virtual drive gets more rows
 *   flush.c          flush rounds over the members
 *   intent.c         write intents: which writes are logged, and what becomes of the log
 *   replay.c         open intents written again at the start
 *   region_map.c     which regions are in doubt, in memory
 *   region_store.c   and on the members
 *   bad_block.c      the table of blocks that are not to be had
 *   doubt.c          blocks of a missing member whose rows no log has made agree
 *   mirror.c         which copy of a mirror to read
 *   hedge.c          reads that take too long
 *   vd.c             a virtual drive: getters, dirty mark, idle clean
 *   vd_request.c     admission, splitting, completion
 *   plain_read.c     reads that need nothing of all that
 *   stripe_refused.c writes for which there is no room below
 *   stripe_*.c       stripe operations: table, plan and steps, transfers, kernels, locks
 *   sync.c           stripe operations for background tasks
 *   check.c          the consistency check of rows
 *
 * A turn: every entry from outside (a request, a transfer's answer, a timer, a save) runs
 * between group_enter() and group_leave(). Answers and notices are collected during the turn
 * and delivered at its end, never from inside vd_submit(), so that callbacks may submit again.
 */
#ifndef ARRAYWRIGHT_VD_GROUP_PRIVATE_H
#define ARRAYWRIGHT_VD_GROUP_PRIVATE_H

#include "base/assert.h"
#include "base/checked.h"
#include "base/list.h"
#include "base/pool.h"
#include "base/sim_bug.h"
#include "meta/bad_blocks.h"
#include "raid/intent_log.h"
#include "raid/plan.h"
#include "vd/group.h"
#include "vd/region_map.h"
#include "vd/rewritten.h"
#include "vd/stripe_log.h"

#define STRIPE_LOCK_BUCKETS 256u
#define STRIPE_SYNC_OPS 16u
#define GIVEN_UP_MAX 512u
#define STRIPE_SPARES 3u
/* How many operations that late transfers hold up are replaced by new ones. */
#define STRIPE_SUBSTITUTES_MAX 256u

/* Something to be told at the end of the turn. */
struct notice {
    struct list link;
    void (*deliver)(struct notice *notice);
    int error;
};

/* Waits until all changes up to `change` are durable; then delivered with the error. */
struct save_waiter {
    struct notice notice;
    uint64_t change;
};

/* Waits for a flush round that begins after flush_wait(). done is called within the turn. */
struct flush_waiter {
    struct list link;
    void (*done)(struct flush_waiter *waiter, int error);
};

/* A wait for the log (intent.c). */
struct group_settle {
    struct intent_settle settle;
    struct group *group;
    void (*done)(struct group_settle *settle, int error); /* within a turn */
};

/* One flush of a member at a time, of each of the two kinds (flush.c). */
struct member_flush {
    struct drive_io io;
    struct member *member;
    uint64_t target;             /* writes that the running one covers */
    bool busy;                   /* io is with the drive */
    bool late;                   /* and has timed out */
    enum io_status status;
    void (*answered)(struct group *group, bool refused);
};

/* What a group knows of a member beyond its configuration. */
struct member {
    struct group *group;
    struct drive *drive;         /* NULL unless ONLINE or REBUILD */
    uint64_t rebuilt_bytes;      /* cursor in memory; config has the published one */
    uint64_t checkpoint_bytes;   /* the cursor that a running checkpoint will publish */
    uint64_t rebuild_number;     /* of the newest drive that came into the place; 0: none yet */
    uint64_t lost_change;        /* the newest loss */
    bool loss_unsaved;           /* lost, but beyond tolerance: not recorded (group_members.c) */
    enum member_state kept_state;/* loss_unsaved: what the record goes on saying */
    uint64_t tried_sequence; /* of the newest record that its label may have (group_save.c (7)) */
    uint32_t tried_sum; /* of that record; 0: it is not known */
    uint64_t online_change; /* ONLINE since; before it is durable a start sees a rebuild */
    uint64_t written; /* writes completed */
    uint64_t flushed; /* writes covered by a flush */
    uint64_t percentile_us; /* of its drive's reads, looked up some reads ago (hedge.c) */
    uint32_t percentile_reads; /* left before it is looked up again */
    uint64_t refused_us; /* when it last refused a write; 0: never */
    enum io_status refusal; /* of a mark, a record or a flush, not judged yet; OK: none */
    bool refused_flush; /* it was a flush */
    struct pace pace; /* mirrors: of its drive, while a copy is chosen */
    struct member_flush *flush; /* of rounds */
    struct member_flush *loss_flush; /* before a loss is recorded */
    struct member_flush flushes[2]; /* these two, or the other's of a copyback (copyback.c) */
};

/* STOP_END: saved, but a save that began later may still be running. */
enum stop_phase { STOP_NO, STOP_DRAIN, STOP_FLUSH, STOP_REGIONS, STOP_SAVE, STOP_END, STOP_DONE };

struct group {
    struct group_config config; /* as it is now; members' cursors as published */
    struct group_config image; /* what the running save writes */
    struct member *members; /* config.member_count */
    struct member twin; /* of a copyback; its drive is NULL: there is none */
    uint32_t twin_member; /* whose twin */
    uint64_t twin_number; /* of the copyback, the newest one */
    bool exchanged; /* the two have changed roles, which is being saved */
    struct exchange *exchange; /* they are about to: no operation begins */
    bool growing; /* a virtual drive is about to: the same */
    struct uuid controller;
    struct group_store *store;
    struct clock_port *clock;
    struct group_options options;
    struct group_observer observer;
    struct vd *vds[GROUP_VDS_MAX];
    enum virtual_drive_state state; /* of the worst span; group_states_update() alone writes it */
    bool begun; /* a start: what the record said of the stop is known */
    bool online; /* start has been completed */
    bool orphaned; /* group_free() waits for late transfers */

    /* The turn. */
    uint32_t depth;
    struct list answers; /* vd_request.vd_link */
    struct list notices;
    struct clock_timer turn_timer; /* delivers what came up inside vd_submit() */

    /* Saves. */
    struct group_save save;
    struct drive **save_drives;
    uint8_t *record; /* of GROUP_RECORD_MAX_BYTES, for sums */
    bool save_running;
    bool save_member_failed;
    bool save_member_refused; /* some have refused it */
    bool save_refused; /* and they keep their places */
    uint64_t change; /* number of the newest change */
    uint64_t saving; /* the running save covers changes up to this */
    uint64_t saved; /* durable up to this */
    uint64_t saved_sequence; /* of the newest record that is */
    uint64_t loss_change; /* the newest loss of a member */
    uint64_t online_change; /* the newest of the members' */
    bool refusing; /* a last copy has refused a mark, record or flush a moment ago */
    enum io_status refusal; /* how */
    struct clock_timer refusal_timer; /* until it is tried again */
    struct list save_waiters;
    struct list mark_waiters; /* stripe_op.wait_link */

    /* Edits. */
    struct list edits;
    struct group_edit *edit; /* the one being saved */

    /* Checkpoints. */
    struct list checkpoints;
    struct list checkpoints_running;
    struct flush_waiter checkpoint_flush;
    struct group_settle checkpoint_settle;
    struct save_waiter checkpoint_save;
    bool checkpoint_running;

    /* Flush rounds. */
    struct list flush_next;
    struct list flush_current;
    uint32_t flush_pending;
    bool flush_round;
    bool flush_refused; /* in this round, by members that stay if it is over */
    uint64_t flush_rounds; /* begun so far: the epoch of intents */
    struct save_waiter flush_save;

    /* Losses that the survivors have not flushed for yet (flush.c (3)). */
    bool loss_unflushed; /* there are some: nothing is saved */
    bool loss_newer; /* a loss since the running flushes began */
    uint32_t loss_flush_pending;
    bool loss_flush_refused;
    uint32_t bare_writes; /* operations that write rows of parity without an intent, */
    uint32_t logged_writes; /* with one, */
    uint32_t stray_writes; /* and with one in a log that has gone meanwhile */

    /* Write intents. */
    struct intent_log *log; /* NULL: none, or it has gone */
    uint32_t log_number; /* of the log that is there, or was */
    struct stripe_log *stripe_log; /* if that is it, or is about to be */
    bool log_scarce; /* there was no memory for one */
    bool log_spoilt; /* it has been lost: there is none before the next start */
    struct intent_clear log_clearing; /* owner: NULL if it is not under way */
    void (*restarted)(struct group *group);
    struct flush_waiter log_flush; /* makes room in the log */
    bool log_flush_wanted;
    bool log_flush_again;
    uint32_t settles; /* under way */
    uint64_t given_up[GIVEN_UP_MAX]; /* tickets: intents of writes that have failed (intent.c) */
    uint32_t given_up_count;
    uint64_t given_up_change; /* they end when this is durable */
    bool replay_again; /* the members have refused it */
    bool start_refused; /* so the start waits for them */
    struct replay *replay; /* while the group starts */

    /* Region maps. */
    bool regions_running; /* they have been loaded: changes go to the members */
    bool regions_due; /* there may be some */
    void (*loading)(struct group *group); /* while the group starts */
    uint32_t loading_vd;

    /* Requests and stripe operations. */
    struct list admission; /* requests not yet wholly split */
    uint64_t split_us; /* the turn of the loop in which ... */
    uint32_t split_bytes; /* ... so much was split off to be written */
    struct list syncs; /* vd_sync under way */
    struct list syncs_done; /* to be told at the end of the turn */
    uint32_t requests_open;
    uint32_t syncs_open;
    struct pool ops;
    struct pool sync_ops;
    uint8_t *op_memory; /* buffers of all operations */
    uint32_t op_width; /* columns of an operation: places of a row */
    uint32_t ops_active; /* taken and not ended, of both pools, and plain reads */
    uint32_t late_ops; /* ended, but a late transfer holds their buffers */
    struct plain_read *plain_reads;
    uint32_t plain_count; /* enough for the queues of all members (stripe_pool.c) */
    struct plain_read *plain_free; /* the one given back last is taken next */
    uint32_t plain_busy; /* taken, and not free again */
    uint32_t late_reads; /* plain ones timed out and still with the device */
    struct list substitutes; /* free ones, made in place of operations held up */
    uint32_t substitute_count; /* all of them */
    uint32_t hedge_credit; /* grows with every read that might be hedged */
    uint32_t late_flushes;
    struct list locks[STRIPE_LOCK_BUCKETS];

    /* Start and stop. */
    struct flush_waiter start_flush;
    bool start_unflushed; /* it was refused: pages of region maps are not written yet */
    bool start_flushing; /* it is tried again */
    struct save_waiter start_waiter;
    bool start_known; /* the second save of the start is on its way, or over */
    void (*start_done)(void *context, int error);
    void *start_context;
    enum stop_phase stop;
    struct flush_waiter stop_flush;
    struct group_settle stop_settle;
    struct save_waiter stop_waiter;
    int stop_error;
    void (*stop_done)(void *context, int error);
    void *stop_context;
    struct clock_timer stop_timer;
};

/* A run of reads, each beginning where the one before ended (mirror.c). */
#define MIRROR_RUNS 32u
#define MIRROR_INDEX_BITS 6u
#define MIRROR_INDEX_WAYS 4u
struct mirror_run {
    uint64_t next_bytes; /* on the members */
    uint64_t run_bytes;
    uint64_t pulse_bytes; /* since the copies had nothing else to do */
    uint64_t used; /* vd.run_clock at its last read; 0: free */
    uint64_t began_us, used_us;
    uint32_t span_base;
    uint32_t bucket; /* where it is in run_index */
    uint32_t home; /* the copy that it keeps to while it is not the only one */
    /* A long read of one request: its place on the members, and how much of it each copy reads. */
    uint64_t long_from, long_end, long_part_bytes;
};

struct vd {
    struct vd_target target;
    struct group *group;
    uint32_t index; /* in group->config.vds and group->vds */
    uint32_t row_bytes; /* of data; of the configured geometry, as the next one */
    uint32_t slices; /* of a strip */
    uint32_t rows_abreast; /* geometry_rows_abreast() */
    enum virtual_drive_state state; /* as last told */
    uint64_t consistent_rows; /* cursor in memory; config has the published one */
    uint64_t checkpoint_rows;
    bool serving; /* its creation is durable, its removal not begun */
    bool growing; /* the record with its new size is being saved */

    struct region_store *regions; /* NULL: no redundancy, nothing can be in doubt */
    bool checkpoint_sound; /* no region was in doubt when the checkpoint began */

    uint64_t dirty_change; /* the save that carries the dirty mark */
    uint32_t writes_open; /* requests that write */
    uint64_t writes_admitted;
    uint32_t requests_open;
    uint32_t syncs_open;
    bool cleaning;
    uint64_t clean_seen; /* writes_admitted when the cleaning flush began */
    struct flush_waiter clean_flush;
    struct clock_timer idle_timer;
    struct latency latency; /* of requests that came through the target */
    uint32_t requests; /* of them, not answered yet */
    struct mirror_run runs[MIRROR_RUNS]; /* mirrors */
    /* By where a run goes on: places in runs, one of them its own perhaps. */
    uint8_t run_index[1u << MIRROR_INDEX_BITS][MIRROR_INDEX_WAYS];
    uint32_t run_hand; /* the next one to be given up */
    uint64_t run_clock;
    uint64_t mirror_turn; /* of MIRROR_POLICY_ALTERNATE */
    uint64_t hedged_reads; /* so many */
    bool doubted; /* the last stop was one that doubt.c is about */
    /* No map says what was being written at that stop: rows from consistent_rows on to here may
     * have been. */
    uint64_t unmapped_rows;
    bool was_logged; /* that stop's writes, by the stripe log, which is not used now */
    uint64_t doubted_bytes; /* noted since the group was made */
    struct rewritten rewritten; /* while regions are suspect */
};

static inline struct vd_config *vd_config_of(const struct vd *vd)
{
    return &vd->group->config.vds[vd->index];
}

/* What a virtual drive keeps in vd_request.vd_private. */
enum request_phase {
    REQUEST_NEW,
    REQUEST_SPLITTING, /* on the admission list (waiter.link) */
    REQUEST_RUNNING, /* wholly split, operations open */
    REQUEST_FLUSHING, /* waits for a flush round (waiter.link) */
    REQUEST_ANSWERED
};

struct request_state {
    struct vd *vd;
    struct flush_waiter waiter;
    struct stripe_op *held; /* one of the operations held up that still have its memory */
    uint64_t cursor; /* next row * slices per row + slice */
    uint32_t open_ops;
    uint8_t status; /* enum vd_status */
    uint8_t phase;
    bool begun; /* no plain read: an operation was split off, or a plain one failed */
    bool locked; /* the latter: its operations take the lock */
};
STATIC_ASSERT(sizeof(struct request_state) <= sizeof(((struct vd_request *)0)->vd_private),
              "the private part of a request is too small");

static inline struct request_state *request_state(struct vd_request *request)
{
    return (struct request_state *)(void *)request->vd_private;
}

static inline bool request_writes(const struct vd_request *request)
{
    return request->op == VD_OP_WRITE || request->op == VD_OP_TRIM ||
           request->op == VD_OP_WRITE_ZEROES;
}

struct sync_state {
    uint64_t row; /* next to be split */
    uint32_t slice;
    uint32_t open_ops;
    int32_t error;
    uint32_t split; /* nothing more to be split */
};
STATIC_ASSERT(sizeof(struct sync_state) <= sizeof(((struct vd_sync *)0)->private_),
              "the private part of a sync is too small");

static inline struct sync_state *sync_state(struct vd_sync *sync)
{
    return (struct sync_state *)(void *)sync->private_;
}

/* Stripe operations */

enum stripe_state {
    STRIPE_FREE,
    STRIPE_LOCK, /* waits for its slice */
    STRIPE_READ,
    STRIPE_COMPUTE,
    STRIPE_MARK, /* waits for the dirty mark and losses to be durable */
    STRIPE_LOG, /* waits for its intent to be durable */
    STRIPE_WRITE,
    STRIPE_VERIFY, /* reads back what was repaired */
    STRIPE_SETTLE, /* waits for losses during the write to be durable */
    STRIPE_LINGER, /* ended; a late transfer still holds its buffers */
    STRIPE_STATE_MAX
};

enum stripe_event {
    STRIPE_START, /* with the lock to be taken */
    STRIPE_START_DIRECT, /* a healthy read on an idle slice */
    STRIPE_START_REPLAY, /* an open intent: everything is in the buffers */
    STRIPE_GRANTED,
    STRIPE_NEED_LOCK, /* a direct read that is not that simple */
    STRIPE_READ_OK,
    STRIPE_READ_BAD, /* a column failed or is not waited for, a member was lost: plan again */
    STRIPE_NO_WRITES,
    STRIPE_WRITES,
    STRIPE_DURABLE,
    STRIPE_LOGGED,
    STRIPE_LOG_GONE, /* the log has gone: mark that, go on without */
    STRIPE_WRITTEN,
    STRIPE_REFUSED, /* by more drives than may be lost: the write fails, they stay */
    STRIPE_NEXT, /* one place verified */
    STRIPE_VERIFIED,
    STRIPE_FLUSHED, /* what was written over noted blocks */
    STRIPE_FAIL, /* beyond redundancy */
    STRIPE_RELEASED, /* the last late transfer came back */
    STRIPE_EVENT_MAX,
    STRIPE_WAIT /* not an event: an action's answer when something is under way */
};

struct stripe_op;

struct stripe_column {
    struct drive_io io;
    struct stripe_op *op;
    uint8_t *buffer; /* of [lo, hi) of this place */
    uint8_t *home; /* op->lent: its own buffer, while `buffer` is the request's memory */
    uint32_t place;
    enum io_status status;
    bool late; /* io is still with the device, but nobody waits for it */
    bool hedged; /* it is late because there was another way (hedge.c) */
    uint8_t *kept; /* hedged: the buffer that the device has */
};

struct stripe_op {
    struct list lock_link;
    struct list wait_link;
    struct group *group;
    struct pool *pool; /* where it comes from; NULL: a substitute */
    uint8_t *memory; /* substitute: its buffers */
    struct vd *vd;
    struct vd_request *request; /* NULL for a sync and a replay */
    struct vd_sync *sync;
    struct replay *replay;
    enum stripe_state state;
    enum plan_want want;
    bool direct; /* runs without the lock */
    struct row_map map;
    uint32_t slice; /* index within the strip: with vd and row the lock's name */
    uint32_t lo, hi; /* byte range within the strip, multiples of 4096 */
    uint32_t touched; /* places; mirrors: bit 0 */
    uint32_t data_first; /* requests: data strips of touched are in [data_first, data_end) */
    uint32_t data_end;
    uint32_t full;
    uint32_t fill; /* sync: rebuild targets wanted */
    uint32_t copy; /* sync: the place whose twin is to be written */
    uint32_t mend; /* sync: the place whose block is bad, whatever a read of it says */
    bool compares; /* check: what is read is to be compared, */
    bool compared; /* and has been */
    bool by_block; /* check: not possible of the whole, but perhaps block by block */
    bool differs; /* check: this block does, */
    uint32_t explains; /* these places alone explain it, */
    uint32_t righting; /* and these are not yet known to be right again */
    struct vd_mismatch mismatch; /* check: yet to be told; hi is 0: nothing is */
    uint32_t fine_end; /* it failed as a whole, and goes on by blocks up to here; 0: whole */
    int fine_error; /* of the blocks so far */
    uint64_t settle_change; /* to be durable before going on: notes of bad blocks */
    struct flush_waiter notes_flush; /* before such notes end */
    uint64_t
        run_bytes; /* reads: so much from here on of each drive for the same request; 0: little */
    uint32_t lent; /* of a write: places whose buffer is the request's own memory */
    uint8_t *lent_memory; /* the request's buffer, all of it */
    struct vd_lender *lender; /* whose it is; NULL: to be freed */
    struct list lent_link; /* all operations held up with memory of the same request, in a ring */
    uint32_t failed; /* places that failed to read */
    uint32_t have; /* places whose buffer holds the member's content */
    bool by_sector; /* its block is put together sector by sector (stripe_sectors.c (4)) */
    uint32_t sector; /* the next one to be read */
    uint8_t known[RAID_SPAN_MEMBERS_MAX];
    uint8_t fresh[RAID_SPAN_MEMBERS_MAX];
    uint32_t barred; /* places whose late transfer keeps the column */
    uint32_t verify; /* places still to be read back */
    uint32_t verifying; /* the one being read back */
    uint32_t written; /* places written so far */
    uint32_t refused; /* places whose drive has refused the write */
    bool given_up; /* what it waits for cannot be saved now (group_members.c (3)) */
    uint32_t told; /* failed places the observer has been told of */
    uint32_t source; /* mirrors: place whose buffer holds the strip */
    bool hedge_wait; /* there is no way but to wait for a read that took too long */
    struct plan plan;
    bool marked; /* its region counts it as open */
    uint32_t region; /* marked: which one */
    bool logged; /* its intent is durable and not yet retired */
    bool bare; /* being written without an intent, and counted */
    bool writes_logged; /* the same with an intent */
    uint32_t log_number; /* of the log that has its intent */
    struct intent intent;
    uint32_t pending; /* transfers of this step */
    uint32_t late; /* transfers that timed out and are still with the device */
    int error;
    uint32_t spare_count;
    uint8_t *spares[STRIPE_SPARES]; /* buffers in nobody's use */
    struct stripe_column twin; /* the second write of a copyback's member; has no buffer */
    struct stripe_column columns[];
};

/* group.c */
void group_enter(struct group *group);
void group_leave(struct group *group);
/* Leaves a turn begun by a call from outside: nothing is delivered now. */
void group_leave_later(struct group *group);
void group_notice_add(struct group *group, struct notice *notice, int error);
void group_stop_check(struct group *group);
void group_late_gone(struct group *group);
/* After a refusal. */
void start_go_on(struct group *group);

/* group_save.c */
void save_init(struct group *group);
/* Something in config has changed: saved at the end of the turn. Returns its number. */
uint64_t save_changed(struct group *group);
void save_wait(struct group *group, struct save_waiter *waiter);
void save_pump(struct group *group);
/* No save can begin for now: who waits for one that has not begun gets an error. */
void saves_refuse(struct group *group);
static inline bool save_is_durable(const struct group *group, uint64_t change)
{
    return group->saved >= change;
}

/* group_edit.c */
void edit_pump(struct group *group);
/* The running edit needs no more than the members' labels. */
bool edit_labels_suffice(const struct group *group);
/* Nothing can be saved for now: those that wait for their turn end with an error. */
void edits_refuse(struct group *group);
/* The save that carried the edit has ended. */
void edit_saved(struct group *group, int error);

/* group_members.c */
static inline bool member_is_live(const struct group *group, uint32_t member)
{
    enum member_state state = group->config.members[member].state;

    return state == MEMBER_ONLINE || state == MEMBER_REBUILD;
}
void member_lose(struct group *group, uint32_t member, enum member_state state,
                 enum reason_code why);
/* The loss alone, without what follows for blocks in doubt. False: the member was lost already, or
 * the twin of a copyback took its place. */
bool member_set_aside(struct group *group, uint32_t member, enum member_state state,
                      enum reason_code why);
void member_lose_by_status(struct group *group, uint32_t member, enum io_op op,
                           enum io_status status);
/* The same for a transfer, unless another drive has taken the place since. */
void member_lose_by_transfer(struct group *group, uint32_t member, const struct drive_io *io,
                             enum io_status status);
void refusals_init(struct group *group);
/* What has been refused is tried again in a while. */
void refusals_again(struct group *group);
/* And what waits for members that refuse gives up until then. */
void group_refuse(struct group *group);
enum reason_code refusal_reason(enum io_status status);
/* A mark or a record was not written. True: it was refused, and is to be judged with the others. */
bool member_refusal_note(struct group *group, uint32_t member, enum io_status status);
/* The same for a flush: what it should have covered need not be there after a power cut. */
bool flush_refusal_note(struct group *group, uint32_t member, enum io_status status);
/* All parts have been answered. True: those that have refused stay, for the group would not go on
 * without them; marks and records are tried again in a while. Else they are lost. */
bool member_refusals_judge(struct group *group);
/* Would the group go on without all of these, and those that have refused writes lately? */
bool members_bear_loss(const struct group *group, const uint32_t *members, uint32_t count);
/* Where the drive is; part of a change that the caller saves. */
void member_place_set(struct member_config *member, const struct drive *drive);
/* Offline: losses that are not durable yet are not recorded either. */
void members_keep_unsaved(struct group *group);
bool member_is_last_copy(const struct group *group, uint32_t member);
void group_states_update(struct group *group);
static inline bool group_is_offline(const struct group *group)
{
    return group->state == VIRTUAL_DRIVE_STATE_OFFLINE;
}

/* copyback.c */
#define TWIN_NOWHERE UINT32_MAX
/* Where the operation's row has the member that is being copied; TWIN_NOWHERE: nowhere. */
uint32_t twin_place(const struct stripe_op *op);
void twin_start(struct group *group);
/* Ends the copyback; durable before what is under way is acknowledged. */
void twin_drop(struct group *group, enum reason_code why);
void twin_drop_by_status(struct group *group, const struct drive *drive, enum io_status status);
/* There is something to be copied from there on. */
void twin_step_back(struct group *group, uint64_t bytes);
void exchange_pump(struct group *group);
void exchange_end(struct group *group, int error);
/* Nothing of it begins any more. */
static inline bool group_is_held(const struct group *group)
{
    return group->exchange != NULL || group->growing;
}
/* The edit: gives the new member's configuration and gets the old one's. */
MUST_CHECK int twin_exchange(struct group *group, struct member_config *member);
void twin_exchange_undo(struct group *group, const struct member_config *member,
                        const struct copyback_config *copyback);
/* False: the new member was lost meanwhile, and the former one is in its place again. */
bool twin_exchange_done(struct group *group);
/* The member is lost; true: but the one that had its place a moment ago takes it back. */
MUST_CHECK bool twin_take_place_back(struct group *group, uint32_t member, enum reason_code why);
/* group_edit.c */
void exchange_edit(struct group *group);
/* The configuration that the member of the running exchange had. */
const struct member_config *edit_former_member(const struct group *group);

/* grow.c: the edit by which a virtual drive grows */
struct growth {
    struct vd *vd;
    uint64_t extent_bytes, size_bytes; /* to be */
    struct vd_config before;
    struct region_store *regions; /* before */
};
/* Something of it is under way; until the edit has ended nothing new begins. */
bool growth_has_to_wait(const struct growth *growth);
MUST_CHECK int growth_apply(struct growth *growth);
void growth_undo(struct growth *growth);
void growth_done(struct growth *growth);

/* checkpoint.c */
void checkpoint_init(struct group *group);
/* The caller has flushed what it vouches for, and saves. */
void checkpoint_publish_rows(struct vd *vd, uint64_t rows);

/* flush.c */
void flush_init(struct group *group);
void member_flushes_init(struct group *group, struct member *member);
void flush_wait(struct group *group, struct flush_waiter *waiter);
/* A member has been lost: the survivors flush before that is saved. */
void flush_note_loss(struct group *group);
void flush_losses_pump(struct group *group);
/* Of a kind other than rounds or losses there is none. */
static inline bool member_flush_is_busy(const struct member *member)
{
    return member->flush->busy || member->loss_flush->busy;
}

/* region_store.c: all but the first three bear NULL */
MUST_CHECK int region_store_create(struct vd *vd, struct region_store **ret_store);
void regions_pump(struct group *group);
/* No change is left that is not on the members. */
bool regions_are_settled(const struct group *group);
struct region_store *region_store_free(struct region_store *store);
void region_store_rest(struct region_store *store); /* no more cleaning until the next write */
bool region_store_is_busy(const struct region_store *store);
bool region_store_uses(const struct region_store *store, uint32_t member);
struct region_map *region_store_map(struct region_store *store);
/* Returns the region, for the other two. */
uint32_t region_write_begin(struct region_store *store, uint64_t row);
void region_doubt(struct region_store *store, uint32_t index);
bool region_may_write(const struct region_store *store, uint32_t index);
void region_write_end(struct region_store *store, uint32_t index);
void regions_load(struct group *group, void (*done)(struct group *group));
/* After loading: regions in doubt become NEED_SYNC. False: the map is not known. */
bool region_store_start(struct vd *vd, bool unclean);
/* A new, empty map takes the place of whatever there is. */
void region_store_renew(struct vd *vd, bool unwritten);
/* A new map for the geometry as it is now, with what the old one says. On error nothing changes. */
MUST_CHECK int region_store_grow(struct vd *vd, struct region_store **ret_old);
void region_store_wake(struct region_store *store); /* marks it has go when they rest */
/* A member is new: everything goes to all of them again. */
void regions_republish(struct group *group);

/* intent.c */
void intent_init(struct group *group);
/* The log is the stripe log. */
bool group_log_is_own(const struct group *group);
/* Does the virtual drive have the log? A stripe log only those that ask for it. */
bool vd_has_log(const struct vd *vd);
/* ... and it is the one that the record names: it knows what was written with that record. */
bool vd_is_logged(const struct vd *vd);
/* By the record that was found: the log knew of every write that the stop could have torn. */
bool vd_was_logged(const struct vd *vd);
/* What a record that is being made says of the log, and of the writes to come. */
void vd_log_record(const struct vd *vd, struct group_config *record);
/* Makes and clears a stripe log if there is a use for it and there is no log, while at work. */
void stripe_log_need(struct group *group);
/* The same at the end of an edit. */
void stripe_log_review(struct group *group);
/* After a refusal: what it could not write, or its beginning, is tried again. */
void stripe_log_go_on(struct group *group);
/* Makes one at the start, if the record says that it was used; it is to be replayed. */
void stripe_log_start(struct group *group);
/* Its replay has ended: the log that was given takes its place, and is to be replayed. False: there
 * is none. */
bool stripe_log_hand_over(struct group *group);
/* It is automatic and wanted, and will be there before anything is written degraded. */
bool stripe_log_is_awaited(const struct vd *vd);
/* The same for what is written from now on; there is nothing to be replayed. */
void stripe_log_begin(struct group *group, void (*done)(struct group *group));
/* There is one, or it is about to be. */
bool stripe_log_is_kept(const struct group *group);
/* Replay has failed: what is in the stripe log is void; then start_finish. */
void stripe_log_restart(struct group *group, void (*done)(struct group *group));
/* An odd generation: there is a log. True: something has changed. */
bool generations_set(struct group *group);
bool intent_is_needed(const struct stripe_op *op, uint32_t valid, uint32_t writes);
/* STRIPE_LOGGED, STRIPE_LOG_GONE, or STRIPE_WAIT: one of the two follows. */
enum stripe_event intent_append(struct stripe_op *op, uint32_t writes);
/* The row has been written; its members' losses are durable. */
void intent_retire(struct stripe_op *op);
/* The operation fails, and what it leaves behind is not durable yet. */
void intent_give_up(struct stripe_op *op);
/* Something has become durable. */
void intents_given_up_end(struct group *group);
/* Where a member is being rebuilt: what has been flushed will not be replayed on it any more. -EIO:
 * the group is offline. Done at once if there is nothing to wait for. */
void group_settle(struct group *group, struct group_settle *settle,
                  void (*done)(struct group_settle *settle, int error));
/* Writes go past the log from now on: what it holds shall not be replayed. */
void intent_log_lose(struct group *group);

/* replay.c */
/* Writes what the log holds to the members, flushes, clears the log; then done, within a turn. */
void replay_begin(struct group *group, void (*done)(struct group *group, int error));
void replay_op_done(struct stripe_op *op);

/* bad_block.c: changes of the table. add: false when it is full. */
MUST_CHECK bool bad_add_range(struct vd *vd, uint32_t member, uint64_t offset_bytes,
                              uint32_t length_bytes, enum bad_block_kind kind, bool *ret_new);
/* True if there were any. */
bool bad_drop(struct vd *vd, uint32_t member, uint64_t offset_bytes, uint64_t length_bytes,
              uint32_t kinds);

/* doubt.c: part of a change that the caller saves. Notes what is in doubt of these members. May set
 * another member aside, which may take the group offline. */
void doubts_note(struct group *group, const uint32_t *members, uint32_t count);

/* vd.c */
MUST_CHECK int vd_create(struct group *group, uint32_t index, struct vd **ret_vd);
struct vd *vd_free(struct vd *vd);
void vd_changed_tell(struct vd *vd);
void vd_target_update(struct vd *vd);
bool vd_needs_mark(const struct vd *vd);
void vd_mark_dirty(struct vd *vd);
bool vd_mark_is_durable(const struct vd *vd);
/* Would a mark that stands at an unclean stop make its region suspect? */
bool vd_marks_are_suspects(const struct vd *vd);
/* Members are missing: what is in doubt, or all, cannot be trusted where they are needed. */
void vd_note_suspects(struct vd *vd, bool all);
/* A write was answered: regions that have been rewritten whole will be trusted again. */
void vd_note_rewritten(struct vd *vd, uint64_t offset_bytes, uint64_t length_bytes);
/* ... and the writes that no log knew of have been in the middle of this one. */
bool vd_is_misdescribed(const struct vd *vd);
void vd_page_durable(struct vd *vd, const struct region_page *page);
void vd_regions_clean(struct vd *vd); /* the flush for it has succeeded */
bool vd_regions_are_sound(const struct vd *vd); /* none is in doubt */
bool vd_rows_are_unmapped(const struct vd *vd); /* some still are, see vd.unmapped_rows */
void vd_write_begin(struct vd *vd);
void vd_write_end(struct vd *vd);

/* vd_request.c */
void requests_pump(struct group *group);
/* What stands in the way of the request now, if anything. */
enum vd_status vd_request_check(const struct vd *vd, const struct vd_request *request);
void request_op_done(struct stripe_op *op);
/* A read that fits a plain one has its bytes. */
void request_plain_done(struct vd_request *request);
/* ... or has not got them: it begins anew, with the lock. */
void request_plain_again(struct vd_request *request);
/* May the drives write the answer to this read straight into its memory, whole blocks of it? */
static inline bool request_lends_blocks(const struct vd *vd, const struct vd_request *request)
{
    return request->lends &&
           ((request->offset_bytes | request->length_bytes | (uintptr_t)request->buffer) &
            (IO_ALIGN_BYTES - 1)) == 0 &&
           !vd_config_of(vd)->hedged_reads;
}
/* The drive that has the memory of a read is late: the request goes on with another one, and the
 * drive keeps what is returned. NULL: there is no memory. */
MUST_CHECK uint8_t *request_memory_exchange(struct vd_request *request);
/* The drive has let go of it. */
void request_memory_return(struct vd_lender *lender, uint8_t *memory);
/* The last late transfer of an operation with memory of a request came back. */
void request_memory_let_go(struct stripe_op *op);
/* Narrows op's range to what its request touches of it and sets its masks; false: nothing. */
bool stripe_take_range(struct stripe_op *op);

/* plain_read.c */
MUST_CHECK int plain_reads_init(struct group *group);
void plain_reads_done(struct group *group);
/* True: the drive has it, and the request will be told. False: it is none. */
MUST_CHECK bool plain_read_begin(struct vd *vd, struct vd_request *request);

/* sync.c */
void syncs_pump(struct group *group);
void sync_op_done(struct stripe_op *op);
void sync_deliver(struct vd_sync *sync);
void syncs_cancel(struct group *group);
/* Those of rows that the virtual drive has not got any more. */
void syncs_cancel_beyond(struct vd *vd);

/* check.c */
static inline bool stripe_is_check(const struct stripe_op *op)
{
    return op->sync != NULL && op->sync->check != NULL;
}
/* Plans what a check reads. False: a block could not be read, which is mended as a read would. */
MUST_CHECK bool check_plan(struct stripe_op *op);
/* The columns are there. False: to be done block by block. */
MUST_CHECK bool check_compute(struct stripe_op *op);
/* The block, or the slice, is over; `lost`: it is not to be had. */
void check_block_end(struct stripe_op *op, bool lost);
void check_op_done(struct stripe_op *op);

/* stripe_pool.c */
MUST_CHECK int stripe_pools_init(struct group *group);
void stripe_pools_done(struct group *group);
struct stripe_op *stripe_op_take(struct group *group, struct pool *pool);
void stripe_op_give(struct stripe_op *op);
/* op has ended but is held up by a late transfer: another one takes its place meanwhile. */
void stripe_op_hold(struct stripe_op *op);
/* One more operation, if those that late transfers hold up are too many. */
void stripe_op_substitute(struct group *group);
bool stripe_ops_are_left(const struct group *group);

/* stripe_op.c */
void stripe_event(struct stripe_op *op, enum stripe_event event);
void stripe_start(struct stripe_op *op);
void stripe_start_replay(struct stripe_op *op);
void stripe_marks_check(struct group *group);
enum stripe_event stripe_end(struct stripe_op *op, int error);
/* Of a row's places those whose strips can be trusted up to `hi`, and those that can be written. */
uint32_t row_valid_mask(const struct vd *vd, const struct row_map *map, uint32_t hi);
uint32_t row_live_mask(const struct vd *vd, const struct row_map *map);
bool row_is_consistent(const struct vd *vd, uint64_t row);
/* The same, without the barred ones. */
uint32_t stripe_valid_mask(const struct stripe_op *op);
uint32_t stripe_live_mask(const struct stripe_op *op);
bool stripe_row_is_consistent(const struct stripe_op *op);
/* ... because of an unclean stop whose writes no log knew of: its parity describes nothing. */
bool stripe_row_is_unknown(const struct stripe_op *op);
int stripe_plan(struct stripe_op *op);
void stripe_media_error_tell(struct stripe_op *op, uint32_t place, bool corrected);
void stripe_unrepaired_tell(struct stripe_op *op);
/* stripe_refused.c: after a write step in which drives have refused their part: STRIPE_WRITTEN if
 * they may be lost for it, and are; else STRIPE_REFUSED. */
enum stripe_event stripe_refusals_judge(struct stripe_op *op);
/* The row is torn: notes what of it cannot be trusted. False: there was no room for that. */
MUST_CHECK bool stripe_refused_note(struct stripe_op *op);
int stripe_refused_error(const struct stripe_op *op);
static inline uint32_t stripe_member(const struct stripe_op *op, uint32_t place)
{
    return row_map_member(&op->map, place);
}
static inline bool stripe_is_mirrored(const struct stripe_op *op)
{
    return raid_level_info(vd_config_of(op->vd)->geometry.level)->mirrored;
}

/* stripe_fine.c */
enum stripe_event stripe_fine_end(struct stripe_op *op, int error);
uint32_t stripe_lost_mask(const struct stripe_op *op);
/* The places of its data. */
uint32_t stripe_data_mask(const struct stripe_op *op);
bool stripe_is_punctured(const struct stripe_op *op);
/* False: it would write over punctured blocks whose notes have no room to end. */
MUST_CHECK bool stripe_notes_can_end(const struct stripe_op *op);
/* Do notes end with what this operation has written? Then STRIPE_FLUSHED comes when they may; if
 * they never may, STRIPE_FAIL, or STRIPE_DURABLE for a read. */
bool stripe_notes_flush(struct stripe_op *op);
void stripe_notes_end(struct stripe_op *op);
void stripe_read_note(struct stripe_op *op, uint32_t place, const struct drive_io *io);

/* stripe_sectors.c */
#define LOST_KIND BAD_KIND_BIT(BAD_BLOCK_KIND_LOST)
/* False: it has been tried, or does not apply. */
MUST_CHECK bool sectors_begin(struct stripe_op *op);
enum stripe_event sectors_read(struct stripe_op *op);
/* The sector read last is in the buffer of that place. */
void sectors_answered(struct stripe_op *op, uint32_t place);
/* STRIPE_WRITES, STRIPE_NO_WRITES, or STRIPE_FAIL: what is wanted is lost. */
enum stripe_event sectors_compute(struct stripe_op *op);
void sectors_unreadable_note(struct stripe_op *op);
/* The kinds of notes that end with what has been written. */
uint32_t sector_kinds_ending(const struct stripe_op *op, uint32_t place, uint32_t sector,
                             bool written);

/* stripe_io.c */
/* Reads [lo, hi) of the operation's block. */
void stripe_sector_submit(struct stripe_op *op, uint32_t place, uint32_t lo, uint32_t hi);
void stripe_read_submit(struct stripe_op *op, uint32_t places);
/* False: there is nothing to write. */
MUST_CHECK bool stripe_write_submit(struct stripe_op *op, uint32_t places);
void stripe_verify_submit(struct stripe_op *op, uint32_t place);
/* Where the bytes from `lo` of a row's strips on are on the member of a place. */
static inline uint64_t row_drive_offset(const struct vd *vd, const struct row_map *map,
                                        uint32_t place, uint32_t lo)
{
    return vd_config_of(vd)->extent_start_bytes + row_map_offset(map, place) + lo;
}
/* Of the operation's range. */
uint64_t stripe_drive_offset(const struct stripe_op *op, uint32_t place);

/* hedge.c */
/* How long a read of the place is to be waited for; 0: for ever. */
uint64_t hedge_patience_us(const struct stripe_op *op, uint32_t place);
void hedge_waiting(struct drive_io *io);
bool hedge_is_out(const struct stripe_op *op);
/* Nothing late but what the devices will answer soon. */
bool hedge_is_all_late(const struct stripe_op *op);
void hedge_timed_out(struct stripe_op *op, struct stripe_column *column);
/* Not late any more, while the operation is under way. */
void hedge_returned(struct stripe_op *op, struct stripe_column *column);

/* mirror.c */
struct mirror_read {
    struct vd *vd;
    const struct row_map *map;
    uint32_t lo, hi; /* of the strip */
    bool direct; /* one of those that streams are made of */
    uint64_t run_bytes; /* of a request that reads so much of each drive from here on; 0: little */
};
/* The place to read from; any of `valid` will do. */
uint32_t mirror_choose(const struct mirror_read *read, uint32_t valid);

/* mirror_policy.c: the same, of a policy that is not the engine's; some place is valid. */
uint32_t mirror_policy_choose(const struct mirror_read *read, uint32_t valid);

/* stripe_kernel.c */
void stripe_compute(struct stripe_op *op);
/* The request's new bytes of one data strip over what the buffer holds, and the other way. */
void stripe_overlay(const struct stripe_op *op, uint32_t data_index, uint8_t *buffer);
void stripe_answer(const struct stripe_op *op, uint32_t data_index, const uint8_t *buffer);
/* The part of the operation's request that lies in a data strip: [*ret_lo, *ret_hi) within the
 * strip, both 0 if none. */
void stripe_request_range(const struct stripe_op *op, uint32_t data_index, uint32_t *ret_lo,
                          uint32_t *ret_hi);

/* stripe_lock.c */
void stripe_locks_init(struct group *group);
/* True if granted at once; otherwise the operation gets STRIPE_GRANTED later. */
bool stripe_lock(struct stripe_op *op);
void stripe_unlock(struct stripe_op *op);
bool stripe_is_locked(const struct stripe_op *op);
/* The same of any slice: somebody has the lock. */
bool slice_is_locked(const struct vd *vd, uint64_t row, uint32_t slice);

#endif
