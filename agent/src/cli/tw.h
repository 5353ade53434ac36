/*
 * The front end that speaks 3ware's tw_cli: units are virtual drives, ports are drives.
 */
#ifndef ARRAYWRIGHT_CLI_TW_H
#define ARRAYWRIGHT_CLI_TW_H

#include "cli/command.h"

/* Was the program called by 3ware's name? */
bool tw_is_named(const char *program);
/* The words of one command, or none: then commands are read from the input, one per line. */
int tw_run(struct cli_context *context, int count, char *const *words);

/* tw_tables.c */
struct tw_port { /* a drive and the number of its port */
    uint32_t number;
    const struct model_object *drive;
};
#define TW_PORTS_MAX 256u
uint32_t tw_ports(const struct model *model, struct tw_port ports[TW_PORTS_MAX]);
void tw_controllers_print(const struct cli_context *context);
void tw_units_print(const struct model *model, bool heading);
void tw_unit_print(const struct model *model, const struct model_object *vd);
void tw_ports_print(const struct model *model, bool heading);
void tw_battery_print(const struct model *model, bool heading);
const char *tw_unit_status(const struct model *model, const struct model_object *vd);
const char *tw_port_status(const json_t *drive);
/* How far what runs on a unit is: "45%", or "-". */
const char *tw_unit_percent(const struct model *model, const struct model_object *vd, char out[16]);
bool tw_battery_is_low(const json_t *battery);
bool tw_battery_is_hot(const json_t *battery);
/* tw_alarms.c */
bool tw_alarms_print(struct cli_context *context);

#endif
