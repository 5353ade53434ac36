/*
 * Sections of "/cX show all": one table per section, a row per key. What this controller does
 * not have is answered in the words StorCLI has for that.
 */
#include "cli/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "cli/rows.h"
#include "cli/show.h"

#define TEXT_BYTES 256u
#define RATE_DEFAULT "30%"

struct section_source {
    const struct model *model;
    const json_t *controller;
};

typedef json_t *(*section_make)(const struct section_source *source);

/* How a section writes a value that "show <property>" writes as ON, OFF or a number with a unit. */
enum property_form { FORM_PLAIN, FORM_ON_OFF, FORM_OFF_ON, FORM_YES_NO, FORM_NO_YES, FORM_NUMBER };

/* Either `property`, or `make`, or `text`, or (all NULL) `number`. */
struct section_key {
    const char *key;
    const char *text;
    section_make make;
    int number;
    const char *property; /* as it is typed behind "show" */
    enum property_form form;
};

#define TEXT(key, text) {key, text, NULL, 0, NULL, FORM_PLAIN}
#define NUMBER(key, number) {key, NULL, NULL, number, NULL, FORM_PLAIN}
#define MADE(key, make) {key, NULL, make, 0, NULL, FORM_PLAIN}
#define PROPERTY(key, property, form) {key, NULL, NULL, 0, property, form}

void sections_now(char out[32], bool comma)
{
    time_t now = time(NULL);
    struct tm local;

    out[0] = '\0';
    if (localtime_r(&now, &local) != NULL) {
        (void)strftime(out, 32, comma ? "%m/%d/%Y, %H:%M:%S" : "%m/%d/%Y %H:%M:%S", &local);
    }
}

static json_t *make_index(const struct section_source *source)
{
    return json_integer((json_int_t)doc_u64(source->controller, "index"));
}

static json_t *make_model(const struct section_source *source)
{
    return json_string(doc_text(source->controller, "model"));
}

static json_t *make_serial(const struct section_source *source)
{
    return json_string(doc_text(source->controller, "serial"));
}

static json_t *make_now(const struct section_source *source UNUSED)
{
    char text[32];

    sections_now(text, true);
    return json_string(text);
}

static json_t *make_firmware(const struct section_source *source)
{
    return json_string(doc_text(source->controller, "firmware_version"));
}

static const struct section_key basics[] = {
    MADE("Controller", make_index),
    MADE("Model", make_model),
    MADE("Serial Number", make_serial),
    MADE("Current Controller Date/Time", make_now),
    MADE("Current System Date/time", make_now),
    TEXT("SAS Address", "N/A"),
    TEXT("PCI Address", "N/A"),
    TEXT("Mfg Date", "00/00/00"),
    TEXT("Rework Date", "00/00/00"),
    TEXT("Revision No", ""),
};

static const struct section_key version[] = {
    MADE("Firmware Package Build", make_firmware),
    MADE("Firmware Version", make_firmware),
    TEXT("CPLD Version", "N/A"),
    TEXT("Bios Version", "N/A"),
    TEXT("HII Version", "N/A"),
    TEXT("Ctrl-R Version", "N/A"),
    TEXT("Preboot CLI Version", "N/A"),
    TEXT("NVDATA Version", "N/A"),
    TEXT("Boot Block Version", "N/A"),
    /* Clients know the controller's family by the name of its driver. */
    TEXT("Driver Name", "megaraid_sas"),
    MADE("Driver Version", make_firmware),
};

static const struct section_key bus[] = {
    NUMBER("Vendor Id", 0),    NUMBER("Device Id", 0),        NUMBER("SubVendor Id", 0),
    NUMBER("SubDevice Id", 0), TEXT("Host Interface", "NBD"), TEXT("Device Interface", "io_uring"),
    NUMBER("Bus Number", 0),   NUMBER("Device Number", 0),    NUMBER("Function Number", 0),
    NUMBER("Domain ID", 0),
};

static const struct section_key images[] = {PROPERTY("Image name", "pendingimages", FORM_PLAIN)};

static json_t *make_status(const struct section_source *source)
{
    return json_string(controller_status_shown(source->controller));
}

static json_t *make_preserved(const struct section_source *source)
{
    const json_t *cache = json_object_get(source->controller, "cache");

    return json_string(json_array_size(json_object_get(cache, "preserved")) > 0 ? "Yes" : "No");
}

static json_t *make_battery_status(const struct section_source *source)
{
    const struct model_object *battery = cli_battery(source->model);

    return battery != NULL ? json_integer(battery_status_number(battery->doc)) : json_string("NA");
}

