/*
 * What arrayctl shows, except the event log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/assert.h"
#include "cli/command.h"
#include "cli/rows.h"

static void data_set(json_t *data, const char *name, json_t *value)
{
    ASSERT(json_object_set_new(data, name, value) == 0);
}

static void append(json_t *list, json_t *row)
{
    ASSERT(json_array_append_new(list, row) == 0);
}

static void now_text(char out[32], bool comma)
{
    time_t now = time(NULL);
    struct tm local;

    out[0] = '\0';
    if (localtime_r(&now, &local) != NULL) {
        (void)strftime(out, 32, comma ? "%m/%d/%Y, %H:%M:%S" : "%m/%d/%Y %H:%M:%S", &local);
    }
}

static uint32_t present_drives(const struct model *model)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    uint32_t count = 0;

    for (uint32_t i = 0; i < drives->count; i++) {
        count += doc_bool(drives->items[i].doc, "present");
    }
    return count;
}

static uint32_t not_optimal(const struct model_list *list)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        count += strcmp(doc_text(list->items[i].doc, "state"), "optimal") != 0;
    }
    return count;
}

static const char *controller_status_shown(const json_t *doc)
{
    const char *status = doc_text(doc, "status");

    return strcmp(status, "optimal") == 0           ? "Optimal"
           : strcmp(status, "needs_attention") == 0 ? "Needs Attention"
           : strcmp(status, "degraded") == 0        ? "Degraded"
                                                    : "Failed";
}

/* The overview's short word for the battery. */
static const char *battery_word(const struct model *model)
{
    const struct model_object *battery = cli_battery(model);
    const char *state = battery != NULL ? doc_text(battery->doc, "state") : NULL;

    return state == NULL                    ? "-"
           : strcmp(state, "optimal") == 0  ? "Opt"
           : strcmp(state, "missing") == 0  ? "Msng"
           : strcmp(state, "failed") == 0   ? "Fld"
           : strcmp(state, "charging") == 0 ? "Chrg"
           : strcmp(state, "learning") == 0 ? "Lrn"
           : strcmp(state, "unknown") == 0  ? "Unkn"
                                            : "Dgd";
}

static json_t *overview_row(const struct model *model, const json_t *controller)
{
    const char *status = doc_text(controller, "status");
    json_t *row = json_object();

    row_number(row, "Ctl", doc_u64(controller, "index"));
    row_text(row, "Model", doc_text(controller, "model"));
    row_number(row, "Ports", 0);
    row_number(row, "PDs", present_drives(model));
    row_number(row, "DGs", model->lists[OBJECT_KIND_DRIVE_GROUP].count);
    row_number(row, "DNOpt", not_optimal(&model->lists[OBJECT_KIND_DRIVE_GROUP]));
    row_number(row, "VDs", model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count);
    row_number(row, "VNOpt", not_optimal(&model->lists[OBJECT_KIND_VIRTUAL_DRIVE]));
    row_text(row, "BBU", battery_word(model));
    row_text(row, "sPR", "Off");
    row_text(row, "DS", "-");
    row_text(row, "EHS", "N");
    row_number(row, "ASOs", 0);
    row_text(row, "Hlth",
             strcmp(status, "optimal") == 0  ? "Opt"
             : strcmp(status, "failed") == 0 ? "Fld"
                                             : "NdAtn");
    return row;
}

void show_host(struct cli_context *context)
{
    const struct model_list *controllers = &context->model->lists[OBJECT_KIND_CONTROLLER];
    const struct model_list *hosts = &context->model->lists[OBJECT_KIND_HOST];
    json_t *rows = json_array();
    json_t *data = json_object();

    for (uint32_t i = 0; i < controllers->count; i++) {
        append(rows, overview_row(context->model, controllers->items[i].doc));
    }
    row_number(data, "Number of Controllers", controllers->count);
    row_text(data, "Host Name", hosts->count > 0 ? doc_text(hosts->items[0].doc, "hostname") : "");
    row_text(data, "Operating System ",
             hosts->count > 0 ? doc_text(hosts->items[0].doc, "kernel") : "");
    data_set(data, "System Overview", rows);
    report_add(&context->report, -1, 0, "None", NULL, data);
}

