/*
 * Enclosures, drives, drive groups, virtual drives.
 */
#include <stdio.h>
#include <string.h>

#include "cli/rows.h"
#include "cli/show.h"

void show_finish(struct cli_context *context, const char *description, json_t *missing,
                 json_t *data)
{
    bool failed = json_array_size(missing) > 0;

    if (!failed) {
        json_decref(missing);
        missing = NULL;
    }
    report_add(&context->report, context->number, failed ? CLI_ERROR_GENERIC : 0, description,
               missing, data);
}

/* Enclosures. */

static void enclosure_visit(struct cli_context *context, const struct model_object *object,
                            void *rows)
{
    rows_append(rows, enclosure_row(context->model, object->doc));
}

static void enclosure_all_visit(struct cli_context *context, const struct model_object *object,
                                void *data)
{
    char name[80];

    /* The blank behind the name is StorCLI's. */
    (void)snprintf(name, sizeof(name), "Enclosure %s ", doc_text(object->doc, "path"));
    row_set(data, name, enclosure_details(context->model, object->doc));
}

void show_enclosure(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *data = json_object();

    if (option_has(context, "all")) {
        cli_each_numbered(context, OBJECT_KIND_ENCLOSURE, missing, enclosure_all_visit, data);
    } else {
        json_t *rows = json_array();

        cli_each_numbered(context, OBJECT_KIND_ENCLOSURE, missing, enclosure_visit, rows);
        row_set(data, "Properties", rows);
    }
    show_finish(context, "None", missing, data);
}

/* Drives. */

static void drive_visit(struct cli_context *context, const struct model_object *object, void *rows)
{
    rows_append(rows, drive_row(context->model, object->doc));
}

static void drive_all_visit(struct cli_context *context, const struct model_object *object,
                            void *data)
{
    char name[96];
    json_t *rows = json_array();

    rows_append(rows, drive_row(context->model, object->doc));
    (void)snprintf(name, sizeof(name), "Drive %s", doc_text(object->doc, "path"));
    row_set(data, name, rows);
    (void)snprintf(name, sizeof(name), "Drive %s - Detailed Information",
                   doc_text(object->doc, "path"));
    row_set(data, name, drive_details(context->model, object->doc));
}

void show_drive(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *data = json_object();
    size_t found = 0;

    if (option_has(context, "all")) {
        cli_each_drive(context, missing, drive_all_visit, data);
        found = json_object_size(data);
    } else {
        json_t *rows = json_array();

        cli_each_drive(context, missing, drive_visit, rows);
        found = json_array_size(rows);
        row_set(data, "Drive Information", rows);
    }
    if (found == 0 && json_array_size(missing) == 0) {
        rows_append(missing, json_pack("{s:s, s:s, s:i, s:s}", "Drive", "-", "Status", "Failure",
                                       "ErrCd", CLI_ERROR_GENERIC, "ErrMsg", "No drive found!"));
    }
    if (found == 0) {
        json_decref(data);
        data = NULL;
    }
    show_finish(context,
                found > 0 ? "Show Drive Information Succeeded." : "Show Drive Information Failed.",
                missing, data);
}

/* Drive groups. */

/* Every list of drives has the same drives: those that are there. The place of a missing member is
 * in the topology. */
static bool is_present_member(const json_t *drive, const char *group)
{
    return doc_bool(drive, "present") && strcmp(doc_text(drive, "drive_group"), group) == 0;
}

struct group_lists {
    json_t *topology, *vds, *drives, *free_space;
};

static void free_space_row(json_t *rows, const json_t *group)
{
    json_t *row = NULL;

    if (doc_u64(group, "free_bytes") == 0) {
        return;
    }
    row = json_object();
    row_number(row, "DG", doc_u64(group, "index"));
    row_size(row, "Size", doc_u64(group, "free_bytes"));
    rows_append(rows, row);
}

static void group_visit(struct cli_context *context, const struct model_object *object, void *data)
{
    struct group_lists *lists = data;
    const struct model *model = context->model;
    const struct model_list *list = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    topology_rows(lists->topology, model, object);
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(doc_text(list->items[i].doc, "drive_group"), object->key) == 0) {
            rows_append(lists->vds, vd_row(model, list->items[i].doc));
        }
    }
    list = &model->lists[OBJECT_KIND_DRIVE];
    for (uint32_t i = 0; i < list->count; i++) {
        if (is_present_member(list->items[i].doc, object->key)) {
            rows_append(lists->drives, drive_row(model, list->items[i].doc));
        }
    }
    free_space_row(lists->free_space, object->doc);
}

void show_free_space(struct cli_context *context)
{
    const struct model_list *list = &context->model->lists[OBJECT_KIND_DRIVE_GROUP];
    json_t *rows = json_array();
    json_t *data = json_object();

    for (uint32_t i = 0; i < list->count; i++) {
        free_space_row(rows, list->items[i].doc);
    }
    row_set(data, "FREE SPACE DETAILS", rows);
    cli_answer(context, "None", data);
}

static void missing_groups_name(json_t *missing)
{
    json_t *row;
    size_t index;

    json_array_foreach(missing, index, row)
    {
        row_text(row, "Status", "Not found");
    }
}

void show_group(struct cli_context *context)
{
    struct group_lists lists = {json_array(), json_array(), json_array(), json_array()};
    json_t *missing = json_array();
    json_t *data = json_object();

    cli_each_numbered(context, OBJECT_KIND_DRIVE_GROUP, missing, group_visit, &lists);
    row_set(data, "TOPOLOGY", lists.topology);
    row_set(data, "VD LIST", lists.vds);
    row_set(data, "DG Drive LIST", lists.drives);
    row_set(data, "FREE SPACE DETAILS", lists.free_space);
    missing_groups_name(missing);
    show_finish(context, "Show Diskgroup Succeeded", missing, data);
}

/* Virtual drives. */

static void vd_visit(struct cli_context *context, const struct model_object *object, void *rows)
{
    rows_append(rows, vd_row(context->model, object->doc));
}

static void vd_all_visit(struct cli_context *context, const struct model_object *object, void *data)
{
    const struct model_list *drives = &context->model->lists[OBJECT_KIND_DRIVE];
    unsigned index = (unsigned)doc_u64(object->doc, "index");
    json_t *rows = json_array();
    json_t *members = json_array();
    char name[64];

    rows_append(rows, vd_row(context->model, object->doc));
    row_set(data, doc_text(object->doc, "path"), rows);
    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *drive = drives->items[i].doc;

        if (is_present_member(drive, doc_text(object->doc, "drive_group"))) {
            rows_append(members, drive_row(context->model, drive));
        }
    }
    (void)snprintf(name, sizeof(name), "PDs for VD %u", index);
    row_set(data, name, members);
    (void)snprintf(name, sizeof(name), "VD%u Properties", index);
    row_set(data, name, vd_properties(context->model, object));
}

void show_vd(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *data = json_object();

    if (option_has(context, "all")) {
        cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_all_visit, data);
    } else {
        json_t *rows = json_array();

        cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_visit, rows);
        row_set(data, "Virtual Drives", rows);
    }
    bool none =
        context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count == 0 && !context->model->starting;
    show_finish(context, none ? "No VD's have been configured." : "None", missing, data);
}
