/*
 * /cX show health, and the support bundle that /cX show alilog is here.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/health.h"
#include "cli/rows.h"
#include "cli/show.h"

static const char *since_text(const json_t *finding, char out[40])
{
    time_t seconds = (time_t)(doc_u64(finding, "since_us") / 1000000);
    struct tm local;

    out[0] = '\0';
    if (localtime_r(&seconds, &local) != NULL) {
        (void)strftime(out, 40, "%Y/%m/%d %H:%M:%S", &local);
    }
    return out;
}

static json_t *finding_row(const json_t *finding)
{
    json_t *row = json_object();
    char since[40];
    char text[FINDING_TEXT_BYTES];

    (void)snprintf(text, sizeof(text), "%s%s%s", finding_text(finding, "what"),
                   finding_text(finding, "cause")[0] != '\0' ? " " : "",
                   finding_text(finding, "cause"));
    row_text(row, "Object", doc_text(finding, "path"));
    row_text(row, "Health", health_word(health_of_finding(finding)));
    row_text(row, "Code", doc_text(finding, "code"));
    row_text(row, "Since", since_text(finding, since));
    row_text(row, "Finding", text);
    row_text(row, "Consequence", finding_text(finding, "effect"));
    row_text(row, "Next Step", finding_text(finding, "remedy"));
    return row;
}

void show_health(struct cli_context *context)
{
    const json_t *findings[HEALTH_FINDINGS_MAX];
    uint32_t count = health_findings(context->model, findings);
    json_t *data = json_object();
    json_t *rows = json_array();

    row_text(data, "Controller Status", controller_status_shown(cli_controller(context)->doc));
    row_number(data, "Findings", count);
    for (uint32_t i = 0; i < count; i++) {
        rows_append(rows, finding_row(findings[i]));
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
