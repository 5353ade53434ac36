/* Shared by the files that read scenarios, and those that write results, only. */
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

/* value: the scenario's groups. Everything else of it has been read. */
MUST_CHECK bool lab_groups_read(struct profile_reader *reader, const char *profiles,
                                const json_t *value, struct lab_scenario *scenario);
/* The parts of a scenario, into one. */
MUST_CHECK bool lab_drives_read(struct profile_reader *reader, const json_t *value,
                                struct lab_scenario *scenario);
MUST_CHECK bool lab_array_read(struct profile_reader *reader, const json_t *value,
                               struct lab_scenario *scenario);
/* What the controller's battery rule makes of the write policies. */
void lab_write_policies_decide(struct lab_scenario *scenario);
/* At most so many operations fill a cache, for a point of this load; 0: it is not to be filled. */
uint64_t lab_fill_most(const struct lab_scenario *scenario, const struct lab_workload *workload);
/* What the controller's model permits, and how many points there are. */
MUST_CHECK bool lab_whole_check(struct profile_reader *reader, struct lab_scenario *scenario);

uint32_t lab_variant_spans(const struct lab_scenario *scenario, const struct lab_variant *variant);
/* Is its rebuild a point of its own? */
bool lab_variant_rebuilds(const struct lab_scenario *scenario, uint32_t index);

/* lab_warning.c: why a point's figures may say too much; NULL: nothing is known against them.
 * written_bytes: of all points that share its cache, before they were measured. */
json_t *lab_warnings_doc(const struct lab_scenario *scenario, const struct lab_place *place,
                         const struct lab_answer *answer, uint64_t written_bytes);
/* By way of the cache, before it was measured. */
uint64_t lab_written_bytes(const struct lab_scenario *scenario, const struct lab_place *place,
                           const struct lab_answer *answer);

/* lab_result.c: one array of the scenario and its points. written_bytes: as above; UINT64_MAX: its
 * points share their caches with no others. */
json_t *lab_variant_doc(const struct lab_scenario *scenario, uint32_t index,
                        const struct lab_place *places, const struct lab_answer *answers,
                        uint64_t written_bytes);

#endif
