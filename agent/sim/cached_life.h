/*
 * One simulated life of virtual drives behind the cache: random requests, changes of policy, the
 * agent's death, power cuts, drives that go away and come back. The medium of the cache survives
 * as its kind says: shared memory the agent's death, a persistent medium everything.
 */
#ifndef ARRAYWRIGHT_SIM_CACHED_LIFE_H
#define ARRAYWRIGHT_SIM_CACHED_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "report.h"
#include "run.h"
#include "sim_world.h"

struct life_options {
    uint64_t seed;
    uint32_t requests;
    int level;  /* enum raid_level, or -1: by the seed */
    bool points; /* crash points of copies too */
    bool tended; /* drives are replaced and rebuilt, whatever the seed says */
    bool trace; /* tell on stderr what happens */
};

struct life_result {
    bool failed;
    char why[REPORT_WHY_BYTES];
    char shape[128];
    uint64_t requests;
    uint64_t reads;         /* judged */
    uint64_t looks;         /* reads of a whole virtual drive, judged */
    uint64_t writes;        /* acknowledged */
    uint64_t back;          /* of them: from the cache, and expected to outlive what ends */
    uint64_t flushes;
    uint64_t crash_points;  /* the agent's death, or a power cut, of the life or of a copy */
    uint64_t crashes;       /* of them: of the life itself */
    uint64_t deaths;        /* of the crash points: the agent's */
    uint64_t cuts[SIM_CUT_MAX]; /* the others */
    uint64_t restarts;
    uint64_t recoveries;    /* of a virtual drive with dirty blocks, after an end */
    uint64_t pinned;        /* virtual drives whose dirty blocks waited for drives */
    uint64_t media_lost;    /* logs that failed */
    uint64_t losses_noted;  /* virtual drives that said that acknowledged writes are lost */
    uint64_t members_lost;
    uint64_t degraded_starts;
    uint64_t policy_changes;
    uint64_t grown;         /* virtual drives, each time */
    uint64_t ends_refused;  /* rows would tear that something else is the matter with */
    uint64_t rebuild_ends;  /* crash points with a rebuild under way */
    struct run_result drives; /* faults, replacements, tasks; the rest of it is not used */
    uint64_t hash;          /* of everything that happened: two lives of a seed agree */
};

void cached_life(const struct life_options *options, struct life_result *ret_result);
/* A story instead (cached_story.c): what a lost log still has of an earlier life is discarded,
 * something is written at once, and the power goes or the agent dies in that very moment. */
void cached_discard(uint64_t seed, struct life_result *ret_result);
/* Another: a write that the cache has no room for as a whole waits for the log, what goes through
 * meanwhile in its range is answered, and the log fails. */
void cached_overtake(uint64_t seed, struct life_result *ret_result);
/* Another: a member is missing, a whole row goes to the drives before the journal's log has it, and
 * the power goes or the agent dies. */
void cached_whole_row(uint64_t seed, struct life_result *ret_result);
/* Another: a drive is rebuilt while the log still has intents of the one before it, which have been
 * released. */
void cached_old_intents(uint64_t seed, struct life_result *ret_result);
/* Another: a drive hangs while it reads what is to stay in the cache. */
void cached_late_read(uint64_t seed, struct life_result *ret_result);
/* Another: what is being read ahead is written meanwhile, and then read. */
void cached_join(uint64_t seed, struct life_result *ret_result);

#endif
