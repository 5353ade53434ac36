/*
 * /cX/bbu and /cX/cv, as StorCLI shows them: lists of Property and Value. Every row of StorCLI's is
 * always there, because clients stop where one is missing: what is not known is N/A.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/assert.h"
#include "cli/rows.h"
#include "cli/show.h"

#define VALUE_BYTES 96u
/* StorCLI counts the seconds of learn times from 2000-01-01. */
#define EPOCH_2000_S INT64_C(946684800)

const struct model_object *cli_battery(const struct model *model)
{
    const struct model_list *list = &model->lists[OBJECT_KIND_BATTERY];

    return list->count > 0 ? &list->items[0] : NULL;
}

bool battery_is_vault(const json_t *doc)
{
    return strcmp(doc_text(doc, "kind"), "cachevault") == 0;
}

static bool is_state(const json_t *doc, const char *word)
{
    return strcmp(doc_text(doc, "state"), word) == 0;
}

static bool has_reason(const json_t *doc, const char *code)
{
    return strcmp(doc_text(json_object_get(doc, "state_reason"), "code"), code) == 0;
}

const char *battery_state_shown(const json_t *doc)
{
    enum battery_state state = BATTERY_STATE_UNKNOWN;

    (void)battery_state_parse(doc_text(doc, "state"), &state); /* a new word is "Unknown" */
    return battery_state_short(state);
}

/* The controller's status bits: those of the state and of the learn cycle. */
uint32_t battery_status_number(const json_t *doc)
{
    const json_t *learn = json_object_get(doc, "learn");
    const char *cycle = doc_text(learn, "state");
    enum battery_state state = BATTERY_STATE_UNKNOWN;
    uint32_t bits = 0;

    (void)battery_state_parse(doc_text(doc, "state"), &state);
    bits = battery_state_mfi(state);
    if (strcmp(cycle, "pending") == 0) {
        bits |= 32; /* learn cycle requested */
    } else if (strcmp(cycle, "due") == 0) {
        bits |= 4096; /* periodic learn required */
    }
    return bits;
}

/* Rows */

static void property(json_t *rows, const char *name, const char *value)
{
    (void)json_array_append_new(rows, json_pack("{s:s, s:s}", "Property", name, "Value", value));
}

static void yes_no(json_t *rows, const char *name, bool value)
{
    property(rows, name, value ? "Yes" : "No");
}

static bool is_known(const json_t *doc, const char *name)
{
    return json_is_integer(json_object_get(doc, name));
}

static int64_t figure(const json_t *doc, const char *name)
{
    return json_integer_value(json_object_get(doc, name));
}

/* "4003 mV" */
static void figure_row(json_t *rows, const char *name, const json_t *doc, const char *field,
                       const char *unit)
{
    char text[VALUE_BYTES] = "N/A";

    if (is_known(doc, field)) {
        (void)snprintf(text, sizeof(text), "%lld%s", (long long)figure(doc, field), unit);
    }
    property(rows, name, text);
}

static void text_row(json_t *rows, const char *name, const json_t *doc, const char *field)
{
    const char *text = doc_text(doc, field);

    property(rows, name, text[0] != '\0' ? text : "N/A");
}

/* A negative number of seconds is not known. */
static void duration_row(json_t *rows, const char *name, int64_t seconds)
{
    char text[VALUE_BYTES] = "N/A";

    if (seconds >= 0) {
        (void)snprintf(text, sizeof(text), "%lld hours %lld min", (long long)(seconds / 3600),
                       (long long)(seconds % 3600 / 60));
    }
    property(rows, name, text);
}

static json_t *info_rows(const json_t *doc)
{
    json_t *rows = json_array();

    property(rows, "Type", doc_text(doc, "model"));
    figure_row(rows, "Voltage", doc, "voltage_mv", " mV");
    figure_row(rows, "Current", doc, "current_ma", " mA");
    figure_row(rows, "Temperature", doc, "temperature_c", " C");
    property(rows, "Battery State", battery_state_shown(doc));
    return rows;
}

static bool is_charging(const json_t *doc)
{
    return is_known(doc, "current_ma") ? figure(doc, "current_ma") > 0 : is_state(doc, "charging");
}

static bool is_discharging(const json_t *doc)
{
    return is_known(doc, "current_ma") ? figure(doc, "current_ma") < 0
                                       : is_state(doc, "discharging");
}

static bool needs_replacing(const json_t *doc)
{
    return is_state(doc, "failed") || has_reason(doc, "battery_worn") ||
           has_reason(doc, "battery_replace");
}

