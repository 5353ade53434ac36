/*
 * One simulated life of a controller whose write-back cache is in memory that only a battery keeps:
 * a UPS, or the emulated pack of an emulated controller. The source of power is known for certain
 * here; what the battery object makes of its readings, and the write policies of that, is judged.
 *
 * Judged, besides every read:
 * (1) A reading that takes the protection away has made every policy write-through at once; and one
 *     that gives it back has not before it has lasted (settle_us).
 * (2) No more is dirty than the UPS's time is good for, at the measured rate; after a fall of the
 *     limit, or of the policy, only for as long as that takes to write.
 * (3) When a UPS that has told the truth is low, nothing is dirty any more.
 * (4) When the power goes, whatever was acknowledged while write-back was in effect is there again
 *     after it, unless the source had lied, failed at a stroke or was not asked: then the loss is
 *     noted on the virtual drive, and still no read returns anything but versions of the block.
 * (5) Only where drives are missing and the memory has gone, or has no room for intents, parity
 * that was being written may be torn, and with it blocks that nobody wrote: then it is said in an
 *     event of how many bytes that may be true, and it is of no more.
 */
#ifndef ARRAYWRIGHT_TESTS_BATTERY_LIFE_H
#define ARRAYWRIGHT_TESTS_BATTERY_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "report.h"

struct battery_life_result {
    bool failed;
    char why[REPORT_WHY_BYTES];
    char shape[128];
    uint64_t requests, reads, writes, back, flushes;
    uint64_t crash_points;  /* the power has gone, or the agent died */
    uint64_t deaths;        /* of them: the agent */
    uint64_t outages;       /* of the mains */
    uint64_t lows;          /* that went on until the UPS was low, and the host stopped */
    uint64_t sudden;        /* the power went at a stroke */
    uint64_t kept;          /* what was in memory was kept by a pack */
    uint64_t saved_bytes;   /* was dirty when the mains failed, and was on the drives in time */
    uint64_t falls, rises;  /* of the policy in effect */
    uint64_t stale, flaps, lies, fades, learns, faults, slower;
    uint64_t losses_noted;
    uint64_t degraded, members_missing; /* from the start and for good */
    uint64_t torn_noted;    /* bytes that (5) has cost */
    uint64_t told_bad;      /* blocks that were told to be bad, and have been written again */
    uint64_t limit_looks;   /* times the dirty bytes were held against the limit */
    uint64_t hash;
};

struct battery_life_options {
    uint64_t seed;
    int level; /* enum raid_level, or -1: by the seed */
    bool trace;
};

void battery_life(const struct battery_life_options *options, struct battery_life_result *ret);

#endif
