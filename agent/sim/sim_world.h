/*
 * The simulated world of a test: one virtual clock, one queue of events, one random
 * generator. Everything happens in sim_world_step(), in an order that depends on the seed
 * alone. Simulated drives and the simulated store hang on a world.
 *
 *   struct sim_world *world = sim_world_create(seed);
 *   struct sim_drive *drive = sim_drive_create(world, &options);
 *   ... hand sim_world_clock(world), sim_drive_port(drive), sim_store_port(store) out ...
 *   sim_world_run_until(world, flag_is_set, &flag, 60 * SIM_SECOND);
 *
 * A power cut: sim_world_power_off() decides at once which unflushed bytes survive; from
 * then on every drive answers GONE and the store -EIO, so that the program under test can
 * wind down and free itself. sim_world_power_on() shows the surviving bytes.
 */
#ifndef ARRAYWRIGHT_SIM_WORLD_H
#define ARRAYWRIGHT_SIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/rng.h"
#include "port/clock_port.h"

#define SIM_SECOND UINT64_C(1000000)

/* How a power cut chooses among the writes that no flush has covered. */
enum sim_cut {
    SIM_CUT_KEEP_ALL,   /* as if the process alone had died */
    SIM_CUT_DROP_ALL,
    SIM_CUT_RATE,       /* one survival rate for all: 1/16, 1/2, 15/16 ... */
    SIM_CUT_DRIVE_RATE, /* a rate per drive */
    SIM_CUT_PREFIX,     /* per drive: the first n of them */
    SIM_CUT_KIND,       /* those of one kind are lost, or they alone survive */
    SIM_CUT_MAX,
    SIM_CUT_CHOSEN      /* page by page as the plan says; not one to be drawn */
};

enum sim_write_kind {
    SIM_WRITE_BELOW, /* the plan's split */
    SIM_WRITE_ABOVE,
    SIM_WRITE_SHORT, /* one block of 4 KiB */
    SIM_WRITE_LONG,
    SIM_WRITE_ODD,   /* by the number of its first page */
    SIM_WRITE_EVEN,
    SIM_WRITE_KIND_MAX
};

struct sim_drive;

struct sim_cut_plan {
    enum sim_cut cut;
    uint32_t rate_of_16;      /* RATE: of survival. DRIVE_RATE draws one per drive */
    enum sim_write_kind kind; /* KIND */
    bool kind_survives;
    uint64_t split_bytes;     /* for BELOW and ABOVE: where a drive's own records begin */
    uint32_t torn_percent;    /* of the writes that are decided one by one */
    /* CHOSEN: a bit for each page of each write, in the order of drives, and of completion and
     * submission; from the 65th on by the first bits again. */
    uint64_t chosen;
    uint32_t *chosen_next; /* counts them */
    bool process_alone;    /* CHOSEN: what was completed survives; the bits are for the rest */
    const struct sim_drive *damaged; /* a byte of it changes at these places; NULL: of none */
    uint64_t damaged_bytes[2];
    uint32_t damaged_count;
    const struct sim_drive *spoilt; /* whose torn writes may leave an unreadable sector, or NULL */
};

struct sim_event {
    struct list link;
    uint64_t at_us;
    void (*fire)(struct sim_event *event);
};

struct sim_world {
    struct clock_port clock;
    struct rng rng;
    uint64_t now_us;
    uint64_t wall_base_us;
    uint64_t steps; /* events and timers fired so far */
    bool powered;
    struct list events; /* sorted by at_us, equal ones in order of arrival */
    struct list timers;
    struct list drives;
    struct list stores;
    /* Called wherever the durable state or what is on its way to it has just changed: a write or
     * put submitted; a write, flush or put done but not yet answered; and answered. May be NULL. */
    void (*boundary)(void *context);
    void *boundary_context;
};

struct sim_world *sim_world_create(uint64_t seed);
/* Destroys the drives and stores too. Nothing may be pending in them. */
void sim_world_destroy(struct sim_world *world);
struct clock_port *sim_world_clock(struct sim_world *world);

/* Fires the next event or timer, moving the clock to it. False if there is none. */
bool sim_world_step(struct sim_world *world);
/* Steps until done(context); false if limit_us of virtual time pass or nothing is left. */
bool sim_world_run_until(struct sim_world *world, bool (*done)(void *context), void *context,
                         uint64_t limit_us);
/* The same with a flag. */
bool sim_world_run_until_flag(struct sim_world *world, const bool *flag, uint64_t limit_us);
/* Everything that is due within the next duration_us; the clock moves by exactly that. */
void sim_world_advance(struct sim_world *world, uint64_t duration_us);

void sim_world_power_off(struct sim_world *world, enum sim_cut cut);
void sim_world_power_off_plan(struct sim_world *world, const struct sim_cut_plan *plan);
/* A plan of this kind, its figures drawn from rng. */
struct sim_cut_plan sim_cut_plan_make(struct rng *rng, enum sim_cut cut);
void sim_world_power_on(struct sim_world *world);

/* For drives and stores. */
void sim_world_boundary(struct sim_world *world);
void sim_event_post(struct sim_world *world, struct sim_event *event, uint64_t delay_us);

#endif