static const struct section_key status[] = {
    MADE("Controller Status", make_status),
    NUMBER("Memory Correctable Errors", 0),
    NUMBER("Memory Uncorrectable Errors", 0),
    NUMBER("ECC Bucket Count", 0),
    MADE("Any Offline VD Cache Preserved", make_preserved),
    MADE("BBU Status", make_battery_status),
    TEXT("PD Firmware Download in progress", "No"),
    TEXT("Support PD Firmware Download", "No"),
    TEXT("Lock Key Assigned", "No"),
    TEXT("Failed to get lock key on bootup", "No"),
    TEXT("Lock key has not been backed up", "No"),
    TEXT("Bios was not detected during boot", "No"),
    TEXT("Controller must be rebooted to complete security operation", "No"),
    TEXT("A rollback operation is in progress", "No"),
    TEXT("At least one PFK exists in NVRAM", "No"),
    TEXT("SSC Policy is WB", "No"),
    TEXT("Controller has booted into safe mode", "No"),
    TEXT("Controller shutdown required", "No"),
    TEXT("Controller has booted into certificate provision mode", "No"),
};

static json_t *make_ports(const struct section_source *source)
{
    return json_integer((json_int_t)controller_port_count(source->model));
}

static json_t *make_battery_present(const struct section_source *source)
{
    return json_string(cli_battery(source->model) != NULL ? "Present" : "Absent");
}

static json_t *make_memory(const struct section_source *source)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%lluMB",
                   (unsigned long long)(doc_u64(source->controller, "cache_bytes") >> 20));
    return json_string(text);
}

static json_t *make_vault_size(const struct section_source *source)
{
    char text[FORMAT_BYTES];
    const char *size = vault_size(source->model, text);

    return json_string(size != NULL ? size : "NA");
}

/* "FW Cache" is what StorCLI calls the part of the memory that caches data. */
static json_t *make_cache_size(const struct section_source *source)
{
    const json_t *cache = json_object_get(source->controller, "cache");

    return json_integer((json_int_t)(doc_u64(cache, "size_bytes") >> 20));
}

static const struct section_key hardware[] = {
    TEXT("ChipRevision", "N/A"),
    TEXT("BatteryFRU", "N/A"),
    NUMBER("Front End Port Count", 0),
    MADE("Backend Port Count", make_ports),
    MADE("BBU", make_battery_present),
    TEXT("Alarm", "Absent"),
    TEXT("Serial Debugger", "Absent"),
    TEXT("NVRAM Size", "0KB"),
    TEXT("Flash Size", "0MB"),
    MADE("On Board Memory Size", make_memory),
    MADE("CacheVault Flash Size", make_vault_size),
    TEXT("TPM", "Absent"),
    TEXT("Upgrade Key", "Absent"),
    TEXT("On Board Expander", "Absent"),
    TEXT("Temperature Sensor for ROC", "Absent"),
    TEXT("Temperature Sensor for Controller", "Absent"),
    TEXT("Upgradable CPLD", "Absent"),
    TEXT("Upgradable PSOC", "Absent"),
    NUMBER("Current Size of CacheCade (GB)", 0),
    MADE("Current Size of FW Cache (MB)", make_cache_size),
    /* There is no sensor, but collectors stop reading where this number is missing. */
    NUMBER("ROC temperature(Degree Celsius)", 0),
};

static json_t *make_policies(const struct section_source *source)
{
    static const struct {
        const char *policy, *property;
        const char *standard;
        const char *current; /* if there is no such property */
    } rows[] = {
        {"Predictive Fail Poll Interval", "smartpollinterval", "", NULL},
        {"Interrupt Throttle Active Count", NULL, "", "0"},
        {"Interrupt Throttle Completion", NULL, "", "0 us"},
        {"Rebuild Rate", "rebuildrate", RATE_DEFAULT, NULL},
        {"PR Rate", "prrate", RATE_DEFAULT, NULL},
        {"BGI Rate", "bgirate", RATE_DEFAULT, NULL},
        {"Check Consistency Rate", "ccrate", RATE_DEFAULT, NULL},
        {"Reconstruction Rate", NULL, "", "N/A"},
        {"Cache Flush Interval", "cacheflushint", "", NULL},
    };
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[PROPERTY_VALUE_BYTES];
        const char *current = rows[i].property != NULL
                                  ? controller_property(source->controller, rows[i].property, text)
                                  : rows[i].current;

        rows_append(list, json_pack("{s:s, s:s, s:s}", "Policy", rows[i].policy, "Current", current,
                                    "Default", rows[i].standard));
    }
    return list;
}

