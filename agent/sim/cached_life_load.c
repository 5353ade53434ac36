/*
 * The load of a life behind the cache: random requests, judged as they are answered; and looking at
 * everything (cached_life.h).
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "cached_life_private.h"

#define FLIGHTS 10u

static void flight_landed(struct life *life, struct flight *flight)
{
    bool back = life->back_only && flight->request.op == VD_OP_WRITE && !life_log_is_lost(life);
    const char *wrong = NULL;

    if (flight->request.op != VD_OP_READ) {
        life->result->flushes += flight->request.op == VD_OP_FLUSH ? 1 : 0;
        life->result->writes += flight_writes(flight) ? 1 : 0;
        life->result->back += back ? 1 : 0;
        /* On a persistent medium what is written back is on stable storage when it is answered. */
        flight_acked(flight, back && life_medium_is_stable(life));
        for (uint64_t i = flight->block; i < flight->block + flight->count && back; i++) {
            life->back[flight->vd][i] = max_u32(life->back[flight->vd][i], flight->version);
        }
        return;
    }
    life->result->reads++;
    /* Writes that waited for a log that is lost go to the drives one after the other: of two that
     * overlap the older one may be read once more, until the newer one is acknowledged. So what has
     * been seen then says nothing about later reads. */
    wrong = flight_read_check(flight, life_pins(life, flight->vd) && !life_log_is_lost(life));
    if (wrong != NULL) {
        life_fail(life, "vd%u: read of %llu+%llu returned %s", flight->vd,
                  (unsigned long long)flight->block, (unsigned long long)flight->count, wrong);
    }
}

/* A whole row that was being written when drives left may have anything in it: it is not logged,
 * because nothing in it was to be kept. */
static void flight_failed(struct life *life, const struct flight *flight, enum vd_status status)
{
    const struct geometry *geometry = &vd_config(sim_array_vd(life->array, flight->vd))->geometry;

    if (!life->away) {
        life_fail(life, "vd%u: operation %d on %llu+%llu failed with %d", flight->vd,
                  (int)flight->request.op, (unsigned long long)flight->block,
                  (unsigned long long)flight->count, (int)status);
    } else if (flight_writes(flight) && raid_level_info(geometry->level)->parity_count > 0) {
        model_unsure_rows(life->models[flight->vd], flight->block, flight->count,
                          geometry_row_bytes(geometry) / geometry->block_bytes);
    }
}

static void flight_answered(void *owner, struct flight *flight, enum vd_status status)
{
    struct life *life = owner;

    if (!flight->open) {
        life_fail(life, "a request was answered twice");
        return;
    }
    if (life->dead || life->result->failed) {
        return;
    }
    life_hash(life, life->world->now_us * 8 + (uint64_t)status);
    life_trace(life, "vd%u: operation %d on %llu+%llu answered %d", flight->vd,
               (int)flight->request.op, (unsigned long long)flight->block,
               (unsigned long long)flight->count, (int)status);
    if (status == VD_STATUS_OK) {
        flight_landed(life, flight);
    } else {
        flight_failed(life, flight, status);
    }
}

void life_load_init(struct life *life)
{
    flights_init(&life->flights, FLIGHTS, flight_answered, life);
}

static enum vd_op op_choose(struct life *life)
{
    uint64_t dice = life_below(life, 100);

    return dice < 40   ? VD_OP_READ
           : dice < 90 ? VD_OP_WRITE
           : dice < 94 ? VD_OP_FLUSH
           : dice < 97 ? VD_OP_TRIM
                       : VD_OP_WRITE_ZEROES;
}

/* Half of them in the first blocks, so that they meet. Some go on where the last one ended. */
static void range_choose(struct life *life, struct flight *flight)
{
    uint64_t blocks = life->models[flight->vd]->block_count;
    uint64_t zone = life_chance(life, 60) ? min_u64(blocks, 64) : blocks;

    flight->block = life_chance(life, 15) ? life->range_end % blocks : life_below(life, zone);
    flight->count = 1 + life_below(life, life_chance(life, 80) ? 12 : 200);
    flight->count = min_u64(flight->count, blocks - flight->block);
    life->range_end = flight->block + flight->count;
}

