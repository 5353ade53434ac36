/*
 * The front end that speaks 3ware's tw_cli: units are virtual drives, ports are drives.
 */
#ifndef ARRAYWRIGHT_CLI_TW_H
#define ARRAYWRIGHT_CLI_TW_H

#include "cli/command.h"

#define TW_WORDS_MAX 24u
#define TW_LINE_BYTES 512u
#define TW_ERROR_COMMAND "Error: (CLI:003) Specified command does not exist.\n"
#define TW_ERROR_CONTROLLER "Error: (CLI:008) The controller does not exist.\n"
#define TW_ERROR_OBJECT "Error: (CLI:053) The specified object does not exist.\n"
#define TW_ERROR_ATTRIBUTE "Error: (CLI:112) The attribute is not known.\n"

enum tw_object { TW_SHELL, TW_CONTROLLER, TW_UNIT, TW_PORT, TW_BATTERY };

/* One command: "/c0/u1 start rebuild disk=3 quiet". */
struct tw_request {
    enum tw_object object;
    uint32_t controller, number;
    char path[32];    /* of the object: "/c0/u1"; "" of the shell */
    const char *verb; /* "start" */
    uint32_t word_count;
    const char *words[TW_WORDS_MAX]; /* behind the verb, without quiet and noscan */
    bool quiet;                      /* what has to be agreed to is agreed to */
    char text[2 * TW_LINE_BYTES];    /* of words that an older form was rewritten to */
};

/* Was the program called by 3ware's name? */
bool tw_is_named(const char *program);
/* The words of one command, or none: then commands are read from the input, one per line. */
int tw_run(struct cli_context *context, int count, char *const *words);
/* tw.c: the controllers are open; the exit status. */
int tw_words_run(struct cli_context *context, int count, char *const *words);
/* Prints the line; 1. */
int tw_complain(const char *text);
/* The unit, port or battery that was named, or NULL. */
const struct model_object *tw_object_find(const struct cli_context *context,
                                          const struct tw_request *request);

/* tw_request.c: false if the words are no command. `request` keeps pointers to the words. */
MUST_CHECK bool tw_request_read(int count, char *const *words, struct tw_request *request);
/* The first word behind the verb; "" if there is none. */
const char *tw_word(const struct tw_request *request, uint32_t index);
/* Is one of the words this flag? */
bool tw_flag(const struct tw_request *request, const char *flag);
/* What stands behind "name=" in one of the words; NULL: none does. */
const char *tw_value(const struct tw_request *request, const char *name);

/* tw_shell.c: commands from the input, or from the lines of a file. */
int tw_shell_run(struct cli_context *context);
int tw_script_run(struct cli_context *context, const char *path);

/* tw_attributes.c: prints one attribute, or all of them; false: there is none of that name. */
MUST_CHECK bool tw_attributes_print(const struct model *model, const struct tw_request *request,
                                    const struct model_object *object);

/* tw_tables.c. Every table is begun by tw_table_begin; a command that has printed tables ends with
 * tw_tables_end. */
