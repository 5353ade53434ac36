/*
 * What a power cut leaves of a simulated drive (sim_drive.h), and copies of drives.
 */
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "sim_drive_private.h"

static bool kind_is(const struct sim_cut_plan *plan, uint64_t offset_bytes, uint32_t length_bytes)
{
    bool above = offset_bytes >= plan->split_bytes;
    bool longer = length_bytes > PAGE_BYTES;
    bool odd = offset_bytes / PAGE_BYTES % 2 != 0;

    switch (plan->kind) {
    case SIM_WRITE_BELOW:
        return !above;
    case SIM_WRITE_ABOVE:
        return above;
    case SIM_WRITE_SHORT:
        return !longer;
    case SIM_WRITE_LONG:
        return longer;
    case SIM_WRITE_ODD:
        return odd;
    case SIM_WRITE_EVEN:
        return !odd;
    case SIM_WRITE_KIND_MAX:
        break;
    }
    UNREACHABLE();
}

/* One power cut of one drive: the survivors of what `from` had under way reach `to`. */
struct cut {
    const struct sim_cut_plan *plan;
    const struct sim_drive *from;
    struct sim_drive *to; /* the same one, or its fork */
    struct rng *rng;
    uint32_t rate_of_16;
    uint64_t kept;        /* PREFIX: how many still survive */
    bool spoils;          /* may still leave an unreadable sector */
};

static void cut_spoil(struct cut *cut, uint64_t offset_bytes)
{
    struct sim_fault fault = {.kind = SIM_FAULT_READ,
                              .offset_bytes = offset_bytes,
                              .length_bytes = cut->to->port.logical_block_bytes};

    if (cut->spoils && rng_below(cut->rng, 4) == 0) {
        cut->spoils = false;
        (void)sim_drive_fault_add(cut->to, &fault); /* a full table is trouble enough */
    }
}

/* What a power cut finds on its way: a write that is done, or the request of one that is not. */
struct under_way {
    uint64_t offset_bytes;
    uint32_t length_bytes;
    const struct sim_write *write;
    const uint8_t *buffer; /* write is NULL */
};

static void cut_survives(struct cut *cut, const struct under_way *way, uint32_t at,
                         uint32_t length_bytes)
{
    struct sim_drive *to = cut->to;

    if (way->write != NULL) {
        sim_drive_write_again(to, &to->durable, way->write, at, length_bytes);
    } else {
        sim_drive_write_pages(to, &to->durable, way->offset_bytes + at, way->buffer + at,
                              length_bytes);
    }
}

/* CHOSEN: each page for itself. */
static void cut_write_chosen(struct cut *cut, const struct under_way *way)
{
    for (uint32_t at = 0; at < way->length_bytes; at += PAGE_BYTES) {
        uint32_t bit = (*cut->plan->chosen_next)++ % 64;

        if ((cut->plan->chosen & (UINT64_C(1) << bit)) != 0) {
            cut_survives(cut, way, at, (uint32_t)min_u64(PAGE_BYTES, way->length_bytes - at));
        }
    }
}

static void cut_write(struct cut *cut, const struct under_way *way, bool whole, bool torn)
{
    uint32_t sector_bytes = cut->to->port.logical_block_bytes;

    if (cut->plan->cut == SIM_CUT_CHOSEN) {
        cut_write_chosen(cut, way);
        return;
    }

    if (!torn && whole) {
        cut_survives(cut, way, 0, way->length_bytes);
        sim_drive_faults_heal(cut->to, way->offset_bytes, way->length_bytes);
    }
    for (uint32_t at = 0; torn && at < way->length_bytes; at += sector_bytes) {
        if (rng_below(cut->rng, 2) == 0) {
            cut_survives(cut, way, at, sector_bytes);
        } else {
            cut_spoil(cut, way->offset_bytes + at);
        }
    }
}

/* Does a write survive? torn: sector by sector. */
static bool cut_decide(struct cut *cut, uint64_t offset_bytes, uint32_t length_bytes,
                       uint32_t torn_percent, bool *ret_torn)
{
    *ret_torn = false;
    switch (cut->plan->cut) {
    case SIM_CUT_KEEP_ALL:
        return true;
    case SIM_CUT_DROP_ALL:
    case SIM_CUT_CHOSEN:
        return false;
    case SIM_CUT_RATE:
    case SIM_CUT_DRIVE_RATE:
        *ret_torn = rng_below(cut->rng, 100) < torn_percent;
        return rng_below(cut->rng, 16) < cut->rate_of_16;
    case SIM_CUT_PREFIX:
        if (cut->kept == 0) {
            return false;
        }
        cut->kept--;
        return true;
    case SIM_CUT_KIND:
        *ret_torn = rng_below(cut->rng, 100) < torn_percent;
        return kind_is(cut->plan, offset_bytes, length_bytes) == cut->plan->kind_survives;
    case SIM_CUT_MAX:
        break;
    }
    UNREACHABLE();
}

/* Writes in flight: none, all or some of their sectors have reached the medium, even if the
 * process alone has died. */
