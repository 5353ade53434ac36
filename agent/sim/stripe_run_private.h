/*
 * Inside of a stripe's life, shared by stripe_run.c and stripe_point.c.
 */
#ifndef ARRAYWRIGHT_SIM_STRIPE_RUN_PRIVATE_H
#define ARRAYWRIGHT_SIM_STRIPE_RUN_PRIVATE_H

#include "run_private.h"
#include "vd/host_stripe.h"

#define STRIPE_PARTS_MAX 3u

struct stripe_run {
    struct run whole;
    struct run parts[STRIPE_PARTS_MAX];
    struct run_options part_options[STRIPE_PARTS_MAX];
    struct layout layout; /* the judge's own idea of how it lies on them */
    struct host_stripe_options host;
    struct host_stripe *stripe; /* NULL while groups stop and start */
};

/* Ties the groups, which are there or will be, to the whole: its world, its model, its layout. */
void stripe_run_tie(struct stripe_run *life);
/* The groups come up, in any order, and the stripe over them. */
void stripe_run_start_again(struct stripe_run *life);
/* What a power cut of `from` (the same life or another) may cost. */
void stripe_run_cut_noted(struct stripe_run *life, struct stripe_run *from,
                          const struct sim_cut_plan *plan);
struct sim_cut_plan stripe_run_cut_plan(struct stripe_run *life, struct rng *rng);
/* All groups become whole, and everything is verified, at last with drives pulled. */
void stripe_run_prove(struct stripe_run *life);
void stripe_run_end(struct stripe_run *life);

/* stripe_point.c */
void stripe_point_boundary(void *context);

#endif
