/*
 * A life of a stripe over the virtual drives of several drive groups: random requests, power cuts,
 * orderly stops; and the oracle's rule over the whole of it.
 */
#ifndef ARRAYWRIGHT_SIM_STRIPE_LIFE_H
#define ARRAYWRIGHT_SIM_STRIPE_LIFE_H

#include <stdbool.h>
#include <stdint.h>

/* False: a promise was broken; what, is printed. */
bool stripe_life(uint64_t seed);

#endif
