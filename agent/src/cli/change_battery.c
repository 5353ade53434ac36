/*
 * Commands that change something of the battery.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/change.h"
#include "cli/show.h"

#define DELAY_HOURS_MAX 168u

static void battery_report(struct cli_context *context, const char *shown, const char *value,
                           int error, const char *message)
{
    json_t *detailed =
        error == 0 ? NULL
                   : json_pack("[{s:i, s:s, s:s, s:s, s:i}]", "Ctrl", context->number, "Status",
                               "Failed", "Property", shown, "ErrMsg", message, "ErrCd", error);

    report_add(&context->report, context->number, error, "None", detailed,
               error == 0 ? json_pack("{s:[{s:s, s:s}]}", "Controller Properties", "Ctrl_Prop",
                                      shown, "Value", value)
                          : NULL);
}

void change_battery_learn(struct cli_context *context)
{
    const struct model_object *battery = cli_battery_or_refuse(context);
    char message[REQUEST_TEXT_BYTES];
    int error = 0;

    if (battery == NULL) {
        return;
    }
    error = cli_execute(context, "battery_learn", json_pack("{s:s}", "battery", battery->key), NULL,
                        message);
    report_add(&context->report, context->number, error,
               error == 0 ? "Start BBU Learn Succeeded." : "Start BBU Learn Failed.",
               error == 0
                   ? NULL
                   : json_pack("[{s:i, s:s, s:s, s:s, s:i}]", "Ctrl", context->number, "Status",
                               "Failed", "Property", "Learn", "ErrMsg", message, "ErrCd", error),
               NULL);
}

/* Settings: what is typed becomes an argument of battery_set or battery_fault. */

static json_t *mode_args(const char *typed, const json_t *doc)
{
    static const struct {
        const char *typed, *word;
    } modes[] = {{"0", "auto"},    {"1", "disabled"},    {"2", "warn"},
                 {"3", "manual"},  {"enabled", "auto"},  {"auto", "auto"},
                 {"warn", "warn"}, {"manual", "manual"}, {"disabled", "disabled"}};

    (void)doc;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcasecmp(typed, modes[i].typed) == 0) {
            return json_pack("{s:s}", "learn_mode", modes[i].word);
        }
    }
    return NULL;
}

/* So many hours later than planned, however late it is now. */
static json_t *delay_args(const char *typed, const json_t *doc)
{
    const json_t *learn = json_object_get(doc, "learn");
    uint64_t next_us = doc_u64(learn, "next_at_us");
    uint64_t delay_us = doc_u64(learn, "delay_s") * UINT64_C(1000000);
    uint64_t planned_us = next_us > delay_us ? next_us - delay_us : next_us;
    char *end = NULL;
    unsigned long hours = strtoul(typed, &end, 10);

    if (end == typed || *end != '\0' || typed[0] == '-' || hours > DELAY_HOURS_MAX ||
        next_us == 0) {
        return NULL;
    }
    return json_pack("{s:I}", "next_learn_at_us",
                     (json_int_t)(planned_us + hours * UINT64_C(3600000000)));
}

static json_t *date_args(const char *typed, const json_t *doc)
{
    uint64_t at_us = 0;

    (void)doc;
    return change_hour_parse(typed, &at_us)
               ? json_pack("{s:I}", "next_learn_at_us", (json_int_t)at_us)
               : NULL;
}

static json_t *fault_args(const char *typed, const json_t *doc)
{
    enum battery_fault fault;

    (void)doc;
    return battery_fault_parse(typed, &fault) ? json_pack("{s:s}", "fault", typed) : NULL;
}

static const struct battery_setting {
    const char *option, *shown, *op;
    json_t *(*args)(const char *typed, const json_t *doc);
} settings[] = {
    {"autolearnmode", "Auto-Learn Mode", "battery_set", mode_args},
    {"learndelayinterval", "Learn Delay Interval", "battery_set", delay_args},
    {"learnstarttime", "Next Learn time", "battery_set", date_args},
    {"fault", "Fault", "battery_fault", fault_args},
};

static void setting_change(struct cli_context *context, const struct model_object *battery,
                           const struct battery_setting *setting)
{
    const char *typed = option_value(context, setting->option);
    json_t *args = setting->args(typed, battery->doc);
    char message[REQUEST_TEXT_BYTES];
    int error = CLI_ERROR_GENERIC;

    if (args == NULL) {
        cli_value_wrong(context, setting->option, typed, message);
    } else {
        (void)json_object_set_new(args, "battery", json_string(battery->key));
        error = cli_execute(context, setting->op, args, NULL, message);
    }
    battery_report(context, setting->shown, typed, error, message);
}

void change_battery_set(struct cli_context *context)
{
    const struct model_object *battery = cli_battery_or_refuse(context);

    if (battery == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        if (context->option_count == 1 && option_has(context, settings[i].option)) {
            setting_change(context, battery, &settings[i]);
            return;
        }
    }
    battery_report(context, "-", "-", CLI_ERROR_GENERIC,
                   "name one setting: autolearnmode=, learndelayinterval=, learnstarttime= or "
                   "fault=");
}
