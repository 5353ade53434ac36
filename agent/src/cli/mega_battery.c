/*
 * The battery as MegaCLI shows it: -AdpBbuCmd, of the rows that StorCLI's "bbu show all" has.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/mega.h"
#include "cli/show.h"

#define EXIT_NO_HARDWARE 0x22

/* The value of the row with this property in a group; "" if there is none. */
static const char *value_of(const json_t *group, const char *property)
{
    json_t *row;
    size_t index;

    json_array_foreach(group, index, row)
    {
        if (strcmp(doc_text(row, "Property"), property) == 0) {
            return doc_text(row, "Value");
        }
    }
    return "";
}

/* Of the first group that has it: a vault's groups have other names than a battery's. */
static const char *found_in(const json_t *groups, const char *first, const char *second,
                            const char *property)
{
    const char *value = value_of(json_object_get(groups, first), property);

    return value[0] != '\0' ? value : value_of(json_object_get(groups, second), property);
}

struct line {
    const char *shown, *property, *otherwise; /* otherwise: where StorCLI has no such row */
};

static void lines_print(const json_t *groups, const char *battery, const char *vault,
                        const struct line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = found_in(groups, battery, vault, lines[i].property);
        size_t length = strlen(value);
        bool percent = length > 1 && value[length - 1] == '%' && value[length - 2] != ' ';

        if (value[0] == '\0') {
            value = lines[i].otherwise;
            length = strlen(value);
        }
        (void)printf("%s%.*s%s\n", lines[i].shown, (int)(length - (percent ? 1 : 0)), value,
                     percent ? " %" : "");
    }
}

#define PRINT(groups, battery, vault, lines)                                                       \
    lines_print(groups, battery, vault, lines, sizeof(lines) / sizeof((lines)[0]))

