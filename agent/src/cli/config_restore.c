/*
 * /cX set config: builds a saved configuration again, all of it or nothing.
 *
 * (1) Nothing is begun before the whole document has been read, checked and planned.
 * (2) What was made is undone in reverse order if a later step is refused: all of it is new, so
 *     nothing of anybody's is lost with it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/config.h"
#include "cli/rows.h"

struct restoring {
    struct config_plan plan;
    json_t *undo; /* [{op, args, confirm, object}], the last first */
    char vd[80];  /* key of the virtual drive made last */
};

static void undo_add(struct restoring *restoring, const char *op, json_t *args, const char *confirm,
                     const char *object)
{
    ASSERT(json_array_insert_new(restoring->undo, 0,
                                 json_pack("{s:s, s:o, s:s?, s:s}", "op", op, "args", args,
                                           "confirm", confirm, "object", object)) == 0);
}

/* The key for "@N" and "@"; other words as they are. */
static const char *reference_resolve(const struct restoring *restoring, const char *word)
{
    if (word == NULL || word[0] != '@') {
        return word;
    }
    if (word[1] == '\0') {
        return restoring->vd;
    }
    const char *key = json_string_value(
        json_array_get(restoring->plan.groups, (size_t)strtoul(word + 1, NULL, 10)));
    ASSERT(key != NULL); /* a group's steps stand before those that are for it */
    return key;
}

static json_t *args_resolve(const struct restoring *restoring, const json_t *step)
{
    static const char *const names[] = {"drive_group", "virtual_drive"};
    json_t *args = json_deep_copy(json_object_get(step, "args"));
    json_t *keys = json_object_get(args, "drive_groups");

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *word = json_string_value(json_object_get(args, names[i]));

        if (word != NULL) {
            row_text(args, names[i], reference_resolve(restoring, word));
        }
    }
    for (size_t i = 0; i < json_array_size(keys); i++) {
        const char *word = json_string_value(json_array_get(keys, i));

        ASSERT(json_array_set_new(keys, i, json_string(reference_resolve(restoring, word))) == 0);
    }
    return args;
}

/* The key of the first object of that kind the command has made, or "". */
static const char *made_key(const json_t *status, const char *kind)
{
    const json_t *object;
    size_t i;

    json_array_foreach(json_object_get(status, "objects"), i, object)
    {
        if (strcmp(doc_text(object, "kind"), kind) == 0) {
            return doc_text(object, "key");
        }
    }
    return "";
}

/* Learns the key of the group that was made with the virtual drive. False: there is none. */
static bool group_note(struct cli_context *context, struct restoring *restoring, const json_t *args)
{
    const char *first = json_string_value(json_array_get(json_object_get(args, "drives"), 0));
    const json_t *saved;
    size_t i;

    if (first == NULL) {
        return true; /* beside another in its group */
    }
    const struct model_object *vd =
        cli_picture_renew(context)
            ? model_find(context->model, OBJECT_KIND_VIRTUAL_DRIVE, restoring->vd)
            : NULL;
    json_array_foreach(json_object_get(restoring->plan.config, "drive_groups"), i, saved)
    {
        const json_t *drive = json_array_get(json_object_get(saved, "drives"), 0);

        if (vd != NULL && strcmp(doc_text(drive, "drive"), first) == 0) {
            ASSERT(json_array_set_new(restoring->plan.groups, i,
                                      json_string(doc_text(vd->doc, "drive_group"))) == 0);
        }
    }
    return vd != NULL;
}

/* False: it is not to be found, though it was done. */
static bool done_note(struct cli_context *context, struct restoring *restoring, const char *op,
                      const json_t *args, const json_t *status)
{
    if (strcmp(op, "vd_create") == 0) {
        (void)snprintf(restoring->vd, sizeof(restoring->vd), "%s",
                       made_key(status, "virtual_drive"));
        undo_add(restoring, "vd_delete",
                 json_pack("{s:s, s:b}", "virtual_drive", restoring->vd, "force", true),
                 doc_text(args, "name"), doc_text(args, "name"));
        return group_note(context, restoring, args);
    }
    if (strcmp(op, "spare_add") == 0) {
        undo_add(restoring, "spare_remove", json_pack("{s:s}", "drive", doc_text(args, "drive")),
                 NULL, doc_text(args, "drive"));
    } else if (strcmp(op, "controller_set") == 0) {
        json_t *before = config_settings(cli_controller(context)->doc);

        row_text(before, "controller", doc_text(args, "controller"));
        undo_add(restoring, op, before, NULL, "settings");
    }
    return true;
}

