/*
 * A drive group on simulated drives, for tests of the engine and of what stands on it: builds
 * the configuration, starts, stops, cuts the power, and finds the group again from the store
 * and the labels, as the controller does after a restart.
 */
#ifndef ARRAYWRIGHT_SIM_ARRAY_H
#define ARRAYWRIGHT_SIM_ARRAY_H

#include "meta/group_store.h"
#include "sim_drive.h"
#include "sim_store.h"
#include "sim_world.h"
#include "vd/group.h"

#define SIM_ARRAY_DRIVES_MAX 260u
#define SIM_NO_DRIVE UINT32_MAX

struct sim_array_options {
    enum raid_level level;
    uint32_t span_count;
    uint32_t members_per_span;
    uint32_t strip_bytes;
    uint32_t block_bytes;     /* 512 or 4096 */
    uint32_t physical_block_bytes; /* what a drive loses at once; 0: block_bytes */
    uint32_t vd_count;
    uint64_t extent_bytes;    /* of each virtual drive on each member */
    uint32_t spare_count;     /* drives besides the members */
    bool small_spare;         /* one more, with no room but for the first virtual drive */
    bool noise;               /* drives are full of old bytes */
    bool consistent;          /* the virtual drives start out known consistent (zeroed drives) */
    uint32_t stripe_ops;      /* 0: default */
    uint32_t timeout_ms;      /* 0: 2000 */
    uint32_t dirty_idle_ms;   /* 0: 500 */
    uint32_t dirty_warm_ms;   /* 0: as dirty_idle_ms */
    uint64_t dirty_warm_bytes; /* 0: nothing is marked in advance */
    uint64_t region_bytes;    /* 0: default */
    enum stripe_log_mode stripe_log; /* of every virtual drive */
    bool hedged_reads;        /* the same */
    bool ddf;                 /* members carry DDF metadata too */
    bool unobserved;          /* the group tells nobody anything */
    uint32_t ssd_count;       /* the first so many drives are SSDs */
    bool compact;             /* private areas; data where the others would be */
    struct intent_log *intent_log; /* the test's; NULL: none */
};

struct sim_array {
    struct sim_world *world;
    struct sim_array_options options;
    uint32_t member_count;
    uint32_t drive_count;
    struct sim_drive *sims[SIM_ARRAY_DRIVES_MAX];
    struct drive *drives[SIM_ARRAY_DRIVES_MAX];
    struct uuid uuids[SIM_ARRAY_DRIVES_MAX];
    bool used[SIM_ARRAY_DRIVES_MAX];          /* has been a member: not a fresh spare any more */
    uint32_t place_of[SIM_ARRAY_DRIVES_MAX];  /* member place -> drive, SIM_NO_DRIVE if none */
    uint32_t twin;                            /* the drive of a copyback, or SIM_NO_DRIVE */
    struct sim_store *sim_store;
    struct group_store *store;
    struct uuid controller;
    struct group_config *config;              /* as first created */
    struct group *group;
    bool recorded_online[SIM_ARRAY_DRIVES_MAX]; /* members in sync by the record last found */
    /* What the observer has seen. */
    uint64_t members_lost;
    uint64_t copybacks;
    uint64_t media_corrected;
    uint64_t media_uncorrected;
    uint64_t blocks_noted, notes_over; /* bad blocks */
    uint64_t state_changes;            /* of virtual drives */
    /* Results of the last asynchronous call. */
    bool done;
    int error;
};

struct sim_array *sim_array_create(struct sim_world *world,
                                   const struct sim_array_options *options);
/* What a power cut now would leave of the drives and the store, in a world of its own: an array
 * that waits for sim_array_reload(). Whatever else is to survive a power cut belongs here too. The
 * drives stand in another order if shuffled. */
struct sim_array *sim_array_fork(const struct sim_array *array, struct sim_world *world,
                                 const struct sim_cut_plan *plan, bool shuffled);
/* The group must be stopped or never started. The world stays. */
void sim_array_destroy(struct sim_array *array);

/* Each runs the world until it is done and returns the error. */
int sim_array_start(struct sim_array *array);  /* a new group from options */
int sim_array_stop(struct sim_array *array);   /* group and drive objects go */
/* After a stop or a power cut: new drive objects, the newest record wins, members by label. */
int sim_array_reload(struct sim_array *array);
/* The same when the test has stopped and freed the group itself. */
int sim_array_start_again(struct sim_array *array);
/* Cuts the power, lets the old objects wind down, frees them, and switches on again. */
void sim_array_power_cut(struct sim_array *array, enum sim_cut cut);
/* The small spare, or SIM_NO_DRIVE. */
uint32_t sim_array_small_spare(const struct sim_array *array);
/* The index of a fresh drive for a replacement, or SIM_NO_DRIVE. */
uint32_t sim_array_spare(const struct sim_array *array);
int sim_array_replace(struct sim_array *array, uint32_t member, uint32_t drive);
/* Begins to fill the drive from the member, whose place it will take. */
int sim_array_copyback(struct sim_array *array, uint32_t member, uint32_t drive);
/* Which members a start after a power cut now can count on: every record it may go by (the store's,
 * what is being put there, the labels of members in sync as they are on the medium for sure) calls
 * them in sync, on a drive that is in no trouble. */
void sim_array_recorded_sound(struct sim_array *array,
                              bool (*is_troubled)(const struct sim_drive *sim), bool *sound);
/* Does every record that a start after a power cut now may go by call a member out of sync? */
bool sim_array_recorded_degraded(struct sim_array *array);
/* As far as a virtual drive may grow on each member. */
uint64_t sim_array_extent_most(const struct sim_array *array);
struct vd *sim_array_vd(struct sim_array *array, uint32_t index);
/* Drive behind a member, also of a lost one. */
struct sim_drive *sim_array_sim(struct sim_array *array, uint32_t member);

/* One request, run to its end. */
enum vd_status sim_array_io(struct sim_array *array, struct vd *vd, enum vd_op op, bool fua,
                            uint64_t offset_bytes, uint32_t length_bytes, void *buffer);
/* The same of whatever can be exported. */
enum vd_status sim_target_io(struct sim_world *world, struct vd_target *target, enum vd_op op,
                             bool fua, uint64_t offset_bytes, uint32_t length_bytes, void *buffer);
/* For callbacks of the form done(context, error): context is the array. */
void sim_array_done(void *context, int error);
/* Runs the world until done; asserts that it comes. */
int sim_array_wait(struct sim_array *array);

#endif
