/*
 * arrayctl smart: see smart.c.
 */
#ifndef ARRAYWRIGHT_CLI_SMART_H
#define ARRAYWRIGHT_CLI_SMART_H

#include "cli/command.h"

void smart_run(struct cli_context *context);

#endif