static void learn_rows(json_t *rows, const json_t *doc)
{
    const json_t *learn = json_object_get(doc, "learn");
    const char *cycle = doc_text(learn, "state");
    const char *result = doc_text(learn, "last_result");

    yes_no(rows, "Learn Cycle Requested", strcmp(cycle, "pending") == 0);
    yes_no(rows, "Learn Cycle Active", is_state(doc, "learning"));
    property(rows, "Learn Cycle Status", strcmp(result, "failed") == 0 ? "Failed" : "OK");
    yes_no(rows, "Learn Cycle Timeout", strcmp(result, "timed_out") == 0);
}

static json_t *status_rows(const json_t *doc)
{
    const json_t *learn = json_object_get(doc, "learn");
    json_t *rows = json_array();

    property(rows, "Charging Status",
             is_charging(doc)      ? "Charging"
             : is_discharging(doc) ? "Discharging"
                                   : "None");
    property(rows, "Voltage", is_state(doc, "low") ? "Low" : "OK");
    property(rows, "Temperature", has_reason(doc, "battery_hot") ? "High" : "OK");
    learn_rows(rows, doc);
    yes_no(rows, "I2C Errors Detected", is_state(doc, "unknown"));
    yes_no(rows, "Battery Pack Missing", is_state(doc, "missing"));
    yes_no(rows, "Replacement required", needs_replacing(doc));
    yes_no(rows, "Remaining Capacity Low", is_state(doc, "low"));
    yes_no(rows, "Periodic Learn Required", strcmp(doc_text(learn, "state"), "due") == 0);
    yes_no(rows, "Transparent Learn", doc_bool(learn, "transparent"));
    yes_no(rows, "No space to cache offload", false);
    yes_no(rows, "Pack is about to fail & should be replaced", has_reason(doc, "battery_worn"));
    yes_no(rows, "Cache Offload premium feature required", false);
    yes_no(rows, "Module microcode update required", false);
    return rows;
}

static int64_t remaining_mah(const json_t *doc)
{
    return figure(doc, "full_capacity_mah") * figure(doc, "charge_percent") / 100;
}

static void capacity_rows(json_t *rows, const json_t *doc)
{
    char text[VALUE_BYTES] = "N/A";

    if (is_known(doc, "full_capacity_mah") && is_known(doc, "charge_percent")) {
        (void)snprintf(text, sizeof(text), "%lld mAh", (long long)remaining_mah(doc));
    }
    property(rows, "Remaining Capacity", text);
    figure_row(rows, "Full Charge Capacity", doc, "full_capacity_mah", " mAh");
}

static json_t *gauge_rows(const json_t *doc)
{
    int64_t charge = is_known(doc, "charge_percent") ? figure(doc, "charge_percent") : -1;
    json_t *rows = json_array();

    yes_no(rows, "Fully Discharged", charge == 0);
    yes_no(rows, "Fully Charged", charge == 100);
    yes_no(rows, "Discharging", is_discharging(doc));
    yes_no(rows, "Initialized", !is_state(doc, "missing") && !is_state(doc, "unknown"));
    yes_no(rows, "Remaining Time Alarm", is_state(doc, "low"));
    yes_no(rows, "Remaining Capacity Alarm", is_state(doc, "low"));
    yes_no(rows, "Discharge Terminated", charge == 0);
    yes_no(rows, "Over Temperature", has_reason(doc, "battery_hot"));
    yes_no(rows, "Charging Terminated", !is_charging(doc) && charge == 100);
    yes_no(rows, "Over Charged", false);
    figure_row(rows, "Relative State of Charge", doc, "charge_percent", "%");
    property(rows, "Charger Status",
             is_charging(doc) ? "In Progress"
             : charge == 100  ? "Complete"
                              : "Off");
    capacity_rows(rows, doc);
    yes_no(rows, "Is SOH Good", !needs_replacing(doc));
    return rows;
}

/* At the current of now, which a pack is charged with until it is full. */
static void recharge_row(json_t *rows, const json_t *doc)
{
    static const char *const name = "Estimated time to full recharge";
    bool known = is_known(doc, "full_capacity_mah") && is_known(doc, "charge_percent") &&
                 is_known(doc, "current_ma");
    int64_t missing_mah = 0;

    if (!known) {
        property(rows, name, "N/A");
        return;
    }
    if (!is_charging(doc)) {
        property(rows, name, "Battery is not being charged.");
        return;
    }
    missing_mah = figure(doc, "full_capacity_mah") - remaining_mah(doc);
    duration_row(rows, name, missing_mah * 3600 / figure(doc, "current_ma"));
}

