/*
 * Documents of a host by kind and number: see model.h.
 */
#include "cli/model.h"

#include <ctype.h>
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

/* Drives by enclosure and slot, those outside all enclosures last, by their numbers; everything
 * else by number. */
static int object_compare(const void *a, const void *b)
{
    const struct model_object *left = a;
    const struct model_object *right = b;
    static const char *const order[] = {"eid", "slot", "did", "index", "started_at_us"};

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

/* "/c12" as a whole part of a path: its length and number; 0: it is none. */
static size_t path_controller(const char *text, unsigned long *ret_number)
{
    size_t digits = strncmp(text, "/c", 2) == 0 ? strspn(text + 2, "0123456789") : 0;
    bool leads_zero = digits > 1 && text[2] == '0';

    if (digits == 0 || leads_zero || isalnum((unsigned char)text[2 + digits])) {
        return 0;
    }
    *ret_number = strtoul(text + 2, NULL, 10);
    return 2 + digits;
}

static char *text_renumber(const char *text, int shift)
{
    size_t capacity = 2 * strlen(text) + 16;
    char *out = malloc(capacity);
    size_t at = 0;

    for (size_t i = 0; out != NULL && text[i] != '\0';) {
        unsigned long number = 0;
        size_t length = path_controller(text + i, &number);

        if (length > 0) {
            at += (size_t)snprintf(out + at, capacity - at, "/c%lu", number + (unsigned long)shift);
            i += length;
        } else {
            out[at++] = text[i++];
        }
    }
    if (out != NULL) {
        out[at] = '\0';
    }
    return out;
}

static void string_renumber(json_t *value, int shift)
{
    char *text = text_renumber(json_string_value(value), shift);

    if (text != NULL) {
        (void)json_string_set(value, text);
    }
    free(text);
}

void model_renumber(json_t *value, int shift)
{
    const char *name;
    json_t *part;
    size_t index;

    if (shift == 0) {
        return;
    }
    if (json_is_string(value)) {
        string_renumber(value, shift);
    } else if (json_is_object(value)) {
        json_object_foreach(value, name, part)
        {
            model_renumber(part, shift);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, index, part)
        {
            model_renumber(part, shift);
        }
    }
}

/* "c1", and "c1-bbu", as keys have it. */
static bool key_controller(const char *key, uint32_t *ret_index)
{
    char *end = NULL;

    if (key[0] != 'c' || key[1] < '0' || key[1] > '9') {
        return false;
    }
    *ret_index = (uint32_t)strtoul(key + 1, &end, 10);
    return *end == '\0' || *end == '-';
}

uint32_t model_event_controller(const json_t *event)
{
    const char *name;
    json_t *value;
    unsigned long number = 0;
    uint32_t index = 0;

    json_object_foreach(json_object_get(event, "params"), name, value)
    {
        if (json_is_string(value) && path_controller(json_string_value(value), &number) > 0) {
            return (uint32_t)number;
        }
    }
    return key_controller(doc_text(event, "key"), &index) ? index : 0;
}

static bool is_controller(const json_t *object)
{
    return strcmp(doc_text(object, "kind"), "controller") == 0;
}

uint32_t model_controller_count(const json_t *state)
{
    const json_t *object;
    size_t index;
    uint32_t count = 0;

    json_array_foreach(json_object_get(state, "objects"), index, object)
    {
        count += is_controller(object);
    }
    return count;
}

/* Is it the host's, or of this controller? */
static bool object_is_of(const json_t *object, uint32_t index)
{
    const json_t *doc = json_object_get(object, "doc");
    const char *key = is_controller(object) ? doc_text(object, "key") : doc_text(doc, "controller");
    uint32_t own = index;

    return !key_controller(key, &own) || own == index;
}

static void documents_renumber(json_t *objects, int shift)
{
    json_t *object;
    size_t index;

    json_array_foreach(objects, index, object)
    {
        json_t *doc = json_object_get(object, "doc");

        model_renumber(doc, shift);
        if (is_controller(object)) {
            (void)json_object_set_new(doc, "index",
                                      json_integer((json_int_t)doc_u64(doc, "index") + shift));
        }
    }
}

struct model *model_make(json_t *state, uint32_t index, int number)
{
    struct model *model = calloc(1, sizeof(*model));
    json_t *objects = json_object_get(state, "objects");
    const json_t *object;

    if (model == NULL || !json_is_array(objects)) {
        free(model);
        json_decref(state);
        return NULL;
    }
    model->state = state;
    for (size_t i = json_array_size(objects); i > 0; i--) {
        if (!object_is_of(json_array_get(objects, i - 1), index)) {
            (void)json_array_remove(objects, i - 1); /* there is one */
        }
    }
    documents_renumber(objects, number - (int)index);
    for (size_t i = 0; i < json_array_size(objects); i++) {
        object = json_array_get(objects, i);
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

static bool is_starting(const struct model_object *object)
{
    return strcmp(doc_text(object->doc, "state"), "starting") == 0;
}

bool model_is_starting(const struct model *model)
{
    const struct model_list *controllers = &model->lists[OBJECT_KIND_CONTROLLER];
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    for (uint32_t i = 0; i < vds->count; i++) {
        if (is_starting(&vds->items[i])) {
            return true;
        }
    }
    return controllers->count > 0 &&
           strcmp(doc_text(controllers->items[0].doc, "status"), "starting") == 0;
}

void model_leave_out_starting(struct model *model)
{
    model->starting = model_is_starting(model);
    for (unsigned kind = 0; kind < OBJECT_KIND_MAX; kind++) {
        struct model_list *list = &model->lists[kind];
        uint32_t kept = 0;

        for (uint32_t i = 0; i < list->count; i++) {
            if (is_starting(&list->items[i])) {
                model->starting = true;
            } else {
                list->items[kept++] = list->items[i];
            }
        }
        list->count = kept;
    }
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

uint64_t drive_number(const json_t *doc)
{
    return doc_u64(doc, doc_is_null(doc, "eid") ? "did" : "slot");
}

const struct model_object *model_drive_at(const struct model *model, bool has_eid, uint64_t eid,
                                          uint64_t number)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    const struct model_object *absent = NULL;

    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *doc = drives->items[i].doc;
        bool here = has_eid ? drive_is_in(doc, eid) : doc_is_null(doc, "eid");

        if (!here || drive_number(doc) != number) {
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
