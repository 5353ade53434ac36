/*
 * Which planted bug is active (base/sim_bug.h, cache/sim_bug.h).
 */
#include "base/sim_bug.h"

#include "cache/sim_bug.h"

enum sim_bug sim_bug_active = SIM_BUG_NONE;
enum cache_bug cache_bug_active = CACHE_BUG_NONE;

const struct sim_bug_info sim_bugs[SIM_BUG_MAX] = {[SIM_BUG_NONE] = {"NONE", "", "none"},
#define SIM_BUG_INFO(name, promise, text) [SIM_BUG_##name] = {#name, #promise, text},
                                                   SIM_BUGS(SIM_BUG_INFO)
#undef SIM_BUG_INFO
};
