/*
 * What is shown without naming a controller: the overview of the host, and the one command of
 * the older MegaCLI that health checks still call.
 */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "cli/rows.h"
#include "cli/show.h"

static uint32_t not_optimal(const struct model_list *list)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        count += strcmp(doc_text(list->items[i].doc, "state"), "optimal") != 0;
    }
    return count;
}

/* The overview's short word for the battery. */
static const char *battery_word(const struct model *model)
{
    static const char *const words[BATTERY_STATE_MAX] = {
        [BATTERY_STATE_OPTIMAL] = "Opt",     [BATTERY_STATE_CHARGING] = "Chrg",
        [BATTERY_STATE_DISCHARGING] = "Dgd", [BATTERY_STATE_LEARNING] = "Lrn",
        [BATTERY_STATE_LOW] = "Dgd",         [BATTERY_STATE_DEGRADED] = "Dgd",
        [BATTERY_STATE_FAILED] = "Fld",      [BATTERY_STATE_MISSING] = "Msng",
        [BATTERY_STATE_UNKNOWN] = "Unkwn"};
    const struct model_object *battery = cli_battery(model);
    enum battery_state state = BATTERY_STATE_UNKNOWN;

    if (battery == NULL) {
        return "-";
    }
    (void)battery_state_parse(doc_text(battery->doc, "state"), &state);
    return words[state];
}

static const char *health_word(const json_t *controller)
{
    const char *status = doc_text(controller, "status");

    return strcmp(status, "optimal") == 0    ? "Opt"
           : strcmp(status, "failed") == 0   ? "Fld"
           : strcmp(status, "starting") == 0 ? "Strt"
                                             : "NdAtn";
}

static json_t *overview_row(const struct model *model, const json_t *controller)
{
    json_t *row = json_object();
    bool emergency =
        doc_bool(controller, "emergency_spare") || doc_bool(controller, "emergency_unconfigured");

    row_number(row, "Ctl", doc_u64(controller, "index"));
    row_text(row, "Model", doc_text(controller, "model"));
    row_number(row, "Ports", controller_port_count(model));
    row_number(row, "PDs", controller_drive_count(model));
    row_number(row, "DGs", model->lists[OBJECT_KIND_DRIVE_GROUP].count);
    row_number(row, "DNOpt", not_optimal(&model->lists[OBJECT_KIND_DRIVE_GROUP]));
    row_number(row, "VDs", model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count);
    row_number(row, "VNOpt", not_optimal(&model->lists[OBJECT_KIND_VIRTUAL_DRIVE]));
    row_text(row, "BBU", battery_word(model));
    row_text(row, "sPR", patrol_is_scheduled(controller) ? "On" : "Off");
    row_text(row, "DS", "-");
    row_text(row, "EHS", emergency ? "Y" : "N");
    row_number(row, "ASOs", 0);
    row_text(row, "Hlth", health_word(controller));
    return row;
}

static uint32_t controllers_reached(const struct cli_context *context)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < context->controller_count; i++) {
        const struct model *model = context->controllers[i].model;

        count += model != NULL && model->lists[OBJECT_KIND_CONTROLLER].count > 0;
    }
    return count;
}

void show_host(struct cli_context *context)
{
    const struct model_list *hosts = &context->model->lists[OBJECT_KIND_HOST];
    json_t *rows = json_array();
    json_t *data = json_object();

    for (uint32_t i = 0; i < context->controller_count; i++) {
        const struct model *model = context->controllers[i].model;

        if (model != NULL && model->lists[OBJECT_KIND_CONTROLLER].count > 0) {
            rows_append(rows,
                        overview_row(model, model->lists[OBJECT_KIND_CONTROLLER].items[0].doc));
        }
    }
    row_number(data, "Number of Controllers", controllers_reached(context));
    row_text(data, "Host Name", hosts->count > 0 ? doc_text(hosts->items[0].doc, "hostname") : "");
    row_text(data, "Operating System ",
             hosts->count > 0 ? doc_text(hosts->items[0].doc, "kernel") : "");
    row_set(data, "System Overview", rows);
    report_add(&context->report, -1, 0, "None", NULL, data);
}

void show_controller_count(struct cli_context *context)
{
    json_t *data = json_object();

    row_number(data, "Controller Count", controllers_reached(context));
    report_add(&context->report, -1, 0, "None", NULL, data);
}

/* Drives of one state. */
static uint64_t drives_in(const struct model *model, const char *state)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    uint64_t count = 0;

    for (uint32_t i = 0; i < drives->count; i++) {
        count += strcmp(doc_text(drives->items[i].doc, "state"), state) == 0;
    }
    return count;
}

static uint64_t vds_in(const struct model *model, const char *state)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    uint64_t count = 0;

    for (uint32_t i = 0; i < vds->count; i++) {
        count += strcmp(doc_text(vds->items[i].doc, "state"), state) == 0;
    }
    return count;
}

static void legacy_line(FILE *out, const char *name, uint64_t value)
{
    (void)fprintf(out, "%-33s: %llu\n", name, (unsigned long long)value);
}

void show_legacy_adapter(struct cli_context *context)
{
    const struct model *model = context->model;
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    uint64_t critical = 0;

    for (uint32_t i = 0; i < drives->count; i++) {
        critical += doc_u64(drives->items[i].doc, "predictive_failure_count") > 0;
    }
    (void)printf("\nAdapter #%d\n\n", context->number);
    (void)printf("%-33s: %s\n", "Product Name", doc_text(cli_controller(context)->doc, "model"));
    (void)printf("%-33s: %s\n", "Serial No", doc_text(cli_controller(context)->doc, "serial"));
    legacy_line(stdout, "ROC temperature", 0);
    legacy_line(stdout, "Memory Correctable Errors", 0);
    legacy_line(stdout, "Memory Uncorrectable Errors", 0);
    legacy_line(stdout, "Virtual Drives", model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count);
    legacy_line(stdout, "  Degraded",
                vds_in(model, "degraded") + vds_in(model, "partially_degraded"));
    legacy_line(stdout, "  Offline", vds_in(model, "offline"));
    legacy_line(stdout, "Physical Devices", drives->count);
    legacy_line(stdout, "  Disks", controller_drive_count(model));
    legacy_line(stdout, "  Critical Disks", critical);
    legacy_line(stdout, "  Failed Disks",
                drives_in(model, "failed") + drives_in(model, "unconfigured_bad"));
    (void)fputs("\nExit Code: 0x00\n", stdout);
    context->printed = true;
}
