/*
 * Inside of a simulated array, shared by sim_array*.c.
 */
#ifndef ARRAYWRIGHT_SIM_ARRAY_PRIVATE_H
#define ARRAYWRIGHT_SIM_ARRAY_PRIVATE_H

#include "sim_array.h"

/* Drive and store objects, made anew for each start. */
void sim_array_objects_create(struct sim_array *array);
void sim_array_objects_free(struct sim_array *array);
/* A group of this configuration on the drives that have a place. */
int sim_array_group_begin(struct sim_array *array, const struct group_config *config);

#endif
