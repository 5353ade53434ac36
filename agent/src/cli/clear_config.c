/*
 * /cX delete config: deletes every virtual drive of a controller and frees its hot spares, one
 * after the other. What was deleted can be restored like any virtual drive ("show undo"), with the
 * hot spares of its drive group; global hot spares are not restored. One that clients use stays.
 */
#include <stdio.h>
#include <string.h>

#include "cli/change.h"
#include "cli/rows.h"

struct clearing {
    struct cli_context *context;
    json_t *rows; /* of what was refused */
    int error;    /* of the first of them */
    uint32_t vd_count, spare_count;
};

static bool is_spare(const json_t *drive)
{
    return !doc_is_null(drive, "hot_spare") && doc_is_null(drive, "drive_group") &&
           doc_bool(drive, "present");
}

static uint32_t spares_count(const struct model *model)
{
    const struct model_list *list = &model->lists[OBJECT_KIND_DRIVE];
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        count += is_spare(list->items[i].doc) ? 1 : 0;
    }
    return count;
}

/* Those for all drive groups: no virtual drive brings them back. */
static uint32_t global_spares_count(const struct model *model)
{
    const struct model_list *list = &model->lists[OBJECT_KIND_DRIVE];
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const json_t *spare = json_object_get(list->items[i].doc, "hot_spare");

        count += is_spare(list->items[i].doc) &&
                         json_array_size(json_object_get(spare, "drive_groups")) == 0
                     ? 1
                     : 0;
    }
    return count;
}

/* True: it is done. */
static bool clear_one(struct clearing *clearing, const json_t *doc, const char *op, json_t *args)
{
    char message[REQUEST_TEXT_BYTES];
    int error = cli_execute(clearing->context, op, args, doc_text(doc, "name"), message);

    if (error == 0) {
        return true;
    }
    clearing->error = clearing->error == 0 ? error : clearing->error;
    rows_append(clearing->rows, json_pack("{s:s, s:s, s:i, s:s}", "Object", doc_text(doc, "path"),
                                          "Status", "Failure", "ErrCd", error, "ErrMsg", message));
    return false;
}

static void clear_vds(struct clearing *clearing)
{
    const struct model_list *list = &clearing->context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    for (uint32_t i = 0; i < list->count && !clearing->context->failed; i++) {
        json_t *args = json_pack("{s:s}", "virtual_drive", list->items[i].key);

        clearing->vd_count += clear_one(clearing, list->items[i].doc, "vd_delete", args) ? 1 : 0;
    }
}

static void clear_spares(struct clearing *clearing)
{
    const struct model_list *list = &clearing->context->model->lists[OBJECT_KIND_DRIVE];

    for (uint32_t i = 0; i < list->count && !clearing->context->failed; i++) {
        const json_t *doc = list->items[i].doc;

        if (is_spare(doc)) {
            json_t *args = json_pack("{s:s}", "drive", list->items[i].key);

            clearing->spare_count += clear_one(clearing, doc, "spare_remove", args) ? 1 : 0;
        }
    }
}

static void clear_ask(struct cli_context *context, uint32_t spares)
{
    uint32_t vds = context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count;
    uint32_t global = global_spares_count(context->model);
    char text[REQUEST_TEXT_BYTES];
    char left[128] = "";

    if (global > 0) {
        (void)snprintf(left, sizeof(left), " The restoration leaves out %u global hot spare%s.",
                       global, global == 1 ? "" : "s");
    }
    (void)snprintf(text, sizeof(text),
                   "%u virtual drive%s and %u hot spare%s of the controller would be deleted.%s "
                   "Repeat with force",
                   vds, vds == 1 ? "" : "s", spares, spares == 1 ? "" : "s", left);
    cli_refuse(context, "Delete Configuration Failed.", CLI_ERROR_GENERIC, text);
}

void change_config_delete(struct cli_context *context)
{
    struct clearing clearing = {.context = context};
    uint32_t spares = spares_count(context->model);
    uint32_t left = 0;
    json_t *data = NULL;

    if (!option_has(context, "force")) {
        clear_ask(context, spares);
        return;
    }
    clearing.rows = json_array();
    clear_vds(&clearing);
    if (context->failed || !cli_picture_renew(context)) {
        json_decref(clearing.rows);
        return;
    }
    left = spares_count(context->model);
    clearing.spare_count = left < spares ? spares - left : 0; /* gone with their groups */
    clear_spares(&clearing);
    data = json_object();
    row_number(data, "Virtual Drives deleted", clearing.vd_count);
    row_number(data, "Hot Spares deleted", clearing.spare_count);
    report_add(&context->report, context->number, clearing.error,
               clearing.error == 0 ? "Delete Configuration Succeeded."
                                   : "Delete Configuration Failed.",
               clearing.error == 0 ? NULL : clearing.rows, data);
    if (clearing.error == 0) {
        json_decref(clearing.rows);
    }
}
