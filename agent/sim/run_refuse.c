/*
 * Drives of a simulated life that refuse writes or flushes for a while, because there is no room
 * below them or because they have become read-only: mostly all at once, as image files of one file
 * system do. Within budget nothing is lost by that.
 *
 * (1) A write or a flush may fail meanwhile, and a moment longer: the group tries again after a
 *     second. A read may not.
 * (2) But for what is in excess of redundancy: a row without a member, in which a write was
 * refused, no longer describes the missing member's sectors that lie beside those of the write.
 * They may be errors until they are written. Sectors of others, and those beside, may not.
 */
#include <stdlib.h>

#include "drive/drive_layout.h"
#include "run_private.h"

#define AFTER_US (3 * SIM_SECOND)

bool refuse_is_on(const struct run *run)
{
    return run->refusing ||
           (run->refused_us != 0 && run->world->now_us < run->refused_us + AFTER_US);
}

static void drive_refuse(struct sim_drive *sim, uint32_t kind, enum io_status status)
{
    sim->refusal = (kind & 1) != 0 ? status : IO_STATUS_OK;
    sim->refusal_offset_bytes = 0;
    sim->refusal_length_bytes =
        (kind & 4) != 0 ? drive_layout_usable_bytes(sim->options.size_bytes) : UINT64_MAX;
    sim->flush_refusal = (kind & 2) != 0 ? status : IO_STATUS_OK;
}

void refuse_end(struct run *run)
{
    if (!run->refusing) {
        return;
    }
    run_trace(run, "nothing is refused any more");
    for (uint32_t i = 0; i < run->array->drive_count; i++) {
        drive_refuse(run->array->sims[i], 0, IO_STATUS_OK);
    }
    run->refusing = false;
    run->refused_us = run->world->now_us;
}

/* Something is wrong already that would come on top of it. */
static bool any_is_troubled(const struct run *run)
{
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        if (drive_is_troubled_unknown(run, i)) {
            return true;
        }
    }
    return run->name_pending != 0 || run->array->twin != SIM_NO_DRIVE;
}

/* One alone is lost for it. */
static bool one_refuses(struct run *run, uint32_t kind, enum io_status status)
{
    uint32_t member = (uint32_t)run_below(run, run->array->member_count);

    if (run->losses_left == 0 || sim_array_sim(run->array, member) == NULL ||
        !faults_within_budget(run, member) || !faults_span_bears_after_cut(run, member)) {
        return false;
    }
    run->losses_left--;
    run_risk_taken(run, member);
    drive_refuse(sim_array_sim(run->array, member), kind, status);
    return true;
}

static void refuse_begin(struct run *run)
{
    enum io_status status = run_chance(run, 50) ? IO_STATUS_NO_SPACE : IO_STATUS_READ_ONLY;
    uint32_t kind = 1 + (uint32_t)run_below(run, 7); /* writes 1, flushes 2, only to data 4 */
    bool one = run_chance(run, 20);

    kind = kind == 4 ? 3 : kind;
    if (one && !one_refuses(run, kind, status)) {
        return;
    }
    for (uint32_t i = 0; i < run->array->drive_count && !one; i++) {
        drive_refuse(run->array->sims[i], kind, status);
    }
    run->refusing = true;
    run->result->firings[RUN_REFUSE]++;
    run_trace(run, "%s: %s%s refused", one ? "a drive" : "all drives",
              (kind & 1) != 0 ? (kind & 4) != 0 ? "data " : "writes " : "",
              (kind & 2) != 0 ? "flushes" : "");
    crash_soon(run);
}

void refuse_maybe(struct run *run)
{
    if (!run_is_on(run, RUN_REFUSE) || run->options->over_budget || run->lying) {
        return;
    }
    if (run->refusing) {
        if (run_chance(run, 15)) {
            refuse_end(run);
        }
    } else if (!run->calm && run_chance(run, 12) && !refuse_is_on(run) && !any_is_troubled(run)) {
        refuse_begin(run);
    }
}

static void refuse_ends(struct sim_event *event)
{
    struct run *run = container_of(event, struct run, refuse_event);

    run->refuse_posted = false;
    refuse_end(run);
}

/* A start may have to wait until they take what a log of intents has for them, so it ends by
 * itself. Other trouble does not begin meanwhile, so it must not be there at the start either. */
