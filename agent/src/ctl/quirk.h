/*
 * An oddity of one model's firmware that its testers could not explain, for predictions: off unless
 * asked for by name. Plain data, read from the model's profile; the arrays of a host never have it.
 */
#ifndef ARRAYWRIGHT_CTL_QUIRK_H
#define ARRAYWRIGHT_CTL_QUIRK_H

#include <stdbool.h>
#include <stdint.h>

#include "raid/mirror_policy.h"

#define PROFILE_QUIRKS_MAX 16u

enum quirk_order { QUIRK_ORDER_ANY, QUIRK_ORDER_RANDOM, QUIRK_ORDER_SEQUENTIAL, QUIRK_ORDER_MAX };

struct quirk_range {
    uint32_t least, most;
};

struct controller_quirk {
    char name[33];
    /* Which arrays have it. */
    uint32_t levels;                 /* bit n: enum raid_level n; 0: every one */
    struct quirk_range drives;
    struct quirk_range failed;       /* members that are missing */
    bool reading_ahead;              /* only with a read policy that reads ahead */
    bool write_through;              /* only with write-through */
    bool recreated;                  /* only one made after another was deleted */
    /* Which of their requests. */
    bool reads, writes;
    enum quirk_order order;
    struct quirk_range bytes;
    struct quirk_range requests;     /* on their way, this one included */
    struct quirk_range write_percent;  /* of what came lately */
    struct quirk_range random_percent; /* of what came in a longer time */
    /* What becomes of those. */
    uint32_t delay_us;               /* each takes so much longer */
    uint64_t bytes_per_s;            /* all of them together; 0: no limit */
    uint32_t cache_percent;          /* the array has so much of the cache */
    bool has_mirror_policy;          /* copies of a mirror are read so */
    enum mirror_policy mirror_policy;
};

#endif
