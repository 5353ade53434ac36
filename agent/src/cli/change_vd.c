/*
 * Commands on virtual drives, except their creation.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/template.h"
#include "cli/change.h"
#include "cli/rows.h"

static void vd_delete_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    const char *name = doc_text(vd->doc, "name");
    const char *confirm = option_value(context, "confirm");
    bool force = option_has(context, "force");
    bool looks = false; /* as StorCLI: refused only if something is found on it */
    json_t *args = json_pack("{s:s, s:b}", "virtual_drive", vd->key, "force", force);
    char typed[80];
    char message[REQUEST_TEXT_BYTES];
    int error = 0;

    if (confirm == NULL && !force) {
        looks = !change_name_ask("deletes, with everything on it,", doc_text(vd->doc, "path"), name,
                                 typed);
        confirm = looks ? NULL : typed;
    }
    if (looks) {
        (void)json_object_set_new(args, "unless_content", json_true());
    }
    error = cli_execute(context, "vd_delete", args, confirm != NULL ? confirm : name, message);
    change_row_vd(data, vd->doc, error, message);
}

void change_vd_delete(struct cli_context *context)
{
    struct change change = {.rows = json_array(), .verb = "Delete VD", .operation = "Delete"};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_delete_visit, &change);
    change_finish(context, &change, missing);
}

/* As StorCLI: refused only if something is found on it. */
static void vd_init_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    const char *name = doc_text(vd->doc, "name");
    const char *confirm = option_has(context, "force") ? name : option_value(context, "confirm");
    json_t *args = json_pack("{s:s}", "virtual_drive", vd->key);
    char typed[80];
    char message[REQUEST_TEXT_BYTES];
    int error = 0;

    if (confirm == NULL && change_name_ask("writes zeros over the first and the last 8 MiB of",
                                           doc_text(vd->doc, "path"), name, typed)) {
        confirm = typed;
    }
    if (confirm == NULL) {
        (void)json_object_set_new(args, "unless_content", json_true());
        confirm = name;
    }
    error = cli_execute(context, "vd_init", args, confirm, message);
    change_row_vd(data, vd->doc, error, message);
}

static void vd_init_full_visit(struct cli_context *context UNUSED, const struct model_object *vd,
                               void *data)
{
    change_row_vd(
        data, vd->doc, CLI_ERROR_GENERIC,
        "This controller does not support a full initialization. To overwrite everything, "
        "delete the virtual drive and erase its drives: /cX/eX/sX start erase.");
}

void change_vd_init(struct cli_context *context)
{
    struct change change = {
        .rows = json_array(), .verb = "Start INIT Operation", .operation = "INIT"};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing,
                      option_has(context, "full") ? vd_init_full_visit : vd_init_visit, &change);
    change_finish(context, &change, missing);
}

static json_t *args_bgi(struct cli_context *context, const struct model_object *vd)
{
    return json_pack("{s:s, s:s}", "virtual_drive", vd->key, "action", change_task_word(context));
}

void change_vd_task(struct cli_context *context)
{
    char verb[64];

    (void)snprintf(verb, sizeof(verb), "%s BGI Operation", change_task_word(context));
    verb[0] = (char)(verb[0] - 'a' + 'A');
    change_vds(context, (struct change){
                            .verb = verb, .operation = "BGI", .op = "bgi", .make_args = args_bgi});
}

static json_t *args_counters(struct cli_context *context UNUSED, const struct model_object *vd)
{
    return json_pack("{s:s, s:s}", "kind", "virtual_drive", "key", vd->key);
}

void change_vd_performance_delete(struct cli_context *context)
{
    change_vds(context, (struct change){.verb = "Delete VD Performance",
                                        .operation = "Delete Perf",
                                        .op = "counters_reset",
                                        .make_args = args_counters});
}

static json_t *args_doubt(struct cli_context *context UNUSED, const struct model_object *vd)
{
    return json_pack("{s:s}", "virtual_drive", vd->key);
}

void change_vd_doubt_delete(struct cli_context *context)
{
    change_vds(context, (struct change){.verb = "Delete Doubt",
                                        .operation = "Delete Doubt",
                                        .op = "doubt_clear",
                                        .make_args = args_doubt});
}

/* Properties: what is typed, what it is called here, and the words for values. */
struct property {
    const char *option;
    const char *shown;
    const char *argument;
    struct {
        const char *typed;
        const char *word;
    } values[4]; /* none: free text */
};

static const struct property vd_property_table[] = {
    {"name", "Name", "name", {{NULL, NULL}}},
    {"autobgi", "AutoBGI", NULL, {{"on", "on"}}}, /* it always begins at once */
    {"wrcache",
     "wrCache",
     "write_policy",
     {{"wt", "write_through"}, {"wb", "write_back"}, {"awb", "always_write_back"}}},
    {"rdcache",
     "rdCache",
     "read_policy",
     {{"nora", "no_read_ahead"}, {"ra", "read_ahead"}, {"adra", "adaptive_read_ahead"}}},
    {"iopolicy", "IoPolicy", "io_policy", {{"direct", "direct"}, {"cached", "cached"}}},
    {"pdcache",
     "PdCac",
     "drive_cache_policy",
     {{"on", "on"}, {"off", "off"}, {"default", "default"}}},
    {"ondegrade", "OnDegrade", "degraded_policy", {{"keep", "keep"}, {"wt", "write_through"}}},
    {"accesspolicy",
     "AccPolicy",
     "access",
     {{"rw", "read_write"}, {"ro", "read_only"}, {"blocked", "blocked"}}},
    {"stripelog", "StripeLog", "stripe_log_mode", {{"auto", "auto"}, {"on", "on"}, {"off", "off"}}},
    {"hedgedreads", "HedgedReads", "hedged_reads", {{"on", "true"}, {"off", "false"}}},
};

