/*
 * Everything arrayctl shows: the functions the command table names.
 */
#ifndef ARRAYWRIGHT_CLI_SHOW_H
#define ARRAYWRIGHT_CLI_SHOW_H

#include "cli/command.h"

/* Ends a "show": failure if something that was named is missing. Takes the references. */
void show_finish(struct cli_context *context, const char *description, json_t *missing,
                 json_t *data);

/* show_host.c */
void show_host(struct cli_context *context);
void show_controller_count(struct cli_context *context);
void show_legacy_adapter(struct cli_context *context);
/* show_controller.c */
void show_controller(struct cli_context *context);
void show_controller_all(struct cli_context *context);
const char *controller_status_shown(const json_t *controller);
uint32_t controller_drive_count(const struct model *model); /* drives that are present */
uint64_t controller_port_count(const struct model *model);
/* show_property.c */
void show_free_space(struct cli_context *context);
void show_controller_property(struct cli_context *context);
#define PROPERTY_VALUE_BYTES 64u
/* The value of the first row that "show <noun>" has; NULL: there is no such property. Of
 * `controller` only the fields of this property are looked at. */
const char *controller_property(const json_t *controller, const char *noun,
                                char out[PROPERTY_VALUE_BYTES]);
/* Do consistency checks begin by themselves? */
bool check_is_scheduled(void);
/* check.c: of the last consistency check, if there was one, and what it has found first. */
#define CHECK_TEXT_BYTES 200u
void check_text(const json_t *vd, char out[CHECK_TEXT_BYTES]); /* "": there was none */
void check_rows(const struct model_object *vd, json_t *results, json_t *places);
/* patrol.c */
#define PATROL_TEXT_BYTES 400u
bool patrol_is_scheduled(const json_t *controller); /* it begins by itself */
void patrol_rows(const struct model *model, json_t *rows); /* Ctrl_Prop and Value */
/* When it was last patrolled, or why it is not; "" if the agent does not say. */
void patrol_drive_text(const json_t *drive, char out[PATROL_TEXT_BYTES]);
/* show_objects.c */
void show_enclosure(struct cli_context *context);
void show_drive(struct cli_context *context);
void show_group(struct cli_context *context);
void show_vd(struct cli_context *context);
void show_foreign(struct cli_context *context);
/* What an import would do. */
void show_foreign_preview(struct cli_context *context);
/* The answer to the query `foreign`; NULL: the connection broke. */
json_t *foreign_ask(struct cli_context *context);
/* show_operations.c */
void show_drive_operation(struct cli_context *context);
void show_vd_operation(struct cli_context *context);
/* expand.c */
void show_vd_expansion(struct cli_context *context);
/* policies.c */
void show_vd_policies(struct cli_context *context);
void show_presets(struct cli_context *context);
/* measure.c */
void show_vd_measure(struct cli_context *context);
/* show_bad_blocks.c */
void show_drive_bad_blocks(struct cli_context *context);
void show_vd_bad_blocks(struct cli_context *context);
/* show_smart.c */
void show_drive_smart(struct cli_context *context);
/* show_battery.c */
void show_battery(struct cli_context *context);
const struct model_object *cli_battery(const struct model *model); /* or NULL */
/* The battery if it goes by the name that was typed (bbu, cv); NULL: refused. */
const struct model_object *cli_battery_or_refuse(struct cli_context *context);
/* Everything that show all has of a battery or a vault. */
json_t *battery_groups(const struct model *model, const json_t *doc);
bool battery_is_vault(const json_t *doc);
/* Of the cache medium that needs no battery; NULL: there is none. */
const char *vault_size(const struct model *model, char out[FORMAT_BYTES]);
const char *battery_state_shown(const json_t *doc);
uint32_t battery_status_number(const json_t *doc); /* StorCLI's "BBU Status" */
json_t *battery_summary_row(const json_t *doc);
/* preserved.c */
void show_preserved_cache(struct cli_context *context);
/* undo.c */
void show_undo(struct cli_context *context);
/* stripes.c */
void show_stripes(struct cli_context *context);
/* Lines of status. */
void stripes_print(struct cli_context *context);
void change_preserved_delete(struct cli_context *context);
/* show_events.c */
void show_events(struct cli_context *context);
struct event_filter;
/* Those of the controller in use, oldest first; NULL: the connection broke. */
json_t *events_fitting(struct cli_context *context, const struct event_filter *filter);
void events_text_print(const struct model *model, const json_t *list, FILE *out);
bool events_dump(struct cli_context *context, FILE *out); /* all of them, as text */
void show_event_info(struct cli_context *context);
/* link.c: where the backend refuses this host, a line that says why. */
void link_print(struct cli_context *context);
/* status.c */
void show_status(struct cli_context *context);
void show_watch(struct cli_context *context);
/* For --exit-code: of the worst controller that was meant. */
int status_exit_code(const struct cli_context *context);
#define OPERATION_BYTES 96u
/* "rebuild 45 %, 3 Minutes left" of what runs on this target; "": nothing does. */
void operation_text(const struct model *model, const char *target, char out[OPERATION_BYTES]);
void findings_list_print(const struct model *model); /* all of a controller, one line each */
/* explain.c */
void show_explanation(struct cli_context *context);
/* show_documents.c */
void show_documents(struct cli_context *context);
void documents_print(const struct cli_context *context);
/* show_health.c */
void show_health(struct cli_context *context);
void show_support_bundle(struct cli_context *context);
/* show_performance.c */
void show_drive_performance(struct cli_context *context);
void show_vd_performance(struct cli_context *context);

#endif
