/*
 * tw_cli's settings and removals of units, ports, controllers and the battery. 3ware announces a
 * change and ends the line with "Done."; before one that costs data or redundancy it asks.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"
#include "cli/tw.h"

bool tw_agreed(const struct tw_request *request, const char *warning)
{
    char answer[16];

    if (request->quiet) {
        return true;
    }
    (void)printf("%s\nDo you want to continue ? Y|N [N]: ", warning);
    (void)fflush(stdout);
    bool agreed = fgets(answer, sizeof(answer), stdin) != NULL &&
                  (answer[0] == 'y' || answer[0] == 'Y') &&
                  (answer[1] == '\n' || strncasecmp(answer + 1, "es\n", 3) == 0);
    if (!agreed) {
        (void)fputc('\n', stdout);
    }
    return agreed;
}

int tw_fail(const char *why)
{
    (void)printf("Failed.\n\nError: (CLI:058) %s\n\n", why);
    return 1;
}

int tw_execute(struct cli_context *context, const char *op, json_t *args, const char *confirm)
{
    char message[REQUEST_TEXT_BYTES];

    if (cli_execute(context, op, args, confirm, message) != 0) {
        return tw_fail(message);
    }
    (void)fputs("Done.\n", stdout);
    if (strcmp(message, "-") != 0) {
        (void)printf("%s\n", message);
    }
    (void)fputc('\n', stdout);
    return 0;
}

/* Nothing has to be looked for: drives are noticed when they come. */
int tw_rescan(struct cli_context *context, const struct tw_request *request)
{
    uint32_t first = request->object == TW_SHELL ? 0 : request->controller;
    uint32_t end = request->object == TW_SHELL ? context->controller_count : first + 1;

    for (uint32_t i = first; i < end; i++) {
        if (context->controllers[i].model == NULL) {
            continue;
        }
        cli_controller_use(context, i);
        (void)printf("Rescanning controller /c%u for units and drives ...Done.\n"
                     "It has %u unit(s) and %u drive(s); new ones are noticed by themselves.\n\n",
                     i, context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count,
                     controller_drive_count(context->model));
    }
    return 0;
}

/* Units */

struct unit {
    const struct model_object *vd;
    const char *path;
    const char *value; /* what was typed for the setting */
    bool quiet;
};

static int vd_set(struct cli_context *context, const struct unit *unit, json_t *settings)
{
    json_t *args = json_pack("{s:s}", "virtual_drive", unit->vd->key);

    (void)json_object_update(args, settings);
    json_decref(settings);
    return tw_execute(context, "vd_set", args, NULL);
}

static bool is_on(const char *value)
{
    return strcasecmp(value, "on") == 0;
}

static int write_cache_set(struct cli_context *context, const struct unit *unit)
{
    (void)printf("Setting Write Cache Policy on %s to [%s] ... ", unit->path, unit->value);
    return vd_set(
        context, unit,
        json_pack("{s:s}", "write_policy", is_on(unit->value) ? "write_back" : "write_through"));
}

/* 3ware's basic read cache keeps what was read; its intelligent one reads ahead as well. */
static int read_cache_set(struct cli_context *context, const struct unit *unit)
{
    bool ahead = strcasecmp(unit->value, "intelligent") == 0;
    json_t *settings =
        json_pack("{s:s}", "read_policy", ahead ? "adaptive_read_ahead" : "no_read_ahead");

    (void)printf("Setting Read Cache Policy on %s to [%s] ... ", unit->path, unit->value);
    if (!ahead) {
        row_text(settings, "io_policy",
                 strcasecmp(unit->value, "basic") == 0 ? "cached" : "direct");
    }
    return vd_set(context, unit, settings);
}

static int name_set(struct cli_context *context, const struct unit *unit)
{
    (void)printf("Setting name of unit %s to [%s] ... ", unit->path, unit->value);
    return vd_set(context, unit, json_pack("{s:s}", "name", unit->value));
}

