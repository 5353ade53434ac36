/*
 * The table of commands and the search in it: see command.h.
 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define VD_ADD_OPTIONS                                                                             \
    "type= r0 r1 r5 r6 r10 r50 r60 each size= name= drives= pdperarray= pdcache= wt wb awb nora "  \
    "ra adra direct cached strip= spares= force"

const struct cli_command cli_commands[] = {
    {CLI_OBJECT_NONE, "show", "ctrlcount", "", false, show_controller_count, "show ctrlcount",
     "Number of controllers."},
    {CLI_OBJECT_NONE, "show", NULL, "all", false, show_host, "show [all]",
     "Overview of all controllers."},

    {CLI_OBJECT_CONTROLLER, "show", "all", "", false, show_controller_all, "/cX show all",
     "Everything about the controller."},
    {CLI_OBJECT_CONTROLLER, "show", "events", "type= filter= file=", false, show_events,
     "/cX show events [type=latest=N] [filter=info|warning|critical|fatal] [file=PATH]",
     "The event log, oldest first."},
    {CLI_OBJECT_CONTROLLER, "show", "rebuildrate|bgirate|autorebuild", "", false,
     show_controller_property, "/cX show rebuildrate|bgirate|autorebuild",
     "One property of the controller."},
    {CLI_OBJECT_CONTROLLER, "show", "preservedcache", "", false, show_preserved_cache,
     "/cX show preservedcache", "Cached writes that wait for their drives."},
    {CLI_OBJECT_CONTROLLER, "show", NULL, "", false, show_controller, "/cX show",
     "Drive groups, virtual drives and drives."},
    {CLI_OBJECT_CONTROLLER, "set", NULL, "rebuildrate= bgirate= autorebuild=", false,
     change_controller_set, "/cX set rebuildrate=<0-100> | bgirate=<0-100> | autorebuild=on|off",
     "Changes properties of the controller."},
    {CLI_OBJECT_CONTROLLER, "add", "vd", VD_ADD_OPTIONS, false, change_vd_add,
     "/cX add vd r0|r1|r5|r6|r10|r50|r60 drives=e:s|e:s-s,s [size=<n>MB|GB|TB|all] [name=NAME] "
     "[strip=<KiB>] [PDperArray=n] [wt|wb|awb] [nora|ra] [direct|cached] [pdcache=on|off|default] "
     "[spares=e:s,…] [force]",
     "Creates a virtual drive. Four or more drives as r1 make a RAID 10; n copies are asked for "
     "with PDperArray=n."},

    {CLI_OBJECT_ENCLOSURE, "show", NULL, "all", false, show_enclosure, "/cX/eX show [all]",
     "Enclosures."},

    {CLI_OBJECT_DRIVE, "show", "rebuild", "", false, show_rebuild, "/cX/eX/sX show rebuild",
     "Progress of rebuilds."},
    {CLI_OBJECT_DRIVE, "show", "perf", "all", false, show_drive_performance,
     "/cX/eX/sX show perf [all]", "How long the drive's operations took; all: the histogram."},
    {CLI_OBJECT_DRIVE, "delete|del", "perf", "", false, change_drive_performance_delete,
     "/cX/eX/sX delete perf", "Starts the drive's latency histograms over."},
    {CLI_OBJECT_DRIVE, "show", NULL, "all", false, show_drive, "/cX/eX/sX show [all]", "Drives."},
    {CLI_OBJECT_DRIVE, "start|stop|pause|suspend|resume", "rebuild", "", false, change_drive_task,
     "/cX/eX/sX start|stop|pause|resume rebuild", "Controls the rebuild of a member."},
    {CLI_OBJECT_DRIVE, "start|stop", "locate", "", false, change_drive_locate,
     "/cX/eX/sX start|stop locate", "Lights the drive's locate lamp."},
    {CLI_OBJECT_DRIVE, "add", "hotsparedrive", "dgs= force", false, change_drive_spare_add,
     "/cX/eX/sX add hotsparedrive [dgs=<list>] [force]", "Makes a global or dedicated hot spare."},
    {CLI_OBJECT_DRIVE, "delete|del", "hotsparedrive", "", false, change_drive_spare_delete,
     "/cX/eX/sX delete hotsparedrive", "Makes a hot spare an unconfigured drive again."},
    {CLI_OBJECT_DRIVE, "insert", NULL, "dg= array= row= force", false, change_drive_insert,
     "/cX/eX/sX insert dg=A array=B row=C [force]",
     "Puts a drive in the place of a lost member and rebuilds it."},
    {CLI_OBJECT_DRIVE, "set", NULL,
     "good offline force confirm= fault= lba= count= latency=", false, change_drive_set,
     "/cX/eX/sX set good [force] | offline | fault=pull|return|replace|media_error|slow|"
     "write_error|clear [lba=n] [count=n] [latency=ms]",
     "Changes a drive's state, or tries a fault on an emulated drive."},

    {CLI_OBJECT_GROUP, "show", NULL, "all", false, show_group, "/cX/dX show [all]",
     "Drive groups."},

    {CLI_OBJECT_VD, "show", "bgi|init|cc|migrate|erase", "", false, show_vd_operation,
     "/cX/vX show bgi", "Progress of background work."},
    {CLI_OBJECT_VD, "show", "perf", "all", false, show_vd_performance, "/cX/vX show perf [all]",
     "How long the requests of its users took; all: the histogram."},
    {CLI_OBJECT_VD, "delete|del", "perf", "", false, change_vd_performance_delete,
     "/cX/vX delete perf", "Starts the virtual drive's latency histograms over."},
    {CLI_OBJECT_VD, "show", NULL, "all", false, show_vd, "/cX/vX show [all]", "Virtual drives."},
    {CLI_OBJECT_VD, "delete|del", "preservedcache", "force confirm=", false,
     change_preserved_delete, "/cX/vX delete preservedcache [force] [confirm=NAME]",
     "Throws away cached writes that wait for their drives: they are lost. Without force the "
     "virtual drive's name must be typed."},
    {CLI_OBJECT_VD, "delete|del", NULL, "force confirm=", false, change_vd_delete,
     "/cX/vX del [force] [confirm=NAME]",
     "Deletes a virtual drive and everything on it. Without force its name must be typed."},
    {CLI_OBJECT_VD, "set", NULL,
     "name= wrcache= rdcache= iopolicy= pdcache= accesspolicy= stripelog=", false, change_vd_set,
     "/cX/vX set name=NAME | wrcache=wt|wb|awb | rdcache=ra|nora | iopolicy=direct|cached | "
     "pdcache=on|off|default | accesspolicy=rw|ro|blocked | stripelog=on|off",
     "Changes properties of a virtual drive."},
    {CLI_OBJECT_VD, "start|stop|pause|suspend|resume", "bgi", "", false, change_vd_task,
     "/cX/vX start|stop|pause|resume bgi", "Controls the background initialization."},

    {CLI_OBJECT_BBU, "show", NULL, "all status properties modes", false, show_battery,
     "/cX/bbu show [all|status|properties|modes]", "The battery."},
    {CLI_OBJECT_BBU, "start", "learn", "", false, change_battery_learn, "/cX/bbu start learn",
     "Starts a learn cycle; write-back is suspended until it ends, unless it is transparent."},
    {CLI_OBJECT_BBU, "set", NULL,
     "autolearnmode= learndelayinterval= learnstarttime= fault=", false, change_battery_set,
     "/cX/bbu set autolearnmode=0|1|2|3 | learnDelayInterval=<0-168> | "
     "learnStartTime=\"yyyy/mm/dd hh\" | fault=fail|remove|low_charge|overheat|wear_out|power_off|"
     "clear",
     "Learn cycles (0 automatic, 1 disabled, 2 warn only, 3 by hand only), or a fault on an "
     "emulated battery."},
    {CLI_OBJECT_CACHEVAULT, "show", NULL, "all status properties", false, show_battery,
     "/cX/cv show [all|status|properties]", "The cache vault."},
    {CLI_OBJECT_CACHEVAULT, "start", "learn", "", false, change_battery_learn, "/cX/cv start learn",
     "Refused: a persistent medium has nothing to learn."},
    {CLI_OBJECT_FOREIGN, "show", NULL, "all", false, show_foreign, "/cX/fall show [all]",
     "Drives of foreign configurations."},
};
const uint32_t cli_command_count = sizeof(cli_commands) / sizeof(cli_commands[0]);

bool word_is_one_of(const char *word, const char *alternatives)
{
    size_t length = strlen(word);

    while (*alternatives != '\0') {
        size_t part = strcspn(alternatives, "|");

        if (part == length && strncasecmp(word, alternatives, part) == 0) {
            return true;
        }
        alternatives += part + (alternatives[part] == '|' ? 1 : 0);
    }
    return false;
}

/* Takes one typed word if the command's list of options has it. */
static bool option_take(struct cli_context *context, const char *options, const char *word)
{
    while (*options != '\0') {
        size_t length = strcspn(options, " ");
        bool valued = length > 0 && options[length - 1] == '=';
        bool match = valued ? strncasecmp(word, options, length) == 0
                            : strlen(word) == length && strncasecmp(word, options, length) == 0;

        if (match && context->option_count < CLI_OPTIONS_MAX) {
            struct cli_option *option = &context->options[context->option_count++];

            *option = (struct cli_option){options, valued ? word + length : NULL};
            return true;
        }
        options += length + (options[length] == ' ' ? 1 : 0);
    }
    return false;
}

