/*
 * One simulated life of a drive group, out of one seed: shape, load, faults, replacements,
 * tasks, restarts and power cuts; checked by the model all the way.
 *
 * Within budget (the default): at any time the drives in trouble are no more than the level
 * bears, and then no request may fail. Over budget: anything may break; a request may fail, but
 * must not lie, and what was acknowledged is there again when the drives are.
 *
 * Crash points: at I/O boundaries of the life a copy is made of what a power cut would leave, the
 * group is built anew from the copy, recovers, is verified, repaired and verified again with
 * drives pulled; then the life goes on as if nothing had been (crash_point.c).
 *
 * A life is a row of steps. What a step does depends on the seed and its number alone, so that the
 * shrinker can leave steps out.
 */
#ifndef ARRAYWRIGHT_SIM_RUN_H
#define ARRAYWRIGHT_SIM_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "raid/geometry.h"
#include "sim_world.h"

/* What may go wrong. Each life switches whole classes off. */
enum run_class {
    RUN_LATENT,      /* sectors that cannot be read until they are written */
    RUN_BAD_SECTOR,  /* sectors that cannot be written or read any more */
    RUN_WRITES_FAIL, /* a drive that takes no writes any more */
    RUN_FLUSH_FAILS,
    RUN_HANG,        /* no answers, or late ones */
    RUN_ERRORS,      /* several requests in a row fail */
    RUN_TRANSIENT,   /* one request fails, a retry helps */
    RUN_SLOW,
    RUN_PULL,        /* gone, with what its cache held kept; comes back stale or in time */
    RUN_PULL_LOSE,   /* gone, and the content of its cache too */
    RUN_UNREADABLE,  /* a power cut leaves a torn write's sector unreadable */
    RUN_SHUFFLE,     /* after a power cut the drives stand in other slots */
    RUN_RETURN,      /* a power cut brings drives back */
    RUN_STORE_FAILS, /* the host's store takes no records */
    RUN_STORE_LOST,  /* a power cut costs the host's records: the labels must do */
    RUN_SMALL_SPARE, /* a drive that is too small is offered: it must be refused */
    RUN_TEASE,       /* tasks are paused, stopped, re-rated */
    RUN_RESTART,     /* an orderly stop and start */
    RUN_CUT,         /* a power cut of the life itself, and life goes on after it */
    RUN_MANAGE,      /* changes of the configuration */
    RUN_CLOSED,      /* no fault: there is a log of write intents, and the write hole is closed */
    RUN_NESTED,      /* a power cut during the recovery from a power cut */
    RUN_LIE,         /* a drive that answers flushes and makes nothing durable */
    RUN_LABEL,       /* a power cut damages one label of a drive, or both */
    RUN_COPYBACK,    /* members are copied to other drives, which take their places */
    RUN_ROT,         /* sectors of a drive silently become other bytes */
    RUN_MISDIRECT,   /* a write of a drive silently goes to another place of it */
    RUN_MEND,        /* no fault: blocks are mended, whether they can be read or not */
    RUN_CHECK,       /* no fault: rows are compared */
    RUN_REFUSE,      /* drives refuse writes or flushes for a while (run_refuse.c) */
    RUN_CLASS_MAX
};

const char *run_class_name(enum run_class class);

struct sim_array_options;

struct run_options {
    uint64_t seed;
    uint32_t requests;       /* steps, each with a request */
    bool over_budget;
    bool crashes;            /* power cuts of the life itself now and then */
    int level;               /* enum raid_level, or -1: by the seed */
    bool calm;               /* no drive faults, only what the other options ask for */
    bool small;              /* small shapes, so that crash points are cheap */
    uint32_t crash_points;   /* at most so many */
    bool stripe;             /* a stripe over several groups (stripe_run.h) */
    bool swarm;              /* switch classes off by the seed */
    uint32_t classes_off;    /* bits of enum run_class */
    const uint8_t *skipped;  /* one per step: left out; NULL: none */
    const struct sim_array_options *shape; /* instead of one by the seed; may be NULL */
    bool trace;              /* tell on stderr what happens */
};

struct run_result {
    bool failed;
    char why[256];
    uint64_t requests;
    uint64_t faults;
    uint64_t crashes;
    uint64_t restarts;
    uint64_t rebuilds;
    uint64_t syncs;
    uint64_t replacements;
    uint64_t copybacks;   /* that a drive has taken a member's place by */
    uint64_t crash_points;
    uint64_t loss_sets;   /* sets of drives removed and verified without */
    uint64_t each_loss_points; /* proofs at which each tolerable set was */
    uint64_t each_loss_sets;   /* those sets */
    uint64_t told_blocks;      /* could not be read, as was told (vd/doubt.c) */
    uint64_t boundaries;
    uint64_t firings[RUN_CLASS_MAX];
    uint64_t cuts[SIM_CUT_MAX];
    uint64_t hash;        /* of everything that happened: two runs of a seed agree */
    uint32_t classes;     /* that were on */
    uint32_t step;        /* the last one begun */
    char shape[96];
};

void run(const struct run_options *options, struct run_result *ret_result);

#endif