static json_t *capacity_info_rows(const json_t *doc)
{
    int64_t left_s = is_known(doc, "left_s") ? figure(doc, "left_s") : -1;
    json_t *rows = json_array();
    char text[VALUE_BYTES] = "N/A";

    figure_row(rows, "Relative State of Charge", doc, "charge_percent", "%");
    if (is_known(doc, "charge_percent") && is_known(doc, "health_percent")) {
        (void)snprintf(
            text, sizeof(text), "%lld%%",
            (long long)(figure(doc, "charge_percent") * figure(doc, "health_percent") / 100));
    }
    property(rows, "Absolute State of charge", text);
    capacity_rows(rows, doc);
    duration_row(rows, "Run time to empty", left_s);
    duration_row(rows, "Average time to empty", left_s);
    recharge_row(rows, doc);
    figure_row(rows, "Cycle Count", doc, "cycle_count", "");
    property(rows, "Max Error", "N/A");
    return rows;
}

static json_t *design_rows(const json_t *doc)
{
    const char *made = doc_text(doc, "manufactured_on");
    json_t *rows = json_array();

    property(rows, "Date of Manufacture", made[0] != '\0' ? made : "00/00/00");
    figure_row(rows, "Design Capacity", doc, "design_capacity_mah", " mAh");
    figure_row(rows, "Design Voltage", doc, "design_voltage_mv", " mV");
    property(rows, "Specification Info", "N/A");
    text_row(rows, "Serial Number", doc, "serial");
    property(rows, "Pack Stat Configuration", "N/A");
    text_row(rows, "Manufacture Name", doc, "manufacturer");
    text_row(rows, "Device Name", doc, "model");
    text_row(rows, "Device Chemistry", doc, "chemistry");
    property(rows, "Battery FRU", "N/A");
    yes_no(rows, "Transparent Learn", doc_bool(json_object_get(doc, "learn"), "transparent"));
    text_row(rows, "App Data", doc, "source");
    return rows;
}

/* Settings */

static const char *mode_shown(const json_t *learn)
{
    const char *mode = doc_text(learn, "mode");

    return strcmp(mode, "auto") == 0     ? "Enabled"
           : strcmp(mode, "warn") == 0   ? "Warn via Event"
           : strcmp(mode, "manual") == 0 ? "Manual"
                                         : "Disabled";
}

/* How much later than by its calendar the next cycle begins; begun hours count. */
static void delay_text(const json_t *learn, char out[VALUE_BYTES])
{
    if (doc_is_null(learn, "delay_s")) {
        (void)snprintf(out, VALUE_BYTES, "Not known");
        return;
    }
    (void)snprintf(out, VALUE_BYTES, "%llu hour(s)",
                   (unsigned long long)(doc_u64(learn, "delay_s") + 3599) / 3600);
}

/* "2026/01/02  03:04:05 (820551845 seconds)": two blanks, as StorCLI has it. */
static void next_learn_text(const json_t *learn, char out[VALUE_BYTES])
{
    time_t at = (time_t)(doc_u64(learn, "next_at_us") / 1000000);
    struct tm local;
    char date[32] = "";

    if (at == 0 || localtime_r(&at, &local) == NULL) {
        (void)snprintf(out, VALUE_BYTES, "NA");
        return;
    }
    (void)strftime(date, sizeof(date), "%Y/%m/%d  %H:%M:%S", &local);
    (void)snprintf(out, VALUE_BYTES, "%s (%lld seconds)", date, (long long)at - EPOCH_2000_S);
}

static void mode_text(const json_t *doc, char out[VALUE_BYTES])
{
    bool transparent = doc_bool(json_object_get(doc, "learn"), "transparent");

    if (!is_known(doc, "retention_s")) {
        (void)snprintf(out, VALUE_BYTES, "-");
        return;
    }
    (void)snprintf(out, VALUE_BYTES, "%lld hrs+, %s learn",
                   (long long)(figure(doc, "retention_s") / 3600),
                   json_is_null(json_object_get(doc, "learn")) ? "no"
                   : transparent                               ? "transparent"
                                                               : "non-transparent");
}

/* Of what has nothing to learn: a UPS, a medium that keeps its content without power. */
static json_t *learnless_rows(json_t *rows)
{
    property(rows, "Auto Learn Period", "N/A");
    property(rows, "Next Learn time", "N/A");
    property(rows, "Learn Delay Interval", "N/A");
    property(rows, "Auto-Learn Mode", "Not supported");
    return rows;
}

