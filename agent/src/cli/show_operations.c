/*
 * Progress of background work: /cX/eX/sX show rebuild … and /cX/vX show bgi ….
 */
#include <string.h>
#include <strings.h>

#include "cli/rows.h"
#include "cli/show.h"

/* What is typed, what StorCLI calls it, and the agent's kinds of operations behind it. */
struct operation_name {
    const char *noun;
    const char *shown;
    const char *kinds; /* "": none exists here, so none is ever in progress */
};

static const struct operation_name drive_names[] = {
    {"rebuild", "Rebuild", "rebuild"},
    {"copyback", "Copyback", "copyback"},
    {"initialization", "Initialization", "drive_clear"},
    {"erase", "Erase", "drive_erase"},
};

static const struct operation_name vd_names[] = {
    {"bgi", "BGI", "background_init resync"},
    {"init", "INIT", "init"},
    {"cc", "CC", "consistency_check"},
    {"migrate", "Migrate", "migrate"},
    {"erase", "ERASE", "erase"},
};

struct operation_rows {
    json_t *rows;
    const struct operation_name *name;
};

static const struct operation_name *name_find(const struct operation_name *names, size_t count,
                                              const char *noun)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(noun, names[i].noun) == 0) {
            return &names[i];
        }
    }
    return &names[0];
}

static void drive_visit(struct cli_context *context, const struct model_object *object, void *data)
{
    struct operation_rows *out = data;

    /* One that was pulled is no news, unless somebody asks for it or its erase waits for it. */
    if (doc_bool(object->doc, "present") || !context->request.drives.all ||
        drive_has_operation(context->model, object, out->name->kinds)) {
        rows_append(out->rows, drive_progress_row(context->model, object, out->name->kinds));
    }
}

void show_drive_operation(struct cli_context *context)
{
    struct operation_rows out = {
        json_array(), name_find(drive_names, sizeof(drive_names) / sizeof(drive_names[0]),
                                context->request.words[1])};
    json_t *missing = json_array();
    char description[64];

    context->absent_too = true;
    cli_each_drive(context, missing, drive_visit, &out);
    (void)snprintf(description, sizeof(description), "Show Drive %s Status Succeeded.",
                   out.name->shown);
    show_finish(context, description, missing, out.rows);
}

static void vd_visit(struct cli_context *context, const struct model_object *object, void *data)
{
    struct operation_rows *out = data;

    rows_append(out->rows,
                vd_progress_row(context->model, object, out->name->shown, out->name->kinds));
}

struct check_sections {
    json_t *results, *places;
};

static void check_visit(struct cli_context *context UNUSED, const struct model_object *object,
                        void *data)
{
    const struct check_sections *sections = data;

    check_rows(object, sections->results, sections->places);
}

/* Only what there is. */
static void check_sections_put(struct cli_context *context, json_t *data)
{
    struct check_sections sections = {json_array(), json_array()};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, check_visit, &sections);
    json_decref(missing); /* told of already */
    if (json_array_size(sections.results) > 0) {
        row_set(data, "Last Consistency Check", sections.results);
    } else {
        json_decref(sections.results);
    }
    if (json_array_size(sections.places) > 0) {
        row_set(data, "Inconsistent Places", sections.places);
    } else {
        json_decref(sections.places);
    }
}

static void auto_bgi_visit(struct cli_context *context UNUSED, const struct model_object *object,
                           void *rows)
{
    json_t *row = json_object();

    row_number(row, "VD", doc_u64(object->doc, "index"));
    row_text(row, "AutoBGI", "On"); /* it always begins at once */
    rows_append(rows, row);
}

void show_vd_operation(struct cli_context *context)
{
    const char *noun = context->request.words[1];
    struct operation_rows out = {json_array(),
                                 name_find(vd_names, sizeof(vd_names) / sizeof(vd_names[0]), noun)};
    json_t *missing = json_array();
    json_t *data = json_object();

    if (strcasecmp(noun, "autobgi") == 0) {
        cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, auto_bgi_visit, out.rows);
    } else {
        cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_visit, &out);
    }
    row_set(data, "VD Operation Status", out.rows);
    if (strcasecmp(noun, "cc") == 0) {
        check_sections_put(context, data);
    }
    show_finish(context, "None", missing, data);
}
