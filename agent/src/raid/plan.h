/*
 * plan(): what a stripe operation must read, compute and write. Pure: it sees only the
 * row's shape, which columns can be trusted, and what is wanted; it touches no buffer.
 *
 * A stripe operation works on one slice of one row: the same byte range [lo, hi) of the
 * strip on every member of the span, hi - lo a multiple of 4096 and at most SLICE_MAX.
 * Masks are bits by place within the span.
 *
 * Invariants of every plan
 * (1) reads is a subset of `valid`; a column that is not valid is never trusted.
 * (2) writes is a subset of `writable`.
 * (3) after the writes, every valid|written column agrees with the others (parity or
 *     mirror), if the row was consistent before or the plan says makes_consistent.
 * (4) read-modify-write is chosen only if the slice is known consistent.
 *     Degraded and not known consistent: the missing data are *defined* by one parity,
 *     everything is read and all parity rewritten.
 * (5) every writable column the operation changes is written, a rebuild target's included
 *     although it is never read: a slice filled ahead of the published cursor stays right.
 *
 * How a plan is executed, columns being one buffer per place:
 *   read `reads`; on a media error add the place to `failed` and plan again
 *   RECOVER            parity_recover(columns, width, p, q, plan.lost, bytes)
 *   GENERATE           merge the new data; parity_generate(columns, width, p, q, bytes)
 *   RECOVER_GENERATE   as RECOVER, then as GENERATE
 *   UPDATE             per touched place: delta = old ^ new; parity_update() of the parity
 *                      columns in `reads`
 *   COPY               merge the new data into the column read; the same goes to `writes`
 *   NONE               merge the new data into the columns read
 *   write `writes`
 * A failed place that cannot be repaired makes a write of other places -EIO where parity
 * would otherwise be wrong; a caller that punctures adds it to `touched` and `full`.
 */
#ifndef ARRAYWRIGHT_RAID_PLAN_H
#define ARRAYWRIGHT_RAID_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "raid/geometry.h"

#define SLICE_MAX_BYTES (64u * 1024u)

enum plan_want {
    PLAN_READ,  /* deliver `touched` data columns */
    PLAN_WRITE, /* write `touched` data columns; `full` of them need no old content */
    PLAN_SYNC   /* make the slice consistent and fill `fill`: rebuild, init, resync */
};

/* How a row is changed in part, where it can be done in more than one way. */
enum plan_partial {
    PLAN_PARTIAL_CHEAPEST, /* with the fewest commands */
    PLAN_PARTIAL_UPDATE    /* within one strip by read-modify-write, whatever that costs */
};

struct plan_input {
    enum raid_level level;
    const struct row_map *map;
    enum plan_want want;
    uint32_t touched;    /* data places asked for (mirrors: bit 0 stands for "the strip") */
    uint32_t full;       /* PLAN_WRITE: subset of touched whose whole slice is replaced */
    uint32_t valid;      /* places whose content may be read and trusted */
    uint32_t writable;   /* places that can take writes: valid, and targets being rebuilt */
    /* Places that just failed to read (media error): a subset of valid, to be recovered and
     * rewritten by this plan. */
    uint32_t failed;
    uint32_t fill;       /* PLAN_SYNC: places to be filled (rebuild target) */
    uint32_t copy;       /* PLAN_SYNC: places whose content is wanted, to go elsewhere too */
    bool consistent;     /* the slice is known consistent */
    enum plan_partial partial;  /* PLAN_WRITE, parity */
    uint32_t mirror_preference; /* mirrors: place the caller would like to read from */
    const uint32_t *waiting;    /* PLAN_WRITE: commands before, by place. NULL: all alike */
};

enum plan_kernel {
    PLAN_KERNEL_NONE,      /* reads are the answer, or new data go out as they are */
    PLAN_KERNEL_COPY,      /* mirrors: the read or new column goes to all of writes */
    PLAN_KERNEL_RECOVER,   /* recover `lost` from the reads (degraded read) */
    PLAN_KERNEL_GENERATE,  /* reconstruct-write: merge new data, generate P and Q */
    PLAN_KERNEL_UPDATE,    /* read-modify-write: update P and Q with old ^ new */
    PLAN_KERNEL_RECOVER_GENERATE /* recover `lost`, merge new data, generate P and Q */
};

struct plan {
    enum plan_kernel kernel;
    uint32_t reads;        /* places to read before the kernel */
    /* Places the kernel recovers, as parity_recover() wants them: a P that must not be used
     * is included. */
    uint32_t lost;
    uint32_t recover_from; /* parity places used for the recovery */
    uint32_t writes;       /* places to write after the kernel */
    bool makes_consistent; /* afterwards the slice is consistent, whatever it was before */
};

/* By far the most frequent wish: all that is touched can be read as it is, and there is no choice.
 * Its plan is to read that. The same for every level without mirrors. */
static inline bool plan_is_plain_read(const struct raid_level_info *level, enum plan_want want,
                                      uint32_t touched, uint32_t valid, uint32_t failed)
{
    return want == PLAN_READ && !level->mirrored && failed == 0 && (touched & ~valid) == 0;
}

/* The same of mirrors, where the row is consistent: any one copy is the answer. */
static inline bool plan_is_plain_copy(const struct raid_level_info *level, enum plan_want want,
                                      uint32_t valid, uint32_t failed)
{
    return want == PLAN_READ && level->mirrored && failed == 0 && valid != 0;
}

static inline struct plan plan_plain_read(uint32_t touched)
{
    return (struct plan){.kernel = PLAN_KERNEL_NONE, .reads = touched};
}

/* Returns 0, or -EIO if the wanted data cannot be had from the valid columns. */
MUST_CHECK int plan_make(const struct plan_input *input, struct plan *ret_plan);

#endif
