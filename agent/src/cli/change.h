/*
 * Everything arrayctl changes: the functions the command table names, and how the outcome
 * for several objects is told.
 */
#ifndef ARRAYWRIGHT_CLI_CHANGE_H
#define ARRAYWRIGHT_CLI_CHANGE_H

#include "cli/command.h"

/* What a command did to several objects. */
struct change {
    json_t *rows;
    int error;             /* of the first failure */
    bool noted;            /* one that was done has a message all the same */
    const char *verb;      /* for messages: "Start Drive Rebuild" */
    const char *operation; /* of virtual drives: "BGI" */
    const char *op;        /* the agent's command */
    json_t *(*make_args)(struct cli_context *context, const struct model_object *object);
    const char *away; /* code of the finding of drives that are gone and can be named; or NULL */
    const char *refusal; /* NULL; else the same for each drive, without asking the agent */
    const char *confirm; /* what was typed; "" vouches for the drive's serial number */
};

/* A row of the Detailed Status. */
void change_row_drive(struct change *change, const json_t *drive, int error, const char *message);
void change_row_vd(struct change *change, const json_t *vd, int error, const char *message);
/* Rows of objects that do not exist, and the answer. Takes `missing` and the change's rows. */
void change_finish(struct cli_context *context, struct change *change, json_t *missing);
/* op on every drive, or virtual drive, that was named. */
void change_drives(struct cli_context *context, struct change change);
void change_vds(struct cli_context *context, struct change change);

/* "start" … of the request; "pause" for "suspend". */
const char *change_task_word(const struct cli_context *context);
/* "yyyy/mm/dd hh", local time; the quotes may have come along. */
MUST_CHECK bool change_hour_parse(const char *typed, uint64_t *ret_at_us);
/* Asks on a terminal for the name that has to be typed; false: there is no terminal. */
bool change_name_ask(const char *warning, const char *path, const char *name, char out[80]);

/* policies.c */
const char *storsave_preset(const char *typed); /* "perform": 3ware's word for one; or itself */
/* Puts the preset that was typed, and whether its risks are accepted; false: none was typed. */
bool preset_put(const struct cli_context *context, json_t *args);

/* change_drive.c */
void change_drive_task(struct cli_context *context);
void change_drive_copyback(struct cli_context *context);
void change_drive_spare_add(struct cli_context *context);
void change_drive_spare_delete(struct cli_context *context);
void change_drive_set(struct cli_context *context);
void change_drive_performance_delete(struct cli_context *context);
void change_drive_erase(struct cli_context *context);
void change_drive_spin(struct cli_context *context);
void change_drive_locate(struct cli_context *context);
void change_drive_insert(struct cli_context *context);
/* change_vd.c */
void change_vd_delete(struct cli_context *context);
void change_vd_set(struct cli_context *context);
void change_vd_task(struct cli_context *context);
void change_vd_performance_delete(struct cli_context *context);
void change_vd_init(struct cli_context *context);
void change_vd_doubt_delete(struct cli_context *context);
/* flush.c */
void change_cache_flush(struct cli_context *context);
void change_vd_cache_flush(struct cli_context *context);
/* What is cached of a virtual drive, or of all (NULL), goes to the drives; waits until it has. 0,
 * or an error with its sentence. Objects of the controller are to be looked for anew. */
int cli_flush(struct cli_context *context, const struct model_object *vd,
              char message[REQUEST_TEXT_BYTES]);
/* check.c */
void change_vd_check_start(struct cli_context *context);
void change_vd_check(struct cli_context *context);
/* expand.c */
void change_vd_expand(struct cli_context *context);
/* measure.c */
void change_vd_measure_start(struct cli_context *context);
void change_vd_measure_stop(struct cli_context *context);
/* change_controller.c */
void change_controller_set(struct cli_context *context);
void change_controller_emergency(struct cli_context *context);
/* patrol.c */
void change_patrol_task(struct cli_context *context);
void change_patrol_set(struct cli_context *context);
/* change_battery.c */
void change_battery_learn(struct cli_context *context);
void change_battery_set(struct cli_context *context);
/* change_foreign.c */
void change_foreign_import(struct cli_context *context);
void change_foreign_clear(struct cli_context *context);
/* undo.c */
void change_undo_restore(struct cli_context *context);
/* stripes.c */
void change_stripe_add(struct cli_context *context);
void change_stripe_delete(struct cli_context *context);
/* clear_config.c */
void change_config_delete(struct cli_context *context);
/* add_vd.c */
void change_vd_add(struct cli_context *context);
/* Keys of the drives in these places; NULL with text if one is not there. The serial numbers of
 * those that carry something are appended to `serials`, unless that is NULL. */
json_t *change_drive_keys(const struct model *model, const struct cli_place *places, uint32_t count,
                          json_t *serials, char text[REQUEST_TEXT_BYTES]);
/* create.c */
void change_create_guided(struct cli_context *context);

#endif
