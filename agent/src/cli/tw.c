/*
 * tw_cli's commands: what each of them is about, and everything that only shows.
 */
#include "cli/tw.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/show.h"

bool tw_is_named(const char *program)
{
    const char *name = strrchr(program, '/');

    name = name != NULL ? name + 1 : program;
    return strcmp(name, "tw_cli") == 0 || strcmp(name, "tw_cli64") == 0;
}

int tw_complain(const char *text)
{
    (void)fputs(text, stdout);
    return 1;
}

static int table_end(void)
{
    tw_tables_end();
    return 0;
}

/* The shell */

static int versions_show(void)
{
    (void)printf("CLI Version = %s\nAPI Version = %s\n", CLI_VERSION_TEXT, CLI_VERSION_TEXT);
    return 0;
}

/* The schedules or the diagnosis of every controller. */
static int each_controller_show(struct cli_context *context, const struct tw_request *request)
{
    bool diagnosis = word_is_one_of(tw_word(request, 0), "diag");

    for (uint32_t i = 0; i < context->controller_count; i++) {
        if (context->controllers[i].model == NULL) {
            continue;
        }
        cli_controller_use(context, i);
        if (cli_controller(context) == NULL) {
            continue;
        }
        if (!(diagnosis ? tw_diagnosis_print(context)
                        : tw_schedule_print(context, tw_word(request, 0)))) {
            return 1;
        }
    }
    return 0;
}

static int shell_show(struct cli_context *context, const struct tw_request *request)
{
    const char *attribute = tw_word(request, 0);

    if (attribute[0] == '\0') {
        tw_controllers_print(context);
        return 0;
    }
    if (word_is_one_of(attribute, "ver")) {
        return versions_show();
    }
    if (word_is_one_of(attribute, "alarms|AENs|events")) {
        return tw_alarms_print(context, true, tw_flag(request, "reverse")) ? 0 : 1;
    }
    if (word_is_one_of(attribute, "diag|rebuild|verify|selftest")) {
        return each_controller_show(context, request);
    }
    return tw_complain(TW_ERROR_ATTRIBUTE);
}

/* Controllers */

static int controller_tables(const struct model *model)
{
    tw_units_print(model);
    tw_ports_print(model);
    if (cli_battery(model) != NULL) {
        tw_battery_print(model);
    }
    return table_end();
}

static int controller_show(struct cli_context *context, const struct tw_request *request)
{
    const struct model *model = context->model;
    const char *attribute = tw_word(request, 0);

    if (attribute[0] == '\0') {
        return controller_tables(model);
    }
    if (word_is_one_of(attribute, "unitstatus")) {
        tw_units_print(model);
        return table_end();
    }
    if (word_is_one_of(attribute, "drivestatus")) {
        tw_ports_print(model);
        return table_end();
    }
    if (word_is_one_of(attribute, "bbustatus")) {
        tw_battery_print(model);
        return table_end();
    }
    if (word_is_one_of(attribute, "alarms|AENs|events")) {
        return tw_alarms_print(context, false, tw_flag(request, "reverse")) ? 0 : 1;
    }
    if (word_is_one_of(attribute, "diag")) {
        return tw_diagnosis_print(context) ? 0 : 1;
    }
    if (tw_schedule_print(context, attribute)) {
        return 0;
    }
    if (!tw_attributes_print(model, request, cli_controller(context))) {
        return tw_complain(TW_ERROR_ATTRIBUTE);
    }
    return word_is_one_of(attribute, "all") ? controller_tables(model) : 0;
}

/* Units, ports and the battery */

const struct model_object *tw_object_find(const struct cli_context *context,
                                          const struct tw_request *request)
{
    const struct model *model = context->model;

    switch (request->object) {
    case TW_UNIT:
        return model_numbered(model, OBJECT_KIND_VIRTUAL_DRIVE, request->number);
    case TW_PORT:
        return tw_port_find(model, request->number);
    case TW_BATTERY:
        return cli_battery(model);
    case TW_CONTROLLER:
        return cli_controller(context);
    case TW_SHELL:
        break;
    }
    return NULL;
}

/* A hot spare is a unit that has a status and nothing else. */
static int spare_show(const struct model_object *spare, const struct tw_request *request)
{
    if (request->word_count == 0) {
        tw_spare_print(spare, request->number);
        return table_end();
    }
    if (!word_is_one_of(tw_word(request, 0), "status|all")) {
        return tw_complain(TW_ERROR_ATTRIBUTE);
    }
    (void)printf("%s status = %s\n", request->path, tw_port_status(spare->doc));
    return 0;
}

static int object_show(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *object = tw_object_find(context, request);
    bool unit = request->object == TW_UNIT;

    if (object == NULL && unit) {
        const struct model_object *spare = tw_spare_find(context->model, request->number);

        return spare != NULL ? spare_show(spare, request) : tw_complain(TW_ERROR_OBJECT);
    }
    if (object == NULL) {
        return tw_complain(TW_ERROR_OBJECT);
    }
    if (unit && request->word_count == 0) {
        tw_unit_print(context->model, object);
        return table_end();
    }
    struct tw_request all = *request;
    if (request->word_count == 0) {
        all.words[all.word_count++] = "all";
    }
    if (!tw_attributes_print(context->model, &all, object)) {
        return tw_complain(TW_ERROR_ATTRIBUTE);
    }
    if (unit && word_is_one_of(tw_word(request, 0), "all")) {
        tw_unit_print(context->model, object);
        return table_end();
    }
    return 0;
}

