/*
 * /cX show health, and the support bundle that /cX show alilog is here.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/health.h"
#include "cli/rows.h"
#include "cli/show.h"

#define NOTES_MAX 64u

void show_health(struct cli_context *context)
{
    static struct health_note notes[NOTES_MAX];
    uint32_t count = health_notes(context->model, notes, NOTES_MAX);
    json_t *data = json_object();
    json_t *rows = json_array();

    row_text(data, "Controller Status", controller_status_shown(cli_controller(context)->doc));
    row_number(data, "Findings", count);
    for (uint32_t i = 0; i < count; i++) {
        json_t *row = json_object();

        row_text(row, "Object", notes[i].object);
        row_text(row, "Health", health_word(notes[i].health));
        row_text(row, "Finding", notes[i].text);
        rows_append(rows, row);
    }
    row_set(data, "Health", rows);
    cli_answer(context, "None", data);
}

/* What the bundle holds: each as if it had been typed. */
static const struct {
    enum cli_object object;
    const char *option;
    void (*run)(struct cli_context *context);
} parts[] = {
    {CLI_OBJECT_CONTROLLER, NULL, show_health},
    {CLI_OBJECT_CONTROLLER, "all", show_controller_all},
    {CLI_OBJECT_ENCLOSURE, "all", show_enclosure},
    {CLI_OBJECT_DRIVE, "all", show_drive},
    {CLI_OBJECT_GROUP, "all", show_group},
    {CLI_OBJECT_VD, "all", show_vd},
    {CLI_OBJECT_CONTROLLER, NULL, show_preserved_cache},
    {CLI_OBJECT_FOREIGN, NULL, show_foreign},
};

static void part_run(struct cli_context *context, size_t i)
{
    struct cli_request *request = &context->request;

    request->object = parts[i].object;
    request->has_enclosure = true;
    request->enclosures.all = true;
    request->drives.all = true;
    request->groups.all = true;
    request->vds.all = true;
    context->option_count = 0;
    if (parts[i].option != NULL) {
        context->options[context->option_count++] = (struct cli_option){parts[i].option, NULL};
    }
    parts[i].run(context);
}

static void battery_run(struct cli_context *context)
{
    const struct model_object *battery = cli_battery(context->model);

    if (battery != NULL) {
        context->request.object =
            battery_is_vault(battery->doc) ? CLI_OBJECT_CACHEVAULT : CLI_OBJECT_BBU;
        context->option_count = 0;
        context->options[context->option_count++] = (struct cli_option){"all", NULL};
        show_battery(context);
    }
}

void show_support_bundle(struct cli_context *context)
{
    const char *file = option_value(context, "file");
    struct cli_request asked = context->request;
    struct report kept = context->report;
    FILE *out = file != NULL ? fopen(file, "we") : stdout;

    if (out == NULL) {
        cli_refuse_file(context, "Show AliLog Failed.", file);
        return;
    }
    report_init(&context->report);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        part_run(context, i);
    }
    battery_run(context);
    report_print_text(&context->report, out);
    report_done(&context->report);
    context->report = kept;
    context->request = asked;
    context->option_count = 0;
    bool complete = events_dump(context, out);
    if ((file != NULL && fclose(out) != 0) || !complete) {
        cli_refuse_file(context, "Show AliLog Failed.", file != NULL ? file : "standard output");
    } else {
        cli_answer(context, "None", NULL);
    }
}
