/*
 * The front end that speaks MegaCLI, LSI's program before StorCLI: what monitoring reads, in its
 * text format. It changes nothing.
 */
#ifndef ARRAYWRIGHT_CLI_MEGA_H
#define ARRAYWRIGHT_CLI_MEGA_H

#include "cli/command.h"

#define MEGA_WORDS_MAX 16u
#define MEGA_ADAPTERS_ALL UINT32_MAX

/* "-PDInfo -PhysDrv [252:3] -a0 -NoLog" */
struct mega_request {
    const char *verb; /* "PDInfo" */
    uint32_t word_count;
    const char *words[MEGA_WORDS_MAX]; /* behind the verb, without their hyphens */
    struct cli_numbers adapters;
    struct cli_numbers vds;
    bool has_vds;
    char drives[256]; /* "252:3,252:4"; "": none were named */
    const char *file; /* of -f; NULL: none */
};

/* Was the program called by MegaCLI's name? */
bool mega_is_named(const char *program);
int mega_run(struct cli_context *context, int count, char *const *words);

/* The text of a cell of StorCLI's sections; "" if there is none. */
const char *mega_cell(const json_t *section, const char *key, char out[FORMAT_BYTES]);
/* MegaCLI's form of a size: "278.875 GB", "931.0 GB", "64 KB". */
const char *mega_size(uint64_t bytes, char out[FORMAT_BYTES]);
/* The same of StorCLI's "893.750 GB [0x6fb80000 Sectors]": without zeros at the end. */
const char *mega_size_text(const char *storcli, char out[FORMAT_BYTES]);
bool mega_word(const struct mega_request *request, const char *word);

/* All of these print about the adapter in use; 0, or MegaCLI's exit code. */
/* mega_vds.c */
int mega_vds_show(struct cli_context *context, const struct mega_request *request);
int mega_vds_count(struct cli_context *context, const struct mega_request *request);
int mega_vds_drives_show(struct cli_context *context, const struct mega_request *request);
int mega_vd_property_show(struct cli_context *context, const struct mega_request *request);
int mega_vd_work_show(struct cli_context *context, const struct mega_request *request);
void mega_vd_print(const struct model *model, const struct model_object *vd);
/* mega_drives.c */
int mega_drives_show(struct cli_context *context, const struct mega_request *request);
int mega_drives_count(struct cli_context *context, const struct mega_request *request);
int mega_rebuild_show(struct cli_context *context, const struct mega_request *request);
void mega_drive_print(const struct model *model, const struct model_object *drive);
/* mega_adapter.c */
int mega_adapter_show(struct cli_context *context, const struct mega_request *request);
int mega_patrol_show(struct cli_context *context, const struct mega_request *request);
int mega_time_show(struct cli_context *context, const struct mega_request *request);
/* mega_battery.c */
int mega_battery_show(struct cli_context *context, const struct mega_request *request);
/* mega_events.c */
int mega_events_show(struct cli_context *context, const struct mega_request *request);

#endif