/* The word for a typed value; NULL if it is none of the property's. */
static const char *property_word(const struct property *property, const char *typed)
{
    if (property->values[0].typed == NULL) {
        return typed;
    }
    for (size_t i = 0; i < 4 && property->values[i].typed != NULL; i++) {
        if (strcasecmp(typed, property->values[i].typed) == 0) {
            return property->values[i].word;
        }
    }
    return NULL;
}

static void set_row(struct change *change, const struct model_object *vd, const char *shown,
                    const char *typed, int error, const char *message)
{
    (void)json_array_append_new(change->rows, json_pack("{s:I, s:s, s:s, s:s, s:i, s:s}", "VD",
                                                        (json_int_t)doc_u64(vd->doc, "index"),
                                                        "Property", shown, "Value", typed, "Status",
                                                        error == 0 ? "Success" : "Failed", "ErrCd",
                                                        error, "ErrMsg", message));
    change->error = change->error == 0 ? error : change->error;
}

static void vd_property_set(struct cli_context *context, const struct model_object *vd,
                            const struct property *property, struct change *change)
{
    const char *typed = option_value(context, property->option);
    const char *word = property_word(property, typed);
    char message[REQUEST_TEXT_BYTES];
    int error = CLI_ERROR_GENERIC;

    if (word == NULL && property->argument == NULL) {
        (void)snprintf(message, sizeof(message),
                       "Background initialization always begins at once. Pause it with "
                       "/cX/vX pause bgi");
    } else if (word == NULL) {
        cli_value_wrong(context, property->option, typed, message);
    } else if (property->argument == NULL) {
        (void)snprintf(message, sizeof(message), "-");
        error = 0;
    } else {
        bool flag = strcmp(property->argument, "hedged_reads") == 0;

        error = cli_execute(context, "vd_set",
                            json_pack("{s:s, s:o}", "virtual_drive", vd->key, property->argument,
                                      flag ? json_boolean(word[0] == 't') : json_string(word)),
                            NULL, message);
    }
    set_row(change, vd, property->shown, typed, error, message);
}

static bool is_policy(const struct property *property)
{
    return word_is_one_of(property->option, "wrcache|rdcache|iopolicy|pdcache|ondegrade");
}

/* Policies typed beside a preset go with it: what they replace of it never holds, and is no risk to
 * be accepted. NULL, or the option whose value is none. */
static const char *preset_args(const struct cli_context *context, json_t *args)
{
    for (size_t i = 0; i < sizeof(vd_property_table) / sizeof(vd_property_table[0]); i++) {
        const struct property *property = &vd_property_table[i];
        const char *word = NULL;

        if (!is_policy(property) || !option_has(context, property->option)) {
            continue;
        }
        word = property_word(property, option_value(context, property->option));
        if (word == NULL) {
            return property->option;
        }
        row_text(args, property->argument, word);
    }
    return NULL;
}

/* True: a preset was typed. */
static bool vd_preset_set(struct cli_context *context, const struct model_object *vd,
                          struct change *change)
{
    json_t *args = json_pack("{s:s}", "virtual_drive", vd->key);
    const char *wrong = NULL;
    char message[REQUEST_TEXT_BYTES];
    char typed[64];
    int error = CLI_ERROR_GENERIC;

    if (!preset_put(context, args)) {
        json_decref(args);
        return false;
    }
    (void)snprintf(typed, sizeof(typed), "%.*s", (int)text_cut(doc_text(args, "preset"), 60),
                   doc_text(args, "preset"));
    wrong = preset_args(context, args);
    if (wrong == NULL) {
        error = cli_execute(context, "vd_set", args, NULL, message);
    } else {
        json_decref(args);
        cli_value_wrong(context, wrong, option_value(context, wrong), message);
    }
    set_row(change, vd, "Preset", typed, error, message);
    return true;
}

static void vd_set_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    bool by_preset = vd_preset_set(context, vd, data);

    for (size_t i = 0; i < sizeof(vd_property_table) / sizeof(vd_property_table[0]); i++) {
        const struct property *property = &vd_property_table[i];

        if (option_has(context, property->option) && !(by_preset && is_policy(property))) {
            vd_property_set(context, vd, property, data);
        }
    }
}

void change_vd_set(struct cli_context *context)
{
    struct change change = {.rows = json_array()};
    json_t *missing = json_array();

    if (context->option_count == 0) {
        cli_refuse(context, "None", CLI_ERROR_GENERIC,
                   "nothing to set. Name a property, for example name=data");
        json_decref(change.rows);
        json_decref(missing);
        return;
    }
    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_set_visit, &change);
    if (json_array_size(missing) > 0) {
        change.error = CLI_ERROR_GENERIC;
    }
    (void)json_array_extend(change.rows, missing);
    json_decref(missing);
    /* StorCLI lists what was set in the Detailed Status, success or not. */
    report_add(&context->report, context->number, change.error, "None", change.rows, NULL);
}
