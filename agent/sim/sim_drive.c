/*
 * The simulated drive (sim_drive.h). Two page tables hold what reads return and what is
 * durable for sure; the list of unflushed writes is the difference between them.
 */
#include "sim_drive_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

static uint64_t mix(uint64_t value)
{
    value ^= value >> 30;
    value *= UINT64_C(0xbf58476d1ce4e5b9);
    value ^= value >> 27;
    value *= UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* Most of what the engine reads at its start was never written: a page of noise is a window on this
 * one, with a word of its own in each sector. */
#define NOISE_BYTES (64u * 1024u)
#define NOISE_SECTOR_BYTES 512u
static _Alignas(64) uint8_t noise[NOISE_BYTES + PAGE_BYTES];
static bool noise_made;

static void noise_make(void)
{
    for (uint32_t i = 0; i < sizeof(noise) && !noise_made; i += 8) {
        uint64_t word = mix(i + 1);

        memcpy(noise + i, &word, 8);
    }
    noise_made = true;
}

/* What a page holds before it is first written. */
static void page_fill(void *context, uint64_t page, uint8_t *bytes)
{
    const struct sim_drive *drive = context;
    uint64_t word = 0;

    if (drive->options.fill_seed == 0) {
        memset(bytes, 0, PAGE_BYTES);
        return;
    }
    word = mix(drive->options.fill_seed + page * PAGE_BYTES);
    memcpy(bytes, noise + word % NOISE_BYTES / 64 * 64, PAGE_BYTES);
    for (uint32_t i = 0; i < PAGE_BYTES; i += NOISE_SECTOR_BYTES) {
        memcpy(bytes + i, &word, 8);
        word += UINT64_C(0x9e3779b97f4a7c15);
    }
}

static void pages_read(const struct sim_drive *drive, const struct sim_pages *pages,
                       uint64_t offset_bytes, uint8_t *buffer, uint64_t length_bytes)
{
    uint8_t filled[PAGE_BYTES] UNINITIALIZED; /* used as far as page_fill() went */

    ASSERT(offset_bytes + length_bytes <= drive->options.size_bytes);
    while (length_bytes > 0) {
        uint64_t within = offset_bytes % PAGE_BYTES;
        uint64_t count = min_u64(PAGE_BYTES - within, length_bytes);
        const uint8_t *page = sim_pages_find(pages, offset_bytes / PAGE_BYTES);

        if (page == NULL) {
            /* page_fill() only reads the drive. */
            page_fill((void *)(uintptr_t)drive, offset_bytes / PAGE_BYTES,
                      count == PAGE_BYTES ? buffer : filled);
            page = count == PAGE_BYTES ? buffer : filled;
        }
        if (page != buffer) {
            memcpy(buffer, page + within, count);
        }
        buffer += count;
        offset_bytes += count;
        length_bytes -= count;
    }
}

void sim_drive_write_pages(struct sim_drive *drive, struct sim_pages *pages, uint64_t offset_bytes,
                           const uint8_t *buffer, uint64_t length_bytes)
{
    ASSERT(offset_bytes + length_bytes <= drive->options.size_bytes);
    while (length_bytes > 0) {
        uint64_t within = offset_bytes % PAGE_BYTES;
        uint64_t count = min_u64(PAGE_BYTES - within, length_bytes);

        uint8_t *page = sim_pages_take(pages, offset_bytes / PAGE_BYTES,
                                       count == PAGE_BYTES ? NULL : page_fill, drive);

        memcpy(page + within, buffer, count);
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
void sim_drive_faults_heal(struct sim_drive *drive, uint64_t start, uint64_t length)
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

/* Into current, and remembered for durable. A page that is written as a whole is the same one in
 * all of them. */
static void write_perform(struct sim_drive *drive, const struct io_request *request)
{
    uint64_t first = request->offset_bytes / PAGE_BYTES;
    uint64_t end = div_ceil_u64(request->offset_bytes + request->length_bytes, PAGE_BYTES);
    struct sim_write *write = malloc(sizeof(*write) + (end - first) * sizeof(write->pages[0]));
    const uint8_t *bytes = request->buffer;

    ASSERT(write != NULL);
    write->number = ++drive->counters.writes;
    write->offset_bytes = request->offset_bytes;
    write->length_bytes = request->length_bytes;
    for (uint64_t i = first; i < end; i++) {
        uint64_t start = max_u64(i * PAGE_BYTES, request->offset_bytes);
        uint64_t count =
            min_u64((i + 1) * PAGE_BYTES, request->offset_bytes + request->length_bytes) - start;
        struct sim_page *page = sim_page_new();

        memcpy(page->bytes + start % PAGE_BYTES, bytes, count);
        write->pages[i - first] = page;
        if (count == PAGE_BYTES) {
            sim_pages_put(&drive->current, i, page);
        } else {
            sim_drive_write_pages(drive, &drive->current, start, bytes, count);
        }
        bytes += count;
    }
    list_init(&write->link);
    list_push_tail(&drive->unflushed, &write->link);
}

void sim_drive_write_again(struct sim_drive *drive, struct sim_pages *pages,
                           const struct sim_write *write, uint64_t at_bytes, uint64_t length_bytes)
{
    uint64_t offset_bytes = write->offset_bytes + at_bytes;

    ASSERT(at_bytes + length_bytes <= write->length_bytes);
    while (length_bytes > 0) {
        uint64_t within = offset_bytes % PAGE_BYTES;
        uint64_t count = min_u64(PAGE_BYTES - within, length_bytes);
        uint64_t number = offset_bytes / PAGE_BYTES;
        struct sim_page *page = write->pages[number - write->offset_bytes / PAGE_BYTES];

        if (count == PAGE_BYTES) {
            sim_pages_put(pages, number, page);
        } else {
            sim_drive_write_pages(drive, pages, offset_bytes, page->bytes + within, count);
        }
        offset_bytes += count;
        length_bytes -= count;
    }
}

static void write_forget(struct sim_write *write)
{
    uint64_t first = write->offset_bytes / PAGE_BYTES;
    uint64_t end = div_ceil_u64(write->offset_bytes + write->length_bytes, PAGE_BYTES);

    for (uint64_t i = first; i < end; i++) {
        sim_page_release(write->pages[i - first]);
    }
    list_remove(&write->link);
    free(write);
}

static void writes_make_durable(struct sim_drive *drive, uint64_t newest)
{
    LIST_FOR_EACH_SAFE (node, following, &drive->unflushed) {
        struct sim_write *write = list_entry(node, struct sim_write, link);

        if (write->number <= newest) {
            sim_drive_write_again(drive, &drive->durable, write, 0, write->length_bytes);
            write_forget(write);
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
        pages_read(drive, &drive->current, request->offset_bytes, request->buffer,
                   request->length_bytes);
        break;
    case IO_OP_WRITE:
        drive->counters.written_bytes += request->length_bytes;
        write_perform(drive, request);
        sim_drive_faults_heal(drive, request->offset_bytes, request->length_bytes);
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

static void unflushed_drop(struct sim_drive *drive)
{
    LIST_FOR_EACH_SAFE (node, following, &drive->unflushed) {
        write_forget(list_entry(node, struct sim_write, link));
    }
}

/* What only the drive's cache had is gone. */
void sim_drive_revert(struct sim_drive *drive)
{
    sim_pages_done(&drive->current);
    sim_pages_copy(&drive->current, &drive->durable);
    unflushed_drop(drive);
}

/* After a failed flush a drive may well answer the next one with success and know nothing any
 * more of what the first should have covered; reads still find it, until the power goes. */
static enum io_status flush_status(struct sim_drive *drive)
{
    if (drive->flush_fails_once) {
        drive->flush_fails_once = false;
        unflushed_drop(drive);
        return IO_STATUS_ERROR;
    }
    if (drive->flush_forgets > 0) {
        drive->flush_forgets--;
        sim_drive_revert(drive);
        return IO_STATUS_ERROR;
    }
    return drive->flush_fails ? IO_STATUS_ERROR : drive->flush_refusal;
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
    if (request->op == IO_OP_WRITE && drive->refusal != IO_STATUS_OK &&
        ranges_meet(drive->refusal_offset_bytes, drive->refusal_length_bytes, request->offset_bytes,
                    request->length_bytes)) {
        return drive->refusal;
    }
    if (request->op == IO_OP_FLUSH) {
        return flush_status(drive);
    }
    return fault_hits(drive, request) ? IO_STATUS_MEDIA : IO_STATUS_OK;
}

static void transfer_done(struct sim_event *event)
{
    struct sim_transfer *transfer = container_of(event, struct sim_transfer, event);
    struct sim_drive *drive = transfer->drive;
    struct sim_world *world = drive->world;
    struct io_request *request = transfer->request;
    enum io_status status = transfer_status(transfer);
    bool changes = false;

    if (status == IO_STATUS_OK) {
        transfer_perform(transfer);
    }
    list_remove(&transfer->link);
    ASSERT(drive->in_flight_count > 0);
    drive->in_flight_count--;
    free(transfer);
    changes = request->op != IO_OP_READ;
    if (changes) {
        sim_world_boundary(world);
    }
    request->complete(request, status);
    if (changes) {
        sim_world_boundary(world);
    }
}

static void request_check(const struct sim_drive *drive, const struct io_request *request)
{
    ASSERT(request->complete != NULL);
    if (request->op == IO_OP_FLUSH) {
        ASSERT(request->length_bytes == 0);
        return;
    }
    ASSERT(request->length_bytes > 0 && request->length_bytes <= IO_LENGTH_MAX_BYTES);
    ASSERT(
        io_range_is_sound(drive->options.size_bytes, request->offset_bytes, request->length_bytes));
    ASSERT((uintptr_t)request->buffer %
               (request->length_bytes < IO_ALIGN_BYTES ? IO_SECTOR_BYTES : IO_ALIGN_BYTES) ==
           0);
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
    drive->counters.tried_reads += request->op == IO_OP_READ ? 1u : 0u;
    if (drive->on_submit != NULL) {
        drive->on_submit(drive->on_submit_context, drive, request);
    }
    if (drive->hang && !drive->gone && world->powered) {
        transfer->hung = true;
        list_push_tail(&drive->hung, &transfer->link);
    } else {
        list_push_tail(&drive->in_flight, &transfer->link);
        sim_event_post(world, &transfer->event,
                       drive->options.latency_min_us + rng_below(&world->rng, span_us) +
                           drive->extra_latency_us);
    }
    if (request->op == IO_OP_WRITE) {
        sim_world_boundary(world);
    }
}

static const struct io_port_ops drive_port_ops = {.submit = drive_submit_op};

struct sim_drive *sim_drive_new(struct sim_world *world, const struct sim_drive_options *options)
{
    struct sim_drive *drive = calloc(1, sizeof(*drive));

    ASSERT(drive != NULL);
    noise_make();
    ASSERT(options->size_bytes > 0 && options->size_bytes % SIM_SECTOR_BYTES == 0);
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
    drive->port.loss_block_bytes = options->loss_block_bytes;
    drive->world = world;
    list_init(&drive->in_flight);
    list_init(&drive->hung);
    list_init(&drive->unflushed);
    list_init(&drive->world_link);
    list_push_tail(&world->drives, &drive->world_link);
    return drive;
}

struct sim_drive *sim_drive_create(struct sim_world *world, const struct sim_drive_options *options)
{
    struct sim_drive *drive = sim_drive_new(world, options);

    sim_pages_init(&drive->current);
    sim_pages_init(&drive->durable);
    return drive;
}

void sim_drive_destroy(struct sim_drive *drive)
{
    if (drive == NULL) {
        return;
    }
    ASSERT(drive->in_flight_count == 0);
    unflushed_drop(drive);
    sim_pages_done(&drive->current);
    sim_pages_done(&drive->durable);
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
    drive->flush_fails_once = false;
    drive->flush_forgets = 0;
    drive->refusal = IO_STATUS_OK;
    drive->flush_refusal = IO_STATUS_OK;
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

void sim_drive_pull(struct sim_drive *drive, bool lose_cache)
{
    drive->gone = true;
    if (lose_cache) {
        drive->cache_lost = true;
        sim_drive_revert(drive);
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
    pages_read(drive, &drive->current, offset_bytes, buffer, length_bytes);
}

void sim_drive_peek_durable(const struct sim_drive *drive, uint64_t offset_bytes, void *buffer,
                            uint64_t length_bytes)
{
    pages_read(drive, &drive->durable, offset_bytes, buffer, length_bytes);
}

void sim_drive_poke(struct sim_drive *drive, uint64_t offset_bytes, const void *buffer,
                    uint64_t length_bytes)
{
    sim_drive_write_pages(drive, &drive->current, offset_bytes, buffer, length_bytes);
    sim_drive_write_pages(drive, &drive->durable, offset_bytes, buffer, length_bytes);
}
