/*
 * The load of a simulated life: random requests, checked by the model as they are answered.
 */
#include <stdlib.h>
#include <string.h>

#include "run_private.h"

#define VERIFY_BLOCKS 512u /* at most in one read */

static uint32_t vd_count(const struct run *run)
{
    return run->target != NULL ? 1 : run->array->options.vd_count;
}

static bool is_consistent(const struct run *run, uint32_t vd)
{
    for (uint32_t i = 0; i < run->part_count; i++) {
        if (!vd_is_consistent(sim_array_vd(run->parts[i].array, 0))) {
            return false;
        }
    }
    return run->parts != NULL || vd_is_consistent(sim_array_vd(run->array, vd));
}

static struct vd_target *target_of(const struct run *run, uint32_t vd)
{
    return run->target != NULL ? run->target : vd_target(sim_array_vd(run->array, vd));
}

/* Over budget a request may fail; of a stripe, if it has to do with a group that is. */
static bool may_fail(const struct run *run, uint64_t block, uint64_t count)
{
    uint64_t offset = 0;

    for (uint32_t i = 0; i < run->part_count; i++) {
        bool over_budget = run->parts[i].options->over_budget;

        for (uint64_t j = block; j < block + count && over_budget; j++) {
            if (run_block_find(&run->parts[i], 0, j, &offset)) {
                return true;
            }
        }
    }
    return run->options->over_budget && (run->parts == NULL || count == 0);
}

static void flight_landed(struct run *run, struct flight *flight)
{
    bool pin = is_consistent(run, flight->vd) && run_pins(run);
    const char *wrong = NULL;

    if (flight->request.op != VD_OP_READ) {
        flight_acked(flight, false);
        return;
    }
    wrong = flight_read_check(flight, pin);
    if (wrong != NULL) {
        run_fail(run, "vd%u: read of %llu+%llu returned %s", flight->vd,
                 (unsigned long long)flight->block, (unsigned long long)flight->count, wrong);
    }
}

/* The same of a stripe: of each group over budget the rows that it has of the range. */
static void rows_unsure(struct run *run, const struct flight *flight)
{
    struct model *model = run->models[0];

    for (uint32_t i = 0; i < run->part_count; i++) {
        bool *blocks = NULL;

        if (!run->parts[i].options->over_budget || !run_has_parity(&run->parts[i])) {
            continue; /* all of it was written, or there is nothing to agree with */
        }
        blocks = calloc(model->block_count, sizeof(*blocks));
        ASSERT(blocks != NULL);
        memset(blocks + flight->block, true, flight->count);
        run_rows_spread(&run->parts[i], &run->parts[i], blocks);
        model_unsure_put(model, blocks);
        free(blocks);
    }
}

static void flight_failed(struct run *run, struct flight *flight, enum vd_status status)
{
    if (refuse_flight_failed(run, flight) ||
        refuse_excuses(run, flight->vd, flight->block, flight->count)) {
        return;
    }
    if (flight->told || run_is_told(run, flight->vd, flight->block, flight->count)) {
        return; /* what has been written of it all the same, was */
    }
    if (!may_fail(run, flight->block, flight->count)) {
        run_fail(run, "vd%u: operation %d on %llu+%llu failed with %d although nothing was lost",
                 flight->vd, (int)flight->request.op, (unsigned long long)flight->block,
                 (unsigned long long)flight->count, (int)status);
    }
    /* A write that failed half way through a degraded row leaves its hole. */
    if (run->parts != NULL && flight_writes(flight)) {
        rows_unsure(run, flight);
    } else if (flight_writes(flight) && run_has_parity(run)) {
        model_unsure_rows(run->models[flight->vd], flight->block, flight->count,
                          run_row_blocks(run, flight->vd));
    }
}

static void flight_answered(void *owner, struct flight *flight, enum vd_status status)
{
    struct run *run = owner;

    run_hash(run, run->world->now_us * 8 + (uint64_t)status);
    if (!flight->open) {
        run_fail(run, "a request was answered twice");
        return;
    }
    run_trace(run, "vd%u: operation %d on %llu+%llu answered %d", flight->vd,
              (int)flight->request.op, (unsigned long long)flight->block,
              (unsigned long long)flight->count, (int)status);
    if (run->dead || run->result->failed) {
        return;
    }
    if (status == VD_STATUS_OK) {
        flight_landed(run, flight);
    } else {
        flight_failed(run, flight, status);
    }
}

void load_init(struct run *run)
{
    flights_init(&run->flights, FLIGHTS_MAX, flight_answered, run);
}

static enum vd_op op_choose(struct run *run)
{
    uint64_t dice = run_below(run, 100);

    return dice < 40   ? VD_OP_READ
           : dice < 86 ? VD_OP_WRITE
           : dice < 92 ? VD_OP_FLUSH
           : dice < 96 ? VD_OP_TRIM
                       : VD_OP_WRITE_ZEROES;
}

/* Blocks of a row and of a strip. */
static uint64_t row_blocks(const struct run *run, uint32_t vd, uint64_t *ret_strip)
{
    const struct geometry *geometry = NULL;

    if (run->stripe != NULL) {
        *ret_strip = run->stripe->strip_bytes / run->models[vd]->block_bytes;
        return *ret_strip * run->part_count;
    }
    geometry = &vd_config(sim_array_vd(run->array, vd))->geometry;
    *ret_strip = geometry->strip_bytes / geometry->block_bytes;
    return geometry_row_bytes(geometry) / geometry->block_bytes;
}

