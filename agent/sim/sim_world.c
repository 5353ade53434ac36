/*
 * The clock, the event queue and the power switch of a simulated world (sim_world.h).
 */
#include "sim_world.h"

#include <stdlib.h>

#include "base/assert.h"
#include "sim_drive.h"
#include "sim_store.h"

static struct sim_world *world_of_clock(struct clock_port *port)
{
    return container_of(port, struct sim_world, clock);
}

static uint64_t clock_now(struct clock_port *port)
{
    return world_of_clock(port)->now_us;
}

static uint64_t clock_wall(struct clock_port *port)
{
    struct sim_world *world = world_of_clock(port);

    return world->wall_base_us + world->now_us;
}

static void clock_disarm(struct clock_port *port, struct clock_timer *timer)
{
    ASSERT(port != NULL);
    if (timer->armed) {
        list_remove(&timer->port_link);
        timer->armed = false;
    }
}

static void clock_set(struct clock_port *port, struct clock_timer *timer, uint64_t deadline_us)
{
    struct sim_world *world = world_of_clock(port);
    struct list *place = NULL;

    ASSERT(timer->fire != NULL);
    clock_disarm(port, timer);
    timer->deadline_us = deadline_us;
    timer->armed = true;
    list_init(&timer->port_link);
    place = world->timers.prev;
    while (place != &world->timers &&
           list_entry(place, struct clock_timer, port_link)->deadline_us > deadline_us) {
        place = place->prev;
    }
    list_insert_after(place, &timer->port_link);
}

static const struct clock_port_ops world_clock_ops = {
    .now_us = clock_now,
    .wall_us = clock_wall,
    .arm = clock_set,
    .cancel = clock_disarm,
};

struct sim_world *sim_world_create(uint64_t seed)
{
    struct sim_world *world = calloc(1, sizeof(*world));

    ASSERT(world != NULL);
    world->clock.ops = &world_clock_ops;
    rng_seed(&world->rng, seed);
    world->now_us = 1000 * SIM_SECOND;
    world->wall_base_us = UINT64_C(1767225600) * SIM_SECOND;
    world->powered = true;
    list_init(&world->events);
    list_init(&world->timers);
    list_init(&world->drives);
    list_init(&world->stores);
    return world;
}

void sim_world_destroy(struct sim_world *world)
{
    if (world == NULL) {
        return;
    }
    LIST_FOR_EACH_SAFE (node, following, &world->drives) {
        sim_drive_destroy(list_entry(node, struct sim_drive, world_link));
    }
    LIST_FOR_EACH_SAFE (node, following, &world->stores) {
        sim_store_destroy(list_entry(node, struct sim_store, world_link));
    }
    ASSERT(list_is_empty(&world->events));
    free(world);
}

struct clock_port *sim_world_clock(struct sim_world *world)
{
    return &world->clock;
}

void sim_event_post(struct sim_world *world, struct sim_event *event, uint64_t delay_us)
{
    struct list *place = world->events.prev;

    ASSERT(event->fire != NULL);
    event->at_us = world->now_us + delay_us;
    list_init(&event->link);
    while (place != &world->events &&
           list_entry(place, struct sim_event, link)->at_us > event->at_us) {
        place = place->prev;
    }
    list_insert_after(place, &event->link);
}

static void fire_event(struct sim_world *world, struct list *node)
{
    struct sim_event *event = list_entry(node, struct sim_event, link);

    list_remove(node);
    ASSERT(event->at_us >= world->now_us || !world->powered);
    world->now_us = event->at_us > world->now_us ? event->at_us : world->now_us;
    event->fire(event);
}

static void fire_timer(struct sim_world *world, struct list *node)
{
    struct clock_timer *timer = list_entry(node, struct clock_timer, port_link);

    list_remove(node);
    ASSERT(timer->armed);
    timer->armed = false;
    if (timer->deadline_us > world->now_us) {
        world->now_us = timer->deadline_us;
    }
    timer->fire(timer);
}

/* The time of the next thing to happen, or UINT64_MAX. */
static uint64_t next_us(const struct sim_world *world)
{
    uint64_t at_us = UINT64_MAX;
    const struct list *node = list_first(&world->events);

    if (node != NULL) {
        at_us = list_entry(node, const struct sim_event, link)->at_us;
    }
    node = list_first(&world->timers);
    if (node != NULL) {
        uint64_t timer_us = list_entry(node, const struct clock_timer, port_link)->deadline_us;
        at_us = timer_us < at_us ? timer_us : at_us;
    }
    return at_us;
}

bool sim_world_step(struct sim_world *world)
{
    struct list *event = list_first(&world->events);
    struct list *timer = list_first(&world->timers);

    if (event == NULL && timer == NULL) {
        return false;
    }
    world->steps++;
    if (timer == NULL ||
        (event != NULL && list_entry(event, struct sim_event, link)->at_us <=
                              list_entry(timer, struct clock_timer, port_link)->deadline_us)) {
        fire_event(world, event);
    } else {
        fire_timer(world, timer);
    }
    return true;
}

bool sim_world_run_until(struct sim_world *world, bool (*done)(void *context), void *context,
                         uint64_t limit_us)
{
    uint64_t end_us = world->now_us + limit_us;

    while (!done(context)) {
        if (next_us(world) > end_us || !sim_world_step(world)) {
            return false;
        }
    }
    return true;
}

bool sim_world_run_until_flag(struct sim_world *world, const bool *flag, uint64_t limit_us)
{
    uint64_t end_us = world->now_us + limit_us;

    while (!*flag) {
        if (next_us(world) > end_us || !sim_world_step(world)) {
            return false;
        }
    }
    return true;
}

void sim_world_advance(struct sim_world *world, uint64_t duration_us)
{
    uint64_t end_us = world->now_us + duration_us;

    while (next_us(world) <= end_us) {
        (void)sim_world_step(world); /* there is something: next_us() said so */
    }
    world->now_us = end_us;
}

static uint32_t rate_draw(struct rng *rng)
{
    static const uint32_t rates[] = {0, 1, 8, 15, 16};

    return rates[rng_below(rng, 5)];
}

struct sim_cut_plan sim_cut_plan_make(struct rng *rng, enum sim_cut cut)
{
    return (struct sim_cut_plan){
        .cut = cut,
        .rate_of_16 = rate_draw(rng),
        .kind = (enum sim_write_kind)rng_below(rng, SIM_WRITE_KIND_MAX),
        .kind_survives = rng_below(rng, 2) == 0,
        .split_bytes = UINT64_MAX,
        .torn_percent = 10,
    };
}

void sim_world_power_off_plan(struct sim_world *world, const struct sim_cut_plan *plan)
{
    ASSERT(world->powered);
    world->powered = false;
    LIST_FOR_EACH (node, &world->drives) {
        sim_drive_cut(list_entry(node, struct sim_drive, world_link), plan);
    }
    LIST_FOR_EACH (node, &world->stores) {
        sim_store_cut(list_entry(node, struct sim_store, world_link));
    }
}

void sim_world_power_off(struct sim_world *world, enum sim_cut cut)
{
    struct sim_cut_plan plan = sim_cut_plan_make(&world->rng, cut);

    sim_world_power_off_plan(world, &plan);
}

void sim_world_boundary(struct sim_world *world)
{
    if (world->boundary != NULL && world->powered) {
        world->boundary(world->boundary_context);
    }
}

void sim_world_power_on(struct sim_world *world)
{
    ASSERT(!world->powered);
    ASSERT(list_is_empty(&world->events));
    world->powered = true;
}
