/*
 * A virtual drive in memory, for tests of the export: requests wait in a queue until
 * ram_target_run(), which applies and completes them in the order of admission.
 */
#ifndef ARRAYWRIGHT_TESTS_RAM_TARGET_H
#define ARRAYWRIGHT_TESTS_RAM_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "vd/vd_request.h"

struct ram_target {
    struct vd_target target;
    uint8_t *bytes; /* NULL: a null drive, which moves no data */
    struct list queue;
    uint32_t queued_count;
    uint64_t op_counts[VD_OP_MAX];
    uint64_t fua_count;
    enum vd_status fail_status; /* what the next fail_count requests answer */
    uint32_t fail_count;
    bool keeps;  /* the next request's memory stays, as with a drive that was late */
    struct vd_lender *kept_lender;
    uint8_t *kept; /* NULL: none */
    void (*submitted)(struct ram_target *ram); /* may be NULL: something is queued */
    void *owner;
};

void ram_target_init(struct ram_target *ram, const char *name, uint64_t size_bytes,
                     uint32_t block_bytes, bool with_memory);
/* Completes what is queued now; returns how many. */
uint32_t ram_target_run(struct ram_target *ram);
/* Gives back what it has kept. */
void ram_target_let_go(struct ram_target *ram);
void ram_target_done(struct ram_target *ram);

#endif
