/*
 * Requests in the air (flight.h).
 */
#include "flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "port/io_port.h"

static void flight_over(struct flight *flight)
{
    /* A late drive may have kept what was lent. */
    free(flight->request.lends ? flight->request.buffer : flight->buffer);
    free(flight->before);
    flight->buffer = NULL;
    flight->before = NULL;
    flight->open = false;
    flight->all->open--;
}

static void flight_done(struct vd_request *request, enum vd_status status)
{
    struct flight *flight = request->owner;
    bool again = !flight->open;

    flight->all->answered(flight->all->owner, flight, status);
    if (!again) {
        flight_over(flight);
    }
}

void flights_init(struct flights *flights, uint32_t limit,
                  void (*answered)(void *owner, struct flight *flight, enum vd_status status),
                  void *owner)
{
    ASSERT(limit > 0 && limit <= FLIGHTS_MAX);
    ASSERT(answered != NULL);
    flights->limit = limit;
    flights->answered = answered;
    flights->owner = owner;
}

struct flight *flight_new(struct flights *flights)
{
    for (uint32_t i = 0; i < flights->limit; i++) {
        struct flight *flight = &flights->flights[i];

        if (!flight->open) {
            *flight = (struct flight){.all = flights, .open = true};
            flights->open++;
            return flight;
        }
    }
    return NULL;
}

bool flight_writes(const struct flight *flight)
{
    enum vd_op op = flight->request.op;

    return op == VD_OP_WRITE || op == VD_OP_TRIM || op == VD_OP_WRITE_ZEROES;
}

/* Memory that is not lent is on purpose not aligned. */
static void buffer_make(struct flight *flight)
{
    struct vd_request *request = &flight->request;

    if (request->op != VD_OP_READ && request->op != VD_OP_WRITE) {
        return;
    }
    flight->buffer =
        request->lends
            ? aligned_alloc(IO_ALIGN_BYTES, align_up_u64(request->length_bytes, IO_ALIGN_BYTES))
            : malloc(request->length_bytes + 1);
    ASSERT(flight->buffer != NULL);
    request->buffer = flight->buffer + (request->lends ? 0 : 1);
}

static uint32_t *versions_new(uint64_t count)
{
    uint32_t *versions = malloc(count * sizeof(*versions));

    ASSERT(versions != NULL);
    return versions;
}

void flight_prepare(struct flight *flight, struct model *model)
{
    struct vd_request *request = &flight->request;

    flight->model = model;
    request->complete = flight_done;
    request->owner = flight;
    request->offset_bytes = flight->block * model->block_bytes;
    request->length_bytes = (uint32_t)(flight->count * model->block_bytes);
    /* Some lend their memory; which is no matter of chance, so that old seeds stay good. */
    request->lends =
        (request->op == VD_OP_READ || request->op == VD_OP_WRITE) && flight->block % 3 != 0;
    buffer_make(flight);
    if (request->op == VD_OP_FLUSH) {
        flight->before = versions_new(model->block_count);
        memcpy(flight->before, model->acked, model->block_count * sizeof(*flight->before));
    } else if (request->op == VD_OP_READ) {
        flight->before = versions_new(flight->count);
        model_floors(model, flight->block, flight->count, flight->before);
    } else {
        flight->version =
            model_write_begin(model, flight->block, flight->count, request->op != VD_OP_WRITE);
    }
    for (uint64_t i = 0; i < flight->count && request->op == VD_OP_WRITE; i++) {
        model_fill(model, flight->block + i, flight->version,
                   request->buffer + i * model->block_bytes);
    }
}

const char *flight_read_check(struct flight *flight, bool pin)
{
    ASSERT(flight->request.op == VD_OP_READ);
    return model_read_check(flight->model, flight->block, flight->count, flight->before,
                            flight->request.buffer, pin);
}

void flight_acked(struct flight *flight, bool stable)
{
    ASSERT(flight->request.op != VD_OP_READ);
    if (flight->request.op == VD_OP_FLUSH) {
        model_flushed(flight->model, flight->before);
    } else {
        model_write_acked(flight->model, flight->block, flight->count, flight->version,
                          flight->request.fua || stable);
    }
}