static const struct cli_option *option_find(const struct cli_context *context, const char *name)
{
    size_t length = strlen(name);

    for (uint32_t i = 0; i < context->option_count; i++) {
        const char *own = context->options[i].name;

        if (strncmp(own, name, length) == 0 &&
            (own[length] == ' ' || own[length] == '\0' || own[length] == '=')) {
            return &context->options[i];
        }
    }
    return NULL;
}

const char *option_value(const struct cli_context *context, const char *name)
{
    const struct cli_option *option = option_find(context, name);

    return option != NULL ? option->value : NULL;
}

bool option_has(const struct cli_context *context, const char *name)
{
    return option_find(context, name) != NULL;
}

static bool options_take(struct cli_context *context, const struct cli_command *command,
                         char text[REQUEST_TEXT_BYTES])
{
    uint32_t first = command->noun != NULL ? 2 : 1;

    for (uint32_t i = first; i < context->request.word_count; i++) {
        if (!option_take(context, command->options, context->request.words[i])) {
            (void)snprintf(text, REQUEST_TEXT_BYTES, "unexpected \"%.60s\". Usage: arrayctl %s",
                           context->request.words[i], command->usage);
            return false;
        }
    }
    return true;
}

const struct cli_command *cli_command_find(struct cli_context *context,
                                           char text[REQUEST_TEXT_BYTES])
{
    const struct cli_request *request = &context->request;
    const struct cli_command *same_verb = NULL;

    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];

        if (request->word_count == 0 || command->object != request->object ||
            !word_is_one_of(request->words[0], command->verb)) {
            continue;
        }
        same_verb = same_verb != NULL ? same_verb : command;
        if (command->noun == NULL ||
            (request->word_count > 1 && word_is_one_of(request->words[1], command->noun))) {
            return options_take(context, command, text) ? command : NULL;
        }
    }
    if (same_verb != NULL) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "incomplete. Usage: arrayctl %s",
                       same_verb->usage);
    } else if (request->word_count == 0) {
        (void)snprintf(text, REQUEST_TEXT_BYTES,
                       "say what to do, for example \"show\". "
                       "\"arrayctl help\" lists all commands");
    } else {
        (void)snprintf(text, REQUEST_TEXT_BYTES,
                       "there is no command \"%.40s\" for this object. \"arrayctl help\" lists "
                       "all commands",
                       request->words[0]);
    }
    return NULL;
}