/* A profile is a preset. Where 3ware asks whether its risk is accepted, "quiet" accepts it. */
static int storsave_set(struct cli_context *context, const struct unit *unit)
{
    (void)printf("Setting Command Storsave Policy for unit %s to [%s] ... ", unit->path,
                 unit->value);
    int code = vd_set(context, unit,
                      json_pack("{s:s, s:b}", "preset", storsave_preset(unit->value), "accept_risk",
                                unit->quiet));

    if (code != 0 && !unit->quiet) {
        (void)fputs("quiet accepts the risk of a profile.\n\n", stdout);
    }
    return code;
}

static int patrol_mode_set(struct cli_context *context, bool on)
{
    return tw_execute(context, "controller_set",
                      json_pack("{s:s, s:s}", "controller", cli_controller(context)->key,
                                "patrol_mode", on ? "auto" : "manual"),
                      NULL);
}

/* All drives of a controller are verified by one patrol read. */
static int auto_verify_set(struct cli_context *context, const struct unit *unit)
{
    (void)printf("Auto-verify is the patrol read of all drives of /c%d.\n"
                 "Setting Auto-Verify Policy on %s to [%s] ... ",
                 context->number, unit->path, unit->value);
    return patrol_mode_set(context, is_on(unit->value));
}

static int drive_locate(struct cli_context *context, const char *key, bool on)
{
    return tw_execute(context, "drive_locate", json_pack("{s:s, s:b}", "drive", key, "on", on),
                      NULL);
}

/* Every drive of the unit. */
static int unit_identify(struct cli_context *context, const struct unit *unit)
{
    const struct model_object *group =
        model_find(context->model, OBJECT_KIND_DRIVE_GROUP, doc_text(unit->vd->doc, "drive_group"));
    const json_t *member;
    size_t index;
    int code = 0;

    json_array_foreach(json_object_get(group != NULL ? group->doc : NULL, "members"), index, member)
    {
        const struct model_object *drive =
            model_find(context->model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));

        if (drive == NULL || !doc_bool(drive->doc, "present")) {
            continue;
        }
        (void)printf("Setting Port Identify on /c%d/p%llu to [%s] ... ", context->number,
                     (unsigned long long)doc_u64(drive->doc, "did"), unit->value);
        code |= drive_locate(context, drive->key, is_on(unit->value));
    }
    return code;
}

/* What holds always: one value is accepted, the others have a reason. */
static int fixed(const struct unit *unit, const char *shown, const char *only, const char *why)
{
    (void)printf("Setting %s for unit %s to [%s] ... ", shown, unit->path, unit->value);
    if (strcasecmp(unit->value, only) != 0) {
        return tw_fail(why);
    }
    (void)fputs("Done.\n\n", stdout);
    return 0;
}

static int queuing_set(struct cli_context *context UNUSED, const struct unit *unit)
{
    return fixed(unit, "Command Queuing Policy", "on",
                 "Drives always queue commands; the operating system decides how many.");
}

static int ignore_ecc_set(struct cli_context *context UNUSED, const struct unit *unit)
{
    return fixed(unit, "Ignore ECC Policy", "on",
                 "A rebuild always goes on at an unreadable block, and records it as lost.");
}

static int rapid_recovery_set(struct cli_context *context UNUSED, const struct unit *unit)
{
    return fixed(unit, "Rapid RAID Recovery", "all",
                 "After an unclean stop only the regions that were being written are "
                 "resynchronized, and so it stays.");
}

/* Values: "" is any text. */
static const struct {
    const char *typed, *values;
    int (*set)(struct cli_context *context, const struct unit *unit);
} unit_settings[] = {
    {"cache|wrcache", "on|off", write_cache_set},
    {"rdcache", "off|basic|intelligent", read_cache_set},
    {"name", "", name_set},
    {"storsave", "", storsave_set},
    {"autoverify", "on|off", auto_verify_set},
    {"identify", "on|off", unit_identify},
    {"qpolicy", "on|off", queuing_set},
    {"ignoreECC", "on|off", ignore_ecc_set},
    {"rapidrecovery", "all|rebuild|disable", rapid_recovery_set},
};

