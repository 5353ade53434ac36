/*
 * The controller as MegaCLI shows it: -AdpAllInfo, of the rows that StorCLI's "show all" has.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/mega.h"
#include "cli/sections.h"
#include "cli/show.h"

#define TITLE_RULE "                ================\n"

/* A line: what MegaCLI prints before the value, and where StorCLI's answer has it. Without a
 * section the text is all of the line; without a key it is a heading. */
struct line {
    const char *shown, *section, *key, *behind;
};

#define HEADING(title) {title, NULL, NULL, NULL}
#define CONSTANT(text) {text, NULL, "", NULL}

static const struct line lines[] = {
    HEADING("    Versions"),
    {"Product Name    : ", "Basics", "Model", ""},
    {"Serial No       : ", "Basics", "Serial Number", ""},
    {"FW Package Build: ", "Version", "Firmware Package Build", ""},
    CONSTANT(""),
    HEADING("    Mfg. Data"),
    {"Mfg. Date       : ", "Basics", "Mfg Date", ""},
    {"Rework Date     : ", "Basics", "Rework Date", ""},
    {"Revision No     : ", "Basics", "Revision No", ""},
    {"Battery FRU     : ", "HwCfg", "BatteryFRU", ""},
    CONSTANT(""),
    HEADING("Image Versions in Flash:"),
    {"BIOS Version       : ", "Version", "Bios Version", ""},
    {"FW Version         : ", "Version", "Firmware Version", ""},
    {"NVDATA Version     : ", "Version", "NVDATA Version", ""},
    {"Boot Block Version : ", "Version", "Boot Block Version", ""},
    CONSTANT(""),
    HEADING("Pending Images in Flash"),
    CONSTANT("None"),
    CONSTANT(""),
    HEADING("PCI Info"),
    CONSTANT("Controller Id   : 0000"),
    CONSTANT("Vendor Id       : 0000"),
    CONSTANT("Device Id       : 0000"),
    CONSTANT("SubVendorId     : 0000"),
    CONSTANT("SubDeviceId     : 0000"),
    CONSTANT(""),
    {"Host Interface  : ", "Bus", "Host Interface", ""},
    CONSTANT(""),
    {"Device Interface  : ", "Bus", "Device Interface", ""},
    CONSTANT(""),
    {"Number of Backend Port: ", "HwCfg", "Backend Port Count", " "},
    CONSTANT(""),
    HEADING("HW Configuration"),
    {"SAS Address      : ", "Basics", "SAS Address", ""},
    {"BBU              : ", "HwCfg", "BBU", ""},
    {"Alarm            : ", "HwCfg", "Alarm", ""},
    CONSTANT("NVRAM            : Absent"),
    {"Serial Debugger  : ", "HwCfg", "Serial Debugger", ""},
    CONSTANT("Memory           : Present"),
    CONSTANT("Flash            : Absent"),
    {"Memory Size      : ", "HwCfg", "On Board Memory Size", ""},
    {"TPM              : ", "HwCfg", "TPM", ""},
    {"On board Expander: ", "HwCfg", "On Board Expander", ""},
    {"Upgrade Key      : ", "HwCfg", "Upgrade Key", ""},
    {"Temperature sensor for ROC    : ", "HwCfg", "Temperature Sensor for ROC", ""},
    {"Temperature sensor for controller    : ", "HwCfg", "Temperature Sensor for Controller", ""},
    CONSTANT(""),
    {"ROC temperature : ", "HwCfg", "ROC temperature(Degree Celsius)", "  degree Celsius"},
    CONSTANT(""),
    HEADING("Settings"),
    {"Current Time                     : ", NULL, "time", ""},
    {"Rebuild Rate                     : ", NULL, "rebuild_rate_percent", "%"},
    {"PR Rate                          : ", NULL, "patrol_rate_percent", "%"},
    {"BGI Rate                         : ", NULL, "bgi_rate_percent", "%"},
    {"Physical Drive Coercion Mode     : ", "Policies", "Drive Coercion Mode", ""},
    CONSTANT("Cluster Mode                     : Disabled"),
    CONSTANT("Alarm                            : Disabled"),
    {"Auto Rebuild                     : ", NULL, "auto_rebuild", ""},
    {"Battery Warning                  : ", "Policies", "Battery Warning", ""},
    {"Any Offline VD Cache Preserved   : ", "Status", "Any Offline VD Cache Preserved", ""},
    CONSTANT(""),
    HEADING("Capabilities"),
    {"RAID Level Supported             : ", "Capabilities", "RAID Level Supported", ""},
    {"Supported Drives                 : ", "Capabilities", "Supported Drives", ""},
    CONSTANT(""),
    HEADING("Status"),
    {"ECC Bucket Count                 : ", "Status", "ECC Bucket Count", ""},
    CONSTANT(""),
    HEADING("Limitations"),
    {"Max Arms Per VD          : ", "Capabilities", "Max Arms Per VD", " "},
    {"Max Spans Per VD         : ", "Capabilities", "Max Spans Per VD", " "},
    {"Max Arrays               : ", "Capabilities", "Max Arrays", " "},
    {"Max Number of VDs        : ", "Capabilities", "Max Number of VDs", " "},
    {"Min Strip Size           : ", "Capabilities", "Min Strip Size", ""},
    {"Max Strip Size           : ", "Capabilities", "Max Strip Size", ""},
    {"Current Size of FW Cache       : ", "HwCfg", "Current Size of FW Cache (MB)", " MB"},
    CONSTANT(""),
    HEADING("Device Present"),
    {"Virtual Drives    : ", NULL, "vds", " "},
    {"  Degraded        : ", NULL, "vds degraded", " "},
    {"  Offline         : ", NULL, "vds offline", " "},
    {"Physical Devices  : ", NULL, "devices", " "},
    {"  Disks           : ", NULL, "disks", " "},
    {"  Critical Disks  : ", NULL, "disks critical", " "},
    {"  Failed Disks    : ", NULL, "disks failed", " "},
    CONSTANT(""),
    HEADING("Error Counters"),
    {"Memory Correctable Errors   : ", "Status", "Memory Correctable Errors", " "},
    {"Memory Uncorrectable Errors : ", "Status", "Memory Uncorrectable Errors", " "},
    CONSTANT(""),
    HEADING("Default Settings"),
    {"Strip Size                       : ", "Defaults", "Strip Size", ""},
    {"Write Policy                     : ", "Defaults", "Write Policy", ""},
    {"Read Policy                      : ", "Defaults", "Read Policy", ""},
    {"Cache When BBU Bad               : ", "Defaults", "Cache When BBU Bad", ""},
    {"Cached IO                        : ", "Defaults", "Cached IO", ""},
};

