/* Which drives an array can lose. Enumerated with the engine's own rule (raid/geometry.h). Pure. */
#ifndef ARRAYWRIGHT_LAB_LAB_SURVIVAL_H
#define ARRAYWRIGHT_LAB_LAB_SURVIVAL_H

#include "raid/geometry.h"

struct lab_survival {
    uint32_t singles, singles_survived;
    uint32_t pairs, pairs_survived;
};

/* lost: bit n is member n. Are all data still there? */
bool lab_survives(const struct geometry *geometry, uint64_t lost);
/* Each drive, and each pair of drives; at most 64 members. */
void lab_survival_count(const struct geometry *geometry, struct lab_survival *ret_survival);

#endif
