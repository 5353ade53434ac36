/*
 * A whole configuration out of a controller and into one: /cX get|set config.
 *
 * The document: {format, version, controller, settings, drive_groups, hot_spares}; arrayctl(8)
 * describes it. Drives are meant by their keys, which go with the drive and not with its slot.
 */
#ifndef ARRAYWRIGHT_CLI_CONFIG_H
#define ARRAYWRIGHT_CLI_CONFIG_H

#include "cli/command.h"

#define CONFIG_FORMAT "arraywright-config"
#define CONFIG_VERSION 1

/* What is saved of a controller and of a virtual drive, of their documents. */
json_t *config_settings(const json_t *controller);
json_t *config_vd(const json_t *vd);

void config_get(struct cli_context *context);
void config_set(struct cli_context *context);

/* What restoring takes: commands in order. In their arguments "@N" stands for the drive group
 * that is saved in place N, "@" for the virtual drive made last. */
struct config_plan {
    json_t *config;   /* as it was saved */
    json_t *steps;    /* [{op, args, shown, object}] */
    json_t *refusals; /* [{object, text}]: with any of them nothing is done */
    json_t *groups;   /* keys of the groups in the order of the document; null: to be made */
};
/* config_plan.c: against the picture of the controller. Asks for previews, changes nothing. */
void config_plan_make(struct cli_context *context, json_t *config, struct config_plan *ret_plan);
void config_plan_free(struct config_plan *plan);
/* Reads and checks the file; NULL with text. */
json_t *config_read(const char *path, char text[REQUEST_TEXT_BYTES]);

#endif
