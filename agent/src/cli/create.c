/*
 * arrayctl create: asks for what a virtual drive needs, one thing after the other, shows what the
 * agent would make of it, and makes it when that is agreed to. On a terminal only; scripts use
 * /cX add vd, and the last question shows how.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/screen_text.h"

#define ANSWER_BYTES 400u
#define PLACES_MAX 256u
#define MODEL_COLUMNS 40u
#define EXIT_DECLINED 1

static bool refuse(struct cli_context *context, const char *text)
{
    cli_refuse(context, "Create Failed. Nothing was changed.", CLI_ERROR_GENERIC, text);
    return false;
}

/* Whoever ends the input, or says no, has not failed. */
static bool decline(struct cli_context *context)
{
    (void)puts("Nothing was changed.");
    context->printed = true;
    context->report.exit_code = EXIT_DECLINED;
    return false;
}

/* False at the end of the input. */
static bool ask(const char *question, char answer[ANSWER_BYTES])
{
    (void)printf("%s: ", question);
    (void)fflush(stdout);
    if (fgets(answer, ANSWER_BYTES, stdin) == NULL) {
        (void)fputc('\n', stdout);
        return false;
    }
    answer[strcspn(answer, "\n")] = '\0';
    return true;
}

static json_t *free_drives(const struct model *model)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    json_t *keys = json_array();

    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *drive = drives->items[i].doc;
        char place[32];
        char shown[4 * MODEL_COLUMNS + 1];
        char size[FORMAT_BYTES];

        if (drive_is_free(drive)) {
            drive_place_text(drive, place);
            (void)printf("  %-8s %12s  %s %s  %s\n", place,
                         format_size(drive_shown_bytes(drive), size), doc_text(drive, "interface"),
                         doc_text(drive, "media"),
                         screen_text_cut(doc_text(drive, "model"), MODEL_COLUMNS, shown));
            rows_append(keys, json_string(drives->items[i].key));
        }
    }
    return keys;
}

static bool controller_choose(struct cli_context *context)
{
    char answer[ANSWER_BYTES];
    char *end = NULL;

    if (context->controller_count == 1) {
        return cli_controller(context) != NULL;
    }
    for (uint32_t i = 0; i < context->controller_count; i++) {
        cli_controller_use(context, i);
        const struct model_object *controller =
            context->model != NULL ? cli_controller(context) : NULL;

        (void)printf("  %u  %s\n", i,
                     controller != NULL ? doc_text(controller->doc, "model") : "not reached");
    }
    if (!ask("Controller", answer)) {
        return decline(context);
    }
    unsigned long number = strtoul(answer, &end, 10);
    if (end == answer || *end != '\0' || number >= context->controller_count) {
        return refuse(context, "there is no such controller");
    }
    cli_controller_use(context, (uint32_t)number);
    return (context->model != NULL && cli_controller(context) != NULL) ||
           refuse(context, "this controller does not answer");
}

static bool drives_choose(struct cli_context *context, json_t *args)
{
    static struct cli_place places[PLACES_MAX];
    char answer[ANSWER_BYTES];
    char text[REQUEST_TEXT_BYTES];
    uint32_t count = 0;

    (void)puts("Drives that are free:");
    json_t *keys = free_drives(context->model);
    if (json_array_size(keys) == 0) {
        json_decref(keys);
        return refuse(context, "no drive is unconfigured and good");
    }
    if (!ask("Which of them (such as 252:0-3,5, or :0-3 outside the enclosures; nothing: all)",
             answer)) {
        json_decref(keys);
        return decline(context);
    }
    if (answer[0] != '\0') {
        json_decref(keys);
        keys = places_parse(answer, places, PLACES_MAX, &count)
                   ? change_drive_keys(context->model, places, count, NULL, text)
                   : NULL;
        if (keys == NULL) {
            return refuse(context,
                          count == 0
                              ? "drives are named as enclosure:slot, or as :number outside the "
                                "enclosures"
                              : text);
        }
    }
    row_set(args, "drives", keys);
    return true;
}

static bool level_fits(const json_t *level, size_t drives)
{
    uint64_t multiple = doc_u64(level, "drives_multiple");

    return drives >= doc_u64(level, "drives_min") && drives <= doc_u64(level, "drives_max") &&
           (multiple == 0 || drives % multiple == 0);
}

static bool level_choose(struct cli_context *context, json_t *args)
{
    const json_t *levels = json_object_get(cli_controller(context)->doc, "levels");
    size_t drives = json_array_size(json_object_get(args, "drives"));
    char answer[ANSWER_BYTES];
    const json_t *level;
    size_t i;

    (void)printf("Levels for %zu drive%s:\n", drives, drives == 1 ? "" : "s");
    json_array_foreach(levels, i, level)
    {
        if (level_fits(level, drives)) {
            (void)printf("  %-7s %s\n", doc_text(level, "level"), doc_text(level, "description"));
        }
    }
    if (!ask("Which of them", answer)) {
        return decline(context);
    }
    json_array_foreach(levels, i, level)
    {
        if (strcasecmp(answer, doc_text(level, "level")) == 0) {
            row_text(args, "level", doc_text(level, "level"));
            return true;
        }
    }
    return refuse(context, "there is no such level");
}

