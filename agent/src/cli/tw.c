/*
 * tw_cli's commands: "info c0 unitstatus" and "/c0/u0 show status" alike. What changes something
 * is said in the other vocabulary, but for the StorSave profile of a unit; rescan, which looks and
 * changes nothing, is understood.
 */
#include "cli/tw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"
#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

#define WORDS_MAX 16
#define LINE_BYTES 512
#define VALUE_BYTES 96u
#define ERROR_COMMAND "Error: (CLI:003) Specified command does not exist.\n"
#define ERROR_CONTROLLER "Error: (CLI:008) The controller does not exist.\n"
#define ERROR_OBJECT "Error: (CLI:053) The specified object does not exist.\n"
#define ERROR_ATTRIBUTE "Error: (CLI:112) The attribute is not known.\n"

enum tw_object { TW_SHELL, TW_CONTROLLER, TW_UNIT, TW_PORT, TW_BATTERY };

struct tw_request {
    enum tw_object object;
    uint32_t controller, number;
    const char *verb; /* "show"; NULL: nothing was typed */
    const char *attribute; /* NULL: none */
    bool quiet; /* no question is to be asked */
};

bool tw_is_named(const char *program)
{
    const char *name = strrchr(program, '/');

    name = name != NULL ? name + 1 : program;
    return strcmp(name, "tw_cli") == 0 || strcmp(name, "tw_cli64") == 0;
}

/* "c0", "u1", "p3": false if it is something else. */
static bool part_parse(const char **text, char letter, uint32_t *ret_number)
{
    char *end = NULL;

    if ((*text)[0] != letter || (*text)[1] < '0' || (*text)[1] > '9') {
        return false;
    }
    unsigned long number = strtoul(*text + 1, &end, 10);
    if (number > 65535) {
        return false;
    }
    *ret_number = (uint32_t)number;
    *text = end;
    return true;
}

/* What follows the controller: "u1", "p3", "bbu". */
static bool inner_parse(const char *text, struct tw_request *request)
{
    if (strcasecmp(text, "bbu") == 0) {
        request->object = TW_BATTERY;
        return true;
    }
    request->object = text[0] == 'u' ? TW_UNIT : TW_PORT;
    return (part_parse(&text, 'u', &request->number) || part_parse(&text, 'p', &request->number)) &&
           *text == '\0';
}

/* "/c0/u1" */
static bool path_parse(const char *text, struct tw_request *request)
{
    text++;
    request->object = TW_CONTROLLER;
    if (!part_parse(&text, 'c', &request->controller)) {
        return false;
    }
    return *text == '\0' || (*text == '/' && inner_parse(text + 1, request));
}

/* "info c0 p0 model", as older programs ask */
static bool info_parse(int count, char *const *words, struct tw_request *request)
{
    int at = 1;

    request->verb = "show";
    if (at < count) {
        const char *text = words[at++];

        request->object = TW_CONTROLLER;
        if (!part_parse(&text, 'c', &request->controller) || *text != '\0') {
            return false;
        }
    }
    if (at < count && inner_parse(words[at], request)) {
        at++;
    } else {
        request->object = count > 1 ? TW_CONTROLLER : TW_SHELL;
    }
    request->attribute = at < count ? words[at] : NULL;
    return at + 1 >= count;
}

static bool request_read(int count, char *const *words, struct tw_request *request)
{
    int at = 0;

    *request = (struct tw_request){.object = TW_SHELL};
    if (count > 0 && strcasecmp(words[0], "info") == 0) {
        return info_parse(count, words, request);
    }
    if (count > 0 && words[0][0] == '/' && !path_parse(words[at++], request)) {
        return false;
    }
    request->verb = at < count ? words[at++] : NULL;
    request->attribute = at < count ? words[at++] : NULL;
    if (request->verb != NULL && strcasecmp(request->verb, "set") == 0 && at < count &&
        strcasecmp(words[at], "quiet") == 0) {
        request->quiet = true;
        at++;
    }
    return request->verb != NULL && at == count;
}

