/*
 * Commands that change something, except the creation of virtual drives.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/command.h"
#include "cli/rows.h"

/* MegaRAID's number for a reason of ours, where it has one. */
static int error_number(const char *code)
{
    static const struct {
        const char *code;
        int number;
    } numbers[] = {{"already_running", 85},       {"wrong_state", 50},
                   {"too_few_drives", 143},       {"too_many_drives", 143},
                   {"drive_count_multiple", 143}, {"too_many_virtual_drives", 26}};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(code, numbers[i].code) == 0) {
            return numbers[i].number;
        }
    }
    return CLI_ERROR_GENERIC;
}

int cli_execute(struct cli_context *context, const char *op, json_t *args, const char *confirm,
                json_t *preconditions, char message[REQUEST_TEXT_BYTES])
{
    json_t *status = NULL;
    int error = 0;

    (void)snprintf(message, REQUEST_TEXT_BYTES, "-");
    if (context->failed) {
        json_decref(args);
        json_decref(preconditions);
        return CLI_ERROR_GENERIC;
    }
    if (!client_command(context->client, op, args, confirm, preconditions, &status,
                        context->failure)) {
        context->failed = true;
        return CLI_ERROR_GENERIC;
    }
    if (strcmp(doc_text(status, "state"), "succeeded") != 0) {
        const json_t *reason = json_object_get(status, "reason");

        error = error_number(doc_text(reason, "code"));
        (void)snprintf(message, REQUEST_TEXT_BYTES, "%s", doc_text(reason, "text"));
    }
    json_decref(status);
    return error;
}

json_t *cli_precondition(enum object_kind kind, const struct model_object *object)
{
    return json_pack("[{s:s, s:s, s:I}]", "kind", object_kind_word(kind), "key", object->key,
                     "config_rev", (json_int_t)object->config_rev);
}

/* What a command did to several objects. */
struct change {
    json_t *rows;
    int error;          /* of the first failure */
    const char *verb;   /* for messages: "Start Drive Rebuild" */
    const char *op;
    json_t *(*make_args)(struct cli_context *context, const struct model_object *object);
    const char *confirm;
};

static void row_add(struct change *change, const char *name, json_t *id, int error,
                    const char *message)
{
    (void)json_array_append_new(change->rows, json_pack("{s:o, s:s, s:i, s:s}", name, id, "Status",
                                                        error == 0 ? "Success" : "Failure", "ErrCd",
                                                        error, "ErrMsg", message));
    if (change->error == 0) {
        change->error = error;
    }
}

static void change_report(struct cli_context *context, struct change *change)
{
    char description[128];

    if (json_array_size(change->rows) > 0 && change->error == 0) {
        const json_t *row;
        size_t index;

        json_array_foreach(change->rows, index, row)
        { /* of objects that are missing */
            if (strcmp(doc_text(row, "Status"), "Success") != 0) {
                change->error = CLI_ERROR_GENERIC;
            }
        }
    }
    if (json_array_size(change->rows) == 0) {
        change->error = CLI_ERROR_GENERIC;
        row_add(change, "Object", json_string("-"), CLI_ERROR_GENERIC, "Nothing found");
    }
    (void)snprintf(description, sizeof(description), "%s %s.", change->verb,
                   change->error == 0 ? "Succeeded" : "Failed");
    if (change->error == 0) {
        json_decref(change->rows);
        change->rows = NULL;
    }
    report_add(&context->report, 0, change->error, description, change->rows, NULL);
}

/* Drives. */

static void drive_change_visit(struct cli_context *context, const struct model_object *drive,
                               void *data)
{
    struct change *change = data;
    char message[REQUEST_TEXT_BYTES];
    json_t *args = change->make_args(context, drive);
    const char *confirm = change->confirm;

    if (confirm != NULL && confirm[0] == '\0') { /* "force" vouches for the serial number */
        confirm = doc_text(drive->doc, "serial");
    }
    int error = cli_execute(context, change->op, args, confirm, json_array(), message);
    row_add(change, "Drive", json_string(doc_text(drive->doc, "path")), error, message);
}

static void drives_change(struct cli_context *context, const char *verb, const char *op,
                          json_t *(*make_args)(struct cli_context *, const struct model_object *),
                          const char *confirm)
{
    struct change change = {json_array(), 0, verb, op, make_args, confirm};
    json_t *missing = json_array();

    context->absent_too = true;
    cli_each_drive(context, missing, drive_change_visit, &change);
    (void)json_array_extend(change.rows, missing);
    json_decref(missing);
    change_report(context, &change);
}

