/*
 * Rows and property groups of StorCLI's answers, made of the host's documents.
 */
#ifndef ARRAYWRIGHT_CLI_ROWS_H
#define ARRAYWRIGHT_CLI_ROWS_H

#include "cli/model.h"

/* Sets a text or number; the object is being filled in order. */
void row_text(json_t *row, const char *name, const char *text);
void row_number(json_t *row, const char *name, uint64_t number);
void row_size(json_t *row, const char *name, uint64_t bytes);

json_t *drive_row(const struct model *model, const json_t *drive);
json_t *vd_row(const struct model *model, const json_t *vd);
json_t *enclosure_row(const struct model *model, const json_t *enclosure);
/* Group, spans and drives of one group, appended. */
void topology_rows(json_t *rows, const struct model *model, const struct model_object *group);

/* "RAID5" */
void level_type(const char *word, char out[16]);
const char *drive_state_shown(const json_t *drive);
/* "DriveGroup:0, Span:0, Row:1" and so on for show all. */
json_t *drive_details(const struct model *model, const json_t *drive);
json_t *vd_properties(const struct model *model, const struct model_object *vd);

/* Rows of operations. */
json_t *drive_progress_row(const struct model *model, const struct model_object *drive);
json_t *vd_progress_row(const struct model *model, const struct model_object *vd,
                        const char *operation);

#endif
