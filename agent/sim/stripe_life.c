/*
 * A stripe's life (stripe_life.h). Its members are groups of their own, with drives and a store of
 * their own: only the clock and the power they share, as controllers of a host do.
 */
#include "stripe_life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "flight.h"
#include "sim_array.h"
#include "vd/host_stripe.h"

#define MEMBERS_MAX 3u
#define FLIGHTS 10u
#define REQUESTS 250u
#define PATIENCE_US (600 * SIM_SECOND)

struct life {
    struct rng rng;
    struct sim_world *world;
    uint32_t count;
    struct sim_array *arrays[MEMBERS_MAX];
    struct host_stripe_options options;
    struct host_stripe *stripe;
    struct model *model;
    struct flights flights;
    bool dead;   /* answers do not count */
    bool broken;
};

static uint64_t below(struct life *life, uint64_t bound)
{
    return rng_below(&life->rng, bound);
}

static bool chance(struct life *life, uint32_t percent)
{
    return below(life, 100) < percent;
}

static void broken(struct life *life, const char *what, const struct flight *flight)
{
    if (!life->broken) {
        printf("# a stripe's life: %s (operation %d on %llu+%llu)\n", what,
               flight != NULL ? (int)flight->request.op : -1,
               flight != NULL ? (unsigned long long)flight->block : 0,
               flight != NULL ? (unsigned long long)flight->count : 0);
    }
    life->broken = true;
}

static bool is_consistent(const struct life *life)
{
    for (uint32_t i = 0; i < life->count; i++) {
        if (!vd_is_consistent(sim_array_vd(life->arrays[i], 0))) {
            return false;
        }
    }
    return true;
}

static void answered(void *owner, struct flight *flight, enum vd_status status)
{
    struct life *life = owner;
    const char *wrong = NULL;

    if (!flight->open) {
        broken(life, "answered twice", flight);
        return;
    }
    if (life->dead || life->broken) {
        return;
    }
    if (status != VD_STATUS_OK) {
        broken(life, "an error without a fault", flight);
    } else if (flight->request.op != VD_OP_READ) {
        flight_acked(flight, false);
    } else {
        wrong = flight_read_check(flight, is_consistent(life));
        if (wrong != NULL) {
            broken(life, wrong, flight);
        }
    }
}

/* Blocks of one size: what a drive keeps whole of a larger one in a power cut is a part of it. */
static void array_make(struct life *life, uint32_t index, uint32_t block_bytes)
{
    static const enum raid_level levels[] = {RAID_LEVEL_0, RAID_LEVEL_1, RAID_LEVEL_5};
    static const uint32_t widths[] = {2, 2, 3};
    uint32_t pick = (uint32_t)below(life, 3);
    struct sim_array_options options = {.level = levels[pick],
                                        .span_count = 1,
                                        .members_per_span = widths[pick],
                                        .strip_bytes = 16u << 10,
                                        .block_bytes = block_bytes,
                                        .vd_count = 1,
                                        .noise = true};

    options.extent_bytes = options.strip_bytes * (5 + below(life, 8));
    options.consistent = options.level == RAID_LEVEL_0;
    life->arrays[index] = sim_array_create(life->world, &options);
    if (sim_array_start(life->arrays[index]) != 0) {
        broken(life, "a member does not start", NULL);
    }
}

/* From the members as they are now, which are others after each start. */
static void stripe_open(struct life *life)
{
    int error = 0;

    for (uint32_t i = 0; i < life->count; i++) {
        life->options.members[i] = vd_target(sim_array_vd(life->arrays[i], 0));
    }
    error = host_stripe_create(&life->options, sim_world_clock(life->world), &life->stripe);
    ASSERT(error == 0);
}

static void setup(struct life *life, uint64_t seed)
{
    static const uint32_t parts[] = {0, 1, 3, 17};
    uint64_t member_bytes = UINT64_MAX;
    uint32_t block_bytes = 0;

    rng_seed(&life->rng, seed);
    life->world = sim_world_create(seed ^ UINT64_C(0x57));
    life->count = 2 + (uint32_t)below(life, MEMBERS_MAX - 1);
    block_bytes = chance(life, 60) ? 512 : 4096;
    life->options = (struct host_stripe_options){.name = "wide",
                                                 .strip_bytes = 8192u << below(life, 4),
                                                 .member_count = life->count,
                                                 .parts = parts[below(life, 4)]};
    for (uint32_t i = 0; i < life->count; i++) {
        array_make(life, i, block_bytes);
        member_bytes = min_u64(member_bytes, life->arrays[i]->config->vds[0].size_bytes);
    }
    life->options.member_bytes =
        member_bytes / life->options.strip_bytes * life->options.strip_bytes;
    stripe_open(life);
    life->model = model_create(seed, 0, block_bytes,
                               host_stripe_target(life->stripe)->size_bytes / block_bytes);
    flights_init(&life->flights, FLIGHTS, answered, life);
}