static const char *task_word(const struct cli_context *context)
{
    static const char *const words[] = {"start", "stop", "pause", "resume"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(context->request.words[0], words[i]) == 0) {
            return words[i];
        }
    }
    return "pause"; /* "suspend" */
}

static json_t *args_drive(struct cli_context *context UNUSED, const struct model_object *drive)
{
    return json_pack("{s:s}", "drive", drive->key);
}

static json_t *args_rebuild(struct cli_context *context, const struct model_object *drive)
{
    return json_pack("{s:s, s:s}", "drive", drive->key, "action", task_word(context));
}

void change_drive_task(struct cli_context *context)
{
    char verb[64];

    (void)snprintf(verb, sizeof(verb), "%s Drive Rebuild", task_word(context));
    verb[0] = (char)(verb[0] - 'a' + 'A');
    drives_change(context, verb, "rebuild", args_rebuild, NULL);
}

static json_t *args_counters(struct cli_context *context UNUSED, const struct model_object *drive)
{
    return json_pack("{s:s, s:s}", "kind", "drive", "key", drive->key);
}

void change_drive_performance_delete(struct cli_context *context)
{
    drives_change(context, "Delete Drive Performance", "counters_reset", args_counters, NULL);
}

static json_t *args_locate(struct cli_context *context, const struct model_object *drive)
{
    return json_pack("{s:s, s:b}", "drive", drive->key, "on",
                     strcasecmp(context->request.words[0], "start") == 0);
}

void change_drive_locate(struct cli_context *context)
{
    bool on = strcasecmp(context->request.words[0], "start") == 0;

    drives_change(context, on ? "Start Drive Locate" : "Stop Drive Locate", "drive_locate",
                  args_locate, NULL);
}

/* The keys of the groups in "dgs=0,2-3"; NULL if one does not exist. */
static json_t *groups_parse(const struct cli_context *context, const char *text)
{
    struct cli_numbers numbers;
    const char *end = NULL;
    json_t *keys = json_array();

    if (!numbers_parse(text, &numbers, &end) || *end != '\0') {
        json_decref(keys);
        return NULL;
    }
    for (uint32_t i = 0; i < numbers.count; i++) {
        const struct model_object *group =
            model_numbered(context->model, OBJECT_KIND_DRIVE_GROUP, numbers.values[i]);

        if (group == NULL) {
            json_decref(keys);
            return NULL;
        }
        (void)json_array_append_new(keys, json_string(group->key));
    }
    return keys;
}

static json_t *args_spare(struct cli_context *context, const struct model_object *drive)
{
    const char *groups = option_value(context, "dgs");
    json_t *args = json_pack("{s:s}", "drive", drive->key);

    if (groups != NULL) {
        (void)json_object_set_new(args, "drive_groups", groups_parse(context, groups));
    }
    if (option_has(context, "force")) {
        (void)json_object_set_new(args, "force", json_true());
        row_text(args, "serial", doc_text(drive->doc, "serial"));
    }
    return args;
}

void change_drive_spare_add(struct cli_context *context)
{
    const char *text = option_value(context, "dgs");
    json_t *groups = text != NULL ? groups_parse(context, text) : NULL;

    if (text != NULL && groups == NULL) {
        report_add(&context->report, 0, CLI_ERROR_GENERIC, "dgs= must name drive groups: dgs=0,1",
                   NULL, NULL);
        return;
    }
    json_decref(groups);
    drives_change(context, "Add Hot Spare", "spare_add", args_spare, NULL);
}

void change_drive_spare_delete(struct cli_context *context)
{
    drives_change(context, "Delete Hot Spare", "spare_remove", args_drive, NULL);
}

static bool number_option(const struct cli_context *context, const char *name, uint64_t *ret_value)
{
    const char *text = option_value(context, name);
    char *end = NULL;

    if (text == NULL) {
        return false;
    }
    *ret_value = strtoull(text, &end, 0);
    return end != text && *end == '\0' && text[0] != '-';
}

