/*
 * /cX show and /cX show all.
 */
#include <string.h>

#include "cli/rows.h"
#include "cli/sections.h"
#include "cli/show.h"

const char *controller_status_shown(const json_t *controller)
{
    const char *status = doc_text(controller, "status");

    return strcmp(status, "optimal") == 0           ? "Optimal"
           : strcmp(status, "needs_attention") == 0 ? "Needs Attention"
           : strcmp(status, "degraded") == 0        ? "Degraded"
           : strcmp(status, "starting") == 0        ? "Starting"
                                                    : "Failed";
}

uint32_t controller_drive_count(const struct model *model)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    uint32_t count = 0;

    for (uint32_t i = 0; i < drives->count; i++) {
        count += doc_bool(drives->items[i].doc, "present");
    }
    return count;
}

/* Every bay is a port; a drive outside of all enclosures has one of its own. */
uint64_t controller_port_count(const struct model *model)
{
    const struct model_list *enclosures = &model->lists[OBJECT_KIND_ENCLOSURE];
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    uint64_t count = 0;

    for (uint32_t i = 0; i < enclosures->count; i++) {
        count += doc_u64(enclosures->items[i].doc, "slot_count");
    }
    for (uint32_t i = 0; i < drives->count; i++) {
        count +=
            doc_is_null(drives->items[i].doc, "eid") && doc_bool(drives->items[i].doc, "present");
    }
    return count;
}

/* The lists that both forms of "/cX show" end with. */
static void controller_lists(const struct model *model, json_t *data)
{
    json_t *topology = json_array();
    json_t *vds = json_array();
    json_t *drives = json_array();
    json_t *enclosures = json_array();
    const struct model_list *list = &model->lists[OBJECT_KIND_DRIVE_GROUP];
    const struct model_object *battery = cli_battery(model);

    for (uint32_t i = 0; i < list->count; i++) {
        topology_rows(topology, model, &list->items[i]);
    }
    row_number(data, "Drive Groups", list->count);
    row_set(data, "TOPOLOGY", topology);
    list = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    for (uint32_t i = 0; i < list->count; i++) {
        rows_append(vds, vd_row(model, list->items[i].doc));
    }
    row_number(data, "Virtual Drives", list->count);
    row_set(data, "VD LIST", vds);
    list = &model->lists[OBJECT_KIND_DRIVE];
    for (uint32_t i = 0; i < list->count; i++) {
        if (doc_bool(list->items[i].doc, "present")) {
            rows_append(drives, drive_row(model, list->items[i].doc));
        }
    }
    row_number(data, "Physical Drives", controller_drive_count(model));
    row_set(data, "PD LIST", drives);
    list = &model->lists[OBJECT_KIND_ENCLOSURE];
    for (uint32_t i = 0; i < list->count; i++) {
        rows_append(enclosures, enclosure_row(model, list->items[i].doc));
    }
    row_number(data, "Enclosures", list->count);
    row_set(data, "Enclosure LIST", enclosures);
    if (battery != NULL) {
        json_t *rows = json_array();

        rows_append(rows, battery_summary_row(battery->doc));
        row_set(data, battery_is_vault(battery->doc) ? "Cachevault_Info" : "BBU_Info", rows);
    }
}

static void numbers_set(json_t *data, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) { /* there is no PCI function behind it */
        row_number(data, names[i], 0);
    }
}

void show_controller(struct cli_context *context)
{
    static const char *const ids[] = {"Vendor Id", "Device Id", "SubVendor Id", "SubDevice Id"};
    static const char *const places[] = {"Bus Number", "Device Number", "Function Number",
                                         "Domain ID"};
    const json_t *doc = cli_controller(context)->doc;
    json_t *data = json_object();
    char text[32];

    row_text(data, "Product Name", doc_text(doc, "model"));
    row_text(data, "Serial Number", doc_text(doc, "serial"));
    row_text(data, "SAS Address", "N/A");
    row_text(data, "PCI Address", "N/A");
    sections_now(text, false);
    row_text(data, "System Time", text);
    row_text(data, "Mfg. Date", "00/00/00");
    row_text(data, "Controller Time", text);
    row_text(data, "FW Package Build", doc_text(doc, "firmware_version"));
    row_text(data, "BIOS Version", "N/A");
    row_text(data, "FW Version", doc_text(doc, "firmware_version"));
    row_text(data, "Driver Name", "megaraid_sas");
    row_text(data, "Driver Version", doc_text(doc, "firmware_version"));
    row_text(data, "Current Personality", "RAID-Mode");
    numbers_set(data, ids, sizeof(ids) / sizeof(ids[0]));
    row_text(data, "Host Interface", "NBD");
    row_text(data, "Device Interface", "io_uring");
    numbers_set(data, places, sizeof(places) / sizeof(places[0]));
    row_text(data, "Security Protocol", "None");
    controller_lists(context->model, data);
    cli_answer(context, "None", data);
}

/* Of the cache, for which StorCLI has no section: behind everything else. */
static void cache_section(json_t *data, const json_t *cache)
{
    const json_t *percent = json_object_get(cache, "read_hit_percent");
    json_t *section = json_object();

    row_text(section, "Medium", doc_text(cache, "medium"));
    row_text(section, "State", doc_text(cache, "state"));
    row_text(section, "Survives Power Loss", doc_bool(cache, "survives_power_loss") ? "Yes" : "No");
    row_number(section, "Size KiB", doc_u64(cache, "size_bytes") / 1024);
    row_number(section, "Used KiB", doc_u64(cache, "used_bytes") / 1024);
    row_number(section, "Dirty KiB", doc_u64(cache, "dirty_bytes") / 1024);
    row_number(section, "Dirty Limit KiB", doc_u64(cache, "dirty_limit_bytes") / 1024);
    row_number(section, "Pinned KiB", doc_u64(cache, "pinned_bytes") / 1024);
    row_number(section, "Destage KiB/s", doc_u64(cache, "destage_bytes_per_s") / 1024);
    if (json_is_number(percent)) {
        row_number(section, "Read Hit %", (uint64_t)json_number_value(percent));
    } else {
        row_text(section, "Read Hit %", "NA");
    }
    row_set(data, "Cache", section);
}

void show_controller_all(struct cli_context *context)
{
    const json_t *cache = json_object_get(cli_controller(context)->doc, "cache");
    json_t *data = json_object();

    sections_controller(data, context->model);
    controller_lists(context->model, data);
    if (json_is_object(cache)) {
        cache_section(data, cache);
    }
    cli_answer(context, "None", data);
}