/* Small ones, some of a few strips, some of whole rows; half of them in the first rows. */
static void range_choose(struct run *run, struct flight *flight)
{
    uint64_t blocks = run->models[flight->vd]->block_count;
    uint64_t strip = 0;
    uint64_t row = row_blocks(run, flight->vd, &strip);
    uint64_t dice = run_below(run, 100);
    uint64_t zone = run_chance(run, 50) ? min_u64(blocks, 2 * row) : blocks;

    flight->block = run_below(run, zone);
    flight->count = 1 + run_below(run, dice < 60 ? 12 : dice < 85 ? 2 * strip : 2 * row);
    if (dice >= 95) {
        flight->block = flight->block / row * row;
        flight->count = row;
    }
    flight->count = min_u64(flight->count, blocks - flight->block);
}

static void request_choose(struct run *run, struct flight *flight)
{
    flight->request.op = op_choose(run);
    if (flight->request.op != VD_OP_FLUSH) {
        range_choose(run, flight);
        flight->request.fua = flight_writes(flight) && run_chance(run, 15);
    }
}

/* A write heals what is lost, while others in the air have failed for it. */
static void told_note(struct run *run, const struct flight *write)
{
    for (uint32_t i = 0; i < run->flights.limit; i++) {
        struct flight *flight = &run->flights.flights[i];

        if (flight->open && !flight->told && flight->vd == write->vd &&
            flight->block < write->block + write->count &&
            write->block < flight->block + flight->count) {
            flight->told = run_is_told(run, flight->vd, flight->block, flight->count);
        }
    }
}

/* Operation, range and FUA are chosen; the rest is made here. */
static void flight_submit(struct run *run, struct flight *flight)
{
    struct vd_request *request = &flight->request;
    struct vd_target *target = target_of(run, flight->vd);

    flight_prepare(flight, run->models[flight->vd]);
    run->result->requests++;
    run_trace(run, "vd%u: operation %d on %llu+%llu version %u%s", flight->vd, (int)request->op,
              (unsigned long long)flight->block, (unsigned long long)flight->count, flight->version,
              request->fua ? " FUA" : "");
    if (flight_writes(flight)) {
        told_note(run, flight);
    }
    target->ops->submit(target, request);
}

void load_submit(struct run *run)
{
    struct flight *flight = flight_new(&run->flights);

    if (flight != NULL) {
        flight->vd = (uint32_t)run_below(run, vd_count(run));
        request_choose(run, flight);
        flight_submit(run, flight);
    }
}

void load_submit_this(struct run *run, enum vd_op op, bool fua, uint64_t block, uint64_t count)
{
    struct flight *flight = flight_new(&run->flights);

    ASSERT(flight != NULL);
    flight->request.op = op;
    flight->request.fua = fua;
    flight->block = block;
    flight->count = count;
    flight_submit(run, flight);
}

static bool nothing_in_the_air(void *context)
{
    const struct run *run = context;

    return run->flights.open == 0;
}

bool load_drain(struct run *run)
{
    if (!sim_world_run_until(run->world, nothing_in_the_air, run, 600 * SIM_SECOND)) {
        run_fail(run, "%u requests are never answered", run->flights.open);
        return false;
    }
    return true;
}

struct verifying {
    const char *when;
    uint32_t vd;
    bool pin;
    uint8_t *bytes; /* VERIFY_BLOCKS of them */
};

/* False: it could not be read. */
static bool verify_blocks(struct run *run, const struct verifying *verify, uint64_t block,
                          uint64_t count)
{
    struct model *model = run->models[verify->vd];
    uint32_t length = (uint32_t)(count * model->block_bytes);
    enum vd_status status = sim_target_io(run->world, target_of(run, verify->vd), VD_OP_READ, false,
                                          block * model->block_bytes, length, verify->bytes);
    const char *wrong = NULL;

    if (status == VD_STATUS_OK) {
        wrong =
            model_read_check(model, block, count, model->floor + block, verify->bytes, verify->pin);
    } else if (run_is_told(run, verify->vd, block, count) ||
               refuse_excuses(run, verify->vd, block, count)) {
        return false;
    } else if (!may_fail(run, block, count)) {
        wrong = "an error";
    }
    if (wrong != NULL) {
        run_fail(run, "%s: vd%u: blocks %llu+%llu: %s (block %llu, floor %u, newest %u)",
                 verify->when, verify->vd, (unsigned long long)block, (unsigned long long)count,
                 wrong, (unsigned long long)model->wrong_block, model->floor[model->wrong_block],
                 model->newest[model->wrong_block]);
    }
    return true;
}

/* Where something is told to be lost, everything else can be read. */
static void verify_vd(struct run *run, const struct verifying *verify)
{
    struct model *model = run->models[verify->vd];
    uint64_t block = 0;

    while (block < model->block_count && !run->result->failed) {
        uint64_t count = min_u64(1 + run_below(run, VERIFY_BLOCKS), model->block_count - block);

        if (!verify_blocks(run, verify, block, count)) {
            for (uint64_t i = block; i < block + count && !run->result->failed; i++) {
                run->result->told_blocks += verify_blocks(run, verify, i, 1) ? 0u : 1u;
            }
        }
        block += count;
    }
}

void load_verify(struct run *run, const char *when, bool pin)
{
    uint8_t *bytes = malloc(VERIFY_BLOCKS * 4096u);

    ASSERT(bytes != NULL);
    for (uint32_t i = 0; i < vd_count(run) && !run->result->failed; i++) {
        const struct verifying verify = {.when = when, .vd = i, .pin = pin, .bytes = bytes};

        verify_vd(run, &verify);
    }
    free(bytes);
}
