/*
 * The commands of arrayctl: one table, StorCLI's grammar. A row says which object, verb and
 * noun it is for and which options it takes; anything else typed is an error.
 */
#ifndef ARRAYWRIGHT_CLI_COMMAND_H
#define ARRAYWRIGHT_CLI_COMMAND_H

#include <stdio.h>

#include "cli/client.h"
#include "cli/model.h"
#include "cli/report.h"
#include "cli/request.h"

#define CLI_OPTIONS_MAX 24u

struct cli_option {
    const char *name;  /* as in the table, without '=' */
    const char *value; /* NULL: a flag */
};

struct cli_context {
    struct cli_request request;
    struct client *client;
    struct model *model;
    struct report report;
    uint32_t option_count;
    struct cli_option options[CLI_OPTIONS_MAX];
    char failure[CLIENT_TEXT_BYTES]; /* the connection broke: nothing else is printed */
    bool failed;
    bool absent_too; /* drives that were pulled can be named as well */
};

struct cli_command {
    enum cli_object object;
    const char *verb;    /* "delete|del" */
    const char *noun;    /* "rebuild", "bgi|init"; NULL: none */
    const char *options; /* "force name=": words that may follow, those with a value end in = */
    bool offline;        /* needs no controller picture */
    void (*run)(struct cli_context *context);
    const char *usage;
    const char *help;
};

extern const struct cli_command cli_commands[];
extern const uint32_t cli_command_count;

/* Finds the row and fills the options. NULL with text. */
const struct cli_command *cli_command_find(struct cli_context *context,
                                           char text[REQUEST_TEXT_BYTES]);
/* The part of "a|b" lists that a word equals, ignoring case; NULL if none. */
bool word_is_one_of(const char *word, const char *alternatives);

const char *option_value(const struct cli_context *context, const char *name); /* or NULL */
bool option_has(const struct cli_context *context, const char *name);

/* Every object the request names. visit(object) for those that exist; the numbers that were
 * named one by one and do not exist are appended to `missing` as failures. */
typedef void (*cli_visit)(struct cli_context *context, const struct model_object *object,
                          void *data);
void cli_each_drive(struct cli_context *context, json_t *missing, cli_visit visit, void *data);
void cli_each_numbered(struct cli_context *context, enum object_kind kind, json_t *missing,
                       cli_visit visit, void *data);
/* The picture of controller /cX. An agent has one: index 0. */
const struct model_object *cli_controller(const struct cli_context *context);

/* show.c */
/* Ends a "show": failure if something that was named is missing. Takes the references. */
void show_finish(struct cli_context *context, const char *description, json_t *missing,
                 json_t *data);
void show_host(struct cli_context *context);
void show_controller_count(struct cli_context *context);
void show_controller(struct cli_context *context);
void show_controller_all(struct cli_context *context);
void show_controller_property(struct cli_context *context);
void show_enclosure(struct cli_context *context);
void show_drive(struct cli_context *context);
void show_group(struct cli_context *context);
void show_vd(struct cli_context *context);
void show_rebuild(struct cli_context *context);
void show_vd_operation(struct cli_context *context);
void show_foreign(struct cli_context *context);
/* show_battery.c */
void show_battery(struct cli_context *context);
const struct model_object *cli_battery(const struct model *model); /* or NULL */
/* The battery if it goes by the name that was typed (bbu, cv); NULL: refused. */
const struct model_object *cli_battery_or_refuse(struct cli_context *context);
bool battery_is_vault(const json_t *doc);
const char *battery_state_shown(const json_t *doc);
uint32_t battery_status_number(const json_t *doc); /* StorCLI's "BBU Status" */
json_t *battery_summary_row(const json_t *doc);
/* preserved.c */
void show_preserved_cache(struct cli_context *context);
void change_preserved_delete(struct cli_context *context);
/* show_events.c */
void show_events(struct cli_context *context);

/* show_performance.c */
void show_drive_performance(struct cli_context *context);
void show_vd_performance(struct cli_context *context);

/* change.c */
void change_vd_delete(struct cli_context *context);
void change_vd_set(struct cli_context *context);
void change_vd_task(struct cli_context *context);
void change_controller_set(struct cli_context *context);
void change_drive_task(struct cli_context *context);
void change_drive_spare_add(struct cli_context *context);
void change_drive_spare_delete(struct cli_context *context);
void change_drive_set(struct cli_context *context);
void change_drive_performance_delete(struct cli_context *context);
void change_vd_performance_delete(struct cli_context *context);
void change_drive_locate(struct cli_context *context);
void change_drive_insert(struct cli_context *context);
/* change_battery.c */
void change_battery_learn(struct cli_context *context);
void change_battery_set(struct cli_context *context);
/* add_vd.c */
void change_vd_add(struct cli_context *context);

/* Runs one command on the agent. 0, or StorCLI's error number with its sentence. */
int cli_execute(struct cli_context *context, const char *op, json_t *args, const char *confirm,
                json_t *preconditions, char message[REQUEST_TEXT_BYTES]);
json_t *cli_precondition(enum object_kind kind, const struct model_object *object);

#endif