void show_controller_count(struct cli_context *context)
{
    json_t *data = json_object();

    row_number(data, "Controller Count", context->model->lists[OBJECT_KIND_CONTROLLER].count);
    report_add(&context->report, -1, 0, "None", NULL, data);
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
    data_set(data, "TOPOLOGY", topology);
    list = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    for (uint32_t i = 0; i < list->count; i++) {
        append(vds, vd_row(model, list->items[i].doc));
    }
    row_number(data, "Virtual Drives", list->count);
    data_set(data, "VD LIST", vds);
    list = &model->lists[OBJECT_KIND_DRIVE];
    for (uint32_t i = 0; i < list->count; i++) {
        if (doc_bool(list->items[i].doc, "present")) {
            append(drives, drive_row(model, list->items[i].doc));
        }
    }
    row_number(data, "Physical Drives", present_drives(model));
    data_set(data, "PD LIST", drives);
    list = &model->lists[OBJECT_KIND_ENCLOSURE];
    for (uint32_t i = 0; i < list->count; i++) {
        append(enclosures, enclosure_row(model, list->items[i].doc));
    }
    row_number(data, "Enclosures", list->count);
    data_set(data, "Enclosure LIST", enclosures);
    if (battery != NULL) {
        json_t *rows = json_array();

        append(rows, battery_summary_row(battery->doc));
        data_set(data, battery_is_vault(battery->doc) ? "Cachevault_Info" : "BBU_Info", rows);
    }
}

void show_controller(struct cli_context *context)
{
    const json_t *doc = cli_controller(context)->doc;
    json_t *data = json_object();
    char text[32];

    row_text(data, "Product Name", doc_text(doc, "model"));
    row_text(data, "Serial Number", doc_text(doc, "serial"));
    row_text(data, "SAS Address", "N/A");
    row_text(data, "PCI Address", "N/A");
    now_text(text, false);
    row_text(data, "System Time", text);
    row_text(data, "Mfg. Date", "N/A");
    row_text(data, "Controller Time", text);
    row_text(data, "FW Package Build", doc_text(doc, "firmware_version"));
    row_text(data, "BIOS Version", "N/A");
    row_text(data, "FW Version", doc_text(doc, "firmware_version"));
    row_text(data, "Driver Name", "megaraid_sas");
    row_text(data, "Driver Version", doc_text(doc, "firmware_version"));
    row_text(data, "Host Interface", "NBD");
    row_text(data, "Device Interface", "io_uring");
    controller_lists(context->model, data);
    report_add(&context->report, (int)doc_u64(doc, "index"), 0, "None", NULL, data);
}

static json_t *section_basics(const json_t *doc)
{
    json_t *section = json_object();
    char text[32];

    now_text(text, true);
    row_number(section, "Controller", doc_u64(doc, "index"));
    row_text(section, "Model", doc_text(doc, "model"));
    row_text(section, "Serial Number", doc_text(doc, "serial"));
    row_text(section, "Current Controller Date/Time", text);
    row_text(section, "Current System Date/time", text);
    row_text(section, "SAS Address", "N/A");
    row_text(section, "PCI Address", "N/A");
    row_text(section, "Mfg Date", "00/00/00");
    row_text(section, "Rework Date", "00/00/00");
    row_text(section, "Revision No", "");
    return section;
}

static json_t *section_version(const json_t *doc)
{
    json_t *section = json_object();

    row_text(section, "Firmware Package Build", doc_text(doc, "firmware_version"));
    row_text(section, "Firmware Version", doc_text(doc, "firmware_version"));
    row_text(section, "Bios Version", "N/A");
    row_text(section, "Driver Name", "megaraid_sas");
    row_text(section, "Driver Version", doc_text(doc, "firmware_version"));
    return section;
}

static json_t *section_hardware(const struct model *model, const json_t *doc)
{
    json_t *section = json_object();
    char memory[32];

    (void)snprintf(memory, sizeof(memory), "%lluMB",
                   (unsigned long long)(doc_u64(doc, "cache_bytes") >> 20));

    row_number(section, "Backend Port Count", 0);
    row_text(section, "BBU", cli_battery(model) != NULL ? "Present" : "Absent");
    row_text(section, "Alarm", "Absent");
    row_text(section, "On Board Memory Size", memory);
    row_text(section, "Temperature Sensor for ROC", "Absent");
    row_text(section, "Temperature Sensor for Controller", "Absent");
    return section;
}

static json_t *section_cache(const json_t *cache)
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
    return section;
}