/* Attributes: what is typed, what is printed, and the value. */

struct tw_attribute {
    const char *typed;
    const char *shown;
    void (*make)(const struct model *model, const struct model_object *object,
                 char out[VALUE_BYTES]);
};

static void put(char out[VALUE_BYTES], const char *text)
{
    (void)snprintf(out, VALUE_BYTES, "%s", text[0] != '\0' ? text : "N/A");
}

#define DOCUMENT_VALUE(name, field)                                                                \
    static void name(const struct model *model UNUSED, const struct model_object *object,          \
                     char out[VALUE_BYTES])                                                        \
    {                                                                                              \
        put(out, doc_text(object->doc, field));                                                    \
    }

DOCUMENT_VALUE(make_model, "model")
DOCUMENT_VALUE(make_serial, "serial")
DOCUMENT_VALUE(make_version, "firmware_version")
DOCUMENT_VALUE(make_firmware, "firmware")
DOCUMENT_VALUE(make_name, "name")

static void make_none(const struct model *model UNUSED, const struct model_object *object UNUSED,
                      char out[VALUE_BYTES])
{
    put(out, "N/A");
}

static void make_ports(const struct model *model, const struct model_object *object UNUSED,
                       char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%llu", (unsigned long long)controller_port_count(model));
}

static void make_drives(const struct model *model, const struct model_object *object UNUSED,
                        char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%u", controller_drive_count(model));
}

static void make_units(const struct model *model, const struct model_object *object UNUSED,
                       char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%u", model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count);
}

static void make_memory(const struct model *model UNUSED, const struct model_object *object,
                        char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%lluMB",
                   (unsigned long long)(doc_u64(object->doc, "cache_bytes") >> 20));
}

static const struct tw_attribute controller_attributes[] = {
    {"driver", "Driver Version", make_version},  {"model", "Model", make_model},
    {"memory", "Available Memory", make_memory}, {"firmware", "Firmware Version", make_version},
    {"bios", "Bios Version", make_none},         {"monitor", "Boot Loader Version", make_none},
    {"serial", "Serial Number", make_serial},    {"pcb", "PCB Version", make_none},
    {"pchip", "PCHIP Version", make_none},       {"achip", "ACHIP Version", make_none},
    {"numports", "Number of Ports", make_ports}, {"numdrives", "Number of Drives", make_drives},
    {"numunits", "Number of Units", make_units},
};

static void make_unit_status(const struct model *model, const struct model_object *object,
                             char out[VALUE_BYTES])
{
    put(out, tw_unit_status(model, object));
}

/* 3ware's own words where its presets are these; another preset goes by its name. */
static void make_storsave(const struct model *model UNUSED, const struct model_object *object,
                          char out[VALUE_BYTES])
{
    const char *preset = doc_text(object->doc, "preset");

    put(out, strncmp(preset, "storsave-", 9) == 0 ? preset + 9 : preset);
}

static const struct tw_attribute unit_attributes[] = {
    {"status", "status", make_unit_status},
    {"name", "name", make_name},
    {"storsave", "Storsave Policy", make_storsave},
};

static void make_port_status(const struct model *model UNUSED, const struct model_object *object,
                             char out[VALUE_BYTES])
{
    put(out, tw_port_status(object->doc));
}

static void make_sectors(const struct model *model UNUSED, const struct model_object *object,
                         char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%llu",
                   (unsigned long long)doc_u64(object->doc, "media_error_count"));
}

static void make_temperature(const struct model *model UNUSED, const struct model_object *object,
                             char out[VALUE_BYTES])
{
    put(out, "N/A");
    if (!doc_is_null(object->doc, "temperature_c")) {
        (void)snprintf(out, VALUE_BYTES, "%llu~C",
                       (unsigned long long)doc_u64(object->doc, "temperature_c"));
    }
}

