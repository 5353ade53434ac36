/*
 * Commands on foreign configurations. /fN names a set by its number in `show`.
 */
#include <stdio.h>
#include <string.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

struct import {
    json_t *rows;
    uint32_t done;
    int error; /* of the first failure */
};

/* What came of a set. All rows are shown if one of the sets was refused. */
static void import_row(struct import *import, size_t index, int error, const char *message)
{
    rows_append(import->rows, json_pack("{s:I, s:s, s:i, s:s}", "DG", (json_int_t)index, "Status",
                                        error == 0 ? "Success" : "Failure", "ErrCd", error,
                                        "ErrMsg", error == 0 ? "-" : message));
    import->done += error == 0 ? 1 : 0;
    import->error = import->error == 0 ? error : import->error;
}

static void import_one(struct cli_context *context, size_t index, const json_t *set,
                       struct import *import)
{
    char message[REQUEST_TEXT_BYTES];
    int error =
        cli_execute(context, "foreign_import",
                    json_pack("{s:s, s:s, s:s}", "controller", cli_controller(context)->key, "set",
                              doc_text(set, "id"), "digest", doc_text(set, "digest")),
                    NULL, message);

    import_row(import, index, error, message);
}

/* No set; but a hot spare or a single drive of one may be there, which is no set by itself. */
static void none_answer(struct cli_context *context)
{
    const struct model_list *drives = &context->model->lists[OBJECT_KIND_DRIVE];
    char text[256] = "Couldn't find any foreign Configuration";

    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *doc = drives->items[i].doc;

        if (doc_bool(doc, "present") && doc_bool(doc, "foreign")) {
            (void)snprintf(text, sizeof(text),
                           "Couldn't find any foreign Configuration. %s is foreign but belongs to "
                           "no set that is here: free it with \"%s set good force\"",
                           doc_text(doc, "path"), doc_text(doc, "path"));
            break;
        }
    }
    cli_answer(context, text, NULL);
}

static void import_finish(struct cli_context *context, struct import *import)
{
    if (import->error != 0) {
        report_add(&context->report, context->number, import->error,
                   import->error == CLI_ERROR_FOREIGN_INCOMPLETE
                       ? "Incomplete foreign configuration"
                       : "Import foreign configuration Failed.",
                   import->rows, NULL);
        return;
    }
    json_decref(import->rows);
    if (import->done == 0) {
        none_answer(context);
        return;
    }
    cli_answer(context, "Successfully imported foreign configuration", NULL);
}

void change_foreign_import(struct cli_context *context)
{
    struct import import = {.rows = json_array()};
    json_t *answer = NULL;
    const json_t *set = NULL;
    size_t i = 0;

    if (option_has(context, "preview")) {
        json_decref(import.rows);
        show_foreign_preview(context);
        return;
    }
    answer = foreign_ask(context);
    if (answer == NULL) {
        json_decref(import.rows);
        return;
    }
    json_array_foreach(json_object_get(answer, "sets"), i, set)
    {
        if (numbers_have(&context->request.others, i) && !context->failed) {
            import_one(context, i, set, &import);
        }
    }
    for (uint32_t n = 0; n < context->request.others.count; n++) {
        if (context->request.others.values[n] >= json_array_size(json_object_get(answer, "sets"))) {
            import_row(&import, context->request.others.values[n], CLI_ERROR_GENERIC, "Not found");
        }
    }
    json_decref(answer);
    import_finish(context, &import);
}

/* Clearing */

static void clear_one(struct cli_context *context, size_t index, const json_t *set,
                      struct import *clear)
{
    const char *name = doc_text(set, "name");
    const char *confirm = option_value(context, "confirm");
    char message[REQUEST_TEXT_BYTES];
    char typed[80];
    char path[32];
    int error = CLI_ERROR_GENERIC;

    (void)snprintf(path, sizeof(path), "/c%u/f%zu", context->number, index);
    if (confirm == NULL && option_has(context, "force")) {
        confirm = name;
    } else if (confirm == NULL &&
               change_name_ask("clears the foreign configuration", path, name, typed)) {
        confirm = typed;
    }
    if (confirm == NULL) {
        (void)snprintf(message, sizeof(message),
                       "Its drives would be free for other use. Repeat with force, or with "
                       "confirm=%s",
                       name);
    } else {
        error =
            cli_execute(context, "foreign_clear",
                        json_pack("{s:s, s:s, s:s}", "controller", cli_controller(context)->key,
                                  "set", doc_text(set, "id"), "digest", doc_text(set, "digest")),
                        confirm, message);
    }
    import_row(clear, index, error, message);
}

static void clear_finish(struct cli_context *context, struct import *clear)
{
    if (clear->error != 0) {
        report_add(&context->report, context->number, clear->error,
                   "Delete foreign configuration Failed.", clear->rows, NULL);
        return;
    }
    json_decref(clear->rows);
    if (clear->done == 0) {
        none_answer(context);
        return;
    }
    cli_answer(context, "Successfully deleted foreign configuration", NULL);
}

/* Of several sets a typed name chooses; one that none of them has is refused for each. */
static bool is_chosen(const struct cli_context *context, const json_t *sets, const json_t *set)
{
    const char *confirm = option_value(context, "confirm");
    const json_t *other = NULL;
    size_t i = 0;

    if (confirm == NULL || strcmp(doc_text(set, "name"), confirm) == 0) {
        return true;
    }
    json_array_foreach(sets, i, other)
    {
        if (numbers_have(&context->request.others, i) &&
            strcmp(doc_text(other, "name"), confirm) == 0) {
            return false;
        }
    }
    return true;
}

void change_foreign_clear(struct cli_context *context)
{
    struct import clear = {.rows = NULL};
    json_t *answer = NULL;
    const json_t *set = NULL;
    size_t i = 0;

    if (option_has(context, "preview")) {
        show_foreign_preview(context);
        return;
    }
    answer = foreign_ask(context);
    if (answer == NULL) {
        return;
    }
    clear.rows = json_array();
    json_array_foreach(json_object_get(answer, "sets"), i, set)
    {
        if (numbers_have(&context->request.others, i) && !context->failed &&
            is_chosen(context, json_object_get(answer, "sets"), set)) {
            clear_one(context, i, set, &clear);
        }
    }
    for (uint32_t n = 0; n < context->request.others.count; n++) {
        if (context->request.others.values[n] >= json_array_size(json_object_get(answer, "sets"))) {
            import_row(&clear, context->request.others.values[n], CLI_ERROR_GENERIC, "Not found");
        }
    }
    json_decref(answer);
    clear_finish(context, &clear);
}
