/*
 * A physical drive: identity, size, presence, counters (drive.h). The queue is in
 * drive_queue.c, the state table in drive_state.c, health in drive_ladder.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "drive/drive_private.h"

static uint32_t or_default(uint32_t wanted, uint32_t value)
{
    return wanted != 0 ? wanted : value;
}

static void options_fill(struct drive_options *options, const struct drive_options *wanted)
{
    if (wanted != NULL) {
        *options = *wanted;
    }
    options->timeout_ms = or_default(options->timeout_ms, 30000);
    options->flush_timeout_ms = or_default(options->flush_timeout_ms, 2 * options->timeout_ms);
    options->slow_ms = or_default(options->slow_ms, options->timeout_ms / 4);
    options->attempts = or_default(options->attempts, 3);
    options->retry_delay_ms = or_default(options->retry_delay_ms, 20);
    options->queue_depth = or_default(options->queue_depth, 64);
    options->background_depth =
        min_u32(or_default(options->background_depth, 8), options->queue_depth);
    options->error_window_s = or_default(options->error_window_s, 3600);
    options->media_warn = or_default(options->media_warn, 10);
    options->media_fail = or_default(options->media_fail, 50);
    options->media_fail_total = or_default(options->media_fail_total, 500);
    options->error_warn = or_default(options->error_warn, 10);
    options->error_fail = or_default(options->error_fail, 50);
    options->slow_factor = or_default(options->slow_factor, 5);
    options->slow_min_us = or_default(options->slow_min_us, 2000);
    options->slow_interval_s = or_default(options->slow_interval_s, 10);
    options->slow_intervals = or_default(options->slow_intervals, 3);
    ASSERT(options->queue_depth > 0);
    ASSERT(options->background_depth > 0);
}

int drive_create(const struct drive_identity *identity, struct io_port *port,
                 struct clock_port *clock, const struct drive_options *options,
                 const struct drive_observer *observer, struct drive **ret_drive)
{
    struct drive *drive = NULL;

    ASSERT(identity != NULL && port != NULL && clock != NULL);
    if ((port->logical_block_bytes != 512 && port->logical_block_bytes != 4096) ||
        port->size_bytes % port->logical_block_bytes != 0) {
        return -EINVAL;
    }
    drive = calloc(1, sizeof(*drive));
    if (drive == NULL) {
        return -ENOMEM;
    }
    drive->identity = *identity;
    drive->port = port;
    drive->clock = clock;
    drive->present = true;
    drive->size_bytes = port->size_bytes;
    drive->block_bytes = port->logical_block_bytes;
    drive->physical_block_bytes = port->physical_block_bytes;
    drive->loss_block_bytes = max_u32(port->loss_block_bytes, port->logical_block_bytes);
    if (observer != NULL) {
        drive->observer = *observer;
    }
    options_fill(&drive->options, options);
    drive_ladder_init(drive);
    drive_queue_init(drive);
    drive_state_init(drive);
    *ret_drive = drive;
    return 0;
}

struct drive *drive_free(struct drive *drive)
{
    if (drive == NULL) {
        return NULL;
    }
    ASSERT(drive_is_idle(drive));
    drive_queue_done(drive);
    free(drive);
    return NULL;
}

void drive_port_gone(struct drive *drive)
{
    if (!drive->present) {
        return;
    }
    drive->present = false;
    drive_queue_refuse(drive, IO_STATUS_GONE);
    if (drive->observer.gone != NULL) {
        drive->observer.gone(drive->observer.context, drive);
    }
}

void drive_port_attach(struct drive *drive, struct io_port *port)
{
    ASSERT(port != NULL);
    ASSERT(drive_is_idle(drive)); /* a late transfer must never land under a new life */
    ASSERT(port->size_bytes == drive->port->size_bytes);
    ASSERT(port->logical_block_bytes == drive->block_bytes);
    drive->port = port;
    drive->present = true;
}

bool drive_is_present(const struct drive *drive)
{
    return drive->present;
}

const struct drive_identity *drive_identity(const struct drive *drive)
{
    return &drive->identity;
}

void drive_identity_set_place(struct drive *drive, uint32_t eid, uint32_t slot, uint32_t did)
{
    drive->identity.eid = eid;
    drive->identity.slot = slot;
    drive->identity.did = did;
}

uint64_t drive_size_bytes(const struct drive *drive)
{
    return drive->size_bytes;
}

void drive_size_set(struct drive *drive, uint64_t size_bytes)
{
    ASSERT(drive_is_idle(drive));
    ASSERT(size_bytes <= drive->port->size_bytes && size_bytes % drive->block_bytes == 0);
    drive->size_bytes = size_bytes;
}

uint64_t drive_usable_bytes(const struct drive *drive)
{
    return drive_layout_usable_bytes(drive->size_bytes);
}

uint64_t drive_room_bytes(const struct drive *drive, bool compact)
{
    return drive_layout_room_bytes(drive->size_bytes, compact);
}

uint32_t drive_block_bytes(const struct drive *drive)
{
    return drive->block_bytes;
}

uint32_t drive_physical_block_bytes(const struct drive *drive)
{
    return drive->physical_block_bytes;
}

uint32_t drive_loss_block_bytes(const struct drive *drive)
{
    return drive->loss_block_bytes;
}

const struct drive_counters *drive_counters(const struct drive *drive)
{
    return &drive->counters;
}
