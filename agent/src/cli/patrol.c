/*
 * Patrol read: its schedule and state in StorCLI's words, and the commands on it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/template.h"
#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

#define VALUE_BYTES 64u

bool patrol_is_scheduled(const json_t *controller)
{
    return strcmp(doc_text(controller, "patrol_mode"), "auto") == 0;
}

/* An agent of old has no patrol read, so none is switched on. */
static const char *mode_shown(const json_t *controller)
{
    const char *mode = doc_text(controller, "patrol_mode");

    return strcmp(mode, "auto") == 0 ? "Auto" : strcmp(mode, "manual") == 0 ? "Manual" : "Disable";
}

/* "Active 3": so many drives are done, not percent. */
static void state_text(const struct model *model, const json_t *patrol, char out[VALUE_BYTES])
{
    const struct model_object *operation =
        model_find(model, OBJECT_KIND_OPERATION, doc_text(patrol, "operation"));

    if (operation == NULL) {
        (void)snprintf(out, VALUE_BYTES, "Stopped");
    } else {
        bool paused = strcmp(doc_text(operation->doc, "state"), "paused") == 0;

        (void)snprintf(out, VALUE_BYTES, "%s %u", paused ? "Paused" : "Active",
                       (unsigned)doc_u64(patrol, "drives_done"));
    }
}

static void property_row(json_t *rows, const char *property, const char *value)
{
    rows_append(rows, json_pack("{s:s, s:s}", "Ctrl_Prop", property, "Value", value));
}

static void number_row(json_t *rows, const char *property, uint64_t number)
{
    char text[VALUE_BYTES];

    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    property_row(rows, property, text);
}

void patrol_rows(const struct model *model, json_t *rows)
{
    const json_t *controller = model->lists[OBJECT_KIND_CONTROLLER].items[0].doc;
    const json_t *patrol = json_object_get(controller, "patrol");
    char text[VALUE_BYTES];

    property_row(rows, "PR Mode", mode_shown(controller));
    number_row(rows, "PR Execution Delay", doc_u64(controller, "patrol_delay_hours"));
    number_row(rows, "PR iterations completed", doc_u64(patrol, "iterations"));
    property_row(rows, "PR Next Start time", format_moment(doc_u64(patrol, "next_at_us"), text));
    property_row(rows, "PR on SSD", doc_bool(controller, "patrol_ssds") ? "Enabled" : "Disabled");
    state_text(model, patrol, text);
    property_row(rows, "PR Current State", text);
    property_row(rows, "PR Excluded VDs", "None");
    number_row(rows, "PR MaxConcurrentPd", doc_u64(controller, "patrol_drives_max"));
}

void patrol_drive_text(const json_t *drive, char out[PATROL_TEXT_BYTES])
{
    const json_t *patrol = json_object_get(drive, "patrol");
    const char *skipped = doc_text(json_object_get(patrol, "skipped"), "text");
    char text[FORMAT_BYTES];

    out[0] = '\0';
    if (skipped[0] != '\0') {
        (void)snprintf(out, PATROL_TEXT_BYTES, "%s", skipped);
    } else if (json_is_object(patrol) && doc_is_null(patrol, "done_at_us")) {
        (void)snprintf(out, PATROL_TEXT_BYTES, "not complete since arrayd was started, %s read",
                       format_size(doc_u64(patrol, "read_bytes"), text));
    } else if (json_is_object(patrol)) {
        (void)snprintf(out, PATROL_TEXT_BYTES, "all of it was last read %s",
                       format_moment(doc_u64(patrol, "done_at_us"), text));
    }
}

/* Commands. */

void change_patrol_task(struct cli_context *context)
{
    const char *action = change_task_word(context);
    char message[REQUEST_TEXT_BYTES];
    char description[64];
    int error = cli_execute(
        context, "patrol_read",
        json_pack("{s:s, s:s}", "controller", cli_controller(context)->key, "action", action), NULL,
        message);

    (void)snprintf(description, sizeof(description), "%s Patrol Read %s.", action,
                   error == 0 ? "Succeeded" : "Failed");
    description[0] = (char)(description[0] - 'a' + 'A');
    if (error != 0) {
        cli_refuse(context, description, error, message);
    } else {
        cli_answer(context, description, NULL);
    }
}

