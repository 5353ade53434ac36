/*
 * Inside of a simulated life, shared by run*.c and crash_point.c.
 */
#ifndef ARRAYWRIGHT_SIM_RUN_PRIVATE_H
#define ARRAYWRIGHT_SIM_RUN_PRIVATE_H

#include "array_layout.h"
#include "flight.h"
#include "model.h"
#include "run.h"
#include "sim_array.h"
#include "sim_intent_log.h"
#include "task/task.h"

#define RUN_TASKS 12u
#define RUN_VDS_MAX 3u
#define RUN_MODELS_MAX 4u /* lives behind the cache have more virtual drives */
#define RUN_DEPTH_MAX 2u

struct run {
    const struct run_options *options;
    struct run_result *result;
    struct sim_world *world;
    struct sim_array *array;
    struct rng rng;
    struct model *models[RUN_MODELS_MAX];
    struct flights flights;
    struct task *tasks[RUN_TASKS];
    uint32_t failed_tasks;
    struct vd_sync mend;
    bool mending;
    struct vd_sync check;
    struct vd_check check_result;
    bool checking;
    bool found_any;       /* it has told of a row, of this one */
    uint64_t found_row;
    uint32_t crash_in;    /* actions; 0: none is planned */
    bool dead;            /* the power is off: answers do not count */
    bool calm;            /* no new faults */
    uint32_t losses_left; /* faults that cost a drive, bounded by the spares */
    uint32_t classes;     /* that are on: bits of enum run_class */
    struct sim_intent_log *log; /* NULL: the write hole is open, or closed by a stripe log */
    bool closed;                /* at the last power cut it was closed, by either */
    bool starting;              /* the models do not know of it yet */
    bool refusing;              /* drives do, */
    uint64_t refused_us;        /* or did until then */
    struct sim_event refuse_event; /* they do for a while after a power cut */
    bool refuse_posted;
    uint64_t refused_task_us;   /* when a task failed meanwhile */
    bool cut;                   /* the last end was a power cut, */
    bool rest_at_risk;          /* of a whole group that no log was kept of, not resynced since */
    bool troubled[SIM_ARRAY_DRIVES_MAX]; /* members, when the power went */
    /* There was a cut whose writes no log knew of: from then on it may be told that blocks are lost
     * (vd/doubt.c), until they are written. Nothing else may be returned for them. */
    bool tells;
    bool lying; /* a drive lies: only what may be checked is checked */

    /* Crash points. */
    const struct point_watch *watch; /* the enumerator's; NULL: of a life */
    uint32_t depth; /* 0: the life, 1: at a crash point, 2: at one of its recovery */
    struct rng point_rng;
    uint32_t point_period; /* a crash point at one boundary of so many; 0: none */
    uint32_t points_left;
    uint32_t points_step; /* of them in this step */

    /* A stripe over groups (stripe_run.h). The life of the whole has a load, a model and the power
     * switch, each group's has drives, faults and tasks: the array of the former is NULL. */
    struct run *parts; /* of the whole: the groups' */
    uint32_t part_count;
    struct vd_target *target;
    const struct layout *stripe; /* of each: how the blocks of the model lie on the groups */
    uint32_t stripe_place; /* a group's in that */

    /* Changes of the configuration: the number in the first virtual drive's name. */
    uint32_t name_acked;
    uint32_t name_pending; /* 0: none */
    uint32_t name_failed; /* over budget: the newest of those refused since; 0: none */
};

void run_fail(struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);
void run_trace(const struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);
/* Tells of every transfer too, if anything is to be told. */
void run_trace_drives(struct run *run);
void run_hash(struct run *run, uint64_t value);
uint64_t run_below(struct run *run, uint64_t bound);
bool run_chance(struct run *run, uint32_t percent);
bool run_is_on(const struct run *run, enum run_class class);
/* True, and counted, if the class is on. */
bool run_fires(struct run *run, enum run_class class);
uint64_t run_row_blocks(const struct run *run, uint32_t vd);
bool run_has_parity(const struct run *run);
uint32_t run_tolerance(const struct run *run);
/* What has been read counts: it must not go back to what it was before. While copies may differ
 * that holds only as long as the drive with the one that was read does. */