/* All commands. */
static const struct {
    enum tw_object object;
    const char *verb;
    int (*run)(struct cli_context *context, const struct tw_request *request);
} commands[] = {
    {TW_SHELL, "show", shell_show},
    {TW_SHELL, "rescan", tw_rescan},
    {TW_SHELL, "flush", tw_flush},
    {TW_CONTROLLER, "show", controller_show},
    {TW_CONTROLLER, "rescan", tw_rescan},
    {TW_CONTROLLER, "flush", tw_flush},
    {TW_CONTROLLER, "add", tw_unit_add},
    {TW_CONTROLLER, "set", tw_controller_set},
    {TW_CONTROLLER, "start|stop", tw_media_scan},
    {TW_UNIT, "show", object_show},
    {TW_UNIT, "set", tw_unit_set},
    {TW_UNIT, "del", tw_unit_delete},
    {TW_UNIT, "flush", tw_flush},
    {TW_UNIT, "start", tw_unit_start},
    {TW_UNIT, "stop", tw_unit_stop},
    {TW_UNIT, "pause|resume", tw_rebuild_pause},
    {TW_PORT, "show", object_show},
    {TW_PORT, "set", tw_port_set},
    {TW_PORT, "remove|export", tw_port_remove},
    {TW_BATTERY, "show", object_show},
    {TW_BATTERY, "test", tw_battery_test},
};

static int request_execute(struct cli_context *context, const struct tw_request *request)
{
    if (request->object != TW_SHELL) {
        if (request->controller >= context->controller_count ||
            context->controllers[request->controller].model == NULL) {
            return tw_complain(TW_ERROR_CONTROLLER);
        }
        cli_controller_use(context, request->controller);
        if (cli_controller(context) == NULL) {
            return tw_complain(TW_ERROR_CONTROLLER);
        }
    }
    const char *why = tw_unsupported(request);
    if (why != NULL) {
        (void)printf("Error: (CLI:144) Not supported by this controller: %s.\n", why);
        return 1;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (commands[i].object == request->object &&
            word_is_one_of(request->verb, commands[i].verb)) {
            return commands[i].run(context, request);
        }
    }
    return tw_complain(TW_ERROR_COMMAND);
}

static int help_print(const char *topic)
{
    if (topic != NULL && word_is_one_of(topic, "unsupported")) {
        tw_unsupported_print();
        return 0;
    }
    (void)fputs(
        "show | info                        controllers\n"
        "show ver|alarms|events|AENs|diag|rebuild|verify|selftest [reverse]\n"
        "/cX show [unitstatus|drivestatus|bbustatus|alarms|diag|verify|ATTRIBUTE|all]\n"
        "/cX add type=raid0|raid1|raid5|raid6|raid10|raid50|single|spare disk=0:1:2-5\n"
        "    [stripe=KB] [group=DRIVES] [name=NAME] [storsave=PROFILE] [nocache] [nordcache]\n"
        "/cX set rebuildrate=1..5 | verifyrate=1..5 | autorebuild=on|off\n"
        "/cX set verify=basic [pref=Fri:23] | verify=disable\n"
        "/cX start|stop mediascan           a patrol read\n"
        "/cX rescan                         counts units and drives\n"
        "/cX/uX show [status|name|storsave|rebuildstatus|initializestatus|verifystatus\n"
        "    |migratestatus|all]\n"
        "/cX/uX set cache=on|off | rdcache=off|basic|intelligent | name=NAME\n"
        "/cX/uX set autoverify=on|off | identify=on|off | storsave=protect|balance|perform\n"
        "/cX/uX start verify | stop verify | start rebuild disk=PORTS\n"
        "/cX/uX pause rebuild | resume rebuild\n"
        "/cX/uX del                         deletes the unit\n"
        "/cX[/uX] flush                     writes the cache to the drives\n"
        "/cX/pX show [status|model|firmware|serial|capacity|rasect|temperature|all]\n"
        "/cX/pX set identify=on|off | /cX/pX remove\n"
        "/cX/bbu show [status|ready|volt|temp|tempval|onlinestate|all] | /cX/bbu test\n"
        "info cX [unitstatus|drivestatus|bbustatus|uX|pX|bbu] [ATTRIBUTE]\n"
        "maint createunit|deleteunit|rebuild|verify|mediascan|flush|remove|rescan cX ...\n"
        "flush [cX [uX]]\n"
        "alarms [cX] [reverse]              sched rebuild|verify|selftest [cX]\n"
        "focus /cX[/uX|/pX] | .. | /        what commands without an address are about\n"
        "quit\n\n"
        "quiet behind a command answers its question with Y. -f FILE runs a script.\n"
        "help unsupported lists what 3ware's program has and this has not.\n",
        stdout);
    return 0;
}

int tw_words_run(struct cli_context *context, int count, char *const *words)
{
    struct tw_request request;

    if (count > 0 && strcasecmp(words[0], "help") == 0) {
        return help_print(count > 1 ? words[1] : NULL);
    }
    if (!tw_request_read(count, words, &request)) {
        return tw_complain(TW_ERROR_COMMAND);
    }
    int code = request_execute(context, &request);
    return context->failed ? tw_complain("Error: the connection to arrayd broke.\n") : code;
}

int tw_run(struct cli_context *context, int count, char *const *words)
{
    if (count > 0 && strcasecmp(words[0], "help") == 0) { /* also without arrayd */
        return help_print(count > 1 ? words[1] : NULL);
    }
    if (cli_controllers_open(context) == 0) {
        (void)printf("\nNo controller found.\n%s\n\n", context->controllers[0].failure);
        return 1;
    }
    if (count == 2 && strcmp(words[0], "-f") == 0) {
        return tw_script_run(context, words[1]);
    }
    return count == 0 ? tw_shell_run(context) : tw_words_run(context, count, words);
}
