/*
 * The load of a simulated life: random requests, checked by the model as they are answered.
 */
#include <stdlib.h>
#include <string.h>

#include "run_private.h"

static void flight_free(struct flight *flight)
{
    /* A late drive may have kept what was lent. */
    free(flight->request.lends ? flight->request.buffer : flight->buffer);
    free(flight->before);
    flight->buffer = NULL;
    flight->before = NULL;
    flight->open = false;
    flight->run->flights_open--;
}

static bool is_write(enum vd_op op)
{
    return op == VD_OP_WRITE || op == VD_OP_TRIM || op == VD_OP_WRITE_ZEROES;
}

static void flight_landed(struct run *run, struct flight *flight)
{
    struct model *model = run->models[flight->vd];
    const char *wrong = NULL;

    if (flight->request.op == VD_OP_READ) {
        bool pin = vd_is_consistent(sim_array_vd(run->array, flight->vd)) && run_pins(run);

        wrong = model_read_check(model, flight->block, flight->count, flight->before,
                                 flight->buffer + 1, pin);
        if (wrong != NULL) {
            run_fail(run, "vd%u: read of %llu+%llu returned %s", flight->vd,
                     (unsigned long long)flight->block, (unsigned long long)flight->count, wrong);
        }
    } else if (flight->request.op == VD_OP_FLUSH) {
        model_flushed(model, flight->before);
    } else {
        model_write_acked(model, flight->block, flight->count, flight->version,
                          flight->request.fua);
    }
}

static void flight_failed(struct run *run, struct flight *flight, enum vd_status status)
{
    if (!run->options->over_budget) {
        run_fail(run, "vd%u: operation %d on %llu+%llu failed with %d although nothing was lost",
                 flight->vd, (int)flight->request.op, (unsigned long long)flight->block,
                 (unsigned long long)flight->count, (int)status);
    }
    /* A write that failed half way through a degraded row leaves its hole. */
    if (is_write(flight->request.op) && run_has_parity(run)) {
        model_unsure_rows(run->models[flight->vd], flight->block, flight->count,
                          run_row_blocks(run, flight->vd));
    }
}

static void flight_done(struct vd_request *request, enum vd_status status)
{
    struct flight *flight = request->owner;
    struct run *run = flight->run;

    run_hash(run, run->world->now_us * 8 + (uint64_t)status);
    if (!flight->open) {
        run_fail(run, "a request was answered twice");
        return;
    }
    run_trace(run, "vd%u: operation %d on %llu+%llu answered %d", flight->vd,
              (int)flight->request.op, (unsigned long long)flight->block,
              (unsigned long long)flight->count, (int)status);
    if (!run->dead && !run->result->failed) {
        if (status == VD_STATUS_OK) {
            flight_landed(run, flight);
        } else {
            flight_failed(run, flight, status);
        }
    }
    flight_free(flight);
}

static uint32_t *copy_of(const uint32_t *values, uint64_t count)
{
    uint32_t *copy = malloc(count * sizeof(*copy));

    ASSERT(copy != NULL);
    memcpy(copy, values, count * sizeof(*copy));
    return copy;
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

/* Small ones, some of a few strips, some of whole rows; half of them in the first rows. */
static void range_choose(struct run *run, struct flight *flight)
{
    const struct vd_config *config = vd_config(sim_array_vd(run->array, flight->vd));
    uint64_t blocks = run->models[flight->vd]->block_count;
    uint64_t strip = config->geometry.strip_bytes / config->geometry.block_bytes;
    uint64_t row = geometry_row_bytes(&config->geometry) / config->geometry.block_bytes;
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
        flight->request.fua = is_write(flight->request.op) && run_chance(run, 15);
    }
}

