/*
 * Preserved cache: what waits in the cache for virtual drives whose drives are away.
 */
#include <stdio.h>
#include <string.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

static const json_t *preserved_list(const struct cli_context *context)
{
    return json_object_get(json_object_get(cli_controller(context)->doc, "cache"), "preserved");
}

/* StorCLI's words for where the virtual drive is. */
static const char *vd_shown(const struct cli_context *context, const char *key, char out[24])
{
    const struct model_list *list = &context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].key, key) == 0) {
            (void)snprintf(out, 24, "%u", (unsigned)doc_u64(list->items[i].doc, "index"));
            return strcmp(doc_text(list->items[i].doc, "state"), "offline") == 0 ? "Offline"
                                                                                 : "Online";
        }
    }
    (void)snprintf(out, 24, "-");
    return "Missing";
}

static json_t *preserved_row(const struct cli_context *context, const json_t *entry)
{
    char number[24];
    const char *state = vd_shown(context, doc_text(entry, "virtual_drive"), number);
    json_t *row = json_object();

    row_text(row, "VD", number);
    row_text(row, "State", state);
    row_text(row, "Name", doc_text(entry, "name"));
    row_number(row, "KiB", doc_u64(entry, "bytes") / 1024);
    row_text(row, "Reason", doc_text(json_object_get(entry, "reason"), "text"));
    return row;
}

void show_preserved_cache(struct cli_context *context)
{
    const json_t *list = preserved_list(context);
    json_t *rows = NULL;
    const json_t *entry;
    size_t index;

    if (json_array_size(list) == 0) {
        report_add(&context->report, context->number, 0,
                   "No Virtual Drive has Preserved Cache Data.", NULL, NULL);
        return;
    }
    rows = json_array();
    json_array_foreach(list, index, entry)
    {
        (void)json_array_append_new(rows, preserved_row(context, entry));
    }
    report_add(&context->report, context->number, 0, "None", NULL,
               json_pack("{s:o}", "Preserved Cache", rows));
}

static bool is_preserved(const struct cli_context *context, const char *key)
{
    const json_t *entry;
    size_t index;

    json_array_foreach(preserved_list(context), index, entry)
    {
        if (strcmp(doc_text(entry, "virtual_drive"), key) == 0) {
            return true;
        }
    }
    return false;
}

/* Nothing is thrown away: what is said of lost writes ends. */
static bool is_only_mark(const struct cli_context *context, const struct model_object *vd)
{
    return json_is_object(json_object_get(vd->doc, "lost_writes")) &&
           !is_preserved(context, vd->key);
}

struct deletion {
    json_t *rows;
    int error; /* of the first failure */
};

static void deletion_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    struct deletion *deletion = data;
    const char *name = doc_text(vd->doc, "name");
    const char *confirm = option_value(context, "confirm");
    char typed[80];
    char message[REQUEST_TEXT_BYTES];
    int error = CLI_ERROR_GENERIC;

    if (confirm == NULL && (option_has(context, "force") || is_only_mark(context, vd))) {
        confirm = name;
    } else if (confirm == NULL && change_name_ask("throws away acknowledged writes of",
                                                  doc_text(vd->doc, "path"), name, typed)) {
        confirm = typed;
    }
    if (confirm == NULL) {
        (void)snprintf(message, sizeof(message),
                       "Acknowledged writes would be lost. Repeat with force, or with confirm=%s",
                       name);
    } else {
        error = cli_execute(context, "cache_discard",
                            json_pack("{s:s, s:s}", "controller", cli_controller(context)->key,
                                      "virtual_drive", vd->key),
                            confirm, message);
    }
    if (error != 0) {
        (void)json_array_append_new(deletion->rows,
                                    json_pack("{s:I, s:s, s:i, s:s}", "VD",
                                              (json_int_t)doc_u64(vd->doc, "index"), "Status",
                                              "Failure", "ErrCd", error, "ErrMsg", message));
        deletion->error = deletion->error == 0 ? error : deletion->error;
    }
}

void change_preserved_delete(struct cli_context *context)
{
    struct deletion deletion = {json_array(), 0};

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, deletion.rows, deletion_visit, &deletion);
    if (json_array_size(deletion.rows) > 0) {
        report_add(&context->report, context->number,
                   deletion.error != 0 ? deletion.error : CLI_ERROR_GENERIC,
                   "Delete Preserved Cache Failed.", deletion.rows, NULL);
        return;
    }
    json_decref(deletion.rows);
    report_add(&context->report, context->number, 0, "Virtual Drive preserved Cache Data Cleared.",
               NULL, NULL);
}
