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
static void level_short(const json_t *vd, char out[16])
{
    (void)snprintf(out, 16, "%.*s", (int)strcspn(doc_text(vd, "level"), " "),
                   doc_text(vd, "level"));
}

static void set_row(json_t *rows, size_t index, const json_t *set)
{
    const json_t *vds = json_object_get(set, "virtual_drives");
    json_t *row = json_object();
    const json_t *vd = NULL;
    uint64_t bytes = 0;
    char level[16] = "-";
    size_t i = 0;

    json_array_foreach(vds, i, vd)
    {
        bytes += doc_u64(vd, "size_bytes");
    }
    row_number(row, "DG", index);
    row_text(row, "EID:Slot", "-");
    if (json_array_size(vds) > 0) {
        level_short(json_array_get(vds, 0), level);
    }
    row_text(row, "Type", level);
    row_text(row, "State", "Frgn");
    row_size(row, "Size", bytes);
    row_number(row, "NoVDs", json_array_size(vds));
    rows_append(rows, row);
}

static const char *remark(const json_t *set, const json_t *vd)
{
    const json_t *reason = json_object_get(set, "refusal");

    if (!json_is_object(reason)) {
        reason = json_object_get(vd, "reason");
    }
    return json_is_object(reason) ? doc_text(reason, "text") : "-";
}

static void vd_rows(json_t *rows, size_t index, const json_t *set)
{
    const json_t *vd = NULL;
    size_t i = 0;

    json_array_foreach(json_object_get(set, "virtual_drives"), i, vd)
    {
        json_t *row = json_object();

        row_number(row, "DG", index);
        row_text(row, "Name", doc_text(vd, "name"));
        row_text(row, "Type", doc_text(vd, "level"));
        row_text(row, "Format", doc_text(set, "format"));
        row_text(row, "State", doc_text(vd, "state"));
        row_text(row, "Consist", doc_bool(vd, "consistent") ? "Yes" : "No");
        row_size(row, "Size", doc_u64(vd, "size_bytes"));
        row_text(row, "Import", doc_text(vd, "outcome"));
        row_text(row, "As", doc_is_null(vd, "imported_as") ? "-" : doc_text(vd, "imported_as"));
        row_text(row, "Remark", remark(set, vd));
        rows_append(rows, row);
    }
}

/* What stands against an import; `show all` has it beside the virtual drives. */
static void refused_row(json_t *rows, size_t index, const json_t *set)
{
    const json_t *reason = json_object_get(set, "refusal");
    json_t *row = NULL;

    if (!json_is_object(reason)) {
        return;
    }
    row = json_object();
    row_number(row, "DG", index);
    row_text(row, "Remark", doc_text(reason, "text"));
    rows_append(rows, row);
}

static void foreign_topology_rows(json_t *rows, const struct model *model, size_t index,
                                  const json_t *set)
{
    const json_t *vd = json_array_get(json_object_get(set, "virtual_drives"), 0);
    char level[16];
    struct topology_row values = {.group = index,
                                  .array = -1,
                                  .row = -1,
                                  .place = "-",
                                  .did = -1,
                                  .type = level,
                                  .state = "Frgn",
                                  .bytes = doc_u64(vd, "size_bytes"),
                                  .drive_cache = "dflt",
                                  .free_space = "-"};
    const json_t *member = NULL;
    size_t place = 0;

    level_short(vd, level);
    topology_append(rows, &values);
    json_array_foreach(json_object_get(vd, "members"), place, member)
    {
        const struct model_object *drive =
            model_find(model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));
        char where[32] = "-";

        if (drive != NULL) {
            drive_place_text(drive->doc, where);
        }
        values.array = 0;
        values.row = (int64_t)place;
        values.place = where;
        values.did = drive != NULL ? (int64_t)doc_u64(drive->doc, "did") : -1;
        values.type = "DRIVE";
        values.state = drive != NULL ? "Frgn" : "Msng";
        values.bytes = drive != NULL ? doc_u64(drive->doc, "size_bytes") : 0;
        topology_append(rows, &values);
    }
}