static int value_refuse(const char *name, const char *values)
{
    (void)printf("Error: (CLI:112) %s= takes %s.\n", name, values);
    return 1;
}

/* The name before "=", and what is behind it; false: the word is no setting. */
static bool setting_read(const struct tw_request *request, char name[32], const char **ret_value)
{
    const char *word = tw_word(request, 0);
    size_t length = strcspn(word, "=");

    *ret_value = word + length + 1;
    if (length == 0 || length >= 32 || word[length] != '=') {
        return false;
    }
    memcpy(name, word, length);
    name[length] = '\0';
    return true;
}

int tw_unit_set(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *vd = tw_object_find(context, request);
    struct unit unit = {vd, request->path, NULL, request->quiet};
    char name[32];

    if (!setting_read(request, name, &unit.value) || request->word_count != 1) {
        return tw_complain(TW_ERROR_ATTRIBUTE);
    }
    if (vd == NULL) {
        return tw_complain(TW_ERROR_OBJECT);
    }
    for (size_t i = 0; i < sizeof(unit_settings) / sizeof(unit_settings[0]); i++) {
        const char *values = unit_settings[i].values;

        if (!word_is_one_of(name, unit_settings[i].typed)) {
            continue;
        }
        return values[0] != '\0' && !word_is_one_of(unit.value, values)
                   ? value_refuse(name, values)
                   : unit_settings[i].set(context, &unit);
    }
    return tw_complain(TW_ERROR_ATTRIBUTE);
}

int tw_unit_delete(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *vd = tw_object_find(context, request);
    const struct model_object *spare =
        vd == NULL ? tw_spare_find(context->model, request->number) : NULL;
    char warning[128];

    if ((vd == NULL && spare == NULL) || request->word_count != 0) {
        return tw_complain(request->word_count != 0 ? TW_ERROR_COMMAND : TW_ERROR_OBJECT);
    }
    (void)snprintf(warning, sizeof(warning),
                   spare != NULL
                       ? "Deleting %s leaves its drive without a use: it is a hot spare."
                       : "Deleting %s will cause the data on the unit to be permanently lost.",
                   request->path);
    if (!tw_agreed(request, warning)) {
        return 1;
    }
    (void)printf("Deleting unit %s ...", request->path + 1);
    if (spare != NULL) {
        return tw_execute(context, "spare_remove", json_pack("{s:s}", "drive", spare->key), NULL);
    }
    return tw_execute(context, "vd_delete", json_pack("{s:s}", "virtual_drive", vd->key),
                      doc_text(vd->doc, "name"));
}

/* Ports */

int tw_port_set(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *drive = tw_object_find(context, request);
    const char *value = tw_value(request, "identify");

    if (value == NULL || request->word_count != 1) {
        return tw_complain(TW_ERROR_ATTRIBUTE);
    }
    if (drive == NULL) {
        return tw_complain(TW_ERROR_OBJECT);
    }
    if (!word_is_one_of(value, "on|off")) {
        return value_refuse("identify", "on|off");
    }
    (void)printf("Setting Port Identify on %s to [%s] ... ", request->path, value);
    return drive_locate(context, drive->key, is_on(value));
}

/* So that it can be pulled: a member leaves its unit, the motor of any other drive stops. */
int tw_port_remove(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *drive = tw_object_find(context, request);
    char warning[96];

    if (drive == NULL || request->word_count != 0) {
        return tw_complain(drive == NULL ? TW_ERROR_OBJECT : TW_ERROR_COMMAND);
    }
    bool member = word_is_one_of(doc_text(drive->doc, "state"), "online|rebuild|copyback");
    (void)snprintf(warning, sizeof(warning), "Removing %s will take the port off-line.",
                   request->path);
    if (!tw_agreed(request, warning)) {
        return 1;
    }
    (void)printf("Removing port %s ... ", request->path);
    return tw_execute(context, member ? "drive_offline" : "drive_spindown",
                      json_pack("{s:s}", "drive", drive->key), NULL);
}

