/*
 * See emulated_fault.h. Ranges are in blocks of 512 bytes, [lba, lba + count).
 *
 * (1) No media error has count 0; a write error with count 0 stands for the whole drive.
 */
#include "emulate/emulated_fault.h"

#include <errno.h>

#include "base/assert.h"
#include "base/checked.h"

#define FAULT_BLOCK_BYTES 512u

struct block_range {
    uint64_t first;
    uint64_t end;
};

static struct block_range range_of_bytes(uint64_t offset_bytes, uint32_t length_bytes)
{
    ASSERT(offset_bytes % FAULT_BLOCK_BYTES == 0);
    ASSERT(length_bytes % FAULT_BLOCK_BYTES == 0);
    return (struct block_range){
        .first = offset_bytes / FAULT_BLOCK_BYTES,
        .end = (offset_bytes + length_bytes) / FAULT_BLOCK_BYTES,
    };
}

static struct block_range range_of_fault(const struct emulated_fault *fault)
{
    uint64_t end = UINT64_MAX;

    if (fault->count == 0 || !checked_add_u64(fault->lba, fault->count, &end)) {
        end = UINT64_MAX;
    }
    return (struct block_range){.first = fault->lba, .end = end};
}

static bool ranges_overlap(struct block_range a, struct block_range b)
{
    return a.first < b.end && b.first < a.end;
}

int fault_table_add(struct fault_table *table, const struct emulated_fault *fault)
{
    ASSERT(table->count <= EMULATED_FAULTS_MAX);
    if (fault->kind != FAULT_KIND_MEDIA_ERROR && fault->kind != FAULT_KIND_WRITE_ERROR &&
        fault->kind != FAULT_KIND_SLOW) {
        return -EINVAL;
    }
    if (fault->kind == FAULT_KIND_MEDIA_ERROR && fault->count == 0) {
        return -EINVAL;
    }
    if (table->count == EMULATED_FAULTS_MAX) {
        return -ENOSPC;
    }
    table->faults[table->count] = *fault;
    table->count++;
    return 0;
}

enum io_status fault_table_status(const struct fault_table *table, enum io_op op,
                                  uint64_t offset_bytes, uint32_t length_bytes)
{
    struct block_range range = range_of_bytes(offset_bytes, length_bytes);

    ASSERT(op < IO_OP_MAX);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct emulated_fault *fault = &table->faults[i];

        if (!ranges_overlap(range, range_of_fault(fault))) {
            continue;
        }
        if (op == IO_OP_READ && fault->kind == FAULT_KIND_MEDIA_ERROR) {
            return IO_STATUS_MEDIA;
        }
        if (op == IO_OP_WRITE && fault->kind == FAULT_KIND_WRITE_ERROR) {
            return IO_STATUS_ERROR;
        }
    }
    return IO_STATUS_OK;
}

static void fault_remove(struct fault_table *table, uint32_t index)
{
    ASSERT(index < table->count);
    table->count--;
    table->faults[index] = table->faults[table->count];
}

/* Cuts `range` out of one media error. Returns true if the fault at `index` is now another. */
static bool fault_cut(struct fault_table *table, uint32_t index, struct block_range range)
{
    struct emulated_fault *fault = &table->faults[index];
    struct block_range old = range_of_fault(fault);
    bool keeps_head = old.first < range.first;
    bool keeps_tail = range.end < old.end;

    if (!keeps_head && !keeps_tail) {
        fault_remove(table, index);
        return true;
    }
    if (keeps_head && keeps_tail) {
        struct emulated_fault tail = *fault;

        tail.lba = range.end;
        tail.count = old.end - range.end;
        if (fault_table_add(table, &tail) != 0) {
            return false;
        }
    }
    if (keeps_head) {
        fault->count = range.first - old.first;
    } else {
        fault->lba = range.end;
        fault->count = old.end - range.end;
    }
    return false;
}

void fault_table_rewritten(struct fault_table *table, uint64_t offset_bytes, uint32_t length_bytes)
{
    struct block_range range = range_of_bytes(offset_bytes, length_bytes);
    uint32_t i = 0;

    ASSERT(table->count <= EMULATED_FAULTS_MAX);
    while (i < table->count) {
        const struct emulated_fault *fault = &table->faults[i];
        bool hit =
            fault->kind == FAULT_KIND_MEDIA_ERROR && ranges_overlap(range, range_of_fault(fault));

        if (!hit || !fault_cut(table, i, range)) {
            i++;
        }
    }
}

uint64_t fault_table_latency_us(const struct fault_table *table)
{
    uint64_t latency_us = 0;

    for (uint32_t i = 0; i < table->count; i++) {
        if (table->faults[i].kind == FAULT_KIND_SLOW) {
            latency_us = max_u64(latency_us, (uint64_t)table->faults[i].latency_ms * 1000);
        }
    }
    return latency_us;
}
