/*
 * Properties of a controller.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

/* What is set, under which name of the agent, and how StorCLI shows it. */
struct controller_property {
    const char *option;
    const char *field;
    const char *shown;
    bool is_rate;    /* in percent */
    bool is_seconds; /* else on or off */
};

/* StorCLI's number for a step of coercion, or the word of the agent. */
static const char *coercion_typed(const char *typed)
{
    static const struct {
        const char *words;
        enum coercion coercion;
    } values[] = {{"0|none|off", COERCION_NONE},
                  {"1|mib_128|128MB|128MiB", COERCION_MIB_128},
                  {"2|gib_1|1GB|1GiB", COERCION_GIB_1}};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (word_is_one_of(typed, values[i].words)) {
            return coercion_word(values[i].coercion);
        }
    }
    return NULL;
}

static bool property_value(const struct controller_property *property, const char *typed,
                           json_t *args)
{
    char *end = NULL;
    long number = strtol(typed, &end, 10);

    if (strcmp(property->field, "coercion") == 0) {
        const char *word = coercion_typed(typed);

        row_text(args, property->field, word != NULL ? word : "");
        return word != NULL;
    }
    if (property->is_seconds) {
        row_number(args, property->field, number >= 0 ? (uint64_t)number : 0);
        return end != typed && *end == '\0' && number >= 0 && number <= 300;
    }
    if (!property->is_rate) {
        bool on = strcasecmp(typed, "on") == 0;

        (void)json_object_set_new(args, property->field, json_boolean(on));
        return on || strcasecmp(typed, "off") == 0;
    }
    row_number(args, property->field, number >= 0 ? (uint64_t)number : 0);
    return end != typed && (*end == '\0' || strcmp(end, "%") == 0) && number >= 0 && number <= 100;
}

/* As "show" will show it. */
static void value_shown(const struct controller_property *property, const json_t *args,
                        char out[PROPERTY_VALUE_BYTES])
{
    if (controller_property(args, property->option, out) == NULL) { /* one of several of eghs */
        (void)snprintf(out, PROPERTY_VALUE_BYTES, "%s",
                       doc_bool(args, property->field) ? "ON" : "OFF");
    }
}

static void properties_set(struct cli_context *context,
                           const struct controller_property *properties, size_t count,
                           const char *hint)
{
    json_t *rows = json_array();
    int error = context->option_count == 0 ? CLI_ERROR_GENERIC : 0;
    char message[REQUEST_TEXT_BYTES];

    (void)snprintf(message, sizeof(message), "%s", hint);
    for (size_t i = 0; i < count && error == 0; i++) {
        const char *typed = option_value(context, properties[i].option);
        json_t *args = json_pack("{s:s}", "controller", cli_controller(context)->key);

        if (typed == NULL) {
            json_decref(args);
            continue;
        }
        if (!property_value(&properties[i], typed, args)) {
            json_decref(args);
            cli_value_wrong(context, properties[i].option, typed, message);
            error = CLI_ERROR_GENERIC;
            break;
        }
        char value[PROPERTY_VALUE_BYTES];

        value_shown(&properties[i], args, value);
        error = cli_execute(context, "controller_set", args, NULL, message);
        (void)json_array_append_new(
            rows, json_pack("{s:s, s:s}", "Ctrl_Prop", properties[i].shown, "Value", value));
    }
    json_t *detailed =
        error == 0 ? NULL
                   : json_pack("[{s:i, s:s, s:s, s:s, s:i}]", "Ctrl", context->number, "Status",
                               "Failed", "Property", "-", "ErrMsg", message, "ErrCd", error);
    report_add(&context->report, context->number, error, "None", detailed,
               json_pack("{s:o}", "Controller Properties", rows));
}

void change_controller_set(struct cli_context *context)
{
    static const struct controller_property properties[] = {
        {"rebuildrate", "rebuild_rate_percent", "Rebuildrate", true, false},
        {"bgirate", "bgi_rate_percent", "BGI Rate", true, false},
        {"prrate", "patrol_rate_percent", "Patrol Read Rate", true, false},
        {"autorebuild", "auto_rebuild", "AutoRebuild", false, false},
        {"copyback", "copyback", "Copyback", false, false},
        {"mixmedia", "mixed_media", "MixMedia", false, false},
        {"mixinterface", "mixed_interfaces", "MixInterface", false, false},
        {"glitchtime", "glitch_seconds", "GlitchTime", false, true},
        {"coercion", "coercion", "Coercion", false, false},
    };

    properties_set(context, properties, sizeof(properties) / sizeof(properties[0]),
                   "nothing to set. Name a property: rebuildrate=, bgirate=, prrate=, "
                   "autorebuild=, copyback=, "
                   "mixmedia=, mixinterface=, glitchtime= or coercion=");
}

void change_controller_emergency(struct cli_context *context)
{
    static const struct controller_property properties[] = {
        {"state", "emergency_spare", "EmergencyHotSpare", false, false},
        {"eug", "emergency_unconfigured", "EmergencyUG", false, false},
        {"smarter", "predictive_copyback", "EmergencySmarter", false, false},
    };

    properties_set(context, properties, sizeof(properties) / sizeof(properties[0]),
                   "nothing to set. Name state=, eug= or smarter=");
}