/* What each drive of the set says, and what an import does with it. */
static void drive_rows(json_t *rows, const struct model *model, size_t index, const json_t *set)
{
    const json_t *item = NULL;
    size_t i = 0;

    json_array_foreach(json_object_get(set, "drive_states"), i, item)
    {
        const struct model_object *drive =
            model_find(model, OBJECT_KIND_DRIVE, doc_text(item, "drive"));
        json_t *row = json_object();
        char where[32] = "-";

        if (drive != NULL) {
            drive_place_text(drive->doc, where);
        }
        row_number(row, "DG", index);
        row_text(row, "EID:Slot", where);
        row_number(row, "Seq", doc_u64(item, "sequence"));
        row_text(row, "State", doc_text(item, "state"));
        row_text(row, "Import", doc_text(item, "outcome"));
        rows_append(rows, row);
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

static bool is_incomplete(const json_t *set)
{
    const json_t *reason = json_object_get(set, "refusal");

    return json_is_object(reason) && strcmp(doc_text(reason, "code"), "foreign_incomplete") == 0;
}

/* True: one of them is not complete. */
static bool sets_show(struct cli_context *context, const json_t *answer, bool all, json_t *data)
{
    json_t *sets = json_array();
    json_t *vds = json_array();
    json_t *topology = json_array();
    json_t *drives = json_array();
    json_t *damaged = json_array();
    json_t *refused = json_array();
    const json_t *set = NULL;
    bool incomplete = false;
    size_t i = 0;

    json_array_foreach(json_object_get(answer, "sets"), i, set)
    {
        set_row(sets, i, set);
        incomplete = incomplete || is_incomplete(set);
        if (all) {
            vd_rows(vds, i, set);
            foreign_topology_rows(topology, context->model, i, set);
            drive_rows(drives, context->model, i, set);
        } else {
            refused_row(refused, i, set);
        }
    }
    if (all) {
        damaged_rows(damaged, context->model, json_object_get(answer, "damaged"));
    }
    if (json_array_size(sets) > 0) {
        row_number(data, "Total foreign Drive Groups", json_array_size(sets));
    }
    rows_set_or_drop(data, "FOREIGN CONFIGURATION", sets);
    rows_set_or_drop(data, "FOREIGN CONFIGURATION REMARKS", refused);
    rows_set_or_drop(data, "FOREIGN VD LIST", vds);
    rows_set_or_drop(data, "Foreign Topology", topology);
    rows_set_or_drop(data, "FOREIGN DRIVE LIST", drives);
    rows_set_or_drop(data, "DAMAGED METADATA", damaged);
    return incomplete;
}

json_t *foreign_ask(struct cli_context *context)
{
    struct client_answer answer = {NULL, NULL};
    json_t *args = json_pack("{s:s, s:{s:s}}", "name", "foreign", "args", "controller",
                             cli_controller(context)->key);

    if (!client_ask(context->client, "query", args, &answer, context->failure)) {
        context->failed = true;
        return NULL;
    }
    json_decref(answer.reason);
    return answer.result != NULL ? answer.result : json_object();
}

static void foreign_show(struct cli_context *context, bool all)
{
    json_t *drives = foreign_drives(context->model);
    json_t *answer = cli_controller(context) != NULL ? foreign_ask(context) : json_object();
    uint64_t count = json_array_size(drives);
    json_t *data = NULL;
    bool incomplete = false;

    if (answer == NULL) {
        json_decref(drives);
        return;
    }
    if (count == 0 && json_array_size(json_object_get(answer, "sets")) == 0 &&
        json_array_size(json_object_get(answer, "damaged")) == 0) {
        json_decref(drives);
        json_decref(answer);
        if (all) {
            cli_refuse(context, "None", CLI_ERROR_NO_FOREIGN, "no foreign configuration");
        } else {
            cli_answer(context, "Couldn't find any foreign Configuration", NULL);
        }
        return;
    }
    data = json_object();
    incomplete = sets_show(context, answer, all, data);
    row_number(data, "Total foreign drive Count", count);
    if (incomplete) {
        row_number(data, "Total Foreign PDs", count);
        row_number(data, "Total Locked Foreign PDs", 0);
    }
    row_set(data, "FOREIGN PD LIST", drives);
    json_decref(answer);
    report_add(&context->report, context->number, incomplete ? CLI_ERROR_FOREIGN_INCOMPLETE : 0,
               incomplete ? "Incomplete foreign configuration"
                          : "Operation on foreign configuration Succeeded",
               NULL, data);
}

void show_foreign(struct cli_context *context)
{
    foreign_show(context, option_has(context, "all"));
}

void show_foreign_preview(struct cli_context *context)
{
    foreign_show(context, true);
}