static void make_link_speed(const struct model *model UNUSED, const struct model_object *object,
                            char out[VALUE_BYTES])
{
    put(out, "N/A");
    if (!doc_is_null(object->doc, "link_speed_mbps")) {
        (void)snprintf(out, VALUE_BYTES, "%.1f Gbps",
                       (double)doc_u64(object->doc, "link_speed_mbps") / 1000);
    }
}

static void make_capacity(const struct model *model UNUSED, const struct model_object *object,
                          char out[VALUE_BYTES])
{
    uint64_t bytes = doc_u64(object->doc, "size_bytes");

    (void)snprintf(out, VALUE_BYTES, "%.2f GB (%llu Blocks)", (double)bytes / 1e9,
                   (unsigned long long)(bytes / 512));
}

static void make_unit(const struct model *model, const struct model_object *object,
                      char out[VALUE_BYTES])
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    put(out, "N/A");
    for (uint32_t i = 0; i < vds->count; i++) {
        if (!doc_is_null(object->doc, "drive_group") &&
            strcmp(doc_text(vds->items[i].doc, "drive_group"),
                   doc_text(object->doc, "drive_group")) == 0) {
            (void)snprintf(out, VALUE_BYTES, "u%llu",
                           (unsigned long long)doc_u64(vds->items[i].doc, "index"));
            return;
        }
    }
}

static const struct tw_attribute port_attributes[] = {
    {"status", "Status", make_port_status},
    {"model", "Model", make_model},
    {"firmware", "Firmware Version", make_firmware},
    {"serial", "Serial", make_serial},
    {"capacity", "Capacity", make_capacity},
    {"rasect", "Reallocated Sectors", make_sectors},
    {"temperature", "Temperature", make_temperature},
    {"lspeed", "Link Speed", make_link_speed},
    {"unit", "Belongs to Unit", make_unit},
};

static void make_battery_ready(const struct model *model UNUSED, const struct model_object *object,
                               char out[VALUE_BYTES])
{
    put(out, doc_bool(object->doc, "protects") ? "Yes" : "No");
}

static void make_battery_status(const struct model *model UNUSED, const struct model_object *object,
                                char out[VALUE_BYTES])
{
    put(out, strcmp(doc_text(object->doc, "state"), "optimal") == 0
                 ? "OK"
                 : battery_state_shown(object->doc));
}

static void make_battery_online(const struct model *model UNUSED, const struct model_object *object,
                                char out[VALUE_BYTES])
{
    put(out, strcmp(doc_text(object->doc, "state"), "missing") == 0 ? "Off" : "On");
}

static void make_battery_degrees(const struct model *model UNUSED,
                                 const struct model_object *object, char out[VALUE_BYTES])
{
    put(out, "N/A");
    if (!doc_is_null(object->doc, "temperature_c")) {
        (void)snprintf(
            out, VALUE_BYTES, "%lld deg C",
            (long long)json_integer_value(json_object_get(object->doc, "temperature_c")));
    }
}

static void make_battery_voltage(const struct model *model UNUSED,
                                 const struct model_object *object, char out[VALUE_BYTES])
{
    put(out, tw_battery_is_low(object->doc) ? "LOW" : "OK");
}

static void make_battery_heat(const struct model *model UNUSED, const struct model_object *object,
                              char out[VALUE_BYTES])
{
    put(out, tw_battery_is_hot(object->doc) ? "HIGH" : "OK");
}

static const struct tw_attribute battery_attributes[] = {
    {"fw", "Firmware Version", make_none},
    {"bootloader", "Bootloader Version", make_none},
    {"pcb", "PCB Revision", make_none},
    {"instdate", "Battery Installation Date", make_none},
    {"serial", "Serial Number", make_serial},
    {"onlinestate", "Online State", make_battery_online},
    {"ready", "BBU Ready", make_battery_ready},
    {"status", "BBU Status", make_battery_status},
    {"volt", "Battery Voltage status", make_battery_voltage},
    {"temp", "Battery Temperature Status", make_battery_heat},
    {"tempval", "Battery Temperature Value", make_battery_degrees},
};

