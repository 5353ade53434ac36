/*
 * Metrics in Prometheus' text format: for node-exporter's textfile collector and for /metrics.
 * Names and labels are stable; they are documented in arraywright-monitor(8).
 */
#ifndef ARRAYWRIGHT_CLI_METRICS_H
#define ARRAYWRIGHT_CLI_METRICS_H

#include <stdio.h>

#include "cli/command.h"

void metrics_print(const struct cli_context *context, FILE *out);
/* Written beside the path and put in its place whole. false with errno. */
MUST_CHECK bool metrics_save(const struct cli_context *context, const char *path);

/* arrayctl metrics [file=] */
void show_metrics(struct cli_context *context);

#endif
