/*
 * What commands on several objects have in common: see change.h.
 */
#include "cli/change.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "cli/health.h"
#include "cli/local_time.h"
#include "cli/rows.h"
#include "cli/screen_text.h"

/* The word that confirms a command, as it is typed. */
static void confirm_advise(const json_t *reason, char message[REQUEST_TEXT_BYTES])
{
    const char *expected = doc_text(json_object_get(reason, "params"), "expected");
    bool plain = expected[strspn(expected, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                           "0123456789._:-")] == '\0';

    (void)snprintf(message, REQUEST_TEXT_BYTES,
                   plain ? "It has to be confirmed. Repeat with confirm=%.200s"
                         : "It has to be confirmed. Repeat with \"confirm=%.200s\"",
                   expected);
}

int cli_execute(struct cli_context *context, const char *op, json_t *args, const char *confirm,
                char message[REQUEST_TEXT_BYTES])
{
    json_t *status = NULL;
    int error = 0;

    (void)snprintf(message, REQUEST_TEXT_BYTES, "-");
    if (context->failed) {
        json_decref(args);
        return CLI_ERROR_GENERIC;
    }
    if (!client_command(context->client, cli_controller(context)->key, op, json_incref(args),
                        confirm, &status, context->failure)) {
        json_decref(args);
        context->failed = true;
        return CLI_ERROR_GENERIC;
    }
    json_t *reason = json_object_get(status, "reason");
    bool succeeded = strcmp(doc_text(status, "state"), "succeeded") == 0;
    if (!succeeded || strcmp(doc_text(reason, "code"), "ok") != 0) { /* done, but worth a word */
        model_renumber(reason, context->shift);
        error = succeeded ? 0 : cli_error_number(doc_text(reason, "code"));
        (void)snprintf(message, REQUEST_TEXT_BYTES, "%s", doc_text(reason, "text"));
        (void)screen_text_whole(message);
        if (strcmp(doc_text(reason, "code"), "confirm_needed") == 0) {
            confirm_advise(reason, message);
        } else if (strcmp(doc_text(reason, "code"), "invalid_argument") == 0) {
            (void)cli_argument_wrong(context, args, reason, message);
        }
    }
    json_decref(args);
    json_decref(status);
    return error;
}

static void error_keep(struct change *change, int error)
{
    if (change->error == 0) {
        change->error = error;
    }
}

void change_row_drive(struct change *change, const json_t *drive, int error, const char *message)
{
    rows_append(change->rows,
                json_pack("{s:s, s:s, s:i, s:s}", "Drive", doc_text(drive, "path"), "Status",
                          error == 0 ? "Success" : "Failure", "ErrCd", error, "ErrMsg", message));
    error_keep(change, error);
}

void change_row_vd(struct change *change, const json_t *vd, int error, const char *message)
{
    rows_append(change->rows,
                json_pack("{s:I, s:s, s:s, s:i, s:s}", "VD", (json_int_t)doc_u64(vd, "index"),
                          "Operation", change->operation, "Status",
                          error == 0 ? "Success" : "Failed", "ErrCd", error, "ErrMsg", message));
    error_keep(change, error);
}

void change_finish(struct cli_context *context, struct change *change, json_t *missing)
{
    char description[128];

    if (json_array_size(missing) > 0) {
        error_keep(change, CLI_ERROR_GENERIC);
        (void)json_array_extend(change->rows, missing);
    }
    json_decref(missing);
    if (json_array_size(change->rows) == 0) {
        rows_append(change->rows,
                    json_pack("{s:s, s:s, s:i, s:s}", "Object", "-", "Status", "Failure", "ErrCd",
                              CLI_ERROR_GENERIC, "ErrMsg", "Nothing found"));
        error_keep(change, CLI_ERROR_GENERIC);
    }
    (void)snprintf(description, sizeof(description), "%s %s.", change->verb,
                   change->error == 0 ? "Succeeded" : "Failed");
    if (change->error == 0 && !change->noted) {
        json_decref(change->rows);
        change->rows = NULL;
    }
    report_add(&context->report, context->number, change->error, description, change->rows, NULL);
}

