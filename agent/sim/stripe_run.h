/*
 * A simulated life (run.h) of a stripe over the virtual drives of two or three groups, each with
 * drives, a store, faults, replacements and tasks of its own, as the controllers of a host have
 * them; only the clock and the power they share. The load goes to the stripe, and the oracle's rule
 * is over the whole of it.
 *
 * Within budget every group bears what happens to it, and then no request of the stripe may fail.
 * Over budget one of them goes offline: what has to do with it may fail, but must not lie, and what
 * lies on the others alone is as good as ever.
 */
#ifndef ARRAYWRIGHT_SIM_STRIPE_RUN_H
#define ARRAYWRIGHT_SIM_STRIPE_RUN_H

#include "run.h"

void stripe_run(const struct run_options *options, struct run_result *ret_result);

#endif