static void submit(struct life *life)
{
    struct flight *flight = flight_new(&life->flights);
    struct vd_target *target = host_stripe_target(life->stripe);
    uint64_t dice = below(life, 100);

    if (flight == NULL) {
        return;
    }
    flight->request.op = dice < 35   ? VD_OP_READ
                         : dice < 85 ? VD_OP_WRITE
                         : dice < 93 ? VD_OP_FLUSH
                         : dice < 97 ? VD_OP_TRIM
                                     : VD_OP_WRITE_ZEROES;
    if (flight->request.op != VD_OP_FLUSH) {
        flight->block = below(life, chance(life, 50) ? min_u64(life->model->block_count, 64)
                                                     : life->model->block_count);
        flight->count = min_u64(1 + below(life, chance(life, 70) ? 12 : 200),
                                life->model->block_count - flight->block);
        flight->request.fua = flight_writes(flight) && chance(life, 15);
    }
    flight_prepare(flight, life->model);
    target->ops->submit(target, &flight->request);
}

static bool nothing_open(void *context)
{
    return ((const struct life *)context)->flights.open == 0;
}

static void drain(struct life *life)
{
    bool over = sim_world_run_until(life->world, nothing_open, life, PATIENCE_US);

    ASSERT(over); /* nothing could go on behind it */
    life->stripe = host_stripe_free(life->stripe);
}

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

static void verify(struct life *life, const char *when)
{
    struct model *model = life->model;
    struct vd_target *target = host_stripe_target(life->stripe);
    uint8_t *bytes = malloc(model->block_count * model->block_bytes);
    const char *wrong = NULL;
    struct look look = {.request = {.op = VD_OP_READ,
                                    .length_bytes = (uint32_t)target->size_bytes,
                                    .buffer = bytes,
                                    .complete = look_done}};

    ASSERT(bytes != NULL);
    target->ops->submit(target, &look.request);
    if (!sim_world_run_until_flag(life->world, &look.done, PATIENCE_US) ||
        look.status != VD_STATUS_OK) {
        broken(life, "everything cannot be read", NULL);
    } else {
        wrong = model_read_check(model, 0, model->block_count, model->floor, bytes,
                                 is_consistent(life));
    }
    if (wrong != NULL) {
        printf("# %s, block %llu: %s\n", when, (unsigned long long)model->wrong_block, wrong);
        broken(life, when, NULL);
    }
    free(bytes);
}

/* The members come in any order. */
static void start_again(struct life *life, const char *when)
{
    uint32_t first = (uint32_t)below(life, life->count);

    for (uint32_t i = 0; i < life->count; i++) {
        if (sim_array_reload(life->arrays[(first + i) % life->count]) != 0) {
            broken(life, "a member does not come back", NULL);
            return;
        }
    }
    stripe_open(life);
    verify(life, when);
}

static void cut(struct life *life)
{
    life->dead = true;
    sim_world_power_off(life->world, (enum sim_cut)below(life, SIM_CUT_MAX));
    model_crashed(life->model, 1);
    model_risk_over(life->model);
    drain(life);
    for (uint32_t i = 0; i < life->count; i++) {
        (void)sim_array_stop(life->arrays[i]); /* nothing answers: the error is no news */
    }
    while (!list_is_empty(&life->world->events)) {
        (void)sim_world_step(life->world); /* there is something */
    }
    sim_world_power_on(life->world);
    life->dead = false;
    start_again(life, "wrong after a power cut");
}

static void stop(struct life *life)
{
    drain(life);
    for (uint32_t i = 0; i < life->count; i++) {
        if (sim_array_stop(life->arrays[i]) != 0) {
            broken(life, "a member does not stop", NULL);
        }
    }
    model_stopped(life->model);
    model_crashed(life->model, 1);
    model_risk_over(life->model);
}

bool stripe_life(uint64_t seed)
{
    struct life *life = calloc(1, sizeof(*life));

    ASSERT(life != NULL);
    setup(life, seed);
    for (uint32_t i = 0; i < REQUESTS && !life->broken; i++) {
        submit(life);
        for (uint64_t steps = below(life, 30); steps > 0; steps--) {
            (void)sim_world_step(life->world);
        }
        if (chance(life, 3)) {
            cut(life);
        } else if (chance(life, 1)) {
            stop(life);
            start_again(life, "wrong after a stop");
        }
    }
    if (life->broken) {
        return false; /* things may be in the air: what it holds ends with the process */
    }
    stop(life);
    for (uint32_t i = 0; i < life->count; i++) {
        sim_array_destroy(life->arrays[i]);
    }
    model_destroy(life->model);
    sim_world_destroy(life->world);
    free(life);
    return true;
}
