/*
 * The TOPOLOGY table: a row for a drive group, for each span, for each drive, and behind them for
 * each spare that is dedicated to the group.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/words.h"
#include "cli/report.h"
#include "cli/rows.h"

static void row_number_or_dash(json_t *row, const char *name, int64_t number)
{
    if (number < 0) {
        row_text(row, name, "-");
    } else {
        row_number(row, name, (uint64_t)number);
    }
}

/* The setting of the group's virtual drives for the drives' own cache. */
static const char *drive_cache_shown(const struct model *model, const struct model_object *group)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    for (uint32_t i = 0; i < vds->count; i++) {
        const char *policy = doc_text(vds->items[i].doc, "drive_cache_policy");

        if (strcmp(doc_text(vds->items[i].doc, "drive_group"), group->key) == 0) {
            return strcmp(policy, "on") == 0    ? "enbl"
                   : strcmp(policy, "off") == 0 ? "dsbl"
                                                : "dflt";
        }
    }
    return "dflt";
}

void topology_append(json_t *rows, const struct topology_row *values)
{
    json_t *row = json_object();

    row_number(row, "DG", values->group);
    row_number_or_dash(row, "Arr", values->array);
    row_number_or_dash(row, "Row", values->row);
    row_text(row, "EID:Slot", values->place);
    row_number_or_dash(row, "DID", values->did);
    row_text(row, "Type", values->type);
    row_text(row, "State", values->state);
    row_text(row, "BT", values->spare ? "-" : values->busy ? "Y" : "N");
    row_size(row, "Size", values->bytes);
    row_text(row, "PDC", values->drive_cache);
    row_text(row, "PI", values->spare ? "-" : "N");
    row_text(row, "SED", values->spare ? "-" : "N");
    row_text(row, "DS3", values->spare ? "-" : "none");
    row_text(row, "FSpace", values->free_space);
    row_text(row, "TR", "N");
    rows_append(rows, row);
}

static void topology_member(json_t *rows, const struct model *model, const json_t *member,
                            const struct topology_row *base)
{
    const struct model_object *drive =
        model_find(model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));
    struct topology_row values = *base;
    char place[32] = "-";

    values.state = drive_state_shown(member);
    values.bytes = drive != NULL ? drive_shown_bytes(drive->doc) : 0;
    if (member_is_missing(member)) {
        values.state = MEMBER_MISSING_SHOWN;
    } else if (drive != NULL) {
        const struct model_object *running = model_operation(model, drive->key);

        drive_place_text(drive->doc, place);
        values.did = (int64_t)doc_u64(drive->doc, "did");
        values.busy = values.busy ||
                      (running != NULL && strcmp(doc_text(running->doc, "state"), "running") == 0);
    }
    values.row = (int64_t)doc_u64(member, "row");
    values.place = place;
    values.type = "DRIVE";
    values.free_space = "-";
    topology_append(rows, &values);
}

/* The level within one span: what a RAID 10, 50 or 60 is made of. */
static void span_type(const char *level, char out[16])
{
    level_type(level, out);
    if (strlen(out) == 6 && out[5] == '0') { /* "RAID10" */
        out[5] = '\0';
    }
}

/* With work on all of it: a rebuild is its drive's. */
static bool group_is_busy(const struct model *model, const struct model_object *group)
{
    const struct model_list *operations = &model->lists[OBJECT_KIND_OPERATION];

    for (uint32_t i = 0; i < operations->count; i++) {
        const json_t *doc = operations->items[i].doc;

        if (strcmp(doc_text(doc, "drive_group"), group->key) == 0 &&
            strcmp(doc_text(doc, "kind"), "rebuild") != 0 &&
            strcmp(doc_text(doc, "state"), "running") == 0) {
            return true;
        }
    }
    return false;
}

static void topology_spares(json_t *rows, const struct model *model,
                            const struct model_object *group)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];

    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *drive = drives->items[i].doc;
        char place[32];

        if (!doc_bool(drive, "present") || !spare_is_dedicated(drive, group->key)) {
            continue;
        }
        drive_place_text(drive, place);
        topology_append(rows, &(struct topology_row){.group = doc_u64(group->doc, "index"),
                                                     .array = -1,
                                                     .row = -1,
                                                     .place = place,
                                                     .did = (int64_t)doc_u64(drive, "did"),
                                                     .type = "DRIVE",
                                                     .state = drive_state_shown(drive),
                                                     .spare = true,
                                                     .bytes = drive_shown_bytes(drive),
                                                     .drive_cache = "-",
                                                     .free_space = "-"});
    }
}

void topology_rows(json_t *rows, const struct model *model, const struct model_object *group)
{
    const json_t *members = json_object_get(group->doc, "members");
    const json_t *member;
    size_t index;
    char type[16];
    char inner[16];
    struct topology_row values = {.group = doc_u64(group->doc, "index"),
                                  .array = -1,
                                  .row = -1,
                                  .place = "-",
                                  .did = -1,
                                  .state = vd_state_shown(group->doc),
                                  .busy = group_is_busy(model, group),
                                  .bytes = doc_u64(group->doc, "size_bytes"),
                                  .drive_cache = drive_cache_shown(model, group),
                                  .free_space = doc_u64(group->doc, "free_bytes") > 0 ? "Y" : "N"};

    level_type(doc_text(group->doc, "level"), type);
    span_type(doc_text(group->doc, "level"), inner);
    values.type = type;
    topology_append(rows, &values);
    for (uint64_t span = 0; span < doc_u64(group->doc, "span_count"); span++) {
        values.array = (int64_t)span;
        values.type = inner;
        values.state = span_state_shown(group->doc, span);
        values.bytes = doc_u64(group->doc, "size_bytes") / doc_u64(group->doc, "span_count");
        topology_append(rows, &values);
        json_array_foreach(members, index, member)
        {
            if (doc_u64(member, "span") == span) {
                topology_member(rows, model, member, &values);
            }
        }
    }
    topology_spares(rows, model, group);
}