static void levels_text(const json_t *doc, char *out, size_t capacity)
{
    const json_t *rule;
    size_t index;

    out[0] = '\0';
    json_array_foreach(json_object_get(doc, "levels"), index, rule)
    {
        char type[16];
        size_t at = strlen(out);

        level_type(doc_text(rule, "level"), type);
        (void)snprintf(out + at, capacity - at, "%s%s%s", index > 0 ? ", " : "", type,
                       strcmp(type, "RAID1") == 0    ? "(2 or more drives)"
                       : strcmp(type, "RAID10") == 0 ? "(2 or more drives per span)"
                                                     : "");
    }
}

static json_t *section_capabilities(const json_t *doc)
{
    const json_t *strips = json_object_get(doc, "strip_sizes_bytes");
    json_t *section = json_object();
    char text[256];

    levels_text(doc, text, sizeof(text));
    row_text(section, "RAID Level Supported", text);
    row_text(section, "Enable JBOD", "No");
    row_text(section, "Mix of SSD/HDD in VD", "No");
    if (json_array_size(strips) > 0) {
        const json_t *last = json_array_get(strips, json_array_size(strips) - 1);

        (void)snprintf(text, sizeof(text), "%lld KB",
                       (long long)json_integer_value(json_array_get(strips, 0)) / 1024);
        row_text(section, "Min Strip Size", text);
        (void)snprintf(text, sizeof(text), "%.1f MB", (double)json_integer_value(last) / 1048576.0);
        row_text(section, "Max Strip Size", text);
    }
    return section;
}

static json_t *section_policies(const json_t *doc)
{
    json_t *section = json_object();
    json_t *rows = json_array();
    char rebuild[16];
    char bgi[16];

    (void)snprintf(rebuild, sizeof(rebuild), "%u %%",
                   (unsigned)doc_u64(doc, "rebuild_rate_percent"));
    (void)snprintf(bgi, sizeof(bgi), "%u %%", (unsigned)doc_u64(doc, "bgi_rate_percent"));
    append(rows, json_pack("{s:s, s:s, s:s}", "Policy", "Rebuild Rate", "Current", rebuild,
                           "Default", "30%"));
    append(rows,
           json_pack("{s:s, s:s, s:s}", "Policy", "BGI Rate ", "Current", bgi, "Default", "30%"));
    data_set(section, "Policies Table", rows);
    row_text(section, "Auto Rebuild", doc_bool(doc, "auto_rebuild") ? "On" : "Off");
    return section;
}

void show_controller_all(struct cli_context *context)
{
    const json_t *doc = cli_controller(context)->doc;
    const struct model_object *battery = cli_battery(context->model);
    json_t *data = json_object();

    data_set(data, "Basics", section_basics(doc));
    data_set(data, "Version", section_version(doc));
    data_set(data, "Bus",
             json_pack("{s:s, s:s}", "Host Interface", "NBD", "Device Interface", "io_uring"));
    data_set(
        data, "Status",
        json_pack("{s:s, s:i, s:i, s:s, s:o}", "Controller Status", controller_status_shown(doc),
                  "Memory Correctable Errors", 0, "Memory Uncorrectable Errors", 0,
                  "Any Offline VD Cache Preserved",
                  json_array_size(json_object_get(json_object_get(doc, "cache"), "preserved")) > 0
                      ? "Yes"
                      : "No",
                  "BBU Status",
                  battery != NULL ? json_integer(battery_status_number(battery->doc))
                                  : json_string("NA")));
    data_set(data, "HwCfg", section_hardware(context->model, doc));
    if (json_is_object(json_object_get(doc, "cache"))) {
        data_set(data, "Cache", section_cache(json_object_get(doc, "cache")));
    }
    data_set(data, "Policies", section_policies(doc));
    data_set(data, "Capabilities", section_capabilities(doc));
    data_set(data, "Scheduled Tasks",
             json_pack("{s:s, s:s, s:s, s:s}", "Consistency Check Reoccurrence", "NA",
                       "Next Consistency check launch", "NA", "Patrol Read Reoccurrence", "NA",
                       "Next Patrol Read launch", "NA"));
    controller_lists(context->model, data);
    report_add(&context->report, (int)doc_u64(doc, "index"), 0, "None", NULL, data);
}