static const struct section_key policies[] = {
    MADE("Policies Table", make_policies),
    TEXT("Flush Time(Default)", "4s"),
    PROPERTY("Drive Coercion Mode", "coercion", FORM_PLAIN),
    PROPERTY("Auto Rebuild", "autorebuild", FORM_ON_OFF),
    PROPERTY("Battery Warning", "batterywarning", FORM_ON_OFF),
    PROPERTY("ECC Bucket Size", "eccbucketsize", FORM_NUMBER),
    PROPERTY("ECC Bucket Leak Rate (hrs)", "eccbucketleakrate", FORM_NUMBER),
    PROPERTY("Restore Hot Spare on Insertion", "restorehotspare", FORM_ON_OFF),
    PROPERTY("Expose Enclosure Devices", "exposeenclosuredevice", FORM_ON_OFF),
    PROPERTY("Maintain PD Fail History", "maintainpdfailhistory", FORM_ON_OFF),
    TEXT("Reorder Host Requests", "On"),
    PROPERTY("Auto detect BackPlane", "backplane", FORM_ON_OFF),
    PROPERTY("Load Balance Mode", "loadbalancemode", FORM_PLAIN),
    TEXT("Security Key Assigned", "Off"),
    PROPERTY("Disable Online Controller Reset", "ocr", FORM_OFF_ON),
    PROPERTY("Use drive activity for locate", "activityforlocate", FORM_ON_OFF),
};

static const struct section_key boot[] = {
    TEXT("BIOS Enumerate VDs", "0"),
    PROPERTY("Stop BIOS on Error", "stoponerror", FORM_ON_OFF),
    NUMBER("Delay during POST", 0),
    TEXT("Spin Down Mode", "None"),
    TEXT("Enable Ctrl-R", "No"),
    TEXT("Enable Web BIOS", "No"),
    TEXT("Enable PreBoot CLI", "No"),
    TEXT("Enable BIOS", "No"),
    PROPERTY("Max Drives to Spinup at One Time", "spinupdrivecount", FORM_NUMBER),
    NUMBER("Maximum number of direct attached drives to spin up in 1 min", 0),
    PROPERTY("Delay Among Spinup Groups (sec)", "spinupdelay", FORM_NUMBER),
    PROPERTY("Allow Boot with Preserved Cache", "bootwithpinnedcache", FORM_ON_OFF),
};

static const struct section_key availability[] = {
    TEXT("Topology Type", "None"),
    TEXT("Cluster Permitted", "No"),
    TEXT("Cluster Active", "No"),
};

static json_t *make_strip(const struct section_source *source)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%llu KB",
                   (unsigned long long)(doc_u64(source->controller, "strip_default_bytes") >> 10));
    return json_string(text);
}

/* What a new virtual drive gets, as the agent chooses it. */
static json_t *make_default_write(const struct section_source *source)
{
    const json_t *cache = json_object_get(source->controller, "cache");

    return json_string(doc_bool(cache, "survives_power_loss") ? "WB" : "WT");
}

static json_t *make_default_read(const struct section_source *source)
{
    bool cached = json_is_object(json_object_get(source->controller, "cache"));

    return json_string(cached ? "Adaptive Read Ahead" : "No Read Ahead");
}

static const struct section_key defaults[] = {
    NUMBER("Phy Polarity", 0),
    NUMBER("Phy PolaritySplit", 0),
    MADE("Strip Size", make_strip),
    MADE("Write Policy", make_default_write),
    MADE("Read Policy", make_default_read),
    TEXT("Cache When BBU Bad", "Off"),
    TEXT("Cached IO", "Off"),
    TEXT("VD PowerSave Policy", "Controller Defined"),
    NUMBER("Default spin down time (mins)", 0),
    TEXT("Coercion Mode", "128MB"),
    TEXT("ZCR Config", "Unknown"),
    NUMBER("Max Chained Enclosures", 0),
    PROPERTY("Direct PD Mapping", "directpdmapping", FORM_YES_NO),
    PROPERTY("Restore Hot Spare on Insertion", "restorehotspare", FORM_YES_NO),
    PROPERTY("Expose Enclosure Devices", "exposeenclosuredevice", FORM_YES_NO),
    PROPERTY("Maintain PD Fail History", "maintainpdfailhistory", FORM_YES_NO),
    TEXT("Zero Based Enclosure Enumeration", "No"),
    TEXT("Disable Puncturing", "No"),
    TEXT("EnableLDBBM", "Yes"),
    TEXT("DisableHII", "Yes"),
    TEXT("Un-Certified Hard Disk Drives", "Allow"),
    TEXT("SMART Mode", "Mode 6"),
    TEXT("Enable LED Header", "No"),
    TEXT("LED Show Drive Activity", "No"),
    TEXT("Dirty LED Shows Drive Activity", "No"),
    TEXT("EnableCrashDump", "No"),
    PROPERTY("Disable Online Controller Reset", "ocr", FORM_NO_YES),
    TEXT("Treat Single span R1E as R10", "No"),
    TEXT("Power Saving option", "Disabled"),
    TEXT("TTY Log In Flash", "No"),
    PROPERTY("Auto Enhanced Import", "autoenhancedimport", FORM_YES_NO),
    TEXT("BreakMirror RAID Support", "None"),
    TEXT("Disable Join Mirror", "Yes"),
    TEXT("Enable Shield State", "No"),
    TEXT("Time taken to detect CME", "60 sec"),
};

