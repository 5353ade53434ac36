/*
 * Documents of a host by kind and number: see model.h.
 */
#include "cli/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *doc_text(const json_t *doc, const char *name)
{
    const char *text = json_string_value(json_object_get(doc, name));

    return text != NULL ? text : "";
}

uint64_t doc_u64(const json_t *doc, const char *name)
{
    const json_t *value = json_object_get(doc, name);

    return json_is_integer(value) && json_integer_value(value) > 0
               ? (uint64_t)json_integer_value(value)
               : 0;
}

bool doc_bool(const json_t *doc, const char *name)
{
    return json_is_true(json_object_get(doc, name));
}

bool doc_is_null(const json_t *doc, const char *name)
{
    const json_t *value = json_object_get(doc, name);

    return value == NULL || json_is_null(value);
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Drives by enclosure and slot, those without a place last; everything else by number. */
static int object_compare(const void *a, const void *b)
{
    const struct model_object *left = a;
    const struct model_object *right = b;
    static const char *const order[] = {"eid", "slot", "index", "started_at_us"};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        bool no_left = doc_is_null(left->doc, order[i]);
        bool no_right = doc_is_null(right->doc, order[i]);
        int result = no_left != no_right
                         ? (int)no_left - (int)no_right
                         : compare_u64(doc_u64(left->doc, order[i]), doc_u64(right->doc, order[i]));

        if (result != 0) {
            return result;
        }
    }
    return strcmp(left->key, right->key);
}

static bool object_add(struct model *model, const json_t *object)
{
    enum object_kind kind;
    const json_t *doc = json_object_get(object, "doc");
    struct model_list *list = NULL;

    if (!object_kind_parse(doc_text(object, "kind"), &kind) || !json_is_object(doc)) {
        return true; /* of a newer agent: not ours to show */
    }
    list = &model->lists[kind];
    struct model_object *items = realloc(list->items, (list->count + 1) * sizeof(*items));
    if (items == NULL) {
        return false;
    }
    list->items = items;
    items[list->count++] =
        (struct model_object){doc_text(object, "key"), doc_u64(object, "config_rev"), doc};
    return true;
}

/* "/c0" as a whole part of a path. */
static char *text_renumber(const char *text, int number)
{
    size_t capacity = 2 * strlen(text) + 16;
    char *out = malloc(capacity);
    size_t at = 0;

    for (size_t i = 0; out != NULL && text[i] != '\0';) {
        if (strncmp(text + i, "/c0", 3) == 0 && (text[i + 3] < '0' || text[i + 3] > '9')) {
            at += (size_t)snprintf(out + at, capacity - at, "/c%d", number);
            i += 3;
        } else {
            out[at++] = text[i++];
        }
    }
    if (out != NULL) {
        out[at] = '\0';
    }
    return out;
}

static void string_renumber(json_t *value, int number)
{
    char *text = text_renumber(json_string_value(value), number);

    if (text != NULL) {
        (void)json_string_set(value, text);
    }
    free(text);
}

void model_renumber(json_t *value, int number)
{
    const char *name;
    json_t *part;
    size_t index;

    if (number == 0) {
        return;
    }
    if (json_is_string(value)) {
        string_renumber(value, number);
    } else if (json_is_object(value)) {
        json_object_foreach(value, name, part)
        {
            model_renumber(part, number);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, index, part)
        {
            model_renumber(part, number);
        }
    }
}

/* Every agent calls its controller 0; here it has the number of its socket. */
static void documents_renumber(json_t *objects, int number)
{
    json_t *object;
    size_t index;

    json_array_foreach(objects, index, object)
    {
        json_t *doc = json_object_get(object, "doc");

        model_renumber(doc, number);
        if (strcmp(doc_text(object, "kind"), "controller") == 0) {
            (void)json_object_set_new(doc, "index", json_integer(number));
        }
    }
}

struct model *model_make(json_t *state, int number)
{
    struct model *model = calloc(1, sizeof(*model));
    json_t *objects = json_object_get(state, "objects");
    const json_t *object;
    size_t index;

    if (model == NULL || !json_is_array(objects)) {
        free(model);
        json_decref(state);
        return NULL;
    }
    model->state = state;
    if (number != 0) {
        documents_renumber(objects, number);
    }
    json_array_foreach(objects, index, object)
    {
        if (!object_add(model, object)) {
            model_free(model);
            return NULL;
        }
    }
    for (unsigned kind = 0; kind < OBJECT_KIND_MAX; kind++) {
        if (model->lists[kind].count > 1) {
            qsort(model->lists[kind].items, model->lists[kind].count, sizeof(struct model_object),
                  object_compare);
        }
    }
    return model;
}

void model_free(struct model *model)
{
    if (model == NULL) {
        return;
    }
    for (unsigned kind = 0; kind < OBJECT_KIND_MAX; kind++) {
        free(model->lists[kind].items);
    }
    json_decref(model->state);
    free(model);
}

const struct model_object *model_find(const struct model *model, enum object_kind kind,
                                      const char *key)
{
    for (uint32_t i = 0; i < model->lists[kind].count; i++) {
        if (strcmp(model->lists[kind].items[i].key, key) == 0) {
            return &model->lists[kind].items[i];
        }
    }
    return NULL;
}

const struct model_object *model_numbered(const struct model *model, enum object_kind kind,
                                          uint64_t number)
{
    const char *field = kind == OBJECT_KIND_ENCLOSURE ? "eid" : "index";

    for (uint32_t i = 0; i < model->lists[kind].count; i++) {
        if (doc_u64(model->lists[kind].items[i].doc, field) == number) {
            return &model->lists[kind].items[i];
        }
    }
    return NULL;
}

bool drive_is_in(const json_t *doc, uint64_t eid)
{
    return !doc_is_null(doc, "eid") && doc_u64(doc, "eid") == eid;
}

const struct model_object *model_drive_at(const struct model *model, bool has_eid, uint64_t eid,
                                          uint64_t slot)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    const struct model_object *absent = NULL;

    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *doc = drives->items[i].doc;
        bool here = has_eid ? drive_is_in(doc, eid) : doc_is_null(doc, "eid");

        if (!here || doc_is_null(doc, "slot") || doc_u64(doc, "slot") != slot) {
            continue;
        }
        if (doc_bool(doc, "present")) {
            return &drives->items[i];
        }
        absent = &drives->items[i];
    }
    return absent;
}

const struct model_object *model_operation(const struct model *model, const char *target)
{
    const struct model_list *operations = &model->lists[OBJECT_KIND_OPERATION];
    const struct model_object *found = NULL;

    for (uint32_t i = 0; i < operations->count; i++) {
        const json_t *doc = operations->items[i].doc;

        if (strcmp(doc_text(doc, "target"), target) == 0 && doc_is_null(doc, "ended_at_us")) {
            found = &operations->items[i];
        }
    }
    return found;
}