/* Operation, range and FUA are chosen; the rest is made here. */
static void flight_submit(struct run *run, struct flight *flight)
{
    struct model *model = run->models[flight->vd];
    struct vd_request *request = &flight->request;

    request->complete = flight_done;
    request->owner = flight;
    request->offset_bytes = flight->block * model->block_bytes;
    request->length_bytes = (uint32_t)(flight->count * model->block_bytes);
    if (request->op == VD_OP_FLUSH) {
        flight->before = copy_of(model->acked, model->block_count);
    }
    /* Some writes lend their memory; which is no matter of chance, so that old seeds stay good. */
    request->lends = request->op == VD_OP_WRITE && flight->block % 3 != 0;
    if (request->lends) {
        flight->buffer =
            aligned_alloc(IO_ALIGN_BYTES, align_up_u64(request->length_bytes, IO_ALIGN_BYTES));
        ASSERT(flight->buffer != NULL);
        request->buffer = flight->buffer;
    } else if (request->op == VD_OP_READ || request->op == VD_OP_WRITE) {
        flight->buffer = malloc(request->length_bytes + 1);
        ASSERT(flight->buffer != NULL);
        request->buffer = flight->buffer + 1; /* on purpose not aligned */
    }
    if (request->op == VD_OP_READ) {
        flight->before = copy_of(model->floor + flight->block, flight->count);
    } else if (is_write(request->op)) {
        flight->version =
            model_write_begin(model, flight->block, flight->count, request->op != VD_OP_WRITE);
    }
    for (uint64_t i = 0; i < flight->count && request->op == VD_OP_WRITE; i++) {
        model_fill(model, flight->block + i, flight->version,
                   request->buffer + i * model->block_bytes);
    }
    run_trace(run, "vd%u: operation %d on %llu+%llu version %u%s", flight->vd, (int)request->op,
              (unsigned long long)flight->block, (unsigned long long)flight->count, flight->version,
              request->fua ? " FUA" : "");
    vd_submit(sim_array_vd(run->array, flight->vd), request);
}

static struct flight *flight_new(struct run *run)
{
    for (uint32_t i = 0; i < RUN_FLIGHTS; i++) {
        struct flight *flight = &run->flights[i];

        if (!flight->open) {
            *flight = (struct flight){.run = run, .open = true};
            run->flights_open++;
            run->result->requests++;
            return flight;
        }
    }
    return NULL;
}

void load_submit(struct run *run)
{
    struct flight *flight = flight_new(run);

    if (flight != NULL) {
        flight->vd = (uint32_t)run_below(run, run->array->options.vd_count);
        request_choose(run, flight);
        flight_submit(run, flight);
    }
}

void load_submit_this(struct run *run, enum vd_op op, bool fua, uint64_t block, uint64_t count)
{
    struct flight *flight = flight_new(run);

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

    return run->flights_open == 0;
}

bool load_drain(struct run *run)
{
    if (!sim_world_run_until(run->world, nothing_in_the_air, run, 600 * SIM_SECOND)) {
        run_fail(run, "%u requests are never answered", run->flights_open);
        return false;
    }
    return true;
}

static void verify_vd(struct run *run, uint32_t index, const char *when, bool pin)
{
    struct model *model = run->models[index];
    uint64_t block = 0;

    while (block < model->block_count && !run->result->failed) {
        uint64_t count = min_u64(1 + run_below(run, 512), model->block_count - block);
        uint32_t length = (uint32_t)(count * model->block_bytes);
        uint8_t *bytes = malloc(length);
        enum vd_status status = VD_STATUS_OK;
        const char *wrong = NULL;

        ASSERT(bytes != NULL);
        status = sim_array_io(run->array, sim_array_vd(run->array, index), VD_OP_READ, false,
                              block * model->block_bytes, length, bytes);
        if (status == VD_STATUS_OK) {
            wrong = model_read_check(model, block, count, model->floor + block, bytes, pin);
        } else if (!run->options->over_budget) {
            wrong = "an error";
        }
        if (wrong != NULL) {
            run_fail(run, "%s: vd%u: blocks %llu+%llu: %s (block %llu, floor %u, newest %u)", when,
                     index, (unsigned long long)block, (unsigned long long)count, wrong,
                     (unsigned long long)model->wrong_block, model->floor[model->wrong_block],
                     model->newest[model->wrong_block]);
        }
        free(bytes);
        block += count;
    }
}

void load_verify(struct run *run, const char *when, bool pin)
{
    for (uint32_t i = 0; i < run->array->options.vd_count && !run->result->failed; i++) {
        verify_vd(run, i, when, pin);
    }
}