void sections_levels(const json_t *controller, char *out, size_t capacity)
{
    const json_t *rule;
    size_t index;

    out[0] = '\0';
    json_array_foreach(json_object_get(controller, "levels"), index, rule)
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

static json_t *make_levels(const struct section_source *source)
{
    char text[TEXT_BYTES];

    sections_levels(source->controller, text, sizeof(text));
    return json_string(text);
}

/* The most drives that any level takes. */
static json_t *make_arms(const struct section_source *source)
{
    const json_t *rule;
    size_t index;
    uint64_t most = 0;

    json_array_foreach(json_object_get(source->controller, "levels"), index, rule)
    {
        uint64_t drives = doc_u64(rule, "drives_max");

        most = drives > most ? drives : most;
    }
    return json_integer((json_int_t)most);
}

static json_t *strip_text(const struct section_source *source, bool last)
{
    const json_t *strips = json_object_get(source->controller, "strip_sizes_bytes");
    size_t count = json_array_size(strips);
    char text[FORMAT_BYTES];

    if (count == 0) {
        return json_string("NA");
    }
    uint64_t bytes = (uint64_t)json_integer_value(json_array_get(strips, last ? count - 1 : 0));
    if (bytes < 1048576) {
        (void)snprintf(text, sizeof(text), "%llu KB", (unsigned long long)(bytes >> 10));
        return json_string(text);
    }
    return json_string(format_size(bytes, text));
}

static json_t *make_strip_min(const struct section_source *source)
{
    return strip_text(source, false);
}

static json_t *make_strip_max(const struct section_source *source)
{
    return strip_text(source, true);
}

static json_t *allowed(const struct section_source *source, const char *field)
{
    return json_string(doc_bool(source->controller, field) ? "Allowed" : "Not Allowed");
}

static json_t *make_mix_interfaces(const struct section_source *source)
{
    return allowed(source, "mixed_interfaces");
}

static json_t *make_mix_media(const struct section_source *source)
{
    return allowed(source, "mixed_media");
}

static const struct section_key capabilities[] = {
    TEXT("Supported Drives", "SAS, SATA, NVMe"),
    MADE("RAID Level Supported", make_levels),
    PROPERTY("Enable JBOD", "jbod", FORM_YES_NO),
    TEXT("Mix in Enclosure", "Allowed"),
    MADE("Mix of SAS/SATA of HDD type in VD", make_mix_interfaces),
    MADE("Mix of SAS/SATA of SSD type in VD", make_mix_interfaces),
    MADE("Mix of SSD/HDD in VD", make_mix_media),
    TEXT("SAS Disable", "No"),
    MADE("Max Arms Per VD", make_arms),
    NUMBER("Max Spans Per VD", 128),
    NUMBER("Max Arrays", 240),
    NUMBER("Max VD per array", 16),
    NUMBER("Max Number of VDs", 240),
    NUMBER("Max Parallel Commands", 0),
    NUMBER("Max SGE Count", 0),
    TEXT("Max Data Transfer Size", "65536 sectors"),
    NUMBER("Max Strips PerIO", 0),
    NUMBER("Max Configurable CacheCade Size(GB)", 0),
    NUMBER("Max Transportable DGs", 0),
    TEXT("Enable Snapdump", "No"),
    TEXT("Enable SCSI Unmap", "Yes"),
    TEXT("FDE Drive Mix Support", "No"),
    MADE("Min Strip Size", make_strip_min),
    MADE("Max Strip Size", make_strip_max),
};

static json_t *make_learn_period(const struct section_source *source)
{
    const struct model_object *battery = cli_battery(source->model);
    const json_t *learn = battery != NULL ? json_object_get(battery->doc, "learn") : NULL;
    char text[32];

    if (doc_u64(learn, "period_days") == 0) {
        return json_string("NA");
    }
    (void)snprintf(text, sizeof(text), "%llu hrs",
                   (unsigned long long)doc_u64(learn, "period_days") * 24);
    return json_string(text);
}

static json_t *make_learn_next(const struct section_source *source)
{
    const struct model_object *battery = cli_battery(source->model);
    const json_t *learn = battery != NULL ? json_object_get(battery->doc, "learn") : NULL;
    char text[FORMAT_BYTES];

    return json_string(format_moment(doc_u64(learn, "next_at_us"), text));
}

static json_t *make_patrol_period(const struct section_source *source)
{
    uint64_t hours = doc_u64(source->controller, "patrol_delay_hours");
    char text[32];

    if (!patrol_is_scheduled(source->controller)) {
        return json_string("NA");
    }
    if (hours == 0) {
        return json_string("Continuous");
    }
    (void)snprintf(text, sizeof(text), "%llu hrs", (unsigned long long)hours);
    return json_string(text);
}

static json_t *make_patrol_next(const struct section_source *source)
{
    const json_t *patrol = json_object_get(source->controller, "patrol");
    char text[FORMAT_BYTES];

    return json_string(format_moment(doc_u64(patrol, "next_at_us"), text));
}

static const struct section_key scheduled[] = {
    TEXT("Consistency Check Reoccurrence", "NA"),
    TEXT("Next Consistency check launch", "NA"),
    MADE("Patrol Read Reoccurrence", make_patrol_period),
    MADE("Next Patrol Read launch", make_patrol_next),
    MADE("Battery learn Reoccurrence", make_learn_period),
    MADE("Next Battery Learn", make_learn_next),
    TEXT("OEMID", "Arraywright"),
};

static const struct section_key security[] = {TEXT("Security Protocol", "None")};

#define SECTION(title, keys) {title, keys, sizeof(keys) / sizeof((keys)[0])}
static const struct section {
    const char *title;
    const struct section_key *keys;
    size_t count;
} head_sections[] = {SECTION("Basics", basics), SECTION("Version", version), SECTION("Bus", bus),
                     SECTION("Pending Images in Flash", images), SECTION("Status", status)},
  tail_sections[] = {SECTION("HwCfg", hardware),
                     SECTION("Policies", policies),
                     SECTION("Boot", boot),
                     SECTION("High Availability", availability),
                     SECTION("Defaults", defaults),
                     SECTION("Capabilities", capabilities),
                     SECTION("Scheduled Tasks", scheduled),
                     SECTION("Security Protocol properties", security)};

static json_t *property_json(const struct section_key *key, const json_t *controller)
{
    static const char *const words[][2] = {[FORM_ON_OFF] = {"Off", "On"},
                                           [FORM_OFF_ON] = {"On", "Off"},
                                           [FORM_YES_NO] = {"No", "Yes"},
                                           [FORM_NO_YES] = {"Yes", "No"}};
    char text[PROPERTY_VALUE_BYTES];
    const char *value = controller_property(controller, key->property, text);

    ASSERT(value != NULL);
    return key->form == FORM_PLAIN    ? json_string(value)
           : key->form == FORM_NUMBER ? json_integer(strtoll(value, NULL, 10))
                                      : json_string(words[key->form][strcmp(value, "ON") == 0]);
}

static void section_add(json_t *data, const struct section *section,
                        const struct section_source *source)
{
    json_t *object = json_object();

    for (size_t i = 0; i < section->count; i++) {
        const struct section_key *key = &section->keys[i];

        row_set(object, key->key,
                key->property != NULL ? property_json(key, source->controller)
                : key->make != NULL   ? key->make(source)
                : key->text != NULL   ? json_string(key->text)
                                      : json_integer(key->number));
    }
    row_set(data, section->title, object);
}

void sections_controller(json_t *data, const struct model *model)
{
    const json_t *controller = model->lists[OBJECT_KIND_CONTROLLER].items[0].doc;
    const struct section_source source = {model, controller};

    ASSERT(json_is_object(controller));
    for (size_t i = 0; i < sizeof(head_sections) / sizeof(head_sections[0]); i++) {
        section_add(data, &head_sections[i], &source);
    }
    sections_operations(data);
    row_set(data, "Advanced Software Option", json_array()); /* nothing is sold by key */
    row_text(data, "Safe ID", "N/A");
    for (size_t i = 0; i < sizeof(tail_sections) / sizeof(tail_sections[0]); i++) {
        section_add(data, &tail_sections[i], &source);
    }
}