static const struct {
    const struct tw_attribute *list;
    size_t count;
} attributes[] = {
    [TW_SHELL] = {NULL, 0},
    [TW_CONTROLLER] = {controller_attributes,
                       sizeof(controller_attributes) / sizeof(controller_attributes[0])},
    [TW_UNIT] = {unit_attributes, sizeof(unit_attributes) / sizeof(unit_attributes[0])},
    [TW_PORT] = {port_attributes, sizeof(port_attributes) / sizeof(port_attributes[0])},
    [TW_BATTERY] = {battery_attributes, sizeof(battery_attributes) / sizeof(battery_attributes[0])},
};

/* One attribute, or all of them. */
static bool attributes_print(const struct model *model, const struct tw_request *request,
                             const struct model_object *object, const char *path)
{
    bool all = request->attribute == NULL || strcasecmp(request->attribute, "all") == 0;
    uint32_t count = 0;

    for (size_t i = 0; i < attributes[request->object].count; i++) {
        const struct tw_attribute *attribute = &attributes[request->object].list[i];
        char value[VALUE_BYTES];

        if (all || strcasecmp(request->attribute, attribute->typed) == 0) {
            attribute->make(model, object, value);
            (void)printf("%s %s = %s\n", path, attribute->shown, value);
            count++;
        }
    }
    return count > 0;
}

/* "rebuildstatus" … of a unit: a sentence, or how far it is. */
static bool unit_task_print(const struct model *model, const struct model_object *vd,
                            const char *attribute, const char *path)
{
    static const struct {
        const char *typed, *status, *verb;
    } tasks[] = {{"rebuildstatus", "REBUILDING", "rebuilding"},
                 {"verifystatus", "VERIFYING", "verifying"},
                 {"initializestatus", "INITIALIZING", "initializing"}};
    const char *status = tw_unit_status(model, vd);
    char percent[16];

    for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
        if (strcasecmp(attribute, tasks[i].typed) != 0) {
            continue;
        }
        if (strcmp(status, tasks[i].status) == 0) {
            (void)printf("%s is %s with percent completion = %s\n", path, tasks[i].verb,
                         tw_unit_percent(model, vd, percent));
        } else {
            (void)printf("%s is not %s, its current state is %s\n", path, tasks[i].verb, status);
        }
        return true;
    }
    return false;
}

static int complain(const char *text)
{
    (void)fputs(text, stdout);
    return 1;
}

/* The tables of a controller by the attribute that asks for one. */
static bool controller_table(struct cli_context *context, const char *attribute)
{
    const struct model *model = context->model;

    if (strcasecmp(attribute, "unitstatus") == 0 || strcasecmp(attribute, "allunitstatus") == 0) {
        tw_units_print(model, true);
    } else if (strcasecmp(attribute, "drivestatus") == 0) {
        tw_ports_print(model, true);
    } else if (strcasecmp(attribute, "bbustatus") == 0) {
        tw_battery_print(model, true);
    } else if (strcasecmp(attribute, "alarms") == 0) {
        return tw_alarms_print(context);
    } else {
        return false;
    }
    (void)fputc('\n', stdout);
    return true;
}

static void controller_tables(const struct model *model)
{
    (void)fputc('\n', stdout);
    tw_units_print(model, true);
    (void)fputc('\n', stdout);
    tw_ports_print(model, true);
    (void)fputc('\n', stdout);
    if (cli_battery(model) != NULL) {
        tw_battery_print(model, true);
        (void)fputc('\n', stdout);
    }
}

static int controller_show(struct cli_context *context, const struct tw_request *request,
                           const char *path)
{
    const char *attribute = request->attribute;
    bool all = attribute != NULL && strcasecmp(attribute, "all") == 0;

    if (attribute != NULL && !all && controller_table(context, attribute)) {
        return 0;
    }
    if (attribute != NULL &&
        !attributes_print(context->model, request, cli_controller(context), path)) {
        return complain(ERROR_ATTRIBUTE);
    }
    if (attribute == NULL || all) {
        controller_tables(context->model);
    }
    return 0;
}

