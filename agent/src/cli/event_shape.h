/*
 * Events as MegaRAID's firmware words them: "VD 00/0 is now DEGRADED", with the numbers of the
 * object as its data.
 */
#ifndef ARRAYWRIGHT_CLI_EVENT_SHAPE_H
#define ARRAYWRIGHT_CLI_EVENT_SHAPE_H

#include "cli/model.h"

/* The sentence with StorCLI's names of objects. The caller's. */
json_t *event_shape_text(const struct model *model, const json_t *event);
/* StorCLI's names and numbers ("Target Id": 0), and behind them the event's own parameters. */
json_t *event_shape_data(const struct model *model, const json_t *event);

#endif
