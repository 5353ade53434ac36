/*
 * Measurements as JSON: the loads of vd_measure, and what a virtual drive's document says of one.
 */
#ifndef ARRAYWRIGHT_CONTROL_MEASUREMENT_JSON_H
#define ARRAYWRIGHT_CONTROL_MEASUREMENT_JSON_H

#include <jansson.h>

#include "ctl/view.h"

/* NULL, or what is wrong with them. */
const char *measurement_loads_take(const json_t *value, struct measurement_plan *plan);
json_t *measurement_doc(const struct measurement_view *view);

#endif