void refuse_after_cut(struct run *run)
{
    bool troubled = false;

    for (uint32_t i = 0; i < run->array->drive_count; i++) {
        const struct sim_drive *sim = run->array->sims[i];

        troubled = troubled || sim->fault_count > 0 || sim->gone;
    }
    if (troubled || !run->refusing || run_chance(run, 60)) {
        refuse_end(run);
    } else if (!run->refuse_posted) {
        run->refuse_posted = true;
        run->refuse_event.fire = refuse_ends;
        sim_event_post(run->world, &run->refuse_event, run_below(run, 5 * SIM_SECOND));
    }
}

/* What is in excess of redundancy (2) */

static bool member_is_absent(const struct run *run, uint32_t member)
{
    return group_config(run->array->group)->members[member].state != MEMBER_ONLINE;
}

typedef void (*excess_fn)(struct run *run, const struct flight *flight, uint64_t block,
                          void *context);

/* The sectors of missing members beside one of the write's. */
static void row_visit(struct run *run, const struct flight *flight, uint64_t block, excess_fn each,
                      void *context)
{
    const struct layout layout = array_layout(run->array, flight->vd);
    uint64_t block_bytes = run->models[flight->vd]->block_bytes;
    uint64_t row_bytes = run_row_blocks(run, flight->vd) * block_bytes;
    uint64_t row = block * block_bytes / row_bytes * row_bytes;
    uint64_t within = block * block_bytes % layout.strip_bytes;

    for (uint64_t at = row + within; at < row + row_bytes; at += layout.strip_bytes) {
        uint32_t member = 0;
        uint64_t offset = 0;

        layout_find(&layout, at, &member, &offset);
        if (member_is_absent(run, member)) {
            each(run, flight, at / block_bytes, context);
        }
    }
}

static void excess_visit(struct run *run, const struct flight *flight, excess_fn each,
                         void *context)
{
    for (uint64_t i = flight->block; i < flight->block + flight->count && run_has_parity(run);
         i++) {
        row_visit(run, flight, i, each, context);
    }
}

static void excess_note(struct run *run, const struct flight *flight, uint64_t block, void *context)
{
    const struct run *of = context; /* whose models are to know */

    (void)run;
    model_excess_put(of->models[flight->vd], block, flight->version);
}

/* Those of writes whose answer the cut takes. */
void refuse_cut_noted(struct run *run, struct run *from)
{
    for (uint32_t i = 0; i < FLIGHTS_MAX && refuse_is_on(from); i++) {
        const struct flight *flight = &from->flights.flights[i];

        if (flight->open && flight_writes(flight)) {
            excess_visit(from, flight, excess_note, run);
            run->tells = run->tells || run_has_parity(from);
        }
    }
}

bool refuse_flight_failed(struct run *run, const struct flight *flight)
{
    struct model *model = run->models[flight->vd];
    uint64_t row_blocks = 0;
    bool *blocks = NULL;

    if (run->array == NULL || !refuse_is_on(run) || flight->request.op == VD_OP_READ) {
        return false;
    }
    if (!flight_writes(flight)) {
        return true;
    }
    excess_visit(run, flight, excess_note, run);
    run->tells = run->tells || run_has_parity(run); /* of torn rows, until they are synchronized */
    row_blocks = run_row_blocks(run, flight->vd);
    blocks = calloc(model->block_count, sizeof(*blocks));
    ASSERT(blocks != NULL);
    for (uint64_t i = flight->block / row_blocks * row_blocks;
         i < flight->block + flight->count || i % row_blocks != 0; i++) {
        if (i < model->block_count) {
            blocks[i] = true;
        }
    }
    model_risk_put(model, blocks);
    free(blocks);
    return true;
}

struct excuse {
    uint64_t block, count;
    bool found;
};

static void excuse_look(struct run *run, const struct flight *flight, uint64_t block, void *context)
{
    struct excuse *excuse = context;

    (void)run;
    (void)flight;
    excuse->found =
        excuse->found || (block >= excuse->block && block < excuse->block + excuse->count);
}

bool refuse_excuses(struct run *run, uint32_t vd, uint64_t block, uint64_t count)
{
    struct excuse excuse = {.block = block, .count = count};

    if (run->array == NULL || run->models[vd] == NULL) {
        return false;
    }
    if (model_has_excess(run->models[vd], block, count)) {
        return true;
    }
    /* A write that has not been answered yet may have been refused all the same. */
    for (uint32_t i = 0; i < FLIGHTS_MAX && refuse_is_on(run); i++) {
        const struct flight *flight = &run->flights.flights[i];

        if (flight->open && flight->vd == vd && flight_writes(flight)) {
            excess_visit(run, flight, excuse_look, &excuse);
        }
    }
    return excuse.found;
}
