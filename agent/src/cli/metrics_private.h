/*
 * How metrics are written; shared by metrics.c and metrics_load.c.
 */
#ifndef ARRAYWRIGHT_CLI_METRICS_PRIVATE_H
#define ARRAYWRIGHT_CLI_METRICS_PRIVATE_H

#include <stdio.h>

#include "cli/command.h"

void metric_head(const char *name, const char *type, const char *help, FILE *out);
void metric_label(const char *name, const char *value, FILE *out);
/* "{" and the labels that name an object: never a name or a place, which may change. */
void metric_identity(enum object_kind kind, const struct model_object *object, uint32_t controller,
                     FILE *out);
/* Drives that have left and work that has ended are history. */
bool metric_is_shown(enum object_kind kind, const json_t *doc);

#endif
