/*
 * Properties of a controller.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/change.h"
#include "cli/rows.h"

static bool controller_value(const char *option, const char *typed, json_t *args)
{
    char *end = NULL;
    long percent = strtol(typed, &end, 10);

    if (strcmp(option, "autorebuild") == 0) {
        bool on = strcasecmp(typed, "on") == 0;

        (void)json_object_set_new(args, "auto_rebuild", json_boolean(on));
        return on || strcasecmp(typed, "off") == 0;
    }
    row_number(args,
               strcmp(option, "rebuildrate") == 0 ? "rebuild_rate_percent" : "bgi_rate_percent",
               percent >= 0 ? (uint64_t)percent : 0);
    return end != typed && (*end == '\0' || strcmp(end, "%") == 0) && percent >= 0 &&
           percent <= 100;
}

void change_controller_set(struct cli_context *context)
{
    static const struct {
        const char *option;
        const char *shown;
    } properties[] = {
        {"rebuildrate", "Rebuildrate"}, {"bgirate", "BGI Rate"}, {"autorebuild", "AutoRebuild"}};
    json_t *rows = json_array();
    int error = context->option_count == 0 ? CLI_ERROR_GENERIC : 0;
    char message[REQUEST_TEXT_BYTES] = "say what to set: rebuildrate=, bgirate= or autorebuild=";

    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]) && error == 0; i++) {
        const char *typed = option_value(context, properties[i].option);
        json_t *args = json_pack("{s:s}", "controller", cli_controller(context)->key);

        if (typed == NULL) {
            json_decref(args);
            continue;
        }
        if (!controller_value(properties[i].option, typed, args)) {
            json_decref(args);
            (void)snprintf(message, sizeof(message), "%.60s is not a value of %s", typed,
                           properties[i].option);
            error = CLI_ERROR_GENERIC;
            break;
        }
        error = cli_execute(context, "controller_set", args, NULL, json_array(), message);
        (void)json_array_append_new(
            rows, json_pack("{s:s, s:s}", "Ctrl_Prop", properties[i].shown, "Value", typed));
    }
    json_t *detailed =
        error == 0 ? NULL
                   : json_pack("[{s:i, s:s, s:s, s:s, s:i}]", "Ctrl", context->number, "Status",
                               "Failed", "Property", "-", "ErrMsg", message, "ErrCd", error);
    report_add(&context->report, context->number, error, "None", detailed,
               json_pack("{s:o}", "Controller Properties", rows));
}
