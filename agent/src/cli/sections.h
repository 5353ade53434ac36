/*
 * The sections of "/cX show all", in StorCLI's order and spelling.
 */
#ifndef ARRAYWRIGHT_CLI_SECTIONS_H
#define ARRAYWRIGHT_CLI_SECTIONS_H

#include "cli/model.h"

/* Basics to Security Protocol properties; the lists of objects follow. */
void sections_controller(json_t *data, const struct model *model);
/* Supported Adapter, PD and VD Operations. */
void sections_operations(json_t *data);

/* "MM/DD/YYYY, HH:MM:SS", without the comma if asked so. */
void sections_now(char out[32], bool comma);
/* "RAID0, RAID1(2 or more drives), …" */
void sections_levels(const json_t *controller, char *out, size_t capacity);

#endif
