/*
 * What arrayctl says of its own commands, within 80 columns.
 */
#ifndef ARRAYWRIGHT_CLI_HELP_H
#define ARRAYWRIGHT_CLI_HELP_H

#include "cli/request.h"

/* NULL: the topics. Else a topic, a verb or a noun; false: there is nothing to say about it, and
 * that has been said. */
bool help_print(const char *word);
/* "/c0/v0 help", "/c0 set help", "show help" */
bool help_is_wanted(const struct cli_request *request);
/* The commands of that object, or of its verb. */
void help_object_print(const struct cli_request *request);

#endif