/* False with text: this step was not done. */
static bool step_run(struct cli_context *context, struct restoring *restoring, const json_t *step,
                     char text[REQUEST_TEXT_BYTES])
{
    const char *op = doc_text(step, "op");
    json_t *args = args_resolve(restoring, step);
    json_t *status = NULL;

    if (!client_command(context->client, cli_controller(context)->key, op, json_incref(args), NULL,
                        &status, context->failure)) {
        context->failed = true;
        json_decref(args);
        return false;
    }
    bool succeeded = strcmp(doc_text(status, "state"), "succeeded") == 0;
    if (succeeded && !done_note(context, restoring, op, args, status)) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "arrayd does not show what it has made");
        succeeded = false;
    } else if (!succeeded) {
        json_t *reason = json_object_get(status, "reason");

        model_renumber(reason, context->shift);
        (void)snprintf(text, REQUEST_TEXT_BYTES, "%s", doc_text(reason, "text"));
    }
    json_decref(args);
    json_decref(status);
    return succeeded && !context->failed;
}

static void row_add(struct cli_context *context, json_t *rows, const char *object,
                    const char *message)
{
    rows_append(rows,
                json_pack("{s:i, s:s, s:s, s:i, s:s}", "Ctrl", context->number, "Status", "Failed",
                          "Property", object, "ErrCd", CLI_ERROR_GENERIC, "ErrMsg", message));
}

/* (2). False: not all of it could be undone, as the rows say. */
static bool undo_run(struct cli_context *context, struct restoring *restoring, json_t *rows)
{
    const json_t *undo;
    bool undone = true;
    size_t i;

    json_array_foreach(restoring->undo, i, undo)
    {
        char text[REQUEST_TEXT_BYTES];

        if (cli_execute(context, doc_text(undo, "op"), json_incref(json_object_get(undo, "args")),
                        json_string_value(json_object_get(undo, "confirm")), text) != 0) {
            char message[REQUEST_TEXT_BYTES + 32];

            (void)snprintf(message, sizeof(message), "could not be undone: %s", text);
            row_add(context, rows, doc_text(undo, "object"), message);
            undone = false;
        }
    }
    return undone;
}

static json_t *steps_shown(const struct config_plan *plan)
{
    json_t *rows = json_array();
    const json_t *step;
    size_t i;

    json_array_foreach(plan->steps, i, step)
    {
        rows_append(rows,
                    json_pack("{s:i, s:s, s:s}", "Step", (int)i + 1, "Object",
                              doc_text(step, "object"), "Operation", doc_text(step, "shown")));
    }
    return rows;
}

/* Takes the rows. */
static void failed(struct cli_context *context, const char *description, json_t *rows)
{
    report_add(&context->report, context->number, CLI_ERROR_GENERIC, description, rows, NULL);
}

static void restore(struct cli_context *context, struct restoring *restoring)
{
    const struct config_plan *plan = &restoring->plan;
    const json_t *step;
    size_t i;

    json_array_foreach(plan->steps, i, step)
    {
        char text[REQUEST_TEXT_BYTES];

        if (!step_run(context, restoring, step, text)) {
            json_t *rows = json_array();

            if (context->failed) { /* arrayd is gone: what was made stays, and shows */
                json_decref(rows);
                return;
            }
            row_add(context, rows, doc_text(step, "object"), text);
            if (undo_run(context, restoring, rows)) {
                failed(context, "Set Config Failed. What it had made was undone.", rows);
            } else {
                failed(context, "Set Config Failed. Not all that it had made could be undone.",
                       rows);
            }
            return;
        }
    }
    cli_answer(context, "Set Config Succeeded.",
               json_pack("{s:i, s:o}", "Steps", (int)json_array_size(plan->steps), "Steps Done",
                         steps_shown(plan)));
}

static void plan_refuse(struct cli_context *context, const struct config_plan *plan)
{
    json_t *rows = json_array();
    const json_t *refusal;
    size_t i;

    json_array_foreach(plan->refusals, i, refusal)
    {
        row_add(context, rows, doc_text(refusal, "object"), doc_text(refusal, "text"));
    }
    failed(context, "Set Config Failed. Nothing was changed.", rows);
}

void config_set(struct cli_context *context)
{
    const char *file = option_value(context, "file");
    struct restoring restoring = {.undo = NULL};
    char text[REQUEST_TEXT_BYTES];
    json_t *config = NULL;

    if (file == NULL) {
        cli_refuse(context, "Set Config Failed.", CLI_ERROR_GENERIC,
                   "file= must name a configuration that get config has saved");
        return;
    }
    config = config_read(file, text); /* (1) */
    if (config == NULL) {
        cli_refuse(context, "Set Config Failed.", CLI_ERROR_GENERIC, text);
        return;
    }
    config_plan_make(context, config, &restoring.plan);
    restoring.undo = json_array();
    if (json_array_size(restoring.plan.refusals) > 0 && !context->failed) {
        plan_refuse(context, &restoring.plan);
    } else if (option_has(context, "dryrun") && !context->failed) {
        cli_answer(context, "Dry run: nothing was changed.",
                   json_pack("{s:i, s:o}", "Steps", (int)json_array_size(restoring.plan.steps),
                             "Steps To Do", steps_shown(&restoring.plan)));
    } else if (!context->failed) {
        restore(context, &restoring);
    }
    json_decref(restoring.undo);
    config_plan_free(&restoring.plan);
}