static void drive_visit(struct cli_context *context, const struct model_object *drive, void *data)
{
    struct change *change = data;
    char message[REQUEST_TEXT_BYTES];
    const char *confirm = change->confirm;
    int error = CLI_ERROR_GENERIC;

    if (confirm != NULL && confirm[0] == '\0') { /* "force" vouches for the serial number */
        confirm = doc_text(drive->doc, "serial");
    }
    if (change->refusal != NULL) { /* what was typed makes no arguments, perhaps */
        (void)snprintf(message, sizeof(message), "%s", change->refusal);
    } else {
        error =
            cli_execute(context, change->op, change->make_args(context, drive), confirm, message);
    }
    change->noted = change->noted || strcmp(message, "-") != 0;
    change_row_drive(change, drive->doc, error, message);
}

/* The drive that is missed at this address: the key of its finding; NULL: none is. */
static const char *away_key(const struct cli_context *context, const char *code, const char *path)
{
    const json_t *findings[HEALTH_FINDINGS_MAX];
    uint32_t count = health_findings(context->model, findings);

    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(doc_text(findings[i], "code"), code) == 0 &&
            strcmp(doc_text(findings[i], "path"), path) == 0) {
            return doc_text(findings[i], "key");
        }
    }
    return NULL;
}

/* Of the drives that are not there, those that are missed are named by that. */
static void away_visit(struct cli_context *context, struct change *change, json_t *missing)
{
    for (size_t i = json_array_size(missing); i > 0; i--) {
        const char *path = doc_text(json_array_get(missing, i - 1), "Drive");
        const char *key = away_key(context, change->away, path);

        if (key != NULL) {
            json_t *doc = json_pack("{s:s}", "path", path);
            struct model_object drive = {.key = key, .doc = doc};

            drive_visit(context, &drive, change);
            json_decref(doc);
            (void)json_array_remove(missing, i - 1);
        }
    }
}

void change_drives(struct cli_context *context, struct change change)
{
    json_t *missing = json_array();

    change.rows = json_array();
    context->absent_too = true;
    cli_each_drive(context, missing, drive_visit, &change);
    if (change.away != NULL) {
        away_visit(context, &change, missing);
    }
    change_finish(context, &change, missing);
}

static void vd_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    struct change *change = data;
    char message[REQUEST_TEXT_BYTES];
    int error =
        cli_execute(context, change->op, change->make_args(context, vd), change->confirm, message);

    change_row_vd(change, vd->doc, error, message);
}

void change_vds(struct cli_context *context, struct change change)
{
    json_t *missing = json_array();

    change.rows = json_array();
    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_visit, &change);
    change_finish(context, &change, missing);
}

const char *change_task_word(const struct cli_context *context)
{
    static const char *const words[] = {"start", "stop", "pause", "resume"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(context->request.words[0], words[i]) == 0) {
            return words[i];
        }
    }
    return "pause"; /* "suspend" */
}

bool change_hour_parse(const char *typed, uint64_t *ret_at_us)
{
    struct tm local = {.tm_isdst = -1};
    int used = 0;

    typed += typed[0] == '"' ? 1 : 0;
    if (sscanf(typed, "%4d/%2d/%2d %2d%n", &local.tm_year, &local.tm_mon, &local.tm_mday,
               &local.tm_hour, &used) != 4 ||
        (typed[used] != '\0' && strcmp(typed + used, "\"") != 0)) {
        return false;
    }
    local.tm_year -= 1900;
    local.tm_mon -= 1;
    return local_time_us(&local, ret_at_us);
}

bool change_name_ask(const char *warning, const char *path, const char *name, char out[80])
{
    if (!isatty(STDIN_FILENO)) {
        return false;
    }
    (void)fprintf(stderr, "This %s virtual drive %s.\nType its name (%s) to go on: ", warning, path,
                  name);
    if (fgets(out, 80, stdin) == NULL) {
        out[0] = '\0'; /* who ends the input declines */
        (void)fputc('\n', stderr);
    }
    out[strcspn(out, "\n")] = '\0';
    return true;
}