const struct model_object *cli_controller(const struct cli_context *context)
{
    const struct model_list *list = &context->model->lists[OBJECT_KIND_CONTROLLER];

    return list->count > 0 ? &list->items[0] : NULL;
}

static void missing_append(json_t *missing, const char *name, json_t *number)
{
    (void)json_array_append_new(missing,
                                json_pack("{s:o, s:s, s:i, s:s}", name, number, "Status", "Failure",
                                          "ErrCd", CLI_ERROR_GENERIC, "ErrMsg", "Not found"));
}

/* Drives named one by one that are not there. */
static void drives_missing(const struct cli_context *context, json_t *missing)
{
    const struct cli_request *request = &context->request;
    uint32_t enclosures = request->has_enclosure ? request->enclosures.count : 1;

    for (uint32_t e = 0; e < enclosures; e++) {
        for (uint32_t s = 0; s < request->drives.count; s++) {
            uint32_t eid = request->has_enclosure ? request->enclosures.values[e] : 0;
            uint32_t slot = request->drives.values[s];
            char path[48];

            if (model_drive_at(context->model, request->has_enclosure, eid, slot) != NULL) {
                continue;
            }
            if (request->has_enclosure) {
                (void)snprintf(path, sizeof(path), "/c0/e%u/s%u", eid, slot);
            } else {
                (void)snprintf(path, sizeof(path), "/c0/s%u", slot);
            }
            missing_append(missing, "Drive", json_string(path));
        }
    }
}

