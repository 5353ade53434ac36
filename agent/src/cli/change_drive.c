/*
 * Commands on drives.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/change.h"
#include "cli/rows.h"

static json_t *args_drive(struct cli_context *context UNUSED, const struct model_object *drive)
{
    return json_pack("{s:s}", "drive", drive->key);
}

static json_t *args_rebuild(struct cli_context *context, const struct model_object *drive)
{
    return json_pack("{s:s, s:s}", "drive", drive->key, "action", change_task_word(context));
}

void change_drive_task(struct cli_context *context)
{
    char verb[64];

    (void)snprintf(verb, sizeof(verb), "%s Drive Rebuild", change_task_word(context));
    verb[0] = (char)(verb[0] - 'a' + 'A');
    change_drives(context,
                  (struct change){.verb = verb, .op = "rebuild", .make_args = args_rebuild});
}

/* The key of the drive that target= names, as a list; NULL with text if there is none. */
static json_t *target_keys(const struct cli_context *context, char text[REQUEST_TEXT_BYTES])
{
    const char *typed = option_value(context, "target");
    struct cli_place places[1];
    uint32_t count = 0;

    if (typed == NULL || !places_parse(typed, places, 1, &count)) {
        (void)snprintf(text, REQUEST_TEXT_BYTES,
                       "target= must name the drive to be filled as enclosure:slot, or as :number "
                       "outside the enclosures");
        return NULL;
    }
    return change_drive_keys(context->model, places, count, NULL, text);
}

static json_t *args_copyback(struct cli_context *context, const struct model_object *drive)
{
    json_t *args =
        json_pack("{s:s, s:s}", "drive", drive->key, "action", change_task_word(context));
    char text[REQUEST_TEXT_BYTES];
    json_t *target = target_keys(context, text);

    if (target != NULL) {
        (void)json_object_set(args, "target", json_array_get(target, 0));
    }
    json_decref(target);
    return args;
}

void change_drive_copyback(struct cli_context *context)
{
    char verb[64];

    (void)snprintf(verb, sizeof(verb), "%s Drive Copyback", change_task_word(context));
    verb[0] = (char)(verb[0] - 'a' + 'A');
    if (strcmp(change_task_word(context), "start") == 0) {
        char text[REQUEST_TEXT_BYTES];
        json_t *target = target_keys(context, text);

        if (target == NULL) {
            cli_refuse(context, "Start Drive Copyback Failed.", CLI_ERROR_GENERIC, text);
            return;
        }
        json_decref(target);
    }
    change_drives(context,
                  (struct change){.verb = verb, .op = "copyback", .make_args = args_copyback});
}

static json_t *args_counters(struct cli_context *context UNUSED, const struct model_object *drive)
{
    return json_pack("{s:s, s:s}", "kind", "drive", "key", drive->key);
}

void change_drive_performance_delete(struct cli_context *context)
{
    change_drives(context, (struct change){.verb = "Delete Drive Performance",
                                           .op = "counters_reset",
                                           .make_args = args_counters});
}

static bool is_start(const struct cli_context *context)
{
    return strcasecmp(context->request.words[0], "start") == 0;
}

void change_drive_spin(struct cli_context *context)
{
    bool down = strcasecmp(context->request.words[0], "spindown") == 0;

    change_drives(context, (struct change){.verb = down ? "Spin Down Drive" : "Spin Up Drive",
                                           .op = down ? "drive_spindown" : "drive_spinup",
                                           .make_args = args_drive});
}

/* The way that was typed; "simple" if none was, NULL if several were. */
static const char *erase_mode_typed(const struct cli_context *context)
{
    static const char *const modes[] = {"simple",    "normal",   "thorough",
                                        "threepass", "standard", "crypto"};
    const char *typed = "simple";
    uint32_t count = 0;

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (option_has(context, modes[i])) {
            typed = modes[i];
            count++;
        }
    }
    return count <= 1 ? typed : NULL;
}

