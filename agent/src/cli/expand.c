/*
 * expand, show expansion: a virtual drive grows into the free space directly behind it. The size
 * that is typed is what it is to have then.
 */
#include <stdio.h>
#include <string.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

#define OP "vd_expand"

static uint64_t expansion_u64(const struct model_object *vd, const char *name)
{
    return doc_u64(json_object_get(vd->doc, "expansion"), name);
}

static void expand_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    const char *size = option_value(context, "size");
    uint64_t bytes = 0;
    char message[REQUEST_TEXT_BYTES] = "";
    int error = CLI_ERROR_GENERIC;

    if (size == NULL || !cli_size_parse(size, &bytes)) {
        (void)snprintf(message, sizeof(message),
                       "size= must be the size it is to have, such as 100GB, or all");
    } else {
        json_t *args = json_pack("{s:s}", "virtual_drive", vd->key);

        if (bytes != 0) {
            row_number(args, "size_bytes", bytes);
        }
        error = cli_execute(context, OP, args, NULL, message);
    }
    change_row_vd(data, vd->doc, error, message);
}

void change_vd_expand(struct cli_context *context)
{
    struct change change = {.rows = json_array(), .verb = "Expand VD", .operation = "Expand"};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, expand_visit, &change);
    change_finish(context, &change, missing);
}

/* What could be added, as StorCLI says it; it never takes more drives. */
static void show_visit(struct cli_context *context UNUSED, const struct model_object *vd,
                       void *rows)
{
    const json_t *blocked = json_object_get(json_object_get(vd->doc, "blocked"), OP);
    uint64_t size_bytes = doc_u64(vd->doc, "size_bytes");
    uint64_t maximum_bytes = expansion_u64(vd, "maximum_bytes");
    json_t *row = json_object();
    char text[FORMAT_BYTES];

    row_number(row, "VD", doc_u64(vd->doc, "index"));
    row_text(row, "Size", format_size(size_bytes, text));
    row_text(row, "OCE", blocked == NULL ? "Y" : "N");
    row_text(row, "NoArrExp",
             maximum_bytes > size_bytes ? format_size(maximum_bytes - size_bytes, text) : "0 KB");
    row_text(row, "WithArrExp", "-");
    row_text(row, "Status", blocked == NULL ? "Possible" : doc_text(blocked, "text"));
    rows_append(rows, row);
}

void show_vd_expansion(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *rows = json_array();
    json_t *data = json_object();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, show_visit, rows);
    row_set(data, "EXPANSION INFORMATION", rows);
    show_finish(context, "None", missing, data);
}