void show_controller_property(struct cli_context *context)
{
    const json_t *doc = cli_controller(context)->doc;
    const char *noun = context->request.words[1];
    bool rebuild = strcasecmp(noun, "rebuildrate") == 0;
    json_t *data = json_object();
    char value[16];

    if (strcasecmp(noun, "autorebuild") == 0) {
        data_set(data, "Controller Properties",
                 json_pack("[{s:s, s:s}]", "Ctrl_Prop", "AutoRebuild", "Value",
                           doc_bool(doc, "auto_rebuild") ? "ON" : "OFF"));
    } else {
        (void)snprintf(
            value, sizeof(value), "%u%%",
            (unsigned)doc_u64(doc, rebuild ? "rebuild_rate_percent" : "bgi_rate_percent"));
        data_set(data, "Controller Properties",
                 json_pack("[{s:s, s:s}]", "Ctrl_Prop", rebuild ? "Rebuildrate" : "BGI Rate",
                           "Value", value));
    }
    report_add(&context->report, (int)doc_u64(doc, "index"), 0, "None", NULL, data);
}

void show_finish(struct cli_context *context, const char *description, json_t *missing,
                 json_t *data)
{
    bool failed = json_array_size(missing) > 0;

    if (failed) {
        report_add(&context->report, 0, CLI_ERROR_GENERIC, description, missing, data);
    } else {
        json_decref(missing);
        report_add(&context->report, 0, 0, description, NULL, data);
    }
}

static void enclosure_visit(struct cli_context *context, const struct model_object *object,
                            void *rows)
{
    append(rows, enclosure_row(context->model, object->doc));
}

void show_enclosure(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *rows = json_array();
    json_t *data = json_object();

    cli_each_numbered(context, OBJECT_KIND_ENCLOSURE, missing, enclosure_visit, rows);
    data_set(data, "Properties", rows);
    show_finish(context, "None", missing, data);
}

static void drive_visit(struct cli_context *context, const struct model_object *object, void *rows)
{
    append(rows, drive_row(context->model, object->doc));
}

static void drive_all_visit(struct cli_context *context, const struct model_object *object,
                            void *data)
{
    char name[96];
    json_t *rows = json_array();

    append(rows, drive_row(context->model, object->doc));
    (void)snprintf(name, sizeof(name), "Drive %s", doc_text(object->doc, "path"));
    data_set(data, name, rows);
    (void)snprintf(name, sizeof(name), "Drive %s - Detailed Information",
                   doc_text(object->doc, "path"));
    data_set(data, name, drive_details(context->model, object->doc));
}

void show_drive(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *data = json_object();
    size_t found = 0;

    if (option_has(context, "all")) {
        cli_each_drive(context, missing, drive_all_visit, data);
        found = json_object_size(data);
    } else {
        json_t *rows = json_array();

        cli_each_drive(context, missing, drive_visit, rows);
        found = json_array_size(rows);
        data_set(data, "Drive Information", rows);
    }
    if (found == 0 && json_array_size(missing) == 0) {
        append(missing, json_pack("{s:s, s:s, s:i, s:s}", "Drive", "-", "Status", "Failure",
                                  "ErrCd", CLI_ERROR_GENERIC, "ErrMsg", "No drive found!"));
    }
    if (found == 0) {
        json_decref(data);
        data = NULL;
    }
    show_finish(context,
                found > 0 ? "Show Drive Information Succeeded." : "Show Drive Information Failed.",
                missing, data);
}

static void rebuild_visit(struct cli_context *context, const struct model_object *object,
                          void *rows)
{
    append(rows, drive_progress_row(context->model, object));
}

void show_rebuild(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *rows = json_array();

    cli_each_drive(context, missing, rebuild_visit, rows);
    show_finish(context, "Show Drive Rebuild Status Succeeded.", missing, rows);
}

struct group_lists {
    json_t *topology, *vds, *drives, *free_space;
};

static void group_visit(struct cli_context *context, const struct model_object *object, void *data)
{
    struct group_lists *lists = data;
    const struct model *model = context->model;
    const struct model_list *list = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    topology_rows(lists->topology, model, object);
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(doc_text(list->items[i].doc, "drive_group"), object->key) == 0) {
            append(lists->vds, vd_row(model, list->items[i].doc));
        }
    }
    list = &model->lists[OBJECT_KIND_DRIVE];
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(doc_text(list->items[i].doc, "drive_group"), object->key) == 0) {
            append(lists->drives, drive_row(model, list->items[i].doc));
        }
    }
    if (doc_u64(object->doc, "free_bytes") > 0) {
        json_t *row = json_object();

        row_number(row, "DG", doc_u64(object->doc, "index"));
        row_size(row, "Size", doc_u64(object->doc, "free_bytes"));
        append(lists->free_space, row);
    }
}