static const struct model_object *object_find(const struct cli_context *context,
                                              const struct tw_request *request)
{
    static struct tw_port ports[TW_PORTS_MAX];
    const struct model *model = context->model;

    if (request->object == TW_UNIT) {
        return model_numbered(model, OBJECT_KIND_VIRTUAL_DRIVE, request->number);
    }
    if (request->object == TW_BATTERY) {
        return cli_battery(model);
    }
    uint32_t count = tw_ports(model, ports);
    for (uint32_t i = 0; i < count; i++) {
        if (ports[i].number == request->number) {
            return ports[i].drive;
        }
    }
    return NULL;
}

static int object_show(const struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *object = object_find(context, request);
    const char *attribute = request->attribute;
    char path[48];

    if (object == NULL) {
        return complain(ERROR_OBJECT);
    }
    if (request->object == TW_BATTERY) {
        (void)snprintf(path, sizeof(path), "/c%u/bbu", request->controller);
    } else {
        (void)snprintf(path, sizeof(path), "/c%u/%c%u", request->controller,
                       request->object == TW_UNIT ? 'u' : 'p', request->number);
    }
    if (request->object == TW_UNIT && attribute == NULL) {
        tw_unit_print(context->model, object);
        return 0;
    }
    if (request->object == TW_UNIT && unit_task_print(context->model, object, attribute, path)) {
        return 0;
    }
    return attributes_print(context->model, request, object, path) ? 0 : complain(ERROR_ATTRIBUTE);
}

/* The one setting that is said in 3ware's words: it is a preset. Where 3ware asks whether the risk
 * is accepted, it takes "quiet" here. */
static int storsave_set(struct cli_context *context, const struct tw_request *request)
{
    const char *profile = request->attribute != NULL ? strchr(request->attribute, '=') : NULL;
    const struct model_object *object = object_find(context, request);
    char message[REQUEST_TEXT_BYTES];

    if (profile == NULL || strncasecmp(request->attribute, "storsave=", 9) != 0) {
        return complain(ERROR_ATTRIBUTE);
    }
    if (object == NULL) {
        return complain(ERROR_OBJECT);
    }
    (void)printf("Setting Command Storsave Policy for unit /c%u/u%u to [%s] ... ",
                 request->controller, request->number, profile + 1);
    if (cli_execute(context, "vd_set",
                    json_pack("{s:s, s:s, s:b}", "virtual_drive", object->key, "preset",
                              storsave_preset(profile + 1), "accept_risk", request->quiet),
                    NULL, message) != 0) {
        (void)printf("Failed.\n%s%s\n\n", message,
                     request->quiet ? "" : " (quiet accepts the risk of a profile.)");
        return 1;
    }
    (void)printf("Done.\n\n");
    return 0;
}

/* Nothing has to be looked for: drives are noticed when they come. */
static int rescan(const struct cli_context *context)
{
    (void)printf("Rescanning controller /c%d for units and drives ...Done.\n"
                 "It has %u unit(s) and %u drive(s); new ones are noticed by themselves.\n\n",
                 context->number, context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count,
                 controller_drive_count(context->model));
    return 0;
}