static json_t *property_rows(const json_t *doc)
{
    const json_t *learn = json_object_get(doc, "learn");
    json_t *rows = json_array();
    uint64_t days = doc_u64(learn, "period_days");
    char text[VALUE_BYTES];

    if (!json_is_object(learn)) {
        (void)learnless_rows(rows);
    } else {
        (void)snprintf(text, sizeof(text), "%llud (%llu seconds)", (unsigned long long)days,
                       (unsigned long long)days * 86400);
        property(rows, "Auto Learn Period", text);
        next_learn_text(learn, text);
        property(rows, "Next Learn time", text);
        delay_text(learn, text);
        property(rows, "Learn Delay Interval", text);
        property(rows, "Auto-Learn Mode", mode_shown(learn));
    }
    mode_text(doc, text);
    property(rows, "BBU Mode", text);
    return rows;
}

static json_t *modes_rows(const json_t *doc)
{
    bool transparent = doc_bool(json_object_get(doc, "learn"), "transparent");
    char retention[VALUE_BYTES] = "-";

    if (is_known(doc, "retention_s")) {
        (void)snprintf(retention, sizeof(retention), "%lld hours +",
                       (long long)(figure(doc, "retention_s") / 3600));
    }
    return json_pack("[{s:i, s:s, s:s, s:s}]", "Mode", 0, "Retention", retention, "Learn",
                     json_is_null(json_object_get(doc, "learn")) ? "None"
                     : transparent                               ? "Transparent"
                                                                 : "Non-transparent",
                     "Current", "Yes");
}

/* A cache vault */

static json_t *vault_info_rows(const json_t *doc)
{
    json_t *rows = json_array();

    property(rows, "Type", doc_text(doc, "model"));
    figure_row(rows, "Temperature", doc, "temperature_c", " C");
    property(rows, "State", battery_state_shown(doc));
    return rows;
}

const char *vault_size(const struct model *model, char out[FORMAT_BYTES])
{
    const struct model_object *battery = cli_battery(model);
    const struct model_list *controllers = &model->lists[OBJECT_KIND_CONTROLLER];
    const json_t *cache = NULL;

    if (controllers->count == 0 || battery == NULL || !battery_is_vault(battery->doc) ||
        is_state(battery->doc, "missing")) {
        return NULL;
    }
    cache = json_object_get(controllers->items[0].doc, "cache");
    return json_is_object(cache) ? format_size(doc_u64(cache, "size_bytes"), out) : NULL;
}

static json_t *vault_design_rows(const struct model *model, const json_t *doc)
{
    static const struct {
        const char *name, *field; /* NULL: a medium has no such thing */
    } known[] = {{"Date of Manufacture", "manufactured_on"},
                 {"Serial Number", "serial"},
                 {"Manufacture Name", "manufacturer"},
                 {"Design Capacity", NULL},
                 {"Device Name", "model"},
                 {"tmmFru", NULL}};
    static const char *const modules[] = {
        "tmmBatversionNo",  "tmmSerialNo",      "tmm Date of Manufacture",
        "tmmPcbAssmNo",     "tmmPCBversionNo",  "tmmBatPackAssmNo",
        "scapBatversionNo", "scapSerialNo",     "scap Date of Manufacture",
        "scapPcbAssmNo",    "scapPCBversionNo", "scapBatPackAssmNo",
        "Module Version"};
    char size[FORMAT_BYTES];
    const char *shown = vault_size(model, size);
    json_t *rows = json_array();

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const char *value = known[i].field != NULL ? doc_text(doc, known[i].field) : "";

        property(rows, known[i].name, value[0] != '\0' ? value : "N/A");
    }
    property(rows, "CacheVault Flash Size", shown != NULL ? shown : "N/A");
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        property(rows, modules[i], "N/A");
    }
    return rows;
}

static json_t *vault_status_rows(const json_t *doc)
{
    json_t *rows = json_array();

    yes_no(rows, "Replacement required", needs_replacing(doc));
    yes_no(rows, "No space to cache offload", false);
    yes_no(rows, "Module microcode update required", false);
    return rows;
}

static json_t *vault_gauge_rows(void)
{
    json_t *rows = json_array();

    property(rows, "Pack Energy", "N/A");
    property(rows, "Capacitance", "N/A"); /* it has no capacitor */
    property(rows, "Remaining Reserve Space", "N/A");
    return rows;
}

/* Answers */