static void cut_in_flight(struct cut *cut, const struct list *transfers)
{
    LIST_FOR_EACH (node, transfers) {
        struct sim_transfer *transfer = list_entry(node, struct sim_transfer, link);
        const struct io_request *request = transfer->request;
        bool torn = false;
        bool whole = false;

        if (request->op != IO_OP_WRITE || cut->from->gone) {
            continue;
        }
        whole = cut_decide(cut, request->offset_bytes, request->length_bytes, 33, &torn);
        if (cut->plan->cut == SIM_CUT_KEEP_ALL) {
            whole = rng_below(cut->rng, 2) == 0;
            torn = rng_below(cut->rng, 3) == 0;
        }
        cut_write(cut,
                  &(struct under_way){.offset_bytes = request->offset_bytes,
                                      .length_bytes = request->length_bytes,
                                      .buffer = request->buffer},
                  whole, torn);
    }
}

/* The process alone dies: what reads returned is what is there. */
static bool keeps_completed(const struct sim_cut_plan *plan)
{
    return plan->cut == SIM_CUT_KEEP_ALL || plan->process_alone;
}

static uint32_t pages_of(uint32_t length_bytes)
{
    return (uint32_t)div_ceil_u64(length_bytes, PAGE_BYTES);
}

static uint32_t pages_in_flight(const struct list *transfers)
{
    uint32_t pages = 0;

    LIST_FOR_EACH (node, transfers) {
        const struct io_request *request = list_entry(node, struct sim_transfer, link)->request;

        pages += request->op == IO_OP_WRITE ? pages_of(request->length_bytes) : 0;
    }
    return pages;
}

uint32_t sim_drive_pending_pages(const struct sim_drive *drive, bool process_alone)
{
    uint32_t pages = 0;

    LIST_FOR_EACH (node, &drive->unflushed) {
        pages += pages_of(list_entry(node, struct sim_write, link)->length_bytes);
    }
    pages = process_alone ? 0 : pages;
    return drive->gone ? pages
                       : pages + pages_in_flight(&drive->in_flight) + pages_in_flight(&drive->hung);
}

static void cut_damage(struct cut *cut)
{
    const struct sim_cut_plan *plan = cut->plan;

    for (uint32_t i = 0; plan->damaged == cut->from && i < plan->damaged_count; i++) {
        uint8_t byte = 0;

        sim_drive_peek_durable(cut->to, plan->damaged_bytes[i], &byte, 1);
        byte ^= 0x10;
        sim_drive_write_pages(cut->to, &cut->to->durable, plan->damaged_bytes[i], &byte, 1);
    }
}

static void cut_apply(struct cut *cut)
{
    const struct sim_drive *from = cut->from;
    static const uint32_t rates[] = {0, 1, 8, 15, 16};
    uint64_t count = 0;
    struct list nothing;

    list_init(&nothing);
    LIST_FOR_EACH (node, &from->unflushed) {
        count++;
    }
    cut->kept = rng_below(cut->rng, count + from->in_flight_count + 1);
    cut->rate_of_16 = cut->plan->cut == SIM_CUT_DRIVE_RATE ? rates[rng_below(cut->rng, 5)]
                                                           : cut->plan->rate_of_16;
    cut->spoils = cut->plan->spoilt == from;
    LIST_FOR_EACH (node, keeps_completed(cut->plan) ? &nothing : &from->unflushed) {
        const struct sim_write *write = list_entry(node, struct sim_write, link);
        bool torn = false;
        bool whole = cut_decide(cut, write->offset_bytes, write->length_bytes,
                                cut->plan->torn_percent, &torn);

        cut_write(cut,
                  &(struct under_way){.offset_bytes = write->offset_bytes,
                                      .length_bytes = write->length_bytes,
                                      .write = write},
                  whole, torn);
    }
    cut_in_flight(cut, &from->in_flight);
    cut_in_flight(cut, &from->hung);
    cut_damage(cut);
}

void sim_drive_cut(struct sim_drive *drive, const struct sim_cut_plan *plan)
{
    struct cut cut = {.plan = plan, .from = drive, .to = drive, .rng = &drive->world->rng};

    if (keeps_completed(plan)) {
        sim_pages_done(&drive->durable);
        sim_pages_copy(&drive->durable, &drive->current); /* what a drive forgot too */
    }
    cut_apply(&cut);
    sim_drive_revert(drive);
    sim_drive_unhang(drive);
}

struct sim_drive *sim_drive_fork(const struct sim_drive *drive, struct sim_world *world,
                                 const struct sim_cut_plan *plan)
{
    struct sim_drive *fork = sim_drive_new(world, &drive->options);
    struct cut cut = {.plan = plan, .from = drive, .to = fork, .rng = &world->rng};

    fork->fault_count = drive->fault_count;
    memcpy(fork->faults, drive->faults, sizeof(fork->faults));
    fork->gone = drive->gone;
    fork->cache_lost = drive->cache_lost;
    fork->behind = drive->behind;
    fork->flush_fails = drive->flush_fails;
    fork->flush_fails_once = drive->flush_fails_once;
    fork->flush_ignored = drive->flush_ignored;
    fork->write_fails = drive->write_fails;
    fork->errors_left = drive->errors_left;
    fork->refusal = drive->refusal;
    fork->refusal_offset_bytes = drive->refusal_offset_bytes;
    fork->refusal_length_bytes = drive->refusal_length_bytes;
    fork->flush_refusal = drive->flush_refusal;
    sim_pages_copy(&fork->durable, keeps_completed(plan) ? &drive->current : &drive->durable);
    cut_apply(&cut);
    sim_pages_copy(&fork->current, &fork->durable);
    return fork;
}
