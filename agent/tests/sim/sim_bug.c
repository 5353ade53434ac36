/*
 * Which planted bug is active (vd/sim_bug.h).
 */
#include "vd/sim_bug.h"

enum sim_bug sim_bug_active = SIM_BUG_NONE;
