/*
 * Crash points of a life behind the cache, as crash_point.c has them without one: at an I/O
 * boundary a copy is made of what the agent's death or a power cut would leave, medium of the cache
 * included; the group is built anew from the copy, everything is looked at, what the cache has goes
 * to the drives, and what they hold alone is looked at. The life that was copied notices nothing,
 * and nothing here draws from its dice.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cached_life_private.h"

#define POINTS 8u /* of one life in four: each is as dear as a tenth of a life */
#define STORES_PERIOD 1500u /* the same in changes of the cache's memory */
#define PERIOD 300u /* boundaries from one to the next, about */

void life_points_begin(struct life *life)
{
    rng_seed(&life->point_rng, life->options->seed ^ UINT64_C(0xb0a2d));
    life->points_left = life->options->points && life->options->seed % 4 == 3 ? POINTS : 0;
}

static void medium_fork(struct life *life, struct life *from, const struct sim_cut_plan *plan,
                        bool death)
{
    const struct memory_port *port = &from->medium.port;

    sim_memory_init(&life->medium, port->kind, port->size_bytes, false);
    life->medium_kept = NULL;
    if ((death || life_medium_is_stable(from)) && !life->on_log) {
        life_medium_left(from, &life->drives.rng, death, life->medium.port.base);
    }
    if (life->on_log) {
        sim_log_init(&life->log_device, sim_drive_fork(from->log_device.drive, life->world, plan));
    }
}

static void models_fork(struct life *life, const struct life *from)
{
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        size_t bytes = from->models[i]->block_count * sizeof(uint32_t);

        life->models[i] = model_copy(from->models[i]);
        life->back[i] = malloc(bytes);
        ASSERT(life->back[i] != NULL);
        memcpy(life->back[i], from->back[i], bytes);
    }
}

static struct life *point_begin(struct life *from, bool death)
{
    struct life *life = malloc(sizeof(*life));
    struct sim_cut_plan plan;
    enum sim_cut cut = SIM_CUT_KEEP_ALL;

    ASSERT(life != NULL);
    *life = *from;
    rng_seed(&life->rng, rng_u64(&from->point_rng));
    cut = death ? SIM_CUT_KEEP_ALL : (enum sim_cut)life_below(life, SIM_CUT_MAX);
    plan = sim_cut_plan_make(&life->rng, cut);
    life_cut_trouble(from, &life->rng, death, &plan);
    life->world = sim_world_create(rng_u64(&life->rng));
    life->world->now_us = from->world->now_us;
    life->array = sim_array_fork(from->array, life->world, &plan, false);
    medium_fork(life, from, &plan, death);
    models_fork(life, from);
    life->cache = NULL;
    life_drives_fork(life);
    life_load_init(life);
    memset(life->flights.flights, 0, sizeof(life->flights.flights));
    life->flights.open = 0;
    life->points_left = 0;
    life_drives_after(life, cut);
    life->result->crash_points++;
    life->result->deaths += death ? 1 : 0;
    life->result->cuts[cut] += death ? 0 : 1;
    life_trace(life, "crash point %llu: %s %d", (unsigned long long)life->result->crash_points,
               death ? "the agent's death" : "power cut", (int)cut);
    return life;
}

static void point(struct life *from)
{
    bool death = rng_below(&from->point_rng, 2) == 0;
    bool kept = death || life_medium_is_stable(from);
    struct life *life = NULL;

    if (!life_may_end(from, death)) {
        from->result->ends_refused++;
        return;
    }
    from->points_left--;
    life_drives_end_note(from);
    life = point_begin(from, death);
    life_begin_after(life, death, kept);
    life_drives_heal(life);
    life->last = true;
    if (!life->result->failed && life_stop(life)) {
        life_free(life);
    }
}

static void point_maybe(struct life *life, uint64_t period)
{
    if (life->points_left > 0 && !life->result->failed &&
        rng_below(&life->point_rng, period) == 0) {
        point(life);
    }
}

static void boundary(void *context)
{
    point_maybe(context, PERIOD);
}

/* In the middle of whatever changes the cache's memory. */
static void store(void *context)
{
    point_maybe(context, STORES_PERIOD);
}

void life_points_watch(struct life *life, bool watch)
{
    life->world->boundary = watch && life->points_left > 0 ? boundary : NULL;
    life->world->boundary_context = life;
    if (life_is_tended(life->options)) {
        life->medium.on_store = watch && life->points_left > 0 ? store : NULL;
        life->medium.on_store_context = life;
    }
}