static bool size_choose(struct cli_context *context, json_t *args)
{
    char answer[ANSWER_BYTES];
    uint64_t bytes = 0;

    if (!ask("Size (such as 100GB; nothing: all there is)", answer)) {
        return decline(context);
    }
    if (answer[0] != '\0' && !cli_size_parse(answer, &bytes)) {
        return refuse(context, "this is no size");
    }
    if (bytes != 0) {
        row_number(args, "size_bytes", bytes);
    }
    return true;
}

static bool name_choose(struct cli_context *context, json_t *args)
{
    char answer[ANSWER_BYTES];

    if (!ask("Name (up to 15 characters; nothing: one is chosen)", answer)) {
        return decline(context);
    }
    if (answer[0] != '\0') {
        row_text(args, "name", answer);
    }
    return true;
}

static void reasons_print(const char *word, const json_t *reasons)
{
    const json_t *reason;
    size_t i;

    json_array_foreach(reasons, i, reason)
    {
        (void)printf("  %s: %s\n", word, doc_text(reason, "text"));
    }
}

/* "Write-through: There is no battery." The reason only where the controller chose otherwise. */
static void policy_print(const json_t *policies, const char *name, const char *shown)
{
    const json_t *policy = json_object_get(policies, name);
    const char *effective = doc_text(policy, "effective");
    bool holds = strcmp(doc_text(policy, "requested"), effective) == 0;
    char word[32];

    (void)snprintf(word, sizeof(word), "%s", effective);
    for (char *at = word; *at != '\0'; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    (void)printf("  %s: %s%s%s\n", shown, word, holds ? "" : ". ",
                 holds ? "" : doc_text(json_object_get(policy, "reason"), "text"));
}

/* What would be made; the digest of the plan goes with the command, which makes that or nothing. */
static bool preview_show(struct cli_context *context, json_t *args)
{
    struct client_answer answer;
    char size[FORMAT_BYTES];

    if (!client_ask(context->client, "query",
                    json_pack("{s:s, s:O}", "name", "preview_vd_create", "args", args), &answer,
                    context->failure)) {
        context->failed = true;
        return false;
    }
    const json_t *preview = answer.result;
    bool usable = doc_bool(preview, "ok");
    if (usable) {
        (void)printf("%s, %s, %s\n", doc_text(preview, "level"),
                     format_size(doc_u64(preview, "size_bytes"), size),
                     doc_text(preview, "tolerance"));
        policy_print(json_object_get(preview, "policies"), "write_policy", "writes");
        policy_print(json_object_get(preview, "policies"), "read_policy", "reads");
        policy_print(json_object_get(preview, "policies"), "io_policy", "I/O");
        reasons_print("note", json_object_get(preview, "warnings"));
        (void)printf("As a command: %s\n", doc_text(preview, "cli"));
        row_text(args, "plan_digest", doc_text(preview, "plan_digest"));
    } else {
        reasons_print("refused", json_object_get(preview, "refusals"));
        const json_t *first = json_array_get(json_object_get(preview, "refusals"), 0);
        (void)refuse(context, doc_text(preview != NULL ? first : answer.reason, "text"));
    }
    json_decref(answer.result);
    json_decref(answer.reason);
    return usable;
}

static bool choose(struct cli_context *context, json_t *args)
{
    return drives_choose(context, args) && level_choose(context, args) &&
           size_choose(context, args) && name_choose(context, args) && preview_show(context, args);
}

void change_create_guided(struct cli_context *context)
{
    char answer[ANSWER_BYTES];
    char text[REQUEST_TEXT_BYTES];

    if (!isatty(STDIN_FILENO) || context->request.json) {
        (void)refuse(context, "this asks questions on a terminal; scripts use /cX add vd");
        return;
    }
    if (context->request.object == CLI_OBJECT_NONE && !controller_choose(context)) {
        return;
    }
    json_t *args = json_pack("{s:s}", "controller", cli_controller(context)->key);
    if (!choose(context, args)) {
        json_decref(args);
        return;
    }
    if (!ask("Create it (y/N)", answer) || !word_is_one_of(answer, "y|yes")) {
        json_decref(args);
        (void)decline(context);
        return;
    }
    int error = cli_execute(context, "vd_create", args, NULL, text);
    if (error == 0) {
        cli_answer(context, "Create Succeeded.", NULL);
    } else {
        cli_refuse(context, "Create Failed.", error, text);
    }
}