static json_t *args_erase(struct cli_context *context, const struct model_object *drive)
{
    json_t *args = json_pack("{s:s, s:s}", "drive", drive->key, "action",
                             is_start(context) ? "start" : "stop");
    uint64_t pattern = 0;

    if (!is_start(context)) {
        return args;
    }
    row_text(args, "mode", erase_mode_typed(context));
    if (option_number(context, "patternA", &pattern)) {
        row_number(args, "pattern_a", pattern);
    }
    if (option_number(context, "patternB", &pattern)) {
        row_number(args, "pattern_b", pattern);
    }
    if (option_has(context, "force")) {
        (void)json_object_set_new(args, "force", json_true());
    }
    return args;
}

static const char *erase_problem(const struct cli_context *context)
{
    const char *mode = erase_mode_typed(context);
    uint64_t pattern = 0;

    if (mode == NULL) {
        return "say one of simple, normal, thorough and threepass";
    }
    if (strcmp(mode, "crypto") == 0 || strcmp(mode, "standard") == 0) {
        return "a drive's own ways to erase itself are not supported; say simple, normal, thorough "
               "or threepass";
    }
    if ((option_has(context, "patternA") &&
         (!option_number(context, "patternA", &pattern) || pattern > UINT8_MAX)) ||
        (option_has(context, "patternB") &&
         (!option_number(context, "patternB", &pattern) || pattern > UINT8_MAX))) {
        return "a pattern must be a number up to 255";
    }
    if (option_value(context, "confirm") != NULL) {
        return NULL;
    }
    if (!option_has(context, "force")) {
        return "Everything on the drive would be lost. Repeat with force, or with confirm=<its "
               "serial number>";
    }
    if (context->request.controllers.all || context->request.enclosures.all ||
        context->request.drives.all) {
        return "\"all\" is too much to erase with force: name the controller, the enclosure and "
               "the drives, as in /c0/e252/s3,5";
    }
    return NULL;
}

/* "" vouches for the serial number of each drive that is named. */
static const char *erase_confirm(const struct cli_context *context)
{
    const char *typed = option_value(context, "confirm");

    return typed != NULL ? typed : "";
}

void change_drive_erase(struct cli_context *context)
{
    change_drives(context, (struct change){
                               .refusal = is_start(context) ? erase_problem(context) : NULL,
                               .verb = is_start(context) ? "Start Drive Erase" : "Stop Drive Erase",
                               .op = "drive_erase",
                               .make_args = args_erase,
                               .confirm = is_start(context) ? erase_confirm(context) : NULL});
}

static json_t *args_locate(struct cli_context *context, const struct model_object *drive)
{
    json_t *args = json_pack("{s:s, s:b}", "drive", drive->key, "on", is_start(context));
    uint64_t seconds = 0;

    if (is_start(context) && option_number(context, "seconds", &seconds)) {
        row_number(args, "seconds", seconds);
    }
    return args;
}

void change_drive_locate(struct cli_context *context)
{
    uint64_t seconds = 0;

    if (option_has(context, "seconds") && !option_number(context, "seconds", &seconds)) {
        cli_refuse(context, "Start Drive Locate Failed.", CLI_ERROR_GENERIC,
                   "seconds= must be a number");
        return;
    }
    change_drives(context, (struct change){.verb = is_start(context) ? "Start Drive Locate"
                                                                     : "Stop Drive Locate",
                                           .op = "drive_locate",
                                           .make_args = args_locate});
}

