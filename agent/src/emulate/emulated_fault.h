/*
 * The table of faults set on an emulated drive: ranges of blocks that cannot be read or
 * written, and a latency for everything. Pure.
 */
#ifndef ARRAYWRIGHT_EMULATE_EMULATED_FAULT_H
#define ARRAYWRIGHT_EMULATE_EMULATED_FAULT_H

#include "emulate/emulated_drive.h"

struct fault_table {
    uint32_t count;
    struct emulated_fault faults[EMULATED_FAULTS_MAX];
};

/* 0, -EINVAL for a kind that is not a property of the medium, -ENOSPC when full. */
MUST_CHECK int fault_table_add(struct fault_table *table, const struct emulated_fault *fault);
/* What the faults make of a transfer. */
enum io_status fault_table_status(const struct fault_table *table, enum io_op op,
                                  uint64_t offset_bytes, uint32_t length_bytes);
/* A write has replaced the bytes: media errors there are gone. A fault that would have to be
 * split while the table is full stays as it is. */
void fault_table_rewritten(struct fault_table *table, uint64_t offset_bytes, uint32_t length_bytes);
uint64_t fault_table_latency_us(const struct fault_table *table);

#endif