static uint64_t objects_in(const struct model_list *list, const char *states)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        count += word_is_one_of(doc_text(list->items[i].doc, "state"), states);
    }
    return count;
}

static uint64_t predicted(const struct model_list *drives)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < drives->count; i++) {
        count += doc_bool(drives->items[i].doc, "present") &&
                 doc_u64(drives->items[i].doc, "predictive_failure_count") > 0;
    }
    return count;
}

static void now_text(char out[FORMAT_BYTES])
{
    time_t now = time(NULL);
    struct tm local;

    out[0] = '\0';
    if (localtime_r(&now, &local) != NULL) {
        (void)strftime(out, FORMAT_BYTES, "%H:%M:%S %m/%d, %Y", &local);
    }
}

/* What StorCLI has in lists or in other words. */
static void counted_text(const struct model *model, const char *key, char out[FORMAT_BYTES])
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    const json_t *controller = model->lists[OBJECT_KIND_CONTROLLER].items[0].doc;
    const struct {
        const char *key;
        uint64_t count;
    } counts[] = {
        {"vds", vds->count},
        {"vds degraded", objects_in(vds, "degraded|partially_degraded")},
        {"vds offline", objects_in(vds, "offline")},
        {"devices", controller_drive_count(model) + model->lists[OBJECT_KIND_ENCLOSURE].count},
        {"disks", controller_drive_count(model)},
        {"disks critical", predicted(drives)},
        {"disks failed", objects_in(drives, "failed|unconfigured_bad")},
    };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        if (strcmp(key, counts[i].key) == 0) {
            (void)snprintf(out, FORMAT_BYTES, "%llu", (unsigned long long)counts[i].count);
            return;
        }
    }
    if (strcmp(key, "time") == 0) {
        now_text(out);
    } else if (strcmp(key, "auto_rebuild") == 0) {
        (void)snprintf(out, FORMAT_BYTES, "%s", doc_bool(controller, key) ? "Enabled" : "Disabled");
    } else {
        (void)snprintf(out, FORMAT_BYTES, "%llu", (unsigned long long)doc_u64(controller, key));
    }
}