const struct model_object *cli_battery_or_refuse(struct cli_context *context)
{
    const struct model_object *battery = cli_battery(context->model);
    bool vault = context->request.object == CLI_OBJECT_CACHEVAULT;

    if (battery == NULL) {
        cli_refuse_property(context, "-", CLI_ERROR_ABSENT,
                            vault ? "Cachevault is absent!" : "Battery is absent!");
        return NULL;
    }
    if (battery_is_vault(battery->doc) != vault) {
        cli_refuse_property(context, "-", CLI_ERROR_GENERIC, vault ? "use /cx/bbu" : "use /cx/cv");
        return NULL;
    }
    return battery;
}

static void group_set(json_t *data, const char *name, json_t *rows)
{
    ASSERT(json_object_set_new(data, name, rows) == 0);
}

static json_t *vault_data(const struct model *model, const json_t *doc, const char *noun)
{
    bool all = strcmp(noun, "all") == 0;
    json_t *data = json_object();

    if (strcmp(noun, "properties") != 0) {
        group_set(data, "Cachevault_Info", vault_info_rows(doc));
    }
    if (all || strcmp(noun, "status") == 0) {
        group_set(data, "Firmware_Status", vault_status_rows(doc));
        group_set(data, "GasGaugeStatus", vault_gauge_rows());
    }
    if (all) {
        group_set(data, "Design_Info", vault_design_rows(model, doc));
    }
    if (all || strcmp(noun, "properties") == 0) {
        group_set(data, "Properties", learnless_rows(json_array()));
    }
    return data;
}

static json_t *bbu_data(const json_t *doc, const char *noun)
{
    bool all = strcmp(noun, "all") == 0;
    bool status = all || strcmp(noun, "status") == 0;
    json_t *data = json_object();

    if (strcmp(noun, "modes") == 0) {
        group_set(data, "BBU_Modes", modes_rows(doc));
        return data;
    }
    if (strcmp(noun, "properties") != 0) {
        group_set(data, "BBU_Info", info_rows(doc));
    }
    if (status) {
        group_set(data, "BBU_Firmware_Status", status_rows(doc));
        group_set(data, "GasGaugeStatus", gauge_rows(doc));
    }
    if (all) {
        group_set(data, "BBU_Capacity_Info", capacity_info_rows(doc));
        group_set(data, "BBU_Design_Info", design_rows(doc));
    }
    if (all || strcmp(noun, "properties") == 0) {
        group_set(data, "BBU_Properties", property_rows(doc));
    }
    return data;
}

json_t *battery_groups(const struct model *model, const json_t *doc)
{
    return battery_is_vault(doc) ? vault_data(model, doc, "all") : bbu_data(doc, "all");
}

void show_battery(struct cli_context *context)
{
    const struct model_object *battery = cli_battery_or_refuse(context);
    const char *noun = "";

    if (battery == NULL) {
        return;
    }
    static const char *const nouns[] = {"all", "status", "properties", "modes"};
    for (size_t i = 0; i < sizeof(nouns) / sizeof(nouns[0]); i++) {
        noun = option_has(context, nouns[i]) ? nouns[i] : noun;
    }
    report_add(&context->report, context->number, 0, "None", NULL,
               battery_is_vault(battery->doc) ? vault_data(context->model, battery->doc, noun)
                                              : bbu_data(battery->doc, noun));
}

/* The row that /cX show ends with. */
json_t *battery_summary_row(const json_t *doc)
{
    const json_t *learn = json_object_get(doc, "learn");
    json_t *row = json_object();
    char text[VALUE_BYTES];

    row_text(row, "Model", doc_text(doc, "model"));
    row_text(row, "State", battery_state_shown(doc));
    if (!battery_is_vault(doc)) {
        (void)snprintf(text, sizeof(text), "%lld hours +",
                       (long long)(figure(doc, "retention_s") / 3600));
        row_text(row, "RetentionTime", is_known(doc, "retention_s") ? text : "-");
    }
    (void)snprintf(text, sizeof(text), "%lldC", (long long)figure(doc, "temperature_c"));
    /* A medium has no sensor, but Debian's collector stops where a vault's number is missing. */
    row_text(row, "Temp", is_known(doc, "temperature_c") || battery_is_vault(doc) ? text : "-");
    row_text(row, "Mode", "-");
    row_text(row, "MfgDate",
             doc_text(doc, "manufactured_on")[0] != '\0' ? doc_text(doc, "manufactured_on") : "-");
    if (!battery_is_vault(doc)) {
        next_learn_text(learn, text);
        row_text(row, "Next Learn", text);
    }
    return row;
}
