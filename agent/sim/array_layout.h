/*
 * The layout (layout.h) of a simulated array's virtual drive, read from the bare drives.
 */
#ifndef ARRAYWRIGHT_SIM_ARRAY_LAYOUT_H
#define ARRAYWRIGHT_SIM_ARRAY_LAYOUT_H

#include "layout.h"
#include "sim_array.h"

/* Valid as long as the array. */
struct layout array_layout(struct sim_array *array, uint32_t vd);

#endif
