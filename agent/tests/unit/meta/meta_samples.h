/*
 * Random but valid configurations, for tests of the codecs.
 */
#ifndef ARRAYWRIGHT_TESTS_META_SAMPLES_H
#define ARRAYWRIGHT_TESTS_META_SAMPLES_H

#include "base/rng.h"
#include "meta/config_check.h"
#include "meta/controller_record.h"
#include "meta/group_store.h"

void sample_group(struct rng *rng, struct group_config *ret_config);
void sample_label(struct rng *rng, struct drive_label *ret_label);
void sample_controller(struct rng *rng, struct controller_record *ret_record);

#endif