static json_t *args_insert(struct cli_context *context, const struct model_object *drive)
{
    uint64_t group = 0;
    uint64_t array = 0;
    uint64_t row = 0;

    (void)number_option(context, "dg", &group); /* checked by change_drive_insert */
    (void)number_option(context, "array", &array);
    (void)number_option(context, "row", &row);
    const struct model_object *found =
        model_numbered(context->model, OBJECT_KIND_DRIVE_GROUP, group);
    json_t *args = json_pack("{s:s, s:s, s:I, s:I}", "drive", drive->key, "drive_group",
                             found != NULL ? found->key : "-", "span", (json_int_t)array, "row",
                             (json_int_t)row);
    if (option_has(context, "force")) {
        (void)json_object_set_new(args, "force", json_true());
        row_text(args, "serial", doc_text(drive->doc, "serial"));
    }
    return args;
}

void change_drive_insert(struct cli_context *context)
{
    uint64_t number = 0;

    if (!number_option(context, "dg", &number) ||
        model_numbered(context->model, OBJECT_KIND_DRIVE_GROUP, number) == NULL ||
        !number_option(context, "array", &number) || !number_option(context, "row", &number)) {
        report_add(&context->report, 0, CLI_ERROR_GENERIC,
                   "dg=, array= and row= must name the place of a lost member", NULL, NULL);
        return;
    }
    drives_change(context, "Insert Drive", "drive_replace", args_insert, NULL);
}

static json_t *args_good(struct cli_context *context, const struct model_object *drive)
{
    json_t *args = json_pack("{s:s}", "drive", drive->key);

    if (option_has(context, "force")) {
        (void)json_object_set_new(args, "force", json_true());
        row_text(args, "serial", doc_text(drive->doc, "serial"));
    }
    return args;
}

static json_t *args_fault(struct cli_context *context, const struct model_object *drive)
{
    static const struct {
        const char *option;
        const char *argument;
    } numbers[] = {{"lba", "lba"}, {"count", "count"}, {"latency", "latency_ms"}};
    json_t *args =
        json_pack("{s:s, s:s}", "drive", drive->key, "fault", option_value(context, "fault"));

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        uint64_t value = 0;

        if (number_option(context, numbers[i].option, &value)) {
            row_number(args, numbers[i].argument, value);
        }
    }
    return args;
}

void change_drive_set(struct cli_context *context)
{
    bool good = option_has(context, "good");
    bool offline = option_has(context, "offline");
    bool fault = option_has(context, "fault");

    if (good + offline + fault != 1) {
        report_add(&context->report, 0, CLI_ERROR_GENERIC,
                   "say one of good, offline and fault=", NULL, NULL);
    } else if (good) {
        const char *confirm = option_value(context, "confirm");

        drives_change(context, "Set Drive Good", "drive_good", args_good,
                      confirm != NULL                ? confirm
                      : option_has(context, "force") ? ""
                                                     : NULL);
    } else if (offline) {
        drives_change(context, "Set Drive Offline", "drive_offline", args_drive, NULL);
    } else {
        drives_change(context, "Set Drive Fault", "fault_inject", args_fault, NULL);
    }
}

/* Virtual drives. */

/* The name that was typed, on a terminal only. */
static bool name_ask(const char *path, const char *name, char out[80])
{
    if (!isatty(STDIN_FILENO)) {
        return false;
    }
    (void)fprintf(stderr,
                  "This deletes virtual drive %s and everything on it.\n"
                  "Type its name (%s) to go on: ",
                  path, name);
    if (fgets(out, 80, stdin) == NULL) {
        return false;
    }
    out[strcspn(out, "\n")] = '\0';
    return true;
}

static void vd_delete_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    struct change *change = data;
    const char *name = doc_text(vd->doc, "name");
    const char *confirm = option_value(context, "confirm");
    bool force = option_has(context, "force");
    char typed[80];
    char message[REQUEST_TEXT_BYTES];
    int error = CLI_ERROR_GENERIC;

    if (confirm == NULL && force) {
        confirm = name;
    } else if (confirm == NULL && name_ask(doc_text(vd->doc, "path"), name, typed)) {
        confirm = typed;
    }
    if (confirm == NULL) {
        (void)snprintf(message, sizeof(message),
                       "Everything on it would be lost. Repeat with force, or with confirm=%s",
                       name);
    } else {
        json_t *args = json_pack("{s:s, s:b}", "virtual_drive", vd->key, "force", force);

        error = cli_execute(context, "vd_delete", args, confirm,
                            cli_precondition(OBJECT_KIND_VIRTUAL_DRIVE, vd), message);
    }
    row_add(change, "VD", json_integer((json_int_t)doc_u64(vd->doc, "index")), error, message);
}

void change_vd_delete(struct cli_context *context)
{
    struct change change = {json_array(), 0, "Delete VD", NULL, NULL, NULL};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_delete_visit, &change);
    (void)json_array_extend(change.rows, missing);
    json_decref(missing);
    change_report(context, &change);
}

