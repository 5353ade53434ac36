/*
 * A picture of a controller and its host at one moment, as arrayctl works on it: the documents of
 * state.get, sorted as StorCLI lists them. References point into the picture.
 */
#ifndef ARRAYWRIGHT_CLI_MODEL_H
#define ARRAYWRIGHT_CLI_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/words.h"

struct model_object {
    const char *key;
    uint64_t config_rev;
    const json_t *doc;
};

struct model_list {
    uint32_t count;
    struct model_object *items;
};

struct model {
    json_t *state;                       /* owns everything below */
    bool starting;                       /* what is not known yet has been left out */
    struct model_list lists[OBJECT_KIND_MAX];
};

/* Of the host and its agent's controller `index`, which has this number here. Takes the reference;
 * NULL: not a state. */
struct model *model_make(json_t *state, uint32_t index, int number);
/* How many controllers an agent's state has. */
uint32_t model_controller_count(const json_t *state);
/* "/cN" in all texts of a document becomes "/c" and N + shift. */
void model_renumber(json_t *value, int shift);
/* The index of the controller that an event of its agent is about; 0 if it is about none. */
uint32_t model_event_controller(const json_t *event);
void model_free(struct model *model);
/* Has the agent just begun, so that it does not know yet what there is? */
bool model_is_starting(const struct model *model);
/* Leaves out drives, groups and virtual drives of which that is so: StorCLI has no word for them.
 */
void model_leave_out_starting(struct model *model);

const struct model_object *model_find(const struct model *model, enum object_kind kind,
                                      const char *key);
/* The object whose number (index, eid) is this, or NULL. */
const struct model_object *model_numbered(const struct model *model, enum object_kind kind,
                                          uint64_t number);

/* Fields of documents. Text: "" if null or absent. */
const char *doc_text(const json_t *doc, const char *name);
uint64_t doc_u64(const json_t *doc, const char *name);
bool doc_bool(const json_t *doc, const char *name);
bool doc_is_null(const json_t *doc, const char *name);

/* Is this drive in enclosure eid? A drive outside of all has none. */
bool drive_is_in(const json_t *doc, uint64_t eid);
/* What stands behind /s in a drive's address: its slot in its enclosure, or outside all
 * enclosures the number it goes by. */
uint64_t drive_number(const json_t *doc);
/* The drive at this address, or the one that was there last; NULL: there is none. */
const struct model_object *model_drive_at(const struct model *model, bool has_eid, uint64_t eid,
                                          uint64_t number);
/* The newest operation of a target that has not ended, or NULL. */
const struct model_object *model_operation(const struct model *model, const char *target);

#endif
