/*
 * arrayctl monitor: see monitor.c.
 */
#ifndef ARRAYWRIGHT_CLI_MONITOR_H
#define ARRAYWRIGHT_CLI_MONITOR_H

#include "cli/command.h"

void monitor_run(struct cli_context *context);

#endif