static bool on_off_put(json_t *args, const char *field, const char *typed)
{
    bool on = strcasecmp(typed, "on") == 0;

    (void)json_object_set_new(args, field, json_boolean(on));
    return on || strcasecmp(typed, "off") == 0;
}

/* Which numbers will do, the agent says. */
static bool number_put(json_t *args, const char *field, const char *typed)
{
    char *end = NULL;
    long number = strtol(typed, &end, 10);

    row_number(args, field, number >= 0 ? (uint64_t)number : 0);
    return end != typed && *end == '\0' && number >= 0;
}

static bool hour_put(json_t *args, const char *typed)
{
    uint64_t at_us = 0;

    if (!change_hour_parse(typed, &at_us)) {
        return false;
    }
    row_number(args, "patrol_next_at_us", at_us);
    return true;
}

/* "on" without a mode is auto. */
static bool mode_put(json_t *args, const char *typed, const char *mode)
{
    bool off = strcasecmp(typed, "off") == 0;

    row_text(args, "patrol_mode",
             off                                               ? "disabled"
             : mode != NULL && strcasecmp(mode, "manual") == 0 ? "manual"
                                                               : "auto");
    return off || strcasecmp(typed, "on") == 0;
}

/* A mode is how a patrol that is switched on begins. */
static bool mode_contradicts(const struct cli_context *context, char message[REQUEST_TEXT_BYTES])
{
    const char *typed = option_value(context, "patrolread");
    const char *mode = option_value(context, "mode");

    if (typed == NULL || mode == NULL || strcasecmp(typed, "off") != 0) {
        return false;
    }
    (void)snprintf(message, REQUEST_TEXT_BYTES,
                   "patrolread=off contradicts mode=%.*s. Write patrolread=off without a mode, or "
                   "patrolread=on mode=auto|manual",
                   (int)text_cut(mode, 60), mode);
    return true;
}

static const struct {
    const char *option, *shown;
} settings[] = {{"patrolread", "Patrol Read Mode"},
                {"mode", "Patrol Read Mode"},
                {"starttime", "Patrol Read Next Start time"},
                {"maxconcurrentpd", "Patrol Read MaxConcurrentPd"},
                {"includessds", "Patrol Read on SSD"},
                {"delay", "Patrol Read Execution Delay"}};

/* False: that is no value of the option. */
static bool setting_put(const struct cli_context *context, const char *option, const char *typed,
                        json_t *args)
{
    const char *mode = option_value(context, "mode");

    if (strcmp(option, "patrolread") == 0) {
        return mode_put(args, typed, mode);
    }
    if (strcmp(option, "mode") == 0) {
        return (strcasecmp(typed, "auto") == 0 || strcasecmp(typed, "manual") == 0) &&
               mode_put(args, "on", mode);
    }
    if (strcmp(option, "starttime") == 0) {
        return hour_put(args, typed);
    }
    if (strcmp(option, "maxconcurrentpd") == 0) {
        return number_put(args, "patrol_drives_max", typed);
    }
    if (strcmp(option, "includessds") == 0) {
        return on_off_put(args, "patrol_ssds", typed);
    }
    return number_put(args, "patrol_delay_hours", typed);
}

/* Everything that was typed in one command: all of it is set, or nothing. */
void change_patrol_set(struct cli_context *context)
{
    json_t *args = json_pack("{s:s}", "controller", cli_controller(context)->key);
    json_t *rows = json_array();
    char message[REQUEST_TEXT_BYTES] =
        "nothing to set. Name a setting, for example patrolread=on mode=auto";
    int error =
        context->option_count == 0 || mode_contradicts(context, message) ? CLI_ERROR_GENERIC : 0;

    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]) && error == 0; i++) {
        const char *option = settings[i].option;
        const char *typed = option_value(context, option);

        if (typed == NULL) {
            continue;
        }
        if (!setting_put(context, option, typed, args)) {
            cli_value_wrong(context, option, typed, message);
            error = CLI_ERROR_GENERIC;
        }
        property_row(rows, settings[i].shown, typed);
    }
    if (error == 0) {
        error = cli_execute(context, "controller_set", json_incref(args), NULL, message);
    }
    json_decref(args);
    if (error != 0) {
        json_decref(rows);
        cli_refuse_property(context, "Patrol Read", error, message);
        return;
    }
    report_add(&context->report, context->number, 0, "None", NULL,
               json_pack("{s:o}", "Controller Properties", rows));
}