static void line_print(const struct line *line, const struct model *model, const json_t *data)
{
    char text[FORMAT_BYTES];

    if (line->key == NULL) {
        (void)printf("                %s\n" TITLE_RULE, line->shown);
    } else if (line->key[0] == '\0') {
        (void)printf("%s\n", line->shown);
    } else if (line->section == NULL) {
        counted_text(model, line->key, text);
        (void)printf("%s%s%s\n", line->shown, text, line->behind);
    } else {
        const char *value = mega_cell(json_object_get(data, line->section), line->key, text);
        char size[FORMAT_BYTES];

        if (strstr(line->key, "Strip Size") != NULL) {
            value = mega_size_text(value, size);
        } else if (strcmp(line->key, "Battery Warning") == 0) {
            value = strcmp(value, "On") == 0 ? "Enabled" : "Disabled";
        }
        (void)printf("%s%s%s\n", line->shown, value, line->behind);
    }
}

/* Supported operations: MegaCLI's keys are StorCLI's. */
static void operations_print(const json_t *data, const char *title)
{
    json_t *section = json_object_get(data, title);
    const char *key;
    json_t *value;

    (void)printf("\n                %s\n" TITLE_RULE, title);
    json_object_foreach(section, key, value)
    {
        (void)printf("%-32.*s: %s\n", (int)(strlen(key) - (key[strlen(key) - 1] == ' ' ? 1 : 0)),
                     key, json_string_value(value));
    }
}

int mega_adapter_show(struct cli_context *context, const struct mega_request *request UNUSED)
{
    json_t *data = json_object();

    sections_controller(data, context->model);
    (void)printf("\nAdapter #%d\n\n"
                 "=============================================================================="
                 "\n",
                 context->number);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        line_print(&lines[i], context->model, data);
    }
    operations_print(data, "Supported Adapter Operations");
    operations_print(data, "Supported VD Operations");
    operations_print(data, "Supported PD Operations");
    json_decref(data);
    return 0;
}

/* Rows of Ctrl_Prop and Value, as "show patrolread" has them. */
int mega_patrol_show(struct cli_context *context, const struct mega_request *request UNUSED)
{
    static const struct {
        const char *storcli, *shown;
    } rows[] = {{"PR Mode", "Patrol Read Mode"},
                {"PR Execution Delay", "Patrol Read Execution Delay"},
                {"PR iterations completed", "Number of iterations completed"},
                {"PR Next Start time", "Next start time"},
                {"PR Current State", "Current State"},
                {"PR on SSD", "Patrol Read on SSD Devices"}};
    json_t *list = json_array();
    json_t *row;
    size_t index;

    patrol_rows(context->model, list);
    (void)printf("\nAdapter %d: Patrol Read Information:\n\n", context->number);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_array_foreach(list, index, row)
        {
            if (strcmp(doc_text(row, "Ctrl_Prop"), rows[i].storcli) == 0) {
                (void)printf("%s: %s%s\n", rows[i].shown, doc_text(row, "Value"),
                             i == 1 ? " hours" : "");
            }
        }
    }
    json_decref(list);
    return 0;
}

int mega_time_show(struct cli_context *context, const struct mega_request *request UNUSED)
{
    time_t now = time(NULL);
    struct tm local;
    char date[16] = "";
    char hour[16] = "";

    if (localtime_r(&now, &local) != NULL) {
        (void)strftime(date, sizeof(date), "%m/%d/%Y", &local);
        (void)strftime(hour, sizeof(hour), "%H:%M:%S", &local);
    }
    (void)printf("\nAdapter %d:\n    Date: %s\n    Time: %s\n", context->number, date, hour);
    return 0;
}