bool run_pins(const struct run *run);
/* Something interesting is going on: perhaps a power cut in a moment. */
void crash_soon(struct run *run);

/* run.c; also what a crash point and the enumerator do */
void run_setup(struct run *run);
/* Faults stop; everything lost is replaced and rebuilt; in bounded time all is well again. */
void run_quiesce(struct run *run);
void run_prove(struct run *run);
void run_end(struct run *run);
/* Parts of these, for one group. */
void run_group_begin(struct run *run, const struct sim_array_options *options);
void run_group_end(struct run *run); /* nothing of the load is in the air */
void run_group_free(struct run *run);
/* Plugs in what is missing, and looks whether the group is there again. */
void run_group_recover(struct run *run);
void run_prove_raw(struct run *run);
struct sim_cut_plan run_cut_plan(struct run *run, struct rng *rng);
/* What it does to a drive besides: an unreadable sector, damaged labels, or nothing. */
void run_cut_trouble(struct run *run, struct rng *rng, struct sim_cut_plan *plan);

/* run_losses.c */
/* Pulls as many as every span bears, by the dice. False: it bears none. */
bool losses_pull_some(struct run *run);
/* This is one of the points of narrow lives where each set is tried, or new to the enumerator. */
bool losses_each_are_due(struct run *run);
/* Everything is well, and can be read without each set of drives that is tolerable and takes no
 * more; of copies. */
void losses_check_each(struct run *run);

/* run_risk.c */
/* Finds the array again; the models get to know what they have to of the start, */
void run_start_again(struct run *run);
/* of a power cut of `from` (the same life or another), */
void run_cut_noted(struct run *run, struct run *from, const struct sim_cut_plan *plan);
/* and of trouble that comes to a member. */
void run_risk_taken(struct run *run, uint32_t member);
void risks_review(struct run *run);
/* The group has come up: was its last end one that no log knew of? */
void run_tells_note(struct run *run);
/* Has the group told that something in this range is lost, and may it have? */
bool run_is_told(const struct run *run, uint32_t vd, uint64_t block, uint64_t count);
/* The part of that which is for one group: the models know already that the power went. */
void run_cut_risked(struct run *run, struct run *from, const struct sim_cut_plan *plan);
/* Where a block of the model lies on the virtual drive; false: on that of another group. */
bool run_block_find(const struct run *run, uint32_t vd, uint64_t block, uint64_t *ret_offset_bytes);
/* Of the blocks of a stripe those that lie in rows of this group with any of these, one flag each.
 * of: the group or the one that it is a copy of. */
void run_rows_spread(struct run *run, struct run *of, bool *blocks);
/* The write hole is closed: there is a log of write intents, or the group says that its members
 * keep one. */
bool run_hole_is_closed(const struct run *run);

/* run_shape.c */
void shape_choose(struct run *run, struct sim_array_options *options);
void shape_describe(struct run *run);
uint32_t classes_choose(struct run *run);

/* crash_point.c */
void crash_point_boundary(void *context);
void crash_points_plan(struct run *run, void (*boundary)(void *context), void *context);
/* The beginning of a run at a crash point of this one, its group, if it is one's, still to come; */
void crash_point_init(struct run *run, struct run *from);
/* its world, where there may be one more crash point, which boundary() has; */
void crash_point_world_begin(struct run *run, const struct run *from,
                             void (*boundary)(void *context), void *context);
/* and what a power cut now leaves of the group. */
void crash_point_group_fork(struct run *run, struct run *from, const struct sim_cut_plan *plan);
/* Counts the boundary; true: there is to be a crash point now, and it is one of those planned. */
bool crash_point_is_due(struct run *run, bool can_be_copied);
/* What need not be verified, because it has been: what a power cut has left; and once all is well
 * again, without each set of drives. */