/* The keys of the groups in "dgs=0,2-3"; NULL with text if one does not exist. */
static json_t *groups_parse(const struct cli_context *context, const char *text,
                            char message[REQUEST_TEXT_BYTES])
{
    struct cli_numbers numbers;
    const char *end = NULL;
    json_t *keys = json_array();

    if (!numbers_parse(text, &numbers, &end) || *end != '\0') {
        (void)snprintf(message, REQUEST_TEXT_BYTES, "dgs= must name drive groups: dgs=0,1");
        json_decref(keys);
        return NULL;
    }
    for (uint32_t i = 0; i < numbers.count; i++) {
        const struct model_object *group =
            model_numbered(context->model, OBJECT_KIND_DRIVE_GROUP, numbers.values[i]);

        if (group == NULL) {
            (void)snprintf(message, REQUEST_TEXT_BYTES, "there is no drive group %u",
                           numbers.values[i]);
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
    char message[REQUEST_TEXT_BYTES];

    if (groups != NULL) {
        (void)json_object_set_new(args, "drive_groups", groups_parse(context, groups, message));
    }
    if (option_has(context, "enclaffinity")) {
        (void)json_object_set_new(args, "enclosure_affinity", json_true());
    }
    if (option_has(context, "nonrevertible")) {
        (void)json_object_set_new(args, "non_revertible", json_true());
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
    char message[REQUEST_TEXT_BYTES];
    json_t *groups = text != NULL ? groups_parse(context, text, message) : NULL;

    if (text != NULL && groups == NULL) {
        cli_refuse(context, "Add Hot Spare Failed.", CLI_ERROR_GENERIC, message);
        return;
    }
    json_decref(groups);
    change_drives(
        context,
        (struct change){.verb = "Add Hot Spare", .op = "spare_add", .make_args = args_spare});
}

void change_drive_spare_delete(struct cli_context *context)
{
    change_drives(context, (struct change){.verb = "Delete Hot Spare",
                                           .op = "spare_remove",
                                           .make_args = args_drive,
                                           .away = "spare_missing"});
}

static json_t *args_insert(struct cli_context *context, const struct model_object *drive)
{
    uint64_t group = 0;
    uint64_t array = 0;
    uint64_t row = 0;

    (void)option_number(context, "dg", &group); /* checked by change_drive_insert */
    (void)option_number(context, "array", &array);
    (void)option_number(context, "row", &row);
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

    if (!option_number(context, "dg", &number) ||
        model_numbered(context->model, OBJECT_KIND_DRIVE_GROUP, number) == NULL ||
        !option_number(context, "array", &number) || !option_number(context, "row", &number)) {
        cli_refuse(context, "Insert Drive Failed.", CLI_ERROR_GENERIC,
                   "dg=, array= and row= must name the place of a lost member");
        return;
    }
    change_drives(
        context,
        (struct change){.verb = "Insert Drive", .op = "drive_replace", .make_args = args_insert});
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

        if (option_number(context, numbers[i].option, &value)) {
            row_number(args, numbers[i].argument, value);
        }
    }
    return args;
}

void change_drive_set(struct cli_context *context)
{
    const char *confirm = option_value(context, "confirm");
    bool good = option_has(context, "good");
    bool offline = option_has(context, "offline");
    bool online = option_has(context, "online");
    bool missing = option_has(context, "missing");
    bool jbod = option_has(context, "jbod");
    bool fault = option_has(context, "fault");

    if (good + offline + online + missing + jbod + fault != 1) {
        cli_refuse(context, "Set Drive Failed.", CLI_ERROR_GENERIC,
                   "say one of good, offline, online, missing, jbod and fault=");
    } else if (good) {
        change_drives(context, (struct change){.verb = "Set Drive Good",
                                               .op = "drive_good",
                                               .make_args = args_good,
                                               .confirm = confirm != NULL                ? confirm
                                                          : option_has(context, "force") ? ""
                                                                                         : NULL});
    } else if (online) {
        change_drives(context, (struct change){.verb = "Set Drive Online",
                                               .op = "drive_online",
                                               .make_args = args_drive});
    } else if (missing) {
        change_drives(context, (struct change){.verb = "Set Drive Missing",
                                               .op = "drive_missing",
                                               .make_args = args_drive,
                                               .away = "drive_removed"});
    } else if (jbod) {
        change_drives(
            context,
            (struct change){.verb = "Set Drive JBOD", .op = "drive_jbod", .make_args = args_drive});
    } else {
        change_drives(context,
                      (struct change){.verb = offline ? "Set Drive Offline" : "Set Drive Fault",
                                      .op = offline ? "drive_offline" : "fault_inject",
                                      .make_args = offline ? args_drive : args_fault});
    }
}
