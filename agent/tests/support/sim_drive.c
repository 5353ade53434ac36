/*
 * The simulated drive (sim_drive.h). Two page tables hold what reads return and what is
 * durable for sure; the list of unflushed writes is the difference between them.
 */
#include "sim_drive.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define PAGE_BYTES 4096u

/* One request in the drive. */
struct sim_transfer {
    struct sim_event event;
    struct list link;
    struct sim_drive *drive;
    struct io_request *request;
    uint64_t unflushed_seen; /* flush: newest unflushed write when it was submitted */
    bool hung;
};

/* One completed write that no flush has covered. */
struct sim_write {
    struct list link;
    uint64_t number;
    uint64_t offset_bytes;
    uint32_t length_bytes;
    uint8_t bytes[];
};

static uint64_t mix(uint64_t value)
{
    value ^= value >> 30;
    value *= UINT64_C(0xbf58476d1ce4e5b9);
    value ^= value >> 27;
    value *= UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* What a page holds before it is first written. */
static void page_fill(const struct sim_drive *drive, uint64_t page, uint8_t *bytes)
{
    if (drive->options.fill_seed == 0) {
        memset(bytes, 0, PAGE_BYTES);
        return;
    }
    for (uint32_t i = 0; i < PAGE_BYTES; i += 8) {
        uint64_t word = mix(drive->options.fill_seed + page * PAGE_BYTES + i);
        memcpy(bytes + i, &word, 8);
    }
}

static uint8_t *page_for_write(const struct sim_drive *drive, uint8_t **table, uint64_t page)
{
    ASSERT(page < drive->page_count);
    if (table[page] == NULL) {
        table[page] = malloc(PAGE_BYTES);
        ASSERT(table[page] != NULL);
        page_fill(drive, page, table[page]);
    }
    return table[page];
}

static void table_read(const struct sim_drive *drive, uint8_t *const *table, uint64_t offset_bytes,
                       uint8_t *buffer, uint64_t length_bytes)
{
    uint8_t filled[PAGE_BYTES];

    ASSERT(offset_bytes + length_bytes <= drive->options.size_bytes);
    while (length_bytes > 0) {
        uint64_t page = offset_bytes / PAGE_BYTES;
        uint64_t within = offset_bytes % PAGE_BYTES;
        uint64_t count = min_u64(PAGE_BYTES - within, length_bytes);

        if (table[page] != NULL) {
            memcpy(buffer, table[page] + within, count);
        } else {
            page_fill(drive, page, filled);
            memcpy(buffer, filled + within, count);
        }
        buffer += count;
        offset_bytes += count;
        length_bytes -= count;
    }
}

static void table_write(const struct sim_drive *drive, uint8_t **table, uint64_t offset_bytes,
                        const uint8_t *buffer, uint64_t length_bytes)
{
    ASSERT(offset_bytes + length_bytes <= drive->options.size_bytes);
    while (length_bytes > 0) {
        uint64_t within = offset_bytes % PAGE_BYTES;
        uint64_t count = min_u64(PAGE_BYTES - within, length_bytes);

        memcpy(page_for_write(drive, table, offset_bytes / PAGE_BYTES) + within, buffer, count);
        buffer += count;
        offset_bytes += count;
        length_bytes -= count;
    }
}

static bool ranges_meet(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length)
{
    return a < b + b_length && b < a + a_length;
}

static bool fault_hits(const struct sim_drive *drive, const struct io_request *request)
{
    for (uint32_t i = 0; i < drive->fault_count; i++) {
        const struct sim_fault *fault = &drive->faults[i];

        if ((request->op == IO_OP_READ || fault->kind == SIM_FAULT_WRITE) &&
            ranges_meet(fault->offset_bytes, fault->length_bytes, request->offset_bytes,
                        request->length_bytes)) {
            return true;
        }
    }
    return false;
}

/* A successful write heals the sectors it covers: the range shrinks, splits or goes. */
static void faults_heal(struct sim_drive *drive, uint64_t start, uint64_t length)
{
    for (uint32_t i = drive->fault_count; i > 0; i--) {
        struct sim_fault *fault = &drive->faults[i - 1];
        uint64_t fault_start = fault->offset_bytes;
        uint64_t fault_end = fault->offset_bytes + fault->length_bytes;
        struct sim_fault tail = *fault;

        if (fault->kind != SIM_FAULT_READ ||
            !ranges_meet(fault_start, fault->length_bytes, start, length)) {
            continue;
        }
        *fault = drive->faults[--drive->fault_count];
        if (fault_start < start) {
            tail.offset_bytes = fault_start;
            tail.length_bytes = start - fault_start;
            (void)sim_drive_fault_add(drive, &tail); /* a full table only heals more */
        }
        if (fault_end > start + length) {
            tail.offset_bytes = start + length;
            tail.length_bytes = fault_end - tail.offset_bytes;
            (void)sim_drive_fault_add(drive, &tail); /* a full table only heals more */
        }
    }
}

static void write_remember(struct sim_drive *drive, const struct io_request *request)
{
    struct sim_write *write = malloc(sizeof(*write) + request->length_bytes);

    ASSERT(write != NULL);
    write->number = ++drive->counters.writes;
    write->offset_bytes = request->offset_bytes;
    write->length_bytes = request->length_bytes;
    memcpy(write->bytes, request->buffer, request->length_bytes);
    list_init(&write->link);
    list_push_tail(&drive->unflushed, &write->link);
}

static void writes_make_durable(struct sim_drive *drive, uint64_t newest)
{
    LIST_FOR_EACH_SAFE (node, following, &drive->unflushed) {
        struct sim_write *write = list_entry(node, struct sim_write, link);

        if (write->number <= newest) {
            table_write(drive, drive->durable, write->offset_bytes, write->bytes,
                        write->length_bytes);
            list_remove(node);
            free(write);
        }
    }
}

static void transfer_perform(struct sim_transfer *transfer)
{
    struct sim_drive *drive = transfer->drive;
    struct io_request *request = transfer->request;

    switch (request->op) {
    case IO_OP_READ:
        drive->counters.reads++;
        drive->counters.read_bytes += request->length_bytes;
        table_read(drive, drive->current, request->offset_bytes, request->buffer,
                   request->length_bytes);
        break;
    case IO_OP_WRITE:
        drive->counters.written_bytes += request->length_bytes;
        table_write(drive, drive->current, request->offset_bytes, request->buffer,
                    request->length_bytes);
        write_remember(drive, request);
        faults_heal(drive, request->offset_bytes, request->length_bytes);
        break;
    case IO_OP_FLUSH:
        drive->counters.flushes++;
        if (!drive->flush_ignored) {
            writes_make_durable(drive, transfer->unflushed_seen);
        }
        break;
    case IO_OP_MAX:
        UNREACHABLE();
    }
}

static enum io_status transfer_status(struct sim_transfer *transfer)
{
    struct sim_drive *drive = transfer->drive;
    const struct io_request *request = transfer->request;

    if (drive->gone || !drive->world->powered) {
        return IO_STATUS_GONE;
    }
    if (drive->errors_left > 0) {
        drive->errors_left--;
        return IO_STATUS_ERROR;
    }
    if (request->op == IO_OP_WRITE && drive->write_fails) {
        return IO_STATUS_ERROR;
    }
    if (request->op == IO_OP_FLUSH) {
        return drive->flush_fails ? IO_STATUS_ERROR : IO_STATUS_OK;
    }
    return fault_hits(drive, request) ? IO_STATUS_MEDIA : IO_STATUS_OK;
}

static void transfer_done(struct sim_event *event)
{
    struct sim_transfer *transfer = container_of(event, struct sim_transfer, event);
    struct sim_drive *drive = transfer->drive;
    struct io_request *request = transfer->request;
    enum io_status status = transfer_status(transfer);

    if (status == IO_STATUS_OK) {
        transfer_perform(transfer);
    }
    list_remove(&transfer->link);
    ASSERT(drive->in_flight_count > 0);
    drive->in_flight_count--;
    free(transfer);
    request->complete(request, status);
}

static void request_check(const struct sim_drive *drive, const struct io_request *request)
{
    ASSERT(request->complete != NULL);
    if (request->op == IO_OP_FLUSH) {
        ASSERT(request->length_bytes == 0);
        return;
    }
    ASSERT(request->length_bytes > 0 && request->length_bytes <= IO_LENGTH_MAX_BYTES);
    ASSERT(request->length_bytes % IO_ALIGN_BYTES == 0);
    ASSERT(request->offset_bytes % IO_ALIGN_BYTES == 0);
    ASSERT(request->offset_bytes + request->length_bytes <= drive->options.size_bytes);
    ASSERT((uintptr_t)request->buffer % IO_ALIGN_BYTES == 0);
    ASSERT(request->buffer != NULL);
}

static void drive_submit_op(struct io_port *port, struct io_request *request)
{
    struct sim_drive *drive = container_of(port, struct sim_drive, port);
    struct sim_world *world = drive->world;
    struct sim_transfer *transfer = calloc(1, sizeof(*transfer));
    uint64_t span_us = drive->options.latency_max_us - drive->options.latency_min_us + 1;

    ASSERT(transfer != NULL);
    request_check(drive, request);
    transfer->event.fire = transfer_done;
    transfer->drive = drive;
    transfer->request = request;
    transfer->unflushed_seen = drive->counters.writes;
    list_init(&transfer->link);
    drive->in_flight_count++;
    if (drive->on_submit != NULL) {
        drive->on_submit(drive->on_submit_context, drive, request);
    }
    if (drive->hang && !drive->gone && world->powered) {
        transfer->hung = true;
        list_push_tail(&drive->hung, &transfer->link);
        return;
    }
    list_push_tail(&drive->in_flight, &transfer->link);
    sim_event_post(world, &transfer->event,
                   drive->options.latency_min_us + rng_below(&world->rng, span_us) +
                       drive->extra_latency_us);
}

static const struct io_port_ops drive_port_ops = {.submit = drive_submit_op};

struct sim_drive *sim_drive_create(struct sim_world *world, const struct sim_drive_options *options)
{
    struct sim_drive *drive = calloc(1, sizeof(*drive));

    ASSERT(drive != NULL);
    ASSERT(options->size_bytes > 0 && options->size_bytes % PAGE_BYTES == 0);
    drive->options = *options;
    if (drive->options.latency_max_us == 0) {
        drive->options.latency_min_us = 20;
        drive->options.latency_max_us = 200;
    }
    ASSERT(drive->options.latency_min_us <= drive->options.latency_max_us);
    drive->port.ops = &drive_port_ops;
    drive->port.size_bytes = options->size_bytes;
    drive->port.logical_block_bytes =
        options->logical_block_bytes != 0 ? options->logical_block_bytes : 512;
    drive->port.physical_block_bytes =
        options->physical_block_bytes != 0 ? options->physical_block_bytes : 4096;
    drive->world = world;
    drive->page_count = options->size_bytes / PAGE_BYTES;
    drive->current = calloc(drive->page_count, sizeof(*drive->current));
    drive->durable = calloc(drive->page_count, sizeof(*drive->durable));
    ASSERT(drive->current != NULL && drive->durable != NULL);
    list_init(&drive->in_flight);
    list_init(&drive->hung);
    list_init(&drive->unflushed);
    list_init(&drive->world_link);
    list_push_tail(&world->drives, &drive->world_link);
    return drive;
}

static void unflushed_drop(struct sim_drive *drive)
{
    LIST_FOR_EACH_SAFE (node, following, &drive->unflushed) {
        list_remove(node);
        free(list_entry(node, struct sim_write, link));
    }
}

void sim_drive_destroy(struct sim_drive *drive)
{
    if (drive == NULL) {
        return;
    }
    ASSERT(drive->in_flight_count == 0);
    unflushed_drop(drive);
    for (uint64_t i = 0; i < drive->page_count; i++) {
        free(drive->current[i]);
        free(drive->durable[i]);
    }
    free(drive->current);
    free(drive->durable);
    list_remove(&drive->world_link);
    free(drive);
}

struct io_port *sim_drive_port(struct sim_drive *drive)
{
    return &drive->port;
}

bool sim_drive_fault_add(struct sim_drive *drive, const struct sim_fault *fault)
{
    ASSERT(fault->length_bytes > 0);
    ASSERT(fault->offset_bytes % SIM_SECTOR_BYTES == 0);
    if (drive->fault_count == SIM_DRIVE_FAULTS_MAX) {
        return false;
    }
    drive->faults[drive->fault_count++] = *fault;
    return true;
}

void sim_drive_faults_clear(struct sim_drive *drive)
{
    drive->fault_count = 0;
    drive->write_fails = false;
    drive->flush_fails = false;
    drive->errors_left = 0;
    drive->extra_latency_us = 0;
}

void sim_drive_unhang(struct sim_drive *drive)
{
    drive->hang = false;
    LIST_FOR_EACH_SAFE (node, following, &drive->hung) {
        struct sim_transfer *transfer = list_entry(node, struct sim_transfer, link);

        list_remove(node);
        list_push_tail(&drive->in_flight, node);
        transfer->hung = false;
        sim_event_post(drive->world, &transfer->event, 1 + rng_below(&drive->world->rng, 100));
    }
}

/* Makes `current` equal `durable` wherever an unflushed write had changed it. */
static void current_revert(struct sim_drive *drive)
{
    LIST_FOR_EACH (node, &drive->unflushed) {
        struct sim_write *write = list_entry(node, struct sim_write, link);
        uint64_t last = (write->offset_bytes + write->length_bytes - 1) / PAGE_BYTES;

        for (uint64_t page = write->offset_bytes / PAGE_BYTES; page <= last; page++) {
            table_read(drive, drive->durable, page * PAGE_BYTES,
                       page_for_write(drive, drive->current, page), PAGE_BYTES);
        }
    }
    unflushed_drop(drive);
}

void sim_drive_pull(struct sim_drive *drive, bool lose_cache)
{
    drive->gone = true;
    if (lose_cache) {
        drive->cache_lost = true;
        current_revert(drive);
    }
    sim_drive_unhang(drive);
}

void sim_drive_return(struct sim_drive *drive)
{
    drive->gone = false;
}

void sim_drive_peek(const struct sim_drive *drive, uint64_t offset_bytes, void *buffer,
                    uint64_t length_bytes)
{
    table_read(drive, drive->current, offset_bytes, buffer, length_bytes);
}

void sim_drive_poke(struct sim_drive *drive, uint64_t offset_bytes, const void *buffer,
                    uint64_t length_bytes)
{
    table_write(drive, drive->current, offset_bytes, buffer, length_bytes);
    table_write(drive, drive->durable, offset_bytes, buffer, length_bytes);
}

/* Some sectors of one write reach the medium. */
static void cut_write(struct sim_drive *drive, uint64_t offset_bytes, const uint8_t *bytes,
                      uint32_t length_bytes, uint32_t rate_of_16, bool torn)
{
    bool whole = rng_below(&drive->world->rng, 16) < rate_of_16;
    uint32_t sector_bytes = drive->port.logical_block_bytes;

    for (uint32_t at = 0; at < length_bytes; at += sector_bytes) {
        bool lands = torn ? rng_below(&drive->world->rng, 2) == 0 : whole;

        if (lands) {
            table_write(drive, drive->durable, offset_bytes + at, bytes + at, sector_bytes);
        }
    }
}

/* Writes in flight: none, all or some of their sectors have reached the medium. */
static void cut_in_flight(struct sim_drive *drive, struct list *transfers, uint32_t rate_of_16)
{
    LIST_FOR_EACH (node, transfers) {
        struct sim_transfer *transfer = list_entry(node, struct sim_transfer, link);
        const struct io_request *request = transfer->request;

        if (request->op == IO_OP_WRITE && !drive->gone) {
            uint64_t first = request->offset_bytes / PAGE_BYTES;
            uint64_t last = (request->offset_bytes + request->length_bytes - 1) / PAGE_BYTES;

            cut_write(drive, request->offset_bytes, request->buffer, request->length_bytes,
                      rate_of_16, rng_below(&drive->world->rng, 3) == 0);
            for (uint64_t page = first; page <= last; page++) {
                table_read(drive, drive->durable, page * PAGE_BYTES,
                           page_for_write(drive, drive->current, page), PAGE_BYTES);
            }
        }
    }
}

void sim_drive_cut(struct sim_drive *drive, enum sim_cut cut, uint32_t rate_of_16)
{
    uint64_t kept = 0;
    uint64_t count = 0;

    if (cut == SIM_CUT_KEEP_ALL) {
        writes_make_durable(drive, UINT64_MAX);
        rate_of_16 = 16;
    } else if (cut == SIM_CUT_DROP_ALL) {
        rate_of_16 = 0;
    }
    LIST_FOR_EACH (node, &drive->unflushed) {
        count++;
    }
    kept = rng_below(&drive->world->rng, count + 1);
    count = 0;
    LIST_FOR_EACH (node, &drive->unflushed) {
        struct sim_write *write = list_entry(node, struct sim_write, link);
        bool torn = cut != SIM_CUT_DROP_ALL && rng_below(&drive->world->rng, 10) == 0;

        if (cut == SIM_CUT_PREFIX) {
            rate_of_16 = count++ < kept ? 16 : 0;
            torn = false;
        }
        cut_write(drive, write->offset_bytes, write->bytes, write->length_bytes, rate_of_16, torn);
    }
    current_revert(drive);
    rate_of_16 = cut == SIM_CUT_KEEP_ALL ? 8 : rate_of_16;
    cut_in_flight(drive, &drive->in_flight, rate_of_16);
    cut_in_flight(drive, &drive->hung, rate_of_16);
    sim_drive_unhang(drive);
}