static json_t *args_bgi(struct cli_context *context, const struct model_object *vd)
{
    return json_pack("{s:s, s:s}", "virtual_drive", vd->key, "action", task_word(context));
}

static void vd_task_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    struct change *change = data;
    char message[REQUEST_TEXT_BYTES];
    int error = cli_execute(context, "bgi", args_bgi(context, vd), NULL, json_array(), message);

    row_add(change, "VD", json_integer((json_int_t)doc_u64(vd->doc, "index")), error, message);
}

static void vd_performance_visit(struct cli_context *context, const struct model_object *vd,
                                 void *data)
{
    struct change *change = data;
    char message[REQUEST_TEXT_BYTES];
    int error = cli_execute(context, "counters_reset",
                            json_pack("{s:s, s:s}", "kind", "virtual_drive", "key", vd->key), NULL,
                            json_array(), message);

    row_add(change, "VD", json_integer((json_int_t)doc_u64(vd->doc, "index")), error, message);
}

void change_vd_performance_delete(struct cli_context *context)
{
    struct change change = {json_array(), 0, "Delete VD Performance", NULL, NULL, NULL};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_performance_visit, &change);
    (void)json_array_extend(change.rows, missing);
    json_decref(missing);
    change_report(context, &change);
}

void change_vd_task(struct cli_context *context)
{
    struct change change = {json_array(), 0, NULL, NULL, NULL, NULL};
    json_t *missing = json_array();
    char verb[64];

    (void)snprintf(verb, sizeof(verb), "%s BGI", task_word(context));
    verb[0] = (char)(verb[0] - 'a' + 'A');
    change.verb = verb;
    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_task_visit, &change);
    (void)json_array_extend(change.rows, missing);
    json_decref(missing);
    change_report(context, &change);
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
    {"accesspolicy",
     "AccPolicy",
     "access",
     {{"rw", "read_write"}, {"ro", "read_only"}, {"blocked", "blocked"}}},
    {"stripelog", "StripeLog", "stripe_log", {{"on", "true"}, {"off", "false"}}},
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

static void vd_property_set(struct cli_context *context, const struct model_object *vd,
                            const struct property *property, struct change *change)
{
    const char *typed = option_value(context, property->option);
    const char *word = property_word(property, typed);
    char message[REQUEST_TEXT_BYTES];
    int error = CLI_ERROR_GENERIC;

    if (word == NULL) {
        (void)snprintf(message, sizeof(message), "%.60s is not a value of %s", typed,
                       property->option);
    } else {
        bool flag = strcmp(property->argument, "stripe_log") == 0;

        error = cli_execute(context, "vd_set",
                            json_pack("{s:s, s:o}", "virtual_drive", vd->key, property->argument,
                                      flag ? json_boolean(word[0] == 't') : json_string(word)),
                            NULL, json_array(), message);
    }
    (void)json_array_append_new(change->rows, json_pack("{s:I, s:s, s:s, s:s, s:i, s:s}", "VD",
                                                        (json_int_t)doc_u64(vd->doc, "index"),
                                                        "Property", property->shown, "Value", typed,
                                                        "Status", error == 0 ? "Success" : "Failed",
                                                        "ErrCd", error, "ErrMsg", message));
    change->error = change->error == 0 ? error : change->error;
}

static void vd_set_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    for (size_t i = 0; i < sizeof(vd_property_table) / sizeof(vd_property_table[0]); i++) {
        if (option_has(context, vd_property_table[i].option)) {
            vd_property_set(context, vd, &vd_property_table[i], data);
        }
    }
}

void change_vd_set(struct cli_context *context)
{
    struct change change = {json_array(), 0, "Set VD", NULL, NULL, NULL};
    json_t *missing = json_array();

    if (context->option_count == 0) {
        report_add(&context->report, 0, CLI_ERROR_GENERIC, "say what to set, for example name=data",
                   NULL, NULL);
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
    report_add(&context->report, 0, change.error, "None", change.rows, NULL);
}

/* Controller. */

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
    json_t *detailed = error == 0
                           ? NULL
                           : json_pack("[{s:i, s:s, s:s, s:s, s:i}]", "Ctrl", 0, "Status", "Failed",
                                       "Property", "-", "ErrMsg", message, "ErrCd", error);
    report_add(&context->report, 0, error, "None", detailed,
               json_pack("{s:o}", "Controller Properties", rows));
}