/* A drive that is there; or one that was pulled, if nothing else is in its slot. */
static bool drive_counts(const struct cli_context *context, const struct model_object *drive)
{
    const json_t *doc = drive->doc;

    if (doc_bool(doc, "present")) {
        return true;
    }
    return context->absent_too &&
           model_drive_at(context->model, !doc_is_null(doc, "eid"), doc_u64(doc, "eid"),
                          doc_u64(doc, "slot")) == drive;
}

void cli_each_drive(struct cli_context *context, json_t *missing, cli_visit visit, void *data)
{
    const struct cli_request *request = &context->request;
    const struct model_list *drives = &context->model->lists[OBJECT_KIND_DRIVE];

    for (uint32_t i = 0; i < drives->count && !context->failed; i++) {
        const json_t *doc = drives->items[i].doc;
        bool in_enclosure = !doc_is_null(doc, "eid");
        bool selected = in_enclosure == request->has_enclosure &&
                        (!in_enclosure || numbers_have(&request->enclosures, doc_u64(doc, "eid")));

        if (selected && !doc_is_null(doc, "slot") && drive_counts(context, &drives->items[i]) &&
            numbers_have(&request->drives, doc_u64(doc, "slot"))) {
            visit(context, &drives->items[i], data);
        }
    }
    drives_missing(context, missing);
}

void cli_each_numbered(struct cli_context *context, enum object_kind kind, json_t *missing,
                       cli_visit visit, void *data)
{
    const struct cli_request *request = &context->request;
    const struct cli_numbers *numbers = kind == OBJECT_KIND_ENCLOSURE     ? &request->enclosures
                                        : kind == OBJECT_KIND_DRIVE_GROUP ? &request->groups
                                                                          : &request->vds;
    const char *field = kind == OBJECT_KIND_ENCLOSURE ? "eid" : "index";
    const char *shown = kind == OBJECT_KIND_ENCLOSURE     ? "Enclosure"
                        : kind == OBJECT_KIND_DRIVE_GROUP ? "DG"
                                                          : "VD";
    const struct model_list *list = &context->model->lists[kind];

    for (uint32_t i = 0; i < list->count && !context->failed; i++) {
        if (numbers_have(numbers, doc_u64(list->items[i].doc, field))) {
            visit(context, &list->items[i], data);
        }
    }
    for (uint32_t i = 0; i < numbers->count; i++) {
        if (model_numbered(context->model, kind, numbers->values[i]) == NULL) {
            missing_append(missing, shown, json_integer(numbers->values[i]));
        }
    }
}
