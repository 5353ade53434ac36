/*
 * Stories about the write hole: a group with a log of write intents is written to, the power
 * goes in the middle, members are missing; and yet every block is what it was or what was being
 * written. The oracle is the model, without the leave it gives to lives without a log.
 */
#ifndef ARRAYWRIGHT_TESTS_CLOSURE_H
#define ARRAYWRIGHT_TESTS_CLOSURE_H

#include <stdbool.h>
#include <stdint.h>

enum closure_story {
    CLOSURE_DEGRADED,   /* members are missing before the writes */
    CLOSURE_LOSS_AFTER, /* members are missing after the start; writes smaller than rows */
    CLOSURE_LOSS_AT,    /* the same, missing already at the start */
    CLOSURE_WHOLE,      /* nobody is missing; all sizes of writes */
    CLOSURE_REJOIN,     /* one was missing and is rebuilt; others are at the start after */
    CLOSURE_LOSS_IN,    /* members go in the middle of the writes; all sizes of writes */
    CLOSURE_STORY_MAX
};

/* What keeps the intents. */
enum closure_log {
    CLOSURE_LOG_MEMORY, /* a log in the memory of the test */
    CLOSURE_LOG_DRIVES, /* the stripe log on the members */
    CLOSURE_LOG_AUTO,   /* the same while a member is not in sync */
    CLOSURE_LOG_OFF     /* nothing: what cannot be vouched for has to be told */
};

struct closure_result {
    char why[256];      /* "" if all is well */
    uint64_t appends;
    uint64_t replayed;
    uint64_t waits;
    uint64_t told;      /* 4 KiB blocks that could not be read, and have been written again */
};

/* level: enum raid_level. */
void closure_tell(enum closure_story story, int level, enum closure_log log, uint64_t seed,
                  struct closure_result *ret_result);

/* A life of region maps: writes here and there, rests, a power cut, a resync of what the map says;
 * then every row agrees. False: one does not. */
bool closure_regions(uint64_t seed);
/* The same of a group without a member, the writes beginning as another drive takes its place. */
bool closure_replaced(uint64_t seed);

/* For planted bugs: false if the promise was broken. */
bool closure_degraded(uint64_t seed);
bool closure_whole(uint64_t seed);
bool closure_drives_loss(uint64_t seed);
bool closure_drives_whole(uint64_t seed);
bool closure_drives_rejoin(uint64_t seed);
bool closure_auto_degraded(uint64_t seed);
bool closure_auto_loss(uint64_t seed);
bool closure_off_degraded(uint64_t seed);

#endif
