/* Shared by lab_scenario.c, lab_sweep.c and lab_workload.c only. */
#ifndef ARRAYWRIGHT_LAB_LAB_SCENARIO_PRIVATE_H
#define ARRAYWRIGHT_LAB_LAB_SCENARIO_PRIVATE_H

#include "base/assert.h"
#include "daemon/profile_reader.h"
#include "lab/lab_scenario.h"

/* value: an entry of the scenario's workloads; it may name a profile and change parts of it. */
MUST_CHECK bool lab_workload_read(struct profile_reader *reader, const char *profiles,
                                  const json_t *value, struct lab_workload *ret_workload);

/* value: a list of members that are missing. */
MUST_CHECK bool lab_failed_read(struct profile_reader *reader, const json_t *value,
                                uint64_t *ret_failed);
/* value: names of quirks of the controller's model, which has been read. */
MUST_CHECK bool lab_quirks_read(struct profile_reader *reader, const json_t *value,
                                struct lab_scenario *scenario);
/* What the quirks asked for make of the array itself. */
void lab_quirks_apply(struct lab_point *point);

/* value: the scenario's sweep, or NULL. */
MUST_CHECK bool lab_variants_read(struct profile_reader *reader, const json_t *value,
                                  struct lab_scenario *scenario);

#endif
