/*
 * Saved metadata of destructive changes: what can be undone, and the restoring.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

static void row_time(json_t *row, const char *name, uint64_t at_us)
{
    time_t seconds = (time_t)(at_us / 1000000);
    struct tm local;
    char text[32] = "-";

    if (localtime_r(&seconds, &local) != NULL) {
        (void)strftime(text, sizeof(text), "%Y/%m/%d %H:%M:%S", &local);
    }
    row_text(row, name, text);
}

static const char *kind_shown(const char *word)
{
    return strcmp(word, "drive_group") == 0     ? "VD+DG"
           : strcmp(word, "virtual_drive") == 0 ? "VD"
           : strcmp(word, "damaged") == 0       ? "Damgd"
                                                : "Frgn";
}

static const char *refusal_text(const json_t *doc)
{
    const json_t *reason = json_object_get(doc, "refusal");

    return json_is_object(reason) ? doc_text(reason, "text") : "-";
}

static void entry_row(json_t *rows, const json_t *entry)
{
    json_t *row = json_object();

    row_number(row, "Undo", doc_u64(entry, "undo"));
    row_text(row, "Type", kind_shown(doc_text(entry, "kind")));
    row_text(row, "Name", doc_text(entry, "name"));
    row_time(row, "Saved", doc_u64(entry, "saved_at_us"));
    row_time(row, "Until", doc_u64(entry, "until_us"));
    row_text(row, "By", doc_text(entry, "who"));
    row_text(row, "Restorable", doc_is_null(entry, "refusal") ? "Yes" : "No");
    row_text(row, "Remark", refusal_text(entry));
    rows_append(rows, row);
}

static void drive_rows(const struct cli_context *context, json_t *rows, const json_t *entry)
{
    const json_t *item = NULL;
    size_t i = 0;

    json_array_foreach(json_object_get(entry, "drives"), i, item)
    {
        const struct model_object *drive =
            model_find(context->model, OBJECT_KIND_DRIVE, doc_text(item, "drive"));
        json_t *row = json_object();
        char where[32] = "-";

        if (drive != NULL) {
            drive_place_text(drive->doc, where);
        }
        row_number(row, "Undo", doc_u64(entry, "undo"));
        row_text(row, "EID:Slt", where);
        row_text(row, "SN", doc_text(item, "serial"));
        row_text(row, "Remark", refusal_text(item));
        rows_append(rows, row);
    }
}

void show_undo(struct cli_context *context)
{
    struct client_answer answer = {NULL, NULL};
    json_t *rows = NULL;
    json_t *drives = NULL;
    const json_t *entry = NULL;
    size_t i = 0;

    if (cli_controller(context) == NULL) {
        cli_answer(context, "None", NULL);
        return;
    }
    if (!client_ask(context->client, "query",
                    json_pack("{s:s, s:{s:s}}", "name", "undo", "args", "controller",
                              cli_controller(context)->key),
                    &answer, context->failure)) {
        context->failed = true;
        return;
    }
    rows = json_array();
    drives = json_array();
    json_array_foreach(json_object_get(answer.result, "entries"), i, entry)
    {
        entry_row(rows, entry);
        drive_rows(context, drives, entry);
    }
    if (json_array_size(rows) == 0) {
        json_decref(rows);
        json_decref(drives);
        cli_answer(context, "There is nothing to undo", NULL);
    } else {
        cli_answer(context, "None",
                   json_pack("{s:o, s:o}", "UNDO LIST", rows, "UNDO DRIVE LIST", drives));
    }
    json_decref(answer.result);
    json_decref(answer.reason);
}

void change_undo_restore(struct cli_context *context)
{
    char message[REQUEST_TEXT_BYTES];
    uint64_t number = 0;
    int error = 0;

    if (cli_controller(context) == NULL || !option_number(context, "undo", &number) ||
        number == 0 || number > INT64_MAX) {
        cli_refuse(context, "Restore Failed.", CLI_ERROR_GENERIC,
                   "say which one, as show undo lists them, for example undo=3");
        return;
    }
    error = cli_execute(context, "undo_restore",
                        json_pack("{s:s, s:I}", "controller", cli_controller(context)->key, "undo",
                                  (json_int_t)number),
                        NULL, message);
    if (error != 0) {
        cli_refuse(context, "Restore Failed.", error, message);
        return;
    }
    cli_answer(context, strcmp(message, "-") == 0 ? "Restored." : message, NULL);
}