static void flight_begin(struct life *life, struct flight *flight)
{
    struct vd_target *target = vd_cached_target(life->cached[flight->vd]);

    flight_prepare(flight, life->models[flight->vd]);
    life->result->requests++;
    life_trace(life, "vd%u: operation %d on %llu+%llu version %u%s", flight->vd,
               (int)flight->request.op, (unsigned long long)flight->block,
               (unsigned long long)flight->count, flight->version,
               flight->request.fua ? " fua" : "");
    target->ops->submit(target, &flight->request);
}

void life_ask(struct life *life, uint32_t vd, enum vd_op op, uint64_t block, uint64_t count)
{
    struct flight *flight = flight_new(&life->flights);

    ASSERT(flight != NULL);
    flight->vd = vd;
    flight->request.op = op;
    flight->block = block;
    flight->count = count;
    flight_begin(life, flight);
}

void life_submit(struct life *life)
{
    struct flight *flight = flight_new(&life->flights);

    if (flight == NULL) {
        return;
    }
    flight->vd = (uint32_t)life_below(life, life->array->options.vd_count);
    flight->request.op = op_choose(life);
    if (flight->request.op != VD_OP_FLUSH) {
        range_choose(life, flight);
        flight->request.fua = flight_writes(flight) && life_chance(life, 10);
    }
    flight_begin(life, flight);
}

static bool nothing_open(void *context)
{
    const struct life *life = context;

    return life->flights.open == 0;
}

bool life_drain(struct life *life)
{
    if (!sim_world_run_until(life->world, nothing_open, life, LIFE_PATIENCE_US)) {
        life_fail(life, "%u requests are never answered", life->flights.open);
        return false;
    }
    return true;
}

/* Looking at everything */

struct look {
    struct vd_request request;
    bool done;
    enum vd_status status;
};

static void look_done(struct vd_request *request, enum vd_status status)
{
    struct look *look = container_of(request, struct look, request);

    look->done = true;
    look->status = status;
}

static void read_all(struct life *life, struct vd_target *target, const struct model *model,
                     uint8_t *bytes)
{
    struct look look = {
        .request = {.op = VD_OP_READ,
                    .length_bytes = (uint32_t)(model->block_count * model->block_bytes),
                    .buffer = bytes,
                    .complete = look_done}};

    target->ops->submit(target, &look.request);
    if (!sim_world_run_until_flag(life->world, &look.done, LIFE_PATIENCE_US) ||
        look.status != VD_STATUS_OK) {
        life_fail(life, "everything cannot be read: %d", (int)look.status);
    }
}

/* acked: what was acknowledged before the end; where it is missing the loss must be noted. */
void life_verify(struct life *life, uint32_t index, struct vd_target *target, const uint32_t *acked,
                 const char *when)
{
    struct model *model = life->models[index];
    uint8_t *bytes = malloc(model->block_count * model->block_bytes);
    const char *wrong = NULL;

    ASSERT(bytes != NULL);
    life_trace(life, "vd%u: looked at %s", index, when);
    life->result->looks++;
    life->result->losses_noted += vd_config(sim_array_vd(life->array, index))->cache_lost ? 1 : 0;
    read_all(life, target, model, bytes);
    if (!life->result->failed && acked != NULL &&
        model_read_check(model, 0, model->block_count, acked, bytes, false) != NULL &&
        !vd_config(sim_array_vd(life->array, index))->cache_lost) {
        life_fail(life, "%s: vd%u: writes are lost and nobody says so (block %llu, version %u)",
                  when, index, (unsigned long long)model->wrong_block, acked[model->wrong_block]);
    }
    wrong = life->result->failed ? NULL
                                 : model_read_check(model, 0, model->block_count, model->floor,
                                                    bytes, life_pins(life, index));
    if (wrong != NULL) {
        life_fail(life, "%s: vd%u: block %llu of at least version %u: %s", when, index,
                  (unsigned long long)model->wrong_block, model->floor[model->wrong_block], wrong);
    }
    free(bytes);
}
