/*
 * Inside of a life behind the cache, shared by cached_life*.c.
 */
#ifndef ARRAYWRIGHT_SIM_CACHED_LIFE_PRIVATE_H
#define ARRAYWRIGHT_SIM_CACHED_LIFE_PRIVATE_H

#include "cache/intents.h"
#include "cached_life.h"
#include "flight.h"
#include "model.h"
#include "report.h"
#include "run_private.h"
#include "sim_array.h"
#include "sim_log.h"
#include "sim_memory.h"
#include "vd/cached.h"

#define LIFE_VDS_MAX 4u
#define LIFE_PATIENCE_US (600 * SIM_SECOND)

struct life {
    const struct life_options *options;
    struct life_result *result;
    struct sim_world *world;
    struct sim_array *array;
    struct rng rng;
    struct sim_memory medium;
    uint8_t *medium_kept;
    bool on_log; /* the medium is ordinary memory, with a log */
    bool log_wanted; /* it must be */
    struct sim_log log_device;
    bool log_was_lost; /* in the run before this one, or before crashes since */
    struct cache *cache;
    struct cache_mover *mover;
    struct intents *intents;
    struct intent_log *log; /* NULL: the medium is too small for one */
    struct vd_cached *cached[LIFE_VDS_MAX];
    struct model *models[LIFE_VDS_MAX];
    struct flights flights;
    uint32_t closed;
    uint32_t journals;
    uint64_t range_end;      /* of the newest request */
    bool back_only;          /* write-back all the time */
    uint32_t *back[LIFE_VDS_MAX]; /* then: the newest version of each block acknowledged so */
    bool torn;               /* rows without an intent may be, since a crash */
    /* This life as one without a cache, for what is common to both: tasks, replacements, faults. */
    struct run drives;
    struct run_options drive_options;
    struct rng point_rng;
    uint32_t points_left;
    uint64_t ended_us; /* the last life before this */
    uint64_t lost_us[LIFE_VDS_MAX]; /* a loss was found, and noted from then on */
    uint32_t growing; /* a virtual drive, counted from 1; 0: none */
    uint64_t growing_bytes; /* its size then */
    bool last; /* at the next stop all is well, and nothing comes after it */
    bool dead; /* answers do not count */
    bool away; /* the drives are: errors are no failures */
};

/* cached_life.c */
static inline struct report life_report(const struct life *life)
{
    return (struct report){.trace = life->options->trace,
                           .now_us = life->world->now_us,
                           .failed = &life->result->failed,
                           .why = life->result->why};
}
#define life_fail(life, ...) report_fail(life_report(life), __VA_ARGS__)
#define life_trace(life, ...) report_trace(life_report(life), __VA_ARGS__)
void life_hash(struct life *life, uint64_t value);
uint64_t life_below(struct life *life, uint64_t bound);
bool life_chance(struct life *life, uint32_t percent);
struct life *life_new(const struct life_options *options, bool log_wanted,
                      struct life_result *ret_result);
/* Everything is looked at once more, then it is freed. */
void life_end(struct life *life);
/* After life_stop(). */
void life_free(struct life *life);

/* cached_shape.c */
bool life_is_wide(const struct life_options *options);
void life_shape_choose(struct life *life, struct sim_array_options *options);
void life_shape_describe(struct life *life);

/* cached_life_drives.c: what happens to the drives besides */
bool life_is_tended(const struct life_options *options);
void life_drives_shape(const struct life *life, struct sim_array_options *options);
/* When array and models are there. */
void life_drives_begin(struct life *life);
/* The same of a copy. */
void life_drives_fork(struct life *life);
/* A step: lost members are replaced, tasks begun. */
void life_drives_tend(struct life *life);
bool life_drives_end_soon(struct life *life);
/* An end comes: what it meets is counted. */
void life_drives_end_note(const struct life *life);
/* This member may be lost too. */
bool life_drives_bear(struct life *life, uint32_t member);
/* An end may leave rows that do not agree: nothing else is the matter with them. */
bool life_drives_may_tear(const struct life *life);
/* They keep a log of intents themselves. */
bool life_drives_close_the_hole(const struct life *life);
/* What has been read of it must not be older when it is read again. */
bool life_pins(const struct life *life, uint32_t vd);
/* The group knows all that is the matter, and copies to nobody. */
bool life_drives_are_known(const struct life *life);
/* Switching off and on again, or what looks like it, has cured some. */
void life_drives_after(struct life *life, enum sim_cut cut);
/* Before the group stops. */
void life_tasks_end(struct life *life);
/* Trouble ends, everything lost is rebuilt; in bounded time all is well. */
void life_drives_heal(struct life *life);
/* All is well and the cache away: everything is there, on the drives too, and without some. */
void life_drives_prove(struct life *life);

/* cached_life_grow.c */
void life_grow(struct life *life, uint32_t vd, uint32_t rows);
/* After a start, too: the models follow. */
void life_sizes_judge(struct life *life);

/* cached_point.c: crash points of copies */
void life_points_begin(struct life *life);
/* Only while the group and its cache are up. */
void life_points_watch(struct life *life, bool watch);

/* cached_life_medium.c: the cache and its medium */
void life_medium_make(struct life *life);
/* What the end leaves of its memory. */
void life_medium_left(struct life *life, struct rng *rng, bool death, uint8_t *ret_bytes);
bool life_medium_is_stable(const struct life *life);
/* The log's device has failed: what is acknowledged from now on is on the drives alone. */
bool life_log_is_lost(const struct life *life);
void life_policy_set(struct life *life, uint32_t index);
/* Before the group starts: it may have intents to replay. */
void life_cache_begin(struct life *life);
void life_cache_open(struct life *life, bool lost_is_fine);
void life_cache_close(struct life *life);
/* After the group has stopped. */
void life_cache_end(struct life *life);

/* cached_life_load.c: requests, and looking at everything */
void life_load_init(struct life *life);
void life_submit(struct life *life);
/* One request; of a flush there is no range. */
void life_ask(struct life *life, uint32_t vd, enum vd_op op, uint64_t block, uint64_t count);
bool life_drain(struct life *life);
/* acked: what was acknowledged before the end; where it is missing the loss must be noted. */
void life_verify(struct life *life, uint32_t index, struct vd_target *target, const uint32_t *acked,
                 const char *when);

/* cached_life_ends.c: ends and new beginnings */
/* A degraded row that is cut short may have anything in it, unless its intent has been kept. */
bool life_hole_is_closed(const struct life *life, bool death);
/* An end may come now: what it tears can be made to agree again. */
bool life_may_end(const struct life *life, bool death);
/* A power cut may cost a drive something besides, if nothing tears that has to do with it. */
void life_cut_trouble(struct life *life, struct rng *rng, bool death, struct sim_cut_plan *plan);
/* The agent dies, or the power goes. */
void life_crash(struct life *life);
/* What that has left comes up, and is looked at. The drives have already lost what they may. */
void life_begin_after(struct life *life, bool death, bool kept);
/* All drives leave for a while: what was acknowledged waits in the cache. */
void life_drives_leave(struct life *life);
/* One member leaves for good; the rest goes on without. */
void life_member_leaves(struct life *life);
/* As many as the level bears, or fewer, are missing from the start. */
void life_begin_degraded(struct life *life);
/* An orderly end, with nothing missing on the drives alone; false: it has failed. */
bool life_stop(struct life *life);
/* The group and its cache after that. */
void life_start(struct life *life);
void life_restart(struct life *life);

#endif
