/*
 * What the agent has found to be wrong, as the monitor tells it: each finding once when it comes,
 * also those that are there when nobody has been told anything yet, and once when it is over.
 */
#ifndef ARRAYWRIGHT_CLI_MONITOR_FINDINGS_H
#define ARRAYWRIGHT_CLI_MONITOR_FINDINGS_H

#include "cli/model.h"

/* The findings of all controllers in a state, by code and object; NULL while one is starting. */
json_t *findings_collect(const json_t *state);
/* As events without a number: what is in `found` and not in `told` (of class_min or above), and
 * what was told and is over. *ret_told: what has been told once they have arrived. */
json_t *findings_news(const json_t *found, const json_t *told, json_int_t class_min,
                      json_t **ret_told);

#endif
