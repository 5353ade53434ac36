/*
 * An emulated drive: an io_port in front of another io_port that holds the bytes. It adds a
 * declared timing model and faults on command; it never invents data. A feature of the demo
 * configuration and of tests.
 */
#ifndef ARRAYWRIGHT_EMULATE_EMULATED_DRIVE_H
#define ARRAYWRIGHT_EMULATE_EMULATED_DRIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/words.h"
#include "emulate/drive_model.h"
#include "port/clock_port.h"
#include "port/io_port.h"

/* What reached it while it was connected. */
struct emulated_drive_counters {
    uint64_t reads, writes, flushes;
    uint64_t read_bytes, written_bytes;
};

#define EMULATED_FAULTS_MAX 64u

struct emulated_fault {
    enum fault_kind kind;       /* media_error, slow, write_error */
    uint64_t lba;               /* of 512 bytes */
    uint64_t count;             /* blocks; 0 with write_error: every write fails */
    uint32_t latency_ms;        /* slow */
};

struct emulated_drive;

/* -EINVAL: no drive has such a timing. */
MUST_CHECK int emulated_drive_create(struct io_port *backing, struct clock_port *clock,
                                     const struct emulated_timing *timing,
                                     struct emulated_drive **ret_drive);
struct emulated_drive *emulated_drive_free(struct emulated_drive *drive); /* idle only */

struct io_port *emulated_drive_port(struct emulated_drive *drive);
/* Everything in flight and later answers GONE until connected again. */
void emulated_drive_disconnect(struct emulated_drive *drive);
void emulated_drive_connect(struct emulated_drive *drive);
bool emulated_drive_is_connected(const struct emulated_drive *drive);
/* Media errors clear when the blocks are rewritten. -ENOSPC when the table is full. */
MUST_CHECK int emulated_drive_fault_add(struct emulated_drive *drive,
                                        const struct emulated_fault *fault);
void emulated_drive_faults_clear(struct emulated_drive *drive);
uint32_t emulated_drive_fault_count(const struct emulated_drive *drive);
const struct emulated_fault *emulated_drive_fault(const struct emulated_drive *drive,
                                                  uint32_t index);
/* The drive's own write buffer. */
void emulated_drive_write_cache_set(struct emulated_drive *drive, bool on);
void emulated_drive_share_ways(struct emulated_drive *drive, const struct shared_ways *ways);
/* Stops its motor, or starts it; so does a transfer, which waits for it then. */
void emulated_drive_spin(struct emulated_drive *drive, bool down);
bool emulated_drive_is_spun_down(const struct emulated_drive *drive);
const struct emulated_drive_counters *emulated_drive_counters(const struct emulated_drive *drive);
bool emulated_drive_is_idle(const struct emulated_drive *drive);

#endif