static int request_execute(struct cli_context *context, const struct tw_request *request)
{
    char path[16];

    if (request->object == TW_SHELL && strcasecmp(request->verb, "show") == 0) {
        if (request->attribute != NULL && strcasecmp(request->attribute, "ver") == 0) {
            (void)printf("CLI Version = %s\nAPI Version = %s\n", CLI_VERSION_TEXT,
                         CLI_VERSION_TEXT);
            return 0;
        }
        tw_controllers_print(context);
        return 0;
    }
    if (request->object == TW_SHELL) {
        return complain(ERROR_COMMAND);
    }
    if (request->controller >= context->controller_count ||
        context->controllers[request->controller].model == NULL) {
        return complain(ERROR_CONTROLLER);
    }
    cli_controller_use(context, request->controller);
    if (cli_controller(context) == NULL) {
        return complain(ERROR_CONTROLLER);
    }
    (void)snprintf(path, sizeof(path), "/c%u", request->controller);
    if (request->object == TW_CONTROLLER && strcasecmp(request->verb, "rescan") == 0) {
        return rescan(context);
    }
    if (request->object == TW_UNIT && strcasecmp(request->verb, "set") == 0) {
        return storsave_set(context, request);
    }
    if (strcasecmp(request->verb, "show") != 0) {
        return complain(ERROR_COMMAND);
    }
    return request->object == TW_CONTROLLER ? controller_show(context, request, path)
                                            : object_show(context, request);
}

static int help_print(void)
{
    (void)fputs(
        "show | info                        controllers\n"
        "show ver                           versions\n"
        "/cX show [unitstatus|drivestatus|bbustatus|alarms|ATTRIBUTE|all]\n"
        "/cX/uX show [status|name|storsave|rebuildstatus|initializestatus|verifystatus|all]\n"
        "/cX/uX set storsave=protect|balance|perform [quiet]\n"
        "/cX/pX show [status|model|firmware|serial|capacity|rasect|temperature|all]\n"
        "/cX/bbu show [status|ready|volt|temp|tempval|onlinestate|all]\n"
        "/cX rescan                         counts units and drives\n"
        "info cX [unitstatus|drivestatus|bbustatus|uX|pX|bbu] [ATTRIBUTE]\n"
        "quit\n\n"
        "-f FILE runs a script. What else changes something is said in StorCLI's words: see\n"
        "\"arrayctl help\".\n",
        stdout);
    return 0;
}

static int words_run(struct cli_context *context, int count, char *const *words)
{
    struct tw_request request;

    if (count > 0 && strcasecmp(words[0], "help") == 0) {
        return help_print();
    }
    if (!request_read(count, words, &request)) {
        return complain(ERROR_COMMAND);
    }
    int code = request_execute(context, &request);
    return context->failed ? complain("Error: the connection to arrayd broke.\n") : code;
}

/* A line of a script or of the shell; true when it was the last. */
static bool line_run(struct cli_context *context, char *line, int *code)
{
    char *words[WORDS_MAX];
    char *rest = NULL;
    int count = 0;

    line[strcspn(line, "#\n")] = '\0';
    for (char *word = strtok_r(line, " \t", &rest); word != NULL && count < WORDS_MAX;
         word = strtok_r(NULL, " \t", &rest)) {
        words[count++] = word;
    }
    if (count == 0 || strcasecmp(words[0], "noscan") == 0) {
        return false;
    }
    if (strcasecmp(words[0], "quit") == 0 || strcasecmp(words[0], "exit") == 0) {
        return true;
    }
    *code = words_run(context, count, words);
    return false;
}

static int shell_run(struct cli_context *context, FILE *in, bool prompt)
{
    char line[LINE_BYTES];
    bool done = false;
    int code = 0;

    while (!done) {
        if (prompt) {
            (void)fputs("//localhost> ", stdout);
            (void)fflush(stdout);
        }
        done = fgets(line, sizeof(line), in) == NULL || line_run(context, line, &code);
    }
    return prompt ? 0 : code;
}

int tw_run(struct cli_context *context, int count, char *const *words)
{
    if (cli_controllers_open(context) == 0) {
        (void)printf("No controller found.\n%s\n", context->controllers[0].failure);
        return 1;
    }
    if (count == 2 && strcmp(words[0], "-f") == 0) {
        FILE *script = fopen(words[1], "re");
        int code = script != NULL ? shell_run(context, script, false)
                                  : complain("Error: (CLI:053) The script cannot be read.\n");

        if (script != NULL) {
            (void)fclose(script);
        }
        return code;
    }
    return count == 0 ? shell_run(context, stdin, true) : words_run(context, count, words);
}