/* Controllers */

static int controller_execute(struct cli_context *context, const char *field, json_t *value)
{
    return tw_execute(
        context, "controller_set",
        json_pack("{s:s, s:o}", "controller", cli_controller(context)->key, field, value), NULL);
}

/* 5 is the fastest background work, 1 the fastest input and output. tw_rate() has it back. */
static int rate_set(struct cli_context *context, const char *shown, const char *field,
                    const char *value)
{
    static const int percents[] = {10, 30, 50, 75, 100};

    (void)printf("Setting %s on /c%d to [%s] ... ", shown, context->number, value);
    return controller_execute(context, field, json_integer(percents[value[0] - '1']));
}

/* verify=basic [pref=Fri:23], verify=disable */
static int verify_set(struct cli_context *context, const struct tw_request *request,
                      const char *value)
{
    const char *preference = tw_value(request, "pref");
    json_t *args = json_pack("{s:s, s:s}", "controller", cli_controller(context)->key,
                             "patrol_mode", word_is_one_of(value, "basic") ? "auto" : "manual");
    uint64_t at_us = 0;

    if (preference != NULL && !tw_preference_parse(preference, &at_us)) {
        json_decref(args);
        return value_refuse("pref", "a day and an hour, such as Fri:23");
    }
    if (word_is_one_of(value, "basic")) {
        row_number(args, "patrol_delay_hours", 7 * 24);
    }
    if (preference != NULL) {
        row_number(args, "patrol_next_at_us", at_us);
    }
    (void)printf("Setting Verify on /c%d to [%s] ... ", context->number, value);
    return tw_execute(context, "controller_set", args, NULL);
}

int tw_controller_set(struct cli_context *context, const struct tw_request *request)
{
    const char *value = NULL;
    char name[32];

    if (!setting_read(request, name, &value)) {
        return tw_complain(TW_ERROR_ATTRIBUTE);
    }
    if (word_is_one_of(name, "verify") && word_is_one_of(value, "basic|disable")) {
        return verify_set(context, request, value);
    }
    if (request->word_count != 1) {
        return tw_complain(TW_ERROR_ATTRIBUTE);
    }
    if (word_is_one_of(name, "rebuildrate|rebuild")) {
        return word_is_one_of(value, "1|2|3|4|5")
                   ? rate_set(context, "Rebuild Rate", "rebuild_rate_percent", value)
                   : value_refuse(name, "1|2|3|4|5");
    }
    if (word_is_one_of(name, "verifyrate|verify")) {
        return word_is_one_of(value, "1|2|3|4|5")
                   ? rate_set(context, "Verify Rate", "patrol_rate_percent", value)
                   : value_refuse(name, word_is_one_of(name, "verify") ? "basic|disable|1|2|3|4|5"
                                                                       : "1|2|3|4|5");
    }
    if (word_is_one_of(name, "autorebuild")) {
        if (!word_is_one_of(value, "on|off")) {
            return value_refuse(name, "on|off");
        }
        (void)printf("Setting Auto-Rebuild Policy on /c%d to [%s] ... ", context->number, value);
        return controller_execute(context, "auto_rebuild", json_boolean(is_on(value)));
    }
    return tw_complain(TW_ERROR_ATTRIBUTE);
}

/* The battery */

int tw_battery_test(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *battery = tw_object_find(context, request);

    if (battery == NULL || request->word_count != 0) {
        return tw_complain(battery == NULL ? TW_ERROR_OBJECT : TW_ERROR_COMMAND);
    }
    if (!tw_agreed(request, "The battery does not back up the write cache during the test, which "
                            "may take up to 24 hours.")) {
        return 1;
    }
    (void)printf("Sending test command to %s ... ", request->path);
    return tw_execute(context, "battery_learn", json_pack("{s:s}", "battery", battery->key), NULL);
}