static const struct line info[] = {
    {"BatteryType: ", "Type", "Unknown"},
    {"Voltage: ", "Voltage", "N/A"},
    {"Current: ", "Current", "N/A"},
    {"Temperature: ", "Temperature", "N/A"},
    {"Battery State: ", "Battery State", "N/A"},
};
static const struct line vault_info[] = {
    {"BatteryType: ", "Type", "Unknown"}, {"Voltage: ", "Voltage", "N/A"},
    {"Current: ", "Current", "N/A"},      {"Temperature: ", "Temperature", "N/A"},
    {"Battery State: ", "State", "N/A"},
};
static const struct line firmware[] = {
    {"  Charging Status              : ", "Charging Status", "None"},
    {"  Voltage                                 : ", "Voltage", "OK"},
    {"  Temperature                             : ", "Temperature", "OK"},
    {"  Learn Cycle Requested                   : ", "Learn Cycle Requested", "No"},
    {"  Learn Cycle Active                      : ", "Learn Cycle Active", "No"},
    {"  Learn Cycle Status                      : ", "Learn Cycle Status", "OK"},
    {"  Learn Cycle Timeout                     : ", "Learn Cycle Timeout", "No"},
    {"  I2c Errors Detected                     : ", "I2C Errors Detected", "No"},
    {"  Battery Pack Missing                    : ", "Battery Pack Missing", "No"},
    {"  Battery Replacement required            : ", "Replacement required", "No"},
    {"  Remaining Capacity Low                  : ", "Remaining Capacity Low", "No"},
    {"  Periodic Learn Required                 : ", "Periodic Learn Required", "No"},
    {"  Transparent Learn                       : ", "Transparent Learn", "No"},
    {"  No space to cache offload               : ", "No space to cache offload", "No"},
    {"  Pack is about to fail & should be replaced : ",
     "Pack is about to fail & should be replaced", "No"},
    {"  Cache Offload premium feature required  : ", "Cache Offload premium feature required",
     "No"},
    {"  Module microcode update required        : ", "Module microcode update required", "No"},
};
static const struct line gauge[] = {
    {"  Relative State of Charge: ", "Relative State of Charge", "N/A"},
    {"  Charger Status: ", "Charger Status", "N/A"},
    {"  Remaining Capacity: ", "Remaining Capacity", "N/A"},
    {"  Full Charge Capacity: ", "Full Charge Capacity", "N/A"},
    {"  isSOHGood: ", "Is SOH Good", "N/A"},
};
static const struct line vault_gauge[] = {
    {"  Pack energy             : ", "Pack Energy", "N/A"},
    {"  Capacitance             : ", "Capacitance", "N/A"},
    {"  Remaining reserve space : ", "Remaining Reserve Space", "N/A"},
};
static const struct line capacity[] = {
    {"  Relative State of Charge: ", "Relative State of Charge", "N/A"},
    {"  Absolute State of charge: ", "Absolute State of charge", "N/A"},
    {"  Remaining Capacity: ", "Remaining Capacity", "N/A"},
    {"  Full Charge Capacity: ", "Full Charge Capacity", "N/A"},
    {"  Run time to empty: ", "Run time to empty", "N/A"},
    {"  Average time to empty: ", "Average time to empty", "N/A"},
    {"  Estimated Time to full recharge: ", "Estimated time to full recharge", "N/A"},
    {"  Cycle Count: ", "Cycle Count", "N/A"},
};
static const struct line design[] = {
    {"  Date of Manufacture: ", "Date of Manufacture", "00/00/00"},
    {"  Design Capacity: ", "Design Capacity", "N/A"},
    {"  Design Voltage: ", "Design Voltage", "N/A"},
    {"  Specification Info: ", "Specification Info", "0"},
    {"  Serial Number: ", "Serial Number", "N/A"},
    {"  Pack Stat Configuration: ", "Pack Stat Configuration", "0x0000"},
    {"  Manufacture Name: ", "Manufacture Name", "N/A"},
    {"  Firmware Version   : ", "Firmware Version", ""},
    {"  Device Name: ", "Device Name", "N/A"},
    {"  Device Chemistry: ", "Device Chemistry", "N/A"},
    {"  Battery FRU: ", "Battery FRU", "N/A"},
};

static bool is_yes(const json_t *groups, const char *property)
{
    return strcmp(value_of(json_object_get(groups, "GasGaugeStatus"), property), "Yes") == 0;
}

/* The gas gauge's own status word, as the Smart Battery specification has its bits. */
static unsigned gauge_bits(const json_t *groups)
{
    static const struct {
        const char *property;
        unsigned bit;
    } bits[] = {{"Over Charged", 0x8000},
                {"Charging Terminated", 0x4000},
                {"Over Temperature", 0x1000},
                {"Discharge Terminated", 0x0800},
                {"Remaining Capacity Alarm", 0x0200},
                {"Remaining Time Alarm", 0x0100},
                {"Initialized", 0x0080},
                {"Discharging", 0x0040},
                {"Fully Charged", 0x0020},
                {"Fully Discharged", 0x0010}};
    unsigned word = 0;

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        word |= is_yes(groups, bits[i].property) ? bits[i].bit : 0;
    }
    return word;
}

static void status_print(const json_t *groups, const json_t *battery, int number)
{
    bool vault = battery_is_vault(battery);

    (void)printf("\nBBU status for Adapter: %d\n\n", number);
    if (vault) {
        PRINT(groups, "Cachevault_Info", "BBU_Info", vault_info);
    } else {
        PRINT(groups, "BBU_Info", "Cachevault_Info", info);
    }
    (void)fputs("BBU Firmware Status:\n\n", stdout);
    PRINT(groups, "BBU_Firmware_Status", "Firmware_Status", firmware);
    (void)printf("\nBBU GasGauge Status: 0x%04x \n", gauge_bits(groups));
    if (vault) {
        PRINT(groups, "GasGaugeStatus", "GasGaugeStatus", vault_gauge);
    } else {
        PRINT(groups, "GasGaugeStatus", "GasGaugeStatus", gauge);
    }
    (void)printf("  Battery backup charge time : %llu hours\n",
                 (unsigned long long)doc_u64(battery, "retention_s") / 3600);
}

