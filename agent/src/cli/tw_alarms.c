/*
 * tw_cli's alarms: the events that 3ware has a number for. And its diagnosis, which has all of
 * them.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/event_aen.h"
#include "cli/event_filter.h"
#include "cli/event_shape.h"
#include "cli/show.h"
#include "cli/tw.h"

/* 3ware's words for its numbers. */
static const char *aen_text(uint16_t code)
{
    static const struct {
        uint16_t code;
        const char *text;
    } texts[] = {{0x01, "Controller reset occurred"},
                 {0x02, "Degraded unit"},
                 {0x04, "Rebuild failed"},
                 {0x05, "Rebuild completed"},
                 {0x06, "Incomplete unit detected"},
                 {0x07, "Initialize completed"},
                 {0x08, "Unclean shutdown detected"},
                 {0x09, "Drive timeout detected"},
                 {0x0A, "Drive error detected"},
                 {0x0B, "Rebuild started"},
                 {0x0C, "Initialize started"},
                 {0x0D, "Unit deleted"},
                 {0x0E, "Initialize failed"},
                 {0x0F, "SMART threshold exceeded"},
                 {0x19, "Drive removed"},
                 {0x1A, "Drive inserted"},
                 {0x1E, "Unit inoperable"},
                 {0x1F, "Unit operational"},
                 {0x20, "Prepare for shutdown"},
                 {0x23, "Sector repair completed"},
                 {0x26, "Drive ECC error reported"},
                 {0x29, "Verify started"},
                 {0x2A, "Verify failed"},
                 {0x2B, "Verify completed"},
                 {0x2E, "Replacement drive capacity too small"},
                 {0x36, "Verify fixed data/parity mismatch"},
                 {0x3B, "Rebuild paused"},
                 {0x3C, "Initialize paused"},
                 {0x3D, "Verify paused"},
                 {0x45, "Battery voltage is low"},
                 {0x5F, "Cache synchronization failed; some data lost"}};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].code == code) {
            return texts[i].text;
        }
    }
    return "Event";
}

/* The first unit on the drive group that the event names; NULL: it names none. */
static const struct model_object *unit_of_group(const struct model *model, const json_t *event)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    const char *path = doc_text(json_object_get(event, "params"), "group");

    for (uint32_t i = 0; i < vds->count; i++) {
        const struct model_object *group =
            model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(vds->items[i].doc, "drive_group"));

        if (group != NULL && strcmp(doc_text(group->doc, "path"), path) == 0) {
            return &vds->items[i];
        }
    }
    return NULL;
}

/* ": unit=0, port=1", as far as the event is about them. */
static void place_print(const struct model *model, const json_t *event)
{
    json_t *data = event_shape_data(model, event);
    const json_t *unit = json_object_get(data, "Target Id");
    const json_t *port = json_object_get(data, "Device ID");
    const struct model_object *vd = unit_of_group(model, event);
    bool has_unit = json_is_integer(unit) || vd != NULL;

    if (has_unit) {
        (void)printf(": unit=%llu", json_is_integer(unit)
                                        ? (unsigned long long)json_integer_value(unit)
                                        : (unsigned long long)doc_u64(vd->doc, "index"));
    }
    if (json_is_integer(port)) {
        (void)printf("%sport=%lld", has_unit ? ", " : ": ", (long long)json_integer_value(port));
    }
    json_decref(data);
}

static void alarm_print(const struct cli_context *context, const json_t *event)
{
    const struct event_aen *aen = event_aen_of((uint32_t)doc_u64(event, "code"));
    time_t seconds = (time_t)(doc_u64(event, "wall_us") / 1000000);
    struct tm local;
    char when[40] = "";

    if (aen == NULL) {
        return;
    }
    if (localtime_r(&seconds, &local) != NULL) {
        (void)strftime(when, sizeof(when), "[%a %b %d %Y %H:%M:%S]", &local);
    }
    (void)printf("c%-3d %-27s %-9s %s", context->number, when, aen->severity, aen_text(aen->code));
    place_print(context->model, event);
    (void)fputc('\n', stdout);
}

static bool controller_alarms_print(struct cli_context *context, bool reverse)
{
    const struct event_filter everything = {.since = EVENT_SINCE_EVER};
    json_t *events = events_fitting(context, &everything);
    size_t count = json_array_size(events);

    for (size_t i = 0; i < count; i++) {
        alarm_print(context, json_array_get(events, reverse ? count - 1 - i : i));
    }
    json_decref(events);
    return events != NULL;
}

bool tw_alarms_print(struct cli_context *context, bool all, bool reverse)
{
    uint32_t first = all ? 0 : (uint32_t)context->number;
    uint32_t end = all ? context->controller_count : first + 1;
    bool good = true;

    tw_table_begin("Ctl  Date                        Severity  AEN Message", 78);
    for (uint32_t i = first; good && i < end; i++) {
        if (context->controllers[i].model != NULL) {
            cli_controller_use(context, i);
            good = controller_alarms_print(context, reverse);
        }
    }
    tw_tables_end();
    return good;
}

bool tw_diagnosis_print(struct cli_context *context)
{
    const json_t *controller = cli_controller(context)->doc;
    struct tw_request request = {.object = TW_CONTROLLER, .word_count = 1, .words = {"all"}};

    (void)snprintf(request.path, sizeof(request.path), "/c%d", context->number);
    (void)printf("Diagnostic Information on Controller //localhost/c%d...\n"
                 "---------------------------------------------------------------\n"
                 "Logging started, model %s, serial number %s\n",
                 context->number, doc_text(controller, "model"), doc_text(controller, "serial"));
    bool printed = tw_attributes_print(context->model, &request, cli_controller(context));
    return events_dump(context, stdout) && printed;
}
