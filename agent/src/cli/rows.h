/*
 * Rows and property groups of StorCLI's answers, made of the host's documents.
 */
#ifndef ARRAYWRIGHT_CLI_ROWS_H
#define ARRAYWRIGHT_CLI_ROWS_H

#include "cli/model.h"

/* Sets a text or number; the object is being filled in order. */
void row_set(json_t *row, const char *name, json_t *value); /* takes the reference */
void rows_append(json_t *rows, json_t *row);
void row_text(json_t *row, const char *name, const char *text);
void row_number(json_t *row, const char *name, uint64_t number);
void row_size(json_t *row, const char *name, uint64_t bytes);

json_t *drive_row(const struct model *model, const json_t *drive);
json_t *vd_row(const struct model *model, const json_t *vd);
json_t *enclosure_row(const struct model *model, const json_t *enclosure);
json_t *enclosure_details(const struct model *model, const json_t *enclosure);
/* A row of a topology. -1 is shown as a dash. */
struct topology_row {
    uint64_t group;
    int64_t array;
    int64_t row;
    const char *place;
    int64_t did;
    const char *type;
    const char *state;
    bool busy;
    bool spare; /* dedicated to the group: most cells are "-" */
    uint64_t bytes;
    const char *drive_cache;
    const char *free_space;
};
void topology_append(json_t *rows, const struct topology_row *values);
/* Group, spans and drives of one group, appended. */
void topology_rows(json_t *rows, const struct model *model, const struct model_object *group);

/* "RAID5" */
void level_type(const char *word, char out[16]);
const char *drive_state_shown(const json_t *drive);
/* A place of a drive group that has no drive, wherever that was: MEMBER_MISSING_SHOWN. */
bool member_is_missing(const json_t *member);
#define MEMBER_MISSING_SHOWN "Msng"
/* There, without a use, and without anything on it. */
bool drive_is_free(const json_t *drive);
/* "DriveGroup:0, Span:0, Row:1" and so on for show all. */
json_t *drive_details(const struct model *model, const json_t *drive);
json_t *vd_properties(const struct model *model, const struct model_object *vd);

/* "252:3"; a drive outside of all enclosures has a blank before the colon. */
void drive_place_text(const json_t *drive, char out[32]);
#define DRIVE_WWN_BYTES 17u
const char *drive_wwn(const json_t *drive, char out[DRIVE_WWN_BYTES]);
uint64_t drive_shown_bytes(const json_t *drive); /* usable, or all while that is not known */
const char *vd_state_shown(const json_t *vd);
const char *span_state_shown(const json_t *group, uint64_t span);

/* In whole percent, as every table and line shows it. */
unsigned operation_percent(const json_t *operation);
/* Progress. kinds: the operations it is about, "background_init resync". */
bool drive_has_operation(const struct model *model, const struct model_object *drive,
                         const char *kinds);
json_t *drive_progress_row(const struct model *model, const struct model_object *drive,
                           const char *kinds);
json_t *vd_progress_row(const struct model *model, const struct model_object *vd, const char *shown,
                        const char *kinds);
/* Is it a hot spare, at rest, that is dedicated to the drive group with this key? */
bool spare_is_dedicated(const json_t *drive, const char *group);

#endif
