/*
 * The load of drives and virtual drives as metrics: operations with the time they took, bytes,
 * what waits, what the cache answered.
 */
#ifndef ARRAYWRIGHT_CLI_METRICS_LOAD_H
#define ARRAYWRIGHT_CLI_METRICS_LOAD_H

#include <stdio.h>

#include "cli/command.h"

/* Asks the agents. An object that none can tell of, or not as one of this version, has no
 * series. */
void metrics_load_print(const struct cli_context *context, FILE *out);

#endif