void tw_table_begin(const char *heading, uint32_t rule_columns);
void tw_tables_end(void);
struct tw_port { /* a drive and the number of its port */
    uint32_t number;
    const struct model_object *drive;
};
#define TW_PORTS_MAX 256u
uint32_t tw_ports(const struct model *model, struct tw_port ports[TW_PORTS_MAX]);
/* The drive of this port; NULL: none. */
const struct model_object *tw_port_find(const struct model *model, uint64_t number);
/* The hot spare that is shown as the unit of this number; NULL: that unit is none. */
const struct model_object *tw_spare_find(const struct model *model, uint64_t number);
/* The number of the unit that a hot spare is shown as. */
MUST_CHECK bool tw_spare_number(const struct model *model, const char *key, uint64_t *ret_number);
void tw_controllers_print(const struct cli_context *context);
void tw_units_print(const struct model *model);
void tw_unit_print(const struct model *model, const struct model_object *vd);
void tw_spare_print(const struct model_object *drive, uint64_t number);
void tw_ports_print(const struct model *model);
void tw_battery_print(const struct model *model);
const char *tw_unit_status(const struct model *model, const struct model_object *vd);
const char *tw_port_status(const json_t *drive);
/* Units that are not as they should be. */
uint32_t tw_units_bad(const struct model *model);
/* 1 to 5, from a percentage. */
unsigned tw_rate(uint64_t percent);
/* What the size is in 3ware's column: "1117.52". */
const char *tw_size_text(uint64_t bytes, char out[FORMAT_BYTES]);
/* "931.51 GB", "2.73 TB" */
const char *tw_drive_size_text(uint64_t bytes, char out[FORMAT_BYTES]);
/* The rebuild of a member of this virtual drive's group, or NULL. */
const json_t *tw_rebuild_of(const struct model *model, const struct model_object *vd);
/* How far what runs on a unit is: "45%", or "-". */
const char *tw_unit_percent(const struct model *model, const struct model_object *vd, char out[16]);
bool tw_battery_is_low(const json_t *battery);
bool tw_battery_is_hot(const json_t *battery);

/* tw_alarms.c: of the controller in use, or of all. False: the connection broke. */
MUST_CHECK bool tw_alarms_print(struct cli_context *context, bool all, bool reverse);
MUST_CHECK bool tw_diagnosis_print(struct cli_context *context);

/* tw_change.c */
int tw_rescan(struct cli_context *context, const struct tw_request *request);
int tw_unit_set(struct cli_context *context, const struct tw_request *request);
int tw_unit_delete(struct cli_context *context, const struct tw_request *request);
int tw_port_set(struct cli_context *context, const struct tw_request *request);
int tw_port_remove(struct cli_context *context, const struct tw_request *request);
int tw_controller_set(struct cli_context *context, const struct tw_request *request);
/* Of all controllers, of one, or of a unit. */
int tw_flush(struct cli_context *context, const struct tw_request *request);
int tw_battery_test(struct cli_context *context, const struct tw_request *request);
/* Is it agreed to what the line warns of? By "quiet", or by an answer to 3ware's question. */
MUST_CHECK bool tw_agreed(const struct tw_request *request, const char *warning);
/* Runs a command whose announcement stands on the line; says what became of it. 0 or 1. */
int tw_execute(struct cli_context *context, const char *op, json_t *args, const char *confirm);
/* "Failed." and why; 1. */
int tw_fail(const char *why);

/* tw_work.c: start, stop, pause and resume */
int tw_unit_start(struct cli_context *context, const struct tw_request *request);
int tw_unit_stop(struct cli_context *context, const struct tw_request *request);
int tw_rebuild_pause(struct cli_context *context, const struct tw_request *request);
int tw_media_scan(struct cli_context *context, const struct tw_request *request);

/* tw_create.c */
int tw_unit_add(struct cli_context *context, const struct tw_request *request);
/* The drives of the ports in "0:1:4-6"; NULL with text if that is no list of ports. The serial
 * numbers of those that carry something are appended to `serials`. */
MUST_CHECK json_t *tw_disk_keys(const struct model *model, const char *list, json_t *serials,
                                char text[REQUEST_TEXT_BYTES]);

/* tw_unsupported.c: what 3ware's program has and this has not. NULL: the command is none of it. */
const char *tw_unsupported(const struct tw_request *request);
void tw_unsupported_print(void);

/* tw_schedule.c: when the patrol read that 3ware calls basic verify begins next, from "Fri:23";
 * false: that is no day and hour. */
MUST_CHECK bool tw_preference_parse(const char *typed, uint64_t *ret_at_us);
/* "rebuild", "verify" or "selftest" of the controller in use; false: it is none. */
MUST_CHECK bool tw_schedule_print(const struct cli_context *context, const char *task);

#endif
