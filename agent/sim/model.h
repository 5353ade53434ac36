/*
 * The oracle: what a read of a virtual drive may return. Every block that a test writes says
 * who it is (virtual drive, block, version), so that a wrong place or a stale version is seen
 * at once.
 *
 * Independent of the engine on purpose: it shares nothing with it but base/, so that no mistake
 * can be made on both sides with one stroke. What it has to know of a layout (layout.h) it works
 * out from the description of the format.
 *
 * Per block: `floor` is the oldest version a read may return, `newest` the newest submitted;
 * `acked` and `durable` the newest acknowledged and the newest that a flush has covered.
 */
#ifndef ARRAYWRIGHT_SIM_MODEL_H
#define ARRAYWRIGHT_SIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Anything may be returned, also if a write has made the block sure since. */
#define MODEL_NO_FLOOR UINT32_MAX

struct model {
    uint64_t seed;
    uint32_t vd;
    uint32_t block_bytes;
    uint64_t block_count;
    uint64_t block_count_first; /* the others came with growth */
    uint32_t next_version;
    uint64_t wrong_block; /* of the last read that was wrong */
    uint32_t *floor;
    uint32_t *acked;
    uint32_t *durable;
    uint32_t *newest;
    uint32_t *zero;   /* newest version that made the block zeros; 0: none */
    uint32_t *cleared;/* the write that ended unsure: if a power cut takes it, unsure is back */
    bool *unsure;     /* anything may be there: the write hole of a degraded stop */
    bool *at_risk;    /* of a row that was being written at a stop */
    bool *rotten; /* a drive has silently changed it, or what it is computed from: anything may be
                     there, for good */
    uint32_t *excess; /* the newest write by which it is beyond redundancy; 0: it is not */
    bool *torn; /* of several copies one may be as old as before the stop: then what has been
                   read counts no more, but what was durable does */
};

struct model *model_create(uint64_t seed, uint32_t vd, uint32_t block_bytes, uint64_t block_count);
void model_destroy(struct model *model);
/* More blocks, of which nothing is known: on a drive that has been another member before, even what
 * was written to other places. No flush is under way. */
void model_grow(struct model *model, uint64_t block_count);
/* What is known of a copy of the drives. */
struct model *model_copy(const struct model *model);

/* The bytes of a block in a version. */
void model_fill(const struct model *model, uint64_t block, uint32_t version, uint8_t *bytes);

/* A write (or zeroing) is submitted; returns its version. */
uint32_t model_write_begin(struct model *model, uint64_t block, uint64_t count, bool zero);
void model_write_acked(struct model *model, uint64_t block, uint64_t count, uint32_t version,
                       bool fua);

/* The oldest versions that a read submitted now may return. */
void model_floors(const struct model *model, uint64_t block, uint64_t count, uint32_t *ret_floors);
/* A read that was submitted when the floors had these values has returned these bytes. NULL if that
 * is right, else what is wrong with it. pin: once read, never older again. */
const char *model_read_check(struct model *model, uint64_t block, uint64_t count,
                             const uint32_t *floor, const uint8_t *bytes, bool pin);

/* acked had these values when a flush was submitted that has now succeeded. */
void model_flushed(struct model *model, const uint32_t *acked);
/* Everything acknowledged is durable: an orderly stop. */
void model_stopped(struct model *model);
/* The power went. Blocks with undecided versions become at_risk by rows of row_blocks. */
void model_crashed(struct model *model, uint64_t row_blocks);
/* What was only in the agent's memory is gone: what has been read, but was never acknowledged, need
 * not be there any more. */
void model_seen_forget(struct model *model);
/* Rows around these blocks may have anything in them. */
void model_unsure_rows(struct model *model, uint64_t block, uint64_t count, uint64_t row_blocks);
/* Something has happened to what these blocks, one flag each, are made of. Those of them that are
 * at risk may have anything in them ... */
void model_risk_taken(struct model *model, const bool *blocks);
/* ... or, where rows are copies, what was durable before the stop, whatever has been read of them
 * since; until they are written, or the risk is over. */
void model_copies_torn(struct model *model, const bool *blocks);
/* All rows agree again: from now on there is one version of each block. Of these blocks, one flag
 * each; NULL: of all. */
void model_risk_over(struct model *model, const bool *blocks);
/* Who is at risk, or may have anything in it, after all, one flag for each block. */
void model_risk_put(struct model *model, const bool *blocks);
void model_unsure_put(struct model *model, const bool *blocks);
/* What a drive holds there, or what a drive holds that this is computed from, has changed without
 * an error. No check on reading can tell; nothing is said of these blocks any more, but that they
 * can be read. */
void model_rotten(struct model *model, const bool *blocks);
/* Since that write, which has failed, nothing describes the block any more: an error will do, until
 * a later one writes it. */
void model_excess_put(struct model *model, uint64_t block, uint32_t version);
bool model_has_excess(const struct model *model, uint64_t block, uint64_t count);
/* A drive has lied about its flushes: any version may be back, but still no other bytes. */
void model_forget(struct model *model);

#endif