static void next_learn_text(const json_t *learn, char out[FORMAT_BYTES])
{
    time_t at = (time_t)(doc_u64(learn, "next_at_us") / 1000000);
    struct tm local;

    (void)snprintf(out, FORMAT_BYTES, "None");
    if (at != 0 && localtime_r(&at, &local) != NULL) {
        (void)strftime(out, FORMAT_BYTES, "%a %b %d %H:%M:%S %Y", &local);
    }
}

/* StorCLI's "28d (2419200 seconds)" is MegaCLI's "28 Days". */
static void properties_print(const json_t *groups, const json_t *battery, int number)
{
    const char *period = found_in(groups, "BBU_Properties", "Properties", "Auto Learn Period");
    const char *delay = found_in(groups, "BBU_Properties", "Properties", "Learn Delay Interval");
    size_t days = strspn(period, "0123456789");
    size_t hours = strspn(delay, "0123456789");
    char next[FORMAT_BYTES];

    next_learn_text(json_object_get(battery, "learn"), next);
    (void)printf("\nBBU Properties for Adapter: %d\n\n", number);
    if (days > 0) {
        (void)printf("  Auto Learn Period: %.*s Days\n", (int)days, period);
    } else {
        (void)printf("  Auto Learn Period: %s\n", period);
    }
    (void)printf("  Next Learn time: %s\n  Learn Delay Interval:%.*s Hours\n"
                 "  Auto-Learn Mode: %s\n",
                 next, hours > 0 ? (int)hours : 1, hours > 0 ? delay : "0",
                 found_in(groups, "BBU_Properties", "Properties", "Auto-Learn Mode"));
}

static void design_print(const json_t *groups, int number)
{
    bool transparent =
        strcmp(found_in(groups, "BBU_Design_Info", "Design_Info", "Transparent Learn"), "Yes") == 0;

    (void)printf("\nBBU Design Info for Adapter: %d\n\n", number);
    PRINT(groups, "BBU_Design_Info", "Design_Info", design);
    (void)printf("  Transparent Learn = %d\n  App Data = 0\n", transparent ? 1 : 0);
}

int mega_battery_show(struct cli_context *context, const struct mega_request *request)
{
    const struct model_object *battery = cli_battery(context->model);
    bool all = request->word_count == 0;

    if (!all && !mega_word(request, "GetBbuStatus|GetBbuCapacityInfo|GetBbuDesignInfo|"
                                    "GetBbuProperties")) {
        (void)printf("\nAdapter %d: megacli only shows; arrayctl(8) changes things.\n",
                     context->number);
        return 1;
    }
    if (battery == NULL) {
        (void)printf("\nAdapter %d: Get BBU Status Failed.\n\nFW error description: \n"
                     " The required hardware component is not present.  \n",
                     context->number);
        return EXIT_NO_HARDWARE;
    }
    json_t *groups = battery_groups(context->model, battery->doc);
    if (all || mega_word(request, "GetBbuStatus")) {
        status_print(groups, battery->doc, context->number);
    }
    if ((all && !battery_is_vault(battery->doc)) || mega_word(request, "GetBbuCapacityInfo")) {
        (void)printf("\nBBU Capacity Info for Adapter: %d\n\n", context->number);
        PRINT(groups, "BBU_Capacity_Info", "BBU_Capacity_Info", capacity);
    }
    if (all || mega_word(request, "GetBbuDesignInfo")) {
        design_print(groups, context->number);
    }
    if (all || mega_word(request, "GetBbuProperties")) {
        properties_print(groups, battery->doc, context->number);
    }
    json_decref(groups);
    return 0;
}