void show_group(struct cli_context *context)
{
    struct group_lists lists = {json_array(), json_array(), json_array(), json_array()};
    json_t *missing = json_array();
    json_t *data = json_object();

    cli_each_numbered(context, OBJECT_KIND_DRIVE_GROUP, missing, group_visit, &lists);
    data_set(data, "TOPOLOGY", lists.topology);
    data_set(data, "VD LIST", lists.vds);
    data_set(data, "DG Drive LIST", lists.drives);
    if (json_array_size(lists.free_space) > 0) {
        data_set(data, "FREE SPACE DETAILS", lists.free_space);
    } else {
        json_decref(lists.free_space);
    }
    if (json_array_size(missing) > 0) { /* "Not found" is the status of a missing group */
        const json_t *row;
        size_t index;

        json_array_foreach(missing, index, row)
        {
            data_set((json_t *)(uintptr_t)row, "Status", json_string("Not found"));
        }
    }
    show_finish(context, "Show Diskgroup Succeeded", missing, data);
}

static void vd_visit(struct cli_context *context, const struct model_object *object, void *rows)
{
    append(rows, vd_row(context->model, object->doc));
}

static void vd_all_visit(struct cli_context *context, const struct model_object *object, void *data)
{
    const struct model_list *drives = &context->model->lists[OBJECT_KIND_DRIVE];
    unsigned index = (unsigned)doc_u64(object->doc, "index");
    json_t *rows = json_array();
    json_t *members = json_array();
    char name[64];

    append(rows, vd_row(context->model, object->doc));
    data_set(data, doc_text(object->doc, "path"), rows);
    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *drive = drives->items[i].doc;

        if (strcmp(doc_text(drive, "drive_group"), doc_text(object->doc, "drive_group")) == 0) {
            append(members, drive_row(context->model, drive));
        }
    }
    (void)snprintf(name, sizeof(name), "PDs for VD %u", index);
    data_set(data, name, members);
    (void)snprintf(name, sizeof(name), "VD%u Properties", index);
    data_set(data, name, vd_properties(context->model, object));
}

void show_vd(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *data = json_object();

    if (option_has(context, "all")) {
        cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_all_visit, data);
    } else {
        json_t *rows = json_array();

        cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_visit, rows);
        data_set(data, "Virtual Drives", rows);
    }
    bool none = context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count == 0;
    show_finish(context, none ? "No VDs have been configured." : "None", missing, data);
}

struct vd_operation_rows {
    json_t *rows;
    const char *operation;
};

static void vd_operation_visit(struct cli_context *context, const struct model_object *object,
                               void *data)
{
    struct vd_operation_rows *rows = data;

    /* Of the background work StorCLI knows, only BGI exists here. */
    if (strcmp(rows->operation, "BGI") == 0) {
        append(rows->rows, vd_progress_row(context->model, object, rows->operation));
    } else {
        append(rows->rows,
               json_pack("{s:i, s:s, s:s, s:s, s:s}", "VD", (int)doc_u64(object->doc, "index"),
                         "Operation", rows->operation, "Progress%", "-", "Status",
                         "Not in progress", "Estimated Time Left", "-"));
    }
}

void show_vd_operation(struct cli_context *context)
{
    static const struct {
        const char *noun;
        const char *shown;
    } names[] = {
        {"bgi", "BGI"}, {"init", "INIT"}, {"cc", "CC"}, {"migrate", "Migrate"}, {"erase", "ERASE"}};
    struct vd_operation_rows rows = {json_array(), "BGI"};
    json_t *missing = json_array();
    json_t *data = json_object();

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcasecmp(context->request.words[1], names[i].noun) == 0) {
            rows.operation = names[i].shown;
        }
    }
    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_operation_visit, &rows);
    data_set(data, "VD Operation Status", rows.rows);
    show_finish(context, "None", missing, data);
}

void show_foreign(struct cli_context *context)
{
    const struct model_list *list = &context->model->lists[OBJECT_KIND_DRIVE];
    json_t *rows = json_array();

    for (uint32_t i = 0; i < list->count; i++) {
        if (doc_bool(list->items[i].doc, "foreign") && doc_bool(list->items[i].doc, "present")) {
            append(rows, drive_row(context->model, list->items[i].doc));
        }
    }
    if (json_array_size(rows) == 0) {
        json_decref(rows);
        report_add(&context->report, 0, 0, "Couldn't find any foreign Configuration", NULL, NULL);
        return;
    }
    json_t *data = json_object();
    row_number(data, "Total foreign drive Count", json_array_size(rows));
    data_set(data, "FOREIGN PD LIST", rows);
    report_add(&context->report, 0, 0, "Operation on foreign configuration Succeeded", NULL, data);
}