struct point_watch {
    bool (*seen)(void *context, const struct run *run);
    bool (*healed_seen)(void *context, struct run *run);
    void *context;
};
/* One crash point as planned. watch may be NULL. */
void crash_point_at(struct run *from, const struct sim_cut_plan *plan,
                    const struct point_watch *watch);

/* run_refuse.c */
void refuse_maybe(struct run *run);
void refuse_end(struct run *run);
void refuse_after_cut(struct run *run);
/* The power goes: `from` is the same life, or the one that is copied. */
void refuse_cut_noted(struct run *run, struct run *from);
/* Writes and flushes may fail. */
bool refuse_is_on(const struct run *run);
/* A request has failed; true: because of that. */
bool refuse_flight_failed(struct run *run, const struct flight *flight);
/* Something of these blocks is in excess of redundancy by that. */
bool refuse_excuses(struct run *run, uint32_t vd, uint64_t block, uint64_t count);

/* run_load.c */
void load_init(struct run *run);
void load_submit(struct run *run);
/* This request; there must be room in the air. */
void load_submit_this(struct run *run, enum vd_op op, bool fua, uint64_t block, uint64_t count);
bool load_drain(struct run *run);
void load_verify(struct run *run, const char *when, bool pin);

/* run_copyback.c */
void copyback_maybe(struct run *run);
/* Begins one of this member to a fresh drive, and waits for the record of that. */
void copyback_begin(struct run *run, uint32_t member);
/* The drive that is being filled from this member is in trouble; it may be the member soon. */
bool copyback_is_troubled(const struct run *run, uint32_t member,
                          bool (*is_troubled)(const struct sim_drive *sim));

/* run_mend.c */
void mend_maybe(struct run *run);

/* run_check.c */
void check_maybe(struct run *run);
/* All is well again: what does not agree is told of, and nothing else. */
void check_prove(struct run *run);

/* run_manage.c */
void manage_maybe(struct run *run);
void manage_check(struct run *run);
bool manage_drain(struct run *run);

/* run_faults.c */
void faults_maybe(struct run *run);
void faults_end(struct run *run);
/* Switching off and on again has cured some drives: they come back, stale or not. */
void faults_after_cut(struct run *run, enum sim_cut cut);
bool drive_is_troubled(const struct run *run, uint32_t member);
/* The span bears it that this member is in trouble too. */
bool faults_within_budget(const struct run *run, uint32_t member);
/* Something is wrong that the group does not know of yet. */
bool drive_is_troubled_unknown(const struct run *run, uint32_t member);
bool run_is_troubled_unknown(const struct run *run);
bool run_is_troubled(const struct run *run);
/* A member that may leave an unreadable sector at a power cut, or SIM_NO_DRIVE. */
uint32_t faults_spoilt_choose(const struct run *run, struct rng *rng);
/* May damage labels of a member that the others can do without. */
void faults_label_choose(struct run *run, struct rng *rng, struct sim_cut_plan *plan);
/* A start after a power cut goes by the records: who is not in sync by them is as good as lost,
 * though its rebuild may be over. */
bool faults_span_bears_after_cut(const struct run *run, uint32_t member);
/* All are in sync then, and nothing is the matter with them. */
bool faults_none_after_cut(const struct run *run);

/* run_silent.c */
void silent_maybe(struct run *run);
/* Redundancy need not agree any more. */
bool silent_has_been(const struct run *run, uint32_t vd);

/* run_tasks.c */
void tasks_tend(struct run *run, bool tease);
void tasks_end(struct run *run);
void members_replace(struct run *run, bool all);
/* A drive that nobody uses, or SIM_NO_DRIVE. */
uint32_t drive_free_find(struct run *run);

#endif
