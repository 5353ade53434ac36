/*
 * Events in MegaRAID's words: see event_shape.h. A parameter that is the path of a drive or the
 * title of a virtual drive is replaced in the sentence; everything else is the agent's.
 */
#include "cli/event_shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/rows.h"

#define NAME_BYTES 48u

struct event_object {
    bool is_drive, is_vd;
    bool has_enclosure;
    unsigned eid, slot; /* or the number of a drive outside all enclosures */
    unsigned vd;
    uint64_t did;
};

/* "/c0/e252/s1", "/c0/s6", "/c0/v0 (data)" */
static bool object_parse(const struct model *model, const char *text, struct event_object *ret)
{
    unsigned controller = 0;
    int used = 0;

    *ret = (struct event_object){.is_drive = false};
    if (sscanf(text, "/c%u/e%u/s%u%n", &controller, &ret->eid, &ret->slot, &used) == 3 &&
        text[used] == '\0') {
        ret->is_drive = true;
        ret->has_enclosure = true;
    } else if (sscanf(text, "/c%u/s%u%n", &controller, &ret->slot, &used) == 2 &&
               text[used] == '\0') {
        ret->is_drive = true;
    } else if (sscanf(text, "/c%u/v%u%n", &controller, &ret->vd, &used) == 2) {
        ret->is_vd = text[used] == '\0' || strncmp(text + used, " (", 2) == 0;
    }
    if (ret->is_drive) {
        const struct model_object *drive =
            model_drive_at(model, ret->has_enclosure, ret->eid, ret->slot);

        ret->did = drive != NULL ? doc_u64(drive->doc, "did") : ret->slot;
    }
    return ret->is_drive || ret->is_vd;
}

/* "PD 03(e0xfc/s3)", "VD 00/0" */
static void object_name(const struct event_object *object, char out[NAME_BYTES])
{
    if (object->is_vd) {
        (void)snprintf(out, NAME_BYTES, "VD %02x/%u", object->vd, object->vd);
    } else {
        (void)snprintf(out, NAME_BYTES, "PD %02llx(e0x%02x/s%u)", (unsigned long long)object->did,
                       object->has_enclosure ? object->eid : 0xffu, object->slot);
    }
}

/* Every place where `old` stands as a whole: "/c0/e1/s1" does not stand in "/c0/e1/s12". */
static json_t *text_replace(const char *text, const char *old, const char *by)
{
    size_t length = strlen(old);
    size_t capacity = strlen(text) + 1;
    char *out = NULL;
    size_t used = 0;

    for (const char *at = strstr(text, old); at != NULL; at = strstr(at + length, old)) {
        capacity += strlen(by);
    }
    out = calloc(1, capacity);
    ASSERT(out != NULL);
    while (*text != '\0') {
        bool whole = strncmp(text, old, length) == 0 &&
                     (text[length] < '0' || text[length] > '9') && text[length] != '/';

        if (whole) {
            used += (size_t)snprintf(out + used, capacity - used, "%s", by);
            text += length;
        } else {
            out[used++] = *text++;
        }
    }
    json_t *value = json_string(out);
    free(out);
    return value;
}

json_t *event_shape_text(const struct model *model, const json_t *event)
{
    json_t *text = json_string(doc_text(event, "text"));
    const char *name;
    json_t *value;

    json_object_foreach(json_object_get(event, "params"), name, value)
    {
        struct event_object object;
        char shown[NAME_BYTES];

        if (json_is_string(value) && object_parse(model, json_string_value(value), &object)) {
            json_t *old = text;

            object_name(&object, shown);
            text = text_replace(json_string_value(old), json_string_value(value), shown);
            json_decref(old);
        }
    }
    return text;
}

json_t *event_shape_data(const struct model *model, const json_t *event)
{
    const json_t *params = json_object_get(event, "params");
    json_t *data = json_object();
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)params, name, value)
    {
        struct event_object object;

        if (!json_is_string(value) || !object_parse(model, json_string_value(value), &object)) {
            continue;
        }
        if (object.is_vd && json_object_get(data, "Target Id") == NULL) {
            row_number(data, "Target Id", object.vd);
        } else if (object.is_drive && json_object_get(data, "Device ID") == NULL) {
            row_number(data, "Device ID", object.did);
            row_number(data, "Enclosure Index", object.has_enclosure ? object.eid : 255);
            row_number(data, "Slot Number", object.slot);
        }
    }
    json_object_foreach((json_t *)(uintptr_t)params, name, value)
    {
        row_set(data, name, json_deep_copy(value));
    }
    return data;
}
