/*
 * A picture of the host at one moment, as arrayctl works on it: the documents of state.get,
 * sorted as StorCLI lists them. References point into the picture.
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
    struct model_list lists[OBJECT_KIND_MAX];
};

/* Of the controller with this number, 0 being what agents call theirs. Takes the reference;
 * NULL: not a state. */
struct model *model_make(json_t *state, int number);
/* "/c0" in all texts of a document becomes "/c" and the number. */
void model_renumber(json_t *value, int number);
void model_free(struct model *model);

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
const struct model_object *model_drive_at(const struct model *model, bool has_eid, uint64_t eid,
                                          uint64_t slot);
/* The newest operation of a target that has not ended, or NULL. */
const struct model_object *model_operation(const struct model *model, const char *target);

#endif
