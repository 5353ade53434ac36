/*
 * Foreign configurations: sets that the host has found on drives which are only offered, and all
 * drives that carry something of somebody else's.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/rows.h"
#include "cli/show.h"

static json_t *foreign_drives(const struct model *model)
{
    const struct model_list *list = &model->lists[OBJECT_KIND_DRIVE];
    json_t *rows = json_array();

    for (uint32_t i = 0; i < list->count; i++) {
        if (doc_bool(list->items[i].doc, "foreign") && doc_bool(list->items[i].doc, "present")) {
            rows_append(rows, drive_row(model, list->items[i].doc));
        }
    }
    return rows;
}

/* "RAID5 (N restart)" is RAID5 in a table. */
static void level_cell(json_t *row, const json_t *vd)
{
    char level[16] = "-";

    if (vd != NULL) {
        (void)snprintf(level, sizeof(level), "%.*s", (int)strcspn(doc_text(vd, "level"), " "),
                       doc_text(vd, "level"));
    }
    row_text(row, "Type", level);
}

static void set_row(json_t *rows, size_t index, const json_t *set)
{
    const json_t *vds = json_object_get(set, "virtual_drives");
    json_t *row = json_object();
    const json_t *vd = NULL;
    uint64_t bytes = 0;
    size_t i = 0;

    json_array_foreach(vds, i, vd)
    {
        bytes += doc_u64(vd, "size_bytes");
    }
    row_number(row, "DG", index);
    row_text(row, "EID:Slot", "-");
    level_cell(row, json_array_get(vds, 0));
    row_text(row, "State", "Frgn");
    row_size(row, "Size", bytes);
    row_number(row, "NoVDs", json_array_size(vds));
    rows_append(rows, row);
}

static void vd_rows(json_t *rows, size_t index, const json_t *set)
{
    const json_t *vd = NULL;
    size_t i = 0;

    json_array_foreach(json_object_get(set, "virtual_drives"), i, vd)
    {
        const json_t *reason = json_object_get(vd, "reason");
        json_t *row = json_object();

        row_number(row, "DG", index);
        row_text(row, "Name", doc_text(vd, "name"));
        row_text(row, "Type", doc_text(vd, "level"));
        row_text(row, "Format", doc_text(set, "format"));
        row_text(row, "State", doc_text(vd, "state"));
        row_text(row, "Consist", doc_bool(vd, "consistent") ? "Yes" : "No");
        row_size(row, "Size", doc_u64(vd, "size_bytes"));
        row_text(row, "Remark", json_is_object(reason) ? doc_text(reason, "text") : "-");
        rows_append(rows, row);
    }
}

static void member_rows(json_t *rows, const struct model *model, size_t index, const json_t *set)
{
    const json_t *vd = NULL;
    const json_t *member = NULL;
    size_t i = 0;
    size_t place = 0;

    json_array_foreach(json_object_get(set, "virtual_drives"), i, vd)
    {
        json_array_foreach(json_object_get(vd, "members"), place, member)
        {
            const struct model_object *drive =
                model_find(model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));
            json_t *row = json_object();
            char where[32] = "-";

            if (drive != NULL) {
                drive_place_text(drive->doc, where);
            }
            row_number(row, "DG", index);
            row_text(row, "Name", doc_text(vd, "name"));
            row_number(row, "Row", place);
            row_text(row, "EID:Slot", where);
            row_text(row, "State", doc_text(member, "state"));
            row_text(row, "SN", drive != NULL ? doc_text(drive->doc, "serial") : "-");
            rows_append(rows, row);
        }
    }
}

static void damaged_rows(json_t *rows, const struct model *model, const json_t *damaged)
{
    const json_t *item = NULL;
    size_t i = 0;

    json_array_foreach(damaged, i, item)
    {
        const struct model_object *drive =
            model_find(model, OBJECT_KIND_DRIVE, doc_text(item, "drive"));
        json_t *row = json_object();
        char where[32] = "-";

        if (drive != NULL) {
            drive_place_text(drive->doc, where);
        }
        row_text(row, "EID:Slot", where);
        row_text(row, "Remark", doc_text(json_object_get(item, "reason"), "text"));
        rows_append(rows, row);
    }
}

static void rows_set_or_drop(json_t *data, const char *name, json_t *rows)
{
    if (json_array_size(rows) > 0) {
        row_set(data, name, rows);
    } else {
        json_decref(rows);
    }
}

static void sets_show(struct cli_context *context, const json_t *answer, json_t *data)
{
    bool all = option_has(context, "all");
    json_t *sets = json_array();
    json_t *vds = json_array();
    json_t *members = json_array();
    json_t *damaged = json_array();
    const json_t *set = NULL;
    size_t i = 0;

    json_array_foreach(json_object_get(answer, "sets"), i, set)
    {
        set_row(sets, i, set);
        if (all) {
            vd_rows(vds, i, set);
            member_rows(members, context->model, i, set);
        }
    }
    if (all) {
        damaged_rows(damaged, context->model, json_object_get(answer, "damaged"));
    }
    if (json_array_size(sets) > 0) {
        row_number(data, "Total foreign Drive Groups", json_array_size(sets));
    }
    rows_set_or_drop(data, "FOREIGN CONFIGURATION", sets);
    rows_set_or_drop(data, "FOREIGN VD LIST", vds);
    rows_set_or_drop(data, "FOREIGN TOPOLOGY", members);
    rows_set_or_drop(data, "DAMAGED METADATA", damaged);
}

void show_foreign(struct cli_context *context)
{
    const struct model_list *controllers = &context->model->lists[OBJECT_KIND_CONTROLLER];
    struct client_answer answer = {NULL, NULL};
    json_t *drives = foreign_drives(context->model);
    json_t *data = NULL;
    json_t *args = NULL;

    if (json_array_size(drives) == 0 || controllers->count == 0) {
        json_decref(drives);
        cli_answer(context, "Couldn't find any foreign Configuration", NULL);
        return;
    }
    args = json_pack("{s:s, s:{s:s}}", "name", "foreign", "args", "controller",
                     controllers->items[0].key);
    if (!client_ask(context->client, "query", args, &answer, context->failure)) {
        context->failed = true;
        json_decref(drives);
        return;
    }
    data = json_object();
    sets_show(context, answer.result, data);
    row_number(data, "Total foreign drive Count", json_array_size(drives));
    row_set(data, "FOREIGN PD LIST", drives);
    json_decref(answer.result);
    json_decref(answer.reason);
    cli_answer(context, "Operation on foreign configuration Succeeded", data);
}
