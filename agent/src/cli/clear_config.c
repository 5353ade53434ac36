/*
 * /cX delete config: deletes every virtual drive of a controller and frees its hot spares, one
 * after the other. What was deleted can be restored like any virtual drive ("show undo"). One that
 * clients use stays.
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

/* Dedicated ones may have gone with their groups. */
static void clear_spares(struct clearing *clearing)
{
    const struct model_list *list = &clearing->context->model->lists[OBJECT_KIND_DRIVE];

    for (uint32_t i = 0; i < list->count && !clearing->context->failed; i++) {
        const json_t *doc = list->items[i].doc;

        if (!doc_is_null(doc, "hot_spare") && doc_is_null(doc, "drive_group") &&
            doc_bool(doc, "present")) {
            json_t *args = json_pack("{s:s}", "drive", list->items[i].key);

            clearing->spare_count += clear_one(clearing, doc, "spare_remove", args) ? 1 : 0;
        }
    }
}

void change_config_delete(struct cli_context *context)
{
    struct clearing clearing = {.context = context};
    json_t *data = NULL;

    if (!option_has(context, "force")) {
        cli_refuse(context, "Delete Configuration Failed.", CLI_ERROR_GENERIC,
                   "Every virtual drive and hot spare of the controller would be deleted. Repeat "
                   "with force");
        return;
    }
    clearing.rows = json_array();
    clear_vds(&clearing);
    if (context->failed || !cli_picture_renew(context)) {
        json_decref(clearing.rows);
        return;
    }
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
