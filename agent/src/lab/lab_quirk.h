/*
 * Oddities of a model's firmware at work on the requests of one controller: see ctl/quirk.h.
 * Deterministic: it looks at requests only.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_QUIRK_H
#define ARRAYWRIGHT_LAB_LAB_QUIRK_H

#include <stdint.h>

#include "base/words.h"
#include "ctl/quirk.h"
#include "emulate/rate_pipe.h"
#include "raid/geometry.h"

#define LAB_STREAMS_MAX 64u

/* The array that has them. */
struct lab_quirk_place {
    enum raid_level level;
    uint32_t drive_count, failed_count;
    bool reading_ahead, write_through, recreated;
};

struct lab_quirks {
    uint32_t count;
    struct {
        struct controller_quirk quirk;
        struct rate_pipe pipe;
    } of[PROFILE_QUIRKS_MAX];
    uint32_t requests;                      /* on their way */
    uint32_t write_ppm, random_ppm;         /* weighted means */
    uint64_t stream_ends[LAB_STREAMS_MAX];  /* where the latest requests ended */
    uint32_t stream_next;
};

/* Does an array of that kind have it? */
bool lab_quirk_fits(const struct controller_quirk *quirk, const struct lab_quirk_place *place);
/* Only those that the array has. */
void lab_quirks_init(struct lab_quirks *quirks, const struct controller_quirk *all, uint32_t count,
                     const struct lab_quirk_place *place);
/* A request comes at now_ns. When it may begin. */
uint64_t lab_quirks_begin(struct lab_quirks *quirks, bool is_write, uint64_t offset_bytes,
                          uint32_t length_bytes, uint64_t now_ns);
/* It has been answered. */
void lab_quirks_end(struct lab_quirks *quirks);

#endif
